"""Friction along joint coordinates: with a given load, or with a load that follows the reaction of the joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from fem.common.numbers import is_number

from ...core.kinds import COUPLING, ROTATION, TRANSLATION
from ..joints.base import Joint
from ..joints.coordinates import ANGLES
from ..sides import Body
from .force_element import JointElement
from .law import ForceLaw, Sliding, check_numbers
from .symbol import Symbol


@dataclass(frozen=True, eq=False)
class DryFriction(ForceLaw):
    """Regularised Coulomb friction of a given load, with Stribeck effect and viscous part; see :class:`Friction`.

    Parameters
    ----------
    load : float, optional
        Sliding friction, N (Nm for an angle).
    static : float, optional
        Static friction, N (Nm); by default equal to ``load``.
    stribeck_velocity : float, optional
        Stribeck velocity, m/s (rad/s).
    viscous : float, optional
        Viscous coefficient, Ns/m (Nms/rad).
    regularisation_velocity : float, optional
        Regularisation velocity, m/s (rad/s).
    """

    load: float = 0.0
    _: KW_ONLY
    static: float | None = None
    stribeck_velocity: float = 1e-2
    viscous: float = 0.0
    regularisation_velocity: float = 1e-3

    function: ClassVar = "friction"
    dry_friction: ClassVar = True
    is_input: ClassVar = False
    place: ClassVar = "Along(joint)"
    symbols: ClassVar = (Symbol("friction"),)

    def numbers(self) -> list[float]:
        """Return sliding and static load, Stribeck velocity, viscous coefficient and regularisation velocity."""
        static = self.load if self.static is None else self.static
        return [self.load, static, self.stribeck_velocity, self.viscous, self.regularisation_velocity]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = check_numbers(
            self, label, ("regularisation_velocity", "stribeck_velocity"), ("load", "viscous")
        )
        if is_number(self.load) and not _at_least(self.static, self.load):
            found.append(
                f"{label}: static is {self.static!r}; it must be at least load, {self.load!r}, or be left out"
            )
        return found


@dataclass(frozen=True, eq=False)
class StickingFriction(DryFriction):
    """Friction with a given load that sticks; see :class:`Friction`.

    Parameters
    ----------
    load, static, stribeck_velocity, viscous, regularisation_velocity : float, optional
        As of :class:`DryFriction`.
    presliding : float
        Displacement in which friction builds up, m (rad).
    """

    _: KW_ONLY
    presliding: float

    function: ClassVar = "sticking_friction"
    dry_friction: ClassVar = False  # it has a stiffness where it sticks
    n_states: ClassVar = 1
    state_size: ClassVar = 100.0  # in units of full friction, as of contacts

    def numbers(self) -> list[float]:
        """Return the numbers of :class:`DryFriction` and the displacement."""
        return [*super().numbers(), self.presliding]

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return the name of the bristle; it has no unit."""
        return [("bristle", "")]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        return super().problems(label) + check_numbers(self, label, ("presliding",))


