"""Edits that an ended run left unsaved: what becomes of them."""

from __future__ import annotations

import time
from pathlib import Path

from ftbuild import disk
from ftbuild.journal import Entry
from ftbuild.problems import BuildError, plain
from ftbuild.tui.dialogs.ask import Ask, Choice

CHANGED = (
    "The file on disk has changed since these edits were made on it: it holds other work. "
    "Saving what is recovered asks before it overwrites that."
)


def when_kept(entry: Entry) -> str:
    """Return the time of the last kept edit."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.time))
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def changed_since(entry: Entry) -> bool:
    """Return whether the file is no longer the one that the kept edits were made on."""
    try:
        return disk.fingerprint(disk.read(Path(entry.file))) != entry.fingerprint
    except BuildError:
        return True


def recovery_question(entry: Entry) -> Ask:
    """Return the question whether to take up kept edits."""
    lines = [f"Edits of {plain(entry.file, 200)}", f"from {when_kept(entry)} were not saved."]
    if changed_since(entry):
        lines += ["", CHANGED]
    choices = (
        Choice("r", "recover", "Recover"),
        Choice("d", "drop", "Drop them"),
        Choice("escape", "", "Decide later"),
    )
    return Ask("Unsaved edits", lines, choices)
