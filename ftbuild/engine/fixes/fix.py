"""A fix: changes that were evaluated and clear a finding, with what else they move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ftbuild import units
from ftbuild.build import FIELDS, Build
from ftbuild.engine.core import FigureSpec, Report
from ftbuild.engine.fixes.site import Site
from ftbuild.engine.fixes.trials import Trial
from ftbuild.engine.inputs import PARTS
from ftbuild.schema import Number

UNPRICED = "cost.unknown"
"""Figure that counts parts without a price: sums over different parts are not compared."""
SHOWN = (
    "vram.per_gpu", "vram.usable", "ram.needed", "time.step", "time.total", "time.tokens_per_s",
    "power.node", "power.rack", "storage.read", "checkpoint.stall", "network.overhead", "cost.hardware",
    "cost.total",
)  # fmt: skip
"""Figures that are told where a fix moves them, beside those of the findings that it clears."""
DOUBT = 15
"""What a new warning, or a step time that is not known, counts beside what a move disturbs."""
SLOWER = 20
"""What a step that takes twice as long counts."""
MOVED = 0.002
"""Smallest relative change that is told."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One figure before and after."""

    spec: FigureSpec
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Fix:
    """Changes to a build that clear at least one finding and add no violation."""

    title: str
    changes: Mapping[str, str]
    """As typed in a file, by key."""
    moves: tuple[str, ...]
    """Ids of the moves that it is made of."""
    clears: tuple[str, ...]
    """Ids of the rules whose findings it clears, of those that were asked for."""
    warns: tuple[str, ...]
    """Ids of rules that it leaves with a new warning."""
    buys: bool
    """It needs parts that the rig does not have."""
    disturbs: int
    price: float
    """What the hardware costs more, USD; NaN where a price is not known."""
    slows: float
    """Time of a step after over before; NaN where it is not known."""
    moved: tuple[Moved, ...]
    build: Build = field(repr=False)
    report: Report = field(repr=False)

    @property
    def order(self) -> tuple[bool, float, float]:
        """Sort key: what is free first, then by price and by how much the run is disturbed and slowed."""
        price = 0.0 if not self.buys else math.inf if math.isnan(self.price) else max(self.price, 0.0)
        doubts = bool(self.warns) + math.isnan(self.slows)
        slower = 0.0 if math.isnan(self.slows) else SLOWER * math.log2(max(self.slows, 1.0))
        return self.buys, price, self.disturbs + slower + DOUBT * doubts


def fix(site: Site, trial: Trial, report: Report, clears: tuple[str, ...], warns: tuple[str, ...]) -> Fix:
    """Return what the trial's build, whose report this is, gives over the site's."""
    before, after = site.report, report
    price = _value(after, "cost.hardware") - _value(before, "cost.hardware")
    if _value(after, UNPRICED) != _value(before, UNPRICED):
        price = math.nan
    return Fix(
        title=title(site, trial),
        changes=trial.changes,
        moves=tuple(move.id for move in trial.moves),
        clears=clears,
        warns=warns,
        buys=trial.buys or price > 0,
        disturbs=trial.disturbs,
        price=price,
        slows=_value(after, "time.step") / (_value(before, "time.step") or math.nan),
        moved=tuple(_moved(before, after, clears, priced=not math.isnan(price))),
        build=trial.build,
        report=after,
    )


def title(site: Site, trial: Trial) -> str:
    """Say in a sentence what is done; parts by their names, numbers with their units."""
    shown = {key: _name(site, key, text) for key, text in trial.changes.items()}
    words = dict.fromkeys(("gradient_accumulation", "in_modules"), "")
    words |= {key.rsplit(".", 1)[-1]: text for key, text in shown.items()}
    words["parts"] = " and ".join(dict.fromkeys(shown[key] for key in shown if key in PARTS))
    if "ram_modules" in words:
        words["in_modules"] = f" in {words['ram_modules']} modules"
    said = [move.title.format(**words) for move in trial.moves]
    return "; ".join([said[0], *(one[:1].lower() + one[1:] for one in said[1:])])


def _name(site: Site, key: str, text: str) -> str:
    kind = PARTS.get(key)
    row = site.parts.get(kind, text) if kind else None
    if row is not None:
        return row.name
    described = FIELDS[key].described
    bare = text.replace(".", "", 1).isdigit()
    return units.show(float(text), described.kind) if isinstance(described, Number) and bare else text


def _moved(before: Report, after: Report, clears: tuple[str, ...], priced: bool) -> Iterator[Moved]:
    ids = [
        name
        for one in before.findings if one.rule.id in clears
        for name in (one.rule.figure, one.rule.limit) if isinstance(name, str)
    ]  # fmt: skip
    for name in dict.fromkeys((*ids, *SHOWN)):
        old, new = _value(before, name), _value(after, name)
        if (math.isnan(old) and math.isnan(new)) or (name.startswith("cost.") and not priced):
            continue
        if not abs(new - old) <= MOVED * max(abs(old), abs(new)):
            yield Moved(after.figures[name].spec, old, new)


def _value(report: Report, name: str) -> float:
    return report.value(name) if name in report.figures else math.nan
