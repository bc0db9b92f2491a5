"""Geometries of CAD programs and meshes of other formats, meshed or converted by gmsh in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ..common.errors import FileError, InputError, warn
from .cad_text import check_geometry_text, lost_entities
from .gmsh import read_gmsh
from .med import add_med_groups, turn_mirrored
from .med_check import check_med
from .raw import RawMesh
from .units import units_of
from .universal import check_universal

#: what installs the system's libraries that gmsh's wheel needs, on Debian and Ubuntu
SYSTEM_LIBRARIES = (
    "apt-get install libglu1-mesa libxcursor1 libxinerama1 libxft2 libxrender1 libxfixes3 libfontconfig1"
)
#: endings of geometries
GEOMETRIES = (".step", ".stp", ".iges", ".igs", ".brep")
#: endings of meshes that gmsh converts
CONVERTED = (".med", ".unv")
#: what the mesher says of a geometry without faces
NO_SHAPES = "it holds neither volumes nor surfaces"
#: seconds that gmsh may take to convert a mesh: at least, and for each byte of its file (12 MB take 5 s)
CONVERSION_SECONDS, SECONDS_PER_BYTE = 60.0, 1e-5


def read_geometry(path: Path, size: float | None, units: str) -> RawMesh:
    """Mesh a geometry with quadratic tetrahedra (triangles if it has no volumes) of about ``size`` (m), and read that.

    Names and colours of faces become node sets, names of volumes element sets. Lengths are those of the file, which
    names its units, in m; InputError if others are asked for. A BREP file does not name its units: it is in ``units``.
    """
    nameless = path.suffix.lower() == ".brep"
    if units not in ("SI", "m") and not nameless:
        raise InputError(
            f"{path} says itself in which units it is, and is read in m; leave units={units!r} out"
        )
    check_geometry_text(path)
    if find_spec("gmsh") is None:
        raise FileError(f"{path} is a geometry; to mesh it, install gmsh: pip install 'flexbody[mesh]'")
    length, lost = units_of(units).length, lost_entities(path)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{path.stem}.msh")
        said = _said(path, target, size or 0.0, length)
        if "error" in said or not target.exists():
            raise _unmeshed(path, said.get("error", "it stopped"), lost, nameless)
        raw = read_gmsh(target, ())
    raw.points = raw.points / length
    if lost:
        warn(
            f"{path} is damaged: {lost}; faces, volumes or names may be missing: compare the mesh with the part"
        )
    if nameless and units == "SI":
        warn(
            f"{path} does not name its units and is read in m: its diagonal is {said['diagonal']:.4g} m; give "
            "units='mm' or units='m'"
        )
    if not said["volumes"]:
        warn(f"{path} holds surfaces that close to no volume: they are meshed as shells")
    if size is not None and size > said["diagonal"]:
        warn(
            f"{path}: size={size:.4g} m is more than the diagonal of the part, {said['diagonal']:.4g} m; give the size "
            f"of the elements in m, {size / 1000:.4g} if it was meant in mm"
        )
    if size is None:
        warn(
            f"{path}: meshed with elements of {said['size']:.3g} m, a fortieth of its diagonal of "
            f"{said['diagonal']:.4g} m; give size= in m"
        )
    return raw


def _unmeshed(path: Path, error: str, lost: str, nameless: bool) -> FileError:
    """Return the error of a geometry that is not read, holds nothing, or is not meshed; ``lost`` is missing in it."""
    repair = "repair the geometry in the program that made it, or write it as STEP"
    if lost or not error or error.startswith("Could not read file"):
        why = lost or f"it begins and ends as a {path.suffix} file does, and what is between can't be read"
        return FileError(f"{path} is damaged: {why}; write it again in the program that made it")
    if error == NO_SHAPES:
        return FileError(f"{path} holds neither volumes nor surfaces that could be meshed; {repair}")
    more = ", or give units='mm', which a BREP file does not name" if nameless else ""
    return FileError(f"gmsh can't mesh {path}: {error}; try another size=, or {repair}{more}")


def read_converted(path: Path, elements: Sequence[str], units: str) -> RawMesh:
    """Read a mesh of Salome (``.med``) or in I-deas' universal format (``.unv``), which gmsh converts.

    Groups become node sets and element sets as those of a gmsh file; groups of nodes of a MED file too.
    """
    doubts = check_med(path) if path.suffix.lower() == ".med" else []
    if find_spec("gmsh") is None:
        raise FileError(f"{path} is read by gmsh, which is not installed: pip install 'flexbody[mesh]'")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{path.stem}.msh")
        patience = CONVERSION_SECONDS + SECONDS_PER_BYTE * path.stat().st_size
        said = _said(path, target, 0.0, 1.0, patience)
        if "error" in said or not target.exists():
            raise FileError(
                f"gmsh can't read {path}: {said.get('error', 'it stopped')}; write the file again, or as another format"
            )
        raw = read_gmsh(target, elements)
    raw.node_sets = {name.strip(): nodes for name, nodes in raw.node_sets.items()}
    raw.element_sets = {name.strip(): members for name, members in raw.element_sets.items()}
    raw.faces = {name.strip(): blocks for name, blocks in raw.faces.items()}
    raw.doubts += doubts
    if path.suffix.lower() == ".med":
        add_med_groups(path, raw)
        turn_mirrored(path, raw)
    else:
        try:
            check_universal(path, raw, units)
        except FileError:
            raise
        except (ValueError, IndexError) as error:
            raise FileError(f"{path} is damaged: {error}; write it again") from None
    return raw


def _said(path: Path, target: Path, size: float, length: float, patience: float | None = None) -> dict:
    """Return what the mesher says; FileError if gmsh can't be loaded. ``patience``: seconds that it may take."""
    said = _run(path, target, size, length, patience)
    if "shared object file" in said.get("error", ""):
        raise FileError(f"gmsh can't be loaded: {said['error']}; install it: {SYSTEM_LIBRARIES}")
    return said


def _run(path: Path, target: Path, size: float, length: float, patience: float | None) -> dict:
    """Return what the mesher says, {"error": ...} if it fails or takes longer than ``patience`` (s)."""
    folders = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
    command = [
        sys.executable,
        "-m",
        f"{__package__}.mesher",
        str(path),
        str(target),
        repr(size),
        repr(length),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"error": f"it has not come to an end in {patience:.0f} s, as with a damaged file"}
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        return {"error": last}
