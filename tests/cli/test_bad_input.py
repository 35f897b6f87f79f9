"""Whatever a file holds: a clear error, status 2, nothing lost, no traceback."""

import os
import subprocess
import sys

import pytest

FILES = {
    "empty": b"",
    "blank": b"\n\n",
    "binary": bytes(range(256)),
    "not utf-8": b'name = "\xff\xfe"',
    "no toml": b"<html>",
    "cut off": b"[workload",
    "twice": b"[workload]\n[workload]\n",
    "no tables": b"a = 1",
    "wrong type": b'workload = 3\nhardware = "h100"\n',
    "list": b"workload = [1, 2]\nhardware = []\n",
    "deep": b"a = " + b"[" * 10_000,
    "deep keys": b"a." * 100_000 + b"b = 1",
    "newer": b"ftbuild = 99\n",
    "odd version": b'ftbuild = "one"\n',
}
VALUES = {
    "nan": "workload.micro_batch = nan",
    "inf": "hardware.ram = inf",
    "negative": "hardware.nodes = -1",
    "zero": "hardware.gpus_per_node = 0",
    "huge": "workload.sequence_length = " + "9" * 400,
    "huge float": "power.psu = 1e308",
    "text": 'workload.rank = "sixteen"',
    "boolean": "workload.rank = true",
    "date": "workload.rank = 1979-05-27",
    "unknown part": 'hardware.cpu = "epyc 9999"',
    "escape": 'hardware.cpu = "\\u001b[2J"',
    "override": 'hardware.cpu = "\\u202egnp.exe"',
    "markup": 'hardware.cpu = "[/b]"',
    "long": 'hardware.cpu = "' + "x" * 100_000 + '"',
    "own part": 'catalog.gpu = [{id = "mine", memory = nan}]',
    "own kind": 'catalog.toaster = [{id = "mine"}]',
    "cycle of quotes": 'cost.price."" = "=1+1"',
    "limit": 'limits."vram.fits" = "\\u0007"',
}
BASE = b'workload.model = "meta-llama/Llama-3.1-8B"\nhardware.gpu = "h100-sxm-80gb"\n'
COMMANDS: tuple[list[str], ...] = (["check"], ["check", "--json"], ["bom"], ["explain"], [])


@pytest.mark.parametrize("name", [*FILES, *VALUES])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command) or "open")
def test_a_bad_file_gives_2_and_printable_lines(run, tmp_path, name, command):
    content = FILES[name] if name in FILES else BASE + VALUES[name].encode()
    path = tmp_path / "rig.toml"
    path.write_bytes(content)
    result = run(*command[:1], path, *command[1:])
    assert result.status == 2, result
    assert result.err
    assert result.err.replace("\n", "").isprintable()
    assert path.read_bytes() == content


def test_a_file_of_50_mb_gives_2_at_once(run, tmp_path):
    path = tmp_path / "rig.toml"
    with path.open("wb") as stream:
        stream.write(BASE)
        stream.truncate(50_000_000)
    assert run("check", path).status == 2


@pytest.mark.parametrize("name", [".", "gone.toml", "rig.toml/x", "x" * 300, "a\x1b[2J.toml", "\udcff.toml"])
def test_a_bad_path_gives_2_and_printable_lines(run, tmp_path, name):
    (tmp_path / "rig.toml").write_bytes(BASE)
    result = run("check", name)
    assert result.status == 2
    assert result.err.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "name", ["[b].toml", "a b.toml", "-x.toml", "ü.toml", "\u202egnp.toml", "$(id).toml"]
)
def test_a_file_of_an_odd_name_is_read(run, tmp_path, name):
    (tmp_path / name).write_bytes(BASE)
    result = run("check", "--", name)
    assert result.status in (0, 1)
    assert result.out.replace("\n", "").isprintable()


def shell(*arguments, **options):
    command = [sys.executable, "-m", "ftbuild", *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=60, **options)


def test_a_full_disk_under_standard_output_gives_2():
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        result = subprocess.run(
            [sys.executable, "-m", "ftbuild", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert result.returncode == 2
    assert b"cannot write" in result.stderr
    assert b"Traceback" not in result.stderr
    assert b"Exception ignored" not in result.stderr


def test_a_reader_that_goes_away_ends_it_quietly():
    read, write = os.pipe()
    os.close(read)
    try:
        result = subprocess.run(
            [sys.executable, "-m", "ftbuild", "schema"],
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(write)
    assert result.returncode == 141
    assert result.stderr == b""


def test_it_runs_in_an_ascii_terminal_and_says_question_marks(tmp_path):
    (tmp_path / "rig.toml").write_bytes('name = "größer"\n'.encode() + BASE)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = shell("check", str(tmp_path / "rig.toml"), env=environment)
    assert result.returncode in (0, 1)
    assert b"gr??er" in result.stdout
