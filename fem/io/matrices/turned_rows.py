"""Rows of matrices that belong to nodes with axes of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy

from ...common.errors import FileError


def turned_rows(
    labels: np.ndarray, axes: Mapping[int, np.ndarray], whose: Callable[[int], str]
) -> scipy.sparse.csr_array:
    """Return T (rows, rows): motions along the axes of nodes are T times those along the global axes.

    ``labels`` (rows, 2): node and component; ``axes``: the axes (3, 3, rows) of nodes that have their own; FileError
    for such a node, named by ``whose``, that lacks rows of some of three directions.
    """
    row = {(int(n), int(c)): k for k, (n, c) in enumerate(labels)}
    T = scipy.sparse.eye_array(len(labels), format="lil")
    for number, own in axes.items():
        for first in (1, 4):
            at = [row.get((number, first + c), -1) for c in range(3)]
            if max(at) < 0:
                continue
            if min(at) < 0:
                raise FileError(f"{whose(number)} and lacks rows; give all components {first} to {first + 2}")
            for i, j in np.ndindex(3, 3):
                T[at[i], at[j]] = own[i, j]
    return scipy.sparse.csr_array(T)
