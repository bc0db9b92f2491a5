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
from ..model.system import Connection, System
from ..results.history import History
from ..results.instant import Instant
from ..results.occurrences import is_on
from ..results.record import Record, Statistics
from ..results.tables import Table, table

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False, repr=False)
class Result(History):
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
        return state_of_row(self, len(times) - 1 if t is None else int(np.argmin(np.abs(times - t))))

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
        return table(self, wanted)

    @check_arguments
    def save(self, path: str | os.PathLike) -> None:
        """Write the result with its whole system to an HDF5 file; :func:`flexbody.load_result` reads it.

        Parameters
        ----------
        path : path_like
            The file, ``.h5`` or ``.hdf5``.

        Raises
        ------
        fem.InputError
            The file has another ending.
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
    interpolation between them, and have the corners and jumps that the run knew.

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
        bodies = "1 body" if len(self.c) == 1 else f"{len(self.c)} bodies"
        return f"<State at t = {self.t:.6g} s of {bodies}{turning}{loose}>"

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
            switched_off=self.switched_off,
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


def state_of_row(result: Result, k: int) -> State:
    """Return the stored state number ``k`` of a run, with what is on and off there.

    Parameters
    ----------
    result : Result
        The run.
    k : int
        Number of the stored state.

    Returns
    -------
    State
        The state.
    """
    events = result.events
    switched_on = {name for event in events if event.row <= k for name in event.on}
    known = switched_on.union(result.switched_off, *(event.off for event in events))
    off = [name for name in known if not is_on(name, len(result.t), events, result.switched_off)[k]]
    return State(
        result.plan,
        result.state_at(k),
        undetermined=result.undetermined,
        rank=result.statistics.rank,
        switched_off=tuple(sorted(off)),
        switched_on=tuple(sorted(switched_on)),
    )
