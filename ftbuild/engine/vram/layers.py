"""What the layers of a model save for their backward pass, bytes a token on one rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.vram import activations


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Bytes a token."""

    norm: Any
    """One norm of a layer."""
    last_norm: Any
    """The norm before the head, which no stack fuses."""
    attention: Any
    """The attention core of one layer."""
    layer: Any
    """The layer that saves most."""
    layers: Any
    """All layers."""
    operations: Any
    """Of one layer, what checkpointing by operation keeps beside the layer's input."""
    masked: Any
    """1 where attention gets a mask."""
    kept: Any
    """MLP-wide tensors that the activation saves."""
    own_dtype: Any
    """1 where each adapter casts a copy of its input."""
    copy_bytes: Any
    """Bytes of one element of that copy."""


def layers(work: Any, run: Any) -> Layers:
    """Return what layers save, from the dtypes of a run."""
    m, stack, full = work.model, work.stack, run.full
    last_norm = activations.norm_bytes(m.hidden, m.norm_keeps, full, run.residual)
    norm = last_norm + run.fused_norms * (m.hidden * run.compute + 4 - last_norm)
    # Layers whose weights train save their input; so do k-bit layers of older bitsandbytes.
    saves = np.maximum(full, work.method.quantized * stack.kbit_inputs) * run.linear_input
    masked = np.maximum(work.padded, stack.masks)
    attention = _attention(work, run) / work.tensor
    attention = attention + masked * work.attention.mask * run.compute * work.sequence
    readers = 1 + run.separate_casts * (m.attention_readers - 1)
    around = m.norm_inputs * norm
    around = around + activations.query_norm_bytes(m.query, m.key, m.qk_norm, full, run.compute)
    around = (around + m.latent * (4 + 2 * full * run.compute)) * run.hidden_share
    around = around + saves * m.hidden * readers * run.input_share
    recomputed_gate = np.maximum(stack.fused_mlp, stack.liger * work.loss.recomputes_gate)
    kept = m.activation_kept - recomputed_gate * (m.gated > 0)
    dense, routed = _mlps(work, run, kept, saves)
    own_dtype = (work.adapter_bytes != run.compute) * (1 - stack.shared_inputs)
    copy_bytes = work.adapter_bytes + run.autocast * (run.compute - work.adapter_bytes)
    adapters = _adapters(work, run, own_dtype, copy_bytes) / work.tensor
    widest = np.maximum((m.dense_layers > 0) * dense, routed)
    return Layers(
        norm=norm,
        last_norm=last_norm,
        attention=attention,
        layer=around + attention + widest + adapters / m.layers,
        layers=m.layers * (around + attention) + m.dense_layers * dense + m.moe_layers * routed + adapters,
        operations=_operations(work, run),
        masked=masked,
        kept=kept,
        own_dtype=own_dtype,
        copy_bytes=copy_bytes,
    )


def _attention(work: Any, run: Any) -> Any:
    m, row = work.model, work.attention
    math = row.math * m.math_attention
    return activations.attention_bytes(
        query=m.query,
        key=m.key,
        value=m.value,
        attended=m.attended,
        heads=m.heads,
        fused_qkv=np.maximum(m.fused_qkv, work.stack.fused_qkv),
        sequence=work.sequence,
        compute=run.compute,
        expanded=row.expanded,
        statistics=row.statistics,
        scores_fp32=row.scores_fp32 * m.scores_fp32 + math,
        scores=row.scores * m.scores,
    )


def _operations(work: Any, run: Any) -> Any:
    """Return what stays of a layer where each second matrix product does, in the order of a Llama layer.

    The first, third, fifth and seventh: queries, values, the gate and the MLP's output; and the core
    attention's output with its statistics.
    """
    m = work.model
    width = (m.dense_layers > 0) * m.intermediate + m.experts_per_token * m.expert_intermediate
    wide = run.compute * (m.query + m.value + m.attended + width) + 4 * work.attention.statistics * m.heads
    return wide / work.tensor + (m.gated > 0) * run.compute * m.hidden * run.hidden_share


def _mlps(work: Any, run: Any, kept: Any, saves: Any) -> tuple[Any, Any]:
    """Return what a dense MLP and a mixture's experts save."""
    m = work.model
    readers = 1 + run.separate_casts * (m.mlp_readers - 1)
    dense = activations.mlp_bytes(m.intermediate, kept, m.activation_shared, run.compute, saves)
    shared = activations.mlp_bytes(m.shared_intermediate, kept, m.activation_shared, run.compute, saves)
    experts = activations.experts_bytes(
        per_token=m.experts_per_token,
        hidden=m.hidden,
        width=m.expert_intermediate,
        experts=m.experts,
        kept=kept,
        compute=run.compute,
        trained=run.full,
    )
    dense = dense / work.tensor + saves * m.hidden * readers * run.mlp_share
    return dense, (m.moe_layers > 0) * (shared / work.tensor + experts)


def _adapters(work: Any, run: Any, own_dtype: Any, copy_bytes: Any) -> Any:
    """Return what all adapters save: inputs, low-rank inputs, dropout, DoRA's results.

    peft casts a copy of the input for each adapter whose dtype differs; where dtypes agree or kernels
    fuse, adapters save what the layer reads anyway.
    """
    t = work.targets
    inputs = own_dtype * t.own_inputs * copy_bytes + (1 - own_dtype) * t.shared_inputs * run.compute
    noise = 1 + work.stack.dropout_noise * (copy_bytes - 1)
    dropped = (work.dropout > 0) * (t.own_inputs * (noise + copy_bytes) - inputs)
    low_rank = t.modules * work.rank * np.minimum(copy_bytes, work.adapter_bytes)
    magnitude = work.method.magnitude * t.outputs * (run.compute + 4)
    return work.method.adapters * (inputs + low_rank + dropped + magnitude)
