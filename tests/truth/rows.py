"""Measured runs (`a100.csv`, `published.csv`, `reports.csv`) as builds, with what was measured.

A row names a build field by field. Choices that no user can name, such as the libraries of a past year, are
rows of the engine's tables and replace the field after the build is read.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ftbuild import build as builds
from ftbuild.build import Build
from ftbuild.catalog import Catalog, load_catalog
from ftbuild.engine.tables import CHOICES

FOLDER = Path(__file__).parent
FILES = ("a100.csv", "published.csv", "reports.csv")
MEASURED = ("at_rest", "allocated", "reserved", "nvidia_smi")
"""Columns of bytes: torch's allocations at rest and at peak, torch's pool, the process in nvidia-smi."""

FIELDS = {
    "model": "workload.model", "method": "workload.method", "quantization": "workload.quantization",
    "double_quant": "workload.double_quant", "rank": "workload.rank", "targets": "workload.targets",
    "adapter_precision": "workload.adapter_precision", "precision": "workload.precision",
    "sequence": "workload.sequence_length", "micro_batch": "workload.micro_batch",
    "accumulation": "workload.gradient_accumulation", "packing": "workload.packing",
    "optimizer": "workload.optimizer", "checkpointing": "workload.checkpointing",
    "attention": "workload.attention", "loss": "workload.loss", "framework": "workload.framework",
    "gpu": "hardware.gpu", "gpus": "hardware.gpus_per_node", "sharding": "hardware.sharding",
    "offload": "hardware.offload", "tensor_parallel": "hardware.tensor_parallel",
    "pipeline_parallel": "hardware.pipeline_parallel", "context_parallel": "hardware.context_parallel",
    "expert_parallel": "hardware.expert_parallel", "dropout": "workload.adapter_dropout",
}  # fmt: skip
"""The field of a build that each column fills."""

SETS = ("all-linear", "attention", "qv")
FLAGS = ("double_quant", "packing")
WIDEST = 256
"""GPUs that a node may have; more are spread over nodes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run: where it was published, the build that describes it, what was measured."""

    id: str
    truth: str
    """Name of the set of rows."""
    source: str
    build: Build | None
    """None where the row lacks what a build needs."""
    measured: dict[str, float]
    """Bytes by name of `MEASURED`."""
    outcome: str
    """``ran``, ``out of memory``, or nothing."""
    skip: str
    """Why the row is not scored, or nothing."""


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    """Return the shipped catalog with the architectures of `models.toml`."""
    with (FOLDER / "models.toml").open("rb") as file:
        extra = tomllib.load(file)
    return load_catalog().with_parts({kind: tuple(rows) for kind, rows in extra.items()})


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    """Return every row of the folder, those that are not scored included."""
    found = []
    for name in FILES:
        with (FOLDER / name).open(encoding="utf-8", newline="") as file:
            found += [_row(line) for line in csv.DictReader(file)]
    return tuple(found)


def _row(line: dict[str, str]) -> Row:
    measured = {name: float(line[name]) for name in MEASURED if line[name]}
    built = None if line["skip"] else build(line)
    return Row(line["id"], line["set"], line["source"], built, measured, line["outcome"], line["skip"])


def build(line: dict[str, str]) -> Build:
    """Return the build that a row's columns describe."""
    document: dict[str, Any] = {"name": line["id"], "workload": {}, "hardware": {}}
    dated: dict[str, str] = {}
    for column, key in FIELDS.items():
        if not line.get(column):
            continue
        section, name = key.split(".")
        value = _value(column, line[column])
        if _nameable(key, value):
            document[section][name] = value
        else:
            dated[name] = value
    hardware = document["hardware"]
    gpus = hardware.get("gpus_per_node", 1)
    if gpus > WIDEST:
        hardware.update(nodes=gpus // 8, gpus_per_node=8)
    read = builds.read(document)
    return read.model_copy(update={"workload": read.workload.model_copy(update=dated)})


def _value(column: str, text: str) -> Any:
    if column == "targets":
        return text if text in SETS else tuple(text.split())
    if column in FLAGS:
        return text == "1"
    if column == "dropout":
        return float(text)
    return int(text.removesuffix(".0")) if text.replace(".0", "").isdigit() else text


def _nameable(key: str, value: Any) -> bool:
    """Say whether a user can choose the value: what else is a row of the engine's tables."""
    choices = getattr(builds.FIELDS[key].described, "choices", None)
    if choices is None or key not in CHOICES or value in choices:
        return True
    if value not in {row.id for row in CHOICES[key]}:
        raise ValueError(f"{key}: no row named {value}")
    return False
