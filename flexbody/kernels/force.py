"""Forces: loads at frames, and spring-damper-actuators between two frames (Koppens 4.2)."""

import math

import numpy as np

from fem.common.jit import inner

from .arrays import FORCE_BODY, FORCE_INERTIAL, MOMENT_BODY
from .call import call_law
from .frame import load_on_frame
from .rotation import dot3, turn


@inner
def add_loads(L, W, t):
    """Subtract all point forces and moments from ``W.residual`` and add their power to ``W.power``."""
    value, inertial, zero, scratch = np.empty(3), np.empty(3), np.zeros(3), np.empty((3, 3))
    for k in range(L.load_kind.size):
        f = L.load_frame[k]
        b = L.frame_body[f]
        if b < 0:
            continue
        if L.load_law[k] != 0:
            call_law(L.load_law[k], t, value)  # type: ignore[call-arg]
        else:
            for l in range(3):
                value[l] = L.load_value[k, l]
        kind = L.load_kind[k]
        if kind in (FORCE_BODY, MOMENT_BODY):
            turn(W.Q[b], value, inertial)
        else:
            for l in range(3):
                inertial[l] = value[l]
        size = 6 + L.body_modes[b]
        out = np.empty(size)
        if kind in (FORCE_BODY, FORCE_INERTIAL):
            load_on_frame(L, W, f, inertial, zero, scratch, out)
            W.power[1] += dot3(inertial, W.frame_v[f])
        else:
            load_on_frame(L, W, f, zero, inertial, scratch, out)
            W.power[1] += dot3(inertial, W.frame_w[f])
        first = L.v_at[b]
        for l in range(size):
            W.residual[first + l] -= out[l]


@inner
def evaluate_springs(L, W):
    """Length, its rate and the direction of all springs; needs ``move_frames``."""
    for s in range(L.spring_frame.shape[0]):
        i, j = L.spring_frame[s, 0], L.spring_frame[s, 1]
        g = W.direction[L.row_kind.size + s]
        length = 0.0
        for l in range(3):
            g[2, l] = W.frame_r[j, l] - W.frame_r[i, l]
            length += g[2, l] ** 2
        length = math.sqrt(length)
        rate = 0.0
        for l in range(3):
            g[2, l] /= length
            g[0, l] = -g[2, l]
            g[1, l] = g[3, l] = 0.0
            rate += g[2, l] * (W.frame_v[j, l] - W.frame_v[i, l])
        W.spring_length[s, 0] = length
        W.spring_length[s, 1] = rate


@inner
def spring_force(L, W, s, t):
    """Return the tension of spring ``s``, Koppens (4.3), and the actuator's part of it (N)."""
    stiffness, damping, free = L.spring_value[s, 0], L.spring_value[s, 1], L.spring_value[s, 2]
    actuator = L.spring_value[s, 3]
    if L.spring_law[s] != 0:
        out = np.zeros(3)
        call_law(L.spring_law[s], t, out)  # type: ignore[call-arg]
        actuator = out[0]
    length, rate = W.spring_length[s, 0], W.spring_length[s, 1]
    return stiffness * (length - free) + damping * rate + actuator, actuator
