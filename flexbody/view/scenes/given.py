"""What pictures, plots and films are given, checked before any work."""

from __future__ import annotations

from typing import Any

from fem.common.errors import InputError, called

from ...analyses.result import Result, State
from ...analyses.stepper import Stepper
from ...model.system import System


def shown(result: Any, verb: str) -> Any:
    """Return the result that is to be shown, of a state that of one instant; InputError for anything else."""
    if isinstance(result, State):
        return result.result
    if isinstance(result, Result):
        return result
    mend = ""
    if isinstance(result, Stepper):
        mend = "; give sim.result(), or sim.now"
    elif isinstance(result, System):
        mend = "; simulate it first, or give fb.simulate(machine, 1e-6, step=1e-6) for the machine as drawn"
    raise InputError(f"{verb} shows a result of a run and was given {called(result)}{mend}")
