"""From TOML files to tables of parts, and from a table to a part with its source filled in.

A file holds tables named by kind (``[[gpu]]``, ``[[drive]]``, ...) and may begin with ``[sources]``:
short names for texts that many rows share. ``source = ["brief", "list"]`` names them; the row takes its
date from the first of them that has one, unless it states its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ftbuild.catalog.errors import CatalogError
from ftbuild.catalog.parts import Part
from ftbuild.catalog.rows import BY_NAME, checked, read_row, read_values
from ftbuild.problems import did_you_mean, plain, syntax_mistake

T = TypeVar("T", bound=Part)

LARGEST_FILE = 4 << 20
MOST_FILES = 200
MOST_ROWS = 20_000
STATED = "stated by the user"


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """One part as written, where it stands, and the sources of its file."""

    values: Mapping[str, object]
    file: str
    row: str
    sources: Mapping[str, Mapping[str, object]]
    shipped: bool = False


def part_of(kind: type[T], table: Table, below: Mapping[str, T]) -> T:
    """Return the part of one table; a table with the id of a part `below` changes the keys it names."""
    values = _sourced(table)
    old = below.get(str(values.get("id", "")))
    if old is not None:
        return _changed(old, table, values)
    if not table.shipped:
        values = {"confidence": "user", "source": STATED, "as_of": "", "name": values.get("id"), **values}
    return read_row(kind, values, table.file, table.row)


def _changed(old: T, table: Table, values: Mapping[str, object]) -> T:
    """Lay the keys of a user's table over a known part, and say so in its source."""
    named = ", ".join(sorted(values.keys() - {"id", "source", "as_of", "confidence"}))
    stated = {"source": f"{STATED}: {named}; the rest: {old.source}", "confidence": "user", **values}
    read = read_values(type(old), stated, table.file, table.row)
    return checked(dataclasses.replace(old, **read), table.file, table.row)


def read_file(path: Path, *, shipped: bool = True) -> dict[str, list[Table]]:
    """Read one file into tables by kind; raise `CatalogError` for anything that is not one."""
    name = plain(path.name if shipped else str(path), 200)
    document = _document(path, name)
    sources = document.pop("sources", {})
    if not isinstance(sources, dict) or not all(isinstance(entry, dict) for entry in sources.values()):
        raise CatalogError(name, "sources", "", plain(sources), "tables, each with `text` and `as_of`")
    for key in document:
        if key not in BY_NAME:
            shown = plain(key)
            raise CatalogError(name, shown, "", "an unknown kind of part",
                               "one of " + " ".join(BY_NAME) + did_you_mean(shown, BY_NAME))  # fmt: skip
    return {kind: rows_of(rows, kind, name, "", sources, shipped=shipped) for kind, rows in document.items()}


def read_folder(folder: Path) -> dict[str, list[Table]]:
    """Read the ``*.toml`` files of a folder, in the order of their names; nothing where there is none."""
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise CatalogError(
            plain(str(folder), 200), "", "", error.strerror or "a fault", "a folder to read"
        ) from None
    if len(files) > MOST_FILES:
        raise CatalogError(plain(str(folder), 200), "", "", f"{len(files)} files", f"at most {MOST_FILES}")
    merged: dict[str, list[Table]] = {}
    for path in files:
        for kind, tables in read_file(path, shipped=False).items():
            merged.setdefault(kind, []).extend(tables)
    return merged


def rows_of(
    rows: object,
    kind: str,
    file: str,
    prefix: str,
    sources: Mapping[str, Mapping[str, object]] | None = None,
    *,
    shipped: bool = False,
) -> list[Table]:
    """Check that `rows` is a list of tables with ids of their own, and note where each stands."""
    if not isinstance(rows, (list, tuple)) or len(rows) > MOST_ROWS:
        raise CatalogError(file, f"{prefix}{kind}", "", plain(rows), f"tables written as [[{prefix}{kind}]]")
    tables, seen = [], set()
    for place, values in enumerate(rows):
        row = f"{prefix}{kind}[{place}]"
        if not isinstance(values, Mapping):
            raise CatalogError(file, row, "", plain(values), f"a table written as [[{prefix}{kind}]]")
        id_ = values.get("id")
        if not isinstance(id_, str) or not id_:
            raise CatalogError(file, row, "id", "nothing" if id_ is None else plain(id_), "text")
        if id_ in seen:
            raise CatalogError(file, row, "id", f"'{plain(id_)}' twice", "an id once in a file")
        seen.add(id_)
        tables.append(Table(values, file, f"{row} '{plain(id_)}'", sources or {}, shipped))
    return tables


def _sourced(table: Table) -> dict[str, object]:
    """Replace the names in ``source`` by the texts they stand for, and take the date of the first."""
    values = dict(table.values)
    names = values.get("source")
    if not isinstance(names, (list, tuple)):
        return values
    texts = []
    for name in names:
        entry = table.sources.get(name, {}) if isinstance(name, str) else None
        if entry is None:
            raise CatalogError(
                table.file, table.row, "source", plain(name), "text, or names out of [sources]"
            )
        texts.append(str(entry.get("text", name)))
        if "as_of" in entry:
            values.setdefault("as_of", entry["as_of"])
    values["source"] = "; ".join(texts)
    return values


def _document(path: Path, name: str) -> dict[str, Any]:
    import tomllib  # here, because shipped rows are usually read from their compiled form

    expected = f"a TOML file of at most {LARGEST_FILE >> 20} MB"
    try:
        if not path.is_file():  # opening a pipe would wait for a writer
            raise CatalogError(name, "", "", "no file" if not path.exists() else "not a plain file", expected)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CatalogError(name, "", "", (error.strerror or "a fault").lower(), expected) from None
    if len(data) > LARGEST_FILE:
        raise CatalogError(name, "", "", "a larger file", expected)
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise CatalogError(name, "", "", "bytes that are not UTF-8", expected) from None
    except RecursionError:
        raise CatalogError(name, "", "", "tables nested too deeply", expected) from None
    except ValueError as error:
        raise CatalogError(name, "", "", syntax_mistake(error), expected) from None
