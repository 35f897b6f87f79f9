"""One run of the app in a terminal: signals, exit status, the last line."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from ftbuild.tui.terminal.app import TerminalApp
from ftbuild.tui.terminal.detect import Terminal
from ftbuild.tui.terminal.stream import TerminalStream

LEAVE_SIGNALS = ("SIGHUP", "SIGTERM", "SIGINT")
TOUCHED_SIGNALS = (*LEAVE_SIGNALS, "SIGTSTP", "SIGCONT", "SIGWINCH", "SIGTTOU", "SIGTTIN")
"""What we or Textual's driver handle while the app runs."""


def run(app: TerminalApp, terminal: Terminal) -> int:
    """Run `app` until it leaves; return the exit status.

    SIGHUP, SIGTERM and SIGINT make the app keep its edits and leave in good order (status 128 + signal);
    the second one of a kind has its usual effect. All handlers are as before when this returns.
    """
    app.terminal = terminal
    for stream in (sys.stderr, sys.__stderr__):
        _speak(stream, terminal.encoding)
    with _signals_put_back():
        try:
            asyncio.run(_session(app))
        except Exception as error:
            # Textual's own clean-up fails when the terminal has vanished; then there is nobody to tell.
            if not app.return_code:
                app.crashed(error)
    if app.crash_line is not None:
        with suppress(OSError, ValueError):
            print(app.crash_line, file=sys.stderr, flush=True)
        return app.return_code or 1
    return app.return_code or 0


async def _session(app: TerminalApp) -> None:
    loop = asyncio.get_running_loop()

    def leave(signum: int, _frame: FrameType | None) -> None:
        # Not through the loop's own signal handling: that would not run while the loop waits for a stalled
        # terminal.
        signal.signal(signum, signal.SIG_DFL)
        if stream := _stream_of(app):
            stream.abandon()
        loop.call_soon_threadsafe(app.hang_up, 128 + signum)

    for number in _numbers(LEAVE_SIGNALS):
        # nohup and service managers start programs with SIGHUP ignored, and mean it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)
    try:
        await app.run_async(mouse=app.terminal.mouse)
    finally:
        if stream := _stream_of(app):
            stream.close()


def _stream_of(app: TerminalApp) -> TerminalStream | None:
    """Return what the app draws on, once there is a terminal driver."""
    return getattr(app._driver, "stream", None)


@contextmanager
def _signals_put_back() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in _numbers(TOUCHED_SIGNALS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


def _numbers(names: tuple[str, ...]) -> list[signal.Signals]:
    """Return the signals of these names that this platform has."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def _speak(stream: TextIO | None, encoding: str) -> None:
    """Let `stream` print anything, with replacements for what the terminal's encoding lacks."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        with suppress(OSError, ValueError):
            reconfigure(encoding=encoding, errors="replace")
