"""Advancing from outside: restart after a jump, advance, and read the joint coordinates, all in one compiled call.

(Passing a system's arrays to a compiled function costs about 20 us, as much as a time step of a small machine.)
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.body import place_bodies
from ..kernels.frame import move_frames, place_frames
from ..kernels.lean import lean, lean_entry
from ..kernels.packed import turns_of
from ..kernels.rotation import dot3
from .alpha_kernel import advance as advance_alpha
from .base import DONE
from .explicit_kernel import advance as advance_explicit
from .explicit_kernel import parts, rates
from .restart import restart_alpha


class Tracked(NamedTuple):
    """Joint coordinates that are followed over time. nc of them."""

    frame: np.ndarray  # (nc, 2) the joint's frames
    number: np.ndarray  # (nc,) of the angle about z among the counted coordinates, -1 for the slide along z
    value: np.ndarray  # (nc,) rad (continuous over many turns) or m
    rate: np.ndarray  # (nc,)


def untracked() -> Tracked:
    """Return no coordinates."""
    none = np.zeros(0, dtype=np.int64)
    return Tracked(none.reshape(0, 2), none, np.zeros(0), np.zeros(0))


@lean
def track(L, W, c, q, alpha, v, C):
    """Read all coordinates at the state of the last accepted step, up to which turns are counted."""
    place_bodies(L, W, q, alpha)
    place_frames(L, W, c, alpha)
    move_frames(L, W, alpha, v, False)
    counted = turns_of(W.more)
    for k in range(C.value.size):
        i, j = C.frame[k, 0], C.frame[k, 1]
        R, r, w, u = W.frame_R, W.frame_r, W.frame_w, W.frame_v
        value, rate = 0.0, 0.0
        if C.number[k] < 0:
            # z . (r_j - r_i), and w_i x z = R_i (w_local x e_z)
            wx = dot3(w[i], R[i, :, 0])
            wy = dot3(w[i], R[i, :, 1])
            for l in range(3):
                d = r[j, l] - r[i, l]
                value += R[i, l, 2] * d
                rate += R[i, l, 2] * (u[j, l] - u[i, l]) + (wy * R[i, l, 0] - wx * R[i, l, 1]) * d
        else:
            angle = math.atan2(dot3(R[i, :, 1], R[j, :, 0]), dot3(R[i, :, 0], R[j, :, 0]))
            for l in range(3):
                rate += R[i, l, 2] * (w[j, l] - w[i, l])
            value = angle + 2.0 * math.pi * np.rint((counted[C.number[k], 1] - angle) / (2.0 * math.pi))
        C.value[k], C.rate[k] = value, rate


@lean_entry
def read_coordinates(L, W, c, q, alpha, v, C):
    """Read all coordinates at a state; for calls from Python."""
    track(L, W, c, q, alpha, v, C)


@lean_entry
def step_alpha(L, W, S, X, t_out, settings, max_steps, restart, C):
    """Advance the generalized-alpha method to ``t_out``, after a restart if asked for, and read the coordinates.

    All runs of the method call this function, so that its loop is compiled but once.
    """
    if restart:
        restart_alpha(L, W, S, X, settings)
    status = advance_alpha(L, W, S, X, t_out, settings, max_steps)
    if status == DONE and C.value.size > 0:
        track(L, W, S.c, S.q, S.alpha, S.v, C)
    return status


@lean_entry
def step_explicit(L, W, S, tableau, t_out, settings, max_steps, restart, C):
    """Advance the explicit method to ``t_out``, after a restart if asked for, and read the coordinates."""
    if restart:
        rates(L, W, S, S.time[0], S.y, S.rate, S.multipliers)
    status = advance_explicit(L, W, S, tableau, t_out, settings, max_steps)
    if status == DONE and C.value.size > 0:
        c, q, alpha, v = parts(L, S.y)
        track(L, W, c, q, alpha, v, C)
    return status
