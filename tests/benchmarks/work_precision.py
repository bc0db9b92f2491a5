"""Work and precision of every integrator on Andrews' squeezer: seven bodies, three loops, a spring, a motor.

    python tests/benchmarks/work_precision.py [FILE.png]

Error: the largest of the seven angles at 0.03 s, rad (the crank has turned 16 rad by then), against
``reference.andrews.Q_END`` (an unrelated program in long double precision). Work: processor time of the time loop, the
median of three warm runs, and evaluations of the equations of motion. States are stored once a millisecond. The picture
is ``notebooks/pictures/work_precision.png``; the table below is what the script prints of it, processor time in ms to
get an error, between the runs by straight lines in the picture.

| error, rad | GeneralizedAlpha | Explicit | SciPy DOP853 | SciPy Radau | SUNDIALS BDF | SUNDIALS Adams |
|---|---|---|---|---|---|---|
| 1e-02 | 14 |  |  |  |  |  |
| 1e-04 | 92 |  | 53 | 290 | 150 | 140 |
| 1e-06 | 440 | 46 | 77 | 610 | 400 | 280 |
| 1e-08 |  | 63 | 100 | 1100 | 830 | 360 |
| 1e-10 |  | 96 | 190 |  |  |  |
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import scipy

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from reference import andrews, machines  # noqa: E402, after the path

import flexbody as fb  # noqa: E402

#: what is drawn: constructors by rtol, the powers of ten of rtol, colour and mark
METHODS = {
    "GeneralizedAlpha": (lambda r: fb.GeneralizedAlpha(rtol=r), (-3, -4, -5, -6, -7), "#0b5fa5", "o"),
    "Explicit": (lambda r: fb.Explicit(rtol=r), (-3, -4, -5, -6, -7, -8, -9, -10, -11, -12), "#c8102e", "s"),
    "SciPy DOP853": (lambda r: fb.SciPy(rtol=r), (-3, -4, -5, -6, -7, -8, -9, -10, -11, -12), "#e08a00", "^"),
    "SciPy Radau": (
        lambda r: fb.SciPy(scipy.integrate.Radau, rtol=r), (-2, -3, -4, -5, -6, -7, -8, -9), "#6a3d9a", "v",
    ),
}  # fmt: skip
if importlib.util.find_spec("sksundae"):
    METHODS["SUNDIALS BDF"] = (
        lambda r: fb.Sundials(rtol=r),
        (-5, -6, -7, -8, -9, -10, -11, -12),
        "#1b8a3a",
        "D",
    )
    METHODS["SUNDIALS Adams"] = (
        lambda r: fb.Sundials(stiff=False, rtol=r), (-5, -6, -7, -8, -9, -10, -11, -12), "#7f7f7f", "P",
    )  # fmt: skip
#: errors of the table, rad
WANTED = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)


def measure(integrator: fb.Integrator, repeats: int = 3) -> tuple[float, int, float]:
    """Return error of the angles at the end, evaluations, seconds of the loop."""
    system, read = machines.andrews_machine()
    seconds = []
    for _ in range(repeats):
        result = fb.simulate(
            system, andrews.T_END, integrator=integrator, output_step=1e-3, show_progress=False
        )
        seconds.append(result.statistics.loop_seconds)
    error = float(np.abs(read(result)["q"][-1] - andrews.Q_END).max())
    return error, result.statistics.iterations, float(np.median(seconds))


def measure_all() -> dict[str, np.ndarray]:
    """Return (n, 4) rtol, error, evaluations, seconds of every method; prints them."""
    found = {}
    for name, (make, powers, *_) in METHODS.items():
        measure(make(1e-4), 1)  # compiled, and in the caches
        rows = np.array([(10.0**p, *measure(make(10.0**p))) for p in powers])
        found[name] = rows
        for rtol, error, evaluations, seconds in rows:
            print(
                f"{name:17s} rtol {rtol:.0e}  error {error:.1e}  {evaluations:7.0f} evaluations  {seconds:.4f} s"
            )
    return found


def table(found: dict[str, np.ndarray]) -> str:
    """Return processor time, ms, to get each of the errors ``WANTED``, as a table in Markdown."""
    lines = ["| error, rad | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    for wanted in WANTED:
        cells = []
        for rows in found.values():
            x, y = np.log(rows[:, 1]), np.log(rows[:, 3])
            rising = np.argsort(x)
            inside = x.min() <= np.log(wanted) <= x.max()
            time = 1e3 * np.exp(np.interp(np.log(wanted), x[rising], y[rising]))
            cells.append(f"{float(f'{time:.2g}'):g}" if inside else "")
        lines.append(f"| {wanted:.0e} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(found: dict[str, np.ndarray], path: str) -> None:
    """Draw errors over processor time and over evaluations."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    plt.rcParams.update({"font.size": 10, "axes.edgecolor": "0.4"})
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharey=True, layout="constrained")
    for name, rows in found.items():
        _, _, colour, mark = METHODS[name]
        own = not name.startswith(("SciPy", "SUNDIALS"))
        for axis, column in zip(axes, (3, 2), strict=True):
            axis.loglog(
                rows[:, column], rows[:, 1], color=colour, marker=mark, ms=6 if own else 4.5,
                lw=2.2 if own else 1.1, label=name, zorder=3 if own else 2,
            )  # fmt: skip
    for axis, label in zip(
        axes, ("processor time, s", "evaluations of the equations of motion"), strict=True
    ):
        axis.set_xlabel(label)
        axis.grid(True, which="major", color="0.92")
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(which="both", color="0.6")
    axes[0].set_ylabel("error of the angles at 0.03 s, rad")
    axes[0].legend(frameon=False, fontsize=9, loc="lower left")
    figure.savefig(path, dpi=110)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    results = measure_all()
    print(table(results))
    draw(results, sys.argv[1] if len(sys.argv) > 1 else "work_precision.png")
