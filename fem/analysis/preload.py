"""Structures under a preload: their stiffness contains the geometric stiffness of stresses that are there before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import floats, shown
from ..common.users_functions import values_at
from ..elements import ELEMENTS
from ..elements.properties import Beam, Membrane, Solid, Truss
from ..elements.scatter import Sum
from ..elements.shell.base import LayeredProperty
from ..elements.shell.geometry import element_frame
from ..model.assembly import batches
from ..model.structure import Structure, check_elements
from .geometric_stiffness import geometric_stiffness
from .static import Static

#: of how many nodes the rotation decides where the forces of a preload point
ROTATING_NODES = 40
_WORDS = (
    "the result of fem.static on this structure, a matrix K_G (unknowns, unknowns) in N/m, stresses at the nodes, "
    "(n, 6) in Pa, or a function that gives them at points (k, 3)"
)


@check_arguments(own=("preload",))
def preloaded(structure: Structure, preload: Any, *, rotating: bool = False) -> Structure:
    """Return a structure under a preload, for vibration, statics, buckling and reduction.

    Its stiffness is K + K_G, the tangent stiffness in the stressed state: tension makes it stiffer, compression softer.

    Parameters
    ----------
    structure : Structure
        The structure without preload.
    preload : Static, sparse matrix, array or callable
        What stresses it: the result of :func:`static`, whose loads keep their direction; the geometric stiffness
        itself (unknowns, unknowns), N/m; or an initial stress, xx, yy, zz, yz, xz, xy in global axes, as an array
        (n, 6) at the nodes in Pa, interpolated by the elements, or a function of points (k, 3) in m that returns
        (k, 6). Shells and membranes have its part in their plane over the whole thickness, beams and trusses that along
        their axis; each of these has the stress at its middle.
    rotating : bool
        Whether the forces that hold the preload in balance rotate with the body, as those do that its neighbours in a
        machine exert. Their direction then follows the mean rotation of the nodes that they act on, and the body is
        free to rotate. By default they keep their direction.

    Returns
    -------
    Structure
        The same structure with another stiffness. Its displacements are small motions about the stressed state, and
        the stresses of these are those that are added.

    Raises
    ------
    InputError
        The preload is none of these, is not finite, is not K_G itself though the structure has no elements, or an
        initial stress is given to layered shells that couple membrane and bending, or to properties of your own.

    Notes
    -----
    Initial stresses shall be in equilibrium inside and free of tractions outside, or held by supports: a body that is
    free to move keeps its six rigid motions without force only then, or with ``rotating``, which reduction of a loaded
    body needs. Beyond the buckling load the stiffness is no longer positive;
    :func:`vibration` then raises an error.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.01, 0.01), (8, 1, 1)), steel)
    >>> pull = fem.static(bar, "x0", fem.Force("x1", (1e4, 0, 0)))
    >>> stiffer = fem.preloaded(bar, pull)
    >>> before, after = (fem.vibration(each, "x0", n=1).frequencies_hz[0] for each in (bar, stiffer))
    >>> bool(after > 2.5 * before)
    True
    """
    if structure.preload is not None:
        raise InputError(
            "this structure is preloaded already; apply the sum of both preloads to the structure without preload"
        )
    K_G = _geometric(structure, preload)
    if rotating:
        K_G = _rotating(structure, K_G)
    if not np.isfinite(K_G.data).all():
        raise InputError("the preload holds values that are not finite")
    return replace(structure, K=scipy.sparse.csr_array(structure.K + K_G), preload=K_G)


def _geometric(structure: Structure, preload: Any) -> scipy.sparse.csr_array:
    """Return K_G of any preload that can be given."""
    if isinstance(preload, Static):
        if preload.structure is not structure:
            raise InputError("preload= is a solution of another structure; solve this one by fem.static")
        check_elements(structure, "geometric stiffness that is not given as K_G itself")
        return geometric_stiffness(structure, preload.u, preload.given)
    if callable(preload):
        return _of_stress(structure, preload)
    if scipy.sparse.issparse(preload):
        return _matrix(structure, scipy.sparse.csr_array(preload))
    values = floats(preload)
    if values is not None and values.shape == (structure.n, structure.n):
        return _matrix(structure, scipy.sparse.csr_array(values))
    if values is None or values.shape != (structure.mesh.n_nodes, 6):
        shape = "" if values is None else f" (shape {values.shape})"
        raise InputError(f"preload = {shown(preload)}{shape} must be {_WORDS}")
    return _of_stress(structure, values)


def _rotating(structure: Structure, K_G: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return K_G of forces that rotate with the body, without stiffness on rigid motion.

    It is K_G - E W - W' E' + W' (R' E) W: R (unknowns, 3) are unit rotations, E = K_G R the changes of the forces that
    belong to them, and W the rotation, in the sense of least squares, of the nodes that the forces act on: of up to
    ``ROTATING_NODES`` far from each other.
    """
    R, freedoms = structure.rigid_modes()[:, 3:], structure.freedoms
    E = np.asarray(K_G @ R)
    E[np.abs(E).max(axis=1) < 1e-9 * np.abs(E).max()] = 0.0
    loaded = np.abs(E).max(axis=1) > 0
    if not loaded.any():
        return K_G
    translation = freedoms.translation
    nodes = np.unique(translation.tocsc()[:, np.flatnonzero(loaded)].tocoo().row // 3)
    points = structure.mesh.points
    if not len(nodes):
        raise InputError(
            "rotating=True: moments alone, without forces on nodes, do not say what they rotate with; give "
            "forces on nodes too, or rotating=False"
        )
    chosen, away = [int(nodes[0])], np.full(len(nodes), np.inf)
    while len(chosen) < min(ROTATING_NODES, len(nodes)):
        away = np.minimum(away, np.linalg.norm(points[nodes] - points[chosen[-1]], axis=1))
        chosen.append(int(nodes[away.argmax()]))
    arm = points[chosen] - points[chosen].mean(axis=0)
    cross = np.cross(np.eye(3)[None], arm[:, None]).transpose(
        1, 0, 2
    )  # row a: e_a x r, so that theta_a moves by it
    inverse = np.linalg.pinv(np.einsum("aic,bic->ab", cross, cross), rcond=1e-9, hermitian=True)
    rows = (3 * np.array(chosen)[:, None] + np.arange(3)).ravel()
    W = scipy.sparse.csr_array(inverse @ cross.reshape(3, -1)) @ translation[rows]
    E = scipy.sparse.csr_array(E)
    part = E @ W
    return scipy.sparse.csr_array(K_G - part - part.T + W.T @ scipy.sparse.csr_array(R.T @ E) @ W)


def _matrix(structure: Structure, K_G: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    if K_G.shape != structure.K.shape:
        raise InputError(f"K_G is {K_G.shape}; this structure has {structure.n} unknowns")
    away = abs(K_G - K_G.T).max()
    if away > 1e-6 * abs(K_G).max():
        raise InputError(f"K_G must be symmetric; K_G - K_G' reaches {away:g} N/m")
    return scipy.sparse.csr_array(0.5 * (K_G + K_G.T))


def _of_stress(
    structure: Structure, field: np.ndarray | Callable[[np.ndarray], np.ndarray]
) -> scipy.sparse.csr_array:
    """Return K_G of an initial stress: values (n, 6) at the nodes, or a function of points."""
    check_elements(structure, "geometric stiffness that is not given as K_G itself")
    mesh, freedoms = structure.mesh, structure.freedoms
    known = (Solid, LayeredProperty, Membrane, Beam, Truss)
    others = dict.fromkeys(g.kind for g in structure.groups if not isinstance(g.property, known))
    if others:
        raise InputError(
            "an initial stress is for solids, shells, membranes, beams and trusses; this structure has properties of "
            f"your own too ({', '.join(others)}): preload them by the result of fem.static, or give K_G itself"
        )
    dofs = [freedoms.of_elements(group.nodes, group.property.freedoms) for group in structure.groups]
    total = Sum(dofs, freedoms.n_motions)
    for group, at in zip(structure.groups, dofs, strict=True):
        X = mesh.points[group.nodes]
        if isinstance(group.property, Solid):
            N = ELEMENTS[group.kind].N(group.property.stress_points(group.kind))
            stress = _stress_at(field, N, X, group.nodes)
            total.add(at, group.property.geometric_of(group.kind, X, stress))
            continue
        middle = np.full((1, X.shape[1]), 1 / X.shape[1])
        u = _strained(group.kind, group.property, X, _stress_at(field, middle, X, group.nodes)[:, 0])
        for part in batches(len(at), at.shape[1]):
            total.add(at[part], group.property.geometric(group.kind, X[part], u[part]))
    K_G = total.matrix()
    return K_G if freedoms.L is None else scipy.sparse.csr_array(freedoms.L.T @ K_G @ freedoms.L)


def _stress_at(field: Any, N: np.ndarray, X: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Return the stress (ne, q, 6) at points N X of elements, N (q, nn)."""
    if isinstance(field, np.ndarray):
        return np.einsum("qi,eik->eqk", N, field[nodes])
    places = (N @ X).reshape(-1, 3)
    return values_at(field, places, (6,), what="preload=", values="stresses").reshape(len(X), len(N), 6)


def _strained(kind: str, its: Any, X: np.ndarray, stress: np.ndarray) -> np.ndarray:
    """Return displacements (ne, nd) under which elements other than solids have a uniform stress (ne, 6).

    Shells and membranes have its part in their plane as membrane forces, lines that along their axis.
    """
    strain = np.zeros((len(X), 3, 3))
    tensor = stress[:, [0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(-1, 3, 3)
    if isinstance(its, LayeredProperty | Membrane):
        law: Any = (
            its.laws(kind, X) if isinstance(its, Membrane) else its.laws(kind, its.placed(kind, X)[0], X)
        )
        if law.coupled:
            raise InputError(
                "an initial stress of layered shells whose membrane forces bend them is not supported; preload them by "
                "the result of fem.static"
            )
        axes = element_frame(kind, X)[:, :2]
        plane = axes @ tensor @ np.swapaxes(axes, 1, 2)
        N = np.stack([plane[:, 0, 0], plane[:, 1, 1], plane[:, 0, 1]], axis=1) * law.thickness[:, None]
        e = np.linalg.solve(law.A, N[..., None])[..., 0]
        local = np.stack([e[:, 0], e[:, 2] / 2, e[:, 2] / 2, e[:, 1]], axis=1).reshape(-1, 2, 2)
        strain = np.swapaxes(axes, 1, 2) @ local @ axes
    else:
        along = X[:, 1] - X[:, 0]
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        axial = np.einsum("ea,eab,eb->e", along, tensor, along) / its.material.E
        strain = axial[:, None, None] * along[:, :, None] * along[:, None, :]
    u = np.zeros((*X.shape[:2], its.freedoms))
    u[..., :3] = (X - X.mean(axis=1, keepdims=True)) @ strain
    return u.reshape(len(X), -1)
