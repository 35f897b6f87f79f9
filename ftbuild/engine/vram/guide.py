"""The guide's own estimate, shown beside the model's and never judged by."""

from __future__ import annotations

from typing import Any

import numpy as np


def guide_parts(
    parameters: Any, bits: Any, adapters: Any, checkpointed: Any, tokens: Any = 4096.0
) -> dict[str, Any]:
    """Bytes of the guide's snippet, by its own terms, for all GPUs together.

    `parameters` in elements; `bits` 16, 8 or 4; `adapters` and `checkpointed` 0 or 1. With B = parameters /
    1e9 it takes B bits/8 for weights and again for gradients, 8 B for optimizer states (2 % of that with
    adapters), 4 bytes a token for each of B/2 layers whatever their width, and halves all of it with
    checkpointing, weights too. Source: the guide, "Here's a simple Python snippet". For 70B in 4 bits it
    returns 40.6 GB where its text says 45.
    """
    billions = parameters / 1e9
    weights = billions * bits / 8
    states = billions * 8 * (1 - adapters * 0.98)
    activations = tokens * np.floor(billions * 0.5) * 4 / 1e9
    scale = 1e9 * (1 - 0.5 * checkpointed)
    return {
        "weights": weights * scale,
        "optimizer": states * scale,
        "gradients": weights * scale,
        "activations": activations * scale,
    }
