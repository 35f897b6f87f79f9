"""The moments of a training step, each a sum of named parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.vram import loss, optimizer, sharding
from ftbuild.engine.vram import weights as weight
from ftbuild.engine.vram.dtypes import dtypes
from ftbuild.engine.vram.saved import saved as saved_of

MOMENTS = (
    "load",
    "loss",
    "head",
    "first layer",
    "first layer reduced",
    "last layer",
    "last layer reduced",
    "root reduced",
    "backward end",
    "optimizer",
)
"""In order of time."""

NOTES = {
    "load": "largest while weights load: batch and sequence do not matter",
    "loss": "largest at the loss: logits and saved activations; fewer tokens, or a loss in chunks, help",
    "head": "largest in the last norm's backward pass: saved activations; fewer tokens help",
    "first layer": "largest in the first layer of the backward pass: all layers' inputs and one layer's "
    "work; fewer tokens help",
    "first layer reduced": "largest as the first layer's gradients are reduced: gathered layers decide",
    "last layer": "largest in the last layer of the backward pass: gradients and one layer's work",
    "last layer reduced": "largest as the last layers' gradients are reduced: gathered layers decide",
    "root reduced": "largest as the gradients of embedding and head are reduced: batch does not matter",
    "backward end": "largest at the end of the backward pass: gradients decide, batch does not matter",
    "optimizer": "largest in the optimizer's step: halving the batch would not help, another optimizer would",
}
"""What each means for a build whose peak it is."""

PARTS = ("weights", "adapters", "gradients", "optimizer", "activations", "logits", "workspace", "gathered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Everything that the memory of one rank depends on: numbers or arrays, and gathered rows of tables."""

    model: Any
    targets: Any
    method: Any
    quantization: Any
    precision: Any
    optimizer: Any
    checkpointing: Any
    attention: Any
    loss: Any
    stack: Any
    objective: Any
    sharding: Any
    offload: Any
    rank: Any
    adapter_bytes: Any
    """Bytes of an adapter's element: 4 or 2."""
    dropout: Any
    double_quant: Any
    sequence: Any
    micro_batch: Any
    accumulation: Any
    ranks: Any
    """GPUs among which data-parallel states are divided."""
    unpacked: Any = 0.0
    """1 where the length changes from one micro-batch to the next."""
    padded: Any = 0.0
    """1 where sequences of a batch differ in length, so that attention needs a mask."""
    library: Any = 0.0
    """Bytes of matrix-library workspaces that the framework's allocator holds (cuBLAS)."""
    tensor: Any = 1.0
    pipeline: Any = 1.0
    context: Any = 1.0
    expert: Any = 1.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of one rank: parts by moment, and what follows from them."""

    parts: dict[str, list[Any]]
    """By name of `PARTS`, one entry a moment of `MOMENTS`."""
    totals: list[Any]
    at_rest: Any
    peak: Any
    trainable: Any
    """Elements that train on this rank."""
    parameters: Any
    """Elements on this rank."""
    adapters: Any
    """Elements of all adapters."""


def memory(work: Work) -> Memory:
    """Return the memory of a training step."""
    held = weight.held(work)
    saved = saved_of(work, dtypes(work))
    logits = loss.loss_of(work)
    kept = sharding.buffers(work, held)
    step = optimizer.workspace_bytes(
        parameters=held.trained_local,
        largest=held.largest_trained,
        dtype=held.trained_dtype,
        foreach=work.optimizer.workspace,
        copies=work.optimizer.workspace_copies,
        per_largest=work.optimizer.workspace_largest,
    ) * (1 - work.offload.states)
    # With accumulation the gradients of earlier micro-batches are there from the start.
    again = (work.accumulation > 1) * 1.0
    whole, fresh = held.gradients, held.gradients * again
    early = np.maximum(fresh, held.head_gradient)
    reduced = whole - held.root_gradient - 2 * held.layer_gradient
    late = whole - (1 - again) * held.late_gradient
    weights, adapters, states = held.weights, held.adapters, held.states
    # Identifiers, labels and positions: three 64-bit integers a token.
    held_always = work.library + 24 * work.micro_batch * work.objective.sequences * work.sequence
    zero = 0.0
    weights, adapters, states = [held.weights] * 10, [held.adapters] * 10, [zero] + [held.states] * 9
    gradients = [zero, fresh, early, early, early, late, reduced, whole - held.root_gradient, whole, whole]
    kept_activations = [
        zero, saved.all + saved.final, saved.all + saved.norm, saved.first, saved.reduced, saved.last,
        saved.reduced_last, saved.embedded, saved.embedded, zero,
    ]  # fmt: skip
    passing = [
        zero, zero, zero, saved.work, zero, saved.work, zero, held.tied_gradient,
        held.tied_gradient, step + held.fp32_gradients,
    ]  # fmt: skip
    gathered = [
        zero, kept.loss, kept.loss, kept.layer_first, kept.layer_reduced, kept.layer_last,
        kept.layer_reduced_last, kept.root, kept.buckets, kept.buckets,
    ]  # fmt: skip
    parts = {
        "weights": weights, "adapters": adapters, "gradients": gradients, "optimizer": states,
        "activations": kept_activations, "logits": [zero, logits] + [zero] * 8,
        "workspace": [zero] + [held_always + work_now for work_now in passing[1:]], "gathered": gathered,
    }  # fmt: skip
    totals = [sum(column) for column in zip(*parts.values(), strict=True)]
    peak = totals[0]
    for total in totals[1:]:
        peak = np.maximum(peak, total)
    return Memory(
        parts,
        totals,
        held.weights + held.adapters + held.states + held_always + held.gradients_at_rest,
        peak,
        held.trainable,
        held.total,
        held.adapter_elements,
    )
