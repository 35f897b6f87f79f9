"""Sharding and offload: which part of the states a rank holds, and what it gathers."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharding(Choice):
    """What data-parallel ranks divide among them. Flags are 0 or 1."""

    parameters: float
    gradients: float
    states: float
    gathered: float = 0.0
    """Layers held whole while they compute, the next one prefetched included."""
    kept_whole: float = 0.0
    """1 where gathered layers stay whole from the forward to the backward pass."""
    casts_shards: float = 0.0
    """1 where mixed precision gathers shards in the compute dtype, so that nothing runs in fp32."""
    root: float = 0.0
    """Embeddings and head stay whole from the forward pass to the end of the backward pass."""
    reduce_layers: float = 0.0
    """Layers' gradients in reduce-scatter buffers beside the gradients themselves."""
    gradient_copies: float = 0.0
    """Copies of all gradients in communication buckets."""
    bucket: float = 0.0
    """Elements of fixed communication buckets, in the compute dtype; no more than there are gradients."""
    live: float = 0.0
    """Elements of gathered parameters that may stay alive (stage3_max_live_parameters)."""
    master: float = 0.0
    """1 where the engine keeps fp32 weights and fp32 states for 16-bit parameters."""
    upcast: float = 0.0
    """1 where mixed precision makes trainable 16-bit shards fp32 (accelerate)."""


_ZERO = "Rajbhandari et al. 2020, 1910.02054; DeepSpeed configuration defaults"

SHARDING = (
    Sharding(id="none", parameters=0, gradients=0, states=0, source="one GPU, or layers split by hand"),
    Sharding(
        id="ddp",
        parameters=0,
        gradients=0,
        states=0,
        gradient_copies=1,
        source="torch DistributedDataParallel: buckets beside the gradients (gradient_as_bucket_view off)",
    ),
    Sharding(id="zero1", parameters=0, gradients=0, states=1, bucket=5e8, master=1, source=_ZERO),
    Sharding(id="zero2", parameters=0, gradients=1, states=1, bucket=1e9, master=1, source=_ZERO),
    Sharding(
        id="zero3",
        parameters=1,
        gradients=1,
        states=1,
        gathered=1,
        reduce_layers=1,
        bucket=5e8,
        live=1e9,
        master=1,
        source=_ZERO,
    ),
    Sharding(
        id="fsdp",
        parameters=1,
        gradients=1,
        states=1,
        gathered=2,
        root=1,
        casts_shards=1,
        reduce_layers=1,
        upcast=1,
        source="torch FSDP2 fully_shard per layer, one prefetch; FSDPMemTracker of torch 2.13",
    ),
    Sharding(
        id="fsdp-shard-grad-op",
        parameters=1,
        gradients=1,
        states=1,
        gathered=2,
        root=1,
        casts_shards=1,
        kept_whole=1,
        reduce_layers=1,
        upcast=1,
        source="torch FSDP2 fully_shard with reshard_after_forward=False; FSDPMemTracker of torch 2.13",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload(Choice):
    """What leaves the GPU between uses. Flags are 0 or 1."""

    states: float
    gradients: float
    parameters: float
    nvme: float = 0.0


OFFLOAD = (
    Offload(id="none", states=0, gradients=0, parameters=0, source="all on the GPU"),
    Offload(
        id="optimizer",
        states=1,
        gradients=1,
        parameters=0,
        source="DeepSpeed offload_optimizer: states and gradients on the host",
    ),
    Offload(
        id="parameters",
        states=1,
        gradients=1,
        parameters=1,
        source="DeepSpeed offload_param, FSDP CPUOffload: a layer at a time on the GPU",
    ),
    Offload(id="nvme", states=1, gradients=1, parameters=1, nvme=1, source="ZeRO-Infinity, 2104.07857"),
)
