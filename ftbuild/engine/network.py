"""What a step sends between GPUs and nodes, and how much of the time shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import lanes, links, shape, topology
from ftbuild.engine import network_specs as specs
from ftbuild.engine.core import Figure, Figures
from ftbuild.engine.light import by_id, choice, heavy, larger, light, number, pick, smaller
from ftbuild.engine.runtime import METHOD, OBJECTIVE, QUANTIZATION, RECOMPUTES
from ftbuild.engine.tables import network as t
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

TRAFFIC = by_id(t.TRAFFIC)


def ring_time(payload: Any, ranks: Any, bandwidth: Any, passes: Any, latency: Any = 0.0) -> Any:
    """Return seconds of ring collectives over `ranks`.

    `payload` bytes of the whole (gathered) buffer, `bandwidth` bytes/s of the slowest link, `passes` 1 for an
    all-gather or a reduce-scatter and 2 for an all-reduce, `latency` of a hop. Source: NCCL's ring.
    """
    return passes * ((ranks - 1) / ranks * payload / bandwidth + (ranks - 1) * latency)


def exposed_time(communication: Any, compute: Any, hidden: Any) -> Any:
    """Return the seconds of `communication` that computation cannot hide; `hidden` share at best."""
    return larger((1 - hidden) * communication, communication - t.MOST_HIDDEN * compute)


def overhead(exposed: Any, compute: Any) -> Any:
    """Return exposed communication over the whole step."""
    return exposed / (compute + exposed)


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of communication."""
    nodes, gpus = number(c, "hardware.nodes"), number(c, "hardware.gpus_per_node")
    tensor, pipeline = number(c, "hardware.tensor_parallel"), number(c, "hardware.pipeline_parallel")
    row = choice(c, TRAFFIC, "hardware.sharding")
    accumulation = number(c, "workload.gradient_accumulation")
    compute = light(done["time.compute"].value)
    split = tensor * pipeline
    ranks = larger(nodes * gpus / split, 1.0)
    spanned = larger(nodes / larger(split / gpus, 1.0), 1.0)
    weights, gradients, trained = _payloads(c, done)
    gathered = row.gathers * accumulation * weights + row.step_gathers * trained
    reduced = (row.reduces * accumulation + row.step_reduces) * gradients
    wanted, cards, drives = lanes.wanted(c)
    width = lanes.of_each_gpu(c, wanted, cards + drives, lanes.offered(c))
    inner, hop = links.inside(c, width)
    outer, far = links.between(c)
    share = (ranks - 1) / ranks
    calls = _calls(c, row, accumulation, pipeline)
    latency = calls * ((smaller(gpus, ranks) - 1) * hop + (spanned - 1) * far)
    near_time = share * (gathered + reduced) / split / inner
    far_time = pick(spanned > 1, share * (gathered + reduced) / pipeline / outer, 0.0)
    data = pick(ranks > 1, larger(near_time, far_time) + latency, 0.0)
    tensors, others = _activations(c, accumulation)
    wide = (nodes > 1) & (tensor * number(c, "hardware.expert_parallel") > gpus)
    across = pick(wide, outer / gpus, inner)
    blocking = pick(tensors > 0, tensors / across, 0.0)
    moved = pick(others > 0, others / pick(nodes > 1, outer / gpus, inner), 0.0)
    shown = exposed_time(data + moved, compute, row.hidden) + blocking
    traffic = share * (gathered + reduced) / split
    alone = heavy((nodes > 1) * (outer == 0))
    parts = {
        "weights": heavy(share * gathered / split), "gradients": heavy(share * reduced / split),
        "tensor and expert parallel": heavy(tensors), "other activations": heavy(others),
    }  # fmt: skip
    note = _note(c, alone, near_time, far_time)
    missing = bool(alone.all())
    total = pick(alone > 0, np.nan, data + moved + blocking)
    shown = pick(alone > 0, np.nan, shown)
    yield Figure(specs.VOLUME, heavy(traffic + tensors + others), parts=parts)
    yield Figure(specs.TIME, heavy(total), note=note, terms={
        "in the node": (heavy(inner), Kind.RATE), "between nodes": (heavy(outer), Kind.RATE),
    })  # fmt: skip
    yield Figure(specs.EXPOSED, heavy(shown))
    yield Figure(specs.OVERHEAD, heavy(overhead(shown, compute)), note=note, missing=missing, terms={
        "exposed": (shown, Kind.DURATION), "compute": (compute, Kind.DURATION),
    })  # fmt: skip
    yield Figure(specs.INSIDE, heavy(inner))
    yield Figure(specs.BETWEEN, heavy(outer))
    claimed = light(c.part("network.fabric").guide_overhead)
    yield Figure(specs.GUIDE, heavy(pick(nodes > 1, claimed, np.nan)))
    yield Figure(specs.UNJOINED, alone * (heavy(nodes) - 1))
    yield from topology.figures(c)


