"""Derivatives of the equations of motion about a nominal motion, by differences of the compiled residual.

A machine near its nominal motion ``c*, Q*, alpha*`` stands at (all small motions in components of the body's base)::

    c = c* + Q* delta      Q = Q* exp(theta~)      alpha = alpha* + beta       xi = (delta, theta, beta)

so that a machine that turns steadily as a whole has constant derivatives. With ``omega*`` in components of Q*::

    c.  = c.* + Q* (delta. + omega* x delta)
    c.. = c..* + Q* (2 omega* x delta. + omega*. x delta + omega* x (omega* x delta))
    omega = exp(-theta~) omega* + theta.         omega. = exp(-theta~) omega*. + omega* x theta.

(terms with ``delta..``, ``theta..`` go with the mass matrix). The residual's translation rows are turned into the
body's base as well. Derivatives by positions are central differences of fourth order, of which one part in 1e12 is
lost to truncation and 1e-13 of the forces to round-off; by velocities, of which the residual is a quadratic function,
ordinary central ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.jit import jit

from .kernels.arrays import FRICTION, RUB, Work
from .kernels.arrays import K as STIFFNESS
from .kernels.element_memory import element_z
from .kernels.equations import dense, move, place, residual
from .kernels.rotation import cross, matrix_of_euler, turn_back, turned_euler
from .kernels.rubbing import CREEP, SLOW, unit_load
from .layout import Plan

#: steps of differences, as parts of the unit of each coordinate (a rotation of one radian, or the system's length)
STEP = 1e-3


@dataclass(frozen=True, eq=False)
class Nominal:
    """A state: ``c`` (nb, 3), ``q`` (nb, 4), ``alpha`` (na,), ``v`` and ``vdot`` (nv,), multipliers (nr,), at t."""

    t: float
    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray


@jit
def forces(L, W, t, c, q, alpha, v, vdot, multipliers, Q, out):
    """``out`` (nv + nz,) = residual of the equations of motion, translation rows in components of ``Q`` (nb, 3, 3).

    Then the rates of the states of force laws, with a minus sign.
    """
    place(L, W, t, c, q, alpha)
    move(L, W, alpha, v)
    residual(L, W, t, alpha, v, vdot, multipliers)
    local = np.empty(3)
    for b in range(L.body_mass.size):
        first = L.v_at[b]
        turn_back(Q[b], W.residual[first : first + 3], local)
        for k in range(L.v_at[b + 1] - first):
            out[first + k] = local[k] if k < 3 else W.residual[first + k]
    for i in range(v.size, out.size):
        out[i] = -element_z(W.element)[1, i - v.size]


@jit
def turn_into(Q, x, out):
    """``out += Q x`` for 3-vectors."""
    for i in range(3):
        out[i] += Q[i, 0] * x[0] + Q[i, 1] * x[1] + Q[i, 2] * x[2]


@jit
def stiffness_columns(L, W, t, c, q, alpha, v, vdot, multipliers, Q, steps, out):
    """``out`` (nv + nz, nv) = derivative of :func:`forces` by positions xi, the multipliers held."""
    n = out.shape[0]
    value, column = np.empty(n), np.empty(n)
    e, first_turn, second_turn, back = np.empty(3), np.empty(3), np.empty(3), np.array([1.0, 0.0, 0.0, 0.0])
    turned, E = np.empty(4), np.empty((3, 3))
    for b in range(L.body_mass.size):
        first = L.v_at[b]
        for i in range(L.v_at[b + 1] - first):
            column[:] = 0.0
            for k in range(4):
                part = (-2.0, -1.0, 1.0, 2.0)[k]
                weight = (1.0, -8.0, 8.0, -1.0)[k] / 12.0
                h = part * steps[first + i]
                c2, q2, alpha2, v2, vdot2 = c.copy(), q.copy(), alpha.copy(), v.copy(), vdot.copy()
                if i < 3:
                    e[:] = 0.0
                    e[i] = h
                    turn_into(Q[b], e, c2[b])
                    cross(v[first + 3 : first + 6], e, first_turn)
                    turn_into(Q[b], first_turn, v2[first : first + 3])
                    cross(v[first + 3 : first + 6], first_turn, second_turn)
                    turn_into(Q[b], second_turn, vdot2[first : first + 3])
                    cross(vdot[first + 3 : first + 6], e, second_turn)
                    turn_into(Q[b], second_turn, vdot2[first : first + 3])
                elif i < 6:
                    e[:] = 0.0
                    e[i - 3] = h
                    turned_euler(q[b], e, turned)
                    q2[b] = turned
                    turned_euler(back, -e, turned)
                    matrix_of_euler(turned, E)
                    v2[first + 3 : first + 6] = 0.0
                    vdot2[first + 3 : first + 6] = 0.0
                    turn_into(E, v[first + 3 : first + 6], v2[first + 3 : first + 6])
                    turn_into(E, vdot[first + 3 : first + 6], vdot2[first + 3 : first + 6])
                else:
                    alpha2[L.alpha_at[b] + i - 6] += h
                forces(L, W, t, c2, q2, alpha2, v2, vdot2, multipliers, Q, value)
                for j in range(n):
                    column[j] += weight * value[j]
            for j in range(n):
                out[j, first + i] = column[j] / steps[first + i]


@jit
def damping_columns(L, W, t, c, q, alpha, v, vdot, multipliers, Q, steps, out):
    """``out`` (nv + nz, nv) = derivative of :func:`forces` by velocities xi., positions and multipliers held."""
    n = out.shape[0]
    value, column = np.empty(n), np.empty(n)
    e, turned = np.empty(3), np.empty(3)
    for b in range(L.body_mass.size):
        first = L.v_at[b]
        for i in range(L.v_at[b + 1] - first):
            column[:] = 0.0
            for k in range(2):
                weight = (-0.5, 0.5)[k]
                h = 2.0 * weight * steps[first + i]
                v2, vdot2 = v.copy(), vdot.copy()
                e[:] = 0.0
                if i < 3:
                    e[i] = h
                    turn_into(Q[b], e, v2[first : first + 3])
                    cross(v[first + 3 : first + 6], e, turned)
                    for l in range(3):
                        turned[l] *= 2.0
                    turn_into(Q[b], turned, vdot2[first : first + 3])
                elif i < 6:
                    e[i - 3] = h
                    cross(v[first + 3 : first + 6], e, turned)
                    for l in range(3):
                        v2[first + 3 + l] += e[l]
                        vdot2[first + 3 + l] += turned[l]
                else:
                    v2[first + i] += h
                forces(L, W, t, c, q, alpha, v2, vdot2, multipliers, Q, value)
                for j in range(n):
                    column[j] += weight * value[j]
            for j in range(n):
                out[j, first + i] = column[j] / steps[first + i]


def body_axes(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return the rotation matrices (nb, 3, 3) of all bodies."""
    place(plan.layout, W, s.t, s.c, s.q, s.alpha)
    return W.Q.copy()


