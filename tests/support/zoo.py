"""One machine with every joint, coupling, drive and force element, floating or on the ground; and a flexible one."""

from __future__ import annotations

import numpy as np

import fem
import flexbody as fb

from .cloud import Cloud
from .elements import full_stiffness
from .joints import GUIDEWAYS

#: where the bodies of the rigid machine are
PLACES = {
    "hub": (0.0, 0, 0), "arm": (0.4, 0, 0), "fork": (0.8, 0.1, 0), "tube": (1.1, 0.1, 0.2), "ball": (1.3, 0.4, 0.3),
    "nut": (-0.3, 0.1, 0.2), "sledge": (0.4, 0.3, 0), "wheel": (0, 0.4, 0), "pinion": (0, 0.7, 0),
    "plate": (0, 0, -0.4), "bead": (0.9, 0.3, 0.2), "foot": (1.2, -0.3, 0.1), "shoe": (1.3, -0.4, 0.1),
    "rack": (0.3, 0.8, 0), "bob": (-0.5, -0.2, 0), "pearl": (0.1, 0.3, -0.5), "ring": (0.3, 0.3, -0.6),
    "muff": (0.5, 0.2, -0.5),
}  # fmt: skip


def body(k: int, name: str, place, **options) -> fb.RigidBody:
    """A body with three different moments of inertia, off its drawn axes."""
    rng = np.random.default_rng(k)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = turn @ np.diag([0.02, 0.03, 0.04]) @ turn.T
    return fb.RigidBody(name, 1.0 + 0.1 * k, inertia, center=place, **options)


def rigid_joints(b: dict[str, fb.RigidBody]) -> list:
    """Every class of joint and coupling, and drives; none of them knows the ground."""
    axle = fb.Revolute("axle", b["hub"], b["arm"], point=(0.2, 0, 0), axis=(0.2, 0.1, 1))
    tube = fb.Cylindrical("tube", b["fork"], b["tube"], point=(1.0, 0.1, 0.1), axis=(1, 0.2, 0.5))
    screw = fb.Screw("screw", b["hub"], b["nut"], point=(-0.2, 0.1, 0), axis=(0, 0.3, 1), pitch=0.2)
    slide = fb.Prismatic("slide", b["arm"], b["sledge"], point=(0.4, 0.3, 0), axis=(0, 1, 0.4))
    wheel = fb.Revolute("wheel", b["hub"], b["wheel"], point=(0, 0.4, 0))
    pinion = fb.Revolute("pinion", b["hub"], b["pinion"], point=(0, 0.7, 0))
    guide = fb.Prismatic("guide", b["hub"], b["rack"], point=(0.3, 0.8, 0), axis="x")
    plane = fb.Planar("plane", b["hub"], b["plate"], point=(0, 0, -0.4), axis=(0.3, 0, 1))
    wire = [
        (-0.3, 0.2, -0.5),
        (0.1, 0.3, -0.5),
        (0.3, 0.25, -0.55),
        (0.5, 0.1, -0.5),
        (0.7, 0.2, -0.3),
        (1.0, 0.2, -0.2),
    ]
    return [
        *(
            kind(name, b["plate"], b[name], points=wire, point=wire[k])
            for kind, name, k in zip(GUIDEWAYS, ("pearl", "ring", "muff"), (1, 2, 3), strict=True)
        ),
        axle, tube, screw, slide, wheel, pinion, guide, plane,
        fb.Universal("cross", b["arm"], b["fork"], point=(0.6, 0, 0), axes=((0, 1, 0.2), (1, 0, 0))),
        fb.Spherical("socket", b["tube"], b["ball"], point=(1.2, 0.3, 0.3)),
        fb.Distance("bar", b["ball"], b["hub"], first_point=(1.3, 0.5, 0.3), second_point=(0, 0.1, 0.3)),
        fb.PointOnLine("line", b["fork"], b["bead"], point=(0.9, 0.3, 0.2), axis=(0.1, 0.2, 1)),
        fb.PointOnPlane("table", b["tube"], b["foot"], point=(1.2, -0.2, 0.1), axis=(0, 1, 0.3)),
        fb.Fixed("weld", b["foot"], b["shoe"], point=(1.25, -0.35, 0.1)),
        fb.Gear("gear", wheel, pinion, ratio=1.7),
        fb.Rack("teeth", pinion, guide, radius=0.1),
        fb.Coupler("belt", [(axle, 1.0), (screw, "angle", 0.4)]),
        fb.Drive("drive", slide, value=lambda t: 0.05 * np.sin(5.0 * t)),
        fb.Drive("turn", plane, value=lambda t: 0.2 * t * t, which="angle"),
        fb.Constraint("rope", [b["bob"], b["hub"], b["nut"]], position=_rope),
        fb.Rolling("roll", fb.Sphere(b["ball"], 0.4), fb.Sphere(b["shoe"], np.sqrt(0.68) - 0.4), pulls=True),
        fb.Rolling("creep", fb.Plane(b["hub"], point=(0, 0, -0.1)), fb.Wheel(b["bob"], 0.1, rim=0.02, axis=(1, 2, 0)),
                   pulls=True, slip=fb.Creep(3.0, 2.0, mixed=0.1, spin=0.2, least_speed=0.2)),
    ]  # fmt: skip


