"""PCIe lanes: what GPUs, network cards and drives want against what processors offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.light import known, larger, light, number, pick, smaller
from ftbuild.engine.parts_list import cards_of

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Drive, Fabric
    from ftbuild.engine.inputs import Columns

CARD_LANES = 16.0
"""Lanes of a GPU or a fast network card where the catalog does not say (PCIe CEM)."""
DRIVE_LANES = 4.0
LEAST_GPU_LANES = 4.0
"""Fewest that a desktop board gives a slot of its own; below this GPUs need a switch."""


def lanes_needed(gpus: Any, cards: Any, drives: Any, gpu_lanes: Any = CARD_LANES) -> Any:
    """Return lanes for `gpus`, network `cards` and the lanes that `drives` take. Source: PCIe CEM, U.2."""
    return gpu_lanes * gpus + CARD_LANES * cards + drives


def offered(c: Columns) -> Any:
    """Return the lanes that the processors of a node offer devices; NaN where the CPU is not known."""
    sockets = number(c, "hardware.sockets")
    one, two = light(c.cpu.lanes), light(c.cpu.lanes_two_sockets)
    return pick(sockets == 2, known(two, one * 2), one * sockets)


def wanted(c: Columns) -> tuple[Any, Any, Any]:
    """Return lanes of a node's GPUs, network cards and drives."""
    found: tuple[Any, Any, Any] | None = c._cache.get("lanes")
    if found is None:
        found = c._cache["lanes"] = _wanted(c)
    return found


def _wanted(c: Columns) -> tuple[Any, Any, Any]:
    fused = light(c.fact("fused", "hardware.gpu", lambda gpu: float(gpu.form == "unified")))
    width = known(light(c.gpu.pcie_lanes), CARD_LANES) * (1 - fused)
    cards_sold = cards_of(c.catalog)

    def ports(fabric: Fabric) -> float:
        return float(cards_sold[fabric.nic].ports) if fabric.nic in cards_sold else 1.0

    each = light(c.fact("ports", "network.fabric", ports))
    there = light(c.part("network.fabric").rate) > 0
    cards = there * np.ceil(number(c, "network.links_per_node") / each) * CARD_LANES
    drives = _drives(c, "storage.data_drive", "storage.data_drives")
    drives = drives + _drives(c, "storage.checkpoint_drive", "storage.checkpoint_drives")
    return number(c, "hardware.gpus_per_node") * width, cards, drives


def _drives(c: Columns, key: str, count: str) -> Any:
    def width(drive: Drive) -> float:
        return float(drive.pcie_lanes or DRIVE_LANES) if drive.interface == "nvme" else 0.0

    lanes = light(c.fact("lanes", key, width))
    return known(lanes * number(c, count), 0.0)


def of_each_gpu(c: Columns, gpu_lanes: Any, others: Any, lanes: Any) -> Any:
    """Return the lanes that each GPU gets: all it takes, or a power of two of what is left.

    GPUs on a board of their own sit behind switches and keep theirs, as do those of an unknown processor.
    """
    gpus = number(c, "hardware.gpus_per_node")
    on_board = light(c.fact("on board", "hardware.gpu", lambda gpu: float(gpu.form in ("sxm", "oam"))))
    left = larger(lanes - others, LEAST_GPU_LANES) / gpus
    shared = 2.0 ** np.floor(np.log2(larger(left, LEAST_GPU_LANES)))
    full = gpu_lanes / gpus
    kept = (on_board > 0) | (lanes != lanes) | (left >= full)
    return pick(kept, full, smaller(shared, full))
