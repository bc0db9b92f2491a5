"""Force elements in the groups of an HDF5 file: their description as JSON text, their histories as arrays.

In the text every part is an object with its ``kind`` (the name of its class) and its fields; bodies, named frames and
joints are given by name. A function of time is an array of its values at the times of the result, next to the text. A
law written in Python cannot be stored; in a loaded result it returns the forces of the run as a function of time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import fem
from fem.properties import section

from ..functions.samples import Samples
from ..model import forces
from ..model.bodies import GROUND, BodyFrame, FlexibleBody, Ground, RigidBody
from ..model.forces import Element, UserLaw
from ..model.forces.user_law import Replayed
from ..model.joints import Joint
from ..results.force_elements import ElementHistory
from .datasets import put

if TYPE_CHECKING:
    import h5py


def put_element(group: h5py.Group, element: Element) -> None:
    """Write the description of an element; values of an input that is a function of time are stored in "samples"."""
    text = json.dumps(_encoded(element)).encode()
    put(group, "description", np.frombuffer(text, dtype=np.uint8), "JSON, UTF-8")


def put_history(group: h5py.Group, history: ElementHistory) -> None:
    """Write the history of an element."""
    units = history.units
    for name in ("force", "deformation", "rate", "stored", "dissipated", "input"):
        put(group, name, getattr(history, name), units[name])
    put(group, "state", history.state, ", ".join(f"{name} ({unit or '-'})" for name, unit in history.states))
    for name in ("first", "second"):
        put(group, name, getattr(history, name), "N, N m (inertial)")


def read_element(name: str, group: h5py.Group, bodies: Mapping, joints: Mapping, t: np.ndarray) -> Element:
    """Return the element that :func:`put_element` wrote to a group."""
    described = json.loads(bytes(group["description"][...]).decode())
    force = group["force"][...] if "force" in group else np.zeros(len(t))
    samples = group["samples"][: len(t)] if "samples" in group else np.zeros(len(t))
    element = _decoded(described, bodies, joints, Samples(t, samples), Samples(t, force))
    if not isinstance(element, Element) or element.name != name:
        raise ValueError(f"the description of '{name}' is that of {element!r}")
    return element


def _encoded(value: Any) -> Any:
    if isinstance(value, BodyFrame):
        return {"kind": "frame", "body": value.body.name, "name": value.name}
    if isinstance(value, Ground):
        return {"kind": "ground"}
    if isinstance(value, RigidBody | FlexibleBody):
        return {"kind": "body", "name": value.name}
    if isinstance(value, Joint):
        return {"kind": "joint", "name": value.name}
    if isinstance(value, UserLaw):
        return {"kind": "UserLaw", "start": value.start_states().tolist()}
    if is_dataclass(value):
        found = {field.name: _encoded(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__, **found}
    if isinstance(value, Mapping):
        return {"kind": "mapping", "items": [[key, _encoded(v)] for key, v in value.items()]}
    if isinstance(value, np.ndarray | list | tuple):
        return [_encoded(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if callable(value):
        return {"kind": "samples"}
    return float(value)


def _decoded(value: Any, bodies: Mapping, joints: Mapping, samples: Samples, force: Samples) -> Any:
    def inner(v: Any) -> Any:
        return _decoded(v, bodies, joints, samples, force)

    if isinstance(value, list):
        return tuple(inner(v) for v in value)
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "frame":
        return bodies[value["body"]][value["name"]]
    if kind in ("ground", "body"):
        return GROUND if kind == "ground" else bodies[value["name"]]
    if kind == "joint":
        return joints[value["name"]]
    if kind == "mapping":
        return {key: inner(v) for key, v in value["items"]}
    if kind == "samples":
        return samples
    if kind == "UserLaw":
        return _replayed(force, value["start"])
    for module in (forces, fem, section):
        if isinstance(getattr(module, kind, None), type):
            return getattr(module, kind)(**{key: inner(v) for key, v in value.items() if key != "kind"})
    raise ValueError(f"{kind} is unknown")


def _replayed(samples: Samples, start: list[float]) -> UserLaw:
    """Return a law that returns the forces of a run."""
    if not start:
        return Replayed(lambda t, x, rate: samples(t))
    none = np.zeros(len(start))
    return Replayed(lambda t, x, rate, z: samples(t), lambda t, x, rate, z: none, start=start)
