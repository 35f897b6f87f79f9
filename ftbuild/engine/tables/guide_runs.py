"""Run times that the guide states, none of them with its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SOURCE = "SIVARO fine-tuning hardware guide, July 2026"
HOUR, DAY = 3600.0, 86400.0


@dataclass(frozen=True, slots=True)
class Run:
    """One claim."""

    parameters: float
    gpu: str
    """Beginning of the catalog id."""
    gpus: int
    seconds: float
    says: str


RUNS: Mapping[str, tuple[Run, ...]] = {
    "qlora": (
        Run(70e9, "h100-sxm", 8, 12 * HOUR, "70B QLoRA on 8 H100 in 12 h"),
        Run(8e9, "rtx-4090", 2, 2 * HOUR, "8B QLoRA on 2 RTX 4090 in 2 h"),
        Run(13e9, "rtx-4090", 2, 5 * HOUR, "13B QLoRA on 2 RTX 4090 in 5 h"),
        Run(13e9, "a100", 8, 3 * HOUR, "13B on 8 preemptible A100 in 3 h"),
    ),
    "lora": (
        Run(7e9, "h100", 1, 2.5 * HOUR, "7B LoRA, 100k samples x 3, on one H100 in 2 to 3 h"),
        Run(70e9, "h100-sxm", 4, 4 * HOUR, "70B LoRA on 4 H100 in 4 h"),
        Run(405e9, "b200", 16, 2 * DAY, "405B LoRA on 16 B200 in 2 days"),
        Run(13e9, "a100", 8, 3 * HOUR, "13B on 8 preemptible A100 in 3 h"),
    ),
    "full": (
        Run(70e9, "h100-sxm", 8, 3.5 * DAY, "70B full on 8 H100 in 3.5 days, elsewhere 5 to 7"),
        Run(13e9, "h100-sxm", 4, 6 * HOUR, "13B full on 4 H100 in 6 h"),
        Run(405e9, "b200", 16, 7 * DAY, "405B full on 16 B200 in about a week"),
    ),
}
SAME_SIZE = 0.1
"""How far a model's parameters may be from the claim's."""
PLAUSIBLE = (1e7, 5e9)
"""Tokens between which a run time without tokens can be right."""
