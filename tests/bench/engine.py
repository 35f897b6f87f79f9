"""How long the engine takes: one build, and a grid of a million on one core."""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import cycle

from ftbuild.build import Build, changed, read
from ftbuild.catalog import Catalog, load_catalog
from ftbuild.engine.evaluate import evaluate, evaluate_grid
from ftbuild.engine.inputs import Axis
from tests.bench.figures import Figure, seconds
from tests.pty.terminal import ROOT

PRESETS = ("solo-founder", "mid-size-team", "enterprise")
AXES = (
    Axis("workload.sequence_length", tuple(range(512, 512 * 251, 512))),
    Axis("workload.micro_batch", tuple(range(1, 101))),
    Axis("hardware.gpus_per_node", (1, 2, 3, 4, 5, 6, 7, 8)),
    Axis("hardware.nodes", (1, 2, 3, 4, 8)),
)
"""250 x 100 x 8 x 5 = 1,000,000 builds."""
WANTED = ("vram.per_gpu", "time.step", "power.node", "cost.total")


def measure() -> Iterator[Figure]:
    """Yield the figures of the engine."""
    catalog = load_catalog()
    for name in PRESETS:
        yield Figure(f"one evaluation, {name}, median", _one(preset(name), catalog), "ms", goal=1.0)
    grid = json.loads(subprocess.check_output([sys.executable, "-m", __spec__.name], cwd=ROOT))
    yield Figure(f"grid of {grid['builds']:,} builds, one core", grid["seconds"], "s", goal=2.0)
    yield Figure("the same, peak memory of the process", grid["peak_mb"], "MB", goal=1000)


def preset(name: str) -> Build:
    """Return a shipped preset."""
    return read(tomllib.loads((ROOT / "presets" / f"{name}.toml").read_text(encoding="utf-8")))


def _one(build: Build, catalog: Catalog, repeats: int = 300) -> float:
    """Return the median ms of evaluating a build whose micro batch changes each time, as while typing."""
    builds = cycle([changed(build, {"workload.micro_batch": size}) for size in (1, 2, 4, 8)])
    for _ in range(20):
        evaluate(next(builds), catalog)
    return 1e3 * statistics.median(seconds(lambda: evaluate(next(builds), catalog)) for _ in range(repeats))


def _grid() -> dict[str, float]:
    """Evaluate the grid in this process, on one core; return how long it took and the peak memory."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    build, catalog = preset("mid-size-team"), load_catalog()
    evaluate(build, catalog)
    gc.collect()
    size = 1
    for axis in AXES:
        size *= len(axis.values)
    taken = seconds(lambda: evaluate_grid(build, catalog, AXES, WANTED))
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"builds": size, "seconds": taken, "peak_mb": peak_kb / 1e3}


if __name__ == "__main__":
    print(json.dumps(_grid()))
