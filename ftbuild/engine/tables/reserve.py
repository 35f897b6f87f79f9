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
    activations: float
    workspace: float
    gathered: float
    step: float


SOURCE = (
    "124 runs of the fms-acceleration A100 benchmarks that stayed below 93 % of the card: quantile "
    "regressions of nvidia-smi less the modelled peak, at 5, 50 and 95 %; 93 % of 141 runs lie inside"
)

LOW = Reserve(
    context=0.73e9, peers=1.5e9, logits=0.17, activations=0.0, workspace=0.40, gathered=0.51, step=0.0
)
EXPECTED = Reserve(
    context=0.74e9, peers=0.55e9, logits=0.51, activations=0.11, workspace=0.14, gathered=1.84, step=0.19
)
HIGH = Reserve(
    context=1.78e9, peers=1.35e9, logits=0.77, activations=0.20, workspace=0.01, gathered=1.80, step=0.83
)
