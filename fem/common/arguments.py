"""Arguments of public functions and classes, checked against their annotations.

:func:`check_arguments` stands before each public function, method and class. The annotations say what an argument may
be (:mod:`fem.common.annotations`); a function or class checks by itself only what its annotations can't say, or where
it can say more.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, wraps
from typing import Any, TypeVar, overload

import numpy as np

from .annotations import rules_of
from .errors import INTERNAL_MODULES, FlexbodyError, InputError
from .numbers import as_floats
from .signatures import misfit
from .values import Rule

Checked = TypeVar("Checked", bound=Callable[..., Any])

#: how a package is called in scripts
_SHORT = {"flexbody": "fb"}


class Arguments:
    """The arguments of a function, or of the constructor of a class, and what they may be.

    Parameters
    ----------
    target : callable
        The function or class.
    own : sequence of str, optional
        The arguments that it checks by itself.
    """

    def __init__(self, target: Callable[..., Any], own: Sequence[str] = ()) -> None:
        self.target, self.own = target, own

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """The rule of each argument; read when it is first needed, for the modules are complete then."""
        return {name: rule for name, rule in rules_of(self.target).items() if name not in self.own}

    @cached_property
    def _parameters(self) -> tuple[inspect.Parameter, ...]:
        return tuple(inspect.signature(self.target).parameters.values())

    @cached_property
    def _in_order(self) -> tuple[str, ...]:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return tuple(p.name for p in self._parameters if p.kind in kinds)

    @cached_property
    def _rest(self) -> str:
        """The name of the argument that takes all further positions; "" if none does."""
        return next((p.name for p in self._parameters if p.kind is p.VAR_POSITIONAL), "")

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The defaults, which are right by themselves."""
        return {p.name: p.default for p in self._parameters if p.default is not p.empty}

    def given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield name and value of each argument that is given."""
        yield from zip(self._in_order, args, strict=False)
        yield from ((self._rest, value) for value in args[len(self._in_order) :])
        yield from kwargs.items()

    def problems(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Return as sentences which arguments are wrong."""
        found = []
        for name, value in self.given(args, kwargs):
            rule = self.rules.get(name)
            fault = rule.fault(value) if rule is not None else None
            if fault is not None and value is not self.defaults.get(name, fault):
                found.append(fault.about(name))
        return found


@overload
def check_arguments(target: Checked) -> Checked: ...


@overload
def check_arguments(*, own: Sequence[str]) -> Callable[[Checked], Checked]: ...


def check_arguments(target: Any = None, *, own: Sequence[str] = ()) -> Any:
    """Return a function or class whose arguments are checked against their annotations.

    A function is called only if all arguments are right. An object of a class is made first, because its own checks
    know more; then the arguments are checked, and where no object could be made, they say why. An array without
    dimensions is passed on as the number that it holds, and a fraction as a float.

    Parameters
    ----------
    target : callable
        A function, a method or a class.
    own : sequence of str, optional
        The arguments that it checks by itself.

    Returns
    -------
    callable
        The function, which checks, or the class, whose ``__init__`` does.
    """
    if target is None:
        return lambda target: _checked(target, own)
    return _checked(target, own)


def _scalars(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments in which each array without dimensions is the number, or other thing, that it holds."""
    return tuple(map(_scalar, args)), {name: _scalar(value) for name, value in kwargs.items()}


def _scalar(value: Any) -> Any:
    return as_floats(value[()] if isinstance(value, np.ndarray) and not value.shape else value)


def _checked(target: Any, own: Sequence[str]) -> Any:
    arguments = Arguments(target, own)
    if isinstance(target, type):
        target.__init__ = _constructor(arguments, target.__init__)  # type: ignore[misc]
        return target

    @wraps(target)
    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _scalars(args, kwargs)
        if found := arguments.problems(args, kwargs):
            raise InputError(_said(_named(target, args), found))
        try:
            return target(*args, **kwargs)
        except TypeError:
            if why := misfit(target, args, kwargs):
                raise TypeError(f"{_named(target, args)}: {why}") from None
            raise

    call.arguments = arguments  # type: ignore[attr-defined]
    return call


def _constructor(arguments: Arguments, init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        args, kwargs = _scalars(args, kwargs)
        try:
            init(self, *args, **kwargs)
        except FlexbodyError:
            raise
        except Exception as error:
            if why := misfit(arguments.target, args, kwargs):
                raise TypeError(f"{_made(arguments, args, kwargs)}: {why}") from None
            if found := arguments.problems(args, kwargs):
                raise InputError(_said(_made(arguments, args, kwargs), found)) from error
            raise
        if found := arguments.problems(args, kwargs):
            raise InputError(_said(_made(arguments, args, kwargs), found))

    construct.arguments = arguments  # type: ignore[attr-defined]
    return construct


def problems_of(item: Any, label: str) -> list[str]:
    """Return as sentences what is wrong with a description, a dataclass with ``problems()``.

    What it says itself comes first, for it knows more; then its fields are checked against their annotations.
    """
    try:
        own = item.problems()
    except FlexbodyError:
        raise
    except Exception:
        if found := field_problems(item, label):
            return found
        raise
    return own or field_problems(item, label)


def field_problems(item: Any, label: str) -> list[str]:
    """Return as sentences which fields of a dataclass its annotations refuse."""
    ours = next(kind for kind in type(item).__mro__ if kind.__module__.split(".")[0] in INTERNAL_MODULES)
    arguments = _of_class(ours)  # a class of a user's own may annotate its fields as it likes
    return [
        f"{label}: {found}"
        for found in arguments.problems((), {n: getattr(item, n) for n in arguments.rules})
    ]


@cache
def _of_class(kind: type) -> Arguments:
    return Arguments(kind)


def _said(where: str, found: list[str]) -> str:
    if len(found) == 1:
        return f"{where}: {found[0]}"
    return f"{where} has wrong arguments:\n  - " + "\n  - ".join(found)


def _named(target: Callable[..., Any], args: Sequence[Any]) -> str:
    """Return the name of a function for a message, with the name of what it is applied to."""
    package = target.__module__.split(".")[0]
    owner, _, method = target.__qualname__.rpartition(".")
    kinds = [kind.__name__ for kind in type(args[0]).__mro__] if args else []
    owner = (
        kinds[0] if owner in kinds else owner
    )  # the user's own object: Result, where History has the method
    where = f"{owner}.{method}" if owner else f"{_SHORT.get(package, package)}.{method}"
    name = getattr(args[0], "name", None) if args else None
    return f"{where} of '{name}'" if isinstance(name, str) else where


def _made(arguments: Arguments, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the name of what was to be made, for a message."""
    kind, name = arguments.target.__name__, dict(arguments.given(args, kwargs)).get("name")
    return f"{kind} '{name}'" if isinstance(name, str) and name.isprintable() else kind
