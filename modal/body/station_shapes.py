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
        given = [floats(array) for array in (self.rows, *self.curves.values())]
        arrays = [
            array for array in given if array is not None and array.ndim == 2 and np.isfinite(array).all()
        ]
        r = len(arrays[0]) if arrays else 0
        wanted = [(r, N), *((len(self.stations.get(component, ())), r) for component in self.curves)]
        if [array.shape for array in arrays] != wanted or not 0 < len(self.curves) == len(self.stations):
            raise InputError(
                f"{what} is not the result of modal.reduce: its arrays must be finite and have the shapes {wanted}"
            )
        for array in arrays:
            array.setflags(write=False)
        stations = {component: tuple(names) for component, names in self.stations.items()}
        return StationShapes(arrays[0], stations, dict(zip(self.curves, arrays[1:], strict=True)))
