"""Vibrations of forces that the stored states show as other vibrations, because there are too few states."""

from __future__ import annotations

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
#: So many states in a period show its peaks to 1 %.
SHOWN = 20.0


class AliasWatch(WorkWatch):
    """The force elements that vibrate, as their runs have counted."""

    def __init__(self) -> None:
        super().__init__()
        self._periods: dict[str, float] = {}  # s, by the name of the element

    def warn(self, interval: float) -> None:
        """Warn of elements that vibrate faster than states are stored.

        Parameters
        ----------
        interval : float
            Time between two stored states, s.
        """
        self.read()
        found = {name: period for name, period in self._periods.items() if period < FEW_STATES * interval}
        if not found:
            return
        name, period = min(found.items(), key=lambda item: item[1])
        also = [other for other in found if other != name]
        others = f", and {few([repr(other) for other in also])} too fast as well" if also else ""
        warn(
            f"the force of '{name}' vibrates at about {1.0 / period:.3g} Hz{others}, but states are stored every "
            f"{interval:.3g} s: curves and tables show another, slower vibration. The largest force is right in "
            f"result.element('{name}').peak; output_step={period / SHOWN:.1g} shows the vibration"
        )

    def _read(self, run: Run, plan: Plan, W: Work) -> None:
        """Keep the shortest period of each element that the run has counted."""
        steps, duration = run.counts.steps, run.t - float(run.times[0])
        turns, lasted = W.turned[:, TURN_COUNT], W.turned[:, TURN_LAST] - W.turned[:, TURN_SINCE]
        for e, element in enumerate(plan.elements.elements):
            part = plan.elements.deformations(e)
            sizes = W.turned[part, TURN_SIZE]
            counted = (turns[part] >= MANY_TURNS) & (sizes > SMALL_PART * sizes.max(initial=0.0))
            if not np.any(counted):
                continue
            period = float(np.min(2.0 * lasted[part][counted] / (turns[part][counted] - 1.0)))
            if period > FOLLOWED * duration / max(steps, 1):
                self._periods[element.name] = min(period, self._periods.get(element.name, np.inf))
