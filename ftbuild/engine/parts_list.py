"""What a rig is made of: every part with its count and unit price, those that nobody typed included.

Both the cost figures and the bill of materials read this one list. Counts and prices are columns, so the
list of a grid is as cheap as that of one build; names are those of the first build. A price that is neither
quoted in ``[cost.price]`` nor in the catalog is NaN: it is counted as unknown and never taken as zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ftbuild.build import Build
from ftbuild.catalog import Catalog
from ftbuild.catalog.parts import MemoryModule, Nic, Part, Psu
from ftbuild.engine.core import Array
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import heavy, known, light, number, pick, smaller
from ftbuild.engine.tables.implied import IMPLIED

DESKTOP_CHANNELS = 4
"""Most memory channels of a desktop processor (Ryzen and Core have 2, older HEDT parts 4)."""
SAME_SIZE = 0.01
"""Relative difference up to which a module or supply of the catalog is the one that a build means."""
NOTHING = np.zeros(1)
UNKNOWN = np.full(1, np.nan)
_IMPLIED = {row.id: row for row in IMPLIED}


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of part of the whole rig."""

    id: str
    """What ``[cost.price]`` calls it: the id of a catalog part, or of an implied one."""
    title: str
    group: str
    """compute, storage, network, power or cooling."""
    count: Array
    """Of all nodes; 0 where a build has none."""
    price: Array
    """USD each; NaN where no price is known."""
    power: Array
    """W each at full draw; NaN where it is not known, 0 for what draws nothing of its own."""
    implied: bool = False
    """Nobody typed it, but the rig cannot do without."""
    quoted: bool = False
    """The price is the user's own."""
    price_date: str = ""
    price_source: str = ""
    assumption: str = ""


@dataclass(frozen=True, slots=True)
class Quotes:
    """The user's own prices, by id, alias or name without case."""

    prices: Mapping[str, float]

    @staticmethod
    def of(build: Build) -> Quotes:
        """Return the quotes of a build."""
        return Quotes({name.casefold(): price for name, price in build.cost.price.items()})

    def find(self, *names: str) -> float | None:
        """Return the quote under any of the names."""
        if not self.prices:
            return None
        return next((self.prices[name.casefold()] for name in names if name.casefold() in self.prices), None)

    def price(self, part: Any, price: float | None = None) -> float:
        """Return the quote for a part, else its catalog price, else NaN."""
        quote = self.find(part.id, part.name, *part.aliases)
        found = quote if quote is not None else price
        return float("nan") if found is None else float(found)


def lines(c: Columns) -> tuple[Line, ...]:
    """Return the parts of the rig, counted over all nodes."""
    quotes = Quotes.of(c.build)
    nodes = number(c, "hardware.nodes")
    fused = light(c.fact("fused", "hardware.gpu", lambda gpu: float(gpu.form == "unified")))
    desktop = (light(c.cpu.sockets) == 1) & (light(c.cpu.channels) <= DESKTOP_CHANNELS) | (fused > 0)
    return (
        *_compute(c, quotes, nodes, 1 - fused),
        *_drives(c, quotes, nodes, 1 - fused),
        *_network(c, quotes, nodes),
        *_power(c, quotes, nodes, desktop, 1 - fused),
        *_frame(c, quotes, nodes, desktop, 1 - fused),
        *_cooling(c, quotes, nodes, 1 - fused),
    )


def _compute(c: Columns, quotes: Quotes, nodes: Any, apart: Any) -> tuple[Line, ...]:
    gpus = nodes * number(c, "hardware.gpus_per_node")
    sockets = nodes * number(c, "hardware.sockets") * apart
    gpu = _part(c, quotes, "hardware.gpu", "GPU", "compute", gpus)
    cpu = _part(c, quotes, "hardware.cpu", "CPU", "compute", sockets)
    return gpu, cpu, _memory(c, quotes, nodes, apart)


def _memory(c: Columns, quotes: Quotes, nodes: Any, apart: Any) -> Line:
    """Modules as stated, else one for each channel, else one unknown lot a node."""
    channels = light(c.cpu.channels) * number(c, "hardware.sockets")
    modules = known(known(number(c, "hardware.ram_modules"), channels), 1.0)
    size = number(c, "hardware.ram") / modules
    rows = _modules(c)
    row = _same(rows, "capacity", float(np.asarray(size).flat[0]))
    price = _by_size(size, [r.capacity for r in rows], [quotes.price(r, r.price) for r in rows])
    power = _by_size(size, [r.capacity for r in rows], [_number(r.power) for r in rows])
    lot = _lot("memory-module", "Memory module", row)
    own = quotes.find(lot[0])
    return Line(
        *lot, "compute", heavy(modules * nodes * apart), heavy(price if own is None else own), heavy(power),
        False, quotes.find(*_names(row, lot[0])) is not None, *_dated(row),
        "" if row else "no module of the catalog has this size",
    )  # fmt: skip


