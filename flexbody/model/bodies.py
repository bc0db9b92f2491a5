"""Bodies: the ground, rigid bodies and flexible bodies in the drawn configuration.

In the drawn configuration every body has the rotation ``Q = I``: all bases are parallel to the one inertial base
(Koppens 2.5). Bodies are frozen values. A joint finds its body by name, so ``dataclasses.replace`` makes a variant of a
body for a study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing, with_article
from fem.common.numbers import finite, vector
from modal import ReducedBody

from ..core.rotation import smallest_rotation


@dataclass(frozen=True, eq=False)
class BodyFrame:
    """A named frame on a body: an interface or marker, ``body["name"]``.

    Parameters
    ----------
    body : RigidBody or FlexibleBody
        The body.
    name : str
        Name of the interface or marker.
    """

    body: RigidBody | FlexibleBody
    name: str

    def __repr__(self) -> str:
        return f"{self.body.name}[{self.name!r}]"


@dataclass(frozen=True, eq=False)
class Ground:
    """The inertial body; :data:`GROUND` is its only instance."""

    name: str = "ground"

    def __repr__(self) -> str:
        return "GROUND"


#: The inertial body.
GROUND = Ground()


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body, drawn in the inertial base.

    Parameters
    ----------
    name : str
        Name of the body, unique in the system.
    mass : float
        Mass, kg, above zero.
    inertia : array_like
        Principal moments of inertia (3,) about the axes of the inertial base, or the inertia tensor (3, 3), kg m^2,
        about the centre of mass.
    center : array_like, optional
        Centre of mass in the drawn configuration, (3,), m.
    velocity : array_like, optional
        Velocity of the centre of mass at t = 0, (3,), m/s, inertial components.
    angular_velocity : array_like, optional
        Angular velocity at t = 0, (3,), rad/s, inertial components. Velocities that the joints do not permit are
        corrected.
    markers : mapping of str to array_like, optional
        Named points in the drawn configuration, (3,), m, inertial base. ``body["name"]`` is the frame at a marker.

    Raises
    ------
    fem.InputError
        If the name is missing.

    Examples
    --------
    >>> import flexbody as fb
    >>> crank = fb.RigidBody("crank", 0.9, (1e-4, 2e-3, 2e-3), center=(0.05, 0, 0), markers={"pin": (0.15, 0, 0)})
    >>> crank["pin"]
    crank['pin']
    """

    name: str
    mass: float
    inertia: ArrayLike
    center: ArrayLike = (0.0, 0.0, 0.0)
    _: KW_ONLY
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    markers: Mapping[str, ArrayLike] = field(default_factory=dict)

    n_modes = 0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) and np.size(self.mass) != 1:
            call = f"RigidBody({called(self.name)}, {called(self.mass)}, ...)"
            raise InputError(f"{call} has no name; give RigidBody(name, mass, inertia), the name as a string")

    def __getitem__(self, name: str) -> BodyFrame:
        """Return the frame at the marker ``name``."""
        if name not in self.markers:
            raise InputError(
                f"body '{self.name}' has no marker {name!r}; it has {listing(self.markers)}. "
                f"Give it one: RigidBody({self.name!r}, ..., markers={{{name!r}: (x, y, z)}})"
            )
        return BodyFrame(self, name)

    @property
    def inertia_tensor(self) -> np.ndarray:
        """Inertia tensor about the centre of mass in the drawn configuration, (3, 3), kg m^2, inertial base."""
        inertia = np.asarray(self.inertia, dtype=float)
        return np.diag(inertia) if inertia.shape == (3,) else inertia

    @property
    def start(self) -> np.ndarray:
        """Position of the reference point (the centre of mass) in the drawn configuration, (3,), m."""
        return vector(self.center, f"body '{self.name}': center")

    def marker(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, displacement rows and rotation rows of a marker.

        Parameters
        ----------
        name : str
            Name of the marker.

        Returns
        -------
        tuple of numpy.ndarray
            Position relative to the reference point, (3,), m, and two empty arrays, (3, 0).
        """
        point = vector(self.markers[name], f"body '{self.name}': marker {name!r}")
        return point - self.start, np.zeros((3, 0)), np.zeros((3, 0))

    def second_order(self, name: str) -> None:
        """Return None: the markers of a rigid body have no second-order terms.

        Parameters
        ----------
        name : str
            Name of the interface or marker.
        """

    def problems(self) -> list[str]:
        """Return the problems of this body as sentences; an empty list means that there are none.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = []
        where = f"body '{self.name}'"
        if not (finite(self.mass) and self.mass > 0):
            found.append(f"{where} has the mass {self.mass!r}; it must be above zero (kg)")
        found += [
            problem
            for what in ("center", "velocity", "angular_velocity")
            for problem in _vector_problem(getattr(self, what), f"{where}: {what}")
        ]
        if not isinstance(self.markers, Mapping):
            return [*found, f"{where}: markers is {called(self.markers)}; give a dict {{'name': (x, y, z)}}"]
        for name, point in self.markers.items():
            found += _vector_problem(point, f"{where}: marker {name!r}")
        return found + self._inertia_problems(where)

    def _inertia_problems(self, where: str) -> list[str]:
        try:
            inertia = np.asarray(self.inertia, dtype=float)
        except (TypeError, ValueError):
            inertia = np.zeros(0)
        if inertia.shape not in ((3,), (3, 3)) or not np.isfinite(inertia).all():
            return [
                f"{where}: inertia is {self.inertia!r}; give three principal moments or a 3 x 3 tensor about the "
                "centre of mass (kg m^2)"
            ]
        tensor = self.inertia_tensor
        if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=1e-12 * np.abs(tensor).max()):
            return [f"{where}: the inertia tensor is not symmetric: {tensor.tolist()}"]
        moments = np.linalg.eigvalsh(tensor)
        if moments[0] <= 0:
            return [
                f"{where} has a principal moment of inertia of {moments[0]:g} kg m^2; all three must be above zero "
                "(for a thin bar give the small moment about its axis)"
            ]
        if moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
            return [
                f"{where}: the principal moments of inertia {', '.join(f'{m:g}' for m in moments)} kg m^2 "
                "can't belong to a body: the largest is at most the sum of the other two. Are they about the centre of "
                "mass, and in kg m^2?"
            ]
        return []


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleBody:
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
        Damping ratio of every mode of the free body, or one value for each mode, (N,); 0.02 is 2 %.
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
    start: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not hasattr(self.reduced, "turned"):
            raise InputError(
                f"body '{self.name}': reduced is {with_article(type(self.reduced).__name__)}; give a "
                "modal.ReducedBody, from modal.reduce, modal.assumed.beam or modal.load"
            )
        rotation, origin = self._placement()
        object.__setattr__(self, "turned", self.reduced.turned(rotation))
        object.__setattr__(self, "start", origin + rotation @ np.asarray(self.reduced.origin))

    def __getitem__(self, name: str) -> BodyFrame:
        """Return the frame at the interface or marker ``name``."""
        if name not in self.reduced.markers:
            raise InputError(
                f"body '{self.name}' has no interface or marker {name!r}; it has {listing(self.reduced.markers)}. "
                "Add it with modal.reduce(..., markers=(...)), or as an interface of the basis"
            )
        return BodyFrame(self, name)

    def __repr__(self) -> str:
        """Return one line with the name of the body and its reduced data."""
        return f"<FlexibleBody '{self.name}': {self.reduced!r}>"

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

    @property
    def damping(self) -> np.ndarray:
        """Damping matrix, (N, N), which gives each mode of (C8, K) its damping ratio."""
        from scipy.linalg import eigh

        C8, K = np.asarray(self.reduced.C8), np.asarray(self.reduced.K)
        if self.n_modes == 0 or not np.any(self.damping_ratio):
            return np.zeros_like(K)
        squares, V = eigh(K, C8)
        rates = 2 * np.broadcast_to(self.damping_ratio, len(squares)) * np.sqrt(np.maximum(squares, 0))
        return C8 @ (V * rates) @ V.T @ C8

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
            found += _vector_problem(getattr(self, what), f"{where}: {what}")
        for what in ("alpha", "alpha_dot"):
            value = _numbers(getattr(self, what))
            if getattr(self, what) is None:
                continue
            if value is None or value.shape != (self.n_modes,):
                shape = "is not numbers" if value is None else f"has the shape {value.shape}"
                found.append(
                    f"{where}: {what} {shape}; give one number for each of the {self.n_modes} modal coordinates"
                )
            elif not np.isfinite(value).all():
                found.append(f"{where}: {what} has values that are not finite: {value}")
        ratio = _numbers(self.damping_ratio)
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

    def _placement(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rotation (3, 3) and position (3,), m, of the base of the mesh."""
        where = f"body '{self.name}'"
        origin = vector(self.origin, f"{where}: origin")
        if self.place is None:
            if self.up is not None:
                raise InputError(f"{where}: up= belongs to place=; with origin= use rotation= instead")
            return self._given_rotation(where), origin
        if self.rotation is not None or origin.any():
            raise InputError(f"{where}: give either place= or origin= and rotation=, not both")
        if not isinstance(self.place, Mapping):
            raise InputError(
                f"{where}: place is {called(self.place)}; give a dict {{'interface': (x, y, z), ...}}"
            )
        unknown = [name for name in self.place if name not in self.reduced.markers]
        if unknown or not self.place:
            raise InputError(
                f"{where}: place= names {listing(unknown)}, but the body has {listing(self.reduced.markers)}"
            )
        source = np.array([self.reduced.markers[n].point + self.reduced.origin for n in self.place])
        target = np.array([vector(p, f"{where}: place[{n!r}]") for n, p in self.place.items()])
        return self._fit(source, target, where)

    def _given_rotation(self, where: str) -> np.ndarray:
        rotation = _numbers(np.eye(3) if self.rotation is None else self.rotation)
        if rotation is None or rotation.shape != (3, 3):
            raise InputError(f"{where}: rotation must be a 3 x 3 rotation matrix")
        error = np.abs(rotation.T @ rotation - np.eye(3)).max()
        if not error < 1e-9:
            raise InputError(
                f"{where}: rotation is not a rotation matrix: R^T R differs from the unit matrix by {error:.3g}"
            )
        if np.linalg.det(rotation) < 0:
            raise InputError(
                f"{where}: rotation mirrors the body: its determinant is -1; give a matrix with determinant 1"
            )
        return rotation

    def _fit(self, source: np.ndarray, target: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the rigid motion that takes the points ``source`` (m, 3) to the points ``target`` (m, 3)."""
        a, b = source - source.mean(axis=0), target - target.mean(axis=0)
        # The line goes from the first point to the point that is farthest from it.
        last = int(np.argmax(np.linalg.norm(source - source[0], axis=1)))
        line, goal = source[last] - source[0], target[last] - target[0]
        spread = np.linalg.svd(a, compute_uv=False)
        if len(a) == 1:
            rotation = np.eye(3)
        elif not (np.linalg.norm(line) > 0 and np.linalg.norm(goal) > 0):
            raise InputError(
                f"{where}: place= needs points at different positions, but {listing(self.place or ())} coincide"
            )
        elif len(a) == 2 or spread[1] < 1e-6 * spread[0]:
            rotation = smallest_rotation(line, goal)
        else:
            if self.up is not None:
                raise InputError(
                    f"{where}: three points in place= determine the rotation completely; leave up= out"
                )
            U, _, Vt = np.linalg.svd(b.T @ a)
            rotation = U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt
        if self.up is not None:
            rotation = self._spin(rotation, goal if len(a) > 1 else None, where) @ rotation
        miss = np.linalg.norm(b - a @ rotation.T, axis=1).max()
        if miss > 1e-3 * np.abs(a).max():
            raise InputError(
                self._misfit(where, miss, float(np.linalg.norm(line)), float(np.linalg.norm(goal)))
            )
        return rotation, target.mean(axis=0) - rotation @ source.mean(axis=0)

    def _misfit(self, where: str, miss: float, length: float, goal: float) -> str:
        """Return the message for points whose distance in the mesh differs from their distance in ``place``."""
        text = (
            f"{where} does not fit the points of place=: its interfaces {listing(self.place or ())} miss the given "
            f"points by {miss:.4g} m. Their distance is {length:.6g} m in the mesh and {goal:.6g} m in place="
        )
        if abs(length / goal - 1000) < 10 or abs(goal / length - 1000) < 10:
            return (
                text
                + ": one of them is in millimetres; read the mesh with units=, or give the points in metres"
            )
        return text + ": check the units of the mesh and the points"

    def _spin(self, rotation: np.ndarray, line: np.ndarray | None, where: str) -> np.ndarray:
        """Return the rotation about ``line`` that brings the z axis of the mesh closest to ``up``."""
        up = vector(np.asarray(self.up), f"{where}: up")
        z = rotation[:, 2]
        if line is not None:
            line = line / np.linalg.norm(line)
            up, z = up - line * (line @ up), z - line * (line @ z)
        if np.linalg.norm(up) < 1e-9 or np.linalg.norm(z) < 1e-9:
            raise InputError(
                f"{where}: up= or the z axis of the mesh is parallel to the line between the points; give another up="
            )
        if line is None:
            return smallest_rotation(z, up)
        angle = np.arctan2(line @ np.cross(z, up), z @ up)
        skew = np.cross(np.eye(3), line)
        return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def _numbers(value) -> np.ndarray | None:
    """Return ``value`` as an array of floats, or None if it can't be converted."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None


def _vector_problem(value: ArrayLike, what: str) -> list[str]:
    try:
        vector(value, what)
    except InputError as error:
        return [str(error)]
    return []


#: A moving body of a system.
Body = RigidBody | FlexibleBody
