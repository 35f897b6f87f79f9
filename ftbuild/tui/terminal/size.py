"""The smallest terminal that the screen is laid out for, and what a smaller one shows instead."""

from __future__ import annotations

MINIMUM_WIDTH = 60
MINIMUM_HEIGHT = 20


def size_message(width: int, height: int) -> str | None:
    """Return what to say of a terminal of this many cells, or None when it is large enough."""
    if width >= MINIMUM_WIDTH and height >= MINIMUM_HEIGHT:
        return None
    return f"needs {MINIMUM_WIDTH}x{MINIMUM_HEIGHT}, has {width}x{height}"


def clamped(width: int, height: int) -> tuple[int, int]:
    """Return the size that the screen is laid out for: never below the minimum."""
    return max(width, MINIMUM_WIDTH), max(height, MINIMUM_HEIGHT)


def notice(width: int, height: int) -> str:
    """Return the output that replaces the screen on a terminal that is too small, cut to its cells."""
    lines = (
        size_message(width, height) or "",
        "",
        "Enlarge the window to go on.",
        "Ctrl+Q leaves; edits are kept.",
    )
    shown = (f"\x1b[{row};1H{line[:width]}" for row, line in enumerate(lines[:height], start=1))
    return "\x1b[0m\x1b[2J" + "".join(shown)
