"""Exact parameter counts and module shapes of a language model.

Everything here counts elements, not bytes. Arguments are the numbers of one architecture, or arrays of
equal shape for many. Symbols: L layers, h hidden, i MLP width, a query heads, k KV heads, d head width,
E experts, V vocabulary, r adapter rank. Counts are held against transformers 5.24 on the meta device and
against peft 0.21 (`tests/engine/data/parameter_counts.json`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.tables import families

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ftbuild.catalog.parts import Model

LINEARS = (
    "q", "k", "v", "qkv", "o",
    "q_a", "q_b", "kv_a", "kv_b",
    "gate", "up", "gate_up", "down",
    "shared_gate_proj", "shared_up", "shared_down", "shared_gate", "router",
    "expert_gate_up", "expert_down", "head",
)  # fmt: skip
"""Kinds of matrix multiplication in a decoder; the order of every ``(C, ...)`` array of this module."""

QUANTIZED = tuple(name not in ("head", "expert_gate_up", "expert_down", "router") for name in LINEARS)
"""Kinds that a k-bit loader always replaces (nn.Linear but the output head); experts and router are
decided by `Stack.fused_experts`. Source: transformers quantizers, ``modules_to_not_convert``."""

EXPERT_ADAPTED = frozenset({
    "mixtral", "minimax", "minimax_m2", "afmoe", "deepseek_v2", "deepseek_v3", "deepseek_v32", "dots1",
    "ernie4_5_moe", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa", "glm4v_moe", "longcat_flash", "solar_open",
    "qwen3_moe", "qwen3_omni_moe", "qwen3_next", "hunyuan_v1_moe", "flex_olmo", "olmoe", "exaone_moe",
    "cohere2_moe",
})  # fmt: skip
"""Families whose fused experts and router peft's ``all-linear`` reaches (2r on gate and up together), and
whose dense and shared MLPs it then leaves out, as their names stand for the experts.
Source: peft 0.21.2 ``transformers_weight_conversion`` over transformers 5.24 ``conversion_mapping``."""

LINEAR_ROUTER = frozenset({"llama4_text", "llama4"})
"""Families whose router stayed an nn.Linear in transformers 5.24."""

BIASED_NORMS = {"rms": 1.0, "rms_offset": 1.0, "layer": 2.0, "layer_nobias": 1.0}
"""Vectors of hidden size that one norm holds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """What the memory formulas need of one architecture: plain numbers, or arrays over architectures."""

    layers: Any
    hidden: Any
    vocab: Any
    heads: Any
    query: Any
    """Width of all query heads, a x d."""
    key: Any
    """Width of all key heads before they are repeated, k x d."""
    value: Any
    attended: Any
    """Width of what enters the output projection, a x value head width."""
    head_dim: Any
    intermediate: Any
    gated: Any
    """1 where the MLP has a gate (three matrices), 0 where it has two."""
    dense_layers: Any
    """Layers with a dense MLP."""
    moe_layers: Any
    experts: Any
    experts_per_token: Any
    expert_intermediate: Any
    shared_intermediate: Any
    norms_per_layer: Any
    norm_vectors: Any
    qk_norm: Any
    """1 where queries and keys are normalised, by head or over all heads."""
    latent: Any
    """Multi-head latent attention: widths of the compressed queries and of keys and values, summed."""
    largest_layer: Any
    """Parameters of the largest decoder layer."""
    largest_linear: Any
    """Elements of the largest linear weight of a layer."""
    largest_tensor: Any
    """Elements of the largest single parameter."""
    fused_qkv: Any
    attention_readers: Any
    """Projections that read a layer's normalised input: 3, or 1 where they are fused."""
    mlp_readers: Any
    """Projections that read the MLP's input: 2 with a gate, 1 without or where they are fused."""
    norm_inputs: Any
    """Tensors that a layer's hidden-wide norms read."""
    norm_keeps: Any
    """``(4, ...)`` what a norm saves of one element: bytes and copies in the residual dtype where its
    weight is frozen, the same where it trains (`tables.families.NORMS`)."""
    activation_kept: Any
    """MLP-wide tensors that the activation saves."""
    activation_shared: Any
    """1 where what it saves is the input of the last linear layer."""
    activation_backward: Any
    """MLP-wide gradients alive at once in its backward pass, less what is freed by then."""
    math_attention: Any
    """1 where torch's scaled_dot_product_attention falls back to fp32 scores."""
    scores_fp32: Any
    """Copies of the scores that eager attention saves, in fp32."""
    scores: Any
    """The same in the compute dtype."""
    raw_logits: Any
    """1 where the family's own loss did not turn logits into fp32 (`Stack.own_loss`)."""
    softcap: Any
    """1 where logits are soft-capped, which keeps a copy of them."""
    embedding: Any
    """Parameters of token and position embeddings."""
    head: Any
    """Parameters of an output head of its own; 0 where it is tied."""
    norms: Any
    """Parameters in norms."""
    quantizable: Any
    """Elements of nn.Linear weights outside the output head and the experts."""
    expert: Any
    """Elements of expert weights."""
    router: Any
    total: Any
    """All parameters of the language model and of what is beside it."""
    beside: Any
    """Parameters outside the language model (vision tower, projector)."""
    linear_in: Any
    """``(C, ...)`` input width by kind of `LINEARS`; 0 where a model has none."""
    linear_out: Any
    linear_count: Any
    """``(C, ...)`` how many such modules the model has."""
    linear_uses: Any
    """``(C, ...)`` how many such modules one token passes through, all layers together."""
    linear_reach: Any
    """``(C, ...)`` adapter rank over the rank asked for, under ``all-linear``: 1, 2 for fused gate and up,
    0 where it does not reach."""


