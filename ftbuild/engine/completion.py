"""The whole run, once checkpoints are known; and the guide's runs beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.core import Figure, Figures, FigureSpec
from ftbuild.engine.light import heavy, known, light, number, pick
from ftbuild.engine.tables.guide_runs import RUNS, SAME_SIZE, SOURCE
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu
    from ftbuild.engine.inputs import Columns

BYTES_PER_TOKEN = 4.0
"""Of text on disk, where a build does not count its tokens: English under a vocabulary of 32k to 128k."""

TOKENS = FigureSpec(
    "time.tokens", "Tokens of the run", Kind.COUNT,
    "tokens of the data set x epochs; tokens as stated, else samples x tokens a sample, else size / 4 B",
    "arithmetic; 4 bytes of English text a token",
    "what a chat template adds",
)  # fmt: skip
TOTAL = FigureSpec(
    "time.total", "Run time", Kind.DURATION, "tokens / (tokens / s) + checkpoint stalls",
    "arithmetic; checkpoint.stall as a share of the run",
    "loading, evaluation, merging, restarts",
)  # fmt: skip
GUIDE = FigureSpec(
    "time.guide", "Guide's run time", Kind.DURATION, "what the guide says of this model, method and GPUs",
    SOURCE, "it names neither tokens nor sequence length",
)  # fmt: skip
IMPLIED = FigureSpec(
    "time.implied_tokens", "Tokens it implies", Kind.COUNT, "guide's run time x tokens / s of this build",
    "arithmetic", "plausible between 10 million and 5 billion",
)  # fmt: skip


def run_time(tokens: Any, speed: Any, stalled: Any = 0.0) -> Any:
    """Return seconds for `tokens` at `speed` tokens/s with a share `stalled` lost to checkpoints."""
    return tokens / speed / (1 - stalled)


def tokens_of_run(c: Columns) -> Any:
    """Return the tokens that the run sees, over all epochs; NaN where nothing tells."""
    counted = number(c, "workload.samples") * number(c, "workload.tokens_per_sample")
    text = light(c.is_in("workload.data", "text"))
    guessed = pick(text > 0, number(c, "workload.dataset_size") / BYTES_PER_TOKEN, np.nan)
    return known(number(c, "workload.dataset_tokens"), known(counted, guessed)) * number(c, "workload.epochs")


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of a run."""
    tokens = tokens_of_run(c)
    step, speed = done["time.step"], done["time.tokens_per_s"]
    stall = done.get("checkpoint.stall")
    share = np.clip(known(light(stall.value), 0.0), 0.0, 0.99) if stall is not None else 0.0
    working = heavy(tokens) / speed.value
    whole = run_time(working, 1.0, share)
    scale = whole / step.value
    said = c.build.workload.dataset_tokens or (
        c.build.workload.samples and c.build.workload.tokens_per_sample
    )
    note = "" if said else "tokens guessed from the size of the data set; state workload.dataset_tokens"
    yield Figure(TOKENS, heavy(tokens), note=note)
    yield Figure(
        TOTAL, whole,
        None if step.low is None else step.low * scale, None if step.high is None else step.high * scale,
        {"training": working, "checkpoint stalls": whole - working}, note=note or step.note,
    )  # fmt: skip
    seconds, name = guide_run(c, done)
    yield Figure(GUIDE, heavy(seconds), note=name)
    yield Figure(IMPLIED, heavy(seconds) * speed.value, note=name)


def guide_run(c: Columns, done: Figures) -> tuple[Any, str]:
    """Return the guide's seconds for builds like one of its runs, NaN for others, and what it says."""
    total = light(done["vram.params"].value)
    gpus = number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node")
    found: Any = np.nan
    name = ""
    for method, rows in RUNS.items():
        used = light(c.is_in("workload.method", method))
        for row in rows if np.any(used) else ():
            fits = used * light(c.fact(f"guide {row.gpu}", "hardware.gpu", _starts(row.gpu)))
            if np.any(fits):
                fits = (fits > 0) & (gpus == row.gpus) & (np.abs(total / row.parameters - 1) < SAME_SIZE)
                found = pick(fits, row.seconds, found)
                name = row.says if np.any(fits) else name
    return found, name


def _starts(text: str) -> Callable[[Gpu], float]:
    return lambda gpu: float(gpu.id.startswith(text))
