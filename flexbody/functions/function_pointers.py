"""A user's functions of time as laws that the compiled core calls, :class:`flexbody.functions.time_law.Law`.

A function of elementary operations is recorded once, and the core evaluates the record with exact derivatives. A C
function (of ctypes, or of numba's ``cfunc``) is called by its address. Other functions are compiled by numba if it is
installed, or called back otherwise, which takes some tenths of a microsecond.

A function is evaluated at times from 0 to the end of the run only. The start needs differences around t = 0. Before 0 a
function is therefore continued by point reflection, ``2 f(0) - f(-t)``, and differences near both ends are one-sided.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from fem.common.errors import InputError

from ..core import tape as ops
from ..core.tape import along
from ..core.time_laws import RecordedLaw, RecordedLoad, ScalarFunction, agrees, call, law_address
from .ahead import Ahead
from .copies import copied
from .corners import corners_of, find_corners
from .differences import best_steps, check_derivative, continued, differences
from .inputs import PiecewiseConstant, PiecewiseLinear, SignalReader
from .jumps import beginning
from .outstanding import INTERVALS
from .pieces import NO_CORNERS, Corner, piece_at, times_of
from .samples import MotionSamples, Samples
from .time_law import (
    DIFFERENCES_REACH,
    DRIVE_PARTS,
    LOAD_PARTS,
    SCALAR_PARTS,
    CallBack,
    Fill,
    Law,
    error_text,
    not_finite,
)  # fmt: skip
from .tracing import is_pure, record_load, record_time
from .with_numba import compiled_law, jitted

#: Recorded operations that can make a corner.
WITH_CORNERS = (ops.ABSOLUTE, ops.SQRT, ops.POWER, ops.ARCSIN, ops.ARCCOS, ops.ARCTAN2)
#: Functions of a result, which is read at given times.
GIVEN_AT_TIMES = (PiecewiseConstant, Samples)


def _may_bend(*tapes: np.ndarray) -> bool:
    """Return whether recorded operations can make a corner or a jump."""
    return any(np.isin(rows[:, 0], WITH_CORNERS).any() for rows in tapes)


@np.errstate(all="ignore")  # what is not finite has an error of its own
def drive_law(
    value: Callable, rate: Callable | None, acceleration: Callable | None, t_end: float, what: str
) -> Law:
    """Return the law (value, rate, acceleration) of a drive over a run to ``t_end`` (s).

    Missing derivatives are exact if the function is made of elementary functions (it is recorded and differentiated,
    :mod:`flexbody.functions.tracing`). Otherwise they are computed by differences, with steps that suit the function,
    of values between two of its corners (:mod:`flexbody.functions.corners`).
    """
    if rate is None and acceleration is None:
        tape = record_time(value, 0.0)
        if tape is not None:
            return _recorded_law(value, tape, t_end, what)
    plain = [None if f is None else continued(_number(f), t_end) for f in (value, rate, acceleration)]
    known = MotionSamples | PiecewiseLinear
    own = [f if f is None or is_pure(f) else copied(f) for f in (value, rate, acceleration)]
    ahead = Ahead(lambda times: _samples_ahead(own[0], times), what, functions=(value,))

    def seek(_: Any, first: float, last: float) -> tuple[Corner, ...]:
        return _of_drive(own, ahead, first, last)

    later: dict[str, Any] = {
        "seek": None if isinstance(value, known) else seek,
        "longer": lambda t: drive_law(value, rate, acceleration, t, what),
        "t_end": t_end,
        "user_functions": (value, rate, acceleration),
    }
    steps = np.array([t_end / 16])
    at_start = _drive_fill(plain, steps, t_end, NO_CORNERS, piece_at, differences)
    check(at_start, what, DRIVE_PARTS, DIFFERENCES_REACH * steps[0])
    corners = value.corners if isinstance(value, known) else seek(ahead, 0.0, t_end)
    times = times_of(corners)
    wrong_rate = f"{what}: velocity= is not the derivative of its function"
    check_derivative(plain[0], plain[1], t_end, wrong_rate, times)
    wrong_acceleration = f"{what}: acceleration= is not the derivative of velocity="
    check_derivative(plain[1], plain[2], t_end, wrong_acceleration, times)
    if rate is not None and acceleration is not None:
        steps = np.full(len(times) + 1, t_end / 16)
        fill = _drive_fill(plain, steps, t_end, times, piece_at, differences)
        tapes = [record_time(f, 0.0) for f in (value, rate, acceleration)]
        pair, context = _recorded_three(tapes, fill, t_end)
        if pair is not None:
            recorded = value, rate, acceleration
            return Law(fill, what, pair, context, DRIVE_PARTS, None, recorded, corners, **later)
    else:
        try:
            given = plain[0] if rate is None else plain[1]
            order, few = 2 if rate is None else 1, ahead.slow
            steps = best_steps(given, t_end, order, times, few)  # type: ignore[arg-type]
        except Exception as error:
            raise InputError(
                f"{what}: the function fails between t = 0 and {t_end:g} s with {error_text(error)}"
            ) from error
    fill = _drive_fill(plain, steps, t_end, times, piece_at, differences)

    def compiled():
        parts = [
            None if f is None else jitted(continued(jitted(f), t_end)) for f in (value, rate, acceleration)
        ]
        helpers = jitted(piece_at, None), jitted(differences, None)
        return jitted(_drive_fill(parts, steps, t_end, times, *helpers))

    back = _drive_back((value, rate, acceleration), t_end, steps, times)
    pair, kept = compiled_law(compiled, fill, t_end)
    later["ahead"] = ahead if pair is None else None
    return Law(fill, what, pair, kept, DRIVE_PARTS, back, (), corners, **later)


def _of_drive(
    functions: Sequence[Callable | None], ahead: Ahead, first: float, last: float
) -> tuple[Corner, ...]:
    """Return the corners of the functions of a drive; none if they depend on more than the time."""
    value, rate, acceleration = functions
    if ahead.over(first, last, INTERVALS) is None:
        return ()
    try:
        found = corners_of(value, rate, acceleration, first, last, ahead.intervals(INTERVALS))  # type: ignore[arg-type]
    except Exception:
        return ()  # the error is reported where the run calls the function
    ahead.tell_slow(last - first)
    return found


def _drive_back(
    functions: tuple[Callable | None, ...], t_end: float, steps: np.ndarray, corners: np.ndarray
) -> CallBack:
    """Return how the functions of a drive are called back: value, rate and acceleration, of which some may be None."""
    before = tuple(None if f is None else continued(f, t_end) for f in functions)
    derivatives = 2 if functions[1] is None else functions.count(None)

    def write(numbers, t: float, *times: float) -> None:
        value: Any
        value, rate, acceleration = functions if t >= 0.0 else before
        if rate is None:
            numbers[:] = value(t), *map(value, times)
        elif acceleration is None:
            numbers[:] = value(t), rate(t), *map(rate, times)
        else:
            numbers[:] = value(t), rate(t), acceleration(t)

    return CallBack(write, t_end, derivatives, corners, steps)


def _recorded_law(function: Callable, tape: tuple[np.ndarray, np.ndarray], t_end: float, what: str) -> Law:
    """Return the law of a recorded ``function`` of time with its exact derivatives."""
    rows, constants = tape

    def fill(t):
        inside = t_end if t_end < t < t_end * (1.0 + 1e-12) else t
        x, first, second = np.array([abs(inside)]), np.array([1.0]), np.array([0.0])
        f, d, e = along(rows, constants, x, first, second)
        if t >= 0.0:
            return f, d, e
        x[0] = 0.0
        return 2.0 * along(rows, constants, x, first, second)[0] - f, d, -e

    check(fill, what, DRIVE_PARTS)
    context = RecordedLaw(operations=rows, constants=constants, t_end=t_end, derivatives=1)
    pair = law_address("recorded_law"), context.address
    if not _may_bend(rows):
        return Law(fill, what, pair, context, DRIVE_PARTS, recorded=(function,), user_functions=(function,))

    def seek(_: Any, first: float, last: float) -> tuple[Corner, ...]:
        return find_corners(lambda t: call(pair, t)[0], first, last)

    later: dict[str, Any] = {
        "seek": seek,
        "longer": lambda t: _recorded_law(function, tape, t, what),
        "t_end": t_end,
        "user_functions": (function,),
    }
    return Law(fill, what, pair, context, DRIVE_PARTS, None, (function,), seek(None, 0.0, t_end), **later)


def _recorded_three(tapes: Sequence | None, fill: Fill, t_end: float) -> tuple[tuple[int, int] | None, Any]:
    """Return the law of three recorded functions, continued before 0, and an object that keeps it valid.

    (None, None) if one of them is not recorded, or the law computes other values than Python.
    """
    if tapes is None or any(tape is None for tape in tapes):
        return None, None
    (x, one), (y, two), (z, last) = tapes
    context = RecordedLoad(x=x, x_constants=one, y=y, y_constants=two, z=z, z_constants=last, t_end=t_end)
    pair = law_address("recorded_load"), context.address
    return (pair, context) if agrees(pair, fill, t_end) else (None, None)


def _samples_ahead(function: Any, times: np.ndarray) -> np.ndarray:
    """Return values of a drive's function at times (n,), s, (n, 1); NaN where it fails: the run tells that."""

    def value(t: float) -> float:
        try:
            return float(function(t))
        except Exception:
            return np.nan

    with np.errstate(all="ignore"):
        return np.array([value(t) for t in times.tolist()]).reshape(-1, 1)


