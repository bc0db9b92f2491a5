"""What is public is documented whole: an example that runs, its arguments, and what it returns."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

import pytest
from support.joints import CAMS, GUIDEWAYS, JOINTS

import flexbody as fb

PACKAGES = ("fem", "modal", "flexbody")


def _exported(package: str, names: str = "__all__") -> dict[str, Any]:
    """Return the exported classes and functions of a package, by their full names."""
    module = importlib.import_module(package)
    found = {f"{package}.{name}": getattr(module, name) for name in getattr(module, names)}
    return {name: thing for name, thing in found.items() if callable(thing)}


def _is_class(thing: Any) -> bool:
    """Whether it is a class that users make objects of or are handed objects of: no error or warning."""
    return inspect.isclass(thing) and not issubclass(thing, BaseException)


def _arguments(thing: Any) -> list[str]:
    """Return the names of the arguments; a protocol is never called."""
    if getattr(thing, "_is_protocol", False):
        return []
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def _described(text: str) -> set[str]:
    """Return the names that the sections Parameters and Attributes of a documentation describe."""
    sections = re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", text, re.S | re.M)
    heads = re.findall(r"^(\S.*)$", "\n".join(sections), re.M)
    return {name.strip().lstrip("*") for head in heads for name in head.split(" : ")[0].split(",")}


def _differing(thing: Any, text: str, inherited: bool = False) -> set[str]:
    """Return the arguments that a documentation does not describe, and what it describes that is no argument.

    Documentation that a base class gives may describe more: the arguments of other functions of the same name.
    """
    taken, described = set(_arguments(thing)), _described(text)
    return taken - described if inherited or _has("Attributes", text) else taken ^ described


def _has(section: str, text: str) -> bool:
    return f"{section}\n{'-' * len(section)}\n" in text


def _methods(owner: type) -> Iterator[tuple[str, Any, str]]:
    """Return name, function and documentation of the public methods of a class.

    What a base class says of its method holds for all classes that override it.
    """
    for name in dir(owner):
        defined = [vars(c)[name] for c in owner.__mro__ if name in vars(c)]
        plain = [getattr(thing, "__func__", thing) for thing in defined]
        if name.startswith("_") or not inspect.isfunction(plain[0]):
            continue
        if plain[0].__module__.split(".")[0] in PACKAGES:
            text = "\n".join(inspect.cleandoc(getattr(thing, "__doc__", None) or "") for thing in plain)
            method = getattr(owner, name)
            own = isinstance(defined[0], FunctionType)  # neither static nor of the class: it takes self
            yield name, partial(method, None) if own else method, f"{text}\n"


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_exported_has_an_example(package):
    """The examples themselves run in test_examples.py of each package."""
    things = _exported(package)
    assert len(things) > 20
    assert not [name for name, thing in things.items() if ">>> " not in (inspect.getdoc(thing) or "")]


@pytest.mark.parametrize("package", PACKAGES)
def test_arguments_of_what_is_exported_are_described(package):
    """Each by its name. Fields of what our own functions make, as a reduced body or a result, may be attributes.

    Results hold further fields that only our own readers use.
    """
    wrong = []
    for name, thing in {**_exported(package), **_exported(package, "RESULT_TYPES")}.items():
        text = f"{inspect.getdoc(thing)}\n"
        if (_is_class(thing) or inspect.isfunction(thing)) and _arguments(thing):
            fields = dataclasses.is_dataclass(thing) and _has("Attributes", text)
            wrong += [] if _has("Parameters", text) or fields else [name]
            if name in _exported(package):
                wrong += [f"{name}: {argument}" for argument in _differing(thing, text)]
    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_methods_say_what_they_take_and_return(package):
    wrong = []
    for name, owner in {**_exported(package), **_exported(package, "RESULT_TYPES")}.items():
        for key, method, text in _methods(owner) if _is_class(owner) else ():
            if _arguments(method) and not _has("Parameters", text):
                wrong.append(f"{name}.{key}: Parameters")
            wrong += [f"{name}.{key}: {argument}" for argument in _differing(method, text, inherited=True)]
            returned = inspect.signature(method).return_annotation
            gives = returned not in (None, "None", inspect.Signature.empty)
            if gives and not (_has("Returns", text) or _has("Yields", text)):
                wrong.append(f"{name}.{key}: Returns")
    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_say_what_they_return(package):
    functions = {name: thing for name, thing in _exported(package).items() if inspect.isfunction(thing)}
    assert not [
        name
        for name, function in functions.items()
        if inspect.signature(function).return_annotation not in (None, "None", inspect.Signature.empty)
        and not _has("Returns", f"{inspect.getdoc(function)}\n")
    ]


@pytest.mark.parametrize("kind", [fb.Revolute, fb.SpringDamper, fb.Bushing, fb.Line])
def test_help_tells_what_a_side_is(kind):
    text = " ".join(inspect.getdoc(kind).split())
    assert (
        'a rigid body, a named frame of a body such as ``rod["end"]`` (an interface or a marker), or' in text
    )


def test_all_that_joints_take_is_described():
    """Also what they inherit: the sides, the point and the axis."""
    for kind in (*JOINTS, *GUIDEWAYS, *CAMS):
        text = f"{inspect.getdoc(kind)}\n"
        assert _described(text) == {field.name for field in dataclasses.fields(kind) if field.init}, (
            kind.__name__
        )
