"""Processor time of the relative description beside pinocchio, in one run, on one processor.

    python tests/benchmarks/relative_speed.py [dynamics] [trees] [flexible] [loops] [mixed] [robot]

pinocchio is optional: its rows are left out where it is not installed (pin, with cmeel-eigen for its headers). Whole
motions beside other programs are in ``falling_chain.py``.

- dynamics: one evaluation of the accelerations (forward) and of the torques (inverse) of chains of 10, 50 and 200 rigid
  bodies on revolutes, in microseconds. Both programs are called many times in a loop of C++
  (``core_loops.cpp``, ``pinocchio_loops.cpp``, compiled when the script runs first), so that no call from Python is
  measured; the best of seven loops in turn. ``aligned``: all axes along y (a joint type of its own in pinocchio),
  ``skew``: axes in any direction. pinocchio in local and in world coordinates, the quicker counts. The accelerations of
  both programs are compared. ``stage``: a step of Explicit divided by its evaluations, over one evaluation.
- trees: one evaluation of binary trees and of a random tree of 1000 bodies.
- flexible: one evaluation of chains of flexible bodies with N modes, each body's share, and the time that Cholesky's
  factorisation of a matrix of 6 + N takes.
- loops: one evaluation of a row of n four-bars whose cranks are shared (IFToMM A02), and of n four-bars beside each
  other on the ground and on a moving carriage, in both descriptions.
- mixed: one evaluation of walking machines with an arm, and of lattices, in the global, the relative and the mixed
  description, with what the program takes out of the tree.
- robot: six joints and two flexible links, a second of a motion by drives; how much faster than real time.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402, after the number of threads

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]

from support import chains  # noqa: E402, after the path
from support.evaluated import Evaluated  # noqa: E402, after the path
from support.lattices import lattice, walker  # noqa: E402, after the path
from support.random_trees import RandomTree, falling_chain, random_tree  # noqa: E402, after the path

import flexbody as fb  # noqa: E402, after the path
from fem.common.compiled import address  # noqa: E402, after the path
from fem.core.compiler import local_compiler  # noqa: E402, after the path

REPEATS = 7


def installed(name: str) -> bool:
    """Return whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


# --- loops in C++ -------------------------------------------------------------------------------------------


