"""Holonomic and nonholonomic constraints that a user writes as Python functions of time and frames."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fem.common.errors import InputError

from ..core.kinds import HOLONOMIC, VELOCITY
from ..core.tape import along, gradient
from ..core.user_constraint import BIASES, CALLBACK, WIDTH, path_of, seeds_of
from ..functions.branches import Branches
from ..functions.captured_values import Captured
from ..functions.time_law import Law
from ..functions.tracing import Tape, is_pure, with_numpy
from .forces.place import side_problems
from .joints.base import Connection
from .joints.rows import UserRow
from .rigid_motion import AT_REST, Motions
from .sides import Body, FrameData, Side


class View(NamedTuple):
    """Motion of one frame as a user's constraint receives it, in inertial components.

    Attributes
    ----------
    r : numpy.ndarray
        Position, (3,), m.
    R : numpy.ndarray
        Axes of the frame as columns, (3, 3). They are the inertial axes in the drawn configuration and rotate with the
        body.
    v : numpy.ndarray or None
        Velocity, (3,), m/s; None in a holonomic constraint.
    w : numpy.ndarray or None
        Angular velocity, (3,), rad/s; None in a holonomic constraint.
    """

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray | None
    w: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Constraint(Connection):
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

    @property
    def kind(self) -> int:
        """Kind of the constraint: HOLONOMIC or VELOCITY of :mod:`flexbody.core.kinds`."""
        return HOLONOMIC if self.position is not None else VELOCITY

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

    def call(self, x: Sequence[Any]) -> list[Any]:
        """Return the values of the user's function as a list, for the inputs of :mod:`flexbody.core.user_constraint`.

        Parameters
        ----------
        x : sequence
            The inputs.

        Returns
        -------
        list
            The values of the function.
        """
        views = []
        moves = self.kind == VELOCITY
        for leg in range(len(self.sides())):
            at = 1 + WIDTH * leg
            r, R = np.array(x[at : at + 3]), np.array(x[at + 3 : at + 12]).reshape(3, 3)
            v, w = np.array(x[at + 12 : at + 15]), np.array(x[at + 15 : at + 18])
            views.append(View(r, R, v if moves else None, w if moves else None))
        out = with_numpy(self.function)(x[0], *views)
        return list(np.ravel(np.array(out, dtype=object)))

    def user_rows(self, poses: Sequence[tuple[np.ndarray, np.ndarray]], length: float) -> list[UserRow]:
        """Record the user's function in the drawn configuration and return its rows.

        Parameters
        ----------
        poses : sequence of (numpy.ndarray, numpy.ndarray)
            Axes (1, 3, 3) and positions (1, 3), m, of the frames in the drawn configuration.
        length : float
            Characteristic length of the system, m.

        Returns
        -------
        list of UserRow
            One row for each component of the function.

        Raises
        ------
        fem.InputError
            If the function fails; the user's exception is its cause.
        """
        x = np.zeros(1 + WIDTH * len(poses))
        for leg, (R, r) in enumerate(poses):
            at = 1 + WIDTH * leg
            x[at : at + 3], x[at + 3 : at + 12] = r[0], R[0].ravel()
        tape = Tape()
        try:
            results = self.call(tape.inputs(x.tolist()))
            tapes = [tape.ending(result) for result in results]
        except Exception as error:
            raise InputError(
                f"{self.label}: the function fails as drawn with {type(error).__name__}: {error}"
            ) from error
        if not results:
            raise InputError(
                f"{self.label}: the function returns nothing; it must return a number or a sequence of numbers"
            )
        return [self._row(k, arrays, x, length, tape.branched) for k, arrays in enumerate(tapes)]

    def _row(
        self, k: int, tape: tuple[np.ndarray, np.ndarray], x: np.ndarray, length: float, branched: bool
    ) -> UserRow:
        legs = len(self.sides())
        seeds, slope = np.empty((len(x), 6 * legs + 1)), np.empty(6 * legs + 1)
        seeds_of(x, self.kind == HOLONOMIC, seeds)
        value = gradient(*tape, x, seeds, slope)
        which = f"{self.label}, component {k}" if k else self.label
        sizes = np.abs(slope[:-1]).reshape(legs, 2, 3) / np.array([1.0, length])[:, None]
        if not np.isfinite([value, *slope]).all():
            raise InputError(
                f"{which}: the function or its derivative is not finite as drawn (its value is {value:g})"
            )
        moving = [leg for leg, side in enumerate(self.sides()) if side.moves]
        if not any(row[1] for row in tape[0] if row[0] == 1):
            raise InputError(f"{which}: the function does not depend on its frames")
        if self.kind == VELOCITY:
            self._check_linear(which, tape, x, slope, value)
        largest = float(sizes[moving].max())
        law = UserLaw(self, k, legs) if branched else None
        address = 0 if law is None else law.address
        return UserRow(self.kind, 1.0 / largest if largest > 1e-12 else 1.0, tape, law, address)

    def _check_linear(
        self, which: str, tape: tuple[np.ndarray, np.ndarray], x: np.ndarray, slope: np.ndarray, value: float
    ) -> None:
        """Raise InputError if the function is not linear in the velocities."""
        rng, legs = np.random.default_rng(0), len(self.sides())
        moved = x.copy()
        motion = rng.normal(size=(legs, 6))
        for leg in range(legs):
            moved[1 + WIDTH * leg + 12 : 1 + WIDTH * leg + 18] = motion[leg]
        none = np.zeros_like(x)
        for factor in (1.0, -3.0):
            moved[1:].reshape(legs, WIDTH)[:, 12:] = factor * motion
            found = along(*tape, moved, none, none)[0]
            linear = value + factor * slope[:-1] @ motion.ravel()
            if not abs(found - linear) <= 1e-9 * (
                abs(found) + np.abs(slope[:-1]) @ np.abs(motion.ravel()) + abs(value)
            ):
                raise InputError(
                    f"{which}: the function is not linear in the velocities v and w of its frames; only a linear "
                    "constraint has a reaction that does no work"
                )


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


class UserLaw(Law):
    """One component of a constraint that is called back: the record that holds is found in every evaluation."""

    def __init__(self, constraint: Constraint, k: int, legs: int) -> None:
        self.constraint, self.k, self.what = constraint, k, constraint.label
        self.fill, self.compiled = (lambda t: (0.0, 0.0, 0.0)), False  # it depends on more than the time
        self.captured = Captured()
        self.error: BaseException | None = None
        self.failed_at = 0.0
        branches = Branches(constraint.call, keeps=is_pure(constraint.function))
        n, size = 1 + WIDTH * legs, 6 * legs + 1
        end = 1 + n + BIASES * legs

        def called(t: float, out: ctypes._Pointer[ctypes.c_double]) -> None:
            buffer = np.ctypeslib.as_array(out, shape=(end + 1 + size,))
            try:
                x = buffer[1 : 1 + n].copy()
                arrays = branches.at(x)[k]
                if buffer[0] == 0.0:
                    seeds, slope = np.empty((n, size)), np.empty(size)
                    seeds_of(x, constraint.kind == HOLONOMIC, seeds)
                    buffer[end] = gradient(*arrays, x, seeds, slope)
                    buffer[end + 1 :] = slope
                else:
                    first, second = np.empty(n), np.empty(n)
                    path_of(x, buffer[1 + n : end].reshape(legs, 2, 3), first, second)
                    found = along(*arrays, x, first, second)
                    buffer[end] = found[2] if constraint.kind == HOLONOMIC else found[1]
            except BaseException as error:  # ctypes would discard an exception of a callback
                if self.error is None:
                    self.error, self.failed_at = error, t
                buffer[end:] = np.nan

        self._keep = CALLBACK(called)
        self.address = ctypes.cast(self._keep, ctypes.c_void_p).value or 0

    def complaint(self, *times: float) -> InputError | None:
        """Return an error that names the constraint if its function failed; its cause is the function's exception."""
        if self.error is None:
            return None
        error = InputError(
            f"{self.what}: the function fails at t = {self.failed_at:.6g} s with {type(self.error).__name__}: "
            f"{self.error}"
        )
        error.__cause__ = self.error
        return error
