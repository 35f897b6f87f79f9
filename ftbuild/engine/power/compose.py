"""The figures of power, heat and power limits for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.core import Array, Figure, Figures
from ftbuild.engine.inputs import Columns
from ftbuild.engine.power import circuit, draw, heat, limits, parts, specs, supply
from ftbuild.engine.tables import power as table
from ftbuild.units import Kind

_CPU: Array = np.array(table.CPU_SHARE)[:, None]
_EU = float(table.INPUTS.index("230-eu"))
_SERVERS = float(table.INPUTS.index("230"))


@dataclass(frozen=True, slots=True)
class Node:
    """Draw of a node by state (first axis), W, and what it is made of."""

    gpus: Any
    others: Any
    """All but GPUs and fans."""
    dc: Any
    fans: Any
    """Share of `dc`."""
    named: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Supplies:
    """Supplies of a node."""

    efficiency: Any
    """By state."""
    wall: Any
    """By state, W."""
    rated: Any
    count: Any
    may_fail: Any
    voltage: Any
    capacity: Any
    points: Any
    """Efficiency at `tables.power.LOADS`."""
    assumed: bool
    """The first build states no supply."""


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of power; `done` is not read."""
    del done
    node = node_of(c)
    feed = supplies_of(c, node)
    yield from _node(c, node, feed)
    yield from _supplies(c, node, feed)
    yield from _room(c, node, feed)


def node_of(c: Columns) -> Node:
    """Return the draw of a node by state."""
    card = parts.gathered(c, "hardware.gpu", parts.gpu_columns)
    box = parts.gathered(c, "hardware.cpu", parts.chassis_columns)
    hosted = card[7]
    count = c.number("hardware.gpus_per_node")
    full = count * c.gpu.power
    gpus = full * draw.gpu_share(card[0:3], c.number("power.gpu_power_limit"))
    tray = count * card[6]
    cooling = c.rows(table.COOLING, "power.cooling")
    sockets = c.number("hardware.sockets")
    if hosted.all():
        cpus: Any = sockets * c.cpu.power * _CPU
        modules = c.number("hardware.ram_modules")
        modules = np.where(np.isnan(modules), sockets * box[7], modules)
        memory, board = modules * box[1:4], box[0]
        fans = np.where(card[3:6] > 0, card[3:6], box[4:7]) * cooling.fans
    else:
        cpus, memory, board, fans = _with_and_without_host(c, hosted, box, card, cooling)
    drives = _drives(c, "data") + _drives(c, "checkpoint")
    network = c.number("network.links_per_node") * parts.link_watts(c)
    others = tray + cpus + memory + board + drives + network
    dc = draw.with_fans(gpus + others, fans)
    named = {"GPUs": gpus, "GPU tray": tray, "CPUs": cpus, "memory": memory, "board": board,
             "drives": drives, "network": network}  # fmt: skip
    return Node(full, others, dc, fans, named)


def _with_and_without_host(c: Columns, hosted: Any, box: Any, card: Any, cooling: Any) -> tuple[Any, ...]:
    """Return processors, memory, board and fans where some GPUs are whole machines."""
    sockets = c.number("hardware.sockets")
    modules = c.number("hardware.ram_modules")
    modules = np.where(np.isnan(modules), sockets * box[7], modules)
    alone = hosted == 0
    return (
        np.where(alone, 0.0, sockets * c.cpu.power * _CPU),
        np.where(alone, 0.0, modules * box[1:4]),
        np.where(alone, 0.0, box[0]),
        np.where(alone, 0.0, np.where(card[3:6] > 0, card[3:6], box[4:7]) * cooling.fans),
    )


def _drives(c: Columns, name: str) -> Any:
    watts = parts.gathered(c, f"storage.{name}_drive", parts.drive_watts)
    return watts * c.number(f"storage.{name}_drives")


def supplies_of(c: Columns, node: Node) -> Supplies:
    """Return what the supplies of a node lose and give."""
    volts, phases = c.number("power.voltage"), c.number("power.phases")
    voltage = supply.supply_voltage(volts, phases)
    label, count = c.number("power.psu"), c.number("power.psus_per_node")
    may_fail = c.rows(table.REDUNDANCY, "power.redundancy").may_fail
    rated = supply.rating(label, voltage)
    line = np.where(voltage < table.LOW_LINE, 0.0, np.where(may_fail > 0, _SERVERS, _EU))
    tier = c.rows(table.TIERS, "power.efficiency").index
    points = parts.curves(c.catalog)[tier.astype(np.intp), line.astype(np.intp)].T
    load = node.dc / (count * rated)
    efficiency = draw.efficiency(points, np.where(np.isnan(rated), table.ASSUMED_LOAD, load))
    capacity = supply.capacity(rated, count, may_fail)
    assumed = bool(np.isnan(label[0]))
    return Supplies(
        efficiency, node.dc / efficiency, rated, count, may_fail, voltage, capacity, points, assumed
    )


