"""A function of time as compiled code calls it.

A law is a pair: the address of ``void law(double t, const void *context, double out[3])`` and the address of its
context. An exception or a value that is not finite gives NaN, which stops the run; :meth:`Law.complaint` then returns
the error. :mod:`flexbody.functions.function_pointers` makes laws of users' functions.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from fem.common.errors import InputError

from ..core.time_laws import CalledBack, LawWithCorners, law_address, samples
from .ahead import Ahead
from .captured_values import Captured
from .pieces import AT_CORNER, NO_CORNERS, Corner, beside_corners, times_of

Fill = Callable[[float], tuple[float, float, float]]
Seek = Callable[[Ahead, float, float], tuple[Corner, ...]]

#: Names of the three numbers of a law in messages: for a drive, a load and a scalar.
DRIVE_PARTS, LOAD_PARTS, SCALAR_PARTS = ("value", "rate", "acceleration"), ("", "", ""), ("",)


#: Steps that differences at a time reach to both sides, and times at which a value is looked for that is not finite.
DIFFERENCES_REACH, DIFFERENCES_TRIED = 4, 33
#: Part of a time in which corners were looked for that is looked at again with the time behind it.
LAPPED_PART = 0.01

#: Addresses for a drive, load or force without a law.
NO_LAW = (0, 0)

#: Types of functions that are called back: at one time, and at six times for derivatives.
_AT_A_TIME, _AROUND_IT = (ctypes.CFUNCTYPE(None, *(n * [ctypes.c_double])) for n in (1, 6))


class CallBack(NamedTuple):
    """How a function is called back: ``write(numbers, t, *times)``, see :class:`flexbody.core.time_laws.CalledBack`.

    Parameters
    ----------
    write : callable
        Function that writes the numbers. Its times are not beyond ``t_end``, but may be below 0.
    t_end : float
        End of the run, s.
    derivatives : int, optional
        Number of derivatives by differences. If it is not zero, there are five more times, which are not below 0.
    corners : numpy.ndarray, optional
        Times of the function's corners, (n,), s: no differences are taken over them.
    steps : numpy.ndarray, optional
        Distance of the times for differences before the first corner, behind it, ..., (n + 1,), s.
    """

    write: Callable[..., None]
    t_end: float
    derivatives: int = 0
    corners: np.ndarray = NO_CORNERS
    steps: np.ndarray = NO_CORNERS


class Law:
    """A function of time behind an address. Keep the object as long as the address is in use.

    Parameters
    ----------
    fill : callable
        Python function ``fill(t) -> (a, b, c)``.
    what : str
        Name of the law in messages.
    pair : tuple of int, optional
        Addresses of the compiled function and of its context. None means that the function is called back.
    kept : object, optional
        Object that keeps the addresses valid.
    parts : tuple of str, optional
        Names of its numbers.
    back : CallBack, optional
        How the function is called back; by default through ``fill``.
    recorded : sequence of callable, optional
        The user's functions if they were recorded and are not called any more.
    corners : sequence of Corner, optional
        Times at which its derivatives jump; the law is then called beside them.
    seek : callable, optional
        Function of ``ahead`` and two times (s) that returns the corners of a drive between them.
    jumps : bool, optional
        Whether it is a load, whose jumps and corners a run looks for.
    longer : callable, optional
        Function of a later end of the run (s) that makes the law anew, of a drive: its differences know the corners.
    t_end : float, optional
        The time up to which its corners are known, s.
    begin : float, optional
        The time before which it has the value there, s: it jumps as it begins.
    ahead : Ahead, optional
        How its values are asked for before a run; by default they are computed by the law itself.
    user_functions : sequence of callable, optional
        The functions behind it.
    """

    #: Addresses of the compiled function and of its context; a subclass that depends on more than the time has none.
    pair: tuple[int, int] = NO_LAW
    #: Names of its numbers.
    parts: tuple[str, ...] = LOAD_PARTS
    #: Times at which its derivatives jump.
    corners: tuple[Corner, ...] = ()
    #: Range of its values, summed over its numbers, in the run for which pulses were looked for last.
    reach: float = 0.0
    #: Finds corners, of a drive.
    _seek: Seek | None = None
    #: Whether it is a load whose jumps are looked for.
    _jumps = False

    def __init__(
        self,
        fill: Fill,
        what: str,
        pair: tuple[int, int] | None = None,
        kept: Any = None,
        parts: tuple[str, ...] = LOAD_PARTS,
        back: CallBack | None = None,
        recorded: Sequence[Callable] = (),
        corners: Sequence[Corner] = (),
        seek: Seek | None = None,
        jumps: bool = False,
        longer: Callable[[float], Law] | None = None,
        t_end: float = 0.0,
        begin: float = 0.0,
        ahead: Ahead | None = None,
        user_functions: Sequence[Callable | None] = (),
    ):
        self._reach = DIFFERENCES_REACH * float(back.steps.max()) if back and back.derivatives else 0.0
        self.error: BaseException | None = None  # exception of the function in a callback
        self.failed_at = 0.0
        self._owner = self  # which law is told of it
        self.told = False  # whether a user was told that its rate jumps
        self.fill, self.what, self.parts = fill, what, parts
        self.compiled, self.captured = pair is not None, Captured(*recorded)
        if pair is not None:
            self._keep, self.pair = kept, pair
        else:
            self._keep, self.pair = self._called_back(back or CallBack(self._write, math.inf))
        self._seek, self._plain, self._fill_plain, self._longer = seek, self.pair, fill, longer
        self._jumps = jumps
        self.user_functions = tuple(user_functions)
        self.ahead = ahead or Ahead(self.sampled, what, functions=user_functions)
        self._looked_at = 0.0, t_end
        if corners or seek or jumps:
            law, context = self.pair
            self._corners = LawWithCorners(law=law, context=context, corners=NO_CORNERS, begin=begin)
            self.pair = law_address("law_with_corners"), self._corners.address
            self._take(corners)

    def _take(self, corners: Sequence[Corner]) -> None:
        """Call the law beside these corners from now on."""
        self.corners, times, plain = tuple(corners), times_of(corners), self._fill_plain
        self._corners.take(self._corners.replaced(corners=times))
        begin = self._corners.begin

        def fill(t: float) -> tuple[float, float, float]:
            return plain(t if t < 0.0 else max(beside_corners(times, t), begin))

        self.fill = fill if corners or begin > 0.0 else plain

    def sampled(self, times: np.ndarray) -> np.ndarray:
        """Return its numbers at times (n,), s, before a run: (n, 3), NaN where its function fails.

        The run calls the function at its own times, and tells what fails there.
        """
        known, self.error = self.error, None
        values, error = samples(self._plain, times), self.error
        self.error = known
        if error is not None and not isinstance(error, Exception):
            raise error  # an interrupt
        return values

    @property
    def seeks(self) -> bool:
        """Whether corners are looked for."""
        return self._jumps or self._seek is not None

    def look_for_corners(self, first: float, last: float, of_load: Seek) -> None:
        """Look for corners between two times (s), where that was not done before; ``of_load`` finds those of a load."""
        if (seek := of_load if self._jumps else self._seek) is None:
            return
        begin, end = self._looked_at
        if begin <= first and last <= end:
            return
        known, since = tuple[Corner, ...](), max(first - LAPPED_PART * (last - first), 0.0)
        if begin <= first < end or self._longer is not None:
            known, first, since = self.corners, begin, max(begin, end - LAPPED_PART * (end - begin))
        found = seek(self.ahead, since, last)
        self._looked_at = first, last
        new = [one for one in found if not known or one.t > known[-1].t * (1 + AT_CORNER)]
        if self._longer is None:
            self._take([*known, *new])
        elif new:
            self._become(self._longer(last))

    def share(self, other: Law) -> None:
        """Take what was found in a law of the same functions, if more is known there."""
        same = [one is two for one, two in zip_longest(self.user_functions, other.user_functions)]
        if not same or not all(same) or not other._looked_at[1] > self._looked_at[1]:
            return
        self.ahead = other.ahead
        if self._jumps and other._jumps:
            self._looked_at = other._looked_at
            self._take(other.corners)

    def _become(self, other: Law) -> None:
        """Call another law of the same function from now on, at the same address."""
        self._keep, self._reach, other._owner = (self._keep, other), other._reach, self
        self.fill = self._fill_plain = other.fill
        self.corners, self._plain = other.corners, other._plain
        self._corners.take(
            self._corners.replaced(law=other.pair[0], context=other.pair[1], corners=NO_CORNERS)
        )

    def _called_back(self, back: CallBack) -> tuple[Any, tuple[int, int]]:
        """Return the pair of addresses of a function that is called back, after an object that keeps it valid."""
        write = back.write
        numbers = (ctypes.c_double * (8 - back.derivatives if back.derivatives else 3))()

        def called(*times: float) -> None:
            try:
                write(numbers, *times)
            except BaseException as error:
                self._owner._fails(error, times[0], numbers)

        pointer = (_AROUND_IT if back.derivatives else _AT_A_TIME)(called)
        context = CalledBack(
            function=ctypes.cast(pointer, ctypes.c_void_p).value or 0,
            numbers=ctypes.addressof(numbers),
            t_end=back.t_end,
            derivatives=back.derivatives,
            corners=back.corners,
            steps=back.steps,
        )
        return (pointer, numbers, context), (law_address("call_back"), context.address)

    def _write(self, numbers: ctypes.Array, t: float) -> None:
        numbers[:] = list(self.fill(t))

    def _fails(self, error: BaseException, t: float, numbers) -> None:
        """Store the exception of a function, which a callback from compiled code would discard."""
        if self.error is None:
            self.error, self.failed_at = error, t
        numbers[:] = [math.nan] * len(numbers)

    def __call__(self, t: float) -> tuple[float, float, float]:
        """Return the numbers of the law at time ``t``, computed in Python."""
        return self.fill(t)

    def complaint(self, *times: float) -> InputError | None:
        """Return an error that names this law if it fails or is not finite at one of these times, otherwise None.

        An exception of an earlier callback has priority; it is the cause of the returned error.
        """
        if self.error is not None:
            return self._failed(self.error, self.failed_at)
        for t in times:
            try:
                with np.errstate(all="ignore"):
                    values = self.fill(t)
            except Exception as error:
                return self._failed(error, t)
            if not np.isfinite(values).all():
                return not_finite(self.fill, self.what, self.parts, t, self._reach)
        return None

    def _failed(self, cause: BaseException, t: float) -> InputError:
        error = InputError(f"{self.what}: the function fails at t = {t:.6g} s with {error_text(cause)}")
        error.__cause__ = cause
        return error


def not_finite(fill: Fill, what: str, parts: tuple[str, ...], t: float, reach: float) -> InputError:
    """Return an error for a law that is not finite at ``t``, s.

    Its derivatives by differences may fail at ``t`` where its value fails only within ``reach``, s: this time is named.
    """
    with np.errstate(all="ignore"):
        for other in (t, *np.linspace(t - reach, t + reach, DIFFERENCES_TRIED)):
            if other >= 0.0 and not math.isfinite(fill(other)[0]):
                return InputError(
                    f"{what}: the function gives {value_texts(fill(other), parts)} at t = {other:.6g} s"
                )
        return InputError(f"{what}: the function gives {value_texts(fill(t), parts)} at t = {t:.6g} s")


def error_text(error: BaseException) -> str:
    """Return an exception with its kind, for messages."""
    return f"{type(error).__name__}: {error}"


def value_texts(values, parts: tuple[str, ...]) -> str:
    """Return the numbers of a law with their names, for messages."""
    return ", ".join(f"{name} {value:g}".strip() for name, value in zip(parts, values, strict=False))
