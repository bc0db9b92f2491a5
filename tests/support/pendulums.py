"""Rigid bars on hinges, a spring at the end."""

import numpy as np

import flexbody as fb

G = 9.81


def radians(linear):
    """Frequencies in rad/s."""
    return 2 * np.pi * linear.frequencies_hz


def bar(name, start, length=1.0, mass=1.0, inertia=None):
    """A bar hanging down from ``start``."""
    centre = np.asarray(start, float) - [0, length / 2, 0]
    spread = (mass * length**2 / 12,) * 3 if inertia is None else inertia
    return fb.RigidBody(
        name, mass, spread, center=centre, markers={"end": np.asarray(start) - [0, length, 0]}
    )


def pendulum(stiffness=0.0, damping=0.0, **options):
    """A bar of 1 m that hangs from a hinge, a horizontal spring at its end."""
    body = bar("bar", (0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
    spring = fb.SpringDamper("spring", body["end"], fb.GROUND, stiffness=stiffness, damping=damping,
                             second_point=(1, -1, 0))  # fmt: skip
    return fb.System([body], [hinge], [spring], gravity=(0, -G, 0), **options)
