"""Where consecutive pieces of an array begin."""

from __future__ import annotations

import numpy as np


def offsets(sizes) -> np.ndarray:
    """Return the starts of consecutive pieces with these sizes, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(np.asarray(list(sizes), dtype=np.int64))]).astype(np.int64)
