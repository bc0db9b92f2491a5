"""A connecting rod from a mesh file: its two eyes and its middle, by name or by shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np

import fem
from fem.common.errors import FileError, InputError, MeshError, listing
from fem.common.names import with_match
from fem.mesh.holes import find_holes, hole_of, with_hole

#: Names of the node sets of the eyes and of the middle.
EYES = ("big_end", "small_end")
MIDDLES = ("middle", "mid", "mid_span", "midspan")
STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


@dataclass(frozen=True)
class Rod:
    """A connecting rod: its mesh with node sets for both eyes and the middle, and its structure."""

    mesh: fem.Mesh
    structure: fem.Structure
    axis: np.ndarray  # axis of the eyes in the base of the mesh
    source: str


def default_mesh() -> Path:
    """Return the path of the mesh that is part of flexbody, from the installed package or from a checkout."""
    installed = Path(str(resources.files("flexbody"))) / "data" / "conrod.msh"
    checkout = Path(__file__).resolve().parents[2] / "meshes" / "conrod.msh"
    for path in (installed, checkout):
        if path.is_file():
            return path
    raise FileError(
        f"the mesh of the demo is missing: neither {installed} nor {checkout} exists; reinstall flexbody"
    )


def rod_of(
    mesh: fem.Mesh,
    big_end: str | None = None,
    small_end: str | None = None,
    material: fem.Isotropic | None = None,
) -> Rod:
    """Find the eyes and the middle of a connecting rod, and assemble it.

    Parameters
    ----------
    mesh : fem.Mesh
        The mesh.
    big_end, small_end : str, optional
        Name of a node set, or a point "x,y,z" (m) near the eye. By default node sets of these names, or the two largest
        parallel holes.
    material : fem.Isotropic, optional
        The material; by default that of the mesh file, or steel.

    Raises
    ------
    fem.InputError, fem.MeshError
        If the eyes or the middle are not found.
    """
    mesh = _with_eyes(mesh, dict(zip(EYES, (big_end, small_end), strict=True)))
    source = "given"
    if material is None:
        material, source = (None, "the file's own") if mesh.materials else (STEEL, "steel")
    big, small = (fem.interface(mesh, name).point for name in EYES)
    axis = _eye_axis(mesh, small - big)
    mesh = _with_middle(mesh, big, small)
    return Rod(mesh, fem.assemble(mesh, material), axis, source)


def _with_eyes(mesh: fem.Mesh, given: dict[str, str | None]) -> fem.Mesh:
    """Return the mesh with the node sets of both eyes: named, near given points, or its largest holes."""
    if all(words is None for words in given.values()) and not all(name in mesh.node_sets for name in EYES):
        return _with_largest_holes(mesh)
    for name, words in given.items():
        if words is None and name not in mesh.node_sets:
            raise MeshError(
                f"the {name} is not given; give --{name.replace('_', '-')} too, a node set or a point"
            )
        if words is None or (words == name and name in mesh.node_sets):
            continue
        if words in mesh.node_sets:
            faces = {**mesh.faces, **({name: mesh.faces[words]} if words in mesh.faces else {})}
            mesh = replace(mesh, node_sets={**mesh.node_sets, name: mesh.node_sets[words]}, faces=faces)
        else:
            point = _point(words, mesh)
            holes = find_holes(mesh)
            if not holes:
                raise MeshError(
                    f"mesh {mesh.name!r} has no round holes; name a node set for the {name} instead"
                )
            mesh = with_hole(mesh, name, min(holes, key=lambda hole: np.linalg.norm(hole.center - point)))
    if np.array_equal(mesh.node_sets["big_end"], mesh.node_sets["small_end"]):
        raise MeshError("big_end and small_end are the same eye; give points closer to each eye")
    return mesh


def _with_largest_holes(mesh: fem.Mesh) -> fem.Mesh:
    holes = find_holes(mesh)
    pairs = [
        (a, b)
        for k, a in enumerate(holes)
        for b in holes[k + 1 :]
        if abs(a.axis @ b.axis) > 0.99 and np.linalg.norm(np.cross(a.axis, b.center - a.center)) > a.radius
    ]
    if not pairs:
        raise MeshError(
            f"mesh {mesh.name!r} has no two parallel round holes for the eyes of a connecting rod "
            f"({len(holes)} round holes found), and no node sets {listing(EYES)}; it has "
            f"{listing(mesh.node_sets)}. Name them: --big-end NAME --small-end NAME"
        )
    big, small = max(pairs, key=lambda pair: pair[0].radius + pair[1].radius)
    return with_hole(with_hole(mesh, "big_end", big), "small_end", small)


def _point(words: str, mesh: fem.Mesh) -> np.ndarray:
    try:
        point = np.array([float(word) for word in words.split(",")])
    except ValueError:
        point = np.zeros(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(
            f"{with_match(words, mesh.node_sets)} "
            f"is neither a node set of mesh {mesh.name!r} (it has {listing(mesh.node_sets)}) "
            "nor a point x,y,z"
        )
    return point


def _eye_axis(mesh: fem.Mesh, line: np.ndarray) -> np.ndarray:
    """Return the axis of the eyes (3,): that of a round eye, otherwise the direction in which the rod is thinnest."""
    axis = np.linalg.eigh(np.cov(mesh.points.T))[1][:, 0]
    for name in EYES:
        try:
            axis = hole_of(mesh, name).axis
            break
        except MeshError:
            continue
    e = line / np.linalg.norm(line)
    if abs(axis @ e) > 0.5:
        raise MeshError(
            "the line between the two eyes is parallel to their axis, which is not possible for a connecting rod; "
            "choose other eyes"
        )
    return axis / np.linalg.norm(axis)


def _with_middle(mesh: fem.Mesh, big: np.ndarray, small: np.ndarray) -> fem.Mesh:
    """Return the mesh with a node set "middle": from the file, otherwise nodes near the section half-way."""
    for name in MIDDLES:
        if name in mesh.node_sets:
            if name == "middle":
                return mesh
            return replace(mesh, node_sets={**mesh.node_sets, "middle": mesh.node_sets[name]})
    length = float(np.linalg.norm(small - big))
    for share in (1e-6, 0.005, 0.01, 0.02, 0.04, 0.08):
        try:
            found = mesh.select("middle", plane=((big + small) / 2, small - big), tol=share * length)
        except MeshError:
            continue
        if len(found.node_sets["middle"]) >= 8:
            return found
    raise MeshError(
        f"mesh {mesh.name!r} has no nodes near the middle between its eyes; define a node set 'middle'"
    )