def _payloads(c: Columns, done: Figures) -> tuple[Any, Any, Any]:
    """Return bytes of all weights as they are gathered, of the gradients, and of the trained weights."""
    quantized = choice(c, METHOD, "workload.method").quantized
    few = choice(c, QUANTIZATION, "workload.quantization")
    total, trainable = light(done["vram.params"].value), light(done["vram.trainable"].value)
    bits = light(c.fact("quantizable", "workload.model", lambda model: shape.shape(model).quantizable))
    weights = t.WEIGHT_BYTES * total - quantized * few.few_bits * bits * (
        t.WEIGHT_BYTES - few.packed - few.constants_double
    )
    return weights, t.WEIGHT_BYTES * trainable, t.WEIGHT_BYTES * trainable


def _calls(c: Columns, row: Any, accumulation: Any, pipeline: Any) -> Any:
    """Return collectives of a step: one a layer for sharded weights, one for the gradients of a step."""
    layers = light(c.fact("layers", "workload.model", lambda model: float(model.layers)))
    sharded = (row.gathers + row.reduces) * accumulation * layers / pipeline
    return sharded + row.step_gathers + row.step_reduces


def _activations(c: Columns, accumulation: Any) -> tuple[Any, Any]:
    """Return bytes of a step through each GPU's links: for tensor and expert parallelism, and for others."""
    tensor, pipeline = number(c, "hardware.tensor_parallel"), number(c, "hardware.pipeline_parallel")
    context, expert = number(c, "hardware.context_parallel"), number(c, "hardware.expert_parallel")
    if np.size(tensor) == np.size(pipeline) == np.size(context) == np.size(expert) == 1 and (
        tensor == pipeline == context == expert == 1
    ):
        return 0.0, 0.0
    samples = number(c, "workload.micro_batch") * choice(c, OBJECTIVE, "workload.objective").sequences
    tokens = samples * number(c, "workload.sequence_length") / context * accumulation
    fact = {
        name: light(c.fact(f"shape {name}", "workload.model", _of_shape(name)))
        for name in ("hidden", "layers", "key", "value", "moe_layers", "experts_per_token")
    }
    state = t.ACTIVATION_BYTES * tokens * fact["hidden"]
    again = choice(c, RECOMPUTES, "workload.checkpointing").linear
    layers = fact["layers"] / pipeline
    reduces = (t.TENSOR_REDUCES + t.TENSOR_REDUCES_AGAIN * again) * layers
    tensors = reduces * 2 * (tensor - 1) / tensor * state
    keys = t.ACTIVATION_BYTES * tokens * (fact["key"] + fact["value"]) / tensor
    ring = t.CONTEXT_PASSES * (context - 1) * layers * keys
    stages = (pipeline > 1) * t.PIPELINE_PASSES * state / tensor
    routed = t.EXPERT_EXCHANGES * fact["moe_layers"] / pipeline * fact["experts_per_token"] * state
    # experts spread over the GPUs there are, whatever a build asks for
    spread = smaller(expert, number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node"))
    return tensors + routed * (spread - 1) / spread, ring + stages


def _of_shape(name: str) -> Any:
    return lambda model: float(getattr(shape.shape(model), name))


def _note(c: Columns, alone: Any, near: Any, far: Any) -> str:
    if bool(alone.all()):
        return "nodes are not joined: network.fabric is none"
    if number(c, "hardware.nodes").max() * number(c, "hardware.gpus_per_node").max() == 1:
        return "one GPU, nothing to send"
    slower = float(np.asarray(far).flat[0]) > float(np.asarray(near).flat[0])
    return f"slowest: {c.text('network.fabric')} between nodes" if slower else "slowest: links in the node"
