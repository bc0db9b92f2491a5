"""Connections by reference nodes: rigid (RBE2) and averaging (RBE3)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing
from ..common.numbers import is_number
from ..mesh.mesh import Mesh
from .fitted import Fit, fit
from .freedoms import NAMES, Following, Freedoms, components
from .interface import MeanMotion, turned_load
from .parts import Part, Stiffness, frame_of, used_motions
from .structure import Structure, rigid_motions


class Follower(Part):
    """A part under which motions of some nodes follow those of others."""

    @abstractmethod
    def rule(self, mesh: Mesh, freedoms: Freedoms) -> Following:
        """Return the motions that follow, and those that lead.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        Following
            The motions that follow, those that lead, and the matrix between them.
        """

    @abstractmethod
    def frame_stiffnesses(self, structure: Structure, force: np.ndarray) -> list[Stiffness]:
        """Return the stiffness of each frame that turns under the forces that it is handed.

        ``force`` (motions,) in N and N m: the forces that deform elements and springs, less the loads.

        Parameters
        ----------
        structure : Structure
            The structure that holds the part.
        force : numpy.ndarray
            Forces on all motions, (motions,), N and N m.

        Returns
        -------
        list of Stiffness
            Numbers of motions (k,), each with a matrix (k, k), N m.
        """


@dataclass(frozen=True)
class Connection(Follower):
    """A set of nodes and a reference node, one of which follows the other.

    ``name`` of the connection, and of the node set that holds a new reference node; ``nodes`` the node set;
    ``reference`` the node set of one node with rotations that is the reference, None for a new node; ``at`` (3,) in m
    the position of a new node, by default the mean of the set.
    """

    name: str
    nodes: str
    _: KW_ONLY
    reference: str | None = None
    at: tuple[float, float, float] | None = None

    @abstractmethod
    def frame_stiffness(self, structure: Structure, force: np.ndarray) -> Stiffness:
        """Return the motions and the stiffness of the frame that turns under the forces that it is handed.

        ``force`` (motions,) in N and N m: the forces that deform elements and springs, less the loads.

        Parameters
        ----------
        structure : Structure
            The structure that holds the connection.
        force : numpy.ndarray
            Forces on all motions, (motions,), N and N m.

        Returns
        -------
        Stiffness
            Numbers of motions (k,) and a matrix (k, k), N m.
        """

    @property
    def uses(self) -> tuple[str, ...]:
        """Node set, and the reference node if it exists."""
        return (self.nodes,) if self.reference is None else (self.nodes, self.reference)

    def frame_stiffnesses(self, structure: Structure, force: np.ndarray) -> list[Stiffness]:
        """Return the stiffness of its one frame."""
        return [self.frame_stiffness(structure, force)]

    def new_node(self, mesh: Mesh) -> np.ndarray | None:
        """Return the position (3,) in m of a new reference node; None if the reference exists."""
        if self.reference is not None:
            return None
        here = mesh.points[mesh.nodes_of(self.nodes)].mean(axis=0)
        return np.reshape(here if self.at is None else self.at, 3).astype(float)

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the reference node."""
        return np.array([self.reference_node(mesh)])

    def linked(self, mesh: Mesh) -> np.ndarray:
        """Return the reference node and the set."""
        return np.append(mesh.nodes_of(self.nodes), self.reference_node(mesh))

    def reference_node(self, mesh: Mesh) -> int:
        """Return the reference node; InputError if it is not one node.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        int
            Number of the node.
        """
        nodes = mesh.nodes_of(self.reference or self.name)
        if len(nodes) != 1:
            raise InputError(
                f"the reference {self.reference!r} of {self.name!r} must be one node, not {len(nodes)}"
            )
        return int(nodes[0])


