"""Mass, inertia and drawn size of a rigid body that do not belong together: one of them is in another unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fem.common.errors import few

from ..compile.plan import Plan
from ..model.joints.coordinates import TURN_Z
from ..model.massless_body import MasslessBody
from ..model.rigid_body import RigidBody

#: A body is a point beside the distances of its joints if they are so many times its radius of gyration.
POINT_LIKE = 100.0
#: The mass over the cube of the farthest distance, kg/m^3, is below this if lengths are in mm: 10 000 for a cube of
#: iron, 10 for a slender rod, 1e-9 of that in mm. Light links of a long tether have more.
LEAST_FILLED = 3e-6
#: The mass over the box that has this mass and inertia, kg/m^3, if inertia and lengths are in mm; air has 1.2.
LEAST_DENSITY = 1e-4
#: Joints lie around a body if they are farther from each other than the first part of the largest distance, and the
#: mass centre is outside of the box about them by less than the second.
AROUND, OUTSIDE = 0.2, 0.25
#: Longer distances than the first are no mm at all; without gravity, as tethers in orbit are, than the second, m.
LONGEST, LONGEST_AFLOAT = 2e4, 250.0
#: A body below this part of the mass of all was added for its joints.
LEAST_PART = 1e-4
#: A mass centre is doubted if it is so many times farther from the joints of its body than these from each other: the
#: first where none is on the ground, from which pendulums of tens of metres hang; and so many radii of gyration.
BESIDE, BESIDE_PIVOT, RADII_BESIDE = 10.0, 300.0, 50.0
#: It is so in a unit if it is beside the joints by more than the first part of the number of units in 1 m, and if its
#: numbers in this unit lie outside of the box about the joints by less than the second part of their distance. No load
#: below hangers at z = 0 satisfies both.
LEAST_PART_OF_UNIT, OUTSIDE_IN_UNIT = 0.25, 0.2
#: Radius of gyration over the farthest distance of a joint, and the mass over the cube of that radius, kg/m^3, from
#: which both are doubted; propellers and wheels more than 1.
LARGEST_GYRATION, LEAST_OF_MASS = 12.0, 1e-3
#: A hinge whose axis passes the mass centre at less than this part of the farthest distance is the axle of a rotor.
AT_CENTRE = 0.01
#: An inertia below this part of that of all masses at that distance is one of a body that was added for its joints.
LEAST_INERTIA = 1e-3
#: The mass over the cube of the radius of gyration of a wheel, kg/m^3: 37 of a bicycle's, 7000 of a flat disc of steel.
LEAST_OF_DISC = 10.0
#: What units make of the radius of gyration: inertia in kg mm^2 or kg cm^2, mass in t or g.
_FACTORS = (
    ("the inertia is in kg mm^2, multiply it by 1e-6", 1e3),
    ("the inertia is in kg cm^2, multiply it by 1e-4", 1e2),
    ("the mass is in t, multiply it by 1000", np.sqrt(1e3)),
)
#: Other units of length, in m.
_LENGTHS = (
    ("mm", 1e-3, "divide it by 1000"), ("cm", 1e-2, "divide it by 100"), ("inches", 0.0254, "multiply it by 0.0254"),
)  # fmt: skip
#: Radii of gyration over the farthest distance that bodies have.
_USUAL = (0.05, 4.0)


@dataclass(frozen=True)
class Drawn:
    """A rigid body, with the points of joints and forces on it.

    Parameters
    ----------
    body : RigidBody
        The body.
    points : numpy.ndarray
        Points of joints and forces on it, (n, 3), m.
    others : frozenset of str
        Names of the bodies beyond its joints.
    axes : numpy.ndarray
        Points on the axes of hinges and the directions of these, (k, 2, 3), m.
    """

    body: RigidBody
    points: np.ndarray
    others: frozenset[str]
    axes: np.ndarray

    @property
    def arms(self) -> np.ndarray:
        """Distances of the points from the mass centre, (n,), m."""
        return np.asarray(np.linalg.norm(self.points - self.body.start, axis=1))

    @property
    def spread(self) -> float:
        """Diagonal of the box about the points, m."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    def outside(self, x: np.ndarray) -> float:
        """Return how far a place x (3,), m, is outside of the box about the points, m."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        return float(np.linalg.norm(np.maximum(np.maximum(low - x, x - high), 0.0)))

    @property
    def moments(self) -> np.ndarray:
        """Principal moments of inertia, ascending, (3,), kg m^2."""
        return np.asarray(np.linalg.eigvalsh(self.body.inertia_tensor))

    @property
    def gyration(self) -> float:
        """Largest radius of gyration, m."""
        return float(np.sqrt(max(self.moments[-1], 0.0) / self.body.mass))

    @property
    def density(self) -> float:
        """Mass over the volume of the box that has this mass and these moments of inertia, kg/m^3."""
        squares = 6.0 * (self.moments.sum() - 2.0 * self.moments) / self.body.mass
        volume = float(np.sqrt(np.prod(np.maximum(squares, 0.0))))
        return float(self.body.mass) / volume if volume else np.inf

    @property
    def is_rotor(self) -> bool:
        """Whether it turns on a hinge about an axis through its mass centre."""
        away = np.linalg.norm(np.cross(self.body.start - self.axes[:, 0], self.axes[:, 1]), axis=1)
        return bool(np.any(away <= AT_CENTRE * self.arms.max(initial=0.0)))

    def rim(self, omega: np.ndarray) -> float:
        """Return the radius of gyration about ``omega`` (3,), that of a thin rim, m; 0 for a body that is too light."""
        axis = omega / (np.linalg.norm(omega) or 1.0)
        radius = float(np.sqrt(max(axis @ self.body.inertia_tensor @ axis, 0.0) / self.body.mass))
        return radius if self.body.mass > LEAST_OF_DISC * radius**3 else 0.0


def bodies_as_drawn(plan: Plan) -> list[Drawn]:
    """Return the rigid bodies of a machine, each with the points of the joints and forces that act on it."""
    system, bodies = plan.system, plan.system.bodies_by_name()
    points: dict[str, list[np.ndarray]] = {body.name: [] for body in system.bodies}
    others: dict[str, set[str]] = {body.name: set() for body in system.bodies}
    axes: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {body.name: [] for body in system.bodies}
    for item in (*system.joints, *system.forces):
        if item.uses():
            continue
        frames = item.frames(bodies)
        for frame in frames:
            if frame.body in points:
                points[frame.body].append(np.asarray(frame.drawn(bodies), dtype=float))
                if TURN_Z in getattr(item, "coordinates", {}).values():
                    axes[frame.body].append((points[frame.body][-1], frame.A[:, 2]))
                others[frame.body].update(other.body for other in frames if other is not frame)
    return [
        Drawn(
            body,
            np.array(points[body.name]).reshape(-1, 3),
            frozenset(others[body.name]),
            np.array(axes[body.name]).reshape(-1, 2, 3),
        )
        for body in system.bodies
        if isinstance(body, RigidBody) and not isinstance(body, MasslessBody)
    ]


def drawn_in_mm(plan: Plan, found: list[Drawn]) -> Iterator[str]:
    """Yield a sentence if bodies are far too large for their mass, as those of a machine drawn in mm are.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    found : list of Drawn
        Its rigid bodies.

    Yields
    ------
    str
        The sentence.

    Notes
    -----
    Either such a body is a point between joints that are far on all sides; or its inertia is in kg mm^2 as well, and it
    is thinner than air. A body with joints on one side alone may be a long pendulum.
    """
    longest = LONGEST if np.any(plan.system.gravity) else LONGEST_AFLOAT
    least = LEAST_PART * sum(float(one.body.mass) for one in found)
    doubted = [
        one for one in found if len(one.points) > 1 and one.body.mass > least and _too_large(one, longest)
    ]
    if not doubted:
        return
    one = max(doubted, key=lambda one: float(one.arms.max()) ** 3 / one.body.mass)
    also = [f"'{other.body.name}'" for other in doubted if other is not one]
    too = one.gyration * POINT_LIKE > one.arms.min()
    inertia = " and the inertia, if it is in kg mm^2, by 1e6" if too else ""
    more = f" The same is true of {few(also)}." if also else ""
    yield (
        f"body '{one.body.name}': its joints and forces lie up to {one.arms.max():.4g} m from its mass centre, but its "
        f"mass is {one.body.mass:.4g} kg and its largest radius of gyration {one.gyration:.3g} m.{more} Lengths are in "
        f"m; if the machine is drawn in mm, divide all points by 1000{inertia}"
    )


def _too_large(one: Drawn, longest: float) -> bool:
    """Return whether a body has joints on all sides that are too far away for its mass and inertia."""
    near, far = float(one.arms.min()), float(one.arms.max())
    if not (
        0.0 < far < longest
        and one.outside(one.body.start) < OUTSIDE * far
        and one.spread > AROUND * far
        and one.body.mass < LEAST_FILLED * far**3
    ):
        return False
    alike = LARGEST_GYRATION * one.gyration > far and one.gyration < LARGEST_GYRATION * far
    return near > POINT_LIKE * one.gyration or (alike and one.density < LEAST_DENSITY)


def centres_elsewhere(found: list[Drawn]) -> Iterator[str]:
    """Yield a sentence for each body between others whose mass centre lies far beside all its joints.

    Parameters
    ----------
    found : list of Drawn
        Rigid bodies of a machine.

    Yields
    ------
    str
        The sentence.

    Notes
    -----
    A pendulum hangs on joints at its end with one other body or the ground.
    """
    for one in found:
        if len(one.others) < 2:
            continue
        near, beside = float(one.arms.min()), BESIDE_PIVOT if "ground" in one.others else BESIDE
        if not near > max(beside * one.spread, RADII_BESIDE * one.gyration) or one.spread < one.gyration:
            continue
        likely = {}
        for unit, size, mend in _LENGTHS:
            center = size * one.body.start
            inside = one.outside(center) < OUTSIDE_IN_UNIT * one.spread
            if inside and size * near > LEAST_PART_OF_UNIT * one.spread:
                likely[float(np.linalg.norm(center - one.points.mean(axis=0)))] = unit, mend
        if not likely:
            continue
        unit, mend = likely[min(likely)]
        place = ", ".join(f"{x:g}" for x in one.body.start)
        yield (
            f"body '{one.body.name}': its mass centre ({place}) m is {near:.4g} m from its joints and "
            f"forces, which lie within {one.spread:.3g} m. Lengths are in m; if center= is in {unit}, {mend}"
        )


def masses_of_others(found: list[Drawn]) -> Iterator[tuple[str, str]]:
    """Yield the name of each body whose inertia is too large for its mass and its joints' places, and a sentence.

    Parameters
    ----------
    found : list of Drawn
        Rigid bodies of a machine.

    Yields
    ------
    tuple of str
        The name of the body and the sentence.

    Notes
    -----
    A wheel or a rotor has a joint at its mass centre, or the axis of a hinge through it, and may have any inertia: that
    of a motor behind a gear counts many times. So may a body of nearly no inertia.
    """
    mass = sum(float(one.body.mass) for one in found)
    for one in found:
        if len(one.others) < 2:
            continue
        far = float(one.arms.max())
        if one.arms.min() <= AT_CENTRE * far or one.is_rotor or one.gyration < LARGEST_GYRATION * far:
            continue
        if one.body.mass > LEAST_OF_MASS * one.gyration**3 or one.moments[-1] < LEAST_INERTIA * mass * far**2:
            continue
        units = [unit for unit, factor in _FACTORS if _USUAL[0] < one.gyration / factor / far < _USUAL[1]]
        likely = "; if ".join(units or [unit for unit, _ in _FACTORS])
        said = (
            f"body '{one.body.name}': its inertia, up to {one.moments[-1]:.4g} kg m^2, and its mass of "
            f"{one.body.mass:.4g} kg mean a radius of gyration of {one.gyration:.3g} m, but its joints and forces "
            f"lie within {far:.3g} m from its mass centre. Inertia is in kg m^2 and mass in kg; if {likely}"
        )
        yield one.body.name, said
