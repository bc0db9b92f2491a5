"""The equivalent particles of a machine of rigid bodies, with those at joints shared; H. A. Attia (2003), section 5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.kinds import MOTION_KIND, MOTION_SIDE, ROW_FIRST, ROW_SECOND, SHIFT
from ..core.structures import Layout, Tree
from .equivalent_particles import (
    LENGTH_TOLERANCE,
    Particles,
    equivalent_particles,
    spatial_particles,
)


@dataclass(frozen=True, eq=False, repr=False)
class BodyParticles:
    """The particles of one body.

    Attributes
    ----------
    points : numpy.ndarray
        Their numbers in the machine, (n,).
    x : numpy.ndarray
        Their positions in the base of the body's link, (n, 3), m.
    mass : numpy.ndarray
        Mass matrix, (n, n), kg.
    shares : numpy.ndarray
        Parts of a force at the center of mass that act on each particle, (n,), Attia (2).
    couple : numpy.ndarray
        Forces on the particles for a moment, (n, 3, 3), 1/m, in the base of the link, Attia (3).
    """

    points: np.ndarray
    x: np.ndarray
    mass: np.ndarray
    shares: np.ndarray
    couple: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class ParticleModel:
    """The particles of a machine, in the order of its tree.

    Attributes
    ----------
    link : numpy.ndarray
        The hinge whose link each particle belongs to, (n,).
    x : numpy.ndarray
        Its position in the base of this link, (n, 3), m.
    mass : numpy.ndarray
        Mass matrix of all particles, (n, n), kg.
    bodies : tuple of BodyParticles
        The particles of each link.
    normal : numpy.ndarray or None
        Normal of the plane of motion, (3,); None for a machine in space.
    hinge : numpy.ndarray
        The hinge of each speed, (nh,).
    path : numpy.ndarray
        Whether a speed moves a link, (nb, nh).
    base : numpy.ndarray
        Axes of each link in the base of its body, (nb, 3, 3).
    center : numpy.ndarray
        Center of mass of each body in the base of its link, (nb, 3), m.
    """

    link: np.ndarray
    x: np.ndarray
    mass: np.ndarray
    bodies: tuple[BodyParticles, ...]
    normal: np.ndarray | None
    hinge: np.ndarray
    path: np.ndarray
    base: np.ndarray
    center: np.ndarray

    def __repr__(self) -> str:
        where = "in space" if self.normal is None else "in a plane"
        return f"<{type(self).__name__}: {len(self.x)} particles of {len(self.bodies)} bodies {where}>"


def particle_model(L: Layout, tree: Tree) -> ParticleModel:
    """Return the particles of a machine of rigid bodies."""
    normal = plane_of_motion(L, tree)
    links: list[int] = []
    places: list[np.ndarray] = []

    def new_point(k: int, x: np.ndarray) -> int:
        links.append(k)
        places.append(x)
        return len(links) - 1

    def shared(k: int, c: int) -> bool:
        motion = tree.motion[tree.speed_at[c] : tree.speed_at[c + 1]]
        return tree.carrier[c] == k and not np.any(motion[:, MOTION_KIND] == SHIFT)

    own = {k: new_point(k, np.zeros(3)) for k in range(len(tree.body))}
    bodies = []
    for k in range(len(tree.body)):
        joined = [(int(c), tree.seat[c, 9:]) for c in np.flatnonzero(tree.carrier == k)]
        others: list[tuple[int, np.ndarray]] = [*joined, *((-1, x) for x in _cut_points(L, tree, k))]
        found, first, second = _particles_of(L, tree, k, normal, [x for _, x in others])
        numbers: list[int] = []
        for i, x in enumerate(found.x):
            if i == 0 and first:
                numbers.append(own[k])
            elif i == 1 and second is not None and shared(k, others[second][0]):
                numbers.append(own[others[second][0]])
            else:
                numbers.append(new_point(k, x))
        bodies.append(_with_forces(np.array(numbers), found, _center(tree, k), _local(L, tree, k, normal)))
    mass = np.zeros((len(links), len(links)))
    for body in bodies:
        mass[np.ix_(body.points, body.points)] += body.mass
    x = np.array(places).reshape(-1, 3)
    return ParticleModel(np.array(links), x, mass, tuple(bodies), normal, *_paths(tree), *_bases(L, tree))


def _paths(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the hinge of each speed (nh,), and which speeds move each link (nb, nh)."""
    nb = len(tree.body)
    hinge = np.repeat(np.arange(nb), np.diff(tree.speed_at))
    path = np.zeros((nb, len(hinge)), dtype=bool)
    for k, carrier in enumerate(tree.carrier):
        path[k] = hinge == k
        if carrier >= 0:
            path[k] |= path[carrier]
    return hinge, path


