"""A bill as a Markdown table, for an issue, a wiki or a mail."""

from __future__ import annotations

import re

from ftbuild.bom.bill import Bill
from ftbuild.bom.words import HEADINGS, cells, total_lines

_RIGHT = frozenset({"Quantity", "Unit price", "Extended", "Power"})
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~&])")


def to_markdown(bill: Bill) -> str:
    """Return the table and its totals; text of the build and the catalog is shown as it stands."""
    lines = [f"# Bill of materials: {escaped(bill.build)}" if bill.build else "# Bill of materials", ""]
    lines.append("| " + " | ".join(HEADINGS) + " |")
    lines.append("| " + " | ".join("---:" if name in _RIGHT else "---" for name in HEADINGS) + " |")
    lines += ["| " + " | ".join(escaped(cell) for cell in cells(row)) + " |" for row in bill.rows]
    lines += ["", *(f"- {escaped(line)}" for line in total_lines(bill))]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return text without meaning to Markdown or HTML, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
