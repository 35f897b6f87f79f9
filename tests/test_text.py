"""Reports in words: unknown is said, numbers read apart, everything explains itself."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import KINDS
from ftbuild.engine.core import Figure, FigureSpec, Finding, Report, Rule, Severity
from ftbuild.text import (
    figure_lines,
    figure_range,
    finding_lines,
    message,
    report_document,
    report_lines,
    severity,
    summary,
    table,
    verdict_words,
)
from ftbuild.text.explain import figure_explained, rule_explained
from ftbuild.text.parts import fact, facts, kind_named, part_lines
from ftbuild.text.wording import pair
from ftbuild.units import Kind

SMALL = {"name": "A rig", "workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100-sxm-80gb"}}


def array(value):
    return np.array([value])


def figure(value, *, id_="power.node", kind=Kind.POWER, **more):
    spec = FigureSpec(id_, "Node", kind, "gpus x watts + host", "a data sheet", "fans")
    return Figure(spec, array(value), **more)


def rule(**more):
    plain: dict[str, Any] = {
        "id": "power.fits", "title": "Supply", "severity": Severity.VIOLATION, "figure": "power.node",
        "limit": 1000.0, "fields": ("power.psu",), "message": "draws {value} of {limit}: {margin} over",
        "source": "a book", "doc": "Why.",
    }  # fmt: skip
    return Rule(**(plain | more))


def report(value, finding=None, **more):
    findings = (finding,) if finding else ()
    return Report({"power.node": figure(value, **more)}, (), findings)


def test_a_missed_limit_is_said_with_its_numbers():
    finding = Finding(rule(), Severity.VIOLATION, 1500.0, 1000.0)
    assert message(finding, report(1500.0)) == "draws 1.50 kW of 1.00 kW: 500 W over"


def test_a_met_limit_is_said_plainly_or_in_the_rules_own_words():
    finding = Finding(rule(), Severity.OK, 500.0, 1000.0)
    assert message(finding, report(500.0)) == "Node 500 W, at most 1.00 kW"
    finding = Finding(rule(ok="{margin} left"), Severity.OK, 500.0, 1000.0)
    assert message(finding, report(500.0)) == "500 W left"


def test_a_tight_limit_says_so():
    finding = Finding(rule(), Severity.WARNING, 990.0, 1000.0, tight=True)
    assert "little to spare" in message(finding, report(990.0))


def test_a_rule_of_thumb_that_the_need_outweighs_says_so():
    finding = Finding(rule(guide=True), Severity.WARNING, 1500.0, 1000.0, softened=True)
    assert "rule of thumb" in message(finding, report(1500.0))


def test_what_cannot_be_judged_names_the_missing_fact_and_is_never_ok():
    finding = Finding(rule(), Severity.OK, math.nan, 1000.0, unknown=True)
    made = report(math.nan, finding, note="the catalog does not know the draw", missing=True)
    assert "does not know the draw" in message(finding, made)
    assert severity(finding) is Severity.NOTICE
    assert "1 unknown" in verdict_words(made)
    assert "unknown" in finding_lines(made)[0]


@given(st.floats(1, 1e9), st.floats(1, 1e9))
def test_two_values_that_differ_visibly_read_differently(value, limit):
    texts = pair(value, limit, Kind.POWER)
    if abs(value - limit) > 1e-4 * max(value, limit):
        assert texts[0] != texts[1]


def test_a_range_is_shown_where_there_is_one():
    assert figure_range(figure(1000.0, low=array(900.0), high=array(1100.0))) == "1.00 kW (900 W to 1.10 kW)"
    assert figure_range(figure(1000.0, low=array(1000.0), high=array(1000.0))) == "1.00 kW"
    assert figure_range(figure(1000.0, low=array(math.nan), high=array(1100.0))) == "1.00 kW"
    assert figure_range(figure(math.nan)) == "unknown"


def test_a_figure_shows_its_parts_that_are_not_nothing():
    parts = {"gpus": array(800.0), "host": array(200.0), "fans": array(0.0)}
    lines = figure_lines(figure(1000.0, parts=parts))
    assert len(lines) == 3
    assert "800 W" in lines[1]


def test_an_explanation_has_the_formula_with_this_builds_numbers():
    terms = {
        "gpus": (array(4.0), Kind.COUNT),
        "watts": (array(700.0), Kind.POWER),
        "host": ("a server", Kind.COUNT),
    }
    parts = {"gpus": array(2800.0), "host": array(200.0)}
    lines = figure_explained(figure(3000.0, terms=terms, parts=parts, note="at full load"))
    text = "\n".join(lines)
    assert "Node = gpus x watts + host" in text
    assert "= 4 x 700 W + a server" in text
    assert "93.3 %" in text
    for word in ("a data sheet", "fans", "at full load"):
        assert word in text


def test_an_explanation_of_a_rule_shows_whether_the_limit_is_the_users_own():
    own = Finding(rule(), Severity.VIOLATION, 1500.0, 800.0)
    assert "set in [limits]" in "\n".join(rule_explained(rule(), report(1500.0, own)))
    usual = Finding(rule(), Severity.VIOLATION, 1500.0, 1000.0)
    assert "set in [limits]" not in "\n".join(rule_explained(rule(), report(1500.0, usual)))


def test_a_rule_that_does_not_apply_says_so():
    assert "does not apply" in rule_explained(rule(), report(500.0))[1]


def test_findings_stand_worst_first_and_those_that_are_ok_on_request():
    findings = tuple(Finding(rule(id=f"power.{level.word}"), level, 1500.0, 1000.0) for level in Severity)
    made = Report({"power.node": figure(1500.0)}, (), findings)
    assert [line.split()[1] for line in finding_lines(made)] == ["violation", "warning", "notice"]
    assert len(finding_lines(made, everything=True)) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Llama-3.1-8B, LoRA r16, 1x H100 SXM5 80GB"),
        ({"workload.method": "full"}, "full fine-tuning"),
        ({"workload.method": "qlora"}, "QLoRA r16 nf4"),
        ({"hardware.nodes": 2, "hardware.gpus_per_node": 8}, "16x H100 SXM5 80GB on 2 nodes"),
        ({"hardware.gpu": "h9000"}, "1x h9000"),
    ],
)
def test_a_build_is_summed_up_in_a_line(changes, words):
    assert words in summary(builds.changed(builds.read(SMALL), changes), load_catalog())


def test_a_report_leads_with_file_and_verdict():
    finding = Finding(rule(), Severity.VIOLATION, 1500.0, 1000.0)
    lines = report_lines(report(1500.0, finding), builds.read(SMALL), "a\x1b[2Jb.toml")
    assert lines[0] == "a?[2Jb.toml: 1 violation"
    assert lines[1].startswith("A rig: ")
    assert all(line.isprintable() for line in lines)


def test_the_document_has_null_for_nan_and_infinities():
    finding = Finding(rule(), Severity.OK, math.nan, math.inf, unknown=True)
    made = report(math.nan, finding, low=array(-math.inf), parts={"a": array(math.nan), "b": array(2.5)})
    document = report_document(made, builds.read(SMALL), "a.toml")
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    node = document["figures"]["power.node"]
    assert node == {"value": None, "unit": "W", "low": None, "high": None, "parts": {"a": None, "b": 2.5}}
    assert document["findings"][0]["severity"] == "notice"


def test_a_table_aligns_its_columns():
    assert table(("a", "bb"), [("x", "1"), ("yy", "22")], right={1}) == ["a   bb", "x    1", "yy  22"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_every_part_of_the_catalog_is_told_on_printable_lines(kind):
    for part in load_catalog().rows(kind):
        assert facts(part).isprintable()
        assert all(line.isprintable() for line in part_lines(part))
        assert part.source.split()[0] in "\n".join(part_lines(part))


def test_a_kind_is_named_in_the_singular_or_plural():
    assert kind_named("gpu") is kind_named("GPUs") is KINDS[0]
    assert kind_named("toaster") is None


def test_an_unknown_fact_is_a_question_mark():
    part = load_catalog().find(KINDS[0], "mi300x-oam-192gb")
    assert fact(part, "price") == "?"
    assert "price" in "\n".join(part_lines(part)).partition("not known")[2]
