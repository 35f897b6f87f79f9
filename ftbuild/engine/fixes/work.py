"""Moves on the training run: what people change before they buy anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ftbuild.engine.fixes.site import Site

Changes = Mapping[str, str]

_CHECKPOINTING = ("none", "selective", "full")
_ATTENTION = ("eager", "sdpa", "flash")
_SMALLER: Mapping[str, tuple[str, ...]] = {
    "adamw": ("adamw-8bit", "paged-adamw-8bit"),
    "adamw-fused": ("adamw-8bit", "paged-adamw-8bit"),
    "adamw-8bit": ("paged-adamw-8bit",),
    "paged-adamw": ("paged-adamw-8bit",),
    "lion": ("lion-8bit",),
}
"""Optimizers that keep the same states in fewer bytes of the GPU (bitsandbytes)."""
_LIGHTER: Mapping[str, tuple[str, ...]] = {
    "fp32": ("bf16-mixed", "bf16"), "bf16-mixed": ("bf16",), "fp16-mixed": ("bf16",),
}  # fmt: skip
_ADAPTERS = {"full": ("lora",)}
_QUANTIZED = {"full": ("qlora",), "lora": ("qlora",), "dora": ("qdora",)}
_STRONGER: Mapping[str, tuple[str, ...]] = {
    "none": ("zero2", "fsdp", "zero3"), "ddp": ("zero2", "fsdp", "zero3"), "zero1": ("zero2", "zero3"),
    "zero2": ("zero3",), "zero3": ("fsdp",), "fsdp": ("zero3",),
}  # fmt: skip
_DIVIDES = ("ddp", "zero1", "zero2", "fsdp", "zero3")
_OFFLOAD = ("none", "optimizer", "parameters")
_OFFLOADS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "optimizer": (("zero1", "zero2", "zero3"), "zero2"),
    "parameters": (("zero3", "fsdp"), "zero3"),
}
"""Strategies that offload each, and the one taken else: DeepSpeed's offload_optimizer works from stage 1,
offload_param with stage 3 alone; FSDP's CPU offload moves everything."""
_CONTEXT = ("fsdp", "zero3")
"""Strategies under which trainers split sequences."""
_CUTS = (3 / 4, 1 / 2, 3 / 8, 1 / 4, 1 / 8)
_SEQUENCE_STEP = 256
_LEAST_RANK = 8
_MOST_SPLITS = 8


def attention(site: Site) -> Iterator[Changes]:
    """Yield kernels that keep no score matrix."""
    yield from _later("workload.attention", _ATTENTION, site)


def checkpointing(site: Site) -> Iterator[Changes]:
    """Yield what keeps fewer activations."""
    yield from _later("workload.checkpointing", _CHECKPOINTING, site)


def offload_activations(site: Site) -> Iterator[Changes]:
    """Yield checkpointing whose kept activations leave the card."""
    if site.get("workload.checkpointing") != "offloaded":
        yield {"workload.checkpointing": "offloaded"}


def free_card(site: Site) -> Iterator[Changes]:
    """Yield a card that nothing else uses."""
    if site.get("hardware.vram_reserved") > 0:
        yield {"hardware.vram_reserved": "0"}


def double_quantization(site: Site) -> Iterator[Changes]:
    """Yield 8-bit constants."""
    if not site.get("workload.double_quant") and site.get("workload.method").startswith("q"):
        yield {"workload.double_quant": "true"}


def packing(site: Site) -> Iterator[Changes]:
    """Yield samples packed to the sequence length."""
    if not site.get("workload.packing"):
        yield {"workload.packing": "true"}


def loss(site: Site) -> Iterator[Changes]:
    """Yield losses that never hold all logits."""
    if site.get("workload.loss") != "fused":
        yield {"workload.loss": "fused"}


