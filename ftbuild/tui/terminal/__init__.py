"""The terminal layer: the only place that knows Textual's driver, signals, colours and locales.

`prepare` decides from the environment alone, without importing Textual. What it returns is applied before
Textual is imported, since Textual reads its environment on import:

    terminal = prepare(TerminalOptions(color="auto"))
    if isinstance(terminal, Refusal):
        ...print terminal.message and leave
    terminal.apply()
    from ftbuild.tui.app import ...     # a TerminalApp whose screens are QuietScreens
    return run(app, terminal)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftbuild.tui.terminal.detect import Refusal, Streams, Terminal, TerminalOptions, prepare
from ftbuild.tui.terminal.size import MINIMUM_HEIGHT, MINIMUM_WIDTH, size_message

if TYPE_CHECKING:
    from ftbuild.tui.terminal.app import TerminalApp

__all__ = [
    "MINIMUM_HEIGHT",
    "MINIMUM_WIDTH",
    "Refusal",
    "Streams",
    "Terminal",
    "TerminalOptions",
    "prepare",
    "run",
    "size_message",
]


def run(app: TerminalApp, terminal: Terminal) -> int:
    """Run `app` in `terminal` until it leaves; return the exit status (see `session.run`)."""
    from ftbuild.tui.terminal import session

    return session.run(app, terminal)
