"""Buying, running and renting."""

import numpy as np
import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import CloudPrice
from ftbuild.engine import cost
from ftbuild.engine.evaluate import evaluate
from ftbuild.problems import BuildError

CATALOG = load_catalog()


def report(money=None, hardware=None, **more):
    document = {
        "workload": {"model": "llama-3.1-8b", "dataset_tokens": 1e7, "epochs": 1},
        "hardware": {"gpu": "h100-sxm-80gb", "cpu": "amd-epyc-9654", **(hardware or {})},
        "cost": money or {},
        **more,
    }
    return evaluate(builds.read(document), CATALOG)


def test_the_guide_s_break_even_by_its_own_figures():
    """30,000 USD against 1.89 an hour are 15,873 hours, not 8,700."""
    assert cost.break_even_hours(30_000, 0, 1, 1.89) == pytest.approx(15_873, abs=1)
    assert cost.break_even_hours(30_000, 0, 1, 1.89, 0.20) == pytest.approx(17_751, abs=1)
    assert cost.break_even_hours(30_000, 0.45, 1, 1.89, 0.20) == pytest.approx(9_763, abs=1)
    assert cost.break_even_hours(30_000, 0, 1, 3.42) == pytest.approx(8_772, abs=1)
    assert pytest.approx(29_959, abs=1) == 3.42 * 8_760


def test_renting_below_the_owner_s_own_power_is_never_worth_buying():
    assert np.isnan(cost.break_even_hours(30_000, 0, 1, 0.10, 0.20))


def test_energy_of_a_node():
    """8 kW for three years at PUE 1.54 and 0.13 USD: 42 k, 14 % of 300 k."""
    bill = cost.energy_cost(8_000, 26_280, 1.54, 0.13)
    assert bill / 300_000 == pytest.approx(0.14, abs=0.005)


def test_twenty_queries_a_second_of_8k_tokens_pass_any_h100():
    """20 x 8,192 x 140 GFLOP are 22.9 PFLOP/s: 11.6 times the fp8 peak."""
    assert 20 / cost.queries_per_s(1979e12, 70e9) > 11
    assert cost.queries_per_s(0.5 * 1979e12, 70e9) == pytest.approx(0.86, abs=0.01)


@pytest.mark.parametrize(
    ("hours", "write", "restart", "lost"),
    [(2, 10, 300, 0.094), (6, 10, 300, 0.044), (24, 10, 300, 0.019), (2, 60, 600, 0.21), (6, 60, 600, 0.10),
     (24, 60, 600, 0.044)],
)  # fmt: skip
def test_what_interruptions_cost(hours, write, restart, lost):
    assert cost.spot_waste(write, restart, hours * 3600) == pytest.approx(lost, abs=0.004)


def test_spot_costs_more_for_an_hour_of_work():
    assert cost.spot_price(1.0, 0.10) == pytest.approx(1 / 0.9)
    row = next(row for row in CATALOG.rows(CloudPrice) if row.offer == "spot")
    found = report({"rent": row.id})
    assert row.price < found.value("cost.rent") < 1.6 * row.price
    assert "restarts" in found.figures["cost.rent"].note


def test_hardware_is_what_the_parts_with_a_price_cost():
    found = report({"price": {"server-chassis": 5000, "gpu-baseboard": 12000}}, {"gpus_per_node": 4})
    assert found.value("cost.hardware") == 4 * 30_000 + 11_805 + 5000 + 12000
    parts = found.figures["cost.hardware"].parts
    assert sum(float(part[0]) for part in parts.values()) == found.value("cost.hardware")


def test_unknown_prices_are_counted_and_named():
    few = report()
    assert 0 < few.value("cost.unknown") < 1
    assert "Boot drive" in few.figures["cost.hardware"].note
    less = report({"price": {"boot-drive": 100}})
    assert less.value("cost.unknown") < few.value("cost.unknown")


def test_a_gpu_without_a_price_leaves_the_sum_unknown():
    found = report(hardware={"gpu": "mi300x-oam-192gb"})
    assert np.isnan(found.value("cost.hardware"))
    assert "Instinct MI300X" in found.figures["cost.hardware"].note


def test_a_quoted_total_stands_for_the_hardware():
    assert report({"quote": 50_000}).figures["cost.total"].parts["hardware"][0] == 50_000


def test_the_guide_s_fifth_stands_beside_the_computed_bill():
    found = report({"years": 3})
    assert found.value("cost.guide_power_cooling") == pytest.approx(0.2 * found.value("cost.hardware"))
    assert found.value("cost.power_cooling") == pytest.approx(1.4 * found.value("cost.energy"))


def test_a_run_costs_its_hours():
    found = report({"rent": 2.0}, {"gpus_per_node": 2})
    hours = found.value("time.total") / 3600
    assert found.value("cost.rent_per_run") == pytest.approx(2 * 2.0 * hours)
    assert found.value("cost.rent_per_million_tokens") == pytest.approx(found.value("cost.rent_per_run") / 10)


def test_rent_is_a_number_a_name_or_the_usual_one():
    assert report({"rent": 1.89}).value("cost.rent") == 1.89
    assert report({"rent": "lambda/h100"}).value("cost.rent") == 3.99
    usual = report()
    assert 1 < usual.value("cost.rent") < 8
    assert "median" in usual.figures["cost.rent"].note


def test_an_unknown_price_id_is_said_with_what_comes_near():
    with pytest.raises(BuildError, match="lambda"):
        report({"rent": "lamda/h100"})


def test_break_even_is_given_for_dearer_and_cheaper_rent():
    figure = report({"rent": 2.0}).figures["cost.rent_break_even_hours"]
    assert figure.low[0] < figure.value[0] < figure.high[0]
