"""The vibration that determines most steps of a run: of which body, how fast, how far, and whether it is free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import (
    RINGING_ACCELERATION,
    RINGING_BALANCE,
    RINGING_DEFLECTION,
    RINGING_JERK,
    RINGING_STEPS,
    RINGING_TIME,
    RINGING_TOP_SPEED,
    RINGING_VELOCITY,
)

#: The part of the velocity that stiffness and inertia balance is one of what vibrates freely, but for damping. It
#: differs by this where a force has less than 0.77 or more than 1.18 times the frequency of the vibration.
FORCED = 0.4
#: A rotation forces vibrations of its frequency, and of twice that, up to this factor; it is steady while it has this
#: part of its largest rate.
OF_ROTATION, STEADY_ROTATION = 1.1, 0.9
#: Slower vibrations are measured if they are slower by no more than this factor.
SLOWER_BY = 10.0
#: Frequencies that differ by less than the first factor may be those of one vibration, as few steps tell them beside
#: pulses; accelerations of one vibration tell none that is too high by more than the second factor.
ONE_VIBRATION, STEADY_PART = 2.0, 1.25


class Ringing(NamedTuple):
    """A vibration of the body that has most of it.

    Attributes
    ----------
    body : str
        The name of the body.
    flexible : bool
        Whether it is flexible.
    frequency, amplitude : float
        Of what determines the steps, Hz and m, root mean square over mass: the largest amplitude, or a mean beside
        slower vibrations.
    mixed : bool
        Whether the body has slower vibrations beside that.
    slow_frequency, slow_amplitude : float
        Of these, as far as they are known; NaN elsewhere.
    forced : bool
        Whether loads or drives force it, so that it does not vibrate freely.
    """

    body: str
    flexible: bool
    frequency: float
    amplitude: float
    mixed: bool
    slow_frequency: float
    slow_amplitude: float
    forced: bool


def steady_rotations(plan: Plan, rates: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the rates of the bodies that turn steadily, rad/s.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    rates : numpy.ndarray
        The largest rate of each body so far, (nb,), rad/s.
    v : numpy.ndarray
        The velocities of the bodies, (nv,).
    """
    now = np.array([np.linalg.norm(v[plan.rigid(b)][3:]) for b in range(plan.n_bodies)])
    return rates[(now > STEADY_ROTATION * rates) & (rates > 0.0)]


def ringing_of(plan: Plan, looked: np.ndarray, rotations: np.ndarray) -> Ringing | None:
    """Return the vibration that determined most steps; None if the motion determined them.

    Of one vibration deflection, velocity, acceleration and jerk are in the same ratio, the frequency. Of several ones
    the first ratio is the lowest and the last the highest. Where the middle one is the highest, the acceleration has a
    part that does not vibrate, as that of a rotation; velocity and jerk have none.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    looked : numpy.ndarray
        What was measured of the bodies, (nb, 8), see ``RingingColumn``.
    rotations : numpy.ndarray
        The rates of steady rotations, rad/s.
    """
    b = int(np.argmax(looked[:, RINGING_STEPS]))
    row, body = looked[b], plan.system.bodies[b]
    if not row[RINGING_TIME] > 0.0:
        return None
    deflection, velocity, acceleration, jerk, balance = (
        row[i] / row[RINGING_TIME]
        for i in (
            RINGING_DEFLECTION,
            RINGING_VELOCITY,
            RINGING_ACCELERATION,
            RINGING_JERK,
            RINGING_BALANCE,
        )
    )
    ratios = velocity - deflection, acceleration - velocity, jerk - acceleration  # logarithms of frequencies
    rate, top = ratios[2], float(row[RINGING_TOP_SPEED])
    # (an unbalance is a part of the inertia, which stiffness balances)
    turns = np.abs(np.log(np.outer([1.0, 2.0], rotations)) - rate).min(initial=np.inf) < np.log(OF_ROTATION)
    is_forced = turns or abs(balance - 1.0) > FORCED
    # (of what is forced the deflection is that of another acceleration, and the velocity may be that of another point)
    mixed = not is_forced and all(
        (rate - ratios[0] > np.log(ONE_VIBRATION), *(np.diff(ratios) > -np.log(STEADY_PART)))
    )
    if mixed:
        # the mean of the logarithm of a sine is that of half its amplitude
        amplitude, slow = 2.0 * np.exp(acceleration - 2.0 * rate), float(np.exp(ratios[0]))
        slow = slow if slow > np.exp(rate) / SLOWER_BY else np.nan
    else:
        if ratios[1] - max(ratios[0], rate) > np.log(ONE_VIBRATION) and not is_forced:
            rate = 0.5 * (jerk - velocity)
        elif not is_forced:
            rate = sum(ratios) / 3.0
        amplitude, slow = top / np.exp(rate), np.nan
    return Ringing(
        body.name,
        body.n_modes > 0,
        float(np.exp(rate)) / (2 * np.pi),
        float(amplitude),
        mixed,
        slow / (2 * np.pi),
        top / slow,
        bool(is_forced),
    )
