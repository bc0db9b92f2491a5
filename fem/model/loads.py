"""Loads on a structure: forces and moments, pressure and traction, weight, line loads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.names import as_list
from ..common.numbers import number, numbers
from ..elements import ELEMENTS, FACES, LINES, SHAPES
from ..mesh.block import Block
from ..mesh.surface import face_normals
from .group import Group
from .load_stiffness import pressed_faces, turned_faces, turned_nodes, turned_solids, turned_with_set
from .parts import frame_of
from .structure import Structure


class Load(ABC):
    """A load on a structure; in linear statics it does not follow the motion."""

    #: Name of the field that is the load per volume, area or length (3,), of one direction everywhere; None for others.
    vector: ClassVar[str | None] = None

    @abstractmethod
    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return the forces (motions,) in N, and moments in N m, on all motions of the nodes.

        Parameters
        ----------
        structure : Structure
            The loaded structure.

        Returns
        -------
        numpy.ndarray
            Forces, (motions,), N and N m.
        """

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return how the forces change with the motions of the nodes when the load follows them.

        Parameters
        ----------
        structure : Structure
            The loaded structure.

        Returns
        -------
        scipy.sparse.csr_array
            Change of the forces, (motions, motions), N/m, N and N m; in general not symmetric.

        Raises
        ------
        InputError
            The load can't follow the motion.
        """
        raise InputError(f"{type(self).__name__} does not follow the motion of what it acts on")

    def on_elements(self, structure: Structure, group: Group) -> np.ndarray | None:
        """Return the part (ne, nd) that acts along a group's elements, by element, for their stresses; or None.

        Parameters
        ----------
        structure : Structure
            The loaded structure.
        group : Group
            Elements of one kind with one property.

        Returns
        -------
        numpy.ndarray or None
            Nodal loads of each element, (ne, nd), N and N m.
        """
        return None

    def moments(self) -> list[tuple[str, np.ndarray]]:
        """Return node sets, and the moments (3,) in N m that are spread over them.

        Returns
        -------
        list of tuple
            Name of each node set, with the moment, (3,), N m.
        """
        return []


@check_arguments
@dataclass(frozen=True)
class Force(Load):
    """A force and a moment on the frame of a node set.

    They are distributed over the set with the weights of :func:`fem.interface`. A moment needs a set that can carry a
    rotation.

    Parameters
    ----------
    at : str
        Node set.
    force : (3,), N
        Force in global components.
    moment : (3,), N m
        Moment in global components.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> fem.Force("tip", force=(0.0, 0.0, -100.0))
    Force(at='tip', force=(0.0, 0.0, -100.0), moment=(0.0, 0.0, 0.0))
    """

    at: str
    force: Sequence[float] = (0.0, 0.0, 0.0)
    moment: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.force, "force", self.at)
        _check_vector(self.moment, "moment", self.at)

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return T' (force, moment)."""
        wrench = np.concatenate([_vector(self.force), _vector(self.moment)])
        turning = bool(wrench[3:].any())
        frame = frame_of(structure.mesh, structure.freedoms, self.at, "a moment", turning)
        return np.asarray(frame.T.T @ wrench)

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces that turn with the mean rotation of the set."""
        frame = frame_of(structure.mesh, structure.freedoms, self.at, "a force that follows", True)
        return turned_with_set(structure, self.on_motions(structure), frame)

    def moments(self) -> list[tuple[str, np.ndarray]]:
        """Return the node set and the moment, unless it is zero."""
        moment = _vector(self.moment)
        return [(self.at, moment)] if moment.any() else []


@check_arguments
@dataclass(frozen=True)
class Gravity(Load):
    """The weight of a structure.

    Parameters
    ----------
    acceleration : (3,), m/s^2
        Acceleration of gravity in global components.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> round(float(fem.load_vector(bar, fem.Gravity()).sum()), 3)
    -770.085
    """

    acceleration: Sequence[float] = (0.0, 0.0, -9.81)

    vector: ClassVar = "acceleration"

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.acceleration, "acceleration", "gravity")

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return the weight of all mass points."""
        g = _vector(self.acceleration)
        return structure.cloud.accelerated(np.zeros(3), g, np.zeros((3, 3)))

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces that turn with the solid, the nodes of beams and shells."""
        g, forces = _vector(self.acceleration), self.on_motions(structure)
        solids = [turned_solids(structure, one, g) for one in structure.groups if one.kind in ELEMENTS]
        rest = forces - sum((weight for _, weight in solids), np.zeros(len(forces)))
        rest[np.abs(rest) < 1e-9 * np.abs(forces).max()] = 0.0  # round-off
        return sum((K for K, _ in solids), turned_nodes(structure, rest, "the weight"))

    def on_elements(self, structure: Structure, group: Group) -> np.ndarray | None:
        """Return the weight of each element."""
        g = _vector(self.acceleration)
        return accelerated(structure, group, lambda x: np.broadcast_to(g, x.shape))


@check_arguments
@dataclass(frozen=True)
class Centrifugal(Load):
    """The inertia forces of steady rotation.

    Parameters
    ----------
    rate : (3,), rad/s
        Angular velocity.
    about : (3,), m
        Point on the axis.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> fem.Centrifugal(rate=(0.0, 0.0, 100.0))
    Centrifugal(rate=(0.0, 0.0, 100.0), about=(0.0, 0.0, 0.0))
    """

    rate: Sequence[float]
    _: KW_ONLY
    about: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.rate, "rate", "a centrifugal load")
        _check_vector(self.about, "about", "a centrifugal load")

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return -int rho omega x (omega x r) on the mass points, in the undeformed position."""
        if structure.freedoms.internal:
            raise InputError(
                f"{structure.mesh.name!r} has internal coordinates, which do not tell where their mass is: its "
                "centrifugal forces are not known. They need the mesh (fem.assemble), or matrices of all nodes"
            )
        omega = _vector(self.rate)
        spin = np.cross(omega, np.eye(3)).T  # omega x r = spin r
        return structure.cloud.accelerated(_vector(self.about), np.zeros(3), -spin @ spin)

    def on_elements(self, structure: Structure, group: Group) -> np.ndarray | None:
        """Return the inertia forces of each element."""
        omega = _vector(self.rate)
        about = _vector(self.about)
        return accelerated(structure, group, lambda x: -np.cross(omega, np.cross(omega, x - about)))


