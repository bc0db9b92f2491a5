"""Derivatives of the equations of motion about a nominal motion, by differences of the compiled residual.

Near its nominal motion ``c*, Q*, alpha*`` a machine has the position (small motions in components of the body's base)::

    c = c* + Q* delta      Q = Q* exp(theta~)      alpha = alpha* + beta       xi = (delta, theta, beta)

so that a machine in steady rotation as a whole has constant derivatives. With ``omega*`` in components of Q*::

    c'  = c*' + Q* (delta' + omega* x delta)
    c'' = c*'' + Q* (2 omega* x delta' + omega*' x delta + omega* x (omega* x delta))
    omega = exp(-theta~) omega* + theta'         omega' = exp(-theta~) omega*' + omega* x theta'

(terms with ``delta''``, ``theta''`` belong to the mass matrix). The translation rows of the residual are rotated to the
base of the body too. Derivatives by positions are central differences of fourth order, with a truncation error of 1e-12
and a round-off of 1e-13 of the forces. Derivatives by velocities, of which the residual is a quadratic function, are
ordinary central differences.
"""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.force_elements import evaluate_laws
from ..core.kinds import (
    C8,
    CONTACT,
    ELEMENT_STORED,
    FIRST,
    GEOMETRY,
    LINE,
    PER_POINT,
    REGULARISATION_VELOCITY,
    SECOND,
    STRIBECK_VELOCITY,
)
from ..core.kinds import K as STIFFNESS
from ..core.structures import Work
from ..formulations.state import MachineState
from ..model.forces.contact import ContactElement
from ..model.forces.friction import StickingFriction, StickingReactionFriction
from ..model.forces.tooth_contact import ToothContact
from .state import move_state, place_state

#: steps of differences, as parts of the unit of each coordinate (a rotation of one radian, or the system's length)
DIFFERENCE_STEP = 1e-3
#: the same, as parts of the distance to the next kink of a force; distances below a part of the system's length are
#: round-off
KINK_STEP, LEAST_DEPTH = 0.05, 1e-10
#: parts of these steps, of which each derivative of the rate of a state takes that which suits it: the fibres of a
#: muscle, say, follow exponential functions
PARTS = 10.0 ** -np.arange(7)


