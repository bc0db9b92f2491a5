"""The text of SID files (Standard Input Data of flexible bodies): from a file to named expansions, and back.

Each quantity is a Taylor expansion ``A(q) = M0 + sum_j M1[:, j, :] q_j``. The files of FEMBS and PY_SID write the
indices of M1 as (row, mode, column), those of FEMBeam and welib as (row, column, mode); :func:`read_text` tells them
apart by the indices that do not fit. References: O. Wallrapp, Mech. Struct. Mach. 22 (1994) 283-304; R. Schwertassek,
O. Wallrapp, Dynamik flexibler Mehrkoerpersysteme, Vieweg 1999.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fem.common.errors import FileError

from .inertia import FloatArray

#: quantities of the whole body, in the order of every file, and their rows and columns for n modes
BODY_SIZES = {
    "mdCM": lambda n: (3, 1),
    "J": lambda n: (6, 1),
    "Ct": lambda n: (n, 3),
    "Cr": lambda n: (n, 3),
    "Me": lambda n: (n, n),
    "Gr": lambda n: (3, 3 * n),
    "Ge": lambda n: (n, 3 * n),
    "Oe": lambda n: (n, 6),
    "ksigma": lambda n: (n, 1),
    "Ke": lambda n: (n, n),
    "De": lambda n: (n, n),
}
#: quantities of each node, and their rows and columns
NODE_SIZES = {
    "origin": lambda n: (3, 1),
    "phi": lambda n: (3, n),
    "psi": lambda n: (3, n),
    "AP": lambda n: (3, 3),
    "sigma": lambda n: (6, 1),
}
_SIZES = BODY_SIZES | NODE_SIZES
#: rows and columns of the entries xx, yy, zz, xy, xz, yz of J
J_AT = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
_ENTRY = re.compile(r"m([01n])\s*\(([\s\d,]*)\)")
_FULL, _SYMMETRIC, _UNIT = 3, 2, 4
#: largest number of modes and of entries of a matrix that is believed
_MAX_MODES = 10_000


@dataclass(eq=False)
class Taylor:
    """A quantity up to the first order in the modal coordinates: M0 (rows, columns), M1 (rows, modes, columns)."""

    M0: FloatArray
    M1: FloatArray | None = None

    def first(self, modes: int) -> FloatArray:
        """Return M1, zeros where the file has none."""
        return np.zeros((len(self.M0), modes, self.M0.shape[1])) if self.M1 is None else self.M1


@dataclass(eq=False)
class Node:
    """A node of the file: its label and its expansions."""

    label: str
    values: dict[str, Taylor] = field(default_factory=dict)


@dataclass(eq=False)
class SidText:
    """The content of a SID file: comment of the first line, name, mass, names of modes, nodes and expansions."""

    comment: str = ""
    name: str = ""
    mass: float = 0.0
    modes: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    values: dict[str, Taylor] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of modes."""
        return len(self.modes)


@dataclass(eq=False)
class _Block:
    """An expansion as it is written: its sizes, and entries as (index, value, line)."""

    what: str
    place: int
    sizes: dict[str, int] = field(default_factory=dict)
    m0: list[tuple[tuple[int, ...], float, int]] = field(default_factory=list)
    m1: list[tuple[tuple[int, ...], float, int]] = field(default_factory=list)


class _Lines:
    """The lines of a file, one after the other, as (key, value); :class:`FileError` names the file and the line."""

    def __init__(self, path: Path) -> None:
        self.path, self.at = path, 0
        self.lines = path.read_text(encoding="latin-1").splitlines()

    def error(self, what: str, line: int | None = None) -> FileError:
        return FileError(f"{self.path}, line {line or self.at}: {what}; write the SID file again")

    def pairs(self, inside: str) -> Iterator[tuple[str, str]]:
        """Yield the lines up to ``end inside``, which has to come."""
        start = self.at
        while self.at < len(self.lines):
            key, _, value = self.lines[self.at].partition("=")
            self.at += 1
            key = " ".join(key.split())
            if key == f"end {inside}":
                return
            if key or value.strip():
                yield key, value.strip()
        raise self.error(f"the file ends within {inside!r}, which begins in line {start}: it was cut off")

    def number(self, text: str) -> float:
        try:
            return float(text.replace("D", "E").replace("d", "e"))
        except ValueError:
            raise self.error(f"{text!r} stands where a number must be") from None

    def whole(self, text: str) -> int:
        value = self.number(text)
        if value != int(value) or not 0 <= value < 2**31:
            raise self.error(f"{text!r} stands where a whole number must be")
        return int(value)


