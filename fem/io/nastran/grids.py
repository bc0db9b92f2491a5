"""Grid points and coordinate systems of bulk data: GRID, GRDSET, CORD1 and CORD2."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...common.errors import InputError
from ...mesh.coordinate_system import CoordinateSystem, CylindricalSystem, SphericalSystem
from ...mesh.mesh import LARGEST_COORDINATE
from .cards import Deck, Row, Table
from .lines import CardError

_SHAPES = {"R": CoordinateSystem, "C": CylindricalSystem, "S": SphericalSystem}
_SYSTEMS = tuple(f"CORD{n}{letter}" for n in "12" for letter in "RCS")
#: cosine above which two directions count as parallel
_PARALLEL_COSINE = 1 - 1e-12


@dataclass(eq=False)
class Grids:
    """Grid points, ascending by number: ``ids`` (n,), ``points`` (n, 3) basic axes, ``cd`` (n,) displacement systems.

    ``systems`` by number, lengths as in the file.
    """

    ids: np.ndarray
    points: np.ndarray
    cd: np.ndarray
    systems: dict[int, CoordinateSystem]
    held: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def turned(self) -> np.ndarray:
        """Whether the displacement axes of each grid point differ from the basic axes, (n,)."""
        plain = [
            number
            for number, system in self.systems.items()
            if system.kind == "rectangular" and np.abs(system.axes - np.eye(3)).max() < 1e-12
        ]
        return ~np.isin(self.cd, [0, *plain])

    def index(self, numbers: np.ndarray, lines: np.ndarray | int) -> np.ndarray:
        """Return the positions of grid points by number, of any shape; CardError for those that don't exist.

        ``lines``: one for each first index of ``numbers``, or one for all.
        """
        numbers = np.asarray(numbers)
        at = np.searchsorted(self.ids, numbers)
        at = np.minimum(at, max(len(self.ids) - 1, 0))
        wrong = self.ids[at] != numbers if len(self.ids) else np.ones(numbers.shape, bool)
        if wrong.any():
            where = np.argwhere(wrong)[0]
            line = lines if np.ndim(lines) == 0 else np.asarray(lines)[where[0]]
            raise CardError(int(line), f"there is no GRID {numbers[tuple(where)]}")
        return at

    def at(self, number: int, line: int) -> np.ndarray:
        """Return the position of a grid point in space, (3,)."""
        return self.points[self.index(np.array([number]), line)[0]]

    def axes(self, number: int, line: int) -> np.ndarray:
        """Return the displacement axes of a grid point as rows (3, 3)."""
        k = int(self.index(np.array([number]), line)[0])
        return self.system(int(self.cd[k]), line).axes_at(self.points[k])

    def system(self, number: int, line: int) -> CoordinateSystem:
        """Return a coordinate system; CardError if there is none of this number."""
        if number == 0:
            return CoordinateSystem()
        if number not in self.systems:
            raise CardError(line, f"there is no coordinate system {number} (CORD2R, CORD1R, ...)")
        return self.systems[number]


def grids_of(deck: Deck) -> Grids:
    """Return the grid points of a deck, in basic axes, and its coordinate systems."""
    tables = deck.of("GRID")
    defaults = next(deck.rows("GRDSET"), Row("GRDSET", 0, []))
    columns = [_columns(table, defaults) for table in tables]
    empty = [np.empty(0, np.int64)] * 4 + [np.empty((0, 3)), np.empty(0, "S8")]
    ids, cp, cd, lines, given, held = (np.concatenate([empty[k], *(c[k] for c in columns)]) for k in range(6))
    order = np.argsort(ids, kind="stable")
    ids, cp, cd, lines, given, held = (column[order] for column in (ids, cp, cd, lines, given, held))
    ids, cp, cd, lines, given, held = _once(ids, cp, cd, lines, given, held)
    grids = Grids(ids, np.full((len(ids), 3), np.nan), cd, {})
    _place(grids, cp, lines, given, list(deck.rows(*_SYSTEMS)))
    for number in np.unique(cd[cd != 0]):  # -1 is a fluid's point
        grids.system(int(number), int(lines[cd == number][0]))
    for components in np.unique(held[held != b""]):
        word = components.decode("latin-1")
        if not word.isdecimal() or set(word) - set("123456"):
            raise CardError(
                int(lines[held == components][0]), f"field 8 holds {word!r}, where components must be"
            )
        grids.held[word] = np.flatnonzero(held == components)
    return grids


def _columns(table: Table, defaults: Row) -> tuple[np.ndarray, ...]:
    """Return number, CP, CD, line, coordinates and permanent supports of GRID cards."""
    ids = table.ints(1)
    if (ids < 1).any():
        raise CardError(table.lines[ids < 1][0], f"a GRID can't have the number {ids[ids < 1][0]}")
    given = np.column_stack([table.reals(k, 0.0) for k in (3, 4, 5)])
    far = (np.abs(given) >= LARGEST_COORDINATE).any(axis=1)
    if far.any():
        raise CardError(
            table.lines[far][0], f"GRID {ids[far][0]} has a coordinate above {LARGEST_COORDINATE:g}"
        )
    held = table.text(7).astype("S8")
    if defaults.word(7):
        held = np.where(held == b"", defaults.word(7).encode(), held)
    held = np.where(held == b"0", b"", held)  # none, whatever GRDSET says
    return (
        ids,
        table.ints(2, defaults.whole(2, 0)),
        table.ints(6, defaults.whole(6, 0)),
        table.lines,
        given,
        held,
    )


def _once(*columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the columns without grid points that are given twice alike; CardError if they differ."""
    ids, _, _, lines, _, _ = columns
    again = np.flatnonzero(ids[1:] == ids[:-1]) + 1
    for k in again:
        if any(not np.array_equal(c[k], c[k - 1]) for j, c in enumerate(columns) if j != 3):
            raise CardError(max(lines[k], lines[k - 1]), f"GRID {ids[k]} is given twice, with other data")
    keep = np.ones(len(ids), bool)
    keep[again] = False
    return tuple(column[keep] for column in columns)


