"""Joints that stick at the start of a run: the rates at which regularised friction creeps under its load.

In the regularised law a joint at rest has no friction force (``tanh(0) = 0``); it would accelerate freely for the short
time in which friction grows. A joint that sticks permanently is in balance while it creeps, at rates far below those of
any motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy

from ..compile.plan import Plan
from ..core import force_laws
from ..core.kinds import AT, COORDINATE, MU_STATIC, NORMAL_FORCE, REACTION_FRICTION, REGULARISATION_VELOCITY
from ..core.structures import Work
from ..equations.position import displaced
from ..equations.state import move_state
from ..equations.tangent import units
from ..formulations.state import MachineState
from ..model.forces.contact import ContactElement

#: friction is full (to 2e-6) at this multiple of the regularisation velocity; faster joints slide
FULL_FRICTION_RATE = 7.0
#: a motion slides along a coordinate unless its parts cancel there to this share
SLIDING_SHARE = 1e-6
#: sweeps over all joints for the forces that hold them
MAX_SWEEPS = 500


class _Layer:
    """The coordinates and lines along which friction may hold, with all friction elements of each."""

    def __init__(self, plan: Plan, W: Work) -> None:
        L = plan.layout
        self.plan, self.W = plan, W
        self.elements: dict[int, list[int]] = {}
        for e in plan.elements.dry_friction:
            # (an element along a line shares its deformation with no other one)
            coordinate = int(L.element[e, COORDINATE])
            self.elements.setdefault(coordinate if coordinate >= 0 else -1 - e, []).append(e)
        self.elements = {
            c: own for c, own in self.elements.items() if abs(self.rate(own)) <= 1.01 * self.full(own)
        }

    def rate(self, own: list[int]) -> float:
        """Return the rate of a coordinate from its friction elements."""
        return float(self.W.deformation_rate[self.plan.layout.element[own[0], AT]])

    def rates(self) -> np.ndarray:
        """Return the rates of all coordinates."""
        return np.array([self.rate(own) for own in self.elements.values()])

    def full(self, own: list[int]) -> float:
        """Return the rate at which the friction of a coordinate reaches its full value."""
        pointers = self.plan.elements.pointers
        return FULL_FRICTION_RATE * max(pointers[e].numbers[REGULARISATION_VELOCITY] for e in own)

    def force(self, own: list[int], rate: float) -> float:
        """Return the force along a coordinate at a rate, with the latest normal forces."""
        total, out = 0.0, np.empty(4)
        for e in own:
            number = self.plan.layout.element[e, REACTION_FRICTION]
            normal = self.W.friction_record[number, NORMAL_FORCE] if number >= 0 else 0.0
            law = self.plan.elements.laws[e]
            evaluate = force_laws.law(law.function)
            evaluate(0.0, (normal, 0.0), (0.0,), (rate,), (), law.numbers(), out)
            total += out[0]
        return float(total)


def frictions_along(plan: Plan, W: Work, s: MachineState, motion: np.ndarray) -> list[str]:
    """Return the labels of friction elements that slide in a motion (nv,) from the position of a state."""
    load = np.empty(plan.n_velocities)
    move_state(plan, W, replace(s, v=np.zeros(plan.n_velocities)))
    found = []
    for e in plan.elements.dry_friction:
        plan.formulation.unit_load(plan.layout, W, e, load)
        slides = abs(load @ motion) > SLIDING_SHARE * np.abs(load) @ np.abs(motion)
        if slides and plan.elements.pointers[e].numbers[MU_STATIC] > 0:
            found.append(plan.elements.elements[e].label)
    return found


def rubbing_contacts(plan: Plan) -> list[str]:
    """Return the labels of the contacts with friction."""
    return [one.label for one in plan.elements.elements if isinstance(one, ContactElement) and one.mu > 0]


def sticking_velocities(plan: Plan, W: Work, s: MachineState, response: Callable) -> np.ndarray | None:
    """Return the change of velocities (nv,) with which joints stick under their loads, or None if no joint sticks.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Its work arrays.
    s : MachineState
        The motion; its accelerations and multipliers belong to its velocities.
    response : callable
        Function that returns the motion (nv,) and multipliers (nr,) that a generalized load (nv,) causes.

    Notes
    -----
    Joints that friction cannot hold receive the rate of full friction. Joints that slide already do not change.
    """
    L = plan.layout
    if not plan.elements.dry_friction:
        return None
    move_state(plan, W, s)
    plan.formulation.find_normal_forces(L, W, s.multipliers)
    layer = _Layer(plan, W)
    if not layer.elements:
        return None
    B = np.empty((len(layer.elements), plan.n_velocities))
    for k, own in enumerate(layer.elements.values()):
        plan.formulation.unit_load(L, W, own[0], B[k])
    answers = [response(load.copy()) for load in B]
    X, Y = (np.array(x) for x in zip(*answers, strict=True))
    now = layer.rates()
    held, bound = _hold(layer, s, B @ X.T, Y, _second_rates(layer, s), now)
    rates = np.array(
        [_rate_of(layer, own, held[k], bound[k], now[k]) for k, own in enumerate(layer.elements.values())]
    )
    return np.linalg.lstsq(B @ X.T, rates - now, rcond=1e-10)[0] @ X


def _second_rates(layer: _Layer, s: MachineState) -> np.ndarray:
    """Return the accelerations along the coordinates, by a difference over a short time."""
    plan, W = layer.plan, layer.W
    u = units(plan, W, s)
    fast = max(float(np.max(np.abs(s.v) / u)), float(np.sqrt(np.max(np.abs(s.vdot) / u))), 1e-300)
    h = 1e-7 / fast
    before = layer.rates()
    move_state(plan, W, replace(displaced(plan, s, h * s.v), v=s.v + h * s.vdot))
    found = (layer.rates() - before) / h
    move_state(plan, W, s)
    return found


def _hold(
    layer: _Layer, s: MachineState, C: np.ndarray, Y: np.ndarray, second, now
) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces that hold the coordinates, and the largest forces of the friction.

    ``C``: accelerations for a unit of each force. The method is that of Gauss and Seidel with bounds.
    """
    every = list(layer.elements.values())
    first = np.array([layer.force(own, rate) for own, rate in zip(every, now, strict=True)])
    force, bound = first.copy(), np.zeros(len(every))
    for _ in range(MAX_SWEEPS):
        before = force.copy()
        layer.plan.formulation.find_normal_forces(
            layer.plan.layout, layer.W, s.multipliers - (force - first) @ Y
        )
        for k, own in enumerate(every):
            bound[k] = layer.force(own, layer.full(own))
            left = second[k] - C[k] @ (force - first)
            wanted = force[k] + left / C[k, k] if C[k, k] > 0 else 0.0
            force[k] = np.clip(wanted, -bound[k], bound[k])
        if np.abs(force - before).max() <= 1e-13 * np.abs(force).max(initial=1e-300):
            break
    return force, bound


def _rate_of(layer: _Layer, own: list[int], force: float, bound: float, now: float) -> float:
    """Return the rate at which the friction of a coordinate has a given force."""
    full = layer.full(own)
    if not bound > 0:
        return now
    if abs(force) >= bound * (1 - 1e-12):
        return float(np.copysign(full, force))
    return float(
        scipy.optimize.brentq(lambda rate: layer.force(own, rate) - force, -full, full, xtol=1e-13 * full)
    )