@check_arguments
@dataclass(frozen=True)
class Rigid(Connection):
    """A rigid connection (RBE2): all nodes of a set move as one body with a reference node.

    Parameters
    ----------
    name : str
        Name of the connection, and of the node set that holds a new reference node.
    nodes : str
        Node set that follows.
    reference : str, optional
        Node set of one node with rotations (a beam's end) that is the reference; by default a new node.
    at : (3,), m, optional
        Position of a new reference node; the mean of the set by default.
    components : str or tuple of str
        Motions of the nodes that follow: "all", or some of "x", "y", "z", "rx", "ry", "rz" in global axes. With the
        three displacements alone, beams and shells are hinged at their nodes.

    Raises
    ------
    InputError
        A component is unknown; at assembly: the reference is not one node, the name is taken, or a node follows two
        connections.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1))
    >>> fem.assemble(mesh, steel, parts=[fem.Rigid("tip", "x1")]).n  # eight nodes follow one with six
    150
    """

    plural: ClassVar[str] = "rigid connections"

    components: str | tuple[str, ...] = "all"

    def __post_init__(self) -> None:
        """Check the components."""
        self._follows()

    def _follows(self) -> np.ndarray:
        """Return which of the six motions follow, (6,)."""
        given = components(self.components, f"the rigid connection {self.name!r}")
        return np.isin(NAMES, list(given))

    def rule(self, mesh: Mesh, freedoms: Freedoms) -> Following:
        """Return the motions that follow, and those that lead."""
        node = self.reference_node(mesh)
        nodes = np.setdiff1d(mesh.nodes_of(self.nodes), [node])
        motions = freedoms.of_nodes(nodes)
        R = rigid_motions(mesh.points[nodes], mesh.points[node], Freedoms(freedoms.count[nodes]))
        component = motions - np.repeat(freedoms.first[nodes], freedoms.count[nodes])
        follows = self._follows()[component]
        of = freedoms.first[node] + np.arange(6)
        return Following(f"the rigid connection {self.name!r}", motions[follows], of, R[follows])

    def words(self) -> str:
        """Return the connection in words."""
        some = "" if self._follows().all() else f" in {', '.join(np.array(NAMES)[self._follows()])}"
        return f"rigid connection {self.name!r}: {self.nodes!r} follows node {self.reference or self.name!r}{some}"

    def frame_stiffness(self, structure: Structure, force: np.ndarray) -> Stiffness:
        """Return the stiffness (3, 3) of the rotation of the reference node under the forces on the nodes."""
        F, r = self._handed(structure, force)
        first = structure.freedoms.first[self.reference_node(structure.mesh)]
        return first + 3 + np.arange(3), of_arms(r, F)

    def _handed(self, structure: Structure, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the forces (k, 3) on the nodes of the set and their arms (k, 3) from the reference node."""
        mesh, reference = structure.mesh, self.reference_node(structure.mesh)
        nodes = np.setdiff1d(mesh.nodes_of(self.nodes), [reference])
        F = force[structure.freedoms.first[nodes][:, None] + np.arange(3)] * self._follows()[:3]
        return F, mesh.points[nodes] - mesh.points[reference]


@check_arguments
@dataclass(frozen=True)
class Averaged(Connection):
    """An averaging connection (RBE3): a reference node follows the mean motion of a set.

    Loads on the reference node are distributed over the set, whose stiffness is unchanged.

    Parameters
    ----------
    name : str
        Name of the connection, and of the node set that holds a new reference node.
    nodes : str
        Node set that leads.
    reference : str, optional
        Node set of one node with rotations that follows; by default a new node.
    at : (3,), m, optional
        Position of a new reference node, at which the mean is taken; the mean of the set by default.
    components : str or tuple of str
        Motions of the reference node that follow: "all", or some of "x", "y", "z", "rx", "ry", "rz" in global axes. The
        others belong to what else is attached there, such as a beam or a spring. With displacements alone, the node has
        no rotations unless something else there turns: it takes forces, and no moments.
    weights : float or mapping, optional
        Weights of the nodes in the mean: a number, the same for all; or {node set or number of a node: weight}. By
        default the area of the set's faces, or the length of its sides; equal without either. A weight is that of all
        three displacements, or {component: weight} such as {"x": 1.0, "rz": 2.0}.

    Raises
    ------
    InputError
        A component is unknown; at assembly: the reference is not one node or belongs to the set, the name is taken, or
        the set can't carry a rotation that the reference needs.

    Notes
    -----
    The mean is the rigid motion that fits the motions of the nodes best in the sense of weighted least squares. With
    weights of components, weights of rotations are multiplied by the square of the mean distance of the nodes from the
    reference, as in Nastran's RBE3 (:func:`fem.model.fitted.fit`).

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1))
    >>> fem.assemble(mesh, steel, parts=[fem.Averaged("tip", "x1")]).n
    168
    """

    plural: ClassVar[str] = "averaging connections"

    components: str | tuple[str, ...] = "all"
    weights: float | Mapping[str, float | Mapping[str, float]] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        """Check the components and the weights."""
        self._follows()
        if isinstance(self.weights, Mapping):
            wrong = [name for name, value in self.weights.items() if not _is_weight(value)]
            if wrong or not self.weights:
                raise InputError(
                    f"the averaging connection {self.name!r}: weights must be positive numbers, those of "
                    f"{listing(wrong)} are not"
                )
        elif self.weights is not None and not (is_number(self.weights) and self.weights > 0):
            raise InputError(
                f"the averaging connection {self.name!r}: weights is {self.weights!r}; give 1.0 for equal weights, "
                "{node set: weight}, or nothing for weights by area"
            )

    def _follows(self) -> np.ndarray:
        """Return which of the six motions of the reference node follow, (6,)."""
        return np.isin(NAMES, list(components(self.components, f"the averaging connection {self.name!r}")))

    @property
    def turns_by_displacements(self) -> bool:
        """Whether rotations of the reference follow the displacements of the set alone."""
        return bool(self._follows()[3:].any()) and not self._by_component

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the reference node if its rotations follow, and nodes without elements whose rotations count."""
        turning = super().reference_nodes(mesh) if self._follows()[3:].any() else np.empty(0, np.int64)
        if not self._by_component:
            return turning
        nodes = mesh.nodes_of(self.nodes)
        counted = nodes[self._table(mesh)[:, 3:].any(axis=1)]
        return np.append(turning, counted[~mesh.on_elements[counted]])

    @property
    def _by_component(self) -> bool:
        """Whether weights are given for components."""
        given = self.weights.values() if isinstance(self.weights, Mapping) else ()
        return any(isinstance(value, Mapping) for value in given)

    def _table(self, mesh: Mesh) -> np.ndarray:
        """Return the weights (k, 6) of the components of the set's nodes."""
        table = np.zeros((mesh.n_nodes, 6))
        for name, value in self.weights.items() if isinstance(self.weights, Mapping) else ():
            its = value if isinstance(value, Mapping) else dict.fromkeys(NAMES[:3], float(value))
            table[mesh.nodes_of(name)] = np.array([float(its.get(component, 0.0)) for component in NAMES])
        nodes = mesh.nodes_of(self.nodes)
        if not table[nodes].any(axis=1).all():
            left = int(mesh.node_ids[nodes[~table[nodes].any(axis=1)][0]])
            raise InputError(f"the averaging connection {self.name!r}: weights= leaves out node {left}")
        return table[nodes]

    def _fitted(self, mesh: Mesh, freedoms: Freedoms) -> tuple[np.ndarray, Fit]:
        """Return the motions (k,) of the set that count, and the rigid motion of the reference that fits them."""
        nodes, table = mesh.nodes_of(self.nodes), self._table(mesh)
        at, component = np.nonzero(table)
        if (lacking := component >= freedoms.count[nodes[at]]).any():
            k = int(np.flatnonzero(lacking)[0])
            raise InputError(
                f"the averaging connection {self.name!r}: weights= counts {NAMES[component[k]]} of node "
                f"{mesh.node_ids[nodes[at[k]]]}, which has no rotations"
            )
        reference = mesh.points[self.reference_node(mesh)]
        its = fit(mesh.points[nodes[at]], reference, np.eye(6)[component], table[at, component])
        return freedoms.first[nodes[at]] + component, its

    def _mean(self, mesh: Mesh, freedoms: Freedoms, turning: bool) -> MeanMotion:
        """Return the mean motion of the set; InputError if it has no rotation and is ``turning``."""
        what = f"the averaging connection {self.name!r}"
        return frame_of(mesh, freedoms, self.nodes, what, turning=turning, weights=self._values(mesh))

    def _values(self, mesh: Mesh) -> np.ndarray | None:
        """Return the weights (k,) of the nodes of the set; None for those by area."""
        if self.weights is None:
            return None
        nodes = mesh.nodes_of(self.nodes)
        if not isinstance(self.weights, Mapping):
            return np.ones(len(nodes))
        values = np.zeros(mesh.n_nodes)
        for name, value in self.weights.items():
            if not isinstance(value, Mapping):  # weights of components are those of a fit
                values[mesh.nodes_of(name)] = value
        if not values[nodes].all():
            left = int(mesh.node_ids[nodes[values[nodes] == 0][0]])
            raise InputError(f"the averaging connection {self.name!r}: weights= leaves out node {left}")
        return values[nodes]

    def rule(self, mesh: Mesh, freedoms: Freedoms) -> Following:
        """Return the motions that follow, and those that lead."""
        node, what = self.reference_node(mesh), f"the averaging connection {self.name!r}"
        if self._by_component:
            return self._fitted_rule(mesh, freedoms, node, what)
        mean = self._mean(mesh, freedoms, turning=False)
        if node in mean.nodes:
            raise InputError(f"{what}: its reference is one of the nodes it follows")
        carried = np.vstack([rigid_motions(mesh.points[[node]], mean.point), np.eye(6)[3:]])[self._follows()]
        if not mean.has_rotation:
            turned = np.eye(3) - mean.T[3:][:, mean.motions] @ mean.R[:, 3:]  # that the set doesn't determine
            scale = np.where(np.flatnonzero(self._follows()) < 3, mesh.size, 1.0)
            needed = np.abs(carried[:, 3:] @ turned).max(axis=1) / scale > 1e-9
            self._mean(mesh, freedoms, turning=bool(needed.any()))
        motions, T = used_motions(mean)
        return Following(what, freedoms.first[node] + np.flatnonzero(self._follows()), motions, carried @ T)

    def _fitted_rule(self, mesh: Mesh, freedoms: Freedoms, node: int, what: str) -> Following:
        if node in mesh.nodes_of(self.nodes):
            raise InputError(f"{what}: its reference is one of the nodes it follows")
        motions, its = self._fitted(mesh, freedoms)
        follows = np.flatnonzero(self._follows())
        lost = [NAMES[k] for k in follows if np.abs(its.open[k]).max(initial=0.0) > 1e-6]
        if lost:
            raise InputError(
                f"{what}: the components of {self.nodes!r} that count don't determine {', '.join(lost)} of its "
                "reference; count more of them, or let fewer motions of the reference follow"
            )
        return Following(what, freedoms.first[node] + follows, motions, its.G[follows])

    def words(self) -> str:
        """Return the connection in words."""
        some = "" if self._follows().all() else f" in {', '.join(np.array(NAMES)[self._follows()])}"
        reference = self.reference or self.name
        which = f" ({self._counted()})" * self._by_component
        return f"averaging connection {self.name!r}: node {reference!r} follows the mean of {self.nodes!r}{which}{some}"

    def _counted(self) -> str:
        """Return which components of which nodes are weighted, in words."""
        found: dict[str, list[str]] = {}
        for name, value in self.weights.items() if isinstance(self.weights, Mapping) else ():
            given = value if isinstance(value, Mapping) else {"all components": value}
            said = ", ".join(given)
            if len(set(given.values())) > 1 or 1.0 not in given.values():
                said = ", ".join(f"{component} by {weight:.4g}" for component, weight in given.items())
            found.setdefault(said, []).append(name)
        return "; ".join(f"{said} of {listing(names, 6)}" for said, names in found.items())

    def frame_stiffness(self, structure: Structure, force: np.ndarray) -> Stiffness:
        """Return the stiffness of the mean rotation of the set under the load of the reference node."""
        mesh, freedoms, reference = structure.mesh, structure.freedoms, self.reference_node(structure.mesh)
        first = freedoms.first[reference]
        follows = np.flatnonzero(self._follows())
        handed = np.zeros(6)
        handed[follows] = force[first + follows]
        if self._by_component:
            return self._fitted_stiffness(structure, handed)
        F, M = handed[:3], handed[3:]
        frame = self._mean(mesh, freedoms, turning=False)
        r = mesh.points[reference] - frame.point
        moment = -(np.cross(r, F) + M)
        return moment_stiffness(structure, frame, moment, of_arms(r[None], F[None]))

    def _fitted_stiffness(self, structure: Structure, handed: np.ndarray) -> Stiffness:
        """Return the stiffness of the rigid motion that fits the set under the forces (6,) that the reference hands it.

        The components that count turn with this motion Q, U: G acts on the displacements Q' (x + u - U) - x and on the
        rotations relative to Q. To second order the load of the reference, spread as F and M, does the work
        F . u + M . phi - theta . S u + theta . (U x sum F) + theta' A theta / 2, with S u = sum u x F + phi x M / 2 and
        A of the arms from the reference.
        """
        mesh, freedoms = structure.mesh, structure.freedoms
        counted, its = self._fitted(mesh, freedoms)
        load = -its.G.T @ handed
        nodes = np.searchsorted(freedoms.first, counted, side="right") - 1
        component = counted - freedoms.first[nodes]
        forces = load[:, None] * np.eye(3)[component % 3]
        motions = freedoms.of_nodes(np.unique(nodes))
        G, S = np.zeros((6, len(motions))), np.zeros((3, len(motions)))
        G[:, np.searchsorted(motions, counted)] = its.G
        for node, k, force in zip(nodes, component, forces, strict=True):
            turns = int(k > 2)
            at = np.searchsorted(motions, freedoms.first[node]) + 3 * turns + np.arange(3)
            S[:, at] += (0.5 if turns else 1.0) * np.cross(np.eye(3), force).T
        F, theta = np.where(component[:, None] < 3, forces, 0.0), G[3:]
        arms = mesh.points[nodes] - mesh.points[self.reference_node(mesh)]
        cross = theta.T @ (S - np.cross(np.eye(3), F.sum(axis=0)).T @ G[:3])
        return motions, cross + cross.T - theta.T @ of_arms(arms, F) @ theta


