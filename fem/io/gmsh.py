"""Files of gmsh, versions 2.2 and 4.1, text and binary.

meshio (5.3.5) is not used: it fails on a 4.1 file that also saves entities outside the physical groups
(``Mesh.SaveAll``), doubles the elements of overlapping groups in 2.2, keeps one of two groups of the same name, and
loses the element numbers. Format: https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..common.errors import FileError, FlexbodyError, InputError, listing
from ..common.names import with_match
from ..elements import FACES
from ..mesh.block import Block
from .cursor import Cursor, Damage
from .raw import USABLE, RawMesh, distinct

#: element type -> (name, number of nodes, dimension)
TYPES = {
    1: ("line2", 2, 1),
    2: ("tri3", 3, 2),
    3: ("quad4", 4, 2),
    4: ("tet4", 4, 3),
    5: ("hex8", 8, 3),
    6: ("wedge6", 6, 3),
    7: ("pyramid5", 5, 3),
    8: ("line3", 3, 1),
    9: ("tri6", 6, 2),
    10: ("quad9", 9, 2),
    11: ("tet10", 10, 3),
    12: ("hex27", 27, 3),
    13: ("wedge18", 18, 3),
    14: ("pyramid14", 14, 3),
    15: ("point", 1, 0),
    16: ("quad8", 8, 2),
    17: ("hex20", 20, 3),
    18: ("wedge15", 15, 3),
    19: ("pyramid13", 13, 3),
}
#: our (VTK's) node k is gmsh's node ORDER[k]; for kinds that are not listed both agree
ORDER = {
    "tet10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "hex20": [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15],
    "wedge15": [0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11],
    "pyramid13": [0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12],
}
ORDER["hex27"] = [*ORDER["hex20"], 22, 23, 21, 24, 20, 25, 26]
_DIMENSIONS = ("point", "line", "surface", "volume")


@dataclass(eq=False)
class _Cells:
    """Elements of one type in one physical group (0: none): ``ids`` (n,) and node tags (n, nn)."""

    kind: str
    dim: int
    groups: tuple[int, ...]
    ids: np.ndarray
    tags: np.ndarray


@dataclass(eq=False)
class _Content:
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    physical: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    node_tags: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    points: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    cells: list[_Cells] = field(default_factory=list)


class _Format(NamedTuple):
    """Version, whether the file is binary, and the size of numbers, bytes."""

    version: str
    binary: bool
    size: int


def read_gmsh(path: Path, elements: Sequence[str] = ()) -> RawMesh:
    """Read a gmsh file.

    The cells of the highest dimension in the file become elements, and those of the physical groups in ``elements``.
    An unknown name raises :class:`InputError`; a damaged file or another version raises :class:`FileError`.
    """
    data = path.read_bytes()
    if not data.lstrip().startswith(b"$MeshFormat"):
        raise FileError(
            f"{path} is not a gmsh mesh (it does not begin with $MeshFormat); open and save it in gmsh"
        )
    content = _content(path, data)
    try:
        return _raw(path, content, elements)
    except FlexbodyError:
        raise
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise _damaged(path, "", error) from None


def _sections(path: Path, data: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Yield the sections, their content, and where it begins."""
    at = data.find(b"$")
    while at >= 0:
        end = data.find(b"\n", at)
        name = data[at + 1 : end if end >= 0 else None].strip().decode("latin-1")
        close = data.find(b"$End" + name.encode("latin-1"), end) if end >= 0 else -1
        if close < 0:
            raise _damaged(
                path, f", line {_line(data, at)}", f"${name[:40]} is not closed: the file was cut off"
            )
        yield name, data[end + 1 : close], end + 1
        at = data.find(b"$", close + 4 + len(name))


def _line(data: bytes, at: int) -> int:
    """Return the number of the line, from 1, of a place in the data."""
    return data.count(b"\n", 0, at) + 1


def _damaged(path: Path, where: str, what: object) -> FileError:
    return FileError(
        f"{path}{where}: the gmsh file is damaged ({what}); save it again, as version 4.1 or 2.2"
    )


def _content(path: Path, data: bytes) -> _Content:
    """Return what the sections hold; FileError with the line of text, or the section of binary data, for damage."""
    content, form = _Content(), _Format("", False, 8)
    for name, body, start in _sections(path, data):
        cursors: list[Cursor] = []
        try:
            if name == "MeshFormat":
                form = _format(path, body)
            elif name == "PhysicalNames":
                _read_names(content, body)
            elif name in ("Entities", "Nodes", "Elements"):
                _read_numbers(content, name, body, form, cursors)
            elif name == "ParametricNodes":
                raise FileError(
                    f"{path} holds parametric coordinates of its nodes; save it without them "
                    f"(Mesh.SaveParametric = 0), as 4.1: gmsh {path} -0 -format msh41 -o NEW.msh"
                )
        except FlexbodyError:
            raise
        except (ValueError, IndexError, KeyError, OverflowError, NotImplementedError) as error:
            at = getattr(error, "at", cursors[0].at if cursors else None)
            words = list(islice(re.finditer(rb"\S+", body), at + 1)) if at is not None else []
            where = f", line {_line(data, start + words[-1].start())}" if words else f", in ${name}"
            if isinstance(error, NotImplementedError):
                raise FileError(f"{path}{where}: {error}") from None
            raise _damaged(path, where, error) from None
    return content


