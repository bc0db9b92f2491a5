"""Work and precision of every integrator on Andrews' squeezer.

    python tests/benchmarks/work_precision.py [FILE.png]

Error: the largest of the seven angles at 0.03 s, rad, against ``reference.andrews.Q_END`` (an unrelated program in long
double precision). Work: evaluations of the equations of motion, and processor time of the time loop, the median of
three warm runs. States are stored once a millisecond.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from reference import andrews, machines  # noqa: E402, after the path

import flexbody as fb  # noqa: E402

#: what is drawn: constructors by rtol, the rtols, colour and mark
METHODS = {
    "generalized-alpha": (lambda r: fb.GeneralizedAlpha(rtol=r), (-3, -4, -5, -6, -7), "#0b5fa5", "o"),
    "explicit, order 8": (
        lambda r: fb.Explicit(rtol=r),
        (-4, -5, -6, -7, -8, -9, -10, -11, -12),
        "#c8102e",
        "s",
    ),
    "SciPy DOP853": (lambda r: fb.SciPy("DOP853", r), (-4, -6, -8, -10, -12), "#e08a00", "^"),
    "SciPy Radau": (lambda r: fb.SciPy("Radau", r), (-3, -5, -7, -9), "#6a3d9a", "v"),
}
if importlib.util.find_spec("sksundae"):
    METHODS["SUNDIALS BDF"] = (lambda r: fb.Sundials("BDF", r), (-4, -6, -8, -10, -12), "#1b8a3a", "D")
    METHODS["SUNDIALS Adams"] = (lambda r: fb.Sundials("Adams", r), (-4, -6, -8, -10, -12), "#7f7f7f", "P")


def measure(integrator: fb.Explicit, repeats: int = 3) -> tuple[float, int, float]:
    """Error of the angles at the end, evaluations, seconds of the loop."""
    system, read = machines.andrews_machine()
    seconds = []
    for _ in range(repeats):
        result = fb.simulate(
            system, andrews.T_END, integrator=integrator, output_step=1e-3, show_progress=False
        )
        seconds.append(result.statistics.loop_seconds)
    error = float(np.abs(read(result)["q"][-1] - andrews.Q_END).max())
    return error, result.statistics.iterations, float(np.median(seconds))


def table() -> dict[str, np.ndarray]:
    """Return (n, 4) rtol, error, evaluations, seconds of every method; prints them."""
    found = {}
    for name, (make, powers, *_) in METHODS.items():
        measure(make(1e-4), 1)  # compiled, and in the caches
        rows = np.array([(10.0**p, *measure(make(10.0**p))) for p in powers])
        found[name] = rows
        for rtol, error, evaluations, seconds in rows:
            print(
                f"{name:18s} rtol {rtol:.0e}  error {error:.1e}  {evaluations:8.0f} evaluations  {seconds:8.4f} s"
            )
    return found


def draw(found: dict[str, np.ndarray], path: str) -> None:
    """Draw error over evaluations and over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True, layout="constrained")
    for name, rows in found.items():
        _, _, colour, mark = METHODS[name]
        for axis, column in zip(axes, (2, 3), strict=True):
            axis.loglog(rows[:, column], rows[:, 1], color=colour, marker=mark, ms=5, label=name)
    for axis, label in zip(
        axes, ("evaluations of the equations of motion", "time of the loop, s (processor)"), strict=True
    ):
        axis.axhline(1e-9, color="0.6", lw=0.8, ls="--")
        axis.set_xlabel(label)
        axis.grid(True, which="major", color="0.9")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("error of the angles at 0.03 s, rad")
    axes[1].legend(frameon=False)
    figure.suptitle("Andrews' squeezer: work and precision")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    draw(table(), sys.argv[1] if len(sys.argv) > 1 else "work_precision.png")
