"""An app on a build, driven by keys, with its state in a folder of the test's own."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from ftbuild.tui.app import FtbuildApp
from ftbuild.tui.desk import Desk
from ftbuild.tui.session import Session
from ftbuild.tui.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
NARROW, WIDE = (80, 24), (160, 48)


def preset(folder: Path, name: str = "mid-size-team") -> Path:
    """Return a copy of a preset that a test may write to."""
    return Path(shutil.copy(ROOT / "presets" / f"{name}.toml", folder / f"{name}.toml"))


@asynccontextmanager
async def running(
    path: Path | None, state: Path, size: tuple[int, int] = NARROW, terminal: Terminal | None = None
) -> AsyncIterator[tuple[FtbuildApp, Pilot[None]]]:
    """Run the app until the engine has spoken."""
    app = FtbuildApp(path, Session(state))
    if terminal is not None:
        app.terminal = terminal
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield app, pilot


async def settled(pilot: Pilot[None]) -> None:
    """Wait for workers and for what they announce."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def desk_of(app: FtbuildApp) -> Desk:
    """Return the desk that is shown."""
    assert isinstance(app.screen, Desk)
    return app.screen


def picture(app: FtbuildApp) -> list[str]:
    """Return the lines of the screen as they are composed."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]
