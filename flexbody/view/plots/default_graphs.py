"""The graphs that a plot of a run shows by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.cut_body import BodyCut, ModesCut
from ...model.joints.cams import CamJoint
from ...model.joints.coordinates import ANGLES
from ...model.joints.couplings import Coupling
from ...model.joints.gears import Toothed
from ...results.controllers import ControllerHistory
from ...results.displacement import Chord
from ...results.peaks import forces_with_peaks
from ...results.reactions import driving, pulled
from ...results.round_off import is_round_off
from ...results.tables import Quantity, quantity
from ..geometry.flexible import attachments
from .graphs import Graph, requested

#: Curves (nt,) by their labels, for each unit.
Curves = dict[str, dict[str, np.ndarray]]
#: What is below this part of the largest curve of a default graph is left out: of deflections, elements and energies.
SMALL_DEFLECTION, SMALL_LOAD, SMALL_ENERGY = 0.02, 1e-4, 1e-4
#: The same of motions.
SMALL_MOTION = 1e-9


def default_graphs(result: Any, sizes: Mapping[str, float]) -> list[Graph]:
    """Return the default graphs of a run; ``sizes`` holds the size of quantities by unit."""
    graphs = [replace(graph, default=True) for graph in _motions(result)]
    moving = [graph for graph in graphs if not graph.is_nothing(sizes)]
    graphs = moving or graphs[:1]
    graphs += [*_reactions(result, sizes), *_drives(result, sizes), *_elements(result, sizes)]
    graphs.append(Graph([_energies(result)], few=SMALL_ENERGY))
    graphs.append(Graph([quantity(result, "balance")], 1.6, "energy balance", legend=False))
    return [replace(graph, default=True) for graph in graphs]


def _motions(result: Any) -> list[Graph]:
    """Return deflections and joint coordinates; without any coordinates, the motions of the bodies."""
    deflections, coordinates = _deflections(result), _coordinates(result)
    return [*deflections, *(coordinates or ([] if deflections else _free_motions(result)))]


def _deflections(result: Any) -> list[Graph]:
    """Return the deflections of free markers from the chord of two joints, or seen from a single one."""
    found: Curves = {"chord": {}, "joint": {}}
    for body in result.system.bodies:
        held = attachments(result.system, body.name) if body.n_modes else []
        if not held or (len(held) == 1 and not body.marker_has_rotation(held[0])):
            continue
        reference = Chord(held[0], held[1]) if len(held) > 1 else body[held[0]]
        options = {"relative_to": reference} | ({} if len(held) > 1 else {"frame": reference})
        for marker in body.reduced.sets:
            if marker not in held:
                out = result.displacement(body, marker, **options)
                curves = found["chord" if len(held) > 1 else "joint"]
                curves |= {f"{body.name}, {marker}: {axis}": out[:, k] for k, axis in enumerate("xyz")}
    return [
        Graph([Quantity.of("", "m", curves)], label=f"deflection from\nthe {what}", few=SMALL_DEFLECTION)
        for what, curves in found.items()
        if any(np.any(curve) for curve in curves.values())
    ]


def _coordinates(result: Any) -> list[Graph]:
    """Return the joint coordinates, one graph for each unit."""
    bodies = result.system.bodies_by_name()
    named = [
        (joint, which)
        for joint in result.system.proper_joints
        for which, c in joint.coordinates.items()
        # the way round a cam only grows
        if c not in ANGLES.values()
        and not (which == "path" and isinstance(joint, CamJoint) and joint.line(bodies).closed)
    ]
    if not named:
        return []
    graphs = requested(result, [[("coordinate", joint.name, which) for joint, which in named]])
    return [replace(graph, few=SMALL_MOTION) for graph in graphs]


def _free_motions(result: Any) -> list[Graph]:
    """Return the displacements of the bodies since the start, and their angular velocities."""
    moved = {body.name: result.position(body) - result.position(body)[0] for body in result.system.bodies}
    turning = {body.name: result.angular_velocity(body) for body in result.system.bodies}
    return [
        Graph(
            [Quantity.of("", unit, {f"{n} {axis}": x[:, k] for n, x in of.items() for k, axis in enumerate("xyz")})],
            label=label, few=SMALL_MOTION,
        )
        for label, unit, of in (
            ("displacement\nsince the start", "m", moved), ("angular\nvelocity", "rad/s", turning)
        )
    ]  # fmt: skip


def _reactions(result: Any, sizes: Mapping[str, float]) -> list[Graph]:
    """Return the magnitudes of the reactions of joints, teeth and user constraints, forces if there are any.

    The force of a cam is below zero where the joint pulls. What carries no load is left out.
    """
    found: Curves = {"N": {}, "N m": {}}
    for item in result.system.joints:
        # drives act through joints, a body that is cut is one body, and some joints only measure
        rows = result.plan.rows[item.name]
        acts = bool(item.sides()) or isinstance(item, Coupling)
        if not acts or isinstance(item, BodyCut | ModesCut) or rows.start == rows.stop:
            continue
        wrench = result.reaction(item)
        force, moment = (np.linalg.norm(load, axis=1) for load in (wrench.force, wrench.moment))
        if not _is_zero(force, "N", sizes):
            teeth = isinstance(item, Toothed) and item.has_teeth
            pulls = pulled(result, item) if isinstance(item, CamJoint) else np.zeros(len(force), dtype=bool)
            note = " (teeth)" if teeth else "\n(below zero: pulls)" if np.any(force[pulls]) else ""
            found["N"][item.name + note] = np.where(pulls, -force, force)
        elif not _is_zero(moment, "N m", sizes):
            found["N m"][item.name] = moment
    return _graphs("reaction", found)


def _drives(result: Any, sizes: Mapping[str, float]) -> list[Graph]:
    """Return the loads of drives along their coordinates."""
    found: Curves = {"N": {}, "N m": {}}
    for drive in result.system.drives:
        load, unit = driving(result, drive)
        if not _is_zero(load, unit, sizes):
            found[unit][drive.name] = load
    return _graphs("drive", found)


def _elements(result: Any, sizes: Mapping[str, float]) -> list[Graph]:
    """Return forces and moments of springs and force elements, of several components the magnitudes.

    Of controllers they are the outputs that are forces and moments.
    """
    found: Curves = {"N": {}, "N m": {}}
    struck = set()  # units of forces between stored states alone
    for history in map(result.element, result.system.elements):
        if isinstance(history, ControllerHistory):
            for name, unit in history.signal_units:
                if name in history.shown and unit in found:
                    label = history.name if len(history.shown) == 1 else f"{history.name} {name}"
                    found[unit][label] = history.columns[name]
            continue
        curves, peaks = forces_with_peaks(history), (history.peak, history.peak_moment)
        for unit, curve, peak in zip(("N m" if history.is_angle else "N", "N m"), curves, peaks, strict=True):
            if curve is not None:
                found[unit][history.name] = curve
            if peak is not None and peak.force:
                struck.add(unit)
    kept: Curves = {
        unit: curves
        for unit, curves in found.items()
        if unit in struck or not all(_is_zero(curve, unit, sizes) for curve in curves.values())
    }
    return [replace(graph, floor=False, few=SMALL_LOAD) for graph in _graphs("element", kept)]


def _energies(result: Any) -> Quantity:
    energy = quantity(result, "energy")
    curves = {name: curve for name, curve in energy.columns.items() if np.any(curve)}
    if "input" in curves:
        curves["work of drives\nand loads"] = curves.pop("input")
    return Quantity.of("energy", "J", curves or energy.columns)


def _graphs(of: str, found: Curves) -> list[Graph]:
    """Return a graph of forces and one of moments; the axis starts at zero if no values are below."""
    words = {"N": "forces", "N m": "moments"}
    return [
        Graph([Quantity.of("", unit, curves)], label=f"{of}\n{words[unit]}", floor=_none_below(curves))
        for unit, curves in found.items()
        if curves
    ]


def _none_below(curves: Mapping[str, np.ndarray]) -> bool:
    """Return whether no curve has values below zero."""
    return all(np.all(curve >= 0) for curve in curves.values())


def _is_zero(curve: np.ndarray, unit: str, sizes: Mapping[str, float]) -> bool:
    """Return whether a curve (nt,) is round-off, beside the size of its quantity."""
    return is_round_off(float(np.abs(curve).max(initial=0.0)), unit, sizes.get(unit, 0.0))
