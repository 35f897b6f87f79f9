"""The table of commands in the command palette. Imported when the palette opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from ftbuild.tui.commands import COMMANDS, Command, key_name

if TYPE_CHECKING:
    from ftbuild.tui.desk import Desk


class DeskCommands(Provider):
    """The table in the command palette, each with its key and why it does not apply, where it does not."""

    async def discover(self) -> Hits:
        """List every command."""
        for command in COMMANDS:
            yield DiscoveryHit(
                self._title(command), self._runner(command), command.title, self._about(command)
            )

    async def search(self, query: str) -> Hits:
        """List the commands that match."""
        matcher = self.matcher(query)
        for command in COMMANDS:
            score = matcher.match(f"{command.title} {command.help}")
            if score > 0:
                title = matcher.highlight(self._title(command))
                yield Hit(score, title, self._runner(command), command.title, self._about(command))

    def _title(self, command: Command) -> str:
        keys = ", ".join(map(key_name, command.keys))
        return f"{command.title}  ({keys})" if keys else command.title

    def _about(self, command: Command) -> str:
        desk = self._desk
        reason = command.reason(desk) if desk else ""
        return f"Not now: {reason}" if reason else command.help

    @property
    def _desk(self) -> Desk | None:
        from ftbuild.tui.desk import Desk

        return self.screen if isinstance(self.screen, Desk) else None

    def _runner(self, command: Command) -> Callable[[], None]:
        def run() -> None:
            if self._desk is not None:
                self._desk.command(command.id)

        return run
