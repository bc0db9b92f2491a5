"""Plots over time: deformation, reactions, energies and their balance."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import InputError
from fem.common.files import new_file

from ..bodies import FlexibleBody
from ..joints import Joint
from ..joints.coordinates import ANGLES
from ..quantities import Quantity, quantity
from .caption import machine_title
from .flexible import attachments
from .scale import length_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOTS = (".png", ".pdf", ".svg", ".jpg")
COLOURS = ("#2a6f97", "#cf4a3f", "#5a8f5c", "#7a4f8b", "#d08c2e", "#4d5a66", "#3aa0a0", "#a0527d")


def plot(
    result: Any,
    path: str | os.PathLike | None = None,
    *,
    show: Sequence[Any] | None = None,
    title: str | None = None,
) -> Figure:
    """Plot a run over time.

    show : the graphs, one above the other, each a quantity or a list of quantities: a joint (its coordinates), a
    drive (its load), a body or frame (its position), "energy", "balance", a method of the result with its arguments
    such as ``("velocity", arm["tip"])``, or own arrays ``{"label": values}``::

        fb.plot(result, show=[["shoulder", "elbow"], ("coordinate_rate", "elbow"), ("velocity", arm["tip"]), "energy"])

    Where not given: deflections, reactions, energies, and how well the energies balance. Deflections are those of a
    flexible body's free markers out of the chord between its two joints; a machine without them shows its joint
    coordinates instead. Reactions are magnitudes of forces.

    Returns matplotlib's Figure, and writes it if ``path`` (.png, .pdf, .svg, .jpg) is given.
    """
    if path is not None and Path(path).suffix.lower() not in PLOTS:
        raise InputError(f"can't write a plot to {path}: the ending must be one of {', '.join(PLOTS)}")
    if show is not None and (isinstance(show, str | tuple | Mapping) or not len(show)):
        raise InputError(f"show is {show!r}; give a list of what is to be shown, one graph each")
    from matplotlib.figure import Figure

    t = np.asarray(result.t)
    factor, unit = (1e3, "ms") if t[-1] < 1 else (1.0, "s")
    clock = t * factor
    if show is None:
        figure = Figure(figsize=(9.0, 9.6), layout="constrained")
        axes = figure.subplots(4, 1, sharex=True, height_ratios=(3, 3, 3, 1.6))
        if not _deflections(result, axes[0], clock):
            _coordinates(result, axes[0], clock)
        _reactions(result, axes[1], clock)
        _energies(result, axes[2], clock)
        _balance(result, axes[3], clock)
    else:
        panels = [[quantity(result, x) for x in (p if isinstance(p, list) else [p])] for p in show]
        figure = Figure(figsize=(9.0, 1.2 + 2.4 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, panel in zip(axes, panels, strict=True):
            _panel(ax, clock, panel)
    axes[-1].set_xlabel(f"time ({unit})")
    axes[-1].set_xlim(clock[0], clock[-1] if len(clock) > 1 else clock[0] + 1)
    for ax in axes:
        ax.grid(color="#d9dfe4", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        if ax.lines and ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    figure.align_ylabels(axes)
    title = machine_title(result.system) if title is None else title
    figure.suptitle(title, fontsize=13, fontweight="bold", x=0.01, ha="left")
    if path is not None:
        with new_file(path) as partial:
            figure.savefig(partial, dpi=130)
    return figure


#: units that are read more easily times a factor: from the largest value at which the second applies
READABLE = {"m": ((0.1, 1e3, "mm"), (np.inf, 1.0, "m")), "N": ((1e4, 1.0, "N"), (np.inf, 1e-3, "kN"))}


def _panel(ax: Axes, clock: np.ndarray, panel: list[Quantity]) -> None:
    """Draw quantities into one graph; what stays at zero beside larger curves is left out."""
    units = list(dict.fromkeys(part.unit for part in panel if part.unit))
    curves = {label: values for part in panel for label, values in part.columns.items()}
    largest = max(float(np.abs(values).max()) for values in curves.values())
    kept = {label: v for label, v in curves.items() if np.abs(v).max() > 1e-9 * largest} or curves
    factor, unit = 1.0, units[0] if len(units) == 1 else ""
    for limit, times, name in READABLE.get(unit, ()):
        if largest < limit:
            factor, unit = times, name
            break
    _draw(ax, clock, kept, factor)
    names = list(dict.fromkeys(part.name for part in panel if part.name))
    words = f"({unit})" if len(units) == 1 else f"({', '.join(units)})" if units else ""
    ax.set_ylabel("\n".join(filter(None, [", ".join(names), words])))
    if 0 < largest * factor < 1e-2:
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)


def _deflections(result, ax: Axes, clock: np.ndarray) -> bool:
    """Draw the markers' deflections from the chord; False if there are none."""
    curves = {}
    for body in result.system.bodies:
        held = attachments(result.system, body.name) if isinstance(body, FlexibleBody) else []
        if len(held) < 2:
            continue
        for marker in body.reduced.markers:
            if marker not in held:
                out = result.displacement(body, marker, relative_to="chord", ends=(held[0], held[1]))
                for k, axis in enumerate("xyz"):
                    curves[f"{body.name}, {marker}: {axis}"] = out[:, k]
    largest = max((np.abs(curve).max() for curve in curves.values()), default=0.0)
    if largest == 0:
        return False
    factor, unit = length_unit(largest)
    shown = {name: curve for name, curve in curves.items() if np.abs(curve).max() > 0.02 * largest}
    _draw(ax, clock, shown, factor)
    ax.set_ylabel(f"deflection from\nthe chord ({unit})")
    return True


