"""What hosts need: memory by stage, cores, lanes, and how fast memory and PCIe really are."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice

GB = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStates(Choice):
    """Bytes that offloading leaves in host memory, by sharding strategy.

    `states` of each trained parameter over all nodes, `states16` where weights and states are 16-bit;
    `each_gpu` of each trained parameter for every GPU, where that is more.
    """

    states: float
    states16: float
    each_gpu: float = 0.0
    weights: float = 1.0
    """1 where 16-bit weights of trained parameters lie beside the states, 0 where the states hold them."""
    saved: float = 0.0
    """Bytes of a trained parameter that a consolidated save adds on one node (16-bit states)."""
    saved32: float = 0.0


_DEEPSPEED = (
    "DeepSpeed's memory estimators (runtime/zero/stage3.py, stage_1_and_2.py): fp32 weight, two moments and "
    "gradient, 16 B; its allowance for buffers is 1.5"
)

HOST_STATES = (
    HostStates(id="none", states=16, states16=8, weights=0,
               source="torchao CPUOffloadOptimizer, 8B in bf16: 64 GB published; fp32 twice that"),
    HostStates(id="ddp", states=16, states16=8, each_gpu=8, weights=0, source="each rank keeps its own"),
    HostStates(id="zero1", states=16, states16=16, each_gpu=4, source=_DEEPSPEED),
    HostStates(id="zero2", states=16, states16=16, each_gpu=4, source=_DEEPSPEED),
    HostStates(id="zero3", states=16, states16=16, saved=2, saved32=2, source=_DEEPSPEED),
    HostStates(id="fsdp", states=16, states16=8, weights=0, saved=6, saved32=12,
               source="torch FSDP CPUOffload: weights, gradients and two moments in their own dtype; "
               "torchtune 70B on 8 A100 trains within 1 TB and runs out when it saves the full state"),
)  # fmt: skip

BUFFERS = 1.5
"""DeepSpeed's own allowance over the states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading(Choice):
    """Copies of the weights in host memory while they are loaded; `each` counts for every local GPU."""

    once: float
    """Copies a node holds with the stack's defaults, beside `each`."""
    each: float
    """Copies that every local GPU's process holds."""
    worst: float
    """The same where a script loads before it shards."""


_LOAD = "transformers from_pretrained copies shards into host memory; "
LOADING = (
    Loading(id="none", once=0, each=1, worst=1, source=_LOAD + "each process its own"),
    Loading(id="ddp", once=0, each=1, worst=1, source=_LOAD + "each process its own"),
    Loading(id="zero1", once=0, each=1, worst=1, source=_LOAD + "70B on 8 ranks ran out of 800 GB"),
    Loading(id="zero2", once=0, each=1, worst=1, source=_LOAD + "70B on 8 ranks ran out of 800 GB"),
    Loading(id="zero3", once=1, each=0, worst=1,
            source="zero.Init divides while loading; without it, 4 x 140 GB and 8 x 230 GB were reported"),
    Loading(id="fsdp", once=1, each=0, worst=1,
            source="accelerate fsdp_cpu_ram_efficient_loading: rank 0 loads, 560 to 140 GB reported"),
)  # fmt: skip
STREAMED = 10 * GB
"""What a process holds while a quantised base streams to its GPU: two files of 5 GB (transformers shards)."""

SYSTEM = 8 * GB
SYSTEM_MOST = 16 * GB
"""Of the operating system and its services; a desktop session is in the upper one."""
WORKER = 0.5 * GB
WORKER_MOST = 0.8 * GB
"""Resident memory of one data loading process with torch imported (0.3 to 0.8 GB seen)."""
PINNED = 2 * GB
"""Pinned buffers for each GPU that offloads: two buckets of 5e8 elements of 16 bits (DeepSpeed)."""
NVME_BUFFERS = 5 * GB
"""Swap buffers for each GPU with NVMe offload: five of 1e8 elements, fp32, in and out (DeepSpeed)."""

FULL_CHANNEL_BYTES = 8.0
"""Bytes of one transfer on a channel (JEDEC DDR4, DDR5: 64 bits)."""
USABLE_BANDWIDTH = 0.75
"""STREAM triad over the sheet: 0.70 to 0.85 on servers."""
ADAM_BYTES = 29.0
"""Bytes that a fused CPU AdamW moves for a parameter: 28-30; 19-26 measured where memory is slow."""
HOST_LINKS = {3.0: 12e9, 4.0: 25e9, 5.0: 55e9, 6.0: 110e9}
"""Bytes/s each way between host and one GPU over PCIe x16, pinned, by generation (ml-engineering)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed(Choice):
    """Tokens a second that one core prepares."""

    tokens: float


FEEDS = (
    Feed(id="text", tokens=0.75e6,
         source="Hugging Face fast tokenizers 2.5-2.7 MiB/s a core: 0.6-0.9 M tokens/s"),
    Feed(id="images", tokens=7e4, source="120 JPEGs a second a core x 576 tokens; assumed"),
    Feed(id="video", tokens=1e4, source="decoding and scaling frames; assumed"),
)  # fmt: skip
SPARE_CORES = 4.0
"""Cores for the system beside one process and its loaders for each GPU (ml-engineering)."""
LEAST_SPARE_CORES = 2.0

GUIDE_CORES = (32.0, 128.0)
"""The guide's minimum for one GPU and for several."""
