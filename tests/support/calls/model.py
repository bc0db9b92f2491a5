"""Valid calls of what a machine is described with: bodies, joints, forces and their laws."""

import numpy as np

import fem
import flexbody as fb

from .parts import Calls, Parts


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    return {
        **_bodies(p),
        **_machine(p),
        **_joints(p),
        **_couplings(p),
        **_forces(p),
        **_shapes(p),
        **_contacts(p),
        **_joint_forces(p),
        **_laws(),
    }


def _hinge(t, a):
    return (0, 0, 0), ((np.cos(a), -np.sin(a), 0), (np.sin(a), np.cos(a), 0), (0, 0, 1))


def _bodies(p: Parts) -> Calls:
    moving = dict(velocity=(0, 0, 0), angular_velocity=(0, 0, 0))
    rigid = dict(name="b", mass=1.0, inertia=(1, 1, 1), center=(0, 0, 0), markers={"m": (0, 0, 0)})
    flexible = dict(
        name="r", reduced=p.reduced, place={"x0": (0, 0, 0), "x1": (0.15, 0, 0)}, up=(0, 0, 1), damping_ratio=0.01,
        alpha=None, alpha_dot=None, stiffening=True,
    )  # fmt: skip
    return {
        "fb.MasslessBody": dict(name="m", center=(0, 0, 0)),
        "fb.RigidBody": rigid | moving,
        "fb.FlexibleBody": flexible | moving,
    }


def _machine(p: Parts) -> Calls:
    return {
        "fb.System": dict(bodies=[p.crank, p.rod], joints=[p.hinge, p.pin], forces=[], gravity=(0, 0, -9.81)),
        "fb.System.body": dict(self=p.system, which="crank"),
        "fb.System.joint": dict(self=p.system, which="main"),
        "fb.System.host_of": dict(self=p.system, which="main"),
        "fb.Input": dict(name="i", initial=0.0),
    }


def _joints(p: Parts) -> Calls:
    sides = dict(name="j", first=fb.GROUND, second=p.crank)
    joint = sides | dict(point=(0, 0, 0))
    along_axis = ("Fixed", "Revolute", "Cylindrical", "Prismatic", "PointOnLine")
    directed = ("Planar", "PointOnPlane", "Floating")
    line = dict(points=[(-1, 0, 0), (1, 0, 0)], up="z", closed=False)
    points = dict(first_point=(0, 0, 1), second_point=(0, 0, 0))
    cam = fb.profile([1.0] * 16, axis="y")
    return {
        **{f"fb.{name}": joint | dict(axis="z") for name in along_axis},
        **{f"fb.{name}": joint | dict(axis="z", along="x") for name in directed},
        **{f"fb.{name}": joint | line for name in ("SleeveOnGuideway", "MuffOnGuideway")},
        "fb.PointOnGuideway": joint | line | dict(held=True),
        "fb.Spherical": joint,
        "fb.RollerOnGuideway": joint | line | dict(radius=0.1, rolls=False, slip=None, held=True),
        "fb.FaceOnGuideway": joint
        | dict(points=cam, up="y", closed=True, point=(0, 0, 1), normal="-z", held=True),
        "fb.Universal": joint | dict(axes=("y", "z")),
        "fb.Screw": joint | dict(axis="z", pitch=0.01),
        "fb.Distance": sides | points | dict(length=1.0, velocity=None, acceleration=None),
        "fb.HingeJoint": dict(
            name="h",
            first=fb.GROUND,
            second=p.crank,
            pose=_hinge,
            names=("angle",),
            point=(0, 0, 0),
            axis="z",
            along="x",
            start=(0.0,),
        ),
        "fb.Rolling": dict(
            name="c", first=fb.Plane(fb.GROUND), second=fb.Sphere(p.crank, 0.1), slip=None, pulls=True
        ),
        "fb.FollowingShapes": dict(name="f", contacts=p.rail),
        "fb.Constraint": dict(name="c", at=[p.crank], position=lambda t, a: a.r[2], velocity=None),
    }


