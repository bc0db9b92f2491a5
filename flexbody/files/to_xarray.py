"""A run as labelled arrays: an xarray Dataset with names, units and dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import InputError

from ..results.energy import energy
from ..results.force_elements import COMPONENTS, element
from ..results.joint_coordinate_rates import coordinate_rate
from ..results.joint_coordinates import coordinate
from ..results.loads import load_over_time
from ..results.motion import (
    acceleration,
    alpha,
    alpha_dot,
    angular_acceleration,
    angular_velocity,
    euler,
    position,
    velocity,
)
from ..results.reactions import reaction
from ..results.record import Record

if TYPE_CHECKING:
    import xarray

AXES = ["x", "y", "z"]


def dataset_of(record: Record) -> xarray.Dataset:
    """Return a run as a Dataset; see :meth:`flexbody.Result.to_xarray`."""
    try:
        import xarray
    except ImportError:
        raise InputError("to_xarray needs the package xarray; install it: pip install xarray") from None
    found: dict[str, Any] = {}
    attrs = {"program": "flexbody", "gravity_m_per_s2": [float(g) for g in np.asarray(record.system.gravity)]}
    coords: dict[str, Any] = {"time": ("time", record.t, {"units": "s"}), "axis": AXES}
    _bodies(record, found, coords)
    _joints(record, found, coords)
    _elements(record, found, coords)
    energies = energy(record)
    for name in ("kinetic", "strain", "potential", "dissipated", "input"):
        found[f"energy_{name}"] = ("time", getattr(energies, name), {"units": "J"})
    return xarray.Dataset(found, coords, attrs)


def _bodies(record: Record, found: dict[str, Any], coords: dict[str, Any]) -> None:
    bodies = record.system.bodies
    coords["body"] = [body.name for body in bodies]
    coords["parameter"] = range(4)
    vectors = {
        "position": (position, "m", "of the reference point, inertial"),
        "velocity": (velocity, "m/s", "of the reference point, inertial"),
        "acceleration": (acceleration, "m/s^2", "of the reference point, inertial"),
        "angular_velocity": (angular_velocity, "rad/s", "inertial components"),
        "angular_acceleration": (angular_acceleration, "rad/s^2", "inertial components"),
    }
    for name, (method, unit, words) in vectors.items():
        values = np.stack([method(record, body) for body in bodies], axis=1)
        found[name] = (("time", "body", "axis"), values, {"units": unit, "long_name": words})
    parameters = np.stack([euler(record, body) for body in bodies], axis=1)
    words = "Euler parameters, scalar first"
    found["euler"] = (("time", "body", "parameter"), parameters, {"units": "1", "long_name": words})
    frames = {}
    for body in bodies:
        for marker in body.marker_names:
            frames[f"{body.name}/{marker}"] = position(record, body[marker])
        if body.n_modes:
            mode = f"mode_{body.name}"
            coords[mode] = range(body.n_modes)
            unit = {"units": "m (of a base function of unit size)"}
            found[f"alpha_{body.name}"] = (("time", mode), alpha(record, body), unit)
            unit = {"units": "m/s (of a base function of unit size)"}
            found[f"alpha_dot_{body.name}"] = (("time", mode), alpha_dot(record, body), unit)
    if frames:
        coords["marker"] = list(frames)
        places = np.stack(list(frames.values()), axis=1)
        words = "named frames, body/name, inertial"
        found["marker_position"] = (("time", "marker", "axis"), places, {"units": "m", "long_name": words})


def _joints(record: Record, found: dict[str, Any], coords: dict[str, Any]) -> None:
    joints = list(record.system.joints)  # drives, gears and users' constraints as well
    if not joints:
        return
    coords["joint"] = [joint.name for joint in joints]
    reactions = [reaction(record, joint) for joint in joints]
    words = "load of the joint's first body on its second, inertial components"
    for name, unit in (("force", "N"), ("moment", "Nm")):
        values = np.stack([getattr(load, name) for load in reactions], axis=1)
        attrs = {"units": unit, "long_name": words}
        found[f"reaction_{name}"] = (("time", "joint", "axis"), values, attrs)
    for joint in joints:
        for which, measure in joint.coordinates.items():
            values = coordinate(record, joint, which)
            found[f"{which}_{joint.name}"] = ("time", values, {"units": measure.unit})
            rate = coordinate_rate(record, joint, which)
            found[f"{which}_rate_{joint.name}"] = ("time", rate, {"units": f"{measure.unit}/s"})


def _elements(record: Record, found: dict[str, Any], coords: dict[str, Any]) -> None:
    """Add the histories of springs and force elements, and the loads, to the variables and coordinates."""
    for load in record.system.loads:
        units = {"units": load.unit.replace(" ", ""), "long_name": "inertial components"}
        found[f"load_{load.name}"] = (("time", "axis"), load_over_time(record, load), units)
    histories = [element(record, force) for force in record.system.elements]
    if not histories:
        return
    coords["element"] = [history.name for history in histories]
    words = "load of the element on its second body, inertial components"
    for name, unit, part in (("force", "N", slice(0, 3)), ("moment", "Nm", slice(3, 6))):
        values = np.stack([history.second[:, part] for history in histories], axis=1)
        attrs = {"units": unit, "long_name": words}
        found[f"element_{name}"] = (("time", "element", "axis"), values, attrs)
    for history in histories:
        for name, unit in history.units.items():
            values = history[name]
            if values.ndim == 2:
                coords["component"] = list(COMPONENTS)
            dims = "time" if values.ndim == 1 else ("time", "component")
            key = f"{name.replace(' ', '_')}_{history.name}"
            found[key] = (dims, values, {"units": unit or "unknown"})
