"""Warnings about machines that can be computed, but whose answer would mislead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from fem.common.errors import listing, warn

from ..rotation import finite
from .bodies import BodyFrame, FlexibleBody
from .constraints import Constraint
from .drives import Drive
from .forces import Element, ForceElement, JointForce, Limit, PointForce, PointMoment
from .forces.user_law import Replayed
from .system import Relation, System

#: a marker moves with the frame if its motion in a mode is below this part of the largest at any marker
_STILL = 1e-9


def warn_beforehand(system: System) -> None:
    """Give all warnings that a system by itself gives reason for, before it is simulated."""
    warn_of_degrees(system)
    warn_of_frames(system)
    warn_of_replay(system)
    warn_of_linear_theory(system)


def warn_of_frames(system: System) -> None:
    """Warn of flexible bodies that are built into their frame at one place and loaded at another; Koppens 5.3.

    In linear theory the frame of a cantilever takes a force along the undeformed axis for one across the deformed
    one: tension bends the body further and compression straightens it, as springs of negative and positive
    stiffness; and the inertia of the body appears as a moment at the clamped end.
    """
    for body in system.bodies:
        if not isinstance(body, FlexibleBody) or (body.stiffening and body.reduced.axial is not None):
            continue  # the axial displacement of axial modes takes such loads rightly
        clamp = _clamp(body)
        if clamp is None:
            continue
        loaded = {name: what for name, what in _loaded(system, body).items() if name not in clamp}
        if loaded:
            places = "; ".join(f"'{name}' by {listing(what)}" for name, what in loaded.items())
            warn(
                f"body '{body.name}' is built into its frame at {listing(clamp)} ({body.reduced.frame}) and loaded "
                f"elsewhere: {places}. Linear theory in this frame takes the axial part of these loads for a load "
                "across the deflected body: tension bends it and compression straightens it, the opposite of what "
                "happens, and more modes do not help (Koppens 5.3). Reduce it with frame=modal.MeanDisplacement(), "
                "which also has the stiffening terms",
            )


def warn_of_linear_theory(system: System, turning: bool = False) -> None:
    """Warn of flexible bodies whose stiffness should change with their loads and does not.

    ``turning``: the whole machine turns. Meant are bodies without any stiffening terms that turn by a drive or from
    the start, or that joints and forces hold at two places or more, between which they can be pulled or pushed; but not
    those for which linear theory was chosen by ``stiffening=False``.
    """
    turning = turning or any(isinstance(joint, Drive) and _turns(joint) for joint in system.joints)
    for body in system.bodies:
        if not isinstance(body, FlexibleBody) or not body.n_modes or not body.stiffening:
            continue
        reduced = body.reduced
        if reduced.linear or reduced.stiffened or reduced.axial is not None:
            continue
        at = list(_loaded(system, body))
        clamp = _clamp(body)
        if clamp is not None and set(at) - set(clamp):
            continue  # warn_of_frames says more
        why = f"is held or loaded at {listing(at)}" if len(at) > 1 else ""
        if not why and (np.any(body.angular_velocity) or (turning and at)):
            why = "turns"
        if why:
            warn(
                f"body '{body.name}' {why} and has no stiffening terms ({_missing(body)}): neither rotation nor loads "
                "change its stiffness. If linear theory will do, FlexibleBody(..., stiffening=False) says so",
            )


def _missing(body: FlexibleBody) -> str:
    if not body.reduced.mean:
        return f"frame {body.reduced.frame}; frame=modal.MeanDisplacement() has them"
    if body.reduced.provenance.get("basis", "").startswith("assumed modes"):
        return "base functions by formulas have none; modal.reduce of beam or shell elements has them"
    return "reduce it anew with modal.reduce"


def _turns(drive: Drive) -> bool:
    """Return whether a drive turns something: by a rate that is not zero, or by a function."""
    coordinate = drive.joint.coordinates.get(drive.coordinate)
    if coordinate is None or not coordinate.turns:
        return False
    return drive.rate != 0.0 if drive.rate is not None else callable(drive.prescribed.value)


def warn_of_stretch(system: System, undetermined: Sequence[str]) -> None:
    """Warn of bodies that can bend but not stretch between two places that redundant joints hold.

    ``undetermined``: labels of the joints that share their reactions. While the body is straight they agree on the
    distance; with geometric stiffening its ends draw nearer as it bends, and they contradict each other.
    """
    for body in system.bodies:
        if not isinstance(body, FlexibleBody) or not body.stiffened:
            continue
        held = [
            name
            for name, items in _loaded(system, body).items()
            if any(label.endswith(f"'{item}'") for label in undetermined for item in items)
        ]
        for one, other in combinations(held, 2):
            if _stretches(body, one, other):
                continue
            warn(
                f"body '{body.name}' has base functions that bend it and none that stretches it between '{one}' and "
                f"'{other}', which joints hold at a distance that they share out ({listing(undetermined)}). Once it "
                "bends, its ends draw nearer and the joints contradict each other. Let one of them slide along the "
                "body, or give it a stretch: modal.craig_bampton has one, modal.attachment_modes(structure, "
                f"{{'{other}': 'x'}}, ...) too",
            )


def _stretches(body: FlexibleBody, one: str, other: str) -> bool:
    """Return whether any base function changes the distance of two markers, to first order."""
    a, b = body.reduced.markers[one], body.reduced.markers[other]
    line = np.asarray(b.point) - a.point
    apart = np.asarray(b.Phi) - a.Phi
    along = np.abs(line @ apart).max(initial=0.0) / (np.linalg.norm(line) or 1.0)
    largest = max(np.abs(marker.Phi).max(initial=0.0) for marker in body.reduced.markers.values())
    return bool(along > _STILL * largest)


def _clamp(body: FlexibleBody) -> list[str] | None:
    """Return the markers that do not move in the body's frame, displacement and rotation, if there are any."""
    motions = {
        name: (np.abs(marker.Phi).max(initial=0.0), np.abs(marker.B).max(initial=0.0))
        for name, marker in body.reduced.markers.items()
        if marker.has_rotation
    }
    if not motions:
        return None
    most = np.max(list(motions.values()), axis=0)
    still = [
        name
        for name, motion in motions.items()
        if motion[0] <= _STILL * most[0] and motion[1] <= _STILL * most[1]
    ]
    return still if still and most.min() > 0 else None