def micro_batch(site: Site) -> Iterator[Changes]:
    """Yield smaller micro batches with the same global batch, the largest first."""
    rows, times = site.get("workload.micro_batch"), site.get("workload.gradient_accumulation")
    parts = [factor for factor in range(2, min(rows, 4096) + 1) if rows % factor == 0]
    for factor in dict.fromkeys((*parts[:7], *parts[-1:])):
        yield {
            "workload.micro_batch": str(rows // factor),
            "workload.gradient_accumulation": str(times * factor),
        }


def larger_micro_batch(site: Site) -> Iterator[Changes]:
    """Yield larger micro batches with the same global batch."""
    rows, times = site.get("workload.micro_batch"), site.get("workload.gradient_accumulation")
    for factor in (2, 4, 8, 16):
        if times % factor == 0:
            yield {
                "workload.micro_batch": str(rows * factor),
                "workload.gradient_accumulation": str(times // factor),
            }


def optimizer(site: Site) -> Iterator[Changes]:
    """Yield the same optimizer with smaller states."""
    for name in _SMALLER.get(site.get("workload.optimizer"), ()):
        yield {"workload.optimizer": name}


def adapter_precision(site: Site) -> Iterator[Changes]:
    """Yield adapters in 16 bits."""
    if site.get("workload.adapter_precision") == "fp32" and site.get("workload.method") != "full":
        yield {"workload.adapter_precision": "bf16"}


def sharding(site: Site) -> Iterator[Changes]:
    """Yield strategies that divide more, where there are GPUs to divide over."""
    if site.ranks > 1:
        for name in _STRONGER.get(site.get("hardware.sharding"), ()):
            yield {"hardware.sharding": name}


def replicas(site: Site) -> Iterator[Changes]:
    """Yield strategies that divide less, and send less, and can still offload what is offloaded."""
    able, _ = _OFFLOADS.get(site.get("hardware.offload"), (_DIVIDES, ""))
    now = _DIVIDES.index(site.get("hardware.sharding")) if site.get("hardware.sharding") in _DIVIDES else 0
    for name in (name for name in reversed(_DIVIDES[:now]) if name in able):
        yield {"hardware.sharding": name}


def tensor_parallel(site: Site) -> Iterator[Changes]:
    """Yield splits of layers that stay within a node."""
    ways = site.get("hardware.tensor_parallel")
    while ways % 2 == 0:
        ways //= 2
        yield {"hardware.tensor_parallel": str(ways)}


def context_parallel(site: Site) -> Iterator[Changes]:
    """Yield splits of the sequence over GPUs that are there."""
    hardware = site.build.hardware
    taken = hardware.tensor_parallel * hardware.pipeline_parallel
    now = hardware.context_parallel
    shards = {} if hardware.sharding in _CONTEXT or site.get("workload.framework") == "megatron" else {
        "hardware.sharding": _CONTEXT[0]
    }  # fmt: skip
    for ways in range(now + 1, min(_MOST_SPLITS, site.ranks // taken) + 1):
        if ways % now == 0 and site.ranks % (taken * ways) == 0:
            held = site.get("workload.gradient_accumulation") * ways // now
            yield {
                "hardware.context_parallel": str(ways),
                "workload.gradient_accumulation": str(held),
                **shards,
            }


def precision(site: Site) -> Iterator[Changes]:
    """Yield precisions whose weights take less."""
    for name in _LIGHTER.get(site.get("workload.precision"), ()):
        yield {"workload.precision": name}


def offload(site: Site) -> Iterator[Changes]:
    """Yield what may leave the GPU for RAM, with a strategy that can do it."""
    now = site.get("hardware.sharding")
    for changes in _later("hardware.offload", _OFFLOAD, site):
        able, first = _OFFLOADS[changes["hardware.offload"]]
        if now in able:
            yield changes
        elif now != "fsdp":
            yield {**changes, "hardware.sharding": first}


def no_offload(site: Site) -> Iterator[Changes]:
    """Yield no offload, and offload of less."""
    place = _OFFLOAD.index(site.get("hardware.offload")) if site.get("hardware.offload") in _OFFLOAD else 3
    for name in reversed(_OFFLOAD[:place]):
        yield {"hardware.offload": name}


def rank(site: Site) -> Iterator[Changes]:
    """Yield halves of the rank."""
    size = site.get("workload.rank")
    while site.get("workload.method") != "full" and size // 2 >= _LEAST_RANK:
        size //= 2
        yield {"workload.rank": str(size)}


def adapters(site: Site) -> Iterator[Changes]:
    """Yield adapters over a frozen base."""
    for name in _ADAPTERS.get(site.get("workload.method"), ()):
        yield {"workload.method": name}


def quantize(site: Site) -> Iterator[Changes]:
    """Yield a 4-bit base."""
    for name in _QUANTIZED.get(site.get("workload.method"), ()):
        few = {} if site.get("workload.quantization") == "nf4" else {"workload.quantization": "nf4"}
        yield {"workload.method": name, **few}


def base_type(site: Site) -> Iterator[Changes]:
    """Yield a type of base that trainers load and sharding divides."""
    if site.get("workload.method").startswith("q") and site.get("workload.quantization") != "nf4":
        yield {"workload.quantization": "nf4"}


def sequence(site: Site) -> Iterator[Changes]:
    """Yield shorter sequences, in multiples of 256 tokens."""
    length = site.get("workload.sequence_length")
    cuts = (int(length * share) // _SEQUENCE_STEP * _SEQUENCE_STEP for share in _CUTS)
    for cut in dict.fromkeys(cuts):
        if 0 < cut < length:
            yield {"workload.sequence_length": str(cut)}


def _later(key: str, order: tuple[str, ...], site: Site) -> Iterator[Changes]:
    now = site.get(key)
    for name in order[order.index(now) + 1 :] if now in order else ():
        yield {key: name}
