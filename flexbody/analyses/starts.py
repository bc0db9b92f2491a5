"""How a run starts: as drawn, with quasi-static deformation, in equilibrium, or from an earlier state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import ConvergenceError, InputError

from ..compile.plan import Plan
from ..core.equations import biases, dense, move, place
from ..core.structures import Work
from ..equations.consistent_start import close, match_velocities
from ..equations.constraint_jacobian import weighted
from ..equations.least_squares import RANK_TOLERANCE
from ..equations.position import advance_position, rigid_part
from ..equations.reaction_friction import heed_friction
from ..equations.tangent import Nominal, body_axes, mass_and_jacobian, residual_forces, stiffness, units
from .earlier_state import counted, fitted
from .equilibrium import equilibrium
from .result import Result, State
from .sticking import creep

Position = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

#: rates of the deformation are differences over this part of the time in which the machine moves by its own size
SHARE = 1e-3
MAX_ITERATIONS = 60


@dataclass(frozen=True)
class AsDrawn:
    """Bodies stand as drawn, with the velocities, modal coordinates and rates that they were given.

    What the joints forbid is corrected; the default. A flexible body that moves fast is undeformed then, and starts
    to ring.
    """


@dataclass(frozen=True)
class QuasiStatic:
    """Bodies are deformed by the loads and the inertia of the machine's rigid motion, and as they change with it.

    Koppens (1989), (D.11), (D.12), for any machine: ``alpha`` solves the modal equations with ``alpha. = alpha.. = 0``
    under the accelerations and reactions that the machine has while its bodies keep their shape, and ``alpha.`` is the
    rate of that deformation along the rigid motion (rates=False leaves it zero). The high frequencies are hardly
    excited then. Joints that friction holds start with the rate at which they creep under their load.
    """

    rates: bool = True


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """The machine is in equilibrium under its loads, at rest or turning with ``spin`` (3,), rad/s, about a point.

    Arguments as of :func:`flexbody.equilibrium`. Drives that move at t = 0 set the machine in motion from there.
    """

    spin: ArrayLike | None = None
    about: ArrayLike = (0.0, 0.0, 0.0)
    load_steps: int = 1


Starting = AsDrawn | QuasiStatic | Equilibrium | State | Result


class Beginning(NamedTuple):
    """Where a run begins, before the last corrections: arguments of ``consistent_start``."""

    state: Position
    t: float  # s
    turns: np.ndarray  # (nc,) near what angles are, NaN where couplings must tell
    states: np.ndarray | None  # of force laws, (nz,), NaN for those that start as their laws say


def beginning(plan: Plan, start: Starting | None, t_end: float) -> Beginning:
    """Return where a run to ``t_end`` (s) begins."""
    if isinstance(start, Result):
        start = start.state()
    if isinstance(start, Equilibrium):
        start = equilibrium(plan.system, spin=start.spin, about=start.about, load_steps=start.load_steps)
    t, state = _first_state(plan, start, t_end)
    turns = counted(plan, start) if isinstance(start, State) else plan.turns
    return Beginning(state, t, turns, _law_states(plan, start))


def _first_state(plan: Plan, start: Starting | None, t_end: float) -> tuple[float, Position]:
    """Return the time and (c, q, alpha, v)."""
    if start is None or isinstance(start, AsDrawn):
        return 0.0, plan.start()
    if isinstance(start, QuasiStatic):
        return 0.0, quasi_static(plan, t_end, start.rates)
    if isinstance(start, State):
        if start.t >= t_end:
            raise InputError(
                f"the state to start from belongs to t = {start.t:.6g} s, and the run ends at t_end = {t_end:.6g} s; "
                "t_end counts from t = 0 of the earlier run"
            )
        return start.t, fitted(plan, start)
    raise InputError(
        f"start is {start!r}; give fb.AsDrawn(), fb.QuasiStatic(), fb.Equilibrium(), or a state or result of an "
        "earlier run"
    )


def _law_states(plan: Plan, start: Starting | None) -> np.ndarray | None:
    """Return the states of force laws (nz,) that an earlier state brings, NaN for those of other elements."""
    if not isinstance(start, State) or not start.states.size:
        return None
    out = np.full(int(plan.elements.state_at[-1]), np.nan)
    before = start.plan.elements
    at = {element.name: before.states(e) for e, element in enumerate(before.elements)}
    for e, element in enumerate(plan.elements.elements):
        here, there = plan.elements.states(e), at.get(element.name)
        if there is not None and there.stop - there.start == here.stop - here.start:
            out[here] = start.states[there]
    return out


def quasi_static(plan: Plan, t_end: float, rates: bool = True) -> Position:
    """Return (c, q, alpha, v) with the deformation of the machine's rigid motion at t = 0."""
    W = plan.work()
    c, q, alpha, v = plan.start()
    for b, first in enumerate(plan.layout.v_at[:-1]):
        v[first + 6 : plan.layout.v_at[b + 1]] = 0.0
    alpha[:] = 0.0
    if not plan.system.n_modes:
        return c, q, alpha, v
    close(plan, W, 0.0, c, q, alpha)
    now = _deformed(plan, W, 0.0, c, q, alpha, v)
    if rates:
        now.v[~rigid_part(plan)] = _rates(plan, W, now, t_end)
    return now.c, now.q, now.alpha, now.v


