"""Plots over time: deflections, reactions, energies and their balance."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.files import check_file

from ...model.cut_body import BodyCut, ModesCut
from ...model.joints.cams import CamJoint
from ...model.joints.coordinates import ANGLES
from ...results.controllers import ControllerHistory
from ...results.curve_colours import CURVES
from ...results.displacement import Chord
from ...results.element_history import ElementHistory, Peak
from ...results.occurrences import Occurrence
from ...results.peaks import forces_with_peaks
from ...results.reactions import pulled
from ...results.round_off import ROUND_OFF, is_round_off, sizes_of
from ...results.tables import Quantity, history_quantities, quantity
from ..geometry.flexible import attachments
from ..geometry.scale import length_unit, readable_unit
from ..scenes.check import checked_result
from .event_marks import mark_events
from .figures import PLOT_ENDINGS, add_legend, finish, style, time_unit
from .peak_marks import mark_peaks, peaks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a graph of weight 1, inches.
GRAPH_HEIGHT = 0.8
#: Weight of a graph whose values are drawn as zero.
NOTHING_WEIGHT = 2.0
#: Labels of the axes of more graphs stand each by itself: to align them takes a time that grows with their square.
ALIGNED_GRAPHS = 12
#: Largest curves from this value on have a unit without a prefix such as m (SI).
LARGEST_SMALL = 1e-2
#: So many curves of a default graph have names, and the colour of all others.
NAMED_CURVES, OTHERS = 8, "#b4bcc4"
#: Curves that differ by less than this part of the height of their graph coincide to the eye, and share a name.
COINCIDENT_PART = 5e-3
#: So many curves that coincide are all listed in the legend.
LISTED_CURVES = 4
#: A curve that changes by less than this part of its size is constant to the eye, and shown together with zero.
CONSTANT_PART = 1e-5
#: Colour of notes.
NOTE = "#6b7680"
#: Units that get a prefix such as k or M.
PREFIXED_UNITS = ("N", "N m", "J", "W", "Pa")
#: Labels of the energy and powers of a force element.
POWER_LABELS = {"stored": "stored energy", "dissipated": "dissipated\npower", "input": "input power"}


@check_arguments(own=("show",))
def plot(
    result: Any,
    path: str | os.PathLike | None = None,
    *,
    show: Sequence[Any] | None = None,
    title: str | None = None,
) -> Figure:
    """Plot a run, or one force element, over time.

    Parameters
    ----------
    result : Result, State or ElementHistory
        The result of a run, or the history of a force element: ``fb.plot(result.element("ram"))``.
    path : path_like, optional
        File to write: .png, .pdf, .svg or .jpg.
    show : list, optional
        The graphs from top to bottom, each a quantity or a list of quantities. A quantity is a joint (its coordinates),
        a drive (its load), a spring or force element (its force), a body or frame (its position), "energy", "balance",
        a method of the result with its arguments such as ``("velocity", arm["tip"])`` or ``("element", "ram",
        "pressure")``, or a dict of arrays ``{"label": values}``. A dict at the end of a tuple gives options:
        ``("displacement", beam, "x1", {"relative_to": fb.GROUND})``; without it, a displacement is that in the body's
        frame, see :meth:`Result.displacement`. Quantities with different units get one graph each.
    title : str, optional
        Title; by default none, or the name of the force element.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    fem.InputError
        For an unknown file ending or quantity.

    Notes
    -----
    By default the graphs show deflections, reactions, forces of elements and outputs of controllers, energies, and the
    error of the energy balance.
    Deflections are those of the free markers of a flexible body relative to the chord between its two joints. A machine
    without such markers shows its joint coordinates instead. Reactions of joints and of user constraints are magnitudes
    of forces; that of a cam is below zero where the joint pulls. Curves that coincide share an entry of the legend,
    which names the largest of many. Values that are only round-off, compared with the size, weight or energy of the
    machine, are drawn as zero, and so are default graphs whose values are all below 1e-9 of it, with a note of the
    largest one; graphs in ``show`` draw lengths and angles far below. Dotted lines mark the events of the run; the
    first of each name is labelled. Triangles mark the largest forces of force elements that lie between stored states,
    as those of blows do (``result.element(name).peak``).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(pendulum, t_end=0.5, show_progress=False)
    >>> figure = fb.plot(result, show=["hinge", ("velocity", "bar"), ["energy"]])
    >>> len(figure.axes)
    3
    """
    check_file(path, PLOT_ENDINGS, "a plot")
    from matplotlib.figure import Figure

    contents = contents_of(result, None if show is None else _graph_lists(show))
    graphs, sizes = contents.graphs, contents.sizes
    t = contents.t
    factor, unit = time_unit(t[-1])
    clock = t * factor
    weights = [min(graph.weight, NOTHING_WEIGHT if graph.is_nothing(sizes) else np.inf) for graph in graphs]
    figure = Figure(figsize=(9.0, 1.0 + GRAPH_HEIGHT * sum(weights)), layout="constrained")
    axes = figure.subplots(len(graphs), 1, sharex=True, squeeze=False, height_ratios=weights)[:, 0]
    for ax, graph in zip(axes, graphs, strict=True):
        graph.draw(ax, clock, sizes, (factor, unit))
    mark_events(list(axes), contents.events, factor)
    axes[-1].set_xlabel(f"time ({unit})")
    axes[-1].set_xlim(clock[0], clock[-1] if len(clock) > 1 else clock[0] + 1)
    style(axes)
    for ax, graph, weight in zip(axes, graphs, weights, strict=True):
        if (graph.legend or len(ax.lines) > 1) and ax.lines:
            add_legend(ax, GRAPH_HEIGHT * weight)
    if len(axes) <= ALIGNED_GRAPHS:
        figure.align_ylabels(axes)
    return finish(figure, contents.title if title is None else title, path)


@dataclass(frozen=True, eq=False)
class Graph:
    """Quantities of one unit in one graph.

    Parameters
    ----------
    parts : list of Quantity
        The quantities.
    weight : float, optional
        Relative height.
    label : str, optional
        Label of the axis; by default the names of the quantities.
    floor : bool, optional
        Whether the axis starts at zero.
    legend : bool, optional
        Whether to draw a legend.
    few : float, optional
        Curves below this fraction of the largest curve are left out. What a user names is never left out.
    default : bool, optional
        Whether nobody asked for this graph: lengths and angles below 1e-9 of the machine's size are drawn as zero, too,
        and the smaller ones of many curves are grey lines without names.
    histories : mapping of str to ElementHistory, optional
        Histories of force elements by their names, whose peaks are marked.
    """

    parts: list[Quantity]
    weight: float = 3.0
    label: str = ""
    floor: bool = False
    legend: bool = True
    few: float = 0.0
    default: bool = False
    histories: Mapping[str, ElementHistory] = field(default_factory=dict)

    @property
    def curves(self) -> dict[str, np.ndarray]:
        """The curves (nt,) by their labels; those of several quantities with one label also name the quantity."""
        counts = Counter(label for part in self.parts for label in part.columns)
        return {
            label if counts[label] == 1 else f"{label}: {part.name}": values
            for part in self.parts
            for label, values in part.columns.items()
        }

    @property
    def peaks(self) -> dict[str, Peak]:
        """The peaks between stored states by the labels of their curves."""
        return peaks_of(self.curves, self.histories)

    @property
    def largest(self) -> float:
        """The largest value in size (SI)."""
        values = [float(np.abs(curve).max()) for curve in self.curves.values()]
        return max([0.0, *values, *(abs(peak.force) for peak in self.peaks.values())])

    def is_nothing(self, sizes: dict[str, float]) -> bool:
        """Return whether all values are drawn as zero; ``sizes`` holds the size of quantities by unit."""
        unit = self.parts[0].unit
        size = sizes.get(unit, 0.0)
        return is_round_off(self.largest, unit, size) or (self.default and self.largest <= ROUND_OFF * size)

    def draw(
        self,
        ax: Axes,
        clock: np.ndarray,
        sizes: dict[str, float],
        time: tuple[float, str],
    ) -> None:
        """Draw the graph over times (nt,).

        ``sizes`` holds the size of quantities by unit; values that are round-off compared with it are drawn as zero.
        ``time`` is factor and unit of the times.
        """
        curves, largest, si = self.curves, self.largest, self.parts[0].unit
        size, nothing = sizes.get(si, 0.0), self.is_nothing(sizes)
        peaks = {} if nothing else self.peaks
        kept = {k: v for k, v in curves.items() if k in peaks or np.abs(v).max() >= self.few * largest}
        factor, unit = curve_unit(size if nothing else largest, si)
        ends = [np.array([peak.force * factor]) for peak in peaks.values()]
        low, high = limits([*(values * factor for values in kept.values()), *ends], self.floor)
        if nothing and size:
            high = size * factor
            low = -0.04 * high if self.floor else -high
        groups = alike(kept, COINCIDENT_PART * (high - low) / factor if self.default or nothing else 0.0)
        named = _largest(kept, groups, NAMED_CURVES) if self.default else groups
        words = [_together(group, LISTED_CURVES if self.default else len(group)) for group in named]
        _draw(ax, clock, kept, dict(zip(words, named, strict=True)), factor)
        mark_peaks(ax, peaks, (factor, unit), time)
        if nothing and largest > 0:
            said = f"at most {largest:.0e} {si}: drawn as zero".replace(" relative:", ":")
            ax.text(0.99, 0.93, said, transform=ax.transAxes, fontsize=8, color=NOTE, ha="right", va="top")
        ax.set_ylim(low, high)
        names = [f"{part.name}\n{part.reference}".strip() for part in self.parts]
        words = self.label or ", ".join(filter(None, dict.fromkeys(names)))
        ax.set_ylabel("\n".join(filter(None, [words, f"({unit})" if unit else ""])))
        if not nothing and not 1e-2 <= largest * factor < 1e6:
            ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)


class Contents(NamedTuple):
    """The contents of a figure over times (nt,), s."""

    t: np.ndarray
    graphs: list[Graph]
    title: str
    sizes: dict[str, float]  # of quantities by unit; smaller values are round-off
    events: Sequence[Occurrence] = ()


@singledispatch
def contents_of(result: Any, show: list[list[Any]] | None) -> Contents:
    """Return the graphs of a result: those that ``show`` lists, or by default the most important ones.

    Raises
    ------
    fem.InputError
        The argument is not a result, or there is no such quantity.
    """
    result = checked_result(result, "plot")
    graphs = _default(result) if show is None else _requested(result, show)
    histories = {one.name: one for one in map(result.element, result.system.elements)}
    graphs = [replace(graph, histories=histories) for graph in graphs]
    sizes = _sizes(graphs, sizes_of(result))
    return Contents(np.asarray(result.t), graphs, "", sizes, result.events)


@contents_of.register
def _(history: ElementHistory, show: list[list[Any]] | None) -> Contents:
    if show is not None:
        raise InputError(
            "a plot of a force element always shows all its quantities; leave show= out, or plot the result"
        )
    graphs = [
        Graph([part], label=POWER_LABELS.get(part.name, ""), legend=len(part.columns) > 1)
        for part in history_quantities(history)
    ]
    graphs = [replace(graph, histories={history.name: history}) for graph in graphs]
    return Contents(np.asarray(history.t), graphs, history.name, _sizes(graphs, {}))


def _sizes(graphs: list[Graph], known: dict[str, float]) -> dict[str, float]:
    """Return the sizes of quantities by unit: the ``known`` ones, or the largest value in the graphs."""
    found = dict(known)
    for part in (part for graph in graphs for part in graph.parts):
        largest = max(
            (float(np.abs(values).max(initial=0.0)) for values in part.columns.values()), default=0.0
        )
        found[part.unit] = max(found.get(part.unit, 0.0), largest)
    return found


def _graph_lists(show: Any) -> list[list[Any]]:
    """Return the quantities of each graph as lists."""
    graphs = [x if isinstance(x, list) else [x] for x in show] if isinstance(show, list) else []
    if not graphs or not all(graphs):
        raise InputError(f"show is {called(show)}; give a list of quantities, one for each graph")
    return graphs


def _requested(result: Any, show: list[list[Any]]) -> list[Graph]:
    """Return the requested graphs, one for each unit."""
    graphs = []
    for quantities in show:
        parts = [part for each in quantities for part in quantity(result, each).parts()]
        for unit in dict.fromkeys(part.unit for part in parts):
            graphs.append(Graph([part for part in parts if part.unit == unit]))
    return graphs


def _default(result: Any) -> list[Graph]:
    """Return the default graphs of a run."""
    deflections = _deflections(result)
    graphs = [deflections] if deflections else _coordinates(result)
    graphs += [*_reactions(result), *_elements(result)]
    graphs.append(Graph([_energies(result)]))
    graphs.append(Graph([quantity(result, "balance")], 1.6, "energy balance", legend=False))
    return [replace(graph, default=True) for graph in graphs]


def _reactions(result: Any) -> list[Graph]:
    """Return the magnitudes of the reactions of joints and of user constraints, forces if there are any.

    The force of a cam is below zero where the joint pulls.
    """
    forces, moments = {}, {}
    for item in result.system.joints:
        # drives and couplings act through joints, a body that is cut is one body, and some joints only measure
        rows = result.plan.rows[item.name]
        if not item.sides() or isinstance(item, BodyCut | ModesCut) or rows.start == rows.stop:
            continue
        wrench = result.reaction(item)
        force, moment = (np.linalg.norm(load, axis=1) for load in (wrench.force, wrench.moment))
        if not np.any(force) and np.any(moment):
            moments[item.name] = moment
            continue
        pulls = pulled(result, item) if isinstance(item, CamJoint) else np.zeros(len(force), dtype=bool)
        label = f"{item.name}\n(below zero: pulls)" if np.any(force[pulls]) else item.name
        forces[label] = np.where(pulls, -force, force)
    labels = (("forces", "N", forces), ("moments", "N m", moments))
    return [
        Graph([Quantity.of("", unit, curves)], label=f"reaction\n{what}", floor=_none_below(curves))
        for what, unit, curves in labels
        if curves
    ]


def _none_below(curves: Mapping[str, np.ndarray]) -> bool:
    """Return whether no curve has values below zero."""
    return all(np.all(curve >= 0) for curve in curves.values())


def _elements(result: Any) -> list[Graph]:
    """Return forces and moments of springs and force elements, of several components the magnitudes.

    Of controllers they are the outputs that are forces and moments.
    """
    sizes: dict[str, dict[str, np.ndarray]] = {"N": {}, "N m": {}}
    struck = set()  # units of forces between stored states alone
    for history in map(result.element, result.system.elements):
        if isinstance(history, ControllerHistory):
            for name, unit in history.signal_units:
                if name in history.shown and unit in sizes:
                    label = history.name if len(history.shown) == 1 else f"{history.name} {name}"
                    sizes[unit][label] = history.columns[name]
            continue
        curves, peaks = forces_with_peaks(history), (history.peak, history.peak_moment)
        for unit, curve, peak in zip(("N m" if history.is_angle else "N", "N m"), curves, peaks, strict=True):
            if curve is not None:
                sizes[unit][history.name] = curve
            if peak is not None and peak.force:
                struck.add(unit)
    labels = {"N": "element\nforces", "N m": "element\nmoments"}
    found = [(labels[unit], Quantity.of("", unit, curves)) for unit, curves in sizes.items() if curves]
    return [
        Graph([part], label=label, few=1e-4)
        for label, part in found
        if part.unit in struck or any(map(np.any, part.columns.values()))
    ]


def limits(curves: list[np.ndarray], floor: bool) -> tuple[float, float]:
    """Return the ends of an axis with a margin on both sides, also for a constant curve.

    If ``floor`` is True, the axis starts at zero.
    """
    low = min((float(np.min(values)) for values in curves), default=0.0)
    high = max((float(np.max(values)) for values in curves), default=0.0)
    constant = high - low <= CONSTANT_PART * max(abs(low), abs(high))
    if constant:  # show it together with zero
        low, high = min(low, 0.0), max(high, 0.0)
    low = 0.0 if floor else low
    span = high - low or 1.0
    below, above = (0.3 if constant and end else 0.08 for end in (low, high))
    return low - (0.04 if floor else below) * span, high + above * span


def curve_unit(largest: float, unit: str) -> tuple[float, str]:
    """Return factor and name of a suitable unit for curves up to ``largest`` (SI)."""
    if unit == "m":
        return length_unit(largest) if largest > 0 else (1.0, unit)
    if unit not in PREFIXED_UNITS or LARGEST_SMALL <= largest < (1e4 if unit == "N" else 1.0):
        return 1.0, unit
    return readable_unit(largest, unit)


def _deflections(result) -> Graph | None:
    """Return the deflections of markers relative to the chord, or None if there are none."""
    curves = {}
    for body in result.system.bodies:
        held = attachments(result.system, body.name) if body.n_modes else []
        if len(held) < 2:
            continue
        for marker in body.reduced.sets:
            if marker not in held:
                out = result.displacement(body, marker, relative_to=Chord(held[0], held[1]))
                for k, axis in enumerate("xyz"):
                    curves[f"{body.name}, {marker}: {axis}"] = out[:, k]
    if not any(np.any(curve) for curve in curves.values()):
        return None
    return Graph([Quantity.of("", "m", curves)], label="deflection from\nthe chord", few=0.02)


def _coordinates(result) -> list[Graph]:
    """Return the joint coordinates, one graph for each unit; without any, the displacements of the bodies."""
    joints = result.system.proper_joints
    bodies = result.system.bodies_by_name()
    named = [
        (joint, which)
        for joint in joints
        for which, c in joint.coordinates.items()
        # the way round a cam only grows
        if c not in ANGLES.values()
        and not (which == "path" and isinstance(joint, CamJoint) and joint.line(bodies).closed)
    ]
    if named:
        graphs = _requested(result, [[("coordinate", joint.name, which) for joint, which in named]])
        return [replace(graph, few=1e-9) for graph in graphs]
    moved = {body.name: result.position(body) - result.position(body)[0] for body in result.system.bodies}
    curves = {f"{name} {axis}": way[:, k] for name, way in moved.items() for k, axis in enumerate("xyz")}
    return [Graph([Quantity.of("", "m", curves)], label="displacement\nsince the start", few=1e-9)]


def alike(curves: Mapping[str, np.ndarray], near: float) -> list[list[str]]:
    """Return the labels of curves (nt,) in groups, each of curves that differ from its first by at most ``near``.

    Curves that differ by round-off are alike in any case.
    """
    groups: list[list[str]] = []
    for label, curve in curves.items():
        same = (group for group in groups if _difference(curves[group[0]], curve) <= near)
        group = next(same, None)
        if group is None:
            groups.append([label])
        else:
            group.append(label)
    return groups


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of two curves (nt,); zero for round-off."""
    far = float(np.abs(one - other).max())
    return far if far > ROUND_OFF * float(np.abs(one).max()) else 0.0


