"""Quantities as people write them: text in, SI numbers out, and back.

The engine computes in bytes, seconds, watts, bits/s (links) and USD; only the edges read and write
text. Memory uses the binary meaning of a label (``128GB`` is 128 x 2^30 bytes, as printed on a
module or a card and shown by nvidia-smi and free), while files, drives and rates are decimal, as on
a data sheet. ``GiB`` is binary everywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a quantity measures; decides how it is read and written."""

    COUNT = "count"
    TOKENS = "tokens"
    PARAMETERS = "parameters"
    MEMORY = "memory"
    STORAGE = "storage"
    RATE = "rate"
    LINK = "link"
    IOPS = "iops"
    TRANSFERS = "transfers"
    POWER = "power"
    ENERGY = "energy"
    HEAT = "heat"
    AIRFLOW = "airflow"
    CURRENT = "current"
    VOLTAGE = "voltage"
    DURATION = "duration"
    SHARE = "share"
    RATIO = "ratio"
    TEMPERATURE = "temperature"
    FREQUENCY = "frequency"
    SPEED = "speed"
    COMPUTE = "compute"
    MONEY = "money"
    MONEY_PER_HOUR = "money_per_hour"
    MONEY_PER_KWH = "money_per_kwh"
    YEARS = "years"
    HOURS = "hours"


@dataclass(frozen=True, slots=True)
class Spec:
    """How one kind of quantity is read and written."""

    symbol: str
    """Of the SI value, as the JSON report names it."""
    units: Mapping[str, float]
    """Accepted suffixes (compared without case unless two differ only by case) and their size."""
    plain: str
    """Suffix that a bare number means, unless the field says another."""
    shown: tuple[str, ...]
    """Suffixes used on screen, ascending; the largest that leaves a number of 1 or more is taken."""
    written: tuple[str, ...]
    """Suffixes used in files, largest first; the first that gives a short exact number is taken."""
    example: str
    digits: int = 3


def _scale(letters: str, base: float, suffix: str, first: int = 1) -> dict[str, float]:
    return {f"{letter}{suffix}": base ** (power + first) for power, letter in enumerate(letters)}


_IEC = {f"{p}iB": 1024.0 ** (i + 1) for i, p in enumerate("KMGTP")}
_DECIMAL = _scale("kMGTP", 1000.0, "B")
_BINARY_LABEL = _scale("kMGTP", 1024.0, "B")
_COUNT = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12}
_TIME = {
    "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "hr": 3600.0,
    "hours": 3600.0, "hour": 3600.0, "minutes": 60.0, "d": 86400.0, "days": 86400.0, "day": 86400.0,
    "w": 604800.0, "weeks": 604800.0, "week": 604800.0, "y": 31536000.0, "years": 31536000.0,
}  # fmt: skip

_GB = 1024.0**3

