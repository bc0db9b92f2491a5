"""Elements with six deformations between two frames: bushings and massless beams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

import fem
from fem.common.errors import InputError
from fem.common.numbers import finite, vector

from ...core.kinds import BETWEEN
from ..bodies import Body, BodyFrame, FlexibleBody
from ..joints.base import FrameData, Side
from .force_element import Element
from .law import ForceLaw
from .loads_and_springs import ends_apart, frame_at, side_problems
from .passive_laws import SpringTable, pieces

COMPONENTS = ("x", "y", "z", "about x", "about y", "about z")


@dataclass(frozen=True, eq=False)
class _Six(Element):
    """An element with six deformations between two frames that are parallel in the drawn configuration.

    The deformations are a displacement (m) in the axes half-way between both frames, and the rotation vector (rad) from
    one frame to the other, below half a turn. Both do not depend on which end is first, nor on rigid motion.
    """

    name: str
    first: Side
    second: Side

    count: ClassVar = 6
    kind: ClassVar[int] = BETWEEN  # type: ignore[misc]

    def ends(self) -> tuple[ArrayLike | None, ArrayLike | None]:
        """Return the given points of both ends, or None."""
        raise NotImplementedError

    def sides(self) -> tuple[Side, Side]:
        """Return both sides."""
        return self.first, self.second

    def drawn_axes(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the axes of the element in the drawn configuration, (3, 3), columns."""
        raise NotImplementedError

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames at both ends."""
        axes = self.drawn_axes(bodies)
        first, second = self._points(bodies)
        return first._replace(A=axes), second._replace(A=axes)

    def _points(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        one, other = self.ends()
        return frame_at(self.first, one, bodies, self.label), frame_at(self.second, other, bodies, self.label)

    def side_problems(self) -> list[str]:
        """Return the problems of both ends as sentences."""
        found = []
        for side, point in zip((self.first, self.second), self.ends(), strict=True):
            found += side_problems(side, point, self.label)
            try:
                if point is not None:
                    vector(point, f"{self.label}: point")
            except InputError as error:
                found.append(str(error))
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this element on the bodies of a system as sentences."""
        found = []
        for side in (self.first, self.second):
            body = bodies[side.body.name] if isinstance(side, BodyFrame) else None
            if isinstance(body, FlexibleBody) and not body.reduced.markers[side.name].has_rotation:  # type: ignore[union-attr]
                found.append(
                    f"{self.label}: {side!r} has too few nodes to define a rotation; use a larger node set, or use "
                    "springs along lines"
                )
        return found


@dataclass(frozen=True, eq=False)
class _BushingLaw(ForceLaw):
    stiffness: np.ndarray
    damping: np.ndarray
    tables: Mapping[int, SpringTable]

    function: ClassVar = "bushing"
    elastic: ClassVar[bool] = True

    def numbers(self) -> list[float]:
        """Return stiffness, damping, the positions of the tables and the tables."""
        places, curves = [0.0] * 6, list[float]()
        for k, table in self.tables.items():
            places[k] = 78.0 + len(curves)
            curves += pieces(table.curve())
        return [*self.stiffness.ravel(), *self.damping.ravel(), *places, *curves]


