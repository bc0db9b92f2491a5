"""Blocks of numbers in fixed columns: NBLOCK, EBLOCK, CMBLOCK, RLBLOCK; ANSYS Programmer's Reference, CDWRITE."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...mesh.mesh import LARGEST_COORDINATE


class DeckError(ValueError):
    """A damaged line of a deck: its number, from 1, and what is wrong."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Format:
    """A Fortran format: ``integers`` columns ``width`` wide, then ``reals`` columns ``real_width`` wide."""

    integers: int
    width: int
    reals: int = 0
    real_width: int = 0


def format_of(text: str, line: int) -> Format:
    """Return the format ``(3i9,6e21.13e3)`` or ``(19i8)`` of a line."""
    found = re.fullmatch(
        r"\((?:(\d*)i(\d+))?,?(?:(\d*)[eg](\d+)\.\d+(?:e\d+)?)?\)", text.replace(" ", "").lower()
    )
    if found is None or not any(found.groups()):
        raise DeckError(line, f"{text.strip()[:40]!r} stands where a format such as (3i9,6e21.13e3) must be")
    count, width, reals, real_width = (
        int(part or (1 if k in (0, 2) else 0)) for k, part in enumerate(found.groups())
    )
    if not (0 < width <= 32 or 0 < real_width <= 40) or count > 100 or reals > 100:
        raise DeckError(line, f"the format {text.strip()[:40]!r} has columns of no usable width")
    return Format(count if width else 0, width, reals if real_width else 0, real_width)


def columns(
    lines: list[str], first: int, start: int, count: int, width: int, kind: Literal["i", "d"]
) -> np.ndarray:
    """Return ``count`` numbers of each line from column ``start`` on; missing integers are -1, missing reals 0.

    ``first`` is the number of the first line, for :class:`DeckError`.
    """
    end = start + count * width
    text = "".join([line[:end].ljust(end) for line in lines])
    try:
        raw = text.encode("ascii")
    except UnicodeEncodeError:
        raise _wrong(lines, first, start, count, width, kind) from None
    if kind == "d":
        raw = raw.replace(b"D", b"E").replace(b"d", b"e")
    table = np.frombuffer(raw, dtype=np.uint8).reshape(len(lines), end)
    out = np.empty((len(lines), count), np.int64 if kind == "i" else np.float64)
    for k in range(count):
        cells = np.ascontiguousarray(table[:, start + k * width : start + (k + 1) * width])
        try:
            out[:, k] = _integers(cells) if kind == "i" else _reals(cells)
        except ValueError:
            raise _wrong(lines, first, start, count, width, kind) from None
    if kind == "d" and not np.isfinite(out).all():
        row = int(np.argwhere(~np.isfinite(out))[0][0])
        raise DeckError(first + row, f"{lines[row].strip()[:60]!r} holds a number that is not finite")
    return out


_SPACE, _MINUS, _ZERO, _NINE = (ord(character) for character in " -09")


def _integers(cells: np.ndarray) -> np.ndarray:
    """Return the whole numbers of cells (n, width) of characters, -1 for blank ones."""
    digit = (cells >= _ZERO) & (cells <= _NINE)
    minus = (cells == _MINUS).any(axis=1)
    plain = (digit | (cells == _SPACE)).all(axis=1) & ~(digit[:, :-1] & ~digit[:, 1:]).any(axis=1)
    powers = 10 ** np.arange(min(cells.shape[1], 18) - 1, -1, -1, dtype=np.int64)
    value = ((cells[:, -18:] - _ZERO) * digit[:, -18:]) @ powers
    value[~digit.any(axis=1) & ~minus] = -1
    other = np.flatnonzero(~plain)  # with a sign, or with blanks behind it
    if len(other):
        words = np.char.strip(cells[other].view(f"S{cells.shape[1]}").ravel())
        value[other] = words.astype(np.int64)
    return value


def _reals(cells: np.ndarray) -> np.ndarray:
    """Return the reals of cells (n, width) of characters, 0 for blank ones."""
    blank = (cells == _SPACE).all(axis=1)
    value = np.zeros(len(cells))
    value[~blank] = cells[~blank].view(f"S{cells.shape[1]}").ravel().astype(float)
    return value


def _wrong(lines: list[str], first: int, start: int, count: int, width: int, kind: str) -> DeckError:
    """Return the error of the first line that does not hold such numbers."""
    for number, line in enumerate(lines, start=first):
        for k in range(count):
            cell = line[start + k * width : start + (k + 1) * width].strip()
            try:
                if not cell.isascii():
                    raise ValueError
                (int if kind == "i" else float)(cell.upper().replace("D", "E") or 0)
            except ValueError:
                what = "a whole number" if kind == "i" else "a number"
                return DeckError(number, f"{cell[:30]!r} stands where {what} must be; the file is damaged")
    return DeckError(first, "a block can't be read")


