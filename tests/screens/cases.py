"""Screens to compare, of a fixed build and report: what the engine computes is tested elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ftbuild.build import Build
from ftbuild.engine.core import Figure, FigureSpec, Finding, Report, Rule, Sense, Severity
from ftbuild.tui.app import FtbuildApp
from ftbuild.tui.session import Session
from ftbuild.tui.terminal import Terminal
from ftbuild.units import Kind
from tests.tui.support import picture, settled

BUILD = """
name = "A rig [/b] of the tests"
[workload]
model = "meta-llama/Llama-3.1-70B"
[hardware]
gpu = "h100-sxm-80gb"
gpus_per_node = 4
cpu = "amd-epyc-9654"
ram = "1TB"
[power]
psu = "3kW"
psus_per_node = 2
redundancy = "1+1"
"""
GIB = 2.0**30
FIGURES: Mapping[str, tuple[Kind, float]] = {
    "vram.per_gpu": (Kind.MEMORY, 90.5 * GIB),
    "ram.needed": (Kind.MEMORY, 300 * GIB),
    "ram.ratio": (Kind.RATIO, 3.2),
    "cpu.cores": (Kind.COUNT, 96),
    "storage.read": (Kind.RATE, float("nan")),
    "power.node": (Kind.POWER, 4600.0),
    "time.total": (Kind.DURATION, 90_000.0),
    "cost.total": (Kind.MONEY, 175_000.0),
}
PARTS = {"weights": 35.3 * GIB, "activations": 51.0 * GIB, "adapters": 4.2 * GIB}
FINDINGS: tuple[tuple[str, Severity, str, float, Sense, str], ...] = (
    ("vram.fits", Severity.VIOLATION, "vram.per_gpu", 79.2 * GIB, "at_most", "workload.micro_batch"),
    ("power.psu", Severity.VIOLATION, "power.node", 3000.0, "at_most", "power.psu"),
    ("cpu.guide", Severity.WARNING, "cpu.cores", 128.0, "at_least", "hardware.cpu"),
    ("ram.ratio", Severity.OK, "ram.ratio", 2.0, "at_least", "hardware.ram"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One screen: its size, the keys that lead to it, the terminal."""

    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    terminal: Terminal = field(default_factory=Terminal)
    start: bool = False


CASES: Mapping[str, Case] = {
    "desk-60x20": Case((60, 20)),
    "desk-80x24": Case((80, 24)),
    "desk-120x36": Case((120, 36)),
    "desk-200x60": Case((200, 60)),
    "typing-80x24": Case((80, 24), ("tab", "f6", "down", "down", "4", "0", "0", "0")),
    "verdict-80x24": Case((80, 24), ("f9",)),
    "help-80x24": Case((80, 24), ("f8", "f1")),
    "quit-80x24": Case((80, 24), ("f6", "8", "ctrl+q")),
    "picker-120x36": Case((120, 36), ("tab", "9")),
    "ascii-120x36": Case((120, 36), (), Terminal(color="16", ansi_theme=True, ascii=True)),
}


def report(_build: Build, _folder: Path | None) -> Report:
    """Return the fixed report."""
    figures = {
        name: Figure(
            FigureSpec(name, name, kind, "by hand", "none"),
            np.array([value]),
            parts={part: np.array([size]) for part, size in PARTS.items()} if name == "vram.per_gpu" else {},
        )
        for name, (kind, value) in FIGURES.items()
    }
    return Report(figures, (), tuple(_finding(*row) for row in FINDINGS))


def _finding(name: str, level: Severity, figure: str, limit: float, sense: Sense, blamed: str) -> Finding:
    rule = Rule(
        id=name,
        title=name,
        severity=level,
        figure=figure,
        sense=sense,
        limit=limit,
        fields=(blamed,),
        message="{value} where {limit} is the limit",
        source="by hand",
        doc="",
    )
    return Finding(rule, level, FIGURES[figure][1], limit)


class FixedSession(Session):
    """A session whose engine always gives the fixed report."""

    def judge(self, build: Build, folder: Path | None) -> Report:
        """Return the fixed report."""
        return report(build, folder)


async def drawn(name: str, folder: Path) -> tuple[FtbuildApp, str]:
    """Return the app and its screen as text, without blanks at the ends of lines."""
    case = CASES[name]
    path = folder / "rig.toml"
    path.write_text(BUILD)
    app = FtbuildApp(path, FixedSession(folder))
    app.terminal = case.terminal
    async with app.run_test(size=case.size) as pilot:
        await settled(pilot)
        await pilot.press(*case.keys)
        await pilot.pause()
        return app, "\n".join(picture(app)) + "\n"
