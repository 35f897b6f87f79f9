"""Editing one line of text: a text and a caret, each change a new value. Nothing here knows of a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ftbuild.problems import hostile

LONGEST = 400


def lines_of(text: str) -> list[str]:
    """Return the lines of what was pasted: ended by line feeds and carriage returns alone."""
    return re.split(r"\r\n|\r|\n", text.strip("\r\n"))


@dataclass(frozen=True, slots=True)
class LineEdit:
    """A line of text with a caret before the character at `caret`."""

    text: str = ""
    caret: int = 0

    @classmethod
    def at_end(cls, text: str) -> LineEdit:
        """Return the text with the caret behind it."""
        return cls(text, len(text))

    def insert(self, text: str) -> LineEdit:
        """Put text in at the caret; only its first line, without what could steer a terminal."""
        clean = "".join(char for char in lines_of(text)[0] if not hostile(char))
        clean = clean[: LONGEST - len(self.text)]
        return LineEdit(
            self.text[: self.caret] + clean + self.text[self.caret :],
            self.caret + len(clean),
        )

    def move(self, by: int) -> LineEdit:
        """Move the caret by so many characters."""
        return replace(self, caret=min(max(self.caret + by, 0), len(self.text)))

    def home(self) -> LineEdit:
        """Move the caret before the text."""
        return replace(self, caret=0)

    def end(self) -> LineEdit:
        """Move the caret behind the text."""
        return replace(self, caret=len(self.text))

    def word_left(self) -> LineEdit:
        """Move the caret to the start of the word before it."""
        at = self.caret
        while at and not self.text[at - 1].isalnum():
            at -= 1
        while at and self.text[at - 1].isalnum():
            at -= 1
        return replace(self, caret=at)

    def word_right(self) -> LineEdit:
        """Move the caret behind the word after it."""
        at = self.caret
        while at < len(self.text) and not self.text[at].isalnum():
            at += 1
        while at < len(self.text) and self.text[at].isalnum():
            at += 1
        return replace(self, caret=at)

    def delete_left(self) -> LineEdit:
        """Remove the character before the caret."""
        return self.move(-1).delete_right() if self.caret else self

    def delete_right(self) -> LineEdit:
        """Remove the character behind the caret."""
        return replace(self, text=self.text[: self.caret] + self.text[self.caret + 1 :])

    def delete_word(self) -> LineEdit:
        """Remove from the start of the word before the caret up to the caret."""
        start = self.word_left().caret
        return LineEdit(self.text[:start] + self.text[self.caret :], start)

    def delete_to_start(self) -> LineEdit:
        """Remove everything before the caret."""
        return LineEdit(self.text[self.caret :], 0)

    def delete_to_end(self) -> LineEdit:
        """Remove everything behind the caret."""
        return replace(self, text=self.text[: self.caret])


KEYS: Mapping[str, Callable[[LineEdit], LineEdit]] = {
    "left": lambda edit: edit.move(-1),
    "right": lambda edit: edit.move(1),
    "home": LineEdit.home,
    "ctrl+a": LineEdit.home,
    "end": LineEdit.end,
    "ctrl+left": LineEdit.word_left,
    "ctrl+right": LineEdit.word_right,
    "alt+b": LineEdit.word_left,
    "alt+f": LineEdit.word_right,
    "backspace": LineEdit.delete_left,
    "delete": LineEdit.delete_right,
    "ctrl+d": LineEdit.delete_right,
    "ctrl+w": LineEdit.delete_word,
    "ctrl+u": LineEdit.delete_to_start,
    "ctrl+k": LineEdit.delete_to_end,
}
"""Key -> what it does to the line."""