def _couplings(p: Parts) -> Calls:
    value = dict(value=None, velocity=None, acceleration=None)
    gear = dict(name="g", pressure_angle=None)
    return {
        "fb.profile": dict(curve=[1.0] * 8, center=(0, 0, 0), axis="z", along="x", n=8),
        "fb.Coupler": value | dict(name="c", terms=[(p.hinge, 1.0), (p.pin, -1.0)], value=0.0),
        "fb.Drive": value | dict(name="d", joint=p.hinge, rate=1.0, which=None),
        "fb.Gear": gear | dict(first=p.hinge, second=p.pin, ratio=2.0, internal=False),
        "fb.Rack": gear | dict(pinion=p.hinge, rack=p.slide, radius=0.1, which="slide"),
    }


def _forces(p: Parts) -> Calls:
    sides = dict(first=fb.GROUND, second=p.crank)
    ends = sides | dict(first_point=(0, 0, 1), second_point=(0, 0, 0))
    load = dict(name="f", at=p.crank, value=(1, 0, 0), point=(0, 0, 0), follows=False)
    mount = dict(name="f", stiffness=[1.0] * 6, damping=[1.0] * 6, point=(0, 0, 0), axes=np.eye(3))
    beam = fem.Beam(p.steel, p.section, up=(0, 1, 0))
    return {
        "fb.Line": ends | dict(free_length=0.1),
        "fb.Between": ends | dict(axes=np.eye(3)),
        "fb.ForceElement": dict(name="f", along=p.line_of_force, law=fb.Linear(1.0)),
        "fb.SpringDamper": ends | dict(name="f", stiffness=1.0, damping=1.0, free_length=0.1, force=0.0),
        "fb.Bushing": sides | mount,
        "fb.MasslessBeam": ends | dict(name="f", beam=beam, damping_time=1e-4),
        "fb.body_load": dict(name="f", body=p.rod, load="wind", factor=1.0, follows=False),
        "fb.PointAlong": dict(side=p.crank, direction=(0, 0, 1), point=(0, 0, 0), relative_to=fb.GROUND),
        "fb.TurnAbout": dict(side=p.crank, direction=(0, 0, 1), relative_to=fb.GROUND),
        "fb.Rate": dict(of=p.line_of_force),
        "fb.Controller": dict(
            name="f",
            measured=p.line_of_force,
            law=fb.PID(1.0),
            acts_on=p.line_of_force,
            target=0.1,
            period=0.1,
            delay=0.02,
        ),
        "fb.PID": dict(kp=1.0, ki=1.0, kd=1.0, filter_time=0.1, limits=(-1.0, 1.0), tracking_time=1.0),
        "fb.LinearControl": dict(A=[[1.0]], B=[[1.0]], C=[[1.0]], D=[[1.0]]),
        "fb.UserControl": dict(function=lambda t, e, x: (e, x), states=(0.0,)),
        "fb.PointForce": load,
        "fb.PointMoment": load,
    }


def _shapes(p: Parts) -> Calls:
    return {
        "fb.Plane": dict(side=fb.GROUND, normal="z", point=(0, 0, 0)),
        "fb.Sphere": dict(side=p.crank, radius=0.1, point=(0, 0, 0)),
        "fb.Cylinder": dict(side=p.crank, radius=0.1, length=0.2, axis="y", point=(0, 0, 0)),
        "fb.HollowCylinder": dict(side=p.crank, radius=0.2, length=0.2, axis="y", point=(0, 0, 0)),
        "fb.Box": dict(side=p.crank, size=(0.1, 0.2, 0.3), orientation=np.eye(3), point=(0, 0, 0)),
        "fb.Rail": dict(side=p.crank, points=np.eye(3), radius=0.01, up=(1, 1, 1), closed=False),
        "fb.Cone": dict(side=p.crank, radius=0.1, slope=0.05, axis="y", point=(0, 0, 0)),
        "fb.Wheel": dict(side=p.crank, radius=0.1, rim=0.01, axis="y", point=(0, 0, 0)),
        "fb.Surface": dict(side=p.crank, points=np.eye(3), areas=np.eye(3), triangles=[(0, 1, 2)]),
    }


