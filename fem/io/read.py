"""Reading a mesh file by its ending."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..common.errors import FileError, InputError
from ..mesh.mesh import Mesh
from .abaqus.parse import read_abaqus
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


def read_mesh(path: str | os.PathLike, units: str = "SI", elements: Sequence[str] = ()) -> Mesh:
    """Read a mesh of solids, shells, beams and trusses.

    Solids: tetrahedra of 4 or 10 nodes, hexahedra of 8, 20 or 27, wedges of 6 or 15, pyramids of 5; shells:
    triangles of 3 and quadrilaterals of 4; beams and trusses: lines of 2, trusses also of 3.

    Formats by the file's ending: gmsh ``.msh`` (physical groups of points, lines, surfaces and volumes become
    node sets, surfaces keep their faces, groups of elements become element sets too), ``.vtu``/``.vtk`` (point
    data of only 0 and 1 become node sets), Abaqus ``.inp`` (node and element sets, materials). Nodes that belong
    to no element are dropped.

    Which surfaces and lines are elements? In Abaqus files the element types say so. In the others the cells of the
    highest dimension are: where there are solids, surfaces and lines only make sets; where there are none, surfaces
    are shells; where there are only lines, they are beams or trusses. ``elements`` names physical groups of a gmsh
    file that are elements beside these, as in ``elements=("skin", "stringers")`` for the skin of a solid and
    stiffeners on a shell; they become element sets of that name too.

    What the elements are made of (:class:`fem.Solid`, Shell, Beam, Truss) is said at :func:`fem.assemble`, by
    element set or kind; thicknesses and beam sections of Abaqus files are not read.

    ``units`` of the file: ``"SI"`` or ``"m"``; ``"mm"`` (N, mm, t, MPa); ``"mm-kg"`` (kN, mm, kg, ms, GPa);
    ``"inch"`` (lbf, in, s). Coordinates, moduli and densities of the file are scaled to SI by it.

    Raises :class:`FileError` for a file that is missing, damaged, of another format or with elements that are not
    supported, :class:`MeshError` for one without elements, and :class:`InputError` for unknown ``elements``.
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
    elements = (elements,) if isinstance(elements, str) else tuple(elements)
    if elements and ending in (".inp", *FORMATS):
        why = "its element types say what they are" if ending == ".inp" else "it has no named groups of cells"
        raise InputError(f"elements= names physical groups of a gmsh file; {path} is none: {why}")
    if ending == ".inp":
        raw = read_abaqus(path)
    elif ending == ".msh":
        raw = read_gmsh(path, elements)
    elif ending in FORMATS:
        raw = read_with_meshio(path)
    else:
        hint = _HINTS.get(ending, "convert it with gmsh or meshio")
        raise FileError(
            f"{path}: the format {ending or 'without an ending'!r} is not one of {_KNOWN}; {hint}"
        )
    refuse_unsupported(path, raw.refused)
    return build(raw, path, units)
