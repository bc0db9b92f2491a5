"""What a run with default settings costs, against the coarsest fixed step that is as good.

    python tests/benchmarks/default_cost.py [--store FOLDER] [MACHINE ...]

The machines are those of ``ringing_machines.py`` (all of them by default) and of ``more_machines.py`` (by name, or
``more`` for all). For each: the error of ``fb.simulate(machine, t_end)`` against ``fb.Explicit(rtol=1e-9)`` (root mean
square over the peak of the results compared), and the coarsest fixed step of the generalized-alpha method whose error
is at most half a per cent, or that of the default run. Then the numbers of steps, iterations and factorisations of
both, and the processor times of their loops: the shortest of five, measured in turn. The ratios are those of the
times, and of the iterations where both runs are implicit. ``--store`` keeps exact results in this folder; files of
machines that have changed must be removed.

The four-bar's place (0.1 mm) needs 300 fixed steps. The deflections of its bars (6 to 30 um, which ring at 300 Hz for
fifteen periods) need more, and the default run follows them too: of those of BC and CD, 1.2 % is wrong at 300 fixed
steps, 0.4 and 0.8 % in the default run, and less than 0.4 % at 2400; of that of AB, 16, 4 and 4 %. The blade's steps
follow its turning (8 Hz), because its bending (4 Hz) could resonate with it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from more_machines import MORE_MACHINES
from ringing_machines import MACHINES

import flexbody as fb

OUTPUTS, GOOD, REPEATED = 300, 5e-3, 5
DIVISIONS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # fixed steps between two stored states


def run(machine, t_end, look, **options):
    """Return the results that are compared, and the statistics of a run."""
    found = fb.simulate(machine, t_end=t_end, output_step=t_end / OUTPUTS, show_progress=False, **options)
    return look(found), found.statistics


def error(found, exact) -> float:
    """Root mean square over the peak."""
    return float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def exact_of(name, machine, t_end, look, store):
    """The results of the explicit method with a small tolerance, from the store if they are there."""
    file = store and Path(store) / f"{name}.npz"
    if file and file.exists():
        return np.load(file)["exact"]
    exact = run(machine, t_end, look, integrator=fb.Explicit(rtol=1e-9))[0]
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, exact=exact)
    return exact


def coarsest(machine, t_end, look, exact, allowed):
    """The number of the coarsest fixed steps whose error is allowed, and this error; None if there are none.

    Steps with which Newton's iteration does not converge are too coarse.
    """
    for n in OUTPUTS * np.array(DIVISIONS):
        try:
            wrong = error(run(machine, t_end, look, step=t_end / n)[0], exact)
        except fb.ConvergenceError:
            continue
        if wrong <= allowed:
            return int(n), wrong
    return None


def counts(cost) -> str:
    """The numbers of a run in words."""
    return f"{cost.steps} + {cost.rejected} steps, {cost.iterations} iterations, {cost.factorisations} factorisations"


def measure(name, store) -> None:
    """Print the lines of a machine."""
    machine, t_end, look = (MACHINES | MORE_MACHINES)[name]()
    exact = exact_of(name, machine, t_end, look, store)
    found, cost = run(machine, t_end, look)
    wrong = error(found, exact)
    print(
        f"{name}: {counts(cost)}, {cost.vibrating} steps of vibrations, {wrong:.3%}, {cost.method}",
        flush=True,
    )
    best = coarsest(machine, t_end, look, exact, max(GOOD, wrong))
    if best is None:
        print(f"    {OUTPUTS * DIVISIONS[-1]} fixed steps are not as good; {cost.loop_seconds:.4f} s")
        return
    n, missed = best
    ways = ({}, {"step": t_end / n})
    costs = [[run(machine, t_end, look, **way)[1] for way in ways] for _ in range(REPEATED)]
    own, fixed = (min(one.loop_seconds for one in each) for each in zip(*costs, strict=True))
    choice = min(each[0].choice_seconds for each in costs)
    cheaper = costs[0][1]
    print(f"    {n} fixed: {counts(cheaper)}, {missed:.3%}")
    print(
        f"    {own:.4f} s (and {choice:.4f} s to choose) against {fixed:.4f} s; ratio {own / fixed:.1f}",
        end="",
    )
    implicit = cost.method.startswith("GeneralizedAlpha")
    print(f", of iterations {cost.iterations / cheaper.iterations:.1f}" if implicit else "", flush=True)


def main() -> None:
    """Measure the machines that the command line names."""
    known = MACHINES | MORE_MACHINES
    parser = argparse.ArgumentParser(description="What a run with default settings costs")
    parser.add_argument("--store", help="folder in which exact results are kept")
    parser.add_argument("machines", nargs="*", metavar="MACHINE", help=f"more, {', '.join(known)}")
    given = parser.parse_args()
    if unknown := set(given.machines) - known.keys() - {"more"}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    names = [one for name in given.machines for one in (MORE_MACHINES if name == "more" else [name])]
    for name in names or MACHINES:
        measure(name, given.store)


if __name__ == "__main__":
    main()
