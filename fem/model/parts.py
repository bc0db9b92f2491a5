"""Structural parts other than elements: their common base class, point masses and springs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing
from ..common.numbers import floats, is_number, numbers, shown
from ..common.short_repr import short_repr
from ..mesh.mesh import Mesh
from .freedoms import Freedoms
from .interface import MeanMotion, mean_motion
from .structure import rigid_motions

#: motions of nodes (k,), and a stiffness matrix (k, k) between them
Stiffness = tuple[np.ndarray, np.ndarray]

#: nodes at most of a set under a spring or a point mass, which couples them all: 9 numbers for each pair
MAX_COUPLED_NODES = 3000


class Part(ABC):
    """A part of a structure that is not an element: a mass, a spring or a connection.

    A subclass answers those questions that concern it. Parts without a reference node have no ``name``.
    """

    name: str
    #: the words for several parts of the class
    plural: ClassVar[str] = "parts"

    @property
    def label(self) -> str:
        """How messages name the part."""
        return repr(self.name)

    @property
    def to_ground(self) -> bool:
        """Whether the part holds the structure."""
        return False

    @property
    @abstractmethod
    def uses(self) -> tuple[str, ...]:
        """Node sets, or numbers of nodes, that the part refers to and that must exist."""

    @abstractmethod
    def words(self) -> str:
        """Return the part in words, for reports.

        Returns
        -------
        str
            One line, such as "spring from 'a' to the ground".
        """

    def new_node(self, mesh: Mesh) -> np.ndarray | None:
        """Return the position (3,) in m of a reference node that the part adds to the mesh, or None.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        numpy.ndarray or None
            Position, (3,), m.
        """
        return None

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes that need rotations because the part refers to them.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        numpy.ndarray
            Numbers of nodes, (k,).
        """
        return np.empty(0, np.int64)

    def linked(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes that the part holds together.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        numpy.ndarray
            Numbers of nodes, (k,).
        """
        return np.empty(0, np.int64)

    def moved_nodes(self, mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes that the part moves before anything is computed, and their new positions.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        tuple of numpy.ndarray
            Numbers of nodes (k,), and positions (k, 3) in m.
        """
        return np.empty(0, np.int64), np.empty((0, 3))

    def held_motions(self, mesh: Mesh, freedoms: Freedoms) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return linear forms of motions that the part keeps at zero and that rigid motions would change.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        list of tuple
            Numbers of motions (k,), each with coefficients (k,).
        """
        return []

    def stiffnesses(self, mesh: Mesh, freedoms: Freedoms) -> list[Stiffness]:
        """Return its stiffness, in N/m, N and N m.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        list of Stiffness
            Numbers of motions (k,), each with a matrix (k, k).
        """
        return []

    def dampings(self, mesh: Mesh, freedoms: Freedoms) -> list[Stiffness]:
        """Return its viscous damping, in N s/m, N s and N m s.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        list of Stiffness
            Numbers of motions (k,), each with a matrix (k, k).
        """
        return []

    def geometric(self, mesh: Mesh, freedoms: Freedoms, moved: np.ndarray) -> list[Stiffness]:
        """Return its geometric stiffness for displacements of all motions (motions,).

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.
        moved : numpy.ndarray
            Displacements of all motions, (motions,), m and rad.

        Returns
        -------
        list of Stiffness
            Numbers of motions (k,), each with a matrix (k, k).
        """
        return []

    def masses(self, mesh: Mesh, freedoms: Freedoms) -> list[tuple[np.ndarray, ...]]:
        """Return its mass as points (q, 3), masses (q,), motions (k,) and shape (q, 3, k).

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        list of tuple
            Points, masses, motions and shape functions; one tuple for each mass.
        """
        return []


@check_arguments
@dataclass(frozen=True)
class PointMass(Part):
    """A mass, moments of inertia, or both at the frame of a node set.

    Parameters
    ----------
    at : str
        Node set.
    mass : float, kg
        Mass; zero for moments of inertia alone.
    inertia : (3,) or (3, 3), kg m^2, optional
        Principal moments along the global axes, or the tensor, about the mass itself. Without it the point mass has no
        rotary inertia; leave it out where the set can't carry a rotation.
    offset : (3,), m
        Position of the mass relative to the point of the set, global axes; a rigid arm connects them.

    Raises
    ------
    InputError
        The mass is negative, mass and inertia are both zero, or no mass distribution has such moments of inertia.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1))
    >>> round(fem.assemble(mesh, steel, parts=[fem.PointMass("x1", 10.0)]).mass, 6)
    88.5
    """

    plural: ClassVar[str] = "point masses"

    at: str
    mass: float
    inertia: tuple | np.ndarray | None = None
    _: KW_ONLY
    offset: tuple[float, float, float] | np.ndarray = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not (is_number(self.mass) and (self.mass > 0 or (self.mass == 0 and self.tensor.any()))):
            raise InputError(
                f"the point mass at {self.at!r} has the mass {shown(self.mass)} kg; it must be positive, or zero with "
                "moments of inertia alone: fem.PointMass(at, 0.0, inertia)"
            )
        numbers(self.offset, (3,), f"the offset of the point mass at {self.at!r}")
        values = np.linalg.eigvalsh(self.tensor)
        if not np.isfinite(values).all() or values[2] > (values[0] + values[1]) * (1 + 1e-9):
            raise InputError(
                f"the point mass at {self.at!r} has the principal moments {values.tolist()} kg m^2; none can be "
                "negative or larger than the sum of the other two"
            )

    @property
    def label(self) -> str:
        """How messages name the mass."""
        return f"the point mass at {self.at!r}"

    @property
    def uses(self) -> tuple[str, ...]:
        """Node set that carries the mass."""
        return (self.at,)

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the node if it belongs to no element and the mass needs its rotation."""
        turning = self.inertia is not None or bool(np.any(self.offset))
        return _alone(mesh, self.at) if turning else np.empty(0, np.int64)

    def words(self) -> str:
        """Return the mass in words."""
        turning = ", with moments of inertia" if self.inertia is not None else ""
        return f"point mass at {self.at!r}: {self.mass:.6g} kg{turning}"

    @property
    def tensor(self) -> np.ndarray:
        """Inertia (3, 3) in kg m^2."""
        if self.inertia is None:
            return np.zeros((3, 3))
        given = floats(self.inertia)
        if given is None or given.shape not in ((3,), (3, 3)) or not np.isfinite(given).all():
            raise InputError(
                f"the inertia at {self.at!r} is three numbers or a (3, 3) tensor, not {shown(self.inertia)}"
            )
        return np.diag(given) if given.ndim == 1 else 0.5 * (given + given.T)

    def masses(self, mesh: Mesh, freedoms: Freedoms) -> list[tuple[np.ndarray, ...]]:
        """Return points (q, 3), masses (q,), motions (k,) and shape (q, 3, k) with the same inertia.

        Six points on the axes of the second moment ``tr(I)/2 - I``, or one without inertia. Without mass the six have
        arms up to the size of the mesh, and a negative mass in their middle takes their mass away.
        """
        arm = np.asarray(self.offset, dtype=float)
        turning = self.inertia is not None or bool(arm.any())
        frame = frame_of(mesh, freedoms, self.at, f"the point mass at {self.at!r}", turning)
        _not_too_many(frame, f"the point mass at {self.at!r}")
        value, axes = np.linalg.eigh(0.5 * np.trace(self.tensor) * np.eye(3) - self.tensor)
        outer = self.mass or 3.0 * value.max() / float(np.ptp(mesh.points, axis=0).max()) ** 2
        arms = (np.sqrt(3.0 * np.maximum(value, 0.0) / outer) * axes).T
        offsets = np.vstack([arms, -arms]) if value.max() > 0 else np.zeros((1, 3))
        masses = np.full(len(offsets), outer / len(offsets))
        if self.mass == 0:
            offsets, masses = np.vstack([offsets, np.zeros(3)]), np.append(masses, -outer)
        motions, T = used_motions(frame)
        offsets = offsets + arm
        shape = rigid_motions(offsets, np.zeros(3)) @ T
        return [(frame.point + offsets, masses, motions, shape.reshape(len(offsets), 3, -1))]


