"""What the screen is written to: the terminal itself, which may stall or vanish at any time."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

POLL_S = 0.1
PATIENCE_S = 1.0
"""How long a terminal that takes nothing is waited for, once the program wants to leave."""


class TerminalStream:
    """A text stream to a terminal, for Textual's writer thread.

    Unlike `sys.__stderr__` it encodes as the terminal does, whatever PYTHONIOENCODING says; it drops output
    instead of raising when the terminal has vanished (the writer thread would die, and the screen with it
    wait for ever); and once `abandon` was called it does not wait for a terminal that takes nothing. It
    holds no lock of Python's own streams, so the interpreter can end while a write is under way.
    """

    def __init__(
        self, fd: int, encoding: str = "utf-8", on_vanished: Callable[[], None] | None = None
    ) -> None:
        self._given_fd = fd
        self._fd = _own_description(fd)
        self._encoding = encoding
        self._on_vanished = on_vanished
        self._pending: list[str] = []
        self._vanished = False
        self._abandoned = False

    def write(self, text: str) -> int:
        """Take text; it is sent on `flush`."""
        self._pending.append(text)
        return len(text)

    def flush(self) -> None:
        """Send all that was written."""
        data = "".join(self._pending).encode(self._encoding, errors="replace")
        self._pending.clear()
        if not self._vanished:
            self._send(data)

    def fileno(self) -> int:
        """Return the file descriptor that is written to."""
        return self._fd

    def isatty(self) -> bool:
        """Say whether a terminal is there (the caller has made sure)."""
        return True

    def close(self) -> None:
        """Let go of the terminal; what is written from here on is dropped."""
        self._vanished = True
        if self._fd != self._given_fd:
            os.close(self._fd)

    def abandon(self) -> None:
        """Stop waiting for a terminal that takes nothing; safe in a signal handler."""
        self._abandoned = True

    def _send(self, data: bytes) -> None:
        """Write all of `data`, or give it up when the terminal vanishes or is abandoned."""
        stalled_at = time.monotonic()
        rest = memoryview(data)
        while rest:
            if not self._takes_output():
                if self._abandoned and time.monotonic() - stalled_at > PATIENCE_S:
                    return
                continue
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                continue
            except OSError:
                self._lose()
                return
            stalled_at = time.monotonic()

    def _takes_output(self) -> bool:
        """Wait a moment for room. Not `poll`, which macOS lacks for terminals."""
        return bool(select.select([], [self._fd], [], POLL_S)[1])

    def _lose(self) -> None:
        self._vanished = True
        if self._on_vanished is not None:
            self._on_vanished()


def _own_description(fd: int) -> int:
    """Open the terminal behind `fd` anew, so that writes need not block.

    Only this description is non-blocking, not the one that the shell shares. Where the terminal cannot be
    opened by name (another user's, another container's), `fd` itself is used.
    """
    try:
        own = os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return fd
    if os.fstat(own).st_rdev == os.fstat(fd).st_rdev:
        return own
    os.close(own)
    return fd
