"""From allocations to what a process holds of the card."""

from __future__ import annotations

from typing import Any


def held_beside(
    row: Any, *, peers: Any, logits: Any, activations: Any, workspace: Any, gathered: Any, step: Any
) -> Any:
    """Bytes beside the peak of allocations: context, peers' buffers, and shares of what is freed.

    `row` is one of `tables.reserve`; `peers` 0 or 1; the others bytes of the phases that leave them.
    """
    shares = row.logits * logits + row.activations * activations + row.workspace * workspace
    return row.context + row.peers * peers + shares + row.gathered * gathered + row.step * step
