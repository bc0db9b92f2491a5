"""Stiffness and mass matrix of a machine of many bodies as sparse matrices.

A body moves the forces of those bodies only with which it shares a constraint or a force element. Bodies without such a
neighbour in common are displaced together (Curtis, Powell and Reid, IMA J. Appl. Math. 13 (1974) 117):
the differences of a chain take as many evaluations as those of three bodies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from ..compile.plan import Plan
from ..core.kinds import AT, COUNT, END_ROW, FIRST_ROW, FRICTION_ELEMENT
from ..core.structures import Work
from ..formulations.state import MachineState
from .position import displaced
from .tangent import DIFFERENCE_STEP, body_axes, residual_forces, stiffness

#: up to this number of coordinates all columns are computed one by one: the compiled loop is faster
LARGEST_DENSE = 200
#: points and weights of the central difference of fourth order, over the step
POINTS = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))


def sparse_stiffness(plan: Plan, W: Work, s: MachineState, u: np.ndarray) -> scipy.sparse.csr_matrix:
    """Return :func:`flexbody.equations.tangent.stiffness` (nv, nv) by its entries that can differ from zero.

    ``u`` (nv,) are the units of the coordinates.
    """
    at, n = plan.layout.v_at, plan.n_velocities
    if n <= LARGEST_DENSE:
        return scipy.sparse.csr_matrix(stiffness(plan, W, s))
    Q, steps = body_axes(plan, W, s), DIFFERENCE_STEP * u
    near = _neighbours(plan)
    body = np.repeat(np.arange(plan.n_bodies), np.diff(at))
    together = np.stack([_colours(near)[body], np.arange(n) - at[body]], axis=1)
    groups, group = np.unique(together, axis=0, return_inverse=True)
    group = group.reshape(-1)
    found = np.zeros((len(groups), n))
    for g, out in enumerate(found):
        change = np.where(group == g, steps, 0.0)
        for distance, weight in POINTS:
            out += weight * residual_forces(plan, W, _beside(plan, s, Q, distance * change), Q)
    pattern = near[body][:, body].tocoo()
    row, column = pattern.row, pattern.col
    return scipy.sparse.csr_matrix((found[group[column], row] / steps[column], (row, column)), (n, n))


def sparse_mass(plan: Plan, W: Work) -> scipy.sparse.csr_matrix:
    """Return the mass matrix (nv, nv) for xi, translations in components of the bodies.

    Needs the position placed and the factors of :func:`flexbody.equations.constraint_jacobian.weighted`.
    """
    at, n = plan.layout.v_at, plan.n_velocities
    body = np.repeat(np.arange(plan.n_bodies), np.diff(at))
    entries, row, column = [], [], []
    for i in range(int(np.diff(at).max())):
        own = np.diff(at) > i
        x = np.zeros(n)
        x[at[:-1][own] + i] = 1.0
        plan.formulation.weigh(plan.layout, W, x, False)  # the columns i of B^T of all bodies
        rows = np.flatnonzero(own[body])
        entries.append(x[rows])
        row.append(rows)
        column.append(at[body[rows]] + i)
    places = np.concatenate(row), np.concatenate(column)
    factor = turned_columns(plan, W, scipy.sparse.csr_matrix((np.concatenate(entries), places), (n, n)))
    return (factor.T @ factor).tocsr()


def turned_columns(plan: Plan, W: Work, G: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Return a Jacobian for xi: translations in components of the bodies as they are placed."""
    n, move = plan.n_velocities, plan.layout.v_at[:-1, None, None] + np.arange(3)
    kept = np.setdiff1d(np.arange(n), move)
    row, column = np.broadcast_arrays(np.swapaxes(move, 1, 2), move)
    row, column = (np.concatenate([own.ravel(), kept]) for own in (row, column))
    entries = np.concatenate([W.Q.ravel(), np.ones(len(kept))])
    return G @ scipy.sparse.csr_matrix((entries, (row, column)), (n, n))


def _neighbours(plan: Plan) -> scipy.sparse.csr_matrix:
    """Return which bodies (nb, nb) share a constraint, a force element, or friction of a joint; each with itself."""
    L, nb = plan.layout, plan.n_bodies
    row, column = plan.pattern
    body = np.repeat(np.arange(nb), np.diff(L.v_at))[column]
    shared = np.arange(plan.n_rows + plan.elements.n_deformations)
    for e, first, end in L.reaction_friction[:, [FRICTION_ELEMENT, FIRST_ROW, END_ROW]]:
        own = plan.n_rows + L.element[e, AT] + np.arange(L.element[e, COUNT])
        same = [*range(first, end), *own]
        shared[np.isin(shared, shared[same])] = shared[same].min()
    touches = scipy.sparse.csr_matrix((np.ones(len(row)), (shared[row], body)), (len(shared), nb))
    return (touches.T @ touches + scipy.sparse.eye(nb)).tocsr()


def _colours(near: scipy.sparse.csr_matrix) -> np.ndarray:
    """Return numbers (nb,), the same for bodies that have no neighbour in common."""
    both = (near @ near).tocsr()
    colour = np.full(near.shape[0], -1)
    for b in range(len(colour)):
        taken = set(colour[both.indices[both.indptr[b] : both.indptr[b + 1]]].tolist())
        colour[b] = next(k for k in range(len(taken) + 1) if k not in taken)
    return colour


def _beside(plan: Plan, s: MachineState, Q: np.ndarray, xi: np.ndarray) -> MachineState:
    """Return the state at ``xi`` (nv,), see :mod:`flexbody.equations.tangent`; no body both moves and turns."""
    first = plan.layout.v_at[:-1, None]
    move, turn = first + np.arange(3), first + np.arange(3, 6)
    delta, omega, omega_dot = xi[move], s.v[turn], s.vdot[turn]
    v, vdot, back = s.v.copy(), s.vdot.copy(), scipy.spatial.transform.Rotation.from_rotvec(-xi[turn])
    along = np.cross(omega, delta)
    v[move] += np.einsum("bij,bj->bi", Q, along)
    vdot[move] += np.einsum("bij,bj->bi", Q, np.cross(omega, along) + np.cross(omega_dot, delta))
    v[turn], vdot[turn] = back.apply(omega), back.apply(omega_dot)
    return replace(displaced(plan, s, plan.turn_translations(Q, xi)), v=v, vdot=vdot)
