"""From catalog rows to watts: which rows of the tables a part belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ftbuild.catalog import Catalog
from ftbuild.catalog.parts import EfficiencyTier, Nic, System
from ftbuild.engine.core import Array
from ftbuild.engine.inputs import Columns
from ftbuild.engine.power.draw import curve
from ftbuild.engine.tables import power as table

NOTHING = (0.0, 0.0, 0.0)


def gathered(c: Columns, key: str, of: Callable[[Any], Any]) -> Any:
    """Return `of` each part named at `key` as columns; what `of` gives comes on the first axis.

    Where all builds share the part the answer is what `of` gives, with no axis for builds.
    """
    if key not in c.index:
        return of(c.parts(key)[0])
    return np.stack([np.asarray(of(part), dtype=np.float64) for part in c.parts(key)], axis=-1)[
        ..., c.index[key]
    ]


def tray(gpu: Any) -> table.Tray:
    """Return the row for a GPU by its form and board power."""
    return next(row for row in table.TRAYS if gpu.form in row.forms and gpu.power <= row.up_to)


def gpu_columns(gpu: Any) -> tuple[float, ...]:
    """Return shares of board power by state, fans by state, W beside a GPU, and 1 where it needs a host."""
    row = tray(gpu)
    return (1.0, row.typical, row.idle, *row.fans, row.beside, row.host)


def chassis_columns(cpu: Any) -> tuple[float, ...]:
    """Return board W, memory module W by state, fans by state and modules that fill a socket's channels."""
    if cpu is None:
        return (np.nan,) * 8
    row = table.SERVER if cpu.sockets > 1 else table.TOWER
    return (row.board, *row.module, *row.fans, float(cpu.channels))


def drive_watts(drive: Any) -> tuple[float, float, float]:
    """Return what one drive draws by state: the data sheet's maximum where there is one."""
    if drive is None:
        return NOTHING
    name = drive.interface if drive.interface != "nvme" else drive.form
    known = {row.id: row.watts for row in table.DRIVES}
    most, typical, idle = known.get(name, known["nvme"])
    scale = (drive.power or most) / most
    return most * scale, typical * scale, idle * scale


def link_watts(c: Columns) -> Any:
    """Return what the card of one link to the fabric draws, W."""

    def watts(fabric: Any) -> float:
        card = c.catalog.get(Nic, fabric.nic) if fabric is not None and fabric.nic else None
        if card is not None and card.power is not None:
            return float(card.power / card.ports)
        rate = 0.0 if fabric is None else fabric.rate
        return next(row.watts for row in table.NICS if rate <= row.up_to) if rate > 0 else 0.0

    return gathered(c, "network.fabric", watts)


def published_max(c: Columns) -> Any:
    """Return W and GPUs of the most drawing node that is sold with each GPU; NaN where none is listed."""
    known = sold(c.catalog)
    return gathered(c, "hardware.gpu", lambda gpu: known.get((gpu.id, gpu.per_node), (np.nan, np.nan)))


@lru_cache(maxsize=8)
def sold(catalog: Catalog) -> Mapping[tuple[str, int], tuple[float, float]]:
    """Return W and GPUs of the most drawing node of each GPU and count that makers publish."""
    known: dict[tuple[str, int], tuple[float, float]] = {}
    for row in catalog.rows(System):
        key = row.gpu, row.gpus
        if row.power_max is not None:
            known[key] = max(known.get(key, (0.0, 0.0)), (row.power_max, float(row.gpus)))
    return known


@lru_cache(maxsize=8)
def curves(catalog: Catalog) -> Array:
    """Return efficiencies by tier, input and load: shape (tiers, inputs, loads); NaN where not certified."""
    found = {row.id: curve(row.loads, row.efficiency) for row in catalog.rows(EfficiencyTier)}
    none = (np.nan,) * len(table.LOADS)
    return np.array(
        [[found.get(f"{tier.id}-{line}", found.get(f"{tier.id}-230-eu", none)) for line in table.INPUTS]
         for tier in table.TIERS]
    )  # fmt: skip
