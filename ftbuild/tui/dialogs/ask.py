"""A question with a few answers, each on a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from ftbuild.problems import plain
from ftbuild.tui.dialogs.base import Box, Dialog, keys_line

SHOWN_KEYS = {"escape": "Esc"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: its key, what is returned for it, its words."""

    key: str
    answer: str
    words: str


class Ask(Dialog[str]):
    """A question; the answer is that of the key pressed, or None."""

    def __init__(self, title: str, lines: Sequence[str], choices: Sequence[Choice]) -> None:
        super().__init__()
        self.heading = title
        self.lines = [plain(line, 400) for line in lines]
        self.choices = tuple(choices)

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Box(self.heading):
            yield Static(Content("\n".join([*self.lines, ""])))
            words = [f"{SHOWN_KEYS.get(one.key, one.key)} {one.words}" for one in self.choices]
            yield keys_line("   ".join(words))

    def on_key(self, event: Key) -> None:
        """Take the answer of a key."""
        for choice in self.choices:
            if event.key.casefold() == choice.key:
                event.stop()
                self.dismiss(choice.answer or None)
