"""Multi-point constraints of Abaqus and CalculiX as equations and rigid connections, linear about the drawn positions.

Sources: Abaqus Analysis Guide, "General multi-point constraints", and Theory Guide, "Revolute MPC", "Universal MPC";
CalculiX manual, ``*MPC``. The first node follows, except in STRAIGHT and PLANE, whose first nodes lead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from ...model.connections import Rigid
from .dialect import CALCULIX, dialect_of
from .keywords import Keyword
from .place import Placed
from .scope import Scope, Statement

#: constraints of a fixed number of nodes, and their number
_COUNTS = {
    **dict.fromkeys(("BEAM", "TIE", "PIN", "LINK"), 2),
    **{"SLIDER": 3, "LINEAR": 3, "QUADRATIC": 4, "BILINEAR": 5, "REVOLUTE": 3, "UNIVERSAL": 4},
}
#: constraints of any number of nodes, and how many of them lead
_LEADERS = {"STRAIGHT": 2, "PLANE": 3}
#: steps of Newton's method by which the place of a node in a face is found
_STEPS = 20


class Equations(Protocol):
    """What adds equations to a model, knows positions in m, and which nodes have rotations of their own."""

    turning: np.ndarray

    @property
    def x(self) -> np.ndarray:
        """Positions of the nodes in m."""
        ...

    def add_equation(self, name: str, terms: list[tuple[int, int, float]]) -> None:
        """Add the equation that the sum of coefficient times motion is zero."""
        ...

    def free_name(self, name: str) -> str:
        """Return a name that no other connection has."""
        ...


class MultiPointConstraints:
    """Turns the multi-point constraints of a model into parts."""

    def __init__(self, placed: Placed, connections: Equations) -> None:
        self._placed, self._to = placed, connections
        self._dialect = dialect_of(placed.model)
        self._beams: dict[int, list[int]] = {}

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read *MPC: each row has the kind, and nodes or node sets; a row that begins with 0 goes on with nodes."""
        word = statement.word
        joined: list[list[str]] = []
        for row in word.rows():
            if row[0] == "0" and joined:
                joined[-1] += row[1:]
            else:
                joined.append(row)
        for number, row in enumerate(joined, start=1):
            kind, entries = (
                " ".join(row[0].upper().split()),
                [entry for entry in row[1:] if entry not in ("", "0")],
            )
            if kind not in _COUNTS and kind not in _LEADERS:
                raise ValueError(
                    f"the constraint {kind} is not supported; there are {', '.join([*_COUNTS, *_LEADERS])}"
                )
            if kind == "BEAM" and not self._dialect:
                self._tell_beam(word)
            for k, nodes in enumerate(sets := list(self._nodes(scope, kind, entries))):
                name = f"{kind} {number}{f', {k + 1}' * (len(sets) > 1)} of {word.place}"
                self._constrain(word, kind, name, nodes)

    def _nodes(self, scope: Scope, kind: str, entries: list[str]) -> Iterator[list[int]]:
        """Yield the nodes of each constraint of a row; node sets have one node for each, or one for all."""
        found = [self._placed.find(scope, "nset", entry) for entry in entries]
        if kind in _LEADERS:
            leaders, all_of = _LEADERS[kind], [int(node) for nodes in found for node in nodes]
            if len(all_of) <= leaders:
                raise ValueError(f"{kind} needs more than {leaders} nodes, here are {len(all_of)}")
            for node in all_of[leaders:]:
                yield [node, *all_of[:leaders]]
            return
        if len(entries) != _COUNTS[kind]:
            raise ValueError(f"{kind} joins {_COUNTS[kind]} nodes or node sets, here are {len(entries)}")
        for entry, nodes in zip(entries, found, strict=True):
            if len(nodes) not in (1, len(found[0])):
                raise ValueError(f"{entries[0]!r} and {entry!r} hold {len(found[0])} and {len(nodes)} nodes")
        for k in range(len(found[0])):
            yield [int(nodes[k if len(nodes) > 1 else 0]) for nodes in found]

    def _tell_beam(self, word: Keyword) -> None:
        said = (
            f"the constraint BEAM in {word.place} is taken for a rigid bar, as in Abaqus; CalculiX keeps the "
            "distance of its nodes alone: write LINK here for that"
        )
        self._placed.raw.doubts += [said] * (said not in self._placed.raw.doubts)

    def _constrain(self, word: Keyword, kind: str, name: str, nodes: list[int]) -> None:
        follower, *leaders = nodes
        x = self._to.x[nodes]
        if kind == "BEAM" and self._dialect != CALCULIX:
            self._beams.setdefault(leaders[0], []).append(follower)
        elif kind in ("BEAM", "LINK"):
            self._add(name, nodes, [1.0, -1.0], _direction(kind, x[0] - x[1])[None])
        elif kind in ("SLIDER", "STRAIGHT"):
            along = _direction(kind, x[2] - x[1])
            self._add(name, nodes, _following(_on_line(x[0], x[1:])), _across(along))
        elif kind == "PLANE":
            normal = _direction(kind, np.cross(x[2] - x[1], x[3] - x[1]))
            self._add(name, nodes, _following(_in_triangle(x[0], x[1:], normal)), normal[None])
        elif kind in ("REVOLUTE", "UNIVERSAL"):
            self._joint(word, kind, name, nodes)
        else:
            weights = {"PIN": np.ones(1), "TIE": np.ones(1)}.get(kind)
            if weights is None:
                weights = _in_face(x[0], x[1:]) if kind == "BILINEAR" else _on_line(x[0], x[1:])
            self._add(name, nodes, _following(weights), np.eye(3))
            if kind != "PIN" and self._to.turning[nodes].all():
                self._add(name, nodes, _following(weights), np.eye(3), turns=True)

    def _joint(self, word: Keyword, kind: str, name: str, nodes: list[int]) -> None:
        """Add the equations of the rotations of the first two nodes: they differ about the axes of a joint alone."""
        x, raw = self._to.x, self._placed.raw
        arms = [x[node] - x[nodes[1]] for node in nodes[2:]]
        if kind == "REVOLUTE":
            held = _across(_direction(kind, arms[0]) if arms[0].any() else np.array([0.0, 0.0, 1.0]))
        else:
            first, second = (_direction(kind, arm) for arm in arms)
            if abs(first @ second) > 1e-6 or (x[nodes[0]] != x[nodes[1]]).any():
                raise ValueError(
                    "UNIVERSAL is read where its first two nodes are in one place, from which the third and the fourth "
                    "one lie along axes at a right angle"
                )
            held = np.cross(first, second)[None]
        self._add(name, nodes[:2], [1.0, -1.0], held, turns=True)
        free = " and ".join(f"of node {self._placed.node(node)}" for node in nodes[2:])
        why = "it turns freely, and no support, spring or load acts on it"
        raw.left_out.add(
            f"rotation {kind}, degree of freedom 6 {free}", why, word.place.removeprefix("line ")
        )

    def _add(
        self, name: str, nodes: list[int], weights: list[float], along: np.ndarray, turns: bool = False
    ) -> None:
        """Add an equation for each row e of ``along`` (n, 3): the sum of weight times e motion of a node is zero."""
        shift = 3 if turns else 0
        for k, e in enumerate(along, start=1 + shift):
            terms = [
                (node, shift + i, weight * e[i])
                for node, weight in zip(nodes, weights, strict=True)
                for i in range(3)
            ]
            self._to.add_equation(name if len(along) == 1 else f"{name}, {k}", terms)

    def finish(self) -> None:
        """Add the rigid connections of all BEAM constraints, one for each leader.

        A bar between two nodes of solids alone, which nothing turns, keeps their distance and no more.
        """
        raw = self._placed.raw
        for leader, followers in self._beams.items():
            reference, nodes = self._placed.node(leader), np.unique(followers)
            name, free = f"BEAM to node {reference}", not self._to.turning[[leader, *followers]].any()
            if free and len(nodes) == 1 and not any(reference in part.uses for part in raw.parts):
                along = _direction("BEAM", self._to.x[nodes[0]] - self._to.x[leader])
                self._add(name, [int(nodes[0]), leader], [1.0, -1.0], along[None])
                continue
            raw.node_sets[f"nodes of {name}"] = nodes
            raw.parts.append(Rigid(self._to.free_name(name), f"nodes of {name}", reference=reference))


