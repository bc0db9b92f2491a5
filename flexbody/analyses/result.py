"""What a run gives: positions, deformations, reactions, energies, by object or by name; and a machine's state."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..core.kinds import GIVEN
from ..core.readers import observe
from ..equations.state import MachineState
from ..files.load import load_record
from ..files.result_file import save_result
from ..files.to_xarray import dataset_of
from ..model.bodies import Body, FlexibleBody, Ground
from ..model.system import Connection, Force, System
from ..results import (
    displacement,
    energy,
    force_elements,
    joint_coordinates,
    motion,
    reactions,
    stress,
    tables,
)
from ..results.displacement import Ends
from ..results.energy import BodyEnergy, Energy
from ..results.force_elements import ElementHistory
from ..results.instant import Instant
from ..results.motion import Where
from ..results.record import Record, Statistics, Wrench
from ..results.stress import BodyStress
from ..results.tables import Table

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False, repr=False)
class Result(Record):
    """The motion of a system at the stored times.

    ``t`` (nt,) s. The state behind it: ``c`` (nt, nb, 3) positions of the reference points, ``q`` (nt, nb, 4)
    Euler parameters, ``all_alpha`` (nt, na), ``v`` and ``vdot`` (nt, nv) generalized velocities and
    accelerations, ``multipliers`` (nt, nr), ``energies`` (nt, 5). Everything else follows from methods, which
    take bodies, frames and joints by object or by name.
    """

    def __repr__(self) -> str:
        end = f"t = {self.t[-1]:.6g} s" if len(self.t) else "no time"
        bodies, joints = len(self.system.bodies), len(self.system.joints)
        return f"<Result: {len(self.t)} states to {end}, {bodies} bodies, {joints} joints and drives>"

    @classmethod
    def of(cls, record: Record) -> Result:
        """Return a record as a result."""
        return cls(**{part.name: getattr(record, part.name) for part in fields(Record) if part.init})

    @property
    def energy(self) -> Energy:
        """Energies over time and their balance, J."""
        return energy.energy(self)

    # ---- bodies ----------------------------------------------------------------------------------

    def position(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Position of any point, (nt, 3), m: inertial components, from the inertial origin.

        what : a body (its reference point), a named frame ``body["name"]``, a joint (the point on its second body), or
        the name of a body or joint. point : on that body the name of a marker, a point (x, y, z) as drawn that moves
        with it (of a flexible one the nearest point of its surface, to first order), or the number of a node (of a
        body with stress modes); a pair ``(body, point)`` says the same. frame : in whose base the components are: a
        body's, a named frame's, a joint's (which its first body carries). relative_to : a body, a frame or a joint
        (its first frame) from which the motion is seen: the position from its point, and, in :meth:`velocity` and
        :meth:`acceleration`, what an observer sees who moves and turns with it. :meth:`displacement` takes
        the same, and the words "chord", "body" and "drawn".
        """
        return motion.position(self, what, frame, relative_to, point=point)

    def rotation(self, what: Where, relative_to: Where | None = None, *, point: Any = None) -> np.ndarray:
        """Rotation matrices of a body or named frame, (nt, 3, 3), to the inertial base or ``relative_to``'s.

        The identity as drawn; columns are the frame's axes.
        """
        return motion.rotation(self, what, relative_to, point=point)

    def euler(self, body: Body | str) -> np.ndarray:
        """Euler parameters of a body, (nt, 4), Koppens (2.48)."""
        return motion.euler(self, body)

    def velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Velocity of any point, (nt, 3), m/s; arguments as of :meth:`position`."""
        return motion.velocity(self, what, frame, relative_to, point=point)

    def acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Acceleration of any point, (nt, 3), m/s^2; arguments as of :meth:`position`."""
        return motion.acceleration(self, what, frame, relative_to, point=point)

    def angular_velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Angular velocity of a body, or of a named frame with its deformation, (nt, 3), rad/s."""
        return motion.angular_velocity(self, what, frame, relative_to, point=point)

    def angular_acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Angular acceleration of a body, or of a named frame with its deformation, (nt, 3), rad/s^2."""
        return motion.angular_acceleration(self, what, frame, relative_to, point=point)

    def body_energy(self, body: Body | str) -> BodyEnergy:
        """Kinetic, strain and potential energy of one body, (nt,), J."""
        return energy.body_energy(self, body)

    def alpha(self, body: Body | str) -> np.ndarray:
        """Modal coordinates of a flexible body, (nt, N)."""
        return motion.alpha(self, body)

    def alpha_dot(self, body: Body | str) -> np.ndarray:
        """Rates of the modal coordinates of a flexible body, (nt, N)."""
        return motion.alpha_dot(self, body)

    def displacement(
        self,
        what: Where,
        point: Any = None,
        relative_to: Where = "body",
        ends: Ends | None = None,
        frame: Where | None = None,
    ) -> np.ndarray:
        """How far a point has moved, (nt, 3), m: by deformation, or in all; what, point as of :meth:`position`.

        relative_to : "body" gives ``Phi alpha``, with the second order of a stiffened body, in the body's base; it
        depends on the frame of the reduced body. "chord" does not: it is the displacement out of the chord, the moving
        straight line through two points of the body, in the base that the chord carries (its x axis along the
        undeformed chord's direction, turned with the body). ``ends`` gives the two, as ``point``; they may be left out
        if the body was placed by two interfaces. "drawn" gives the whole displacement from where the point is drawn,
        inertial components, of rigid bodies too; a body, named frame or joint (its first frame) gives what an observer
        sees of it who moves and turns with that. frame : another base for the components.
        """
        return displacement.displacement(self, what, point, relative_to, ends, frame)

    def stress(self, body: FlexibleBody | str, at: Any = None, times: Any = None) -> BodyStress:
        """Stresses of a flexible body, by its stress modes; nothing is computed before it is asked for.

        at : the whole surface where not given; the name of a marker (all nodes of its set), a point (x, y, z) as
        drawn, m (the nearest node), or the number of a node. times : all stored ones where not given; s, or a slice
        of the stored ones. Between stored times the modal coordinates follow the cubic of their values and rates.

        ``stress.von_mises`` (nt, k), ``.principal``, ``.principal_axes``, ``.tensors`` (in the body's base),
        ``.peak()`` the largest over the surface with its place. InputError if the body has no stress modes.
        """
        return stress.stress(self, body, at, times)

    # ---- joints ----------------------------------------------------------------------------------

    def reaction(
        self, joint: Connection | str, frame: Where | None = None, *, body: Body | Ground | str | None = None
    ) -> Wrench:
        """Load of the joint's first body on its second, at the second body's joint point.

        Inertial components, or those of the base of a body, named frame or joint (``frame=``). A drive's reaction is
        the driving load; it is not part of its joint's. Where constraints are redundant, the reactions of least norm.

        body : another body that it acts on, or the ground: the load on that one, about its joint's point there. Gears,
        racks, couplers and constraints act on three bodies and more (both wheels of a pair and what carries them);
        without ``body=`` the load is that on the second body of their last joint (the last frame). Where one acts on a
        body at several points (a carrier), it is the sum, about the last of them.
        """
        return reactions.reaction(self, joint, frame, body=body)

    def coordinate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """A joint coordinate over time, (nt,): an angle (rad, continuous over many turns) or a length (m).

        Zero as drawn. Of a drive, the coordinate that it drives. An angle starts between -pi and pi, or where its
        drive, a coupling or the state that the run began with puts it; the run counts its turns, however far apart
        states are stored. ``which`` names the coordinate (see the joint's ``coordinates``), by default the first.
        """
        return joint_coordinates.coordinate(self, joint, which)

    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The rate of a joint coordinate, (nt,), rad/s or m/s; arguments as of :meth:`coordinate`."""
        return joint_coordinates.coordinate_rate(self, joint, which)

    def coordinate_acceleration(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2; arguments as of :meth:`coordinate`."""
        return joint_coordinates.coordinate_acceleration(self, joint, which)

    # ---- states ---------------------------------------------------------------------------------

    def state(self, t: float | None = None) -> State:
        """The stored state at the end of the run, or nearest to time ``t`` (s): to start from or linearise about.

        Raises :class:`fem.InputError` for a time outside the run.
        """
        times = self.t
        if len(times) == 0:
            raise InputError("this result holds no states")
        if t is not None and not times[0] - 1e-9 <= t <= times[-1] * (1 + 1e-9) + 1e-9:
            raise InputError(f"t = {t} s lies outside the run, {times[0]:.6g} to {times[-1]:.6g} s")
        k = len(times) - 1 if t is None else int(np.argmin(np.abs(times - t)))
        numbers = replace(self.state_at(k), revolutions=self.counted[k])
        return State(self.plan, numbers, undetermined=self.undetermined, rank=self.statistics.rank)

    # ---- tables ---------------------------------------------------------------------------------

    def table(self, *wanted: Any) -> Table:
        """Quantities as columns over time, to be read by label or written as CSV (``.save("run.csv")``).

        Each is an object, "energy", a method with its arguments such as ``("velocity", arm["tip"])``, or own arrays
        ``{"label": values}``; see :func:`flexbody.results.tables.quantity`.
        """
        return tables.table(self, wanted)

    # ---- forces ----------------------------------------------------------------------------------

    def element(self, which: Force | str) -> ElementHistory:
        """Forces, deformations, rates, states, energies and loads of a spring or force element over time.

        ``result.element("ram").force``, ``result.element("ram")["pressure"]``: see :class:`ElementHistory`.
        """
        return force_elements.element(self, which)

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to an HDF5 file; see :func:`flexbody.load_result`."""
        save_result(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """Return the run as an xarray Dataset: labelled arrays over time, with units; needs the package xarray.

        ``position``, ``velocity``, ``acceleration``, ``angular_velocity``, ``angular_acceleration`` (time, body,
        axis), ``euler``, ``alpha_BODY``, ``alpha_dot_BODY`` (time, mode), ``marker_position`` (time, marker, axis),
        ``reaction_force``, ``reaction_moment`` (time, joint, axis), ``angle_JOINT``, ``slide_JOINT``,
        ``energy_kinetic`` and its like; of springs and force elements ``force_NAME``, ``deformation_NAME``,
        ``rate_NAME``, states by their names (``pressure_NAME``), ``element_force``, ``element_moment`` (time, element,
        axis), the loads on the second body; ``load_NAME``; rates of joint coordinates as ``angle_rate_JOINT``.
        """
        return dataset_of(self)

    @property
    def counted(self) -> np.ndarray:
        """What ``plan.coordinates`` are over all turns, or near it, (nt, nc)."""
        return joint_coordinates.counted(self)


def load_result(path: str | os.PathLike) -> Result:
    """Read a result that :meth:`Result.save` wrote, with its whole system: every method works as before.

    A run that was cut short, or still goes on, has left ``NAME.unfinished.h5``: its states so far are read from there,
    with a :class:`fem.FlexbodyWarning` that says how far it got.

    Surfaces of flexible bodies are read when they are asked for (pictures). Functions of time are the stored
    values, with interpolation in between. FileError if there is no such file, or it is damaged, foreign, or
    of a newer program.
    """
    return Result.of(load_record(path))


@dataclass(frozen=True, eq=False, repr=False)
class State(Instant):
    """Positions, velocities, accelerations and reactions of a machine at one time ``t``.

    ``c`` (nb, 3), m; ``q`` (nb, 4) Euler parameters; ``all_alpha`` (na,); ``v``, ``vdot`` (nv,); ``multipliers``
    (nr,); ``turns`` angles over all turns, and what else rows and forces use; ``states`` (nz,) of force laws, none:
    where they stay. ``spin`` (3,) rad/s and ``about`` (3,) m: the machine turns so as a whole (else zero);
    ``indifferent``: motions that nothing holds at an equilibrium, in words; ``iterations`` of Newton's method.

    Read it by the methods of a :class:`Result`, with the same words and without the axis of time; ``result`` is that
    result of one instant, to be drawn by ``fb.picture``.
    """

    plan: Plan
    numbers: MachineState
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    about: np.ndarray = field(default_factory=lambda: np.zeros(3))
    indifferent: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    iterations: int = 0
    rank: int = 0

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
        return self.numbers.alpha

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
    def states(self) -> np.ndarray:
        """States of force laws, (nz,); none: where they stay."""
        return self.numbers.law_states

    @property
    def turns(self) -> dict[tuple[str, str], float]:
        """Angles over all turns, and what else rows and forces use, by joint and coordinate."""
        return dict(zip(self.plan.coordinates, map(float, self.numbers.revolutions), strict=True))

    @cached_property
    def result(self) -> Result:
        """This state as a result of one instant."""
        energy = np.zeros((1, 5))
        found = np.empty(3)
        s = self.numbers
        turns = np.where(np.isfinite(s.revolutions), s.revolutions, self.plan.turns)
        W = self.plan.work(turns)
        if s.law_states.size:
            W.law_mode = GIVEN
            W.law_state[:] = s.law_states
        observe(self.plan.layout, W, s.c, s.q, s.alpha, s.v, s.t, found)
        energy[0, :3] = found
        unknowns = self.plan.n_velocities + self.plan.n_rows
        statistics = Statistics(0, 0, self.iterations, 0, 0.0, 0.0, unknowns, self.rank, 0.0, 0.0, False)
        return Result(
            self.plan, np.array([s.t]), s.c[None], s.q[None], s.alpha[None], s.v[None], s.vdot[None],
            s.multipliers[None], energy, statistics, self.undetermined,
            turns[None], W.law_state[None].copy(),
        )  # fmt: skip

    @property
    def instant(self) -> Result:
        """The same as :attr:`result`."""
        return self.result

    def coordinate(self, joint: Connection | str, which: str | None = None) -> float:
        """A joint's coordinate, rad or m."""
        return float(self.result.coordinate(joint, which)[0])

    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> float:
        """The rate of a joint's coordinate, rad/s or m/s."""
        return float(self.result.coordinate_rate(joint, which)[0])
