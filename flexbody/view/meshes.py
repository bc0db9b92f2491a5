"""Pictures of meshes and of base functions."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, listing

from . import colours
from .camera import camera_for
from .caption import Caption
from .colours import Colour
from .parts import Surface
from .pictures import STILLS, opened, write_still
from .shading import Painter


@dataclass(frozen=True, eq=False)
class _Still:
    """A surface that stands where it is, with its values (n,) or one colour."""

    x: np.ndarray
    surface: Surface
    colour: Colour | None = None
    magnitude: np.ndarray | None = field(default=None)

    def points(self, poses) -> np.ndarray:
        """Return the surface's points (n, 3), m."""
        return self.x[self.surface.source]

    def values(self, poses) -> np.ndarray | None:
        """Return the values at the surface's points, if there are any."""
        return None if self.magnitude is None else self.magnitude[self.surface.source]


def picture_mesh(
    what: Any,
    path: str | os.PathLike | None = None,
    *,
    sets: tuple[str, ...] | None = None,
    mode: int | None = None,
    view: str | ArrayLike = "iso",
    size: tuple[int, int] = (1280, 720),
    title: str | None = None,
) -> np.ndarray:
    """Draw a mesh with its elements and node sets, or a base function of a reduced body.

    what : :class:`fem.Mesh`, :class:`fem.Structure` or :class:`modal.ReducedBody`. sets : names of the node
    sets to be coloured, all where not given. mode : which base function of a reduced body is drawn, from 0;
    its size is chosen, the colours show its magnitude. view, size, path : as in :func:`flexbody.picture`.

    Returns the picture (height, width, 3), bytes.
    """
    if path is not None and Path(path).suffix.lower() not in STILLS:
        raise InputError(f"can't write {path}: the ending must be one of {', '.join(STILLS)}")
    if hasattr(what, "recovery"):
        parts, note, legend = _mode(what, mode)
    else:
        what = getattr(what, "mesh", what)
        parts, note, legend = _mesh(what, sets)
    caption = Caption(what.name if title is None else title, note)
    camera = camera_for(view, None, np.array([0.0, 0.0, 1.0]))
    camera = camera.fitted(np.concatenate([part.points({}) for part in parts]), size)
    renderer = opened([Painter(part, 1.0) for part in parts], camera, size)
    try:
        image = caption.on(renderer.image({}), "", legend)
    finally:
        renderer.close()
    if path is not None:
        write_still(path, image)
    return image


def _mesh(mesh: Any, sets: tuple[str, ...] | None) -> tuple[list[_Still], str, dict[str, Colour]]:
    """Return the outer faces, those of a set in its colour, with the elements' edges."""
    names = list(sets or ())
    if sets is None:  # all that say something, the small ones over the large ones
        every = sorted(mesh.node_sets, key=lambda name: -len(mesh.node_sets[name]))
        names = [name for name in every if len(mesh.node_sets[name]) < mesh.n_nodes]
    unknown = [name for name in names if name not in mesh.node_sets]
    if unknown:
        raise InputError(
            f"mesh {mesh.name!r} has no node set {listing(unknown)}; it has {listing(mesh.node_sets)}"
        )
    triangles, lines = mesh.surface(), _element_edges(mesh)
    owner = np.full(len(triangles), -1)
    for k, name in enumerate(names):
        member = np.zeros(mesh.n_nodes, dtype=bool)
        member[mesh.node_sets[name]] = True
        owner[member[triangles].all(axis=1)] = k
    parts, legend = [], {}
    for k in range(-1, len(names)):
        mine = triangles[owner == k]
        if len(mine) == 0:
            continue
        surface = Surface.of(mesh.points, mine)
        place = np.full(mesh.n_nodes, -1)
        place[surface.source] = np.arange(len(surface.source))
        edges = place[lines]
        edges = edges[(edges >= 0).all(axis=1)]
        colour = colours.PLAIN if k < 0 else colours.SETS[k % len(colours.SETS)]
        surface = Surface(surface.source, surface.triangles, edges, colours.MESH_LINE)
        parts.append(_Still(mesh.points, surface, colour))
        if k >= 0:
            legend[names[k]] = colour
    return parts, f"{mesh.n_nodes} nodes, {mesh.n_elements} elements", legend


def _element_edges(mesh: Any) -> np.ndarray:
    """Return the edges (e, 2) of the outer faces, without the lines that split a face for drawing."""
    from fem.elements import FACES

    found = []
    for block in mesh.exterior:
        split = np.array(FACES[block.element].triangles)
        pairs = np.sort(np.concatenate([split[:, [0, 1]], split[:, [1, 2]], split[:, [2, 0]]]), axis=1)
        sides, count = np.unique(pairs, axis=0, return_counts=True)
        found.append(block.nodes[:, sides[count == 1]].reshape(-1, 2))
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _mode(body: Any, mode: int | None) -> tuple[list[_Still], str, dict[str, Colour]]:
    """Return the body's surface, deformed by one base function to a fifteenth of its size."""
    recovery = body.recovery
    if recovery is None:
        raise InputError(f"body '{body.name}' has no surface to be drawn")
    surface = Surface.of(recovery.points, recovery.triangles)
    if mode is None:
        return [_Still(recovery.points, surface, colours.PLAIN)], "", {}
    if not 0 <= mode < body.N:
        raise InputError(f"body '{body.name}' has base functions 0 to {body.N - 1}, not {mode}")
    shape = recovery.Phi[:, :, mode]
    size = np.linalg.norm(shape, axis=1)
    factor = np.linalg.norm(np.ptp(recovery.points, axis=0)) / 15 / size.max()
    part = _Still(recovery.points + factor * shape, surface, magnitude=size / size.max())
    return [part], f"base function {mode}: {body.frequencies_hz[mode]:.5g} Hz", {}
