"""What real terminals do to a program: bad bytes, hang-ups, stalls, strange sizes."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from signal import SIGCONT, SIGHUP, SIGINT, SIGSTOP, SIGTERM, SIGTSTP, Signals

import pytest

from tests.pty.conftest import LAST_LINE
from tests.pty.terminal import Terminal

Start = Callable[..., Terminal]


def test_bytes_that_are_no_text_do_not_end_the_app(running: Terminal) -> None:
    for junk in (b"\xe9", b"\xff", b"\xc3", b"\xf0\x9f", b"\x00", b"\x1b[", b"\x9b\x84\xfe"):
        running.send(junk)
        running.settle(0.15)
    running.send("\t7")
    running.wait_for("field 2: 7")


def test_a_character_cut_in_two_arrives_whole(running: Terminal) -> None:
    running.send(b"\xc3")
    running.settle()
    running.send(b"\xa9")
    running.wait_for("field 1: é")


def test_keys_that_arrive_together_reach_the_fields_they_were_meant_for(running: Terminal) -> None:
    running.send("4\t7\t\t89\x1b[Z1\x1b[200~paste\x1b[201~\t2")
    screen = running.wait_for("field 4: 892")
    assert "field 1: 4\nfield 2: 7\nfield 3: 5 pasted\n" in screen


def test_a_latin_1_terminal_is_read_and_drawn_in_latin_1(sample: Start) -> None:
    terminal = sample(env={"LC_ALL": "de_DE.ISO-8859-1"})
    terminal.wait_for(LAST_LINE)
    mark = terminal.mark()
    terminal.send(b"\xe9")
    terminal.settle()
    assert b"field 1: \xe9" in terminal.bytes_since(mark)


def test_mouse_reports_in_the_old_form_work_past_column_95(sample: Start) -> None:
    terminal = sample(size=(160, 24))
    terminal.wait_for(LAST_LINE)
    x, y = 120, 3
    for button in (0, 3):
        terminal.send(b"\x1b[M" + bytes([32 + button, 33 + x, 33 + y]))
    terminal.wait_for(f"field 4: click {x}")


@pytest.mark.parametrize("number", [SIGHUP, SIGTERM, SIGINT])
def test_a_signal_keeps_the_edits_and_restores_the_terminal(
    running: Terminal, kept: Path, number: Signals
) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    running.signal(number)
    assert running.wait_exit() == 128 + number
    assert kept.read_text() == "42"
    assert running.modes_left_on == []
    assert running.echoes()
    assert "Traceback" not in running.text()


def test_a_signal_while_the_screen_is_made_restores_the_terminal(sample: Start) -> None:
    terminal = sample()
    terminal.wait_for(lambda terminal: b"\x1b[?1049h" in terminal.output)
    terminal.signal(SIGTERM)
    assert terminal.wait_exit() == 128 + SIGTERM
    assert terminal.modes_left_on == []
    assert terminal.echoes()


def test_signals_do_what_they_did_before_once_the_app_has_left(sample: Start) -> None:
    terminal = sample("--signals")
    terminal.wait_for(LAST_LINE)
    terminal.send("\x11")
    assert terminal.wait_exit() == 0
    assert b"changed: []" in terminal.output


def test_a_journal_that_cannot_be_written_does_not_keep_the_terminal(sample: Start, kept: Path) -> None:
    kept.mkdir()
    terminal = sample()
    terminal.wait_for(LAST_LINE)
    terminal.signal(SIGTERM)
    assert terminal.wait_exit() == 128 + SIGTERM
    assert terminal.modes_left_on == []
    assert b"an unexpected error ended the screen (IsADirectoryError" in terminal.output
    assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("ignored", [(), (SIGHUP,)])
def test_a_vanished_terminal_ends_the_app_with_its_edits(
    sample: Start, kept: Path, ignored: tuple[int, ...]
) -> None:
    terminal = sample(ignore=ignored)
    terminal.wait_for(LAST_LINE)
    terminal.send("42")
    terminal.wait_for("field 1: 42")
    terminal.vanish()
    assert terminal.wait_exit() == 128 + SIGHUP
    assert kept.read_text() == "42"


def test_a_signal_ends_the_app_on_a_terminal_that_takes_no_output(running: Terminal, kept: Path) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    running.stall()
    running.signal(SIGTERM)
    assert running.wait_exit_unread() == 128 + SIGTERM
    assert kept.read_text().startswith("42")


def test_suspending_gives_the_terminal_back_and_continuing_paints_again(running: Terminal) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    running.signal(SIGTSTP)
    running.wait_stopped()
    running.settle()
    assert running.modes_left_on == []
    assert running.echoes()
    mark = running.mark()
    running.signal(SIGCONT)
    running.wait_for(lambda terminal: b"field 1: 42" in terminal.bytes_since(mark))
    running.send("7")
    running.wait_for("field 1: 427")


def test_a_large_paste_arrives_whole(running: Terminal) -> None:
    running.send(b"\x1b[200~" + b"0123456789abcdef\n" * (200_000 // 17) + b"\x1b[201~")
    running.wait_for("field 1: 199988 pasted")


@pytest.mark.parametrize("size", [(1, 1), (0, 0), (2, 24), (80, 1)])
def test_any_size_is_survived(sample: Start, size: tuple[int, int]) -> None:
    terminal = sample(size=size)
    terminal.wait_for(lambda terminal: b"\x1b[?1049h" in terminal.output)
    terminal.settle()
    assert not terminal.ended
    terminal.resize(80, 24)
    terminal.wait_for(LAST_LINE)


def test_a_small_terminal_says_what_is_needed_until_it_is_enlarged(running: Terminal) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    running.resize(45, 12)
    assert "needs 60x20, has 45x12" in running.wait_for("has 45x12")
    running.send("9\t8")
    running.settle()
    assert "field" not in running.text()
    running.resize(80, 24)
    screen = running.wait_for(LAST_LINE)
    assert "field 1: 42\nfield 2:\n" in screen
    assert "needs" not in screen
    running.send("7")
    running.wait_for("field 1: 427")


def test_a_small_terminal_can_be_left_by_key(running: Terminal, kept: Path) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    running.resize(45, 12)
    running.wait_for("has 45x12")
    running.send("\x11")
    assert running.wait_exit() == 0
    assert kept.read_text() == "42"
    assert running.modes_left_on == []


def test_sizes_told_in_band_count_too_and_all_modes_are_put_back(running: Terminal) -> None:
    running.send("\x1b[?2048;2$y")
    running.wait_for(lambda terminal: b"\x1b[?1016h" in terminal.output)
    running.send("\x1b[48;12;45;240;450t")
    running.wait_for("has 45x12")
    running.send("\x1b[48;24;80;480;800t")
    running.wait_for(LAST_LINE)
    running.send("7")
    running.wait_for("field 1: 7")
    running.send("\x11")
    assert running.wait_exit() == 0
    assert running.modes_left_on == []


def test_a_process_that_was_stopped_outright_goes_on_and_can_leave(running: Terminal) -> None:
    running.signal(SIGSTOP)
    running.wait_stopped()
    running.signal(SIGCONT)
    running.send("42")
    running.wait_for("field 1: 42")
    running.send("\x11")
    assert running.wait_exit() == 0
    assert running.modes_left_on == []


def test_a_size_that_changes_and_changes_back_unseen_is_painted_again(running: Terminal) -> None:
    running.signal(SIGSTOP)
    running.wait_stopped()
    running.resize(90, 30)
    running.resize(80, 24)
    running.screen_buffer.reset()
    mark = running.mark()
    running.signal(SIGCONT)
    running.wait_for(lambda terminal: b"field 9:" in terminal.bytes_since(mark))


def test_a_storm_of_sizes_ends_in_the_last_one(running: Terminal) -> None:
    for step in range(40):
        running.resize(40 + 3 * step, 10 + step)
        running.pump()
    running.resize(100, 30)
    running.settle()
    running.send("7")
    running.wait_for("field 1: 7")
    assert "needs" not in running.text()
    assert LAST_LINE in running.text()


def test_an_error_ends_the_app_with_one_line_and_a_private_log(
    running: Terminal, kept: Path, tmp_path: Path
) -> None:
    running.send("42")
    running.wait_for("field 1: 42")
    mark = running.mark()
    running.send("!")
    assert running.wait_exit() == 1
    said = running.bytes_since(mark)
    assert kept.read_text() == "42"
    assert running.modes_left_on == []
    assert b"Traceback" not in said
    assert b"\x1b]52" not in said
    assert b"an unexpected error ended the screen (ValueError: asked to \\x1b]52" in said
    (log,) = (tmp_path / "state" / "ftbuild").glob("crash-*.log")
    assert str(log).encode() in said
    assert "ValueError" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
