"""Compiled functions that allocate no arrays, for the innermost loops.

Numba counts the references to every array that a function touches, with locked instructions: half of the time of a
step of a small machine, and a good part of the time to compile it. A function that neither allocates arrays nor
returns them needs no counting. Called from such a function, others count nothing either.
"""

from __future__ import annotations

from collections.abc import Callable

from fem.common.jit import jit


def lean(function: Callable | None = None, **options):
    """Compile for calls from other compiled functions, without reference counts: no ``np.empty`` or ``np.zeros``."""
    return jit(function, **{"_nrt": False, "no_cpython_wrapper": True, **options})


def lean_entry(function: Callable | None = None, **options):
    """As :func:`lean`, for calls from Python as well."""
    return jit(function, **{"_nrt": False, **options})
