"""Parts of the catalog in words: the facts that matter beside a choice, and all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ftbuild import units
from ftbuild.catalog import parts as kinds
from ftbuild.catalog.parts import Part
from ftbuild.problems import plain
from ftbuild.units import Kind

GHZ = 1e9

FIELD_KINDS: Mapping[str, Kind] = {
    "memory": Kind.MEMORY, "usable": Kind.MEMORY, "memory_max": Kind.MEMORY, "ram": Kind.MEMORY,
    "bandwidth": Kind.RATE, "link_bandwidth": Kind.RATE, "read": Kind.RATE, "write": Kind.RATE,
    "sustained_write": Kind.RATE, "cache": Kind.STORAGE, "tbw": Kind.STORAGE,
    "bf16": Kind.COMPUTE, "fp8": Kind.COMPUTE, "fp32": Kind.COMPUTE,
    "power": Kind.POWER, "power_max": Kind.POWER, "power_typical": Kind.POWER, "rating": Kind.POWER,
    "rating_low_line": Kind.POWER, "psu_rating": Kind.POWER,
    "memory_speed": Kind.TRANSFERS, "memory_speed_2dpc": Kind.TRANSFERS, "overclocked": Kind.TRANSFERS,
    "read_iops": Kind.IOPS, "write_iops": Kind.IOPS, "latency": Kind.DURATION,
    "achieved": Kind.SHARE, "guide_overhead": Kind.SHARE, "link_price": Kind.MONEY, "price": Kind.MONEY,
    "window_share": Kind.SHARE, "published": Kind.PARAMETERS, "vision": Kind.PARAMETERS,
}  # fmt: skip
"""What the number fields of parts measure; those that are not here are plain numbers."""

OWN_KINDS: Mapping[tuple[str, str], Kind] = {
    ("memory", "capacity"): Kind.MEMORY,
    ("memory", "speed"): Kind.TRANSFERS,
    ("drive", "capacity"): Kind.STORAGE,
    ("nic", "rate"): Kind.LINK,
    ("fabric", "rate"): Kind.LINK,
    ("rent", "price"): Kind.MONEY_PER_HOUR,
}
"""Where the meaning depends on the kind of part."""

SHOWN: Mapping[str, tuple[str, ...]] = {
    "gpu": ("memory", "bandwidth", "bf16", "power", "link", "price"),
    "cpu": ("cores", "base_ghz", "channels", "memory_speed", "lanes", "power", "price"),
    "memory": ("capacity", "speed", "form", "price"),
    "drive": ("capacity", "read", "write", "read_iops", "dwpd", "price"),
    "nic": ("ports", "rate", "pcie_gen", "pcie_lanes", "price"),
    "fabric": ("rate", "achieved", "latency", "rdma"),
    "psu": ("rating", "tier", "grade", "inlet", "price"),
    "efficiency": ("input", "loads", "efficiency"),
    "system": ("gpu", "gpus", "power_max", "rack_units", "price"),
    "rent": ("provider", "gpu", "price", "offer", "price_date"),
    "model": ("family", "layers", "hidden", "published", "context"),
}
"""The facts that matter when one chooses, by kind of part."""

SUFFIX: Mapping[str, str] = {
    "cores": " cores", "channels": " channels", "lanes": " lanes", "dwpd": " DWPD", "layers": " layers",
    "hidden": " wide", "context": " tokens", "base_ghz": " GHz", "boost_ghz": " GHz", "rack_units": "U",
    "gpus": " GPUs", "ports": " ports", "pcie_gen": " (PCIe)", "pcie_lanes": " lanes", "read": " read",
    "write": " write", "read_iops": " IOPS", "achieved": " achieved", "published": " parameters",
}  # fmt: skip

_ABOUT = frozenset(
    {"id", "name", "aliases", "source", "as_of", "confidence", "notes", "unverified", "claimed", "really"}
)


def fact(part: Part, name: str) -> str:
    """Write one fact of a part with its unit; ``?`` where the catalog does not know it."""
    value = getattr(part, name)
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        kind = OWN_KINDS.get((part.kind, name)) or FIELD_KINDS.get(name)
        return units.show(value, kind) if kind else f"{value:.10g}"
    if isinstance(value, tuple):
        return ", ".join(plain(item) for item in value)
    return plain(value)


def facts(part: Part) -> str:
    """Return the facts that matter beside a choice, on one line; what is not known is left out."""
    names = SHOWN.get(part.kind, ())
    known = [(name, getattr(part, name)) for name in names]
    words = []
    for name, value in known:
        if value is not None and value not in ("", "none", ()):
            text = name if value is True else fact(part, name)
            words.append(text + SUFFIX.get(name, "") if value is not False else f"no {name}")
    return ", ".join(words)


def part_lines(part: Part) -> list[str]:
    """Return everything the catalog knows of one part, with its source."""
    lines = [f"{part.id}  {plain(part.name)}"]
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name not in _ABOUT and value not in (None, "", (), 0, False):
            doubt = "  (unverified)" if field.name in part.unverified else ""
            lines.append(f"  {field.name:<20} {fact(part, field.name)}{doubt}")
    unknown = [field.name for field in dataclasses.fields(part) if getattr(part, field.name) is None]
    if unknown:
        lines.append(f"  {'not known':<20} {', '.join(unknown)}")
    if part.aliases:
        lines.append(f"  {'also called':<20} {', '.join(plain(alias) for alias in part.aliases)}")
    if part.claimed:
        lines.append(f"  {'nobody sells it':<20} figures of {part.really}")
    lines.append(f"  {'source':<20} {plain(part.source, 400)} ({part.as_of or 'no date'}; {part.confidence})")
    if part.notes:
        lines.append(f"  {'notes':<20} {plain(part.notes, 400)}")
    return lines


def kind_named(name: str) -> type[Part] | None:
    """Return the kind of part of that name, singular or plural."""
    wanted = name.casefold().removesuffix("s")
    return next((kind for kind in kinds.KINDS if kind.kind.removesuffix("s") == wanted), None)
