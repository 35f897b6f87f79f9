from __future__ import annotations

import re
from collections import Counter

import pytest

from ftbuild.tui.commands import COMMANDS, UNAVAILABLE, bindings, cheat_sheet, footer, key_name

FOOTER_COLUMNS = 60


def test_every_command_says_what_it_does():
    for command in COMMANDS:
        assert command.title and command.help.endswith("."), command.id


def test_no_key_is_bound_twice_and_none_that_terminals_do_not_send():
    keys = Counter(key for command in COMMANDS for key in command.keys)
    assert [key for key, count in keys.items() if count > 1] == []
    assert not UNAVAILABLE & keys.keys()
    assert not [key for key in keys if re.fullmatch(r"alt\+\d|ctrl\+shift\+.*", key)]


def test_the_palette_has_a_second_key():
    (palette,) = (command for command in COMMANDS if command.id == "palette")
    assert len(palette.keys) >= 2


@pytest.mark.parametrize("place", ["field", "edit", "findings"])
def test_the_footer_fits_the_smallest_screen(place):
    assert 0 < footer(place).cell_length <= FOOTER_COLUMNS


def test_help_and_bindings_hold_every_command():
    sheet = "\n".join(cheat_sheet())
    for command in COMMANDS:
        assert command.help in sheet
        for key in command.keys:
            assert key_name(key) in sheet
    assert len(bindings()) == sum(1 for command in COMMANDS if command.keys)
