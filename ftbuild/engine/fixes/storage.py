"""Moves on drives, checkpoints and the network between nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ftbuild.catalog.parts import Drive, Fabric
from ftbuild.engine.fixes.site import Site, typed

Changes = Mapping[str, str]

_MOST = 6
_COUNTS = (2, 4, 6, 8, 12, 16, 24)
"""Drives that chassis take."""
_INTERVALS = (600.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0)


def data_drives(site: Site) -> Iterator[Changes]:
    """Yield more data drives, striped where they are not in an array yet."""
    level = site.get("storage.data_raid")
    wanted = "0" if level == "none" else level
    for count in _counts(site.get("storage.data_drives")):
        if wanted != "1" and (wanted != "10" or count % 2 == 0):
            yield {"storage.data_drives": str(count), "storage.data_raid": wanted}


def data_raid(site: Site) -> Iterator[Changes]:
    """Yield levels that read from every drive there is, those with a spare first."""
    count, now = site.get("storage.data_drives"), site.get("storage.data_raid")
    for level, least in (("10", 4), ("6", 4), ("5", 3), ("1", 2), ("0", 2)):
        if (
            count >= least
            and level != now
            and (level != "10" or count % 2 == 0)
            and (level != "1" or count == 2)
        ):
            yield {"storage.data_raid": level}


def data_drive(site: Site) -> Iterator[Changes]:
    """Yield drives that read faster, hold more, or are made."""
    yield from _drives(site, "storage.data_drive", "read")


def stage(site: Site) -> Iterator[Changes]:
    """Yield data that is copied to local drives first."""
    if site.get("storage.shared") != "none" and not site.get("storage.staged"):
        yield {"storage.staged": "true"}


def shared(site: Site) -> Iterator[Changes]:
    """Yield file systems that serve many readers at once, or none."""
    now = site.get("storage.shared")
    if now != "none":
        for name in ("none", "juicefs", "lustre"):
            if name != now:
                yield {"storage.shared": name}


def in_background(site: Site) -> Iterator[Changes]:
    """Yield saves that training does not wait for."""
    if not site.get("workload.checkpoint_async"):
        yield {"workload.checkpoint_async": "true"}


def in_foreground(site: Site) -> Iterator[Changes]:
    """Yield saves that take no copy in RAM."""
    if site.get("workload.checkpoint_async"):
        yield {"workload.checkpoint_async": "false"}


def interval(site: Site) -> Iterator[Changes]:
    """Yield longer times between saves, then shorter ones."""
    now = site.get("workload.checkpoint_every")
    for every in (*(i for i in _INTERVALS if i > now), *(i for i in reversed(_INTERVALS) if i < now)):
        yield {"workload.checkpoint_every": typed("workload.checkpoint_every", every)}


def kept(site: Site) -> Iterator[Changes]:
    """Yield fewer kept checkpoints."""
    for count in range(site.get("workload.checkpoints_kept") - 1, 0, -1)[:4]:
        yield {"workload.checkpoints_kept": str(count)}


def checkpoint_drives(site: Site) -> Iterator[Changes]:
    """Yield more checkpoint drives, with a spare first."""
    if site.get("storage.checkpoint_drive") is None:
        return
    now, level = site.get("storage.checkpoint_drives"), site.get("storage.checkpoint_raid")
    for count in (now, *_counts(now)):
        levels = ("1",) if count == 2 else ("10",) if count % 2 == 0 else ()
        for wanted in levels:
            if (count, wanted) != (now, level):
                yield {"storage.checkpoint_drives": str(count), "storage.checkpoint_raid": wanted}


def checkpoint_drive(site: Site) -> Iterator[Changes]:
    """Yield drives that write faster and last longer; a pair of its own where data and saves share."""
    own = site.get("storage.checkpoint_drive") is not None
    pair = {} if own else {"storage.checkpoint_drives": "2", "storage.checkpoint_raid": "1"}
    for found in _drives(site, "storage.checkpoint_drive", "write"):
        yield {**found, **pair}


def links(site: Site) -> Iterator[Changes]:
    """Yield more links a node, up to two a GPU."""
    now, most = site.get("network.links_per_node"), 2 * site.build.hardware.gpus_per_node
    for count in (2, 4, 8, 16):
        if now < count <= most and site.get("network.fabric") != "none":
            yield {"network.links_per_node": str(count)}


def fabric(site: Site) -> Iterator[Changes]:
    """Yield faster fabrics, the slowest of them first."""
    now = site.part(Fabric, "network.fabric")
    rate = now.rate if now else 0.0
    rows = [row for row in site.parts.rows(Fabric) if row.rate >= rate and row is not now and row.rate > 0]
    for row in sorted(rows, key=lambda row: (row.rate, -row.achieved)):
        yield {"network.fabric": row.id}


def switching(site: Site) -> Iterator[Changes]:
    """Yield switches without oversubscription."""
    if site.get("network.oversubscription") > 1:
        yield {"network.oversubscription": "1"}


def _counts(now: int) -> Iterator[int]:
    yield from (count for count in _COUNTS if count > now)


def _drives(site: Site, key: str, rate: str) -> Iterator[Changes]:
    """Yield drives better than the one at `key` in rate, size or endurance, the cheapest first."""
    now = site.part(Drive, key) or site.part(Drive, "storage.data_drive")
    grade = now.grade if now else "enterprise"
    rows = [row for row in site.parts.rows(Drive) if row.grade == grade and row.interface == "nvme"]
    better = [
        row for row in rows
        if now is None or getattr(row, rate) > getattr(now, rate) or row.capacity > now.capacity
        or (row.dwpd or 0.0) > (now.dwpd or 0.0)
    ]  # fmt: skip
    spread = sorted(better, key=lambda row: (row.price is None, row.price or 0.0, row.capacity))
    fastest = sorted(better, key=lambda row: (-getattr(row, rate), row.capacity))
    lasting = sorted(better, key=lambda row: (-(row.dwpd or 0.0), row.capacity))
    picked = (*spread[:_MOST], *fastest[:_MOST], *lasting[:2])
    for name in dict.fromkeys(row.id for row in picked):
        yield {key: name}
