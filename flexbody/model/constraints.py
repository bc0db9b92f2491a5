"""Holonomic and nonholonomic constraints that a user writes as Python functions of time and frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from ..core.kinds import HOLONOMIC, VELOCITY
from ..functions.tracing import is_pure, with_numpy
from .forces.place import side_problems
from .joints.recorded_rows import Components, Poses, Recorded, View
from .rigid_motion import AT_REST, Motions
from .sides import Body, FrameData, Side


@dataclass(frozen=True, eq=False)
class Constraint(Recorded):
    """A constraint between any frames that is given as a Python function, which must be zero.

    Give exactly one of ``position`` and ``velocity``.

    Parameters
    ----------
    name : str
        Name of the constraint, unique in the system.
    at : sequence of RigidBody, BodyFrame or GROUND
        Named frames ``body["name"]``, rigid bodies (frame at the centre of mass), or GROUND (frame at the origin).
    position : callable, optional
        Holonomic constraint ``position(t, a, b, ...) = 0``, with the time t (s) and one :class:`View` for each frame:
        ``a.r`` (3,), ``a.R`` (3, 3).
    velocity : callable, optional
        Nonholonomic constraint ``velocity(t, a, b, ...) = 0``. It must be linear in the velocities ``a.v`` and ``a.w``.
        It does not constrain positions.

    Notes
    -----
    The function returns one number or a sequence of numbers. Write it with arithmetic and NumPy functions. It is
    recorded once and differentiated exactly in compiled code. A function that compares values (``if``, ``np.maximum``)
    is recorded once for each way through its comparisons; to find which of them holds is slower than compiled code by a
    factor of about ten. A function that also reads lists, arrays or objects, which may change, is called back in every
    evaluation, which is slower by a factor of a hundred or more.

    The reaction is the load on the last frame; ``result.reaction(constraint, body=...)`` gives the load on the others.

    Examples
    --------
    >>> import flexbody as fb
    >>> blade = fb.RigidBody("blade", mass=2.0, inertia=(0.01, 0.02, 0.02))
    >>> skate = fb.Constraint("edge", [blade], velocity=lambda t, a: a.R[:, 1] @ a.v)
    """

    name: str
    at: Sequence[Side] | Side
    _: KW_ONLY
    position: Callable[..., Any] | None = None
    velocity: Callable[..., Any] | None = None

    def sides(self) -> tuple[Side, ...]:
        """Return the frames as a tuple."""
        return tuple(self.at) if isinstance(self.at, tuple | list) else (self.at,)  # type: ignore[return-value]

    @property
    def given(self) -> str:
        """Name of the parameter that gives the function: "position" or "velocity"."""
        return next((name for name in ("position", "velocity") if getattr(self, name) is not None), "")

    @property
    def function(self) -> Callable[..., Any]:
        """The function that must be zero."""
        found = self.position if self.position is not None else self.velocity
        assert found is not None
        return found

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the data of the frames, each on the body of that name in ``bodies``."""
        return tuple(side.frame(bodies) for side in self.sides())

    def problems(self) -> list[str]:
        """Return the problems of this constraint as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        given = [name for name in ("position", "velocity") if getattr(self, name) is not None]
        if len(given) != 1:
            return [
                f"{self.label} has {' and '.join(given) or 'no function'}; give either position= or velocity="
            ]
        if not callable(getattr(self, given[0])):
            return [
                f"{self.label}: {given[0]} is {getattr(self, given[0])!r}; give a function of (t, a, b, ...)"
            ]
        found = [problem for side in self.sides() for problem in side_problems(side, None, self.label)]
        if not found and not any(side.moves for side in self.sides()):
            return [f"{self.label} has no frame on a body; give at=[body, body['name'], ...]"]
        return found

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Constraint:
        """Return this constraint on bodies that are drawn elsewhere; its function sees the axes as before."""
        R = [motions.get(side.body.name, AT_REST).R for side in self.sides()]
        position, velocity = (f and _seeing_axes(f, R) for f in (self.position, self.velocity))
        return replace(self, position=position, velocity=velocity)

    def kinds(self, n: int) -> list[int]:
        """Return the kind of each of n components: all are holonomic, or all hold velocities."""
        return [HOLONOMIC if self.position is not None else VELOCITY] * n

    def components(self, poses: Poses) -> Components:
        """Return the user's function with its values as a list."""
        function, holonomic = with_numpy(self.function), self.position is not None

        def values(t: Any, views: Sequence[View]) -> list[Any]:
            given = [view._replace(v=None, w=None) for view in views] if holonomic else views
            return list(np.ravel(np.array(function(t, *given), dtype=object)))

        return values

    @property
    def is_fixed(self) -> bool:
        """Whether the function reads nothing that can change."""
        return is_pure(self.function)


def _seeing_axes(function: Callable[..., Any], R: Sequence[np.ndarray]) -> Callable[..., Any]:
    """Return a user's function whose views have the axes turned by ``R`` before the motion of their bodies."""
    if all(np.array_equal(one, np.eye(3)) for one in R):
        return function
    recorded = with_numpy(function)
    turns = tuple(tuple(map(tuple, one.tolist())) for one in R)  # numbers that can't change

    def constraint(t: Any, *views: View) -> Any:
        return recorded(
            t, *(view._replace(R=view.R @ np.array(one)) for view, one in zip(views, turns, strict=True))
        )

    return constraint