def _direction(kind: str, along: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(along)
    if not length > 0:
        raise ValueError(f"the nodes of {kind} don't stand apart, and so give no direction")
    return np.asarray(along / length)


def _following(weights: np.ndarray) -> list[float]:
    return [1.0, *(-weights).tolist()]


def _across(e: np.ndarray) -> np.ndarray:
    """Return two directions (2, 3) at right angles to e and to each other."""
    first = np.cross(e, np.eye(3)[np.abs(e).argmin()])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(e, first)])


def _on_line(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the values (n,) at the foot of p of the polynomials that are one at one of the points x (n, 3)."""
    e = _direction("LINEAR or QUADRATIC", x[-1] - x[0])
    s, at = x @ e, p @ e
    if np.ptp(s) < 1e-12 or len(np.unique(s)) < len(s):
        raise ValueError("nodes of QUADRATIC stand in one place of the line")
    others = [np.delete(s, k) for k in range(len(s))]
    return np.array([np.prod((at - o) / (s[k] - o)) for k, o in enumerate(others)])


def _in_triangle(p: np.ndarray, x: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the shares (3,) of the corners x (3, 3) in a point p of their plane."""
    doubled = np.cross(x[1] - x[0], x[2] - x[0]) @ normal
    second, third = (np.cross(p - x[0], x[2] - x[0]) @ normal, np.cross(x[1] - x[0], p - x[0]) @ normal)
    return np.array([doubled - second - third, second, third]) / doubled


def _in_face(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the values (4,) of the bilinear shape functions of a face with corners x (4, 3) nearest to p."""
    turns = np.cross(np.roll(x, -1, axis=0) - x, np.roll(x, -2, axis=0) - np.roll(x, -1, axis=0))
    if not (turns @ turns.sum(axis=0) > 0).all():
        raise ValueError("the last four nodes of BILINEAR must go round a convex face")
    corner = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    at = np.zeros(2)
    for _ in range(_STEPS):
        one = 1 + corner * at
        slopes = np.stack([corner[:, 0] * one[:, 1], corner[:, 1] * one[:, 0]]) / 4
        at = at + np.linalg.lstsq((slopes @ x).T, p - one.prod(axis=1) @ x / 4, rcond=None)[0]
    return np.asarray((1 + corner * at).prod(axis=1) / 4)
