"""Runs the command line in this process, as a shell would see it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ftbuild.cli import app, session

SMALL = """ftbuild = 1
name = "Small"
[workload]
model = "meta-llama/Llama-3.1-8B"
method = "qlora"
sequence_length = 1024
loss = "fused"
[hardware]
gpu = "h100-sxm-80gb"
"""


@dataclass(frozen=True)
class Result:
    """What a command gave."""

    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    """Keep the tests away from the user's own parts and presets."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    session.catalog.cache_clear()


@pytest.fixture(name="run")
def fixture_run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            app.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(int(left.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(name="small")
def fixture_small(tmp_path):
    path = Path(tmp_path / "small.toml")
    path.write_text(SMALL)
    return path
