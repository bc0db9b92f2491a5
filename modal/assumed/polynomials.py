"""Analytic functions of one coordinate for assumed modes, with their derivatives; Koppens 3.2.

A function is given over s in [0, length] (m), or over the natural coordinate xi = 2 s / length - 1 in [-1, 1] when
wrapped in :class:`Natural`. It may be a numpy polynomial, a sympy expression of one symbol, or a tuple (f, f', f'') of
functions of arrays, since exact derivatives are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import numpy as np
import scipy
from numpy.polynomial import Legendre, Polynomial

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.numbers import floats, is_count, shown
from fem.common.values import Count, Rule

from ..body.inertia import FloatArray, modal_mass
from ..reduction.frames import Field

Function = Callable[[FloatArray], FloatArray]

#: points of integration at most, those of the comparison included
MAX_POINTS = 1024
#: half-waves along a beam or plate at most
MAX_WAVES = 100_000


def is_function(value: Any) -> bool:
    """Return whether a value is a function in one of the forms of this module, :class:`Natural` left out."""
    parts = value if isinstance(value, tuple | list) and value else (value,)
    return all(callable(part) or hasattr(part, "free_symbols") for part in parts)


_FUNCTION = Rule("a polynomial of numpy, an expression of sympy, or functions", "functions", is_function)


@check_arguments
@dataclass(frozen=True)
class Natural:
    """A function of the natural coordinate xi = 2 s / length - 1 in [-1, 1].

    Parameters
    ----------
    function : numpy polynomial, sympy expression or tuple of callables
        The function; a tuple holds it and its derivatives by xi.

    Examples
    --------
    >>> import numpy as np, modal
    >>> modal.assumed.Natural(np.polynomial.Polynomial([0.0, 1.0])).function(np.array([0.5]))
    array([0.5])
    """

    function: Annotated[Any, _FUNCTION]


@check_arguments
def quintic() -> tuple[Natural, ...]:
    """Return Koppens' base functions (3.7)-(3.10): Legendre polynomials of degree 2 to 5.

    They are 1 at xi = 1, orthogonal, and meet the mean-displacement conditions of a uniform beam.

    Returns
    -------
    tuple of Natural
        Four functions.

    Examples
    --------
    >>> import modal
    >>> [float(f.function(1.0)) for f in modal.assumed.quintic()]
    [1.0, 1.0, 1.0, 1.0]
    """
    return tuple(Natural(Legendre.basis(k).convert(kind=Polynomial)) for k in (2, 3, 4, 5))


@check_arguments
def sines(n: Annotated[int, Count]) -> tuple[Natural, ...]:
    """Return sin(k pi s / length), k = 1..n: the modes of a uniform beam with pinned ends.

    Parameters
    ----------
    n : int
        Number of functions.

    Returns
    -------
    tuple of Natural
        The functions with two derivatives.

    Examples
    --------
    >>> import modal
    >>> len(modal.assumed.sines(3))
    3
    """

    def sine(k: int) -> Natural:
        wave = 0.5 * k * np.pi
        return Natural(
            (
                lambda xi: np.sin(wave * (xi + 1)),
                lambda xi: wave * np.cos(wave * (xi + 1)),
                lambda xi: -(wave**2) * np.sin(wave * (xi + 1)),
            )
        )

    _check_waves(n)
    return tuple(sine(k) for k in range(1, n + 1))


def _check_waves(n: int) -> None:
    if n > MAX_WAVES:
        raise InputError(
            f"n = {n}: so many half-waves are shorter than a beam is thick; give at most {MAX_WAVES}"
        )


class End(Enum):
    """Support of a beam's end: the orders of the derivatives of its deflection that vanish there.

    ``FREE`` (2, 3), ``PINNED`` (0, 2), ``CLAMPED`` (0, 1), ``GUIDED`` (1, 3).

    Examples
    --------
    >>> import modal
    >>> modal.assumed.End.CLAMPED.value  # deflection and slope vanish
    (0, 1)
    """

    FREE = (2, 3)
    PINNED = (0, 2)
    CLAMPED = (0, 1)
    GUIDED = (1, 3)


@check_arguments(own=("start", "end", "n"))
def beam_modes(n: int, start: End, end: End) -> tuple[Natural, ...]:
    """Return the ``n`` lowest modes of a uniform beam with given ends, of unit mean square.

    The rigid motions that the ends allow come first, as products for plates need them. A mode is a sum of cosine,
    sine and exponentials that decay from either end, which does not lose digits at high frequencies.

    Parameters
    ----------
    n : int
        Number of modes.
    start, end : End
        Supports of both ends.

    Returns
    -------
    tuple of Natural
        The modes with two derivatives.

    Raises
    ------
    InputError
        An end is not an :class:`End`, or ``n`` is not a positive whole number.

    Examples
    --------
    >>> import modal
    >>> free = modal.assumed.End.FREE
    >>> len(modal.assumed.beam_modes(4, modal.assumed.End.CLAMPED, free))
    4
    """
    if not all(isinstance(support, End) for support in (start, end)):
        raise InputError(f"the ends are {start!r} and {end!r}; give End.FREE, PINNED, CLAMPED or GUIDED")
    if not is_count(n):
        raise InputError(f"n = {n!r} is not a number of modes; give a whole number from 1")
    _check_waves(n)
    rigid = [
        Polynomial(c)
        for c in ([1.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 1.0])
        if all(
            abs(Polynomial(c).deriv(k)(x)) < 1e-12 for x, e in ((-1.0, start), (1.0, end)) for k in e.value
        )
    ]
    # two of 1, xi, xi + 1 and xi - 1 span the rigid motions that the ends allow
    found = [Natural(f / np.sqrt((f**2).integ()(1.0) / 2 - (f**2).integ()(-1.0) / 2)) for f in rigid[:2]]
    beta, step = 0.3, 0.1
    while len(found) < n:
        if _held(beta, start, end) * _held(beta + step, start, end) < 0:
            found.append(
                _mode(scipy.optimize.brentq(_held, beta, beta + step, (start, end), 1e-14), start, end)
            )
        beta += step
    return tuple(found[:n])


def _terms(beta: float, x: FloatArray, order: int) -> FloatArray:
    """Return the derivative of cos, sin and two exponentials over beta^order at x in [0, 1], (., 4)."""
    turn = 0.5 * np.pi * order
    falling = (-1.0) ** order * np.exp(-beta * x)
    return np.stack(
        [np.cos(beta * x + turn), np.sin(beta * x + turn), falling, np.exp(-beta * (1 - x))], axis=-1
    )


def _conditions(beta: float, start: End, end: End) -> FloatArray:
    rows = [(0.0, k) for k in start.value] + [(1.0, k) for k in end.value]
    return np.array([_terms(beta, np.array(x), k) for x, k in rows])


def _held(beta: float, start: End, end: End) -> float:
    return float(np.linalg.det(_conditions(beta, start, end)))


def _mode(beta: float, start: End, end: End) -> Natural:
    weights = np.linalg.svd(_conditions(beta, start, end))[2][3]
    xi, w = np.polynomial.legendre.leggauss(64 + int(beta))
    weights /= np.sqrt(0.5 * w @ (_terms(beta, 0.5 * (xi + 1), 0) @ weights) ** 2)

    def derivative(order: int) -> Function:
        return lambda xi: (0.5 * beta) ** order * (_terms(beta, 0.5 * (np.asarray(xi) + 1), order) @ weights)

    return Natural((derivative(0), derivative(1), derivative(2)))


def derivatives(f: Any, order: int, length: float, what: str) -> list[Function]:
    """Return f and its first ``order`` derivatives by s."""
    if isinstance(f, Natural):
        inner = derivatives(f.function, order, length, what)
        return [_of_s(g, k, length) for k, g in enumerate(inner)]
    if callable(f) and hasattr(f, "deriv"):
        return [f.deriv(k) if k else f for k in range(order + 1)]
    if hasattr(f, "free_symbols") and hasattr(f, "diff"):
        return _symbolic(f, order, what)
    if isinstance(f, tuple) and len(f) > order and all(callable(g) for g in f):
        return [guarded(g, what) for g in f[: order + 1]]
    raise InputError(
        f"{what} must be a numpy polynomial, a sympy expression of one symbol, or a tuple of {order + 1} "
        f"functions (f and its derivatives), not {type(f).__name__}"
    )


def guarded(function: Callable[[FloatArray], Any], what: str) -> Function:
    """Return a function of a user's own, which raises InputError where it fails or does not return numbers."""

    def values(s: FloatArray) -> FloatArray:
        try:
            found = function(s)
        except Exception as error:
            raise InputError(f"{what} fails: {type(error).__name__}: {error}") from error
        given = floats(found)
        if given is None or given.shape not in ((), s.shape):
            raise InputError(
                f"{what} returns {shown(found)} for an array of {len(s)} numbers; it must return as many"
            )
        return given

    return values


