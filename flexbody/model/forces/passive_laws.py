"""Force laws of springs and dampers: linear, tables, visco-elastic material."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.short_repr import short_repr

from ...core.force_laws import piece
from .law import ForceLaw, Input, check_input, check_numbers, check_start
from .symbol import Symbol


@dataclass(frozen=True, eq=False)
class Linear(ForceLaw):
    """A linear spring, damper and actuator: ``F = stiffness x + damping dx/dt + force``, Koppens (4.3).

    Parameters
    ----------
    stiffness : float, optional
        Stiffness, N/m (Nm/rad), not below zero.
    damping : float, optional
        Damping, Ns/m (Nms/rad), not below zero.
    force : float, callable or Input, optional
        Force of the actuator, N (Nm): a number or a function of time (s). A positive force pulls the ends together
        (turns the second body back), as that of a stretched spring.

    Examples
    --------
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01))
    >>> guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    >>> spring = fb.ForceElement("spring", fb.Along(guide), fb.Linear(stiffness=2000.0, damping=4.0))
    >>> machine = fb.System([block], [guide], [spring], gravity=(0, 0, -9.81))
    >>> round(fb.equilibrium(machine).coordinate(guide), 6)
    -0.00981
    """

    stiffness: float = 0.0
    damping: float = 0.0
    _: KW_ONLY
    force: Input = 0.0

    function: ClassVar = "linear"
    elastic: ClassVar[bool] = True
    input: ClassVar = "force"

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A spring if it is stiff; an actuator if its force varies, otherwise a damper if it is damped.

        A constant force is a preload, and by itself a plain element.
        """
        spring = (Symbol("spring"),) if self.stiffness > 0 else ()
        if callable(self.force):
            return (*spring, Symbol("actuator"))
        found = (*spring, Symbol("damper")) if self.damping else spring
        return found or ((Symbol("element"),) if self.force != 0 else ())

    def numbers(self) -> list[float]:
        """Return stiffness and damping."""
        return [self.stiffness, self.damping]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        return check_numbers(self, label, not_negative=("stiffness", "damping")) + check_input(self, label)


