"""Rules on speed and run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import number, one_of
from ftbuild.engine.tables.guide_runs import PLAUSIBLE, SOURCE


def _guide(_: Columns, done: Figures) -> Any:
    return ~np.isnan(done["time.guide"].value)


def _fp8(c: Columns, _: Figures) -> Any:
    return one_of(c, "workload.precision", "fp8") > 0


def _ampere(c: Columns, done: Figures) -> Any:
    """Where 16-bit kernels of Ampere are asked of an NVIDIA card, whose capability alone is counted."""
    asked = one_of(c, "workload.precision", "bf16", "bf16-mixed", "fp8")
    asked = asked + one_of(c, "workload.attention", "flash")
    return (asked > 0) & ~np.isnan(done["gpu.capability"].value)


def _quantized(c: Columns, _: Figures) -> Any:
    return one_of(c, "workload.method", "qlora", "qdora") > 0


def _offloads(c: Columns, _: Figures) -> Any:
    return one_of(c, "hardware.offload", "none") == 0


def _unpacked(c: Columns, _: Figures) -> Any:
    return number(c, "workload.packing") == 0


def _rollouts(c: Columns, _: Figures) -> Any:
    return one_of(c, "workload.objective", "ppo", "grpo", "dpo", "kto") > 0


def _replicas(c: Columns, _: Figures) -> Any:
    several = number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node") > 1
    split = number(c, "hardware.tensor_parallel") * number(c, "hardware.pipeline_parallel") > 1
    return several & ~split & (one_of(c, "hardware.sharding", "none") > 0)


def _recomputes(c: Columns, done: Figures) -> Any:
    """Where weights are recomputed although the card has room."""
    free = 1 - done["vram.per_gpu"].value / done["vram.usable"].value
    return (one_of(c, "workload.checkpointing", "full", "offloaded") > 0) & (free >= 0.3)


TIME: tuple[Rule, ...] = (
    Rule(
        id="gpu.fp8", title="fp8 on this GPU", severity=Severity.WARNING, figure="gpu.fp8", sense="at_least",
        limit=1.0, when=_fp8, fields=("workload.precision", "hardware.gpu"),
        message="this GPU has no fp8 units: the run stops, or falls back to 16 bits",
        ok="this GPU has fp8 units",
        source="Transformer Engine: compute capability 8.9 or later; fp8 rates of data sheets",
        doc="Precision fp8 asks for matrix units that NVIDIA has since Ada and Hopper, AMD since MI300.",
    ),
    Rule(
        id="gpu.capability", title="bf16 and flash attention", severity=Severity.WARNING,
        figure="gpu.capability", sense="at_least", limit=8.0, when=_ampere,
        fields=("workload.precision", "workload.attention", "hardware.gpu"),
        message="compute capability {value} has neither bf16 matrix units nor FlashAttention 2, which start "
        "at {limit}: use fp16-mixed and sdpa",
        ok="compute capability {value} has bf16 and FlashAttention 2",
        source="CUDA programming guide: bf16 from 8.0; flash-attn: Ampere or later",
        doc="Cards before Ampere run bf16 by emulation, slowly, and FlashAttention 2 not at all.",
    ),
    Rule(
        id="model.context", title="Model's context", severity=Severity.NOTICE, figure="model.sequence",
        limit="model.context", fields=("workload.sequence_length", "workload.model"),
        message="{value} tokens a sample where the model was made for {limit}: it needs RoPE scaling",
        ok="{value} of the model's {limit} tokens",
        source="max_position_embeddings of the model's configuration",
        doc="Positions beyond the model's context are unknown to it until its rotary base is scaled.",
    ),
    Rule(
        id="time.small_batch", title="Tokens of a micro-batch", severity=Severity.WARNING,
        figure="time.micro_tokens", sense="at_least", limit="time.ridge",
        fields=("workload.micro_batch", "workload.sequence_length", "workload.packing"),
        message="{value} tokens a micro-batch keep memory busy, not the cores: from {limit} on they compute",
        ok="{value} tokens a micro-batch, enough to compute",
        source="roofline: twice the 16-bit peak over memory bandwidth",
        doc="Below this, each pass waits for the weights to be read. Fine-tuning is otherwise compute-bound.",
    ),
    Rule(
        id="time.qlora", title="Dequantisation", severity=Severity.NOTICE, figure="time.dequantisation",
        limit=0.10, when=_quantized, fields=("workload.micro_batch", "workload.quantization"),
        message="{value} of the step turns few-bit weights into 16 bits; larger micro-batches spread it",
        ok="{value} of the step turns few-bit weights into 16 bits",
        source="litgpt +56 % and torchtune +28 % at short micro-batches, fms-acceleration none at 16k tokens",
        doc="The price of a quantised base: the same for each pass, however many tokens.",
    ),
    Rule(
        id="time.recompute", title="Recomputation", severity=Severity.NOTICE, figure="time.again", limit=0.15,
        when=_recomputes, fields=("workload.checkpointing",),
        message="{value} of the step computes activations again while 30 % of VRAM is free",
        ok="{value} of the step computes activations again", source="torchtune: 20-25 % of time",
        doc="Full checkpointing costs a forward pass; where memory is free it can go.",
    ),
    Rule(
        id="time.offload", title="Offload", severity=Severity.WARNING, figure="time.offload", limit=0.30,
        when=_offloads, fields=("hardware.offload", "workload.gradient_accumulation", "hardware.ram_speed"),
        message="{value} of the step waits for the host", ok="{value} of the step waits for the host",
        source="torchtune 70B on 8 A100: 1,568 tokens/s offloaded, 3,497 for LoRA; 2101.06840",
        doc="PCIe, memory and drives bind an offloaded optimizer; more accumulation spreads it.",
    ),
    Rule(
        id="time.padding", title="Padding", severity=Severity.WARNING, figure="time.padding", limit=0.40,
        when=_unpacked, fields=("workload.packing", "workload.micro_batch"),
        message="{value} of the tokens are padding; pack or sort by length",
        ok="{value} of the tokens are padding", source="torchtune: packing +238 % on short answers",
        doc="Samples padded to the longest of the micro-batch compute nothing.",
    ),
    Rule(
        id="time.objective", title="Further models", severity=Severity.NOTICE, figure="time.objective",
        limit=1.25, when=_rollouts, fields=("workload.objective",),
        message="{value} of the time of supervised training on the same tokens; the guide says 1.5 to 2",
        ok="{value} of the time of supervised training",
        source="DeepSpeed-Chat: PPO 5.4-6.6 of SFT; DPO 1.33-1.5 by count",
        doc="Generation dominates PPO and GRPO; DPO adds a reference pass.",
    ),
    Rule(
        id="time.replicas", title="GPUs as replicas", severity=Severity.NOTICE, figure="vram.ranks",
        limit=1.0,
        when=_replicas, fields=("hardware.sharding",),
        message="sharding is none on {value} GPUs: counted as plain data parallel, each with the whole model",
        ok="one GPU", source="torch DistributedDataParallel",
        doc="Layers spread by hand let one GPU work at a time and are not modelled.",
    ),
    Rule(
        id="time.guide", title="Guide's run time", severity=Severity.NOTICE, figure="time.implied_tokens",
        limit=PLAUSIBLE[1], when=_guide, fields=("workload.dataset_tokens",),
        message="the guide's time for this job would mean {value} tokens, which it does not state (explain "
        "time.guide)",
        ok="the guide's time for this job means {value} tokens, which it does not state (explain time.guide)",
        source=SOURCE,
        doc="A run time without tokens says little: between 10 million and 5 billion it can be.",
    ),
)  # fmt: skip
