"""From figures and rules to findings: every rule over every build of a grid at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ftbuild import units
from ftbuild.engine.core import Array, Figures, Finding, Judged, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.problems import BuildError, Problem, did_you_mean

PROFILE = "profile"
"""Key under ``[limits]`` that names how the guide's minima count: ``standard`` or ``guide``."""


def limits_of(c: Columns, rules: Sequence[Rule], figures: Figures) -> dict[str, float]:
    """Return the thresholds that the build sets itself, SI; raises `BuildError` for what is not a limit."""
    known = {rule.id: rule for rule in rules}
    set_here: dict[str, float] = {}
    for name, value in c.build.limits.items():
        if name == PROFILE:
            _check_profile(value)
            continue
        rule = known.get(name)
        if rule is None:
            expected = "the id of a rule" + did_you_mean(name, (*known, PROFILE))
            raise BuildError(
                [Problem(f"limits.{name}", name, expected, f"no such rule; expected {expected}")]
            )
        kind = figures[rule.figure].spec.kind
        try:
            set_here[name] = units.parse(value, kind)
        except units.UnitError as error:
            raise BuildError([Problem(f"limits.{name}", str(value), error.expected, str(error))]) from None
    return set_here


def judge(c: Columns, figures: Figures, rules: Sequence[Rule]) -> tuple[Judged, ...]:
    """Return what each rule says of each build of the chunk.

    A figure that cannot be computed gives level 0 with a NaN value: unknown is said, not guessed.
    """
    own = limits_of(c, rules, figures) if c.build.limits else {}
    strict = str(c.build.limits.get(PROFILE, "standard")).casefold() == "guide"
    judged: dict[str, Judged] = {}
    for rule in rules:
        value = figures[rule.figure].value
        limit = _limit(rule, own, figures)
        missed = value > limit if rule.sense == "at_most" else value < limit
        level = missed * int(rule.severity)
        if rule.guide and not strict:
            level = np.minimum(level, _softest(rule, judged))
        if rule.warn is not None:
            near = value > rule.warn * limit if rule.sense == "at_most" else value * rule.warn < limit
            level = np.maximum(level, near * int(Severity.WARNING))
        if rule.when is not None:
            level = np.where(rule.when(c, figures), level, -1)
        judged[rule.id] = Judged(rule, np.asarray(level, dtype=np.int8), value, limit)
    return tuple(judged.values())


def findings(c: Columns, judged: Sequence[Judged], at: int = 0) -> tuple[Finding, ...]:
    """Return the findings of one build, in the order of the rules; rules that do not apply are left out."""
    strict = str(c.build.limits.get(PROFILE, "standard")).casefold() == "guide"
    found = []
    for one in judged:
        level = int(_at(one.level, at))
        if level < 0:
            continue
        value, limit = float(_at(one.value, at)), float(_at(one.limit, at))
        missed = value > limit if one.rule.sense == "at_most" else value < limit
        found.append(
            Finding(
                one.rule,
                Severity(level),
                value,
                limit,
                tight=level > 0 and not missed,
                softened=missed and one.rule.guide and not strict and level < one.rule.severity,
                unknown=np.isnan(value) or np.isnan(limit),
            )
        )
    return tuple(found)


def _limit(rule: Rule, own: dict[str, float], figures: Figures) -> Array:
    if rule.id in own:
        return np.array([own[rule.id]])
    if isinstance(rule.limit, str):
        return figures[rule.limit].value
    return np.array([rule.limit])


def _softest(rule: Rule, judged: dict[str, Judged]) -> Array | np.int64:
    """Return the worst level a missed guide minimum may have: violation only where the need is missed too."""
    need = judged.get(rule.need)
    if need is None:
        return np.int64(Severity.WARNING)
    unmet = (need.level >= Severity.VIOLATION) | np.isnan(need.value) | np.isnan(need.limit)
    return np.where(unmet, int(Severity.VIOLATION), int(Severity.WARNING))


def _check_profile(value: object) -> None:
    if str(value).casefold() not in ("standard", "guide"):
        shown = str(value)
        raise BuildError(
            [
                Problem(
                    "limits.profile",
                    shown,
                    "standard or guide",
                    f"{shown!r} is not accepted; expected standard or guide",
                )
            ]
        )


def _at(values: Array | np.ndarray, at: int) -> float:
    return float(values[at] if values.shape[0] > 1 else values[0])