@dataclass(frozen=True, eq=False)
class Bushing(_Six):
    """An elastic mount between two frames, with forces and moments from their relative displacement and rotation.

    Parameters
    ----------
    name : str
        Name of the bushing, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    stiffness : array_like or sequence, optional
        Six values, N/m along and Nm/rad about the three axes, or a symmetric matrix (6, 6). Each of the six values may
        be a :class:`SpringTable`.
    damping : array_like, optional
        Six values, Ns/m and Nms/rad, or a symmetric matrix (6, 6).
    first_point, second_point : array_like, optional
        Positions of both ends in the drawn configuration, (3,), m, inertial base. If one of them is left out, both ends
        are at the other. A point is needed unless one side is a named frame.
    axes : array_like, optional
        Axes x, y, z of the bushing in the drawn configuration as rows, (3, 3). By default the inertial axes.

    Notes
    -----
    The bushing is free of load in the drawn configuration. The displacement is measured in axes half-way between both
    frames and the rotation by its rotation vector. Rotations up to half a turn therefore conserve energy, and the
    result does not depend on which end is first.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> soft = [1e6] * 3 + [1e3] * 3
    >>> mount = fb.Bushing("mount", fb.GROUND, bar, stiffness=soft, damping=[1e3] * 6, first_point=(0, 0, 0))
    """

    _: KW_ONLY
    stiffness: ArrayLike | Sequence = (0.0,) * 6
    damping: ArrayLike = (0.0,) * 6
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    axes: ArrayLike | None = None

    def ends(self) -> tuple[ArrayLike | None, ArrayLike | None]:
        """Return the given points of both ends; None for a named frame."""
        first = self.first_point if self.first_point is not None else self.second_point
        given = (first, self.second_point if self.second_point is not None else first)
        one, other = (
            None if isinstance(side, BodyFrame) else point
            for side, point in zip(self.sides(), given, strict=True)
        )
        return one, other

    def _points(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both frames; a side without a point of its own is placed at the named frame of the other side."""
        ends = list(self.ends())
        for k, (side, other) in enumerate(((self.first, self.second), (self.second, self.first))):
            if ends[k] is None and not isinstance(side, BodyFrame) and isinstance(other, BodyFrame):
                body = bodies[other.body.name]
                ends[k] = body.start + body.marker(other.name)[0]
        return (
            frame_at(self.first, ends[0], bodies, self.label),
            frame_at(self.second, ends[1], bodies, self.label),
        )

    def drawn_axes(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the axes of the bushing in the drawn configuration, (3, 3), columns."""
        return np.eye(3) if self.axes is None else np.asarray(self.axes, float).T

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the drawn displacement in the axes of the bushing, and zero rotation, (6,)."""
        return np.concatenate([self.drawn_axes({}).T @ drawn, np.zeros(3)])

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the force law."""
        values = list(self.stiffness) if np.ndim(_numeric(self.stiffness)) == 1 else self.stiffness  # type: ignore[arg-type]
        tables = {}
        if isinstance(values, list):
            tables = {k: v for k, v in enumerate(values) if isinstance(v, SpringTable)}
        return _BushingLaw(_matrix(_numeric(self.stiffness)), _matrix(_numeric(self.damping)), tables)

    def problems(self) -> list[str]:
        """Return the problems of this bushing as sentences."""
        found = self.side_problems()
        named = isinstance(self.first, BodyFrame) or isinstance(self.second, BodyFrame)
        if not named and self.first_point is None and self.second_point is None:
            found.append(
                f"{self.label} has no position; give first_point=(x, y, z), or a named frame body['name'] on one side"
            )
        for name in ("stiffness", "damping"):
            found += _six_problems(getattr(self, name), f"{self.label}: {name}", tables=name == "stiffness")
        if self.axes is not None:
            axes = _array(self.axes)
            if axes is None or axes.shape != (3, 3) or not np.allclose(axes @ axes.T, np.eye(3), atol=1e-9):
                found.append(f"{self.label}: axes is {self.axes!r}; give three perpendicular unit vectors")
            elif np.linalg.det(axes) < 0:
                found.append(f"{self.label}: axes is left-handed; reverse one of its axes")
        return found


def _array(value) -> np.ndarray | None:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None


def _numeric(value) -> np.ndarray | None:
    """Return stiffness values as numbers, with zero for each table."""
    if isinstance(value, list | tuple):
        value = [0.0 if isinstance(v, SpringTable) else v for v in value]
    return _array(value)


def _matrix(value) -> np.ndarray:
    return np.diag(value) if value.ndim == 1 else value


def _six_problems(value, label: str, tables: bool) -> list[str]:
    found = []
    for k, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        if isinstance(entry, SpringTable) and tables:
            found += entry.problems(f"{label} {COMPONENTS[k] if k < 6 else k}")
    numbers = _numeric(value) if tables else _array(value)
    if numbers is None or numbers.shape not in ((6,), (6, 6)) or not np.isfinite(numbers).all():
        also = " (numbers or tables)" if tables else ""
        return [*found, f"{label} is {value!r}; give six values{also} or a matrix (6, 6)"]
    matrix = _matrix(numbers)
    scale = float(np.abs(matrix).max()) or 1.0
    if np.abs(matrix - matrix.T).max() > 1e-9 * scale:
        i, j = np.unravel_index(int(np.argmax(np.abs(matrix - matrix.T))), (6, 6))
        found.append(
            f"{label} is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g} and entry ({j}, {i}) is {matrix[j, i]:g}"
        )
    elif np.linalg.eigvalsh(matrix)[0] < -1e-9 * scale:
        found.append(
            f"{label} is not positive semidefinite: its lowest eigenvalue is {np.linalg.eigvalsh(matrix)[0]:g}"
        )
    return found


@dataclass(frozen=True, eq=False)
class _BeamLaw(ForceLaw):
    stiffness: np.ndarray
    bowing: np.ndarray
    damping_time: float

    function: ClassVar = "beam"
    elastic: ClassVar[bool] = True

    def numbers(self) -> list[float]:
        """Return K, S and the damping time."""
        return [*self.stiffness.ravel(), *self.bowing.ravel(), self.damping_time]


@dataclass(frozen=True, eq=False)
class MasslessBeam(_Six):
    """A straight elastic beam without mass between two frames, Sol 3.4.

    Parameters
    ----------
    name : str
        Name of the beam, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    beam : fem.Beam
        Material, section and theory: ``fem.Beam(material, section, up=...)``, without offset and without releases.
    first_point, second_point : array_like, optional
        Ends on rigid bodies or the ground in the drawn configuration, (3,), m, inertial base.
    damping_time : float, optional
        Time in s. The damping matrix is the stiffness matrix times this time.

    Notes
    -----
    The stiffness is the 12 x 12 matrix of :class:`fem.Beam` (Timoshenko or Euler-Bernoulli) in a base that moves with
    the beam. The base has the mean rotation of both ends. The shortening due to bending is part of the elongation, so
    that an axial force stiffens the beam or lets it buckle. Rigid motion is unlimited. Deflections relative to this
    base must be those of linear theory: the rotation of one end relative to the other should stay below about 0.3 rad.

    Examples
    --------
    >>> import fem
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> section = fem.Beam(fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), fem.Tube(0.02, thickness=0.002))
    >>> beam = fb.MasslessBeam("beam", fb.GROUND, bar, beam=section, first_point=(-0.5, 0, 0), second_point=(0, 0, 0))
    """

    _: KW_ONLY
    beam: fem.Beam
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    damping_time: float = 0.0

    def ends(self) -> tuple[ArrayLike | None, ArrayLike | None]:
        """Return the given points of both ends, or None."""
        return self.first_point, self.second_point

    def _drawn(self, bodies: Mapping[str, Body]) -> np.ndarray:
        points = [f.x + (bodies[f.body].start if f.body in bodies else 0) for f in self._points(bodies)]
        return np.array(points)[None]

    def drawn_axes(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the axes of the beam in the drawn configuration, (3, 3), columns; x is along the beam."""
        return self.beam.axes("line2", self._drawn(bodies))[0].T

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the length along x and zero rotation, (6,)."""
        return np.array([np.linalg.norm(drawn), 0.0, 0.0, 0.0, 0.0, 0.0])

    def law_of_length(self, length: float) -> _BeamLaw:
        """Return the law of the six deformations for a given length (m)."""
        # The position does not matter: the beam lies along x, with its z axis up.
        beam = fem.Beam(self.beam.material, self.beam.section, up=(0.0, 0.0, 1.0), theory=self.beam.theory)
        X = np.array([[[0.0, 0.0, 0.0], [length, 0.0, 0.0]]])
        motion = np.zeros((12, 6))  # motion of both ends for each deformation; the mean rotation is zero
        motion[6:9, :3] = np.eye(3)
        motion[3:6, 3:], motion[9:12, 3:] = -0.5 * np.eye(3), 0.5 * np.eye(3)
        K = motion.T @ beam.stiffness("line2", X)[0] @ motion
        pulled = motion[:, :1] / K[0, 0]  # displacement due to a tension of 1 N
        S = motion.T @ beam.geometric("line2", X, pulled.T)[0] @ motion
        S[0] = S[:, 0] = 0.0
        return _BeamLaw(0.5 * (K + K.T), 0.5 * (S + S.T), float(self.damping_time))

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the law of the six deformations."""
        start, end = self._drawn(bodies)[0]
        return self.law_of_length(float(np.linalg.norm(end - start)))

    def problems(self) -> list[str]:
        """Return the problems of this beam as sentences."""
        found = self.side_problems()
        if not isinstance(self.beam, fem.Beam):
            return [*found, f"{self.label}: beam is {self.beam!r}; give a fem.Beam(material, section)"]
        if np.any(np.asarray(self.beam.offset)) or any(self.beam.releases.values()):
            found.append(
                f"{self.label}: its fem.Beam has an offset or releases; move the ends or use a joint instead"
            )
        if not (finite(self.damping_time) and self.damping_time >= 0):
            found.append(
                f"{self.label}: damping_time is {self.damping_time!r}; it must be a number, not below zero"
            )
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this beam on the bodies of a system as sentences."""
        found = super().frame_problems(bodies) + ends_apart(self._points(bodies), bodies, self.label)
        if not found:
            try:
                self.beam.check("line2", self._drawn(bodies))
            except InputError as error:
                found.append(f"{self.label}: {error}")
        return found