@singledispatch
def load_law(function: Callable, t_end: float, what: str) -> Law:
    """Return the law of a load: three components as a function of time."""
    fill, back = _load_called(function, t_end)
    check(fill, what, LOAD_PARTS)
    sought = _sought(function, _load_called, t_end, what)
    pair, context = _recorded_three(record_load(function, 0.0), fill, t_end)
    if pair is not None:
        sought = sought if _may_bend(context.x, context.y, context.z) else {"user_functions": (function,)}
        return Law(fill, what, pair, context, recorded=(function,), **sought)
    compiled = lambda: jitted(_three_continued(jitted(function), t_end))  # noqa: E731
    pair, kept = compiled_law(compiled, fill, t_end)
    if pair is not None:
        sought.pop("ahead", None)
    return Law(fill, what, pair, kept, LOAD_PARTS, back, **sought)


def _load_called(function: Callable, t_end: float) -> tuple[Fill, CallBack]:
    """Return the three components of a load, and how its function is called back."""

    def three(t: float) -> tuple[float, float, float]:
        given = function(t)
        values = np.asarray(given, dtype=float)
        if values.shape != (3,):
            raise InputError(f"it returns {given!r}; it must return three components")
        return float(values[0]), float(values[1]), float(values[2])

    fill = _three_continued(three, t_end)

    def write(numbers, t: float) -> None:
        values = function(t) if t >= 0.0 else fill(t)
        try:
            numbers[:] = values
        except (TypeError, ValueError):
            numbers[:] = fill(t)  # it raises an error with a message

    return fill, CallBack(write, t_end)


