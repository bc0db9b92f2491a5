"""Rigid bodies in the drawn configuration.

In the drawn configuration every body has the rotation ``Q = I``: all bases are parallel to the one inertial base
(Koppens 2.5). Bodies are frozen values. A joint finds its body by name, so ``dataclasses.replace`` makes a variant of a
body for a study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match
from fem.common.numbers import is_number, shown, vector, vector_problems

from .rigid_motion import RigidMotion
from .sides import Body, BodyFrame, FrameData, SavedBody


@dataclass(frozen=True, eq=False, repr=False)
class RigidBody(Body):
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
    _: KW_ONLY
    center: ArrayLike = (0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    markers: Mapping[str, ArrayLike] = field(default_factory=dict)

    kind: ClassVar[str] = "rigid"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) and not is_number(self.mass):
            call = f"RigidBody({called(self.name)}, {called(self.mass)}, ...)"
            raise InputError(f"{call} has no name; give RigidBody(name, mass, inertia), the name as a string")

    def __getitem__(self, name: str) -> BodyFrame:
        """Return the frame at the marker ``name``."""
        if name not in self.markers:
            raise InputError(
                f"body '{self.name}' has no marker {with_match(name, self.markers)}; it has {listing(self.markers)}. "
                f"Give it one: RigidBody({self.name!r}, ..., markers={{{name!r}: (x, y, z)}})"
            )
        return BodyFrame(self, name)

    def __repr__(self) -> str:
        """Return one line with the name of the body and its mass."""
        return f"<RigidBody '{self.name}': {shown(self.mass)} kg>"

    @property
    def marker_names(self) -> tuple[str, ...]:
        """Names of the markers."""
        return tuple(self.markers)

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates: a rigid body has none."""
        return 0

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

    def frame_at_point(self, point: ArrayLike) -> FrameData:
        """Return the frame at a point that moves with this body."""
        return self.frame({self.name: self}, vector(point, f"a point on body '{self.name}'"))

    @property
    def size(self) -> float:
        """Radius of gyration about the centre of mass, m."""
        return float(np.sqrt(max(np.trace(self.inertia_tensor) / self.mass, 0.0)))

    @property
    def mass_center(self) -> np.ndarray:
        """Centre of mass relative to the reference point, (3,), m: zero."""
        return np.zeros(3)

    @property
    def mean(self) -> bool:
        """True: without modes there is no momentum of modes."""
        return True

    def coefficients(self) -> list[np.ndarray]:
        """Return C1..C8, K, D and the axial energy, of which only C3, the inertia tensor, is not empty or zero."""
        none = np.zeros(0)
        return [np.zeros(3), none, self.inertia_tensor, *(none,) * 8]

    def start_modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return two empty arrays."""
        return np.zeros(0), np.zeros(0)

    def asymmetric_directions(self, tolerance: float) -> np.ndarray:
        """Return the directions about which the inertia is not symmetric, from the principal moments of inertia."""
        moments, axes = np.linalg.eigh(self.inertia_tensor)
        same = np.diff(moments) < tolerance * moments[-1]
        if same.all():
            return np.zeros((0, 3))
        return axes[:, :2].T if same[0] else axes[:, 1:].T if same[1] else np.eye(3)

    def redrawn(self, motion: RigidMotion) -> RigidBody:
        """Return this body drawn elsewhere, with its inertia and markers."""
        return replace(
            self,
            inertia=motion.R @ self.inertia_tensor @ motion.R.T,
            center=motion.point(self.start),
            markers={name: motion.point(point) for name, point in self.markers.items()},
        )

    def as_rigid(self) -> RigidBody:
        """Return this body."""
        return self

    def saved(self) -> SavedBody:
        """Return what a file stores of this body; its markers are points "drawn"."""
        return SavedBody(
            {
                "mass": float(self.mass), "inertia": self.inertia, "center": self.center, "velocity": self.velocity,
                "angular_velocity": self.angular_velocity,
            },
            {"drawn": self.markers},
        )  # fmt: skip

    @classmethod
    def loaded(cls, name: str, saved: SavedBody) -> RigidBody:
        """Return a rigid body from what :meth:`saved` has stored."""
        return cls(name, **saved.values, markers=saved.points["drawn"])

    def problems(self) -> list[str]:
        """Return the problems of this body as sentences; an empty list means that there are none.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = []
        where = f"body '{self.name}'"
        if isinstance(self.mass, str):
            found.append(f"{where} has the mass {self.mass!r}, which is text; give a number (kg)")
        elif not (is_number(self.mass) and self.mass > 0):
            found.append(
                f"{where} has the mass {self.mass!r}; it must be above zero (kg). Inertia without mass belongs to the "
                "body that carries it: add it to that body's inertia, or as fem.PointMass(at, 0.0, inertia) to its mesh"
            )
        found += [
            problem
            for what in ("center", "velocity", "angular_velocity")
            for problem in vector_problems(getattr(self, what), f"{where}: {what}")
        ]
        if not isinstance(self.markers, Mapping):
            return [*found, f"{where}: markers is {called(self.markers)}; give a dict {{'name': (x, y, z)}}"]
        for name, point in self.markers.items():
            found += vector_problems(point, f"{where}: marker {name!r}")
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
                "(for a thin bar give the small moment about its axis; a point mass without inertia can't say how it "
                "rotates: give it the moments of a small ball, or add it to the mesh of a body as fem.PointMass)"
            ]
        if moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
            return [
                f"{where}: the principal moments of inertia {', '.join(f'{m:g}' for m in moments)} kg m^2 "
                "can't belong to a body: the largest is at most the sum of the other two. Are they about the centre of "
                "mass, and in kg m^2?"
            ]
        return []
