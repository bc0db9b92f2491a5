"""A warning of energy that the time integration has taken out of a run, or put into it."""

from __future__ import annotations

import numpy as np

from fem.common.errors import percent, warn

from ..results.energy import Energy

#: a larger residual of the energy balance, relative to the largest energy of the run, gives a warning
LARGEST_LOSS = 0.05


def warn_of_lost_energy(t: np.ndarray, energy: Energy) -> None:
    """Warn if the residual of the energy balance is not small.

    It is small below :data:`LARGEST_LOSS` of the largest of the energy stored in motion and deformation, the energy put
    in, and the energy dissipated. Potential energy counts as far as it becomes one of these.

    Parameters
    ----------
    t : numpy.ndarray
        Times, (nt,), s.
    energy : Energy
        The energies at these times, J.
    """
    if not energy.balance_error > 0.0:  # within round-off
        return
    stored = energy.kinetic + energy.strain
    largest = max(float(np.abs(part).max()) for part in (stored, energy.input, energy.dissipated))
    residual = np.abs(energy.residual)
    beyond = np.flatnonzero(residual > LARGEST_LOSS * largest)
    if not beyond.size:
        return
    most = int(np.argmax(residual))
    what = "lost" if energy.residual[most] < 0 else "added"
    share, first = residual[most] / largest, t[beyond[0]]
    warn(
        f"the time integration has {what} {residual[most]:.3g} J by t = {t[most]:.6g} s, {percent(share)} of the "
        f"largest energy of the run ({percent(LARGEST_LOSS)} by t = {first:.6g} s): it damps vibrations that its steps "
        "do not resolve. If they matter, resolve them with integrator=fb.GeneralizedAlpha(vibrations=0), a smaller "
        "rtol or a smaller max_step; result.energy.residual shows the loss over time"
    )
