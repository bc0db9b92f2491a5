"""Check of the result that pictures, plots and films show."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from fem.common.errors import InputError, called

from ...analyses.linear.minimal_coordinates import Reduced
from ...analyses.result import Result, State
from ...model.system import System
from ...results.instant import Instant


@singledispatch
def checked_result(result: Any, verb: str) -> Result:
    """Return the result to show; for a state, the result with this one instant.

    Raises
    ------
    fem.InputError
        If the argument is not a result or a state.
    """
    raise _error(result, verb, "")


@checked_result.register
def _(result: Result, verb: str) -> Result:
    return result


@checked_result.register
def _(state: State, verb: str) -> Result:
    return state.result


@checked_result.register
def _(instant: Instant, verb: str) -> Result:
    raise _error(instant, verb, "; give its result() or its now")


@checked_result.register
def _(system: System, verb: str) -> Result:
    raise _error(
        system,
        verb,
        "; simulate it first, or use fb.simulate(machine, 1e-6, step=1e-6) to show the machine as drawn",
    )


@checked_result.register
def _(linearization: Reduced, verb: str) -> Result:
    raise _error(linearization, verb, f"; choose a mode, such as fb.{verb}(linearization.motion(0), ...)")


def _error(argument: Any, verb: str, mend: str) -> InputError:
    return InputError(f"{verb} needs the result of a run, but its argument is {called(argument)}{mend}")