@singledispatch
def scalar_law(function: Callable, t_end: float, what: str) -> Law:
    """Return the law of a scalar, such as the force of an actuator."""
    fill, back = _scalar_called(function, t_end)
    check(fill, what, SCALAR_PARTS)
    sought = _sought(function, _scalar_called, t_end, what)
    context: Any = None
    if (address := c_address(function)) is not None:
        context = ScalarFunction(function=address, t_end=t_end)
        pair = law_address("call_scalar"), context.address
        return Law(fill, what, pair, (context, function), SCALAR_PARTS, **sought)
    tape = record_time(function, 0.0) if is_pure(function) else None
    if tape is not None:
        context = RecordedLaw(operations=tape[0], constants=tape[1], t_end=t_end, derivatives=0)
        pair = law_address("recorded_law"), context.address
        if agrees(pair, fill, t_end):
            sought = sought if _may_bend(context.operations) else {"user_functions": (function,)}
            return Law(fill, what, pair, context, SCALAR_PARTS, recorded=(function,), **sought)
    compiled = lambda: jitted(_with_zeros(jitted(continued(jitted(function), t_end))))  # noqa: E731
    pair, kept = compiled_law(compiled, fill, t_end)
    if pair is not None:
        sought.pop("ahead", None)
    return Law(fill, what, pair, kept, SCALAR_PARTS, back, **sought)


