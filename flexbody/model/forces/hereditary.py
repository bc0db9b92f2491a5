"""Hereditary materials: a relaxation function of any form as a sum of decaying exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.numbers import floats
from fem.common.values import Positive

from .passive_laws import SpringTable, ViscoElastic

#: Where the kernel is below this part of its largest value, errors are relative to this.
SMALL_VALUE = 1e-3
#: Times per decade at which a function is fitted, and at which the error is found.
FITTED, CHECKED = 12, 120
MAX_BRANCHES = 16


class _Series(NamedTuple):
    """``g_0 + sum_i g_i exp(-s / tau_i)``: g (n + 1,), tau (n,), s."""

    g: np.ndarray
    tau: np.ndarray

    def values(self, s: np.ndarray) -> np.ndarray:
        """Return the values at times s (m,), s."""
        G: np.ndarray = _basis(s, self.tau) @ self.g
        return G


def _basis(s: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return 1 and the exponentials at times s (m,), (m, n + 1)."""
    return np.column_stack([np.ones(len(s)), np.exp(-s[:, None] / tau)])


@check_arguments
def hereditary(
    kernel: Callable[[float], float] | ArrayLike,
    times: ArrayLike,
    *,
    tolerance: Annotated[float, Positive] = 1e-3,
    response: SpringTable | None = None,
) -> ViscoElastic:
    """Return the law ``F(t) = integral of G(t - tau) dx(tau)`` with a relaxation function G of any form, Sol (3.4.3).

    Parameters
    ----------
    kernel : callable or array_like
        The relaxation function ``G(s)``, N/m (Nm/rad): the force at time s after a sudden unit deformation that stays.
        Or measured values of it, (n,), at ``times``. With ``response`` it has no unit.
    times : array_like
        Of a function the shortest and the longest time that matter, (2,), s: about the steps of the motion, and the
        length of the run. Otherwise the increasing times of the values, (n,).
    tolerance : float, optional
        Largest permitted error of G at these times, relative to G (where it is small, to a thousandth of its largest
        value). The error of the force is at most the error of G times the total variation of the deformation.
    response : SpringTable or SmoothSpringTable, optional
        The elastic response e(x), N: ``F(t) = integral of G(t - tau) de(x(tau))``, Fung's quasi-linear law.

    Returns
    -------
    ViscoElastic
        The law as a sum of exponentials, with as few as the tolerance permits; ``law.relaxation(s)`` gives G(s).

    Raises
    ------
    fem.InputError
        For a function that no such sum follows: one that increases or oscillates. Its force would give work for nothing
        in some motion.

    Notes
    -----
    ``G = g_0 + sum g_i exp(-s / tau_i)`` turns the integral into one state for each exponential: all integrators,
    equilibria and linearised machines know it, and results store it. All g_i are positive, so that the law can't give
    more work than it took; by Bernstein's theorem each completely monotone function is a limit of such sums. Number,
    factors and times follow from a nonlinear least-squares fit. At times shorter than the shortest one, the force is
    that of the sum; after the longest it relaxes no more than the sum does.

    References
    ----------
    Y. C. Fung, Stress-strain-history relations of soft tissues in simple elongation, in Biomechanics: its foundations
    and objectives (1972). G. Beylkin, L. Monzon, Appl. Comput. Harmon. Anal. 28 (2010) 131.

    Examples
    --------
    Rubber that relaxes with a power of the time, from a millisecond to ten seconds:

    >>> import flexbody as fb
    >>> law = fb.hereditary(lambda s: 2e4 * s**-0.2, times=(1e-3, 10.0))
    >>> len(law.branches)
    7
    >>> round(float(law.relaxation(0.5)) / (2e4 * 0.5**-0.2), 2)
    1.0
    """
    s, G, fine, exact = _samples(kernel, times)
    best: _Series | None = None
    least, place = np.inf, 0.0
    for n in range(1, min(MAX_BRANCHES, (len(s) - 1) // 2) + 1):
        series = _fitted(s, G, n)
        errors = np.abs(series.values(fine) - exact) / _sizes(exact)
        if errors.max() < least:
            best, least, place = series, float(errors.max()), float(fine[np.argmax(errors)])
        if least <= tolerance:
            break
    if best is None or least > tolerance:
        raise InputError(
            f"kernel: no sum of up to {MAX_BRANCHES} decaying exponentials follows it to {tolerance:g}; the best one "
            f"has the error {least:.3g} at s = {place:.4g} s. A relaxation function decreases, ever more slowly, and "
            "does not oscillate. Give a larger tolerance=, or times= closer together"
        )
    g, tau = best
    kept = np.flatnonzero(g[1:] > 1e-9 * np.abs(G).max())
    if not kept.size:
        raise InputError(f"kernel: it is constant, {g[0]:g}; give a Linear spring or a SpringTable")
    branches = [(float(g[1 + i]), float(tau[i])) for i in kept[np.argsort(tau[kept])]]
    stays = float(g[0]) if g[0] > 1e-9 * np.abs(G).max() else 0.0
    return ViscoElastic(stays, branches, response=response)


def _samples(
    kernel: Callable[[float], float] | ArrayLike, times: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return times and values of the kernel to fit, then those to find the error at."""
    s = floats(times)
    if (
        s is None
        or s.ndim != 1
        or s.size < 2
        or not np.isfinite(s).all()
        or not (np.diff(s) > 0).all()
        or s[0] < 0
    ):
        raise InputError(f"times: it is {times!r}; give increasing numbers (s), not below zero")
    if not callable(kernel):
        G = floats(kernel)
        if G is None or G.shape != s.shape or s.size < 5 or not np.isfinite(G).all():
            raise InputError(f"kernel: give one finite number for each of the {s.size} times, five at least")
        return s, G, s, G
    if s.size != 2 or s[0] <= 0:
        raise InputError(
            f"times: it is {times!r}; give the shortest and the longest time of a function, above zero"
        )
    decades = float(np.log10(s[1] / s[0]))
    grids = [
        np.geomspace(s[0], s[1], max(int(np.ceil(per * decades)), 2 * per) + 1) for per in (FITTED, CHECKED)
    ]
    at_zero = _value(kernel, 0.0)
    if at_zero is not None:
        grids = [np.concatenate([[0.0], grid]) for grid in grids]
    values = []
    for grid in grids:
        G = np.array([np.nan if (one := _value(kernel, float(x))) is None else one for x in grid])
        if not np.isfinite(G).all():
            place = grid[np.argmin(np.isfinite(G))]
            raise InputError(f"kernel: it gives no finite number at s = {place:.6g} s")
        values.append(G)
    return grids[0], values[0], grids[1], values[1]


def _value(kernel: Callable[[float], float], s: float) -> float | None:
    """Return the value of a kernel, None if it has no finite one."""
    try:
        with np.errstate(all="ignore"):
            value = float(kernel(s))
    except (ArithmeticError, TypeError, ValueError):
        return None
    return value if np.isfinite(value) else None


def _sizes(G: np.ndarray) -> np.ndarray:
    """Return what errors of G are relative to."""
    out: np.ndarray = np.maximum(np.abs(G), max(SMALL_VALUE * float(np.abs(G).max()), np.finfo(float).tiny))
    return out


def _fitted(s: np.ndarray, G: np.ndarray, n: int) -> _Series:
    """Return n exponentials with positive factors that are nearest to G (m,) at times s (m,), in least squares."""
    w, scale = 1 / _sizes(G), max(float(np.abs(G).max()), np.finfo(float).tiny)
    first, last = np.log(s[s > 0][[0, -1]])
    places = np.linspace(first, last, n + 2)[1:-1]
    factors, _ = scipy.optimize.nnls(_basis(s, np.exp(places)) * w[:, None], G * w)

    def errors(p: np.ndarray) -> np.ndarray:
        out: np.ndarray = (scale * _basis(s, np.exp(p[n + 1 :])) @ p[: n + 1] - G) * w
        return out

    def slopes(p: np.ndarray) -> np.ndarray:
        tau = np.exp(p[n + 1 :])
        basis = _basis(s, tau)
        by_place = basis[:, 1:] * p[1 : n + 1] * s[:, None] / tau
        return np.asarray(scale * np.hstack([basis, by_place]) * w[:, None])

    start = np.concatenate([np.maximum(factors / scale, 1e-6), places])
    lower = np.concatenate([np.zeros(n + 1), np.full(n, first - np.log(10))])
    upper = np.concatenate([np.full(n + 1, np.inf), np.full(n, last + np.log(10))])
    found = scipy.optimize.least_squares(
        errors, start, slopes, (lower, upper), x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-14, max_nfev=300
    ).x
    return _Series(scale * found[: n + 1], np.exp(found[n + 1 :]))
