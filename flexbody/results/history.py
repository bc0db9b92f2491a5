"""Readers of a motion over time, by object or by name: methods of a result."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.values import Positive

from ..model.flexible_body import FlexibleBody
from ..model.sides import Body, Ground
from ..model.system import Connection, Force
from . import (
    averages,
    displacement,
    energy,
    force_elements,
    joint_coordinate_rates,
    joint_coordinates,
    motion,
    reactions,
    stress,
)
from .displacement import Chord
from .energy import BodyEnergy, Energy
from .force_elements import ElementHistory
from .motion import Where
from .record import Record, Wrench
from .stress import BodyStress


class History(Record):
    """Readers of a machine over time; those of one time are :class:`flexbody.results.instant.Instant`.

    They take bodies, frames, joints and force elements by object or by name.
    """

    @property
    def energy(self) -> Energy:
        """Energies over time and their balance, J."""
        return energy.energy(self)

    # ---- bodies ----------------------------------------------------------------------------------

    @check_arguments
    def position(
        self, what: Where, point: Any = None, *, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Return the position of a point.

        Parameters
        ----------
        what : body, frame, joint or str
            A body (its reference point), a named frame ``body["name"]``, a joint (its point on the second body), or
            the name of a body or joint. A pair ``(body, point)`` gives ``point`` too.
        point : str, array_like or int, optional
            Another point of the body: the name of a marker; a point (x, y, z), m, in the drawn configuration, that
            moves with the body (for a flexible body the nearest point of its surface, to first order); or the number
            of a node (for a body with stress modes).
        frame : body, frame, joint or str, optional
            Base of the components: of a body, a named frame or a joint (on its first body); by default the inertial
            base.
        relative_to : body, frame, joint or str, optional
            Observer: a body, a named frame or a joint (its first frame). The position is then counted from the point
            of the observer; velocities and accelerations are those that an observer sees who moves and rotates with
            it. The components remain inertial unless ``frame`` is given.

        Returns
        -------
        numpy.ndarray
            Position, (nt, 3), m; inertial components from the inertial origin unless ``frame`` or ``relative_to`` is
            given.

        Raises
        ------
        fem.InputError
            The body, frame or point is unknown.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0), markers={"tip": (0.6, 0, 0)})
        >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
        >>> machine = fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=10.0)])
        >>> result = fb.kinematics(machine, t_end=0.1, show_progress=False)
        >>> result.position(bar, "tip")[0].tolist()
        [0.6, 0.0, 0.0]
        >>> (result.position(bar["tip"], frame=bar, relative_to=bar)[-1].round(6) + 0.0).tolist()
        [0.3, 0.0, 0.0]
        """
        return motion.position(self, what, point, frame=frame, relative_to=relative_to)

    @check_arguments
    def rotation(self, what: Where, point: Any = None, *, relative_to: Where | None = None) -> np.ndarray:
        """Return the rotation matrices of a body or named frame.

        Parameters
        ----------
        what, point, relative_to
            As for :meth:`position`.

        Returns
        -------
        numpy.ndarray
            Rotation matrices, (nt, 3, 3), from the frame to the inertial base or the base of ``relative_to``; the
            columns are the axes of the frame. They are the identity in the drawn configuration.
        """
        return motion.rotation(self, what, point, relative_to=relative_to)

    @check_arguments(own=("body",))
    def euler(self, body: Body | str) -> np.ndarray:
        """Return the Euler parameters of a body, (nt, 4), Koppens (2.48).

        Parameters
        ----------
        body : Body or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Four numbers of unit length at each time, (nt, 4).
        """
        return motion.euler(self, body)

    @check_arguments
    def velocity(
        self, what: Where, point: Any = None, *, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Return the velocity of a point.

        Parameters
        ----------
        what, point, frame, relative_to
            As for :meth:`position`.

        Returns
        -------
        numpy.ndarray
            Velocity, (nt, 3), m/s.
        """
        return motion.velocity(self, what, point, frame=frame, relative_to=relative_to)

    @check_arguments
    def acceleration(
        self, what: Where, point: Any = None, *, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Return the acceleration of a point.

        Parameters
        ----------
        what, point, frame, relative_to
            As for :meth:`position`.

        Returns
        -------
        numpy.ndarray
            Acceleration, (nt, 3), m/s^2.
        """
        return motion.acceleration(self, what, point, frame=frame, relative_to=relative_to)

    @check_arguments
    def angular_velocity(
        self, what: Where, point: Any = None, *, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Return the angular velocity of a body, or of a named frame including its deformation.

        Parameters
        ----------
        what, point, frame, relative_to
            As for :meth:`position`.

        Returns
        -------
        numpy.ndarray
            Angular velocity, (nt, 3), rad/s.
        """
        return motion.angular_velocity(self, what, point, frame=frame, relative_to=relative_to)

    @check_arguments
    def angular_acceleration(
        self, what: Where, point: Any = None, *, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Return the angular acceleration of a body, or of a named frame including its deformation.

        Parameters
        ----------
        what, point, frame, relative_to
            As for :meth:`position`.

        Returns
        -------
        numpy.ndarray
            Angular acceleration, (nt, 3), rad/s^2.
        """
        return motion.angular_acceleration(self, what, point, frame=frame, relative_to=relative_to)

    @check_arguments(own=("body",))
    def body_energy(self, body: Body | str) -> BodyEnergy:
        """Return the kinetic, strain and potential energy of one body, (nt,), J.

        Parameters
        ----------
        body : Body or str
            The body or its name.

        Returns
        -------
        BodyEnergy
            The energies over time.
        """
        return energy.body_energy(self, body)

    @check_arguments(own=("body",))
    def alpha(self, body: Body | str) -> np.ndarray:
        """Return the modal coordinates of a flexible body, (nt, N).

        Parameters
        ----------
        body : FlexibleBody or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Modal coordinates, (nt, N).
        """
        return motion.alpha(self, body)

    @check_arguments(own=("body",))
    def alpha_dot(self, body: Body | str) -> np.ndarray:
        """Return the rates of the modal coordinates of a flexible body, (nt, N), 1/s times their unit.

        Parameters
        ----------
        body : FlexibleBody or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Rates, (nt, N).
        """
        return motion.alpha_dot(self, body)

    @check_arguments
    def displacement(
        self,
        what: Where,
        point: Any = None,
        *,
        relative_to: Where | Chord | None = None,
        frame: Where | None = None,
    ) -> np.ndarray:
        """Return the displacement of a point: by default in the base of its body, by deformation alone.

        That is not how far the point moves: the reference frame of a body moves with its mean, so that the tip of a
        cantilever beam that sags by 10 mm has 1 mm there. Give ``relative_to=fb.GROUND`` for the whole displacement,
        or the root, as in ``relative_to=beam["root"]``, for the displacement from there.

        Parameters
        ----------
        what, point
            As for :meth:`position`.
        relative_to : body, frame, joint, str or Chord, optional
            The reference, see Notes.
        frame : body, frame, joint or str, optional
            Base of the components, instead of those in Notes.

        Returns
        -------
        numpy.ndarray
            Displacement, (nt, 3), m.

        Raises
        ------
        fem.InputError
            The point is unknown, the body is rigid, or the chord is not determined.

        Notes
        -----
        - By default: the deformation ``Phi alpha``, with the second-order term of a body with geometric stiffening, in
          the base of the body. It depends on the reference frame of the reduced body.
        - :class:`Chord`: the displacement out of the chord, the moving straight line through two points of the body. It
          does not depend on the reference frame. The base moves with the chord: its x axis is the direction of the
          undeformed chord, rotated with the body.
        - :data:`GROUND`: the whole displacement from the drawn configuration, inertial components; also of rigid
          bodies.
        - A body, named frame or joint (its first frame): the whole displacement as an observer sees it who moves and
          rotates with that, in inertial components; with ``frame`` the same object, in the observer's own.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0), markers={"tip": (0.6, 0, 0)})
        >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
        >>> machine = fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=10.0)])
        >>> result = fb.kinematics(machine, t_end=0.1, show_progress=False)
        >>> (result.displacement(bar, "tip", relative_to=fb.GROUND)[-1].round(3) + 0.0).tolist()
        [-0.276, 0.0, -0.505]
        """
        return displacement.displacement(self, what, point, relative_to, frame)

    @check_arguments(own=("body",))
    def stress(self, body: FlexibleBody | str, *, at: Any = None, times: Any = None) -> BodyStress:
        """Return the stresses of a flexible body by its stress modes.

        Parameters
        ----------
        body : FlexibleBody or str
            The body or its name.
        at : str, array_like or int, optional
            By default the whole surface. Or the name of a marker (all nodes of its set), a point (x, y, z), m, in the
            drawn configuration (the nearest node), or the number of a node.
        times : array_like or slice, optional
            Times, s, or a slice of the stored times; by default all stored times. Between stored times, cubic Hermite
            splines of the modal coordinates and their rates are used.

        Returns
        -------
        BodyStress
            Its ``von_mises`` (nt, k), ``principal``, ``principal_axes``, ``tensors`` (in the base of the body) and
            ``peak()`` (the largest value over the surface, with its place) are computed when they are used.

        Raises
        ------
        fem.InputError
            The body has no stress modes, or the place or a time is not valid.
        """
        return stress.stress(self, body, at, times)

    # ---- joints ----------------------------------------------------------------------------------

    @check_arguments(own=("joint", "body"))
    def reaction(
        self, joint: Connection | str, *, frame: Where | None = None, body: Body | Ground | str | None = None
    ) -> Wrench:
        """Return the load of the first body of a joint on its second body.

        Parameters
        ----------
        joint : joint, drive or str
            The joint, drive, coupling or constraint, or its name.
        frame : body, frame, joint or str, optional
            Base of the components; by default the inertial base.
        body : body, GROUND or str, optional
            Another body on which the joint acts, or the ground.

        Returns
        -------
        Wrench
            Force (nt, 3), N, and moment (nt, 3), Nm, about the point of the joint on the second body (or on
            ``body``).

        Raises
        ------
        fem.InputError
            The joint is unknown, or does not act on ``body``.

        Notes
        -----
        The constraint forces are ``-G^T lambda``, Koppens (4.20). The reaction of a drive is the driving load; it is
        not part of the reaction of its joint. If constraints are redundant, these are the reactions of least norm.

        Couplers, constraints, and gears and racks without teeth, act on three or more bodies (both wheels of a pair and
        their carrier); teeth act on both wheels, at the pitch point.
        Without ``body``, the load acts on the second body of their last joint (on the last frame). If one acts on a
        body at several points, as on a carrier, the load is the sum about the last of these points.

        Examples
        --------
        The weight of a pendulum of 1 kg at rest:

        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0, 0, -0.3))
        >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
        >>> state = fb.equilibrium(fb.System([bar], [hinge], gravity=(0, 0, -9.81)))
        >>> (state.reaction(hinge).force.round(6) + 0.0).tolist()
        [0.0, 0.0, 9.81]
        """
        return reactions.reaction(self, joint, frame, body=body)

    @check_arguments(own=("joint",))
    def coordinate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """Return a joint coordinate.

        Parameters
        ----------
        joint : joint, drive or str
            The joint or its name; a drive stands for the coordinate that it drives.
        which : str, optional
            Name of the coordinate, one of ``joint.coordinates``; by default the first.

        Returns
        -------
        numpy.ndarray
            Coordinate, (nt,): an angle, rad, continuous over many revolutions, or a length, m. It is zero in the
            drawn configuration.

        Notes
        -----
        An angle starts between -pi and pi, or at the value that its drive, a coupling or the initial state gives. The
        run counts the revolutions, also between stored states.
        """
        return joint_coordinates.coordinate(self, joint, which)

    @check_arguments(own=("joint",))
    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """Return the rate of a joint coordinate, (nt,), rad/s or m/s; arguments as for :meth:`coordinate`.

        Parameters
        ----------
        joint, which
            As for :meth:`coordinate`.

        Returns
        -------
        numpy.ndarray
            Rate, (nt,).
        """
        return joint_coordinate_rates.coordinate_rate(self, joint, which)

    @check_arguments(own=("joint",))
    def coordinate_acceleration(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """Return the acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2.

        Arguments are those of :meth:`coordinate`.

        Parameters
        ----------
        joint, which
            As for :meth:`coordinate`.

        Returns
        -------
        numpy.ndarray
            Acceleration, (nt,).
        """
        return joint_coordinate_rates.coordinate_acceleration(self, joint, which)

    # ---- forces ----------------------------------------------------------------------------------

    @check_arguments(own=("which",))
    def element(self, which: Force | str) -> ElementHistory:
        """Return the history of a spring or force element.

        Parameters
        ----------
        which : force element, spring or str
            The element or its name.

        Returns
        -------
        ElementHistory
            Forces, deformations, rates, states, energies and loads over time, such as ``result.element("ram").force``
            and ``result.element("ram")["pressure"]``.

        Raises
        ------
        fem.InputError
            The machine has no such element.
        """
        return force_elements.element(self, which)

    # ---- means -----------------------------------------------------------------------------------

    @check_arguments
    def averaged(self, values: ArrayLike, *, over: Annotated[float, Positive]) -> np.ndarray:
        """Return means of values over a period, without what vibrates faster.

        Parameters
        ----------
        values : array_like
            Values at the stored times, (nt, ...), such as ``result.reaction("pin").force``.
        over : float
            The period P, s: the slowest one that is to be left out, or more.

        Returns
        -------
        numpy.ndarray
            Means at the stored times, (nt, ...). They are NaN within 1.5 P of the beginning and the end, where a mean
            would need values from outside the run.

        Raises
        ------
        fem.InputError
            There are other values than stored times, fewer than eight times in the period, or the run is shorter than
            three periods.

        Notes
        -----
        By default a run does not follow vibrations that are small beside the motion; its warning names them. They
        remain in reactions, with another phase and size, but not in their means: these are right to about a hundredth
        of the largest reaction. A mean with equal weights over one period leaves out this period and its whole parts
        alone, and up to ``p / (pi P)`` of a vibration with another period p. Here Blackman's weights are 3 P long: of
        all periods up to P they leave less than 0.0013, and 0.004 of 1.1 P [1]_. What changes slowly, with the
        frequency f, becomes smaller by ``4.5 (f P)^2`` of itself.

        References
        ----------
        .. [1] F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
           Proc. IEEE 66 (1978) 51, table I

        Examples
        --------
        A box on a stiff mount that rings; its mean load is its weight:

        >>> import numpy as np
        >>> import flexbody as fb
        >>> box = fb.RigidBody("box", 10.0, (0.1,) * 3)
        >>> mount = fb.Bushing("mount", fb.GROUND, box, point=(0, 0, 0), stiffness=(1e6,) * 6)
        >>> machine = fb.System([box], forces=[mount], gravity=(0, 0, -9.81))
        >>> result = fb.simulate(machine, 0.1, output_step=2e-4, show_progress=False)
        >>> load = result.element("mount").force[:, 2]
        >>> means = result.averaged(load, over=2 * np.pi * np.sqrt(10.0 / 1e6))
        >>> print(f"{load.min():.0f} to {load.max():.0f}, in the mean {np.nanmean(means):.1f} N")
        -196 to 0, in the mean -98.1 N
        """
        given = np.asarray(values, dtype=float)
        if given.ndim == 0 or len(given) != len(self.t):
            raise InputError(
                f"Result.averaged: values of shape {given.shape} are no values at the {len(self.t)} stored times; "
                "their first length is the number of times"
            )
        return averages.averaged(self.t, given, over)
