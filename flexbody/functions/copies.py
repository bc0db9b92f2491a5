"""Copies of users' functions, so that calls before a run change nothing that the run will read."""

from __future__ import annotations

import copy
import gc
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar
from weakref import CallableProxyType, ProxyType, finalize

import numpy as np

from .captured_values import global_names, is_plain
from .named_numbers import PACKAGES

Function = TypeVar("Function", bound=Callable)

#: Arrays that are larger are not copied, bytes.
LARGEST_ARRAY = 10_000_000
#: What stands for an object that it doesn't keep: it is shared, and fails if it is asked when the object is gone.
PROXIES = (ProxyType, CallableProxyType)
#: Methods of objects that free something at their end: they are not copied.
RELEASES = ("__del__", "__enter__", "close")


def copied(function: Function) -> Function:
    """Return a copy of a function that has its own variables; itself if it can't be copied.

    The copy has the variables that the function reads from its module and from enclosing functions, its attributes and
    default values, and for a method or a callable object those of the object. Objects of installed packages are shared.
    A function that reads an object which frees something at its end (``RELEASES``) is returned itself: the end of a
    copy would free what the original still needs.
    """
    try:
        return _copy(function, {})
    except Exception:  # an object may refuse to be copied in any way
        return function


def _copy(value: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of a value; ``memo``: what was copied, by the identity of the original."""
    if id(value) in memo:
        return memo[id(value)]
    if is_plain(value):
        return _function(value, memo)
    if type(value) in PROXIES:
        return value
    if isinstance(value, MethodType):
        return MethodType(value.__func__, _copy(value.__self__, memo))
    if isinstance(value, partial):
        arguments = [_copy(one, memo) for one in value.args]
        return partial(
            _copy(value.func, memo), *arguments, **{k: _copy(v, memo) for k, v in value.keywords.items()}
        )
    if not _keeps_state(value):
        return value
    if releases(value):
        raise TypeError(f"a copy of {type(value).__name__} would free what the original needs")
    if type(value) in (dict, list):
        return _container(value, memo)
    if _is_plain_object(value):
        new = memo[id(value)] = copy.copy(value)
        vars(new).update({name: _copy(one, memo) for name, one in vars(value).items()})
        return new
    _check_contents(value)
    return copy.deepcopy(value, memo)


def releases(value: Any) -> bool:
    """Return whether an object frees something that is no memory: a file, a connection, what a C library keeps."""
    return isinstance(value, finalize) or any(hasattr(type(value), name) for name in RELEASES)


def _check_contents(value: Any) -> None:
    """Raise TypeError if an object contains one that frees something."""
    seen, left = set[int](), [value]
    while left:
        one = left.pop()
        of_numpy = (
            type(one).__module__.split(".")[0] == "numpy"
        )  # (a generator copies itself without its lock)
        if id(one) in seen or of_numpy or not _keeps_state(one) or is_plain(one):
            continue
        seen.add(id(one))
        if releases(one):
            raise TypeError(f"{type(value).__name__} contains {type(one).__name__}, which can't be copied")
        left += gc.get_referents(one)


def _container(value: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of a dictionary or list, whose entries of installed packages are shared."""
    new = memo[id(value)] = type(value)()
    if isinstance(value, dict):
        new.update({key: _copy(one, memo) for key, one in value.items()})
    else:
        new.extend(_copy(one, memo) for one in value)
    return new


def _is_plain_object(value: Any) -> bool:
    """Return whether all that an object of a user's class keeps are its attributes."""
    kind = type(value)
    own = hasattr(value, "__deepcopy__") or hasattr(value, "__copy__") or not hasattr(value, "__dict__")
    return (
        not (own or isinstance(value, dict | list | set | tuple))
        and kind.__reduce_ex__ is object.__reduce_ex__
    )


def _function(function: FunctionType, memo: dict[int, Any]) -> FunctionType:
    cells = function.__closure__
    closure = None if cells is None else tuple(CellType() for _ in cells)
    scope = memo.setdefault(id(function.__globals__), dict(function.__globals__))
    new = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    memo[id(function)] = new
    new.__kwdefaults__ = function.__kwdefaults__ and {
        k: _copy(v, memo) for k, v in function.__kwdefaults__.items()
    }
    new.__defaults__ = function.__defaults__ and tuple(_copy(one, memo) for one in function.__defaults__)
    new.__dict__.update({name: _copy(one, memo) for name, one in vars(function).items()})
    for name in global_names(function):
        scope[name] = _copy(function.__globals__[name], memo)
    for old, cell in zip(cells or (), closure or (), strict=True):
        try:
            cell.cell_contents = _copy(old.cell_contents, memo)
        except ValueError:  # an empty cell
            continue
    return new


def _keeps_state(value: Any) -> bool:
    """Return whether a value can keep a state that is worth a copy."""
    if type(value) in PROXIES or isinstance(value, ModuleType | type | BuiltinFunctionType | np.ufunc):
        return False
    if isinstance(value, np.ndarray):
        return value.nbytes <= LARGEST_ARRAY
    package = type(value).__module__.split(".")[0]
    if package in ("numpy", "builtins", "collections", "random"):
        return True
    path = str(getattr(sys.modules.get(package), "__file__", None) or "")
    return package not in ("fem", "modal", "flexbody") and not any(folder in path for folder in PACKAGES)
