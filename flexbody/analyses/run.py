"""The stored states of a run, and the messages of a run that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import NoReturn

import numpy as np

from fem.common.errors import ConstraintError, ConvergenceError, FlexbodyError, InputError, few, warn
from fem.common.foreseen import check_memory

from ..compile.force_elements import element_complaint
from ..compile.plan import Plan
from ..core.kinds import DONE, DRIVE_JUMPED, NO_CONVERGENCE, NOT_DEFINITE, PAUSED, SINGULAR, STUCK, TILT
from ..core.structures import Work
from ..equations.accelerations import accelerations
from ..equations.consistent_start import consistent_start
from ..equations.locked import why_locked
from ..equations.lost_connections import lost_connection, whirling
from ..equations.massless import check_held
from ..equations.rank_falls import drives_at_their_end, joints_losing_rank
from ..equations.reaction_friction import jams
from ..equations.start import Start
from ..formulations.state import MachineState
from ..integrators import Explicit
from ..integrators.base import Run, Within
from ..results.record import Record, Statistics
from ..results.stored_states import record_of, shapes
from .control_loops import MANY_STEPS, control_loops
from .deflections import DeflectionWatch
from .drive_jumps import jump_error
from .lift_off import flat_wheel
from .runaway import fastest

#: Largest residual of a redundant constraint, relative to the system's size.
REDUNDANCY_TOLERANCE = 1e-4
#: Bryant angle, rad, above which messages mention its limit, a quarter of a revolution.
BRYANT_ANGLE_NEAR_LIMIT = 1.4
#: Where a fixed step fails beside massless bodies, so many steps ahead are looked at, with what, and its steps.
AHEAD, AHEAD_BY, AHEAD_STEPS = 10, Explicit(rtol=1e-6), 1000
#: Interval in which drives are examined after a failure, relative to the duration of the run.
JUMP_WINDOW = 1e-3
#: Function that makes an array of a shape.
Make = Callable[[tuple[int, ...]], np.ndarray]


class Recording:
    """Stored states in arrays that grow if there are more states than ``expected``."""

    def __init__(self, plan: Plan, expected: int, make: Make = np.empty) -> None:
        self.plan, self.filled, kept = plan, 0, shapes(plan)
        self._names = [name for name, shape in kept.items() if name != "work" and 0 not in shape]
        if make is np.empty:
            each = 8.0 * (sum(prod(shape) for shape in kept.values()) + 8)  # and five energies, from three
            check_memory(expected, each, "stored states", "give a longer output_step, or save=")
        self.arrays = {name: make((expected, *shape)) for name, shape in kept.items()}

    def store(self, run: Run | Within) -> MachineState:
        """Store the state of a run, or one inside a step, with its dissipated and input energy; return the state."""
        k = self.filled
        if k == len(self.arrays["t"]):
            grown = {name: np.empty((2 * k + 8, *a.shape[1:])) for name, a in self.arrays.items()}
            for name, array in self.arrays.items():
                grown[name][:k] = array
            self.arrays = grown
        s = run.state
        for name in self._names:
            self.arrays[name][k] = getattr(s, name)
        self.arrays["work"][k] = run.work_done
        self.filled = k + 1
        return s

    def forget_after(self, t: float) -> None:
        """Remove the states behind a time (s), but for the first."""
        while self.filled > 1 and self.last > t:
            self.filled -= 1

    @property
    def last(self) -> float:
        """Time of the last stored state, s."""
        return float(self.arrays["t"][self.filled - 1])

    @property
    def stored(self) -> dict[str, np.ndarray]:
        """The arrays of the stored states."""
        return {name: array[: self.filled] for name, array in self.arrays.items()}

    def record(self, plan: Plan, statistics: Statistics, undetermined: tuple[str, ...]) -> Record:
        """Return the record of the stored states."""
        return record_of(plan, self.stored, statistics, undetermined)


def statistics(
    plan: Plan, start: Start, run: Run, seconds: float, cpu: float, interrupted: bool
) -> Statistics:
    """Return the cost of a run so far: ``seconds`` in the compiled loop, ``cpu`` in total."""
    counts = run.counts
    return Statistics(
        steps=counts.steps, rejected=counts.rejected, iterations=counts.iterations,
        factorisations=counts.factorisations, loop_seconds=seconds, cpu_seconds=cpu,
        unknowns=plan.n_velocities + plan.n_rows, rank=start.rank, velocity_correction=start.velocity_correction,
        position_correction=start.position_correction, interrupted=interrupted, method=run.name, why=run.why,
        vibrating=counts.vibrating,
    )  # fmt: skip


def check_state(plan: Plan, start: Start, run: Run, W: Work) -> None:
    """Raise an error where the present state of a run does not satisfy what its equations take for granted."""
    _check_redundant(plan, start, run, W)
    if (plan.layout.auxiliary_mass > 0).any():
        check_held(plan, W, run.state)


def _check_redundant(plan: Plan, start: Start, run: Run, W: Work) -> None:
    """Raise an error if a constraint that depended on others at the start is no longer satisfied."""
    if start.rank == plan.n_rows:
        return
    s, t = run.state, run.t
    W.revolutions[:] = run.work.revolutions
    plan.formulation.observe(plan.layout, W, s, np.empty(3))
    miss = np.abs(W.phi) * (run.work.active == 0)
    if miss.size and miss.max() > REDUNDANCY_TOLERANCE * plan.layout.length:
        if why := why_locked(plan, W, s):
            raise ConvergenceError(f"the run stops at t = {t:.6g} s: {why}")
        k = int(np.argmax(miss))
        raise ConvergenceError(
            f"the run stops at t = {t:.6g} s: {plan.row_owner(k)} followed from the others at "
            f"the start and contradicts them now (by {miss[k] / plan.layout.row_scale[k]:.3g} m or rad). "
            f"These are involved: {few(start.undetermined)}; remove one of them, or make them agree"
        )


def failure(
    plan: Plan, run: Run, status: int, fixed: bool, inputs: Mapping[str, np.ndarray] | None = None
) -> ConvergenceError | InputError:
    """Return the error of a failed run with its cause.

    fixed : the user gave the time step; inputs : the present values of the inputs of a machine that is stepped.
    """
    for law in plan.laws:
        complaint = law.complaint(run.t + run.step, run.t)
        if complaint is not None:
            return complaint
    if lost := _lost(plan, run, fixed):
        return ConvergenceError(f"the run stops at t = {run.t:.6g} s, step {run.step:.3g} s: {lost}")
    found = element_complaint(plan, run.work, run.t)
    if found is not None:
        return found
    jumps = jump_error(plan, run, max(2.0 * run.step, JUMP_WINDOW * float(run.times[-1] - run.times[0])))
    if jumps is not None:
        return jumps
    if status in (SINGULAR, STUCK, NO_CONVERGENCE) and (ended := _at_end_of_motion(plan, run)):
        return ConvergenceError(ended)
    if flat := flat_wheel(plan, run):
        return ConvergenceError(flat)
    driven = driven_growth(plan, run, inputs or {})
    if status == SINGULAR:
        other = f". If no joints are in such a position: {driven}" if driven else ""
        return ConvergenceError(_at_singular_position(plan, run) + other)
    row = run.bad_row
    owner = plan.row_owner(row) if 0 <= row < plan.n_rows else "no joint"
    if status == NO_CONVERGENCE:
        why = f"Newton's iteration does not converge (largest residual in {owner}{_angles_near_limit(plan, run)})"
    elif status == NOT_DEFINITE:
        why = "a body's mass matrix is not positive definite: its deformation has grown beyond the theory"
    elif status == DRIVE_JUMPED:
        why = f"{owner} is missed by more than a quarter of a turn in one step"
    elif status == STUCK:
        why = (
            "the error of the smallest step that round-off leaves is too large, or too many steps are needed"
        )
    else:
        torn = f"{owner} torn apart" if 0 <= row < plan.n_rows else "a load that is far too large"
        why = f"a value is not finite (a spring of zero length, a law that gives NaN, or {torn})"
    if jam := _jammed(plan, run):
        why = f"{jam} ({why})"
    mend = (
        "try a smaller step=, or leave step= out so that it is chosen"
        if fixed
        else "look at the motion so far (the error's .result): a singular position, a missing drive, loads far "
        "too large? Else try GeneralizedAlpha(rho_inf=0.5) or a smaller max_step"
    )
    if driven:
        why, mend = f"{driven} ({why})", f"else {mend}"
    return ConvergenceError(f"the run stops at t = {run.t:.6g} s, step {run.step:.3g} s: {why}; {mend}")


def _at_end_of_motion(plan: Plan, run: Run) -> str:
    """Return the message of drives whose coordinates can't change any further, or ""."""
    if _angles_near_limit(plan, run):
        return ""
    try:
        drives = drives_at_their_end(plan, plan.work(), run.state, run.work.active)
    except ConstraintError:
        return ""
    if not drives:
        return ""
    return (
        f"the run stops at t = {run.t:.6g} s, step {run.step:.3g} s: {few(drives)} can't be followed here, because the "
        "joints hardly let the driven coordinate change: it is at the end of its motion, as a rocker that can't turn "
        "over, or at a dead point, as a slider whose crank and rod are in line. Drive another coordinate, drive it "
        "less far, begin farther away, or change the lengths between the joints. The error's .result is the motion "
        "so far"
    )


