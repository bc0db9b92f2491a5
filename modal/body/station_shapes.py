"""Static shapes for loads along a line, of which a contact that moves along it takes those where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError
from fem.common.numbers import floats

from .inertia import FloatArray


class StationShapes(NamedTuple):
    """Base functions that a contact can take along: an attribute of a :class:`modal.ReducedBody`.

    :func:`modal.reduce` finds them for a basis with :func:`modal.following_modes`.

    The modal coordinates are those of the other base functions and the r coordinates ``eta = rows alpha``, which vanish
    for them. A contact at the station k deforms the body, beside its other base functions, in proportion to row k of
    ``curves`` as ``eta``; between stations to a smooth curve through these.

    Parameters
    ----------
    rows : numpy.ndarray
        eta for unit modal coordinates, (r, N), m.
    stations : mapping of str to tuple of str
        The stations of each load by its component: "x", "y", "z" for forces, "rx", "ry", "rz" for moments.
    curves : mapping of str to numpy.ndarray
        Of each component eta at its stations, (K, r), at a suitable scale.

    Examples
    --------
    >>> import fem, modal, numpy as np
    >>> x = np.linspace(0, 1, 9)
    >>> cells, sets = np.stack([np.arange(8), np.arange(1, 9)], axis=1), {f"s{k}": [k] for k in range(9)}
    >>> mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets)
    >>> fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.02, 0.01)))
    >>> body = modal.reduce(fe, modal.recommend(fe, ("s0", "s8"), f_max_hz=50.0, follow=tuple(sets)))
    >>> body.station_shapes.stations["z"]
    ('s1', 's2', 's3', 's4', 's5', 's6', 's7')
    """

    rows: FloatArray
    stations: Mapping[str, tuple[str, ...]]
    curves: Mapping[str, FloatArray]

    def __repr__(self) -> str:
        places = ", ".join(f"{name!r} at {len(its)} stations" for name, its in self.stations.items())
        return (
            f"<StationShapes: {len(self.rows)} of {np.shape(self.rows)[-1]} base functions, loads {places}>"
        )


def checked(shapes: StationShapes, N: int, what: str) -> StationShapes:
    """Return the shapes of a body with ``N`` base functions, with arrays that can't be changed; InputError if unfit."""
    given = [floats(array) for array in (shapes.rows, *shapes.curves.values())]
    arrays = [array for array in given if array is not None and array.ndim == 2 and np.isfinite(array).all()]
    r = len(arrays[0]) if arrays else 0
    wanted = [(r, N), *((len(shapes.stations.get(component, ())), r) for component in shapes.curves)]
    if [array.shape for array in arrays] != wanted or not 0 < len(shapes.curves) == len(shapes.stations):
        raise InputError(
            f"{what} is not the result of modal.reduce: its arrays must be finite and have the shapes {wanted}"
        )
    for array in arrays:
        array.setflags(write=False)
    stations = {component: tuple(names) for component, names in shapes.stations.items()}
    return StationShapes(arrays[0], stations, dict(zip(shapes.curves, arrays[1:], strict=True)))
