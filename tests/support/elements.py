"""Every force element between two frames, and its loads at a state, for tests by differences."""

from __future__ import annotations

from functools import partial

import numpy as np

import fem
import flexbody as fb
from flexbody.core.equations import move, place, residual
from flexbody.core.force_elements import evaluate_laws
from flexbody.core.kinds import GIVEN

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


def full_stiffness(scale: float = 1.0) -> np.ndarray:
    """A stiffness (6, 6) that couples everything, N/m and Nm/rad."""
    A = np.random.default_rng(3).normal(size=(6, 6))
    return scale * (A @ A.T + 6 * np.eye(6))


#: laws along one deformation; those of the first group store energy or lose it, the others take it from outside
PASSIVE = {
    "linear": fb.Linear(800.0, 3.0),
    "table": fb.SpringTable([-0.2, 0.0, 0.1, 0.5], [-300.0, 5.0, 90.0, 300.0], damping=2.0),
    "spline table": fb.SmoothSpringTable([-0.2, 0.0, 0.1, 0.5], [-300.0, 5.0, 90.0, 300.0]),
    "rate table": fb.DamperTable([-1.0, 0.2, 3.0], [-70.0, 5.0, 90.0], stiffness=200.0),
    "visco-elastic": fb.ViscoElastic(500.0, [(300.0, 0.05), (900.0, 0.4)], damping=2.0),
}
ACTIVE = {
    "linear with a force": fb.Linear(800.0, 3.0, force=lambda t: 20.0 * np.sin(5.0 * t)),
    "hydraulic actuator": fb.HydraulicActuator(1e-3, pressure=lambda t: 2e5 * np.cos(3.0 * t)),
    "hydraulic cylinder": fb.HydraulicCylinder(
        1e-3, 1e-3, flow=lambda t: 1e-5 * (1.0 + t), bulk_modulus=1e8, leakage=1e-11
    ),
    "motor": fb.ElectricMotor(2.0, 1.5, 0.05, voltage=lambda t: 12.0 * np.sin(t)),
    "servo": fb.PositionServo(2.0, 1.5, 0.05, gain=30.0, target=lambda t: 0.1 * t, rate_gain=0.5),
    "servo at its limit": fb.PositionServo(2.0, 1.5, 0.05, gain=1e4, target=3.0, limit=5.0),
    "quasi-linear visco-elastic": fb.ViscoElastic(
        0.5,
        [(0.3, 0.05), (0.2, 0.4)],
        response=fb.SmoothSpringTable([-0.2, 0, 0.1, 0.5], [-300, 5, 90, 300]),
        damping=2.0,
    ),
    "user": fb.UserLaw(lambda t, x, rate: 100.0 * x**3 + rate + t),
    "user, called back": fb.UserLaw(lambda t, x, rate: eval("100.0 * x**3 + rate + t")),
    "user with states": fb.UserLaw(
        lambda t, x, rate, z: 50.0 * (x - z[0]) + z[1],
        lambda t, x, rate, z: (x - z[0] + z[1], np.sin(t) - 3.0 * z[1] + rate),
        start=(0.1, -0.2),
    ),
    "user with six components": fb.UserLaw(
        lambda t, x, rate: 100.0 * x**3 + 20.0 * x[0] * x + (3.0 + x[4] ** 2) * rate + t, components=6
    ),
    "user with six components and states, called back": fb.UserLaw(
        lambda t, x, rate, z: 50.0 * (x - z) + rate if t >= 0 else x,
        lambda t, x, rate, z: 3.0 * (x - z) + z[0] * rate,
        start=0.1 * np.arange(6),
        components=6,
    ),
}
#: elements between two frames with a law of their own
BETWEEN = {
    "spring and damper": lambda **ends: fb.SpringDamper(
        "e", **ends, stiffness=700.0, damping=4.0, free_length=0.2
    ),
    "bushing": lambda first_point, **ends: fb.Bushing(
        "e", **ends, point=first_point, stiffness=full_stiffness(100.0), damping=full_stiffness()
    ),
    "bushing with tables": lambda first_point, **ends: fb.Bushing(
        "e", **ends, point=first_point,
        stiffness=[fb.SpringTable([-1, 0, 1], [-90, 0, 40], damping=4.0), 3e2, 2e2, 30.0, 20.0,
                   fb.SmoothSpringTable([-1, -0.2, 0.3, 2], [-9, -1, 2, 9], damping=0.3)]
    ),
    "beam": lambda **ends: fb.MasslessBeam(
        "e", **ends, beam=fem.Beam(STEEL, fem.Rectangle(0.02, 0.03), up=(0.1, 0.2, 1.0)), damping_time=1e-3
    ),
}  # fmt: skip
#: contacts that overlap in the states of the tests, with friction that is smooth there: shapes of the first and second
#: side from the side and its point
CONTACTS = {
    "contact of spheres": (
        lambda side, point: fb.Sphere(side, 0.3, point=point),
        lambda side, point: fb.Sphere(side, 0.25, point=point),
    ),
    "contact of cylinder and sphere": (
        lambda side, point: fb.Cylinder(side, 0.2, 0.4, axis=(1, 1, 0), point=point),
        lambda side, point: fb.Sphere(side, 0.4, point=point),
    ),
    "contact of sphere and box": (
        lambda side, point: fb.Sphere(side, 0.4, point=point),
        lambda side, point: fb.Box(side, (0.2, 0.3, 0.1), point=point),
    ),
    "contact of plane and box": (
        lambda side, point: fb.Plane(side, (-1, -1, -0.5), point=point),
        lambda side, point: fb.Box(side, (0.2, 0.3, 0.4), point=point),
    ),
    "contact of pin and hollow cylinder": (
        lambda side, point: fb.Cylinder(side, 0.25, 0.7, axis=(0.2, 0.1, 1), point=point),
        lambda side, point: fb.HollowCylinder(side, 0.3, 0.5, axis="z", point=point),
    ),
    "contact of hollow cylinder and sphere": (
        lambda side, point: fb.HollowCylinder(side, 0.3, 3.0, axis=(1, 1, 0), point=point),
        lambda side, point: fb.Sphere(side, 0.29, point=point),
    ),
    "contact of cylinder and plane": (
        lambda side, point: fb.Cylinder(side, 0.2, 0.3, axis="y", point=point),
        lambda side, point: fb.Plane(side, (1, 0.5, 0.5), point=point),
    ),
}
#: one whose friction sticks: its states are bristles, in the axes of the shape that the gap is measured from
STICKS = "contact of spheres that stick"
CONTACTS[STICKS] = CONTACTS["contact of spheres"]


