"""Moves on RAM: sizes, populations, speeds; and processors that bring memory of another kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ftbuild.catalog.parts import Cpu, MemoryModule
from ftbuild.engine.fixes.site import Site, typed
from ftbuild.engine.parts_list import DESKTOP_CHANNELS

Changes = Mapping[str, str]

_MOST = 12
_PLATFORMS, _CORES = 3, (0, 32, 64, 128)
"""Processors of other kinds that are tried: the cheapest three from each number of cores."""
_GIB = 2.0**30


def more(site: Site) -> Iterator[Changes]:
    """Yield larger RAM in populations that fill every channel alike, the smallest first."""
    size, cpu = site.get("hardware.ram") or 0.0, site.cpu
    if cpu is None:
        least = 2 ** max(5, int(size / _GIB).bit_length())
        for total in (least, 2 * least, 4 * least, 8 * least):
            if total * _GIB > size:
                yield {"hardware.ram": typed("hardware.ram", total * _GIB)}
        return
    found = _populations(site, cpu)
    for total in [total for total in found if total > size][:_MOST]:
        yield _population(site, cpu, total, found[total])


def modules(site: Site) -> Iterator[Changes]:
    """Yield the nearest RAM with every channel populated alike: the same size or more, then less."""
    cpu, size = site.cpu, site.get("hardware.ram")
    if cpu is not None and size is not None:
        found = _populations(site, cpu)
        above = [total for total in found if size <= total <= 2 * size][:4]
        for total in (*above, *sorted((total for total in found if total < size), reverse=True)[:2]):
            yield _population(site, cpu, total, found[total])


def speed(site: Site) -> Iterator[Changes]:
    """Yield the speed that the processor is rated for, with one module a channel or two."""
    cpu, stated = site.cpu, site.get("hardware.ram_speed")
    if cpu is not None and stated is not None:
        for rated in dict.fromkeys((cpu.memory_speed, cpu.memory_speed_2dpc or cpu.memory_speed)):
            if rated != stated:
                yield {"hardware.ram_speed": typed("hardware.ram_speed", rated)}


def platform(site: Site) -> Iterator[Changes]:
    """Yield processors of any make with more cores and lanes, with as much RAM and more that fits them."""
    now, size = site.cpu, site.get("hardware.ram") or 0.0
    if now is None:
        return
    rows = [
        row for row in site.parts.rows(Cpu)
        if row.cores > now.cores and row.lanes > now.lanes and row.sockets >= site.build.hardware.sockets
    ]  # fmt: skip
    cheapest = sorted(rows, key=lambda row: (row.price is None, row.price or 0.0, row.cores))
    some = [row for least in _CORES for row in [row for row in cheapest if row.cores >= least][:_PLATFORMS]]
    for row in dict.fromkeys(some):
        found = _populations(site, row)
        totals = (next((total for total in found if total >= times * size), None) for times in (1, 2, 4))
        for total in dict.fromkeys(total for total in totals if total is not None):
            yield {"hardware.cpu": row.id, **_population(site, row, total, found[total])}


def _populations(site: Site, cpu: Cpu) -> dict[float, int]:
    """Return totals, ascending, with the number of modules: one a channel where it can be, else two."""
    slots, limit = cpu.channels * site.build.hardware.sockets, cpu.memory_max or float("inf")
    found = {slots * each * one: slots * each for each in (2, 1) for one in _capacities(site, cpu)}
    return {total: found[total] for total in sorted(found) if total <= limit * site.build.hardware.sockets}


def _population(site: Site, cpu: Cpu, total: float, count: int) -> dict[str, str]:
    stated = site.get("hardware.ram_speed")
    one_each = count <= cpu.channels * site.build.hardware.sockets
    rated = cpu.memory_speed if one_each else cpu.memory_speed_2dpc or cpu.memory_speed
    slower = {} if stated is None or stated <= rated else {
        "hardware.ram_speed": typed("hardware.ram_speed", rated)
    }  # fmt: skip
    return {"hardware.ram": typed("hardware.ram", total), "hardware.ram_modules": str(count), **slower}


def _capacities(site: Site, cpu: Cpu) -> list[float]:
    """Return the capacities of modules that fit the processor, bytes, ascending."""
    desktop = cpu.sockets == 1 and cpu.channels <= DESKTOP_CHANNELS
    forms = ("udimm", "cudimm") if desktop else ("rdimm", "lrdimm")
    return sorted({
        row.capacity for row in site.parts.rows(MemoryModule)
        if row.form in forms and row.memory_type == cpu.memory_type
    })  # fmt: skip
