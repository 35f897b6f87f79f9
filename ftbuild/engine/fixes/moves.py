"""What can be done about a finding: one row a move, from the least to the most that it disturbs a run.

A move proposes changes of keys, as typed in a file, the mildest first; whether one clears anything is not its
business: `ftbuild.engine.fixes.search` evaluates every proposal and keeps what works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ftbuild.engine.fixes import host, memory, power, storage, work
from ftbuild.engine.fixes.site import Site

Changes = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One thing that people change."""

    id: str
    title: str
    """For `str.format` with the last words of the changed keys, each as it will be."""
    helps: tuple[str, ...]
    """First parts of the ids of the rules that it can clear."""
    disturbs: int
    """0: nobody notices; 100: it is another run, or another rig."""
    tries: Callable[[Site], Iterable[Changes]]
    buys: bool = False
    """It needs parts that the rig does not have."""


_VRAM = ("vram.",)
_STATES = (
    "vram.",
    "ram.needed",
    "ram.comfortable",
    "ram.load",
    "checkpoint.",
    "storage.wear",
    "storage.offload",
)
_RAM = ("ram.needed", "ram.comfortable", "ram.load", "ram.ratio", "ram.capacity", "checkpoint.copy")
_POPULATION = ("ram.channels", "ram.modules", "ram.even", "ram.dpc", "ram.capacity")
_PROCESSOR = (
    "cpu.cores",
    "cpu.clock",
    "cpu.feed",
    "cpu.lanes",
    "cpu.gpu_lanes",
    "cpu.sockets",
    "ram.capacity",
)
_READ = ("storage.read", "storage.random_read", "storage.stage", "storage.offload", "storage.capacity")
_LAST = ("storage.wear", "storage.offload_wear", "storage.sata", "storage.sheet")
_SAVE = ("checkpoint.",)
_SUPPLY = ("power.psu", "power.spike", "power.cord", "power.feed_loss", "power.efficiency", "power.low_line")
_DRAW = ("power.psu", "power.spike", "power.cord", "power.feed_loss", "power.circuit", "power.rack",
         "power.cooling", "cost.power_cooling")  # fmt: skip

