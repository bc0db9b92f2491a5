"""The compiled right-hand side that integrators from outside call, and the state at a step's end."""

from ..kernels.arrays import VELOCITY
from ..kernels.coordinate import count_turns, measure_turns
from ..kernels.equations import row_rates
from ..kernels.lean import lean, lean_entry
from ..kernels.leap import TRIED, keep_leap, meet_drives, opposite_row
from ..kernels.linear import solve_rows_only
from ..kernels.packed import turns_of
from .base import DONE, LEAPT, NOT_DEFINITE, STEPS
from .explicit_kernel import normalise, parts, project, rates


@lean
def attract(L, W, S, y, pull, out):
    """Add to the rates ``out`` what makes the constraints an invariant that attracts.

    To the rates of the index-1 equations are added ``-pull M^-1 G^T (G M^-1 G^T)^-1`` times the residuals of the
    constraints, of positions for the rates of positions and of velocities for those of velocities: nothing where they
    are met, so the motion is not changed; else they decay as ``exp(-pull t)`` (U. M. Ascher, H. Chin, S. Reich,
    Numer. Math. 67 (1994) 131, F = M^-1 G^T). So do the Euler parameters' deviations from length one.
    """
    _, q, _, v = parts(L, y)
    cdot, qdot, alphadot, vdot = parts(L, out)
    rows = L.row_kind.size
    for k in range(W.right.size):
        holds = k < rows and L.row_kind[k] != VELOCITY
        W.right[k] = -pull * W.phi[k] if holds else 0.0
    solve_rows_only(L, W, W.right, S.error, S.trial_multipliers)
    row_rates(L, W, S.miss)
    for k in range(W.right.size):
        W.right[k] = -pull * S.miss[k] if k < rows else 0.0
    solve_rows_only(L, W, W.right, S.error_rate, S.trial_multipliers)
    for b in range(L.body_mass.size):
        first, at = L.v_at[b], L.alpha_at[b]
        x, z, w = 0.5 * S.error[first + 3], 0.5 * S.error[first + 4], 0.5 * S.error[first + 5]
        q0, q1, q2, q3 = q[b, 0], q[b, 1], q[b, 2], q[b, 3]
        longer = 0.5 * pull * (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3 - 1.0)
        qdot[b, 0] += -q1 * x - q2 * z - q3 * w - longer * q0
        qdot[b, 1] += q0 * x - q3 * z + q2 * w - longer * q1
        qdot[b, 2] += q3 * x + q0 * z - q1 * w - longer * q2
        qdot[b, 3] += -q2 * x + q1 * z + q0 * w - longer * q3
        for k in range(3):
            cdot[b, k] += S.error[first + k]
        for i in range(L.body_modes[b]):
            alphadot[at + i] += S.error[first + 6 + i]
    for i in range(v.size):
        vdot[i] += S.error_rate[i]


@lean_entry
def evaluate(L, W, S, t, y, pull, out, take):
    """``out`` = dy/dt with :func:`attract`, or, to ``take`` a step's end, the new state; DONE, or what is wrong.

    NOT_DEFINITE where a body's mass matrix is not, LEAPT where a drive is missed by more than a quarter of a turn. A
    state that is taken is put on the constraints, and its accelerations and multipliers are found. (One function for
    both: each that Python calls takes long to compile.)
    """
    if not take:
        if not rates(L, W, S, t, y, out, S.trial_multipliers):
            return NOT_DEFINITE
        attract(L, W, S, y, pull, out)
        return DONE
    for i in range(y.size):
        S.trial[i] = y[i]
    normalise(L, S.trial)
    if not rates(L, W, S, t, S.trial, out, S.trial_multipliers):
        return NOT_DEFINITE
    if not meet_drives(L, W, S.leap):
        S.bad[0] = int(S.leap[TRIED])
        return LEAPT
    measure_turns(L, W, t - S.time[0])
    turn = turns_of(W.more)
    for k in range(turn.shape[0]):  # from here on the angles are expected where the mean of both rates leads
        turn[k, 2] = 0.5 * (turn[k, 2] + turn[k, 4])
    project(L, W, S, S.trial)
    if not rates(L, W, S, t, S.trial, S.rate, S.multipliers):
        return NOT_DEFINITE
    S.bad[0] = opposite_row(L, W)
    if S.bad[0] >= 0:
        return LEAPT
    for i in range(y.size):
        S.y[i] = S.trial[i]
    keep_leap(L, S.leap, S.time[0], t)
    measure_turns(L, W, t - S.time[0])
    count_turns(L, W)
    S.time[2] = t - S.time[0]
    S.time[0] = t
    S.counts[STEPS] += 1
    return DONE
