"""Rules between the fields of a build: what no single field can know is wrong.

Whether heads and layers divide is asked where the model is known, in `ftbuild.engine.inputs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ftbuild.problems import Problem

if TYPE_CHECKING:
    from ftbuild.build.models import Build

RAID_LEAST: Mapping[str, int] = {"none": 1, "0": 2, "1": 2, "5": 3, "6": 4, "10": 4}
"""Fewest drives of each level (SNIA Common RAID Disk Data Format, 2009)."""


@dataclass(frozen=True, slots=True)
class CrossRule:
    """A relation that must hold between fields; `key` is the field that is told."""

    key: str
    holds: Callable[[Build], bool]
    found: Callable[[Build], str]
    expected: Callable[[Build], str]


def _ranks(build: Build) -> int:
    return build.hardware.nodes * build.hardware.gpus_per_node


def _gpus(build: Build) -> str:
    ranks = _ranks(build)
    return f"{ranks} GPU" if ranks == 1 else f"{ranks} GPUs"


def _model_parallel(build: Build) -> int:
    hardware = build.hardware
    return hardware.tensor_parallel * hardware.pipeline_parallel * hardware.context_parallel


def _supplies(build: Build) -> int | None:
    mode = build.power.redundancy
    if mode == "none" or mode.startswith("n+"):
        return None
    return sum(int(count) for count in mode.split("+"))


RULES: tuple[CrossRule, ...] = (
    CrossRule(
        "workload.quantization",
        lambda b: not b.workload.method.startswith("q") or b.workload.quantization != "none",
        lambda _: "none",
        lambda b: f"nf4, fp4, int8, gptq4, gptq4-columns or 2bit: {b.workload.method} needs a quantised base",
    ),
    CrossRule(
        "hardware.tensor_parallel",
        lambda b: _ranks(b) % _model_parallel(b) == 0,
        lambda b: f"{_model_parallel(b)} ways on {_gpus(b)}",
        lambda b: f"tensor x pipeline x context parallel that divides the {_gpus(b)}",
    ),
    CrossRule(
        "hardware.offload",
        lambda b: b.hardware.offload != "nvme" or b.storage.data_drive is not None,
        lambda _: "nvme without a drive",
        lambda _: "storage.data_drive to offload to",
    ),
    CrossRule(
        "hardware.ram_modules",
        lambda b: b.hardware.ram_modules is None or b.hardware.ram is not None,
        lambda b: f"{b.hardware.ram_modules} modules of unknown RAM",
        lambda _: "hardware.ram beside it",
    ),
    CrossRule(
        "storage.data_raid",
        lambda b: b.storage.data_drives >= RAID_LEAST[b.storage.data_raid],
        lambda b: f"RAID {b.storage.data_raid} on {b.storage.data_drives} drive(s)",
        lambda b: f"at least {RAID_LEAST[b.storage.data_raid]} drives",
    ),
    CrossRule(
        "storage.checkpoint_raid",
        lambda b: b.storage.checkpoint_drives >= RAID_LEAST[b.storage.checkpoint_raid],
        lambda b: f"RAID {b.storage.checkpoint_raid} on {b.storage.checkpoint_drives} drive(s)",
        lambda b: f"at least {RAID_LEAST[b.storage.checkpoint_raid]} drives",
    ),
    CrossRule(
        "power.phases",
        lambda b: b.power.phases in (1, 3),
        lambda b: str(b.power.phases),
        lambda _: "1 or 3",
    ),
    CrossRule(
        "power.redundancy",
        lambda b: _supplies(b) is None or b.power.psu is None or _supplies(b) == b.power.psus_per_node,
        lambda b: f"{b.power.redundancy} with {b.power.psus_per_node} supplies",
        lambda b: f"{_supplies(b)} supplies a node for {b.power.redundancy}, or n+1",
    ),
)


def problems(build: Build) -> list[Problem]:
    """Return what is wrong between fields, in the order of `RULES`."""
    found = []
    for rule in RULES:
        if not rule.holds(build):
            shown, expected = rule.found(build), rule.expected(build)
            found.append(Problem(rule.key, shown, expected, f"{shown} is not accepted; expected {expected}"))
    return found