@check_arguments
@dataclass(frozen=True)
class Spring(Part):
    """A linear spring with a damper between the frames of two node sets, or from one to the ground.

    Parameters
    ----------
    first : str
        Node set.
    second : str or None
        Other node set; None for the ground.
    stiffness : float, (6,) or (6, 6)
        One number, N/m, acts along the line between the two frames; six (N/m and N m/rad) act along and about the
        rows of ``axes``; or a full matrix.
    damping : float, (6,) or (6, 6), optional
        Viscous damping in the same three forms, N s/m and N m s/rad. :func:`fem.static` and :func:`fem.vibration` do
        not use it; :func:`modal.reduce` gives it to the flexible body.
    axes : array (3, 3)
        Unit vectors as rows; the global axes by default.

    Raises
    ------
    InputError
        At assembly: stiffness or damping is negative, not symmetric or not finite, or a set can't carry the moment.

    Notes
    -----
    The spring acts on the motion of ``second`` relative to that of ``first`` carried to ``second``'s point; a common
    rigid motion meets no resistance.

    Examples
    --------
    >>> import fem
    >>> fem.Spring("x0", None, (1e6, 1e6, 1e6, 0.0, 0.0, 0.0)).to_ground
    True
    """

    plural: ClassVar[str] = "springs"

    first: str
    second: str | None
    stiffness: ArrayLike
    _: KW_ONLY
    damping: ArrayLike = 0.0
    axes: tuple | np.ndarray = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    __repr__ = short_repr

    @property
    def to_ground(self) -> bool:
        """Whether the spring holds the structure."""
        return self.second is None

    @property
    def uses(self) -> tuple[str, ...]:
        """Node sets at its ends."""
        return (self.first,) if self.second is None else (self.first, self.second)

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return those of its nodes that belong to no element, if it resists rotations."""
        turning = any(_turning(np.asarray(values, dtype=float)) for values in (self.stiffness, self.damping))
        found = [_alone(mesh, name) for name in self.uses if turning]
        return np.concatenate([np.empty(0, np.int64), *found])

    def words(self) -> str:
        """Return the spring in words."""
        said = f"{self.label.removeprefix('the ')}: {_numbers(self.stiffness, 'N/m', 'N m/rad')}"
        return (
            f"{said}; damping {_numbers(self.damping, 'N s/m', 'N m s/rad')}"
            if np.any(self.damping)
            else said
        )

    @property
    def label(self) -> str:
        """Name in error messages."""
        return (
            f"the spring from {self.first!r} to {'the ground' if self.second is None else repr(self.second)}"
        )

    def linked(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes of both sets; none for a spring to the ground."""
        if self.second is None:
            return np.empty(0, np.int64)
        return np.concatenate([mesh.nodes_of(self.first), mesh.nodes_of(self.second)])

    def stiffnesses(self, mesh: Mesh, freedoms: Freedoms) -> list[Stiffness]:
        """Return the motions (k,) that it acts on and its stiffness matrix (k, k)."""
        return [self._matrix(mesh, freedoms, self.stiffness, "stiffness")]

    def dampings(self, mesh: Mesh, freedoms: Freedoms) -> list[Stiffness]:
        """Return the motions (k,) that it acts on and its damping matrix (k, k); nothing without damping."""
        return [self._matrix(mesh, freedoms, self.damping, "damping")] if np.any(self.damping) else []

    def _matrix(self, mesh: Mesh, freedoms: Freedoms, given: ArrayLike, what: str) -> Stiffness:
        """Return the motions (k,) that it acts on, and the matrix (k, k) of six components or one."""
        values = np.asarray(given, dtype=float)
        turning = _turning(values)
        a = _not_too_many(frame_of(mesh, freedoms, self.first, self.label, turning), self.label)
        own, Ta = used_motions(a)
        if self.second is None:
            motions, B = own, Ta
            direction = None
        else:
            b = _not_too_many(frame_of(mesh, freedoms, self.second, self.label, turning), self.label)
            other, Tb = used_motions(b)
            direction = b.point - a.point
            carried = rigid_motions(direction[None], np.zeros(3))
            Ta = np.vstack([carried @ Ta, Ta[3:]])
            motions, B = np.concatenate([other, own]), np.hstack([Tb, -Ta])
        if values.ndim == 0:
            if not values and what == "stiffness" and np.any(self.damping):
                return motions, np.zeros((len(motions), len(motions)))
            row = self._along(mesh, direction, what) @ B[:3]
            return motions, _checked_spring(self.label, values[None, None], what)[0, 0] * np.outer(row, row)
        turn = np.kron(np.eye(2), _rotation(self.axes, self.label))
        full = np.diag(values) if values.shape == (6,) else values
        if full.shape != (6, 6):
            raise InputError(f"{self.label}: {what} is one number, six, or (6, 6), not {values.shape}")
        return motions, B.T @ turn.T @ _checked_spring(self.label, full, what) @ turn @ B

    def geometric(self, mesh: Mesh, freedoms: Freedoms, moved: np.ndarray) -> list[Stiffness]:
        """Return N/l (I - e e') (k, k) of a spring along a line; nothing for a spring with six stiffnesses."""
        if self.second is None or np.ndim(self.stiffness) > 0:
            return []
        a, b = (frame_of(mesh, freedoms, name, self.label, False) for name in (self.first, self.second))
        (own, Ta), (other, Tb) = used_motions(a), used_motions(b)
        motions, B = np.concatenate([other, own]), np.hstack([Tb[:3], -Ta[:3]])
        direction = b.point - a.point
        e = self._along(mesh, direction, "stiffness")
        force = float(np.asarray(self.stiffness)) * (e @ B @ moved[motions])
        return [(motions, force / np.linalg.norm(direction) * B.T @ (np.eye(3) - np.outer(e, e)) @ B)]

    def _along(self, mesh: Mesh, direction: np.ndarray | None, what: str) -> np.ndarray:
        """Return the unit vector of the line between the frames."""
        length = 0.0 if direction is None else float(np.linalg.norm(direction))
        if direction is None or length <= 1e-9 * np.ptp(mesh.points, axis=0).max():
            raise InputError(
                f"{self.label} has one {what}, which acts along the line between two frames, but there is "
                f"no such line; give six: {what}=(x, y, z, about x, about y, about z)"
            )
        return direction / length