def _loaded(system: System, body: FlexibleBody) -> dict[str, list[str]]:
    """Return the markers of a body where joints and forces act, and which."""
    found: dict[str, list[str]] = {}
    for item in (*system.joints, *system.forces):
        if isinstance(item, Relation | JointForce):
            continue
        sides: tuple
        if isinstance(item, PointForce | PointMoment):
            sides = (item.at,)
        elif isinstance(item, Constraint):
            sides = item.sides
        else:
            sides = item.sides() if isinstance(item, Element) else (item.first, item.second)
        for side in sides:
            if isinstance(side, BodyFrame) and side.body.name == body.name:
                found.setdefault(side.name, []).append(item.name)
    return found


def warn_of_degrees(system: System) -> None:
    """Warn of angles that look like degrees: more than a turn, and a whole multiple of five."""
    for label, what, value in _angles(system):
        angle = float(value) if finite(value) else 0.0
        if abs(angle) > 2 * np.pi and angle % 5.0 == 0.0:
            turns = abs(angle) / (2 * np.pi)
            warn(
                f"{label}: {what} is {angle:g} rad, {turns:.1f} turns. Angles are in radians; if these are degrees, "
                f"write np.radians({angle:g})",
            )


def _angles(system: System) -> Iterator[tuple[str, str, float]]:
    """Yield the angles (rad) that drives and stops are given, as numbers, with their owner and their name."""
    for item in (*system.joints, *system.forces):
        if isinstance(item, Drive):
            coordinate = item.joint.coordinates.get(item.coordinate)
            value = getattr(item, item.given)
            if coordinate is not None and coordinate.turns and item.given != "rate" and not callable(value):
                yield item.label, item.given, value
        elif isinstance(item, Limit) and item.joint.coordinates[item.coordinate].turns:
            yield item.label, "lower", item.lower
            yield item.label, "upper", item.upper


def warn_of_replay(system: System) -> None:
    """Warn of users' laws out of a file: they know the forces of that run, not what these depend on."""
    names = [f.label for f in system.forces if isinstance(f, ForceElement) and isinstance(f.law, Replayed)]
    if names:
        warn(
            f"{', '.join(names)} came out of a file, which holds a user's law as its force over time in that run: it "
            "doesn't follow another motion. Give the law again: dataclasses.replace(element, law=fb.UserLaw(...))",
        )
