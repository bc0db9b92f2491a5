"""The numbers of a run: what an analysis stores, what readers read, what files hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..formulations.state import MachineState
from ..model.bodies import Body, FlexibleBody, RigidBody
from ..model.system import System

T = TypeVar("T")


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
class Record:
    """The states of a system at the stored times ``t`` (nt,), s.

    ``c`` (nt, nb, 3) positions of the reference points, ``q`` (nt, nb, 4) Euler parameters, ``all_alpha`` (nt, na)
    modal coordinates, ``v`` and ``vdot`` (nt, nv) generalized velocities and accelerations, ``multipliers`` (nt, nr),
    ``energies`` (nt, 5).
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
    #: frames laid out for reading, by frame; records of one instant keep them, and those of one machine share them
    stages: dict = field(default_factory=dict)
    #: what readers have computed from the whole record, see :func:`computed_once`
    computed: dict[Any, Any] = field(default_factory=dict, init=False)

    @property
    def system(self) -> System:
        """The system that was simulated."""
        return self.plan.system

    def state_at(self, k: int) -> MachineState:
        """Return the k-th state, its revolutions where they are stored."""
        return MachineState(
            float(self.t[k]), self.c[k], self.q[k], self.all_alpha[k], self.v[k], self.vdot[k], self.multipliers[k],
            self.states[k] if self.states.size else np.zeros(0),
            self.turns[k] if len(self.turns) == len(self.t) else np.full(len(self.plan.coordinates), np.nan),
        )  # fmt: skip

    def index(self, body: Body | str) -> int:
        """Return the number of a body in the arrays; InputError where there is none."""
        return self.plan.body_index[self.system.body(body).name]


def computed_once(reader: Callable[[Record], T]) -> Callable[[Record], T]:
    """Let a record keep what a reader computes from it, for the next time that it is asked for."""
    key = f"{reader.__module__}.{reader.__name__}"

    @wraps(reader)
    def known(record: Record) -> T:
        if key not in record.computed:
            record.computed[key] = reader(record)
        return record.computed[key]

    return known


def flexible_body(record: Record, body: Body | str) -> FlexibleBody:
    """Return a flexible body of a record; InputError where it is rigid."""
    found = record.system.body(body)
    if isinstance(found, RigidBody):
        raise InputError(f"body '{found.name}' is rigid; only flexible bodies deform")
    return found
