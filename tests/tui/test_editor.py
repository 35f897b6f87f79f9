from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild import files
from ftbuild.build import Build
from ftbuild.engine.core import Report
from ftbuild.journal import Journal
from ftbuild.problems import BuildError, Problem
from ftbuild.tui.dialogs.recover import recovery_question
from ftbuild.tui.editor import Editor, recovered

START = {"workload": {"model": "m"}, "hardware": {"gpu": "g", "gpus_per_node": 4}}
MICRO = "workload.micro_batch"


def opened(**document: object) -> Editor:
    return Editor(files.Loaded(builds.read({**START, **document})))


def saved(folder: Path) -> Path:
    path = folder / "rig.toml"
    files.save(path, builds.read(START))
    return path


def knows_only_g(build: Build, folder: Path | None) -> Report:
    if build.hardware.gpu != "g":
        raise BuildError([Problem("hardware.gpu", build.hardware.gpu, "g", "no such gpu")])
    return Report({}, (), ())


def test_text_that_is_no_value_leaves_the_last_good_build_in_force():
    editor = opened()
    editor.type(MICRO, "4")
    editor.type(MICRO, "4x")
    assert editor.build.workload.micro_batch == 4
    assert editor.text(MICRO) == "4x"
    problem = editor.problem(MICRO)
    assert problem is not None and "1 to" in problem.expected


def test_a_visit_is_one_step_of_undo_and_names_both_values():
    editor = opened()
    for text in ("4", "40", "409", "4096"):
        editor.type("workload.sequence_length", text)
    editor.commit()
    editor.set(MICRO, "8")
    assert [step.label for step in editor.history.done] == ["micro batch 1 -> 8"]
    assert editor.undo() == "micro batch 1 -> 8"
    assert editor.undo() == ""


def test_undoing_to_the_saved_build_is_clean_again():
    editor = opened()
    editor.set(MICRO, "8")
    assert editor.dirty
    editor.undo()
    assert not editor.dirty
    editor.redo()
    assert editor.dirty and editor.build.workload.micro_batch == 8


def test_typing_the_old_value_back_leaves_no_step():
    editor = opened()
    editor.type(MICRO, "12")
    editor.type(MICRO, "1")
    editor.commit()
    assert not editor.history.done and not editor.dirty


def test_reverting_restores_value_and_text():
    editor = opened()
    editor.type(MICRO, "nonsense")
    editor.revert()
    assert editor.text(MICRO) == "1" and editor.problem(MICRO) is None and editor.editing is None


def test_fields_that_depend_on_each_other_may_be_typed_in_either_order():
    editor = opened(power={"psus_per_node": 2, "psu": "3kW", "redundancy": "1+1"})
    editor.set("power.redundancy", "2+2")
    assert editor.build.power.redundancy == "1+1" and "power.redundancy" in editor.pending
    editor.set("power.psus_per_node", "4")
    assert editor.build.power.redundancy == "2+2" and not editor.pending
    editor.undo()
    assert editor.text("power.redundancy") == "2+2" and editor.build.power.psus_per_node == 2


def test_a_waiting_nonsense_text_does_not_hold_other_fields_back():
    editor = opened()
    editor.set("hardware.nodes", "many")
    editor.set(MICRO, "2")
    assert editor.build.workload.micro_batch == 2
    assert editor.text("hardware.nodes") == "many"


def test_a_part_that_the_engine_does_not_know_is_not_put_in_force():
    editor = Editor(files.Loaded(builds.read(START)), knows_only_g)
    editor.set("hardware.gpu", "h")
    assert editor.build.hardware.gpu == "g" and editor.text("hardware.gpu") == "h"
    assert editor.report is not None


def test_a_file_with_an_unknown_part_opens_and_other_fields_can_be_edited():
    document = {"workload": {"model": "m"}, "hardware": {"gpu": "h"}}
    editor = Editor(files.Loaded(builds.read(document)), knows_only_g)
    assert editor.report is None and editor.problem("hardware.gpu") is not None
    editor.set(MICRO, "2")
    assert editor.build.workload.micro_batch == 2
    editor.set("hardware.gpu", "g")
    assert editor.report is not None and editor.problem("hardware.gpu") is None


def test_own_prices_are_set_and_cleared_as_edits():
    editor = opened()
    editor.set("cost.price.g", "28.5k")
    assert editor.build.cost.price == {"g": 28500.0}
    assert ("price of g", "", "28500.0") in editor.changes()
    editor.set("cost.price.g", "")
    assert editor.build.cost.price == {}
    editor.undo()
    editor.undo()
    assert not editor.dirty


