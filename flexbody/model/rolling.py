"""Rolling of two shapes on each other: a wheel, ball or cylinder on a plane, and round bodies on or in each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from fem.common.errors import called

from ..core.kinds import HOLONOMIC, VELOCITY
from .forces.shapes import Cylinder, Plane, Shape, Sphere
from .joints.recorded_rows import Components, Poses, Slipping, View
from .joints.slip_laws import Creep, SlipLaw
from .rails import Rail
from .rigid_motion import Motions
from .rolling_pairs import LEAST_TILT, RollingPair, drawn_pair, pair_of
from .sides import Body, FrameData, Side
from .wheels import Cone, Wheel


@dataclass(frozen=True, eq=False)
class Rolling(Slipping):
    """Two shapes that stay in touch and roll on each other, without slip or with a law of their slip.

    Parameters
    ----------
    name : str
        Name of the contact, unique in the system.
    first, second : Plane, Cylinder, Sphere, Wheel, Cone or Rail
        The shapes, each carried by a body or the ground: a :class:`Wheel`, :class:`Sphere`, :class:`Cylinder` or
        :class:`Cone` rolls on a :class:`Plane` and along a :class:`Rail`, which comes first, a wheel, sphere or
        cylinder (with parallel axis) on or in a cylinder, a wheel or sphere on or in a sphere, and a sphere on or in a
        cone. What is drawn inside rolls inside. A cone rolls on a cylinder across its axis, as on a straight rail.
        Cylinders and cones have no ends here.
    slip : Coulomb or Creep, optional
        Law of the forces against slip. By default the surfaces roll without slip.
    pulls : bool, optional
        Whether the contact may pull too. By default a run stops where it would have to, because there the bodies
        separate.

    Notes
    -----
    The surfaces touch, which is a holonomic constraint (a cylinder or cone on a plane and a cylinder on another one
    touch along a line), and the points that touch have equal velocities, which is nonholonomic (Sol 1983, 3.3): with
    the point of contact P and both tangents t ::

        t . (v_2 + w_2 x (P - r_2) - v_1 - w_1 x (P - r_1)) = 0

    Rotation about the normal (spin) is free, except that of a cylinder or cone on a plane. Reactions do no work. The
    reaction is the load on the second body, about the point of its shape.

    With ``slip`` only the first constraint remains. The points that touch may have different velocities, and forces
    along both tangents act against this slip (of a cylinder or cone on a plane below its ``point``). They follow the
    normal force. The reaction contains them, and ``result.element(name)`` has the slip along the direction of rolling
    and across it, the spin, the speed of rolling, the forces, and what they dissipate.

    A wheel can't lie flat: where its axis comes near the normal, it would touch in a whole circle. Nor can it lean or
    turn so much in a narrow cylinder that it would touch at two places. For bodies that separate and meet again use
    :class:`Contact`.

    Examples
    --------
    >>> import flexbody as fb
    >>> disc = fb.RigidBody("disc", mass=1.0, inertia=(0.01, 0.02, 0.01), center=(0, 0, 0.2), velocity=(1, 0, 0),
    ...                     angular_velocity=(0, 5, 0))
    >>> floor = fb.Rolling("floor", fb.Plane(fb.GROUND), fb.Wheel(disc, 0.2, axis="y"))
    >>> machine = fb.System([disc], [floor], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, t_end=0.5, show_progress=False)
    >>> float(result.position(disc)[-1, 0].round(6))
    0.5
    """

    name: str
    first: Shape
    second: Shape
    _: KW_ONLY
    slip: SlipLaw | None = None
    pulls: bool = False

    @property
    def shapes(self) -> tuple[Shape, Shape]:
        """Both shapes."""
        return self.first, self.second

    def sides(self) -> tuple[Side, Side]:
        """Return the sides of both shapes."""
        return self.first.side, self.second.side

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames of both shapes."""
        second = self.second.frame(bodies, self.label)
        if isinstance(self.first, Rail):
            return self.first.frame_beside(self.second, second, bodies), second
        return self.first.frame(bodies, self.label), second

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Rolling:
        """Return these shapes on bodies that are drawn elsewhere."""
        return replace(self, first=self.first.redrawn(motions), second=self.second.redrawn(motions))

    def pair(self, bodies: Mapping[str, Body]) -> RollingPair:
        """Return host and guest as drawn.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        RollingPair
            The pair.
        """
        poses = [(frame.A[None], frame.drawn(bodies)[None]) for frame in self.frames(bodies)]
        return drawn_pair(self.first, self.second, poses)

    def components(self, poses: Poses) -> Components:
        """Return gap, parallelism and slip as a function of time and views."""
        pair = drawn_pair(self.first, self.second, poses)
        slips = 0 if self.slip is not None else 3 if pair.resists_spin else 2

        def values(t: Any, views: Sequence[View]) -> list[Any]:
            touch = pair.touch(views)
            return [touch.gap, *touch.held, *pair.slip(views, touch)[:slips]]

        return values

    def slip_rates(self, poses: Poses) -> Components:
        """Return slip along and across the direction of rolling, spin and speed of rolling, as a function."""
        pair = drawn_pair(self.first, self.second, poses)

        def rates(t: Any, views: Sequence[View]) -> list[Any]:
            touch = pair.touch(views)
            return [*pair.slip(views, touch), pair.speed(views, touch)]

        return rates

    def pressing_sign(self, bodies: Mapping[str, Body]) -> float:
        """Return -1: a positive multiplier of the gap pulls."""
        return -1.0

    def kinds(self, n: int) -> list[int]:
        """Return which components are holonomic: the gap, and directions that stay parallel."""
        pair = pair_of(self.first, self.second)
        assert pair is not None
        slips = 0 if self.slip is not None else 3 if isinstance(pair[0], Plane) and n == 5 else 2
        return [HOLONOMIC] * (n - slips) + [VELOCITY] * slips

    def problems(self) -> list[str]:
        """Return the problems of both shapes as sentences."""
        wrong = [shape for shape in self.shapes if not isinstance(shape, Shape)]
        if wrong:
            return [f"{self.label} has {called(wrong[0])} as a shape; give fb.Plane(...), fb.Wheel(...), ..."]
        if pair_of(self.first, self.second) is None:
            names = " and ".join(type(shape).__name__ for shape in self.shapes)
            return [
                f"{self.label}: rolling of {names} is not available; a Wheel, Sphere, Cylinder or Cone rolls on a "
                "Plane and along a Rail, a Wheel, Sphere or Cylinder on or in a Cylinder, a Cone on a Cylinder, a "
                "Wheel or Sphere on or in a Sphere, and a Sphere on or in a Cone"
            ]
        found = [problem for shape in self.shapes for problem in shape.problems(self.label)]
        found += self.slip_problems()
        if isinstance(self.second, Rail):
            found.append(
                f"{self.label} has its Rail as the second shape; give the Rail first, then what rolls on it"
            )
        pair = pair_of(self.first, self.second)
        if found:  # what follows compares their sizes
            return found
        sharp = isinstance(self.second, Wheel) and self.second.rim == 0
        if isinstance(self.first, Rail) and self.first.radius == 0 and sharp:
            found.append(
                f"{self.label}: the sharp rim of a Wheel touches an edge in a point that has no normal; give the rim a "
                "rim= or the Rail a radius= above zero, or a Cylinder in place of the Wheel"
            )
        if isinstance(self.slip, Creep) and pair is not None and isinstance(pair[1], Sphere):
            found.append(
                f"{self.label}: slip is a law of creep, which needs a direction of rolling, and a ball has none; give "
                "fb.Coulomb(mu=...), or a Wheel or Cylinder in place of the Sphere"
            )
        if not found and self.first.side.body.name == self.second.side.body.name:
            found.append(f"{self.label} has both shapes on '{self.first.side.body.name}'; give two bodies")
        return found

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of both shapes on the bodies of a system as sentences."""
        turns = [
            f"{self.label}: {shape.side!r} has too few nodes to define a rotation, and only what turns can roll; use a "
            "larger node set"
            for shape in self.shapes
            if not shape.side.has_rotation(bodies)
        ]
        return turns or self._drawn_problems(bodies)

    def _drawn_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return as sentences what is wrong with how the shapes are drawn."""
        pair, frames = self.pair(bodies), self.frames(bodies)
        host, guest = frames[::-1] if pair.reverse else frames
        parallel = np.linalg.norm(np.cross(host.A[:, 2], guest.A[:, 2])) < 0.1
        if isinstance(pair.guest, Cone) and isinstance(pair.host, Cylinder) and parallel:
            return [
                f"{self.label}: the axes of cone and cylinder are parallel as drawn; a cone rolls along the axis of "
                "the cylinder, which is its rail. Turn one axis="
            ]
        between = f"{called(pair.guest.side)} and {called(pair.host.side)}"
        away = guest.drawn(bodies) - host.drawn(bodies)
        size = 0.0 if isinstance(pair.host, Plane | Rail) else pair.host.sizes[0]
        if isinstance(pair.host, Cone):
            size += pair.host.sizes[1] * float(host.A[:, 2] @ away)
        if np.linalg.norm(away) < 1e-9 * size:
            return [f"{self.label}: the middles of {between} coincide as drawn; draw them so that they touch"]
        if pair.side < 0 and not pair.guest.sizes[0] < size:
            return [
                f"{self.label}: a radius of {pair.guest.sizes[0]!r} m can't roll in one of {size!r} m; make the inner "
                "one smaller"
            ]
        views = [View(frame.drawn(bodies), frame.A, None, None) for frame in frames]
        if isinstance(pair.guest, Wheel) and pair.tilt(views) < LEAST_TILT:
            return [
                f"{self.label}: the wheel lies flat on the {type(pair.host).__name__.lower()} as drawn, and touches in "
                f"a whole circle or at two places; turn its axis={pair.guest.axis!r} away from the normal, or make it "
                "smaller"
            ]
        return []
