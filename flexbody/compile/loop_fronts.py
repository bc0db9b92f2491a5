"""Fronts by which the closing rows of a tree are eliminated, see ``core/relative/loops.hpp``.

A row passes all hinges from the bodies that it acts on to the last link that carries all of them, its end. Rows that
end at a flexible body are eliminated at its hinge, with its modes. Of those that end at a rigid body or the ground,
each joint has a front of its own: joints meet where their rows pass the same hinge, and that with the fewest neighbours
is eliminated first, so that rows of many small loops stay apart.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..core.kinds import COORDINATE_FIRST, COORDINATE_SECOND, COUPLING, HOLONOMIC, ROW_FIRST, ROW_SECOND
from ..core.structures import Layout
from .links import watched_frames
from .offsets import offsets


@dataclass
class _Front:
    """Rows that meet: the first ``own`` of them are eliminated here, the others at the front ``next``."""

    rows: list[int]
    own: int
    next: int = -1


@dataclass
class _Row:
    """Where a closing row passes and ends: hinges, and a link (-1: the ground)."""

    joint: tuple[int, ...]
    passed: list[int]
    end: int


@dataclass
class _Meeting:
    """Rows that are left of some fronts, at a carrier: those that are eliminated there, by joint, and all."""

    front: int
    rows: set[int]
    joints: set[tuple[int, ...]] = field(default_factory=set)


def loop_fronts(
    L: Layout, closing: np.ndarray, body: np.ndarray, carrier: np.ndarray, own: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the arrays of :class:`flexbody.core.structures.Tree` for its closing rows.

    ``body``, ``carrier``: of each hinge; ``own``: its number of own speeds.
    """
    flexible = L.body_modes[body] > 0
    hinge = np.argsort(body)
    rows = {int(k): _way(L, int(k), hinge, carrier, flexible) for k in closing}
    passing: list[list[int]] = [[] for _ in body]
    for k, row in rows.items():
        for h in row.passed:
            passing[h].append(k)
    fronts = [_at_hinge(h, found, rows) for h, found in enumerate(passing)]
    children: dict[int, list[int]] = {}
    for h, c in enumerate(carrier):
        if passing[h]:
            children.setdefault(int(c), []).append(h)
    ending: dict[int, list[int]] = {}
    for k, row in rows.items():
        ending.setdefault(row.end, []).append(k)
    group_at = [len(fronts)]
    for c in range(-1, len(body)):
        if c >= 0 and flexible[c]:
            for h in children.get(c, []):
                fronts[h].next = c
        else:
            _add_fronts(fronts, c, children.get(c, []), ending.get(c, []), rows)
        group_at.append(len(fronts))
    return _arrays(L, rows, fronts, own, group_at)


def _way(L: Layout, k: int, hinge: np.ndarray, carrier: np.ndarray, flexible: np.ndarray) -> _Row:
    """Return where row k passes and ends."""
    frames = _frames(L, k)
    grounded = L.row_kind[k] >= HOLONOMIC or bool(np.any(L.frame_body[frames] < 0))
    ends = sorted({int(hinge[b]) for b in L.frame_body[frames] if b >= 0})
    paths = [_path(h, carrier) for h in ends]
    shared = set.intersection(*map(set, paths)) if paths and not grounded else set()
    end = max(shared, default=-1)  # (hinges come after those that carry them)
    passed = {h for path in paths for h in path} - shared
    if end >= 0 and flexible[end]:
        passed.add(end)
    return _Row((end, *ends), sorted(passed), end)


def _frames(L: Layout, k: int) -> np.ndarray:
    """Return the frames of row k."""
    if L.row_kind[k] >= COUPLING:
        return L.leg_frame[L.row_leg_at[k] : L.row_leg_at[k + 1]]
    return L.row_frame[k, [ROW_FIRST, ROW_SECOND]]


def _path(h: int, carrier: np.ndarray) -> list[int]:
    """Return the hinges from the ground to hinge h, the last one first."""
    out = []
    while h >= 0:
        out.append(h)
        h = int(carrier[h])
    return out


def _at_hinge(h: int, found: Sequence[int], rows: dict[int, _Row]) -> _Front:
    """Return the front of hinge h: rows that end at its flexible body first."""
    own = [k for k in found if rows[k].end == h]
    return _Front([*own, *(k for k in found if rows[k].end != h)], len(own))


