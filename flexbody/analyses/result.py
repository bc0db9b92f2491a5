"""The result of a run: positions, deformations, reactions and energies, by object or by name; and states."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..compile.plan import Plan
from ..core.kinds import GIVEN
from ..files.load import load_record
from ..files.result_file import save_result
from ..files.to_xarray import dataset_of
from ..formulations.state import MachineState
from ..model.flexible_body import FlexibleBody
from ..model.sides import Body, Ground
from ..model.system import Connection, Force, System
from ..results import (
    displacement,
    energy,
    force_elements,
    joint_coordinate_rates,
    joint_coordinates,
    motion,
    reactions,
    stress,
    tables,
)
from ..results.displacement import Chord
from ..results.energy import BodyEnergy, Energy
from ..results.force_elements import ElementHistory
from ..results.instant import Instant
from ..results.motion import Where
from ..results.occurrences import is_on
from ..results.record import Record, Statistics, Wrench
from ..results.stress import BodyStress
from ..results.tables import Table

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False, repr=False)
class Result(Record):
    """The motion of a machine at the stored times.

    Attributes
    ----------
    system : System
        The machine.
    t : numpy.ndarray
        Times, (nt,), s.
    c : numpy.ndarray
        Positions of the reference points of the bodies, (nt, nb, 3), m.
    q : numpy.ndarray
        Euler parameters of the bodies, (nt, nb, 4), Koppens (2.48).
    all_alpha : numpy.ndarray
        Modal coordinates of all bodies, (nt, na).
    v, vdot : numpy.ndarray
        Generalized velocities and accelerations, (nt, nv).
    multipliers : numpy.ndarray
        Lagrange multipliers of the constraints, (nt, nr).
    energies : numpy.ndarray
        Kinetic, strain, potential, dissipated and input energy, (nt, 5), J.
    events : tuple of Occurrence
        The events of :func:`simulate` that have occurred, in their order.
    switched_off : tuple of str
        Names of the joints, drives and forces that were off when the run began.
    statistics : Statistics
        Steps, time and integrator of the run.

    Notes
    -----
    The methods compute all other quantities. They take bodies, frames, joints and force elements by object or by name.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0), markers={"tip": (0.6, 0, 0)})
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=10.0)])
    >>> result = fb.kinematics(machine, t_end=0.1, output_step=0.05, show_progress=False)
    >>> result.t.tolist()
    [0.0, 0.05, 0.1]
    >>> (result.velocity(bar["tip"])[0].round(6) + 0.0).tolist()
    [0.0, 0.0, -6.0]
    >>> (result.reaction(hinge).force[0].round(6) + 0.0).tolist()
    [-30.0, 0.0, 0.0]
    >>> result.coordinate("hinge").round(6).tolist()
    [0.0, 0.5, 1.0]
    """

    def __repr__(self) -> str:
        end = f"t = {self.t[-1]:.6g} s" if len(self.t) else "no time"
        bodies, joints = len(self.system.bodies), len(self.system.joints)
        return f"<Result: {len(self.t)} states to {end}, {bodies} bodies, {joints} joints and drives>"

    @classmethod
    def of(cls, record: Record) -> Result:
        """Return a record as a result.

        Parameters
        ----------
        record : Record
            The states of a run.

        Returns
        -------
        Result
            A result that shares the arrays of the record.
        """
        return cls(**{part.name: getattr(record, part.name) for part in fields(Record) if part.init})

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

    # ---- states ---------------------------------------------------------------------------------

    @check_arguments
    def state(self, t: float | None = None) -> State:
        """Return a stored state, to start from or to linearize about.

        Parameters
        ----------
        t : float, optional
            Time, s; the state nearest to it is returned. By default the end of the run.

        Returns
        -------
        State
            The state.

        Raises
        ------
        fem.InputError
            The time is outside the run, or the result holds no states.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
        >>> result = fb.simulate(fb.System([bar]), t_end=1.0, show_progress=False)
        >>> result.state(0.5).position(bar).round(6).tolist()
        [0.5, 0.0, 0.0]
        """
        times = self.t
        if len(times) == 0:
            raise InputError("this result holds no states")
        if t is not None and not times[0] - 1e-9 <= t <= times[-1] * (1 + 1e-9) + 1e-9:
            raise InputError(f"t = {t} s lies outside the run, {times[0]:.6g} to {times[-1]:.6g} s")
        k = len(times) - 1 if t is None else int(np.argmin(np.abs(times - t)))
        numbers = self.state_at(k)
        switched_on = {name for event in self.events if event.row <= k for name in event.on}
        known = switched_on.union(self.switched_off, *(event.off for event in self.events))
        off = [name for name in known if not is_on(name, len(times), self.events, self.switched_off)[k]]
        return State(
            self.plan,
            numbers,
            undetermined=self.undetermined,
            rank=self.statistics.rank,
            switched_off=tuple(sorted(off)),
            switched_on=tuple(sorted(switched_on)),
        )

    # ---- tables ---------------------------------------------------------------------------------

    @check_arguments
    def table(self, *wanted: Any) -> Table:
        """Return quantities as columns over time, with labels and units.

        Parameters
        ----------
        *wanted
            Each an object or its name, "energy", a method with its arguments such as ``("velocity", arm["tip"])``, or
            own arrays ``{"label": values}``; see :func:`flexbody.results.tables.quantity`.

        Returns
        -------
        Table
            The columns; ``table.save("run.csv")`` writes them.

        Raises
        ------
        fem.InputError
            A quantity is unknown.

        Examples
        --------
        >>> import flexbody as fb
        >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
        >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
        >>> machine = fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=10.0)])
        >>> result = fb.kinematics(machine, t_end=0.1, output_step=0.05, show_progress=False)
        >>> table = result.table(hinge, ("velocity", bar))
        >>> list(table.columns)[:3]
        ['time (s)', 'coordinate hinge (rad)', 'velocity bar x (m/s)']
        """
        return tables.table(self, wanted)

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

    @check_arguments
    def save(self, path: str | os.PathLike) -> None:
        """Write the result with its whole system to an HDF5 file; :func:`flexbody.load_result` reads it.

        Parameters
        ----------
        path : path_like
            The file.

        Raises
        ------
        fem.FileError
            The file cannot be written.
        """
        save_result(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """Return the run as an xarray Dataset: labelled arrays over time, with units.

        Returns
        -------
        xarray.Dataset
            See Notes; it needs the package xarray.

        Notes
        -----
        - bodies: ``position``, ``velocity``, ``acceleration``, ``angular_velocity``, ``angular_acceleration`` (time,
          body, axis), ``euler``, ``alpha_BODY``, ``alpha_dot_BODY`` (time, mode), ``marker_position`` (time, marker,
          axis);
        - joints: ``reaction_force``, ``reaction_moment`` (time, joint, axis), ``angle_JOINT``, ``slide_JOINT``, and
          rates as ``angle_rate_JOINT``;
        - energies: ``energy_kinetic`` and so on;
        - springs and force elements: ``force_NAME``, ``deformation_NAME``, ``rate_NAME``, states by their names
          (``pressure_NAME``), and the loads on the second body ``element_force``, ``element_moment`` (time, element,
          axis);
        - loads: ``load_NAME``.
        """
        return dataset_of(self)


@check_arguments
def load_result(path: str | os.PathLike) -> Result:
    """Read a result and its whole system from a file of :meth:`Result.save` or :func:`simulate`.

    Parameters
    ----------
    path : path_like
        The HDF5 file.

    Returns
    -------
    Result
        The result; all methods work as before.

    Raises
    ------
    fem.FileError
        There is no such file, or it is damaged, of another program, or of another version; or a class of yours that it
        needs is not defined.

    Warns
    -----
    fem.FlexbodyWarning
        The run was cut short or still goes on: ``NAME.unfinished.h5`` holds the states up to a time that the warning
        gives.

    Notes
    -----
    Surfaces of flexible bodies are read when pictures need them. Functions of time are the stored values with
    interpolation between them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
    >>> result = fb.simulate(fb.System([bar]), t_end=1.0, output_step=0.5, show_progress=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(Path(folder, "run.h5"))
    ...     again = fb.load_result(Path(folder, "run.h5"))
    >>> again.position("bar")[:, 0].round(6).tolist()
    [0.0, 0.5, 1.0]
    """
    return Result.of(load_record(path))


@dataclass(frozen=True, eq=False, repr=False)
class State(Instant):
    """Positions, velocities, accelerations and reactions of a machine at one time.

    Its methods are those of :class:`Result`, without the axis of time.

    Attributes
    ----------
    t : float
        Time, s.
    c, q : numpy.ndarray
        Positions of the reference points, (nb, 3), m, and Euler parameters, (nb, 4).
    all_alpha : numpy.ndarray
        Modal coordinates of all bodies, (na,).
    v, vdot : numpy.ndarray
        Generalized velocities and accelerations, (nv,).
    multipliers : numpy.ndarray
        Lagrange multipliers of the constraints, (nr,).
    counted_coordinates : dict
        Angles with all revolutions, and other coordinates that rows and forces use, by joint and coordinate.
    law_states : numpy.ndarray
        States of force laws, (nz,).
    spin, about : numpy.ndarray
        Angular velocity of the whole machine, (3,), rad/s, and a point on its axis, (3,), m; zero at rest.
    indifferent : tuple of str
        Motions that nothing holds at an equilibrium, in words.
    undetermined : tuple of str
        Joints and drives whose reactions are not determined, because constraints are redundant.
    iterations : int
        Iterations of Newton's method.
    switched_off, switched_on : tuple of str
        Joints, drives and forces that are off, and those that an event had switched on.
    result : Result
        The state as a result of one instant, for ``fb.picture``.
    """

    plan: Plan
    numbers: MachineState
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    about: np.ndarray = field(default_factory=lambda: np.zeros(3))
    indifferent: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    iterations: int = 0
    rank: int = 0
    switched_off: tuple[str, ...] = ()
    switched_on: tuple[str, ...] = ()

    def __repr__(self) -> str:
        turning = f", turning at {np.linalg.norm(self.spin):.6g} rad/s" if self.spin.any() else ""
        loose = f", indifferent: {'; '.join(self.indifferent)}" if self.indifferent else ""
        return f"<State at t = {self.t:.6g} s of {len(self.c)} bodies{turning}{loose}>"

    @property
    def system(self) -> System:
        """The machine."""
        return self.plan.system

    @property
    def t(self) -> float:
        """Time, s."""
        return self.numbers.t

    @property
    def c(self) -> np.ndarray:
        """Positions of the reference points, (nb, 3), m."""
        return self.numbers.c

    @property
    def q(self) -> np.ndarray:
        """Euler parameters, (nb, 4)."""
        return self.numbers.q

    @property
    def all_alpha(self) -> np.ndarray:
        """Modal coordinates of all bodies, (na,)."""
        return self.numbers.all_alpha

    @property
    def v(self) -> np.ndarray:
        """Generalized velocities, (nv,)."""
        return self.numbers.v

    @property
    def vdot(self) -> np.ndarray:
        """Generalized accelerations, (nv,)."""
        return self.numbers.vdot

    @property
    def multipliers(self) -> np.ndarray:
        """Multipliers of the constraints, (nr,)."""
        return self.numbers.multipliers

    @property
    def law_states(self) -> np.ndarray:
        """States of force laws, (nz,)."""
        return self.numbers.law_states

    @property
    def counted_coordinates(self) -> dict[tuple[str, str], float]:
        """Angles with all revolutions, and other coordinates that rows and forces use, by joint and coordinate."""
        return dict(zip(self.plan.coordinates, map(float, self.numbers.counted_coordinates), strict=True))

    @cached_property
    def result(self) -> Result:
        """The state as a result of one instant."""
        energy = np.zeros((1, 5))
        found = np.empty(3)
        s = self.numbers
        counted = np.where(
            np.isfinite(s.counted_coordinates), s.counted_coordinates, self.plan.counted_coordinates
        )
        W = self.plan.work(counted)
        W.law_mode = GIVEN
        W.law_state[:] = s.law_states
        self.plan.formulation.observe(self.plan.layout, W, s, found)
        energy[0, :3] = found
        unknowns = self.plan.n_velocities + self.plan.n_rows
        statistics = Statistics(0, 0, self.iterations, 0, 0.0, 0.0, unknowns, self.rank, 0.0, 0.0, False)
        return Result(
            self.plan, np.array([s.t]), s.c[None], s.q[None], s.all_alpha[None], s.v[None], s.vdot[None],
            s.multipliers[None], W.law_state[None].copy(), counted[None], energy, statistics, self.undetermined,
        )  # fmt: skip

    @property
    def instant(self) -> Result:
        """The same as :attr:`result`."""
        return self.result

    @check_arguments
    def state(self, t: float | None = None) -> State:
        """Return this state, whatever the time; a result has a method of this name.

        Parameters
        ----------
        t : float, optional
            Not used.

        Returns
        -------
        State
            This state.
        """
        return self

    @check_arguments(own=("joint",))
    def coordinate(self, joint: Connection | str, which: str | None = None) -> float:
        """Return a joint coordinate, rad or m; arguments as for :meth:`Result.coordinate`.

        Parameters
        ----------
        joint, which
            As for :meth:`Result.coordinate`.

        Returns
        -------
        float
            Value of the coordinate.
        """
        return float(self.instant.coordinate(joint, which)[0])

    @check_arguments(own=("joint",))
    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> float:
        """Return the rate of a joint coordinate, rad/s or m/s; arguments as for :meth:`Result.coordinate`.

        Parameters
        ----------
        joint, which
            As for :meth:`Result.coordinate`.

        Returns
        -------
        float
            Rate of the coordinate.
        """
        return float(self.instant.coordinate_rate(joint, which)[0])
