"""Checks of matrices that another program has made."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from ...common.errors import InputError
from ...mesh.mesh import Mesh
from ...model.freedoms import Freedoms
from ...model.rigid_motions import rigid_motions
from ...model.structure import Structure

_MOTIONS = ("x", "y", "z", "rx", "ry", "rz")
#: relative asymmetry and relative forces of a rigid motion that are errors, and those that give a warning
ERROR_LIMIT, DOUBT_LIMIT = 1e-5, 1e-8
#: mean densities (kg/m^3) in the hull of all nodes that no body has: osmium has 22.6e3, aerogel 1
_LARGEST_DENSITY, _SMALLEST_DENSITY = 3e4, 1e-2
#: mean density (kg/m^3) of a mesh of solids below which units are doubted: the lightest foams have 10
_LIGHTEST_SOLID = 10.0
#: mass (kg) over the cube of the length (m) below which units are doubted: a wire of 1 kg and 50 m has 8e-6
_LIGHTEST_WIRE = 1e-6
#: speed (m/s) of waves between nodes above which units are doubted: diamond has 1.8e4, and sqrt(K / M) times the
#: distance of the nodes of solids is up to three times the speed of its material
_FASTEST_WAVE = 1e5
#: nodes of solids from which this speed is computed
_FEWEST_NODES = 8
#: ratio of the stiffnesses of a matrix and of elements of the same nodes up to which they can be those of one body
_SAME_STIFFNESS = 30.0


def symmetric(A: scipy.sparse.csr_array, what: str, doubts: list[str]) -> scipy.sparse.csr_array:
    """Return A without its asymmetry of rounding; InputError if it is not symmetric or not finite."""
    if not np.isfinite(A.data).all():
        raise InputError(
            f"the {what} matrix has {int((~np.isfinite(A.data)).sum())} entries that are not finite"
        )
    size = np.abs(A.data).max(initial=0.0)
    apart = abs(A - A.T)
    error = float(apart.max()) / size if size and apart.nnz else 0.0
    if error > ERROR_LIMIT:
        if not all(abs(part(A, k)).sum() for part, k in ((scipy.sparse.tril, -1), (scipy.sparse.triu, 1))):
            raise InputError(
                f"the {what} matrix holds one triangle only; give both: A + scipy.sparse.tril(A, -1).T of a lower one"
            )
        entries = apart.tocoo()
        worst = int(entries.data.argmax())
        row, column = (int(at[worst]) + 1 for at in entries.coords)
        raise InputError(
            f"the {what} matrix is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ by "
            f"{error:.2g} of the largest entry"
        )
    if error > DOUBT_LIMIT:
        doubts.append(f"the {what} matrix is symmetric to {error:.1e} only; its symmetric part is used")
    if size and A.diagonal().min() < -ERROR_LIMIT * size:
        raise InputError(f"the {what} matrix has a negative entry on its diagonal, {A.diagonal().min():.4g}")
    A = scipy.sparse.csr_array(0.5 * (A + A.T))
    _check_minors(A, what, size)
    return A


def _check_minors(A: scipy.sparse.csr_array, what: str, size: float) -> None:
    """Refuse entries with A_ij^2 > A_ii A_jj, which only matrices with a negative eigenvalue have."""
    entries, diagonal = A.tocoo(), np.sqrt(np.maximum(A.diagonal(), 0.0))
    rows, columns = entries.coords
    excess = np.abs(entries.data) - diagonal[rows] * diagonal[columns]
    if excess.max(initial=0.0) > ERROR_LIMIT * size:
        worst = int(excess.argmax())
        row, column = int(rows[worst]), int(columns[worst])
        raise InputError(
            f"the {what} matrix has negative eigenvalues: its entry ({row + 1}, {column + 1}), "
            f"{entries.data[worst]:.4g}, is larger than the diagonal entries {A[row, row]:.4g} and "
            f"{A[column, column]:.4g} of this row and column allow. Is it damaged, or does it hold Lagrange "
            "multipliers, which must be left out?"
        )


def check_rigid_motions(
    K: scipy.sparse.csr_array, points: np.ndarray, freedoms: Freedoms, doubts: list[str]
) -> None:
    """Check that rigid motions meet no resistance: K R = 0; InputError with the numbers, and with a guess of units."""
    R = rigid_motions(points, points.mean(axis=0), freedoms)
    turning = np.zeros(len(R), bool)
    nodes = np.flatnonzero(freedoms.count == 6)
    turning[(freedoms.first[nodes][:, None] + 3 + np.arange(3)).ravel()] = True
    arms = np.where(turning, float(np.ptp(points, axis=0).max()) or 1.0, 1.0)  # makes forces of moments
    errors = _resistance(K, R, arms)
    if errors.max() <= DOUBT_LIMIT:
        return
    said = ", ".join(f"{name} {error:.1e}" for name, error in zip(_MOTIONS, errors, strict=True))
    if errors.max() <= ERROR_LIMIT:
        doubts.append(
            f"K resists rigid motions by its rounding (relative forces {said}); more digits would be better"
        )
        return
    hint = "are there supports in the matrices, or do points= and `dofs=` belong to other rows?"
    if errors[:3].max() <= ERROR_LIMIT:
        shift, turn = R[:, 3:].copy(), R[:, 3:].copy()
        shift[turning], turn[~turning] = 0.0, 0.0
        a, b = np.asarray(K @ shift), np.asarray(K @ turn)
        factor = -float((a * b).sum()) / max(float((a * a).sum()), 1e-300)
        if factor > 0 and _resistance(K, factor * shift + turn, factor * arms).max() <= ERROR_LIMIT:
            hint = f"the points are in other units than the matrices: multiplied by {factor:.6g} they fit"
        else:
            hint = "translations are free, rotations are not: do points= belong to these matrices, in their units?"
    raise InputError(f"K resists rigid motions (relative forces {said}); {hint}")


def _resistance(K: scipy.sparse.csr_array, R: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Return the largest force of each motion over the largest sum of its terms; ``arms`` (rows,) divide them."""
    forces, terms = (np.asarray(A) / arms[:, None] for A in (np.abs(K @ R), abs(K) @ np.abs(R)))
    return forces.max(axis=0) / np.maximum(terms.max(axis=0), 1e-300)


