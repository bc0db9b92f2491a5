"""How far the bending stiffness of linear solids is off: layers of elements across the thinnest part, and an estimate.

A bar of N layers of rectangular bricks (length a along the bar, width b, height t) is bent by the curvature kappa. With
full integration the nodal values of the exact displacement ``u = kappa x z, v = -beta kappa y z, w = (beta y^2 - x^2)
kappa / 2`` differ from it inside a brick: w is linear along the edges, which leaves the shear strains ``kappa (x -
x_m)`` and ``beta kappa (y - y_m)`` about the middle of the brick, and the strain along z is constant in a brick. Per
length, over ``E I kappa^2`` with ``s = 1 - 1 / N^2`` and ``g = 1 / (2 (1 + nu))`` the energies are ::

    layers as wholes (plane stress)     s (1 + beta^2 - 2 nu beta) / (1 - nu^2)
    inside the layers, epsilon_z = 0    ((1 - nu) (1 + beta^2) - 2 nu beta) / ((1 + nu) (1 - 2 nu)) / N^2
    the same without volume strains     2 (1 + beta + beta^2) / (3 (1 + nu)) / N^2
    shear                               g ((a / t)^2 + beta^2 (b / t)^2) / N^2

and beta makes their sum a minimum. The third line holds for the mean volume strain (B-bar) in place of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy

from ..common.errors import percent
from ..elements import ELEMENTS
from ..elements.property import FloatArray
from ..elements.solid.bricks import Brick, IncompatibleModes, MeanDilatation
from ..mesh.mesh import Mesh
from ..properties.material import Isotropic

#: excess of the bending stiffness that is told
TOLD = 0.05
#: the longest extent of a part over its thinnest one, from which it bends
SLENDERNESS = 3.0
#: N^2 times the excess of N layers of tet4, an order of magnitude: fitted to bars of cubes cut in six with N = 1 to 4
#: and nu = 0.3, not derived; other meshes and other nu give other numbers
TETRAHEDRA = 4.0
#: steps from element to element in which a thick part has a deep node, and share of tetrahedra that is told
STEPS, THIN_SHARE = 3, 0.1
#: Poisson's ratio of materials that have several
OTHER_NU = 0.3
#: share of the bricks that may be worse than what is told
SHARE = 0.05


def bending_excess(
    layers: FloatArray | float, length: FloatArray | float, width: FloatArray | float, nu: float, mean: bool
) -> FloatArray:
    """Return the relative excess of the bending stiffness of bars of bricks; see the notes of this module.

    Parameters
    ----------
    layers : array_like
        Number N of bricks across the thickness.
    length, width : array_like
        Length a and width b of a brick over its height t.
    nu : float
        Poisson's ratio.
    mean : bool
        Whether the volume strain is that of the brick's mean, :class:`fem.MeanDilatation`.

    Returns
    -------
    numpy.ndarray
        The excess; exact for one and two layers, and a bound for more, where beta may vary from layer to layer.
    """
    N, a, b = (np.asarray(x, dtype=float) for x in (layers, length, width))
    share, shear = 1.0 / N**2, 0.5 / (1.0 + nu)
    whole = (1.0 - share) / (1.0 - nu**2)
    if mean:
        square, product = 2.0 / 3.0 / (1.0 + nu), -1.0 / 3.0 / (1.0 + nu)
    else:
        square, product = np.array([1.0 - nu, nu]) / ((1.0 + nu) * (1.0 - 2.0 * nu))
    # the sum is A beta^2 - 2 B beta + C
    A = whole + share * (square + shear * b**2)
    B = nu * whole + share * product
    C = whole + share * (square + shear * a**2)
    excess: FloatArray = C - B**2 / A - 1.0
    return excess


def bending_doubts(mesh: Mesh) -> Iterator[str]:
    """Yield where linear solids are few across the thinnest part, and by how much the bending stiffness is off."""
    locking = [name for name, its in mesh.properties.items() if _locks(its)]
    if locking and any(block.element == "hex8" for block in mesh.blocks):
        bricks = _Bricks(mesh)
        for name in locking:
            yield from bricks.doubts(name)
    yield from _tetrahedra(mesh)


def _locks(its: Any) -> bool:
    """Return whether it is a property of solids whose bricks of 8 nodes have no incompatible modes."""
    brick = getattr(its, "brick", None)
    return isinstance(brick, Brick) and not isinstance(brick, IncompatibleModes)


class _Bricks:
    """The bricks of 8 nodes of a mesh: of each, what lies across its three directions, the thinnest one first."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh
        starts = np.cumsum([0, *(len(block) for block in mesh.blocks)])
        parts = [
            (int(n), block) for n, block in zip(starts, mesh.blocks, strict=False) if block.element == "hex8"
        ]
        self._number = np.concatenate([n + np.arange(len(block)) for n, block in parts])
        found = _chains(mesh.points, np.concatenate([block.nodes for _, block in parts]))
        order = np.argsort(found[1], axis=1)
        self._layers, self._extent, self._size = (np.take_along_axis(x, order, axis=1) for x in found)

    def doubts(self, name: str) -> Iterator[str]:
        """Yield by how much the bending stiffness of an element set is off."""
        its: Any = self._mesh.properties[name]
        nu = its.material.nu if isinstance(its.material, Isotropic) else OTHER_NU
        mean = isinstance(its.brick, MeanDilatation)
        slender = (self._size > 0).all(axis=1) & (self._extent[:, 2] > SLENDERNESS * self._extent[:, 0])
        rows = np.flatnonzero(slender & np.isin(self._number, self._mesh.elements_of(name)))
        if not len(rows):
            return
        layers, thickness = self._layers[rows, 0], self._extent[rows, 0]
        height = thickness / layers
        a, b = self._size[rows, 2], self._size[rows, 1]
        excess = bending_excess(layers, a / height, b / height, nu, mean)
        k = int(np.argsort(np.abs(excess), kind="stable")[int((1.0 - SHARE) * (len(rows) - 1))])
        if abs(excess[k]) < TOLD:
            return
        yield (
            f"{name!r} has linear bricks ({type(its.brick).__name__}), {layers[k]} layer{'s' * bool(layers[k] > 1)} "
            f"across the thinnest part ({self._mesh.element_name(int(self._number[rows[k]]))}: {height[k]:.3g} m high, "
            f"{a[k]:.3g} m long): bending stiffness may be too {'high' if excess[k] > 0 else 'low'} by roughly "
            f"{percent(abs(excess[k]))}; refine along and across, use second-order elements, or give fem.assemble the "
            "property fem.Solid(material), whose bricks have incompatible modes"
        )


