"""A joint that a user gives by the motion that it permits: functions of coordinates and time, Sol (1983), 3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import vector

from ..core.kinds import HOLONOMIC, OWN_MOTION
from ..core.rotation import axes_from_z, direction
from ..functions.tracing import Tape, with_numpy
from .hinge_functions import HingeFunctions, HingeLaw, HingeMotionLaw, numbers_of
from .joints.base import Connection
from .joints.rows import UserRow
from .rigid_motion import AT_REST, Motions
from .sides import Body, FrameData, Side


@dataclass(frozen=True, eq=False)
class HingeJoint(Connection):
    """A joint that is given by the motion that it permits: the pose of the second side in the first, as a function.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first, second : RigidBody, BodyFrame or GROUND
        The two sides.
    pose : callable
        ``pose(t, q1, q2, ...)`` returns position c (3,), m, and axes C (3, 3), columns, of the second frame in the
        first one, for the time t (s) and one to five coordinates. Write it with arithmetic and NumPy functions.
    names : sequence of str, optional
        Names of the coordinates; one coordinate, "q", by default.
    point : array_like, optional
        Origin of the first frame in the drawn configuration, (3,), m. A named frame as first side has its own; else by
        default it is where ``pose`` meets a named frame as second side, or the origin.
    axis, along : str or array_like, optional
        z and x axis of the first frame in the drawn configuration, as for :class:`Planar`.
    start : sequence of float, optional
        The coordinates in the drawn configuration; zeros by default. The second frame is drawn where ``pose`` puts it.

    Notes
    -----
    The functions are recorded once and differentiated exactly. From the velocities v and w that each coordinate causes,
    Sol (3.3.26) to (3.3.34), follow the free motions H, and constraints G at right angles to them, ``G H = 0``; a
    function of time moves the sides against each other as a drive does. The coordinates follow from the pose of the
    sides by iteration from their last values; where a path crosses itself, the nearer branch is taken. The global
    description uses the constraints. In the relative one the joint is a hinge of the tree, whose coordinates q are
    unknowns; its constraints are needed only where it closes a loop. The functions are evaluated in Python, which takes
    some tenths of a millisecond.

    The reaction is the load on the second side.

    References
    ----------
    .. [1] E. J. Sol, Kinematics and dynamics of multibody systems, 1983, section 3.3.

    Examples
    --------
    A screw whose pitch grows with the angle a: 2 mm a turn at first.

    >>> import flexbody as fb
    >>> import numpy as np
    >>> def screw(t, a):
    ...     slide = 2e-3 / (2 * np.pi) * (a + 0.1 * a**2)
    ...     return (0, 0, slide), ((np.cos(a), -np.sin(a), 0), (np.sin(a), np.cos(a), 0), (0, 0, 1))
    >>> nut = fb.RigidBody("nut", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> thread = fb.HingeJoint("thread", fb.GROUND, nut, pose=screw, names=("angle",), point=(0, 0, 0))
    >>> machine = fb.System([nut], [thread], gravity=(0, 0, -9.81))
    >>> fb.mobility(machine).degrees_of_freedom
    1
    """

    name: str
    first: Side
    second: Side
    _: KW_ONLY
    pose: Callable[..., Any]
    names: Sequence[str] = ("q",)
    point: ArrayLike | None = None
    axis: str | ArrayLike = "z"
    along: str | ArrayLike | None = None
    start: Sequence[float] | None = None

    called_back: ClassVar[bool] = True
    carries: ClassVar[bool] = True
    is_ball: ClassVar[bool] = False
    threaded: ClassVar[bool] = False

    @property
    def hinge_coordinates(self) -> int:
        """Number of its coordinates."""
        return len(self.names)

    @property
    def motion_titles(self) -> tuple[str, ...]:
        """The names of its coordinates."""
        return tuple(self.names)

    @property
    def free_coordinates(self) -> tuple[None, ...]:
        """None for each free motion: a drive can't prescribe it."""
        return tuple(None for _ in self.names)

    def motion_rows(self) -> np.ndarray:
        """Return the free motions for the compiled core.

        Returns
        -------
        numpy.ndarray
            Rows of ``Tree.motion``, (n, 3): kind, number of the coordinate, and the first frame.
        """
        return np.array([(OWN_MOTION, k, 0) for k in range(len(self.names))], dtype=np.int64)

    def hinge_law(self, rows: Sequence[UserRow]) -> HingeMotionLaw:
        """Return its motion for a tree, with the functions of its rows."""
        law = rows[0].law
        assert isinstance(law, HingeLaw)
        return HingeMotionLaw(law.functions)

    @property
    def drawn(self) -> tuple[float, ...]:
        """The coordinates in the drawn configuration."""
        return tuple(0.0 for _ in self.names) if self.start is None else tuple(self.start)

    @property
    def label(self) -> str:
        """Kind and name of this joint, for messages."""
        return f"hinge joint '{self.name}'"

    @property
    def given(self) -> str:
        """Name of the parameter that gives the function."""
        return "pose"

    def sides(self) -> tuple[Side, Side]:
        """Return the first and the second side."""
        return self.first, self.second

    def frame_axes(self) -> np.ndarray:
        """Return the axes of the first frame in the drawn configuration.

        Returns
        -------
        numpy.ndarray
            Axes as columns in the inertial base, (3, 3).
        """
        along = None if self.along is None else direction(self.along, f"{self.label}: along")
        return axes_from_z(direction(self.axis, f"{self.label}: axis"), along)

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return both frames, each on the body of that name in ``bodies``."""
        A, p = self.frame_axes(), self._first_origin(bodies)
        c, C = self._drawn()
        return self.first.frame(bodies, p, A), self.second.frame(bodies, p + A @ c, A @ C)

    def _first_origin(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the origin of the first frame in the drawn configuration, (3,), m."""
        place = np.zeros(3)
        if self.first.named:
            place = self.first.drawn(bodies)
        elif self.point is not None:
            place = vector(self.point, f"{self.label}: point")
        elif self.second.named:
            place = self.second.drawn(bodies) - self.frame_axes() @ self._drawn()[0]
        return place

    def _drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """Return c and C in the drawn configuration."""
        tape = Tape()
        out = numbers_of(with_numpy(self.pose)(*tape.inputs([0.0, *self.drawn])))
        values = np.array([tape.number(number).value for number in out])
        if len(values) != 12:
            raise ValueError(f"it returns {len(values)} numbers, not c (3,) and C (3, 3)")
        return values[:3], values[3:].reshape(3, 3)

    def stored_operations(
        self, recorded: list[tuple[np.ndarray, np.ndarray]]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the operations of the twelve numbers of c and C."""
        return HingeFunctions(self, 1.0).tapes

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences."""
        sides = [side for side in self.sides() if not isinstance(side, Side)]
        if sides:
            return [f"{self.label} joins {sides[0]!r}; give a body, body['name'] or GROUND for each side"]
        if self.first.named and self.point is not None:
            return [
                f"{self.label} has point={self.point!r} and the place of {self.first!r}; leave point= out"
            ]
        if not callable(self.pose):
            return [f"{self.label}: pose is {self.pose!r}; give a function of (t, q1, q2, ...)"]
        if not 1 <= len(self.names) <= 5:
            return [f"{self.label} has {len(self.names)} coordinates; give names of one to five"]
        if len(self.drawn) != len(self.names):
            return [f"{self.label}: start has {len(self.drawn)} numbers for {len(self.names)} coordinates"]
        try:
            _, C = self._drawn()
        except Exception as error:  # a user's function
            return [f"{self.label}: pose fails as drawn with {type(error).__name__}: {error}"]
        off = np.abs(C.T @ C - np.eye(3)).max()
        if not (off < 1e-9 and np.linalg.det(C) > 0):
            return [f"{self.label}: C is no rotation matrix as drawn (C' C is off by {off:.3g})"]
        return []

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> HingeJoint:
        """Return this joint on bodies that are drawn elsewhere: its first frame moves with the first side.

        Its coordinates as drawn, ``start``, change by what its sides have moved against each other.
        """
        one, two = (motions.get(side.body.name, AT_REST) for side in self.sides())
        A, p, (c, C) = self.frame_axes(), self._first_origin(bodies), self._drawn()
        reached = self.second.drawn(bodies) if self.second.named else p + A @ c
        axes, origin = one.R @ A, one.point(p)
        functions = HingeFunctions(self, 1.0)  # (closed sides: it does not matter how turns are weighed)
        functions.find(axes.T @ (two.point(reached) - origin), axes.T @ two.R @ A @ C, 0.0)
        return replace(
            self,
            point=None if self.first.named else origin,
            axis=axes[:, 2],
            along=axes[:, 0],
            start=tuple(functions.q.tolist()),
        )

    def user_rows(self, poses: Sequence[tuple[np.ndarray, np.ndarray]], length: float) -> list[UserRow]:
        """Record the function in the drawn configuration and return its rows; see :meth:`Constraint.user_rows`."""
        functions = HingeFunctions(self, length)
        H = functions.directions(functions.motion(functions.q, 0.0))
        size = np.linalg.svd(H, compute_uv=False)
        if not np.isfinite(size).all() or size.min() <= 1e-9 * size.max():
            count = int(np.sum(size > 1e-9 * size.max()))
            raise InputError(
                f"{self.label}: its {functions.n} coordinates cause {count} independent motions as drawn; "
                "give coordinates that move the sides independently of each other"
            )
        laws = [HingeLaw(functions, k) for k in range(6 - functions.n)]
        return [UserRow(HOLONOMIC, 1.0, functions.whole(), law, law.address) for law in laws]
