"""From the annotations of a function or class to the rules of its arguments."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from .errors import with_article
from .values import (
    ANYTHING,
    ARRAY,
    FLAG,
    FUNCTION,
    INTEGER,
    NOTHING,
    NUMBER,
    NUMBERS,
    PATH,
    TEXT,
    Array,
    Fault,
    Rule,
)

#: the rules of types that stand for a kind of values
_PLAIN: dict[Any, Rule] = {
    Any: ANYTHING,
    object: ANYTHING,
    None: NOTHING,
    types.NoneType: NOTHING,
    bool: FLAG,
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    Array: NUMBERS,
    np.ndarray: ARRAY,
    os.PathLike: PATH,
    Callable: FUNCTION,
}
_COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 6: "six"}


def rules_of(target: Callable[..., Any]) -> dict[str, Rule]:
    """Return the rule of each annotated argument of a function, or of the constructor of a class."""
    if isinstance(target, type):
        if "__dataclass_fields__" in vars(target):
            return _rules_of_fields(target)
        target = target.__init__  # type: ignore[misc]
    target = getattr(target, "__wrapped__", target)
    if not isinstance(target, types.FunctionType):
        return {}
    return {
        name: rule_of(_evaluated(text, target.__globals__))
        for name, text in target.__annotations__.items()
        if name != "return"
    }


def _rules_of_fields(kind: type) -> dict[str, Rule]:
    """Return the rules of the fields of a dataclass and its bases, each read in the module that writes it."""
    found = {}
    for part in reversed(kind.__mro__):
        for name, text in vars(part).get("__annotations__", {}).items():
            meaning = _evaluated(text, vars(sys.modules[part.__module__]))
            if meaning is not ClassVar and get_origin(meaning) is not ClassVar:
                found[name] = rule_of(meaning)
    return {name: found[name] for name in kind.__dataclass_fields__ if name in found}  # type: ignore[attr-defined]


def _evaluated(text: Any, space: Mapping[str, Any]) -> Any:
    return eval(text, {**space, "ArrayLike": Array}) if isinstance(text, str) else text


def rule_of(meaning: Any) -> Rule:
    """Return the rule of an annotation, which is a type or what :mod:`typing` makes of types."""
    origin, inner = get_origin(meaning), get_args(meaning)
    if origin is Annotated:
        return _narrowed(inner[0], inner[1])
    if origin in (Union, types.UnionType):
        return _union([rule_of(part) for part in _without_spelled_arrays(inner)])
    if origin is Literal:
        words = " or ".join(map(repr, inner))
        return Rule(words, words, lambda value: isinstance(value, str) and value in inner)
    plain = meaning if origin is None else origin
    if isinstance(plain, TypeVar) or not (isinstance(plain, type) or plain in _PLAIN):
        return ANYTHING
    if plain in _PLAIN:
        return _PLAIN[plain]
    if issubclass(plain, os.PathLike):
        return PATH
    if plain is tuple and inner and inner[-1] is not Ellipsis:
        return _fixed([rule_of(part) for part in inner])
    if issubclass(plain, Mapping):
        return _mapping(*[rule_of(part) for part in inner or (Any, Any)])
    if plain.__module__ in ("builtins", "collections.abc") and issubclass(plain, Iterable):
        part = rule_of(inner[0]) if inner else ANYTHING
        return _sequence(part, once=not issubclass(plain, Sized))
    return _object(plain)


def _narrowed(meaning: Any, by: Rule | str) -> Rule:
    """Return the rule that stands in an annotation, or the rule of its type with the words that stand there."""
    if isinstance(by, Rule):
        return by
    rule = rule_of(meaning)
    return Rule(by, by, lambda value: rule.fault(value) is None)


def _without_spelled_arrays(parts: tuple[Any, ...]) -> list[Any]:
    """Return the parts of a union with one Array in place of all that numpy's ``ArrayLike`` consists of."""
    spelled = [part for part in parts if getattr(part, "__module__", "").startswith("numpy._typing")]
    if not spelled:
        return list(parts)
    return [Array, *(part for part in parts if part not in get_args(npt.ArrayLike))]


def _union(parts: list[Rule]) -> Rule:
    parts = sorted(dict.fromkeys(parts), key=lambda rule: rule is NOTHING)  # None comes last
    if PATH in parts and TEXT in parts:
        parts.remove(TEXT)

    def inside(value: Any) -> Iterator[Fault]:
        faults = [rule.fault(value) for rule in parts]
        if None not in faults:
            deeper = [fault for fault in faults if fault is not None and fault.place]
            yield deeper[0] if len(deeper) == 1 else Fault("", one, value)

    one = " or ".join(rule.one for rule in parts)
    return Rule(one, " or ".join(rule.many for rule in parts), lambda value: True, inside)


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | type)


def _sequence(part: Rule, once: bool) -> Rule:
    """Return the rule of lists and the like; of what can be read ``once`` too if the annotation says so."""

    def inside(value: Any) -> Iterator[Fault]:
        readable_twice = isinstance(value, Collection)  # an iterator is read once, by the function
        if part is not ANYTHING and readable_twice:
            yield from _faults((f"[{k}]", one, part) for k, one in enumerate(value))

    one = "a list" if part is ANYTHING else f"a list of {part.many}"
    return Rule(
        one,
        one.replace("a list", "lists", 1),
        lambda value: _is_list(value) and (once or isinstance(value, Sized)),
        inside,
    )


def _fixed(parts: list[Rule]) -> Rule:
    def inside(value: Any) -> Iterator[Fault]:
        return _faults((f"[{k}]", one, part) for k, (one, part) in enumerate(zip(value, parts, strict=True)))

    def takes(value: Any) -> bool:
        return _is_list(value) and isinstance(value, Collection) and len(value) == len(parts)

    same = len(set(parts)) == 1 and len(parts) in _COUNTS
    one = f"{_COUNTS[len(parts)]} {parts[0].many}" if same else f"({', '.join(part.one for part in parts)})"
    return Rule(one, f"lists of {one}", takes, inside)


def _mapping(key: Rule, value: Rule) -> Rule:
    def inside(given: Any) -> Iterator[Fault]:
        for name, one in given.items():
            if (fault := key.fault(name)) is not None:
                yield Fault(f": a key{fault.place}", fault.words, fault.value)
            yield from _faults([(f"[{name!r}]", one, value)])

    one = f"a dict {{{key.one}: {value.one}}}" if value is not ANYTHING else f"a dict of {key.many}"
    return Rule(one, one.replace("a dict", "dicts", 1), lambda given: isinstance(given, Mapping), inside)


def _faults(parts: Iterable[tuple[str, Any, Rule]]) -> Iterator[Fault]:
    for place, value, rule in parts:
        if (fault := rule.fault(value)) is not None:
            yield Fault(place + fault.place, fault.words, fault.value)


def _object(kind: type) -> Rule:
    """Return the rule of objects of a class, or of what has the attributes of a protocol."""
    made_by = getattr(kind, "_made_by", "")
    one = with_article(kind.__name__) + (f" ({made_by})" if made_by else "")
    if not getattr(kind, "_is_protocol", False):
        return Rule(one, f"{kind.__name__} objects", lambda value: isinstance(value, kind))
    names = [
        name
        for part in kind.__mro__
        if getattr(part, "_is_protocol", False)
        for name in {**vars(part), **vars(part).get("__annotations__", {})}
        if not name.startswith("_")
    ]

    def takes(value: Any) -> bool:
        return not isinstance(value, type) and all(hasattr(value, name) for name in names)

    return Rule(one, f"{kind.__name__} objects", takes)
