"""A bar on a hinge with a motor."""

import flexbody as fb

MASS, ARM, INERTIA, GRAVITY = 1.3, 0.4, 0.05, 9.81


def pendulum(torque) -> fb.System:
    """A bar on a hinge about z, drawn along x, under gravity along -y and a moment (Nm)."""
    bar = fb.RigidBody("bar", MASS, (INERTIA,) * 3, center=(ARM, 0, 0), markers={"tip": (2 * ARM, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    motor = fb.PointMoment("motor", bar, (0, 0, torque))
    return fb.System([bar], [hinge], [motor], gravity=(0, -GRAVITY, 0))
