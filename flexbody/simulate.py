"""Dynamics: from a system to its motion."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, replace

import numpy as np

from fem.common.errors import ConvergenceError, FileError, InputError
from fem.common.jit import announce_compilation, jit
from fem.common.progress import progress

from .advice import warn_of_frames, warn_of_stretch
from .initial import Start, consistent_start
from .integrators import Explicit, GeneralizedAlpha
from .integrators.alpha_kernel import advance as alpha_advance
from .integrators.base import (
    DONE,
    FACTORISATIONS,
    ITERATIONS,
    NO_CONVERGENCE,
    NOT_DEFINITE,
    PAUSED,
    REJECTED,
    STEPS,
    Run,
)
from .integrators.explicit_kernel import advance as explicit_advance
from .kernels.equations import energies, move, place
from .layout import Plan, make_plan
from .result import Result, Statistics
from .starts import Starting, first_state
from .store import check_place
from .system import System

logger = logging.getLogger("flexbody")

#: a chunk of compiled steps lasts about this long (s), so that progress and interrupts are prompt
CHUNK = 0.1
#: a redundant constraint is met to round-off; missed by this fraction of the system's size, it is none
BROKEN = 1e-4


def simulate(
    system: System,
    t_end: float,
    *,
    start: Starting | None = None,
    integrator: GeneralizedAlpha | Explicit | None = None,
    step: float | None = None,
    output_step: float | None = None,
    save: str | os.PathLike | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Integrate the equations of motion from t = 0 to ``t_end`` (s).

    start : :class:`AsDrawn` (the default), :class:`QuasiStatic` or :class:`Equilibrium`; or a state or a result of
    an earlier run, which goes on from there at its time. integrator : :class:`GeneralizedAlpha` (the default, which
    chooses its steps by the error) or :class:`Explicit`. step : fixed time step (s), short for
    ``integrator=GeneralizedAlpha(step=...)``; it is shortened a little to divide the run. output_step : time between
    stored states (s), by default a 500th of the run, or every step of a fixed-step run if those are fewer. save :
    HDF5 file for the result, written when the run ends, also where a step fails. show_progress : a progress bar; by
    default where standard error is a terminal.

    The start is made consistent with the joints. An interrupt (Ctrl-C) ends the run and returns, and saves, what
    was computed. Raises :class:`fem.ConstraintError` where the system can't be assembled, and
    :class:`fem.ConvergenceError` where a step fails, :class:`fem.InputError` where a law does; the error's
    ``result`` holds the run so far.
    """
    if not (np.isfinite(t_end) and t_end > 0):
        raise InputError(f"t_end is {t_end}; give the end of the run in seconds, above zero")
    method = integrator or GeneralizedAlpha()
    if step is not None:
        method = replace(method, step=step)
    if save is not None:
        check_place(save)
    loop = explicit_advance if isinstance(method, Explicit) else alpha_advance
    announce_compilation("the dynamics kernels", loop)
    cpu = time.process_time()
    warn_of_frames(system)
    plan = make_plan(system, t_end)
    t, state = first_state(plan, start, t_end)
    first = consistent_start(plan, state, t)
    warn_of_stretch(system, first.undetermined)
    recorder = _Recorder(plan, first, method.begin(plan, first, t_end, output_step), method.step is not None)
    try:
        recorder.go(t_end, show_progress)
    except (ConvergenceError, InputError) as error:
        error.result = recorder.result(time.process_time() - cpu)  # type: ignore[union-attr]
        if save is not None and isinstance(error, ConvergenceError):
            error.result.save(save)  # type: ignore[attr-defined]
        raise
    result = recorder.result(time.process_time() - cpu)
    if save is not None:
        try:
            result.save(save)
        except FileError as error:  # the disk is full, the folder has gone: the run is not lost
            error.result = result  # type: ignore[attr-defined]
            raise
    return result


@jit
def observe(L, W, c, q, alpha, v, t, out):
    """``out`` = kinetic, strain and gravity energy (J) of a state."""
    place(L, W, t, c, q, alpha)
    move(L, W, alpha, v)
    energies(L, W, c, alpha, v, out)


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


