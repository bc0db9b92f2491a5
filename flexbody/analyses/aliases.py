"""Vibrations of forces that the stored states show as other vibrations, because there are too few states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem.common.errors import few, warn

from ..compile.plan import Plan
from ..core.kinds import TURN_COUNT, TURN_LAST, TURN_SINCE, TURN_SIZE
from ..core.structures import Work
from ..integrators.base import Run
from .work_watch import WorkWatch

#: With fewer stored states in a period the vibration can't be seen; two are the least (H. Nyquist, 1928).
FEW_STATES = 2.5
#: A force vibrates if it has turned so often.
MANY_TURNS = 20
#: Steps that follow a vibration are so many in a period.
FOLLOWED = 2.8
#: Forces along a deformation below this part of the largest of their element don't count.
SMALL_PART = 0.1
#: So many states in a period show its peaks to 1 %, as so many steps do.
SHOWN = 20.0


class Vibration(NamedTuple):
    """The force of an element that vibrates: its period, s, and the mean step, s; ``resolved`` by the steps or not."""

    period: float
    step: float
    resolved: bool


class AliasWatch(WorkWatch):
    """The force elements that vibrate, as their runs have counted."""

    def __init__(self) -> None:
        super().__init__()
        self._found: dict[str, Vibration] = {}  # the shortest period, by the name of the element
        self._lost: set[str] = set()  # the elements that are told as not followed
        self._fixed = self._explicit = False

    def warn(self, interval: float) -> None:
        """Warn of elements that vibrate faster than states are stored, but for those that steps have not followed.

        Parameters
        ----------
        interval : float
            Time between two stored states, s.
        """
        self.read()
        fast = {
            name: one
            for name, one in self._found.items()
            if one.period < FEW_STATES * interval and name not in self._lost
        }
        if not fast:
            return
        name, one = min(fast.items(), key=lambda item: item[1].period)
        also = [other for other in fast if other != name]
        others = f", and {few([repr(other) for other in also])} too fast as well" if also else ""
        shows = f"states are stored every {interval:.3g} s: curves and tables show another, slower vibration"
        if not one.resolved:
            steps, remedy = (
                "steps of the run",
                "a smaller step" if self._fixed else "a smaller rtol or max_step",
            )
            remedy += " and an output_step of that size, or integrator=fb.Explicit()"
            if self._explicit:  # (it has handed over)
                steps = "implicit steps with which the run began"
                remedy = "integrator=fb.Explicit() from the beginning on, and a smaller output_step"
            warn(
                f"the force of '{name}' vibrates{others}, and {shows}. The {steps}, {one.step:.2g} s on average, "
                f"hardly resolve it, so that its frequency and largest force are not known; take {remedy}"
            )
            return
        to_show = float(f"{one.period / SHOWN:.1g}")
        if self._fixed:
            to_show = max(to_show, one.step)
        warn(
            f"the force of '{name}' vibrates at about {1.0 / one.period:.3g} Hz{others}, but {shows}. "
            f"Steps resolve it: result.element('{name}').peak is its largest force, and output_step={to_show:.3g} "
            "shows the vibration"
        )

    def _read(self, run: Run, plan: Plan, W: Work) -> None:
        """Keep the shortest period of each element that the run has counted."""
        step = (run.t - float(run.times[0])) / max(run.counts.steps, 1)
        turns, lasted = W.turned[:, TURN_COUNT], W.turned[:, TURN_LAST] - W.turned[:, TURN_SINCE]
        lost, self._fixed = {one.label for one in run.not_followed}, run.fixed
        self._explicit = run.is_explicit
        for e, element in enumerate(plan.elements.elements):
            if element.label in lost:
                self._lost.add(element.name)
            part = plan.elements.deformations(e)
            sizes = W.turned[part, TURN_SIZE]
            counted = (turns[part] >= MANY_TURNS) & (sizes > SMALL_PART * sizes.max(initial=0.0))
            if not np.any(counted):
                continue
            period = float(np.min(2.0 * lasted[part][counted] / (turns[part][counted] - 1.0)))
            known = self._found.get(element.name)
            if period > FOLLOWED * step and (known is None or period < known.period):
                resolved = run.keeps_energy or run.is_explicit or period > 0.99 * SHOWN * step
                resolved = resolved and not (run.is_explicit and known is not None and not known.resolved)
                self._found[element.name] = Vibration(period, step, resolved)
