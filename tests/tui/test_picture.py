"""Only what differs is sent, and the terminal shows the same: held on an emulated terminal."""

from __future__ import annotations

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild.tui.terminal.picture import Picture
from ftbuild.tui.terminal.sgr import switch

WIDTH, HEIGHT = 24, 5
STYLES = ("", "1", "1;4", "38;5;231;48;5;16", "38;5;9;48;5;16", "1;38;5;9;48;5;16", "7;31", "31;42", "31;100")
texts = st.text(st.sampled_from("ab  字é─"), min_size=1, max_size=9)


def written(row: int, column: int, *pieces: tuple[str, str]) -> str:
    """Write pieces of style and text from a cell on, as Textual does."""
    styled = (f"\x1b[{style}m{text}\x1b[0m" if style else text for style, text in pieces)
    return f"\x1b[{row + 1};{column + 1}H" + "".join(styled)


@st.composite
def frames(draw: st.DrawFn) -> str:
    """Draw whole lines, as a screen of text does, or parts of lines that begin and end between characters."""
    lines = draw(st.lists(st.integers(0, HEIGHT - 1), min_size=1, max_size=3, unique=True))
    frame = ""
    for row in sorted(lines):
        pieces = draw(st.lists(st.tuples(st.sampled_from(STYLES), texts), min_size=1, max_size=3))
        width = sum(2 if char == "字" else 1 for _, text in pieces for char in text)
        if width > WIDTH:
            continue
        # Whole lines: what is left of a wide character that is cut in two differs between emulators.
        frame += "\n" * bool(frame) + written(row, 0, *pieces, ("", " " * (WIDTH - width)))
    cursor = draw(st.tuples(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH - 1)))
    return frame + written(*cursor)


def shown(screen: pyte.Screen) -> list[object]:
    return [[screen.buffer[row][column] for column in range(WIDTH)] for row in range(HEIGHT)] + [
        screen.cursor.x,
        screen.cursor.y,
    ]


@given(st.lists(st.one_of(frames(), st.just("forget")), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_the_terminal_shows_what_it_would_have_shown(steps: list[str]) -> None:
    plain, reduced = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    to_plain, to_reduced = pyte.Stream(plain), pyte.Stream(reduced)
    picture = Picture()
    picture.size = (WIDTH, HEIGHT)
    for step in steps:
        if step == "forget":
            picture.forget()
            continue
        to_plain.feed(step)
        to_reduced.feed(picture.reduce(step))
        assert shown(reduced) == shown(plain)


def picture_of(*frames: str) -> Picture:
    picture = Picture()
    for frame in frames:
        picture.reduce(frame)
    return picture


def test_what_is_shown_already_is_not_sent_again() -> None:
    frame = written(3, 4, ("1", "weights 35.3 GiB")) + written(0, 0)
    assert picture_of(frame).reduce(frame) == ""


def test_only_the_cells_that_differ_are_sent() -> None:
    picture = picture_of(written(3, 0, ("1", "weights 35.3 GiB of 79.2")) + written(0, 0))
    assert picture.reduce(written(3, 0, ("1", "weights 36.4 GiB of 79.2")) + written(0, 0)) == (
        "\x1b[4;10H\x1b[1m6.4\x1b[m\x1b[1;1H"
    )


def test_a_change_of_style_alone_is_sent() -> None:
    picture = picture_of(written(1, 0, ("1", "ok")) + written(0, 0))
    assert "ok" in picture.reduce(written(1, 0, ("31", "ok")) + written(0, 0))


def test_half_of_a_wide_character_takes_the_other_half_with_it() -> None:
    picture = picture_of(written(1, 0, ("", "字b")) + written(0, 0))
    picture.reduce(written(1, 1, ("", "x")) + written(0, 0))
    assert "字" in picture.reduce(written(1, 0, ("", "字b")) + written(0, 0))


def test_after_forgetting_everything_is_sent() -> None:
    frame = written(1, 0, ("1", "ok")) + written(0, 0)
    picture = picture_of(frame)
    picture.forget()
    assert "ok" in picture.reduce(frame)


def test_what_draws_nothing_passes_and_changes_nothing() -> None:
    frame = written(1, 0, ("1", "ok")) + written(0, 0)
    picture = picture_of(frame)
    for output in ("\x1b[?1003h", "\x1b[?2026$p", "\x1b]52;c;aGk=\x07", "\x1b]22;default\x1b\\", "\x07", ""):
        assert picture.reduce(output) == output
    assert picture.reduce(frame) == ""


def test_what_is_not_understood_passes_and_is_not_relied_on() -> None:
    frame = written(1, 0, ("1", "ok")) + written(0, 0)
    for strange in ("\x1b[2J", "\x1b[1;1H\x1b[K", "text", written(0, 0, ("", "e\u0301"))):
        picture = picture_of(frame)
        assert picture.reduce(strange) == strange
        assert "ok" in picture.reduce(frame)


def test_a_frame_larger_than_the_terminal_passes() -> None:
    picture = Picture()
    picture.size = (10, 2)
    wide = written(0, 5, ("", "x" * 10)) + written(0, 0)
    assert picture.reduce(wide) == wide
    assert picture.reduce(written(2, 0, ("", "x")) + written(0, 0)) != ""


STYLE = st.builds(
    lambda attributes, fore, back: ";".join([*attributes, *fore, *back]),
    st.lists(st.sampled_from(["1", "3", "4", "7", "9"]), unique=True).map(sorted),
    st.lists(st.sampled_from(["31", "39", "97", "38;5;231", "38;2;1;2;3"]), max_size=1),
    st.lists(st.sampled_from(["42", "49", "100", "48;5;16", "48;2;4;5;6"]), max_size=1),
)


@given(STYLE, STYLE)
@settings(deadline=None)
def test_a_change_of_style_ends_in_the_style(before: str, after: str) -> None:
    screen, expected = pyte.Screen(2, 1), pyte.Screen(2, 1)
    pyte.Stream(screen).feed(f"\x1b[{before}ma" + switch(before, after) + "b")
    pyte.Stream(expected).feed(f"\x1b[{before}ma\x1b[0m\x1b[{after}mb")
    assert screen.buffer[0][1] == expected.buffer[0][1]


def test_bold_and_dim_end_together_so_the_one_that_stays_is_set_again() -> None:
    assert switch("1;2;31", "2;31") == "\x1b[22;2m"


def test_a_code_that_is_not_known_is_set_from_plain() -> None:
    assert switch("1", "53;31") == "\x1b[0;53;31m"