SPECS: Mapping[Kind, Spec] = {
    Kind.COUNT: Spec("", _COUNT, "", ("", "k", "M", "B", "T"), ("",), "8, 100k or 1.5M"),
    Kind.TOKENS: Spec(
        "tokens", {"": 1.0, "k": 1024.0, "M": 1048576.0, "tokens": 1.0}, "", ("",), ("",), "4096 or 8k"
    ),
    Kind.PARAMETERS: Spec("", _COUNT, "", ("", "k", "M", "B", "T"), ("",), "70B"),
    Kind.MEMORY: Spec(
        "B",
        {"B": 1.0, "bytes": 1.0, **_BINARY_LABEL, **_IEC, "G": _GB, "T": _GB * 1024, "M": 1024.0**2},
        "GB", ("bytes", "KiB", "MiB", "GiB"), ("TB", "GB", "MB", "B"), "128GB, 1.5 TB or 64GiB",
    ),
    Kind.STORAGE: Spec(
        "B",
        {"B": 1.0, "bytes": 1.0, **_DECIMAL, **_IEC, "G": 1e9, "T": 1e12, "M": 1e6},
        "GB", ("bytes", "kB", "MB", "GB", "TB", "PB"), ("PB", "TB", "GB", "MB", "kB", "B"), "50GB or 1.5 TB",
    ),
    Kind.RATE: Spec(
        "B/s",
        {f"{u}/s": v for u, v in {"B": 1.0, **_DECIMAL, **_IEC}.items()} | {"GBps": 1e9, "MBps": 1e6},
        "GB/s", ("B/s", "kB/s", "MB/s", "GB/s", "TB/s"), ("TB/s", "GB/s", "MB/s", "B/s"),
        "14 GB/s or 550 MB/s",
    ),
    Kind.LINK: Spec(
        "bit/s",
        {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12, "Gb/s": 1e9, "Gbit/s": 1e9,
         "bit/s": 1.0, "G": 1e9, "GbE": 1e9},
        "Gbps", ("bps", "Mbps", "Gbps", "Tbps"), ("Gbps", "bps"), "400 Gbps or 100G",
    ),
    Kind.IOPS: Spec("1/s", {**_COUNT, "IOPS": 1.0, "kIOPS": 1e3}, "", ("", "k", "M"), ("",), "1.2M"),
    Kind.TRANSFERS: Spec("MT/s", {"MT/s": 1.0, "MTs": 1.0, "MHz": 1.0, "GT/s": 1e3}, "MT/s",
                         ("MT/s",), ("MT/s",), "4800 or 6400 MT/s", 4),
    Kind.POWER: Spec("W", {"W": 1.0, "kW": 1e3, "MW": 1e6}, "W", ("W", "kW", "MW"), ("kW", "W"),
                     "3000W or 17 kW"),
    Kind.ENERGY: Spec("J", {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3600.0, "kWh": 3.6e6, "MWh": 3.6e9},
                      "kWh", ("Wh", "kWh", "MWh"), ("kWh",), "12 kWh"),
    Kind.HEAT: Spec("BTU/h", {"BTU/h": 1.0, "kBTU/h": 1e3}, "BTU/h", ("BTU/h",), ("BTU/h",), "34800 BTU/h"),
    Kind.AIRFLOW: Spec("m3/s", {"m3/s": 1.0, "m3/h": 1 / 3600, "CFM": 4.719474e-4}, "m3/h", ("m3/h",),
                       ("m3/h",), "2000 m3/h"),
    Kind.CURRENT: Spec("A", {"A": 1.0, "mA": 1e-3}, "A", ("A",), ("A",), "32A"),
    Kind.VOLTAGE: Spec("V", {"V": 1.0, "kV": 1e3}, "V", ("V",), ("V",), "230"),
    Kind.DURATION: Spec("s", _TIME, "s", ("ms", "s", "min", "h", "d"), ("d", "h", "min", "s"),
                        "30min, 90 s or 2h"),
    Kind.SHARE: Spec("", {"": 1.0, "%": 0.01}, "", ("%",), ("",), "0.8 or 80%"),
    Kind.RATIO: Spec("", {"": 1.0, "x": 1.0}, "", ("x",), ("",), "2.0 or 2x"),
    Kind.TEMPERATURE: Spec("C", {"C": 1.0, "°C": 1.0}, "C", ("C",), ("C",), "25"),
    Kind.FREQUENCY: Spec("Hz", {"Hz": 1.0, "MHz": 1e6, "GHz": 1e9}, "GHz", ("MHz", "GHz"), ("GHz",),
                         "3.7 GHz"),
    Kind.SPEED: Spec("1/s", _COUNT, "", ("", "k", "M"), ("",), "4000"),
    Kind.COMPUTE: Spec("FLOP/s", {"FLOPS": 1.0, "TFLOPS": 1e12, "PFLOPS": 1e15}, "TFLOPS",
                       ("TFLOPS", "PFLOPS"), ("TFLOPS",), "989 TFLOPS"),
    Kind.MONEY: Spec("USD", {"USD": 1.0, "$": 1.0, "k": 1e3, "M": 1e6}, "USD", ("USD",), ("USD",),
                     "28500 or 1.2M"),
    Kind.MONEY_PER_HOUR: Spec("USD/h", {"USD/h": 1.0, "/h": 1.0, "$/h": 1.0}, "USD/h", ("USD/h",), ("USD/h",),
                              "1.89"),
    Kind.MONEY_PER_KWH: Spec("USD/kWh", {"USD/kWh": 1.0, "/kWh": 1.0, "$/kWh": 1.0}, "USD/kWh", ("USD/kWh",),
                             ("USD/kWh",), "0.15"),
    Kind.YEARS: Spec("y", {"": 1.0, "y": 1.0, "years": 1.0}, "", ("y",), ("",), "3"),
    Kind.HOURS: Spec("h", {"": 1.0, "h": 1.0, "hours": 1.0}, "", ("h",), ("",), "100"),
}  # fmt: skip
"""One row a kind. Sources: JEDEC and IEC 80000-13 for the prefixes, nvidia-smi(1) and free(1) for the
binary reading of memory labels, drive and link data sheets for the decimal one."""

_NUMBER = re.compile(
    r"\s*(?P<dollar>\$)?\s*(?P<number>[+-]?(?:\d[\d_]*(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)"
    r"\s*(?P<unit>[A-Za-z%°$/][A-Za-z0-9%°$/]*)?\s*",
    re.ASCII,
)
ATTACHED = ("", "k", "M", "B", "T", "x")
"""Suffixes written without a space: they scale a count rather than name a unit."""
_LONGEST = 64
ENDLESS = 1e15
"""From here on numbers are shown with an exponent."""


