"""Exact frequencies of a rotating Euler-Bernoulli cantilever by power series: an independent program.

With lengths over L, mu = omega sqrt(rho A L^4 / EI), eta = Omega sqrt(rho A L^4 / EI), delta = hub radius / L, and s
from the tip inwards, the centrifugal tension is eta^2 tau, tau = (1 + delta) s - s^2 / 2, and flapping obeys

    v'''' - eta^2 (tau v')' - mu^2 v = 0,   v'' = v''' = 0 at the tip (s = 0),   v = v' = 0 at the root (s = 1).

v = sum a_k s^k gives a_(k+4) from a_(k+1) and a_k; a_0 and a_1 are free, and the root's conditions give a determinant
whose zeros are the frequencies. Lagging differs by the centrifugal force of the deflection: mu_lag^2 = mu_flap^2 -
eta^2. Sums are exact fractions' floats in 50 digits, so that nothing cancels.
"""

from __future__ import annotations

import functools
from decimal import Decimal, localcontext

import numpy as np
from scipy.optimize import brentq

TERMS = 120


def determinant(mu: float, eta: float, delta: float) -> float:
    """Return the determinant of v, v' at the root for the two solutions that leave the tip free."""
    with localcontext() as context:
        context.prec = 40
        m2, e2, reach = Decimal(mu) ** 2, Decimal(eta) ** 2, 1 + Decimal(delta)
        ends = []
        for first in (0, 1):
            a = [Decimal(0)] * (TERMS + 4)
            a[first] = Decimal(1)
            for k in range(TERMS):
                pull = reach * (k + 1) ** 2 * a[k + 1] - Decimal(k * (k + 1)) / 2 * a[k]
                a[k + 4] = (e2 * pull + m2 * a[k]) / ((k + 4) * (k + 3) * (k + 2) * (k + 1))
            ends.append((sum(a), sum(k * x for k, x in enumerate(a))))
        (v0, d0), (v1, d1) = ends
        value = v0 * d1 - v1 * d0
        # scaled, so that it fits a float
        return float(value / (abs(v0 * d1) + abs(v1 * d0)))


@functools.cache
def flap(eta: float, delta: float = 0.0, n: int = 2) -> np.ndarray:
    """Return the first ``n`` flap frequencies mu, (n,), to 1e-10."""
    found: list[float] = []
    step, mu = 0.5, max(eta, 0.3)  # flap frequencies lie above the rate
    here = determinant(mu, eta, delta)
    while len(found) < n:
        there = determinant(mu + step, eta, delta)
        if here * there < 0:
            found.append(float(brentq(determinant, mu, mu + step, args=(eta, delta), xtol=1e-11)))
        mu, here = mu + step, there
    return np.array(found)


def lag(eta: float, delta: float = 0.0, n: int = 2) -> np.ndarray:
    """Return the first ``n`` lag frequencies mu, (n,)."""
    return np.sqrt(flap(eta, delta, n) ** 2 - eta**2)
