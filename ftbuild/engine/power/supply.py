"""What supplies give, with some of them failed, on a low line, for a millisecond, through their cords."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.light import larger, pick, smaller
from ftbuild.engine.tables import power as table

ROOT3 = 3.0**0.5


def supply_voltage(voltage: Any, phases: Any) -> Any:
    """Return the V at a supply: line to neutral on three phases of 300 V and more, else as stated."""
    star = (phases > 1) & (voltage >= table.LINE_TO_LINE)
    return voltage / pick(star, ROOT3, 1.0)


def rating(label: Any, voltage: Any) -> Any:
    """Return what one supply gives, W: its label, on 100-127 V at most what such lines carry."""
    return pick(voltage < table.LOW_LINE, smaller(label, table.LOW_LINE_MOST), label)


def capacity(rated: Any, count: Any, may_fail: Any) -> Any:
    """Return the W that are left when the supplies that may fail have failed."""
    return rated * larger(count - may_fail, 0.0)


def spike(steady: Any, gpus: Any, transient: Any) -> Any:
    """Return the W of a millisecond in which all GPUs of a node peak together: steps are synchronous.

    `gpus` is their steady W within `steady`, `transient` their peak over it.
    """
    return steady + gpus * (transient - 1.0)


def spike_capacity(rated: Any, count: Any, atx: Any) -> Any:
    """Return the W that desktop supplies ride out for a millisecond."""
    return rated * count * pick(atx >= 3.0, table.ATX3_EXCURSION, table.ATX2_TRIP)


def cord_current(wall: Any, working: Any, voltage: Any) -> Any:
    """Return the A in the cord of one working supply."""
    return wall / larger(working, 1.0) / voltage


def cord_capacity(label: Any) -> Any:
    """Return the A of the inlet that a supply of this label has: C14, or C20 for larger ones."""
    return pick(label <= table.C14_RATING, table.C14_MOST, table.C20_MOST)
