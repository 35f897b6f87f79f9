"""The user's own prices: which of them are of no part that a bill could list."""

from __future__ import annotations

from collections.abc import Iterator

from ftbuild.build import Build
from ftbuild.catalog import Catalog
from ftbuild.catalog.parts import Cpu, Drive, Gpu, MemoryModule, Nic, Psu
from ftbuild.problems import Problem, nearest, plain

PRICED = (Gpu, Cpu, MemoryModule, Drive, Nic, Psu)
"""Kinds of the catalog whose parts a bill lists."""
UNNAMED = ("gpu", "cpu", "memory-module", "data-drive", "checkpoint-drive", "nic", "psu")
"""What a bill calls a part that the catalog has not."""


def unknown_prices(build: Build, catalog: Catalog) -> list[Problem]:
    """Return a problem for each entry of ``[cost.price]`` that names no part, with what comes close."""
    if not build.cost.price:
        return []
    names = dict.fromkeys(_names(catalog.with_parts(build.catalog)))
    known = {name.casefold() for name in names}
    return [_problem(name, names) for name in build.cost.price if name.casefold() not in known]


def _problem(name: str, known: dict[str, None]) -> Problem:
    shown = plain(name)
    near = nearest(shown, known, 1)
    expected = f"the id of a part{f'; did you mean {near[0]}?' if near else ''}"
    return Problem(
        f"cost.price.{shown}",
        shown,
        expected,
        f"no such part, so this price is not used; expected {expected}",
    )


def _names(catalog: Catalog) -> Iterator[str]:
    """Yield every name that a price is looked up under: ids first, for they are suggested."""
    from ftbuild.engine.tables.implied import IMPLIED

    yield from (row.id for row in IMPLIED)
    yield from UNNAMED
    for kind in PRICED:
        for part in (*catalog.rows(kind), *catalog.claimed(kind)):
            yield from (part.id, part.name, *part.aliases)
