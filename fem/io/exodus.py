"""Files of Exodus II (Cubit, MOOSE, Sierra): netCDF by scipy, or HDF5.

meshio (5.3.5) needs netCDF4 for them, and loses the names of blocks, sets of sides and the order of middle nodes.
Format: Schoof, Yarberry, EXODUS II: A finite element data model, SAND92-2137.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from ..common.errors import FileError
from ..elements import SHAPES
from ..mesh.block import Block
from .raw import RawMesh

ENDINGS = (".e", ".exo", ".ex2")
_SURFACES = {3: "tri3", 4: "quad4", 6: "tri6", 8: "quad8", 9: "quad9"}
_LINES = {2: "line2", 3: "line3"}
#: beginnings of the names of element types, and the kinds by their number of nodes
_KINDS: dict[str, dict[int, str]] = {
    "HEX": {8: "hex8", 20: "hex20"},
    "TET": {4: "tet4", 10: "tet10"},
    "WED": {6: "wedge6", 15: "wedge15"},
    "PYR": {5: "pyramid5", 13: "pyramid13"},
    "SHE": _SURFACES,
    "QUA": _SURFACES,
    "TRI": {3: "tri3", 6: "tri6"},
    "BAR": _LINES,
    "BEA": _LINES,
    "TRU": _LINES,
    "EDG": _LINES,
}
#: our node k is Exodus' node ORDERS[k]: it has the middles of upright edges before those of the upper face
_ORDERS = {
    "hex20": [*range(12), 16, 17, 18, 19, 12, 13, 14, 15],
    "wedge15": [*range(9), 12, 13, 14, 9, 10, 11],
}
#: corners of the sides 1, 2, ... of solids, by their number of corners (figures of the manual)
_SIDES = {
    8: ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7)),
    4: ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
    6: ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
    5: ((0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 3), (0, 3, 2, 1)),
}


class _File(NamedTuple):
    """Variables by name, and the element types of the blocks by the name of their nodes."""

    arrays: Mapping[str, np.ndarray]
    types: Mapping[str, str]


def read_exodus(path: Path) -> RawMesh:
    """Read nodes, blocks, sets of nodes and of sides; :class:`FileError` for a damaged or another file."""
    try:
        return _raw(path, _open(path))
    except FileError:
        raise
    except Exception as error:  # of the libraries and of a file that was cut off
        what = f"{type(error).__name__}: {error}"
        raise FileError(f"{path} is no Exodus file, or is damaged ({what}); write it again") from None


def _open(path: Path) -> _File:
    with path.open("rb") as file:
        start = file.read(4)
    if start[:3] == b"CDF":
        with scipy.io.netcdf_file(path, "r", mmap=False) as found:
            arrays = {name: np.array(its[:]) for name, its in found.variables.items()}
            types = {name: getattr(its, "elem_type", b"") for name, its in found.variables.items()}
        return _File(arrays, {name: _text(its) for name, its in types.items()})
    if start == b"\x89HDF":
        import h5py

        with h5py.File(path, "r") as found:
            arrays = {name: np.array(its) for name, its in found.items() if isinstance(its, h5py.Dataset)}
            types = {name: found[name].attrs.get("elem_type", b"") for name in arrays}
        return _File(arrays, {name: _text(its) for name, its in types.items()})
    raise FileError(f"{path} is no Exodus file: it is neither netCDF nor HDF5")


def _text(value: object) -> str:
    """Return a text of bytes, or of an array of single characters."""
    if isinstance(value, np.ndarray):
        value = b"".join(np.atleast_1d(value).astype("S1").tolist())
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return text.split("\0")[0].strip()


def _points(file: _File) -> np.ndarray:
    """Return positions (n, 3)."""
    if "coord" in file.arrays:
        x = file.arrays["coord"].T
    else:
        x = np.column_stack(
            [file.arrays[name] for name in ("coordx", "coordy", "coordz") if name in file.arrays]
        )
    points = np.zeros((len(x), 3))
    points[:, : x.shape[1]] = x
    return points


def _names(file: _File, kind: str, count: int, what: str) -> list[str]:
    """Return the names of blocks (eb), sets of nodes (ns) or of sides (ss); their numbers where they have none."""
    given = file.arrays.get(f"{kind}_names", np.empty((0, 0)))
    numbers = file.arrays.get(f"{kind}_prop1", np.arange(1, count + 1))
    named = [_text(row) for row in given] + [""] * count
    return [name or f"{what} {number}" for name, number in zip(named, numbers.tolist(), strict=False)]


def _raw(path: Path, file: _File) -> RawMesh:
    points = _points(file)
    ids = file.arrays.get("node_num_map", np.arange(1, len(points) + 1)).astype(np.int64)
    raw = RawMesh(points, [], node_ids=ids)
    count = sum(name.startswith("connect") for name in file.arrays)
    numbers = file.arrays.get("elem_num_map", file.arrays.get("elem_map"))
    places: list[tuple[str, np.ndarray]] = []  # kind and nodes of each block, in the order of the file
    start = 0
    for k, name in enumerate(_names(file, "eb", count, "block"), start=1):
        nodes = file.arrays[f"connect{k}"].astype(np.int64) - 1
        word = file.types[f"connect{k}"]
        kind = _KINDS.get(word.upper()[:3], {}).get(nodes.shape[1])
        if kind is None:
            its = f"{word or 'elements'} of {nodes.shape[1]} nodes"
            raw.refused[3, its] = raw.refused.get((3, its), 0) + len(nodes)
            continue
        own = (
            np.arange(start, start + len(nodes)) + 1
            if numbers is None
            else numbers[start : start + len(nodes)]
        )
        if (lost := (nodes < 0) | (nodes >= len(points))).any():
            row, column = np.argwhere(lost)[0]
            raise FileError(
                f"{path} is damaged: {kind} element {own[row]} uses node {nodes[row, column] + 1}, and the file holds "
                f"nodes 1 to {len(points)}; write it again"
            )
        block = Block(kind, nodes[:, _ORDERS.get(kind, slice(None))], own)
        raw.element_sets[name] = np.arange(start, start + len(nodes))
        raw.blocks.append(block)
        places.append((kind, block.nodes))
        start += len(nodes)
    for kind, what in (("ns", "node set"), ("ss", "side set")):
        members = sum(name.startswith(f"{'node_ns' if kind == 'ns' else 'side_ss'}") for name in file.arrays)
        for k, name in enumerate(_names(file, kind, members, what), start=1):
            if kind == "ns" and f"node_ns{k}" in file.arrays:
                numbers = file.arrays[f"node_ns{k}"].astype(np.int64)
                _check_members(path, f"node set {name!r} holds node", numbers, len(points))
                raw.node_sets[name] = numbers - 1
            elif kind == "ss" and f"side_ss{k}" in file.arrays and not raw.refused:
                elements = file.arrays[f"elem_ss{k}"].astype(np.int64)
                _check_members(path, f"side set {name!r} holds sides of element", elements, start)
                _check_members(path, f"side set {name!r} holds side", file.arrays[f"side_ss{k}"], 6)
                _sides(raw, places, name, elements - 1, file.arrays[f"side_ss{k}"])
    return raw


def _check_members(path: Path, what: str, numbers: np.ndarray, count: int) -> None:
    """Raise FileError unless all numbers lie between 1 and a count."""
    wrong = numbers[(numbers < 1) | (numbers > count)]
    if len(wrong):
        raise FileError(f"{path} is damaged: {what} {wrong[0]}, and there are 1 to {count}; write it again")


def _sides(
    raw: RawMesh, blocks: list[tuple[str, np.ndarray]], name: str, elements: np.ndarray, sides: np.ndarray
) -> None:
    """Add a set of sides of solids and shells as a node set with faces."""
    found: dict[str, list[np.ndarray]] = {}
    start = 0
    for kind, nodes in blocks:
        mine = (elements >= start) & (elements < start + len(nodes))
        element = SHAPES[kind]
        for side in np.unique(sides[mine]).tolist():
            rows = elements[mine & (sides == side)] - start
            if element.dim == 3:
                corners = set(_SIDES[element.n_corners][side - 1])
                which = next(f for f, face in enumerate(element.faces) if corners <= set(face))
                found.setdefault(element.face_kinds[which], []).append(nodes[rows][:, element.faces[which]])
            elif element.dim == 2 and side < 3:  # the upper and the lower face
                found.setdefault(kind, []).append(nodes[rows])
            else:
                raw.left_out.add(f"sides of {name!r}", "edges have no faces", count=len(rows))
        start += len(nodes)
    if found:
        name = name if name not in raw.node_sets else f"{name} (sides)"
        raw.faces[name] = [Block(kind, np.vstack(parts)) for kind, parts in found.items()]
        raw.node_sets[name] = np.unique(
            np.concatenate([p.ravel() for parts in found.values() for p in parts])
        )
