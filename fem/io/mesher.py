"""The program that meshes a geometry with gmsh, in a process of its own.

A mesh of another format (``.med``, ``.unv``) is written as it is.
It is called as ``python -m fem.io.mesher GEOMETRY MESH SIZE LENGTH``.

gmsh keeps its state for the whole process and is under the GPL: the library itself never imports it. SIZE in m, 0 for a
fortieth of the geometry's diagonal; LENGTH: the unit of length of a BREP file in m. Writes MESH (gmsh 4.1, binary) and
prints, as JSON, the size and what it found.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import gmsh

from .step_names import coloured, level_of, names_of_faces

#: diagonal of the geometry over the size of elements, where none is given
DEFAULT_DIVISIONS = 40
#: number of elements around a full circle at least
ELEMENTS_AROUND = 12
#: smallest elements, at curves, over the size
SMALLEST_SHARE = 0.1
#: most elements that are tried
ELEMENT_LIMIT = 2e7
#: Open CASCADE reads IGES files in millimetres, whatever their unit
IGES_LENGTH = 1e-3


def mesh_geometry(geometry: str, target: str, size: float, length: float) -> dict[str, object]:
    """Mesh a geometry with quadratic tetrahedra, or triangles if it has no volumes, and return what was found."""
    number = gmsh.option.setNumber
    number("General.Terminal", 0)
    _open(geometry, length)
    if Path(geometry).suffix.lower() == ".geo":
        gmsh.model.geo.synchronize()
    dim = 3 if gmsh.model.getEntities(3) else 2
    if not gmsh.model.getEntities(dim):
        raise ValueError("it holds neither volumes nor surfaces")
    low, high = (gmsh.model.getBoundingBox(-1, -1)[k : k + 3] for k in (0, 3))
    diagonal = sum((b - a) ** 2 for a, b in zip(low, high, strict=True)) ** 0.5
    size = size or diagonal / DEFAULT_DIVISIONS
    _check_size(dim, size)
    named = _group(dim, _names_of_faces(Path(geometry)))
    number("Mesh.MeshSizeMax", size)
    number("Mesh.MeshSizeMin", SMALLEST_SHARE * size)
    number("Mesh.MeshSizeFromCurvature", ELEMENTS_AROUND)
    number("Mesh.ElementOrder", 2)
    number("Mesh.HighOrderOptimize", 2)
    number("Mesh.MshFileVersion", 4.1)
    number("Mesh.Binary", 1)
    gmsh.model.mesh.generate(dim)
    gmsh.write(target)
    return {"size": size, "diagonal": diagonal, "volumes": len(gmsh.model.getEntities(3)), "sets": named}


def convert(mesh: str, target: str) -> dict[str, object]:
    """Write a mesh of another format as one of gmsh."""
    number = gmsh.option.setNumber
    number("General.Terminal", 0)
    gmsh.open(mesh)
    if not len(gmsh.model.mesh.getNodes()[0]):
        raise ValueError(gmsh.logger.getLastError() or "it holds no nodes")
    number("Mesh.MshFileVersion", 4.1)
    number("Mesh.Binary", 1)
    number("Mesh.SaveAll", 1)
    gmsh.write(target)
    return {}


def _open(geometry: str, length: float) -> None:
    """Open a geometry in m: STEP and IGES files name their units, BREP files don't."""
    number, kind = gmsh.option.setNumber, Path(geometry).suffix.lower()
    number("Geometry.OCCImportLabels", 1)
    if kind in (".igs", ".iges"):  # faces alone, which may close to a volume
        number("Geometry.OCCScaling", IGES_LENGTH)
        number("Geometry.OCCSewFaces", 1)
        number("Geometry.OCCMakeSolids", 1)
    elif kind == ".brep":
        number("Geometry.OCCScaling", length)
    else:
        gmsh.option.setString("Geometry.OCCTargetUnit", "M")
    gmsh.open(geometry)


def _check_size(dim: int, size: float) -> None:
    """Raise ValueError for far too many elements: equilateral ones of the size would fill the volumes or surfaces."""
    if not gmsh.model.occ.getEntities(dim):
        return
    whole = sum(gmsh.model.occ.getMass(dim, tag) for dim, tag in gmsh.model.occ.getEntities(dim))
    count = whole / (size**3 / 72**0.5 if dim == 3 else size**2 * 3**0.5 / 4)
    if count > ELEMENT_LIMIT:
        raise ValueError(
            f"elements of {size:.4g} m would be about {count:.2g}, for {whole:.4g} m^{dim}; give a larger size=, in m"
        )


def _names_of_faces(path: Path) -> dict[int, str]:
    """Return tag -> name of the faces that a STEP file names; the model of this file stays the current one."""
    if path.suffix.lower() not in (".step", ".stp"):
        return {}
    text = path.read_text(encoding="latin-1")
    if not (names := names_of_faces(text)):
        return {}
    faces, current = gmsh.model.getEntities(2), gmsh.model.getCurrent()
    own = [gmsh.model.getColor(*face)[:3] for face in faces]
    text, name_of = coloured(text, names, own)
    found: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "names.step")
        copy.write_text(text, encoding="latin-1")
        gmsh.open(str(copy))
    if gmsh.model.getEntities(2) == faces:
        levels = {tag: level_of(gmsh.model.getColor(2, tag)[:3]) for _, tag in faces}
        found = {tag: name_of[level] for tag, level in levels.items() if level in name_of}
    gmsh.model.remove()
    gmsh.model.setCurrent(current)
    return found


def _group(dim: int, names: dict[int, str]) -> list[str]:
    """Make a physical group of all elements, and one of each name and colour of surfaces and volumes.

    ``names``: tag -> name of faces.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    for entity, tag in [*gmsh.model.getEntities(2), *(gmsh.model.getEntities(3) if dim == 3 else [])]:
        name = gmsh.model.getEntityName(entity, tag).rsplit("/", 1)[-1].strip()
        name = names.get(tag, name) if entity == 2 else name
        if name:
            groups.setdefault((entity, name), []).append(tag)
        colour = gmsh.model.getColor(entity, tag)
        if entity == 2 and colour[3]:  # transparent: none is given
            groups.setdefault((2, "colour #{:02x}{:02x}{:02x}".format(*colour[:3])), []).append(tag)
    every = [tag for _, tag in gmsh.model.getEntities(dim)]
    groups = {key: tags for key, tags in groups.items() if not (key[0] == dim and len(tags) == len(every))}
    names = [name for _, name in groups]
    whole = "part"
    while whole in names:
        whole += " "
    for (entity, name), tags in {(dim, whole): every, **groups}.items():
        gmsh.model.addPhysicalGroup(entity, tags, name=name)
    return names


def main(arguments: list[str]) -> int:
    """Mesh a geometry; return 1 after an error, which is printed as JSON."""
    geometry, target, size, length = arguments
    gmsh.initialize(["gmsh", "-v", "0"], readConfigFiles=False, interruptible=False)
    try:
        if Path(geometry).suffix.lower() in (".med", ".unv"):
            said: dict[str, object] = convert(geometry, target)
        else:
            said = mesh_geometry(geometry, target, float(size), float(length))
    except Exception as error:
        said = {"error": str(error) or gmsh.logger.getLastError()}
    finally:
        gmsh.finalize()
    sys.stdout.write(json.dumps(said) + "\n")
    return 1 if "error" in said else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
