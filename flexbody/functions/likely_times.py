"""Times that a user's function names, beside which short pulses may lie.

Samples at equal distances miss a pulse that is shorter than these. Most functions contain the times of their pulses as
numbers: ``1000.0 if 3.0 < t < 3.001 else 0.0``, ``abs(t - T0) < W / 2``, ``t % period < width``, the times of a table.
The numbers are read from the code and from what it reads, and combined as such expressions combine them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from inspect import getattr_static
from types import CodeType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .captured_values import is_plain, variables

#: So many numbers are combined, and a table of more is read as times alone.
COMBINED, TABLE_LIMIT = 24, 100_000
#: Most times that are combined, that are multiples of one number, and that are times of tables.
TIMES_LIMIT, MULTIPLES, NODES_LIMIT = 1000, 64, 8192
#: Objects inside of objects that are read, and the number of all.
DEPTH, OBJECTS = 4, 1000


class Numbers(NamedTuple):
    """The numbers in functions: single ones (n,), none of them 0, and those of each table."""

    single: np.ndarray
    tables: tuple[np.ndarray, ...]


def numbers_in(functions: Iterable[Callable]) -> Numbers:
    """Return the numbers in the code of functions, in what they read, and in the attributes of objects."""
    single, tables, left = dict[float, None](), list[np.ndarray](), OBJECTS
    seen, work = set[int](), [(function, 0) for function in functions]
    while work and left > 0:
        value, depth = work.pop(0)
        if isinstance(value, bool | str | bytes | ModuleType | type | None) or id(value) in seen:
            continue
        if isinstance(value, int | float | np.integer | np.floating):
            single[abs(float(value))] = None
            continue
        seen.add(id(value))
        left -= 1
        if isinstance(value, list | tuple | np.ndarray) and (table := _table(value)) is not None:
            if table.size <= COMBINED:
                single.update(dict.fromkeys(np.abs(table).tolist()))
            tables.append(table)
        elif depth < DEPTH:
            work += [(one, depth + 1) for one in _inside(value)]
    finite = [x for x in single if 0.0 < x < np.inf]
    return Numbers(np.array(finite), tuple(tables))


def _table(value: Any) -> np.ndarray | None:
    """Return a sequence of numbers as an array (n,), or None if it contains something else."""
    if np.size(value) > TABLE_LIMIT if isinstance(value, np.ndarray) else not _is_numbers(value):
        return None
    table = np.asarray(value)
    return table.astype(float).ravel() if table.dtype.kind in "iuf" and table.size else None


def _is_numbers(value: list | tuple) -> bool:
    return len(value) <= TABLE_LIMIT and all(isinstance(x, int | float | np.number) for x in value)


def _inside(value: Any) -> Iterator[Any]:
    """Yield what a function or an object reads or contains."""
    if is_plain(value):
        yield value.__code__
        yield from (read() for _, read in variables(value))
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
    elif isinstance(value, CodeType):
        yield from value.co_consts
    elif isinstance(value, MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, Mapping):
        yield from list(value.values())[:OBJECTS]
    elif isinstance(value, list | tuple):
        yield from value[:OBJECTS]
    else:
        yield from list(vars(value).values()) if hasattr(value, "__dict__") else ()
        if callable(value):  # a function in a cache or of numba, the times of an interpolation of SciPy
            kept = ("__wrapped__", "py_func", "x")
            yield from (getattr(value, name) for name in kept if _is_stored(value, name))
            yield next(
                (vars(one)["__call__"] for one in type(value).__mro__ if "__call__" in vars(one)), None
            )


def _is_stored(value: Any, name: str) -> bool:
    """Return whether an object has an attribute that no function of the user's computes."""
    found = getattr_static(value, name, None)
    return found is not None and not isinstance(found, property)


def likely_times(numbers: Numbers, first: float, last: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times beside which pulses may lie: numbers in functions (n,), and what they are combined to (k,).

    Parameters
    ----------
    numbers : Numbers
        The numbers in the functions.
    first, last : float
        The times, s, between which they lie.
    h : float
        The pulses are shorter than this time, s: only such parts of tables count.
    """
    named = np.unique(_within(numbers.single[:TIMES_LIMIT], first, last))
    one = np.unique(numbers.single[:COMBINED])
    two = _pairs(one, one)
    periods = np.concatenate([one, 1.0 / one])
    periods = periods[periods * MULTIPLES > last]
    repeated = np.multiply.outer(np.arange(1, MULTIPLES + 1), periods).ravel()
    combined = np.zeros(0)
    for group in (two, repeated, _sums(repeated, one), _sums(two, one)):
        new = np.setdiff1d(_within(group, first, last), combined)
        combined = np.union1d(combined, new[: TIMES_LIMIT - len(combined)])
    nodes = [_close(np.unique(_within(table, first, last)), h) for table in numbers.tables]
    few = (part for part in nodes if len(part) <= NODES_LIMIT)
    return named, np.setdiff1d(np.concatenate([combined, *few]), named)


def _pairs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return sums, differences, products and ratios of all pairs, (n,), and the inverses of the second ones."""
    x, y = np.meshgrid(a, b)
    return np.unique(
        np.concatenate([(x + y).ravel(), abs(x - y).ravel(), (x * y).ravel(), (x / y).ravel(), 1.0 / b])
    )


def _sums(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return sums and differences of all pairs, (n,)."""
    return np.unique(np.concatenate([np.add.outer(a, b).ravel(), np.subtract.outer(a, b).ravel()]))


def _within(times: np.ndarray, first: float, last: float) -> np.ndarray:
    return times[(times > first) & (times < last)]


def _close(times: np.ndarray, h: float) -> np.ndarray:
    """Return those of the increasing times (n,) that are closer to another than ``h``, s."""
    near = np.diff(times) < h
    return times[np.append(near, False) | np.append(False, near)] if len(times) else times
