"""What is wrong between a build and the parts it names: asked where the model and the card are known."""

from __future__ import annotations

from collections.abc import Sequence

from ftbuild import build as builds
from ftbuild import units
from ftbuild.engine import shape, targets
from ftbuild.engine.inputs import Columns
from ftbuild.problems import BuildError, Problem, did_you_mean, plain
from ftbuild.units import Kind


def check(c: Columns) -> None:
    """Raise `BuildError` for what the build asks of its model or card that they do not have."""
    check_targets(c)
    check_reserved(c)


def check_targets(c: Columns) -> None:
    """Raise `BuildError` for a target that reaches no module of the model (of all models of an axis)."""
    shapes = [shape.shape(row) for row in c.parts("workload.model")]
    for names in c.column("workload.targets"):
        lost = set.intersection(*(set(targets.unreached(names, model)) for model in shapes))
        if lost:
            raise BuildError([_no_module(c, name, shapes) for name in sorted(lost)])


def check_reserved(c: Columns) -> None:
    """Raise `BuildError` where more of a card is kept for others than it has."""
    kept = builds.get(c.build, "hardware.vram_reserved")
    memory = c.parts("hardware.gpu")[0].memory
    if kept and "hardware.gpu" not in c.index and memory is not None and kept >= memory:
        shown, has = units.show(kept, Kind.MEMORY), units.show(memory, Kind.MEMORY)
        said = f"{shown} leave nothing of the card's {has}; expected less than {has}"
        raise BuildError([Problem("hardware.vram_reserved", shown, f"less than {has}", said)])


def _no_module(c: Columns, name: str, shapes: Sequence[shape.Shape]) -> Problem:
    there = dict.fromkeys(module for model in shapes for module in targets.modules(model))
    expected = "all-linear, or modules of the model: " + ", ".join(there) + did_you_mean(name, tuple(there))
    of = c.text("workload.model") if len(shapes) == 1 else "any of the models"
    said = f"{plain(name)!r} reaches no module of {plain(of)}; expected {expected}"
    return Problem("workload.targets", plain(name), expected, said)
