"""Several machines simulated at once in threads of one process: the digits of one after the other."""

import functools
import math
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support import chains, zoo
from support.rods import rod

import flexbody as fb
import modal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
TABLE = {"gain": 3.0}
SAVED = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "law_states")


def rigid_chain():
    return chains.chain(6)


@functools.cache
def blade_shape():
    structure = rod()
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=1)
    return modal.reduce(structure, basis, stiffening=True)


def stiffened_blade():
    """A rod on a hub that spins up, with geometric stiffening."""
    hub = fb.RigidBody("hub", 1.0, (0.1, 0.1, 0.1))
    blade = fb.FlexibleBody("blade", blade_shape(), origin=(0, 0, 0))
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    root = fb.Fixed("root", hub, blade["start"])
    drive = fb.Drive("drive", axle, value=lambda t: 10.0 * t * t)
    return fb.System([hub, blade], [axle, root, drive])


def recorded_laws():
    return zoo.rigid()


def called_back():
    """Every law that can be called back: of a load, a spring, a drive, an element, an element with a state, a row."""
    bodies = [fb.RigidBody(name, 1.0, (0.1, 0.1, 0.1), center=(k, 0, 0)) for k, name in enumerate("abcd")]
    a, b, c, d = bodies
    slide = fb.Prismatic("slide", fb.GROUND, a, point=(0, 0, 0), axis="x")
    joints = [
        slide,
        fb.Drive("drive", slide, value=lambda t: 0.1 * math.sin(TABLE["gain"] * t) if t > 0.0 else 0.0),
        fb.Constraint("rail", [d], position=lambda t, d: d.r[2] if TABLE["gain"] * d.r[0] < 1e3 else 0.0),
    ]
    line = lambda one, two: fb.Line(one, two, free_length=0.8)  # noqa: E731
    return fb.System(
        bodies,
        joints,
        [
            fb.PointForce("wind", b, lambda t: (0.0, TABLE["gain"] if t > 0.05 else 0.0, 0.1 * t)),
            fb.SpringDamper("push", a, b, stiffness=20.0, damping=1.0, free_length=0.9,
                            force=lambda t: TABLE["gain"] if t > 0.1 else 0.0),
            fb.ForceElement("one", line(b, c), fb.UserLaw(lambda t, x, rate: 30.0 * x if x > 0.01 else rate)),
            fb.ForceElement(
                "two",
                line(c, d),
                fb.UserLaw(
                    lambda t, x, rate, z: 40.0 * (x - z[0]) if t >= 0.0 else 0.0,
                    lambda t, x, rate, z: [10.0 * (x - z[0])] if t >= 0.0 else [0.0],
                    start=0.0,
                ),
            ),
        ],
        gravity=(0, -1.0, 0),
    )  # fmt: skip


def friction():
    """A pendulum in a journal bearing: friction follows the reaction."""
    bob = fb.RigidBody("bob", 1.5, (0.02, 0.02, 0.02), center=(0.3, 0, 0))
    pin = fb.Revolute("pin", fb.GROUND, bob, point=(0, 0, 0))
    rub = fb.BearingFriction("rub", pin, mu=0.4, radius=0.06, regularisation_velocity=0.003)
    return fb.System([bob], [pin], [rub], gravity=(0, -9.81, 0))


MACHINES = {
    f.__name__: f for f in (rigid_chain, stiffened_blade, recorded_laws, called_back, friction)
}  # fmt: skip
T_END = {
    "rigid_chain": 0.1,
    "stiffened_blade": 0.05,
    "recorded_laws": 0.03,
    "called_back": 0.12,
    "friction": 0.1,
}
INTEGRATORS = (None, fb.GeneralizedAlpha(step=1e-3), fb.Explicit(rtol=1e-5))


def run(name, integrator=None, system=None, **options):
    return fb.simulate(
        system or MACHINES[name](),
        T_END[name],
        integrator=integrator,
        output_step=T_END[name] / 25,
        show_progress=False,
        **options,
    )


def at_once(calls):
    """Do all calls in threads of their own, which start together; return results or exceptions in this order."""
    barrier = threading.Barrier(len(calls))

    def go(call):
        barrier.wait()
        try:
            return call()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(go, calls))


