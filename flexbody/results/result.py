"""What a run gives: positions, deformations, reactions, energies, by object or by name."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import InputError, called, listing

from ..compile.plan import Plan
from ..core.kinds import ROTATION
from ..model.bodies import Body, BodyFrame, FlexibleBody, Ground, RigidBody
from ..model.joints import Joint
from ..model.system import Connection, Force, System, measured
from ..rotation import matrices
from .displacement import Ends, displacement, eye_of
from .energy import Energy
from .force_elements import ElementHistory, histories
from .joint_coordinates import coordinate_jet, over_turns
from .motion import (
    BodyEnergy,
    Motion,
    Where,
    body_energies,
    frames_over_time,
    motion_of,
    resolved,
)
from .reactions import Wrenches, multipliers_of, wrench_on, wrenches
from .stress import BodyStress, stress_of
from .tables import Table, table

if TYPE_CHECKING:
    import xarray

    from .state import State


@dataclass(frozen=True)
class Statistics:
    """What a run cost. Times in s of processor time; ``loop_seconds`` is the compiled time loop alone.

    ``method`` : the integrator, and ``why`` it was taken (empty in files of earlier programs).
    """

    steps: int
    rejected: int
    iterations: int
    factorisations: int
    loop_seconds: float
    cpu_seconds: float
    unknowns: int
    rank: int
    velocity_correction: float
    position_correction: float
    interrupted: bool
    method: str = ""
    why: str = ""


@dataclass(frozen=True, eq=False)
class Wrench:
    """A load over time: force (nt, 3), N, and moment (nt, 3), Nm, about the point where it acts."""

    force: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The motion of a system at the stored times.

    ``t`` (nt,) s. The state behind it: ``c`` (nt, nb, 3) positions of the reference points, ``q`` (nt, nb, 4)
    Euler parameters, ``all_alpha`` (nt, na), ``v`` and ``vdot`` (nt, nv) generalized velocities and
    accelerations, ``multipliers`` (nt, nr), ``energies`` (nt, 5). Everything else follows from methods, which
    take bodies, frames and joints by object or by name.
    """

    plan: Plan
    t: np.ndarray
    c: np.ndarray
    q: np.ndarray
    all_alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    energies: np.ndarray
    statistics: Statistics
    undetermined: tuple[str, ...] = ()
    turns: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0))
    )  # (nt, nc) near what plan.coordinates are over all turns; of earlier programs at the start only, (1, nc)
    states: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # of force laws, (nt, nz)

    def __repr__(self) -> str:
        end = f"t = {self.t[-1]:.6g} s" if len(self.t) else "no time"
        bodies, joints = len(self.system.bodies), len(self.system.joints)
        return f"<Result: {len(self.t)} states to {end}, {bodies} bodies, {joints} joints and drives>"

    @property
    def system(self) -> System:
        """The system that was simulated."""
        return self.plan.system

    @property
    def energy(self) -> Energy:
        """Energies over time and their balance, J."""
        L = self.plan.layout
        weight = float(L.body_mass.sum() * np.linalg.norm(L.gravity))
        kinetic, strain, potential, dissipated, given = self.energies.T
        resolution = 1e-14 * weight * float(L.length)
        return Energy(kinetic, strain, potential, dissipated, given, resolution)

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
        return resolved(self, self._seen(what, relative_to, point).r, frame)

    def rotation(self, what: Where, relative_to: Where | None = None, *, point: Any = None) -> np.ndarray:
        """Rotation matrices of a body or named frame, (nt, 3, 3), to the inertial base or ``relative_to``'s.

        The identity as drawn; columns are the frame's axes.
        """
        if isinstance(what, str | RigidBody | FlexibleBody) and relative_to is None and point is None:
            name = what if isinstance(what, str) else what.name
            if name in self.plan.body_index:
                return self._Q[:, self._index(what)]
        return self._seen(what, relative_to, point).R

    def euler(self, body: Body | str) -> np.ndarray:
        """Euler parameters of a body, (nt, 4), Koppens (2.48)."""
        return self.q[:, self._index(body)]

    def velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Velocity of any point, (nt, 3), m/s; arguments as of :meth:`position`."""
        return resolved(self, self._seen(what, relative_to, point).v, frame)

    def acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Acceleration of any point, (nt, 3), m/s^2; arguments as of :meth:`position`."""
        return resolved(self, self._seen(what, relative_to, point).a, frame)

    def angular_velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Angular velocity of a body, or of a named frame with its deformation, (nt, 3), rad/s."""
        return resolved(self, self._seen(what, relative_to, point).w, frame)

    def angular_acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None, *, point: Any = None
    ) -> np.ndarray:
        """Angular acceleration of a body, or of a named frame with its deformation, (nt, 3), rad/s^2."""
        return resolved(self, self._seen(what, relative_to, point).b, frame)

    def body_energy(self, body: Body | str) -> BodyEnergy:
        """Kinetic, strain and potential energy of one body, (nt,), J."""
        return BodyEnergy(*self._body_energies[:, self._index(body)].T)

    def alpha(self, body: Body | str) -> np.ndarray:
        """Modal coordinates of a flexible body, (nt, N)."""
        at, b = self.plan.layout.alpha_at, self._index(body)
        return self.all_alpha[:, at[b] : at[b + 1]]

    def alpha_dot(self, body: Body | str) -> np.ndarray:
        """Rates of the modal coordinates of a flexible body, (nt, N)."""
        at, b = self.plan.layout.v_at, self._index(body)
        return self.v[:, at[b] + 6 : at[b + 1]]

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
        return displacement(self, self._place(what, point), relative_to, ends, frame)

    def stress(self, body: FlexibleBody | str, at: Any = None, times: Any = None) -> BodyStress:
        """Stresses of a flexible body, by its stress modes; nothing is computed before it is asked for.

        at : the whole surface where not given; the name of a marker (all nodes of its set), a point (x, y, z) as
        drawn, m (the nearest node), or the number of a node. times : all stored ones where not given; s, or a slice
        of the stored ones. Between stored times the modal coordinates follow the cubic of their values and rates.

        ``stress.von_mises`` (nt, k), ``.principal``, ``.principal_axes``, ``.tensors`` (in the body's base),
        ``.peak()`` the largest over the surface with its place. InputError if the body has no stress modes.
        """
        return stress_of(self, self._flexible(body), at, times)

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
        connection = self.system.joint(joint)
        if body is None:
            force, moment = self._wrenches[connection.name]
        else:
            name = body if isinstance(body, str) else getattr(body, "name", called(body))
            force, moment = wrench_on(self, connection.name, name)
        return Wrench(resolved(self, force, frame), resolved(self, moment, frame))

    def coordinate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """A joint coordinate over time, (nt,): an angle (rad, continuous over many turns) or a length (m).

        Zero as drawn. Of a drive, the coordinate that it drives. An angle starts between -pi and pi, or where its
        drive, a coupling or the state that the run began with puts it; the run counts its turns, however far apart
        states are stored. ``which`` names the coordinate (see the joint's ``coordinates``), by default the first.
        """
        found, which = self._measured(joint, which)
        i, j = self.plan.frames[found.name]
        coordinate = found.coordinates[which]
        R, r, w = self._frames
        value = coordinate.value(R[:, i], r[:, i], R[:, j], r[:, j])
        if not coordinate.turns:
            return value - found.reference(which, self.system.bodies_by_name())
        if coordinate.kind != ROTATION or not len(value):
            return value
        rate = lambda: coordinate.turning(R[:, i], R[:, j], w[:, j] - w[:, i])  # noqa: E731
        return over_turns(self, found, which, value, rate)

    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The rate of a joint coordinate, (nt,), rad/s or m/s; arguments as of :meth:`coordinate`."""
        return coordinate_jet(self, *self._measured(joint, which)).rate

    def coordinate_acceleration(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2; arguments as of :meth:`coordinate`."""
        return coordinate_jet(self, *self._measured(joint, which)).acceleration

    def _measured(self, joint: Connection | str, which: str | None) -> tuple[Joint, str]:
        """Return the joint and the name of the coordinate that are meant; InputError where there is none."""
        return measured(self.system, joint, which)

    # ---- states ---------------------------------------------------------------------------------

    def state(self, t: float | None = None) -> State:
        """The stored state at the end of the run, or nearest to time ``t`` (s): to start from or linearise about."""
        from .state import state_of

        return state_of(self, t)

    # ---- tables ---------------------------------------------------------------------------------

    def table(self, *wanted: Any) -> Table:
        """Quantities as columns over time, to be read by label or written as CSV (``.save("run.csv")``).

        Each is an object, "energy", a method with its arguments such as ``("velocity", arm["tip"])``, or own arrays
        ``{"label": values}``; see :func:`flexbody.results.tables.quantity`.
        """
        return table(self, wanted)

    # ---- forces ----------------------------------------------------------------------------------

    def element(self, which: Force | str) -> ElementHistory:
        """Forces, deformations, rates, states, energies and loads of a spring or force element over time.

        ``result.element("ram").force``, ``result.element("ram")["pressure"]``: see :class:`ElementHistory`.
        """
        name = which if isinstance(which, str) else getattr(which, "name", None)
        if name not in self._histories:
            asked = called(which) if name is None else repr(name)
            raise InputError(
                f"this system has no spring or force element {asked}; it has {listing(self._histories)}"
            )
        return self._histories[name]

    @cached_property
    def _histories(self) -> dict[str, ElementHistory]:
        return histories(self)

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to an HDF5 file; see :func:`flexbody.load_result`."""
        from ..files.result_file import save_result

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
        from ..files.to_xarray import dataset_of

        return dataset_of(self)

    def _index(self, body: Body | str) -> int:
        return self.plan.body_index[self.system.body(body).name]

    def _flexible(self, body: Body | str) -> FlexibleBody:
        found = self.system.body(body)
        if isinstance(found, RigidBody):
            raise InputError(f"body '{found.name}' is rigid; only flexible bodies deform")
        return found

    def _place(self, what: Where, point: Any) -> Where:
        """Return what is meant by ``what`` and ``point``."""
        if point is None:
            return what
        if isinstance(what, BodyFrame | tuple) or (
            isinstance(what, str) and what not in self.plan.body_index
        ):
            raise InputError(
                f"point={point!r} is a point of a body, and {called(what)} is none; give one of them"
            )
        return (what, point)

    def _seen(self, what: Where, relative_to: Where | None, point: Any = None) -> Motion:
        """Return the motion of a frame, seen from the inertial base or from another frame (of a joint its first)."""
        found = motion_of(self, self._place(what, point))
        if relative_to is None:
            return found
        return found.seen_from(motion_of(self, eye_of(self, relative_to), base=True))

    @cached_property
    def _multipliers(self) -> np.ndarray:
        return multipliers_of(self)

    @cached_property
    def counted(self) -> np.ndarray:
        """What ``plan.coordinates`` are over all turns, or near it, (nt, nc)."""
        if len(self.turns) == len(self.t):
            return self.turns
        found = np.array([self.coordinate(*key) for key in self.plan.coordinates])
        return found.reshape(-1, len(self.t)).T

    @cached_property
    def _motions(self) -> dict:
        """The motions that have been asked for."""
        return {}

    @cached_property
    def _stages(self) -> dict:
        """Frames laid out for reading; kept for results of one instant, which share them."""
        return {}

    @cached_property
    def _body_energies(self) -> np.ndarray:
        return body_energies(self)

    @cached_property
    def _Q(self) -> np.ndarray:
        return matrices(self.q)

    @cached_property
    def _frames(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axes (nt, nf, 3, 3), positions and angular velocities (nt, nf, 3) of all joint frames."""
        R, r, _, w, _, _ = frames_over_time(self, self.plan.layout, self.plan.work())
        return R, r, w

    @cached_property
    def _wrenches(self) -> Wrenches:
        """Force and moment (nt, 3) of every joint and drive on its second body."""
        return wrenches(self)
