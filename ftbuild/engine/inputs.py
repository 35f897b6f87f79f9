"""From a build, or a grid of builds, to columns of arrays.

A grid is a build and axes: values for some keys. Each axis becomes one dimension; columns of keys that no
axis names stay of shape ``(1,)`` and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import numpy as np

from ftbuild import build as builds
from ftbuild.build import Build
from ftbuild.catalog import Catalog, CatalogError, UnknownPart
from ftbuild.catalog.hf_config import model_from_file
from ftbuild.catalog.parts import Cpu, Drive, Fabric, Gpu, Model, Part
from ftbuild.engine import shape, targets
from ftbuild.engine.core import Array
from ftbuild.problems import BuildError, Problem

P = TypeVar("P", bound=Part)

PARTS: Mapping[str, type[Part]] = {
    "workload.model": Model,
    "hardware.gpu": Gpu,
    "hardware.cpu": Cpu,
    "storage.data_drive": Drive,
    "storage.checkpoint_drive": Drive,
    "network.fabric": Fabric,
}
"""Keys that name a part, and its kind."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Values that one key takes in a grid, as typed in a file."""

    key: str
    values: tuple[Any, ...]


class Columns:
    """The inputs of n builds as arrays; parts, models and choices are gathered into arrays of their facts.

    Gathered rows are namespaces: ``c.gpu.bandwidth`` is an array, NaN where the catalog does not know.
    """

    def __init__(
        self, base: Build, catalog: Catalog, axes: Sequence[Axis] = (), folder: Path | None = None
    ) -> None:
        self.build = base
        self.catalog = catalog
        self.axes = tuple(axes)
        self.folder = folder
        self.index: Mapping[str, Any] = {}
        """For keys on an axis: which of its values each build of the chunk has."""
        self._values = {axis.key: _axis_values(base, axis) for axis in axes}
        self._cache: dict[Any, Any] = {}
        self._facts: dict[Any, Any] = {}

    @classmethod
    def of(
        cls, some: Sequence[Build], keys: Sequence[str], catalog: Catalog, folder: Path | None = None
    ) -> Columns:
        """Return the columns of a list of builds that differ in `keys`, and in nothing else.

        Each build is one place of every column: no axes, no combinations.
        """
        c = cls(some[0], catalog, (), folder)
        index = {}
        for key in keys:
            values = [builds.get(one, key) for one in some]
            c._values[key] = tuple(dict.fromkeys(values))
            place = {value: at for at, value in enumerate(c._values[key])}
            index[key] = np.array([place[value] for value in values])
        c.index = index
        return c

    def chunk(self, start: int, stop: int) -> Columns:
        """Return the columns of the builds `start` to `stop` of the grid, in C order of the axes."""
        part = Columns.__new__(Columns)
        part.__dict__.update(self.__dict__)
        shape_ = tuple(len(axis.values) for axis in self.axes)
        indices = np.unravel_index(np.arange(start, stop), shape_)
        part.index = dict(zip((axis.key for axis in self.axes), indices, strict=True))
        part._cache = {}
        return part

    @property
    def size(self) -> int:
        """Return the number of builds of the grid."""
        return int(np.prod([len(axis.values) for axis in self.axes], dtype=np.int64)) if self.axes else 1

    def number(self, key: str) -> Array:
        """Return a number field, SI; NaN where it is not stated. Flags are 0 or 1."""
        found: Array | None = self._cache.get(key)
        if found is None:
            values = self._column(key)
            numbers = np.array([np.nan if value is None else float(value) for value in values])
            found = self._cache[key] = self._spread(key, numbers)
        return found

    def text(self, key: str) -> str:
        """Return a text field of the base build, for names in notes."""
        return str(builds.get(self.build, key))

    def rows(self, table: Sequence[Any] | Mapping[str, Any], key: str) -> Any:
        """Return the rows of `table` that the choices at `key` name: every numeric field an array.

        The answer is kept by the table's identity, so `table` is one that stays: a constant of its module.
        """
        cached = self._cache.get((key, id(table)))
        if cached is None:
            by_id = table if isinstance(table, Mapping) else {row.id: row for row in table}
            cached = self._gather((key, id(table)), key, [by_id[value] for value in self._column(key)])
            self._cache[(key, id(table))] = cached
        return cached

    def is_in(self, key: str, *names: str) -> Any:
        """Return where the choice at `key` is one of `names`, as 0.0 or 1.0."""
        cached = self._cache.get((key, names))
        if cached is None:
            flags = np.array([float(value in names) for value in self._column(key)])
            cached = self._cache[(key, names)] = self._spread(key, flags)
        return cached

    def stated(self, key: str) -> Any:
        """Return where an optional key is stated, as 0.0 or 1.0."""
        cached = self._cache.get(("stated", key))
        if cached is None:
            flags = np.array([float(value is not None) for value in self._column(key)])
            cached = self._cache[("stated", key)] = self._spread(key, flags)
        return cached

    def part(self, key: str) -> Any:
        """Return the facts of the parts named at `key` as arrays; NaN for facts (or parts) not known."""
        cached = self._cache.get(("part", key))
        if cached is None:
            cached = self._cache[("part", key)] = self._gather(("part", key), key, self.parts(key))
        return cached

    def parts(self, key: str) -> list[Any]:
        """Return the catalog rows that the values at `key` name, None where it is not stated."""
        found = self._facts.get(("rows", key))
        if found is None:
            found = [None if value is None else find(self.catalog, PARTS[key], str(value), key, self.folder)
                     for value in self._column(key)]  # fmt: skip
            self._facts[("rows", key)] = found
        return list(found)

    def fact(self, name: str, key: str, read: Callable[[Any], float]) -> Array:
        """Return `read` of each part named at `key` as a column, NaN where none is stated.

        For what a part says in words or lists; `name` is where the answer is kept for the next chunk.
        """
        found = self._facts.get((name, key))
        if found is None:
            found = np.array([np.nan if part is None else read(part) for part in self.parts(key)])
            self._facts[(name, key)] = found
        return self._spread(key, found)

    def each(self, name: str, key: str, read: Callable[[Any], float]) -> Array:
        """Return `read` of each value of `key` as a column, kept under `name`."""
        found = self._facts.get((name, key))
        if found is None:
            found = self._facts[(name, key)] = np.array([read(value) for value in self._column(key)])
        return self._spread(key, found)

    @property
    def gpu(self) -> Any:
        """The facts of the GPUs."""
        return self.part("hardware.gpu")

    @property
    def cpu(self) -> Any:
        """The facts of the processors."""
        return self.part("hardware.cpu")

    @property
    def model(self) -> Any:
        """The shapes of the models (`ftbuild.engine.shape.Shape`) as arrays."""
        return self._stack("model", ("workload.model",), self._shapes, shape.SHAPE_FIELDS)

    @property
    def targets(self) -> Any:
        """What adapters reach (`ftbuild.engine.targets.Targets`), over models and target sets."""
        return self._stack("targets", ("workload.model", "workload.targets"), self._reached, TARGET_FIELDS)

    def _shapes(self) -> list[Any]:
        return [shape.shape(row) for row in self.parts("workload.model")]

    def _reached(self) -> list[Any]:
        names = self._column("workload.targets")
        adapts = "full" not in self._column("workload.method")
        return [
            NO_TARGETS if adapts and targets.unreached(name, model) else targets.targets(name, model)
            for model in self._shapes()
            for name in names
        ]

    def column(self, key: str) -> Sequence[Any]:
        """Return the values that the builds take at `key`: those of its axis, or the one of all builds."""
        return self._column(key)

    def _column(self, key: str) -> Sequence[Any]:
        values = self._values.get(key)
        return (builds.get(self.build, key),) if values is None else values

    def _spread(self, key: str, values: Array) -> Array:
        index = self.index.get(key)
        return values if index is None else values[index]

    def _gather(self, name: Any, key: str, rows: Sequence[Any]) -> Any:
        facts = self._facts.get(name)
        if facts is None:
            facts = self._facts[name] = _kept(rows, None)
        return Rows(**{field: self._spread(key, column) for field, column in facts.items()})

    def _stack(
        self, name: str, keys: tuple[str, ...], rows: Callable[[], list[Any]], names: Sequence[str]
    ) -> Any:
        """Gather rows of numbers or vectors (whose own axis comes first) over the axes `keys`."""
        cached = self._cache.get(name)
        if cached is not None:
            return cached
        facts = self._facts.get((name, "facts"))
        if facts is None:
            made = rows()
            facts = self._facts[(name, "facts")] = _kept(made, names)
        index: Any = None
        for key in keys:
            on_axis = self.index.get(key)
            if on_axis is not None:
                index = on_axis if index is None else index * len(self._column(key)) + on_axis
            elif index is not None:
                index = index * len(self._column(key))
        if index is not None:
            facts = {field: column[..., index] for field, column in facts.items()}
        cached = self._cache[name] = SimpleNamespace(**facts)
        return cached