def _read_names(content: _Content, body: bytes) -> None:
    count, *lines = body.decode().strip().splitlines()
    if int(count) != len(lines):
        raise Damage(f"{int(count)} physical names are announced, there are {len(lines)}", 0)
    for line in lines:
        dim, tag, label = shlex.split(line)
        content.names[int(dim), int(tag)] = label


def _read_numbers(content: _Content, name: str, body: bytes, form: _Format, cursors: list[Cursor]) -> None:
    """Read a section of numbers; ``cursors`` takes the one that is moved over it."""
    cursor = Cursor(body, form.binary, form.size)
    cursors.append(cursor)
    if name == "Entities":
        _read_entities(content, cursor)
    elif form.version == "4.1":
        (_read_nodes if name == "Nodes" else _read_elements)(content, cursor)
    elif name == "Nodes":
        _read_nodes_22(content, cursor, form.binary)
    else:
        (_read_elements_22_binary if form.binary else _read_elements_22_text)(content, cursor)
    cursor.end()


def _format(path: Path, body: bytes) -> _Format:
    version, kind, width = body.split(b"\n")[0].decode().split()
    if version not in ("2.2", "4.1"):
        raise FileError(
            f"{path} has gmsh format {version}; save it as 4.1: gmsh {path} -0 -format msh41 -o NEW.msh"
        )
    if kind not in ("0", "1") or width not in ("4", "8"):
        raise ValueError(f"the format is {kind!r} with numbers of {width!r} bytes")
    if kind == "1" and body.split(b"\n", 1)[1][:4] != b"\x01\x00\x00\x00":
        raise FileError(f"{path} is a big-endian binary file; save it as text (Mesh.Binary = 0)")
    return _Format(version, kind == "1", int(width))


def _read_entities(content: _Content, cursor: Cursor) -> None:
    for dim, count in enumerate(cursor.integers("n", 4)):
        for _ in range(count):
            tag = cursor.integers("i", 1)[0]
            cursor.take("d", 6 if dim else 3)
            content.physical[dim, tag] = tuple(cursor.integers("i", cursor.integers("n", 1)[0]))
            if dim:
                cursor.take("i", cursor.integers("n", 1)[0])


def _read_nodes(content: _Content, cursor: Cursor) -> None:
    blocks, total, _, _ = cursor.integers("n", 4)
    tags, points = [np.empty(0, np.int64)], [np.empty((0, 3))]
    for _ in range(blocks):
        dim, _, parametric = cursor.integers("i", 3)
        count = cursor.integers("n", 1)[0]
        if dim not in range(4) or parametric not in (0, 1):
            raise ValueError(f"a block of nodes has dimension {dim} and {parametric} as its kind")
        tags.append(cursor.take("n", count))
        width = 3 + dim * parametric
        points.append(cursor.take("d", count * width).reshape(count, width)[:, :3])
    content.node_tags, content.points = np.concatenate(tags), np.vstack(points)
    _check_total("nodes", total, len(content.node_tags))


def _check_total(what: str, total: int, found: int) -> None:
    if total != found:
        raise ValueError(f"{total} {what} are announced, there are {found}")


class _Unsupported(NotImplementedError):
    """An element type that is not read, at the word ``at`` of its section."""

    def __init__(self, what: str, at: int | None) -> None:
        super().__init__(what)
        if at is not None:
            self.at = at


def _type(number: int, at: int | None = None) -> tuple[str, int, int]:
    if number not in TYPES:
        raise _Unsupported(
            f"gmsh's element type {number} is not supported (order 3 or more?); mesh with order 1 or 2, "
            "complete tetrahedra, incomplete hexahedra (Mesh.SecondOrderIncomplete = 1)",
            at,
        )
    return TYPES[number]


def _read_elements(content: _Content, cursor: Cursor) -> None:
    blocks, total, _, _ = cursor.integers("n", 4)
    for _ in range(blocks):
        dim, entity, number = cursor.integers("i", 3)
        kind, nn, own = _type(number)
        if dim != own:
            raise ValueError(f"{kind} elements belong to an entity of dimension {dim}")
        count = cursor.integers("n", 1)[0]
        table = cursor.take("n", count * (1 + nn)).reshape(count, 1 + nn)
        groups = tuple(abs(group) for group in content.physical.get((dim, entity), ()))
        content.cells.append(_Cells(kind, dim, groups, table[:, 0], table[:, 1:]))
    _check_total("elements", total, sum(len(cells.ids) for cells in content.cells))


def _read_nodes_22(content: _Content, cursor: Cursor, binary: bool) -> None:
    count = cursor.line()
    if binary:
        table = cursor.take_rows(np.dtype([("tag", "<i4"), ("x", "<f8", 3)]), count)
        content.node_tags, content.points = table["tag"].astype(np.int64), table["x"]
    else:
        table = cursor.take("d", 4 * count).reshape(count, 4)
        content.node_tags, content.points = table[:, 0].astype(np.int64), table[:, 1:]


