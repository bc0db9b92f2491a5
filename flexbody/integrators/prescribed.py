"""Bodies whose motion drives prescribe: their positions have no error of the method."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import VELOCITY
from ..core.structures import Work
from ..equations.constraint_jacobian import scaled, weighted
from ..equations.least_squares import RANK_TOLERANCE


def prescribed_bodies(plan: Plan, W: Work) -> np.ndarray:
    """Return which rigid bodies drives move that are joined to the ground alone.

    Force elements may connect them with other bodies, which then see their positions and velocities only. A body that
    is joined to another one passes errors of its accelerations on.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Scratch memory, in which the position is placed.

    Returns
    -------
    numpy.ndarray
        1 for such a body, 0 for others, (nb,).
    """
    L = plan.layout
    found = np.zeros(plan.n_bodies)
    if not len(L.drive_law) or not plan.n_rows:
        return found
    G = scaled(weighted(plan, W)[1])
    body = np.searchsorted(L.v_at, G.indices, side="right") - 1
    row = np.repeat(np.arange(plan.n_rows), np.diff(G.indptr))
    first = np.full(plan.n_rows, plan.n_bodies)
    np.minimum.at(first, row, body)
    last = np.full(plan.n_rows, -1)
    np.maximum.at(last, row, body)
    joined = np.unique(body[first[row] != last[row]])
    holds = L.row_kind != VELOCITY  # what holds a velocity lets errors of the position add up
    for b in np.setdiff1d(np.unique(body), joined):
        n, own = int(L.v_at[b + 1] - L.v_at[b]), np.flatnonzero((first == b) & holds)
        if len(own) < n:
            continue
        rows = np.zeros((len(own), n))
        for i, k in enumerate(own):
            part = slice(G.indptr[k], G.indptr[k + 1])
            rows[i, G.indices[part] - L.v_at[b]] = G.data[part]
        rows[:, 3:6] /= max(float(L.body_size[b]), 1e-3 * float(L.length))
        found[b] = np.linalg.matrix_rank(rows, tol=RANK_TOLERANCE * np.linalg.norm(rows)) == n
    return found