def _coordinates(result, ax: Axes, clock: np.ndarray) -> None:
    joints = [joint for joint in result.system.joints if isinstance(joint, Joint)]
    named = [(j, which) for j in joints for which, c in j.coordinates.items() if c not in ANGLES.values()]
    curves = {f"{j.name}: {w} ({j.coordinates[w].unit})": result.coordinate(j, w) for j, w in named}
    _draw(ax, clock, curves)
    ax.set_ylabel("joint coordinates")


def _reactions(result, ax: Axes, clock: np.ndarray) -> None:
    joints = [joint for joint in result.system.joints if isinstance(joint, Joint)]
    sizes = {joint.name: np.linalg.norm(result.reaction(joint).force, axis=1) for joint in joints}
    factor, unit = _force_unit(max((float(size.max()) for size in sizes.values()), default=0.0))
    _draw(ax, clock, sizes, factor)
    ax.set_ylabel(f"reaction\nforces ({unit})")
    ax.set_ylim(bottom=0)


def _draw(ax: Axes, clock: np.ndarray, curves: dict[str, np.ndarray], factor: float = 1.0) -> None:
    """Draw curves (nt,) times ``factor``; of more than there are colours, those that reach furthest."""
    order = sorted(curves, key=lambda name: -np.abs(curves[name]).max())[: len(COLOURS)]
    for name, colour in zip([name for name in curves if name in order], COLOURS, strict=False):
        ax.plot(clock, curves[name] * factor, color=colour, linewidth=1.2, label=name)
    if len(curves) > len(COLOURS):
        ax.plot([], [], " ", label=f"(the {len(COLOURS)} largest of {len(curves)})")


def _force_unit(size: float) -> tuple[float, str]:
    return (1e-3, "kN") if size >= 1e4 else (1.0, "N")


def _energies(result, ax: Axes, clock: np.ndarray) -> None:
    energy = result.energy
    curves = {
        "kinetic": energy.kinetic,
        "strain": energy.strain,
        "potential": energy.potential - energy.potential[0],
        "dissipated": energy.dissipated,
        "work of drives\nand loads": energy.input,
    }
    _draw(ax, clock, {name: curve for name, curve in curves.items() if np.any(curve)})
    ax.set_ylabel("energy (J)")


def _balance(result, ax: Axes, clock: np.ndarray) -> None:
    energy = result.energy
    scale = float(np.max(np.abs(energy.kinetic + energy.strain))) or 1.0
    ax.plot(clock, energy.residual / scale, color=COLOURS[5], linewidth=1.0)
    ax.set_ylabel("energy balance\n(relative)")
    ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)
