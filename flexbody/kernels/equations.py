"""The equations of a whole system in the global description: residual, iteration matrix, energies.

``M vdot + bias + G^T lambda = loads`` and ``Phi(q, t) = 0``, Koppens (4.20) with Lagrange multipliers.
"""

import numpy as np

from fem.common.jit import inner, jit

from .arrays import COUPLING, D
from .body import body_energy, body_matrix, body_residual, coefficient, place_body
from .constraint import evaluate_rows, legged_bias, place_legged, row_bias, row_blocks
from .coordinate import place_coordinates
from .element import add_elements, evaluate_elements, evaluate_laws, tangents
from .element_memory import element_power
from .force import (
    add_loads,
    evaluate_joint_forces,
    evaluate_springs,
    spring_energy,
    spring_force,
    spring_tangent,
)
from .frame import move_frames, place_frames


@jit
def place(L, W, t, c, q, alpha):
    """Evaluate all bodies, frames and constraint rows (residuals and Jacobian) at a position."""
    for b in range(L.body_mass.size):
        place_body(L, W, b, q, alpha)
    place_frames(L, W, c, alpha)
    evaluate_rows(L, W, t)
    row_blocks(L, W, 0, L.row_kind.size)
    if W.more[0] > 0.0:
        place_coordinates(L, W)
    if W.more[1] > 0.0:
        place_legged(L, W, t)


@jit
def move(L, W, alpha, v):
    """Evaluate the velocities and bias accelerations of all frames, and the springs' lengths and rates."""
    move_frames(L, W, alpha, v)
    evaluate_springs(L, W)
    if W.more[0] > 0.0:
        evaluate_joint_forces(L, W)
    row_blocks(L, W, L.row_kind.size, L.row_kind.size + L.spring_frame.shape[0])
    if L.element.shape[0] > 0:
        evaluate_elements(L, W)


@jit(inline="always")
def add_rows(L, W, k, factor):
    """``W.residual += factor * G_k^T`` for row (or spring) ``k``."""
    for side in range(L.row_body.shape[1]):
        b = L.row_body[k, side]
        if b >= 0:
            at, first = L.row_at[k, side], L.v_at[b]
            for i in range(6 + L.body_modes[b]):
                W.residual[first + i] += factor * W.G[at + i]


@jit
def residual(L, W, t, alpha, v, vdot, multipliers):
    """``W.residual = M vdot + bias - loads + G^T lambda`` and ``W.power`` = (dissipated, input), W.

    Needs :func:`place` and :func:`move`.
    """
    W.power[0] = W.power[1] = 0.0
    for b in range(L.body_mass.size):
        first, n = L.v_at[b], L.body_modes[b]
        last = first + 6 + n
        body_residual(L, W, b, alpha, v[first:last], vdot[first:last], W.residual[first:last])
        damp = coefficient(L, b, D, n * n)
        for i in range(n):
            for j in range(n):
                W.power[0] += v[first + 6 + i] * damp[i * n + j] * v[first + 6 + j]
    if L.load_frame.shape[0] > 0:
        add_loads(L, W, t)
    if L.element.shape[0] > 0:
        evaluate_laws(L, W, t)
        add_elements(L, W)
    rows = L.row_kind.size
    for s in range(L.spring_frame.shape[0]):
        force, dissipated, given = spring_force(L, W, s, t)
        add_rows(L, W, rows + s, force)
        W.power[0] += dissipated
        W.power[1] += given
    for k in range(rows):
        add_rows(L, W, k, multipliers[k])
        W.power[1] += multipliers[k] * W.phi_t[k]


@inner
def matrices(L, W, mass, damping, stiffness, compliance):
    """Fill ``W.matrix`` with ``mass M + damping D + stiffness K`` and ``compliance`` with that of the springs."""
    for b in range(L.body_mass.size):
        size, at = 6 + L.body_modes[b], L.matrix_at[b]
        body_matrix(L, W, b, mass, damping, stiffness, W.matrix[at : at + size * size].reshape(size, size))
    for s in range(L.spring_frame.shape[0]):
        stiff, damp = spring_tangent(L, W, s)
        value = stiffness * stiff + damping * damp
        compliance[s] = 1.0 / value if value > 0.0 else -1.0
    if L.element.shape[0] == 0:
        return
    if stiffness > 0.0 or damping > 0.0:
        tangents(L, W, damping, stiffness, compliance)
        row_blocks(L, W, L.row_kind.size + L.spring_frame.shape[0], L.row_at.shape[0])
    else:
        for k in range(L.spring_frame.shape[0], compliance.size):
            compliance[k] = -1.0


@jit
def velocity_residual(L, W, v, out):
    """``out = G v + Phi_t`` (nr,); needs :func:`place`."""
    for k in range(L.row_kind.size):
        value = W.phi_t[k]
        for side in range(L.row_body.shape[1]):
            b = L.row_body[k, side]
            if b >= 0:
                at, first = L.row_at[k, side], L.v_at[b]
                for i in range(6 + L.body_modes[b]):
                    value += W.G[at + i] * v[first + i]
        out[k] = value


@jit
def biases(L, W, t, out):
    """``out`` = bias of each row: ``Phi.. = G vdot + out`` (nr,); needs :func:`place` and :func:`move`."""
    for k in range(L.row_kind.size):
        if L.row_kind[k] < COUPLING:
            out[k] = row_bias(L, W, k, t)
    if W.more[1] > 0.0:
        for k in range(L.row_kind.size):
            if L.row_kind[k] >= COUPLING:
                out[k] = legged_bias(L, W, k, t)


@jit
def dense(L, W, mass_matrix, jacobian):
    """Dense mass matrix (nv, nv) and Jacobian (nr, nv), for starts, checks and reports; needs :func:`place`."""
    mass_matrix[:, :] = 0.0
    jacobian[:, :] = 0.0
    for b in range(L.body_mass.size):
        first, last = L.v_at[b], L.v_at[b + 1]
        block = np.empty((last - first, last - first))
        body_matrix(L, W, b, 1.0, 0.0, 0.0, block)
        for i in range(last - first):
            for j in range(last - first):
                mass_matrix[first + i, first + j] = block[i, j]
    for k in range(L.row_kind.size):
        for side in range(L.row_body.shape[1]):
            b = L.row_body[k, side]
            if b >= 0:
                at, first = L.row_at[k, side], L.v_at[b]
                for i in range(6 + L.body_modes[b]):
                    jacobian[k, first + i] += W.G[at + i]


@inner
def energies(L, W, c, alpha, v, out):
    """``out`` = kinetic, strain (modes, springs, elements) and gravity energy (J).

    Needs :func:`place`, :func:`move`, and :func:`evaluate_laws` where there are force elements.
    """
    out[0] = out[1] = out[2] = 0.0
    for b in range(L.body_mass.size):
        kinetic, strain, potential = body_energy(L, W, b, c, alpha, v[L.v_at[b] : L.v_at[b + 1]])
        out[0] += kinetic
        out[1] += strain
        out[2] += potential
    for s in range(L.spring_frame.shape[0]):
        out[1] += spring_energy(L, W, s)
    for e in range(L.element.shape[0]):
        out[1] += element_power(W.element)[e, 0]
