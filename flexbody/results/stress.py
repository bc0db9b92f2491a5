"""Stresses of a flexible body in motion at points of its surface, computed when they are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.names import with_match
from fem.common.numbers import floats, is_integer
from modal.body.reduced_body import stress_modes_of as needed
from modal.body.stress_modes import MEASURES, VOIGT, StressModes

from ..model.flexible_body import FlexibleBody
from ..model.sides import Body
from .motion import alpha, alpha_dot
from .record import Record, flexible_body

#: largest size of one array, bytes; larger ones raise an error. Histories of peaks are computed in parts
LARGEST_ARRAY_BYTES = 500e6
#: size of the parts of such computations, bytes of tensors
CHUNK_BYTES = 16e6


@dataclass(frozen=True, eq=False, repr=False)
class Peak(KnownAttributes):
    """The largest stress over the surface of a body at each time.

    Attributes
    ----------
    what : str
        The measure, such as "von_mises". For "principal_3" the value is the smallest (the largest compression), for a
        component the one with the largest magnitude.
    t : numpy.ndarray
        Times, (nt,), s.
    value : numpy.ndarray
        Stress, (nt,), Pa.
    point : numpy.ndarray
        Its place, (nt, 3), m, from the reference point of the undeformed body in its base.
    node : numpy.ndarray
        Node of the mesh, (nt,).
    largest : float
        Largest stress of all times, Pa.
    when : float
        Its time, s.
    where : numpy.ndarray
        Its place, (3,), m.
    number : int
        Index of its time.
    """

    what: str
    t: np.ndarray
    value: np.ndarray
    point: np.ndarray
    node: np.ndarray

    @property
    def number(self) -> int:
        """Index of the time with the largest stress of all."""
        return int(np.nanargmax(np.abs(self.value)))

    @property
    def largest(self) -> float:
        """Largest stress of all, Pa."""
        return float(self.value[self.number])

    @property
    def when(self) -> float:
        """Time of the largest stress of all, s."""
        return float(self.t[self.number])

    @property
    def where(self) -> np.ndarray:
        """Place of the largest stress of all, (3,), m."""
        return self.point[self.number]

    def __repr__(self) -> str:
        place = ", ".join(f"{x:.4g}" for x in self.where)
        return (
            f"<Peak of {self.what}: {self.largest:.4g} Pa at t = {self.when:.6g} s, node {self.node[self.number]} "
            f"({place}) m>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BodyStress(KnownAttributes):
    """Stresses of one flexible body at k points and nt times, computed when they are used.

    Attributes
    ----------
    body : str
        Name of the body.
    t : numpy.ndarray
        Times, (nt,), s.
    alpha : numpy.ndarray
        Modal coordinates, (nt, N).
    modes : modal.StressModes
        Stress modes of the body.
    rows : numpy.ndarray
        Numbers of the points among the points of the modes, (k,).

    Notes
    -----
    Tensors have the components xx yy zz yz xz xy, Pa, in the base of the body; ``result.rotation(body)`` rotates them
    to the inertial base. Stresses are linear in the modal coordinates, also with geometric stiffening, because the
    modal coordinates measure the elastic strain. Close to a joint they are those of the load as the interface
    distributes it. A stress field that the basis does not contain is missing; :func:`modal.stress_error` estimates
    the error.
    """

    body: str
    t: np.ndarray  # (nt,) s
    alpha: np.ndarray  # (nt, N)
    modes: StressModes
    rows: np.ndarray  # (k,) of the modes' points

    def __repr__(self) -> str:
        where = f"{len(self.rows)} points of body '{self.body}'"
        if not len(self.t):
            return f"<BodyStress at {where}, no time>"
        return f"<BodyStress at {where}, {len(self.t)} times from {self.t[0]:.6g} to {self.t[-1]:.6g} s>"

    @property
    def points(self) -> np.ndarray:
        """Points, (k, 3), m, from the reference point of the undeformed body in its base."""
        return self.modes.points[self.rows]

    @property
    def nodes(self) -> np.ndarray:
        """Nodes of the mesh at the points, (k,); a node occurs several times in shells and between materials."""
        return self.modes.nodes[self.rows]

    @property
    def tensors(self) -> np.ndarray:
        """Stresses, (nt, k, 6), Pa; NaN at the ends of beams, which have :attr:`section_forces`."""
        self._refuse_large(6)
        return self.modes.stress(self.alpha, self.rows)

    @property
    def von_mises(self) -> np.ndarray:
        """Equivalent stress of von Mises, (nt, k), Pa; for beams of the extreme normal and the largest shear stress."""
        return self.measure("von_mises")

    @property
    def principal(self) -> np.ndarray:
        """Principal stresses (nt, k, 3), Pa, the largest (most tensile) first."""
        self._refuse_large(3)
        return np.stack([self.measure(f"principal_{k}") for k in (1, 2, 3)], axis=2)

    @property
    def principal_axes(self) -> np.ndarray:
        """Directions of the principal stresses, (nt, k, 3, 3), unit vectors as rows, in the base of the body."""
        self._refuse_large(9)
        return self.modes.principal_axes(self.alpha, self.rows)[1]

    @property
    def section_forces(self) -> np.ndarray:
        """N, Vy, Vz, T, My, Mz, (nt, k, 6), at the ends of beams and trusses, local axes; NaN at other points."""
        self._refuse_large(6)
        return self.modes.section_forces(self.alpha, self.rows)

    @check_arguments
    def measure(self, what: str) -> np.ndarray:
        """Return one stress at all points and times.

        Parameters
        ----------
        what : str
            "von_mises", "principal_1" to "principal_3", or a component such as "xx".

        Returns
        -------
        numpy.ndarray
            Stress, (nt, k), Pa.

        Raises
        ------
        fem.InputError
            The measure is unknown, or the array is too large.
        """
        _check_measure(what)
        self._refuse_large(1)
        out = np.empty((len(self.t), len(self.rows)))
        for part in self._parts():
            out[part] = self.modes.measure(what, self.alpha[part], self.rows)
        return out

    @check_arguments
    def peak(self, what: str = "von_mises") -> Peak:
        """Return the largest stress over the points at each time, with its place.

        Parameters
        ----------
        what : str
            As for :meth:`measure`.

        Returns
        -------
        Peak
            The largest stress; it is computed in parts, with little memory.
        """
        _check_measure(what)
        value, place = np.full(len(self.t), np.nan), np.zeros(len(self.t), dtype=np.int64)
        for part in self._parts():
            found = self.modes.measure(what, self.alpha[part], self.rows, extremes=1)
            order = -found if what == "principal_3" else np.abs(found) if what in VOIGT else found
            order = np.where(np.isfinite(order), order, -np.inf)
            best = order.argmax(axis=1)
            value[part], place[part] = np.take_along_axis(found, best[:, None], 1)[:, 0], best
        return Peak(what, self.t, value, self.points[place], self.nodes[place])

    @check_arguments
    def range(self, what: str = "von_mises") -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and the largest stress over time at each point.

        Parameters
        ----------
        what : str
            As for :meth:`measure`.

        Returns
        -------
        low, high : numpy.ndarray
            Stresses, (k,) each, Pa; they are computed in parts, with little memory.
        """
        _check_measure(what)
        low, high = np.full(len(self.rows), np.nan), np.full(len(self.rows), np.nan)
        for part in self._parts():
            found = self.modes.measure(what, self.alpha[part], self.rows, extremes=0)
            low, high = np.fmin(low, np.fmin.reduce(found)), np.fmax(high, np.fmax.reduce(found))
        return low, high

    def _parts(self) -> Iterator[slice]:
        step = max(1, int(CHUNK_BYTES / (48 * max(len(self.rows), 1))))
        yield from (slice(first, first + step) for first in range(0, len(self.t), step))

    def _refuse_large(self, numbers: int) -> None:
        size = 8.0 * numbers * len(self.t) * len(self.rows)
        if size > LARGEST_ARRAY_BYTES:
            raise InputError(
                f"the stresses at {len(self.rows)} points of body '{self.body}' and {len(self.t)} times would take "
                f"{size / 1e9:.3g} GB; name a place (at=), fewer times (times=), or take .peak() or .range(), which "
                "are computed in parts"
            )


