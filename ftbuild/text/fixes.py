"""Fixes as lines and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ftbuild import build as builds
from ftbuild import units
from ftbuild.build import FIELDS, Build
from ftbuild.engine.core import Finding, Report, Severity
from ftbuild.engine.fixes import Fix, Moved
from ftbuild.problems import plain
from ftbuild.text.document import finding_document, number, unicode
from ftbuild.text.lines import ranked
from ftbuild.text.wording import GLYPHS, message, pair, severity, state

SHOWN = 5
"""Figures that a line of a fix tells."""


def fixes_lines(report: Report, build: Build, found: Sequence[Fix], rule_id: str | None = None) -> list[str]:
    """Return what is wrong with a build, each finding with the numbers of its fixes, then the fixes."""
    lines = []
    for finding in wrong(report, rule_id):
        numbers = [str(at) for at, one in enumerate(found, 1) if finding.rule.id in one.clears]
        fixed = f"fix {', '.join(numbers)}" if numbers else "no change of the build was found to clear it"
        lines.append(f"{GLYPHS[severity(finding)]} {state(finding):<9} {finding.rule.id:<24} "
                     f"{message(finding, report)} [{fixed}]")  # fmt: skip
    for at, one in enumerate(found, 1):
        lines += ["", *fix_lines(one, build, at)]
    return lines


def fix_lines(fix: Fix, build: Build, at: int) -> list[str]:
    """Return the lines of one fix of `build`: what is done, what it clears and costs, and the keys."""
    lines = [f"{at:>2}  {plain(fix.title, 400)}", f"    clears {', '.join(fix.clears)}{_price(fix)}"]
    if fix.warns:
        lines.append(f"    leaves a warning: {', '.join(fix.warns)}")
    if fix.moved:
        lines.append("    " + ", ".join(moved_words(one) for one in fix.moved[:SHOWN]))
    lines += [f"    {key}: {before} -> {after}" for key, before, after in changed_words(fix, build)]
    return lines


def moved_words(moved: Moved) -> str:
    """Say a figure before and after."""
    before, after = pair(moved.before, moved.after, moved.spec.kind)
    return f"{moved.spec.title} {before} -> {after}"


def changed_words(fix: Fix, build: Build) -> Iterator[tuple[str, str, str]]:
    """Yield each changed key with its value before and after."""
    for key in fix.changes:
        before, after = (builds.get(one, key) for one in (build, fix.build))
        if before != after:
            yield key, _value(key, before), _value(key, after)


def wrong(report: Report, rule_id: str | None = None) -> list[Finding]:
    """Return the violations and warnings, the worst first; of one rule where it is named."""
    return [
        one for one in ranked(report)
        if one.severity >= Severity.WARNING and (rule_id is None or one.rule.id == rule_id)
    ]  # fmt: skip


def fixes_document(
    report: Report, build: Build, file: str, found: Sequence[Fix], rule_id: str | None = None
) -> dict[str, Any]:
    """Return the fixes of one build as a JSON document, plain SI numbers."""
    return {
        "schema": 1,
        "file": unicode(file),
        "build": build.name,
        "verdict": report.verdict.word,
        "findings": [finding_document(one, report) for one in wrong(report, rule_id)],
        "fixes": [_document(one, at) for at, one in enumerate(found, 1)],
    }


def _document(fix: Fix, at: int) -> dict[str, Any]:
    return {
        "number": at,
        "title": fix.title,
        "changes": dict(fix.changes),
        "clears": list(fix.clears),
        "warns": list(fix.warns),
        "buys": fix.buys,
        "disturbs": fix.disturbs,
        "price": number(fix.price),
        "slows": number(fix.slows),
        "verdict": fix.report.verdict.word,
        "figures": {
            one.spec.id: {
                "unit": units.symbol(one.spec.kind), "before": number(one.before), "after": number(one.after)
            }
            for one in fix.moved
        },
    }  # fmt: skip


def _price(fix: Fix) -> str:
    if not fix.buys:
        return "; nothing to buy"
    if fix.price > 0:
        return f"; parts for {units.show(fix.price, units.Kind.MONEY)} more"
    return "; needs parts, at a price that is not known"


def _value(key: str, value: Any) -> str:
    if value is None:
        return "not stated"
    kind = getattr(FIELDS[key].described, "kind", None)
    if kind is not None:
        return str(units.write(value, kind))
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(", ".join(value) if isinstance(value, tuple) else value)
