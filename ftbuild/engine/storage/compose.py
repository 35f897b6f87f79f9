"""The figures of storage for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator

from ftbuild.engine.core import Figure, Figures
from ftbuild.engine.inputs import Columns


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of this module."""
    yield from ()
