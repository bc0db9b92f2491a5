"""Kinematics and inverse dynamics: the motion that drives alone determine, and the loads that it takes.

E. J. Sol (1983), 8.2-8.5: positions by Newton's method with continuation in time (8.3.3)-(8.3.4), velocities and
accelerations from the constraints' first and second derivatives, then the reactions, those of the drives included.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.linalg import null_space

from fem.common.errors import ConvergenceError, InputError, listing
from fem.common.jit import announce_compilation
from fem.common.progress import progress

from .bodies import FlexibleBody, RigidBody
from .forces.arrays import element_complaint
from .initial import RANK_TOLERANCE, advance_position, consistent_start, jacobian
from .integrators.base import output_times
from .kernels.arrays import VELOCITY
from .kernels.coordinate import count_turns, expect_turns
from .kernels.equations import biases, move, place, residual, velocity_residual
from .kernels.packed import turns_of
from .layout import Plan, make_plan
from .recording import heed_laws
from .result import Result, Statistics
from .rotation import finite, matrices
from .simulate import observe
from .system import System

#: a step is accepted if Newton's method moves the prediction by at most this part of the step's own motion
NEAR = 0.05
#: constraints are met to this fraction of the system's size
CLOSED = 1e-12


def kinematics(
    system: System,
    t_end: float,
    *,
    output_step: float | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Return the motion from t = 0 to ``t_end`` (s) of a machine whose drives leave it no freedom.

    All bodies count as rigid (for what their deformation adds, :func:`elastodynamics`). The result holds positions,
    velocities, accelerations and, by inverse dynamics, the reactions of all joints and drives: ``result.reaction(
    drive)`` is the load that the drive must give. Nothing is integrated over time, so that nothing drifts; force laws
    with states and nonholonomic constraints, which need that, are refused.
    output_step : time between stored states, s; by default a 500th of ``t_end``. In between the machine is followed
    in as many steps as it takes not to jump to another way of assembling it (Sol, fig. 8.2); dead points are
    passed with the velocity that they are entered with.

    Raises :class:`fem.InputError` naming what can still move where a freedom is left, :class:`fem.ConstraintError`
    where the machine can't be assembled, :class:`fem.ConvergenceError` where it locks on the way (the error's
    ``result`` holds the motion so far).
    """
    if not (finite(t_end) and t_end > 0):
        raise InputError(f"t_end is {t_end}; give the end of the motion in seconds, above zero")
    announce_compilation("the dynamics kernels", place)
    cpu = time.process_time()
    plan = make_plan(rigid(system), t_end)
    _check_static(plan)
    path = _Path(plan)
    times, _ = output_times(t_end, output_step, None)
    states = [path.state]
    locked = None
    with progress(t_end, "kinematics", "s", show_progress) as bar:
        for before, t in pairwise(times):
            try:
                path.follow(t, shortest=1e-9 * t_end)
                heed_laws(plan)
            except ConvergenceError as error:
                locked = error
                break
            states.append(path.state)
            bar.update(t - before)
    found = _result(system, plan, path, times[: len(states)], states, time.process_time() - cpu)
    if locked is not None:
        locked.result = found  # type: ignore[attr-defined]
        raise locked
    return found


def _check_static(plan: Plan) -> None:
    """Raise for what must be integrated over time."""
    for element, law in zip(plan.elements.elements, plan.elements.laws, strict=True):
        if law.n_states:
            raise InputError(
                f"{element.label}: its law has states that follow from the history of the motion; kinematics looks at "
                "each instant by itself. Use simulate, or leave the element out"
            )
    for k, kind in enumerate(plan.layout.row_kind):
        if kind == VELOCITY:
            raise InputError(
                f"{plan.row_owner(k)} speaks of velocities, so that positions follow from the history of the motion; "
                "kinematics looks at each instant by itself. Use simulate"
            )


def rigid(system: System) -> System:
    """Return the system with every flexible body as a rigid one of the same mass, inertia and markers, as drawn."""
    bodies = [_rigid(body) if isinstance(body, FlexibleBody) else body for body in system.bodies]
    return replace(system, bodies=bodies)


def _centre(body: FlexibleBody) -> np.ndarray:
    """Return the mass centre from the reference point, (3,), m."""
    return np.asarray(body.turned.C1) / body.mass


def _rigid(body: FlexibleBody) -> RigidBody:
    r = _centre(body)
    about_centre = np.asarray(body.turned.C3) - body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    markers = {name: body.start + np.asarray(m.point) for name, m in body.turned.markers.items()}
    spin = np.asarray(body.angular_velocity, dtype=float)
    velocity = np.asarray(body.velocity, dtype=float) + np.cross(spin, r)
    return RigidBody(body.name, body.mass, about_centre, body.start + r, velocity, spin, markers)


