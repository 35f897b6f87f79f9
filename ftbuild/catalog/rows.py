"""From a table of TOML to a row: types, units, ranges and what must agree within a row.

A number in a file means the unit of `UNITS` (a card's ``memory = 80`` is 80 GB as labelled); text
carries its own (``"80GB"``). Nothing is taken on trust: text is refused when it could steer a
terminal, numbers when they are not finite or out of range.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ftbuild import units
from ftbuild.catalog.errors import CatalogError
from ftbuild.catalog.parts import KINDS, Cpu, Drive, EfficiencyTier, Gpu, Model, Part
from ftbuild.problems import did_you_mean, hostile, plain
from ftbuild.units import Kind

T = TypeVar("T", bound=Part)

BY_NAME: Mapping[str, type[Part]] = {kind.kind: kind for kind in KINDS}
"""Kind of part by the name of its table in a file: ``gpu``, ``cpu``, ..."""

UNITS: Mapping[str, tuple[Kind, str]] = {
    "memory": (Kind.MEMORY, "GB"), "usable": (Kind.MEMORY, "GiB"), "memory_max": (Kind.MEMORY, "GB"),
    "ram": (Kind.MEMORY, "GB"), "memory.capacity": (Kind.MEMORY, "GB"),
    "drive.capacity": (Kind.STORAGE, "TB"),
    "tbw": (Kind.STORAGE, "TB"), "cache": (Kind.STORAGE, "GB"),
    "bandwidth": (Kind.RATE, "GB/s"), "link_bandwidth": (Kind.RATE, "GB/s"),
    "read": (Kind.RATE, "GB/s"), "write": (Kind.RATE, "GB/s"), "sustained_write": (Kind.RATE, "GB/s"),
    "rate": (Kind.LINK, "Gbps"), "latency": (Kind.DURATION, "us"),
    "bf16": (Kind.COMPUTE, "TFLOPS"), "fp8": (Kind.COMPUTE, "TFLOPS"), "fp32": (Kind.COMPUTE, "TFLOPS"),
    "power": (Kind.POWER, "W"), "power_max": (Kind.POWER, "W"), "power_typical": (Kind.POWER, "W"),
    "rating": (Kind.POWER, "W"), "rating_low_line": (Kind.POWER, "W"), "psu_rating": (Kind.POWER, "W"),
    "memory_speed": (Kind.TRANSFERS, "MT/s"), "memory_speed_2dpc": (Kind.TRANSFERS, "MT/s"),
    "overclocked": (Kind.TRANSFERS, "MT/s"), "speed": (Kind.TRANSFERS, "MT/s"),
    "read_iops": (Kind.IOPS, ""), "write_iops": (Kind.IOPS, ""),
    "price": (Kind.MONEY, "USD"), "link_price": (Kind.MONEY, "USD"),
    "rent.price": (Kind.MONEY_PER_HOUR, "USD/h"),
    "achieved": (Kind.SHARE, ""), "guide_overhead": (Kind.SHARE, ""), "window_share": (Kind.SHARE, ""),
    "loads": (Kind.SHARE, ""), "efficiency": (Kind.SHARE, ""),
    "published": (Kind.PARAMETERS, ""), "vision": (Kind.PARAMETERS, ""), "extra": (Kind.PARAMETERS, ""),
}  # fmt: skip
"""Unit of a bare number by key, or by kind and key where a key means two things. Other keys are plain."""

RANGES: Mapping[str, tuple[float, float]] = {
    "rate": (0, 1e15), "latency": (0, 10), "achieved": (0, 1), "guide_overhead": (0, 1),
    "window_share": (0, 1), "loads": (0, 1), "efficiency": (0.01, 1), "transient": (1, 5), "slots": (0.5, 8),
    "pcie_gen": (1, 8), "pcie_lanes": (1, 32), "lanes": (1, 512), "launched": (1999, 2100),
    "layers": (1, 10_000), "hidden": (1, 1 << 20), "intermediate": (0, 1 << 22), "heads": (1, 1 << 16),
    "kv_heads": (1, 1 << 16), "head_dim": (1, 1 << 16), "vocab": (1, 1 << 24), "context": (1, 1 << 30),
    "norms_per_layer": (0, 16), "memory": (1 << 30, 1 << 50), "usable": (1 << 29, 1 << 50),
    "power": (0.1, 1e6), "cores": (1, 100_000), "threads": (1, 100_000), "sockets": (1, 64),
    "channels": (1, 64), "bandwidth": (1e9, 1e16), "price": (0, 1e12), "link_price": (0, 1e12),
}  # fmt: skip
"""Least and most by key, SI. Other whole numbers may be 0, other quantities must be above 0."""

MOST = 1e18
LONGEST = 2000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+:-]{0,127}", re.ASCII)
_DATE = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)

Check = tuple[str, Callable[[Any], bool], str]
"""Key to blame, what must hold, what to say else."""

CHECKS: Mapping[type[Part], tuple[Check, ...]] = {
    Gpu: (
        ("usable", lambda g: g.usable is None or g.usable <= g.memory, "no more than `memory`"),
        ("link_bandwidth", lambda g: g.link != "none" or g.link_bandwidth is None,
         "nothing where link is none"),
        ("switched", lambda g: g.link != "none" or not g.switched, "false where link is none"),
    ),
    Cpu: (
        ("threads", lambda c: c.threads >= c.cores, "no fewer than `cores`"),
        ("boost_ghz", lambda c: not (c.boost_ghz and c.base_ghz) or c.boost_ghz >= c.base_ghz,
         "no less than `base_ghz`"),
    ),
    Drive: (
        ("sustained_write", lambda d: d.sustained_write is None or d.sustained_write <= d.write,
         "no more than `write`"),
    ),
    EfficiencyTier: (
        ("efficiency", lambda e: len(e.loads) == len(e.efficiency) > 0, "one efficiency for each of `loads`"),
        ("loads", lambda e: list(e.loads) == sorted(set(e.loads)), "loads in ascending order"),
    ),
    Model: (
        ("kv_heads", lambda m: m.heads % m.kv_heads == 0, "a divisor of `heads`"),
        ("experts_per_token", lambda m: m.experts_per_token <= m.experts, "no more than `experts`"),
        ("expert_intermediate", lambda m: bool(m.experts) == bool(m.expert_intermediate),
         "a width for a mixture of experts, else nothing"),
        ("dense_layers", lambda m: m.dense_layers <= m.layers, "no more than `layers`"),
        ("intermediate", lambda m: m.intermediate > 0 or (m.experts > 0 and m.dense_layers == 0),
         "a width for the dense layers"),
        ("qk_rope_dim", lambda m: not m.kv_lora or bool(m.qk_rope_dim and m.v_head_dim),
         "head widths beside `kv_lora`"),
        ("window_share", lambda m: m.window is not None or m.window_share == 0, "0 without a `window`"),
    ),
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class FieldType:
    """How one key of a kind is read."""

    base: type
    choices: tuple[str, ...] = ()
    many: bool = False
    unit: tuple[Kind, str] | None = None
    factor: float = 1.0
    low: float = 0.0
    high: float = MOST
    open: bool = False
    """`low` itself is not accepted."""

    @property
    def expected(self) -> str:
        """What a message says of this key."""
        if self.choices:
            return " or ".join(self.choices)
        if self.base is str:
            name = "printable text"
        elif self.base is bool:
            name = "true or false"
        elif self.unit and self.unit[1]:
            example = units.example(self.unit[0]).split(" or ")[0].split(", ")[0]
            name = f'a number of {self.unit[1]} or text such as "{example}",'
        else:
            name = "a whole number" if self.base is int else "a number"
        if self.base in (int, float):
            name += self._range()
        return f"a list, each {name}" if self.many else name

    def _range(self) -> str:
        if self.high == MOST:
            return " above 0" if self.open else " of 0 or more"
        return f" from {self.low / self.factor:,.6g} to {self.high / self.factor:,.6g}"


def field_types(kind: type[Part]) -> Mapping[str, FieldType]:
    """Return how each key of `kind` is read, made from the row class."""
    return _field_types(kind.kind)


@cache
def _field_types(name: str) -> Mapping[str, FieldType]:
    kind = BY_NAME[name]
    hints = get_type_hints(kind)
    return {field.name: _field_type(name, field.name, hints[field.name]) for field in _fields(kind)}


@cache
def required(name: str) -> frozenset[str]:
    """Return the keys that a row of the kind called `name` cannot do without."""
    return frozenset(f.name for f in _fields(BY_NAME[name]) if _bare(f)) - nullable(name)


@cache
def nullable(name: str) -> frozenset[str]:
    """Return the keys without a default whose fact may be unknown, and so left out."""
    hints = get_type_hints(BY_NAME[name])
    return frozenset(f.name for f in _fields(BY_NAME[name]) if _bare(f) and _optional(hints[f.name]))


def _fields(kind: type[Part]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _bare(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING


def read_values(kind: type[Part], table: Mapping[str, object], file: str, row: str) -> dict[str, Any]:
    """Turn the keys of one table into SI values, or raise `CatalogError`."""
    specs = field_types(kind)
    values: dict[str, Any] = {}
    for key, value in table.items():
        spec = specs.get(key)
        if spec is None:
            shown = plain(key)
            known = f"a key of [[{kind.kind}]]{did_you_mean(shown, specs)}"
            raise CatalogError(file, row, shown, "an unknown key", known)
        try:
            values[key] = _value(spec, value)
        except units.UnitError as error:
            raise CatalogError(file, row, key, error.found, spec.expected) from None
        except ValueError as error:
            raise CatalogError(file, row, key, str(error) or plain(value), spec.expected) from None
    return values


def read_row(kind: type[T], table: Mapping[str, object], file: str, row: str) -> T:
    """Turn one table into a part, or raise `CatalogError`."""
    values = read_values(kind, table, file, row)
    for key in sorted(required(kind.kind) - values.keys()):
        raise CatalogError(file, row, key, "nothing", field_types(kind)[key].expected)
    for key in nullable(kind.kind) - values.keys():
        values[key] = None
    return checked(kind(**values), file, row)


def checked(part: T, file: str, row: str) -> T:
    """Return `part` if its fields agree with one another, else raise `CatalogError`."""
    if not _ID.fullmatch(part.id):
        raise CatalogError(file, row, "id", plain(part.id), "letters, digits and . _ / + : - (at most 128)")
    for key in ("as_of", "price_date"):
        date = getattr(part, key, "")
        if date and not _DATE.fullmatch(date):
            raise CatalogError(file, row, key, plain(date), "a date such as 2026, 2026-08 or 2026-08-22")
    for key, holds, expected in CHECKS.get(type(part), ()):
        if not holds(part):
            raise CatalogError(
                file, row, key, _shown(field_types(type(part))[key], getattr(part, key)), expected
            )
    return part


def _shown(spec: FieldType, value: object) -> str:
    """Write an SI value as a file has it."""
    return (
        f"{value / spec.factor:,.6g} {spec.unit[1]}"
        if spec.unit and isinstance(value, float)
        else plain(value)
    )


def _value(spec: FieldType, value: object) -> Any:
    if not spec.many:
        return _one(spec, value)
    if not isinstance(value, (list, tuple)):
        raise ValueError
    if len(value) > 64:
        raise ValueError(f"a list of {len(value)}")
    return tuple(_one(spec, item) for item in value)


def _one(spec: FieldType, value: object) -> Any:
    if spec.base is str:
        return _text(spec, value)
    if spec.base is bool:
        if not isinstance(value, bool):
            raise ValueError
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError
    if isinstance(value, str):
        if spec.unit is None:
            raise ValueError
        number: float = units.parse(value, *spec.unit)
    else:
        if isinstance(value, int) and abs(value) > MOST:
            raise ValueError("a huge number")
        number = value * spec.factor if spec.factor != 1.0 else value
    outside = not spec.low <= number <= spec.high or (spec.open and number == spec.low)
    if outside or not math.isfinite(number):
        raise ValueError
    if spec.base is int:
        if number != int(number):
            raise ValueError
        return int(number)
    return float(number)


def _text(spec: FieldType, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    if len(value) > LONGEST:
        raise ValueError(f"text of {len(value)} characters")
    bad = hostile(value)
    if bad:
        raise ValueError(f"text that holds the control character {bad}")
    if spec.choices and value not in spec.choices:
        raise ValueError
    return value


def _field_type(kind: str, key: str, hint: Any) -> FieldType:
    hint = _some(hint)
    many = get_origin(hint) is tuple
    if many:
        hint = get_args(hint)[0]
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    base = str if choices else hint
    unit = UNITS.get(f"{kind}.{key}", UNITS.get(key)) if base in (int, float) else None
    factor = units.SPECS[unit[0]].units[unit[1]] if unit else 1.0
    low, high = RANGES.get(key, (0.0, MOST))
    opens = base is float and key not in RANGES
    return FieldType(base, choices, many, unit, factor, low, high, opens)


def _optional(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)


def _some(hint: Any) -> Any:
    """Return a hint without its None."""
    return next(arg for arg in get_args(hint) if arg is not type(None)) if _optional(hint) else hint
