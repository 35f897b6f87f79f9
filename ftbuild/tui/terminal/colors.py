"""How many colours a terminal shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

Depth = Literal["truecolor", "256", "16", "none"]
Color = Literal["auto", "truecolor", "256", "16", "none"]

KNOWN_TERMS: Mapping[str, Depth] = {
    # Terminals that name themselves without "-256color" and always show 24-bit colour (their own manuals
    # say so); COLORTERM, which would tell, does not travel over SSH.
    "alacritty": "truecolor",
    "contour": "truecolor",
    "foot": "truecolor",
    "foot-extra": "truecolor",
    "ghostty": "truecolor",
    "rio": "truecolor",
    "wezterm": "truecolor",
    "xterm-ghostty": "truecolor",
    "xterm-kitty": "truecolor",
    # The Linux console: 8 colours and their bright forms.
    "linux": "16",
}
"""TERM -> depth, for names whose suffix does not tell and that terminfo here may not know."""

SUFFIXES: Mapping[str, Depth] = {
    "-direct": "truecolor",
    "-truecolor": "truecolor",
    "-256color": "256",
    "-16color": "16",
}


def depth_of(wanted: Color, env: Mapping[str, str], colors_of: Callable[[str], int | None]) -> Depth:
    """Return the depth asked for, or with "auto" the one the environment tells of."""
    if wanted != "auto":
        return wanted
    if env.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "truecolor"
    term = env.get("TERM", "").strip().lower()
    if term in KNOWN_TERMS:
        return KNOWN_TERMS[term]
    for suffix, depth in SUFFIXES.items():
        if term.endswith(suffix):
            return depth
    colors = colors_of(term) or 0
    if colors >= 1 << 24:
        return "truecolor"
    return "256" if colors >= 256 else "16"


def terminfo_colors(term: str) -> int | None:
    """Return what this machine's terminfo says of `term`, or None when it does not know it."""
    try:
        import curses
    except ImportError:
        return None
    try:
        curses.setupterm(term or "unknown", 2)
        return curses.tigetnum("colors")
    except curses.error:
        return None
