"""Pages of text: explanations, help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ftbuild.tui.dialogs.base import Box, Dialog, keys_line
from ftbuild.tui.lines import Entry, Lines


class Text(Lines):
    """Lines to read: the keys that move a cursor move the page."""

    selectable = False

    def move_to(self, cursor: int) -> None:
        """Scroll so far that the line shows at the top."""
        top = min(max(cursor, 0), max(len(self._lines) - self.size.height, 0))
        self.cursor = top
        self.scroll_to(y=top, animate=False, force=True)


class Page(Dialog[None]):
    """A page of plain lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *Dialog.BINDINGS,
        ("q,enter,f1", "cancel", "Close"),
        ("y", "copy", "Copy"),
    ]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self.heading = title
        self.lines = tuple(lines)

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        with Box(self.heading, tall=True):
            yield Text(id="page")
            yield keys_line("Up Down PageUp PageDown scroll   y copies   Esc closes")

    def on_mount(self) -> None:
        """Show the lines."""
        page = self.query_one(Text)
        page.show([Entry(str(at), Content(line)) for at, line in enumerate(self.lines)])
        page.focus()

    def action_copy(self) -> None:
        """Copy the whole page."""
        self.app.copy_to_clipboard("\n".join(self.lines))
        self.notify("copied (OSC 52)", markup=False, timeout=2)
