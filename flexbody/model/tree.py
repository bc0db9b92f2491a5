"""The tree of a machine: which joints carry the bodies from the ground outward, and which joints close loops.

The bodies and the ground are the vertices of a graph, the joints its arcs, Sol (1983), chapter 4. A joint in the tree
is a hinge: its free motions are coordinates. Each other joint is a cut joint (Sol: a chord): its constraints close a
loop.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fem.common.errors import InputError, called, few, listing

from ..core.kinds import ATTITUDE, COUPLING, POINT
from .joints import Joint
from .sides import Body

#: Number of the ground; body k of the tree has the number k + 1, so that column k of T belongs to hinge k.
GROUND_NUMBER = 0
#: Coordinates of a body that hangs on a free joint: three translations and three rotations.
FREE_COORDINATES = 6
#: What the constraints of each kind hold, for messages.
HELD = {POINT: "position", ATTITUDE: "direction", COUPLING: "length or angle"}


class Hinge(NamedTuple):
    """A joint of the tree, which leads from an inner body to an outer body.

    Parameters
    ----------
    joint : Joint or None
        The joint; None for the free joint of a body that no joint connects to the ground.
    inner, outer : str
        Names of the bodies; the inner one is nearer to the ground, whose name is "ground".
    coordinates : int
        Number of its free motions.
    reversed : bool
        Whether the outer body is the first side of the joint.
    """

    joint: Joint | None
    inner: str
    outer: str
    coordinates: int
    reversed: bool = False

    @property
    def label(self) -> str:
        """Kind and name of the joint."""
        return self.joint.label if self.joint is not None else f"free joint of '{self.outer}'"


class CutJoint(NamedTuple):
    """A joint that is cut; its constraints close a loop.

    Parameters
    ----------
    joint : Joint
        The joint.
    first, second : str
        Names of the bodies of its sides.
    rows : int
        Number of its constraints.
    loop : tuple of Hinge
        The hinges of its loop: from the first body inward to the innermost body, then outward to the second body.
    reason : str
        Why this joint is cut.
    """

    joint: Joint
    first: str
    second: str
    rows: int
    loop: tuple[Hinge, ...]
    reason: str

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies of its loop, from the first to the second."""
        found = [self.first]
        for hinge in self.loop:
            found.append(hinge.inner if hinge.outer == found[-1] else hinge.outer)
        return tuple(found)

    @property
    def kinds(self) -> str:
        """What its constraints hold, such as "3 of position, 2 of direction"."""
        counts = Counter(row.kind for row in self.joint.rows)
        found = [f"{counts[kind]} of {word}" for kind, word in HELD.items() if counts[kind]]
        return ", ".join(found) or f"{self.rows} of its functions"


class _Arc(NamedTuple):
    """A joint as an arc between the numbers of two bodies in the system (the ground is -1)."""

    joint: Joint
    first: int
    second: int
    rows: int


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Spanning tree of a machine with a regular numbering: a body comes after the body that carries it.

    Attributes
    ----------
    hinges : tuple of Hinge
        Hinge k leads to body k of the tree.
    cut_joints : tuple of CutJoint
        The joints that are cut.
    """

    hinges: tuple[Hinge, ...]
    cut_joints: tuple[CutJoint, ...]

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies in the order of the tree."""
        return tuple(hinge.outer for hinge in self.hinges)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {"ground": GROUND_NUMBER, **{name: k for k, name in enumerate(self.bodies, 1)}}

    @cached_property
    def predecessors(self) -> np.ndarray:
        """Number of the body that carries each body, (n,); 0 is the ground. Column l of Sol (4.3.5)."""
        return np.array([self._number[hinge.inner] for hinge in self.hinges], dtype=np.int64)

    @cached_property
    def depths(self) -> np.ndarray:
        """Number of hinges between the ground and each body, (n,)."""
        found = np.zeros(len(self.hinges) + 1, dtype=np.int64)
        for k, inner in enumerate(self.predecessors, 1):
            found[k] = found[inner] + 1
        return found[1:]

    @property
    def location(self) -> np.ndarray:
        """Location matrix L, (n + 1, n), Sol (4.3.1): 1 where hinge k ends, -1 where it starts; row 0 is the ground."""
        n = len(self.hinges)
        L = np.zeros((n + 1, n), dtype=np.int64)
        L[np.arange(1, n + 1), np.arange(n)] = 1
        L[self.predecessors, np.arange(n)] = -1
        return L

    @property
    def cut_location(self) -> np.ndarray:
        """Location matrix of the cut joints, (n + 1, nc), Sol (4.3.2): -1 at the first body, 1 at the second."""
        L = np.zeros((len(self.hinges) + 1, len(self.cut_joints)), dtype=np.int64)
        for k, cut in enumerate(self.cut_joints):
            L[self._number[cut.first], k] = -1
            L[self._number[cut.second], k] = 1
        return L

    @property
    def path_matrix(self) -> np.ndarray:
        """Matrix T of the paths, (n, n), Sol (4.3.6): 1 where hinge k lies between the ground and body i."""
        T = np.eye(len(self.hinges), dtype=np.int64)
        for i, inner in enumerate(self.predecessors):
            if inner != GROUND_NUMBER:
                T[:, i] += T[:, inner - 1]
        return T

    def path(self, body: str) -> tuple[Hinge, ...]:
        """Return the hinges from the ground to a body of that name, in this order."""
        found, k = [], self._number[body]
        while k != GROUND_NUMBER:
            found.append(self.hinges[k - 1])
            k = int(self.predecessors[k - 1])
        return tuple(reversed(found))