def check_mass(
    M: scipy.sparse.csr_array,
    points: np.ndarray,
    freedoms: Freedoms,
    expected: float | None,
    doubts: list[str],
) -> None:
    """Check the mass of rigid motions: positive; near an expected one, and with a density that a body can have."""
    R = rigid_motions(points, points.mean(axis=0), freedoms)
    rigid, terms = R.T @ np.asarray(M @ R), np.abs(R).T @ np.asarray(abs(M) @ np.abs(R))
    total = float(np.trace(rigid[:3, :3])) / 3.0
    if not total > ERROR_LIMIT * np.trace(terms[:3, :3]) / 3.0:
        raise InputError(
            f"the mass matrix gives a mass of {total:.4g} kg; it must be positive. Is it another matrix, such as a "
            "stiffness?"
        )
    uneven = float(np.abs(np.diag(rigid)[:3] - total).max()) / total
    if uneven > ERROR_LIMIT:
        doubts.append(
            f"the mass differs with the direction, {', '.join(f'{m:.6g}' for m in np.diag(rigid)[:3])} kg in x, y and "
            "z, as that of no body does; the mean is used where one mass is needed"
        )
    if not (np.diag(rigid)[3:] >= -ERROR_LIMIT * np.diag(terms)[3:]).all():
        raise InputError(
            f"the mass matrix gives moments of inertia of {', '.join(f'{J:.4g}' for J in np.diag(rigid)[3:])} kg m^2; "
            "they must be positive: do points= belong to it?"
        )
    if len(points) > 1 and not np.ptp(points, axis=0).any():
        raise InputError(f"all {len(points)} points= stand at one place")
    if expected is not None and abs(total - expected) > 1e-3 * expected:
        doubts.append(f"the mass is {total:.6g} kg, not {expected:.6g} kg (ratio {total / expected:.6g})")


