"""Rules on links in a node and between nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.inputs import Columns
from ftbuild.engine.light import light, number, stated
from ftbuild.engine.rules.host import GUIDE
from ftbuild.engine.tables.network import WEIGHT_BYTES

_SHEET = "data sheets in the catalog"
BASE_SHARE = 0.8
"""Of a card that the frozen base may take, so that activations have room."""
QUANTIZED_BYTES = 0.6
"""Of a weight in 4 bits with its constants, embeddings in 16 bits included."""


def _several(c: Columns, _: Figures) -> Any:
    return number(c, "hardware.nodes") * number(c, "hardware.gpus_per_node") > 1


def _nodes(c: Columns, _: Figures) -> Any:
    return number(c, "hardware.nodes") > 1


def _joined(c: Columns, done: Figures) -> Any:
    return _nodes(c, done) & (done["network.unjoined"].value == 0)


def _sharded(c: Columns) -> Any:
    return light(c.is_in("hardware.sharding", "zero2", "zero3", "fsdp")) > 0


def _sharded_nodes(c: Columns, done: Figures) -> Any:
    return _joined(c, done) & _sharded(c)


def _over_pcie(c: Columns, _: Figures) -> Any:
    """Several cards on PCIe whose strategy sends weights or activations over it."""
    heavy = _sharded(c) | (number(c, "hardware.tensor_parallel") > 1)
    apart = light(c.fact("form", "hardware.gpu", lambda gpu: float(gpu.form == "pcie")))
    return heavy & (apart > 0) & (number(c, "hardware.gpus_per_node") > 1)


def _consumer(c: Columns, _: Figures) -> Any:
    """Cards without link and, by stock drivers, without peer access."""
    alone = light(
        c.fact("no peer", "hardware.gpu", lambda gpu: float(gpu.p2p is False and gpu.link == "none"))
    )
    return (alone > 0) & (number(c, "hardware.gpus_per_node") > 1)


def _bought(c: Columns, _: Figures) -> Any:
    board = light(c.fact("boards", "hardware.gpu", lambda gpu: float(bool(gpu.boards))))
    return (board > 0) & (stated(c, "cost.rent") == 0)


def _claimed(_: Columns, done: Figures) -> Any:
    return ~np.isnan(done["network.guide_overhead"].value)


def _adapters(c: Columns, done: Figures) -> Any:
    """Sharded adapters whose base would fit each GPU whole, four fifths of it at most."""
    adapters = light(c.is_in("workload.method", "full")) == 0
    width = np.where(light(c.is_in("workload.method", "qlora", "qdora")) > 0, QUANTIZED_BYTES, WEIGHT_BYTES)
    fits = done["vram.params"].value * width < BASE_SHARE * done["vram.usable"].value
    return adapters & fits & _sharded(c) & _several(c, done)


NETWORK: tuple[Rule, ...] = (
    Rule(
        id="network.joined", title="Nodes are joined", severity=Severity.VIOLATION, figure="network.unjoined",
        limit=0.0, when=_nodes, fields=("network.fabric", "network.links_per_node"),
        message="{value} nodes stand without a network: name a fabric", ok="the nodes are joined",
        source="arithmetic", doc="Training over several nodes needs a network between them.",
    ),
    Rule(
        id="network.overhead", title="Network overhead", severity=Severity.WARNING, figure="network.overhead",
        limit=0.10, when=_several,
        fields=("network.fabric", "network.links_per_node", "hardware.sharding", "workload.micro_batch"),
        message="{value} of each step waits for links, {margin} over {limit}",
        ok="{value} of each step waits for links",
        source="torchtitan on 8 to 128 H100 loses 1.8-2.7 %; 10 % is where a faster network pays",
        doc="Communication that computation cannot hide. It halves when the tokens of a micro-batch double.",
    ),
    Rule(
        id="network.stalled", title="Network decides", severity=Severity.VIOLATION, figure="network.overhead",
        limit=0.30, when=_several,
        fields=("network.fabric", "network.links_per_node", "hardware.sharding", "workload.micro_batch"),
        message="{value} of each step waits for links, over {limit}: another strategy or network is needed",
        ok="{value} of each step waits for links", source="as network.overhead; the guide's worst is 25 %",
        doc="Beyond a third of the time more GPUs hardly help.",
    ),
    Rule(
        id="network.guide", title="Guide's overhead", severity=Severity.NOTICE, figure="network.overhead",
        limit="network.guide_overhead", when=_claimed, fields=("network.fabric", "network.links_per_node"),
        message="{value} where the guide says {limit} for this fabric; it names neither cards nor batch",
        ok="{value}, the guide says {limit} for this fabric", source=GUIDE,
        doc="3, 8 and 25 % on 4 nodes of 8 H100: reproduced at 4,096 tokens a GPU with a card for each "
        "GPU and "
        "full sharding, refuted for adapters with plain data parallelism.",
    ),
    Rule(
        id="network.nvlink_absent", title="NVLink exists", severity=Severity.VIOLATION,
        figure="network.absent_link", limit=0.0, fields=("hardware.gpu_link", "hardware.gpu"),
        message="{value} GPUs have no such link; no driver adds one", ok="the GPUs have the link",
        source=_SHEET,
        doc="RTX 4090, 5090, Ada and L40S have no NVLink; patched drivers open PCIe peer access, not NVLink.",
    ),
    Rule(
        id="network.p2p", title="Peer access", severity=Severity.NOTICE, figure="network.inside",
        sense="at_least", limit=48e9, when=_consumer, fields=("hardware.gpu", "hardware.gpu_link"),
        message="PCIe only, through host memory: collectives reach {value}", ok="collectives reach {value}",
        source="simpleP2P logs in public threads; NVIDIA/nccl 307, 1639",
        doc="Stock drivers refuse peer access on GeForce cards. Plain data parallelism with adapters does "
        "not "
        "mind; sharding does.",
    ),
    Rule(
        id="network.nvlink_need", title="A link for sharding", severity=Severity.WARNING,
        figure="network.inside", sense="at_least", limit=100e9, when=_over_pcie,
        fields=("hardware.gpu_link", "hardware.sharding", "hardware.gpu"),
        message="sharded weights pass {value} links in the node; with adapters that fit, ddp sends far less",
        ok="sharded weights pass {value} links in the node",
        source="Answer.AI: 2x RTX 3090 FSDP 1,199 s, DDP 881 s; MLPerf: 8 H200 over NVLink bridges -11 %",
        doc="The guide calls NVLink mandatory for eight GPUs; for plain data parallelism it is not.",
    ),
    Rule(
        id="network.tensor_scope", title="Tensor parallel in the node", severity=Severity.WARNING,
        figure="network.tensor", limit="network.node_gpus", fields=("hardware.tensor_parallel",),
        when=lambda c, _: number(c, "hardware.tensor_parallel") > 1,
        message="tensor parallelism over {value} GPUs leaves the node of {limit}",
        ok="tensor parallelism over {value} GPUs stays in the node", source="Megatron-LM, 2104.04473",
        doc="All-reduces of every layer cannot be hidden; they belong on NVLink.",
    ),
    Rule(
        id="network.cards", title="Network cards", severity=Severity.WARNING, figure="network.links_per_gpu",
        sense="at_least", limit=1.0, when=_sharded_nodes, fields=("network.links_per_node",),
        message="{value} links a GPU where full sharding over nodes wants {limit}", ok="{value} links a GPU",
        source="4 nodes of 8 H100 with one link a node: 28-65 % of the time lost",
        doc="Systems for training have a card for each GPU.",
    ),
    Rule(
        id="network.tcp", title="Without RDMA", severity=Severity.WARNING, figure="network.tcp", limit=0.0,
        when=_sharded_nodes, fields=("network.fabric",),
        message="full sharding over TCP: the guide's 25 % case", ok="RDMA between nodes",
        source="NCCL talk GTC 2024: 100 GbE over TCP 10 of 12.5 GB/s, at ten times the latency",
        doc="Sharding over nodes wants RDMA with GPUDirect.",
    ),
    Rule(
        id="network.oversubscription", title="Oversubscription", severity=Severity.WARNING,
        figure="network.oversubscription", limit=1.0, when=_sharded_nodes,
        fields=("network.oversubscription",),
        message="oversubscribed {value} under traffic that leaves the leaf in every layer",
        ok="not oversubscribed", source="arithmetic; 2:1 is acceptable for plain data parallelism",
        doc="Full sharding sends three times the weights in each micro-batch.",
    ),
    Rule(
        id="network.lora_sharded", title="Sharding a frozen base", severity=Severity.NOTICE,
        figure="network.volume", limit=10e9, when=_adapters, fields=("hardware.sharding",),
        message="sharding sends the frozen base twice a micro-batch, {value} a step; ddp sends adapters "
        "alone, and the base would fit each GPU",
        ok="{value} a step", source="Answer.AI; Rajbhandari et al. 2020",
        doc="Adapters with plain data parallelism send megabytes.",
    ),
    Rule(
        id="network.board", title="GPUs on their board", severity=Severity.WARNING, figure="network.loose",
        limit=0.0, when=_bought, fields=("hardware.gpus_per_node", "hardware.gpu"),
        message="{value} GPUs beyond what boards carry: these modules are sold on whole boards",
        ok="as boards carry them", source=_SHEET,
        doc="SXM and OAM modules come on boards of 4 or 8.",
    ),
    Rule(
        id="network.switch_absent", title="NVSwitch exists", severity=Severity.WARNING,
        figure="network.absent_switch", limit=0.0, fields=("hardware.gpu_link", "hardware.gpus_per_node"),
        message="{value} GPUs on a board without NVSwitch: they are wired to one another",
        ok="as the board is built", source=_SHEET,
        doc="HGX boards of four join their GPUs directly; NVSwitch is on boards of eight.",
    ),
)  # fmt: skip
