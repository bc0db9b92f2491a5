"""The data of a reduced flexible body: inertia integrals, stiffness, markers and a surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.names import with_match
from fem.common.numbers import floats, shown
from fem.common.values import Rotation

from .axial_energy import AxialEnergy
from .inertia import FloatArray
from .load_change import LoadChange
from .station_shapes import StationShapes, checked
from .stress_modes import StressModes


def fixed(value: npt.ArrayLike, shape: tuple[int, ...] | None = None, what: str = "array") -> FloatArray:
    """Return a read-only float copy of ``value``; InputError if it is not finite or not of ``shape``."""
    numbers = floats(value)
    if numbers is None:
        raise InputError(f"{what} is {shown(value)}; it must be numbers")
    array = np.array(numbers, dtype=np.float64, order="C")
    if shape is not None and array.shape != shape:
        raise InputError(f"{what} has the shape {array.shape}; it must be {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{what} holds values that are not finite")
    array.setflags(write=False)
    return array


def rotation_matrix(R: npt.ArrayLike) -> FloatArray:
    """Return R (3,3) as an array; InputError if it is not a proper rotation."""
    R = fixed(R, (3, 3), "the rotation")
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        raise InputError("the rotation is not a proper orthogonal matrix; R R' = I and det R = 1 are needed")
    return R


@dataclass(frozen=True, eq=False)
class Marker(KnownAttributes):
    """A frame attached to the body: its point, and how the base functions move it.

    Its displacement is ``Phi alpha`` (m) and its small rotation ``B alpha`` (rad), in the body's reference basis. With
    geometric stiffening, ``alpha' GF_k alpha / 2`` is added to the displacement and ``alpha' GM_k alpha / 2`` to the
    rotation vector (:mod:`modal.reduction.stiffening`).

    Parameters
    ----------
    point : array (3,), m
        Position, measured from the body's origin.
    Phi : array (3, N)
        Displacement for unit modal coordinates.
    B : array (3, N)
        Small rotation for unit modal coordinates.
    has_rotation : bool
        False for a marker that has no rotation (a single node of a solid); ``B`` is then zero.
    GF, GM : array (3, N, N), m and rad, optional
        Second-order terms of displacement and rotation; give both or neither.

    Raises
    ------
    InputError
        The shapes do not match, a value is not finite, or only one of ``GF`` and ``GM`` is given.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> body = modal.reduce(bar, modal.eigenmodes(bar, n=2), markers=("x1",))
    >>> tip = body.marker("x1")
    >>> (tip.point.round(6) + 0.0).tolist(), tip.Phi.shape, tip.has_rotation
    ([0.5, 0.0, 0.0], (3, 2), True)
    """

    point: FloatArray  # (3,) m, from the body's origin
    Phi: FloatArray  # (3,N)
    B: FloatArray  # (3,N)
    has_rotation: bool = True  # False: a single node without rotation; B is zero
    GF: FloatArray | None = None  # (3,N,N) m
    GM: FloatArray | None = None  # (3,N,N) rad

    def __repr__(self) -> str:
        place = ", ".join(f"{round(x, 12) + 0.0:.6g}" for x in self.point)
        more = ", with second-order terms" if self.GF is not None else ""
        return f"<Marker at ({place}) m, moved by {self.Phi.shape[1]} base functions{more}>"

    def __post_init__(self) -> None:
        N = np.shape(self.Phi)[-1]
        if (self.GF is None) != (self.GM is None):
            raise InputError("a marker needs both of GF and GM, or neither")
        for name in ("GF", "GM"):
            if getattr(self, name) is not None:
                value = fixed(getattr(self, name), (3, N, N), f"a marker's {name}")
                object.__setattr__(self, name, value)
        object.__setattr__(self, "point", fixed(self.point, (3,), "a marker's point"))
        object.__setattr__(self, "Phi", fixed(self.Phi, (3, N), "a marker's Phi"))
        object.__setattr__(self, "B", fixed(self.B, (3, N), "a marker's B"))

    @check_arguments
    def turned(self, R: Annotated[FloatArray, Rotation]) -> Marker:
        """Return the marker of the body rotated by R (3, 3).

        Parameters
        ----------
        R : numpy.ndarray
            Rotation matrix, (3, 3).

        Returns
        -------
        Marker
            The rotated marker.
        """
        second = [None if G is None else np.tensordot(R, G, axes=1) for G in (self.GF, self.GM)]
        return Marker(R @ self.point, R @ self.Phi, R @ self.B, self.has_rotation, *second)


@dataclass(frozen=True, eq=False)
class Recovery(KnownAttributes):
    """The surface of a body, for pictures: its points, their base functions, and triangles between them.

    Parameters
    ----------
    points : array (m, 3), m
        Positions, measured from the body's origin.
    Phi : array (m, 3, N)
        Base functions at the points.
    triangles : array of int (nt, 3)
        Triangles as rows of ``points``, oriented outward.
    stress : StressModes, optional
        Stresses of the base functions.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> surface = modal.reduce(bar, modal.eigenmodes(bar, n=2)).recovery
    >>> surface.points.shape, surface.Phi.shape
    ((56, 3), (56, 3, 2))
    """

    points: FloatArray  # (m,3) m, from the body's origin
    Phi: FloatArray  # (m,3,N)
    triangles: npt.NDArray[np.int64]  # (nt,3) rows of points, outward
    stress: StressModes | None = None

    def __repr__(self) -> str:
        modes = f", {self.stress!r}" if self.stress is not None else ""
        size = f"{len(self.points)} points, {len(self.triangles)} triangles"
        return f"<Recovery: {size}, {self.Phi.shape[2]} base functions{modes}>"

    def __post_init__(self) -> None:
        m = len(self.points)
        object.__setattr__(self, "points", fixed(self.points, (m, 3), "the surface's points"))
        object.__setattr__(self, "Phi", fixed(self.Phi, (m, 3, np.shape(self.Phi)[-1]), "the surface's Phi"))
        triangles = np.array(self.triangles, dtype=np.int64).reshape(-1, 3)
        triangles.setflags(write=False)
        object.__setattr__(self, "triangles", triangles)

    def read(self) -> Recovery:
        """Return the surface itself: it is in memory.

        Returns
        -------
        Recovery
            This object.
        """
        return self

    def read_stress(self) -> StressModes | None:
        """Return the stress modes; None if there are none.

        Returns
        -------
        StressModes or None
            The stress modes.
        """
        return self.stress

    @check_arguments
    def turned(self, R: Annotated[FloatArray, Rotation]) -> Recovery:
        """Return the surface of the body rotated by R (3, 3).

        Parameters
        ----------
        R : numpy.ndarray
            Rotation matrix, (3, 3).

        Returns
        -------
        Recovery
            The rotated surface.
        """
        R = np.asarray(R, dtype=float)
        stress = None if self.stress is None else self.stress.turned(R)
        return Recovery(self.points @ R.T, np.einsum("ab,mbi->mai", R, self.Phi), self.triangles, stress)


class RecoverySource(Protocol):
    """An object that supplies the recovery part on request, such as a file."""

    def read(self) -> Recovery | None:
        """Return the recovery part, without the stress modes."""

    def read_stress(self) -> StressModes | None:
        """Return the stress modes; None if there are none."""

    def turned(self, R: Annotated[FloatArray, Rotation]) -> RecoverySource:
        """Return a source of the same part, rotated by R."""


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class ReducedBody(KnownAttributes):
    """A flexible body as N base functions: all that dynamics uses of a mesh.

    A point of the moving body is ``r = c + Q (x + sum_i alpha_i Phi_i)``, Koppens (2.1), (2.28). Positions ``x`` are
    measured from ``origin``; components are in the body's reference basis, in SI units. :func:`modal.reduce`,
    :func:`modal.load` and :mod:`modal.assumed` return such bodies.

    Attributes
    ----------
    name : str
        Name of the body in messages and reports.
    frame : str
        Rigid-body condition of the base functions, such as "MeanDisplacement" or "Chord(a, b)".
    origin : array (3,), m
        Origin of ``x``, in the coordinates of the mesh or of the beam's axis.
    mass : float, kg
        Mass.
    C1, C2, C3, C4, C5, C6, C7, C8 : arrays
        Inertia integrals, Koppens (2.34)-(2.41): (3,), (N, 3), (3, 3), (N, 3, 3), (N, N, 3, 3), (N, 3), (N, N, 3),
        (N, N).
    K : array (N, N), J
        Stiffness; the strain energy is ``alpha' K alpha / 2``.
    mean : bool
        Whether the mean-displacement conditions (2.8), (2.10) hold; C1, C2 and C6 are then exactly zero.
    D : array (N, N), J s, optional
        Viscous damping of the body's own dampers; the power that they take is ``alpha_dot' D alpha_dot``.
    markers : mapping of str to Marker
        Frames at which joints and forces act and results are read.
    surface : Recovery or RecoverySource, optional
        The surface, or the object that reads it; :attr:`recovery` returns it.
    provenance : mapping of str to str
        Source of the numbers: mesh, material, basis, interfaces.
    notes : tuple of str
        Remarks of the reduction, such as the combinations that it dropped.
    C5_stiffening : array (N, N, 3, 3), optional
        Second-order term that is added to C5: centrifugal stiffening.
    accuracy : tuple of str
        Lines on the accuracy of the basis, kept by :meth:`with_accuracy`.
    axial : AxialEnergy, optional
        Strain energy of axial modes, in place of the second-order terms.
    linear : bool
        True if linear theory was chosen (``stiffening=False``); there are then no warnings of the terms that it lacks.
    loads : mapping of str to tuple
        Distributed loads by name: the markers at which a factor of one acts, each with its force (3,), N.
    load_changes : mapping of str to LoadChange or str
        Of those loads that can follow the deformation, what they gain for unit modal coordinates: ``force`` (3, N) and
        ``moment`` (3, N) about the origin, ``modal`` (N, N). Of others the reason why they can't.
    station_shapes : StationShapes, optional
        Which base functions a contact can take along, see :func:`modal.following_modes`.

    Raises
    ------
    InputError
        A shape does not match, a value is not finite, the mass is not positive, C8, K or D is not symmetric, D is
        negative for some motion, or terms are given that exclude each other.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> body = modal.reduce(bar, modal.eigenmodes(bar, n=2), markers=("x1",))
    >>> body
    <ReducedBody 'box': 2 base functions, 78.5 kg, frame MeanDisplacement, stiffened (Green's strain)>
    >>> body.frequencies_hz.round(1)
    array([521.7, 521.7])
    """

    name: str
    frame: str  # which rigid-body condition the base functions meet: "MeanDisplacement", "Chord(a, b)", ...
    origin: FloatArray  # (3,) m, in the coordinates of the mesh (or of the beam's axis)
    mass: float  # kg
    C1: FloatArray  # (3,)       int rho x                                  (2.34)
    C2: FloatArray  # (N,3)      int rho Phi_i                              (2.35)
    C3: FloatArray  # (3,3)      int rho {(x.x) I - x x}                    (2.36)
    C4: FloatArray  # (N,3,3)    int rho {(Phi_i.x) I - Phi_i x}            (2.37)
    C5: FloatArray  # (N,N,3,3)  int rho {(Phi_i.Phi_j) I - Phi_i Phi_j}    (2.38)
    C6: FloatArray  # (N,3)      int rho x cross Phi_i                      (2.39)
    C7: FloatArray  # (N,N,3)    int rho Phi_i cross Phi_j                  (2.40)
    C8: FloatArray  # (N,N)      int rho Phi_i . Phi_j                      (2.41)
    K: FloatArray  # (N,N) J, strain energy = alpha' K alpha / 2
    mean: bool  # the mean-displacement conditions (2.8), (2.10) hold: C1, C2 and C6 are exactly zero
    markers: Mapping[str, Marker] = field(default_factory=dict)
    surface: Recovery | RecoverySource | None = None  # result of .recovery, or its source
    provenance: Mapping[str, str] = field(default_factory=dict)  # source of the numbers, as text
    notes: tuple[str, ...] = ()  # remarks of the reduction, such as combinations that it dropped
    C5_stiffening: FloatArray | None = None  # (N,N,3,3) to be added to C5: centrifugal stiffening
    accuracy: tuple[str, ...] = ()  # lines on the accuracy of the basis, see with_accuracy()
    axial: AxialEnergy | None = None  # strain energy by axial modes, in place of the terms of second order
    D: FloatArray | None = None  # (N,N) J s, viscous damping of the body's own dampers
    linear: bool = False  # linear theory was chosen: there are no warnings of the terms that it lacks
    loads: Mapping[str, tuple[tuple[str, FloatArray], ...]] = field(
        default_factory=dict
    )  # markers and forces
    load_changes: Mapping[str, LoadChange | str] = field(
        default_factory=dict
    )  # of loads that follow the deformation
    station_shapes: StationShapes | None = None  # which base functions a contact can take along

    # these methods need modules above this one; modal/__init__.py adds them
    save: ClassVar[Callable[..., Path]]
    export: ClassVar[Callable[..., Path]]
    with_accuracy: ClassVar[Callable[..., ReducedBody]]
    report: ClassVar[Callable[..., str]]

    def __post_init__(self) -> None:
        if not np.ndim(self.C8):
            raise InputError(f"C8 is {shown(self.C8)}; it must be an array (N, N, 3, 3)")
        N = np.shape(self.C8)[0]
        shapes = {
            **{"origin": (3,), "C1": (3,), "C2": (N, 3), "C3": (3, 3), "C4": (N, 3, 3), "C5": (N, N, 3, 3)},
            **{"C6": (N, 3), "C7": (N, N, 3), "C8": (N, N), "K": (N, N)},
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, fixed(getattr(self, name), shape, f"{name} of body '{self.name}'"))
        if self.C5_stiffening is not None:
            what = f"C5_stiffening of body '{self.name}'"
            object.__setattr__(self, "C5_stiffening", fixed(self.C5_stiffening, (N, N, 3, 3), what))
        if self.D is not None:
            object.__setattr__(self, "D", fixed(self.D, (N, N), f"D of body '{self.name}'"))
        if self.station_shapes is not None:
            what = f"station_shapes of body '{self.name}'"
            object.__setattr__(self, "station_shapes", checked(self.station_shapes, N, what))
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "markers", MappingProxyType(dict(self.markers)))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))
        object.__setattr__(self, "loads", MappingProxyType(self._fixed_loads()))
        object.__setattr__(self, "load_changes", MappingProxyType(self._fixed_changes(N)))
        self._check(N)

    def __reduce__(self) -> tuple:  # read-only mappings can't be pickled, which parallel studies need
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        values |= {"markers": dict(self.markers), "provenance": dict(self.provenance)}
        values |= {"loads": dict(self.loads), "load_changes": dict(self.load_changes)}
        return _rebuilt, (values,)

    def _fixed_loads(self) -> dict[str, tuple[tuple[str, FloatArray], ...]]:
        what = f"a load of body '{self.name}'"
        return {
            name: tuple((marker, fixed(force, (3,), what)) for marker, force in parts)
            for name, parts in self.loads.items()
        }

    def _fixed_changes(self, N: int) -> dict[str, LoadChange | str]:
        what = f"a load of body '{self.name}'"
        shapes = ((3, N), (3, N), (N, N))
        return {
            name: change
            if isinstance(change, str)
            else LoadChange(*(fixed(part, shape, what) for part, shape in zip(change, shapes, strict=True)))
            for name, change in self.load_changes.items()
        }

    def _check(self, N: int) -> None:
        faults = []
        if not self.mass > 0:
            faults.append(f"its mass is {self.mass:g} kg; it must be positive")
        if np.abs(self.C8 - self.C8.T).max(initial=0) > 1e-9 * np.abs(self.C8).max(initial=0):
            faults.append("its modal mass matrix C8 is not symmetric")
        if np.abs(self.K - self.K.T).max(initial=0) > 1e-9 * np.abs(self.K).max(initial=0):
            faults.append("its stiffness K is not symmetric")
        faults += self._damping_faults()
        for name, marker in self.markers.items():
            if marker.Phi.shape[1] != N:
                faults.append(f"marker '{name}' has {marker.Phi.shape[1]} base functions, the body has {N}")
        if self.mean and any(np.any(value) for value in (self.C1, self.C2, self.C6)):
            faults.append("mean is set, but C1, C2, C6 are not zero")
        if self.C5_stiffening is not None and not self.mean:
            faults.append("it has stiffening terms, which hold in the mean-displacement frame only")
        if self.axial is not None:
            faults += self._axial_faults(N)
        if faults:
            raise InputError(f"body '{self.name}' is not valid: " + "; ".join(faults))

    def _damping_faults(self) -> list[str]:
        if self.D is None:
            return []
        size = np.abs(self.D).max(initial=0)
        if np.abs(self.D - self.D.T).max(initial=0) > 1e-9 * size:
            return ["its damping D is not symmetric"]
        if np.linalg.eigvalsh(self.D).min(initial=0) < -1e-9 * size:
            return ["its damping D is negative for some motion: it would add energy"]
        return []

    def _axial_faults(self, N: int) -> list[str]:
        assert self.axial is not None
        if self.axial.direction.shape[1] != N:
            return [
                f"its axial modes are of {self.axial.direction.shape[1]} base functions, the body has {N}"
            ]
        if self.C5_stiffening is not None or any(m.GF is not None for m in self.markers.values()):
            return ["it has stiffening terms and axial modes: they would count the same stiffness twice"]
        return []

    def __repr__(self) -> str:
        """Return one line; :meth:`report` says more."""
        green = " (Green's strain)" if "stretch" in self.provenance else ""
        more = f", stiffened{green}" if self.stiffened else ""
        return f"<ReducedBody '{self.name}': {self.N} base functions, {self.mass:.6g} kg, frame {self.frame}{more}>"

    @property
    def N(self) -> int:
        """Number of base functions."""
        return len(self.C8)

    @property
    def stiffened(self) -> bool:
        """Whether the body has the second-order terms of geometric stiffening."""
        return self.C5_stiffening is not None

    @cached_property
    def frequencies_hz(self) -> FloatArray:
        """Eigenfrequencies (N,) in Hz of (K, C8), ascending, with the body's frame at rest."""
        squares = scipy.linalg.eigh(self.K, self.C8, eigvals_only=True)
        return fixed(np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi))

    @cached_property
    def recovery(self) -> Recovery | None:
        """The surface with its base functions; None if there is none.

        The surface of a body from a file is read at the first access. FileError is raised if that file no longer
        exists or was replaced.
        """
        return None if self.surface is None else self.surface.read()

    @cached_property
    def stress_modes(self) -> StressModes | None:
        """The stresses of the base functions; None if there are none.

        Those of a body from a file are read at the first access; FileError as for :attr:`recovery`.
        """
        return None if self.surface is None else self.surface.read_stress()

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the markers that are interfaces or node sets: all but the frames of distributed loads."""
        of_loads = {marker for parts in self.loads.values() for marker, _ in parts}
        return tuple(name for name in self.markers if name not in of_loads)

    @check_arguments
    def marker(self, name: str) -> Marker:
        """Return a marker by its name.

        Parameters
        ----------
        name : str
            Name of the marker.

        Returns
        -------
        Marker
            The marker.

        Raises
        ------
        InputError
            The body has no such marker; the message lists those that it has.
        """
        if name not in self.markers:
            raise InputError(
                f"body '{self.name}' has no marker {with_match(name, self.markers)}; it has {listing(self.markers)}"
            )
        return self.markers[name]

    @check_arguments(own=("R",))
    def turned(self, R: npt.ArrayLike) -> ReducedBody:
        """Return the same body rotated as if its mesh had been: x -> R x.

        Parameters
        ----------
        R : array (3, 3)
            Rotation matrix.

        Returns
        -------
        ReducedBody
            The rotated body, without its ``accuracy``, which names directions.

        Raises
        ------
        InputError
            R is not a proper rotation.
        """
        R = rotation_matrix(R)
        return replace(
            self,
            origin=R @ self.origin,
            C1=R @ self.C1,
            C2=self.C2 @ R.T,
            C3=R @ self.C3 @ R.T,
            C4=R @ self.C4 @ R.T,
            C5=R @ self.C5 @ R.T,
            C5_stiffening=None if self.C5_stiffening is None else R @ self.C5_stiffening @ R.T,
            C6=self.C6 @ R.T,
            C7=self.C7 @ R.T,
            markers={name: marker.turned(R) for name, marker in self.markers.items()},
            surface=None if self.surface is None else self.surface.turned(R),
            loads={
                name: tuple((marker, R @ force) for marker, force in parts)
                for name, parts in self.loads.items()
            },
            load_changes={
                name: change if isinstance(change, str) else change.turned(R)
                for name, change in self.load_changes.items()
            },
            accuracy=(),  # it names directions
        )


def stress_modes_of(body: ReducedBody, names: Sequence[str] = ()) -> StressModes:
    """Return the stress modes of a body; InputError if it has none.

    ``names`` may hold the user's own name of the body, for the message.
    """
    modes = body.stress_modes
    if modes is None:
        raise InputError(
            f"body '{(*names, body.name)[0]}' has no stress modes: it was reduced with stress=False or with axial "
            "modes (whose strain is not linear), comes from a file of an older version, or has no finite elements "
            "(matrices alone, assumed functions). Make it with modal.reduce(structure, basis, stress=True)"
        )
    return modes


def _rebuilt(values: dict) -> ReducedBody:
    return ReducedBody(**values)
