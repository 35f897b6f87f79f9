"""Power limits of GPUs: what fits, and what it costs in speed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.light import larger, smaller
from ftbuild.engine.tables import power as table
from ftbuild.engine.tables.runtime import POWER_LIMITS, POWER_SPEEDS

_LIMITS, _SPEEDS = np.array(POWER_LIMITS), np.array(POWER_SPEEDS)
_LOW, _HIGH = np.array(table.CAPPED_LOW), np.array(table.CAPPED_HIGH)


def fitting_limit(budget: Any, fans: Any, others: Any, gpus: Any) -> Any:
    """Return the largest share of board power at which a node's DC draw stays within `budget` W.

    `others` is the rest of the node before fans, `gpus` the GPUs at full board power, W; 0 to 1.
    """
    return smaller(larger((budget * (1.0 - fans) - others) / gpus, 0.0), 1.0)


def speed(limit: Any) -> tuple[Any, Any, Any]:
    """Return speed over unlimited speed at a power limit: likely, low and high."""
    likely = np.interp(limit, _LIMITS, _SPEEDS)
    low = np.interp(limit, _LIMITS, _LOW)
    high = np.interp(limit, _LIMITS, _HIGH)
    return likely, low, high