def _at_singular_position(plan: Plan, run: Run) -> str:
    """Return the message of a method that can't pass a singular position."""
    joints = few(joints_losing_rank(plan, plan.work(), run.state, run.work.active))
    return (
        f"the run stops at t = {run.t:.6g} s, step {run.step:.3g} s: the machine comes to a singular position, where "
        f"constraints of these joints depend on each other: {joints}. {run.name} computes accelerations from the "
        "constraints, and has none there: use integrator=fb.GeneralizedAlpha(), which passes it"
    )


def _jammed(plan: Plan, run: Run) -> str:
    """Return a description of the friction that is about to jam, or ""."""
    W, s = plan.work(), run.state
    if not len(W.friction_record):
        return ""
    try:
        accelerations(plan, W, s)  # it leaves in W the derivatives of the multipliers by the friction forces
    except ConvergenceError as error:
        return str(error)
    plan.formulation.find_normal_forces(plan.layout, W, s.multipliers)
    return jams(plan, W)


def _lost(plan: Plan, run: Run, fixed: bool) -> str:
    """Return a description of the massless bodies that are about to lose what holds them, or "".

    A fixed step fails well before: shorter ones look what comes.
    """
    if not (plan.layout.auxiliary_mass > 0).any() or not np.isfinite(run.state.q).all():
        return ""
    try:
        check_held(plan, plan.work(), run.state)
    except InputError as error:
        return str(error)
    found = lost_connection(plan, run.state) or whirling(plan, run.state)
    if found or not fixed:
        return found
    until = run.t + AHEAD * run.step
    try:
        near = AHEAD_BY.begin(plan, consistent_start(plan, run.state, quiet=True), until, None)
        lost = near.advance(until, AHEAD_STEPS) not in (DONE, PAUSED) and lost_connection(plan, near.state)
    except FlexbodyError:
        return ""
    return f"at t = {near.t:.6g} s {lost}" if lost else ""


