"""Base functions of a flexible body that follow the contacts on a line of it, Koppens 6.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

import numpy as np
import scipy

from fem.common.errors import InputError, called, listing
from fem.common.names import as_list
from fem.common.short_repr import short_repr
from modal import StationShapes

from ..flexible_body import FlexibleBody
from ..path import Path
from ..sides import Body
from .base import Connection, Joint, Term
from .guideways import GuidewayJoint

#: a station farther from the line than this part of its length does not belong to it
LARGEST_OFFSET = 0.1
#: contacts nearer than this part of the length of their line are at one place
LEAST_DISTANCE = 1e-6
#: the degree of the splines between stations: the second derivative is continuous
DEGREE = 3


class Curve(NamedTuple):
    """The shape for a load at a contact, over its path coordinate.

    Parameters
    ----------
    contact : int
        Which contact.
    breaks : numpy.ndarray
        Ends of the segments, (n + 1,), m.
    coefficients : numpy.ndarray
        Coordinates of the shape in rising powers of the distance from the beginning of each segment, (n, 4, r).
    closed : bool
        Whether the line ends where it begins.
    """

    contact: int
    breaks: np.ndarray
    coefficients: np.ndarray
    closed: bool


class ShapeSet(NamedTuple):
    """The shapes of a body that follow contacts.

    Parameters
    ----------
    body : str
        Name of the body.
    rows : numpy.ndarray
        Coordinates of the base functions that follow, for unit modal coordinates, (r, N), m.
    curves : tuple of Curve
        One for each contact and component of its load.
    """

    body: str
    rows: np.ndarray
    curves: tuple[Curve, ...]


@dataclass(frozen=True, eq=False)
class FollowingShapes(Connection):
    """Base functions of a flexible guideway that follow the contacts on it.

    Of the base functions of :func:`modal.following_modes` those are kept that belong to loads where the contacts are:
    one for each contact and component of the load. They move along with the contacts, and all other base functions stay
    free. Without this entry all static shapes of the stations are free.

    Parameters
    ----------
    name : str
        Name, unique in the system.
    contacts : GuidewayJoint or sequence
        The joints that slide along the line of stations of one flexible body: :class:`PointOnGuideway`,
        :class:`SleeveOnGuideway`, :class:`MuffOnGuideway`. Give all contacts of the body in one entry.

    Notes
    -----
    Let ``eta = F alpha`` be the coordinates of the static shapes beside the other base functions, and ``n(s)`` those of
    the shape for a unit load at the path coordinate s: a spline through the stations, C2 in s. Then ``eta = n(s) beta``
    for each contact, with one amplitude beta. These are holonomic constraints without reactions on the contact: the
    forces that hold them do no work on any motion that they allow. They bring all terms of base functions that change
    with s, with ``Phi_s s.`` in velocities, ``Phi_s s..`` and ``Phi_ss s.^2`` in accelerations, and what these give
    to the equation for s (Koppens 6.2; Wang and Wei 1987). Modal coordinates, deflections and stresses are read as
    ever. ``result.reaction(shapes)`` is the load on the (last) sliding body along the line: the part of its thrust by
    which the shapes move.

    The body needs fewer free coordinates, and loses the high frequencies of the static shapes, which take short steps
    or ring. Where static shapes cost no steps, leave this entry out: the static shapes together are more accurate, and
    the time of a step is less.

    Two contacts must not meet at one place: there their shapes are the same. :func:`flexbody.kinematics` does
    without this entry.

    References
    ----------
    P. K. C. Wang, J. D. Wei: Vibrations in a moving flexible robot arm. Journal of Sound and Vibration 116 (1987)
    149-160.

    Examples
    --------
    >>> import fem, modal, numpy as np, flexbody as fb
    >>> x = np.linspace(0, 2, 21)
    >>> cells = np.stack([np.arange(20), np.arange(1, 21)], axis=1)
    >>> stations = [f"s{k}" for k in range(21)]
    >>> sets = {name: [k] for k, name in enumerate(stations)}
    >>> mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets, name="beam")
    >>> fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.03, 0.02)))
    >>> proposal = modal.recommend(fe, ("s0", "s20"), f_max_hz=30.0, follow=stations)
    >>> beam = fb.FlexibleBody("beam", modal.reduce(fe, proposal))
    >>> load = fb.RigidBody("load", 1.0, (1e-3, 1e-3, 1e-3), center=(0.2, 0, 0))
    >>> rail = fb.PointOnGuideway("rail", beam, load, stations=stations, point=(0.2, 0, 0))
    >>> shapes = fb.FollowingShapes("shapes", rail)
    """

    name: str
    contacts: GuidewayJoint | Sequence[GuidewayJoint]

    __repr__ = short_repr
    verb = "follows"

    @property
    def listed(self) -> tuple[GuidewayJoint, ...]:
        """The contacts as a tuple."""
        return tuple(as_list(self.contacts))

    def uses(self) -> tuple[Term, ...]:
        """Return the path coordinates of the contacts."""
        return tuple(Term(joint, "path") for joint in self.listed)

    @property
    def couplings(self) -> tuple[tuple[Term, ...], ...]:
        """None: the path coordinates are in no sum."""
        return ()

    def problems(self) -> list[str]:
        """Return the problems of this entry as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if not self.listed or not all(isinstance(joint, GuidewayJoint) for joint in self.listed):
            wrong = next((joint for joint in self.listed if not isinstance(joint, GuidewayJoint)), None)
            return [
                f"{self.label}: contacts is {called(self.contacts if wrong is None else wrong)}; give one or more "
                "joints that slide along the stations of a flexible body, such as fb.PointOnGuideway"
            ]
        names = [joint.name for joint in self.listed]
        if len(set(names)) < len(names):
            return [f"{self.label} names a contact twice, {listing(names)}; give each once"]
        return [problem for joint in self.listed for problem in self._contact_problems(joint)]

    def _contact_problems(self, joint: Joint) -> list[str]:
        if getattr(joint, "stations", None) is None:
            return [
                f"{self.label}: the line of {joint.label} does not deform; give joints with stations= of a flexible "
                "body"
            ]
        if not getattr(joint, "held", True):
            return [
                f"{self.label}: {joint.label} has held=False and may leave the line; shapes follow contacts that are "
                "held. Leave this entry out: then all static shapes are free"
            ]
        return []

    def joint_problems(self, joints: Mapping[str, Joint]) -> list[str]:
        """Return as sentences what the contacts of a system lack."""
        found = [joints[joint.name] for joint in self.listed]
        problems = [problem for joint in found for problem in self._contact_problems(joint)]
        names = dict.fromkeys(joint.first.body.name for joint in found)
        if len(names) > 1 and not problems:
            problems = [
                f"{self.label} has contacts on the bodies {listing(names)}; give an entry for each body"
            ]
        return problems or super().joint_problems(joints)

    def placement_problems(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[str]:
        """Return as a sentence why the shapes of the body can't follow its contacts; empty if they can."""
        try:
            self.shapes_on(joints, bodies)
        except InputError as error:
            return [str(error)]
        return []

    def shapes_on(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> ShapeSet:
        """Return the shapes of the body, over the path coordinates of the contacts.

        Parameters
        ----------
        joints : mapping of str to Joint
            The joints of the system by name.
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        ShapeSet
            The shapes.

        Raises
        ------
        fem.InputError
            The body has no shapes that follow, or stations beside the line.
        """
        contacts = [joints[joint.name] for joint in self.listed]
        self._check_places(contacts, bodies)
        body = bodies[contacts[0].first.body.name]
        shapes = body.reduced.station_shapes if isinstance(body, FlexibleBody) else None
        if shapes is None:
            raise InputError(
                f"{self.label}: body '{body.name}' has no base functions that follow a contact; reduce it with "
                "modal.recommend(..., follow=stations), or with modal.combine(basis, modal.following_modes(...))"
            )
        curves = tuple(
            self._curve(k, joint, component, shapes, body, bodies)
            for k, joint in enumerate(contacts)
            for component in shapes.curves
        )
        if len(shapes.rows) <= len(curves):
            raise InputError(
                f"{self.label}: body '{body.name}' has {len(shapes.rows)} base functions that follow, not more than "
                f"the {len(curves)} of the contacts; leave this entry out, or reduce the body with more stations"
            )
        return ShapeSet(body.name, shapes.rows, curves)

    def _check_places(self, contacts: Sequence[Joint], bodies: Mapping[str, Body]) -> None:
        """Raise InputError if two contacts are drawn at one place, where their shapes are the same."""
        paths: list[Path] = [joint.path(bodies) for joint in contacts]  # type: ignore[attr-defined]
        for k, (path, joint) in enumerate(zip(paths, contacts, strict=True)):
            for other, before in zip(paths[:k], contacts[:k], strict=True):
                if (
                    np.linalg.norm(path.place(path.start) - other.place(other.start))
                    < LEAST_DISTANCE * path.length
                ):
                    raise InputError(
                        f"{self.label}: {before.label} and {joint.label} are at one place, where their shapes are the "
                        "same; name one of them"
                    )

    def _curve(
        self,
        k: int,
        joint: Joint,
        component: str,
        shapes: StationShapes,
        body: Body,
        bodies: Mapping[str, Body],
    ) -> Curve:
        path: Path = joint.path(bodies)  # type: ignore[attr-defined]
        names, values = shapes.stations[component], shapes.curves[component]
        s = np.array([self._place(path, name, joint, body) for name in names])
        order = np.argsort(s)
        s, values = s[order], values[order]
        for one, before in zip(values[1:], values, strict=False):  # a shape and its opposite are one
            one *= 1.0 if one @ before >= 0 else -1.0
        if np.any(np.diff(s) <= 1e-9 * path.length):
            raise InputError(
                f"{self.label}: two of the stations {listing(names)} are at one place of the line"
            )
        if not path.closed:
            spline = scipy.interpolate.make_interp_spline(s, values, k=DEGREE)
            inside = np.unique(spline.t)[1:-1]
            breaks = np.concatenate([[0.0], inside[(inside > 0.0) & (inside < path.length)], [path.length]])
        else:
            if values[0] @ values[-1] < 0:
                raise InputError(
                    f"{self.label}: the shapes along the closed line of {joint.label} change their sign on the way; "
                    "leave this entry out"
                )
            s, values = np.append(s, s[0] + path.length), np.append(values, values[:1], axis=0)
            spline = scipy.interpolate.make_interp_spline(s, values, k=DEGREE, bc_type="periodic")
            breaks = s
        powers = [spline(breaks[:-1], nu=n) / factorial(n) for n in range(DEGREE + 1)]
        return Curve(k, breaks, np.stack(powers, axis=1), path.closed)

    def _place(self, path: Path, name: str, joint: Joint, body: Body) -> float:
        """Return the path coordinate of a station, beyond the ends of the line along their tangents, m."""
        x = body.marker(name)[0]
        s = path.nearest(x)
        place, beyond = path.place(s), 0.0
        if not path.closed and s in (0.0, path.length):
            tangent = path.columns(s, 1)[:3]
            beyond = float(tangent @ (x - place) / (tangent @ tangent))
            place = place + beyond * tangent
        away = float(np.linalg.norm(place - x))
        if away > LARGEST_OFFSET * path.length:
            raise InputError(
                f"{self.label}: the station {name!r} of body '{body.name}' is {away:.3g} m from the line of "
                f"{joint.label}; reduce the body with stations along this line"
            )
        return s % path.length if path.closed else s + beyond
