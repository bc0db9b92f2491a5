"""Constraint rows and joint coordinates as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise
from typing import Any

import numpy as np

from ..core.kinds import (
    ALONG,
    BETWEEN,
    COUPLING,
    ELASTIC,
    FIRST,
    GEOMETRY,
    HOLONOMIC,
    LINE,
    POINT,
    ROTATION,
    SECOND,
    SLIP_RATES,
)
from ..functions.time_law import NO_LAW, Law
from ..model.drives import Drive
from ..model.joints import Connection, Joint, Term
from ..model.joints.recorded_rows import Slipping, recorded
from ..model.sides import Body, FrameData
from .carriers import carrier_arrays
from .elimination import elimination_arrays, side_blocks
from .offsets import offsets

Places = dict[str, tuple[int, ...]]  # "joint NAME": its frames


def slices(at: np.ndarray) -> list[slice]:
    """Return the slices of consecutive pieces between these starts."""
    return [slice(int(first), int(last)) for first, last in pairwise(at)]


class Coordinates:
    """The joint coordinates that rows and forces use, and the other joint angles, each once.

    ``joints`` and ``bodies`` are those of the system, by name.
    """

    def __init__(
        self, joints: Mapping[str, Joint], bodies: Mapping[str, Body], frames: list[FrameData], at: Places
    ) -> None:
        self.joints, self.bodies, self.frames, self.at = joints, bodies, frames, at
        self.number: dict[tuple[str, str], int] = {}
        self._rows: list[tuple[int, ...]] = []
        self._values: list[tuple[float, float]] = []

    def find(self, joint: Joint, which: str) -> int:
        """Return the index of a coordinate of the joint of that name in the system."""
        key = (joint.name, which)
        if key not in self.number:
            self.number[key] = len(self._rows)
            found = self.joints[joint.name]
            i, j = self.at[f"joint {joint.name}"]
            c = found.coordinates[which]
            self._rows.append((c.kind, i, j, c.a, c.b, c.c, c.host))
            self._values.append((c.sign, found.reference(which, self.bodies)))
        return self.number[key]

    def drawn(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return axes (1, 3, 3) and position (1, 3), m, of a frame in the drawn configuration."""
        data = self.frames[frame]
        return data.A[None], data.drawn(self.bodies)[None]

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the table (nc, 7) and the values (nc, 2), see :class:`flexbody.core.structures.Layout`."""
        table, values = np.array(self._rows, dtype=np.int64), np.array(self._values, dtype=float)
        return table.reshape(-1, 7), values.reshape(-1, 2)

    def count_angles(self) -> int:
        """Add the other joint angles, whose revolutions are counted too; return the number of those before them."""
        used = len(self._rows)
        for joint in self.joints.values():
            for which, coordinate in joint.coordinates.items():
                if coordinate.kind == ROTATION:
                    self.find(joint, which)
        return used

    def initial_values(self, drives: Sequence[Drive]) -> np.ndarray:
        """Return the initial values near which coordinates are determined: zero, or the start of a drive, (nc,)."""
        out = np.zeros(len(self._rows))
        for drive in drives:
            k = self.number.get((drive.joint.name, drive.coordinate))
            if k is not None:
                out[k] = drive.start()
        return out


#: The tape of a row that has none.
_NO_TAPE = np.zeros((0, 3), dtype=np.int64), np.zeros(0)


class Rows:
    """Collects the rows of all joints, drives, couplings and user constraints."""

    def __init__(self, coordinates: Coordinates, at: Places, length: float) -> None:
        self.coordinates, self.at, self.length = coordinates, at, length
        self.kind: list[int] = []
        self.frame: list[tuple[int, int]] = []
        self.axis: list[tuple[int, int]] = []
        self.drive: list[int] = []
        self.scale: list[float] = []
        self.legs: list[list[int]] = []
        self.parts: list[list[tuple[int, int, int]]] = []
        self.factors: list[list[float]] = []
        self.tapes: list[tuple[np.ndarray, np.ndarray]] = []
        self.addresses: list[int] = []
        self.recorded: dict[
            str, list[tuple[np.ndarray, np.ndarray]]
        ] = {}  # tapes of each user constraint in the drawn configuration
        self.hinges: dict[str, Any] = {}  # motions of users' own joints, see HingeMotionLaw
        self.slips: list[tuple[np.ndarray, np.ndarray]] = []  # recorded rates of slip, see slip.hpp
        self.owned: dict[str, slice] = {}  # rows of each joint, drive, coupling and constraint

    def add(
        self, kind: int, frame: tuple[int, int], axis=(0, 0), drive: int = -1, size: float | None = None
    ) -> None:
        """Add a row with empty legs, parts and tape."""
        self.kind.append(kind)
        self.frame.append(frame)
        self.axis.append(axis)
        self.drive.append(drive)
        self.scale.append(size if size is not None else 1.0 if kind == POINT else self.length)
        self.legs.append([])
        self.parts.append([])
        self.factors.append([])
        self.tapes.append(_NO_TAPE)
        self.addresses.append(0)

    def couple(self, terms: Sequence[Term], drive: int) -> None:
        """Add a row that constrains a sum of joint coordinates."""
        pairs = [self.at[f"joint {term.joint.name}"] for term in terms]
        last = pairs[-1]
        legs = list(dict.fromkeys(f for pair in pairs for f in pair if f not in last)) + list(last)
        self.add(COUPLING, (legs[0], legs[-1]), drive=drive, size=_scale(terms, self.length))
        self.legs[-1] = legs
        for term, (i, j) in zip(terms, pairs, strict=True):
            self.parts[-1].append(
                (self.coordinates.find(term.joint, term.which), legs.index(i), legs.index(j))
            )
            self.factors[-1].append(term.factor)

    def constrain(self, item: Connection, laws: list[Law]) -> None:
        """Add the rows of a user's function, if the entry has one."""
        legs = list(self.at.get(f"joint {item.name}", ()))
        functions = item.user_rows([self.coordinates.drawn(f) for f in legs], self.length)
        if functions:
            self.recorded[item.name] = [function.tape for function in functions]
        if (law := item.hinge_law(functions)) is not None:
            self.hinges[item.name] = law
            laws.append(law)
        for function in functions:
            self.add(function.kind, (legs[0], legs[-1]), size=function.scale)
            self.legs[-1] = legs
            if function.law is None:
                self.tapes[-1] = function.tape
            else:
                laws.append(function.law)
                self.addresses[-1] = function.address

    def record_slip(self, contact: Slipping) -> int:
        """Record the rates of slip of a contact that rolls, and return the number of the first."""
        poses = [self.coordinates.drawn(f) for f in self.at[f"joint {contact.name}"]]
        self.slips += recorded(contact.slip_rates(poses), poses)
        return len(self.slips) - SLIP_RATES

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the layout."""
        frame = [(*f, *a, d) for f, a, d in zip(self.frame, self.axis, self.drive, strict=True)]
        return {
            "row_kind": np.array(self.kind, dtype=np.int64),
            "row_frame": np.array(frame, dtype=np.int64).reshape(-1, 5),
            "row_scale": np.array(self.scale, dtype=float),
        }

    def details(self) -> dict[str, np.ndarray]:
        """Return coordinates, legs, parts and operations, after all coordinates have been found."""
        coordinates, values = self.coordinates.arrays()
        every = [*self.tapes, *self.slips]
        return {
            "coordinate": coordinates,
            "coordinate_value": values,
            "row_leg_at": offsets(len(legs) for legs in self.legs),
            "row_part_at": offsets(len(parts) for parts in self.parts),
            "row_operation_at": offsets(len(tape[1]) for tape in self.tapes),
            "slip_operation_at": offsets(len(tape[1]) for tape in every)[len(self.tapes) :],
            "row_callback": np.array(self.addresses, dtype=np.int64),
            "leg_frame": np.array(list(chain.from_iterable(self.legs)), dtype=np.int64),
            "part": np.array(list(chain.from_iterable(self.parts)), dtype=np.int64).reshape(-1, 3),
            "part_factor": np.array(list(chain.from_iterable(self.factors)), dtype=float),
            "operation": np.concatenate([np.zeros((0, 3), dtype=np.int64), *(t[0] for t in every)]),
            "operation_constant": np.concatenate([np.zeros(0), *(t[1] for t in every)]),
        }


def _scale(terms: Sequence[Term], length: float) -> float:
    """Return the factor that makes the largest factor of a sum one; angles are multiplied by ``length`` (m)."""
    sizes = [abs(term.factor) / (length if term.coordinate.is_angle else 1.0) for term in terms]
    return 1.0 / float(np.max(sizes))


def row_arrays(
    rows: Rows,
    joints: Sequence[Connection],
    laws: list[Law],
    t_end: float,
    add_shapes: Callable[[Connection, Any], None],
) -> dict[str, np.ndarray]:
    """Return the arrays of all constraint rows and drives of a system.

    ``add_shapes`` adds the rows of shapes that follow contacts.
    """
    pairs: list[tuple[int, int]] = []
    values: list[tuple[float, float]] = []
    for joint in joints:
        first = len(rows.kind)
        number = -1
        if (motion := joint.prescribed) is not None:
            number = len(values)
            law = joint.law(t_end)
            laws += [law] if law else []
            values.append(motion.constants())
            pairs.append(law.pair if law else NO_LAW)
        sums = joint.sums(rows.coordinates.joints, rows.coordinates.bodies)
        for row in joint.rows:
            if row.kind == COUPLING:
                rows.couple(sums[row.first], number)
            else:
                place = rows.at[f"joint {joint.name}"]
                rows.add(row.kind, (place[0], place[1]), (row.first, row.second), number)
        rows.constrain(joint, laws)
        add_shapes(joint, rows)
        rows.owned[joint.name] = slice(first, len(rows.kind))
    return {
        **rows.arrays(),
        "drive_value": np.array(values, dtype=float).reshape(-1, 2),
        "drive_law": np.array(pairs, dtype=np.int64).reshape(-1, 2),
    }


#: what determines the arrays of :func:`row_places`
CONNECTIONS = (
    "frame_body", "row_kind", "row_frame", "element", "deformation_element", "body_modes",
    "net_element_at", "net_element", "net_frame_at", "net_frame",
)  # fmt: skip


def row_places(parts: dict[str, np.ndarray], legs: list[list[int]]) -> dict[str, np.ndarray]:
    """Return the sides of rows and deformations on moving bodies, and the order of their elimination.

    A side is a frame on a moving body. Its derivatives are in ``Work.slope``, first those of two frames for every row.
    ``legs`` holds the frames of the legs of each row.

    Machines that differ in numbers only, such as variants of a study, share one set of these arrays.
    """
    known = tuple((name, a.dtype.str, a.shape, a.tobytes()) for name in CONNECTIONS for a in [parts[name]])
    return dict(_row_places(known, tuple(map(tuple, legs))))


@lru_cache(maxsize=16)
def _row_places(
    known: tuple[tuple[str, str, tuple[int, ...], bytes], ...], legs: tuple[tuple[int, ...], ...]
) -> dict[str, np.ndarray]:
    """Return the arrays of :func:`row_places` for arrays that are given by name, type, shape and bytes."""
    parts = {name: np.frombuffer(content, kind).reshape(shape) for name, kind, shape, content in known}
    on, legged = parts["frame_body"], parts["row_kind"] >= COUPLING
    elements = parts["element"][parts["deformation_element"]]
    frames = [list(pair) for pair in (*parts["row_frame"][:, :2], *elements[:, [FIRST, SECOND]])]
    slots = [[2 * k, 2 * k + 1] for k in range(len(frames))]
    last = 2 * len(frames)
    for k in np.flatnonzero(legged):
        frames[k], slots[k] = list(legs[k]), list(range(last, last + len(legs[k])))
        last += len(legs[k])
    first_of_net = []
    for own, outer in zip(slices(parts["net_element_at"]), slices(parts["net_frame_at"]), strict=True):
        first_of_net.append(last)
        ends = parts["net_frame"][outer].tolist()
        for e in parts["net_element"][own]:
            for k in np.flatnonzero(parts["deformation_element"] == e) + len(parts["row_kind"]):
                frames[k], slots[k] = ends, list(range(last, last + len(ends)))
                last += len(ends)
    sides = [
        [(f, slot) for f, slot in zip(*row, strict=True) if on[f] >= 0]
        for row in zip(frames, slots, strict=True)
    ]
    acting = [[f for f, _ in side] for side in sides[: len(parts["row_kind"])]]
    groups = [len(list(same)) for _, same in groupby(acting)]
    row = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    frame, slot = np.array(list(chain.from_iterable(sides)), dtype=np.int64).reshape(-1, 2).T
    touched = [sorted({int(on[f]) for f, _ in side}) for side in sides]
    sizes = 6 + parts["body_modes"]
    springs = (elements[:, ELASTIC] != 0) & np.isin(elements[:, GEOMETRY], (LINE, ALONG, BETWEEN))
    arrays = elimination_arrays(touched, sizes)
    found = {
        "row_side_at": offsets(len(side) for side in sides),
        "row_group_at": offsets(groups),
        "side_frame": frame,
        "side_body": on[frame],
        "side_slot": slot,
        "side_block": side_blocks(touched, row, on[frame], sizes, arrays),
        **arrays,
        **carrier_arrays(touched, parts["row_kind"], springs, len(sizes)),
        "net_slot": np.array(first_of_net, dtype=np.int64),
    }
    for array in found.values():
        array.flags.writeable = False  # shared
    return found


def is_holonomic(kinds: np.ndarray) -> np.ndarray:
    """Return which rows (by kind) constrain positions, and not only velocities."""
    return kinds <= HOLONOMIC
