"""Times and memory of assembly, factorisation, modes and many right-hand sides, beside other ways to do them.

    python tests/benchmarks/fem_speed.py --sizes 30 100 300 --solver PARDISO

A free bar of tet10 (4 x 1 x 1 m, steel) with about so many thousand degrees of freedom. Every measurement runs in
a process of its own, so that the peak of its resident memory is its own too, with compiled functions at hand:

- assembly of K and M, and scikit-fem's of the same (vector P2, default quadrature; K and the vector mass) up to
  ``--scikit-fem-limit`` thousand; beyond, the time of its largest run scaled by the number of elements, marked ~;
- ``fem.factorise`` of K + s M, s near the first elastic eigenvalue;
- ``fem.vibration`` of 20 elastic modes, against the same solver and scipy's ``eigsh`` called bare on K + s M
  (26 modes, rigid ones included, the same tolerance);
- 60 right-hand sides.

Wall and CPU time in s (CPU counts all threads); memory in GB. ``ratio`` is the peak less what the imports take,
over the bytes of factor and matrices (K, M).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODES, LOADS, TOLERANCE = 20, 60, 1e-11


def divisions(thousands: float) -> tuple[int, int, int]:
    """Bricks along a 4 x 1 x 1 box whose tet10 have about so many thousand degrees of freedom."""
    target = 1000 * thousands / 3
    k = max(1, round(((target / 4) ** (1 / 3) - 1) / 2))
    return max(1, round((target / (2 * k + 1) ** 2 - 1) / 2)), k, k


class Clock:
    """Wall and CPU seconds since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        return {"wall": time.perf_counter() - self.wall, "cpu": time.process_time() - self.cpu}


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def held(*matrices) -> int:
    """Bytes of sparse matrices."""
    return sum(A.data.nbytes + A.indices.nbytes + A.indptr.nbytes for A in matrices)


# --- what a child process measures -------------------------------------------------------------------------


def structure_of(size: float):
    import fem

    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    fem.assemble(fem.box((1, 1, 1), (1, 1, 1), "tet10"), steel)  # compiled code is loaded
    start = peak()
    mesh = fem.box((4.0, 1.0, 1.0), divisions(size), "tet10")
    clock = Clock()
    structure = fem.assemble(mesh, steel)
    return structure, clock.read(), start


def solver_of(name: str | None):
    """Return the solver of a name on the command line."""
    from fem.solvers.libraries import SOLVERS

    return next((solver for solver in SOLVERS if solver.name == name), None)


def assembly(size: float, solver: str | None) -> dict:
    structure, times, _ = structure_of(size)
    return times | {"dofs": structure.K.shape[0], "elements": structure.mesh.n_elements, "peak": peak()}


def scikit_fem(size: float, solver: str | None) -> dict:
    import skfem
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    import fem

    mesh = fem.box((4.0, 1.0, 1.0), divisions(size), "tet4")
    other = skfem.MeshTet(np.ascontiguousarray(mesh.points.T), np.ascontiguousarray(mesh.blocks[0].nodes.T))
    mass = skfem.BilinearForm(lambda u, v, w: 7850.0 * dot(u, v))
    clock = Clock()
    basis = skfem.Basis(other, skfem.ElementVector(skfem.ElementTetP2()))
    K = skfem.asm(linear_elasticity(*lame_parameters(210e9, 0.3)), basis)
    skfem.asm(mass, basis)
    return clock.read() | {"dofs": K.shape[0], "elements": mesh.n_elements, "peak": peak()}


def shifted(structure):
    """K + s M, positive definite, and s: about a half of the lowest bending eigenvalue of the bar."""
    s = 0.5 * (2 * np.pi * 250.0) ** 2
    return (structure.K + s * structure.M).tocsr(), s


def factorisation(size: float, solver: str | None) -> dict:
    import fem

    structure, _, start = structure_of(size)
    A, _ = shifted(structure)
    matrices = held(A)
    del structure
    clock = Clock()
    factor = fem.factorise(A, solver=solver_of(solver))
    times = clock.read()
    return times | _memory(start, factor, matrices) | {"solver": factor.name}


def loads(size: float, solver: str | None) -> dict:
    import fem

    structure, _, start = structure_of(size)
    A, _ = shifted(structure)
    factor = fem.factorise(A, solver=solver_of(solver))
    B = np.random.default_rng(0).standard_normal((A.shape[0], LOADS))
    clock = Clock()
    X = factor.solve(B)
    times = clock.read()
    residual = np.abs(A @ X - B).max() / np.abs(B).max()
    return times | _memory(start, factor, held(structure.K, structure.M_scalar, A)) | {"residual": residual}


