"""What clears a finding: moves as a table, searched on the engine and proved by it."""

from __future__ import annotations

from ftbuild.engine.fixes.fix import Fix, Moved
from ftbuild.engine.fixes.search import fixes

__all__ = ["Fix", "Moved", "fixes"]
