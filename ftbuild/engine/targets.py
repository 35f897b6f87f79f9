"""Which modules adapters stand beside, and what that means for one model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.shape import LINEARS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ftbuild.engine.shape import Shape

ATTENTION_KINDS = ("q", "k", "v", "qkv", "o", "q_a", "q_b", "kv_a", "kv_b")
VALUE_KINDS = ("q", "v", "qkv", "q_b", "kv_b")

MODULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q_proj", "query", "wq", "q"), ("q",)),
    **dict.fromkeys(("k_proj", "key", "wk", "k"), ("k",)),
    **dict.fromkeys(("v_proj", "value", "wv", "v"), ("v",)),
    **dict.fromkeys(("qkv_proj", "query_key_value", "c_attn", "Wqkv", "W_pack", "linear_qkv"), ("qkv",)),
    **dict.fromkeys(("o_proj", "out_proj", "dense", "wo", "attn_out", "linear_proj", "o"), ("o",)),
    "q_a_proj": ("q_a",), "q_b_proj": ("q_b",), "kv_a_proj_with_mqa": ("kv_a",), "kv_b_proj": ("kv_b",),
    **dict.fromkeys(("gate_proj", "gate"), ("gate", "shared_gate_proj")),
    **dict.fromkeys(("up_proj", "up"), ("up", "shared_up")),
    **dict.fromkeys(("down_proj", "down"), ("down", "shared_down")),
    **dict.fromkeys(("fc1", "c_fc", "fc_in", "dense_h_to_4h"), ("up",)),
    **dict.fromkeys(("fc2", "fc_out", "dense_4h_to_h"), ("down",)),
    **dict.fromkeys(("gate_up_proj", "linear_fc1"), ("gate_up",)), "linear_fc2": ("down",),
    "c_proj": ("o", "down"), "shared_expert_gate": ("shared_gate",),
    "projection": ("o",), "mlp": ("gate", "up", "gate_up", "down"), "head": ("head",),
    "router": ("router",), "lm_head": ("head",), "experts": ("expert_gate_up", "expert_down"),
    "w1": ("gate", "expert_gate_up"), "w3": ("up", "expert_gate_up"), "w2": ("down", "expert_down"),
}  # fmt: skip
"""Kinds of `shape.LINEARS` by the name that a trainer's configuration gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Adapter facts of one model and target set: plain numbers, or arrays over both."""

    per_rank: Any
    """Trainable elements for each unit of rank: sum of in + out."""
    magnitude: Any
    """Output features of all targets, DoRA's magnitude vectors."""
    own_inputs: Any
    """Input widths that one token brings to all targets, layers summed."""
    shared_inputs: Any
    """The same with inputs that several targets read counted once, and those saved anyway left out."""
    outputs: Any
    """Output widths that one token leaves at all targets, layers summed."""
    modules: Any
    """Targets that one token passes."""
    down_width: Any
    """Width of the MLP whose last layer is a target; 0 where it is not."""
    mlp_inputs: Any
    """Input widths that one token brings to the targets of one layer's MLP."""
    largest: Any
    """Elements of the largest target's weight."""
    widest: Any
    """Input width of the widest target."""
    gate_up: Any
    """Output width of an adapted projection for gate and up together; 0 where there is none."""
    expert_per_rank: Any
    """The part of `per_rank` that stands beside experts."""


def reach(targets: str | Iterable[str], shape: Shape) -> NDArray[np.float64]:
    """Return the rank multiple of each kind of `LINEARS` for a target set or a list of module names."""
    if targets == "all-linear":
        return np.asarray(shape.linear_reach, dtype=np.float64)
    if targets == "attention":
        kinds = set(ATTENTION_KINDS)
    elif targets == "qv":
        kinds = set(VALUE_KINDS)
    else:
        names = [targets] if isinstance(targets, str) else targets
        kinds = {kind for name in names for kind in MODULES.get(name.rpartition(".")[2], ())}
    chosen = np.array([float(name in kinds) for name in LINEARS])
    experts = np.array([name.startswith("expert") or name == "router" for name in LINEARS])
    return chosen * np.where(experts, np.maximum(shape.linear_reach, chosen), 1.0)


@lru_cache(maxsize=1024)
def unreached(names: str | tuple[str, ...], shape: Shape) -> tuple[str, ...]:
    """Return those of `names` (a target set, or module names) that reach no module of the model."""
    there = shape.linear_count > 0
    alone = {names: names} if isinstance(names, str) else {name: (name,) for name in names}
    return tuple(name for name, reached in alone.items() if not (reach(reached, shape) * there).any())


def modules(shape: Shape) -> tuple[str, ...]:
    """Return a name for each kind of module that the model has, as its trainers commonly write it."""
    found: list[str] = []
    named: set[str] = set()
    there = {kind for kind, count in zip(LINEARS, shape.linear_count, strict=True) if count > 0}
    for name, kinds in MODULES.items():
        if not there.intersection(kinds) <= named:
            named.update(kinds)
            found.append(name)
    return tuple(found)


@lru_cache(maxsize=1024)
def targets(names: str | Iterable[str], shape: Shape) -> Targets:
    """Return the adapter facts of one model for a target set."""
    ranks = reach(names, shape) * (shape.linear_count > 0)
    on = ranks > 0
    has = dict(zip(LINEARS, on, strict=True))
    widths = shape.linear_in + shape.linear_out
    routed = np.array([name.startswith("expert") for name in LINEARS])
    reads_hidden = float(any(has[kind] for kind in ("q", "k", "v", "qkv", "q_a", "kv_a")))
    mlp = float(has["gate"] or has["up"] or has["gate_up"])
    shared = float(has["shared_gate_proj"] or has["shared_up"])
    down = shape.intermediate * has["down"] * shape.dense_layers
    down += shape.shared_intermediate * has["shared_down"] * shape.moe_layers
    distinct = shape.hidden * (
        reads_hidden * shape.layers + mlp * shape.dense_layers + shared * (1 - mlp) * shape.moe_layers
    )
    return Targets(
        per_rank=float((ranks * shape.linear_count * widths).sum()),
        magnitude=float((on * shape.linear_count * shape.linear_out).sum()),
        own_inputs=float((on * ~routed * shape.linear_uses * shape.linear_in).sum()),
        shared_inputs=float(distinct + down),
        outputs=float((on * shape.linear_uses * shape.linear_out).sum()),
        modules=float((ranks * ~routed * shape.linear_uses).sum()),
        down_width=float(
            max(shape.intermediate * has["down"], shape.shared_intermediate * has["shared_down"])
        ),
        mlp_inputs=float(_mlp_inputs(on, shape)),
        largest=float((on * ~routed * shape.linear_in * shape.linear_out).max()),
        widest=float((on * ~routed * shape.linear_in).max()),
        gate_up=float(2 * shape.intermediate * has["gate_up"]),
        expert_per_rank=float((ranks * routed * shape.linear_count * widths).sum()),
    )


def _mlp_inputs(on: NDArray[np.bool_], shape: Shape) -> Any:
    kinds = ("gate", "up", "gate_up", "down", "shared_gate_proj", "shared_up", "shared_down")
    chosen = np.array([name in kinds for name in LINEARS]) & on
    return (chosen * shape.linear_uses * shape.linear_in).sum() / shape.layers


TARGETS_FIELDS = tuple(field.name for field in fields(Targets))
