"""Draw, supplies, circuits, heat and limits against published figures and hand calculations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild.build import choices
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Gpu
from ftbuild.engine.power import circuit, draw, heat, limits, parts, supply
from ftbuild.engine.tables import power as table
from tests.engine.rig import document, say, tower

A100 = document(
    hardware={"gpu": "a100-sxm-80gb", "cpu": "amd-epyc-7742"},
    storage={"data_drive": "samsung-pm9a3-3.84tb"},
    network={"fabric": "ib-hdr-200g", "links_per_node": 10},
    power={"psu": "3000W", "efficiency": "platinum"},
)
H100 = document(network={"links_per_node": 10}, power={"redundancy": "4+2"})
B200 = document(
    hardware={"gpu": "b200-sxm-192gb", "cpu": "intel-xeon-platinum-8570"},
    network={"links_per_node": 10},
    power={"redundancy": "5+1"},
)


@pytest.mark.parametrize(("node", "published"), [(A100, 6500), (H100, 10_200), (B200, 14_300)])
def test_the_nameplate_of_sold_nodes_comes_out_within_seven_percent(node, published):
    """DGX A100, H100 and B200 user guides."""
    assert say(node).value("power.node") == pytest.approx(published, rel=0.07)


@pytest.mark.parametrize(
    ("gpu", "cooling", "measured"),
    [("h100-sxm-80gb", "immersion", 7180), ("h100-sxm-80gb", "air", 7960), ("b200-sxm-192gb", "dlc", 9590)],
)
def test_measured_training_nodes_come_out_within_seven_percent(gpu, cooling, measured):
    """MLPerf Training power logs: Supermicro immersion, Dell XE9680, Lenovo SR780a."""
    rig = say(document(hardware={"gpu": gpu}, power={"cooling": cooling}))
    assert rig.value("power.node_typical") == pytest.approx(measured, rel=0.07)


def test_a_hotter_load_on_the_b200_node_comes_out_within_seven_percent():
    """Held out of the fit: Stable Diffusion, 10.05 kW on average, at 0.96 of board power."""
    rig = say(document(hardware={"gpu": "b200-sxm-192gb"}, power={"cooling": "dlc"}))
    gpus = float(rig.figures["power.node_typical"].parts["GPUs"][0])
    assert rig.value("power.node_typical") + gpus * (0.96 / 0.92 - 1) / 0.95 == pytest.approx(
        10_050, rel=0.07
    )


def test_a_gb200_tray_comes_out_within_seven_percent():
    """NVIDIA's power service: 6,667 W at most."""
    rig = say(document(
        hardware={"gpu": "gb200-sxm-186gb", "gpus_per_node": 4, "cpu": "nvidia-grace"},
        storage={"data_drives": 3}, network={"links_per_node": 4}, power={"cooling": "dlc"},
    ))  # fmt: skip
    assert rig.value("power.node") == pytest.approx(6667, rel=0.07)


@pytest.mark.parametrize(
    ("gpu", "cooling", "measured"), [("h100-sxm-80gb", "immersion", 2300), ("b200-sxm-192gb", "dlc", 2950)]
)
def test_idle_nodes_come_out_within_a_tenth(gpu, cooling, measured):
    rig = say(document(hardware={"gpu": gpu}, power={"cooling": cooling}))
    assert rig.value("power.node_idle") == pytest.approx(measured, rel=0.10)


def test_the_99th_percentile_lies_between_typical_and_nameplate():
    """Dell XE9680 at one-second samples: 7.96 kW at the median, 9.39 kW at the 99th percentile."""
    rig = say(document())
    assert rig.value("power.node_p99") == pytest.approx(9390, rel=0.05)
    assert rig.value("power.node_mean") == pytest.approx(7240, rel=0.05)


def test_two_4090_draw_four_fifths_of_a_1600_w_supply():
    """By hand: 900 + 170 + 12 + 8 + 100 = 1,190 W, fans 4 %: 1,240 W of 1,600."""
    rig = say(tower())
    assert rig.value("power.dc") == pytest.approx(1190 / 0.96)
    assert rig.value("power.psu_load") == pytest.approx(0.78, abs=0.01)
    assert rig.value("power.node") == pytest.approx(1350, rel=0.02)
    assert rig.severity("power.psu") == rig.severity("power.psu_headroom") == "ok"


