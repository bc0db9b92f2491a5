"""Short texts that tell whether two studies are the same: of functions, machines and values."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np

#: characters of a fingerprint
LENGTH = 16


def fingerprint(thing: Any) -> str:
    """Return a short text that changes with what a value says; of a function, with its source without comments.

    Functions that it calls, and values from outside that it uses, are not part of it.
    """
    digest = hashlib.sha256()
    for part in _parts(thing):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:LENGTH]


@singledispatch
def _parts(thing: Any) -> Iterator[str]:
    """Yield texts that together say what a value is."""
    if is_dataclass(thing):
        yield type(thing).__name__
        yield from _parts({one.name: getattr(thing, one.name) for one in fields(thing) if one.init})
    elif callable(thing):
        yield _source(thing)
    else:
        text = repr(thing)
        yield type(thing).__qualname__ if " at 0x" in text else text


@_parts.register
def _(thing: str | bytes) -> Iterator[str]:
    yield repr(thing)


@_parts.register
def _(thing: np.ndarray) -> Iterator[str]:
    yield str(thing.shape)
    yield repr(thing.tolist())


@_parts.register(Mapping)
def _(thing: Mapping) -> Iterator[str]:
    for name in sorted(thing, key=str):
        yield str(name)
        yield from _parts(thing[name])


@_parts.register(list)
@_parts.register(tuple)
def _(thing: Iterable) -> Iterator[str]:
    for k, one in enumerate(thing):
        yield str(k)
        yield from _parts(one)


@_parts.register(functools.partial)
def _(thing: functools.partial) -> Iterator[str]:
    yield from _parts(thing.func)
    yield from _parts([*thing.args, thing.keywords])


def _source(function: Any) -> str:
    """Return the source of a function without comments and formats; its name where there is no source."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:  # of a lambda in the middle of a call
        return "".join(text.split())
