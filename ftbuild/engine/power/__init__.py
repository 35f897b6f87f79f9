"""Draw, supplies, circuits, racks, heat and power limits."""

from ftbuild.engine.power.compose import figures

__all__ = ["figures"]