def body_axes(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return the rotation matrices (nb, 3, 3) of all bodies."""
    place_state(plan, W, s)
    return W.Q.copy()


def units(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return a small motion of each coordinate (nv,) by which every frame moves by the length of the system at most.

    Rotations are at most one radian. Elements along a line that is shorter than the system replace its length.
    """
    L = plan.layout
    move_state(plan, W, s)
    lines = L.element[L.element[:, GEOMETRY] == LINE]
    lengths = np.linalg.norm(W.frame_r[lines[:, SECOND]] - W.frame_r[lines[:, FIRST]], axis=1)
    length = float(min([L.length, *lengths]))
    out = np.empty(plan.n_velocities)
    for b, body in enumerate(plan.system.bodies):
        n = body.n_modes
        arm = float(max(L.body_size[b], length * 1e-3))
        shift, turn = np.zeros(n), np.zeros(n)
        for f in np.flatnonzero(L.frame_body == b):
            arm = max(arm, float(np.linalg.norm(W.frame_p[f])))
            rows = plan.frame_modes(W, int(f))
            shift = np.maximum(shift, np.linalg.norm(rows[:3], axis=0))
            turn = np.maximum(turn, np.linalg.norm(rows[3:], axis=0))
        out[plan.translation(b)] = length
        out[plan.rotation(b)] = min(1.0, length / arm)
        least = _mean_motion(plan, b) / length
        out[plan.modal_velocities(b)] = 1.0 / np.maximum(shift / length + turn, least)
    return out


def _mean_motion(plan: Plan, b: int) -> np.ndarray:
    """Return the root mean square displacement of the points of a body in each of its modes, (N,), m."""
    return np.sqrt(np.maximum(np.diag(plan.coefficient(C8, b)), 1e-300) / plan.layout.body_mass[b])


def residual_forces(plan: Plan, W: Work, s: MachineState, Q: np.ndarray) -> np.ndarray:
    """Return the residual (nv,) in components of ``Q``; zero if the state satisfies the equations of motion."""
    out = np.empty(plan.n_velocities)
    plan.formulation.forces(plan.layout, W, s, Q, out)
    return out


def stiffness(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return the derivative of the residual by positions (nv, nv): elastic, geometric, centrifugal, of multipliers."""
    return _by_positions(plan, W, s, 1.0)[: plan.n_velocities]


def position_rates(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return :func:`stiffness` and minus the derivative of the rates of force laws' states, (nv + nz, nv)."""
    n = plan.n_velocities
    if not plan.elements.n_states:
        return _by_positions(plan, W, s, 1.0)
    found = np.array([_by_positions(plan, W, s, part) for part in PARTS])
    change = np.abs(np.diff(found[:, n:], axis=0))
    worst = np.maximum(change[1:], change[:-1])  # beside that with a longer and with a shorter step
    best = np.argmin(np.where(np.isfinite(worst), worst, np.inf), axis=0)
    return np.concatenate([found[0, :n], np.take_along_axis(found[1:-1, n:], best[None], axis=0)[0]])


def _by_positions(plan: Plan, W: Work, s: MachineState, part: float) -> np.ndarray:
    """Return the derivatives of the residual, and minus those of the rates of states, by a part of their steps."""
    out = np.empty((plan.n_velocities + plan.elements.n_states, plan.n_velocities))
    steps = part * min(DIFFERENCE_STEP, _within_kinks(plan, W, s.t)) * units(plan, W, s)
    Q = body_axes(plan, W, s)
    plan.formulation.stiffness_columns(plan.layout, W, s, Q, steps, out)
    return out


def _within_kinks(plan: Plan, W: Work, t: float) -> float:
    """Return the part of the units within which contacts and stops that touch don't part, and others don't touch.

    The state must be placed and moved. What touches is as deep as a linear law with its energy and force.
    """
    if not any(law.sets_in for law in plan.elements.laws):
        return DIFFERENCE_STEP
    depths = [np.inf]
    evaluate_laws(plan.layout, W, t)
    for e, (element, law) in enumerate(zip(plan.elements.elements, plan.elements.laws, strict=True)):
        if not law.sets_in:
            continue
        part, energy = plan.elements.deformations(e), W.element_power[e, ELEMENT_STORED]
        if isinstance(element, ContactElement) and not element.count:
            if energy > 0.0:  # of many contacts, as if all shared it
                depths.append(element.overlap(energy / len(element.touched_sides)))
            continue
        force = np.abs(W.element_force[part]).max()
        if energy > 0.0 and force > 0.0:
            depths.append(2 * energy / force)
        if element.kind == CONTACT or isinstance(element, ToothContact):
            gaps = W.deformation[part][:: PER_POINT if element.kind == CONTACT else 1]
            depths += list(gaps[gaps > 0.0])
    return KINK_STEP * max(min(depths), LEAST_DEPTH * plan.layout.length) / plan.layout.length


def damping(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return the derivative of the residual by velocities (nv, nv): damping and gyroscopic terms."""
    return velocity_rates(plan, W, s)[: plan.n_velocities]


def velocity_rates(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return :func:`damping` and minus the derivative of the rates of force laws' states, (nv + nz, nv)."""
    out = np.empty((plan.n_velocities + plan.elements.n_states, plan.n_velocities))
    Q, u = body_axes(plan, W, s), units(plan, W, s)
    rate = max(float(np.max(np.abs(s.v) / u, initial=0.0)), 1.0)
    steps = np.minimum(DIFFERENCE_STEP * rate * u, DIFFERENCE_STEP * _straight(plan, W))
    plan.formulation.damping_columns(plan.layout, W, s, Q, steps, out)
    return out


def _straight(plan: Plan, W: Work) -> np.ndarray:
    """Return the changes of velocities (nv,) within which friction is linear, from its two characteristic velocities.

    The state must be placed and moved.
    """
    out, load = np.full(plan.n_velocities, np.inf), np.empty(plan.n_velocities)
    kinds = (StickingFriction, StickingReactionFriction)
    sticking = [e for e, law in enumerate(plan.elements.laws) if isinstance(law, kinds)]
    for e in (*plan.elements.dry_friction, *sticking):
        plan.formulation.unit_load(plan.layout, W, e, load)
        for b in range(plan.n_bodies):
            load[plan.translation(b)] = np.linalg.norm(load[plan.translation(b)])
        numbers = plan.elements.pointers[e].numbers
        least = min(numbers[STRIBECK_VELOCITY], numbers[REGULARISATION_VELOCITY])
        out = np.minimum(out, least / np.maximum(np.abs(load), 1e-300))
    return out


def mass_and_jacobian(plan: Plan, W: Work, s: MachineState) -> tuple[np.ndarray, np.ndarray]:
    """Return M (nv, nv) and G (nr, nv) for xi, with the rows of G scaled to metres."""
    M = np.empty((plan.n_velocities, plan.n_velocities))
    G = np.empty((plan.n_rows, plan.n_velocities))
    Q = body_axes(plan, W, s)
    plan.formulation.dense(plan.layout, W, M, G)
    for b in range(plan.n_bodies):
        part = plan.translation(b)
        G[:, part] = G[:, part] @ Q[b]
        M[:, part] = M[:, part] @ Q[b]
        M[part] = Q[b].T @ M[part]
    return M, G


def elastic_forces(plan: Plan, alpha: np.ndarray) -> np.ndarray:
    """Return the elastic forces K alpha of all bodies, (nv,)."""
    out = np.zeros(plan.n_velocities)
    for b in range(plan.n_bodies):
        out[plan.modal_velocities(b)] = plan.coefficient(STIFFNESS, b) @ alpha[plan.modal(b)]
    return out