def spanning_tree(
    bodies: Sequence[Body],
    joints: Sequence[Joint],
    *,
    keep: Collection[str] = (),
    cut: Collection[str] = (),
    base: Collection[str] = (),
) -> Tree:
    """Return the tree with the fewest closing constraints.

    Parameters
    ----------
    bodies : sequence of Body
        The bodies of the machine.
    joints : sequence of Joint
        Its joints, without drives, couplings and constraints.
    keep : collection of str, optional
        Names of joints that belong to the tree.
    cut : collection of str, optional
        Names of joints that close loops.
    base : collection of str, optional
        Names of bodies that hang on free joints.

    Returns
    -------
    Tree
        The tree. Bodies that no joint connects to the ground hang on a free joint of the body in their middle.

    Raises
    ------
    fem.InputError
        The joints of ``keep`` form a loop, or one of them can't carry a body.

    Notes
    -----
    A spanning tree with the largest number of constraints has the fewest closing constraints, and it cuts the joints
    with the most coordinates, as Sol (1983), 4.2, advises. It is built from the ground outward: the joint with the most
    constraints that leads to a new body comes next (Prim); of equal joints the one nearest to the ground, which gives
    short paths; of these once that of the body reached first and once that of the body reached last. The tree in which
    fewer loops pass the same hinges is taken. A :class:`flexbody.Distance` is always cut.
    """
    numbers = {body.name: k for k, body in enumerate(bodies)}
    if both := set(keep) & set(cut):
        raise InputError(
            f"keep= and cut= both contain {listing(sorted(both))}; a joint can only be in one of them"
        )
    rods = [joint for joint in joints if not joint.carries]
    if kept := [rod for rod in rods if rod.name in keep]:
        names = few([rod.label for rod in kept])
        raise InputError(f"keep= contains {names}, which can't carry a body: {kept[0].why_cut}; leave it out")
    arcs = [
        _Arc(
            joint,
            numbers.get(joint.first.body.name, -1),
            numbers.get(joint.second.body.name, -1),
            FREE_COORDINATES - joint.hinge_coordinates,
        )
        for joint in joints
    ]
    left_out = {*cut, *(rod.name for rod in rods)}
    based = {numbers[name] for name in base}

    def grown(latest_first: bool) -> Tree:
        chosen = _grow(len(bodies), arcs, set(keep), left_out, based, latest_first)
        _check_kept(arcs, chosen, set(keep))
        return _with_loops(Tree(_numbered(bodies, chosen), ()), arcs, set(cut))

    tree = grown(latest_first=False)
    return min(tree, grown(latest_first=True), key=_shared_hinges) if tree.cut_joints else tree


def _with_loops(tree: Tree, arcs: Sequence[_Arc], cut: set[str]) -> Tree:
    """Return a tree with its cut joints."""
    in_tree = {hinge.joint.name for hinge in tree.hinges if hinge.joint is not None}
    cut_joints = [_cut_joint(tree, arc.joint, cut) for arc in arcs if arc.joint.name not in in_tree]
    return Tree(tree.hinges, tuple(cut_joints))


def _shared_hinges(tree: Tree) -> int:
    """Return the work of the loops of a tree: of each hinge, the square of the constraints that close loops over it."""
    passing = Counter(hinge.outer for cut in tree.cut_joints for hinge in cut.loop for _ in range(cut.rows))
    return sum(number**2 for number in passing.values())


def joint_names(machine: Any, given: Sequence[Any], what: str) -> list[str]:
    """Return the names of the joints of a machine that are given as ``keep`` or ``cut``."""
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InputError(f"{what}= is {called(given)}; give a list of joints: {what}=[...]")
    found = [machine.joint(which) for which in given]
    if wrong := [item.label for item in found if item.hinge_coordinates is None]:
        raise InputError(f"{what}= contains {few(wrong)}, which connects no two bodies; give joints")
    return [item.name for item in found]


