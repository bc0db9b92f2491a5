"""Forces: loads at frames, and springs, friction and stops along a length or a joint coordinate (Koppens 4.2)."""

import math

import numpy as np

from fem.common.jit import inner

from .arrays import FORCE_BODY, FORCE_INERTIAL, FRICTION, MOMENT_BODY, RUB, STOP
from .call import call_law
from .coordinate import coordinate_rate
from .frame import load_on_frame
from .packed import current, directions_of
from .rotation import dot3, turn
from .rubbing import rub_force


@inner
def add_loads(L, W, t):
    """Subtract all point forces and moments from ``W.residual`` and add their power to ``W.power``."""
    value, inertial, zero, scratch = np.empty(3), np.empty(3), np.zeros(3), np.empty((3, 3))
    for k in range(L.load_frame.shape[0]):
        f = L.load_frame[k, 0]
        b = L.frame_body[f]
        if b < 0:
            continue
        if L.load_law[k] != 0:
            call_law(L.load_law[k], t, value)  # type: ignore[call-arg]
        else:
            for l in range(3):
                value[l] = L.load_value[k, l]
        kind = L.load_frame[k, 1]
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
    """Length, its rate and the direction of all springs between two points; needs ``move_frames``."""
    for s in range(L.spring_frame.shape[0]):
        i, j = L.spring_frame[s, 0], L.spring_frame[s, 1]
        if L.spring_frame[s, 3] >= 0:
            continue
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
def evaluate_joint_forces(L, W):
    """Length, its rate and the direction of what acts along joint coordinates; needs ``place_coordinates``."""
    for s in range(L.spring_frame.shape[0]):
        along = L.spring_frame[s, 3]
        if along >= 0:
            for k in range(4):
                for l in range(3):
                    W.direction[L.row_kind.size + s, k, l] = directions_of(W)[along, k, l]
            W.spring_length[s, 0] = current(W)[along]
            W.spring_length[s, 1] = coordinate_rate(L, W, along)


@inner
def overlap(L, W, s):
    """Return by how much a stop is overrun, at what rate, and on which side (1 upper, -1 lower, 0 none).

    STOP: lower and upper end, stiffness k, exponent n, dissipation d.
    """
    x, rate = W.spring_length[s, 0], W.spring_length[s, 1]
    if x > L.spring_value[s, 1]:
        return x - L.spring_value[s, 1], rate, 1.0
    if x < L.spring_value[s, 0]:
        return L.spring_value[s, 0] - x, -rate, -1.0
    return 0.0, 0.0, 0.0


@inner
def spring_force(L, W, s, t):
    """Return the tension of spring ``s`` (against a growing length), the power that it dissipates and takes in.

    LINEAR: Koppens (4.3). FRICTION: load, static load, Stribeck's speed, viscous coefficient, speed of creep.
    STOP: ``k delta^n (1 + d delta.)``, K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440. RUB: see
    :mod:`flexbody.kernels.rubbing`; needs ``press``.
    """
    kind, rate = L.spring_frame[s, 2], W.spring_length[s, 1]
    if kind == FRICTION:
        load, static, slow = L.spring_value[s, 0], L.spring_value[s, 1], L.spring_value[s, 2]
        size = load + (static - load) * math.exp(-((rate / slow) ** 2))
        force = size * math.tanh(rate / L.spring_value[s, 4]) + L.spring_value[s, 3] * rate
        return force, force * rate, 0.0
    if kind == RUB:
        force = rub_force(L, W, s)[0]
        return force, force * rate, 0.0
    if kind == STOP:
        depth, speed, side = overlap(L, W, s)
        elastic = L.spring_value[s, 2] * depth ** L.spring_value[s, 3]
        force = max(elastic * (1.0 + L.spring_value[s, 4] * speed), 0.0)
        return side * force, (force - elastic) * speed, 0.0
    stiffness, damping, free = L.spring_value[s, 0], L.spring_value[s, 1], L.spring_value[s, 2]
    actuator = L.spring_value[s, 3]
    if L.spring_law[s] != 0:
        out = np.zeros(3)
        call_law(L.spring_law[s], t, out)  # type: ignore[call-arg]
        actuator = out[0]
    force = stiffness * (W.spring_length[s, 0] - free) + damping * rate + actuator
    return force, damping * rate * rate, -actuator * rate


@inner
def spring_tangent(L, W, s):
    """Return the derivatives of the tension by length and by rate, none below zero."""
    kind, rate = L.spring_frame[s, 2], W.spring_length[s, 1]
    if kind == FRICTION:
        load, static, slow = L.spring_value[s, 0], L.spring_value[s, 1], L.spring_value[s, 2]
        size = load + (static - load) * math.exp(-((rate / slow) ** 2))
        share = math.tanh(rate / L.spring_value[s, 4])
        return 0.0, size * (1.0 - share * share) / L.spring_value[s, 4] + L.spring_value[s, 3]
    if kind == RUB:
        return 0.0, rub_force(L, W, s)[1]
    if kind == STOP:
        depth, speed, side = overlap(L, W, s)
        if side == 0.0:
            return 0.0, 0.0
        k, n, d = L.spring_value[s, 2], L.spring_value[s, 3], L.spring_value[s, 4]
        return k * n * depth ** (n - 1.0) * max(1.0 + d * speed, 0.0), k * depth**n * d
    return L.spring_value[s, 0], L.spring_value[s, 1]


@inner
def spring_energy(L, W, s):
    """Return the energy (J) stored in spring ``s``."""
    kind = L.spring_frame[s, 2]
    if kind in (FRICTION, RUB):
        return 0.0
    if kind == STOP:
        n = L.spring_value[s, 3] + 1.0
        return L.spring_value[s, 2] * overlap(L, W, s)[0] ** n / n
    return 0.5 * L.spring_value[s, 0] * (W.spring_length[s, 0] - L.spring_value[s, 2]) ** 2
