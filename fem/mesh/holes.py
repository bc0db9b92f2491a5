"""Round holes in a mesh (eyes, bores and pin holes), found by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from ..common.errors import MeshError
from .mesh import Mesh
from .surface import triangles as triangles_of

#: faces that meet at less than this angle belong to the same curved surface, degrees
MAX_SMOOTH_ANGLE = 40.0
#: largest distance of a node from the circle, relative to the radius
ROUNDNESS_TOLERANCE = 0.03
#: largest mean square of the normals' components along the axis: flat parts of a curved face tilt a little
MAX_NORMAL_TILT = 0.02


@dataclass(frozen=True, eq=False)
class Hole:
    """A round hole: center (3,) m at half its length, unit axis (3,), radius and length in m, and its nodes."""

    center: np.ndarray
    axis: np.ndarray
    radius: float
    length: float
    nodes: np.ndarray

    def __str__(self) -> str:
        x, y, z = (f"{c:.6g}" for c in np.round(self.center / self.radius, 6) * self.radius + 0.0)
        a, b, c = (f"{c:.4g}" for c in np.round(self.axis, 6) + 0.0)
        where = f"centre ({x}, {y}, {z}) m, axis ({a}, {b}, {c})"
        return f"{where}, radius {self.radius:.6g} m, {len(self.nodes)} nodes"


def find_holes(mesh: Mesh) -> list[Hole]:
    """Return the round holes of a mesh, largest radius first.

    A hole is a smooth part of the outer surface, closed around an axis, whose normals point at that axis.
    ``mesh.select(name, cylinder=(center, axis, radius))`` selects the same nodes.
    """
    triangles = mesh.surface()
    normals, areas = _normals(mesh.points, triangles)
    found = []
    for patch in _smooth_patches(triangles, normals):
        hole = _hole(mesh.points, triangles[patch], normals[patch], areas[patch])
        if hole is not None:
            found.append(hole)
    return sorted(found, key=lambda h: (-round(h.radius, 9), *np.round(h.center, 9)))


def hole_of(mesh: Mesh, name: str) -> Hole:
    """Return the round hole that a named node set covers; raises :class:`MeshError` if it covers none."""
    triangles = triangles_of(mesh.faces_of(name))
    if len(triangles):
        hole = _hole(mesh.points, triangles, *_normals(mesh.points, triangles))
        if hole is not None:
            return hole
    raise MeshError(f"node set {name!r} of mesh {mesh.name!r} is not the surface of a round hole")


def with_hole(mesh: Mesh, name: str, hole: Hole) -> Mesh:
    """Return the mesh with the hole's nodes as a new node set."""
    faces = {key: value for key, value in mesh.faces.items() if key != name}
    return replace(mesh, node_sets={**mesh.node_sets, name: hole.nodes}, faces=faces)


def with_numbered_holes(mesh: Mesh, names: Iterable[str]) -> Mesh:
    """Return the mesh with node sets "hole1", "hole2", ... of its round holes, those of ``names`` that it lacks.

    The number is the place in :func:`find_holes`; :class:`MeshError` for a hole that the mesh does not have.
    """
    wanted = [name for name in names if re.fullmatch(r"hole\d+", name) and name not in mesh.node_sets]
    holes = find_holes(mesh) if wanted else []
    for name in wanted:
        number = int(name.removeprefix("hole"))
        if not 1 <= number <= len(holes):
            found = f"its round holes are hole1 to hole{len(holes)}" if holes else "it has no round holes"
            raise MeshError(f"mesh {mesh.name!r} has no {name!r}: {found}")
        mesh = with_hole(mesh, name, holes[number - 1])
    return mesh


def _normals(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return unit normals (m, 3) and areas (m,)."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    return normal / np.where(size > 0, size, 1)[:, None], size / 2


def _smooth_patches(triangles: np.ndarray, normals: np.ndarray) -> list[np.ndarray]:
    """Return groups of triangles (their indices) that are connected across smooth edges."""
    m = len(triangles)
    edges = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    same = (edges[order][1:] == edges[order][:-1]).all(axis=1)
    first, second = order[:-1][same] % m, order[1:][same] % m
    smooth = (normals[first] * normals[second]).sum(axis=1) > np.cos(np.radians(MAX_SMOOTH_ANGLE))
    pairs = scipy.sparse.coo_array((np.ones(smooth.sum()), (first[smooth], second[smooth])), shape=(m, m))
    count, label = scipy.sparse.csgraph.connected_components(pairs, directed=False)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])


def _hole(points: np.ndarray, triangles: np.ndarray, normals: np.ndarray, areas: np.ndarray) -> Hole | None:
    """Return the hole that a smooth patch forms, or None."""
    if len(triangles) < 8:
        return None
    sizes, axes = np.linalg.eigh((normals * areas[:, None]).T @ normals / areas.sum())
    axis = axes[:, 0] * np.sign(axes[np.argmax(np.abs(axes[:, 0])), 0])
    if sizes[0] > MAX_NORMAL_TILT or sizes[1] < 0.4 * sizes[2]:
        return None
    nodes = np.unique(triangles)
    p = points[nodes]
    center, axis, radius = _cylinder(p, axis)
    arm = p - center
    along = arm @ axis
    radial = arm - along[:, None] * axis
    if radius == 0 or np.abs(np.linalg.norm(radial, axis=1) - radius).max() > ROUNDNESS_TOLERANCE * radius:
        return None
    a = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    angle = np.sort(np.arctan2(radial @ np.cross(axis, a), radial @ a))
    gap = np.diff(np.append(angle, angle[0] + 2 * np.pi)).max()
    center = center + axis * (along.min() + along.max()) / 2
    inward = ((points[triangles].mean(axis=1) - center) * normals).sum(axis=1) < 0
    if gap > np.radians(60) or not inward.all():
        return None
    return Hole(center, axis, radius, float(np.ptp(along)), nodes)


def _cylinder(p: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return center, axis and radius of the cylinder nearest to points p (n, 3); Gauss-Newton."""
    center = p.mean(axis=0)
    radius = 0.0
    for _ in range(8):
        a = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        a /= np.linalg.norm(a)
        b = np.cross(axis, a)
        arm = p - center
        along = arm @ axis
        radial = arm - along[:, None] * axis
        reach = np.linalg.norm(radial, axis=1)
        if reach.min() == 0:
            return center, axis, 0.0
        x, y = radial @ a / reach, radial @ b / reach
        # reach changes by -(x, y) of the center's move and by -along (x, y) of the axis' tilt toward (a, b)
        J = np.column_stack([x, y, along * x, along * y, np.ones(len(p))])
        step = np.linalg.lstsq(J, reach, rcond=None)[0]
        center = center + step[0] * a + step[1] * b
        axis = axis + step[2] * a + step[3] * b
        axis /= np.linalg.norm(axis)
        radius = float(step[4])
    return center, axis, radius
