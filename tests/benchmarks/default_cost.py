"""What a run with default settings costs, against the coarsest fixed step that is as good.

    python tests/benchmarks/default_cost.py [MACHINE ...]

For each machine: steps and time of the loop of ``fb.simulate(machine, t_end)``, its error against
``fb.Explicit(rtol=1e-9)`` (root mean square over the peak of what one looks at), and the coarsest fixed step of the
generalized-alpha method whose error is at most half a per cent, or that of the default run. The last column is the
ratio of the times of both loops (processor time, seconds).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.frames import line  # noqa: E402

import fem  # noqa: E402
import flexbody as fb  # noqa: E402
import modal  # noqa: E402

STEEL = fem.Isotropic(E=2e11, nu=0.3, rho=7870.0)
OUTPUTS, GOOD = 300, 5e-3


def rod_of(length, section, n=20, shear=False):
    """A straight rod of beam elements with four modes and its interfaces."""
    mesh = line([(0, 0, 0), (length, 0, 0)], n, {"middle": np.array([n // 2])})
    structure = fem.assemble(mesh, fem.Beam(STEEL, section, shear=shear))
    return modal.reduce(
        structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4), markers=("middle",)
    )


def slider_crank():
    """A thin connecting rod at 150 rad/s; the deflection of its middle."""
    r, length, rate = 0.15, 0.3, 150.0
    place = {"start": (r, 0, 0), "end": (r + length, 0, 0)}
    rod = fb.FlexibleBody("rod", rod_of(length, fem.Circle(0.006)), place=place)
    crank = fb.RigidBody("crank", 1.0, (1e-2,) * 3, angular_velocity=(0, 0, rate))
    block = fb.RigidBody("slider", rod.mass / 2, (1e-5,) * 3, center=(r + length, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    joints = [
        main,
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", rod["end"], block, axes=("z", "y")),
        fb.Prismatic("guide", fb.GROUND, block, point=(r + length, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=rate),
    ]
    machine = fb.System([crank, rod, block], joints)
    return machine, 0.06, lambda found: found.displacement("rod", "middle", relative_to="chord")[:, 1]


def rotating_rod():
    """A thin rod that turns with its hub at 75 rad/s; the sag of its end."""
    length, rate = 0.3, 75.0
    spin = (0, 0, rate)
    reduced = rod_of(length, fem.Circle(0.006), 40)
    rod = fb.FlexibleBody("rod", reduced, angular_velocity=spin, velocity=(0, rate * length / 2, 0))
    hub = fb.RigidBody("hub", 1.0, (0.01,) * 3, angular_velocity=spin)
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0))
    joints = [axle, fb.Fixed("clamp", hub, rod["start"]), fb.Drive("drive", axle, rate=rate)]
    machine = fb.System([hub, rod], joints, gravity=(0, 0, -9.81))
    return machine, 0.06, lambda found: found.position(("rod", "end"))[:, 2]


def four_bar():
    """Three flexible bars and a hinge that is 5 degrees out of line; how far the last bar leaves the plane."""
    places = {
        "AB": ((0, 0, 0), (0, 0.12, 0), 0.016),
        "BC": ((0, 0.12, 0), (0.24, 0.12, 0), 0.016),
        "CD": ((0.24, 0, 0), (0.24, 0.12, 0), 0.008),
    }
    bars = {}
    for name, (a, b, h) in places.items():
        reduced = rod_of(float(np.linalg.norm(np.subtract(b, a))), fem.Rectangle(h, h), 16, shear=True)
        bars[name] = fb.FlexibleBody(name, reduced, place={"start": a, "end": b})
    s, c = np.sin(np.radians(5)), np.cos(np.radians(5))
    motor = fb.Revolute("A", fb.GROUND, bars["AB"]["start"])
    joints = [
        motor,
        fb.Revolute("B", bars["AB"]["end"], bars["BC"]["start"]),
        fb.Revolute("C", bars["BC"]["end"], bars["CD"]["end"], axis=(s, 0, c)),
        fb.Revolute("D", fb.GROUND, bars["CD"]["start"]),
        fb.Drive("drive", motor, rate=0.6),
    ]
    return fb.System(list(bars.values()), joints), 0.05, lambda found: found.position(("CD", "end"))[:, 2]


def mount():
    """A pendulum under a base of 10 kg on a mount of 1e9 N/m; the height of its bob."""
    base, bob = fb.RigidBody("base", 10.0, (0.1,) * 3), fb.RigidBody("bob", 1.0, (0.02,) * 3, (1.0, 0, 0))
    stiffness = (1e9,) * 3 + (1e7,) * 3
    bushing = fb.Bushing("mount", fb.GROUND, base, stiffness=stiffness, point=(0, 0, 0))
    hinge = fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")
    machine = fb.System([base, bob], [hinge], [bushing], gravity=(0, 0, -9.81))
    return machine, 1.0, lambda found: found.position("bob")[:, 2]


MACHINES = {machine.__name__: machine for machine in (slider_crank, rotating_rod, four_bar, mount)}


def run(machine, t_end, look, **options):
    """Return what one looks at, and the statistics of a run; the first short one loads everything."""
    fb.simulate(machine, t_end=t_end / OUTPUTS, show_progress=False, **options)
    found = fb.simulate(machine, t_end=t_end, output_step=t_end / OUTPUTS, show_progress=False, **options)
    return look(found), found.statistics


def error(found, exact) -> float:
    """Root mean square over the peak."""
    return float(np.sqrt(np.mean((found - exact) ** 2)) / np.abs(exact).max())


def main(names: list[str]) -> None:
    """Print a line for each machine."""
    for name in names or MACHINES:
        machine, t_end, look = MACHINES[name]()
        exact = run(machine, t_end, look, integrator=fb.Explicit(rtol=1e-9))[0]
        found, cost = run(machine, t_end, look)
        wrong = error(found, exact)
        line_of = f"{name}: {cost.steps} + {cost.rejected} steps, {cost.loop_seconds:.4f} s, {wrong:.3%}"
        for n in OUTPUTS * 2 ** np.arange(7):
            fixed, spent = run(machine, t_end, look, step=t_end / n)
            if error(fixed, exact) <= max(GOOD, wrong):
                ratio = cost.loop_seconds / spent.loop_seconds
                line_of += (
                    f"; {n} fixed: {spent.loop_seconds:.4f} s, {error(fixed, exact):.3%}; ratio {ratio:.1f}"
                )
                break
        print(line_of, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
