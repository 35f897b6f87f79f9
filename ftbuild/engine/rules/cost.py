"""Rules on cost."""

from __future__ import annotations

from ftbuild.engine.core import Rule

COST: tuple[Rule, ...] = ()
