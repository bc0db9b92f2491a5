"""Comparison of a machine with the machine of a state from which it starts."""

from __future__ import annotations

import numpy as np

from fem.common.errors import listing, warn

from ..model.drives import Drive
from ..model.system import System

#: masses (of their size) and places (of the distance between bodies) that differ by less are the same
SAME_TOLERANCE = 1e-6


def differences(here: System, there: System) -> list[str]:
    """Return the differences between a machine and the machine of a state, in words.

    Bodies with their masses and drawn positions, joints, couplings and constraints are compared; drives and forces may
    differ.
    """
    found = []
    known = there.bodies_by_name()
    extra = [name for name in known if name not in here.bodies_by_name()]
    if extra:
        found.append(f"the state has the bodies {listing(extra)} too")
    places = np.array([body.start for body in there.bodies])
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    for body in here.bodies:
        other = known.get(body.name)
        if other is None:
            continue
        if abs(body.mass - other.mass) > SAME_TOLERANCE * other.mass:
            found.append(f"body '{body.name}' has {body.mass:.6g} kg, there {other.mass:.6g} kg")
        apart = float(np.linalg.norm(body.start - other.start))
        if apart > SAME_TOLERANCE * size:
            found.append(f"body '{body.name}' is drawn {apart:.4g} m from where it is drawn there")
    mine, theirs = (
        {joint.name: type(joint).__name__ for joint in system.joints if not isinstance(joint, Drive)}
        for system in (here, there)
    )
    for one, two, words in ((mine, theirs, "lacks"), (theirs, mine, "also has")):
        lone = [name for name in one if name not in two]
        if lone:
            joints = "joint" if len(lone) == 1 else "joints"
            found.append(f"the machine of the state {words} {joints} {listing(lone)}")
    changed = [name for name in mine if theirs.get(name, mine[name]) != mine[name]]
    found += [f"'{name}' is a {mine[name]}, there a {theirs[name]}" for name in changed]
    return found


def warn_of_differences(system: System, other: System) -> None:
    """Warn if a state to start from belongs to another machine."""
    found = differences(system, other) if system is not other else []
    if found:
        more = f"; and {len(found) - 4} more differences" if len(found) > 4 else ""
        warn(
            f"the state to start from belongs to another machine: {'; '.join(found[:4])}{more}. Its positions and "
            "velocities are taken as they are, and then corrected for this machine's joints",
        )
