"""The work along a path: integrals of powers that jump where functions of time have corners."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy

from ..core.kinds import INPUT
from ..functions.pieces import AT_CORNER


class Path(Protocol):
    """What is asked of a path."""

    #: the states before and behind each corner that it has passed
    breaks: list[tuple[Any, Any]]

    def loads(self, s: Any, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return multipliers, energies (3,) and dissipated and input power (2,) with states z of force laws."""


def path_work(path: Path, t: np.ndarray, power: np.ndarray, of_laws: np.ndarray) -> np.ndarray:
    """Return the dissipated and input energy (nt, 2) at the times t (nt,), from the powers (nt, 2) there.

    The powers jump at corners of functions of time; where rates jump, the kinetic energy jumps by the work of impulses.
    """
    work, done, k = np.zeros_like(power), np.zeros(2), 0
    x, y = list[float](), list[np.ndarray]()
    for before, behind in [pair for pair in path.breaks if pair[0].t < t[-1]]:
        end = int(np.searchsorted(t, before.t * (1 + AT_CORNER)))
        _, old, power_before = path.loads(before, of_laws[end - 1])
        _, new, power_behind = path.loads(behind, of_laws[end - 1])
        whole = _integral([*x, *t[k:end], before.t], [*y, *power[k:end], power_before])
        work[k:end] = done + whole[len(x) : -1]
        done = done + whole[-1]
        done[INPUT] += new[0] - old[0]
        x, y, k = [behind.t], [power_behind], end
    work[k:] = done + _integral([*x, *t[k:]], [*y, *power[k:]])[len(x) :]
    return work


def _integral(x: list[float], y: list[np.ndarray]) -> np.ndarray:
    """Return the integrals (n, 2) of y (n, 2) from the first to each x (n,), of which the last two may be equal."""
    if len(x) > 1 and not x[-1] > x[-2] * (1 + AT_CORNER):
        shorter = _integral(x[:-1], y[:-1])
        return np.vstack([shorter, shorter[-1]])
    if len(x) > 2:
        return scipy.integrate.cumulative_simpson(np.array(y), x=np.array(x), axis=0, initial=0.0)
    return scipy.integrate.cumulative_trapezoid(np.array(y), x=np.array(x), axis=0, initial=0.0)
