"""Optimizer states, masters, gradients and the workspace of a step."""

from __future__ import annotations

from typing import Any


def state_bytes(
    *,
    parameters: Any,
    embedding: Any,
    dtype: Any,
    states: Any,
    fixed: Any,
    embedding_32bit: Any,
    master: Any,
) -> Any:
    """Bytes of optimizer states of `parameters` elements of `dtype` bytes.

    `master` 1: fp32 weights beside 16-bit ones, and states in fp32 (1910.02054, K = 12 for Adam).
    `embedding` of the elements keep 32-bit states under an 8-bit optimizer.
    """
    states_dtype = dtype + master * (4 - dtype)
    per_parameter = states * states_dtype + fixed + master * 4 * (dtype < 4)
    return parameters * per_parameter + embedding * embedding_32bit * (8 - fixed)


def workspace_bytes(
    *,
    parameters: Any,
    largest: Any,
    dtype: Any,
    foreach: Any,
    copies: Any,
    per_largest: Any,
) -> Any:
    """Bytes that a step allocates: `foreach` copies of all parameters, or so much for the largest tensor."""
    return foreach * parameters * dtype + largest * (copies * dtype + per_largest)
