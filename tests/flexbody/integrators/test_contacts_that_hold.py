"""Contacts that stay closed are springs: beside them vibrations that are too small to matter don't choose the steps."""

import itertools
import re
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.frames import line

import fem
import flexbody as fb
import modal
from flexbody.analyses import recorder
from flexbody.analyses.compiled import compiled
from flexbody.analyses.starts import begun
from flexbody.compile.plan import make_plan
from flexbody.integrators.rebounding import bodies_that_rebound

RUN = dict(output_step=1e-4, show_progress=False)


@pytest.fixture(scope="module")
def gearbox() -> fb.System:
    """Two shafts of 0.4 m in bearings of 2e8 N/m with spur gears of 60 and 120 mm, a motor of 50 Nm and a brake."""
    mesh = line([(0, 0, 0), (0.4, 0, 0)], 8, {"middle": np.array([4])})
    structure = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0), fem.Circle(0.015)))
    steel = modal.reduce(structure, modal.craig_bampton(structure, ("start", "middle", "end"), n_normal=2))
    bodies, joints, forces, wheels = [], [], [], []
    for name, y, spin, (m, J), heavy in (
        ("one", 0.0, 100.0, (2.0, 3.6e-3), 0.02),
        ("two", 0.18, -50.0, (8.0, 5.8e-2), 0.4),
    ):
        turning = {"angular_velocity": (0, 0, spin)}
        shaft = fb.FlexibleBody(
            f"shaft {name}", steel, place={"start": (0, y, 0), "end": (0, y, 0.4)}, **turning
        )
        wheel = fb.RigidBody(name, m, (0.6 * J, 0.6 * J, J), center=(0, y, 0.2), **turning)
        end = fb.RigidBody(
            f"mass {name}", 10.0, (0.5 * heavy, 0.5 * heavy, heavy), center=(0, y, 0), **turning
        )
        joints += [
            fb.Fixed(f"on {name}", shaft["middle"], wheel),
            fb.Fixed(f"at {name}", shaft["start"], end),
        ]
        for at, z in (("start", 0.0), ("end", 0.4)):
            ring = fb.RigidBody(f"{at} {name}", 0.3, (1e-4, 1e-4, 2e-4), center=(0, y, z))
            joints.append(fb.Revolute(f"bearing {at} {name}", ring, shaft[at], axis="z"))
            stiff = {"point": (0, y, z), "stiffness": (2e8,) * 3 + (1e4,) * 3}
            forces.append(fb.Bushing(f"seat {at} {name}", fb.GROUND, ring, **stiff))
            bodies.append(ring)
        bodies += [shaft, wheel, end]
        wheels.append(fb.Floating(f"turns {name}", fb.GROUND, wheel, point=(0, y, 0.2), axis="z"))
    by_name = {body.name: body for body in bodies}
    gear = fb.Gear("gear", *wheels, ratio=2.0)
    forces += [
        fb.ToothContact("teeth", gear, backlash=1e-4, stiffness=2e8, dissipation=0.5),
        fb.PointMoment("motor", by_name["mass one"], (0, 0, 50.0)),
        fb.PointMoment("brake", by_name["mass two"], (0, 0, 80.0)),
    ]
    return fb.System(bodies, [*joints, *wheels], forces, gravity=(0, -9.81, 0))


def test_gears_on_flexible_shafts(gearbox):
    """The teeth meet and bounce, and hold from 6 ms on. Speeds and tooth force against an explicit run.

    If teeth that hold were taken for blows, each vibration of bearings and shafts would be resolved, with 23 000 steps.
    """
    found = fb.simulate(gearbox, 0.03, integrator=fb.GeneralizedAlpha(), **RUN)
    exact = fb.simulate(gearbox, 0.03, integrator=fb.Explicit(rtol=1e-7), **RUN)
    assert found.statistics.steps < 8000
    for name in ("one", "two", "mass one", "mass two"):
        speed = exact.angular_velocity(name)[:, 2]
        error = found.angular_velocity(name)[:, 2] - speed
        assert np.sqrt((error**2).mean()) < 2e-3 * np.sqrt(
            (speed**2).mean()
        )  # an engineer's accuracy is 5e-3
    held = exact.t > 0.01
    force, steady = exact.element("teeth").force[held], found.element("teeth").force[held]
    assert force.min() > 100.0
    assert steady.mean() == pytest.approx(force.mean(), rel=1e-2)


