"""Kinematics and inverse dynamics: the motion that drives alone determine, and the loads that it needs.

E. J. Sol (1983), 8.2-8.5: positions by Newton's method with continuation in time (8.3.3)-(8.3.4), velocities and
accelerations from the first and second derivatives of the constraints, then the reactions, also of the drives. Two
kinds of quantity depend on the past and are integrated: positions of a machine that rolls
(:mod:`flexbody.analyses.rolling`), and states of force laws (:mod:`flexbody.analyses.law_history`).
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from copy import copy
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.blas_threads import few_threads
from fem.common.errors import ConvergenceError, InputError, listing
from fem.common.numbers import is_number
from fem.common.progress import progress
from fem.common.values import Positive

from ..compile.plan import Plan, make_plan
from ..compile.rows import is_holonomic
from ..core.coordinate import count_revolutions, expect_revolutions, measure_revolutions
from ..core.drive_errors import keep_misses, meet_drives, new_misses, opposite_row
from ..core.kinds import GIVEN
from ..core.rotation import matrices
from ..equations.consistent_start import consistent_start
from ..equations.constraint_jacobian import jacobian
from ..equations.least_squares import RANK_TOLERANCE
from ..equations.locked import warn_of_locked, why_locked
from ..equations.position import displaced
from ..equations.reaction_friction import add_reaction_friction
from ..equations.state import move_state, place_state
from ..formulations import Formulation
from ..formulations.state import MachineState
from ..integrators.base import output_times
from ..model.system import System, check_system, refuse_forces
from ..results.record import Statistics
from .compiled import compiled
from .corners import Corners, refuse_jumping_rates
from .drive_jumps import ADVICE, DriveJumps, jump_near
from .law_errors import law_complaint, not_finite, raise_law_errors
from .law_history import LawHistory
from .path_ends import PathEnds
from .path_work import PathWork
from .result import Result
from .rigid_bodies import rigid, to_reference
from .rolling import longer, rolled

#: a step is accepted if Newton's method moves the prediction by at most this part of the step's own motion
CORRECTION_LIMIT = 0.05
#: after this number of tries between two output times the motion ends with an error
MAX_TRIES = 5_000
#: constraints are met to this fraction of the system's size
CLOSURE_TOLERANCE = 1e-12
#: accelerations at a dead point are extrapolated from motions by this part of the machine's size
DEAD_POINT_STEP = 1e-3
#: velocities obey nonholonomic constraints to this part of the speeds in them
VELOCITY_TOLERANCE = 1e-8


@check_arguments(own=("machine", "description", "t_end", "output_step", "rtol"))
def kinematics(
    machine: System,
    t_end: float,
    *,
    output_step: float | None = None,
    rtol: float = 1e-8,
    description: Formulation | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Return the motion that the drives of a machine determine, with the driving loads.

    Parameters
    ----------
    machine : System
        A machine whose drives leave no degree of freedom.
    t_end : float
        End of the motion, s; it starts at t = 0.
    output_step : float, optional
        Time between stored states, s; by default a 500th of ``t_end``.
    rtol : float
        Relative error per step of the quantities that are integrated (see Notes), 1e-13 to 0.01.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default :class:`Absolute`.
    show_progress : bool, optional
        Whether a progress bar is shown; by default if standard error is a terminal.

    Returns
    -------
    Result
        Positions, velocities, accelerations and, by inverse dynamics, the reactions of all joints and drives.
        ``result.reaction(drive)`` is the load that the drive must apply.

    Raises
    ------
    fem.InputError
        The drives leave degrees of freedom (the message names the bodies that can move), or an argument is not valid.
    fem.ConstraintError
        The machine cannot be assembled.
    fem.ConvergenceError
        The machine locks during the motion, or a joint leaves an end of its line; ``error.result`` holds the motion up
        to there.

    Notes
    -----
    All bodies are rigid; :func:`elastodynamics` adds their deformation. Positions are solved from the constraints at
    each time, ``Phi(q, t) = 0``, so that they do not drift; velocities and accelerations follow from the first and
    second derivative of the constraints [1]_.

    Two kinds of quantity depend on the past and are integrated:

    - positions that nonholonomic constraints (rolling, skates) determine by their velocities only; all other
      constraints are still satisfied;
    - states of force laws (currents, pressures, creep), which start as in :func:`simulate`.

    Where the rate of a drive jumps, as at the corner of a ramp, velocities jump, and a warning says so.

    Between output times the motion is followed in steps that are short enough to stay on the same branch of assembly,
    Sol fig. 8.2. The machine passes dead points with the velocity that it has before them.

    References
    ----------
    .. [1] E. J. Sol, Kinematics and dynamics of multibody systems (1983), 8.2-8.5, (8.3.3), (8.3.4).

    Examples
    --------
    A bar that turns at 10 rad/s, and the moment that its motor carries in the horizontal position, 0.3 m x 9.81 N:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> motor = fb.Drive("motor", hinge, rate=10.0)
    >>> machine = fb.System([bar], [hinge, motor], gravity=(0, 0, -9.81))
    >>> result = fb.kinematics(machine, t_end=0.1, show_progress=False)
    >>> round(float(result.coordinate(hinge)[-1]), 6)
    1.0
    >>> round(float(result.reaction(motor).moment[0, 1]), 6)
    -2.943
    """
    return followed(machine, t_end, output_step, rtol, description, show_progress)[0]


