"""What links really carry, and what each strategy sends over them."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic(Choice):
    """Collectives of a sharding strategy, in multiples of the payload that passes each rank."""

    gathers: float = 0.0
    """All-gathers of the weights in a micro-batch."""
    reduces: float = 0.0
    """Reduce-scatters of the gradients in a micro-batch."""
    step_gathers: float = 0.0
    """All-gathers of the trained weights in a step."""
    step_reduces: float = 0.0
    """Reductions of the gradients in a step: 2 passes for an all-reduce, 1 for a reduce-scatter."""
    hidden: float = 0.7
    """Share of the time that overlaps with computation."""


_OVERLAP = (
    "torchtitan Llama 3 8B FSDP, 8 to 128 H100 over 400G a GPU: 1.8-2.7 % lost where communication is 7-10 % "
    "of computation; bucketed or prefetched collectives"
)
_ZERO = "Rajbhandari et al. 2020, 1910.02054, section 7; " + _OVERLAP

TRAFFIC = (
    Traffic(id="none", step_reduces=2, source="counted as data parallel where a build has several GPUs"),
    Traffic(id="ddp", step_reduces=2, source="torch DistributedDataParallel, no_sync under accumulation"),
    Traffic(id="zero1", step_reduces=1, step_gathers=1, source=_ZERO),
    Traffic(id="zero2", reduces=1, step_gathers=1, source=_ZERO),
    Traffic(id="zero3", gathers=2, reduces=1, source=_ZERO),
    Traffic(id="fsdp", gathers=2, reduces=1, source=_OVERLAP + "; reshard after forward"),
)
MOST_HIDDEN = 0.9
"""Most communication that computation can hide, as a share of computation: never all of it."""

TENSOR_REDUCES = 4.0
"""All-reduces of a layer and micro-batch under tensor parallelism (1909.08053)."""
TENSOR_REDUCES_AGAIN = 2.0
"""More of them where the layer is computed again."""
CONTEXT_PASSES = 3.0
"""Passes of keys and values around the ring: forward once, backward twice with gradients (2310.01889)."""
EXPERT_EXCHANGES = 4.0
"""All-to-alls of a mixture-of-experts layer: dispatch and combine, forward and backward (2006.16668)."""
PIPELINE_PASSES = 2.0
"""Transfers at a stage boundary of a micro-batch: forward and backward (2104.04473)."""
ACTIVATION_BYTES = 2.0
WEIGHT_BYTES = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLink(Choice):
    """Bus bandwidth of collectives over the sheet's per-direction bandwidth, and the latency of a hop."""

    share: float
    latency: float


_BUS = "nccl-tests and NCCL talks: bus bandwidth over the sheet's, large messages"
_HOP = "; NCCL tuning constants, NVLink 3.4 us"
GPU_LINKS = (
    GpuLink(id="nvlink2", share=0.81, latency=3.4e-6, source=_BUS + " (122 of 150 GB/s)" + _HOP),
    GpuLink(id="nvlink3", share=0.78, latency=3.4e-6, source=_BUS + " (232-235 of 300)" + _HOP),
    GpuLink(id="nvlink4", share=0.81, latency=3.4e-6, source=_BUS + " (361-370 of 450)" + _HOP),
    GpuLink(id="nvlink5", share=0.75, latency=3.4e-6, source=_BUS + " (673-682 of 900)" + _HOP),
    GpuLink(id="infinity-fabric", share=0.70, latency=5e-6, source=_BUS + " (8x MI300X 313 of 448)"),
    GpuLink(id="gaudi", share=0.75, latency=5e-6, source="as Infinity Fabric, assumed"),
    GpuLink(id="none", share=0.0, latency=5.7e-6, source="NCCL tuning constants, PCIe 5.7 us"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PcieLink(Choice):
    """Bus bandwidth of collectives over PCIe x16, bytes/s."""

    generation: float
    peer: float
    """One card reads another's memory."""
    host: float
    """Through host memory: consumer cards with stock drivers."""


PCIE = (
    PcieLink(id="pcie3", generation=3, peer=11e9, host=4e9, source="half of PCIe 4"),
    PcieLink(id="pcie4", generation=4, peer=24e9, host=8e9,
             source="NCCL talk GTC 2024: 24 GB/s; without peer access NVIDIA/nccl 307: 24 in a socket, 10 "
             "across, 6-8 for pairs of RTX 4090; band 6-24"),
    PcieLink(id="pcie5", generation=5, peer=48e9, host=28e9,
             source="NCCL talk GTC 2024: 48 GB/s (37-41 in workstations of eight); NVIDIA/nccl 1639: 28-35 "
             "on RTX 5090"),
    PcieLink(id="pcie6", generation=6, peer=96e9, host=56e9, source="twice PCIe 5"),
)  # fmt: skip