class UnitError(ValueError):
    """Text that is not a quantity of the wanted kind; says what would be accepted."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"{found!r} is not accepted here; write {expected}")
        self.found = found
        self.expected = expected


def parse(value: str | float, kind: Kind, plain: str | None = None) -> float:
    """Read a quantity into its SI value.

    `plain` is the suffix a bare number means, when it differs from the kind's own. Raises
    `UnitError` for anything that is not a finite number with a known suffix.
    """
    spec = SPECS[kind]
    expected = f"a number such as {spec.example}"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise UnitError(_shown(value), expected)
    default = spec.plain if plain is None else plain
    if not isinstance(value, str):
        # An integer from a file may be too large for a float.
        try:
            number = float(value) * spec.units[default]
        except OverflowError:
            raise UnitError(_shown(value), expected) from None
        return _finite(number, value, expected)
    match = _NUMBER.fullmatch(value) if len(value) <= _LONGEST else None
    if match is None:
        raise UnitError(_shown(value), expected)
    size = _size(spec, match["unit"] or default)
    if size is None or (match["dollar"] and spec.symbol[:3] != "USD"):
        raise UnitError(_shown(value), expected)
    return _finite(float(match["number"].replace(",", "").replace("_", "")) * size, value, expected)


def show(value: float, kind: Kind, digits: int | None = None) -> str:
    """Write a value for people: rounded, with the unit that fits its size."""
    spec = SPECS[kind]
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "no limit" if value > 0 else "-no limit"
    if kind in (Kind.MONEY, Kind.MONEY_PER_HOUR, Kind.MONEY_PER_KWH):
        return _show_money(value, spec.symbol[3:])
    suffix = spec.shown[0]
    for candidate in spec.shown[1:]:
        if abs(value) >= spec.units[candidate] * (1 - 5e-4):
            suffix = candidate
    scaled = value / spec.units[suffix]
    if not suffix and scaled.is_integer():
        return f"{scaled:,.0f}"
    text = significant(scaled, spec.digits if digits is None else digits)
    return f"{text}{suffix}" if suffix in ATTACHED else f"{text} {suffix}"


def write(value: float, kind: Kind, plain: str | None = None) -> str | float:
    """Write a value for a file so that `parse` returns exactly `value`.

    A number where the field's bare numbers mean the SI value already, else the shortest text.
    """
    spec = SPECS[kind]
    default = spec.plain if plain is None else plain
    if spec.units[default] == 1.0 and len(spec.written) == 1:
        return int(value) if value == int(value) and abs(value) < 2**53 else value
    for digits in (".0f", ".1f", ".6g"):
        for suffix in spec.written:
            text = f"{value / spec.units[suffix]:{digits}}"
            if "e" not in text and len(text) < 8 and parse(text + suffix, kind) == value:
                return text + suffix
    base = next(suffix for suffix, size in spec.units.items() if size == 1.0)
    return f"{value!r}{base}"


def significant(number: float, digits: int) -> str:
    """Round to so many significant digits (never above the point), with thousands separators."""
    if number == 0:
        return "0"
    if abs(number) >= ENDLESS:
        return f"{number:.{digits - 1}e}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    return f"{number:,.{places}f}"


def symbol(kind: Kind) -> str:
    """Return the SI unit that the engine and the JSON report use for `kind`."""
    return SPECS[kind].symbol


def example(kind: Kind) -> str:
    """Return text that `parse` accepts for `kind`."""
    return SPECS[kind].example


def _show_money(value: float, per: str) -> str:
    if abs(value) >= 1000:
        return f"${value:,.0f}{per}"
    return f"${value:,.4f}{per}" if 0 < abs(value) < 0.01 else f"${value:,.2f}{per}"


def _size(spec: Spec, suffix: str) -> float | None:
    exact = spec.units.get(suffix)
    if exact is not None:
        return exact
    folded = {name.casefold(): size for name, size in spec.units.items()}
    return folded.get(suffix.casefold())


def _finite(number: float, found: object, expected: str) -> float:
    if not math.isfinite(number):
        raise UnitError(_shown(found), expected)
    return number


def _shown(found: object) -> str:
    """Cut and clean what was found, so that an error message can hold it."""
    text = found if isinstance(found, str) else f"{found!r}" if not isinstance(found, int) else _digits(found)
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _digits(number: int) -> str:
    return str(number) if number.bit_length() < 256 else "a huge integer"