def library(source: str, *flags: str) -> ctypes.CDLL:
    """Return a file of this folder, compiled where it has changed."""
    compiler = local_compiler()[0]
    if compiler is None:
        raise SystemExit("this benchmark needs a C++ compiler for its loops")
    stamp = hashlib.sha256((HERE / source).read_bytes()).hexdigest()[:12]
    out = Path(tempfile.gettempdir()) / f"flexbody-{source}-{stamp}.so"
    if not out.exists():
        print(f"compiling {source}; pinocchio's takes minutes", flush=True)
        command = [*compiler.command, "-O3", "-DNDEBUG", "-fPIC", "-shared", str(HERE / source), *flags]
        subprocess.run([*command, "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))


def pointer(x: np.ndarray) -> ctypes.c_void_p:
    """Return the address of an array."""
    return ctypes.c_void_p(x.ctypes.data)


class Ours(Evaluated):
    """One machine in a description; ``time_rates`` and ``time_forces`` return microseconds of an evaluation."""

    def __init__(self, system: fb.System, description=None) -> None:
        super().__init__(system, description)
        self.loops = library("core_loops.cpp")
        self.loops.run_rates.restype = self.loops.run_forces.restype = ctypes.c_double

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        """Set angles and speeds of a tree of revolutes, in the order of the joints, which is that of the bodies."""
        self.y[self.places], self.y[self.speeds] = q[self.order], v[self.order]

    def time_rates(self, count: int) -> float:
        """Time the accelerations."""
        numbers = (self.plan.layout.address, self.work.address, self.state.address)
        seconds = self.loops.run_rates(
            ctypes.c_void_p(address("flexbody_rates")), count, *map(ctypes.c_void_p, numbers),
            *map(pointer, (self.y, self.out, self.multipliers)),
        )  # fmt: skip
        return 1e6 * seconds / count

    def time_forces(self, rates: np.ndarray, out: np.ndarray, count: int) -> float:
        """Time the torques for given accelerations."""
        numbers = (self.plan.layout.address, self.work.address, self.state.tree.address)
        seconds = self.loops.run_forces(
            ctypes.c_void_p(address("flexbody_tree_forces")), count, *map(ctypes.c_void_p, numbers),
            *map(pointer, (self.y, rates, out)),
        )  # fmt: skip
        return 1e6 * seconds / count


class Pinocchio:
    """A tree of revolutes in pinocchio; ``time`` returns microseconds of an evaluation."""

    LOCAL, WORLD, INVERSE = range(3)

    def __init__(self, tree: RandomTree, aligned: bool) -> None:
        prefix = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix"
        defined = ("BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
                   "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION")  # fmt: skip
        self.loops = library(
            "pinocchio_loops.cpp", "-std=c++17", *(f"-D{name}" for name in defined), f"-I{prefix}/include",
            f"-I{prefix}/include/eigen3", f"-L{prefix}/lib", "-lpinocchio_default", f"-Wl,-rpath,{prefix}/lib",
        )  # fmt: skip
        self.loops.make_chain.restype = ctypes.c_void_p
        self.loops.run_chain.restype = ctypes.c_double
        n = len(tree.mass)
        placement = np.column_stack([np.tile(np.eye(3).ravel(), (n, 1)), tree.offset])
        numbers = (placement, tree.axis, tree.mass, tree.center - tree.point, tree.inertia)
        self.numbers = [np.ascontiguousarray(x) for x in numbers]
        parent = tree.parent.astype(np.int32)
        self.chain = self.loops.make_chain(n, int(aligned), pointer(parent), *map(pointer, self.numbers))

    def time(self, what: int, count: int, q, v, x, out: np.ndarray) -> float:
        """Time ABA (x: torques) or RNEA (x: accelerations)."""
        arrays = map(pointer, (q, v, x, out))
        return 1e6 * self.loops.run_chain(ctypes.c_void_p(self.chain), what, count, *arrays) / count


def best(ways: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Return the best of several timings of each way, taken in turn."""
    found = {name: np.inf for name in ways}
    for _ in range(REPEATS):
        for name, way in ways.items():
            found[name] = min(found[name], way())
    return found


# --- one evaluation -----------------------------------------------------------------------------------------


def dynamics_row(tree: RandomTree, aligned: bool) -> str:
    """Measure one chain."""
    rng, n = np.random.default_rng(1), len(tree.mass)
    q, v = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    ours, count = Ours(tree.machine()), max(200, 100_000 // n)
    ours.set(q, v)
    accelerations, given, torques = np.empty(n), np.empty(n), np.zeros(n)
    given[:] = ours.rates()[ours.speeds]
    accelerations[ours.order] = given
    ways = {
        "forward": lambda: ours.time_rates(count),
        "inverse": lambda: ours.time_forces(given, torques, count),
    }
    other = None
    if installed("pinocchio"):
        other, found = Pinocchio(tree, aligned), np.zeros(n)
        ways |= {
            "local": lambda: other.time(other.LOCAL, count, q, v, np.zeros(n), found),
            "world": lambda: other.time(other.WORLD, count, q, v, np.zeros(n), found),
        }
        apart = np.zeros(n)
        other.time(other.LOCAL, 1, q, v, np.zeros(n), apart)
        gap = np.abs(apart - accelerations).max() / np.abs(apart).max()
        ways["rnea"] = lambda: other.time(other.INVERSE, count, q, v, apart, np.zeros(n))
    t = best(ways)
    cells = [n, "aligned" if aligned else "skew", f"{t['forward']:.2f}"]
    if other is None:
        return "| " + " | ".join(map(str, [*cells, "", "", f"{t['inverse']:.2f}", "", "", ""])) + " |"
    aba = min(t["local"], t["world"])
    cells += [f"{t['local']:.2f}, {t['world']:.2f}", f"{t['forward'] / aba:.2f}", f"{t['inverse']:.2f}"]
    cells += [f"{t['rnea']:.2f}", f"{t['inverse'] / t['rnea']:.2f}", f"{gap:.0e}"]
    return "| " + " | ".join(map(str, cells)) + " |"


def stage_cost(n: int) -> float:
    """Return the time of a step of Explicit per evaluation, over that of one evaluation."""
    system = chains.chain(n)
    ours = Ours(system)
    one = best({"rates": lambda: ours.time_rates(max(100, 20_000 // n))})["rates"]

    def step() -> float:
        result = fb.simulate(system, 0.02, integrator=fb.Explicit(step=1e-4), output_step=0.02,
                             description=fb.Relative(), show_progress=False)  # fmt: skip
        return 1e6 * result.statistics.loop_seconds / result.statistics.iterations

    return best({"step": step})["step"] / one


def dynamics_table() -> None:
    """Measure and print."""
    print("\nchains of rigid bodies, microseconds of one evaluation")
    print("| bodies | axes | forward | ABA (local, world) | ratio | inverse | RNEA | ratio | difference |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n in (10, 50, 200):
        print(dynamics_row(falling_chain(n), True), flush=True)
        print(dynamics_row(random_tree(np.random.default_rng(n), n, chain=True), False), flush=True)
    print("\na stage of a step of Explicit over an evaluation: " + ", ".join(
        f"{n} bodies {stage_cost(n):.2f}" for n in (10, 50, 200)))  # fmt: skip


def tree_table() -> None:
    """Measure and print."""
    print("\ntrees of rigid bodies, one evaluation")
    print("| tree | bodies | microseconds | per body |")
    print("|---|---|---|---|")
    machines = {f"binary, {k} levels": chains.tree(k) for k in (4, 7, 9)}
    machines["random"] = random_tree(np.random.default_rng(3), 1000).machine()
    for name, machine in machines.items():
        ours, n = Ours(machine), len(machine.bodies)
        t = best({"rates": lambda ours=ours, n=n: ours.time_rates(max(20, 20_000 // n))})["rates"]
        print(f"| {name} | {n} | {t:.0f} | {t / n:.2f} |", flush=True)


# --- flexible chains ----------------------------------------------------------------------------------------


def flexible_chain(n: int, modes: int) -> fb.System:
    """A chain of n beams on revolutes, each with this number of modes, half of them in each direction."""
    import modal

    length, waves = chains.LENGTH, modal.assumed.sines(modes // 2)
    reduced = modal.assumed.beam(
        length, mass=0.04, EI=10.0, polar_inertia=1e-6, y=waves, z=waves, stiffening=False, name="beam"
    )
    beams = [fb.FlexibleBody(f"b{k}", reduced, origin=(length * k, 0, 0)) for k in range(n)]
    inner = [fb.GROUND, *(beam["end"] for beam in beams)]
    joints = [fb.Revolute(f"j{k}", inner[k], beam["start"], axis="y") for k, beam in enumerate(beams)]
    return fb.System(beams, joints, gravity=(0, 0, -9.81))


def flexible_table() -> None:
    """Measure and print."""
    import scipy

    print("\nchains of flexible bodies, microseconds of one evaluation for each body")
    print("| modes | 10 bodies | 50 bodies | 200 bodies | global, 50 | Cholesky of 6 + N |")
    print("|---|---|---|---|---|---|")
    for modes in (2, 6, 12, 24):
        cells = [str(modes)]
        for n, description in ((10, None), (50, None), (200, None), (50, fb.Absolute())):
            ours, count = Ours(flexible_chain(n, modes), description), max(10, 4000 // (n * modes))
            t = best({"rates": lambda ours=ours, count=count: ours.time_rates(count)})["rates"]
            cells.append(f"{t / n:.2f}")
        A = np.eye(6 + modes) + 0.01
        lapack = scipy.linalg.lapack.dpotrf

        def factor(A=A, lapack=lapack) -> float:
            cpu = time.process_time()
            for _ in range(2000):
                lapack(A)
            return 1e6 * (time.process_time() - cpu) / 2000

        cells.append(f"{best({'one': factor})['one']:.2f}")
        print("| " + " | ".join(cells) + " |", flush=True)


# --- loops --------------------------------------------------------------------------------------------------


def four_bars_apart(n: int, carried: bool) -> fb.System:
    """Four-bars of revolutes beside each other, on the ground or on a carriage that slides along x."""
    inertia = (0.1, 0.1, 0.1)
    carriage = fb.RigidBody("carriage", 5.0, inertia, center=(0, 0, 0))
    base = carriage if carried else fb.GROUND
    bodies = [carriage] if carried else []
    joints = [fb.Prismatic("rails", fb.GROUND, carriage, point=(0, 0, 0), axis="x")] if carried else []
    for k in range(n):
        x = 3.0 * k
        bars = [
            fb.RigidBody(f"{name} {k}", 1.0, inertia, center=center)
            for name, center in (
                ("crank", (x + 0.2, 0.2, 0)), ("coupler", (x + 1.2, 0.7, 0)), ("rocker", (x + 2.0, 0.5, 0)),
            )
        ]  # fmt: skip
        points = ((x, 0, 0), (x + 0.4, 0.4, 0), (x + 2.0, 1.0, 0), (x + 2.0, 0, 0))
        pairs = zip([base, *bars], [*bars, base], points, strict=True)
        joints += [fb.Revolute(f"j{k} {i}", a, b, point=p, axis="z") for i, (a, b, p) in enumerate(pairs)]
        bodies += bars
    return fb.System(bodies, joints, gravity=(0, -9.81, 0))


def loops_table() -> None:
    """Measure and print."""
    from reference.machines import four_bar_machine

    warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
    kinds: dict[str, Callable[[int], fb.System]] = {
        "shared cranks": lambda n: four_bar_machine(n, redundant=True)[0],
        "on the ground": lambda n: four_bars_apart(n, False),
        "on a carriage": lambda n: four_bars_apart(n, True),
    }
    print("\nrows of four-bars of revolutes, microseconds of one evaluation")
    print("| | four-bars | Relative | each | Absolute | ratio | difference |")
    print("|---|---|---|---|---|---|---|")
    for name, make in kinds.items():
        for n in (10, 50, 200):
            machine, count = make(n), max(20, 10_000 // n)
            if name == "on a carriage" and n > 10:
                count = 20  # in the global description all rows at the carriage meet
            if name == "on a carriage" and n > 50:
                continue
            ours = {each: Ours(machine, each()) for each in (fb.Relative, fb.Absolute)}
            ways = {each.__name__: lambda one=one: one.time_rates(count) for each, one in ours.items()}  # noqa: B023
            t = best(ways)
            for one in ours.values():
                one.rates()
            tree = ours[fb.Relative].state.tree
            nv = len(tree.v)
            found, expected = tree.vdot, ours[fb.Absolute].out[7 * len(machine.bodies) :][:nv]
            gap = np.abs(found - expected).max() / np.abs(expected).max()
            print(
                f"| {name} | {n} | {t['Relative']:.1f} | {t['Relative'] / n:.2f} | {t['Absolute']:.1f} | "
                f"{t['Relative'] / t['Absolute']:.2f} | {gap:.0e} |",
                flush=True,
            )


def mixed_table() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
    machines = {
        f"walker of {n} segments, arm of {k} links": walker(n, k) for n, k in ((6, 0), (12, 100), (24, 300))
    }
    machines |= {f"lattice {n} x {k}": lattice(n, k) for n, k in ((8, 8), (4, 60))}
    print("\nmachines with many loops and open branches, microseconds of one evaluation")
    print("| | bodies | Absolute | Relative | Mixed | bodies in global coordinates | joints cut by choice |")
    print("|---|---|---|---|---|---|---|")
    for name, machine in machines.items():
        ours = {each: Ours(machine, each()) for each in (fb.Absolute, fb.Relative, fb.Mixed)}
        ways = {each.__name__: lambda one=one: one.time_rates(20) for each, one in ours.items()}
        t, found = best(ways), ours[fb.Mixed].plan.formulation
        print(
            f"| {name} | {len(machine.bodies)} | {t['Absolute']:.1f} | {t['Relative']:.1f} | {t['Mixed']:.1f} | "
            f"{len(found.base)} | {len(found.cut)} |",
            flush=True,
        )


# --- a robot ------------------------------------------------------------------------------------------------


def robot() -> fb.System:
    """Six driven joints, two links of tubes of 1 m (two modes in each direction), a load of 2 kg."""
    import modal

    waves = modal.assumed.beam_modes(2, modal.assumed.End.CLAMPED, modal.assumed.End.FREE)
    tube = modal.assumed.beam(
        1.0, mass=1.5, EI=6000.0, polar_inertia=1e-3, y=waves, z=waves, stiffening=False,
        name="tube",
    )  # fmt: skip

    def solid(name: str, mass: float, x: float, z: float) -> fb.RigidBody:
        return fb.RigidBody(name, mass, (0.01 * mass, 0.01 * mass, 0.01 * mass), center=(x, 0, z))

    base = solid("base", 20.0, 0.0, 0.4)
    upper = fb.FlexibleBody("upper arm", tube, origin=(0, 0, 0.5))
    elbow = solid("elbow", 2.0, 1.05, 0.5)
    fore = fb.FlexibleBody("forearm", tube, origin=(1.1, 0, 0.5))
    wrist, hand = solid("wrist", 1.0, 2.15, 0.5), solid("hand", 0.5, 2.2, 0.5)
    load = solid("load", 2.0, 2.3, 0.5)
    joints = [
        fb.Revolute("waist", fb.GROUND, base, point=(0, 0, 0), axis="z"),
        fb.Revolute("shoulder", base, upper["start"], axis="y"),
        fb.Fixed("flange", upper["end"], elbow),
        fb.Revolute("elbow joint", elbow, fore["start"], axis="y"),
        fb.Revolute("roll", fore["end"], wrist, axis="x"),
        fb.Revolute("pitch", wrist, hand, point=(2.15, 0, 0.5), axis="y"),
        fb.Revolute("yaw", hand, load, point=(2.2, 0, 0.5), axis="x"),
    ]
    turns = {"waist": 1.0, "shoulder": -0.6, "elbow joint": 0.8, "roll": 1.5, "pitch": -0.7, "yaw": 2.0}
    by_name = {joint.name: joint for joint in joints}

    def moved(turn: float):
        # half a turn's cosine: from rest to rest in one second
        return lambda t: turn * (t - np.sin(2 * np.pi * t) / (2 * np.pi))

    drives = [fb.Drive(f"drive of {name}", by_name[name], value=moved(turn)) for name, turn in turns.items()]
    return fb.System([base, upper, elbow, fore, wrist, hand, load], [*joints, *drives], gravity=(0, 0, -9.81))


def robot_table() -> None:
    """Measure and print."""
    machine, reach = robot(), 2.3

    def run(integrator, description) -> tuple[float, np.ndarray, fb.Result]:
        result = fb.simulate(machine, 1.0, integrator=integrator, description=description, output_step=0.05,
                             start=fb.QuasiStatic(), show_progress=False)  # fmt: skip
        return result.statistics.loop_seconds, result.position(machine.body("load")), result

    exact = run(fb.Explicit(rtol=1e-11), fb.Absolute())[1]
    print("\na robot with six driven joints and two flexible links, 1 s")
    print("| | CPU ms | times real time | error, of its reach | steps | evaluations |")
    print("|---|---|---|---|---|---|")
    ways = {
        "Relative, Explicit(rtol=1e-3)": (fb.Explicit(rtol=1e-3), fb.Relative()),
        "Relative, Explicit(rtol=1e-5)": (fb.Explicit(rtol=1e-5), fb.Relative()),
        "Relative, GeneralizedAlpha(rtol=1e-3)": (fb.GeneralizedAlpha(rtol=1e-3), fb.Relative()),
        "Relative, GeneralizedAlpha(rtol=1e-4)": (fb.GeneralizedAlpha(rtol=1e-4), fb.Relative()),
        "Absolute, Explicit(rtol=1e-3)": (fb.Explicit(rtol=1e-3), fb.Absolute()),
        "Absolute, GeneralizedAlpha(rtol=1e-3)": (fb.GeneralizedAlpha(rtol=1e-3), fb.Absolute()),
        "Absolute, GeneralizedAlpha(rtol=1e-4)": (fb.GeneralizedAlpha(rtol=1e-4), fb.Absolute()),
    }
    for name, way in ways.items():
        runs = [run(*way) for _ in range(REPEATS)]
        seconds, statistics = min(r[0] for r in runs), runs[0][2].statistics
        error = np.abs(runs[0][1] - exact).max() / reach
        print(
            f"| {name} | {1e3 * seconds:.1f} | {1 / seconds:.0f} | {error:.0e} | {statistics.steps} | "
            f"{statistics.iterations} |",
            flush=True,
        )


def main() -> None:
    """Read the command line."""
    tables: dict[str, Callable[[], None]] = {
        "dynamics": dynamics_table, "trees": tree_table, "flexible": flexible_table, "loops": loops_table,
        "mixed": mixed_table,
        "robot": robot_table,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", choices=[*tables, []], default=[])
    given = parser.parse_args()
    for name, table in tables.items():
        if not given.what or name in given.what:
            table()


if __name__ == "__main__":
    main()
