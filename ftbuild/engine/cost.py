"""What a rig costs to buy and run, against renting."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.catalog import Catalog, UnknownPart
from ftbuild.catalog.parts import CloudPrice
from ftbuild.engine.core import Figure, Figures
from ftbuild.engine.cost_specs import SPECS
from ftbuild.engine.light import heavy, known, larger, light, number, pick, smaller, unknown
from ftbuild.engine.parts_list import Line, lines
from ftbuild.engine.runtime import active_parameters, peak_of
from ftbuild.engine.tables import cost as t
from ftbuild.problems import BuildError, Problem
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns


def energy_cost(watts: Any, hours: Any, pue: Any, price: Any) -> Any:
    """Return USD for `watts` at the wall over `hours`, with the building's share `pue`, at USD a kWh."""
    return watts / 1000 * hours * pue * price


def break_even_hours(hardware: Any, resale: Any, gpus: Any, rent: Any, running: Any = 0.0) -> Any:
    """Return hours of use after which buying costs less than renting; NaN where it never does.

    `hardware` USD, of which a share `resale` comes back; `rent` USD a GPU hour of `gpus`; `running` USD an
    hour that the owner pays.
    """
    saved = gpus * rent - running
    return pick(saved > 0, hardware * (1 - resale) / saved, np.nan)


def spot_waste(write: Any, restart: Any = t.RESTART, between: Any = t.INTERRUPTION) -> Any:
    """Return the share of time lost where instances are taken away: checkpoints, and what follows the last.

    `write` seconds of a checkpoint, `restart` seconds to come back, `between` interruptions. Source: Young
    1974, w = C / tau + (tau / 2 + R) / M at its best interval tau = sqrt(2 C M).
    """
    interval = np.sqrt(2 * write * between)
    return write / interval + (interval / 2 + restart) / between


def spot_price(price: Any, waste: Any) -> Any:
    """Return USD for an hour of work on instances that are taken away, from the price of an hour of time."""
    return price / (1 - smaller(waste, t.MOST_WASTE))


def queries_per_s(peak: Any, parameters: Any, tokens: Any = t.QUERY_TOKENS) -> Any:
    """Return queries/s whose prompt of `tokens` the `peak` FLOP/s can read: 2 FLOP a parameter and token."""
    return peak / (2 * parameters * tokens)


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of money."""
    parts = lines(c)
    hardware, blank = _hardware(parts)
    yield hardware
    yield blank
    quote = number(c, "cost.quote")
    bought = known(quote, light(hardware.value))
    years, weekly = number(c, "cost.years"), number(c, "cost.hours_per_week")
    hours = years * t.WEEKS_PER_YEAR * weekly
    nodes = number(c, "hardware.nodes")
    gpus = nodes * number(c, "hardware.gpus_per_node")
    watts = nodes * _watts(done)
    pue, tariff = number(c, "power.pue"), number(c, "power.electricity")
    hourly = energy_cost(watts, 1.0, pue, tariff)
    energy = hourly * hours
    resale = number(c, "cost.resale")
    guide = t.GUIDE_SHARE * bought * years / t.GUIDE_YEARS
    yield _figure("cost.energy", energy / pue, terms={
        "draw": (heavy(watts), Kind.POWER), "hours": (heavy(hours), Kind.HOURS),
        "price": (heavy(tariff), Kind.MONEY_PER_KWH),
    })  # fmt: skip
    yield _figure("cost.power_cooling", energy, terms={
        "electricity": (energy / pue, Kind.MONEY), "PUE": (pue, Kind.RATIO),
    }, parts={
        "machines": heavy(energy / pue), "cooling and building": heavy(energy - energy / pue),
    })  # fmt: skip
    yield _figure("cost.guide_power_cooling", guide)
    yield _figure("cost.power_share", energy / bought * t.GUIDE_YEARS / years)
    total = bought * (1 - resale) + energy
    yield _figure("cost.total", total, parts={
        "hardware": heavy(bought), "power and cooling": heavy(energy), "resale": heavy(-bought * resale),
    })  # fmt: skip
    yield from _rent(
        c, done, bought=bought, resale=resale, gpus=gpus, hourly=hourly, hours=hours, total=total
    )
    yield _figure("cost.quote", quote)


def _rent(
    c: Columns, done: Figures, *, bought: Any, resale: Any, gpus: Any, hourly: Any, hours: Any, total: Any
) -> Iterator[Figure]:
    """Yield what compares owning with renting, and what a run costs either way."""
    price, note = rent_price(c, done)
    run = light(done["time.total"].value) / 3600
    tokens = light(done["time.tokens"].value)
    even = break_even_hours(bought, resale, gpus, price, hourly)
    weekly = number(c, "cost.hours_per_week")
    own = total / hours * run
    rented = gpus * price * run
    yield _figure("cost.rent", price, note=note)
    dear = break_even_hours(bought, resale, gpus, (1 + t.RENT_BAND) * price, hourly)
    cheap = break_even_hours(bought, resale, gpus, (1 - t.RENT_BAND) * price, hourly)
    yield _figure("cost.rent_break_even_hours", even, dear, cheap, note=note, terms={
        "hardware": (bought, Kind.MONEY), "resale": (resale, Kind.SHARE), "GPUs": (gpus, Kind.COUNT),
        "rent": (price, Kind.MONEY_PER_HOUR), "power and cooling an hour": (hourly, Kind.MONEY_PER_HOUR),
    })  # fmt: skip
    yield _figure("cost.break_even_months", even / weekly / t.WEEKS_PER_YEAR * t.MONTHS_PER_YEAR, note=note)
    yield _figure("cost.hours", hours)
    yield _figure("cost.run", own, terms={"run": (heavy(run), Kind.HOURS)})
    yield _figure("cost.rent_per_run", rented, note=note)
    yield _figure("cost.per_million_tokens", own / tokens * 1e6)
    yield _figure("cost.rent_per_million_tokens", rented / tokens * 1e6, note=note)
    peak = light(c.fact("peak", "hardware.gpu", peak_of)) * gpus * t.QUERY_UTILISATION
    rate = queries_per_s(peak, light(c.fact("active", "workload.model", active_parameters)))
    yield _figure("cost.query", gpus * price / 3600 / rate, note=note)
    listed = light(c.fact("cheapest rent", "hardware.gpu", lambda gpu: _cheapest(c, gpu.id)))
    yield _figure("cost.rent_over_cheapest", price / listed)


def _hardware(parts: tuple[Line, ...]) -> tuple[Figure, Figure]:
    """Return what the parts with a known price cost, and how many kinds of part have none."""
    cost: dict[str, Any] = {}
    there: Any = 0.0
    blank: Any = 0.0
    missing = []
    for line in parts:
        count, price = light(line.count), light(line.price)
        used = count > 0
        nameless = used & (price != price)
        there, blank = there + used, blank + nameless
        several = isinstance(nameless, np.ndarray)
        if not (nameless.all() if several else nameless):
            cost[line.group] = cost.get(line.group, 0.0) + count * known(price, 0.0)
        if nameless[0] if several else nameless:
            missing.append(line.title)
    gpu = light(parts[0].price)
    total = pick(gpu != gpu, np.nan, sum(cost.values()))
    note = "without " + ", ".join(missing) + ": no price is known" if missing else ""
    lost = unknown(gpu)
    return (
        _figure("cost.hardware", total, parts={group: heavy(part) for group, part in cost.items()},
                note=f"no price of {parts[0].title} is known" if lost else note, missing=lost),
        _figure("cost.unknown", blank / there, note=note),
    )  # fmt: skip


def _watts(done: Figures) -> Any:
    """Return a node's mean draw, or the nearest that the figures of power tell."""
    for name in ("power.node_mean", "power.node_typical", "power.node"):
        if name in done:
            return light(done[name].value)
    return np.nan