@dataclass(frozen=True, eq=False)
class ReactionFriction(ForceLaw):
    """Friction with a load that follows the reaction of the joint; see :class:`BearingFriction`.

    Parameters
    ----------
    mu : float
        Coefficient of sliding friction.
    is_angle : bool
        Whether the law acts along an angle.
    mu_static : float, optional
        Coefficient of static friction; by default equal to ``mu``.
    stribeck_velocity, regularisation_velocity : float, optional
        Sliding velocities of the surfaces, m/s.
    viscous : float, optional
        Viscous coefficient, Ns/m (Nms/rad).
    preload : float, optional
        Constant part of the normal force, N.
    radius, collar : float, optional
        Radius of the pin, and of the collar that carries the axial force, m.
    length : float, optional
        Distance between two bearings, m.
    """

    mu: float
    _: KW_ONLY
    is_angle: bool
    mu_static: float | None = None
    stribeck_velocity: float = 1e-2
    viscous: float = 0.0
    regularisation_velocity: float = 1e-3
    preload: float = 0.0
    radius: float | None = None
    collar: float | None = None
    length: float | None = None

    function: ClassVar = "reaction_friction"
    dry_friction: ClassVar = True
    is_input: ClassVar = False
    place: ClassVar = "Along(joint)"
    symbols: ClassVar = (Symbol("friction"),)

    @property
    def arm(self) -> float:
        """Distance of the sliding surfaces from the axis of an angle, m; 1 for a slide."""
        return self.radius if self.is_angle and self.radius is not None else 1.0

    def numbers(self) -> list[float]:
        """Return the numbers of the law; their columns are in ``core/kinds.py``, from MU to PARTNER_FACTOR."""
        static = self.mu if self.mu_static is None else self.mu_static
        # rates of an angle from sliding velocities of the surfaces
        velocities = self.stribeck_velocity / self.arm, self.regularisation_velocity / self.arm
        law = [self.mu, static, velocities[0], self.viscous, velocities[1], self.preload]
        per_length = 0.0 if self.length is None else 1.0 / self.length
        if self.is_angle:
            collar = self.arm if self.collar is None else self.collar
            return [*law, self.arm, collar, per_length, 0.0, 1.0 / self.arm]
        key = 0.0 if self.radius is None else 1.0 / self.radius
        return [*law, 1.0, 0.0, per_length, key, 1.0 if self.radius is None else self.radius]

    def sliding(self, joint: Joint, which: str) -> Sliding:
        """Return how the joint slides along the coordinate."""
        found = joint.coordinates[which]
        if found.kind == TRANSLATION:
            host, axis = 0, found.a
            plane = {"x": ("y",), "y": ("x",)}
            others = plane.get(which, ("angle",) if self.radius is not None else ())
        else:
            # a rotation in the plane of the axes a and b, about the third axis
            host, axis, others = found.host, 3 - found.a - found.b, ("slide",)
        return Sliding(host, axis, next((name for name in others if name in joint.coordinates), None))

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        positive = [name for name in ("radius", "length") if getattr(self, name) is not None]
        collar = ["collar"] if self.collar is not None else []
        found = check_numbers(
            self,
            label,
            ("regularisation_velocity", "stribeck_velocity", *positive),
            ("viscous", "preload", "mu", *collar),
        )
        if is_number(self.mu) and not _at_least(self.mu_static, self.mu):
            found.append(
                f"{label}: mu_static is {self.mu_static!r}; it must be at least mu, {self.mu!r}, or be left out"
            )
        return found