def _rates(plan: Plan, W: Work, now: Nominal, t_end: float) -> np.ndarray:
    """Return the rates of the modal coordinates (na,) along the rigid motion, by one-sided differences."""
    u = units(plan, W, now)
    fast = max(float(np.max(np.abs(now.v) / u)), float(np.sqrt(np.max(np.abs(now.vdot) / u))))
    h = min(SHARE / max(fast, 1e-300), 0.1 * SHARE * t_end)
    found = [now.alpha]
    for dt in (h, 2 * h):
        c, q, alpha = now.c.copy(), now.q.copy(), now.alpha.copy()
        advance_position(plan, c, q, alpha, dt * now.v + 0.5 * dt**2 * now.vdot)
        found.append(_deformed(plan, W, dt, c, q, alpha, now.v + dt * now.vdot).alpha)
    return (-3 * found[0] + 4 * found[1] - found[2]) / (2 * h)


def _deformed(plan: Plan, W: Work, t: float, c, q, alpha, v) -> Nominal:
    """Return the state near a position, closed, in which the modal equations hold with the rigid motion's inertia."""
    rigid, previous = rigid_part(plan), np.inf
    for k in range(MAX_ITERATIONS):
        s, M, G = _moving(plan, W, t, c, q, alpha, v)
        phi = W.phi.copy()
        u = units(plan, W, s)
        R = residual_forces(plan, W, s, body_axes(plan, W, s))
        change = _correction(stiffness(plan, W, s), M, G, R, phi, rigid, u)
        size = float(np.abs(change / u).max())
        if not np.isfinite(size) or size > 10:
            break
        shift = change.copy()
        for b, first in enumerate(plan.layout.v_at[:-1]):
            shift[first : first + 3] = W.Q[b] @ change[first : first + 3]
        advance_position(plan, c, q, alpha, shift)
        v = s.v
        if size < 1e-12 or (k > 1 and size < 1e-9 and size > 0.5 * previous):
            return _moving(plan, W, t, c, q, alpha, v)[0]
        previous = size
    raise ConvergenceError(
        "no quasi-static deformation was found to start from: the loads and the inertia of the rigid motion deform "
        "the bodies beyond what they can bear (a column beyond its buckling load?). Start as drawn "
        "(start=fb.AsDrawn()), or look at the loads and velocities at t = 0"
    )


def _moving(plan: Plan, W: Work, t: float, c, q, alpha, v) -> tuple[Nominal, np.ndarray, np.ndarray]:
    """Return the motion of the machine with its present deformation frozen; M (nv, nv) and G (nr, nv) for xi."""
    L, rigid = plan.layout, rigid_part(plan)
    v = v.copy()
    v[~rigid] = 0.0
    place(L, W, t, c, q, alpha)
    M, G = np.empty((len(v), len(v))), np.empty((plan.n_rows, len(v)))
    dense(L, W, M, G)
    match_velocities(plan, W, weighted(plan, W)[0], G, v)
    frozen = _Frozen(M[np.ix_(rigid, rigid)], G[:, rigid], rigid)
    s = _accelerated(plan, W, frozen, Nominal(t, c, q, alpha, v, 0 * v, np.zeros(plan.n_rows)))
    change = creep(plan, W, s, frozen.response)
    if change is not None:
        s = _accelerated(plan, W, frozen, replace(s, v=v + change, vdot=0 * v, multipliers=0 * s.multipliers))
    return s, *mass_and_jacobian(plan, W, s)


