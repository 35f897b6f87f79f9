"""What an app needs to live in a terminal that may vanish, and to end without a traceback."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import TYPE_CHECKING, ClassVar

from textual import constants, events
from textual.app import App
from textual.driver import Driver
from textual.message import Message
from textual.message_pump import MessagePump

from ftbuild.tui.terminal import crash
from ftbuild.tui.terminal.detect import Terminal

if TYPE_CHECKING:
    from textual._path import CSSPathType

LOST_KEY_S = 0.5
"""How long a key may take until the next one is passed on regardless."""


class KeyTaken(Message):
    """Follows a key through the widgets: when it is back at the app, the key has had its effect."""

    def __init__(self, target: MessagePump, *, again: bool) -> None:
        super().__init__()
        self.target = target
        self.again = again


class TerminalApp(App[None]):
    """Base of the app: takes our driver, keeps edits on a hang-up and on a crash, takes keys one by one.

    Override `keep_edits`. Run it with `ftbuild.tui.terminal.run`.
    """

    DEFAULT_TERMINAL: ClassVar[Terminal] = Terminal()

    def __init__(self, css_path: CSSPathType | None = None) -> None:
        self.terminal = self.DEFAULT_TERMINAL
        self.crash_line: str | None = None
        self._leaving = False
        self._typed: deque[events.Key | events.Paste] = deque()
        self._awaited: KeyTaken | None = None
        super().__init__(css_path=css_path)

    def keep_edits(self) -> None:
        """Flush the journal, so that no edit is lost. Called on a hang-up or a crash, at most once."""

    def hang_up(self, return_code: int) -> None:
        """Keep the edits and leave in good order: a signal asks for it, or the terminal has vanished."""
        if not self._leaving:
            self._keep_edits_once()
            self.exit(return_code=return_code)

    def redraw(self) -> None:
        """Draw the whole screen anew, as after something else has written over it."""
        if (forget := getattr(self._driver, "forget_picture", None)) is not None:
            forget()
        self.refresh(layout=True)

    def crashed(self, error: BaseException) -> None:
        """Keep the edits and note the first error for the line that is printed at the end."""
        if self.crash_line is None:
            self.crash_line = crash.report(error)
            self._keep_edits_once()

    def get_driver_class(self) -> type[Driver]:
        """Return our driver, where Textual would take its own for this platform."""
        if constants.DRIVER or sys.platform == "win32":
            return super().get_driver_class()
        from ftbuild.tui.terminal.driver import TerminalDriver

        return TerminalDriver

    def _keep_edits_once(self) -> None:
        if self._leaving:
            return
        self._leaving = True
        try:
            self.keep_edits()
        except Exception as error:  # whatever is wrong with the journal, the terminal must still be restored
            self.crashed(error)

    def _handle_exception(self, error: Exception) -> None:
        """End the app without Textual's traceback, which shows local values; tests keep it."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        self.crashed(error)
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    # Keys in order. Textual passes each key at once to the widget that has the focus at that moment. When
    # keys arrive together, as they do over a slow link, a digit typed after Tab would reach the field that
    # Tab is about to leave.

    async def on_event(self, event: events.Event) -> None:
        """Pass a key on when the one before has had its effect, so that it meets the focus it is for."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._typed.append(event)
            if self._awaited is None:
                await self._take_typed()
        else:
            await super().on_event(event)

    async def on_key_taken(self, message: KeyTaken) -> None:
        """Pass the next key on; before that, let what the last key's widget announced arrive as well."""
        message.stop()
        if message is not self._awaited:
            return
        if not (self._typed and message.again and self._await_taken(message.target, again=False)):
            await self._take_typed()

    async def _take_typed(self) -> None:
        self._awaited = None
        while self._typed and self._awaited is None:
            event = self._typed.popleft()
            target = self.focused or self.screen
            await super().on_event(event)
            if event.is_forwarded:
                self._await_taken(target, again=True)

    def _await_taken(self, target: MessagePump, *, again: bool) -> bool:
        """Send a message after the key; say whether it can come back."""
        taken = KeyTaken(target, again=again)
        if not target.post_message(taken):
            return False
        self._awaited = taken
        asyncio.get_running_loop().call_later(LOST_KEY_S, self._give_up, taken)
        return True

    def _give_up(self, taken: KeyTaken) -> None:
        """Go on without a message that got lost, as with a widget that was removed meanwhile."""
        if self._awaited is taken:
            self.call_later(self._take_typed)
