"""The compiled time loop of the explicit Runge-Kutta method of order 8 with projection."""

from typing import NamedTuple

import numpy as np

from fem.common.jit import jit

from ..kernels.coordinate import count_turns, expect_turns, measure_turns
from ..kernels.element_memory import element_z
from ..kernels.equations import biases, blocks, matrices, move, place, residual, row_rates
from ..kernels.lean import lean, lean_entry
from ..kernels.leap import TRIED, keep_leap, meet_drives, opposite_row
from ..kernels.linear import factorise, solve, solve_rows_only
from ..kernels.rubbing import any_rub, respond, settle
from .base import (
    DONE,
    FACTORISATIONS,
    ITERATIONS,
    LEAPT,
    NOT_DEFINITE,
    NOT_FINITE,
    PAUSED,
    RANK_LOSSES,
    REJECTED,
    STEPS,
    STUCK,
)
from .norms import body_norms, next_step, system_norm, worst_row

#: a first step whose error is this part of what moves tells nothing of how fast things move
WILD = 0.01


class State(NamedTuple):
    """The state ``y`` = (c, q, alpha, v, z of laws, dissipated and input energy), its rate, and workspace."""

    time: np.ndarray  # (3,): t, step wanted, last step
    y: np.ndarray
    rate: np.ndarray
    trial: np.ndarray
    stages: np.ndarray  # (13, ny)
    multipliers: np.ndarray  # (m,)
    trial_multipliers: np.ndarray
    error: np.ndarray  # (nv,) error as a generalized displacement
    error_rate: np.ndarray  # (nv,) and as a generalized velocity
    none: np.ndarray  # (nv + nr,) zeros
    miss: np.ndarray  # (nr,)
    compliance: np.ndarray  # (m - nr,)
    scale: np.ndarray  # (4 nb + nz,) largest displacement and speed, rigid and modal, of each body;
    # how much the rate of each state of a law changes where positions do by the machine's length
    counts: np.ndarray  # (5,)
    bad: np.ndarray  # (1,)
    top: np.ndarray  # (nz,) largest state of each force law so far
    leap: np.ndarray  # (6,) what drives were missed by, see :mod:`flexbody.kernels.leap`


class Tableau(NamedTuple):
    """Coefficients of the pair 8(5,3) of Dormand and Prince."""

    A: np.ndarray  # (12, 12)
    B: np.ndarray  # (12,)
    C: np.ndarray  # (12,)
    E3: np.ndarray  # (13,)
    E5: np.ndarray  # (13,)


@jit(inline="always")
def parts(L, y):
    """Return views (c, q, alpha, v) of a state vector."""
    nb, na, nv = L.body_mass.size, L.alpha_at[L.alpha_at.size - 1], L.v_at[L.v_at.size - 1]
    return (
        y[: 3 * nb].reshape(nb, 3),
        y[3 * nb : 7 * nb].reshape(nb, 4),
        y[7 * nb : 7 * nb + na],
        y[7 * nb + na : 7 * nb + na + nv],
    )


