"""Rules on vram."""

from __future__ import annotations

from ftbuild.engine.core import Rule

VRAM: tuple[Rule, ...] = ()
