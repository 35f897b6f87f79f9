"""Moves together: pairs that clear what no single one does, and the way down when it takes more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from ftbuild.engine.core import Finding, Severity
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.fixes.moves import MOVES, Move
from ftbuild.engine.fixes.site import Site
from ftbuild.engine.fixes.trials import Said, Step, Trial, evaluate_all, singles, trials
from ftbuild.engine.rules import RULES

COMBINED = 120
"""Pairs that are evaluated together."""
POOL = 24
"""Trials that are combined with one another."""
DEEPEST = 5
"""Steps that are taken together at most."""
KEPT = 3
"""Combinations of one finding that are kept."""
PROGRESS = 0.01
"""Least share by which a move has to bring a figure nearer to its limit to be combined."""
LIKELY = 1.5
"""A pair whose moves, taken one by one, would come this near to the limit is tried before others."""
BROKEN = 1e6
"""What a broken rule counts on the way down: more than any miss."""
DRASTIC = 50
"""From here a move changes what is trained or where it is kept: milder combinations are looked for."""
LAST_RESORT = "sequence"
"""Move that is taken on the way down only when no other brings the figure nearer."""

PLACE = {rule.id: place for place, rule in enumerate(RULES)}


@dataclass(frozen=True, slots=True)
class Goal:
    """A finding to clear, and what the rules said before."""

    site: Site
    before: Said
    finding: Finding

    @property
    def place(self) -> int:
        """Row of the finding's rule."""
        return PLACE[self.finding.rule.id]

    def judge(self, tried: Sequence[Trial]) -> tuple[Any, Any, Any]:
        """Return where trials clear the finding and break nothing, where they warn, and what they leave.

        What they leave is how far the limit is missed, as a share of it; what breaks something leaves more.
        """
        said = evaluate_all(self.site, tried)
        warns, breaks = said.warns(self.before).any(axis=0), said.harms(self.before).any(axis=0)
        if self.finding.severity < Severity.VIOLATION:
            breaks |= warns
        excess = said.excess[self.place]
        left = np.where(np.isnan(excess), np.inf, excess) + BROKEN * breaks
        return said.cleared()[self.place] & ~breaks, warns, left

    def clean(self, tried: Sequence[Trial]) -> list[Trial]:
        """Return the mildest trials that clear the finding and break nothing, each set of moves once."""
        if not tried:
            return []
        clean, warns, _ = self.judge(tried)
        found = mildest(tried, [int(at) for at in np.flatnonzero(clean)], warns)
        return sorted(found, key=lambda one: (one.buys, sum(move.disturbs for move in one.moves)))


def helps(move: Move, rule_id: str) -> bool:
    """Return whether a move may clear the finding of a rule."""
    return rule_id.startswith(move.helps)


def mildest(tried: Sequence[Trial], places: Iterable[int], warns: Any) -> list[Trial]:
    """Return one trial for each set of moves: its first without a new warning, else its first."""
    best: dict[tuple[Move, ...], int] = {}
    for at in places:
        name = tried[at].moves
        if name not in best or (warns[best[name]] and not warns[at]):
            best[name] = at
    return [tried[at] for at in best.values()]


def combined(goal: Goal, short: Sequence[tuple[Trial, float]], mild: bool) -> list[Trial]:
    """Return combinations that clear a finding: pairs, else as many steps as it takes.

    `short` are single trials that do not clear it, with what they leave; only mild moves where `mild`,
    because something else clears it already.
    """
    grave = goal.finding.severity >= Severity.VIOLATION
    found = goal.clean(_pairs(goal, [part for part in short if is_mild(part[0])]))[:KEPT]
    if not found and grave:
        found = _first_down(goal, short, (is_mild,))
    if not mild:
        found += goal.clean(_pairs(goal, short))[: KEPT - len(found)]
    if not found and not mild and grave:
        found = _first_down(goal, short, (_is_free_here, _is_free, _is_any))
        if found and not any(_keeps_training(one) for one in found):
            found += _first_down(goal, short, (_keeps_training,))
    return found


def _first_down(
    goal: Goal, short: Sequence[tuple[Trial, float]], ways: Iterable[Callable[[Trial], bool]]
) -> list[Trial]:
    """Return the way down that takes the first kind of moves that suffice."""
    for way in ways:
        down = _down(goal, list(dict.fromkeys(one.moves[0] for one, _ in short if way(one))))
        if down is not None:
            return [_relaxed(goal, down)]
    return []


