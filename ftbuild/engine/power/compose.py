"""The figures of power, heat and power limits for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ftbuild.engine.core import Figure, Figures, FigureSpec
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import choice, heavy, known, light, number, pick, smaller, unknown
from ftbuild.engine.power import circuit, draw, heat, limits, parts, specs, supply
from ftbuild.engine.power.node import COOLING, Made, Node, Supplies, node_of, supplies_of
from ftbuild.engine.tables import power as table
from ftbuild.units import Kind


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of power; `done` is not read."""
    del done
    node = node_of(c)
    feed = supplies_of(c, node)
    yield from _node(c, node, feed)
    yield from _supplies(c, node, feed)
    yield from _room(c, node, feed)


def _figure(spec: FigureSpec, value: Any, low: Any = None, high: Any = None, **more: Any) -> Figure:
    if low is None:
        return Figure(spec, heavy(value), **more)
    return Figure(spec, heavy(value), heavy(low), heavy(high), **more)


def _node(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    most, typical, idle = feed.wall
    count = number(c, "hardware.gpus_per_node")
    missing = unknown(most)
    terms = {
        "GPUs": (count, Kind.COUNT), "board power": (light(c.gpu.power), Kind.POWER),
        "CPUs": (number(c, "hardware.sockets"), Kind.COUNT), "TDP": (light(c.cpu.power), Kind.POWER),
        "fans": (node.fans[0], Kind.SHARE), "efficiency": (feed.efficiency[0], Kind.SHARE),
    }  # fmt: skip
    note = _note(c, feed, missing)
    yield _figure(specs.NODE, most, parts=Made(node, feed, 0), terms=terms, note=note, missing=missing)
    yield _figure(specs.TYPICAL, typical, parts=Made(node, feed, 1))
    yield _figure(specs.IDLE, idle, parts=Made(node, feed, 2))
    yield _figure(specs.MEAN, table.MEAN * typical, terms={"typical": (typical, Kind.POWER)})
    yield _figure(specs.P99, smaller(table.P99 * typical, most), terms={"typical": (typical, Kind.POWER)})
    yield _figure(
        specs.DC, node.dc[0],
        terms={"nameplate": (most, Kind.POWER), "efficiency": (feed.efficiency[0], Kind.SHARE)},
    )  # fmt: skip
    yield _figure(specs.EFFICIENCY, feed.efficiency[0])
    listed, gpus = parts.published_max(c)
    yield _figure(specs.PUBLISHED, pick(gpus == count, most / listed, np.nan))
    yield _figure(specs.MODULE, light(c.gpu.power))


def _note(c: Columns, feed: Supplies, missing: bool) -> str:
    if missing:
        return "power of the node is not known: state hardware.cpu"
    assumed = []
    if feed.assumed:
        assumed.append("supplies not stated: efficiency of the tier at half load")
    if c.build.hardware.ram_modules is None:
        assumed.append("memory modules not stated: one a channel")
    return "; ".join(assumed)


def _supplies(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    dc = node.dc[0]
    rated = {"supplies": (feed.count, Kind.COUNT), "rating": (feed.rated, Kind.POWER)}
    terms = {**rated, "may fail": (feed.row.may_fail, Kind.COUNT)}
    loaded = {"DC draw": (dc, Kind.POWER), "capacity": (feed.capacity, Kind.POWER)}
    note = "state power.psu" if feed.assumed else ""
    yield _figure(specs.PSU_CAPACITY, feed.capacity, terms=terms, note=note, missing=feed.assumed)
    share = pick(feed.capacity > 0, dc / feed.capacity, np.nan)
    yield _figure(specs.PSU_LOAD, share, terms=loaded)
    yield _figure(specs.PSU_LOAD_WANTED, feed.row.load)
    yield _figure(specs.TYPICAL_LOAD, node.dc[1] / (feed.count * feed.rated))
    feeds = number(c, "power.feeds")
    left = feed.count - np.ceil(feed.count / feeds) * (feeds > 1)
    yield _figure(specs.PSU_FEED, left * feed.rated, terms=rated)
    yield _figure(specs.LOW_LINE, pick(feed.voltage < table.LOW_LINE, feed.label, 0.0))
    peak = known(light(c.gpu.transient), table.TRANSIENT)
    gpus = node.gpus * number(c, "power.gpu_power_limit")
    terms = {"DC draw": (dc, Kind.POWER), "GPUs": (gpus, Kind.POWER), "peak": (peak, Kind.RATIO)}
    yield _figure(specs.SPIKE, supply.spike(dc, gpus, peak), terms=terms)
    rides = supply.spike_capacity(feed.rated, feed.count, number(c, "power.atx"))
    yield _figure(specs.SPIKE_CAPACITY, rides, terms=rated)
    current = supply.cord_current(feed.wall[0], feed.count - feed.row.may_fail, feed.voltage)
    yield _figure(specs.CORD, pick(feed.label > 0, current, np.nan))
    yield _figure(specs.CORD_CAPACITY, supply.cord_capacity(feed.label))


def _room(c: Columns, node: Node, feed: Supplies) -> Iterator[Figure]:
    wall = feed.wall[0]
    nodes, racks = number(c, "hardware.nodes"), number(c, "power.racks")
    together = np.ceil(nodes / racks)
    rack = together * wall
    feeds, phases, volts = number(c, "power.feeds"), number(c, "power.phases"), number(c, "power.voltage")
    current, share = number(c, "power.circuit"), number(c, "power.continuous")
    room = number(c, "power.rack_limit")
    carrying = circuit.carrying(feeds, feed.row.may_fail > 0)
    capacity = circuit.circuit_capacity(volts, current, phases, share)
    demand = rack / carrying
    breaker = {"share": (share, Kind.SHARE), "V": (volts, Kind.VOLTAGE), "A": (current, Kind.CURRENT)}
    filled = {"nodes in it": (together, Kind.COUNT), "nameplate": (wall, Kind.POWER)}
    fed = {"rack": (rack, Kind.POWER), "feeds that carry it": (carrying, Kind.COUNT)}
    loaded = {"circuit": (demand, Kind.POWER), "capacity": (capacity, Kind.POWER)}
    dark, homeless = unknown(capacity), unknown(room)
    yield _figure(specs.RACK, rack, terms=filled)
    yield _figure(specs.RACK_TYPICAL, together * table.NAMEPLATE_SHARE * feed.wall[1])
    p99 = smaller(table.P99 * feed.wall[1], wall)
    yield _figure(specs.RACK_HEAT, together * p99)
    yield _figure(specs.RACK_CAPACITY, room, note="state power.rack_limit" * homeless, missing=homeless)
    yield _figure(specs.CIRCUIT, demand, terms=fed)
    yield _figure(
        specs.CIRCUIT_CAPACITY, capacity, terms=breaker, note="state power.circuit" * dark, missing=dark
    )
    yield _figure(specs.CIRCUIT_LOAD, demand / capacity, terms=loaded)
    plugs = np.ceil(together * feed.count / feeds)
    yield _figure(specs.SKEW, circuit.phase_skew(plugs, phases, volts >= table.LINE_TO_LINE))
    least = np.fmin(room, capacity * carrying)
    each = circuit.nodes_per_rack(least, wall)
    fits = {"usable power": (least, Kind.POWER), "nameplate": (wall, Kind.POWER)}
    yield _figure(specs.NODES_PER_RACK, each, terms=fits)
    fits = {"nodes": (nodes, Kind.COUNT), "nodes a rack": (each, Kind.COUNT)}
    yield _figure(specs.RACKS_NEEDED, circuit.racks_needed(nodes, each), terms=fits)
    yield _figure(specs.RACKS, racks)
    yield from _heat(c, nodes * wall, nodes * feed.wall[1])
    yield from _limits(c, node, feed, least / together)


def _heat(c: Columns, most: Any, typical: Any) -> Iterator[Figure]:
    cooling = choice(c, COOLING, "power.cooling")
    altitude, ambient = number(c, "power.altitude"), number(c, "power.ambient")
    whole = heat.btu_per_h(most)
    yield _figure(specs.HEAT, whole, heat.btu_per_h(typical), whole, terms={"W": (most, Kind.POWER)})
    yield _figure(specs.TONS, heat.tons(most))
    yield _figure(specs.AIRFLOW, heat.airflow(most * cooling.air, table.AIR_RISE, altitude))
    yield _figure(specs.COOLING_USUAL, cooling.usual)
    yield _figure(specs.COOLING_MOST, cooling.most)
    yield _figure(specs.INLET, heat.inlet_at_sea_level(ambient, altitude))


def _limits(c: Columns, node: Node, feed: Supplies, budget: Any) -> Iterator[Figure]:
    limit = number(c, "power.gpu_power_limit")
    yield _figure(specs.LIMIT, limit)
    yield _figure(specs.LIMIT_SPEED, *limits.speed(limit))
    terms = {"less drawn by GPUs": (node.saved, Kind.POWER), "fan share": (node.fans[1], Kind.SHARE),
             "efficiency": (feed.efficiency[1], Kind.SHARE)}  # fmt: skip
    saved = draw.with_fans(node.saved, node.fans[1]) / feed.efficiency[1]
    yield _figure(specs.LIMIT_SAVED, saved, terms=terms)
    # Efficiency at the load that the budget allows, not at today's: the two differ by a point or two.
    load = budget * feed.efficiency[0] / (feed.count * feed.rated)
    efficiency = draw.efficiency(feed.points, known(load, table.ASSUMED_LOAD))
    dc = np.fmin(budget * efficiency, feed.capacity)
    fit = limits.fitting_limit(dc, node.fans[0], node.others[0], node.gpus)
    terms = {"allowed DC": (dc, Kind.POWER), "fan share": (node.fans[0], Kind.SHARE),
             "other parts": (node.others[0], Kind.POWER),
             "GPUs at full power": (node.gpus, Kind.POWER)}  # fmt: skip
    yield _figure(specs.LIMIT_FIT, fit, terms=terms)
    yield _figure(specs.LIMIT_FIT_SPEED, *limits.speed(fit))
