"""Networks of elements round massless bodies as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy

from fem.common.errors import InputError, listing

from ..core.kinds import ALL_AXES, BETWEEN, FIRST, SECOND, UNSTABLE, UNSUPPORTED
from ..core.structures import Work
from .offsets import offsets

#: step of differences of forces over time, as a part of the run, or of a second in longer ones
TIME_STEP_PART = 1e-6
#: a law of the compiled core: t, u, x, rate, z, p, out
LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_void_p,) * 6)


class Network(NamedTuple):
    """The massless bodies of a network by name, and its elements by number."""

    bodies: tuple[str, ...]
    elements: tuple[int, ...]


def networks_of(elements: Sequence[Any], bodies: Collection[str]) -> list[Network]:
    """Return the networks: elements that share massless bodies, in the order of the first ones.

    A massless body that is among the ``bodies`` of the machine, by name, is held by joints and in no network.
    """
    ends = [
        [side.name for side in element.sides() if side.massless and side.name not in bodies]
        for element in elements
    ]
    names = list(dict.fromkeys(chain.from_iterable(ends)))
    number = {name: k for k, name in enumerate(names)}
    pairs = np.array([[number[own[0]], number[own[-1]]] for own in ends if own], dtype=np.int64).reshape(
        -1, 2
    )
    links = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (len(names),) * 2)
    count, label = scipy.sparse.csgraph.connected_components(links, directed=False)
    return [
        Network(
            tuple(name for name in names if label[number[name]] == g),
            tuple(e for e, own in enumerate(ends) if own and label[number[own[0]]] == g),
        )
        for g in range(count)
    ]


def massless_numbers(elements: Sequence[Any], bodies: Collection[str]) -> dict[str, int]:
    """Return the number of each massless body by its name: network by network."""
    found = networks_of(elements, bodies)
    return {name: k for k, name in enumerate(chain.from_iterable(one.bodies for one in found))}


def network_arrays(
    machine: Any,
    table: np.ndarray,
    frames: Sequence[Any],
    bodies: Mapping[str, Any],
    length: float,
    t_end: float,
) -> dict[str, Any]:
    """Return the arrays of the networks in the layout.

    Parameters
    ----------
    machine : Elements
        The elements of the machine, their laws and the addresses of these.
    table : numpy.ndarray
        ``Layout.element``.
    frames : sequence of FrameData
        All frames.
    bodies : mapping of str to body
        The bodies of the machine by name.
    length : float
        Characteristic length of the machine, m.
    t_end : float
        End of the run, s.

    Returns
    -------
    dict of str to numpy.ndarray
        The arrays by name, but ``net_slot``.

    Raises
    ------
    fem.InputError
        For a law that depends on rates or has states, a controller of its input, and a network that holds nothing.
    """
    elements, laws, pointers = machine.elements, machine.laws, machine.pointers
    found = networks_of(elements, bodies)
    numbers = massless_numbers(elements, bodies)
    centers = {
        side.name: side.drawn({}) for element in elements for side in element.sides() if side.name in numbers
    }
    start: list[np.ndarray] = []
    sizes, outer, hosts, lengths = [], [], [], []
    for net in found:
        ends = [int(f) for e in net.elements for f in table[e, [FIRST, SECOND]]]
        for e in net.elements:
            _check_law(elements[e], laws[e], pointers[e], length)
            _check_input(elements, elements[e])
        outer.append([f for f in ends if frames[f].body in bodies])
        if not outer[-1]:
            raise InputError(
                f"the massless {'body' if len(net.bodies) == 1 else 'bodies'} {listing(net.bodies)} and the springs "
                f"{listing(elements[e].name for e in net.elements)} hold no body of the system; connect one of them"
            )
        hosts.append(outer[-1][0])
        host = frames[hosts[-1]]
        start += [
            np.concatenate([host.A.T @ (centers[name] - host.drawn(bodies)), host.A.T.ravel()])
            for name in net.bodies
        ]
        size = float(np.linalg.norm(np.ptp([frames[f].drawn(bodies) for f in ends], axis=0)))
        lengths.append(size if size > 1e-6 * length else length)
        sizes += [_unknowns(name, net, elements, frames, table, centers[name]) for name in net.bodies]
    return {
        "massless_at": offsets(sizes),
        "massless_center": np.array([centers[name] for name in numbers], dtype=float).reshape(-1, 3),
        "net_at": offsets(len(net.bodies) for net in found),
        "net_element_at": offsets(len(net.elements) for net in found),
        "net_element": np.array([e for net in found for e in net.elements], dtype=np.int64),
        "net_frame_at": offsets(len(own) for own in outer),
        "net_frame": np.array([f for own in outer for f in own], dtype=np.int64),
        "net_host": np.array(hosts, dtype=np.int64),
        "net_active": np.array([any(_works(laws[e]) for e in net.elements) for net in found], dtype=np.int64),
        "net_moment": TIME_STEP_PART * min(t_end, 1.0),
        "net_length": np.array(lengths, dtype=float),
        "massless_start": np.array(start, dtype=float).reshape(-1, 12),
    }


def _unknowns(name, net: Network, elements, frames, table, center: np.ndarray) -> int:
    """Return 6 for a massless body that elements can turn, 3 for a point."""
    for e in net.elements:
        for f in table[e, [FIRST, SECOND]]:
            off = not np.allclose(frames[f].x, center, rtol=0, atol=1e-12 * (1 + np.abs(center).max()))
            turns = elements[e].kind == BETWEEN and elements[e].free_axis != ALL_AXES
            if frames[f].body == name and (turns or off):
                return 6
    return 3


def _works(law: Any) -> bool:
    """Return whether a law does work of its own, beside what it stores."""
    return not law.elastic or callable(law.given_input) or bool(law.given_input)


def _check_law(element: Any, law: Any, pointer: Any, length: float) -> None:
    """Raise :class:`fem.InputError` for a law with states, or one whose force depends on the rate."""
    names = listing(side.name for side in element.sides() if side.massless)
    what = f"{element.label} acts on the massless body {names}"
    if law.n_states or law.dry_friction:
        raise InputError(
            f"{what}, but its law has {'states' if law.n_states else 'dry friction'}; give an elastic law, or give "
            "the body a mass"
        )
    for x in (0.0, 0.01 * length, -0.01 * length):
        rest, motion = (_force_of(law, pointer, x, speed) for speed in (0.0, length))
        if not np.allclose(rest, motion, rtol=1e-12, atol=0, equal_nan=True):
            raise InputError(
                f"{what}, but its force depends on the rate ({rest} at rest, {motion} in motion); leave out the "
                "damping there and put it between bodies with mass, or give the body a mass"
            )


def _check_input(elements: Sequence[Any], element: Any) -> None:
    """Raise :class:`fem.InputError` if a controller gives the input, of which a knot would need the rate."""
    for other in elements:
        if other.wiring and element.name in (place.input_of for place in other.wiring.outputs):
            raise InputError(
                f"{other.label} gives the input of '{element.name}', which acts on a massless body: this would follow "
                "each change of the input at once. Give the body a mass (RigidBody), or let the element act between "
                "bodies with mass"
            )


def _force_of(law: Any, pointer: Any, x: float, rate: float) -> np.ndarray:
    """Return the forces of a compiled law where all its deformations and all their rates are equal, (count,)."""
    m = law.count
    given = np.zeros(3), np.full(m, x), np.full(m, rate), np.zeros(1), np.array([*pointer.numbers, 0.0])
    out = np.zeros(m + 3)
    LAW(pointer.address)(0.0, *(values.ctypes.data for values in (*given, out)))
    if hasattr(pointer, "failed"):  # a user's function that has no value there
        pointer.failed = None
    return out[:m]


def network_complaint(
    elements: Sequence[Any], bodies: Collection[str], W: Work, since: float
) -> InputError | None:
    """Return an error that names a network without equilibrium after ``since`` (s), or None."""
    if W.bad_network < 0 or W.bad_network_time < since:
        return None
    net, t = networks_of(elements, bodies)[W.bad_network], W.bad_network_time
    what = f"the massless {'body' if len(net.bodies) == 1 else 'bodies'} {listing(net.bodies)}"
    springs = f"springs {listing(elements[e].name for e in net.elements)}"
    if W.bad_network_cause == UNSTABLE:
        return InputError(
            f"at t = {t:.6g} s {what} would buckle between the {springs}: the balance of their forces is not stable. "
            "Springs along lines can't push through a knot; guide it by a further spring or a Bushing, or give it a "
            "mass"
        )
    if W.bad_network_cause == UNSUPPORTED:
        return InputError(
            f"at t = {t:.6g} s the {springs} load {what} in a direction in which none of them resists; hold it there "
            "by a further spring or a Bushing, or give it a mass"
        )
    return InputError(
        f"at t = {t:.6g} s there is no place for {what} where the forces of the {springs} balance; look at their free "
        "lengths and laws, or give it a mass"
    )
