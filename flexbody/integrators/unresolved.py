"""How much of a machine's vibrations the implicit method leaves unresolved, by an explicit method over short times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.kinds import C8, DONE, ELASTIC, PAUSED
from ..equations.start import Start
from ..equations.state import move_state
from ..formulations.state import MachineState
from .base import CoreRun
from .explicit import Explicit
from .generalized_alpha import AlphaRun
from .handing_over import following

#: Deformations below this part of the way of the machine, or of its length, need not be right in themselves.
SMALLEST_PART, SMALLEST_SIZE = 1e-4, 1e-9
#: The methods are compared at so many times, in a time that is this part of the run.
LOOKS, LOOKED_AT = 5, 0.01
#: Steps between two looks for an end of the comparison.
STEPS_AT_ONCE = 32


class Unresolved(NamedTuple):
    """The error of the deformations at the end of a run, as a part of the largest, and the rate of explicit steps.

    ``size`` is the largest deformation that was seen, as a part of the way of the machine.
    """

    error: float
    steps: float  # 1/s
    size: float


class Comparison:
    """A run of the implicit method that is compared with the explicit one, over short times on its way.

    Parameters
    ----------
    run : AlphaRun
        The run of the implicit method.
    explicit : Explicit
        The explicit method.
    start : Start
        Where the run began.
    t_end : float
        End of the run, s.
    """

    def __init__(self, run: AlphaRun, explicit: Explicit, start: Start, t_end: float) -> None:
        self._run, self._explicit, self._start, self._t_end = run, explicit, start, t_end
        self._work = run.plan.work()
        self._work.active[:] = start.active
        plan = run.plan
        # factors of the modal masses over the mass: norms are root mean squares over mass, m
        self._factors = [
            np.linalg.cholesky(plan.coefficient(C8, b)).T / np.sqrt(body.mass) if body.n_modes else None
            for b, body in enumerate(plan.system.bodies)
        ]
        self._first = self._deformations(start)

    def look(self, t: float, rate: float) -> Unresolved | None:
        """Advance both methods from ``t`` on, or from the time that is reached.

        Parameters
        ----------
        t : float
            Time, s.
        rate : float
            More explicit steps per second than this end the comparison.

        Returns
        -------
        Unresolved or None
            What is found; None if a method fails, or the explicit one takes more steps.

        Notes
        -----
        What the implicit method makes wrong in this time counts as often as the time fits into the rest of the run, but
        not more than the amplitude.
        """
        run, duration = self._run, self._t_end - self._start.t
        begin = max(t, run.t)
        times = begin + LOOKED_AT * duration * np.arange(1, LOOKS + 1) / LOOKS
        if times[-1] >= self._t_end or not _reaches(run, begin):
            return None
        interval = float(run.times[1] - run.times[0])
        other = following(self._explicit, run, run.state.copy(), self._start, self._t_end, interval)
        if other is None:
            return None
        most = int(rate * LOOKED_AT * duration) + STEPS_AT_ONCE
        errors: list[list[np.ndarray]] = []
        sizes: list[list[np.ndarray]] = []
        for time in times:
            if not (_reaches(other, time, most) and _reaches(run, time)):
                return None
            one, two = (self._deformations(x.state) for x in (run, other))
            errors.append([np.abs(a - b) for a, b in zip(one, two, strict=True)])
            sizes.append([np.abs(a - b) for a, b in zip(two, self._first, strict=True)])
            if time == times[0]:  # (the first steps have guessed sizes)
                before = other.counts.steps + other.counts.rejected
        if other.counts.rank_losses > 0:
            return None
        steps = (other.counts.steps + other.counts.rejected - before) / (times[-1] - times[0])
        rest = (self._t_end - times[-1]) / (times[-1] - begin)
        way = max(run.way(duration), np.finfo(float).tiny)
        size = max(float(np.max(x, initial=0.0)) for each in sizes for x in each) / way
        return Unresolved(self._largest(errors, sizes, rest), steps, size)

    def _largest(self, errors: list[list[np.ndarray]], sizes: list[list[np.ndarray]], rest: float) -> float:
        """Return the largest error of a deformation at the end of the run over its size."""
        run, L = self._run, self._run.plan.layout
        held = (L.element[L.deformation_element, ELASTIC] != 0) & (run.compliance > 0.0)
        least = max(SMALLEST_PART * run.way(self._t_end - self._start.t), SMALLEST_SIZE * float(L.length))
        found = 0.0
        for part, (parts, all_sizes) in enumerate(
            zip(zip(*errors, strict=True), zip(*sizes, strict=True), strict=True)
        ):
            if part == 0:  # each deformation of an element by itself
                error, size = (np.max(x, axis=0)[held] for x in (parts, all_sizes))
                reference = np.maximum(size, least)
            else:
                error, size = (np.max(np.linalg.norm(x, axis=1), keepdims=True) for x in (parts, all_sizes))
                reference = np.maximum(size, max(least, float(run.largest_deformations[part - 1])))
            found = max(found, float(np.max(np.minimum(rest * error, 2.0 * size) / reference, initial=0.0)))
        return found

    def _deformations(self, state: MachineState | Start) -> list[np.ndarray]:
        """Return the deformations of the elements, m (angles times the machine's length), and those of each body, m."""
        plan, W = self._run.plan, self._work
        move_state(plan, W, state)
        plan.formulation.residual(plan.layout, W, state)
        turns = ~np.any(W.deformation_slope[:, [0, 2]], axis=(1, 2))
        return [
            W.deformation * np.where(turns, plan.layout.length, 1.0),
            *(
                np.zeros(1) if factor is None else factor @ state.all_alpha[plan.modal(b)]
                for b, factor in enumerate(self._factors)
            ),
        ]


def _reaches(run: CoreRun, t: float, most: float = np.inf) -> bool:
    """Advance a run to a time; return whether it got there, with so many steps at most."""
    status = DONE
    while run.t < t:
        status = run.advance(t, STEPS_AT_ONCE)
        if status not in (DONE, PAUSED) or run.counts.steps + run.counts.rejected > most:
            return False
    return status in (DONE, PAUSED)
