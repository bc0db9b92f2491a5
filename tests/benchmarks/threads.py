"""Two machines in two threads of one process: the wall time as a part of that of one after the other.

    python tests/benchmarks/threads.py [--machines N] [--repeats N]

The compiled core runs without Python's global lock. Needs a quiet core for each machine. The runs must have the digits
of those one after the other. Prints wall time, processor time (of both; more than in turn where the cores share their
caches or their clock), and the ratio, which may be 0.6 for two machines.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support import chains  # noqa: E402

import flexbody as fb  # noqa: E402

BODIES, T_END, STEP, ALLOWED = 60, 3.0, 2e-4, 0.6


def run(system: fb.System) -> bytes:
    """Simulate a machine and return its motion."""
    return fb.simulate(system, T_END, step=STEP, output_step=0.01, show_progress=False).c.tobytes()


def in_turn(systems) -> list[bytes]:
    """Simulate one after the other."""
    return [run(system) for system in systems]


def at_once(systems) -> list[bytes]:
    """Simulate each in a thread of its own."""
    found: list[bytes] = [b""] * len(systems)

    def go(k: int) -> None:
        found[k] = run(systems[k])

    threads = [threading.Thread(target=go, args=(k,)) for k in range(len(systems))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def timed(way, systems) -> tuple[float, float, list[bytes]]:
    """Return wall time, processor time (s) and motions."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = way(systems)
    return time.perf_counter() - wall, time.process_time() - cpu, found


def main() -> int:
    """Print the times of all repetitions; 1 where digits differ, or where two machines never reach ``ALLOWED``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machines", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    systems = [chains.chain(BODIES + k) for k in range(options.machines)]
    best = float("inf")
    for _ in range(options.repeats):
        wall, cpu, expected = timed(in_turn, systems)
        wall_2, cpu_2, found = timed(at_once, systems)
        if found != expected:
            print("the digits differ")
            return 1
        best = min(best, wall_2 / wall)
        print(
            f"{options.machines} machines in turn {wall:.2f} s (processor {cpu:.2f}), at once {wall_2:.2f} s "
            f"(processor {cpu_2:.2f}): {wall_2 / wall:.2f} of it, on "
            f"{os.cpu_count()} cores with load {os.getloadavg()[0]:.1f}"
        )
    return int(options.machines == 2 and best > ALLOWED)


if __name__ == "__main__":
    raise SystemExit(main())
