"""Short texts that tell whether two studies are the same: of functions, machines and values."""

from __future__ import annotations

import ast
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
    elif isinstance(thing, functools.partial):
        yield from _parts([thing.func, *thing.args, thing.keywords], within)
    elif isinstance(thing, MethodType):
        yield from _parts([thing.__func__, thing.__self__], within)
    elif isinstance(thing, type | ModuleType):
        yield _source(thing) if isinstance(thing, type) and not _is_of_others(thing) else thing.__name__
    elif is_dataclass(thing):
        yield type(thing).__name__
        yield from _parts({one.name: getattr(thing, one.name) for one in fields(thing) if one.init}, within)
    elif isinstance(thing, FunctionType):
        yield from _of_function(thing, within)
    elif hasattr(thing, "tocoo"):
        sparse = thing.tocoo()
        yield from _parts([sparse.row, sparse.col, sparse.data, *thing.shape], within)
    else:
        text = repr(thing)
        yield type(thing).__qualname__ if " at 0x" in text else text


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
    names = _names(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        yield name
        if isinstance(value, ModuleType) and not _is_of_others(value):  # a file of the user
            value = {inner: getattr(value, inner) for inner in sorted(names) if hasattr(value, inner)}
        yield from _parts(value, within)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name
        try:
            yield from _parts(cell.cell_contents, within)
        except ValueError:  # it is not assigned yet
            continue


def _names(code: CodeType) -> set[str]:
    """Return the names that a function, and those inside it, take from its module or as attributes."""
    found = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= _names(inner)
    return found


def _is_of_others(thing: type | ModuleType) -> bool:
    """Return whether a class or a module is not the user's own."""
    module = sys.modules.get(thing.__module__) if isinstance(thing, type) else thing
    file = getattr(module, "__file__", None)
    return is_foreign(file) if file else getattr(module, "__name__", "") != "__main__"


def _source(thing: Any) -> str:
    """Return the source of a function or class without comments and formats; its name where there is no source."""
    try:
        text = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', type(thing).__name__)}"
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:  # of a lambda in the middle of a call
        return "".join(text.split())
