"""The node and its supplies of a grid of builds, from columns to watts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.core import Array
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import by_id, choice, heavy, known, light, number, pick, unknown
from ftbuild.engine.power import draw, parts, supply
from ftbuild.engine.tables import power as table

COOLING, REDUNDANCY, TIERS = by_id(table.COOLING), by_id(table.REDUNDANCY), by_id(table.TIERS)
_SERVERS, _EU = table.INPUTS.index("230"), table.INPUTS.index("230-eu")
STATES = range(len(table.STATES))


@dataclass(frozen=True, slots=True)
class Node:
    """Draw of a node, W; tuples hold one value a state of `tables.power.STATES`."""

    gpus: Any
    """At full board power."""
    others: tuple[Any, ...]
    """All but GPUs and fans."""
    dc: tuple[Any, ...]
    fans: tuple[Any, ...]
    """Share of `dc`."""
    saved: Any
    """What the power limit takes off the GPUs in a training step."""
    named: Mapping[str, Any]
    """What `dc` is made of beside fans: one value, or one a state."""


@dataclass(frozen=True, slots=True)
class Supplies:
    """Supplies of a node."""

    efficiency: tuple[Any, ...]
    wall: tuple[Any, ...]
    """By state, W."""
    label: Any
    rated: Any
    count: Any
    row: Any
    """Of `tables.power.REDUNDANCY`."""
    voltage: Any
    capacity: Any
    points: Any
    """Efficiency at `tables.power.LOADS`."""
    assumed: bool
    """No build states a supply."""


def node_of(c: Columns) -> Node:
    """Return the draw of a node by state."""
    card = parts.gathered(c, "hardware.gpu", parts.gpu_columns)
    box = parts.gathered(c, "hardware.cpu", parts.chassis_columns)
    count, sockets = number(c, "hardware.gpus_per_node"), number(c, "hardware.sockets")
    limit, alone = number(c, "power.gpu_power_limit"), card[7] == 0
    full = count * light(c.gpu.power)
    gpus = tuple(full * draw.gpu_share(card[at], limit, table.LIMIT_SHARE[at]) for at in STATES)
    saved = full * card[1] - gpus[1]
    modules = known(number(c, "hardware.ram_modules"), sockets * box[7])
    tdp = sockets * light(c.cpu.power)
    cpus = tuple(pick(alone, 0.0, tdp * table.CPU_SHARE[at]) for at in STATES)
    memory = tuple(pick(alone, 0.0, modules * box[1 + at]) for at in STATES)
    board, tray = pick(alone, 0.0, box[0]), count * card[6]
    cooled = choice(c, COOLING, "power.cooling").fans
    fans = tuple(
        pick(alone, 0.0, pick(card[3 + at] > 0, card[3 + at], box[4 + at]) * cooled) for at in STATES
    )
    drives = _drives(c)
    network = number(c, "network.links_per_node") * parts.link_watts(c)
    fixed = tray + board + network
    others = tuple(fixed + cpus[at] + memory[at] + drives[at] for at in STATES)
    dc = tuple(draw.with_fans(gpus[at] + others[at], fans[at]) for at in STATES)
    named = {"GPUs": gpus, "GPU tray": tray, "CPUs": cpus, "memory": memory, "board": board,
             "drives": drives, "network": network}  # fmt: skip
    return Node(full, others, dc, fans, saved, named)


def _drives(c: Columns) -> tuple[Any, ...]:
    data = parts.gathered(c, "storage.data_drive", parts.drive_watts)
    saves = parts.gathered(c, "storage.checkpoint_drive", parts.drive_watts)
    many, few = number(c, "storage.data_drives"), number(c, "storage.checkpoint_drives")
    return tuple(data[at] * many + saves[at] * few for at in STATES)


def supplies_of(c: Columns, node: Node) -> Supplies:
    """Return what the supplies of a node lose and give."""
    voltage = supply.supply_voltage(number(c, "power.voltage"), number(c, "power.phases"))
    label, count = number(c, "power.psu"), number(c, "power.psus_per_node")
    row = choice(c, REDUNDANCY, "power.redundancy")
    rated = supply.rating(label, voltage)
    line = pick(voltage < table.LOW_LINE, 0, pick(row.may_fail > 0, _SERVERS, _EU))
    tier = choice(c, TIERS, "power.efficiency").index
    points = parts.curves(c.catalog)[_place(tier), _place(line)].T
    together = count * rated
    efficiency = tuple(
        draw.efficiency(points, known(node.dc[at] / together, table.ASSUMED_LOAD)) for at in STATES
    )
    wall = tuple(node.dc[at] / efficiency[at] for at in STATES)
    capacity = supply.capacity(rated, count, row.may_fail)
    assumed = unknown(label)
    return Supplies(efficiency, wall, label, rated, count, row, voltage, capacity, points, assumed)


def _place(index: Any) -> Any:
    return index.astype(np.intp) if isinstance(index, np.ndarray) else int(index)


class Made(Mapping[str, Array]):
    """The parts of a node's draw in one state, at the wall, made when they are asked for."""

    def __init__(self, node: Node, feed: Supplies, state: int) -> None:
        self._node, self._feed, self._state = node, feed, state

    def __getitem__(self, name: str) -> Array:
        """Return one part."""
        node, at = self._node, self._state
        if name == "fans":
            return heavy(node.dc[at] * node.fans[at])
        if name == "supply losses":
            return heavy(self._feed.wall[at] - node.dc[at])
        part = node.named[name]
        return heavy(part[at] if isinstance(part, tuple) else part)

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the parts."""
        yield from self._node.named
        yield from ("fans", "supply losses")

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self._node.named) + 2
