"""Studies of a slider-crank: cost of a variant, and wall time with one, two and four workers; Exudyn beside it.

    python tests/benchmarks/study_speed.py [--variants 10000] [--workers 1 2 4] [--threads] [--peer [PYTHON]]

- cost: processor time of a variant (machine, run, quantities) over that of its bare time loop, medians of 30.
- workers: one study by processes (or ``--threads``). ``wall`` is from the first batch to the last, without the start of
  the processes; ``processor`` is that of all variants together, so that what other programs take does not count: on
  idle cores the speed-up is workers * processor(1) / processor(n).
- peer: Exudyn's own ``ParameterVariation`` of the same machine (rigid bodies, generalized-alpha, fixed steps as many as
  ours make), which needs a Python that has it: ``--peer`` alone prints its times with one process and with two;
  ``--peer PYTHON`` lets that Python print them behind the other tables, in one run.

The digits of a study are compared with those of single runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402, after the number of threads

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

#: one revolution, s, at 150 rad/s; steps of the peer, as many as ours at rtol=1e-4
RATE = 150.0
T_END, PEER_STEPS = 2 * np.pi / RATE, 250
CRANK, ROD = 0.15, 0.3


def machine(slider_mass: float, rate: float = RATE):
    """Return a slider-crank of rigid bodies."""
    import flexbody as fb

    crank = fb.RigidBody("crank", mass=0.9, inertia=(1e-4, 2e-3, 2e-3), center=(0.05, 0, 0))
    rod = fb.RigidBody("rod", mass=0.5, inertia=(1e-4, 4e-3, 4e-3), center=(CRANK + ROD / 2, 0, 0))
    slider = fb.RigidBody("slider", mass=slider_mass, inertia=(1e-4, 1e-4, 1e-4), center=(CRANK + ROD, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    pin = fb.Spherical("pin", crank, rod, point=(CRANK, 0, 0))
    wrist = fb.Universal("wrist", rod, slider, point=(CRANK + ROD, 0, 0), axes=("y", "z"))
    guide = fb.Prismatic("guide", fb.GROUND, slider, axis="x", point=(CRANK + ROD, 0, 0))
    joints = [main, pin, wrist, guide, fb.Drive("drive", main, rate=rate)]
    return fb.System(bodies=[crank, rod, slider], joints=joints, gravity=(0, 0, -9.81))


def simulated(system):
    """Return one revolution, accurate enough for a curve."""
    import flexbody as fb

    integrator = fb.Automatic(rtol=1e-4)
    return fb.simulate(system, T_END, output_step=T_END / 100, integrator=integrator, show_progress=False)


def cost() -> None:
    """Print what a variant costs beside its time loop, by default settings and coarse ones."""
    import flexbody as fb
    from flexbody.studies.job import Job
    from flexbody.studies.making import ByFunction

    ways = {
        "0.06 s, default settings": lambda system: fb.simulate(system, 0.06, show_progress=False),
        "one revolution, default settings": lambda system: fb.simulate(system, T_END, show_progress=False),
        "one revolution, rtol 1e-4, 100 outputs": simulated,
    }
    print("| variant | processor [ms] | its loop [ms] | ratio |\n|---|---|---|---|")
    for name, way in ways.items():
        loops: list[float] = []

        def analysis(system, way=way, loops=loops):
            result = way(system)
            loops.append(result.statistics.loop_seconds)
            return result

        job = Job(ByFunction(machine, frozenset()), analysis, {"force": ("reaction", "wrist")}, {})
        rows = [job.row({"slider_mass": 0.3 + 1e-3 * k}, {}) for k in range(31)]
        spent, loop = 1e3 * np.array([row.seconds for row in rows[1:]]), 1e3 * np.array(loops[1:])
        print(f"| {name} | {np.median(spent):.1f} | {np.median(loop):.1f} | {np.median(spent / loop):.2f} |")


def workers(variants: int, counts: list[int], threads: bool) -> None:
    """Print wall and processor times of one study by different numbers of workers."""
    import flexbody as fb
    from flexbody.studies import dispatch
    from flexbody.studies.cluster import local_client

    masses = np.linspace(0.2, 0.8, variants)
    marks: list[float] = []
    write = dispatch.Dispatch._write

    def marked(self, numbers, rows, bar):
        marks.append(time.perf_counter())
        write(self, numbers, rows, bar)

    dispatch.Dispatch._write = marked  # type: ignore[method-assign]
    print("\n| workers | wall [s] | processor [s] | speed-up, wall | on idle cores |\n|---|---|---|---|---|")
    first: tuple[float, float] | None = None
    for count in counts:
        with tempfile.TemporaryDirectory() as folder, local_client(count, processes=not threads) as client:
            study = fb.Study(
                machine, fb.Grid({"slider_mass": masses}), {"force": ("reaction", "wrist")}, analysis=simulated,
                store=Path(folder, "s.zarr"), units={"slider_mass": "kg"},
            )  # fmt: skip
            marks.clear()
            found = study.run(client, workers=4, show_progress=False)
            wall, spent = marks[-1] - marks[0], float(found.store.read("seconds").sum())
            first = first or (wall * count, spent * 1.0)
            single = np.linalg.norm(found.result(7).reaction("wrist").force, axis=1).max()
            assert found.values("force")[7] == single, "the digits are not those of a single run"
            assert found.done.all()
        ideal = counts[0] and count * first[1] / spent
        print(f"| {count} | {wall:.1f} | {spent:.1f} | {first[0] / wall:.2f} | {ideal:.2f} |", flush=True)
    print(f"{variants} variants, {os.cpu_count()} cores with load {os.getloadavg()[0]:.1f}")


def peer_variant(values: dict) -> float:
    """Return the largest reaction force in the wrist of Exudyn's slider-crank."""
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia, SensorObject

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.CreateGround()
    # mass, inertia, centre, angular velocity about y, velocity of the centre along -z: those of the crank at RATE
    places = {
        "crank": (0.9, (1e-4, 2e-3, 2e-3), (0.05, 0, 0), RATE, 0.05 * RATE),
        "rod": (0.5, (1e-4, 4e-3, 4e-3), (CRANK + ROD / 2, 0, 0), -RATE * CRANK / ROD, CRANK * RATE / 2),
        "slider": (values["slider_mass"], (1e-4, 1e-4, 1e-4), (CRANK + ROD, 0, 0), 0.0, 0.0),
    }
    bodies = {
        name: mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia)), referencePosition=list(place),
            gravity=[0, 0, -9.81], initialAngularVelocity=[0, spin, 0], initialVelocity=[0, 0, -speed],
        )
        for name, (mass, inertia, place, spin, speed) in places.items()
    }  # fmt: skip
    hinge = dict(axis=[0, 1, 0], useGlobalFrame=True, show=False)
    mbs.CreateRevoluteJoint(bodyNumbers=[ground, bodies["crank"]], position=[0, 0, 0], **hinge)
    mbs.CreateSphericalJoint(bodyNumbers=[bodies["crank"], bodies["rod"]], position=[CRANK, 0, 0], show=False)
    wrist = mbs.CreateGenericJoint(  # a universal joint: it holds the point, and rotation about the rod
        bodyNumbers=[bodies["rod"], bodies["slider"]], position=[CRANK + ROD, 0, 0], constrainedAxes=[1, 1, 1, 1, 0, 0],
        useGlobalFrame=True, show=False,
    )  # fmt: skip
    mbs.CreatePrismaticJoint(
        bodyNumbers=[ground, bodies["slider"]], position=[CRANK + ROD, 0, 0], axis=[1, 0, 0], useGlobalFrame=True,
        show=False,
    )  # fmt: skip
    mbs.CreateTorsionalSpringDamper(
        bodyNumbers=[ground, bodies["crank"]], position=[0, 0, 0], axis=[0, 1, 0], stiffness=0.0, damping=1e3,
        velocityOffset=RATE, useGlobalFrame=True, show=False,
    )  # fmt: skip
    sensor = mbs.AddSensor(
        SensorObject(
            objectNumber=wrist, outputVariableType=exu.OutputVariableType.ForceLocal, storeInternal=True
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = PEER_STEPS, T_END
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = T_END / 100
    settings.linearSolverType = exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    return float(np.linalg.norm(mbs.GetSensorStoredData(sensor)[:, 1:], axis=1).max())


def peer(variants: int) -> None:
    """Print the wall times of Exudyn's parameter variation."""
    from exudyn.processing import ParameterVariation

    warnings.simplefilter("ignore", DeprecationWarning)  # older releases know the older names only
    print("\nExudyn, ParameterVariation\n| processes | wall [s] | processor [s] |\n|---|---|---|", flush=True)
    for count in (1, 2):
        begun, spent = time.perf_counter(), sum(os.times()[:4])
        many = {"useMultiProcessing": count > 1, "numberOfThreads": count, "showProgress": False}
        ParameterVariation(peer_variant, {"slider_mass": (0.2, 0.8, variants)}, **many)
        wall = time.perf_counter() - begun
        print(f"| {count} | {wall:.1f} | {sum(os.times()[:4]) - spent:.1f} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variants", type=int, default=10000)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--peer", nargs="?", const="", metavar="PYTHON")
    options = parser.parse_args()
    if options.peer == "":
        peer(options.variants)
        return
    cost()
    if options.workers:
        workers(options.variants, options.workers, options.threads)
    if options.peer:
        subprocess.run([options.peer, __file__, "--peer", "--variants", str(options.variants)], check=True)


if __name__ == "__main__":
    main()