def test_saving_makes_the_document_clean_and_drops_the_journal(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.load(saved(tmp_path)), journal=journal)
    editor.set(MICRO, "8")
    editor.record()
    assert len(journal.entries()) == 1
    editor.save()
    assert not editor.dirty and not journal.entries()
    assert files.load(tmp_path / "rig.toml").build == editor.build


def test_a_save_that_fails_changes_nothing(tmp_path):
    editor = Editor(files.load(saved(tmp_path)))
    editor.set(MICRO, "8")
    with pytest.raises(BuildError):
        editor.save(tmp_path / "nowhere" / "rig.toml")
    assert editor.dirty and editor.path == tmp_path / "rig.toml"


def test_what_the_journal_kept_comes_back_as_an_edit_that_can_be_undone(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.load(saved(tmp_path)), journal=journal)
    editor.set(MICRO, "8")
    editor.record()
    again = recovered(journal.entries()[0], None, journal)
    assert again.build == editor.build and again.dirty and again.path == (tmp_path / "rig.toml").resolve()
    again.undo()
    assert not again.dirty


def test_observers_hear_of_every_change():
    editor = opened()
    heard: list[int] = []
    editor.watch(lambda document: heard.append(document.build.workload.micro_batch))
    editor.type(MICRO, "4")
    editor.commit()
    editor.undo()
    assert heard[0] == 4 and heard[-1] == 1


KEYS = st.sampled_from(
    [MICRO, "hardware.nodes", "power.redundancy", "power.psus_per_node", "name", "cost.rent"]
)
TEXTS = st.sampled_from(["1", "2", "4", "", "x", "1+1", "2+2", "8k", "\x1b]52", "none"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(KEYS, TEXTS), max_size=8))
def test_undoing_everything_gives_the_first_build_back_and_redoing_the_last(edits):
    editor = opened(power={"psus_per_node": 2, "psu": "3kW"})
    first = editor.state
    for key, text in edits:
        editor.set(key, text)
    last = editor.state
    while editor.undo():
        builds.read(builds.document_of(editor.build))
    assert editor.state == first
    while editor.redo():
        pass
    assert editor.state == last


def test_a_kept_build_that_never_had_a_file_comes_back_unsaved(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.Loaded(builds.read(START)), journal=journal)
    editor.type(MICRO, "8")
    editor.abandon()
    again = recovered(journal.entries()[0], None, journal)
    assert again.path is None and again.dirty and again.build.workload.micro_batch == 8
    again.save(tmp_path / "rig.toml")
    assert not again.dirty


def test_recovering_does_not_take_a_newer_file_for_the_one_that_was_edited(tmp_path):
    journal = Journal(tmp_path / "journal")
    path = saved(tmp_path)
    editor = Editor(files.load(path), journal=journal)
    editor.set(MICRO, "8")
    editor.record()
    newer = builds.changed(editor.saved, {"workload.sequence_length": 2048})
    files.save(path, newer, files.load(path))
    again = recovered(journal.entries()[0], None, journal)
    assert any("holds other work" in line for line in recovery_question(journal.entries()[0]).lines)
    with pytest.raises(files.ChangedError):
        again.save()
    assert files.load(path).build == newer
    again.record()
    third = recovered(journal.entries()[0], None, journal)
    with pytest.raises(files.ChangedError):
        third.save()
    third.save(force=True)
    assert files.load(path).build == editor.build


def test_text_that_is_not_in_force_comes_back_in_its_field(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.load(saved(tmp_path)), journal=journal)
    editor.set("hardware.nodes", "many")
    editor.type(MICRO, "8")
    editor.record()
    assert editor.editing == MICRO
    again = recovered(journal.entries()[0], None, journal)
    assert again.text("hardware.nodes") == "many" and "hardware.nodes" in again.pending
    assert again.build.workload.micro_batch == 8
    again.undo()
    assert not again.unsaved


def test_a_part_nobody_knows_comes_back_as_text_although_the_engine_loads_later(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.load(saved(tmp_path)), knows_only_g, journal)
    editor.set("hardware.gpu", "h")
    editor.record()
    again = recovered(journal.entries()[0], None, journal)
    again.attach(knows_only_g)
    assert again.build.hardware.gpu == "g" and again.text("hardware.gpu") == "h" and again.report is not None


def test_saving_keeps_the_text_that_is_not_in_force_for_recovery(tmp_path):
    journal = Journal(tmp_path / "journal")
    editor = Editor(files.load(saved(tmp_path)), journal=journal)
    editor.set(MICRO, "8")
    editor.set("hardware.nodes", "many")
    editor.save()
    assert not editor.dirty and editor.unsaved
    assert journal.entries()[0].pending == {"hardware.nodes": "many"}
