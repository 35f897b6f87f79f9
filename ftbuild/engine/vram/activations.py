"""Saved activations, in bytes a token of one layer (or of the whole model where said).

Each function counts the tensors that autograd keeps in one module of the decoders in transformers 5.24,
found by listing saved tensors; T tokens, h hidden, i MLP width, q query width, s sequence length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


def norm_bytes(hidden: Any, keeps: Any, trained: Any, residual: Any) -> Any:
    """Bytes a token that one hidden-wide norm saves, its fp32 statistic included.

    `keeps` is ``(4, ...)``, `Shape.norm_keeps`; `trained` 0 or 1; `residual` bytes of the hidden state.
    """
    frozen = keeps[0] + keeps[1] * residual
    return hidden * (frozen + trained * (keeps[2] + keeps[3] * residual - frozen)) + 4


def attention_bytes(
    *,
    query: Any,
    key: Any,
    value: Any,
    attended: Any,
    heads: Any,
    fused_qkv: Any,
    sequence: Any,
    compute: Any,
    expanded: Any,
    statistics: Any,
    scores_fp32: Any,
    scores: Any,
) -> Any:
    """Bytes a token that the attention core saves: q, k, v, output, log-sum-exp, and scores where kept.

    Widths in elements; `compute` bytes an element. Repeated key and value heads count as query heads; a
    fused projection's values are a view that keeps queries and keys alive unless they are repeated.
    """
    repeated = expanded * (query - key)
    keys_values = key + value + 2 * repeated
    whole = fused_qkv * (repeated == 0) * (query + key)
    kept_scores = scores_fp32 * 4 + scores * compute * (compute < 4)
    return compute * (query + keys_values + whole + attended) + heads * (
        4 * statistics + sequence * kept_scores
    )


def query_norm_bytes(query: Any, key: Any, qk_norm: Any, trained: Any, compute: Any) -> Any:
    """Bytes a token that norms on queries and keys save: fp32 input, and normalised where trained."""
    return qk_norm * (query + key) * (4 + trained * compute)


def mlp_bytes(width: Any, kept: Any, shared: Any, compute: Any, output: Any) -> Any:
    """Bytes a token that an MLP of `width` saves.

    `kept` tensors of the activation; `output` bytes an element of what its last linear layer saves of its
    input; `shared` 1 where that is one of the kept.
    """
    return width * (kept * compute + output * (1 - shared))


def experts_bytes(
    *,
    per_token: Any,
    hidden: Any,
    width: Any,
    experts: Any,
    kept: Any,
    compute: Any,
    trained: Any,
) -> Any:
    """Bytes a token that routed experts save: permuted inputs, activations, outputs before weighting.

    Fused experts of transformers 5.24: outputs are kept for the weighting, inputs and products for the
    weights' gradients; router probabilities in fp32, six index entries a routed token.
    """
    routed = hidden * compute * (1 + trained) + width * compute * (kept + trained)
    return per_token * (routed + 60) + 4 * experts


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Bytes of activations of one rank, by moment."""

    all: Any
    """What the forward pass leaves for the backward pass, the last norm and head left out."""
    final: Any
    """What the last norm and the head save."""
    norm: Any
    """The same in the last norm's backward pass, with its fp32 gradients."""
    embedded: Any
    """The gradient that arrives at the embedding."""
    first: Any
    first_work: Any
    reduced: Any
    """The same once a layer's backward pass is at its first norm, its gradients complete."""
    reduced_last: Any
    """The same for the layer before the last."""
    last: Any
    last_work: Any


