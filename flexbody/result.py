"""What a run gives: positions, deformations, reactions, energies, by object or by name."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, listing

from .bodies import Body, FlexibleBody, RigidBody
from .energy import Energy
from .forces.history import ElementHistory, histories
from .joint_motion import coordinate_jet, first_angle, heed_turns
from .joints import Joint
from .kernels.arrays import ROTATION
from .layout import Plan
from .motion import (
    BodyEnergy,
    Motion,
    Where,
    body_energies,
    frame_of,
    frames_over_time,
    motion_of,
    out_of_chord,
    resolved,
)
from .quantities import Table, table
from .reactions import Wrenches, wrenches
from .rotation import matrices
from .stress import BodyStress, stress_of
from .system import Connection, Force, System, measured

if TYPE_CHECKING:
    import xarray


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
        default_factory=lambda: np.zeros(0)
    )  # plan.coordinates at the start, over all turns
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
        resolution = 1e-14 * weight * float(L.length[0])
        return Energy(kinetic, strain, potential, dissipated, given, resolution)

    # ---- bodies ----------------------------------------------------------------------------------

    def position(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Position of any point, (nt, 3), m: inertial components, from the inertial origin.

        what : a body (its reference point), a named frame ``body["name"]``, a joint (the point on its second body),
        the name of a body or joint, or a pair ``(body, "name")`` or ``(body, (x, y, z))``, a point as drawn that moves
        with the body (of a flexible one the nearest point of its surface, to first order). frame : in whose base the
        components are: a body's, a named frame's, a joint's (which its first body carries). relative_to : a body,
        frame or joint from which the motion is seen: the position from its point, and, in :meth:`velocity` and
        :meth:`acceleration`, what an observer sees who moves and turns with it.
        """
        return resolved(self, self._seen(what, relative_to).r, frame)

    def rotation(self, what: Where, relative_to: Where | None = None) -> np.ndarray:
        """Rotation matrices of a body or named frame, (nt, 3, 3), to the inertial base or ``relative_to``'s.

        The identity as drawn; columns are the frame's axes.
        """
        if isinstance(what, str | RigidBody | FlexibleBody) and relative_to is None:
            name = what if isinstance(what, str) else what.name
            if name in self.plan.body_index:
                return self._Q[:, self._index(what)]
        return self._seen(what, relative_to).R

    def euler(self, body: Body | str) -> np.ndarray:
        """Euler parameters of a body, (nt, 4), Koppens (2.48)."""
        return self.q[:, self._index(body)]

    def velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Velocity of any point, (nt, 3), m/s; arguments as of :meth:`position`."""
        return resolved(self, self._seen(what, relative_to).v, frame)

    def acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Acceleration of any point, (nt, 3), m/s^2; arguments as of :meth:`position`."""
        return resolved(self, self._seen(what, relative_to).a, frame)

    def angular_velocity(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Angular velocity of a body, or of a named frame with its deformation, (nt, 3), rad/s."""
        return resolved(self, self._seen(what, relative_to).w, frame)

    def angular_acceleration(
        self, what: Where, frame: Where | None = None, relative_to: Where | None = None
    ) -> np.ndarray:
        """Angular acceleration of a body, or of a named frame with its deformation, (nt, 3), rad/s^2."""
        return resolved(self, self._seen(what, relative_to).b, frame)

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
        body: Body | str,
        marker: str | ArrayLike,
        relative_to: str = "body",
        ends: tuple[str, str] | None = None,
    ) -> np.ndarray:
        """Displacement due to deformation of a named marker, (nt, 3), m; or its whole displacement.

        relative_to : "drawn" gives the whole displacement from where the point is drawn, inertial components, of
        rigid bodies too; the marker may then be a point (x, y, z) as drawn. "body" gives ``Phi alpha``, with the second
        order of a stiffened body, in the body's base; it depends on the frame of the reduced body. "chord" does not:
        it is the displacement out of the chord, the moving straight line through two markers, in the base that the
        chord carries (its x axis along the undeformed chord's direction, turned with the body). ``ends`` names the
        two; they may be left out if the body was placed by two interfaces.
        """
        if relative_to == "drawn":
            found = self.system.body(body)
            drawn = found.start + frame_of(self.system, (found, marker)).x
            return self.position((found, marker)) - drawn
        flexible = self._flexible(body)
        if not isinstance(marker, str):
            raise InputError(
                f"displacement of the point {marker!r}: give relative_to='drawn', or a marker's name"
            )
        if relative_to == "body":
            return self._moved(flexible, marker)
        if relative_to != "chord":
            raise InputError(f"relative_to is {relative_to!r}; it is 'body', 'chord' or 'drawn'")
        names = self._chord_ends(flexible, ends)
        drawn = [flexible[n].body.marker(n)[0] for n in (marker, *names)]
        point, start, end = (
            x + self._moved(flexible, n) for x, n in zip(drawn, (marker, *names), strict=True)
        )
        return out_of_chord(point, start, end, *drawn)

    def stress(self, body: FlexibleBody | str, at: Any = None, times: Any = None) -> BodyStress:
        """Stresses of a flexible body, by its stress modes; nothing is computed before it is asked for.

        at : the whole surface where not given; the name of a marker (all nodes of its set), a point (x, y, z) as
        drawn, m (the nearest node), or the number of a node. times : all stored ones where not given; s, or a slice
        of the stored ones. Between stored times the modal coordinates follow the cubic of their values and rates.

        ``stress.von_mises`` (nt, k), ``.principal``, ``.principal_axes``, ``.tensors`` (in the body's base),
        ``.peak()`` the largest over the surface with its place. InputError if the body has no stress modes.
        """
        return stress_of(self, self._flexible(body), at, times)

    def _moved(self, body: Body, name: str) -> np.ndarray:
        """Displacement of a named frame by deformation, body's base, (nt, 3), m."""
        body[name]  # raises with the names that exist
        Phi, G = body.marker(name)[1], body.second_order(name)
        if isinstance(body, RigidBody):
            return np.zeros((len(self.t), 3))
        alpha = self.alpha(body)
        out = alpha @ Phi.T
        return out if G is None else out + 0.5 * np.einsum("ti,kij,tj->tk", alpha, G[:3], alpha)

    def _chord_ends(self, body: FlexibleBody, ends: tuple[str, str] | None) -> tuple[str, str]:
        if ends is None and body.place is not None and len(body.place) == 2:
            first, second = body.place
            return first, second
        if ends is None or len(ends) != 2:
            raise InputError(
                f"the chord of body '{body.name}' needs ends=(a, b), two of {listing(body.reduced.markers)}"
            )
        return ends

    # ---- joints ----------------------------------------------------------------------------------

    def reaction(self, joint: Connection | str, frame: Where | None = None) -> Wrench:
        """Load of the joint's first body on its second, at the second body's joint point.

        Inertial components, or those of the base of a body, named frame or joint (``frame=``). A drive's reaction is
        the driving load; it is not part of its joint's. Where constraints are redundant, the reactions of least norm.
        """
        connection = self.system.joint(joint)
        force, moment = self._wrenches[connection.name]
        return Wrench(resolved(self, force, frame), resolved(self, moment, frame))

    def coordinate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """A joint coordinate over time, (nt,): an angle (rad, continuous over many turns) or a length (m).

        Zero as drawn. Of a drive, the coordinate that it drives. An angle starts between -pi and pi, or where its
        drive, a coupling or the state that the run began with puts it; turns between stored times are counted by the
        angular velocity. ``which`` names the coordinate (see the joint's ``coordinates``), by default the first.
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
        rate = coordinate.turning(R[:, i], R[:, j], w[:, j] - w[:, i])
        expected = 0.5 * np.diff(self.t) * (rate[1:] + rate[:-1])
        heed_turns(found.label, self.t, rate)
        turns = np.rint((expected - np.diff(value)) / (2 * np.pi))
        first = np.rint((first_angle(self, found.name, which) - value[:1]) / (2 * np.pi))
        return value + 2 * np.pi * np.cumsum(np.concatenate([first, turns]))

    def coordinate_rate(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The rate of a joint coordinate, (nt,), rad/s or m/s; arguments as of :meth:`coordinate`."""
        return coordinate_jet(self, *self._measured(joint, which)).rate

    def coordinate_acceleration(self, joint: Connection | str, which: str | None = None) -> np.ndarray:
        """The acceleration of a joint coordinate, (nt,), rad/s^2 or m/s^2; arguments as of :meth:`coordinate`."""
        return coordinate_jet(self, *self._measured(joint, which)).acceleration

    def _measured(self, joint: Connection | str, which: str | None) -> tuple[Joint, str]:
        """Return the joint and the name of the coordinate that are meant; InputError where there is none."""
        return measured(self.system, joint, which)

    # ---- tables ---------------------------------------------------------------------------------

    def table(self, *wanted: Any) -> Table:
        """Quantities as columns over time, to be read by label or written as CSV (``.save("run.csv")``).

        Each is an object, "energy", a method with its arguments such as ``("velocity", arm["tip"])``, or own arrays
        ``{"label": values}``; see :func:`flexbody.quantities.quantity`.
        """
        return table(self, wanted)

    # ---- forces ----------------------------------------------------------------------------------

    def element(self, which: Force | str) -> ElementHistory:
        """Forces, deformations, rates, states, energies and loads of a spring or force element over time.

        ``result.element("ram").force``, ``result.element("ram")["pressure"]``: see :class:`ElementHistory`.
        """
        name = which if isinstance(which, str) else which.name
        if name not in self._histories:
            raise InputError(
                f"this system has no spring or force element {name!r}; it has {listing(self._histories)}"
            )
        return self._histories[name]

    @cached_property
    def _histories(self) -> dict[str, ElementHistory]:
        return histories(self)

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to an HDF5 file; see :func:`flexbody.load_result`."""
        from .store import save_result

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
        from .dataset import dataset_of

        return dataset_of(self)

    def _index(self, body: Body | str) -> int:
        return self.plan.body_index[self.system.body(body).name]

    def _flexible(self, body: Body | str) -> FlexibleBody:
        found = self.system.body(body)
        if isinstance(found, RigidBody):
            raise InputError(f"body '{found.name}' is rigid; only flexible bodies deform")
        return found

    def _seen(self, what: Where, relative_to: Where | None) -> Motion:
        """Return the motion of a frame, seen from the inertial base or from another frame."""
        found = motion_of(self, what)
        return found if relative_to is None else found.seen_from(motion_of(self, relative_to))

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
