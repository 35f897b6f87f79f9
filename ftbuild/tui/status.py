"""The lines above and below the panes, as text: banner, tabs, verdict in short, hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ftbuild.problems import plain
from ftbuild.tui.fields import Field
from ftbuild.tui.values import accepted, reading_of, value_of
from ftbuild.tui.verdict import waiting

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk

PROGRAM = " ftbuild "
TABS_IN_FULL = 76
"""Columns that the tabs with their whole names take."""


def tabs(desk: Desk) -> Content:
    """Return the tabs of a narrow screen."""
    styles = ("bold reverse" if name == desk.current else "$foreground 60%" for name, _, _ in desk.TABS)
    return Content.assemble(*zip(_tab_texts(desk), styles, strict=True))


def tab_widths(desk: Desk) -> list[int]:
    """Return the cells that each tab takes."""
    return [len(text) for text in _tab_texts(desk)]


def _tab_texts(desk: Desk) -> list[str]:
    wide = desk.app.size.width >= TABS_IN_FULL
    return [f" {key.upper()} {title if wide else title.split(' ')[0]} " for _, key, title in desk.TABS]


def strip(desk: Desk, width: int) -> tuple[Content, Content]:
    """Return the two lines that are always in view on a narrow screen."""
    report = desk.editor.report
    if report is None:
        return Content(waiting(desk.editor)), Content("")
    from ftbuild.tui import reading

    return reading.strip_lines(report, width, desk.visited)


def headline(desk: Desk) -> Content:
    """Return the verdict in a few words."""
    if desk.editor.report is None:
        return Content.styled("no verdict", "$foreground 60%")
    from ftbuild.tui import reading

    words = reading.headline(desk.editor.report)
    return Content.assemble(("editing  ", "$text-accent"), words) if desk.editor.editing else words


def summary(desk: Desk) -> str:
    """Say what the build is."""
    if not desk.session.ready:
        return plain(desk.editor.build.name)
    from ftbuild.text import summary

    return summary(desk.editor.build, desk.session.catalog)


def hint(desk: Desk) -> Content:
    """Return the line about what has the focus: what is wrong, how a value was read, what is accepted."""
    if desk.message:
        return Content.assemble(" ", (desk.message, "bold"))
    field = desk.focused
    if not isinstance(field, Field):
        return Content.styled(
            " Enter goes to the field to blame, e explains, a shows what is ok too", "$foreground 60%"
        )
    problem = desk.editor.problem(field.key)
    if problem is not None:
        return Content.assemble((" x not in force: ", "$text-error bold"), plain(problem.message, 300))
    if desk.editor.editing == field.key:
        reading = reading_of(field.key, value_of(desk.editor.build, field.key))
        return Content.assemble(" ", (reading, "bold"), "  ", _caused(desk) or accepted(field.key))
    about = f"; {field.described.help}" if field.described.help else ""
    return Content.styled(f" {field.described.label}: {accepted(field.key)}{about}", "$foreground 60%")


def _caused(desk: Desk) -> Content | None:
    """Return the worst finding that is there since somebody began to type."""
    report = desk.editor.report
    if report is None:
        return None
    from ftbuild.tui import reading

    new = [finding for finding in reading.loud(report) if finding.rule.id not in desk.loud]
    return reading.finding_content(new[0], report) if new else None


def banner(desk: Desk, width: int) -> Content:
    """Return the top line: file, marks of edits and of texts not in force, what the build is, the verdict."""
    editor = desk.editor
    name = plain(editor.path.name) if editor.path else "not saved yet"
    mark = " *" if editor.dirty or editor.path is None else ""
    left = Content.assemble((PROGRAM, "bold $text-primary"), " ", (name, "bold"), (mark, "$text-accent bold"))
    waiting = sum(key != editor.editing for key in editor.pending)
    if waiting:
        left = left.append(Content.styled(f"  x {waiting} not in force", "$text-error bold"))
    right = headline(desk)
    if left.cell_length + right.cell_length + 2 > width:
        left = left[len(PROGRAM) :]
    middle = Content(f"   {summary(desk)}") if width >= 110 else Content("")
    room = width - left.cell_length - right.cell_length - 1
    if middle.cell_length + 2 > room:
        middle = Content("")
    return Content.assemble(left, middle, " " * max(room - middle.cell_length, 1), right, " ").truncate(
        width, ellipsis=True
    )
