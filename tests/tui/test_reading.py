from __future__ import annotations

import numpy as np
import pytest

from ftbuild.engine.core import Figure, FigureSpec, Finding, Report, Rule, Severity
from ftbuild.tui import reading
from ftbuild.units import Kind

GIB = 2.0**30


def report(comfortable: Severity) -> Report:
    values = {"vram.per_gpu": 70 * GIB, "vram.comfortable": 82 * GIB}
    figures = {
        name: Figure(FigureSpec(name, name, Kind.MEMORY, "by hand", "none"), np.array([value]))
        for name, value in values.items()
    }
    levels = {
        "vram.fits": ("vram.per_gpu", Severity.OK),
        "vram.comfortable": ("vram.comfortable", comfortable),
        "power.node": ("vram.comfortable", Severity.OK),
    }
    findings = tuple(
        Finding(
            Rule(
                id=rule, title=rule, severity=Severity.WARNING, figure=figure, limit=80 * GIB,
                fields=(), message="{value}", source="by hand", doc="",
            ),
            level, values[figure], 80 * GIB,
        )
        for rule, (figure, level) in levels.items()
    )  # fmt: skip
    return Report(figures, (), findings)


@pytest.mark.parametrize(("level", "word"), [(Severity.WARNING, "! tight"), (Severity.OK, "+ ok")])
def test_the_vram_line_says_the_worst_of_its_rules(level, word):
    found = report(level)
    line = reading.figure_line(found, reading.FIGURES[0]).plain
    assert line.startswith("VRAM / GPU") and "70.0 GiB" in line and line.endswith(word)


def test_explaining_the_vram_line_explains_the_rule_that_warns():
    assert reading.rule_of(report(Severity.WARNING), reading.BAR) == "vram.comfortable"
    assert reading.rule_of(report(Severity.OK), reading.BAR) == "vram.fits"


def test_areas_that_find_no_room_are_counted():
    wide, _ = reading.strip_lines(report(Severity.WARNING), 80)
    narrow, _ = reading.strip_lines(report(Severity.WARNING), 35)
    assert "vram" in wide.plain and "more" not in wide.plain
    assert narrow.plain.endswith("2 more") and narrow.cell_length <= 35
