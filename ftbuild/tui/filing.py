"""Saving, opening, leaving: what happens to the build's file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ftbuild.disk import ChangedError
from ftbuild.problems import BuildError, plain

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk


def save(desk: Desk) -> None:
    """Save to the build's file, or ask for one."""
    desk.finish()
    if desk.editor.path is None:
        save_as(desk)
    else:
        _save(desk, None)


def save_as(desk: Desk) -> None:
    """Ask for a file and save there."""
    from ftbuild.tui.dialogs.path import PathDialog

    desk.finish()
    name = desk.editor.build.name.casefold().replace(" ", "-")
    start = str(desk.editor.path or f"{''.join(c for c in name if c.isalnum() or c in '-_') or 'build'}.toml")

    def take(path: Path | None) -> None:
        if path is not None:
            _save(desk, path)

    desk.app.push_screen(PathDialog("Save as", start, must_exist=False), take)


def _save(desk: Desk, path: Path | None, force: bool = False) -> None:
    try:
        desk.editor.save(path, force=force)
    except ChangedError as error:
        _ask_to_overwrite(desk, path, str(error))
    except BuildError as error:
        desk.alarm(f"not saved: {plain(error, 300)}")
    else:
        saved = desk.editor.path
        if saved is not None:
            desk.session.recent.opened(saved)
        rest = len(desk.editor.pending)
        desk.say(f"saved {plain(saved)}" + (f"; {rest} field(s) not in force were left out" if rest else ""))


def _ask_to_overwrite(desk: Desk, path: Path | None, words: str) -> None:
    from ftbuild.tui.dialogs.ask import Ask, Choice

    def take(answer: str | None) -> None:
        if answer == "overwrite":
            _save(desk, path, force=True)

    choices = (Choice("o", "overwrite", "Overwrite it"), Choice("escape", "", "Cancel"))
    desk.app.push_screen(Ask("The file has changed", [words], choices), take)


def open_file(desk: Desk) -> None:
    """Ask for a file and open it."""
    from ftbuild.tui.dialogs.path import PathDialog

    folder = desk.editor.path.parent if desk.editor.path else Path()

    def take(path: Path | None) -> None:
        if path is not None:
            desk.leave_for(lambda: desk.open_path(path))

    start = f"{folder}/" if str(folder) != "." else ""
    desk.app.push_screen(PathDialog("Open", start, must_exist=True), take)


def start(desk: Desk) -> None:
    """Go to the start page."""
    desk.leave_for(desk.go_to_start)


def leave(desk: Desk) -> None:
    """Quit, and ask where edits are not saved."""
    desk.leave_for(lambda: desk.app.exit())


def ask_to_leave(desk: Desk, then: object) -> None:
    """Ask what becomes of unsaved edits, and go on."""
    from ftbuild.tui.dialogs.ask import Ask, Choice

    found = desk.editor.changes()
    lines = [f"{label}: {old or '-'} -> {new or '-'}" for label, old, new in found[:12]]
    lines += [f"and {len(found) - 12} more"] if len(found) > 12 else []
    lines += [f"not in force: {key} = {entry.text}" for key, entry in desk.editor.pending.items()]
    choices = (
        Choice("s", "save", "Save"),
        Choice("d", "discard", "Discard"),
        Choice("escape", "", "Cancel"),
    )

    def take(answer: str | None) -> None:
        if answer == "discard":
            desk.editor.forget()
            desk.go_on(then)
        elif answer == "save":
            desk.after_save = then
            save(desk)
            if not desk.editor.dirty:
                desk.go_on(then)

    desk.app.push_screen(Ask("Unsaved changes", lines, choices), take)
