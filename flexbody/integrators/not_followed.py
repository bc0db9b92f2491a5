"""Vibrations of force elements and of flexible bodies that a run of the implicit method has not followed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import (
    ELASTIC,
    LOST_ERROR,
    LOST_RATE,
    LOST_SINCE,
    LOST_TOP,
    SWING_DAMPING,
    SWING_LEVEL,
    SWING_LOST,
    SWING_RATE,
    SWING_SINCE,
    SWING_TIME,
    SWING_TOP,
)
from ..core.structures import Work

#: Smaller errors of a force are not told: parts of the force, and of the largest force of an element, and of the force
#: that would give the machine its speed in the time of the run.
NOTED_PART, LEAST_PART, LEAST_OF_MOTION = 0.1, 1e-3, 1e-6
#: Errors of the deformation of a body below these parts of the way of the machine, and of the largest deformation of
#: all bodies, are not told either.
LEAST_OF_WAY, LEAST_OF_ALL = 1e-6, 1e-2
#: Nor is round-off: forces that a displacement by this part of the machine's length causes, by a stiffness that lets
#: the whole mass vibrate as fast.
ROUND_OFF = 1e-13
#: Estimated errors of more than so many times the force are wrong altogether themselves, and not told as numbers.
LARGEST_TOLD = 4.0
#: A vibration has died out when its amplitude is down to this part.
DIED_OUT = 0.05


class NotFollowed(NamedTuple):
    """A vibration that was not followed.

    Attributes
    ----------
    label : str
        The force element or body, as messages name it.
    frequency : float
        About how fast it vibrates, Hz; NaN where that is not known.
    error : float
        About how much its force may be off by, N or Nm, or its deformation, root mean square over mass, m.
    force : float
        The force that it vibrates about in a contact, and the largest one elsewhere, N or Nm; or the largest
        deformation, m.
    unit : str
        N, Nm or m.
    since, until : float
        The time when that was first to be noted, and when its damping ends it, s; infinite without damping.
    decay : float
        The rate at which its amplitude decays, 1/s.
    """

    label: str
    frequency: float
    error: float
    force: float
    unit: str
    since: float
    until: float
    decay: float = 0.0

    def __str__(self) -> str:
        until = f" to {self.until:.3g} s" if np.isfinite(self.until) else " on"
        what = {"N": "force", "Nm": "moment", "m": "deformation"}[self.unit]
        # (what a wrong force does to the motion is not known)
        more = "" if self.unit == "m" else " or more"
        rate = f" at about {self.frequency:.3g} Hz" if np.isfinite(self.frequency) else ""
        error, found = (f"{float(f'{x:.2g}'):.6g} {self.unit}" for x in (self.error, self.force))
        off = (
            f"may be off by about {error}{more}"
            if self.error < self.force
            else "may be wrong altogether"
            + (f" (estimated error {error})" if self.error < LARGEST_TOLD * self.force else "")
        )
        return (
            f"{self.label} vibrates{rate} from t = {self.since:.3g} s{until}, and its {what}, about {found} in this "
            f"run, {off}"
        )


def not_followed(plan: Plan, work: Work, swings: np.ndarray, motion: float) -> list[NotFollowed]:
    """Return the vibrations whose loss is noticed in the forces.

    Parameters
    ----------
    plan : Plan
        The compiled system.
    work : Work
        Working arrays of the run.
    swings : numpy.ndarray
        What was noted about its forces, (nx, 15).
    motion : float
        The force that would give the machine its speed in the time of the run, N.

    Returns
    -------
    list of NotFollowed
        One for the forces and one for the moments of each element, at most.
    """
    L = plan.layout
    turns = ~np.any(work.deformation_slope[:, [0, 2]], axis=(1, 2))
    elastic = L.element[L.deformation_element, ELASTIC] != 0
    levels = np.where(elastic, swings[:, SWING_TOP], swings[:, SWING_LEVEL])
    arms = np.where(turns, float(L.length), 1.0)
    mass = float(L.body_mass.sum())
    least = max(
        LEAST_PART * float(np.max(swings[:, SWING_TOP] / arms, initial=0.0)), LEAST_OF_MOTION * motion
    )
    found: list[NotFollowed] = []
    for e, element in enumerate(plan.elements.elements):
        for turning in (False, True):
            rows = np.flatnonzero((L.deformation_element == e) & (turns == turning))
            lost, force = (float(np.linalg.norm(x[rows])) for x in (swings[:, SWING_LOST], levels))
            if not rows.size or lost <= max(NOTED_PART * force, least * arms[rows[0]]):
                continue
            worst = swings[rows[np.argmax(swings[rows, SWING_LOST])]]
            if lost <= ROUND_OFF * worst[SWING_RATE] * mass * float(L.length) * arms[rows[0]]:
                continue
            damping = float(worst[SWING_DAMPING] * worst[SWING_RATE])
            lasts = -2.0 * np.log(DIED_OUT) / damping if damping > 0.0 else np.inf
            one = NotFollowed(
                element.label, float(np.sqrt(worst[SWING_RATE])) / (2.0 * np.pi), lost, force,
                "Nm" if turning else "N", float(worst[SWING_SINCE]), float(worst[SWING_TIME] + lasts),
                0.5 * damping,
            )  # fmt: skip
            found.append(one)
    return found


def lost_deformations(plan: Plan, lost: np.ndarray, way: float) -> list[NotFollowed]:
    """Return the vibrations of flexible bodies whose loss is noticed in the deformations.

    Parameters
    ----------
    plan : Plan
        The compiled system.
    lost : numpy.ndarray
        What was noted about the bodies, (nb, 6).
    way : float
        How far the machine moves in the run, m.

    Returns
    -------
    list of NotFollowed
        One for each body, at most.
    """
    least = max(LEAST_OF_ALL * float(np.max(lost[:, LOST_TOP], initial=0.0)), LEAST_OF_WAY * way)
    return [
        NotFollowed(
            f"body '{body.name}'", float(row[LOST_RATE]) / (2.0 * np.pi), float(row[LOST_ERROR]),
            float(row[LOST_TOP]), "m", float(row[LOST_SINCE]), np.inf,
        )
        for body, row in zip(plan.system.bodies, lost, strict=True)
        if row[LOST_ERROR] > max(NOTED_PART * row[LOST_TOP], least)
    ]  # fmt: skip


def worst_of(found: list[NotFollowed]) -> list[NotFollowed]:
    """Return the worst one of each force element and body, the largest part of a force first."""
    kept: dict[tuple[str, str], NotFollowed] = {}
    for one in sorted(found, key=lambda x: -x.error / x.force):
        kept.setdefault((one.label, one.unit), one)
    return list(kept.values())
