"""What a command may write over, closed streams, and the names that messages use."""

import io
import json
import os
import subprocess
import sys
import tomllib

import pytest

BAD_PART = '\n[[catalog.gpu]]\nid = "x"\nmemory = -3\n\n[mine]\na = 1\n'


def start(*arguments, **options):
    """Run the command line in a process of its own, with streams of the test's."""
    return subprocess.run([sys.executable, "-m", "ftbuild", *arguments], check=False, timeout=60, **options)


@pytest.mark.parametrize("form", [[], ["--format", "json"], ["--format", "text"]])
def test_a_bill_never_replaces_the_build_that_it_is_of(run, small, tmp_path, form):
    before = small.read_bytes()
    (tmp_path / "link.csv").symlink_to(small)
    (tmp_path / "hard.csv").hardlink_to(small)
    for name in (small, tmp_path / "link.csv", tmp_path / "hard.csv", "./small.toml"):
        result = run("bom", small, "-o", name, *form)
        assert result.status == 2
        assert result.err
    assert small.read_bytes() == before


def test_a_bill_never_replaces_the_configuration_of_the_model(run, small, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({
        "model_type": "llama", "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "vocab_size": 100,
    }))  # fmt: skip
    small.write_text(small.read_text().replace("meta-llama/Llama-3.1-8B", "config.json"))
    assert run("bom", small, "-o", "config.json").status == 2
    assert json.loads(config.read_text())["model_type"] == "llama"


@pytest.mark.parametrize("name", ["bill.toml", "bill.pdf", "bill.xlsx"])
def test_a_suffix_of_no_format_is_refused_unless_one_is_named(run, small, tmp_path, name):
    result = run("bom", small, "-o", name)
    assert result.status == 2
    assert "--format" in result.err
    assert not (tmp_path / name).exists()
    assert run("bom", small, "-o", name, "--format", "csv").status == 0
    assert (tmp_path / name).read_text().startswith("id,part")


def test_a_dash_is_standard_output(run, small, tmp_path):
    assert run("bom", small, "-o", "-", "--format", "csv").out.startswith("id,part")
    text = run(
        "fix", small, "-o", "-", "--set", "hardware.gpu=rtx-4090-24gb", "--set", "workload.micro_batch=64"
    )
    assert tomllib.loads(text.out)["ftbuild"] == 1
    assert "standard output: " in text.err
    assert not (tmp_path / "-").exists()


def test_a_fix_is_written_over_its_build_only_where_that_is_asked_for(run, small):
    small.write_text(small.read_text().replace("h100-sxm-80gb", "rtx-4090-24gb") + "[workload.x]\n")
    small.write_text(small.read_text().replace('loss = "fused"', "micro_batch = 16"))
    before = small.read_bytes()
    result = run("fix", small, "-o", small)
    assert result.status == 2
    assert "--apply" in result.err
    assert small.read_bytes() == before
    assert run("fix", small, "-o", "out.pdf").status == 2


@pytest.mark.parametrize("arguments", [["check"], ["schema"], ["presets"], ["bom"]])
def test_a_closed_standard_output_gives_2_and_says_so(small, arguments):
    files = [str(small)] if arguments[0] in ("check", "bom") else []
    result = start(*arguments, *files, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert result.returncode == 2
    assert result.stderr == b"ftbuild: standard output is closed; expected one to write to\n"


def test_a_closed_standard_input_gives_2_and_says_so():
    result = start("check", "-", capture_output=True, preexec_fn=lambda: os.close(0))
    assert result.returncode == 2
    assert result.stderr.startswith(b"standard input: ")


@pytest.mark.parametrize("arguments", [["check", "gone.toml"], ["check", "--bad"], ["nonsense"]])
def test_a_standard_error_that_takes_nothing_gives_2(arguments):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        assert start(*arguments, stdout=subprocess.PIPE, stderr=full).returncode == 2
    assert start(*arguments, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2)).returncode == 2


