"""The connection of a beam to its nodes: offsets (rigid arms), releases (hinges), axes of the section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...common.names import with_match
from ...properties.section import Section
from ..line import FloatArray, triads

#: names of the degrees of freedom that can be released, in order
FREEDOMS = ("ux", "uy", "uz", "rx", "ry", "rz")


class Placed(NamedTuple):
    """The geometry of beams and their connection to the nodes.

    ``length`` (ne,) m; ``ends`` (ne, 2, 3) m, the centroids of the end sections; ``axes`` (ne, 3, 3), rows x y z in
    the user's section axes; ``principal`` (ne, 3, 3), rows x and the principal axes; ``arms`` (ne, 2, 3) m from
    node to centroid; ``to_ends`` (ne, 12, 12): the end sections' displacement and rotation in ``axes`` from the
    global degrees of freedom of the nodes.
    """

    length: FloatArray
    ends: FloatArray
    axes: FloatArray
    principal: FloatArray
    arms: FloatArray
    to_ends: FloatArray


def place(X: FloatArray, up: tuple[float, float, float], offset: FloatArray, section: Section) -> Placed:
    """Place beams between the nodes X (ne, 2, 3); ``offset`` (2, 3) are those of the centroid at both ends, m."""
    _, at_nodes = triads(X, up)
    arms = np.einsum("ak,ekj->eaj", offset, at_nodes)
    ends = X + arms
    length, axes = triads(ends, up)
    c, s = np.cos(section.angle), np.sin(section.angle)
    principal = np.einsum("ij,ejk->eik", np.array([[1, 0, 0], [0, c, s], [0, -s, c]]), axes)
    to_ends = np.zeros((len(X), 12, 12))
    for end, at in enumerate((0, 6)):
        to_ends[:, at : at + 3, at : at + 3] = to_ends[:, at + 3 : at + 6, at + 3 : at + 6] = axes
        # rotation t moves the centroid by t x arm = - [arm]x t
        to_ends[:, at : at + 3, at + 3 : at + 6] = -axes @ cross_matrix(arms[:, end])
    return Placed(length, ends, axes, principal, arms, to_ends)


def cross_matrix(a: FloatArray) -> FloatArray:
    """Return the matrices (n, 3, 3) with [a]x b = a x b."""
    C = np.zeros((len(a), 3, 3))
    C[:, 2, 1], C[:, 0, 2], C[:, 1, 0] = a.T
    return C - np.swapaxes(C, 1, 2)


def section_axes(section: Section) -> FloatArray:
    """Return the matrix (12, 12) from the degrees of freedom of the end sections to those of the interpolation.

    The interpolation uses principal axes and the shear centre.
    """
    c, s = np.cos(section.angle), np.sin(section.angle)
    turn = np.kron(np.eye(4), np.array([[1, 0, 0], [0, c, s], [0, -s, c]]))
    shear = np.eye(12)
    y, z = section.principal.shear_centre
    for at in (0, 6):
        shear[at + 1, at + 3] = -z  # v of the shear centre = v - z tx
        shear[at + 2, at + 3] = y
    return shear @ turn


def release(K: FloatArray, released: FloatArray) -> FloatArray:
    """Return C (ne, 12, 12): all local degrees of freedom from those of the nodes, with releases.

    ``released`` degrees of freedom carry no load. Static condensation of K (ne, 12, 12): q_r = - K_rr^-1 K_rk q_k;
    columns of released degrees of freedom are zero. The same C condenses stiffness, geometric stiffness and
    displacement, and with it the mass (Guyan).
    """
    C = np.broadcast_to(np.eye(12), K.shape).copy()
    if len(released):
        kept = np.setdiff1d(np.arange(12), released)
        C[:, released] = 0.0
        C[:, released[:, None], kept] = -np.linalg.solve(
            K[:, released][:, :, released], K[:, released][:, :, kept]
        )
    return C


def released_freedoms(releases: Mapping[str, Sequence[str]]) -> FloatArray:
    """Return the local degrees of freedom (0 to 11) of a mapping {"start": ("ry", ...), "end": (...)}."""
    return np.array(
        [
            6 * end + k
            for end, at in enumerate(("start", "end"))
            for k, f in enumerate(FREEDOMS)
            if f in releases.get(at, ())
        ],
        int,
    )


def wrong_releases(releases: Mapping[str, Sequence[str]]) -> list[str]:
    """Return faults of releases: unknown ends or degrees of freedom, or a beam that could move freely."""
    if not isinstance(releases, Mapping):
        return [f"releases must be a dictionary such as {{'end': ('ry', 'rz')}}, not {releases!r}"]
    wrong = [
        f"releases name an end {end!r}: it must be 'start' or 'end'"
        for end in releases
        if end not in ("start", "end")
    ]
    for end, names in releases.items():
        if isinstance(names, str) or not isinstance(names, Iterable):
            wrong.append(f"releases at {end!r} must be a tuple of names such as ('ry', 'rz'), not {names!r}")
            continue
        wrong += [
            f"releases at {end!r} name {with_match(name, FREEDOMS)}: it must be one of {', '.join(FREEDOMS)}"
            for name in names
            if name not in FREEDOMS
        ]
    if wrong:
        return wrong
    for motion, freedoms, most in (
        ("slide along itself", ("ux",), 1),
        ("spin about itself", ("rx",), 1),
        ("move in the plane x-y", ("uy", "rz"), 2),
        ("move in the plane x-z", ("uz", "ry"), 2),
    ):
        count = sum(name in freedoms for names in releases.values() for name in set(names))
        if count > most or (
            set(freedoms[:1]) <= set(releases.get("start", ())) & set(releases.get("end", ()))
        ):
            wrong.append(f"with {_words(releases)} released the beam could {motion} freely: release fewer")
    return wrong


def _words(releases: Mapping[str, Sequence[str]]) -> str:
    """Return releases as text for a message."""
    return " and ".join(f"{', '.join(names)} at its {end}" for end, names in releases.items() if names)


def end_stiffness(at: Placed, ends: FloatArray, f: FloatArray) -> FloatArray:
    """Return the geometric stiffness (ne, 12, 12) of rigid arms and releases under end loads.

    ``ends`` (ne, 12, 12): the beam's ends from the nodes, local axes, releases included; ``f`` (ne, 12): the load on
    the beam's ends, local axes. To second order a node's rotation t moves the tip of its arm a by t x a +
    t x (t x a) / 2; slip s and hinge rotation p of a release happen in axes that turn with the node, so that the
    beam's end moves by s + t x s and turns by the rotation vector t + p + t x p / 2. The end loads F, M do the work

        (t.F)(t.a)/2 - (t.t)(F.a)/2 + F.(t x s) + M.(t x p)/2

    on the second-order terms; its second derivative is returned.
    """
    G = np.zeros_like(ends)
    slip = ends - at.to_ends
    for end, first in enumerate((0, 6)):
        t = slice(first + 3, first + 6)
        for rows, factor in ((slice(first, first + 3), 1.0), (t, 0.5)):
            load = np.einsum("eij,ei->ej", at.axes, f[:, rows])
            relative = np.swapaxes(at.axes, 1, 2) @ slip[:, rows]
            work = -factor * cross_matrix(load) @ relative  # load.(t x b) = - t.[load]x b
            G[:, t, :] += work
            G[:, :, t] += np.swapaxes(work, 1, 2)
        force, arm = np.einsum("eij,ei->ej", at.axes, f[:, first : first + 3]), at.arms[:, end]
        outer = np.einsum("ei,ej->eij", force, arm)
        G[:, t, t] += 0.5 * (outer + np.swapaxes(outer, 1, 2))
        G[:, t, t] -= np.einsum("ei,ei->e", force, arm)[:, None, None] * np.eye(3)
    return G
