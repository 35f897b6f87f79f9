"""What offloading to host memory or drives costs a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import lanes, memory
from ftbuild.engine.light import by_id, choice, known, light, number, pick, smaller
from ftbuild.engine.tables import host as t
from ftbuild.engine.tables.parallel import OFFLOAD
from ftbuild.engine.tables.runtime import WEIGHT_BYTES

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu
    from ftbuild.engine.inputs import Columns

OFFLOADS = by_id(OFFLOAD)
NVME_READ, NVME_WRITTEN = 14.0, 12.0
"""Bytes of a trained parameter that a step reads and writes: states, and the 16-bit gradient read back
(ZeRO-Infinity, 2104.07857)."""


def adam_time(parameters: Any, rate: Any) -> Any:
    """Return seconds of a CPU AdamW step over `parameters` at `rate` bytes/s of usable memory bandwidth.

    Memory binds it: 29 bytes a parameter. Source: 2101.06840 and microbenchmarks.
    """
    return t.ADAM_BYTES * parameters / rate


def transfer_time(sent: Any, rate: Any) -> Any:
    """Return seconds for `sent` bytes at `rate` bytes/s of one GPU's host link."""
    return sent / rate


def host_link(gpu: Gpu) -> float:
    """Return bytes/s each way between a GPU and its host over all its lanes."""
    return t.HOST_LINKS.get(float(gpu.pcie_gen or 0), float("nan"))


def times(c: Columns, trainable: Any, total: Any) -> dict[str, Any]:
    """Return seconds a step of transfers, of the CPU's optimizer, and of drives; all 0 without offload.

    `trainable` and `total` parameters. Nothing of it is taken to overlap with computation.
    """
    if "hardware.offload" not in c.index and c.build.hardware.offload == "none":
        return {"transfers": 0.0, "CPU optimizer": 0.0, "NVMe": 0.0}
    row = choice(c, OFFLOADS, "hardware.offload")
    nodes, gpus = number(c, "hardware.nodes"), number(c, "hardware.gpus_per_node")
    ranks = nodes * gpus
    needed, cards, drives = lanes.wanted(c)
    width = lanes.of_each_gpu(c, needed, cards + drives, lanes.offered(c))
    link = light(c.fact("host link", "hardware.gpu", host_link)) * smaller(width / lanes.CARD_LANES, 1.0)
    passes = 2 * number(c, "workload.gradient_accumulation")
    sent = 2 * WEIGHT_BYTES * trainable / ranks * row.states
    sent = sent + row.parameters * passes * WEIGHT_BYTES * total / ranks
    sockets = number(c, "hardware.sockets")
    channels = light(c.cpu.channels) * sockets
    modules = known(number(c, "hardware.ram_modules"), channels)
    speed = memory.effective(c, memory.rated(c, modules, channels))
    rate = memory.bandwidth(np.fmin(channels, modules), speed) * t.USABLE_BANDWIDTH
    return {
        # of a grid that holds both: what stays on the GPU needs no fact of the host
        "transfers": pick(row.states + row.parameters > 0, transfer_time(sent, link), 0.0),
        "CPU optimizer": pick(row.states > 0, adam_time(trainable / nodes, rate), 0.0),
        "NVMe": _nvme(c, row, trainable / nodes),
    }


def _nvme(c: Columns, row: Any, parameters: Any) -> Any:
    drive, count = c.part("storage.data_drive"), number(c, "storage.data_drives")
    read = NVME_READ * parameters / (count * light(drive.read))
    written = NVME_WRITTEN * parameters / (count * known(light(drive.sustained_write), light(drive.write)))
    return pick(row.nvme > 0, read + written, 0.0)
