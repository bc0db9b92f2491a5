"""Reference frames of a body, each defined by a rigid-body condition; Koppens 2.2 and 5.4.2.

A base function ``Phi`` and ``Phi + Phi_0 + theta cross x`` (5.1) have the same shape. The condition determines the
rigid motion ``Phi_0``, ``theta`` that is added, and so defines the body's frame (c, Q). It applies to base functions
of any origin: nodes of a mesh, quadrature points of a beam.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import with_match
from fem.common.tall_matrices import combine
from fem.model.freedoms import NAMES, components

from ..body.inertia import Coupling, FloatArray, Inertia, coupling, integrals, modal_mass
from ..body.reduced_body import Marker


@dataclass(frozen=True, eq=False)
class Field:
    """N base functions at points, with the mass between the points and the markers attached to them."""

    points: FloatArray  # (n,3) m
    Phi: FloatArray  # (n,3,N)
    mass: scipy.sparse.spmatrix  # (n,n) scalar mass matrix, kg
    markers: Mapping[str, Marker] = field(default_factory=dict)

    def coupling(self) -> Coupling:
        """Return the inertia integrals of first order."""
        return coupling(self.points, self.Phi, self.mass)

    def modal_mass(self) -> FloatArray:
        """Return C8 (N, N)."""
        return modal_mass(self.Phi, self.mass)

    def integrals(self) -> Inertia:
        """Return C1 to C8."""
        return integrals(self.points, self.Phi, self.mass)

    def center(self) -> FloatArray:
        """Return the mass centre (3,)."""
        return np.asarray(self.mass.sum(axis=0)).ravel() @ self.points / self.mass.sum()

    def marker(self, name: str) -> Marker:
        """Return the marker called ``name``; InputError with the names that exist."""
        if name not in self.markers:
            raise InputError(
                f"there is no interface or marker {with_match(name, self.markers)}; there are {listing(self.markers)}"
            )
        return self.markers[name]

    def about(self, origin: FloatArray) -> Field:
        """Return the field with positions measured from ``origin`` (3,)."""
        markers = {name: replace(m, point=m.point - origin) for name, m in self.markers.items()}
        return replace(self, points=self.points - origin, markers=markers)

    def moved(self, translation: FloatArray, rotation: FloatArray) -> Field:
        """Return Phi_i + translation_i + rotation_i cross x, Koppens (5.1); both (3,N)."""
        # rotation_i cross x = sum_b x_b (rotation_i cross e_b)
        spin = np.cross(rotation.T[:, None], np.eye(3)).transpose(1, 2, 0)  # (b, component, N)
        turned = combine(self.points, spin.reshape(3, -1)).reshape(self.Phi.shape)
        Phi = self.Phi + translation + turned
        markers = {}
        for name, marker in self.markers.items():
            shift = translation + np.cross(rotation.T, marker.point).T
            B = marker.B + rotation if marker.has_rotation else marker.B
            markers[name] = replace(marker, Phi=marker.Phi + shift, B=B)
        return replace(self, Phi=Phi, markers=markers)

    def combined(self, S: FloatArray) -> Field:
        """Return the linear combinations Phi S of the base functions, S (N,N'); Koppens (3.48)."""
        markers = {name: replace(m, Phi=m.Phi @ S, B=m.B @ S) for name, m in self.markers.items()}
        return replace(self, Phi=self.Phi @ S, markers=markers)


class ReferenceFrame(ABC):
    """A reference frame of a body, by the rigid-body condition that the base functions meet in it."""

    #: whether the mean displacement and the mean rotation of every base function vanish
    mean: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Name in a report and in a file."""
        return type(self).__name__

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the markers that are used."""
        return ()

    @abstractmethod
    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field that meets the condition, x measured from the new origin, and that origin (3,).

        Parameters
        ----------
        body : Field
            Base functions at the mass points and markers.

        Returns
        -------
        tuple
            The changed field, and the origin, (3,), m.
        """


@dataclass(frozen=True)
class MeanDisplacement(ReferenceFrame):
    """The mean-displacement frame: no mean displacement and no mean rotation, Koppens (2.8) and (2.10).

    The equations of motion are simplest in it: the origin is the centre of mass, so that C1, C2 and C6 vanish. Phi_0
    and theta follow from (5.2) and (5.3). It is the default, and the only frame with geometric stiffening.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> body = modal.reduce(bar, modal.eigenmodes(bar, n=2), frame=modal.MeanDisplacement())
    >>> body.origin.round(6).tolist()
    [0.5, 0.05, 0.05]
    """

    mean: ClassVar[bool] = True

    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field that meets the condition and its origin, the centre of mass (3,)."""
        origin = body.center()
        body = body.about(origin)
        for _ in range(2):  # the second time for round-off alone
            moments = body.coupling()
            # a straight line of mass has no inertia about itself, and needs none: least squares
            theta = -np.asarray(np.linalg.lstsq(moments.C3, moments.C6.T, rcond=1e-12)[0], dtype=np.float64)
            body = body.moved(-moments.C2.T / moments.mass, theta)
        return body, origin


@check_arguments
@dataclass(frozen=True)
class Chord(ReferenceFrame):
    """A frame whose origin is at marker ``a`` and whose axis from ``a`` to ``b`` passes through marker ``b``.

    u_a = 0, and u_b has no component across the chord; about the chord the mean rotation is zero (no angular
    momentum, as in (2.10)), so that the ends need no rotation. For linear theory and for comparison.

    Parameters
    ----------
    a, b : str
        Interfaces or markers at the ends of the chord.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.reduce(bar, modal.eigenmodes(bar, n=2), frame=modal.Chord("x0", "x1"))
    <ReducedBody 'box': 2 base functions, 78.5 kg, frame Chord(x0, x1)>
    """

    a: str
    b: str

    @property
    def label(self) -> str:
        """Name in a report and in a file."""
        return f"Chord({self.a}, {self.b})"

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the markers that are used."""
        return (self.a, self.b)

    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field that meets the condition and its origin, the point of ``a`` (3,).

        Raises
        ------
        InputError
            The chord has no length.
        """
        origin = body.marker(self.a).point
        body = body.about(origin)
        a, b = body.marker(self.a), body.marker(self.b)
        length = float(np.linalg.norm(b.point))
        if length <= 1e-9 * np.ptp(body.points, axis=0).max():
            raise InputError(f"the chord from '{self.a}' to '{self.b}' has no length; choose others")
        axis = b.point / length
        across = -np.cross(axis, (b.Phi - a.Phi).T).T / length
        body = body.moved(-a.Phi, across)
        moments = body.coupling()
        about = axis @ moments.C3 @ axis
        if about > 1e-12 * np.trace(moments.C3):
            spin = -np.outer(axis, moments.C6 @ axis) / about
            body = body.moved(np.zeros_like(spin), spin)
        return body, origin


@check_arguments
@dataclass(frozen=True)
class Prescribed(ReferenceFrame):
    """A frame with six prescribed components: those named do not move in the body's frame.

    The origin is the first marker's point.

    Parameters
    ----------
    held : mapping of str to str or tuple of str
        {marker: components}, with "x", "y", "z", "rx", "ry", "rz" (in the axes of the mesh) or "all"; six together.

    Raises
    ------
    InputError
        The number of components is not six; at the reduction: they leave a rigid motion, or a rotation is prescribed
        at a marker that has none.

    Notes
    -----
    Koppens 5.3: where a load acts away from these points, the linear body answers wrongly to its axial part.

    Examples
    --------
    >>> import modal
    >>> modal.Prescribed({"a": ("x", "y", "z", "rx"), "b": ("y", "z")}).label
    'Prescribed(a: x y z rx, b: y z)'
    """

    held: Mapping[str, str | tuple[str, ...]] = field(hash=False)

    def __post_init__(self) -> None:
        table = {
            name: tuple(components(what, f"the frame, at {name!r},")) for name, what in self.held.items()
        }
        count = sum(map(len, table.values()))
        if count != 6:
            raise InputError(
                f"a frame needs six prescribed components, not {count} ({self._words(table)}): more would "
                "prevent a deformation, fewer would leave a rigid motion"
            )
        object.__setattr__(self, "held", table)

    @staticmethod
    def _words(table: Mapping[str, tuple[str, ...]]) -> str:
        return ", ".join(f"{name}: {' '.join(what)}" for name, what in table.items()) or "none"

    @property
    def label(self) -> str:
        """Name in a report and in a file."""
        return f"Prescribed({self._words(self.held)})"  # type: ignore[arg-type]

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the markers that are used."""
        return tuple(self.held)

    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field that meets the condition and its origin, the first marker's point (3,).

        Raises
        ------
        InputError
            The components leave a rigid motion, or a rotation is prescribed at a marker that has none.
        """
        origin = body.marker(next(iter(self.held))).point
        body = body.about(origin)
        size = float(np.ptp(body.points, axis=0).max())
        rigid, given = [], []
        for name, what in self.held.items():
            marker = body.marker(name)
            turning = [component for component in what if component.startswith("r")]
            if turning and not marker.has_rotation:
                raise InputError(
                    f"the frame prescribes {' '.join(turning)} of '{name}', which has no rotation (fewer "
                    "than three nodes, or on one line); prescribe displacements there"
                )
            rows = np.block([[np.eye(3), np.cross(np.eye(3), marker.point).T], [np.zeros((3, 3)), np.eye(3)]])
            numbers = [NAMES.index(component) for component in what]
            rigid.append(rows[numbers])
            given.append(np.vstack([marker.Phi, marker.B])[numbers])
        scale = np.array([1, 1, 1, 1 / size, 1 / size, 1 / size])  # rotations in units of a displacement
        G = np.concatenate(rigid) * scale
        G = G / np.linalg.norm(G, axis=1)[:, None].clip(1e-300)
        _, values, right = np.linalg.svd(G)
        if values[5] < 1e-6:
            motion = np.round(right[5] / np.abs(right[5]).max(), 3) + 0.0
            raise InputError(
                f"the frame {self.label} leaves a rigid motion: translation {motion[:3].tolist()} with rotation "
                f"{motion[3:].tolist()} about '{next(iter(self.held))}' (scaled); prescribe other components"
            )
        motion = -np.linalg.solve(np.concatenate(rigid), np.concatenate(given))
        return body.moved(motion[:3], motion[3:]), origin


@check_arguments
@dataclass(frozen=True)
class FixedPoint(ReferenceFrame):
    """A frame that moves and turns with one marker: the body is a cantilever built in there.

    Parameters
    ----------
    at : str
        Interface or marker with a rotation.

    Notes
    -----
    Convenient for a chain of bodies. Without stiffening, however, it answers wrongly to loads at the far end: their
    axial part bends the body in tension and straightens it in compression (Koppens 5.3, figs. 5.6-5.10).

    Examples
    --------
    >>> import modal
    >>> modal.FixedPoint("root").label
    'FixedPoint(root)'
    """

    at: str

    @property
    def label(self) -> str:
        """Name in a report and in a file."""
        return f"FixedPoint({self.at})"

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the markers that are used."""
        return (self.at,)

    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field that meets the condition and its origin, the marker's point (3,)."""
        return Prescribed({self.at: "all"}).impose(body)


@dataclass(frozen=True)
class Unchanged(ReferenceFrame):
    """No rigid-body condition: the base functions stay as they are.

    Positions x are measured from the origin of the mesh or of the beam's axis.

    Examples
    --------
    >>> import modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic(), frame=modal.Unchanged())
    >>> beam.origin.tolist()
    [0.0, 0.0, 0.0]
    """

    def impose(self, body: Field) -> tuple[Field, FloatArray]:
        """Return the field itself and (0, 0, 0)."""
        return body, np.zeros(3)


def checked(frame: ReferenceFrame | None) -> ReferenceFrame:
    """Return ``frame``, or MeanDisplacement() for None; InputError if it is not a reference frame."""
    if frame is None:
        return MeanDisplacement()
    if not isinstance(frame, ReferenceFrame):
        raise InputError(
            f"frame={frame!r} is not a reference frame; give modal.MeanDisplacement(), "
            "modal.FixedPoint(a), modal.Chord(a, b), modal.Prescribed({a: components, ...}) or modal.Unchanged(), with "
            "parentheses"
        )
    return frame


def inertia_in(frame: ReferenceFrame, shaped: Field) -> dict[str, Any]:
    """Return the mass, C1..C8 and ``mean`` of base functions to which ``frame`` was applied, by their names.

    In the mean-displacement frame C1, C2 and C6 are zero but for round-off, which is removed.
    """
    values: dict[str, Any] = shaped.integrals().as_dict()
    if frame.mean:
        values |= {name: np.zeros_like(values[name]) for name in ("C1", "C2", "C6")}
    return values | {"mean": frame.mean}
