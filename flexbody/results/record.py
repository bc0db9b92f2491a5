"""The numbers of a run, which analyses store, readers read and files hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.known_attributes import KnownAttributes

from ..compile.plan import Plan
from ..core.kinds import CLOUD, FIRST, GEOMETRY, GIVEN, SECOND, SURFACE
from ..core.structures import Layout, Work
from ..formulations.state import STATE_ARRAYS, MachineState
from ..model.flexible_body import FlexibleBody
from ..model.sides import Body
from ..model.system import System
from .occurrences import Occurrence

T = TypeVar("T")


@dataclass(frozen=True)
class Statistics(KnownAttributes):
    """The cost of a run.

    Attributes
    ----------
    steps, rejected : int
        Number of accepted and of rejected steps.
    iterations, factorisations : int
        Number of iterations of Newton's method and of factorisations.
    loop_seconds : float
        Processor time of the compiled time loop, s.
    cpu_seconds : float
        Processor time of the whole run, s.
    choice_seconds : float
        Processor time that the choice of description and integrator took before the time loop, with its trials, s.
    unknowns : int
        Number of generalized velocities and constraint rows.
    rank : int
        Number of independent constraint rows.
    velocity_correction, position_correction : float
        Largest corrections of velocities and positions that keep the constraints satisfied.
    interrupted : bool
        Whether the run was interrupted.
    vibrating : int
        Number of steps whose size vibrations determined, not the motion.
    method, why : str
        The integrator and the reason for its choice; empty in files of earlier versions.
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
    vibrating: int = 0
    choice_seconds: float = 0.0

    def __repr__(self) -> str:
        counts = (
            f"{self.steps} steps and {self.rejected} rejected ones, {self.iterations} iterations, "
            f"{self.factorisations} factorisations"
        )
        seconds = (
            f"{self.loop_seconds:.3g} s in the time loop and {self.choice_seconds:.2g} s for the choice of the method, "
            f"of {self.cpu_seconds:.3g} s"
        )
        method = f"; {self.method}: {self.why}" if self.method else ""
        interrupted = ", interrupted" if self.interrupted else ""
        return f"<Statistics: {counts}, {seconds}{interrupted}{method}>"


@dataclass(frozen=True, eq=False)
class Wrench(KnownAttributes):
    """A load over time.

    Attributes
    ----------
    force : numpy.ndarray
        Force, (nt, 3), N.
    moment : numpy.ndarray
        Moment about the point where the load acts, (nt, 3), Nm.
    """

    force: np.ndarray
    moment: np.ndarray

    def __repr__(self) -> str:
        if self.force.ndim == 1:
            force, moment = (", ".join(f"{x:.6g}" for x in part) for part in (self.force, self.moment))
            return f"<Wrench: force ({force}) N, moment ({moment}) N m>"
        force, moment = (np.linalg.norm(part, axis=-1) for part in (self.force, self.moment))
        sizes = f"force up to {force.max(initial=0.0):.6g} N, moment up to {moment.max(initial=0.0):.6g} N m"
        return f"<Wrench at {len(self.force)} times: {sizes}>"


@dataclass(frozen=True, eq=False, repr=False)
class Record(KnownAttributes):
    """The states of a machine at the stored times.

    Attributes
    ----------
    t : numpy.ndarray
        Times, (nt,), s.
    c : numpy.ndarray
        Positions of the reference points, (nt, nb, 3), m.
    q : numpy.ndarray
        Euler parameters, (nt, nb, 4).
    all_alpha : numpy.ndarray
        Modal coordinates, (nt, na).
    v, vdot : numpy.ndarray
        Generalized velocities and accelerations, (nt, nv).
    multipliers : numpy.ndarray
        Multipliers of the constraints, (nt, nr).
    law_states : numpy.ndarray
        States of force laws, (nt, nz).
    counted_coordinates : numpy.ndarray
        Values of ``plan.coordinates``, m, or rad with all revolutions, or near them, (nt, nc).
    energies : numpy.ndarray
        Kinetic, strain, potential, dissipated and input energy, (nt, 5), J.
    events : tuple of Occurrence
        The events that have occurred, in their order.
    switched_off : tuple of str
        Names of the joints, drives and forces that were off when the run began.
    peaks : dict of str
        Largest force (N or Nm) at the steps of the run, its time (s), and the same of moments, by name of the force
        element, as ``Work.peak``; empty if the run has not kept them.
    """

    plan: Plan
    t: np.ndarray
    c: np.ndarray
    q: np.ndarray
    all_alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    law_states: np.ndarray
    counted_coordinates: np.ndarray
    energies: np.ndarray
    statistics: Statistics
    undetermined: tuple[str, ...] = ()
    events: tuple[Occurrence, ...] = ()
    switched_off: tuple[str, ...] = ()
    peaks: dict[str, tuple[float, ...]] = field(default_factory=dict)
    #: frames laid out for reading, by frame; records of one instant keep them, and those of one machine share them
    stages: dict = field(default_factory=dict)
    #: values that readers have computed from the whole record, see :func:`computed_once`
    computed: dict[Any, Any] = field(default_factory=dict, init=False)

    @property
    def system(self) -> System:
        """The system that was simulated."""
        return self.plan.system

    @check_arguments
    def state_at(self, k: int) -> MachineState:
        """Return state ``k``.

        Parameters
        ----------
        k : int
            Number of the stored time.

        Returns
        -------
        MachineState
            The state; its arrays are views of those of the record.

        Raises
        ------
        fem.InputError
            There are fewer states.
        """
        n = len(self.t)
        if not -n <= k < n:
            raise InputError(f"there is no state {k}; {n} states are stored, numbered from 0")
        return MachineState(float(self.t[k]), *(getattr(self, name)[k] for name in STATE_ARRAYS))

    @check_arguments
    def index(self, body: Body | str) -> int:
        """Return the number of a body in the arrays; raise InputError if the machine has no such body.

        Parameters
        ----------
        body : Body or str
            The body or its name.

        Returns
        -------
        int
            Position of the body in the arrays.
        """
        return self.plan.body_index[self.system.body(body).name]


