"""How long a step computes on each GPU, before networks and hosts slow it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import shape
from ftbuild.engine.core import Figure, Figures, FigureSpec
from ftbuild.engine.light import by_id, choice, heavy, larger, light, number, one_of, pick, smaller, unknown
from ftbuild.engine.tables import runtime as t
from ftbuild.engine.tables.training import METHODS, OBJECTIVES, QUANTIZATIONS
from ftbuild.units import Kind

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu, Model
    from ftbuild.engine.inputs import Columns

STACK_SPEED, PASSES = by_id(t.STACK_SPEED), by_id(t.PASSES)
RECOMPUTES, ATTENTION = by_id(t.RECOMPUTES), by_id(t.ATTENTION_SPEED)
OBJECTIVE_SPEED, OBJECTIVE = by_id(t.OBJECTIVE_SPEED), by_id(OBJECTIVES)
METHOD, QUANTIZATION = by_id(METHODS), by_id(QUANTIZATIONS)

FLOPS = FigureSpec(
    "time.flops_per_token", "FLOP / token", Kind.COUNT,
    "(a + 2 r) N + (3.5 + r) 2 s d L + 6 N_adapters + reference passes; a is 6, or 4 with a frozen base, "
    "r the share computed again, N the parameters that multiply a token, s the sequence, d the width of all "
    "heads, L the layers, causal attention counted at half",
    "2001.08361; 2307.08691 for attention",
    "norms, rotary and softmax, which take time but hardly any FLOP",
)  # fmt: skip
HFU = FigureSpec(
    "time.utilisation", "Utilisation", Kind.SHARE,
    "share of the dense peak by GPU, stack and precision, times what few experts or a power limit leave",
    "published tokens per second turned into FLOP (tables.runtime.UTILISATION)",
    "short sequences, small models, slow data loaders: a first run sees 0.4 to 0.6 of a tuned one",
)  # fmt: skip
TOKENS = FigureSpec(
    "time.tokens_per_step", "Tokens / step", Kind.COUNT,
    "micro batch x sequences a sample x s x accumulation x GPUs / (tensor x pipeline x context parallel)",
    "arithmetic", "padding",
)  # fmt: skip
MICRO = FigureSpec(
    "time.micro_tokens", "Tokens / micro-batch", Kind.COUNT, "micro batch x sequences a sample x s / context "
    "parallel, of one GPU", "arithmetic",
)  # fmt: skip
RIDGE = FigureSpec(
    "time.ridge", "Tokens that compute", Kind.COUNT,
    "2 x peak / memory bandwidth: a matrix read once serves so many tokens", "roofline, 2 FLOP over 2 bytes",
)  # fmt: skip
OBJECTIVE_COST = FigureSpec(
    "time.objective", "Over supervised training", Kind.RATIO,
    "(all passes / passes without further models) x factor for generation",
    t.OBJECTIVE_SPEED[5].source,
)  # fmt: skip
CAPABILITY = FigureSpec(
    "gpu.capability", "Compute capability", Kind.COUNT, "as the maker numbers it",
    "data sheets in the catalog",
)  # fmt: skip
FP8 = FigureSpec(
    "gpu.fp8", "GPU with fp8", Kind.COUNT,
    "1 where the data sheet has an fp8 rate or capability is 8.9 or more",
    "data sheets in the catalog; Transformer Engine",
)  # fmt: skip
SEQUENCE = FigureSpec("model.sequence", "Sequence", Kind.TOKENS, "as stated", "the build")
CONTEXT = FigureSpec(
    "model.context", "Model's context", Kind.TOKENS, "max_position_embeddings", "the model's configuration",
)  # fmt: skip
COMPUTE = FigureSpec(
    "time.compute", "Compute / step", Kind.DURATION,
    "forward and backward + computed again + adapters + further models + waiting for memory + dequantisation "
    "+ optimizer; matrix work = tokens x FLOP / GPUs / (peak x utilisation)",
    "roofline of matrix work against memory bandwidth, dequantisation counted by weight and pass",
    "kernel launches of small models, data-dependent shapes",
)  # fmt: skip


def flops_per_token(
    active: Any, attended: Any, sequence: Any, *, base: Any, linear: Any, attention: Any, slow: Any = 1.0
) -> Any:
    """Return FLOPs of one token, forward and backward.

    `active` parameters that multiply a token; `attended` width of all heads summed over layers; `sequence`
    tokens; `base` FLOPs a parameter; `linear` and `attention` share computed again; `slow` factor of the
    attention kernel. Source: 2001.08361, 2307.08691.
    """
    heads = (t.ATTENTION_PASSES + attention) * slow * 2 * sequence * attended
    return (base + t.RECOMPUTE * linear) * active + heads


def compute_time(flops: Any, peak: Any, utilisation: Any) -> Any:
    """Return seconds for `flops` at `peak` FLOP/s and a `utilisation` of it."""
    return flops / (peak * utilisation)


def dequantize_time(weights: Any, passes: Any, bandwidth: Any) -> Any:
    """Return seconds to turn few-bit `weights` into 16 bits in each of `passes`; `bandwidth` in bytes/s."""
    return passes * weights * t.DEQUANTIZED_BYTES / (t.DEQUANTIZE_SHARE * bandwidth)


def read_time(weights: Any, passes: Any, bandwidth: Any) -> Any:
    """Return seconds to read `weights` once a pass: the least a micro-batch takes, however small."""
    return passes * weights * t.WEIGHT_BYTES / bandwidth


def optimizer_time(parameters: Any, bandwidth: Any) -> Any:
    """Return seconds of an AdamW step over `parameters` at `bandwidth` bytes/s."""
    return t.OPTIMIZER_BYTES * parameters / bandwidth


def speed_under_limit(limit: Any) -> Any:
    """Return speed under a power `limit` (share of board power) over the speed without one."""
    return np.interp(limit, t.POWER_LIMITS, t.POWER_SPEEDS)


@lru_cache(maxsize=4096)
def active_parameters(model: Model) -> float:
    """Return the parameters that multiply one token: linear layers, reached experts and the head."""
    found = shape.shape(model)
    return float((found.linear_in * found.linear_out * found.linear_uses).sum())


@lru_cache(maxsize=4096)
def attention_widths(model: Model) -> tuple[float, float]:
    """Return the width of queries and values summed over full and over windowed layers, averaged."""
    found = shape.shape(model)
    width = (found.query + found.attended) / 2 * found.layers
    windowed = model.window_share if model.window else 0.0
    return width * (1 - windowed), width * windowed


@lru_cache(maxsize=1024)
def expert_factor(model: Model) -> float:
    """Return what a mixture of experts reaches of a dense model's utilisation."""
    return next(row.factor for row in t.EXPERTS if model.expert_intermediate <= row.width)


