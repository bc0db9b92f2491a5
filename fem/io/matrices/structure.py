"""A structure from stiffness and mass matrices that another program has made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import scipy

from ...common.arguments import check_arguments
from ...common.errors import InputError, warn
from ...common.values import Positive
from ...mesh.mesh import Mesh
from ...mesh.nodes import Nodes
from ...model.cloud import Cloud, MatrixMass
from ...model.freedoms import Freedoms
from ...model.structure import Structure
from ..units import units_of
from .checks import check_mass, check_rigid_motions, check_units, symmetric
from .content import DAMPING, MatrixFile
from .files import read_matrices
from .labels import labels_of, ordered

#: relative difference of the masses of three directions up to which a mass matrix is a scalar one
_SCALAR_TOLERANCE = 1e-9
#: relative difference of masses and moments of inertia up to which elements have the mass of a matrix
_SAME_INERTIA = 1e-4

#: a matrix, a file, or a file and the name of a matrix in it
Source = Any


@check_arguments(own=("K", "M", "points", "dofs"))
def from_matrices(
    K: Source,
    M: Source = None,
    points: Any = None,
    *,
    dofs: Any = None,
    node_ids: Sequence[int] | None = None,
    node_sets: Mapping[str, Sequence[int]] | None = None,
    units: str = "SI",
    mass: Annotated[float, Positive] | None = None,
    name: str = "matrices",
) -> Structure:
    """Return a structure from its stiffness and mass matrices.

    Parameters
    ----------
    K, M : sparse or dense matrix, path, or (path, name)
        Stiffness and mass of the free body. Files: Abaqus and CalculiX (``.mtx`` in three forms, ``.sti`` with
        ``.mas``), Matrix Market, Harwell-Boeing (``.hb``; with ANSYS' ``.mapping`` beside it), Nastran (DMIG in
        ``.pch``, ``.bdf``; ``.op4`` as text and binary, of EXTSEOUT with its ``.pch`` beside it; ``.op2`` by pyyeti),
        ANSYS ``.full`` (by ansys-mapdl-reader) and ``.sub``, NumPy ``.npz``. M may be left out for a file that holds
        both.
    points : array (n, 3), Mesh or Structure, m
        Positions of the nodes; a mesh brings its node sets and numbers too, a structure also its elements, from which
        geometric stiffening and stresses are computed. May be left out for a file that holds them (``.npz``, bulk data
        with GRID, EXTSEOUT of Nastran, ``.sub``, superelements of :meth:`modal.ReducedBody.export`).
    dofs : int, array (n,) or array (rows, 2), optional
        3 or 6 unknowns of each node, in the order of the nodes; or node number and component (1 to 6) of each row,
        component 0 for an internal coordinate of a superelement. By default that of the file, or by the number of rows.
    node_ids : sequence of int (n,), optional
        Numbers of the points; 1, 2, ... by default.
    node_sets : mapping of str to sequence of int, optional
        Node sets, by the numbers of their nodes. Every node has its number as a name too.
    units : str
        Units of the matrices and of ``points``, as for :func:`fem.read_mesh`; a mesh is in SI already.
    mass : float, kg, optional
        The mass that the body should have, for a check.
    name : str
        Name of the body.

    Returns
    -------
    Structure
        The structure, for :func:`fem.vibration`, :func:`fem.static` and :mod:`modal`.

    Raises
    ------
    InputError
        The matrices do not fit each other or the points, are not symmetric, or resist a rigid motion.
    FileError
        A file is missing, damaged or of another format.

    Warns
    -----
    FlexbodyWarning
        Numbers have few digits, the mass does not fit the geometry, or the units of matrices and points do not seem to
        fit each other.

    Notes
    -----
    All inertia integrals follow from M. They are exact for solids, shells and lumped masses, also with rotary inertia
    and eccentricity; for consistent masses of beams see :mod:`modal.reduction.matrix_field`, unless a structure of the
    same mass matrix is given as ``points``. Internal coordinates do not tell where their mass moves:
    :func:`modal.reduce` gives such a superelement the inertia of its undeformed state, with a warning, and its
    centrifugal forces are refused. It is right where it turns much slower than it vibrates.

    Geometric stiffening needs elements: without a structure as ``points`` linear theory is used, with a warning of
    :func:`modal.reduce`. The geometric stiffness of a preload is given to :func:`fem.preloaded`. Numbers of internal
    coordinates are those of no node.

    Averaged interfaces need faces: give a mesh of the same nodes as ``points``. With positions alone all nodes of a set
    weigh the same in its mean motion instead of by their share of the area. The stiffness between the ends of a bar
    with 16 nodes at each end is then 5 % lower on a regular mesh, and 10 % lower on one that is finer at one corner.

    Abaqus' C3D8 averages the volume strain: it is ``hex8`` with :class:`fem.MeanDilatation`.

    A ``.sub`` file holds a superelement of ANSYS with dense matrices, also one of component mode synthesis. Sparse
    matrices, compressed records, plane and thermal superelements, and those that SETRAN or SESYMM moved are refused.
    The items of its header are those that the Ansys Programmer's Reference (1.7) lists; the order of rows and of lists
    is an assumption. It was tried on files that the tests write so, and on none of ANSYS' own: compare the mass and the
    first frequencies with those of ANSYS. Rows in another order show as matrices that are not symmetric or that resist
    rigid motions: an error.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> again = fem.from_matrices(bar.K, bar.M, bar.mesh)
    >>> round(again.mass, 6), again.n
    (78.5, 168)
    """
    stiffness, from_K = _taken(K, "stiffness")
    inertia, from_M = _taken(K if M is None else M, "mass")
    if M is None and len(from_K.matrices) < 2:
        raise InputError(
            "M= is missing: K= holds one matrix, which is taken as the stiffness; give the mass matrix as M=, or a "
            "file that holds both"
        )
    stiffness, inertia = _aligned(stiffness, from_K, inertia, from_M)
    if stiffness.shape != inertia.shape:
        raise InputError(
            f"K has the shape {stiffness.shape}, M {inertia.shape}; both belong to the same unknowns"
        )
    doubts: list[str] = []
    for damping, A in {**from_K.matrices, **from_M.matrices}.items():
        if DAMPING.fullmatch(damping.upper()) and A.nnz and abs(A).max():
            doubts.append(
                f"the damping matrix {damping!r} is not read; give damping to flexbody.FlexibleBody"
            )
    stiffness, inertia = symmetric(stiffness, "stiffness", doubts), symmetric(inertia, "mass", doubts)
    held = from_K if from_K.labels is not None or from_K.points is not None else from_M
    x, ids, mesh, own = _nodes(points, node_ids, held)
    labels = labels_of(held.labels if dofs is None else dofs, stiffness.shape[0], ids, own)
    used = (abs(stiffness).sum(axis=0) + abs(inertia).sum(axis=0)) > 0
    order = ordered(labels, ids, np.asarray(used).ravel(), keep_all=mesh is not None)
    freedoms = Freedoms(order.count, internal=order.internal)
    rows = order.rows
    scale = units_of(units)
    stiffness, inertia = stiffness[rows][:, rows], inertia[rows][:, rows]
    if mesh is None:
        x = x[order.nodes] * scale.length
    lever = _levers(freedoms, scale.length)
    stiffness = scipy.sparse.csr_array(lever @ stiffness @ lever * (scale.force / scale.length))
    inertia = scipy.sparse.csr_array(lever @ inertia @ lever * scale.mass)
    check_rigid_motions(stiffness, x, freedoms, doubts)
    cloud = _with_elements(mass_of(inertia, x, freedoms), points)
    check_mass(inertia, x, freedoms, mass, doubts)
    check_units(stiffness, inertia, x, freedoms, points, doubts)
    if doubts:
        warn(f"matrices {name!r}: {'; '.join(doubts)}")
    sets = {key: [value] for key, value in held.node_sets.items()} | dict(node_sets or {})
    nodes = _mesh(mesh, x, ids[order.nodes], sets, name)
    groups = points.groups if isinstance(points, Structure) else ()
    return Structure(nodes, "stiffness and mass matrices", stiffness, cloud, freedoms, groups)


def _taken(source: Source, what: str) -> tuple[scipy.sparse.csr_array, MatrixFile]:
    """Return a square matrix and the content of its file."""
    if isinstance(source, str | os.PathLike):
        source = (source, None)
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str | os.PathLike):
        file = read_matrices(source[0])
        matrix = file.pick(source[0], what, source[1])
    else:
        file = MatrixFile({})
        try:
            is_complex = np.iscomplexobj(source)
            matrix = scipy.sparse.csr_array(source, dtype=complex if is_complex else float)
        except (TypeError, ValueError):
            raise InputError(
                f"the {what} matrix is {type(source).__name__}; give a square matrix, a file, or (file, name)"
            ) from None
        if is_complex:
            raise InputError(
                f"the {what} matrix holds complex numbers; stiffness and mass are real, and damping is given to "
                "flexbody.FlexibleBody"
            )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise InputError(f"the {what} matrix has the shape {matrix.shape}; it must be square")
    return matrix, file


def _aligned(
    K: scipy.sparse.csr_array, from_K: MatrixFile, M: scipy.sparse.csr_array, from_M: MatrixFile
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """Return K and M over the same rows: files with labels leave out rows of zeros, such as rotations without mass."""
    a, b = from_K.labels, from_M.labels
    if a is None or b is None or np.array_equal(a, b):
        return K, M
    rows_a, rows_b = ({tuple(row): k for k, row in enumerate(each.tolist())} for each in (a, b))
    if not (rows_a.keys() <= rows_b.keys() or rows_b.keys() <= rows_a.keys()):
        raise InputError("the rows of the files of K and M belong to different nodes; export both in one job")
    whole = sorted(rows_a.keys() | rows_b.keys())
    from_K.labels = from_M.labels = np.array(whole, dtype=np.int64)

    def spread(A: scipy.sparse.csr_array, rows: dict) -> scipy.sparse.csr_array:
        at = np.array([k for k, label in enumerate(whole) if label in rows])
        order = np.array([rows[label] for label in whole if label in rows])
        S = scipy.sparse.csr_array((np.ones(len(at)), (at, order)), shape=(len(whole), len(rows)))
        return scipy.sparse.csr_array(S @ A @ S.T)

    return spread(K, rows_a), spread(M, rows_b)


def _nodes(
    points: Any, node_ids: Sequence[int] | None, file: MatrixFile
) -> tuple[np.ndarray, np.ndarray, Mesh | None, np.ndarray | None]:
    """Return positions (n, 3), numbers (n,), the mesh if there is one, and the unknowns of its nodes if known."""
    count = points.freedoms.count if isinstance(points, Structure) else None
    mesh = points.mesh if isinstance(points, Structure) else points
    if isinstance(mesh, Mesh):
        if node_ids is not None:
            raise InputError("node_ids= are those of the mesh; leave them out")
        return mesh.points, mesh.node_ids, mesh, count
    if points is None:
        points, node_ids = file.points, file.node_ids if node_ids is None else node_ids
    if isinstance(points, str | os.PathLike):
        raise InputError(
            f"points= are positions (n, 3) in m, or a mesh, such as that of a file: fem.read_mesh({str(points)!r})"
        )
    if points is None:
        raise InputError(
            "points= are missing: the positions (n, 3) of the nodes, or a mesh of the same nodes"
        )
    try:
        x = np.array(points, dtype=float)
    except (TypeError, ValueError):
        raise InputError("points= are positions (n, 3) in m, a mesh, or a structure") from None
    if x.ndim != 2 or x.shape[1] != 3 or not len(x) or not np.isfinite(x).all():
        raise InputError(
            f"points= has the shape {x.shape}; give finite positions (n, 3), a mesh, or a structure"
        )
    ids = np.arange(1, len(x) + 1) if node_ids is None else np.asarray(node_ids, dtype=np.int64)
    if ids.shape != (len(x),) or len(np.unique(ids)) < len(ids):
        raise InputError(f"node_ids= must be {len(x)} different numbers, one for each point")
    return x, ids, None, None


def _levers(freedoms: Freedoms, length: float) -> scipy.sparse.dia_array:
    """Return the diagonal matrix that converts moments and rotations: the length in m for rotations, else 1."""
    values = np.ones(freedoms.n_motions)
    turning = np.flatnonzero(freedoms.count == 6)
    values[(freedoms.first[turning][:, None] + 3 + np.arange(3)).ravel()] = length
    values[freedoms.first[-1] :] = length  # internal coordinates without unit, in the work of a force
    return scipy.sparse.diags_array(values)


def mass_of(M: scipy.sparse.csr_array, points: np.ndarray, freedoms: Freedoms) -> Cloud:
    """Return a mass matrix as points where it is the same scalar matrix in all directions, else as it is."""
    at = freedoms.first[:-1]
    parts = [[M[at + k][:, at + l] for l in range(3)] for k in range(3)]
    scalar = scipy.sparse.csr_array((parts[0][0] + parts[1][1] + parts[2][2]) / 3.0)
    same = scipy.sparse.csr_array(scipy.sparse.kron(scalar, scipy.sparse.identity(3), format="csr"))
    S = None if freedoms.simple else freedoms.translation
    whole = same if S is None else S.T @ same @ S
    if abs(M - whole).max() <= _SCALAR_TOLERANCE * abs(M).max():
        return Cloud(points, scalar, S, S)
    return MatrixMass(points, scalar, freedoms.translation, freedoms.translation, given=M, freedoms=freedoms)


def _with_elements(cloud: Cloud, structure: Any) -> Cloud:
    """Return the mass with that of the elements of a structure, if both have the same mass and moments of inertia.

    Where the whole matrix is that of the elements, their mass is returned, which knows where it is inside of them.
    """
    if not isinstance(cloud, MatrixMass) or not isinstance(structure, Structure):
        return cloud
    own = structure.cloud
    if structure.freedoms.L is not None or isinstance(own, MatrixMass) or own.over_motions is None:
        return cloud
    R, rigid = cloud.rigid(cloud.center)
    if len(R) != structure.n:
        return cloud
    if abs(cloud.given - own.matrix).max() <= _SCALAR_TOLERANCE * abs(own.matrix).max():
        return own
    apart = np.abs(R.T @ own.inertia_forces(R) - rigid)
    size = np.sqrt(np.outer(*[np.abs(rigid.diagonal())] * 2))
    return replace(cloud, elements=own) if (apart <= _SAME_INERTIA * size).all() else cloud


def _mesh(mesh: Mesh | None, points: np.ndarray, ids: np.ndarray, sets: Mapping[str, Any], name: str) -> Mesh:
    """Return the nodes with their sets, which are given by numbers."""
    if mesh is not None and not sets:
        return mesh
    number = {int(k): i for i, k in enumerate(ids)}
    named = {}
    for key, members in sets.items():
        lost = [int(k) for k in members if int(k) not in number]
        if lost:
            raise InputError(f"the node set {key!r} names the nodes {lost[:8]}, which have no unknowns")
        named[key] = np.array(sorted({number[int(k)] for k in members}), dtype=np.int64)
    if mesh is None:
        return Nodes(points, (), named, node_ids=ids, name=name)
    return replace(mesh, node_sets={**mesh.node_sets, **named})
