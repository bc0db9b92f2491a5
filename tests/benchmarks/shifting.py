"""Run times of Koppens' slider-crank with the axial frequency of its rod lowered, beside the thesis (1989, 5.6.2).

    python tests/benchmarks/shifting.py

The rod has two base functions, as in 5.5.1: its deflection under a uniform load and its stretch under an end force,
in the mean-displacement frame with stiffening. The modal mass of the stretch is multiplied by 10, 25, 50 and 100; the
thesis' run times fell to 0.5, 0.4, 0.3 and 0.2 of the first. There the frame ends at the crank pin, and the stretch s
has the modal mass m/3; here it is s - l/2 with m/12, so that 40 to 400 do here what 10 to 100 do there. Times are those
of the compiled loop; ``bent`` is the largest change of the middle's deflection, over the peak.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

FACTORS = (1, 10, 25, 40, 50, 100, 200, 400)
THESIS = {10: 0.5, 25: 0.4, 50: 0.3, 100: 0.2}


def rod_body():
    """Return the rod on two base functions."""
    from support.rods import PINNED, rod

    import fem
    import modal

    structure = rod(8)
    basis = modal.combine(
        modal.static_modes(structure, fem.LineLoad("line2", (0, 1.0, 0)), supports=PINNED),
        modal.attachment_modes(structure, {"end": "x"}, supports=PINNED),
    )
    return modal.reduce(structure, basis, markers=("start", "middle", "end"), name="rod")


def run(reduced, integrator, t_end: float, repeats: int):
    """Return seconds of the loop (the least of some runs), steps, and the deflection of the middle."""
    from dataclasses import replace

    from reference import machines, slider_crank

    import flexbody as fb

    system, read = machines.koppens_slider_crank("quintic")
    body = replace(system.body("rod"), reduced=reduced, alpha_dot=None)
    system = replace(system, bodies=[body if b.name == "rod" else b for b in system.bodies])
    seconds = np.inf
    for _ in range(repeats):
        result = fb.simulate(
            system, t_end, integrator=integrator, output_step=slider_crank.OUTPUT_STEP, show_progress=False
        )
        seconds = min(seconds, result.statistics.loop_seconds)
    return seconds, result.statistics.steps, read(result)["deflection"]


def main() -> None:
    """Print one table for each integrator."""
    import flexbody as fb
    import modal

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--t-end", type=float, default=0.06, help="s")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    body = rod_body()
    print("frequencies of the free rod [Hz]:", ", ".join(f"{hz:.5g}" for hz in body.frequencies_hz))
    for integrator in (fb.Explicit(), fb.GeneralizedAlpha(rho_inf=0.8, rtol=1e-5)):
        print(
            f"\n{integrator}\nfactor   axial [Hz]    time [s]   of first   steps   of first     bent   thesis"
        )
        first = None
        for factor in FACTORS:
            lowered = body if factor == 1 else modal.lower(body, factor=factor, modes=1)
            seconds, steps, bent = run(lowered, integrator, given.t_end, given.repeats)
            first = first or (seconds, steps, bent)
            change = np.abs(bent - first[2]).max() / np.abs(first[2]).max()
            axial = body.frequencies_hz[1] / np.sqrt(factor)
            print(
                f"{factor:6d} {axial:12.5g} {seconds:11.4f} {seconds / first[0]:10.2f} {steps:7d} "
                f"{steps / first[1]:10.2f} {change:8.1e} {THESIS.get(factor, ''):>8}"
            )


if __name__ == "__main__":
    main()
