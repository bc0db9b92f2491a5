"""Reading one instant of a machine's motion: the methods of a result, without its axis of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.bodies import Body
from ..model.system import Connection
from .displacement import displacement
from .motion import (
    Where,
    acceleration,
    alpha,
    alpha_dot,
    angular_acceleration,
    angular_velocity,
    position,
    rotation,
    velocity,
)
from .reactions import reaction
from .record import Record, Wrench


class Instant:
    """What can be read of a machine at one time, from ``instant``, a record of one state.

    Arguments and conventions are those of :class:`flexbody.Result`.
    """

    @property
    def instant(self) -> Record:
        """The state as a record of one time."""
        raise NotImplementedError

    def position(self, what: Where, **options: Any) -> np.ndarray:
        """Position of any point, (3,), m, as :meth:`Result.position` gives it."""
        return position(self.instant, what, **options)[0]

    def rotation(self, what: Where, **options: Any) -> np.ndarray:
        """Rotation matrix of a body or frame, (3, 3); the identity as drawn."""
        return rotation(self.instant, what, **options)[0]

    def velocity(self, what: Where, **options: Any) -> np.ndarray:
        """Velocity of any point, (3,), m/s."""
        return velocity(self.instant, what, **options)[0]

    def acceleration(self, what: Where, **options: Any) -> np.ndarray:
        """Acceleration of any point, (3,), m/s^2."""
        return acceleration(self.instant, what, **options)[0]

    def angular_velocity(self, what: Where, **options: Any) -> np.ndarray:
        """Angular velocity of a body or frame, (3,), rad/s."""
        return angular_velocity(self.instant, what, **options)[0]

    def angular_acceleration(self, what: Where, **options: Any) -> np.ndarray:
        """Angular acceleration of a body or frame, (3,), rad/s^2."""
        return angular_acceleration(self.instant, what, **options)[0]

    def alpha(self, body: Body | str) -> np.ndarray:
        """Modal coordinates of a flexible body, (N,)."""
        return alpha(self.instant, body)[0]

    def alpha_dot(self, body: Body | str) -> np.ndarray:
        """Rates of the modal coordinates of a flexible body, (N,)."""
        return alpha_dot(self.instant, body)[0]

    def displacement(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """How far a point has moved, (3,), m, by deformation or in all, as :meth:`Result.displacement` gives it."""
        return displacement(self.instant, what, point, **options)[0]

    def reaction(self, joint: Connection | str, frame: Where | None = None, **options: Any) -> Wrench:
        """Load of a joint's first body on its second: force (3,), N, and moment (3,), Nm."""
        found = reaction(self.instant, joint, frame, **options)
        return Wrench(found.force[0], found.moment[0])
