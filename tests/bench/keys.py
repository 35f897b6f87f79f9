"""What a key costs on a real pseudo-terminal: time to its echo and to the settled verdict, and bytes."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figures import Figure
from tests.pty.terminal import ROOT, Terminal, environment

PRESET = ROOT / "presets" / "solo-founder.toml"
SIZES = ((160, 48), (80, 24))
TYPED = ("1", "6", "\x7f", "2", "\x7f", "0") * 6
"""Micro batches of 1, 16, 1, 12, 1, 10: the verdict turns round and back."""
TABS = ("\t",) * 30
QUIET_S = 0.2


@dataclass(frozen=True)
class Cost:
    """Of one key: ms to the first and to the last byte of its answer, and bytes of it."""

    first: float
    last: float
    size: int


def measure() -> Iterator[Figure]:
    """Yield the figures of keys."""
    for size in SIZES:
        goals = (12.0, 50.0) if size == SIZES[0] else (None, None)
        with tempfile.TemporaryDirectory() as home:
            yield from _keys(size, environment(Path(home)), *goals)


def _keys(
    size: tuple[int, int], env: dict[str, str], echo_goal: float | None, settled_goal: float | None
) -> Iterator[Figure]:
    name = f"{size[0]}x{size[1]}"
    with Terminal.spawn([sys.executable, "-m", "ftbuild", str(PRESET)], env, size) as terminal:
        terminal.wait_for("VRAM")
        terminal.settle(1.0)
        tabs = [_cost(terminal, key) for key in TABS]
        terminal.send("\x06")
        terminal.wait_for("Find a field")
        terminal.send("micro batch\r")
        terminal.settle(1.0)
        keys = [_cost(terminal, key) for key in TYPED]
    yield Figure(f"key to its echo, {name}, median", _median(keys, "first"), "ms", echo_goal)
    yield Figure(f"key to the settled verdict, {name}, median", _median(keys, "last"), "ms", settled_goal)
    yield Figure(f"bytes a key, {name}, median", _median(keys, "size"), "bytes", 1500)
    yield Figure(f"bytes a key, {name}, most", max(cost.size for cost in keys), "bytes")
    yield Figure(f"tab to its first byte, {name}, median", _median(tabs, "first"), "ms")
    yield Figure(f"tab to its last byte, {name}, median", _median(tabs, "last"), "ms")
    yield Figure(f"bytes a tab, {name}, median", _median(tabs, "size"), "bytes", 1000)


def _median(costs: Sequence[Cost], what: str) -> float:
    return float(statistics.median(getattr(cost, what) for cost in costs))


def _cost(terminal: Terminal, key: str) -> Cost:
    """Send one key, and wait until its answer has fallen silent."""
    terminal.emulating = False
    mark, sent = terminal.mark(), time.perf_counter()
    terminal.send(key)
    while not terminal.pump(1.0):
        assert time.perf_counter() - sent < 10, "no answer to a key"
    first = terminal.last_output_at
    while terminal.pump(QUIET_S):
        pass
    last = terminal.last_output_at
    terminal.emulating = True
    return Cost(1e3 * (first - sent), 1e3 * (last - sent), len(terminal.bytes_since(mark)))
