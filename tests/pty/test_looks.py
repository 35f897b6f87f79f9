"""How the screen adapts to what the terminal can show, and what it costs in bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.pty.conftest import LAST_LINE
from tests.pty.terminal import Terminal

Start = Callable[..., Terminal]

RGB = re.compile(rb"\x1b\[[0-9;]*[34]8;2;")
INDEXED = re.compile(rb"\x1b\[[0-9;]*[34]8;5;")
BASIC = re.compile(rb"\x1b\[(?:[0-9]+;)*(?:3|4|9|10)[0-7](?:;[0-9]+)*m")


def colors_in(output: bytes) -> set[str]:
    kinds = {"rgb": RGB, "indexed": INDEXED, "basic": BASIC}
    without_extended = re.sub(rb"[34]8;(?:2;\d+;\d+;\d+|5;\d+)", b"0", output)
    return {
        name for name, code in kinds.items() if code.search(without_extended if name == "basic" else output)
    }


@pytest.mark.parametrize(
    ("env", "arguments", "expected"),
    [
        ({"TERM": "xterm-256color"}, (), {"indexed"}),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, (), {"rgb"}),
        ({"TERM": "alacritty"}, (), {"rgb"}),
        ({"TERM": "xterm-ghostty"}, (), {"rgb"}),
        ({"TERM": "foot"}, (), {"rgb"}),
        ({"TERM": "xterm-256color"}, ("--color=truecolor",), {"rgb"}),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, (), set()),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, ("--color=none",), set()),
    ],
)
def test_colours_are_those_that_the_terminal_shows(
    sample: Start, env: dict[str, str], arguments: tuple[str, ...], expected: set[str]
) -> None:
    terminal = sample(*arguments, env=env)
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert colors_in(bytes(terminal.output)) == expected


def test_sixteen_colours_use_no_others(sample: Start) -> None:
    terminal = sample(env={"TERM": "xterm"})
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert colors_in(bytes(terminal.output)) <= {"basic"}


@pytest.mark.parametrize(
    ("env", "redirect", "reason"),
    [
        ({"TERM": "dumb"}, "", "TERM=dumb"),
        ({}, "</dev/null", "standard input"),
    ],
)
def test_what_is_no_terminal_is_refused_in_one_line(
    sample: Start, env: dict[str, str], redirect: str, reason: str
) -> None:
    terminal = sample(env=env, redirect=redirect)
    assert terminal.wait_exit() == 2
    said = bytes(terminal.output).decode()
    assert reason in said
    assert "ftbuild check" in said
    assert "\x1b" not in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C"},
    ],
)
def test_locales_of_no_character_set_still_draw_utf_8(sample: Start, env: dict[str, str]) -> None:
    terminal = sample(env=env)
    terminal.wait_for(LAST_LINE)
    terminal.send("é")
    terminal.wait_for("field 1: é")
    assert b"\\u" not in terminal.output


def test_the_mouse_can_be_left_alone(sample: Start) -> None:
    terminal = sample("--no-mouse")
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert b"\x1b[?1003h" not in terminal.output


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
def test_a_tab_repaints_two_lines_and_a_key_one(sample: Start, size: tuple[int, int]) -> None:
    terminal = sample(size=size)
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert bytes_for(terminal, "4") <= 100
    assert bytes_for(terminal, "\t") <= 200


def test_focus_alone_repaints_two_lines(sample: Start) -> None:
    terminal = sample(size=(160, 48), env={"SAMPLE_WHOLE": "1"})
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert bytes_for(terminal, "\t") <= 1000


def test_textuals_own_screen_repaints_everything_on_a_tab(sample: Start) -> None:
    """When this fails, Textual has stopped doing so, and QuietScreen may go."""
    terminal = sample(size=(160, 48), env={"SAMPLE_WHOLE": "1", "SAMPLE_LOUD": "1"})
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    assert bytes_for(terminal, "\t") > 5000


def bytes_for(terminal: Terminal, keys: str) -> int:
    """Return how many bytes the program writes for these keys until it falls silent."""
    mark = terminal.mark()
    terminal.send(keys)
    terminal.settle()
    return len(terminal.bytes_since(mark))
