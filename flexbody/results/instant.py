"""Readers of one instant of a motion: the methods of a result without its axis of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.known_attributes import KnownAttributes

from ..model.joints import Connection
from ..model.sides import Body
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


class Instant(KnownAttributes):
    """Readers of a machine at one time; the record of that time is ``instant``.

    Arguments and conventions are those of :class:`flexbody.Result`.
    """

    @property
    def instant(self) -> Record:
        """The state as a record of one time."""
        raise NotImplementedError

    @check_arguments
    def position(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the position of a point, (3,), m, as :meth:`flexbody.Result.position`.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Position, (3,), m.
        """
        return position(self.instant, what, point, **options)[0]

    @check_arguments
    def rotation(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the rotation matrix of a body or frame, (3, 3); the identity in the drawn configuration.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Rotation matrix, (3, 3).
        """
        return rotation(self.instant, what, point, **options)[0]

    @check_arguments
    def velocity(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the velocity of a point, (3,), m/s.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Velocity, (3,), m/s.
        """
        return velocity(self.instant, what, point, **options)[0]

    @check_arguments
    def acceleration(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the acceleration of a point, (3,), m/s^2.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Acceleration, (3,), m/s^2.
        """
        return acceleration(self.instant, what, point, **options)[0]

    @check_arguments
    def angular_velocity(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the angular velocity of a body or frame, (3,), rad/s.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Angular velocity, (3,), rad/s.
        """
        return angular_velocity(self.instant, what, point, **options)[0]

    @check_arguments
    def angular_acceleration(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the angular acceleration of a body or frame, (3,), rad/s^2.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Angular acceleration, (3,), rad/s^2.
        """
        return angular_acceleration(self.instant, what, point, **options)[0]

    @check_arguments(own=("body",))
    def alpha(self, body: Body | str) -> np.ndarray:
        """Return the modal coordinates of a flexible body, (N,).

        Parameters
        ----------
        body : FlexibleBody or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Modal coordinates, (N,).
        """
        return alpha(self.instant, body)[0]

    @check_arguments(own=("body",))
    def alpha_dot(self, body: Body | str) -> np.ndarray:
        """Return the rates of the modal coordinates of a flexible body, (N,).

        Parameters
        ----------
        body : FlexibleBody or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Rates, (N,), 1/s times the unit of the coordinates.
        """
        return alpha_dot(self.instant, body)[0]

    @check_arguments
    def displacement(self, what: Where, point: Any = None, **options: Any) -> np.ndarray:
        """Return the displacement of a point, (3,), m, as :meth:`flexbody.Result.displacement`.

        Parameters
        ----------
        what : body, frame, joint or str
            As for :meth:`flexbody.Result.position`.
        point : str, array_like or int, optional
            As for :meth:`flexbody.Result.position`.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        numpy.ndarray
            Displacement, (3,), m.
        """
        return displacement(self.instant, what, point, **options)[0]

    @check_arguments(own=("joint",))
    def reaction(self, joint: Connection | str, **options: Any) -> Wrench:
        """Return the load of the first body of a joint on its second: force (3,), N, and moment (3,), Nm.

        Parameters
        ----------
        joint : joint, drive or str
            The joint or its name.
        **options
            Further arguments of the method of this name of :class:`flexbody.Result`.

        Returns
        -------
        Wrench
            Force, (3,), N, and moment, (3,), N m.
        """
        found = reaction(self.instant, joint, **options)
        return Wrench(found.force[0], found.moment[0])
