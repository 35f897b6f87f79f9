"""Lines of text that compare before they repaint: over a slow link, only what differs is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

CURSOR = "$block-cursor-foreground on $block-cursor-background"


def difference(old: Content, new: Content, width: int) -> tuple[int, int]:
    """Return the cells of a line of `width` from the first that differs to behind the last."""
    before, after = _cells(old, width), _cells(new, width)
    start, stop = 0, width
    while start < stop and before[start] == after[start]:
        start += 1
    while stop > start and before[stop - 1] == after[stop - 1]:
        stop -= 1
    return start, max(stop, start + 1)


def _cells(content: Content, width: int) -> list[tuple[str, str]]:
    """Return the character and the styles of each cell; of a wide character both cells are the same."""
    styles = [""] * len(content.plain)
    for span in content.spans:
        for at in range(max(span.start, 0), min(span.end, len(styles))):
            styles[at] += f"{span.style};"
    cells: list[tuple[str, str]] = []
    for char, style in zip(content.plain, styles, strict=True):
        cells += [(char, style)] * cell_len(char)
    return (cells + [(" ", "")] * width)[:width]


class Line(Widget):
    """One line of text."""

    DEFAULT_CSS = "Line { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._content = Content("")

    def show(self, content: Content) -> None:
        """Show a text, and send it only if it is another."""
        if not self._content.is_same(content):
            start, stop = difference(self._content, content, self.size.width)
            self._content = content
            self.refresh(Region(start, 0, stop - start, 1))

    def render(self) -> Content:
        """Return the text."""
        return self._content


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list, which may take several lines."""

    id: str
    content: Content


class Lines(ScrollView, can_focus=True):
    """A list of entries, with a cursor; entries that stay the same are not sent again."""

    DEFAULT_CSS = "Lines { overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }"

    class Told(Message):
        """What happened to an entry of a list."""

        def __init__(self, lines: Lines, entry: str) -> None:
            super().__init__()
            self.lines = lines
            self.entry = entry

        @property
        def control(self) -> Lines:
            """The list."""
            return self.lines

    class Entered(Told):
        """Enter was pressed on an entry."""

    class Moved(Told):
        """The cursor stands on another entry."""

    selectable = True
    """Whether a cursor shows while the list has the focus."""
    cut = False
    """Whether an entry is cut to the width instead of going on below."""
    steady = False
    """Whether the list keeps its height, since another one repaints all of it: while somebody types."""
    always_cursor = False
    """Whether it also shows while something else has the focus, such as a filter over the list."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.entries: tuple[Entry, ...] = ()
        self.cursor = 0
        self._lines: list[tuple[int, Content]] = []
        self._width = 0

    @property
    def current(self) -> str:
        """The id of the entry under the cursor, or nothing."""
        return self.entries[self.cursor].id if self.cursor < len(self.entries) else ""

    def show(self, entries: Sequence[Entry]) -> None:
        """Show these entries; the cursor stays on its entry where that is still there."""
        before = self.current
        self.entries = tuple(entries)
        ids = [entry.id for entry in self.entries]
        self.cursor = ids.index(before) if before in ids else min(self.cursor, max(len(ids) - 1, 0))
        self._lay()

    def move_to(self, cursor: int) -> None:
        """Put the cursor on an entry and bring it into view."""
        new = min(max(cursor, 0), max(len(self.entries) - 1, 0))
        old, self.cursor = self.cursor, new
        if old != new:
            self._refresh_entries({old, new})
            self.post_message(self.Moved(self, self.current))
        rows = [y for y, (entry, _) in enumerate(self._lines) if entry == new]
        if rows:
            # The last line first, so that of an entry taller than the view the beginning shows.
            region = Region(0, rows[0], max(self._width, 1), len(rows))
            self.scroll_to_region(region, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """Return one line of the view."""
        width, style = self.size.width, self.visual_style
        at = y + int(self.scroll_offset.y)
        if at >= len(self._lines):
            return Strip.blank(width, style.rich_style)
        entry, content = self._lines[at]
        if self.selectable and (self.has_focus or self.always_cursor) and entry == self.cursor:
            content = content.pad_right(max(width - content.cell_length, 0)).stylize(
                "reverse" if self.app.current_theme.ansi else CURSOR
            )
        strips = Visual.to_strips(self, content, width, 1, style)
        strip = strips[0] if strips else Strip.blank(width, style.rich_style)
        return strip.adjust_cell_length(width, style.rich_style)

    def on_resize(self, _event: Resize) -> None:
        """Break the lines anew."""
        self._lay()

    def on_focus(self) -> None:
        """Show the cursor."""
        self._refresh_entries({self.cursor})

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._refresh_entries({self.cursor})

    def on_key(self, event: Key) -> None:
        """Move the cursor, or enter the entry under it."""
        page = max(self.size.height - 1, 1)
        moves = {
            "up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page,
            "home": -len(self.entries), "end": len(self.entries),
        }  # fmt: skip
        if event.key in moves:
            event.stop()
            event.prevent_default()
            self.move_to(self.cursor + moves[event.key])
        elif event.key == "enter" and self.current:
            event.stop()
            self.post_message(self.Entered(self, self.current))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the entry that was clicked; enter it on the second click."""
        at = event.y + int(self.scroll_offset.y)
        if at < len(self._lines):
            again = self._lines[at][0] == self.cursor
            self.move_to(self._lines[at][0])
            if again and event.chain > 1:
                self.post_message(self.Entered(self, self.current))

    def _lay(self) -> None:
        width = self.scrollable_content_region.width
        if not width:
            return
        lines = [
            (index, line)
            for index, entry in enumerate(self.entries)
            for line in self._broken(entry.content, width)
        ]
        old, self._lines = self._lines, lines
        wider, self._width = width != self._width, width
        height = max(len(lines), self.virtual_size.height) if self.steady else len(lines)
        self.virtual_size = Size(width, height)
        if wider:
            self.refresh()
            return
        for y in range(max(len(old), len(lines))):
            if y >= len(old) or y >= len(lines):
                self.refresh_lines(y, max(len(old), len(lines)) - y)
                break
            if old[y][0] != lines[y][0] or not old[y][1].is_same(lines[y][1]):
                self._refresh_differing(y, old[y][1], lines[y][1])

    def _broken(self, content: Content, width: int) -> list[Content]:
        if self.cut:
            return [line.truncate(width, ellipsis=True) for line in content.split("\n", allow_blank=True)]
        return content.wrap(width) or [Content("")]

    def _refresh_differing(self, y: int, old: Content, new: Content) -> None:
        """Repaint the cells of a line from the first to the last that differs."""
        y -= int(self.scroll_offset.y)
        if 0 <= y < self.size.height:
            start, stop = difference(old, new, self.size.width)
            self.refresh(Region(start, y, stop - start, 1))

    def _refresh_entries(self, entries: set[int]) -> None:
        for y, (entry, _) in enumerate(self._lines):
            if entry in entries:
                self.refresh_lines(y)
