"""The bill of materials: every part with quantity, price and power; prices can be edited, bills written."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from ftbuild import disk
from ftbuild.bom import EXPORTERS, Bill, bill, total_lines
from ftbuild.bom.words import HEADINGS, cells
from ftbuild.catalog import Catalog
from ftbuild.problems import BuildError, plain
from ftbuild.tui.editor import Editor
from ftbuild.tui.terminal.screen import QuietModalScreen
from ftbuild.tui.values import PRICES

_SHOWN = ("Part", "Quantity", "Unit price", "Extended", "Power", "Price of")
_RIGHT = frozenset({"Quantity", "Unit price", "Extended", "Power"})
_PLACES = tuple(HEADINGS.index(heading) for heading in _SHOWN)
_SOURCE, _REMARKS = HEADINGS.index("Source"), HEADINGS.index("Remarks")
_KEYS = "Enter price   x export   Escape back"


class BomScreen(QuietModalScreen[None]):
    """Shows the bill of the build in force. An edited price is an undoable change of ``[cost.price]``."""

    CSS_PATH: ClassVar[str] = "bom.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("x", "export", "Export"),
    ]

    def __init__(self, editor: Editor, catalog: Catalog) -> None:
        super().__init__()
        self._editor = editor
        self._catalog = catalog
        self._bill: Bill | None = None
        self._asks = ""
        """What the line of input is for: the id of a part whose price it takes, or ``export``."""

    def compose(self) -> ComposeResult:
        """Lay out the table, the remarks on the row under the cursor, the totals and a line of input."""
        with Vertical(id="bom"):
            yield DataTable(id="bom-rows", cursor_type="row", cell_padding=1)
            yield Static(id="bom-remarks")
            yield Static(id="bom-totals")
            yield Input(id="bom-input", compact=True, select_on_focus=False)
            yield Static(Content(_KEYS), id="bom-keys")

    def on_mount(self) -> None:
        """Fill the table."""
        self.query_one("#bom", Vertical).border_title = Content("Bill of materials")
        self.query_one(Input).cursor_blink = False
        table = self._table
        for heading in _SHOWN:
            table.add_column(_cell(heading, heading), key=heading)
        self._fill()
        table.focus()

    @property
    def _table(self) -> DataTable[Text]:
        return self.query_one("#bom-rows", DataTable)

    def _fill(self) -> None:
        table = self._table
        place = table.cursor_row
        try:
            self._bill = bill(self._editor.build, self._catalog, self._editor.folder)
        except BuildError as error:
            self._say(str(error))
            return
        table.clear()
        for row in self._bill.rows:
            texts = cells(row)
            table.add_row(*map(_cell, _SHOWN, (texts[at] for at in _PLACES)), key=row.id)
        table.move_cursor(row=min(place, len(self._bill.rows) - 1))
        self._say("\n".join(total_lines(self._bill)))

    def _say(self, text: str) -> None:
        self.query_one("#bom-totals", Static).update(Content(text))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show where the price comes from and what was assumed."""
        if self._bill is None or not 0 <= event.cursor_row < len(self._bill.rows):
            return
        texts = cells(self._bill.rows[event.cursor_row])
        remarks = "; ".join(part for part in (texts[_SOURCE], texts[_REMARKS]) if part)
        self.query_one("#bom-remarks", Static).update(Content(plain(remarks, 400)))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Ask for the price of the part."""
        if self._bill is None:
            return
        row = self._bill.rows[event.cursor_row]
        shown = "" if row.price is None else f"{row.price:.12g}"
        self._ask(row.id, f"USD each for {plain(row.title)}; empty takes the catalog's", shown)

    def action_export(self) -> None:
        """Ask where to write the bill; the suffix decides the format."""
        name = (self._editor.path or Path("rig.toml")).with_suffix("").name
        self._ask("export", "File: " + ", ".join(f".{form}" for form in EXPORTERS), f"{name}-bom.csv")

    def _ask(self, what: str, placeholder: str, text: str) -> None:
        self._asks = what
        entry = self.query_one(Input)
        entry.placeholder = placeholder
        entry.border_title = Content(placeholder)
        entry.value = text
        entry.cursor_position = len(text)
        self.add_class("-asking")
        entry.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the price, or write the file."""
        taken = self._export(event.value) if self._asks == "export" else self._price(self._asks, event.value)
        if taken:
            self._answered()

    def _price(self, part: str, text: str) -> bool:
        key = PRICES + part
        self._editor.set(key, text)
        problem = self._editor.problem(key)
        if problem is not None:
            self._editor.undo()
            self._say(problem.message)
            return False
        self._fill()
        return True

    def _export(self, text: str) -> bool:
        path = Path(text.strip()).expanduser()
        form = path.suffix.removeprefix(".").casefold()
        if self._bill is None or form not in EXPORTERS:
            self._say("The name ends in " + " or ".join(f".{name}" for name in EXPORTERS))
            return False
        try:
            disk.write(path, EXPORTERS[form](self._bill).encode(), force=False)
        except BuildError as error:
            self._say(f"{plain(text)}: {error}")
            return False
        self._say(f"Written to {plain(str(path))}")
        return True

    def _answered(self) -> None:
        self._asks = ""
        self.remove_class("-asking")
        self._table.focus()

    def action_back(self) -> None:
        """Leave the line of input, or the bill."""
        if self._asks:
            self._answered()
        else:
            self.dismiss(None)


def _cell(heading: str, text: str) -> Text:
    """Return text as it stands, without markup."""
    return Text(plain(text, 60), justify="right" if heading in _RIGHT else "left", no_wrap=True)
