"""The notes of a build, in an editor of several lines."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import TextArea

from ftbuild.tui.dialogs.base import Box, Dialog, keys_line


class NotesDialog(Dialog[str]):
    """Returns the notes; Escape keeps them, since undo takes them back in one step."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """Lay out the editor."""
        with Box("Notes", tall=True):
            area = TextArea(self.text, tab_behavior="focus", soft_wrap=True)
            area.cursor_blink = False
            yield area
            yield keys_line("Esc keeps the text and closes")

    def action_cancel(self) -> None:
        """Return the text."""
        self.dismiss(self.query_one(TextArea).text)
