"""Coefficients of storage: RAID levels, shared file systems, checkpoint writers, failures."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Raid(Choice):
    """An array of n equal drives, each figure as n x `per_drive` + `fixed` drives' worth."""

    read: float
    read_fixed: float
    write: float
    write_fixed: float
    capacity: float
    capacity_fixed: float
    read_reached: float
    """Of the sum of data sheets that software reaches in reading."""
    read_low: float
    write_reached: float
    survives: float
    """Drives that may fail for sure."""


_ARRAYS = (
    "levels as of SNIA's Common RAID Disk Data Format; reached shares: DeepSpeed's DeepNVMe on arrays of "
    "four and eight drives (Gen4 0.9, Gen5 0.5 to 0.9 of the data sheets), mdadm"
)
RAID = (
    Raid(id="none", read=0, read_fixed=1, write=0, write_fixed=1, capacity=1, capacity_fixed=0,
         read_reached=1, read_low=1, write_reached=1, survives=0,
         source="drives used one at a time: a file lies on one of them"),
    Raid(id="0", read=1, read_fixed=0, write=1, write_fixed=0, capacity=1, capacity_fixed=0,
         read_reached=0.9, read_low=0.48, write_reached=0.85, survives=0, source=_ARRAYS),
    Raid(id="1", read=1, read_fixed=0, write=0, write_fixed=1, capacity=0, capacity_fixed=1,
         read_reached=0.9, read_low=0.48, write_reached=0.85, survives=1, source=_ARRAYS),
    Raid(id="10", read=1, read_fixed=0, write=0.5, write_fixed=0, capacity=0.5, capacity_fixed=0,
         read_reached=0.9, read_low=0.48, write_reached=0.85, survives=1, source=_ARRAYS),
    Raid(id="5", read=1, read_fixed=-1, write=1, write_fixed=-1, capacity=1, capacity_fixed=-1,
         read_reached=0.9, read_low=0.48, write_reached=0.5, survives=1,
         source=_ARRAYS + "; parity in software: 231 of 687 MB/s written, four SATA drives"),
    Raid(id="6", read=1, read_fixed=-2, write=1, write_fixed=-2, capacity=1, capacity_fixed=-2,
         read_reached=0.9, read_low=0.48, write_reached=0.5, survives=2,
         source=_ARRAYS + "; parity in software: 209 of 687 MB/s written, four SATA drives"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Choice):
    """A file system over the network. Flags are 0 or 1."""

    networked: float
    link: float
    """Of the links' line rate that its clients reach."""
    striped: float = 0.0
    """Files are spread over all drives."""
    discouraged: float = 0.0
    """The guide advises against it for training data."""


SHARED = (
    Shared(id="none", networked=0, link=1, source="local drives"),
    Shared(id="nfs", networked=1, link=0.7, discouraged=1,
           source="ml-engineering: fit for few large files, bad for many small ones; rate reached recalled"),
    Shared(id="cifs", networked=1, link=0.5, discouraged=1, source="as NFS, slower; rate reached recalled"),
    Shared(id="lustre", networked=1, link=0.85, striped=1,
           source="ml-engineering: parallel file systems fit training; rate reached recalled"),
    Shared(id="juicefs", networked=1, link=0.7, striped=1,
           source="object storage behind a cache: first reads are slow; rate reached recalled"),
    Shared(id="minio", networked=1, link=0.7, striped=1,
           source="an object store, not a file system; rate reached recalled"),
)  # fmt: skip

LANE = 8e9 * 128 / 130 / 8
"""Bytes/s of one PCIe 3 lane after 128b/130b; it doubles with each generation."""
LINK_REACHED = 0.92
"""Of a drive's PCIe link that packets leave for data."""
SHEET_MOST = 0.95
"""A stated rate above this share of the link cannot be right."""

WIDE_VOCABULARY = 65_536
"""Token ids of larger vocabularies take 4 bytes, else 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer(Choice):
    """How checkpoints leave a process."""

    rate: float
    """Bytes/s of one writing process."""


SERIAL = Writer(id="torch.save", rate=0.75e9, source="torch.save by one process: 0.5 to 1 GB/s (recalled)")
PARALLEL = Writer(id="sharded", rate=2.5e9, source="each rank writes its shard; JeanZay: 2.3 TB in 40 s from "
                  "384 processes, storage-bound; rate of one process recalled")  # fmt: skip
LOAD_RATE = 2e9
"""Bytes/s that one process loads safetensors with: 1 to 3 GB/s (recalled)."""
COPY_RATE = 25e9
"""Bytes/s of one GPU's copy to host memory over PCIe 5 (25 to 50); an asynchronous save stalls for that."""

FINAL_BYTES = 2.0
"""bf16 of the final, merged model."""

GPU_HOURS_BETWEEN_FAILURES = 50_700.0
"""Llama 3: 419 unexpected interruptions in 54 days on 16,384 H100 (2407.21783)."""
LONGEST_BETWEEN_FAILURES = 720.0
"""Hours: people, power and preemption stop small rigs before GPUs do; an assumption."""
RESTART = 300.0
"""Seconds from an interruption to training again, loading apart."""

FILL = 0.9
"""Share of an array that should be used."""

OFFLOAD_READ, OFFLOAD_WRITE = 12.0, 14.0
"""Bytes per trained parameter and optimizer step of NVMe offload: fp32 weights and two moments, plus
gradients (ZeRO-Infinity, 2104.07857)."""
OFFLOAD_PASSES = 3.0
"""Times that offloaded parameters are read in a micro-batch: forward, recomputation, backward."""

DAYS_PER_YEAR, WEEK_HOURS = 365.25, 168.0
LONGEST_LIFE = 1000.0
"""Years; what is written so little that a drive would last longer is said to last that long."""
