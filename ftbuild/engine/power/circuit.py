"""Breakers, feeds, phases and racks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.light import larger, pick

ROOT3 = 3.0**0.5


def circuit_capacity(voltage: Any, current: Any, phases: Any, continuous: Any) -> Any:
    """Return the W of one circuit: k V A, on three phases k sqrt(3) V A with V between lines.

    `continuous` is k: 0.8 of the breaker for loads of three hours and more (NEC 210.20, 215.3).
    """
    return continuous * voltage * current * pick(phases > 1, ROOT3, 1.0)


def carrying(feeds: Any, redundant: Any) -> Any:
    """Return how many feeds share the load at worst: all, or all but one where one may be lost."""
    return larger(feeds - (redundant * (feeds > 1)), 1.0)


def phase_skew(supplies: Any, phases: Any, star: Any) -> Any:
    """Return the current of the most loaded line over that of a balanced feed, for equal supplies.

    Supplies are dealt to the three pairs (or, where `star`, phases) in turn. A line between pairs that carry
    a and b supplies has sqrt(a^2 + b^2 + a b) times a supply's current; balanced it is sqrt(3) m / 3.
    """
    m = larger(supplies, 1.0)
    first, second = np.ceil(m / 3.0), np.ceil((m - 1.0) / 3.0)
    delta = np.sqrt(first * first + second * second + first * second) * ROOT3 / m
    return pick(phases > 1, pick(star, 3.0 * first / m, delta), 1.0)


def nodes_per_rack(rack: Any, node: Any) -> Any:
    """Return how many whole nodes of `node` W a rack of `rack` W takes."""
    return np.floor(rack / node)


def racks_needed(nodes: Any, each: Any) -> Any:
    """Return the racks for `nodes`, NaN where not one fits."""
    return pick(each > 0, np.ceil(nodes / larger(each, 1.0)), np.nan)
