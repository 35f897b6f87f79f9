"""Rules on network."""

from __future__ import annotations

from ftbuild.engine.core import Rule

NETWORK: tuple[Rule, ...] = ()
