"""Which moves, alone or together, clear a finding without a new violation; each is proved by evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ftbuild.build import Build
from ftbuild.catalog import Catalog
from ftbuild.engine.core import Finding, Severity
from ftbuild.engine.evaluate import columns, evaluate
from ftbuild.engine.fixes.combine import PLACE, Goal, combined, helps, is_mild, mended, mildest
from ftbuild.engine.fixes.fix import Fix, fix
from ftbuild.engine.fixes.moves import MOVES
from ftbuild.engine.fixes.site import Site
from ftbuild.engine.fixes.trials import Said, Trial, evaluate_all, said_of_report, singles
from ftbuild.engine.rules import BY_ID, RULES
from ftbuild.problems import BuildError, Problem, did_you_mean, plain

MOST = 12
"""Fixes that are proved and returned, over all findings."""
LEAST = 3
"""Fixes of one finding, however many findings there are."""
ENOUGH = 2
"""Single moves that clear a violation and make combinations needless, if one of them is mild."""
BLOCKED = 2
"""Moves that clear a finding but break something, for which a second move is looked for."""


def fixes(
    build: Build, catalog: Catalog, rule_id: str | None = None, folder: Path | None = None, most: int = MOST
) -> tuple[Fix, ...]:
    """Return changes that clear the build's violations and warnings, the cheapest and mildest first.

    Each was evaluated as a build of its own: its finding is met, and no rule is violated or unknown that was
    not before. With `rule_id`, those that clear this rule's finding. Raises `BuildError` for no such rule.
    """
    if rule_id is not None and rule_id not in BY_ID:
        expected = "the id of a rule" + did_you_mean(plain(rule_id), BY_ID)
        message = f"no rule {plain(rule_id)!r}; expected {expected}"
        raise BuildError([Problem("", plain(rule_id), expected, message)])
    report = evaluate(build, catalog, folder)
    wrong = [one for one in report.findings if one.severity >= Severity.WARNING]
    wrong = [one for one in wrong if rule_id is None or one.rule.id == rule_id]
    wrong.sort(key=lambda one: -one.severity)
    if not wrong:
        return ()
    site = Site(build, catalog, columns(build, catalog, (), folder).catalog, report, folder)
    before = said_of_report(report)
    quota = max(LEAST, most // len(wrong))
    picked: dict[str, Trial] = {}
    tried = singles(site, [move for move in MOVES if any(helps(move, one.rule.id) for one in wrong)])
    if not tried:
        return ()
    said = evaluate_all(site, tried)
    for one in wrong:
        for found in _found(site, before, one, tried, said, quota):
            picked.setdefault(repr(sorted(found.changes.items())), found)
    proved = _telling(list(_proved(site, before, wrong, picked.values())))
    return tuple(sorted(proved, key=lambda one: one.order))


def _found(
    site: Site, before: Said, finding: Finding, tried: Sequence[Trial], said: Said, quota: int
) -> list[Trial]:
    """Return the mildest trials that clear one finding: single moves, else combinations."""
    place, grave = PLACE[finding.rule.id], finding.severity >= Severity.VIOLATION
    ours = [at for at, one in enumerate(tried) if helps(one.moves[0], finding.rule.id)]
    clears, warns = said.cleared()[place], said.warns(before)
    harms = said.harms(before) if grave else said.harms(before) | warns
    clean, warned = clears & ~harms.any(axis=0), warns.any(axis=0)
    found = mildest(tried, [at for at in ours if clean[at]], warned)
    goal = Goal(site, before, finding)
    if not found or (grave and (len(found) < ENOUGH or not any(is_mild(one) for one in found))):
        short = [(tried[at], float(said.excess[place, at])) for at in ours if not clears[at]]
        found += combined(goal, short, bool(found))
    if len(found) < LEAST - 1:
        blocked = [at for at in ours if clears[at] and not clean[at]]
        left = [one for one in mildest(tried, blocked, warned) if one.moves not in {f.moves for f in found}]
        for one in sorted(left, key=lambda one: one.disturbs)[:BLOCKED]:
            broken = np.flatnonzero(harms[:, tried.index(one)])
            found += mended(goal, one, [RULES[at].id for at in broken])
    return sorted(found, key=lambda one: (one.buys, one.disturbs))[:quota]


def _proved(site: Site, before: Said, wrong: Sequence[Finding], picked: Iterable[Trial]) -> Iterator[Fix]:
    """Evaluate each trial's build by itself; yield those that clear a finding and add no violation."""
    for one in picked:
        report = evaluate(one.build, site.catalog, site.folder)
        said = said_of_report(report)
        cleared = said.cleared()[:, 0]
        clears = tuple(each.rule.id for each in wrong if cleared[PLACE[each.rule.id]])
        if clears and not said.harms(before).any():
            new = said.warns(before)[:, 0]
            yield fix(site, one, report, clears, tuple(r.id for r in RULES if new[PLACE[r.id]]))


def _telling(found: Sequence[Fix]) -> list[Fix]:
    """Leave out a fix of warnings alone that another one of the same keys clears as well."""
    return [
        one for one in found
        if any(BY_ID[name].severity >= Severity.VIOLATION for name in one.clears)
        or not any(set(one.clears) < set(other.clears) and one.changes.keys() == other.changes.keys()
                   for other in found)
    ]  # fmt: skip
