"""Screens that repaint only what differs."""

from __future__ import annotations

from textual.reactive import Reactive
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget


class QuietScreen(Screen[ScreenResultType]):
    """A screen on which moving the focus does not repaint everything.

    Textual declares `focused` as a reactive that repaints: each Tab sends the whole screen, 12 to 22 kB.
    The widgets that lose and gain the focus repaint themselves, so nothing else is needed. The byte counts
    in tests/pty fail if an update of Textual brings the repaint back.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)


class QuietModalScreen(ModalScreen[ScreenResultType]):
    """The same for dialogs."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
