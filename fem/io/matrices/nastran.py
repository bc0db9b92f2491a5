"""Matrices of Nastran: DMIG entries of bulk data and punch files.

MSC Nastran Quick Reference Guide, DMIG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...common.errors import FileError
from .content import MatrixFile, labelled, mirrored
from .grids import with_grids

#: types of real matrices, single and double precision
REAL = (1, 2)
#: forms
_SQUARE, _SYMMETRIC = 1, 6


def read_dmig(path: Path, text: str) -> MatrixFile:
    """Read all real square DMIG matrices of a file, and its grid points; other matrices and entries are passed over."""
    forms: dict[str, int] = {}
    others: set[str] = set()
    entries: dict[str, list[tuple[int, int, int, int, float]]] = {}
    for line, fields in _cards(path, text):
        try:
            name = fields[0]
            if name == "UACCEL":
                continue
            if int(fields[1]) == 0:
                form, kind = int(fields[2]), int(fields[3])
                if kind in REAL and form in (_SQUARE, _SYMMETRIC):
                    forms[name], entries[name] = form, []
                else:
                    others.add(name)
            if int(fields[1]) == 0 or name in others:
                continue
            column = int(fields[1]), _component(fields[2])
            for at in range(4, len(fields), 4):
                if fields[at]:
                    row = int(fields[at]), _component(fields[at + 1])
                    entries[name].append((*row, *column, real(fields[at + 2])))
        except (ValueError, IndexError, KeyError) as error:
            raise FileError(
                f"{path}, line {line}: the DMIG entry {fields[:3]} can't be read ({error})"
            ) from None
    if not entries:
        which = f", only complex or rectangular ones: {', '.join(sorted(others))}" if others else ""
        raise FileError(f"{path} holds no real square DMIG matrices{which}")
    tables = {name: np.array(rows or np.empty((0, 5)), dtype=float) for name, rows in entries.items()}
    every = np.concatenate([t[:, k : k + 2] for t in tables.values() for k in (0, 2)]).astype(np.int64)
    matrices = {}
    for name, table in tables.items():
        at = table[:, :4].astype(np.int64)
        matrix, labels = labelled(at[:, :2], at[:, 2:], table[:, 4], every)
        matrices[name] = mirrored(matrix) if forms[name] == _SYMMETRIC else matrix
    return with_grids(path, text, MatrixFile(matrices, labels))


def _cards(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the data fields of each DMIG entry, in free, small or large fields, with continuations."""
    fields: list[str] = []
    begun, wide = 0, False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split("$")[0].rstrip().expandtabs(8)
        if not line:
            continue
        head = line.split(",")[0] if "," in line else line[:8]
        name = head.strip().upper()
        continued = not name or name[0] in "+*"
        if not continued:
            if not name[:1].isalpha():
                raise FileError(f"{path}, line {number}: {line[:40]!r} is not an entry of bulk data")
            if begun:
                yield begun, fields
            begun, fields = 0, []
            if name.rstrip("*") != "DMIG":
                continue
            begun = number
        if not begun:
            continue  # a continuation of another entry
        wide = name.startswith("*") if continued else name.endswith("*")
        fields += _fields(line, wide)
    if begun:
        yield begun, fields


def _fields(line: str, wide: bool) -> list[str]:
    """Return the data fields of a line: eight, or four wide ones."""
    count, width = (4, 16) if wide else (8, 8)
    if "," in line:
        found = [part.strip() for part in line.split(",")[1 : count + 1]]
    else:
        found = [line[8 + k * width : 8 + (k + 1) * width].strip() for k in range(count)]
    return found + [""] * (count - len(found))


def _component(field: str) -> int:
    return int(field or 0)


def real(field: str) -> float:
    """Return a real number of Nastran: 1.5, 3.+5, 1.2D+3."""
    field = field.upper().replace("D", "E")
    return float(re.sub(r"(?<=[\d.])([+-]\d+)$", r"E\1", field))
