"""Distributed loads on flexible bodies: pressure, traction, line loads and volume loads over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import with_match
from fem.common.numbers import number

from ...core.kinds import BODY_LOAD
from ...functions.function_pointers import scalar_law
from ...functions.time_law import Law
from ..flexible_body import FlexibleBody
from ..rigid_motion import Motions
from ..sides import Body
from .force import TimeFunction
from .load import Load, PointForce


@check_arguments
def body_load(
    name: str,
    body: FlexibleBody,
    load: str,
    factor: float | Callable[[float], float] = 1.0,
    *,
    follows: bool = False,
) -> list[Load]:
    """Return a distributed load on a moving flexible body, Koppens (2.31)-(2.33).

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
        False: the load keeps its direction in space, that of the drawn configuration. True: it follows what it acts on.
        A pressure acts on the deformed area along its normal; forces per area turn with the surface, forces per volume
        with the solid, forces at nodes of beams and shells with these nodes.

    Returns
    -------
    list of Load
        The loads: one that follows or has one direction, up to six for a pressure that keeps its directions. Put them
        into ``System(forces=[...])`` with a star: ``forces=[*fb.body_load(...), other]``.

    Raises
    ------
    fem.InputError
        The body has no such load, or it can't follow: a centrifugal load, or forces on trusses, which have no rotation.

    Notes
    -----
    A load that keeps its direction is exact for the loads over the mesh: it does the work of one force at the mean
    position that it weights itself (:mod:`modal.reduction.load_frames`), geometric stiffening included.

    A load that follows is the same to first order in the deformation (:mod:`modal.reduction.load_changes`): its change
    has no potential, except for a pressure on a closed surface, and a body that it presses may flutter.

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
            f"body '{body.name}' has no load {with_match(load, loads)}; "
            f"it has {listing(loads) or 'none'}. Give loads= to modal.reduce"
        )
    parts = loads[load]
    if follows:
        change = body.turned.load_changes.get(load, "it is of an older file; reduce it again")
        if isinstance(change, str):
            raise InputError(
                f"the load {load!r} of body '{body.name}' can't follow its deformation: {change}"
            )
        largest, _ = max(parts, key=lambda part: float(np.linalg.norm(part[1])))
        return [FollowingLoad(name, body[largest], factor, load=load)]
    names = [name] if len(parts) == 1 else [f"{name} {k + 1}" for k in range(len(parts))]
    return [
        PointForce(own, body[marker], _value(force, factor))
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


@dataclass(frozen=True, eq=False)
class FollowingLoad(Load):
    """A distributed load that follows the deformation of a flexible body, made by :func:`body_load`.

    ``value`` is its factor: a number or a function of time (s). ``at`` is the mean position of its largest part, where
    pictures draw its resultant; ``load`` its name in the reduced body.
    """

    load: str = ""
    follows: bool = True

    is_moment: ClassVar = False

    @property
    def label(self) -> str:
        """Kind and name of this load, for messages."""
        return f"body load '{self.name}'"

    @property
    def kind(self) -> int:
        """Kind of the load in the compiled core."""
        return BODY_LOAD

    @property
    def input_names(self) -> tuple[str, ...]:
        """Name of the factor as the input channel of a linearised machine."""
        return (f"{self.name} factor",)

    def time_function(self, bodies: Mapping[str, Body]) -> TimeFunction | None:
        """Return the factor as a function of time, or None if it is constant."""
        return TimeFunction(self.label, 1, "") if callable(self.value) else None

    def law(self, t_end: float) -> Law | None:
        """Return the compiled factor for a run to ``t_end`` (s), or None if it is constant."""
        return scalar_law(self.value, t_end, self.label) if callable(self.value) else None

    def constant(self) -> np.ndarray:
        """Return the factor and two zeros, (3,); zeros for a function of time."""
        return np.array(
            [0.0 if callable(self.value) else number(self.value, f"{self.label}: factor"), 0.0, 0.0]
        )

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Self:
        """Return this load, which is given in the base of its body and turns with it."""
        return self

    def wrench(self, bodies: Mapping[str, Body]) -> tuple[np.ndarray, ...]:
        """Return F0 (3,), F1 (3, N), M0 (3,), M1 (3, N), f0 (N,) and f1 (N, N) of :mod:`modal.reduction.load_changes`.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of numpy.ndarray
            Force, moment about the origin of the body and generalized forces for a factor of one, in the base of the
            drawn body.
        """
        body: Any = bodies[self.at.body.name]
        change, N = body.turned.load_changes[self.load], body.n_modes
        F0, M0, M1 = np.zeros(3), np.zeros(3), np.array(change.moment)
        f0, f1 = np.zeros(N), np.array(change.modal)
        for name, force in body.turned.loads[self.load]:
            point, Phi, _ = body.marker(name)
            F0, M0 = F0 + force, M0 + np.cross(point, force)
            M1 += np.cross(Phi, force, axis=0)
            f0 += force @ Phi
            second = body.second_order(name)
            if second is not None:
                f1 += np.tensordot(force, second[:3], 1)
        return F0, np.array(change.force), M0, M1, f0, f1
