"""Estimate of the number of entries of a factor, for libraries that do not report it beforehand."""

from __future__ import annotations

import numpy as np
import scipy

#: the estimates below were within this factor of the truth for boxes, bars and plates of tet10, hex8 and hex20
#: with 1 000 to 230 000 unknowns (measured with METIS in PARDISO, minimum degree in SuperLU)
FILL_UNCERTAINTY = 2.5


def estimated_fill(A: scipy.sparse.csr_array, dissection: bool = True) -> int:
    """Return about how many entries L has in A = L L', by nested dissection or by minimum degree.

    From the mean width w of the profile that reverse Cuthill and McKee leave, which is about the number of
    unknowns in a cross-section: nested dissection of solids leaves 15 n sqrt(w) entries (a cube of m^3 nodes
    has w ~ m^2, and the known n^(4/3); a long bar n times a constant), minimum degree the lesser of
    0.8 n w and 30 n sqrt(w). ``A`` symmetric, both triangles, no empty row.
    """
    n = A.shape[0]
    width = profile(A) / n
    count = 15 * np.sqrt(width) if dissection else min(0.8 * width, 30 * np.sqrt(width))
    return max(int(n * count), A.nnz // 2)


def profile(A: scipy.sparse.csr_array) -> int:
    """Return the sum of the distances of first entries from the diagonal, in reverse Cuthill-McKee order."""
    order = scipy.sparse.csgraph.reverse_cuthill_mckee(A, symmetric_mode=True)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    filled = np.flatnonzero(np.diff(A.indptr))  # reduceat needs rows with entries
    leftmost = np.minimum.reduceat(place[A.indices], A.indptr[filled])
    return int(np.maximum(place[filled] - leftmost, 0).sum() + len(order))
