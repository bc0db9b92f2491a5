"""The sides of joints and forces: bodies, the ground, and named frames on bodies. All answer the same questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.signatures import Described
from modal import AxialEnergy, ReducedBody

from .path import Path
from .rigid_motion import RigidMotion


class FrameData(NamedTuple):
    """A frame of a joint or force on its body, in the base of the body.

    Parameters
    ----------
    body : str
        Name of the body.
    x : numpy.ndarray
        Position relative to the reference point of the body, (3,), m.
    A : numpy.ndarray
        Axes of the frame, (3, 3), columns.
    Phi, B : numpy.ndarray
        Displacement and rotation of the frame for each modal coordinate, (3, N).
    G : numpy.ndarray or None, optional
        Second-order terms of position and rotation vector, (6, N, N).
    path : Path or None, optional
        The line on the body along which the frame slides; it follows the next frame of its joint.
    """

    body: str
    x: np.ndarray  # (3,) from the body's reference point
    A: np.ndarray  # (3, 3) axes, columns
    Phi: np.ndarray  # (3, N)
    B: np.ndarray  # (3, N)
    G: np.ndarray | None = None  # (6, N, N) second order of place and rotation vector
    path: Path | None = None

    def drawn(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the position of this frame in the drawn configuration.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        numpy.ndarray
            Position, (3,), m, inertial base.
        """
        return self.x + (bodies[self.body].start if self.body in bodies else 0.0)


class SavedBody(NamedTuple):
    """What a file of results stores of a body, beside its name.

    Parameters
    ----------
    values : dict
        Numbers and arrays by name; None stands for what was not given.
    points : dict
        Groups of named points (m) by name.
    reduced : modal.ReducedBody or None, optional
        Reduced data.
    """

    values: dict[str, Any]
    points: Mapping[str, Mapping[str, ArrayLike]]
    reduced: ReducedBody | None = None


