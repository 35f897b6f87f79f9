"""What the engine computes: figures, rules, findings, and the report that holds them.

A module of the engine (`vram`, `host`, `storage`, ...) has one function ``figures(c, done)``: it takes the
columns of a grid of builds (`ftbuild.engine.inputs.Columns`) and the figures computed so far, and returns
its own. Every array is of shape ``(n,)`` for n builds, or ``(1,)`` where all builds share the value, so
everything broadcasts. NaN means "cannot be computed", because a fact is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

Array = NDArray[np.float64]


class Severity(IntEnum):
    """How bad a finding is; a report's verdict is the worst of its findings."""

    OK = 0
    NOTICE = 1
    WARNING = 2
    VIOLATION = 3

    @property
    def word(self) -> str:
        """Return the word that screens and reports show."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """What a figure is, the same for every build."""

    id: str
    title: str
    kind: Kind
    formula: str
    """In words and symbols, with the names of the figure's `terms`."""
    source: str
    omits: str = ""
    """What the figure does not cover."""


@dataclass(slots=True, eq=False)
class Figure:
    """One computed quantity of every build of a grid; nobody changes it after it is made.

    Not frozen: that makes construction three times as slow, and a keystroke makes 140 of them.
    """

    spec: FigureSpec
    value: Array
    low: Array | None = None
    high: Array | None = None
    parts: Mapping[str, Array] = field(default_factory=dict)
    """What it is made of; in the figure's own unit, and they sum to `value` where `adds_up`."""
    terms: Mapping[str, tuple[Any, Kind]] = field(default_factory=dict)
    """Inputs of the formula by the name it uses, each with its kind: arrays, or text of one build."""
    adds_up: bool = True
    note: str = ""
    """What is special about this build: the winning phase, the bottleneck, the fact that is missing."""
    missing: bool = False
    """The figure is NaN for want of a fact, which `note` names."""


Figures = Mapping[str, Figure]
Sense = Literal["at_most", "at_least"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Compares one figure with one limit."""

    id: str
    title: str
    severity: Severity
    """Of a build that misses it."""
    figure: str
    """Id of the figure that is judged."""
    sense: Sense = "at_most"
    limit: float | str
    """The default threshold, in the figure's SI unit, or the id of the figure that is the limit.

    A build's own limit takes its place; beside a figure (a capacity) that no guide sets, the stricter counts.
    """
    warn: float | None = None
    """Share of the limit from which a build that meets it still gets a warning: "tight"."""
    when: Callable[[Columns, Figures], Any] | None = None
    """Where the rule applies (booleans); everywhere without it."""
    fields: tuple[str, ...]
    """Keys of the build to blame, the likeliest first."""
    message: str
    """For `str.format` with value, limit, margin and title, each written with its unit."""
    ok: str = ""
    """The same for a build that meets it; a plain sentence is made without it."""
    source: str
    doc: str
    """What the rule is for, in one or two sentences."""
    guide: bool = False
    """A threshold of the guide: missing it is a violation only where `need` is missed or unknown too, or
    where the build asks for the guide's profile; else a warning that says so."""
    need: str = ""
    """Id of the rule that holds the need computed for this workload, beside a guide rule."""


@dataclass(slots=True, eq=False)
class Judged:
    """What one rule says of every build of a grid; not frozen, as `Figure`."""

    rule: Rule
    level: NDArray[np.int8]
    """Of `Severity`; -1 where the rule does not apply."""
    value: Array
    limit: Array
    own: float | None = None
    """The build's own limit, SI, where [limits] sets one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says of one build."""

    rule: Rule
    severity: Severity
    value: float
    limit: float
    tight: bool = False
    """It meets the limit, by less than the rule wants."""
    softened: bool = False
    """A guide threshold is missed but the computed need is met."""
    unknown: bool = False
    """The figure cannot be computed."""

    @property
    def margin(self) -> float:
        """Return what is left below an upper limit or above a lower one; negative where it is missed."""
        return self.limit - self.value if self.rule.sense == "at_most" else self.value - self.limit


@dataclass(frozen=True, slots=True)
class Report:
    """All figures and findings of one build, or of a grid of them (`findings` is then of the first)."""

    figures: Figures
    judged: tuple[Judged, ...]
    findings: tuple[Finding, ...]
    """Of the build (of a grid's first), in the order of the rules."""
    missing: tuple[str, ...] = ()
    """Facts that the catalog lacks for this build, as sentences."""

    @property
    def verdict(self) -> Severity:
        """Return the worst severity; notices count as ok."""
        worst = max((finding.severity for finding in self.findings), default=Severity.OK)
        return worst if worst > Severity.NOTICE else Severity.OK

    def value(self, figure: str) -> float:
        """Return a figure of the build as a plain number; NaN where it cannot be computed."""
        return float(self.figures[figure].value.flat[0])
