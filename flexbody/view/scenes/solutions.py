"""Pictures of finite-element solutions: deformed and coloured, with the undeformed shape as thin lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import fem
import modal
from fem.common.errors import InputError
from fem.model.outer_surface import outer_surfaces, thin_lines

from ..geometry import colours
from ..geometry.parts import Lines, Shaped, Surface
from ..geometry.scale import Scale, drawn_factor, round_factor, with_unit
from .elements import Drawing, Options, on_structure, size_of, surface_of
from .fields import DISPLACEMENT_LABELS, Quantity, name_of, quantity

#: Largest drawn displacement relative to the size of the structure.
DRAWN_FRACTION = 1 / 15


def of_static(result: fem.Static, options: Options) -> Drawing:
    """Return the drawing of a static solution."""
    if options.mode is not None:
        raise InputError(
            "mode= belongs to fem.Modes, fem.Buckling and reduced bodies; a static solution has none"
        )

    def note(largest: float, factor: float) -> str:
        drawn = f"deformation ×{factor:g}" if factor else "deformation not drawn"
        return f"largest displacement {with_unit(largest, 'm')}, {drawn}"

    return _deformed(result.structure, result.u, options, note, result)


def of_mode(result: fem.Modes | fem.Buckling, options: Options, name: Callable[[int], str]) -> Drawing:
    """Return the drawing of a mode of vibration or buckling; ``name`` returns the text about the mode of a number."""
    n, number = result.shapes.shape[1], 0 if options.mode is None else options.mode
    if not 0 <= number < n:
        raise InputError(
            f"mode is {number}, but there are {n} modes, of the indices 0 to {n - 1}; ask for more with n="
        )
    number = int(number)
    return _deformed(result.structure, result.shapes[:, number], options, lambda *_: name(number), None)


def _deformed(
    structure: fem.Structure,
    u: np.ndarray,
    options: Options,
    note: Callable[[float, float], str],
    static: fem.Static | None,
) -> Drawing:
    """Return the drawing of displacements ``u`` (n,) of a structure; without ``static`` they have no size."""
    found = outer_surfaces(structure if structure.groups else structure.mesh, by_kind=False)
    moves = [outer.displacements(structure, u) for outer in found]
    largest = max(float(np.linalg.norm(move, axis=1).max()) for move in moves)
    factor = drawn = displacement_factor(
        options.scale, largest, size_of(structure.mesh), printed=static is not None
    )
    drawing = Drawing(structure.mesh.name, note=note(largest, factor))
    colour = "displacement" if options.colour is None else options.colour
    field, signed = None, False
    if name_of(colour) != "plain":
        if static is None and largest > 0:  # the size of a mode is arbitrary
            moves, factor = [move / largest for move in moves], factor * largest
        field = quantity(colour, found, moves, _stress(static, colour))
        drawing.scale = _scale(field, options.limits, relative=static is None)
        if static is not None:
            drawing.note += _extreme(field, colour, drawing.scale)
        if any(np.isnan(values).any() for values in field.values):
            drawing.legend[f"no {field.label}".replace("\n", " ")] = colours.UNKNOWN
        signed = drawing.scale is not None and drawing.scale.signed
        if drawing.scale is None and not any(np.isnan(values).any() for values in field.values):
            field = None  # nothing is displaced
    for k, (outer, move) in enumerate(zip(found, moves, strict=True)):
        values = None if field is None else field.values[k]
        surface = surface_of(outer, outer.triangles, bool(options.edges))
        drawing.parts.append(Shaped(outer.points, surface, colours.PLAIN, factor * move, values, signed))
        if outer.family != "line":
            sharp = Surface.of(outer.points, outer.triangles)
            drawing.parts += _undeformed(outer.points, sharp.source[sharp.edges], factor * move)
    moved = drawn * structure.displacements(u)
    drawing.parts += _undeformed(structure.mesh.points, thin_lines(structure.mesh), moved, axes=True)
    if any(isinstance(part, Lines) for part in drawing.parts):
        drawing.legend["undeformed"] = colours.UNDEFORMED
    on_structure(drawing, structure, found, moved, options)
    return drawing


def _stress(static: fem.Static | None, colour: Any) -> fem.Stress | None:
    """Return the stress of a static solution, if the colour needs it."""
    return None if static is None or name_of(colour) in ("", *DISPLACEMENT_LABELS) else static.stress


def of_body(body: modal.ReducedBody, options: Options) -> Drawing:
    """Return the drawing of a reduced body, undeformed or deformed by one base function."""
    recovery, mode = body.recovery, options.mode
    if recovery is None or not len(recovery.triangles):
        raise InputError(f"body '{body.name}' has no surface to draw; reduce a structure with a mesh")
    surface = Surface.of(recovery.points, recovery.triangles)
    drawing = Drawing(body.name)
    if mode is None:
        drawing.parts.append(Shaped(recovery.points, surface, colours.PLAIN))
        return drawing
    if not 0 <= mode < body.N:
        raise InputError(
            f"mode is {mode}, but body '{body.name}' has base functions of the indices 0 to {body.N - 1}"
        )
    shape = recovery.Phi[:, :, mode]
    sizes = np.linalg.norm(shape, axis=1)
    whole = float(np.linalg.norm(np.ptp(recovery.points, axis=0)))
    factor = displacement_factor(options.scale, float(sizes.max()), whole, printed=False)
    part = Shaped(recovery.points, surface, None, factor * shape, sizes / sizes.max())
    drawing.parts.append(part)
    drawing.scale = Scale("displacement,\nlargest = 1", 0.0, 1.0, "")
    own = np.sqrt(max(body.K[mode, mode] / body.C8[mode, mode], 0.0)) / (
        2 * np.pi
    )  # frequency of this shape alone
    drawing.note = f"base function {mode + 1}: {own:.5g} Hz"
    return drawing


def displacement_factor(scale: float | None, largest: float, size: float, printed: bool) -> float:
    """Return the factor on drawn displacements; None makes the largest one visible relative to the size (m).

    ``printed`` selects a round number.
    """

    def visible() -> float:
        if not largest > 0:
            return 0.0
        factor = DRAWN_FRACTION * size / largest
        return round_factor(1.4 * factor) if printed else factor

    return drawn_factor(scale, "the factor on the displacements", visible)


def _extreme(field: Quantity, colour: Any, scale: Scale | None) -> str:
    """Return the extreme values as text, or those beyond the ends of the colour scale."""
    low, high = field.range()
    name = field.label.replace("\n", " ")
    if scale is not None and scale.note():
        return f", {name}: {scale.note()}"
    if name_of(colour) in ("", "displacement"):
        return ""
    if low == high == 0:
        return f", {name}: zero" if field.size else ""
    if low < 0:
        return f", {name} {with_unit(low, field.unit)} to {with_unit(high, field.unit)}"
    return f", peak {name} {with_unit(high, field.unit)}"


def _scale(field: Quantity, limits: Any, relative: bool) -> Scale | None:
    """Return the colour scale: the range of the values, or the given limits.

    If all values are zero, it is the range of all values of this kind.
    """
    least, most = field.range()
    low, high = min(least, 0.0), most
    if limits is not None:
        given = np.asarray(limits, dtype=float)
        if given.shape != (2,) or not np.isfinite(given).all() or not given[0] < given[1]:
            raise InputError(f"limits is {limits!r}; give (low, high) in SI units, low below high")
        low, high = (float(value) for value in given)
    elif least == most == 0 and field.known:
        low, high = -field.size, field.size
    if not high > low:
        return None
    if relative and field.label in DISPLACEMENT_LABELS.values():
        if field.label != DISPLACEMENT_LABELS["displacement"]:  # a mode oscillates in both directions
            low, high = -max(-low, high), max(-low, high)
        return Scale(f"{field.label},\nlargest = 1", low, high, "")
    return Scale(field.label, low, high, field.unit, (least, most))


def _undeformed(points: np.ndarray, edges: np.ndarray, moved: np.ndarray, axes: bool = False) -> list[Lines]:
    """Return the undeformed edges (e, 2) whose displacements ``moved`` (n, 3) are visible.

    Edges of surfaces show only displacements across their direction, for a displaced edge lies on them otherwise.
    The axes of lines lie inside their sections and stick out of them at their ends, too.
    """
    a, b = edges.T
    along = points[b] - points[a]
    length = np.maximum(np.linalg.norm(along, axis=1), np.finfo(float).tiny)
    if axes:
        visible = np.maximum(np.linalg.norm(moved[a], axis=1), np.linalg.norm(moved[b], axis=1))
    else:
        visible = np.linalg.norm(np.cross(moved[a] + moved[b], along), axis=1) / (2 * length)
    edges = edges[visible > 0.004 * np.linalg.norm(np.ptp(points, axis=0))]
    return [Lines(points, edges, colours.UNDEFORMED)] if len(edges) else []
