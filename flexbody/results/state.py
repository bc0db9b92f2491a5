"""A machine's state at one instant: of an equilibrium, or out of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fem.common.errors import InputError

from ..compile.plan import Plan
from ..core.kinds import GIVEN
from ..equations.tangent import Nominal
from ..model.system import System
from .instant import Instant
from .same_machine import heed_likeness

if TYPE_CHECKING:
    from ..model.system import Connection
    from .result import Result


@dataclass(frozen=True, eq=False, repr=False)
class State(Instant):
    """Positions, velocities, accelerations and reactions of a machine at one time ``t``.

    ``c`` (nb, 3), m; ``q`` (nb, 4) Euler parameters; ``all_alpha`` (na,); ``v``, ``vdot`` (nv,); ``multipliers``
    (nr,); ``spin`` (3,) rad/s and ``about`` (3,) m: the machine turns so as a whole (else zero); ``indifferent``:
    motions that nothing holds at an equilibrium, in words; ``iterations`` of Newton's method.

    Read it by the methods of a :class:`Result`, with the same words and without the axis of time; ``result`` is that
    result of one instant, to be drawn by ``fb.picture``.
    """

    plan: Plan
    t: float
    c: np.ndarray
    q: np.ndarray
    all_alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    spin: np.ndarray
    about: np.ndarray
    indifferent: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    iterations: int = 0
    rank: int = 0
    turns: Mapping[tuple[str, str], float] = field(
        default_factory=dict
    )  # angles over all turns, and what else rows and forces use
    states: np.ndarray = field(
        default_factory=lambda: np.zeros(0)
    )  # of force laws, (nz,); none: where they stay

    def __repr__(self) -> str:
        turning = f", turning at {np.linalg.norm(self.spin):.6g} rad/s" if self.spin.any() else ""
        loose = f", indifferent: {'; '.join(self.indifferent)}" if self.indifferent else ""
        return f"<State at t = {self.t:.6g} s of {len(self.c)} bodies{turning}{loose}>"

    @property
    def system(self) -> System:
        """The machine."""
        return self.plan.system

    @property
    def nominal(self) -> Nominal:
        """The bare numbers."""
        return Nominal(self.t, self.c, self.q, self.all_alpha, self.v, self.vdot, self.multipliers)

    @cached_property
    def result(self) -> Result:
        """This state as a result of one instant."""
        from ..analyses.simulate import observe
        from .result import Result, Statistics

        energy = np.zeros((1, 5))
        found = np.empty(3)
        turns = counted(self.plan, self)
        turns = np.where(np.isfinite(turns), turns, self.plan.turns)
        W = self.plan.work(turns)
        if self.states.size:
            W.law_mode = GIVEN
            W.law_state[:] = self.states
        observe(self.plan.layout, W, self.c, self.q, self.all_alpha, self.v, self.t, found)
        energy[0, :3] = found
        unknowns = self.plan.n_velocities + self.plan.n_rows
        statistics = Statistics(0, 0, self.iterations, 0, 0.0, 0.0, unknowns, self.rank, 0.0, 0.0, False)
        return Result(
            self.plan, np.array([self.t]), self.c[None], self.q[None], self.all_alpha[None], self.v[None],
            self.vdot[None], self.multipliers[None], energy, statistics, self.undetermined,
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


def state_of(result: Result, t: float | None = None) -> State:
    """Return the stored state of a run at its end, or nearest to time ``t`` (s).

    Raises :class:`fem.InputError` for a time outside the run.
    """
    times = result.t
    if len(times) == 0:
        raise InputError("this result holds no states")
    if t is not None and not times[0] - 1e-9 <= t <= times[-1] * (1 + 1e-9) + 1e-9:
        raise InputError(f"t = {t} s lies outside the run, {times[0]:.6g} to {times[-1]:.6g} s")
    k = len(times) - 1 if t is None else int(np.argmin(np.abs(times - t)))
    none = np.zeros(3)
    return State(
        result.plan, float(times[k]), result.c[k], result.q[k], result.all_alpha[k], result.v[k], result.vdot[k],
        result.multipliers[k], none, none, undetermined=result.undetermined, rank=result.statistics.rank,
        turns=dict(zip(result.plan.coordinates, map(float, result.counted[k]), strict=True)),
        states=result.states[k] if result.states.size else np.zeros(0),
    )  # fmt: skip


def counted(plan: Plan, state: State) -> np.ndarray:
    """Return the coordinates of ``plan.coordinates`` over all turns at a state, (nc,), NaN where it doesn't tell."""
    return np.array([state.turns.get(key, np.nan) for key in plan.coordinates])


def fitted(plan: Plan, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (c, q, alpha, v) of a state for a machine with bodies of the same names and modes.

    Raises :class:`fem.InputError` where the machine has other bodies; warns where it is another one in other ways.
    """
    c, q, alpha, v = plan.start()
    at, other = plan.layout, state.plan.layout
    for body in plan.system.bodies:
        b = plan.body_index[body.name]
        k = state.plan.body_index.get(body.name)
        if k is None or int(other.body_modes[k]) != body.n_modes:
            have = ", ".join(f"'{one.name}' ({one.n_modes} modes)" for one in state.system.bodies)
            raise InputError(
                f"the state to start from has no body '{body.name}' with {body.n_modes} modes; it has {have}"
            )
        c[b], q[b] = state.c[k], state.q[k]
        alpha[at.alpha_at[b] : at.alpha_at[b + 1]] = state.all_alpha[
            other.alpha_at[k] : other.alpha_at[k + 1]
        ]
        v[at.v_at[b] : at.v_at[b + 1]] = state.v[other.v_at[k] : other.v_at[k + 1]]
    heed_likeness(plan.system, state)
    return c, q, alpha, v