@dataclass(frozen=True, eq=False)
class _State:
    t: float
    c: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray


class _Path:
    """The way of a machine without freedom through time."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.W, self.none = plan, plan.work(), np.zeros(0)
        self.iterations = self.steps = self.rejected = 0
        start = consistent_start(plan)
        turns_of(self.W.more)[:] = start.turn
        self.rank, self.undetermined, self.start = start.rank, start.undetermined, start
        self._check(start)
        self.step = 0.0
        self.state = _State(0.0, start.c, start.q, start.v, start.vdot)

    def _check(self, start) -> None:
        """Raise where the drives leave a freedom, naming what moves."""
        free = self.plan.n_velocities - start.rank
        if free == 0:
            return
        G = jacobian(self.plan, self.W, 0.0, start.c, start.q, self.none)
        motion = null_space(G, rcond=RANK_TOLERANCE).reshape(len(start.c), 6, -1)
        share = np.linalg.norm(motion, axis=(1, 2))
        names = [b.name for b, s in zip(self.plan.system.bodies, share, strict=True) if s > 0.1 * share.max()]
        raise InputError(
            f"kinematics needs a machine that its drives determine; this one has {free} "
            f"{'freedom' if free == 1 else 'freedoms'} left, in which {listing(names)} can move. Drive "
            f"{'it' if free == 1 else 'them'}, hold what turns idly (a universal joint in place of a spherical one), "
            "or use simulate"
        )

    def follow(self, t_end: float, shortest: float) -> None:
        """Go on to ``t_end``; raise ConvergenceError where no step is short enough."""
        while self.state.t < t_end:
            left = t_end - self.state.t
            h = left if not self.step else min(self.step, left)
            h = left if left < 1.5 * h else h
            found, miss = self._try(h)
            if found is None:
                self.rejected += 1
                self.step = 0.5 * h
                if self.step < shortest:
                    self._locked(miss)
                continue
            self.steps += 1
            self.state = found
            self.step = 2.0 * h if h < left else max(self.step, h)

    def _locked(self, row: int) -> None:
        owner = self.plan.row_owner(row)
        raise ConvergenceError(
            f"the machine can't go on at t = {self.state.t:.6g} s: {owner} can't be kept closed any longer. Do the "
            "drives ask for more than the links reach, or does it stand at a point where it locks? (The error's "
            ".result holds the motion up to here)"
        )

    def _try(self, h: float) -> tuple[_State | None, int]:
        """Return the state ``h`` later and -1, or None and the row that is missed most."""
        s, L = self.state, self.plan.layout
        t = s.t + h
        move_by = h * s.v + 0.5 * h * h * s.vdot
        c, q = s.c.copy(), s.q.copy()
        expect_turns(L, self.W, h)
        advance_position(self.plan, c, q, self.none, move_by)
        scale = self._lengths()
        allowed = NEAR * np.abs(move_by * scale).max() + 1e-7 * L.length[0]
        corrected = np.zeros_like(s.v)
        for _ in range(12):
            place(L, self.W, t, c, q, self.none)
            worst = int(np.argmax(np.abs(self.W.phi)))
            if np.abs(self.W.phi[worst]) <= CLOSED * L.length[0]:
                break
            self.iterations += 1
            change = self._solve(t, c, q, -self.W.phi)
            corrected += change
            if not np.isfinite(change).all() or np.abs(corrected * scale).max() > allowed:
                return None, worst
            advance_position(self.plan, c, q, self.none, change)
        else:
            return None, worst
        v = s.v + h * s.vdot
        place(L, self.W, t, c, q, self.none)
        miss = np.empty(self.plan.n_rows)
        velocity_residual(L, self.W, v, miss)
        v = v - self._solve(t, c, q, miss)
        # near a dead point the other way of assembly differs in velocity before it does in position
        if np.abs((v - s.v - h * s.vdot) * scale).max() * h > allowed:
            return None, worst
        vdot = self._accelerations(t, c, q, v, s.vdot)
        count_turns(L, self.W)
        return _State(t, c, q, v, vdot), -1

    def _lengths(self) -> np.ndarray:
        """Return what turns generalized velocities into m/s, (nv,)."""
        return np.tile([1.0] * 3 + [float(self.plan.layout.length[0])] * 3, len(self.state.c))

    def _solve(self, t: float, c, q, right: np.ndarray) -> np.ndarray:
        """Return the smallest x (nv,) with G x = right."""
        G, scale = jacobian(self.plan, self.W, t, c, q, self.none), self._lengths()
        return np.linalg.lstsq(G / scale, right, rcond=RANK_TOLERANCE)[0] / scale

    def _accelerations(self, t: float, c, q, v, near: np.ndarray) -> np.ndarray:
        """Return the accelerations, in a dead point those nearest to ``near``."""
        L, out = self.plan.layout, np.empty(self.plan.n_rows)
        place(L, self.W, t, c, q, self.none)
        move(L, self.W, self.none, v)
        biases(L, self.W, t, out)
        G = jacobian(self.plan, self.W, t, c, q, self.none)
        return near - self._solve(t, c, q, out + G @ near)

    def loads(self, s: _State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return multipliers (nr,), energies (3,) and dissipated and input power (2,) of a state."""
        L, energy, none = self.plan.layout, np.empty(3), np.zeros(self.plan.n_rows)
        observe(L, self.W, s.c, s.q, self.none, s.v, s.t, energy)
        residual(L, self.W, s.t, self.none, s.v, s.vdot, none)
        G = jacobian(self.plan, self.W, s.t, s.c, s.q, self.none)
        multipliers = -np.linalg.lstsq(G.T, self.W.residual, rcond=RANK_TOLERANCE)[0]
        move(L, self.W, self.none, s.v)
        residual(L, self.W, s.t, self.none, s.v, s.vdot, multipliers)
        return multipliers, energy, self.W.power.copy()