def modes(size: float, solver: str | None) -> dict:
    from fem.analysis import vibration
    from fem.model import free_body_flexibility as flexibility

    structure, _, start = structure_of(size)
    factors: list = []
    original = flexibility.factorise

    def noted(*arguments, **options):
        factors.append(original(*arguments, **options | ({"solver": solver_of(solver)} if solver else {})))
        return factors[-1]

    flexibility.factorise = noted
    try:
        clock = Clock()
        found = vibration.vibration(structure, n=MODES)
        times = clock.read()
    finally:
        flexibility.factorise = original
    memory = _memory(start, factors[0], held(structure.K, structure.M_scalar))
    return times | memory | {"frequencies": list(found.frequencies_hz)}


def bare_modes(size: float, solver: str | None) -> dict:
    from scipy.sparse.linalg import LinearOperator, eigsh

    import fem

    structure, _, start = structure_of(size)
    M = structure.M
    kind = (solver_of(solver) or fem.installed_solvers()[0]).kind
    clock = Clock()
    A, s = shifted(structure)
    factor = kind(A)
    inverse = LinearOperator(A.shape, matvec=factor._solve, dtype=float)
    found = eigsh(structure.K, MODES + 6, M, sigma=-s, OPinv=inverse, tol=TOLERANCE)[0]
    times = clock.read()
    frequencies = np.sqrt(np.sort(found)[6:]) / (2 * np.pi)
    return times | _memory(start, factor, held(structure.K, M)) | {"frequencies": list(frequencies)}


def _memory(start: int, factor, matrices: int) -> dict:
    return {
        "peak": peak(),
        "factor": factor.memory,
        "ratio": (peak() - start) / (factor.memory + matrices),
    }


TASKS = {task.__name__: task for task in (assembly, scikit_fem, factorisation, modes, bare_modes, loads)}


# --- the table ---------------------------------------------------------------------------------------------


def measure(task: str, size: float, solver: str | None) -> dict:
    """Run one task in a fresh process; {} with the reason where it failed."""
    command = [sys.executable, __file__, "--child", task, "--sizes", str(size)]
    command += ["--solver", solver] if solver else []
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["killed"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def row(name: str, result: dict, note: str = "") -> str:
    if "failed" in result:
        return f"| {name} | | | | | | {result['failed'][:80]} |"
    memory = [f"{result[key] / 1e9:.2f}" if key in result else "" for key in ("peak", "factor")]
    ratio = f"{result['ratio']:.2f}" if "ratio" in result else ""
    return f"| {name} | {result['wall']:.2f} | {result['cpu']:.2f} | {memory[0]} | {memory[1]} | {ratio} | {note} |"


def table(sizes: list[float], solver: str | None, limit: float) -> None:
    """Measure and print."""
    print("| what | wall s | CPU s | peak GB | factor GB | ratio | |")
    print("|---|---|---|---|---|---|---|")
    per_element = 0.0
    for size in sizes:
        ours = measure("assembly", size, solver)
        name = f"{ours.get('dofs', size)}"
        print(row(f"{name}: K and M", ours), flush=True)
        if size <= limit:
            other = measure("scikit_fem", size, solver)
            if "cpu" in other:
                per_element = other["cpu"] / other["elements"]
                note = f"{other['cpu'] / ours['cpu']:.1f} times ours in CPU time"
                print(row(f"{name}: K and M, scikit-fem", other, note), flush=True)
            else:
                print(row(f"{name}: K and M, scikit-fem", other), flush=True)
        elif per_element:
            scaled = per_element * ours["elements"]
            print(
                f"| {name}: K and M, scikit-fem | | ~{scaled:.1f} | | | | ~{scaled / ours['cpu']:.1f} times ours |"
            )
        factor = measure("factorisation", size, solver)
        print(row(f"{name}: factorise", factor, factor.get("solver", "")), flush=True)
        bare, modal = measure("bare_modes", size, solver), measure("modes", size, solver)
        print(row(f"{name}: {MODES} modes, bare", bare), flush=True)
        note = ""
        if "cpu" in bare and "cpu" in modal:
            apart = np.abs(np.array(modal["frequencies"]) / bare["frequencies"] - 1).max()
            note = f"{modal['cpu'] / bare['cpu']:.2f} times bare (wall {modal['wall'] / bare['wall']:.2f})"
            note += f", frequencies apart by {apart:.0e}"
        print(row(f"{name}: {MODES} modes", modal, note), flush=True)
        many = measure("loads", size, solver)
        note = f"residual {many['residual']:.0e}" if "residual" in many else ""
        print(row(f"{name}: {LOADS} right-hand sides", many, note), flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=float, nargs="+", default=[30.0, 100.0], help="thousand dofs")
    parser.add_argument("--solver", help="PARDISO, CHOLMOD, MUMPS or SuperLU; the best installed by default")
    parser.add_argument("--scikit-fem-limit", type=float, default=110.0, help="thousand dofs")
    parser.add_argument("--child", choices=TASKS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        sys.path.insert(0, str(ROOT))
        print(json.dumps(TASKS[given.child](given.sizes[0], given.solver)))
    else:
        table(given.sizes, given.solver, given.scikit_fem_limit)


if __name__ == "__main__":
    main()
