"""From documents to builds and back, and one changed field at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ftbuild import units
from ftbuild.build import crosscheck
from ftbuild.build.models import ALIASES, FIELDS, TABLES, Build, Limit, Price, Section
from ftbuild.problems import BuildError, Problem, did_you_mean, plain
from ftbuild.schema import FieldSpec, Number


def read(document: Mapping[str, Any], file: str = "") -> Build:
    """Return the build that a document describes; raises `BuildError` with every problem found."""
    try:
        return Build.model_validate(_without_aliases(document))
    except ValidationError as error:
        raise BuildError(
            [problem for entry in error.errors() for problem in _problems(entry)], file
        ) from None


def changed(build: Build, changes: Mapping[str, Any]) -> Build:
    """Return a build with some keys set to what was typed (text or numbers, as in a file).

    Each value is checked by its field and the result as a whole. Raises `BuildError`, also for a key
    that no build has.
    """
    for key, value in changes.items():
        build = _set(build, ALIASES.get(key, key), value)
    found = crosscheck.problems(build)
    if found:
        raise BuildError(found)
    return build


def _set(build: Build, key: str, value: Any) -> Build:
    for table, annotation in (("cost.price.", Price), ("limits.", Limit)):
        if key.startswith(table):
            name = key.removeprefix(table).strip('"')
            entries = dict(get(build, table.rstrip(".")))
            entries.pop(name, None)
            if value is not None:
                entries[name] = _checked(key, annotation, value)
            return _replaced(build, table.rstrip("."), entries)
    if key not in FIELDS:
        expected = "a key of a build" + did_you_mean(key, FIELDS)
        raise BuildError([Problem(plain(key), plain(key), expected, f"no such key; expected {expected}")])
    return _replaced(build, key, _checked(key, _annotation(key), value))


def _checked(key: str, annotation: Any, value: Any) -> Any:
    try:
        return _adapter(annotation).validate_python(value)
    except ValidationError as error:
        raise BuildError([problem for entry in error.errors() for problem in _problems(entry, key)]) from None


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


@cache
def _annotation(key: str) -> Any:
    model: type[BaseModel] = Build
    *tables, name = key.split(".")
    for table in tables:
        model = model.model_fields[table].annotation  # type: ignore[assignment]  # sections hold models
    return get_type_hints(model, include_extras=True)[name]


def _replaced(build: Build, key: str, value: Any) -> Build:
    path = key.split(".")
    holders: list[Section] = [build]
    for name in path[:-1]:
        holders.append(getattr(holders[-1], name))
    for holder, name in zip(reversed(holders), reversed(path), strict=True):
        value = holder.model_copy(update={name: value})
    return cast(Build, value)


def document_of(build: Build) -> dict[str, Any]:
    """Return the nested tables of a build as a file holds them, every key present that has a value.

    Quantities are text with units, or numbers where a bare number means the same; `read` gives the
    same build back.
    """
    document: dict[str, Any] = {}
    for spec in FIELDS.values():
        value = get(build, spec.key)
        if value is not None:
            *tables, name = spec.key.split(".")
            table = document
            for part in tables:
                table = table.setdefault(part, {})
            table[name] = _written(value, spec)
    document["cost"]["price"] = dict(build.cost.price)
    document["limits"] = dict(build.limits)
    document["catalog"] = {kind: list(rows) for kind, rows in build.catalog.items()}
    return {name: table for name, table in document.items() if table not in ({}, "")}


def _written(value: Any, spec: FieldSpec) -> Any:
    if isinstance(spec.described, Number):
        return units.write(value, spec.described.kind)
    return list(value) if isinstance(value, tuple) else value


def get(build: Build, key: str) -> Any:
    """Return the value at a dotted key of `FIELDS`."""
    return _getter(key)(build)


@cache
def _getter(key: str) -> attrgetter[Any]:
    return attrgetter(key)


def _without_aliases(document: Mapping[str, Any]) -> dict[str, Any]:
    tables = {name: dict(table) if isinstance(table, Mapping) else table for name, table in document.items()}
    for alias, key in ALIASES.items():
        section, old = alias.split(".")
        table = tables.get(section)
        if isinstance(table, dict) and old in table:
            table.setdefault(key.split(".")[1], table.pop(old))
    return tables


def _problems(entry: ErrorDetails, at: str = "") -> Iterator[Problem]:
    context = entry.get("ctx", {})
    if entry["type"] == "cross":
        yield from context["problems"]
        return
    names = [str(part) for part in entry["loc"]]
    names = [name for name in names if not name.startswith(("function-", "tuple["))]
    key = at or ".".join(names)
    if entry["type"] == "value":
        found, expected = str(context["found"]), str(context["expected"])
    elif entry["type"] == "extra_forbidden":
        found, expected = names[-1], "a known key" + did_you_mean(key, (*FIELDS, *ALIASES, *TABLES))
    elif entry["type"] == "missing":
        found, expected = "nothing", _expected(key)
    else:
        found, expected = plain(entry["input"]), _expected(key)
    words = {"extra_forbidden": "unknown key", "missing": "is missing"}.get(
        entry["type"], f"{found!r} is not accepted"
    )
    yield Problem(key, found, expected, f"{words}; expected {expected}")


def _expected(key: str) -> str:
    spec = FIELDS.get(key)
    return spec.described.accepts() if spec else "a table of keys"
