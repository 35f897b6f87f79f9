"""Heat and the air that takes it away."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.light import larger
from ftbuild.engine.tables import power as table


def btu_per_h(watts: Any) -> Any:
    """Return BTU/h of `watts`: all power that a rig draws becomes heat."""
    return table.BTU * watts


def tons(watts: Any) -> Any:
    """Return tons of refrigeration: BTU/h / 12,000."""
    return btu_per_h(watts) / table.TON


def airflow(watts: Any, rise: Any, altitude: Any) -> Any:
    """Return m3/s of air that warms by `rise` C: P / (density x heat x rise), more where air is thin."""
    thin = 1.0 + table.THINNER * larger(altitude, 0.0)
    return watts * thin / (table.AIR_DENSITY * table.AIR_HEAT * rise)


def inlet_at_sea_level(ambient: Any, altitude: Any) -> Any:
    """Return the inlet temperature at sea level that is as hard on a node, C."""
    return ambient + table.DERATED * larger(altitude - table.DERATED_FROM, 0.0)