def _place(grids: Grids, cp: np.ndarray, lines: np.ndarray, given: np.ndarray, cards: list[Row]) -> None:
    """Find coordinate systems and points in turn: systems stand on systems and on points, points on systems."""
    _place_points(grids, 0, cp, lines, given)
    left = [definition for row in cards for definition in _definitions(row)]
    numbers = [number for number, _, _ in left]
    for number, row, _ in left:
        if numbers.count(number) > 1:
            raise row.error(f"the coordinate system {number} is given twice")
    known = {0, *numbers}
    missing = ~np.isin(cp, [*known])
    if missing.any():
        k = np.flatnonzero(missing)[0]
        raise CardError(
            int(lines[k]),
            f"GRID {grids.ids[k]} stands in the coordinate system {cp[k]}, which the file does not hold (CORD2R, ...); "
            "add it, or leave the field blank if the coordinates are basic",
        )
    while left:
        later = []
        for number, row, first in left:
            system = _system(grids, number, row, first, known)
            if system is None:
                later.append((number, row, first))
                continue
            grids.systems[number] = system
            _place_points(grids, number, cp, lines, given)
        if len(later) == len(left):
            raise later[0][1].error("coordinate systems stand on each other in a circle")
        left = later


def _place_points(grids: Grids, number: int, cp: np.ndarray, lines: np.ndarray, given: np.ndarray) -> None:
    mine = cp == number
    if mine.any():
        grids.points[mine] = grids.system(number, int(lines[mine][0])).points(given[mine])


def _definitions(row: Row) -> list[tuple[int, Row, int]]:
    """Return (number, card, first field) of the systems of a card: CORD1 may define two."""
    if row.name.startswith("CORD2"):
        return [(row.whole(1), row, 1)]
    return [(row.whole(k), row, k) for k in (1, 5) if row.word(k)]


def _system(grids: Grids, number: int, row: Row, first: int, known: set[int]) -> CoordinateSystem | None:
    """Return the coordinate system of a card; None while what it stands on is not known."""
    if number < 1:
        raise row.error(f"a coordinate system can't have the number {number}")
    if row.name.startswith("CORD2"):
        base = row.whole(2, 0)
        if base not in known:
            raise row.error(f"there is no coordinate system {base}")
        if base and base not in grids.systems:
            return None
        a, b, c = grids.system(base, row.line).points(row.reals(3, 9, 0.0).reshape(3, 3))
    else:
        a, b, c = (grids.at(row.whole(first + k), row.line) for k in (1, 2, 3))
        if np.isnan([a, b, c]).any():
            return None
    z, x = b - a, c - a
    length, side = np.linalg.norm(z), np.linalg.norm(x)
    if length == 0 or side == 0 or abs(z @ x) > _PARALLEL_COSINE * length * side:
        raise row.error(f"the three points of coordinate system {number} coincide or lie on one line")
    z = z / length
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    try:
        return _SHAPES[row.name[-1]](a, np.array([np.cross(y, z), y, z]))
    except InputError as error:
        raise row.error(str(error)) from None
