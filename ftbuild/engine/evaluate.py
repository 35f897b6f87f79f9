"""One build or a grid of them, from fields to figures and findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ftbuild.build import Build
from ftbuild.catalog import Catalog
from ftbuild.engine import (
    checks,
    completion,
    cost,
    guide,
    host,
    network,
    power,
    runtime,
    schedule,
    storage,
    vram,
)
from ftbuild.engine.core import Array, Figure, Report
from ftbuild.engine.inputs import Axis, Columns
from ftbuild.engine.judge import findings, judge
from ftbuild.engine.rules import RULES

MODULES = (vram, guide, runtime, network, schedule, storage, completion, host, power, cost)
"""In the order in which they need one another's figures."""

CHUNK = 16_384
"""Builds evaluated at once: arrays of this length stay in the processor's second-level cache."""


def figures_of(c: Columns) -> dict[str, Figure]:
    """Return every figure of the chunk's builds by id."""
    done: dict[str, Figure] = {}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for module in MODULES:
            for figure in module.figures(c, done):
                done[figure.spec.id] = figure
    return done


def evaluate(build: Build, catalog: Catalog, folder: Path | None = None) -> Report:
    """Return all figures and findings of one build: a grid of size one.

    `folder` is where relative paths in the build start. Raises `BuildError` for unknown parts and limits.
    """
    c = columns(build, catalog, (), folder)
    figures = figures_of(c)
    judged = judge(c, figures, RULES)
    return Report(figures, judged, findings(c, judged), tuple(f.note for f in figures.values() if f.missing))


def columns(build: Build, catalog: Catalog, axes: Sequence[Axis], folder: Path | None = None) -> Columns:
    """Return the inputs of a build or grid, with the build's own parts laid over the catalog."""
    if build.catalog:
        catalog = catalog.with_parts(build.catalog)
    c = Columns(build, catalog, axes, folder)
    checks.check(c)
    return c


@dataclass(frozen=True, slots=True)
class Grid:
    """Wanted figures and the verdict of every build of a grid, in the shape of its axes."""

    axes: tuple[Axis, ...]
    values: Mapping[str, Array]
    verdict: Any
    """Of `Severity` by build: ok, warning or violation."""


def evaluate_grid(
    build: Build, catalog: Catalog, axes: Sequence[Axis], wanted: Sequence[str], folder: Path | None = None
) -> Grid:
    """Return the wanted figures and the verdict over all combinations of the axes' values.

    Memory is bounded by chunks: beside the answer (8 bytes a figure and build) about 100 MB.
    """
    c = columns(build, catalog, axes, folder)
    size = c.size
    values = {name: np.empty(size) for name in wanted}
    verdict = np.zeros(size, dtype=np.int8)
    for start, stop, figures, levels in sweep(c):
        for name in wanted:
            values[name][start:stop] = figures[name].value
        verdict[start:stop] = levels
    shape = tuple(len(axis.values) for axis in c.axes)
    return Grid(
        c.axes, {name: array.reshape(shape) for name, array in values.items()}, verdict.reshape(shape)
    )


def sweep(c: Columns) -> Iterator[tuple[int, int, dict[str, Figure], Any]]:
    """Yield each chunk of a grid: its start and stop, its figures and the worst level of its rules."""
    for start in range(0, c.size, CHUNK):
        stop = min(start + CHUNK, c.size)
        part = c.chunk(start, stop)
        figures = figures_of(part)
        worst = np.zeros(stop - start, dtype=np.int8)
        for one in judge(part, figures, RULES):
            np.maximum(worst, one.level, out=worst)
        yield start, stop, figures, worst
