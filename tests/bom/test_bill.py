"""The bill of materials: counted, priced where prices are known, safe in every format."""

import csv
import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild import files, library
from ftbuild.bom import EXPORTERS, Bill, Row, bill, total_lines
from ftbuild.bom.as_csv import COLUMNS, safe
from ftbuild.bom.as_markdown import escaped
from ftbuild.catalog import load_catalog

PRESETS = [preset.id for preset in library.presets() if preset.shipped]


def made(preset, **changes):
    build = files.load(library.find(preset).path).build
    return bill(builds.changed(build, changes), load_catalog())


def row(**values):
    plain: dict[str, Any] = {
        "id": "x", "title": "A part", "group": "compute", "quantity": 2.0, "price": 10.0, "power": 5.0,
        "implied": False, "quoted": False, "price_date": "2026", "price_source": "a list", "assumption": "",
    }  # fmt: skip
    return Row(**(plain | values))


def rows_of(text):
    return [dict(zip(COLUMNS, cells, strict=True)) for cells in list(csv.reader(io.StringIO(text)))[1:]]


def test_the_parts_of_the_mid_size_team_are_counted():
    quantities = {one.id: one.quantity for one in made("mid-size-team").rows}
    assert quantities["h100-sxm-80gb"] == 4
    assert quantities["amd-epyc-9654"] == 2
    assert quantities["kioxia-cm7-v-3.84tb"] == 4
    assert quantities["kioxia-cm7-v-1.92tb"] == 2
    assert quantities["gpu-baseboard"] == 1


def test_the_parts_of_all_nodes_are_counted():
    quantities = {one.id: one.quantity for one in made("enterprise").rows}
    assert quantities["b200-sxm-192gb"] == 16
    assert quantities["amd-epyc-9684"] == 4
    assert quantities["kioxia-cm7-v-7.68tb"] == 16


def test_parts_that_nobody_typed_say_what_was_assumed():
    for one in made("mid-size-team").rows:
        if one.implied and one.group != "power":
            assert one.assumption


def test_an_unknown_price_is_counted_and_not_taken_as_nothing():
    both = Bill("a", (row(), row(id="y", price=None)))
    assert both.total == 20
    assert len(both.unpriced) == 1
    assert total_lines(both)[0] == "Total: at least $20.00; 1 of 2 parts without a known price"


def test_an_unknown_draw_is_counted_and_not_taken_as_nothing():
    both = Bill("a", (row(), row(id="y", power=None)))
    assert both.power == 10
    assert total_lines(both)[-1].startswith(
        "Power: 10.0 W at full draw of the listed parts whose draw is known"
    )
    assert "1 of 2 parts without a known draw" in total_lines(both)[-1]
    assert "known" not in total_lines(Bill("a", (row(),)))[-1]


def test_parts_that_take_power_which_nobody_states_have_no_draw():
    draws = {one.id: one.draw for one in made("mid-size-team").rows}
    assert draws["h100-sxm-80gb"] == 2800
    for name in ("gpu-baseboard", "server-chassis", "boot-drive"):
        assert draws[name] is None
    rows = rows_of(EXPORTERS["csv"](made("mid-size-team")))
    assert next(one for one in rows if one["id"] == "server-chassis")["power_w"] == ""


def test_a_quote_of_the_users_own_wins_over_the_catalog():
    gpu = next(one for one in made("solo-founder", **{"cost.price.rtx-4090-24gb": 2500}).rows)
    assert gpu.price == 2500
    assert gpu.extended == 5000
    assert gpu.price_source == "your quote"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((row(),), "$80.00 more than the parts"),
        ((row(price=100.0),), "known prices alone exceed by $100.00"),
        ((row(), row(id="y", price=None)), "leaves $80.00 for the parts without a known price"),
    ],
)
def test_the_total_is_held_against_the_quoted_one(rows, words):
    assert words in total_lines(Bill("a", rows, quote=100.0))[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_bill_in_every_format(preset):
    one = made(preset)
    assert one.rows
    for export in EXPORTERS.values():
        assert export(one)


def test_csv_holds_plain_numbers_and_leaves_unknown_prices_empty():
    rows = rows_of(EXPORTERS["csv"](Bill("a", (row(), row(id="y", price=None)), quote=100.0)))
    assert [one["extended_usd"] for one in rows] == ["20", "", "20", "", "", "100"]
    assert [one["quantity"] for one in rows[3:5]] == ["1", "0"]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "|calc", "%0", " =1", "\uff1d1"]
)
def test_csv_text_that_looks_like_a_formula_is_defused(text):
    hostile = Bill("a", (row(id=text, title=text, assumption=text),))
    cells = rows_of(EXPORTERS["csv"](hostile))[0]
    for name in ("id", "part", "remarks"):
        assert cells[name] == f"'{text}"


@given(st.text())
def test_no_csv_text_starts_like_a_formula(text):
    assert not safe(text).lstrip(" \u00a0\ufeff").startswith(("=", "+", "-", "@", "\t", "\r"))


def test_markdown_shows_text_as_it_stands():
    shown = EXPORTERS["md"](Bill("<b>[x](y)", (row(title="a|b\n# c `d` *e*"),)))
    assert "# Bill of materials: \\<b\\>\\[x\\](y)" in shown
    assert "| a\\|b \\# c \\`d\\` \\*e\\* | 2 |" in shown


@given(st.text())
def test_markdown_text_stays_in_its_cell(text):
    assert "\n" not in escaped(text)
    assert "|" not in escaped(text).replace("\\|", "").replace("\\\\", "")


def test_json_has_null_for_what_is_not_known():
    document = json.loads(EXPORTERS["json"](Bill("a", (row(price=None, power=None),))))
    assert document["rows"][0]["unit_price"] is None
    assert document["rows"][0]["power"] is None
    assert document["unpriced"] == 1
    assert math.isclose(document["total"], 0)