@lean_entry
def rates(L, W, S, t, y, out, multipliers):
    """``out`` = dy/dt with accelerations and multipliers from the constraints' second derivatives."""
    c, q, alpha, v = parts(L, y)
    cdot, qdot, alphadot, vdot = parts(L, out)
    nr, nv = L.row_kind.size, v.size
    S.counts[ITERATIONS] += 1
    S.counts[FACTORISATIONS] += 1
    if W.more[0] > 0.0:
        expect_turns(L, W, t - S.time[0])
    place(L, W, t, c, q, alpha)
    move(L, W, alpha, v)
    first = y.size - 2 - element_z(W.element).shape[1]
    for i in range(element_z(W.element).shape[1]):
        element_z(W.element)[0, i] = y[first + i]
    residual(L, W, t, alpha, v, S.none[:nv], S.none[nv:])
    biases(L, W, t, W.right)
    matrices(L, W, 1.0, 0.0, 0.0, S.compliance)
    blocks(L, W)
    before = W.rank[0]
    if not factorise(L, W, S.compliance):
        return False
    if before > W.rank[0]:
        S.counts[RANK_LOSSES] += 1
    for k in range(W.right.size):
        W.right[k] = -W.right[k] if k < nr else 0.0
    for i in range(nv):
        vdot[i] = -W.residual[i]
    solve(L, W, W.right, vdot, multipliers)
    if any_rub(W):
        respond(L, W)
        settle(L, W, vdot, multipliers)
    for b in range(L.body_mass.size):
        first, at = L.v_at[b], L.alpha_at[b]
        w0, w1, w2 = v[first + 3], v[first + 4], v[first + 5]
        # Koppens (2.47)
        qdot[b, 0] = -0.5 * (q[b, 1] * w0 + q[b, 2] * w1 + q[b, 3] * w2)
        qdot[b, 1] = 0.5 * (q[b, 0] * w0 - q[b, 3] * w1 + q[b, 2] * w2)
        qdot[b, 2] = 0.5 * (q[b, 3] * w0 + q[b, 0] * w1 - q[b, 1] * w2)
        qdot[b, 3] = 0.5 * (-q[b, 2] * w0 + q[b, 1] * w1 + q[b, 0] * w2)
        for k in range(3):
            cdot[b, k] = v[first + k]
        for i in range(L.body_modes[b]):
            alphadot[at + i] = v[first + 6 + i]
    for i in range(element_z(W.element).shape[1]):
        out[y.size - 2 - element_z(W.element).shape[1] + i] = element_z(W.element)[1, i]
    out[out.size - 2] = W.power[0]
    out[out.size - 1] = W.power[1]
    for k in range(nr):
        out[out.size - 1] += multipliers[k] * W.phi_t[k]
    return True


@lean
def normalise(L, y):
    """Scale the Euler parameters back to length one."""
    q = parts(L, y)[1]
    for b in range(L.body_mass.size):
        norm = np.sqrt(q[b, 0] ** 2 + q[b, 1] ** 2 + q[b, 2] ** 2 + q[b, 3] ** 2)
        for k in range(4):
            q[b, k] /= norm


@lean
def project(L, W, S, y):
    """Move ``y`` onto the constraints of positions and velocities by one Newton step, with the latest factors.

    The step's error leaves it off by the tolerance, so that one step takes it to round-off.
    """
    c, q, alpha, v = parts(L, y)
    for k in range(W.right.size):
        W.right[k] = -W.phi[k] if k < L.row_kind.size else 0.0
    solve_rows_only(L, W, W.right, S.error, S.trial_multipliers)
    row_rates(L, W, S.miss)
    for k in range(W.right.size):
        W.right[k] = -S.miss[k] if k < L.row_kind.size else 0.0
    solve_rows_only(L, W, W.right, S.error_rate, S.trial_multipliers)
    for b in range(L.body_mass.size):
        first, at = L.v_at[b], L.alpha_at[b]
        x, z, w = 0.5 * S.error[first + 3], 0.5 * S.error[first + 4], 0.5 * S.error[first + 5]
        q0, q1, q2, q3 = q[b, 0], q[b, 1], q[b, 2], q[b, 3]
        q[b, 0] += -q1 * x - q2 * z - q3 * w
        q[b, 1] += q0 * x - q3 * z + q2 * w
        q[b, 2] += q3 * x + q0 * z - q1 * w
        q[b, 3] += -q2 * x + q1 * z + q0 * w
        for k in range(3):
            c[b, k] += S.error[first + k]
        for i in range(L.body_modes[b]):
            alpha[at + i] += S.error[first + 6 + i]
    for i in range(v.size):
        v[i] += S.error_rate[i]
    normalise(L, y)


