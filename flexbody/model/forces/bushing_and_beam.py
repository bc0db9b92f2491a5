"""Elements with six deformations between two frames: bushings and massless beams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import fem
from fem.common.errors import InputError
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr

from ...core.kinds import ALL_AXES
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData, Side
from .force_element import Element
from .geometry import Between
from .law import ForceLaw
from .passive_laws import SpringTable, pieces
from .place import ends_apart, frame_at, point_problems, side_problems
from .symbol import Symbol

#: Entries of a matrix that differ by less than this part of its largest are equal.
SAME_ENTRY = 1e-12
COMPONENTS = ("x", "y", "z", "about x", "about y", "about z")


class _AtOnePoint(Between):
    """Six deformations between two frames at one point, ``first_point``, unless the second end has its own point.

    A named frame has its own position, which is also that of the other end if no point is given.
    """

    def ends(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, FrameData]:
        """Return both ends; an end without a place of its own is at the point or named frame of the other."""
        point = self.first_point
        if point is None:
            point = next(side for side in (self.second, self.first) if side.named).drawn(bodies)
        second = point if self.second_point is None else self.second_point
        return frame_at(self.first, point, bodies, label), frame_at(self.second, second, bodies, label)

    def problems(self, label: str) -> list[str]:
        """Return the problems of this geometry as sentences."""
        found = side_problems(self.first, None, label) + side_problems(self.second, self.second_point, label)
        found += point_problems(self.first_point, f"{label}: point")
        found += point_problems(self.second_point, f"{label}: second_point")
        return (found or self._place_problems(label)) + self.axes_problems(label)

    def _place_problems(self, label: str) -> list[str]:
        """Return as a sentence whether a position is missing, or given twice."""
        if self.first_point is None and not any(side.named for side in self.sides()):
            return [
                f"{label} has no position; give point=(x, y, z), or a named frame body['name'] on one side"
            ]
        if self.first_point is None or not self.first.named:
            return []
        if self.second.named or self.second_point is not None:
            return [
                f"{label} has point={self.first_point!r}, but both ends have positions of their own: {self.first!r}, "
                f"{self.second if self.second.named else self.second_point!r}. Leave point= out"
            ]
        return []


@dataclass(frozen=True, eq=False)
class _BushingLaw(ForceLaw):
    stiffness: np.ndarray
    damping: np.ndarray
    tables: Mapping[int, SpringTable]

    function: ClassVar = "bushing"
    count: ClassVar = 6
    elastic: ClassVar[bool] = True

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A bushing with the stiffness along and about its axes."""
        return (Symbol("bushing", tuple(np.diag(self.stiffness).tolist())),)

    def numbers(self) -> list[float]:
        """Return stiffness, damping, the positions of the tables and the tables."""
        places, curves = [0.0] * 6, list[float]()
        for k, table in self.tables.items():
            places[k] = 78.0 + len(curves)
            curves += pieces(table.curve())
        return [*self.stiffness.ravel(), *self.damping.ravel(), *places, *curves]


