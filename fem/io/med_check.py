"""What is wrong with a MED file, by its meshes, families and groups: it is binary and has no lines.

Layout: see :mod:`fem.io.med`; elements in MAI/TE4 and so on (NOD: numbers of their nodes from 1, one node of all
elements after the other), families of elements in FAS/ELEME.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..common.errors import FileError, listing

#: elements of a fixed number of nodes: "TE4", "H20"; polygons ("POG", "PG2") have none
_FIXED = re.compile(r"(?!PG)[A-Z]+(\d+)")


def check_med(path: Path) -> list[str]:
    """Raise :class:`FileError` with mesh, family or group if a MED file is damaged; return what is doubtful in it."""
    import h5py

    try:
        file = h5py.File(path, "r")
    except OSError:
        raise FileError(
            f"{path} is not a MED file, which is of HDF5, or it was cut off; write it again, or copy it whole"
        ) from None
    doubts: list[str] = []
    with file:
        names = list(file.get("ENS_MAA", ()))
        if not names:
            raise FileError(f"{path} holds no mesh (ENS_MAA); write it again, with the mesh")
        for name in names:
            where = f"{path}, mesh {name!r}"
            try:
                faults = list(_faults(file, name, doubts))
            except Exception as error:  # of the library, at what a damaged file holds
                raise FileError(f"{where}: it can't be read ({error}); write the file again") from None
            if faults:
                more = f"; and {len(faults) - 1} more of this kind" if len(faults) > 1 else ""
                raise FileError(f"{where}{faults[0]}{more}; write the file again")
    if len(names) > 1:
        raise FileError(
            f"{path} holds {len(names)} meshes, {listing(names)}, and one can be read; write each to a file of its own"
        )
    return doubts


def _faults(file: Any, name: str, doubts: list[str]) -> Iterator[str]:
    """Yield what is wrong in a mesh, as the end of a sentence; add what is doubtful."""
    mesh = file["ENS_MAA"][name]
    steps = list(mesh)
    if not steps or "NOE" not in mesh[steps[0]] or "COO" not in mesh[steps[0]]["NOE"]:
        yield ": it has no nodes (NOE/COO)"
        return
    step = mesh[steps[0]]
    x, dimension = np.array(step["NOE"]["COO"]), int(mesh.attrs.get("ESP", 3))
    if x.size % dimension:
        yield f": {x.size} coordinates are not those of nodes in {dimension} dimensions"
        return
    n = x.size // dimension
    if len(bad := np.flatnonzero(~np.isfinite(x.reshape(dimension, n)).all(axis=0))):
        yield f": the coordinates of {len(bad)} nodes are not finite, the first is node {bad[0] + 1} of {n}"
    used = {"NOEUD": _families_of(step["NOE"], n)}
    if used["NOEUD"] is None:
        yield f": its {n} nodes have {len(step['NOE']['FAM'])} numbers of families"
    for kind, elements in step.get("MAI", {}).items():
        fixed = _FIXED.fullmatch(kind)
        if fixed is None or "NOD" not in elements:
            continue
        nodes = np.array(elements["NOD"])
        count, rest = divmod(nodes.size, int(fixed[1]))
        if rest:
            yield f": {nodes.size} nodes are not those of {kind} elements, which have {fixed[1]} each"
            continue
        if len(bad := np.flatnonzero((nodes < 1) | (nodes > n))):
            which = f"{kind} element {bad[0] % count + 1} of {count}"
            yield f": the {which} has the node {nodes[bad[0]]}, and there are nodes 1 to {n}"
        found = _families_of(elements, count)
        if found is None:
            yield f": its {count} {kind} elements have {len(elements['FAM'])} numbers of families"
        else:
            used["ELEME"] = (used.get("ELEME") or set()) | found
    for what, words in (("NOEUD", "nodes"), ("ELEME", "elements")):
        families = file.get(f"FAS/{name}/{what}", {})
        yield from _family_faults(families)
        numbers = {int(family.attrs["NUM"]) for family in families.values() if "NUM" in family.attrs}
        if lost := sorted((used.get(what) or set()) - numbers - {0}):
            doubts.append(
                f"mesh {name!r}: {words} are of the families {listing(lost)}, which it does not hold: groups are lost"
            )


def _families_of(items: Any, n: int) -> set[int] | None:
    """Return the numbers of the families of n nodes or elements; None if there are not n."""
    if "FAM" not in items:
        return set()
    numbers = np.array(items["FAM"])
    return set(np.unique(numbers).tolist()) if len(numbers) == n else None


def _family_faults(families: Any) -> Iterator[str]:
    """Yield what is wrong with families and the names of their groups."""
    for family, its in families.items():
        if "NUM" not in its.attrs:
            yield f", family {family!r}: it has no number (NUM)"
        if "GRO" in its and "NOM" not in its["GRO"]:
            yield f", family {family!r}: the names of its groups (GRO/NOM) are missing"
