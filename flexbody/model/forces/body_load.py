"""Distributed loads on flexible bodies: pressure, traction, line loads and volume loads over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing

from ..flexible_body import FlexibleBody
from .load import PointForce


@check_arguments
def body_load(
    name: str,
    body: FlexibleBody,
    load: str,
    factor: float | Callable[[float], float] = 1.0,
    *,
    follows: bool = False,
) -> list[PointForce]:
    """Return a distributed load on a moving flexible body, Koppens (2.31)-(2.33), as forces at its load frames.

    Parameters
    ----------
    name : str
        Name of the load, unique in the system; several forces are numbered.
    body : FlexibleBody
        The body; its reduced body has the load (``loads=`` of :func:`modal.reduce`).
    load : str
        Name of the load in the reduced body.
    factor : float or callable, optional
        Factor of the load: a number or a function of time (s).
    follows : bool, optional
        False: the load keeps its direction in space, that of the drawn configuration. True: it rotates with the base of
        the body. It does not follow the rotation of the surface by the deformation itself.

    Returns
    -------
    list of PointForce
        The forces: one for a load of one direction, up to six for a pressure. Put them into ``System(forces=[...])``
        with a star: ``forces=[*fb.body_load(...), other]``.

    Raises
    ------
    fem.InputError
        The body has no such load.

    Notes
    -----
    This is exact for the loads over the mesh: a load of fixed direction does the work of one force at the mean position
    that it weights itself (:mod:`modal.reduction.load_frames`), geometric stiffening included.

    Examples
    --------
    >>> import fem, modal
    >>> import flexbody as fb
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.02), (8, 1, 1)), steel)
    >>> wind = fem.Pressure("z0", 1e3)
    >>> reduced = modal.reduce(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=2), loads={"wind": wind})
    >>> body = fb.FlexibleBody("bar", reduced)
    >>> gust = fb.body_load("gust", body, "wind", lambda t: 1.0 - t)
    >>> [force.at.name for force in gust]
    ['wind']
    """
    loads = body.turned.loads
    if load not in loads:
        raise InputError(
            f"body '{body.name}' has no load {load!r}; it has {listing(loads) or 'none'}. Give loads= to modal.reduce"
        )
    parts = loads[load]
    names = [name] if len(parts) == 1 else [f"{name} {k + 1}" for k in range(len(parts))]
    return [
        PointForce(own, body[marker], _value(force, factor), follows=follows)
        for own, (marker, force) in zip(names, parts, strict=True)
    ]


def _value(force: np.ndarray, factor: float | Callable[[float], float]) -> Any:
    """Return a force times a number or a function of time."""
    x, y, z = (float(part) for part in force)
    if not callable(factor):
        return x * factor, y * factor, z * factor

    def scaled(t: float) -> tuple[float, float, float]:
        size = factor(t)
        return x * size, y * size, z * size

    return scaled
