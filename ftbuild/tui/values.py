"""Values of a build as the form writes them: exactly, so that what is shown can be typed."""

from __future__ import annotations

from typing import Any

from ftbuild import build as builds
from ftbuild import units
from ftbuild.build import FIELDS, Build
from ftbuild.problems import plain
from ftbuild.schema import Flag, Number, Part
from ftbuild.units import Kind

PRICES = "cost.price."
"""Before the name of a part: the key of the user's own price for it."""

LIMITS = "limits."
"""Before the id of a rule: the key of the user's own threshold for it."""

_UNIT_WORDS = {Kind.TOKENS: "tokens", Kind.YEARS: "years", Kind.HOURS: "hours"}
_CENTS = 2


def text_of(build: Build, key: str) -> str:
    """Return a field's value as one would type it; nothing where it is not stated."""
    value = value_of(build, key)
    if value is None:
        return ""
    spec = FIELDS.get(key)
    described = spec.described if spec else None
    if isinstance(described, Flag):
        return "yes" if value else "no"
    if isinstance(described, Number):
        return str(units.write(value, described.kind)) if value else "0"
    if isinstance(value, tuple):
        return ", ".join(value)
    return plain(value, 400)


def value_of(build: Build, key: str) -> Any:
    """Return the value at a key of `FIELDS`, or the user's price of a part."""
    if key.startswith(PRICES):
        return build.cost.price.get(key.removeprefix(PRICES))
    if key.startswith(LIMITS):
        return build.limits.get(key.removeprefix(LIMITS))
    return builds.get(build, key)


def typed(key: str, text: str) -> Any:
    """Return what typed text means to `ftbuild.build.changed`: nothing typed clears what may be unstated."""
    spec = FIELDS.get(key)
    clears = spec.optional if spec else True
    return None if clears and not text.strip() else text


def unit_of(key: str, text: str) -> str:
    """Return the unit to show after a value whose text does not name it."""
    spec = FIELDS.get(key)
    if spec is None or not isinstance(spec.described, Number) or not text:
        return ""
    if not text.replace(".", "").replace("-", "").replace("e+", "").isdigit():
        return ""
    kind = spec.described.kind
    if text == "0" and kind not in _UNIT_WORDS:
        return ""
    return _UNIT_WORDS.get(kind, units.SPECS[kind].plain)


def label_of(key: str) -> str:
    """Return what a key is called on screen."""
    spec = FIELDS.get(key)
    if spec is None and key.startswith(LIMITS):
        return f"limit of {plain(key.removeprefix(LIMITS))}"
    return spec.described.label if spec else f"price of {plain(key.removeprefix(PRICES))}"


def accepted(key: str) -> str:
    """Say what may be typed into a field."""
    spec = FIELDS.get(key)
    return spec.described.accepts() if spec else "a price in USD"


def reading_of(key: str, value: Any) -> str:
    """Say how a quantity was read, where its unit leaves room for doubt: ``= 64 GiB = 68.7 GB``."""
    spec = FIELDS.get(key)
    if value is None or spec is None or not isinstance(spec.described, Number):
        return ""
    kind = spec.described.kind
    if kind is Kind.MEMORY:
        return f"= {units.show(value, kind)} = {units.show(value, Kind.STORAGE)}"
    return f"= {units.show(value, kind)}"


def stepped(key: str, value: Any, up: bool, large: bool = False) -> str | None:
    """Return the text of the next sensible value above or below, or None where a key cannot step."""
    spec = FIELDS.get(key)
    if spec is None or not isinstance(spec.described, Number) or value is None:
        return None
    number = spec.described
    if number.step == "double" or (number.kind is Kind.MEMORY and number.step == "1"):
        new = _doubled(float(value), up, large, 1024.0**3 if number.kind is Kind.MEMORY else 1.0)
    else:
        size = _increment(number, float(value)) * (10 if large else 1)
        new = round(float(value) + (size if up else -size), 10)
    new = min(max(new, number.low), number.high)
    return str(units.write(int(new) if float(new).is_integer() else new, number.kind))


def _doubled(value: float, up: bool, large: bool, unit: float) -> float:
    """Return the next power of two of `unit` in the direction, or two further."""
    power = unit
    while power * 2 <= value:
        power *= 2
    new = power * 2 if up else (power if power < value else power / 2)
    return (new * 4 if up else new / 4) if large else new


def _increment(number: Number, value: float) -> float:
    """Return the field's own increment; for quantities in large units a tenth of their magnitude."""
    own = float(number.step)
    if number.step != "1" or number.kind in (Kind.COUNT, Kind.YEARS, Kind.TEMPERATURE, Kind.HOURS):
        return max(own, _big(value)) if value >= 1e4 else own
    if number.kind in (Kind.SHARE, Kind.RATIO, Kind.MONEY_PER_KWH):
        return 0.05 if number.kind is not Kind.MONEY_PER_KWH else 10.0**-_CENTS
    return _big(value)


def _big(value: float) -> float:
    """Return a tenth of the largest power of ten in a value."""
    power = 1.0
    while power * 100 <= value:
        power *= 10
    return power


def is_part(key: str) -> bool:
    """Whether a field names a part of the catalog."""
    spec = FIELDS.get(key)
    return spec is not None and isinstance(spec.described, Part)
