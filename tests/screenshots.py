"""Pictures of the running app for the README: ``python -m tests.screenshots`` draws, ``--check`` compares.

The app is driven by keys on the shipped presets, so a picture shows what a user sees. Fonts are not fetched
from anywhere: the picture takes the reader's own monospace font.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ftbuild.tui.app import FtbuildApp
from ftbuild.tui.session import Session
from tests.tui.support import ROOT, settled

FOLDER = ROOT / "screenshots"
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: a preset, a size, the keys that lead to it."""

    preset: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    title: str = "ftbuild"


SHOTS: Mapping[str, Shot] = {
    "wide": Shot("mid-size-team", (140, 44), ("f6", "down")),
    "narrow": Shot("solo-founder", (80, 24), ("f9",)),
    "bom": Shot("solo-founder", (120, 30), ("f2",)),
    "violation": Shot("single-h100-70b-qlora", (120, 36), (*("tab",) * 12, "3", "2")),
}


async def drawn(shot: Shot) -> str:
    """Return one picture as SVG."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"{shot.preset}.toml"
        shutil.copy(ROOT / "presets" / path.name, path)
        app = FtbuildApp(path, Session(Path(folder)))
        async with app.run_test(size=shot.size) as pilot:
            await settled(pilot)
            await pilot.press(*shot.keys)
            await settled(pilot)
            svg = app.export_screenshot(title=shot.title)
    return _FONT_FACE.sub("", svg).replace("Fira Code,", "").strip() + "\n"


async def main(check: bool) -> int:
    """Draw every picture; write those that differ, or name them."""
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, shot in SHOTS.items():
        path, svg = FOLDER / f"{name}.svg", await drawn(shot)
        if not path.exists() or path.read_text("utf-8") != svg:
            stale.append(path.name)
            if not check:
                path.write_text(svg, "utf-8")
    if stale:
        words = "stale, draw them anew with `python -m tests.screenshots`" if check else "drawn anew"
        print(f"{words}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main("--check" in sys.argv[1:])))