@dataclass(frozen=True, eq=False)
class Bushing(Element):
    """An elastic mount between two frames, with forces and moments from their relative displacement and rotation.

    Parameters
    ----------
    name : str
        Name of the bushing, unique in the system.
    first, second : RigidBody, BodyFrame, MasslessBody or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``; also a :class:`MasslessBody` between springs.
    stiffness : array_like or sequence, optional
        Six values, N/m along and Nm/rad about the three axes, or a symmetric matrix (6, 6). Each of the six values may
        be a :class:`SpringTable`, whose damping is added to ``damping``.
    damping : array_like, optional
        Six values, Ns/m and Nms/rad, or a symmetric matrix (6, 6).
    point : array_like, optional
        Position of the bushing in the drawn configuration, (3,), m, inertial base. It is needed unless one side is a
        named frame.
    second_point : array_like, optional
        Position of the second end, (3,), m, if it is not at the same place as the first.
    axes : array_like, optional
        Axes x, y, z of the bushing in the drawn configuration as rows, (3, 3). By default the inertial axes.

    Notes
    -----
    The bushing is free of load in the drawn configuration. The displacement is measured in axes half-way between both
    frames and the rotation by its rotation vector. Rotations up to half a turn therefore conserve energy, and the
    result does not depend on which end is first. At half a turn a run ends.

    A bushing without stiffness about one axis, with equal stiffness and equal damping across it, is a bearing: it turns
    about this axis without limit. The rotation vector is then the tilt of the axis, and the deformation about the axis
    stays zero; damping about it acts on the rate. The axes do not turn with the shaft but stay with the first frame,
    which damping across the axis belongs to. Another elastic bearing is a bushing from the ground to a ring, which is a
    light :class:`RigidBody`, and a :class:`Revolute` between ring and shaft.

    A bushing without any stiffness about its axes, and alike in all directions, is an elastic ball joint. It measures
    no rotation, and its axes stay with the first frame.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> soft = [1e6] * 3 + [1e3] * 3
    >>> mount = fb.Bushing("mount", fb.GROUND, bar, stiffness=soft, damping=[1e3] * 6, point=(0, 0, 0))
    """

    name: str
    first: Side
    second: Side
    _: KW_ONLY
    stiffness: ArrayLike | Sequence[float | SpringTable] = (0.0,) * 6
    damping: ArrayLike = (0.0,) * 6
    point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    axes: ArrayLike | None = None

    __repr__ = short_repr

    @property
    def geometry(self) -> Between:
        """The six deformations between both frames."""
        return _AtOnePoint(
            self.first, self.second,
            first_point=self.point, second_point=self.second_point, axes=self.axes,
        )  # fmt: skip

    @property
    def free_axis(self) -> int:
        """The axis about which it has no stiffness and around which it is the same, 0 to 2, ``ALL_AXES``, or -1."""
        stiffness, damping = _six(self.stiffness), _six(self.damping).matrix()
        if stiffness.tables or self.second_point is not None:
            return -1
        free = [k for k in range(3) if _free_about(stiffness.matrix(), damping, k)]
        if len(free) == 3:
            return ALL_AXES
        return free[0] if free else -1

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Bushing:
        """Return this bushing on bodies that are drawn elsewhere; its axes move with the first side."""
        named = next((side.drawn(bodies) for side in (self.second, self.first) if side.named), None)
        point = named if self.point is None else self.point
        second = point if self.second_point is None else self.second_point
        ends = [
            None if side.named or x is None else motions.get(side.body.name, AT_REST).point(x)
            for side, x in zip(self.sides(), (point, second), strict=True)
        ]
        return replace(
            self, point=ends[0], second_point=ends[1], axes=self.geometry.redrawn(bodies, motions).axes
        )

    def force_law(self, bodies: Mapping[str, Body]) -> ForceLaw:
        """Return the force law."""
        stiffness, damping = _six(self.stiffness), _six(self.damping).matrix()
        for k, table in stiffness.tables.items():
            damping[k, k] += table.damping
        return _BushingLaw(stiffness.matrix(), damping, stiffness.tables)

    def problems(self) -> list[str]:
        """Return the problems of this bushing as sentences."""
        found = self.geometry.problems(self.label)
        for name in ("stiffness", "damping"):
            found += _six_problems(getattr(self, name), f"{self.label}: {name}", tables=name == "stiffness")
        return found


class _Six(NamedTuple):
    """Six values, or a matrix (6, 6), of stiffness or damping; None if there are no numbers of this shape."""

    numbers: np.ndarray | None
    tables: dict[int, SpringTable]  # by their place; their number is zero

    def matrix(self) -> np.ndarray:
        """Return the values as a matrix, (6, 6)."""
        assert self.numbers is not None
        return np.diag(self.numbers) if self.numbers.ndim == 1 else self.numbers


def _six(value: Any) -> _Six:
    try:
        entries = np.array(value, dtype=object)
        tables = {k: entry for k, entry in enumerate(entries.flat) if isinstance(entry, SpringTable)}
        entries.flat[list(tables)] = 0.0
        numbers = entries.astype(float)
    except (TypeError, ValueError):
        return _Six(None, {})
    return _Six(numbers if numbers.shape in ((6,), (6, 6)) else None, tables)


def _free_about(stiffness: np.ndarray, damping: np.ndarray, k: int) -> bool:
    """Return whether a bushing has no stiffness about axis ``k`` and is the same after any turn about it."""
    turn = np.kron(np.eye(2), np.cross(np.eye(3)[k], np.eye(3)))  # the matrices commute with it
    changes = [np.abs(x @ turn - turn @ x).max() > SAME_ENTRY * np.abs(x).max() for x in (stiffness, damping)]
    return not any(changes) and not np.any(stiffness[3 + k])


def _six_problems(value: Any, label: str, tables: bool) -> list[str]:
    """Return the problems of six values as sentences; ``tables``: whether tables may be among them."""
    six = _six(value)
    found = [
        p for k, table in six.tables.items() if k < 6 for p in table.problems(f"{label} {COMPONENTS[k]}")
    ]
    numbers = six.numbers
    misplaced = six.tables and not (tables and numbers is not None and numbers.ndim == 1)
    if numbers is None or misplaced or not np.isfinite(numbers).all():
        also = " (numbers or tables)" if tables else ""
        return [*found, f"{label} is {value!r}; give six values{also} or a matrix (6, 6)"]
    matrix = six.matrix()
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
    count: ClassVar = 6
    elastic: ClassVar[bool] = True

    def numbers(self) -> list[float]:
        """Return K, S and the damping time."""
        return [*self.stiffness.ravel(), *self.bowing.ravel(), self.damping_time]


