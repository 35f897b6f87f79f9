"""Lines on standard output and standard error.

Written to the streams themselves: click's own writer takes a stream of ASCII for a mistake and writes UTF-8.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable


def say(lines: str | Iterable[str]) -> None:
    """Print text or lines on standard output."""
    text = lines if isinstance(lines, str) else "\n".join(lines)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def warn(line: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(f"{line}\n")
