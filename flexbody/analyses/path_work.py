"""The work along a path: integrals of powers that jump where functions of time have corners.

The powers at the outputs give a first value between two of them. Where it contradicts the energies there, or something
is dissipated, more states between both are looked at: adaptive Simpson's formula (J. N. Lyness, J. ACM 16 (1969) 483).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy

from ..core.kinds import DISSIPATED, INPUT
from ..functions.pieces import AT_CORNER

#: By how much dissipated and input energy may be off at the end, relative to the largest energy or work.
WORK_TOLERANCE = 1e-6
#: Round-off of the energy of a state, over its largest part.
ENERGY_ROUND_OFF = 64 * float(np.finfo(float).eps)
#: So often a part is halved at most.
MAX_HALVINGS = 8
#: Rates that are found by differences do not fit the energies exactly. What both halves miss at least by this part of
#: what the whole does, twice in succession, while the integrals agree, is such an error.
SPREAD, IN_VAIN = 0.2, 2


class Path(Protocol):
    """What is asked of a path."""

    #: the states before and behind each corner that it has passed
    breaks: list[tuple[Any, Any]]

    def at(self, t: float) -> Any:
        """Return the state at a time (s)."""

    def loads(self, s: Any, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return multipliers, energies (3,) and dissipated and input power (2,) with states z of force laws."""


class _Allowed(NamedTuple):
    """What an integral may be off by: a power, W, and round-off, J."""

    power: float
    rest: float

    def within(self, dt: float) -> float:
        """Return by how much an integral over a time (s) may be off, J."""
        return self.power * dt + self.rest


class _Place(NamedTuple):
    """Time, s, energy, J, and dissipated and input power (2,), W."""

    t: float
    energy: float
    power: np.ndarray


