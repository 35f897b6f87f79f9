"""A build's file: nothing is lost, nothing is half written, and every fault is named."""

import os
import resource
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild import disk, files
from ftbuild.disk import ChangedError, FileError
from ftbuild.journal import Journal
from ftbuild.problems import BuildError

SMALL = '[workload]\nmodel = "llama-3.1-8b"\n[hardware]\ngpu = "h100"\n'
NOBODY = 65534
"""User id of nobody on Linux."""
STRANGE = """
ftbuild = 1
flavour = "strawberry"
"dotted.name" = 1
[workload]
model = "meta-llama/Llama-3.1-70B"
micro_bach = 3
double_quantization = false
sequence_length = "8k"
dataset_size = "50GB"
[hardware]
gpu = "h100"
ram = "1TB"
[storage.measured]
read = "24 GB/s"
reed = 1979-05-27T07:32:00Z
[cost.price]
h100-sxm-80gb = "$28,500"
[limits]
"ram.ratio" = 2.0
[elsewhere.deep]
odd = [[1, "a"], [nan]]
"""


@pytest.fixture(name="path")
def fixture_path(tmp_path):
    path = tmp_path / "rig.toml"
    path.write_text(SMALL)
    return path


def problem_of(call):
    with pytest.raises(BuildError) as error:
        call()
    problem = error.value.problems[0]
    assert str(problem).isprintable()
    assert problem.found and problem.expected
    return problem


# What is kept


def test_unknown_keys_are_reported_with_the_nearest_known_one():
    loaded = files.loads(STRANGE)
    told = {problem.key: problem for problem in loaded.unknown}
    assert set(told) == {
        "flavour", "dotted.name", "workload.micro_bach", "storage.measured.reed", "elsewhere",
    }  # fmt: skip
    assert told["workload.micro_bach"].expected.endswith("did you mean workload.micro_batch?")


def test_unknown_keys_and_the_users_spelling_survive_saving(tmp_path):
    loaded = files.loads(STRANGE)
    changed = builds.changed(loaded.build, {"workload.rank": 32})
    files.save(tmp_path / "a.toml", changed, loaded)
    again = files.load(tmp_path / "a.toml")
    assert again.build == changed
    assert again.unknown == loaded.unknown
    text = (tmp_path / "a.toml").read_text()
    for kept in ('ram = "1TB"', 'sequence_length = "8k"', 'h100-sxm-80gb = "$28,500"', "1979-05-27", "nan"):
        assert kept in text


def test_a_changed_value_takes_the_place_of_the_users_spelling():
    loaded = files.loads(STRANGE)
    text = files.dumps(builds.changed(loaded.build, {"hardware.ram": "2TB"}), loaded.document)
    assert 'ram = "2TB"' in text
    assert "1TB" not in text


def test_only_what_differs_from_the_defaults_is_written():
    text = files.dumps(files.loads(SMALL).build)
    assert "sockets" not in text
    assert text.startswith("ftbuild = 1")


def test_a_key_that_was_written_at_its_default_stays():
    loaded = files.loads(SMALL + "nodes = 1\n")
    assert "nodes = 1" in files.dumps(loaded.build, loaded.document)


def test_a_cleared_key_leaves_the_file():
    loaded = files.loads(SMALL + 'cpu = "epyc"\n')
    cleared = builds.changed(loaded.build, {"hardware.cpu": None})
    assert "cpu" not in files.dumps(cleared, loaded.document)


def test_texts_of_several_lines_read_back_the_same():
    for notes in ("one\ntwo", 'three "quotes" \\ and """more"""\n', "\n\nblank first", "tab\there"):
        build = builds.changed(files.loads(SMALL).build, {"notes": notes})
        assert files.loads(files.dumps(build)).build.notes == notes


def test_a_byte_order_mark_is_no_fault():
    assert files.loads(b"\xef\xbb\xbf" + SMALL.encode()).build.workload.model == "llama-3.1-8b"


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
KNOWN = set(builds.TABLES) | set(builds.FIELDS) | {"catalog"}


@given(extra=st.dictionaries(names, values, max_size=4))
def test_any_unknown_tables_survive(extra):
    extra = {name: value for name, value in extra.items() if name not in KNOWN}
    build = files.loads(SMALL).build
    text = files.dumps(build, extra)
    again = files.loads(text)
    assert {name: again.document[name] for name in extra} == extra
    assert again.build == build


