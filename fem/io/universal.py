"""What a universal file of I-deas (``.unv``) says beside its nodes, elements and groups, which gmsh reads.

Datasets: 164 units, 2411 nodes, 2412 elements, 2420 coordinate systems, 2429, 2430, 2432, 2435, 2452, 2467, 2477
groups. Universal file formats, Structural Dynamics Research Laboratory, University of Cincinnati.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..common.errors import FileError
from .raw import RawMesh
from .units import units_of

#: datasets that gmsh reads, and that say nothing of the mesh
_READ = {2411, 781, 15, 2412, 780, 2429, 2430, 2432, 2435, 2452, 2467, 2477}
_SILENT = {151, 164, 2420}
#: length in m of the units of dataset 164, and what is asked for such files
_LENGTHS = {1: (1.0, "SI"), 3: (1.0, "SI"), 2: (0.3048, ""), 4: (0.3048, ""), 5: (1e-3, "mm"), 6: (1e-2, ""),
            7: (0.0254, "inch"), 8: (1e-3, "mm"), 10: (1e-3, "mm")}  # fmt: skip


def check_universal(path: Path, raw: RawMesh, units: str) -> None:
    """Note the datasets that are not read and units that don't fit.

    :class:`FileError` for nodes in a system that is not the global one, which gmsh reads as if they were.
    """
    lines = path.read_bytes().decode("latin-1").splitlines()
    systems: dict[int, str] = {}
    used: dict[int, int] = {}
    for number, first, last in _datasets(lines):
        body = lines[first:last]
        if number == 164:
            _tell_units(raw, body, units)
        elif number == 2420:
            systems |= _systems(body)
        elif number in (2411, 781):
            for k in range(0, len(body), 2):
                used.setdefault(int(body[k].split()[1]), first + k + 1)
        elif number not in _READ | _SILENT:
            raw.left_out.add(f"dataset {number}", "nodes, elements and groups are read", str(first))
    for system, line in used.items():
        if system in systems:
            raise FileError(
                f"{path}, line {line}: nodes stand in the coordinate system {system}, which is {systems[system]}; let "
                "the program that made the file write them in the global system"
            )


def _datasets(lines: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield number, first and last line (from 0) of the content of each dataset."""
    start = None
    for k, line in enumerate(lines):
        if line.strip() != "-1":
            continue
        if start is None:
            start = k
        else:
            words = lines[start + 1].split() if start + 1 < k else []
            if words and words[0].rstrip("b").isdecimal():
                yield int(words[0].rstrip("b")), start + 2, k
            start = None


def _tell_units(raw: RawMesh, body: list[str], units: str) -> None:
    code = body[0][:10].strip() if body else ""  # ten columns, then the name of the units
    length, name = _LENGTHS.get(int(code), (0.0, "")) if code.isdecimal() else (0.0, "")
    if length and not np.isclose(length, units_of(units).length):
        mend = f"units={name!r} would be right" if name else "scale the points of the mesh"
        raw.doubts.append(f"the file says that its unit of length is {length:g} m; {mend}")


def _systems(body: list[str]) -> dict[int, str]:
    """Return, in words, the coordinate systems that differ from the global one."""
    found = {}
    for k in range(2, len(body) - 5, 6):  # label, kind, colour; name; axes and origin in four rows
        label, kind = (int(word) for word in body[k].split()[:2])
        rows = [[float(word.replace("D", "E")) for word in row.split()] for row in body[k + 2 : k + 6]]
        if kind:
            found[label] = "cylindrical" if kind == 1 else "spherical"
        elif np.abs(np.array(rows) - np.vstack([np.eye(3), np.zeros(3)])).max() > 1e-12:
            found[label] = "turned or shifted"
    return found
