"""The range of the peak of allocations, and from there to what a process holds of the card."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.tables import spread


def held_beside(row: Any, *, peers: Any, **freed: Any) -> Any:
    """Bytes beside the peak of allocations: context, peers' buffers, and shares of what is freed.

    `row` is one of `tables.reserve`; `peers` 0 or 1; `freed` the bytes that phases leave, each by the name of
    the row's share of them.
    """
    shares = sum(getattr(row, name) * left for name, left in freed.items())
    return row.context + row.peers * peers + shares


def spread_of(work: Any) -> tuple[Any, Any]:
    """Shares of the peak by which nine in ten measurements lie below and above it at most."""
    applies = (
        (spread.COUNTED, 1.0),
        (spread.WEIGHT_NORM, work.method.magnitude),
        (spread.ROUTED, work.model.moe_layers > 0),
        (spread.DOCUMENTED, work.stack.documented),
        (spread.UNRESOLVED, work.stack.few_bits_unresolved * work.method.quantized),
    )
    return sum(row.low * flag for row, flag in applies), sum(row.high * flag for row, flag in applies)
