"""Rows of functions of time and frames: they are recorded once, and differentiated exactly in compiled code."""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fem.common.errors import InputError, called

from ...core.kinds import HOLONOMIC, VELOCITY
from ...core.tape import along, gradient
from ...core.user_constraint import BIASES, CALLBACK, WIDTH, path_of, seeds_of
from ...functions.branches import Branches
from ...functions.captured_values import Captured
from ...functions.time_law import Law
from ...functions.tracing import Tape
from ..sides import Body
from .base import Connection
from .rows import UserRow
from .slip_laws import SlipLaw


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


#: Axes (1, 3, 3) and positions (1, 3), m, of frames as drawn; a function of time and views.
Poses = Sequence[tuple[np.ndarray, np.ndarray]]
Components = Callable[[Any, Sequence[View]], list[Any]]
Call = Callable[[Sequence[Any]], list[Any]]


class Recorded(Connection):
    """A constraint between any frames that is a Python function of time and views; base class."""

    @abstractmethod
    def kinds(self, n: int) -> Sequence[int]:
        """Return the kinds of the n components.

        Parameters
        ----------
        n : int
            Number of components.

        Returns
        -------
        sequence of int
            HOLONOMIC or VELOCITY of :mod:`flexbody.core.kinds`.
        """

    @abstractmethod
    def components(self, poses: Poses) -> Components:
        """Return the function of time and views whose components must be zero.

        Parameters
        ----------
        poses : sequence of (numpy.ndarray, numpy.ndarray)
            Axes (1, 3, 3) and positions (1, 3), m, of the frames in the drawn configuration.

        Returns
        -------
        callable
            Function of the time (s) and a sequence with one :class:`View` for each frame.
        """

    @property
    def is_fixed(self) -> bool:
        """Whether the function reads nothing that can change."""
        return True

    def user_rows(self, poses: Poses, length: float) -> list[UserRow]:
        """Record the function in the drawn configuration and return its rows.

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
        x = inputs_at(poses)
        tape, components = Tape(), self.components(poses)

        def call(x: Sequence[Any]) -> list[Any]:
            return components(x[0], views_of(x))

        try:
            results = call(tape.inputs(x.tolist()))
            tapes = [tape.ending(result) for result in results]
        except Exception as error:
            raise InputError(
                f"{self.label}: the function fails as drawn with {type(error).__name__}: {error}"
            ) from error
        if not results:
            raise InputError(
                f"{self.label}: the function returns nothing; it must return a number or a sequence of numbers"
            )
        kinds = self.kinds(len(tapes))
        back = call if tape.branched else None
        return [self._row(k, kinds[k], arrays, x, length, back) for k, arrays in enumerate(tapes)]

    def _row(
        self,
        k: int,
        kind: int,
        tape: tuple[np.ndarray, np.ndarray],
        x: np.ndarray,
        length: float,
        call: Call | None,
    ) -> UserRow:
        legs = len(self.sides())
        seeds, slope = np.empty((len(x), 6 * legs + 1)), np.empty(6 * legs + 1)
        seeds_of(x, kind == HOLONOMIC, seeds)
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
        if kind == VELOCITY:
            self._check_linear(which, tape, x, slope, value)
        largest = float(sizes[moving].max())
        law = UserLaw(self, call, k, kind, legs) if call is not None else None
        address = 0 if law is None else law.address
        return UserRow(kind, 1.0 / largest if largest > 1e-12 else 1.0, tape, law, address)

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


class Slipping(Recorded):
    """A contact of two surfaces that roll on each other; base class.

    Without a law of slip they roll without it.
    """

    slip: SlipLaw | None

    @abstractmethod
    def slip_rates(self, poses: Poses) -> Components:
        """Return slip along and across the direction of rolling, spin and speed of rolling as a function.

        Parameters
        ----------
        poses : sequence of (numpy.ndarray, numpy.ndarray)
            Axes (1, 3, 3) and positions (1, 3), m, of both frames in the drawn configuration.

        Returns
        -------
        callable
            Function of time and views.
        """

    @abstractmethod
    def pressing_sign(self, bodies: Mapping[str, Body]) -> float:
        """Return the sign of the multiplier of the contact's first row where the surfaces press on each other.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        float
            1 or -1.
        """

    def slip_problems(self) -> list[str]:
        """Return the problems of the law of slip as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if self.slip is None:
            return []
        if not isinstance(self.slip, SlipLaw):
            return [
                f"{self.label}: slip is {called(self.slip)}; give fb.Coulomb(mu=...), fb.Creep(...), or leave it out"
            ]
        return self.slip.problems(self.label)


def inputs_at(poses: Poses) -> np.ndarray:
    """Return the inputs of :mod:`flexbody.core.user_constraint` at rest in the drawn configuration."""
    x = np.zeros(1 + WIDTH * len(poses))
    for leg, (R, r) in enumerate(poses):
        at = 1 + WIDTH * leg
        x[at : at + 3], x[at + 3 : at + 12] = r[0], R[0].ravel()
    return x


def recorded(components: Components, poses: Poses) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the recorded operations of components that compare nothing, see :meth:`Recorded.components`."""
    tape = Tape()
    x = tape.inputs(inputs_at(poses).tolist())
    return [tape.ending(result) for result in components(x[0], views_of(x))]


def views_of(x: Sequence[Any]) -> list[View]:
    """Return the views of all frames in the inputs of :mod:`flexbody.core.user_constraint`."""
    starts = range(1, len(x), WIDTH)
    parts = [
        [np.array(x[at + a : at + b]) for a, b in ((0, 3), (3, 12), (12, 15), (15, 18))] for at in starts
    ]
    return [View(r, R.reshape(3, 3), v, w) for r, R, v, w in parts]


class UserLaw(Law):
    """One component of a constraint that is called back: the record that holds is found in every evaluation."""

    def __init__(self, constraint: Recorded, call: Call, k: int, kind: int, legs: int) -> None:
        self.constraint, self.k, self.what = constraint, k, constraint.label
        self.fill, self.compiled = (lambda t: (0.0, 0.0, 0.0)), False  # it depends on more than the time
        self.captured = Captured()
        self.error: BaseException | None = None
        self.failed_at = 0.0
        branches = Branches(call, keeps=constraint.is_fixed)
        n, size = 1 + WIDTH * legs, 6 * legs + 1
        end = 1 + n + BIASES * legs

        def called(t: float, out: ctypes._Pointer[ctypes.c_double]) -> None:
            buffer = np.ctypeslib.as_array(out, shape=(end + 1 + size,))
            try:
                x = buffer[1 : 1 + n].copy()
                arrays = branches.at(x)[k]
                if buffer[0] == 0.0:
                    seeds, slope = np.empty((n, size)), np.empty(size)
                    seeds_of(x, kind == HOLONOMIC, seeds)
                    buffer[end] = gradient(*arrays, x, seeds, slope)
                    buffer[end + 1 :] = slope
                else:
                    first, second = np.empty(n), np.empty(n)
                    path_of(x, buffer[1 + n : end].reshape(legs, 2, 3), first, second)
                    found = along(*arrays, x, first, second)
                    buffer[end] = found[2] if kind == HOLONOMIC else found[1]
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
