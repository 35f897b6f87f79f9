"""One line of text, checked before it is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from ftbuild.tui.dialogs.base import Box, Dialog, keys_line
from ftbuild.tui.lines import Line


class Prompt(Dialog[str]):
    """Returns a text for which `wrong` finds no fault."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *Dialog.BINDINGS,
        Binding("enter", "take", priority=True, show=False),
    ]

    def __init__(self, title: str, start: str, accepts: str, wrong: Callable[[str], str]) -> None:
        super().__init__()
        self.heading = title
        self.start = start
        self.accepts = accepts
        self.wrong = wrong

    def compose(self) -> ComposeResult:
        """Lay out the field and what it accepts."""
        with Box(self.heading):
            field = Input(self.start, placeholder=self.accepts)
            field.cursor_blink = False
            yield field
            yield Line(id="wrong")
            yield keys_line(f"{self.accepts}   Enter takes   Esc cancels")

    @on(Input.Changed)
    def _check(self) -> None:
        self._say(self.wrong(self.query_one(Input).value))

    def action_take(self) -> None:
        """Return the text, if nothing is wrong with it."""
        text = self.query_one(Input).value.strip()
        found = self.wrong(text)
        self._say(found)
        if not found:
            self.dismiss(text)

    def _say(self, words: str) -> None:
        self.query_one("#wrong", Line).show(Content.styled(words, "$text-error bold"))
