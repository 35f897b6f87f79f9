"""What some model families save that their kind of norm and MLP does not tell."""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "saved tensors of transformers 5.24 modelling files, listed with saved_tensors_hooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """Bytes that a norm saves of one element of its input, beside what the next layer saves.

    `frozen` holds where its weight is frozen, `trained` where it trains; `compute` and `residual` are
    counts of copies in those dtypes.
    """

    frozen: float
    trained: float
    frozen_residual: float = 0.0
    trained_residual: float = 0.0


NORMS = {
    "rms": Norm(frozen=4, trained=4, trained_residual=1),
    "rms_fp32": Norm(frozen=4, trained=8),
    "rms_offset": Norm(frozen=4, trained=8),
    "layer": Norm(frozen=0, trained=0, frozen_residual=1, trained_residual=1),
    "layer_nobias": Norm(frozen=8, trained=12),
}
"""rms: the fp32 input, and the normalised input for the weight's gradient. layer: its input."""

FAMILY_NORMS = {
    "olmo2": "rms_fp32",
    "olmo3": "rms_fp32",
    "gpt_oss": "rms_fp32",
    "mpt": "layer",
}
"""Families that multiply by the weight in fp32, or whose norm is torch's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """MLP-wide tensors that the activation saves, beside the input of the last linear layer."""

    kept: float
    backward: float
    """MLP-wide gradients alive at once in the backward pass, less the freed input of the last linear."""
    shares_output: float = 0.0
    """1 where what it saves is that input itself (relu)."""


ACTIVATIONS = {
    "gated": Activation(kept=3, backward=2),
    "plain": Activation(kept=1, backward=1),
    "gelu_new": Activation(kept=4, backward=3),
    "gpt_oss": Activation(kept=6, backward=3),
    "relu": Activation(kept=1, backward=1, shares_output=1),
}
"""gated: the gate, the activated gate and the up projection. gelu_new: a formula of four steps."""

FAMILY_ACTIVATIONS = {
    "phi": "gelu_new",
    "gptj": "gelu_new",
    "gpt2": "gelu_new",
    "codegen": "gelu_new",
    "opt": "relu",
    "gpt_oss": "gpt_oss",
}

NORM_INPUTS = {"gpt_neox": 1, "falcon": 1}
"""Families whose norms of a layer read one and the same tensor."""

MATH_ATTENTION = frozenset({"falcon", "gpt_bigcode", "deepseek_v2", "deepseek_v3"})
"""Families whose sdpa call takes the unfused path (one broadcast head, or values narrower than keys)."""

SCORES = {"gpt_oss": (0.0, 1.0), "gemma2": (1.0, 2.0)}
"""Copies of the scores that eager attention saves, in fp32 and in the compute dtype, where not (1, 1):
sinks take the softmax in the compute dtype, soft-capped scores keep one more."""

RAW_LOGITS = frozenset(
    {"qwen", "chatglm", "gpt_bigcode", "gpt2", "gpt_neox", "bloom", "falcon", "mpt", "opt", "phi", "gptj"}
)
"""Families that took the loss of 16-bit logits before transformers moved it to one function (4.46)."""
