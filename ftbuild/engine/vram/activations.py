"""Saved activations, in bytes a token of one layer (or of the whole model where said).

Each function counts the tensors that autograd keeps in one module of the decoders in transformers 5.24,
found by listing saved tensors; T tokens, h hidden, i MLP width, q query width, s sequence length.
"""

from __future__ import annotations

from typing import Any


def norm_bytes(hidden: Any, keeps: Any, trained: Any, residual: Any) -> Any:
    """Bytes a token that one hidden-wide norm saves, its fp32 statistic included.

    `keeps` is ``(4, ...)``, `Shape.norm_keeps`; `trained` 0 or 1; `residual` bytes of the hidden state.
    """
    frozen = keeps[0] + keeps[1] * residual
    return hidden * (frozen + trained * (keeps[2] + keeps[3] * residual - frozen)) + 4


def attention_bytes(
    *,
    query: Any,
    key: Any,
    value: Any,
    attended: Any,
    heads: Any,
    fused_qkv: Any,
    sequence: Any,
    compute: Any,
    expanded: Any,
    statistics: Any,
    scores_fp32: Any,
    scores: Any,
) -> Any:
    """Bytes a token that the attention core saves: q, k, v, output, log-sum-exp, and scores where kept.

    Widths in elements; `compute` bytes an element. Repeated key and value heads count as query heads; a
    fused projection's values are a view that keeps queries and keys alive unless they are repeated.
    """
    repeated = expanded * (query - key)
    keys_values = key + value + 2 * repeated
    whole = fused_qkv * (repeated == 0) * (query + key)
    kept_scores = scores_fp32 * 4 + scores * compute * (compute < 4)
    return compute * (query + keys_values + whole + attended) + heads * (
        4 * statistics + sequence * kept_scores
    )


def query_norm_bytes(query: Any, key: Any, qk_norm: Any, trained: Any, compute: Any) -> Any:
    """Bytes a token that norms on queries and keys save: fp32 input, and normalised where trained."""
    return qk_norm * (query + key) * (4 + trained * compute)


def mlp_bytes(width: Any, kept: Any, shared: Any, compute: Any, output: Any) -> Any:
    """Bytes a token that an MLP of `width` saves.

    `kept` tensors of the activation; `output` bytes an element of what its last linear layer saves of its
    input; `shared` 1 where that is one of the kept.
    """
    return width * (kept * compute + output * (1 - shared))


def experts_bytes(
    *,
    per_token: Any,
    hidden: Any,
    width: Any,
    experts: Any,
    kept: Any,
    compute: Any,
    trained: Any,
) -> Any:
    """Bytes a token that routed experts save: permuted inputs, activations, outputs before weighting.

    Fused experts of transformers 5.24: outputs are kept for the weighting, inputs and products for the
    weights' gradients; router probabilities in fp32, six index entries a routed token.
    """
    routed = hidden * compute * (1 + trained) + width * compute * (kept + trained)
    return per_token * (routed + 60) + 4 * experts
