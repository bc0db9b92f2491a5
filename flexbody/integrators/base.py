"""The interface of all integrators, and the common part of their runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from fem.common.errors import ConvergenceError, InputError
from fem.common.foreseen import check_memory, check_steps
from fem.common.numbers import is_number
from fem.common.values import Positive

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..core.structures import Counts, DriveMisses, Tracked, Work
from ..equations.start import Start
from ..formulations.state import MachineState
from ..functions.pulses import NO_PULSES, Pulses
from .not_followed import NotFollowed
from .ringing import Ringing

#: bytes that are needed for each output time
TIME_BYTES = 32.0
#: Smallest relative tolerance: about a hundred times round-off.
SMALLEST_TOLERANCE = 3e-14
#: A trial, by which a method or a description is chosen, lasts for this number of output intervals at most.
TRIAL_INTERVALS = 10
#: A fixed step is begun anew behind one that was shorter by this factor, as between a corner and an output.
GAP_STEP = 1e-4
#: Iterations times unknowns (about one second) below which a trial costs as much as the choice saves.
SHORTEST_RUN = 3e6


class Within(NamedTuple):
    """A state inside a step, with the dissipated and input energy, (2,), J, and the largest forces so far, (ne, 4)."""

    state: MachineState
    work_done: np.ndarray
    peaks: np.ndarray  # as Work.peak


class Striking(NamedTuple):
    """The force elements that set in in most steps, and how often all such forces set in.

    ``bodies`` is the largest number of bodies that rebound and act on each other (:func:`bodies_that_rebound`).
    """

    labels: tuple[str, ...]
    blows: int
    bodies: int


class Run(Protocol):
    """A run in progress: its state, and methods that advance it by a limited number of compiled steps."""

    times: np.ndarray  # output times, s
    why: str  # why this method was chosen

    @property
    def work(self) -> Work:
        """Working arrays of the compiled core."""

    @property
    def name(self) -> str:
        """Method and accuracy, as the user would write them."""

    @property
    def damps_vibrations(self) -> bool:
        """Whether vibrations that the steps do not resolve lose energy."""

    @property
    def keeps_energy(self) -> bool:
        """Whether the method has no numerical damping."""

    @property
    def is_explicit(self) -> bool:
        """Whether the method that runs at present is explicit."""

    @property
    def fixed(self) -> bool:
        """Whether the user has given the step."""

    @property
    def ringing(self) -> Ringing | None:
        """The vibration that determined most steps; None if the motion determined them."""

    @property
    def striking(self) -> Striking:
        """The force elements that set in in most steps."""

    lost_before: list[NotFollowed]  # by runs that this one goes on from

    @property
    def not_followed(self) -> list[NotFollowed]:
        """Vibrations of force elements that were not followed so far, the largest part of a force first."""

    @property
    def tolerance(self) -> float:
        """The tolerance ``rtol`` of the implicit method; 0 for other methods and for fixed steps."""

    @property
    def largest_tolerance(self) -> float:
        """The largest that it has used so far: by default it is larger where that does no harm."""

    @property
    def stiffest(self) -> float:
        """Highest frequency of a force element between the bodies as they are, rad/s; 0 where it is not known."""

    @property
    def top_speeds(self) -> np.ndarray:
        """Largest speeds of each body at steps, of motion and deformation, (nb, 2), m/s, root mean square over mass."""

    @property
    def counts(self) -> Counts:
        """Numbers of steps, rejected steps, iterations, factorisations and losses of rank."""

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual in a failed step, or -1."""

    @property
    def misses(self) -> DriveMisses:
        """Errors of the driven coordinates."""

    @property
    def t(self) -> float:
        """Time, s."""

    @property
    def step(self) -> float:
        """Last step, s."""

    @property
    def state(self) -> MachineState:
        """The state at ``t``; its arrays are those that the run changes as it continues."""

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy since the start, (2,), J."""

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps`` steps.

        Parameters
        ----------
        t_out : float
            Time to reach, s.
        max_steps : int
            Largest number of steps.

        Returns
        -------
        int
            DONE if ``t_out`` is reached, PAUSED after ``max_steps`` steps, otherwise the kind of failure.
        """

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state: other rows are kept (``work.active``)."""

    def change_velocities(self, change: np.ndarray) -> None:
        """Add a change (nv,) to the velocities of the bodies, which keeps the joints closed; a restart follows."""

    def go_behind(self, t: float, change: np.ndarray | None, work: float) -> None:
        """Go on behind a corner of a function of time.

        Parameters
        ----------
        t : float
            The time behind the corner, s: later by round-off.
        change : numpy.ndarray or None
            Change (nv,) of the velocities of the bodies; None where they do not jump.
        work : float
            Input energy, J.
        """

    def change_law_states(self, values: np.ndarray) -> None:
        """Set the states of force laws (nz,), and make accelerations and multipliers consistent with them."""

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance like :meth:`advance`, and read the joint coordinates ``tracked``.

        If ``restart`` is True, the loads have jumped at ``t``: accelerations and multipliers are first made consistent
        with them.
        """

    def look_ahead(self, t_out: float) -> None:
        """Look for pulses and corners up to ``t_out`` (s) in parts as long as the run, also behind its end."""

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or limit a variable step, to advance by ``interval`` (s)."""

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on; a copy of them restores the run."""

    @property
    def standing(self) -> Any:
        """What else the rest of the run depends on; a run that is set to it, and then to the arrays, goes back."""

    @standing.setter
    def standing(self, kept: Any) -> None: ...

    def again(self, start: Start, t_end: float, output_step: float | None) -> Run:
        """Return a run that goes on in the same way from another start: behind an event."""

    def learn(self, before: Run) -> None:
        """Take what was measured in the run before an event; that may have changed the machine."""

    def put_in(self, work: float) -> None:
        """Add to the input energy, J."""

    def remember(self) -> None:
        """Keep what :meth:`within` needs of the beginning of the next step."""

    def within(self, t: float) -> Within:
        """Return the state at a time inside the step since :meth:`remember`; the run stays at the end of the step."""


