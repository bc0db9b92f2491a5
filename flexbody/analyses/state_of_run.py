"""The state of a run between two steps, read faster than a stored one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..compile.plan import Plan
from ..formulations.state import STATE_ARRAYS, MachineState
from ..results.record import Statistics
from .result import Result, State

#: The cost of a result of one instant.
NOTHING = Statistics(0, 0, 0, 0, 0.0, 0.0, 0, 0, 0.0, 0.0, False)


@dataclass(frozen=True, eq=False, repr=False)
class StateOfRun(State):
    """A state that is read without energies; ``stages`` keeps the frames that states of one run read."""

    stages: dict = field(default_factory=dict)

    @cached_property
    def instant(self) -> Result:
        """The state as a result of one instant, without energies."""
        arrays: dict[str, Any] = {name: getattr(self.numbers, name)[None] for name in STATE_ARRAYS}
        return Result(
            self.plan,
            np.array([self.t]),
            **arrays,
            energies=np.zeros((1, 5)),
            statistics=NOTHING,
            stages=self.stages,
            switched_off=self.switched_off,
        )


def reader_of(plan: Plan) -> Callable[..., StateOfRun]:
    """Return a function that makes states of numbers and names of what is off; they share the memory for frames."""
    stages: dict = {}

    def read(numbers: MachineState, off: Collection[str] = ()) -> StateOfRun:
        return StateOfRun(plan, numbers, stages=stages, switched_off=tuple(off))

    return read
