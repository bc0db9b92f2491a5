"""Stress modes: the stress of each base function, and of their sums.

The stress of a body is ``sigma = sum_i alpha_i sigma_i`` with sigma_i the linear stress of the finite-element model
displaced by the base function Phi_i (its rigid part causes no stress). With geometric stiffening, alpha measures the
elastic strain, since the second-order displacement is free of membrane strain (:mod:`modal.reduction.stiffening`);
the stress therefore stays linear in alpha.

Limits: close to a joint (within about one diameter of the eye, by St Venant's principle) the stress is that of the
load as the interface distributes it. Stresses that the basis has no shape for are missing, such as the axial stress
of rotation in a basis of bending modes. :func:`modal.stress_error` measures both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated

import numpy as np
import numpy.typing as npt

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.names import with_match
from fem.common.values import Indices, Rotation
from fem.elements.beam.stress import BeamStress, stresses
from fem.elements.solid.stress import principal, principal_axes, tensor, von_mises
from fem.properties.section import Section

from .inertia import FloatArray

IntArray = npt.NDArray[np.int64]
#: kinds of point: on a solid, at the bottom or top of a shell, at the end of a beam or truss
SOLID, BOTTOM, TOP, LINE = range(4)
VOIGT = ("xx", "yy", "zz", "yz", "xz", "xy")
#: scalar measures of stress
MEASURES = ("von_mises", "principal_1", "principal_2", "principal_3")


@dataclass(frozen=True, eq=False)
class StressModes(KnownAttributes):
    """Stresses for unit modal coordinates, at the p points where they are known.

    The first s points have tensors: the nodes of solids on the surface and in named sets (one point for each property
    that meets there, with the mean over its elements), and the nodes of shells, bottom and top (one pair for each
    smooth part). The l points that follow are the ends of beams and trusses. The modes are stored in the axes of the
    mesh; results are rotated by ``R``. :attr:`modal.ReducedBody.stress_modes` returns them.

    Attributes
    ----------
    points : array (p, 3), m
        Positions, measured from the body's origin.
    nodes : array of int (p,)
        Nodes of the mesh.
    side : array of int (p,)
        0 on a solid, 1 and 2 at the bottom and top of a shell, 3 at the end of a line.
    tensors : array (s, 6, N), Pa
        Components xx, yy, zz, yz, xz, xy for unit modal coordinates.
    forces : array (l, 6, N), N and N m
        Section forces N, Vy, Vz, T, My, Mz in the local axes of each line, for unit modal coordinates.
    section : array of int (l,)
        Number of the section of each line end.
    sections : tuple of fem.Section
        The sections; a truss has a round one of its area.
    drawn : array of int (m, 2)
        Rows of the points between which each point of the drawn surface lies.
    drawn_at : array (m, 3)
        Fraction 0 to 1 between the two, and the place y, z (m, principal axes) on the section of a line.
    sets : mapping of str to array of int
        Rows of the points of each marker.
    R : array (3, 3)
        Rotation of the body since its reduction.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modes = modal.reduce(bar, modal.eigenmodes(bar, n=2), markers=("x0",)).stress_modes
    >>> modes
    <StressModes: 2 at 56 points, 0.0054 MB>
    >>> modes.stress([[1e-3, 0.0]], modes.rows_of("x0")).shape
    (1, 8, 6)
    """

    points: FloatArray  # (p,3) m, from the body's origin
    nodes: IntArray  # (p,) of the mesh
    side: IntArray  # (p,) SOLID, BOTTOM, TOP or LINE
    tensors: FloatArray  # (s,6,N) Pa for unit modal coordinates, xx yy zz yz xz xy
    forces: FloatArray  # (l,6,N) N, Vy, Vz (N), T, My, Mz (N m) in the local axes of each line
    section: IntArray  # (l,) which of the sections
    sections: tuple[Section, ...]  # of trusses a round one
    drawn: IntArray  # (m,2) rows of p between which each point of the drawn surface lies
    drawn_at: (
        FloatArray  # (m,3) how far, 0 to 1, and where on the section of a line: y, z in m, principal axes
    )
    sets: Mapping[str, IntArray]  # rows of p in the body's markers
    R: FloatArray  # (3,3) the body was turned by it since

    def __post_init__(self) -> None:
        for name in ("points", "tensors", "forces", "drawn_at", "R", "nodes", "side", "section", "drawn"):
            value = np.asarray(getattr(self, name)).view()
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "sets", MappingProxyType(dict(self.sets)))

    def __repr__(self) -> str:
        """Return one line: number of modes and points, and memory."""
        return f"<StressModes: {self.N} at {len(self.points)} points, {self.megabytes:.2g} MB>"

    def __reduce__(self) -> tuple:  # read-only mappings can't be pickled, which parallel studies need
        return _rebuilt, ({**vars(self), "sets": dict(self.sets)},)

    @property
    def N(self) -> int:
        """Number of base functions."""
        return self.tensors.shape[2]

    @property
    def megabytes(self) -> float:
        """Memory that the modes take, MB."""
        return (self.tensors.nbytes + self.forces.nbytes) / 1e6

    @property
    def n_tensors(self) -> int:
        """Number s of points that have a tensor; the others are ends of lines."""
        return len(self.tensors)

    @check_arguments
    def turned(self, R: Annotated[FloatArray, Rotation]) -> StressModes:
        """Return the modes of the body rotated by R (3, 3), without copying them.

        Parameters
        ----------
        R : numpy.ndarray
            Rotation matrix, (3, 3).

        Returns
        -------
        StressModes
            The rotated modes, which share their arrays with these.
        """
        R = np.asarray(R, dtype=float)
        return replace(self, points=self.points @ R.T, R=R @ self.R)

    @check_arguments
    def stress(
        self, alpha: npt.ArrayLike, rows: Annotated[npt.ArrayLike, Indices] | None = None
    ) -> FloatArray:
        """Return stress tensors in the body's basis.

        Parameters
        ----------
        alpha : array (nt, N)
            Modal coordinates at nt instants.
        rows : array of int (k,), optional
            Rows of the points; all of them by default.

        Returns
        -------
        array (nt, k, 6), Pa
            Components xx, yy, zz, yz, xz, xy; nan at the ends of beams and trusses, see :meth:`section_forces`.

        Raises
        ------
        InputError
            ``alpha`` is not of the shape (nt, N).
        """
        alpha, rows = self._checked(alpha, rows)
        out = np.full((len(alpha), len(rows), 6), np.nan)
        known = rows < self.n_tensors
        at = rows[known]
        modes = (
            self.tensors
            if len(at) == self.n_tensors and np.array_equal(at, np.arange(len(at)))
            else self.tensors[at]
        )
        values = (alpha @ modes.reshape(-1, self.N).T).reshape(len(alpha), -1, 6)
        out[:, known] = values if np.array_equal(self.R, np.eye(3)) else values @ _turning(self.R).T
        return out

    @check_arguments
    def section_forces(
        self, alpha: npt.ArrayLike, rows: Annotated[npt.ArrayLike, Indices] | None = None
    ) -> FloatArray:
        """Return section forces of beams and trusses in the local axes of each line.

        Parameters
        ----------
        alpha : array (nt, N)
            Modal coordinates at nt instants.
        rows : array of int (k,), optional
            Rows of the points; all of them by default.

        Returns
        -------
        array (nt, k, 6), N and N m
            N, Vy, Vz, T, My, Mz at the ends of each element; nan at other points. The variation between the ends by
            the element's own inertia or weight is not included.

        Raises
        ------
        InputError
            ``alpha`` is not of the shape (nt, N).
        """
        alpha, rows = self._checked(alpha, rows)
        out = np.full((len(alpha), len(rows), 6), np.nan)
        known = rows >= self.n_tensors
        modes = self.forces[rows[known] - self.n_tensors]
        out[:, known] = (alpha @ modes.reshape(-1, self.N).T).reshape(len(alpha), -1, 6)
        return out

    @check_arguments
    def measure(
        self,
        what: str,
        alpha: npt.ArrayLike,
        rows: Annotated[npt.ArrayLike, Indices] | None = None,
        extremes: int | None = None,
    ) -> FloatArray:
        """Return a scalar measure of the stress.

        Parameters
        ----------
        what : str
            "von_mises", "principal_1", "principal_2", "principal_3", or a component such as "xx".
        alpha : array (nt, N)
            Modal coordinates at nt instants.
        rows : array of int (k,), optional
            Rows of the points; all of them by default.
        extremes : int, optional
            Axis of the result along which only the largest and the smallest value are needed. Other values of
            principal stresses may then be nan, which is faster.

        Returns
        -------
        array (nt, k), Pa
            On beams, the value at the extreme point of the section (:class:`fem.elements.beam.stress.BeamStress`) with
            the greatest shear stress of the section; components are nan there.

        Raises
        ------
        InputError
            There is no such measure, or ``alpha`` is not of the shape (nt, N).
        """
        if what not in MEASURES + VOIGT:
            raise InputError(
                f"{with_match(what, MEASURES + VOIGT)} "
                f"is not a measure of stress; the measures are {listing(MEASURES + VOIGT)}"
            )
        alpha, rows = self._checked(alpha, rows)
        tensors = self.stress(alpha, rows)
        out = np.full(tensors.shape[:2], np.nan)
        known = rows < self.n_tensors
        if what.startswith("principal") and extremes is not None:
            near = np.zeros_like(out, dtype=bool)
            near[:, known] = _may_be_extreme(what, tensors[:, known], extremes)
            out[near] = measured(what, tensors[near])
        else:
            out[:, known] = measured(what, tensors[:, known])
        if what in MEASURES:
            for k, at in self._of_sections(rows):
                found = self._lines(k, alpha, rows[at])
                out[:, at] = of_line(what, found.largest, found.smallest, found.shear)
        return out

    @check_arguments
    def principal_axes(
        self, alpha: npt.ArrayLike, rows: Annotated[npt.ArrayLike, Indices] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return principal stresses and their directions in the body's basis.

        Parameters
        ----------
        alpha : array (nt, N)
            Modal coordinates at nt instants.
        rows : array of int (k,), optional
            Rows of the points; all of them by default.

        Returns
        -------
        values : array (nt, k, 3), Pa
            Principal stresses, largest first.
        directions : array (nt, k, 3, 3)
            Unit vectors as rows; nan on beams and trusses.

        Raises
        ------
        InputError
            ``alpha`` is not of the shape (nt, N).
        """
        alpha, rows = self._checked(alpha, rows)
        tensors = self.stress(alpha, rows)
        values = np.full((*tensors.shape[:2], 3), np.nan)
        axes = np.full((*tensors.shape[:2], 3, 3), np.nan)
        known = rows < self.n_tensors
        values[:, known], axes[:, known] = principal_axes(tensors[:, known])
        if not known.all():
            lines = ~known
            for k in range(3):
                values[:, lines, k] = self.measure(f"principal_{k + 1}", alpha, rows[lines])
        return values, axes

    @check_arguments
    def on_surface(self, what: str, alpha: npt.ArrayLike) -> FloatArray:
        """Return a measure at the points of the drawn surface, for pictures.

        Parameters
        ----------
        what : str
            As for :meth:`measure`.
        alpha : array (N,)
            Modal coordinates.

        Returns
        -------
        array (m,), Pa
            One value for each point of the surface.

        Raises
        ------
        InputError
            There is no such measure.
        """
        at_points = self.measure(what, np.reshape(alpha, (1, -1)))[0]
        first, last = self.drawn.T
        out = at_points[first]
        if what not in MEASURES:
            return out
        for k, at in self._of_sections(first):
            section, (part, y, z) = self.sections[k].principal, self.drawn_at[at].T
            axial, slope_z, slope_y, shear = (
                (1 - part) * a + part * b
                for a, b in zip(
                    self._linear(k, alpha, first[at]), self._linear(k, alpha, last[at]), strict=True
                )
            )
            normal = axial + slope_z * z + slope_y * y
            if not (section.points or section.radius):
                normal = np.full_like(normal, np.nan)
            out[at] = of_line(what, normal, normal, shear)
        return out

    @check_arguments
    def rows_of(self, name: str) -> IntArray:
        """Return the rows of the points of a marker.

        Parameters
        ----------
        name : str
            Name of the marker.

        Returns
        -------
        array of int
            Rows of ``points``.

        Raises
        ------
        InputError
            There are no stresses at such a marker; the message lists those that exist.
        """
        if name not in self.sets:
            raise InputError(
                f"there are no stresses at {with_match(name, self.sets)}; "
                f"there are at {listing(self.sets)}. Name it in "
                "modal.reduce(..., markers=(...)), or give a position (x, y, z)"
            )
        return self.sets[name]

    # ---- inside ----------------------------------------------------------------------------------

    def _checked(self, alpha: npt.ArrayLike, rows: npt.ArrayLike | None) -> tuple[FloatArray, IntArray]:
        alpha = np.asarray(alpha, dtype=float)
        if alpha.ndim != 2 or alpha.shape[1] != self.N:
            raise InputError(f"alpha has the shape {alpha.shape}; it must be (times, {self.N})")
        return alpha, np.arange(len(self.points)) if rows is None else np.asarray(rows, dtype=np.int64)

    def _of_sections(self, rows: IntArray) -> list[tuple[int, IntArray]]:
        """Return the number of each section and the positions in ``rows`` that have it."""
        lines = np.flatnonzero(rows >= self.n_tensors)
        which = self.section[rows[lines] - self.n_tensors]
        return [(int(k), lines[which == k]) for k in np.unique(which)]

    def _lines(self, k: int, alpha: FloatArray, rows: IntArray) -> BeamStress:
        section = self.sections[k]
        c, s = np.cos(section.angle), np.sin(section.angle)
        back = np.kron(np.eye(2), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))
        return stresses(section, self.section_forces(alpha, rows) @ back)

    def _linear(self, k: int, alpha: npt.ArrayLike, rows: IntArray) -> tuple[FloatArray, ...]:
        """Return the linear parts of the normal stress at (y, z) of the section, and the shear stress; (k,) each."""
        section = self.sections[k]
        found = self._lines(k, np.reshape(alpha, (1, -1)), rows)
        c, s = np.cos(section.angle), np.sin(section.angle)
        My, Mz = found.forces[0, :, 4], found.forces[0, :, 5]
        main = section.principal
        return found.axial[0], (c * My + s * Mz) / main.Iy, -(c * Mz - s * My) / main.Iz, found.shear[0]