@dataclass(frozen=True)
class PathWork:
    """The work along a path.

    Parameters
    ----------
    path : Path
        The path.
    law_states : callable
        Function of time (s) that returns the states of force laws, (nz,).
    """

    path: Path
    law_states: Callable[[float], np.ndarray]

    def along(self, t: np.ndarray, power: np.ndarray, energy: np.ndarray) -> np.ndarray:
        """Return the dissipated and input energy (nt, 2) at the times t (nt,).

        ``power`` (nt, 2) and ``energy`` (nt, 3) are the powers and energies there.

        The powers jump at corners of functions of time; where rates jump, the kinetic energy jumps by the work of
        impulses.
        """
        work, done, k, totals = np.zeros_like(power), np.zeros(2), 0, energy.sum(axis=1)
        x, y, e = list[float](), list[np.ndarray](), list[float]()
        power_allowed = WORK_TOLERANCE * self._size(t, power, totals) / max(t[-1] - t[0], 1e-300)
        allowed = _Allowed(power_allowed, ENERGY_ROUND_OFF * float(np.abs(energy).max()))
        for before, behind in [pair for pair in self.path.breaks if pair[0].t < t[-1]]:
            end = int(np.searchsorted(t, before.t * (1 + AT_CORNER)))
            z = self.law_states(before.t)
            (_, old, power_before), (_, new, power_behind) = (self.path.loads(s, z) for s in (before, behind))
            there = (
                [*x, *t[k:end], before.t],
                [*y, *power[k:end], power_before],
                [*e, *totals[k:end], old.sum()],
            )
            whole = self._integral(*there, allowed)
            work[k:end] = done + whole[len(x) : -1]
            done = done + whole[-1]
            done[INPUT] += new[0] - old[0]
            x, y, e, k = [behind.t], [power_behind], [new.sum()], end
        work[k:] = done + self._integral([*x, *t[k:]], [*y, *power[k:]], [*e, *totals[k:]], allowed)[len(x) :]
        return work

    @staticmethod
    def _size(t: np.ndarray, power: np.ndarray, totals: np.ndarray) -> float:
        """Return the largest change of the energy, or the largest work, J."""
        work = scipy.integrate.cumulative_trapezoid(power, x=t, axis=0, initial=0.0)
        return float(max(np.ptp(totals), np.abs(work).max()))

    def _integral(
        self, x: list[float], y: list[np.ndarray], energies: list[float], allowed: _Allowed
    ) -> np.ndarray:
        """Return the integrals (n, 2) of the powers y (n, 2) from the first to each x (n,), in which nothing jumps.

        Both, and the balance with the energies (n,), may be off by what is allowed.
        """
        parts = np.diff(_simpson(x, y), axis=0)
        for k, (a, b) in enumerate(pairwise(x)):
            if not b > a * (1 + AT_CORNER):
                continue
            one, other = _Place(a, energies[k], y[k]), _Place(b, energies[k + 1], y[k + 1])
            lost = one.power[DISSIPATED] != 0.0 or other.power[DISSIPATED] != 0.0
            if lost or _miss(parts[k], one, other) > allowed.within(b - a):
                middle = self._look(0.5 * (a + b))
                found = _through(one, middle, other)
                off = max(np.abs(found - parts[k]).max(), _miss(found, one, other))
                parts[k] = (
                    found
                    if off <= allowed.within(b - a)
                    else self._halved(one, middle, other, found, allowed)
                )
        return np.vstack([np.zeros(2), np.cumsum(parts, axis=0)])

    def _halved(
        self,
        one: _Place,
        middle: _Place,
        other: _Place,
        before: np.ndarray,
        allowed: _Allowed,
        halvings: int = 0,
        in_vain: int = 0,
    ) -> np.ndarray:
        """Return the integral of the powers (2,) between two places, ``before`` is that of a parabola."""
        first, second = self._look(0.5 * (one.t + middle.t)), self._look(0.5 * (middle.t + other.t))
        left, right = _through(one, first, middle), _through(middle, second, other)
        change = (left + right - before) / 15
        found = left + right + change
        missed, may = _miss(found, one, other), allowed.within(other.t - one.t)
        in_vain = (
            in_vain + 1
            if np.abs(change).max() <= may
            and min(_miss(left, one, middle), _miss(right, middle, other)) > SPREAD * missed
            else 0
        )
        if max(np.abs(change).max(), missed) <= may or halvings == MAX_HALVINGS or in_vain == IN_VAIN:
            return found
        more = allowed, halvings + 1, in_vain
        return self._halved(one, first, middle, left, *more) + self._halved(
            middle, second, other, right, *more
        )

    def _look(self, t: float) -> _Place:
        """Return the place at a time, s."""
        _, energy, power = self.path.loads(self.path.at(t), self.law_states(t))
        return _Place(t, float(energy.sum()), power)


def _through(one: _Place, middle: _Place, other: _Place) -> np.ndarray:
    """Return the integrals (2,) of the parabolas through the powers at three places."""
    return (other.t - one.t) / 6 * (one.power + 4 * middle.power + other.power)


def _miss(work: np.ndarray, one: _Place, other: _Place) -> float:
    """Return by how much the change of energy between two places is not that by dissipated and input energy (2,)."""
    return abs(float(work[INPUT] - work[DISSIPATED]) - (other.energy - one.energy))


def _simpson(x: list[float], y: list[np.ndarray]) -> np.ndarray:
    """Return the integrals (n, 2) of y (n, 2) from the first to each x (n,), of which the last two may be equal."""
    if len(x) > 1 and not x[-1] > x[-2] * (1 + AT_CORNER):
        shorter = _simpson(x[:-1], y[:-1])
        return np.vstack([shorter, shorter[-1]])
    if len(x) > 2:
        return scipy.integrate.cumulative_simpson(np.array(y), x=np.array(x), axis=0, initial=0.0)
    return scipy.integrate.cumulative_trapezoid(np.array(y), x=np.array(x), axis=0, initial=0.0)
