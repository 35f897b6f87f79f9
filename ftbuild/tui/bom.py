"""The bill of materials on screen: rows, totals, own prices, export."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ftbuild import disk
from ftbuild.bom import EXPORTERS, Bill, Row, bill, total_lines
from ftbuild.bom.words import HEADINGS, cells
from ftbuild.problems import BuildError, plain
from ftbuild.schema import Number
from ftbuild.tui.dialogs.path import PathDialog
from ftbuild.tui.dialogs.prompt import Prompt
from ftbuild.tui.editor import Editor
from ftbuild.tui.lines import Entry, Line, Lines
from ftbuild.tui.session import Session
from ftbuild.tui.terminal.screen import QuietScreen
from ftbuild.tui.values import PRICES, text_of
from ftbuild.units import Kind

WIDTHS = (34, 8, 12, 13, 9, 10, 30, 60)
"""Of the columns in the order of `HEADINGS`; on a narrow screen the last ones are cut."""
RIGHT = frozenset({1, 2, 3, 4})
NARROW_PART = 26
UNIT_PRICE = 2
WITH_UNIT_PRICE = 65
"""Columns that the table takes up to the extended price; with fewer the price of one is left out."""
_PRICE = Number("Price", Kind.MONEY, 0, 1e12)


class BomScreen(QuietScreen[None]):
    """The bill of the build that is being edited."""

    CSS_PATH = "bom.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f2,q", "close", "Back"),
        ("x,ctrl+s", "export", "Export"),
        ("delete", "clear_price", "Catalog price"),
        ("ctrl+z", "undo", "Undo"),
        ("ctrl+y", "redo", "Redo"),
    ]

    def __init__(self, editor: Editor, session: Session) -> None:
        super().__init__()
        self.editor = editor
        self.session = session
        self.bill: Bill | None = None

    def compose(self) -> ComposeResult:
        """Lay out title, table, totals and keys."""
        title = Line(id="title")
        name = plain(self.editor.build.name or (self.editor.path.name if self.editor.path else ""))
        title.show(Content.assemble((" Bill of materials ", "bold $text-primary"), " ", name))
        yield title
        yield Line(id="heads")
        yield Lines(id="rows")
        yield Lines(id="totals")
        yield Line(id="about")
        keys = Line(id="keys")
        keys.show(Content.styled(" Enter Own price  Del Catalog price  ^Z Undo  x Export  Esc Back", "bold"))
        yield keys

    def on_mount(self) -> None:
        """Fill the table."""
        self.query_one("#totals", Lines).can_focus = False
        self.query_one("#rows", Lines).focus()
        self.call_after_refresh(self.sync)

    def on_resize(self) -> None:
        """Cut the table to the new width."""
        self.call_after_refresh(self.sync)

    def sync(self) -> None:
        """Show the bill of the build in force."""
        rows = self.query_one("#rows", Lines)
        width = rows.scrollable_content_region.width
        try:
            self.bill = bill(self.editor.build, self.session.catalog, self.editor.folder)
        except BuildError as error:
            self.bill = None
            rows.show([Entry("", Content.styled(plain(error, 400), "$text-error"))])
            return
        self.query_one("#heads", Line).show(Content.styled(" " + _laid(HEADINGS, width), "bold $text-accent"))
        rows.show([Entry(row.id, _line(row, width)) for row in self.bill.rows])
        totals = total_lines(self.bill)
        self.query_one("#totals", Lines).show(
            [Entry(str(at), Content(line)) for at, line in enumerate(totals)]
        )
        self._show_about()

    def on_lines_moved(self, _message: Lines.Moved) -> None:
        """Say all of the row under the cursor."""
        self._show_about()

    def on_lines_entered(self, message: Lines.Entered) -> None:
        """Ask for the user's own price of a part."""
        key = PRICES + message.entry

        def take(text: str | None) -> None:
            if text is not None:
                self.editor.set(key, text)
                self.sync()

        start = text_of(self.editor.build, key)
        rows = self.bill.rows if self.bill is not None else ()
        title = next((row.title for row in rows if row.id == message.entry), message.entry)
        self.app.push_screen(
            Prompt(
                f"Price of one {plain(title)}, USD",
                start,
                "USD, such as 28500; empty: the catalog's",
                _wrong,
            ),
            take,
        )

    def action_clear_price(self) -> None:
        """Go back to the catalog's price."""
        entry = self.query_one("#rows", Lines).current
        if entry and entry in self.editor.build.cost.price:
            self.editor.set(PRICES + entry, "")
            self.sync()

    def action_undo(self) -> None:
        """Go back one step."""
        self._after(f"undone: {self.editor.undo() or 'nothing'}")

    def action_redo(self) -> None:
        """Take a step again."""
        self._after(f"done again: {self.editor.redo() or 'nothing'}")

    def _after(self, words: str) -> None:
        self.sync()
        self.query_one("#about", Line).show(Content.styled(f" {plain(words)}", "bold"))

    def action_close(self) -> None:
        """Go back to the desk."""
        self.dismiss(None)

    def action_export(self) -> None:
        """Ask for a file and write the bill there, in the format of its suffix."""
        stem = self.editor.path.with_suffix("") if self.editor.path else Path("bom")

        def take(path: Path | None) -> None:
            if path is not None:
                self._export(path)

        suffixes = [f".{name}" for name in EXPORTERS]
        words = f"Export to a file ({', '.join(suffixes)})"
        dialog = PathDialog(words, f"{stem}-bom.csv", must_exist=False, suffixes=suffixes)
        self.app.push_screen(dialog, take)

    def _export(self, path: Path) -> None:
        export = EXPORTERS.get(path.suffix.removeprefix(".").casefold())
        if export is None or self.bill is None:
            return  # the dialog lets no other name through; without a bill there is nothing to write
        try:
            disk.write(path, export(self.bill).encode(), force=True)
        except BuildError as error:
            self.notify(f"not written: {plain(error, 300)}", severity="error", markup=False)
        else:
            self.notify(f"written: {plain(path, 200)}", markup=False)

    def _show_about(self) -> None:
        current = self.query_one("#rows", Lines).current
        row = next((row for row in self.bill.rows if row.id == current), None) if self.bill else None
        words = ""
        if row is not None:
            words = "; ".join(text for text in (row.id, *cells(row)[5:]) if text)
        self.query_one("#about", Line).show(Content.styled(f" {words}", "$foreground 60%"))


def _line(row: Row, width: int) -> Content:
    texts = cells(row)
    line = Content(_laid(texts, width))
    if row.price is None:
        return line.stylize("$text-warning")
    return line.stylize("bold $text-accent") if row.quoted else line


def _laid(texts: Sequence[str], width: int) -> str:
    widths = (NARROW_PART, *WIDTHS[1:]) if width < 100 else WIDTHS
    parts = []
    for at, (text, size) in enumerate(zip(texts, widths, strict=True)):
        if at == UNIT_PRICE and width < WITH_UNIT_PRICE:
            continue
        cut = set_cell_size(text, size) if cell_len(text) > size else text
        space = " " * (size - cell_len(cut))
        parts.append(space + cut if at in RIGHT else cut + space)
    return set_cell_size("  ".join(parts), max(width, 1))


def _wrong(text: str) -> str:
    if not text.strip():
        return ""
    try:
        _PRICE.read(text)
    except ValueError:
        return f"not a price; {_PRICE.accepts()}"
    return ""