def _bases(L: Layout, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the axes of links in the bases of their bodies (nb, 3, 3), and centers of mass in those of links."""
    base = np.array([np.eye(3) if f < 0 else L.frame_A[f] for f in tree.frame[:, 1]])
    return base.reshape(-1, 3, 3), tree.rigid[:, 1:4]


def plane_of_motion(L: Layout, tree: Tree) -> np.ndarray | None:
    """Return the normal (3,) of the plane in which all hinges move their bodies, or None."""
    turns, shifts = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for k in range(len(tree.body)):
        if tree.frame[k, 1] < 0 or tree.ball[k]:
            return None
        frames = tree.frame[k, :: -1 if tree.reversed[k] else 1]
        for kind, axis, side in tree.motion[tree.speed_at[k] : tree.speed_at[k + 1], : MOTION_SIDE + 1]:
            (shifts if kind == SHIFT else turns).append(L.frame_A[frames[side]][None, :, axis])
    about, along = np.concatenate(turns), np.concatenate(shifts)
    if not len(about):
        return None
    n: np.ndarray = about[0]
    parallel = np.abs(np.cross(about, n)).max(initial=0.0) < 1e-12
    return n if parallel and np.abs(along @ n).max(initial=0.0) < 1e-12 else None


def _local(L: Layout, tree: Tree, k: int, normal: np.ndarray | None) -> np.ndarray | None:
    """Return the normal of the plane in the base of link k."""
    return None if normal is None else L.frame_A[tree.frame[k, 1]].T @ normal


def _center(tree: Tree, k: int) -> np.ndarray:
    center: np.ndarray = tree.rigid[k, 1:4]
    return center


def _cut_points(L: Layout, tree: Tree, k: int) -> list[np.ndarray]:
    """Return the points (3,) of cut joints on the body of link k, in the base of the link."""
    sides = L.row_frame[tree.closing][:, [ROW_FIRST, ROW_SECOND]]
    frames = [f for f in np.unique(sides) if L.frame_body[f] == tree.body[k]]
    outer = tree.frame[k, 1]
    A, x = (np.eye(3), np.zeros(3)) if outer < 0 else (L.frame_A[outer], L.frame_x[outer])
    return [A.T @ (L.frame_x[f] - x) for f in frames]


def _particles_of(
    L: Layout, tree: Tree, k: int, normal: np.ndarray | None, others: list[np.ndarray]
) -> tuple[Particles, bool, int | None]:
    """Return the particles of link k; whether the first is at its hinge; the one of ``others`` at the second."""
    m, center = float(tree.rigid[k, 0]), _center(tree, k)
    xx, xy, xz, yy, yz, zz = tree.rigid[k, 4:]
    about_hinge = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = about_hinge - m * (center @ center * np.eye(3) - np.outer(center, center))
    n = _local(L, tree, k, normal)
    if n is None or np.linalg.norm(np.cross(J @ n, n)) > 1e-12 * np.trace(J):
        found, first = spatial_particles(m, center, J)
        return found, first, None
    plane = np.linalg.svd(n[None])[2][1:]
    G, polar = plane @ center, float(n @ J @ n)
    size = float(np.sqrt(polar / m + G @ G))
    flat = [plane @ x for x in others]
    far = [i for i, x in enumerate(flat) if np.hypot(*x) > LENGTH_TOLERANCE * size]
    second = far[0] if far else None
    # where no second joint is: beside the center of mass
    b = flat[far[0]] if far else G + np.sqrt(polar / m) * _beside(G)
    found = equivalent_particles(m, tuple(G), polar + m * float(G @ G), second=tuple(b))
    return Particles(found.x @ plane + (center @ n) * n, found.mass), True, second


def _beside(G: np.ndarray) -> np.ndarray:
    """Return a unit vector at a right angle to G (2,)."""
    length = float(np.hypot(*G))
    return np.array([0.0, 1.0]) if length == 0.0 else np.array([-G[1], G[0]]) / length


def _with_forces(
    points: np.ndarray, found: Particles, center: np.ndarray, normal: np.ndarray | None
) -> BodyParticles:
    """Distribute forces and moments to particles, Attia section 3.

    A moment in the plane is a pair of forces on the first two particles, one in space those of least sum of squares.
    """
    x, n = found.x, len(found.x)
    # sum of the shares, sum of shares times places
    shares = np.linalg.lstsq(np.vstack([np.ones(n), x.T]), np.array([1.0, *center]), rcond=1e-12)[0]
    couple = np.zeros((n, 3, 3))
    if normal is not None and n < 4:
        arm = x[1] - x[0]
        pair = np.outer(np.cross(normal, arm) / (arm @ arm), normal)
        couple[0], couple[1] = -pair, pair
    else:
        moments = np.hstack([np.cross(arm, np.eye(3)).T for arm in x])
        A = np.vstack([moments, np.tile(np.eye(3), n)])
        couple = np.linalg.pinv(A, rcond=1e-12)[:, :3].reshape(n, 3, 3)
    return BodyParticles(points, x, found.mass, shares, couple)