@lean
def error_ratio(L, W, S, weights, h, rtol, pace):
    """Largest error of the weighted stages over its tolerance, over bodies, positions and velocities.

    ``pace`` : one over the duration of the run. An error of velocities that adds up to that of positions over the run
    is always allowed: speeds that begin at zero, or stay near it beside faster bodies, can't be exact to that size.
    """
    nb = L.body_mass.size
    _, q, alpha, v = parts(L, S.trial)
    na, nv = alpha.size, v.size
    S.error.fill(0.0)
    S.error_rate.fill(0.0)
    for s in range(weights.size):
        if weights[s] == 0.0:
            continue
        factor = h * weights[s]
        stage = S.stages[s]
        for b in range(nb):
            first, at = L.v_at[b], L.alpha_at[b]
            e = stage[3 * nb + 4 * b : 3 * nb + 4 * b + 4]
            # a change of the Euler parameters as a rotation, Koppens (B.17)
            S.error[first + 3] += (
                2 * factor * (-q[b, 1] * e[0] + q[b, 0] * e[1] + q[b, 3] * e[2] - q[b, 2] * e[3])
            )
            S.error[first + 4] += (
                2 * factor * (-q[b, 2] * e[0] - q[b, 3] * e[1] + q[b, 0] * e[2] + q[b, 1] * e[3])
            )
            S.error[first + 5] += (
                2 * factor * (-q[b, 3] * e[0] + q[b, 2] * e[1] - q[b, 1] * e[2] + q[b, 0] * e[3])
            )
            for k in range(3):
                S.error[first + k] += factor * stage[3 * b + k]
            for i in range(L.body_modes[b]):
                S.error[first + 6 + i] += factor * stage[7 * nb + at + i]
        for i in range(nv):
            S.error_rate[i] += factor * stage[7 * nb + na + i]
    worst, fastest = 0.0, 0.0
    at = 7 * nb + na + nv
    for i in range(S.top.size):
        error = 0.0
        for s in range(weights.size):
            error += h * weights[s] * S.stages[s, at + i]
        size = max(S.top[i], abs(S.trial[at + i]), h * abs(S.stages[0, at + i]))
        # a state that begins at zero can't be more exact than positions, which may be off by rtol of a length
        size = max(size, h * S.scale[4 * nb + i])
        worst = max(worst, abs(error) / (rtol * size + 1e-300))
    for b in range(nb):
        fastest = max(fastest, S.scale[4 * b + 2], S.scale[4 * b + 3])
    for b in range(nb):
        rigid, modal = body_norms(L, W, b, S.error)
        size, deformed = max(L.body_size[b], 1e-3 * L.length[0]), 1e-6 * L.length[0]
        worst = max(worst, rigid / (rtol * size), modal / (rtol * (S.scale[4 * b + 1] + deformed)))
        rigid, modal = body_norms(L, W, b, S.error_rate)
        slow = 1e-6 * fastest + 1e-12 * L.length[0] / h
        worst = max(
            worst,
            rigid / (rtol * (S.scale[4 * b + 2] + slow + pace * size)),
            modal / (rtol * (S.scale[4 * b + 3] + slow + pace * deformed)),
        )
    return worst


@lean
def measure(L, W, S):
    """Keep the largest displacement and speed of each body."""
    _, _, alpha, v = parts(L, S.trial)
    first = S.trial.size - 2 - S.top.size
    for i in range(S.top.size):
        S.top[i] = max(S.top[i], abs(S.trial[first + i]))
    for b in range(L.body_mass.size):
        first, at = L.v_at[b], L.alpha_at[b]
        for i in range(L.body_modes[b]):
            S.error[first + 6 + i] = alpha[at + i]
        _, deformation = body_norms(L, W, b, S.error)
        rigid, modal = body_norms(L, W, b, v)
        for k, value in enumerate((0.0, deformation, rigid, modal)):
            S.scale[4 * b + k] = max(S.scale[4 * b + k], value)


@lean
def forget(L, S):
    """Take back the sizes that a first trial over too long a step has left."""
    for k in range(4 * L.body_mass.size):
        S.scale[k] = 0.0
    first = S.y.size - 2 - S.top.size
    for i in range(S.top.size):
        S.top[i] = abs(S.y[first + i])


@lean
def combine(y, stages, weights, h, out):
    """``out = y + h sum_s weights_s stages_s``."""
    for i in range(out.size):
        out[i] = y[i]
    for s in range(weights.size):
        if weights[s] != 0.0:
            factor = h * weights[s]
            for i in range(out.size):
                out[i] += factor * stages[s, i]


