"""Users' Python functions recorded as elementary operations, for exact derivatives in compiled code.

A function is called once with :class:`Number` objects instead of floats. The operations on them are written on a tape,
which :mod:`flexbody.core.tape` differentiates. Functions of ``math`` are replaced by those of NumPy, which accept such
objects. If the operations depend on values (a comparison), one record is not valid for all values, and
``Tape.branched`` is True.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from functools import singledispatch
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..core import tape as ops
from .captured_values import content, global_names, is_plain, variables

#: Names of operations (methods that NumPy functions call) and their codes.
UNARY_OPERATIONS = {
    "sqrt": ops.SQRT, "exp": ops.EXP, "log": ops.LOG, "sin": ops.SIN, "cos": ops.COS, "tan": ops.TAN,
    "arcsin": ops.ARCSIN, "arccos": ops.ARCCOS, "arctan": ops.ARCTAN, "sinh": ops.SINH, "cosh": ops.COSH,
    "tanh": ops.TANH,
}  # fmt: skip
#: Functions of ``math`` with another name in NumPy.
NUMPY_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "fabs": "abs",
    "pow": "power",
}
#: The content of ``math`` in NumPy, by its name in ``math``; what NumPy has not is left.
NUMPY_MATH = {
    name: getattr(np, NUMPY_NAMES.get(name, name), item) if callable(item) else item
    for name, item in vars(math).items()
    if name[0] != "_"
}
#: ``math`` and its functions, each with the object that replaces it.
REPLACEMENTS = [
    (math, SimpleNamespace(**NUMPY_MATH)),
    *((item, NUMPY_MATH[name]) for name, item in vars(math).items() if name in NUMPY_MATH and callable(item)),
]


class Tape:
    """The operations of a function, and their values."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int]] = []
        self.constants: list[float] = []
        self.comparisons: list[tuple[int, int, int, int]] = []

    @property
    def branched(self) -> bool:
        """Whether the function compared values."""
        return bool(self.comparisons)

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all operations (n, 3) and constants (n,)."""
        return np.array(self.rows, dtype=np.int64).reshape(-1, 3), np.array(self.constants)

    def write(self, op: int, a: int = 0, b: int = 0, constant: float = 0.0) -> int:
        """Add an operation and return its index."""
        self.rows.append((op, a, b))
        self.constants.append(constant)
        return len(self.rows) - 1

    def inputs(self, x: Sequence[float]) -> list[Number]:
        """Return the inputs of a function with their present values."""
        return [Number(self, self.write(ops.INPUT, k), float(value)) for k, value in enumerate(x)]

    def number(self, value: Any) -> Number:
        """Return ``value`` as a number on this tape.

        A float becomes a constant. An array stands for its only entry.
        """
        if isinstance(value, np.ndarray):
            value = value.item()
        if isinstance(value, Number):
            return value
        return Number(self, self.write(ops.CONSTANT, constant=float(value)), float(value))

    def ending(self, result: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the arrays (operations (n, 3), constants (n,)) that the result needs; the result comes last."""
        last = self.number(result).index
        needed = np.zeros(last + 1, dtype=bool)
        needed[last] = True
        for k in range(last, -1, -1):
            op, a, b = self.rows[k]
            if needed[k] and op > ops.INPUT:
                needed[a] = needed[b] = True
        new = np.cumsum(needed) - 1
        rows = [
            (op, int(new[a]), int(new[b])) if op > ops.INPUT else (op, a, b)
            for (op, a, b), wanted in zip(self.rows[: last + 1], needed, strict=True)
            if wanted
        ]
        constants = np.array(self.constants[: last + 1])[needed]
        return np.array(rows, dtype=np.int64).reshape(-1, 3), constants


