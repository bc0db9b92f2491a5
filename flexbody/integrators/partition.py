"""Independent coordinates of a machine: as many positions and speeds as it has degrees of freedom; all others by them.

R. A. Wehage, E. J. Haug, J. Mech. Des. 104 (1982) 247; Koppens (4.22), (4.23). Elimination with full pivoting of the
constraint Jacobian ``J``, for the n speeds w, gives dependent speeds (the pivots) and independent ones. Among all
positions p, with ``dp/dt = N w``, those are independent that pivots of ``N Z`` choose, Z the motions that the
constraints allow. The others follow by Newton's method along the speeds: ``J x = -Phi``, and ``N x`` is what the
independent positions miss. So Euler parameters are positions as all others, and remain of length one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.kinds import DRIVEN_BY, MOTION_KIND, SHIFT
from ..core.rotation import turned_euler
from ..core.structures import Layout, Tree


@dataclass(frozen=True, eq=False)
class Coordinates:
    """How positions p (np,) of a state vector change with its speeds w (n,).

    Attributes
    ----------
    positions, speeds : int
        Their numbers.
    plain : numpy.ndarray
        Pairs of a position and the speed that is its rate, (*, 2).
    turned : numpy.ndarray
        Pairs of the first Euler parameter and the first of three angular velocities, (*, 2).
    free : numpy.ndarray
        The speeds that no drive of a hinge gives.
    """

    positions: int
    speeds: int
    plain: np.ndarray
    turned: np.ndarray
    free: np.ndarray

    def rate_rows(self, p: np.ndarray) -> np.ndarray:
        """Return N (np, n) with ``dp/dt = N w``, Koppens (2.47)."""
        N = np.zeros((self.positions, self.speeds))
        N[self.plain[:, 0], self.plain[:, 1]] = 1.0
        for at, w in self.turned:
            a, b, c, d = 0.5 * p[at : at + 4]
            N[at : at + 4, w : w + 3] = [[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]]
        return N

    def displaced(self, p: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return positions after a displacement x (n,) along the speeds."""
        out = p.copy()
        out[self.plain[:, 0]] += x[self.plain[:, 1]]
        for at, w in self.turned:
            turned_euler(p[at : at + 4], x[w : w + 3], out[at : at + 4])
        return out


def coordinates_of(L: Layout, tree: Tree) -> Coordinates:
    """Return the coordinates of a state vector: of a tree, or of the bodies where it is empty.

    Parameters
    ----------
    L : Layout
        The compiled machine.
    tree : Tree
        The tree, empty in the global description.

    Returns
    -------
    Coordinates
        The coordinates.
    """
    nb, na = len(L.body_mass), int(L.alpha_at[-1])
    plain: list[tuple[int, int]] = []
    turned: list[tuple[int, int]] = []
    if not len(tree.body):
        for b in range(nb):
            v, modes = int(L.v_at[b]), int(L.body_modes[b])
            plain += [(3 * b + i, v + i) for i in range(3)]
            plain += [(7 * nb + int(L.alpha_at[b]) + i, v + 6 + i) for i in range(modes)]
            turned.append((3 * nb + 4 * b, v + 3))
        n = int(L.v_at[-1])
        return Coordinates(7 * nb + na, n, _pairs(plain), _pairs(turned), np.arange(n))
    np_, nh = int(tree.place_at[-1]), int(tree.speed_at[-1])
    for k in range(nb):
        own = np.arange(tree.speed_at[k], tree.speed_at[k + 1])
        shifts = tree.motion[own, MOTION_KIND] == SHIFT
        at = int(tree.place_at[k])
        angles = [] if tree.ball[k] else own[~shifts]
        plain += [(at + i, int(m)) for i, m in enumerate([*own[shifts], *angles])]
        if tree.ball[k]:
            turned.append((int(tree.place_at[k + 1]) - 4, int(own[-3])))
    plain += [(np_ + i, nh + i) for i in range(na)]
    free = np.concatenate([np.flatnonzero(tree.driven[:, DRIVEN_BY] < 0), nh + np.arange(na)])
    return Coordinates(np_ + na, nh + na, _pairs(plain), _pairs(turned), free)


def _pairs(found: list[tuple[int, int]]) -> np.ndarray:
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def full_pivots(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the columns of the pivots of elimination with full pivoting, in their order.

    Parameters
    ----------
    A : numpy.ndarray
        Matrix, (m, n); its rows or its columns are independent.

    Returns
    -------
    rows, columns : numpy.ndarray
        Their numbers, (min(m, n),).
    """
    A = A.copy()
    rows, columns = [], []
    for _ in range(min(A.shape)):
        i, j = np.unravel_index(int(np.abs(A).argmax()), A.shape)
        rows.append(i)
        columns.append(j)
        pivot = A[i, j]
        if pivot == 0.0:
            break
        A -= np.outer(A[:, j], A[i] / pivot)
        A[i], A[:, j] = 0.0, 0.0
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


def allowed_motions(J: np.ndarray, dependent: np.ndarray, independent: np.ndarray) -> np.ndarray:
    """Return Z (n, f), the speeds that the constraints allow for a unit of each independent one.

    ``J``: (r, n); ``dependent``, ``independent``: numbers of speeds, (r,) and (f,).
    """
    Z = np.zeros((J.shape[1], len(independent)))
    Z[independent, np.arange(len(independent))] = 1.0
    if len(dependent):
        Z[dependent] = -np.linalg.solve(J[:, dependent], J[:, independent])
    return Z
