"""The bill of materials of one build: one row a kind of part, and what the rows add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ftbuild.build import Build
from ftbuild.catalog import Catalog
from ftbuild.engine.core import Array
from ftbuild.engine.evaluate import columns
from ftbuild.engine.parts_list import Line, lines


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of part of the whole rig. None is "not known", never zero."""

    id: str
    """What ``[cost.price]`` calls it."""
    title: str
    group: str
    quantity: float
    price: float | None
    """USD each."""
    power: float | None
    """W each, at full draw; 0 for what takes nothing of its own."""
    implied: bool
    """Nobody typed it, but the rig cannot do without; `assumption` says why so many."""
    quoted: bool
    """The price is the user's own."""
    price_date: str
    price_source: str
    assumption: str

    @property
    def extended(self) -> float | None:
        """Return the price of all of them, USD."""
        return None if self.price is None else self.price * self.quantity

    @property
    def draw(self) -> float | None:
        """Return the draw of all of them, W."""
        return None if self.power is None else self.power * self.quantity


@dataclass(frozen=True, slots=True)
class Bill:
    """The parts of a rig and their totals."""

    build: str
    """Name of the build."""
    rows: tuple[Row, ...]
    quote: float | None = None
    """A total that somebody named for the hardware, USD."""

    @property
    def total(self) -> float:
        """Return what the parts with a known price cost, USD."""
        return math.fsum(row.extended for row in self.rows if row.extended is not None)

    @property
    def unpriced(self) -> tuple[Row, ...]:
        """Return the rows without a known price."""
        return tuple(row for row in self.rows if row.price is None)

    @property
    def power(self) -> float:
        """Return what the parts with a known draw take at full load, W, before losses of the supplies."""
        return math.fsum(row.draw for row in self.rows if row.draw is not None)

    @property
    def unpowered(self) -> tuple[Row, ...]:
        """Return the rows whose draw is not known."""
        return tuple(row for row in self.rows if row.power is None)


def bill(build: Build, catalog: Catalog, folder: Path | None = None) -> Bill:
    """Return the bill of one build; raises `BuildError` for unknown parts."""
    parts = lines(columns(build, catalog, (), folder))
    rows = tuple(_row(line) for line in parts)
    return Bill(build.name, tuple(row for row in rows if row.quantity != 0), build.cost.quote)


def _row(line: Line) -> Row:
    return Row(
        id=line.id,
        title=line.title,
        group=line.group,
        quantity=_first(line.count),
        price=_known(line.price),
        power=_known(line.power),
        implied=line.implied,
        quoted=line.quoted,
        price_date="" if line.quoted else line.price_date,
        price_source="your quote" if line.quoted else line.price_source,
        assumption=line.assumption,
    )


def _first(values: Array) -> float:
    return float(np.ravel(values)[0])


def _known(values: Array) -> float | None:
    value = _first(values)
    return None if math.isnan(value) else value