def find(catalog: Catalog, kind: type[P], text: str, key: str, folder: Path | None = None) -> P:
    """Return the part that `text` names; raises `BuildError` naming the key and what comes close."""
    try:
        if kind is Model and text.endswith(".json"):
            return cast("P", model_from_file((folder or Path()) / text))
        return catalog.find(kind, text)
    except CatalogError as error:
        raise BuildError([Problem(key, error.found, error.expected, str(error))]) from None
    except UnknownPart as error:
        near = " or ".join(error.suggestions) or f"a name from `ftbuild catalog {kind.kind}`"
        raise BuildError([Problem(key, text, near, str(error))]) from None


def _axis_values(base: Build, axis: Axis) -> tuple[Any, ...]:
    return tuple(builds.get(builds.changed(base, {axis.key: value}), axis.key) for value in axis.values)


_KEPT: dict[int, tuple[Any, dict[str, Array]]] = {}
"""Columns of single rows by the row's identity; holding the row keeps the identity its own."""
_MOST_KEPT = 1024


def _kept(rows: Sequence[Any], names: Sequence[str] | None) -> dict[str, Array]:
    """Return the columns of rows (`names`, or every numeric field), kept where there is one row.

    A keystroke changes one field of a build, and all other parts and choices are the same rows again.
    """
    if len(rows) != 1 or rows[0] is None:
        return _columns_of(rows) if names is None else _stacked(rows, names)
    row = rows[0]
    found = _KEPT.get(id(row))
    if found is None:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        found = _KEPT[id(row)] = (row, _columns_of(rows) if names is None else _stacked(rows, names))
    return found[1]


