"""The other commands, and what the command line does when something is wrong."""

import io
import json
import sys
from pathlib import Path

import pytest

from ftbuild import files, library
from ftbuild.cli import app
from ftbuild.cli.app import COMMANDS


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.status == 0
    for name in COMMANDS:
        assert name in result.out


@pytest.mark.parametrize("name", [*COMMANDS, "open"])
def test_every_command_explains_itself(run, name):
    result = run(name, "--help")
    assert result.status == 0
    assert f"Usage: ftbuild {name}" in result.out


def test_the_version_is_told(run):
    result = run("--version")
    assert result.status == 0
    assert result.out.startswith("ftbuild ")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chekc"], "Did you mean 'check'?"),
        (["nonsense"], "ftbuild --help"),
        (["check", "--jsn", "x"], "--json"),
        (["check"], "FILE"),
        (["--color", "purple", "x"], "truecolor"),
        (["--colour", "x"], "--color"),
        (["bom", "x", "--format", "pdf"], "csv"),
    ],
)
def test_a_mistyped_command_line_gives_2_and_a_hint(run, arguments, hint):
    result = run(*arguments)
    assert result.status == 2
    assert hint in result.err


def test_a_file_without_a_terminal_prints_the_report(run, small):
    assert run(small).out == run("check", small).out


@pytest.mark.parametrize(
    ("arguments", "path", "options"),
    [
        ([], None, ("auto", True, "auto")),
        (["rig.toml"], "rig.toml", ("auto", True, "auto")),
        (["--no-mouse", "--ascii", "--color", "16", "rig.toml"], "rig.toml", ("16", False, "on")),
        (["--color", "none"], None, ("none", True, "auto")),
        (["rig.toml", "--color", "none"], "rig.toml", ("none", True, "auto")),
    ],
)
def test_a_terminal_gets_the_screen_with_the_options(run, monkeypatch, arguments, path, options):
    asked = []

    def opens(*given):
        asked.append(given)
        return 7

    monkeypatch.setattr("ftbuild.cli.screen._is_terminal", lambda _: True)
    monkeypatch.setattr("ftbuild.tui.run", opens)
    assert run(*arguments).status == 7
    ((opened, given),) = asked
    assert opened == (Path(path) if path else None)
    assert (given.color, given.mouse, given.ascii) == options


def test_no_file_and_no_terminal_says_what_to_do(run):
    result = run()
    assert result.status == 2
    assert "ftbuild check" in result.err


def test_explain_shows_formula_numbers_parts_and_source(run, small):
    result = run("explain", small, "vram.per_gpu")
    assert result.status == 0
    for word in ("formula", "made of", "weights", "source", "GiB"):
        assert word in result.out


def test_explain_of_a_rule_shows_its_limit_fields_and_figures(run, small):
    result = run("explain", small, "vram.fits")
    for word in ("limit", "look at", "workload.", "source", "vram.per_gpu", "vram.usable"):
        assert word in result.out


def test_explain_of_nothing_known_names_what_comes_close(run, small):
    result = run("explain", small, "vram.per_gpuu")
    assert result.status == 2
    assert "vram.per_gpu" in result.err


def test_explain_lists_rules_and_figures(run):
    assert "vram.fits" in run("explain", "--rules").out
    assert "vram.per_gpu" in run("explain", "--figures").out


def test_explain_shows_how_the_memory_model_fares(run):
    result = run("explain", "--accuracy")
    assert result.status == 0
    assert "A100, torch peak" in result.out
    assert max(map(len, result.out.splitlines())) <= 100


def test_presets_are_listed_with_their_paths(run):
    result = run("presets")
    assert "mid-size-team" in result.out
    paths = run("presets", "--paths").out.split()
    assert len(paths) == len(library.presets())


def test_a_preset_of_the_users_own_is_listed_and_used(run, tmp_path, small):
    own = tmp_path / "config" / "ftbuild" / "presets"
    own.mkdir(parents=True)
    (own / "lab.toml").write_text(small.read_text())
    (own / "broken.toml").write_text("= =")
    listed = run("presets").out
    assert "lab" in listed
    assert "cannot be read" in listed
    assert run("new", "copy", "--from", "lab").status == 0


