"""What the commands do. Each takes the desk; dialogs are imported when they open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftbuild.build import FIELDS
from ftbuild.problems import BuildError, plain
from ftbuild.tui import themes
from ftbuild.tui.fields import Field
from ftbuild.tui.values import LIMITS, accepted, reading_of, text_of, value_of

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk


# Editing


def edit(desk: Desk) -> None:
    """Open the field in focus."""
    if isinstance(desk.focused, Field):
        desk.focused.open()


def restore(desk: Desk) -> None:
    """Give up what is being typed."""
    if isinstance(desk.focused, Field):
        desk.focused.cancel()


def undo(desk: Desk) -> None:
    """Go back one step."""
    label = desk.editor.undo()
    desk.say(f"undone: {label}" if label else "nothing to undo")


def redo(desk: Desk) -> None:
    """Take a step again."""
    label = desk.editor.redo()
    desk.say(f"done again: {label}" if label else "nothing to redo")


def notes(desk: Desk) -> None:
    """Edit the notes."""
    from ftbuild.tui.dialogs.notes import NotesDialog

    def keep(text: str | None) -> None:
        if text is not None and text != desk.editor.build.notes:
            desk.editor.set("notes", text, "notes")
            if desk.editor.problem("notes"):
                desk.say(f"notes: {desk.editor.pending['notes'].problem.message}")

    desk.app.push_screen(NotesDialog(desk.editor.text("notes")), keep)


def limit(desk: Desk) -> None:
    """Set the user's own threshold of the chosen rule."""
    from ftbuild.tui.dialogs.prompt import Prompt

    key = LIMITS + desk.chosen_rule()

    def take(text: str | None) -> None:
        if text is not None:
            desk.editor.set(key, text)
            problem = desk.editor.problem(key)
            if problem is not None:
                desk.editor.undo()
                desk.alarm(plain(problem.message, 300))

    accepts = "such as 2.5 or 20kW, in the rule's unit; empty: the default"
    desk.app.push_screen(
        Prompt(f"Limit of {desk.chosen_rule()}", text_of(desk.editor.build, key), accepts, lambda _: ""), take
    )


# Moving


def pane(desk: Desk, name: str) -> None:
    """Bring a pane to the front."""
    desk.show_pane(name)


def findings(desk: Desk) -> None:
    """Go to the findings."""
    desk.show_pane("verdict")
    desk.findings.focus()


def verdict(desk: Desk) -> None:
    """Go to the verdict."""
    desk.show_pane("verdict")
    desk.verdict.focus()


def go_to_blamed(desk: Desk) -> None:
    """Go to the field that the chosen finding blames."""
    rule = desk.chosen_rule()
    if rule:
        desk.go_to_blamed(rule)


def next_problem(desk: Desk) -> None:
    """Go to the field that the next finding blames."""
    desk.next_problem()


def everything(desk: Desk) -> None:
    """Show or hide what is ok."""
    desk.findings.everything = not desk.findings.everything
    desk.findings.sync()


def find(desk: Desk) -> None:
    """Search for a field."""
    from ftbuild.tui.dialogs.picker import Option, Picker

    options = [
        Option(
            key, spec.described.label, f"{text_of(desk.editor.build, key):<20} {key}  {spec.described.help}"
        )
        for key, spec in FIELDS.items()
        if desk.has_field(key)
    ]

    def choose(typed: str) -> list[Option]:
        words = typed.casefold().split()
        return [
            option
            for option in options
            if all(word in f"{option.id} {option.title} {option.facts}".casefold() for word in words)
        ]

    def go(key: str | None) -> None:
        if key:
            desk.go_to(key)

    desk.app.push_screen(Picker("Find a field", choose), go)


# Knowing


def explain(desk: Desk) -> None:
    """Explain the finding or figure that is chosen."""
    from ftbuild.text import explain_lines
    from ftbuild.tui.dialogs.page import Page

    name = desk.chosen_rule() or desk.chosen_figure() or "vram.per_gpu"
    report = desk.editor.report
    if report is None:
        return
    try:
        lines = explain_lines(report, name)
    except BuildError as error:
        desk.say(str(error))
        return
    desk.app.push_screen(Page(f"Explain {name}", lines))


def show_help(desk: Desk) -> None:
    """Show help about what has the focus, and all keys."""
    from ftbuild.tui.commands import cheat_sheet
    from ftbuild.tui.dialogs.page import Page

    lines: list[str] = []
    if isinstance(desk.focused, Field):
        key, spec = desk.focused.key, desk.focused.spec
        default = str(spec.default) if spec.default not in (None, "") else "none"
        lines = [
            f"{spec.described.label}  ({key})",
            spec.described.help or "",
            f"accepts   {accepted(key)}",
            f"now       {desk.editor.text(key) or '-'} {reading_of(key, value_of(desk.editor.build, key))}",
            f"default   {'must be stated' if spec.required else default}",
            "",
        ]
    lines += ["Keys", "", *cheat_sheet()]
    lines += ["", "Marks: * differs from the file, x not in force, v opens a list.",
              "The plain report of `ftbuild check FILE` says the same without a screen."]  # fmt: skip
    desk.app.push_screen(Page("Help", lines))


def changes(desk: Desk) -> None:
    """List what differs from the saved build."""
    from ftbuild.tui.dialogs.page import Page

    found = [f"{label:<20} {old or '-'} -> {new or '-'}" for label, old, new in desk.editor.changes()]
    waiting = [f"{key}: {entry.text!r} is not in force" for key, entry in desk.editor.pending.items()]
    desk.app.push_screen(Page("What changed", [*found, *waiting] or ["Nothing: all is saved."]))


def copy(desk: Desk) -> None:
    """Copy what has the focus."""
    text = desk.copied_text()
    if text:
        desk.app.copy_to_clipboard(text)
        desk.say(f"copied (OSC 52): {plain(text, 60)}   ^Q quits")
    else:
        desk.say("nothing to copy here; ^Q quits")


def copy_report(desk: Desk) -> None:
    """Copy the whole report."""
    from ftbuild.text import report_lines

    report = desk.editor.report
    if report is not None:
        name = str(desk.editor.path or "")
        desk.app.copy_to_clipboard("\n".join(report_lines(report, desk.editor.build, name)))
        desk.say("the report is copied (OSC 52); `ftbuild check` prints the same")


def bom(desk: Desk) -> None:
    """Open the bill of materials."""
    from ftbuild.tui.bom import BomScreen

    desk.finish()
    desk.app.push_screen(BomScreen(desk.editor, desk.session))


def palette(desk: Desk) -> None:
    """Open the command palette."""
    desk.app.action_command_palette()


def theme(desk: Desk) -> None:
    """Go to the next theme."""
    names = themes.cycle(desk.ansi)
    now = names.index(desk.app.theme) if desk.app.theme in names else -1
    desk.app.theme = names[(now + 1) % len(names)]
    desk.say(f"theme {desk.app.theme}")


def suspend(desk: Desk) -> None:
    """Go to the shell."""
    desk.app.action_suspend_process()
