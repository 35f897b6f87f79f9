"""Figures of hosts, links, time and money: finite, explained, and the same in a grid as alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild.build import choices
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Cpu, Fabric, Gpu, Model
from ftbuild.engine.evaluate import columns, evaluate, figures_of
from ftbuild.engine.inputs import Axis

CATALOG = load_catalog()
AREAS = ("time", "network", "ram", "cpu", "gpu", "model", "cost")
STATED = {
    "workload": {"model": "llama-3.1-70b", "method": "qlora", "dataset_tokens": 1e8},
    "hardware": {"gpu": "h100-sxm-80gb", "nodes": 4, "gpus_per_node": 8, "cpu": "amd-epyc-9654", "sockets": 2,
                 "ram": "1536GB", "ram_modules": 24, "ram_speed": 4800, "sharding": "fsdp"},
    "network": {"fabric": "ib-ndr-400g", "links_per_node": 8},
    "storage": {"data_drive": "kioxia-cm7-v-6.4tb", "data_drives": 4, "data_raid": "0"},
    "power": {"psu": "3300W", "psus_per_node": 6},
    "cost": {"rent": 2.5, "quote": 1.2e6},
}  # fmt: skip
NOT_ALWAYS = {"time.guide", "time.implied_tokens"}
"""Only where the guide states a run time for such a build."""


def own(figures):
    return {name: figure for name, figure in figures.items() if name.split(".")[0] in AREAS}


def test_a_fully_stated_build_has_no_unknown_figure():
    report = evaluate(builds.read(STATED), CATALOG)
    blank = {name for name, figure in own(report.figures).items() if not np.isfinite(figure.value).all()}
    assert blank <= NOT_ALWAYS


def test_figures_are_columns_of_one():
    for name, figure in own(evaluate(builds.read(STATED), CATALOG).figures).items():
        for array in (figure.value, figure.low, figure.high, *figure.parts.values()):
            assert array is None or (isinstance(array, np.ndarray) and array.shape == (1,)), name


def test_ranges_hold_their_figure():
    for name, figure in own(evaluate(builds.read(STATED), CATALOG).figures).items():
        if figure.low is not None and np.isfinite(figure.value).all():
            assert figure.low[0] <= figure.value[0] <= figure.high[0], name


def test_specs_say_what_and_whence():
    for name, figure in own(evaluate(builds.read(STATED), CATALOG).figures).items():
        assert figure.spec.title and figure.spec.formula and figure.spec.source, name


@pytest.mark.parametrize(
    "axes",
    [
        (Axis("hardware.gpu", ("h100-sxm-80gb", "rtx-4090-24gb", "mi300x-oam-192gb", "t4-16gb")),
         Axis("hardware.gpus_per_node", (1, 4, 8)), Axis("hardware.gpu_link", ("auto", "pcie", "nvswitch"))),
        (Axis("workload.method", ("full", "lora", "qlora", "dora")),
         Axis("workload.checkpointing", ("none", "selective", "full")),
         Axis("workload.framework", ("transformers", "unsloth", "megatron"))),
        (Axis("hardware.sharding", ("none", "ddp", "zero2", "zero3", "fsdp")),
         Axis("hardware.offload", ("none", "optimizer", "parameters")), Axis("hardware.nodes", (1, 2))),
        (Axis("workload.model", ("llama-3.1-8b", "mixtral-8x7b", "gemma-2-9b")),
         Axis("workload.objective", ("sft", "dpo", "ppo")), Axis("workload.data", ("text", "video"))),
        (Axis("hardware.tensor_parallel", (1, 2)), Axis("hardware.pipeline_parallel", (1, 2)),
         Axis("hardware.context_parallel", (1, 2)), Axis("network.fabric", ("none", "eth-100g", "efa-v3"))),
        (Axis("hardware.cpu", ("amd-epyc-9654", "amd-ryzen-9-9950x", "intel-xeon-6980p")),
         Axis("hardware.sockets", (1, 2)), Axis("hardware.ram", ("512GB", "1TB")),
         Axis("hardware.ram_modules", (2, 12, 48))),
        (Axis("cost.rent", (1.5, "lambda/h100")), Axis("power.cooling", ("air", "dlc", "immersion")),
         Axis("workload.precision", ("bf16", "fp8", "fp32")), Axis("power.gpu_power_limit", (0.6, 1.0))),
        (Axis("workload.packing", (True, False)), Axis("workload.micro_batch", (1, 4)),
         Axis("workload.attention", ("flash", "eager")), Axis("workload.loss", ("standard", "fused"))),
    ],
    ids=lambda axes: "+".join(axis.key.split(".")[1] for axis in axes),
)  # fmt: skip
def test_a_grid_says_what_single_builds_say(axes):
    base = builds.read(STATED)
    c = columns(base, CATALOG, axes)
    grid = own(figures_of(c.chunk(0, c.size)))
    shape = tuple(len(axis.values) for axis in axes)
    for flat in range(0, c.size, max(c.size // 12, 1)):
        at = np.unravel_index(flat, shape)
        changes = {axis.key: axis.values[i] for axis, i in zip(axes, at, strict=True)}
        alone = own(evaluate(builds.changed(base, changes), CATALOG).figures)
        for name, figure in alone.items():
            for part in ("value", "low", "high"):
                one, many = getattr(figure, part), getattr(grid[name], part)
                if one is not None:
                    found = np.broadcast_to(many, c.size)[flat]
                    np.testing.assert_allclose(found, one[0], rtol=1e-9, err_msg=f"{name} {part} {changes}")


def _some(values):
    return st.sampled_from(list(values))


@settings(max_examples=60, deadline=None)
@given(
    gpu=_some(row.id for row in CATALOG.rows(Gpu)),
    cpu=_some([None, *(row.id for row in CATALOG.rows(Cpu))]),
    fabric=_some(row.id for row in CATALOG.rows(Fabric)),
    model=_some(row.id for row in CATALOG.rows(Model)),
    link=_some(choices.GPU_LINKS),
    sharding=_some(choices.SHARDING),
    offload=_some(("none", "optimizer", "parameters")),
    method=_some(choices.METHODS),
    objective=_some(choices.OBJECTIVES),
    precision=_some(choices.PRECISIONS),
    gpus=_some((1, 2, 6, 8, 256)),
    nodes=_some((1, 2, 16_384)),
    sequence=_some((1, 4096, 16_777_216)),
    hours=_some((0, 1, 168)),
)
def test_no_build_is_too_odd_to_answer(
    gpu,
    cpu,
    fabric,
    model,
    link,
    sharding,
    offload,
    method,
    objective,
    precision,
    gpus,
    nodes,
    sequence,
    hours,
):
    document = {
        "workload": {"model": model, "method": method, "objective": objective, "precision": precision,
                     "sequence_length": sequence},
        "hardware": {"gpu": gpu, "gpu_link": link, "sharding": sharding, "offload": offload,
                     "gpus_per_node": gpus, "nodes": nodes} | ({} if cpu is None else {"cpu": cpu}),
        "network": {"fabric": fabric},
        "cost": {"hours_per_week": hours},
    }  # fmt: skip
    for name, figure in own(evaluate(builds.read(document), CATALOG).figures).items():
        assert not (figure.value < 0).any(), name
