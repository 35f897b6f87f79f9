"""A path, with completion: over a slow link quicker than a browser of folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from ftbuild.problems import hostile, plain
from ftbuild.tui.dialogs.base import Box, Dialog, keys_line
from ftbuild.tui.lines import Entry, Line, Lines

MOST = 200


class PathDialog(Dialog[Path]):
    """Returns a path, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *Dialog.BINDINGS,
        Binding("tab", "complete", priority=True, show=False),
        Binding("enter", "take", priority=True, show=False),
    ]

    def __init__(
        self,
        title: str,
        start: str,
        *,
        must_exist: bool,
        own: Path | None = None,
        suffixes: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.heading = title
        self.start = start
        self.must_exist = must_exist
        self.own = str(own) if own else ""
        """The file that may be written over unasked."""
        self.suffixes = tuple(suffixes)
        """One of which the name must end in, if any are given."""
        self._confirmed = ""

    def compose(self) -> ComposeResult:
        """Lay out the field, what it may become, and what is wrong."""
        with Box(self.heading, tall=True):
            field = Input(self.start, placeholder="path of a file", select_on_focus=not self.must_exist)
            field.cursor_blink = False
            yield field
            names = Lines(id="names")
            names.can_focus = False
            names.selectable = False
            yield names
            yield Line(id="wrong")
            yield keys_line("Tab completes   Enter takes   Esc cancels")

    def on_mount(self) -> None:
        """List what the beginning may become."""
        self.call_after_refresh(self._list)

    @on(Input.Changed)
    def _list(self) -> None:
        self._say("")
        names = completions(self.query_one(Input).value, files_too=True)
        self.query_one(Lines).show([Entry(name, Content(plain(name, 300))) for name in names])

    def action_complete(self) -> None:
        """Write as much of the path as is certain."""
        field = self.query_one(Input)
        names = completions(field.value, files_too=True)
        common = os.path.commonprefix(names)  # noqa: RUF071 - completion goes by characters
        if len(common) > len(field.value):
            field.value = common
            field.action_end()

    def action_take(self) -> None:
        """Return the path, if it can be one."""
        text = self.query_one(Input).value.strip()
        path = Path(text).expanduser() if text and not hostile(text) else None
        if path is None or path.is_dir():
            self._say("name a file, not a folder")
        elif self.must_exist and not path.is_file():
            self._say("there is no such file")
        elif not path.parent.is_dir():
            self._say(f"there is no folder {plain(path.parent)}")
        elif self.suffixes and path.suffix.casefold() not in self.suffixes:
            self._say(f"the name must end in {' '.join(self.suffixes)}")
        elif not self.must_exist and path.exists() and text not in (self._confirmed, self.own):
            self._confirmed = text
            self._say("that file exists: Enter again overwrites it")
        else:
            self.dismiss(path)

    def _say(self, words: str) -> None:
        self.query_one("#wrong", Line).show(Content.styled(words, "$text-error bold"))


def completions(text: str, *, files_too: bool) -> list[str]:
    """Return the paths that begin with `text`: folders, and TOML files."""
    if hostile(text):
        return []
    folder, beginning = os.path.split(text)
    try:
        entries = sorted(Path(folder or ".").expanduser().iterdir())[:MOST]
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(beginning) and (beginning or not entry.name.startswith(".")):
            if entry.is_dir():
                found.append(os.path.join(folder, entry.name) + os.sep)  # noqa: PTH118 - keeps what was typed
            elif files_too and entry.suffix == ".toml":
                found.append(os.path.join(folder, entry.name))  # noqa: PTH118 - keeps what was typed
    return found