def with_reference_nodes(mesh: Mesh, parts: Sequence[Part]) -> Mesh:
    """Return the mesh with the nodes that ``parts`` move, and their reference nodes, each a set of its part's name."""
    for part in parts:
        if not isinstance(part, Part):
            raise InputError(
                f"parts= takes fem.PointMass, Spring, Rigid, Averaged, Tie and Equation, not {part!r}"
            )
        nodes, positions = part.moved_nodes(mesh)
        if len(nodes):
            points = mesh.points.copy()
            points[nodes] = positions
            mesh = replace(mesh, points=points)
    points, sets, number = [mesh.points], dict(mesh.node_sets), mesh.n_nodes
    ids, highest = [mesh.node_ids], int(mesh.node_ids.max(initial=0))
    for part in parts:
        here = part.new_node(mesh)
        if here is not None:
            if part.name in sets:
                raise InputError(
                    f"the connection {part.name!r} makes a reference node of that name, but mesh {mesh.name!r} has "
                    "a node set of this name; choose another name, or name the set as reference="
                )
            points.append(here[None])
            ids.append(np.array([highest + len(ids)]))
            sets[part.name] = np.array([number])
            number += 1
    if number == mesh.n_nodes:
        return mesh
    return replace(mesh, points=np.vstack(points), node_ids=np.concatenate(ids), node_sets=sets)


