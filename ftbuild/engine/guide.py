"""The buyer's guide's own estimates of GPU memory, shown for comparison and never as a verdict.

Its snippet counts gradients for the whole model under LoRA, activations without the hidden width, half as
many layers as models have, and halves weights under checkpointing; its tables leave out batch and sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ftbuild.engine.core import Array, Figure, Figures, FigureSpec
from ftbuild.engine.inputs import Columns
from ftbuild.units import Kind

GUIDE = "LLM Fine Tuning Hardware Requirements: A 2026 Guide (July 2026)"

SNIPPET = FigureSpec(
    "vram.guide", "Guide's snippet", Kind.MEMORY,
    "(weights + optimizer + gradients + activations) x 0.5 under checkpointing; weights = P x bytes, "
    "optimizer = P x 8 (x 0.02 with adapters), gradients = P x bytes, activations = 4096 x layers x 4",
    GUIDE + ", estimate_vram",
    "rank, targets, hidden width, vocabulary, optimizer, sharding; and nothing but activations can halve",
)  # fmt: skip
TABLE = FigureSpec(
    "vram.guide_table", "Guide's table", Kind.MEMORY,
    "upper end of the range that the guide lists for the method and a model within a sixth of its size",
    GUIDE, "batch, sequence, vocabulary, optimizer states of full fine-tuning",
)  # fmt: skip

RANKS = FigureSpec(
    "vram.ranks", "GPUs", Kind.COUNT, "nodes x GPUs a node", "arithmetic",
)  # fmt: skip
UNLOADED = FigureSpec(
    "vram.unloaded", "Bases without a loader", Kind.COUNT,
    "1 for a 2-bit base", "bitsandbytes documentation: NF4, FP4 and int8",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the guide's tables."""

    quantized: float
    """1 for QLoRA, 0 for full fine-tuning; it lists no 16-bit LoRA."""
    parameters: float
    low: float
    high: float
    """Decimal bytes, of all GPUs together."""


LISTED = tuple(
    Listed(quantized, parameters * 1e9, low * 1e9, high * 1e9)
    for quantized, parameters, low, high in (
        (0, 7, 28, 35), (0, 13, 50, 65), (0, 70, 240, 280), (1, 7, 6, 10), (1, 13, 12, 20), (1, 70, 48, 65),
    )
)  # fmt: skip
NEAR = 1 / 6
"""How far a model's size may be from a listed one, as a share of it: 8B reads as 7B, 8x7B as nothing."""


def snippet(parameters: Any, width: Any, adapters: Any, checkpointing: Any) -> Any:
    """Return what the guide's ``estimate_vram`` returns, in bytes.

    `parameters` of the model, `width` bytes of a weight (2, 1 or 0.5), `adapters` and `checkpointing` 0 or 1.
    """
    billions = parameters / 1e9
    optimizer = billions * 8 * np.where(adapters > 0, 0.02, 1.0)
    activations = 4096 * np.floor(billions * 0.5) * 4 / 1e9
    return (2 * billions * width + optimizer + activations) * (1 - 0.5 * checkpointing) * 1e9


def listed(parameters: Any, quantized: Any, adapters: Any) -> tuple[Any, Any]:
    """Return the range of the guide's table in bytes, NaN where it lists nothing that comes near."""
    low: Any = np.nan
    high: Any = np.nan
    for row in LISTED:
        close = np.abs(parameters - row.parameters) <= NEAR * row.parameters
        fits = close & (quantized == row.quantized) & (adapters == row.quantized)
        low, high = np.where(fits, row.low, low), np.where(fits, row.high, high)
    return low, high


def figures(c: Columns, done: Figures) -> Iterator[Figure]:
    """Yield the guide's two estimates."""
    del done
    quantized = c.is_in("workload.method", "qlora", "qdora")
    two_bit = c.is_in("workload.quantization", "2bit")
    adapters = 1 - c.is_in("workload.method", "full")
    eight = c.is_in("workload.quantization", "int8")
    width = np.where(quantized > 0, 0.5 + 0.5 * eight, 2.0)
    checkpointing = 1 - c.is_in("workload.checkpointing", "none")
    total = c.model.total
    value: Array = snippet(total, width, adapters, checkpointing)
    yield Figure(SNIPPET, value, terms={"P": (total, Kind.PARAMETERS), "bytes": (width, Kind.COUNT)})
    low, high = listed(total, quantized, adapters)
    yield Figure(TABLE, high, low, high)
    yield Figure(RANKS, c.number("hardware.nodes") * c.number("hardware.gpus_per_node"))
    yield Figure(UNLOADED, quantized * two_bit)