@pytest.mark.parametrize("preset", [preset.id for preset in library.presets() if preset.shipped])
def test_new_copies_a_preset_under_its_own_name(run, tmp_path, preset):
    assert run("new", "my rig", "--from", preset).status == 0
    made = files.load(tmp_path / "my rig.toml")
    original = files.load(library.find(preset).path)
    assert made.build == original.build.model_copy(update={"name": "my rig"})


def test_new_replaces_no_file_unasked(run, tmp_path):
    (tmp_path / "rig.toml").write_text("mine")
    assert run("new", "rig").status == 2
    assert (tmp_path / "rig.toml").read_text() == "mine"
    assert run("new", "rig", "--force").status == 0
    assert files.load(tmp_path / "rig.toml").build.name == "rig"


@pytest.mark.parametrize("name", ["a\x1b[2J", "x" * 90, "missing/rig"])
def test_new_refuses_names_that_cannot_be(run, name):
    assert run("new", name).status == 2


def test_new_of_an_unknown_preset_names_what_comes_close(run):
    assert "solo-founder" in run("new", "x", "--from", "solo").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["gpu", "model"]),
        (["gpu"], ["h100-sxm-80gb", "rtx-4090-24gb"]),
        (["gpus", "h100"], ["h100-sxm-80gb", "h100-pcie-80gb"]),
        (["gpu", "h100-sxm-80gb"], ["source", "700 W", "3.35 TB/s"]),
        (["model", "llama 405b"], ["126"]),
    ],
)
def test_the_catalog_is_searched(run, arguments, words):
    result = run("catalog", *arguments)
    assert result.status == 0
    for word in words:
        assert word in result.out


@pytest.mark.parametrize(("arguments", "hint"), [(["gpuz"], "gpu"), (["gpu", "h1000"], "h100")])
def test_a_catalog_search_for_nothing_names_what_comes_close(run, arguments, hint):
    result = run("catalog", *arguments)
    assert result.status == 2
    assert hint in result.err


def test_the_catalog_is_printed_as_json(run):
    rows = json.loads(run("catalog", "gpu", "h100", "--json").out)
    assert all(row["kind"] == "gpu" and row["source"] for row in rows)


def test_the_users_own_parts_are_in_the_catalog(run, tmp_path):
    own = tmp_path / "config" / "ftbuild" / "catalog"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text('[[drive]]\nid = "h100-sxm-80gb"\nname = "Odd"\n')
    result = run("catalog")
    assert result.status == 2
    assert "mine.toml" in result.err


def test_the_schema_is_json_or_lines(run):
    assert json.loads(run("schema").out)["properties"]["workload"]
    assert "workload.model" in run("schema", "--text").out


@pytest.mark.parametrize("form", ["text", "csv", "md", "json"])
def test_a_bill_is_printed_in_every_format(run, small, form):
    result = run("bom", small, "--format", form)
    assert result.status == 0
    assert "H100 SXM5" in result.out


def test_a_bill_takes_its_format_from_the_file_it_is_written_to(run, small, tmp_path):
    result = run("bom", small, "-o", "bill.json")
    assert result.out == ""
    assert json.loads((tmp_path / "bill.json").read_text())["rows"]


def test_a_bill_that_cannot_be_written_gives_2(run, small, tmp_path):
    assert run("bom", small, "-o", tmp_path).status == 2
    assert run("bom", small, "-o", small / "below").status == 2


# Faults


class Closed(io.TextIOWrapper):
    """Standard output whose reader has gone."""

    def __init__(self, error):
        super().__init__(io.BytesIO(), write_through=True)
        self.error = error

    def write(self, text):
        raise self.error

    def fileno(self):
        raise OSError


@pytest.mark.parametrize(
    ("error", "status"), [(BrokenPipeError(), app.PIPE_CLOSED), (OSError(28, "No space left"), 2)]
)
def test_an_output_that_fails_gives_a_status_and_no_traceback(monkeypatch, capsys, error, status):
    monkeypatch.setattr(sys, "stdout", Closed(error))
    with pytest.raises(SystemExit) as left:
        app.main(["schema"])
    assert left.value.code == status
    assert "Traceback" not in capsys.readouterr().err


def test_a_fault_of_ftbuild_is_told_in_one_line(run, monkeypatch, small):
    def broken(*_):
        raise RuntimeError("a \x1b[2J fault")

    monkeypatch.setattr("ftbuild.cli.session.evaluated", broken)
    result = run("check", small)
    assert result.status == app.FAULT
    assert result.err.count("\n") == 1
    assert "\x1b" not in result.err