def links(mesh: Mesh, parts: Sequence[Part]) -> list[np.ndarray]:
    """Return groups of nodes that springs and connections hold together."""
    return [nodes for nodes in (part.linked(mesh) for part in parts) if len(nodes)]


def reference_nodes(mesh: Mesh, parts: Sequence[Part]) -> np.ndarray:
    """Return the nodes that connections use as references: these have rotations."""
    return np.unique(np.concatenate([np.empty(0, np.int64), *(part.reference_nodes(mesh) for part in parts)]))


def frame_of(
    mesh: Mesh, freedoms: Freedoms, name: str, who: str, turning: bool, weights: np.ndarray | None = None
) -> MeanMotion:
    """Return the mean motion of a node set; InputError naming ``who`` if it has no rotation but needs one.

    ``weights`` (k,) of its nodes, by default the areas of its faces.
    """
    frame = mean_motion(mesh, name, freedoms, weights)
    if turning and not frame.has_rotation:
        raise InputError(
            f"{who} needs the rotation of the node set {name!r}, which it does not have (fewer than three nodes, or on "
            "one line); use more nodes, or a connection's reference node"
        )
    return frame


def _alone(mesh: Mesh, name: str) -> np.ndarray:
    """Return the node of a set of one node that belongs to no element; else none."""
    nodes = mesh.nodes_of(name)
    return nodes if len(nodes) == 1 and not mesh.on_elements[nodes[0]] else np.empty(0, np.int64)