@dataclass(frozen=True, eq=False)
class StickingReactionFriction(ReactionFriction):
    """Friction that follows the reaction of the joint and sticks; see :class:`BearingFriction`.

    Parameters
    ----------
    mu, is_angle, mu_static, stribeck_velocity, viscous, regularisation_velocity, preload, radius, collar, length
        As of :class:`ReactionFriction`.
    presliding : float
        Displacement of the surfaces in which friction builds up, m.
    """

    _: KW_ONLY
    presliding: float

    function: ClassVar = "sticking_reaction_friction"
    dry_friction: ClassVar = False  # it has a stiffness where it sticks
    n_states: ClassVar = 2
    state_size: ClassVar = 100.0  # in units of full friction, as of contacts

    def numbers(self) -> list[float]:
        """Return the numbers of :class:`ReactionFriction` and the displacement of the coordinate."""
        return [*super().numbers(), self.presliding / self.arm]

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return the names of the bristle along the coordinate, and along the other one of the same surfaces."""
        return [("bristle", ""), ("bristle across", "")]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        return super().problems(label) + check_numbers(self, label, ("presliding",))


@dataclass(frozen=True, eq=False)
class Friction(JointElement):
    """Friction of a given load along a joint coordinate: regularised Coulomb friction, Stribeck effect, viscous part.

    For friction that follows the reaction of the joint see :class:`BearingFriction`.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    load : float, optional
        Sliding friction, N (Nm for an angle).
    regularisation_velocity : float, optional
        Regularisation velocity, m/s (rad/s): a sticking joint still moves with velocities below it, without
        ``presliding``. The friction reaches 76 % of the load at this velocity.
    static : float, optional
        Static (break-away) friction, N (Nm); by default equal to ``load``.
    stribeck_velocity : float, optional
        Stribeck velocity, m/s (rad/s): the difference between static and sliding friction has fallen to 1/e there.
    viscous : float, optional
        Viscous coefficient, Ns/m (Nms/rad).
    presliding : float, optional
        Displacement in which the friction of a sticking joint builds up, m (rad), such as 1e-6: it does not creep then,
        see :class:`Contact`. By default friction has no memory.
    which : str, optional
        Name of the coordinate; needed if the joint has several.

    Notes
    -----
    The friction against the rate s of the coordinate is ::

        F = (load + (static - load) exp(-(s/v_stribeck)^2)) tanh(s/v_regularisation) + viscous s

    which is equation (5) of [1]_ with tanh instead of the sign function. The energy balance includes the dissipated
    energy.

    References
    ----------
    .. [1] B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and compensation
       methods for the control of machines with friction", Automatica 30 (1994) 1083.

    Examples
    --------
    >>> import flexbody as fb
    >>> wheel = fb.RigidBody("wheel", mass=3.0, inertia=(0.02, 0.02, 0.04))
    >>> shaft = fb.Revolute("shaft", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    >>> seal = fb.Friction("seal", shaft, load=0.2)
    """

    _: KW_ONLY
    load: float = 0.0
    regularisation_velocity: float = 1e-3
    static: float | None = None
    stribeck_velocity: float = 1e-2
    viscous: float = 0.0
    presliding: float | None = None

    def force_law(self, bodies: Mapping[str, Body]) -> DryFriction:
        """Return the law of the friction."""
        numbers = dict(
            static=self.static,
            stribeck_velocity=self.stribeck_velocity,
            viscous=self.viscous,
            regularisation_velocity=self.regularisation_velocity,
        )
        if self.presliding is None:
            return DryFriction(self.load, **numbers)  # type: ignore[arg-type]
        return StickingFriction(self.load, **numbers, presliding=self.presliding)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class BearingFriction(JointElement):
    """Friction of the surfaces of a joint: the load is the coefficient of friction times the reaction of the joint.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    mu : float
        Coefficient of sliding friction. The load is ``mu N`` (for an angle ``mu N radius``), with N as in the notes.
    regularisation_velocity : float, optional
        Regularisation velocity, m/s: the sliding velocity of the surfaces at which the friction reaches 76 % of the
        load. Sticking surfaces still move with velocities below it.
    mu_static : float, optional
        Coefficient of static (break-away) friction; by default equal to ``mu``.
    stribeck_velocity : float, optional
        Stribeck velocity, m/s: the sliding velocity of the surfaces at which the difference between static and sliding
        friction has fallen to 1/e.
    viscous : float, optional
        Viscous coefficient, Ns/m (Nms/rad).
    radius : float, optional
        Radius of the pin, m, needed for an angle.
    collar : float, optional
        Radius of the collar that carries the axial force, m; by default ``radius``. Use 0 for a rolling thrust bearing.
    length : float, optional
        Distance between two bearings that share force and moment, m. Without it moments are not counted.
    preload : float, optional
        Constant part of N, N, for example of a seal or a press fit.
    presliding : float, optional
        Displacement of the surfaces in which the friction of a sticking joint builds up, m, such as 1e-6: it does not
        creep then, see :class:`Contact`. By default friction has no memory.
    which : str, optional
        Name of the coordinate; needed if the joint has several.

    Notes
    -----
    The law is that of :class:`Friction` [1]_. Its load changes with the reaction of the joint, as
    :meth:`Result.reaction` gives it (without drives and couplings). The sliding velocity of an angle with rate s is
    ``s radius``. N is the sum of

    * ``preload``;
    * the reaction force perpendicular to the axis. With ``length``, two bearings at this distance carry force F and
      moment M together: ``|F/2 + M/length| + |F/2 - M/length|``. The point of the joint on the second body is half-way
      between the bearings;
    * for an angle: the axial force, which acts on a collar of radius ``collar``. For a slide that can't rotate, with
      ``radius``: ``|moment about the axis| / radius``.

    If the same surfaces slide along two coordinates (slide and angle of a cylindrical joint with a given radius, x and
    y in a plane), friction acts against the resultant velocity; each coordinate has its own element with equal numbers.

    If a machine has redundant joints, a reaction may not be determined; a warning then names the friction. A joint can
    jam: if each N of friction causes more than one N of reaction (Painleve's paradox), no acceleration exists and
    :class:`fem.ConvergenceError` names the joint. ``result.element(name)`` has the load as its ``force``, and N as
    ``result.element(name)["normal"]``.

    References
    ----------
    .. [1] B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and compensation
       methods for the control of machines with friction", Automatica 30 (1994) 1083.

    Examples
    --------
    >>> import flexbody as fb
    >>> wheel = fb.RigidBody("wheel", mass=3.0, inertia=(0.02, 0.02, 0.04))
    >>> shaft = fb.Revolute("shaft", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    >>> bearing = fb.BearingFriction("bearing", shaft, mu=0.1, radius=0.01)
    """

    _: KW_ONLY
    mu: float
    regularisation_velocity: float = 1e-3
    mu_static: float | None = None
    stribeck_velocity: float = 1e-2
    viscous: float = 0.0
    radius: float | None = None
    collar: float | None = None
    length: float | None = None
    preload: float = 0.0
    presliding: float | None = None

    def force_law(self, bodies: Mapping[str, Body]) -> ReactionFriction:
        """Return the law of the friction."""
        numbers = dict(
            is_angle=self.is_angle,
            mu_static=self.mu_static,
            stribeck_velocity=self.stribeck_velocity,
            viscous=self.viscous,
            regularisation_velocity=self.regularisation_velocity,
            preload=self.preload,
            radius=self.radius,
            collar=self.collar,
            length=self.length,
        )
        if self.presliding is None:
            return ReactionFriction(self.mu, **numbers)  # type: ignore[arg-type]
        return StickingReactionFriction(self.mu, **numbers, presliding=self.presliding)  # type: ignore[arg-type]

    def problems(self) -> list[str]:
        """Return the problems of this element as sentences."""
        if found := self.geometry.problems(self.label):
            return found
        joint, which = self.geometry.coordinate
        if unfit := _unfit(joint, which):
            return [
                f"{self.label}: friction along {which} of {joint.label} can't follow the reaction: {unfit}"
            ]
        found = super().problems()
        if self.is_angle and self.radius is None:
            found.append(
                f"{self.label} has no radius; give radius= (m), at which the friction of {joint.label} acts"
            )
        if self.collar is not None and not self.is_angle:
            found.append(
                f"{self.label}: collar belongs to an angle, but {which} of {joint.label} is a slide; leave collar= out"
            )
        return found


def _unfit(joint: Joint, which: str) -> str:
    """Return why the reaction determines no friction along this coordinate; an empty string if it does."""
    coordinate = joint.coordinates[which]
    if not joint.rows:
        return "that joint has no reaction; use Friction(load=...)"
    coupled = any(row.kind == COUPLING for row in joint.rows)
    if coupled and coordinate.kind in (ROTATION, TRANSLATION):
        return (
            "the friction of a thread depends on the angle of its flanks; use Friction(load=...), or a "
            "BearingFriction of the bearing of the nut"
        )
    if coordinate in ANGLES.values():
        return (
            "the friction of a ball joint acts against its whole rotation, not about the axes of the Bryant angles; "
            "use Friction(load=...), or a Universal or Revolute joint, whose pins have axes"
        )
    if coupled or coordinate.kind not in (ROTATION, TRANSLATION):
        return "no surfaces slide along it; use Friction(load=...)"
    return ""


def _at_least(value: object, least: object) -> bool:
    """Return whether a value is None, or a number that is not below ``least``."""
    return value is None or (is_number(value) and value >= least)  # type: ignore[operator]