def test_runs_of_many_steps_for_blows_say_so(monkeypatch):
    """A ball that falls by 0.1 mm rebounds from the floor 26 times; one near its sag m g / k rings and holds."""
    monkeypatch.setattr(recorder, "FEW_STEPS", 300)
    monkeypatch.setattr(recorder, "FEW_STEPS_PER_OUTPUT", 1)

    def ball_at(height, t_end):
        ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1 + height))
        floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e7, exponent=1.0)
        machine = fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))
        with pytest.warns(fb.FlexbodyWarning, match=" steps follow ") as told:
            fb.simulate(
                machine, t_end, integrator=fb.GeneralizedAlpha(), output_step=1e-3, show_progress=False
            )
        return " ".join(str(one.message) for one in told)

    bounces = ball_at(1e-4, 0.25)
    assert re.search(r"steps follow \d+ blows, most of them of Contact 'floor'", bounces)
    assert "chaotic" not in bounces  # of one ball it is a periodic motion
    held = ball_at(-0.9 * 9.81 / 1e7, 0.02)
    assert "steps follow vibrations" in held
    assert "blows" not in held


@pytest.mark.parametrize("element", ["friction", "limit"])
def test_one_hinge_is_told_nothing_of_blows(element, monkeypatch):
    """A pendulum with friction, or with a stop that it meets some times, whose steps a tight tolerance chooses."""
    monkeypatch.setattr(recorder, "FEW_STEPS", 300)
    monkeypatch.setattr(recorder, "FEW_STEPS_PER_OUTPUT", 1)
    bar = fb.RigidBody("bar", 1.0, (1e-4, 1 / 12, 1 / 12), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    force = (
        fb.Friction("friction", hinge, load=0.3)
        if element == "friction"
        else fb.Limit("stop", hinge, upper=1.0, stiffness=1e6, dissipation=0.3)
    )
    machine = fb.System([bar], [hinge], [force], gravity=(0, 0, -9.81))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fb.simulate(machine, 1.0, integrator=fb.GeneralizedAlpha(rtol=1e-7), show_progress=False)
    assert result.statistics.steps > 1000


def test_balls_that_bounce_on_each_other_are_told_of_chaos(monkeypatch):
    """Three elastic balls on one line, the heaviest below: 1e-9 m at the start are more than 1 mm after 1.5 s.

    M. P. Wojtkowski, Commun. Math. Phys. 126 (1990) 507: such a system has Lyapunov exponents above zero.
    """
    monkeypatch.setattr(recorder, "FEW_STEPS", 300)
    monkeypatch.setattr(recorder, "FEW_STEPS_PER_OUTPUT", 1)

    def found(above):
        balls = [
            fb.RigidBody(f"ball {i}", mass, (4e-3,) * 3, center=(0, 0, 0.15 + 0.25 * i + above))
            for i, mass in enumerate((3.0, 1.0, 0.3))
        ]
        guides = [
            fb.Prismatic(f"g{i}", fb.GROUND, ball, axis="z", point=(0, 0, 0)) for i, ball in enumerate(balls)
        ]
        spheres = [fb.Sphere(ball, 0.1) for ball in balls]
        pairs = [(fb.Plane(fb.GROUND), spheres[0]), *itertools.pairwise(spheres)]
        contacts = [fb.Contact(f"c{i}", *pair, stiffness=1e7, exponent=1.0) for i, pair in enumerate(pairs)]
        machine = fb.System(balls, guides, contacts, gravity=(0, 0, -9.81))
        with pytest.warns(
            fb.FlexbodyWarning, match="Where several bodies rebound for long, their motion may be chaotic"
        ):
            result = fb.simulate(machine, 2.0, integrator=fb.GeneralizedAlpha(), show_progress=False)
        return np.array([result.position(ball)[-1, 2] for ball in balls])

    assert np.abs(found(0.0) - found(1e-9)).max() > 1e-3


@pytest.mark.parametrize("k", [5.6e6, 1e8, 3.2e8])
def test_a_ball_that_slides_on_a_floor_gains_no_energy(k):
    """A ball of 1 kg is let go 0.4 of its sag below its equilibrium: m z.. = -k z on a frictionless floor.

    Its amplitude (z^2 + z.^2 m / k)^(1/2) is constant; what the steps do not follow may be lost, but never grows. A
    single iteration that leaves too much would add energy in each step.
    """
    m, g, radius = 1.0, 9.81, 0.05
    sag = m * g / k
    ball = fb.RigidBody("ball", m, (0.01,) * 3, center=(0, 0, radius - 1.4 * sag), velocity=(1.0, 0, 0))
    contact = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, radius), stiffness=k, exponent=1.0)
    machine = fb.System([ball], forces=[contact], gravity=(0, 0, -g))
    found = fb.simulate(machine, 1.0, output_step=1e-3, show_progress=False)
    z = found.position("ball")[:, 2] - radius + sag
    amplitude = np.sqrt(z**2 + found.velocity("ball")[:, 2] ** 2 * m / k)
    assert amplitude.max() < 1.02 * 0.4 * sag


