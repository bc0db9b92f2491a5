"""Rails: round bars along a line in space, on which balls roll."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr
from fem.common.values import NotNegative

from ..core import kinds
from ..core.rotation import direction
from .flexible_body import FlexibleBody
from .forces.shapes import Shape
from .path import Path, path_through
from .rigid_motion import AT_REST, Motions
from .sides import Body, FrameData, Side


@dataclass(frozen=True, eq=False, repr=False)
class Rail(Shape):
    """A round rail along a line in space, on which a ball rolls; see :class:`Rolling`.

    Parameters
    ----------
    side : RigidBody or GROUND
        What carries it.
    points : array_like
        Points of its middle line in their order, as drawn, (n, 3), m. The line is a spline through them.
    radius : float, optional
        Radius of the rail, m; 0, the default, is an edge.
    up : str or array_like, optional
        A direction that is nowhere along the line; needed for a closed line that is not plane.
    closed : bool, optional
        Whether the line returns to its first point.

    Notes
    -----
    The ball touches where the line is nearest to its centre. It must stay nearer to the line than the centre of the
    line's curvature. A run stops where the ball leaves an end of the line.

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
    points: ArrayLike
    _: KW_ONLY
    radius: Annotated[float, NotNegative] = 0.0
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
            origin = np.zeros(3) if body is None else body.start
            up = None if self.up is None else direction(self.up, "Rail: up")
            kept = body, path_through(self._points() - origin, up=up, closed=self.closed, what="Rail")
            vars(self)["_line"] = kept  # a line on the same body is interpolated once
        found: Path = kept[1]
        return found

    def frame_beside(self, ball: FrameData, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of the rail where it is nearest to a ball as drawn.

        Parameters
        ----------
        ball : FrameData
            The frame of the ball's centre.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        FrameData
            The frame, which slides along the line.
        """
        line, body = self.line(bodies), bodies.get(self.side.body.name)
        origin = np.zeros(3) if body is None else body.start
        path = replace(line, start=line.nearest(ball.drawn(bodies) - origin))
        none = np.zeros((3, 0))
        return FrameData(
            self.side.body.name, path.place(path.start), path.axes(path.start), none, none, path=path
        )

    def frame(self, bodies: Mapping[str, Body], label: str) -> FrameData:
        """Return the frame at the beginning of the line; :meth:`frame_beside` gives that of a contact."""
        line = self.line(bodies)
        none = np.zeros((3, 0))
        return FrameData(self.side.body.name, line.place(0.0), line.axes(0.0), none, none, path=line)

    def redrawn(self, motions: Motions) -> Self:
        """Return this rail on a body that is drawn elsewhere."""
        motion = motions.get(self.side.body.name, AT_REST)
        up: dict[str, Any] = {} if self.up is None else {"up": motion.R @ direction(self.up, "Rail: up")}
        return replace(self, points=np.array([motion.point(x) for x in self._points()]), **up)

    def size_problems(self, where: str) -> list[str]:
        """Return the problems of line and radius as sentences."""
        if not (is_number(self.radius) and self.radius >= 0):
            return [f"{where}: radius is {self.radius!r}; it must be a number, not below zero"]
        if not isinstance(self.closed, bool | np.bool_):
            return [f"{where}: closed is {called(self.closed)}; it must be True or False"]
        if not isinstance(self.side, Side):
            return [f"{where}: side is {called(self.side)}; give a body or GROUND"]
        if isinstance(self.side.body, FlexibleBody):
            return [
                f"{where} is on '{self.side.body.name}', which is flexible; put it on a rigid body that is fixed to it"
            ]
        try:
            self.line({self.side.body.name: self.side.body} if isinstance(self.side.body, Body) else {})
        except InputError as error:
            return [f"{where}: {str(error).removeprefix('Rail: ')}"]
        return []

    def _points(self) -> np.ndarray:
        try:
            found = np.asarray(self.points, dtype=float)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.ndim != 2 or found.shape[1:] != (3,) or len(found) < 2 or not np.isfinite(found).all():
            raise InputError(
                f"Rail: points is {called(self.points)}; give at least two points of the line, (n, 3), m"
            )
        return found
