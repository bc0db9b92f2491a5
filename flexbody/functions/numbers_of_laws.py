"""A number of a function of time in a part of a run, without the jumps that are known in it."""

from __future__ import annotations

import numpy as np

from .ahead import Ahead
from .close_up import CloseUp
from .enclosing import NOWHERE, Enclosed, enclosed
from .pieces import Corner

#: Calls that enclose a jump, and one whose time is known.
CALLS_OF_JUMP, CALLS_OF_KNOWN = 60, 24
#: Two jumps are one if they are closer than this part of their time.
SAME_TIME = 1e-14
#: Fourth differences that are left where a jump was taken out: up to this part of it, and everywhere up to this part of
#: the largest one.
LEFT_OF_JUMP, LEFT_OF_ALL = 2e-3, 1e-6


class Jumps:
    """The jumps of a number that are known: ``corners`` in the order in which they were found."""

    def __init__(self) -> None:
        self.corners = list[Corner]()
        self.times = np.zeros(0)  # the first ones behind them
        self._sums, self._largest = np.zeros(1), 0.0  # of all up to each of them

    def add(self, found: Enclosed) -> None:
        """Take the jumps that were found."""
        pairs = zip(found.at[found.found].tolist(), found.size[found.found].tolist(), strict=True)
        self.corners += [Corner(t, 0, size) for t, size in pairs]
        times = np.concatenate([self.times, found.behind[found.found]])
        sizes = np.concatenate([np.diff(self._sums), found.size[found.found]])
        order = np.argsort(times, kind="stable")
        self.times, self._sums = times[order], np.concatenate([[0.0], np.cumsum(sizes[order])])
        self._largest = float(np.abs(sizes).max(initial=0.0))

    def left(self, count: int, first: float, h: float) -> np.ndarray:
        """Return what may be left of the jumps in fourth differences of samples apart by h, from ``first`` on."""
        begin, stop = np.searchsorted(self.times, [first - h, first + (count + 5) * h])
        sizes = np.abs(np.diff(self._sums[begin : stop + 1]))
        place = np.floor((self.times[begin:stop] - first) / h).astype(int)
        left = np.full(count, LEFT_OF_ALL * self._largest)
        for shift in range(-1, 5):  # (a sample may lie at the jump)
            k = place - shift
            inside = (k >= 0) & (k < count)
            np.maximum.at(left, k[inside], LEFT_OF_JUMP * sizes[inside])
        return left

    def before(self, times: np.ndarray) -> np.ndarray:
        """Return the sum of the jumps before times (n,), s."""
        return self._sums[np.searchsorted(self.times, times, side="right")]


class Number:
    """A number of a function in a part of a run, and what may still be looked for in it.

    Parameters
    ----------
    ahead : Ahead
        The function.
    part : CloseUp
        The part of the run, and samples of all numbers.
    k : int
        Which number it is.
    share : float, optional
        What may be looked for, of what is left of the function; all by default.
    jumps : Jumps, optional
        Its jumps that are known: they are taken out of the values.
    """

    def __init__(
        self, ahead: Ahead, part: CloseUp, k: int, share: float = np.inf, jumps: Jumps | None = None
    ) -> None:
        self.ahead, self.part, self.k, self.jumps = ahead, part, k, jumps or Jumps()
        self.intervals, self._end = len(part.values) - 1, ahead.left - min(share, ahead.left)

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """Return the values at times (n,), s."""
        first, last = self.part.first, self.part.last
        known = len(times) == self.intervals + 1 and times[0] == first and times[-1] == last
        values = (self.part.values if known else self.ahead.asked(times))[:, self.k]
        return values - self.jumps.before(times)

    def samples(self, intervals: int) -> np.ndarray:
        """Return values at the ends of equal intervals of its part, of which there are as many as known or more."""
        first, last = self.part.first, self.part.last
        times = np.linspace(first, last, intervals + 1)
        if self.ahead.known(first, last) is None or intervals == self.intervals:
            return self(times)
        left = self.ahead.left
        whole = self.ahead.over(first, last, intervals)
        self._end -= left - self.ahead.left  # (it is not of the share of this number)
        return np.empty(0) if whole is None else whole[:, self.k] - self.jumps.before(times)

    def differences(self, values: np.ndarray, first: float, last: float) -> np.ndarray:
        """Return the sizes of the fourth differences of samples (n,) between two times, s; 0 for what jumps leave."""
        size, h = np.abs(np.diff(values, 4)), (last - first) / (len(values) - 1)
        return np.where(size > self.jumps.left(len(size), first, h), size, 0.0)

    def affords(self, calls: int) -> bool:
        """Return whether there may be so many calls."""
        return self._end + self.ahead.cost(calls) <= self.ahead.left

    def jumps_afforded(self, known: bool = False) -> int:
        """Return how many jumps may still be enclosed, whose times may be known."""
        left = self.ahead.left + self.ahead.left_for_jumps - self._end
        return max(int(left / self.ahead.cost(CALLS_OF_KNOWN if known else CALLS_OF_JUMP)), 0)

    def affords_samples(self, intervals: int) -> bool:
        """Return whether there may be samples at so many intervals of its part, which other numbers have, too."""
        known = self.ahead.known(self.part.first, self.part.last)
        if known is None:
            return self.affords(intervals)
        return self.ahead.cost(max(intervals + 1 - len(known), 0)) <= self.ahead.left

    def may_go_on(self) -> bool:
        """Return whether anything may still be looked for."""
        return self.affords(0)

    def enclosed(self, single: np.ndarray, likely: np.ndarray = NOWHERE) -> Enclosed:
        """Return what is in intervals, and know the jumps from then on.

        ``single``: begin and end, distance of samples, first and last time of the part, s, (n, 5); ``likely``: times
        that are tried first, (k,), s.
        """
        left = self.ahead.left
        a, b, h, first, last = single.T
        found = enclosed(self, a, b, h, first, last, likely)
        order = np.argsort(np.where(found.found, found.behind, np.inf), kind="stable")
        twice = order[1:][np.diff(found.behind[order]) <= SAME_TIME * np.abs(found.behind[order[1:]])]
        found.smooth[twice] |= found.found[twice]
        found.found[twice] = False
        share = np.count_nonzero(found.found) / max(len(single), 1)
        self.ahead.count_for_jumps(share * (left - self.ahead.left))
        self.jumps.add(found)
        return found
