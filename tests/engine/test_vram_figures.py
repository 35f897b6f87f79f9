from typing import Any

import numpy as np
import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.core import Figure
from ftbuild.engine.inputs import Axis, Columns
from ftbuild.engine.tables import CHOICES
from ftbuild.engine.vram import figures
from ftbuild.schema import Choice

CATALOG = load_catalog()
GIB = 2**30


def columns(axes: tuple[Axis, ...] = (), **changes: Any) -> Columns:
    base = builds.read(
        {"workload": {"model": "meta-llama/Llama-3.1-8B"}, "hardware": {"gpu": "h100-sxm-80gb"}}
    )
    build = builds.changed(base, {key.replace("__", "."): value for key, value in changes.items()})
    return Columns(build, CATALOG, axes)


def found(c: Columns) -> dict[str, Figure]:
    return {figure.spec.id: figure for figure in figures(c, {})}


def test_yields_the_figures_that_the_verdict_needs() -> None:
    ids = set(found(columns()))
    assert ids >= {
        "vram.params", "vram.trainable", "vram.at_rest", "vram.forward_backward", "vram.allocated",
        "vram.reserved", "vram.per_gpu", "vram.comfortable", "vram.usable",
    }  # fmt: skip
    assert "vram.measured" not in ids


@pytest.mark.parametrize("method", ["full", "lora", "dora", "qlora", "qdora"])
def test_parts_add_up_and_ranges_enclose(method: str) -> None:
    for figure in found(columns(workload__method=method)).values():
        if figure.parts and figure.adds_up:
            assert sum(part[0] for part in figure.parts.values()) == pytest.approx(figure.value[0])
        if figure.low is not None and figure.high is not None:
            assert figure.low[0] <= figure.value[0] <= figure.high[0]


def test_counts_what_the_model_card_says() -> None:
    lora = found(columns(workload__method="lora", workload__rank=16))
    assert lora["vram.trainable"].value[0] == 41_943_040
    assert lora["vram.params"].value[0] == 8_030_261_248 + 41_943_040


def test_a_grid_gives_what_its_builds_give() -> None:
    axes = (
        Axis("workload.method", ("full", "lora", "qlora")),
        Axis("workload.model", ("meta-llama/Llama-3.1-8B", "mistralai/Mixtral-8x7B-v0.1")),
        Axis("workload.micro_batch", (1, 8)),
    )
    whole = columns(axes)
    grid = found(whole.chunk(0, whole.size))
    place = 0
    for method in axes[0].values:
        for model in axes[1].values:
            for batch in axes[2].values:
                one = found(columns(
                    workload__method=method, workload__model=model, workload__micro_batch=batch
                ))  # fmt: skip
                for name in ("vram.at_rest", "vram.allocated", "vram.reserved", "vram.per_gpu"):
                    several = np.broadcast_to(grid[name].value, (whole.size,))
                    assert several[place] == pytest.approx(one[name].value[0]), (name, method, model, batch)
                parts = grid["vram.allocated"].parts
                for name, part in one["vram.allocated"].parts.items():
                    assert np.broadcast_to(parts[name], (whole.size,))[place] == pytest.approx(part[0])
                place += 1


def test_the_note_says_which_moment_decides() -> None:
    step = found(columns(workload__method="full", workload__optimizer="adamw"))["vram.allocated"]
    assert "optimizer's step" in step.note
    loss = found(columns(workload__method="lora", workload__micro_batch=8))["vram.allocated"]
    assert "at the loss" in loss.note


def test_memory_in_use_is_not_usable() -> None:
    free = found(columns())["vram.usable"].value[0]
    assert found(columns(hardware__vram_reserved="2GiB"))["vram.usable"].value[0] == free - 2 * GIB


def test_a_run_is_shown_beside_the_model_and_changes_nothing() -> None:
    plain = found(columns())
    run = found(columns(measured__peak="40GiB"))
    assert run["vram.measured"].value[0] == 40 * GIB
    assert run["vram.measured"].parts["modelled"][0] == plain["vram.allocated"].value[0]
    assert run["vram.per_gpu"].value[0] == plain["vram.per_gpu"].value[0]