# Faults of what is read


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b" \n\t\n", "an empty file"),
        (b"\x7fELF\0\0\0", "binary data"),
        (b"# a\nname = '\xff'", "byte 0xff in line 2"),
        (b"a = 1\na = 2", "a mistake in the TOML"),
        (b"a = ", "a mistake in the TOML"),
        (b"a = " + b"9" * 10_000, "a mistake in the TOML"),
        (b"a = " + b"[" * 5000, "tables nested too deeply"),
        (b"a = " + b"{b=" * 5000, "tables nested too deeply"),
        (b"a." * 200_000 + b"a = 1", "tables nested too deeply"),
        (b"[" + b'"a".' * 100_000 + b"a]", "tables nested too deeply"),
        (b"a = " + b"[" * 40 + b"]" * 40, "tables nested too deeply"),
        (b"#" * (1 << 20) + b"#", "a larger file"),
    ],
)
def test_what_is_no_build_file_is_named(data, found):
    assert problem_of(lambda: files.loads(data)).found.startswith(found)


def test_a_mistake_is_told_with_its_line():
    assert "line 3" in problem_of(lambda: files.loads(b"a = 1\nb = 2\nc = = 3\n")).found


def test_a_huge_file_is_not_read_further_than_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "huge.toml"
    with path.open("wb") as stream:
        stream.truncate(50_000_000)
    monkeypatch.setattr(files, "parse", lambda *_: pytest.fail("parsed"))
    assert problem_of(lambda: files.load(path)).found == "a larger file"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (".", "a folder"),
        ("missing.toml", "no such file or folder"),
        ("rig.toml/below", "a path below something that is not a folder"),
        ("x" * 300, "a name that is too long"),
        ("a\0b", "a name with a NUL in it"),
        ("loop", "a link that leads back to itself"),
        ("fifo", "a pipe"),
    ],
)
def test_a_path_that_is_no_file_is_named(path, name, found):
    (path.parent / "loop").symlink_to("loop")
    os.mkfifo(path.parent / "fifo")
    assert problem_of(lambda: files.load(path.parent / name)).found == found


def test_a_device_without_end_is_not_read_for_ever():
    assert problem_of(lambda: files.load("/dev/zero")).found == "a larger file"


