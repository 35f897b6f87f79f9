from __future__ import annotations

from pathlib import Path

import pytest

from ftbuild import build as builds
from ftbuild import files
from ftbuild.build import FIELDS
from ftbuild.tui.values import label_of, reading_of, stepped, text_of, typed, unit_of

BUILD = files.load(Path(__file__).parents[2] / "presets" / "mid-size-team.toml").build


@pytest.mark.parametrize("key", [key for key in FIELDS if key != "notes"])
def test_what_a_field_shows_can_be_typed_and_means_the_same(key):
    text = text_of(BUILD, key)
    again = builds.changed(BUILD, {key: typed(key, text)})
    assert builds.get(again, key) == builds.get(BUILD, key)


@pytest.mark.parametrize(
    ("key", "value", "up", "text"),
    [
        ("workload.micro_batch", 4, True, "8"),
        ("workload.micro_batch", 6, False, "4"),
        ("workload.micro_batch", 1, False, "1"),
        ("hardware.ram", 2**40, True, "2TB"),
        ("hardware.gpus_per_node", 4, True, "5"),
        ("power.gpu_power_limit", 1.0, False, "0.95"),
        ("power.psu", 3000.0, True, "3100W"),
        ("hardware.gpu", "h100", True, None),
    ],
)
def test_values_step_to_the_next_sensible_one(key, value, up, text):
    assert stepped(key, value, up) == text


def test_stepping_stays_within_the_range_of_every_number():
    for key, spec in FIELDS.items():
        value = builds.get(BUILD, key)
        for up in (True, False):
            for _ in range(3):
                text = stepped(key, value, up, large=True)
                if text is not None:
                    value = spec.described.read(text)


def test_units_stand_beside_bare_numbers_only():
    assert unit_of("power.voltage", "230") == "V"
    assert unit_of("hardware.ram", "1TB") == ""
    assert unit_of("workload.method", "lora") == ""


def test_a_memory_size_is_read_back_in_both_meanings():
    assert reading_of("hardware.ram", 64 * 2.0**30) == "= 64.0 GiB = 68.7 GB"


def test_prices_have_a_label_too():
    assert label_of("cost.price.h100-sxm-80gb") == "price of h100-sxm-80gb"
