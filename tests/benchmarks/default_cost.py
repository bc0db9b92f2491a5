"""What a run with default settings costs, against the coarsest fixed step that is as good.

    python tests/benchmarks/default_cost.py [MACHINE ...]

For each machine: steps and time of the loop of ``fb.simulate(machine, t_end)``, its error against
``fb.Explicit(rtol=1e-9)`` (root mean square over the peak of the results compared), and the coarsest fixed step of the
generalized-alpha method whose error is at most half a per cent, or that of the default run. The last column is the
ratio of the times of both loops (processor time, seconds; the shortest of five).

The four-bar's place (0.1 mm) needs 300 fixed steps. The deflections of its bars (6 to 30 um, which ring at 300 Hz for
fifteen periods) need more, and the default run follows them too: of those of BC and CD, 1.2 % is wrong at 300 fixed
steps, 0.4 and 0.8 % in the default run, and less than 0.4 % at 2400; of that of AB, 16, 4 and 4 %. The blade's steps
follow its turning (8 Hz), because its bending (4 Hz) could resonate with it.
"""

from __future__ import annotations

import sys

import numpy as np
from ringing_machines import MACHINES

import flexbody as fb

OUTPUTS, GOOD, REPEATED = 300, 5e-3, 5


def run(machine, t_end, look, repeated=1, **options):
    """Return the results that are compared, the statistics of a run, and the shortest time of its loop, s."""
    times = []
    for _ in range(repeated):
        found = fb.simulate(machine, t_end=t_end, output_step=t_end / OUTPUTS, show_progress=False, **options)
        times.append(found.statistics.loop_seconds)
    return look(found), found.statistics, min(times)


def error(found, exact) -> float:
    """Root mean square over the peak."""
    return float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def main(names: list[str]) -> None:
    """Print a line for each machine."""
    for name in names or MACHINES:
        machine, t_end, look = MACHINES[name]()
        exact = run(machine, t_end, look, integrator=fb.Explicit(rtol=1e-9))[0]
        found, cost, seconds = run(machine, t_end, look, REPEATED)
        wrong = error(found, exact)
        line_of = f"{name}: {cost.steps} + {cost.rejected} steps, {seconds:.4f} s, {wrong:.3%}"
        for n in OUTPUTS * 2 ** np.arange(7):
            fixed, _, spent = run(machine, t_end, look, REPEATED, step=t_end / n)
            if error(fixed, exact) <= max(GOOD, wrong):
                line_of += (
                    f"; {n} fixed: {spent:.4f} s, {error(fixed, exact):.3%}; ratio {seconds / spent:.1f}"
                )
                break
        print(line_of, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
