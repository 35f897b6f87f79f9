"""Columns that all builds share as scalars, which NumPy computes several times faster than arrays of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from ftbuild import build as builds
from ftbuild.engine.core import Array
from ftbuild.engine.inputs import Columns
from ftbuild.engine.tables.base import Choice

R = TypeVar("R", bound=Choice)


def light(column: Any) -> Any:
    """Return the one value of a column that all builds share, else the column."""
    return column[0] if column.size == 1 else column


def number(c: Columns, key: str) -> Any:
    """Return a number field, SI, as `light` does; NaN where it is not stated."""
    if key in c.index:
        return light(c.number(key))
    value = builds.get(c.build, key)
    return np.float64(np.nan if value is None else value)


def stated(c: Columns, key: str) -> Any:
    """Return where an optional key is stated, as 0.0 or 1.0."""
    if key in c.index:
        return light(c.stated(key))
    return np.float64(builds.get(c.build, key) is not None)


def one_of(c: Columns, key: str, *names: str) -> Any:
    """Return where the choice at `key` is one of `names`, as 0.0 or 1.0."""
    if key in c.index:
        return light(c.is_in(key, *names))
    return np.float64(builds.get(c.build, key) in names)


def heavy(value: Any) -> Array:
    """Return a value as a column of shape ``(n,)`` or ``(1,)``."""
    if isinstance(value, np.ndarray) and value.ndim:
        return value
    return np.array([value], dtype=np.float64)


def known(value: Any, other: Any) -> Any:
    """Return `value` where it is known, else `other`."""
    return pick(value != value, other, value)


def unknown(value: Any) -> bool:
    """Return whether a value is unknown (NaN) in every build."""
    if isinstance(value, np.ndarray) and value.ndim:
        return bool(np.isnan(value).all())
    return bool(value != value)


def pick(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where the condition holds, else `no`: `np.where`, but quick where all builds share it."""
    if isinstance(condition, np.ndarray) and condition.ndim:
        return np.where(condition, yes, no)
    return yes if condition else no


def larger(one: Any, other: Any) -> Any:
    """Return the larger of two values; NaN where either is."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return other if other > one or other != other else one


def smaller(one: Any, other: Any) -> Any:
    """Return the smaller of two values; NaN where either is."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.minimum(one, other)
    return other if other < one or other != other else one


def choice(c: Columns, table: Mapping[str, Any], key: str) -> Any:
    """Return the row of the choice at `key`, or its columns where an axis goes through the choices."""
    if key in c.index:
        return c.rows(table, key)
    return table[builds.get(c.build, key)]


def by_id(rows: Iterable[R]) -> Mapping[str, R]:
    """Return the rows of a table by their id."""
    return {row.id: row for row in rows}
