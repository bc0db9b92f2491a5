"""Bodies that rebound, and act on each other."""

from __future__ import annotations

import numpy as np
import scipy

from ..compile.plan import Plan
from ..core.kinds import FIRST, ROW_FIRST, ROW_SECOND

#: A force that has set in less often is no reason for rebounds.
REPEATED = 3


def bodies_that_rebound(plan: Plan, blows: np.ndarray) -> int:
    """Return the largest number of bodies that rebound and act on each other, directly or through other bodies.

    Bodies act on each other by joints, by forces without blows, and by forces that set in again and again. What sets
    in once or twice connects nothing, and neither does the ground: two balls on one floor are two motions.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    blows : numpy.ndarray
        How often the force of each force element has set in, (m,).

    Returns
    -------
    int
        The number of bodies.
    """
    L, n = plan.layout, plan.n_bodies
    ends = L.frame_body[L.element[:, [FIRST, FIRST + 1]]]
    sets_in = np.array([law.sets_in for law in plan.elements.laws], dtype=bool)
    acting = ends[~sets_in | (blows >= REPEATED)]
    frames = L.row_frame[:, [ROW_FIRST, ROW_SECOND]]
    rows = np.where(frames >= 0, L.frame_body[frames], -1)
    pairs = np.concatenate([rows, acting])
    pairs = pairs[(pairs >= 0).all(axis=1)]
    links = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (n, n))
    _, mechanism = scipy.sparse.csgraph.connected_components(links, directed=False)
    struck = np.unique(ends[blows >= REPEATED])
    return int(np.bincount(mechanism[struck[struck >= 0]], minlength=1).max())
