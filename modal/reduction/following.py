"""Which base functions of a reduced body a contact can take along: those beside the other base functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError, listing, warn
from fem.model.freedoms import NAMES

from ..bases.basis import Basis
from ..body.inertia import FloatArray
from ..body.reduced_body import Marker
from ..body.station_shapes import StationShapes
from .frames import Field, MeanDisplacement

#: base functions whose energy beside others is the square of this part of their own depend on them
_DEPENDENCE_TOLERANCE = 1e-4
#: stations whose shapes differ from all other base functions by less than this are left out: supports of the line
_LEAST_DIFFERENCE = 1e-3
#: the cosine between the shapes of neighbours below which what is between them is not described
_LEAST_COSINE = 0.15


def station_shapes(
    basis: Basis, raw: Field, S: FloatArray, Z: FloatArray, squares: FloatArray
) -> StationShapes | None:
    """Return the base functions of ``basis`` that follow contacts, for a body with the eigenvalues ``squares`` (N,).

    ``raw``: the columns of the basis, of which the base functions are the combinations ``S Z``. The shape for a load f
    at a marker is K^-1 Phi' f in the mean-displacement frame. Shapes are measured by their strain energy.
    """
    if not basis.follows:
        return None
    root = np.sqrt(squares)
    norm = np.sqrt(raw.modal_mass().diagonal())
    columns = root[:, None] * (np.linalg.inv(Z) @ (np.linalg.pinv(norm[:, None] * S) * norm))
    others = _beside(columns[:, [entry is None for entry in basis.follows]])
    markers = MeanDisplacement().impose(raw.combined(S))[0].combined(Z).markers
    found = {
        component: _shapes_at(markers, names, component, root, others)
        for component, names in _by_component(basis.follows).items()
    }
    found = {component: its for component, its in found.items() if len(its.stations)}
    if not found:
        raise InputError(
            f"loads at the stations {listing(name for name, _ in filter(None, basis.follows))} deform the body as its "
            "other base functions do; give stations between the interfaces"
        )
    for component, its in found.items():
        _warn_of_distances(component, its)
    turned = np.linalg.svd(np.concatenate([its.curve for its in found.values()]))[2][::-1].T
    scale = max(its.largest for its in found.values())
    return StationShapes(
        scale * (turned.T @ others.T) * root,
        {component: its.stations for component, its in found.items()},
        {component: its.curve @ turned for component, its in found.items()},
    )


class _Component(NamedTuple):
    """The shapes for one component of the load."""

    stations: tuple[str, ...]
    curve: FloatArray  # (K, r) beside the other base functions, unit
    largest: float  # displacement, m, or angle, rad, at a station for a shape with the energy of 1/2 J


def _warn_of_distances(component: str, its: _Component) -> None:
    """Give a warning where the shapes of neighbours differ too much to find those between them."""
    cosines = np.sum(its.curve[1:] * its.curve[:-1], axis=1)
    for (one, other), cosine in zip(pairwise(its.stations), cosines, strict=True):
        if cosine < _LEAST_COSINE:
            warn(
                f"the shapes that follow a load {component!r} differ too much between the stations {one!r} and "
                f"{other!r} (cosine {cosine:.2f}, beside the other base functions): shapes between them are not "
                "accurate. Give stations at smaller distances, or fewer other base functions"
            )
            return


def _by_component(follows: Sequence[tuple[str, str] | None]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, component in filter(None, follows):
        found.setdefault(component, []).append(name)
    return found


def _beside(columns: FloatArray) -> FloatArray:
    """Return an orthonormal base (N, r) of what is orthogonal to some columns (N, n)."""
    size = np.linalg.norm(columns, axis=0)
    U, values, _ = np.linalg.svd(columns[:, size > 0] / size[size > 0])
    rank = int(np.sum(values > _DEPENDENCE_TOLERANCE * values.max(initial=0.0)))
    return np.asarray(U[:, rank:])


def _shapes_at(
    markers: Mapping[str, Marker], names: Sequence[str], component: str, root: FloatArray, others: FloatArray
) -> _Component:
    """Return the shapes for unit loads that are not combinations of the other base functions."""
    rows = [np.concatenate([markers[name].Phi, markers[name].B])[NAMES.index(component)] for name in names]
    whole = np.array(rows) / root
    left = whole @ others
    size = np.linalg.norm(left, axis=1)
    kept = size > _LEAST_DIFFERENCE * np.linalg.norm(whole, axis=1)
    units = left[kept] / size[kept, None]
    for k in range(1, len(units)):  # beyond a support the other way
        units[k] *= 1.0 if units[k] @ units[k - 1] >= 0 else -1.0
    stations = tuple(name for name, keep in zip(names, kept, strict=True) if keep)
    return _Component(stations, units, float(size.max(initial=0.0)))