def _contact(name: str, first, second, first_point=None, second_point=None) -> fb.Contact:
    shapes = [make(*at) for make, at in zip(
        CONTACTS[name], ((first, first_point), (second, second_point)), strict=True
    )]  # fmt: skip
    numbers = dict(stiffness=900.0, dissipation=0.1, mu=0.3, mu_static=0.4, stribeck_velocity=2.0)
    return fb.Contact(
        "e", *shapes, **numbers, regularisation_velocity=1.0, presliding=0.5 if name == STICKS else None
    )


BETWEEN |= {name: partial(_contact, name) for name in CONTACTS}
NAMES = [*PASSIVE, *ACTIVE, *BETWEEN]


def element(name: str, first, second, first_point=None, second_point=None):
    """The element ``name`` between two sides, called "e"."""
    if name in BETWEEN:
        ends = {"first": first, "second": second}
        return BETWEEN[name](**ends, first_point=first_point, second_point=second_point)
    law = (PASSIVE | ACTIVE)[name]
    points = dict(first_point=first_point, second_point=second_point)
    place = (
        fb.Between(first, second, **points)
        if law.count == 6
        else fb.Line(first, second, free_length=0.2, **points)
    )
    return fb.ForceElement("e", place, law)


def loaded(plan, state, z, t: float):
    """Work arrays with all elements evaluated at a state (c, q, alpha, v, vdot), states of laws z, time t."""
    W = plan.work()
    c, q, alpha, v, _ = state
    place(plan.layout, W, t, c, q, alpha)
    move(plan.layout, W, alpha, v)
    W.law_mode = GIVEN
    W.law_state[:] = z
    evaluate_laws(plan.layout, W, t)
    return W


def generalized_loads(plan, bare, state, z, t: float) -> np.ndarray:
    """Generalized loads (nv,) of the elements: what the residual has more than that of the bare system."""
    out = []
    for p in (plan, bare):
        W = loaded(p, state, z if p is plan else np.zeros(0), t)
        _, _, alpha, v, vdot = state
        residual(p.layout, W, t, alpha, v, 0.0 * vdot, np.zeros(p.n_rows))
        out.append(W.residual.copy())
    return out[1] - out[0]