def _rope(t, bob, hub, nut):
    """A rope from the nut over an eye of the hub to the bob keeps its length."""
    eye = hub.r + 0.2 * hub.R[:, 2]
    return np.linalg.norm(bob.r - eye) + np.linalg.norm(nut.r - eye) - 0.9


def rigid_forces(b: dict[str, fb.RigidBody], j: dict) -> list:
    """Every force element and several laws, all between two bodies."""
    line = lambda one, two: fb.Line(b[one], b[two], free_length=0.3)  # noqa: E731
    return [
        fb.SpringDamper("spring", b["tube"], b["plate"], stiffness=30.0, damping=2.0, free_length=1.0,
                        force=lambda t: 2.0 * np.sin(3 * t)),
        fb.Friction("rub", j["tube"], load=0.5, regularisation_velocity=0.05, static=0.8, stribeck_velocity=0.2,
                    viscous=0.1, which="slide"),
        fb.BearingFriction("bearing", j["axle"], mu=0.1, regularisation_velocity=0.05, radius=0.02, length=0.1),
        fb.Limit("stop", j["plane"], upper=0.02, stiffness=500.0, dissipation=0.2, which="x"),
        fb.torsion_spring("torsion", j["axle"], stiffness=3.0, damping=0.1),
        fb.Bushing("mount", b["ball"], b["bead"], stiffness=full_stiffness(5.0), damping=0.1 * np.eye(6),
                   point=(1.1, 0.35, 0.2)),
        fb.MasslessBeam("beam", b["nut"], b["sledge"],
                        beam=fem.Beam(fem.Isotropic(1e5, 0.3, 1.0), fem.Rectangle(0.02, 0.03)), damping_time=1e-3),
        fb.ForceElement("visco", line("fork", "shoe"), fb.ViscoElastic(20.0, [(30.0, 0.1)], damping=0.2)),
        fb.ForceElement("motor", fb.Along(j["pinion"]),
                        fb.ElectricMotor(0.5, 1.0, 0.05, voltage=lambda t: 3.0 * np.cos(2 * t))),
        fb.ForceElement("cylinder", line("hub", "foot"),
                        fb.HydraulicCylinder(1e-3, 1e-3, flow=1e-6, bulk_modulus=1e7, leakage=1e-11)),
        fb.ForceElement("own", line("bob", "wheel"), fb.UserLaw(lambda t, x, rate: 20.0 * x**3 + 5.0 * x + rate)),
        fb.Contact("bump", fb.Sphere(b["tube"], 0.5), fb.Sphere(b["foot"], 0.5), stiffness=20.0, mu=0.3,
                   regularisation_velocity=0.5),
        fb.ForceElement("curve", line("bob", "plate"), fb.SpringTable([-0.3, 0, 0.4], [-5, 0, 9], damping=0.1)),
    ]  # fmt: skip


def rigid(grounded: bool = True) -> fb.System:
    """The machine of rigid bodies, thrown; ``grounded``: hung on a ball joint, with loads from outside and a skate."""
    speed, spin = np.array([0.3, -0.2, 0.4]), np.array([0.5, -1.0, 0.8])
    if grounded:
        speed = np.zeros(3)
    b = {
        name: body(k, name, place, velocity=speed + np.cross(spin, place), angular_velocity=spin)
        for k, (name, place) in enumerate(PLACES.items())
    }
    joints = rigid_joints(b)
    forces = rigid_forces(b, {joint.name: joint for joint in joints})
    if not grounded:
        return fb.System(list(b.values()), joints, forces)
    joints += [
        fb.Spherical("ground", fb.GROUND, b["hub"], point=(0, 0, 0)),
        fb.Constraint("skate", [b["bob"]], velocity=lambda t, a: a.R[:, 1] @ a.v),
    ]
    forces += [
        fb.PointForce("wind", b["shoe"], lambda t: (np.sin(t), 0.5, 0.0)),
        fb.PointMoment("twist", b["hub"], (0.1, 0.2, -0.3), follows=True),
        fb.SpringDamper(
            "anchor",
            fb.GROUND,
            b["plate"],
            stiffness=20.0,
            damping=1.0,
            free_length=0.2,
            first_point=(0.1, 0.2, -1.0),
        ),
    ]
    return fb.System(list(b.values()), joints, forces, gravity=(1.0, -2.0, -3.0))


