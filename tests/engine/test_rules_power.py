"""Each rule on power fires where it should, and nowhere else."""

import pytest

from ftbuild.engine.rules.power import POWER
from tests.engine.rig import document, say, tower

GOOD = document()
FIRING = {
    "power.psu": ("violation", document(power={"psu": "2700W"}), GOOD),
    "power.psu_headroom": ("warning", tower(power={"psu": "1300W"}), tower()),
    "power.feed_loss": ("warning", document(power={"redundancy": "n+1", "psu": "2000W"}), GOOD),
    "power.low_line": (
        "violation", tower(power={"psu": "2200W", "voltage": 120}), tower(power={"psu": "2200W"})
    ),
    "power.spike": (
        "violation", tower(hardware={"gpu": "rtx-3090-ti-24gb"}, power={"psu": "1000W"}), tower()
    ),
    "power.spike_atx2": (
        "warning", tower(power={"atx": 2, "psu": "1500W"}), tower(power={"atx": 2, "psu": "2000W"})
    ),
    "power.cord": ("violation", tower(power={"psu": "1250W", "voltage": 120}), tower()),
    "power.efficiency": ("notice", tower(power={"psu": "10kW"}), tower()),
    "power.circuit": ("violation", document(power={"circuit": "30A"}), document(power={"circuit": "50A"})),
    "power.circuit_shared": (
        "notice", tower(power={"voltage": 120, "circuit": "20A"}), tower(power={"circuit": "16A"})
    ),
    "power.phase_balance": ("notice", document(power={"psus_per_node": 8, "redundancy": "4+4"}), GOOD),
    "power.rack": ("violation", document(power={"rack_limit": "9kW"}), GOOD),
    "power.rack_measured": (
        "warning", document(power={"rack_limit": "9.5kW"}), document(power={"rack_limit": "8kW"})
    ),
    "power.rack_count": ("notice", document(hardware={"nodes": 3}), GOOD),
    "power.cooling": (
        "violation", document(hardware={"nodes": 5}),
        document(hardware={"nodes": 5}, power={"cooling": "dlc"}),
    ),
    "power.cooling_usual": ("warning", document(hardware={"nodes": 3}), GOOD),
    "power.liquid_only": ("violation", document(hardware={"gpu": "gb200-sxm-186gb", "gpus_per_node": 4}),
                          document(hardware={"gpu": "b200-sxm-192gb"})),
    "power.inlet": ("violation", document(power={"ambient": 36}), document(power={"ambient": 33})),
    "power.inlet_recommended": ("warning", document(power={"ambient": 26, "altitude": 1600}), GOOD),
    "power.inlet_life": ("notice", document(power={"ambient": 26}), GOOD),
    "power.limit": ("warning", document(power={"gpu_power_limit": 0.5}), GOOD),
    "power.limit_speed": ("notice", document(power={"gpu_power_limit": 0.8}), GOOD),
    "power.limit_fit": ("notice", document(power={"rack_limit": "9kW"}), GOOD),
    "power.published": (
        "notice", document(storage={"data_drives": 120}), document(storage={"data_drives": 4})
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", FIRING)
def test_a_rule_fires(rule):
    severity, fires, _ = FIRING[rule]
    assert say(fires).severity(rule) == severity


@pytest.mark.parametrize("rule", FIRING)
def test_a_rule_does_not_fire_on_a_rig_that_keeps_it(rule):
    _, _, clear = FIRING[rule]
    assert say(clear).severity(rule) in ("ok", "none")


def test_every_rule_is_held_by_these_tests():
    assert {rule.id for rule in POWER} == set(FIRING)


def test_a_circuit_close_to_its_limit_is_a_warning():
    """Two 4090 on 15 A at 120 V: 1.35 of 1.44 kW, nothing else on that circuit."""
    rig = say(tower(power={"voltage": 120, "circuit": "15A"}))
    assert rig.severity("power.circuit") == "warning"
    assert rig.value("power.circuit_load") == pytest.approx(0.94, abs=0.02)


@pytest.mark.parametrize("rule", ["power.psu", "power.circuit", "power.rack"])
def test_what_is_not_stated_is_unknown_and_not_a_violation(rule):
    finding = say({**GOOD, "power": {}}).findings[rule]
    assert finding.unknown
    assert finding.severity.word == "ok"


def test_nothing_derived_is_judged_where_supplies_are_not_stated():
    said = say({**GOOD, "power": {}}).findings
    assert not {
        "power.psu_headroom",
        "power.cord",
        "power.low_line",
        "power.spike",
        "power.rack_count",
    } & set(said)


def test_two_feeds_with_redundant_supplies_each_carry_everything():
    assert say(document(power={"feeds": 2})).value("power.circuit") == say(GOOD).value("power.rack")
    alone = say(document(power={"feeds": 2, "redundancy": "none"}))
    assert alone.value("power.circuit") == pytest.approx(alone.value("power.rack") / 2)