@dataclass(frozen=True, eq=False)
class SpringTable(ForceLaw):
    """A spring with a measured curve and a linear damper: ``F = curve(x) + damping dx/dt``.

    Parameters
    ----------
    x : array_like
        Increasing deformations, (n,), m or rad.
    force : array_like
        Force at each deformation, (n,), N or Nm. Straight lines connect the points. Beyond the ends the curve continues
        with its last slope.
    damping : float, optional
        Damping, Ns/m or Nms/rad.

    Examples
    --------
    >>> import flexbody as fb
    >>> law = fb.SpringTable(x=(-0.01, 0.0, 0.01), force=(-200.0, 0.0, 500.0), damping=5.0)
    """

    x: ArrayLike
    force: ArrayLike
    _: KW_ONLY
    damping: float = 0.0

    function: ClassVar = "table"

    __repr__ = short_repr

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A spring, with a damper if it is damped."""
        return (Symbol("spring"), Symbol("damper")) if self.damping else (Symbol("spring"),)

    def curve(self) -> scipy.interpolate.PPoly:
        """Return the curve between its ends as a piecewise polynomial.

        Returns
        -------
        scipy.interpolate.PPoly
            Force over deformation.
        """
        x, f = np.asarray(self.x, float), np.asarray(self.force, float)
        return scipy.interpolate.PPoly(np.array([np.diff(f) / np.diff(x), f[:-1]]), x)

    def numbers(self) -> list[float]:
        """Return the damping and the pieces of the curve.

        Returns
        -------
        list of float
            The numbers of the law.
        """
        return [self.damping, *pieces(self.curve())]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences.

        Parameters
        ----------
        label : str
            Name of the element in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return curve_problems(self.x, self.force, label, "x", 2) + check_numbers(
            self, label, not_negative=("damping",)
        )


@dataclass(frozen=True, eq=False)
class SmoothSpringTable(SpringTable):
    """A spring with a measured curve that is interpolated by a cubic spline, and a linear damper.

    Parameters
    ----------
    x : array_like
        Increasing deformations, (n,), m or rad, at least four.
    force : array_like
        Force at each deformation, (n,), N or Nm. Beyond the ends the curve continues with its last slope.
    damping : float, optional
        Damping, Ns/m or Nms/rad.

    Examples
    --------
    >>> import flexbody as fb
    >>> law = fb.SmoothSpringTable(x=(-0.02, -0.01, 0.0, 0.01), force=(-500.0, -200.0, 0.0, 200.0))
    >>> float(law.curve()(-0.015).round(2))
    -331.25
    """

    __repr__ = short_repr

    def curve(self) -> scipy.interpolate.PPoly:
        """Return the spline between its ends as a piecewise polynomial."""
        return scipy.interpolate.CubicSpline(np.asarray(self.x, float), np.asarray(self.force, float))

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        return curve_problems(self.x, self.force, label, "x", 4) + check_numbers(
            self, label, not_negative=("damping",)
        )


@dataclass(frozen=True, eq=False)
class DamperTable(ForceLaw):
    """A damper with a measured curve (shock absorber) and a linear spring: ``F = stiffness x + curve(dx/dt)``.

    Parameters
    ----------
    rate : array_like
        Increasing rates of deformation, (n,), m/s or rad/s.
    force : array_like
        Force at each rate, (n,), N or Nm. Straight lines connect the points and continue beyond the ends.
    stiffness : float, optional
        Stiffness, N/m or Nm/rad.

    Examples
    --------
    >>> import flexbody as fb
    >>> absorber = fb.DamperTable(rate=(-1.0, 0.0, 1.0), force=(-300.0, 0.0, 900.0), stiffness=2000.0)
    """

    rate: ArrayLike
    force: ArrayLike
    _: KW_ONLY
    stiffness: float = 0.0

    function: ClassVar = "rate_table"

    __repr__ = short_repr

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A damper, with a spring if it is stiff."""
        return (Symbol("spring"), Symbol("damper")) if self.stiffness > 0 else (Symbol("damper"),)

    def numbers(self) -> list[float]:
        """Return the stiffness and the pieces of the curve."""
        return [self.stiffness, *pieces(SpringTable(self.rate, self.force).curve())]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = curve_problems(self.rate, self.force, label, "rate", 2)
        return found + check_numbers(self, label, not_negative=("stiffness",))


