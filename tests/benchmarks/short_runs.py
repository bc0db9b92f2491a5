"""Short runs of machines that vibrate beside their motion: what is wrong by default, and what it costs.

    python tests/benchmarks/short_runs.py [MACHINE ...]

For each machine: steps, time of the loop (processor time, ms) and error of the vibration (root mean square over the
peak, against ``fb.Explicit(rtol=1e-9)``) of the implicit method, of the explicit one, and of the default run.
"""

from __future__ import annotations

import sys
import warnings

from default_cost import error
from ringing_machines import mount, rod_of

import fem
import flexbody as fb

G = (0.0, 0.0, -9.81)


def on_sled(k, t_end):
    """A box on a mount on a sled at 1 m/s; its height."""
    sled = fb.RigidBody("sled", 10.0, (0.1,) * 3, velocity=(1.0, 0, 0))
    box = fb.RigidBody("box", 10.0, (0.1,) * 3, center=(0, 0, 0.3), velocity=(1.0, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, sled, point=(0, 0, 0), axis="x")
    held = fb.Bushing("mount", sled, box, stiffness=(k,) * 3 + (0.01 * k,) * 3, point=(0, 0, 0.2))
    machine = fb.System([sled, box], [rail], [held], gravity=G)
    return machine, t_end, lambda found: found.position("box")[:, 2] - 0.3


def on_mount(k, t_end):
    """The base of a pendulum on a mount; its height."""
    return mount(k)[0], t_end, lambda found: found.position("base")[:, 2]


def bob(k, t_end):
    """A bob of 1 kg on a spring of 1 m that swings; the stretch."""
    body = fb.RigidBody("bob", 1.0, (1e-3,) * 3, center=(1.0, 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, body, stiffness=k, first_point=(0, 0, 0))
    return (
        fb.System([body], [], [spring], gravity=G),
        t_end,
        lambda found: found.element("spring").deformation,
    )


def rod(diameter, length, t_end):
    """A rod that falls on its hinge; how far its middle bends."""
    body = fb.FlexibleBody(
        "rod", rod_of(length, fem.Circle(diameter)), place={"start": (0, 0, 0), "end": (length, 0, 0)}
    )
    hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="y")
    return fb.System([body], [hinge], gravity=G), t_end, bend("rod")


def rod_and_bob(t_end):
    """The same with a bob of 1 kg at its end."""
    body = fb.FlexibleBody(
        "rod", rod_of(1.0, fem.Circle(0.005)), place={"start": (0, 0, 0), "end": (1, 0, 0)}
    )
    end = fb.RigidBody("bob", 1.0, (1e-3,) * 3, center=(1.0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="y")
    return fb.System([body, end], [hinge, fb.Fixed("held", body["end"], end)], gravity=G), t_end, bend("rod")


def chain(t_end):
    """Three rods that fall on hinges; how far the first one bends."""
    reduced = rod_of(0.5, fem.Circle(0.01))
    rods = [
        fb.FlexibleBody(f"rod {k}", reduced, place={"start": (0.5 * k, 0, 0), "end": (0.5 * k + 0.5, 0, 0)})
        for k in range(3)
    ]
    hinges = [
        fb.Revolute(f"hinge {k}", rods[k - 1]["end"] if k else fb.GROUND, rods[k]["start"], axis="y")
        for k in range(3)
    ]
    return fb.System(rods, hinges, gravity=G), t_end, bend("rod 0")


def crank_in_frame(k, t_end):
    """A slider-crank of rigid bodies at 20 rad/s in a frame on a mount; how far the frame moves."""
    frame = fb.RigidBody("frame", 50.0, (1.0,) * 3)
    crank, coupler, piston = (
        fb.RigidBody(name, 1.0, (1e-3, 1e-2, 1e-2), center=(x, 0, 0))
        for name, x in (("crank", 0.05), ("coupler", 0.25), ("piston", 0.4))
    )
    main = fb.Revolute("main", frame, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Spherical("pin", crank, coupler, point=(0.1, 0, 0)),
        fb.Universal("wrist", coupler, piston, point=(0.4, 0, 0), axes=("z", "y")),
        fb.Prismatic("guide", frame, piston, point=(0.4, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=20.0),
    ]
    held = fb.Bushing("mount", fb.GROUND, frame, stiffness=(k,) * 3 + (0.1 * k,) * 3, point=(0, 0, 0))
    machine = fb.System([frame, crank, coupler, piston], joints, [held], gravity=G)
    return machine, t_end, lambda found: found.position("frame")[:, 0]


def bend(name):
    """How far the middle of a body bends."""
    return lambda found: found.displacement(name, "middle", relative_to=fb.Chord())[:, 2]


STIFF = (1e4, 1e5, 1e6)
MACHINES = {
    **{f"sled {k:.0e} {t:g} s": (on_sled, k, t) for k in (*STIFF, 1e7, 1e9) for t in (1.0, 5.0, 20.0)},
    **{f"mount {k:.0e} {t:g} s": (on_mount, k, t) for k in (*STIFF, 1e7) for t in (1.0, 5.0, 20.0)},
    **{f"bob {k:.0e} {t:g} s": (bob, k, t) for k in STIFF for t in (1.0, 5.0, 20.0)},
    **{
        f"rod {d:g} {length:g} {t:g} s": (rod, d, length, t)
        for d in (0.005, 0.015)
        for length, t in ((0.5, 0.3), (0.5, 2.0), (1.0, 0.3), (1.0, 2.0), (2.0, 3.0))
    },
    **{f"rod and bob {t:g} s": (rod_and_bob, t) for t in (0.5, 5.0)},
    **{f"crank {k:.0e} {t:g} s": (crank_in_frame, k, t) for k in (1e5, 1e6, 1e7) for t in (0.5, 2.0)},
    **{f"chain {t:g} s": (chain, t) for t in (0.1, 1.0)},
}


def main(names: list[str]) -> None:
    """Print a line for each machine."""
    warnings.simplefilter("ignore")
    for name in names or MACHINES:
        make, *numbers = MACHINES[name]
        machine, t_end, look = make(*numbers)
        exact = look(fb.simulate(machine, t_end, integrator=fb.Explicit(rtol=1e-9), show_progress=False))
        line_of = f"{name:20}"
        for method in (fb.GeneralizedAlpha(), fb.Explicit(rtol=1e-6), fb.Automatic()):
            found = fb.simulate(machine, t_end, integrator=method, show_progress=False)
            told = found.statistics
            ms = 1e3 * told.loop_seconds
            line_of += f"| {told.method[:8]} {told.steps:6} {ms:7.1f} ms {error(look(found), exact):8.1e} "
        print(line_of, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
