"""What a user describes: one build, as frozen pydantic models.

This is the one place for each field's name, unit, range, default, label and help. The form, the TOML
schema, ``--set``, the error messages and the documentation are made from it (see `FIELDS`).
Values are SI: bytes, bit/s, W, V, A, s, USD; text such as ``"1TB"`` is read by `ftbuild.units`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ftbuild.build import crosscheck
from ftbuild.build.choices import (
    ATTENTION,
    CHECKPOINTING,
    COOLING,
    DATA_KINDS,
    FRAMEWORKS,
    GPU_LINKS,
    LOSSES,
    METHODS,
    OBJECTIVES,
    OFFLOAD,
    OPTIMIZERS,
    PRECISIONS,
    QUANTIZATIONS,
    RAID,
    REDUNDANCY,
    SHARDING,
    SHARED_STORAGE,
    TARGETS,
    TIERS,
)
from ftbuild.schema import Choice, FieldSpec, Flag, Number, Part, Text, Threshold, Words, fields_of
from ftbuild.units import Kind

SCHEMA_VERSION = 1

TABLES = (
    "workload",
    "hardware",
    "storage",
    "storage.measured",
    "network",
    "power",
    "cost",
    "measured",
    "limits",
)

Price = Annotated[float, Number("Price", Kind.MONEY, 0, 1e12, help="The user's own quote, per unit")]
Limit = Annotated[str | float, Threshold("Limit", help="Threshold of a rule, by rule id; profile = guide")]


class Section(BaseModel):
    """A table of the file: frozen; keys that it does not know are reported by the file reader."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=False)


class Workload(Section):
    """The training run: model, method, sequence, batch, optimizer, data."""

    model: Annotated[str, Part("Model", part="model", help="Catalog id, alias, or the path of a config.json")]
    objective: Annotated[str, Choice("Objective", OBJECTIVES, help="What the run optimises")] = "sft"
    method: Annotated[
        str, Choice("Method", METHODS, help="Which weights train, and how the base is kept")
    ] = "lora"
    quantization: Annotated[
        str, Choice("Quantization", QUANTIZATIONS, help="Of the frozen base, for qlora and qdora")
    ] = "nf4"
    double_quant: Annotated[
        bool, Flag("Double quant", alias="double_quantization", help="Quantise the absmax constants too")
    ] = True
    rank: Annotated[int, Number("Rank", Kind.COUNT, 1, 4096, step="double", help="Of the adapters")] = 16
    targets: Annotated[
        str | tuple[str, ...],
        Words("Targets", TARGETS, help="all-linear, attention, qv, or a list of module names"),
    ] = "all-linear"
    adapter_precision: Annotated[
        str, Choice("Adapter dtype", ("fp32", "bf16"), help="Of the adapters' weights")
    ] = "fp32"
    adapter_dropout: Annotated[float, Number("Adapter dropout", Kind.SHARE, 0, 0.9, step="0.05")] = 0.0
    precision: Annotated[
        str,
        Choice("Precision", PRECISIONS, help="bf16: everything; bf16-mixed: fp32 weights under autocast"),
    ] = "bf16"
    sequence_length: Annotated[
        int,
        Number("Sequence", Kind.TOKENS, 1, 16_777_216, step="double", help="Tokens of the longest sample"),
    ] = 4096
    micro_batch: Annotated[
        int, Number("Micro batch", Kind.COUNT, 1, 65_536, step="double", help="Sequences a GPU takes at once")
    ] = 1
    gradient_accumulation: Annotated[
        int, Number("Accumulation", Kind.COUNT, 1, 65_536, step="double", help="Micro batches a step")
    ] = 8
    packing: Annotated[bool, Flag("Packing", help="Short samples share a sequence")] = True
    optimizer: Annotated[str, Choice("Optimizer", OPTIMIZERS)] = "adamw"
    checkpointing: Annotated[
        str, Choice("Checkpointing", CHECKPOINTING, help="Which activations are computed again")
    ] = "full"
    attention: Annotated[str, Choice("Attention", ATTENTION, help="Attention kernel")] = "flash"
    loss: Annotated[
        str,
        Choice(
            "Loss", LOSSES, help="Plain, one fused kernel over kept logits, in chunks, or fused with the head"
        ),
    ] = "standard"
    framework: Annotated[str, Choice("Framework", FRAMEWORKS, help="Training stack, with its defaults")] = (
        "transformers"
    )
    data: Annotated[str, Choice("Data", DATA_KINDS, help="What a sample holds")] = "text"
    dataset_size: Annotated[float, Number("Data set", Kind.STORAGE, 0, 1e18, help="Size on disk")] = 1e9
    dataset_tokens: Annotated[
        float | None,
        Number("Tokens", Kind.COUNT, 1, 1e16, help="In the data set; else samples x tokens a sample"),
    ] = None
    samples: Annotated[float | None, Number("Samples", Kind.COUNT, 1, 1e13, help="In the data set")] = None
    tokens_per_sample: Annotated[
        float | None, Number("Tokens/sample", Kind.TOKENS, 1, 1e8, help="Mean length of a sample")
    ] = None
    epochs: Annotated[float, Number("Epochs", Kind.COUNT, 0.001, 10_000, help="Passes over the data")] = 3.0
    checkpoint_every: Annotated[
        float, Number("Ckpt every", Kind.DURATION, 1, 31_536_000, help="Time between saves")
    ] = 1800.0
    checkpoints_kept: Annotated[int, Number("Ckpts kept", Kind.COUNT, 1, 10_000)] = 3
    checkpoint_async: Annotated[
        bool, Flag("Async ckpt", help="Copy to RAM first, write in the background")
    ] = False
    dataloader_workers: Annotated[int, Number("Loader workers", Kind.COUNT, 0, 256, help="Per GPU")] = 2


