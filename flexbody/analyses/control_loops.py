"""What may make a machine unstable: its controllers, and the inputs that are set from outside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fem.common.errors import listing

from ..model.forces.controller import Controller
from ..model.system import System

#: so many steps between two stored states, or two samples of a controller, tell of a growth without end
MANY_STEPS = 100_000


def controllers(system: System) -> list[Controller]:
    """Return the controllers among the force elements of a machine."""
    return [force for force in system.forces if isinstance(force, Controller)]


def control_loops(system: System, inputs: Mapping[str, np.ndarray]) -> str:
    """Return which control loops may be unstable, and how to mend that, in words.

    Parameters
    ----------
    system : System
        The machine.
    inputs : mapping of str to numpy.ndarray
        The values of its inputs.

    Returns
    -------
    str
        Sentences; empty if the machine has no controllers, and all inputs are zero.
    """
    return " ".join(filter(None, (_of_controllers(controllers(system)), _of_inputs(inputs))))


def _of_controllers(found: list[Controller]) -> str:
    """Return the sentences on the controllers of the machine, or ""."""
    if not found:
        return ""
    one = len(found) == 1
    shorter = f" or {'a shorter period' if one else 'shorter periods'}" * any(
        c.period is not None for c in found
    )
    return (
        f"{'Controller' if one else 'Controllers'} {listing(c.name for c in found)} {'acts' if one else 'act'} on the "
        f"machine: the control loop may be unstable. Take smaller gains{shorter}"
    )


def _of_inputs(inputs: Mapping[str, np.ndarray]) -> str:
    """Return the sentences on the inputs that are not zero, or ""."""
    given = {name: value for name, value in inputs.items() if np.any(value)}
    if not given:
        return ""
    one = len(given) == 1
    values = ", ".join(
        f"'{name}' = {np.array2string(np.asarray(x), precision=3)}" for name, x in given.items()
    )
    return (
        f"{'An input drives' if one else 'Inputs drive'} the machine ({values}): if a controller sets "
        f"{'it' if one else 'them'}, the control loop may be unstable. Take smaller gains, or advance by a shorter "
        "time between two settings"
    )