def _add_fronts(
    fronts: list[_Front], c: int, children: Iterable[int], ending: Sequence[int], rows: dict[int, _Row]
) -> None:
    """Append the fronts of joints whose rows end at the rigid link c, and tell hinges and fronts where rows go."""
    own: dict[tuple[int, ...], list[int]] = {}
    for k in ending:
        own.setdefault(rows[k].joint, []).append(k)
    meetings: dict[int, _Meeting] = {}
    of_joint: dict[tuple[int, ...], set[int]] = {joint: set() for joint in own}

    def meet(front: int, left: set[int]) -> None:
        joints = {rows[k].joint for k in left if rows[k].end == c}
        fronts[front].next = c if left and not joints else -1
        if joints:
            meetings[front] = _Meeting(front, left, joints)
            for joint in joints:
                of_joint[joint].add(front)

    def neighbours(joint: tuple[int, ...]) -> int:
        return len(set().union(*(meetings[f].joints for f in of_joint[joint])))

    for h in children:
        meet(h, set(fronts[h].rows[fronts[h].own :]))
    queue = [(neighbours(joint), joint) for joint in own]
    heapq.heapify(queue)
    while queue:
        count, joint = heapq.heappop(queue)
        if joint not in own or count != neighbours(joint):
            continue  # eliminated, or in the queue again with another number
        first, number = own.pop(joint), len(fronts)
        absorbed = [meetings.pop(f) for f in sorted(of_joint.pop(joint))]
        left = set().union(*(m.rows for m in absorbed)) - set(first)
        near = set().union(*(m.joints for m in absorbed)) - {joint}
        for m in absorbed:
            fronts[m.front].next = number
            for other in m.joints - {joint}:
                of_joint[other].discard(m.front)
        fronts.append(_Front([*first, *sorted(left)], len(first)))
        meet(number, left)
        for other in near:
            heapq.heappush(queue, (neighbours(other), other))


def _order(fronts: Sequence[_Front], group_at: Sequence[int]) -> dict[int, int]:
    """Return the number of each row in the order of elimination: from the last link inward, each before its hinge."""
    found: dict[int, int] = {}
    for k in range(len(group_at) - 2, -1, -1):
        here = [*fronts[group_at[k] : group_at[k + 1]], *(fronts[k - 1 : k] if k else ())]
        for row in (row for front in here for row in front.rows[: front.own]):
            found[row] = len(found)
    return found


def _arrays(
    L: Layout, rows: dict[int, _Row], fronts: Sequence[_Front], own: np.ndarray, group_at: Sequence[int]
) -> dict[str, np.ndarray]:
    """Return the fronts as arrays; rows stand in each in the order of their elimination."""
    order = _order(fronts, group_at)
    for f in fronts:
        f.rows[f.own :] = sorted(f.rows[f.own :], key=order.__getitem__)
    sizes = np.array([len(f.rows) for f in fronts], dtype=np.int64)
    at = offsets(sizes)
    places = [{k: int(at[f]) + i for i, k in enumerate(front.rows)} for f, front in enumerate(fronts)]
    to = [-1 if i < f.own else places[f.next][k] for f in fronts for i, k in enumerate(f.rows)]
    speeds, matrices = sizes[: len(own)] * own, sizes**2
    frames: list[np.ndarray] = [_frames(L, k) for k in rows]
    watched = (
        [*frames, *L.coordinate[:, [COORDINATE_FIRST, COORDINATE_SECOND]], watched_frames(L)] if rows else []
    )
    used = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *watched]))
    total, nr = int(at[-1]), len(L.row_kind)
    return dict(
        closing_frame=used[used >= 0].astype(np.int64), front_at=at,
        front_row=np.array([k for f in fronts for k in f.rows], dtype=np.int64),
        front_to=np.array(to, dtype=np.int64), front_own=np.array([f.own for f in fronts], dtype=np.int64),
        front_next=np.array([f.next for f in fronts], dtype=np.int64), front_matrix_at=offsets(matrices),
        front_speed_at=offsets(speeds), group_at=np.array(group_at, dtype=np.int64),
        kept_active=np.full(nr, -1, dtype=np.int64), kept=np.zeros((len(fronts), 2), dtype=np.int64),
        kept_row=np.zeros(total, dtype=np.int64), kept_to=np.zeros(total, dtype=np.int64),
        row_load=np.zeros((total, 6)), row_start=np.zeros(total), row_left=np.zeros(total),
        row_matrix=np.zeros(int(matrices.sum())), row_own=np.zeros(int(speeds.sum())), row_right=np.zeros(nr),
        row_force=np.zeros(nr),
    )  # fmt: skip
