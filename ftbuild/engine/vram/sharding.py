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
    layer_reduced: Any
    layer_last: Any
    layer_reduced_last: Any
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
    pipelined = work.stack.pipeline_whole * (work.pipeline > 1)
    frozen = work.stack.frozen_whole * work.method.adapters
    kept_whole = 1 - (1 - rows.kept_whole) * (1 - pipelined) * (1 - frozen)
    here = work.model.layers / work.pipeline
    whole = kept_whole * gathers * layer * here
    window = gathers * np.maximum(rows.gathered * layer, live) * (1 - kept_whole)
    whole_root = gathers * rows.root * root
    gradients = spread * rows.gradients * full * rows.root
    # Gradients are reduced in the dtype of the shards.
    reduced = held.trained_dtype / compute
    down = gradients * held.mlp_down * compute + gradients * rows.reduce_layers * layer * reduced
    layer_gradients = gradients * layer * (1 + rows.reduce_layers * reduced)
    head = gradients * compute * work.model.vocab * work.model.hidden / work.tensor
    buckets = spread * (
        rows.gradient_copies * held.gradients
        + np.minimum(rows.bucket, held.trainable) * work.precision.compute
    )
    # Gradients of earlier micro-batches wait whole, in fp32, for the last one's reduction.
    buckets = buckets + pipelined * gradients * (work.accumulation > 1) * 4 * layer / compute * here
    # Frozen layers stay whole to the end; trained ones are given back as their gradients are reduced.
    kept = kept_whole * gathers * layer * (1 + frozen * (here - 1))
    given = kept * (1 - frozen)
    ready = gathers * rows.root * (1 - kept_whole) * layer + gathers * (1 - rows.root) * window
    return Buffers(
        loss=whole_root + whole + ready + buckets,
        layer_first=whole_root + whole + window + down + head + buckets,
        layer_reduced=whole_root + whole - given + window + layer_gradients + head + buckets,
        layer_last=whole_root + window / 2 + kept + down + head + buckets,
        layer_reduced_last=whole_root + kept + given + window + layer_gradients + head + buckets,
        root=gradients * root * (1 + reduced) + buckets,
        buckets=buckets,
    )
