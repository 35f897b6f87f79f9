"""The command line: the same things as on the screen, without one."""

from __future__ import annotations

from ftbuild.cli.app import main

__all__ = ["main"]
