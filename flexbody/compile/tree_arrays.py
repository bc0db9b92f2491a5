"""The tree of a machine as flat arrays, for the relative description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.kinds import (
    ANY_HINGE,
    DRIVEN_BY,
    MOTION_AXIS,
    MOTION_KIND,
    ONE_TURN,
    OWN_MOTION,
    ROW_DRIVE,
    SHIFT,
    TURN,
)
from ..core.structures import Layout
from ..model.joints import Connection, Joint, Term
from ..model.sides import Body
from ..model.tree import Hinge, spanning_tree
from .links import ground_link, rigid_links, watched_frames
from .loop_fronts import loop_fronts
from .offsets import offsets

#: Free motions of a body without a joint: along the inertial axes, about its own axes.
FREE_MOTIONS = np.array([(SHIFT, axis, 0) for axis in range(3)] + [(TURN, axis, 1) for axis in range(3)])


def _driven_motion(joints: Mapping[str, Joint], term: Term) -> int | None:
    """Return which motion of its hinge a drive prescribes, or None if its coordinate is not one of the motions."""
    joint = joints.get(term.joint.name)
    rates = () if joint is None else joint.free_coordinates
    return rates.index(term.coordinate) if term.coordinate in rates else None


def _driven(
    items: Sequence[Connection],
    hinges: Sequence[Hinge],
    rows: Mapping[str, slice],
    L: Layout,
    bodies: Mapping[str, Body],
) -> tuple[np.ndarray, np.ndarray, dict[str, list[int]]]:
    """Return the driven motions, the places where their coordinates are zero, and rows of drives by joint."""
    motions = [_motions(hinge) for hinge in hinges]
    first = offsets([len(each) for each in motions])
    places = offsets([len(each) + _is_ball(hinge) for each, hinge in zip(motions, hinges, strict=True)])
    joints = {h.joint.name: h.joint for h in hinges if h.joint is not None}
    taken: set[tuple[str, int]] = set()
    number = {h.joint.name: k for k, h in enumerate(hinges) if h.joint is not None}
    driven = np.full((int(first[-1]), 3), -1, dtype=np.int64)
    zero = np.zeros(len(driven))
    own: dict[str, list[int]] = {}
    for item in items:
        motion = None if item.driven is None else _driven_motion(joints, item.driven)
        if item.driven is None or motion is None or (item.driven.joint.name, motion) in taken:
            continue
        taken.add((item.driven.joint.name, motion))
        joint = joints[item.driven.joint.name]
        k, row = number[joint.name], range(len(L.row_kind))[rows[item.name]][0]
        kinds = motions[k][:, MOTION_KIND]
        # places: first all shifts, then the angles
        order = sorted(range(len(kinds)), key=lambda i: (kinds[i] != SHIFT, i))
        driven[first[k] + motion] = L.row_frame[row, ROW_DRIVE], row, places[k] + order.index(motion)
        zero[first[k] + motion] = joint.reference(item.driven.which, bodies)
        own.setdefault(joint.name, []).append(row)
    return driven, zero, own


def _motions(hinge: Hinge) -> np.ndarray:
    """Return the free motions of a hinge as rows of ``Tree.motion``."""
    return FREE_MOTIONS if hinge.joint is None else hinge.joint.motion_rows()


def _is_ball(hinge: Hinge) -> bool:
    """Return whether Euler parameters describe the rotation of a hinge."""
    return hinge.joint is None or hinge.joint.is_ball


def _screw(hinge: Hinge, bodies: Mapping[str, Body]) -> tuple[float, float]:
    """Return the translation of a screw where its angle is zero, m, and per rad, m; zeros for other joints."""
    joint = hinge.joint
    return (
        (joint.reference("slide", bodies), joint.lead) if joint is not None and joint.threaded else (0.0, 0.0)
    )


def tree_arrays(
    bodies: Sequence[Body],
    items: Sequence[Connection],
    chosen: Mapping[str, Sequence[str]],
    L: Layout,
    frames: Mapping[str, Sequence[int]],
    rows: Mapping[str, slice],
    laws: Mapping[str, Any],
) -> dict[str, np.ndarray]:
    """Return the arrays of :class:`flexbody.core.structures.Tree`.

    ``items``: joints, drives, ...; ``chosen``: names of ``base``, ``keep`` and ``cut`` of :func:`spanning_tree`;
    ``frames``: numbers of the frames of each joint; ``rows``: its constraint rows; ``laws``: the motions of users'
    own joints. A drive of one motion of a hinge
    belongs to the hinge; rows of all else close loops.
    """
    joints: list[Any] = [item for item in items if item.hinge_coordinates is not None]
    hinges = spanning_tree(bodies, joints, **chosen).hinges
    nb, nv = len(hinges), int(L.v_at[-1])
    number = {"ground": -1, **{body.name: b for b, body in enumerate(bodies)}}
    motions = [_motions(hinge) for hinge in hinges]
    free = np.array([len(each) for each in motions], dtype=np.int64)
    ball = np.array([_is_ball(hinge) for hinge in hinges], dtype=np.int64)
    joined = [
        (-1, -1) if h.joint is None else tuple(frames[h.joint.name])[:: -1 if h.reversed else 1]
        for h in hinges
    ]
    by_name = {body.name: body for body in bodies}
    driven, zero, drives = _driven(items, hinges, rows, L, by_name)
    owned = [
        []
        if h.joint is None
        else [*range(len(L.row_kind))[rows[h.joint.name]], *drives.get(h.joint.name, [])]
        for h in hinges
    ]
    row = np.array([k for each in owned for k in each], dtype=np.int64)
    body = np.array([number[h.outer] for h in hinges], dtype=np.int64)
    inner = np.array([number[h.inner] for h in hinges], dtype=np.int64)
    frame = np.array(joined, dtype=np.int64).reshape(nb, 2)
    hinge = np.argsort(body)
    carrier = np.where(inner < 0, -1, hinge[inner])
    modes, carrier_modes = L.body_modes[body], np.where(inner < 0, 0, L.body_modes[inner])
    motion = np.concatenate([np.zeros((0, 3), dtype=np.int64), *motions])
    drive = np.flatnonzero(driven[:, DRIVEN_BY] >= 0)
    of_drive = np.searchsorted(np.cumsum(free), drive, side="right")
    own = free - np.bincount(of_drive, minlength=nb) + modes
    seat, rigid = rigid_links(L, body, carrier, frame)
    closing = np.setdiff1d(np.arange(len(L.row_kind)), row)
    z = np.zeros
    return dict(
        body=body, inner=inner, carrier=carrier, hinge=hinge,
        kind=_kinds(motion, offsets(free), own, modes + carrier_modes), frame=frame,
        reversed=np.array([h.reversed for h in hinges], dtype=np.int64), ball=ball,
        place_at=offsets(free + ball), speed_at=offsets(free), motion=motion, driven=driven, driven_from=zero,
        drive=np.column_stack([drive, of_drive]),
        **_own_hinges(motion, hinges, laws, L.length),
        screw=np.array([_screw(hinge, by_name) for hinge in hinges]).reshape(nb, 2), seat=seat, rigid=rigid,
        watched=watched_frames(L), own_at=offsets(own), matrix_at=offsets(own**2), modal_at=offsets(modes**2),
        carried_at=offsets(carrier_modes), row_at=offsets([len(each) for each in owned]),
        row=row, closing=closing, **loop_fronts(L, closing, body, carrier, own),
        c=z((nb, 3)), q=z((nb, 4)), given=z(len(driven)), missed=z(len(driven)), v=z(nv), vdot=z(nv),
        kept_c=z((nb, 3)), kept_q=z((nb, 4)), kept_v=z(nv), kept_vdot=z(nv), link=ground_link(nb),
        column=z((len(driven), 6)), carried=z((int(carrier_modes.sum()), 6)), held=z((int(modes.sum()), 6)),
        modal_column=z((int(modes.sum()), 6)), modal_inertia=z(int(np.sum(modes**2))),
        modal_load=z(int(modes.sum())), matrix=z(int(np.sum(own**2))), drag=z((int(own.sum()), 6)),
        own=z(int(own.sum())),
    )  # fmt: skip


def _own_hinges(
    motion: np.ndarray, hinges: Sequence[Hinge], laws: Mapping[str, Any], length: float
) -> dict[str, np.ndarray]:
    """Return the arrays of users' own hinges, and what counts as one unit of each speed.

    A unit is the machine's length, one rad, or what moves the sides of a user's hinge by the machine's length.
    """
    names = ["" if hinge.joint is None else hinge.joint.name for hinge in hinges]
    units = np.where(motion[:, MOTION_KIND] == SHIFT, length, 1.0)
    own = [laws[name].functions.units for name in names if name in laws]
    units[motion[:, MOTION_KIND] == OWN_MOTION] = np.concatenate([np.zeros(0), *own])
    return {
        "called": np.array([laws[name].address if name in laws else 0 for name in names], dtype=np.int64),
        "unit": units,
        "time": np.zeros(1),
        "carried_by_time": np.zeros((len(hinges), 6)),
    }


def _kinds(motion: np.ndarray, first: np.ndarray, own: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """Return the kind of each hinge, see HingeKind; ``modes`` counts those of both bodies."""
    single = (np.diff(first) == 1) & (own == 1) & (modes == 0)
    turn = motion[first[:-1][single]]
    out = np.full(len(own), ANY_HINGE, dtype=np.int64)
    out[single] = np.where((turn[:, MOTION_KIND] == TURN) & (turn[:, MOTION_AXIS] == 2), ONE_TURN, ANY_HINGE)
    return out
