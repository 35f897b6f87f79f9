"""From one text style to another in the fewest bytes (ECMA-48, SGR)."""

from __future__ import annotations

import re
from functools import lru_cache

_STYLE = re.compile(
    r"(?P<attributes>(?:[1-9](?:;|$))*)"
    r"(?P<fore>(?:38;5;\d+|38;2;\d+;\d+;\d+|3[0-79]|9[0-7])(?:;|$))?"
    r"(?P<back>48;5;\d+|48;2;\d+;\d+;\d+|4[0-79]|10[0-7])?"
)
"""A style as Rich writes it: attributes, foreground, background."""
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28", "9": "29"}


@lru_cache(maxsize=1024)
def switch(before: str, after: str) -> str:
    """Return the code that changes the style `before` to `after`; each is the inside of an SGR code."""
    if not after:
        return "\x1b[m"
    old, new = _STYLE.fullmatch(before), _STYLE.fullmatch(after)
    if old is None or new is None:
        return f"\x1b[0;{after}m"
    had, wanted = _attributes(old), _attributes(new)
    codes = list(dict.fromkeys(_OFF[attribute] for attribute in had if attribute not in wanted))
    # Bold and dim have one code to end both.
    kept = [attribute for attribute in had if _OFF[attribute] not in codes]
    codes += [attribute for attribute in wanted if attribute not in kept]
    codes += [color for past, color in zip(_colors(old), _colors(new), strict=True) if color != past]
    if not codes:
        return ""
    shortest = min(";".join(codes), f"0;{after}", key=len)
    return f"\x1b[{shortest}m"


def _attributes(style: re.Match[str]) -> list[str]:
    return [attribute for attribute in style["attributes"].split(";") if attribute]


def _colors(style: re.Match[str]) -> tuple[str, str]:
    return (style["fore"] or "39").rstrip(";"), style["back"] or "49"
