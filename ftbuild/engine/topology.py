"""What a build says of its links, against what cards and boards have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ftbuild.engine import network_specs as specs
from ftbuild.engine.core import Figure
from ftbuild.engine.light import heavy, known, larger, light, number, pick

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu
    from ftbuild.engine.inputs import Columns


def wired(gpu: Gpu) -> float:
    """Return the most GPUs that sit on a board without a switch; infinite where no board has one."""
    return float(max(gpu.unswitched, default=0)) if gpu.switched else float("inf")


def smallest_board(gpu: Gpu) -> float:
    """Return the fewest GPUs that are sold together; 0 where they are sold one by one."""
    return float(min(gpu.boards, default=0))


def figures(c: Columns) -> Iterator[Figure]:
    """Yield the figures of topology."""
    nodes, gpus = number(c, "hardware.nodes"), number(c, "hardware.gpus_per_node")
    has = light(c.fact("has link", "hardware.gpu", lambda gpu: float(gpu.link != "none")))
    named = light(c.is_in("hardware.gpu_link", "nvlink", "nvswitch"))
    switch = light(c.is_in("hardware.gpu_link", "nvswitch"))
    without = gpus <= light(c.fact("wired", "hardware.gpu", wired))
    board = light(c.fact("smallest board", "hardware.gpu", smallest_board))
    fabric = c.part("network.fabric")
    yield Figure(specs.ABSENT, heavy(named * (1 - has) * nodes * gpus))
    yield Figure(specs.ABSENT_SWITCH, heavy(switch * has * without * nodes * gpus))
    yield Figure(specs.LOOSE, heavy(pick(board > 0, gpus % larger(board, 1), 0.0)))
    yield Figure(specs.TENSOR, heavy(number(c, "hardware.tensor_parallel")))
    yield Figure(specs.NODE_GPUS, heavy(gpus))
    yield Figure(specs.LINKS_PER_GPU, heavy(number(c, "network.links_per_node") / gpus))
    yield Figure(specs.TCP, heavy(1 - known(light(fabric.rdma), 0.0)))
    yield Figure(specs.OVERSUBSCRIPTION, heavy(number(c, "network.oversubscription")))
