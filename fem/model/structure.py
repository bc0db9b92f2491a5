"""The finite-element structure: a mesh with its stiffness and mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.known_attributes import KnownAttributes
from ..common.values import Indices
from ..elements.property import Property
from ..mesh.mesh import Mesh
from .cancellation import ROUNDING_TOLERANCE, ElementForces, noise
from .cloud import Cloud
from .freedoms import Freedoms
from .group import Group
from .rigid_motions import rigid_motions

#: smallest mass over the cube of the mesh's length, kg/m^3: a steel wire is 1e11 times as long as thick then
LEAST_DENSITY = 1e-19


class Shared:
    """A weak reference to a factorised stiffness, element matrices, modes; a copied or stored structure has none."""

    def __init__(self) -> None:
        self.flexibility: Callable[[], Any] = _nothing
        self.elements: ElementForces | None = None
        self.modes: dict[tuple, Any] = {}  # what bases of this structure are compared with, by what was asked

    def __reduce__(self) -> tuple:
        return Shared, ()


def _nothing() -> None:
    """Stand for a weak reference to an object that no longer exists."""


@dataclass(frozen=True, eq=False)
class Structure(KnownAttributes):
    """Stiffness and mass of a mesh in SI units, the result of :func:`assemble`.

    Attributes
    ----------
    mesh : Mesh
        The mesh, with the reference nodes of connections.
    material : material, property or mapping
        Material as given to :func:`assemble`.
    K : sparse matrix (unknowns, unknowns), N/m, N and N m
        Stiffness, symmetric.
    cloud : Cloud
        Mass.
    freedoms : Freedoms
        Degrees of freedom; for a mesh of solids alone, component k of a node is unknown 3 * node + k.
    groups : tuple of Group
        Elements by kind and property.
    parts : tuple
        Point masses, springs and connections.
    preload : sparse matrix (unknowns, unknowns), optional
        The part of K that is the geometric stiffness of a preload, see :func:`preloaded`.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> bar.center.round(6).tolist()
    [0.5, 0.05, 0.05]
    """

    mesh: Mesh
    material: Property | Mapping[str, Property] | Any
    K: scipy.sparse.csr_array
    cloud: Cloud
    freedoms: Freedoms
    groups: tuple[Group, ...] = ()
    parts: tuple = field(default=())
    preload: scipy.sparse.csr_array | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        """Return one line."""
        kinds = dict.fromkeys(type(group.property).__name__ for group in self.groups)
        return f"<Structure of {self.mesh!r}; {self.n} unknowns{', ' * bool(kinds)}{', '.join(kinds)}>"

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return self.K.shape[0]

    @cached_property
    def shared(self) -> Shared:
        """Data that other modules keep for this structure; see :mod:`fem.model.free_body_flexibility`."""
        return Shared()

    @property
    def M_scalar(self) -> scipy.sparse.csr_array:
        """Scalar mass matrix between the points of ``cloud``, in kg; for solids int rho N_i N_j."""
        return self.cloud.mass

    @cached_property
    def M(self) -> scipy.sparse.csr_array:
        """Mass matrix (unknowns, unknowns) in kg."""
        return self.cloud.matrix

    @check_arguments
    def inertia_forces(self, u: np.ndarray) -> np.ndarray:
        """Return M u without forming M.

        Parameters
        ----------
        u : array (unknowns,) or (unknowns, k)
            Accelerations.

        Returns
        -------
        array of the same shape, N and N m
            Inertia forces.
        """
        u = self._checked(u)
        return self.cloud.inertia_forces(u)

    def _checked(self, u: np.ndarray) -> np.ndarray:
        """Return values of the unknowns, (unknowns,) or (unknowns, k), as an array; InputError for another shape."""
        u = np.asarray(u)
        if u.ndim not in (1, 2) or len(u) != self.n:
            raise InputError(f"u has the shape {u.shape}; give one value for each of the {self.n} unknowns")
        return u

    @cached_property
    def diagonal(self) -> np.ndarray:
        """Diagonal of K, (unknowns,)."""
        return self.K.diagonal()

    @check_arguments
    def elastic_forces(self, u: np.ndarray) -> np.ndarray:
        """Return K u, for slender bodies element by element.

        That is done where the rounding of the product with the assembled matrix would be 1e-8 of the strain
        energy or more; see :mod:`fem.model.cancellation`. A structure that is given by its matrices alone has no
        elements.

        Parameters
        ----------
        u : array (unknowns,) or (unknowns, k)
            Displacements.

        Returns
        -------
        array of the same shape, N and N m
            Elastic forces.
        """
        u = self._checked(u)
        forces = np.asarray(self.K @ u)
        columns, product = u.reshape(len(u), -1), forces.reshape(len(u), -1)
        energy = np.abs(np.einsum("ij,ij->j", columns, product))
        if not self.groups or (noise(self.diagonal, columns) <= ROUNDING_TOLERANCE * energy).all():
            return forces
        return self.forces_by_element(u)

    @check_arguments
    def forces_by_element(self, u: np.ndarray) -> np.ndarray:
        """Return K u, element by element.

        Parameters
        ----------
        u : array (unknowns,) or (unknowns, k)
            Displacements.

        Returns
        -------
        array of the same shape, N and N m
            Elastic forces.
        """
        u = self._checked(u)
        if self.shared.elements is None:
            self.shared.elements = ElementForces(self.mesh, self.freedoms, self.groups, self.parts)
        forces = self.shared.elements(u)
        return forces if self.preload is None else forces + np.asarray(self.preload @ u)

    @check_arguments
    def displacements(self, u: np.ndarray) -> np.ndarray:
        """Return the displacements of the nodes.

        Parameters
        ----------
        u : array (unknowns,) or (unknowns, k)
            Values of the unknowns.

        Returns
        -------
        array (n, 3) or (n, 3, k), m
            Displacements.
        """
        u = self._checked(u)
        moved = u if self.freedoms.simple else np.asarray(self.freedoms.translation @ u)
        return moved.reshape(self.mesh.n_nodes, 3, *u.shape[1:])

    @check_arguments
    def rotations(self, u: np.ndarray) -> np.ndarray:
        """Return the rotations of the nodes.

        Parameters
        ----------
        u : array (unknowns,) or (unknowns, k)
            Values of the unknowns.

        Returns
        -------
        array (n, 3) or (n, 3, k), rad
            Rotation vectors, zero for nodes without rotations.
        """
        u = self._checked(u)
        return np.asarray(self.freedoms.rotation @ u).reshape(self.mesh.n_nodes, 3, *u.shape[1:])

    @check_arguments
    def of_elements(self, group: Group, u: np.ndarray) -> np.ndarray:
        """Return the displacements of the elements of a group.

        Parameters
        ----------
        group : Group
            Elements of one kind with one property.
        u : array (unknowns,) or (unknowns, k)
            Values of the unknowns.

        Returns
        -------
        array (ne, nd) or (ne, nd, k), m and rad
            Displacements of the nodes of each element, node by node.
        """
        return self.freedoms.motions(self._checked(u))[
            self.freedoms.of_elements(group.nodes, group.property.freedoms)
        ]

    @cached_property
    def grounding(self) -> np.ndarray:
        """Stiffness (6, 6) with which springs to the ground resist the rigid modes about the mass centre, in J.

        Zero for a free body. Equations that rigid motions would violate count as springs as stiff as the stiffest
        unknown.
        """
        total = np.zeros((6, 6))
        if not self.parts:
            return total
        R, stiffest = rigid_motions(self.mesh.points, self.center, self.freedoms), self.diagonal.max()
        for part in self.parts:
            for motions, matrix in part.stiffnesses(self.mesh, self.freedoms) if part.to_ground else ():
                total += R[motions].T @ matrix @ R[motions]
            for motions, row in part.held_motions(self.mesh, self.freedoms):
                moved = row @ R[motions]
                total += stiffest * np.outer(moved, moved)
        return total

    @check_arguments
    def held(
        self, nodes: Annotated[np.ndarray, Indices], components: tuple[int, ...] | None = None
    ) -> np.ndarray:
        """Return the unknowns of nodes.

        Parameters
        ----------
        nodes : array of int
            Nodes.
        components : tuple of int, optional
            Components 0..5; all by default.

        Returns
        -------
        array of int
            Unknowns.

        Raises
        ------
        InputError
            A node follows a connection, or there is no such node.
        """
        nodes, n = np.asarray(nodes, dtype=np.int64), len(self.freedoms.count)
        if wrong := nodes[(nodes < 0) | (nodes >= n)].tolist():
            raise InputError(f"there is no node {wrong[0]}; the structure has {n}, from 0 to {n - 1}")
        motions = self.freedoms.of_nodes(nodes)
        if components is not None:
            first = np.repeat(self.freedoms.first[nodes], self.freedoms.count[nodes])
            motions = motions[np.isin(motions - first, components)]
        unknowns = self.freedoms.unknowns(motions)
        if (unknowns < 0).any():
            node = int(np.searchsorted(self.freedoms.first, motions[unknowns < 0][0], side="right"))
            raise InputError(
                f"node {node} can't be held: it follows a rigid or averaging connection; hold the connection's "
                "reference node, or the nodes that it follows"
            )
        return unknowns

    @cached_property
    def point_mass(self) -> np.ndarray:
        """Row sums of the cloud's mass, in kg."""
        return self.cloud.point_mass

    @check_arguments
    def body_force(self, force: np.ndarray) -> np.ndarray:
        """Return forces on the points of the mass as forces on the nodes.

        Parameters
        ----------
        force : array (m, 3), N
            Forces on the points of ``cloud``.

        Returns
        -------
        array (motions,), N and N m
            Forces and moments on all motions of the nodes.
        """
        force = np.asarray(force, dtype=float)
        if force.size != self.cloud.points.size:
            raise InputError(
                f"force has the shape {force.shape}; it acts on points {self.cloud.points.shape}"
            )
        return self.cloud.on_motions(force)

    @cached_property
    def mass(self) -> float:
        """Mass in kg."""
        return self.cloud.total

    def check_mass(self) -> None:
        """Raise InputError where the materials have no density, as where a file gives none."""
        if self.mass < LEAST_DENSITY * self.mesh.size**3:
            raise InputError(
                f"{self.mesh.name!r} has no mass ({self.mass:.3g} kg): its materials need a density, rho= in kg/m^3"
            )

    @cached_property
    def center(self) -> np.ndarray:
        """Mass centre (3,) in m, mesh coordinates."""
        return self.cloud.center

    @cached_property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the mass centre in kg m^2, mesh axes: int rho (|x|^2 I - x x')."""
        return self.cloud.inertia

    @check_arguments
    def rigid_modes(self, about: ArrayLike | None = None) -> np.ndarray:
        """Return the rigid displacements: three translations e_k, three rotations e_k x (x - about).

        Parameters
        ----------
        about : (3,), m, optional
            Point of the rotations; the mass centre by default.

        Returns
        -------
        array (unknowns, 6)
            Displacements for 1 m and 1 rad.

        Raises
        ------
        InputError
            ``about`` is not a point.
        """
        origin = self.center if about is None else np.asarray(about, dtype=float)
        if origin.shape != (3,):
            raise InputError(f"about= must be a point, three numbers, not {about!r}")
        motions = rigid_motions(self.mesh.points, origin, self.freedoms)
        return motions if self.freedoms.free is None else motions[self.freedoms.free]


def checked_field(structure: Structure, u: np.ndarray) -> np.ndarray:
    """Return u (unknowns,) as floats; InputError for another shape or values that are not finite."""
    u = np.asarray(u, dtype=float)
    if u.shape != (structure.n,):
        raise InputError(f"u has the shape {u.shape}; this structure has {structure.n} unknowns")
    if not np.isfinite(u).all():
        raise InputError(f"u holds {(~np.isfinite(u)).sum()} values that are not finite")
    return u


def check_elements(structure: Structure, what: str) -> None:
    """Raise InputError where a structure has no elements, which ``what`` needs: it is known by its matrices alone."""
    if not structure.groups:
        raise InputError(
            f"{what} needs elements, and {structure.mesh.name!r} is known by its matrices alone; give "
            "fem.from_matrices a structure of the same nodes as points="
        )


def weights(mass: np.ndarray) -> scipy.sparse.csr_array:
    """Return the diagonal mass matrix of points with masses (m,) in kg."""
    return scipy.sparse.csr_array(scipy.sparse.diags_array(mass, format="csr"))
