"""Small machines of every kind that an integrator must run: rigid, flexible, with states, redundant, nonholonomic."""

from __future__ import annotations

import functools

import numpy as np

import flexbody as fb
import modal

from .chains import bar, four_bars
from .rods import rod


def spatial() -> tuple[fb.System, float]:
    """A double pendulum in space: a bar on a universal joint, a second one on a ball joint, a spring between ends."""
    first, second = bar("first", (0, 0, 0), (0.1, 0, 0)), bar("second", (0.1, 0, 0), (0.1, 0.1, 0))
    joints = [
        fb.Universal("root", fb.GROUND, first, point=(0, 0, 0), axes=("y", "z")),
        fb.Spherical("knee", first, second, point=(0.1, 0, 0)),
    ]
    spring = fb.SpringDamper(
        "spring", fb.GROUND, second["end"], stiffness=2.0, damping=0.01, first_point=(0, 0, 0.1)
    )
    return fb.System([first, second], joints, [spring], gravity=(0, 0, -9.81)), 0.5


@functools.cache
def _stiffened():
    structure = rod(6)
    return modal.reduce(
        structure, modal.craig_bampton(structure, ("start", "end"), n_normal=1), stiffening=True
    )


def spun_up() -> tuple[fb.System, float]:
    """A flexible rod with stiffening on a hub whose angle is a function of time: (1 - cos) ramp to 100 rad/s."""
    t_end, speed = 0.02, 100.0
    beam = fb.FlexibleBody("rod", _stiffened(), damping_ratio=0.01)
    hub = fb.RigidBody("hub", 1.0, (0.01, 0.01, 0.01))
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    w = np.pi / t_end
    drive = fb.Drive("drive", axle, value=lambda t: 0.5 * speed * (t - np.sin(w * t) / w))
    return fb.System(
        [hub, beam], [axle, fb.Fixed("root", hub, beam["start"]), drive], gravity=(0, 0, -9.81)
    ), t_end


def with_states() -> tuple[fb.System, float]:
    """A bar turned by an electric motor and held by a visco-elastic spring: three states."""
    body = bar("bar", (0, 0, 0), (0.1, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="y")
    motor = fb.ForceElement(
        "motor", fb.Along(hinge), fb.ElectricMotor(0.02, 2.0, 0.02, lambda t: 5.0 * np.sin(20.0 * t))
    )
    law = fb.ViscoElastic(5.0, [(10.0, 0.02), (20.0, 0.1)], damping=0.02)
    spring = fb.ForceElement("spring", fb.Line(fb.GROUND, body["end"], first_point=(0.1, 0, 0.1)), law)
    return fb.System([body], [hinge], [motor, spring], gravity=(0, 0, -9.81)), 0.5


def redundant() -> tuple[fb.System, float]:
    """A four-bar on four revolutes: three redundant rows."""
    return four_bars(1), 0.3


def nonholonomic() -> tuple[fb.System, float]:
    """A skate on a slope."""
    blade = fb.RigidBody("blade", 1.5, (0.1, 0.1, 0.2), angular_velocity=(0, 0, 2.0))
    ice = fb.Planar("ice", fb.GROUND, blade, point=(0, 0, 0), along="x")
    edge = fb.Constraint("edge", [blade], velocity=lambda t, a: a.R[:, 1] @ a.v)
    return fb.System([blade], [ice, edge], gravity=(3.0, 0, -9.0)), 2.0


MACHINES = {f.__name__: f for f in (spatial, spun_up, with_states, redundant, nonholonomic)}


def motion(result: fb.Result) -> dict[str, np.ndarray]:
    """Everything that a run computes."""
    return {
        "positions": result.c, "rotations": result.q, "deformations": result.all_alpha, "velocities": result.v,
        "accelerations": result.vdot, "multipliers": result.multipliers, "states": result.states,
    }  # fmt: skip


def differences(result: fb.Result, other: fb.Result) -> dict[str, float]:
    """Largest difference of each quantity over the run, relative to its largest value."""
    one, two = motion(result), motion(other)
    return {
        name: float(np.abs(one[name] - two[name]).max() / max(np.abs(two[name]).max(), 1e-300))
        for name in one
        if one[name].size
    }
