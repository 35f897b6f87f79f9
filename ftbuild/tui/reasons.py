"""Why a command does not apply now: each function returns the reason, or nothing where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftbuild.tui.fields import Field

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk


def no_field(desk: Desk) -> str:
    """Say that no field has the focus."""
    return "" if isinstance(desk.focused, Field) else "no field has the focus"


def not_typing(desk: Desk) -> str:
    """Say that nothing is being typed."""
    return "" if desk.editor.editing else "nothing is being typed"


def no_report(desk: Desk) -> str:
    """Say that there is no verdict."""
    return "" if desk.editor.report is not None else "there is no verdict yet"


def no_finding(desk: Desk) -> str:
    """Say that no finding is chosen."""
    return no_report(desk) or ("" if desk.chosen_rule() else "no finding is chosen")


def nothing_to_undo(desk: Desk) -> str:
    """Say that nothing was done."""
    return "" if desk.editor.history.done or desk.editor.editing else "nothing was changed"


def nothing_to_redo(desk: Desk) -> str:
    """Say that nothing was undone."""
    return "" if desk.editor.history.undone else "nothing was undone"
