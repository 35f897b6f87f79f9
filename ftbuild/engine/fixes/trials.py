"""Proposed changes as builds, and what the rules say of many of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild import build as builds
from ftbuild.build import Build
from ftbuild.engine.core import Judged, Report, Severity
from ftbuild.engine.evaluate import figures_of
from ftbuild.engine.fixes.moves import Move
from ftbuild.engine.fixes.site import Site
from ftbuild.engine.inputs import Columns
from ftbuild.engine.judge import judge
from ftbuild.engine.rules import RULES
from ftbuild.problems import BuildError

GRAVE = np.array([[rule.severity >= Severity.VIOLATION] for rule in RULES])
"""Rules whose finding is a violation."""
SENSE = np.array([[1.0 if rule.sense == "at_most" else -1.0] for rule in RULES])
"""1 where more than the limit misses it, -1 where less does."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move with one of its proposals."""

    move: Move
    changes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """One or more steps, and the build that they give."""

    steps: tuple[Step, ...]
    build: Build

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of its steps."""
        return tuple(step.move for step in self.steps)

    @property
    def changes(self) -> Mapping[str, str]:
        """The changes of its steps, later ones over earlier ones."""
        return {key: text for step in self.steps for key, text in step.changes.items()}

    @property
    def disturbs(self) -> int:
        """How much it disturbs: the worst of its moves, and one more for each further move."""
        return max(move.disturbs for move in self.moves) + len(self.steps) - 1

    @property
    def buys(self) -> bool:
        """Whether it needs parts that the rig does not have."""
        return any(move.buys for move in self.moves)


def trial(site: Site, steps: Sequence[Step]) -> Trial | None:
    """Return the changed build, or None where it would not be one, or the same one."""
    try:
        build = builds.changed(
            site.build, {key: text for step in steps for key, text in step.changes.items()}
        )
    except BuildError:
        return None
    return None if build == site.build else Trial(tuple(steps), build)


def singles(site: Site, moves: Iterable[Move]) -> list[Trial]:
    """Return every proposal of the moves, in their order."""
    return trials(site, ((Step(move, changes),) for move in moves for changes in move.tries(site)))


def trials(site: Site, some: Iterable[Sequence[Step]]) -> list[Trial]:
    """Return the builds that lists of steps give, without those that are none."""
    return [one for one in (trial(site, steps) for steps in some) if one is not None]


@dataclass(frozen=True, slots=True)
class Said:
    """What the rules say of n builds: rows are rules, columns are builds."""

    level: Any
    """Of `Severity`, -1 where a rule does not apply; shape (rules, n)."""
    known: Any
    """Value and limit are numbers; shape (rules, n)."""
    excess: Any
    """How far the limit is missed, as a share of it; negative where it is met; shape (rules, n)."""

    @staticmethod
    def of(judged: Sequence[Judged], count: int) -> Said:
        """Gather what was judged; one build's answer is the same for all where it does not vary."""
        level = np.empty((len(judged), count), dtype=np.int8)
        value, limit = np.empty(level.shape), np.empty(level.shape)
        for row, one in enumerate(judged):
            level[row], value[row], limit[row] = one.level, one.value, one.limit
        with np.errstate(invalid="ignore"):
            excess = SENSE * (value - limit) / np.maximum(np.abs(limit), 1e-12)
        return Said(level, ~(np.isnan(value) | np.isnan(limit)), excess)

    def cleared(self) -> Any:
        """Return where a rule is met, or does not apply, by figures that are known."""
        return self.known & (self.level <= Severity.NOTICE)

    def blind(self) -> Any:
        """Return where a rule applies and cannot be judged."""
        return ~self.known & (self.level >= 0)

    def harms(self, before: Said) -> Any:
        """Return the rules that are violated now and were not, or that cannot be judged any more.

        Of rules that only warn, those alone that said something before: what they would say is no violation.
        """
        violated = (self.level >= Severity.VIOLATION) & (before.level < Severity.VIOLATION)
        return violated | (self.blind() & ~before.blind() & (GRAVE | (before.level >= Severity.WARNING)))

    def warns(self, before: Said) -> Any:
        """Return the rules that warn now and were content before."""
        return (self.level == Severity.WARNING) & (before.level < Severity.WARNING)


def said_of_report(report: Report) -> Said:
    """Return what the rules say of one build."""
    return Said.of(report.judged, 1)


def evaluate_all(site: Site, trials: Sequence[Trial]) -> Said:
    """Evaluate the trials' builds together, with every formula and rule of the verdict."""
    keys = list(dict.fromkeys(key for one in trials for key in one.changes))
    c = Columns.of([one.build for one in trials], keys, site.parts, site.folder)
    return Said.of(judge(c, figures_of(c), RULES), len(trials))