def _largest(curves: Mapping[str, np.ndarray], groups: list[list[str]], most: int) -> list[list[str]]:
    """Return the groups of the largest curves (nt,), in their order; all if there are hardly more than ``most``."""
    if len(groups) <= most + 1:
        return groups
    large = sorted(groups, key=lambda group: -float(np.abs(curves[group[0]]).max()))[:most]
    return [group for group in groups if group in large]


def _draw(
    ax: Axes, clock: np.ndarray, curves: Mapping[str, np.ndarray], named: dict[str, list[str]], factor: float
) -> None:
    """Draw curves (nt,) times ``factor``: groups by their names with colours and line styles, the others grey."""
    for (words, group), look in zip(named.items(), cycle(CURVES), strict=False):
        for name in group:
            label = words if name == group[0] else f"_{name}"
            ax.plot(clock, curves[name] * factor, linewidth=1.4, label=label, gid=name, **look)
    known = {name for group in named.values() for name in group}
    others = [name for name in curves if name not in known]
    for k, name in enumerate(others):
        label = f"{len(others)} smaller ones" if k == 0 else f"_{name}"
        ax.plot(clock, curves[name] * factor, linewidth=0.8, label=label, gid=name, color=OTHERS, zorder=1.5)


def _together(names: list[str], most: int) -> str:
    """Return the names of curves that coincide, up to so many one below the other."""
    if len(names) == 1:
        return names[0]
    if len(names) > most:
        names = [names[0], f"… ({len(names)} alike)", names[-1]]
    return "\n".join(name.replace("\n", " ") for name in names)


def _energies(result) -> Quantity:
    energy = quantity(result, "energy")
    curves = {name: curve for name, curve in energy.columns.items() if np.any(curve)}
    if "input" in curves:
        curves["work of drives\nand loads"] = curves.pop("input")
    return Quantity.of("energy", "J", curves or energy.columns)
