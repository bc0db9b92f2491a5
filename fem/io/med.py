"""What gmsh leaves out of Salome's meshes: groups of nodes; and elements in the node order of another program.

MED file format (Salome): HDF5 with meshes in ENS_MAA, whose steps hold the nodes in NOE (coordinates COO, components
one after the other; family FAM and number NUM of each), and families in FAS, whose groups are named in GRO/NOM.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..common.errors import FileError, warn
from ..elements import ELEMENTS
from ..mesh.block import Block
from ..mesh.mesh import Mesh
from .raw import RawMesh


def add_med_groups(path: Path, raw: RawMesh) -> None:
    """Add the groups of nodes to what gmsh has converted; FileError if they can't be read."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            for name, mesh in file["ENS_MAA"].items():
                nodes = mesh[next(iter(mesh))]["NOE"]
                families = file["FAS"][name].get("NOEUD", {}) if name in file.get("FAS", {}) else {}
                if "FAM" in nodes and families:
                    _add(raw, nodes, families, f"{path}, mesh {name!r}")
    except FileError:
        raise
    except Exception as error:  # of the library and of a file that was cut off
        what = f"{type(error).__name__}: {error}"
        raise FileError(f"{path}: its groups of nodes can't be read ({what}); write the file again") from None


def _add(raw: RawMesh, nodes: Any, families: Any, where: str) -> None:
    member = np.array(nodes["FAM"])
    x = np.array(nodes["COO"]).reshape(len(member), -1, order="F")
    ids = np.array(nodes["NUM"]) if "NUM" in nodes else np.arange(1, len(member) + 1)
    own = raw.node_ids if len(raw.node_ids) else np.arange(1, len(raw.points) + 1)
    place = {int(number): k for k, number in enumerate(own)}
    for called, family in families.items():
        chosen = np.flatnonzero(member == family.attrs["NUM"])
        rows = [(k, place[int(ids[k])]) for k in chosen if int(ids[k]) in place]
        found = np.array(rows, dtype=np.int64).reshape(-1, 2)
        if not np.allclose(x[found[:, 0]], raw.points[found[:, 1], : x.shape[1]]):
            raise FileError(
                f"{where}, family {called!r}: gmsh has read its nodes at other places; write the file again"
            )
        for name in family["GRO"]["NOM"] if "GRO" in family else ():
            key = bytes(np.array(name, dtype=np.uint8)).split(b"\0")[0].decode("utf-8", "replace").strip()
            raw.node_sets[key] = np.union1d(raw.node_sets.get(key, np.empty(0, np.int64)), found[:, 1])


def turn_mirrored(path: Path, raw: RawMesh) -> None:
    """Reverse all solids where they are inverted: meshio writes the node order of VTK, which is not that of MED."""
    solids = [block for block in raw.blocks if block.element in ELEMENTS]
    if not solids or not Mesh(raw.points, tuple(solids)).volume < 0:
        return
    raw.blocks = [_reversed(block) if block.element in ELEMENTS else block for block in raw.blocks]
    warn(
        f"{path}: all solids were inverted, and their nodes are read in the opposite order, as meshio writes them"
    )


def _reversed(block: Block) -> Block:
    """Return elements whose first two natural coordinates are exchanged."""
    x = ELEMENTS[block.element].nodes
    other = [int(np.argmin(np.linalg.norm(x - point, axis=1))) for point in x[:, [1, 0, 2]]]
    return Block(block.element, block.nodes[:, other], block.ids)
