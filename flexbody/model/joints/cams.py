"""Joints of cams: a roller, a knife edge or a flat face of a body that stays in touch with a plane line of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.values import NotNegative

from ...core.kinds import FACE, VELOCITY
from ...core.rotation import direction
from ..path import Path
from ..profile import beside, normal_of
from ..rigid_motion import AT_REST, Motions
from ..sides import Body
from .coordinates import SLIDE_Y, Coordinate, X, Y, Z
from .guideways import PATH, PathJoint
from .recorded_rows import Components, Poses, Slipping, View
from .rows import TURNS, Free, Row, UserRow, points
from .slip_laws import SlipLaw

#: curvature that a line needs for a flat face, over one by its length
SMALLEST_BULGE = 1e-6
#: how far beyond an end a contact may be drawn, relative to the length of the line: the slope of a spline is not exact
LARGEST_OVERSHOOT = 1e-5


class CamJoint(PathJoint):
    """A joint that holds or measures one distance from a plane line; base class.

    A subclass has the field ``held``; the y axis of the line is outward where it is False.
    """

    @property
    def rows(self) -> tuple[Row, ...]:  # type: ignore[override]
        """The row of the distance, if it is held."""
        return points(Y) if self.held else ()  # type: ignore[attr-defined]

    @property
    def free(self) -> tuple[Free, ...]:  # type: ignore[override]
        """All motions but the one that is held."""
        away = () if self.held else (Free(False, Y),)  # type: ignore[attr-defined]
        return (Free(False, X), *away, Free(False, Z), *TURNS)

    @property
    def coordinates(self) -> dict[str, Coordinate]:  # type: ignore[override]
        """The path coordinate, and the gap that is not held."""
        return {"path": PATH} | ({} if self.held else {"gap": SLIDE_Y})  # type: ignore[attr-defined]

    def reference(self, which: str, bodies: Mapping[str, Body]) -> float:
        """Return the path coordinate in the drawn configuration, m; zero for the gap, which counts from the touch."""
        return 0.0 if which == "gap" else super().reference(which, bodies)

    def pressing_sign(self, bodies: Mapping[str, Body]) -> float:
        """Return the sign of the multiplier where the follower presses on the line.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        float
            1 or -1.
        """
        return -1.0  # the y axis of the line is outward

    def line(self, bodies: Mapping[str, Body]) -> Path:
        """Return the line that is touched, on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Path
            The line, in the base of the body.
        """
        return self._line(bodies)


@dataclass(frozen=True, eq=False, repr=False)
class RollerOnGuideway(Slipping, CamJoint):
    """A roller of the second body runs on a plane line of the first, such as the profile of a cam.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody or GROUND
        The body of the line, a cam.
    second : RigidBody, BodyFrame or GROUND
        The body that carries the roller: a rigid body, or a named frame such as ``lever["tip"]``.
    points : array_like
        Points of the line in their order, as drawn, (n, 3), m: see :func:`profile`. The line is a spline through them.
    up : str or array_like, optional
        Normal of the plane of the line; needed for a straight line only.
    closed : bool, optional
        Whether the line returns to its first point, as that of a cam does.
    point : array_like, optional
        The centre of the roller in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.
    radius : float, optional
        Radius of the roller, m; 0, the default, is a knife edge.
    rolls : bool, optional
        Whether the second body is the roller itself, which rolls without slip. By default the roller is a part of the
        follower that needs no rotation.
    slip : Coulomb or Creep, optional
        Law of the forces against the slip of a roller that rolls; by default it rolls without slip.
    held : bool, optional
        True, the default: the roller stays in touch, and the joint also pulls. False: it may lift off; the joint then
        holds nothing, and has the coordinate "gap" for a :class:`Limit`.

    Notes
    -----
    The roller is on the side of the line on which it is drawn. The sign of the reaction of a held one says where it
    would lift off. The line may be hollow where its radius of curvature is larger than the roller's. The centre moves
    along a line at the distance ``radius``; the coordinate "path" is measured along that one (m, from the drawn point).

    With ``held=False`` the coordinate "gap" is the distance of roller and line along their normal, m, below zero where
    they overlap. A stop at zero presses them apart, by Hunt and Crossley's law, and lets a follower lift off and come
    down: ``fb.Limit(name, cam, which="gap", lower=0.0, stiffness=..., dissipation=...)``. With two stops and radius 0
    it is a roller with play c in a slot along the line: ``lower=-c, upper=c``. The gap of a knife edge that is drawn on
    the line itself grows outward from a closed line, otherwise along ``tangent x up``. The follower must stay nearer to
    the line than the centre of a hollow part's curvature.

    The joint holds one component, along the common normal, and leaves five free. Another joint
    guides the follower: with a :class:`Prismatic` one it translates, with a :class:`Revolute` one it oscillates. The
    reaction is the force on the follower.

    A roller that rolls is a body on a pin of the follower, and ``point`` its middle. Where it touches, both surfaces
    have equal velocities along the line, which is a nonholonomic constraint. The roller therefore turns against the
    body of the line by the way of its middle along that body over ``radius``: on a cam ``radius q4' = sqrt(q3^2 +
    f1'^2) q2'``, with the polar coordinates q2 and q3 = f1(q2) of the middle (Sol 1983, chapter 9). The reaction then
    contains the force along the line. With ``slip`` this force follows the slip and the normal force, see
    :class:`Rolling`.

    Examples
    --------
    An eccentric disc lifts a tappet with a roller:

    >>> import numpy as np, flexbody as fb
    >>> disc = fb.RigidBody("disc", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> tappet = fb.RigidBody("tappet", mass=0.2, inertia=(1e-5, 1e-5, 1e-5), center=(0, 0, 0.05))
    >>> circle = fb.profile(lambda a: (0.01 + 0.03 * np.cos(a), 0.03 * np.sin(a)), axis="y", along="z")
    >>> cam = fb.RollerOnGuideway("cam", disc, tappet, points=circle, closed=True, point=(0, 0, 0.05), radius=0.01)
    >>> shaft = fb.Revolute("shaft", fb.GROUND, disc, point=(0, 0, 0), axis="y")
    >>> guide = fb.Prismatic("guide", fb.GROUND, tappet, point=(0, 0, 0.05), axis="z")
    >>> fb.mobility(fb.System([disc, tappet], [shaft, guide, cam])).degrees_of_freedom
    1
    """

    _: KW_ONLY
    radius: Annotated[float, NotNegative] = 0.0
    rolls: bool = False
    slip: SlipLaw | None = None
    held: bool = True

    def kinds(self, n: int) -> list[int]:
        """Return that rolling holds a velocity."""
        return [VELOCITY] * n

    def components(self, poses: Poses) -> Components:
        """Return the slip along the line as a function of time and views."""
        rates = self.slip_rates(poses)
        return lambda t, views: rates(t, views)[:1]

    def slip_rates(self, poses: Poses) -> Components:
        """Return slip along and across the line, spin and speed of rolling, as a function."""
        radius = self._outward * float(self.radius)

        def rates(t: Any, views: Sequence[View]) -> list[Any]:
            place, roller = views
            arm = -radius * place.R[:, 1]
            turned = np.cross(roller.w, arm)  # type: ignore[arg-type]
            passed = place.v + np.cross(place.w, arm + roller.r - place.r) - roller.v  # type: ignore[arg-type, operator]
            x, y, z = place.R.T
            spin = float(np.sign(radius)) * (y @ (roller.w - place.w))  # type: ignore[operator]
            return [z @ (turned - passed), x @ (turned - passed), spin, -0.5 * (z @ (turned + passed))]

        return rates

    def pressing_sign(self, bodies: Mapping[str, Body]) -> float:
        """Return the sign of the multiplier where the roller presses on the line, which depends on its side."""
        self.frames(bodies)
        return -self._outward

    @property
    def _outward(self) -> float:
        """1 where the drawn roller is on the side of the y axis of the line, otherwise -1; needs :meth:`frames`."""
        found: float = vars(self)["_side"]
        return found

    def user_rows(self, poses: Poses, length: float) -> list[UserRow]:
        """Return the row of rolling, if the roller rolls without slip."""
        return super().user_rows(poses, length) if self.rolls and self.slip is None else []

    def problems(self) -> list[str]:
        """Return the problems of this joint by itself as sentences."""
        found = super().problems()
        if self.rolls and not found and not self.radius > 0:
            found.append(
                f"{self.label}: a roller that rolls needs a radius= above zero; it is {self.radius!r}"
            )
        if self.rolls and not self.held:
            found.append(
                f"{self.label}: a roller that rolls stays in touch; leave held=False out, or rolls=True"
            )
        if isinstance(self.slip, SlipLaw) and not self.rolls:
            found.append(
                f"{self.label}: slip= belongs to a roller that rolls; give rolls=True, or leave slip= out"
            )
        return found + self.slip_problems()

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of the line and the roller on the bodies of a system as sentences."""
        found = super().frame_problems(bodies)
        if not self.rolls or found:
            return found
        if not self.second.has_rotation(bodies):
            return [
                f"{self.label}: {self.second!r} has too few nodes to define a rotation, and only what turns can roll; "
                "use a larger node set"
            ]
        return []

    def _path(self, line: Path, point: np.ndarray, origin: np.ndarray) -> Path:
        if not self.radius > 0.0:
            normal_of(line, self.label)
            path = super()._path(line, point, origin)
            return path if self.held else outward_up(path, self._side_of_edge(path, point))
        s = line.nearest(point)
        outward = point - line.place(s)
        side = np.sign(outward @ line.axes(s)[:, 1]) or 1.0
        path = super()._path(beside(line, float(self.radius), float(side), origin, self.label), point, origin)
        vars(self)["_side"] = float(np.sign(outward @ path.axes(path.start)[:, 1]))
        return path if self.held else outward_up(path, self._outward)

    def _side_of_edge(self, path: Path, point: np.ndarray) -> float:
        """Return 1 if a knife edge is on the side of the y axes of the line, otherwise -1."""
        beyond = float((point - path.place(path.start)) @ path.axes(path.start)[:, 1])
        if abs(beyond) > 1e-9 * path.length:
            return float(np.sign(beyond))
        if not path.closed:
            return 1.0
        s = np.linspace(0.0, path.length, 8 * len(path.breaks))
        x, up = path.place(s), path.axes(0.0)[:, 0]
        return float(
            np.sign(np.cross(x[:-1], x[1:]).sum(axis=0) @ up)
        )  # the area, with the sign of the way round


@dataclass(frozen=True, eq=False, repr=False)
class FaceOnGuideway(CamJoint):
    """A flat face of the second body stays in touch with a plane line of the first, such as the profile of a cam.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the system.
    first : RigidBody or GROUND
        The body of the line, a cam.
    second : RigidBody, BodyFrame or GROUND
        The body of the face: a rigid body, or a named frame such as ``lever["tip"]``.
    points : array_like
        Points of the line in their order, as drawn, (n, 3), m: see :func:`profile`. It must bulge everywhere.
    up : str or array_like, optional
        Normal of the plane of the line.
    closed : bool, optional
        Whether the line returns to its first point, as that of a cam does.
    point : array_like, optional
        A point of the face in the drawn configuration, (3,), m; it is needed unless ``second`` is a named frame.
    normal : str or array_like, optional
        Outward normal of the face as drawn, which points to the line; by default "-z".
    held : bool, optional
        True, the default: the face stays in touch, and the joint also pulls. False: it may lift off; the joint then
        holds nothing, and has the coordinate "gap" for a :class:`Limit`.

    Notes
    -----
    The face is unbounded. An open line must be drawn with a tangent along the face, where it touches; the run stops
    where the contact leaves an end of the line. The sign of the reaction of a held one says where it would lift off;
    for ``held=False`` see :class:`RollerOnGuideway`. The coordinate "path" is where the face touches (m along the line,
    from the drawn place). The joint holds one component, along the normal; another joint guides the follower.

    Examples
    --------
    >>> import numpy as np, flexbody as fb
    >>> disc = fb.RigidBody("disc", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> tappet = fb.RigidBody("tappet", mass=0.2, inertia=(1e-5, 1e-5, 1e-5), center=(0, 0, 0.04))
    >>> circle = fb.profile(lambda a: (0.01 + 0.03 * np.cos(a), 0.03 * np.sin(a)), axis="y", along="z")
    >>> face = dict(points=circle, closed=True, point=(0, 0, 0.04), normal="-z")
    >>> list(fb.FaceOnGuideway("cam", disc, tappet, **face).coordinates)
    ['path']
    """

    _: KW_ONLY
    normal: str | ArrayLike = "-z"
    held: bool = True

    def _path(self, line: Path, point: np.ndarray, origin: np.ndarray) -> Path:
        out = -direction(self.normal, f"{self.label}: normal")
        return touching(line, out, origin, self.label)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this joint on bodies that are drawn elsewhere: line and face move with their bodies."""
        R = motions.get(self.second.body.name, AT_REST).R
        normal = R @ direction(self.normal, f"{self.label}: normal")
        return replace(super().redrawn(bodies, motions), normal=normal)


def outward_up(path: Path, side: float) -> Path:
    """Return a plane line whose y axes are on the given side of the old ones: 1 the same, -1 the other.

    Parameters
    ----------
    path : Path
        The line.
    side : float
        1 or -1.

    Returns
    -------
    Path
        The line.
    """
    coefficients = path.coefficients.copy()
    coefficients[:, :, 3:6] *= side
    return replace(path, coefficients=coefficients)


def touching(line: Path, out: np.ndarray, origin: np.ndarray, what: str) -> Path:
    """Return a line that is touched by a face, whose y axis is outward there.

    Parameters
    ----------
    line : Path
        The line.
    out : numpy.ndarray
        Outward normal of the line where the face touches it as drawn, (3,).
    origin : numpy.ndarray
        Where the base of the body is drawn, (3,), m, for messages.
    what : str
        What the line belongs to, for messages.

    Returns
    -------
    Path
        The line.

    Raises
    ------
    fem.InputError
        If the line is not plane, the face is not perpendicular to it, the line is not convex, or the face touches an
        open line nowhere.
    """
    normal = normal_of(line, what)
    if abs(out @ normal) > 1e-6:
        raise InputError(f"{what}: the normal of the face is not in the plane of the line; turn the face")
    s = np.linspace(0.0, line.length, 8 * len(line.breaks))
    places, tangent, curve = (line.columns(s, k)[:, :3] for k in range(3))
    k = int(np.argmax(places @ out))
    up = normal if np.cross(tangent[k], normal) @ out > 0 else -normal  # so that y = z x x is outward
    outward = np.cross(tangent, up) / np.linalg.norm(tangent, axis=1)[:, None]
    _check_bulge(line, s, places + origin, -np.einsum("ki,ki->k", curve, outward), what)
    start = _touched(line, out, float(s[k]))
    if not line.closed and abs(start - np.clip(start, 0.0, line.length)) > LARGEST_OVERSHOOT * line.length:
        raise InputError(_touches_nowhere(line, s, outward, out, origin, what))
    coefficients = line.coefficients.copy()
    coefficients[:, :, 3:6] = 0.0
    coefficients[:, 0, 3:6] = up
    return replace(line, coefficients=coefficients, start=start, touch=FACE)


def _check_bulge(line: Path, s: np.ndarray, drawn: np.ndarray, bulge: np.ndarray, what: str) -> None:
    """Raise InputError where a line, with these curvatures (1/m) at s, does not bulge towards a face."""
    least = SMALLEST_BULGE / line.length
    if bulge.min() > least:
        return
    if not line.closed and bulge.max() < -least:
        raise InputError(
            f"{what}: the face is on the hollow side of the line, and touches it at no single place; give normal=, "
            "which points from the face to the line, the other sign, or use a roller"
        )
    k = int(np.argmin(bulge))
    mend = "give a larger base circle, or a roller" if line.closed else "give a part that bulges, or a roller"
    raise InputError(
        f"{what}: the line does not bulge at {_rounded(drawn[k])} m (as drawn, {s[k]:.4g} m "
        f"along it), and a flat face can't touch it there; {mend}"
    )


def _touches_nowhere(
    line: Path, s: np.ndarray, outward: np.ndarray, out: np.ndarray, origin: np.ndarray, what: str
) -> str:
    """Return as a sentence that no tangent of an open line, with these normals at s, is along a face."""
    k = 0 if outward[0] @ out > outward[-1] @ out else -1
    angle = np.degrees(np.arctan2(np.linalg.norm(np.cross(outward[k], out)), outward[k] @ out))
    which = "beginning" if k == 0 else "end"
    near, far = (_rounded(-outward[j], 4) for j in (0, -1))
    return (
        f"{what}: the face touches the line nowhere as drawn: normal= is {_rounded(-out, 4)}, and the line needs one "
        f"from {near} at its beginning to {far} at its end. The face is nearest to a tangent at the {which}, "
        f"{_rounded(line.place(s[k]) + origin)} m, where {angle:.4g} degrees are missing. Draw the face along the line "
        "where it touches, with its normal there, or make the line longer"
    )


def _rounded(x: np.ndarray, digits: int = 6) -> list[float]:
    """Return a vector for a message."""
    found: list[float] = (np.round(x, digits) + 0.0).tolist()
    return found


def _touched(line: Path, out: np.ndarray, s: float) -> float:
    """Return the path coordinate near s that is farthest along ``out``; beyond an end with the end's curvature."""
    for _ in range(20):
        slope, curve = (float(line.columns(s, k)[:3] @ out) for k in (1, 2))
        beyond = 0.0 if line.closed else s - float(np.clip(s, 0.0, line.length))
        step = -slope / curve - beyond
        s += step
        if abs(step) < 1e-14 * line.length:
            break
    return s
