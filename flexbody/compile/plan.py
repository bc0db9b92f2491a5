"""Compilation of a system to flat arrays; this module knows their offsets.

State vectors: ``c`` (nb, 3), ``q`` (nb, 4) Euler parameters, ``alpha`` (na,) of all bodies one after the other;
``v`` (nv,) contains dc/dt (inertial), ``omega`` (body components) and dalpha/dt of each body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fem.common.compiled import library
from fem.common.errors import InputError
from fem.common.structures import Mould

from ..core.kinds import EXPECTED, LAST_ANGLE
from ..core.structures import Layout, Work
from ..formulations import Absolute, Description, Formulation, Relative
from ..formulations.relative import BoundRelative
from ..functions.budget import Budget
from ..functions.load_corners import corners_of_load
from ..functions.prescribed_motion import Prescribed
from ..functions.pulses import Pulses, find_pulses, noticed
from ..functions.time_law import NO_LAW, Law
from ..model.forces import Element, Load
from ..model.forces.tooth_separation import ToothSeparation, teeth_of
from ..model.forces.user_controller import UserControlPointer
from ..model.forces.user_function import BesideJumps
from ..model.forces.user_law import UserPointer
from ..model.joints import Joint
from ..model.joints.recorded_rows import Slipping
from ..model.sides import Body, FrameData
from ..model.slip_element import SlipElement
from ..model.system import Connection, System
from .following import Shapes
from .force_elements import Elements, element_arrays
from .frames import frame_arrays as frame_arrays
from .massless import massless_arrays
from .networks import massless_numbers, network_arrays
from .offsets import offsets
from .rows import Coordinates, Rows, row_arrays, row_places, slices
from .trees import Trees
from .work_arrays import work_mould

#: So many pulses are kept: of a run, its pilot run, the methods that it tries, and for steps of other sizes.
KEPT_PULSES = 16


@dataclass(frozen=True, eq=False)
class Plan:
    """The flat arrays of a system, and the positions of its bodies, joints and forces in them."""

    system: System
    layout: Layout
    laws: tuple[Law, ...]  # kept because the layout contains their addresses
    rows: dict[str, slice]  # constraint rows of each joint and drive
    frames: dict[str, tuple[int, ...]]  # frames of each joint, drive, force element
    body_index: dict[str, int]
    coordinates: tuple[
        tuple[str, str], ...
    ]  # joint and name of each joint coordinate that rows or forces use, then of the other joint angles
    used: int  # number of coordinates that rows or forces use
    counted_coordinates: (
        np.ndarray
    )  # (nc,) initial values of ``coordinates``, near which angles are determined
    tapes: dict[
        str, list[tuple[np.ndarray, np.ndarray]]
    ]  # operations of user constraints in the drawn configuration, by name
    elements: Elements
    teeth: dict[str, ToothSeparation]  # of each gear and rack, by name
    trees: Trees  # makes trees, see Formulation.bound
    t_end: float  # of functions of time, s
    formulation: Formulation = field(default_factory=Absolute)

    def __repr__(self) -> str:
        return f"<Plan of {self.system!r}: {self.n_velocities} velocities, {self.n_rows} constraint rows>"

    def pulses(self, start: float, end: float, max_step: float) -> Pulses:
        """Return where functions of time begin to change in a run with steps of at most ``max_step``; times in s."""
        for (begin, stop, longest), known in self._pulses.items():
            if begin <= start and stop == end and longest == noticed(max_step, begin, end):
                return known  # (a run that goes on from the middle of another)
        start = min((begin for begin, stop in self._runs if begin <= start and stop == end), default=start)
        max_step = noticed(max_step, start, end)
        if len(self._pulses) >= KEPT_PULSES:
            self._pulses.pop(next(iter(self._pulses)))
        self._pulses[start, end, max_step] = find_pulses(self.laws, self._users, start, end, max_step)
        return self._pulses[start, end, max_step]

    def reach_of(self, pairs: np.ndarray) -> np.ndarray:
        """Return the range (n,) of functions of time in the latest run for which pulses were looked for.

        Parameters
        ----------
        pairs : numpy.ndarray
            Addresses of the functions and of their contexts, (n, 2).

        Returns
        -------
        numpy.ndarray
            The ranges, (n,), the sums over all numbers; 0 if not known.
        """
        known = {law.pair: law.reach for law in self.laws}
        return np.array([known.get((int(law), int(context)), 0.0) for law, context in pairs])

    def look_for_corners(self, first: float, last: float) -> None:
        """Look for jumps and corners of loads between two times, s; ``law.corners`` are those that were found."""
        budget = Budget()
        for law in self.laws:
            if not law.seeks:
                continue
            with budget.of(law.ahead):
                law.look_for_corners(first, last, corners_of_load)
        for user in self._users:
            with budget.of(user.ahead):
                user.look_for_corners(first, last)

    def share(self, other: Plan) -> None:
        """Take what another plan, which may be of a part of the machine, has found in the same functions of users."""
        laws, users = {law.what: law for law in other.laws}, {user.what: user for user in other._users}
        for law in self.laws:
            if law.what in laws:
                law.share(laws[law.what])
        for user in self._users:
            if user.what in users:
                user.share(users[user.what])
        self._runs.update(other._runs, {(begin, end) for begin, end, _ in other._pulses})

    @property
    def with_corners(self) -> tuple[Law | BesideJumps, ...]:
        """The laws whose ``corners`` are known after :meth:`look_for_corners`."""
        return (*self.laws, *self._users)

    @cached_property
    def _users(self) -> tuple[UserPointer | UserControlPointer, ...]:
        """The laws of users that depend on time and motion."""
        return tuple(p for p in self.elements.pointers if isinstance(p, UserPointer | UserControlPointer))

    @cached_property
    def _pulses(self) -> dict[tuple[float, float, float], Pulses]:
        """The latest pulses."""
        return {}

    @cached_property
    def _runs(self) -> set[tuple[float, float]]:
        """Begin and end of runs of the same functions for which pulses were looked for by other plans, s."""
        return set()

    @cached_property
    def massless_index(self) -> dict[str, int]:
        """The number of each massless body by its name."""
        return massless_numbers(self.elements.elements, self.body_index)

    def with_frames(self, frames: list[FrameData]) -> Plan:
        """Return the plan with a layout that has these frames alone; its rows and forces have none."""
        parts = frame_arrays(frames, self.body_index, self.massless_index)
        return replace(self, layout=self.layout.replaced(**parts))

    @cached_property
    def relative(self) -> BoundRelative:
        """The relative description of the machine, with the tree of :func:`flexbody.topology`."""
        return Relative().bound(self.trees)

    @property
    def n_rows(self) -> int:
        """Number of constraint rows."""
        return len(self.layout.row_kind)

    @property
    def n_velocities(self) -> int:
        """Number of generalized velocities."""
        return int(self.layout.v_at[-1])

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""
        return len(self.layout.body_mass)

    @property
    def n_modes(self) -> int:
        """Number of modal coordinates of all bodies."""
        return int(self.layout.alpha_at[-1])

    @cached_property
    def _velocities(self) -> list[slice]:
        return slices(self.layout.v_at)

    @cached_property
    def _modal(self) -> list[slice]:
        return slices(self.layout.alpha_at)

    def velocities(self, b: int) -> slice:
        """Return the entries of body ``b`` in a generalized vector (nv,): translation, rotation, modal coordinates."""
        return self._velocities[b]

    def translation(self, b: int) -> slice:
        """Return the entries of the translation of body ``b`` in a generalized vector (nv,)."""
        first = self._velocities[b].start
        return slice(first, first + 3)

    def rotation(self, b: int) -> slice:
        """Return the entries of the rotation of body ``b`` in a generalized vector (nv,)."""
        first = self._velocities[b].start
        return slice(first + 3, first + 6)

    def rigid(self, b: int) -> slice:
        """Return the entries of translation and rotation of body ``b`` in a generalized vector (nv,)."""
        first = self._velocities[b].start
        return slice(first, first + 6)

    def modal_velocities(self, b: int) -> slice:
        """Return the entries of the modal coordinates of body ``b`` in a generalized vector (nv,)."""
        whole = self._velocities[b]
        return slice(whole.start + 6, whole.stop)

    def modal(self, b: int) -> slice:
        """Return the entries of body ``b`` in the modal coordinates (na,) of all bodies."""
        return self._modal[b]

    def turn_translations(self, Q: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return generalized vectors (nv,) or (nv, k) with the translation of each body turned by ``Q`` (nb, 3, 3)."""
        out, at = x.copy(), self.layout.v_at[:-1, None] + np.arange(3)
        given = x[at]
        out[at] = (Q @ given.reshape(*at.shape, -1)).reshape(given.shape)
        return out

    def coefficient(self, which: int, b: int) -> np.ndarray:
        """Return the coefficient C8, K or D of body ``b``, (N, N)."""
        L = self.layout
        at, n = int(L.coefficient_at[b, which]), int(L.body_modes[b])
        return L.coefficients[at : at + n * n].reshape(n, n)

    def frame_modes(self, W: Work, f: int) -> np.ndarray:
        """Return displacement and rotation of frame ``f`` in each mode of its body as ``W`` stands, (6, N)."""
        at = self.layout.frame_at
        return W.frame_rows[at[f] : at[f + 1]].reshape(
            6, int(self.layout.body_modes[self.layout.frame_body[f]])
        )

    def row_parts(self, k: int) -> range:
        """Return the parts of the coupling that row ``k`` constrains, rows of ``layout.part``."""
        at = self.layout.row_part_at
        return range(at[k], at[k + 1])

    def row_legs(self, k: int) -> np.ndarray:
        """Return the legs of row ``k``, entries of ``layout.leg_frame`` and rows of ``Work.leg_slope``."""
        at = self.layout.row_leg_at
        return np.arange(at[k], at[k + 1])

    @property
    def relations(self) -> list[tuple[Connection, Prescribed]]:
        """Drives, couplings and driven rods with their prescribed motion, in the order of the layout."""
        return [(item, item.prescribed) for item in self.system.joints if item.prescribed is not None]

    def prescribed(self, t: float) -> list[float]:
        """Return the values of drives, couplings and driven rods at time ``t`` (s), in the order of the layout."""
        laws = {law.what: law for law in self.laws}
        out = []
        for item, motion in self.relations:
            value, rate = motion.constants()
            out.append(laws[item.label](t)[0] if item.label in laws else value + rate * t)
        return out

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Row and column in the Jacobian (deformations after the rows) of each entry of ``Work.G``."""
        L = self.layout
        body = np.repeat(np.arange(self.n_bodies), np.diff(L.body_row_at))  # of each pair of a row and a body
        size = np.diff(L.v_at)[body]
        inside = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        return np.repeat(L.elimination[L.body_row], size), np.repeat(L.v_at[body], size) + inside

    @cached_property
    def row_pattern(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Entries of ``Work.G`` in the Jacobian of the rows, their columns, and the first entry of each row."""
        row, column = self.pattern
        order = np.lexsort((column, row))[: int(np.sum(row < self.n_rows))]
        first = np.searchsorted(row[order], np.arange(self.n_rows + 1))
        return order, column[order].astype(np.int32), first.astype(np.int32)

    @cached_property
    def _row_labels(self) -> list[str]:
        labels = [""] * self.n_rows
        for joint in self.system.joints:
            rows = self.rows[joint.name]
            labels[rows] = [joint.label] * (rows.stop - rows.start)
        return labels

    def row_owner(self, k: int) -> str:
        """Return the label of the joint or drive that row ``k`` belongs to."""
        return self._row_labels[k]

    def row_owners(self, rows: np.ndarray) -> tuple[str, ...]:
        """Return the labels of the joints and drives that rows of these numbers belong to, each once."""
        return tuple(dict.fromkeys(self._row_labels[k] for k in rows))

    def work(self, counted_coordinates: np.ndarray | None = None) -> Work:
        """Return new working arrays for the compiled core, with angles near ``counted_coordinates`` (nc,)."""
        W = self._mould.cast()
        near = self.counted_coordinates if counted_coordinates is None else counted_coordinates
        W.revolutions[:, [EXPECTED, LAST_ANGLE]] = np.asarray(near)[:, None]
        return W

    @cached_property
    def _mould(self) -> Mould:
        """Working arrays as they are at first."""
        states, signals = self.elements.starts(), self.elements.signals.size
        return work_mould(self.layout, states, signals, self.used, len(self.counted_coordinates))

    def start(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the drawn state (c, q, alpha, v) with the initial values of the bodies."""
        c, q, alpha, v = self._drawn
        return c.copy(), q.copy(), alpha.copy(), v.copy()

    @cached_property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        bodies = self.system.bodies
        c = np.array([body.start for body in bodies], dtype=float)
        q = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))
        alpha, v = [], []
        for body in bodies:
            modes, rates = body.start_modes()
            alpha.append(modes)
            v += [np.asarray(body.velocity, float), np.asarray(body.angular_velocity, float), rates]
        return c, q, np.concatenate([np.zeros(0), *alpha]), np.concatenate(v)


def check_description(description: object) -> None:
    """Raise :class:`fem.InputError` if a user's ``description=`` is neither a formulation of ours nor None."""
    if description is not None and not isinstance(description, Description):
        known = "fb.Absolute(), fb.Relative(), fb.Mixed(), fb.Points() or fb.AutomaticDescription()"
        raise InputError(f"description is {description!r}; give {known}")


def make_plan(system: System, t_end: float = 1.0, description: Formulation | None = None) -> Plan:
    """Compile a system to flat arrays. ``t_end`` (s) determines the steps of numerical derivatives of drives.

    description : how the equations are written, by default :class:`Absolute`.
    """
    check_description(description)
    described = Absolute() if description is None else description
    described.check(system)
    library()  # if it can't be loaded, the error is raised here and not attributed to a user's function
    bodies = system.bodies_by_name()
    frames, at = _joint_frames(system, bodies)
    laws: list[Law] = []
    teeth = teeth_of(system.joints, bodies)
    joints = {joint.name: joint for joint in system.proper_joints} | _seats(teeth, bodies, at, frames)
    pushing = (element for element in teeth.values() if element.mesh.lever)
    slipping = (SlipElement(item) for item in system.joints if isinstance(item, Slipping) and item.slip)
    elements = (*system.elements, *pushing, *slipping)
    load_frame = _force_frames(system, elements, bodies, at, frames)
    index = {body.name: b for b, body in enumerate(system.bodies)}
    length = _length(system, frames)
    coordinates = Coordinates(joints, bodies, frames, at)
    rows = Rows(coordinates, at, length)
    parts: dict[str, Any] = {
        **_body_arrays(system.bodies) | massless_arrays(system.bodies, system.joints, frames, length),
        **frame_arrays(frames, index, massless_numbers(elements, index)),
    }
    shapes = Shapes(joints, bodies, at, index, parts["frame_path"])
    parts |= {
        **row_arrays(rows, system.joints, laws, t_end, shapes.add_rows),
        **shapes.arrays(),
        **_load_arrays(system.loads, load_frame, bodies, laws, t_end),
    }
    found, arrays = element_arrays(elements, frames, rows, laws, t_end)
    parts |= arrays
    parts |= network_arrays(found, parts["element"], frames, bodies, length, t_end)
    parts["gravity"] = np.asarray(system.gravity, dtype=float)
    parts["length"] = length
    used = coordinates.count_angles()
    parts |= rows.details()
    parts |= row_places(parts, rows.legs)
    layout = Layout(**{name: parts[name] for name in Layout._fields})
    places = {k.partition(" ")[2]: v for k, v in at.items()}

    trees = Trees(system, layout, places, rows.owned, rows.hinges)
    return Plan(
        system,
        layout,
        tuple(laws),
        rows.owned,
        places,
        index,
        tuple(coordinates.number),
        used,
        coordinates.initial_values(system.drives),
        rows.recorded,
        found,
        teeth,
        trees,
        t_end,
        described.bound(trees),
    )


def _joint_frames(
    system: System, bodies: Mapping[str, Body]
) -> tuple[list[FrameData], dict[str, tuple[int, ...]]]:
    """Return the frames of joints and constraints, and their positions by "joint NAME"; drives have their joint's."""
    frames: list[FrameData] = []
    at: dict[str, tuple[int, ...]] = {}
    for item in system.joints:
        if legs := item.frames(bodies):
            at[f"joint {item.name}"] = tuple(range(len(frames), len(frames) + len(legs)))
            frames += legs
    for drive in system.drives:
        at[f"joint {drive.name}"] = at[f"joint {drive.joint.name}"]
    return frames, at


def _seats(teeth: dict[str, ToothSeparation], bodies, at, frames: list[FrameData]) -> dict[str, Joint]:
    """Add the frames of the seats of toothed wheels, and their positions to ``at``; return the seats by name."""
    seats: dict[str, Joint] = {seat.name: seat for element in teeth.values() for seat in element.mesh.seats}
    for name, seat in seats.items():
        at[f"joint {name}"] = (len(frames), len(frames) + 1)
        frames += seat.frames(bodies)
    return seats


def _force_frames(
    system: System, elements: Sequence[Element], bodies, at, frames: list[FrameData]
) -> list[int]:
    """Add the frames of elements and loads, and their positions to ``at``; return the frames of loads."""
    for element in elements:
        if element.coordinate is not None:
            at[f"force {element.name}"] = at[f"joint {element.coordinate[0].name}"]
        elif element.rolling is not None:
            at[f"force {element.name}"] = at[f"joint {element.name}"]
        else:
            own = element.frames(bodies)
            at[f"force {element.name}"] = tuple(range(len(frames), len(frames) + len(own)))
            frames += own
    out = []
    for load in system.loads:
        out.append(len(frames))
        frames += load.frames(bodies)
    return out


def _body_arrays(bodies: Sequence[Body]) -> dict[str, np.ndarray]:
    """Return masses and coefficients C1..C8, K, D in the inertial base."""
    modes = np.array([body.n_modes for body in bodies], dtype=np.int64)
    pieces = [np.ravel(piece) for body in bodies for piece in body.coefficients()]
    places = offsets(np.array([piece.size for piece in pieces], dtype=np.int64))
    axial = np.array([0 if (energy := body.axial) is None else energy.n for body in bodies], dtype=np.int64)
    return {
        "body_axial": axial,
        "axial_at": offsets(axial * (2 + modes))[:-1],
        "body_mass": np.array([float(body.mass) for body in bodies]),
        "body_modes": modes,
        "body_mean": np.array([int(body.mean) for body in bodies], dtype=np.int64),
        "alpha_at": offsets(modes),
        "v_at": offsets(6 + modes),
        "matrix_at": offsets((6 + modes) ** 2),
        "coefficient_at": places[:-1].reshape(len(bodies), 11),
        "coefficients": np.concatenate(pieces),
    }


def _load_arrays(loads: Sequence[Load], load_frame, bodies, laws, t_end) -> dict[str, np.ndarray]:
    """Return the arrays of point forces and moments, and of distributed loads that follow."""
    load_law, load_kind, change_at = [], [], []
    changes, size = [np.zeros(0)], 0
    for load in loads:
        wrench = load.wrench(bodies)
        change_at.append(size if wrench else -1)
        changes += [part.ravel() for part in wrench]
        size += sum(part.size for part in wrench)
        law = load.law(t_end)
        laws += [law] if law else []
        load_law.append(law.pair if law else NO_LAW)
        load_kind.append(load.kind)
    return {
        "load_frame": np.array(list(zip(load_frame, load_kind, strict=True)), dtype=np.int64).reshape(-1, 2),
        "load_value": np.array([load.constant() for load in loads], dtype=float).reshape(-1, 3),
        "load_law": np.array(load_law, dtype=np.int64).reshape(-1, 2),
        "load_change_at": np.array(change_at, dtype=np.int64),
        "load_change": np.concatenate(changes),
    }


def _length(system: System, frames: list[FrameData]) -> float:
    """Return the characteristic length (m): half the diagonal of the box around all frames, lines and bodies."""
    bodies = system.bodies_by_name()
    points = [*(body.start for body in system.bodies), *(frame.drawn(bodies) for frame in frames)]
    for frame in frames:
        if frame.path is not None:
            points += list(frame.drawn(bodies) - frame.x + frame.path.place(frame.path.breaks))
    size = 0.5 * float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    if size > 1e-9:
        return size
    return max(body.size for body in system.bodies)