@dataclass(frozen=True, eq=False)
class _AlongBeam(Between):
    """Six deformations between both ends of a beam, in its axes: x is along the beam."""

    _: KW_ONLY
    beam: fem.Beam

    def drawn_axes(self, bodies: Mapping[str, Body], label: str) -> np.ndarray:
        """Return the axes of the beam in the drawn configuration, (3, 3), columns."""
        axes: np.ndarray = self.beam.axes("line2", self.drawn_line(bodies, label))[0].T
        return axes

    def drawn_line(self, bodies: Mapping[str, Body], label: str) -> np.ndarray:
        """Return the positions of both ends in the drawn configuration, (1, 2, 3), m."""
        return np.array([[end.drawn(bodies) for end in self.ends(bodies, label)]])

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the length along x and zero rotation, (6,)."""
        return np.array([np.linalg.norm(drawn), 0.0, 0.0, 0.0, 0.0, 0.0])

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of both ends on the bodies of a system as sentences."""
        found = super().frame_problems(bodies, label) + ends_apart(self.ends(bodies, label), bodies, label)
        if not found:
            try:
                self.beam.check("line2", self.drawn_line(bodies, label))
            except InputError as error:
                found.append(f"{label}: {error}")
        return found


@dataclass(frozen=True, eq=False)
class MasslessBeam(Element):
    """A straight elastic beam without mass between two frames, Sol 3.4.

    Parameters
    ----------
    name : str
        Name of the beam, unique in the system.
    first, second : RigidBody, BodyFrame, MasslessBody or GROUND
        The two sides: a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or
        ``fb.GROUND``; also a :class:`MasslessBody` between springs.
    beam : fem.Beam
        Material and section: ``fem.Beam(material, section, up=...)``, without offset and without releases.
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

    name: str
    first: Side
    second: Side
    _: KW_ONLY
    beam: fem.Beam
    first_point: ArrayLike | None = None
    second_point: ArrayLike | None = None
    damping_time: float = 0.0

    __repr__ = short_repr

    @property
    def geometry(self) -> _AlongBeam:
        """The six deformations between both ends, in the axes of the beam."""
        return _AlongBeam(
            self.first, self.second,
            first_point=self.first_point, second_point=self.second_point, beam=self.beam,
        )  # fmt: skip

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> MasslessBeam:
        """Return this beam on bodies that are drawn elsewhere; the z axis of its section moves with the first side."""
        R = motions.get(self.first.body.name, AT_REST).R
        up = R @ self.geometry.drawn_axes(bodies, self.label)[:, 2]
        return replace(super().redrawn(bodies, motions), beam=replace(self.beam, up=up))

    def law_of_length(self, length: float) -> _BeamLaw:
        """Return the law of the six deformations for a given length (m).

        Parameters
        ----------
        length : float
            Distance between the ends, m.

        Returns
        -------
        ForceLaw
            A law with constant stiffness.
        """
        # The position does not matter: the beam lies along x, with its z axis up.
        beam = fem.Beam(self.beam.material, self.beam.section, up=(0.0, 0.0, 1.0), shear=self.beam.shear)
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
        start, end = self.geometry.drawn_line(bodies, self.label)[0]
        return self.law_of_length(float(np.linalg.norm(end - start)))

    def symbols(self, bodies: Mapping[str, Body]) -> tuple[Symbol, ...]:
        """Return a beam with the radius of a round bar of the same area, m."""
        return (Symbol("beam", (float(np.sqrt(self.beam.section.A / np.pi)),)),)

    def problems(self) -> list[str]:
        """Return the problems of this beam as sentences."""
        found = self.geometry.problems(self.label)
        if not isinstance(self.beam, fem.Beam):
            return [*found, f"{self.label}: beam is {self.beam!r}; give a fem.Beam(material, section)"]
        if np.any(np.asarray(self.beam.offset)) or any(self.beam.releases.values()):
            found.append(
                f"{self.label}: its fem.Beam has an offset or releases; move the ends or use a joint instead"
            )
        if not (is_number(self.damping_time) and self.damping_time >= 0):
            found.append(
                f"{self.label}: damping_time is {self.damping_time!r}; it must be a number, not below zero"
            )
        return found
