"""Processor time per step of chains of rigid bodies, of reduced bodies from small and large meshes, of a slider-crank.

    python tests/benchmarks/dynamics_speed.py [chains] [meshes] [crank]

Beside Exudyn (redundant coordinates: Euler parameters and multipliers) where it is installed, in one run. Every time
is that of the time loop alone with everything compiled and a first run done, the median of ``--repeats`` runs, on one
processor.

- chains: bars of 0.1 m on revolute joints that fall from the horizontal, both programs with the generalized-alpha
  method and the same fixed step. Exudyn with Newton's method as it is by default, modified, and modified with a
  tolerance of 1e-5 instead of 1e-8, which leaves the error as it is too (the quickest). ``error`` is the distance of
  the far end from the same program's own run with steps of a quarter, so that it judges method, step and the
  tolerance of the iteration. Newton's tolerance of ours is 1e-4 of the accelerations that occur, and the error stays.
- meshes: a free beam of tet10 reduced to six modes, from about 1000 and 20 000 nodes.
- crank: Koppens' planar slider-crank (1989, 5.2), the rod reduced from beam elements with stiffening to three modes of
  bending in the plane (without rotary inertia, which neither the reference nor Exudyn's beams have), and Exudyn's
  nonlinear beams, against the nonlinear rod of tests/reference/nonlinear_rod.py. Fixed steps for both, and for ours
  also steps chosen by the error, with the full interface modes of Craig and Bampton.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402, after the number of threads

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

STEP = 1e-3
STEPS = {10: 1000, 50: 500, 200: 200}


def exudyn_or_none():
    """Return the module, None where it is not installed."""
    try:
        import exudyn
    except ImportError:
        return None
    return exudyn


# --- chains ------------------------------------------------------------------------------------------------


def our_chain(n: int, step: float, t_end: float) -> dict:
    """Fall of a chain of n bars with steps of ``step``."""
    from support import chains

    import flexbody as fb

    system = chains.chain(n)
    result = fb.simulate(
        system,
        t_end,
        integrator=fb.GeneralizedAlpha(rho_inf=0.9, step=step, newton_rtol=1e-4),
        output_step=t_end / 4,
        show_progress=False,
    )
    s = result.statistics
    return {
        "us": 1e6 * s.loop_seconds / s.steps,
        "iterations": s.iterations / s.steps,
        "factorisations": s.factorisations / s.steps,
        "end": result.position(system.bodies[-1]["end"])[-1],
        "start": s.cpu_seconds - s.loop_seconds,
    }


def peer_chain(n: int, step: float, t_end: float, modified: bool, tolerance: float = 1e-8) -> dict:
    """The same in Exudyn."""
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia, SensorBody
    from support.chains import LENGTH, bar

    mbs = exu.SystemContainer().AddSystem()
    last = mbs.CreateGround()
    for k in range(n):
        b = bar("b", (LENGTH * k, 0, 0), (LENGTH * (k + 1), 0, 0))
        inertia = RigidBodyInertia(mass=b.mass, inertiaTensor=b.inertia_tensor)
        body = mbs.CreateRigidBody(
            inertia=inertia,
            referencePosition=list(b.center),
            gravity=[0, 0, -9.81],
            nodeType=exu.NodeType.RotationEulerParameters,
        )
        mbs.CreateRevoluteJoint(
            itemNumbers=[last, body],
            position=[LENGTH * k, 0, 0],
            axis=[0, 1, 0],
            useGlobalFrame=True,
            show=False,
        )
        last = body
    kind = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(
        SensorBody(
            bodyNumber=last, localPosition=[LENGTH / 2, 0, 0], outputVariableType=kind, storeInternal=True
        )
    )
    mbs.Assemble()
    settings = peer_settings(exu, step, t_end, modified)
    settings.timeIntegration.newton.relativeTolerance = tolerance
    cpu = time.process_time()
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    cpu = time.process_time() - cpu
    steps = round(t_end / step)
    found = mbs.sys["dynamicSolver"]
    return {
        "us": 1e6 * cpu / steps,
        "iterations": found.it.newtonStepsCount / steps,
        "end": mbs.GetSensorStoredData(sensor)[-1, 1:],
    }


def peer_settings(exu, step: float, t_end: float, modified: bool):
    """Sparse solver, one thread, nothing written or printed."""
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(t_end / step)
    settings.timeIntegration.endTime = t_end
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = modified
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = t_end / 4
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    return settings


def chain_table(repeats: int) -> None:
    """Measure and print."""
    peer = exudyn_or_none()
    print("\nchains of rigid bodies, step 1 ms")
    print("| bodies | | us per step | iterations | factorisations | error of the end [m] | peer / ours |")
    print("|---|---|---|---|---|---|---|")
    for n, steps in STEPS.items():
        t_end = steps * STEP
        ways = {"flexbody": our_chain}
        if peer is not None:
            ways["Exudyn"] = lambda *a: peer_chain(*a, False)
            ways["Exudyn, modified Newton"] = lambda *a: peer_chain(*a, True)
            ways["Exudyn, modified Newton to 1e-5"] = lambda *a: peer_chain(*a, True, 1e-5)
        ours = None
        for name, run in ways.items():
            runs = [run(n, STEP, t_end) for _ in range(repeats + 1)][1:]
            fine = run(n, STEP / 4, t_end)
            found = runs[0] | {"us": float(np.median([r["us"] for r in runs]))}
            ours = ours or found
            error = np.linalg.norm(found["end"] - fine["end"])
            factors = f"{found['factorisations']:.2f}" if "factorisations" in found else ""
            ratio = "" if found is ours else f"{found['us'] / ours['us']:.1f}"
            cells = (
                n,
                name,
                f"{found['us']:.0f}",
                f"{found['iterations']:.2f}",
                factors,
                f"{error:.1e}",
                ratio,
            )
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        print(f"| {n} | start of ours: {ours['start']:.2f} s | | | | | |")
    if peer is None:
        print("Exudyn is not installed here: nothing to compare with (python -m pip install exudyn)")


# --- meshes ------------------------------------------------------------------------------------------------


def reduced(divisions: tuple[int, int, int]):
    """A free steel bar 1 x 0.1 x 0.1 m with its ends as interfaces and six modes; number of nodes."""
    import fem
    import modal

    mesh = fem.box((1.0, 0.1, 0.1), divisions, "tet10")
    for name, x in (("left", 0.0), ("right", 1.0)):
        mesh = mesh.select(name, plane=((x, 0, 0), (1, 0, 0)))
    structure = fem.assemble(mesh, fem.Isotropic(210e9, 0.3, 7850.0))
    body = modal.reduce(structure, modal.eigenmodes(structure, n=6), markers=("left", "right"), name="bar")
    return body, len(mesh.points)


def mesh_table(repeats: int) -> None:
    """Measure and print."""
    import flexbody as fb

    print("\na reduced bar of six modes that swings on a ball joint, step 0.1 ms")
    print("| nodes | us per step |")
    print("|---|---|")
    for divisions in ((16, 2, 2), (56, 6, 6)):
        body, nodes = reduced(divisions)
        bar = fb.FlexibleBody("bar", body)
        foot = fb.Spherical("foot", fb.GROUND, bar["left"])
        system = fb.System([bar], [foot], gravity=(0, 0, -9.81))
        times = []
        for _ in range(repeats + 1):
            s = fb.simulate(system, 0.2, step=1e-4, output_step=0.05, show_progress=False).statistics
            times.append(1e6 * s.loop_seconds / s.steps)
        print(f"| {nodes} | {np.median(times[1:]):.1f} |", flush=True)


# --- slider-crank ------------------------------------------------------------------------------------------


def our_rod(planar: bool):
    """The rod, reduced: to three modes of bending in the plane, or with all interface modes of its ends."""
    from support.rods import rod

    import modal

    if not planar:
        structure = rod(8)
        basis = modal.craig_bampton(structure, ("start", "end"), n_normal=2)
        return modal.reduce(structure, basis, markers=("middle",), name="rod")
    structure = rod(8, stiffer=1e3)
    held = {"start": ("x", "y", "z", "rx", "ry"), "end": ("y", "z"), "all": ("x", "z", "rx", "ry")}
    basis = modal.eigenmodes(structure, n=3, supports=held)
    return modal.reduce(structure, basis, markers=("start", "middle", "end"), name="rod")


def our_crank(planar: bool, **options):
    """CPU time of the loop, statistics and deflection over time."""
    from dataclasses import replace

    from reference import machines, slider_crank

    import flexbody as fb

    system, read = machines.koppens_slider_crank("quintic")
    flexible = replace(system.body("rod"), reduced=our_rod(planar), alpha_dot=None)
    system = replace(system, bodies=[flexible if b.name == "rod" else b for b in system.bodies])
    result = fb.simulate(
        system,
        slider_crank.T_END,
        integrator=fb.GeneralizedAlpha(rho_inf=0.8, **options),
        output_step=slider_crank.OUTPUT_STEP,
        show_progress=False,
    )
    return result.statistics, read(result)["deflection"]


def peer_crank(elements: int, steps: int):
    """CPU time and deflection over time of Exudyn's nonlinear beams (ANCF), modified Newton, crank as a heavy wheel."""
    import exudyn as exu
    from exudyn import utilities as u
    from reference import slider_crank as p

    mbs = exu.SystemContainer().AddSystem()
    h, nodes = p.LENGTH / elements, []
    for s in h * np.arange(elements + 1):
        turn = -p.SPEED * p.CRANK / p.LENGTH
        speed = [0, p.SPEED * p.CRANK + turn * s, 0, turn]
        node = u.NodePoint2DSlope1(referenceCoordinates=[p.CRANK + s, 0, 1, 0], initialVelocities=speed)
        nodes.append(mbs.AddNode(node))
    for pair in itertools.pairwise(nodes):
        mbs.AddObject(
            u.ObjectANCFCable2D(
                physicsLength=h, physicsMassPerLength=p.RHO * p.AREA, physicsBendingStiffness=p.EI,
                physicsAxialStiffness=p.E * p.AREA, nodeNumbers=list(pair), useReducedOrderIntegration=0,
            )
        )  # fmt: skip
    turning = u.NodeRigidBody2D(referenceCoordinates=[0, 0, 0], initialVelocities=[0, 0, p.SPEED])
    wheel = mbs.AddObject(
        u.ObjectRigidBody2D(physicsMass=1, physicsInertia=1e4, nodeNumber=mbs.AddNode(turning))
    )
    slider = mbs.AddNode(u.NodePoint2D(referenceCoordinates=[p.CRANK + p.LENGTH, 0]))
    mbs.AddObject(u.ObjectMassPoint2D(physicsMass=p.MASS / 2, nodeNumber=slider))

    def on(body, x=0.0):
        return mbs.AddMarker(u.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))

    def at(node):
        return mbs.AddMarker(u.MarkerNodePosition(nodeNumber=node))

    def height(node, k):
        return mbs.AddMarker(u.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))

    ground, fixed = mbs.AddObject(u.ObjectGround()), mbs.AddNode(u.NodePointGround())
    for pair in ([on(ground), on(wheel)], [on(wheel, p.CRANK), at(nodes[0])], [at(slider), at(nodes[-1])]):
        mbs.AddObject(u.RevoluteJoint2D(markerNumbers=pair))
    mbs.AddObject(u.CoordinateConstraint(markerNumbers=[height(fixed, 0), height(slider, 1)]))
    kind = exu.OutputVariableType.Position
    sensors = [
        mbs.AddSensor(u.SensorNode(nodeNumber=nodes[k], outputVariableType=kind, storeInternal=True))
        for k in (0, elements // 2, elements)
    ]
    mbs.Assemble()
    settings = peer_settings(exu, p.T_END / steps, p.T_END, True)
    settings.solutionSettings.sensorsWritePeriod = p.OUTPUT_STEP
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.linearSolverType = (
        exu.LinearSolverType.EXUdense if elements < 6 else exu.LinearSolverType.EigenSparse
    )
    cpu = time.process_time()
    mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    cpu = time.process_time() - cpu
    start, middle, end = (mbs.GetSensorStoredData(k)[:, 1:3] for k in sensors)
    chord, reach = end - start, middle - start
    return cpu, (chord[:, 0] * reach[:, 1] - chord[:, 1] * reach[:, 0]) / np.hypot(*chord.T)


def crank_table(repeats: int) -> None:
    """Measure and print."""
    from reference import nonlinear_rod

    print("\nKoppens' planar slider-crank, 0.06 s; errors against the nonlinear rod, of its peak")
    print("| | CPU s | steps | iterations | factorisations | rms | largest |")
    print("|---|---|---|---|---|---|---|")
    exact = nonlinear_rod.deflection()

    def row(name, seconds, found, steps, iterations="", factorisations=""):
        off = (found - exact) / np.abs(exact).max()
        errors = f"{100 * np.sqrt(np.mean(off**2)):.2f} % | {100 * np.abs(off).max():.2f} %"
        print(
            f"| {name} | {seconds:.4f} | {steps} | {iterations} | {factorisations} | {errors} |", flush=True
        )

    ways = {
        f"reduced rod, {n} steps": (True, {"step": 0.06 / n, "newton_rtol": 1e-3})
        for n in (300, 600, 900, 1200)
    }
    ways |= {f"reduced rod, all interface modes, rtol {r:g}": (False, {"rtol": r}) for r in (1e-2, 1e-3)}
    for name, (planar, options) in ways.items():
        runs = [our_crank(planar, **options) for _ in range(repeats + 1)][1:]
        s, found = runs[0]
        seconds = np.median([r[0].loop_seconds for r in runs])
        row(name, seconds, found, s.steps, s.iterations, s.factorisations)
    if exudyn_or_none() is None:
        print("Exudyn is not installed here: nothing to compare with (python -m pip install exudyn)")
        return
    for elements, steps in ((4, 300), (4, 450), (4, 600), (6, 600), (8, 600), (8, 900), (8, 1200)):
        runs = [peer_crank(elements, steps) for _ in range(repeats + 1)][1:]
        row(f"Exudyn, {elements} nonlinear beams", np.median([r[0] for r in runs]), runs[0][1], steps)


def main() -> None:
    """Read the command line."""
    tables = {"chains": chain_table, "meshes": mesh_table, "crank": crank_table}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", choices=[*tables, []], default=[])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.what or tables:
        tables[name](given.repeats)


if __name__ == "__main__":
    main()
