"""Lines on standard output and standard error, and files that a command is told to write.

Written to the streams themselves: click's own writer takes a stream of ASCII for a mistake and writes UTF-8.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

STANDARD = Path("-")
"""As a file to write: standard output."""


def say(lines: str | Iterable[str]) -> None:
    """Print text or lines on standard output."""
    text = lines if isinstance(lines, str) else "\n".join(lines)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def warn(line: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"{line}\n")


def write(out: Path, text: str, inputs: Iterable[Path | int]) -> None:
    """Write a file whole, replacing it; ``-`` is standard output. Raises `FileError`."""
    from ftbuild import disk

    if out == STANDARD:
        say(text)
        return
    keep(out, inputs)
    disk.write(out, text.encode(), force=True)


def keep(out: Path, inputs: Iterable[Path | int], instead: str = "another file") -> None:
    """Raise `FileError` where `out` is one of the files (or open streams) that a command reads."""
    from ftbuild.disk import FileError

    if any(_same(out, one) for one in inputs):
        message = f"is the file that is read; expected {instead} to write to"
        raise FileError(str(out), "the file that is read", f"{instead} to write to", message)


def _same(one: Path, other: Path | int) -> bool:
    """Return whether two names lead to one file, links followed."""
    try:
        there = os.fstat(other) if isinstance(other, int) else other.stat()
        return os.path.samestat(one.stat(), there)
    except (OSError, ValueError):
        return False
