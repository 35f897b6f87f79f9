"""A report as styled lines. Loads the engine, so it is imported after the first paint."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import set_cell_size
from textual.content import Content

from ftbuild import units
from ftbuild.engine.core import Finding, Report, Severity
from ftbuild.engine.rules import RULES
from ftbuild.text import message, severity, verdict_words
from ftbuild.text.lines import AREAS
from ftbuild.text.wording import GLYPHS, one, pair, state
from ftbuild.tui.lines import Entry

STYLES = {
    Severity.OK: "$text-success",
    Severity.NOTICE: "$text-primary",
    Severity.WARNING: "$text-warning bold",
    Severity.VIOLATION: "$text-error bold",
}
MUTED = "$foreground 60%"
BAR = "vram.per_gpu"
GIB = 2.0**30
MORE = len("  99 more")
SHORT = {"checkpoint": "ckpt", "storage": "disk", "network": "net"}
"""Names of areas where there is little room."""
TITLE_WIDTH, VALUE_WIDTH, LIMIT_WIDTH = 12, 11, 13


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure that has its line in the verdict."""

    title: str
    figure: str
    also: Mapping[str, str] = field(default_factory=dict)
    """Rules on other figures that belong to the line too, each with the word for their finding."""
    floor: bool = False
    """The figure is a sum of the parts with a known price: at least that, where some have none."""


FIGURES: tuple[Shown, ...] = (
    Shown("VRAM / GPU", BAR, {"vram.comfortable": "tight"}),
    Shown("RAM", "ram.needed", {"ram.comfortable": "tight"}),
    Shown("RAM / VRAM", "ram.ratio"),
    Shown("CPU cores", "cpu.cores"),
    Shown("Data read", "storage.read"),
    Shown("Random read", "storage.random_read"),
    Shown("Checkpoint", "checkpoint.size"),
    Shown("Ckpt stall", "checkpoint.stall"),
    Shown("Network", "network.overhead"),
    Shown("Node power", "power.node"),
    Shown("Rack power", "power.rack"),
    Shown("Circuit", "power.circuit"),
    Shown("Heat", "heat.btu_per_h"),
    Shown("Step", "time.step"),
    Shown("Run", "time.total"),
    Shown("Tokens / s", "time.tokens_per_s"),
    Shown("Hardware", "cost.hardware", floor=True),
    Shown("Power cost", "cost.power_cooling"),
    Shown("Total cost", "cost.total", floor=True),
)


def verdict_entries(report: Report, width: int, plain: bool) -> list[Entry]:
    """Return the lines of the verdict: a figure each, with what the worst rule on it says."""
    entries = []
    for shown in FIGURES:
        if shown.figure not in report.figures:
            continue
        content = figure_line(report, shown)
        if shown.figure == BAR:
            content = Content("\n").join([content, bar(report, width, plain), _parts(report, BAR, width)])
        entries.append(Entry(shown.figure, content))
    return entries


def figure_line(report: Report, shown: Shown) -> Content:
    """Return one figure: title, value, limit, state."""
    figure = report.figures[shown.figure]
    finding = worst(report, shown.figure)
    value = one(figure.value)
    title = set_cell_size(shown.title, TITLE_WIDTH)
    floor = shown.floor and math.isfinite(value) and _unpriced(report)
    if finding is None or finding.unknown:
        text = ("at least " if floor else "") + units.show(value, figure.spec.kind)
        return Content.assemble(title, (text, "bold" if math.isfinite(value) else MUTED))
    judged = worst_of(report, shown) or finding
    level = severity(judged)
    word = state(judged) if judged is finding else shown.also[judged.rule.id]
    said = (f"{GLYPHS[level]} {word}", STYLES[level])
    text, limit = pair(value, finding.limit, figure.spec.kind)
    if floor:
        text = f"at least {text} "
        if level is Severity.OK:
            said = ("? not all priced", MUTED)
    sign = "<=" if finding.rule.sense == "at_most" else ">="
    bound = set_cell_size(f"{sign} {limit}", LIMIT_WIDTH)
    return Content.assemble(
        title,
        (set_cell_size(text, max(VALUE_WIDTH, len(text) if floor else 0)), "bold"),
        (bound, MUTED),
        said,
    )


def _unpriced(report: Report) -> bool:
    """Return whether parts of the build have no known price."""
    unknown = report.figures.get("cost.unknown")
    return unknown is not None and one(unknown.value) > 0


def worst_of(report: Report, shown: Shown) -> Finding | None:
    """Return the worst finding that belongs to a line: on its figure, or of the rules beside it."""
    beside = [
        finding
        for finding in report.findings
        if finding.rule.id in shown.also and not finding.unknown and severity(finding) > Severity.OK
    ]
    own = worst(report, shown.figure)
    return max([own, *beside] if own is not None else beside, key=severity, default=None)


def worst(report: Report, figure: str) -> Finding | None:
    """Return the worst finding on a figure; of equals the first."""
    found = [finding for finding in report.findings if finding.rule.figure == figure]
    return max(found, key=severity, default=None)