def computed_once(reader: Callable[[Record], T]) -> Callable[[Record], T]:
    """Decorate a reader so that a record keeps the values that it computes."""
    key = f"{reader.__module__}.{reader.__name__}"

    @wraps(reader)
    def known(record: Record) -> T:
        if key not in record.computed:
            record.computed[key] = reader(record)
        return record.computed[key]

    return known


def flexible_body(record: Record, body: Body | str) -> FlexibleBody:
    """Return a flexible body of a record; raise InputError if it is rigid."""
    name = record.system.body(body).name
    found = next((body for body in record.system.flexible_bodies if body.name == name), None)
    if found is None:
        raise InputError(f"body '{name}' is rigid; only flexible bodies deform")
    return found


def frames_over_time(record: Record, L: Layout, W: Work) -> tuple[np.ndarray, ...]:
    """Return R (nt, nf, 3, 3), r, v, w, a, b (nt, nf, 3) of all frames of a layout.

    They are axes, position, velocity, angular velocity, acceleration and angular acceleration, inertial components.
    """
    return frames_and_paths(record, L, W)[:-1]


def frames_and_paths(record: Record, L: Layout, W: Work) -> tuple[np.ndarray, ...]:
    """Return the arrays of :func:`frames_over_time`, then s, ds/dt and d2s/dt2 of all paths, (nt, np, 3)."""
    nt, nf = len(record.t), len(L.frame_body)
    R, vectors, paths = np.empty((nt, nf, 3, 3)), np.empty((5, nt, nf, 3)), np.empty((nt, len(L.path), 3))
    record.plan.formulation.observe_frames(
        L, W, record.c, record.q, record.all_alpha, record.v, record.vdot, R, vectors, paths
    )
    for f in np.flatnonzero(L.frame_massless >= 0):
        place, axes, v, w = massless_motions(record)[L.frame_massless[f]]
        arm = np.einsum("tij,j->ti", axes, L.frame_x[f] - L.massless_center[L.frame_massless[f]])
        R[:, f] = axes @ L.frame_A[f]
        vectors[:, :, f] = place + arm, v + np.cross(w, arm), w, *np.full((2, *place.shape), np.nan)
    return R, *vectors, paths


@computed_once
def massless_motions(record: Record) -> list[tuple[np.ndarray, ...]]:
    """Return place (nt, 3), axes (nt, 3, 3), velocity and angular velocity (nt, 3) of each massless body."""
    return [
        (one[:, :3], one[:, 3:12].reshape(-1, 3, 3), one[:, 12:15], one[:, 15:])
        for one in np.moveaxis(observed_forces(record)[-1], 1, 0)
    ]


@computed_once
def observed_forces(record: Record) -> tuple[np.ndarray, ...]:
    """Return what all force elements do.

    Deformations, rates and forces (nt, 3, nx), the directions of the deformations (nt, nx, 4, 3), powers (nt, ne, 3),
    the normal forces of friction that follows reactions, (nt, nh), what contacts press on the :func:`pressed_frames`,
    (nt, np, 12), and the motion of massless bodies, (nt, nm, 18).
    """
    plan, nt = record.plan, len(record.t)
    L, W = plan.layout, plan.work()
    nx, ne = plan.elements.n_deformations, len(L.element)
    x, g = np.empty((nt, 3, nx)), np.empty((nt, nx, 4, 3))
    power, normal = np.zeros((nt, ne, 3)), np.zeros((nt, len(L.reaction_friction)))
    frames = np.array([f for group in pressed_frames(L).values() for f in group], dtype=np.int64)
    pressed, massless = np.empty((nt, len(frames), 12)), np.empty((nt, len(L.massless_center), 18))
    W.law_mode = GIVEN
    plan.formulation.observe_forces(
        L, W, record.t, record.c, record.q, record.all_alpha, record.v, record.law_states, record.counted_coordinates,
        record.multipliers, frames, x, g, power, normal, pressed, massless,
    )  # fmt: skip
    return x, g, power, normal, pressed, massless


def pressed_frames(L: Layout) -> dict[int, range]:
    """Return the frames of the elements that are many contacts or a surface in contact, by element."""
    kinds = (CLOUD, SURFACE)
    return {
        e: range(one[FIRST], one[SECOND] + 1) for e, one in enumerate(L.element) if one[GEOMETRY] in kinds
    }


@computed_once
def joint_motions(record: Record) -> tuple[np.ndarray, ...]:
    """Return the arrays of :func:`frames_and_paths` for the frames of the machine."""
    return frames_and_paths(record, record.plan.layout, record.plan.work())