def _modules(c: Columns) -> tuple[MemoryModule, ...]:
    """Return one module of each size: of the processor's kind and nearest the stated speed."""
    cpu = c.parts("hardware.cpu")[0]
    speed = c.build.hardware.ram_speed or (cpu.memory_speed if cpu else 0.0)
    desktop = cpu is not None and cpu.sockets == 1 and cpu.channels <= DESKTOP_CHANNELS
    return modules_of(c.catalog, cpu.memory_type if cpu else "ddr5", desktop, speed)


@lru_cache(maxsize=64)
def modules_of(catalog: Catalog, kind: str, desktop: bool, speed: float) -> tuple[MemoryModule, ...]:
    """Return the catalog's modules of a kind, one of each size, the nearest to `speed`; sizes ascend."""
    forms = ("udimm", "cudimm", "sodimm") if desktop else ("rdimm", "lrdimm", "mrdimm")
    near: dict[float, MemoryModule] = {}
    for row in catalog.rows(MemoryModule):
        if row.form in forms and row.memory_type == kind:
            best = near.get(row.capacity)
            if best is None or abs(row.speed - speed) < abs(best.speed - speed):
                near[row.capacity] = row
    return tuple(near[size] for size in sorted(near))


@lru_cache(maxsize=16)
def cards_of(catalog: Catalog) -> Mapping[str, Nic]:
    """Return the catalog's network cards by id."""
    return {row.id: row for row in catalog.rows(Nic)}


@lru_cache(maxsize=64)
def supplies_of(catalog: Catalog, grade: str, tier: str) -> tuple[Psu, ...]:
    """Return the catalog's supplies of a grade and tier."""
    return tuple(row for row in catalog.rows(Psu) if row.grade == grade and row.tier == tier)


def _drives(c: Columns, quotes: Quotes, nodes: Any, apart: Any) -> tuple[Line, ...]:
    found = []
    for key, title, count in (
        ("storage.data_drive", "Data drive", "storage.data_drives"),
        ("storage.checkpoint_drive", "Checkpoint drive", "storage.checkpoint_drives"),
    ):
        there = light(c.stated(key))
        found.append(_part(c, quotes, key, title, "storage", there * nodes * number(c, count)))
    return (*found, _implied(quotes, "boot-drive", "storage", nodes * apart))


def _network(c: Columns, quotes: Quotes, nodes: Any) -> tuple[Line, ...]:
    links = nodes * number(c, "network.links_per_node") * (light(c.part("network.fabric").rate) > 0)
    cards = cards_of(c.catalog)
    ports = light(c.fact("ports", "network.fabric", lambda f: cards[f.nic].ports if f.nic in cards else 1))
    price = light(c.fact("nic price", "network.fabric", lambda f: _card(quotes, cards, f)))
    power = light(c.fact("nic power", "network.fabric", lambda f: _number(_power_of(cards.get(f.nic)))))
    fabric = c.parts("network.fabric")[0]
    card = cards.get(fabric.nic)
    lot = _lot("nic", "Network card", card)
    cards_needed = nodes * np.ceil(links / nodes / ports)
    cable = light(c.fact("cable", "network.fabric", lambda f: _number(f.link_price)))
    own = quotes.find("link-cable")
    cables = links * pick(nodes == 2, 0.5, 1.0)
    return (
        Line(*lot, "network", heavy(cards_needed), heavy(price), heavy(power), False,
             quotes.find(*_names(card, lot[0])) is not None, *_dated(card)),
        _implied(quotes, "link-cable", "network", cables, cable if own is None else own),
        _implied(quotes, "switch-port", "network", links * (nodes > 2)),
    )  # fmt: skip


def _power(c: Columns, quotes: Quotes, nodes: Any, desktop: Any, apart: Any) -> tuple[Line, ...]:
    grade = "atx" if bool(np.all(desktop)) else "server"
    tier = c.build.power.efficiency
    rows = supplies_of(c.catalog, grade, tier)

    def price(rating: float | None) -> float:
        row = _same(rows, "rating", rating or 0.0)
        quote = quotes.find("psu")
        return quotes.price(row, row.price) if row else (float("nan") if quote is None else quote)

    rating = c.build.power.psu
    row = _same(rows, "rating", rating or 0.0)
    lot = _lot("psu", f"{rating:,.0f} W supply" if rating else "Power supply (not stated)", row)
    count = nodes * number(c, "power.psus_per_node") * apart
    each = c.each(f"psu price {grade} {tier}", "power.psu", price)
    return (
        Line(*lot, "power", heavy(count), each, NOTHING, rating is None,
             quotes.find(*_names(row, lot[0])) is not None, *_dated(row)),
        _implied(quotes, "rack-pdu", "power",
                 pick(desktop, 0.0, number(c, "power.feeds") * number(c, "power.racks"))),
    )  # fmt: skip


