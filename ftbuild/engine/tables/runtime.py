"""How fast training runs: utilisation by GPU and stack, passes by method, and what slows them."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice

UNSURE = "assumed; no published run of this class with an ordinary stack was found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilisation(Choice):
    """Share of the dense 16-bit peak that training reaches, recomputation counted as work (HFU).

    `gpus` are beginnings of catalog ids. `low` and `high` bound the share as factors of it.
    """

    gpus: tuple[str, ...]
    plain: float
    """Ordinary kernels (transformers as it comes)."""
    fused: float
    """Fused norms, rotary, cross-entropy and adapters."""
    tuned: float
    """A vendor's tuned stack, 16-bit."""
    fp8: float
    """Linear layers of a vendor's tuned fp8 stack, of the 16-bit peak; attention stays in 16 bits."""
    full: float = 1.0
    """Factor for full fine-tuning: larger matrices of gradients."""
    low: float = 0.75
    high: float = 1.25


UTILISATION = (
    Utilisation(id="a100", gpus=("a100", "a30"), plain=0.54, fused=0.62, tuned=0.62, fp8=0.62, full=1.065,
                low=0.83, high=1.2,
                source="fms-acceleration A100: LoRA 0.56-0.62, full 0.61-0.71, plain kernels x0.87"),
    Utilisation(id="h100", gpus=("h100", "gh200"), plain=0.34, fused=0.42, tuned=0.45, fp8=0.73, low=0.75,
                high=1.3,
                source="torchtitan 0.31-0.35 MFU, llm-foundry 0.40-0.59 HFU, Megatron 0.41-0.48, "
                "HF + DeepSpeed 0.27-0.34, NeMo AutoModel 0.43; MLPerf Training v4.0-v5.0 Llama-2-70B LoRA "
                "fp8 0.59-0.70"),
    Utilisation(id="h200", gpus=("h200",), plain=0.34, fused=0.43, tuned=0.47, fp8=0.86, low=0.75, high=1.3,
                source="MLPerf Training v4.0-v5.0 Llama-2-70B LoRA fp8 0.82; 16-bit as H100"),
    Utilisation(id="b200", gpus=("b100", "b200", "b300"), plain=0.22, fused=0.27, tuned=0.38, fp8=0.81,
                low=0.6, high=1.35,
                source="MLPerf Training v5.0 Llama-2-70B LoRA fp8 0.75; "
                "torchtitan 8B bf16 0.19, power limited; " + UNSURE),
    Utilisation(id="gb200", gpus=("gb200", "gb300"), plain=0.22, fused=0.27, tuned=0.38, fp8=0.73, low=0.6,
                high=1.35,
                source="MLPerf Training v5.0 LoRA fp8 0.69, Megatron-Bridge 70B mxfp8 0.63; " + UNSURE),
    Utilisation(id="mi300", gpus=("mi300", "mi250", "mi210"), plain=0.23, fused=0.28, tuned=0.40, fp8=0.52,
                low=0.7, high=1.4, source="MLPerf Training v5.0 LoRA 0.50; torchtitan 8B bf16 0.22"),
    Utilisation(id="mi325", gpus=("mi325",), plain=0.25, fused=0.32, tuned=0.50, fp8=0.66, low=0.7, high=1.4,
                source="MLPerf Training v5.0 LoRA 0.67; " + UNSURE),
    Utilisation(id="mi350", gpus=("mi35",), plain=0.23, fused=0.28, tuned=0.40, fp8=0.52, low=0.6, high=1.5,
                source="as MI300X; " + UNSURE),
    Utilisation(id="l40s", gpus=("l40s",), plain=0.35, fused=0.42, tuned=0.35, fp8=0.32, low=0.75, high=1.35,
                source="MLPerf Training v4.0 LoRA on 64 and 384 L40S 0.30; " + UNSURE),
    Utilisation(id="ada", gpus=("rtx-40", "rtx-6000-ada", "rtx-5000-ada", "l4-", "l40-"), plain=0.52,
                fused=0.60, tuned=0.60, fp8=0.60, low=0.8, high=1.2,
                source="Answer.AI 7B LoRA 0.61, QLoRA 0.59 on 2x RTX 4090; torchtune full 0.62, QLoRA 0.69"),
    Utilisation(id="ampere", gpus=("rtx-30", "rtx-a", "a40", "a10"), plain=0.52, fused=0.58, tuned=0.58,
                fp8=0.58, low=0.8, high=1.2, source="Answer.AI 7B on 2x RTX 3090 at 280 W 0.52-0.71"),
    Utilisation(id="blackwell-workstation", gpus=("rtx-50", "rtx-pro"), plain=0.45, fused=0.55, tuned=0.55,
                fp8=0.60, low=0.7, high=1.25, source="as Ada; " + UNSURE),
    Utilisation(id="gaudi", gpus=("gaudi",), plain=0.35, fused=0.40, tuned=0.45, fp8=0.55, low=0.7, high=1.3,
                source="MLPerf Training v4.0 LoRA on 8 Gaudi 2: 77.9 min"),
    Utilisation(id="apple", gpus=("apple",), plain=0.40, fused=0.40, tuned=0.40, fp8=0.40, low=0.7, high=1.3,
                source="mlx-lm QLoRA of Qwen3-8B on M1 Max, 72.9-78.1 tokens/s: 0.40 of the fp32 rate, "
                "which is the 16-bit rate of these GPUs"),
    Utilisation(id="other", gpus=("",), plain=0.30, fused=0.35, tuned=0.40, fp8=0.45, low=0.6, high=1.6,
                source=UNSURE),
)  # fmt: skip
"""The longest beginning that fits a GPU's id decides; ``other`` fits all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSpeed(Choice):
    """Which column of `Utilisation` a framework reaches: 0 or 1."""

    fused: float = 0.0
    tuned: float = 0.0
    fp8_gain: float = 1.25
    """Over 16-bit, with the framework's own fp8; the tuned stack has a column of its own."""