def read_text(path: Path) -> SidText:
    """Read a SID file; :class:`FileError` with the line where it is damaged."""
    lines = _Lines(path)
    sid = SidText()
    blocks: list[tuple[dict[str, Taylor], _Block]] = []
    while lines.at < len(lines.lines) and lines.lines[lines.at].split() != ["part"]:
        if not sid.comment:
            sid.comment = lines.lines[lines.at].rpartition("odes:")[2].strip()
        lines.at += 1
    if lines.at == len(lines.lines):
        raise FileError(f"{path} is not a SID file: it has no line 'part'")
    lines.at += 1
    for key, value in lines.pairs("part"):
        if key != "new modal":
            raise lines.error(f"{key!r} stands where 'new modal' must be")
        sid.name = value
        _read_modal(lines, sid, blocks)
    missing = [name for name in BODY_SIZES if name not in sid.values and name not in ("ksigma", "De")]
    if missing:
        raise FileError(f"{path} lacks {', '.join(missing)}; write the SID file again")
    return sid


def _read_modal(lines: _Lines, sid: SidText, blocks: list[tuple[dict[str, Taylor], _Block]]) -> None:
    for key, value in lines.pairs("modal"):
        if key == "refmod":
            _read_refmod(lines, sid)
        elif key in ("frame", "new frame"):
            for inner, label in lines.pairs("frame"):
                if inner != "new node":
                    raise lines.error(f"{inner!r} stands where 'new node' must be")
                sid.nodes.append(Node(label))
                _read_node(lines, sid.nodes[-1], blocks)
        elif key in BODY_SIZES or key == "I":
            blocks.append((sid.values, _read_block(lines, key)))
        else:
            raise lines.error(f"{key!r}{value and ' = ' + value} is not a part of a SID file")
    transposed = _mode_comes_last(lines, [block for _, block in blocks], sid.n)
    for target, block in blocks:
        target["J" if block.what == "I" else block.what] = _expansion(lines, block, sid.n, transposed)


def _read_refmod(lines: _Lines, sid: SidText) -> None:
    count, place = 0, lines.at
    for key, value in lines.pairs("refmod"):
        if key == "mass":
            sid.mass = lines.number(value)
        elif key == "nelastq":
            count = lines.whole(value)
        elif key.startswith("ielastq"):
            sid.modes.append(value)
        else:
            raise lines.error(f"{key!r} is not a part of refmod")
    if count > _MAX_MODES or len(sid.modes) not in (0, count):
        raise lines.error(f"nelastq = {count}, but {len(sid.modes)} modes are named", place)
    sid.modes = sid.modes or [""] * count


def _read_node(lines: _Lines, node: Node, blocks: list) -> None:
    for key, _ in lines.pairs("node"):
        if key == "rframe":
            continue
        if key not in NODE_SIZES:
            raise lines.error(f"{key!r} is not a part of a node")
        blocks.append((node.values, _read_block(lines, key)))


def _read_block(lines: _Lines, what: str) -> _Block:
    block = _Block(what, lines.at)
    for key, value in lines.pairs(what):
        entry = _ENTRY.fullmatch(key)
        if entry is None:
            block.sizes[key] = lines.whole(value)
            continue
        index = tuple(lines.whole(part) for part in entry[2].split(","))
        if entry[1] == "n" or len(index) != 2 + int(entry[1]):
            raise lines.error(
                f"the entry {key!r} can't be read: there are m0(row, column) and m1(row, mode, column)"
            )
        (block.m1 if entry[1] == "1" else block.m0).append((index, lines.number(value), lines.at))
    return block


def _shape(block: _Block, n: int) -> tuple[int, int]:
    rows, columns = _SIZES["J" if block.what == "I" else block.what](n)
    if block.what in ("J", "I") and block.sizes.get("ncol") == 3:
        return 3, 3
    return rows, columns


def _mode_comes_last(lines: _Lines, blocks: list[_Block], n: int) -> bool:
    """Return whether m1 is written as (row, column, mode): the other order has indices that are too large."""
    fits = {False: True, True: True}
    for block in blocks:
        rows, columns = _shape(block, n)
        for index, _, place in block.m1:
            mode, column = index[1], index[2]
            fits[False] &= mode <= n and column <= columns
            fits[True] &= column <= n and mode <= columns
            if not (fits[False] or fits[True]):
                raise lines.error(
                    f"the entry m1{index} of {block.what} does not fit its size: {rows} rows, {columns} columns, "
                    f"{n} modes",
                    place,
                )
    return not fits[False]