@jit(inline="always")
def attempt(L, W, S, tableau, h):
    """Compute all stages and the new state; False if a mass matrix is not positive definite."""
    t = S.time[0]
    for i in range(S.rate.size):
        S.stages[0, i] = S.rate[i]
    for s in range(1, 12):
        combine(S.y, S.stages, tableau.A[s, :s], h, S.trial)
        if not rates(L, W, S, t + tableau.C[s] * h, S.trial, S.stages[s], S.trial_multipliers):
            return False
    combine(S.y, S.stages, tableau.B, h, S.trial)
    normalise(L, S.trial)
    return rates(L, W, S, t + h, S.trial, S.stages[12], S.trial_multipliers)


@lean
def accept(L, W, S, t):
    """Put the trial on the constraints and take it over as the state at ``t``; DONE, or why that can't be."""
    project(L, W, S, S.trial)
    if not rates(L, W, S, t, S.trial, S.rate, S.multipliers):
        return NOT_DEFINITE
    S.bad[0] = opposite_row(L, W)
    if S.bad[0] >= 0:
        rates(L, W, S, S.time[0], S.y, S.rate, S.multipliers)
        return LEAPT
    for i in range(S.y.size):
        S.y[i] = S.trial[i]
    keep_leap(L, S.leap, S.time[0], t)
    if W.more[2] > 0.0:
        measure_turns(L, W, t - S.time[0])
        count_turns(L, W)
    S.time[0] = t
    S.counts[STEPS] += 1
    return DONE


@lean_entry
def advance(L, W, S, tableau, t_out, settings, max_steps):
    """Advance to ``t_out`` in at most ``max_steps`` steps.

    settings: rtol (0: fixed step), smallest and largest step, whether a smallest one is taken whatever its error (1),
    one over the duration of the run.
    """
    rtol, smallest, largest = settings[0], settings[1], settings[2]
    for _ in range(max_steps):
        remaining = t_out - S.time[0]
        if remaining <= 0.0:
            return DONE
        h = S.time[1]
        if rtol > 0.0:
            h = next_step(min(h, largest), S.time[2], remaining)
        elif abs(h - remaining) < 1e-6 * h:
            h = remaining
        S.time[2] = h
        good = attempt(L, W, S, tableau, h)
        finite = np.isfinite(system_norm(L, W, parts(L, S.stages[12])[3]))
        if not good or not finite:
            S.counts[REJECTED] += 1
            if rtol == 0.0 or 0.25 * h < smallest:
                S.bad[0] = worst_row(W)
                return NOT_FINITE if not finite else NOT_DEFINITE
            S.time[1] = 0.25 * h
            continue
        if S.counts[STEPS] == 0:
            measure(L, W, S)
        if rtol > 0.0:
            fifth = error_ratio(L, W, S, tableau.E5, h, rtol, settings[4])
            third = error_ratio(L, W, S, tableau.E3, h, rtol, settings[4])
            error = fifth * fifth / np.sqrt(fifth * fifth + 0.01 * third * third + 1e-60)
            factor = min(4.0, max(0.25, 0.9 / (error + 1e-16) ** 0.125))
            S.time[1] = max(h * factor, smallest)
            if error > 1.0 and h <= smallest and settings[3] == 0.0 and h < 0.5 * remaining:
                S.bad[0] = worst_row(W)
                return STUCK
            if error > 1.0 and h > smallest:
                S.counts[REJECTED] += 1
                S.time[1] = max(h * min(factor, 0.8), smallest)  # below what next_step would keep
                if S.counts[STEPS] == 0 and error * rtol > WILD:
                    forget(L, S)
                continue
        met = meet_drives(L, W, S.leap)
        sure = W.more[2] == 0.0 or measure_turns(L, W, h)
        if not met or (not sure and rtol > 0.0 and 0.25 * h > smallest):
            S.counts[REJECTED] += 1
            if not met and (rtol == 0.0 or 0.25 * h < smallest):
                S.bad[0] = int(S.leap[TRIED])
                return LEAPT
            S.time[1] = 0.25 * h
            continue
        measure(L, W, S)
        status = accept(L, W, S, t_out if h > (1.0 - 1e-9) * remaining else S.time[0] + h)
        if status != DONE:
            return status
    return DONE if S.time[0] >= t_out else PAUSED
