"""What the automatic choice of the method costs, beside the better of both methods.

    python tests/benchmarks/automatic_cost.py [MACHINE ...]

For each machine: processor seconds of ``fb.simulate`` by default, with its trial and whatever it hands over; seconds of
the implicit and of the explicit method at the same accuracy; the first over the smaller of the others.
"""

from __future__ import annotations

import sys
import time
import warnings

from ringing_machines import MACHINES as RINGING
from ringing_machines import mount
from support import cases

import flexbody as fb


def bars(n: int, stiffness: float = 0.0) -> fb.System:
    """A chain of bars on hinges; with a stiffness each hangs in a spring."""
    bodies = [fb.RigidBody(f"b{k}", 1.0, (1e-3, 0.03, 0.03), center=(0.3 + 0.6 * k, 0, 0)) for k in range(n)]
    joints = [
        fb.Revolute(f"h{k}", bodies[k - 1] if k else fb.GROUND, body, point=(0.6 * k, 0, 0), axis="y")
        for k, body in enumerate(bodies)
    ]
    springs = [
        fb.SpringDamper(f"s of {body.name}", fb.GROUND, body, stiffness=stiffness, first_point=(0.3, 0, 3.0))
        for body in bodies
        if stiffness
    ]
    return fb.System(bodies, joints, springs, gravity=(0, 0, -9.81))


def mounted(stiffness: float, n: int = 8) -> fb.System:
    """A row of blocks, each on a mount on the one before."""
    blocks = [fb.RigidBody(f"m{k}", 1.0, (1e-2,) * 3, center=(0.5 * k + 0.5, 0, 0)) for k in range(n)]
    mounts = [
        fb.Bushing(
            f"k{k}", blocks[k - 1] if k else fb.GROUND, block,
            stiffness=(stiffness,) * 3 + (0.01 * stiffness,) * 3, point=(0.5 * k + 0.25, 0, 0),
        )
        for k, block in enumerate(blocks)
    ]  # fmt: skip
    return fb.System(blocks, [], mounts, gravity=(0, 0, -9.81))


def case(make, longer: float):
    """A machine of the tests, for a longer time."""
    found = make()
    return found.system, longer * found.t_end, found.output_step


def ringing(name: str, longer: float = 1.0):
    """A machine of ``default_cost.py``, for a longer time."""
    machine, t_end, _ = RINGING[name]()
    return machine, longer * t_end, longer * t_end / 300


MACHINES = {
    "springs 1e7": lambda: (bars(4, 1e7), 1.0, 0.002),
    "springs 1e9": lambda: (bars(4, 1e9), 0.2, 4e-4),
    "chain of 12": lambda: (bars(12), 5.0, 0.01),
    "chain of 30": lambda: (bars(30), 2.0, 0.01),
    "blocks 1e5": lambda: (mounted(1e5), 2.0, 0.01),
    "blocks 1e8": lambda: (mounted(1e8), 2.0, 0.01),
    "mount 1e5": lambda: (mount(1e5)[0], 10.0, 0.02),
    "mount 1e7": lambda: (mount(1e7)[0], 10.0, 0.02),
    "mount 1e9": lambda: (mount(1e9)[0], 10.0, 0.02),
    "squeezer": lambda: case(cases.squeezer, 10.0),
    "top": lambda: case(cases.top, 20.0),
    "slider_crank": lambda: ringing("slider_crank"),
    "four_bar": lambda: ringing("four_bar"),
    "gearbox": lambda: ringing("gearbox", 5.0),
    "satellite": lambda: ringing("satellite"),
}


def seconds(machine, t_end: float, output_step: float, **options):
    """Return the processor time of a run, s, and its statistics."""
    began = time.process_time()
    found = fb.simulate(machine, t_end, output_step=output_step, show_progress=False, **options)
    return time.process_time() - began, found.statistics


def main(names: list[str]) -> None:
    """Print a line for each machine."""
    warnings.simplefilter("ignore")
    for name in names or MACHINES:
        run = MACHINES[name]()
        fb.simulate(run[0], 1e-3 * run[1], show_progress=False)  # everything loaded
        mine, told = seconds(*run)
        kind, rtol = told.method.rstrip(")").split("(rtol=")
        accuracy = float(rtol) * (10.0 if kind == "Explicit" else 1.0)
        implicit = seconds(*run, integrator=fb.GeneralizedAlpha(rtol=accuracy))[0]
        explicit = seconds(*run, integrator=fb.Explicit(rtol=0.1 * accuracy))[0]
        ratio = mine / min(implicit, explicit)
        print(
            f"{name:14}{kind:18}{mine:7.2f} s; implicit {implicit:.2f} s, explicit {explicit:.2f} s; ratio {ratio:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