@dataclass(frozen=True, eq=False)
class ViscoElastic(ForceLaw):
    """Visco-elastic material: a spring in parallel with Maxwell branches, Sol (3.4.4).

    A Maxwell branch is a spring in series with a dashpot. One branch gives the standard linear solid.

    Parameters
    ----------
    stiffness : float
        Long-term stiffness, N/m (Nm/rad); zero for a fluid.
    branches : sequence of (float, float)
        Stiffness (N/m or Nm/rad) and relaxation time (s) of each branch, above zero.
    damping : float, optional
        Damping of a dashpot in parallel with all branches, Ns/m (Nms/rad).
    start : array_like or None, optional
        Stroke of each dashpot at t = 0, (n,), m (rad). None means relaxed branches at the deformation at t = 0. A run
        that starts from a state, a result or in equilibrium begins with the strokes of that state instead.
    response : SpringTable or SmoothSpringTable, optional
        An elastic response e(x), N (Nm), in place of the deformation x: Fung's quasi-linear law of soft tissues.
        Stiffnesses are then factors of e without a unit, and strokes have the unit of e.

    Notes
    -----
    With branch stiffness k_i, relaxation time tau_i and dashpot stroke z_i: ``F = stiffness x + damping dx/dt +
    sum_i k_i (x - z_i)`` and ``dz_i/dt = (x - z_i) / tau_i``. :func:`hereditary` finds the branches of a relaxation
    function of any form.

    With ``response`` the energy balance counts the work of the branches as input: a quasi-linear law has no stored
    energy of its own.

    Examples
    --------
    >>> import flexbody as fb
    >>> rubber = fb.ViscoElastic(stiffness=1e5, branches=[(4e4, 0.1), (2e4, 0.01)])
    """

    stiffness: float
    branches: Sequence[tuple[float, float]]
    _: KW_ONLY
    damping: float = 0.0
    start: ArrayLike | None = None
    response: SpringTable | None = None

    function: ClassVar = "viscoelastic"
    elastic: ClassVar[bool] = True
    symbols: ClassVar = (Symbol("spring"), Symbol("damper"))

    __repr__ = short_repr

    @property
    def n_states(self) -> int:
        """Number of states: one dashpot stroke for each branch."""
        return len(self.branches)

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return name and unit of the dashpot strokes."""
        names = ["stroke"] if self.n_states == 1 else [f"stroke {k + 1}" for k in range(self.n_states)]
        units = ("m", "rad") if self.response is None else ("N", "N m")
        return [(name, units[is_angle]) for name in names]

    def relaxation(self, s: ArrayLike) -> np.ndarray | float:
        """Return the relaxation function ``stiffness + sum k_i exp(-s / tau_i)``.

        Parameters
        ----------
        s : array_like
            Times after a sudden unit deformation, s.

        Returns
        -------
        numpy.ndarray or float
            Forces over the deformation, N/m (Nm/rad).
        """
        k, tau = np.asarray(self.branches, float).T
        G: np.ndarray | float = self.stiffness + np.exp(-np.asarray(s, float)[..., None] / tau) @ k
        return G

    def numbers(self) -> list[float]:
        """Return k, d and n, the position of the response or 0, then k_i and tau_i of each branch, and the response."""
        n = len(self.branches)
        at, table = (0.0, []) if self.response is None else (4.0 + 2 * n, pieces(self.response.curve()))
        return [self.stiffness, self.damping, n, at, *np.ravel(self.branches), *table]

    def start_states(self) -> np.ndarray | None:
        """Return the given strokes, or None for relaxed branches."""
        return None if self.start is None else np.atleast_1d(np.asarray(self.start, float))

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = check_numbers(self, label, not_negative=("stiffness", "damping"))
        if isinstance(self.response, SpringTable):
            found += self.response.problems(f"{label}: response")
            if self.response.damping:
                found.append(f"{label}: response has damping={self.response.damping:g}; give it to the law")
        try:
            values = np.asarray(self.branches, float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.ndim != 2 or values.shape[1] != 2 or not (np.isfinite(values).all() and (values > 0).all()):
            found.append(
                f"{label}: branches is {self.branches!r}; give pairs (stiffness, relaxation time) of numbers above "
                "zero, such as [(2e4, 0.1)]"
            )
            return found
        return found + check_start(self.start, len(values), label)


def pieces(curve: scipy.interpolate.PPoly) -> list[float]:
    """Return a curve as cubic pieces for :func:`flexbody.core.force_laws.piece`; its integral is zero at x = 0."""
    x = np.asarray(curve.x)
    c = np.zeros((4, len(x) - 1))
    c[4 - len(curve.c) :] = curve.c
    ends, slopes = curve(x[[0, -1]]), curve(x[[0, -1]], 1)
    rows = [[ends[0], slopes[0], 0.0, 0.0, 0.0]]
    whole, lengths = 0.0, np.diff(x)
    for (d, q, b, a), h in zip(c.T, lengths, strict=True):
        rows.append([a, b, q, d, whole])
        whole += h * (a + h * (b / 2 + h * (q / 3 + h * d / 4)))
    rows.append([ends[1], slopes[1], 0.0, 0.0, whole])
    numbers = [float(len(x)), *x, *np.ravel(rows)]
    _, at_zero = piece(numbers, 0, 0.0)
    for row in rows:
        row[4] -= at_zero
    return [float(len(x)), *x.tolist(), *np.ravel(rows).tolist()]


def curve_problems(x: object, force: object, label: str, name: str, least: int) -> list[str]:
    """Return as sentences why points do not define a curve."""
    try:
        points, forces = np.asarray(x, float), np.asarray(force, float)
    except (TypeError, ValueError):
        return [f"{label}: {name} and force must hold numbers"]
    if points.ndim != 1 or points.shape != forces.shape or len(points) < least:
        return [
            f"{label}: {name} has the shape {points.shape} and force has {forces.shape}; give at least {least} numbers "
            "for each, and equally many"
        ]
    if not (np.isfinite(points).all() and np.isfinite(forces).all()):
        return [f"{label}: {name} and force must hold finite numbers"]
    if not (np.diff(points) > 0).all():
        k = int(np.argmin(np.diff(points)))
        return [
            f"{label}: {name} must increase from point to point, but {points[k]:g} is followed by {points[k + 1]:g}"
        ]
    return []