def used_motions(frame: MeanMotion) -> tuple[np.ndarray, np.ndarray]:
    """Return the motions that a frame depends on, and T over those only, dense."""
    motions = np.unique(frame.T.tocoo().coords[1])
    return motions, frame.T[:, motions].toarray()


def _not_too_many(frame: MeanMotion, who: str) -> MeanMotion:
    """Return the frame; InputError for a set that would fill the matrices."""
    if len(frame.nodes) > MAX_COUPLED_NODES:
        raise InputError(
            f"{who} acts on {len(frame.nodes)} nodes and couples them all "
            f"({len(frame.nodes) ** 2 * 108e-9:.2g} GB); use a set of at most {MAX_COUPLED_NODES} nodes, or the "
            "reference node of a fem.Rigid connection"
        )
    return frame


def _rotation(axes, who: str) -> np.ndarray:
    A = floats(axes)
    if A is None or A.shape != (3, 3) or not np.allclose(A @ A.T, np.eye(3), atol=1e-6):
        raise InputError(f"{who}: axes= holds three unit vectors at right angles, one in each row")
    return A


def _checked_spring(who: str, matrix: np.ndarray, what: str) -> np.ndarray:
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise InputError(f"{who}: the {what} must be finite and symmetric")
    if np.linalg.eigvalsh(matrix).min() < -1e-9 * np.abs(matrix).max():
        raise InputError(f"{who}: the {what} {listing(np.diag(matrix))} must not be negative")
    return matrix


def _turning(values: np.ndarray) -> bool:
    """Return whether values of a spring, (), (6,) or (6, 6), resist rotations."""
    return values.ndim == 2 or bool(values.ndim and np.any(values[3:]))


def _numbers(given: ArrayLike, unit: str, turning: str) -> str:
    """Return values of a spring, (), (6,) or (6, 6), with their units; of a matrix the diagonal."""
    values = np.asarray(given, dtype=float)
    full = np.diag(values) if values.ndim == 2 else np.atleast_1d(values)
    return f"{', '.join(f'{x:.6g}' for x in full)} {unit}{f', {turning}' * (values.ndim > 0)}"
