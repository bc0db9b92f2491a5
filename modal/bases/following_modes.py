"""Static shapes for loads along a line, of which a contact that moves along it takes those where it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import as_names
from fem.model.freedoms import NAMES

from ..body.inertia import FloatArray
from .basis import Basis
from .static_modes import attachment_modes

#: directions along which each part of the line has less than this part of its length are across it
_ACROSS_TOLERANCE = 1e-6
#: eigenvalues of the scaled flexibility below this show stations whose shapes depend on each other
_DEPENDENCE_TOLERANCE = 1e-13


@check_arguments
def following_modes(
    structure: fem.Structure, stations: Sequence[str], *, components: str | Sequence[str] = ()
) -> Basis:
    """Return static shapes for unit loads at stations along a line on which a contact moves.

    They are to be combined with other base functions, :func:`modal.combine`. In a machine all of them are free, unless
    :class:`flexbody.FollowingShapes` keeps the one of them for a load where the contact is; it moves along with it.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    stations : sequence of str
        Node sets along the line, in their order, at least four; each becomes an interface. Their distance should be
        less than half the wavelength of the other base functions.
    components : str or sequence of str, optional
        The loads: "x", "y", "z" for forces along the axes, "rx", "ry", "rz" for moments about them. By default the
        forces along the axes that are nowhere along the line, or all three forces. A muff carries moments too.

    Returns
    -------
    Basis
        For each station and component one shape: it has the displacement 1 m or the rotation 1 rad there and none at
        the other stations, beside a motion of the whole body. Together they span the shapes under all these loads
        (inertia relief).

    Raises
    ------
    InputError
        A set or component is unknown, there are fewer than four stations, or shapes depend on each other.

    Examples
    --------
    >>> import fem, modal, numpy as np
    >>> x = np.linspace(0, 1, 9)
    >>> cells, sets = np.stack([np.arange(8), np.arange(1, 9)], axis=1), {f"s{k}": [k] for k in range(9)}
    >>> mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets)
    >>> fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.02, 0.01)))
    >>> modal.following_modes(fe, tuple(sets), components="z").labels[1]
    'following, s1 force along z'
    """
    names = as_names(stations)
    if len(names) < 4 or len(set(names)) < len(names):
        raise InputError(
            f"stations= names {listing(names)}; give at least four different node sets along the line"
        )
    found = as_names(components) or _across(structure, names)
    attached = attachment_modes(structure, {name: found for name in names})
    T = scipy.sparse.vstack([one.T[[NAMES.index(c) for c in found]] for one in attached.interfaces])
    flexibility = T @ attached.Phi
    scale = 1 / np.sqrt(np.maximum(np.diagonal(flexibility), 1e-300))
    values, vectors = np.linalg.eigh(flexibility * np.outer(scale, scale))
    if values[0] < _DEPENDENCE_TOLERANCE * values[-1]:
        raise InputError(
            f"the shapes for loads at the stations {listing(names)} depend on each other; leave some of these out"
        )
    inverse = scale[:, None] * (vectors / values) @ vectors.T * scale
    return Basis(
        structure,
        attached.Phi @ inverse,
        tuple(f"following, {label}" for label in attached.labels),
        attached.interfaces,
        "following shapes",
        follows=tuple((name, component) for name in names for component in found),
    )


def _across(structure: fem.Structure, names: Sequence[str]) -> tuple[str, ...]:
    """Return the axes that are nowhere along the line through the sets, or all three."""
    points = np.array([fem.interface(structure, name).point for name in names])
    steps: FloatArray = np.diff(points, axis=0)
    along = np.abs(steps / np.linalg.norm(steps, axis=1)[:, None]).max(axis=0) > _ACROSS_TOLERANCE
    return tuple("xyz"[k] for k in range(3) if not along[k]) if np.sum(along) == 1 else ("x", "y", "z")
