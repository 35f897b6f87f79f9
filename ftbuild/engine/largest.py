"""The largest micro batch, sequence, rank and model that still fit, all else equal.

Memory alone is evaluated, for a ladder of doublings at once and then for the values between the last that
fits and the first that does not: the same formulas as the verdict's, over a handful of builds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ftbuild.build import FIELDS, Build
from ftbuild.catalog import Catalog
from ftbuild.catalog.parts import Model
from ftbuild.engine import shape, vram
from ftbuild.engine.evaluate import columns
from ftbuild.engine.inputs import Axis, find
from ftbuild.schema import Number

SEQUENCE_STEP = 256
"""Tokens: lengths are searched in multiples of it."""
AT_ONCE = 32
"""Builds evaluated together between two steps of the ladder."""

Fits = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class Largest:
    """The most of each key that fits one GPU; 0 (or no name) where nothing does, None where it is unknown."""

    micro_batch: int | None
    sequence_length: int | None
    """In steps of 256 tokens, no longer than the model's context."""
    rank: int | None
    """None also where no adapter trains."""
    model: str | None
    """Id of the catalog's model with the most parameters that fits."""
    parameters: float | None
    """Of that model."""


def largest(build: Build, catalog: Catalog, folder: Path | None = None) -> Largest:
    """Return the largest of each that fits the card, changing one at a time.

    `folder` is where relative paths of the build start. Raises `BuildError` for unknown parts.
    """
    if not _known(build, catalog, folder):
        return Largest(None, None, None, None, None)
    model, parameters = _model(build, catalog, folder)

    def most(key: str, unit: int = 1, top: int | None = None) -> int:
        return _most(lambda values: _fits(build, catalog, folder, Axis(key, tuple(values))), unit,
                     top or _top(key))  # fmt: skip

    context = find(
        columns(build, catalog, (), folder).catalog, Model, build.workload.model, "workload.model", folder
    ).context
    return Largest(
        most("workload.micro_batch"),
        most("workload.sequence_length", min(SEQUENCE_STEP, context), context),
        None if build.workload.method == "full" else most("workload.rank"),
        model,
        parameters,
    )


def _known(build: Build, catalog: Catalog, folder: Path | None) -> bool:
    """Return whether the card's memory is known, so that anything can be said to fit."""
    figures = {figure.spec.id: figure for figure in vram.figures(columns(build, catalog, (), folder), {})}
    return bool(np.isfinite(figures["vram.usable"].value - figures["vram.per_gpu"].value).all())


def _fits(build: Build, catalog: Catalog, folder: Path | None, axis: Axis) -> Any:
    """Return where a build fits, over the values of one axis."""
    c = columns(build, catalog, (axis,), folder)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        figures = {figure.spec.id: figure for figure in vram.figures(c.chunk(0, c.size), {})}
    fits = figures["vram.per_gpu"].value <= figures["vram.usable"].value
    return np.broadcast_to(fits, (c.size,))


def _most(fits: Fits, unit: int, top: int) -> int:
    """Return the largest multiple of `unit` (or `top`) that fits; memory grows with what is searched."""
    ladder = [unit * 2**power for power in range((top // unit).bit_length())]
    steps = [*ladder, top] if ladder[-1] < top else ladder
    low, high = _between(fits, 0, top + unit, steps)
    while high - low > unit and low < top:
        stride = max(1, -(-(high - low) // unit // (AT_ONCE + 1))) * unit
        steps = list(range(low + stride, min(high, top + 1), stride))
        low, high = _between(fits, low, high, steps)
    return low


def _between(fits: Fits, low: int, high: int, steps: Sequence[int]) -> tuple[int, int]:
    """Return the last step that fits and the first that does not."""
    failed = np.flatnonzero(~fits(steps))
    if failed.size == 0:
        return steps[-1], high
    first = int(failed[0])
    return (steps[first - 1] if first else low), steps[first]


def _top(key: str) -> int:
    described = FIELDS[key].described
    assert isinstance(described, Number)  # keys that are searched are counts
    return int(described.high)


def _model(build: Build, catalog: Catalog, folder: Path | None) -> tuple[str, float]:
    rows = columns(build, catalog, (), folder).catalog.rows(Model)
    fits = _fits(build, catalog, folder, Axis("workload.model", tuple(row.id for row in rows)))
    sizes = [(float(shape.shape(row).total), row.id) for row, ok in zip(rows, fits, strict=True) if ok]
    total, name = max(sizes, default=(0.0, ""))
    return name, total
