"""The equations of a whole system in the global description: residual, iteration matrix, energies.

``M vdot + bias + G^T lambda = loads`` and ``Phi(q, t) = 0``, Koppens (4.20) with Lagrange multipliers.
"""

import numpy as np

from fem.common.jit import inner, jit

from .arrays import COUPLING
from .body import (
    body_energy,
    body_matrix,
    body_residual,
    place_bodies,
    rigid_matrix,
    rigid_residual,
)
from .constraint import evaluate_rows, legged_bias, place_legged, row_bias
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
from .frame import add_load, move_frames, place_frames
from .lean import lean, lean_entry
from .rubbing import any_rub, press


@lean_entry
def place(L, W, t, c, q, alpha):
    """Evaluate all bodies, frames and constraint rows (residuals and directions) at a position."""
    place_bodies(L, W, q, alpha)
    place_frames(L, W, c, alpha)
    evaluate_rows(L, W, t)
    if W.more[0] > 0.0:
        place_coordinates(L, W)
    if W.more[1] > 0.0:
        place_legged(L, W, t)


@lean_entry
def move(L, W, alpha, v):
    """Evaluate the velocities and bias accelerations of all frames, and the springs' lengths and rates."""
    move_frames(L, W, alpha, v, True)
    evaluate_springs(L, W)
    if W.more[0] > 0.0:
        evaluate_joint_forces(L, W)
    if L.element.shape[0] > 0:
        evaluate_elements(L, W)


@lean_entry
def drift(L, W, alpha, v):
    """As :func:`move` without the bias accelerations, which implicit integration does not need."""
    move_frames(L, W, alpha, v, False)
    evaluate_springs(L, W)
    if W.more[0] > 0.0:
        evaluate_joint_forces(L, W)
    if L.element.shape[0] > 0:
        evaluate_elements(L, W)


@lean_entry
def blocks(L, W):
    """Write the Jacobian of rows, springs and elements for the bodies' velocities into ``W.G``.

    Needs :func:`place`, :func:`move` and, for the elements, :func:`matrices`, which combines their rows.
    """
    for i in range(W.G.size):
        W.G[i] = 0.0
    for s in range(L.side_frame.size):
        add_load(L, W, L.side_frame[s], L.side_body[s], W.slope, L.side_slot[s], W.G, L.side_block[s])


@jit(inline="always")
def load_row(L, W, k, factor):
    """Add ``factor`` times the directions of row (or spring) ``k`` to the loads on its frames."""
    for s in range(L.row_side_at[k], L.row_side_at[k + 1]):
        f, slot = L.side_frame[s], L.side_slot[s]
        for l in range(3):
            W.frame_load[f, l] += factor * W.slope[slot, 0, l]
            W.frame_load[f, 3 + l] += factor * W.slope[slot, 1, l]


@jit(inline="always")
def add_frame_loads(L, W):
    """``W.residual += J^T load`` of all frames, J their Jacobians."""
    loads = W.frame_load.reshape(-1, 2, 3)
    for f in range(L.frame_body.size):
        b = L.frame_body[f]
        if b >= 0:
            add_load(L, W, f, b, loads, f, W.residual, L.v_at[b])


@lean_entry
def residual(L, W, t, alpha, v, vdot, multipliers):
    """``W.residual = M vdot + bias - loads + G^T lambda`` and ``W.power`` = (dissipated, input), W.

    Needs :func:`place` and :func:`move`.
    """
    W.power[0] = W.power[1] = 0.0
    for b in range(L.body_mass.size):
        if L.body_modes[b] == 0:
            rigid_residual(L, W, b, v, vdot)
        else:
            body_residual(L, W, b, alpha, v, vdot, W.residual)
    if L.load_frame.shape[0] > 0:
        add_loads(L, W, t)
    if L.element.shape[0] > 0:
        evaluate_laws(L, W, t)
        add_elements(L, W)
    rows = L.row_kind.size
    for f in range(L.frame_body.size):
        for l in range(6):
            W.frame_load[f, l] = 0.0
    if any_rub(W):
        press(L, W, multipliers)
    for s in range(L.spring_frame.shape[0]):
        force, dissipated, given = spring_force(L, W, s, t)
        load_row(L, W, rows + s, force)
        W.power[0] += dissipated
        W.power[1] += given
    for k in range(rows):
        load_row(L, W, k, multipliers[k])
        W.power[1] += multipliers[k] * W.phi_t[k]
    add_frame_loads(L, W)


@lean
def matrices(L, W, mass, damping, stiffness, compliance):
    """Fill ``W.matrix`` with ``mass M + damping D + stiffness K`` and ``compliance`` with that of the springs."""
    for b in range(L.body_mass.size):
        size, at = 6 + L.body_modes[b], L.matrix_at[b]
        if size == 6:
            rigid_matrix(L, W, b, mass)
            continue
        body_matrix(L, W, b, mass, damping, stiffness, W.matrix[at : at + size * size].reshape(size, size))
    for s in range(L.spring_frame.shape[0]):
        stiff, damp = spring_tangent(L, W, s)
        value = stiffness * stiff + damping * damp
        compliance[s] = 1.0 / value if value > 0.0 else -1.0
    if L.element.shape[0] == 0:
        return
    if stiffness > 0.0 or damping > 0.0:
        tangents(L, W, damping, stiffness, compliance)
    else:
        for k in range(L.spring_frame.shape[0], compliance.size):
            compliance[k] = -1.0


@lean_entry
def masses(L, W):
    """Fill ``W.matrix`` with the bodies' mass matrices (lower triangles) and ``W.G``; needs :func:`place`."""
    matrices(L, W, 1.0, 0.0, 0.0, W.compliance)
    blocks(L, W)


@lean_entry
def row_rates(L, W, out):
    """``out = G v + Phi_t`` (nr,) of the velocities of the latest :func:`move` or :func:`drift`."""
    slope = W.slope
    for k in range(L.row_kind.size):
        value = W.phi_t[k]
        for s in range(L.row_side_at[k], L.row_side_at[k + 1]):
            f, i = L.side_frame[s], L.side_slot[s]
            for l in range(3):
                value += slope[i, 0, l] * W.frame_v[f, l] + slope[i, 1, l] * W.frame_w[f, l]
        out[k] = value


@lean_entry
def velocity_residual(L, W, v, out):
    """``out = G v + Phi_t`` (nr,); needs :func:`place`."""
    blocks(L, W)
    rows = L.row_kind.size
    for k in range(rows):
        out[k] = W.phi_t[k]
    for b in range(L.body_mass.size):
        at, first = L.body_block_at[b], L.v_at[b]
        for r in range(L.body_row_at[b], L.body_row_at[b + 1]):
            k = L.elimination[L.body_row[r]]
            for i in range(6 + L.body_modes[b]):
                if k < rows:
                    out[k] += W.G[at + i] * v[first + i]
            at += 6 + L.body_modes[b]


@lean_entry
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
    blocks(L, W)
    for k in range(L.row_kind.size):
        for s in range(L.row_side_at[k], L.row_side_at[k + 1]):
            at, first = L.side_block[s], L.v_at[L.side_body[s]]
            for i in range(6 + L.body_modes[L.side_body[s]]):
                jacobian[k, first + i] = W.G[at + i]


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
