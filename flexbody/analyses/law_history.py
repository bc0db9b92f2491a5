"""States of force laws (currents, pressures, creep) along a known motion, ``z' = f(t, x, x', z)``.

The integrator is Radau IIA of order 5 with error control (E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, IV.8), as implemented in SciPy. It damps stiff states.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from fem.common.errors import ConvergenceError, listing

from ..compile.force_elements import element_complaint
from ..compile.plan import Plan
from ..core.force_elements import evaluate_laws
from ..core.kinds import GIVEN
from ..core.structures import Work
from .deformations import Deformations
from .law_errors import raise_law_errors

#: Error of deformations between outputs, relative to the tolerance of the states.
DEFORMATION_TOLERANCE = 0.03
#: The tolerance of a state refers to at least this fraction of its largest value so far.
SMALLEST_STATE = 1e-3
#: Shortest useful step, relative to the time between outputs.
SHORTEST_STEP = 1e-12
#: Steps of differences, relative to a state.
DIFFERENCE_STEP = 1e-6


class LawHistory:
    """The states of all force laws of a machine along its motion.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Its work arrays.
    move_to : callable
        Function that sets frames and their velocities in ``W`` to those at a time (s).
    rtol : float
        Error of each state per step, relative to its value or to a thousandth of its largest value so far.
    yielding : callable, optional
        Function ``(t, forces (n,))`` that returns the additional deformations and rates (2, n) by which the ends of
        the elements with states yield.
    """

    def __init__(
        self,
        plan: Plan,
        W: Work,
        move_to: Callable[[float], None],
        rtol: float,
        yielding: Callable[[float, np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.plan, self.W, self._move_to, self.rtol, self._yielding = plan, W, move_to, rtol, yielding
        self._own = plan.elements.with_states
        self.found = np.zeros((0, 0))
        self._parts = list[Any]()  # polynomials of the steps

    def along(self, times: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the states (nt, nz) at ``times`` (nt,), s, from the states ``start`` (nz,) at the first time.

        Raises
        ------
        fem.InputError
            A law fails.
        fem.ConvergenceError
            No step is short enough; :attr:`found` holds the states up to there.
        """
        self.found = out = np.tile(start, (len(times), 1))
        self._parts = []
        if not start.size or len(times) < 2:
            return out
        self.W.law_mode = GIVEN
        self.interval = float(times[1] - times[0])
        self._motion = Deformations(times, self._deformations, DEFORMATION_TOLERANCE * self.rtol)
        first = wanted = 1e-3 * self.interval
        # a state at zero whose rate is zero too shows its size when the motion has begun
        rates = [np.abs(self._rates(times[0] + later, start)) for later in (0.0, first)]
        self.top = np.maximum(np.abs(start), first * np.maximum(*rates))
        method: Any = scipy.integrate.Radau(
            self._rates, times[0], start.copy(), times[-1], rtol=self.rtol, atol=self._allowed(),
            jac=self._slopes, first_step=first,
        )  # fmt: skip
        for k, t in enumerate(times[1:], 1):
            method.t_bound, method.status = t, "running"
            while t - method.t > SHORTEST_STEP * self.interval:
                method.atol, wanted = self._allowed(), method.h_abs
                with np.errstate(over="ignore", invalid="ignore"):
                    method.step()
                if method.status == "failed" or method.h_abs < SHORTEST_STEP * self.interval:
                    self.found = out[:k]
                    self._fail(method.t)
                self.top = np.maximum(self.top, np.abs(method.y))
                self._parts.append(method.dense_output())
            method.h_abs = max(method.h_abs, wanted)  # the last step was shortened to end at t
            out[k] = method.y
        raise_law_errors(self.plan)
        return out

    def at(self, t: float) -> np.ndarray:
        """Return the states (nz,) at a time (s) up to the end of :meth:`along`."""
        if not self._parts:
            return self.found[0]
        k = bisect_left(self._parts, t, key=lambda part: part.t)
        return self._parts[min(k, len(self._parts) - 1)](t)

    def _allowed(self) -> np.ndarray:
        return SMALLEST_STATE * self.rtol * self.top + 1e-300

    def _deformations(self, t: float) -> np.ndarray:
        """Return the deformations and rates of elements with states (2, n) of the motion itself."""
        self._move_to(t)
        return np.array([self.W.deformation[self._own], self.W.deformation_rate[self._own]])

    def _rates(self, t: float, z: np.ndarray) -> np.ndarray:
        """Return dz/dt, (nz,)."""
        W, own = self.W, self._own
        W.deformation[own], W.deformation_rate[own] = self._motion.at(t)
        W.law_state[:] = z
        if self._yielding is not None:
            evaluate_laws(self.plan.layout, self.W, t)
            stretch, rate = self._yielding(t, W.element_force[own])
            W.deformation[own] += stretch
            W.deformation_rate[own] += rate
        evaluate_laws(self.plan.layout, self.W, t)
        return self.W.law_rate.copy()

    def _slopes(self, t: float, z: np.ndarray) -> np.ndarray:
        """Return the derivative of the rates by the states, (nz, nz), by differences; elements do not interact."""
        out, rates = np.zeros((z.size, z.size)), np.abs(self._rates(t, z))
        step = DIFFERENCE_STEP * np.maximum(np.abs(z), self.top)
        step[step == 0] = DIFFERENCE_STEP * np.where(
            rates[step == 0] > 0, rates[step == 0] * self.interval, 1.0
        )
        for i, h in enumerate(step):
            moved = np.array([z, z])
            moved[:, i] += h, -h
            more, less = (self._rates(t, x) for x in moved)
            out[:, i] = (more - less) / (moved[0, i] - moved[1, i])
        return np.where(np.isfinite(out), out, 0.0)

    def _fail(self, t: float) -> None:
        raise_law_errors(self.plan)
        found = element_complaint(self.plan, self.W, 0.0)
        if found is not None:
            raise found
        names = [
            element.label
            for element, law in zip(self.plan.elements.elements, self.plan.elements.laws, strict=True)
            if law.n_states
        ]
        raise ConvergenceError(
            f"the states of {listing(names)} can't be followed beyond t = {t:.6g} s: no step is short enough. Do they "
            "grow without bounds?"
        )
