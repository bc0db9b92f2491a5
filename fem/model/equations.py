"""Linear equations between motions of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing, warn
from ..common.numbers import is_number, shown
from ..common.short_repr import short_repr
from ..mesh.mesh import Mesh
from .elimination import eliminated
from .freedoms import NAMES, Following, Freedoms, dependent
from .parts import Part, Stiffness
from .structure import Structure, rigid_motions

#: part of the sum of the terms of an equation that a rigid motion may leave over: the last digits of a file's numbers
RIGID_TOLERANCE = 1e-6
#: part of the largest coefficient below which another one is round-off, and is not named
ROUND_OFF = 1e-12


@check_arguments(own=("terms",))
@dataclass(frozen=True)
class Equation(Part):
    """A linear equation between motions of nodes: the sum of coefficient times motion is zero.

    Parameters
    ----------
    name : str
        Name in messages.
    terms : sequence of (node, component, coefficient)
        The node is a node set of one node, or the number of a node as text ("12"); the component is "x", "y" or "z"
        (displacements, m), "rx", "ry" or "rz" (rotations, rad) in global axes.
    holds : bool
        Whether the equation is meant to hold the structure, as a support in axes of its own: there is no warning then.

    Raises
    ------
    InputError
        A term is not valid; at assembly: a set is not one node, or a node of solids or trusses has no rotations.

    Notes
    -----
    Each equation removes an unknown: the motion of its first term, or another one if the coefficient of the first is
    below a hundredth of the largest. Equations may share nodes with each other and with the nodes that follow a
    connection or a tie. An equation that repeats others is left out with a warning.

    A rigid motion should satisfy an equation. One that does not holds the structure as a support does: a warning says
    which motion it resists and by how much, and a body of a machine can't have it. Residuals below 1e-6 of the terms
    are the rounding of coefficients in files.

    A large rotation: the equation turns with its nodes, that is with the first node whose rotation it names, else
    with the mean rotation of its nodes as far as they determine it. This gives a term of the geometric stiffness
    (:func:`fem.geometric_stiffness`), without which a loaded equation would resist a rigid rotation.

    Examples
    --------
    Two bars share the displacements of their ends, as a pin does:

    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> points = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 1, 0]]
    >>> mesh = fem.Mesh(points, (fem.Block("line2", [[0, 1], [2, 3]]),))
    >>> pin = [fem.Equation(f"pin {c}", [("2", c, 1.0), ("3", c, -1.0)]) for c in ("x", "y", "z")]
    >>> fem.assemble(mesh, fem.Beam(steel, fem.Circle(0.02)), parts=pin).n  # 24 motions less 3
    21
    """

    plural: ClassVar[str] = "equations"

    name: str
    terms: Sequence[tuple[str, str, float]]
    _: KW_ONLY
    holds: bool = False

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the terms."""
        if not isinstance(self.terms, Sequence) or isinstance(self.terms, str):
            raise InputError(
                f"the terms of the equation {self.name!r} must be a list, not {shown(self.terms)}"
            )
        wrong = [term for term in self.terms if not _is_term(term)]
        if wrong or not len(self.terms):
            said = f"the term {shown(wrong[0])}" if wrong else "no terms"
            raise InputError(
                f"the equation {self.name!r} has {said}; give (node set, one of {', '.join(NAMES)}, "
                "coefficient)"
            )
        if not any(coefficient for _, _, coefficient in self.terms):
            raise InputError(f"all coefficients of the equation {self.name!r} are zero")

    def nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the node of each term.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.

        Returns
        -------
        numpy.ndarray
            Numbers of nodes, (terms,).
        """
        return np.array([self._node(mesh, node) for node, _, _ in self.terms])

    @property
    def uses(self) -> tuple[str, ...]:
        """Node of each term, once."""
        return tuple(dict.fromkeys(node for node, _, _ in self.terms))

    def words(self) -> str:
        """Return the equation in words."""
        largest = max(abs(value) for _, _, value in self.terms)
        shown = [term for term in self.terms if abs(term[2]) > ROUND_OFF * largest]
        terms = [f"{value:+.6g} {component} of {node}" for node, component, value in shown[:8]]
        return f"equation {self.name!r}: {' '.join(terms)}{' ...' * (len(shown) > 8)} = 0"

    def reference_nodes(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes without elements whose rotations it names."""
        nodes = self.nodes(mesh)[[component.startswith("r") for _, component, _ in self.terms]]
        return np.unique(nodes[~mesh.on_elements[nodes]])

    def linked(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes of its terms."""
        return np.unique(self.nodes(mesh))

    def row(self, mesh: Mesh, freedoms: Freedoms) -> tuple[np.ndarray, np.ndarray]:
        """Return the motions (k,) and their coefficients (k,), in the order of the terms.

        Parameters
        ----------
        mesh : Mesh
            The mesh of the structure.
        freedoms : Freedoms
            The degrees of freedom of all nodes.

        Returns
        -------
        tuple of numpy.ndarray
            Numbers of motions (k,) and coefficients (k,).
        """
        nodes = self.nodes(mesh)
        component = np.array([NAMES.index(name) for _, name, _ in self.terms])
        lacking = np.flatnonzero(component >= freedoms.count[nodes])
        if len(lacking):
            node, name, _ = self.terms[lacking[0]]
            raise InputError(
                f"the equation {self.name!r} names {name} of {node!r}, which has no rotations (only beams, shells and "
                "reference nodes have them)"
            )
        return freedoms.first[nodes] + component, np.array([float(c) for _, _, c in self.terms])

    def held_motions(self, mesh: Mesh, freedoms: Freedoms) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the equation itself, scaled, if it resists a rigid motion."""
        motions, row = self.row(mesh, Freedoms(freedoms.count))
        rigid = _RigidMotions(mesh, freedoms)
        return [(motions, row / rigid.left_over(motions, row)[1])] if rigid.resisted(motions, row) else []

    def _node(self, mesh: Mesh, node: str) -> int:
        nodes = mesh.nodes_of(node)
        if len(nodes) != 1:
            raise InputError(
                f"the equation {self.name!r}: the node set {node!r} holds {len(nodes)} nodes; a term has one"
            )
        return int(nodes[0])


def _is_term(term: object) -> bool:
    if not isinstance(term, Sequence) or isinstance(term, str) or len(term) != 3:
        return False
    node, component, coefficient = term
    return (
        isinstance(node, str) and isinstance(component, str) and component in NAMES and is_number(coefficient)
    )


def equations_of(parts: Iterable[Part]) -> list[Equation]:
    """Return the equations among parts."""
    return [part for part in parts if isinstance(part, Equation)]


def under_equations(mesh: Mesh, freedoms: Freedoms, parts: Iterable[Part]) -> Freedoms:
    """Return the degrees of freedom without those that equations determine.

    Warns of equations that repeat others, and of those that resist a rigid motion.
    """
    equations = equations_of(parts)
    if not equations:
        return freedoms
    rows = [equation.row(mesh, freedoms) for equation in equations]
    _tell_resisting(mesh, freedoms, equations, rows)
    found = eliminated(freedoms, rows, mesh.size)
    repeated = np.setdiff1d(np.arange(len(equations)), found.kept)
    if len(repeated):
        warn(
            f"mesh {mesh.name!r}: {len(repeated)} of {len(equations)} equations repeat what others and the connections "
            f"say, and are left out: {listing(equations[k].name for k in repeated)}"
        )
    return found.freedoms


class _RigidMotions:
    """Six rigid motions: 1 m along x, y, z, and rotations about the mesh's middle by 1 rad over half its size in m."""

    def __init__(self, mesh: Mesh, freedoms: Freedoms) -> None:
        self.half = 0.5 * mesh.size
        self._mesh, self._freedoms, self._middle = mesh, freedoms, mesh.bounding_box.mean(axis=0)

    def left_over(self, motions: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, float]:
        """Return what the motions leave over of an equation (6,), and the sum of its terms' sizes."""
        nodes = np.searchsorted(self._freedoms.first, motions, side="right") - 1
        component = motions - self._freedoms.first[nodes]
        arms = rigid_motions(self._mesh.points[nodes], self._middle).reshape(-1, 3, 6)
        moved = np.where(
            (component < 3)[:, None],
            arms[np.arange(len(nodes)), component % 3],
            np.hstack([np.zeros((len(nodes), 3)), np.eye(3)[component % 3]]),
        )
        size = np.abs(row) * np.where(component < 3, 1.0, 1.0 / self.half)
        return (row @ moved) / np.array([1.0, 1.0, 1.0, *[self.half] * 3]), float(size.sum())

    def resisted(self, motions: np.ndarray, row: np.ndarray) -> bool:
        """Return whether an equation resists one of them."""
        left, total = self.left_over(motions, row)
        return bool(np.abs(left).max() > RIGID_TOLERANCE * total)


def _tell_resisting(mesh: Mesh, freedoms: Freedoms, equations: Sequence[Equation], rows) -> None:
    said: list[str] = []
    count, rigid = 0, _RigidMotions(mesh, freedoms)
    for equation, (motions, row) in zip(equations, rows, strict=True):
        left, total = rigid.left_over(motions, row)
        worst = int(np.abs(left).argmax())
        if equation.holds or abs(left[worst]) <= RIGID_TOLERANCE * total:
            continue
        count += 1
        if len(said) < 6:
            what = f"1 m along {'xyz'[worst]}" if worst < 3 else f"1 rad about {'xyz'[worst - 3]}"
            value = left[worst] * (1.0 if worst < 3 else rigid.half)
            said.append(
                f"of {equation.name!r} a rigid motion of {what} leaves {value:.6g} over, "
                f"{abs(left[worst]) / total:.2g} of its terms"
            )
    if said:
        more = f", and of {count - len(said)} more" if count > len(said) else ""
        warn(
            f"mesh {mesh.name!r}: {count} of {len(equations)} equations resist rigid motions, and hold the structure "
            f"as supports do: {'; '.join(said)}{more}. Where this is not intended, check coefficients and positions"
        )


def equation_stiffness(structure: Structure, force: np.ndarray, rules: list[Following]) -> list[Stiffness]:
    """Return the stiffness that loaded equations gain from turning with their nodes.

    ``force`` (motions,): the forces that deform elements and springs, less the loads; the forces that the equations
    exert are added to it. ``rules``: of what follows.
    """
    equations, mesh = equations_of(structure.parts), structure.mesh
    if not equations:
        return []
    before = dependent(structure.freedoms.count, rules)
    rows = [equation.row(mesh, before) for equation in equations]
    found = eliminated(before, rows, mesh.size)
    multipliers = found.multipliers(before.onto_unknowns(force))
    stiffnesses, rigid = [], _RigidMotions(mesh, before)
    for k, value in zip(found.kept, multipliers, strict=True):
        motions, row = rows[k]
        np.add.at(force, motions, value * row)
        if not rigid.resisted(motions, row):
            stiffnesses.append(_second_order(mesh, before, motions, row, value))
    return stiffnesses


def _second_order(
    mesh: Mesh, freedoms: Freedoms, motions: np.ndarray, row: np.ndarray, value: float
) -> Stiffness:
    """Return the second derivative of an equation that turns with its nodes, times its multiplier.

    With theta its rotation, a_i the coefficients of the displacements of node i and b_i those of its rotation, the
    equation in the turned frame is sum a_i (R'(x_i + u_i) - x_i) + b_i (rotation vector of R' R_i). To second order
    this adds sum -a_i (theta x u_i) + a_i (theta x (theta x x_i)) / 2 - b_i (theta x theta_i) / 2.
    """
    of_term = np.searchsorted(freedoms.first, motions, side="right") - 1
    nodes, place = np.unique(of_term, return_inverse=True)
    component = motions - freedoms.first[of_term]
    coefficients = np.zeros((len(nodes), 6))
    np.add.at(coefficients, (place, component), row)
    a, b = coefficients[:, :3], coefficients[:, 3:]
    x = mesh.points[nodes] - mesh.points[nodes].mean(axis=0)
    all_of = freedoms.of_nodes(nodes)
    start = np.concatenate([[0], np.cumsum(freedoms.count[nodes])])
    turned = np.flatnonzero(b.any(axis=1))
    P = np.zeros((3, len(all_of)))  # theta from the motions
    if len(turned):
        P[:, start[turned[0]] + 3 + np.arange(3)] = np.eye(3)
    else:
        second = x.T @ x
        inverse = scipy.linalg.pinvh(np.trace(second) * np.eye(3) - second, rtol=1e-9)
        for i, arm in enumerate(x):
            P[:, start[i] + np.arange(3)] = inverse @ _cross(arm)
    B = np.zeros((len(all_of), len(all_of)))
    S = np.zeros((3, 3))
    for i in range(len(nodes)):
        B[:, start[i] + np.arange(3)] += P.T @ _cross(a[i])
        if freedoms.count[nodes[i]] == 6:
            B[:, start[i] + 3 + np.arange(3)] += 0.5 * P.T @ _cross(b[i])
        S += 0.5 * (np.outer(a[i], x[i]) + np.outer(x[i], a[i])) - (a[i] @ x[i]) * np.eye(3)
    return all_of, value * (B + B.T + P.T @ S @ P)


def _cross(v: np.ndarray) -> np.ndarray:
    """Return the matrix of v x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
