"""What the figures of storage are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.units import Kind

_ZERO_INFINITY = "ZeRO-Infinity, 2104.07857"
_ARRAY = "data sheets; PCIe lanes after 128b/130b; DeepSpeed's DeepNVMe on arrays (tables.storage.RAID)"
_FAILURES = "Llama 3: 419 interruptions in 54 days on 16,384 H100 (2407.21783); at most 720 h, an assumption"

READ = FigureSpec(
    "storage.read",
    "Data read",
    Kind.RATE,
    "drives read at once x rate of one x share reached, no more than the links; measured rates win",
    _ARRAY,
    "page cache, which serves every pass after the first of a set that fits RAM",
)
READ_NEED = FigureSpec(
    "storage.read_need",
    "Read need",
    Kind.RATE,
    "tokens / s of a node x bytes / token",
    "the GPUs' own pace (time.compute); the data set's size over its tokens, or token ids",
    "tokens that the page cache serves: the need holds for every pass",
)
RANDOM = FigureSpec(
    "storage.random_read",
    "Random read",
    Kind.IOPS,
    "drives' worth x 4 KiB reads / s of one; a measured figure wins",
    "data sheets",
    "deep queues: a single job at QD64 stops at 64 / latency, about 1 M at 65 us",
)
RANDOM_NEED = FigureSpec(
    "storage.random_read_need",
    "Random read need",
    Kind.IOPS,
    "samples / s of a node, one read each",
    "packed or memory-mapped sets read a sample at once",
    "many small files a sample",
)
WRITE = FigureSpec(
    "storage.write",
    "Checkpoint write",
    Kind.RATE,
    "least of drives' worth x rate of one x share reached and what the writing processes give",
    _ARRAY + "; rates of processes in tables.storage",
)
CAPACITY = FigureSpec(
    "storage.capacity",
    "Data capacity",
    Kind.STORAGE,
    "0.9 x drives' worth x capacity of one",
    "RAID levels; a tenth stays free",
)
SPACE = FigureSpec(
    "storage.space_need",
    "Data space",
    Kind.STORAGE,
    "data set + base model + checkpoints where they share the drives + offloaded states",
    "arithmetic",
    "caches of tokenised sets, environments, images",
)
STAGE = FigureSpec(
    "storage.stage_time",
    "Staging",
    Kind.DURATION,
    "data set / least of shared read and local write; 0 for local data",
    "arithmetic",
)
STAGE_SHARE = FigureSpec(
    "storage.stage_share", "Staging / run", Kind.SHARE, "staging / run on the GPUs", "arithmetic"
)
LOAD = FigureSpec(
    "storage.load_time",
    "Model load",
    Kind.DURATION,
    "2 B x parameters / least of read and GPUs x 2 GB/s",
    "safetensors: 1 to 3 GB/s a process (recalled)",
    "each process reading all of it, which the page cache serves from the second on; quantising",
)
CLAIMED = FigureSpec(
    "storage.claimed",
    "Drives that nobody makes",
    Kind.COUNT,
    "1 each for data and checkpoint drives",
    "the catalog's claimed rows",
)
SHEET = FigureSpec(
    "storage.sheet",
    "Data sheet over link",
    Kind.SHARE,
    "stated read / PCIe link",
    "PCIe: 0.985 GB/s a lane of generation 3, doubling",
)
SHARED = FigureSpec(
    "storage.shared_fs",
    "Discouraged file system",
    Kind.COUNT,
    "1 for training data read over NFS or CIFS",
    "the guide; ml-engineering",
)
SATA = FigureSpec(
    "storage.sata",
    "SATA under load",
    Kind.COUNT,
    "1 where images, video or offload sit on drives without PCIe",
    "data sheets: 0.55 GB/s a drive",
)
CACHE = FigureSpec("storage.cached", "Data set", Kind.STORAGE, "size on disk", "the build")
RAM_FREE = FigureSpec("storage.cache_room", "Page cache", Kind.STORAGE, "half of the RAM", "habit")
SIZE = FigureSpec(
    "checkpoint.size",
    "Checkpoint",
    Kind.STORAGE,
    "trained parameters x (weight + optimizer states), frozen base left out",
    "MLPerf Storage v2: 14 B a parameter; optimizer tables of the memory model",
    "scheduler, random states and the tokenizer: megabytes",
)
WRITE_TIME = FigureSpec(
    "checkpoint.write_time",
    "Checkpoint write",
    Kind.DURATION,
    "share of a node / write rate, slower beyond the cache of consumer drives",
    "arithmetic on data sheets",
    "pickling, and a gather to rank 0",
)
STALL = FigureSpec(
    "checkpoint.stall",
    "Checkpoint stall",
    Kind.SHARE,
    "waiting / interval; asynchronous saves wait for their copy to RAM only",
    "PyTorch and IBM: 148.8 to 6.3 s on a 7B by asynchronous saving",
)
SHARE = FigureSpec(
    "checkpoint.node_share",
    "Checkpoint of a node",
    Kind.STORAGE,
    "size / nodes where shards are written, else all of it",
    "sharded saving of FSDP, ZeRO and Megatron",
)
FAST = FigureSpec(
    "checkpoint.cache",
    "Drives' fast cache",
    Kind.STORAGE,
    "cache of one drive x drives that are written at once; all of them where no cache is known",
    "data sheets and reviews of consumer drives",
)
RESTORE = FigureSpec(
    "checkpoint.restore_time",
    "Restore",
    Kind.DURATION,
    "(share of a node + 2 B x parameters) / read rate",
    "arithmetic",
    "starting the processes, which checkpoint.waste counts with 5 minutes",
)
ODD = FigureSpec(
    "storage.odd_drives",
    "Drives without a mirror",
    Kind.COUNT,
    "1 for each RAID 10 of an odd number of drives",
    "RAID levels",
)
INTERVAL = FigureSpec("checkpoint.interval", "Interval", Kind.DURATION, "as stated", "the build")
BEST = FigureSpec(
    "checkpoint.interval_best",
    "Best interval",
    Kind.DURATION,
    "sqrt(2 x waiting x between interruptions)",
    "Young 1974; " + _FAILURES,
    "Daly's correction, which matters where a save takes half of M",
)
OFF = FigureSpec(
    "checkpoint.interval_off",
    "Interval over the best",
    Kind.RATIO,
    "larger of the two over the smaller",
    "Young 1974",
)
WASTE = FigureSpec(
    "checkpoint.waste",
    "Time lost",
    Kind.SHARE,
    "waiting / interval + (interval / 2 + restart) / between interruptions",
    "Young 1974; " + _FAILURES,
)
NEED = FigureSpec(
    "checkpoint.space_need",
    "Checkpoint space",
    Kind.STORAGE,
    "share of a node x (kept + 1) + final model of 2 B a parameter",
    "a new one is written before the oldest goes",
)
ROOM = FigureSpec(
    "checkpoint.space",
    "Room for checkpoints",
    Kind.STORAGE,
    "0.9 x capacity, less the data set and the base where they share the drives",
    "arithmetic",
)
COPY = FigureSpec(
    "checkpoint.copy",
    "Copy in RAM",
    Kind.MEMORY,
    "share of a node, held until an asynchronous save has ended",
    "arithmetic",
)
COPY_ROOM = FigureSpec("checkpoint.copy_room", "Room for the copy", Kind.MEMORY, "half of the RAM", "habit")
UNSAFE = FigureSpec(
    "checkpoint.unsafe",
    "Drives without a spare",
    Kind.COUNT,
    "drives whose loss takes the checkpoints, 0 for one drive or where one may fail",
    "RAID levels",
)
WEAR = FigureSpec(
    "storage.wear_life",
    "Drive life",
    Kind.YEARS,
    "rated writes of a drive / written to it in a year, at most 1,000",
    "endurance of data sheets (TBW, else DWPD over the warranty)",
    "other writes; write amplification, near 1 for large files",
)
OFFLOAD = FigureSpec(
    "storage.offload_bytes",
    "Offload traffic",
    Kind.STORAGE,
    "bytes of a node and step: 26 x trained + 6 x parameters x micro-batches",
    _ZERO_INFINITY,
    "activations",
)
OFFLOAD_TIME = FigureSpec(
    "storage.offload_time",
    "Offload I/O",
    Kind.DURATION,
    "read / read rate + written / write rate of a step",
    _ZERO_INFINITY,
    "overlap",
)
OFFLOAD_SHARE = FigureSpec(
    "storage.offload_share",
    "Offload I/O / compute",
    Kind.SHARE,
    "I/O of a step / its computation",
    "time.compute",
)
OFFLOAD_LIFE = FigureSpec(
    "storage.offload_life",
    "Drive life under offload",
    Kind.YEARS,
    "rated writes of a drive / written to it in a year, at most 1,000",
    _ZERO_INFINITY + "; endurance of data sheets",
)
