"""Tokens that a node's processors can prepare, against what its GPUs take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ftbuild.engine.light import by_id, choice, larger, light, number
from ftbuild.engine.tables import host as t

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

FEEDS = by_id(t.FEEDS)


def feed_rate(cores: Any, processes: Any, tokens: Any) -> Any:
    """Return tokens/s that `cores` less one for each of `processes` prepare, at `tokens`/s each."""
    return larger(cores - processes, 1.0) * tokens


def cores(c: Columns) -> Any:
    """Return the cores of a node; NaN where the processor is not stated."""
    return light(c.cpu.cores) * number(c, "hardware.sockets")


def tokens_per_s(c: Columns) -> Any:
    """Return tokens/s that a node prepares; NaN where the processor is not stated."""
    each = choice(c, FEEDS, "workload.data").tokens
    return feed_rate(cores(c), number(c, "hardware.gpus_per_node"), each)
