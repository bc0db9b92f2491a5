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
from .inertia_doubts import Drawn, bodies_as_drawn, centres_elsewhere, drawn_in_mm, masses_of_others
from .length_doubts import free_lengths_in_mm, points_in_mm

#: Radius of gyration of a body over the size of the machine: kg mm^2 makes it a thousand times too large. The mass over
#: the cube of that radius is then a part of that of air, kg/m^3; that of a ship with a small pendulum is not.
LARGEST_GYRATION, LEAST_DENSITY = 100.0, 0.1
#: A speed that no part on an axle has, m/s: wheels of the best fibres burst at it. Tethers in space are longer than the
#: second number, m.
LARGEST_SPEED, LONGEST_ARM = 1000.0, 100.0
#: A longer arm of something that turns so fast may be one in mm, m.
LONG_ARM = 5.0


def warn_of_units(plan: Plan) -> None:
    """Warn of masses, inertia, lengths and rates that are not possible in SI but are in other units."""
    found = bodies_as_drawn(plan)
    doubts = list(drawn_in_mm(plan, found)) or [
        *_inertia(plan, found), *centres_elsewhere(found), *points_in_mm(plan), *free_lengths_in_mm(plan)
    ]  # fmt: skip
    for doubt in doubts or _rates(plan, found):
        warn(doubt)


def _inertia(plan: Plan, found: list[Drawn]) -> Iterator[str]:
    """Yield a sentence for each rigid body whose radius of gyration is far beyond its joints, or beyond the machine."""
    doubted = dict(masses_of_others(found))
    yield from doubted.values()
    size = 2.0 * float(plan.layout.length)
    for one in found:
        body, radius = one.body, one.gyration
        if body.name in doubted or radius < LARGEST_GYRATION * size or body.mass > LEAST_DENSITY * radius**3:
            continue
        yield (
            f"body '{body.name}': its inertia, up to {one.moments[-1]:.4g} kg m^2, and its mass of {body.mass:.4g} kg "
            f"mean a radius of gyration of {radius:.3g} m, in a machine of {size:.3g} m. Inertia is in kg m^2; if "
            "this one is in kg mm^2, multiply it by 1e-6"
        )


def _rates(plan: Plan, found: list[Drawn]) -> Iterator[str]:
    """Yield a sentence for each rate, of a drive or a body at the start, that gives a speed beyond all parts."""
    points, of_body = _points(plan)
    bodies, numbers = (
        plan.system.bodies_by_name(),
        {body.name: b for b, body in enumerate(plan.system.bodies)},
    )
    drawn = {one.body.name: one for one in found}
    for drive in plan.system.joints:
        if not (isinstance(drive, Drive) and is_number(drive.rate)):
            continue
        coordinate = drive.joint.coordinates.get(drive.coordinate)  # type: ignore[arg-type]
        if coordinate != TURN_Z:
            continue
        frame = drive.joint.frames(bodies)[0]
        turned = [side.body.name for side in drive.joint.sides() if side.moves]
        arms = points[np.isin(of_body, [numbers[name] for name in turned])] - frame.drawn(bodies)
        omega = drive.rate * frame.A[:, 2]
        rims = [drawn[name].rim(omega) if name in drawn else 0.0 for name in turned]
        yield from _tip(f"{drive.label}: rate", omega, arms, min(rims, default=0.0))
    for b, body in enumerate(plan.system.bodies):
        if isinstance(body, RigidBody) and np.any(body.angular_velocity):
            arms, omega = points[of_body == b] - points[b], np.asarray(body.angular_velocity, float)
            rim = drawn[body.name].rim(omega) if body.name in drawn else 0.0
            yield from _tip(f"body '{body.name}': angular_velocity", omega, arms, rim)


def _tip(what: str, omega: np.ndarray, arms: np.ndarray, rim: float) -> Iterator[str]:
    """Yield a sentence if points with arms (n, 3) or at a radius of gyration, m, are too fast at ``omega`` (3,)."""
    arms = arms[np.linalg.norm(arms, axis=1) < LONGEST_ARM]
    speed, size = (
        float(np.linalg.norm(np.cross(omega, arms), axis=1).max(initial=0.0)),
        float(np.linalg.norm(omega)),
    )
    where = "a joint or mass centre"
    if speed <= LARGEST_SPEED and size * rim > LARGEST_SPEED and rim < LONGEST_ARM:
        speed, where = size * rim, "a point at the radius of gyration,"
    if speed > LARGEST_SPEED:
        far = speed > LONG_ARM * size
        lengths = "Lengths are in m; if they are in mm, divide them by 1000. " if far else ""
        yield (
            f"{what} is {size:g} rad/s, at which {where} {speed / size:.3g} m from the axis moves at "
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