def _grow(
    n: int, arcs: list[_Arc], kept: set[str], cuts: set[str], based: set[int], latest_first: bool
) -> dict[int, tuple[int, _Arc | None]]:
    """Return for each body, in the order of growth, the body that carries it (-1: the ground) and its joint.

    ``latest_first``: of equal joints that of the body which was reached last.
    """
    at: dict[int, list[_Arc]] = {k: [] for k in range(-1, n)}
    for arc in arcs:
        if arc.joint.name not in cuts:
            at[arc.first].append(arc)
            at[arc.second].append(arc)
    chosen: dict[int, tuple[int, _Arc | None]] = {}
    depth = {-1: 0}
    number = itertools.count(0, -1 if latest_first else 1)
    heap: list[tuple[Any, ...]] = [
        (False, 1, 1, k, -1, k, None) for k in sorted(based)
    ]  # a base comes before all joints

    def reach(body: int) -> None:
        for arc in at[body]:
            other = arc.second if arc.first == body else arc.first
            if other not in depth:
                order = (arc.joint.name not in kept, -arc.rows, depth[body], next(number))
                heapq.heappush(heap, (*order, body, other, arc))

    heapq.heapify(heap)
    reach(-1)
    while len(chosen) < n:
        if not heap:
            middle = _middle(next(k for k in range(n) if k not in chosen), at, chosen)
            heap.append((True, 1, 1, 0, -1, middle, None))
        *_, inner, outer, arc = heapq.heappop(heap)
        if outer not in depth:
            depth[outer] = depth[inner] + 1
            chosen[outer] = inner, arc
            reach(outer)
    return chosen


def _middle(start: int, at: dict[int, list[_Arc]], known: Collection[int]) -> int:
    """Return a body in the middle of the bodies that joints connect with body ``start`` but not with the ground."""
    inner: dict[int, int] = {}

    def farthest(body: int) -> int:
        inner.clear()
        inner[body] = body
        order = [body]
        for k in order:
            for arc in at[k]:
                other = arc.second if arc.first == k else arc.first
                if other not in inner and other not in known:
                    inner[other] = k
                    order.append(other)
        return order[-1]

    path = [farthest(farthest(start))]
    while inner[path[-1]] != path[-1]:
        path.append(inner[path[-1]])
    return min(path[(len(path) - 1) // 2], path[len(path) // 2])


def _check_kept(arcs: list[_Arc], chosen: dict[int, tuple[int, _Arc | None]], kept: set[str]) -> None:
    in_tree = {arc.joint.name for _, arc in chosen.values() if arc is not None}
    if missing := [arc.joint.label for arc in arcs if arc.joint.name in kept - in_tree]:
        raise InputError(
            f"the joints of keep= and the bodies of base= form a loop: {few(missing)} can't be in the tree as "
            "well; leave one joint of the loop out of keep="
        )


def _numbered(bodies: Sequence[Body], chosen: dict[int, tuple[int, _Arc | None]]) -> tuple[Hinge, ...]:
    """Return the hinges branch by branch: regular numbers, and the bodies of each branch consecutive."""
    names = {-1: "ground", **{k: body.name for k, body in enumerate(bodies)}}
    outward: dict[int, list[int]] = {k: [] for k in names}
    for outer in sorted(chosen, reverse=True):
        outward[chosen[outer][0]].append(outer)
    found, stack = [], list(outward[-1])
    while stack:
        outer = stack.pop()
        inner, arc = chosen[outer]
        if arc is None:
            found.append(Hinge(None, "ground", names[outer], FREE_COORDINATES))
        else:
            turned = arc.first == outer
            found.append(Hinge(arc.joint, names[inner], names[outer], FREE_COORDINATES - arc.rows, turned))
        stack += outward[outer]
    return tuple(found)


def _cut_joint(tree: Tree, joint: Joint, cuts: set[str]) -> CutJoint:
    first, second = (side.body.name for side in joint.sides())
    inward, outward = tree.path(first), tree.path(second)
    common = 0
    while common < min(len(inward), len(outward)) and inward[common] is outward[common]:
        common += 1
    loop = (*reversed(inward[common:]), *outward[common:])
    return CutJoint(joint, first, second, _rows(joint), loop, _reason(joint, loop, cuts))


def _rows(joint: Joint) -> int:
    """Return the number of constraints of a joint."""
    return FREE_COORDINATES - joint.hinge_coordinates


def _reason(joint: Joint, loop: tuple[Hinge, ...], cuts: set[str]) -> str:
    if joint.name in cuts:
        return "cut= contains it"
    if not joint.carries:
        return joint.why_cut
    others = [_rows(hinge.joint) for hinge in loop if hinge.joint is not None]
    if any(hinge.joint is None for hinge in loop):
        return "its loop contains the free joint of a body in base="
    if not others or _rows(joint) < min(others):
        return f"the fewest constraints of its loop ({_rows(joint)}; the others have {_range(others)})"
    if _rows(joint) == min(others):
        return "none of its loop has fewer constraints, and this cut keeps the paths short"
    return "keep= contains the joints with fewer constraints"


def _range(numbers: list[int]) -> str:
    if not numbers:
        return "none"
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
