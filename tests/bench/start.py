"""How long it takes to start: the screen's first picture, `--help`, `check`; and what `--help` imports."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.figures import Figure, fastest_of_each
from tests.pty.terminal import ROOT, Terminal, environment

PRESET = ROOT / "presets" / "mid-size-team.toml"
SIZE = (160, 48)
HEAVY = ("numpy", "pydantic", "textual", "rich")
EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""
IMPORTED_BY_HELP = """
import json, runpy, sys
sys.argv = ["ftbuild", "--help"]
real, sys.stdout = sys.stdout, open("/dev/null", "w")
try:
    runpy.run_module("ftbuild", run_name="__main__")
except SystemExit:
    pass
json.dump(sorted({name.partition(".")[0] for name in sys.modules}), real)
"""


def measure() -> Iterator[Figure]:
    """Yield the figures of starting."""
    with tempfile.TemporaryDirectory() as home:
        env = environment(Path(home))
        yield from _first_paint(env)
        yield from _commands(env)
        yield _imported(env)


def _first_paint(env: dict[str, str], repeats: int = 5) -> Iterator[Figure]:
    """Compare the first picture with that of an app of one line, in turns."""
    empty, ours, sizes = [], [], []
    for _ in range(repeats):
        empty.append(_seconds_to_text([sys.executable, "-c", EMPTY_APP], b"ready", env)[0])
        taken, size = _seconds_to_text([sys.executable, "-m", "ftbuild", str(PRESET)], b"Workload", env)
        ours.append(taken)
        sizes.append(size)
    yield Figure("first paint, one line of Textual", 1e3 * min(empty), "ms")
    yield Figure("first paint, ftbuild", 1e3 * min(ours), "ms")
    yield Figure("first paint, ratio", min(ours) / min(empty), "x", goal=1.6)
    yield Figure("bytes of the first picture at 160x48", min(sizes), "bytes")


def _seconds_to_text(command: Sequence[str], text: bytes, env: dict[str, str]) -> tuple[float, int]:
    """Return the time until `text` is drawn, and how many bytes are drawn until all is quiet."""
    started = time.perf_counter()
    with Terminal.spawn(command, env, SIZE) as terminal:
        terminal.emulating = False
        terminal.wait_for(lambda terminal: text in terminal.output)
        taken = terminal.last_output_at - started
        terminal.settle(0.5)
        return taken, len(terminal.output)


def _commands(env: dict[str, str]) -> Iterator[Figure]:
    help_, check, imports, bare = fastest_of_each(
        [
            [sys.executable, "-m", "ftbuild", "--help"],
            [sys.executable, "-m", "ftbuild", "check", str(PRESET)],
            [sys.executable, "-c", "import numpy, pydantic"],
            [sys.executable, "-c", "pass"],
        ],
        env,
    )
    yield Figure("python -c pass", 1e3 * bare, "ms")
    yield Figure("ftbuild --help", 1e3 * help_, "ms")
    yield Figure('python -c "import numpy, pydantic"', 1e3 * imports, "ms")
    yield Figure("ftbuild check", 1e3 * check, "ms")
    yield Figure("ftbuild check, ratio to those imports", check / imports, "x", goal=2.0)


def _imported(env: dict[str, str]) -> Figure:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED_BY_HELP], env=env, capture_output=True, text=True, check=True
    )
    modules = json.loads(done.stdout)
    heavy = [name for name in HEAVY if name in modules]
    return Figure("heavy packages imported by --help", len(heavy), "", goal=0, note=" ".join(heavy))
