"""States of force laws in the generalized-alpha method: equations of first order beside the mechanical ones."""

from ..kernels.arrays import STEPPED
from ..kernels.element_memory import element_z
from ..kernels.lean import lean, lean_entry


@lean_entry
def first_order(alpha_f):
    """Coefficients (delta_m, delta_f, theta) of the method for ``z. = f`` with the same spectral radius at infinity.

    K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Eng. 190 (2000) 305; with states of
    controllers beside mechanics O. Bruels, M. Arnold, J. Comput. Nonlinear Dyn. 3 (2008) 041007.
    """
    rho = alpha_f / (1.0 - alpha_f)
    delta_m = 0.5 * (3.0 * rho - 1.0) / (rho + 1.0)
    return delta_m, alpha_f, 0.5 + alpha_f - delta_m


@lean
def expect_states(W, S, h, alpha_f):
    """Tell the force laws what the step knows of their states: ``z - kappa z. = known`` at its end."""
    delta_m, delta_f, theta = first_order(alpha_f)
    W.element[0] = STEPPED
    W.element[1] = h * theta * (1.0 - delta_f) / (1.0 - delta_m)
    for i in range(S.z.shape[1]):
        past = (delta_f * S.z[1, i] - delta_m * S.z[2, i]) / (1.0 - delta_m)
        element_z(W.element)[2, i] = S.z[0, i] + h * ((1.0 - theta) * S.z[2, i] + theta * past)
        element_z(W.element)[0, i] = S.z[0, i] + h * S.z[1, i]


@lean
def accept_states(W, S, h, alpha_f):
    """Take the states of force laws over."""
    delta_m, delta_f, _ = first_order(alpha_f)
    for i in range(S.z.shape[1]):
        rate = element_z(W.element)[1, i]
        S.z[2, i] = ((1.0 - delta_f) * rate + delta_f * S.z[1, i] - delta_m * S.z[2, i]) / (1.0 - delta_m)
        S.z[3, i] = (rate - S.z[1, i]) / h
        S.z[4, i] = max(S.z[4, i], abs(rate))
        S.z[5, i] = max(S.z[5, i], abs(element_z(W.element)[0, i]))
        S.z[0, i], S.z[1, i] = element_z(W.element)[0, i], rate


@lean
def error_of_states(W, S, h, alpha_f, rtol):
    """Local error of the states over its tolerance: ``rtol`` times the distance moved in the step at top rate.

    Or of a hundredth of the largest value, so that jumps of the rate need no end of steps. The error is
    ``constant h^3`` times the third derivative, here a second difference of the rates.
    """
    delta_m, delta_f, _ = first_order(alpha_f)
    constant = abs(1.0 / 12.0 + (delta_m - delta_f) * (delta_f - 0.5))
    worst = 0.0
    for i in range(S.z.shape[1]):
        rate = element_z(W.element)[1, i]
        error = constant * h * (rate - S.z[1, i] - h * S.z[3, i])
        top = max(h * max(S.z[4, i], abs(rate)), 0.01 * max(S.z[5, i], abs(element_z(W.element)[0, i])))
        worst = max(worst, abs(error) / (rtol * top + 1e-300))
    return worst
