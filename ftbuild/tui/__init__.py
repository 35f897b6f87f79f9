"""The screen: terminal, document, fields, panes, verdict, dialogs."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from ftbuild.tui.terminal import Refusal, TerminalOptions, prepare

CANNOT_SHOW = 2
"""Exit status where there is no terminal to show the screen on."""


def run(path: Path | None = None, options: TerminalOptions | None = None) -> int:
    """Open the screen on a build's file, or on the start page; return the exit status.

    Raises `BuildError` for a file that cannot be opened, before the screen is drawn.
    """
    terminal = prepare(options)
    if isinstance(terminal, Refusal):
        print(f"ftbuild: {terminal.message}", file=sys.stderr)
        return CANNOT_SHOW
    terminal.apply()
    # Before the first picture no garbage worth a search arises, and searching takes a tenth of the time.
    gc.disable()
    if path is not None:
        from ftbuild import files

        files.load(path)
    from ftbuild.tui import terminal as layer
    from ftbuild.tui.app import FtbuildApp

    gc.freeze()
    return layer.run(FtbuildApp(path), terminal)
