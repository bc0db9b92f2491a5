"""A plot of stresses over time: the largest stress, and the stress at the point where it is largest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.files import check_file

from ...results.curve_colours import COLOURS
from ..geometry.scale import readable_unit, with_unit
from ..scenes.check import checked_result
from .figures import PLOT_ENDINGS, add_legend, finish, style, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a graph, inches.
GRAPH_HEIGHT = 2.2
#: A wide line and thin lines on it, so that coinciding curves are visible.
LINE_STYLES: tuple[dict[str, Any], ...] = (
    {"linewidth": 3.2, "alpha": 0.55},
    {"linewidth": 1.2, "linestyle": "--"},
    {"linewidth": 1.2},
)


@check_arguments
def plot_stress(
    result: Any, path: str | os.PathLike | None = None, *, body: Any = None, title: str | None = None
) -> Figure:
    """Plot stresses of flexible bodies over time, two graphs for each body.

    The upper graph shows the largest von Mises stress on the surface, with the largest and the smallest principal
    stress, each wherever it occurs. The lower graph shows the same stresses at the one point where the von Mises stress
    is largest in the run.

    Parameters
    ----------
    result : Result or State
        The result of a run.
    path : path_like, optional
        File to write: .png, .pdf, .svg or .jpg.
    body : FlexibleBody or str, optional
        One body; by default all bodies with stress modes.
    title : str, optional
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    fem.InputError
        If no body has stress modes, or for an unknown file ending.

    Examples
    --------
    A bar that vibrates under its own weight:

    >>> import fem, modal
    >>> import flexbody as fb
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> reduced = modal.reduce(mesh, modal.craig_bampton(mesh, ("x0",), n_normal=2), stress=True)
    >>> bar = fb.FlexibleBody("bar", reduced)
    >>> machine = fb.System([bar], [fb.Fixed("clamp", fb.GROUND, bar["x0"])], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, t_end=0.01, show_progress=False)
    >>> figure = fb.plot_stress(result)
    >>> figure.axes[0].get_ylabel()
    'stress (MPa)'
    """
    check_file(path, PLOT_ENDINGS, "a plot")
    result = checked_result(result, "plot_stress")
    bodies = [body] if body is not None else _with_stress(result)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 0.8 + 2 * GRAPH_HEIGHT * len(bodies)), layout="constrained")
    axes = figure.subplots(2 * len(bodies), 1, sharex=True, squeeze=False)[:, 0]
    factor, unit = time_unit(result.t[-1])
    for k, each in enumerate(bodies):
        _graphs(result, each, axes[2 * k : 2 * k + 2], factor, unit)
    axes[-1].set_xlabel(f"time ({unit})")
    axes[-1].set_xlim(result.t[0] * factor, result.t[-1] * factor if len(result.t) > 1 else None)
    style(axes)
    for ax in axes:
        add_legend(ax, GRAPH_HEIGHT)
    return finish(figure, title, path)


def _with_stress(result: Any) -> list[str]:
    flexible = [body for body in result.system.bodies if body.n_modes]
    found = [body.name for body in flexible if body.turned.stress_modes is not None]
    if not found:
        names = listing(body.name for body in flexible) if flexible else "none is flexible"
        raise InputError(
            f"no body of this machine has stress modes ({names}); compute them with modal.reduce(structure, basis, "
            "stress=True)"
        )
    return found


def _graphs(result: Any, body: Any, axes: Any, factor: float, unit: str) -> None:
    whole = result.stress(body)
    peaks = {what: whole.peak(what) for what in ("von_mises", "principal_1", "principal_3")}
    top = peaks["von_mises"]
    scale, pascal = readable_unit(max(abs(peak.largest) for peak in peaks.values()), "Pa")
    names = ("von Mises", "largest principal", "smallest principal")
    above: Axes = axes[0]
    for (_, peak), name, colour, line in zip(peaks.items(), names, COLOURS, LINE_STYLES, strict=False):
        above.plot(result.t * factor, peak.value * scale, color=colour, label=name, **line)
    above.plot(top.when * factor, top.largest * scale, "o", color=COLOURS[0], markersize=5)
    most = with_unit(top.largest, "Pa")
    above.set_title(
        f"{whole.body}: surface maximum; peak {most} at {top.when * factor:.4g} {unit}",
        fontsize=10,
        loc="left",
    )
    node = int(top.node[top.number])
    there = result.stress(body, at=node)
    row = int(np.argmax(np.nanmax(np.atleast_2d(there.von_mises), axis=0)))
    curves = (there.von_mises[:, row], there.principal[:, row, 0], there.principal[:, row, 2])
    below: Axes = axes[1]
    for curve, name, colour, line in zip(curves, names, COLOURS, LINE_STYLES, strict=False):
        below.plot(result.t * factor, curve * scale, color=colour, label=name, **line)
    place = ", ".join(with_unit(x, "m") for x in top.where)
    below.set_title(
        f"{whole.body}: at the point of the peak, node {node}, ({place}) from the reference point",
        fontsize=10,
        loc="left",
    )
    for ax in (above, below):
        ax.set_ylabel(f"stress ({pascal})")
