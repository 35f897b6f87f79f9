"""Logits and loss."""

from __future__ import annotations

from typing import Any

import numpy as np


def logit_bytes(fp32: Any, compute_copies: Any, stack_copies: Any, softcap: Any, compute: Any) -> Any:
    """Bytes of one logit at the peak of the loss: fp32 copies, and copies in the compute dtype."""
    return 4 * fp32 + compute * (compute_copies + softcap) + 2 * stack_copies


def raw_logit_bytes(bytes_fp32: Any, raw: Any, autocast: Any, compute: Any) -> Any:
    """Bytes of one logit where a family's own loss keeps logits in 16 bits.

    Without autocast all three tensors of the loss are 16-bit; with it they are fp32, and accelerate keeps
    an fp32 copy of the outputs beside them (ConvertOutputsToFp32).
    """
    apart = autocast * (bytes_fp32 + 4) + (1 - autocast) * 3 * compute
    return bytes_fp32 + raw * (apart - bytes_fp32)


def loss_bytes(tokens: Any, vocab: Any, hidden: Any, per_logit: Any, chunk: Any, hidden_chunk: Any) -> Any:
    """Bytes of logits and their gradients: min(T, chunk) V times bytes a logit.

    `hidden_chunk` bounds the chunk by a multiple of T h / V tokens (2410.10989, section 3.2).
    """
    at_once = np.minimum(np.minimum(tokens, chunk), hidden_chunk * tokens * hidden / vocab)
    return at_once * vocab * per_logit


def loss_of(work: Any) -> Any:
    """Return the bytes of logits and loss of one micro-batch on the rank that holds the head."""
    m, row, compute = work.model, work.loss, work.precision.compute
    tokens = work.micro_batch * work.objective.sequences * work.sequence / work.context
    copies = row.stack_copies * work.stack.logits_copies
    per_logit = logit_bytes(row.fp32 + work.objective.kept_log_probs, row.compute, copies, m.softcap, compute)
    in_fp32 = work.method.quantized * work.stack.kbit_embeddings
    kept = row.stack_copies * work.stack.outputs_kept * (compute + in_fp32 * (4 - compute))
    per_logit = per_logit + kept
    raw = m.raw_logits * work.stack.own_loss * (row.stack_copies > 0)
    per_logit = raw_logit_bytes(per_logit, raw, work.stack.autocast, compute)
    # Each chunk's logits and log-softmax; a soft cap saves its own output.
    chunks = work.stack.chunks_kept * (row.chunk < np.inf) * compute * (2 + m.softcap) * tokens * m.vocab
    whole = chunks + loss_bytes(tokens, m.vocab, m.hidden, per_logit, row.chunk, row.hidden_chunk)
    whole = whole / work.tensor
    trained = row.head_gradient * (1 - work.method.adapters) * m.vocab * m.hidden * compute
    return (whole + trained) * work.objective.logits
