"""Rules on money."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import number, stated
from ftbuild.engine.rules.host import GUIDE


def _stated(c: Columns, _: Figures) -> Any:
    return stated(c, "cost.rent") > 0


def _quoted(c: Columns, _: Figures) -> Any:
    return number(c, "cost.quote") > 0


COST: tuple[Rule, ...] = (
    Rule(
        id="cost.unknown", title="Parts without a price", severity=Severity.NOTICE, figure="cost.unknown",
        limit=0.10, fields=("cost.price",),
        message="{value} of the kinds of part have no known price; sums are of the rest",
        ok="{value} unpriced",
        source="the bill of materials", doc="Unknown prices are counted, never taken as zero: quote them.",
    ),
    Rule(
        id="cost.quote", title="Quoted total", severity=Severity.WARNING, figure="cost.hardware",
        limit="cost.quote", when=_quoted, fields=("cost.quote", "cost.price"),
        message="parts with a known price alone cost {value}, over the {limit} quoted",
        ok="parts with a known price cost {value} of the {limit} quoted", source="catalog prices with dates",
        doc="A quote below its own parts is out of date or leaves something out.",
    ),
    Rule(
        id="cost.power_cooling", title="Power and cooling", severity=Severity.WARNING,
        figure="cost.power_share", limit=0.25,
        fields=("power.electricity", "power.pue", "cost.hours_per_week", "cost.years"),
        message="{value} of the hardware in three years, over 1.25 x the guide's 20 %",
        ok="{value} of the hardware in three years, the guide says 20 %",
        source=GUIDE + "; computed 6-19 % for servers, up to 76 % for consumer rigs",
        doc="The guide's rule of thumb is high for servers and low for cheap rigs that never rest.",
    ),
    Rule(
        id="cost.break_even", title="Rent or buy", severity=Severity.NOTICE,
        figure="cost.rent_break_even_hours", limit="cost.hours", when=_stated,
        fields=("cost.hours_per_week", "cost.years", "cost.rent"),
        message="buying pays after {value} of use, more than the {limit} planned: rent",
        ok="buying pays after {value} of the {limit} planned",
        source="arithmetic; the guide's 8,700 h are 15,873 h by its own 30,000 and 1.89 USD",
        doc="Hardware less resale over what renting costs more an hour. Rent moves: see the range.",
    ),
    Rule(
        id="cost.rent_price", title="Rent is real", severity=Severity.WARNING,
        figure="cost.rent_over_cheapest",
        sense="at_least", limit=0.5, when=_stated, fields=("cost.rent",),
        message="{value} of the least that the catalog lists for this GPU: too good to plan with",
        ok="{value} of the least that the catalog lists", source="cloud prices of the catalog, with dates",
        doc="The guide's 0.85 USD an hour for eight A100 is four times below any offer.",
    ),
)  # fmt: skip