@check_arguments
@dataclass(frozen=True)
class Pressure(Load):
    """A pressure on the faces of a node set: it pushes on the outside of solids, and along -normal on shells.

    The area and the normal are those of the undeformed faces; see :meth:`fem.Mesh.faces_of`.

    Parameters
    ----------
    on : str
        Node set.
    pressure : float, Pa
        Pressure.

    Raises
    ------
    InputError
        The pressure is not a finite number.

    Examples
    --------
    >>> import fem
    >>> fem.Pressure("x1", 1e5)
    Pressure(on='x1', pressure=100000.0)
    """

    on: str
    pressure: float

    def __post_init__(self) -> None:
        """Check the numbers."""
        number(self.pressure, f"the pressure of {self.on!r}, one for all its faces,")

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return -p int N_i n dA."""
        p = float(self.pressure)
        return _on_faces(structure, self.on, lambda normal: -p * normal)

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of the forces on the deformed area, along its normal."""
        p = float(self.pressure)
        return _sum_of_faces(structure, self.on, lambda block: pressed_faces(structure, block, p))


@check_arguments
@dataclass(frozen=True)
class Traction(Load):
    """A force per area on the faces of a node set.

    Parameters
    ----------
    on : str
        Node set.
    traction : (3,), Pa
        Force per area in global components.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> fem.Traction("x1", (1e5, 0.0, 0.0))
    Traction(on='x1', traction=(100000.0, 0.0, 0.0))
    """

    on: str
    traction: Sequence[float]

    vector: ClassVar = "traction"

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.traction, "traction", self.on)

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return int N_i t dA."""
        t = _vector(self.traction)
        return _on_faces(structure, self.on, lambda normal: np.linalg.norm(normal, axis=-1)[..., None] * t)

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces of given size that turn with the faces."""
        t = _vector(self.traction)
        return _sum_of_faces(structure, self.on, lambda block: turned_faces(structure, block, t))


