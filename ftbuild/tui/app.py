"""The app: which screen shows which document. Everything else is in the screens."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.binding import Binding

from ftbuild.journal import Entry
from ftbuild.problems import BuildError, plain
from ftbuild.tui import themes
from ftbuild.tui.desk import Desk
from ftbuild.tui.editor import Editor
from ftbuild.tui.session import Session
from ftbuild.tui.terminal.app import TerminalApp

if TYPE_CHECKING:
    from textual.command import Provider


def _commands() -> type[Provider]:
    """Return the palette's commands, imported when they are first wanted."""
    from ftbuild.tui.palette import DeskCommands

    return DeskCommands


class FtbuildApp(TerminalApp):
    """ftbuild on a terminal."""

    TITLE = "ftbuild"
    CSS_PATH = "app.tcss"
    COMMANDS = {_commands}  # noqa: RUF012 - as Textual declares it
    BINDINGS = [Binding("ctrl+q,f10", "quit", "Quit", show=False)]  # noqa: RUF012 - as Textual declares it
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "f24"  # the table of commands has the keys

    def __init__(self, path: Path | None = None, session: Session | None = None) -> None:
        super().__init__()
        self.path = path
        self.session = session or Session()
        self.editor: Editor | None = None
        self.animation_level = "none"

    def on_mount(self) -> None:
        """Show the document or the start page; then load the engine."""
        for theme in themes.OWN:
            self.register_theme(theme)
        self.theme = themes.cycle(self.terminal.ansi_theme)[0]
        self.set_class(self.terminal.ascii, "-ascii")
        if self.path is None:
            self.show_start()
        else:
            self.open_path(self.path)
        self.call_after_refresh(self._load)
        for notice in (*self.terminal.notices, *self.session.notices):
            self.notify(notice, markup=False, timeout=8)

    def _load(self) -> None:
        gc.enable()
        self.run_worker(self._load_engine, thread=True, group="engine")

    def _load_engine(self) -> None:
        self.session.load_engine()
        self.call_from_thread(self._engine_loaded)

    def _engine_loaded(self) -> None:
        if self.editor is not None:
            self.editor.attach(self.session.judge)

    # Documents

    def open_path(self, path: Path) -> None:
        """Open a file; one that cannot be opened is said on the screen that is there."""
        self._show(lambda: self.session.editor(path))

    def open_preset(self, path: Path) -> None:
        """Open a preset as a new build."""
        self._show(lambda: self.session.editor_from(path))

    def show_start(self) -> None:
        """Show the start page."""
        from ftbuild.tui.start import StartScreen

        self.editor = None
        self._replace(StartScreen(self.session))

    def show_editor(self, editor: Editor) -> None:
        """Show a document."""
        if self.session.ready and editor.report is None and not editor.trouble:
            editor.attach(self.session.judge)
        self.editor = editor
        self._replace(
            Desk(editor, self.session, plain_text=self.terminal.ascii, ansi=self.terminal.ansi_theme)
        )

    def _show(self, opened: Callable[[], Editor]) -> None:
        try:
            editor = opened()
        except BuildError as error:
            self.notify(plain(error, 600), severity="error", timeout=12, markup=False)
            if len(self.screen_stack) == 1:
                self.show_start()
            return
        self.show_editor(editor)
        self._offer_recovery(editor)

    def _offer_recovery(self, editor: Editor) -> None:
        """Offer what an ended run kept of this file; warn where a run that goes on has it open."""
        if editor.path is None:
            return
        here = str(editor.path.resolve())
        kept = [entry for entry in self.session.journal.entries() if entry.file == here]
        abandoned = [entry for entry in kept if entry.abandoned]
        if any(not entry.abandoned and entry.pid != os.getpid() for entry in kept):
            self.notify("this file is being edited by another ftbuild", severity="warning", markup=False)
        if abandoned:
            from ftbuild.tui.dialogs.recover import recovery_question

            self.push_screen(recovery_question(abandoned[0]), partial(self._recover, abandoned[0]))

    def _recover(self, entry: Entry, answer: str | None) -> None:
        if answer == "recover":
            self.recover(entry)
        elif answer == "drop":
            self.session.journal.forget(entry)

    def recover(self, entry: Entry) -> None:
        """Show what the journal kept as an unsaved edit, and keep it under this run from now on."""
        try:
            editor = self.session.recover(entry)
            editor.record()
        except BuildError as error:
            self.notify(f"cannot be recovered: {plain(error, 300)}", severity="error", markup=False)
            return
        self.session.journal.forget(entry)
        self.show_editor(editor)
        from ftbuild.tui.dialogs.recover import CHANGED, changed_since

        if entry.file and changed_since(entry):
            self.notify(CHANGED, severity="warning", timeout=10, markup=False)

    def _replace(self, screen: object) -> None:
        from textual.screen import Screen

        assert isinstance(screen, Screen)
        if len(self.screen_stack) > 1:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    # Leaving

    async def action_quit(self) -> None:
        """Leave; the desk asks where edits are not saved."""
        if isinstance(self.screen, Desk):
            self.screen.command("quit")
        else:
            self.exit()

    def keep_edits(self) -> None:
        """Write the journal: the terminal has gone, or the program fails."""
        if self.editor is not None:
            self.editor.abandon(self._tell_last)

    def _tell_last(self) -> None:
        """Let the field that is typed into tell its last characters."""
        for screen in self.screen_stack:
            if isinstance(screen, Desk):
                screen.tell()
