"""`ftbuild fix`: what clears the violations, printed and applied."""

import io
import json
import sys
import tomllib

import pytest


@pytest.fixture(name="large")
def fixture_large(small):
    small.write_text(
        small.read_text()
        .replace('loss = "fused"', "micro_batch = 16\nmine = 1")
        .replace("h100-sxm-80gb", "rtx-4090-24gb")
    )
    return small


def test_a_build_that_is_fine_gives_0(run, small):
    result = run("fix", small, "--set", "hardware.gpu=h100-pcie-80gb")
    assert result.status == 0
    assert "nothing to fix" in result.out
    assert "vram.fits is met" in run("fix", small, "vram.fits").out


def test_findings_are_listed_with_the_numbers_of_their_fixes(run, large):
    result = run("fix", large)
    assert result.status == 1
    assert "x violation vram.fits" in result.out
    assert "[fix 1" in result.out
    assert "workload.loss: standard -> fused" in result.out
    assert " -> " in result.out.split("VRAM / GPU", 1)[1]


def test_applying_writes_the_first_fix_and_keeps_unknown_keys(run, large):
    result = run("fix", large, "vram.fits", "--apply")
    assert result.status == 0
    document = tomllib.loads(large.read_text())
    assert document["workload"]["mine"] == 1
    assert run("check", large).status == 0
    assert f"{large}: " in result.err


def test_another_fix_is_taken_by_its_number(run, large):
    listed = json.loads(run("fix", large, "--json").out)["fixes"]
    run("fix", large, "--apply", "--number", "2")
    document = tomllib.loads(large.read_text())
    for key, text in listed[1]["changes"].items():
        section, name = key.split(".")
        assert str(document[section][name]) == text


def test_an_output_file_leaves_the_build_as_it_was(run, large, tmp_path):
    before, out = large.read_text(), tmp_path / "out.toml"
    assert run("fix", large, "-o", out).status == 0
    assert large.read_text() == before
    assert run("check", out).status == 0


def test_json_tells_changes_and_figures_before_and_after(run, large):
    result = run("fix", large, "vram.fits", "--json")
    found = json.loads(result.out)
    assert result.status == 1
    assert [one["rule"] for one in found["findings"]] == ["vram.fits"]
    assert found["fixes"]
    for number, fix in enumerate(found["fixes"], 1):
        assert fix["number"] == number
        assert "vram.fits" in fix["clears"]
        assert fix["changes"]
        for figure in fix["figures"].values():
            assert set(figure) == {"unit", "before", "after"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["vram.fit"], "did you mean vram.fits"),
        (["--apply", "--number", "99"], "no fix 99"),
        (["--set", "workload.micro_batch=0"], "workload.micro_batch"),
    ],
)
def test_bad_input_gives_2_and_says_what_is_expected(run, large, words, said):
    result = run("fix", large, *words)
    assert result.status == 2
    assert said in result.err


def test_a_finding_that_nothing_clears_is_said_to_be_so(run, large):
    result = run("fix", large, "--set", "limits.vram.guide=1GB", "--set", "limits.vram.fits=1MB", "--apply")
    assert result.status == 2
    assert "none was found" in result.err
    assert "no change of the build was found" in run("fix", large, "--set", "limits.vram.fits=1MB").out


def test_standard_input_is_read_but_not_written(run, large, monkeypatch, tmp_path):
    data = large.read_bytes()
    for words, status in ((["-"], 1), (["-", "--apply"], 2), (["-", "-o", tmp_path / "out.toml"], 0)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run("fix", *words).status == status