MOVES: tuple[Move, ...] = (
    # the run: kernels and what is kept
    Move(id="flash-attention", title="Use the {attention} attention kernel", helps=_VRAM, disturbs=4,
         tries=work.attention),
    Move(id="checkpointing", title="Compute activations again in the backward pass "
         "({checkpointing} checkpointing)", helps=_VRAM, disturbs=10, tries=work.checkpointing),
    Move(id="display", title="Free the card of displays and other processes", helps=_VRAM, disturbs=12,
         tries=work.free_card),
    Move(id="double-quantization", title="Quantise the quantisation constants too", helps=_VRAM, disturbs=14,
         tries=work.double_quantization),
    Move(id="packing", title="Pack short samples into full sequences", helps=("vram.", "time.padding"),
         disturbs=16, tries=work.packing),
    Move(id="fused-loss", title="Compute the loss in pieces ({loss}), so that logits are never whole",
         helps=_VRAM, disturbs=18, tries=work.loss),
    Move(id="micro-batch", title="Take micro batches of {micro_batch} and accumulate "
         "{gradient_accumulation}: the global batch stays", helps=_VRAM, disturbs=20, tries=work.micro_batch),
    Move(id="larger-micro-batch", title="Take micro batches of {micro_batch} and accumulate "
         "{gradient_accumulation}: the global batch stays", helps=("time.small_batch", "time.offload"),
         disturbs=8, tries=work.larger_micro_batch),
    Move(id="small-optimizer", title="Keep the optimizer's states in {optimizer}", helps=_STATES, disturbs=30,
         tries=work.optimizer),
    Move(id="adapter-dtype", title="Keep adapters in {adapter_precision}", helps=_VRAM, disturbs=34,
         tries=work.adapter_precision),
    Move(id="base-type", title="Keep the base in {quantization}", helps=_VRAM, disturbs=40,
         tries=work.base_type),
    Move(id="precision", title="Train in {precision}", helps=_STATES, disturbs=46, tries=work.precision),
    # the run: how it is spread
    Move(id="shard", title="Divide the states over the GPUs ({sharding})", helps=_STATES, disturbs=36,
         tries=work.sharding),
    Move(id="replicate", title="Keep the weights whole on each GPU ({sharding})", helps=("network.", "time."),
         disturbs=32, tries=work.replicas),
    Move(id="context-parallel", title="Split each sequence over {context_parallel} GPUs", helps=_VRAM,
         disturbs=44, tries=work.context_parallel),
    Move(id="tensor-parallel", title="Split layers over {tensor_parallel} GPU(s)",
         helps=("network.tensor_scope",), disturbs=44, tries=work.tensor_parallel),
    Move(id="offload-activations", title="Keep checkpointed activations in RAM", helps=_VRAM, disturbs=48,
         tries=work.offload_activations),
    Move(id="offload", title="Keep {offload} off the GPU", helps=_VRAM, disturbs=50, tries=work.offload),
    Move(id="no-offload", title="Offload less: {offload}", helps=(*_RAM, "time.offload", "storage.offload"),
         disturbs=50, tries=work.no_offload),
    # another run
    Move(id="rank", title="Take adapters of rank {rank}", helps=_STATES, disturbs=56, tries=work.rank),
    Move(id="adapters", title="Train adapters instead of every weight ({method})", helps=_STATES, disturbs=60,
         tries=work.adapters),
    Move(id="quantize", title="Keep the frozen base in 4 bits ({method})", helps=_STATES, disturbs=64,
         tries=work.quantize),
    Move(id="sequence", title="Cut sequences at {sequence_length} tokens", helps=_VRAM, disturbs=80,
         tries=work.sequence),
    # GPUs
    Move(id="real-part", title="Take what exists: {parts}",
         helps=("gpu.", "cpu.claimed", "cpu.sockets", "model.", "storage.claimed", "network."), disturbs=6,
         tries=host.real_parts),
    Move(id="gpu-link", title="Link the GPUs as they can be linked",
         helps=("network.nvlink", "network.switch", "network.board", "gpu."), disturbs=6,
         tries=host.gpu_link),
    Move(id="gpus", title="Use {gpus_per_node} GPUs a node", helps=("vram.", "network.board"), disturbs=82,
         tries=host.gpus, buys=True),
    Move(id="gpu", title="Use {gpu}", helps=("vram.", "network.nvlink_need", "network.board"),
         disturbs=84, tries=host.gpu,
         buys=True),
    Move(id="nodes", title="Use {nodes} nodes", helps=("vram.",), disturbs=86, tries=host.nodes, buys=True),
    # processors and memory
    Move(id="workers", title="Run {dataloader_workers} loader process(es) a GPU",
         helps=("cpu.cores", "cpu.feed", "ram.needed", "ram.comfortable"), disturbs=3, tries=host.workers),
    Move(id="ram-speed", title="Run the RAM at {ram_speed}, which the processor is rated for",
         helps=("ram.speed", "ram.dpc"), disturbs=4, tries=memory.speed),
    Move(id="ram-modules", title="Fit {ram} in {ram_modules} modules, every channel alike", helps=_POPULATION,
         disturbs=20, tries=memory.modules, buys=True),
    Move(id="ram", title="Fit {ram} of RAM{in_modules}", helps=_RAM, disturbs=22, tries=memory.more,
         buys=True),
    Move(id="cpu", title="Use {cpu}", helps=_PROCESSOR, disturbs=40, tries=host.cpu, buys=True),
    Move(id="sockets", title="Use {sockets} processor(s) a node", helps=_PROCESSOR, disturbs=42,
         tries=host.sockets, buys=True),
    Move(id="platform", title="Build on {cpu}, with {ram} in {ram_modules} modules",
         helps=(*_PROCESSOR, "ram.needed", "ram.ratio"),
         disturbs=58, tries=memory.platform, buys=True),
    # storage
    Move(id="stage", title="Copy shared data to local drives before training", helps=("storage.shared",),
         disturbs=8, tries=storage.stage),
    Move(id="data-raid", title="Arrange the data drives as RAID {data_raid}",
         helps=(*_READ, "checkpoint.unsafe", "checkpoint.write"), disturbs=18, tries=storage.data_raid),
    Move(id="data-drives", title="Use {data_drives} data drives as RAID {data_raid}", helps=(*_READ, *_LAST),
         disturbs=24, tries=storage.data_drives, buys=True),
    Move(id="data-drive", title="Keep data on {data_drive}", helps=(*_READ, *_LAST), disturbs=28,
         tries=storage.data_drive, buys=True),
    Move(id="shared", title="Serve shared data from {shared}", helps=("storage.shared", "storage.read"),
         disturbs=38, tries=storage.shared, buys=True),
    Move(id="async-checkpoint", title="Write checkpoints in the background", helps=_SAVE, disturbs=5,
         tries=storage.in_background),
    Move(id="sync-checkpoint", title="Write checkpoints while training waits", helps=_RAM, disturbs=15,
         tries=storage.in_foreground),
    Move(id="checkpoints-kept", title="Keep {checkpoints_kept} checkpoint(s)", helps=_SAVE, disturbs=10,
         tries=storage.kept),
    Move(id="checkpoint-interval", title="Save every {checkpoint_every}", helps=(*_SAVE, "storage.wear"),
         disturbs=12, tries=storage.interval),
    Move(id="checkpoint-drives", title="Use {checkpoint_drives} checkpoint drives as RAID {checkpoint_raid}",
         helps=(*_SAVE, "storage.wear"), disturbs=26, tries=storage.checkpoint_drives, buys=True),
    Move(id="checkpoint-drive", title="Write checkpoints to drives of their own: {checkpoint_drive}",
         helps=(*_SAVE, "storage.wear"), disturbs=28, tries=storage.checkpoint_drive, buys=True),
    # between nodes
    Move(id="links", title="Use {links_per_node} links a node", helps=("network.",), disturbs=30,
         tries=storage.links, buys=True),
    Move(id="switching", title="Switch at full rate, without oversubscription", helps=("network.",),
         disturbs=32, tries=storage.switching, buys=True),
    Move(id="fabric", title="Connect nodes by {fabric}", helps=("network.", "storage.stage"), disturbs=34,
         tries=storage.fabric, buys=True),
    # power
    Move(id="no-power-limit", title="Limit GPUs to no less than {gpu_power_limit} of their board power",
         helps=("power.limit",), disturbs=5, tries=power.no_limit),
    Move(id="power-limit", title="Limit GPUs to {gpu_power_limit} of their board power", helps=_DRAW,
         disturbs=25, tries=power.limit),
    Move(id="supplies", title="Use {psus_per_node} supplies a node (redundancy {redundancy})", helps=_SUPPLY,
         disturbs=26, tries=power.supplies, buys=True),
    Move(id="atx", title="Use a supply of ATX {atx}", helps=("power.spike",), disturbs=27, tries=power.atx,
         buys=True),
    Move(id="efficiency", title="Use {efficiency} supplies", helps=("power.circuit", "power.rack", *_SUPPLY),
         disturbs=27, tries=power.efficiency, buys=True),
    Move(id="supply", title="Use {psus_per_node} supplies of {psu} a node (redundancy {redundancy})",
         helps=_SUPPLY, disturbs=28, tries=power.supply, buys=True),
    Move(id="redundancy", title="Let the supplies share the load as {redundancy}",
         helps=("power.psu", "power.feed_loss"), disturbs=35, tries=power.redundancy),
    Move(id="racks", title="Spread the nodes over {racks} racks", helps=("power.circuit", *_DRAW),
         disturbs=34, tries=power.racks, buys=True),
    Move(id="ambient", title="Cool the room to {ambient} C at the inlet", helps=("power.inlet",), disturbs=40,
         tries=power.ambient, buys=True),
    Move(id="circuit", title="Have a circuit of {circuit} laid", helps=("power.circuit",), disturbs=50,
         tries=power.circuit, buys=True),
    Move(id="line", title="Have a line of {voltage} V, {phases} phase(s), laid",
         helps=("power.circuit", "power.low_line", "power.cord"), disturbs=54, tries=power.line, buys=True),
    Move(id="cooling", title="Cool by {cooling}", helps=("power.cooling", "power.liquid", "power.rack"),
         disturbs=56, tries=power.cooling, buys=True),
)  # fmt: skip
"""Every move. `disturbs` follows the order in which maintainers answer: checkpointing, loss, batch,
optimizer, sharding, offload, adapters, length; then what is bought."""
