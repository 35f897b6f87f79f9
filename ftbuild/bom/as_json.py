"""A bill as JSON, for other programs: plain numbers in USD and W, null for what is not known."""

from __future__ import annotations

import json
from typing import Any

from ftbuild.bom.bill import Bill, Row

BILL_SCHEMA = 1


def to_json(bill: Bill) -> str:
    """Return the bill as one JSON object."""
    document = {
        "schema": BILL_SCHEMA,
        "build": bill.build,
        "rows": [_row(row) for row in bill.rows],
        "total": bill.total,
        "unpriced": len(bill.unpriced),
        "quote": bill.quote,
        "power": bill.power,
        "unpowered": len(bill.unpowered),
        "currency": "USD",
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "part": row.title,
        "group": row.group,
        "quantity": row.quantity,
        "unit_price": row.price,
        "extended": row.extended,
        "unit_power": row.power,
        "power": row.draw,
        "price_date": row.price_date or None,
        "price_source": row.price_source or None,
        "quoted": row.quoted,
        "implied": row.implied,
        "assumption": row.assumption or None,
    }
