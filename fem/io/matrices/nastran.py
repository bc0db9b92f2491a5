"""Matrices of Nastran: DMIG entries of bulk data and punch files, and OUTPUT4 files as text.

MSC Nastran Quick Reference Guide, DMIG; NX Nastran DMAP Programmer's Guide, OUTPUT4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...common.errors import FileError
from .content import MatrixFile, labelled, mirrored, sparse

_REAL, _SQUARE, _SYMMETRIC = (1, 2), 1, 6


def read_dmig(path: Path, text: str) -> MatrixFile:
    """Read all real square DMIG matrices of a file; other entries are passed over."""
    forms: dict[str, int] = {}
    entries: dict[str, list[tuple[int, int, int, int, float]]] = {}
    for line, fields in _cards(path, text):
        try:
            name = fields[0]
            if name == "UACCEL":
                continue
            if int(fields[1]) == 0:
                form, kind = int(fields[2]), int(fields[3])
                if kind not in _REAL or form not in (_SQUARE, _SYMMETRIC):
                    raise ValueError(f"the matrix {name} is complex or not square")
                forms[name], entries[name] = form, []
                continue
            column = int(fields[1]), _component(fields[2])
            for at in range(4, len(fields), 4):
                if fields[at]:
                    row = int(fields[at]), _component(fields[at + 1])
                    entries[name].append((*row, *column, _real(fields[at + 2])))
        except (ValueError, IndexError, KeyError) as error:
            raise FileError(
                f"{path}, line {line}: the DMIG entry {fields[:3]} can't be read ({error})"
            ) from None
    if not entries:
        raise FileError(f"{path} holds no DMIG matrices")
    tables = {name: np.array(rows or np.empty((0, 5)), dtype=float) for name, rows in entries.items()}
    every = np.concatenate([t[:, k : k + 2] for t in tables.values() for k in (0, 2)]).astype(np.int64)
    matrices = {}
    for name, table in tables.items():
        at = table[:, :4].astype(np.int64)
        matrix, labels = labelled(at[:, :2], at[:, 2:], table[:, 4], every)
        matrices[name] = mirrored(matrix) if forms[name] == _SYMMETRIC else matrix
    return MatrixFile(matrices, labels)


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


def _real(field: str) -> float:
    """Return a real number of Nastran: 1.5, 3.+5, 1.2D+3."""
    field = field.upper().replace("D", "E")
    return float(re.sub(r"(?<=[\d.])([+-]\d+)$", r"E\1", field))


def read_op4(path: Path, text: str) -> MatrixFile:
    """Read all real square matrices of an OUTPUT4 file: dense, and sparse with and without BIGMAT."""
    lines = text.splitlines()
    matrices = {}
    at = 0
    try:
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            columns, rows, _, kind = (int(lines[at][8 * k : 8 * k + 8]) for k in range(4))
            name = lines[at][32:40].strip()
            layout = re.search(r"(\d+)[ED](\d+)\.\d+", lines[at][40:])
            per_line, width = (int(layout[1]), int(layout[2])) if layout else (5, 16)
            at, entries = _op4_columns(
                lines, at + 1, columns, (per_line, width), 1 if kind in (1, 3) else 2, rows < 0
            )
            if kind in _REAL and columns == abs(rows):
                table = np.array(entries).reshape(-1, 3)
                matrices[name] = mirrored(
                    sparse(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], columns)
                )
    except (ValueError, IndexError) as error:
        place = f"line {min(at + 1, len(lines))}"
        raise FileError(
            f"{path}, {place}: this is not a complete OUTPUT4 text file ({error}); write it again"
        ) from None
    if not matrices:
        raise FileError(f"{path} holds no real square matrix")
    return MatrixFile(matrices)


def _op4_columns(
    lines: list[str], at: int, columns: int, layout: tuple[int, int], words: int, big: bool
) -> tuple[int, list[tuple[int, int, float]]]:
    """Return the line after a matrix, and its entries (row, column, value); ``words`` of memory for each number."""
    per_line, width = layout
    entries: list[tuple[int, int, float]] = []

    def numbers(at: int, count: int) -> tuple[int, list[float]]:
        found: list[float] = []
        while len(found) < count:
            line = lines[at].rstrip()
            found += [
                _real(line[k : k + width].strip()) for k in range(0, min(len(line), per_line * width), width)
            ]
            at += 1
        if len(found) > count:
            raise ValueError(f"{len(found)} numbers stand where {count} are announced")
        return at, found

    while True:
        column, row, count = (int(lines[at][8 * k : 8 * k + 8]) for k in range(3))
        at += 1
        if not 1 <= column <= columns + 1:
            raise ValueError(f"there is no column {column}")
        if column > columns:
            return at + 1, entries
        if row > 0:
            at, found = numbers(at, count)
            entries += [(row - 1 + k, column - 1, value) for k, value in enumerate(found)]
            continue
        while count > 0:
            head = lines[at].split()
            at += 1
            length, first = (int(head[0]), int(head[1])) if big else divmod(int(head[0]), 65536)
            count -= length + (1 if big else 0)
            at, found = numbers(at, (length - 1) // words)
            entries += [(first - 1 + k, column - 1, value) for k, value in enumerate(found)]