def bar(report: Report, width: int, plain: bool) -> Content:
    """Return how much of the card is filled."""
    used, room = one(report.figures[BAR].value), float("nan")
    finding = worst(report, BAR)
    if finding is not None:
        room = finding.limit
    if not (math.isfinite(used) and math.isfinite(room) and room > 0):
        return Content.styled("unknown", MUTED)
    share = used / room
    cells = max(width - 6, 10)
    full = min(round(share * cells), cells)
    mark, rest = ("#", ".") if plain else ("\u2588", "\u2591")
    judged = worst_of(report, FIGURES[0])
    level = severity(judged) if judged is not None else Severity.OK
    return Content.assemble(
        (mark * full, STYLES[level]), (rest * (cells - full), MUTED), f"{min(share, 99.99):5.0%}"
    )


def _parts(report: Report, figure: str, width: int) -> Content:
    """Return what a figure is made of, the largest first, in GiB: always two lines, so that nothing moves."""
    parts = {name: one(value) for name, value in report.figures[figure].parts.items()}
    ranked = sorted(parts.items(), key=lambda part: -part[1])
    words = [f"{name} {units.significant(size / GIB, 2)}" for name, size in ranked if size > 0.005 * GIB]
    lines = textwrap.wrap("  ".join(words), max(width, 10))[:2]
    return Content.styled("\n".join([*lines, "", ""][:2]), MUTED)


def headline(report: Report) -> Content:
    """Return the verdict in a few words."""
    level = report.verdict
    return Content.styled(f"{GLYPHS[level]} {verdict_words(report)}", STYLES[level])


def strip_lines(report: Report, width: int, visited: str = "") -> tuple[Content, Content]:
    """Return the two lines of a narrow screen: the state of each area, the finding visited or the worst."""
    memory = report.figures[BAR]
    finding = worst(report, BAR)
    room = f"/{units.show(finding.limit, memory.spec.kind)}" if finding is not None else ""
    used = units.show(one(memory.value), memory.spec.kind).removesuffix(" GiB")
    first = Content.assemble(" VRAM ", (used + room, "bold"))
    areas, left_out = _areas(report), 0
    while sum(area.cell_length for area in areas) > width - first.cell_length - (MORE if left_out else 0):
        areas.pop()
        left_out += 1
    for area in areas:
        first = first.append(area)
    if left_out:
        first = first.append(Content.styled(f"  {left_out} more", MUTED))
    ranked = ranking(report)
    shown = next((finding for finding in ranked if finding.rule.id == visited), ranked[0] if ranked else None)
    second = finding_content(shown, report) if shown else Content.styled("+ nothing is violated", MUTED)
    return first.truncate(width, ellipsis=True), Content.assemble(" ", second).truncate(width, ellipsis=True)


def _areas(report: Report) -> list[Content]:
    """Return the state of each area, the worst first, since a narrow screen has no room for all."""
    levels: dict[str, Severity] = {}
    for finding in report.findings:
        area = finding.rule.id.split(".")[0]
        levels[area] = max(levels.get(area, Severity.OK), severity(finding))
    ranked = sorted((area for area in AREAS if area in levels), key=lambda area: -levels[area])
    return [
        Content.assemble("  ", (f"{GLYPHS[levels[area]]} {SHORT.get(area, area)}", STYLES[levels[area]]))
        for area in ranked
    ]


def ranking(report: Report, everything: bool = False) -> list[Finding]:
    """Return the findings to show, the worst first, else in the order of the rules."""
    found = [one for one in report.findings if everything or severity(one) > Severity.OK]
    return sorted(found, key=lambda finding: -severity(finding))


def finding_content(finding: Finding, report: Report) -> Content:
    """Return one finding: glyph, word, rule, message."""
    level = severity(finding)
    return Content.assemble(
        (f"{GLYPHS[level]} {state(finding)} ", STYLES[level]),
        (f"{finding.rule.id} ", "bold"),
        message(finding, report),
    )


def loud(report: Report) -> list[Finding]:
    """Return the violations and warnings."""
    return [finding for finding in ranking(report) if severity(finding) > Severity.NOTICE]


def finding_entries(report: Report, before: Sequence[str], typing: bool, everything: bool) -> list[Entry]:
    """Return the findings as entries; while somebody types, those of `before` stay in order."""
    ranked = ranking(report, everything)
    if typing:
        by_id = {finding.rule.id: finding for finding in report.findings}
        stay = [by_id[name] for name in before if name in by_id]
        ranked = stay + [finding for finding in ranked if finding.rule.id not in before]
    return [Entry(finding.rule.id, finding_content(finding, report)) for finding in ranked]


def blamed(rule: str) -> tuple[str, ...]:
    """Return the fields that a rule blames."""
    return next((entry.fields for entry in RULES if entry.id == rule), ())


def rule_of(report: Report, figure: str) -> str:
    """Return the id of the worst rule on a figure, or the figure's own where none judges it."""
    shown = next((shown for shown in FIGURES if shown.figure == figure), Shown("", figure))
    finding = worst_of(report, shown)
    return finding.rule.id if finding is not None else figure