@pytest.mark.parametrize(
    ("limit", "kilowatts"), [(1.0, 7.9), (0.8, 7.0), (0.7, 6.35), (0.6, 5.7), (0.5, 5.05)]
)
def test_a_limited_node_draws_less(limit, kilowatts):
    """By hand from an air-cooled node's typical 7.9 kW: 5.6 kW of GPUs at 0.92, then at 0.98 of the limit."""
    rig = say(document(power={"gpu_power_limit": limit}))
    assert rig.value("power.node_typical") == pytest.approx(kilowatts * 1e3, rel=0.03)
    unlimited = say(document()).value("power.node_typical")
    assert rig.value("power.limit_saved") == pytest.approx(
        unlimited - rig.value("power.node_typical"), rel=0.04, abs=1
    )


def test_eight_4090_draw_five_kilowatts_where_the_guide_says_three_and_a_half():
    rig = say(
        tower(hardware={"gpus_per_node": 8, "cpu": "amd-epyc-9654", "ram_modules": 12}, power={"psu": "3kW"})
    )
    assert rig.value("power.node") == pytest.approx(5000, rel=0.07)
    assert rig.value("power.node_typical") == pytest.approx(4000, rel=0.07)


def test_parts_of_a_node_sum_to_its_draw_at_the_wall():
    rig = say(document())
    for name in ("power.node", "power.node_typical", "power.node_idle"):
        figure = rig.figures[name]
        assert sum(float(part[0]) for part in figure.parts.values()) == pytest.approx(rig.value(name))