class Side(Described, ABC):
    """What a joint or a force can act on: base class of bodies, the ground and named frames.

    Attributes
    ----------
    name : str
        Name of the body or of the marker.
    body : Body or Ground
        The body of this side.
    named : bool
        Whether this is a named frame, which has a position of its own.
    moves : bool
        Whether it moves with a body of the system; the ground does not.
    massless : bool
        Whether it has no mass: joints hold it, or springs alone.
    """

    name: str
    named: ClassVar[bool] = False
    moves: ClassVar[bool] = True
    massless: ClassVar[bool] = False

    if TYPE_CHECKING:  # at run time the property would stand in the way of the field of a dataclass

        @property
        def body(self) -> Body | Ground:
            """The body of this side."""

    @property
    def title(self) -> str:
        """Name in the labels of quantities."""
        return self.name

    @property
    def address(self) -> str:
        """Name as a user writes it: ``crank`` or ``crank['pin']``."""
        return self.name

    @abstractmethod
    def on(self, bodies: Mapping[str, Body]) -> Side:
        """Return the same side on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of a system by name.

        Returns
        -------
        Side
            The side.

        Raises
        ------
        fem.InputError
            If the body has no marker of that name.
        """

    @abstractmethod
    def frame(
        self, bodies: Mapping[str, Body], point: np.ndarray | None = None, axes: np.ndarray | None = None
    ) -> FrameData:
        """Return the frame of this side on the body of that name in ``bodies``.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        point : numpy.ndarray, optional
            Position in the drawn configuration, (3,), m, inertial base; by default the reference point of the body, or
            the origin on the ground. A named frame has its own position.
        axes : numpy.ndarray, optional
            Axes as columns, (3, 3), inertial base; by default the inertial axes.

        Returns
        -------
        FrameData
            The frame.
        """

    def drawn(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the position of this side in the drawn configuration: of a body its reference point.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        numpy.ndarray
            Position, (3,), m, inertial base.
        """
        return self.frame(bodies).drawn(bodies)

    def has_rotation(self, bodies: Mapping[str, Body]) -> bool:
        """Return whether the frame of this side has a rotation; a marker of few nodes may have none.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        bool
            Whether a rotation is defined.
        """
        return True

    def fault(self) -> str:
        """Return why a joint or force can't act on this side, as the end of a sentence; "" if it can.

        Returns
        -------
        str
            The reason, or "".
        """
        return ""


class Body(Side):
    """A moving body of a system: base class of rigid and flexible bodies.

    Attributes
    ----------
    kind : str
        "rigid" or "flexible", as in files of results.
    mass : float
        Mass, kg.
    start : numpy.ndarray
        Position of the reference point in the drawn configuration, (3,), m.
    velocity, angular_velocity : array_like
        Velocity (m/s) and angular velocity (rad/s) at t = 0, (3,).
    n_modes : int
        Number N of modal coordinates.
    """

    kind: ClassVar[str]
    velocity: ArrayLike
    angular_velocity: ArrayLike

    if TYPE_CHECKING:

        @property
        def mass(self) -> float:
            """Mass, kg."""

    @property
    def body(self) -> Body:
        """The body itself."""
        return self

    @property
    @abstractmethod
    def n_modes(self) -> int:
        """Number N of modal coordinates."""

    @property
    @abstractmethod
    def start(self) -> np.ndarray:
        """Position of the reference point in the drawn configuration, (3,), m."""

    def on(self, bodies: Mapping[str, Body]) -> Body:
        """Return the body of that name in ``bodies``."""
        return bodies[self.name]

    def frame(
        self, bodies: Mapping[str, Body], point: np.ndarray | None = None, axes: np.ndarray | None = None
    ) -> FrameData:
        """Return a frame that is fixed to the frame of the body, by default at its reference point."""
        body = bodies[self.name]
        x = np.zeros(3) if point is None else point - body.start
        none = np.zeros((3, body.n_modes))
        return FrameData(body.name, x, np.eye(3) if axes is None else axes, none, none)

    # ---- markers and points ---------------------------------------------------------------------

    @property
    @abstractmethod
    def marker_names(self) -> tuple[str, ...]:
        """Names of the markers and interfaces."""

    @abstractmethod
    def __getitem__(self, name: str) -> BodyFrame:
        """Return the frame at a marker or interface."""

    @abstractmethod
    def marker(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, displacement rows and rotation rows of a marker.

        Parameters
        ----------
        name : str
            Name of the interface or marker.

        Returns
        -------
        tuple of numpy.ndarray
            Position relative to the reference point, (3,), m, displacement rows Phi and rotation rows B, (3, N).
        """

    def second_order(self, name: str) -> np.ndarray | None:
        """Return the second-order terms of a marker, (6, N, N), or None if there are none.

        Parameters
        ----------
        name : str
            Name of the interface or marker.

        Returns
        -------
        numpy.ndarray or None
            G, (6, N, N): ``alpha' G_k alpha / 2`` is added to the position (m) and to the rotation vector (rad).
        """
        return None

    def marker_has_rotation(self, name: str) -> bool:
        """Return whether the frame at a marker has a rotation.

        Parameters
        ----------
        name : str
            Name of the interface or marker.

        Returns
        -------
        bool
            Whether a rotation is defined.
        """
        return True

    @abstractmethod
    def frame_at_point(self, point: ArrayLike) -> FrameData:
        """Return the frame at a point of this body.

        Parameters
        ----------
        point : array_like
            Position in the drawn configuration, (3,), m, inertial base.

        Returns
        -------
        FrameData
            The frame at the point; on a flexible body at the nearest point of its surface.

        Raises
        ------
        fem.InputError
            If the body has no such point.
        """

    def node_position(self, number: int) -> np.ndarray:
        """Return the position of a node of the mesh in the drawn configuration.

        Parameters
        ----------
        number : int
            Number of the node.

        Returns
        -------
        numpy.ndarray
            Position, (3,), m, inertial base.

        Raises
        ------
        fem.InputError
            If the node is not known.
        """
        raise InputError(
            f"node {number} of body '{self.name}': nodes are known of flexible bodies with stress modes only; give a "
            "point (x, y, z) as drawn, or the name of a marker"
        )

    # ---- dynamics -------------------------------------------------------------------------------

    @property
    @abstractmethod
    def size(self) -> float:
        """Radius of gyration about the reference point, m."""

    @property
    @abstractmethod
    def mass_center(self) -> np.ndarray:
        """Centre of mass relative to the reference point in the drawn configuration, (3,), m."""

    @property
    @abstractmethod
    def mean(self) -> bool:
        """Whether the modes have no momentum and no angular momentum: mean-displacement frame."""

    @property
    def axial(self) -> AxialEnergy | None:
        """Contribution of axial modes to the strain energy, or None."""
        return None

    @abstractmethod
    def coefficients(self) -> list[np.ndarray]:
        """Return C1..C8, the stiffness K, the damping D and the axial energy as arrays in the inertial base.

        Returns
        -------
        list of numpy.ndarray
            Eleven arrays. C5 is (N, 3, 3, N), so that C5 alpha is a product over the last axis.
        """

    @abstractmethod
    def start_modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the modal coordinates and their rates at t = 0.

        Returns
        -------
        alpha, alpha_dot : numpy.ndarray
            Values, (N,).
        """

    def asymmetric_directions(self, tolerance: float) -> np.ndarray:
        """Return the directions in the base of the body about which its inertia is not symmetric.

        Parameters
        ----------
        tolerance : float
            Principal moments of inertia that differ less, relative to the largest, are equal.

        Returns
        -------
        numpy.ndarray
            All directions, those perpendicular to the axis of symmetry, or none for a sphere, (k, 3).
        """
        return np.eye(3)

    @abstractmethod
    def redrawn(self, motion: RigidMotion) -> Body:
        """Return this body drawn elsewhere; velocities at t = 0 stay as they are, in inertial components.

        Parameters
        ----------
        motion : RigidMotion
            The rigid motion to the new place.

        Returns
        -------
        Body
            A body with the same name.
        """

    @abstractmethod
    def as_rigid(self) -> Body:
        """Return a rigid body with the same mass, inertia and markers, as drawn.

        Returns
        -------
        RigidBody
            A body with the same name.
        """

    # ---- description ----------------------------------------------------------------------------

    @abstractmethod
    def problems(self) -> list[str]:
        """Return the problems of this body as sentences; an empty list means that there are none.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """

    @abstractmethod
    def saved(self) -> SavedBody:
        """Return what a file stores of this body.

        Returns
        -------
        SavedBody
            Numbers, points and, of a flexible body, its reduced body.
        """

    @classmethod
    @abstractmethod
    def loaded(cls, name: str, saved: SavedBody) -> Body:
        """Return a body from what :meth:`saved` has stored.

        Parameters
        ----------
        name : str
            Name of the body.
        saved : SavedBody
            What :meth:`saved` has returned.

        Returns
        -------
        Body
            A body of this class.
        """


@dataclass(frozen=True, eq=False)
class BodyFrame(Side):
    """A named frame on a body: an interface or marker, ``body["name"]``.

    Parameters
    ----------
    body : RigidBody or FlexibleBody
        The body.
    name : str
        Name of the interface or marker.
    """

    body: Body
    name: str

    named: ClassVar[bool] = True

    def __repr__(self) -> str:
        return self.address

    @property
    def title(self) -> str:
        """Name in the labels of quantities: body and marker."""
        return f"{self.body.name} {self.name}"

    @property
    def address(self) -> str:
        """Name as a user writes it, ``crank['pin']``."""
        return f"{self.body.name}[{self.name!r}]"

    @check_arguments
    def on(self, bodies: Mapping[str, Body]) -> BodyFrame:
        """Return the frame of that name on the body of that name in ``bodies``; it raises InputError without one."""
        return bodies[self.body.name][self.name]

    @check_arguments
    def frame(
        self, bodies: Mapping[str, Body], point: np.ndarray | None = None, axes: np.ndarray | None = None
    ) -> FrameData:
        """Return the frame at the marker; ``point`` is not used."""
        body = bodies[self.body.name]
        x, Phi, B = body.marker(self.name)
        A = np.eye(3) if axes is None else axes
        return FrameData(body.name, x, A, Phi, B, body.second_order(self.name))

    @check_arguments
    def has_rotation(self, bodies: Mapping[str, Body]) -> bool:
        """Return whether the marker has enough nodes to define a rotation."""
        return bodies[self.body.name].marker_has_rotation(self.name)

    @check_arguments
    def drawn(self, bodies: Mapping[str, Body]) -> np.ndarray:
        """Return the position of the marker, on its own body if ``bodies`` has none of that name."""
        body = bodies.get(self.body.name, self.body)
        place: np.ndarray = body.start + body.marker(self.name)[0]
        return place


@dataclass(frozen=True, eq=False)
class Ground(Side):
    """The inertial body; :data:`GROUND` is its only instance."""

    name: str = "ground"

    moves: ClassVar[bool] = False

    def __repr__(self) -> str:
        return "GROUND"

    @property
    def body(self) -> Ground:
        """The ground itself."""
        return self

    def on(self, bodies: Mapping[str, Body]) -> Ground:
        """Return the ground, which belongs to every system."""
        return self

    def frame(
        self, bodies: Mapping[str, Body], point: np.ndarray | None = None, axes: np.ndarray | None = None
    ) -> FrameData:
        """Return a frame that is fixed in space, by default at the origin."""
        none = np.zeros((3, 0))
        x = np.zeros(3) if point is None else point
        return FrameData(self.name, x, np.eye(3) if axes is None else axes, none, none)


#: The inertial body.
GROUND = Ground()
