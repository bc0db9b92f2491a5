"""What a run with default settings costs, against the coarsest fixed step that is as good.

    python tests/benchmarks/default_cost.py [MACHINE ...]

For each machine: steps and time of the loop of ``fb.simulate(machine, t_end)``, its error against
``fb.Explicit(rtol=1e-9)`` (root mean square over the peak of the results compared), and the coarsest fixed step of the
generalized-alpha method whose error is at most half a per cent, or that of the default run. The last column is the
ratio of the times of both loops (processor time, seconds).

Most steps of the four-bar follow bars that ring as fast as the crank moves (300 Hz, fifteen periods), and in the first
fiftieth of the run all of them; those of the gearbox follow its mounts until the drive has moved more than they do; the
blade's follow its turning at the default tolerance, 0.004 % where 0.5 % were asked for.
"""

from __future__ import annotations

import sys

import numpy as np
from ringing_machines import MACHINES

import flexbody as fb

OUTPUTS, GOOD = 300, 5e-3


def run(machine, t_end, look, **options):
    """Return the results that are compared, and the statistics of a run; the first short one loads everything."""
    fb.simulate(machine, t_end=t_end / OUTPUTS, show_progress=False, **options)
    found = fb.simulate(machine, t_end=t_end, output_step=t_end / OUTPUTS, show_progress=False, **options)
    return look(found), found.statistics


def error(found, exact) -> float:
    """Root mean square over the peak."""
    return float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def main(names: list[str]) -> None:
    """Print a line for each machine."""
    for name in names or MACHINES:
        machine, t_end, look = MACHINES[name]()
        exact = run(machine, t_end, look, integrator=fb.Explicit(rtol=1e-9))[0]
        found, cost = run(machine, t_end, look)
        wrong = error(found, exact)
        line_of = f"{name}: {cost.steps} + {cost.rejected} steps, {cost.loop_seconds:.4f} s, {wrong:.3%}"
        for n in OUTPUTS * 2 ** np.arange(7):
            fixed, spent = run(machine, t_end, look, step=t_end / n)
            if error(fixed, exact) <= max(GOOD, wrong):
                ratio = cost.loop_seconds / spent.loop_seconds
                line_of += (
                    f"; {n} fixed: {spent.loop_seconds:.4f} s, {error(fixed, exact):.3%}; ratio {ratio:.1f}"
                )
                break
        print(line_of, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
