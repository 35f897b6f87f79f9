"""Every command of the screen, once: keys, palette, footer and help are made from this table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual.binding import Binding, BindingType
from textual.content import Content

from ftbuild.tui import actions, filing, fixing, reasons

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk

Place = Literal["field", "edit", "findings"]
"""What has the focus: a field, a field that is being typed into, or the verdict and the findings."""

EVERYWHERE: tuple[Place, ...] = ("field", "edit", "findings")
NOWHERE: tuple[Place, ...] = ()

UNAVAILABLE = frozenset(
    [f"alt+{digit}" for digit in range(10)]
    + ["ctrl+h", "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+enter", "ctrl+tab", "ctrl+comma", "shift+enter"]
)
"""Keys that many terminals do not send, or send as others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing the user can do."""

    id: str
    title: str
    help: str
    keys: tuple[str, ...] = ()
    short: str = ""
    """Its word in the footer; without one it is not there."""
    shown: tuple[Place, ...] = EVERYWHERE
    """Where the footer shows it."""
    run: Callable[[Desk], None]
    refused: Callable[[Desk], str] | None = None
    """Says why it does not apply now; nothing where it does."""

    def reason(self, desk: Desk) -> str:
        """Return why the command does not apply now, or nothing."""
        return self.refused(desk) if self.refused else ""


COMMANDS: tuple[Command, ...] = (
    Command(
        id="edit", title="Edit the field", help="Type a value, or Enter to change the one there.",
        keys=(), short="Edit", shown=("field",), run=actions.edit, refused=reasons.no_field,
    ),
    Command(
        id="restore", title="Restore the field", help="Escape gives the value back that was there before.",
        keys=(), short="Cancel", shown=("edit",), run=actions.restore, refused=reasons.not_typing,
    ),
    Command(
        id="blame", title="Go to the field", help="Enter on a finding goes to the field to blame.",
        keys=(), short="Go", shown=("findings",), run=actions.go_to_blamed, refused=reasons.no_finding,
    ),
    Command(
        id="explain", title="Explain", help="The formula with this build's numbers, its source and limits.",
        keys=("e", "ctrl+e"), short="Explain", shown=("findings",), run=actions.explain,
        refused=reasons.no_report,
    ),
    Command(
        id="fix", title="Fixes", help="Changes that clear the chosen finding, or all, cheapest first.",
        keys=("f",), short="Fix", shown=("findings",), run=fixing.fix, refused=reasons.no_report,
    ),
    Command(
        id="save", title="Save", help="Write the build to its file.",
        keys=("ctrl+s",), short="Save", shown=("field", "edit"), run=filing.save,
    ),
    Command(
        id="undo", title="Undo", help="Go back one step: a visit of a field, a preset, a fix.",
        keys=("ctrl+z",), short="Undo", shown=("field", "edit"), run=actions.undo,
        refused=reasons.nothing_to_undo,
    ),
    Command(
        id="help", title="Help", help="About the field in focus, and all keys.",
        keys=("f1", "question_mark"), short="Help", shown=EVERYWHERE, run=actions.show_help,
    ),
    Command(
        id="bom", title="Bill of materials", help="Parts, prices and their dates; export and own prices.",
        keys=("f2",), short="BOM", shown=("field", "edit", "findings"), run=actions.bom,
        refused=reasons.no_report,
    ),
    Command(
        id="palette", title="All commands", help="Every command by name, with its key.",
        keys=("ctrl+p", "alt+x", "colon"), short="Commands", shown=EVERYWHERE, run=actions.palette,
    ),
    Command(
        id="redo", title="Redo", help="Take the step again that was undone last.",
        keys=("ctrl+y",), run=actions.redo, refused=reasons.nothing_to_redo,
    ),
    Command(
        id="find", title="Find a field", help="By its name, key or help.",
        keys=("ctrl+f", "slash"), run=actions.find,
    ),
    Command(
        id="workload", title="Pane: workload", help="Model, method, sequence, batch, data.",
        keys=("f5",), run=partial(actions.pane, name="workload"),
    ),
    Command(
        id="hardware", title="Pane: hardware", help="Nodes, GPUs, processors, memory.",
        keys=("f6",), run=partial(actions.pane, name="hardware"),
    ),
    Command(
        id="storage", title="Pane: storage & network", help="Drives, shared storage, fabric.",
        keys=("f7",), run=partial(actions.pane, name="storage"),
    ),
    Command(
        id="power", title="Pane: power & cost", help="Supplies, circuits, racks, cooling, money.",
        keys=("f8",), run=partial(actions.pane, name="power"),
    ),
    Command(
        id="findings", title="Findings", help="What the rules say of this build.",
        keys=("f9",), run=actions.findings,
    ),
    Command(
        id="verdict", title="Verdict", help="The figures, to explain or to copy one.",
        keys=("f4",), run=actions.verdict,
    ),
    Command(
        id="problem", title="Next finding", help="Go to the field that the next finding blames.",
        keys=("f3", "ctrl+n"), run=actions.next_problem, refused=reasons.no_report,
    ),
    Command(
        id="everything", title="All findings", help="Show or hide the findings that are ok.",
        keys=("a",), run=actions.everything, refused=reasons.no_report,
    ),
    Command(
        id="copy", title="Copy", help="Copy the value in focus, or the finding, to the clipboard.",
        keys=("y", "ctrl+c"), run=actions.copy,
    ),
    Command(
        id="limit", title="Own limit", help="Set the threshold of the chosen finding, in [limits].",
        keys=("l",), run=actions.limit, refused=reasons.no_finding,
    ),
    Command(
        id="copy-report", title="Copy the report", help="As plain text, to the clipboard.",
        run=actions.copy_report, refused=reasons.no_report,
    ),
    Command(
        id="save-as", title="Save as", help="Write the build to another file.",
        keys=("f12",), run=filing.save_as,
    ),
    Command(id="open", title="Open a file", help="Another build.", keys=("ctrl+o",), run=filing.open_file),
    Command(
        id="start", title="Presets and recent files", help="The page that ftbuild starts with.",
        keys=("ctrl+t",), run=filing.start,
    ),
    Command(id="notes", title="Notes", help="Read and edit the notes of the build.", run=actions.notes),
    Command(
        id="changes", title="What changed", help="What differs from the saved build.", run=actions.changes,
    ),
    Command(id="theme", title="Next theme", help="Dark, light, high contrast, own colours.",
            keys=("f11",), run=actions.theme),
    Command(id="suspend", title="Suspend", help="To the shell; `fg` comes back.", run=actions.suspend),
    Command(
        id="quit", title="Quit", help="Asks where edits are not saved.",
        keys=("ctrl+q", "f10"), short="Quit", shown=NOWHERE, run=filing.leave,
    ),
)  # fmt: skip
"""The footer shows its entries in this order; every command is in the palette."""

BY_ID = {command.id: command for command in COMMANDS}

FIELD_KEYS: tuple[tuple[str, str], ...] = (
    ("type", "replace the value; Enter to finish, Escape to restore"),
    ("Enter", "change the value that is there, or open the list"),
    ("+ -", "step to the next sensible value; Up and Down while typing, with Shift further"),
    ("Delete", "clear a value that need not be stated"),
    ("Up Down", "the field above or below"),
    ("Left Right", "the pane beside"),
    ("Tab", "the next field"),
    ("Shift+mouse", "select text with the terminal's own means"),
)
"""What the keys of a field do: they are the widget's own."""

