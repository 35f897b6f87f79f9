"""Numbers and findings in words: one place for how a value, a range or a verdict is said."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ftbuild import units
from ftbuild.engine.core import Figure, Finding, Report, Severity
from ftbuild.units import Kind

GLYPHS = {Severity.OK: "+", Severity.NOTICE: "-", Severity.WARNING: "!", Severity.VIOLATION: "x"}
"""Beside each severity's word, so that a column of findings can be scanned."""

UNKNOWN = "unknown"
"""The state of a finding that cannot be judged."""
MOST_DIGITS = 6
MOST_FACTS = 4
"""Missing facts that a message names where it cannot tell which one is meant."""


def severity(finding: Finding) -> Severity:
    """Return how bad a finding is; one that cannot be computed is a notice, never ok."""
    return Severity.NOTICE if finding.unknown and finding.severity is Severity.OK else finding.severity


def telling(finding: Finding) -> bool:
    """Return whether a finding needs to be seen: not ok, and not a mere notice that cannot be judged."""
    if finding.unknown and finding.severity is Severity.OK:
        return finding.rule.severity > Severity.NOTICE
    return severity(finding) > Severity.OK


def state(finding: Finding) -> str:
    """Return the word for a finding's state."""
    return UNKNOWN if finding.unknown and finding.severity is Severity.OK else finding.severity.word


def pair(value: float, limit: float, kind: Kind) -> tuple[str, str]:
    """Write two values so that they read differently where they differ."""
    for digits in range(units.SPECS[kind].digits, MOST_DIGITS + 1):
        texts = units.show(value, kind, digits), units.show(limit, kind, digits)
        if value == limit or texts[0] != texts[1]:
            break
    return texts


def message(finding: Finding, report: Report) -> str:
    """Say in one sentence what a rule found, with this build's numbers."""
    rule = finding.rule
    figure = report.figures[rule.figure]
    kind = figure.spec.kind
    if finding.unknown:
        return f"{figure.spec.title} cannot be judged: {_unknown(finding, report)}"
    value, limit = pair(finding.value, finding.limit, kind)
    words = {
        "value": value,
        "limit": limit,
        "margin": units.show(abs(finding.margin), kind),
        "title": figure.spec.title,
        "note": figure.note,
    }
    missed = finding.margin < 0
    if missed:
        text = rule.message.format(**words)
        return f"{text} (a rule of thumb; what this workload needs is met)" if finding.softened else text
    text = (rule.ok or _plain(finding)).format(**words)
    return f"{text}, with little to spare" if finding.tight else text


def figure_range(figure: Figure, at: int = 0) -> str:
    """Write a figure's value, and its low and high where they are known and differ."""
    kind = figure.spec.kind
    value = one(figure.value, at)
    text = units.show(value, kind)
    if figure.low is None or figure.high is None:
        return text
    low, high = one(figure.low, at), one(figure.high, at)
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return text
    return f"{text} ({units.show(low, kind)} to {units.show(high, kind)})"


def counted(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Count findings by severity."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[severity(finding)] += 1
    return counts


def verdict_words(report: Report) -> str:
    """Say the verdict in a few words: ``2 violations, 3 warnings``."""
    counts = counted(report.findings)
    unknown = sum(finding.unknown and telling(finding) for finding in report.findings)
    parts = [
        f"{counts[level]} {level.word}{'s' if counts[level] != 1 else ''}"
        for level in (Severity.VIOLATION, Severity.WARNING)
        if counts[level]
    ]
    return ", ".join(parts or ["ok"]) + (f", {unknown} unknown" if unknown else "")


def _plain(finding: Finding) -> str:
    return (
        "{title} {value}, at most {limit}"
        if finding.rule.sense == "at_most"
        else "{title} {value}, at least {limit}"
    )


def _unknown(finding: Finding, report: Report) -> str:
    """Say which fact is missing: of the figure that is judged, of its limit, or of what they rest on."""
    names = [finding.rule.figure, *([finding.rule.limit] if isinstance(finding.rule.limit, str) else [])]
    area = finding.rule.figure.split(".")[0]
    near = [name for name in report.figures if name.split(".")[0] == area]
    for name in (*names, *near):
        if report.figures[name].missing:
            return report.figures[name].note
    facts = tuple(dict.fromkeys(report.missing))
    if facts:
        return facts[0] if len(facts) == 1 else f"it rests on one of: {'; '.join(facts[:MOST_FACTS])}"
    nameless = [name for name in names if math.isnan(one(report.figures[name].value))] or names
    return f"{report.figures[nameless[0]].spec.title.lower()} is not known"


def one(values: Any, at: int = 0) -> float:
    """Return the value of one build out of a figure's array (or of a plain number)."""
    array = np.ravel(values)
    return float(array[at if array.size > 1 else 0])
