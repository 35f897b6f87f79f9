"""What the figures of networks are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.engine.tables import network as t
from ftbuild.units import Kind

_RING = "ring collectives: all-gather or reduce-scatter (n - 1) / n S / B, all-reduce twice that"

VOLUME = FigureSpec(
    "network.volume", "Traffic / step", Kind.STORAGE,
    "what passes each GPU's links: weights gathered + gradients reduced + tensor and expert parallel + other "
    "activations",
    "1910.02054 section 7 for sharding, 1909.08053, 2104.04473, 2310.01889, 2006.16668 for the others",
    "hybrid sharding, compressed gradients",
)  # fmt: skip
TIME = FigureSpec(
    "network.time", "Communication / step", Kind.DURATION,
    "the slower of (volume / bandwidth in the node) and (volume / bandwidth between nodes), hops x latency "
    "added; what overlaps with computation included",
    _RING + "; bus bandwidth as measured (tables.network, catalog fabrics)",
    "untuned routing, which takes 0.6 to 0.95 of a RoCE fabric",
)  # fmt: skip
EXPOSED = FigureSpec(
    "network.exposed", "Waiting for links", Kind.DURATION,
    "max((1 - h) T_comm, T_comm - w T_comp) + tensor and expert parallel; h is hidden by prefetch, w the "
    "most that computation hides",
    t.TRAFFIC[-1].source,
)  # fmt: skip
OVERHEAD = FigureSpec(
    "network.overhead", "Network overhead", Kind.SHARE,
    "exposed / (compute + exposed)",
    "arithmetic; held against the guide's 3, 8 and 25 % on 4 nodes of 8 H100",
)  # fmt: skip
INSIDE = FigureSpec(
    "network.inside", "Link in the node", Kind.RATE,
    "bus bandwidth of the GPUs' own link where it joins all of them, else of PCIe by generation, lanes and "
    "peer access",
    "tables.network.GPU_LINKS and PCIE",
)  # fmt: skip
BETWEEN = FigureSpec(
    "network.between", "Links between nodes", Kind.RATE,
    "links x rate x share that collectives reach / oversubscription, of one node", "catalog fabrics",
)  # fmt: skip
GUIDE = FigureSpec(
    "network.guide_overhead", "Guide's overhead", Kind.SHARE,
    "3 % for InfiniBand NDR 400, 8 % for RoCE 200, 25 % for 100 GbE", "the guide, on 4 nodes of 8 H100",
    "how many cards, which strategy, which batch: it names none of them",
)  # fmt: skip
UNJOINED = FigureSpec(
    "network.unjoined", "Nodes without a network", Kind.COUNT, "nodes where fabric is none, less one",
    "arithmetic",
)  # fmt: skip
ABSENT = FigureSpec(
    "network.absent_link", "GPUs without the link", Kind.COUNT,
    "GPUs where gpu_link names a link that the card does not have", "data sheets in the catalog",
)  # fmt: skip
LOOSE = FigureSpec(
    "network.loose", "GPUs beside a board", Kind.COUNT,
    "GPUs that fill no board: the count modulo the nearest board", "data sheets in the catalog",
)  # fmt: skip
TENSOR = FigureSpec(
    "network.tensor", "Tensor parallel", Kind.COUNT, "as stated", "the build",
)  # fmt: skip
NODE_GPUS = FigureSpec(
    "network.node_gpus", "GPUs of a node", Kind.COUNT, "as stated", "the build",
)  # fmt: skip
LINKS_PER_GPU = FigureSpec(
    "network.links_per_gpu", "Links / GPU", Kind.COUNT, "links of a node / its GPUs", "arithmetic",
)  # fmt: skip
TCP = FigureSpec(
    "network.tcp", "Fabric without RDMA", Kind.COUNT, "1 where the fabric has none", "catalog fabrics",
)  # fmt: skip
OVERSUBSCRIPTION = FigureSpec(
    "network.oversubscription", "Oversubscription", Kind.RATIO, "as stated", "the build",
)  # fmt: skip
ABSENT_SWITCH = FigureSpec(
    "network.absent_switch", "GPUs without the switch", Kind.COUNT,
    "GPUs where gpu_link names an NVSwitch that their board does not have", "data sheets in the catalog",
)  # fmt: skip