_NAMES = {"question_mark": "?", "colon": ":", "slash": "/", "escape": "Esc"}
_IMPLIED = {"edit": "Enter", "restore": "Esc", "blame": "Enter"}
"""Keys that a widget takes itself, shown in the footer."""


def bindings() -> list[BindingType]:
    """Return the key bindings of the desk."""
    return [
        Binding(",".join(command.keys), f"command('{command.id}')", command.title, show=False, id=command.id)
        for command in COMMANDS
        if command.keys
    ]


def key_name(key: str) -> str:
    """Write a key as people do: ``^S``, ``F1``, ``Alt+X``."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+").upper()
    if len(key) == 1:
        return key
    return _NAMES.get(key) or "+".join(part.capitalize() for part in key.split("+"))


def footer(place: Place) -> Content:
    """Return the footer where `place` has the focus: what fits 60 columns."""
    parts: list[str | Content | tuple[str, str]] = []
    for command in COMMANDS:
        if command.short and place in command.shown:
            key = _IMPLIED.get(command.id) or key_name(command.keys[0])
            parts += [" ", (key, "bold $text-accent"), f" {command.short} "]
    return Content.assemble(*parts)


def cheat_sheet(commands: Sequence[Command] = COMMANDS) -> list[str]:
    """Return the table of keys, for help and documentation."""
    rows = [
        (", ".join(map(key_name, command.keys)) or "palette", f"{command.title}: {command.help}")
        for command in commands
    ]
    return [f"{keys:<16} {what}" for keys, what in (*FIELD_KEYS, *rows)]
