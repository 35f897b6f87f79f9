"""A list that filters while one types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from ftbuild.problems import hostile
from ftbuild.tui.dialogs.base import Box, Dialog, keys_line
from ftbuild.tui.lines import Entry, Lines

TITLE_WIDTH = 24
AS_TYPED = "\n"
"""Id of the entry that takes the text as it was typed: no option has such an id."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: what is returned for it, its name, the facts that matter."""

    id: str
    title: str
    facts: str = ""


class Picker(Dialog[str]):
    """Returns the id of the option that was chosen, or the text that was typed where that is allowed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *Dialog.BINDINGS,
        Binding("up,ctrl+k", "move(-1)", priority=True, show=False),
        Binding("down,ctrl+n", "move(1)", priority=True, show=False),
        Binding("pageup", "move(-10)", priority=True, show=False),
        Binding("pagedown", "move(10)", priority=True, show=False),
        Binding("enter", "take", priority=True, show=False),
    ]

    def __init__(
        self,
        title: str,
        choose: Callable[[str], Sequence[Option]],
        *,
        typed: str = "",
        current: str = "",
        accepts_text: str = "",
        title_share: float = 0.3,
    ) -> None:
        super().__init__()
        self.heading = title
        self.choose = choose
        self.typed = typed
        self.current = current
        self._filtered: str | None = None
        """The text that the list was made for."""
        self.title_share = title_share
        self.accepts_text = accepts_text
        """What text of the user's own may be; without it, only options are taken."""

    def compose(self) -> ComposeResult:
        """Lay out the filter, the list and the facts of the option under the cursor."""
        with Box(self.heading, tall=True):
            field = Input(self.typed, placeholder="type to filter", select_on_focus=False)
            field.cursor_blink = False
            yield field
            options = Lines(id="options")
            options.can_focus = False
            options.cut = True
            yield options
            facts = Lines(id="facts")
            facts.can_focus = False
            facts.selectable = False
            yield facts
            yield keys_line("type to filter   Up Down choose   Enter takes   Esc cancels")

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one("#options", Lines).always_cursor = True
        self.call_after_refresh(self._fill)

    @on(Input.Changed)
    def _filter(self) -> None:
        self._fill()

    @on(Lines.Moved)
    def _moved(self) -> None:
        self._show_facts()

    @on(Lines.Entered)
    def _entered(self) -> None:
        self.action_take()

    def on_resize(self) -> None:
        """Cut the entries to the new width."""
        self.call_after_refresh(self._fill)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        options = self.query_one("#options", Lines)
        options.move_to(options.cursor + by)

    def action_take(self) -> None:
        """Return what the cursor stands on."""
        chosen = self.query_one("#options", Lines).current
        typed = self.query_one(Input).value.strip()
        if chosen == AS_TYPED and not hostile(typed):
            self.dismiss(typed)
        elif chosen and chosen != AS_TYPED:
            self.dismiss(chosen)

    def _fill(self) -> None:
        """List what the text leaves; the cursor stays while the text does."""
        options = self.query_one("#options", Lines)
        typed = self.query_one(Input).value.strip()
        width = options.scrollable_content_region.width
        self.found = {option.id: option for option in self.choose(typed)}
        entries = [
            Entry(one.id, _line(one, max(round(width * self.title_share), TITLE_WIDTH)))
            for one in self.found.values()
        ]
        if self.accepts_text and typed and typed not in self.found:
            words = Content.assemble(
                "use ", (typed, "bold"), (f"  as typed: {self.accepts_text}", "$foreground 60%")
            )
            entries.append(Entry(AS_TYPED, words))
        options.show(entries)
        if typed != self._filtered:
            first = self._filtered is None and not typed and self.current in self.found
            options.cursor = list(self.found).index(self.current) if first else 0
            self._filtered = typed
        options.move_to(options.cursor)
        options.refresh()
        self._show_facts()

    def _show_facts(self) -> None:
        option = self.found.get(self.query_one("#options", Lines).current)
        facts = f"{option.title}: {option.facts}" if option and option.facts else f"{len(self.found)} choices"
        self.query_one("#facts", Lines).show([Entry("", Content.styled(facts, "$text-accent"))])


def _line(option: Option, title_width: int) -> Content:
    title = set_cell_size(option.title, title_width)
    return Content.assemble((title, "bold"), " ", (option.facts, "$foreground 60%"))
