"""Dynamics: from a system to its motion."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fem.common.errors import ConvergenceError, FileError, InputError
from fem.common.jit import announce_compilation
from fem.common.progress import progress

from .initial import Start, accelerations, consistent_start
from .integrators import GeneralizedAlpha
from .integrators.alpha_kernel import (
    DONE,
    FACTORISATIONS,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_DEFINITE,
    PAUSED,
    REJECTED,
    STEPS,
    State,
    Trial,
    advance,
    observe,
)
from .kernels.arrays import Work
from .kernels.rotation import turned_euler
from .layout import Plan, make_plan
from .result import Result, Statistics
from .system import System

logger = logging.getLogger("flexbody")

#: a chunk of compiled steps lasts about this long (s), so that progress and interrupts are prompt
CHUNK = 0.1


def simulate(
    system: System,
    t_end: float,
    *,
    integrator: GeneralizedAlpha | None = None,
    step: float | None = None,
    output_step: float | None = None,
    save: str | os.PathLike | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Integrate the equations of motion from the drawn position at t = 0 to ``t_end`` (s).

    integrator : :class:`GeneralizedAlpha`; its default chooses the steps by the error. step : fixed time step (s),
    short for ``integrator=GeneralizedAlpha(step=...)``; it is shortened a little to divide ``t_end``.
    output_step : time between stored states (s), by default a 500th of ``t_end``, or every step of a fixed-step
    run if those are fewer. save : HDF5 file for the result, written when the run ends. show_progress : a progress
    bar; by default where standard error is a terminal.

    The start is made consistent with the joints. An interrupt (Ctrl-C) ends the run and returns, and saves, what
    was computed. Raises :class:`fem.ConstraintError` where the system can't be assembled, and
    :class:`fem.ConvergenceError` where a step fails; the error's ``result`` holds the run so far.
    """
    if not (np.isfinite(t_end) and t_end > 0):
        raise InputError(f"t_end is {t_end}; give the end of the run in seconds, above zero")
    method = integrator or GeneralizedAlpha()
    if step is not None:
        method = replace(method, step=step)
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise FileError(f"can't save to {save}: the folder {Path(save).absolute().parent} does not exist")
    if announce_compilation("the dynamics kernels", advance):
        logger.info("later runs, also of other systems, start at once")
    cpu = time.process_time()
    plan = make_plan(system, t_end)
    start = consistent_start(plan)
    run = _Run(plan, start, method, t_end, output_step)
    try:
        run.go(show_progress)
    except ConvergenceError as error:
        error.result = run.result(time.process_time() - cpu)  # type: ignore[attr-defined]
        raise
    result = run.result(time.process_time() - cpu)
    if save is not None:
        result.save(save)
    return result


@dataclass
class _Outputs:
    """The stored states, filled one after the other."""

    t: np.ndarray
    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray
    energy: np.ndarray  # kinetic, strain, potential, dissipated, input
    filled: int = 0