def _expansion(lines: _Lines, block: _Block, n: int, transposed: bool) -> Taylor:
    shape = _shape(block, n)
    said = tuple(block.sizes.get(key, size) for key, size in zip(("nrow", "ncol"), shape, strict=True))
    if said != shape and 0 not in said:
        raise lines.error(
            f"{block.what} has {said} rows and columns; with {n} modes it must have {shape}", block.place
        )
    structure, order = block.sizes.get("structure", _FULL), block.sizes.get("order", 0)
    M0 = np.eye(*shape) if structure == _UNIT else np.zeros(shape)
    given = np.zeros(shape, bool)
    for (row, column), value, place in block.m0:
        if not (1 <= row <= shape[0] and 1 <= column <= shape[1]):
            raise lines.error(f"m0({row}, {column}) of {block.what} lies outside of {shape}", place)
        M0[row - 1, column - 1] = value
        given[row - 1, column - 1] = True
    if structure == _SYMMETRIC and shape[0] == shape[1]:
        M0 = np.where(given.T & ~given, M0.T, M0)
    if order == 0 and not block.m1:
        return _six(Taylor(M0), block.what)
    M1 = np.zeros((shape[0], n, shape[1]))
    for (row, second, third), value, place in block.m1:
        mode, column = (third, second) if transposed else (second, third)
        if not (1 <= row <= shape[0] and 1 <= mode <= n and 1 <= column <= shape[1]):
            raise lines.error(f"m1({row}, {second}, {third}) of {block.what} lies outside of its size", place)
        M1[row - 1, mode - 1, column - 1] = value
    return _six(Taylor(M0, M1), block.what)


def _six(value: Taylor, what: str) -> Taylor:
    """Return J as six rows xx, yy, zz, xy, xz, yz, also where it is written as a matrix (3, 3)."""
    if what not in ("J", "I") or value.M0.shape == (6, 1):
        return value
    rows, columns = J_AT
    M1 = None if value.M1 is None else value.M1[rows, :, columns][:, :, None]
    return Taylor(value.M0[rows, columns][:, None], M1)


def text_of(sid: SidText) -> str:
    """Return a SID file with the columns of FEMBS; zeros are left out."""
    out = [f"{len(sid.nodes):5d}{sid.n:4d}    :No. nodes, No. modes:{sid.comment}", " part"]
    out.append(_line(6, "new modal", sid.name))
    out += [_line(11, "refmod"), _line(16, "mass", _real(sid.mass)), _line(16, "nelastq", f"{sid.n:5d}")]
    out += [_line(16, f"ielastq ({k:4d})", f" {name}") for k, name in enumerate(sid.modes, start=1)]
    out += [_line(11, "end refmod"), _line(11, "frame")]
    for node in sid.nodes:
        out += [_line(16, "new node", f" {node.label}"), _line(21, "rframe", " body ref")]
        for name, value in node.values.items():
            out += _block_lines(21, name, value, sid.n)
        out.append(_line(16, "end node"))
    out.append(_line(11, "end frame"))
    for name in BODY_SIZES:
        out += _block_lines(11, name, sid.values[name], sid.n)
    return "\n".join([*out, _line(6, "end modal"), " end part", ""])


def _block_lines(indent: int, name: str, value: Taylor, n: int) -> list[str]:
    first = value.M1 is not None and bool(value.M1.any())
    empty = not value.M0.any() and not first
    sizes: Mapping[str, int] = {
        **{"order": int(first), "nrow": len(value.M0), "ncol": value.M0.shape[1], "nq": n, "nqn": 0},
        "structure": 0 if empty else _FULL,
    }
    out = [_line(indent, name), *(_line(26, key, f"{size:5d}") for key, size in sizes.items())]
    for row, column in np.argwhere(value.M0):
        out.append(_line(26, f"m0({row + 1:2d},{column + 1:2d})", _real(value.M0[row, column])))
    if first:
        assert value.M1 is not None
        for row, mode, column in np.argwhere(value.M1):
            key = f"m1({row + 1:2d},{mode + 1:2d},{column + 1:2d})"
            out.append(_line(26, key, _real(value.M1[row, mode, column])))
    return [*out, _line(indent, f"end {name}")]


def _line(indent: int, key: str, value: str | None = None) -> str:
    """Return a line whose sign ``=`` stands in column 49."""
    text = " " * indent + key
    return f"{text:<48}" if value is None else f"{text:<48}={value}"


def _real(value: float) -> str:
    """Return a number as Fortran's D18.11: 12 digits with the exponent D."""
    return f"{value:18.11E}".replace("E", "D")
