"""What the figures of GPU memory are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.units import Kind

_STEP = (
    "counted saved tensors of transformers 5.24 and torch 2.13 (tests/truth/oracle.jsonl, oracle_fsdp.jsonl) "
    "and the fms-acceleration A100 benchmarks"
)  # fmt: skip

PARAMS = FigureSpec(
    "vram.params", "Parameters", Kind.PARAMETERS,
    "embedding + head + norms + linear layers + experts + routers + beside the language model + adapters",
    "transformers' own count on the meta device, to the last parameter",
)  # fmt: skip
TRAINABLE = FigureSpec(
    "vram.trainable", "Trainable", Kind.PARAMETERS,
    "all parameters, or rank x sum over targets of (in + out), with DoRA + out",
    "peft's own count; 2106.09685, 2402.09353",
)  # fmt: skip
AT_REST = FigureSpec(
    "vram.at_rest", "At rest", Kind.MEMORY,
    "weights + adapters + optimizer states + library workspaces + the batch",
    "2305.14314 for few bits, 1910.02054 for sharding; " + _STEP,
    "activations and gradients",
)  # fmt: skip
FORWARD_BACKWARD = FigureSpec(
    "vram.forward_backward", "Forward, backward", Kind.MEMORY,
    "the largest moment of a micro-batch: loss, last norm, first and last layer backward, reduction",
    _STEP, "the optimizer's step",
)  # fmt: skip
ALLOCATED = FigureSpec(
    "vram.allocated", "Allocated peak", Kind.MEMORY,
    "the largest moment of a step = weights + adapters + gradients + optimizer + activations + logits + "
    "workspace + gathered",
    _STEP, "context, caches and fragments; data-dependent shapes",
)  # fmt: skip
RESERVED = FigureSpec(
    "vram.reserved", "Reserved", Kind.MEMORY,
    "allocated + context + shares of freed logits, activations, workspace and gathered weights, no more than "
    "the card has",
    "nvidia-smi of the fms-acceleration A100 benchmarks (tables.reserve)",
    "expandable segments, which need less",
)  # fmt: skip
PER_GPU = FigureSpec(
    "vram.per_gpu", "VRAM / GPU", Kind.MEMORY,
    "allocated + what cannot be given back: context, peers' buffers, the least of fragments + rollout engine",
    "allocated, and the 5 % quantile of nvidia-smi beside it (tables.reserve)",
    "what other processes or a display hold",
)  # fmt: skip
COMFORTABLE = FigureSpec(
    "vram.comfortable", "Comfortable", Kind.MEMORY,
    "the upper end of what the process may hold where the card lets it",
    "the 95 % quantile of nvidia-smi beside allocated (tables.reserve)",
)  # fmt: skip
USABLE = FigureSpec(
    "vram.usable", "Usable VRAM", Kind.MEMORY,
    "what the driver offers of the card - what a display or other processes hold",
    "the catalog's usable bytes",
)  # fmt: skip

MEASURED = FigureSpec(
    "vram.measured",
    "Measured run",
    Kind.MEMORY,
    "the run's own peak = what the model says of the base build + the difference",
    "[measured] of the build",
)
