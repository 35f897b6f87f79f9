"""Choosing a training stack fills the fields that it decides, in one step of undo."""

import pytest

from ftbuild import build as builds
from ftbuild import files
from ftbuild.build import FIELDS
from ftbuild.build.choices import FRAMEWORKS
from ftbuild.tui.editor import Editor
from ftbuild.tui.stack import choose, fills, with_stack

START = {"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100"}}


def test_a_stack_sets_what_it_decides_and_says_so():
    editor = Editor(files.Loaded(builds.read(START)))
    said = choose(editor, "trl")
    assert (editor.build.workload.framework, editor.build.workload.loss) == ("trl", "chunked")
    assert "loss chunked" in said and "can be changed" in said


def test_one_undo_takes_all_of_it_back():
    editor = Editor(files.Loaded(builds.read(START)))
    before = editor.build
    choose(editor, "unsloth")
    editor.undo()
    assert editor.build == before and not editor.dirty


def test_what_was_filled_can_be_changed():
    editor = Editor(files.Loaded(builds.read(START)))
    choose(editor, "trl")
    editor.set("workload.loss", "standard")
    assert editor.build.workload.loss == "standard" and editor.build.workload.framework == "trl"


def test_other_fields_stay_as_they_are():
    build = builds.changed(builds.read(START), {"workload.rank": "64", "workload.micro_batch": "4"})
    after = with_stack(build, "axolotl")
    assert (after.workload.rank, after.workload.micro_batch) == (64, 4)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_stack_fills_known_fields_with_what_they_accept(name):
    assert set(fills(name)) <= set(FIELDS)
    assert with_stack(builds.read(START), name).workload.framework == name
