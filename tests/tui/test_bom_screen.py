"""The bill of materials on screen: prices land in the build, the bill lands in a file."""

import json

import pytest
from textual.widgets import DataTable, Input, Static

from ftbuild import files
from ftbuild.catalog import load_catalog
from ftbuild.tui.dialogs.bom import BomScreen
from ftbuild.tui.editor import Editor
from ftbuild.tui.terminal.app import TerminalApp

BUILD = """
ftbuild = 1
name = "[/b] two cards"

[workload]
model = "llama-3.1-8b"

[hardware]
gpu = "rtx-4090-24gb"
gpus_per_node = 2
cpu = "amd-ryzen-9-9950x"
ram = "128GB"
"""


@pytest.fixture(name="editor")
def fixture_editor():
    return Editor(files.loads(BUILD, "two.toml"))


async def opened(app, pilot, editor):
    screen = BomScreen(editor, load_catalog())
    await app.push_screen(screen)
    await pilot.pause()
    return screen


def text(screen, name):
    return str(screen.query_one(name, Static).render())


def place(screen, part):
    return screen.query_one(DataTable).get_row_index(part)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_every_part_has_a_row_and_the_totals_stand_below(editor, size):
    app = TerminalApp()
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot, editor)
        row = screen.query_one(DataTable).get_row("rtx-4090-24gb")
        assert [str(cell) for cell in row[1:2]] == ["2"]
        assert "Total: at least" in text(screen, "#bom-totals")


async def test_an_edited_price_is_one_undoable_change_of_the_build(editor):
    app = TerminalApp()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(app, pilot, editor)
        screen.query_one(DataTable).move_cursor(row=place(screen, "rtx-4090-24gb"))
        await pilot.press("enter")
        screen.query_one(Input).value = "1,750"
        await pilot.press("enter")
        assert editor.build.cost.price == {"rtx-4090-24gb": 1750}
        assert "$3,500" in [str(cell) for cell in screen.query_one(DataTable).get_row("rtx-4090-24gb")]
        assert screen.focused is screen.query_one(DataTable)
        editor.undo()
        assert editor.build.cost.price == {}


async def test_a_price_that_is_none_is_refused_and_nothing_changes(editor):
    app = TerminalApp()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(app, pilot, editor)
        await pilot.press("enter")
        screen.query_one(Input).value = "cheap"
        await pilot.press("enter")
        assert "not accepted" in text(screen, "#bom-totals")
        assert editor.build.cost.price == {}
        assert not editor.pending


async def test_the_bill_is_written_where_asked_and_never_over_a_file(editor, tmp_path):
    app = TerminalApp()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(app, pilot, editor)
        for name in ("bill.json", "bill.json", "bill.doc"):
            await pilot.press("x")
            screen.query_one(Input).value = str(tmp_path / name)
            await pilot.press("enter")
            await pilot.pause()
            if name == "bill.doc":
                assert ".csv or .md or .json" in text(screen, "#bom-totals")
    written = json.loads((tmp_path / "bill.json").read_text())
    assert written["build"] == "[/b] two cards"


async def test_escape_leaves_the_input_first_and_then_the_bill(editor):
    app = TerminalApp()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(app, pilot, editor)
        await pilot.press("x", "escape")
        assert app.screen is screen
        await pilot.press("escape")
        assert app.screen is not screen
