"""Energetic laws: springs and dampers, tables, visco-elastic material."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...core.force_laws import piece
from .law import ForceLaw, Input, check_input, check_numbers, check_start


@dataclass(frozen=True, eq=False)
class Linear(ForceLaw):
    """A spring, a damper and an actuator: ``F = stiffness x + damping x. + force``, Koppens (4.3).

    stiffness : N/m (Nm/rad). damping : Ns/m (Nms/rad). force : N (Nm), a number or a function of time; like the
    spring's it is positive where it pulls the ends together (turns the second body back).
    """

    stiffness: float = 0.0
    damping: float = 0.0
    force: Input = 0.0

    function: ClassVar = "linear"
    input: ClassVar = "force"

    def numbers(self) -> list[float]:
        """Return k, d."""
        return [self.stiffness, self.damping]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        return check_numbers(self, label, not_negative=("stiffness", "damping")) + check_input(self, label)


@dataclass(frozen=True, eq=False)
class SpringTable(ForceLaw):
    """A spring with a measured curve, beside a damper: ``F = curve(x) + damping x.``.

    x : rising deformations (n,), m or rad. force : the forces there (n,), N or Nm, joined by straight lines; beyond
    its ends the curve goes on with the slope that it ends with. damping : Ns/m or Nms/rad.
    """

    x: ArrayLike
    force: ArrayLike
    damping: float = 0.0

    function: ClassVar = "table"

    def curve(self) -> scipy.interpolate.PPoly:
        """Return the curve between the ends."""
        x, f = np.asarray(self.x, float), np.asarray(self.force, float)
        return scipy.interpolate.PPoly(np.array([np.diff(f) / np.diff(x), f[:-1]]), x)

    def numbers(self) -> list[float]:
        """Return the damping and the curve in pieces."""
        return [self.damping, *pieces(self.curve())]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        return curve_problems(self.x, self.force, label, "x", 2) + check_numbers(
            self, label, not_negative=("damping",)
        )


@dataclass(frozen=True, eq=False)
class SmoothSpringTable(SpringTable):
    """As :class:`SpringTable`, with a cubic spline through the points (at least four) in place of straight lines."""

    def curve(self) -> scipy.interpolate.PPoly:
        """Return the curve between the ends."""
        return scipy.interpolate.CubicSpline(np.asarray(self.x, float), np.asarray(self.force, float))

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        return curve_problems(self.x, self.force, label, "x", 4) + check_numbers(
            self, label, not_negative=("damping",)
        )


@dataclass(frozen=True, eq=False)
class DamperTable(ForceLaw):
    """A damper with a measured curve (a shock absorber), beside a spring: ``F = stiffness x + curve(x.)``.

    rate : rising rates (n,), m/s or rad/s. force : the forces there, joined by straight lines that go on beyond the
    ends. stiffness : N/m or Nm/rad.
    """

    rate: ArrayLike
    force: ArrayLike
    stiffness: float = 0.0

    function: ClassVar = "rate_table"

    def numbers(self) -> list[float]:
        """Return the stiffness and the curve in pieces."""
        return [self.stiffness, *pieces(SpringTable(self.rate, self.force).curve())]

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        found = curve_problems(self.rate, self.force, label, "rate", 2)
        return found + check_numbers(self, label, not_negative=("stiffness",))


@dataclass(frozen=True, eq=False)
class ViscoElastic(ForceLaw):
    """Visco-elastic material: a spring beside Maxwell branches, each a spring in series with a dashpot, Sol (3.4.4).

    stiffness : what is left after a long time, N/m (Nm/rad); zero for a fluid. branches : (stiffness, relaxation
    time) of each, N/m and s; one branch is the standard linear solid. damping : of a dashpot beside them all.
    start : strokes of the dashpots at t = 0, m (rad); None where they stay, that is relaxed at the deformation then.
    """

    stiffness: float
    branches: Sequence[tuple[float, float]]
    damping: float = 0.0
    start: ArrayLike | None = None

    function: ClassVar = "viscoelastic"

    @property
    def n_states(self) -> int:
        """One stroke for each branch."""
        return len(self.branches)

    def state_names(self, turns: bool) -> list[tuple[str, str]]:
        """Return the dashpots' strokes: how far each has crept."""
        names = ["stroke"] if self.n_states == 1 else [f"stroke {k + 1}" for k in range(self.n_states)]
        return [(name, "rad" if turns else "m") for name in names]

    def numbers(self) -> list[float]:
        """Return k, d, n, then k_i and tau_i."""
        return [self.stiffness, self.damping, len(self.branches), *np.ravel(self.branches)]

    def start_states(self) -> np.ndarray | None:
        """Return the given strokes, or None."""
        return None if self.start is None else np.atleast_1d(np.asarray(self.start, float))

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        found = check_numbers(self, label, not_negative=("stiffness", "damping"))
        try:
            values = np.asarray(self.branches, float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.ndim != 2 or values.shape[1] != 2 or not (np.isfinite(values).all() and (values > 0).all()):
            found.append(
                f"{label}: branches is {self.branches!r}; give pairs (stiffness, relaxation time), both above zero, "
                "such as [(2e4, 0.1)]"
            )
            return found
        return found + check_start(self.start, len(values), label)


def pieces(curve: scipy.interpolate.PPoly) -> list[float]:
    """Return a curve in cubic pieces as :func:`flexbody.core.force_laws.piece` reads it, its integral zero at x = 0."""
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
    """Sentences about points that make no curve."""
    try:
        points, forces = np.asarray(x, float), np.asarray(force, float)
    except (TypeError, ValueError):
        return [f"{label}: {name} and force must hold numbers"]
    if points.ndim != 1 or points.shape != forces.shape or len(points) < least:
        return [
            f"{label}: {name} has the shape {points.shape} and force {forces.shape}; give at least {least} points of "
            "each, as many of one as of the other"
        ]
    if not (np.isfinite(points).all() and np.isfinite(forces).all()):
        return [f"{label}: {name} and force must hold finite numbers"]
    if not (np.diff(points) > 0).all():
        k = int(np.argmin(np.diff(points)))
        return [
            f"{label}: {name} must rise from point to point; {points[k]:g} is followed by {points[k + 1]:g}"
        ]
    return []
