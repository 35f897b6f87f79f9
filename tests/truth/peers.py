"""What other estimators say of the same step, re-told as formulas of `Work`: bytes of one GPU.

Each returns None for what the estimator has no input for, such as adapters. Symbols: P parameters, L layers,
h hidden width, i MLP width, a heads, V vocabulary, s sequence, b micro batch, T = s b tokens, N ranks.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ftbuild.engine.guide import listed, snippet
from ftbuild.engine.vram.phases import Work

Estimator = Callable[[Work], float | None]


def _one(value: Any) -> float:
    return float(getattr(value, "item", lambda: value)())


def _tokens(w: Work) -> float:
    return _one(w.sequence) * _one(w.micro_batch)


def _sharding(w: Work) -> tuple[float, float, float]:
    """Return among how many ranks weights, gradients and states are divided."""
    row, more = w.sharding, _one(w.ranks) - 1
    return 1 + more * row.parameters, 1 + more * row.gradients, 1 + more * row.states


def _full(w: Work) -> bool:
    return not w.method.adapters


def _checkpointed(w: Work) -> bool:
    return bool(w.checkpointing.inputs)


def accelerate(w: Work) -> float | None:
    """accelerate estimate-memory: four times the weights for Adam, of the model without its untied head.

    Source: accelerate 1.x, commands/estimate.py. It has no batch, sequence, adapters or sharding.
    """
    if not _full(w) or _one(w.ranks) > 1:
        return None
    counted = _one(w.model.total) - _one(w.model.head)
    return 4 * counted * (4 if w.precision.id in ("fp32", "bf16-mixed") else 2)


def deepspeed(w: Work) -> float | None:
    """DeepSpeed's estimate of model states for ZeRO-2 and ZeRO-3: no activations.

    Stage 2: 2 P + 18 P / N. Stage 3: 18 P / N + 4 x the largest module. Offloaded parts leave the GPU.
    Source: deepspeed/runtime/zero/stage_1_and_2.py and stage3.py.
    """
    if not _full(w):
        return None
    total, ranks = _one(w.model.total), _one(w.ranks)
    if not w.sharding.parameters:
        return 2 * total + (0 if w.offload.states else 18 * total / ranks)
    live = 4 * _one(w.model.largest_tensor)
    if w.offload.parameters:
        return live
    return live + (2 if w.offload.states else 18) * total / ranks


def cookbook(w: Work) -> float | None:
    """EleutherAI's cookbook, calc_transformer_mem.py: Korthikanti's 34 + 5 a s / h, recomputed or not.

    Parameters from h alone (heads of h / a, learned positions, untied); three MLP matrices where gated.
    """
    if not _full(w):
        return None
    m = w.model
    hidden, layers, sequence, vocab = map(_one, (m.hidden, m.layers, w.sequence, m.vocab))
    ratio, matrices = _one(m.intermediate) / hidden, 2 + _one(m.gated)
    shared = _one(m.key) / _one(m.query)
    parameters = (
        2 * vocab * hidden + hidden * sequence + 8 * hidden * layers + 2 * hidden
        + 2 * (1 + shared) * layers * hidden**2 + matrices * layers * hidden**2 * ratio
    )  # fmt: skip
    weights, gradients, states = _sharding(w)
    held = parameters * (2 / weights + 4 / gradients + 12 / states)
    if w.sharding.parameters:
        held += 5e8 * 2 + 1e9 * 2
    scores = 5 * _one(m.heads) * sequence / hidden
    return held + _tokens(w) * hidden * layers * (34 + scores)


def megatron(w: Work) -> float | None:
    """Megatron-LM's theoretical_memory_usage.py: 18 bytes a parameter, or 6 + 12 / N, and activations."""
    if not _full(w):
        return None
    m, tokens = w.model, _tokens(w)
    hidden, layers = _one(m.hidden), _one(m.layers)
    states = _sharding(w)[2]
    selective = w.checkpointing.id == "selective"
    a_layer = 18 + 4 * _one(m.intermediate) / hidden if selective else 34
    ends = 8 * tokens + 4 * tokens * hidden * (1 + _one(m.vocab) / hidden)
    return _one(m.total) * (6 + 12 / states) + tokens * hidden * layers * a_layer + ends


