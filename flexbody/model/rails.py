"""Rails: round bars along a line in space, on which balls, wheels, cylinders and cones roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr
from fem.common.values import NotNegative

from ..core import kinds
from ..core.kinds import NEAREST, RIM, TREAD
from ..core.rotation import direction
from .flexible_body import FlexibleBody
from .forces.shapes import Cylinder, Shape
from .path import Path, path_through
from .rigid_motion import AT_REST, Motions
from .sides import Body, FrameData, Side
from .stations import frame_on, line_points, line_problems, line_through_stations
from .wheels import Cone, Wheel

#: Places between two points of a line at which the distance from what rolls is computed as drawn.
SAMPLES = 20


@dataclass(frozen=True, eq=False, repr=False)
class Rail(Shape):
    """A round rail along a line in space, on which a ball, wheel, cylinder or cone rolls; see :class:`Rolling`.

    Parameters
    ----------
    side : RigidBody, FlexibleBody or GROUND
        What carries it.
    points : array_like, optional
        Points of its middle line on a rigid body or the ground, in their order, as drawn, (n, 3), m. The line is a
        spline through them.
    radius : float, optional
        Radius of the rail, m; 0, the default, is an edge.
    stations : sequence of str, optional
        In place of ``points``: names of markers or interfaces of ``side`` along the line. On a flexible body the line
        bends and turns with them.
    up : str or array_like, optional
        A direction that is nowhere along the line; needed for a closed line that is not plane.
    closed : bool, optional
        Whether the line returns to its first point.

    Notes
    -----
    A ball touches where the line is nearest to its centre. It must stay nearer to the line than the centre of the
    line's curvature. A wheel touches where the line is nearest to the middle line of its rim, a cylinder or cone where
    it is nearest to its surface; in a hollow of the line they must be smaller than the hollow, else they would touch
    twice. A run stops where the contact leaves an end of the line.

    The load of what rolls bends a flexible body, and its surface moves with the section that is touched: with the
    rates of the modes, but not with the speed at which the contact travels. Base functions for loads along the line:
    see :class:`PointOnGuideway`.

    Examples
    --------
    A ball on two rails, which are nearer to each other than its diameter:

    >>> import numpy as np, flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=0.1, inertia=(4e-6, 4e-6, 4e-6), center=(0, 0, 0.008))
    >>> rails = [fb.Rail(fb.GROUND, [(-1, y, 0), (1, y, 0)]) for y in (0.006, -0.006)]
    >>> track = [fb.Rolling(f"rail {k}", rail, fb.Sphere(ball, 0.01)) for k, rail in enumerate(rails)]
    >>> fb.mobility(fb.System([ball], track)).degrees_of_freedom
    1
    """

    side: Side
    points: ArrayLike | None = None
    _: KW_ONLY
    radius: Annotated[float, NotNegative] = 0.0
    stations: Sequence[str] | None = None
    up: str | ArrayLike | None = None
    closed: bool = False

    kind: ClassVar = kinds.RAIL
    point: ClassVar = None  # type: ignore[misc]
    __repr__ = short_repr

    @property
    def sizes(self) -> tuple[float, ...]:
        """The radius, m."""
        return (float(self.radius),)

    def line(self, bodies: Mapping[str, Body]) -> Path:
        """Return the middle line on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Path
            The line, in the base of the body.
        """
        body = bodies.get(self.side.body.name)
        kept = vars(self).get("_line")
        if kept is None or kept[0] is not body:
            kept = body, self._new_line(body)
            vars(self)["_line"] = kept  # a line on the same body is interpolated once
        found: Path = kept[1]
        return found

    def _new_line(self, body: Body | None) -> Path:
        up = None if self.up is None else direction(self.up, "Rail: up")
        options: dict[str, Any] = {"up": up, "closed": self.closed, "what": "Rail"}
        if body is not None and self.stations is not None:
            return line_through_stations(body, self.stations, options)
        origin = np.zeros(3) if body is None else body.start
        return path_through(line_points(self.points, "Rail") - origin, **options)

    def frame_beside(self, guest: Shape, at: FrameData, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of the rail where what rolls on it touches as drawn.

        Parameters
        ----------
        guest : Sphere, Wheel, Cylinder or Cone
            What rolls.
        at : FrameData
            Its frame.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        FrameData
            The frame, which slides along the line.
        """
        line, body = self.line(bodies), bodies.get(self.side.body.name)
        middle = at.drawn(bodies) - (np.zeros(3) if body is None else body.start)
        radius, touch = guest.sizes[0], float(self.radius)
        if isinstance(guest, Wheel):
            rim = guest.sizes[1]
            line = replace(line, touch=RIM, sizes=(radius - rim, 0.0, rim + touch))
        elif isinstance(guest, Cylinder | Cone):
            slope = guest.sizes[1] if isinstance(guest, Cone) else 0.0
            line = replace(line, touch=TREAD, sizes=(radius, slope, touch))
        else:
            line = replace(line, sizes=(0.0, 0.0, radius + touch))
        start = line.nearest(middle) if line.touch == NEAREST else _where_touched(line, middle, at.A[:, 2])
        path = replace(line, start=start)
        return frame_on(path, self.side.body.name, 0 if body is None else body.n_modes)

    def frame(self, bodies: Mapping[str, Body], label: str) -> FrameData:
        """Return the frame at the beginning of the line; :meth:`frame_beside` gives that of a contact."""
        body = bodies.get(self.side.body.name)
        return frame_on(self.line(bodies), self.side.body.name, 0 if body is None else body.n_modes)

    def redrawn(self, motions: Motions) -> Self:
        """Return this rail on a body that is drawn elsewhere."""
        motion = motions.get(self.side.body.name, AT_REST)
        up: dict[str, Any] = {} if self.up is None else {"up": motion.R @ direction(self.up, "Rail: up")}
        if self.stations is not None:
            return replace(self, **up)
        points = np.array([motion.point(x) for x in line_points(self.points, "Rail")])
        return replace(self, points=points, **up)

    def problems(self, label: str) -> list[str]:
        """Return the problems of this rail as sentences."""
        found = super().problems(label)
        fault = self.side.fault() if isinstance(self.side, Side) and self.stations is not None else ""
        return [problem for problem in found if not fault or fault not in problem]

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of line and radius as sentences."""
        if not (is_number(self.radius) and self.radius >= 0):
            return [f"{where}: radius is {self.radius!r}; it must be a number, not below zero"]
        if not isinstance(self.closed, bool | np.bool_):
            return [f"{where}: closed is {called(self.closed)}; it must be True or False"]
        if not isinstance(self.side, Side):
            return [f"{where}: side is {called(self.side)}; give a body or GROUND"]
        found = line_problems(self.points, self.stations, self.side, where)
        if isinstance(self.side.body, FlexibleBody) and self.stations is None and not found:
            found = [
                f"{where} is on '{self.side.body.name}', which is flexible; give stations=, names of its markers along "
                "the line, in place of points="
            ]
        if found:
            return found
        try:
            self.line({self.side.body.name: self.side.body} if isinstance(self.side.body, Body) else {})
        except InputError as error:
            return [f"{where}: {str(error).removeprefix('Rail: ')}"]
        return []


def round_distance(line: Path, d: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the distance of places of a line from what rolls on it; see ``core/kinematics/round_distance.hpp``.

    Parameters
    ----------
    line : Path
        The line, whose ``touch`` and ``sizes`` say what rolls.
    d : numpy.ndarray
        The places from the middle of what rolls, (..., 3), m.
    axis : numpy.ndarray
        Its axis, (3,).

    Returns
    -------
    numpy.ndarray
        Distances, (...), m: from the middle of a ball, the middle line of a rim, or the surface of a cylinder or cone,
        of which only a part of four radii counts.
    """
    if line.touch == NEAREST:
        return np.asarray(np.linalg.norm(d, axis=-1))
    h = d @ axis
    q = np.linalg.norm(d - np.multiply.outer(h, axis), axis=-1)
    if line.touch == RIM:
        return np.asarray(np.hypot(q - line.sizes[0], h))
    found = (q - line.sizes[0] - line.sizes[1] * h) / np.hypot(1.0, line.sizes[1])
    return np.where(np.abs(h) < 2 * line.sizes[0], found, np.inf)


def _where_touched(line: Path, middle: np.ndarray, axis: np.ndarray) -> float:
    """Return the path coordinate at which a rim or tread touches a line as drawn, which is near to its middle."""
    s = np.linspace(0.0, line.length, SAMPLES * len(line.breaks) + 1)
    D = np.pad(round_distance(line, line.place(s) - middle, axis), 1, constant_values=np.inf)
    least = s[(D[1:-1] <= D[:-2]) & (D[1:-1] <= D[2:])]
    near = least[np.argmin(np.abs(least - np.mod(line.nearest(middle), line.length)))]
    low, high = near - s[1], near + s[1]
    if not line.closed:
        low, high = max(low, 0.0), min(high, line.length)
    found = scipy.optimize.minimize_scalar(
        lambda s: float(round_distance(line, line.place(s) - middle, axis)),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-9 * line.length},
    )
    return float(found.x)
