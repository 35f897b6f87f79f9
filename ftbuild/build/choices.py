"""Names that the choice fields of a build accept; the engine's tables hold a row for each."""

from __future__ import annotations

OBJECTIVES = ("sft", "dpo", "orpo", "kto", "reward", "ppo", "grpo")
METHODS = ("full", "lora", "dora", "qlora", "qdora")
QUANTIZED_METHODS = ("qlora", "qdora")
QUANTIZATIONS = ("none", "nf4", "fp4", "int8", "gptq4", "gptq4-columns", "2bit")
TARGETS = ("all-linear", "attention", "qv")
PRECISIONS = ("bf16", "bf16-mixed", "fp16-mixed", "fp32", "fp8")
OPTIMIZERS = (
    "adamw", "adamw-fused", "adamw-8bit", "paged-adamw", "paged-adamw-8bit", "adafactor", "lion", "lion-8bit",
    "sgd", "sgd-momentum", "muon",
)  # fmt: skip
CHECKPOINTING = ("none", "selective", "selective-ops", "full", "offloaded")
ATTENTION = ("flash", "sdpa", "eager")
LOSSES = ("standard", "kernel", "chunked", "fused")
FRAMEWORKS = (
    "transformers", "trl", "axolotl", "llama-factory", "unsloth", "torchtune", "torchtitan", "deepspeed",
    "megatron", "mlx", "transformers-loop", "trl-2025", "trl-2025-bf16", "trl-2025-kbit", "trl-2024",
    "trl-2024-bf16", "trl-2024-kbit", "fms-acceleration-2025", "fms-acceleration-2025-bf16",
    "fms-acceleration", "fms-acceleration-bf16", "litgpt",
)  # fmt: skip
"""Today's stacks, then those of a past year, by which a run of that time is described. `-bf16`: the model
runs in 16 bits without autocast; `-kbit`: with peft's preparation of a base in few bits."""
GPU_LINKS = ("auto", "nvswitch", "nvlink", "pcie", "none")
SHARDING = ("none", "ddp", "zero1", "zero2", "zero3", "fsdp")
OFFLOAD = ("none", "optimizer", "parameters", "nvme")
RAID = ("none", "0", "1", "5", "6", "10")
SHARED_STORAGE = ("none", "nfs", "cifs", "lustre", "juicefs", "minio")
DATA_KINDS = ("text", "images", "video")
REDUNDANCY = ("none", "n+1", "n+2", "1+1", "2+1", "2+2", "3+1", "3+3", "4+1", "4+2", "4+4", "5+1", "6+2")
TIERS = ("white", "bronze", "silver", "gold", "platinum", "titanium")
COOLING = ("air", "liquid-loop", "dlc", "dlc+rdhx", "immersion")
PROFILES = ("standard", "guide")
