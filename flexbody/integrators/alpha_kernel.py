"""The compiled time loop of the generalized-alpha method."""

import numpy as np

from fem.common.jit import jit

from ..kernels.arrays import VELOCITY
from ..kernels.coordinate import count_turns, expect_turns, measure_turns
from ..kernels.equations import blocks, drift, matrices, place, residual, row_rates
from ..kernels.lean import lean
from ..kernels.leap import TRIED, keep_leap, meet_drives, opposite_row
from ..kernels.linear import CANCELLED, factorise, solve
from ..kernels.linear_two import solve_two
from ..kernels.rotation import turned_euler
from ..kernels.rubbing import add_rub, any_rub, respond
from .alpha_state import (
    BALANCED,
    BEFORE,
    CHANGED,
    EARLIER,
    FACTORED,
    FIRST_TRY,
    LAST,
    RATE,
    RECENT,
    TRIES,
    WANTED,
    T,
)
from .base import (
    DONE,
    EPS,
    FACTORISATIONS,
    ITERATIONS,
    LEAPT,
    NO_CONVERGENCE,
    NOT_DEFINITE,
    NOT_FINITE,
    PAUSED,
    RANK_LOSSES,
    REJECTED,
    STEPS,
)
from .law_states import accept_states, error_of_states, expect_states, first_order
from .norms import (
    STALLED,
    body_norms,
    is_magnified_noise,
    next_step,
    none_above,
    round_off,
    system_norm,
    worst_row,
)

# a slower contraction than this calls for a new factorisation: five digits would cost five iterations
SLOW = 0.1
# what Newton's iteration may leave, of the change of the accelerations in a step that is not linear in time, and of
# the local error that is allowed: the method's own errors of accelerations and forces are of the size of the former
SHARE = 0.0005
# and never more than this of the local error that is allowed
REST = 0.005
# the largest accelerations are forgotten by this factor in a step: a blow long ago is no measure of what occurs now
FORGETS = 0.9


@lean
def set_trial(L, S, X, h, alpha_m, alpha_f, beta, gamma):
    """Position, velocity and acceleration that follow from the trial's ``a``."""
    for i in range(X.v.size):
        X.vdot[i] = ((1.0 - alpha_m) * X.a[i] + alpha_m * S.a[i] - alpha_f * S.vdot[i]) / (1.0 - alpha_f)
        X.v[i] = S.v[i] + h * ((1.0 - gamma) * S.a[i] + gamma * X.a[i])
        X.increment[i] = h * S.v[i] + h * h * ((0.5 - beta) * S.a[i] + beta * X.a[i]) + X.p[i]
    for b in range(L.body_mass.size):
        first, n, at = L.v_at[b], L.body_modes[b], L.alpha_at[b]
        for k in range(3):
            X.c[b, k] = S.c[b, k] + X.increment[first + k]
        turned_euler(S.q[b], X.increment[first + 3 : first + 6], X.q[b])
        for i in range(n):
            X.alpha[at + i] = S.alpha[at + i] + X.increment[first + 6 + i]


@jit(inline="always")
def refactorise(L, W, S, h, alpha_m, alpha_f, beta, gamma):
    """Factorise the iteration matrix at the trial; False if a body's matrix is not positive definite."""
    matrices(L, W, (1.0 - alpha_m) / (1.0 - alpha_f), h * gamma, h * h * beta, S.compliance)
    blocks(L, W)
    S.counts[FACTORISATIONS] += 1
    S.time[FACTORED] = h
    before = W.rank[0]
    good = factorise(L, W, S.compliance)
    if before > 0 and W.rank[0] < before:
        S.counts[RANK_LOSSES] += 1
    if good and any_rub(W):
        respond(L, W)
    return good


