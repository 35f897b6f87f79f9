"""ASCII for what is drawn with lines, blocks and marks, where a terminal's font has no more."""

from __future__ import annotations

from rich.cells import cell_len


def _spread(plain: str, glyphs: str) -> dict[int, str]:
    return dict.fromkeys(map(ord, glyphs), plain)


class Plain(dict[int, str]):
    """For `str.translate`: characters to ASCII of the same width; letters, which are the user's own, stay."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char if char.isascii() or char.isalnum() else "?" * cell_len(char)
        self[code] = kept
        return kept


GLYPHS: dict[int, str] = {
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
    0xB0: " ",  # degrees
    0xB1: "~",  # plus or minus
    0xB7: ".",
    0xD7: "x",  # times
    0x2264: "<",  # at most
    0x2265: ">",  # at least
    **dict.fromkeys((0x201C, 0x201D), '"'),
}
"""What is drawn, and what stands for it: one cell each."""

ASCII = Plain(GLYPHS)
