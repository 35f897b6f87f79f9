"""Rules on data drives and checkpoints. The need computed for the run stands before the guide's minima."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.guide import GUIDE
from ftbuild.engine.inputs import Columns
from ftbuild.engine.tables import storage as table

_DATA = ("storage.data_drive", "storage.data_drives", "storage.data_raid")
_SAVES = ("storage.checkpoint_drive", "storage.checkpoint_drives", "storage.checkpoint_raid")
_OFTEN = ("workload.checkpoint_every", "workload.checkpoint_async", *_SAVES, *_DATA)

LARGE = 50e9
"""Bytes of a data set from which the guide asks for fast reading."""
WORTH_SAVING = 0.01
"""Share of the time from which a better interval is worth a word."""


def _large(c: Columns, _: Figures) -> Any:
    return (c.number("workload.dataset_size") > LARGE) | (c.is_in("workload.data", "text") == 0)


def _nvme(c: Columns, _: Figures) -> Any:
    return c.is_in("hardware.offload", "nvme") > 0


def _small_reads(_: Columns, done: Figures) -> Any:
    return done["storage.read_need"].value < 10e6


def _shared_hard(c: Columns, done: Figures) -> Any:
    return (c.is_in("storage.shared", "nfs", "cifs") > 0) & ~(
        _small_reads(c, done) & (c.is_in("workload.data", "text") > 0)
    )


def _shared_easy(c: Columns, done: Figures) -> Any:
    return (c.is_in("storage.shared", "nfs", "cifs") > 0) & (
        _small_reads(c, done) & (c.is_in("workload.data", "text") > 0)
    )


def _staged(c: Columns, _: Figures) -> Any:
    return (c.number("storage.staged") > 0) & (c.is_in("storage.shared", "none") == 0)


def _reads(_: Columns, done: Figures) -> Any:
    return done["storage.random_read"].value > 0


def _read_known(_: Columns, done: Figures) -> Any:
    return done["storage.load_time"].value > 0


def _writes(_: Columns, done: Figures) -> Any:
    return done["storage.write"].value > 0


def _wasteful(_: Columns, done: Figures) -> Any:
    return done["checkpoint.waste"].value > WORTH_SAVING


def _ram_known(c: Columns, _: Figures) -> Any:
    return c.stated("hardware.ram") > 0


def _waits(c: Columns, _: Figures) -> Any:
    return c.number("workload.checkpoint_async") > 0


def _linked(_: Columns, done: Figures) -> Any:
    share = done["storage.sheet"].value
    return share == share


STORAGE: tuple[Rule, ...] = (
    Rule(
        id="storage.read_need", title="Read need", severity=Severity.VIOLATION,
        figure="storage.read", sense="at_least", limit="storage.read_need", warn=0.5, fields=_DATA,
        message="reads {value}; this run needs {limit} to keep the GPUs busy",
        ok="reads {value}; this run needs {limit}",
        source="tokens per second at the GPUs' own pace times bytes per token; MLPerf Storage for images",
        doc="What the GPUs consume must be read; twice as much leaves room for bursts.",
    ),
    Rule(
        id="storage.read", title="Guide's read minimum", severity=Severity.VIOLATION,
        figure="storage.read", sense="at_least", limit=6e9, when=_large, guide=True, need="storage.read_need",
        fields=_DATA, message="reads {value}; the guide asks for {limit} for sets over 50 GB",
        ok="reads {value}; the guide asks for {limit} for sets over 50 GB", source=GUIDE,
        doc="For tokenised text the need is megabytes a second; images and video need gigabytes.",
    ),
    Rule(
        id="storage.read_better", title="Guide's better read rate", severity=Severity.NOTICE,
        figure="storage.read", sense="at_least", limit=12e9, when=_large, fields=_DATA,
        message="reads {value}; the guide calls {limit} better for sets over 50 GB",
        ok="reads {value}, above the guide's {limit}", source=GUIDE,
        doc="The guide's wish; it shortens staging, loading and restoring, not training on text.",
    ),
    Rule(
        id="storage.random_read_need", title="Random read need", severity=Severity.VIOLATION,
        figure="storage.random_read", sense="at_least", limit="storage.random_read_need", warn=0.5,
        when=_reads, fields=_DATA,
        message="{value} random reads a second; the samples of this run need {limit}",
        ok="{value} random reads a second; the samples of this run need {limit}",
        source="one read a sample: packed or memory-mapped sets",
        doc="Shuffled samples are read at random places, a few a second for text.",
    ),
    Rule(
        id="storage.random_read", title="Guide's random reads", severity=Severity.VIOLATION,
        figure="storage.random_read", sense="at_least", limit=1e6, guide=True,
        need="storage.random_read_need", when=_reads, fields=_DATA,
        message="{value} random reads of 4 KiB a second; the guide asks for {limit} at QD64",
        ok="{value} random reads of 4 KiB a second; the guide asks for {limit}",
        source=GUIDE + "; by Little's law one job at QD64 reaches 64 / latency, about 1 M at 65 us",
        doc="Data sheets state it for deep queues over several jobs; test with four jobs or more.",
    ),
    Rule(
        id="storage.shared_fs", title="NFS or CIFS", severity=Severity.WARNING,
        figure="storage.shared_fs", limit=0.0, when=_shared_hard, fields=("storage.shared", "storage.staged"),
        message="training data over NFS or CIFS stalls on metadata and small files: stage it to local drives",
        ok="staged to local drives", source=GUIDE + "; ml-engineering on shared file systems",
        doc="Latency and metadata of NFS and CIFS limit sets of many files.",
    ),
    Rule(
        id="storage.shared_text", title="NFS or CIFS for text", severity=Severity.NOTICE,
        figure="storage.shared_fs", limit=0.0, when=_shared_easy, fields=("storage.shared", "storage.staged"),
        message="the guide advises against NFS and CIFS; a packed text set needs so little that they serve",
        ok="staged to local drives", source=GUIDE + "; need computed in storage.read_need",
        doc="For tokenised text in few files any network file system delivers what is needed.",
    ),
    Rule(
        id="storage.stage", title="Staging", severity=Severity.WARNING,
        figure="storage.stage_share", limit=0.1, when=_staged,
        fields=("network.fabric", "network.links_per_node", *_DATA),
        message="copying the data set to local drives takes {value} of the run",
        ok="copying the data set to local drives takes {value} of the run", source="arithmetic",
        doc="Staging pays where the run is long beside the copy.",
    ),
    Rule(
        id="storage.capacity", title="Data capacity", severity=Severity.VIOLATION,
        figure="storage.space_need", limit="storage.capacity", fields=_DATA,
        message="data set, base and what else lies on the data drives need {value}; they hold {limit}",
        ok="{value} of {limit} on the data drives", source="RAID levels; a tenth stays free",
        doc="Each node holds the data set, the base model, offloaded states, and checkpoints without drives.",
    ),
    Rule(
        id="storage.raid_even", title="Pairs of RAID 10", severity=Severity.VIOLATION,
        figure="storage.odd_drives", limit=0.0,
        fields=("storage.data_drives", "storage.checkpoint_drives"),
        message="RAID 10 pairs its drives: an odd number leaves one over",
        ok="every drive of a RAID 10 has its mirror", source="RAID levels",
        doc="Level 10 stripes over mirrored pairs.",
    ),
    Rule(
        id="storage.load", title="Model load", severity=Severity.NOTICE,
        figure="storage.load_time", limit=300.0, when=_read_known, fields=(*_DATA, "network.fabric"),
        message="loading the model takes {value} at every start and restart",
        ok="loading the model takes {value}", source="arithmetic; 5 minutes are a habit",
        doc="Fast drives pay at each start: loading, restoring, evaluating.",
    ),
    Rule(
        id="storage.claimed", title="Drives that nobody makes", severity=Severity.WARNING,
        figure="storage.claimed", limit=0.0, fields=("storage.data_drive", "storage.checkpoint_drive"),
        message="drives named here that nobody makes: {value}; figures are of the nearest real ones",
        ok="the drives named here are made", source="makers' data sheets (the catalog's claimed parts)",
        doc="Sizes, classes and speeds that a document names but no data sheet does.",
    ),
    Rule(
        id="storage.sheet", title="Drive's stated rate", severity=Severity.WARNING,
        figure="storage.sheet", limit=table.SHEET_MOST, when=_linked, fields=("storage.data_drive",),
        message="the stated rate is {value} of the drive's PCIe link: too much to be true",
        ok="the stated rate is {value} of the drive's PCIe link", source="PCIe: rates after 128b/130b",
        doc="Packets and commands take some of a link; a sheet near 100 % names another rate.",
    ),
    Rule(
        id="storage.sata", title="SATA under load", severity=Severity.WARNING,
        figure="storage.sata", limit=0.0, fields=("storage.data_drive",),
        message="images, video or offload on drives of half a gigabyte a second",
        ok="no such load on SATA drives", source=GUIDE + "; data sheets of SATA drives",
        doc="SATA drives end at 0.55 GB/s and 0.1 M random reads.",
    ),
    Rule(
        id="storage.cached", title="Page cache", severity=Severity.NOTICE,
        figure="storage.cached", limit="storage.cache_room", when=_ram_known, fields=("hardware.ram",),
        message="the data set of {value} is more than the page cache of {limit}: every pass reads the drives",
        ok="the data set of {value} fits the page cache: later passes read RAM",
        source="habit: half of the RAM",
        doc="What fits the page cache is read from drives once.",
    ),
    Rule(
        id="checkpoint.write_time", title="Checkpoint write", severity=Severity.VIOLATION,
        figure="checkpoint.write_time", limit="checkpoint.interval", fields=_OFTEN,
        message="writing one takes {value}, longer than the {limit} between them",
        ok="one takes {value} to write, every {limit}", source="arithmetic on data sheets",
        doc="A checkpoint must be written before the next one starts.",
    ),
    Rule(
        id="checkpoint.cache", title="Drives' fast cache", severity=Severity.WARNING,
        figure="checkpoint.node_share", limit="checkpoint.cache", when=_writes, fields=(*_SAVES, *_DATA),
        message="a checkpoint of {value} passes the {limit} that these drives take at full rate",
        ok="a checkpoint of {value} fits the {limit} that these drives take at full rate",
        source="reviews of consumer drives: a fifth to a third of the rate beyond their SLC cache",
        doc="Consumer drives write fast into a cache, and slowly once it is full.",
    ),
    Rule(
        id="checkpoint.stall", title="Checkpoint stall", severity=Severity.WARNING,
        figure="checkpoint.stall", limit=0.05, when=_writes, fields=_OFTEN,
        message="training waits {value} of the time for checkpoints",
        ok="training waits {value} of the time for checkpoints",
        source="PyTorch and IBM on asynchronous saving; 5 % is a habit",
        doc="A synchronous save stops every GPU for as long as it takes to write.",
    ),
    Rule(
        id="checkpoint.interval", title="Checkpoint interval", severity=Severity.NOTICE,
        figure="checkpoint.interval_off", limit=4.0, when=_wasteful, fields=("workload.checkpoint_every",),
        message="the interval is {value} off the best one (explain checkpoint.interval_best)",
        ok="the interval is within {value} of the best one",
        source="Young 1974; Llama 3's interruptions (2407.21783)",
        doc="Rarer saves lose more work to an interruption, more frequent ones stall training.",
    ),
    Rule(
        id="checkpoint.space", title="Checkpoint space", severity=Severity.VIOLATION,
        figure="checkpoint.space_need", limit="checkpoint.space",
        when=_writes, fields=("workload.checkpoints_kept", *_SAVES),
        message="checkpoints kept, one being written and the final model need {value} of {limit}",
        ok="{value} of {limit} for checkpoints and the final model", source="arithmetic; a tenth stays free",
        doc="A full drive ends a run at its first or its last save.",
    ),
    Rule(
        id="checkpoint.copy", title="Asynchronous copy", severity=Severity.WARNING,
        figure="checkpoint.copy", limit="checkpoint.copy_room", when=_waits,
        fields=("hardware.ram", "workload.checkpoint_async"),
        message="an asynchronous save holds {value} in RAM, of {limit} that may be spared",
        ok="an asynchronous save holds {value} in RAM", source="habit: half of the RAM",
        doc="The copy stays in host memory until it is written.",
    ),
    Rule(
        id="checkpoint.unsafe", title="Checkpoints without a spare", severity=Severity.WARNING,
        figure="checkpoint.unsafe", limit=0.0, fields=("storage.checkpoint_raid", "storage.checkpoint_drive"),
        message="checkpoints lie on {value} drives of which none may fail: keep a second copy",
        ok="checkpoints survive what their drives promise",
        source="arithmetic: an array of n drives without redundancy fails n times as often",
        doc="Data can be staged again; checkpoints cannot.",
    ),
    Rule(
        id="storage.wear", title="Drive wear", severity=Severity.VIOLATION,
        figure="storage.wear_life", sense="at_least", limit=1.0, warn=1 / 3,
        when=_writes, fields=("workload.checkpoint_every", *_SAVES),
        message="checkpoints wear the drives out in {value}",
        ok="checkpoints leave the drives {value}", source="endurance of data sheets (TBW, DWPD)",
        doc="Full fine-tuning writes terabytes a day; adapters write next to nothing.",
    ),
    Rule(
        id="storage.offload_wear", title="Wear by offload", severity=Severity.VIOLATION,
        figure="storage.offload_life", sense="at_least", limit=1.0, warn=1 / 3, when=_nvme,
        fields=("hardware.offload", "workload.gradient_accumulation", *_DATA),
        message="the optimizer's writes wear the drives out in {value}",
        ok="the optimizer's writes leave the drives {value}",
        source="ZeRO-Infinity, 2104.07857: 14 B a trained parameter and step; endurance of data sheets",
        doc="Optimizer states on NVMe are rewritten every step.",
    ),
    Rule(
        id="storage.offload", title="Offload to NVMe", severity=Severity.WARNING,
        figure="storage.offload_share", limit=0.2, when=_nvme,
        fields=("hardware.offload", "workload.gradient_accumulation", *_DATA),
        message="a step's reads and writes take {value} of its computation",
        ok="a step's reads and writes take {value} of its computation", source="ZeRO-Infinity, 2104.07857",
        doc="More micro-batches a step, or more drives, hide the optimizer's traffic.",
    ),
)  # fmt: skip
