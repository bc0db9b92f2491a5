"""Going on after a jump of the loads: the generalized-alpha method's history is made consistent with them.

Positions and velocities go through such a jump unchanged, accelerations and multipliers jump with it, and so does
the method's own acceleration-like variable, which belongs to ``t + (alpha_m - alpha_f) h``.
"""

from fem.common.jit import jit

from ..kernels.arrays import GIVEN
from ..kernels.element_memory import element_z
from ..kernels.equations import biases, blocks, matrices, move, place, residual
from ..kernels.linear import factorise, solve
from ..kernels.rotation import turned_euler
from ..kernels.rubbing import any_rub, respond, settle
from .alpha_state import BEFORE, CHANGED, EARLIER, FACTORED, LAST, TRIES, WANTED, T
from .law_states import first_order


@jit(inline="always")
def accelerate(L, W, S, X, t, c, q, alpha, v, vdot, multipliers):
    """Accelerations and multipliers from the second derivatives of the constraints; (dissipated, input) power."""
    nr, nv = L.row_kind.size, v.size
    X.delta.fill(0.0)
    multipliers.fill(0.0)
    place(L, W, t, c, q, alpha)
    move(L, W, alpha, v)
    residual(L, W, t, alpha, v, X.delta, multipliers)
    biases(L, W, t, W.right)
    matrices(L, W, 1.0, 0.0, 0.0, S.compliance)
    blocks(L, W)
    factorise(L, W, S.compliance)
    for k in range(W.right.size):
        W.right[k] = -W.right[k] if k < nr else 0.0
    for i in range(nv):
        vdot[i] = -W.residual[i]
    solve(L, W, W.right, vdot, X.ydelta)
    for k in range(nr):
        multipliers[k] = X.ydelta[k]
    if any_rub(W):
        respond(L, W)
        settle(L, W, vdot, multipliers)
    given = W.power[1]
    for k in range(nr):
        given += multipliers[k] * W.phi_t[k]
    return W.power[0], given


@jit(inline="always")
def restart_alpha(L, W, S, X, settings):
    """Make ``vdot``, its rate, ``a``, the multipliers and the powers those of the loads as they are now.

    The rate of the accelerations is their derivative along the motion, by a difference over a step so small that
    it counts as exact (the loads' own round-off times 1e4 is still far below the step's error).
    """
    t, h = S.time[T], S.time[WANTED]
    d = 1e-4 * h
    W.element[0] = GIVEN
    for part in range(2):  # now, and d later; one call, which is compiled into this function
        dt = d * part
        for i in range(S.z.shape[1]):
            if part == 1:
                S.z[1, i] = element_z(W.element)[1, i]
            element_z(W.element)[0, i] = S.z[0, i] + dt * S.z[1, i]
        for i in range(S.v.size):
            if part == 1:
                S.vdot[i] = X.vdot[i]
            X.increment[i] = dt * S.v[i]
            X.v[i] = S.v[i] + dt * S.vdot[i]
        if part == 1:
            for k in range(S.multipliers.size):
                S.multipliers[k] = X.multipliers[k]
        for b in range(L.body_mass.size):
            first, at = L.v_at[b], L.alpha_at[b]
            for k in range(3):
                X.c[b, k] = S.c[b, k] + X.increment[first + k]
            turned_euler(S.q[b], X.increment[first + 3 : first + 6], X.q[b])
            for i in range(L.body_modes[b]):
                X.alpha[at + i] = S.alpha[at + i] + X.increment[first + 6 + i]
        lost, given = accelerate(L, W, S, X, t + dt, X.c, X.q, X.alpha, X.v, X.vdot, X.multipliers)
        if part == 0:
            S.energy[2], S.energy[3] = lost, given
    for i in range(S.v.size):
        S.jerk[i] = (X.vdot[i] - S.vdot[i]) / d
        S.a[i] = S.vdot[i] + (settings[0] - settings[1]) * h * S.jerk[i]
    delta_m, delta_f, _ = first_order(settings[1])
    for i in range(S.z.shape[1]):
        S.z[3, i] = (element_z(W.element)[1, i] - S.z[1, i]) / d
        S.z[2, i] = S.z[1, i] + (delta_m - delta_f) * h * S.z[3, i]
    for k in range(S.multipliers.size):
        S.multipliers_rate[k] = (X.multipliers[k] - S.multipliers[k]) / d
    for i in range(S.v.size):
        S.mean[i], S.slope[i], S.curve[i] = S.vdot[i], 0.5 * S.jerk[i], 0.0
    S.multipliers_curve.fill(0.0)
    S.time[LAST] = h
    S.time[FACTORED] = 0.0  # the factors are those of the mass matrix now
    S.time[TRIES] = S.time[BEFORE] = S.time[EARLIER] = S.time[CHANGED] = 0.0
