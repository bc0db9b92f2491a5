"""What an evaluation of accelerations costs beside an iteration of the implicit method, in both descriptions.

``flexbody.formulations.absolute.EVALUATION_COST`` and ``flexbody.formulations.relative.RECURSION_COST`` are about half
of what it says, because fixed steps leave out the error control of the implicit method. Run it from the root of the
working copy: ``python tests/benchmarks/evaluation_cost.py``.
"""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support import varied, zoo
from support.trees import slaats_tree

import flexbody as fb

ROUNDS = 4


def chain(n: int, closed: bool) -> fb.System:
    """A chain of n bars on hinges of crossed axes; ``closed``: its end is on a line."""
    bars = [fb.RigidBody(f"bar {k}", 1.0, (0.01, 0.05, 0.05), center=(k + 0.5, 0, 0)) for k in range(n)]
    joints: list = [
        fb.Revolute(f"hinge {k}", bars[k - 1] if k else fb.GROUND, bars[k], point=(k, 0, 0), axis="zy"[k % 2])
        for k in range(n)
    ]
    if closed:
        joints.append(fb.PointOnLine("end", fb.GROUND, bars[-1], point=(n, 0, 0), axis="x"))
    return fb.System(bars, joints, gravity=(0, 0, -9.81))


def cost(machine: fb.System, description, integrator) -> float:
    """The least time of an evaluation or iteration, in microseconds."""
    found = []
    for _ in range(ROUNDS):
        run = fb.simulate(
            machine,
            0.05,
            integrator=integrator,
            description=description,
            output_step=0.05,
            show_progress=False,
        ).statistics
        found.append(run.loop_seconds / run.iterations * 1e6)
    return min(found)


def main() -> None:
    warnings.simplefilter("ignore")
    machines = {
        f"chain of {n}{', closed' * closed}": chain(n, closed)
        for n in (10, 50, 200)
        for closed in (False, True)
    }
    machines["Slaats' tree, rigid"] = slaats_tree(2, False)
    machines["Slaats' tree, flexible"] = slaats_tree(2, True)
    machines |= {name: varied.MACHINES[name]()[0] for name in ("spatial", "geared")}
    machines["all classes"] = zoo.rigid()
    methods = fb.Explicit(step=1e-4), fb.GeneralizedAlpha(step=1e-4)
    print(f"{'':24}{'evaluation, iteration (us), ratio: global':>44}{'relative':>24}")
    for name, machine in machines.items():
        text = f"{name:24}"
        for description in (fb.Absolute(), fb.Relative()):
            one, other = (cost(machine, description, method) for method in methods)
            text += f"{one:16.1f}{other:8.1f}{one / other:8.2f}"
        print(text)


if __name__ == "__main__":
    main()
