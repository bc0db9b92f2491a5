"""The generalized-alpha method for mechanical systems with constraints, on the group of rotations.

J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185
(index 3); M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149 (stabilized index 2); O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121 (Euler parameters are updated by the
exponential map, so their length is one without a constraint).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.errors import InputError


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Second-order implicit integration of the constrained equations, with or without error control.

    rho_inf : spectral radius at infinite frequency, 0 (all high frequencies die at once) to 1 (nothing is
    dissipated). step : fixed time step, s; None chooses steps by the error. rtol : with error control, the error of
    positions that each step may add, relative to the distance that each body travels (and that its deformation
    travels) in the step at top speed. max_step, min_step : bounds of the chosen step, s. newton_rtol : Newton's
    iteration stops at this error of the accelerations, relative to those that occur.

    index : 2 satisfies the constraints of positions and of velocities in every step (the stabilized index-2 form:
    positions are moved in the range of ``M^-1 G^T``); positions, velocities and multipliers converge with order 2,
    at fixed and at varying steps. 3 satisfies those of positions only; it needs a fixed step, because it answers
    each change of the step with an oscillation of the multipliers that grows as steps shrink.
    """

    rho_inf: float = 0.8
    step: float | None = None
    rtol: float = 1e-4
    max_step: float | None = None
    min_step: float | None = None
    newton_rtol: float = 1e-9
    max_iterations: int = 12
    index: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.rho_inf <= 1:
            raise InputError(f"GeneralizedAlpha: rho_inf is {self.rho_inf}; it lies between 0 and 1")
        for what in ("step", "rtol", "max_step", "min_step", "newton_rtol"):
            value = getattr(self, what)
            if value is not None and not (np.isfinite(value) and value > 0):
                raise InputError(f"GeneralizedAlpha: {what} is {value}; it must be above zero")

        if self.index not in (2, 3):
            raise InputError(f"GeneralizedAlpha: index is {self.index}; it is 2 (stabilized) or 3")

    def coefficients(self) -> np.ndarray:
        """Return (alpha_m, alpha_f, beta, gamma, position error constant)."""
        rho = self.rho_inf
        alpha_m = (2 * rho - 1) / (rho + 1)
        alpha_f = rho / (rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        beta = 0.25 * (gamma + 0.5) ** 2
        error = abs(beta + 0.5 * (alpha_m - alpha_f) - 1 / 6)
        return np.array([alpha_m, alpha_f, beta, gamma, error])