_STACKS = "kernels that each stack turns on by default, read from its documentation"
STACK_SPEED = (
    StackSpeed(id="transformers", source=_STACKS),
    StackSpeed(id="trl", source=_STACKS),
    StackSpeed(id="axolotl", fused=1, source=_STACKS),
    StackSpeed(id="llama-factory", source=_STACKS),
    StackSpeed(id="unsloth", fused=1, source=_STACKS),
    StackSpeed(id="torchtune", fused=1, source=_STACKS + "; torchtune's A100 tables 0.61 LoRA, 8 GPUs"),
    StackSpeed(id="deepspeed", source=_STACKS),
    StackSpeed(id="megatron", fused=1, tuned=1, source="MLPerf submissions with NeMo and Megatron-LM"),
    StackSpeed(id="mlx", fused=1, source="mlx-lm"),
    StackSpeed(id="torchtitan", fused=1, fp8_gain=1.28, source="torchtitan's tables are among Utilisation's"),
    StackSpeed(id="transformers-loop", source=_STACKS),
    StackSpeed(id="litgpt", source=_STACKS),
    *(
        StackSpeed(
            id=f"{name}{form}", fused=fused, source="fms-acceleration A100: kernels of each set of runs"
        )
        for name, forms, fused in (
            ("trl-2024", ("", "-bf16", "-kbit"), 0.0),
            ("trl-2025", ("", "-bf16", "-kbit"), 0.0),
            ("fms-acceleration", ("", "-bf16"), 1.0),
            ("fms-acceleration-2025", ("", "-bf16"), 1.0),
        )
        for form in forms
    ),
)
FP8_GAIN_SOURCE = "torchtitan Llama 3 8B on H100: 8,532 against 6,667 tokens/s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes(Choice):
    """FLOPs of a parameter and token: 2 for each pass through its matrix."""

    base: float
    """Forward, gradient of the input, and gradient of the weight where it trains."""
    reads: float
    """Passes that read the weights from memory."""
    adapter: float = 0.0
    """The same for adapter parameters."""
    slow: float = 1.0
    """Factor on time for what the method adds beside matrix work."""


PASSES = (
    Passes(id="full", base=6, reads=3, source="Kaplan et al. 2020, 2001.08361: 6 N a token"),
    Passes(id="lora", base=4, reads=2, adapter=6, source="frozen weights need no gradient of their own"),
    Passes(id="dora", base=4, reads=2, adapter=6, slow=1.15,
           source="2402.09353; peft notes that DoRA costs more than LoRA, how much is assumed"),
    Passes(id="qlora", base=4, reads=2, adapter=6, source="2305.14314; dequantisation is counted apart"),
    Passes(id="qdora", base=4, reads=2, adapter=6, slow=1.15, source="as dora"),
)  # fmt: skip
ATTENTION_PASSES = 3.5
"""Matrix work of flash attention, forward and backward, over the forward pass (2307.08691, section 3)."""
RECOMPUTE = 2.0
"""FLOPs of a parameter and token in a forward pass that runs again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute(Choice):
    """Share of the forward pass that runs again."""

    linear: float
    attention: float


RECOMPUTES = (
    Recompute(id="none", linear=0, attention=0, source="nothing is computed again"),
    Recompute(id="selective", linear=0, attention=1, source="2205.05198: the core attention"),
    Recompute(id="selective-ops", linear=0.4, attention=0,
              source="torchtitan: keys, attention's output layer and the up projection of a Llama layer"),
    Recompute(id="full", linear=1, attention=1, source="torch.utils.checkpoint around each layer"),
    Recompute(id="offloaded", linear=1, attention=1, source="as full; inputs come back over PCIe, hidden"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSpeed(Choice):
    """Time of attention's matrix work over that of flash attention."""

    slow: float


