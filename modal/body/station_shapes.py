"""Static shapes for loads along a line, of which a contact that moves along it takes those where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError
from fem.common.numbers import floats

from .inertia import FloatArray


class StationShapes(NamedTuple):
    """Base functions that a contact can take along, see :func:`modal.following_modes`.

    The modal coordinates are those of the other base functions and the r coordinates ``eta = rows alpha``, which vanish
    for them. A contact at the station k deforms the body, beside its other base functions, in proportion to row k of
    ``curves`` as ``eta``; between stations to a smooth curve through these.

    Attributes
    ----------
    rows : numpy.ndarray
        eta for unit modal coordinates, (r, N), m.
    stations : mapping of str to tuple of str
        The stations of each load by its component: "x", "y", "z" for forces, "rx", "ry", "rz" for moments.
    curves : mapping of str to numpy.ndarray
        Of each component eta at its stations, (K, r), at a suitable scale.
    """

    rows: FloatArray
    stations: Mapping[str, tuple[str, ...]]
    curves: Mapping[str, FloatArray]

    def checked(self, N: int, what: str) -> StationShapes:
        """Return the same with arrays that can't be changed; InputError if they do not fit ``N`` base functions."""
        rows = floats(self.rows)
        curves = {component: floats(curve) for component, curve in self.curves.items()}
        shapes = [None if a is None else a.shape for a in (rows, *curves.values())]
        r = len(rows) if rows is not None and rows.ndim == 2 else 0
        wanted = [(r, N), *((len(self.stations.get(component, ())), r) for component in curves)]
        if not curves or shapes != wanted or self.stations.keys() != curves.keys():
            raise InputError(f"{what} has arrays of the shapes {shapes}; they must be {wanted}")
        for array in (rows, *curves.values()):
            if not np.isfinite(array).all():
                raise InputError(f"{what} holds values that are not finite")
            array.setflags(write=False)
        return StationShapes(rows, {key: tuple(names) for key, names in self.stations.items()}, curves)
