"""The figures of checkpoints for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ftbuild.engine.core import Figure
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import by_id, choice, heavy, known, larger, light, number, pick, smaller, unknown
from ftbuild.engine.storage import array, checkpoint, specs
from ftbuild.engine.storage.drives import Drives
from ftbuild.engine.tables import CHOICES
from ftbuild.engine.tables import storage as table
from ftbuild.engine.vram.optimizer import state_bytes
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.storage.compose import Run

_TABLES = {
    name: by_id(CHOICES[key])
    for name, key in (
        ("method", "workload.method"), ("precision", "workload.precision"),
        ("optimizer", "workload.optimizer"), ("stack", "workload.framework"),
        ("objective", "workload.objective"), ("sharding", "hardware.sharding"),
    )
}  # fmt: skip
_KEYS = {
    "method": "workload.method", "precision": "workload.precision", "optimizer": "workload.optimizer",
    "stack": "workload.framework", "objective": "workload.objective", "sharding": "hardware.sharding",
}  # fmt: skip

_FACTS = ("cache", "sustained_write", "tbw", "dwpd", "capacity", "warranty_years")


@dataclass(frozen=True, slots=True)
class Save:
    """One checkpoint, and the drives it goes to."""

    weights: Any
    states: Any
    """Bytes of all nodes together."""
    local: Any
    """Bytes that one node writes."""
    rate: Any
    time: Any
    stall: Any
    space: Any
    """Bytes that a node keeps, the final model included."""
    room: Any
    own: Any
    """1 where checkpoints have drives of their own."""
    rated: Any
    """Bytes that one drive may be written."""
    written: Any
    """Bytes that it is written in a year."""
    survives: Any
    fast: Any
    """Bytes that the drives take at full rate."""
    restore: Any
    """Seconds to read it and the base model back."""
    count: Any


def save_of(c: Columns, run: Run, data: Drives, saves: Drives, own: Any, reading: Any, writing: Any) -> Save:
    """Return one checkpoint of a build; `reading` and `writing` bytes/s of the arrays."""
    row = {name: choice(c, _TABLES[name], _KEYS[name]) for name in _KEYS}
    weights, states = _bytes(c, run, row)
    sharded = (row["sharding"].states > 0) * 1.0
    size = weights + states
    local = pick(sharded > 0, size / run.nodes, size)
    rate = checkpoint.rate(writing, run.gpus, sharded)
    part = {name: _of(own, saves, data, name) for name in _FACTS}
    stripes = pick(own > 0, saves.stripes, data.stripes)
    cache = part["cache"] * stripes
    time = array.write_time(local, rate, cache, part["sustained_write"] * stripes)
    copied = local / pick(sharded > 0, run.gpus, 1.0) / table.COPY_RATE
    waits = number(c, "workload.checkpoint_async") > 0
    final = table.FINAL_BYTES * run.parameters
    space = local * (number(c, "workload.checkpoints_kept") + 1) + final
    left = larger(data.capacity - (run.size + final) / table.FILL, 0.0)
    capacity = pick(own > 0, saves.capacity, left)
    interval = number(c, "workload.checkpoint_every")
    per_year = local / stripes * 86_400 * table.DAYS_PER_YEAR * run.duty / interval
    rated = array.rated_writes(part["tbw"], part["warranty_years"], part["dwpd"], part["capacity"])
    return Save(
        weights=weights,
        states=states,
        local=local,
        rate=rate,
        time=time,
        stall=pick(waits, smaller(copied, time), time),
        space=space,
        room=table.FILL * capacity,
        own=own,
        rated=rated,
        written=per_year,
        survives=pick(own > 0, saves.level.survives, data.level.survives),
        fast=known(cache, part["capacity"] * stripes),
        restore=(local + final) / pick(own > 0, saves.read, reading),
        count=pick(own > 0, saves.count, data.count),
    )


def _of(own: Any, saves: Drives, data: Drives, name: str) -> Any:
    return pick(own > 0, light(getattr(saves.part, name)), light(getattr(data.part, name)))


def _bytes(c: Columns, run: Run, row: dict[str, Any]) -> tuple[Any, Any]:
    """Return bytes of trained weights and of their optimizer states, of all nodes together."""
    adapters = row["method"].adapters
    full = 1 - adapters
    base = row["precision"].weight
    stack = row["stack"]
    base = base + row["sharding"].upcast * (1 - stack.shards_16bit) * stack.autocast * (4 - base)
    adapter = 2 + 2 * light(c.is_in("workload.adapter_precision", "fp32"))
    dtype = full * base + adapters * adapter
    master = 1 - (1 - row["sharding"].master) * (1 - row["stack"].master)
    trained = run.trained * (1 + row["objective"].value_model)
    model = c.model
    states = state_bytes(
        parameters=trained, embedding=full * light(model.embedding + model.head), dtype=dtype,
        states=row["optimizer"].states, fixed=row["optimizer"].state_bytes,
        embedding_32bit=row["optimizer"].embedding_32bit, master=master,
    )  # fmt: skip
    return trained * dtype, states


def figures(c: Columns, run: Run, save: Save) -> Iterator[Figure]:
    """Yield the figures of checkpoints."""
    interval = number(c, "workload.checkpoint_every")
    between = checkpoint.between_failures(run.nodes * run.gpus)
    best = checkpoint.best_interval(save.stall, between)
    waiting = number(c, "workload.checkpoint_async")
    ram = number(c, "hardware.ram")
    size = save.weights + save.states
    restart = table.RESTART + save.restore
    waited = (save.stall, Kind.DURATION)
    m = {"between interruptions": (between, Kind.DURATION), "waiting": waited}
    yield Figure(
        specs.SIZE, heavy(size), parts={"weights": heavy(save.weights), "optimizer": heavy(save.states)},
        terms={"trained parameters": (run.trained, Kind.PARAMETERS)},
    )  # fmt: skip
    missing = unknown(save.rate)
    note = "state storage.data_drive or storage.checkpoint_drive" if missing else ""
    yield Figure(specs.WRITE, heavy(save.rate), note=note, missing=missing)
    yield Figure(specs.WRITE_TIME, heavy(save.time), terms={
        "share of a node": (save.local, Kind.STORAGE), "write rate": (save.rate, Kind.RATE),
    })  # fmt: skip
    yield Figure(specs.STALL, heavy(save.stall / interval), terms={
        "waiting": waited, "interval": (interval, Kind.DURATION),
    })  # fmt: skip
    yield Figure(specs.INTERVAL, heavy(interval))
    yield Figure(specs.BEST, heavy(best), terms=m)
    yield Figure(specs.OFF, heavy(larger(interval / best, best / interval)))
    yield Figure(specs.WASTE, heavy(checkpoint.waste(save.stall, interval, between, restart)), terms={
        **m, "interval": (interval, Kind.DURATION), "restart": (restart, Kind.DURATION),
    })  # fmt: skip
    yield Figure(specs.SHARE, heavy(save.local))
    yield Figure(specs.FAST, heavy(save.fast))
    yield Figure(specs.RESTORE, heavy(save.restore))
    yield Figure(specs.NEED, heavy(save.space))
    yield Figure(specs.ROOM, heavy(save.room))
    yield Figure(specs.COPY, heavy(save.local * waiting))
    yield Figure(specs.COPY_ROOM, heavy(ram / 2))
    yield Figure(specs.UNSAFE, heavy(pick((save.survives == 0) & (save.count > 1), save.count, 0.0)))
    yield Figure(specs.WEAR, heavy(array.life(save.rated, save.written)), terms={
        "rated writes of a drive": (save.rated, Kind.STORAGE),
        "written to it in a year": (save.written, Kind.STORAGE),
    })  # fmt: skip
