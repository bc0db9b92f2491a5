"""Reader of mesh files; the suffix determines the format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

from ..common.arguments import check_arguments
from ..common.errors import FileError, InputError
from ..common.files import path_of
from ..common.names import as_names
from ..common.values import Positive
from ..mesh.mesh import Mesh
from .abaqus.read import read_abaqus
from .ansys.read import is_ansys, read_ansys
from .cad import CONVERTED, GEOMETRIES, read_converted, read_geometry
from .exodus import ENDINGS as EXODUS
from .exodus import read_exodus
from .gmsh import read_gmsh
from .meshio import FORMATS, read_with_meshio
from .nastran.parse import read_nastran
from .raw import build, refuse_unsupported
from .units import units_of

_KNOWN = (
    "gmsh (.msh, 2.2 and 4.1), VTK (.vtu, .vtk), XDMF (.xdmf), Exodus (.e, .exo), Salome (.med), universal (.unv), "
    "Abaqus (.inp), ANSYS (.cdb) and Nastran (.bdf, .nas, .dat)"
)
#: endings of Nastran's bulk data
_NASTRAN = (".bdf", ".nas", ".dat", ".blk", ".bulk")
_HINTS = {
    ".geo": "this is a script of gmsh; let it mesh: gmsh FILE -3 -order 2 -o FILE.msh",
    ".stl": "this is a surface, not a mesh of solids; mesh its volume first, for example with gmsh",
    ".sid_fem": "this is a reduced body: modal.read_sid reads it",
    ".h5": "if it is a reduced body, modal.load reads it; if it is a result, flexbody.load_result",
} | dict.fromkeys(
    (".mtx", ".sti", ".hb", ".op4", ".op2", ".pch", ".npz", ".full", ".sub"),
    "if it holds matrices, fem.from_matrices reads them, with the positions of the nodes",
)


@check_arguments
def read_mesh(
    path: str | os.PathLike,
    *,
    units: str = "SI",
    elements: str | Sequence[str] = (),
    size: Annotated[float, Positive] | None = None,
    spc: int | None = None,
    mpc: int | None = None,
    nsm: int | None = None,
) -> Mesh:
    """Read a mesh of solids, shells, beams and trusses from a file.

    Parameters
    ----------
    path : str or path
        gmsh ``.msh``, ``.vtu``, ``.vtk`` or ``.xdmf``, Exodus ``.e`` or ``.exo``, Salome ``.med`` and universal
        ``.unv`` (by gmsh), Abaqus ``.inp``, ANSYS ``.cdb``, or Nastran bulk data ``.bdf``, ``.nas`` or ``.dat``; a
        geometry ``.step``, ``.stp``, ``.iges``, ``.igs`` or ``.brep``, which gmsh meshes (extra ``mesh``).
    units : str
        Units of the file: ``"SI"`` or ``"m"``; ``"mm"`` (N, mm, t, MPa); ``"mm-kg"`` (kN, mm, kg, ms, GPa);
        ``"mm-kg-s"`` (mN, mm, kg, s, kPa); ``"inch"`` (lbf, in, s). Coordinates, moduli and densities of the file are
        converted to SI.
    elements : sequence of str
        Physical groups of a gmsh file that are elements in addition to the cells of the highest dimension, as in
        ``elements=("skin", "stringers")`` for the skin of a solid and stiffeners on a shell. They become element sets
        of that name too.
    size : float, m, optional
        Size of the elements in which a geometry is meshed, quadratic tetrahedra; by default a fortieth of its diagonal,
        with a warning. They are smaller at curves.
    spc, mpc, nsm : int, optional
        Sets of supports (SPC, SPCADD), equations (MPC, MPCADD) and nonstructural masses (NSM, NSMADD) of a Nastran deck
        that apply; by default those of the first subcase. Without case control the only set applies.

    Returns
    -------
    Mesh
        The mesh in SI units, without nodes that belong to no element.

    Raises
    ------
    FileError
        The file is missing, damaged, of another format or contains elements that are not supported.
    MeshError
        The file contains no elements.
    InputError
        ``units`` or ``elements`` are unknown.

    Notes
    -----
    Solids: tetrahedra of 4 or 10 nodes, hexahedra of 8, 20 or 27, wedges of 6 or 15, pyramids of 5 or
    13; shells: triangles of 3 or 6 and quadrilaterals of 4, 8 or 9; beams and trusses: lines of 2, trusses also of 3.

    Exodus: blocks become element sets, node sets and side sets node sets, the latter with their faces.

    Formats: gmsh physical groups of points, lines, surfaces and volumes become node sets, surfaces keep their faces,
    and groups of elements become element sets too; point data of VTK and XDMF that contain only 0 and 1 become node
    sets.

    Abaqus and CalculiX files are read whole (:mod:`fem.io.abaqus`), and ``fem.assemble(mesh)`` alone builds what they
    describe: instances where they are placed, sections with their materials, thicknesses, profiles and directions,
    couplings, rigid bodies, equations, ties, masses and springs. Reference nodes are interfaces under their number or
    the name of their set. Steps, loads and requests for results are left out, as ``mesh.report()`` tells.

    Nastran: solids, shells, bars, beams and rods with their properties and materials (PSOLID, PSHELL, PCOMP, PBAR,
    PBARL, PBEAM, PBEAML, PROD; MAT1, MAT8, MAT9), RBE2, RBE3, RBAR, MPC, CONM1, CONM2, CMASS1, CMASS2, CELAS1, CELAS2,
    CBUSH, SPC, NSM, SET, coordinate systems; ``PARAM,WTMASS`` scales all masses. Other elements, properties and
    matrices are refused by name and line. ``fem.assemble(mesh)`` alone builds the structure, and ``mesh.report()``
    tells what was left out. Sections that vary along a PBEAM or PBEAML are taken by their means, with a warning.
    Sections of the library that consist of walls are drawn from them (:func:`fem.DrawnSection`). Bricks of 8 nodes have
    incompatible modes, and mass is consistent, where Nastran lumps it unless ``PARAM,COUPMASS`` is given:
    ``fem.assemble(mesh, lumped=True)``.

    Flat membranes and rods leave nodes without stiffness across. Such a node follows the plane of those around it
    (parts named "loose motion ..."), unless an Abaqus file gives an initial stress: then it is free for
    :func:`fem.preloaded`. For a tension of your own, leave these parts out: ``dataclasses.replace(mesh, parts=())``.

    Directions of a material in a cylindrical or spherical system of the file are, in each element, those at its middle.

    Thicknesses of shells that differ between corners or nodes: each element has their mean, the value at its middle.

    ANSYS archives (:mod:`fem.io.ansys`) and files of Workbench: nodes, elements, components, materials, sections, real
    constants, local systems, constraint equations, coupled sets, pilot nodes, bonded contact and supports; SOLID185 to
    187, SHELL181 and 281, BEAM188, MASS21, COMBIN14.

    Geometries: names of faces (STEP) and colours of faces ("colour #cc1919") become node sets with their faces, names
    of volumes element sets; :meth:`fem.Mesh.select` picks other sets by geometry. STEP and IGES files name their units,
    and are read in m; BREP files are in ``units``. IGES files hold faces, which are sewn to a volume if they close to
    one.

    In Abaqus, Nastran and ANSYS files the element types tell which surfaces and lines are elements. In the other
    formats the cells of the highest dimension are elements: if there are solids, surfaces and lines only make sets;
    without solids, surfaces are shells; if there are only lines, they are beams or trusses.

    Damaged files: what can't be a mesh is an error, such as counts that the file does not hold, nodes that are missing,
    or parts of Abaqus files without an end. A warning names what an Abaqus file that was cut off may lack. These
    formats have no checksums: a file in which a digit has changed, or an Abaqus file that ends between two lines, can
    be read as another mesh.

    Properties that a file lacks (:class:`fem.Solid`, Shell, Beam, Truss) are given to :func:`fem.assemble`, by element
    set or kind.

    Examples
    --------
    >>> import fem, pathlib, tempfile
    >>> text = '''*NODE
    ... 1, 0, 0, 0
    ... 2, 500, 0, 0
    ... 3, 1000, 0, 0
    ... *ELEMENT, TYPE=B31, ELSET=arm
    ... 1, 1, 2
    ... 2, 2, 3
    ... *NSET, NSET=tip
    ... 3
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "arm.inp")
    ...     _ = path.write_text(text)
    ...     fem.read_mesh(path, units="mm")
    <Mesh 'arm': 3 nodes, 2 line2; node sets 'tip'>
    """
    path = path_of(path)
    units_of(units)
    if not path.exists():
        raise FileError(
            f"there is no file {path}" + ("" if path.parent.is_dir() else f", nor a folder {path.parent}")
        )
    if path.is_dir():
        raise FileError(f"{path} is a folder, not a mesh file")
    ending = path.suffix.lower()
    elements = as_names(elements)
    if elements and ending in (".inp", ".cdb", *_NASTRAN, *GEOMETRIES, *FORMATS, *EXODUS):
        why = (
            "its element types say what they are"
            if ending not in FORMATS
            else "it has no named groups of cells"
        )
        raise InputError(f"elements= names physical groups of a gmsh file, which {path} is not: {why}")
    if size is not None and ending not in GEOMETRIES:
        raise InputError(f"size= is for geometries ({', '.join(GEOMETRIES)}), and {path} is a mesh already")
    chosen = {
        name: number for name, number in (("SPC", spc), ("MPC", mpc), ("NSM", nsm)) if number is not None
    }
    if chosen and (ending not in _NASTRAN or (ending == ".dat" and is_ansys(path))):
        raise InputError(f"spc=, mpc= and nsm= choose sets of a Nastran deck, which {path} is not")
    if ending in GEOMETRIES:
        raw = read_geometry(path, size, units)
    elif ending == ".inp":
        raw = read_abaqus(path, units_of(units))
    elif ending == ".cdb" or (ending == ".dat" and is_ansys(path)):
        raw = read_ansys(path, units_of(units))
    elif ending in _NASTRAN:
        raw = read_nastran(path, units_of(units), chosen)
    elif ending == ".msh":
        raw = read_gmsh(path, elements)
    elif ending in EXODUS:
        raw = read_exodus(path)
    elif ending in CONVERTED:
        raw = read_converted(path, elements, units)
    elif ending in FORMATS:
        raw = read_with_meshio(path)
    else:
        hint = _HINTS.get(ending, "convert it with gmsh or meshio")
        raise FileError(
            f"{path}: the format {ending or 'without an ending'!r} is not one of {_KNOWN}; {hint}"
        )
    refuse_unsupported(path, raw.refused)
    return build(raw, path, units)