class Hardware(Section):
    """Nodes, GPUs, processors and memory, and how the model is spread over them."""

    nodes: Annotated[int, Number("Nodes", Kind.COUNT, 1, 16_384)] = 1
    gpu: Annotated[str, Part("GPU", part="gpu")]
    gpus_per_node: Annotated[int, Number("GPUs / node", Kind.COUNT, 1, 256)] = 1
    gpu_link: Annotated[
        str, Choice("GPU link", GPU_LINKS, help="Between the GPUs of a node; auto takes what the GPU has")
    ] = "auto"
    vram_reserved: Annotated[
        float,
        Number("VRAM in use", Kind.MEMORY, 0, 1e13, help="Taken by a display or other processes, per GPU"),
    ] = 0.0
    cpu: Annotated[str | None, Part("CPU", part="cpu")] = None
    sockets: Annotated[int, Number("Sockets", Kind.COUNT, 1, 16, help="Per node")] = 1
    ram: Annotated[float | None, Number("RAM", Kind.MEMORY, 1, 1e16, help="Per node")] = None
    ram_speed: Annotated[float | None, Number("RAM speed", Kind.TRANSFERS, 200, 50_000)] = None
    ram_modules: Annotated[
        int | None, Number("RAM modules", Kind.COUNT, 1, 1024, help="Per node, all alike")
    ] = None
    sharding: Annotated[str, Choice("Sharding", SHARDING, help="What data-parallel ranks divide")] = "none"
    offload: Annotated[str, Choice("Offload", OFFLOAD, help="What leaves the GPU between uses")] = "none"
    tensor_parallel: Annotated[int, Number("Tensor par.", Kind.COUNT, 1, 1024, step="double")] = 1
    pipeline_parallel: Annotated[int, Number("Pipeline par.", Kind.COUNT, 1, 1024, step="double")] = 1
    context_parallel: Annotated[int, Number("Context par.", Kind.COUNT, 1, 1024, step="double")] = 1
    expert_parallel: Annotated[int, Number("Expert par.", Kind.COUNT, 1, 1024, step="double")] = 1


class Measured(Section):
    """What fio or a data sheet of the user's own says; wins over the catalog."""

    read: Annotated[float | None, Number("Measured read", Kind.RATE, 1, 1e15)] = None
    write: Annotated[float | None, Number("Measured write", Kind.RATE, 1, 1e15)] = None
    random_read_iops: Annotated[
        float | None, Number("Measured IOPS", Kind.IOPS, 1, 1e12, help="4 KiB, QD64")
    ] = None


class Storage(Section):
    """Drives for data and checkpoints, and shared file systems."""

    data_drive: Annotated[str | None, Part("Data drive", part="drive")] = None
    data_drives: Annotated[int, Number("Data drives", Kind.COUNT, 1, 1024, help="Per node")] = 1
    data_raid: Annotated[str, Choice("Data RAID", RAID)] = "none"
    checkpoint_drive: Annotated[
        str | None, Part("Ckpt drive", part="drive", help="None: checkpoints share the data drives")
    ] = None
    checkpoint_drives: Annotated[int, Number("Ckpt drives", Kind.COUNT, 1, 1024, help="Per node")] = 1
    checkpoint_raid: Annotated[str, Choice("Ckpt RAID", RAID)] = "none"
    shared: Annotated[
        str, Choice("Shared storage", SHARED_STORAGE, help="File system that training data is read from")
    ] = "none"
    staged: Annotated[bool, Flag("Staged", help="Shared data is copied to local drives first")] = False
    measured: Measured = Measured()


class Network(Section):
    """The fabric between nodes."""

    fabric: Annotated[str, Part("Fabric", part="fabric")] = "none"
    links_per_node: Annotated[int, Number("Links / node", Kind.COUNT, 1, 256)] = 1
    oversubscription: Annotated[float, Number("Oversubscr.", Kind.RATIO, 1, 64, step="0.5")] = 1.0


