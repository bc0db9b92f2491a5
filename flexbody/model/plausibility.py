"""Warnings about systems that can be computed but whose results may be misleading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fem.common.errors import InputError, few, listing, warn
from fem.common.numbers import is_number

from ..functions.samples import Samples
from .flexible_body import FlexibleBody
from .forces.tooth_separation import teeth_of
from .joints.guideways import PathJoint
from .rails import Rail
from .rolling import Rolling
from .splines import doubt
from .system import System

#: A marker moves with the frame if its motion in every mode is below this fraction of the largest at any marker.
_CLAMPED_FRACTION = 1e-9
#: Splines through the points of a line may differ by this part of its length.
LARGEST_DOUBT = 1e-3


def warn_beforehand(system: System) -> None:
    """Issue all warnings about a system that can be given before it is simulated."""
    warn_of_degrees(system)
    warn_of_frames(system)
    warn_of_replay(system)
    warn_of_pitch_points(system)
    warn_of_lines(system)
    warn_of_linear_theory(system)


def warn_of_frames(system: System) -> None:
    """Warn of flexible bodies that are clamped in their frame at one place and loaded at another, Koppens 5.3.

    In linear theory the frame of a cantilever treats an axial force as a force across the deflected axis: tension bends
    the body further and compression straightens it, like springs of negative and positive stiffness. The inertia of the
    body then appears as a moment at the clamped end.
    """
    for body in system.flexible_bodies:
        if body.axial is not None:
            continue  # the axial displacement of axial modes treats such loads correctly
        clamp = _clamp(body)
        if clamp is None:
            continue
        loaded = {name: what for name, what in _loaded(system, body).items() if name not in clamp}
        if loaded:
            places = "; ".join(f"'{name}' by {listing(what)}" for name, what in loaded.items())
            warn(
                f"body '{body.name}' is clamped in its frame at {listing(clamp)} ({body.reduced.frame}) and loaded "
                f"elsewhere: {places}. Linear theory in this frame treats the axial part of these loads as a load "
                "across the deflected body: tension bends it and compression straightens it, which is the opposite of "
                "the real behaviour, and more modes do not help (Koppens 5.3). Reduce it with "
                "frame=modal.MeanDisplacement(), which also has the stiffening terms",
            )


def warn_of_linear_theory(system: System, turning: bool = False) -> None:
    """Warn of flexible bodies whose stiffness should depend on their loads but does not.

    The warning concerns bodies without stiffening terms that rotate (by a drive or from the start), or that joints and
    forces hold at two places or more, between which they can be pulled or pushed. It is not given if
    ``stiffening=False`` was chosen.

    Parameters
    ----------
    system : System
        The system.
    turning : bool, optional
        Whether the whole system rotates.
    """
    turning = turning or any(item.rotates_bodies() for item in system.joints)
    for body in system.flexible_bodies:
        if not body.n_modes or not body.stiffening:
            continue
        reduced = body.reduced
        if reduced.linear or reduced.stiffened or reduced.axial is not None:
            continue
        at = list(_loaded(system, body))
        clamp = _clamp(body)
        if clamp is not None and set(at) - set(clamp):
            continue  # warn_of_frames gives a more precise warning
        why = f"is held or loaded at {listing(at)}" if len(at) > 1 else ""
        if not why and (np.any(body.angular_velocity) or (turning and at)):
            why = "turns"
        if why:
            warn(
                f"body '{body.name}' {why} and has no stiffening terms ({_missing(body)}): neither rotation nor loads "
                "change its stiffness. If linear theory is sufficient, choose it with FlexibleBody(..., "
                "stiffening=False)",
            )


def _missing(body: FlexibleBody) -> str:
    if not body.reduced.mean:
        return f"frame {body.reduced.frame}; frame=modal.MeanDisplacement() has them"
    if body.reduced.provenance.get("basis", "").startswith("assumed modes"):
        return "base functions from formulas have none; modal.reduce of beam or shell elements has them"
    return "reduce it again with modal.reduce"


def warn_of_stretch(system: System, undetermined: Sequence[str]) -> None:
    """Warn of bodies that can bend but not stretch between two places that redundant joints hold.

    While the body is straight, the joints agree on the distance. With geometric stiffening the ends approach each other
    when the body bends, and the joints contradict each other.

    Parameters
    ----------
    system : System
        The system.
    undetermined : sequence of str
        Labels of the joints whose reactions are not determined.
    """
    for body in system.flexible_bodies:
        if not body.stiffened:
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
                f"body '{body.name}' has base functions that bend it but none that stretches it between '{one}' and "
                f"'{other}', and redundant joints hold the distance between them ({few(undetermined)}). When the "
                "body bends, its ends approach each other and the joints contradict each other. Let one of the joints "
                "slide along the body, or add a base function that stretches the body: modal.craig_bampton has one, "
                f"and so has modal.attachment_modes(structure, {{'{other}': 'x'}}, ...)",
            )


def _stretches(body: FlexibleBody, one: str, other: str) -> bool:
    """Return whether any base function changes the distance of two markers, to first order."""
    a, b = body.reduced.markers[one], body.reduced.markers[other]
    line = np.asarray(b.point) - a.point
    apart = np.asarray(b.Phi) - a.Phi
    along = np.abs(line @ apart).max(initial=0.0) / (np.linalg.norm(line) or 1.0)
    largest = max(np.abs(marker.Phi).max(initial=0.0) for marker in body.reduced.markers.values())
    return bool(along > _CLAMPED_FRACTION * largest)


def _clamp(body: FlexibleBody) -> list[str] | None:
    """Return the markers that neither move nor rotate in the frame of the body; None if there are none."""
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
        if motion[0] <= _CLAMPED_FRACTION * most[0] and motion[1] <= _CLAMPED_FRACTION * most[1]
    ]
    return still if still and most.min() > 0 else None


def _loaded(system: System, body: FlexibleBody) -> dict[str, list[str]]:
    """Return the markers of a body where joints and forces act, with the names of these joints and forces."""
    found: dict[str, list[str]] = {}
    for item in (*system.joints, *system.forces):
        for side in () if item.uses() else item.sides():  # the joint that is used acts on the body
            if side.named and side.body.name == body.name:
                found.setdefault(side.name, []).append(item.name)
    return found


def warn_of_degrees(system: System) -> None:
    """Warn of angles that look like degrees: above one turn and a multiple of five."""
    angles = ((item.label, *angle) for item in (*system.joints, *system.forces) for angle in item.angles())
    for label, what, value in angles:
        angle = float(value) if is_number(value) else 0.0
        if abs(angle) > 2 * np.pi and angle % 5.0 == 0.0:
            turns = abs(angle) / (2 * np.pi)
            warn(
                f"{label}: {what} is {angle:g} rad, which is {turns:.1f} turns. Angles are in radians; if this one is "
                f"in degrees, write np.radians({angle:g})",
            )


def warn_of_pitch_points(system: System) -> None:
    """Warn of bevel gears whose joints do not agree on where the teeth touch."""
    for teeth in teeth_of(system.joints, system.bodies_by_name()).values():
        if teeth.mesh.doubt:
            warn(teeth.mesh.doubt)


def warn_of_lines(system: System) -> None:
    """Warn of lines that their points do not determine: splines through them differ."""
    for item in system.joints:
        line = item.first if isinstance(item, Rolling) else item
        if not isinstance(line, PathJoint | Rail) or line.points is None:
            continue
        points = np.asarray(line.points, dtype=float)
        away, k = doubt(points, line.closed)
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        if away > LARGEST_DOUBT * length:
            place = [np.round(points[j % len(points)], 6).tolist() for j in (k, k + 1)]
            warn(
                f"{item.label}: the points of its line are too few or too uneven where it bends: between {place[0]} "
                f"and {place[1]} m, smooth lines through them differ by {away:.3g} m, and corners are rounded. Give "
                "more points there"
            )


def check_known_times(system: System, t_end: float) -> None:
    """Raise InputError for a function of time from a file whose recorded values end before ``t_end`` (s)."""
    items = (*system.joints, *system.forces)
    fields = [
        (item, value) for item in items for part in (item, *_laws(item)) for value in vars(part).values()
    ]
    ends = {
        item.label: float(value.t[-1])
        for item, value in fields
        if isinstance(value, Samples) and len(value.t) and value.t[-1] < t_end * (1 - 1e-9)
    }
    if ends:
        raise InputError(
            f"{', '.join(ends)} was read from a file, which stores a function of time as its values up to "
            f"t = {min(ends.values()):.6g} s, and the run ends at t_end = {t_end:.6g} s. Give the function again: "
            "dataclasses.replace with the function in its place"
        )


def _laws(item: object) -> list[object]:
    """Return the law of a force element, which has fields of its own."""
    law = getattr(item, "law", None)
    return [law] if hasattr(law, "__dict__") else []


def warn_of_replay(system: System) -> None:
    """Warn of user laws from a file: they repeat the recorded forces and do not depend on the motion."""
    bodies = system.bodies_by_name()
    names = [element.label for element in system.elements if element.force_law(bodies).is_replay]
    if names:
        warn(
            f"{', '.join(names)} was read from a file, which stores a user law as its force over time in that run. "
            "This force does not follow another motion. Give the law again: dataclasses.replace(element, law=...)",
        )