@pytest.mark.parametrize("command", ["check", "bom", "fix"])
def test_a_bad_part_of_the_builds_own_is_reported_with_its_file(run, small, monkeypatch, command):
    text = small.read_text() + BAD_PART
    small.write_text(text)
    lines = run(command, small).err.splitlines()
    assert lines[0].startswith(f"{small}: catalog.gpu[0] 'x'.memory: found -3")
    assert lines[1].startswith(f"{small}: mine: unknown key")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert all(line.startswith("standard input: ") for line in run(command, "-").err.splitlines())


def test_standard_input_has_one_name(run, small, monkeypatch):
    text = small.read_bytes() + b"[mine]\na = 1\n"
    for command in ("check", "fix"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        result = run(command, "-")
        assert result.out.startswith("standard input: ")
        assert result.err.startswith("standard input: mine: unknown key")


@pytest.mark.parametrize("command", ["check", "bom", "fix", "explain"])
def test_a_price_of_no_part_is_told(run, small, command):
    small.write_text(small.read_text() + '[cost.price]\n"h100-sxm-80g" = 1\n"boot-drive" = 5\n"H100" = 2\n')
    lines = run(command, small).err.splitlines()
    assert len(lines) == 1
    assert "cost.price.h100-sxm-80g: no such part" in lines[0]
    assert "did you mean h100-sxm-80gb?" in lines[0]
    assert run("check", small, "--strict").status == 1
    assert "h100-sxm-80g" in small.read_text()


def test_a_price_set_for_a_part_of_the_builds_own_is_no_stranger(run, small):
    small.write_text(small.read_text() + '[[catalog.gpu]]\nid = "h100-sxm-80gb"\nname = "Mine"\n')
    assert "no such part" not in run("check", small, "--set", "cost.price.Mine=3").err
    assert "no such part" in run("check", small, "--set", "cost.price.mime-9=3").err


def test_values_are_set_as_a_file_holds_them(run, small):
    listed = run("check", small, "--json", "--set", 'workload.targets=["q_proj","v_proj"]')
    typed = run("check", small, "--json", "--set", "workload.targets=q_proj,v_proj")
    assert json.loads(listed.out) == json.loads(typed.out)
    assert "My rig: " in run("check", small, "--set", 'name="My rig"').out


@pytest.mark.parametrize("text", ['["q_proj"', '["a"]\nb = 1', "[" * 5000, "[[1]]"])
def test_a_list_that_is_none_gives_2(run, small, text):
    assert run("check", small, "--set", f"workload.targets={text}").status == 2


@pytest.mark.parametrize("name", ["", " ", ".", "..", "x/", "./", ".toml"])
def test_new_refuses_what_is_no_name(run, tmp_path, name):
    before = sorted(tmp_path.iterdir())
    result = run("new", name)
    assert result.status == 2
    assert "expected a name" in result.err
    assert sorted(tmp_path.iterdir()) == before


def test_new_says_a_command_that_opens_its_file(run):
    assert "ftbuild ./-x.toml" in run("new", "--", "-x").out
    assert "ftbuild 'my rig.toml'" in run("new", "my rig").out


@pytest.mark.parametrize("model", ["./llama-3.1-8b", "/models/llama-3.1-8b", "~/llama", "../m", "some/where"])
def test_a_path_that_is_no_configuration_is_refused_with_what_it_must_name(run, small, model):
    result = run("check", small, "--set", f"workload.model={model}")
    assert result.status == 2
    assert "config.json" in result.err


def test_a_folder_is_refused_with_what_it_must_name(run, small, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").write_text("{}")
    result = run("check", small, "--set", "workload.model=./mine")
    assert result.status == 2
    assert "a path must name the model's config.json" in result.err


@pytest.mark.parametrize("text", ["ftbuild = 2", "ftbuild = 0", "ftbuild = 1.5"])
def test_another_schema_is_said_to_need_another_ftbuild(run, tmp_path, text):
    (tmp_path / "rig.toml").write_text(text)
    assert (
        "expected schema version 1; a file of a newer one needs a newer ftbuild"
        in run("check", "rig.toml").err
    )


def test_a_huge_integer_of_a_file_brings_no_advice_on_python(run, tmp_path):
    (tmp_path / "rig.toml").write_text("ftbuild = " + "9" * 5000)
    result = run("check", "rig.toml")
    assert "an integer of too many digits" in result.err
    assert "sys." not in result.err