class Power(Section):
    """Supplies, circuits, racks and cooling."""

    psu: Annotated[
        float | None, Number("PSU", Kind.POWER, 50, 100_000, part="psu", help="Rating of one supply")
    ] = None
    psus_per_node: Annotated[int, Number("PSUs / node", Kind.COUNT, 1, 64)] = 1
    redundancy: Annotated[
        str, Choice("Redundancy", REDUNDANCY, help="Supplies that must carry + may fail")
    ] = "none"
    efficiency: Annotated[str, Choice("Efficiency", TIERS, help="80 PLUS tier")] = "platinum"
    atx: Annotated[
        float, Number("ATX version", Kind.COUNT, 1, 9, help="Of a desktop supply; 3 rides out spikes")
    ] = 3.0
    voltage: Annotated[
        float, Number("Voltage", Kind.VOLTAGE, 12, 1000, help="At the outlet; line to line")
    ] = 230.0
    phases: Annotated[int, Number("Phases", Kind.COUNT, 1, 3)] = 1
    circuit: Annotated[float | None, Number("Circuit", Kind.CURRENT, 1, 5000, help="Breaker of one feed")] = (
        None
    )
    continuous: Annotated[
        float, Number("Breaker share", Kind.SHARE, 0.1, 1, help="Of the breaker, for continuous load")
    ] = 0.8
    feeds: Annotated[
        int, Number("Feeds", Kind.COUNT, 1, 8, help="Of a rack; 2 is A + B, each carrying all")
    ] = 1
    racks: Annotated[int, Number("Racks", Kind.COUNT, 1, 10_000)] = 1
    rack_limit: Annotated[
        float | None, Number("Rack limit", Kind.POWER, 100, 10_000_000, help="Power and cooling of one rack")
    ] = None
    gpu_power_limit: Annotated[
        float, Number("GPU power limit", Kind.SHARE, 0.3, 1, step="0.05", help="Share of board power")
    ] = 1.0
    cooling: Annotated[str, Choice("Cooling", COOLING)] = "air"
    ambient: Annotated[float, Number("Ambient", Kind.TEMPERATURE, -20, 60, help="At the inlet")] = 25.0
    altitude: Annotated[float, Number("Altitude", Kind.COUNT, -430, 5500, help="Metres above the sea")] = 0.0
    pue: Annotated[float, Number("PUE", Kind.RATIO, 1, 4, step="0.05")] = 1.4
    electricity: Annotated[float, Number("Electricity", Kind.MONEY_PER_KWH, 0, 10)] = 0.15


class Cost(Section):
    """How long and how much the rig is used, and what it is compared with."""

    years: Annotated[float, Number("Years", Kind.YEARS, 0.1, 20)] = 3.0
    hours_per_week: Annotated[float, Number("Hours / week", Kind.HOURS, 0, 168)] = 100.0
    rent: Annotated[
        str | float | None,
        Part("Rent", part="rent", number=Kind.MONEY_PER_HOUR, help="Price id, or USD per GPU hour"),
    ] = None
    resale: Annotated[float, Number("Resale", Kind.SHARE, 0, 1, help="Value left at the end")] = 0.0
    quote: Annotated[
        float | None,
        Number(
            "Quote", Kind.MONEY, 0, 1e12, help="A total for the hardware that somebody named, to compare with"
        ),
    ] = None
    price: dict[str, Price] = Field(default_factory=dict)


class Run(Section):
    """One run that was measured, to calibrate against (`[measured]`)."""

    peak: Annotated[
        float | None,
        Number("Measured peak", Kind.MEMORY, 1, 1e14, help="torch.cuda.max_memory_allocated, per GPU"),
    ] = None
    nvidia_smi: Annotated[
        float | None, Number("nvidia-smi", Kind.MEMORY, 1, 1e14, help="Memory in use, per GPU")
    ] = None
    step: Annotated[
        float | None, Number("Step time", Kind.DURATION, 1e-4, 1e7, help="Of one optimizer step")
    ] = None


class Build(Section):
    """A whole build: what one TOML file holds."""

    ftbuild: Annotated[
        int,
        Number(
            "Schema", Kind.COUNT, SCHEMA_VERSION, SCHEMA_VERSION,
            expects=f"schema version {SCHEMA_VERSION}; a file of a newer one needs a newer ftbuild",
        ),
    ] = SCHEMA_VERSION  # fmt: skip
    name: Annotated[str, Text("Name", 80)] = ""
    notes: Annotated[str, Text("Notes", 20_000, lines=True)] = ""
    workload: Workload
    hardware: Hardware
    storage: Storage = Storage()
    network: Network = Network()
    power: Power = Power()
    cost: Cost = Cost()
    measured: Run = Run()
    limits: dict[str, Limit] = Field(default_factory=dict)
    catalog: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _cross_fields(self) -> Build:
        found = crosscheck.problems(self)
        if found:
            raise PydanticCustomError("cross", "{message}", {"message": str(found[0]), "problems": found})
        return self


FIELDS: Mapping[str, FieldSpec] = {spec.key: spec for spec in fields_of(Build)}
"""Every field by its dotted key, in the order of the file."""

ALIASES: Mapping[str, str] = {
    f"{spec.section}.{spec.described.alias}": spec.key for spec in FIELDS.values() if spec.described.alias
}