@check_arguments
@dataclass(frozen=True)
class LineLoad(Load):
    """A force per length on beams or trusses.

    Parameters
    ----------
    on : str
        Element set, or a kind of element such as "line2".
    force : (3,), N/m
        Force per length in global components.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> fem.LineLoad("line2", (0.0, 0.0, -50.0))
    LineLoad(on='line2', force=(0.0, 0.0, -50.0))
    """

    on: str
    force: Sequence[float]

    vector: ClassVar = "force"

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.force, "force", self.on)

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return int N_i q ds, consistent with the element's own interpolation."""
        total = np.zeros(structure.freedoms.n_motions)
        for group in structure.groups:
            forces = self.on_elements(structure, group)
            if forces is not None:
                np.add.at(total, structure.freedoms.of_elements(group.nodes, group.property.freedoms), forces)
        return total

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces that turn with the nodes of beams."""
        return turned_nodes(structure, self.on_motions(structure), f"the line load on {self.on!r}")

    def on_elements(self, structure: Structure, group: Group) -> np.ndarray | None:
        """Return int N_i q ds of each element."""
        q = _vector(self.force)
        mine = np.isin(group.index, structure.mesh.elements_of(self.on))
        if not mine.any():
            return None
        if group.kind not in LINES:
            raise InputError(
                f"a line load acts on beams and trusses; {self.on!r} holds {group.kind} elements"
            )
        its = group.property
        samples = its.samples(group.kind, structure.mesh.points[group.nodes])
        length = samples.weights / its.mass_per_length
        return np.einsum("eq,eqki,k->ei", length * mine[:, None], samples.shape, q)


@check_arguments
@dataclass(frozen=True)
class EdgeLoad(Load):
    """A force per length on the sides of shells whose ends are in a node set.

    It includes the drilling moments of the shell's sides, so that a uniform load gives uniform stress.

    Parameters
    ----------
    on : str
        Node set.
    force : (3,), N/m
        Force per length in global components.

    Raises
    ------
    InputError
        The components are not three finite numbers.

    Examples
    --------
    >>> import fem
    >>> fem.EdgeLoad("rim", (1000.0, 0.0, 0.0))
    EdgeLoad(on='rim', force=(1000.0, 0.0, 0.0))
    """

    on: str
    force: Sequence[float]

    vector: ClassVar = "force"

    def __post_init__(self) -> None:
        """Check the numbers."""
        _check_vector(self.force, "force", self.on)

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return int N_i t ds over each side once."""
        t = _vector(self.force)
        wanted = {tuple(edge) for edge in structure.mesh.edges_of(self.on).tolist()}
        total = np.zeros(structure.freedoms.n_motions)
        loaded = 0
        for group in structure.groups:
            if group.kind not in FACES:
                continue
            for side, (i, j) in enumerate(SHAPES[group.kind].edges):
                ends = np.sort(group.nodes[:, [i, j]], axis=1).tolist()
                mine = []
                for e, edge in enumerate(map(tuple, ends)):
                    if edge in wanted:
                        wanted.remove(edge)
                        mine.append(e)
                nodes = group.nodes[mine]
                if len(nodes) == 0:
                    continue
                its = group.property
                points = its.edge(group.kind, structure.mesh.points[nodes], side)
                forces = np.einsum("eq,eqxd,x->ed", points.weights, points.shape, t)
                np.add.at(total, structure.freedoms.of_elements(nodes, its.freedoms), forces)
                loaded += len(nodes)
        if not loaded:
            raise InputError(
                f"the node set {self.on!r} contains no side of a shell, which an edge load needs"
            )
        return total

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces that turn with the nodes of the sides."""
        return turned_nodes(structure, self.on_motions(structure), f"the edge load on {self.on!r}")


def accelerated(structure: Structure, group: Group, field: Callable) -> np.ndarray | None:
    """Return the forces (ne, nd) on beams and trusses in a field of acceleration, field(x) (..., 3) in m/s^2."""
    if group.kind not in LINES:
        return None
    samples = group.property.samples(group.kind, structure.mesh.points[group.nodes])
    return np.einsum("eq,eqki,eqk->ei", samples.weights, samples.shape, field(samples.points))


@check_arguments(own=("loads",))
def load_vector(structure: Structure, loads: Load | Sequence[Load]) -> np.ndarray:
    """Return the sum of loads as generalized forces.

    Parameters
    ----------
    structure : Structure
        The structure.
    loads : load or sequence of loads
        Loads as for :func:`static`.

    Returns
    -------
    array (unknowns,)
        N on displacements, N m on rotations.

    Raises
    ------
    InputError
        An argument is not a load, or it names a set that can't carry it.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> round(float(fem.load_vector(bar, fem.Force("x1", (5.0, 0.0, 0.0))).sum()), 9)
    5.0
    """
    return structure.freedoms.onto_unknowns(motion_loads(structure, loads))


def motion_loads(structure: Structure, loads: Load | Sequence[Load]) -> np.ndarray:
    """Return the sum of loads over all motions of the nodes (motions,)."""
    forces = (load.on_motions(structure) for load in load_list(loads))
    return sum(forces, np.zeros(structure.freedoms.n_motions))


def load_list(loads: Any) -> list[Load]:
    """Return one load or several as a list; InputError for anything that is not a load."""
    listed = as_list(loads)
    for load in listed:
        if not isinstance(load, Load):
            raise InputError(
                "loads are fem.Force, Bearing, Pressure, Traction, LineLoad, EdgeLoad, Gravity and Centrifugal, not "
                f"{load!r}"
            )
    return listed


def _faces(structure: Structure, name: str) -> Sequence[Block]:
    """Return the faces of a node set; InputError if it has none."""
    mesh = structure.mesh
    faces = mesh.faces_of(name)
    if not faces:
        raise InputError(
            f"the node set {name!r} of mesh {mesh.name!r} contains no whole face of a solid and no shell; a load per "
            "area needs one"
        )
    return faces


def _sum_of_faces(
    structure: Structure, name: str, change: Callable[[Block], scipy.sparse.csr_array]
) -> scipy.sparse.csr_array:
    n = structure.freedoms.n_motions
    return sum((change(block) for block in _faces(structure, name)), scipy.sparse.csr_array((n, n)))


def _on_faces(structure: Structure, name: str, force) -> np.ndarray:
    total = np.zeros(structure.freedoms.n_motions)
    for block in _faces(structure, name):
        normal, weights, N = face_normals(structure.mesh.points, block)
        at_nodes = np.einsum("fqa,q,qi->fia", force(normal), weights, N)
        dofs = structure.freedoms.of_elements(block.nodes, 3)
        np.add.at(total, dofs, at_nodes.reshape(len(dofs), -1))
    return total


def _check_vector(value: Any, what: str, where: str) -> None:
    """Raise InputError if a value is not three finite numbers."""
    numbers(value, (3,), f"the {what} of {where!r}")


def _vector(value: Any) -> np.ndarray:
    """Return three numbers, which were checked, as an array (3,)."""
    return np.array(value, dtype=float)