def test_a_wheel_that_sinks_into_its_tyre_on_a_flexible_arm():
    """The tyre takes up the load in 0.06 s, and the axial vibration of the arm (5 kHz) does not choose the steps.

    Against SciPy with a rigid arm: I theta'' = (N - m g) l cos(theta) - m_a g a / 2 cos(theta), N = -k l sin(theta).
    80 000 steps before.
    """
    steel = fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0)
    structure = fem.assemble(
        line([(0, 0, 0), (0.4, 0, 0)], 12), fem.Beam(steel, fem.Tube(0.04, thickness=0.004))
    )
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=2))
    arm = fb.FlexibleBody("arm", reduced, place={"start": (0, 0.3, 0.35), "end": (0, 0.7, 0.35)})
    wheel = fb.RigidBody("wheel", 300.0, (1.0, 1.0, 1.0), center=(0, 0.75, 0.35))
    joints = [
        fb.Revolute("hinge", fb.GROUND, arm["start"], axis="x"),
        fb.Fixed("hub", arm["end"], wheel),
    ]
    ground = fb.Plane(fb.GROUND, "z")
    tyre = fb.Contact("tyre", fb.Sphere(wheel, 0.35), ground, stiffness=2e5, exponent=1.0)
    machine = fb.System([arm, wheel], joints, [tyre], gravity=(0, 0, -9.81))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)  # of the vibrations of the arm
        found = fb.simulate(
            machine, 0.2, integrator=fb.GeneralizedAlpha(), output_step=1e-3, show_progress=False
        )
    inertia = 300.0 * 0.45**2 + 1.0 + arm.mass * 0.4**2 / 3

    def slope(_, y):
        loads = (-2e5 * 0.45 * np.sin(y[0]) - 300.0 * 9.81) * 0.45 - arm.mass * 9.81 * 0.2
        return [y[1], loads * np.cos(y[0]) / inertia]

    exact = 0.45 * np.sin(solve_ivp(slope, (0, 0.2), [0, 0], "DOP853", found.t, rtol=1e-10, atol=1e-12).y[0])
    assert found.statistics.steps < 2000
    assert np.abs(found.position(wheel)[:, 2] - 0.35 - exact).max() < 2e-3 * np.abs(exact).max()


