"""The start page: what was left unsaved, what was open last, builds to start from."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key

from ftbuild import library
from ftbuild.journal import Entry as Kept
from ftbuild.problems import plain
from ftbuild.tui.dialogs.recover import when_kept
from ftbuild.tui.lines import Entry, Line, Lines
from ftbuild.tui.session import Session
from ftbuild.tui.terminal.screen import QuietScreen

NEW = "new"
NEW_ABOUT = "one model on one card, everything else as it comes"


class StartScreen(QuietScreen[None]):
    """Recovery, recent files and presets in one list."""

    CSS_PATH = "start.tcss"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.kept: dict[str, Kept] = {}
        self.paths: dict[str, Path] = {}

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        title = Line(id="title")
        title.show(
            Content.assemble((" ftbuild ", "bold $text-primary"), "  hardware for fine-tuning, checked")
        )
        yield title
        yield Lines(id="choices")
        keys = Line(id="keys")
        yield keys

    def on_mount(self) -> None:
        """Fill the list."""
        self._fill()
        choices = self.query_one(Lines)
        choices.cut = True
        choices.focus()
        ids = [entry.id for entry in choices.entries]
        choices.move_to(next((at for at, id_ in enumerate(ids) if id_), 0))

    def _fill(self) -> None:
        self.kept = {f"kept:{entry.place.name}": entry for entry in self.session.journal.recoverable()}
        recent = {f"file:{path}": path for path in self.session.recent.files()}
        presets = {f"preset:{preset.id}": preset for preset in library.presets()}
        self.paths = {**recent, **{name: preset.path for name, preset in presets.items()}}
        entries: list[Entry] = []
        if self.kept:
            entries.append(_heading("Edits that were not saved"))
            entries += [Entry(name, _kept(entry)) for name, entry in self.kept.items()]
        if recent:
            entries.append(_heading("Recent files"))
            entries += [Entry(name, Content(f"  {plain(path, 200)}")) for name, path in recent.items()]
        entries.append(_heading("Presets and a new build"))
        entries.append(Entry(NEW, Content.assemble(f"  {'New build':<28} ", (NEW_ABOUT, "$foreground 60%"))))
        for name, preset in presets.items():
            line = Content.assemble(f"  {preset.name:<28} ", (preset.about, "$foreground 60%"))
            entries.append(Entry(name, line))
        self.query_one(Lines).show(entries)
        drop = "  d Drop what was kept" if self.kept else ""
        words = f" Enter Open  ^O Other file{drop}  ^Q Quit"
        self.query_one("#keys", Line).show(Content.styled(words, "bold"))

    @on(Lines.Entered)
    def _open(self, message: Lines.Entered) -> None:
        name = message.entry
        if name in self.kept:
            self.app.recover(self.kept[name])  # type: ignore[attr-defined]  # our app has it
        elif name == NEW:
            self.app.show_editor(self.session.new())  # type: ignore[attr-defined]  # our app has it
        elif name.startswith("file:"):
            self.app.open_path(self.paths[name])  # type: ignore[attr-defined]  # our app has it
        elif name in self.paths:
            self.app.open_preset(self.paths[name])  # type: ignore[attr-defined]  # our app has it

    def on_key(self, event: Key) -> None:
        """Open another file, or drop kept edits."""
        if event.key == "ctrl+o":
            event.stop()
            self._ask_for_file()
        elif event.key == "d":
            entry = self.kept.get(self.query_one(Lines).current)
            if entry is not None:
                event.stop()
                self.session.journal.forget(entry)
                self._fill()

    def _ask_for_file(self) -> None:
        from ftbuild.tui.dialogs.path import PathDialog

        def take(path: Path | None) -> None:
            if path is not None:
                self.app.open_path(path)  # type: ignore[attr-defined]  # our app has it

        self.app.push_screen(PathDialog("Open", "", must_exist=True), take)


def _heading(words: str) -> Entry:
    return Entry("", Content.styled(words, "bold $text-accent"))


def _kept(entry: Kept) -> Content:
    when = when_kept(entry)
    return Content.assemble(
        (f"  recover {when} ", "bold"), plain(entry.file or "a build without a file", 200)
    )
