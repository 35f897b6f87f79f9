"""Screens as text: a change of layout shows in the diff of a golden file (`python -m tests.screens`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import ColorType

from tests.screens.cases import CASES, drawn

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", CASES)
async def test_a_screen_looks_as_its_golden_file(name, tmp_path):
    _, text = await drawn(name, tmp_path)
    width, height = CASES[name].size
    assert text == (GOLDEN / f"{name}.txt").read_text()
    assert text.count("\n") == height and max(map(len, text.splitlines())) <= width


async def test_sixteen_colours_are_the_terminals_own_and_ascii_is_ascii(tmp_path):
    app, text = await drawn("ascii-120x36", tmp_path)
    assert app.theme == "ansi-dark"
    frame = [line for line in text.splitlines() if "F5" in line or "VRAM / GPU" in line]
    assert all(line.isascii() for line in frame)


async def test_no_colour_of_the_ansi_theme_is_beyond_sixteen(tmp_path):
    from ftbuild.tui.app import FtbuildApp
    from ftbuild.tui.terminal import Terminal
    from tests.screens.cases import BUILD, FixedSession
    from tests.tui.support import settled

    path = tmp_path / "rig.toml"
    path.write_text(BUILD)
    app = FtbuildApp(path, FixedSession(tmp_path))
    app.terminal = Terminal(color="16", ansi_theme=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        colours = {
            colour.type
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour
        }
    assert ColorType.TRUECOLOR not in colours
