"""The figures of storage for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.core import Figure, Figures
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import by_id, choice, heavy, known, light, number, pick, smaller, unknown
from ftbuild.engine.storage import array, need, saved, specs
from ftbuild.engine.storage.drives import SHARED, Drives, drives_of, network_rate, read_rate, write_rate
from ftbuild.engine.tables import storage as table
from ftbuild.engine.tables.parallel import OFFLOAD
from ftbuild.units import Kind

_OFFLOAD = by_id(OFFLOAD)
UNKNOWN = np.float64("nan")


@dataclass(frozen=True, slots=True)
class Run:
    """What the run asks of a node's storage."""

    nodes: Any
    gpus: Any
    """Of a node."""
    compute: Any
    """Seconds of a step on the GPUs."""
    tokens: Any
    """Of a step and node."""
    set_tokens: Any
    epochs: Any
    sample: Any
    """Tokens of one."""
    size: Any
    """Of the data set, bytes."""
    parameters: Any
    trained: Any
    duty: Any
    """Share of a week that the rig trains."""


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of storage; `done` holds those of memory and of computation."""
    run = run_of(c, done)
    shared = choice(c, SHARED, "storage.shared")
    data = drives_of(c, "data", shared.striped)
    own = light(c.stated("storage.checkpoint_drive"))
    saves = drives_of(c, "checkpoint")
    network = network_rate(c, shared)
    reading = read_rate(c, data, network)
    writing = write_rate(c, data, saves, own, network)
    save = saved.save_of(c, run, data, saves, own, reading[0], writing)
    yield from _reading(c, run, data, reading)
    yield from _space(c, run, data, save)
    yield from _moving(run, shared, data, reading[0], network, number(c, "storage.staged"))
    yield from saved.figures(c, run, save)
    yield from _offload(c, run, data, reading[0])
    yield from _kinds(c, run, data, saves, shared)


def run_of(c: Columns, done: Figures) -> Run:
    """Return what the run asks of a node."""
    nodes = number(c, "hardware.nodes")
    sequence = number(c, "workload.sequence_length")
    sample = known(number(c, "workload.tokens_per_sample"), sequence)
    tokens = known(number(c, "workload.dataset_tokens"), number(c, "workload.samples") * sample)
    return Run(
        nodes=nodes,
        gpus=number(c, "hardware.gpus_per_node"),
        compute=_done(done, "time.compute"),
        tokens=_done(done, "time.tokens_per_step") / nodes,
        set_tokens=tokens,
        epochs=number(c, "workload.epochs"),
        sample=np.fmin(sample, sequence),
        size=number(c, "workload.dataset_size"),
        parameters=_done(done, "vram.params"),
        trained=_done(done, "vram.trainable"),
        duty=number(c, "cost.hours_per_week") / table.WEEK_HOURS,
    )


def _done(done: Figures, name: str) -> Any:
    return light(done[name].value) if name in done else UNKNOWN


def _reading(c: Columns, run: Run, data: Drives, reading: tuple[Any, Any]) -> Iterator[Figure]:
    text = light(c.is_in("workload.data", "text"))
    each = need.bytes_per_token(run.size, run.set_tokens, light(c.model.vocab), text)
    speed = run.tokens / run.compute
    drive = array.of_drive(light(data.part.read), data.link)
    uncounted = unknown(each)
    rate, low = heavy(reading[0]), heavy(reading[1])
    measured = not unknown(number(c, "storage.measured.read"))
    missing = unknown(reading[0])
    note = "measured" if measured else "state storage.data_drive" if missing else ""
    yield Figure(specs.READ, rate, low, heavy(np.fmax(reading[0], reading[1])), terms={
        "drives read at once": (data.readers, Kind.COUNT), "rate of one": (drive, Kind.RATE),
        "share reached": (data.level.read_reached, Kind.SHARE),
    }, note=note, missing=missing)  # fmt: skip
    yield Figure(specs.READ_NEED, heavy(speed * each), terms={
        "tokens / s of a node": (speed, Kind.SPEED), "bytes / token": (each, Kind.COUNT),
    }, missing=uncounted,
        note="bytes a token of this data set are not known: state workload.dataset_tokens"
        if uncounted else "")  # fmt: skip
    random = known(number(c, "storage.measured.random_read_iops"), light(data.part.read_iops) * data.readers)
    yield Figure(specs.RANDOM, heavy(random), terms={
        "drives' worth": (data.readers, Kind.COUNT),
        "4 KiB reads / s of one": (light(data.part.read_iops), Kind.IOPS),
    })  # fmt: skip
    yield Figure(specs.RANDOM_NEED, heavy(speed / run.sample))


def _space(c: Columns, run: Run, data: Drives, save: saved.Save) -> Iterator[Figure]:
    networked = choice(c, SHARED, "storage.shared").networked
    local = pick((networked > 0) & (number(c, "storage.staged") == 0) & (data.level.read > 0), 0.0, run.size)
    base = table.FINAL_BYTES * run.parameters
    nvme = choice(c, _OFFLOAD, "hardware.offload").nvme
    offloaded = nvme * (table.OFFLOAD_READ * run.trained + base) / run.nodes
    kept = save.space * (1 - save.own)
    yield Figure(specs.CAPACITY, heavy(table.FILL * data.capacity))
    yield Figure(specs.SPACE, heavy(local + base + kept + offloaded), parts={
        "data set": heavy(local), "base model": heavy(base), "checkpoints": heavy(kept),
        "offloaded": heavy(offloaded),
    })  # fmt: skip


def _moving(run: Run, shared: Any, data: Drives, reading: Any, network: Any, staged: Any) -> Iterator[Figure]:
    moves = (shared.networked * staged) > 0
    stage = pick(moves, run.size / np.fmin(network, data.write), 0.0)
    run_time = run.set_tokens * run.epochs / (run.tokens * run.nodes) * run.compute
    yield Figure(specs.STAGE, heavy(stage))
    yield Figure(specs.STAGE_SHARE, heavy(pick(moves, stage / run_time, 0.0)))
    load = table.FINAL_BYTES * run.parameters / smaller(reading, run.gpus * table.LOAD_RATE)
    yield Figure(specs.LOAD, heavy(load))


def _offload(c: Columns, run: Run, data: Drives, reading: Any) -> Iterator[Figure]:
    nvme = choice(c, _OFFLOAD, "hardware.offload").nvme
    steps = number(c, "workload.gradient_accumulation")
    read, written = (
        nvme * part / run.nodes for part in need.offload_bytes(run.trained, run.parameters, steps)
    )
    time = read / reading + written / data.write
    time = pick(nvme > 0, time, 0.0)
    yield Figure(specs.OFFLOAD, heavy(read + written), parts={"read": heavy(read), "written": heavy(written)})
    yield Figure(specs.OFFLOAD_TIME, heavy(time))
    yield Figure(specs.OFFLOAD_SHARE, heavy(pick(nvme > 0, time / run.compute, 0.0)))
    year = 86_400 * table.DAYS_PER_YEAR * run.duty
    per_year = written / data.stripes * year / np.fmax(run.compute, time)
    part = data.part
    rated = array.rated_writes(
        light(part.tbw), light(part.warranty_years), light(part.dwpd), light(part.capacity)
    )
    life = array.life(rated, per_year)
    yield Figure(specs.OFFLOAD_LIFE, heavy(pick(nvme > 0, life, table.LONGEST_LIFE)), terms={
        "rated writes of a drive": (rated, Kind.STORAGE), "written to it in a year": (per_year, Kind.STORAGE),
    })  # fmt: skip


def _kinds(c: Columns, run: Run, data: Drives, saves: Drives, shared: Any) -> Iterator[Figure]:
    claimed = light(data.part.claimed), light(saves.part.claimed)
    odd = [light(c.is_in(f"storage.{name}_raid", "10")) * (one.count % 2) for name, one in
           (("data", data), ("checkpoint", saves))]  # fmt: skip
    yield Figure(specs.ODD, heavy(odd[0] + odd[1]))
    yield Figure(specs.CLAIMED, heavy(known(claimed[0], 0.0) + known(claimed[1], 0.0)))
    yield Figure(specs.SHEET, heavy(light(data.part.read) / data.link))
    staged = number(c, "storage.staged")
    yield Figure(specs.SHARED, heavy(shared.discouraged * (1 - staged)))
    heavy_use = (light(c.is_in("workload.data", "text")) == 0) | (
        light(c.is_in("hardware.offload", "nvme")) > 0
    )
    slow = (data.link != data.link) & (light(data.part.read) > 0)
    yield Figure(specs.SATA, heavy(pick(heavy_use & slow, 1.0, 0.0)))
    yield Figure(specs.CACHE, heavy(run.size))
    yield Figure(specs.RAM_FREE, heavy(number(c, "hardware.ram") / 2))
