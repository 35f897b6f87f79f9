"""What the figures of hosts are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.engine.tables.host import FEEDS, HOST_STATES
from ftbuild.units import Kind

_DEEPSPEED = HOST_STATES[2].source

_ROWS = (
    FigureSpec("ram.installed", "RAM", Kind.MEMORY, "RAM of a node, as stated", "the build"),
    FigureSpec(
        "ram.needed", "RAM needed", Kind.MEMORY,
        "system + the larger of loading and (offloaded states + saving + pinned buffers + loader workers), "
        "of one node; the upper end allows 1.5 for buffers",
        _DEEPSPEED + "; loading and saving as users report them (tables.host)",
        "page cache, evaluation metrics, preparing the data set",
    ),
    FigureSpec(
        "ram.comfortable", "RAM with buffers", Kind.MEMORY,
        "16 GB system + the larger of loading and (1.5 x offloaded states + saving + buffers + workers)",
        _DEEPSPEED,
    ),
    FigureSpec(
        "ram.load_peak", "RAM while loading", Kind.MEMORY,
        "system + weights x copies on a node; the upper end is a script whose every process loads the model",
        "transformers from_pretrained; accelerate fsdp_cpu_ram_efficient_loading; zero.Init",
        "page cache, which the system gives back",
    ),
    FigureSpec(
        "ram.load_each", "RAM where each loads", Kind.MEMORY, "system + weights x GPUs of a node",
        "reported: 70B on 4 ranks 560 GB, 140 GB once rank 0 alone loads",
    ),
    FigureSpec(
        "ram.ratio", "RAM / VRAM", Kind.RATIO, "RAM / (GPUs a node x memory as labelled)", "arithmetic",
        "of 121 eight-GPU nodes submitted to MLPerf Training v4.0-v5.0 half have 2.34 or more, 1 % have 4",
    ),
    FigureSpec(
        "ram.speed", "RAM speed", Kind.TRANSFERS,
        "as stated, up to what the processor takes with so many modules a channel (desktop parts: up to what "
        "owners reach)",
        "processors' data sheets in the catalog",
    ),
    FigureSpec("ram.speed_stated", "RAM speed, stated", Kind.TRANSFERS, "as stated", "the build"),
    FigureSpec(
        "ram.speed_rated", "RAM speed, rated", Kind.TRANSFERS,
        "of the processor with one module a channel", "processors' data sheets in the catalog",
    ),
    FigureSpec(
        "ram.speed_populated", "RAM speed, populated", Kind.TRANSFERS,
        "of the processor with so many modules a channel", "processors' data sheets in the catalog",
    ),
    FigureSpec(
        "ram.bandwidth", "RAM bandwidth", Kind.RATE, "channels filled x speed x 8 B, of a node", "JEDEC",
        "STREAM reaches 0.70 to 0.85 of it; memory of the other socket half",
    ),
    FigureSpec(
        "ram.unbalanced", "Uneven channels", Kind.COUNT,
        "channels without a module, or with one more than others: modules against channels x sockets",
        "population rules of AMD EPYC and Intel Xeon: all channels alike",
    ),
    FigureSpec("ram.module_size", "Module size", Kind.MEMORY, "RAM / modules", "arithmetic"),
    FigureSpec(
        "ram.module_gap", "Off a module's size", Kind.SHARE, "|RAM / modules - nearest size sold| / size",
        "memory modules of the catalog",
    ),
    FigureSpec(
        "ram.even_gap", "Off an even population", Kind.SHARE,
        "the same for one or two equal modules on each channel, the nearer of the two",
        "memory modules of the catalog",
    ),
    FigureSpec(
        "ram.capacity_max", "RAM at most", Kind.MEMORY, "largest of a socket x sockets",
        "processors' data sheets in the catalog", "boards with fewer slots",
    ),
    FigureSpec("cpu.cores", "CPU cores", Kind.COUNT, "cores x sockets, of a node", "data sheets"),
    FigureSpec(
        "cpu.cores_min", "Cores needed", Kind.COUNT, "GPUs x (loader workers + 1) + 4",
        "ml-engineering, CPU chapter", "CPU optimizers, image decoding, Python-side packing",
    ),
    FigureSpec("cpu.cores_least", "Cores at least", Kind.COUNT, "GPUs + 2", "a process a GPU and the system"),
    FigureSpec(
        "cpu.cores_guide", "Guide's cores", Kind.COUNT, "32 for one GPU, 128 for several",
        "the guide; of 121 eight-GPU nodes submitted to MLPerf Training v4.0-v5.0, 24 % have 128",
    ),
    FigureSpec("cpu.clock", "Base clock", Kind.FREQUENCY, "as the data sheet has it", "data sheets"),
    FigureSpec(
        "cpu.feed", "Tokens prepared / s", Kind.SPEED, "(cores - GPUs) x tokens/s of a core, of a node",
        FEEDS[0].source, "Python code of the user's own",
    ),
    FigureSpec(
        "cpu.feed_need", "Tokens taken / s", Kind.SPEED,
        "tokens of a step / (step - waiting for data) / nodes",
        "figure time.step",
    ),
    FigureSpec(
        "cpu.lanes", "PCIe lanes", Kind.COUNT, "of a node's processors, for devices",
        "processors' data sheets in the catalog", "lanes behind chipsets and switches",
    ),
    FigureSpec(
        "cpu.lanes_needed", "Lanes wanted", Kind.COUNT, "16 a GPU + 16 a network card + 4 an NVMe drive",
        "PCIe CEM; lanes of the catalog's parts",
    ),
    FigureSpec(
        "cpu.gpu_lanes", "Lanes of a GPU", Kind.COUNT,
        "all it takes, or the power of two that is left; GPUs on a board sit behind switches", "PCIe CEM",
    ),
    FigureSpec("cpu.sockets", "Sockets", Kind.COUNT, "as stated", "the build"),
    FigureSpec("cpu.sockets_max", "Sockets at most", Kind.COUNT, "as the data sheet has it", "data sheets"),
    FigureSpec("cpu.claimed", "Processors not sold", Kind.COUNT, "1 where no maker sells it", "the catalog"),
    FigureSpec("gpu.claimed", "GPUs not sold", Kind.COUNT, "1 where no maker sells it", "the catalog"),
    FigureSpec("model.claimed", "Models not published", Kind.COUNT, "1 where nobody did", "the catalog"),
)  # fmt: skip

SPECS = {spec.id: spec for spec in _ROWS}
