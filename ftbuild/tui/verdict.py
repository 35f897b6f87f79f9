"""What the engine says of the build: the verdict's figures, the findings, the strip of a narrow screen."""

from __future__ import annotations

from textual.content import Content
from textual.events import Resize

from ftbuild.problems import plain
from ftbuild.tui.editor import Editor
from ftbuild.tui.lines import Entry, Lines

WAITING = "The engine is loading."


class Verdict(Lines):
    """The figures that decide, one line each."""

    cut = True

    def __init__(self, editor: Editor, plain_text: bool) -> None:
        super().__init__(id="verdict")
        self.editor = editor
        self.plain_text = plain_text
        self.border_title = Content("Verdict")

    def sync(self) -> None:
        """Show the report in force."""
        report = self.editor.report
        if report is None:
            self.show([Entry("", Content.styled(waiting(self.editor), "$foreground 60%"))])
            return
        from ftbuild.tui import reading

        self.show(reading.verdict_entries(report, self.scrollable_content_region.width, self.plain_text))

    def on_resize(self, event: Resize) -> None:
        """Draw the bar to the new width."""
        super().on_resize(event)
        self.sync()


class Findings(Lines):
    """What the rules say, the worst first."""

    def __init__(self, editor: Editor) -> None:
        super().__init__(id="findings")
        self.editor = editor
        self.everything = False
        self.border_title = Content("F9 Findings")

    def sync(self) -> None:
        """Show the findings; in their old order while a value is being typed."""
        report, editing = self.editor.report, self.editor.editing is not None
        self.steady = editing
        if report is None:
            self.show([_trouble(key, text) for key, text in trouble(self.editor)])
            return
        from ftbuild.tui import reading

        before = [entry.id for entry in self.entries]
        entries = reading.finding_entries(report, before, editing, self.everything)
        self.show(entries or [Entry("", Content.styled("+ nothing is violated", "$text-success"))])


def trouble(editor: Editor) -> list[tuple[str, str]]:
    """Return why there is no report: key and message."""
    return [(problem.key, plain(problem, 300)) for problem in editor.trouble]


def waiting(editor: Editor) -> str:
    """Say why there is no verdict."""
    found = trouble(editor)
    return f"No verdict: {found[0][1]}" if found else WAITING


def _trouble(key: str, text: str) -> Entry:
    return Entry(key, Content.assemble(("x error ", "$text-error bold"), text))
