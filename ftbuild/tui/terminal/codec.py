"""Bytes from a terminal -> text for Textual's parser, whatever the bytes are."""

from __future__ import annotations

import codecs
import re

_X10 = re.compile(rb"\x1b\[M([\x20-\xff])([\x20-\xff])([\x20-\xff])", re.DOTALL)
_X10_BEGUN = re.compile(rb"\x1b\[M[\x20-\xff]{0,2}\Z", re.DOTALL)


class TerminalDecoder:
    """Decodes what a terminal sends, piece by piece, and never fails.

    Bytes outside the encoding become U+FFFD. Mouse reports in the old X10 form (three raw bytes, past
    column 95 not even ASCII; some terminals fall back to it after a re-attach) are rewritten in the SGR
    form, which is text.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._held = b""

    def decode(self, data: bytes) -> str:
        """Return the text of `data` and of what earlier calls held back; it may be empty."""
        data = self._held + data
        self._held = b""
        if begun := _X10_BEGUN.search(data):
            data, self._held = data[: begun.start()], data[begun.start() :]
        return self._decoder.decode(_X10.sub(_as_sgr, data))


def _as_sgr(report: re.Match[bytes]) -> bytes:
    """Rewrite one X10 mouse report; in X10 any release is button 3, in SGR it is the final letter `m`."""
    buttons, column, row = (group[0] - 32 for group in report.groups())
    released = buttons & 3 == 3 and not buttons & (32 | 64)
    return b"\x1b[<%d;%d;%d%c" % (
        buttons & ~3 if released else buttons,
        column,
        row,
        b"m" if released else b"M",
    )
