"""Reading a mesh file by its ending."""

from __future__ import annotations

import os
from pathlib import Path

from ..common.errors import FileError
from ..mesh import Mesh
from .abaqus import read_abaqus
from .gmsh import read_gmsh
from .meshio import FORMATS, read_with_meshio
from .raw import build, refuse_unsupported
from .units import units_of

_KNOWN = "gmsh (.msh, 2.2 and 4.1), VTK (.vtu, .vtk) and Abaqus (.inp)"
_HINTS = {
    ".bdf": "Nastran bulk data is not read yet; gmsh can convert it: gmsh FILE.bdf -0 -o FILE.msh",
    ".step": "this is a geometry, not a mesh; mesh it first, for example: gmsh FILE -3 -order 2 -o FILE.msh",
    ".stl": "this is a surface, not a mesh of solids; mesh its volume first, for example with gmsh",
}
_HINTS |= {".nas": _HINTS[".bdf"], ".fem": _HINTS[".bdf"], ".dat": _HINTS[".bdf"]}
_HINTS |= {ending: _HINTS[".step"] for ending in (".stp", ".iges", ".igs", ".brep", ".geo")}
# solids that would be lost silently: in gmsh's names, then in meshio's
_REFUSED = frozenset(
    (
        *("wedge6", "wedge15", "wedge18", "pyramid5", "pyramid13", "pyramid14", "hex27"),
        *("wedge", "pyramid", "hexahedron24", "hexahedron27", "polyhedron"),
        *("VTK_LAGRANGE_TETRAHEDRON", "VTK_LAGRANGE_HEXAHEDRON", "VTK_LAGRANGE_WEDGE"),
    )
)
_MEND = (
    "mesh with tetrahedra of 4 or 10 nodes or hexahedra of 8 or 20 (in gmsh Mesh.SecondOrderIncomplete = 1 "
    "makes hexahedra of 20 nodes)"
)


def read_mesh(path: str | os.PathLike, units: str = "SI") -> Mesh:
    """Read a mesh of solids: tetrahedra of 4 or 10 nodes, hexahedra of 8 or 20.

    Formats by the file's ending: gmsh ``.msh`` (physical groups of points, lines, surfaces and volumes become
    node sets, surfaces keep their faces, volumes become element sets too), ``.vtu``/``.vtk`` (point data of
    only 0 and 1 become node sets), Abaqus ``.inp`` (node and element sets, materials). Nodes that belong to
    no solid are dropped.

    ``units`` of the file: ``"SI"`` or ``"m"``; ``"mm"`` (N, mm, t, MPa); ``"mm-kg"`` (kN, mm, kg, ms, GPa);
    ``"inch"`` (lbf, in, s). Coordinates, moduli and densities of the file are scaled to SI by it.

    Raises :class:`FileError` for a file that is missing, damaged or of another format, and :class:`MeshError`
    for one without solids.
    """
    path = Path(path)
    units_of(units)
    if not path.exists():
        raise FileError(
            f"there is no file {path}" + ("" if path.parent.is_dir() else f", nor a folder {path.parent}")
        )
    if path.is_dir():
        raise FileError(f"{path} is a folder, not a mesh file")
    ending = path.suffix.lower()
    if ending == ".inp":
        raw = read_abaqus(path)
    elif ending == ".msh":
        raw = read_gmsh(path)
    elif ending in FORMATS:
        raw = read_with_meshio(path)
    else:
        hint = _HINTS.get(ending, "convert it with gmsh or meshio")
        raise FileError(
            f"{path}: the format {ending or 'without an ending'!r} is not one of {_KNOWN}; {hint}"
        )
    refuse_unsupported(path, raw.other, _REFUSED, _MEND)
    return build(raw, path, units)
