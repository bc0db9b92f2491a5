"""Friction along joint coordinates, with a given load or with a load that follows the reaction of the joint."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from fem.common.numbers import finite

from ...core.kinds import COUPLING, ROTATION, TRANSLATION
from ..joints import Joint, Planar, PointOnPlane, Screw
from ..joints.coordinates import ANGLES
from .joint_force import JointForce


class Sliding(NamedTuple):
    """How a joint slides along a coordinate.

    Parameters
    ----------
    host : int
        The frame (0 or 1) that the axis belongs to.
    axis : int
        The axis (0, 1, 2) of the rotation or translation.
    partner : str or None
        Name of another coordinate along which the same surfaces slide.
    """

    host: int
    axis: int
    partner: str | None


@dataclass(frozen=True, eq=False)
class Friction(JointForce):
    """Friction along a joint coordinate: regularised Coulomb friction with Stribeck effect and viscous part.

    The sliding friction is either given (``load``) or follows from the reaction of the joint (``mu``).

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        The joint.
    load : float, optional
        Sliding friction, N (Nm for an angle).
    creep : float, optional
        Regularisation velocity, m/s (rad/s): a sticking joint still moves with velocities below it. The friction
        reaches 76 % of the load at this velocity. With ``mu`` it is the sliding velocity of the surfaces, m/s.
    static : float, optional
        Static (break-away) friction, N (Nm); by default equal to ``load``.
    stribeck : float, optional
        Stribeck velocity, m/s (rad/s): the difference between static and sliding friction has fallen to 1/e there. With
        ``mu`` it is the sliding velocity of the surfaces, m/s.
    viscous : float, optional
        Viscous coefficient, Ns/m (Nms/rad).
    which : str, optional
        Name of the coordinate; needed if the joint has several.
    mu : float, optional
        Coefficient of sliding friction. The load is then ``mu N`` (for an angle ``mu N radius``), with N as in the
        notes.
    mu_static : float, optional
        Coefficient of static friction, used with ``mu`` instead of ``static``; by default equal to ``mu``.
    radius : float, optional
        Radius of the pin, m, needed with ``mu`` for an angle.
    collar : float, optional
        Radius of the collar that carries the axial force, m; by default ``radius``. Use 0 for a rolling thrust bearing.
    length : float, optional
        Distance between two bearings that share force and moment, m. Without it moments are not counted.
    preload : float, optional
        Constant part of N, N, for example of a seal or a press fit.

    Notes
    -----
    The friction against the rate s of the coordinate is ::

        F = (load + (static - load) exp(-(s/stribeck)^2)) tanh(s/creep) + viscous s

    which is equation (5) of [1]_ with tanh instead of the sign function. The energy balance includes the dissipated
    energy.

    With ``mu`` the load changes with the reaction of the joint, as :meth:`Result.reaction` gives it (without drives and
    couplings). The sliding velocity of an angle with rate s is ``s radius``. N is the sum of

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
    :class:`fem.ConvergenceError` names the joint. ``result.element(name)`` contains ``force`` and ``normal``.

    References
    ----------
    .. [1] B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and compensation
       methods for the control of machines with friction", Automatica 30 (1994) 1083.

    Examples
    --------
    >>> import flexbody as fb
    >>> wheel = fb.RigidBody("wheel", mass=3.0, inertia=(0.02, 0.02, 0.04))
    >>> shaft = fb.Revolute("shaft", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    >>> bearing = fb.Friction("bearing", shaft, mu=0.1, radius=0.01)
    """

    _: KW_ONLY
    load: float = 0.0
    creep: float = 1e-3
    static: float | None = None
    stribeck: float = 1e-2
    viscous: float = 0.0
    which: str | None = None
    mu: float | None = None
    mu_static: float | None = None
    radius: float | None = None
    collar: float | None = None
    length: float | None = None
    preload: float = 0.0

    @property
    def turns(self) -> bool:
        """Whether the friction acts along an angle."""
        return self.joint.coordinates[self.coordinate].turns

    def constants(self) -> tuple[float, ...]:
        """Return the numbers of the law.

        Returns
        -------
        tuple of float
            Sliding and static load (or mu), Stribeck velocity, viscous coefficient, regularisation velocity; with
            ``mu`` also those of ``core/friction.hpp``.
        """
        if self.mu is None:
            static = self.load if self.static is None else self.static
            return self.load, static, self.stribeck, self.viscous, self.creep
        static = self.mu if self.mu_static is None else self.mu_static
        # rates of an angle from sliding velocities of the surfaces
        arm = self.radius if self.turns and self.radius is not None else 1.0
        law = (self.mu, static, self.stribeck / arm, self.viscous, self.creep / arm, self.preload)
        per_length = 0.0 if self.length is None else 1.0 / self.length
        if self.turns:
            assert self.radius is not None
            collar = self.radius if self.collar is None else self.collar
            return *law, self.radius, collar, per_length, 0.0, 1.0 / self.radius
        key = 0.0 if self.radius is None else 1.0 / self.radius
        return *law, 1.0, 0.0, per_length, key, 1.0 if self.radius is None else self.radius

    def sliding(self, joint: Joint) -> Sliding:
        """Return how a joint slides along the coordinate.

        Parameters
        ----------
        joint : Joint
            The joint of that name in the system.

        Returns
        -------
        Sliding
            Axis and partner coordinate.
        """
        which = self.coordinate
        found = joint.coordinates[which]
        if found.kind == TRANSLATION:
            host, axis, others = 0, found.a, ("angle",) if self.radius is not None else ()
            if isinstance(joint, Planar | PointOnPlane):
                others = ("y" if which == "x" else "x",)
        else:
            # a rotation in the plane of the axes a and b, about the third axis
            host, axis, others = found.host, 3 - found.a - found.b, ("slide",)
        return Sliding(host, axis, next((name for name in others if name in joint.coordinates), None))

    def _number_problems(self) -> list[str]:
        found = self._check(("creep", "stribeck"), ("load", "viscous", "preload"))
        if self.mu is not None:
            return found + self._mu_problems()
        needing_mu = [n for n in ("mu_static", "radius", "collar", "length") if getattr(self, n) is not None]
        needing_mu += ["preload"] if self.preload else []
        if needing_mu:
            found.append(
                f"{self.label}: {', '.join(needing_mu)} belong to friction that follows the reaction; give mu= too"
            )
        if finite(self.load) and not _at_least(self.static, self.load):
            found.append(
                f"{self.label}: static is {self.static!r}; it must be at least load, {self.load!r}, or be left out"
            )
        return found

    def _mu_problems(self) -> list[str]:
        """Return the problems of friction that follows the reaction as sentences."""
        if unfit := self._unfit():
            return [unfit]
        above = tuple(name for name in ("radius", "length") if getattr(self, name) is not None)
        found = self._check(above, ("mu", *(("collar",) if self.collar is not None else ())))
        if self.load or self.static is not None:
            found.append(
                f"{self.label}: load and static give the friction, but with mu it follows the reaction of the joint; "
                "give load= or mu=, not both (mu= with preload=, or a second Friction for the given part)"
            )
        if finite(self.mu) and not _at_least(self.mu_static, self.mu):
            found.append(
                f"{self.label}: mu_static is {self.mu_static!r}; it must be at least mu, {self.mu!r}, or be left out"
            )
        if self.turns and self.radius is None:
            found.append(
                f"{self.label} has no radius; give radius= (m), at which the friction of {self.joint.label} acts"
            )
        if self.collar is not None and not self.turns:
            found.append(
                f"{self.label}: collar belongs to an angle, but {self.coordinate} of {self.joint.label} is a slide; "
                "leave collar= out"
            )
        return found

    def _unfit(self) -> str:
        """Return why the reaction determines no friction along this coordinate; an empty string if it does."""
        joint, which = self.joint, self.coordinate
        start = f"{self.label}: friction along {which} of {joint.label} can't follow the reaction"
        if not joint.rows:
            return f"{start}: that joint has no reaction; give load="
        if isinstance(joint, Screw):
            return (
                f"{start}: the friction of a thread depends on the angle of its flanks; give load=, or add a Friction "
                "to the bearing of the nut"
            )
        if joint.coordinates[which] in ANGLES.values():
            return (
                f"{start}: the friction of a ball joint acts against its whole rotation, not about the axes of the "
                "Bryant angles; give load=, or use a Universal or Revolute joint, whose pins have axes"
            )
        if any(row.kind == COUPLING for row in joint.rows) or joint.coordinates[which].kind not in (
            ROTATION,
            TRANSLATION,
        ):
            return f"{start}: no surfaces slide along it; give load="
        return ""


def _at_least(value: object, least: object) -> bool:
    """Return whether a value is None, or a number that is not below ``least``."""
    return value is None or (finite(value) and value >= least)  # type: ignore[operator]


def reaction_frictions(forces) -> list[Friction]:
    """Return the friction elements that follow reactions, in the order of the layout."""
    return [force for force in forces if isinstance(force, Friction) and force.mu is not None]
