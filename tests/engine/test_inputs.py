"""Columns of a grid: every build of a grid reads exactly what it would read alone."""

import numpy as np
import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.inputs import Axis, Columns
from ftbuild.engine.tables import CHOICES
from ftbuild.problems import BuildError

BASE = {
    "workload": {"model": "llama-3.1-8b", "method": "lora"},
    "hardware": {"gpu": "h100-sxm-80gb", "cpu": "amd-epyc-9654"},
}
AXES = (
    Axis("workload.micro_batch", (1, 2, 4)),
    Axis("hardware.gpu", ("h100-sxm-80gb", "rtx-4090-24gb")),
    Axis("workload.targets", ("qv", "all-linear")),
    Axis("workload.model", ("llama-3.1-8b", "qwen2.5-7b")),
    Axis("workload.method", ("full", "qlora")),
)


@pytest.fixture(name="base")
def fixture_base():
    return builds.read(BASE)


def test_a_grid_reads_what_each_of_its_builds_reads_alone(base):
    grid = Columns(base, load_catalog(), AXES)
    columns = grid.chunk(0, grid.size)
    methods = CHOICES["workload.method"]
    at = 0
    for combination in np.ndindex(*(len(axis.values) for axis in AXES)):
        chosen = {axis.key: axis.values[i] for axis, i in zip(AXES, combination, strict=True)}
        one = Columns(builds.changed(base, chosen), load_catalog())
        assert columns.number("workload.micro_batch")[at] == one.number("workload.micro_batch")[0]
        assert columns.gpu.bandwidth[at] == one.gpu.bandwidth[0]
        assert columns.model.hidden[at] == one.model.hidden[0]
        assert np.array_equal(columns.model.linear_in[:, at], one.model.linear_in[:, 0])
        assert columns.targets.per_rank[at] == one.targets.per_rank[0]
        assert columns.is_in("workload.method", "qlora")[at] == one.is_in("workload.method", "qlora")[0]
        gathered = vars(columns.rows(methods, "workload.method"))
        assert {name: column[at] for name, column in gathered.items()} == {
            name: column[0] for name, column in vars(one.rows(methods, "workload.method")).items()
        }
        at += 1
    assert at == grid.size


def test_a_chunk_is_a_slice_of_the_grid(base):
    grid = Columns(base, load_catalog(), AXES)
    whole = grid.chunk(0, grid.size).gpu.power
    assert np.array_equal(grid.chunk(5, 17).gpu.power, whole[5:17])


def test_what_no_axis_names_keeps_the_shape_of_one_build(base):
    columns = Columns(base, load_catalog(), AXES).chunk(0, 24)
    assert columns.number("workload.sequence_length").shape == (1,)
    assert columns.cpu.cores.shape == (1,)


def test_facts_of_a_part_that_is_not_stated_are_unknown():
    stated = Columns(builds.read({**BASE, "hardware": {"gpu": "h100"}}), load_catalog())
    assert np.isnan(stated.cpu.cores).all()
    assert np.isnan(stated.number("hardware.ram")).all()
    assert stated.stated("hardware.ram")[0] == 0


def test_an_unknown_part_names_its_key_and_what_comes_close():
    wrong = builds.read({**BASE, "hardware": {"gpu": "h10O-sxm"}})
    with pytest.raises(BuildError) as error:
        _ = Columns(wrong, load_catalog()).gpu
    problem = error.value.problems[0]
    assert problem.key == "hardware.gpu"
    assert "h100" in problem.expected


def test_an_axis_refuses_a_value_that_its_field_refuses(base):
    with pytest.raises(BuildError, match="micro_batch"):
        Columns(base, load_catalog(), (Axis("workload.micro_batch", (1, 0)),))