class _Frozen:
    """The machine with its deformation frozen: what loads do to its rigid motion."""

    def __init__(self, M: np.ndarray, G: np.ndarray, rigid: np.ndarray) -> None:
        self.factor, self.rigid = np.linalg.cholesky(M), rigid
        self.Y = np.linalg.solve(self.factor, G.T)

    def response(self, load: np.ndarray, bias: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations (nv,) and multipliers (nr,) under a generalized load (nv,): G vdot = -bias."""
        free = np.linalg.solve(self.factor, load[self.rigid])
        multipliers, out = np.zeros(self.Y.shape[1]), np.zeros(len(load))
        if len(multipliers):
            held = 0.0 if bias is None else np.linalg.lstsq(self.Y.T, -bias, rcond=RANK_TOLERANCE)[0]
            multipliers = np.linalg.lstsq(self.Y, free - held, rcond=RANK_TOLERANCE)[0]
        out[self.rigid] = np.linalg.solve(self.factor.T, free - self.Y @ multipliers)
        return out, multipliers


def _accelerated(plan: Plan, W: Work, frozen: _Frozen, s: Nominal) -> Nominal:
    """Return a state with the accelerations of the rigid motion, ``s`` without any, and multipliers."""
    L = plan.layout
    place(L, W, s.t, s.c, s.q, s.alpha)
    move(L, W, s.alpha, s.v)
    bias = np.empty(plan.n_rows)
    biases(L, W, s.t, bias)
    force = -residual_forces(plan, W, s, np.tile(np.eye(3), (len(s.c), 1, 1)))
    vdot, multipliers = frozen.response(force, bias)
    heed_friction(plan, W, frozen.response, vdot, multipliers)
    return replace(s, vdot=vdot, multipliers=multipliers)


def _correction(K, M, G, R, phi, rigid: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the change xi (nv,) of Newton's method for the modal equations and the constraints.

    With it go changes a (nv rigid,) of the rigid motion's accelerations and lambda (nr,) of the reactions::

        K xi + M a + G^T lambda = -R      G xi = -phi      G a = 0      N^T xi = 0

    where N are the motions that the joints leave to rigid bodies: there the machine stands where it was drawn.
    """
    modal, n = ~rigid, len(u)
    own = np.abs(np.diag(K))
    least = float(np.min(own[modal] * u[modal] ** 2))
    size = 1.0 / np.sqrt(np.maximum(own, np.where(rigid, least / u**2, 1e-300)))
    rows = G * size
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0] = 1.0
    rows = rows / lengths[:, None]
    inertia = M[:, rigid] / (size * np.diag(M))[rigid]
    moved = G[:, rigid] / (size * np.diag(M))[rigid]
    moved = moved / np.maximum(np.linalg.norm(moved, axis=1), 1e-300)[:, None]
    free = np.zeros((0, n))
    if rigid.any():
        _, s, Vt = np.linalg.svd(rows[:, rigid]) if len(G) else (0, np.zeros(0), np.eye(int(rigid.sum())))
        free = np.zeros((int(rigid.sum()) - int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0))), n))
        free[:, rigid] = Vt[len(Vt) - len(free) :]
    A = np.block(
        [
            [K * np.outer(size, size), size[:, None] * inertia, rows.T],
            [rows, np.zeros((len(G), inertia.shape[1] + len(G)))],
            [np.zeros((len(G), n)), moved, np.zeros((len(G), len(G)))],
            [free, np.zeros((len(free), inertia.shape[1] + len(G)))],
        ]
    )
    load = np.where(rigid, 0.0, size * R)
    right = np.concatenate([load, phi / lengths, np.zeros(len(G) + len(free))])
    x = np.linalg.lstsq(A, -right, rcond=1e-10)[0]
    return size * x[:n]
