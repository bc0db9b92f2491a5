"""Python functions of the user behind the laws of the compiled core: recorded operations, or a call back."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.force_laws import law_address, samples
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


#: A function that is called back is sampled at every so many of the times, and every so many samples are taken twice.
SAMPLED_EVERY, TWICE_EVERY = 4, 256


def law_over_time(
    found: Found, sizes: Sizes, x: np.ndarray, z: np.ndarray, times: tuple[float, float, int]
) -> np.ndarray:
    """Return outputs and rates of states of a law, (n, m + k), at rest.

    ``times`` are the first time and the intervals to the others, s, and their number n.
    """
    size = sizes.outputs + sizes.states
    return samples(found[0], found[1], x, z, size + 3, times)[:, :size]


def called_back_over_time(
    found: Found, sizes: Sizes, x: np.ndarray, z: np.ndarray, times: tuple[float, float, int]
) -> np.ndarray | None:
    """Return the same of a law that is called back at fewer times, (n', m + k), every so many of them.

    None if its function depends on more than its arguments: one that counts its calls or draws random numbers gives
    other values when it is called again.
    """
    start, step, count = times

    def sampled(every: int) -> np.ndarray:
        return law_over_time(found, sizes, x, z, (start, every * step, (count - 1) // every + 1))

    values, again = sampled(SAMPLED_EVERY), sampled(SAMPLED_EVERY * TWICE_EVERY)
    return values if np.array_equal(values[::TWICE_EVERY], again, equal_nan=True) else None


def law_values(
    found: Found, sizes: Sizes, t: float, x: np.ndarray, rate: np.ndarray, z: np.ndarray
) -> np.ndarray:
    """Return the outputs of a law, the rates of its states, stored energy, dissipated and input power."""
    address, p, _ = found
    arrays = [(ctypes.c_double * max(len(v), 1))(*v) for v in ((0.0,) * 3, x, rate, z, p)]
    out = (ctypes.c_double * (sizes.outputs + sizes.states + 3))()
    _LAW(address)(t, *arrays, out)
    return np.array(out)
