"""One integration step of the positions of a machine that rolls, whose constraints determine only its velocities.

E. J. Sol (1983), 8.3: with nonholonomic constraints positions follow from the velocities, ``G(x, t) v = -Phi_t``, by
integration. The method is the pair 5(4) of J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

#: of Euler parameters: rates of q are half of q times (0, omega), Koppens (2.47)
Rates = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


def rolled(
    velocities: Rates, t: float, c: np.ndarray, q: np.ndarray, v: np.ndarray, h: float, length: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return positions and Euler parameters after one step, and the error of the step.

    Parameters
    ----------
    velocities : callable
        Function ``(t, c, q) -> v`` (6 nb,).
    t : float
        Time at the start of the step, s.
    c, q : numpy.ndarray
        Positions (nb, 3), m, and Euler parameters (nb, 4) at the start.
    v : numpy.ndarray
        Generalized velocities at the start, (6 nb,).
    h : float
        Time step, s.
    length : float
        Length to which the errors of positions are related, m.

    Returns
    -------
    c, q : numpy.ndarray
        Positions and Euler parameters at the end of the step.
    error : float
        Largest error of positions over ``length`` and of angles over one radian.
    """
    nb, table = len(c), scipy.integrate.RK45
    y, stages = np.concatenate([c.ravel(), q.ravel()]), [_rates(q, v)]
    for part, weights in zip(table.C[1:], table.A[1:], strict=True):
        stage = y + h * (weights[: len(stages)] @ np.array(stages))
        stages.append(_at(velocities, t + part * h, stage, nb))
    new = y + h * (table.B @ np.array(stages))
    stages.append(_at(velocities, t + h, new, nb))
    error = np.abs(h * (table.E @ np.array(stages)))
    places, turned = new[: 3 * nb].reshape(nb, 3), _unit(new[3 * nb :].reshape(nb, 4))
    return places, turned, float(max(error[: 3 * nb].max() / length, 2 * error[3 * nb :].max()))


def longer(error: float) -> float:
    """Return the factor for the next time step from the ratio of error and tolerance."""
    return float(np.clip(0.9 * max(error, 1e-10) ** -0.2, 0.2, 4.0))


def _at(velocities: Rates, t: float, y: np.ndarray, nb: int) -> np.ndarray:
    q = y[3 * nb :].reshape(nb, 4)
    return _rates(q, velocities(t, y[: 3 * nb].reshape(nb, 3), _unit(q)))


def _unit(q: np.ndarray) -> np.ndarray:
    return q / np.linalg.norm(q, axis=1)[:, None]


def _rates(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    motion = v.reshape(-1, 6)
    w = motion[:, 3:]
    scalar = -0.5 * np.einsum("bi,bi->b", q[:, 1:], w)
    others = 0.5 * (q[:, :1] * w + np.cross(q[:, 1:], w))
    return np.concatenate([motion[:, :3].ravel(), np.column_stack([scalar, others]).ravel()])
