"""Rules on host memory, processors and lanes, each judged for one node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import light, number, one_of, stated
from ftbuild.engine.tables.host import HOST_STATES

if TYPE_CHECKING:
    from ftbuild.catalog.parts import Gpu

GUIDE = "SIVARO fine-tuning hardware guide, July 2026"
_MLPERF = "; of 121 eight-GPU nodes in MLPerf Training v4.0-v5.0"
_SHEET = "processors' data sheets in the catalog"
_STATES = HOST_STATES[2].source


def _apart(c: Columns, done: Figures) -> Any:
    """Unified memory has no RAM of its own; nothing is judged that nobody stated."""
    return (done["ram.needed"].value > 0) & (number(c, "hardware.ram") > 0)


def _loads(_: Columns, done: Figures) -> Any:
    needed = done["ram.needed"].value <= done["ram.installed"].value
    return needed & (done["ram.load_each"].value > done["ram.load_peak"].value)


def _fits(_: Columns, done: Figures) -> Any:
    return done["ram.needed"].value <= done["ram.installed"].value


def _rated(_: Columns, done: Figures) -> Any:
    return done["ram.speed_stated"].value <= done["ram.speed_rated"].value


def _speeds(c: Columns, _: Figures) -> Any:
    return (number(c, "hardware.ram_speed") > 0) & (stated(c, "hardware.cpu") > 0)


def _modules(c: Columns, _: Figures) -> Any:
    return number(c, "hardware.ram_modules") > 0


def _channels(c: Columns, _: Figures) -> Any:
    return (number(c, "hardware.ram_modules") > 0) & (stated(c, "hardware.cpu") > 0)


def _uncounted(c: Columns, _: Figures) -> Any:
    """Bought memory whose modules nobody counted; rented machines show a share of theirs."""
    some = (number(c, "hardware.ram") > 0) & (stated(c, "hardware.cpu") > 0) & (stated(c, "cost.rent") == 0)
    return some & np.isnan(number(c, "hardware.ram_modules"))


def _cpu(c: Columns, _: Figures) -> Any:
    return stated(c, "hardware.cpu") > 0


def _clock(c: Columns, _: Figures) -> Any:
    """Asked for alone: the guide's own processors fail it."""
    asked = "cpu.clock" in c.build.limits or str(c.build.limits.get("profile", "")).casefold() == "guide"
    return (stated(c, "hardware.cpu") > 0) & asked


def _no_slots(gpu: Gpu) -> float:
    return float(gpu.form in ("sxm", "oam", "unified"))


def _slots(c: Columns, _: Figures) -> Any:
    without = light(c.fact("no slots", "hardware.gpu", _no_slots))
    return (stated(c, "hardware.cpu") > 0) & (without == 0)


def _sharded(c: Columns, done: Figures) -> Any:
    sharded = one_of(c, "hardware.sharding", "zero2", "zero3", "fsdp") > 0
    tensor = number(c, "hardware.tensor_parallel") > 1
    return _slots(c, done) & (sharded | tensor) & (number(c, "hardware.gpus_per_node") > 1)


