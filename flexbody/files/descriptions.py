"""Descriptions as JSON text in the groups of an HDF5 file.

Every part is an object with its ``kind`` (the name of its class) and its fields; bodies, named frames and joints are
given by name. A class of another package is named with its module, and must be defined before the file is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

import fem
from fem.common.errors import FileError
from fem.properties import section

from .. import formulations
from ..model.forces import Force, ForceLaw, Geometry, surface
from ..model.forces.control_laws import ControlLaw
from ..model.forces.control_places import ControlPlace
from ..model.forces.shapes import Shape
from ..model.joints import Connection
from ..model.joints.slip_laws import SlipLaw
from ..model.massless_body import MasslessBody
from ..model.sides import GROUND, Body, BodyFrame, Ground
from .datasets import put

if TYPE_CHECKING:
    import h5py

#: functions that return the object of a kind from its fields
Readers = dict[str, Callable[[dict[str, Any]], Any]]

#: package whose classes are named without their module
OWN_PACKAGE = __name__.partition(".")[0]


def put_text(group: h5py.Group, value: Any) -> None:
    """Write a value in the form of JSON, see :func:`encoded`, as the text "description"."""
    put(group, "description", np.frombuffer(json.dumps(value).encode(), dtype=np.uint8), "JSON, UTF-8")


def read_text(group: h5py.Group, bodies: Mapping, joints: Mapping, extra: Readers | None = None) -> Any:
    """Return the value that :func:`put_text` wrote; ``extra`` reads other kinds than sides, joints and classes."""
    readers: Readers = {
        "frame": lambda part: bodies[part["body"]][part["name"]],
        "ground": lambda part: GROUND,
        "body": lambda part: bodies[part["name"]],
        "joint": lambda part: joints[part["name"]],
        MasslessBody.__name__: lambda part: MasslessBody(**part).on(bodies),
        "mapping": lambda part: dict(part["items"]),
        **(extra or {}),
    }

    path = group.file.filename

    def decoded(part: dict) -> Any:
        if "kind" not in part:
            return part
        kind = part.pop("kind")
        return readers[kind](part) if kind in readers else class_named(kind, path)(**part)

    return json.loads(bytes(group["description"][...]), object_hook=decoded)


# ---- classes by name -------------------------------------------------------------------------------------


def class_name(cls: type) -> str:
    """Return the name of a class in a file; a class of another package is named with its module."""
    own = cls.__module__.partition(".")[0] in (OWN_PACKAGE, fem.__name__)
    return cls.__name__ if own else f"{cls.__module__}:{cls.__qualname__}"


def class_named(kind: str, path: str) -> Any:
    """Return the class of a joint, force, shape, law, material or description by its name in ``path``.

    Raises
    ------
    fem.FileError
        The class is of another package and is not defined.
    ValueError
        There is no such class in ours.
    """
    bases = (Connection, Force, Geometry, ForceLaw, Shape, ControlLaw, ControlPlace, SlipLaw)
    known = {class_name(cls): cls for base in bases for cls in _below(base)}
    places = (fem, section, formulations, surface)
    found = known.get(kind) or next((getattr(place, kind) for place in places if hasattr(place, kind)), None)
    if found is not None:
        return found
    module, _, name = kind.rpartition(":")
    if not module:
        raise ValueError(f"the class {kind} is unknown")
    if module == "__main__":
        raise FileError(
            f"{path} needs the class {name}, which the script that saved it defines: define it before loading, or "
            "move it to a module that both scripts import, and save again"
        )
    raise FileError(f"{path} needs the class {name} of the module {module}: import {module} before loading")


def _below(base: Any) -> list[type]:
    """Return all subclasses of a class; later ones of the same name come later."""
    return [found for cls in base.__subclasses__() for found in (cls, *_below(cls))]


# ---- values by type --------------------------------------------------------------------------------------


@singledispatch
def encoded(value: Any) -> Any:
    """Return a value in the form of JSON; objects have their ``kind``, and functions have the kind "samples"."""
    if is_dataclass(value):
        return described(value)
    return {"kind": "samples"} if callable(value) else float(value)


def described(value: Any) -> dict[str, Any]:
    """Return a dataclass in the form of JSON: the name of its class and its fields."""
    found = {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    return {"kind": class_name(type(value)), **found}


@encoded.register
def _(side: BodyFrame) -> dict[str, Any]:
    return {"kind": "frame", "body": side.body.name, "name": side.name}


@encoded.register
def _(side: Ground) -> dict[str, Any]:
    return {"kind": "ground"}


@encoded.register
def _(side: Body) -> dict[str, Any]:
    return {"kind": "body", "name": side.name}


@encoded.register
def _(side: MasslessBody) -> dict[str, Any]:
    return {"kind": MasslessBody.__name__, "name": side.name, "center": encoded(side.center)}


@encoded.register
def _(joint: Connection) -> dict[str, Any]:
    return {"kind": "joint", "name": joint.name}


@encoded.register
def _(values: Mapping) -> dict[str, Any]:
    return {"kind": "mapping", "items": [[key, encoded(value)] for key, value in values.items()]}


@encoded.register(np.ndarray)
@encoded.register(Sequence)
def _(values: Any) -> list[Any]:
    return [encoded(value) for value in values]


@encoded.register
def _(value: np.generic) -> Any:
    return value.item()


@encoded.register(str)
@encoded.register(int)
@encoded.register(float)
@encoded.register(type(None))
def _(value: Any) -> Any:
    return value
