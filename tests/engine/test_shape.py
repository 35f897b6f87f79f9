import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild.catalog.parts import Model
from ftbuild.engine import shape as s

FACTS = json.loads((Path(__file__).parent / "data" / "parameter_counts.json").read_text())
TARGETS = {"attention": ("q", "k", "v", "qkv", "o"), "qv": ("q", "v", "qkv")}


def row(**changes: Any) -> Model:
    facts = {
        "id": "x", "name": "x", "source": "test", "as_of": "2026", "confidence": "user", "family": "llama",
        "layers": 4, "hidden": 256, "intermediate": 512, "heads": 8, "kv_heads": 2, "head_dim": 32,
        "vocab": 1000, "tied": False, "context": 2048,
    }  # fmt: skip
    return Model(**{**facts, **changes})


@cache
def shape_of(name: str) -> s.Shape:
    fact = next(fact for fact in FACTS["rows"] if fact["name"] == name)
    return s.shape(row(**fact["model"]))


def trainable(shape: s.Shape, targets: str, rank: int, dora: bool) -> float:
    reach = (
        shape.linear_reach
        if targets == "all-linear"
        else np.array([float(name in TARGETS[targets]) for name in s.LINEARS])
    )
    count = s.lora_parameters(shape.linear_in, shape.linear_out, shape.linear_count, rank * reach)
    if dora:
        count += s.dora_parameters(shape.linear_out, shape.linear_count, rank * reach)
    return float(count)


@pytest.mark.parametrize("fact", FACTS["rows"], ids=lambda fact: fact["name"])
def test_counts_parameters_as_transformers_does(fact: dict[str, Any]) -> None:
    shape = shape_of(fact["name"])
    assert (shape.total, shape.norms, shape.expert) == (fact["total"], fact["norms"], fact["experts"])


@pytest.mark.parametrize(
    ("name", "case", "count"),
    [(fact["name"], case, count) for fact in FACTS["rows"] for case, count in fact["lora"].items()],
)
def test_counts_adapters_as_peft_does(name: str, case: str, count: int) -> None:
    method, targets = case.split()
    assert trainable(shape_of(name), targets, 16, method == "dora") == count


@given(rank=st.integers(1, 256), layers=st.integers(1, 100))
def test_adapters_grow_with_rank_and_layers(rank: int, layers: int) -> None:
    one = trainable(s.shape(row(layers=1)), "all-linear", 1, dora=False)
    assert trainable(s.shape(row(layers=layers)), "all-linear", rank, dora=False) == one * rank * layers


def test_a_tied_head_costs_nothing_and_an_untied_one_a_vocabulary() -> None:
    tied, own = s.shape(row(tied=True)), s.shape(row(tied=False))
    assert own.total - tied.total == 1000 * 256


def test_the_parts_of_a_dense_model_add_up() -> None:
    shape = s.shape(row())
    assert shape.embedding + shape.head + shape.norms + shape.quantizable == shape.total
    assert shape.largest_layer * 4 + 4 * 2 * 256 == shape.quantizable + 4 * 2 * 256


def test_the_largest_layer_of_a_mixture_holds_its_experts() -> None:
    dense = s.shape(row())
    mixture = s.shape(row(experts=8, experts_per_token=2, expert_intermediate=512, dense_layers=1))
    assert mixture.largest_layer > dense.largest_layer
    assert (mixture.dense_layers, mixture.moe_layers) == (1, 3)
