"""Numbers of a machine that look like other units than SI: each is told with what it means and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fem.common.errors import warn
from fem.common.numbers import is_number

from ..compile.plan import Plan
from ..model.drives import Drive
from ..model.joints.coordinates import TURN_Z
from ..model.rigid_body import RigidBody
from .length_doubts import free_lengths_in_mm, points_in_mm

#: Radius of gyration of a body over the size of the machine: kg mm^2 makes it a thousand times too large. The mass over
#: the cube of that radius is then a part of that of air, kg/m^3; that of a ship with a small pendulum is not.
LARGEST_GYRATION, LEAST_DENSITY = 100.0, 0.1
#: Distance of a mass centre from its joints over the size of the machine: mm make it a thousand times too large.
LEAST_DISTANCE, LARGEST_DISTANCE = 300.0, 3000.0
#: A speed that no part on an axle has, m/s: wheels of the best fibres burst at it. Tethers in space are longer than the
#: second number, m.
LARGEST_SPEED, LONGEST_ARM = 1000.0, 100.0
#: A longer arm of something that turns so fast may be one in mm, m.
LONG_ARM = 5.0


def warn_of_units(plan: Plan) -> None:
    """Warn of inertia, lengths and rates that are not possible in SI but are in other units."""
    doubts = [*_inertia(plan), *_centres(plan), *points_in_mm(plan), *free_lengths_in_mm(plan)]
    for doubt in doubts or _rates(plan):
        warn(doubt)


def _inertia(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each rigid body whose radius of gyration is far beyond the machine."""
    size = 2.0 * float(plan.layout.length)
    for body in plan.system.bodies:
        if not isinstance(body, RigidBody):
            continue
        moments = np.linalg.eigvalsh(body.inertia_tensor)
        radius = float(np.sqrt(moments[-1] / body.mass))
        if radius > LARGEST_GYRATION * size and body.mass < LEAST_DENSITY * radius**3:
            yield (
                f"body '{body.name}': its inertia, up to {moments[-1]:.4g} kg m^2, and its mass of {body.mass:.4g} kg "
                f"mean a radius of gyration of {radius:.3g} m, in a machine of {size:.3g} m. Inertia is in kg m^2; if "
                "this one is in kg mm^2, multiply it by 1e-6"
            )


def _centres(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each rigid body whose mass centre is far from all its joints, as mm for m make it."""
    L, (points, _) = plan.layout, _points(plan)
    places = points[len(plan.system.bodies) :]
    if not len(places):
        return
    size, away = float(np.linalg.norm(np.ptp(places, axis=0))), np.full(len(plan.system.bodies), np.inf)
    on = L.frame_body >= 0
    np.minimum.at(away, L.frame_body[on], np.linalg.norm(L.frame_x[on], axis=1))
    held = (
        np.bincount(L.frame_body[on], minlength=len(away)) > 1
    )  # a body on one joint may be a long pendulum
    for b in np.flatnonzero(
        held & (LEAST_DISTANCE * size < away) & (away < LARGEST_DISTANCE * size)
    ).tolist():
        body = plan.system.bodies[b]
        if isinstance(body, RigidBody):
            yield (
                f"body '{body.name}': its mass centre ({', '.join(f'{x:g}' for x in points[b])}) m is {away[b]:.4g} m "
                f"from its joints and forces, in a machine whose joints lie within {size:.3g} m. Lengths are in m; if "
                "center= is in mm, divide it by 1000"
            )


def _rates(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each rate, of a drive or a body at the start, that gives a speed beyond all parts."""
    points, of_body = _points(plan)
    bodies, numbers = (
        plan.system.bodies_by_name(),
        {body.name: b for b, body in enumerate(plan.system.bodies)},
    )
    for drive in plan.system.joints:
        if not (isinstance(drive, Drive) and is_number(drive.rate)):
            continue
        coordinate = drive.joint.coordinates.get(drive.coordinate)  # type: ignore[arg-type]
        if coordinate != TURN_Z:
            continue
        frame = drive.joint.frames(bodies)[0]
        turned = [numbers[side.body.name] for side in drive.joint.sides() if side.moves]
        arms = points[np.isin(of_body, turned)] - frame.drawn(bodies)
        yield from _tip(f"{drive.label}: rate", drive.rate * frame.A[:, 2], arms)
    for b, body in enumerate(plan.system.bodies):
        if isinstance(body, RigidBody) and np.any(body.angular_velocity):
            arms = points[of_body == b] - points[b]
            yield from _tip(
                f"body '{body.name}': angular_velocity", np.asarray(body.angular_velocity, float), arms
            )


def _tip(what: str, omega: np.ndarray, arms: np.ndarray) -> Iterator[str]:
    """Yield a sentence if points with these arms (n, 3), m, are too fast at an angular velocity (3,), rad/s."""
    arms = arms[np.linalg.norm(arms, axis=1) < LONGEST_ARM]
    speed = float(np.linalg.norm(np.cross(omega, arms), axis=1).max(initial=0.0))
    if speed > LARGEST_SPEED:
        size = float(np.linalg.norm(omega))
        far = speed > LONG_ARM * size
        lengths = "Lengths are in m; if they are in mm, divide them by 1000. " if far else ""
        yield (
            f"{what} is {size:g} rad/s, at which a joint or mass centre {speed / size:.3g} m from the axis moves at "
            f"{speed:.4g} m/s. {lengths}Rates are in rad/s; if this one is in rpm, multiply it by pi/30, and if it is "
            f"in degrees per second, write np.radians({size:g})"
        )


def _points(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Return the drawn reference points of the bodies, then those of joints and forces, (n, 3), m, and their bodies."""
    L = plan.layout
    starts = np.array([body.start for body in plan.system.bodies]).reshape(-1, 3)
    bodies = np.concatenate([np.arange(len(starts)), L.frame_body])
    at = L.frame_x + np.where(L.frame_body[:, None] >= 0, starts[L.frame_body], 0.0)
    return np.concatenate([starts, at]), bodies
