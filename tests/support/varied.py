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
        "motor", fb.Along(hinge), fb.ElectricMotor(0.02, 2.0, 0.02, voltage=lambda t: 5.0 * np.sin(20.0 * t))
    )
    law = fb.ViscoElastic(5.0, [(10.0, 0.02), (20.0, 0.1)], damping=0.02)
    spring = fb.ForceElement("spring", fb.Line(fb.GROUND, body["end"], first_point=(0.1, 0, 0.1)), law)
    return fb.System([body], [hinge], [motor, spring], gravity=(0, 0, -9.81)), 0.5


def redundant() -> tuple[fb.System, float]:
    """A four-bar on four revolutes: three redundant rows."""
    return four_bars(1), 0.3


def nonholonomic() -> tuple[fb.System, float]:
    """Chaplygin's sleigh on a slope: a skate whose edge is behind its centre of mass."""
    blade = fb.RigidBody(
        "blade",
        1.5,
        (0.1, 0.1, 0.2),
        velocity=(0, 0.4, 0),
        angular_velocity=(0, 0, 2.0),
        markers={"edge": (-0.2, 0, 0)},
    )
    ice = fb.Planar("ice", fb.GROUND, blade, point=(0, 0, 0), along="x")
    edge = fb.Constraint("edge", [blade["edge"]], velocity=lambda t, a: a.R[:, 1] @ a.v)
    return fb.System([blade], [ice, edge], gravity=(3.0, 0, -9.0)), 2.0


def geared() -> tuple[fb.System, float]:
    """A sun and a planet on an arm that swings, a rack on the sun, a pendulum in space coupled to the arm."""
    arm = bar("arm", (0, 0, 0), (0.1, 0, 0))
    sun = fb.RigidBody("sun", 0.2, (1e-4, 2e-4, 1e-4))
    planet = fb.RigidBody("planet", 0.1, (6e-5, 1e-4, 8e-5), center=(0.11, 0, 0))  # not balanced
    rack = fb.RigidBody("rack", 0.3, (1e-4, 1e-4, 1e-4), center=(0, 0, -0.05))
    pendulum = bar("pendulum", (0.3, 0, 0), (0.3, 0.05, -0.1))
    swing = fb.Revolute("swing", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    inner = fb.Revolute("inner", arm, sun, point=(0, 0, 0), axis="y")
    outer = fb.Revolute("outer", arm, planet, point=(0.1, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, rack, point=(0, 0, -0.05), axis="x")
    cross = fb.Universal("cross", fb.GROUND, pendulum, point=(0.3, 0, 0), axes=("y", "x"))
    joints = [
        swing, inner, outer, guide, cross,
        fb.Gear("gear", inner, outer, ratio=0.7),
        fb.Coupler("teeth", [(swing, 1.0), (inner, 1.0), (guide, 20.0)]),  # a radius of 50 mm
        fb.Coupler("link", [(swing, 0.4), (cross, "angle_1", 1.0)]),
    ]  # fmt: skip
    spring = fb.SpringDamper(
        "spring", fb.GROUND, rack, stiffness=30.0, damping=0.2, free_length=0.2, first_point=(0.3, 0, -0.05)
    )
    return fb.System([arm, sun, planet, rack, pendulum], joints, [spring], gravity=(0, 0, -9.81)), 0.5


MACHINES = {f.__name__: f for f in (spatial, spun_up, with_states, redundant, nonholonomic, geared)}


def motion(result: fb.Result) -> dict[str, np.ndarray]:
    """Everything that a run computes."""
    return {
        "positions": result.c, "rotations": result.q, "deformations": result.all_alpha, "velocities": result.v,
        "accelerations": result.vdot, "multipliers": result.multipliers, "states": result.law_states,
    }  # fmt: skip


def differences(result: fb.Result, other: fb.Result) -> dict[str, float]:
    """Largest difference of each quantity over the run, relative to its largest value."""
    one, two = motion(result), motion(other)
    return {
        name: float(np.abs(one[name] - two[name]).max() / max(np.abs(two[name]).max(), 1e-300))
        for name in one
        if one[name].size
    }
