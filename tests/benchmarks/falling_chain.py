"""Processor time of a falling chain beside MuJoCo and Exudyn, in one run, on one processor.

    python tests/benchmarks/falling_chain.py [--picture FILE.png]

A chain of ten bars of 0.1 m falls from the horizontal for 0.5 s (before its motion is chaotic): processor time to reach
an error of the end's path, for several tolerances or steps. Reference: our global description at rtol 1e-13, which the
relative one agrees with. MuJoCo with its fourth-order Runge-Kutta method, Exudyn with its generalized-alpha and
explicit methods; rows of a program that is not installed are left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402, after the number of threads

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]

from support import chains  # noqa: E402, after the path
from support.random_trees import falling_chain  # noqa: E402, after the path

import flexbody as fb  # noqa: E402, after the path

REPEATS = 7
BARS, T_END = 10, 0.5


def our_fall(make: Callable, description) -> Callable[[float], tuple[float, np.ndarray]]:
    """Return what simulates the chain with a tolerance, and returns seconds of the time loop and the end."""
    system = chains.chain(BARS)

    def run(rtol: float) -> tuple[float, np.ndarray]:
        result = fb.simulate(system, T_END, integrator=make(rtol), description=description, output_step=T_END,
                             show_progress=False)  # fmt: skip
        return result.statistics.loop_seconds, result.position(system.bodies[-1]["end"])[-1]

    return run


def mujoco_fall(step: float) -> tuple[float, np.ndarray]:
    """Fall of the chain in MuJoCo by its Runge-Kutta method: CPU seconds, end."""
    import mujoco

    tree = falling_chain(BARS)
    model = mujoco.MjModel.from_xml_string(tree.mujoco())
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
    data = mujoco.MjData(model)
    cpu = time.process_time()
    mujoco.mj_step(model, data, nstep=round(T_END / step))
    cpu = time.process_time() - cpu
    mujoco.mj_forward(model, data)
    R = data.xmat[-1].reshape(3, 3)
    return cpu, data.xpos[-1] + R @ (chains.LENGTH, 0, 0)


def exudyn_fall(step: float, method: str) -> tuple[float, np.ndarray]:
    """Fall of the chain in Exudyn as a kinematic tree, its minimal coordinates: CPU seconds, end."""
    import exudyn as exu
    import exudyn.utilities as u

    tree, mbs = falling_chain(BARS), exu.SystemContainer().AddSystem()
    node = mbs.AddNode(u.NodeGenericODE2(referenceCoordinates=[0.0] * BARS, initialCoordinates=[0.0] * BARS,
                                         initialCoordinates_t=[0.0] * BARS, numberOfODE2Coordinates=BARS))  # fmt: skip
    body = mbs.AddObject(
        u.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteY] * BARS, linkParents=list(tree.parent),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * BARS),
            jointOffsets=exu.Vector3DList(list(tree.offset)),
            linkInertiasCOM=exu.Matrix3DList(list(tree.inertia)),
            linkCOMs=exu.Vector3DList(list(tree.center - tree.point)),
            linkMasses=list(tree.mass), gravity=[0, 0, -9.81],
        )
    )  # fmt: skip
    sensor = mbs.AddSensor(
        u.SensorKinematicTree(objectNumber=body, linkNumber=BARS - 1, localPosition=[chains.LENGTH, 0, 0],
                              outputVariableType=exu.OutputVariableType.Position, storeInternal=True)
    )  # fmt: skip
    mbs.Assemble()
    warnings.simplefilter("ignore", DeprecationWarning)  # its older names serve all its versions
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(T_END / step), T_END
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = T_END
    settings.parallel.numberOfThreads = 1
    cpu = time.process_time()
    mbs.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, method))
    cpu = time.process_time() - cpu
    return cpu, mbs.GetSensorStoredData(sensor)[-1, 1:]


#: errors of the table, of the chain's length of 1 m
WANTED = (1e-4, 1e-6, 1e-8)
#: colours and marks of the picture, and the tolerances or steps
TOLERANCES = [10.0**-p for p in (2, 3, 4, 5, 6, 7, 8, 9, 10)]
STEPS = [1 / 80, 1 / 120, 1 / 200, 1 / 400, 1 / 800, 1 / 1600, 1 / 3200, 1 / 6400]


def fall_ways() -> dict[str, tuple[Callable, list[float], str, str]]:
    """Return for each program and method: the run, its tolerances or steps, colour and mark."""
    ways: dict[str, tuple[Callable, list[float], str, str]] = {
        "Relative, Explicit": (our_fall(lambda r: fb.Explicit(rtol=r), fb.Relative()), TOLERANCES, "#c8102e", "o"),
        "Absolute, Explicit": (our_fall(lambda r: fb.Explicit(rtol=r), fb.Absolute()), TOLERANCES, "#0b5fa5", "s"),
        "Absolute, GeneralizedAlpha": (
            our_fall(lambda r: fb.GeneralizedAlpha(rtol=r), fb.Absolute()), TOLERANCES[:4], "#7fb2dd", "s",
        ),
    }  # fmt: skip
    if find_spec("mujoco"):
        ways["MuJoCo, RK4"] = (mujoco_fall, STEPS, "#1b8a3a", "^")
    if find_spec("exudyn"):
        ways["Exudyn tree, RK4"] = (lambda h: exudyn_fall(h, "RK44"), STEPS, "#e08a00", "v")
        ways["Exudyn tree, RK6(7)"] = (lambda h: exudyn_fall(h, "RK67"), STEPS[:-2], "#6a3d9a", "v")
        ways["Exudyn tree, generalized-alpha"] = (
            lambda h: exudyn_fall(h, "GeneralizedAlpha"), STEPS[2:], "#999999", "v",
        )  # fmt: skip
    return ways


def time_at(rows: np.ndarray, error: float) -> float:
    """Return the least time for an error: by straight lines between runs in a logarithmic picture; NaN outside."""
    x, y = np.log(rows[:, 1]), np.log(rows[:, 0])
    times = [np.inf]
    for k in range(len(x) - 1):
        low, high = sorted((x[k], x[k + 1]))
        if low <= np.log(error) <= high and high > low:
            times.append(y[k] + (np.log(error) - x[k]) / (x[k + 1] - x[k]) * (y[k + 1] - y[k]))
    times += [y[k] for k in range(len(x)) if x[k] <= np.log(error)]
    return float(np.exp(min(times)))


def fall_table(picture: str | None = None) -> None:
    """Measure, print, and draw if a file is given."""
    ways = fall_ways()
    exact = our_fall(lambda r: fb.Explicit(rtol=r), fb.Absolute())(1e-13)[1]
    found = {}
    for name, (run, settings, *_) in ways.items():
        run(settings[0])  # compiled, and in the caches
        rows = []
        for setting in settings:
            runs = [run(setting)]
            while len(runs) < REPEATS or (sum(r[0] for r in runs) < 0.1 and len(runs) < 8 * REPEATS):
                runs.append(run(setting))
            rows.append((min(r[0] for r in runs), np.abs(runs[0][1] - exact).max()))
        found[name] = np.array(rows)
    print(
        f"\na chain of {BARS} bars that falls for {T_END} s: CPU ms for an error of the end, of the chain's length"
    )
    print("| | " + " | ".join(f"{e:.0e}" for e in WANTED) + " |")
    print("|---|" + "---|" * len(WANTED))
    for name, rows in found.items():
        cells = [f"{1e3 * t:.2f}" if np.isfinite(t) else "" for t in (time_at(rows, e) for e in WANTED)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    if picture:
        draw(found, ways, picture)


def draw(found: dict[str, np.ndarray], ways: dict, path: str) -> None:
    """Draw error over time of all ways."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(8.2, 4.2), layout="constrained")
    for name, rows in found.items():
        colour, mark = ways[name][2:]
        axis.loglog(1e3 * rows[:, 0], rows[:, 1], color=colour, marker=mark, ms=5, lw=1.6, label=name)
    axis.set_xlabel("processor time, ms")
    axis.set_ylabel("error of the end, of the chain's length")
    axis.grid(True, which="major", color="0.92")
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(which="both", color="0.6")
    axis.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path, dpi=110)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--picture", help="where to draw it")
    fall_table(parser.parse_args().picture)


if __name__ == "__main__":
    main()
