"""Plots over time: motions, reactions, forces, energies and their balance."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.files import check_file

from ...results.element_history import ElementHistory
from ...results.occurrences import Occurrence
from ...results.peaks import forces_with_peaks
from ...results.quantity_hints import graph_lists
from ...results.round_off import sizes_of
from ...results.tables import history_quantities
from ..scenes.check import checked_result
from .default_graphs import default_graphs
from .event_marks import LABEL_ROW, event_labels, mark_events
from .figures import PLOT_ENDINGS, add_legend, finish, style, time_unit
from .graphs import Graph, requested

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Width of a figure, and height of a graph of weight 1, inches.
WIDTH, GRAPH_HEIGHT = 9.0, 0.8
#: Graphs are less high, down to the second height, where all would be higher than the first, inches.
TALL_FIGURE, LEAST_GRAPH_HEIGHT = 12.0, 0.6
#: Labels of the axes of more graphs stand each by itself: to align them takes a time that grows with their square.
ALIGNED_GRAPHS = 12
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
    By default the graphs show deflections, joint coordinates, reactions, loads of drives, forces of elements and
    outputs of controllers, energies, and the error of the energy balance.
    Deflections are those of the free markers of a flexible body relative to the chord between its two joints, or seen
    from its only joint. Bodies without joints show their displacements and angular velocities. Reactions of joints,
    teeth and user constraints are magnitudes of forces; that of a cam is below zero where the joint pulls, and the load
    of a drive where it acts against its coordinate. Joints that carry no load are left out. Curves that coincide share
    an entry of the legend, which names the largest of many.
    Curves that are only round-off, below 1e-9 of the largest value of their kind, are drawn as zero. A graph in which
    all are says so with the largest value; graphs in ``show`` draw lengths and angles far below. Dotted lines mark the
    events of the run; the first of each name is labelled, with their number. Triangles mark the largest forces of force
    elements that lie between stored states, as those of blows do (``result.element(name).peak``).

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

    contents = contents_of(result, show)
    graphs, sizes = contents.graphs, contents.sizes
    t = contents.t
    factor, unit = time_unit(t[-1])
    clock = t * factor
    weights = [graph.height(sizes) for graph in graphs]
    height = float(np.clip(TALL_FIGURE / sum(weights), LEAST_GRAPH_HEIGHT, GRAPH_HEIGHT))
    labels = event_labels(contents.events, (t[0], t[-1]))
    rows = max((label.row + 1 for label in labels), default=0)
    size = WIDTH, 1.0 + height * sum(weights) + LABEL_ROW * rows
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(graphs), 1, sharex=True, squeeze=False, height_ratios=weights)[:, 0]
    for ax, graph in zip(axes, graphs, strict=True):
        graph.draw(ax, clock, sizes, (factor, unit))
    mark_events(list(axes), contents.events, labels, factor)
    axes[-1].set_xlabel(f"time ({unit})")
    axes[-1].set_xlim(*((clock[0], clock[-1]) if len(clock) > 1 else (clock[0] - 1, clock[0] + 1)))
    if len(clock) == 1:
        axes[-1].set_xticks(clock)
    style(axes)
    for ax, graph, weight in zip(axes, graphs, weights, strict=True):
        n_named = sum(not str(line.get_label()).startswith("_") for line in ax.lines)
        if n_named > 1 or (n_named and graph.legend):
            add_legend(ax, height * weight)
    if len(axes) <= ALIGNED_GRAPHS:
        figure.align_ylabels(axes)
    return finish(figure, contents.title if title is None else title, path)


class Contents(NamedTuple):
    """The contents of a figure over times (nt,), s."""

    t: np.ndarray
    graphs: list[Graph]
    title: str
    sizes: dict[str, float]  # of quantities by unit; smaller values are round-off
    events: Sequence[Occurrence] = ()


@singledispatch
def contents_of(result: Any, show: Any) -> Contents:
    """Return the graphs of a result: those that ``show`` lists, or for None the default ones.

    Raises
    ------
    fem.InputError
        The argument is not a result, ``show`` is not a list, or there is no such quantity.
    """
    result = checked_result(result, "plot")
    histories = {one.name: one for one in map(result.element, result.system.elements)}
    sizes = _with_forces(sizes_of(result), histories.values())
    graphs = default_graphs(result, sizes) if show is None else requested(result, graph_lists(result, show))
    graphs = [replace(graph, histories=histories) for graph in graphs]
    sizes = _sizes(graphs, sizes)
    return Contents(np.asarray(result.t), graphs, "", sizes, result.events)


@contents_of.register
def _(history: ElementHistory, show: Any) -> Contents:
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


def _with_forces(sizes: dict[str, float], histories: Iterable[ElementHistory]) -> dict[str, float]:
    """Return the sizes of quantities by unit with the largest force and moment of force elements."""
    found = dict(sizes)
    for history in histories:
        units = "N m" if history.is_angle else "N", "N m"
        for unit, values in zip(units, forces_with_peaks(history), strict=True):
            if values is not None:
                found[unit] = max(found[unit], float(np.abs(values).max(initial=0.0)))
    return found


def _sizes(graphs: list[Graph], known: dict[str, float]) -> dict[str, float]:
    """Return the sizes of quantities by unit: the ``known`` ones, or the largest value in the graphs.

    A user's own arrays have no unit, and no size.
    """
    found = dict(known)
    for part in (part for graph in graphs for part in graph.parts if part.unit):
        largest = max(
            (float(np.abs(values).max(initial=0.0)) for values in part.columns.values()), default=0.0
        )
        found[part.unit] = max(found.get(part.unit, 0.0), largest)
    return found