def query_head_width(head_dim: Any, qk_nope_dim: Any, qk_rope_dim: Any) -> Any:
    """Width of one query or key head: d, or its latent-attention counterpart (DeepSeek-V2, 2405.04434)."""
    latent = qk_nope_dim + qk_rope_dim
    return latent + (latent == 0) * head_dim


def attention_parameters(linear_in: Any, linear_out: Any, bias: Any, o_bias: Any, hidden: Any) -> Any:
    """Elements of one layer's attention projections, from ``(C, ...)`` shapes of the first nine kinds."""
    weights = (linear_in[:9] * linear_out[:9]).sum(axis=0)
    return weights + bias * linear_out[:4].sum(axis=0) + o_bias * hidden


def mlp_parameters(hidden: Any, width: Any, gated: Any, bias: Any = 0) -> Any:
    """Elements of one MLP: 2hi, or 3hi with a gate, and its biases."""
    matrices = 2 + gated
    return matrices * hidden * width + bias * ((1 + gated) * width + hidden)


def lora_parameters(linear_in: Any, linear_out: Any, linear_count: Any, ranks: Any) -> Any:
    """Trainable elements of LoRA: sum over targets of r (in + out). Arrays ``(C, ...)``; returns ``(...)``.

    `ranks` holds the rank of each kind, 0 where it is not a target (2106.09685; peft ``LoraLayer``).
    """
    return (ranks * linear_count * (linear_in + linear_out)).sum(axis=0)


def dora_parameters(linear_out: Any, linear_count: Any, ranks: Any) -> Any:
    """Elements that DoRA adds: one magnitude per output feature of each target (2402.09353)."""
    return ((ranks > 0) * linear_count * linear_out).sum(axis=0)


@lru_cache(maxsize=4096)
def shape(model: Model) -> Shape:
    """Return the shape of one catalog row."""
    m, h = model, float(model.hidden)
    gated = float(m.mlp == "gated")
    norm = BIASED_NORMS[m.norm]
    moe_layers = float(m.layers - m.dense_layers) if m.experts else 0.0
    dense_layers = m.layers - moe_layers
    linear_in, linear_out, linear_count, reach = _linears(m, gated, dense_layers, moe_layers)
    routed = np.array([name.startswith("expert") for name in LINEARS])
    linear_uses = np.where(routed, moe_layers * m.experts_per_token, linear_count)
    attention = attention_parameters(linear_in, linear_out, m.qkv_bias, m.o_bias, h)
    latent_norms = (m.q_lora + m.kv_lora) if m.kv_lora else 0
    head_norms = {"none": 0, "head": 2 * m.head_dim, "full": (m.heads + m.kv_heads) * m.head_dim}[m.qk_norm]
    norms = m.layers * (m.norms_per_layer * norm * h + latent_norms + head_norms)
    norms += norm * h * (1 + m.embedding_norm)
    router = moe_layers * (m.experts * h + m.router_bias * m.experts)
    expert = moe_layers * m.experts * mlp_parameters(h, m.expert_intermediate, gated)
    expert_bias = m.expert_bias * m.experts * ((1 + gated) * m.expert_intermediate + h)
    shared = mlp_parameters(h, m.shared_intermediate, gated) * bool(m.shared_intermediate) + m.shared_gate * h
    dense = mlp_parameters(h, m.intermediate, gated, m.mlp_bias)
    embedding = h * (m.vocab + m.positions)
    head = (not m.tied) * m.vocab * h + m.head_bias * m.vocab
    per_layer = attention + m.sinks * m.heads
    moe_layer = per_layer + shared + m.experts * mlp_parameters(h, m.expert_intermediate, gated) + expert_bias
    total = (
        embedding + head + norms + router + expert + m.layers * per_layer + dense_layers * dense
        + moe_layers * (shared + expert_bias) + m.extra
    )  # fmt: skip
    per_kind = linear_in * linear_out * linear_count
    per_weight = (linear_in * linear_out)[:-1]
    norm_row = families.NORMS[families.FAMILY_NORMS.get(m.family, m.norm)]
    activation = families.ACTIVATIONS[families.FAMILY_ACTIVATIONS.get(m.family, m.mlp)]
    expert_tensor = (1 + gated) * h * m.expert_intermediate * (m.experts if m.fused_experts else 1)
    query_width = query_head_width(m.head_dim, m.qk_nope_dim, m.qk_rope_dim)
    value_width = m.v_head_dim or m.head_dim
    return Shape(
        layers=float(m.layers), hidden=h, vocab=float(m.vocab), heads=float(m.heads),
        query=float(m.heads * query_width), key=float(m.kv_heads * query_width),
        value=float(m.kv_heads * value_width), attended=float(m.heads * value_width),
        head_dim=float(query_width), intermediate=float(m.intermediate), gated=gated,
        dense_layers=dense_layers, moe_layers=moe_layers, experts=float(m.experts),
        experts_per_token=float(m.experts_per_token), expert_intermediate=float(m.expert_intermediate),
        shared_intermediate=float(m.shared_intermediate), norms_per_layer=float(m.norms_per_layer),
        norm_vectors=norm, qk_norm=float(m.qk_norm != "none"), latent=float(m.q_lora + m.kv_lora),
        largest_layer=float(max(dense_layers and per_layer + dense, moe_layers and moe_layer)),
        largest_linear=float(per_weight.max()),
        largest_tensor=float(max(m.vocab * h, per_weight.max(), expert_tensor)),
        fused_qkv=float(m.fused_qkv), attention_readers=3.0 - 2 * m.fused_qkv,
        mlp_readers=1.0 + (gated and not m.fused_gate_up),
        norm_inputs=float(families.NORM_INPUTS.get(m.family, m.norms_per_layer)),
        norm_keeps=np.array([
            norm_row.frozen, norm_row.frozen_residual, norm_row.trained, norm_row.trained_residual,
        ]),
        activation_kept=activation.kept, activation_shared=activation.shares_output,
        activation_backward=activation.backward, math_attention=float(m.family in families.MATH_ATTENTION),
        scores_fp32=families.SCORES.get(m.family, (1.0, 1.0))[0],
        scores=families.SCORES.get(m.family, (1.0, 1.0))[1],
        raw_logits=float(m.family in families.RAW_LOGITS),
        softcap=float(m.logit_softcap),
        embedding=float(embedding), head=float(head), norms=float(norms),
        quantizable=float(per_kind[list(QUANTIZED)].sum()), expert=float(expert), router=float(router),
        total=float(total + m.vision), beside=float(m.vision),
        linear_in=linear_in, linear_out=linear_out, linear_count=linear_count, linear_uses=linear_uses,
        linear_reach=reach,
    )  # fmt: skip


