"""What the figures of money are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.units import Kind

_PRICES = "[cost.price] of the build, else the catalog with its date"
_RENT = "catalog prices of clouds, or the build's own figure"

_ROWS = (
    FigureSpec(
        "cost.hardware", "Hardware", Kind.MONEY, "sum over parts of count x price, where a price is known",
        _PRICES, "parts whose price nobody knows (cost.unknown), taxes, freight, assembly, racks, staff",
    ),
    FigureSpec(
        "cost.unknown", "Parts without a price", Kind.SHARE,
        "kinds of part without a price / kinds of part in the rig", _PRICES,
    ),
    FigureSpec(
        "cost.energy", "Electricity", Kind.MONEY,
        "draw / 1000 x hours x price; hours = years x weeks x hours / week",
        "arithmetic; mean draw of a run (power.node_mean)", "hours in which the rig idles but stays on",
    ),
    FigureSpec(
        "cost.power_cooling", "Power and cooling", Kind.MONEY, "electricity x PUE", "arithmetic",
        "rent of the room: colocation at 150-200 USD a kW and month can double it",
    ),
    FigureSpec(
        "cost.guide_power_cooling", "Guide's power and cooling", Kind.MONEY,
        "20 % of the hardware x years / 3", "the guide",
    ),
    FigureSpec(
        "cost.power_share", "Power and cooling in 3 years", Kind.SHARE,
        "power and cooling / hardware, scaled to three years",
        "arithmetic; 6-19 % for servers, 76 % for a consumer rig that never rests",
    ),
    FigureSpec(
        "cost.total", "Total cost", Kind.MONEY,
        "hardware + power and cooling - resale; hardware as quoted in whole, else as its parts cost",
        "arithmetic",
        "upkeep (3-5 % of servers a year), spares, network of the building, staff",
    ),
    FigureSpec(
        "cost.rent", "Rent / GPU hour", Kind.MONEY_PER_HOUR,
        "as stated or listed; spot / (1 - waste), waste by Young", _RENT,
    ),
    FigureSpec(
        "cost.rent_break_even_hours", "Break-even", Kind.HOURS,
        "hardware x (1 - resale) / (GPUs x rent - power and cooling an hour); the range is rent -+ 30 %",
        "arithmetic", "prices that move: fourfold in three years",
    ),
    FigureSpec(
        "cost.break_even_months", "Break-even, months", Kind.COUNT,
        "break-even hours at the stated hours a week",
        "arithmetic",
    ),
    FigureSpec("cost.hours", "Hours of use", Kind.HOURS, "years x weeks x hours / week", "the build"),
    FigureSpec(
        "cost.run", "One run, owned", Kind.MONEY, "total cost / hours of use x hours of the run", "arithmetic"
    ),
    FigureSpec("cost.rent_per_run", "One run, rented", Kind.MONEY, "GPUs x rent x hours of the run", _RENT),
    FigureSpec(
        "cost.per_million_tokens", "Million tokens, owned", Kind.MONEY, "one run / tokens x 1e6", "arithmetic"
    ),
    FigureSpec(
        "cost.rent_per_million_tokens", "Million tokens, rented", Kind.MONEY, "one run / tokens x 1e6", _RENT
    ),
    FigureSpec(
        "cost.query", "Inference query, rented", Kind.MONEY,
        "GPUs x rent / 3600 / (0.5 peak / (2 N 8192)): reading a prompt of 8,192 tokens",
        "2 FLOP a parameter and token; the guide says 0.0008 by API and 0.00003 on an own card, which would "
        "take eleven times the fp8 peak of an H100 at its 20 queries a second",
        "generating the answer, idle time, whether the model fits",
    ),
    FigureSpec(
        "cost.rent_over_cheapest", "Rent over the cheapest listed", Kind.RATIO,
        "rent / least on-demand price of the GPU in the catalog", _RENT,
    ),
    FigureSpec("cost.quote", "Quoted total", Kind.MONEY, "as stated", "the build"),
)  # fmt: skip

SPECS = {spec.id: spec for spec in _ROWS}
