"""Rules on GPU memory, each judged for one GPU: memory of several is never pooled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.guide import GUIDE
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import one_of

_KNOBS = (
    "workload.micro_batch", "workload.checkpointing", "workload.sequence_length", "workload.loss",
    "workload.optimizer", "workload.method", "hardware.sharding", "hardware.gpu",
)  # fmt: skip


def _fits(_: Columns, done: Figures) -> Any:
    return ~(done["vram.per_gpu"].value > done["vram.usable"].value)


def _listed(_: Columns, done: Figures) -> Any:
    return ~np.isnan(done["vram.guide_table"].value)


def _whole_parameters(c: Columns, _: Figures) -> Any:
    return (one_of(c, "hardware.offload", "parameters") > 0) & (
        one_of(c, "hardware.sharding", "none", "ddp", "zero1", "zero2") > 0
    )


def _one_rank(c: Columns, _: Figures) -> Any:
    return (c.number("hardware.nodes") * c.number("hardware.gpus_per_node") == 1) & (
        one_of(c, "hardware.sharding", "none") == 0
    )


def _quantized(c: Columns, _: Figures) -> Any:
    return one_of(c, "workload.method", "qlora", "qdora") > 0


VRAM: tuple[Rule, ...] = (
    Rule(
        id="vram.fits", title="VRAM of one GPU", severity=Severity.VIOLATION,
        figure="vram.per_gpu", limit="vram.usable", fields=_KNOBS,
        message="needs {value} on each GPU, which offers {limit}: {margin} short",
        ok="{value} of {limit} on each GPU",
        source="step counted moment by moment (explain vram.allocated); usable bytes of the catalog",
        doc="The largest moment of a step, with what cannot be given back, must fit the card.",
    ),
    Rule(
        id="vram.comfortable", title="VRAM head room", severity=Severity.WARNING,
        figure="vram.comfortable", limit="vram.usable", when=_fits, fields=_KNOBS,
        message="tight: may hold up to {value} of {limit}; a longer sample or fragments can exhaust it",
        ok="at most {value} of {limit}, with fragments",
        source="the 95 % quantile of nvidia-smi over 180 published A100 and T4 runs",
        doc="Where the upper end of the range passes what the card offers, the build fits but is tight.",
    ),
    Rule(
        id="vram.guide",
        title="Guide's snippet",
        severity=Severity.NOTICE,
        figure="vram.guide",
        sense="at_least",
        limit="vram.per_gpu",
        fields=("workload.method",),
        message="the guide's snippet says {value} where one GPU needs {limit}; explain vram.guide says why",
        ok="the guide's snippet says {value}, one GPU needs {limit}",
        source=GUIDE,
        doc="The guide's code for comparison; it never decides.",
    ),
    Rule(
        id="vram.guide_table",
        title="Guide's table",
        severity=Severity.NOTICE,
        figure="vram.guide_table",
        sense="at_least",
        limit="vram.per_gpu",
        when=_listed,
        fields=("workload.method",),
        message="the guide lists up to {value} for this size and method; one GPU needs {limit}",
        ok="the guide lists up to {value} for this size and method; one GPU needs {limit}",
        source=GUIDE,
        doc="The guide's table for comparison, for one GPU; it never decides.",
    ),
    Rule(
        id="vram.unsharded", title="Sharding on one GPU", severity=Severity.NOTICE,
        figure="vram.ranks", sense="at_least", limit=2, when=_one_rank, fields=("hardware.sharding",),
        message="sharding over one GPU divides nothing",
        ok="{value} GPUs share the states",
        source="Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, table 1: everything is divided by the ranks",
        doc="ZeRO and FSDP divide by the number of data-parallel ranks; one rank keeps it all.",
    ),
    Rule(
        id="vram.offload_whole", title="Parameters on the host", severity=Severity.WARNING,
        figure="vram.ranks", limit=1.0, when=_whole_parameters,
        fields=("hardware.offload", "hardware.sharding"),
        message="offload of parameters on {value} GPUs needs sharding zero3 or fsdp: no other divides them",
        ok="one GPU keeps its parameters on the host",
        source="DeepSpeed configuration: offload_param is valid with ZeRO stage 3 only; FSDP CPUOffload",
        doc="DeepSpeed and FSDP move parameters to the host only where they are sharded.",
    ),
    Rule(
        id="vram.two_bit", title="2-bit base", severity=Severity.WARNING,
        figure="vram.unloaded", limit=0.0, when=_quantized,
        fields=("workload.quantization",),
        message="bitsandbytes offers no 2-bit type; other loaders do, at a cost in quality",
        ok="a maintained loader offers this type",
        source="bitsandbytes documentation: NF4, FP4 and int8; the guide's NF2 does not exist there",
        doc="The guide puts a 70B on a 24 GB card with NF2, which no maintained trainer loads.",
    ),
)  # fmt: skip
