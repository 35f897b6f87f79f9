"""The desk: four panes, the verdict, the findings. It composes and keeps them in step with the document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Click, DescendantFocus, Key, Resize
from textual.timer import Timer

from ftbuild.build import FIELDS
from ftbuild.problems import BuildError, plain
from ftbuild.tui import filing, stack, status
from ftbuild.tui.commands import BY_ID, Place, bindings, footer
from ftbuild.tui.editor import Editor
from ftbuild.tui.fields import Field, field_id
from ftbuild.tui.lines import Line, Lines
from ftbuild.tui.panes import PANES, Pane
from ftbuild.tui.session import Session, kind_of
from ftbuild.tui.terminal.screen import QuietScreen
from ftbuild.tui.verdict import Findings, Verdict

WIDE = 120
"""Columns from which all panes show at once."""
KEPT_AFTER_S = 1.0
"""How long after a key what is being typed is kept for recovery."""


class Desk(QuietScreen[None]):
    """One build on screen."""

    CSS_PATH = "desk.tcss"
    AUTO_FOCUS = "Field"
    TABS = (*((spec.id, spec.key, spec.title) for spec in PANES), ("verdict", "f9", "Verdict"))
    BINDINGS = bindings()

    def __init__(
        self, editor: Editor, session: Session, *, plain_text: bool = False, ansi: bool = False
    ) -> None:
        super().__init__()
        self.editor = editor
        self.session = session
        self.ansi = ansi
        self.top, self.tabs, self.hint, self.keys = (
            Line(id="top"), Line(id="tabs"), Line(id="hint"), Line(id="keys"),
        )  # fmt: skip
        self.strip = (Line(classes="strip"), Line(classes="strip"))
        self.form, self.side = Vertical(id="form"), Vertical(id="side")
        self.verdict = Verdict(editor, plain_text)
        self.findings = Findings(editor)
        self.panes = {spec.id: Pane(spec, editor, self.namer) for spec in PANES}
        self.current = PANES[0].id
        self.message = ""
        self._recorded = editor.state
        self._waiting: Timer | None = None
        self._visited = -1
        self.visited = ""
        """The rule of the finding that was gone to last."""
        self.loud: set[str] = set()

    # Composing

    def compose(self) -> ComposeResult:
        """Lay out the screen, for its size from the beginning: to style it twice takes as long again."""
        self._arrange()
        yield self.top
        yield self.tabs
        with Horizontal(id="body"):
            with self.form:
                yield from self.panes.values()
            with self.side:
                yield self.verdict
                yield self.findings
        yield from self.strip
        yield self.hint
        yield self.keys

    def on_mount(self) -> None:
        """Show the document and follow it."""
        self.editor.watch(self._on_edited)
        self.sync()
        for problem in self.editor.loaded.unknown[:3]:
            self.alarm(f"{plain(problem, 200)}; the file keeps it")

    def on_resize(self, _event: Resize) -> None:
        """Show all panes, or the current one."""
        self._arrange()
        self.sync()

    @property
    def wide(self) -> bool:
        """Whether all panes show at once."""
        return self.app.size.width >= WIDE

    def _arrange(self) -> None:
        wide = self.wide
        self.set_class(wide, "-wide")
        for name, pane in self.panes.items():
            pane.display = wide or name == self.current
        self.form.display = wide or self.current != "verdict"
        self.side.display = wide or self.current == "verdict"
        self.tabs.display = not wide
        for line in self.strip:
            line.display = not wide

    # In step with the document

    def sync(self) -> None:
        """Show what the document says; each part repaints what differs."""
        self._note_loud()
        with self.app.batch_update():
            for pane in self.panes.values():
                if pane.display:
                    pane.sync()
            if self.wide or self.current == "verdict":
                self.verdict.sync()
                self.findings.sync()
            self._sync_lines()

    def _sync_lines(self) -> None:
        width = self.app.size.width
        self.top.show(status.banner(self, width))
        self.keys.show(footer(self.place))
        self.hint.show(status.hint(self).truncate(width, ellipsis=True))
        if not self.wide:
            self.tabs.show(status.tabs(self))
            for line, content in zip(self.strip, status.strip(self, width), strict=True):
                line.show(content)

    def _on_edited(self, editor: Editor) -> None:
        self.message = ""
        if self.is_attached:
            self.sync()
        if editor.editing is None:
            self._keep()
        elif self._waiting is None:
            self._waiting = self.set_timer(KEPT_AFTER_S, self._keep)

    def _keep(self) -> None:
        """Keep what is there for recovery, in a thread."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if self.editor.state is not self._recorded:
            self._recorded = self.editor.state
            self.run_worker(self._record, thread=True, group="journal", exit_on_error=False)

    def _record(self) -> None:
        try:
            self.editor.record()
        except BuildError as error:
            self.app.call_from_thread(self.alarm, f"edits are not kept for recovery: {plain(error, 200)}")

    def _note_loud(self) -> None:
        report = self.editor.report
        if report is not None and self.editor.editing is None:
            from ftbuild.tui import reading

            self.loud = {finding.rule.id for finding in reading.loud(report)}

    # What has the focus

    @property
    def place(self) -> Place:
        """What kind of thing has the focus."""
        if isinstance(self.focused, Field):
            return "edit" if self.focused.edit is not None else "field"
        return "findings"

    def namer(self, key: str, text: str) -> str:
        """Return the catalog's name of a part."""
        return self.session.part_name(self.editor.build, key, text)

    def chosen_rule(self) -> str:
        """Return the rule of the finding that is chosen, or of the figure."""
        if self.focused is self.findings:
            return self.findings.current
        report = self.editor.report
        if self.focused is self.verdict and report is not None:
            from ftbuild.tui import reading

            return reading.rule_of(report, self.verdict.current)
        return ""

    def chosen_figure(self) -> str:
        """Return the figure that is chosen."""
        return self.verdict.current if self.focused is self.verdict else ""

    def copied_text(self) -> str:
        """Return what a copy takes."""
        if isinstance(self.focused, Field):
            return self.editor.text(self.focused.key)
        if isinstance(self.focused, Lines):
            current = self.focused.current
            return next((one.content.plain for one in self.focused.entries if one.id == current), "")
        return ""

    def say(self, words: str) -> None:
        """Say something in the hint line, until the next edit or move."""
        self.message = plain(words, 300)
        self._sync_lines()

    def alarm(self, words: str) -> None:
        """Say something that must be seen."""
        self.notify(words, severity="error", timeout=8, markup=False)

    def tell(self) -> None:
        """Let the document hear of what was typed last."""
        if isinstance(self.focused, Field):
            self.focused.tell()

    def finish(self) -> None:
        """Finish what is being typed."""
        if isinstance(self.focused, Field):
            self.focused.finish()
        self.editor.commit()

    # Moving

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front and give it the focus."""
        self.finish()
        self.current = name
        self._arrange()
        self.sync()
        (self.findings if name == "verdict" else self.panes[name].first).focus()

    def has_field(self, key: str) -> bool:
        """Whether a pane holds this field."""
        return any(field.key == key for pane in self.panes.values() for field in pane.fields)

    def go_to(self, key: str) -> bool:
        """Give a field the focus; say whether there is one."""
        for name, pane in self.panes.items():
            for field in pane.fields:
                if field.key == key:
                    self.current = name
                    self._arrange()
                    self.sync()
                    field.focus()
                    return True
        return False

    def go_to_blamed(self, rule: str) -> None:
        """Go to the first field that a finding blames."""
        from ftbuild.tui import reading

        keys = reading.blamed(rule) or (rule,)
        if not any(self.go_to(key) for key in keys if key in FIELDS):
            self.say(f"no field to go to for {rule}")

    def next_problem(self) -> None:
        """Go from finding to finding, from the worst on."""
        from ftbuild.tui import reading

        assert self.editor.report is not None
        ranked = reading.ranking(self.editor.report)
        if not ranked:
            self.say("nothing is violated")
            return
        self._visited = (self._visited + 1) % len(ranked)
        finding = ranked[self._visited]
        self.visited = finding.rule.id
        self.go_to_blamed(finding.rule.id)
        self.message = reading.finding_content(finding, self.editor.report).plain
        self.call_after_refresh(self._sync_lines)

    @on(Field.Left)
    def _field_left(self, message: Field.Left) -> None:
        fields = next(pane.fields for pane in self.panes.values() if message.field in pane.fields)
        at = fields.index(message.field) + message.by
        fields[min(max(at, 0), len(fields) - 1)].focus()

    @on(Field.Sideways)
    def _field_sideways(self, message: Field.Sideways) -> None:
        names = list(self.panes)
        at = next(i for i, pane in enumerate(self.panes.values()) if message.field in pane.fields)
        if not self.wide:
            self.show_pane(names[(at + message.by) % len(names)])
        elif message.by > 0 and at % 2:
            self.findings.focus()
        else:
            self._focus_beside(message.field, self.panes[names[at ^ 1]])

    def _focus_beside(self, field: Field, pane: Pane) -> None:
        """Give the field of a pane the focus that stands at the height of `field`."""
        shown = [other for other in pane.fields if other.region.overlaps(pane.region)] or pane.fields
        min(shown, key=lambda other: abs(other.region.y - field.region.y)).focus()

    @on(Field.Told)
    def _field_told(self, message: Field.Told) -> None:
        self.say(message.words)

    @on(Field.Asked)
    def _list_asked(self, message: Field.Asked) -> None:
        from ftbuild.tui.dialogs.choices import picker_for

        field = message.field

        picker = picker_for(field.key, self.editor, self.session, message.typed)

        def take(text: str | None) -> None:
            if text == picker.current and field.key not in self.editor.pending:
                return
            if field.key == stack.STACK and stack.fills(text or ""):
                self.say(stack.choose(self.editor, text or ""))
            elif text is not None:
                self.editor.set(field.key, text)
                if kind_of(field.key) and field.key not in self.editor.pending:
                    chosen = partial(self.session.recent.chosen, kind_of(field.key), text)
                    self.run_worker(chosen, thread=True, group="recent", exit_on_error=False)

        self.app.push_screen(picker, take)

    @on(Lines.Entered)
    def _entered(self, message: Lines.Entered) -> None:
        if message.lines is self.findings:
            self.go_to_blamed(message.entry)
        else:
            self.command("explain")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Follow the focus in the hint and the footer."""
        for name, pane in self.panes.items():
            if event.widget in pane.fields:
                self.current = name
        self.message = ""
        self._sync_lines()

    def on_click(self, event: Click) -> None:
        """Go to the tab that was clicked."""
        if event.widget is self.tabs:
            column = 0
            for (name, _, _), width in zip(self.TABS, status.tab_widths(self), strict=True):
                if column <= event.x < column + width:
                    self.show_pane(name)
                column += width

    def on_key(self, event: Key) -> None:
        """Go back from the verdict with Escape."""
        if event.key == "escape" and isinstance(self.focused, Lines):
            event.stop()
            self.show_pane(self.current if self.current != "verdict" else PANES[0].id)

    # Commands

    def action_command(self, name: str) -> None:
        """Run a command by its key."""
        self.command(name)

    def command(self, name: str) -> None:
        """Run a command, or say why it does not apply."""
        command = BY_ID[name]
        reason = command.reason(self)
        if reason:
            self.say(f"{command.title}: {reason}")
        else:
            command.run(self)

    def leave_for(self, then: Callable[[], object]) -> None:
        """Leave this build for something else, and ask first where edits would be lost."""
        self.finish()
        if self.editor.unsaved:
            filing.ask_to_leave(self, then)
        else:
            then()

    def open_path(self, path: Path) -> None:
        """Open a file in place of this one."""
        self.app.open_path(path)  # type: ignore[attr-defined]  # our app has it; importing it here would be a circle

    def go_to_start(self) -> None:
        """Go to the start page."""
        self.app.show_start()  # type: ignore[attr-defined]  # as above

    def field(self, key: str) -> Field:
        """Return the widget of a field."""
        return self.query_one(f"#{field_id(key)}", Field)
