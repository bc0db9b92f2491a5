"""Rigid machines with known motion: positions, velocities and reactions to compare a run with.

Each case holds a system, a reference over its output times, and how the same is read from a result; all from
the programs in ``reference``, which share nothing with the one that is tested.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from reference import andrews, free_rotation, heavy_top, machines, pendulum

import flexbody as fb


@dataclass(frozen=True)
class Case:
    """A machine, its reference {quantity: (nt, ...)}, and what reads the same from a result."""

    system: fb.System
    t_end: float
    output_step: float
    reference: dict[str, np.ndarray]
    read: Callable[[fb.Result], dict[str, np.ndarray]]

    def run(self, **options) -> fb.Result:
        """Simulate with these options of the generalized-alpha method."""
        return self.run_with(fb.GeneralizedAlpha(**options))

    def run_with(self, integrator) -> fb.Result:
        """Simulate with this integrator."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
            return fb.simulate(
                self.system,
                self.t_end,
                integrator=integrator,
                output_step=self.output_step,
                show_progress=False,
            )

    def errors(self, result: fb.Result, after: float = 0.0) -> dict[str, float]:
        """Largest error of each quantity at times from ``after`` on, relative to its largest value."""
        found, late = self.read(result), result.t >= after
        return {
            name: float(np.abs(found[name] - value)[late].max() / np.abs(value).max())
            for name, value in self.reference.items()
        }


def fitted_order(steps, errors) -> float:
    """Slope of log(error) over log(step): the order of convergence."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def _times(t_end: float, step: float) -> np.ndarray:
    return np.linspace(0.0, t_end, round(t_end / step) + 1)


@functools.cache
def swinging() -> Case:
    """Pendulum from the horizontal; the hinge carries m (a_c - g), the centre half way to the bob."""
    system, read = machines.pendulum_machine()
    theta, rate = pendulum.swing(t := _times(1.0, 0.05))
    along = np.column_stack([np.sin(theta), -np.cos(theta)])
    across = np.column_stack([np.cos(theta), np.sin(theta)])
    acceleration = 0.5 * (-pendulum.GRAVITY * np.sin(theta)[:, None] * across - rate[:, None] ** 2 * along)
    reference = {"position": along, "velocity": rate, "reaction": acceleration + [0, pendulum.GRAVITY]}

    def look(result):
        return {
            "position": read(result)["position"],
            "velocity": result.angular_velocity("bar")[:, 2],
            "reaction": result.reaction("hinge").force[:, :2],
        }

    return Case(system, t[-1], 0.05, reference, look)


@functools.cache
def top() -> Case:
    """Heavy top; its foot carries m (a_c - g), with Euler's equations for a_c."""
    system, read = machines.heavy_top_machine()
    motion = heavy_top.solution(_times(0.2, 0.01))
    arm, m, g = heavy_top.CENTER, heavy_top.MASS, heavy_top.GRAVITY
    J = np.diag(heavy_top.INERTIA_CENTER) + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    force, spin = [], []
    for q, w in zip(motion.euler, motion.omega, strict=True):
        Q = heavy_top.rotation(q)
        wdot = np.linalg.solve(J, m * np.cross(arm, Q.T @ g) - np.cross(w, J @ w))
        force.append(m * (Q @ (np.cross(wdot, arm) + np.cross(w, np.cross(w, arm))) - g))
        spin.append(Q @ w)
    reference = {"position": motion.euler, "velocity": np.array(spin), "reaction": np.array(force)}

    def look(result):
        return {
            "position": read(result)["euler"],
            "velocity": result.angular_velocity("top"),
            "reaction": result.reaction("foot").force,
        }

    return Case(system, 0.2, 0.01, reference, look)


@functools.cache
def free_body() -> Case:
    """Torque-free body with three different moments of inertia, spinning nearly about the middle one.

    "position" is the angular momentum in inertial components, Q J omega: constant, so it judges Q.
    """
    inertia, spin = np.array([1.0, 2.0, 3.0]), np.array([0.3, 2.0, 0.5])
    system = fb.System([fb.RigidBody("body", 1.0, inertia, angular_velocity=spin)])
    t = _times(5.0, 0.25)
    reference = {
        "position": np.tile(inertia * spin, (len(t), 1)),
        "velocity": free_rotation.omega(t, inertia, spin),
    }

    def look(result):
        Q = result.rotation("body")
        local = np.einsum("tji,tj->ti", Q, result.angular_velocity("body"))
        return {"position": np.einsum("tij,tj->ti", Q, inertia * local), "velocity": local}

    return Case(system, 5.0, 0.25, reference, look)


@functools.cache
def squeezer(redundant: bool = False) -> Case:
    """Andrews' mechanism; the pins at F carry the multipliers of the closures, which are forces on K3, K4, K6."""
    system, read = machines.andrews_machine(redundant)
    t, q, rate = andrews.solution(_times(andrews.T_END, 1e-3), 1e-12)
    pins = np.array([andrews.accelerations(*state)[1] for state in zip(q, rate, strict=True)])

    def look(result):
        found = read(result)
        forces = [result.reaction(pin).force[:, :2] for pin in ("F3", "F4", "F6")]
        return {"position": found["q"], "velocity": found["qdot"], "reaction": np.column_stack(forces)}

    return Case(system, t[-1], 1e-3, {"position": q, "velocity": rate, "reaction": pins}, look)
