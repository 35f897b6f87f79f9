"""Rules on host."""

from __future__ import annotations

from ftbuild.engine.core import Rule

HOST: tuple[Rule, ...] = ()
