"""What varies from element to element in one section: the direction of its axis 1, and its thickness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import floats, shown
from ...common.users_functions import values_at
from .geometry import Array, element_frame

#: sizes of a direction whose square is a number, far from under- and overflow
SIZES_OF_DIRECTIONS = 1e-100, 1e100


@check_arguments
@dataclass(frozen=True)
class FirstSide:
    """The direction from the first to the second corner of each element, for ``LayeredShell(axis=)``.

    Parameters
    ----------
    mean : bool, optional
        Whether it is, of elements of four sides, the mean of the first side and of the one across from it, as ANSYS
        has it.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> fem.LayeredShell([fem.Layer(steel, 1e-3, degrees=45.0)], axis=fem.FirstSide()).axis
    FirstSide(mean=False)
    """

    mean: bool = False


def checked_axis(axis: Any, wrong: list[str]) -> Any:
    """Return an axis, a direction as a tuple of three numbers; what is wrong with it is added to ``wrong``."""
    if callable(axis) or isinstance(axis, FirstSide):
        return axis
    given = floats(axis)
    if given is None or given.shape != (3,) or not np.isfinite(given).all() or not given.any():
        wrong.append(f"axis = {shown(axis)} must be a direction (3,), a function or fem.FirstSide()")
        return axis
    largest, (least, most) = float(np.abs(given).max()), SIZES_OF_DIRECTIONS
    return tuple(map(float, given if least < largest < most else given / largest))


def directions(axis: Any, X: Array) -> Array:
    """Return the directions (ne, 3) or (3,) whose projections are axis 1 of elements X (ne, nn, 3), m."""
    if isinstance(axis, FirstSide):
        side = X[:, 1] - X[:, 0]
        return side + X[:, 2] - X[:, 3] if axis.mean and X.shape[1] in (4, 8, 9) else side
    if callable(axis):
        return values_at(axis, X.mean(axis=1), (3,), what="axis=", values="directions")
    return np.array(axis)


def along_elements(kind: str, X: Array, axis: Array | None) -> Array | None:
    """Return the components (ne, 2) of directions (ne, 3) or (3,) in the elements' axes; None of None."""
    if axis is None:
        return None
    return np.einsum("eax,ex->ea", element_frame(kind, X)[:, :2], np.broadcast_to(axis, (len(X), 3)))


def thicknesses(thickness_at: Callable[[Array], Array], X: Array) -> Array:
    """Return the thickness (ne,), m, that a function gives at the middles of elements X (ne, nn, 3), m."""
    given = np.asarray(
        values_at(thickness_at, X.mean(axis=1), (), what="thickness_at=", values="thicknesses")
    )
    if not (given > 0).all():
        raise InputError(f"thickness_at= returns {given.min():g} m; thicknesses must be positive")
    return given
