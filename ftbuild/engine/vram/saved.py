"""Saved activations and workspaces at each moment of the backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.vram.layers import layers as layers_of
from ftbuild.engine.vram.workspace import layer_work, norm_work


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
    """In the first layer of the backward pass: what all layers kept, and what that layer made again."""
    last: Any
    """The same in the last one, whose input is the only one left."""
    reduced: Any
    """Once the first layer's backward pass is at its first norm, its gradients complete."""
    reduced_last: Any
    """The same for the layer before the last."""
    work: Any
    """Workspace of a layer's backward pass."""


def saved(work: Any, run: Any) -> Saved:
    """Return the activations of each moment, from the dtypes of a run."""
    m, stack, row, tokens = work.model, work.stack, work.checkpointing, run.tokens
    per_layer = layers_of(work, run)
    hidden = run.residual * m.hidden * run.hidden_share
    boundary = row.inputs * hidden * (1 - row.offloaded)
    dropped_core = (row.kept - row.attention_kept) * m.layers * per_layer.attention
    operations = row.operations * per_layer.operations
    per_token = row.kept * per_layer.layers - dropped_core + m.layers * (boundary + operations)
    per_token = per_token / work.pipeline
    # Autocast keeps the 16-bit copies of the weights that the backward pass needs.
    linear = (m.quantizable + m.expert / work.expert) / (work.tensor * work.pipeline)
    mask = row.inputs * work.attention.mask_kept * tokens * work.sequence
    mask = mask * np.maximum(per_layer.masked, work.attention.scores_fp32 > 0)
    always = mask + stack.kept_inputs * work.method.adapters * row.inputs * hidden * tokens
    everything = tokens * per_token + row.kept * run.weights_cast * linear + always
    waiting = (work.pipeline > 1) * (np.minimum(work.pipeline, work.accumulation) - 1)
    # A layer made again shares its input with what checkpointing kept.
    shared = m.norm_keeps[1] * run.residual + (m.norm_keeps[0] > 0) * (run.residual == 4) * 4
    again = tokens * (per_layer.layer - operations - shared * m.hidden * run.hidden_share * row.inputs)
    again = again + run.weights_cast * m.largest_layer / work.tensor
    retained = stack.fsdp1 * run.sharded * work.method.adapters
    last_inputs = tokens * operations + tokens * boundary * (1 + retained * (2 * m.layers - 1))
    in_norm = tokens * per_layer.norm + norm_work(work, run)
    final = per_layer.last_norm + run.full * m.hidden * run.compute + stack.hidden_copies * 2 * m.hidden
    return Saved(
        all=everything,
        final=tokens * final * run.hidden_share + run.weights_cast * m.vocab * m.hidden / work.tensor,
        norm=in_norm,
        embedded=tokens * hidden,
        first=everything + waiting * tokens * per_token + (1 - row.kept) * again,
        last=always + again + last_inputs,
        reduced=everything - row.kept * tokens * per_layer.layer + in_norm,
        reduced_last=tokens * (2 * boundary + operations) + in_norm,
        work=layer_work(work, run, per_layer),
    )
