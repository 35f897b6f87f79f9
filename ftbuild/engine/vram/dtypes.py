"""In which dtype a run computes, and how many tokens a rank computes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Dtypes:
    """Bytes of one element by use, flags, and tokens."""

    tokens: Any
    """Tokens of one micro-batch on one rank."""
    full: Any
    """1 where the base's weights train."""
    compute: Any
    residual: Any
    """Of the hidden state between layers."""
    linear_input: Any
    """Of what a linear layer saves of its input."""
    autocast: Any
    """1 under torch.autocast."""
    weights_cast: Any
    """Bytes of the 16-bit copy of one fp32 weight that autocast keeps; 0 where it makes none."""
    separate_casts: Any
    """1 where each linear layer casts its fp32 input for itself."""
    sharded: Any
    """1 where parameters are divided among ranks."""
    hidden_share: Any
    """Share of hidden-wide tensors on this rank: 1 / t under sequence parallelism (2205.05198)."""
    input_share: Any
    """The same of what the attention's linear layers save of their input."""
    fused_norms: Any
    """1 where norms save their 16-bit input alone."""
    in_place: Any
    """1 where the gate's and the up projection's gradients overwrite what was saved of them (Liger)."""
    mlp_share: Any
    """The same of the MLP's linear layers."""


def dtypes(work: Any) -> Dtypes:
    """Return the dtypes of a run.

    FSDP's mixed precision gathers fp32 shards in the compute dtype, so nothing runs in fp32; peft's k-bit
    preparation makes norms and hidden state fp32, and without autocast k-bit layers give fp32 back.
    """
    method, precision, stack = work.method, work.precision, work.stack
    full = 1 - method.adapters
    sharded = work.sharding.parameters * (work.ranks > 1)
    prepared = stack.kbit_norms * (1 - sharded)
    compute = precision.compute
    compute = compute + method.quantized * prepared * (1 - stack.autocast) * (4 - compute)
    residual = precision.residual + method.quantized * (2 + 2 * prepared - precision.residual)
    in_fp32 = 1 - work.sharding.casts_shards * (work.ranks > 1)
    residual = compute + in_fp32 * (residual - compute)
    fp32_weights = precision.autocast * in_fp32
    hidden_share = 1 / (1 + stack.sequence_parallel * (work.tensor - 1))
    whole = stack.gathered_inputs * stack.sequence_parallel
    return Dtypes(
        tokens=work.micro_batch * work.objective.sequences * work.sequence / work.context,
        full=full,
        compute=compute,
        residual=residual,
        linear_input=precision.linear_input + (precision.linear_input == 0) * compute,
        autocast=1 - (1 - fp32_weights) * (1 - stack.autocast),
        weights_cast=fp32_weights * (1 - method.quantized) * compute,
        separate_casts=fp32_weights * full,
        sharded=sharded,
        hidden_share=hidden_share,
        fused_norms=np.maximum(stack.fused_norms, stack.liger * work.loss.fused_norms),
        in_place=stack.liger * work.loss.recomputes_gate,
        input_share=hidden_share + whole * (1 - hidden_share),
        mlp_share=(1 - whole) / work.tensor + whole,
    )
