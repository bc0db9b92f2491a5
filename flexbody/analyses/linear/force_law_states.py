"""States of force laws in a linearized machine: currents, pressures, internal deformations.

A law with states ``z`` gives forces ``F(t, u, x, x', z)`` and rates ``z' = f(t, u, x, x', z)``. Near a state::

    residual:  ... + H zeta + H_u du                  zeta' = A zeta + A_x xi + A_v xi' + A_u du

with the change zeta of z and the small motions xi of the bodies (:mod:`flexbody.equations.tangent`, with z held).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compile.plan import Plan
from ...core.force_elements import evaluate_laws
from ...core.kinds import CONTROLLED, EXPECTED, GIVEN, LAST_ANGLE
from ...core.structures import Work
from ...equations.frame_jacobian import element_columns
from ...equations.state import move_state
from ...equations.tangent import body_axes, residual_forces
from ...formulations.state import MachineState

#: steps of differences, SI units, of which each derivative takes that which suits it: laws say nothing of their scale
STEPS = 10.0 ** np.arange(-9, 10)


@dataclass(frozen=True, eq=False)
class LawTangent:
    """Small changes of all states of force laws (nz,) in minimal coordinates y (f,), ``xi = Z y``.

    Attributes
    ----------
    A, A_y, A_v : numpy.ndarray
        Matrices of ``zeta' = A zeta + A_y y + A_v y'``.
    H : numpy.ndarray
        Matrix (f, nz) of ``M y'' + C y' + K y + H zeta = 0``.
    names : tuple of str
        Names of the states, (nz,).
    """

    names: tuple[str, ...]
    A: np.ndarray
    A_y: np.ndarray
    A_v: np.ndarray
    H: np.ndarray


def hold(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Set the states of laws in ``W`` to those of a state; return them (nz,).

    Angles count from their revolutions in the state.
    """
    counted = np.where(np.isfinite(s.counted_coordinates), s.counted_coordinates, plan.counted_coordinates)
    W.revolutions[:, [EXPECTED, LAST_ANGLE]] = counted[:, None]
    move_state(plan, W, s)
    W.law_state[:] = s.law_states
    W.law_mode = GIVEN
    return W.law_state.copy()


def law_rates(plan: Plan, W: Work, s: MachineState) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives by the states of generalized forces (nv, nz), body components, and of rates (nz, nz)."""
    L, elements = plan.layout, plan.elements
    nz = elements.n_states
    move_state(plan, W, s)
    z = W.law_state.copy()

    def at(i: int, h: float) -> np.ndarray:
        W.law_state[:] = z
        W.law_state[i] += h
        evaluate_laws(L, W, s.t)
        return np.concatenate([W.element_force, W.law_rate])

    columns = [derivative(lambda h, i=i: at(i, h)) for i in range(nz)]
    W.law_state[:] = z
    nx = elements.n_deformations
    if elements.signals.size:
        return _force_rates(plan, W, s), np.array([column[nx:] for column in columns]).reshape(nz, nz).T
    slopes = np.array(columns).reshape(nz, nx + nz).T
    return element_columns(plan, W) @ slopes[:nx], slopes[nx:]


def _force_rates(plan: Plan, W: Work, s: MachineState) -> np.ndarray:
    """Return the derivatives by the states of generalized forces (nv, nz), where controllers act anywhere."""
    z, Q = W.law_state.copy(), body_axes(plan, W, s)

    def at(i: int, h: float) -> np.ndarray:
        W.law_state[:] = z
        W.law_state[i] += h
        return residual_forces(plan, W, s, Q)

    columns = [derivative(lambda h, i=i: at(i, h)) for i in range(z.size)]
    W.law_state[:] = z
    return np.array(columns).reshape(z.size, plan.n_velocities).T


def input_rates(plan: Plan, W: Work, s: MachineState, e: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of generalized forces (nv,) and of the rates (nz,) by the input of element ``e``."""
    L, elements = plan.layout, plan.elements
    move_state(plan, W, s)
    place = elements.inputs[e]
    evaluate_laws(L, W, s.t)
    value = float(W.law_input[e, 0])
    inputs, numbers, table = L.element_input.copy(), L.element_value.copy(), L.element.copy()
    inputs[e], table[e, CONTROLLED] = 0, -1
    changed = L.replaced(element_input=inputs, element_value=numbers, element=table)

    def at(h: float) -> np.ndarray:
        numbers[place] = value + h
        evaluate_laws(changed, W, s.t)
        return np.concatenate([W.element_force, W.law_rate])

    slope = derivative(at)
    own = np.zeros_like(slope)
    nx = elements.n_deformations
    forces, rates = elements.deformations(e), elements.states(e)
    own[:nx][forces], own[nx:][rates] = slope[:nx][forces], slope[nx:][rates]
    return element_columns(plan, W) @ own[:nx], own[nx:]


def derivative(f) -> np.ndarray:
    """Return the derivative at zero of a function from a number to an array, with the best step for each entry.

    The differences are central, with steps over the powers of ten. The best step of an entry is the one at which a
    step ten times larger changes it least, round-off included.
    """
    here = np.abs(f(0.0))
    with np.errstate(all="ignore"):
        found = np.array([(f(h) - f(-h)) / (2 * h) for h in STEPS])
        noise = 4 * np.finfo(float).eps * here / STEPS[:, None]
        change = np.abs(np.diff(found, axis=0)) + noise[:-1]
        size = np.maximum(np.abs(found[:-1]), np.abs(found[1:]))
        score = np.where(change == 0, 0.0, change / size)
    best = np.argmin(np.where(np.isfinite(score), score, np.inf), axis=0)
    return found[best, np.arange(found.shape[1])]
