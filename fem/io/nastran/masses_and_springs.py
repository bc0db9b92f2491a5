"""Point masses, springs and dampers of bulk data: CONM1, CONM2, CMASS*, CELAS*, CDAMP* and CBUSH."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...common.errors import InputError
from ...mesh.left_out import Omissions
from ...model.parts import Part, PointMass, Spring
from ..units import Units
from .cards import Deck, Row
from .grids import Grids
from .lines import Lines

_COMPONENTS = "123456"
#: relative size of what a rigid mass can't have in its matrix
_RIGID_TOLERANCE = 1e-9


def masses_of(
    deck: Deck,
    grids: Grids,
    units: Units,
    factor: float,
    doubts: list[str],
    left_out: Omissions,
    lines: Lines,
) -> Iterator[tuple[int, Part]]:
    """Yield the point masses with their lines; ``factor`` (PARAM,WTMASS) multiplies them."""
    for row in deck.rows("CONM1", "CONM2"):
        node = row.whole(2)
        mass, offset, inertia = _conm2(row, grids) if row.name == "CONM2" else _conm1(row, grids)
        if mass == 0 and not inertia.any():
            left_out.add(f"{row.name} without mass", "it adds nothing", lines.place(row.line))
            continue
        inertia = _possible(inertia, f"{row.name} {row.whole(1)}", doubts)
        tensor = inertia * units.inertia * factor if inertia.any() else None
        grids.index(np.array([node]), row.line)
        try:
            its = PointMass(
                str(node), mass * units.mass * factor, tensor, offset=tuple(offset * units.length)
            )
        except InputError as error:
            raise row.error(f"{row.name} {row.whole(1)}: {error}") from None
        yield row.line, its
    yield from _scalar_masses(deck, grids, units, factor, doubts)


def _scalar_masses(
    deck: Deck, grids: Grids, units: Units, factor: float, doubts: list[str]
) -> Iterator[tuple[int, Part]]:
    """Yield the masses that CMASS1 and CMASS2 give the components of grid points, which make up rigid masses."""
    properties = {row.whole(1): row for row in (*deck.rows("PMASS"), *_pairs(deck, "PMASS"))}
    found: dict[int, tuple[Row, np.ndarray]] = {}
    for row in deck.rows("CMASS1", "CMASS2"):
        its = _of(properties, row, row.whole(2, row.whole(1)), "PMASS") if row.name == "CMASS1" else row
        ends = _ends(row)
        if len(ends) == 2 and its.real(2, 0.0):
            raise row.error(
                f"{row.name} {row.whole(1)} couples two components, which no mass of a body does; give each its own"
            )
        for node, component in ends:
            if component not in tuple(_COMPONENTS):
                raise row.error(
                    f"{row.name} {row.whole(1)} names the component {component!r}, not one of 1 to 6"
                )
            _, values = found.setdefault(node, (row, np.zeros(6)))
            values[_COMPONENTS.index(component)] += its.real(2, 0.0)
    for node, (row, values) in found.items():
        if np.ptp(values[:3]) > _RIGID_TOLERANCE * np.abs(values).max():
            told = ", ".join(f"{value:g}" for value in values[:3])
            raise row.error(
                f"CMASS1 and CMASS2 give the components 1, 2, 3 of grid point {node} the masses {told}; a body in "
                "space has the same mass in all directions"
            )
        axes = grids.axes(node, row.line)
        inertia = _possible(
            axes.T @ np.diag(values[3:]) @ axes, f"the CMASS cards of grid point {node}", doubts
        )
        tensor = inertia * units.inertia * factor if inertia.any() else None
        if values.any():
            yield row.line, PointMass(str(node), values[:3].mean() * units.mass * factor, tensor)


def _possible(inertia: np.ndarray, where: str, doubts: list[str]) -> np.ndarray:
    """Return inertia (3, 3) that a mass can have: where one moment is too large, the others are raised by the least."""
    values, axes = np.linalg.eigh(inertia)
    lacking = values[2] - values[0] - values[1]
    if values[0] < -1e-9 * values[2] or lacking <= 1e-9 * values[2]:
        return inertia
    told = ", ".join(f"{value:.4g}" for value in values)
    doubts.append(
        f"{where} has the principal moments of inertia {told}, which no mass has: the largest is more than the sum of "
        f"the others, which are raised by {0.5 * lacking:.4g} each, in units of the file"
    )
    return inertia + 0.5 * lacking * (axes[:, :2] @ axes[:, :2].T)


def _conm2(row: Row, grids: Grids) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, offset (3,) and inertia (3, 3) about the mass, basic axes, of CONM2."""
    cid = row.whole(3, 0)
    mass, offset = row.real(4, 0.0), row.reals(5, 3, 0.0)
    i11, i21, i22, i31, i32, i33 = row.reals(9, 6, 0.0)
    inertia = np.array([[i11, -i21, -i31], [-i21, i22, -i32], [-i31, -i32, i33]])
    if cid == -1:  # the offset is a point
        return (
            mass,
            offset - grids.at(row.whole(2), row.line) if row.word(5) or offset.any() else offset,
            inertia,
        )
    axes = grids.system(cid, row.line).axes_at(grids.at(row.whole(2), row.line))
    return mass, offset @ axes, axes.T @ inertia @ axes


