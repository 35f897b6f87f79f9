"""Moves on GPUs and processors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ftbuild.catalog.parts import Cpu, Gpu
from ftbuild.engine.fixes.site import Site, typed
from ftbuild.engine.inputs import PARTS

Changes = Mapping[str, str]

_MOST = 8
"""Parts of one kind that are tried, the cheapest first."""
_MOST_WORKERS = 16
_ABOUT = 0.99
"""Share of a module's memory from which a card has "as much"."""


def gpu(site: Site) -> Iterator[Changes]:
    """Yield GPUs of the same make and form with more memory, the cheapest first.

    Where there are fewer modules than a board carries, cards with as much memory come before.
    """
    now, count = site.gpu, site.build.hardware.gpus_per_node
    least = now.usable or now.memory
    loose = bool(now.boards) and count not in now.boards
    same = [row for row in site.parts.rows(Gpu) if row.vendor == now.vendor]
    cards = [row for row in same if loose and row.form == "pcie" and (row.usable or 0.0) >= _ABOUT * least]
    rows = [row for row in same if row.form == now.form and (row.usable or 0.0) > least]
    for row in (*_cheapest(cards), *_cheapest(rows)):
        fits = not row.boards or count in row.boards
        counted = {} if fits else _gpus(site, min((b for b in row.boards if b >= count), default=count))
        yield {"hardware.gpu": row.id, **_auto_link(site), **counted}


def gpus(site: Site) -> Iterator[Changes]:
    """Yield more GPUs a node, sharded, with the same global batch; cards up to twice what is usual."""
    now, count = site.gpu, site.build.hardware.gpus_per_node
    sizes = now.boards or (2, 4, 8)
    for size in sizes:
        if count < size <= (now.per_node or count) * (2 if now.form == "pcie" else 1):
            yield {**_gpus(site, size), **_auto_link(site), **_sharded(site)}


def nodes(site: Site) -> Iterator[Changes]:
    """Yield more nodes over the fabric that is there."""
    if site.get("network.fabric") != "none":
        for times in (2, 4):
            count = site.build.hardware.nodes * times
            yield {"hardware.nodes": str(count), **_accumulated(site, times), **_sharded(site)}


def real_parts(site: Site) -> Iterator[Changes]:
    """Yield the parts that exist in place of all that only a document names."""
    found = {}
    for key, kind in PARTS.items():
        text = site.get(key)
        if text is not None and not str(text).endswith(".json"):
            row = site.part(kind, key)
            if row is not None and row.claimed and row.really:
                found[key] = row.really
    if found:
        yield found


def gpu_link(site: Site) -> Iterator[Changes]:
    """Yield the link that the GPUs have."""
    yield from filter(None, (_auto_link(site),))


def cpu(site: Site) -> Iterator[Changes]:
    """Yield processors of the same make and memory with more cores, lanes or channels, cheapest first."""
    now = site.cpu
    if now is None:
        return
    rows = [
        row for row in site.parts.rows(Cpu)
        if row.vendor == now.vendor and row.memory_type == now.memory_type and row.id != now.id
        and row.sockets >= site.build.hardware.sockets
        and (row.cores > now.cores or row.lanes > now.lanes or row.channels > now.channels)
    ]  # fmt: skip
    for row in sorted(rows, key=lambda row: (row.price is None, row.price or 0.0, row.cores))[:_MOST]:
        yield {"hardware.cpu": row.id}


def sockets(site: Site) -> Iterator[Changes]:
    """Yield as many processors as a board takes, with as many modules to each as now."""
    now, count = site.cpu, site.build.hardware.sockets
    for wanted in (1, 2):
        if now is None or wanted == count or wanted > now.sockets:
            continue
        held, more = site.get("hardware.ram_modules"), {}
        if held is not None and held * wanted % count == 0:
            more = {
                "hardware.ram_modules": str(held * wanted // count),
                "hardware.ram": typed("hardware.ram", site.get("hardware.ram") * wanted / count),
            }
        yield {"hardware.sockets": str(wanted), **more}


def workers(site: Site) -> Iterator[Changes]:
    """Yield fewer loader processes, then more."""
    now = site.get("workload.dataloader_workers")
    for count in dict.fromkeys((now // 2, 2, 1, now * 2, now * 4, 8)):
        if count != now and 0 < count <= _MOST_WORKERS:
            yield {"workload.dataloader_workers": str(count)}


def _cheapest(rows: list[Gpu]) -> list[Gpu]:
    return sorted(rows, key=lambda row: (row.price is None, row.price or 0.0, row.memory))[:_MOST]


def _gpus(site: Site, count: int) -> dict[str, str]:
    times = count / site.build.hardware.gpus_per_node
    return {"hardware.gpus_per_node": str(count), **_accumulated(site, times)}


def _accumulated(site: Site, times: float) -> dict[str, str]:
    """Return the accumulation that keeps the global batch on `times` as many GPUs, where it is whole."""
    now = site.get("workload.gradient_accumulation")
    whole = times > 1 and (now / times).is_integer()
    return {"workload.gradient_accumulation": str(int(now / times))} if whole else {}


def _sharded(site: Site) -> dict[str, str]:
    return {"hardware.sharding": "fsdp"} if site.get("hardware.sharding") in ("none", "ddp") else {}


def _auto_link(site: Site) -> dict[str, str]:
    return {} if site.get("hardware.gpu_link") == "auto" else {"hardware.gpu_link": "auto"}
