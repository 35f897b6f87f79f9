"""What training reads: bytes and samples per second."""

from __future__ import annotations

from typing import Any

import numpy as np

from ftbuild.engine.light import pick
from ftbuild.engine.tables import storage as table


def bytes_per_token(size: Any, tokens: Any, vocabulary: Any, text: Any) -> Any:
    """Return bytes read for a token: the data set's own, or ids of 2 or 4 bytes for text without a count."""
    ids = pick(vocabulary > table.WIDE_VOCABULARY, 4.0, 2.0)
    return pick(np.isnan(tokens), pick(text > 0, ids, np.nan), size / tokens)


def offload_bytes(trained: Any, parameters: Any, micro_batches: Any) -> tuple[Any, Any]:
    """Return bytes read and written in an optimizer step whose states and parameters are on NVMe."""
    passes = table.OFFLOAD_PASSES * table.FINAL_BYTES * parameters * micro_batches
    return table.OFFLOAD_READ * trained + passes, table.OFFLOAD_WRITE * trained
