"""Drives and arrays of them: rates, operations, capacity. Bytes and bytes/s throughout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.light import known, larger, pick, smaller
from ftbuild.engine.tables import storage as table


def link(generation: Any, lanes: Any) -> Any:
    """Return bytes/s of a drive's PCIe link; NaN for SATA, whose own rate is on the data sheet."""
    return lanes * table.LANE * 2.0 ** (generation - 3.0)


def of_drive(sheet: Any, linked: Any) -> Any:
    """Return the rate of one drive: its data sheet's, no more than its link leaves for data."""
    return np.fmin(sheet, table.LINK_REACHED * linked)


def drives_worth(count: Any, each: Any, fixed: Any) -> Any:
    """Return how many drives' worth an array gives: at least nothing."""
    return larger(count * each + fixed, 0.0)


def write_time(size: Any, rate: Any, cache: Any, sustained: Any) -> Any:
    """Return seconds to write `size` bytes at `rate`, and at `sustained` beyond the drives' cache.

    Consumer drives take what passes their SLC cache at a fraction of the sheet's rate; NaN for a drive
    without one.
    """
    slow = larger(size - cache, 0.0)
    folded = (size - slow) / rate + slow / smaller(sustained, rate)
    return pick((cache + sustained) != (cache + sustained), size / rate, folded)


def rated_writes(rated: Any, warranty_years: Any, dwpd: Any, capacity: Any) -> Any:
    """Return bytes that one drive may be written: TBW where a sheet names it, else DWPD over the warranty."""
    return known(rated, dwpd * capacity * table.DAYS_PER_YEAR * warranty_years)


def life(rated: Any, per_year: Any) -> Any:
    """Return years until a drive's `rated` bytes are written, `LONGEST_LIFE` at most."""
    return smaller(rated / per_year, table.LONGEST_LIFE)
