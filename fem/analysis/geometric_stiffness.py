"""The geometric stiffness of a structure under load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from ..elements.scatter import Sum
from ..model.assembly import batches
from ..model.connections import Averaged, Rigid, Spring, frame_of, ordered_rules
from ..model.freedoms import Freedoms
from ..model.loads import Force, Load, motion_loads
from ..model.structure import Structure, checked_field


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
        ``u`` is not of the right shape or not finite.

    Notes
    -----
    Two kinds of connection add to the stiffness of the elements:

    - A point at an arm r from a frame that turns by theta is displaced by theta x r + theta x (theta x r)/2. The
      force F that it transfers to the frame gives theta the stiffness tr(r F') I - (r F' + F r')/2.
    - The mean rotation of a set, T u, differs from the rotation vector at second order. Where a moment m is
      distributed over the set by forces w g x x, g = J^-1 m, it gives theta the stiffness sym([g x] M), with the
      set's second moments M and J = tr(M) I - M.

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
    mesh, freedoms = structure.mesh, structure.freedoms
    dofs = [freedoms.of_elements(g.nodes, g.property.freedoms) for g in structure.groups]
    extra = [*_springs(structure, u), *_frames(structure, u, loads)]
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
        dofs, moved = (
            freedoms.of_elements(group.nodes, group.property.freedoms),
            structure.of_elements(group, u),
        )
        for part in batches(len(dofs), dofs.shape[1]):
            Ke = group.property.stiffness(group.kind, mesh.points[group.nodes[part]])
            np.add.at(force, dofs[part], np.einsum("eij,ej->ei", Ke, moved[part]))
    moved = u if freedoms.L is None else freedoms.L @ u
    for spring in structure.parts:
        if isinstance(spring, Spring):
            motions, matrix = spring.matrix(mesh, freedoms)
            np.add.at(force, motions, matrix @ moved[motions])
    return force


def _springs(structure: Structure, u: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return motions (k,) and stiffness (k, k) of springs along a line under their force."""
    moved = u if structure.freedoms.L is None else structure.freedoms.L @ u
    axial = [part for part in structure.parts if isinstance(part, Spring) and np.ndim(part.stiffness) == 0]
    return [spring.geometric(structure.mesh, structure.freedoms, moved) for spring in axial]


def _frames(structure: Structure, u: np.ndarray, loads) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return motions and stiffness of frames that turn under the forces that they are handed."""
    mesh, freedoms = structure.mesh, structure.freedoms
    listed = list(loads) if isinstance(loads, Sequence) else [loads]
    found = []
    for load in listed:
        if isinstance(load, Force) and np.any(np.asarray(load.moment)):
            found.append(
                _spread_moment(structure, load.at, np.asarray(load.moment, dtype=float), np.zeros((3, 3)))
            )
    connections = [part for part in structure.parts if isinstance(part, Rigid | Averaged)]
    if not connections:
        return found
    force = internal_forces(structure, u) - motion_loads(structure, listed)
    for part, rule in ordered_rules(mesh, Freedoms(freedoms.count), connections):
        reference = int(mesh.nodes_of(part.reference or part.name)[0])
        first = freedoms.first[reference]
        if isinstance(part, Rigid):
            nodes = np.setdiff1d(mesh.nodes_of(part.nodes), [reference])
            F = force[freedoms.first[nodes][:, None] + np.arange(3)]
            r = mesh.points[nodes] - mesh.points[reference]
            found.append((first + 3 + np.arange(3), _arm(r, F)))
        else:
            F, M = force[first : first + 3], force[first + 3 : first + 6]
            r = mesh.points[reference] - frame_of(mesh, freedoms, part.nodes, part.name, True).point
            found.append(_spread_moment(structure, part.nodes, -(np.cross(r, F) + M), _arm(r[None], F[None])))
        handed = rule.matrix.T @ force[rule.motions]
        force[rule.motions] = 0.0
        np.add.at(force, rule.of, handed)
    return found


def _arm(r: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Return the stiffness (3, 3) of a rotation under forces F (k, 3) that hold what stands off by r (k, 3)."""
    rF = r.T @ F
    return 0.5 * (rF + rF.T) - np.trace(rF) * np.eye(3)


def _spread_moment(
    structure: Structure, name: str, moment: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return motions and stiffness of the mean rotation of a set under a moment spread over it, and ``own`` (3, 3)."""
    frame = frame_of(structure.mesh, structure.freedoms, name, "a moment", turning=True)
    motions = np.unique(frame.T.tocoo().coords[1])
    T = frame.T[:, motions].toarray()
    if len(frame.nodes) > 1:
        # forces of a unit moment about each axis on the set, f = T' e, give [g x] M = sum f x'
        x = structure.mesh.points[frame.nodes] - frame.point
        forces = frame.T[3:][
            :, (structure.freedoms.first[frame.nodes][:, None] + np.arange(3)).ravel()
        ].toarray()
        f = (moment @ forces).reshape(-1, 3)
        virial = f.T @ x
        own = own + 0.5 * (virial + virial.T) - np.trace(virial) * np.eye(3)
    return motions, T[3:].T @ own @ T[3:]
