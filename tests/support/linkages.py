"""Linkages of the literature through the ordinary interface, some of them described in several ways."""

from __future__ import annotations

import numpy as np
from reference import attia

import flexbody as fb

DOWN = (0.0, -attia.GRAVITY, 0.0)


def place(point: complex) -> np.ndarray:
    """A point of the x-y plane in space."""
    return np.array([point.real, point.imag, 0.0])


def attia_linkage(
    closures: type = fb.PointOnLine, flip: tuple[str, ...] = (), order: slice = slice(None)
) -> fb.System:
    """Attia's linkage as rigid bodies on revolutes, its loops closed at C and F by joints of the kind ``closures``.

    flip : hinges whose sides are exchanged. order : slice that puts bodies and joints in another order.
    """
    bodies = {
        name: fb.RigidBody(
            name,
            mass,
            (attia.inertia(name),) * 3,
            center=place(attia.center(name)),
            markers={pin: place(attia.PINS[pin]) for pin in pins},
        )
        for name, (pins, mass) in attia.BODIES.items()
    }
    joints = []
    for pin, names in attia.HINGES.items():
        sides = [fb.GROUND if name == "ground" else bodies[name] for name in names]
        if pin in flip:
            sides.reverse()
        kind = closures if pin in "CF" else fb.Revolute
        joints.append(kind(pin, *sides, point=place(attia.PINS[pin]), axis="z"))
    return fb.System(list(bodies.values())[order], joints[order], gravity=DOWN)


def attia_particles() -> fb.System:
    """The same of Attia's equivalent particles (his (9)): balls on rigid massless bars, middles kept by functions.

    Particles of several bodies at one hinge are one ball. Each stays in the plane, on a point of it.
    """
    found: dict[complex, float] = {}
    for those in attia.particles().values():
        for at, mass in those:
            found[at] = found.get(at, 0.0) + mass
    fixed = {attia.O, attia.C, attia.F}
    names = {pin: name for name, pin in attia.PINS.items()}
    balls = {
        at: fb.RigidBody(names.get(at, f"ball {k}"), mass, (0.01,) * 3, center=place(at))
        for k, (at, mass) in enumerate(found.items())
        if at not in fixed
    }
    joints: list = [
        fb.PointOnPlane(f"plane {b.name}", fb.GROUND, b, point=b.center, axis="z") for b in balls.values()
    ]

    def side(at):
        return fb.GROUND if at in fixed else balls[at]

    def name(at):
        return names.get(at) or balls[at].name

    def bar(a, b):
        label = f"bar {name(a)}-{name(b)}"
        return fb.Distance(label, side(a), side(b), first_point=place(a), second_point=place(b))

    for body, those in attia.particles().items():
        a, b, c = (at for at, _ in those)
        if body == "ABD":
            # D, which holds no particle of its own body, is a ball of the rods D-E; four bars hold it and the third
            joints += [bar(a, b), bar(a, c), bar(b, c), bar(a, attia.D), bar(b, attia.D)]
            continue
        joints.append(bar(a, c))
        ends = [fb.GROUND if at in fixed else balls[at] for at in (a, c)]
        moving = [end for end in ends if end is not fb.GROUND]
        foot = sum((place(at) for at in (a, c) if at in fixed), np.zeros(3))
        joints.append(fb.Constraint(f"middle of {body}", [balls[b], *moving], position=_middle(foot)))
    return fb.System(list(balls.values()), joints, gravity=DOWN)


def _middle(foot: np.ndarray):
    """What keeps a point half way between others, of which those that stand still add up to ``foot``."""
    return lambda t, m, *ends: [2 * m.r[k] - foot[k] - sum(end.r[k] for end in ends) for k in (0, 1)]


def bricard(length: float = 1.0, width: float = 0.1) -> fb.System:
    """Bricard's linkage, IFToMM A04: five rods of 1 kg on six hinges, 30 rows of rank 29, gravity along -y."""
    corners = length * np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = "yzxyzx"
    rods = []
    for k in range(5):
        along = (corners[k + 1] - corners[k]) / length
        thin, wide = width**2 / 6, (length**2 + width**2) / 12
        inertia = thin * np.outer(along, along) + wide * (np.eye(3) - np.outer(along, along))
        rods.append(fb.RigidBody(f"rod {k}", 1.0, inertia, center=(corners[k] + corners[k + 1]) / 2,
                                 markers={"end": corners[k + 1]}))  # fmt: skip
    sides = [fb.GROUND, *rods, fb.GROUND]
    joints = [
        fb.Revolute(f"hinge {k}", sides[k], sides[k + 1], point=corners[k], axis=axes[k]) for k in range(6)
    ]
    return fb.System(rods, joints, gravity=(0, -9.81, 0))