def test_a_machine_that_is_one_piece_needs_no_processor_stated():
    rig = say({"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "apple-m2-ultra-192gb"}})
    assert rig.value("power.dc") == pytest.approx(295)


def test_without_a_processor_the_draw_is_unknown_and_says_why():
    rig = say({"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100-sxm-80gb"}})
    assert rig.figures["power.node"].missing
    assert "hardware.cpu" in rig.figures["power.node"].note
    assert rig.findings["power.psu"].unknown


def test_machines_with_and_without_a_host_compute_alike_in_one_grid():
    base = tower(power={"psu": None})
    base["power"] = {}
    both = say(base, ("hardware.gpu", ("rtx-4090-24gb", "apple-m2-ultra-192gb")))
    alone = [say({**base, "hardware": {**base["hardware"], "gpu": gpu}}).value("power.node")
             for gpu in ("rtx-4090-24gb", "apple-m2-ultra-192gb")]  # fmt: skip
    assert both.column("power.node").tolist() == pytest.approx(alone)


@pytest.mark.parametrize(
    ("amperes", "volts", "phases", "kilowatts"),
    [(15, 120, 1, 1.44), (20, 120, 1, 1.92), (30, 120, 1, 2.88), (20, 208, 1, 3.33), (30, 208, 1, 4.99),
     (30, 240, 1, 5.76), (50, 240, 1, 9.6), (13, 230, 1, 2.39), (16, 230, 1, 2.94), (32, 230, 1, 5.89),
     (16, 400, 3, 8.87), (32, 400, 3, 17.7), (63, 400, 3, 34.9), (20, 208, 3, 5.76), (30, 208, 3, 8.65),
     (50, 208, 3, 14.4), (60, 208, 3, 17.3), (30, 415, 3, 17.3), (60, 415, 3, 34.5)],
)  # fmt: skip
def test_circuits_carry_what_electricians_tables_say(amperes, volts, phases, kilowatts):
    assert circuit.circuit_capacity(volts, amperes, phases, 0.8) / 1e3 == pytest.approx(kilowatts, rel=0.01)


def test_heat_of_ten_kilowatts():
    """DGX H100: 34,800 BTU/h, 2.9 tons, 1,197 CFM at 15 C."""
    assert heat.btu_per_h(10_200) == pytest.approx(34_800, rel=0.001)
    assert heat.tons(10_200) == pytest.approx(2.90, rel=0.001)
    assert heat.airflow(10_200, 15, 0) / 4.719474e-4 == pytest.approx(1197, rel=0.005)
    assert heat.airflow(10_200, 15, 1600) == pytest.approx(1.192 * heat.airflow(10_200, 15, 0), rel=0.001)


@pytest.mark.parametrize(
    ("tier", "line", "load", "expected"),
    [("platinum", "230", 0.5, 0.94), ("platinum", "230", 0.4, 0.927), ("platinum", "230", 0.8, 0.922),
     ("titanium", "230", 0.1, 0.90), ("titanium", "230", 1.0, 0.91), ("gold", "115", 0.2, 0.87),
     ("white", "230", 0.5, 0.85), ("gold", "230", 1.5, 0.88)],
)  # fmt: skip
def test_efficiency_is_the_certified_minimum_between_its_points(tier, line, load, expected):
    row = [one.id for one in table.TIERS].index(tier)
    points = parts.curves(load_catalog())[row, table.INPUTS.index(line)]
    assert draw.efficiency(points[:, None], np.array([load]))[0] == pytest.approx(expected, abs=0.001)


@given(st.floats(0.001, 2), st.sampled_from(range(6)), st.sampled_from(range(3)))
def test_no_supply_gives_more_than_it_takes(load, tier, line):
    points = parts.curves(load_catalog())[tier, line]
    assert 0 < draw.efficiency(points[:, None], np.array([load]))[0] < 1


@pytest.mark.parametrize(
    ("count", "may_fail", "left"), [(2, 1, 3000), (4, 2, 6000), (6, 2, 12_000), (1, 0, 3000), (1, 2, 0)]
)
def test_supplies_that_may_fail_are_taken_off(count, may_fail, left):
    assert supply.capacity(3000, count, may_fail) == left


def test_large_supplies_are_derated_on_a_low_line():
    assert supply.rating(3000, 120) == 1600
    assert supply.rating(1000, 120) == 1000
    assert supply.rating(3000, 230) == 3000


def test_supplies_on_400_v_sit_between_phase_and_neutral():
    assert supply.supply_voltage(400, 3) == pytest.approx(230.9, abs=0.1)
    assert supply.supply_voltage(208, 3) == 208
    assert supply.supply_voltage(400, 1) == 400


def test_a_millisecond_of_two_5090():
    """Igor's Lab: 901 W of a 575 W card within a millisecond, 1.57 times."""
    assert supply.spike(1500, 1150, 1.57) == pytest.approx(1500 + 2 * (575 * 1.57 - 575))
    assert supply.spike_capacity(1200, 1, 3.0) == pytest.approx(2160)
    assert supply.spike_capacity(1200, 1, 2.0) == pytest.approx(1320)


@pytest.mark.parametrize(
    ("supplies", "star", "skew"), [(3, False, 1), (6, False, 1), (6, True, 1), (2, True, 1.5), (4, True, 1.5),
                                   (2, False, 1.5), (1, False, np.sqrt(3)), (4, False, np.sqrt(21) / 4)]
)  # fmt: skip
def test_lines_are_balanced_by_multiples_of_three(supplies, star, skew):
    """Two supplies on pairs ab and bc: line b carries sqrt(3) of one's current, balanced 2 / sqrt(3)."""
    assert float(circuit.phase_skew(supplies, 3, star)) == pytest.approx(skew)
    assert float(circuit.phase_skew(supplies, 1, star)) == 1


@given(st.integers(1, 60), st.booleans())
def test_a_line_never_carries_less_than_balance(supplies, star):
    assert circuit.phase_skew(supplies, 3, star) >= 1 - 1e-12


@given(st.integers(1, 200), st.floats(500, 20_000), st.floats(500, 100_000))
def test_racks_hold_all_nodes_and_none_is_over(nodes, node, rack):
    each = circuit.nodes_per_rack(rack, node)
    needed = circuit.racks_needed(nodes, each)
    if each == 0:
        assert np.isnan(needed)
    else:
        assert each * node <= rack * (1 + 1e-12)
        assert needed * each >= nodes > (needed - 1) * each


@given(st.floats(0.3, 1), st.floats(0.3, 1))
def test_speed_under_a_limit_rises_with_it_and_keeps_to_its_band(one, other):
    low, high = sorted((one, other))
    assert limits.speed(low)[0] <= limits.speed(high)[0]
    likely, least, most = limits.speed(one)
    assert least <= likely <= most


@given(st.floats(1000, 9000))
def test_the_limit_that_fits_draws_the_budget(budget):
    fit = limits.fitting_limit(budget, 0.2, 1800.0, 5600.0)
    drawn = (5600 * fit + 1800) / 0.8
    assert drawn <= budget * (1 + 1e-9) or fit == 0
    assert fit == 1 or fit == 0 or drawn == pytest.approx(budget)


@pytest.mark.parametrize(
    ("rows", "names"),
    [(table.COOLING, choices.COOLING), (table.REDUNDANCY, choices.REDUNDANCY), (table.TIERS, choices.TIERS)],
)
def test_every_choice_has_its_row(rows, names):
    assert [row.id for row in rows] == list(names)


def test_every_gpu_of_the_catalog_has_a_tray_and_a_draw():
    for gpu in load_catalog().rows(Gpu):
        columns = parts.gpu_columns(gpu)
        assert len(columns) == 8
        assert all(0 <= share <= 1 for share in columns[:6])