def _read_elements_22_text(content: _Content, cursor: Cursor) -> None:
    total, numbers, at, rows = cursor.line(), cursor.integers("i", cursor.left), 0, defaultdict(list)
    for k in range(total):
        tag, number, extra = numbers[at : at + 3] if at + 3 <= len(numbers) else (0, 1, -1)
        kind, nn, dim = _type(number, 2 + at)
        end = at + 3 + extra + nn
        if extra < 0 or end > len(numbers):
            raise Damage(f"{total} elements are announced, {k} are complete before the end", 1 + at)
        group = numbers[at + 3] if extra else 0
        rows[kind, dim, group].append([tag, *numbers[end - nn : end]])
        at = end
    if at < len(numbers):
        raise ValueError(f"{len(numbers) - at} numbers are left over")
    _append_22(content, {key: np.array(table) for key, table in rows.items()})


def _read_elements_22_binary(content: _Content, cursor: Cursor) -> None:
    total, done, tables = cursor.line(), 0, defaultdict(list)
    while done < total:
        number, count, extra = cursor.integers("i", 3)
        kind, nn, dim = _type(number)
        if extra < 0 or count < 1:
            raise ValueError(f"a block of {kind} elements has {count} elements and {extra} tags")
        table = cursor.take("i", count * (1 + extra + nn)).reshape(count, 1 + extra + nn)
        groups = table[:, 1] if extra else np.zeros(count, np.int64)
        table = np.delete(table, np.arange(1, 1 + extra), axis=1)
        for group in dict.fromkeys(groups.tolist()):
            tables[kind, dim, group].append(table[groups == group])
        done += count
    _check_total("elements", total, done)
    _append_22(content, {key: np.vstack(parts) for key, parts in tables.items()})


def _append_22(content: _Content, tables: Mapping[tuple[str, int, int], np.ndarray]) -> None:
    for (kind, dim, group), table in tables.items():
        content.cells.append(_Cells(kind, dim, (abs(group),) if group else (), table[:, 0], table[:, 1:]))


def _node_numbers(content: _Content) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from node tags to numbers from 0, -1 for those that are not in the file."""
    order = np.argsort(content.node_tags, kind="stable")
    tags = content.node_tags[order]
    twice = tags[1:][tags[1:] == tags[:-1]]
    if len(twice):
        raise ValueError(f"node {twice[0]} is defined twice")

    def number(wanted: np.ndarray) -> np.ndarray:
        if not len(tags):
            return np.full(wanted.shape, -1)
        at = np.minimum(np.searchsorted(tags, wanted), len(tags) - 1)
        return np.where(tags[at] == wanted, order[at], -1)

    return number


def _raw(path: Path, content: _Content, chosen: Sequence[str]) -> RawMesh:
    """Divide the cells into elements, faces and sets; an element that is written once per group is used once."""
    number = _node_numbers(content)
    raw = RawMesh(content.points, [])
    node_sets: dict[str, list[np.ndarray]] = defaultdict(list)
    elements: list[tuple[Block, list[str]]] = []
    highest = max((cells.dim for cells in content.cells), default=0)
    _refuse_unknown(path, content, chosen)
    for cells in content.cells:
        nodes = number(cells.tags)
        if (nodes < 0).any():
            row, column = np.argwhere(nodes < 0)[0]
            raise ValueError(
                f"{cells.kind} element {cells.ids[row]} uses node {cells.tags[row, column]}, which is not in the file"
            )
        names = _names(content, cells)
        for name in names:
            node_sets[name].append(nodes.ravel())
            if cells.kind in FACES:
                raw.faces.setdefault(name, []).append(Block(cells.kind, nodes))
        its = names if cells.dim == highest else [name for name in names if name in chosen]
        if cells.dim == 0 or (cells.dim < highest and not its):
            raw.other[cells.kind] = raw.other.get(cells.kind, 0) + len(nodes)
        elif cells.kind in USABLE:
            elements.append((Block(cells.kind, nodes[:, ORDER.get(cells.kind, slice(None))], cells.ids), its))
        else:
            key = (cells.dim, cells.kind)
            raw.refused[key] = raw.refused.get(key, 0) + len(nodes)
    raw.node_sets = {name: np.concatenate(parts) for name, parts in node_sets.items()}
    raw.blocks, raw.element_sets = distinct(elements)
    return raw


def _names(content: _Content, cells: _Cells) -> list[str]:
    return [content.names.get((cells.dim, g), f"{_DIMENSIONS[cells.dim]}_{g}") for g in cells.groups]


def _refuse_unknown(path: Path, content: _Content, chosen: Sequence[str]) -> None:
    known = dict.fromkeys(name for cells in content.cells if cells.dim for name in _names(content, cells))
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise InputError(
            f"{path} has no physical group of lines, surfaces or volumes {with_match(unknown, known)}; "
            + (f"it has {listing(known)}" if known else "it has no such groups at all")
        )
