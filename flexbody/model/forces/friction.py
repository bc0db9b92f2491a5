"""Friction along joint coordinates, with a given load or following the joint's reaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...core.kinds import COUPLING, FRICTION, REACTION_FRICTION, ROTATION, TRANSLATION
from ...rotation import finite
from ..joints import Joint, Planar, PointOnPlane, Screw
from ..joints.coordinates import ANGLES
from .joint_force import JointForce


class Sliding(NamedTuple):
    """How a joint slides along a coordinate: about or along an axis of its first (0) or second frame (1).

    ``partner``: the coordinate along which the same surfaces slide as well.
    """

    host: int
    axis: int
    partner: str | None


@dataclass(frozen=True, eq=False)
class Friction(JointForce):
    """Friction against the rate ``s`` of a joint coordinate: Coulomb's, regularised, with Stribeck's and viscous parts.

    ``F = (load + (static - load) exp(-(s/stribeck)^2)) tanh(s/creep) + viscous s``: B. Armstrong-Helouvry, P. Dupont,
    C. Canudas de Wit, Automatica 30 (1994) 1083, (5), with tanh in place of the sign. Its sliding part is either given
    by ``load``, or follows from the joint's reaction by ``mu``.

    load : sliding friction, N (Nm for an angle). creep : the rate (m/s, rad/s) up to which a joint that sticks still
    creeps; 76 % of the load is reached there. static : at breaking loose, N; by default as sliding. stribeck : rate at
    which static friction has fallen to sliding by 1/e. viscous : Ns/m. which : the coordinate, where the joint has
    several. What friction dissipates is in the balance.

    mu : coefficient of sliding friction; the load is then ``mu N`` (for an angle ``mu N radius``) and changes with the
    joint's reaction, as :meth:`Result.reaction` gives it (drives and couplings are not part of it). mu_static : in
    place of ``static``. ``creep`` and ``stribeck`` are then rates at which the surfaces rub, m/s, for angles as well: a
    rate s of an angle rubs at ``s radius``. N is the sum of

    * ``preload`` (N), of a seal or a press fit;
    * the reaction's force across the axis. ``length`` (m) of the bearing: two bearings so far apart, the joint's point
      on the second body halfway, share force and moment, ``|F/2 + M/length| + |F/2 - M/length|``; without it moments
      are not counted;
    * for an angle the force along the axis, on a collar of the radius ``collar`` (m), by default ``radius``; 0 for one
      that rolls. For a slide that can't turn, where ``radius`` is given, ``|moment about the axis| / radius``.

    ``radius`` : of the pin, m. Where the same surfaces slide along two coordinates (slide and angle of a cylindrical
    joint of known radius, x and y in a plane) friction is against the resultant rate; each coordinate has its own
    element, of the same numbers. Of machines with redundant joints the reaction may not be determined; a warning then
    names the friction.
    ``result.element(name)`` holds its ``force`` and ``normal``. A joint that jams (each N of friction brings more than
    one, P. Painleve's case) has no acceleration: :class:`fem.ConvergenceError` names it.
    """

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
    def kind(self) -> int:
        """The law."""
        return FRICTION if self.mu is None else REACTION_FRICTION

    @property
    def turns(self) -> bool:
        """Whether it acts along an angle."""
        return self.joint.coordinates[self.coordinate].turns

    def constants(self) -> tuple[float, ...]:
        """Sliding and static load (or mu), Stribeck's rate, viscous coefficient, creep; then see ``rubbing.py``."""
        if self.mu is None:
            static = self.load if self.static is None else self.static
            return self.load, static, self.stribeck, self.viscous, self.creep
        static = self.mu if self.mu_static is None else self.mu_static
        # rates of an angle from those at which the surfaces rub
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
        """Return how a joint slides along the coordinate."""
        which = self.coordinate
        found = joint.coordinates[which]
        if found.kind == TRANSLATION:
            host, axis, others = 0, found.a, ("angle",) if self.radius is not None else ()
            if isinstance(joint, Planar | PointOnPlane):
                others = ("y" if which == "x" else "x",)
        else:
            # the angle from axis b to axis a
            host, axis, others = found.host, 3 - found.a - found.b, ("slide",)
        return Sliding(host, axis, next((name for name in others if name in joint.coordinates), None))

    def _number_problems(self) -> list[str]:
        found = self._check(("creep", "stribeck"), ("load", "viscous", "preload"))
        if self.mu is not None:
            return found + self._mu_problems()
        given = [n for n in ("mu_static", "radius", "collar", "length") if getattr(self, n) is not None]
        given += ["preload"] if self.preload else []
        if given:
            found.append(
                f"{self.label}: {', '.join(given)} belong to friction that follows the reaction; give mu="
            )
        if finite(self.load) and not _at_least(self.static, self.load):
            found.append(
                f"{self.label}: static is {self.static!r}; it is at least load, {self.load!r}, or left out"
            )
        return found

    def _mu_problems(self) -> list[str]:
        """What is wrong with friction that follows the reaction."""
        if unfit := self._unfit():
            return [unfit]
        above = tuple(name for name in ("radius", "length") if getattr(self, name) is not None)
        found = self._check(above, ("mu", *(("collar",) if self.collar is not None else ())))
        if self.load or self.static is not None:
            found.append(
                f"{self.label}: load and static are friction that is given, mu one that follows the joint's reaction; "
                "give one of them (mu with preload=, or another Friction beside it)"
            )
        if finite(self.mu) and not _at_least(self.mu_static, self.mu):
            found.append(
                f"{self.label}: mu_static is {self.mu_static!r}; it is at least mu, {self.mu!r}, or left out"
            )
        if self.turns and self.radius is None:
            found.append(f"{self.label}: give radius= (m), at which the friction of {self.joint.label} acts")
        if self.collar is not None and not self.turns:
            found.append(
                f"{self.label}: collar belongs to an angle; {self.coordinate} of {self.joint.label} is a slide"
            )
        return found

    def _unfit(self) -> str:
        """Why the reaction gives no friction along this coordinate; "" where it does."""
        joint, which = self.joint, self.coordinate
        start = f"{self.label}: friction along {which} of {joint.label} can't follow the reaction"
        if not joint.rows:
            return f"{start}: that joint has none; give load="
        if isinstance(joint, Screw):
            return f"{start}: in a thread it depends on the flanks; give load=, or a Friction on the nut's bearing"
        if joint.coordinates[which] in ANGLES.values():
            return (
                f"{start}: a ball rubs against its whole turning, not about Bryant's axes; give load=, or use a "
                "Universal or Revolute joint, whose pins have axes"
            )
        if any(row.kind == COUPLING for row in joint.rows) or joint.coordinates[which].kind not in (
            ROTATION,
            TRANSLATION,
        ):
            return f"{start}: nothing slides there; give load="
        return ""


def _at_least(value: object, least: object) -> bool:
    """Whether a number is left out, or no less than another."""
    return value is None or (finite(value) and value >= least)  # type: ignore[operator]


def rubs_of(forces) -> list[Friction]:
    """Return the friction elements that follow reactions, in the order of the layout."""
    return [force for force in forces if isinstance(force, Friction) and force.mu is not None]
