"""The arrays of a build: what its drives, links and measurements give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import by_id, choice, known, light, number, pick
from ftbuild.engine.storage import array
from ftbuild.engine.tables import storage as table

RAID, SHARED = by_id(table.RAID), by_id(table.SHARED)


@dataclass(frozen=True, slots=True)
class Drives:
    """One array of equal drives on a node; bytes, bytes/s."""

    part: Any
    count: Any
    level: Any
    """Row of `tables.storage.RAID`."""
    link: Any
    read: Any
    write: Any
    capacity: Any
    readers: Any
    """Drives that read at once."""
    stripes: Any
    """Drives over which what is written once is spread."""


def drives_of(c: Columns, name: str, striped: Any = 0.0) -> Drives:
    """Return the array `name` (``data`` or ``checkpoint``); `striped` 1 where a file system stripes it."""
    part = c.part(f"storage.{name}_drive")
    count = number(c, f"storage.{name}_drives")
    level = choice(c, RAID, f"storage.{name}_raid")
    link = array.link(light(part.pcie_gen), light(part.pcie_lanes))
    alone = level.read_fixed * (level.read == 0)
    spread = striped * alone
    read = array.drives_worth(count, level.read + spread, level.read_fixed - spread)
    write = array.drives_worth(count, level.write + spread, level.write_fixed - spread)
    stripes = pick(level.survives > 0, array.drives_worth(count, level.capacity, level.capacity_fixed), write)
    return Drives(
        part, count, level, link,
        array.of_drive(light(part.read), link) * read * level.read_reached,
        array.of_drive(light(part.write), link) * write * level.write_reached,
        light(part.capacity) * array.drives_worth(count, level.capacity, level.capacity_fixed),
        read,
        stripes,
    )  # fmt: skip


def network_rate(c: Columns, shared: Any) -> Any:
    """Return bytes/s of a node's links to shared storage; NaN where it has none or nothing is shared."""
    rate = light(c.part("network.fabric").rate) * number(c, "network.links_per_node") / 8 * shared.link
    return pick((shared.networked > 0) & (rate > 0), rate, np.nan)


def read_rate(c: Columns, data: Drives, network: Any) -> tuple[Any, Any]:
    """Return the rate at which training reads, and its lower end: measured, else drives and links."""
    staged = number(c, "storage.staged")
    over = pick(staged > 0, np.nan, network)
    low = data.read * data.level.read_low / data.level.read_reached
    measured = number(c, "storage.measured.read")
    return known(measured, np.fmin(data.read, over)), known(measured, np.fmin(low, over))


def write_rate(c: Columns, data: Drives, saves: Drives, own: Any, network: Any) -> Any:
    """Return the rate at which checkpoints are written: measured, else own drives, else where data lies."""
    over = pick(number(c, "storage.staged") > 0, np.nan, network)
    return known(number(c, "storage.measured.write"), pick(own > 0, saves.write, np.fmin(data.write, over)))