def height_of(ball, machine, integrator, interval):
    """The height of a ball within a second, m, and the balance error; what it bounces on vibrates, which is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)
        found = fb.simulate(machine, 1.0, integrator=integrator, output_step=interval, show_progress=False)
    return found.position(ball)[:, 2], found.energy.balance_error


def test_a_ball_that_bounces_on_a_ringing_table():
    """The vibration of the table on its mount (350 Hz) hides no blow of the ball; against the explicit method."""
    table = fb.RigidBody("table", 20.0, (1.0, 1.0, 1.0))
    ball = fb.RigidBody("ball", 1.0, (1e-3, 1e-3, 1e-3), center=(0.05, 0, 0.3))
    mount = fb.Bushing("mount", fb.GROUND, table, stiffness=(1e8,) * 3 + (1e6,) * 3, point=(0, 0, 0))
    top = fb.Plane(table, "z", point=(0, 0, 0.1))
    blow = fb.Contact("blow", fb.Sphere(ball, 0.05), top, stiffness=1e6)
    machine = fb.System([table, ball], [], [mount, blow], gravity=(0, 0, -9.81))

    exact, _ = height_of(ball, machine, fb.Explicit(rtol=1e-9), 5e-3)
    found, balance = height_of(ball, machine, fb.GeneralizedAlpha(), 5e-3)
    # 0.13 of 0.3 m where one filter serves for sixteen steps of a blow
    assert np.abs(found - exact).max() < 1e-3 * 0.3
    assert balance < 1e-3


def test_a_ball_that_bounces_on_a_stiff_plate():
    """Steps that stay the same between blows are judged by one filtered error, steps in a blow never.

    Against the explicit method: 4e-4 of the way of the ball; 2.4e-2 where an error from before a blow judged it.
    """
    plate = fb.RigidBody("plate", 5.0, (1.0, 1.0, 1.0))
    ball = fb.RigidBody("ball", 0.5, (1e-3, 1e-3, 1e-3), center=(0, 0, 0.1))
    guides = [fb.Prismatic(f"guide {b.name}", fb.GROUND, b, point=(0, 0, 0), axis="z") for b in (plate, ball)]
    mount = fb.ForceElement("mount", fb.Along(guides[0]), fb.Linear(stiffness=1e8))
    blow = fb.Contact(
        "blow", fb.Plane(plate), fb.Sphere(ball, 0.05), stiffness=1e6, exponent=1.5, dissipation=0.2
    )
    machine = fb.System([plate, ball], guides, [mount, blow], gravity=(0, 0, -9.81))

    exact, _ = height_of(ball, machine, fb.Explicit(rtol=1e-9), 1e-3)
    found, balance = height_of(ball, machine, fb.GeneralizedAlpha(), 1e-3)
    assert np.abs(found - exact).max() < 2e-3 * np.ptp(exact)
    assert balance < 1e-3


@pytest.mark.parametrize("d", [0.2, 1.0, 5.0])
def test_damping_makes_no_blow_shorter(d):
    """A ball of 1 kg hits a floor of force k z (1 + d z.) at 1 m/s: its stiffness is k (1 + d z.), whatever the step.

    A contact holds after a period of its own vibration. With damping over the step in place of stiffness that was in
    the middle of the blow.
    """
    k, radius = 1e6, 0.1
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, radius + 1e-5), velocity=(0, 0, -1.0))
    floor = fb.Contact(
        "floor", fb.Plane(fb.GROUND), fb.Sphere(ball, radius), stiffness=k, exponent=1.0, dissipation=d
    )
    plan = make_plan(fb.System([ball], forces=[floor]))
    run = fb.GeneralizedAlpha().begin(plan, begun(plan, None, 0.05), 0.05, None)
    rates = []
    while run.t < 5e-3:
        run.advance(5e-3, 1)
        if run.work.element_force[0] != 0.0:
            rates.append(run._state.held_rate[0])
    assert len(rates) > 20
    assert max(rates) < 1.001 * k * (1 + d)  # (the speed of the blow is its largest)


def test_only_bodies_that_act_on_each_other_rebound_together():
    """Two balls on a floor, and a contact between them: without blows or with one, they are two periodic motions."""
    balls = [fb.RigidBody(f"ball {i}", 1.0, (4e-3,) * 3, center=(i, 0, 0.1001)) for i in range(2)]
    spheres = [fb.Sphere(ball, 0.1) for ball in balls]
    pairs = [(fb.Plane(fb.GROUND), spheres[0]), (fb.Plane(fb.GROUND), spheres[1]), spheres]
    contacts = [fb.Contact(f"c{i}", *pair, stiffness=1e7) for i, pair in enumerate(pairs)]
    spring = fb.SpringDamper(
        "spring", *balls, first_point=(0, 0, 0.1), second_point=(1, 0, 0.1), stiffness=1.0
    )
    alone, tied = (
        compiled(fb.System(balls, forces=forces), 1.0, None) for forces in (contacts, [*contacts, spring])
    )
    assert [bodies_that_rebound(alone, np.array([9.0, 9.0, n])) for n in (0.0, 1.0, 9.0)] == [1, 1, 2]
    assert bodies_that_rebound(tied, np.array([9.0, 9.0, 0.0, 0.0])) == 2
    assert bodies_that_rebound(tied, np.array([9.0, 1.0, 0.0, 0.0])) == 1
    assert bodies_that_rebound(alone, np.zeros(3)) == 0
