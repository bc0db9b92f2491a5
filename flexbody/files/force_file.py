"""Forces in the groups of an HDF5 file: their description as JSON text, and the histories of force elements as arrays.

In the text every part is an object with its ``kind`` (the name of its class) and its fields; bodies, named frames and
joints are given by name. A function of time is an array of its values at the times of the result, next to the text. A
law written in Python cannot be stored; in a loaded result it returns the forces of the run as a function of time.

A class of another module is named with that module, which must be imported before the file is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

import fem
from fem.properties import section

from ..functions.samples import Samples
from ..model.bodies import GROUND
from ..model.forces import Force, ForceLaw, Geometry
from ..model.forces.user_law import Replayed
from ..model.joints import Joint
from ..model.sides import Body, BodyFrame, Ground
from ..results.force_elements import ElementHistory
from .datasets import note, put
from .sampled_functions import Sampler

if TYPE_CHECKING:
    import h5py

#: package whose classes are named without their module
OWN_PACKAGE = __name__.partition(".")[0]


def put_force(group: h5py.Group, force: Force, bodies: Mapping[str, Body], sampler: Sampler) -> None:
    """Write the description of a force; values of a function of time are stored in "samples"."""
    note(group, kind=type(force).__name__)
    text = json.dumps(_encoded(force)).encode()
    put(group, "description", np.frombuffer(text, dtype=np.uint8), "JSON, UTF-8")
    if function := force.time_function(bodies):
        columns = 0 if function.size == 1 else slice(0, function.size)
        sampler.put(group, function.what, {"samples": (columns, function.unit)})


def put_history(group: h5py.Group, history: ElementHistory) -> None:
    """Write the history of an element."""
    units = history.units
    for name in ("force", "deformation", "rate", "stored", "dissipated", "input"):
        put(group, name, getattr(history, name), units[name])
    put(group, "state", history.state, ", ".join(f"{name} ({unit or '-'})" for name, unit in history.states))
    for name in ("first", "second"):
        put(group, name, getattr(history, name), "N, N m (inertial)")


def read_force(name: str, group: h5py.Group, bodies: Mapping, joints: Mapping, t: np.ndarray) -> Force:
    """Return the force that :func:`put_force` wrote to a group."""
    recorded = group["force"][...] if "force" in group else np.zeros(len(t))
    samples = group["samples"][: len(t)] if "samples" in group else np.zeros(len(t))
    readers: dict[str, Callable[[dict], Any]] = {
        "frame": lambda part: bodies[part["body"]][part["name"]],
        "ground": lambda part: GROUND,
        "body": lambda part: bodies[part["name"]],
        "joint": lambda part: joints[part["name"]],
        "mapping": lambda part: dict(part["items"]),
        "samples": lambda part: Samples(t, samples),
        "replay": lambda part: _replayed(Samples(t, recorded), part["start"]),
    }

    def decoded(part: dict) -> Any:
        kind = part.pop("kind")
        return readers[kind](part) if kind in readers else _class_named(kind)(**part)

    force = json.loads(bytes(group["description"][...]), object_hook=decoded)
    if not isinstance(force, Force) or force.name != name:
        raise ValueError(f"the description of '{name}' is that of {force!r}")
    return force


# ---- classes by name -------------------------------------------------------------------------------------


def _name_of(cls: type) -> str:
    own = cls.__module__.partition(".")[0] in (OWN_PACKAGE, fem.__name__)
    return cls.__name__ if own else f"{cls.__module__}:{cls.__qualname__}"


def _class_named(kind: str) -> Callable[..., Any]:
    """Return the class of a force, geometry, force law, material or section by its name in the file."""
    known = {_name_of(cls): cls for base in (Force, Geometry, ForceLaw) for cls in _below(base)}
    found = known.get(kind) or getattr(fem, kind, None) or getattr(section, kind, None)
    if found is None:
        module = kind.partition(":")[0]
        raise ValueError(f"the class {kind} is unknown" + (f"; import {module} first" if ":" in kind else ""))
    return found


def _below(base: type) -> list[type]:
    """Return all subclasses of a class; later ones of the same name come later."""
    return [found for cls in base.__subclasses__() for found in (cls, *_below(cls))]


# ---- values by type --------------------------------------------------------------------------------------


@singledispatch
def _encoded(value: Any) -> Any:
    if is_dataclass(value):
        return _object(value)
    return {"kind": "samples"} if callable(value) else float(value)


def _object(value: Any) -> dict[str, Any]:
    found = {field.name: _encoded(getattr(value, field.name)) for field in fields(value)}
    return {"kind": _name_of(type(value)), **found}


@_encoded.register
def _(side: BodyFrame) -> dict[str, Any]:
    return {"kind": "frame", "body": side.body.name, "name": side.name}


@_encoded.register
def _(side: Ground) -> dict[str, Any]:
    return {"kind": "ground"}


@_encoded.register
def _(side: Body) -> dict[str, Any]:
    return {"kind": "body", "name": side.name}


@_encoded.register
def _(joint: Joint) -> dict[str, Any]:
    return {"kind": "joint", "name": joint.name}


@_encoded.register
def _(law: ForceLaw) -> dict[str, Any]:
    """Return the fields of a law; functions other than its input can't be stored."""
    for field in fields(law):  # type: ignore[arg-type]
        if field.name != law.input and callable(getattr(law, field.name)):
            start = law.start_states()
            return {"kind": "replay", "start": [] if start is None else start.tolist()}
    return _object(law)


@_encoded.register
def _(values: Mapping) -> dict[str, Any]:
    return {"kind": "mapping", "items": [[key, _encoded(value)] for key, value in values.items()]}


@_encoded.register(np.ndarray)
@_encoded.register(Sequence)
def _(values: Any) -> list[Any]:
    return [_encoded(value) for value in values]


@_encoded.register
def _(value: np.generic) -> Any:
    return value.item()


@_encoded.register(str)
@_encoded.register(int)
@_encoded.register(float)
@_encoded.register(type(None))
def _(value: Any) -> Any:
    return value


def _replayed(samples: Samples, start: list[float]) -> Replayed:
    """Return a law that returns the forces of a run."""
    if not start:
        return Replayed(lambda t, x, rate: samples(t))
    none = np.zeros(len(start))
    return Replayed(lambda t, x, rate, z: samples(t), lambda t, x, rate, z: none, start=start)
