"""What a key costs on the line to the terminal: budgets that a slow connection depends on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pty.terminal import Terminal, environment
from tests.tui.support import NARROW, WIDE, preset

A_KEY, A_TAB = 1500, 1000
TO_MICRO_BATCH = "\t" * 12


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "160x48"])
def test_a_key_and_a_tab_send_little(tmp_path: Path, size: tuple[int, int]) -> None:
    path = preset(tmp_path)
    argv = [sys.executable, "-m", "ftbuild", str(path)]
    with Terminal.spawn(argv, environment(tmp_path), size=size) as terminal:
        terminal.wait_for("GiB")
        terminal.settle()

        def sent(keys: str) -> int:
            mark = terminal.mark()
            terminal.send(keys)
            terminal.settle()
            return len(terminal.bytes_since(mark))

        assert sent("\t") <= A_TAB and sent("\x1b[Z") <= A_TAB
        terminal.send(TO_MICRO_BATCH)
        terminal.settle()
        assert 0 < sent("8") <= A_KEY and 0 < sent("1") <= A_KEY and 0 < sent("\x7f") <= A_KEY
        assert terminal.screen()[-2].startswith(" = 8")
