"""The numbers that users' functions name: in their code, in what they read, and in the attributes of objects.

No code of the user's runs: values are read from the memory of Python's own types alone, with the functions of these
types. What a property, another descriptor or a mapping of the user's would compute is left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

#: Where installed packages lie.
PACKAGES = ("site-packages", "dist-packages")
#: A table of more numbers than the first count is not combined; a list of more than the second, and an array of more
#: than the third is not read.
COMBINED, TABLE_LIMIT, ARRAY_LIMIT = 24, 100_000, 10_000_000
#: Objects inside of objects that are read, and the number of all.
DEPTH, OBJECTS = 4, 1000
#: Types of numbers and of containers, which are known by identity: a class may define its own comparison.
NUMBER_TYPES = (
    int,
    float,
    *(np.dtype(kind).type for kind in np.typecodes["AllInteger"] + np.typecodes["Float"]),
)
NUMBERS = frozenset(map(id, NUMBER_TYPES))
CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset, deque)


class Numbers(NamedTuple):
    """The numbers in functions: single ones (n,), none of them 0, and each table with its shape."""

    single: np.ndarray
    tables: tuple[np.ndarray, ...]


def numbers_in(functions: Iterable[Callable]) -> Numbers:
    """Return the numbers in the code of functions, in what they read, and in the attributes of objects.

    Of modules and classes, those attributes are read whose names are in the code.
    """
    reader = _Reader()
    reader.read([(function, 0) for function in functions])
    finite = [x for x in reader.single if 0.0 < x < np.inf]
    return Numbers(np.array(finite), tuple(reader.tables))


class _Reader:
    """What has been read."""

    def __init__(self) -> None:
        self.single, self.tables = dict[float, None](), list[np.ndarray]()
        self._names, self._owners = {"__call__": None}, dict[int, tuple[Any, int]]()  # modules and classes
        self._seen, self._left = dict[int, Any](), OBJECTS

    def read(self, work: list[tuple[Any, int]]) -> None:
        """Read values, each of which is in so many others."""
        known = (0, 0)
        while True:
            while work and self._left > 0:
                value, depth = work.pop(0)
                try:
                    work += [(one, depth + 1) for one in self._look(value, depth)]
                except Exception:  # (an object that can't be read names no times)
                    continue
            if self._left <= 0 or known == (known := (len(self._names), len(self._owners))):
                return
            for owner, depth in self._owners.values():
                work += [(one, depth + 1) for one in _named(owner, self._names)]

    def _look(self, value: Any, depth: int) -> list[Any]:
        """Note the numbers of a value; return what is in it."""
        if id(type(value)) in NUMBERS:
            self.single[abs(float(value))] = None
            return []
        if value is None or type(value) in (bool, str, bytes) or id(value) in self._seen:
            return []
        self._seen[id(value)] = value  # (its identity stays its own)
        if _is(value, ModuleType) or _is(value, type):
            if depth < DEPTH:
                self._owners[id(value)] = (value, depth)
            return []
        self._left -= 1
        if (table := _table(value)) is not None:
            if table.size <= COMBINED:
                self.single.update(dict.fromkeys(np.abs(table).ravel().tolist()))
            self.tables.append(table)
            return []
        return self._inside(value) if depth < DEPTH else []

    def _inside(self, value: Any) -> list[Any]:
        """Return what a function or an object reads or contains."""
        kind = type(value)
        if kind is FunctionType:
            codes = list(_codes(value.__code__))
            names = [name for code in codes for name in code.co_names]
            self._names.update(dict.fromkeys(names))
            constants = [one for code in codes for one in code.co_consts if type(one) is not CodeType]
            scope, cells = value.__globals__, value.__closure__ or ()
            read = [dict.get(scope, name) for name in names] + [
                one for cell in cells for one in _content(cell)
            ]
            kept = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            return [*constants, *read, *kept, *dict.values(value.__dict__)]
        if kind is MethodType:
            return [value.__func__, value.__self__]
        if kind is partial:
            return [value.func, *value.args, *dict.values(value.keywords)]
        if kind is property:
            return [value.fget]
        if kind in (staticmethod, classmethod):
            return [value.__func__]
        return [*_contents(value), *_attributes(value), kind]


def _is(value: Any, kind: type) -> bool:
    """Return whether a value is of a type, without asking the value."""
    return any(one is kind for one in _order(type(value)))


def _order(kind: type) -> tuple[type, ...]:
    """Return a class and its bases in the order in which attributes are looked for."""
    return type.__dict__["__mro__"].__get__(kind)


def _of_class(kind: type) -> Any:
    """Return the attributes of a class alone."""
    return type.__dict__["__dict__"].__get__(kind)


def _content(cell: CellType) -> list[Any]:
    """Return the value of a variable of an enclosing function, if it has one."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of those in it, such as generators."""
    yield code
    for one in code.co_consts:
        if type(one) is CodeType:
            yield from _codes(one)


def _table(value: Any) -> np.ndarray | None:
    """Return a sequence or an array of numbers as an array, or None if it contains something else."""
    if type(value) is np.ndarray:
        table = value
    else:
        if (kind := next((one for one in CONTAINERS if _is(value, one)), None)) is None:
            return None
        if kind.__len__(value) > TABLE_LIMIT or any(id(type(x)) not in NUMBERS for x in kind.__iter__(value)):
            return None
        table = np.array(list(kind.__iter__(value)))
    if not 0 < table.size <= ARRAY_LIMIT or table.dtype.kind not in "iuf":
        return None
    with np.errstate(all="ignore"):
        return table.astype(float, copy=False)


def _contents(value: Any) -> Iterator[Any]:
    """Yield some of what a container of Python's own types holds."""
    if _is(value, dict):
        yield from islice(dict.values(value), OBJECTS)
    for kind in CONTAINERS:
        if _is(value, kind):
            yield from islice(kind.__iter__(value), OBJECTS)


def _attributes(value: Any) -> Iterator[Any]:
    """Yield what an object keeps in its own dictionary and in slots."""
    for kind in _order(type(value)):
        for name, one in list(_of_class(kind).items()):
            if type(one) is GetSetDescriptorType and name == "__dict__":
                yield from islice(dict.values(one.__get__(value)), OBJECTS)
            elif type(one) is MemberDescriptorType:
                try:
                    yield one.__get__(value)
                except AttributeError:  # it was not set
                    continue


def _named(owner: Any, names: Iterable[str]) -> Iterator[Any]:
    """Yield the attributes of a module or class that are in a code by name; not the functions of packages."""
    if _is(owner, type):
        scopes = [_of_class(kind) for kind in _order(owner)]
    else:
        scopes = [vars(ModuleType)["__dict__"].__get__(owner)]
    for name in names:
        one = next((scope[name] for scope in scopes if name in scope), None)
        if type(one) is not FunctionType or not any(part in one.__code__.co_filename for part in PACKAGES):
            yield one
