"""Host memory as it is populated: speed, channels, bandwidth, and sizes that modules come in."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.catalog.parts import MemoryModule
from ftbuild.engine.light import known, larger, light, number, pick, smaller
from ftbuild.engine.tables import host as t

if TYPE_CHECKING:
    from ftbuild.catalog import Catalog
    from ftbuild.engine.core import Array
    from ftbuild.engine.inputs import Columns


def bandwidth(channels: Any, speed: Any) -> Any:
    """Return bytes/s of `channels` at `speed` MT/s, as on a sheet. Source: JEDEC, 8 bytes a transfer."""
    return channels * speed * 1e6 * t.FULL_CHANNEL_BYTES


def uneven(modules: Any, channels: Any) -> Any:
    """Return the channels that are empty, or that hold one module more than others."""
    return pick(modules < channels, channels - modules, modules % channels)


def rated(c: Columns, modules: Any, channels: Any) -> Any:
    """Return the fastest MT/s that the processor supports with so many modules a channel."""
    one, two = light(c.cpu.memory_speed), light(c.cpu.memory_speed_2dpc)
    return pick(modules > channels, known(two, one), one)


def effective(c: Columns, supported: Any) -> Any:
    """Return the MT/s that memory runs at: as stated, up to what the processor takes."""
    most = np.fmax(supported, light(c.cpu.overclocked))
    return np.fmin(known(number(c, "hardware.ram_speed"), supported), most)


@lru_cache(maxsize=16)
def sold(catalog: Catalog) -> Array:
    """Return the sizes that modules come in, ascending from 0, bytes."""
    return np.array([0.0, *sorted({row.capacity for row in catalog.rows(MemoryModule)})])


def size_gap(sizes: Array, size: Any) -> Any:
    """Return how far `size` (bytes) is from the nearest of `sizes`, as a share of it."""
    above = smaller(np.searchsorted(sizes, size), len(sizes) - 1)
    below = larger(above - 1, 0)
    return smaller(np.abs(sizes[above] - size), np.abs(size - sizes[below])) / size


def even_gap(sizes: Array, ram: Any, channels: Any) -> Any:
    """Return the least `size_gap` of one or two equal modules on every channel."""
    return smaller(size_gap(sizes, ram / channels), size_gap(sizes, ram / (2 * channels)))
