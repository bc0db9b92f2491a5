"""Rows of four-bars (IFToMM A02): seconds before the first step, and steps and errors of 10 s at each tolerance.

    python tests/benchmarks/four_bars.py [--loops 10 100 300] [--windows 1 10 40]

All joints are revolutes, so that three constraints of each loop are redundant; the cranks lie flat seven times, where
the machine is singular. Starts are processor seconds of compiling the machine and of a consistent start, after one of a
small machine; a chain of 1000 bodies stands beside them. Errors are those of the first upper joint, over all output
times, against elliptic functions.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference import four_bar, machines
from support import chains

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations.consistent_start import consistent_start

TOLERANCES = (None, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)


def print_start(name: str, machine: fb.System) -> None:
    """Print the seconds until a machine is ready for its first step."""
    begun = time.process_time()
    plan = make_plan(machine)
    compiled = time.process_time()
    start = consistent_start(plan)
    now = time.process_time()
    print(
        f"{name:16} {plan.n_rows:6} {plan.n_rows - start.rank:10} {compiled - begun:9.3f} {now - compiled:7.3f}"
    )


def print_run(windows: int, rtol: float | None) -> None:
    """Print steps and error of a run of 10 s."""
    machine, read = machines.four_bar_machine(windows, redundant=True)
    method = None if rtol is None else fb.GeneralizedAlpha(rtol=rtol)
    begun, stop = time.process_time(), ""
    try:
        result = fb.simulate(machine, 10.0, integrator=method, output_step=0.1, show_progress=False)
    except fb.ConvergenceError as error:
        result, stop = error.result, f"stops at {error.result.t[-1]:.3g} s"
    error = np.abs(read(result)["position"] - four_bar.first_joint(result.t, windows)[0]).max()
    used, label = result.statistics, "default" if rtol is None else f"{rtol:.0e}"
    seconds = time.process_time() - begun
    print(f"{windows:7} {label:>8} {used.steps:8} {used.rejected:9} {error:9.1e} {seconds:8.1f}  {stop}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--loops", type=int, nargs="*", default=[10, 100, 300])
    parser.add_argument("--windows", type=int, nargs="*", default=[1, 10, 40])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    consistent_start(make_plan(machines.four_bar_machine(2, redundant=True)[0]))
    print(f"{'start':16} {'rows':>6} {'redundant':>10} {'compiled':>9} {'start':>7}  processor seconds")
    for n in chosen.loops:
        print_start(f"{n} loops", machines.four_bar_machine(n, redundant=True)[0])
    print_start("chain of 1000", chains.chain(1000))
    print(f"\n{'windows':>7} {'rtol':>8} {'steps':>8} {'rejected':>9} {'error, m':>9} {'seconds':>8}")
    for windows in chosen.windows:
        for rtol in TOLERANCES:
            print_run(windows, rtol)


if __name__ == "__main__":
    main()
