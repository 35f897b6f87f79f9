"""Rules on time."""

from __future__ import annotations

from ftbuild.engine.core import Rule

TIME: tuple[Rule, ...] = ()
