"""Bodies without mass: the internal nodal points of an assembled connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments, problems_of
from fem.common.errors import InputError
from fem.common.numbers import vector_problems

from .rigid_body import RigidBody
from .rigid_motion import RigidMotion
from .sides import Body, FrameData, SavedBody


@dataclass(frozen=True, eq=False, repr=False)
class MasslessBody(RigidBody):
    """A rigid body or point without mass that joints or springs hold: an internal point of a connection, Sol 3 and 7.

    Parameters
    ----------
    name : str
        Name, unique among the bodies of the system.
    center : array_like, optional
        Place as drawn, (3,), m, inertial base: where elements act that don't name another point. By default the middle
        of the joints that hold it, or the origin between springs.

    Raises
    ------
    fem.InputError
        If the name is no string, or the centre no point.

    Notes
    -----
    It is not listed in ``System(bodies=)``: it belongs to the joints and springs that name it.

    *Joints hold it.* The joints round a few massless bodies are one kinematic connection of two or more other bodies
    (Sol 7.2). Its place is a part of the state of the machine, and what it does to the other bodies is exactly that of
    a body without mass: the loads on it are in equilibrium, and each joint inside has its own reaction. Drives,
    springs, dampers, friction and loads may act on it where joints take up what they do: a cylinder and its piston
    between two ball joints, with a spring and a damper along their prismatic joint, are a strut. :func:`mobility` tells
    what the connection leaves: of two ball joints and a bar five of six components, so that one constraint holds the
    distance, as :class:`Distance` does. Motions of the massless bodies that nothing holds, such as the rotation of this
    bar about its axis, go on as those of a ball of vanishing mass at the centre. A load that acts on such a motion is
    refused, and a run ends where the joints lose what they hold, as two bars in line that are stretched.
    :class:`Points` can't describe massless bodies.

    *Springs alone hold it.* The springs between a few massless bodies and the rest of the machine are one elastic
    connection. The place of a massless body is where the forces on it balance; it is found at each evaluation of the
    forces by Newton's method, and adds no equation of motion and no high frequency (static condensation).
    :class:`SpringDamper`, :class:`Bushing`, :class:`MasslessBeam`, and :class:`ForceElement` on a :class:`Line` or
    :class:`Between` may act on it, with laws that follow the deformation alone: a damper inside would need an equation
    of motion of its own. Where nothing resists, as across two slack strings, it stays where it is. A run ends with an
    error where the balance is not stable: two springs in line that are compressed by more than 1 % buckle at their
    knot. Where there are several stable places, the one near the last is taken, and near the drawn one where a run
    begins. A force over time that jumps moves the body at once, and so does a place that is lost, as that of an arch
    which snaps through; the energy balance misses the work of such a jump. Controllers can't measure it, nor give the
    input of its springs, and events can't switch these.

    ``result.position(knot)`` and ``result.velocity(knot)`` are its motion.

    Examples
    --------
    A rod without mass hangs a block on a lever, and holds its distance from it:

    >>> import numpy as np
    >>> import flexbody as fb
    >>> lever = fb.RigidBody("lever", mass=1.0, inertia=(0.01, 0.1, 0.1), center=(0.5, 0, 0))
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01), center=(1, 0, -1), velocity=(0, 1, 0))
    >>> rod = fb.MasslessBody("rod")
    >>> joints = [
    ...     fb.Revolute("hinge", fb.GROUND, lever, point=(0, 0, 0), axis="y"),
    ...     fb.Spherical("upper", lever, rod, point=(1, 0, 0)),
    ...     fb.Spherical("lower", rod, block, point=(1, 0, -0.5)),
    ... ]
    >>> machine = fb.System([lever, block], joints, gravity=(0, 0, -9.81))
    >>> fb.mobility(machine).connections[0].rank
    5
    >>> result = fb.simulate(machine, t_end=0.2, show_progress=False)
    >>> apart = result.position(rod, (1, 0, 0)) - result.position(rod, (1, 0, -0.5))
    >>> bool(np.allclose(np.linalg.norm(apart, axis=1), 0.5))
    True

    A block hangs on two ropes with a knot between them:

    >>> guide = fb.Prismatic("guide", fb.GROUND, block, point=(1, 0, -1), axis="z")
    >>> knot = fb.MasslessBody("knot", center=(1, 0, -0.5))
    >>> ropes = [
    ...     fb.SpringDamper("upper", fb.GROUND, knot, stiffness=3000.0, first_point=(1, 0, 0)),
    ...     fb.SpringDamper("lower", knot, block, stiffness=6000.0),
    ... ]
    >>> machine = fb.System([block], [guide], ropes, gravity=(0, 0, -9.81))
    >>> hanging = fb.equilibrium(machine).result
    >>> float(hanging.position(block)[-1, 2].round(6))  # m g (1/3000 + 1/6000) below
    -1.00981
    >>> float(hanging.position(knot)[-1, 2].round(6))
    -0.50654
    """

    name: str
    mass: float = field(default=0.0, init=False)
    inertia: ArrayLike = field(default=(0.0, 0.0, 0.0), init=False)
    _: KW_ONLY
    center: ArrayLike | None = None  # type: ignore[assignment]
    velocity: ArrayLike = field(default=(0.0, 0.0, 0.0), init=False)
    angular_velocity: ArrayLike = field(default=(0.0, 0.0, 0.0), init=False)
    markers: Mapping[str, ArrayLike] = field(default_factory=dict, init=False)
    reference: ArrayLike | None = field(default=None, init=False)  # m, as drawn, if no center is given

    kind: ClassVar[str] = "massless"
    massless: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if found := problems_of(self, "MasslessBody"):
            raise InputError(found[0])

    def __repr__(self) -> str:
        """Return the call that makes it."""
        at = "" if self.center is None else f", center={tuple(np.asarray(self.center).tolist())}"
        return f"MasslessBody({self.name!r}{at})"

    def on(self, bodies: Mapping[str, Body]) -> Body:
        """Return the body of that name in ``bodies``, or this one, which belongs to the springs that act on it."""
        return bodies.get(self.name, self)

    @check_arguments
    def frame(
        self, bodies: Mapping[str, Body], point: np.ndarray | None = None, axes: np.ndarray | None = None
    ) -> FrameData:
        """Return a frame that is fixed to the massless body, by default at its centre.

        Between springs, where it is not among ``bodies``, the place of the frame is that in the drawn configuration.
        """
        if self.name in bodies:
            return super().frame(bodies, point, axes)
        none = np.zeros((3, 0))
        x = self.start if point is None else point
        return FrameData(self.name, x, np.eye(3) if axes is None else axes, none, none)

    @property
    def start(self) -> np.ndarray:
        """Its place in the drawn configuration, (3,), m: the centre, or the middle of its joints."""
        place = self.reference if self.center is None else self.center
        return np.asarray((0.0, 0.0, 0.0) if place is None else place, dtype=float)

    @property
    def placeless(self) -> bool:
        """Whether neither a centre nor joints have given it a place."""
        return self.center is None and self.reference is None

    def about(self, reference: ArrayLike) -> MasslessBody:
        """Return this body with the place that it has if no centre is given.

        Parameters
        ----------
        reference : array_like
            Position in the drawn configuration, (3,), m.

        Returns
        -------
        MasslessBody
            The same body.
        """
        out = MasslessBody(self.name, center=self.center)
        object.__setattr__(out, "reference", tuple(np.asarray(reference, dtype=float).tolist()))
        return out

    def unheld(self) -> str:
        """Return that no joint holds it, as the end of a sentence.

        Returns
        -------
        str
            The reason why only springs can act on it, and what to do.
        """
        return (
            f"the massless body '{self.name}', which no joint holds: there only springs can act (SpringDamper, "
            "Bushing, MasslessBeam, or ForceElement on a Line or Between). Hold it by joints, or use a RigidBody"
        )

    @property
    def size(self) -> float:
        """Zero: what joints on it are apart is its size in the equations."""
        return 0.0

    def asymmetric_directions(self, tolerance: float) -> np.ndarray:
        """Return no direction: a body without inertia is symmetric about all."""
        return np.zeros((0, 3))

    def redrawn(self, motion: RigidMotion) -> MasslessBody:
        """Return this body drawn elsewhere."""
        return MasslessBody(self.name, center=motion.point(self.start))

    def as_rigid(self) -> MasslessBody:
        """Return this body."""
        return self

    def saved(self) -> SavedBody:
        """Return what a file stores of this body."""
        return SavedBody({"center": self.center, "reference": self.reference}, {})

    @classmethod
    def loaded(cls, name: str, saved: SavedBody) -> MasslessBody:
        """Return a massless body from what :meth:`saved` has stored."""
        body = cls(name, center=saved.values.get("center"))
        return body.about(saved.values["reference"]) if "reference" in saved.values else body

    def problems(self) -> list[str]:
        """Return the problems of this body as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if not (isinstance(self.name, str) and self.name.strip()):
            return [f"a MasslessBody has the name {self.name!r}; give a string that is not empty"]
        return (
            [] if self.center is None else vector_problems(self.center, f"MasslessBody '{self.name}': center")
        )
