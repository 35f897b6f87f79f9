"""``ftbuild [FILE]``: the screen, or the plain report where there is no terminal."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ftbuild.files import STANDARD_INPUT


@click.command("open")
@click.argument("file", required=False)
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.option("--ascii", "plain", is_flag=True, help="Draw with ASCII characters only.")
@click.option(
    "--color",
    type=click.Choice(["auto", "truecolor", "256", "16", "none"]),
    default="auto",
    show_default=True,
    help="Colours that the terminal has.",
)
def command(file: str | None, no_mouse: bool, plain: bool, color: Any) -> int:
    """Open the screen on FILE; with no FILE, the start page.

    Where standard output or input is not a terminal, prints the plain report of FILE instead.
    """
    if file == STANDARD_INPUT or not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        return _report(file)
    from pathlib import Path

    from ftbuild import tui
    from ftbuild.tui.terminal.detect import TerminalOptions

    options = TerminalOptions(color=color, mouse=not no_mouse, ascii="on" if plain else "auto")
    return int(tui.run(Path(file) if file is not None else None, options) or 0)


def _report(file: str | None) -> int:
    from ftbuild.cli.check import command as check

    if file is None:
        raise click.UsageError(
            "The screen needs a terminal; `ftbuild check FILE` prints a report without one."
        )
    callback = check.callback
    assert callback is not None
    return int(callback((file,), (), False, False, False))


def _is_terminal(stream: object) -> bool:
    try:
        return os.isatty(stream.fileno())  # type: ignore[attr-defined]  # a closed or replaced stream fails below
    except (AttributeError, OSError, ValueError):
        return False
