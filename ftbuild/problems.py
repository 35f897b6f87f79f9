"""What is wrong with a user's input: which key, what was found, what would be accepted."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_SHOWN = 80
_CLOSE = 0.6
"""Likeness (`difflib`) from which a known name may be the one that was meant."""
_WORSE = 0.15
"""How much less alike than the best another name may be to be suggested beside it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in the words of the JSON report's ``error`` object."""

    key: str
    """Dotted, as ``--set`` takes it: ``workload.micro_batch``; empty for the whole file."""
    found: str
    expected: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


class BuildError(Exception):
    """A build that cannot be understood; holds every problem found, the first one first."""

    def __init__(self, problems: Sequence[Problem], file: str = "") -> None:
        self.problems = tuple(problems)
        self.file = file
        super().__init__("\n".join(str(problem) for problem in self.problems))


def hostile(text: str, *, lines: bool = False) -> str | None:
    """Name the first character of `text` that could steer a terminal, or None when there is none.

    Control characters (C0, DEL, C1), bidirectional overrides and lone surrogates are refused; line
    feeds and tabs pass where `lines` is true.
    """
    for char in text:
        if lines and char in "\n\t":
            continue
        if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
            return f"U+{ord(char):04X}"
    return None


def plain(value: object, limit: int = _SHOWN) -> str:
    """Show any value in a message: one line, printable, cut to `limit` characters."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 256:
        return "a huge integer"
    if isinstance(value, (list, tuple, dict, set)):
        return f"a {'table' if isinstance(value, dict) else 'list'} of {len(value)}"
    text = value[: limit * 4] if isinstance(value, str) else str(value)
    text = "".join(char if char.isprintable() and char not in _BIDI else "?" for char in text)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def nearest(found: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return the known names closest to `found`, best first."""
    by_folded = {name.casefold(): name for name in known}
    wanted = found[:_SHOWN].casefold()
    matches = difflib.get_close_matches(wanted, by_folded, n=count, cutoff=_CLOSE)
    likeness = [difflib.SequenceMatcher(None, match, wanted).ratio() for match in matches]
    return tuple(
        by_folded[match]
        for match, like in zip(matches, likeness, strict=True)
        if like >= likeness[0] - _WORSE
    )


def syntax_mistake(error: ValueError, words: str = "") -> str:
    """Return what a parser of TOML or JSON found wrong: `words`, or its own without advice on Python."""
    said = str(error)
    return "an integer of too many digits" if "set_int_max_str_digits" in said else words or plain(said, 200)


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """Return ``; did you mean x?`` or nothing."""
    names = nearest(found, known)
    return f"; did you mean {' or '.join(names)}?" if names else ""