@dataclass(eq=False)
class NodeBlock:
    """Nodes of an NBLOCK: numbers (n,), positions (n, 3), rotations of nodal systems (n, 3) in degrees."""

    ids: np.ndarray
    points: np.ndarray
    angles: np.ndarray


def node_block(lines: list[str], first: int, form: Format) -> NodeBlock:
    """Return the nodes of the lines of an NBLOCK."""
    ints = columns(lines, first, 0, 1, form.width, "i")
    reals = columns(lines, first, form.integers * form.width, form.reals, form.real_width, "d")
    wrong = np.flatnonzero(ints[:, 0] < 1)
    if len(wrong):
        raise DeckError(first + int(wrong[0]), f"{lines[wrong[0]].strip()[:40]!r} has no number of a node")
    full = np.zeros((len(lines), 6))
    full[:, : reals.shape[1]] = reals[:, :6]
    far = np.flatnonzero((np.abs(full[:, :3]) >= LARGEST_COORDINATE).any(axis=1))
    if len(far):
        raise DeckError(
            first + int(far[0]), f"node {ints[far[0], 0]} has a coordinate above {LARGEST_COORDINATE:g}"
        )
    return NodeBlock(ints[:, 0], full[:, :3], full[:, 3:])


@dataclass(eq=False)
class ElementBlock:
    """Elements with their attributes (ne,): material, type, real constants, section, system, shape, number.

    ``count`` (ne,) nodes of each in ``nodes`` (ne, 20), the rest of which is 0; ``lines`` (ne,) where they stand.
    """

    material: np.ndarray
    type: np.ndarray
    real: np.ndarray
    section: np.ndarray
    system: np.ndarray
    shape: np.ndarray
    number: np.ndarray
    count: np.ndarray
    nodes: np.ndarray
    lines: np.ndarray


_MAX_NODES = 20


def solid_block(lines: list[str], first: int, form: Format) -> ElementBlock:
    """Return the elements of an EBLOCK with the word SOLID: eleven attributes, nodes, and a second line for more."""
    table = columns(lines, first, 0, form.integers, form.width, "i")
    room = form.integers - 11
    heads, at = [], 0
    counts = table[:, 8].tolist()
    while at < len(lines):
        count = counts[at]
        if not 1 <= count <= _MAX_NODES:
            raise DeckError(first + at, f"an element with {count} nodes; the file is damaged")
        heads.append(at)
        at += 1 + -(-max(count - room, 0) // form.integers)
    if at > len(lines):
        raise DeckError(first + heads[-1], "the nodes of this element go on in a line that is missing")
    head = np.array(heads, dtype=np.int64)
    count = table[head, 8]
    nodes = np.zeros((len(head), _MAX_NODES + form.integers), np.int64)
    nodes[:, :room] = table[head, 11:]
    more = np.flatnonzero(count > room)
    nodes[more, room : room + form.integers] = table[head[more] + 1]
    nodes = nodes[:, :_MAX_NODES]
    nodes[np.arange(_MAX_NODES) >= count[:, None]] = 0
    lost = np.flatnonzero((nodes < 0).any(axis=1))
    if len(lost):
        raise DeckError(first + int(head[lost[0]]), f"element {table[head[lost[0]], 10]} lacks nodes")
    material, kind, real, section, system, shape, number = table[head][:, [0, 1, 2, 3, 4, 7, 10]].T
    return ElementBlock(material, kind, real, section, system, shape, number, count, nodes, first + head)


def plain_block(lines: list[str], first: int, form: Format, material: int) -> ElementBlock:
    """Return the elements of an EBLOCK without SOLID: number, type, real constants, material, system, nodes."""
    table = columns(lines, first, 0, form.integers, form.width, "i")
    nodes = np.zeros((len(lines), _MAX_NODES), np.int64)
    given = np.maximum(table[:, 5 : 5 + _MAX_NODES], 0)
    nodes[:, : given.shape[1]] = given
    zero = np.zeros(len(lines), np.int64)
    count = (nodes > 0).sum(axis=1)
    bad = np.flatnonzero((count == 0) | (table[:, :2] < 1).any(axis=1))
    if len(bad):
        raise DeckError(first + int(bad[0]), f"{lines[bad[0]].strip()[:40]!r} is no element")
    materials = np.where(table[:, 3] > 0, table[:, 3], material)
    lines_at = first + np.arange(len(lines))
    return ElementBlock(
        materials, table[:, 1], table[:, 2], zero, table[:, 4], zero, table[:, 0], count, nodes, lines_at
    )


def members(numbers: np.ndarray) -> np.ndarray:
    """Return the members of a component: a negative number ends a range that the number before it begins."""
    found, before = [], 0
    for value in numbers.tolist():
        if value < 0:
            found.append(np.arange(before + 1, -value + 1))
        else:
            found.append(np.array([value]))
        before = abs(value)
    return np.concatenate([np.empty(0, np.int64), *found])
