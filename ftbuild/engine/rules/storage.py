"""Rules on storage."""

from __future__ import annotations

from ftbuild.engine.core import Rule

STORAGE: tuple[Rule, ...] = ()