@pytest.fixture(name="ordinary")
def fixture_ordinary():
    """A folder of a user who is not root, as that user."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "rig.toml").write_text(SMALL)
        if os.geteuid() != 0:
            yield place
            place.chmod(0o755)
            return
        for entry in (place, place / "rig.toml"):
            os.chown(entry, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield place
            place.chmod(0o755)
        finally:
            os.seteuid(0)


def test_a_file_without_permission_is_named(ordinary):
    (ordinary / "rig.toml").chmod(0)
    assert problem_of(lambda: files.load(ordinary / "rig.toml")).found == "no permission"


def test_a_file_of_a_newer_schema_says_so():
    problem = problem_of(lambda: files.loads("ftbuild = 2\n" + SMALL))
    assert problem.key == "ftbuild"
    assert "newer" in problem.message


def test_a_misspelt_key_is_told_beside_what_is_missing():
    with pytest.raises(BuildError) as error:
        files.loads('[workload]\nmodle = "x"\n[hardware]\ngpu = "h100"\n', "rig.toml")
    assert error.value.file == "rig.toml"
    assert [problem.key for problem in error.value.problems] == ["workload.model", "workload.modle"]


def test_thousands_of_unknown_keys_are_counted():
    text = SMALL + "".join(f"k{number} = 1\n" for number in range(3000))
    unknown = files.loads(text).unknown
    assert len(unknown) < 30
    assert "more unknown keys" in unknown[-1].message


@given(data=st.binary(max_size=120), start=st.integers(0, len(STRANGE)), cut=st.integers(0, 80))
def test_any_bytes_are_a_build_or_a_clear_error(data, start, cut):
    mixed = STRANGE.encode()[:start] + data + STRANGE.encode()[start + cut :]
    for content in (data, mixed):
        try:
            files.loads(content, "rig.toml")
        except BuildError as error:
            assert error.file == "rig.toml"
            assert all(problem.message.isprintable() for problem in error.problems)


@given(key=st.sampled_from([*builds.FIELDS, *builds.TABLES, "catalog", "cost.price"]), value=values)
def test_any_value_at_any_key_is_taken_or_a_clear_error(key, value):
    document: dict[str, Any] = {"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100"}}
    *path, name = key.split(".")
    table = document
    for part in path:
        table = table.setdefault(part, {})
    table[name] = value
    try:
        build = builds.read(document)
    except BuildError as error:
        assert all(problem.message.isprintable() for problem in error.problems)
    else:
        assert files.loads(files.dumps(build)).build == build


# Writing


def test_saving_keeps_the_mode_and_follows_a_link(path):
    path.chmod(0o640)
    link = path.parent / "link.toml"
    link.symlink_to(path.name)
    loaded = files.load(link)
    files.save(link, builds.changed(loaded.build, {"name": "new"}), loaded)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files.load(path).build.name == "new"


def test_a_new_file_honours_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        files.save(tmp_path / "new.toml", files.loads(SMALL).build)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.toml").stat().st_mode) == 0o640


def test_another_file_is_not_overwritten_unasked(path):
    build = files.loads(SMALL).build
    with pytest.raises(ChangedError):
        files.save(path, builds.changed(build, {"name": "mine"}))
    assert path.read_text() == SMALL
    files.save(path, builds.changed(build, {"name": "mine"}), force=True)
    assert files.load(path).build.name == "mine"


def test_a_file_that_somebody_else_changed_is_not_overwritten_unasked(path):
    loaded = files.load(path)
    path.write_text(SMALL + "nodes = 2\n")
    with pytest.raises(ChangedError, match="changed since it was opened"):
        files.save(path, loaded.build, loaded)
    assert "nodes = 2" in path.read_text()
    files.save(path, loaded.build, loaded, force=True)
    assert "nodes" not in path.read_text()


def test_saving_twice_is_no_conflict(path):
    loaded = files.load(path)
    for name in ("one", "two"):
        loaded = files.save(path, builds.changed(loaded.build, {"name": name}), loaded)
    assert files.load(path).build.name == "two"


@pytest.mark.parametrize("name", [".", "missing/rig.toml", "rig.toml/below", "a\0b", "x" * 300])
def test_a_place_that_cannot_be_written_is_named(path, name):
    problem_of(lambda: files.save(path.parent / name, files.loads(SMALL).build, force=True))
    assert path.read_text() == SMALL


def test_a_read_only_file_and_a_read_only_folder_are_named(ordinary):
    path = ordinary / "rig.toml"
    build = builds.changed(files.load(path).build, {"name": "new"})
    path.chmod(0o444)
    assert problem_of(lambda: files.save(path, build, force=True)).found == "no permission"
    path.chmod(0o644)
    ordinary.chmod(0o555)
    assert problem_of(lambda: files.save(path, build, force=True)).found == "no permission"
    assert problem_of(lambda: files.save(ordinary / "b.toml", build)).found == "no permission"
    assert path.read_text() == SMALL


def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(path):
    loaded = files.load(path)
    large = builds.changed(loaded.build, {"notes": "x" * 20_000})
    # A limit on the size of files fails in the middle of writing, as a full disk does.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        problem = problem_of(lambda: files.save(path, large, loaded))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert problem.found == "a limit on the size of files"
    assert path.read_text() == SMALL
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.fixture(name="small_disk")
def fixture_small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a small file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_and_a_read_only_one_lose_nothing(small_disk):
    path = small_disk / "rig.toml"
    loaded = files.save(path, files.loads(SMALL).build)
    before = path.read_bytes()
    (small_disk / "filler").write_bytes(b"x" * 50_000)
    large = builds.changed(loaded.build, {"notes": "y" * 20_000})
    assert problem_of(lambda: files.save(path, large, loaded)).found == "a full disk"
    assert path.read_bytes() == before
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert problem_of(lambda: files.save(path, large, loaded)).found == "a read-only file system"
    assert path.read_bytes() == before


# The journal


def ended_process():
    process = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    return int(process.stdout)


def test_unsaved_edits_of_an_ended_process_are_offered(tmp_path, monkeypatch):
    journal = Journal(tmp_path)
    with monkeypatch.context() as patch:
        pid = ended_process()
        patch.setattr(os, "getpid", lambda: pid)
        journal.record(SMALL, Path("rig.toml"), "print")
        journal.record(SMALL + "nodes = 2\n", Path("rig.toml"), "print")
    (entry,) = journal.recoverable()
    assert entry.text.endswith("nodes = 2\n")
    assert entry.file == str(Path("rig.toml").resolve())
    assert stat.S_IMODE(entry.place.stat().st_mode) == 0o600
    journal.forget(entry)
    assert journal.entries() == ()


def test_edits_of_a_running_process_are_not_offered_and_saving_discards_them(tmp_path):
    journal = Journal(tmp_path)
    journal.record(SMALL, None)
    assert len(journal.entries()) == 1
    assert journal.recoverable() == ()
    journal.discard(None)
    assert journal.entries() == ()
    journal.discard(None)


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"text": 1}', b"[" * 5000, b"null"])
def test_a_damaged_entry_is_passed_over(tmp_path, content):
    (tmp_path / "1-x.json").write_bytes(content)
    assert Journal(tmp_path).entries() == ()


def test_a_journal_that_cannot_be_written_says_so(path):
    with pytest.raises(FileError):
        Journal(path / "below").record(SMALL)
    assert Journal(path / "below").entries() == ()


def test_a_fingerprint_follows_the_content():
    assert disk.fingerprint(b"a") != disk.fingerprint(b"b")