def followed(
    machine: System,
    t_end: float,
    output_step: float | None,
    rtol: float,
    description: Formulation | None,
    show_progress: bool | None,
    *,
    quiet: bool = False,
    blows: bool = True,
) -> tuple[Result, _Path]:
    """Return the result of :func:`kinematics` and the path, which gives the state at any time up to its end.

    ``quiet``: without a warning of redundant constraints; ``blows``: whether the rates of drives may jump.
    """
    check_system(machine, "kinematics")
    refuse_forces(machine, "kinematics")
    if not Positive.takes(t_end):
        raise InputError(f"t_end is {t_end!r}; give the end of the motion in seconds, above zero")
    if not (is_number(rtol) and 1e-13 <= rtol <= 1e-2):
        raise InputError(f"rtol is {rtol}; give the error per step, between 1e-13 and 0.01")
    cpu = time.thread_time()
    plan = compiled(rigid(machine), t_end, description)
    if not blows:
        refuse_jumping_rates(plan)
    path = _Path(plan, rtol, quiet)
    if not machine.n_modes:
        warn_of_locked(plan, path.rank)
    ends = PathEnds(plan, plan.work())
    ends.check_start(path.state)
    times, _ = output_times(t_end, output_step, None)
    states = [path.state]
    locked = None
    with progress(t_end, "kinematics", "s", show_progress) as bar:
        for before, t in pairwise(times):
            try:
                # what is not finite has an error of its own
                with np.errstate(divide="ignore", invalid="ignore"):
                    path.follow(t, shortest=1e-9 * t_end)
                raise_law_errors(plan)
                ends.check_motion(path.state)
            except (ConvergenceError, np.linalg.LinAlgError) as error:
                if (complaint := law_complaint(plan, t)) is not None:
                    raise complaint from error
                if not isinstance(error, ConvergenceError):
                    raise
                locked = error
                break
            states.append(path.state)
            bar.update(t - before)
    laws = LawHistory(plan, path.W, path.move_to, rtol)
    try:
        laws.along(times[: len(states)], path.start.law_states)
    except ConvergenceError as error:
        locked = error
    n = len(laws.found)
    found = _result(machine, plan, path, times[:n], states[:n], laws, time.thread_time() - cpu)
    if locked is not None:
        locked.result = found  # type: ignore[attr-defined]
        raise locked
    return found, path


@dataclass(frozen=True, eq=False)
class _PathState(MachineState):
    """A state on the path; its multipliers are not known yet."""

    revolutions: np.ndarray  # of counted coordinates, as in Start


