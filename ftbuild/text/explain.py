"""Why a figure or a finding is what it is: the formula with this build's numbers, source, limits, parts."""

from __future__ import annotations

import math
import re

from ftbuild import units
from ftbuild.engine.core import Figure, Finding, Report, Rule
from ftbuild.engine.rules import BY_ID
from ftbuild.problems import BuildError, Problem, did_you_mean, plain
from ftbuild.text import wording
from ftbuild.text.lines import part_texts
from ftbuild.text.wording import figure_range, one, state
from ftbuild.units import Kind

_WORDS = {"at_most": "at most", "at_least": "at least"}


def explain_lines(report: Report, name: str) -> list[str]:
    """Explain the figure or rule called `name`; raises `BuildError` for another name."""
    if name in report.figures:
        return figure_explained(report.figures[name])
    if name in BY_ID:
        return rule_explained(BY_ID[name], report)
    known = (*report.figures, *BY_ID)
    expected = "the id of a figure or rule" + did_you_mean(plain(name), known)
    message = f"no figure or rule {plain(name)!r}; expected {expected}"
    raise BuildError([Problem("", plain(name), expected, message)])


def rule_list() -> list[str]:
    """Return every rule: id, title, what it is for, its source."""
    return [
        line
        for rule in BY_ID.values()
        for line in (
            f"{rule.id:<28} {rule.title} ({rule.severity.word})",
            f"    {rule.doc}",
            f"    {rule.source}",
        )
    ]


def figure_list(report: Report) -> list[str]:
    """Return every figure: id, title, value in this build, formula."""
    return [
        line
        for figure in report.figures.values()
        for line in (
            f"{figure.spec.id:<28} {figure.spec.title}: {figure_range(figure)}",
            f"    = {figure.spec.formula}",
        )
    ]


def figure_explained(figure: Figure) -> list[str]:
    """Return the lines on one figure."""
    spec = figure.spec
    lines = [
        f"{spec.id}  {spec.title}: {figure_range(figure)}",
        "",
        f"formula   {spec.title} = {spec.formula}",
    ]
    written = with_numbers(figure)
    if written:
        lines.append(f"          = {written}")
    lines += [f"          {term} = {text}" for term, text in term_texts(figure)]
    parts = part_texts(figure)
    if parts:
        lines += ["", "made of" if figure.adds_up else "beside it"]
        lines += [f"  {part:<24} {text}{_share(figure, part)}" for part, text in parts]
    if spec.kind is Kind.MEMORY and math.isfinite(one(figure.value)):
        lines += ["", f"in decimal units {units.show(one(figure.value), Kind.STORAGE)}"]
    lines += ["", f"source    {spec.source}"]
    if spec.omits:
        lines.append(f"omits     {spec.omits}")
    if figure.note:
        lines.append(f"note      {plain(figure.note, 400)}")
    return lines


def rule_explained(rule: Rule, report: Report) -> list[str]:
    """Return the lines on one rule: what it says of this build, why, from where, and its figure."""
    finding = next((found for found in report.findings if found.rule.id == rule.id), None)
    figure = report.figures[rule.figure]
    says = (
        f"{state(finding)}: {wording.message(finding, report)}" if finding else "does not apply to this build"
    )
    lines = [f"{rule.id}  {rule.title}", says, "", rule.doc]
    limit = _limit(rule, finding, report)
    lines.append(f"limit     {_WORDS[rule.sense]} {limit}; missing it is a {rule.severity.word}")
    if rule.guide:
        lines.append(_guide(rule))
    lines += [
        f"look at   {', '.join(rule.fields)}",
        f"source    {rule.source}",
        "",
        *figure_explained(figure),
    ]
    if isinstance(rule.limit, str):
        lines += ["", *figure_explained(report.figures[rule.limit])]
    return lines


def term_texts(figure: Figure) -> list[tuple[str, str]]:
    """Return the inputs of a figure's formula, each with its value in words."""
    return [(term, _text(value, kind)) for term, (value, kind) in figure.terms.items()]


def with_numbers(figure: Figure) -> str:
    """Return the formula with this build's numbers in place of the names; nothing where none occurs."""
    texts = dict(term_texts(figure))
    if not texts:
        return ""
    names = "|".join(re.escape(name) for name in sorted(texts, key=len, reverse=True))
    named = re.compile(rf"(?<!\w)(?:{names})(?![\w'])")
    written = named.sub(lambda match: texts[match.group()], figure.spec.formula)
    return written if written != figure.spec.formula else ""


def _text(value: object, kind: Kind) -> str:
    return plain(value) if isinstance(value, str) else units.show(one(value), kind)


def _share(figure: Figure, part: str) -> str:
    whole, value = one(figure.value), one(figure.parts[part])
    if not figure.adds_up or not math.isfinite(whole) or whole == 0 or not math.isfinite(value):
        return ""
    return f"  {units.show(value / whole, Kind.SHARE)}"


def _limit(rule: Rule, finding: Finding | None, report: Report) -> str:
    kind = report.figures[rule.figure].spec.kind
    where = f" ({rule.limit})" if isinstance(rule.limit, str) else ""
    if finding:
        value = finding.limit
    else:
        value = one(report.figures[rule.limit].value) if isinstance(rule.limit, str) else rule.limit
    own = "" if where or finding is None or finding.limit == rule.limit else ", set in [limits]"
    return units.show(value, kind) + where + own


def _guide(rule: Rule) -> str:
    need = f" ({rule.need})" if rule.need else ""
    return (
        f"guide     a rule of thumb: missed, it is a violation only where the computed need{need} is missed "
        'or unknown too; [limits] profile = "guide" counts it as written'
    )
