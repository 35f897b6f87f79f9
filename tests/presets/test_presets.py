"""The builds that ship: found, read, evaluated, and wrong where they are known to be wrong."""

import shutil
from pathlib import Path

import pytest

import ftbuild
from ftbuild import files, library, units
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Cpu, Drive, Gpu, Model
from ftbuild.engine.core import Severity
from ftbuild.problems import BuildError
from ftbuild.text import severity
from tests.presets.notes import mentions
from tests.presets.reports import NAMES, build_of, report_of

CLOSE = 0.15
"""How far the engine may move from what a preset's notes say before the notes must be written anew."""

EXPECTED = {
    "solo-founder": {
        "network.nvlink_absent": Severity.VIOLATION,  # 4090s have PCIe only
        "network.p2p": Severity.NOTICE,
        "cpu.cores": Severity.WARNING,  # 16 against the guide's own minimum
        "ram.speed": Severity.WARNING,  # DDR5-8000 where the processor takes 5600
        "cpu.lanes": Severity.WARNING,
    },
    "mid-size-team": {
        "power.psu": Severity.VIOLATION,  # 5 kW on one of two redundant supplies of 3 kW
        "ram.modules": Severity.VIOLATION,  # 1 TB of 24 equal modules
        "ram.speed": Severity.WARNING,  # DDR5-6400 where the processor takes 4800
        "storage.claimed": Severity.WARNING,  # CM7-V of 3.84 and 1.92 TB
        "network.switch_absent": Severity.WARNING,  # a board of four SXM cards has no NVSwitch
    },
    "enterprise": {
        "cpu.claimed": Severity.WARNING,  # the 9684 is a 9684X of 96 cores
        "model.claimed": Severity.NOTICE,  # 405B came with 3.1
        "ram.speed": Severity.WARNING,
        "storage.claimed": Severity.WARNING,  # CM7-V of 7.68 TB
        "network.cards": Severity.WARNING,  # four links for eight cards
        "power.psu": Severity.NOTICE,  # no supplies named: unknown
    },
    "denver-rack": {"power.rack": Severity.VIOLATION, "power.circuit": Severity.VIOLATION},
}
"""What is wrong with each build, by rule, and at least how bad."""

SOUND = ("single-h100-70b-qlora", "workstation-24gb", "mi300x-node", "l40s-node", "a100-node", "rented-h100")
"""Presets that violate nothing."""


def test_the_shipped_presets_are_those_of_the_source_tree():
    assert len(NAMES) >= 11
    assert {"solo-founder", "mid-size-team", "enterprise"} <= set(NAMES)


def test_presets_are_found_inside_an_installed_package_too(tmp_path, monkeypatch):
    package = tmp_path / "ftbuild"
    shutil.copytree(library.folder(), package / "presets")
    monkeypatch.setattr(library, "__file__", str(package / "library.py"))
    assert library.folder() == package / "presets"
    assert {preset.id for preset in library.presets() if preset.shipped} == set(NAMES)


def test_the_wheel_takes_the_presets_along():
    project = (Path(ftbuild.__file__).parent.parent / "pyproject.toml").read_text()
    assert '"presets" = "ftbuild/presets"' in project


def test_a_preset_is_found_by_id_name_or_file_name():
    for name in ("solo-founder", "Solo Founder", "solo-founder.toml"):
        assert library.find(name).id == "solo-founder"
    with pytest.raises(BuildError, match="solo-founder"):
        library.find("solo")


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_has_no_unknown_keys_and_says_what_it_is(name):
    preset = library.find(name)
    loaded = files.load(preset.path)
    assert loaded.unknown == ()
    assert preset.about
    assert not preset.about.endswith("...")
    assert loaded.build.name == preset.name


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_reads_back_the_same_after_saving(name, tmp_path):
    loaded = files.load(library.find(name).path)
    saved = files.save(tmp_path / "copy.toml", loaded.build, loaded)
    assert saved.build == loaded.build


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_a_preset_is_in_the_catalog_under_its_own_id(name):
    build = build_of(name)
    parts = (
        (Model, build.workload.model),
        (Gpu, build.hardware.gpu),
        (Cpu, build.hardware.cpu),
        (Drive, build.storage.data_drive),
        (Drive, build.storage.checkpoint_drive),
    )
    for kind, part in parts:
        if part is not None:
            assert load_catalog().get(kind, part) is not None, part


@pytest.mark.parametrize(
    ("name", "rule", "least"),
    [(name, rule, least) for name, rules in EXPECTED.items() for rule, least in rules.items()],
)
def test_what_is_wrong_with_a_build_comes_out(name, rule, least):
    found = next((one for one in report_of(name).findings if one.rule.id == rule), None)
    assert found is not None, "the rule does not apply"
    assert severity(found) >= least


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_preset_violates_nothing(name):
    violations = [one.rule.id for one in report_of(name).findings if one.severity is Severity.VIOLATION]
    assert violations == []


def test_the_guides_profile_counts_its_minima_as_written():
    cores = {
        profile: next(one for one in report.findings if one.rule.id == "cpu.cores").severity
        for profile, report in (
            ("standard", report_of("solo-founder")),
            ("guide", report_of("solo-founder", limits__profile="guide")),
        )
    }
    assert cores == {"standard": Severity.WARNING, "guide": Severity.VIOLATION}


def test_full_fine_tuning_of_405b_does_not_fit_the_enterprise_rig():
    fits = next(
        one for one in report_of("enterprise", workload__method="full").findings if one.rule.id == "vram.fits"
    )
    assert fits.severity is Severity.VIOLATION


def test_more_racks_clear_the_denver_rack():
    before, after = report_of("denver-rack"), report_of("denver-rack", power__racks=4)
    assert before.verdict is Severity.VIOLATION
    violations = [one.rule.id for one in after.findings if one.severity is Severity.VIOLATION]
    assert "power.rack" not in violations


@pytest.mark.parametrize("name", NAMES)
def test_figures_in_the_notes_are_those_of_the_engine(name):
    for id_, text, report in mentions(name, build_of(name).notes):
        figure = report.figures[id_]
        said = units.parse(text, figure.spec.kind)
        assert said == pytest.approx(report.value(id_), rel=CLOSE), (
            f"{id_}: run python -m tests.presets.notes"
        )


@pytest.mark.parametrize("name", ["solo-founder", "mid-size-team", "enterprise"])
def test_the_guides_claims_stand_beside_what_the_engine_finds(name):
    assert "The guide says" in build_of(name).notes
    assert len(list(mentions(name, build_of(name).notes))) >= 5
    assert build_of(name).cost.quote is not None
