"""Time, memory and size of a reduced body, and what its stiffening terms cost a time step.

    python tests/benchmarks/reduction_cost.py --thousands 100

The connecting rod (24 792 degrees of freedom) and a bar of tet10 (4 x 1 x 1 m) with about so many thousand, both with
two averaged interfaces and eight normal modes by Craig and Bampton. Every line is a process of its own, so that the
peak of its resident memory is its own too, with compiled functions at hand: what the linear body takes, the body with
stiffening terms, and that with stress modes as well; then ``accuracy``. Wall and CPU time in s (CPU counts all
threads), ``basis`` that of the basis alone, in GB the peak less what the imports take, in MB the stored body: what
dynamics reads, and the part for pictures and stresses.

The time step is that of the slider-crank with the connecting rod of notebooks/01, by the generalized-alpha method with
the same fixed step for both.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NORMAL, STEP, T_END, REPEATS = 8, 2e-5, 0.01, 5
VARIANTS = {
    "linear": {"stiffening": False, "stress": False},
    "stiffening": {"stiffening": True, "stress": False},
    "all": {"stiffening": True, "stress": True},
    "accuracy": {"stiffening": True, "stress": True},
}


def peak() -> float:
    """Largest resident memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


class Clock:
    """Wall and CPU seconds since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self, name: str) -> dict[str, float]:
        return {
            f"{name}_wall": time.perf_counter() - self.wall,
            f"{name}_cpu": time.process_time() - self.cpu,
        }


def divisions(thousands: float) -> tuple[int, int, int]:
    """Bricks along a 4 x 1 x 1 box whose tet10 have about so many thousand degrees of freedom."""
    target = 1000 * thousands / 3
    k = max(1, round(((target / 4) ** (1 / 3) - 1) / 2))
    return max(1, round((target / (2 * k + 1) ** 2 - 1) / 2)), k, k


def structure_of(what: str):
    """Return the structure and its two interfaces: "conrod", or thousands of degrees of freedom."""
    import fem

    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    if what == "conrod":
        mesh, names = fem.read_mesh(ROOT / "meshes" / "conrod.msh"), ("big_end", "small_end")
    else:
        mesh, names = fem.box((4.0, 1.0, 1.0), divisions(float(what)), "tet10"), ("x0", "x1")
    return fem.assemble(mesh, steel), names


def reduction(what: str, variant: str) -> dict:
    """Measure one reduction in this process."""
    import h5py

    import fem
    import modal

    small = fem.assemble(fem.box((1, 1, 1), (1, 1, 1), "tet10"), fem.Isotropic(210e9, 0.3, 7850.0))
    modal.reduce(small, modal.craig_bampton(small, ("x0", "x1"), n_normal=2)).report(
        small
    )  # compiled code is loaded
    structure, names = structure_of(what)
    start, clock = peak(), Clock()
    basis = modal.craig_bampton(structure, names, n_normal=NORMAL)
    found = {"dofs": structure.n, **clock.read("basis")}
    body = modal.reduce(structure, basis, **VARIANTS[variant])
    found |= clock.read("whole")
    if variant == "accuracy":
        clock = Clock()
        modal.accuracy(structure, body)
        found |= clock.read("accuracy")
    found |= {"N": body.N, "peak": peak() - start}
    with tempfile.TemporaryDirectory() as folder, h5py.File(body.save(Path(folder) / "body.h5")) as file:
        sizes = {"core": 0, "recovery": 0}

        def add(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                part = name.split("/")[0]
                sizes[part] = sizes.get(part, 0) + item.id.get_storage_size()

        file.visititems(add)
        core = sizes.pop("core")
        return found | {"core_MB": core / 1e6, "rest_MB": sum(sizes.values()) / 1e6}


def time_step(what: str, variant: str) -> dict:
    """Return microseconds per step of the slider-crank, the least of some runs, with stiffening and without."""
    import flexbody as fb
    import modal

    structure, names = structure_of("conrod")
    reduced = modal.reduce(structure, modal.craig_bampton(structure, names, n_normal=NORMAL), stress=False)
    found: dict[str, float] = {"N": reduced.N}
    for _ in range(REPEATS):
        for stiffened in (False, True):
            result = fb.simulate(
                slider_crank(reduced, stiffened),
                T_END,
                integrator=fb.GeneralizedAlpha(rho_inf=0.8, step=STEP),
                show_progress=False,
            )
            used = 1e6 * result.statistics.loop_seconds / result.statistics.steps
            key = "stiffened" if stiffened else "linear"
            found[key] = min(used, found.get(key, used))
            found[f"{key}_iterations"] = result.statistics.iterations / result.statistics.steps
    return found


def slider_crank(reduced, stiffening: bool):
    """Return the machine of notebooks/01 without damping."""
    import flexbody as fb

    r, l = 0.15, 0.30
    crank = fb.RigidBody("crank", mass=0.9, inertia=(1e-4, 2e-3, 2e-3), center=(0.05, 0, 0))
    rod = fb.FlexibleBody(
        "rod", reduced, place={"big_end": (r, 0, 0), "small_end": (r + l, 0, 0)}, stiffening=stiffening
    )
    slider = fb.RigidBody("slider", mass=0.4, inertia=(1e-4, 1e-4, 1e-4), center=(r + l, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    joints = [
        main,
        fb.Spherical("pin", crank, rod["big_end"]),
        fb.Universal("wrist", rod["small_end"], slider, axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(r + l, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=150.0),
    ]
    return fb.System([crank, rod, slider], joints)


def measure(task: str, what: str, variant: str) -> dict:
    """Run one task in a fresh process."""
    command = [sys.executable, __file__, "--child", task, "--what", what, "--variant", variant]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def table(whats: list[str]) -> None:
    """Measure and print."""
    print("| body | variant | N | basis s (CPU) | with reduce s (CPU) | peak GB | core MB | rest MB |")
    print("|---|---|---|---|---|---|---|---|")
    for what in whats:
        for variant in VARIANTS:
            m = measure("reduction", what, variant)
            compared = ""
            if "accuracy_wall" in m:
                compared = f", accuracy {m['accuracy_wall']:.2f} s ({m['accuracy_cpu']:.2f})"
            print(
                f"| {what}, {m['dofs']} dofs | {variant}{compared} | {m['N']} | {m['basis_wall']:.2f} "
                f"({m['basis_cpu']:.2f}) | {m['whole_wall']:.2f} ({m['whole_cpu']:.2f}) | {m['peak']:.2f} "
                f"| {m['core_MB']:.2f} | {m['rest_MB']:.2f} |",
                flush=True,
            )
    m = measure("time_step", "conrod", "all")
    print(
        f"time step of the slider-crank, N = {m['N']}: linear {m['linear']:.1f} us ({m['linear_iterations']:.2f} "
        f"iterations), stiffened {m['stiffened']:.1f} us ({m['stiffened_iterations']:.2f}), "
        f"{100 * (m['stiffened'] / m['linear'] - 1):+.0f} %"
    )


TASKS = {task.__name__: task for task in (reduction, time_step)}


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--thousands", type=float, nargs="*", default=[100.0], help="thousand dofs of the bar"
    )
    parser.add_argument("--child", choices=TASKS, help=argparse.SUPPRESS)
    parser.add_argument("--what", default="conrod", help=argparse.SUPPRESS)
    parser.add_argument("--variant", default="all", choices=VARIANTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        sys.path.insert(0, str(ROOT))
        print(json.dumps(TASKS[given.child](given.what, given.variant)))
    else:
        table(["conrod", *(f"{size:g}" for size in given.thousands)])


if __name__ == "__main__":
    main()
