"""What is decided of a terminal before the screen is drawn, and the parts that need no terminal."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ftbuild.tui.terminal import (
    Refusal,
    Streams,
    Terminal,
    TerminalOptions,
    crash,
    prepare,
    size,
    size_message,
)
from ftbuild.tui.terminal.codec import TerminalDecoder
from ftbuild.tui.terminal.colors import Color
from ftbuild.tui.terminal.detect import Switch
from ftbuild.tui.terminal.glyphs import ASCII, GLYPHS

BOTH = Streams(stdin=True, stderr=True)


def decide(
    env: dict[str, str], options: TerminalOptions | None = None, terminfo: int | None = None
) -> Terminal:
    decided = prepare(options, {"TERM": "xterm-256color"} | env, BOTH, lambda term: terminfo)
    assert isinstance(decided, Terminal)
    return decided


# Is there a terminal?


@pytest.mark.parametrize(
    ("env", "streams", "reason"),
    [
        ({"TERM": "dumb"}, BOTH, "TERM=dumb"),
        ({"TERM": "Dumb"}, BOTH, "TERM=Dumb"),
        ({"TERM": "xterm"}, Streams(stdin=False), "standard input"),
        ({"TERM": "xterm"}, Streams(stderr=False), "standard error"),
        ({"TERM": "dumb"}, Streams(stdin=False, stderr=False), "standard input"),
    ],
)
def test_a_refusal_names_the_reason_and_the_way_without_a_screen(
    env: dict[str, str], streams: Streams, reason: str
) -> None:
    refusal = prepare(env=env, streams=streams)
    assert isinstance(refusal, Refusal)
    assert reason in refusal.message
    assert "ftbuild check" in refusal.message
    assert "\n" not in refusal.message


def test_an_unset_term_is_tried_with_sixteen_colours() -> None:
    decided = prepare(env={}, streams=BOTH, colors_of=lambda term: None)
    assert isinstance(decided, Terminal)
    assert decided.color == "16"


# Colours


@pytest.mark.parametrize(
    ("env", "terminfo", "expected"),
    [
        ({}, None, "256"),
        ({"COLORTERM": "truecolor"}, None, "truecolor"),
        ({"COLORTERM": "24bit"}, None, "truecolor"),
        ({"COLORTERM": "yes"}, None, "256"),
        ({"TERM": "alacritty"}, None, "truecolor"),
        ({"TERM": "xterm-ghostty"}, None, "truecolor"),
        ({"TERM": "foot"}, None, "truecolor"),
        ({"TERM": "xterm-kitty"}, None, "truecolor"),
        ({"TERM": "xterm-direct"}, None, "truecolor"),
        ({"TERM": "tmux-256color"}, None, "256"),
        ({"TERM": "xterm"}, 8, "16"),
        ({"TERM": "screen"}, 8, "16"),
        ({"TERM": "linux"}, 8, "16"),
        ({"TERM": "mlterm-new"}, 256, "256"),
        ({"TERM": "mlterm-new"}, 1 << 24, "truecolor"),
        ({"TERM": "never-heard-of"}, None, "16"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, None, "none"),
        ({"NO_COLOR": "", "COLORTERM": "truecolor"}, None, "truecolor"),
    ],
)
def test_colour_depth(env: dict[str, str], terminfo: int | None, expected: str) -> None:
    assert decide(env, terminfo=terminfo).color == expected


@pytest.mark.parametrize("wanted", ["truecolor", "256", "16", "none"])
def test_the_option_wins_over_what_the_environment_tells(wanted: Color) -> None:
    decided = decide({"COLORTERM": "truecolor"}, TerminalOptions(color=wanted))
    assert decided.color == wanted
    assert decided.ansi_theme == (wanted in ("16", "none"))


def test_no_color_reaches_textual_as_an_ansi_theme_and_a_filter() -> None:
    env = {"TEXTUAL_THEME": "nord", "TEXTUAL_COLOR_SYSTEM": "truecolor"}
    decide(env, TerminalOptions(color="none")).apply(env)
    assert env == {"NO_COLOR": "1", "TEXTUAL_THEME": "ansi-dark", "TEXTUAL_COLOR_SYSTEM": "standard"}


def test_an_empty_no_color_which_means_nothing_is_taken_away() -> None:
    env = {"NO_COLOR": ""}
    decide(env).apply(env)
    assert "NO_COLOR" not in env


def test_sixteen_colours_get_the_terminals_own_unless_the_user_has_a_theme() -> None:
    env: dict[str, str] = {}
    decide(env, TerminalOptions(color="16")).apply(env)
    assert env["TEXTUAL_THEME"] == "ansi-dark"
    env = {"TEXTUAL_THEME": "nord"}
    decide(env, TerminalOptions(color="16")).apply(env)
    assert env["TEXTUAL_THEME"] == "nord"


# Links and locales


def test_over_ssh_there_are_fewer_frames_and_no_animations_unless_set() -> None:
    env = {"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22", "TEXTUAL_FPS": "60"}
    decide(env).apply(env)
    assert env["TEXTUAL_FPS"] == "60"
    assert env["TEXTUAL_ANIMATIONS"] == "none"
    assert int(env["ESCDELAY"]) > 100


def test_a_local_terminal_keeps_textuals_own_pace() -> None:
    env: dict[str, str] = {}
    decide(env).apply(env)
    assert not {"TEXTUAL_FPS", "TEXTUAL_ANIMATIONS", "ESCDELAY"} & set(env)


@pytest.mark.parametrize(
    ("env", "encoding"),
    [
        ({}, "utf-8"),
        ({"LC_ALL": "C"}, "utf-8"),
        ({"LANG": "en_GB"}, "utf-8"),
        ({"LANG": "en_GB.UTF-8"}, "utf-8"),
        ({"LANG": "en_GB.utf8"}, "utf-8"),
        ({"LC_ALL": "", "LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "en_GB.UTF-8"}, "iso8859-1"),
        ({"LANG": "de_DE.ISO-8859-15@euro"}, "iso8859-15"),
        ({"LANG": "xx_XX.no-such-set"}, "utf-8"),
        ({"PYTHONIOENCODING": "latin-1"}, "utf-8"),
    ],
)
def test_the_locale_tells_the_terminals_encoding(env: dict[str, str], encoding: str) -> None:
    decided = decide(env)
    assert decided.encoding == encoding
    assert decided.ascii == (encoding != "utf-8")
    assert [encoding in notice for notice in decided.notices] == [True] * (encoding != "utf-8")


@pytest.mark.parametrize(
    ("term", "wanted", "expected"),
    [("linux", "auto", True), ("xterm", "auto", False), ("xterm", "on", True), ("linux", "off", False)],
)
def test_ascii_where_the_font_lacks_the_rest_or_on_request(term: str, wanted: Switch, expected: bool) -> None:
    assert decide({"TERM": term}, TerminalOptions(ascii=wanted)).ascii is expected


def test_the_decisions_need_no_textual() -> None:
    code = "import sys, ftbuild.tui.terminal as t; t.prepare(); print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_terminal_layer_needs_nothing_else_of_the_project() -> None:
    code = (
        "import sys, ftbuild.tui.terminal.session, ftbuild.tui.terminal.screen, ftbuild.tui.terminal.driver;"
        "print([name for name in sys.modules if 'ftbuild' in name and '.terminal' not in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ftbuild', 'ftbuild.tui']"


# Size


def test_the_minimum_size_is_enough_and_one_cell_less_is_not() -> None:
    assert size_message(60, 20) is None
    assert size_message(59, 20) == "needs 60x20, has 59x20"
    assert size_message(60, 19) == "needs 60x20, has 60x19"


@given(st.integers(0, 300), st.integers(0, 100))
def test_the_notice_stays_within_the_cells_there_are(width: int, height: int) -> None:
    lines = size.notice(width, height).split("\x1b[2J")[1].split("\x1b[")[1:]
    assert len(lines) <= height
    assert all(len(line.partition("H")[2]) <= width for line in lines)


# Bytes


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_no_bytes_make_the_decoder_fail(pieces: list[bytes]) -> None:
    decoder = TerminalDecoder()
    for piece in pieces:
        decoder.decode(piece)


@given(st.text(st.characters(exclude_characters="\x1b", exclude_categories=["Cs"])), st.integers(1, 5))
def test_text_arrives_whole_however_it_is_cut(text: str, step: int) -> None:
    data = text.encode()
    decoder = TerminalDecoder()
    assert "".join(decoder.decode(data[at : at + step]) for at in range(0, len(data), step)) == text


@pytest.mark.parametrize(
    ("report", "sgr"),
    [
        (b"\x1b[M\x20\x21\x21", "\x1b[<0;1;1M"),  # left button down
        (b"\x1b[M\x23\xc0\xa5", "\x1b[<0;160;133m"),  # a release, past what UTF-8 could read
        (b"\x1b[M\x60\x30\x30", "\x1b[<64;16;16M"),  # the wheel
        (b"\x1b[M\x43\x30\x30", "\x1b[<35;16;16M"),  # a move with no button
    ],
)
def test_old_mouse_reports_become_text(report: bytes, sgr: str) -> None:
    assert TerminalDecoder().decode(b"a" + report + b"b") == f"a{sgr}b"
    cut = TerminalDecoder()
    assert "".join(cut.decode(piece) for piece in (report[:4], report[4:5], report[5:])) == sgr


# Errors nobody expected


def test_the_line_of_a_crash_is_one_plain_line_with_the_logs_path(tmp_path: Path) -> None:
    line = crash.report(ValueError("bad \x1b[2J\nnews " + "x" * 500), tmp_path / "new")
    (log,) = (tmp_path / "new").iterdir()
    assert line.isprintable()
    assert str(log) in line
    assert len(line) < 400
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700
    assert "ValueError: bad" in log.read_text()


def test_a_state_folder_that_cannot_be_made_does_not_hide_the_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = crash.report(ValueError("bad"), tmp_path / "file" / "state")
    assert "ValueError: bad" in line
    Path(line.partition("details: ")[2]).unlink()


# ASCII


def test_every_glyph_becomes_one_ascii_character_of_its_own_width() -> None:
    for glyph, plain in GLYPHS.items():
        assert len(plain) == 1
        assert plain.isascii()
        assert plain.isprintable()
        assert cell_len(chr(glyph)) == 1
    assert "┌─┐│ ▁ █░ …".translate(ASCII) == "+-+| _ #. ~"


@given(st.text())
def test_plain_text_is_ascii_but_for_letters_and_as_wide_as_before(text: str) -> None:
    plain = text.translate(ASCII)
    assert all(char.isascii() or char.isalnum() for char in plain)
    assert sum(map(cell_len, plain)) == sum(map(cell_len, text))
