"""A build's TOML file: in, with every fault named; out, whole or not at all.

A file keeps what ftbuild does not know: unknown keys are reported, and written back on save. A value that
still means the same keeps the spelling the user gave it (``"1TB"`` stays). Comments and the order of keys
are not kept: the file is written anew, sections in the order of the schema.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import tomli_w

from ftbuild import build as builds
from ftbuild import disk, locations
from ftbuild.build import ALIASES, FIELDS, SCHEMA_VERSION, TABLES, Build, Price
from ftbuild.catalog import Catalog, CatalogError, load_catalog
from ftbuild.disk import ChangedError, FileError
from ftbuild.problems import BuildError, Problem, nearest, plain
from ftbuild.schema import Number
from ftbuild.tomlguard import parse

__all__ = ["ChangedError", "FileError", "Loaded", "dumps", "load", "loads", "save", "user_catalog"]

STANDARD_INPUT = "-"
MOST_UNKNOWN = 20
"""Unknown keys that are named one by one; the rest are counted."""
FREE = frozenset({"cost.price", "limits", "catalog"})
"""Tables whose keys are the user's own."""
PRICE = next(entry for entry in get_args(Price) if isinstance(entry, Number))
SECTIONS = frozenset(TABLES) - FREE


@dataclass(frozen=True, slots=True)
class Loaded:
    """A build and the file it came from."""

    build: Build
    document: Mapping[str, Any] = field(default_factory=dict)
    """The tables as they stood in the file, unknown keys too."""
    unknown: tuple[Problem, ...] = ()
    """Keys that ftbuild does not know, each with the nearest one it does."""
    path: Path | None = None
    fingerprint: str = ""
    """Of the file's bytes, to tell whether somebody else has changed it."""

    @property
    def folder(self) -> Path | None:
        """Return the folder where relative paths of the build start."""
        return self.path.parent if self.path else None


def load(path: Path | str) -> Loaded:
    """Read a build's file; raises `FileError` or `BuildError`, each naming the file."""
    path = Path(path)
    data = disk.read(path)
    return _loaded(data, str(path), path)


def loads(text: str | bytes, file: str = "") -> Loaded:
    """Read a build from text, such as standard input; `file` names it in errors."""
    return _loaded(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, file, None)


def dumps(build: Build, document: Mapping[str, Any] | None = None) -> str:
    """Return the text of a build's file.

    Written are the keys that differ from their defaults and those that `document` (of `Loaded`) holds;
    what `document` holds beyond the schema is kept.
    """
    tables = _document(build, document or {})
    text = tomli_w.dumps(tables, multiline_strings=True)
    # A carriage return inside a text does not survive the multi-line form.
    return text if tomllib.loads(text) == tables else tomli_w.dumps(tables)


def save(path: Path | str, build: Build, loaded: Loaded | None = None, *, force: bool = False) -> Loaded:
    """Write a build to `path`, whole or not at all, and return it as loaded from there.

    `loaded` is what the build was opened as: its unknown keys are kept. Raises `ChangedError` where the
    file on disk is not the one that was loaded, unless `force`; `FileError` where it cannot be written.
    """
    path = Path(path)
    document = loaded.document if loaded else {}
    data = dumps(build, document).encode()
    known = loaded.fingerprint if loaded and loaded.path and _same(loaded.path, path) else ""
    disk.write(path, data, known=known, force=force)
    return _loaded(data, str(path), path)


def user_catalog() -> Catalog:
    """Return the shipped catalog with the user's own parts over it; raises `BuildError`."""
    try:
        return load_catalog().with_folder(locations.parts_folder())
    except CatalogError as error:
        raise catalog_problem(error) from None


def catalog_problem(error: CatalogError, file: str = "") -> BuildError:
    """Return what is wrong with a catalog row as a problem of a build's file, or of the row's own file."""
    key = ".".join(part for part in (error.row, error.key) if part)
    expected = plain(error.expected, 300)
    message = f"found {error.found}; expected {expected}"
    return BuildError([Problem(key, error.found, expected, message)], file or error.file)


def _loaded(data: bytes, file: str, path: Path | None) -> Loaded:
    document = parse(data, file)
    _check_version(document, file)
    known, unknown = _split(document)
    try:
        build = builds.read(known, file)
    except BuildError as error:
        raise BuildError([*error.problems, *unknown], file) from None
    return Loaded(build, document, tuple(unknown), path, disk.fingerprint(data))