@lru_cache(maxsize=1024)
def utilisation_row(gpu: str) -> t.Utilisation:
    """Return the row for a GPU's id: the one with the longest fitting beginning."""
    fits = [(len(start), row) for row in t.UTILISATION for start in row.gpus if gpu.startswith(start)]
    return max(fits, key=lambda fit: fit[0])[1]


def capability(gpu: Gpu) -> float:
    """Return NVIDIA's compute capability as a number; NaN for other makers, or where it is not known."""
    try:
        return float(gpu.compute_capability) if gpu.vendor == "NVIDIA" else float("nan")
    except ValueError:
        return float("nan")


def has_fp8(gpu: Gpu) -> float:
    """Return 1 for a GPU with fp8 matrix units."""
    return float(gpu.fp8 is not None or capability(gpu) >= t.FP8_CAPABILITY)


def peak_of(gpu: Gpu) -> float:
    """Return the dense 16-bit peak; that of Apple's GPUs is the fp32 rate."""
    peak = gpu.bf16 if gpu.bf16 is not None or gpu.vendor != "Apple" else gpu.fp32
    return float("nan") if peak is None else float(peak)


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the figures of computation."""
    gpus = number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node")
    split = number(c, "hardware.tensor_parallel") * number(c, "hardware.pipeline_parallel")
    replicas = gpus / (split * number(c, "hardware.context_parallel"))
    accumulation = number(c, "workload.gradient_accumulation")
    sequence = number(c, "workload.sequence_length")
    samples = number(c, "workload.micro_batch") * choice(c, OBJECTIVE, "workload.objective").sequences
    tokens = samples * sequence * accumulation * replicas
    passes = choice(c, PASSES, "workload.method")
    again = choice(c, RECOMPUTES, "workload.checkpointing")
    extra = choice(c, OBJECTIVE_SPEED, "workload.objective")
    active = light(c.fact("active", "workload.model", active_parameters))
    trainable = light(done["vram.trainable"].value)
    flops = _flops(c, active, trainable, passes, again, extra)
    total = sum(flops.values())
    peak, sixteen, eight, low, high = _speed(c)
    attention = _attention(c) * (t.ATTENTION_PASSES + again.attention)
    # fp8 stacks keep attention in 16 bits
    hfu = pick(eight == sixteen, sixteen, total / ((total - attention) / eight + attention / sixteen))
    step = compute_time(tokens / gpus * passes.slow * extra.times, peak, hfu)
    bandwidth = light(c.gpu.bandwidth)
    reads = passes.reads + again.linear
    weights = active / split
    waiting = accumulation * read_time(weights, reads, bandwidth) - step * total
    parts = {name: heavy(step * part) for name, part in flops.items()}
    parts["waiting for memory"] = heavy(larger(waiting, 0.0))
    parts["dequantisation"] = heavy(_dequantize(c, reads, split, bandwidth) * accumulation)
    parts["optimizer"] = heavy(_optimizer(c, trainable, gpus, split, bandwidth))
    value = np.maximum.reduce(np.broadcast_arrays(sum(parts.values())))
    fixed, work = value - heavy(step * total), heavy(step * total)
    fast, slow = extra.times_low / extra.times / high, extra.times_high / extra.times / low
    yield Figure(FLOPS, heavy(total), parts={name: heavy(part) for name, part in flops.items()}, terms={
        "N": (heavy(active), Kind.PARAMETERS), "s": (heavy(sequence), Kind.TOKENS),
        "a": (heavy(passes.base), Kind.COUNT), "r": (heavy(again.linear), Kind.SHARE),
    })  # fmt: skip
    yield Figure(MICRO, heavy(samples * sequence / number(c, "hardware.context_parallel")))
    yield Figure(RIDGE, heavy(2 * peak / bandwidth))
    yield Figure(OBJECTIVE_COST, heavy(total / (total - flops["further models"]) * extra.times))
    row = c.parts("hardware.gpu")[0]
    yield Figure(HFU, heavy(hfu), heavy(hfu * low), heavy(hfu * high), terms={
        "peak": (heavy(peak), Kind.COMPUTE),
    }, note=utilisation_row(row.id).source)  # fmt: skip
    yield Figure(TOKENS, heavy(tokens))
    yield Figure(CAPABILITY, heavy(light(c.fact("capability", "hardware.gpu", capability))))
    yield Figure(FP8, heavy(light(c.fact("fp8", "hardware.gpu", has_fp8))))
    yield Figure(SEQUENCE, heavy(sequence))
    yield Figure(CONTEXT, heavy(light(c.part("workload.model").context)))
    lost = unknown(peak)
    note = f"the catalog does not know the 16-bit rate of {c.text('hardware.gpu')}" if lost else ""
    yield Figure(COMPUTE, value, fixed + fast * work, fixed + slow * work, parts, note=note, missing=lost)


def _flops(c: Columns, active: Any, trainable: Any, passes: Any, again: Any, extra: Any) -> dict[str, Any]:
    once = _attention(c)
    return {
        "forward and backward": passes.base * active + t.ATTENTION_PASSES * once,
        "computed again": again.linear * t.RECOMPUTE * active + again.attention * once,
        "adapters": passes.adapter * trainable,
        "further models": extra.forwards * (t.RECOMPUTE * active + once),
    }


def _attention(c: Columns) -> Any:
    """Return FLOPs of attention's forward pass for a token, those of slow kernels as the time they take."""
    sequence = number(c, "workload.sequence_length")
    slow = choice(c, ATTENTION, "workload.attention").slow
    full = light(c.fact("attention", "workload.model", lambda model: attention_widths(model)[0]))
    windowed = light(c.fact("windowed", "workload.model", lambda model: attention_widths(model)[1]))
    window = light(c.fact("window", "workload.model", lambda model: float(model.window or np.inf)))
    # causal attention averages s / 2 keys a token; a window wider than that changes nothing
    keys = full * sequence + windowed * smaller(sequence, 2 * window)
    return 2 * keys * slow


