"""Checkpoints: bytes, seconds, stall, interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.light import pick, smaller
from ftbuild.engine.tables import storage as table


def size(trained: Any, weight: Any, states: Any) -> Any:
    """Return bytes of a checkpoint that training resumes from: trained weights and optimizer states.

    `weight` bytes of a trained element, `states` bytes of all states (`vram.optimizer.state_bytes`, masters
    included); a frozen base stays out of it. 14 B a parameter for AdamW under ZeRO:
    2 + 4 + 2 x 4, as MLPerf Storage v2 prescribes; 6 in plain bf16, 12 in fp32.
    """
    return trained * weight + states


def rate(array: Any, writers: Any, parallel: Any) -> Any:
    """Return bytes/s at which a node's processes write: all in parallel for shards, else one of them."""
    process = pick(parallel > 0, writers * table.PARALLEL.rate, table.SERIAL.rate)
    return smaller(array, process)


def best_interval(stall: Any, between: Any) -> Any:
    """Return the interval that wastes least, s: sqrt(2 C M), Young 1974."""
    return np.sqrt(2.0 * stall * between)


def waste(stall: Any, interval: Any, between: Any, restart: Any) -> Any:
    """Return the share of time lost to saving, to work done again and to restarts: C/t + (t/2 + R)/M."""
    return stall / interval + (interval / 2.0 + restart) / between


def between_failures(gpus: Any) -> Any:
    """Return mean seconds between interruptions of a job on `gpus` GPUs."""
    hours = smaller(table.GPU_HOURS_BETWEEN_FAILURES / gpus, table.LONGEST_BETWEEN_FAILURES)
    return 3600.0 * hours