@jit(inline="always")
def correct(L, W, X, h, beta, gamma, stabilized):
    """Solve for the corrections of accelerations, multipliers and, if stabilized, of the positions (``X.move``).

    Index 3: ``G delta = -Phi / (beta h^2)``. Stabilized: ``G delta = -(G v + Phi_t) / (gamma h)``, and the positions
    are moved by ``p`` in the range of ``M^-1 G^T`` so that ``Phi = 0``; both with the same factors.
    """
    rows, m = L.row_kind.size, L.elimination.size
    for i in range(X.delta.size):
        X.delta[i] = -W.residual[i]
    if stabilized or W.more[1] > 0.0:
        row_rates(L, W, X.miss)
    for k in range(rows):
        moves = stabilized or L.row_kind[k] == VELOCITY
        W.right[k] = -X.miss[k] / (gamma * h) if moves else -W.phi[k] / (beta * h * h)
    for k in range(rows, m):
        W.right[k] = 0.0
    if stabilized:
        for k in range(m):
            # a constraint of velocities holds no position: the correction only respects it
            held = k < rows and L.row_kind[k] != VELOCITY
            W.other[k] = h * beta / gamma * X.miss[k] - W.phi[k] if held else 0.0
        solve_two(L, W, W.right, X.delta, X.ydelta, W.other, X.move)
    else:
        solve(L, W, W.right, X.delta, X.ydelta)
    if any_rub(W):
        add_rub(L, W, X.delta, X.ydelta)
    for k in range(rows):
        X.multipliers[k] += X.ydelta[k]
    for i in range(X.delta.size):
        X.a[i] += X.delta[i]


@lean
def excess(L, W, S, x, factor, h, rtol):
    """Size of a generalized vector times ``factor``, as an error of positions, over what a step may add.

    That is ``rtol * (distance moved in the step at top speed)``. Rigid motion and deformation of each body are
    judged by their own top speed, but by no less than a thousandth of the fastest in the system.
    """
    nb = L.body_mass.size
    fastest = 0.0
    for k in range(2 * nb):
        fastest = max(fastest, S.scale[k])
    worst = 0.0
    rest, slow = 1e-12 * L.length[0], 1e-3 * fastest
    for b in range(nb):
        rigid, modal = body_norms(L, W, b, x)
        worst = max(worst, factor * rigid / (rtol * h * max(S.scale[2 * b], slow) + rest))
        worst = max(worst, factor * modal / (rtol * h * max(S.scale[2 * b + 1], slow) + rest))
    return worst


@jit(inline="always")
def near_enough(L, W, S, X, h, settings, left, size, shift, largest):
    """Whether ``left`` times the last correction is well below the local error of the step.

    ``size`` and ``shift`` are those of the correction of accelerations and of positions, ``largest`` that of the
    accelerations that occur.
    """
    share, beta, rtol = settings[11], settings[2], settings[5]
    # and no more than a tenth of rtol of the accelerations, so that reactions which jump are exact as well
    allowed = min(share * S.time[CHANGED], 10.0 * settings[6] * largest)
    if not left * size < allowed or left * shift > beta * h * h * allowed:
        return False
    return rtol <= 0.0 or left * excess(L, W, S, X.delta, beta * h * h, h, rtol) <= share


