"""Two bodies and a massless bar between them, and the ways to run them."""

import numpy as np

import flexbody as fb

DOWN = (0, 0, -9.81)
EXPLICIT, ALPHA = fb.Explicit(rtol=1e-10), fb.GeneralizedAlpha(rtol=1e-6)
HOW = {
    "explicit": {"integrator": EXPLICIT},
    "explicit and relative": {"integrator": EXPLICIT, "description": fb.Relative()},
    "alpha": {"integrator": ALPHA},
    "alpha and relative": {"integrator": ALPHA, "description": fb.Relative()},
}
#: where the bar is held
TOP, END = np.array((0.5, 0, 0.05)), np.array((0.32, 0.05, -0.7))


def run(machine, t_end=0.3, **how):
    return fb.simulate(machine, t_end, output_step=0.01, show_progress=False, **how)


def ends(**of_b):
    """Return two rigid bodies, of which the first hangs on the ground."""
    a = fb.RigidBody("a", 2.0, (0.02, 0.03, 0.04), center=(0.3, 0, 0))
    b = fb.RigidBody("b", 1.0, (0.01, 0.02, 0.015), center=(0.3, 0.1, -0.8), **of_b)
    return a, b, fb.Universal("pin", fb.GROUND, a, point=(0, 0, 0), axes=("y", "z"))


def hung(massless, forces=lambda bar: ()):
    """Two bodies between which a bar without mass, on two ball joints, or a rod holds the distance."""
    a, b, pin = ends(angular_velocity=(1, 2, 0.5))
    bar = fb.MasslessBody("bar")
    more = [fb.Spherical("upper", a, bar, point=TOP), fb.Spherical("lower", bar, b, point=END)]
    if not massless:
        more = [fb.Distance("rod", a, b, first_point=TOP, second_point=END)]
    return fb.System([a, b], [pin, *more], forces(bar), gravity=DOWN)