def _contacts(p: Parts) -> Calls:
    rope = dict(radii=(0.01, 0.01), stiffness=1e5, pretension=1.0, damping_time=1e-3, point=(0, 0, 0))
    friction = dict(
        mu=0.1, mu_static=0.2, stribeck_velocity=0.01, regularisation_velocity=1e-3, presliding=1e-6
    )
    return {
        "fb.Coulomb": dict(
            mu=0.3, mu_static=0.4, stribeck_velocity=0.01, regularisation_velocity=1e-3, presliding=1e-6
        ),
        "fb.Creep": dict(longitudinal=1e6, lateral=1e6, mixed=1e3, spin=1.0, mu=0.3, least_speed=0.01),
        "fb.Contacts": friction
        | dict(
            name="f",
            spheres=[fb.Sphere(p.crank, 0.1)],
            others=[fb.Plane(fb.GROUND)],
            stiffness=1e6,
            exponent=1.0,
            dissipation=0.1,
        ),
        "fb.SurfaceContact": friction
        | dict(
            name="f",
            surface=fb.Surface(p.crank, np.eye(3), np.eye(3)),
            other=fb.Plane(fb.GROUND),
            stiffness=1e6,
            exponent=1.0,
            restitution=0.5,
            impact_speed=1.0,
        ),
        "fb.BeltSpan": rope | dict(name="f", first=p.hinge, second=p.pin, side=-1),
        "fb.belt": rope | dict(name="f", pulleys=[p.hinge, p.pin]),
        "fb.ToothContact": dict(
            name="f",
            gear=fb.Rack(
                "g", p.hinge, fb.Prismatic("slide", fb.GROUND, p.crank, point=(0, 0, 0), axis="x"), radius=0.1
            ),
            backlash=1e-4,
            stiffness=1e8,
            exponent=1.0,
            dissipation=0.0,
            restitution=0.5,
            impact_speed=1.0,
            events=True,
        ),
        "fb.Contact": friction
        | dict(
            name="f",
            first=fb.Plane(fb.GROUND),
            second=fb.Sphere(p.crank, 0.1),
            stiffness=1e6,
            exponent=1.5,
            restitution=0.5,
            impact_speed=1.0,
            events=False,
        ),
    }


def _joint_forces(p: Parts) -> Calls:
    coordinate = dict(name="f", joint=p.hinge, which=None)
    friction = coordinate | dict(regularisation_velocity=1e-3, stribeck_velocity=0.01, viscous=0.1)
    bearing = dict(mu=0.1, mu_static=0.2, radius=0.01, collar=0.01, length=0.02, preload=1.0, presliding=1e-6)
    stop = dict(lower=-1.0, upper=1.0, stiffness=10.0, exponent=1.5, dissipation=0.1)
    torsion = dict(name="t", joint=p.hinge, stiffness=1.0, damping=0.0, free_value=0.0, moment=0.0)
    return {
        "fb.Along": dict(joint=p.hinge, which=None, free_value=0.0),
        "fb.Friction": friction | dict(load=1.0, static=2.0, presliding=1e-6),
        "fb.BearingFriction": friction | bearing,
        "fb.Limit": coordinate | stop,
        "fb.torsion_spring": torsion,
    }


def _laws() -> Calls:
    table = dict(x=(0, 1, 2, 3), force=(0, 1, 2, 3), damping=0.0)
    motor = dict(constant=0.1, resistance=1.0, inductance=1e-3, start=0.0)
    cylinder = dict(area=1e-3, volume=1e-4, flow=0.0, bulk_modulus=1e9, leakage=0.0, start=0.0)
    return {
        "fb.Linear": dict(stiffness=1.0, damping=1.0, force=0.0),
        "fb.SpringTable": table,
        "fb.SmoothSpringTable": table,
        "fb.DamperTable": dict(rate=(0, 1, 2), force=(0, 1, 2), stiffness=0.0),
        "fb.ViscoElastic": dict(
            stiffness=1.0,
            branches=[(1.0, 0.1)],
            damping=0.0,
            start=None,
            response=fb.SpringTable((0, 1), (0, 1)),
        ),
        "fb.hereditary": dict(
            kernel=lambda s: 1.0 + 2.0**-s,
            times=(0.1, 1.0),
            tolerance=0.01,
            response=fb.SpringTable((0, 1), (0, 1)),
        ),
        "fb.ElectricMotor": motor | dict(voltage=1.0),
        "fb.PositionServo": motor | dict(gain=1.0, target=0.0, rate_gain=1.0, limit=10.0),
        "fb.HydraulicActuator": dict(area=1e-3, pressure=1e5),
        "fb.HydraulicCylinder": cylinder,
        "fb.UserLaw": dict(components=1, force=lambda t, x, v: 0.0, rates=None, start=()),
    }
