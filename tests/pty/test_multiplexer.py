"""Inside tmux: a terminal of its own, detached and attached again, and ended with its session."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.pty.conftest import LAST_LINE, SAMPLE
from tests.pty.terminal import Terminal, environment, wait_for_file

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="no tmux here")


class Multiplexer:
    """One tmux server for one test."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.env = environment(folder, SAMPLE_KEPT=str(folder / "kept"), TMUX_TMPDIR=str(folder))
        self._stack = stack
        stack.callback(self.run, "kill-server")

    def run(self, *arguments: str) -> None:
        subprocess.run(["tmux", "-f", "/dev/null", *arguments], env=self.env, capture_output=True)

    def attach(self, *arguments: str) -> Terminal:
        command = ["tmux", "-f", "/dev/null", *arguments]
        return self._stack.enter_context(Terminal.spawn(command, self.env, (100, 30)))


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Multiplexer]:
    with ExitStack() as stack:
        yield Multiplexer(tmp_path, stack)


def test_a_detached_session_goes_on_where_it_was(tmux: Multiplexer, tmp_path: Path) -> None:
    program = shlex.join([sys.executable, SAMPLE])
    first = tmux.attach("new-session", "-s", "one", program)
    first.wait_for(LAST_LINE)
    first.send("42\t7")
    first.wait_for("field 2: 7")
    tmux.run("detach-client", "-s", "one")
    first.wait_exit()
    second = tmux.attach("attach-session", "-t", "one")
    screen = second.wait_for(LAST_LINE)
    assert "field 1: 42\nfield 2: 7\n" in screen
    second.send("8")
    second.wait_for("field 2: 78")
    tmux.run("kill-session", "-t", "one")
    wait_for_file(tmp_path / "kept")
    assert (tmp_path / "kept").read_text() == "42 78"
