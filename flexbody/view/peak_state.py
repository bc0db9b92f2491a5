"""The state of a run at the peak of a force, which lies between the stored states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem.common.errors import ConvergenceError, FlexbodyError, warn

from ..analyses.law_errors import raise_law_errors
from ..analyses.result import Result, State, state_of_row
from ..analyses.segment import Segment
from ..analyses.state_of_run import reader_of
from ..analyses.switching import Switchboard
from ..core.kinds import DONE, PAUSED, PEAK_FORCE, PEAK_MOMENT, PEAK_MOMENT_TIME, PEAK_TIME
from ..equations.consistent_start import consistent_start
from ..formulations.state import STATE_ARRAYS, MachineState
from ..integrators.explicit import Explicit
from ..integrators.generalized_alpha import GeneralizedAlpha
from ..results.peaks import forces_with_peaks

#: Times that differ by less than this part of the time between two states are one time.
SAME_TIME = 1e-6
#: The state is that of the peak if its force differs by less than this part.
SAME_FORCE = 0.05
#: Tolerance of the method, which begins without the past of the run; steps between two looks for its end.
PEAK_RTOL, STEPS_AT_ONCE = 1e-7, 1000


def with_state_of_peak(result: Result, time: float) -> Result:
    """Return a run with the state at ``time`` among its states, if a force has its peak there between two of them.

    The state is computed again, from the stored state before it. Where that gives another force, or fails, the run is
    returned as it is, and a warning tells that forces are interpolated.

    Parameters
    ----------
    result : Result
        The run.
    time : float
        Time, s.

    Returns
    -------
    Result
        The run.
    """
    k = int(np.searchsorted(result.t, time, side="right")) - 1
    if not 0 <= k < len(result.t) - 1:
        return result
    near = SAME_TIME * float(result.t[k + 1] - result.t[k])
    found = _peak_at(result, time, near)
    if found is None or min(time - result.t[k], result.t[k + 1] - time) <= near:
        return result
    name, column, force = found
    try:
        more = _with_state(result, k, time)
        here = forces_with_peaks(more.element(name))[column]
        if here is not None and abs(here[k + 1] - force) < SAME_FORCE * abs(force):
            return more
    except FlexbodyError:
        pass
    warn(
        f"the picture at t = {time:.6g} s, the peak of the force of '{name}', shows forces that are interpolated "
        f"between the stored states at {result.t[k]:.6g} and {result.t[k + 1]:.6g} s: the state of the peak can't be "
        "computed again from the one before. A run with a shorter output_step shows it"
    )
    return result


def _peak_at(result: Result, time: float, near: float) -> tuple[str, int, float] | None:
    """Return the element, whether it is its moment (1), and the size of the peak at a time (s), if there is one."""
    for name, kept in result.peaks.items():
        for column, (size, at) in enumerate(((PEAK_FORCE, PEAK_TIME), (PEAK_MOMENT, PEAK_MOMENT_TIME))):
            if kept[size] != 0.0 and abs(kept[at] - time) <= near:
                return name, column, kept[size]
    return None


def _with_state(result: Result, k: int, time: float) -> Result:
    """Return the run with the state at a time (s) behind its state ``k``, computed from that one."""
    found, work_done = _computed(state_of_row(result, k), time)
    more = {name: getattr(found, name)[None] for name in STATE_ARRAYS}
    arrays = {name: np.insert(getattr(result, name), k + 1, values, 0) for name, values in more.items()}
    energies = State(result.plan, found).result.energies[0]
    energies[3:] = result.energies[k, 3:] + work_done
    return replace(
        result,
        t=np.insert(result.t, k + 1, time),
        energies=np.insert(result.energies, k + 1, energies, 0),
        events=tuple(replace(one, row=one.row + (one.row > k)) for one in result.events),
        **arrays,
    )


def _computed(before: State, time: float) -> tuple[MachineState, np.ndarray]:
    """Return the state at a time (s), computed from an earlier one, with what was dissipated and put in (2,), J."""
    plan = before.plan
    board = Switchboard(plan, time, plan.formulation, before.switched_off)
    start = consistent_start(board.part, board.of_part(before.numbers), quiet=True)
    method = GeneralizedAlpha(rtol=PEAK_RTOL) if board.part.formulation.implicit else Explicit(rtol=PEAK_RTOL)
    run = method.begin(board.part, start, time, None)
    read = reader_of(plan)
    segment = Segment(board.part, start, run, lambda s: read(board.of_whole(s), board.off))
    segment.sampling.act(run)
    while run.t < time:
        segment.corners.pass_by(run)
        stop, status = segment.next_stop(time), PAUSED
        while status == PAUSED:
            status = run.advance(stop, STEPS_AT_ONCE)
            raise_law_errors(board.part)
        if status != DONE:
            raise ConvergenceError(f"no state at t = {time:.6g} s")
        segment.sampling.act(run)
    return board.of_whole(run.state), run.work_done
