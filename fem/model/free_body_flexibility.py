"""Static solutions of a free body: the inverse of its stiffness on a statically determinate support."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy

from ..common.errors import InputError
from ..common.tall_matrices import combine, inner
from ..solvers.base import SingularError
from ..solvers.factorise import Factor, factorise
from ..solvers.libraries import Solver
from .cancellation import ROUNDING_TOLERANCE, noise, refined
from .structure import Structure

FloatArray = npt.NDArray[np.float64]
#: work of a preload on a turn, over the sum of its absolute terms, that counts as an error of its discretisation
UNBALANCED_WORK = 1e-3
#: what is left of a rigid motion of length one that others give
_DEPENDENT_MOTION = 1e-8


def restricted(
    matrix: scipy.sparse.csr_array, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> scipy.sparse.csr_array:
    """Return the part of ``matrix`` in ``rows`` and ``columns``."""
    return scipy.sparse.csr_array(matrix[rows][:, columns])


def unsupported(structure: Structure, held: npt.NDArray[np.int64]) -> bool:
    """Return whether held unknowns, and springs to the ground, leave a rigid motion of the structure."""
    R = structure.rigid_modes()
    length = np.sqrt(max((R[:, 3:] ** 2).sum() / max((R[:, :3] ** 2).sum(), 1e-300), 1e-300))
    units = np.array([1.0, 1.0, 1.0, length, length, length])
    springs = structure.grounding / np.outer(units, units)
    values, vectors = np.linalg.eigh(springs)
    sprung = (vectors * (values > 1e-12 * max(values[-1], 0.0))).T * bool(springs.any())
    return _rank(np.vstack([R[held] / units, sprung])) < _rank(R / units)


def _rank(A: FloatArray) -> int:
    """Return the rank of A (n, 6); singular values below 1e-8 of the largest count as zero."""
    if not len(A):
        return 0
    values = np.linalg.svd(A, compute_uv=False)
    return int((values > 1e-8 * values[0]).sum())


class RigidMotion:
    """The six rigid modes of a body, used to balance loads and to remove rigid motion from displacements.

    ``inertia_forces`` multiplies (unknowns, k) by another mass matrix than the structure's, such as one with masses
    at its interfaces.
    """

    def __init__(
        self, structure: Structure, inertia_forces: Callable[[FloatArray], FloatArray] | None = None
    ) -> None:
        self.R: FloatArray = structure.rigid_modes()  # (unknowns, 6) about the centre of mass
        self.MR = (inertia_forces or structure.inertia_forces)(self.R)
        # mass on a straight line has no inertia about it, and no inertia force turns it: a pseudo-inverse
        mass = inner(self.R, self.MR)
        diagonal = mass.diagonal().reshape(2, 3).sum(axis=1)
        scale = 1 / np.sqrt(np.repeat(np.maximum(diagonal, 1e-300), 3))
        self._inverse = scale[:, None] * scipy.linalg.pinvh(mass * np.outer(scale, scale), rtol=1e-12) * scale

    def balanced(self, load: FloatArray) -> FloatArray:
        """Return the load less the inertia forces of its rigid acceleration (inertia relief)."""
        return load - combine(self.MR, self.acceleration(load))

    def acceleration(self, load: FloatArray) -> FloatArray:
        """Return the rigid acceleration (6,) under a load, m/s^2 and rad/s^2 about the centre of mass."""
        return self._inverse @ inner(self.R, load)

    def elastic(self, u: FloatArray) -> FloatArray:
        """Return u without its mean rigid motion: R' M u = 0, Koppens (2.8), (2.10)."""
        return u - combine(self.R, self._inverse @ inner(self.MR, u))


def by_element(
    structure: Structure, free: npt.NDArray[np.int64]
) -> Callable[[FloatArray], FloatArray] | None:
    """Return a function for the forces (free,) of displacements (free,), element by element, if there are elements."""
    if not structure.groups:
        return None

    def forces(moved: FloatArray) -> FloatArray:
        u = np.zeros(structure.n)
        u[free] = moved
        return structure.forces_by_element(u)[free]

    return forces


def solved(structure: Structure, factor: Factor, free: npt.NDArray[np.int64], load: FloatArray) -> FloatArray:
    """Return u with K u = load where free and u = 0 elsewhere; load (unknowns,) or (unknowns, k), N.

    Where the rounding of the assembled K matters, in slender bodies, the residual is computed from the elements.
    """
    columns = load.reshape(len(load), -1)
    u = np.zeros_like(columns)

    def inverse(forces: FloatArray) -> FloatArray:
        part = np.ascontiguousarray(forces[free])
        full = np.zeros_like(forces)
        full[free] = factor.solve(part[:, 0] if part.shape[1] == 1 else part).reshape(part.shape)
        return full

    def residual(moved: FloatArray) -> FloatArray:
        forces = np.zeros_like(moved)
        forces[free] = structure.forces_by_element(moved)[free]
        return forces

    u = inverse(columns)
    work = np.einsum("ij,ij->j", u, columns)
    slender = noise(structure.diagonal, u) > ROUNDING_TOLERANCE * np.abs(work)
    if structure.groups and slender.any():
        given = np.zeros_like(u)[:, slender]
        given[free] = columns[free][:, slender]
        u[:, slender] = refined(u[:, slender], given, residual, inverse)
    return u.reshape(load.shape)


