"""The catalog: shipped files, a user's folder, a build's own parts, in layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from ftbuild.catalog import compiled
from ftbuild.catalog.errors import CatalogError
from ftbuild.catalog.lookup import Index
from ftbuild.catalog.parts import Part
from ftbuild.catalog.reading import Table, part_of, read_file, read_folder, rows_of
from ftbuild.catalog.rows import BY_NAME
from ftbuild.problems import did_you_mean, plain

T = TypeVar("T", bound=Part)

DATA = Path(__file__).parent / "data"
CLAIMED = "claimed"
"""File of parts that some document names but nobody makes."""


@dataclasses.dataclass(frozen=True, slots=True)
class Layer:
    """Tables that lie over the shipped ones, by kind; where each came from stands beside it."""

    tables: Mapping[str, Sequence[Table]]


class Catalog:
    """All parts, by kind. Never changes: laying parts over it makes another catalog."""

    def __init__(self, layers: Sequence[Layer] = ()) -> None:
        self._layers = tuple(layers)
        self._indexes: dict[type[Part], Index[Any]] = {}

    def rows(self, kind: type[T]) -> tuple[T, ...]:
        """Return the parts of one kind that exist, in the order of the files."""
        return tuple(self._index(kind).parts)

    def claimed(self, kind: type[T]) -> tuple[T, ...]:
        """Return the parts of one kind that a document names although their maker sells none."""
        return tuple(part for part in self._index(kind).by_id.values() if part.claimed)

    def get(self, kind: type[T], id_: str) -> T | None:
        """Return the part with exactly this id."""
        return self._index(kind).by_id.get(id_)

    def find(self, kind: type[T], text: str) -> T:
        """Return the part that `text` means (see `lookup`), or raise `UnknownPart`."""
        return self._index(kind).find(text)

    def search(self, kind: type[T], text: str) -> list[T]:
        """Return what a picker shows for `text`, best first; everything for no text."""
        return self._index(kind).search(text)

    def with_parts(
        self, tables: Mapping[str, Sequence[Mapping[str, object]]], origin: str = "build"
    ) -> Catalog:
        """Return a catalog with a build's ``[[catalog.gpu]]`` and the like laid over this one."""
        for name in tables:
            if name not in BY_NAME:
                shown = plain(name)
                raise CatalogError(origin, f"catalog.{shown}", "", "an unknown kind of part",
                                   "one of " + " ".join(BY_NAME) + did_you_mean(shown, BY_NAME))  # fmt: skip
        layer = {name: rows_of(rows, name, origin, "catalog.") for name, rows in tables.items() if rows}
        return self._over(layer)

    def with_folder(self, folder: Path) -> Catalog:
        """Return a catalog with the ``*.toml`` files of a user's folder laid over this one."""
        layer = read_folder(folder)
        return self._over(layer) if layer else self

    def _over(self, tables: Mapping[str, Sequence[Table]]) -> Catalog:
        """Lay `tables` over this catalog and read them now, so that faults show where they are made."""
        above = Catalog((*self._layers, Layer(tables)))
        above._indexes = {kind: index for kind, index in self._indexes.items() if kind.kind not in tables}
        for name in tables:
            above._index(BY_NAME[name])
        return above

    def _index(self, kind: type[T]) -> Index[T]:
        index = self._indexes.get(kind)
        if index is None:
            index = self._indexes[kind] = self._read(kind)
        return cast("Index[T]", index)

    def _read(self, kind: type[T]) -> Index[T]:
        shipped = cast("tuple[T, ...]", _shipped(kind.kind))
        parts = {part.id: part for part in shipped if not part.claimed}
        for layer in self._layers:
            for table in layer.tables.get(kind.kind, ()):
                part = part_of(kind, table, parts)
                parts[part.id] = part
        ghosts = tuple(part for part in shipped if part.claimed and part.id not in parts)
        return Index(kind.kind, tuple(parts.values()), ghosts)


@cache
def load_catalog() -> Catalog:
    """Return the catalog that ships with ftbuild; the same one each time."""
    return Catalog()


def sources_of(kind: type[Part]) -> tuple[Path, Path]:
    """Return the shipped files that the rows of a kind are read from."""
    return DATA / f"{kind.kind}.toml", DATA / f"{CLAIMED}.toml"


def read_shipped(kind: type[Part]) -> list[Part]:
    """Read the shipped rows of a kind from their TOML, claimed ones last."""
    real, claims = (read_file(path) for path in sources_of(kind))
    rows = [part_of(kind, table, {}) for table in real.get(kind.kind, ())]
    ghosts = [part_of(kind, table, {}) for table in claims.get(kind.kind, ())]
    return rows + [dataclasses.replace(part, claimed=True) for part in ghosts]


@cache
def _shipped(name: str) -> tuple[Part, ...]:
    """Return the shipped rows of the kind called `name`, claimed ones last."""
    kind = BY_NAME[name]
    rows = compiled.load(kind, sources_of(kind))
    return tuple(read_shipped(kind) if rows is None else rows)
