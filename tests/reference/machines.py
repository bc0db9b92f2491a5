"""The machines of the reference programs, built through the ordinary interface.

Every function returns ``(system, read)``: a ``flexbody.System`` and a function that turns a ``Result`` of it
into the reference program's coordinates, a dictionary of arrays over the output times. Planar machines lie in
the x-y plane, their hinges along z. Joints are chosen without redundancy unless said: a revolute at every
hinge of the tree, and where a loop closes a joint with the planar hinge's two constraints (PointOnLine along
z), or a spherical and a universal joint. ``flexbody`` and ``modal`` are imported in the functions only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from . import andrews, four_bar, heavy_top, ivp_crank, pendulum, slider_crank

Read = Callable[[Any], dict[str, np.ndarray]]


def _in_space(point: Any) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), 0.0)


def _turned(result: Any, body: str) -> np.ndarray:
    """(nt,) angle of a body that turns about z, between -pi and pi."""
    Q = result.rotation(body)
    return np.arctan2(Q[:, 1, 0], Q[:, 0, 0])


def pendulum_machine() -> tuple[Any, Read]:
    """Mathematical pendulum of 1 m as a bar: centre at 0.5 m, 1 kg, 0.25 kg m^2 (reduced length 1 m).

    Let go at rest from the horizontal. read gives "position" (nt, 2) of the point 1 m from the hinge, y
    upwards: compare with pendulum.position(t).
    """
    import flexbody as fb

    bar = fb.RigidBody(
        "bar", 1.0, (0.25, 0.25, 0.25), center=(0.5, 0, 0), markers={"bob": (pendulum.LENGTH, 0, 0)}
    )
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    system = fb.System([bar], [hinge], gravity=(0, -pendulum.GRAVITY, 0))
    return system, lambda result: {"position": result.position(bar["bob"])[:, :2]}


def heavy_top_machine() -> tuple[Any, Read]:
    """The heavy top; read gives "euler" (nt, 4), with the sign of heavy_top.solution's, and "center" (nt, 3).

    Euler parameters q and -q mean the same rotation: the sign is chosen continuous from (1, 0, 0, 0).
    """
    import flexbody as fb

    top = fb.RigidBody(
        "top",
        heavy_top.MASS,
        heavy_top.INERTIA_CENTER,
        center=heavy_top.CENTER,
        velocity=np.cross(heavy_top.OMEGA0, heavy_top.CENTER),
        angular_velocity=heavy_top.OMEGA0,
    )
    foot = fb.Spherical("foot", fb.GROUND, top, point=(0, 0, 0))

    def read(result: Any) -> dict[str, np.ndarray]:
        q = np.array(result.euler(top))
        flips = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips)[:, None]
        return {"euler": q * np.sign(q[0, 0]), "center": result.position(top)}

    return fb.System([top], [foot], gravity=heavy_top.GRAVITY), read


def four_bar_machine(windows: int = 2, redundant: bool = False, angle: float = 0.0) -> tuple[Any, Read]:
    """IFToMM A02; read gives "position", "velocity" (nt, 2) of the first upper joint.

    With redundant=True all joints are revolutes: each window has three redundant constraints. The machine is drawn
    where its cranks have turned by ``angle`` from upright, and moves as it does there.
    """
    import flexbody as fb

    moments = (1 / 12, 1 / 12, 1 / 12)
    x, y, rate = np.sin(angle), np.cos(angle), four_bar.rate_at(angle, windows)
    cranks = [
        fb.RigidBody(
            f"crank {k}",
            1.0,
            moments,
            center=(k + 0.5 * x, 0.5 * y, 0),
            velocity=(0.5 * rate * y, -0.5 * rate * x, 0),
            angular_velocity=(0, 0, -rate),
            markers={"top": (k + x, y, 0)},
        )
        for k in range(windows + 1)
    ]
    couplers = [
        fb.RigidBody(
            f"coupler {k}", 1.0, moments, center=(k + 0.5 + x, y, 0), velocity=(rate * y, -rate * x, 0)
        )
        for k in range(windows)
    ]
    joints = [
        fb.Revolute(f"bearing {k}", fb.GROUND, crank, point=(k, 0, 0), axis="z")
        for k, crank in enumerate(cranks)
    ]
    closure = fb.Revolute if redundant else fb.PointOnLine
    for k in range(windows):
        joints.append(fb.Revolute(f"left {k}", cranks[k], couplers[k], point=(k + x, y, 0), axis="z"))
        end = (k + 1 + x, y, 0)
        joints.append(closure(f"right {k}", couplers[k], cranks[k + 1], point=end, axis="z"))
    system = fb.System([*cranks, *couplers], joints, gravity=(0, -four_bar.GRAVITY, 0))
    first = cranks[0]["top"]
    return system, lambda result: {
        "position": result.position(first)[:, :2],
        "velocity": result.velocity(first)[:, :2],
    }


def andrews_machine(redundant: bool = False) -> tuple[Any, Read]:
    """Andrews' squeezer: seven bodies, seven revolutes, three loop closures at F, a spring, a torque on K1.

    With redundant=True the closures are revolutes too, ten in all: 50 constraints of rank 41, 42 coordinates.
    read gives "q", "qdot" (nt, 7) in the test set's order: beta, Theta, gamma, Phi, delta, Omega, epsilon.
    The joints' own angles are those coordinates, less their values as drawn.
    """
    import flexbody as fb

    bodies = {
        b["name"]: fb.RigidBody(b["name"], b["mass"], [b["inertia"]] * 3, center=_in_space(b["center"]))
        for b in andrews.bodies()
    }
    joints = []
    for name, first, second, point in andrews.joints():
        kind = fb.PointOnLine if name.startswith("F") and not redundant else fb.Revolute
        one = fb.GROUND if first == "ground" else bodies[first]
        joints.append(kind(name, one, bodies[second], point=_in_space(point), axis="z"))
    data = andrews.spring()
    spring = fb.SpringDamper(
        "spring",
        fb.GROUND,
        bodies["K3"],
        stiffness=data["stiffness"],
        free_length=data["free"],
        first_point=_in_space(data["on_ground"]),
        second_point=_in_space(data["on_K3"]),
    )
    motor = fb.PointMoment("motor", bodies["K1"], (0, 0, andrews.TORQUE))
    order = ("O", "crank pin", "B", "G", "A5", "H", "A7")  # the joints whose angles are q1..q7

    def read(result: Any) -> dict[str, np.ndarray]:
        turned = np.column_stack([result.coordinate(name) for name in order])
        rates = np.column_stack([result.angular_velocity(name)[:, 2] for name in bodies])
        return {"q": andrews.Q0 + turned, "qdot": np.linalg.solve(andrews.TURNS, rates.T).T}

    return fb.System(list(bodies.values()), joints, [spring, motor]), read


def ivp_crank_machine() -> tuple[Any, Read]:
    """The test set's flexible slider-crank, with the published problem's conventions (see ivp_crank.py).

    read gives "positions", "velocities" (nt, 7): phi1, phi2, x3, q1..q4, as ivp_crank.coordinates(). The
    slider is drawn where it is at t = 0 with the given alpha, 0.45 m + q4, the rod undeformed from the crank
    pin at 0.15 m on: so the machine is assembled as it stands, and nothing must be corrected but rounding.
    """
    import flexbody as fb

    p = ivp_crank
    x3 = p.L1 + p.L2 + p.Q0[3]
    rate = -p.SPEED * p.L1 / (p.L2 + p.Q0[3])
    crank = fb.RigidBody(
        "crank",
        p.M1,
        [p.J1 - p.M1 * (p.L1 / 2) ** 2] * 3,
        center=(p.L1 / 2, 0, 0),
        velocity=(0, p.SPEED * p.L1 / 2, 0),
        angular_velocity=(0, 0, p.SPEED),
    )
    rod = fb.FlexibleBody(
        "rod",
        ivp_crank_rod(),
        origin=(p.L1, 0, 0),
        velocity=(0, p.SPEED * p.L1, 0),
        angular_velocity=(0, 0, rate),
        alpha=p.Q0,
        alpha_dot=p.QDOT0,
    )
    slider = fb.RigidBody(
        "slider",
        p.M3,
        (1e-5, 1e-5, 1e-5),
        center=(x3, 0, 0),
        velocity=(p.QDOT0[3], 0, 0),
        markers={"pin": (x3, 0, 0)},
    )
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", rod["end"], slider["pin"], axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(x3, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=p.SPEED),
    ]

    def read(result: Any) -> dict[str, np.ndarray]:
        crank_rate, rod_rate = result.angular_velocity(crank)[:, 2], result.angular_velocity(rod)[:, 2]
        place, speed = result.position(slider)[:, 0], result.velocity(slider)[:, 0]
        return {
            "positions": np.column_stack(
                [result.coordinate(main), _turned(result, "rod"), place, result.alpha(rod)]
            ),
            "velocities": np.column_stack([crank_rate, rod_rate, speed, result.alpha_dot(rod)]),
        }

    return fb.System([crank, rod, slider], joints), read


def ivp_crank_rod() -> Any:
    """The rod as a ReducedBody: q1, q2 bending, q3, q4 axial; chord frame, origin at the crank pin.

    Two places differ from what the base functions give, because the published problem differs from it there:
    the axial pair's mass in C8 and C5 times 15, and the sections' rotary inertia in C3. In K, PI of the code.
    """
    import modal

    p, l = ivp_crank, ivp_crank.L2
    rod = modal.assumed.beam(
        length=l,
        mass=p.M2,
        EI=p.E * p.B * p.H**3 / 12 * (p.PI / np.pi) ** 4,
        EA=p.E * p.B * p.H,
        polar_inertia=p.M2 * (p.B**2 + p.H**2) / 12,
        y=modal.assumed.sines(2),
        x=(Polynomial([0, 4 / l, -4 / l**2]), Polynomial([0, -1 / l, 2 / l**2])),
        frame=modal.Chord("start", "end"),
        stiffening=False,  # linear theory, as the benchmark
        name="rod",
    )
    factor = np.ones((4, 4))
    factor[2:, 2:] = p.AXIAL_MASS_FACTOR
    sections = np.diag([0.0, p.M2 * p.B**2 / 12, p.J2 - p.M2 * l**2 / 3])
    return replace(rod, C8=rod.C8 * factor, C5=rod.C5 * factor[:, :, None, None], C3=rod.C3 + sections)


def _read_rod(result: Any) -> dict[str, np.ndarray]:
    """What koppens_slider_crank gives of a run of its machine."""
    rod = result.system.body("rod")
    first, middle, last = (result.position(rod[name])[:, :2] for name in ("start", "middle", "end"))
    chord, reach = last - first, middle - first
    across = (chord[:, 0] * reach[:, 1] - chord[:, 1] * reach[:, 0]) / np.linalg.norm(chord, axis=1)
    pin, wrist = result.reaction("pin").force, result.reaction("wrist").force  # on the rod, on the slider
    return {
        "deflection": across,
        "slider": result.position("slider")[:, 0],
        "alpha": result.alpha(rod),
        "psi": _turned(result, "rod"),
        "pin_force": pin[:, 0] + 1j * pin[:, 1],
        "wrist_force": -(wrist[:, 0] + 1j * wrist[:, 1]),
    }


def koppens_slider_crank(
    kind: str = "quintic", modes: int = 4, slider_factor: float = 1.0, start: str = "rigid"
) -> tuple[Any, Read]:
    """Koppens' planar slider-crank with the base functions of slider_crank.machine(kind, modes).

    "quintic": four, mean-displacement frame; "sine": chord frame. slider_factor times half the rod's mass
    slides; start="quasi_static" begins with (D.11). The crank's mass is of no account (constant speed, no
    gravity). read gives "deflection" (nt,) of the middle, as slider_crank does, "slider" (nt,), "alpha"
    (nt, modes), "psi" (nt,), and the complex "pin_force" and "wrist_force" (nt,) on the rod.
    """
    import flexbody as fb
    import modal

    p = slider_crank
    if kind == "quintic":
        if modes != 4:
            raise ValueError("the quintic base has four functions")
        functions, frame = modal.assumed.quintic(), modal.MeanDisplacement()
    else:
        functions, frame = modal.assumed.sines(modes), modal.Chord("start", "end")
    reduced = modal.assumed.beam(
        length=p.LENGTH,
        mass=p.MASS,
        EI=p.EI,
        polar_inertia=p.MASS * p.DIAMETER**2 / 8,
        y=functions,
        frame=frame,
        stiffening=False,  # linear theory, as in Koppens 5.2
        name="rod",
    )
    a, b = (p.CRANK, 0, 0), (p.CRANK + p.LENGTH, 0, 0)
    reference = reduced.origin[0]  # from the crank pin: 0 (chord) or half the length (mean displacement)
    adot0 = np.zeros(modes) if start == "rigid" else p.quasi_static_velocity(p.machine(kind, modes))
    ends = p.machine(kind, modes).at_ends.imag @ adot0  # the pins' own speeds in the frame, to be taken off
    omega = -p.SPEED * p.CRANK / p.LENGTH - (ends[2] - ends[0]) / p.LENGTH
    rod = fb.FlexibleBody(
        "rod",
        reduced,
        place={"start": a, "end": b},
        velocity=(0, p.SPEED * p.CRANK - ends[0] + omega * reference, 0),
        angular_velocity=(0, 0, omega),
        alpha_dot=adot0,
    )
    crank = fb.RigidBody(
        "crank",
        0.1,
        (1e-4, 1e-4, 1e-4),
        center=(p.CRANK / 2, 0, 0),
        velocity=(0, p.SPEED * p.CRANK / 2, 0),
        angular_velocity=(0, 0, p.SPEED),
    )
    slider = fb.RigidBody("slider", max(slider_factor, 1e-9) * p.MASS / 2, (1e-6, 1e-6, 1e-6), center=b)
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", rod["end"], slider, axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=b, axis="x"),
        fb.Drive("drive", main, rate=p.SPEED),
    ]

    return fb.System([crank, rod, slider], joints), _read_rod
