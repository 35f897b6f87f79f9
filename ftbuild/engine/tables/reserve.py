"""How much more than its allocations a process is seen to hold: context, caches, fragments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """nvidia-smi's figure less torch's peak of allocations, as shares of what is freed on the way.

    Freed blocks stay with the allocator until something fits them: logits before the layers' backward
    passes, gathered weights between layers, a layer's workspace before the next.
    """

    context: float
    """CUDA context and kernels, bytes."""
    peers: float
    """Communication buffers of a process with peers, bytes."""
    logits: float
    """Of fp32 blocks of logits, which the layers' backward passes reuse in part."""
    logits16: float
    """The same of 16-bit blocks that a fused loss kernel leaves (`Stack.blocks16`)."""
    once: float
    """The same in a process of one step (`Stack.one_step`)."""
    varying: float
    """Of logits again, where samples are not packed: blocks of one length do not hold the next."""
    activations: float
    workspace: float
    gathered: float
    step: float


SOURCE = (
    "nvidia-smi less the peak of allocations of 142 fms-acceleration A100 runs and 39 fitcheck T4 runs: "
    "quantile regressions at 5, 50 and 95 %, held to grow from low to high in every term; the context is "
    "the T4's 141 MiB, the least that was measured; unpacked samples: 31 pools of ms-swift runs"
)

UNLINKED = 0.5
"""Share of peers' buffers where GPUs have no link of their own, hence fewer channels: a pool of 24.20 GB
ran on a pair of RTX 4090 (fsdp_qlora), whose usable 25.25 GB leave 0.9 GB beside the context at most."""

LOW = Reserve(
    context=0.145e9,
    peers=1.8e9,
    logits=0.05,
    logits16=0.1,
    once=0.03,
    varying=0.0,
    activations=0.05,
    workspace=0.3,
    gathered=0.4,
    step=0.0,
)
EXPECTED = Reserve(
    context=0.145e9,
    peers=1.8e9,
    logits=0.32,
    logits16=0.76,
    once=0.13,
    varying=0.0,
    activations=0.17,
    workspace=0.3,
    gathered=1.2,
    step=0.3,
)
HIGH = Reserve(
    context=0.3e9,
    peers=1.8e9,
    logits=0.7,
    logits16=0.95,
    once=0.55,
    varying=1.3,
    activations=0.26,
    workspace=0.3,
    gathered=1.8,
    step=0.8,
)
