"""Where the teeth of two wheels touch: pitch point and directions of the teeth, from the drawn axes and the ratio."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError

#: axes are parallel, or intersect, to this angle (rad) or this part of their distance
ALIGNMENT_TOLERANCE = 1e-4
#: largest distance of a given pitch point from where the ratio puts it, relative to the pitch radius
PITCH_POINT_TOLERANCE = 1e-3
#: relative difference of two cone distances that is reported
CONE_DISTANCE_TOLERANCE = 0.02
#: what helps where there is no pitch point
ALONE = "pressure_angle=None couples the angles alone: its moments act about the axes, and no force on the bearings"

Axes = tuple[np.ndarray, np.ndarray]


class Pair(NamedTuple):
    """What a user gives of a pair of wheels; see :class:`flexbody.Gear`.

    Parameters
    ----------
    name, label : str
        Name of the gear; kind and name.
    ratio : float
        Number of teeth of the second wheel divided by that of the first.
    internal : bool
        Whether both wheels turn in the same direction, seen along the axes of their joints.
    pressure_angle, helix_angle : float
        Normal pressure angle and helix angle, rad.
    flank : int
        1 or -1 for teeth that touch on this flank only, otherwise 0.
    point : numpy.ndarray or None
        Pitch point in the drawn configuration, (3,), m.
    """

    name: str
    label: str
    ratio: float
    internal: bool
    pressure_angle: float
    helix_angle: float
    flank: int
    point: np.ndarray | None


class Contact(NamedTuple):
    """Where two wheels touch as drawn: pitch point P (3,), m, and unit vectors t, b, n (3,) of the teeth.

    ``doubt`` says why the pitch point may be another one; "" if it is certain.
    """

    P: np.ndarray
    t: np.ndarray
    b: np.ndarray
    n: np.ndarray
    doubt: str = ""


class Axis(NamedTuple):
    """The axis z (3,) of a joint as drawn, and the positions of its first and second frame, (3,), m."""

    z: np.ndarray
    first: np.ndarray
    second: np.ndarray


def contact_of(gear: Pair, first: Axis, second: Axis) -> Contact:
    """Return where two wheels touch; the ratio of their pitch radii is that of the gear."""
    z1, z2 = first.z, second.z
    across = np.cross(z1, z2)
    if np.linalg.norm(across) < ALIGNMENT_TOLERANCE:
        return _parallel(gear, first, second, bool(z1 @ z2 > 0))
    return _bevel(gear, first, second, across)


def _parallel(gear: Pair, first: Axis, second: Axis, same: bool) -> Contact:
    """Return the contact of wheels with parallel axes: ``r_1 = a / (1 + i)``, of internal gears ``a / |1 - i|``."""
    z, between = first.z, second.second - first.second
    way = between - z * (z @ between)
    distance = float(np.linalg.norm(way))
    ratio = gear.ratio if gear.internal != same else -gear.ratio  # negative: teeth inside
    if distance < ALIGNMENT_TOLERANCE * float(np.linalg.norm(between)) or distance == 0 or ratio == -1:
        raise InputError(
            f"{gear.label}: its axes are {distance:.4g} m apart and its ratio is {gear.ratio:g}"
            f"{' (internal)' if gear.internal else ''}, so that its pitch circles do not touch; draw the joints at the "
            f"centres of the wheels. {ALONE}"
        )
    e = way / distance
    radius = distance / (1 + ratio)  # negative: on the other side of the first wheel
    plane = first.second + z * (z @ between) / 2
    P = plane + radius * e
    if gear.point is not None:
        given = gear.point
        P = P + z * (z @ (given - P))
        _check_point(gear, given, P, abs(radius))
    t = np.cross(z, radius * e) / abs(radius)
    # the second wheel lies beyond the pitch point, except a wheel inside a ring
    return Contact(P, t, z, e if ratio > 0 else -e)


def _bevel(gear: Pair, first: Axis, second: Axis, across: np.ndarray) -> Contact:
    """Return the contact of wheels whose axes intersect: on the line ``p = kappa u_1 + u_2`` from the intersection.

    u_1, u_2 are the axes from the intersection to the wheels and kappa the ratio, negative for teeth inside:
    ``w_1 (u_1 x p) = w_2 (u_2 x p)`` holds for ``w_1 + kappa w_2 = 0``.
    """
    between, square = second.second - first.second, float(across @ across)
    gap = abs(float(between @ across)) / np.sqrt(square)
    ways = [float(np.cross(between, z) @ across) / square for z in (second.z, first.z)]
    apex = first.second + ways[0] * first.z
    reach = max(abs(ways[0]), abs(ways[1]))
    if gap > ALIGNMENT_TOLERANCE * max(float(np.linalg.norm(between)), reach):
        raise InputError(
            f"{gear.label}: its axes are neither parallel nor do they intersect (they pass {gap:.4g} m apart). The "
            f"teeth of worms and crossed helical gears slide along each other, which a gear does not contain. {ALONE}"
        )
    signs = [_outward(gear, axis, apex, reach) for axis in (first, second)]
    u1, u2 = signs[0] * first.z, signs[1] * second.z
    outside = gear.internal == (signs[0] * signs[1] < 0)
    kappa = gear.ratio if outside else -gear.ratio
    p = kappa * u1 + u2 if outside or kappa > -1 else -(kappa * u1 + u2)
    p = p / np.linalg.norm(p)
    distance, doubt = _cone_distance(gear, first, second, apex, p, (u1, u2))
    P = apex + p * distance
    arms = [P - apex - u * (u @ (P - apex)) for u in (u1, u2)]
    radii = [float(np.linalg.norm(arm)) for arm in arms]
    t = signs[0] * np.cross(u1, arms[0]) / radii[0]
    n = np.cross(np.cross(p, arms[1]), p)
    n = n / np.linalg.norm(n)
    return Contact(P, t, signs[0] * p, n if not outside and radii[1] > radii[0] else -n, doubt)


def _outward(gear: Pair, axis: Axis, apex: np.ndarray, reach: float) -> float:
    """Return 1 if the axis of a joint points from the intersection of the axes to its wheel, otherwise -1."""
    way = float((axis.second - apex) @ axis.z)
    if abs(way) < ALIGNMENT_TOLERANCE * reach and gear.point is not None:
        way = float((gear.point - apex) @ axis.z)
    return -1.0 if way < -ALIGNMENT_TOLERANCE * reach else 1.0


def _cone_distance(
    gear: Pair, first: Axis, second: Axis, apex: np.ndarray, p: np.ndarray, axes: Axes
) -> tuple[float, str]:
    """Return the distance of the pitch point from the intersection of the axes, m, and why it may be another one.

    Without a given point it is where wheels in the planes of the joints touch, the nearer one if these differ.
    """
    if gear.point is not None:
        distance = float(p @ (gear.point - apex))
        _check_point(gear, gear.point, apex + distance * p, abs(distance))
        return distance, ""
    ways = [float(u @ (joint.second - apex)) for u, joint in zip(axes, (first, second), strict=True)]
    least = ALIGNMENT_TOLERANCE * max(float(np.linalg.norm(joint.second - apex)) for joint in (first, second))
    found = [
        way / float(u @ p)
        for u, way in zip(axes, ways, strict=True)
        if way > least and u @ p > ALIGNMENT_TOLERANCE
    ]
    help = f"give point=, the middle of the teeth on the line from ({_numbers(apex)}) along ({_numbers(p)})"
    if not found:
        raise InputError(
            f"{gear.label}: the joints of its bevel gears do not show where the teeth touch, because they are drawn in "
            f"the intersection of the axes; {help}. {ALONE}"
        )
    if max(found) < (1 + CONE_DISTANCE_TOLERANCE) * min(found):
        return min(found), ""
    return min(found), (
        f"{gear.label}: wheels in the planes of its joints would touch {found[0]:.4g} m and {found[1]:.4g} m from the "
        f"intersection of the axes; the nearer pitch point is used, on which the tooth forces depend; {help}"
    )


def _check_point(gear: Pair, given: np.ndarray, found: np.ndarray, radius: float) -> None:
    """Raise InputError if a pitch point is not where the ratio and the axes put it."""
    miss = float(np.linalg.norm(given - found))
    if miss > PITCH_POINT_TOLERANCE * radius:
        raise InputError(
            f"{gear.label}: point=({_numbers(given)}) is {miss:.4g} m from ({_numbers(found)}), where the pitch "
            f"surfaces touch for ratio={gear.ratio:g}; correct the point or the ratio"
        )


def _numbers(a: np.ndarray) -> str:
    return ", ".join(f"{x:.6g}" for x in a + 0.0)
