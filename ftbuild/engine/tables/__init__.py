"""Tables of coefficients: one row a choice, each with its source. No formula lives here."""

from __future__ import annotations

from collections.abc import Mapping

from ftbuild.engine.tables.base import Choice
from ftbuild.engine.tables.memory import ATTENTION, CHECKPOINTING, LOSSES, OPTIMIZERS
from ftbuild.engine.tables.parallel import OFFLOAD, SHARDING
from ftbuild.engine.tables.stacks import STACKS
from ftbuild.engine.tables.training import METHODS, OBJECTIVES, PRECISIONS, QUANTIZATIONS

CHOICES: Mapping[str, tuple[Choice, ...]] = {
    "workload.objective": OBJECTIVES,
    "workload.method": METHODS,
    "workload.quantization": QUANTIZATIONS,
    "workload.precision": PRECISIONS,
    "workload.optimizer": OPTIMIZERS,
    "workload.checkpointing": CHECKPOINTING,
    "workload.attention": ATTENTION,
    "workload.loss": LOSSES,
    "workload.framework": STACKS,
    "hardware.sharding": SHARDING,
    "hardware.offload": OFFLOAD,
}
"""The rows of every choice that the memory formulas read, by the key of the build's field."""

__all__ = ["CHOICES", "Choice"]