class _Run:
    """One run of the time loop: the state, the outputs, and the Python around the compiled chunks."""

    def __init__(
        self, plan: Plan, start: Start, method: GeneralizedAlpha, t_end: float, output_step: float | None
    ):
        self.plan, self.start, self.method, self.t_end = plan, start, method, t_end
        self.W: Work = plan.work()
        self.times, self.settings, first = _schedule(method, t_end, output_step)
        self.state = self._state(first)
        self.trial = _trial(plan)
        nt, L = len(self.times), plan.layout
        z = np.zeros
        self.out = _Outputs(
            self.times.copy(), z((nt, len(L.body_mass), 3)), z((nt, len(L.body_mass), 4)), z((nt, L.alpha_at[-1])),
            z((nt, L.v_at[-1])), z((nt, L.v_at[-1])), z((nt, plan.n_rows)), z((nt, 5)),
        )  # fmt: skip
        self.seconds = 0.0
        self.interrupted = False

    def go(self, show: bool | None) -> None:
        """Run to the end, or to an interrupt."""
        S = self.state
        self._store()
        steps = 64
        with progress(self.t_end, "simulating", "s", show) as bar:
            for t_out in self.times[1:]:
                status = PAUSED
                while status == PAUSED:
                    began, cpu, before = time.perf_counter(), time.process_time(), S.time[0]
                    counted = S.count[STEPS] + S.count[REJECTED]
                    try:
                        status = advance(self.plan.layout, self.W, S, self.trial, t_out, self.settings, steps)
                    except KeyboardInterrupt:
                        self._interrupt()
                        return
                    self.seconds += time.process_time() - cpu
                    used = time.perf_counter() - began
                    made = S.count[STEPS] + S.count[REJECTED] - counted
                    if made >= steps:
                        steps = int(np.clip(steps * CHUNK / max(used, 1e-6), 16, 4 * steps))
                    bar.update(S.time[0] - before)
                if status != DONE:
                    self._fail(status)
                try:
                    self._store()
                except KeyboardInterrupt:
                    self._interrupt()
                    return

    def _interrupt(self) -> None:
        self.interrupted = True
        logger.warning("interrupted at t = %.6g s; what was computed is kept", self.state.time[0])

    def _store(self) -> None:
        S, out, k = self.state, self.out, self.out.filled
        values = np.empty(3)
        observe(self.plan.layout, self.W, S.c, S.q, S.alpha, S.v, S.time[0], values)
        S.time[3] = 0.0 if k == 0 else S.time[3]
        out.t[k], out.c[k], out.q[k], out.alpha[k] = S.time[0], S.c, S.q, S.alpha
        out.v[k], out.vdot[k], out.multipliers[k] = S.v, S.vdot, S.multipliers[: self.plan.n_rows]
        out.energy[k, :3], out.energy[k, 3:] = values, S.energy[:2]
        out.filled += 1

    def _state(self, h: float) -> State:
        s, L, plan = self.start, self.plan.layout, self.plan
        alpha_m, alpha_f = self.settings[0], self.settings[1]
        jerk = _jerk(plan, self.W, s, h)
        powers = _powers(plan, self.W, s)
        return State(
            time=np.array([0.0, h, h, 0.0]), c=s.c.copy(), q=s.q.copy(), alpha=s.alpha.copy(), v=s.v.copy(),
            vdot=s.vdot.copy(), a=s.vdot + (alpha_m - alpha_f) * h * jerk, jerk=jerk,
            multipliers=s.multipliers.copy(), multipliers_rate=np.zeros(plan.n_rows),
            energy=np.array([0.0, 0.0, powers[0], powers[1]]), scale=np.zeros(2 * len(L.body_mass) + 1),
            compliance=np.zeros(len(L.spring_frame)), count=np.zeros(5, dtype=np.int64),
            bad=np.full(1, -1, dtype=np.int64),
        )  # fmt: skip

    def _fail(self, status: int) -> None:
        """Raise what went wrong, in words."""
        for law in self.plan.laws:
            if law.error is not None:
                raise InputError(
                    f"{law.what}: the function fails at t = {self.state.time[0]:.6g} s"
                ) from law.error
        t, h = self.state.time[0], self.state.time[2]
        row = int(self.state.bad[0])
        owner = self.plan.row_owner(row) if 0 <= row < self.plan.n_rows else "no joint"
        if status == NO_CONVERGENCE:
            why = f"Newton's iteration does not converge (largest residual in {owner})"
        elif status == NOT_DEFINITE:
            why = "a body's mass matrix is not positive definite: its deformation has grown beyond the theory"
        else:
            why = f"a value is not finite (a spring of zero length, a law that gives NaN, or {owner} torn apart)"
        mend = (
            "try a smaller step=, or leave step= out so that it is chosen"
            if self.method.step
            else "look at the motion so far (the error's .result): a singular position, a missing drive, loads far "
            "too large? Else try GeneralizedAlpha(rho_inf=0.5) or a smaller max_step"
        )
        raise ConvergenceError(f"the run stops at t = {t:.6g} s, step {h:.3g} s: {why}; {mend}")

    def result(self, cpu: float) -> Result:
        """Return what has been computed."""
        out, n, count = self.out, self.out.filled, self.state.count
        statistics = Statistics(
            steps=int(count[STEPS]), rejected=int(count[REJECTED]), iterations=int(count[ITERATIONS]),
            factorisations=int(count[FACTORISATIONS]), loop_seconds=self.seconds, cpu_seconds=cpu,
            unknowns=self.plan.n_velocities + self.plan.n_rows, rank=self.start.rank,
            velocity_correction=self.start.velocity_correction,
            position_correction=self.start.position_correction, interrupted=self.interrupted,
        )  # fmt: skip
        parts = (out.t, out.c, out.q, out.alpha, out.v, out.vdot, out.multipliers, out.energy)
        return Result(self.plan, *(x[:n] for x in parts), statistics, self.start.undetermined)