def _result(system: System, plan: Plan, path: _Path, t: np.ndarray, states: list[_State], cpu) -> Result:
    """Return the rigid motion as a result of the given system, its bodies undeformed."""
    full = make_plan(system, float(t[-1]) or 1.0)
    loads = [path.loads(s) for s in states]
    for s, found in zip(states, loads, strict=True):
        if not np.isfinite(found[0]).all():
            raise _not_finite(plan, path, s.t)
    multipliers, energy, power = (np.array(x) for x in zip(*loads, strict=True))
    work = cumulative_simpson(power, x=t, axis=0, initial=0.0) if len(t) > 2 else np.zeros((len(t), 2))
    c, q = np.array([s.c for s in states]), np.array([s.q for s in states])
    v = np.zeros((len(t), full.n_velocities))
    vdot = np.zeros_like(v)
    for b, body in enumerate(system.bodies):
        at, own = full.layout.v_at[b], slice(6 * b, 6 * b + 6)
        v[:, at : at + 6] = [s.v[own] for s in states]
        vdot[:, at : at + 6] = [s.vdot[own] for s in states]
        if isinstance(body, FlexibleBody) and np.any(_centre(body)):
            _to_reference(matrices(q[:, b]), _centre(body), c[:, b], v[:, at : at + 6], vdot[:, at : at + 6])
    statistics = Statistics(
        steps=path.steps, rejected=path.rejected, iterations=path.iterations, factorisations=0,
        loop_seconds=cpu, cpu_seconds=cpu, unknowns=plan.n_velocities + plan.n_rows, rank=path.rank,
        velocity_correction=path.start.velocity_correction, position_correction=path.start.position_correction,
        interrupted=False,
    )  # fmt: skip
    multipliers *= (
        plan.layout.row_scale / full.layout.row_scale
    )  # angles are scaled by the system's size as drawn
    energies = np.column_stack([energy, work])
    alpha = np.zeros((len(t), system.n_modes))
    return Result(full, t, c, q, alpha, v, vdot, multipliers, energies, statistics, path.undetermined)


def _not_finite(plan: Plan, path: _Path, t: float) -> InputError:
    """Return what gave a load that is not finite at time ``t``."""
    heed_laws(plan)
    complaints = [law.complaint(t) for law in plan.laws]
    found = next((c for c in complaints if c is not None), None) or element_complaint(plan, path.W, 0.0)
    return found or InputError(
        f"the loads at t = {t:.6g} s are not finite; is a spring of zero length among them?"
    )


def _to_reference(Q: np.ndarray, r: np.ndarray, c: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> None:
    """Turn the motion of a mass centre (nt, .) in place into that of the point from which it lies at ``r``."""
    w, wdot = v[:, 3:], vdot[:, 3:]
    turning = np.cross(w, r)
    c -= Q @ r
    v[:, :3] -= np.einsum("tij,tj->ti", Q, turning)
    vdot[:, :3] -= np.einsum("tij,tj->ti", Q, np.cross(wdot, r) + np.cross(w, turning))
