"""Cells and totals of a bill in words, shared by the formats for people."""

from __future__ import annotations

from ftbuild import units
from ftbuild.bom.bill import Bill, Row
from ftbuild.units import Kind

UNKNOWN = "unknown"
HEADINGS = ("Part", "Quantity", "Unit price", "Extended", "Power", "Price of", "Source", "Remarks")


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row, in the order of `HEADINGS`."""
    return (
        row.title,
        units.show(row.quantity, Kind.COUNT),
        money(row.price),
        money(row.extended),
        watts(row.draw),
        row.price_date,
        row.price_source,
        remarks(row),
    )


def remarks(row: Row) -> str:
    """Say what is special about a row: that nobody typed it, and what was assumed."""
    said = ["not typed, but needed"] if row.implied else []
    return "; ".join([*said, *([row.assumption] if row.assumption else [])])


def money(value: float | None) -> str:
    """Write a price; one that is not known is never a zero."""
    return UNKNOWN if value is None else units.show(value, Kind.MONEY)


def watts(value: float | None) -> str:
    """Write a draw; nothing for what draws nothing of its own."""
    if value is None:
        return UNKNOWN
    return units.show(value, Kind.POWER) if value else ""


def total_lines(bill: Bill) -> list[str]:
    """Say what the bill adds up to, how many prices are missing, and how that compares with the quote."""
    count, missing = len(bill.rows), len(bill.unpriced)
    known = money(bill.total)
    if missing:
        said = [f"Total: at least {known}; {missing} of {count} parts without a known price"]
    else:
        said = [f"Total: {known}"]
    if bill.quote is not None:
        said.append(_compared(bill))
    unknown = len(bill.unpowered)
    of = "of the listed parts whose draw is known" if unknown else "of the listed parts"
    draw = f"Power: {units.show(bill.power, Kind.POWER)} at full draw {of}, before losses of the supplies"
    more = f"; {unknown} of {count} parts without a known draw (power.node estimates the whole node)"
    return [*said, draw + (more if unknown else "")]


def _compared(bill: Bill) -> str:
    quote = bill.quote or 0.0
    left = quote - bill.total
    if left < 0:
        return f"Quoted: {money(quote)}, which the known prices alone exceed by {money(-left)}"
    if bill.unpriced:
        return f"Quoted: {money(quote)}, which leaves {money(left)} for the parts without a known price"
    return f"Quoted: {money(quote)}, {money(left)} more than the parts"
