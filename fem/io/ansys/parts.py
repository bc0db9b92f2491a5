"""Masses, springs, couplings and constraints of ANSYS archives as parts, in SI."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.connections import Averaged, Rigid
from ...model.equations import Equation
from ...model.freedoms import NAMES
from ...model.parts import Part, PointMass, Spring
from ...model.tie import Tie
from ..raw import RawMesh
from ..turned_components import global_terms, same_in_all_axes
from ..units import Units
from .blocks import DeckError, ElementBlock
from .deck import Deck
from .elements import select
from .properties import rotation

#: position of a component in the six stiffnesses of a spring, by KEYOPT(2) of COMBIN14
_ALONG = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5}

#: KEYOPT(12) of contact elements whose surfaces neither open nor slide
_BONDED = (3, 5, 6)


def masses(
    deck: Deck, raw: RawMesh, block: ElementBlock, units: Units, angles: dict[int, np.ndarray]
) -> None:
    """Add the MASS21 elements of a type: six constants, or one mass (KEYOPT(3) = 2).

    ``angles``: rotations of nodal systems, whose axes are those of the inertia with KEYOPT(2) = 1.
    """
    for k in range(len(block.number)):
        option = deck.options.get((int(block.type[k]), 3), 0)
        if deck.options.get((int(block.type[k]), 1), 0):
            raise DeckError(
                int(block.lines[k]),
                f"MASS21 element {block.number[k]} with KEYOPT(1) = 1 (volumes, not masses) is not supported",
            )
        values = [*deck.reals.get(int(block.real[k]), []), *[0.0] * 6]
        if option not in (0, 2):
            raise DeckError(
                int(block.lines[k]),
                f"MASS21 element {block.number[k]} with KEYOPT(3) = {option}: 0 and 2 are read",
            )
        mass = np.array(values[:3] if option == 0 else [values[0]] * 3) * units.mass
        inertia = np.array(values[3:6]) * units.inertia if option == 0 else np.zeros(3)
        if np.ptp(mass) > 1e-12 * mass.max(initial=0.0):
            raise DeckError(
                int(block.lines[k]),
                f"MASS21 element {block.number[k]} has masses that differ with the direction",
            )
        if not mass[0] and not inertia.any():
            deck.left_out.add("MASS21 without mass", "it adds nothing", str(block.lines[k]))
            continue
        node = int(block.nodes[k, 0])
        tensor = np.diag(inertia)
        if node in angles and deck.options.get((int(block.type[k]), 2), 0) == 1:
            axes = rotation(*np.radians(angles[node]))
            tensor = axes.T @ tensor @ axes
        its = (
            tuple(map(tuple, tensor.tolist()))
            if np.ptp(tensor - np.diag(inertia))
            else tuple(inertia.tolist())
        )
        raw.parts.append(PointMass(str(node), float(mass[0]), its if inertia.any() else None))
        raw.say_lines(f"line {block.lines[k]}")


def springs(
    deck: Deck, raw: RawMesh, block: ElementBlock, units: Units, angles: dict[int, np.ndarray]
) -> None:
    """Add the COMBIN14 elements of a type, springs with linear dampers."""
    for k in range(len(block.number)):
        kind = int(block.type[k])
        along, turning = deck.options.get((kind, 2), 0), deck.options.get((kind, 3), 0)
        values = deck.reals.get(int(block.real[k]), []) or [0.0]
        values = [*values, 0.0, 0.0][:3]
        if values[2]:
            deck.left_out.add("COMBIN14", "its quadratic damping; use fb.SpringDamper", str(block.lines[k]))
        first, second = (int(n) for n in block.nodes[k, :2])
        scale = np.array([1.0, units.time])  # of stiffness and damping
        given: Any = np.multiply(values[:2], scale) * units.force / units.length
        if turning not in (0, 1, 2) or (along == 0 and turning == 1) or along not in (0, *_ALONG):
            raise DeckError(
                int(block.lines[k]),
                f"COMBIN14 element {block.number[k]} with KEYOPT(2) = {along}, KEYOPT(3) = {turning} is not supported",
            )
        if along:
            _check_angles([first, second], angles, int(block.lines[k]), "a spring")
            place = _ALONG[along]
            given = np.zeros((2, 6))
            given[:, place] = np.multiply(values[:2], scale) * units.stiffness[place, place]
        if not any(values[:2]):
            deck.left_out.add("COMBIN14 without stiffness", "it adds nothing", str(block.lines[k]))
        else:
            stiffness, damping = given.tolist()
            raw.parts.append(Spring(str(first), str(second) if second else None, stiffness, damping=damping))
            raw.say_lines(f"line {block.lines[k]}")


def contacts_and_pilots(
    deck: Deck,
    raw: RawMesh,
    targets: ElementBlock,
    contacts: ElementBlock | None,
    angles: dict[int, np.ndarray],
    length: float,
) -> None:
    """Add the couplings of pilot nodes and the ties of bonded surfaces.

    A pilot node is a TARGE170 of one node, other TARGE170 are surfaces. They belong to the contact elements with the
    same constants. ``length``: the unit of length, m.
    """
    alone = (targets.nodes > 0).sum(axis=1) == 1
    for k in np.flatnonzero(alone).tolist():
        raw.parts.append(_pilot(deck, raw, targets, contacts, angles, k))
        raw.say_lines(f"line {targets.lines[k]}")
    surfaces = select(targets, np.flatnonzero(~alone))
    _bonded(deck, raw, surfaces, contacts, set(targets.real[alone].tolist()), length)


def _pilot(
    deck: Deck,
    raw: RawMesh,
    targets: ElementBlock,
    contacts: ElementBlock | None,
    angles: dict[int, np.ndarray],
    k: int,
) -> Part:
    """Return the coupling of the pilot node in row ``k`` of ``targets``."""
    chosen = _followed(deck, targets, k)
    mine = contacts.real == targets.real[k] if contacts is not None else np.zeros(0, bool)
    if contacts is None or not mine.any():
        raise DeckError(
            int(targets.lines[k]), f"the pilot node {targets.nodes[k, 0]} has no contact elements"
        )
    line = int(contacts.lines[np.flatnonzero(mine)[0]])
    kind = int(contacts.type[np.flatnonzero(mine)[0]])
    how = deck.options.get((kind, 4), 0)
    if deck.options.get((kind, 2), 0) != 2 or how not in (1, 2):
        raise DeckError(
            line,
            f"contact elements of type {kind} at a pilot node: KEYOPT(2) = 2 (MPC) with KEYOPT(4) = 1 (distributed "
            "force) or 2 (rigid) is read",
        )
    pilot = int(targets.nodes[k, 0])
    nodes = np.unique(contacts.nodes[mine])
    if not same_in_all_axes(dict.fromkeys(NAMES if chosen == "all" else chosen, 0.0)):
        _check_angles([pilot, *nodes.tolist()], angles, line, "a pilot node with KEYOPT(4)")
    name = f"pilot {pilot}"
    raw.node_sets[name] = position_of(raw, nodes[(nodes > 0) & (nodes != pilot)], line)
    make = Averaged if how == 1 else Rigid
    return make(f"coupling {pilot}", name, reference=str(pilot), components=chosen)


def _bonded(
    deck: Deck,
    raw: RawMesh,
    targets: ElementBlock,
    contacts: ElementBlock | None,
    piloted: set[int],
    length: float,
) -> None:
    """Add the ties of bonded contact; what can open or slide is left out, and the second of a symmetric pair."""
    pairs: list[tuple[int, np.ndarray, np.ndarray]] = []
    if contacts is None:
        return
    for real in sorted({*contacts.real.tolist(), *targets.real.tolist()} - piloted):
        its, onto = contacts.real == real, targets.real == real
        if not its.any() or not onto.any():
            block, where = (contacts, its) if its.any() else (targets, onto)
            what = "contact elements have no target" if its.any() else "target elements have no contact"
            line = str(block.lines[np.flatnonzero(where)[0]])
            raw.left_out.add(f"contact pair {real}", f"its {what} elements or pilot node", line)
            continue
        line = int(contacts.lines[np.flatnonzero(its)[0]])
        kind = int(contacts.type[np.flatnonzero(its)[0]])
        if deck.options.get((kind, 12), 0) not in _BONDED:
            raw.left_out.add(f"contact pair {real}", "contact is left out: its surfaces are free", str(line))
            continue
        nodes, faces = (np.unique(each[each > 0]) for each in (contacts.nodes[its], targets.nodes[onto]))
        before = [k for k, a, b in pairs if np.array_equal(a, faces) and np.array_equal(b, nodes)]
        if before:
            raw.left_out.add(
                f"contact pair {real}", f"it ties the surfaces of pair {before[0]} again", str(line)
            )
            continue
        pairs.append((real, nodes, faces))
        names = f"contact {real}", f"target {real}"
        for name, members in zip(names, (nodes, faces), strict=True):
            raw.node_sets[name] = position_of(raw, members, line)
        if deck.options.get((kind, 2), 0) != 2:
            raw.left_out.add(
                f"contact stiffness of pair {real}", "bonded surfaces are tied without any", str(line)
            )
        pinball = [*deck.reals.get(real, []), *[0.0] * 6][5]
        reach = -pinball * length if pinball < 0 else None
        raw.parts.append(Tie(*names, tolerance=reach))
        raw.say_lines(f"line {line}")


def _followed(deck: Deck, targets: ElementBlock, k: int) -> str | tuple[str, ...]:
    """Return the components of KEYOPT(4) of TARGE170: six digits 0 or 1 for rz, ry, rx, z, y, x; 0 means all."""
    given = deck.options.get((int(targets.type[k]), 4), 0)
    digits = f"{given:06d}"[::-1]
    if not 0 <= given <= 111111 or set(digits) - set("01"):
        raise DeckError(
            int(targets.lines[k]),
            f"the pilot node {targets.nodes[k, 0]} has KEYOPT(4) = {given} of TARGE170; six digits 0 or 1 are read",
        )
    if given in (0, 111111):
        return "all"
    return tuple(name for name, digit in zip(NAMES, digits, strict=True) if digit == "1")


def position_of(raw: RawMesh, ids: np.ndarray, line: int) -> np.ndarray:
    """Return the positions of node numbers in the mesh."""
    order = np.argsort(raw.node_ids, kind="stable")
    at = np.minimum(np.searchsorted(raw.node_ids[order], ids), len(order) - 1)
    wrong = raw.node_ids[order][at] != ids
    if wrong.any():
        raise DeckError(line, f"node {ids[wrong][0]} does not exist")
    return order[at]


def equations(deck: Deck, raw: RawMesh, angles: dict[int, np.ndarray], units: Units) -> None:
    """Add constraint equations (CE) and couplings of equal components (CP), in SI."""

    def axes(node: int) -> np.ndarray:
        return rotation(*np.radians(angles[node])) if node in angles else np.eye(3)

    for number, equation in deck.equations.items():
        if equation.constant:
            raise DeckError(
                equation.line,
                f"the constraint equation {number} has the constant {equation.constant:g}; 0 is read",
            )
        if equation.terms:
            terms: dict[tuple[str, str], float] = {}
            for node, component, value in equation.terms:
                scale = units.length if component.startswith("r") else 1.0
                for at, name, coefficient in global_terms(str(node), component, value * scale, axes(node)):
                    terms[at, name] = terms.get((at, name), 0.0) + coefficient
            rows = [(at, name, value) for (at, name), value in terms.items()]
            raw.parts.append(Equation(f"CE {number}", rows))
            raw.say_lines(f"line {equation.line}")
    for number, (line, component, nodes) in deck.couplings.items():
        for other in nodes[1:]:
            own = global_terms(str(other), component, 1.0, axes(other))
            first = global_terms(str(nodes[0]), component, -1.0, axes(nodes[0]))
            raw.parts.append(Equation(f"CP {number}, node {other}", own + first))
            raw.say_lines(f"line {line}")


def _check_angles(nodes: list[int], angles: dict[int, np.ndarray], line: int, what: str) -> None:
    turned = [node for node in nodes if node in angles]
    if turned:
        raise DeckError(
            line, f"node {turned[0]} of {what} has turned axes (NROTAT), which are not supported there"
        )