class HeldFlexibility:
    """K inverted once, with some unknowns held at zero."""

    def __init__(
        self, structure: Structure, held: npt.NDArray[np.int64], solver: Solver | None = None
    ) -> None:
        self.structure = structure
        self.free = free = np.setdiff1d(np.arange(structure.n), held)
        try:
            self.factor = factorise(
                restricted(structure.K, free, free),
                solver=solver,
                names=lambda k: structure.freedoms.name(
                    int(free[k]), structure.mesh.points, structure.mesh.node_ids
                ),
                forces=by_element(structure, free),
            )
        except SingularError as error:
            if structure.preload is None:
                raise
            raise SingularError(
                f"{error}. It may be that the preload buckles the structure, which is then not stable: "
                "fem.buckling, of the structure without preload, gives the factor of the loads at which it buckles"
            ) from None

    def solve(self, load: FloatArray) -> FloatArray:
        """Return u with K u = load and u = 0 where held; load (unknowns,) or (unknowns, k), N."""
        return solved(self.structure, self.factor, self.free, load)

    def unloaded(self, residual: FloatArray) -> FloatArray:
        """Return a residual without the part that the reactions carry."""
        return residual[self.free]


class Flexibility:
    """K inverted once, for loads in equilibrium, with six degrees of freedom at three distant nodes held.

    Such loads cause no reactions there, so any statically determinate support gives the same deformation;
    only the rigid motion, to be added afterwards, depends on it.
    """

    def __init__(
        self, structure: Structure, solver: Solver | None = None, rigid: RigidMotion | None = None
    ) -> None:
        if structure.grounding.any():
            raise InputError(
                "springs to the ground, or equations that resist a rigid motion, hold this structure: it is not a free "
                "body. Assemble a flexible body without them and connect it to the ground by fb.SpringDamper"
            )
        _check_balance(structure)
        self.structure = structure
        self.rigid = rigid or RigidMotion(structure)
        support = _support(structure, self.rigid.R)
        self.free = np.setdiff1d(np.arange(len(self.rigid.R)), support)
        self.factor = factorise(
            restricted(structure.K, self.free, self.free),
            solver=solver,
            names=lambda k: structure.freedoms.name(
                int(self.free[k]), structure.mesh.points, structure.mesh.node_ids
            ),
            forces=by_element(structure, self.free),
        )

    def solve(self, load: FloatArray) -> FloatArray:
        """Return u with K u = load except at the support, where u = 0; load (unknowns,) or (unknowns, k), N."""
        return solved(self.structure, self.factor, self.free, load)

    def relieved(self, load: FloatArray) -> FloatArray:
        """Return u with R' M u = 0 and K u = load - M R a, in equilibrium (inertia relief)."""
        return self.rigid.elastic(self.solve(self.rigid.balanced(load)))

    def __reduce__(self) -> tuple:  # a factor belongs to this process: a stored or copied object has none
        return type(None), ()


def flexibility_of(structure: Structure) -> Flexibility:
    """Return the inverse of a free body's stiffness: one that is still in use elsewhere, or a new one.

    Bases keep the one that they were made with, so that base functions, reduction and accuracy of a body take one
    factorisation; it is released with them.
    """
    held = structure.shared.flexibility()
    if held is None:
        held = Flexibility(structure)
        structure.shared.flexibility = weakref.ref(held)
    return held


def _check_balance(structure: Structure) -> None:
    """Raise InputError if a preload resists the turning of a free body, as forces do that keep their direction."""
    if structure.preload is None:
        return
    R = structure.rigid_modes()[:, 3:]
    size = np.sum(np.abs(R) * (abs(structure.preload) @ np.abs(R)), axis=0)
    work = np.abs(np.sum(R * np.asarray(structure.preload @ R), axis=0))
    if (work > UNBALANCED_WORK * size).any():
        raise InputError(
            "the preload of this structure is not in balance without supports: it resists turning the free body. "
            "Hold the structure, give fem.preloaded(..., rotating=True) if the forces rotate with it, or preload it "
            "by a stress that is in equilibrium by itself"
        )


def _support(structure: Structure, R: FloatArray) -> npt.NDArray[np.int64]:
    """Return six unknowns at three nodes far from each other that hold the body firmly."""
    points, freedoms = structure.mesh.points, structure.freedoms
    own = np.arange(len(points))
    if (
        freedoms.free is not None
    ):  # nodes of which no displacement follows others, or all that have some of their own
        own_motions = freedoms.unknowns(freedoms.first[:-1, None] + np.arange(3)) >= 0
        free, some = own_motions.all(axis=1), own_motions.any(axis=1)
        own = np.flatnonzero(free if free.sum() > 2 else some)
    x = points[own]
    first = int(np.argmax(np.linalg.norm(x - x.mean(axis=0), axis=1)))
    second = int(np.argmax(np.linalg.norm(x - x[first], axis=1)))
    length = np.linalg.norm(x[second] - x[first])
    axis = (x[second] - x[first]) / length if length > 0 else np.zeros(3)
    third = int(np.argmax(np.linalg.norm(np.cross(x - x[first], axis), axis=1)))
    unknowns = freedoms.unknowns(freedoms.of_nodes(np.unique(own[[first, second, third]])))
    unknowns = unknowns[unknowns >= 0]
    order, firm = _independent(R[unknowns])
    if not firm:  # nodes whose displacements follow others in part
        unknowns = np.arange(len(R))
        order, _ = _independent(R)
    return np.sort(unknowns[order])


def _independent(R: FloatArray) -> tuple[npt.NDArray[np.int64], bool]:
    """Return six rows of rigid motions (n, 6) that are as independent as can be, and whether they are."""
    size = np.sqrt((R**2).sum(axis=0))
    triangle, order = scipy.linalg.qr((R / np.where(size > 0, size, 1.0)).T, mode="r", pivoting=True)
    return np.asarray(order[:6]), bool(np.abs(triangle.diagonal()).min() > _DEPENDENT_MOTION)
