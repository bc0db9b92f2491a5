"""Quantities of a run by name: columns with labels and units, for plots and tables."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.files import check_file, new_file
from fem.common.known_attributes import KnownAttributes
from fem.common.names import nearest, with_match

from ..model.forces import Load
from ..model.joints import Interaction
from ..model.sides import GROUND, Side
from ..model.system import measured
from .displacement import Chord, displacement
from .energy import body_energy, energy
from .force_elements import COMPONENTS, ElementHistory, element
from .joint_coordinate_rates import coordinate_acceleration, coordinate_rate
from .joint_coordinates import coordinate
from .loads import load_over_time
from .motion import (
    acceleration,
    alpha,
    alpha_dot,
    angular_acceleration,
    angular_velocity,
    is_word,
    position,
    velocity,
)
from .quantity_hints import hint
from .reactions import reaction
from .record import Record
from .round_off import is_round_off, sizes_of

#: methods of Result that a table accepts by name, with their units; "" if the coordinate determines it
METHODS = {
    "position": "m", "velocity": "m/s", "acceleration": "m/s²", "angular_velocity": "rad/s",
    "angular_acceleration": "rad/s²", "displacement": "m", "coordinate": "", "coordinate_rate": "",
    "coordinate_acceleration": "", "alpha": "m", "alpha_dot": "m/s", "reaction": "N", "moment": "N m",
    "body_energy": "J", "element": "",
}  # fmt: skip
#: their functions
READERS: dict[str, Callable] = {
    "position": position, "velocity": velocity, "acceleration": acceleration, "angular_velocity": angular_velocity,
    "angular_acceleration": angular_acceleration, "displacement": displacement, "coordinate": coordinate,
    "coordinate_rate": coordinate_rate, "coordinate_acceleration": coordinate_acceleration, "alpha": alpha,
    "alpha_dot": alpha_dot, "reaction": reaction, "moment": reaction, "body_energy": body_energy,
}  # fmt: skip
#: and by a word alone
ENERGY_WORDS = ("energy", "balance")
ENERGIES = ("kinetic", "strain", "potential", "dissipated", "input")


@dataclass(frozen=True, eq=False)
class Quantity:
    """Columns (nt,) of one kind of quantity by label, with their units.

    Attributes
    ----------
    name : str
        The kind of quantity.
    units : dict of str
        Unit of each column.
    columns : dict of numpy.ndarray
        The columns, (nt,).
    reference : str
        What the values are relative to, in words for the axis of a plot; "" if the name says enough.
    """

    name: str
    units: dict[str, str]
    columns: dict[str, np.ndarray]
    reference: str = ""

    @staticmethod
    def of(name: str, unit: str, columns: dict[str, np.ndarray], reference: str = "") -> Quantity:
        """Return columns of one unit."""
        return Quantity(name, dict.fromkeys(columns, unit), columns, reference)

    @property
    def unit(self) -> str:
        """All units of the columns."""
        return ", ".join(dict.fromkeys(self.units.values()))

    def parts(self) -> list[Quantity]:
        """Return one quantity for each unit; what turns is a moment, not a force."""
        found = []
        for unit in dict.fromkeys(self.units.values()):
            columns = {k: v for k, v in self.columns.items() if self.units[k] == unit}
            name = "moment" if self.name == "force" and unit == "N m" else self.name
            found.append(Quantity.of(name, unit, columns, self.reference))
        return found


def quantity(record: Record, wanted: Any) -> Quantity:
    """Return a quantity of a run.

    Parameters
    ----------
    record : Record
        The run.
    wanted : object, str, tuple or mapping
        - a joint or its name: its coordinates, or its reaction force if it has none;
        - a drive: the load that it applies;
        - a load, spring or force element: its force;
        - a body or named frame: its position;
        - "energy" or "balance";
        - a method of :class:`flexbody.Result` with its arguments, ``("velocity", arm["tip"])``, the last of which may
          be a dictionary of options, ``("acceleration", "arm", {"frame": "arm"})``; also ``("moment", joint)``;
        - ``("element", "ram", "pressure")``: everything that ``result.element("ram")`` gives by name;
        - own arrays, ``{"label": values}``.

    Returns
    -------
    Quantity
        The columns with labels and units.

    Raises
    ------
    fem.InputError
        The quantity is unknown; the message lists what exists.
    """
    if isinstance(wanted, Mapping):
        return _own(record, wanted)
    if isinstance(wanted, tuple) and wanted and wanted[0] in METHODS:
        return _asked(record, *wanted)
    if isinstance(wanted, str) and wanted in ENERGY_WORDS:
        return _energy(record, wanted)
    shown = (
        f"What can be shown: {listing(ENERGY_WORDS)}, a body, frame, joint or force, or a tuple that begins with one "
        f"of {listing(METHODS, None)}"
    )
    if (
        isinstance(wanted, tuple)
        and wanted
        and isinstance(wanted[0], str)
        and not _is_name(record, wanted[0])
    ):
        if wanted[0] == "stress":
            raise InputError(
                "a graph or column has one value at each time, and stresses have many points: fb.plot_stress(result) "
                "plots the largest ones, and {'label': result.stress(body).peak().value} is one of them over time"
            )
        asked = with_match(wanted[0], [*METHODS, *_names(record)])
        said = f"{asked} is neither a body, a joint nor a method of a result"
        meant = hint(record, " ".join(map(_label, wanted))) if "did you mean" not in asked else ""
        raise InputError(f"{said}; {meant}" if meant else f"{said}. {shown}")
    try:
        return _default(record, wanted)
    except InputError as error:
        known = [*_names(record), *(force.name for force in record.system.forces)]
        near = (
            not isinstance(wanted, str)
            or wanted in known
            or (nearest(wanted, known) and wanted not in METHODS)
        )
        if not near and (meant := hint(record, wanted)):
            raise InputError(f"this system has no body, joint or force {wanted!r}; {meant}") from None
        raise InputError(f"{error}. {shown}") from None


def _is_name(record: Record, word: str) -> bool:
    return word in _names(record)


def _names(record: Record) -> list[str]:
    return [*(body.name for body in record.system.bodies), *(joint.name for joint in record.system.joints)]


def _default(record: Record, wanted: Any) -> Quantity:
    """Return the quantity that an object alone stands for."""
    system = record.system
    found = wanted
    if isinstance(wanted, str) and wanted not in system.bodies_by_name():
        others = {item.name: item for item in (*system.joints, *system.forces)}
        if wanted not in others:
            names = [*system.bodies_by_name(), *others]
            raise InputError(
                f"this system has no body, joint or force {with_match(wanted, names)}; it has "
                f"{listing(names)}"
            )
        found = others[wanted]
    name = found.default_quantity if isinstance(found, Interaction) else "position"
    return FORCES[name](record, found) if name in FORCES else _asked(record, name, found)


def _asked(record: Record, method: str, *arguments: Any) -> Quantity:
    """Return the quantity that a method of the result gives."""
    options = dict(arguments[-1]) if arguments and isinstance(arguments[-1], Mapping) else {}
    if options:
        arguments = arguments[:-1]
    if not arguments:
        meant = hint(record, method)
        raise InputError(
            f"('{method}',) has no argument; "
            + (meant or f"write ('{method}', body), or the method's arguments")
        )
    label = " ".join(_label(x) for x in arguments)
    unit = METHODS[method]
    if method.startswith("coordinate"):
        return _coordinates(record, method, *arguments)
    if method == "element":
        return _element(record, *arguments)
    try:
        values = READERS[method](record, *arguments, **options)
    except TypeError as error:
        raise InputError(f"('{method}', ...): {error}") from None
    if method in ("reaction", "moment"):
        values = values.force if method == "reaction" else values.moment
        method = "reaction force" if method == "reaction" else "reaction moment"
    if method == "body_energy":
        columns = {f"{label} {part}": getattr(values, part) for part in ENERGIES[:3]}
        return Quantity.of("energy", unit, columns)
    if options.get("point") is not None:
        label = f"{label} {_label(options['point'])}"
    if options.get("body") is not None:
        label = f"{label} on {_label(options['body'])}"
    if "frame" in options:
        label = f"{label} (base of {_label(options['frame'])})"
    names = "xyz" if method not in ("alpha", "alpha_dot") else [str(k) for k in range(values.shape[1])]
    columns = {f"{label} {name}": values[:, k] for k, name in enumerate(names)}
    reference = _reference(options, *arguments) if method == "displacement" else ""
    return Quantity.of(method.replace("_", " "), unit, columns, reference)


def _reference(
    options: Mapping,
    what: Any,
    point: Any = None,
    relative_to: Any = None,
    frame: Any = None,
) -> str:
    """Return in words what a displacement is relative to; the arguments are those of :func:`displacement`."""
    relative_to = options.get("relative_to", relative_to)
    if relative_to is None:
        return "in the body's frame"
    if isinstance(relative_to, Chord):
        return "from the chord"
    if relative_to is GROUND or is_word(relative_to, (GROUND.name,)):
        return "from the drawn place"
    inertial = options.get("frame", frame) is None
    return f"seen from {_label(relative_to)}{', inertial components' if inertial else ''}"


def _element(record: Record, which: Any, *names: str) -> Quantity:
    """Return the named quantities of a spring or force element, by default its force."""
    history = which if isinstance(which, ElementHistory) else element(record, which)
    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    kinds = names or history.shown
    for name in kinds:
        values, unit = history[name], history.units[name]
        label = history.name if len(kinds) == 1 else f"{history.name} {name}"
        if values.ndim == 1:
            columns[label], units[label] = values, unit
            continue
        for k, (axis, values_of) in enumerate(zip(COMPONENTS, values.T, strict=True)):
            columns[f"{label} {axis}"], units[f"{label} {axis}"] = values_of, unit.split(", ")[k // 3]
    word = kinds[0] if len(kinds) == 1 else "element"
    return Quantity("moment" if word == "force" and set(units.values()) == {"N m"} else word, units, columns)


def _load(record: Record, load: Load) -> Quantity:
    """Return the three components of a load."""
    values = load_over_time(record, load)
    columns = {f"{load.name} {axis}": values[:, k] for k, axis in enumerate("xyz")}
    return Quantity.of("load moment" if load.is_moment else "load", load.unit, columns)


#: what a force shows by default
FORCES: dict[str, Callable[..., Quantity]] = {"element": _element, "load": _load}


def history_quantities(history: ElementHistory) -> list[Quantity]:
    """Return the quantities of a force element that are not zero: force, deformation, rate, states, energy, powers."""
    found = [
        _element(None, history, name)  # type: ignore[arg-type]
        for name in history.units
        if (name in ("force", "deformation", "rate") or np.any(history[name]))
        and not (name == "deformation" and "gap" in history.units)  # they are the same
    ]
    return [part for each in found for part in each.parts()]


def _coordinates(record: Record, method: str, joint: Any, *which: str) -> Quantity:
    found = record.system.joint(joint)
    own, _ = measured(record.system, found, None)
    have = found.measures()
    columns, units = {}, {}
    per = {"coordinate": "", "coordinate_rate": "/s", "coordinate_acceleration": "/s²"}[method]
    for name in which or have:
        label = found.name if len(have) == 1 else f"{found.name} {name}"
        columns[label] = READERS[method](record, joint, name)
        units[label] = own.coordinates[name].unit + per if name in own.coordinates else ""
    return Quantity(method.replace("_", " "), units, columns)


def _energy(record: Record, word: str) -> Quantity:
    found = energy(record)
    if word == "balance":
        scale, size = float(np.max(np.abs(found.kinetic + found.strain))), sizes_of(record)["J"]
        scale = size if is_round_off(scale, "J", size) else scale  # a machine at rest
        return Quantity.of("energy balance", "relative", {"balance": found.residual / scale})
    columns = {name: getattr(found, name) for name in ENERGIES}
    columns["potential"] = columns["potential"] - columns["potential"][0]
    return Quantity.of("energy", "J", columns)


def _own(record: Record, wanted: Mapping) -> Quantity:
    columns: dict[str, np.ndarray] = {}
    if not wanted:
        raise InputError(
            "{} holds no arrays; give {'label': values}, each with as many values as the run has times"
        )
    for label, values in wanted.items():
        values = np.asarray(values, dtype=float)
        if values.shape != record.t.shape:
            raise InputError(f"{label!r} has the shape {values.shape}; the run has {len(record.t)} times")
        columns[str(label)] = values
    return Quantity.of("", "", columns)


def _label(what: Any) -> str:
    """Return the name of an object in a label."""
    if isinstance(what, Side):
        return what.title
    if isinstance(what, tuple):
        return " ".join(_label(x) if isinstance(x, str) or hasattr(x, "name") else str(x) for x in what)
    return getattr(what, "name", str(what))


#: endings of the files of tables
TABLE_ENDINGS = (".csv", ".txt")
#: columns that a short representation names
SHOWN_COLUMNS = 10


@dataclass(frozen=True, eq=False)
class Table(KnownAttributes):
    """Columns over time by label; the first is "time (s)".

    Attributes
    ----------
    columns : dict of numpy.ndarray
        The columns, (nt,); ``table["label"]`` gives one.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
    >>> result = fb.simulate(fb.System([bar]), t_end=1.0, output_step=0.5, show_progress=False)
    >>> result.table("bar")["position bar x (m)"].round(6).tolist()
    [0.0, 0.5, 1.0]
    """

    columns: dict[str, np.ndarray]

    @check_arguments
    def __getitem__(self, label: str) -> np.ndarray:
        if label not in self.columns:
            raise InputError(
                f"this table has no column {with_match(label, self.columns)}; it has {listing(self.columns)}"
            )
        return self.columns[label]

    def __repr__(self) -> str:
        names = list(self.columns)
        more = f" and {len(names) - SHOWN_COLUMNS} more" if len(names) > SHOWN_COLUMNS else ""
        return f"<Table of {len(self.columns['time (s)'])} times: {', '.join(names[:SHOWN_COLUMNS])}{more}>"

    @check_arguments
    def save(self, path: str | os.PathLike) -> Path:
        """Write the table as comma-separated values, with the labels in the first line.

        Parameters
        ----------
        path : path_like
            The file, ``.csv`` or ``.txt``.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        fem.InputError
            The file has another ending.
        fem.FileError
            The file cannot be written.
        """
        check_file(path, TABLE_ENDINGS, "a table")
        with new_file(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(
                [repr(float(x)) for x in row] for row in zip(*self.columns.values(), strict=True)
            )
        return Path(path)


def table(record: Record, wanted: Sequence[Any]) -> Table:
    """Return quantities of a run as columns; see :meth:`Result.table`."""
    columns = {"time (s)": record.t}
    for one in wanted:
        found = quantity(record, one)
        for part in found.parts():
            for label, values in part.columns.items():
                full = f"{part.name} {label}".strip() + (f" ({part.unit})" if part.unit else "")
                columns[full] = values
    return Table(columns)