def _conm1(row: Row, grids: Grids) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the same of CONM1, a matrix (6, 6), which must be that of a rigid mass."""
    M = np.zeros((6, 6))
    M[np.tril_indices(6)] = row.reals(4, 21, 0.0)
    M = M + np.tril(M, -1).T
    axes = grids.system(row.whole(3, 0), row.line).axes_at(grids.at(row.whole(2), row.line))
    turn = np.kron(np.eye(2), axes)
    M = turn.T @ M @ turn
    mass = np.trace(M[:3, :3]) / 3
    S = M[:3, 3:]  # -m [c]x
    c = (
        np.array([S[1, 2] - S[2, 1], S[2, 0] - S[0, 2], S[0, 1] - S[1, 0]]) / (2 * mass)
        if mass
        else np.zeros(3)
    )
    cross = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    rigid = np.zeros((6, 6))
    rigid[:3, :3], rigid[:3, 3:], rigid[3:, :3] = mass * np.eye(3), -mass * cross, mass * cross
    inertia = M[3:, 3:] + mass * cross @ cross
    rigid[3:, 3:] = M[3:, 3:]
    if np.abs(M - rigid).max() > _RIGID_TOLERANCE * np.abs(M).max():
        raise row.error(
            f"CONM1 {row.whole(1)} is not the mass matrix of a rigid body, which alone is supported"
        )
    return float(mass), c, inertia


def springs_of(
    deck: Deck, grids: Grids, units: Units, left_out: Omissions, lines: Lines, doubts: list[str]
) -> Iterator[tuple[int, Part]]:
    """Yield, with their lines, springs and dampers (CELAS, CDAMP, CBUSH); structural damping is left out."""
    properties = {row.whole(1): row for row in deck.rows("PELAS", "PBUSH", "PDAMP")}
    for row in _pairs(deck, "PELAS", "PDAMP"):
        properties[row.whole(1)] = row
    for row in deck.rows("CELAS1", "CELAS2"):
        if row.name == "CELAS1":
            its = _of(properties, row, row.whole(2, row.whole(1)), "PELAS")
            k, damping = its.real(2, 0.0), its.word(3)
        else:
            k, damping = row.real(2, 0.0), row.word(7)
        if damping:
            leave_damping(left_out, row, lines)
        if k == 0:
            left_out.add(f"{row.name} without stiffness", "it adds nothing", lines.place(row.line))
        yield from ((row.line, part) for part in _scalar(row, grids, units, stiffness=k))
    for row in deck.rows("CDAMP1", "CDAMP2"):
        its = _of(properties, row, row.whole(2, row.whole(1)), "PDAMP") if row.name == "CDAMP1" else row
        yield from ((row.line, part) for part in _scalar(row, grids, units, damping=its.real(2, 0.0)))
    for row in deck.rows("CBUSH"):
        its = _of(properties, row, row.whole(2, row.whole(1)), "PBUSH")
        values, structural = _bush_values(its)
        if structural:
            leave_damping(left_out, its, lines)
        if values.any():
            yield row.line, _bush(row, grids, values, units)
        else:
            left_out.add("CBUSH without stiffness and damping", "it adds nothing", lines.place(row.line))
        if not row.word(8) and _short(row, grids) and np.ptp(values.reshape(2, 2, 3), axis=2).any():
            doubts.append(
                f"CBUSH {row.whole(1)} has no length and no system of axes (CID): it acts in the displacement axes of "
                f"grid point {row.whole(3)}"
            )


def _pairs(deck: Deck, *names: str) -> list[Row]:
    """Return the further properties of PELAS (two of four words), PDAMP and PMASS (four of two words) as cards."""
    return [
        Row(name, row.line, row.words[at:])
        for name in names
        for row in deck.rows(name)
        for at in ((4,) if name == "PELAS" else (2, 4, 6))
        if row.word(at + 1)
    ]


def leave_damping(left_out: Omissions, row: Row, lines: Lines) -> None:
    """Note that the structural damping of a card is left out."""
    left_out.add(
        f"structural damping of {row.name}",
        "it is defined for one frequency; give viscous damping (B of PBUSH, CDAMP) or damping_ratio= of the body",
        lines.place(row.line),
    )


def _of(properties: dict[int, Row], row: Row, number: int, kind: str) -> Row:
    its = properties.get(number)
    if its is None or its.name != kind:
        raise row.error(f"{row.name} {row.whole(1)}: there is no {kind} {number}")
    return its


def _ends(row: Row) -> list[tuple[int, str]]:
    """Return the one or two grid points and components of a scalar element."""
    ends = [(row.whole(at), row.word(at + 1)) for at in (3, 5) if row.word(at) not in ("", "0")]
    if not ends:
        raise row.error(f"{row.name} {row.whole(1)} has no grid point")
    return ends


def _scalar(
    row: Row, grids: Grids, units: Units, *, stiffness: float = 0.0, damping: float = 0.0
) -> list[Part]:
    """Return the spring and damper between one component of two grid points, or of one and the ground."""
    where, ends = f"{row.name} {row.whole(1)}", _ends(row)
    if stiffness == damping == 0:
        return []
    components = {component for _, component in ends}
    if len(components) > 1 or components - set(_COMPONENTS):
        raise row.error(
            f"{where} joins the components {', '.join(sorted(components))}, which is not supported"
        )
    c = _COMPONENTS.index(components.pop())
    points = [grids.at(number, row.line) for number, _ in ends]
    axes = grids.axes(ends[0][0], row.line)
    if len(ends) == 2:
        if not np.allclose(axes, grids.axes(ends[1][0], row.line), atol=1e-9):
            raise row.error(f"{where} joins components of different directions (CD), which is not supported")
        arm = points[1] - points[0]
        across = np.linalg.norm(np.cross(axes[c % 3], arm))
        if c < 3 and across > 1e-9 * np.ptp(grids.points, axis=0).max():
            raise row.error(
                f"{where} joins grid points that are {across:g} apart across its direction: it would resist rigid "
                "rotations; use CBUSH"
            )
    k, d = np.zeros(6), np.zeros(6)
    k[c], d[c] = stiffness * units.stiffness[c, c], damping * units.stiffness[c, c] * units.time
    second = str(ends[1][0]) if len(ends) == 2 else None
    return [Spring(str(ends[0][0]), second, tuple(k), damping=tuple(d), axes=tuple(map(tuple, axes)))]


def _bush_values(row: Row) -> tuple[np.ndarray, bool]:
    """Return six stiffnesses and six viscous dampings (2, 6) of PBUSH, and whether it has structural damping."""
    values, structural = np.zeros((2, 6)), False
    at = 2
    while at <= len(row.words):
        word = row.word(at)
        if word in ("K", "B"):
            values["KB".index(word)] = row.reals(at + 1, 6, 0.0)
        elif word == "GE":
            structural = structural or bool(row.reals(at + 1, 6, 0.0).any())
        elif word == "M":
            raise row.error(f"PBUSH {row.whole(1)}: its mass is not supported; use CONM2")
        elif word not in ("", "RCV"):
            raise row.error(f"PBUSH {row.whole(1)}: {word!r} is none of K, B, GE, RCV")
        at += 8
    return values, structural


def _bush(row: Row, grids: Grids, values: np.ndarray, units: Units) -> Part:
    a, b = row.whole(3), row.whole(4, 0)
    start = grids.at(a, row.line)
    end = grids.at(b, row.line) if b else start
    axes = _bush_axes(row, grids, values, end - start)
    move, turn = np.eye(6), np.kron(np.eye(2), axes)
    if b:  # the spring acts at a point between the grid points, and our springs at the second
        place = start + row.real(9, 0.5) * (end - start)
        if row.word(10) not in ("", "-1"):  # S1, S2, S3 in a coordinate system
            place = grids.system(row.whole(10), row.line).points(row.reals(11, 3, 0.0)[None])[0]
        x, y, z = place - end
        # displacement at the point: that of the second grid point + rotation x arm
        move[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrices = move.T @ turn.T @ np.stack([np.diag(its) for its in values]) @ turn @ move
    K, D = 0.5 * (matrices + matrices.transpose(0, 2, 1)) * units.stiffness
    if not D.any():
        return Spring(str(a), str(b) if b else None, tuple(map(tuple, K)))
    return Spring(
        str(a), str(b) if b else None, tuple(map(tuple, K)), damping=tuple(map(tuple, D * units.time))
    )


def _short(row: Row, grids: Grids) -> bool:
    """Return whether the ends of a bush coincide, or it joins a grid point to the ground."""
    a, b = row.whole(3), row.whole(4, 0) or row.whole(3)
    arm = grids.at(b, row.line) - grids.at(a, row.line)
    return bool(np.linalg.norm(arm) <= 1e-12 * max(np.abs(grids.points).max(), 1e-300))


def _bush_axes(row: Row, grids: Grids, values: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return the axes of a bush: of CID, of GA to GB with an orientation, of the grid point if both coincide."""
    where, a = f"CBUSH {row.whole(1)}", row.whole(3)
    if row.word(8):
        return grids.system(row.whole(8), row.line).axes_at(grids.at(a, row.line))
    length = np.linalg.norm(arm)
    if _short(row, grids):
        return grids.axes(a, row.line)
    x = arm / length
    word = row.word(5)
    if word and word.isdecimal() and not row.word(6) and not row.word(7):
        side = grids.at(int(word), row.line) - grids.at(a, row.line)
    elif word or row.word(6) or row.word(7):
        side = row.reals(5, 3, 0.0) @ grids.axes(a, row.line)
    else:
        if (values[:, [1, 4]] != values[:, [2, 5]]).any():
            raise row.error(f"{where} has no orientation (CID, X1, X2, X3 or G0)")
        side = np.eye(3)[np.argmin(np.abs(x))]
    z = np.cross(x, side)
    if np.linalg.norm(z) < 1e-9 * np.linalg.norm(side):
        raise row.error(f"{where}: its orientation is parallel to it")
    z /= np.linalg.norm(z)
    return np.array([x, np.cross(z, x), z])