@jit(inline="always")
def newton(L, W, S, X, t, h, settings):
    """Solve for the trial's ``a``, multipliers and position correction; returns DONE or why not.

    The iteration ends where what it leaves is a small share of the local error, or at a tolerance relative to the
    accelerations that occur (and so to the forces), or at round-off. Positions are not corrected by less than their
    own round-off: stiff bodies would answer it with forces that no iteration gets rid of.
    """
    alpha_m, alpha_f, beta, gamma = settings[0], settings[1], settings[2], settings[3]
    tolerance, stabilized = settings[6], settings[10] > 0.0
    fresh, before = False, 0.0
    if S.z.shape[1] > 0:
        expect_states(W, S, h, alpha_f)
    # round-off of positions and velocities, as accelerations
    length, speed, placing = L.length[0], system_norm(L, W, S.v), 16.0 * round_off(L, S.c)
    unseen = placing / (beta * h * h)
    floor = 16.0 * EPS * speed / (gamma * h) if stabilized else unseen
    for iteration in range(int(settings[7])):
        S.counts[ITERATIONS] += 1
        set_trial(L, S, X, h, alpha_m, alpha_f, beta, gamma)
        place(L, W, t, X.c, X.q, X.alpha)
        if iteration == 0 and not meet_drives(L, W, S.leap):
            return LEAPT
        drift(L, W, X.alpha, X.v)
        residual(L, W, t, X.alpha, X.v, X.vdot, X.multipliers)
        # factors of a step up to a fifth longer or shorter still contract well; too slow ones are noticed below
        if abs(S.time[FACTORED] - h) > 0.2 * h:
            fresh = True
            if not refactorise(L, W, S, h, alpha_m, alpha_f, beta, gamma):
                return NOT_DEFINITE
        correct(L, W, X, h, beta, gamma, stabilized)
        size = system_norm(L, W, X.delta)
        if not np.isfinite(size):
            return NOT_FINITE
        # positions that move turn velocities, which the next correction of the accelerations takes back
        shift = system_norm(L, W, X.move) if stabilized else 0.0
        if shift <= 0.5 * placing and none_above(W.other, 0.5 * placing):
            shift = 0.0
        else:
            for i in range(X.move.size):
                X.p[i] += X.move[i]
        change = size + shift * speed / (length * gamma * h)
        # the error left after this correction, if the iteration goes on contracting at this rate
        rate = change / before if iteration > 0 and before > 0.0 else SLOW
        # (of round-off, which does not contract, it is at most a few times as much)
        left = rate / (1.0 - rate) if rate < 0.9 else 10.0
        largest = max(system_norm(L, W, X.a), S.scale[RECENT], S.scale[BALANCED])
        # the first correction is judged by the contraction that was measured some steps of this size ago
        known = iteration > 0 or (S.time[RATE] < SLOW and abs(h - S.time[BEFORE]) <= 0.01 * h)
        rest = S.time[RATE] if iteration == 0 and known else left
        good = settings[11] > 0.0 and known
        good = good and near_enough(L, W, S, X, h, settings, rest, size, shift, largest)
        if not good:
            target = tolerance * largest + floor
            placed = min(rest, 1.0) * shift <= tolerance * h * speed + placing
            good = placed and (size <= floor or rest * size <= target)
            if good and settings[5] > 0.0 and size > floor:
                good = rest * excess(L, W, S, X.delta, beta * h * h, h, settings[5]) <= REST
        if not good and fresh and iteration > 1 and rate > STALLED:
            # what moves nothing beyond round-off and does not contract is the round-off of stiff springs
            good = size <= unseen and shift <= placing
            good = good or is_magnified_noise(W, size - floor, shift, length, speed, gamma * h)
        if good:
            # a rate that was measured is trusted for some steps, and less in each
            S.time[RATE] = max(rate, 0.1 * SLOW) if iteration > 0 else S.time[RATE] + 0.1 * SLOW
            set_trial(L, S, X, h, alpha_m, alpha_f, beta, gamma)  # the last correction is part of the step
            return DONE
        if iteration > 0 and rate > SLOW and not fresh:
            if rate > 0.5:
                return NO_CONVERGENCE  # led astray by old factors: start again
            S.time[FACTORED] = 0.0  # factorise anew in the next iteration
        elif rate > 2.0 and iteration > 2:
            return NO_CONVERGENCE
        before = change
    return NO_CONVERGENCE


@jit(inline="always")
def error_of_step(L, W, S, X, h, constant, rtol):
    """Local error of the positions over its tolerance, see :func:`excess`.

    The error is ``constant h^3`` times the third derivative, taken from the change of the accelerations. Summed over
    a run, the local errors are at most about ``rtol`` times the path travelled; a step with 1.5 times its tolerance is
    still accepted.
    """
    for b in range(L.body_mass.size):
        rigid, modal = body_norms(L, W, b, X.v)
        S.scale[2 * b] = max(S.scale[2 * b], rigid)
        S.scale[2 * b + 1] = max(S.scale[2 * b + 1], modal)
    for i in range(X.delta.size):
        X.delta[i] = X.vdot[i] - S.vdot[i]
    return excess(L, W, S, X.delta, constant * h * h, h, rtol)