def _scalar_called(function: Callable, t_end: float) -> tuple[Fill, CallBack]:
    """Return a scalar with zeros, and how its function is called back."""
    fill = _with_zeros(continued(_number(function), t_end))

    def write(numbers, t: float) -> None:
        numbers[:] = (function(t), 0.0, 0.0) if t >= 0.0 else fill(t)

    return fill, CallBack(write, t_end)


def _with_zeros(inside: Callable[[float], float]) -> Fill:
    def fill(t):
        return inside(t), 0.0, 0.0

    return fill


Called = Callable[[Callable, float], tuple[Fill, CallBack]]


def _sought(function: Callable, called: Called, t_end: float, what: str) -> dict[str, Any]:
    """Return the corners and jumps of a load that are known, or how they are looked for, as arguments of its law.

    They are looked for in a copy of a function that may keep a state.
    """
    if isinstance(function, GIVEN_AT_TIMES):
        return {"corners": function.corners, "user_functions": (function,)}
    other = function if is_pure(function) else copied(function)
    fill, back = called(other, t_end)
    sought: dict[str, Any] = {"jumps": True, "begin": beginning(fill, t_end), "user_functions": (function,)}
    if other is not function:
        copy = Law(fill, what, back=back)
        sought["ahead"] = Ahead(copy.sampled, what, functions=(function,))
    return sought


@load_law.register
@scalar_law.register
def signal_law(reader: SignalReader, t_end: float, what: str) -> Law:
    """Return the law that reads the three numbers of a :class:`SignalReader`, at any time."""

    def fill(t: float) -> tuple[float, float, float]:
        return float(reader.memory[0]), float(reader.memory[1]), float(reader.memory[2])

    return Law(fill, what, (law_address("read_numbers"), reader.memory.ctypes.data), reader)


def c_address(function: Any) -> int | None:
    """Return the address of a C function ``double f(double)`` of ctypes or of numba's ``cfunc``; None for others."""
    function = getattr(function, "ctypes", function)  # a function of numba
    if not isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return None
    # (a function type of CFUNCTYPE stores the types of its arguments in the class)
    arguments = function.argtypes if function.argtypes is not None else getattr(function, "_argtypes_", ())
    if function.restype is not ctypes.c_double or tuple(arguments) != (ctypes.c_double,):
        return None
    return ctypes.cast(function, ctypes.c_void_p).value


def check(fill: Fill, what: str, parts: tuple[str, ...], reach: float = 0.0) -> None:
    """Call the law once at t = 0; raise InputError for an exception or a value that is not finite.

    ``reach``: time to which its differences reach, s.
    """
    try:
        values = fill(0.0)
    except Exception as error:
        raise InputError(f"{what}: the function fails at t = 0 with {error_text(error)}") from error
    if not np.isfinite(values).all():
        raise not_finite(fill, what, parts, 0.0, reach)


def _number(function: Callable) -> Callable[[float], float]:
    return lambda t: float(function(t))


def _drive_fill(
    parts, steps: np.ndarray, t_end: float, corners: np.ndarray, piece_at: Callable, differences: Callable
) -> Fill:
    """Return a function of value, rate and acceleration, of which two may be None; numba can compile it."""
    value, rate, acceleration = parts
    if rate is None:

        def fill(t):
            k, begin, end = piece_at(corners, t, t_end)
            first, second = differences(value, t, steps[k], begin, end)
            return value(t), first, second
    elif acceleration is None:

        def fill(t):
            k, begin, end = piece_at(corners, t, t_end)
            return value(t), rate(t), differences(rate, t, steps[k], begin, end)[0]
    else:

        def fill(t):
            return value(t), rate(t), acceleration(t)

    return fill


def _three_continued(function: Callable, t_end: float) -> Fill:
    """Return a function with three components continued as by :func:`continued`."""

    def inside(t):
        if t < 0.0:
            now, then = function(0.0), function(-t)
            return 2.0 * now[0] - then[0], 2.0 * now[1] - then[1], 2.0 * now[2] - then[2]
        values = function(t_end if t_end < t < t_end * (1.0 + 1e-12) else t)
        return 1.0 * values[0], 1.0 * values[1], 1.0 * values[2]

    return inside
