"""Rules, figures and choices: every row is whole, named once, and has its counterpart."""

import math
import re
import string

import pytest

from ftbuild import files, library
from ftbuild.build import FIELDS
from ftbuild.catalog import load_catalog
from ftbuild.engine.core import Severity
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.rules import BY_ID, RULES
from ftbuild.engine.tables import CHOICES
from ftbuild.schema import Choice
from ftbuild.text import explain_lines
from ftbuild.text.lines import AREAS, MAIN

DESIGNED = {
    "vram.at_rest", "vram.forward_backward", "vram.allocated", "vram.reserved", "vram.per_gpu", "vram.params",
    "vram.trainable", "ram.needed", "ram.ratio", "cpu.cores", "storage.read", "storage.random_read",
    "checkpoint.size", "checkpoint.stall", "network.overhead", "power.node", "power.psu_capacity",
    "power.rack",
    "power.circuit", "heat.btu_per_h", "time.step", "time.total", "time.tokens_per_s", "cost.hardware",
    "cost.power_cooling", "cost.total", "cost.rent_break_even_hours",
}  # fmt: skip
"""Figure ids that files and other people's scripts may rely on."""
SOMETIMES = {"cost.rent_break_even_hours"}
"""Figures that do not apply to every build, and are NaN then."""
WORDS = {"value", "limit", "margin", "title", "note"}
ID = re.compile(r"[a-z][a-z0-9]*(\.[a-z][a-z0-9_]*)+")


def report_of(preset):
    loaded = files.load(library.find(preset).path)
    return evaluate(loaded.build, load_catalog(), loaded.folder)


REPORT = report_of("mid-size-team")
CATALOG_CHOICES = {"power.efficiency"}
"""Choices whose facts are rows of the catalog."""


def test_the_promised_figures_are_there():
    assert set(REPORT.figures) >= DESIGNED


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_whole(rule):
    assert ID.fullmatch(rule.id)
    assert rule.id.split(".")[0] in AREAS
    for text in (rule.title, rule.message, rule.source, rule.doc):
        assert text.strip()
    assert rule.doc.endswith(".")
    assert rule.severity > Severity.OK
    assert rule.fields
    assert set(rule.fields) <= {*FIELDS, "cost.price", "limits"}
    assert rule.figure in REPORT.figures
    if isinstance(rule.limit, str):
        limit = REPORT.figures[rule.limit]
        assert limit.spec.kind is REPORT.figures[rule.figure].spec.kind
    if rule.need:
        names = [one.id for one in RULES]
        assert names.index(rule.need) < names.index(rule.id), "the computed need is judged first"
    if rule.warn is not None:
        assert 0 < rule.warn <= 1 or rule.severity > Severity.WARNING


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_message_uses_words_that_are_filled_in(rule):
    for text in (rule.message, rule.ok):
        used = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        assert used <= WORDS


def test_rules_have_ids_of_their_own():
    assert len(BY_ID) == len(RULES)


@pytest.mark.parametrize("name", list(REPORT.figures))
def test_every_figure_is_whole(name):
    figure = REPORT.figures[name]
    spec = figure.spec
    assert spec.id == name
    assert ID.fullmatch(name)
    assert name.split(".")[0] in AREAS
    for text in (spec.title, spec.formula, spec.source):
        assert text.strip()
    assert len(spec.title) <= 32


@pytest.mark.parametrize("name", [*REPORT.figures, *BY_ID])
def test_everything_explains_itself_on_printable_lines(name):
    lines = explain_lines(REPORT, name)
    assert len(lines) > 2
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("preset", [preset.id for preset in library.presets() if preset.shipped])
def test_parts_of_a_figure_sum_to_it_and_ranges_hold_it(preset):
    for name, figure in report_of(preset).figures.items():
        value = float(figure.value.flat[0])
        if figure.parts and figure.adds_up and math.isfinite(value):
            total = math.fsum(float(part.flat[0]) for part in figure.parts.values())
            assert total == pytest.approx(value, rel=1e-6, abs=1e-9), name
        if figure.low is not None and figure.high is not None and math.isfinite(value):
            assert figure.low.flat[0] <= value * (1 + 1e-9), name
            assert value <= figure.high.flat[0] * (1 + 1e-9), name


@pytest.mark.parametrize("preset", [preset.id for preset in library.presets() if preset.shipped])
def test_a_figure_that_is_not_known_is_traced_to_a_missing_fact(preset):
    report = report_of(preset)
    unknown = [
        name
        for name, figure in report.figures.items()
        if math.isnan(figure.value.flat[0]) and name in MAIN - SOMETIMES
    ]
    if unknown:
        assert report.missing, unknown


@pytest.mark.parametrize("key", list(CHOICES))
def test_every_choice_has_its_row_once(key):
    described = FIELDS[key].described
    assert isinstance(described, Choice)
    names = [row.id for row in CHOICES[key]]
    assert set(names) >= set(described.choices)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("key", list(CHOICES))
def test_every_row_of_a_choice_names_its_source(key):
    for row in CHOICES[key]:
        assert row.source.strip()
