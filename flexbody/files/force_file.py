"""The description of forces as text in the groups of an HDF5 file.

A function of time is an array of its values at the times of the result, next to the text. A law written in Python
cannot be stored; in a loaded result it returns the forces (of a controller the outputs) of the run as a function of
time. That of a sampled controller is not needed: its outputs are states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.samples import Samples
from ..model.forces import Force, ForceLaw
from ..model.forces.control_laws import NotStored, ReplayedControl, UserControl
from ..model.forces.controller import Controller
from ..model.forces.tooth_contact import ToothContact
from ..model.forces.user_law import Replayed
from ..model.sides import Body
from .datasets import note
from .descriptions import Readers, described, encoded, put_text, read_text
from .sampled_functions import Sampler, with_corners

if TYPE_CHECKING:
    import h5py


def put_force(group: h5py.Group, force: Force, bodies: Mapping[str, Body], sampler: Sampler) -> None:
    """Write the description of a force; values of a function of time are stored in "samples"."""
    note(group, kind=type(force).__name__)
    put_text(group, encoded(force))
    if function := force.time_function(bodies):
        columns = 0 if function.size == 1 else slice(0, function.size)
        sampler.put(group, function.what, {"samples": (columns, function.unit)})


def read_force(name: str, group: h5py.Group, bodies: Mapping, joints: Mapping, t: np.ndarray) -> Force:
    """Return the force that :func:`put_force` wrote to a group."""

    def recorded(what: str, size: int) -> Samples:
        """Return forces or outputs of the run; zero in the file of a run that was cut short, which has none."""
        shape = (len(t), size) if size > 1 else (len(t),)
        return Samples(t, group[what][...] if what in group else np.zeros(shape))

    samples = group["samples"][: len(t)] if "samples" in group else np.zeros(len(t))
    readers: Readers = {
        "samples": lambda part: Samples(*with_corners(group, t, samples)),
        "not stored": lambda part: NotStored(part["what"]),
        "replay": lambda part: _replayed(recorded("force", part["components"]), part),
        "replayed control": lambda part: _replayed_control(
            recorded("output", part["outputs"]), part["states"]
        ),
    }
    force = read_text(group, bodies, joints, readers)
    if not isinstance(force, Force) or force.name != name:
        raise ValueError(f"the description of '{name}' is that of {force!r}")
    return force


def _replayed(samples: Samples, part: dict[str, Any]) -> Replayed:
    """Return a law that returns the forces of a run."""
    start, count = part["start"], part["components"]
    if not start:
        return Replayed(lambda t, x, rate: samples(t), components=count)
    none = np.zeros(len(start))
    return Replayed(
        lambda t, x, rate, z: samples(t), lambda t, x, rate, z: none, start=start, components=count
    )


def _replayed_control(samples: Samples, states: list[float]) -> ReplayedControl:
    """Return a law that returns the outputs of a run."""
    if not states:
        return ReplayedControl(lambda t, e: samples(t))
    none = np.zeros(len(states))
    return ReplayedControl(lambda t, e, x: (samples(t), none), states)


@encoded.register
def _(contact: ToothContact) -> dict[str, Any]:
    """Describe the teeth in full: they are no entry of the system."""
    return described(contact) | {"gear": described(contact.gear)}


@encoded.register
def _(law: UserControl) -> dict[str, Any]:
    """Return the fields of the law of a controller without its function, which can't be stored."""
    return described(law) | {"function": {"kind": "not stored", "what": "the law"}}


@encoded.register
def _(controller: Controller) -> dict[str, Any]:
    """Return the fields of a controller; functions that measure can't be stored."""
    given = [
        {"kind": "not stored", "what": "what it measures"} if callable(one) else encoded(one)
        for one in (place.redrawn({}, {}) for place in controller.inputs)
    ]
    found = described(controller) | {"measured": given}
    if controller.period is None and isinstance(controller.law, UserControl):
        states = controller.law.start(False).tolist()
        found["law"] = {"kind": "replayed control", "states": states, "outputs": len(controller.outputs)}
    return found


@encoded.register
def _(law: ForceLaw) -> dict[str, Any]:
    """Return the fields of a law; functions other than its input can't be stored."""
    for field in fields(law):  # type: ignore[arg-type]
        if field.name != law.input and callable(getattr(law, field.name)):
            start = law.start_states()
            return {
                "kind": "replay",
                "start": [] if start is None else start.tolist(),
                "components": law.count,
            }
    return described(law)
