"""One thread for dense algebra of small matrices: threads of BLAS would wait for each other longer than they work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import scipy
from threadpoolctl import ThreadpoolController

#: Numbers of unknowns below which one thread is taken. Singular values of 65 x 320 numbers take 5 ms of processor time
#: with one thread; with two they took 180 ms, and 25 times the wall time, on two cores that others use as well.
FEW = 1000


@contextmanager
def few_threads(unknowns: int) -> Iterator[None]:
    """Let BLAS and LAPACK use one thread for matrices of few unknowns; entering takes 20 us.

    The number of threads is that of the process, and is restored when the last of its threads is done.

    Parameters
    ----------
    unknowns : int
        The larger number of rows or columns.
    """
    if unknowns >= FEW:
        yield
        return
    limit = _limit()
    limit.enter()
    try:
        yield
    finally:
        limit.leave()


class _Limit:
    """The limit of the process, and how many parts of the program want it."""

    def __init__(self) -> None:
        assert scipy.linalg  # naming it loads its BLAS
        self._libraries = ThreadpoolController()  # finds them once, in some milliseconds
        self._lock = threading.Lock()
        self._wanted = 0
        self._set: Any = None

    def enter(self) -> None:
        with self._lock:
            if not self._wanted:
                self._set = self._libraries.limit(limits=1, user_api="blas")
            self._wanted += 1

    def leave(self) -> None:
        with self._lock:
            self._wanted -= 1
            if not self._wanted:
                self._set.restore_original_limits()


@cache
def _limit() -> _Limit:
    return _Limit()