def output_times(t_end: float, output_step: float | None, step: float | None) -> tuple[np.ndarray, float]:
    """Return the output times (s) and the step (s), which is fixed or a first guess.

    Outputs are at multiples of the output step and at ``t_end``. A fixed step is shortened so that it divides
    ``t_end``, and the output step is rounded to a multiple of the fixed step.
    """
    if output_step is not None and not (is_number(output_step) and 0 < output_step <= t_end * (1 + 1e-12)):
        raise InputError(f"output_step is {output_step!r}; it must be between zero and t_end = {t_end} s")
    interval = output_step or t_end / 500
    check_steps(t_end, interval, "output_step")
    check_memory(t_end / interval, TIME_BYTES, "output times", "give a longer output_step")
    if step is not None:
        check_steps(t_end, step, "step")
    if step is None:
        marks = interval * np.arange(int(t_end / interval * (1 + 1e-12)) + 1)
        return np.append(marks[marks < t_end * (1 - 1e-9)], t_end), 1e-5 * t_end
    n = max(1, int(np.ceil(t_end / step * (1 - 1e-12))))
    every = max(1, round(interval * n / t_end))
    marks = np.unique(np.append(np.arange(0, n, every), n))
    return marks * (t_end / n), t_end / n


def describe_steps(step: float | None, rtol: float) -> str:
    """Return how a method chooses its steps, as text: ``step=...`` or ``rtol=...``."""
    return f"rtol={rtol:g}" if step is None else f"step={step:g}"


def check_positive(owner: str, values: dict[str, float | None]) -> None:
    """Raise :class:`fem.InputError` for a setting that is not above zero, or for contradictory bounds of the step.

    A relative tolerance ``rtol`` must also be above round-off, and below 1, where a result has no correct digit, unless
    ``max_step`` sets the steps.
    """
    for what, value in values.items():
        needed = what == "rtol"
        if (value is None and needed) or (value is not None and not Positive.takes(value)):
            raise InputError(f"{owner}: {what} is {value!r}; it must be above zero and finite")
    rtol = values.get("rtol")
    largest = 1.0 if values.get("max_step") is None else float("inf")
    if rtol is not None and not SMALLEST_TOLERANCE <= rtol < largest:
        where = "below round-off" if rtol < 1 else "more than the whole motion"
        raise InputError(
            f"{owner}: rtol is {rtol:g}, {where}; give a number from {SMALLEST_TOLERANCE:g} to below 1, such as 1e-6"
        )
    least, most = values.get("min_step"), values.get("max_step")
    if least is not None and most is not None and least > most:
        raise InputError(
            f"{owner}: min_step is {least:g} s, which is above max_step, {most:g} s; reduce min_step"
        )


def no_counts() -> Counts:
    """Return the counts at the start of a run."""
    return Counts(
        steps=0,
        rejected=0,
        iterations=0,
        factorisations=0,
        rank_losses=0,
        vibrating=0,
        striking=0,
        without_bristle=0,
    )