def rent_price(c: Columns, done: Figures) -> tuple[Any, str]:
    """Return USD a GPU hour of work, and where the price is from.

    As stated; else the middle of the catalog's on-demand prices of the GPU.
    """
    stated = c.build.cost.rent
    if "cost.rent" not in c.index and stated is None:
        price = light(c.fact("usual rent", "hardware.gpu", lambda gpu: _usual(c, gpu.id)))
        said = "no rent is stated: the median on-demand price that the catalog has for this GPU"
        return price, "" if unknown(price) else said
    price = light(c.each("rent", "cost.rent", lambda value: _price(c, value)))
    row = c.catalog.find(CloudPrice, stated) if isinstance(stated, str) else None
    taken = light(c.each("spot", "cost.rent", lambda value: _is_spot(c, value)))
    if np.any(taken):
        wrote = known(light(done["checkpoint.write_time"].value), t.CHECKPOINT)
        price = pick(taken > 0, spot_price(price, spot_waste(larger(wrote, t.LEAST_CHECKPOINT))), price)
    if row is None:
        return price, "USD an hour as stated"
    lost = "; restarts and checkpoints included" if row.offer == "spot" else ""
    return price, f"{row.name}, {row.price_date or row.as_of}{lost}"


def _is_spot(c: Columns, value: Any) -> float:
    return float(isinstance(value, str) and c.catalog.find(CloudPrice, value).offer == "spot")


def _price(c: Columns, value: Any) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, (int, float)):
        return float(value)
    try:
        row = c.catalog.find(CloudPrice, str(value))
    except UnknownPart as error:
        near = " or ".join(error.suggestions) or "a name from `ftbuild catalog rent`"
        raise BuildError([Problem("cost.rent", str(value), near, str(error))]) from None
    return row.price


@lru_cache(maxsize=256)
def offers(catalog: Catalog, gpu: str) -> tuple[float, ...]:
    """Return the on-demand prices that the catalog lists for a GPU, ascending, less the guide's claims."""
    rows = catalog.rows(CloudPrice)
    found = sorted(
        row.price
        for row in rows
        if row.gpu == gpu and row.offer == "on-demand" and not row.id.startswith("guide/")
    )
    return tuple(found)


def _usual(c: Columns, gpu: str) -> float:
    found = offers(c.catalog, gpu)
    return float(np.median(found)) if found else float("nan")


def _cheapest(c: Columns, gpu: str) -> float:
    return min(offers(c.catalog, gpu), default=float("nan"))


def _figure(name: str, value: Any, low: Any = None, high: Any = None, **more: Any) -> Figure:
    band = (None, None) if high is None else (heavy(low), heavy(high))
    return Figure(SPECS[name], heavy(value), *band, **more)