def _check_version(document: Mapping[str, Any], file: str) -> None:
    version = document.get("ftbuild", SCHEMA_VERSION)
    if isinstance(version, int) and not isinstance(version, bool) and version > SCHEMA_VERSION:
        found = plain(version)
        expected = FIELDS["ftbuild"].described.accepts()
        raise BuildError([Problem("ftbuild", found, expected, f"found {found}; expected {expected}")], file)


def _split(document: Mapping[str, Any], at: str = "") -> tuple[dict[str, Any], list[Problem]]:
    """Return the part of a document that the schema knows, and a problem for every other key."""
    known: dict[str, Any] = {}
    strangers: list[str] = []
    for key, value in _entries(document, at):
        if key is None:
            strangers.append(value)
        else:
            _put(known, key, value)
    return known, _unknown(strangers)


def _entries(document: Mapping[str, Any], at: str) -> list[tuple[str | None, Any]]:
    """List the known keys with their values, and None with each unknown key."""
    found: list[tuple[str | None, Any]] = []
    for name, value in document.items():
        key = f"{at}.{name}" if at else name
        if "." in name or not (key in FIELDS or key in ALIASES or key in SECTIONS or key in FREE):
            found.append((None, key))
        elif key in SECTIONS and isinstance(value, Mapping):
            found.append((key, {}))
            found += _entries(value, key)
        else:
            found.append((key, value))
    return found


def _unknown(keys: list[str]) -> list[Problem]:
    names = (*FIELDS, *ALIASES, *TABLES)
    problems = []
    for key in keys[:MOST_UNKNOWN]:
        shown = plain(key)
        near = nearest(shown, names, 1)
        expected = "a known key" + (f"; did you mean {near[0]}?" if near else "")
        problems.append(Problem(shown, shown, expected, f"unknown key; expected {expected}"))
    if len(keys) > MOST_UNKNOWN:
        more = f"{len(keys) - MOST_UNKNOWN} more unknown keys"
        problems.append(Problem("", more, "known keys", more))
    return problems


def _put(tables: dict[str, Any], key: str, value: Any) -> None:
    *path, name = key.split(".")
    for part in path:
        tables = tables.setdefault(part, {})
    tables[name] = value


def _document(build: Build, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables to write: the schema's in its order, then what else `given` holds."""
    full = builds.document_of(build)
    tables: dict[str, Any] = {}
    for key, spec in FIELDS.items():
        value = builds.get(build, key)
        stated, raw = _given(given, key)
        if value is None or not (stated or spec.required or value != spec.default or key == "ftbuild"):
            continue
        written = _at(full, key)
        _put(tables, key, raw if stated and _means(spec.described, raw, value) else written)
    for key in ("cost.price", "limits", "catalog"):
        entries = _at(full, key)
        if entries:
            _put(tables, key, _own_entries(entries, _at(given, key)))
    _keep_unknown(tables, given, "")
    return {name: table for name, table in tables.items() if table != {} or name in given}


def _own_entries(entries: Mapping[str, Any], raw: Any) -> dict[str, Any]:
    """Return a table of the user's own keys, each in the user's spelling where it still means the same."""
    stated = raw if isinstance(raw, Mapping) else {}
    written = {}
    for name, value in entries.items():
        old = stated.get(name)
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        written[name] = (
            old if old is not None and _means(PRICE, old, value) else int(value) if whole else value
        )
    return written


def _given(document: Mapping[str, Any], key: str) -> tuple[bool, Any]:
    """Return whether a file states a key, under its own name or its alias, and what it says."""
    for name in (key, *(alias for alias, own in ALIASES.items() if own == key)):
        *path, last = name.split(".")
        table: Any = document
        for part in path:
            table = table.get(part) if isinstance(table, Mapping) else None
        if isinstance(table, Mapping) and last in table:
            return True, table[last]
    return False, None


def _means(described: Any, raw: Any, value: Any) -> bool:
    """Return whether what the file said still gives the field's value."""
    try:
        return bool(described.read(raw) == value)
    except ValueError:
        return False


def _at(tables: Mapping[str, Any], key: str) -> Any:
    found: Any = tables
    for name in key.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _keep_unknown(tables: dict[str, Any], given: Mapping[str, Any], at: str) -> None:
    for name, value in given.items():
        key = f"{at}.{name}" if at else name
        if "." not in name and (key in FIELDS or key in ALIASES or key in FREE):
            continue
        if "." not in name and key in SECTIONS and isinstance(value, Mapping):
            _keep_unknown(tables.setdefault(name, {}), value, key)
        else:
            tables[name] = deepcopy(value)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