def _stacked(rows: Sequence[Any], names: Sequence[str]) -> dict[str, Array]:
    return {
        field: np.stack([np.asarray(getattr(row, field), dtype=np.float64) for row in rows], axis=-1)
        for field in names
    }


def _columns_of(rows: Sequence[Any]) -> dict[str, Array]:
    """Return every numeric field of the rows as a float column; rows that are None give NaN."""
    example = next((row for row in rows if row is not None), None)
    if example is None:
        return {}
    columns = {}
    for field in fields(example):
        values = [None if row is None else getattr(row, field.name) for row in rows]
        if all(value is None or isinstance(value, (int, float)) for value in values):
            columns[field.name] = np.array([np.nan if value is None else float(value) for value in values])
    return columns


class Rows(SimpleNamespace):
    """Gathered facts; a fact that no row of the grid states is NaN."""

    def __getattr__(self, name: str) -> Array:
        """Answer for facts of a part that is not stated at all."""
        if name.startswith("__"):
            raise AttributeError(name)
        return UNKNOWN


UNKNOWN: Array = np.array([np.nan])
TARGET_FIELDS = tuple(field.name for field in fields(targets.Targets))
NO_TARGETS = targets.Targets(**dict.fromkeys(TARGET_FIELDS, np.nan))
"""Of a model on an axis that lacks a module named as a target: not known, rather than fewer adapters."""
