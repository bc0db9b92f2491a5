"""Short texts that tell whether two studies are the same: of functions, machines and values."""

from __future__ import annotations

import ast
import dis
import functools
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from .said import is_foreign

#: characters of a fingerprint
LENGTH = 16


def fingerprint(thing: Any) -> str:
    """Return a short text that changes with what a value says.

    Of a function it is its source without comments, and what the function uses from outside: values, and other
    functions of the user. What installed packages contain is not part of it.
    """
    digest = hashlib.sha256()
    for part in _parts(thing, ()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:LENGTH]


def _parts(thing: Any, within: tuple[int, ...]) -> Iterator[str]:
    """Yield texts that together say what a value is; ``within``: the things that contain it, which it may lead to."""
    if id(thing) in within:
        return
    within = (*within, id(thing))
    if isinstance(thing, str | bytes):
        yield repr(thing)
    elif isinstance(thing, np.ndarray):
        yield from _of_array(thing)
    elif isinstance(thing, Mapping):
        for name in sorted(thing, key=str):
            yield str(name)
            yield from _parts(thing[name], within)
    elif isinstance(thing, list | tuple):
        for k, one in enumerate(thing):
            yield str(k)
            yield from _parts(one, within)
    elif isinstance(thing, set | frozenset):  # whose order differs between processes
        yield from sorted("".join(_parts(one, within)) for one in thing)
    elif isinstance(thing, functools.partial):
        yield from _parts([thing.func, *thing.args, thing.keywords], within)
    elif isinstance(thing, MethodType):
        yield from _parts([thing.__func__, thing.__self__], within)
    elif isinstance(thing, type | ModuleType):
        yield thing.__name__
        if isinstance(thing, type) and not _is_of_others(thing):
            yield from _parts([thing.__bases__, _members(thing)], within)
    elif isinstance(thing, staticmethod | classmethod):
        yield from _parts(thing.__func__, within)
    elif isinstance(thing, property):
        yield from _parts([thing.fget, thing.fset], within)
    elif is_dataclass(thing):
        yield type(thing).__name__
        yield from _parts({one.name: getattr(thing, one.name) for one in fields(thing) if one.init}, within)
    elif isinstance(thing, FunctionType):
        yield from _of_function(thing, within)
    elif hasattr(thing, "tocoo"):
        sparse = thing.tocoo()
        yield from _parts([sparse.row, sparse.col, sparse.data, *thing.shape], within)
    elif hasattr(thing, "__wrapped__"):  # a function with a cache, or compiled by numba
        yield from _parts(thing.__wrapped__, within)
    else:
        text = repr(thing)
        yield type(thing).__qualname__ if " at 0x" in text else text
        if not _is_of_others(type(thing)):
            yield from _parts([type(thing), getattr(thing, "__dict__", {})], within)


def _of_array(thing: np.ndarray) -> Iterator[str]:
    yield f"{thing.shape} {thing.dtype}"
    if thing.dtype.hasobject:
        yield repr(thing.tolist())
    else:
        yield hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()


def _of_function(function: FunctionType, within: tuple[int, ...]) -> Iterator[str]:
    """Yield texts of a function: of others its name, of the user its source, defaults and what it uses."""
    if is_foreign(function.__code__.co_filename):
        yield f"{function.__module__}.{function.__qualname__}"
        return
    yield _source(function)
    yield from _parts([function.__defaults__, function.__kwdefaults__], within)
    taken, attributes = _names(function.__code__)
    for name in sorted(taken & function.__globals__.keys()):
        value = function.__globals__[name]
        yield name
        if isinstance(value, ModuleType) and not _is_of_others(value):  # a file of the user
            value = {inner: getattr(value, inner) for inner in sorted(attributes) if hasattr(value, inner)}
        yield from _parts(value, within)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name
        try:
            yield from _parts(cell.cell_contents, within)
        except ValueError:  # it is not assigned yet
            continue


def _names(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the names that a function, and those inside it, take from its module, and the names of attributes."""
    taken, attributes = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            taken.add(step.argval)
        elif step.argval in code.co_names:
            attributes.add(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            taken, attributes = (a | b for a, b in zip((taken, attributes), _names(inner), strict=True))
    return taken, attributes


def _members(thing: type) -> dict[str, Any]:
    """Return the methods and the values of a class, without what Python adds."""
    kinds = (FunctionType, staticmethod, classmethod, property)
    return {
        name: value
        for name, value in vars(thing).items()
        if isinstance(value, kinds) or not name.startswith("__")
    }


def _is_of_others(thing: type | ModuleType) -> bool:
    """Return whether a class or a module is not the user's own."""
    module = sys.modules.get(thing.__module__) if isinstance(thing, type) else thing
    if module is None:  # of a script that has been run by the command line
        return False
    file = getattr(module, "__file__", None)
    return is_foreign(file) if file else getattr(module, "__name__", "") != "__main__"


def _source(thing: FunctionType) -> str:
    """Return the source of a function without comments and formats; its name where there is no source."""
    try:
        text = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        return thing.__qualname__
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:  # of a lambda in the middle of a call
        return "".join(text.split())
