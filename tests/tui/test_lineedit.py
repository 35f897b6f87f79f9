from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild.tui.lineedit import KEYS, LONGEST, LineEdit


@pytest.mark.parametrize(
    ("key", "text", "caret", "expected"),
    [
        ("left", "ab", 1, LineEdit("ab", 0)),
        ("right", "ab", 2, LineEdit("ab", 2)),
        ("home", "ab", 2, LineEdit("ab", 0)),
        ("backspace", "ab", 1, LineEdit("b", 0)),
        ("backspace", "ab", 0, LineEdit("ab", 0)),
        ("delete", "ab", 0, LineEdit("b", 0)),
        ("ctrl+w", "64 GiB", 6, LineEdit("64 ", 3)),
        ("ctrl+left", "64 GiB", 3, LineEdit("64 GiB", 0)),
        ("ctrl+right", "64 GiB", 2, LineEdit("64 GiB", 6)),
        ("ctrl+u", "64 GiB", 3, LineEdit("GiB", 0)),
        ("ctrl+k", "64 GiB", 2, LineEdit("64", 2)),
    ],
)
def test_keys_edit_a_line(key, text, caret, expected):
    assert KEYS[key](LineEdit(text, caret)) == expected


def test_pasting_takes_the_first_line_without_control_characters():
    assert LineEdit.at_end("a").insert("b\x1b]52;c\x07\nsecond").text == "ab]52;c"


@given(st.lists(st.sampled_from(list(KEYS)) | st.text(max_size=5), max_size=30))
def test_the_caret_never_leaves_the_text(steps):
    edit = LineEdit()
    for step in steps:
        edit = KEYS[step](edit) if step in KEYS else edit.insert(step)
        assert 0 <= edit.caret <= len(edit.text) <= LONGEST


def test_what_is_pasted_keeps_its_order_without_control_characters():
    assert LineEdit.at_end("a").insert("1\x0b2\x1b3\x854\r\n5").text == "a1234"
