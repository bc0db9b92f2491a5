"""A cross-section of any drawn shape."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..common.arguments import check_arguments
from ..common.errors import InputError, warn
from ..common.numbers import floats, shown
from .grid import GRIDS, are_upright, fill_grid
from .section import Pair, Section, demand
from .triangles import Floats, Ints, fill, goes_round_twice, overlap, self_crossing
from .warping import Warping, divided, moments, warping

#: triangles become finer until no constant changes by more than this share, or there are so many of them
_CHANGE_LIMIT, _TRIANGLES_LIMIT = 1e-3, 20_000
#: shares of the size below which a length is zero: round-off, and the error of a shear centre
_ROUND_OFF, _NO_ARM = 1e-12, 1e-6
#: share of the size below which a polygon is too thin, on average
_THINNEST_PART = 1e-6

_Polygon = tuple[Pair, ...]


@check_arguments(own=("nu",))
def DrawnSection(
    parts: Sequence[ArrayLike],
    *,
    holes: Sequence[ArrayLike] = (),
    nu: float = 0.0,
) -> Section:
    """Return the section of a drawn shape: all constants by finite elements, with an error below 0.1 %.

    Parameters
    ----------
    parts : sequence of (n, 2), m
        Polygons by their corners (y, z) in order, in any axes parallel to those of the beam. They may overlap or
        share edges, also in part; round edges are many short ones. The section is everything in at least one of them.
    holes : sequence of (n, 2), m
        Polygons that are cut out of all parts.
    nu : float
        Poisson's ratio, for the shear factors.

    Returns
    -------
    Section
        The section about its centroid. Its ``centroid`` is the centroid in the axes of the drawing, so that with
        ``fem.Beam(..., offset=section.centroid)`` the nodes are where the drawing has its origin.

    Raises
    ------
    InputError
        A polygon has less than three corners or no area, crosses itself or goes round twice; a hole lies outside all
        parts, the holes leave nothing, the parts do not hold together, or some corners or edges are too close to each
        other.

    Warns
    -----
    FlexbodyWarning
        The constants still change by more than 0.1 % with the finest triangles.

    Notes
    -----
    Torsion and shear are Saint-Venant's: sections warp freely. ``J`` follows from the warping function. The shear
    centre is Trefftz', which does not depend on nu and follows from that function too. ``ky`` and ``kz`` are Cowper's,
    along the principal axes nearest to y and z; that a force along one of them also shears an unsymmetric section along
    the other is left out. Cowper's factor relates to mean displacements: that across a flat section whose thickness
    varies along its width holds the anticlastic curvature of the width and is as small as (thickness / width)^2, which
    tells on beams that are hardly longer than wide. The stresses of torque and shear force are nan: they have no limit
    in corners that turn inwards.

    References
    ----------
    A. E. H. Love: A Treatise on the Mathematical Theory of Elasticity, 4th ed., ch. XIV and XV.
    E. Trefftz: Über den Schubmittelpunkt. Z. angew. Math. Mech. 15 (1935).
    G. R. Cowper: The shear coefficient in Timoshenko's beam theory. J. Appl. Mech. 33 (1966).

    Examples
    --------
    An angle 60 x 40 x 5 mm by its outline; the shear centre lies near where the middles of the legs meet:

    >>> import fem
    >>> outline = [(0, 0), (0.04, 0), (0.04, 0.005), (0.005, 0.005), (0.005, 0.06), (0, 0.06)]
    >>> angle = fem.DrawnSection([outline], nu=0.3)
    >>> round(angle.A * 1e6), round(angle.J * 1e12)  # mm^2, mm^4
    (475, 3873)
    >>> [round(1e3 * (c + s), 1) for c, s in zip(angle.centroid, angle.shear_centre)]  # mm
    [2.5, 3.0]
    """
    demand("drawn section", {}, nu)
    polygons = [_polygon(given, f"parts[{k}]") for k, given in enumerate(parts)]
    cut = [_polygon(given, f"holes[{k}]") for k, given in enumerate(holes)]
    if not polygons:
        raise InputError("a drawn section needs at least one polygon in parts=")
    corners = np.vstack(polygons)
    origin, size = corners.min(axis=0), float(np.ptp(corners, axis=0).max())
    for name, them in (("parts", polygons), ("holes", cut)):
        for k, polygon in enumerate(them):
            if abs(_area(polygon)) < _THINNEST_PART * size * float(np.ptp(polygon, axis=0).max()):
                raise InputError(
                    f"{name}[{k}] is thinner than {_THINNEST_PART:g} of the section's size, {size:g} m"
                )
    for k, polygon in enumerate(cut):
        if not overlap([(part - origin) / size for part in polygons], (polygon - origin) / size):
            raise InputError(f"holes[{k}] lies outside all parts and cuts nothing: {shown(holes[k])}")
    unit, change = _solved(
        *(tuple(_key((p - origin) / size) for p in them) for them in (polygons, cut)), float(nu)
    )
    if change > _CHANGE_LIMIT:
        warn(
            f"the constants of this drawn section, of the size {size:g} m, change by {change:.1%} with the finest "
            "triangles, and may have errors of this size"
        )
    about = np.array(unit.centroid) * size + origin
    return Section(
        A=unit.A * size**2,
        Iy=unit.Iy * size**4,
        Iz=unit.Iz * size**4,
        Iyz=unit.Iyz * size**4,
        J=unit.J * size**4,
        ky=unit.ky,
        kz=unit.kz,
        shear_centre=_pair(np.array(unit.shear_centre) * size),
        wagner=_pair(np.array(unit.wagner) * size),
        points=_pairs(np.array(unit.points) * size),
        outline=_pairs(np.array(unit.outline) * size),
        centroid=_pair(about, _ROUND_OFF * size),
    )


def _polygon(given: ArrayLike, name: str) -> Floats:
    """Return the corners, without those that repeat the one before."""
    corners = floats(given)
    if corners is None or corners.ndim != 2 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise InputError(
            f"{name} must hold corners (y, z) in m, as in parts=[[(0, 0), (0.1, 0), (0, 0.1)]], not {shown(given)}"
        )
    if len(corners):
        corners = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    if len(corners) < 3:
        raise InputError(f"{name} must have three or more corners that differ, not {shown(given)}")
    size = float(np.ptp(corners, axis=0).max())
    if (crossing := self_crossing((corners - corners.min(axis=0)) / size)) is not None:
        ends = [
            f"from {shown(tuple(corners[k].tolist()))} to {shown(tuple(corners[(k + 1) % len(corners)].tolist()))}"
            for k in crossing
        ]
        raise InputError(
            f"{name} crosses itself: its edge {ends[0]} and its edge {ends[1]}. Give its corners in the order of its "
            "outline, and what overlaps as parts of their own"
        )
    if not abs(_area(corners)) > _ROUND_OFF * size**2:
        raise InputError(
            f"{name} has no area, for its corners lie on a line or its outline returns on itself: {shown(given)}"
        )
    if goes_round_twice((corners - corners.min(axis=0)) / size):
        raise InputError(f"{name} goes round its outline twice, and so encloses nothing: {shown(given)}")
    return corners


def _key(polygon: Floats) -> _Polygon:
    """Return the corners of a polygon whose size is about one, so that shapes that differ by round-off are one."""
    return _pairs(np.round(polygon, 14) + 0.0)


@lru_cache(maxsize=1024)
def _solved(parts: tuple[_Polygon, ...], holes: tuple[_Polygon, ...], nu: float) -> tuple[Section, float]:
    """Return the section of a shape whose size is one, and the last change of its constants."""
    meshes = _meshes([np.array(polygon) for polygon in parts], [np.array(polygon) for polygon in holes])
    points, triangles = next(meshes)
    if len(triangles) == 0:
        raise InputError("this drawn section has no area: its holes leave nothing")
    _check_whole(triangles)
    about = moments(points, triangles)
    Iyz = about.Iyz if abs(about.Iyz) > _ROUND_OFF * (about.Iy + about.Iz) else 0.0
    rough = Section(A=about.A, Iy=about.Iy, Iz=about.Iz, J=1.0, Iyz=Iyz)
    c, s = math.cos(rough.angle), math.sin(rough.angle)
    back = np.array([[c, -s], [s, c]])  # from principal axes
    found = warping((points - about.centroid) @ back, triangles, nu)
    change = 0.0
    for finer, its_triangles in meshes:
        before, found = found, warping((finer - about.centroid) @ back, its_triangles, nu)
        change = _change(before, found)
        if change < _CHANGE_LIMIT:
            break
    outline = _outline(points, triangles) - about.centroid
    section = replace(
        rough,
        J=found.J,
        ky=found.ky,
        kz=found.kz,
        shear_centre=_pair(back @ found.shear_centre, _NO_ARM),
        wagner=_pair((back @ found.third)[::-1] / (about.Iy, about.Iz), _ROUND_OFF),
        points=_pairs(outline[scipy.spatial.ConvexHull(outline).vertices]),
        outline=_pairs(outline),
        centroid=_pair(about.centroid),
    )
    return section, change


def _meshes(parts: list[Floats], holes: list[Floats]) -> Iterator[tuple[Floats, Ints]]:
    """Yield finer and finer triangles, at least twice, the last ones when there are many."""
    turn = _along_longest_side(parts[0])
    turned, cut = ([polygon @ turn for polygon in them] for them in (parts, holes))
    if are_upright(turned + cut):
        for grid in GRIDS:
            points, triangles = fill_grid(turned, cut, grid)
            yield points @ turn.T, triangles
        return
    points, triangles = fill(parts, holes)
    yield points, triangles
    while True:
        points, triangles = divided(points, triangles)
        yield points, triangles
        if len(triangles) >= _TRIANGLES_LIMIT:
            return


def _along_longest_side(polygon: Floats) -> Floats:
    """Return the matrix (2, 2) that makes the longest side of a polygon horizontal: points (n, 2) times it."""
    side = max(np.roll(polygon, -1, axis=0) - polygon, key=np.linalg.norm)
    c, s = side / np.linalg.norm(side)
    return np.array([[c, -s], [s, c]])


def _change(before: Warping, after: Warping) -> float:
    """Return the largest change of the constants, of lengths relative to the size."""
    shares = [before.J / after.J, before.ky / after.ky, before.kz / after.kz]
    moved = np.abs(before.shear_centre - after.shear_centre).max()
    return max(float(moved), *(abs(share - 1) for share in shares))


def _check_whole(triangles: Ints) -> None:
    """Raise InputError if triangles fall into several pieces, which share no edge."""
    first, second = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).T
    number = np.unique(first * (triangles.max() + 1) + second, return_inverse=True)[1].ravel()
    owner = np.repeat(np.arange(len(triangles)), 3)
    graph = scipy.sparse.coo_matrix(
        (np.ones(len(owner)), (owner, len(triangles) + number)), shape=2 * [len(owner) * 2]
    )
    piece = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][: len(triangles)]
    if piece.max() > 0:
        raise InputError(
            f"this drawn section falls into {piece.max() + 1} pieces that share no edge. Let its parts overlap or "
            "share an edge"
        )


def _outline(points: Floats, triangles: Ints) -> Floats:
    """Return the corners of the outer edge in order, counter-clockwise."""
    first, second = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).T
    n = len(points)
    outer_sides = ~np.isin(first * n + second, second * n + first)
    after: dict[int, list[int]] = {}
    for a, b in zip(first[outer_sides].tolist(), second[outer_sides].tolist(), strict=True):
        after.setdefault(a, []).append(b)
    loops = []
    while after:
        loop = [next(iter(after))]
        while loop[-1] in after:
            following = after[loop[-1]]
            loop.append(following.pop())
            if not following:
                del after[loop[-2]]
        loops.append(points[loop[:-1]])
    outer = max(loops, key=_area)
    before, following = outer - np.roll(outer, 1, axis=0), np.roll(outer, -1, axis=0) - outer
    turn = before[:, 0] * following[:, 1] - before[:, 1] * following[:, 0]
    size = np.linalg.norm(before, axis=1) * np.linalg.norm(following, axis=1)
    corners: Floats = outer[np.abs(turn) > 1e-7 * size]
    return corners


def _area(polygon: Floats) -> float:
    """Return the area of a polygon, positive if its corners are counter-clockwise."""
    y, z = (polygon - polygon[0]).T
    return 0.5 * float((y * np.roll(z, -1) - z * np.roll(y, -1)).sum())


def _pair(values: Floats, least: float = 0.0) -> Pair:
    """Return two numbers, those below ``least`` as zero."""
    first, second = (float(value) if abs(value) > least else 0.0 for value in values)
    return first, second


def _pairs(values: Floats) -> tuple[Pair, ...]:
    return tuple((float(y), float(z)) for y, z in values)
