"""Edits that an ended run left unsaved: what becomes of them."""

from __future__ import annotations

import time

from ftbuild.journal import Entry
from ftbuild.problems import plain
from ftbuild.tui.dialogs.ask import Ask, Choice


def when_kept(entry: Entry) -> str:
    """Return the time of the last kept edit."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.time))
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def recovery_question(entry: Entry) -> Ask:
    """Return the question whether to take up kept edits."""
    lines = [f"Edits of {plain(entry.file, 200)}", f"from {when_kept(entry)} were not saved."]
    choices = (
        Choice("r", "recover", "Recover"),
        Choice("d", "drop", "Drop them"),
        Choice("escape", "", "Decide later"),
    )
    return Ask("Unsaved edits", lines, choices)