def saved(work: Any) -> Saved:
    """Return the activations of each moment, and the workspace of a layer's backward pass."""
    m, method, stack, precision = work.model, work.method, work.stack, work.precision
    full, compute, residual = 1 - method.adapters, precision.compute, precision.residual
    sharded = work.sharding.parameters * (work.ranks > 1)
    prepared = stack.kbit_norms * (1 - sharded)
    residual = residual + method.quantized * (2 + 2 * prepared - residual)
    retained = stack.fsdp1 * sharded * method.adapters
    # Over an fp32 hidden state and without autocast, a k-bit layer gives fp32 back.
    upcast = method.quantized * prepared * (1 - stack.autocast)
    compute = compute + upcast * (4 - compute)
    in_fp32 = 1 - work.sharding.casts_shards * (work.ranks > 1)
    residual = compute + in_fp32 * (residual - compute)
    weights_cast = precision.autocast * in_fp32
    autocast = 1 - (1 - weights_cast) * (1 - stack.autocast)
    cast = weights_cast * full
    tokens = work.micro_batch * work.objective.sequences * work.sequence / work.context
    inputs = precision.linear_input + (precision.linear_input == 0) * compute
    # Layers whose weights train save their input; so do k-bit layers of older bitsandbytes.
    saves = np.maximum(full, method.quantized * stack.kbit_inputs)
    keeps = m.norm_keeps
    plain_norm = norm_bytes(m.hidden, keeps, full, residual)
    norm = plain_norm + stack.fused_norms * (m.hidden * compute + 4 - plain_norm)
    math = work.attention.math * m.math_attention
    scores_fp32 = work.attention.scores_fp32 * m.scores_fp32 + math
    scores_compute = work.attention.scores * m.scores
    scores_backward = work.attention.scores_backward + 2 * math
    attention = (
        attention_bytes(
            query=m.query,
            key=m.key,
            value=m.value,
            attended=m.attended,
            heads=m.heads,
            fused_qkv=np.maximum(m.fused_qkv, stack.fused_qkv),
            sequence=work.sequence,
            compute=compute,
            expanded=work.attention.expanded,
            statistics=work.attention.statistics,
            scores_fp32=scores_fp32,
            scores=scores_compute,
        )
        / work.tensor
    )
    masked = np.maximum(work.padded, stack.masks)
    attention = attention + masked * work.attention.mask * compute * work.sequence
    around = m.norm_inputs * norm + query_norm_bytes(m.query, m.key, m.qk_norm, full, compute)
    readers = 1 + cast * (m.attention_readers - 1)
    mlp_readers = 1 + cast * (m.mlp_readers - 1)
    around = around + saves * m.hidden * inputs * readers + m.latent * (4 + 2 * full * compute)
    recomputed_gate = np.maximum(stack.fused_mlp, stack.liger * work.loss.recomputes_gate)
    kept = m.activation_kept - recomputed_gate * (m.gated > 0)
    dense = mlp_bytes(m.intermediate, kept, m.activation_shared, compute, saves * inputs)
    dense = (dense + saves * m.hidden * inputs * mlp_readers) / work.tensor
    shared = (
        mlp_bytes(m.shared_intermediate, kept, m.activation_shared, compute, saves * inputs) / work.tensor
    )
    routed = (m.moe_layers > 0) * (
        shared
        + experts_bytes(
            per_token=m.experts_per_token,
            hidden=m.hidden,
            width=m.expert_intermediate,
            experts=m.experts,
            kept=kept,
            compute=compute,
            trained=full,
        )
    )
    # Adapters: a cast copy of its input for each, or inputs as they are where dtypes agree or kernels fuse.
    own_dtype = (work.adapter_bytes != compute) * (1 - stack.shared_inputs)
    copy_bytes = work.adapter_bytes + autocast * (compute - work.adapter_bytes)
    low_rank = np.minimum(copy_bytes, work.adapter_bytes)
    t = work.targets
    adapter_inputs = own_dtype * t.own_inputs * copy_bytes + (1 - own_dtype) * t.shared_inputs * compute
    noise = 1 + stack.dropout_noise * (copy_bytes - 1)
    dropped = (work.dropout > 0) * (t.own_inputs * (noise + copy_bytes) - adapter_inputs)
    magnitude = method.magnitude * t.outputs * (compute + 4)
    adapters = method.adapters * (adapter_inputs + t.modules * work.rank * low_rank + dropped + magnitude)
    adapters = adapters / work.tensor
    per_layer = adapters / m.layers
    layer = around + attention + np.maximum((m.dense_layers > 0) * dense, routed) + per_layer
    layers = m.layers * (around + attention) + m.dense_layers * dense + m.moe_layers * routed + adapters
    # Autocast keeps the 16-bit copies of the weights that the backward pass needs.
    casts = weights_cast * (1 - method.quantized) * compute
    linear = (m.quantizable + m.expert / work.expert) / work.tensor
    layer_casts = casts * m.largest_layer / work.tensor
    stage = 1 / work.pipeline
    recomputes = work.checkpointing.inputs
    mask = recomputes * work.attention.mask_kept * tokens * work.sequence
    mask = mask * np.maximum(masked, work.attention.scores_fp32 > 0)
    boundary = recomputes * residual * m.hidden * (1 - work.checkpointing.offloaded)
    in_flight = 1 + (work.pipeline > 1) * (np.minimum(work.pipeline, work.accumulation) - 1)
    core = work.checkpointing.attention_kept - work.checkpointing.kept
    kept_layers = work.checkpointing.kept * layers + core * m.layers * attention
    per_token = (kept_layers + m.layers * boundary) * stage
    left = stack.kept_inputs * method.adapters * recomputes * residual * m.hidden * tokens
    all_saved = tokens * per_token + work.checkpointing.kept * casts * linear * stage + mask + left
    final_norm = plain_norm + full * m.hidden * compute + stack.hidden_copies * 2 * m.hidden
    final = tokens * final_norm + casts * m.vocab * m.hidden
    norm_work = tokens * m.hidden * (compute + 16 * (1 - stack.fused_norms) * (keeps[0] > 0))
    # One by one, separate experts hold the gradients of their own tokens only.
    at_once = stack.fused_experts + (1 - stack.fused_experts) / np.maximum(m.experts, 1)
    routed_width = m.experts_per_token * m.expert_intermediate * at_once
    width = np.maximum((m.dense_layers > 0) * m.intermediate, routed_width)
    width = np.maximum(width, m.shared_intermediate)
    unsaved = 1 - full * (1 - m.activation_shared)
    down = t.down_width > 0
    frozen_work = compute * width * (m.activation_backward + unsaved)
    own_work = t.down_width * (work.adapter_bytes + autocast * (3 * compute - work.adapter_bytes))
    own_work = own_work + m.hidden * 5 * compute
    shared_work = compute * width * m.activation_backward
    adapter_work = down * (own_dtype * own_work + (1 - own_dtype) * shared_work) + (1 - down) * frozen_work
    mlp_work = full * frozen_work + method.adapters * adapter_work
    on_cuda = work.attention.scores_cuda * (1 - stack.masks)
    freed = (compute < 4) * work.attention.scores
    scores = m.heads * work.sequence * (4 * scores_backward + compute * (on_cuda - freed))
    # The MLP's saved tensors are gone by the time the attention's gradients are made.
    mlp_copies = method.adapters * own_dtype * copy_bytes * t.mlp_inputs
    mlp_saved = (kept + full) * compute * width + mlp_copies
    scores_work = (scores - mlp_saved) * (scores > 0)
    layer_work = tokens * (np.maximum(mlp_work, scores_work) / work.tensor + residual * m.hidden)
    # DoRA's weight norm: an identity, and four fp32 tensors of the target's size, before later modules save.
    weight_norm = 16 * t.largest + 4 * t.widest**2 - (1 - down) * tokens * kept * compute * width
    layer_work = np.maximum(layer_work, method.magnitude * weight_norm)
    unpacked = tokens * compute * 2 * width + compute * m.largest_linear
    layer_work = np.maximum(layer_work, method.quantized * unpacked / work.tensor)
    layer_work = layer_work + stack.hidden_work * method.adapters * 2 * m.hidden * tokens
    one_input = tokens * boundary * (1 + retained * (2 * m.layers - 1))
    shares = tokens * m.hidden * (keeps[1] * residual + (keeps[0] > 0) * (residual == 4) * 4)
    recomputed = tokens * layer + layer_casts - shares * recomputes
    rebuilt = (1 - work.checkpointing.kept) * recomputed
    return Saved(
        all=all_saved,
        embedded=tokens * residual * m.hidden,
        final=final,
        norm=tokens * norm + norm_work,
        first=all_saved + (in_flight - 1) * tokens * per_token + rebuilt,
        first_work=layer_work,
        reduced=all_saved - work.checkpointing.kept * tokens * layer + tokens * norm + norm_work,
        reduced_last=2 * tokens * boundary + tokens * norm + norm_work,
        last=mask + left + tokens * layer + layer_casts - shares * recomputes + one_input,
        last_work=layer_work,
    )
