"""Training stacks: dated facts on what a framework adds to memory, and the fields that it fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack(Choice):
    """A framework at one version."""

    version: str
    as_of: str
    logits_copies: float = 0.0
    """16-bit copies of the logits alive beside the loss."""
    outputs_kept: float = 0.0
    """1 where the loop holds the model's outputs, logits among them, through the backward pass."""
    own_loss: float = 0.0
    """1 where each family's class takes its own loss (transformers before 4.46)."""
    hidden_copies: float = 0.0
    """16-bit copies of the last hidden state alive beside the loss."""
    autocast: float = 0.0
    """1 where bf16 weights run under torch.autocast as well (Trainer with bf16=True)."""
    shared_inputs: float = 0.0
    """1 where adapters read their layer's input as it is; 0 where peft casts a copy for each of them."""
    kbit_norms: float = 0.0
    """1 where norms of a k-bit base, and with them the hidden state, become fp32 (peft
    prepare_model_for_kbit_training), unless parameters are sharded, which wants one dtype."""
    kbit_embeddings: float = 0.0
    """1 where its embeddings and head become fp32 too (TRL of 2024 casts them back)."""
    adapters_apart: float = 0.0
    """1 where adapters over a base in few bits are left out of FSDP: whole on each rank, in 16 bits."""
    fsdp1: float = 0.0
    """1 for torch's first FSDP: gradients stay at rest; with adapters under checkpointing each layer's
    input and its gradient stay to the end of the backward pass."""
    hidden_work: float = 0.0
    """16-bit copies of the hidden state alive in a layer's backward pass, beyond what modules tell."""
    fused_qkv: float = 0.0
    """1 where the stack's own model classes have one projection for queries, keys and values."""
    kbit_inputs: float = 0.0
    """1 where k-bit layers save their input (bitsandbytes before 0.42)."""
    fused_norms: float = 0.0
    """1 where norms save their 16-bit input alone."""
    fused_mlp: float = 0.0
    """1 where the gated product is computed again in the backward pass."""
    liger: float = 0.0
    """1 where choosing the fused loss brings Liger's other kernels too (use_liger_kernel)."""
    kept_inputs: float = 0.0
    """Copies of the embedding's output that outlive the step (adapters with checkpointing, counted steps)."""
    fused_experts: float = 1.0
    """1 where a layer's experts are one tensor, which k-bit loaders leave in 16 bits (transformers 5;
    bitsandbytes#1849)."""
    kbit_experts: float = 0.0
    """1 where the stack quantises such experts itself."""
    master: float = 0.0
    """1 where 16-bit weights always have fp32 masters and states, sharded or not (Megatron, DeepSpeed)."""
    dropout_noise: float = 0.0
    """1 where dropout keeps its noise in the input's dtype (torch's CPU kernel); 0 for a byte an element."""
    masks: float = 0.0
    """1 where a mask is made for batches without padding too (counted steps)."""
    functional_sums: float = 0.0
    """1 where two gradients of a tied weight are summed into a third tensor (counted steps)."""
    fp32_gradients: float = 0.0
    """1 where gradients are accumulated in fp32 (Megatron's main gradients)."""
    sequence_parallel: float = 0.0
    """1 where tensor parallelism divides the hidden-wide activations too."""
    shards_16bit: float = 0.0
    """1 where its own preparation for FSDP2 leaves 16-bit shards as they are, where accelerate's makes
    them fp32."""
    gathered_inputs: float = 0.0
    """1 where sequence parallelism saves linear layers' inputs gathered (DTensor), not to gather again."""
    pipeline_whole: float = 0.0
    """1 where FSDP keeps parameters and gradients whole between a pipeline's micro-batches."""
    frozen_whole: float = 0.0
    """1 where FSDP leaves frozen layers gathered through the backward pass (FSDP1 before torch 2.2 runs its
    resharding hook on trained parameters alone)."""
    documented: float = 0.0
    """1 where the row was read in documentation and sources, and no step of the stack was counted."""
    few_bits_unresolved: float = 0.0
    """1 where measured runs over a base in few bits need more than the row explains."""
    blocks16: float = 0.0
    """1 where a fused loss leaves blocks of 16-bit logits and gradients that layers hardly reuse."""
    one_step: float = 0.0
    """1 where a process takes one step, so that no second forward pass meets split blocks."""
    chunks_kept: float = 0.0
    """1 where a loss in chunks leaves every chunk's 16-bit logits and log-softmax to the backward pass."""
    fused_gelu: float = 0.0
    """1 where the stack's own classes take torch's one-kernel GELU for every family."""
    untied: float = 0.0
    """1 where the stack's own model classes give every model a head of its own."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """Fields of a build that choosing the stack sets, each open to change."""


_TRAINER = {"loss": "standard", "optimizer": "adamw-fused", "attention": "sdpa", "adapter_precision": "fp32"}

_TRL_2024 = Stack(
    id="trl-2024",
    version="transformers 4.45, TRL 0.11, peft 0.12, torch 2.4",
    as_of="2024-10",
    own_loss=1,
    fsdp1=1,
    autocast=1,
    logits_copies=1,
    hidden_copies=1,
    fused_experts=0,
    fills=_TRAINER,
    source="fms-acceleration A100 benchmarks, set fms",
)
_TRL_2025 = replace(
    _TRL_2024,
    id="trl-2025",
    version="transformers 4.48, TRL 0.13, peft 0.14, torch 2.4",
    as_of="2025-02",
    logits_copies=0,
    source="fms-acceleration A100 benchmarks, set fms_granite",
)
_FMS_2024 = replace(
    _TRL_2024,
    id="fms-acceleration",
    version="fms-acceleration over transformers 4.45",
    hidden_work=4,
    hidden_copies=0,
    shared_inputs=1,
    fused_norms=1,
    blocks16=1,
    adapters_apart=1,
    fills={**_TRAINER, "loss": "kernel", "attention": "flash"},
    source="fms-acceleration A100 benchmarks, foak",
)
_FMS_2025 = replace(
    _FMS_2024,
    id="fms-acceleration-2025",
    version="fms-acceleration over transformers 4.48",
    as_of="2025-02",
    logits_copies=0,
    source="fms-acceleration A100 benchmarks, foak of the sets fms_liger and fms_granite",
)
_DATED = (_TRL_2024, _TRL_2025, _FMS_2024, _FMS_2025)
_A100 = (
    *_DATED,
    *(replace(row, id=f"{row.id}-bf16", autocast=0, version=f"{row.version}, no autocast") for row in _DATED),
    *(
        replace(row, id=f"{row.id}-kbit", kbit_norms=1, version=f"{row.version}, peft's k-bit preparation")
        for row in (_TRL_2024, _TRL_2025)
    ),
)

STACKS = (
    Stack(
        id="transformers",
        liger=1,
        version="transformers 5.24, peft 0.21",
        as_of="2026-11",
        kbit_norms=1,
        kbit_embeddings=1,
        fills=_TRAINER,
        source="transformers and peft sources; counted steps of torch 2.13",
    ),
    Stack(
        id="transformers-cpu",
        version="transformers 5.24, peft 0.21, torch's CPU kernels",
        as_of="2026-11",
        kept_inputs=2,
        dropout_noise=1,
        functional_sums=1,
        masks=1,
        fills=_TRAINER,
        source="steps of torch 2.13 counted on tensors without storage",
    ),
    Stack(
        id="transformers-loop",
        version="transformers 5.17, peft 0.20 in a loop written by hand",
        as_of="2026-09",
        outputs_kept=1,
        one_step=1,
        kbit_norms=1,
        kbit_embeddings=1,
        fills=_TRAINER,
        source="fitcheck T4 measurements 2026-09: logits in memory beside the loss's own three tensors",
    ),
    Stack(
        id="trl",
        documented=1,
        liger=1,
        version="TRL HEAD",
        as_of="2026-11",
        autocast=1,
        fills={**_TRAINER, "loss": "chunked", "adapter_precision": "bf16", "checkpointing": "full"},
        source="TRL SFTTrainer: chunked NLL, 16-bit adapters over a k-bit base, no k-bit preparation",
    ),
    Stack(
        id="axolotl",
        documented=1,
        liger=1,
        version="axolotl 0.12",
        shards_16bit=1,
        as_of="2026-11",
        autocast=1,
        fills={**_TRAINER, "attention": "flash", "checkpointing": "full"},
        kbit_experts=1,
        source="axolotl documentation and examples; its GLM-4.5-Air QLoRA in 63.4 GiB has experts in 4 bits",
    ),
    Stack(
        id="llama-factory",
        documented=1,
        liger=1,
        version="LLaMA-Factory 0.9",
        as_of="2026-11",
        autocast=1,
        fills={**_TRAINER, "checkpointing": "full"},
        source="LLaMA-Factory: adapters upcast to fp32 unless pure_bf16; checkpointing on by default",
    ),
    Stack(
        id="unsloth",
        documented=1,
        version="unsloth 2026.11",
        as_of="2026-11",
        autocast=1,
        shared_inputs=1,
        fused_norms=1,
        fused_mlp=1,
        kbit_experts=1,
        fills={
            "loss": "kernel",
            "optimizer": "adamw-8bit",
            "attention": "flash",
            "checkpointing": "offloaded",
            "adapter_precision": "fp32",
        },
        source="Unsloth documentation: fused LoRA MLP and QKV, cross-entropy kernel, offloaded "
        "checkpoints; experts in 4 bits since unsloth-zoo#527 (2026-06)",
    ),
    Stack(
        id="torchtune",
        documented=1,
        version="torchtune 0.6",
        as_of="2025-07",
        shared_inputs=1,
        fused_norms=0,
        fills={
            "loss": "chunked",
            "optimizer": "adamw-fused",
            "attention": "sdpa",
            "adapter_precision": "bf16",
        },
        source="torchtune recipes: everything in bf16, chunked cross-entropy",
    ),
    Stack(
        id="torchtitan",
        documented=1,
        version="torchtitan 0.1, torch 2.6",
        as_of="2025-02",
        shared_inputs=1,
        sequence_parallel=1,
        gathered_inputs=1,
        pipeline_whole=1,
        fills={
            "precision": "bf16-mixed",
            "loss": "standard",
            "optimizer": "adamw-fused",
            "attention": "sdpa",
            "checkpointing": "selective-ops",
        },
        source="torchtitan 2410.06511 and its parallelize_llama: fp32 shards gathered in bf16, sequence and "
        "loss parallelism with tensor parallelism, no resharding between pipeline micro-batches",
    ),
    Stack(
        id="deepspeed",
        documented=1,
        liger=1,
        version="DeepSpeed 0.18",
        as_of="2026-11",
        master=1,
        fills={**_TRAINER, "optimizer": "adamw-fused"},
        source="DeepSpeed bf16 engine: fp32 masters and states; transformers model and loss",
    ),
    Stack(
        id="megatron",
        documented=1,
        version="Megatron-Core 0.14",
        as_of="2026-11",
        shared_inputs=1,
        fused_norms=1,
        master=1,
        fp32_gradients=1,
        sequence_parallel=1,
        fills={
            "loss": "kernel",
            "optimizer": "adamw-fused",
            "attention": "flash",
            "adapter_precision": "bf16",
        },
        source="Megatron-Core distributed optimizer; 2205.05198",
    ),
    Stack(
        id="litgpt",
        frozen_whole=1,
        untied=1,
        chunks_kept=1,
        few_bits_unresolved=1,
        documented=1,
        fused_gelu=1,
        version="lit-gpt of 2023-10, bitsandbytes 0.41",
        as_of="2023-10",
        shared_inputs=1,
        fused_qkv=1,
        kbit_inputs=1,
        fills={"loss": "chunked", "optimizer": "adamw", "attention": "sdpa", "adapter_precision": "bf16"},
        source="lit-gpt model.py and resource tables: fused qkv, everything in bf16",
    ),
    Stack(
        id="mlx",
        documented=1,
        version="mlx-lm 0.28",
        as_of="2026-11",
        shared_inputs=1,
        fused_norms=1,
        fills={"loss": "standard", "optimizer": "adamw", "attention": "flash", "adapter_precision": "fp32"},
        source="mlx-lm LoRA trainer on unified memory",
    ),
    *_A100,
)