def _schedule(method: GeneralizedAlpha, t_end: float, output_step: float | None):
    """Return output times, the kernel's settings and the first step."""
    if output_step is not None and not 0 < output_step <= t_end * (1 + 1e-12):
        raise InputError(f"output_step is {output_step}; it must lie between zero and t_end = {t_end} s")
    settings = np.zeros(11)
    settings[:5] = method.coefficients()
    settings[6], settings[7], settings[10] = method.newton_rtol, method.max_iterations, method.index == 2
    if method.step is not None:
        n = max(1, int(np.ceil(t_end / method.step * (1 - 1e-12))))
        h = t_end / n
        every = max(1, round((output_step or t_end / 500) / h))
        marks = np.unique(np.append(np.arange(0, n, every), n))
        return marks * h, settings, h
    n = max(1, int(np.ceil(t_end / (output_step or t_end / 500) * (1 - 1e-12))))
    interval = t_end / n
    largest = method.max_step or interval
    settings[5], settings[8], settings[9] = method.rtol, method.min_step or 1e-9 * t_end, largest
    return np.linspace(0.0, t_end, n + 1), settings, min(largest, 1e-5 * t_end)


def _trial(plan: Plan) -> Trial:
    L = plan.layout
    nb, na, nv, m = len(L.body_mass), int(L.alpha_at[-1]), plan.n_velocities, len(L.row_at)
    z = np.zeros
    return Trial(
        z((nb, 3)),
        z((nb, 4)),
        z(na),
        z(nv),
        z(nv),
        z(nv),
        z(plan.n_rows),
        z(nv),
        z(m),
        z(nv),
        z(nv),
        z(nv),
        z(plan.n_rows),
    )


def _jerk(plan: Plan, W: Work, s: Start, h: float) -> np.ndarray:
    """Rate of the accelerations at the start, by a central difference over two consistent neighbours."""
    L, found, q = plan.layout, [], np.empty(4)
    for dt in (-0.5 * h, 0.5 * h):
        move = dt * s.v + 0.5 * dt * dt * s.vdot
        near_c, near_q, near_alpha = s.c.copy(), s.q.copy(), s.alpha.copy()
        for b, first in enumerate(L.v_at[:-1]):
            near_c[b] += move[first : first + 3]
            turned_euler(s.q[b], move[first + 3 : first + 6], q)
            near_q[b] = q
            near_alpha[L.alpha_at[b] : L.alpha_at[b + 1]] += move[first + 6 : L.v_at[b + 1]]
        found.append(accelerations(plan, W, dt, near_c, near_q, near_alpha, s.v + dt * s.vdot)[0])
    return (found[1] - found[0]) / h


def _powers(plan: Plan, W: Work, s: Start) -> np.ndarray:
    """Dissipated and input power at the start, W."""
    from .kernels.equations import move, place, residual

    place(plan.layout, W, 0.0, s.c, s.q, s.alpha)
    move(plan.layout, W, s.alpha, s.v)
    residual(plan.layout, W, 0.0, s.alpha, s.v, s.vdot, s.multipliers)
    return W.power.copy()
