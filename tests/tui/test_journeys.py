"""What people do, by keys: at the size of a small terminal and of a large one."""

from __future__ import annotations

import pytest

from ftbuild import files
from ftbuild.build import BuildError
from ftbuild.tui.bom import BomScreen
from ftbuild.tui.desk import Desk
from ftbuild.tui.dialogs.ask import Ask
from ftbuild.tui.dialogs.page import Page
from ftbuild.tui.dialogs.path import PathDialog
from ftbuild.tui.dialogs.picker import Picker
from ftbuild.tui.dialogs.prompt import Prompt
from ftbuild.tui.start import StartScreen
from tests.tui.support import NARROW, WIDE, desk_of, picture, preset, running, settled

MICRO, SEQUENCE, COUNT = "workload.micro_batch", "workload.sequence_length", "hardware.gpus_per_node"
SIZES = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "160x48"])


def violated(desk: Desk) -> set[str]:
    report = desk.editor.report
    assert report is not None, desk.editor.trouble
    return {finding.rule.id for finding in report.findings if finding.severity.word == "violation"}


@SIZES
async def test_a_violation_appears_while_typing_and_clears_again(tmp_path, size):
    async with running(preset(tmp_path), tmp_path, size) as (app, pilot):
        desk = desk_of(app)
        assert "vram.fits" not in violated(desk)
        desk.go_to(MICRO)
        await pilot.press("6", "4")
        assert "vram.fits" in violated(desk) and "violation" in "\n".join(picture(app)[:2])
        assert desk.editor.editing == MICRO
        await pilot.press("escape")
        assert "vram.fits" not in violated(desk) and desk.editor.text(MICRO) == "1"


@SIZES
async def test_a_changed_gpu_count_is_saved_undone_and_read_back_equal(tmp_path, size):
    path = preset(tmp_path)
    async with running(path, tmp_path, size) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(COUNT)
        await pilot.press("8", "enter")
        assert desk.editor.build.hardware.gpus_per_node == 8
        assert "*" in picture(app)[0]
        await pilot.press("ctrl+z")
        assert not desk.editor.dirty and "undone: gpus / node 4 -> 8" in picture(app)[-2]
        await pilot.press("ctrl+y", "ctrl+s")
        assert not desk.editor.dirty
        assert files.load(path).build == desk.editor.build
        assert files.load(path).build.hardware.gpus_per_node == 8


@SIZES
async def test_a_preset_opens_from_the_start_page_and_is_saved_under_a_new_name(tmp_path, size):
    async with running(None, tmp_path, size) as (app, pilot):
        assert isinstance(app.screen, StartScreen)
        await pilot.press("down", "enter")
        await settled(pilot)
        desk = desk_of(app)
        assert desk.editor.path is None and desk.editor.report is not None
        await pilot.press("ctrl+s")
        assert isinstance(app.screen, PathDialog)
        app.screen.query_one("Input").value = str(tmp_path / "own.toml")  # type: ignore[attr-defined]  # an Input
        await pilot.press("enter")
        assert files.load(tmp_path / "own.toml").build == desk.editor.build
        assert desk.editor.path == tmp_path / "own.toml"


@SIZES
async def test_the_bill_is_shown_priced_by_hand_and_exported(tmp_path, size):
    path = preset(tmp_path)
    async with running(path, tmp_path, size) as (app, pilot):
        await pilot.press("f2")
        await pilot.pause()
        assert isinstance(app.screen, BomScreen) and app.screen.bill is not None
        assert "Total" in "\n".join(picture(app))
        await pilot.press("enter")
        assert isinstance(app.screen, Prompt)
        app.screen.query_one("Input").value = "20k"  # type: ignore[attr-defined]  # an Input
        await pilot.press("enter", "x")
        assert isinstance(app.screen, PathDialog)
        await pilot.press("enter")
        await pilot.press("escape")
        desk = desk_of(app)
        assert list(desk.editor.build.cost.price.values()) == [20_000.0]
        assert "20000" in (tmp_path / "mid-size-team-bom.csv").read_text()
        await pilot.press("ctrl+z")
        assert not desk.editor.dirty