def _node(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    wall = feed.wall
    unknown = bool(np.isnan(wall[0]).all())
    note = _note(c, feed, unknown)
    terms: dict[str, tuple[Any, Kind]] = {
        "GPUs": (c.number("hardware.gpus_per_node"), Kind.COUNT), "board power": (c.gpu.power, Kind.POWER),
        "CPUs": (c.number("hardware.sockets"), Kind.COUNT), "TDP": (c.cpu.power, Kind.POWER),
        "fans": (node.fans[0], Kind.SHARE), "efficiency": (feed.efficiency[0], Kind.SHARE),
    }  # fmt: skip
    yield Figure(specs.NODE, wall[0], parts=_Made(node, feed, 0), terms=terms, note=note, missing=unknown)
    yield Figure(specs.TYPICAL, wall[1], parts=_Made(node, feed, 1))
    yield Figure(specs.IDLE, wall[2], parts=_Made(node, feed, 2))
    yield Figure(specs.MEAN, table.MEAN * wall[1], terms={"typical": (wall[1], Kind.POWER)})
    yield Figure(specs.P99, np.minimum(table.P99 * wall[1], wall[0]))
    yield Figure(specs.DC, node.dc[0])
    yield Figure(specs.EFFICIENCY, feed.efficiency[0])
    listed = parts.published_max(c)
    same = listed[1] == c.number("hardware.gpus_per_node")
    yield Figure(specs.PUBLISHED, np.where(same, wall[0] / listed[0], np.nan))
    yield Figure(specs.MODULE, c.gpu.power)


def _note(c: Columns, feed: Supplies, unknown: bool) -> str:
    if unknown:
        return "power of the node is not known: state hardware.cpu"
    assumed = []
    if feed.assumed:
        assumed.append("supplies not stated: efficiency of the tier at half load")
    if np.isnan(c.number("hardware.ram_modules")[0]):
        assumed.append("memory modules not stated: one a channel")
    return "; ".join(assumed)


class _Made(Mapping[str, Array]):
    """The parts of a node's draw in one state, at the wall, made when they are asked for."""

    def __init__(self, node: Node, feed: Supplies, state: int) -> None:
        self._node, self._feed, self._state = node, feed, state

    def __getitem__(self, name: str) -> Array:
        node, at = self._node, self._state
        dc: Array = node.dc[at]
        if name == "fans":
            return np.asarray(dc * node.fans[at])
        if name == "supply losses":
            return np.asarray(self._feed.wall[at] - dc)
        part = node.named[name]
        return np.asarray(part[at] if getattr(part, "ndim", 1) == 2 else part)

    def __iter__(self) -> Iterator[str]:
        yield from self._node.named
        yield from ("fans", "supply losses")

    def __len__(self) -> int:
        return len(self._node.named) + 2


def _supplies(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    dc = node.dc[0]
    label = c.number("power.psu")
    fallen = c.rows(table.REDUNDANCY, "power.redundancy")
    per_supply = {
        "supplies": (feed.count, Kind.COUNT), "may fail": (feed.may_fail, Kind.COUNT),
        "rating": (feed.rated, Kind.POWER), "DC draw": (dc, Kind.POWER),
        "capacity": (feed.capacity, Kind.POWER),
    }  # fmt: skip
    note = "" if not feed.assumed else "state power.psu"
    yield Figure(specs.PSU_CAPACITY, feed.capacity, terms=per_supply, note=note, missing=feed.assumed)
    yield Figure(specs.PSU_LOAD, dc / feed.capacity, terms=per_supply)
    yield Figure(specs.PSU_LOAD_WANTED, fallen.load)
    yield Figure(specs.TYPICAL_LOAD, node.dc[1] / (feed.count * feed.rated))
    feeds = c.number("power.feeds")
    left = feed.count - np.ceil(feed.count / feeds) * (feeds > 1)
    yield Figure(specs.PSU_FEED, left * feed.rated, terms=per_supply)
    yield Figure(specs.LOW_LINE, np.where(feed.voltage < table.LOW_LINE, label, 0.0))
    transient = c.gpu.transient
    transient = np.where(np.isnan(transient), table.TRANSIENT, transient)
    gpus = node.gpus * c.number("power.gpu_power_limit")
    yield Figure(specs.SPIKE, supply.spike(dc, gpus, transient), terms={"peak": (transient, Kind.RATIO)})
    yield Figure(
        specs.SPIKE_CAPACITY, supply.spike_capacity(feed.rated, feed.count, c.number("power.atx")),
        terms=per_supply,
    )  # fmt: skip
    yield Figure(
        specs.CORD, supply.cord_current(feed.wall[0], feed.count - feed.may_fail, feed.voltage) + 0 * label
    )
    yield Figure(specs.CORD_CAPACITY, supply.cord_capacity(label))


def _room(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    wall = feed.wall[0]
    nodes, racks = c.number("hardware.nodes"), c.number("power.racks")
    together = np.ceil(nodes / racks)
    rack = together * wall
    feeds, phases, volts = c.number("power.feeds"), c.number("power.phases"), c.number("power.voltage")
    current, share = c.number("power.circuit"), c.number("power.continuous")
    carrying = circuit.carrying(feeds, feed.may_fail > 0)
    capacity = circuit.circuit_capacity(volts, current, phases, share)
    demand = rack / carrying
    room = c.number("power.rack_limit")
    terms = {"share": (share, Kind.SHARE), "V": (volts, Kind.VOLTAGE), "A": (current, Kind.CURRENT),
             "rack": (rack, Kind.POWER), "nodes in it": (together, Kind.COUNT),
             "nameplate": (wall, Kind.POWER)}  # fmt: skip
    no_circuit, no_room = bool(np.isnan(current[0])), bool(np.isnan(room[0]))
    yield Figure(specs.RACK, rack, terms=terms)
    yield Figure(specs.RACK_TYPICAL, together * table.NAMEPLATE_SHARE * feed.wall[1])
    yield Figure(specs.RACK_CAPACITY, room, note="state power.rack_limit" * no_room, missing=no_room)
    yield Figure(specs.CIRCUIT, demand, terms=terms)
    yield Figure(specs.CIRCUIT_CAPACITY, capacity, terms=terms, note="state power.circuit" * no_circuit,
                 missing=no_circuit)  # fmt: skip
    yield Figure(specs.CIRCUIT_LOAD, demand / capacity)
    star = volts >= table.LINE_TO_LINE
    yield Figure(specs.SKEW, circuit.phase_skew(np.ceil(together * feed.count / feeds), phases, star))
    least = np.fmin(room, capacity * carrying)
    each = circuit.nodes_per_rack(least, wall)
    yield Figure(specs.NODES_PER_RACK, each, terms=terms)
    yield Figure(specs.RACKS_NEEDED, circuit.racks_needed(nodes, each))
    yield Figure(specs.RACKS, racks)
    yield from _heat(c, nodes * wall, nodes * feed.wall[1])
    yield from _limits(c, node, feed, least / together)


def _heat(c: Columns, most: Any, typical: Any) -> Iterator[Figure]:
    cooling = c.rows(table.COOLING, "power.cooling")
    altitude = c.number("power.altitude")
    yield Figure(specs.HEAT, heat.btu_per_h(most), heat.btu_per_h(typical), terms={"W": (most, Kind.POWER)})
    yield Figure(specs.TONS, heat.tons(most))
    yield Figure(specs.AIRFLOW, heat.airflow(most * cooling.air, table.AIR_RISE, altitude))
    yield Figure(specs.COOLING_USUAL, cooling.usual)
    yield Figure(specs.COOLING_MOST, cooling.most)
    yield Figure(specs.INLET, heat.inlet_at_sea_level(c.number("power.ambient"), altitude))


def _limits(c: Columns, node: Node, feed: Supplies, budget: Any) -> Iterator[Figure]:
    limit = c.number("power.gpu_power_limit")
    yield Figure(specs.LIMIT, limit)
    likely, low, high = limits.speed(limit)
    yield Figure(specs.LIMIT_SPEED, likely, low, high)
    load = budget * feed.efficiency[0] / (feed.count * feed.rated)
    efficiency = draw.efficiency(feed.points, np.where(np.isnan(load), table.ASSUMED_LOAD, load))
    dc = np.fmin(budget * efficiency, feed.capacity)
    fit = limits.fitting_limit(dc, node.fans[0], node.others[0], node.gpus)
    yield Figure(specs.LIMIT_FIT, fit)
    likely, low, high = limits.speed(fit)
    yield Figure(specs.LIMIT_FIT_SPEED, likely, low, high)
