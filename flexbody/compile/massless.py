"""Massless bodies that joints hold: their sizes and auxiliary masses; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from ..model.sides import Body, FrameData

#: auxiliary mass as a part of the least mass beside the connection: more takes more steps to be taken out again, less
#: costs digits
AUXILIARY_PART = 0.01
#: least size of a massless body as a part of the length of the machine: its joints may all be at its centre
LEAST_SIZE = 0.05


class Assembly(NamedTuple):
    """Massless bodies that joints connect, these joints, their gears and drives, and the other bodies at them."""

    massless: tuple[str, ...]
    joints: tuple[str, ...]
    outer: tuple[str, ...]


def assemblies_of(bodies: Sequence[Body], joints: Sequence[Any]) -> list[Assembly]:
    """Return the connections that joints round massless bodies make up, in the order of their first bodies."""
    names = [body.name for body in bodies if body.massless]
    sides = {joint.name: [side.body.name for side in joint.sides()] for joint in joints}
    # a gear or a drive acts on the bodies of its joints
    through = {
        joint.name: [name for term in joint.uses() for name in sides[term.joint.name]] for joint in joints
    }
    ends = {name: list(dict.fromkeys((*own, *through[name]))) for name, own in sides.items()}
    number = {name: k for k, name in enumerate(names)}
    inner = {joint: [number[name] for name in own if name in number] for joint, own in ends.items()}
    pairs = np.array([[own[0], other] for own in inner.values() for other in own], dtype=np.int64).reshape(
        -1, 2
    )
    links = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (len(names),) * 2)
    count, label = scipy.sparse.csgraph.connected_components(links, directed=False)
    found = []
    for g in range(count):
        own_joints = [joint for joint, own in inner.items() if own and label[own[0]] == g]
        outer = dict.fromkeys(name for joint in own_joints for name in ends[joint] if name not in number)
        found.append(
            Assembly(tuple(n for n in names if label[number[n]] == g), tuple(own_joints), tuple(outer))
        )
    return found


def massless_arrays(
    bodies: Sequence[Body], joints: Sequence[Any], frames: Sequence[FrameData], length: float
) -> dict[str, np.ndarray]:
    """Return the sizes of all bodies, m, and the auxiliary masses, kg, of those without mass.

    Parameters
    ----------
    bodies : sequence of Body
        The bodies of the machine.
    joints : sequence of Connection
        The joints of the machine.
    frames : sequence of FrameData
        All frames.
    length : float
        Characteristic length of the machine, m.
    """
    sizes = np.array([body.size for body in bodies], dtype=float)
    masses = np.zeros(len(sizes))
    known = {body.name: b for b, body in enumerate(bodies)}
    for one in assemblies_of(bodies, joints):
        beside = [bodies[known[name]].mass for name in one.outer if name in known]
        least = min(beside) if beside else sum(body.mass for body in bodies)
        for name in one.massless:
            arms = [float(np.linalg.norm(frame.x)) for frame in frames if frame.body == name]
            masses[known[name]] = AUXILIARY_PART * least
            sizes[known[name]] = max([LEAST_SIZE * length, *arms])
    return {"body_size": sizes, "auxiliary_mass": masses}