def assert_same(found, expected):
    if isinstance(found, Exception):
        raise found
    for name in SAVED:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    one, two = found.statistics, expected.statistics
    assert (one.steps, one.iterations, one.method) == (two.steps, two.iterations, two.method)


@pytest.mark.filterwarnings("ignore::flexbody.FlexbodyWarning")
@pytest.mark.parametrize(
    "integrator",
    [*INTEGRATORS[:-1], pytest.param(INTEGRATORS[-1], marks=pytest.mark.slow)],
    ids=lambda method: type(method).__name__,
)
def test_machines_of_all_kinds_at_once_give_the_digits_of_one_after_the_other(integrator, tmp_path):
    """Each twice by one description, the second time streamed into a file."""
    systems = {name: make() for name, make in MACHINES.items()}
    serial = {name: run(name, integrator, system) for name, system in systems.items()}
    calls, names = [], []
    for name, system in systems.items():
        place = tmp_path / f"{name}.h5"
        calls += [
            functools.partial(run, name, integrator, system),
            functools.partial(run, name, integrator, system, save=place),
        ]
        names += 2 * [name]
    for found, name in zip(at_once(calls), names, strict=True):
        assert_same(found, serial[name])


def broken(kind, thread):
    """Return a machine whose law of this kind raises, with the thread's number in its words."""

    def check(t):
        if t > 0.1:
            raise LookupError(f"thread {thread} has no value, {TABLE}")
        return 0.0

    mass = fb.RigidBody("mass", 1.0, (0.1, 0.1, 0.1), center=(1, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, mass, point=(1, 0, 0), axis="x")
    joints, forces = [guide], []
    if kind == "spring":
        forces.append(
            fb.SpringDamper("bad", fb.GROUND, mass, stiffness=1.0, damping=0.0, free_length=1.0, force=check)
        )
    elif kind == "element":
        law = fb.UserLaw(lambda t, x, rate: check(t))
        forces.append(fb.ForceElement("bad", fb.Line(fb.GROUND, mass), law))
    elif kind == "drive":
        joints.append(
            fb.Drive(
                "bad",
                guide,
                value=lambda t: check(t) + 0.01 * t * t,
                velocity=lambda t: 0.02 * t,
                acceleration=lambda t: 0.02 + check(t),
            )
        )
    elif kind == "load":
        forces.append(fb.PointForce("bad", mass, lambda t: (check(t), 0.0, 0.0)))
    else:
        joints[:] = [fb.Constraint("bad", [mass], position=lambda t, a: a.r[1] + check(t))]
    return fb.System([mass], joints, forces, gravity=(1.0, 0, 0))


def test_a_law_that_fails_in_one_thread_fails_there_only():
    """Two of every kind at once, and machines without a fault beside them."""
    good = run("called_back")
    faults = [(kind, thread) for kind in ("spring", "element", "drive", "load", "row") for thread in range(2)]
    calls = [functools.partial(fb.simulate, broken(*fault), 0.3, show_progress=False) for fault in faults]
    found = at_once([*calls, *(len(calls) // 2) * [functools.partial(run, "called_back")]])
    for (kind, thread), error in zip(faults, found[: len(calls)], strict=True):
        assert isinstance(error, fb.InputError), (kind, error)
        assert "bad" in str(error)
        assert f"thread {thread} has no value" in str(error)
    for result in found[len(calls) :]:
        assert_same(result, good)


def test_the_first_call_of_a_process_may_come_from_many_threads():
    """Functions of the core are found when they are first called."""
    code = (
        "import sys; sys.path[:0] = ['tests']; sys.setswitchinterval(1e-5)\n"
        "import threading\n"
        "from support import chains\n"
        "import flexbody as fb\n"
        "barrier, found = threading.Barrier(6), []\n"
        "def go():\n"
        "    barrier.wait()\n"
        "    found.append(fb.simulate(chains.chain(3), 0.05, show_progress=False).c.tobytes())\n"
        "threads = [threading.Thread(target=go) for _ in range(6)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(len(found), len(set(found)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["6", "1"], done.stderr


def test_what_warnings_are_shown_stays_as_it_was():
    before = list(warnings.filters)
    at_once([functools.partial(run, name) for name in ("rigid_chain", "friction", "called_back")])
    assert warnings.filters == before
