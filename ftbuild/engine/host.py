"""Memory by stage, processors and lanes of a node, against what the work needs of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import feed, lanes, memory, shape
from ftbuild.engine.core import Figure, Figures
from ftbuild.engine.host_specs import SPECS
from ftbuild.engine.light import by_id, choice, heavy, known, larger, light, number, pick, smaller
from ftbuild.engine.runtime import METHOD, QUANTIZATION
from ftbuild.engine.tables import host as t
from ftbuild.engine.tables.parallel import OFFLOAD
from ftbuild.engine.tables.runtime import WEIGHT_BYTES
from ftbuild.engine.tables.training import PRECISIONS
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

STATES, LOADING, OFFLOADS = by_id(t.HOST_STATES), by_id(t.LOADING), by_id(OFFLOAD)
PRECISION = by_id(PRECISIONS)


def offloaded(
    trainable: Any, frozen: Any, *, states: Any, each_gpu: Any, gpus: Any, nodes: Any, weights: Any = 0.0
) -> Any:
    """Return bytes that offloading leaves on each node.

    `trainable` parameters with `states` bytes each, or `each_gpu` bytes for every GPU of the rig where that
    is more; `frozen` parameters at `weights` bytes each. Source: DeepSpeed's memory estimators.
    """
    return (larger(states, each_gpu * gpus) * trainable + weights * frozen) / nodes


def loading_peak(weights: Any, gpus: Any, *, once: Any, each: Any) -> Any:
    """Return bytes of weights on a node while they are loaded, `each` GPU's process holding its own."""
    return weights * (once + each * gpus)


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of hosts."""
    yield from _memory(c, done)
    yield from _population(c)
    yield from _processors(c, done)
    yield from _claims(c)


def _figure(name: str, value: Any, low: Any = None, high: Any = None, **more: Any) -> Figure:
    band = (None, None) if high is None else (heavy(low), heavy(high))
    return Figure(SPECS[name], heavy(value), *band, **more)


def _memory(c: Columns, done: Figures) -> Iterator[Figure]:
    """Need by stage: the system, then the larger of loading and of training with what saving adds."""
    gpus, nodes = number(c, "hardware.gpus_per_node"), number(c, "hardware.nodes")
    apart = 1 - light(c.fact("fused", "hardware.gpu", lambda gpu: float(gpu.form == "unified")))
    states, saving = _states(c, done, nodes, nodes * gpus)
    load, worst = _loading(c, done, gpus)
    workers = gpus * number(c, "workload.dataloader_workers")
    offloads = choice(c, OFFLOADS, "hardware.offload")
    pinned = gpus * (offloads.states * t.PINNED + offloads.nvme * t.NVME_BUFFERS)
    training = states + pinned + workers * t.WORKER + saving
    needed = t.SYSTEM + larger(training, load)
    roomy = states * t.BUFFERS + pinned + workers * t.WORKER_MOST + saving
    comfortable = t.SYSTEM_MOST + larger(roomy, load)
    loads = load > training
    parts = {
        "system": heavy(t.SYSTEM), "loading": heavy(pick(loads, load, 0.0)),
        "offloaded states": heavy(pick(loads, 0.0, states)),
        "saving": heavy(pick(loads, 0.0, saving)),
        "pinned buffers": heavy(pick(loads, 0.0, pinned)),
        "loader workers": heavy(pick(loads, 0.0, workers * t.WORKER)),
    }  # fmt: skip
    ram, vram = number(c, "hardware.ram"), gpus * light(c.gpu.memory)
    first = bool(np.asarray(loads).flat[0])
    note = "largest while the model is loaded" if first else "largest in training and saving"
    yield _figure("ram.installed", ram)
    parts = {name: heavy(part * apart) for name, part in parts.items()}
    yield _figure("ram.needed", needed * apart, needed * apart, comfortable * apart, parts=parts, note=note)
    yield _figure("ram.comfortable", comfortable * apart)
    yield _figure("ram.load_peak", (t.SYSTEM + load) * apart, (t.SYSTEM + load) * apart,
                  (t.SYSTEM + worst) * apart)  # fmt: skip
    yield _figure("ram.load_each", (t.SYSTEM + worst) * apart)
    yield _figure("ram.ratio", ram / vram, terms={
        "RAM": (ram, Kind.MEMORY), "GPUs a node": (gpus, Kind.COUNT),
        "memory as labelled": (light(c.gpu.memory), Kind.MEMORY),
    })  # fmt: skip


def _states(c: Columns, done: Figures, nodes: Any, gpus: Any) -> tuple[Any, Any]:
    """Return bytes a node of offloaded states and weights, and of a consolidated save beside them."""
    row, away = choice(c, STATES, "hardware.sharding"), choice(c, OFFLOADS, "hardware.offload")
    trainable, total = light(done["vram.trainable"].value), light(done["vram.params"].value)
    sixteen = choice(c, PRECISION, "workload.precision").weight <= WEIGHT_BYTES
    on_host = away.states * (1 - away.nvme)
    each = pick(sixteen, row.states16, row.states)
    states = on_host * offloaded(
        trainable, total - (1 - row.weights) * smaller(trainable, total), states=each,
        each_gpu=row.each_gpu, gpus=gpus, nodes=nodes, weights=away.parameters * _weight_bytes(c, total),
    )  # fmt: skip
    full = light(c.is_in("workload.method", "full"))
    saved = pick(sixteen, row.saved, row.saved32)
    copy = pick(on_host > 0, saved, smaller(saved, 2 * WEIGHT_BYTES - WEIGHT_BYTES * sixteen))
    return states, full * copy * trainable


def _weight_bytes(c: Columns, total: Any) -> Any:
    """Return bytes of a weight of the base as it rests: 2, or fewer where it is quantised."""
    quantized = choice(c, METHOD, "workload.method").quantized
    few = choice(c, QUANTIZATION, "workload.quantization")
    bits = light(c.fact("quantizable", "workload.model", lambda model: shape.shape(model).quantizable))
    return WEIGHT_BYTES - quantized * few.few_bits * bits / total * (
        WEIGHT_BYTES - few.packed - few.constants_double
    )


def _loading(c: Columns, done: Figures, gpus: Any) -> tuple[Any, Any]:
    """Return bytes a node while the model is loaded, as stacks do it and as a plain script does."""
    row = choice(c, LOADING, "hardware.sharding")
    precision = choice(c, PRECISION, "workload.precision")
    full = light(c.is_in("workload.method", "full"))
    wide = pick(full > 0, precision.weight, WEIGHT_BYTES)
    weights = light(done["vram.params"].value) * wide
    quantized = choice(c, METHOD, "workload.method").quantized * (row.once == 0)
    usual = loading_peak(weights, gpus, once=row.once, each=row.each)
    streamed = smaller(t.STREAMED, weights) * gpus
    worst = loading_peak(weights, gpus, once=0.0, each=row.worst)
    return pick(quantized > 0, streamed, usual), pick(quantized > 0, streamed, worst)


def _population(c: Columns) -> Iterator[Figure]:
    """Speed, channels and module sizes."""
    sockets, ram = number(c, "hardware.sockets"), number(c, "hardware.ram")
    channels = light(c.cpu.channels) * sockets
    stated = number(c, "hardware.ram_modules")
    modules = known(stated, channels)
    supported = memory.rated(c, modules, channels)
    speed = memory.effective(c, supported)
    sizes = memory.sold(c.catalog)
    even = memory.even_gap(sizes, ram, channels)
    yield _figure("ram.speed", speed)
    yield _figure("ram.speed_stated", number(c, "hardware.ram_speed"))
    yield _figure("ram.speed_rated", light(c.cpu.memory_speed))
    yield _figure("ram.speed_populated", supported)
    filled = np.fmin(modules, channels)
    yield _figure("ram.bandwidth", memory.bandwidth(filled, speed), terms={
        "channels": (heavy(filled), Kind.COUNT), "speed": (heavy(speed), Kind.TRANSFERS),
    })  # fmt: skip
    yield _figure("ram.unbalanced", memory.uneven(modules, channels), terms={
        "modules": (heavy(modules), Kind.COUNT), "channels": (heavy(channels), Kind.COUNT),
    })  # fmt: skip
    yield _figure("ram.module_size", ram / stated)
    yield _figure("ram.module_gap", memory.size_gap(sizes, ram / stated))
    yield _figure("ram.even_gap", even)
    yield _figure("ram.capacity_max", light(c.cpu.memory_max) * sockets)


def _processors(c: Columns, done: Figures) -> Iterator[Figure]:
    gpus, nodes = number(c, "hardware.gpus_per_node"), number(c, "hardware.nodes")
    cores = feed.cores(c)
    processes = gpus * (number(c, "workload.dataloader_workers") + 1)
    yield _figure("cpu.cores", cores, terms={
        "cores": (light(c.cpu.cores), Kind.COUNT), "sockets": (number(c, "hardware.sockets"), Kind.COUNT),
    })  # fmt: skip
    yield _figure("cpu.cores_min", processes + t.SPARE_CORES)
    yield _figure("cpu.cores_least", gpus + t.LEAST_SPARE_CORES)
    one, several = t.GUIDE_CORES
    yield _figure("cpu.cores_guide", pick(nodes * gpus > 1, several, one))
    yield _figure("cpu.clock", light(c.cpu.base_ghz) * 1e9)
    yield _figure("cpu.feed", feed.tokens_per_s(c))
    step = done["time.step"]
    busy = light(step.value - step.parts["waiting for data"])
    yield _figure("cpu.feed_need", light(done["time.tokens_per_step"].value) / busy / nodes)
    needed, cards, drives = lanes.wanted(c)
    there = lanes.offered(c)
    yield _figure("cpu.lanes", there)
    yield _figure("cpu.lanes_needed", needed + cards + drives, parts={
        "GPUs": heavy(needed), "network cards": heavy(cards), "drives": heavy(drives),
    })  # fmt: skip
    yield _figure("cpu.gpu_lanes", lanes.of_each_gpu(c, needed, cards + drives, there))
    yield _figure("cpu.sockets", number(c, "hardware.sockets"))
    yield _figure("cpu.sockets_max", light(c.cpu.sockets))


def _claims(c: Columns) -> Iterator[Figure]:
    """Parts that a document names and nobody makes."""
    for name, key in (
        ("cpu.claimed", "hardware.cpu"), ("gpu.claimed", "hardware.gpu"), ("model.claimed", "workload.model"),
    ):  # fmt: skip
        row = c.parts(key)[0]
        claimed = known(light(c.fact("claimed", key, lambda part: float(part.claimed))), 0.0)
        yield _figure(name, claimed, note=row.notes if row is not None and row.claimed else "")