@jit(inline="always")
def accept(L, W, S, X, t, h, alpha_f):
    """Take the trial over as the new state."""
    if W.more[2] > 0.0:
        count_turns(L, W)
    keep_leap(L, S.leap, S.time[T], t)
    for i in range(X.v.size):
        jerk = (X.vdot[i] - S.vdot[i]) / h
        X.delta[i] = h * (jerk - S.jerk[i])
        mean = (X.v[i] - S.v[i]) / h
        slope = (mean - S.mean[i]) / (h + S.time[BEFORE])
        S.curve[i] = (slope - S.slope[i]) / (h + S.time[BEFORE] + S.time[EARLIER])
        S.mean[i], S.slope[i] = mean, slope
        S.jerk[i] = jerk
        S.vdot[i], S.v[i], S.a[i] = X.vdot[i], X.v[i], X.a[i]
    S.time[CHANGED] = system_norm(L, W, X.delta)
    for k in range(X.multipliers.size):
        rate = (X.multipliers[k] - S.multipliers[k]) / h
        if S.counts[STEPS] > 0:
            S.multipliers_curve[k] = (rate - S.multipliers_rate[k]) / (h + S.time[BEFORE])
        S.multipliers_rate[k] = rate
        S.multipliers[k] = X.multipliers[k]
    S.time[EARLIER] = S.time[BEFORE]
    S.time[BEFORE] = h
    for b in range(L.body_mass.size):
        for k in range(3):
            S.c[b, k] = X.c[b, k]
        for k in range(4):
            S.q[b, k] = X.q[b, k]
    for i in range(X.alpha.size):
        S.alpha[i] = X.alpha[i]
    for k in range(2):
        S.energy[k] += 0.5 * h * (S.energy[2 + k] + W.power[k])
        S.energy[2 + k] = W.power[k]
    if S.z.shape[1] > 0:
        accept_states(W, S, h, alpha_f)
    S.scale[RECENT] = max(FORGETS * S.scale[RECENT], system_norm(L, W, S.a))
    S.time[T] = t
    S.counts[STEPS] += 1


@jit(inline="always")
def predict(S, X, h, gamma):
    """Extrapolate the velocities to the end of the step by a cubic, the multipliers by a parabola.

    The velocities rather than the accelerations: constraints hold velocities, so that what an iteration leaves in an
    acceleration comes back with the other sign in the next ones, and an extrapolation of them would magnify it.
    """
    before = S.time[BEFORE]
    for i in range(X.a.size):
        slope = S.slope[i] + (h + before + S.time[EARLIER]) * S.curve[i]
        X.a[i] = (S.mean[i] + (h + before) * slope - (1.0 - gamma) * S.a[i]) / gamma
        X.p[i] = 0.0
    for k in range(X.multipliers.size):
        X.multipliers[k] = S.multipliers[k] + h * (
            S.multipliers_rate[k] + (h + before) * S.multipliers_curve[k]
        )


