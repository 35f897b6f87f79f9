"""ASCII for what is drawn with lines, blocks and marks, where a terminal's font has no more."""

from __future__ import annotations


def _spread(plain: str, glyphs: str) -> dict[int, str]:
    return dict.fromkeys(map(ord, glyphs), plain)


ASCII: dict[int, str] = {
    **dict.fromkeys(range(0x2500, 0x2580), "+"),  # box drawing: corners and joints, unless named below
    **_spread("-", "─━┄┅┈┉╌╍═╴╶╸╺╼╾"),
    **_spread("|", "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"),
    **dict.fromkeys(range(0x2580, 0x25A0), "#"),  # blocks
    **_spread("_", "▁▂"),
    **_spread(".", "░▔▏▎"),
    **dict.fromkeys(range(0x2800, 0x2900), "*"),  # braille
    **_spread("~", "…"),
    **_spread("*", "•●○◉◦■□▪▫◆◇★"),
    **_spread("<", "←◀◂◄⟨"),
    **_spread(">", "→▶▸►⟩"),
    **_spread("^", "↑▲△▴"),
    **_spread("v", "↓▼▽▾"),
    **_spread("x", "✗✘✕✖"),
    **_spread("+", "✓✔"),
    **dict.fromkeys(range(0x2010, 0x2016), "-"),  # hyphens and dashes
    **dict.fromkeys((0x2018, 0x2019), "'"),
    **dict.fromkeys((0x201C, 0x201D), '"'),
}
"""For `str.translate`: each glyph to one character of the same width."""
