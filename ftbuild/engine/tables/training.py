"""Which weights train, in which precision, for which objective: one row a choice."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(Choice):
    """Which weights train. Flags are 0 or 1."""

    adapters: float
    """The base is frozen and low-rank adapters train."""
    quantized: float
    """The base's linear layers are kept in few bits."""
    magnitude: float = 0.0
    """A magnitude vector a target (DoRA), and its weight norm in the forward pass."""


METHODS = (
    Method(id="full", adapters=0, quantized=0, source="every parameter trains"),
    Method(id="lora", adapters=1, quantized=0, source="Hu et al. 2021, 2106.09685"),
    Method(id="dora", adapters=1, quantized=0, magnitude=1, source="Liu et al. 2024, 2402.09353"),
    Method(id="qlora", adapters=1, quantized=1, source="Dettmers et al. 2023, 2305.14314"),
    Method(id="qdora", adapters=1, quantized=1, magnitude=1, source="2402.09353 over 2305.14314"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization(Choice):
    """Bytes of one quantised element of the base."""

    packed: float
    """Bytes of the element's own bits."""
    constants: float
    """Bytes an element of scales and zero points."""
    constants_double: float
    """The same when the constants are quantised too."""
    few_bits: float = 1.0
    """0 where nothing is quantised."""
    kept_fp16: float = 0.0
    """The modules that are not quantised are fp16, whatever the precision asked for."""


QUANTIZATIONS = (
    Quantization(
        id="none",
        packed=2,
        constants=0,
        constants_double=0,
        few_bits=0,
        source="16-bit base",
    ),
    Quantization(
        id="nf4",
        packed=0.5,
        constants=4 / 64,
        constants_double=1 / 64 + 4 / (64 * 256),
        source="2305.14314 sections 3 and 4: blocks of 64, fp32 absmax; 8-bit absmax in blocks of 256",
    ),
    Quantization(
        id="fp4",
        packed=0.5,
        constants=4 / 64,
        constants_double=1 / 64 + 4 / (64 * 256),
        source="bitsandbytes 4-bit storage, same blocks as nf4",
    ),
    Quantization(
        id="int8",
        packed=1,
        constants=4 / 4096,
        constants_double=4 / 4096,
        source="LLM.int8(), 2208.07339: one fp32 scale an output row (taken at 4096 columns)",
    ),
    Quantization(
        id="gptq4",
        packed=0.5,
        constants=2.5 / 128,
        constants_double=2.5 / 128,
        kept_fp16=1,
        source="GPTQ 2210.17323 files of group 128: fp16 scale and 4-bit zero point a group",
    ),
    Quantization(
        id="gptq4-columns",
        packed=0.5,
        constants=2.5 / 8192,
        constants_double=2.5 / 8192,
        kept_fp16=1,
        source="GPTQ files without groups (group_size -1, usual at 70B): a scale and zero point an output "
        "column, taken at 8192 inputs",
    ),
    Quantization(
        id="2bit",
        packed=0.25,
        constants=4 / 64,
        constants_double=4 / 64,
        source="HQQ 2-bit, group 64: fp16 scale and zero point a group",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision(Choice):
    """Bytes of one element by what it is for."""

    weight: float
    compute: float
    """Of matrix multiplications and what they save."""
    residual: float
    """Of the hidden state that passes from layer to layer."""
    autocast: float
    """1 where torch.autocast casts fp32 weights at each use and caches the copies."""
    linear_input: float = 0.0
    """Of what a linear layer saves of its input, where that differs from `compute`; 0 where it does not."""


PRECISIONS = (
    Precision(id="bf16", weight=2, compute=2, residual=2, autocast=0, source="weights and compute bf16"),
    Precision(
        id="bf16-mixed",
        weight=4,
        compute=2,
        residual=4,
        autocast=1,
        source="torch.autocast over fp32 weights",
    ),
    Precision(
        id="fp16-mixed",
        weight=4,
        compute=2,
        residual=4,
        autocast=1,
        source="torch.autocast over fp32 weights",
    ),
    Precision(id="fp32", weight=4, compute=4, residual=4, autocast=0, source="weights and compute fp32"),
    Precision(
        id="fp8",
        weight=2,
        compute=2,
        residual=2,
        autocast=0,
        linear_input=1,
        source="bf16 weights, linear inputs saved in 8 bits (Transformer Engine, torchao float8)",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective(Choice):
    """What the run optimises, and what it keeps for that."""

    sequences: float
    """Sequences in one forward pass of the trained model for one sample of the micro batch."""
    reference_model: float = 0.0
    """Frozen copies of the base beside it; with adapters the base itself serves, adapters off."""
    value_model: float = 0.0
    """Further models that train with it, of its size (PPO's critic)."""
    frozen_models: float = 0.0
    """Further frozen models of its size (PPO's reward model)."""
    logits: float = 1.0
    """0 where a scalar head replaces the vocabulary."""
    kept_log_probs: float = 0.0
    """Copies of fp32 logits beside the loss's own (log-probabilities of both answers)."""
    rollout: float = 0.0
    """Share of the card that a colocated generation engine takes, its weights and cache included."""


OBJECTIVES = (
    Objective(id="sft", sequences=1, source="one forward and backward pass a sample"),
    Objective(
        id="dpo",
        sequences=2,
        reference_model=1,
        kept_log_probs=0.5,
        source="2305.18290; TRL DPOTrainer concatenates chosen and rejected",
    ),
    Objective(
        id="orpo", sequences=2, kept_log_probs=0.5, source="2403.07691: chosen and rejected, no reference"
    ),
    Objective(
        id="kto",
        sequences=2,
        reference_model=1,
        kept_log_probs=0.5,
        source="2402.01306; TRL KTOTrainer runs a second, mismatched batch for the KL term",
    ),
    Objective(id="reward", sequences=2, logits=0, source="TRL RewardTrainer: two sequences, scalar head"),
    Objective(
        id="ppo",
        sequences=1,
        reference_model=1,
        value_model=1,
        frozen_models=1,
        kept_log_probs=1,
        source="TRL PPOTrainer: policy, reference, value and reward models",
    ),
    Objective(
        id="grpo",
        sequences=1,
        reference_model=1,
        kept_log_probs=1,
        rollout=0.3,
        source="2402.03300; TRL GRPOTrainer: policy, reference (with beta), colocated vLLM at 0.3",
    ),
)
