"""Python functions of the user behind the laws of the compiled core: recorded operations, or a call back."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.force_laws import law_address, samples
from ...core.time_laws import LawWithCorners
from ...functions.ahead import Ahead
from ...functions.load_corners import jumps_over_time
from ...functions.pieces import NO_CORNERS, Corner, times_of
from ...functions.tracing import Tape

_DOUBLES = ctypes.POINTER(ctypes.c_double)
#: The type of a law of the compiled core, see law.hpp.
_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, *(6 * [_DOUBLES]))
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double)

#: Address of a law, its numbers, and an object that keeps the address valid.
Found = tuple[int, list[float], Any]


class Sizes(NamedTuple):
    """The sizes of a law: inputs (deformations or errors), whether their rates are given, outputs, states."""

    inputs: int
    rates: bool
    outputs: int
    states: int


def recorded_law(tape: Tape, sizes: Sizes, ends: Sequence[int]) -> Found:
    """Return the law ``recorded`` of the core, whose results are the rows ``ends`` of a tape."""
    numbers = [0.0, float(sizes.inputs), float(sizes.states), float(len(tape.rows)), float(len(ends))]
    for (op, first, second), constant in zip(tape.rows, tape.constants, strict=True):
        numbers += [float(op), float(first), float(second), constant]
    return law_address("recorded"), numbers + [float(end) for end in ends], None


def called_back_law(call: Callable[[float, np.ndarray], list[float]], sizes: Sizes) -> Found:
    """Return the law ``called_back`` of the core.

    ``call(t, given)`` returns outputs and rates of the states, and raises nothing; other than finite numbers say that
    it failed. ``given`` holds the inputs, their rates if these are given, and the states. The array is that of the next
    call, too.
    """
    size = sizes.outputs + sizes.states
    numbers = (ctypes.c_double * (size + sizes.inputs * (1 + sizes.rates) + sizes.states))()
    given, nothing = np.ctypeslib.as_array(numbers)[size:], [math.nan] * size

    def called(t: float) -> None:
        try:
            numbers[:size] = call(t, given)  # type: ignore[assignment]
        except (TypeError, ValueError):  # other than ``size`` numbers
            numbers[:size] = nothing  # type: ignore[assignment]

    pointer = _CALLBACK(called)
    addresses = ctypes.cast(pointer, ctypes.c_void_p).value or 0, ctypes.addressof(numbers)
    bits = np.array(addresses, dtype=np.int64).view(float)
    return law_address("called_back"), [*bits.tolist(), *map(float, sizes)], (pointer, numbers)


def law_over_time(found: Found, sizes: Sizes, x: np.ndarray, z: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return outputs and rates of states of a law at times (n,), s, at rest: (n, m + k)."""
    size = sizes.outputs + sizes.states
    return samples(found[0], found[1], x, z, size + 3, times)[:, :size]


def law_values(
    found: Found, sizes: Sizes, t: float, x: np.ndarray, rate: np.ndarray, z: np.ndarray
) -> np.ndarray:
    """Return the outputs of a law, the rates of its states, stored energy, dissipated and input power."""
    address, p, _ = found
    arrays = [(ctypes.c_double * max(len(v), 1))(*v) for v in ((0.0,) * 3, x, rate, z, p)]
    out = (ctypes.c_double * (sizes.outputs + sizes.states + 3))()
    _LAW(address)(t, *arrays, out)
    return np.array(out)


class BesideJumps:
    """A user's law that is called beside its jumps in time, at the deformation as drawn or for the targets."""

    #: The user's law, and what it gives over time for one motion.
    law: Any
    ahead: Ahead
    #: The jumps that are known.
    corners: tuple[Corner, ...] = ()

    def _call_beside_jumps(self, found: Found) -> None:
        """Set the address and the numbers of the law that calls ``found`` beside its jumps."""
        self._jumps = LawWithCorners(law=found[0], context=0, corners=NO_CORNERS, begin=0.0)
        self._looked_at = 0.0, 0.0
        bits = np.array([self._jumps.address], dtype=np.int64).view(float)
        self.address, self.numbers = law_address("beside_jumps"), [*bits.tolist(), *found[1]]

    def look_for_corners(self, first: float, last: float) -> None:
        """Look for jumps between two times (s), where that was not done before."""
        begin, end = self._looked_at
        if begin <= first and last <= end:
            return
        goes_on = begin <= first < end
        known, since = (self.corners, end) if goes_on else ((), first)
        found = [one for one in jumps_over_time(self.ahead, since, last) if not known or one.t > known[-1].t]
        self.corners, self._looked_at = (*known, *found), (begin if goes_on else first, last)
        self._jumps.take(self._jumps.replaced(corners=times_of(self.corners)))

    def share(self, other: BesideJumps) -> None:
        """Take what was found in the same law, if more is known there."""
        if self.law is other.law and other._looked_at[1] > self._looked_at[1]:
            self.ahead, self.corners, self._looked_at = other.ahead, other.corners, other._looked_at
            self._jumps.take(self._jumps.replaced(corners=times_of(self.corners)))