def untracked() -> Tracked:
    """Return an empty set of joint coordinates."""
    none = np.zeros(0, dtype=np.int64)
    return Tracked(frame=none.reshape(0, 2), number=none, value=np.zeros(0), rate=np.zeros(0))


NO_COORDINATES = untracked()


class CoreRun:
    """A run whose steps the compiled core makes; base class of runs.

    Parameters
    ----------
    method : integrator
        The integrator with its settings.
    plan : Plan
        The compiled system.
    start : Start
        The consistent start.
    t_end : float
        End of the run, s.
    output_step : float or None
        Distance of the output times, s.

    Notes
    -----
    A subclass sets ``_state``, the state of the core, and ``settings``; ``asked`` is the integrator that began it,
    where that is not ``method``.
    """

    why = ""
    asked: Any = None
    #: Where functions of time go to and fro, steps may be so many times as long as those that see them at their ends.
    of_period = 1.0
    settings: Any
    pulses: Pulses
    _state: Any
    _before: Any  # the beginning of the latest step, after `remember`
    _speeds: np.ndarray  # (n,) a view of the speeds in the state

    def __init__(
        self,
        method: Any,
        plan: Plan,
        start: Start,
        t_end: float,
        output_step: float | None,
        pulses: Pulses | None = None,
    ) -> None:
        self._method, self.plan, self.work = method, plan, plan.work()
        self.lost_before: list[NotFollowed] = []
        self.work.active[:] = start.active
        self.work.revolutions[:] = start.revolutions
        self.times, self._first_step = output_times(t_end - start.t, output_step, method.step)
        self._interval = float(self.times[1])
        self.times += start.t
        largest = float(method.max_step or self._interval)
        if pulses is None:
            pulses = plan.pulses(start.t, t_end, largest) if method.step is None else NO_PULSES
        self.pulses = pulses
        self._examined = start.t, t_end, largest
        plan.look_for_corners(start.t, t_end)
        self._largest = largest

    @property
    def damps_vibrations(self) -> bool:
        """False, unless a method says otherwise."""
        return False

    @property
    def keeps_energy(self) -> bool:
        """False, unless a method says otherwise."""
        return False

    @property
    def top_speeds(self) -> np.ndarray:
        """Largest speeds of each body at steps, (nb, 2), m/s, root mean square over mass."""
        S = self._state  # (columns RIGID_SPEED and MODAL_SPEED, TOP_RIGID_SPEED and TOP_MODAL_SPEED)
        return np.asarray(S.top_speed if hasattr(S, "top_speed") else S.top[:, 1:])

    @property
    def is_explicit(self) -> bool:
        """False, unless a method says otherwise."""
        return False

    @property
    def fixed(self) -> bool:
        """Whether the user has given the step."""
        return getattr(self._method, "step", None) is not None

    @property
    def ringing(self) -> Ringing | None:
        """None, unless a method says otherwise."""
        return None

    @property
    def striking(self) -> Striking:
        """None, unless a method says otherwise."""
        return Striking((), 0, 0)

    @property
    def not_followed(self) -> list[NotFollowed]:
        """Those of earlier runs, unless a method says otherwise."""
        return self.lost_before

    @property
    def tolerance(self) -> float:
        """0, unless a method says otherwise."""
        return 0.0

    @property
    def largest_tolerance(self) -> float:
        """The tolerance, unless a method says otherwise."""
        return self.tolerance

    @property
    def stiffest(self) -> float:
        """0, unless a method says otherwise."""
        return 0.0

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`Run`."""
        return self.proceed(t_out, max_steps, False, NO_COORDINATES)

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self.proceed(self.t, 1, True, NO_COORDINATES)

    def change_velocities(self, change: np.ndarray) -> None:
        """Add a change (nv,) to the velocities of the bodies, which keeps the joints closed; a restart follows."""
        plan = self.plan
        tree, work = plan.formulation.new_tree(), plan.work()
        self._speeds[:] += plan.formulation.speeds_of(plan.layout, work, tree, self.state, change)

    def go_behind(self, t: float, change: np.ndarray | None, work: float) -> None:
        """Go on behind a corner of a function of time; see :class:`Run`."""
        self._state.t = t
        if change is not None:
            self.change_velocities(change)
            self.put_in(work)
        self.restart()

    def change_law_states(self, values: np.ndarray) -> None:
        """Set the states of force laws (nz,), and make accelerations and multipliers consistent with them."""
        self.state.law_states[:] = values
        self.restart()

    @property
    def state(self) -> MachineState:
        """The state at ``t``."""
        raise NotImplementedError

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        raise NotImplementedError

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, from a restart if ``restart`` is True, and read the joint coordinates.

        Steps end where a function of time begins to change, and are short behind these times.
        """
        end = self.counts.steps + self.counts.rejected + max_steps
        while True:
            stop, first_step = self._next_stop(t_out)
            self.settings.max_step = self._longest(self.t, stop)
            status = self._make_steps(stop, max_steps, restart, tracked)
            if status == DONE:
                self._state.wanted = min(self._state.wanted, first_step)
            if status != DONE or stop >= t_out:
                return status
            max_steps, restart = end - self.counts.steps - self.counts.rejected, False
            if max_steps <= 0:
                return PAUSED

    def _make_steps(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance as :meth:`proceed` does, where no function of time begins to change on the way."""
        raise NotImplementedError

    def _longest(self, first: float, last: float) -> float:
        """Return the longest step between two times, s."""
        return min(self._largest, self.pulses.longest_between(first, last, self.of_period))

    def _next_stop(self, t_out: float) -> tuple[float, float]:
        """Return the time of the next change or ``t_out``, and the longest step behind it if a function changes, s."""
        times, near = self.pulses.times, 0.5 * self.pulses.least  # (differences by round-off don't count)
        k = int(np.searchsorted(times, self.t + near))
        if k == len(times):
            return t_out, np.inf
        change = float(times[k])
        stop = change if change < t_out - near else t_out
        return stop, float(self.pulses.steps[k]) if change < t_out + near else np.inf

    def look_ahead(self, t_out: float) -> None:
        """Look for pulses and corners up to ``t_out`` (s) in parts of the time as long as the run."""
        since, part = float(self.times[0]), float(self.times[-1] - self.times[0])
        begin = since + part * np.floor((self.t - since) / part * (1 + 1e-12))
        end = since + part * np.ceil((t_out - since) / part * (1 - 1e-12))
        self.plan.look_for_corners(since, float(end))
        if self._method.step is not None:
            return
        examined = float(begin), float(end), float(self._method.max_step or t_out - self.t)
        if examined != self._examined:
            self.pulses, self._examined = self.plan.pulses(*examined), examined
            self.fit(t_out - self.t)

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or limit a variable step, to advance by ``interval`` (s)."""
        step = self._method.step
        self._largest = float(self._method.max_step or interval)
        if step is not None:
            fitted = interval / max(1.0, np.ceil(interval / step * (1 - 1e-9)))
            if self._state.wanted < GAP_STEP * fitted:
                self.restart()  # differences over so short a step are round-off
            self._state.wanted = fitted

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on."""
        return (*self._state.memory(), *self.work.memory())

    @property
    def standing(self) -> None:
        """None: the arrays say all."""

    @standing.setter
    def standing(self, kept: None) -> None:
        """Nothing."""

    def again(self, start: Start, t_end: float, output_step: float | None) -> Run:
        """Return a run of the same method from another start."""
        run = (self.asked or self._method).begin(self.plan, start, t_end, output_step)
        run.why, run.lost_before = self.why, self.not_followed
        run.learn(self)
        return run

    def learn(self, before: Run) -> None:
        """Nothing is taken from the run before an event."""

    def put_in(self, work: float) -> None:
        """Add to the input energy, J."""
        self.work_done[1] += work

    def remember(self) -> None:
        """Keep the beginning of the next step."""
        self._before = [array.copy() for array in self.memory]

    def from_before(self, go: Callable[[], int]) -> Within:
        """Return the state that ``go`` reaches from the beginning of the step; the run stays at its end."""
        after = [array.copy() for array in self.memory]
        try:
            for array, value in zip(self.memory, self._before, strict=True):
                array[...] = value
            if go() != DONE:
                raise ConvergenceError(
                    f"the state inside the step that ends at t = {self.t:.6g} s can't be found"
                )
            return Within(self.state.copy(), self.work_done.copy(), self.work.peak.copy())
        finally:
            for array, value in zip(self.memory, after, strict=True):
                array[...] = value

    @property
    def misses(self) -> DriveMisses:
        """Errors of the driven coordinates."""
        return self._state.misses

    @property
    def t(self) -> float:
        """Time, s."""
        return self._state.t

    @property
    def step(self) -> float:
        """Last step, s."""
        return self._state.last

    @property
    def counts(self) -> Counts:
        """Numbers of steps, rejected steps, iterations or evaluations, factorisations and losses of rank."""
        return self._state.counts

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual in a failed step."""
        return self._state.bad_row
