"""A step of training from its terms: computing, waiting for links, bubbles, offload, feeding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import feed, offload
from ftbuild.engine.core import Figure, Figures, FigureSpec
from ftbuild.engine.light import heavy, known, larger, light, number, pick
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

STEP = FigureSpec(
    "time.step", "Step", Kind.DURATION,
    "computing + waiting for memory + dequantisation + optimizer + waiting for links + pipeline bubble + "
    "offload + waiting for data",
    "sum of figures time.compute and network.exposed; bubble (p - 1) / m of 2104.04473; offload by "
    "2101.06840",
    "evaluation, logging, garbage collection, stragglers",
)  # fmt: skip
SPEED = FigureSpec(
    "time.tokens_per_s", "Tokens / s", Kind.SPEED,
    "tokens a step x share that is not padding / step", "arithmetic", "what checkpoints cost (time.total)",
)  # fmt: skip
EACH = FigureSpec(
    "time.tokens_per_s_gpu", "Tokens / s / GPU", Kind.SPEED, "tokens / s / GPUs", "arithmetic",
)  # fmt: skip
PADDING = FigureSpec(
    "time.padding", "Padding", Kind.SHARE,
    "1 - mean length / sequence, for several unpacked samples in a micro-batch", "arithmetic",
    "sorting by length, which saves most of it",
)  # fmt: skip
OFFLOAD = FigureSpec(
    "time.offload", "Offload", Kind.SHARE,
    "max(transfers, CPU optimizer) + NVMe, over the step", "2101.06840, 2104.07857; PCIe and memory rates of "
    "tables.host", "overlap with computation",
)  # fmt: skip
DEQUANTISATION = FigureSpec(
    "time.dequantisation", "Dequantisation", Kind.SHARE, "dequantisation / step", "figure time.compute",
)  # fmt: skip
AGAIN = FigureSpec(
    "time.again", "Computed again", Kind.SHARE, "recomputation / step", "figure time.compute",
)  # fmt: skip
MEASURED = FigureSpec(
    "time.measured", "Measured step", Kind.DURATION, "the run's own step = modelled + difference",
    "[measured] of the build",
)  # fmt: skip


def bubble_time(compute: Any, stages: Any, micro_batches: Any) -> Any:
    """Return seconds that pipeline `stages` idle in a step of `micro_batches`: (p - 1) / m (2104.04473)."""
    return compute * (stages - 1) / micro_batches


def fed(busy: Any, feeding: Any) -> Any:
    """Return seconds of a step that is `busy` so long and whose data takes `feeding` to prepare.

    Both go on side by side, so the longer counts; where nothing is known of the processors (NaN), `busy`.
    """
    return busy + np.fmax(feeding - busy, 0.0)


def padding(c: Columns) -> Any:
    """Return the share of a step's tokens that is padding."""
    mean = number(c, "workload.tokens_per_sample") / number(c, "workload.sequence_length")
    alone = number(c, "workload.packing") + (number(c, "workload.micro_batch") == 1)
    return pick(alone > 0, 0.0, larger(1 - known(mean, 1.0), 0.0))


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of a whole step."""
    compute, exposed = done["time.compute"], light(done["network.exposed"].value)
    tokens = light(done["time.tokens_per_step"].value)
    trainable, total = light(done["vram.trainable"].value), light(done["vram.params"].value)
    stages, micro = number(c, "hardware.pipeline_parallel"), number(c, "workload.gradient_accumulation")
    work = light(compute.value)
    idle = bubble_time(work, stages, micro)
    host = offload.times(c, trainable, total)
    moved = larger(host["transfers"], host["CPU optimizer"]) + host["NVMe"]
    beside = exposed + idle + moved
    busy = work + beside
    feeding = tokens / (feed.tokens_per_s(c) * number(c, "hardware.nodes"))
    waiting = fed(busy, feeding) - busy
    step = heavy(busy + waiting)
    names = ("waiting for memory", "dequantisation", "optimizer")
    parts = {name: compute.parts[name] for name in names}
    parts = {"computing": heavy(work) - sum(parts.values()), **parts} | {
        "waiting for links": heavy(exposed), "pipeline bubble": heavy(idle), "offload": heavy(moved),
        "waiting for data": heavy(waiting),
    }  # fmt: skip
    low = None if compute.low is None else np.minimum(fed(compute.low + heavy(beside), feeding), step)
    high = None if compute.high is None else np.maximum(fed(compute.high + heavy(beside), feeding), step)
    unknown = bool(np.isnan(step).all())
    yield Figure(STEP, step, low, high, parts, note=_bottleneck(parts), missing=False)
    useful = tokens * (1 - padding(c))
    speed = heavy(useful) / step
    gpus = number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node")
    slow = None if high is None else heavy(useful) / high
    fast = None if low is None else heavy(useful) / low
    note = "" if not unknown else (compute.note or done["network.time"].note)
    yield Figure(SPEED, speed, slow, fast, terms={"tokens": (heavy(tokens), Kind.COUNT)}, note=note)
    yield Figure(EACH, speed / heavy(gpus))
    yield Figure(PADDING, heavy(padding(c)))
    yield Figure(OFFLOAD, heavy(moved) / step, terms={
        name: (heavy(part), Kind.DURATION) for name, part in host.items()
    })  # fmt: skip
    yield Figure(DEQUANTISATION, parts["dequantisation"] / step)
    yield Figure(AGAIN, compute.parts["computed again"] / step)
    run = c.build.measured.step
    if run is not None:
        modelled = step[:1]
        yield Figure(MEASURED, np.array([float(run)]),
                     parts={"modelled": modelled, "difference": run - modelled})  # fmt: skip


def _bottleneck(parts: dict[str, Any]) -> str:
    first = {name: float(part.flat[0]) for name, part in parts.items()}
    whole = sum(first.values())
    if not whole > 0:
        return ""
    name = max(first, key=lambda part: first[part])
    return f"bottleneck: {name}, {100 * first[name] / whole:.0f} % of the step"
