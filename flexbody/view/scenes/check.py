"""Checks of the arguments of pictures, plots and films."""

from __future__ import annotations

from typing import Any

from fem.common.errors import InputError, called

from ...analyses.result import Result, State
from ...analyses.stepper import Stepper
from ...model.system import System


def checked_result(result: Any, verb: str) -> Any:
    """Return the result to show; for a state, the result with this one instant.

    Raises
    ------
    fem.InputError
        If the argument is not a result or a state.
    """
    if isinstance(result, State):
        return result.result
    if isinstance(result, Result):
        return result
    mend = ""
    if isinstance(result, Stepper):
        mend = "; give its result() or its now"
    elif isinstance(result, System):
        mend = (
            "; simulate it first, or use fb.simulate(machine, 1e-6, step=1e-6) to show the machine as drawn"
        )
    raise InputError(f"{verb} needs the result of a run, but its argument is {called(result)}{mend}")