class _Recorder:
    """The Python around the compiled chunks: output, progress, interrupts, errors."""

    def __init__(self, plan: Plan, start: Start, run: Run, fixed: bool) -> None:
        self.plan, self.start, self.run, self.fixed = plan, start, run, fixed
        self.work = plan.work()
        nt, L, z = len(run.times), plan.layout, np.zeros
        self.out = _Outputs(
            z(nt), z((nt, len(L.body_mass), 3)), z((nt, len(L.body_mass), 4)), z((nt, L.alpha_at[-1])),
            z((nt, L.v_at[-1])), z((nt, L.v_at[-1])), z((nt, plan.n_rows)), z((nt, 5)),
        )  # fmt: skip
        self.seconds = 0.0
        self.interrupted = False

    def go(self, t_end: float, show: bool | None) -> None:
        """Run to the end, or to an interrupt, which keeps what was computed."""
        try:
            self._store()
            with progress(t_end - self.start.t, "simulating", "s", show) as bar:
                self._loop(bar)
        except KeyboardInterrupt:
            self.interrupted = True
            logger.warning("interrupted at t = %.6g s; what was computed is kept", self.run.t)

    def _loop(self, bar) -> None:
        run, steps = self.run, 32
        for t_out in run.times[1:]:
            status = PAUSED
            while status == PAUSED:
                wall, cpu, t, made = time.perf_counter(), time.process_time(), run.t, self._steps()
                status = run.advance(t_out, steps)
                self.seconds += time.process_time() - cpu
                self._heed_laws()
                if self._steps() - made >= steps:
                    steps = int(np.clip(steps * CHUNK / max(time.perf_counter() - wall, 1e-6), 8, 4 * steps))
                bar.update(run.t - t)
            if status != DONE:
                self._fail(status)
            self._store()
            self._check_redundant()

    def _heed_laws(self) -> None:
        """Raise what a law that is called back has raised, an interrupt included; the loop can't."""
        for law in self.plan.laws:
            if isinstance(law.error, KeyboardInterrupt):
                raise KeyboardInterrupt
            if law.error is not None:
                complaint = law.complaint()
                assert complaint is not None
                raise complaint from law.error

    def _steps(self) -> int:
        return int(self.run.count[STEPS] + self.run.count[REJECTED])

    def _store(self) -> None:
        out, k = self.out, self.out.filled
        c, q, alpha, v, vdot, multipliers = self.run.state
        values = np.empty(3)
        observe(self.plan.layout, self.work, c, q, alpha, v, self.run.t, values)
        out.t[k], out.c[k], out.q[k], out.alpha[k] = self.run.t, c, q, alpha
        out.v[k], out.vdot[k], out.multipliers[k] = v, vdot, multipliers
        out.energy[k, :3], out.energy[k, 3:] = values, self.run.work_done
        out.filled += 1

    def _check_redundant(self) -> None:
        """Stop where a constraint that the others implied at the start is no longer met."""
        miss = np.abs(self.work.phi) * (self.start.active == 0)
        if miss.size and miss.max() > BROKEN * self.plan.layout.length[0]:
            k = int(np.argmax(miss))
            raise ConvergenceError(
                f"the run stops at t = {self.run.t:.6g} s: {self.plan.row_owner(k)} followed from the others at "
                f"the start and contradicts them now (by {miss[k] / self.plan.layout.row_scale[k]:.3g} m or rad). "
                f"These are involved: {', '.join(self.start.undetermined)}; remove one of them, or make them agree"
            )

    def _fail(self, status: int) -> None:
        """Raise what went wrong, in words."""
        for law in self.plan.laws:
            complaint = law.complaint(self.run.t + self.run.step, self.run.t)
            if complaint is not None:
                raise complaint
        row = self.run.bad_row
        owner = self.plan.row_owner(row) if 0 <= row < self.plan.n_rows else "no joint"
        if status == NO_CONVERGENCE:
            why = f"Newton's iteration does not converge (largest residual in {owner})"
        elif status == NOT_DEFINITE:
            why = "a body's mass matrix is not positive definite: its deformation has grown beyond the theory"
        else:
            why = f"a value is not finite (a spring of zero length, a law that gives NaN, or {owner} torn apart)"
        mend = (
            "try a smaller step=, or leave step= out so that it is chosen"
            if self.fixed
            else "look at the motion so far (the error's .result): a singular position, a missing drive, loads far "
            "too large? Else try GeneralizedAlpha(rho_inf=0.5) or a smaller max_step"
        )
        raise ConvergenceError(
            f"the run stops at t = {self.run.t:.6g} s, step {self.run.step:.3g} s: {why}; {mend}"
        )

    def result(self, cpu: float) -> Result:
        """Return what has been computed; of a run that ended early its last state too."""
        if self.out.filled == 0 or self.run.t > self.out.t[self.out.filled - 1]:
            self._store()
        out, n, count = self.out, self.out.filled, self.run.count
        statistics = Statistics(
            steps=int(count[STEPS]), rejected=int(count[REJECTED]), iterations=int(count[ITERATIONS]),
            factorisations=int(count[FACTORISATIONS]), loop_seconds=self.seconds, cpu_seconds=cpu,
            unknowns=self.plan.n_velocities + self.plan.n_rows, rank=self.start.rank,
            velocity_correction=self.start.velocity_correction,
            position_correction=self.start.position_correction, interrupted=self.interrupted,
        )  # fmt: skip
        return Result(
            self.plan, out.t[:n], out.c[:n], out.q[:n], out.alpha[:n], out.v[:n], out.vdot[:n], out.multipliers[:n],
            out.energy[:n], statistics, self.start.undetermined,
        )  # fmt: skip
