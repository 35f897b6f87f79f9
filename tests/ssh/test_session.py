"""The terminal layer behind a real SSH connection at 80x24."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pty.conftest import LAST_LINE, SAMPLE
from tests.pty.terminal import Terminal, environment, wait_for_file
from tests.ssh.conftest import Server


def connect(server: Server, remote_environment: dict[str, str], kept: Path) -> Terminal:
    command = server.command([sys.executable, SAMPLE], remote_environment | {"SAMPLE_KEPT": str(kept)})
    terminal = Terminal.spawn(command, environment(), size=(80, 24))
    terminal.wait_for(LAST_LINE)
    return terminal


def test_a_dropped_connection_keeps_the_edits(
    server: Server, remote_environment: dict[str, str], tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    with connect(server, remote_environment, kept) as terminal:
        terminal.send("42\t7")
        terminal.wait_for("field 2: 7")
        assert not kept.exists()
        terminal.process.kill()
        wait_for_file(kept)
    assert kept.read_text() == "42 7"


def test_a_resized_window_is_followed(
    server: Server, remote_environment: dict[str, str], tmp_path: Path
) -> None:
    with connect(server, remote_environment, tmp_path / "kept") as terminal:
        terminal.resize(45, 12)
        terminal.wait_for("has 45x12")
        terminal.resize(100, 30)
        terminal.wait_for(LAST_LINE)
