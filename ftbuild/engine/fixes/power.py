"""Moves on supplies, circuits, racks and cooling."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ftbuild.build import FIELDS
from ftbuild.catalog.parts import Psu
from ftbuild.engine.fixes.site import Site, typed
from ftbuild.schema import Choice

Changes = Mapping[str, str]

_STEP, _LEAST = 0.05, 0.6
"""Power limits are tried in steps of 5 % down to 60 %, below which speed falls faster than power."""
_BREAKERS = (15.0, 16.0, 20.0, 25.0, 30.0, 32.0, 40.0, 50.0, 60.0, 63.0, 80.0, 100.0, 125.0, 160.0, 200.0,
             250.0, 400.0)  # fmt: skip
"""Standard ratings, A: IEC 60898-1 and NEC 240.6(A)."""
_LINES = ((208.0, 1), (230.0, 1), (240.0, 1), (208.0, 3), (400.0, 3), (415.0, 3))
"""Voltage, line to line where there are three phases."""
_AMBIENT = (27.0, 25.0, 22.0, 20.0)
_MOST = 8
_ATX3 = "3.1"


def limit(site: Site) -> Iterator[Changes]:
    """Yield limits on the GPUs' power, the mildest first."""
    now = site.get("power.gpu_power_limit")
    for step in range(1, round((1 - _LEAST) / _STEP) + 1):
        share = round(1 - step * _STEP, 2)
        if share < now:
            yield {"power.gpu_power_limit": f"{share:g}"}


def no_limit(site: Site) -> Iterator[Changes]:
    """Yield milder limits, none at all last."""
    now = site.get("power.gpu_power_limit")
    for share in (0.6, 0.7, 0.8, 0.9, 1.0):
        if share > now:
            yield {"power.gpu_power_limit": f"{share:g}"}


def supplies(site: Site) -> Iterator[Changes]:
    """Yield more of the same supplies, with at least as many to spare."""
    for count, mode in _lists(site):
        yield {"power.psus_per_node": str(count), "power.redundancy": mode}


def supply(site: Site) -> Iterator[Changes]:
    """Yield larger supplies of the same grade, in the same number and then in more."""
    rating = site.get("power.psu")
    if rating is None:
        return
    rows = site.parts.rows(Psu)
    grades = {row.grade for row in rows if row.rating == rating} or {"server" if rating > 2000 else "atx"}
    ratings = sorted({row.rating for row in rows if row.grade in grades and row.rating > rating})
    same = (site.get("power.psus_per_node"), site.get("power.redundancy"))
    tried = [(watts, *held) for held in (same, *_lists(site)) for watts in ratings]
    for watts, count, mode in sorted(tried, key=lambda one: one[0] * one[1])[: 3 * _MOST]:
        yield {"power.psu": typed("power.psu", watts), "power.psus_per_node": str(count),
               "power.redundancy": mode}  # fmt: skip


def efficiency(site: Site) -> Iterator[Changes]:
    """Yield better tiers."""
    tiers = _choices("power.efficiency")
    for name in tiers[tiers.index(site.get("power.efficiency")) + 1 :]:
        yield {"power.efficiency": name}


def atx(site: Site) -> Iterator[Changes]:
    """Yield the supply design that rides out spikes."""
    if site.get("power.atx") < 3:
        yield {"power.atx": _ATX3}


def redundancy(site: Site) -> Iterator[Changes]:
    """Yield other ways to share the same supplies, those with most to spare first."""
    count, now = site.get("power.psus_per_node"), site.get("power.redundancy")
    for mode in sorted(_modes(count), key=lambda mode: -_spare(mode)):
        if mode != now and _spare(mode) > 0:
            yield {"power.redundancy": mode}


def racks(site: Site) -> Iterator[Changes]:
    """Yield more racks, up to one a node."""
    now, nodes = site.get("power.racks"), site.build.hardware.nodes
    counts = dict.fromkeys(math.ceil(nodes / each) for each in range(nodes, 0, -1))
    for count in [count for count in counts if count > now][:_MOST]:
        yield {"power.racks": str(count)}


def circuit(site: Site) -> Iterator[Changes]:
    """Yield larger breakers."""
    now = site.get("power.circuit")
    if now is not None:
        for amperes in [amperes for amperes in _BREAKERS if amperes > now][:_MOST]:
            yield {"power.circuit": typed("power.circuit", amperes)}


def line(site: Site) -> Iterator[Changes]:
    """Yield lines of a higher voltage or of three phases."""
    volts, phases = site.get("power.voltage"), site.get("power.phases")
    for higher, count in _LINES:
        if higher * math.sqrt(count) > volts * math.sqrt(phases) and count >= phases:
            yield {"power.voltage": typed("power.voltage", higher), "power.phases": str(count)}


def cooling(site: Site) -> Iterator[Changes]:
    """Yield cooling that takes more away."""
    kinds = _choices("power.cooling")
    for name in kinds[kinds.index(site.get("power.cooling")) + 1 :]:
        yield {"power.cooling": name}


def ambient(site: Site) -> Iterator[Changes]:
    """Yield cooler rooms."""
    for celsius in _AMBIENT:
        if celsius < site.get("power.ambient"):
            yield {"power.ambient": f"{celsius:g}"}


def _lists(site: Site) -> Iterator[tuple[int, str]]:
    """Yield counts and redundancies above the present ones that can lose as many supplies or more."""
    count, mode = site.get("power.psus_per_node"), site.get("power.redundancy")
    spare = _spare(mode)
    for more in (count + 1, count + 2, count + 3, count + 4, count * 2):
        kept = [one for one in _modes(more) if _spare(one) == spare] or [
            one for one in _modes(more) if _spare(one) >= spare
        ]
        yield from ((more, one) for one in kept[:1])


def _modes(count: int) -> list[str]:
    """Return the redundancies that `count` supplies can have."""
    return [
        mode for mode in _choices("power.redundancy")
        if mode == "none" or (_spare(mode) < count if mode.startswith("n+") else _sum(mode) == count)
    ]  # fmt: skip


def _sum(mode: str) -> int:
    return sum(int(part) for part in mode.split("+"))


def _spare(mode: str) -> int:
    return 0 if mode == "none" else int(mode.split("+")[1])


def _choices(key: str) -> tuple[str, ...]:
    described = FIELDS[key].described
    assert isinstance(described, Choice)  # keys that are asked for are choices
    return described.choices