class _Path:
    """The path through time of a machine whose drives determine its motion."""

    def __init__(self, plan: Plan, rtol: float, quiet: bool) -> None:
        self.plan, self.W = plan, plan.work()
        self.iterations = self.steps = self.rejected = 0
        start = consistent_start(plan, quiet=quiet)
        self.W.revolutions[:] = start.revolutions
        self.rank, self.undetermined, self.start = start.rank, start.undetermined, start
        self._check(start)
        self.step, self.reach, self.rtol = 0.0, np.inf, rtol
        self.state = _PathState(*(getattr(start, part.name) for part in fields(_PathState)))
        self.misses, self.jumps = new_misses(plan.layout.length), DriveJumps(plan)
        plan.look_for_corners(0.0, plan.t_end)
        self.corners, self.breaks = Corners(plan), list[tuple[_PathState, _PathState]]()
        self.passed = [self.state]  # all steps
        self.seen: deque[_PathState] = deque(
            maxlen=8
        )  # of an implicit method, which comes back to the same times
        G = jacobian(plan, self.W, start) / self._lengths()
        self.rolls = _rank(G[is_holonomic(plan.layout.row_kind)]) < _rank(G)
        if _rank(G) < start.rank:
            self._leave_dead_point()

    def _leave_dead_point(self) -> None:
        """Set the accelerations of the first state, at a dead point, by extrapolation from the states just after it."""
        moving = float(np.abs(self.state.v * self._lengths()).max())
        h = DEAD_POINT_STEP * float(self.plan.layout.length) / moving if moving else 0.0
        (one, _), (two, _) = self._try(h), self._try(2 * h)
        if one is not None and two is not None:
            self.state = replace(self.state, vdot=2 * one.vdot - two.vdot)
            self.passed[0] = self.state

    def _check(self, start) -> None:
        """Raise an error that names the bodies that can move, if the drives leave a degree of freedom."""
        free = self.plan.n_velocities - start.rank
        if free == 0:
            return
        G = jacobian(self.plan, self.W, start)
        motion = scipy.linalg.null_space(G, rcond=RANK_TOLERANCE).reshape(len(start.c), 6, -1)
        share = np.linalg.norm(motion, axis=(1, 2))
        names = [b.name for b, s in zip(self.plan.system.bodies, share, strict=True) if s > 0.1 * share.max()]
        raise InputError(
            f"kinematics needs a machine whose drives determine its motion; this one has {free} "
            f"{'degree' if free == 1 else 'degrees'} of freedom left, in which {listing(names)} can move. Add "
            f"{'a drive' if free == 1 else 'drives'}, prevent idle rotation (a universal joint in place of a spherical "
            "one), or use simulate"
        )

    def follow(self, t_end: float, shortest: float) -> None:
        """Advance to ``t_end``; raise ConvergenceError if no step is short enough."""
        last = self.steps + self.rejected + MAX_TRIES
        while self.state.t < t_end:
            self._pass_corner()
            if self.steps + self.rejected > last:
                raise ConvergenceError(
                    f"the path takes more than {MAX_TRIES} steps from one output to the next; it stands at t = "
                    f"{self.state.t:.6g} s. If the drives oscillate so fast, give a smaller output_step="
                )
            left = self.corners.next(self.state.t, t_end) - self.state.t
            h = left if not self.step else min(self.step, left)
            h = left if left < 1.5 * h else h
            found, miss = self._try(h)
            if found is None:
                self.rejected += 1
                self.step = 0.5 * h
                if self.step < shortest:
                    self._locked(miss, 4 * h)
                continue
            self.steps += 1
            self.state = found
            self.jumps.examine(self.misses)
            self.passed.append(found)
            self.step = min(2.0 * h if h < left else max(self.step, h), self.reach)

    def _pass_corner(self) -> None:
        """Go on behind the corner of a function of time, if the path stands at one; velocities may jump there."""
        s, t = self.state, self.corners.behind(self.state.t)
        if t is None:
            return
        L, equations = self.plan.layout, self.plan.formulation
        near, miss = replace(s, t=t), np.empty(self.plan.n_rows)
        place_state(self.plan, self.W, near)
        G, inverse = self._held(near)
        equations.velocity_residual(L, self.W, s.v, miss)
        v = s.v - inverse @ miss
        near = replace(near, v=v)
        equations.move(L, self.W, near)
        equations.biases(L, self.W, t, miss)
        self.state = replace(near, vdot=s.vdot - inverse @ (miss + G @ s.vdot))
        self.passed.append(self.state)
        self.corners.warn(s.t)
        self.breaks.append((s, self.state))

    def at(self, t: float) -> _PathState:
        """Return the state at a time (s) up to the present end of the path."""
        known = next((s for s in self.seen if s.t == t), None)
        if known is not None:
            return known
        here = self.passed[bisect_right(self.passed, t, key=lambda s: s.t) - 1]
        if here.t < t:
            scout = copy(self)
            scout.state, scout.passed, scout.step, scout.reach = here, [here], 0.0, np.inf
            scout.breaks = []
            scout.follow(t, 1e-9 * (t - here.t))
            here = scout.state
            self.seen.append(here)
        return here

    def move_to(self, t: float) -> None:
        """Set the frames and their velocities in ``W`` to a time (s) up to the present end of the path."""
        s = self.at(t)
        self.W.revolutions[:] = s.revolutions
        move_state(self.plan, self.W, s)

    def _locked(self, row: int, ahead: float) -> None:
        owner = self.plan.row_owner(row)
        jump = jump_near(self.plan, self.state.t, self.state.t + ahead)
        if jump is not None:
            raise ConvergenceError(f"the motion ends at t = {self.state.t:.6g} s: {jump}; {ADVICE}")
        if why := why_locked(self.plan, self.W, self.state):
            raise ConvergenceError(f"the machine can't go on at t = {self.state.t:.6g} s: {why}")
        raise ConvergenceError(
            f"the machine can't go on at t = {self.state.t:.6g} s: {owner} can't be kept closed any longer. Do the "
            "drives ask for more than the links reach, or does it stand at a point where it locks? (The error's "
            ".result holds the motion up to here)"
        )

    def _try(self, h: float) -> tuple[_PathState | None, int]:
        """Return the state ``h`` later and -1, or None and the row with the largest residual."""
        s, L = self.state, self.plan.layout
        t = s.t + h
        move_by = h * s.v + 0.5 * h * h * s.vdot
        self.W.revolutions[:] = s.revolutions
        expect_revolutions(self.W, h)
        near, error = self._predicted(h, move_by)
        self.reach = h * longer(error) if self.rolls else np.inf
        if not error <= 1.0:
            return None, int(np.argmax(~is_holonomic(L.row_kind)))
        scale = self._lengths()
        allowed = CORRECTION_LIMIT * np.abs(move_by * scale).max() + 1e-7 * L.length
        corrected = np.zeros_like(s.v)
        for _ in range(12):
            place_state(self.plan, self.W, near)
            if not corrected.any() and not meet_drives(L, self.W, self.misses):
                return None, self.misses.tried
            worst = int(np.argmax(np.abs(self.W.phi)))
            if np.abs(self.W.phi[worst]) <= CLOSURE_TOLERANCE * L.length:
                break
            self.iterations += 1
            change = -self._held(near)[1] @ self.W.phi
            corrected += change
            if not np.isfinite(change).all() or np.abs(corrected * scale).max() > allowed:
                return None, worst
            near = displaced(self.plan, near, change)
        else:
            return None, worst
        v = s.v + h * s.vdot
        G, inverse = self._held(near)
        miss = np.empty(self.plan.n_rows)
        self.plan.formulation.velocity_residual(L, self.W, v, miss)
        v = v - inverse @ miss
        # near a dead point the other way of assembly differs in velocity before it does in position
        if np.abs((v - s.v - h * s.vdot) * scale).max() * h > allowed:
            return None, worst
        if self.rolls and (row := self._contradicted(G, v)) >= 0:
            return None, row
        near = replace(near, v=v)
        self.plan.formulation.move(L, self.W, near)
        self.plan.formulation.biases(L, self.W, t, miss)
        vdot = s.vdot - inverse @ (miss + G @ s.vdot)  # in a dead point those nearest to the ones before
        if not measure_revolutions(L, self.W, h) or opposite_row(L, self.W) >= 0:
            return None, worst
        keep_misses(self.misses, s.t, t)
        count_revolutions(self.W)
        return replace(near, vdot=vdot, revolutions=self.W.revolutions.copy()), -1

    def _predicted(self, h: float, move_by: np.ndarray) -> tuple[_PathState, float]:
        """Return the predicted position after a time ``h``, and the ratio of integration error and tolerance."""
        s = replace(self.state, t=self.state.t + h)
        if not self.rolls:
            return displaced(self.plan, s, move_by), 0.0
        length = float(self.plan.layout.length)
        c, q, error = rolled(self._velocities, self.state.t, s.c, s.q, s.v, h, length)
        return replace(s, c=c, q=q), error / self.rtol

    def _velocities(self, t: float, c, q) -> np.ndarray:
        """Return the velocities that all constraint rows determine at a position."""
        _, inverse = self._held(replace(self.state, t=t, c=c, q=q))
        miss = np.empty(self.plan.n_rows)
        self.plan.formulation.velocity_residual(self.plan.layout, self.W, np.zeros_like(self.state.v), miss)
        return -inverse @ miss

    def _contradicted(self, G: np.ndarray, v: np.ndarray) -> int:
        """Return the row that the velocities at the present position violate most, or -1 if they satisfy all."""
        miss = np.empty(self.plan.n_rows)
        self.plan.formulation.velocity_residual(self.plan.layout, self.W, v, miss)
        speed = np.abs(self.W.phi_t).max() + (np.abs(G) @ np.abs(v)).max()
        worst = int(np.argmax(np.abs(miss)))
        return worst if np.abs(miss[worst]) > VELOCITY_TOLERANCE * speed else -1

    def _lengths(self) -> np.ndarray:
        """Return the factors that convert generalized velocities to m/s, (nv,)."""
        return np.tile([1.0] * 3 + [float(self.plan.layout.length)] * 3, len(self.state.c))

    def _held(self, s: MachineState) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows G (nr, nv) at the position of a state, which is placed, and their pseudo-inverse (nv, nr).

        The pseudo-inverse times b is the smallest x with G x = b.
        """
        G, scale = jacobian(self.plan, self.W, s), self._lengths()
        with few_threads(max(G.shape)):
            return G, np.linalg.pinv(G / scale, rcond=RANK_TOLERANCE) / scale[:, None]

    def loads(self, s: _PathState, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return multipliers (nr,), energies (3,) and dissipated and input power (2,) of a state.

        ``z`` (nz,): the states of force laws.
        """
        L, energy, equations = self.plan.layout, np.empty(3), self.plan.formulation
        self.W.revolutions[:] = s.revolutions
        self.W.law_mode = GIVEN
        self.W.law_state[:] = z
        equations.observe(L, self.W, s, energy)
        equations.residual(L, self.W, replace(s, multipliers=np.zeros(self.plan.n_rows)))
        G = jacobian(self.plan, self.W, s)
        with few_threads(max(G.shape)):
            inverse = np.linalg.pinv(G.T, rcond=RANK_TOLERANCE)
        multipliers = -inverse @ self.W.residual
        equations.move(L, self.W, s)
        add_reaction_friction(
            self.plan, self.W, lambda load: (0 * load, inverse @ load), np.zeros(len(s.v)), multipliers
        )
        equations.residual(L, self.W, replace(s, multipliers=multipliers))
        return multipliers, energy, self.W.power.copy()


