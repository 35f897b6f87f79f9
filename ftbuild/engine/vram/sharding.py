"""What sharding gathers and buffers beside a rank's own share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffers:
    """Bytes beside a rank's share, by moment."""

    loss: Any
    layer_first: Any
    layer_last: Any
    root: Any
    buckets: Any


def buffers(work: Any, held: Any) -> Buffers:
    """Return the gathered weights, unsharded gradients and communication buffers of each moment.

    FSDP2 (FSDPMemTracker, torch 2.13): embeddings and head stay whole from the forward pass until their
    gradients are reduced at the very end; in the backward pass the current layer and the next one are whole,
    beside the current layer's gradients and the last one's reduce-scatter buffer.
    """
    rows, full = work.sharding, 1 - work.method.adapters
    spread = (work.ranks > 1) * 1.0
    gathers = spread * rows.parameters
    compute = np.minimum(held.bits16, work.precision.compute)
    scale = compute / held.bits16
    layer, root = held.layer * scale, held.root * scale
    live = np.minimum(rows.live * compute, layer * work.model.layers + root)
    window = gathers * np.maximum(rows.gathered * layer, live)
    whole_root = gathers * rows.root * root
    gradients = spread * rows.gradients * full
    layer_gradients = gradients * layer * (1 + rows.reduce_layers) * rows.root
    reduce_scale = held.trained_dtype / compute
    buckets = spread * (
        rows.gradient_copies * held.gradients
        + np.minimum(rows.bucket, held.trainable) * work.precision.compute
    )
    head = gradients * rows.root * root * (held.head_gradient > 0) * 0.5
    return Buffers(
        loss=whole_root + gathers * rows.root * layer + buckets + gathers * (1 - rows.root) * window,
        layer_first=whole_root + window + layer_gradients + head + buckets,
        layer_last=whole_root + window * 0.5 + layer_gradients + head + buckets,
        root=gradients * rows.root * root * (1 + reduce_scale) + buckets,
        buckets=buckets,
    )
