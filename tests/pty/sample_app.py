"""A small app on the terminal layer: a form of lines that take keys. `!` makes it fail."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import ClassVar, cast

from ftbuild.tui.terminal import Refusal, Terminal, TerminalOptions, prepare, run
from ftbuild.tui.terminal.colors import Color


def main(arguments: list[str]) -> int:
    color = next((text.partition("=")[2] for text in arguments if text.startswith("--color=")), "auto")
    mouse = "--no-mouse" not in arguments
    terminal = prepare(TerminalOptions(color=cast("Color", color), mouse=mouse))
    if isinstance(terminal, Refusal):
        print(terminal.message, file=sys.stderr)
        return 2
    terminal.apply()
    status = _run(terminal)
    if "--signals" in arguments:
        numbers = (signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
        print("changed:", [number.name for number in numbers if signal.getsignal(number) != signal.SIG_DFL])
    return status


def _run(terminal: Terminal) -> int:
    from textual import events
    from textual.app import ComposeResult
    from textual.screen import Screen
    from textual.widgets import Static

    from ftbuild.tui.terminal.app import TerminalApp
    from ftbuild.tui.terminal.screen import QuietScreen

    class Line(Static, can_focus=True):
        """A field of one line."""

        DEFAULT_CSS = "Line { height: 1; } Line:focus { text-style: reverse; }"

        def __init__(self, number: int) -> None:
            super().__init__(f"field {number}:", markup=False)
            self.number = number
            self.value = ""

        def on_key(self, event: events.Key) -> None:
            if event.character == "!":
                raise ValueError("asked to \x1b]52;c;aGk=\x07 fail")
            if event.is_printable and event.character:
                self.value += event.character
                self.update(f"field {self.number}: {self.value}")
                event.stop()

        def on_paste(self, event: events.Paste) -> None:
            self.value = f"{len(event.text)} pasted"
            self.update(f"field {self.number}: {self.value}")

        def on_click(self, event: events.Click) -> None:
            self.value = f"click {event.screen_x}"
            self.update(f"field {self.number}: {self.value}")

    class Form(QuietScreen[None]):
        def compose(self) -> ComposeResult:
            yield from (Line(number) for number in range(1, 19))

    class LoudForm(Screen[None]):
        def compose(self) -> ComposeResult:
            yield from (Line(number) for number in range(1, 19))

    class Sample(TerminalApp):
        BINDINGS: ClassVar = [("ctrl+q", "quit", "Quit")]

        def on_mount(self) -> None:
            if os.environ.get("SAMPLE_WHOLE"):
                self._driver.picture.reduce = lambda output: output  # type: ignore[union-attr] # ours has one
            self.push_screen(LoudForm() if os.environ.get("SAMPLE_LOUD") else Form())

        def keep_edits(self) -> None:
            kept = " ".join(line.value for line in self.screen.query(Line) if line.value)
            Path(os.environ["SAMPLE_KEPT"]).write_text(kept, encoding="utf-8")

    return run(Sample(), terminal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
