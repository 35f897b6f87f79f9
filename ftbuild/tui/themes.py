"""Colours: a dark and a light theme, one of high contrast, and the terminal's own sixteen.

Blue or green for what is well, orange or red for what is not; a glyph and a word always go with it.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="ftbuild-dark",
    primary="#5fa8d3",
    secondary="#3d6d8a",
    accent="#62b6cb",
    warning="#e9a23b",
    error="#f26d6d",
    success="#6cbf84",
    foreground="#dfe6ea",
    background="#101619",
    surface="#161e22",
    panel="#22303a",
    dark=True,
)
LIGHT = Theme(
    name="ftbuild-light",
    primary="#1f6f9f",
    secondary="#4d86a8",
    accent="#0f7488",
    warning="#9a5b00",
    error="#b3261e",
    success="#1d7a3e",
    foreground="#1c2529",
    background="#f7f9fa",
    surface="#eef2f4",
    panel="#d9e2e7",
    dark=False,
)
HIGH_CONTRAST = Theme(
    name="ftbuild-contrast",
    primary="#7fd4ff",
    secondary="#ffffff",
    accent="#ffff66",
    warning="#ffc04d",
    error="#ff8080",
    success="#7dff9a",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#303030",
    dark=True,
    text_alpha=1.0,
)
OWN = (DARK, LIGHT, HIGH_CONTRAST)
ANSI = ("ansi-dark", "ansi-light")
"""Textual's themes of the terminal's own colours."""


def cycle(ansi: bool) -> tuple[str, ...]:
    """Return the names of the themes to go through, the first one first."""
    return ANSI if ansi else (*(theme.name for theme in OWN), *ANSI)
