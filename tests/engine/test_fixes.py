"""Every fix clears what it says it clears, adds no violation, and is what people found to work."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild import files, library, units
from ftbuild.build import FIELDS, BuildError
from ftbuild.catalog import load_catalog
from ftbuild.engine.core import Severity
from ftbuild.engine.evaluate import columns, evaluate
from ftbuild.engine.fixes import fixes, search
from ftbuild.engine.fixes.moves import MOVES, Move
from ftbuild.engine.fixes.site import Site
from ftbuild.engine.fixes.trials import evaluate_all, said_of_report, singles
from ftbuild.engine.rules import BY_ID, RULES

REPORTED = tomllib.loads((Path(__file__).parent / "data" / "reported.toml").read_text())["case"]
PRESETS = {path.stem: files.load(path).build for path in sorted(library.folder().glob("*.toml"))}
CATALOG = load_catalog()

WORSE = {
    "workload.micro_batch": ("2", "8", "64"),
    "workload.sequence_length": ("512", "16384", "65536"),
    "workload.method": ("full", "lora", "qlora"),
    "workload.checkpointing": ("none", "full"),
    "workload.optimizer": ("adamw", "adamw-8bit", "sgd"),
    "workload.precision": ("fp32", "bf16"),
    "workload.checkpoint_every": ("30", "30min"),
    "workload.dataset_size": ("1GB", "20TB"),
    "hardware.gpus_per_node": ("1", "4", "8"),
    "hardware.gpu": ("rtx-4090-24gb", "a100-sxm-80gb", "t4-16gb"),
    "hardware.gpu_link": ("auto", "nvlink"),
    "hardware.sharding": ("none", "ddp", "fsdp"),
    "hardware.offload": ("none", "parameters"),
    "hardware.ram": ("32GB", "256GB"),
    "hardware.ram_modules": ("1", "7"),
    "storage.shared": ("none", "nfs"),
    "storage.data_drives": ("1", "4"),
    "power.psu": ("500W", "3000W"),
    "power.circuit": ("10A", "63A"),
    "power.gpu_power_limit": ("0.4", "1.0"),
    "power.ambient": ("25", "33"),
    "power.racks": ("1", "2"),
}
"""Values that spoil a preset, or do not."""


def changed(build, changes):
    """Change one key after the other, leaving out what a build cannot be."""
    for key, value in changes.items():
        try:
            build = builds.changed(build, {key: value})
        except BuildError:
            continue
    return build


def bad(report, least):
    return {one.rule.id for one in report.findings if one.severity >= least}


def blind(report):
    return {one.rule.id for one in report.findings if one.unknown and one.rule.severity >= Severity.VIOLATION}


def assert_holds(build, fix):
    """Hold one fix against the build that its changes give, evaluated by itself."""
    before, after = evaluate(build, CATALOG), evaluate(builds.changed(build, fix.changes), CATALOG)
    assert fix.clears
    assert set(fix.clears) <= bad(before, Severity.WARNING)
    assert not set(fix.clears) & bad(after, Severity.WARNING)
    assert not bad(after, Severity.VIOLATION) - bad(before, Severity.VIOLATION)
    assert not blind(after) - blind(before)
    for one in after.judged:
        if one.rule.id in fix.clears:
            assert np.isfinite(one.value.flat[0])
            assert np.isfinite(one.limit.flat[0]) or one.limit.flat[0] == np.inf


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(sorted(PRESETS)),
    st.dictionaries(st.sampled_from(sorted(WORSE)), st.integers(0, 2), max_size=4),
)
def test_a_fix_clears_its_finding_and_adds_no_violation(preset, spoiled):
    changes = {key: WORSE[key][at % len(WORSE[key])] for key, at in spoiled.items()}
    build = changed(PRESETS[preset], changes)
    for fix in fixes(build, CATALOG):
        assert_holds(build, fix)


@pytest.mark.parametrize("preset", ["mid-size-team", "l40s-node", "denver-rack"])
def test_builds_evaluated_together_are_judged_as_each_by_itself(preset):
    build = PRESETS[preset]
    site = Site(build, CATALOG, columns(build, CATALOG, ()).catalog, evaluate(build, CATALOG))
    tried = singles(site, MOVES)
    together = evaluate_all(site, tried)
    for at, one in enumerate(tried):
        alone = said_of_report(evaluate(one.build, CATALOG))
        different = [
            RULES[row].id for row in np.flatnonzero(together.level[:, at] != alone.level[:, 0])
        ]  # fmt: skip
        assert not different, (one.changes, different)


@pytest.mark.parametrize("case", REPORTED, ids=lambda case: case["source"].split("github.com/")[1])
def test_what_worked_for_its_author_is_among_the_fixes(case):
    build = builds.read(case["build"])
    finding = next(one for one in evaluate(build, CATALOG).findings if one.rule.id == case["rule"])
    assert finding.severity >= Severity.WARNING
    found = fixes(build, CATALOG, case["rule"])
    assert any(all(meets(fix, key, want) for key, want in worked.items())
               for worked in case["worked"] for fix in found)  # fmt: skip


def meets(fix, key, want):
    """Whether a fix changes `key` to a value that is wanted: a name, or ``at least 2TB``."""
    if key not in fix.changes:
        return False
    kind: Any = getattr(FIELDS[key].described, "kind", None)
    for words, sense in (("at least ", 1), ("at most ", -1)):
        if want.startswith(words):
            value, limit = (units.parse(text, kind) for text in (fix.changes[key], want.removeprefix(words)))
            return sense * value >= sense * limit
    return fix.changes[key] == want


SPOILED = [
    ({}, {"workload.checkpointing": "none", "workload.micro_batch": "16"}, "checkpointing"),
    ({}, {"workload.micro_batch": "8"}, "fused-loss"),
    ({}, {"workload.micro_batch": "32"}, "micro-batch"),
    ({}, {"workload.micro_batch": "8"}, "sequence"),
    (
        {"gpu": "a100-sxm-80gb", "gpus_per_node": 8, "sharding": "fsdp"},
        {"workload.method": "full", "workload.model": "llama-3.1-70b"},
        "small-optimizer",
    ),
    (
        {"gpu": "a100-sxm-80gb", "gpus_per_node": 8},
        {"workload.method": "lora", "workload.model": "mixtral-8x7b"},
        "shard",
    ),
    ({}, {"workload.method": "lora", "workload.model": "qwen2.5-14b"}, "quantize"),
    ({"gpu": "l40s-48gb"}, {"workload.method": "full"}, "adapters"),
    ({"gpu": "l40s-48gb"}, {"workload.method": "full"}, "offload"),
    ({"gpu": "l40s-48gb"}, {"workload.micro_batch": "16"}, "gpu"),
    ({"gpu": "a100-sxm-80gb"}, {"workload.method": "full", "workload.precision": "bf16-mixed"}, "precision"),
    ({"gpu": "a100-sxm-80gb"}, {"workload.method": "full", "workload.precision": "bf16-mixed"}, "gpus"),
    ({"vram_reserved": "9GB"}, {"workload.micro_batch": "2"}, "display"),
    (
        {},
        {"workload.attention": "eager", "workload.sequence_length": "8k", "workload.loss": "fused"},
        "flash-attention",
    ),
    ({}, {"workload.rank": "256", "workload.micro_batch": "4", "workload.loss": "fused"}, "rank"),
    (
        {"gpus_per_node": 4, "gpu": "a100-sxm-40gb", "sharding": "fsdp"},
        {"workload.sequence_length": "64k"},
        "context-parallel",
    ),
]


@pytest.mark.parametrize(("hardware", "changes", "move"), SPOILED)
def test_memory_is_mended_by_the_moves_that_people_make(hardware, changes, move):
    build = builds.read({
        "workload": {"model": "llama-3.1-8b", "method": "qlora", "sequence_length": 2048},
        "hardware": {"gpu": "rtx-4090-24gb", **hardware},
    })  # fmt: skip
    found = fixes(builds.changed(build, changes), CATALOG, "vram.fits")
    assert move in {name for fix in found for name in fix.moves}


@pytest.mark.parametrize(
    ("preset", "changes", "rule", "moves"),
    [
        ("mid-size-team", {}, "power.psu", {"supplies", "supply"}),
        ("mid-size-team", {}, "storage.claimed", {"real-part"}),
        ("mid-size-team", {}, "ram.modules", {"ram-modules"}),
        ("denver-rack", {}, "power.rack", {"power-limit", "racks"}),
        ("denver-rack", {}, "power.circuit", {"circuit", "racks"}),
        ("enterprise", {}, "network.overhead", {"links", "fabric"}),
        ("solo-founder", {}, "network.nvlink_absent", {"gpu-link"}),
        (
            "denver-rack",
            {"workload.checkpoint_every": "10s"},
            "checkpoint.write_time",
            {"checkpoint-interval"},
        ),
        ("workstation-24gb", {"workload.quantization": "2bit"}, "vram.two_bit", {"base-type"}),
        ("workstation-24gb", {"workload.dataloader_workers": "32"}, "cpu.cores_min", {"workers"}),
        ("workstation-24gb", {"hardware.gpu": "a100-sxm-80gb"}, "network.board", {"gpu"}),
        ("mi300x-node", {"hardware.nodes": "4"}, "network.joined", {"fabric"}),
        ("denver-rack", {"hardware.tensor_parallel": "16"}, "network.tensor_scope", {"tensor-parallel"}),
        ("denver-rack", {"power.gpu_power_limit": "0.4"}, "power.limit", {"no-power-limit"}),
        ("denver-rack", {"hardware.ram": "64GB"}, "ram.needed", {"ram"}),
        ("denver-rack", {"power.ambient": "38"}, "power.inlet", {"ambient"}),
        (
            "a100-node",
            {"storage.shared": "nfs", "workload.dataset_size": "200GB"},
            "storage.shared_fs",
            {"stage"},
        ),
    ],
)
def test_the_rest_of_the_rig_is_mended_too(preset, changes, rule, moves):
    found = fixes(builds.changed(PRESETS[preset], changes), CATALOG, rule)
    assert moves <= {name for fix in found for name in fix.moves}


def test_moves_are_combined_where_none_suffices():
    build = builds.read({
        "workload": {"model": "llama-3.1-8b", "method": "lora", "micro_batch": 8, "checkpointing": "none"},
        "hardware": {"gpu": "rtx-4090-24gb"},
    })  # fmt: skip
    first = fixes(build, CATALOG, "vram.fits")[0]
    assert set(first.moves) == {"checkpointing", "micro-batch"}
    assert_holds(build, first)


def test_a_smaller_micro_batch_keeps_the_global_batch():
    build = builds.changed(PRESETS["workstation-24gb"], {"workload.micro_batch": "32"})
    fix = next(one for one in fixes(build, CATALOG, "vram.fits") if one.moves == ("micro-batch",))
    for one in (build, fix.build):
        assert one.workload.micro_batch * one.workload.gradient_accumulation == 32 * (
            build.workload.gradient_accumulation
        )


def test_what_is_free_comes_first_then_the_cheapest():
    found = fixes(builds.changed(PRESETS["l40s-node"], {"workload.micro_batch": "8"}), CATALOG)
    assert [fix.buys for fix in found] == sorted(fix.buys for fix in found)
    assert any(fix.buys for fix in found)


def test_a_figure_that_becomes_unknown_clears_nothing(monkeypatch):
    build = builds.changed(PRESETS["workstation-24gb"], {"workload.micro_batch": "64"})
    unknown = Move(id="blind", title="Use {gpu}", helps=("vram.",), disturbs=0,
                   tries=lambda site: [{"hardware.gpu": "gb10-unified-128gb"}])  # fmt: skip
    assert np.isnan(evaluate(builds.changed(build, {"hardware.gpu": "gb10-unified-128gb"}), CATALOG)
                    .value("vram.usable"))  # fmt: skip
    monkeypatch.setattr(search, "MOVES", (unknown,))
    assert fixes(build, CATALOG, "vram.fits") == ()


def test_a_build_without_findings_has_no_fixes():
    assert fixes(PRESETS["a100-node"], CATALOG, "vram.fits") == ()


def test_an_unknown_rule_is_named_with_what_comes_near():
    with pytest.raises(BuildError, match=r"did you mean vram\.fits"):
        fixes(PRESETS["a100-node"], CATALOG, "vram.fit")


def test_a_fix_tells_what_it_moves():
    build = builds.changed(PRESETS["workstation-24gb"], {"workload.micro_batch": "64"})
    for fix in fixes(build, CATALOG, "vram.fits"):
        moved = {one.spec.id: one for one in fix.moved}
        assert moved.keys() & {"vram.per_gpu", "vram.usable"}
        for name, one in moved.items():
            assert one.before == pytest.approx(evaluate(build, CATALOG).value(name), nan_ok=True)
            assert one.after == pytest.approx(fix.report.value(name), nan_ok=True)


def test_every_move_helps_against_rules_that_there_are():
    assert len({move.id for move in MOVES}) == len(MOVES)
    for move in MOVES:
        for prefix in move.helps:
            assert any(name.startswith(prefix) for name in BY_ID), (move.id, prefix)


def test_the_build_s_own_parts_are_known_to_fixes():
    build = builds.read({
        "workload": {"model": "llama-3.1-8b", "method": "qlora", "micro_batch": 64},
        "hardware": {"gpu": "mine"},
        "catalog": {"gpu": [{
            "id": "mine", "name": "Mine", "vendor": "NVIDIA", "form": "pcie", "memory": 24, "usable": 23.5,
            "memory_type": "GDDR6X", "bandwidth": 1008, "bf16": 165, "power": 450, "source": "me",
            "as_of": "2026", "confidence": "user",
        }]},
    })  # fmt: skip
    found = fixes(build, CATALOG, "vram.fits")
    assert found
    for fix in found:
        assert_holds(build, fix)


@pytest.mark.parametrize("sharding", ["none", "ddp", "zero1", "zero2", "zero3", "fsdp"])
def test_offload_comes_with_a_strategy_that_can_do_it(sharding):
    build = builds.read({
        "workload": {"model": "llama-3.1-70b", "method": "full"},
        "hardware": {"gpu": "a100-sxm-80gb", "gpus_per_node": 4, "sharding": sharding},
    })  # fmt: skip
    able = {"optimizer": {"zero1", "zero2", "zero3"}, "parameters": {"zero3", "fsdp"}}
    offloads = [fix.build.hardware for fix in fixes(build, CATALOG, "vram.fits") if "offload" in fix.moves]
    assert offloads
    for hardware in offloads:
        assert hardware.sharding in able[hardware.offload]


def test_a_deep_fix_has_no_step_that_it_does_not_need():
    build = builds.read({
        "workload": {"model": "llama-3.1-8b", "method": "full", "micro_batch": 8, "checkpointing": "none"},
        "hardware": {"gpu": "rtx-4090-24gb"},
    })  # fmt: skip
    deep = fixes(build, CATALOG, "vram.fits")[0]
    assert len(deep.moves) > 2
    for move in deep.moves:
        others = {key: text for key, text in deep.changes.items() if key not in KEYS_OF.get(move, ())}
        assert "vram.fits" in bad(evaluate(builds.changed(build, others), CATALOG), Severity.VIOLATION)


KEYS_OF = {
    "checkpointing": ("workload.checkpointing",),
    "micro-batch": ("workload.micro_batch", "workload.gradient_accumulation"),
    "quantize": ("workload.method", "workload.quantization"),
    "offload": ("hardware.offload", "hardware.sharding"),
    "small-optimizer": ("workload.optimizer",),
    "fused-loss": ("workload.loss",),
}