def _linears(m: Model, gated: float, dense: float, moe: float) -> tuple[NDArray[np.float64], ...]:
    h, layers = m.hidden, m.layers
    query = m.heads * query_head_width(m.head_dim, m.qk_nope_dim, m.qk_rope_dim)
    key = m.kv_heads * m.head_dim
    value_head = m.v_head_dim or m.head_dim
    latent, split = bool(m.kv_lora), not m.fused_qkv and not m.kv_lora
    own_gate = gated and not m.fused_gate_up
    shared = moe if m.shared_intermediate else 0.0
    reached = float(not m.fused_experts or m.family in EXPERT_ADAPTED)
    plain = float(not (m.experts and m.fused_experts and m.family in EXPERT_ADAPTED))
    rows: dict[str, tuple[float, float, float, float]] = {
        "q": (h, query, layers * (split or (latent and not m.q_lora)), 1),
        "k": (h, key, layers * split, 1),
        "v": (h, key, layers * split, 1),
        "qkv": (h, query + 2 * key, layers * m.fused_qkv, 1),
        "o": (m.heads * value_head, h, layers, 1),
        "q_a": (h, m.q_lora, layers * bool(m.q_lora), 1),
        "q_b": (m.q_lora, query, layers * bool(m.q_lora), 1),
        "kv_a": (h, m.kv_lora + m.qk_rope_dim, layers * latent, 1),
        "kv_b": (m.kv_lora, m.heads * (m.qk_nope_dim + value_head), layers * latent, 1),
        "gate": (h, m.intermediate, dense * bool(own_gate), plain),
        "up": (h, m.intermediate, dense * bool(own_gate or not gated), plain),
        "gate_up": (h, 2 * m.intermediate, dense * bool(gated and m.fused_gate_up), plain),
        "down": (m.intermediate, h, dense, plain),
        "shared_gate_proj": (h, m.shared_intermediate, shared * gated, plain),
        "shared_up": (h, m.shared_intermediate, shared, plain),
        "shared_down": (m.shared_intermediate, h, shared, plain),
        "shared_gate": (h, 1, shared * m.shared_gate, 1),
        "router": (h, m.experts, moe, max(reached, float(m.family in LINEAR_ROUTER))),
        "expert_gate_up": (h, (1 + gated) * m.expert_intermediate, moe * m.experts, reached * (1 + gated)),
        "expert_down": (m.expert_intermediate, h, moe * m.experts, reached),
        "head": (h, m.vocab, 1, 0),
    }
    table = np.array([rows[name] for name in LINEARS], dtype=np.float64)
    present = table[:, 2] > 0
    return table[:, 0] * present, table[:, 1] * present, table[:, 2], table[:, 3] * present


SHAPE_FIELDS = tuple(field.name for field in fields(Shape))