def _chains(points: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of each brick in its three directions (n, 3): bricks from surface to surface, their length, its own, m.

    Bricks that share a face follow each other in the direction across that face.
    """
    faces = [np.asarray(face) for face in ELEMENTS["hex8"].faces]
    pairs = [(i, j) for i, one in enumerate(faces) for j in range(i) if not set(one) & set(faces[j])]
    direction = {face: k for k, pair in enumerate(pairs) for face in pair}
    code = np.random.default_rng(0).integers(1 << 60, size=len(points))  # sums over equal nodes are equal
    corners = np.concatenate([code[nodes[:, face]].sum(axis=1) for face in faces])
    state = np.concatenate([3 * np.arange(len(nodes)) + direction[i] for i in range(6)])
    _, inverse, count = np.unique(corners, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    order = order[count[inverse[order]] == 2]
    a, b = state[order[::2]], state[order[1::2]]
    n = 3 * len(nodes)
    graph = scipy.sparse.coo_array((np.ones(len(a), np.int8), (a, b)), shape=(n, n))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    middle = [points[nodes[:, face]].mean(axis=1) for face in faces]
    size = np.stack([np.linalg.norm(middle[i] - middle[j], axis=1) for i, j in pairs], axis=1)
    layers = np.bincount(label)[label].reshape(-1, 3)
    extent = np.bincount(label, size.ravel())[label].reshape(-1, 3)
    return layers, extent, size


def _tetrahedra(mesh: Mesh) -> Iterator[str]:
    """Yield a sentence if many tet4 lie where no node is deeper than one element below the surface.

    Such a part has at most three layers. Around a deep node, the elements within a few steps belong to a thick part.
    """
    blocks = [block.nodes for block in mesh.blocks if block.element == "tet4"]
    if not blocks:
        return
    nodes = np.concatenate(blocks)
    outside = np.zeros(mesh.n_nodes, bool)
    for face in mesh.exterior:
        outside[face.nodes] = True
    thick = ~_grown(outside, nodes)
    for _ in range(STEPS):
        thick = _grown(thick, nodes)
    thin = ~thick[nodes].any(axis=1)
    share = float(thin.mean())
    if share < THIN_SHARE:
        return
    single = float(outside[nodes[thin]].all(axis=1).mean()) > 0.5
    layers, excess = "2 or 3 layers", f"{percent(TETRAHEDRA / 9)} to {percent(TETRAHEDRA / 4)}"
    if single:
        layers, excess = "1 layer", percent(TETRAHEDRA)
    where = "everywhere" if thin.all() else f"where {percent(share)} of them are"
    yield (
        f"linear tetrahedra (tet4), {layers} across {where}: bending stiffness may be too high by roughly {excess}; "
        "use second-order elements (tet10), or refine"
    )


def _grown(member: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Return which nodes share an element with a member, or are one."""
    found = member.copy()
    found[nodes[member[nodes].any(axis=1)]] = True
    return found
