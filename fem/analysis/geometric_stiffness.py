"""The geometric stiffness of a structure under load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..elements.scatter import Sum
from ..model.assembly import batches
from ..model.connections import followers_of, moment_stiffness, ordered_rules
from ..model.equations import equation_stiffness, equations_of
from ..model.freedoms import Freedoms
from ..model.loads import Load, load_list, motion_loads
from ..model.parts import Stiffness, frame_of
from ..model.structure import Structure, check_elements, checked_field


@check_arguments
def geometric_stiffness(
    structure: Structure, u: np.ndarray, loads: Load | Sequence[Load] = ()
) -> scipy.sparse.csr_array:
    """Return the geometric stiffness K_G for the linear stresses of displacements.

    K + K_G is the tangent stiffness: tension stiffens.

    Parameters
    ----------
    structure : Structure
        The structure.
    u : array (unknowns,), m and rad
        Displacements.
    loads : load or sequence of loads
        The loads that cause u. They keep their direction, and moments are semitangential (conjugate to rotation
        vectors). They are needed where nodes follow a connection and where moments act on node sets, see Notes.

    Returns
    -------
    sparse matrix (unknowns, unknowns), N/m, N and N m
        K_G, symmetric.

    Raises
    ------
    InputError
        ``u`` is not of the right shape or not finite, or the structure has no elements (:func:`fem.from_matrices`).

    Notes
    -----
    Three kinds of connection add to the stiffness of the elements:

    - A point at an arm r from a frame that turns by theta is displaced by theta x r + theta x (theta x r)/2. The
      force F that it transfers to the frame gives theta the stiffness tr(r F') I - (r F' + F r')/2.
    - An equation between motions turns with the rotation of its nodes; see :class:`fem.Equation`.
    - The mean rotation of a set, theta = T u, is that of the rigid motion closest to its nodes to first order only.
      Where a moment is distributed over the set by forces F, the work 2 theta . sum u x F - theta . A theta is added
      to u . K_G u, with A = sym V - tr V I of the forces' virial V = sum F r'.

    Springs along a line turn with it; springs with six stiffnesses have no second-order term.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> pulled = fem.static(bar, "x0", fem.Force("x1", (1000.0, 0.0, 0.0)))
    >>> fem.geometric_stiffness(bar, pulled.u, pulled.given).shape
    (168, 168)
    """
    u = checked_field(structure, u)
    check_elements(structure, "geometric stiffness")
    mesh, freedoms = structure.mesh, structure.freedoms
    dofs = [freedoms.of_elements(g.nodes, g.property.freedoms) for g in structure.groups]
    motions_of_u = freedoms.motions(u)
    springs = [pair for spring in structure.parts for pair in spring.geometric(mesh, freedoms, motions_of_u)]
    extra = [*springs, *_frames(structure, u, load_list(loads))]
    total = Sum([*dofs, *(motions[None] for motions, _ in extra)], freedoms.n_motions)
    for group, at in zip(structure.groups, dofs, strict=True):
        moved = structure.of_elements(group, u)
        for part in batches(len(at), at.shape[1]):
            X = mesh.points[group.nodes[part]]
            total.add(at[part], group.property.geometric(group.kind, X, moved[part]))
    for motions, matrix in extra:
        total.add(motions[None], matrix[None])
    K_G = total.matrix()
    if freedoms.L is None:
        return K_G
    K_G = scipy.sparse.csr_array(freedoms.L.T @ K_G @ freedoms.L)
    return scipy.sparse.csr_array(0.5 * (K_G + K_G.T))


def internal_forces(structure: Structure, u: np.ndarray) -> np.ndarray:
    """Return the forces (motions,) in N and moments in N m that deform elements and springs by u (unknowns,)."""
    mesh, freedoms = structure.mesh, structure.freedoms
    force = np.zeros(freedoms.n_motions)
    for group in structure.groups:
        dofs = freedoms.of_elements(group.nodes, group.property.freedoms)
        moved = structure.of_elements(group, u)
        for part in batches(len(dofs), dofs.shape[1]):
            Ke = group.property.stiffness(group.kind, mesh.points[group.nodes[part]])
            np.add.at(force, dofs[part], np.einsum("eij,ej->ei", Ke, moved[part]))
    moved = freedoms.motions(u)
    for spring in structure.parts:
        for motions, matrix in spring.stiffnesses(mesh, freedoms):
            np.add.at(force, motions, matrix @ moved[motions])
    return force


def _frames(structure: Structure, u: np.ndarray, loads: list[Load]) -> list[Stiffness]:
    """Return motions and stiffness of frames that turn under the forces that they are handed."""
    moments = [pair for load in loads for pair in load.moments()]
    mesh, freedoms = structure.mesh, structure.freedoms
    frames = [(frame_of(mesh, freedoms, name, "a moment", turning=True), moment) for name, moment in moments]
    found = [moment_stiffness(structure, frame, moment) for frame, moment in frames]
    if not followers_of(structure.parts) and not equations_of(structure.parts):
        return found
    force = internal_forces(structure, u) - motion_loads(structure, loads)
    return [*found, *connection_stiffnesses(structure, force)]


def connection_stiffnesses(structure: Structure, force: np.ndarray) -> list[Stiffness]:
    """Return motions and stiffness of the frames and equations that turn under the forces that they are handed.

    ``force`` (motions,) in N and N m: the forces that deform elements and springs, less the loads.
    """
    followers, force = followers_of(structure.parts), force.copy()
    rules = ordered_rules(structure.mesh, Freedoms(structure.freedoms.count), followers)
    found = equation_stiffness(structure, force, [rule for _, rule in rules])
    for follower, rule in rules:
        found += follower.frame_stiffnesses(structure, force)
        handed = rule.matrix.T @ force[rule.motions]
        force[rule.motions] = 0.0
        np.add.at(force, rule.of, handed)
    return found
