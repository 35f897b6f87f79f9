"""Textual's driver for POSIX terminals, made to survive what real terminals do.

Leans on parts of `LinuxDriver` that Textual does not promise (checked against 8.2.8): `run_input_thread`,
`_run_input_thread`, `_get_terminal_size`, `_file`, `_sigtstp_application`, `_sigcont_application`. The
tests in tests/pty hold each of them.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from ftbuild.tui.terminal import size
from ftbuild.tui.terminal.codec import TerminalDecoder
from ftbuild.tui.terminal.glyphs import ASCII
from ftbuild.tui.terminal.picture import Picture
from ftbuild.tui.terminal.stream import TerminalStream

if TYPE_CHECKING:
    from ftbuild.tui.terminal.app import TerminalApp

STDERR = 2
READ_SIZE = 1 << 16
POLL_S = 0.1
VANISHED = 128 + signal.SIGHUP
_MODE_SWITCH = re.compile(r"\x1b\[[?<>=][0-9;]*\$?[a-z]")
"""A sequence that sets or asks a terminal mode and draws nothing."""
_LEAVE_KEYS = frozenset({"ctrl+q", "ctrl+c"})


class TerminalDriver(LinuxDriver):
    """Reads any byte, stops when the terminal vanishes, and draws only on a terminal that is large enough."""

    _app: TerminalApp

    def __init__(
        self, app: TerminalApp, *, debug: bool = False, mouse: bool = True, size: Any = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._output_fd = STDERR
        self.stream = TerminalStream(self._output_fd, app.terminal.encoding, self._vanish)
        self._file = cast("Any", self.stream)  # the writer thread asks for no more than this stream has
        self._too_small = False
        self._released = False
        self.picture = Picture()
        if self._size is None:
            self._size = self._get_terminal_size()

    # Input

    def run_input_thread(self) -> None:
        """Read until the app exits or the terminal ends."""
        parser = XTermParser(self._debug)
        decoder = TerminalDecoder(self._app.terminal.encoding)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(POLL_S):
                    data = self._read()
                    if not data:
                        self._vanish()
                        return
                    # An empty text would tell the parser that the input has ended.
                    if text := decoder.decode(data):
                        for message in parser.feed(text):
                            self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes:
        """Return what has arrived; nothing means that the terminal is gone."""
        try:
            return os.read(self.fileno, READ_SIZE)
        except OSError:
            return b""

    def _run_input_thread(self) -> None:
        """Hand an error of the input thread to the app, which ends without a traceback."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def _vanish(self) -> None:
        """Leave, from whichever thread noticed it, since nobody is there any more."""
        self.stream.abandon()
        self._loop.call_soon_threadsafe(self._app.hang_up, VANISHED)

    def process_message(self, message: Message) -> None:
        """Pass on a message from the terminal; on one that is too small nobody sees what keys would do."""
        if isinstance(message, events.Resize):
            message = self._gated_resize(message)
        elif self._too_small and isinstance(message, events.InputEvent | events.Paste):
            if isinstance(message, events.Key) and message.key in _LEAVE_KEYS:
                self._loop.call_soon_threadsafe(self._app.hang_up, 0)
            return
        super().process_message(message)

    # Size

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return the size to lay out for; a smaller terminal shows a notice instead."""
        width, height = self._measure()
        self._gate(width, height)
        return size.clamped(width, height)

    def _on_sigwinch(self, *_: object) -> None:
        # Measured in the loop: of two handlers, one inside the other, the outer would end with an old size.
        self._loop.call_soon_threadsafe(self._resized)

    def _resized(self) -> None:
        if not self._in_band_window_resize:
            fit = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(fit, fit))

    def _gated_resize(self, event: events.Resize) -> events.Resize:
        self._gate(event.size.width, event.size.height)
        fit = Size(*size.clamped(event.size.width, event.size.height))
        return event if fit == event.size else events.Resize(fit, fit, pixel_size=event.pixel_size)

    def _measure(self) -> tuple[int, int]:
        """Return the cells of the terminal that is drawn on; one that reports none is taken for 80x24."""
        for fd in (self._output_fd, self.fileno):
            try:
                width, height = os.get_terminal_size(fd)
            except OSError:
                continue
            if width and height:
                return width, height
        return 80, 24

    def _gate(self, width: int, height: int) -> None:
        """Change between screen and notice. From any thread: the writing is put off."""
        # It may have changed and changed back: what was cut off is lost, and Textual sees no difference.
        drawn_for_it = self._writer_thread is not None and self.picture.size == (width, height)
        self.picture.size = (width, height)
        self.picture.forget()
        was_small, self._too_small = self._too_small, size.size_message(width, height) is not None
        if self._too_small:
            self._loop.call_soon_threadsafe(self._show_notice, width, height)
        elif was_small or drawn_for_it:
            self._loop.call_soon_threadsafe(self._show_screen)

    def _show_notice(self, width: int, height: int) -> None:
        if self._too_small and self._writer_thread is not None:
            super().write(size.notice(width, height))

    def _show_screen(self) -> None:
        if not self._too_small:
            self._app.redraw()

    def forget_picture(self) -> None:
        """Take nothing for granted of what the terminal shows."""
        self.picture.forget()

    # Output

    def write(self, data: str) -> None:
        """Write what the terminal does not show yet; while it is too small, only what switches modes."""
        if self._too_small and not _MODE_SWITCH.fullmatch(data):
            return
        if self._app.terminal.ascii and not data.isascii():
            data = data.translate(
                ASCII
            )  # Textual's own widgets draw scroll bars and frames with blocks and lines
        if output := self.picture.reduce(data):
            super().write(output)

    def start_application_mode(self) -> None:
        """Take the terminal, again after a suspension: what it showed is gone."""
        self.picture.forget()
        before = self._writer_thread
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's, without types
        if (
            self._writer_thread is not before
        ):  # in the background it does not start, and waits to be continued
            self._released = False
            signal.signal(signal.SIGWINCH, self._on_sigwinch)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was, pixel mouse reports included."""
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
        self._released = True
        super().stop_application_mode()

    # Job control: Textual writes inside the signal handler, where a lock may be held already.

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart:
            self._loop.call_soon_threadsafe(super()._sigtstp_application)
        else:
            super()._sigtstp_application()

    def _sigcont_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._resume)

    def _resume(self) -> None:
        # A process that was stopped by SIGSTOP has not given the terminal back: starting anew would leave it
        # with two threads that read.
        if self._released:
            super()._sigcont_application()
        self._app.redraw()
