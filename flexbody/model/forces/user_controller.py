"""Addresses of users' controllers that act continuously: Python functions, recorded or called back."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from fem.common.errors import InputError

from ...functions.ahead import Ahead
from ...functions.captured_values import Captured
from ...functions.copies import copied
from ...functions.tracing import Tape, is_pure, with_numpy
from .control_laws import UserControl
from .user_function import (
    BesideJumps,
    Found,
    Sizes,
    called_back_law,
    law_over_time,
    law_values,
    recorded_law,
)


class UserControlPointer(BesideJumps):
    """The address of a user's continuous controller.

    The last exception of its function is stored in ``error`` if it is an interrupt, otherwise in ``failed``.

    Parameters
    ----------
    law : UserControl
        The law.
    targets : list of float
        The targets of what is measured, (n,).
    n_outputs : int
        Number of outputs.
    what : str
        Name of the controller in messages.
    """

    slope = 0

    def __init__(self, law: UserControl, targets: list[float], n_outputs: int, what: str) -> None:
        self.law, self.what = law, what
        self.sizes = Sizes(len(targets), False, n_outputs, law.start(False).size)
        self.error: BaseException | None = None
        self.failed: InputError | None = None
        self._e = np.array(targets, dtype=float)
        found = self._recorded()
        self.compiled = found is not None
        self.captured = Captured(*((law.function,) if self.compiled else ()))
        self._found = found or self._called_back()
        self._call_beside_jumps(self._found)

    @cached_property
    def ahead(self) -> Ahead:  # type: ignore[override]
        """What the law gives over time for the targets, (n, m + k); found by a copy of a function that keeps a state.

        What fails here, for errors that the run may never have, fails in the run if at all.
        """
        other = self
        if not self.compiled:
            other = copy.copy(self)
            other.law = replace(self.law, function=copied(self.law.function))
            other._found = other._called_back()
        given = other._found, self.sizes, self._e, self.law.start(False)
        functions = (self.law.function,)
        return Ahead(lambda times: law_over_time(*given, times), self.what, "its arguments", functions)

    def values(self, t: float, e: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return outputs (m,) and rates of states (k,), computed in Python.

        Raises
        ------
        fem.InputError
            If the function fails, or returns other than m and k finite numbers.
        """
        where = f"{self.what} at t = {t:.6g} s"
        try:
            update = self.law.update(t, 0.0, False, e, x)
        except Exception as error:
            raise InputError(f"{where}: its law fails with {type(error).__name__}: {error}") from error
        m = self.sizes.outputs
        if update.outputs.shape != (m,) or not np.isfinite(update.outputs).all():
            raise InputError(
                f"{where}: its law must return {m} finite numbers; it returns {update.outputs.tolist()} for the errors "
                f"{e.tolist()}"
            )
        if not np.isfinite(update.states).all():
            raise InputError(f"{where}: the rates of its states are {update.states.tolist()}")
        return np.concatenate([update.outputs, update.states])

    def complaint(self, *times: float) -> None:
        """Return None: this law depends on more than the time."""

    def _called_back(self) -> Found:
        """Return the law of the core that calls the function back."""
        n, _, m, k = self.sizes

        def call(t: float, given: np.ndarray) -> list[float]:
            try:
                if np.isfinite(given).all():  # a motion that is not finite is not the cause of what fails
                    return [*map(float, self.values(t, given[:n].copy(), given[n:].copy()))]
            except InputError as error:
                self.failed = error
            except BaseException as error:
                self.error = error
            return [math.nan] * (m + k)

        return called_back_law(call, self.sizes)

    def _recorded(self) -> Found | None:
        """Return the law as recorded operations, or None if it can't be recorded.

        The inputs are numbered t, u, errors, their rates (which a user's function does not get), states.
        """
        if not is_pure(self.law.function):
            return None
        n, _, m, k = self.sizes
        tape = Tape()
        inputs = tape.inputs([0.0, 0.0, *self._e, *np.zeros(n), *self.law.start(False)])
        errors, states = (np.array(part, dtype=object) for part in (inputs[2 : 2 + n], inputs[2 + 2 * n :]))
        try:
            function = with_numpy(self.law.function)
            outputs, rates = function(inputs[0], errors, states) if k else (function(inputs[0], errors), ())
            results = [*np.ravel(np.array(outputs, dtype=object)), *np.ravel(np.array(rates, dtype=object))]
            ends = [tape.number(value).index for value in (*results, 0.0, 0.0, 0.0)]
        except Exception:  # a user's function may raise anything when it is called with recording objects
            return None
        if tape.branched or len(ends) != m + k + 3:
            return None
        found = recorded_law(tape, self.sizes, ends)
        return found if self._agrees(found) else None

    def _agrees(self, found: Found) -> bool:
        """Return whether the recorded law gives the same values as the Python function at a few points."""
        start, rng, compared = self.law.start(False), np.random.default_rng(0), False
        for share in (0.0, 1e-9, 1e-6, 1e-3, 1.0):
            e, x = (values + share * rng.normal(size=values.size) for values in (self._e, start))
            try:
                with np.errstate(all="ignore"):
                    expected = self.values(share, e, x)
            except InputError:  # outside the range of the function, which the run may never reach
                continue
            values = law_values(found, self.sizes, share, e, np.zeros(e.size), x)[: expected.size]
            if not np.allclose(values, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max()):
                return False
            compared = True
        return compared