def gpu_poor(w: Work) -> float | None:
    """gpu_poor: multi-head attention and untied heads assumed, scores always kept, 0.15 with checkpointing.

    LoRA is a constant of rank 8 on two targets; 4-bit adds 6 % of 16-bit weights and activations; 650 MB.
    """
    if _one(w.ranks) > 1:
        return None
    m = w.model
    hidden, layers, sequence, inner = map(_one, (m.hidden, m.layers, w.sequence, m.intermediate))
    weights = 2 * (2 * _one(m.vocab) * hidden + 4 * layers * hidden**2 + 3 * layers * hidden * inner)
    a_layer = (
        16 * sequence * hidden + 8 * _one(m.heads) * sequence**2
        + (4 * hidden + 12 * inner) * sequence + 12 * hidden * sequence + 8 * sequence
    )  # fmt: skip
    activations = a_layer * layers * _one(w.micro_batch) * (0.15 if _checkpointed(w) else 1.0)
    context = 650e6
    if _full(w):
        return weights + 3 * weights + activations + context
    adapters = layers * 8 * hidden * 2 * 4 * 3 * 2
    if not w.method.id.startswith("q"):
        return weights + adapters + activations + context
    four_bit = weights / 4 - weights / 64
    return four_bit + adapters + activations + 0.06 * (weights + activations) + context


def guide(w: Work) -> float | None:
    """Return what the buyer's guide's snippet returns (`ftbuild.engine.guide`); it knows no sharding."""
    if _one(w.ranks) > 1:
        return None
    width = 2.0
    if w.method.id.startswith("q"):
        width = 1.0 if w.quantization.id == "int8" else 0.5
    return _one(snippet(_one(w.model.total), width, w.method.adapters, float(_checkpointed(w))))


def guide_table(w: Work) -> float | None:
    """Return the upper end that the guide's table lists for the method and a model of about that size."""
    if _one(w.ranks) > 1:
        return None
    most = _one(listed(_one(w.model.total), float(w.method.id.startswith("q")), w.method.adapters)[1])
    return None if most != most else most


PEERS: Mapping[str, Estimator] = {
    "accelerate": accelerate, "DeepSpeed": deepspeed, "EleutherAI cookbook": cookbook,
    "Megatron-LM": megatron, "gpu_poor": gpu_poor, "the guide's snippet": guide,
    "the guide's table": guide_table,
}  # fmt: skip
"""By the name that the score prints."""

VRAMCALC_TYPES = {
    "llama": "llama",
    "mistral": "mistral",
    "qwen2": "qwen2",
    "gemma": "gemma",
    "gemma2": "gemma2",
}

_DRIVER = """
import json, os, sys, tempfile
import vramcalc
def total(run, folder):
    if run is None:
        return None
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(run["config"], file)
    try:
        return vramcalc.estimate(folder, mode="train", **run["options"]).total
    except ValueError:
        return None
with tempfile.TemporaryDirectory() as folder:
    print(json.dumps([total(run, folder) for run in json.load(sys.stdin)]))
"""


def vramcalc_run(w: Work, family: str) -> dict[str, Any] | None:
    """Return a step as vramcalc takes it; None outside its scope (quantised, sharded, other families)."""
    kind = VRAMCALC_TYPES.get(family)
    if kind is None or w.method.id not in ("full", "lora") or _one(w.ranks) > 1:
        return None
    m = w.model
    config = {
        "model_type": kind, "hidden_size": m.hidden, "num_hidden_layers": m.layers,
        "num_attention_heads": m.heads, "num_key_value_heads": _one(m.key) / _one(m.head_dim),
        "head_dim": m.head_dim, "intermediate_size": m.intermediate, "vocab_size": m.vocab,
    }  # fmt: skip
    whole = {name: value if isinstance(value, str) else int(_one(value)) for name, value in config.items()}
    mixed = w.precision.id == "bf16-mixed"
    options = {
        "dtype": "fp32" if w.precision.id == "fp32" else "bf16", "batch": int(_one(w.micro_batch)),
        "seq_len": int(_one(w.sequence)), "grad_checkpoint": _checkpointed(w),
        "optimizer": "sgd" if w.optimizer.id.startswith("sgd") else "adamw",
        "precision": "amp" if mixed else "pure", "attn_impl": w.attention.id,
        "lora_rank": None if _full(w) else int(_one(w.rank)),
    }  # fmt: skip
    return {"config": {**whole, "tie_word_embeddings": _one(m.head) == 0}, "options": options}


def vramcalc(python: str, runs: Sequence[dict[str, Any] | None]) -> list[float | None]:
    """Return vramcalc's total of each run, asked of the Python of the environment that it is installed in."""
    asked = subprocess.run(
        [python, "-c", _DRIVER], input=json.dumps(list(runs)), capture_output=True, text=True, check=True
    )
    found: list[float | None] = json.loads(asked.stdout)
    return found
