"""How far measured peaks of allocations lie from modelled ones, by what is known of a run."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(Choice):
    """Shares of the modelled peak by which nine in ten measurements may lie below and above it."""

    low: float
    high: float


COUNTED = Spread(
    id="counted",
    low=0.02,
    high=0.035,
    source="5 and 95 % quantiles of measured over modelled: 141 A100 and 52 T4 runs and 252 counted steps, "
    "0.98 to 1.02 on GPUs, 0.985 to 1.036 of the steps",
)
"""Of every run."""
WEIGHT_NORM = Spread(
    id="weight norm",
    low=0.0,
    high=0.02,
    source="22 counted steps of DoRA, up to 1.08: identities that wait for the garbage collector",
)
"""Added with DoRA."""
ROUTED = Spread(
    id="routed",
    low=0.0,
    high=0.03,
    source="counted steps of Qwen3-30B-A3B with adapters, 1.04 to 1.05: what routing sorts and copies",
)
"""Added with a mixture of experts."""
DOCUMENTED = Spread(
    id="documented",
    low=0.05,
    high=0.045,
    source="spread of published peaks whose stack was read in its documentation, not counted",
)
"""Added for stacks of `Stack.documented`."""
UNRESOLVED = Spread(
    id="unresolved",
    low=0.0,
    high=0.2,
    source="20 published 4-bit runs of lit-gpt: 1.00 to 1.28",
)
"""Added for a base in few bits under stacks of `Stack.few_bits_unresolved`."""
SHORTER = Spread(
    id="shorter",
    low=0.5,
    high=0.0,
    source="runs whose samples may be shorter than stated: half of activations and logits is taken",
)
"""Of activations and logits, where samples are not packed."""
