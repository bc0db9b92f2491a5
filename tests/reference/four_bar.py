"""Windows of four-bar linkages in a row (IFToMM benchmark A02), as one exact pendulum.

N windows are 2 N + 1 bars of 1 m and 1 kg: N + 1 cranks on fixed bearings at (0, 0), (1, 0), ..., and N couplers that
join their upper ends; upright at the start, the first upper joint moving at 1 m/s along +x, gravity 9.81
along -y. The cranks stay parallel, so that with theta from the downward vertical, counted against the clock,

    T = ((N + 1) / 3 + N) thetadot^2 / 2,  V = -g ((N + 1) / 2 + N) cos(theta):

a mathematical pendulum that goes over the top; its length is 3/3.5 m for N = 2. Lying flat the mechanism is singular
(it has N + 1 freedoms there); the parallel motion is the smooth continuation.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from .pendulum import over_the_top

GRAVITY = 9.81
TOP_SPEED = 1.0
# first upper joint of two windows at 10 s, an unrelated program
POSITION_10 = np.array([0.3284581115, 0.9445185382])
VELOCITY_10 = np.array([1.4230514702, -0.4948688455])


def crank_angle(t: np.ndarray, windows: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Clockwise angle of the cranks from upright (nt,) and its rate."""
    length = pendulum_length(windows)
    bottom = np.sqrt(TOP_SPEED**2 + 4 * GRAVITY / length)
    half = brentq(lambda x: over_the_top(np.array([x]), bottom, length, GRAVITY)[0][0] - np.pi, 0.01, 3.0)
    angle, rate = over_the_top(np.asarray(t) + half, bottom, length, GRAVITY)
    return angle - np.pi, rate


def pendulum_length(windows: int) -> float:
    """Length of the mathematical pendulum, m."""
    return ((windows + 1) / 3 + windows) / ((windows + 1) / 2 + windows)


def rate_at(angle: float, windows: int = 2) -> float:
    """Rate of the cranks where they have turned by ``angle`` (rad) from upright, from the energy."""
    return float(np.sqrt(TOP_SPEED**2 + 2 * GRAVITY / pendulum_length(windows) * (1 - np.cos(angle))))


def first_joint(t: np.ndarray, windows: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """(nt, 2) position and velocity of the upper end of the first crank."""
    angle, rate = crank_angle(t, windows)
    x, y = np.sin(angle), np.cos(angle)
    return np.column_stack([x, y]), np.column_stack([y, -x]) * rate[:, None]
