"""Saving, opening, leaving: what happens to the build's file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ftbuild.disk import ChangedError
from ftbuild.problems import BuildError, plain
from ftbuild.tui.values import label_of

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk

Then = Callable[[], object] | None
"""What was wanted when it turned out that edits are not saved; done once they are."""


def save(desk: Desk, then: Then = None) -> None:
    """Save to the build's file, or ask for one."""
    desk.finish()
    if desk.editor.path is None:
        save_as(desk, then)
    else:
        _save(desk, None, then)


def save_as(desk: Desk, then: Then = None) -> None:
    """Ask for a file and save there."""
    from ftbuild.tui.dialogs.path import PathDialog

    desk.finish()
    name = desk.editor.build.name.casefold().replace(" ", "-")
    start = str(desk.editor.path or f"{''.join(c for c in name if c.isalnum() or c in '-_') or 'build'}.toml")

    def take(path: Path | None) -> None:
        if path is not None:
            _save(desk, path, then)

    dialog = PathDialog("Save as", start, must_exist=False, own=desk.editor.path)
    desk.app.push_screen(dialog, take)


def _save(desk: Desk, path: Path | None, then: Then, force: bool = False) -> None:
    try:
        desk.editor.save(path, force=force)
    except ChangedError as error:
        _ask_to_overwrite(desk, path, then, str(error))
    except BuildError as error:
        desk.alarm(f"not saved: {plain(error, 300)}")
    else:
        saved = desk.editor.path
        if saved is not None:
            desk.session.recent.opened(saved)
        rest = len(desk.editor.pending)
        desk.say(f"saved {plain(saved)}" + (f"; without {rest} not in force" if rest else ""))
        if then is not None:
            desk.editor.forget()
            then()


def _ask_to_overwrite(desk: Desk, path: Path | None, then: Then, words: str) -> None:
    from ftbuild.tui.dialogs.ask import Ask, Choice

    def take(answer: str | None) -> None:
        if answer == "overwrite":
            _save(desk, path, then, force=True)
        elif answer == "reload":
            _reload(desk)

    reload = (Choice("r", "reload", "Reload it, without these edits"),) if path is None else ()
    choices = (Choice("o", "overwrite", "Overwrite it"), *reload, Choice("escape", "", "Cancel"))
    desk.app.push_screen(Ask("The file has changed", [words], choices), take)


def _reload(desk: Desk) -> None:
    """Open the file as it is now in place of the edits; they stay where it cannot be opened."""
    if desk.editor.path is not None:
        desk.open_path(desk.editor.path)
        if getattr(desk.app, "editor", None) is not desk.editor:
            desk.editor.forget()


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


def ask_to_leave(desk: Desk, then: Callable[[], object]) -> None:
    """Ask what becomes of unsaved edits, and go on."""
    from ftbuild.tui.dialogs.ask import Ask, Choice

    found = desk.editor.changes()
    lines = [f"{label}: {old or '-'} -> {new or '-'}" for label, old, new in found[:12]]
    lines += [f"and {len(found) - 12} more"] if len(found) > 12 else []
    waiting = desk.editor.pending
    lines += [f"not in force: {label_of(key)} = {entry.text}" for key, entry in waiting.items()]
    if waiting:
        lines.append("What is not in force is not saved: it is lost on leaving.")
    choices = (
        *((Choice("s", "save", "Save the rest" if waiting else "Save"),) if desk.editor.dirty else ()),
        Choice("d", "discard", "Discard"),
        Choice("escape", "", "Cancel"),
    )

    def take(answer: str | None) -> None:
        if answer == "discard":
            desk.editor.forget()
            then()
        elif answer == "save":
            save(desk, then)

    desk.app.push_screen(Ask("Unsaved changes", lines, choices), take)
