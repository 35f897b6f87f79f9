"""What the catalog knows about each kind of part: one frozen row class a kind.

Units are SI throughout: bytes, bytes/s, bit/s (network links only), FLOP/s, W, V, A, MT/s, USD.
``None`` means that the fact is not known; nothing here is guessed. Every row says where it comes
from, when it was read and how far to trust it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Confidence = Literal["measured", "datasheet", "secondary", "unverified", "user"]
"""How a fact was established, best first; ``user`` is what a user stated in a build or overlay."""

Mlp = Literal["gated", "plain"]
Norm = Literal["rms", "rms_offset", "layer", "layer_nobias"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What every row carries."""

    kind: ClassVar[str]
    """Name of the kind's table in a file."""
    id: str
    name: str
    source: str
    as_of: str
    """Year, month or day of the source: ``2026``, ``2026-08`` or ``2026-08-22``."""
    confidence: Confidence
    aliases: tuple[str, ...] = ()
    notes: str = ""
    unverified: tuple[str, ...] = ()
    """Names of the fields of this row that rest on memory, although the row as a whole does not."""
    claimed: bool = False
    """Some document names such a part, but its maker sells none; `notes` says what is true."""
    really: str = ""
    """Id of the nearest part that exists, for a claimed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu(Part):
    """A GPU or other accelerator, as one device that a training process sees."""

    kind: ClassVar[str] = "gpu"
    vendor: str
    form: Literal["sxm", "oam", "pcie", "module", "unified"]
    memory: float
    """The label's size x 2^30, bytes ("80 GB" is 80 x 2^30)."""
    usable: float | None
    """What a process can get on an otherwise empty card, bytes, before the CUDA context."""
    memory_type: str
    bandwidth: float
    """Memory bandwidth, bytes/s."""
    bf16: float | None
    """Dense bf16 matrix FLOP/s (fp32 accumulation)."""
    fp8: float | None = None
    fp32: float | None = None
    power: float
    """Board power, W."""
    link: Literal["nvlink2", "nvlink3", "nvlink4", "nvlink5", "infinity-fabric", "gaudi", "none"] = "none"
    link_bandwidth: float | None = None
    """Of one GPU to its peers over `link`, bytes/s per direction."""
    switched: bool = False
    """Peers reach each other through a switch at full rate (NVSwitch), not over fixed pairs."""
    unswitched: tuple[int, ...] = ()
    """Sizes of `boards` on which the GPUs are wired to one another without the switch."""
    link_group: int | None = None
    """Most cards that one bridge of `link` joins; None where `link` joins all of a node."""
    p2p: bool | None = None
    """The stock driver lets one card read another's memory over PCIe."""
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    ecc: bool | None = None
    per_node: int | None = None
    """Most of them in one usual node."""
    boards: tuple[int, ...] = ()
    """For modules that only come on a board: how many a board carries."""
    slots: float | None = None
    connector: str = ""
    transient: float | None = None
    """Peak draw within a millisecond over board power."""
    compute_capability: str = ""
    launched: int | None = None
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu(Part):
    """A processor: one socket."""

    kind: ClassVar[str] = "cpu"
    vendor: str
    cores: int
    threads: int
    base_ghz: float | None
    boost_ghz: float | None
    power: float
    """Default TDP, W."""
    channels: int
    memory_speed: float
    """Fastest supported with one module a channel, MT/s."""
    memory_speed_2dpc: float | None = None
    """Fastest supported with two modules a channel, MT/s."""
    memory_max: float | None
    """Largest supported per socket, bytes."""
    memory_type: str = "ddr5"
    pcie_gen: int
    lanes: int
    """PCIe lanes for devices, per socket, in a one-socket board."""
    lanes_two_sockets: int | None = None
    """PCIe lanes for devices of a two-socket board, both sockets together."""
    sockets: int = 1
    """Most sockets on one board."""
    overclocked: float | None = None
    """Memory speed that owners reach beyond the rating, MT/s; desktop parts only."""
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryModule(Part):
    """One DIMM."""

    kind: ClassVar[str] = "memory"
    form: Literal["udimm", "cudimm", "rdimm", "lrdimm", "mrdimm", "sodimm", "soldered"]
    memory_type: str
    """``ddr4`` or ``ddr5``."""
    capacity: float
    """Bytes (label x 2^30)."""
    speed: float
    """MT/s."""
    power: float | None = None
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive(Part):
    """One drive at one capacity (a series that comes in four sizes is four rows)."""

    kind: ClassVar[str] = "drive"
    vendor: str
    interface: Literal["sata", "sas", "nvme"]
    form: str
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    capacity: float
    """Decimal bytes."""
    read: float
    """Sequential, bytes/s."""
    write: float
    sustained_write: float | None = None
    """Sequential, once the cache is full, bytes/s; consumer drives."""
    cache: float | None = None
    """Bytes that may be written before the rate falls to `sustained_write`."""
    read_iops: float | None = None
    """4 KiB random read, 1/s, at the data sheet's queue depth."""
    write_iops: float | None = None
    dwpd: float | None = None
    """Rated drive writes per day."""
    warranty_years: float = 5.0
    tbw: float | None = None
    """Rated bytes written over its life."""
    power: float | None = None
    grade: Literal["consumer", "enterprise"]
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic(Part):
    """A network card."""

    kind: ClassVar[str] = "nic"
    vendor: str
    ports: int
    rate: float
    """Of one port, bit/s."""
    protocols: tuple[str, ...]
    pcie_gen: int
    pcie_lanes: int
    power: float | None = None
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric(Part):
    """A kind of network between nodes, one link of it."""

    kind: ClassVar[str] = "fabric"
    rate: float
    """Line rate of one link, bit/s."""
    achieved: float
    """Bus bandwidth that collectives reach over line rate, 0 to 1."""
    latency: float
    """Of one step of a collective, s."""
    rdma: bool
    nic: str = ""
    """Id of the card that a bill of materials takes for it."""
    guide_overhead: float | None = None
    """What the guide says this fabric costs of training time, 0 to 1."""
    link_price: float | None = None
    """Of the cable or transceiver pair of one link, USD."""
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Psu(Part):
    """A power supply."""

    kind: ClassVar[str] = "psu"
    grade: Literal["atx", "server"]
    rating: float
    """Output at 200-240 V, W."""
    rating_low_line: float | None = None
    """Output at 100-127 V, W."""
    tier: str
    """An 80 PLUS tier, the key of `EfficiencyTier`."""
    atx_version: float | None = None
    inlet: str = ""
    """``c14`` or ``c20``."""
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EfficiencyTier(Part):
    """Minimum efficiency by load of an 80 PLUS tier at one kind of input."""

    kind: ClassVar[str] = "efficiency"
    input: Literal["115", "230", "230-eu"]
    """115 V non-redundant, 230 V redundant (servers), 230 V EU non-redundant."""
    loads: tuple[float, ...]
    """Share of rating, ascending, 0 to 1."""
    efficiency: tuple[float, ...]
    """At `loads`, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System(Part):
    """A node as a maker sells it, with its published draw."""

    kind: ClassVar[str] = "system"
    gpu: str
    gpus: int
    cpu: str = ""
    sockets: int | None = None
    ram: float | None = None
    power_max: float | None
    """Published maximum at the wall, W."""
    power_typical: float | None = None
    psus: int | None = None
    psu_rating: float | None = None
    redundancy: str = ""
    rack_units: float | None = None
    cooling: str = ""
    price: float | None = None
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudPrice(Part):
    """What one GPU costs to rent for an hour."""

    kind: ClassVar[str] = "rent"
    provider: str
    gpu: str
    gpus: int
    """GPUs of the instance that the price was read on."""
    price: float
    """USD per GPU hour."""
    offer: Literal["on-demand", "spot", "reserved", "marketplace"]
    price_date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Part):
    """The architecture of a language model: what an exact parameter and memory count needs.

    Symbols used in formulas: L layers, h hidden, i intermediate, a query heads, k KV heads,
    d head_dim, V vocab.
    """

    kind: ClassVar[str] = "model"
    family: str
    """``model_type`` of the Hugging Face configuration: ``llama``, ``qwen3_moe``, ..."""
    layers: int
    hidden: int
    intermediate: int
    """Width of the dense MLP (of dense layers, where a model has both kinds)."""
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool
    """Output head shares the embedding's weights."""
    context: int
    mlp: Mlp = "gated"
    norm: Norm = "rms"
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    norms_per_layer: float = 2
    """Hidden-wide norms in a layer (Gemma 2 has 4; parallel blocks may have 1)."""
    embedding_norm: bool = False
    """A norm right after the embedding (BLOOM)."""
    qk_norm: Literal["none", "head", "full"] = "none"
    """Norms on queries and keys: of head_dim each, or over all heads."""
    fused_qkv: bool = False
    """One projection for q, k and v (Phi-3, Falcon, GPT-NeoX, ...)."""
    fused_gate_up: bool = False
    positions: int = 0
    """Rows of a learned position embedding."""
    sinks: bool = False
    """A learned attention sink per head (gpt-oss)."""
    window: int | None = None
    """Sliding attention window, tokens."""
    window_share: float = 0.0
    """Share of layers with the sliding window."""
    experts: int = 0
    experts_per_token: int = 0
    expert_intermediate: int = 0
    shared_experts: int = 0
    shared_intermediate: int = 0
    """Total width of the shared experts' MLP."""
    shared_gate: bool = False
    """A gate of hidden size on the shared expert (Qwen2-MoE)."""
    dense_layers: int = 0
    """Layers of a mixture-of-experts model that keep a dense MLP."""
    router_bias: bool = False
    expert_bias: bool = False
    fused_experts: bool = False
    """Experts are stored as one tensor, not one linear module each (as of `as_of`)."""
    q_lora: int = 0
    """Multi-head latent attention: ranks and head widths; 0 where a model has none."""
    kv_lora: int = 0
    qk_nope_dim: int = 0
    qk_rope_dim: int = 0
    v_head_dim: int = 0
    logit_softcap: bool = False
    """Final logits are soft-capped (one more copy of them; Gemma 2)."""
    vision: int = 0
    """Parameters outside the language model (vision tower, projector)."""
    extra: int = 0
    """Parameters that no other field accounts for, explained in `notes`."""
    published: int | None = None
    """Total parameters that the publisher's files hold, to check the count against."""
    license: str = ""


KINDS: tuple[type[Part], ...] = (
    Gpu, Cpu, MemoryModule, Drive, Nic, Fabric, Psu, EfficiencyTier, System, CloudPrice, Model,
)  # fmt: skip
