"""Curves of a quantity over one parameter, and maps over two."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.errors import InputError, listing
from fem.common.files import check_file
from fem.common.names import with_match

from ..results.curve_colours import CURVES
from ..view.geometry.scale import readable_unit
from ..view.plots.figures import PLOT_ENDINGS, add_legend, finish, style
from .numbers import Numbers, worded
from .numbers import label as label_of
from .variants import NUMBERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Curves of more combinations of other parameters are drawn as points.
CURVE_LIMIT = 12
#: levels of a map, and colours of its lines
LEVELS = 10
#: units that get a prefix such as k or M
PREFIXED = ("N", "N m", "J", "W", "Pa")


def plot_study(
    found: Numbers,
    quantity: str,
    over: str | Sequence[str] | None,
    path: str | os.PathLike | None,
    at: Mapping[str, Any],
    title: str | None,
) -> Figure:
    """Plot a quantity; see :meth:`flexbody.StudyResult.plot`."""
    from matplotlib.figure import Figure

    check_file(path, PLOT_ENDINGS)
    values = found.numbers(quantity)
    taken = _held(found, at) & found.done
    if not taken.any():
        raise InputError(
            f"no variant with a value of {quantity!r} is left; look at .errors, or hold other values by at="
        )
    names = _axes(found, over, at, taken)
    figure = Figure(figsize=(8, 4.8) if len(names) == 1 else (8, 5.6), layout="constrained")
    ax = figure.add_subplot()
    factor, unit = _unit(values[taken], found.unit(quantity))
    label = f"{quantity} ({unit})" if unit else quantity
    draw = _draw_curves if len(names) == 1 else _draw_map
    draw(found, ax, names, taken, values * factor, label, at)
    return finish(figure, title, path)


def _unit(values: np.ndarray, unit: str) -> tuple[float, str]:
    return readable_unit(float(np.abs(values).max()), unit) if unit in PREFIXED else (1.0, unit)


def _held(found: Numbers, at: Mapping[str, Any]) -> np.ndarray:
    """Return which variants have the held values, (n,)."""
    taken = np.ones(found.variants.n, dtype=bool)
    for name, value in at.items():
        if name not in found.parameters:
            raise InputError(
                f"at= holds {with_match(name, found.parameters)}, "
                f"which is not a parameter; there are {listing(found.parameters)}"
            )
        column = found.parameters[name]
        numeric = column.dtype.kind in NUMBERS
        same = np.isclose(column, value, rtol=1e-9, atol=0) if numeric else column == value
        if not same.any():
            raise InputError(
                f"at= holds {name} = {value!r}, which no variant has; its values are {listing(np.unique(column))}"
            )
        taken &= same
    return taken


def _axes(
    found: Numbers, over: str | Sequence[str] | None, at: Mapping[str, Any], taken: np.ndarray
) -> list[str]:
    """Return the parameters of the axes, one or two."""
    varying = [name for name, column in found.parameters.items() if len(set(column[taken].tolist())) > 1]
    names = ([over] if isinstance(over, str) else list(over)) if over is not None else varying
    if unknown := [name for name in names if name not in found.parameters]:
        raise InputError(
            f"over= has {with_match(unknown, found.parameters)}, "
            f"which is not a parameter; there are {listing(found.parameters)}"
        )
    if len(names) not in (1, 2) or len(set(names)) < len(names):
        raise InputError(
            f"give one parameter or two by over=, such as over={varying[:2]}; those that vary are {listing(varying)}"
        )
    text = [name for name in names if found.parameters[name].dtype.kind not in NUMBERS]
    if text and len(names) == 2:
        raise InputError(f"over= has {listing(text)}, whose values are texts; a map needs numbers")
    open_ones = [name for name in varying if name not in (*names, *at)]
    is_grid = found.variants.shape is not None
    if len(names) == 2 and open_ones and is_grid:
        raise InputError(
            f"other parameters vary too: {listing(open_ones)}; choose a value by at=, such as "
            f"at={{{open_ones[0]!r}: {found.parameters[open_ones[0]][0]}}}"
        )
    return names


def _draw_curves(
    found: Numbers,
    ax: Axes,
    names: list[str],
    taken: np.ndarray,
    values: np.ndarray,
    label: str,
    at: Mapping,
) -> None:
    """Draw a curve for each combination of the other parameters, or points if these are many."""
    x, numbers = found.parameters[names[0]], np.flatnonzero(taken)
    others = [name for name in found.parameters if name not in (*names, *at)]
    groups: dict[tuple, list[int]] = {}
    for k in numbers:
        groups.setdefault(tuple(found.parameters[name][k] for name in others), []).append(int(k))
    style([ax])
    if len(groups) > CURVE_LIMIT or max(map(len, groups.values())) == 1:
        ax.plot(x[numbers], values[numbers], "o", markersize=3.5, alpha=0.6, color=CURVES[0]["color"])
    else:
        varying = [k for k, name in enumerate(others) if len({key[k] for key in groups}) > 1]
        for (key, rows), look in zip(groups.items(), CURVES, strict=False):
            order = sorted(rows, key=lambda k: x[k])
            words = "\n".join(worded(found, others[k], key[k]) for k in varying)
            ax.plot(x[order], values[order], marker="o", markersize=3.5, label=words or "_", **look)
        if varying:
            add_legend(ax, 4.0)
    ax.set_xlabel(label_of(found, names[0]))
    ax.set_ylabel(label)


def _draw_map(
    found: Numbers,
    ax: Axes,
    names: list[str],
    taken: np.ndarray,
    values: np.ndarray,
    label: str,
    at: Mapping,
) -> None:
    """Draw a map with level lines; of variants that are no grid, coloured points."""
    x, y = (found.parameters[name] for name in names)
    columns, rows = np.unique(x[_held(found, at)]), np.unique(y[_held(found, at)])
    full = found.variants.shape is not None and len(columns) > 1 and len(rows) > 1
    figure: Any = ax.figure
    texts: list = []
    if full:
        table = np.full((len(rows), len(columns)), np.nan)
        table[np.searchsorted(rows, y[taken]), np.searchsorted(columns, x[taken])] = values[taken]
        known = bool(np.isfinite(table).all())
        shading: Any = "gouraud" if known else "nearest"
        drawn: Any = ax.pcolormesh(
            columns, rows, np.ma.masked_invalid(table), shading=shading, cmap="viridis"
        )
        if known and np.ptp(table) > 0:
            lines = ax.contour(columns, rows, table, LEVELS, colors="white", linewidths=0.8)
            texts = ax.clabel(lines, fontsize=8)
        ax.set_facecolor("#e6e6e6")  # variants that have failed
    else:
        drawn = ax.scatter(x[taken], y[taken], c=values[taken], s=24, cmap="viridis")
        style([ax])
    figure.colorbar(drawn, ax=ax, label=label)
    ax.set_xlabel(label_of(found, names[0]))
    ax.set_ylabel(label_of(found, names[1]))
    figure.draw_without_rendering()  # places the axes
    inside = ax.get_window_extent()
    for text in texts:
        box = text.get_window_extent()
        if not (inside.contains(*box.min) and inside.contains(*box.max)):
            text.remove()
