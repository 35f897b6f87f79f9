"""Optimizers, loss kernels, checkpointing and attention: what each keeps in memory."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimizer(Choice):
    """States and workspace of an optimizer, per trainable parameter."""

    states: float
    """States in the parameter's own dtype."""
    state_bytes: float = 0.0
    """Bytes of states of a fixed dtype (8-bit blocks)."""
    workspace: float = 0.0
    """Temporary of the step over all parameters at once, in parameters' dtype (foreach)."""
    workspace_largest: float = 0.0
    """Temporary of the step on the largest parameter, bytes an element."""
    workspace_copies: float = 0.0
    """The same in copies of the parameter's dtype."""
    embedding_32bit: float = 0.0
    """1 where embeddings keep two fp32 states (bitsandbytes' GlobalOptimManager in the HF Trainer)."""
    paged: float = 0.0
    """1 where states may move to host memory under pressure."""


INF = float("inf")
_BNB = "bitsandbytes block-wise 8-bit optimizers, 2110.02861: blocks of 256 with an fp32 absmax"

OPTIMIZERS = (
    Optimizer(id="adamw", states=2, workspace=1, source="torch.optim.AdamW, foreach (default on CUDA)"),
    Optimizer(
        id="adamw-loop",
        states=2,
        workspace_copies=2,
        source="torch.optim.AdamW(foreach=False), one tensor at a time",
    ),
    Optimizer(id="adamw-fused", states=2, source="torch.optim.AdamW(fused=True)"),
    Optimizer(id="adamw-8bit", states=0, state_bytes=2 * (1 + 4 / 256), embedding_32bit=1, source=_BNB),
    Optimizer(id="paged-adamw", states=2, paged=1, source="bitsandbytes paged AdamW, 32-bit states"),
    Optimizer(
        id="paged-adamw-8bit",
        states=0,
        state_bytes=2 * (1 + 4 / 256),
        embedding_32bit=1,
        paged=1,
        source=_BNB,
    ),
    Optimizer(
        id="adafactor",
        states=0,
        state_bytes=0.002,
        workspace_largest=12,
        source="1804.04235; transformers Adafactor: fp32 gradient, square and update of one tensor at a time",
    ),
    Optimizer(id="lion", states=1, source="2302.06675: one momentum"),
    Optimizer(id="lion-8bit", states=0, state_bytes=1 + 4 / 256, embedding_32bit=0.5, source=_BNB),
    Optimizer(id="sgd", states=0, source="torch.optim.SGD without momentum"),
    Optimizer(id="sgd-momentum", states=1, source="torch.optim.SGD with momentum"),
    Optimizer(
        id="muon",
        states=1,
        workspace_largest=8,
        source="Muon: one momentum a matrix, bf16 Newton-Schulz iterates of one matrix at a time; "
        "AdamW on vectors and embeddings is counted as one state too",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(Choice):
    """Bytes for one logit (a token by a vocabulary entry) at the peak of the loss."""

    fp32: float
    """fp32 copies at the backward pass of the loss: log-softmax, its gradient, the logits' gradient."""
    compute: float
    """Copies in the compute dtype."""
    chunk: float
    """Tokens that the above holds for at a time; infinite where it holds for all."""
    hidden_chunk: float
    """The same, as a multiple of T h / V: chunks whose logits weigh as much as the hidden states."""
    stack_copies: float
    """1 where the library's own copies of logits (`Stack.logits_copies`) come on top."""
    recomputes_gate: float = 0.0
    """1 where its library computes the activated gate again in the backward pass, and writes gradients
    over what was saved (Liger's SwiGLU)."""
    fused_norms: float = 0.0
    """1 where its library's norms save their 16-bit input alone (Liger's RMSNorm)."""
    head_gradient: float = 0.0
    """fp32 accumulators of the head's weight gradient (fused linear losses, when the head trains)."""


LOSSES = (
    Loss(
        id="standard",
        fp32=3,
        compute=0,
        chunk=INF,
        hidden_chunk=INF,
        stack_copies=1,
        source="torch cross_entropy over logits.float(): log_softmax saved, two gradients of its size",
    ),
    Loss(
        id="kernel",
        fp32=0,
        compute=4,
        chunk=INF,
        hidden_chunk=INF,
        stack_copies=1,
        source="fused cross-entropy over whole logits (fms-acceleration, Unsloth): A100 rows, 8 B a logit",
    ),
    Loss(
        id="chunked",
        fp32=3,
        compute=1,
        chunk=256,
        hidden_chunk=INF,
        stack_copies=0,
        source="TRL chunked NLL, 256 tokens at a time; torchtune CEWithChunkedOutputLoss",
    ),
    Loss(
        id="fused",
        fp32=1,
        compute=1,
        chunk=INF,
        hidden_chunk=1.5,
        stack_copies=0,
        head_gradient=1,
        recomputes_gate=1,
        fused_norms=1,
        source="Liger fused linear cross-entropy, 2410.10989: chunks of T h / V tokens, up to a power of two",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointing(Choice):
    """What stays of a layer between its forward and backward pass."""

    kept: float
    """Share of a layer's saved activations that stays."""
    attention_kept: float
    """Share of the attention's own (queries, keys, values, scores, output) that stays."""
    inputs: float
    """1 where each layer's input is saved to compute it again."""
    offloaded: float = 0.0
    """Share of the saved inputs that waits in host memory."""
    operations: float = 0.0
    """1 where the core attention's output and every second matrix product of a layer stay."""


CHECKPOINTING = (
    Checkpointing(id="none", kept=1, attention_kept=1, inputs=0, source="everything is saved"),
    Checkpointing(
        id="selective",
        kept=1,
        attention_kept=0,
        inputs=0,
        source="Korthikanti et al. 2022, 2205.05198: the core attention is computed again",
    ),
    Checkpointing(
        id="selective-ops",
        kept=0,
        attention_kept=0,
        inputs=1,
        operations=1,
        source="torchtitan's selective mode by operation (torch selective checkpoint contexts): every second "
        "matrix product from the first, and the core attention",
    ),
    Checkpointing(
        id="full",
        kept=0,
        attention_kept=0,
        inputs=1,
        source="torch.utils.checkpoint around each layer",
    ),
    Checkpointing(
        id="offloaded",
        kept=0,
        attention_kept=0,
        inputs=1,
        offloaded=1,
        source="layer inputs copied to pinned host memory (Unsloth gradient checkpointing, torchtune)",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention(Choice):
    """What the attention kernel saves."""

    expanded: float
    """1 where keys and values are repeated to the number of query heads."""
    statistics: float
    """fp32 values a query head and token (log-sum-exp)."""
    scores_fp32: float
    """fp32 copies of the scores that are saved."""
    scores: float
    """Copies of the scores in the compute dtype that are saved."""
    scores_backward: float
    """fp32 copies of the scores alive in the backward pass beside the saved ones, the second freed."""
    scores_cuda: float
    """Further copies in the compute dtype that CUDA runs show and counted steps do not (T4, fitcheck)."""
    mask: float
    """Additive sequence x sequence masks that each layer saves, in the compute dtype."""
    mask_kept: float
    """Bytes an element of the mask that all layers read; checkpointing keeps it for them."""
    math: float = 0.0
    """1 where head widths or head counts that the kernel lacks fall back to fp32 scores."""


ATTENTION = (
    Attention(
        id="flash",
        expanded=0,
        statistics=1,
        scores_fp32=0,
        scores=0,
        scores_backward=0,
        scores_cuda=0,
        mask=0,
        mask_kept=0,
        source="FlashAttention-2, 2307.08691: q, k, v, output and log-sum-exp",
    ),
    Attention(
        id="sdpa",
        expanded=1,
        statistics=1,
        scores_fp32=0,
        scores=0,
        scores_backward=0,
        scores_cuda=0,
        mask=1,
        mask_kept=1,
        math=1,
        source="transformers 5.24 sdpa_attention, a boolean mask turned additive in each call; repeat_kv",
    ),
    Attention(
        id="eager",
        expanded=1,
        statistics=0,
        scores_fp32=1,
        scores=1,
        scores_backward=2,
        scores_cuda=1.5,
        mask=0,
        mask_kept=2,
        source="transformers 5.24 eager_attention_forward: fp32 softmax, cast, matmul",
    ),
)
