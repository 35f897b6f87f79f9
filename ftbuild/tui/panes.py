"""The panes of the form, made from the fields of a build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from ftbuild.build import FIELDS
from ftbuild.tui.editor import Editor
from ftbuild.tui.fields import Field, Namer
from ftbuild.tui.lines import Line


@dataclass(frozen=True, slots=True)
class PaneSpec:
    """Which fields stand on a pane."""

    id: str
    title: str
    key: str
    """Brings the pane to the front."""
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    """Headings (the first pane's first group has none), each with the sections whose fields follow."""

    def keys(self) -> Iterator[str]:
        """Yield the keys of its fields, in order."""
        for _, sections in self.groups:
            yield from _keys(sections)


PANES: tuple[PaneSpec, ...] = (
    PaneSpec("workload", "Workload", "f5", (("", ("name", "workload")), ("Measured run", ("measured",)))),
    PaneSpec("hardware", "Hardware", "f6", (("", ("hardware",)),)),
    PaneSpec(
        "storage",
        "Storage & network",
        "f7",
        (("", ("storage",)), ("Measured storage", ("storage.measured",)), ("Network", ("network",))),
    ),
    PaneSpec("power", "Power & cost", "f8", (("", ("power",)), ("Cost", ("cost",)))),
)


def _keys(sections: tuple[str, ...]) -> Iterator[str]:
    for section in sections:
        yield from (key for key, spec in FIELDS.items() if spec.section == section or key == section)


class Pane(VerticalScroll, can_focus=False):
    """One pane: headings and fields."""

    def __init__(self, spec: PaneSpec, editor: Editor, namer: Namer) -> None:
        super().__init__(id=f"pane-{spec.id}", classes="pane")
        self.spec = spec
        self.editor = editor
        self.namer = namer
        self.border_title = Content.assemble(spec.key.upper(), " ", spec.title)
        self.fields: list[Field] = []

    def compose(self) -> ComposeResult:
        """Lay out the fields under their headings."""
        for heading, sections in self.spec.groups:
            if heading:
                line = Line(classes="heading")
                line.show(Content(heading))
                yield line
            for key in _keys(sections):
                field = Field(key, self.editor, self.namer)
                self.fields.append(field)
                yield field

    def sync(self) -> None:
        """Repaint the fields that changed."""
        for field in self.fields:
            field.sync()

    @property
    def first(self) -> Field:
        """The first field."""
        return self.fields[0]