def _speed(c: Columns) -> tuple[Any, Any, Any, Any, Any]:
    """Return the peak, utilisation in 16 bits and of linear layers, and the band as factors."""
    stack = choice(c, STACK_SPEED, "workload.framework")
    fused = larger(stack.fused, one_of(c, "workload.loss", "fused"))
    row = {name: _reached(c, name) for name in ("plain", "fused", "tuned", "fp8", "full", "low", "high")}
    sixteen = row["plain"] + fused * (row["fused"] - row["plain"])
    sixteen = sixteen + stack.tuned * (row["tuned"] - sixteen)
    sixteen = sixteen * pick(one_of(c, "workload.method", "full"), row["full"], 1.0)
    eight = stack.tuned * row["fp8"] + (1 - stack.tuned) * stack.fp8_gain * sixteen
    has = one_of(c, "workload.precision", "fp8") * (light(c.gpu.fp8) > 0)
    less = light(c.fact("moe", "workload.model", expert_factor))
    less = less * speed_under_limit(number(c, "power.gpu_power_limit"))
    peak = light(c.fact("peak", "hardware.gpu", peak_of))
    fp32 = one_of(c, "workload.precision", "fp32")
    peak = pick(fp32, light(c.gpu.fp32), peak)
    return peak, sixteen * less, pick(has, eight, sixteen) * less, row["low"], row["high"]


def _reached(c: Columns, name: str) -> Any:
    def read(gpu: Gpu) -> float:
        return float(getattr(utilisation_row(gpu.id), name))

    return light(c.fact(f"utilisation {name}", "hardware.gpu", read))


def _dequantize(c: Columns, reads: Any, split: Any, bandwidth: Any) -> Any:
    quantized = choice(c, METHOD, "workload.method").quantized
    few = choice(c, QUANTIZATION, "workload.quantization").few_bits
    weights = light(c.fact("quantizable", "workload.model", lambda model: shape.shape(model).quantizable))
    return quantized * few * dequantize_time(weights / split, reads, bandwidth)


def _optimizer(c: Columns, trainable: Any, gpus: Any, split: Any, bandwidth: Any) -> Any:
    """Return the optimizer's time on the GPU; states on the host are counted with the offload."""
    sharded = 1 - one_of(c, "hardware.sharding", "none", "ddp")
    on_gpu = one_of(c, "hardware.offload", "none")
    own = trainable / split / pick(sharded, gpus / split, 1.0)
    return on_gpu * optimizer_time(own, bandwidth)