def _of_s(g: Function, order: int, length: float) -> Function:
    factor = (2 / length) ** order
    return lambda s: factor * g(2 * s / length - 1)


def _symbolic(f: Any, order: int, what: str) -> list[Function]:
    import sympy

    symbols = sorted(f.free_symbols, key=str)
    if len(symbols) > 1:
        raise InputError(f"{what} holds more than one symbol: {', '.join(map(str, symbols))}")
    s = symbols[0] if symbols else sympy.Symbol("s")
    return [sympy.lambdify(s, sympy.diff(f, s, k), "numpy") for k in range(order + 1)]


def quadrature(
    parts: Sequence[Sequence[Function]], length: float, least: int, what: str
) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre points s and weights on [0, length] that integrate products of these functions.

    ``parts``: each function with its derivatives. The number of points starts at ``least`` and is doubled until the
    integrals of products of the functions, and of their highest derivatives, converge; fewer points than half waves
    would represent another function. InputError where half of MAX_POINTS points do not integrate them within 1e-3.
    """
    n, before = least, _products(parts, length, least)
    while True:
        after = _products(parts, length, 2 * n)
        size = np.sqrt(np.einsum("kii->ki", np.maximum(before, after)))
        size = np.maximum(size, np.maximum(1e-6 * size.max(axis=1, keepdims=True), 1e-150))
        change = (np.abs(after - before) / (size[:, :, None] * size[:, None])).max(initial=0.0)
        if change < 1e-9 or (4 * n > MAX_POINTS and change < 1e-3):
            return _gauss(n, length)
        if 4 * n > MAX_POINTS:
            raise InputError(
                f"{what}: {n} points of integration do not suffice for its functions (with twice as many, integrals of "
                f"their products change by the fraction {change:.1e}); leave out functions with that many waves, or "
                "use finite elements"
            )
        n, before = 2 * n, after


def _gauss(n: int, length: float) -> tuple[FloatArray, FloatArray]:
    xi, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * length * (xi + 1), 0.5 * length * weights


def _products(parts: Sequence[Sequence[Function]], length: float, n: int) -> FloatArray:
    """Return the integrals of products of all functions and of all their highest derivatives, (2,N,N)."""
    s, weights = _gauss(n, length)
    tables = [
        np.array([np.broadcast_to(np.asarray(part[k](s), float), s.shape) for part in parts]) for k in (0, -1)
    ]
    return np.array([(table * weights) @ table.T for table in tables])


def check_independent(what: str, raw: Field, K: FloatArray) -> None:
    """Raise InputError for functions of ``what`` that depend on each other or add up to a rigid motion."""
    size = np.sqrt(np.maximum(modal_mass(raw.Phi, raw.mass).diagonal(), 1e-300))
    strain = np.sqrt(np.maximum(K.diagonal(), 0))
    faults = [f"number {k} has no strain energy" for k in range(len(K)) if strain[k] * size[k] == 0]
    if not faults:
        values, vectors = np.linalg.eigh(K / np.outer(strain, strain))
        if values[0] < 1e-12:
            parts = [str(k) for k in np.flatnonzero(np.abs(vectors[:, 0]) > 1e-3)]
            faults = [f"numbers {', '.join(parts)} add up to nothing or to a rigid motion"]
    if faults:
        raise InputError(
            f"the base functions of {what} must be independent and free of "
            f"rigid motions: {'; '.join(faults)}; leave some out"
        )