def check_units(
    K: scipy.sparse.csr_array,
    M: scipy.sparse.csr_array,
    x: np.ndarray,
    freedoms: Freedoms,
    points: Any,
    doubts: list[str],
) -> None:
    """Doubt the units of matrices with which nodes at x (n, 3) would be too light, too heavy or too stiff for a body.

    ``points``: what the user gave, whose elements may tell more.
    """
    total = float(sum(M[freedoms.first[:-1] + k][:, freedoms.first[:-1] + k].sum() for k in range(3))) / 3.0
    signs: list[str] = []
    _check_density(total, x, freedoms, signs)
    _check_speed(K, M, x, freedoms, signs)
    _check_elements(K, total, points, doubts, signs)
    if signs:
        doubts.append(f"{'; '.join(signs)}: are matrices and points in SI units? units= converts them")


def _check_density(total: float, points: np.ndarray, freedoms: Freedoms, doubts: list[str]) -> None:
    """Doubt a mass that no body of this size has; retained nodes of a superelement span a part of its body only."""
    try:
        hull = 0.0 if freedoms.internal else scipy.spatial.ConvexHull(points).volume
    except (scipy.spatial.QhullError, ValueError):  # flat, straight or too few
        hull = 0.0
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if not hull:
        if total < _LIGHTEST_WIRE * size**3:
            doubts.append(f"{total:.4g} kg on a length of {size:.4g} m is less than a wire has")
    elif not _SMALLEST_DENSITY <= total / hull <= _LARGEST_DENSITY:
        doubts.append(
            f"{total:.4g} kg within the hull of the nodes is a mean density of {total / hull:.4g} kg/m^3"
        )


def _check_speed(
    K: scipy.sparse.csr_array,
    M: scipy.sparse.csr_array,
    points: np.ndarray,
    freedoms: Freedoms,
    doubts: list[str],
) -> None:
    """Doubt units of K and M that give waves faster than any material, between the nodes of solids."""
    solid = np.flatnonzero(freedoms.count == 3)
    if len(solid) < _FEWEST_NODES or freedoms.internal:
        return
    rows = freedoms.first[solid][:, None] + np.arange(3)
    stiffness, inertia = (A.diagonal()[rows].sum(axis=1) for A in (K, M))
    heavy = inertia > 0
    if heavy.sum() < _FEWEST_NODES:
        return
    distance = scipy.spatial.cKDTree(points[solid]).query(points[solid], k=2)[0][:, 1]
    speed = float(np.median(np.sqrt(stiffness[heavy] / inertia[heavy]) * distance[heavy]))
    if speed > _FASTEST_WAVE:
        doubts.append(
            f"waves would pass the nodes at about {speed:.2g} m/s, faster than in any material, as if the units of K "
            "and M did not fit each other"
        )


def _check_elements(
    K: scipy.sparse.csr_array, total: float, points: Any, doubts: list[str], signs: list[str]
) -> None:
    """Doubt a mass or a stiffness that is not that of the elements of ``points``, a mesh or a structure.

    ``signs`` gets what may come from other units.
    """
    if isinstance(points, Structure):
        mass = points.mass
        if abs(total - mass) > 1e-3 * mass:
            (doubts if 0.5 < total / mass < 2.0 else signs).append(
                f"the mass is {total:.6g} kg, that of the elements of points= {mass:.6g} kg (ratio {total / mass:.6g})"
            )
        ratio = K.diagonal().sum() / points.K.diagonal().sum()
        if K.shape == points.K.shape and not 1 / _SAME_STIFFNESS < ratio < _SAME_STIFFNESS:
            signs.append(
                f"K is {ratio:.4g} times as stiff as the elements of points=, from which geometric stiffening comes"
            )
    mesh = points.mesh if isinstance(points, Structure) else points
    if not isinstance(mesh, Mesh) or not mesh.solids or len(mesh.solids) < len(mesh.blocks):
        return
    density = total / mesh.volume
    if density < _LIGHTEST_SOLID:
        signs.append(
            f"{total:.4g} kg in the {mesh.volume:.4g} m^3 of the elements is a density of {density:.4g} kg/m^3, less "
            "than a foam has"
        )
