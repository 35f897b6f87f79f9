"""Rules on power."""

from __future__ import annotations

from ftbuild.engine.core import Rule

POWER: tuple[Rule, ...] = ()