HOST: tuple[Rule, ...] = (
    Rule(
        id="ram.needed", title="RAM", severity=Severity.VIOLATION, figure="ram.needed", limit="ram.installed",
        when=_apart, fields=("hardware.ram", "hardware.offload", "hardware.sharding", "workload.optimizer"),
        message="a node needs {value} of host memory and has {limit}: {margin} short",
        ok="{value} of {limit} in a node", source=_STATES,
        doc="Loading, offloaded states, saving and loaders must fit the memory of each node.",
    ),
    Rule(
        id="ram.comfortable", title="RAM with buffers", severity=Severity.WARNING, figure="ram.comfortable",
        limit="ram.installed", when=lambda c, done: _apart(c, done) & _fits(c, done),
        fields=("hardware.ram", "hardware.offload"),
        message="tight: with buffers it may take {value} of {limit}", ok="{value} with buffers, of {limit}",
        source=_STATES, doc="DeepSpeed allows 1.5 times the states for buffers.",
    ),
    Rule(
        id="ram.load", title="Loading in each process", severity=Severity.WARNING, figure="ram.load_each",
        limit="ram.installed", when=lambda c, done: _apart(c, done) & _loads(c, done),
        fields=("hardware.ram", "hardware.sharding"),
        message="where every process loads the model, loading takes {value} of {limit}; let rank 0 load, or "
        "divide while loading",
        ok="{value} even where every process loads the model",
        source="reported: 8 ranks of 70B in 1 TB, 4 ranks 560 GB; accelerate fsdp_cpu_ram_efficient_loading",
        doc="Scripts that load before they shard keep one copy for each GPU in host memory.",
    ),
    Rule(
        id="ram.ratio", title="RAM over VRAM", severity=Severity.VIOLATION, figure="ram.ratio",
        sense="at_least", limit=2.0, when=_apart, guide=True, need="ram.needed", fields=("hardware.ram",),
        message="RAM is {value} of the GPUs' memory, the guide wants {limit}",
        ok="{value} of the GPUs' memory", source=GUIDE + _MLPERF + " 53 % have it; a DGX B200 has 1.4",
        doc="The guide's minimum; the computed need decides.",
    ),
    Rule(
        id="ram.ratio_better", title="RAM over VRAM, better", severity=Severity.NOTICE, figure="ram.ratio",
        sense="at_least", limit=4.0, when=_apart, fields=("hardware.ram",),
        message="RAM is {value} of the GPUs' memory, the guide calls {limit} better",
        ok="{value} of the GPUs' memory", source=GUIDE + _MLPERF + " 1 % have it",
        doc="The guide's better figure.",
    ),
    Rule(
        id="ram.speed", title="RAM speed", severity=Severity.WARNING, figure="ram.speed_stated",
        limit="ram.speed_rated", when=_speeds, fields=("hardware.ram_speed", "hardware.cpu"),
        message="{value} on a processor that takes {limit}: it runs at that, or is overclocked",
        ok="{value}, the processor takes {limit}", source=_SHEET,
        doc="Modules faster than the processor's rating run at the rating.",
    ),
    Rule(
        id="ram.dpc", title="Two modules a channel", severity=Severity.NOTICE, figure="ram.speed_stated",
        limit="ram.speed_populated", when=lambda c, done: _speeds(c, done) & _rated(c, done),
        fields=("hardware.ram_modules", "hardware.ram_speed"),
        message="with two modules a channel memory runs at {limit}, not {value}",
        ok="{value} with so many modules a channel", source=_SHEET,
        doc="A second module on a channel slows all of it.",
    ),
    Rule(
        id="ram.channels", title="Memory channels", severity=Severity.WARNING, figure="ram.unbalanced",
        limit=0.0, when=_channels, fields=("hardware.ram_modules",),
        message="{value} channels are empty or hold one module more than others",
        ok="all channels hold alike", source="population rules of AMD EPYC and Intel Xeon",
        doc="Bandwidth falls by the share of channels that are empty; uneven ones interleave badly.",
    ),
    Rule(
        id="ram.modules", title="Module size", severity=Severity.VIOLATION, figure="ram.module_gap",
        limit=0.01, when=_modules, fields=("hardware.ram_modules", "hardware.ram"),
        message="equal modules would each be {value} off any size that is sold",
        ok="equal modules of a size that is sold", source="memory modules of the catalog",
        doc="1 TB does not divide into 24 modules: 24 x 48 GB is 1,152 GB, 16 x 64 GB leaves channels empty.",
    ),
    Rule(
        id="ram.even", title="Even population", severity=Severity.WARNING, figure="ram.even_gap", limit=0.01,
        when=_uncounted, fields=("hardware.ram", "hardware.ram_modules"),
        message="no one or two equal modules on every channel give this size ({value} off)",
        ok="one or two equal modules on every channel give this size", source="memory modules of the catalog",
        doc="Twelve channels want multiples of 12 modules: 768 GB, 1,152 GB, 1,536 GB and so on.",
    ),
    Rule(
        id="ram.capacity", title="RAM at most", severity=Severity.VIOLATION, figure="ram.installed",
        limit="ram.capacity_max", when=_cpu, fields=("hardware.ram", "hardware.cpu", "hardware.sockets"),
        message="{value} where the processors take {limit}", ok="{value} of {limit} at most", source=_SHEET,
        doc="Memory beyond what the processors address is not seen.",
    ),
    Rule(
        id="cpu.cores_least", title="A core for each process", severity=Severity.VIOLATION,
        figure="cpu.cores",
        sense="at_least", limit="cpu.cores_least", when=_cpu, fields=("hardware.cpu", "hardware.sockets"),
        message="{value} cores for processes that need {limit}", ok="{value} cores, at least {limit}",
        source="one process a GPU and two cores for the system",
        doc="Below one core a process, GPUs wait for their own launches.",
    ),
    Rule(
        id="cpu.cores_min", title="CPU cores needed", severity=Severity.WARNING, figure="cpu.cores",
        sense="at_least", limit="cpu.cores_min", when=_cpu,
        fields=("hardware.cpu", "hardware.sockets", "workload.dataloader_workers"),
        message="{value} cores where processes and their loaders want {limit}",
        ok="{value} cores, {limit} wanted", source="ml-engineering, CPU chapter: GPUs x (workers + 1) + 4",
        doc="Processes and loader workers without a core of their own thrash.",
    ),
    Rule(
        id="cpu.cores", title="CPU cores", severity=Severity.VIOLATION, figure="cpu.cores", sense="at_least",
        limit="cpu.cores_guide", when=_cpu, guide=True, need="cpu.cores_least",
        fields=("hardware.cpu", "hardware.sockets"),
        message="{value} cores, the guide wants {limit}", ok="{value} cores, the guide wants {limit}",
        source=GUIDE + _MLPERF + " 24 % have 128; a DGX H100 has 112",
        doc="The guide's minimum: 32 cores for one GPU, 128 for several.",
    ),
    Rule(
        id="cpu.clock", title="Base clock", severity=Severity.VIOLATION, figure="cpu.clock", sense="at_least",
        limit=4.0e9, when=_clock, guide=True, fields=("hardware.cpu",),
        message="base clock {value}, the guide wants {limit}; its own examples have 2.4 and 1.9 GHz",
        ok="base clock {value}", source=GUIDE + "; contradicted by " + _SHEET,
        doc="The guide's rule; launch-bound small models profit from boost clock, others from neither.",
    ),
    Rule(
        id="cpu.feed", title="Feeding the GPUs", severity=Severity.VIOLATION, figure="cpu.feed",
        sense="at_least", limit="cpu.feed_need", warn=0.5, when=_cpu,
        fields=("hardware.cpu", "hardware.sockets", "workload.data"),
        message="cores prepare {value}, the GPUs take {limit}",
        ok="cores prepare {value}, the GPUs take {limit}",
        source="Hugging Face fast tokenizers, 0.6-0.9 M tokens/s a core",
        doc="Tokenising and decoding must keep up; for text a few cores do.",
    ),
    Rule(
        id="cpu.lanes", title="PCIe lanes", severity=Severity.WARNING, figure="cpu.lanes_needed",
        limit="cpu.lanes", when=_slots,
        fields=("hardware.gpus_per_node", "hardware.cpu", "network.links_per_node"),
        message="GPUs, network cards and drives want {value} lanes, the processors have {limit}",
        ok="{value} of {limit} lanes", source=_SHEET,
        doc="Beyond the processors' lanes GPUs run at x8 or x4, or need switches. Boards bring their own.",
    ),
    Rule(
        id="cpu.gpu_lanes", title="Lanes of a GPU", severity=Severity.WARNING, figure="cpu.gpu_lanes",
        sense="at_least", limit=16.0, when=_sharded, fields=("hardware.cpu", "hardware.sharding"),
        message="each GPU gets x{value}; sharded or tensor-parallel training lives from the full x16",
        ok="each GPU gets x{value}", source=_SHEET,
        doc="Plain data parallelism with adapters does not mind narrow slots; sharding does.",
    ),
    Rule(
        id="cpu.sockets", title="Sockets", severity=Severity.VIOLATION, figure="cpu.sockets",
        limit="cpu.sockets_max", when=_cpu, fields=("hardware.sockets", "hardware.cpu"),
        message="{value} sockets of a processor made for {limit}", ok="{value} of {limit} sockets",
        source=_SHEET, doc="Desktop and P-series server processors are for one socket.",
    ),
    Rule(
        id="cpu.claimed", title="Processor exists", severity=Severity.WARNING, figure="cpu.claimed",
        limit=0.0,
        fields=("hardware.cpu",),
        message="no such processor is sold; its figures are those of the nearest real one (explain "
        "cpu.claimed)",
        ok="a processor that is sold", source=_SHEET,
        doc="EPYC 9684 is the 96-core 9684X, not one of 128 cores.",
    ),
    Rule(
        id="gpu.claimed", title="GPU exists", severity=Severity.WARNING, figure="gpu.claimed", limit=0.0,
        fields=("hardware.gpu",),
        message="no such GPU is sold; its figures are those of the nearest real one (explain gpu.claimed)",
        ok="a GPU that is sold", source="data sheets in the catalog", doc="An M4 Ultra was never sold.",
    ),
    Rule(
        id="model.claimed", title="Model exists", severity=Severity.NOTICE, figure="model.claimed", limit=0.0,
        fields=("workload.model",),
        message="no such model was published; its shape is that of the nearest (explain model.claimed)",
        ok="a published model", source="the publishers' pages", doc="405B came with Llama 3.1, and is dense.",
    ),
)  # fmt: skip
