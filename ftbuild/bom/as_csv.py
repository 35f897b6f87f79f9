"""A bill as CSV for a spreadsheet: numbers as numbers, and no text that a spreadsheet would run."""

from __future__ import annotations

import csv
import io

from ftbuild.bom.bill import Bill, Row
from ftbuild.bom.words import remarks

COLUMNS = (
    "id", "part", "group", "quantity", "unit_price_usd", "extended_usd", "power_w", "price_date",
    "price_source", "implied", "remarks",
)  # fmt: skip

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")  # noqa: RUF001 - these very signs
"""What makes a spreadsheet take a cell for a formula or a command (OWASP, CSV injection)."""
BLANK = " \u00a0\ufeff"


def to_csv(bill: Bill) -> str:
    """Return the bill; a price or draw that is not known is an empty cell, and the last rows count them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(row) for row in bill.rows)
    writer.writerow(_summary("total of known prices and draws", extended=bill.total, power=bill.power))
    writer.writerow(_summary("parts without a known price", quantity=float(len(bill.unpriced))))
    writer.writerow(_summary("parts without a known draw", quantity=float(len(bill.unpowered))))
    if bill.quote is not None:
        writer.writerow(_summary("quoted total", extended=bill.quote))
    return text.getvalue()


def _cells(row: Row) -> list[str | int | float]:
    return [
        safe(row.id),
        safe(row.title),
        safe(row.group),
        _number(row.quantity),
        _number(row.price),
        _number(row.extended),
        _number(row.draw),
        safe(row.price_date),
        safe(row.price_source),
        "yes" if row.implied else "no",
        safe(remarks(row)),
    ]


def _summary(
    what: str, quantity: float | None = None, extended: float | None = None, power: float | None = None
) -> list[str | int | float]:
    return ["", what, "", _number(quantity), "", _number(extended), _number(power), "", "", "", ""]


def safe(text: str) -> str:
    """Return text that no spreadsheet runs: an apostrophe goes before what starts like a formula."""
    bare = text.lstrip(BLANK)
    return f"'{text}" if bare.startswith(_FORMULA) else text


def _number(value: float | None) -> str | int | float:
    if value is None:
        return ""
    return int(value) if value.is_integer() else round(value, 4)
