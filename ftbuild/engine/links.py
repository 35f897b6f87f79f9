"""The slowest link that collectives of a build pass: inside a node, and between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.light import by_id, larger, light, number, pick, smaller
from ftbuild.engine.tables import network as t

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu
    from ftbuild.engine.inputs import Columns

LINKS = by_id(t.GPU_LINKS)
PCIE = {row.generation: row for row in t.PCIE}
MESHES = ("infinity-fabric", "gaudi")
"""Links that join each pair of a board by wires of its own: fewer GPUs in use, fewer wires."""


def link_rate(gpu: Gpu) -> float:
    """Return the bus bandwidth of a GPU's own link, bytes/s; 0 where it has none."""
    return LINKS[gpu.link].share * (gpu.link_bandwidth or 0.0)


def pcie_rate(gpu: Gpu) -> float:
    """Return the bus bandwidth over PCIe, with peer access only where the stock driver has it, bytes/s."""
    row = PCIE.get(float(gpu.pcie_gen or 0))
    if row is None:
        return float("nan")
    return (row.peer if gpu.p2p is not False else row.host) * min((gpu.pcie_lanes or 16) / 16, 1.0)


def host_rate(gpu: Gpu) -> float:
    """Return the bus bandwidth through host memory, bytes/s."""
    row = PCIE.get(float(gpu.pcie_gen or 0))
    return row.host if row else float("nan")


def reach(gpu: Gpu) -> float:
    """Return how many GPUs of a node the link joins; infinite where it joins all."""
    if gpu.link == "none":
        return 0.0
    return float(gpu.link_group or np.inf)


def mesh(gpu: Gpu) -> float:
    """Return the peers that a mesh's wires are shared among; 0 where all bandwidth serves any peer."""
    return float(max(gpu.boards) - 1) if gpu.link in MESHES and gpu.boards else 0.0


def inside(c: Columns, lanes: Any) -> tuple[Any, Any]:
    """Return bus bandwidth (bytes/s) and hop latency (s) between the GPUs of a node.

    `lanes` PCIe lanes of each GPU. What a build states but the card lacks is not counted.
    """
    gpus = number(c, "hardware.gpus_per_node")
    own = light(c.fact("link rate", "hardware.gpu", link_rate))
    wires = light(c.fact("mesh", "hardware.gpu", mesh))
    own = own * pick(wires > 0, smaller((gpus - 1) / larger(wires, 1), 1.0), 1.0)
    slow = light(c.is_in("hardware.gpu_link", "none"))
    pcie = light(c.fact("pcie rate", "hardware.gpu", pcie_rate))
    pcie = pick(slow, light(c.fact("host rate", "hardware.gpu", host_rate)), pcie)
    pcie = pick(lanes > 0, pcie * smaller(lanes / 16, 1.0), np.nan)
    joined = linked(c, gpus)
    hop = light(c.fact("hop", "hardware.gpu", lambda gpu: LINKS[gpu.link].latency))
    return pick(joined, own, pcie), pick(joined, hop, LINKS["none"].latency)


def linked(c: Columns, gpus: Any) -> Any:
    """Return where the card's own link joins all GPUs of a node and the build does not do without it."""
    allowed = light(c.is_in("hardware.gpu_link", "auto", "nvswitch", "nvlink"))
    return (allowed > 0) & (light(c.fact("reach", "hardware.gpu", reach)) >= gpus)


def between(c: Columns) -> tuple[Any, Any]:
    """Return bus bandwidth of all links of a node (bytes/s) and hop latency (s) between nodes."""
    fabric = c.part("network.fabric")
    rate = light(fabric.rate) / 8 * light(fabric.achieved) * number(c, "network.links_per_node")
    return rate / number(c, "network.oversubscription"), light(fabric.latency)
