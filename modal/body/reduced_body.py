"""What dynamics knows of a flexible body: a few inertia integrals, a stiffness and some frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import scipy

from fem.common.errors import InputError, listing

from .axial_energy import AxialEnergy
from .inertia import FloatArray
from .stress_modes import StressModes


def fixed(value: npt.ArrayLike, shape: tuple[int, ...] | None = None, what: str = "array") -> FloatArray:
    """Return a read-only float copy of ``value``; InputError if it is not finite or not of ``shape``."""
    array = np.array(value, dtype=np.float64, order="C")
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
class Marker:
    """A frame that rides on the body: where it stands and how the base functions move it.

    Its displacement is ``Phi alpha`` (m), its small rotation ``B alpha`` (rad), in the body's reference base. With
    geometric stiffening ``alpha' GF_k alpha / 2`` is added to the displacement, ``alpha' GM_k alpha / 2`` to the
    rotation vector (:mod:`modal.reduction.stiffening`).
    """

    point: FloatArray  # (3,) m, from the body's origin
    Phi: FloatArray  # (3,N)
    B: FloatArray  # (3,N)
    has_rotation: bool = True  # False: the rotation can't be read off (a node alone); B is zero
    GF: FloatArray | None = None  # (3,N,N) m
    GM: FloatArray | None = None  # (3,N,N) rad

    def __post_init__(self) -> None:
        N = np.shape(self.Phi)[-1]
        if (self.GF is None) != (self.GM is None):
            raise InputError("a marker has both of GF and GM, or neither")
        for name in ("GF", "GM"):
            if getattr(self, name) is not None:
                value = fixed(getattr(self, name), (3, N, N), f"a marker's {name}")
                object.__setattr__(self, name, value)
        object.__setattr__(self, "point", fixed(self.point, (3,), "a marker's point"))
        object.__setattr__(self, "Phi", fixed(self.Phi, (3, N), "a marker's Phi"))
        object.__setattr__(self, "B", fixed(self.B, (3, N), "a marker's B"))

    def turned(self, R: FloatArray) -> Marker:
        """Return the marker of the body turned by R (3,3)."""
        second = [None if G is None else np.tensordot(R, G, axes=1) for G in (self.GF, self.GM)]
        return Marker(R @ self.point, R @ self.Phi, R @ self.B, self.has_rotation, *second)


@dataclass(frozen=True, eq=False)
class Recovery:
    """The body's surface, for pictures: base functions at its points, and triangles between them."""

    points: FloatArray  # (m,3) m, from the body's origin
    Phi: FloatArray  # (m,3,N)
    triangles: npt.NDArray[np.int64]  # (nt,3) rows of points, outward
    stress: StressModes | None = None

    def __post_init__(self) -> None:
        m = len(self.points)
        object.__setattr__(self, "points", fixed(self.points, (m, 3), "the surface's points"))
        object.__setattr__(self, "Phi", fixed(self.Phi, (m, 3, np.shape(self.Phi)[-1]), "the surface's Phi"))
        triangles = np.array(self.triangles, dtype=np.int64).reshape(-1, 3)
        triangles.setflags(write=False)
        object.__setattr__(self, "triangles", triangles)

    def turned(self, R: FloatArray) -> Recovery:
        """Return the surface of the body turned by R (3,3)."""
        stress = None if self.stress is None else self.stress.turned(R)
        return Recovery(self.points @ R.T, np.einsum("ab,mbi->mai", R, self.Phi), self.triangles, stress)


class RecoverySource(Protocol):
    """Something that brings the recovery part when it is asked for, such as a file."""

    def read(self) -> Recovery | None:
        """Return the recovery part, without the stress modes."""

    def read_stress(self) -> StressModes | None:
        """Return the stress modes; None if there are none."""

    def turned(self, R: FloatArray) -> RecoverySource:
        """Return a source that gives the same part turned by R."""


@dataclass(frozen=True, eq=False, repr=False)
class ReducedBody:
    """A flexible body as N base functions: all that dynamics knows of a mesh.

    Positions ``x`` are measured from ``origin``, components are in the body's reference base, SI units.
    A point of the moving body is ``r = c + Q (x + sum_i alpha_i Phi_i)``, Koppens (2.1), (2.28).
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
    surface: Recovery | RecoverySource | None = None  # what .recovery gives, or where it is read from
    provenance: Mapping[str, str] = field(default_factory=dict)  # where the numbers come from, in words
    notes: tuple[str, ...] = ()  # what the reduction has to say, such as combinations that it dropped
    C5_stiffening: FloatArray | None = None  # (N,N,3,3) to be added to C5: centrifugal stiffening
    judgement: tuple[str, ...] = ()  # lines that tell how good the basis is, see judged()
    axial: AxialEnergy | None = None  # strain energy by axial modes, in place of the terms of second order
    linear: bool = False  # linear theory was asked for: there is no word of what it leaves out

    # these methods need what stands above this module; modal/__init__.py binds them
    save: ClassVar[Callable[..., Path]]
    judged: ClassVar[Callable[..., ReducedBody]]
    report: ClassVar[Callable[..., str]]

    def __post_init__(self) -> None:
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
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "markers", MappingProxyType(dict(self.markers)))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))
        self._check(N)

    def __reduce__(self) -> tuple:  # read-only mappings can't be pickled, which parallel studies need
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        values |= {"markers": dict(self.markers), "provenance": dict(self.provenance)}
        return _rebuilt, (values,)

    def _check(self, N: int) -> None:
        faults = []
        if not self.mass > 0:
            faults.append(f"its mass is {self.mass:g} kg; it must be positive")
        if np.abs(self.C8 - self.C8.T).max(initial=0) > 1e-9 * np.abs(self.C8).max(initial=0):
            faults.append("its modal mass matrix C8 is not symmetric")
        if np.abs(self.K - self.K.T).max(initial=0) > 1e-9 * np.abs(self.K).max(initial=0):
            faults.append("its stiffness K is not symmetric")
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
            raise InputError(f"body '{self.name}' can't be: " + "; ".join(faults))

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
        return f"<ReducedBody '{self.name}': {self.N} base functions, {self.mass:.6g} kg, frame {self.frame}>"

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
        """(N,) Hz, ascending: eigenfrequencies of (K, C8), the body's frame held at rest."""
        squares = scipy.linalg.eigh(self.K, self.C8, eigvals_only=True)
        return fixed(np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi))

    @cached_property
    def recovery(self) -> Recovery | None:
        """The surface with its base functions; of a body from a file it is read when first asked for.

        FileError if that file has gone or was replaced.
        """
        if self.surface is None or isinstance(self.surface, Recovery):
            return self.surface
        return self.surface.read()

    @cached_property
    def stress_modes(self) -> StressModes | None:
        """The stresses of the base functions, None if there are none; from a file they are read when first asked for.

        FileError as for :attr:`recovery`.
        """
        if self.surface is None or isinstance(self.surface, Recovery):
            return None if self.surface is None else self.surface.stress
        return self.surface.read_stress()

    def marker(self, name: str) -> Marker:
        """Return the marker called ``name``; InputError with the names that exist."""
        if name not in self.markers:
            raise InputError(f"body '{self.name}' has no marker '{name}'; it has {listing(self.markers)}")
        return self.markers[name]

    def turned(self, R: npt.ArrayLike) -> ReducedBody:
        """Return the same body with everything turned by R (3,3), as if its mesh had been: x -> R x."""
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
            judgement=(),  # it names directions
        )


def stress_modes_of(body: ReducedBody, names: Sequence[str] = ()) -> StressModes:
    """Return the stress modes of a body; InputError if it has none."""
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
