"""What dialogs share: one box with a title, closed by Escape."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ScreenResultType

from ftbuild.tui.lines import Line
from ftbuild.tui.terminal.screen import QuietModalScreen


class Box(Vertical):
    """The frame of a dialog."""

    def __init__(self, title: str, *, tall: bool = False) -> None:
        super().__init__(classes="box tall" if tall else "box")
        self.border_title = Content(title)


class Dialog(QuietModalScreen[ScreenResultType]):
    """A dialog; Escape closes it without a result."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "cancel", "Cancel")]

    def action_cancel(self) -> None:
        """Close the dialog as if it had not been opened."""
        self.dismiss(None)


def keys_line(words: str) -> Line:
    """Return the line at the foot of a dialog that says its keys."""
    line = Line(classes="dialog-keys")
    line.show(Content.styled(words, "$foreground 60%"))
    return line
