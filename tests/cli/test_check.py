"""`ftbuild check`: the verdict as lines, as JSON, and as an exit status."""

import io
import json
import sys

import pytest

TOO_LARGE = "workload.sequence_length=65536"


def test_a_build_without_violations_gives_0(run, small):
    result = run("check", small)
    assert result.status == 0
    assert result.out.startswith(f"{small}: ")
    assert "vram.per_gpu" in result.out
    assert result.err == ""


def test_a_violation_gives_1_and_its_rule(run, small):
    result = run("check", small, "--set", "hardware.gpu=t4-16gb", "--set", TOO_LARGE)
    assert result.status == 1
    assert "x violation vram.fits" in result.out


def test_a_warning_gives_1_with_strict_only(run, small):
    limit = "--set", "limits.vram.fits=500GB", "--set", "limits.vram.comfortable=1GB"
    assert run("check", small, *limit).status == 0
    assert run("check", small, *limit, "--strict").status == 1


def test_bad_input_gives_2_and_the_other_files_are_still_checked(run, small):
    result = run("check", "missing.toml", small)
    assert result.status == 2
    assert f"{small}: " in result.out
    assert result.err == "missing.toml: found no such file or folder; expected a file to read\n"


def test_a_dash_reads_standard_input(run, small, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(small.read_bytes())))
    assert run("check", "-").status == 0


def test_an_unknown_key_is_told_and_counts_with_strict(run, small):
    small.write_text(small.read_text() + "gpus = 3\n")
    result = run("check", small)
    assert result.status == 0
    assert f"{small}: hardware.gpus: unknown key" in result.err
    assert run("check", small, "--strict").status == 1


def test_json_is_an_array_of_a_document_a_file(run, small):
    result = run("check", "missing.toml", small, "--json")
    assert result.status == 2
    missing, found = json.loads(result.out)
    assert missing["file"] == "missing.toml"
    assert set(missing["error"]) == {"key", "found", "expected", "message"}
    assert set(found) == {"schema", "file", "build", "verdict", "figures", "findings"}
    assert found["schema"] == 1
    assert found["build"] == "Small"
    assert found["verdict"] in ("ok", "warning", "violation")
    for figure in found["figures"].values():
        assert set(figure) == {"value", "unit", "low", "high", "parts"}
    for finding in found["findings"]:
        assert set(finding) - {"unknown"} == {
            "rule",
            "severity",
            "value",
            "limit",
            "unit",
            "message",
            "source",
        }
        assert finding["severity"] in ("ok", "notice", "warning", "violation")
    figure = found["figures"]["vram.per_gpu"]
    assert figure["unit"] == "B"
    assert sum(figure["parts"].values()) == pytest.approx(figure["value"])


def test_json_has_null_for_what_cannot_be_computed(run, small):
    result = run("check", small, "--json", "--set", "hardware.gpu=mi325x-oam-256gb")
    document = json.loads(result.out, parse_constant=pytest.fail)[0]
    assert document["figures"]["vram.usable"]["value"] is None
    fits = next(finding for finding in document["findings"] if finding["rule"] == "vram.fits")
    assert fits["severity"] == "notice"
    assert fits["limit"] is None
    assert fits["unknown"] is True
    known = next(finding for finding in document["findings"] if finding["severity"] == "ok")
    assert "unknown" not in known


def test_a_name_that_is_not_utf_8_gives_json_that_every_reader_takes(run):
    text = run("check", "gone\udcff.toml", "--json").out
    (document,) = json.loads(text)
    document["file"].encode("utf-8")
    assert document["file"] == "gone\ufffd.toml"


@pytest.mark.parametrize(
    ("assignment", "key"),
    [
        ("workload.micro_batch=lots", "workload.micro_batch"),
        ("workload.micro_bach=2", "workload.micro_bach"),
        ("hardware.gpu=h9000", "hardware.gpu"),
        ("hardware.tensor_parallel=3", "hardware.tensor_parallel"),
        ("limits.vram.fitz=3", "limits.vram.fitz"),
        ("limits.vram.fits=3 parsecs", "limits.vram.fits"),
        ("workload.model=no/config.json", "workload.model"),
    ],
)
def test_a_wrong_assignment_names_the_key_and_what_is_accepted(run, small, assignment, key):
    result = run("check", small, "--json", "--set", assignment)
    assert result.status == 2
    error = json.loads(result.out)[0]["error"]
    assert error["key"] == key
    assert error["found"]
    assert error["expected"]


@pytest.mark.parametrize("text", ["nonsense", "=4", ""])
def test_an_assignment_without_a_key_or_value_is_refused(run, small, text):
    assert run("check", small, "--set", text).status == 2


def test_an_optional_key_is_cleared_by_no_value(run, small):
    small.write_text(small.read_text() + 'cpu = "no such thing"\n')
    assert run("check", small).status == 2
    assert run("check", small, "--set", "hardware.cpu=").status == 0


def test_a_bad_part_of_the_builds_own_is_named(run, small):
    small.write_text(small.read_text() + '[[catalog.gpu]]\nid = "mine"\nmemory = "lots"\n')
    result = run("check", small)
    assert result.status == 2
    assert "catalog.gpu" in result.err


def test_a_models_path_is_relative_to_the_build_and_not_to_where_one_stands(
    run, small, tmp_path, monkeypatch
):
    config = {
        "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1000, "tie_word_embeddings": False,
        "max_position_embeddings": 2048,
    }  # fmt: skip
    folder = tmp_path / "rig"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    path = folder / "own.toml"
    path.write_text(small.read_text().replace("meta-llama/Llama-3.1-8B", "config.json"))
    result = run("check", path, "--json", "--set", "workload.method=full")
    # Embedding and head 2 x 1000 x 64; a layer: q, o 64 x 64, k, v 64 x 32, MLP 3 x 64 x 128, norms.
    layer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64
    assert json.loads(result.out)[0]["figures"]["vram.params"]["value"] == 2 * 1000 * 64 + 2 * layer + 64
    monkeypatch.chdir(folder)
    assert run("bom", "own.toml").status == 0


@pytest.mark.parametrize("content", ["", "[]", "{", '{"hidden_size": "x"}', "\x00", "[" * 5000])
def test_a_bad_model_file_is_named(run, small, tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    result = run("check", small, "--set", "workload.model=config.json", "--json")
    assert result.status == 2
    assert json.loads(result.out)[0]["error"]["key"] == "workload.model"
