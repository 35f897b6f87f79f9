"""Counted training steps (`oracle.jsonl`, `oracle_fsdp.jsonl`) as inputs of the memory formulas.

Each row is one step of transformers 5.24, peft 0.21 and torch 2.13 on tensors without storage; `peak` is
the bytes that torch's memory tracker counted (allocated, one rank).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ftbuild.catalog.parts import Model
from ftbuild.engine.shape import shape
from ftbuild.engine.tables import CHOICES
from ftbuild.engine.targets import targets
from ftbuild.engine.vram.phases import Memory, Work, memory

FOLDER = Path(__file__).parent
PRECISIONS = {"bf16": "bf16", "fp32": "fp32", "amp": "bf16-mixed"}
TARGETS = {"all": "all-linear", "attention": "attention", "qkvo": "attention", "qv": "qv"}
CHOSEN = {
    "objective": "sft", "method": "full", "quantization": "none", "precision": "bf16", "optimizer": "adamw",
    "checkpointing": "full", "attention": "sdpa", "loss": "standard", "stack": "transformers-cpu",
    "sharding": "none", "offload": "none",
}  # fmt: skip
KEYS = {"stack": "workload.framework", "sharding": "hardware.sharding", "offload": "hardware.offload"}


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of one file of this folder."""
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def work(model: dict[str, Any], names: Any = "all-linear", numbers: Mapping[str, Any] | None = None,
         **choices: str) -> Work:  # fmt: skip
    """Return a step's inputs from the facts of a model, target names, numbers and ids of choices."""
    facts = {"id": "x", "name": "x", "source": "truth", "as_of": "2026", "confidence": "user"}
    architecture = shape(Model(**{**facts, **model}))
    found = {
        name: next(row for row in CHOICES[KEYS.get(name, f"workload.{name}")] if row.id == chosen)
        for name, chosen in {**CHOSEN, **choices}.items()
    }
    values = {
        "rank": 16.0, "adapter_bytes": 4.0, "dropout": 0.0, "double_quant": 1.0, "sequence": 2048.0,
        "micro_batch": 1.0, "accumulation": 1.0, "ranks": 1.0, **(numbers or {}),
    }  # fmt: skip
    return Work(model=architecture, targets=targets(names, architecture), **found, **values)


def step(row: dict[str, Any]) -> Work:
    """Return the inputs of a row of `oracle.jsonl`."""
    a = row["args"]
    optimizer = "sgd" if a["opt"] == "sgd" else "adamw" if a["foreach"] else "adamw-loop"
    return work(
        row["model"], TARGETS[a["targets"]],
        {"rank": a["rank"], "dropout": a["dropout"], "sequence": a["seq"], "micro_batch": a["mb"]},
        method=a["method"], precision=PRECISIONS[a["dtype"]], optimizer=optimizer, attention=a["attn"],
        checkpointing="full" if a["ckpt"] else "none",
    )  # fmt: skip


def sharded_step(row: dict[str, Any]) -> Work:
    """Return the inputs of a row of `oracle_fsdp.jsonl`."""
    a = row["args"]
    return work(
        row["model"], "all-linear", {"ranks": a["world"], "sequence": a["seq"], "micro_batch": a["mb"]},
        sharding="fsdp" if a["reshard"] else "fsdp-shard-grad-op",
        precision="bf16-mixed" if a["mp"] else "bf16", checkpointing="full" if a["ckpt"] else "none",
    )  # fmt: skip


def peak(row: dict[str, Any]) -> float:
    """Return the modelled peak of a row's step, bytes."""
    return float(np.max(memory(step(row)).peak))


def sharded_peak(row: dict[str, Any]) -> float:
    """Return the modelled peak of a sharded row's forward and backward pass, bytes."""
    found: Memory = memory(sharded_step(row))
    return max(float(np.max(total)) for total in found.totals[1:-1])
