"""The terminal layer behind a real SSH connection at 80x24."""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path

from tests.pty.conftest import LAST_LINE, SAMPLE
from tests.pty.terminal import ROOT, Terminal, environment, wait_for_file
from tests.ssh.conftest import Server


def test_a_rig_is_edited_and_saved_over_ssh(
    server: Server, remote_environment: dict[str, str], tmp_path: Path
) -> None:
    rig = Path(shutil.copytree(ROOT / "presets", tmp_path / "presets")) / "solo-founder.toml"
    before = tomllib.loads(rig.read_text())
    program = [sys.executable, "-m", "ftbuild", "presets/solo-founder.toml"]
    command = server.command(program, remote_environment, folder=tmp_path)
    with Terminal.spawn(command, environment(), size=(80, 24)) as terminal:
        terminal.wait_for("solo-founder.toml")
        terminal.wait_for("VRAM")
        terminal.send("\x06")
        terminal.wait_for("Find a field")
        terminal.send("micro batch\r")
        terminal.wait_for("Micro batch: ")
        terminal.send("32")
        terminal.wait_for(">32")
        terminal.wait_for(lambda terminal: "violation" in terminal.screen()[0])
        assert tomllib.loads(rig.read_text()) == before
        terminal.send("\r\x13")
        terminal.wait_for(lambda terminal: "*" not in terminal.screen()[0])
        terminal.send("\x11")
        assert terminal.wait_exit() == 0
    after = tomllib.loads(rig.read_text())
    assert after["workload"].pop("micro_batch") == 32
    before["workload"].pop("micro_batch", None)
    assert after == before


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