@jit(inline="always")
def attempt(L, W, S, X, h, settings):
    """Try one step of size ``h`` from the state; the trial is left in ``X``.

    Where old factors fail, the step is tried again from its prediction with new ones.
    """
    # the method's variable a belongs to t + (alpha_m - alpha_f) h: a new step moves it along the jerk
    shift = (settings[0] - settings[1]) * (h - S.time[LAST])
    for i in range(X.a.size):
        S.a[i] += shift * S.jerk[i]
    if S.z.shape[1] > 0:
        delta_m, delta_f, _ = first_order(settings[1])
        for i in range(S.z.shape[1]):
            S.z[2, i] += (delta_m - delta_f) * (h - S.time[LAST]) * S.z[3, i]
    S.time[LAST] = h
    if W.more[0] > 0.0:
        expect_turns(L, W, h)
    again = abs(S.time[FACTORED] - h) <= 0.2 * h
    status = NO_CONVERGENCE
    for _ in range(2):
        predict(S, X, h, settings[3])
        status = newton(L, W, S, X, S.time[T] + h, h, settings)
        if status == DONE or not again:
            break
        S.time[FACTORED] = 0.0
        again = False
    if status == DONE and L.drive_law.size > 0:
        row = opposite_row(L, W)
        if row >= 0:
            S.leap[TRIED] = row
            return LEAPT
    return status


@jit(inline="always")
def advance(L, W, S, X, t_out, settings, max_steps):
    """Advance to ``t_out`` in at most ``max_steps`` steps; returns DONE, PAUSED or what went wrong.

    settings : alpha_m, alpha_f, beta, gamma, error constant, rtol (0: fixed step), Newton tolerance, iterations,
    smallest and largest step, stabilized (1) or index 3 (0), share of the local error that Newton may leave.
    """
    rtol, smallest, largest = settings[5], settings[8], settings[9]
    for _ in range(max_steps):
        remaining = t_out - S.time[T]
        if remaining <= 0.0:
            return DONE
        h = S.time[WANTED]
        if rtol > 0.0:
            h = next_step(min(h, largest), S.time[LAST], remaining)
        elif abs(h - remaining) < 1e-6 * h:
            h = remaining
        status = attempt(L, W, S, X, h, settings)
        if status == NOT_FINITE and rtol == 0.0:
            return status
        if status != DONE:
            S.counts[REJECTED] += 1
            S.time[FACTORED] = 0.0
            if rtol == 0.0 or 0.25 * h < smallest:
                S.bad[0] = worst_row(W) if status != LEAPT else int(S.leap[TRIED])
                return status
            # near a singular position shorter steps may be worse: shorter and longer ones are tried in turn
            S.time[TRIES] += 1.0
            if S.time[TRIES] == 1.0:
                S.time[FIRST_TRY] = h
            tries = S.time[TRIES]
            S.time[WANTED] = S.time[FIRST_TRY] * (
                0.25**tries if tries % 2.0 == 1.0 else 1.7 ** (tries // 2.0)
            )
            continue
        sure = W.more[2] == 0.0 or measure_turns(L, W, h)
        if rtol > 0.0:
            if not sure and 0.5 * h > smallest:
                S.counts[REJECTED] += 1
                S.time[WANTED] = 0.5 * h
                continue
            error = error_of_step(L, W, S, X, h, settings[4], rtol)
            if S.z.shape[1] > 0:
                error = max(error, error_of_states(W, S, h, settings[1], rtol))
            factor = min(3.0, max(0.2, 0.9 / np.sqrt(error + 1e-30)))
            # (at a nearly singular position the step that converged is taken as it is)
            if error > 1.5 and 0.8 * h > smallest and (S.time[TRIES] == 0.0 or W.pivot[0] > CANCELLED):
                S.counts[REJECTED] += 1
                if S.time[TRIES] > 0.0 and h > S.time[FIRST_TRY]:
                    S.time[TRIES] += 1.0
                    S.time[WANTED] = S.time[FIRST_TRY] * 0.25 ** S.time[TRIES]
                    continue
                S.time[TRIES] = 0.0
                S.time[WANTED] = max(h * min(factor, 0.8), smallest)  # below what next_step would keep
                continue
            S.time[WANTED] = max(h * factor, smallest)
        # the last step ends on the output time exactly, so that no sliver of round-off is left to step over
        S.time[TRIES] = 0.0
        accept(L, W, S, X, t_out if h > (1.0 - 1e-9) * remaining else S.time[T] + h, h, settings[1])
    return DONE if S.time[T] >= t_out else PAUSED