def _is_weight(value: object) -> bool:
    """Return whether a value is a positive weight, or positive weights of components."""
    if isinstance(value, Mapping):
        return bool(value) and all(name in NAMES and _is_weight(its) for name, its in value.items())
    return is_number(value) and float(value) > 0  # type: ignore[arg-type]


def connections_of(parts: Iterable[Part]) -> list[Connection]:
    """Return the connections by reference nodes among parts."""
    return [part for part in parts if isinstance(part, Connection)]


def followers_of(parts: Iterable[Part]) -> list[Follower]:
    """Return the connections and ties among parts."""
    return [part for part in parts if isinstance(part, Follower)]


def ordered_rules(
    mesh: Mesh, freedoms: Freedoms, connections: Sequence[Follower]
) -> list[tuple[Follower, Following]]:
    """Return connections with their rules, first those whose dependent nodes lead no other."""
    left = [(part, part.rule(mesh, freedoms)) for part in connections]
    ordered = []
    while left:
        for k, (_, rule) in enumerate(left):
            if not any(np.isin(other.of, rule.motions).any() for _, other in left[:k] + left[k + 1 :]):
                ordered.append(left.pop(k))
                break
        else:
            raise InputError("the connections follow each other in a circle")
    return ordered


def moment_stiffness(
    structure: Structure, frame: MeanMotion, moment: np.ndarray, own: np.ndarray | None = None
) -> Stiffness:
    """Return the stiffness of the mean rotation of a node set under a moment (3,) in N m that is spread over it.

    ``own`` (3, 3): a further stiffness of this rotation.
    """
    own = np.zeros((3, 3)) if own is None else own
    motions, T = used_motions(frame)
    theta = T[3:]
    if len(frame.nodes) == 1:
        return motions, theta.T @ own @ theta
    load = np.zeros(structure.freedoms.n_motions)
    load[motions] = moment @ theta
    turned, A = turned_load(structure.mesh, structure.freedoms, frame, load)
    cross = theta.T @ turned[:, motions].toarray()
    return motions, cross + cross.T + theta.T @ (own - A) @ theta


def of_arms(r: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Return the stiffness (3, 3) of a rotation under forces F (k, 3) with arms r (k, 3)."""
    rF = r.T @ F
    return 0.5 * (rF + rF.T) - np.trace(rF) * np.eye(3)
