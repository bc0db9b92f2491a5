"""Every function, class and method that scripts may call."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import fem
import flexbody as fb
import modal

PACKAGES = {"fem": fem, "modal": modal, "modal.assumed": modal.assumed, "fb": fb}
#: what a class of a library, or a protocol, brings along is not ours
OURS = ("fem", "modal", "flexbody")


def exported() -> Iterator[tuple[str, Any]]:
    """Yield name and object of every exported function and class but errors, warnings and protocols."""
    for package, module in PACKAGES.items():
        for name in (*module.__all__, *getattr(module, "RESULT_TYPES", ())):
            thing = getattr(module, name)
            if callable(thing) and not (inspect.isclass(thing) and _is_no_value(thing)):
                yield f"{package}.{name}", thing


def _is_no_value(kind: type) -> bool:
    return issubclass(kind, BaseException) or getattr(kind, "_is_protocol", False)


def returned() -> set[str]:
    """Return the names of the classes that functions return objects of."""
    return {
        f"{package}.{name}"
        for package, module in PACKAGES.items()
        for name in getattr(module, "RESULT_TYPES", ())
    }


def made_by_users() -> dict[str, Callable[..., Any]]:
    """Return the exported functions, and the classes that scripts make objects of and that take arguments."""
    return {
        name: thing
        for name, thing in exported()
        if name not in returned() and inspect.signature(thing).parameters
    }


#: classes of __all__ whose methods scripts call; those of other descriptions are called by our own packages
CALLED = {
    "fem.CoordinateSystem",
    "fem.Mesh",
    "modal.Basis",
    "modal.ReducedBody",
    "fb.Stepper",
    "fb.Study",
    "fb.System",
}
#: what functions return, but whose methods only our own packages call
INNER = {"fb.BodyFrame", "fb.Film"}


def methods() -> dict[str, Callable[..., Any]]:
    """Return the methods with arguments that scripts call: of what functions return, of Mesh, Stepper and the like."""
    called = (CALLED | returned()) - INNER
    classes = {name: thing for name, thing in exported() if inspect.isclass(thing) and name in called}
    found = {}
    for name, kind in classes.items():
        for method in dir(kind):
            plain = next((vars(owner)[method] for owner in kind.__mro__ if method in vars(owner)), None)
            if not inspect.isfunction(plain) or plain.__module__.split(".")[0] not in OURS:
                continue
            hidden = method.startswith("_") and method != "__getitem__"
            if not hidden and len(inspect.signature(plain).parameters) > 1:
                found[f"{name}.{method}"] = plain
    return found
