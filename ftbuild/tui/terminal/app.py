"""What an app needs to live in a terminal that may vanish, and to end without a traceback."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Iterator
from time import monotonic
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

KEY_PATIENCE_S = 2.0
"""How long a key may take until the next one is passed on regardless."""
LOST_S = 0.1
"""When a message that follows a key counts as lost, as in a dialog that has closed."""
QUIET_ROUNDS = 2


class KeyTaken(Message):
    """Follows a key through the widgets: when it is back at the app, they have had the key."""


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
        self._give_up_at = 0.0
        self._quiet = 0
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

    async def _take_typed(self) -> None:
        """Pass on the next key, and follow it."""
        self._awaited = None
        if self._typed:
            event = self._typed.popleft()
            target = self.focused or self.screen
            self._give_up_at = monotonic() + KEY_PATIENCE_S
            self._quiet = 0
            await super().on_event(event)
            # A key that the app itself has taken may have changed the focus, or the screen, by now or soon.
            self._follow(target if event.is_forwarded else self.focused or self.screen)

    async def on_key_taken(self, message: KeyTaken) -> None:
        """Pass the next key on once all is quiet: the last may have closed a dialog or moved the focus."""
        message.stop()
        if message is not self._awaited:
            return
        self._quiet = 0 if any(pump.message_queue_size for pump in self._concerned()) else self._quiet + 1
        if self._quiet >= QUIET_ROUNDS or monotonic() > self._give_up_at:
            await self._take_typed()
        else:
            self._follow(self.focused or self.screen)

    def _concerned(self) -> Iterator[MessagePump]:
        """Yield where a key may still have its effect: the app, its screens, the way from the focus up."""
        yield self
        yield from self.screen_stack
        if self.focused is not None:
            yield from self.focused.ancestors_with_self

    def _follow(self, target: MessagePump) -> None:
        """Send a message after the key."""
        self._awaited = taken = KeyTaken()
        target.post_message(taken)
        asyncio.get_running_loop().call_later(LOST_S, self._look_for, taken)

    def _look_for(self, taken: KeyTaken) -> None:
        """Go on without a message that got lost."""
        if self._awaited is taken and self.is_running:
            self.post_message(taken)
