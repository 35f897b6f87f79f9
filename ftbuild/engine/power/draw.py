"""What a node draws, before and behind its supplies; W throughout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.core import Array
from ftbuild.engine.light import smaller
from ftbuild.engine.tables import power as table


def gpu_share(share: Any, limit: Any, reached: float) -> Any:
    """Return the share of board power that a power limit leaves, where `reached` of a limit is drawn."""
    return smaller(share, limit * reached)


def with_fans(parts: Any, fans: Any) -> Any:
    """Return the DC draw of a node whose fans take the share `fans` of it: parts / (1 - fans)."""
    return parts / (1.0 - fans)


def efficiency(points: Any, load: Any) -> Any:
    """Return a supply's efficiency at `load`, linear between `points` at `tables.power.LOADS`.

    `points` of shape (5,) or (5, n), `load` a number or of shape (n,). 80 PLUS names minima at 10, 20, 50
    and 100 %; below the first, efficiency falls to 0.8 of it at 2 %, which is an assumption.
    """
    if points.ndim == 1:
        return np.interp(load, _LOADS, points)
    rise = (points[1:] - points[:-1]) / _WIDTHS[:, None]
    climbed: Any = points[0]
    for segment in range(len(_WIDTHS)):
        climbed = climbed + rise[segment] * np.clip(load - table.LOADS[segment], 0.0, _WIDTHS[segment])
    return climbed


def curve(loads: Any, values: Any) -> tuple[float, ...]:
    """Return a tier's efficiency at `tables.power.LOADS`, from what its certification names."""
    xs = (table.LOADS[0], *loads)
    ys = (table.FIRST_LOAD * values[0], *values)
    return tuple(float(value) for value in np.interp(table.LOADS, xs, ys))


_LOADS: Array = np.array(table.LOADS)
_WIDTHS: Array = np.diff(_LOADS)