def test_reserved_stays_within_the_card_and_never_below_what_is_allocated() -> None:
    full = found(columns(workload__micro_batch=64, workload__sequence_length=8192))
    assert full["vram.reserved"].value[0] == pytest.approx(full["vram.allocated"].value[0])
    small = found(columns(workload__sequence_length=512))
    assert small["vram.allocated"].value[0] < small["vram.reserved"].value[0] < small["vram.usable"].value[0]


def test_a_rollout_engine_takes_its_share_of_the_card() -> None:
    grpo = found(columns(workload__objective="grpo"))["vram.per_gpu"]
    assert grpo.parts["rollout"][0] == pytest.approx(0.3 * found(columns())["vram.usable"].value[0])


@pytest.mark.parametrize("key", CHOICES)
def test_every_choice_of_a_build_has_its_row(key: str) -> None:
    described = builds.FIELDS[key].described
    assert isinstance(described, Choice)
    assert set(described.choices) <= {row.id for row in CHOICES[key]}


def test_ranges_widen_with_what_is_less_known() -> None:
    def width(**changes: Any) -> tuple[float, float]:
        figure = found(columns(**changes))["vram.allocated"]
        assert figure.low is not None and figure.high is not None
        return 1 - figure.low[0] / figure.value[0], figure.high[0] / figure.value[0] - 1

    counted = width(workload__method="lora")
    assert counted == pytest.approx((0.02, 0.035))
    assert width(workload__method="dora")[1] > counted[1]
    documented = width(workload__method="lora", workload__framework="axolotl")
    assert documented[0] > counted[0] and documented[1] > counted[1]
    assert width(workload__method="lora", workload__packing=False)[0] > counted[0]


def test_unpacked_samples_may_leave_a_pool_of_logits() -> None:
    packed, not_packed = (
        found(columns(workload__method="lora", workload__packing=flag))["vram.reserved"]
        for flag in (True, False)
    )
    assert packed.high is not None and not_packed.high is not None
    assert not_packed.high[0] > packed.high[0]
    assert not_packed.value[0] == pytest.approx(packed.value[0])


@pytest.mark.parametrize("stack", [row.id for row in CHOICES["workload.framework"]])
def test_every_stack_that_was_not_counted_says_so(stack: str) -> None:
    row: Any = next(row for row in CHOICES["workload.framework"] if row.id == stack)
    counted = ("transformers", "trl-202", "fms-acceleration")
    assert bool(row.documented) != stack.startswith(counted)


SHARDED: dict[str, Any] = {
    "hardware__gpus_per_node": 2,
    "hardware__sharding": "fsdp",
    "workload__method": "lora",
}


def test_a_grid_over_stacks_gives_what_its_builds_give() -> None:
    stacks = ("trl", "litgpt", "torchtitan", "fms-acceleration")
    names = ("google/gemma-2-2b", "meta-llama/Llama-3.1-8B")
    axes = (Axis("workload.framework", stacks), Axis("workload.model", names))
    whole = columns(axes, **SHARDED)
    grid = found(whole.chunk(0, whole.size))
    cases = [(stack, model) for stack in stacks for model in names]
    for place, (stack, model) in enumerate(cases):
        one = found(columns(workload__framework=stack, workload__model=model, **SHARDED))
        for name in ("vram.params", "vram.allocated", "vram.reserved", "vram.per_gpu"):
            for side in ("value", "low", "high"):
                ours, its = getattr(grid[name], side), getattr(one[name], side)
                if its is not None:
                    several = np.broadcast_to(ours, (whole.size,))
                    assert several[place] == pytest.approx(its[0]), (name, side, stack, model)


def test_peers_without_a_link_of_their_own_hold_smaller_buffers() -> None:
    linked, apart = (found(columns(hardware__gpu_link=link, **SHARDED)) for link in ("auto", "pcie"))
    context = [one["vram.per_gpu"].parts["context"][0] for one in (linked, apart)]
    assert context[0] - context[1] == pytest.approx(0.9e9)
    assert linked["vram.allocated"].value[0] == apart["vram.allocated"].value[0]
