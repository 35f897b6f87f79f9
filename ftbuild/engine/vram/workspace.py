"""What a layer's backward pass allocates beside what the layer saved."""

from __future__ import annotations

from typing import Any

import numpy as np


def norm_work(work: Any, run: Any) -> Any:
    """Bytes of the last norm's backward pass: four fp32 tensors of hidden width, and the gradient."""
    m = work.model
    fp32 = 16 * (1 - run.fused_norms) * (m.norm_keeps[0] > 0)
    return run.tokens * m.hidden * (run.compute + fp32)


def layer_work(work: Any, run: Any, layers: Any) -> Any:
    """Bytes of one layer's backward pass at its largest: MLP, attention scores, weight norm or unpacking."""
    m, t, method, tokens = work.model, work.targets, work.method, run.tokens
    width = _width(work)
    down = t.down_width > 0
    wide = np.maximum(_mlp_work(work, run, layers, width, down), _scores_work(work, run, layers, width))
    found = tokens * (wide / work.tensor + run.residual * m.hidden)
    # DoRA's weight norm: an identity, and four fp32 tensors of the target's size, before later modules save;
    # in the MLP's last layer its 16-bit input is alive beside the adapter's copy.
    beside = down * layers.own_dtype - (1 - down) * layers.kept
    weight_norm = 16 * t.largest + 4 * t.widest**2 + beside * tokens * run.compute * width
    unpacked = (tokens * run.compute * 2 * width + run.compute * m.largest_linear) / work.tensor
    found = np.maximum(found, np.maximum(method.magnitude * weight_norm, method.quantized * unpacked))
    found = np.maximum(found, _experts_gradient(work, run))
    found = np.maximum(found, _gate_up(work, run, layers, width, down))
    return found + work.stack.hidden_work * method.adapters * 2 * m.hidden * tokens


def _gate_up(work: Any, run: Any, layers: Any, width: Any, down: Any) -> Any:
    """Bytes as an adapter of gate and up together gives its result, less what the MLP saves only then.

    The base's result, the adapter's and its scaled copy: three tensors of both widths.
    """
    t, own = work.targets, layers.own_dtype
    results = t.gate_up * (run.compute + 2 * layers.copy_bytes * own + 2 * run.compute * (1 - own))
    later = width * (layers.kept * run.compute + down * own * layers.copy_bytes)
    return work.method.adapters * run.tokens * (results - later) / work.tensor


def _experts_gradient(work: Any, run: Any) -> Any:
    """Bytes of the gradient of all experts' gates of a layer, where they are one tensor.

    By then the activated product and the experts' outputs are gone, and as much of new gradients is there.
    """
    m = work.model
    gates = m.experts * (1 + (m.gated > 0)) * m.expert_intermediate * m.hidden
    return (
        run.full
        * work.stack.fused_experts
        * (m.moe_layers > 0)
        * gates
        * run.compute
        / (work.expert * work.tensor)
    )


def _width(work: Any) -> Any:
    """Return the MLP width whose gradients are alive at once: separate experts go one by one."""
    m, fused = work.model, work.stack.fused_experts
    at_once = fused + (1 - fused) / np.maximum(m.experts, 1)
    routed = m.experts_per_token * m.expert_intermediate * at_once
    return np.maximum(np.maximum((m.dense_layers > 0) * m.intermediate, routed), m.shared_intermediate)


def _mlp_work(work: Any, run: Any, layers: Any, width: Any, down: Any) -> Any:
    """Bytes a token of an MLP backward: gradients of its width, less the freed input of its last layer.

    An adapter with its own copy of that input holds the copy's gradient, and 16-bit and fp32 results.
    """
    m = work.model
    unsaved = 1 - run.full * (1 - m.activation_shared)
    shared = run.compute * width * (m.activation_backward - run.in_place * (m.gated > 0))
    frozen = shared + run.compute * width * unsaved
    copies = work.adapter_bytes + run.autocast * (3 * run.compute - work.adapter_bytes)
    own = work.targets.down_width * copies + m.hidden * 5 * run.compute
    adapted = down * (layers.own_dtype * own + (1 - layers.own_dtype) * shared) + (1 - down) * frozen
    return run.full * frozen + work.method.adapters * adapted


def _scores_work(work: Any, run: Any, layers: Any, width: Any) -> Any:
    """Bytes a token of the scores' gradients, less the MLP's saved tensors, which are gone by then."""
    m, row, compute = work.model, work.attention, run.compute
    fp32 = row.scores_backward + 2 * row.math * m.math_attention
    on_cuda = row.scores_cuda * (1 - work.stack.masks)
    freed = (compute < 4) * row.scores
    scores = m.heads * work.sequence * (4 * fp32 + compute * (on_cuda - freed))
    copies = work.method.adapters * layers.own_dtype * layers.copy_bytes * work.targets.mlp_inputs
    return (scores - (layers.kept + run.full) * compute * width - copies) * (scores > 0)