async def test_a_gpu_is_picked_by_typing_a_part_of_its_name(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to("hardware.gpu")
        await pilot.press("h", "2", "0", "0")
        await pilot.pause()
        assert isinstance(app.screen, Picker)
        assert "141 GiB" in "\n".join(picture(app))
        await pilot.press("enter")
        assert desk.editor.build.hardware.gpu == "h200-sxm-141gb"


async def test_text_that_is_no_value_is_kept_and_what_is_accepted_is_said(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(SEQUENCE)
        await pilot.press("8", "k", "q", "tab")
        assert desk.editor.text(SEQUENCE) == "8kq"
        assert desk.editor.build.workload.sequence_length == 8192
        await pilot.press("shift+tab")
        assert "not in force" in picture(app)[-2] and "16,777,216" in picture(app)[-2]


async def test_values_step_with_plus_and_minus_in_one_step_of_undo(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(SEQUENCE)
        await pilot.press("plus", "plus", "minus")
        assert desk.editor.build.workload.sequence_length == 8192
        await pilot.press("tab")
        assert [step.label for step in desk.editor.history.done] == ["sequence 4096 -> 8192"]


async def test_a_field_is_edited_in_place_with_a_caret(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(SEQUENCE)
        await pilot.press("enter", "home", "delete", "2", "enter")
        assert desk.editor.build.workload.sequence_length == 2096
        assert desk.focused is not desk.field(SEQUENCE)


async def test_enter_on_a_finding_goes_to_the_field_to_blame_and_e_explains_it(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(MICRO, "64")
        await pilot.press("f9", "e")
        assert isinstance(app.screen, Page)
        await pilot.press("escape")
        desk.findings.cursor = [entry.id for entry in desk.findings.entries].index("vram.fits")
        await pilot.press("enter")
        assert desk.focused is desk.field(MICRO)


async def test_findings_keep_their_order_while_a_value_is_typed(tmp_path):
    async with running(preset(tmp_path), tmp_path, WIDE) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(MICRO)
        before = [entry.id for entry in desk.findings.entries]
        await pilot.press("6", "4")
        after = [entry.id for entry in desk.findings.entries]
        assert "vram.fits" in after
        assert [name for name in after if name in before] == [name for name in before if name in after]
        await pilot.press("enter")
        assert desk.findings.entries[0].content.plain.startswith("x violation")


async def test_quitting_asks_only_where_edits_would_be_lost(tmp_path):
    path = preset(tmp_path)
    async with running(path, tmp_path) as (app, pilot):
        desk_of(app).editor.set(MICRO, "2")
        await pilot.press("ctrl+q")
        assert isinstance(app.screen, Ask) and "Micro batch: 1 -> 2" in "\n".join(picture(app))
        await pilot.press("escape")
        assert desk_of(app).editor.dirty
        await pilot.press("ctrl+q", "s")
        await pilot.pause()
    assert app.return_code == 0 and files.load(path).build.workload.micro_batch == 2


async def test_unsaved_edits_of_an_ended_run_are_offered(tmp_path, monkeypatch):
    path = preset(tmp_path)
    async with running(path, tmp_path) as (app, _pilot):
        desk_of(app).editor.set(MICRO, "2")
        app.keep_edits()
    monkeypatch.setattr("ftbuild.journal.Entry.abandoned", property(lambda entry: True))
    async with running(path, tmp_path) as (app, pilot):
        assert isinstance(app.screen, Ask)
        await pilot.press("r")
        await settled(pilot)
        assert desk_of(app).editor.build.workload.micro_batch == 2 and desk_of(app).editor.dirty


async def test_a_name_of_markup_or_escapes_is_shown_as_it_is(tmp_path):
    path = preset(tmp_path)
    path.write_text(path.read_text().replace('name = "Mid-size team"', 'name = "[/b][red]x"'))
    async with running(path, tmp_path, WIDE) as (app, pilot):
        assert "[/b][red]x" in "\n".join(picture(app))
        await pilot.press("f2")
        await pilot.pause()
        assert "[/b][red]x" in picture(app)[0]
        await pilot.press("escape", "f1")
        assert "[/b][red]x" in "\n".join(picture(app))


async def test_a_file_that_cannot_be_read_leaves_the_start_page(tmp_path):
    with pytest.raises(BuildError):
        files.load(tmp_path / "none.toml")
    async with running(tmp_path / "none.toml", tmp_path) as (app, _pilot):
        assert isinstance(app.screen, StartScreen)


async def test_every_command_opens_from_the_palette_or_says_why_not(tmp_path):
    from ftbuild.tui.commands import COMMANDS

    async with running(preset(tmp_path), tmp_path, WIDE) as (app, pilot):
        desk = desk_of(app)
        for command in COMMANDS:
            if command.id in ("quit", "suspend", "start", "palette"):
                continue
            desk.command(command.id)
            await pilot.pause()
            while app.screen is not desk:
                app.screen.dismiss(None)
                await pilot.pause()


async def test_resizing_shows_one_pane_or_all(tmp_path):
    async with running(preset(tmp_path), tmp_path, WIDE) as (app, pilot):
        assert sum(pane.display for pane in desk_of(app).panes.values()) == 4
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert sum(pane.display for pane in desk_of(app).panes.values()) == 1
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert all(len(line) <= 60 for line in picture(app))


async def test_a_limit_of_the_users_own_is_set_on_its_finding(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        await pilot.press("f9")
        rule = desk.findings.current
        await pilot.press("l")
        assert isinstance(app.screen, Prompt)
        app.screen.query_one("Input").value = "nonsense"  # type: ignore[attr-defined]  # an Input
        await pilot.press("enter")
        assert desk.editor.build.limits == {} and not desk.editor.pending
        desk.editor.set(f"limits.{rule}", "1e6")
        assert desk.editor.build.limits != {}


async def test_what_was_picked_last_stands_first_in_the_list(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to("hardware.gpu")
        await pilot.press("h", "2", "0", "0", "enter")
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen.query_one("#options").entries[0].id == "h200-sxm-141gb"  # type: ignore[attr-defined]  # Lines


async def test_a_fix_is_found_applied_and_taken_back_in_one_step(tmp_path):
    async with running(preset(tmp_path), tmp_path, WIDE) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(MICRO, "64")
        await pilot.press("f9")
        desk.findings.cursor = [entry.id for entry in desk.findings.entries].index("vram.fits")
        await pilot.press("f")
        await settled(pilot)
        assert isinstance(app.screen, Picker) and app.screen.found
        await pilot.press("enter")
        assert "vram.fits" not in violated(desk)
        await pilot.press("ctrl+z")
        assert "vram.fits" in violated(desk) and desk.editor.build.workload.micro_batch == 64


async def test_the_end_keys_go_to_the_ends_of_a_pane_and_tabs_can_be_clicked(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        await pilot.press("f6", "end")
        assert desk.focused is desk.panes["hardware"].fields[-1]
        await pilot.press("home")
        assert desk.focused is desk.panes["hardware"].first
        await pilot.click("#tabs", offset=(4, 0))
        assert desk.focused is desk.panes["workload"].first


async def test_without_colours_the_cursor_of_a_list_is_reversed(tmp_path):
    from ftbuild.tui.terminal import Terminal

    plain = Terminal(color="none", ansi_theme=True)
    async with running(preset(tmp_path), tmp_path, WIDE, plain) as (app, pilot):
        desk = desk_of(app)
        await pilot.press("f9")
        await pilot.pause()
        assert any(segment.style and segment.style.reverse for segment in desk.findings.render_line(0))


async def test_a_value_that_is_still_being_typed_is_kept_for_recovery(tmp_path, monkeypatch):
    monkeypatch.setattr("ftbuild.tui.desk.KEPT_AFTER_S", 0.01)
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(SEQUENCE)
        await pilot.press("8", "k", "q")
        await pilot.pause(0.1)
        await settled(pilot)
        assert desk.editor.editing == SEQUENCE
        assert app.session.journal.entries()[0].pending == {SEQUENCE: "8kq"}


async def test_a_save_on_the_way_to_another_file_goes_on_after_the_overwrite(tmp_path):
    path = preset(tmp_path)
    other = preset(tmp_path, "solo-founder")
    async with running(path, tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(MICRO, "2")
        path.write_text(path.read_text() + "\n# newer\n")
        desk.leave_for(lambda: desk.open_path(other))
        await pilot.press("s", "o")
        await settled(pilot)
        assert desk_of(app).editor.path == other
        assert files.load(path).build.workload.micro_batch == 2


async def test_a_file_that_changed_can_be_loaded_again(tmp_path):
    path = preset(tmp_path)
    async with running(path, tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(MICRO, "2")
        files.save(path, files.load(path).build, force=True)
        path.write_text(path.read_text() + "\n# newer\n")
        await pilot.press("ctrl+s", "r")
        await settled(pilot)
        assert desk_of(app) is not desk and not desk_of(app).editor.dirty
        assert not app.session.journal.entries()


async def test_text_that_is_not_in_force_is_counted_and_named_on_leaving(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(SEQUENCE, "8kq")
        desk.editor.set(MICRO, "2")
        await pilot.press("ctrl+s")
        assert "1 not in force" in picture(app)[0]
        await pilot.press("ctrl+q")
        assert isinstance(app.screen, Ask)
        assert any("8kq" in line for line in app.screen.lines)
        assert "save" not in [choice.answer for choice in app.screen.choices]


def seen(desk):
    """Whether all of the field that has the focus is on screen."""
    return desk.focused is not None and desk.screen.can_view_entire(desk.focused)


async def test_page_keys_while_typing_take_the_focus_along(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(MICRO)
        before = desk.focused
        await pilot.press("2", "pagedown")
        assert desk.editor.build.workload.micro_batch == 2
        assert desk.focused is not before and seen(desk)


async def test_a_key_on_a_field_that_was_scrolled_away_brings_it_back(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.panes["workload"].scroll_end(animate=False, immediate=True)
        await pilot.pause()
        assert not seen(desk)
        await pilot.press("2")
        await pilot.pause()
        assert seen(desk)


@pytest.mark.parametrize("key", ["hardware.gpu", "power.psu", "workload.method"])
async def test_taking_what_a_list_starts_on_changes_nothing(tmp_path, key):
    async with running(preset(tmp_path, "a100-node"), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to(key)
        await pilot.press("enter" if key != "power.psu" else "space")
        await pilot.pause()
        assert isinstance(app.screen, Picker)
        assert app.screen.query_one("#options").current == app.screen.current  # type: ignore[attr-defined]  # Lines
        await pilot.press("enter")
        after: object = app.screen
        assert after is desk and not desk.editor.dirty


async def test_a_proposed_name_is_replaced_by_typing_and_a_wrong_ending_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        await pilot.press("f2", "x")
        await pilot.press(*"bill.doc", "enter")
        assert isinstance(app.screen, PathDialog) and "must end in" in "\n".join(picture(app))
        await pilot.press(*["backspace"] * 3, *"csv", "enter")
        assert (tmp_path / "bill.csv").exists()


async def test_a_narrow_bill_shows_what_each_row_comes_to(tmp_path):
    async with running(preset(tmp_path), tmp_path, (60, 20)) as (app, pilot):
        await pilot.press("f2")
        await pilot.pause()
        heads = picture(app)[1]
        assert "Extended" in heads and "Unit price" not in heads
        assert isinstance(app.screen, BomScreen) and app.screen.bill is not None
        await pilot.press("enter")
        assert f"Price of one {app.screen_stack[-2].bill.rows[0].title}, USD" in "\n".join(picture(app))  # type: ignore[attr-defined]  # the bill's screen


async def test_the_strip_follows_the_finding_that_was_gone_to(tmp_path):
    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.editor.set(MICRO, "64")
        await pilot.press("f3", "f3")
        assert desk.visited in picture(app)[-3]


async def test_a_sum_with_parts_of_unknown_price_is_a_floor(tmp_path):
    async with running(preset(tmp_path, "solo-founder"), tmp_path, WIDE) as (app, _pilot):
        line = next(line for line in picture(app) if "Hardware  " in line and "$" in line)
        assert "at least $" in line and "+ ok" not in line.rpartition("at least $")[2]


async def test_what_cannot_be_cleared_says_so_and_a_paste_says_what_it_dropped(tmp_path):
    from textual.events import Paste

    async with running(preset(tmp_path), tmp_path) as (app, pilot):
        desk = desk_of(app)
        desk.go_to("hardware.gpu")
        await pilot.press("delete")
        assert "cannot be cleared" in picture(app)[-2]
        desk.go_to(SEQUENCE)
        app.post_message(Paste("8k\nand\nmore"))
        await pilot.pause()
        await pilot.pause()
        assert desk.editor.build.workload.sequence_length == 8192 and "2 more" in picture(app)[-2]


async def test_a_new_build_opens_from_the_start_page(tmp_path):
    async with running(None, tmp_path) as (app, pilot):
        assert "Drop" not in "\n".join(picture(app))
        await pilot.press("enter")
        await settled(pilot)
        desk = desk_of(app)
        assert desk.editor.path is None and desk.editor.report is not None, desk.editor.trouble


async def test_without_colours_the_command_that_is_chosen_shows(tmp_path, monkeypatch):
    from ftbuild.tui.terminal import Terminal

    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal(color="none", ansi_theme=True)
    async with running(preset(tmp_path), tmp_path, WIDE, plain) as (app, pilot):
        await pilot.press("ctrl+p")
        await pilot.pause(0.2)
        rows = app.screen.query_one("CommandList")
        chosen = [segment for segment in rows.render_line(0) if segment.text.strip()]
        others = [segment for segment in rows.render_line(2) if segment.text.strip()]
        assert all(segment.style and segment.style.underline for segment in chosen) and chosen
        assert not any(segment.style and segment.style.underline for segment in others)
