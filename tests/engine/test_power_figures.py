"""The figures of power on whole builds: cases, completeness, and one build against a grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.rig import document, say

DENVER = document(hardware={"nodes": 4}, power={"redundancy": "4+2", "racks": 2, "rack_limit": "20kW"})


def denver(**power):
    return say(document(hardware={"nodes": 4}, power={**DENVER["power"], **power}))


def test_four_nodes_in_one_rack_fit_at_no_limit_that_the_team_tried():
    for limit in (1.0, 0.8, 0.6):
        assert denver(racks=1, gpu_power_limit=limit).severity("power.rack") == "violation"


def test_two_nodes_a_rack_are_over_by_nameplate_and_run_by_measure():
    rig = denver()
    assert rig.severity("power.rack") == "violation"
    assert rig.severity("power.rack_measured") == "warning"
    assert rig.value("power.racks_needed") == 4


def test_the_teams_remedy_was_stronger_than_the_rack_needed():
    rig = denver()
    assert denver(gpu_power_limit=0.85).severity("power.rack") == "ok"
    assert 0.75 < rig.value("power.limit_fit") < 0.85
    assert rig.value("power.limit_fit_speed") > 0.92
    assert denver(gpu_power_limit=0.85).value("power.rack_typical") < 17.3e3
    assert denver(racks=4).severity("power.circuit") == "ok"


def test_fifty_kilowatts_are_right_for_four_nodes():
    """The guide: should have planned for 50 kW; 4 x 10.2 kW and a fifth on top are 49 kW."""
    assert denver(racks=1, rack_limit="50kW").value("power.rack") * 1.2 == pytest.approx(49e3, rel=0.03)


def test_the_limit_that_fits_does_fit():
    rig = denver()
    fit = rig.value("power.limit_fit")
    assert denver(gpu_power_limit=fit * 0.995).severity("power.circuit") in ("ok", "warning")
    assert denver(gpu_power_limit=min(1.0, fit * 1.03)).severity("power.circuit") == "violation"


def test_build_two_draws_more_than_one_of_its_supplies_gives():
    build2 = {
        "hardware": {"gpus_per_node": 4, "cpu": "amd-epyc-9654", "ram": "1TB", "ram_modules": 24},
        "storage": {"data_drive": "kioxia-cm7-r-3.84tb", "data_drives": 4, "data_raid": "0"},
        "network": {"fabric": "roce-200g", "links_per_node": 2},
    }
    short = say(document(**build2, power={"psu": "3000W", "psus_per_node": 2, "redundancy": "1+1"}))
    assert short.value("power.dc") == pytest.approx(5200, rel=0.07)
    assert short.value("power.psu_capacity") == 3000
    assert short.severity("power.psu") == "violation"
    cleared = say(document(**build2, power={"psu": "3000W", "psus_per_node": 4, "redundancy": "2+2"}))
    assert cleared.severity("power.psu") == "ok"


def test_every_figure_of_a_stated_build_is_finite():
    rig = say(document())
    for name, figure in rig.figures.items():
        assert np.isfinite(figure.value).all(), name


def test_unstated_supplies_leave_the_draw_known():
    rig = say({**document(), "power": {}})
    assert np.isfinite(rig.value("power.node"))
    assert rig.findings["power.psu"].unknown
    assert "not stated" in rig.figures["power.node"].note


def test_supplies_that_may_all_fail_carry_nothing_and_the_rest_is_said():
    rig = say(document(power={"psus_per_node": 1, "redundancy": "n+2"}))
    assert rig.value("power.psu_capacity") == 0
    assert rig.severity("power.psu") == "violation"
    assert np.isnan(rig.value("power.psu_load"))
    assert rig.value("power.limit_fit") == 0


def test_a_part_of_any_size_gets_a_draw():
    huge = {"id": "acme", "name": "Acme", "vendor": "Acme", "form": "sxm", "memory": 80, "usable": 79,
            "memory_type": "HBM", "bandwidth": 1000, "bf16": 1000, "power": 1e6, "source": ["me"],
            "as_of": "2026", "confidence": "user"}  # fmt: skip
    rig = say({**document(hardware={"gpu": "acme"}), "catalog": {"gpu": [huge]}})
    assert rig.value("power.node") > 8e6


AXES = {
    "hardware.gpu": st.sampled_from(("h100-sxm-80gb", "rtx-4090-24gb", "mi300x-oam-192gb")),
    "hardware.nodes": st.integers(1, 9),
    "hardware.gpus_per_node": st.integers(1, 8),
    "hardware.cpu": st.sampled_from(("amd-epyc-9654", "amd-ryzen-9-9950x")),
    "power.psu": st.sampled_from((1200, 3000)),
    "power.psus_per_node": st.integers(1, 8),
    "power.efficiency": st.sampled_from(("white", "gold", "titanium")),
    "power.voltage": st.sampled_from((120, 208, 230, 400)),
    "power.phases": st.sampled_from((1, 3)),
    "power.circuit": st.sampled_from((15, 60)),
    "power.feeds": st.integers(1, 3),
    "power.racks": st.integers(1, 4),
    "power.gpu_power_limit": st.floats(0.3, 1).map(lambda x: round(x, 3)),
    "power.cooling": st.sampled_from(("air", "dlc", "immersion")),
    "power.altitude": st.sampled_from((0, 1600)),
    "network.fabric": st.sampled_from(("none", "eth-10g", "ib-ndr-400g")),
}


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_grid_says_what_its_builds_say_one_by_one(data):
    keys = data.draw(st.lists(st.sampled_from(sorted(AXES)), min_size=1, max_size=3, unique=True))
    axes = [(key, tuple(data.draw(st.lists(AXES[key], min_size=1, max_size=2, unique=True)))) for key in keys]
    base = document(power={"redundancy": "n+1"})
    grid = say(base, *axes)
    for place, values in enumerate(np.ndindex(*(len(axis[1]) for axis in axes))):
        single = {section: dict(table) for section, table in base.items()}
        for (key, options), index in zip(axes, values, strict=True):
            section, name = key.split(".")
            single[section][name] = options[index]
        alone = say(single)
        for name, figure in alone.figures.items():
            if name.startswith(("power", "heat")):
                assert grid.column(name)[place] == pytest.approx(float(figure.value[0]), nan_ok=True), name


@settings(max_examples=20, deadline=None)
@given(st.floats(0.3, 0.99), st.integers(1, 8))
def test_a_power_limit_never_raises_the_draw(limit, gpus):
    rigs = [
        say(document(hardware={"gpus_per_node": gpus}, power={"gpu_power_limit": one}))
        for one in (limit, 1.0)
    ]
    for name in ("power.node", "power.node_typical", "power.spike", "power.rack"):
        assert rigs[0].value(name) <= rigs[1].value(name)
