"""A report as lines: what `ftbuild check` prints and what an export or a pane can show."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from ftbuild import units
from ftbuild.build import QUANTIZED_METHODS, Build
from ftbuild.catalog import Catalog, UnknownPart
from ftbuild.catalog.parts import Gpu, Model
from ftbuild.engine.core import Figure, Finding, Report
from ftbuild.problems import plain
from ftbuild.text.wording import GLYPHS, figure_range, message, one, severity, state, telling, verdict_words

AREAS = (
    "model", "gpu", "vram", "cpu", "ram", "storage", "checkpoint", "network", "power", "heat", "time", "cost",
)  # fmt: skip
"""First words of the ids of figures and rules, in the order of a report."""

MAIN = frozenset({
    "vram.params", "vram.trainable", "vram.allocated", "vram.reserved", "vram.per_gpu", "vram.usable",
    "ram.needed", "ram.ratio", "cpu.cores", "storage.read", "storage.random_read", "checkpoint.size",
    "checkpoint.stall", "network.overhead", "power.node", "power.psu_capacity", "power.rack", "power.circuit",
    "heat.btu_per_h", "time.step", "time.tokens_per_s", "time.total", "cost.hardware", "cost.power_cooling",
    "cost.total", "cost.rent_break_even_hours",
})  # fmt: skip
"""Figures that a report shows unless all are wanted."""


def figure_lines(figure: Figure, parts: bool = True) -> list[str]:
    """Return a figure's line, and one indented line for each part of it that is not nothing."""
    note = f"  {figure.note}" if figure.note else ""
    lines = [f"{figure.spec.title:<20} {figure_range(figure)}{note}"]
    if parts:
        lines += [f"  {name:<24} {text}" for name, text in part_texts(figure)]
    return lines


def part_texts(figure: Figure, at: int = 0) -> list[tuple[str, str]]:
    """Return the parts of a figure that are not nothing, each with its value in words."""
    values = ((name, one(array, at)) for name, array in figure.parts.items())
    return [(name, units.show(value, figure.spec.kind)) for name, value in values if value != 0]


def finding_lines(report: Report, everything: bool = False) -> list[str]:
    """Return a line a finding, the worst first; those that are ok only where `everything` is wanted."""
    return [
        f"{GLYPHS[severity(finding)]} {state(finding):<9} {finding.rule.id:<24} {message(finding, report)}"
        for finding in ranked(report)
        if everything or telling(finding)
    ]


def ranked(report: Report) -> list[Finding]:
    """Return the findings, the worst first, else in the order of the rules."""
    return sorted(report.findings, key=lambda finding: -severity(finding))


def report_lines(
    report: Report, build: Build, file: str, catalog: Catalog | None = None, *, everything: bool = False
) -> list[str]:
    """Return the report of one build: verdict, findings, figures, and what could not be computed.

    Shown are the findings that are not ok and the `MAIN` figures, or all of both with `everything`.
    """
    title = f"{build.name}: {summary(build, catalog)}" if build.name else summary(build, catalog)
    lines = [f"{plain(file, 300)}: {verdict_words(report)}" if file else verdict_words(report), title]
    found = finding_lines(report, everything)
    lines += ["", *(found or ["+ ok        nothing is violated"]), ""]
    lines += _figures(report, everything)
    if report.missing:
        lines += ["", "not known:", *(f"  {fact}" for fact in dict.fromkeys(report.missing))]
    return lines


def summary(build: Build, catalog: Catalog | None = None) -> str:
    """Say in one line what a build is: model, method, GPUs."""
    work, hardware = build.workload, build.hardware
    method = {"full": "full fine-tuning", "lora": "LoRA", "dora": "DoRA", "qlora": "QLoRA", "qdora": "QDoRA"}
    words = method.get(work.method, work.method)
    if work.method != "full":
        words += f" r{work.rank}"
    if work.method in QUANTIZED_METHODS:
        words += f" {work.quantization}"
    count = hardware.nodes * hardware.gpus_per_node
    gpus = f"{count}x {_name(catalog, Gpu, hardware.gpu)}"
    if hardware.nodes > 1:
        gpus += f" on {hardware.nodes} nodes"
    return f"{_name(catalog, Model, work.model)}, {words}, {gpus}"


def _name(catalog: Catalog | None, kind: type[Gpu] | type[Model], text: str) -> str:
    try:
        return plain(catalog.find(kind, text).name if catalog else text)
    except UnknownPart:
        return plain(text)


def _figures(report: Report, everything: bool) -> Iterator[str]:
    for area in AREAS:
        for name, figure in report.figures.items():
            if name.split(".")[0] == area and (everything or name in MAIN):
                unknown = math.isnan(one(figure.value))
                if not unknown or report.missing:  # without a missing fact, it does not apply to this build
                    yield f"  {name:<28} {figure_range(figure)}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return lines with columns as wide as their widest cell; columns in `right` end flush."""
    every = [headings, *rows]
    widths = [max(len(row[place]) for row in every) for place in range(len(headings))]
    return [
        "  ".join(
            f"{cell:>{width}}" if place in right else f"{cell:<{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    ]
