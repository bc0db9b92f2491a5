"""What a user's law costs each time that the compiled core asks for it, beyond the user's function itself.

    python tests/benchmarks/law_cost.py

Laws whose functions can't be recorded (they compare) are called back; a call may cost ``BOUND`` more than the function
does when Python calls it, for drives than the six calls that its derivatives by differences take. Beside them laws that
are recorded, and a C function by its address. Microseconds of processor time, the least of several repetitions.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fem.common.compiled import function  # noqa: E402
from flexbody.core.time_laws import samples  # noqa: E402
from flexbody.functions.function_pointers import drive_law, load_law, scalar_law  # noqa: E402
from flexbody.model.forces.user_law import UserLaw  # noqa: E402

CALLS, REPETITIONS, BOUND = 100_000, 7, 1.2
TABLE = {"gain": 0.3}

repeat_force_law = function("flexbody_repeat_force_law", "int", "int", "real", *("input",) * 4, "reals")


def scalar(t):
    return TABLE["gain"] if t > 0.1 else 0.0


def load(t):
    return (TABLE["gain"] if t > 0.1 else 0.0, 0.0, t)


def force(t, x, rate):
    return -3.0 * x if t > 0.1 else 0.0


def state_force(t, x, rate, z):
    return z[0] if t > 0.1 else 0.0


def state_rates(t, x, rate, z):
    return (x - z[0], rate - z[1])


def least(call: Callable[[], None]) -> float:
    """Return the processor time (s) of a call, the least of several."""
    found = []
    for _ in range(REPETITIONS):
        start = time.thread_time()
        call()
        found.append(time.thread_time() - start)
    return min(found)


def own(function: Callable, *arguments) -> float:
    """Return what a function takes when Python calls it, in microseconds."""

    def loop():
        for _ in range(CALLS):
            function(*arguments)

    def nothing():
        for _ in range(CALLS):
            pass

    return (least(loop) - least(nothing)) / CALLS * 1e6


def of_time(law) -> float:
    """Return what a call of a law of time takes, in microseconds."""
    return least(lambda: samples(law.pair, np.full(CALLS, 0.3))) / CALLS * 1e6


def of_force(law: UserLaw) -> tuple[float, bool]:
    """Return what a call of a force element's law takes, in microseconds, and whether it is recorded."""
    pointer = law.pointer(1.0, 0.1, "law")
    z, x, rate = law.start_states(), np.array([0.1]), np.array([0.2])
    p, out = np.array(pointer.numbers), np.empty(4 + len(z))
    seconds = least(lambda: repeat_force_law(pointer.address, CALLS, 0.3, x, rate, z, p, out))
    return seconds / CALLS * 1e6, pointer.compiled


def c_sine():
    """Return the sine of the C library."""
    sine = ctypes.CDLL(ctypes.util.find_library("m")).sin
    sine.argtypes, sine.restype = [ctypes.c_double], ctypes.c_double
    return sine


def rows():
    """Yield (what, microseconds of a call, microseconds of the functions, whether it is called back)."""
    once, z = own(scalar, 0.3), np.zeros(2)
    for what, law, mine in (
        ("scalar", scalar_law(scalar, 1.0, "f"), once),
        ("load", load_law(load, 1.0, "f"), own(load, 0.3)),
        ("drive by differences", drive_law(scalar, None, None, 1.0, "d"), 6 * once),
        ("recorded scalar", scalar_law(lambda t: 0.3 * np.sin(5.0 * t), 1.0, "f"), 0.0),
        ("C function", scalar_law(c_sine(), 1.0, "f"), 0.0),
    ):
        yield what, of_time(law), mine, not law.compiled
    with_states = own(state_force, 0.3, 0.1, 0.2, z) + own(state_rates, 0.3, 0.1, 0.2, z)
    for what, user, mine in (
        ("force law", UserLaw(force), own(force, 0.3, 0.1, 0.2)),
        ("force law, two states", UserLaw(state_force, state_rates, start=(0.0, 0.0)), with_states),
        ("recorded force law", UserLaw(lambda t, x, rate: -3.0 * x - 0.1 * rate), 0.0),
    ):
        took, compiled = of_force(user)
        yield what, took, mine, not compiled


def main() -> int:
    """Print the table; 1 where a law costs more than it may."""
    print(f"{'law':24}{'called back':>12}{'a call':>9}{'function':>10}{'beyond':>8}   microseconds")
    over = []
    for what, took, mine, back in rows():
        print(f"{what:24}{'yes' if back else 'no':>12}{took:9.3f}{mine:10.3f}{took - mine:8.3f}")
        if back and took - mine > BOUND:
            over.append(what)
    if over:
        print(f"more than {BOUND} beyond the function: {', '.join(over)}")
    return len(over) > 0


if __name__ == "__main__":
    raise SystemExit(main())