def _rank(rows: np.ndarray) -> int:
    with few_threads(max(rows.shape)):
        return int(np.linalg.matrix_rank(rows, RANK_TOLERANCE * np.linalg.norm(rows, 2)))


def _result(
    machine: System,
    plan: Plan,
    path: _Path,
    t: np.ndarray,
    states: list[_PathState],
    laws: LawHistory,
    cpu: float,
) -> Result:
    """Return the rigid motion as a result of the given machine, its bodies undeformed."""
    full = make_plan(machine, float(t[-1]) or 1.0, plan.formulation)
    loads, of_laws = [], laws.found
    for s, z in zip(states, of_laws, strict=True):
        loads.append(path.loads(s, z))
        if not np.isfinite(loads[-1][0]).all():
            raise not_finite(plan, path.W, s.t)
    multipliers, energy, power = (np.array(x) for x in zip(*loads, strict=True))
    work = PathWork(path, laws.at).along(t, power, energy)
    c, q = np.array([s.c for s in states]), np.array([s.q for s in states])
    v = np.zeros((len(t), full.n_velocities))
    vdot = np.zeros_like(v)
    for b, body in enumerate(machine.bodies):
        at, own = full.rigid(b), plan.rigid(b)
        v[:, at] = [s.v[own] for s in states]
        vdot[:, at] = [s.vdot[own] for s in states]
        if np.any(body.mass_center):
            to_reference(matrices(q[:, b]), body.mass_center, c[:, b], v[:, at], vdot[:, at])
    statistics = Statistics(
        steps=path.steps, rejected=path.rejected, iterations=path.iterations, factorisations=0,
        loop_seconds=cpu, cpu_seconds=cpu, unknowns=plan.n_velocities + plan.n_rows, rank=path.rank,
        velocity_correction=path.start.velocity_correction, position_correction=path.start.position_correction,
        interrupted=False,
    )  # fmt: skip
    energies = np.column_stack([energy, work])
    alpha = np.zeros((len(t), machine.n_modes))
    counted = np.array([s.revolutions[:, 1] for s in states])
    return Result(
        full, t, c, q, alpha, v, vdot, _rescaled(plan, full, multipliers), of_laws, counted, energies, statistics,
        path.undetermined,
    )  # fmt: skip


def _rescaled(plan: Plan, full: Plan, multipliers: np.ndarray) -> np.ndarray:
    """Return the multipliers of the given machine: angles are scaled by its size as drawn; shapes have none."""
    out = np.zeros((len(multipliers), full.n_rows))
    for name, rows in plan.rows.items():
        its = full.rows[name]
        out[:, its] = multipliers[:, rows] * plan.layout.row_scale[rows] / full.layout.row_scale[its]
    return out
