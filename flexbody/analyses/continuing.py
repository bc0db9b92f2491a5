"""What a run keeps of the earlier run that it goes on from, beside the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fem.common.errors import warn

from ..compile.plan import Plan
from ..equations.start import Start
from ..model.drives import Drive
from ..model.events import item_names
from ..model.system import System
from .result import Result, State

#: A drive meets its coordinate in a state where both differ by less than this part of them.
MET_TOLERANCE = 1e-6
#: A run that goes on may move its bodies by this part of the machine's length at first, without a word.
JUMP_TOLERANCE = 1e-6


def earlier_state(start: Any) -> State | None:
    """Return the state of an earlier run that a run goes on from, or None for a new run."""
    return start.state() if isinstance(start, State | Result) else None


def off_at_start(machine: System, given: Sequence[Any] | None, earlier: State | None) -> tuple[str, ...]:
    """Return the names of what is off when a run begins: what the user gives, else what was off in the earlier run."""
    if given is not None:
        return item_names(given, "switched_off")
    known = {item.name for item in (*machine.joints, *machine.forces)}
    return () if earlier is None else tuple(name for name in earlier.switched_off if name in known)


def met(machine: System, earlier: State | None) -> dict[str, tuple[float, float]]:
    """Return time, s, and coordinate from which drives with a constant motion go on, because they would jump there.

    These are drives of the earlier run: those with a rate, which may have another one now or may have been switched on
    in between, and those with a value that were switched on.
    """
    if earlier is None:
        return {}
    known = {joint.name for joint in earlier.system.joints}
    found = {}
    for drive in machine.joints:
        if (
            not isinstance(drive, Drive)
            or callable(drive.value)
            or not {drive.name, drive.joint.name} <= known
        ):
            continue
        if drive.rate is None and drive.name not in earlier.switched_on:
            continue
        value, rate = drive.prescribed.constants()
        there, wanted = (
            float(earlier.coordinate(drive.joint.name, drive.coordinate)),
            value + rate * earlier.t,
        )
        if abs(there - wanted) > MET_TOLERANCE * max(abs(there), abs(wanted)):
            found[drive.name] = earlier.t, there
    return found


def warn_of_jump(plan: Plan, start: Start, given: Any) -> None:
    """Warn if a run that goes on begins elsewhere than the earlier one was."""
    if (
        not isinstance(given, State | Result)
        or start.position_correction <= JUMP_TOLERANCE * plan.layout.length
    ):
        return
    warn(
        f"this run begins elsewhere than the state that it goes on from, by up to {start.position_correction:.3g} m: "
        "its joints and drives do not fit there, and bodies are moved until they do. Give drives the coordinates that "
        "they meet there, or name in switched_off= what was off"
    )
