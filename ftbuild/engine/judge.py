"""From figures and rules to findings: every rule over every build of a grid at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ftbuild import units
from ftbuild.engine.core import Array, Figures, Finding, Judged, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.problems import BuildError, Problem, did_you_mean
from ftbuild.units import Kind

PROFILE = "profile"
"""Key under ``[limits]`` that names how the guide's minima count: ``standard`` or ``guide``."""

NEVER = np.array([-1], dtype=np.int8)
"""The level of a rule that applies to no build."""
BELOW_ZERO = frozenset({Kind.TEMPERATURE})
"""Kinds of which a negative limit makes sense."""


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
            limit = units.parse(value, kind)
        except units.UnitError as error:
            raise BuildError([Problem(f"limits.{name}", str(value), error.expected, str(error))]) from None
        if limit < 0 and kind not in BELOW_ZERO:
            shown, expected = str(value), f"no less than 0, such as {units.example(kind)}"
            said = f"{shown!r} is negative, and {rule.title} never is; expected {expected}"
            raise BuildError([Problem(f"limits.{name}", shown, expected, said)])
        set_here[name] = limit
    return set_here


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns of the table of rules that comparing needs, one place a rule."""

    severity: Any
    upper: Any
    """True where the limit is an upper one."""
    warn: Any
    """Share of the limit where a warning starts; NaN where none does."""
    softened: tuple[tuple[int, int | None], ...]
    """Places of the guide's rules, each with the place of the rule that holds the computed need."""
    conditional: tuple[tuple[int, Any], ...]
    """Places of the rules that do not always apply, each with the question when it does."""
    rules: tuple[Rule, ...]


_TABLES: dict[int, _Table] = {}
"""By the identity of the tuple of rules, which the table holds on to: hashing a hundred rules takes longer
than judging them."""


def _table(rules: tuple[Rule, ...]) -> _Table:
    found = _TABLES.get(id(rules))
    if found is None:
        if len(_TABLES) > 8:  # tests make tables of their own
            _TABLES.clear()
        found = _TABLES[id(rules)] = _columns(rules)
    return found


def _columns(rules: tuple[Rule, ...]) -> _Table:
    place = {rule.id: at for at, rule in enumerate(rules)}
    return _Table(
        np.array([int(rule.severity) for rule in rules])[:, None],
        np.array([rule.sense == "at_most" for rule in rules])[:, None],
        np.array([np.nan if rule.warn is None else rule.warn for rule in rules])[:, None],
        tuple((at, place.get(rule.need)) for at, rule in enumerate(rules) if rule.guide),
        tuple((at, rule.when) for at, rule in enumerate(rules) if rule.when is not None),
        rules,
    )


def judge(c: Columns, figures: Figures, rules: Sequence[Rule]) -> tuple[Judged, ...]:
    """Return what each rule says of each build of the chunk.

    A figure that cannot be computed gives level 0 with a NaN value: unknown is said, not guessed. Rules
    whose value and limit all builds share are compared together, in one small array.
    """
    rules = tuple(rules)
    table = _table(rules)
    own = limits_of(c, rules, figures) if c.build.limits else {}
    values = [figures[rule.figure].value for rule in rules]
    limits = [_limit(rule, own, figures) for rule in rules]
    wide = [max(value.size, limit.size) > 1 for value, limit in zip(values, limits, strict=True)]
    levels: list[Any] = [None] * len(rules)
    for group in (
        [at for at, far in enumerate(wide) if not far],
        *([at] for at, far in enumerate(wide) if far),
    ):
        if group:
            found = _compare(table, group, [values[at] for at in group], [limits[at] for at in group])
            for at, level in zip(group, found, strict=True):
                levels[at] = level
    if not _as_written(c):
        for at, need in table.softened:
            levels[at] = np.minimum(levels[at], _softest(need, levels, values, limits))
    for at, applies in table.conditional:
        asked = applies(c, figures)
        if isinstance(asked, np.ndarray) and asked.size > 1:
            levels[at] = np.where(asked, levels[at], -1)
        elif not asked:
            levels[at] = NEVER
    mine = [own.get(rule.id) for rule in rules]
    return tuple(map(Judged, rules, levels, values, limits, mine))


def _as_written(c: Columns) -> bool:
    """Whether the build counts the guide's minima as the guide does."""
    return str(c.build.limits.get(PROFILE, "standard")).casefold() == "guide"


def _compare(table: _Table, group: list[int], values: list[Array], limits: list[Array]) -> Any:
    """Return the levels of some rules, before the guide's are softened: one row a rule."""
    value, limit = (
        columns[0][None] if len(group) == 1 else np.stack(columns) for columns in (values, limits)
    )
    upper, warn = table.upper[group], table.warn[group]
    # NaN compares false: what is not known is neither missed nor near.
    missed = np.where(upper, value > limit, value < limit)
    near = np.where(upper, value > warn * limit, value * warn < limit)
    return np.maximum(missed * table.severity[group], near * int(Severity.WARNING)).astype(np.int8)


def findings(c: Columns, judged: Sequence[Judged], at: int = 0) -> tuple[Finding, ...]:
    """Return the findings of one build, in the order of the rules; rules that do not apply are left out."""
    strict = _as_written(c)
    found = []
    for one in judged:
        level = int(_at(one.level, at))
        if level < 0:
            continue
        rule, value, limit = one.rule, _at(one.value, at), _at(one.limit, at)
        own = one.own is not None and one.own == limit
        if own:
            rule = _neutral(rule)
        missed = value > limit if rule.sense == "at_most" else value < limit
        found.append(
            Finding(
                rule,
                Severity(level),
                value,
                limit,
                tight=level > 0 and not missed,
                softened=missed and rule.guide and not own and not strict and level < rule.severity,
                unknown=math.isnan(value) or math.isnan(limit),
            )
        )
    return tuple(found)


@lru_cache(maxsize=256)
def _neutral(rule: Rule) -> Rule:
    """Return the rule in words that fit a limit of the build's own, which no guide or data sheet set."""
    away = "over" if rule.sense == "at_most" else "under"
    return replace(
        rule,
        message=f"{{title}}: {{value}}, {away} the {{limit}} set in [limits]",
        ok="{title}: {value}; [limits] sets {limit}",
    )


def _limit(rule: Rule, own: dict[str, float], figures: Figures) -> Array:
    """Return the limit that counts: a build's own, but never a looser one than a computed figure sets.

    What a card, a supply or a link takes is not the build's to raise; the guide's thresholds are.
    """
    if rule.id not in own:
        return figures[rule.limit].value if isinstance(rule.limit, str) else _constant(rule.limit)
    mine = np.array([own[rule.id]])
    if rule.guide or not isinstance(rule.limit, str):
        return mine
    stricter = np.fmin if rule.sense == "at_most" else np.fmax
    limit: Array = stricter(mine, figures[rule.limit].value)
    return limit


@lru_cache(maxsize=256)
def _constant(limit: float) -> Array:
    return np.array([limit], dtype=np.float64)


def _softest(need: int | None, levels: list[Any], values: list[Array], limits: list[Array]) -> Any:
    """Return the worst level a missed guide minimum may have: violation only where the need is missed too."""
    if need is None:
        return int(Severity.WARNING)
    unmet = (levels[need] >= int(Severity.VIOLATION)) | np.isnan(values[need]) | np.isnan(limits[need])
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


def _at(values: Any, at: int) -> float:
    return values.item(at if values.size > 1 else 0)  # type: ignore[no-any-return]  # arrays of numbers
