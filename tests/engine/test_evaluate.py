"""Whole evaluations: what is refused where parts are known, ranges around values, terms in formulas."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild import files
from ftbuild.catalog import load_catalog
from ftbuild.engine.core import Severity
from ftbuild.engine.evaluate import evaluate, evaluate_grid
from ftbuild.engine.inputs import Axis
from ftbuild.problems import BuildError
from ftbuild.text.explain import with_numbers

CATALOG = load_catalog()
PRESETS = sorted((Path(__file__).parents[2] / "presets").glob("*.toml"))


def of(*, hardware=None, **workload):
    document = {"workload": {"model": "llama-3.1-8b", "method": "lora", **workload},
                "hardware": {"gpu": "h100-sxm-80gb", **(hardware or {})}}  # fmt: skip
    return builds.read(document)


@pytest.mark.parametrize(
    ("model", "named", "lost"),
    [
        ("llama-3.1-8b", "nope", "nope"),
        ("llama-3.1-8b", "q_prj", "q_prj"),
        ("llama-3.1-8b", ["q_proj", "nope"], "nope"),
        ("gpt2", "q_proj", "q_proj"),
    ],
)
def test_a_target_that_reaches_no_module_of_the_model_is_refused(model, named, lost):
    with pytest.raises(BuildError) as error:
        evaluate(of(model=model, targets=named), CATALOG)
    (problem,) = error.value.problems
    assert problem.key == "workload.targets" and problem.found == lost
    there = "q_proj" if model != "gpt2" else "qkv_proj"
    assert there in problem.expected


@pytest.mark.parametrize("named", ["qv", "attention", "all-linear", ["q_proj", "model.layers.0.mlp.up_proj"]])
def test_a_target_that_the_model_has_is_counted(named):
    assert evaluate(of(targets=named), CATALOG).value("vram.trainable") > 0


def test_over_an_axis_of_models_one_without_the_target_is_not_known():
    axis = Axis("workload.model", ("llama-3.1-8b", "gpt2"))
    grid = evaluate_grid(of(targets=["q_proj"]), CATALOG, [axis], ["vram.trainable"])
    assert np.isfinite(grid.values["vram.trainable"]).tolist() == [True, False]


def test_more_kept_from_a_card_than_it_has_is_refused():
    with pytest.raises(BuildError, match="vram_reserved"):
        evaluate(of(hardware={"vram_reserved": "90GB"}), CATALOG)


def test_parameters_on_the_host_want_sharded_ones():
    def level(sharding):
        rig = {"gpus_per_node": 4, "offload": "parameters", "sharding": sharding}
        report = evaluate(of(hardware=rig), CATALOG)
        return {one.rule.id: one.severity for one in report.findings}.get("vram.offload_whole")

    assert level("ddp") is Severity.WARNING and level("zero2") is Severity.WARNING
    assert level("zero3") is None


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "workload.data": st.sampled_from(["text", "images", "video"]),
        "workload.micro_batch": st.sampled_from([1, 4, 16]),
        "workload.dataset_size": st.sampled_from(["1GB", "10TB", "1000000000GB"]),
        "hardware.cpu": st.sampled_from(["amd-ryzen-9-9950x", "amd-epyc-9654"]),
        "hardware.gpus_per_node": st.sampled_from([1, 8]),
        "hardware.nodes": st.sampled_from([1, 32]),
        "workload.sequence_length": st.sampled_from([512, 8192]),
    },
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PRESETS), CHANGES)
def test_a_value_lies_in_its_own_range_and_room_is_never_negative(path, changes):
    try:
        report = evaluate(builds.changed(files.load(path).build, changes), CATALOG)
    except BuildError:
        return
    for name, figure in report.figures.items():
        slack = 1e-9 * np.abs(figure.value)
        if figure.low is not None:
            assert not (figure.low > figure.value + slack).any(), name
        if figure.high is not None:
            assert not (figure.high < figure.value - slack).any(), name
    for name in ("storage.capacity", "checkpoint.space"):
        assert not report.figures[name].value[0] < 0


@pytest.mark.parametrize(
    "name",
    ["cost.rent_break_even_hours", "checkpoint.size", "cost.power_cooling", "network.overhead", "ram.ratio"],
)
def test_a_formula_is_written_with_the_build_s_numbers(name):
    path = next(path for path in PRESETS if path.stem == "mid-size-team")
    figure = evaluate(files.load(path).build, CATALOG).figures[name]
    assert all(term in figure.spec.formula for term in figure.terms)
    assert any(digit in with_numbers(figure) for digit in "0123456789")


TOLD = (
    "ram.needed", "ram.ratio", "cpu.cores", "storage.read", "storage.random_read", "checkpoint.size",
    "checkpoint.stall", "network.overhead", "power.node", "power.psu_capacity", "power.rack", "power.circuit",
    "heat.btu_per_h", "time.step", "time.total", "time.tokens_per_s", "cost.hardware", "cost.power_cooling",
    "cost.total", "cost.rent_break_even_hours", "vram.at_rest", "vram.allocated", "vram.params",
)  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_a_figure_says_what_it_is_made_of(name):
    path = next(path for path in PRESETS if path.stem == "mid-size-team")
    figure = evaluate(files.load(path).build, CATALOG).figures[name]
    assert figure.terms or figure.parts


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_every_term_stands_in_its_formula(path):
    report = evaluate(files.load(path).build, CATALOG)
    for name, figure in report.figures.items():
        assert all(term in figure.spec.formula for term in figure.terms), name
        assert not figure.terms or with_numbers(figure), name