def units(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return (nv,) a motion of each coordinate of which every frame moves by the system's length at most.

    Of at most one radian for a rotation; springs shorter than the system count instead of its length.
    """
    L = plan.layout
    place(L, W, s.t, s.c, s.q, s.alpha)
    move(L, W, s.alpha, s.v)
    length = float(min([L.length[0], *W.spring_length[L.spring_frame[:, 3] < 0, 0]]))
    out = np.empty(plan.n_velocities)
    for b, first in enumerate(L.v_at[:-1]):
        n = int(L.body_modes[b])
        arm = float(max(L.body_size[b], length * 1e-3))
        shift, turn = np.zeros(n), np.zeros(n)
        for f in np.flatnonzero(L.frame_body == b):
            arm = max(arm, float(np.linalg.norm(W.frame_p[f])))
            rows = W.frame_rows[L.frame_at[f] : L.frame_at[f + 1]].reshape(6, n)
            shift = np.maximum(shift, np.linalg.norm(rows[:3], axis=0))
            turn = np.maximum(turn, np.linalg.norm(rows[3:], axis=0))
        out[first : first + 3] = length
        out[first + 3 : first + 6] = min(1.0, length / arm)
        out[first + 6 : L.v_at[b + 1]] = 1.0 / np.maximum(
            shift / length + turn, _mean_motion(plan, b) / length
        )
    return out


def _mean_motion(plan: Plan, b: int) -> np.ndarray:
    """Root mean square displacement of a body's points in each of its modes, (N,), m."""
    L = plan.layout
    n = int(L.body_modes[b])
    at = int(L.coefficient_at[b, 7])
    C8 = L.coefficients[at : at + n * n].reshape(n, n)
    return np.sqrt(np.maximum(np.diag(C8), 1e-300) / L.body_mass[b])


def residual_forces(plan: Plan, W: Work, s: Nominal, Q: np.ndarray) -> np.ndarray:
    """Return (nv,) the residual in components of ``Q``: zero where ``s`` obeys the equations of motion."""
    out = np.empty(plan.n_velocities)
    forces(plan.layout, W, s.t, s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers, Q, out)
    return out


def stiffness(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return (nv, nv) the derivative of the residual by positions: elastic, geometric, centrifugal, of multipliers."""
    return position_rates(plan, W, s)[: plan.n_velocities]


def position_rates(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return (nv + nz, nv): :func:`stiffness`, and minus the derivative of the rates of force laws' states."""
    out = np.empty((plan.n_velocities + int(plan.elements.state_at[-1]), plan.n_velocities))
    Q, steps = body_axes(plan, W, s), STEP * units(plan, W, s)
    stiffness_columns(plan.layout, W, s.t, s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers, Q, steps, out)
    return out


def damping(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return (nv, nv) the derivative of the residual by velocities: damping, and what turning bodies bring."""
    return velocity_rates(plan, W, s)[: plan.n_velocities]


def velocity_rates(plan: Plan, W: Work, s: Nominal) -> np.ndarray:
    """Return (nv + nz, nv): :func:`damping`, and minus the derivative of the rates of force laws' states."""
    out = np.empty((plan.n_velocities + int(plan.elements.state_at[-1]), plan.n_velocities))
    Q, u = body_axes(plan, W, s), units(plan, W, s)
    rate = max(float(np.max(np.abs(s.v) / u, initial=0.0)), 1.0)
    steps = np.minimum(STEP * rate * u, STEP * _straight(plan, W))
    damping_columns(plan.layout, W, s.t, s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers, Q, steps, out)
    return out


def _straight(plan: Plan, W: Work) -> np.ndarray:
    """Return (nv,) by how much velocities may change before friction bends: rates of creep, and Stribeck's.

    Needs the state placed and moved.
    """
    L, out, load = plan.layout, np.full(plan.n_velocities, np.inf), np.empty(plan.n_velocities)
    for k in np.flatnonzero(np.isin(L.spring_frame[:, 2], (FRICTION, RUB))):
        unit_load(L, W, int(k), load)
        for first in L.v_at[:-1]:
            load[first : first + 3] = np.linalg.norm(load[first : first + 3])
        out = np.minimum(out, min(L.spring_value[k, [SLOW, CREEP]]) / np.maximum(np.abs(load), 1e-300))
    return out


def mass_and_jacobian(plan: Plan, W: Work, s: Nominal) -> tuple[np.ndarray, np.ndarray]:
    """Return M (nv, nv) and G (nr, nv) for xi; the rows of G scaled to metres."""
    M = np.empty((plan.n_velocities, plan.n_velocities))
    G = np.empty((plan.n_rows, plan.n_velocities))
    Q = body_axes(plan, W, s)
    dense(plan.layout, W, M, G)
    for b, first in enumerate(plan.layout.v_at[:-1]):
        part = slice(first, first + 3)
        G[:, part] = G[:, part] @ Q[b]
        M[:, part] = M[:, part] @ Q[b]
        M[part] = Q[b].T @ M[part]
    return M, G


def elastic_forces(plan: Plan, alpha: np.ndarray) -> np.ndarray:
    """Return (nv,) the elastic forces K alpha of all bodies."""
    L = plan.layout
    out = np.zeros(plan.n_velocities)
    for b, n in enumerate(L.body_modes):
        at, first = L.coefficient_at[b, STIFFNESS], L.v_at[b] + 6
        K = L.coefficients[at : at + n * n].reshape(n, n)
        out[first : first + n] = K @ alpha[L.alpha_at[b] : L.alpha_at[b + 1]]
    return out
