"""The integral of a user's rate: the value of a drive whose rate is given as a function of time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from fem.common.errors import InputError

#: Values of the rate in a piece, of which the last few coefficients show the error.
VALUES, COEFFICIENTS_COMPARED = 16, 3
#: A piece is halved until its error is this part of the integral of the largest rate.
INTEGRATION_ERROR = 1e-15
#: A piece is not shorter than this part of the time: it holds a jump of the rate.
PIECE_LIMIT = 1e-14
#: Most calls of the rate for one integral.
CALL_LIMIT = 1_000_000

_PLACES = np.cos(np.pi * (np.arange(VALUES) + 0.5) / VALUES)
#: Coefficients of the Chebyshev polynomials through values at these places.
_TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_PLACES, VALUES - 1))


class Piece(NamedTuple):
    """The integral from the begin of a piece of the time.

    Parameters
    ----------
    begin, end : float
        The piece, s.
    value : float
        Integral from 0 to its begin.
    coefficients : list of float
        Chebyshev coefficients of the integral from its begin, in the time from -1 to 1.
    """

    begin: float
    end: float
    value: float
    coefficients: list[float]

    def at(self, t: float) -> float:
        """Return the integral from 0 to ``t``, s, by Clenshaw's recurrence."""
        x = 2.0 * (t - self.begin) / (self.end - self.begin) - 1.0
        one = two = 0.0
        for c in self.coefficients[:0:-1]:
            one, two = c + 2.0 * x * one - two, one
        return self.value + (self.coefficients[0] + x * one - two)


class Antiderivative:
    """The integral of a function of time from 0 on, to round-off.

    Parameters
    ----------
    rate : callable
        Function of time (s). It may have corners and jumps.
    what : str
        Name of what it is the rate of, for messages.

    Notes
    -----
    The time is divided into pieces in which a polynomial of degree 15 is the rate to round-off. Pieces are made when a
    later time than all before is asked for.
    """

    def __init__(self, rate: Callable[[float], float], what: str) -> None:
        self.rate, self.what = rate, what
        self._pieces: list[Piece] = []
        self._ends: list[float] = []

    def __repr__(self) -> str:
        return f"<integral of {self.rate!r}>"

    def __call__(self, t: float) -> float:
        """Return the integral from 0 to ``t``, s; that of a negative time is minus that of its positive one."""
        if t <= 0.0:
            return 0.0 if t == 0.0 else -self(-t)
        if not self._ends or t > self._ends[-1]:
            self._extend(t)
        return self._pieces[bisect_left(self._ends, t)].at(t)

    def _extend(self, end: float) -> None:
        """Append pieces up to ``end``, s."""
        pieces = list(self._pieces)
        reach, begin = end, pieces[-1].end if pieces else 0.0
        value = pieces[-1].at(begin) if pieces else 0.0
        waiting, calls, largest = [(begin, end)], 0, 0.0
        while waiting:
            begin, end = waiting.pop()
            half = 0.5 * (end - begin)
            values = np.array([float(self.rate(begin + half * (1.0 + x))) for x in _PLACES])
            calls += VALUES
            if calls > CALL_LIMIT:
                raise InputError(
                    f"{self.what}: rate= changes too often to be integrated: {CALL_LIMIT} values do not suffice beyond "
                    f"t = {begin:.6g} s; give value=, the coordinate itself"
                )
            largest = max(largest, float(np.abs(values).max()))
            c = _TO_COEFFICIENTS @ values
            error = half * float(np.abs(c[-COEFFICIENTS_COMPARED:]).max())
            if error > INTEGRATION_ERROR * largest * reach and half > PIECE_LIMIT * end:
                middle = begin + half
                waiting += [(middle, end), (begin, middle)]
                continue
            integral = half * chebyshev.chebint(c, lbnd=-1)
            pieces.append(Piece(begin, end, value, integral.tolist()))
            value = pieces[-1].at(end)
        self._ends, self._pieces = [piece.end for piece in pieces], pieces