def _angles_near_limit(plan: Plan, run: Run) -> str:
    """Return the joints whose middle Bryant angle is near a quarter of a revolution, its limit, or ""."""
    bodies, values = {joint.name: joint for joint in plan.system.joints}, run.work.coordinate
    found = [
        f"'{which}' of '{name}'"
        for (name, which), value in zip(plan.coordinates, values, strict=False)
        if bodies[name].coordinates[which].kind == TILT and abs(value) > BRYANT_ANGLE_NEAR_LIMIT  # type: ignore[union-attr]
    ]
    return f"; {', '.join(found)} comes near a quarter of a turn, the limit of Bryant angles" if found else ""


def driven_growth(plan: Plan, run: Run, inputs: Mapping[str, np.ndarray]) -> str:
    """Return what has grown in a machine with controllers, or inputs that are not zero, in words.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        Its run.
    inputs : mapping of str to numpy.ndarray
        The values of its inputs.

    Returns
    -------
    str
        Empty if no controller acts on the machine and no input drives it.
    """
    loops = control_loops(plan.system, inputs)
    if not loops:
        return ""
    grown = [str(one) for one in DeflectionWatch(plan).deflections(run.state.all_alpha) if one.share > 1.0]
    moved = fastest(plan, run) if run.counts.steps else "its first step fails"
    return f"{'; '.join(grown or [moved])}. {loops}"


def warn_of_growth(
    plan: Plan, run: Run, since: float, inputs: Mapping[str, np.ndarray] | None = None
) -> None:
    """Warn that very many steps were needed since a time (s), if a control loop may be the cause."""
    if grown := driven_growth(plan, run, inputs or {}):
        warn(f"{MANY_STEPS} steps lead from t = {since:.6g} s to {run.t:.6g} s, and the run goes on: {grown}")


def fail(
    plan: Plan, run: Run, status: int, fixed: bool, inputs: Mapping[str, np.ndarray] | None = None
) -> NoReturn:
    """Raise the error of :func:`failure`."""
    raise failure(plan, run, status, fixed, inputs)