def stress(record: Record, body: Body | str, at: Any = None, times: Any = None) -> BodyStress:
    """Return the stresses of a body over time; see :meth:`flexbody.Result.stress`."""
    found = flexible_body(record, body)
    modes = needed(found.turned, (found.name,))
    return BodyStress(found.name, *_moments(record, found, times), modes, _rows(found, modes, at))


def _check_measure(what: str) -> None:
    if what not in MEASURES + VOIGT:
        raise InputError(
            f"{with_match(what, MEASURES + VOIGT)} is no measure of stress; there are {listing(MEASURES + VOIGT)}"
        )


def _rows(body: FlexibleBody, modes: StressModes, at: Any) -> np.ndarray:
    """Return the rows of the points at a place, see :meth:`flexbody.Result.stress`."""
    if at is None:
        return np.arange(len(modes.points))
    if isinstance(at, str):
        rows = modes.rows_of(at)
        if not len(rows):
            raise InputError(f"body '{body.name}' has no stresses at {at!r}: its nodes belong to no element")
        return rows
    if is_integer(at):
        rows = np.flatnonzero(modes.nodes == at)
        if not len(rows):
            raise InputError(
                f"body '{body.name}' has no stresses at node {at}; they are kept on the surface and in the "
                f"named sets {listing(modes.sets)}"
            )
        return rows
    place = floats(at)
    if place is None or place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(
            f"at={at!r} is not a place on body '{body.name}'; give the name of a marker, a point (x, y, z) as "
            "drawn, in m, or the number of a node"
        )
    away = np.linalg.norm(modes.points - (place - body.start), axis=1)
    nearest = int(np.argmin(away))
    size = float(np.linalg.norm(np.ptp(modes.points, axis=0)))
    if away[nearest] > 0.1 * size:
        raise InputError(
            f"at={at!r} lies {away[nearest]:.3g} m from the nearest point of body '{body.name}' as drawn, which is "
            f"{size:.3g} m large; give a point on it, in m"
        )
    return np.flatnonzero(modes.nodes == modes.nodes[nearest])


def _moments(record: Record, body: FlexibleBody, times: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return times (nt,) and modal coordinates (nt, N), with cubic interpolation between stored times."""
    t, x = record.t, alpha(record, body)
    if times is None:
        return t, x
    try:
        found = t[times] if isinstance(times, slice) else floats(times)
    except (TypeError, ValueError):  # of a slice
        found = None
    if found is None:
        raise InputError(f"times={times!r} is not valid; give one or several times in s, or a slice")
    asked = np.atleast_1d(found)
    if asked.ndim != 1 or not len(t) or not np.all((asked >= t[0]) & (asked <= t[-1])):
        span = f"{t[0]:g} s to {t[-1]:g} s" if len(t) else "no times"
        raise InputError(f"times={times!r} must be a time or a list of times in the run, which holds {span}")
    if len(t) == 1:
        return asked, np.repeat(x, len(asked), axis=0)
    last = np.append(np.diff(t) > 0, True)  # where a time is stored twice, the later state
    spline = scipy.interpolate.CubicHermiteSpline(t[last], x[last], alpha_dot(record, body)[last], axis=0)
    return asked, spline(asked)