ATTENTION_SPEED = (
    AttentionSpeed(id="flash", slow=1, source="the utilisation rows were measured with it"),
    AttentionSpeed(id="sdpa", slow=1.1, source="torch's fused kernels; the mask and repeated keys, assumed"),
    AttentionSpeed(id="eager", slow=4, source="2205.14135: 2-4x slower than flash attention, growing with s"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveSpeed(Choice):
    """What an objective computes beside one forward and backward pass."""

    forwards: float
    """Further forward passes of the model over each token (reference, reward)."""
    times: float = 1.0
    """Factor on the whole for generation and further models."""
    times_low: float = 1.0
    times_high: float = 1.0


OBJECTIVE_SPEED = (
    ObjectiveSpeed(id="sft", forwards=0, source="one forward and backward pass"),
    ObjectiveSpeed(id="dpo", forwards=1, source="2305.18290: a reference forward pass"),
    ObjectiveSpeed(id="orpo", forwards=0, source="2403.07691: no reference"),
    ObjectiveSpeed(id="kto", forwards=2, source="TRL KTOTrainer: reference, and the mismatched batch"),
    ObjectiveSpeed(id="reward", forwards=0, source="one forward and backward pass of both answers"),
    ObjectiveSpeed(id="ppo", forwards=0, times=5.4, times_low=3, times_high=6.6,
                   source="DeepSpeed-Chat: OPT-13B PPO 10.8 h against SFT 2.5 h and reward 0.25 h on 8 A100, "
                   "OPT-66B 6.6x on 64; the guide's 1.5-2x is too low by about 3"),
    ObjectiveSpeed(id="grpo", forwards=1, times=4, times_low=3, times_high=6,
                   source="as PPO without critic and reward model, with a fast rollout engine; assumed"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts(Choice):
    """What a mixture of experts reaches of a dense model's utilisation."""

    width: float
    """Largest width of one expert's MLP that the row is for."""
    factor: float


EXPERTS = (
    Experts(id="dense", width=0, factor=1.0, source="no experts"),
    Experts(id="fine", width=3072, factor=0.2,
            source="fms-acceleration: 7B-A1B at 0.13 with ScatterMoE, 0.03 with a loop over experts"),
    Experts(id="coarse", width=1e9, factor=0.88, source="fms-acceleration: Mixtral QLoRA at 0.55"),
)  # fmt: skip

DEQUANTIZED_BYTES = 2.5
"""Bytes moved to turn one 4-bit weight into 16 bits: 0.5 read, 2 written."""
DEQUANTIZE_SHARE = 0.18
"""Rate of dequantisation over memory bandwidth: 0.35 of 2.0 TB/s on A100 with bitsandbytes of 2023, which
gives the +29 % of 7B at 2,048 tokens and the +4 % at 16,384 (litgpt, torchtune, fms-acceleration)."""
OPTIMIZER_BYTES = 28.0
"""Bytes that AdamW moves for a parameter: fp32 weight and two moments read and written, gradient read, 16-bit
weight written (2101.06840)."""
WEIGHT_BYTES = 2.0

POWER_LIMITS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
POWER_SPEEDS = (0.42, 0.68, 0.80, 0.89, 0.95, 0.98, 1.0)
"""Speed of compute-bound 16-bit training under a limit of board power. Puget: 0.80 to 0.95 on RTX 3090; MIT
Lincoln Laboratory: V100 at 0.60 takes 6.8 % longer (2205.09646); no sweep on H100 is published. Band 0.05 at
0.8 and 0.08 at 0.6; below 0.5 extended."""

FP8_CAPABILITY = 8.9
"""Compute capability from which NVIDIA cards multiply fp8: Ada (Transformer Engine, installation)."""