def clouds() -> dict[str, Cloud]:
    """Clouds of points for the flexible bodies: their masses, places and base functions."""
    return {
        "a": Cloud.random(np.random.default_rng(21)),
        "b": Cloud.random(np.random.default_rng(22), modes=3),
    }


def flexible() -> fb.System:
    """Two flexible bodies and a rigid one: joints, a drive, loads and elements at named frames that shift and turn."""
    bodies = {name: cloud.body() for name, cloud in clouds().items()}
    ends = [bodies[name].markers[end].point for name, end in (("a", "q"), ("b", "p"))]
    origin = {"a": np.zeros(3), "b": ends[0] - ends[1]}
    a, b = (
        fb.FlexibleBody(name, reduced, origin=origin[name], damping_ratio=0.02, stiffening=False)
        for name, reduced in bodies.items()
    )
    c = fb.RigidBody("c", 2.0, (0.1, 0.2, 0.25), center=(1.0, 0.2, -0.1))
    tube = fb.Cylindrical("tube", b["q"], c, axis=(0.3, 0.2, 1))
    joints = [
        fb.Revolute("hinge", fb.GROUND, a["p"], axis=(0.2, 1, 0.1)),
        fb.Universal("cross", a["q"], b["p"], axes=((0, 1, 0), (1, 0, 0))),
        tube,
        fb.Drive("push", tube, value=lambda t: 0.1 * np.sin(4 * t), which="slide"),
        fb.Distance("bar", a["s"], c, second_point=(1.1, 0.2, 0)),
    ]
    forces = [
        fb.SpringDamper(
            "spring", b["s"], c, stiffness=40.0, damping=1.0, free_length=0.3, second_point=(1.0, 0.3, 0)
        ),
        fb.Bushing("mount", a["s"], b["s"], stiffness=full_stiffness(2.0), damping=0.05 * np.eye(6)),
        fb.PointForce("jet", b["s"], (1.0, 0.5, -2.0), follows=True),
        fb.PointMoment("twist", a["s"], lambda t: (0.2, 0.3 * np.cos(2 * t), 0.1)),
    ]
    return fb.System([a, b, c], joints, forces, gravity=(0, -3.0, -9.81))


def cams() -> fb.System:
    """A driven cam that lifts two tappets with a spring between them, one with a roller and one with a flat face."""
    cam = body(1, "cam", (0, 0, 0), angular_velocity=(0, 6.0, 0))
    heights = {"roller": 0.45, "face": -0.2}
    tappets = {name: body(k, name, (0, 0, z)) for k, (name, z) in enumerate(heights.items(), 2)}
    line = fb.profile(lambda a: (0.1 + 0.3 * np.cos(a), 0.3 * np.sin(a)), axis="y", along="z")
    guides = [
        fb.Prismatic(f"guide of {name}", fb.GROUND, tappet, point=tappet.center, axis="z")
        for name, tappet in tappets.items()
    ]
    options = {"points": line, "closed": True}
    shaft = fb.Revolute("shaft", fb.GROUND, cam, point=(0, 0, 0), axis="y")
    spring = fb.SpringDamper("spring", *tappets.values(), stiffness=80.0, damping=150.0, free_length=0.5)
    joints = [
        shaft,
        fb.Drive("turn", shaft, value=lambda t: 6.0 * t + 0.1 * np.sin(9.0 * t)),
        *guides,
        fb.RollerOnGuideway(
            "cam and roller", cam, tappets["roller"], point=(0, 0, 0.45), radius=0.05, **options
        ),
        fb.FaceOnGuideway("cam and face", cam, tappets["face"], point=(0, 0, -0.2), normal="z", **options),
    ]
    return fb.System([cam, *tappets.values()], joints, [spring], gravity=(0, 0, -9.81))