def measured(what: str, tensors: FloatArray) -> FloatArray:
    """Return a measure (...) of tensors (...,6)."""
    if what in VOIGT:
        return tensors[..., VOIGT.index(what)]
    return von_mises(tensors) if what == "von_mises" else principal(tensors)[..., int(what[-1]) - 1]


#: limits of each principal stress, from the mean stress in thirds of the equivalent stress, by Lode's angle
_WITHIN = {"principal_1": (1, 2), "principal_2": (-1, 1), "principal_3": (-2, -1)}


def _may_be_extreme(what: str, tensors: FloatArray, axis: int) -> npt.NDArray[np.bool_]:
    """Return which (nt,k) may have the largest or the smallest of a principal stress along an axis."""
    if not tensors.size:
        return np.zeros(tensors.shape[:-1], dtype=bool)
    mean, third = tensors[..., :3].mean(axis=-1), von_mises(tensors) / 3
    low, high = (mean + k * third for k in _WITHIN[what])
    room = 1e-9 * third.max()  # for round-off
    largest = high + room >= low.max(axis=axis, keepdims=True)
    return largest | (low - room <= high.min(axis=axis, keepdims=True))


def of_line(what: str, largest: FloatArray, smallest: FloatArray, shear: FloatArray) -> FloatArray:
    """Return a measure of a state of one normal stress, between ``smallest`` and ``largest``, and a shear stress."""
    if what == "von_mises":
        return np.sqrt(np.maximum(np.abs(largest), np.abs(smallest)) ** 2 + 3 * shear**2)
    if what == "principal_1":
        return largest / 2 + np.sqrt(largest**2 / 4 + shear**2)
    if what == "principal_3":
        return smallest / 2 - np.sqrt(smallest**2 / 4 + shear**2)
    return np.zeros_like(largest)


def _turning(R: FloatArray) -> FloatArray:
    """Return V (6,6): the components of R sigma R' are V times those of sigma."""
    units = tensor(np.eye(6))
    turned = R @ units @ R.T
    return np.array(
        [[turned[k, i, j] for k in range(6)] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))]
    )


def _rebuilt(values: dict) -> StressModes:
    return StressModes(**values)
