"""A warning of energy that the time integration has taken out of a run, or put into it."""

from __future__ import annotations

import numpy as np

from fem.common.errors import percent, warn

from ..results.energy import Energy

#: A larger residual of the energy balance, relative to the largest energy of the run, gives a warning: of methods that
#: damp what they do not resolve, and of those without damping.
LARGEST_LOSS, LARGEST_ERROR = 0.05, 0.02


def warn_of_lost_energy(t: np.ndarray, energy: Energy, damps: bool) -> None:
    """Warn if the residual of the energy balance is not small.

    It is small below :data:`LARGEST_LOSS` or :data:`LARGEST_ERROR` of the largest of the energy stored in motion and
    deformation, the energy put in, and the energy dissipated. Potential energy counts as far as it becomes one of
    these.

    Parameters
    ----------
    t : numpy.ndarray
        Times, (nt,), s.
    energy : Energy
        The energies at these times, J.
    damps : bool
        Whether the method damps vibrations that its steps do not resolve.
    """
    if not energy.balance_error > 0.0:  # within round-off
        return
    stored = energy.kinetic + energy.strain
    largest = max(float(np.abs(part).max()) for part in (stored, energy.input, energy.dissipated))
    residual, permitted = np.abs(energy.residual), LARGEST_LOSS if damps else LARGEST_ERROR
    beyond = np.flatnonzero(residual > permitted * largest)
    if not beyond.size:
        return
    most = int(np.argmax(residual))
    what = "lost" if energy.residual[most] < 0 else "added"
    share, first = residual[most] / largest, t[beyond[0]]
    why = (
        "it damps vibrations that its steps do not resolve. If they matter, resolve them with "
        "integrator=fb.GeneralizedAlpha(vibrations=0), a smaller rtol or a smaller max_step"
        if damps
        else "the motion is wrong from there on. Near a singular position, where constraints lose rank, it may have "
        "taken another branch; take fb.GeneralizedAlpha(), which passes them, a smaller rtol or a smaller step"
    )
    warn(
        f"the time integration has {what} {residual[most]:.3g} J by t = {t[most]:.6g} s, {percent(share)} of the "
        f"largest energy of the run ({percent(permitted)} by t = {first:.6g} s): {why}; result.energy.residual shows "
        "it over time"
    )
