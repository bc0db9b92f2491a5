"""Joints that slide along a guideway: a straight or curved line of a rigid or flexible body, Koppens (4.12)-(4.18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import vector
from fem.common.short_repr import short_repr

from ...core.kinds import ALONG_PATH
from ...core.rotation import direction
from ..path import Path, path_through
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData
from ..stations import frame_on, line_points, line_problems, line_through_stations
from .base import Joint
from .coordinates import ANGLES, SLIDE_X, SLIDE_Y, TURN_Z, Coordinate, X, Y, Z
from .rows import ALIGNED, PARALLEL, TURNS, Free, Row, points

#: The path coordinate minus its value in the drawn configuration.
PATH = Coordinate(ALONG_PATH)


@dataclass(frozen=True, eq=False, repr=False)
class PathJoint(Joint):
    """A joint with a line on the first body, along which the second one moves; base class.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody, FlexibleBody or GROUND
        The body of the line.
    second : RigidBody, BodyFrame or GROUND
        The body that slides: a rigid body, or a named frame such as ``arm["tip"]``.
    points : array_like, optional
        Points of the line on a rigid body or the ground, in their order, as drawn, (n, 3), m. The line is a spline
        through them.
    up : str or array_like, optional
        The x axis of the line is the part of this direction perpendicular to the tangent, as drawn.
    closed : bool, optional
        Whether the line returns to its first point.
    point : array_like, optional
        The sliding point in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.
    """

    _: KW_ONLY
    points: ArrayLike | None = None
    up: str | ArrayLike | None = None
    closed: bool = False
    point: ArrayLike | None = None

    carries: ClassVar = False
    #: What to do where the first body is flexible.
    remedy: ClassVar[str] = "fix a rigid body with the line to one of its markers"
    __repr__ = short_repr

    def path(self, bodies: Mapping[str, Body]) -> Path:
        """Return the line on the body of that name in ``bodies``, and where the joint is drawn on it.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Path
            The line, in the base of the body.
        """
        found = self.frames(bodies)[0].path
        assert found is not None
        return found

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frame on the line and the frame that slides."""
        known = tuple(bodies.get(side.body.name) for side in self.sides())
        kept = vars(self).get("_frames")
        if kept is None or any(a is not b for a, b in zip(kept[0], known, strict=True)):
            kept = (known, self._new_frames(bodies))
            vars(self)["_frames"] = kept  # a line on the same bodies is interpolated once
        found: tuple[FrameData, FrameData] = kept[1]
        return found

    def _new_frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        line = self._line(bodies)
        origin = self._origin(bodies)
        if self.second.named:
            point = self.second.drawn(bodies)
        elif self.point is not None:
            point = vector(self.point, f"{self.label}: point")
        else:
            raise InputError(
                f"{self.label} has no position; give point=(x, y, z), or a named frame body['name'] as the second side"
            )
        place = frame_on(self._path(line, point - origin, origin), self.first.body.name, self._modes(bodies))
        return place, self.second.frame(bodies, None if self.second.named else point, place.A)

    def _path(self, line: Path, point: np.ndarray, origin: np.ndarray) -> Path:
        """Return the line that the point slides on, where it is drawn; both in the base of the body."""
        return replace(line, start=line.nearest(point))

    def _origin(self, bodies: Mapping[str, Body]) -> np.ndarray:
        body = bodies.get(self.first.body.name)
        return np.zeros(3) if body is None else body.start

    def _modes(self, bodies: Mapping[str, Body]) -> int:
        body = bodies.get(self.first.body.name)
        return 0 if body is None else body.n_modes

    def _line(self, bodies: Mapping[str, Body]) -> Path:
        return path_through(self._points() - self._origin(bodies), **self._options())

    def _options(self) -> dict[str, Any]:
        up = None if self.up is None else direction(self.up, f"{self.label}: up")
        return {"up": up, "closed": self.closed, "what": self.label}

    def _points(self) -> np.ndarray:
        return line_points(self.points, self.label)

    def reference(self, which: str, bodies: Mapping[str, Body]) -> float:
        """Return the path coordinate in the drawn configuration, m; zero for angles."""
        return self.path(bodies).start if which == "path" else super().reference(which, bodies)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this joint on bodies that are drawn elsewhere: line and point move with their bodies."""
        one, other = (motions.get(side.body.name, AT_REST) for side in self.sides())
        changes: dict[str, Any] = {}
        if self.points is not None:
            changes["points"] = np.array([one.point(x) for x in self._points()])
        if self.up is not None:
            changes["up"] = one.R @ direction(self.up, f"{self.label}: up")
        if self.point is not None:
            changes["point"] = other.point(vector(self.point, f"{self.label}: point"))
        return replace(self, **changes) if changes else self

    def _side_problems(self) -> list[str]:
        body = getattr(self.first, "body", None)
        if isinstance(body, Body) and body.n_modes and self.points is not None:
            return [f"{self.label} has points= on '{body.name}', which is flexible; {self.remedy}"]
        return super()._side_problems()

    def _place_problems(self) -> list[str]:
        if self.second.named and self.point is not None:
            return [
                f"{self.label} has point={self.point!r} and the named frame {self.second!r}; leave point= out"
            ]
        self.frames({side.body.name: side.body for side in self.sides() if isinstance(side.body, Body)})
        return []


@dataclass(frozen=True, eq=False, repr=False)
class GuidewayJoint(PathJoint):
    """A joint whose second body slides along a line of the first; base class.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody, FlexibleBody or GROUND
        The body of the line.
    second : RigidBody, BodyFrame or GROUND
        The body that slides: a rigid body, or a named frame such as ``arm["tip"]``.
    points : array_like, optional
        Points of the line on a rigid body or the ground, in their order, as drawn, (n, 3), m. The line is a spline
        through them.
    stations : sequence of str, optional
        In place of ``points``: names of markers or interfaces of ``first`` along the line. On a flexible body the line
        bends and turns with them.
    up : str or array_like, optional
        The x axis of the line is the part of this direction perpendicular to the tangent, as drawn.
    closed : bool, optional
        Whether the line returns to its first point.
    point : array_like, optional
        The sliding point in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.
    """

    _: KW_ONLY
    stations: Sequence[str] | None = None

    remedy: ClassVar = "give stations=, names of its markers along the line, in place of points="

    def _line(self, bodies: Mapping[str, Body]) -> Path:
        if self.stations is None:
            return super()._line(bodies)
        return line_through_stations(bodies[self.first.body.name], self.stations, self._options())

    def _side_problems(self) -> list[str]:
        found = super()._side_problems()
        if self.stations is None:
            return found
        fault = self.first.fault()  # its markers stand in place of a named frame
        return [problem for problem in found if not fault or fault not in problem]

    def _place_problems(self) -> list[str]:
        found = line_problems(self.points, self.stations, self.first, self.label)
        return found or super()._place_problems()


@dataclass(frozen=True, eq=False, repr=False)
class PointOnGuideway(GuidewayJoint):
    """A point of the second body slides along a straight or curved line of the first body.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody, FlexibleBody or GROUND
        The body of the line.
    second : RigidBody, BodyFrame or GROUND
        The body that slides: a rigid body, or a named frame such as ``arm["tip"]``.
    points : array_like, optional
        Points of the line on a rigid body or the ground, in their order, as drawn, (n, 3), m. The line is a spline
        through them.
    stations : sequence of str, optional
        In place of ``points``: names of markers or interfaces of ``first`` along the line. On a flexible body the line
        bends and turns with them.
    up : str or array_like, optional
        The x axis of the line is the part of this direction perpendicular to the tangent, as drawn. By default it is
        normal to the plane of a plane line.
    closed : bool, optional
        Whether the line returns to its first point.
    point : array_like, optional
        The sliding point in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.
    held : bool, optional
        True, the default: the point stays on the line. False: the joint holds nothing, and has the coordinates "x" and
        "y", the distances from the line along its x axis, see ``up``, and across it (m), for play: see the notes.

    Notes
    -----
    The coordinates are "path" along the line (m; the arc length of the undeformed line from the drawn point) and the
    Bryant angles "angle_x", "angle_y", "angle_z" (rad). The run stops with an error where the point leaves an end of
    the line.

    A roller with the play c in a slot along the line, which may be that of a flexible body, is a point with
    ``held=False`` between two stops, ``fb.Limit(name, joint, which="y", lower=-c, upper=c, stiffness=...)``. The point
    is compared with the nearest one of the line.

    A flexible line needs base functions for loads along it: ``modal.recommend(fe, interfaces, f_max_hz=, loads=[...])``
    with a force at every other station gives the slopes beside the point within 1 %. Base functions that move along
    with the point need one coordinate for that, and no high frequencies: :class:`FollowingShapes`.

    Examples
    --------
    A bead on a circular wire:

    >>> import numpy as np, flexbody as fb
    >>> bead = fb.RigidBody("bead", mass=0.1, inertia=(1e-6, 1e-6, 1e-6), center=(1, 0, 0))
    >>> turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    >>> circle = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    >>> wire = fb.PointOnGuideway("wire", fb.GROUND, bead, points=circle, closed=True, point=(1, 0, 0))
    >>> list(wire.coordinates)
    ['path', 'angle_x', 'angle_y', 'angle_z']
    """

    _: KW_ONLY
    held: bool = True

    @property
    def rows(self) -> tuple[Row, ...]:  # type: ignore[override]
        """The rows of both distances, if they are held."""
        return points(X, Y) if self.held else ()

    @property
    def free(self) -> tuple[Free, ...]:  # type: ignore[override]
        """All motions but those that are held."""
        across = () if self.held else (Free(False, X), Free(False, Y))
        return (*across, Free(False, Z), *TURNS)

    @property
    def coordinates(self) -> dict[str, Coordinate]:  # type: ignore[override]
        """Path coordinate and angles, and the distances that are not held."""
        across = {} if self.held else {"x": SLIDE_X, "y": SLIDE_Y}
        return {"path": PATH, **across, **ANGLES}

    def reference(self, which: str, bodies: Mapping[str, Body]) -> float:
        """Return the path coordinate in the drawn configuration, m; zero for distances and angles."""
        return 0.0 if which in ("x", "y") else super().reference(which, bodies)


@dataclass(frozen=True, eq=False, repr=False)
class SleeveOnGuideway(GuidewayJoint):
    """A sleeve slides along a line of the first body and rotates freely about it.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody, FlexibleBody or GROUND
        The body of the line.
    second : RigidBody, BodyFrame or GROUND
        The body that slides: a rigid body, or a named frame such as ``arm["tip"]``.
    points : array_like, optional
        Points of the line on a rigid body or the ground, in their order, as drawn, (n, 3), m.
    stations : sequence of str, optional
        In place of ``points``: names of markers or interfaces of ``first`` along the line.
    up : str or array_like, optional
        The x axis of the line is the part of this direction perpendicular to the tangent, as drawn.
    closed : bool, optional
        Whether the line returns to its first point.
    point : array_like, optional
        The sliding point in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.

    Notes
    -----
    The coordinates are "path" along the line (m, from the drawn point) and "angle" about it (rad).

    Examples
    --------
    >>> import flexbody as fb
    >>> ring = fb.RigidBody("ring", mass=0.1, inertia=(1e-6, 1e-6, 1e-6), center=(0.2, 0, 0))
    >>> sleeve = fb.SleeveOnGuideway("rod", fb.GROUND, ring, points=[(0, 0, 0), (1, 0, 0)], point=(0.2, 0, 0))
    >>> list(sleeve.coordinates)
    ['path', 'angle']
    """

    rows: ClassVar = points(X, Y) + PARALLEL
    free: ClassVar = (Free(False, Z), Free(True, Z))
    coordinates: ClassVar = {"path": PATH, "angle": TURN_Z}


@dataclass(frozen=True, eq=False, repr=False)
class MuffOnGuideway(GuidewayJoint):
    """A muff slides along a line of the first body and turns with it: with its tangent and its twist, Koppens 4.3.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody, FlexibleBody or GROUND
        The body of the line.
    second : RigidBody, BodyFrame or GROUND
        The body that slides: a rigid body, or a named frame such as ``arm["tip"]``.
    points : array_like, optional
        Points of the line on a rigid body or the ground, in their order, as drawn, (n, 3), m.
    stations : sequence of str, optional
        In place of ``points``: names of markers or interfaces of ``first`` along the line. The muff turns with them.
    up : str or array_like, optional
        The x axis of the line is the part of this direction perpendicular to the tangent, as drawn. The muff turns with
        these axes.
    closed : bool, optional
        Whether the line returns to its first point.
    point : array_like, optional
        The middle of the muff in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.

    Notes
    -----
    The coordinate is "path" along the line (m, from the drawn point).

    Examples
    --------
    >>> import flexbody as fb
    >>> trolley = fb.RigidBody("trolley", mass=5.0, inertia=(0.1, 0.1, 0.1), center=(0.2, 0, 0))
    >>> rail = fb.MuffOnGuideway("rail", fb.GROUND, trolley, points=[(0, 0, 0), (1, 0, 0)], point=(0.2, 0, 0))
    >>> list(rail.coordinates)
    ['path']
    """

    rows: ClassVar = points(X, Y) + ALIGNED
    free: ClassVar = (Free(False, Z),)
    coordinates: ClassVar = {"path": PATH}
