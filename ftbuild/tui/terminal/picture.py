"""What the terminal shows, remembered, so that only the cells that differ are sent.

Textual repaints regions: a widget that is refreshed is sent whole, and a dialog that opens or closes sends
the whole screen, though most cells stay as they are. Over a slow link that is what the user waits for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size

from ftbuild.tui.terminal.sgr import switch

_TOKEN = re.compile(
    r"\x1b\[(?:(?P<row>\d+);(?P<column>\d+)H|(?P<style>[0-9;]*)m)|(?P<text>[^\x00-\x1f\x7f]+)|\n"
)
"""All that a frame is made of: moves, styles, text. Line ends are followed by a move."""
_FRAME = re.compile(r"\x1b\[\d+;\d+H")
_UNSEEN = re.compile(r"\x1b\[[?<>=][0-9;]*\$?[a-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x07|")
"""What draws nothing: mode switches, messages to the terminal such as the clipboard's, the bell."""
NEAR = 4
"""Equal cells between two that differ are sent too when they are so few: a move would take more bytes."""

Run = tuple[int, int, str, list[str]]
"""Row, column, style and characters, one a cell; the second cell of a wide character holds nothing."""


class Picture:
    """The cells of the terminal, as far as they are known."""

    def __init__(self) -> None:
        self.size = (80, 24)
        self._known = False
        self._chars: list[list[str | None]] = []
        self._styles: list[list[str | None]] = []
        self._cursor = (-1, -1)

    def forget(self) -> None:
        """Take nothing for granted any more: the next frame is sent as it is. Safe in any thread."""
        self._known = False

    def reduce(self, output: str) -> str:
        """Return what must be sent for the terminal to show `output`; nothing, where it does already."""
        if not _FRAME.match(output):
            if not _UNSEEN.fullmatch(output):
                self.forget()
            return output
        if not self._known:
            self._start()
        runs, cursor = self._parse(output)
        if runs is None:
            self.forget()
            return output
        sent = self._send([piece for run in runs for piece in self._differing(run)])
        if not sent and cursor == self._cursor:
            return ""
        self._cursor = cursor
        return f"{sent}\x1b[{cursor[0] + 1};{cursor[1] + 1}H"

    def _start(self) -> None:
        """Begin with cells of which nothing is known."""
        width, height = self.size
        self._chars = [[None] * width for _ in range(height)]
        self._styles = [[None] * width for _ in range(height)]
        self._cursor = (-1, -1)
        self._known = True

    def _parse(self, frame: str) -> tuple[list[Run] | None, tuple[int, int]]:
        """Return a frame's runs of text and where it leaves the cursor; no runs if it holds anything else."""
        runs: list[Run] = []
        row = column = at = 0
        style = ""
        for token in _TOKEN.finditer(frame):
            if token.start() != at:
                return None, (0, 0)
            at = token.end()
            if (text := token["text"]) is not None:
                cells = _cells(text)
                if cells is None or not self._holds(row, column + len(cells)):
                    return None, (0, 0)
                runs.append((row, column, style, cells))
                column += len(cells)
            elif (code := token["style"]) is not None:
                style = "" if code == "0" else code
            elif token["row"] is not None:
                row, column = int(token["row"]) - 1, int(token["column"]) - 1
        return (runs if at == len(frame) else None), (row, column)

    def _holds(self, row: int, end: int) -> bool:
        return 0 <= row < len(self._chars) and end <= len(self._chars[row])

    def _differing(self, run: Run) -> Iterator[Run]:
        """Yield the parts of a run that the terminal does not show yet, and remember them."""
        row, column, style, cells = run
        chars, styles = self._chars[row], self._styles[row]
        end = column + len(cells)
        if chars[column:end] == cells and styles[column:end] == [style] * len(cells):
            return
        differing = [at for at, cell in enumerate(cells, column) if chars[at] != cell or styles[at] != style]
        if column and chars[column] == "" and cells[0] != "":
            chars[column - 1] = (
                None  # half of a wide character that is overwritten takes the other half with it
            )
        if end < len(chars) and chars[end] == "":
            chars[end] = None
        chars[column:end] = cells
        styles[column:end] = [style] * len(cells)
        for first, last in _stretches(differing):
            while cells[first - column] == "" and first > column:
                first -= 1
            yield row, first, style, cells[first - column : last + 1 - column]

    def _send(self, runs: list[Run]) -> str:
        """Return the output that draws these runs."""
        parts: list[str] = []
        here: tuple[int, int] | None = None
        current = ""  # every frame ends plain
        for row, column, style, cells in runs:
            if here != (row, column):
                parts.append(f"\x1b[{row + 1};{column + 1}H")
            if style != current:
                parts.append(switch(current, style))
                current = style
            parts.extend(cells)
            here = (row, column + len(cells))
        if current:
            parts.append(switch(current, ""))
        return "".join(parts)


def _cells(text: str) -> list[str] | None:
    """Return the characters of `text` by cell, or None where only the terminal knows how they join."""
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for char in text:
        width = get_character_cell_size(char)
        if width == 0:
            return None
        cells.append(char)
        if width == 2:
            cells.append("")
    return cells if len(cells) == cell_len(text) else None


def _stretches(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of each stretch of ascending numbers without a wide gap."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number - last > NEAR:
            yield first, last
            first = number
        last = number
    yield first, last
