"""Flexible bodies in the drawn configuration: reduced data, placed in the inertial base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.errors import InputError, listing, with_article
from fem.common.names import with_match
from fem.common.numbers import floats, vector, vector_problems
from modal import AxialEnergy, ReducedBody

from .placement import Placement
from .rigid_body import RigidBody
from .rigid_motion import RigidMotion
from .sides import Body, BodyFrame, FrameData, SavedBody

#: A point farther from the surface of a flexible body than this fraction of its size is not accepted.
SURFACE_TOLERANCE = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleBody(Body):
    """A flexible body: reduced data placed in the inertial base.

    Parameters
    ----------
    name : str
        Name of the body, unique in the system.
    reduced : modal.ReducedBody
        Reduced data, from :func:`modal.reduce`, :func:`modal.assumed.beam` or :func:`modal.load`.
    place : mapping of str to array_like, optional
        Position of named interfaces in the drawn configuration, (3,), m, inertial base. Two points leave the rotation
        about their line undetermined; the smallest rotation is used, unless ``up`` is given.
    origin : array_like, optional
        Position of the origin of the mesh, (3,), m; use it instead of ``place``.
    rotation : array_like, optional
        Rotation matrix from the base of the mesh to the inertial base, (3, 3); use it with ``origin``.
    up : array_like, optional
        Direction, (3,). The body is rotated about the line between the points of ``place`` so that the z axis of the
        mesh is as close to it as possible.
    velocity, angular_velocity : array_like, optional
        Velocity (m/s) and angular velocity (rad/s) of the body's frame at its reference point at t = 0, (3,), inertial
        components.
    alpha, alpha_dot : array_like, optional
        Modal coordinates and their time derivatives at t = 0, (N,).
    damping_ratio : float or array_like, optional
        Damping ratio of every mode of the free body, or one value for each mode, (N,); 0.02 is 2 %. In a machine the
        lowest modes can have much less damping; see ``fb.linearize(machine).damping_ratios``. The dampers of the
        reduced body (its ``D``) are added.
    stiffening : bool, optional
        Whether to use the geometric stiffening terms of the reduced body. False selects linear theory.

    Attributes
    ----------
    turned : modal.ReducedBody
        The reduced data in the inertial base.
    start : numpy.ndarray
        Position of the reference point in the drawn configuration, (3,), m.

    Raises
    ------
    fem.InputError
        If the body can't be placed: unknown interfaces, distances that do not fit, or a matrix that is not a rotation.

    Notes
    -----
    The displacement of a material point is rigid motion plus small deformation, ``r = c + Q (x + u)`` with
    ``u = sum_i alpha_i Phi_i``, Koppens (2.1), (2.28).

    Examples
    --------
    >>> import flexbody as fb, modal
    >>> rod = modal.assumed.beam(0.3, mass=0.1, EI=12.7, polar_inertia=1e-6, y=modal.assumed.quintic())
    >>> body = fb.FlexibleBody("rod", rod, place={"start": (0, 0, 0), "end": (0, 0, 0.3)}, damping_ratio=0.01)
    >>> body.n_modes, body.start.tolist()  # the origin of the rod is its middle
    (4, [0.0, 0.0, 0.15])
    """

    name: str
    reduced: ReducedBody
    _: KW_ONLY
    place: Mapping[str, ArrayLike] | None = None
    origin: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike | None = None
    up: ArrayLike | None = None
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    alpha: ArrayLike | None = None
    alpha_dot: ArrayLike | None = None
    damping_ratio: float | ArrayLike = 0.0
    stiffening: bool = True
    turned: ReducedBody = field(init=False, repr=False)
    _start: np.ndarray = field(init=False, repr=False)

    kind: ClassVar[str] = "flexible"

    def __post_init__(self) -> None:
        if not hasattr(self.reduced, "turned"):
            raise InputError(
                f"body '{self.name}': reduced is {with_article(type(self.reduced).__name__)}; give a "
                "modal.ReducedBody, from modal.reduce, modal.assumed.beam or modal.load"
            )
        given = Placement(self.place, self.origin, self.rotation, self.up)
        rotation, origin = given.motion(self.reduced, f"body '{self.name}'")
        object.__setattr__(self, "turned", self.reduced.turned(rotation))
        object.__setattr__(self, "_start", origin + rotation @ np.asarray(self.reduced.origin))

    def __getitem__(self, name: str) -> BodyFrame:
        """Return the frame at the interface or marker ``name``."""
        if name not in self.reduced.markers:
            raise InputError(
                f"body '{self.name}' has no interface or marker {with_match(name, self.reduced.markers)}; "
                f"it has {listing(self.reduced.markers)}. "
                "Add it with modal.reduce(..., markers=(...)), or as an interface of the basis"
            )
        return BodyFrame(self, name)

    def __repr__(self) -> str:
        """Return one line with the name of the body and its reduced data."""
        return f"<FlexibleBody '{self.name}': {self.reduced!r}>"

    @property
    def start(self) -> np.ndarray:
        """Position of the reference point in the drawn configuration, (3,), m."""
        return self._start

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Names of the interfaces and markers."""
        return tuple(self.reduced.markers)

    @property
    def n_modes(self) -> int:
        """Number N of modal coordinates."""
        return self.reduced.N

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return self.reduced.mass

    def marker(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, displacement rows and rotation rows of an interface or marker.

        Parameters
        ----------
        name : str
            Name of the interface or marker.

        Returns
        -------
        tuple of numpy.ndarray
            Position relative to the reference point, (3,), m, displacement rows Phi, (3, N), and rotation rows B, (3,
            N).
        """
        marker = self.turned.markers[name]
        return np.asarray(marker.point), np.asarray(marker.Phi), np.asarray(marker.B)

    @property
    def stiffened(self) -> bool:
        """Whether geometric stiffening is used: ``stiffening`` is True and the reduced body has the terms."""
        return self.stiffening and self.reduced.stiffened

    def second_order(self, name: str) -> np.ndarray | None:
        """Return the second-order terms of an interface or marker.

        Parameters
        ----------
        name : str
            Name of the interface or marker.

        Returns
        -------
        numpy.ndarray or None
            G, (6, N, N): ``alpha' G_k alpha / 2`` is added to the position (m) and to the rotation vector (rad). None
            if the body is not stiffened.
        """
        marker = self.turned.markers[name]
        if not self.stiffened or marker.GF is None or marker.GM is None:
            return None
        return np.concatenate([marker.GF, marker.GM])

    def marker_has_rotation(self, name: str) -> bool:
        """Return whether a marker has enough nodes to define a rotation."""
        return self.reduced.markers[name].has_rotation

    def fault(self) -> str:
        """Return that a joint or force needs the name of an interface or marker."""
        return (
            f"the flexible body '{self.name}' without the name of an interface or marker; write {self.name}['...'] "
            f"with one of {listing(self.reduced.markers)}"
        )

    def frame_at_point(self, point: ArrayLike) -> FrameData:
        """Return the frame at the nearest point of the surface."""
        x = vector(point, f"a point on body '{self.name}'") - self.start
        surface = self.turned.recovery
        if surface is None:
            raise InputError(
                f"body '{self.name}' has no surface to find a point on; name the point as a marker in modal.reduce, "
                f"or use one of {listing(self.reduced.markers)}"
            )
        distance = np.linalg.norm(surface.points - x, axis=1)
        nearest = int(np.argmin(distance))
        if distance[nearest] > SURFACE_TOLERANCE * float(np.linalg.norm(np.ptp(surface.points, axis=0))):
            where = np.round(surface.points[nearest] + self.start, 6).tolist()
            raise InputError(
                f"the point {np.asarray(point).tolist()} lies {distance[nearest]:.3g} m from body '{self.name}' as "
                f"drawn; the nearest point of its surface is {where}"
            )
        none = np.zeros((3, self.n_modes))
        return FrameData(self.name, surface.points[nearest], np.eye(3), surface.Phi[nearest], none)

    def node_position(self, number: int) -> np.ndarray:
        """Return the drawn position of a node that the stress modes keep, (3,), m."""
        modes = self.turned.stress_modes
        if modes is None:
            return super().node_position(number)
        rows = np.flatnonzero(modes.nodes == number)
        if not len(rows):
            raise InputError(
                f"node {number} of body '{self.name}' is not kept; kept are those on the surface and in the named sets "
                f"{listing(modes.sets)}"
            )
        place: np.ndarray = modes.points[rows[0]] + self.start
        return place

    @property
    def size(self) -> float:
        """Radius of gyration about the reference point, m."""
        return float(np.sqrt(max(np.trace(np.asarray(self.reduced.C3)) / self.mass, 0.0)))

    @property
    def mass_center(self) -> np.ndarray:
        """Centre of mass relative to the reference point, (3,), m."""
        return np.asarray(self.turned.C1) / self.mass

    @property
    def mean(self) -> bool:
        """Whether the body is in a mean-displacement frame."""
        return self.reduced.mean

    @property
    def axial(self) -> AxialEnergy | None:
        """Contribution of axial modes to the strain energy; None without such modes or ``stiffening``."""
        return self.reduced.axial if self.stiffening else None

    def coefficients(self) -> list[np.ndarray]:
        """Return C1..C8, K, D and the axial energy in the inertial base; C5 contains the stiffening terms."""
        r, energy, axial = self.turned, self.axial, np.zeros(0)
        C5 = np.asarray(r.C5) if not self.stiffened else np.asarray(r.C5) + np.asarray(r.C5_stiffening)
        C5 = np.transpose(C5, (0, 2, 3, 1))
        if energy is not None:
            axial = np.concatenate([energy.direction[:, None], energy.quadratic], axis=1)
        return [
            np.asarray(x) for x in (r.C1, r.C2, r.C3, r.C4, C5, r.C6, r.C7, r.C8, r.K, self.damping, axial)
        ]

    def start_modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``alpha`` and ``alpha_dot``, by default zero."""
        none = np.zeros(self.n_modes)
        alpha, rate = (none if x is None else np.asarray(x, float) for x in (self.alpha, self.alpha_dot))
        return alpha, rate

    def redrawn(self, motion: RigidMotion) -> FlexibleBody:
        """Return this body drawn elsewhere: ``origin`` and ``rotation`` replace ``place`` and ``up``."""
        given = Placement(self.place, self.origin, self.rotation, self.up)
        rotation, origin = given.motion(self.reduced, f"body '{self.name}'")
        return replace(self, place=None, up=None, origin=motion.point(origin), rotation=motion.R @ rotation)

    def as_rigid(self) -> RigidBody:
        """Return a rigid body with the same mass, inertia and markers, as drawn."""
        r = self.mass_center
        about_centre = np.asarray(self.turned.C3) - self.mass * (r @ r * np.eye(3) - np.outer(r, r))
        markers = {name: self.start + np.asarray(m.point) for name, m in self.turned.markers.items()}
        spin = np.asarray(self.angular_velocity, dtype=float)
        velocity = np.asarray(self.velocity, dtype=float) + np.cross(spin, r)
        return RigidBody(
            self.name, self.mass, about_centre, center=self.start + r, velocity=velocity, angular_velocity=spin,
            markers=markers,
        )  # fmt: skip

    def saved(self) -> SavedBody:
        """Return what a file stores of this body; the reduced data are stored once for all bodies that have them."""
        names = (
            "damping_ratio", "origin", "rotation", "up", "alpha", "alpha_dot", "velocity", "angular_velocity",
        )  # fmt: skip
        values = {name: getattr(self, name) for name in names} | {"stiffening": int(self.stiffening)}
        return SavedBody(values, {} if self.place is None else {"place": self.place}, self.reduced)

    @classmethod
    def loaded(cls, name: str, saved: SavedBody) -> FlexibleBody:
        """Return a flexible body from what :meth:`saved` has stored; the first version has no ``stiffening``."""
        stiffening = bool(saved.values.get("stiffening", True))
        values = {**saved.values, "stiffening": stiffening}
        if saved.reduced is None:
            raise InputError(f"body '{name}' has no reduced data")
        return cls(name, saved.reduced, place=saved.points.get("place"), **values)

    @property
    def damping(self) -> np.ndarray:
        """Damping matrix, (N, N): that of the damping ratio of each mode of (C8, K), and that of the body's dampers."""
        C8, K = np.asarray(self.reduced.C8), np.asarray(self.reduced.K)
        own = np.zeros_like(K) if self.reduced.D is None else np.asarray(self.reduced.D)
        if self.n_modes == 0 or not np.any(self.damping_ratio):
            return own
        squares, V = scipy.linalg.eigh(K, C8)
        rates = 2 * np.broadcast_to(self.damping_ratio, len(squares)) * np.sqrt(np.maximum(squares, 0))
        D: np.ndarray = own + C8 @ (V * rates) @ V.T @ C8
        return D

    def problems(self) -> list[str]:
        """Return the problems of this body as sentences; an empty list means that there are none.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = []
        where = f"body '{self.name}'"
        if not self.mass > 0:
            found.append(f"{where} has the mass {self.mass}; it must be above zero (kg)")
        else:
            found += self._inertia_problems(where)
        if self.n_modes == 0 and np.abs(self.reduced.C1).max() > 1e-12 * self.mass:
            found.append(
                f"{where} has no base functions and its origin is not its centre of mass; use a RigidBody instead"
            )
        for what in ("velocity", "angular_velocity"):
            found += vector_problems(getattr(self, what), f"{where}: {what}")
        for what in ("alpha", "alpha_dot"):
            value = floats(getattr(self, what))
            if getattr(self, what) is None:
                continue
            if value is None or value.shape != (self.n_modes,):
                shape = "is not numbers" if value is None else f"has the shape {value.shape}"
                found.append(
                    f"{where}: {what} {shape}; give one number for each of the {self.n_modes} modal coordinates"
                )
            elif not np.isfinite(value).all():
                found.append(f"{where}: {what} has values that are not finite: {value}")
        ratio = floats(self.damping_ratio)
        if (
            ratio is None
            or ratio.shape not in ((), (self.n_modes,))
            or not np.all((ratio >= 0) & (ratio < np.inf))
        ):
            found.append(
                f"{where}: damping_ratio is {self.damping_ratio!r}; give one number or {self.n_modes} numbers, not "
                "below zero"
            )
        elif np.any(ratio > 1):
            found.append(
                f"{where}: damping_ratio is {self.damping_ratio!r}; it is a ratio to critical damping, at most 1 "
                "(2 % is 0.02)"
            )
        return found

    def _inertia_problems(self, where: str) -> list[str]:
        C1 = np.asarray(self.turned.C1)
        about_centre = np.asarray(self.turned.C3) - (C1 @ C1 * np.eye(3) - np.outer(C1, C1)) / self.mass
        moments, axes = np.linalg.eigh(about_centre)
        if moments[0] > 1e-12 * moments[2]:
            return []
        axis = ", ".join(f"{x:.3g}" for x in axes[:, 0])
        return [
            f"{where} has no moment of inertia about the axis ({axis}), so its rotation about this axis is not "
            "determined. Give the beam rotary inertia: fem.Beam(..., rotary=True), or for a round bar "
            "modal.assumed.beam(..., polar_inertia=mass * diameter**2 / 8)"
        ]