def _frame(c: Columns, quotes: Quotes, nodes: Any, desktop: Any, apart: Any) -> tuple[Line, ...]:
    board = light(c.fact("board", "hardware.gpu", lambda gpu: max(gpu.boards, default=np.inf)))
    boards = nodes * np.ceil(number(c, "hardware.gpus_per_node") / board)
    return (
        _implied(quotes, "gpu-baseboard", "compute", boards),
        _implied(quotes, "server-chassis", "compute", nodes * pick(desktop, 0.0, apart)),
        _implied(quotes, "workstation-chassis", "compute", nodes * pick(desktop, apart, 0.0)),
    )


def _cooling(c: Columns, quotes: Quotes, nodes: Any, apart: Any) -> tuple[Line, ...]:
    loop = light(c.is_in("power.cooling", "liquid-loop"))
    direct = light(c.is_in("power.cooling", "dlc", "dlc+rdhx"))
    door = light(c.is_in("power.cooling", "dlc+rdhx"))
    tank = light(c.is_in("power.cooling", "immersion"))
    sockets = nodes * number(c, "hardware.sockets") * apart
    gpus, racks = nodes * number(c, "hardware.gpus_per_node") * apart, number(c, "power.racks")
    return (
        _implied(quotes, "cpu-heatsink", "cooling", sockets * (1 - loop) * (1 - direct)),
        _implied(quotes, "cold-plate", "cooling", (loop + direct) * (sockets + gpus)),
        _implied(quotes, "coolant-distribution", "cooling", loop * nodes + direct * racks),
        _implied(quotes, "rear-door", "cooling", door * racks),
        _implied(quotes, "immersion-tank", "cooling", tank * racks),
    )


def _part(c: Columns, quotes: Quotes, key: str, title: str, group: str, count: Any) -> Line:
    price = c.fact("unit price", key, lambda part: quotes.price(part, part.price))
    power = c.fact("unit power", key, lambda part: _number(part.power))
    row = c.parts(key)[0]
    lot = _lot(key.split(".")[1].replace("_", "-"), f"{title} (not stated)", row)
    return Line(
        *lot, group, heavy(count), price, power, row is None,
        quotes.find(*_names(row, lot[0])) is not None, *_dated(row),
    )  # fmt: skip


def _implied(quotes: Quotes, name: str, group: str, count: Any, price: Any = None) -> Line:
    row = _IMPLIED[name]
    own = quotes.find(name)
    found = UNKNOWN if own is None else heavy(own)
    found = found if price is None else heavy(price)
    return Line(
        row.id, row.title, group, heavy(count), found, NOTHING if row.passive else UNKNOWN, True,
        own is not None, "", "", row.assumption,
    )  # fmt: skip


def _lot(name: str, title: str, row: Part | None) -> tuple[str, str]:
    return (name, title) if row is None else (row.id, row.name)


def _names(row: Part | None, name: str) -> tuple[str, ...]:
    return (name,) if row is None else (row.id, row.name, *row.aliases)


def _dated(row: Any) -> tuple[str, str]:
    return ("", "") if row is None or row.price is None else (row.price_date, row.price_source)


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _power_of(card: Nic | None) -> float | None:
    return None if card is None else card.power


def _card(quotes: Quotes, cards: Mapping[str, Nic], fabric: Any) -> float:
    card = cards.get(fabric.nic)
    if card is None:
        return _number(quotes.find("nic"))
    return quotes.price(card, card.price)


def _same(rows: Any, field: str, size: float) -> Any:
    """Return the row whose `field` is `size`, but for what labels round away."""
    return next((row for row in rows if abs(getattr(row, field) - size) <= SAME_SIZE * size), None)


def _by_size(size: Any, sizes: list[float], values: list[float]) -> Any:
    """Return the value of the row of each size, NaN where no row has it. `sizes` ascend."""
    known_values = np.array(values)
    if not sizes or np.isnan(known_values).all():
        return np.nan
    at = smaller(np.searchsorted(sizes, np.asarray(size) * (1 - SAME_SIZE)), len(sizes) - 1)
    return pick(np.abs(np.take(sizes, at) - size) <= SAME_SIZE * size, known_values[at], np.nan)
