"""The motions that joints permit at a position: null space of the scaled Jacobian, and description in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.blas_threads import few_threads

from ..compile.plan import Plan
from ..core.rotation import matrices
from .least_squares import RANK_TOLERANCE

#: bodies that move by more than this part of the largest motion are named
NAMED_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class FreeMotions:
    """Constraints ``G xi = -phi`` in coordinates scaled to similar stiffness.

    Attributes
    ----------
    size : numpy.ndarray
        Scale, (nv,): xi = size * x.
    Z : numpy.ndarray
        The motions that the joints permit, (nv, f): xi = Z y.
    closing : numpy.ndarray
        The smallest xi that closes the joints, (nv,).
    """

    size: np.ndarray
    Z: np.ndarray
    closing: np.ndarray
    rows: np.ndarray  # (nr, nv) of length one, scaled
    lengths: np.ndarray  # (nr,)
    rank: int

    def reactions(self, forces: np.ndarray) -> np.ndarray:
        """Return the multipliers (nr,) of least norm with the least squared error of ``G^T lambda = forces``."""
        if not len(self.rows):
            return np.zeros(0)
        with few_threads(max(self.rows.shape)):
            found = np.linalg.lstsq(self.rows.T, self.size * forces, rcond=RANK_TOLERANCE)[0]
        return found / self.lengths


def free_motions(G: np.ndarray, phi: np.ndarray, size: np.ndarray) -> FreeMotions:
    """Return the motions that the rows of ``G`` (nr, nv) permit, for coordinates of the given sizes (nv,)."""
    n = len(size)
    if not len(G):
        return FreeMotions(size, np.diag(size), np.zeros(n), G, np.zeros(0), 0)
    rows = G * size
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0] = 1.0
    rows = rows / lengths[:, None]
    with few_threads(max(rows.shape)):
        U, s, Vt = np.linalg.svd(rows)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
    closing = -Vt[:rank].T @ (U[:, :rank].T @ (phi / lengths) / s[:rank])
    return FreeMotions(size, size[:, None] * Vt[rank:].T, size * closing, rows, lengths, rank)


def sizes(K: np.ndarray, M: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return sizes of coordinates (nv,) with which their own stiffnesses are one.

    Stiffnesses below ``noise`` (nv,) count as zero; inertia replaces them. With these sizes, round-off of a stiff
    coordinate (stretch) is not taken for the stiffness of a soft one (bending, rotation).
    """
    mass, own = np.diag(M), np.abs(np.diag(K))
    own = np.where(own > noise, own, 0.0)
    squares = own / mass
    some = squares[squares > 1e-12 * squares.max(initial=0.0)]
    least = float(some.min()) if len(some) else 1.0
    return 1.0 / np.sqrt(np.maximum(own, mass * least))


def words(plan: Plan, q: np.ndarray, xi: np.ndarray, units: np.ndarray) -> str:
    """Return a description of a small motion ``xi`` (nv,), body components: the bodies that move most."""
    share = np.abs(xi) / units
    most, said = share.max(initial=0.0), []
    moved = np.flatnonzero(share > NAMED_SHARE * most)
    bodies = np.unique(np.searchsorted(plan.layout.v_at, moved, side="right") - 1)
    for b, Q in zip(bodies, matrices(q[bodies]), strict=True):
        body = plan.system.bodies[b]
        for part, verb in ((plan.translation(b), "moves along"), (plan.rotation(b), "turns about")):
            if share[part].max() > NAMED_SHARE * most:
                direction = Q @ xi[part]
                said.append(f"body '{body.name}' {verb} {_direction(direction)}")
        if share[plan.modal_velocities(b)].max(initial=0.0) > NAMED_SHARE * most:
            said.append(f"body '{body.name}' deforms")
    return ", ".join(said[:4]) + more(len(said) - 4, "motion")


def more(n: int, what: str) -> str:
    """Return " and 2 more motions" in words for a count above zero, "" for none."""
    return f" and {n} more {what}{'s' if n > 1 else ''}" if n > 0 else ""


def _direction(x: np.ndarray) -> str:
    x = x / np.linalg.norm(x)
    x = x * np.sign(x[np.argmax(np.abs(x))])
    return "(" + ", ".join(f"{value + 0.0:.3g}" for value in np.round(x, 3)) + ")"