def is_mild(one: Trial) -> bool:
    """Return whether a trial is free and leaves the run what it is, where it is."""
    return not one.buys and one.disturbs < DRASTIC


def _is_free_here(one: Trial) -> bool:
    return not one.buys and all(move.id != "offload" for move in one.moves)


def _is_free(one: Trial) -> bool:
    return not one.buys


def _keeps_training(one: Trial) -> bool:
    """Return whether a trial leaves what is trained and on what, whatever has to be bought for it."""
    return all(move.buys or move.disturbs <= DRASTIC for move in one.moves)


def _is_any(one: Trial) -> bool:
    return bool(one.steps)


def mended(goal: Goal, blocked: Trial, broken: Sequence[str]) -> list[Trial]:
    """Return the trial together with a second move that mends the rules that it broke."""
    site = goal.site
    there = Site(blocked.build, site.catalog, site.parts, evaluate(blocked.build, site.catalog, site.folder),
                 site.folder)  # fmt: skip
    moves = [
        move for move in MOVES if move not in blocked.moves and any(helps(move, rule) for rule in broken)
    ]
    both = trials(site, (
        (*blocked.steps, *second.steps)
        for second in singles(there, moves) if not set(second.changes) & set(blocked.changes)
    ))  # fmt: skip
    return goal.clean(both)[:1]


def _pairs(goal: Goal, short: Sequence[tuple[Trial, float]]) -> list[Trial]:
    """Return pairs of moves that change different keys, the likeliest and mildest first.

    If moves worked independently, a pair would leave the product of what each leaves.
    """
    now = max(1 + float(goal.before.excess[goal.place, 0]), 1e-9)
    pool: dict[Move, list[tuple[float, Trial]]] = {}
    for one, miss in short:
        left = max(1 + miss, 0.0) / now
        if left < 1 - PROGRESS:
            pool.setdefault(one.moves[0], []).append((left, one))
    ends = [part for some in pool.values() for part in (some[0], min(some, key=lambda part: part[0]))]
    parts = sorted({id(one): (left, one) for left, one in ends}.values(), key=lambda part: part[1].disturbs)
    scored = []
    for some in combinations(parts[:POOL], 2):
        first, second = (one for _, one in some)
        if first.moves != second.moves and not set(first.changes) & set(second.changes):
            unlikely = prod(left for left, _ in some) * now > LIKELY
            scored.append((unlikely, first.disturbs + second.disturbs, (*first.steps, *second.steps)))
    return trials(goal.site, (steps for _, _, steps in sorted(scored, key=lambda row: row[:2])[:COMBINED]))


def _down(goal: Goal, moves: Sequence[Move]) -> Trial | None:
    """Return the steps that bring the figure below its limit, the one that does most at each turn."""
    state: Trial | None = None
    for _ in range(DEEPEST):
        done = state.steps if state else ()
        there = goal.site if state is None else Site(
            state.build, goal.site.catalog, goal.site.parts, goal.site.report, goal.site.folder
        )  # fmt: skip
        other = [move for move in moves if move not in (step.move for step in done)]
        tried = trials(goal.site, ((*done, *one.steps) for one in singles(there, other)))
        if not tried:
            return None
        clean, warns, left = goal.judge(tried)
        found = mildest(tried, [int(at) for at in np.flatnonzero(clean)], warns)
        if found:
            return min(found, key=lambda one: (one.buys, one.disturbs))
        late = np.array([one.moves[-1].id == LAST_RESORT or one.buys for one in tried])
        state = tried[int(np.argmin(left + BROKEN * late))]
    return None


def _relaxed(goal: Goal, down: Trial) -> Trial:
    """Return the trial without the steps that it does not need, and with the mildest of each that it does."""
    for _ in range(DEEPEST):
        milder = []
        for at, step in enumerate(down.steps):
            rest = (*down.steps[:at], *down.steps[at + 1 :])
            if rest:
                milder.append(rest)
            tries = [Step(step.move, changes) for changes in step.move.tries(goal.site)]
            earlier = [one for one in tries if one.changes.keys() == step.changes.keys()]
            place = earlier.index(step) if step in earlier else 0
            milder += [(*down.steps[:at], one, *down.steps[at + 1 :]) for one in earlier[:place]]
        tried = trials(goal.site, milder)
        if not tried:
            return down
        clean, warns, _ = goal.judge(tried)
        good = [tried[int(at)] for at in np.flatnonzero(clean & (~warns | warns.all()))]
        if not good:
            return down
        down = min(good, key=lambda one: (len(one.steps), sum(move.disturbs for move in one.moves)))
    return down