class Number:
    """A float that records the operations on it."""

    __slots__ = ("index", "tape", "value")

    def __init__(self, tape: Tape, index: int, value: float) -> None:
        self.tape, self.index, self.value = tape, index, value

    def _unary(self, op: int) -> Number:
        value = ops.unary(op, self.value) if math.isfinite(self.value) else math.nan
        return Number(self.tape, self.tape.write(op, self.index, self.index), value)

    def _binary(self, op: int, other: Any, swapped: bool = False) -> Any:
        if not np.isscalar(other):  # NumPy then takes the entries of an array one by one
            return NotImplemented
        second = self.tape.number(other)
        x, y = (second, self) if swapped else (self, second)
        value = ops.binary(op, x.value, y.value)
        return Number(self.tape, self.tape.write(op, x.index, y.index), value)

    def __add__(self, other: Any) -> Any:
        return self._binary(ops.ADD, other)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return self._binary(ops.MULTIPLY, other)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        return self._binary(ops.SUBTRACT, other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(ops.SUBTRACT, other, swapped=True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary(ops.DIVIDE, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary(ops.DIVIDE, other, swapped=True)

    def __pow__(self, other: Any) -> Any:
        return self._binary(ops.POWER, other)

    def __rpow__(self, other: Any) -> Any:
        return self._binary(ops.POWER, other, swapped=True)

    def arctan2(self, other: Any) -> Any:
        """Return the angle of the point (other, self)."""
        return self._binary(ops.ARCTAN2, other)

    def hypot(self, other: Any) -> Any:
        """Return the length of (self, other)."""
        return (self * self + other * other).sqrt()

    def __neg__(self) -> Number:
        return self._unary(ops.NEGATIVE)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self._unary(ops.ABSOLUTE)

    def conjugate(self) -> Number:
        """Return itself: numbers are real."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name in UNARY_OPERATIONS:
            return lambda: self._unary(UNARY_OPERATIONS[name])
        raise AttributeError(f"a number that is being recorded has no {name}")

    def __float__(self) -> float:
        raise TypeError(
            "a function that is differentiated can't be given plain floats: use NumPy's functions (np.sin), and no "
            "float() or int()"
        )

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def _compared(self, relation: int, first: Any, second: Any) -> bool:
        a, b = self.tape.number(first), self.tape.number(second)
        outcome = (a.value < b.value, a.value <= b.value, a.value == b.value)[relation]
        self.tape.comparisons.append((relation, a.index, b.index, int(outcome)))
        return bool(outcome)

    def __bool__(self) -> bool:
        return not self._compared(ops.EQUAL, self, 0.0)

    def __lt__(self, other: Any) -> bool:
        return self._compared(ops.BELOW, self, other)

    def __le__(self, other: Any) -> bool:
        return self._compared(ops.AT_MOST, self, other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(ops.BELOW, other, self)

    def __ge__(self, other: Any) -> bool:
        return self._compared(ops.AT_MOST, other, self)

    def __eq__(self, other: object) -> bool:
        return self._compared(ops.EQUAL, self, other)

    __hash__ = None  # type: ignore[assignment]


numbers.Number.register(Number)  # np.isscalar knows it by this


def with_numpy(function: Callable) -> Callable:
    """Return the function with ``math`` and its functions replaced by those of NumPy."""
    if not is_plain(function):
        return function
    scope = function.__globals__
    changed = {
        name: new for name in global_names(function) if (new := _numpys(scope[name])) is not scope[name]
    }
    cells = function.__closure__ or ()
    closure = tuple(
        cell if _numpys(content(cell)) is content(cell) else CellType(_numpys(content(cell)))
        for cell in cells
    )
    if not changed and all(a is b for a, b in zip(cells, closure, strict=True)):
        return function
    out = FunctionType(
        function.__code__, {**scope, **changed}, function.__name__, function.__defaults__, closure
    )
    out.__kwdefaults__ = function.__kwdefaults__
    return out


def _numpys(value: Any) -> Any:
    """Return the object of NumPy that replaces ``math`` or one of its functions; other objects as given."""
    return next((new for old, new in REPLACEMENTS if value is old), value)


def record_time(function: Callable[[float], float], t: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the tape of a function of time, or None if it can't be recorded.

    Only plain functions are recorded, because other objects may depend on more than the time.
    """
    if not is_plain(function):
        return None
    tapes = _recorded(lambda now: [with_numpy(function)(now)], t)
    depends = tapes is not None and bool((tapes[0][0][:, 0] == ops.INPUT).any())
    return tapes[0] if tapes is not None and depends else None


def record_load(function: Callable, t: float) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Return the tapes of the three components of a function of time.

    None under the conditions of :func:`record_time`, and for a function that is not :func:`is_pure`.
    """
    tapes = _recorded(with_numpy(function), t) if is_pure(function) else None
    return tapes if tapes is not None and len(tapes) == 3 else None


def _recorded(function: Callable, t: float) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Return the tapes of the results of a function of time, or None if it can't be recorded."""
    tape = Tape()
    try:
        tapes = [tape.ending(result) for result in function(*tape.inputs([t]))]
    except Exception:  # a user's function may raise anything when it is called with recording objects
        return None
    return None if tape.branched else tapes


def is_pure(function: Any, seen: tuple = ()) -> bool:
    """Return whether a plain function is pure: it reads nothing that can change between two calls.

    A function that reads a list or an object, to which another part of the program (a controller) may write, must be
    called each time.
    """
    if not is_plain(function):
        return False
    values = [read() for _, read in variables(function)] + list(function.__defaults__ or ())
    return all(_constant(value, (*seen, function)) for value in values)


def _constant(value: Any, readers: tuple) -> bool:
    """Return what ``_is_constant`` says for the type of a value, which isn't asked itself: a weak proxy may fail."""
    return _is_constant.dispatch(type(value))(value, readers)


@singledispatch
def _is_constant(value: Any, readers: tuple) -> bool:
    """Return whether a value, which the functions ``readers`` read, can't change."""
    return False


for _kind in (int, float, complex, str, type(None), ModuleType, BuiltinFunctionType, np.ufunc, np.generic):
    _is_constant.register(_kind, lambda value, readers: True)


@_is_constant.register(tuple)
def _(value: tuple, readers: tuple) -> bool:
    return all(_constant(item, readers) for item in value)


@_is_constant.register(FunctionType)
def _(value: FunctionType, readers: tuple) -> bool:
    return value in readers or is_pure(value, readers)


class Replay:
    """A recorded constraint as a function: ``(t, *frames)`` or ``(t, *coordinates)`` returns the value of each tape."""

    def __init__(self, tapes: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        self.tapes = tapes

    def __call__(self, t: Any, *frames: Any) -> list[Any]:
        """Return the values of the recorded operations for these frames."""
        x = [t]
        for frame in frames:
            if not hasattr(frame, "R"):  # a coordinate
                x.append(frame)
                continue
            still = np.zeros(3)
            v, w = (still if part is None else part for part in (frame.v, frame.w))
            x += [*frame.r, *np.ravel(frame.R), *v, *w]
        return [self._run(rows, constants, x) for rows, constants in self.tapes]

    def _run(self, rows: np.ndarray, constants: np.ndarray, x: Sequence[Any]) -> Any:
        tape = x[0].tape if isinstance(x[0], Number) else Tape()
        done: list[Number] = []
        for (op, a, b), constant in zip(rows.tolist(), constants.tolist(), strict=True):
            if op == ops.CONSTANT:
                done.append(tape.number(constant))
            elif op == ops.INPUT:
                done.append(tape.number(x[a]))
            elif op <= ops.ARCTAN2:
                done.append(done[a]._binary(op, done[b]))
            else:
                done.append(done[a]._unary(op))
        return done[-1]
