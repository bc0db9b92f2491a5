"""What rings before a machine has moved is compared with the motion that a pilot run foresees."""

import numpy as np

import flexbody as fb
from flexbody.analyses.compiled import compiled
from flexbody.analyses.starts import beginning
from flexbody.equations.consistent_start import consistent_start
from flexbody.integrators import generalized_alpha
from flexbody.integrators.foresight import foreseen_motion
from flexbody.integrators.generalized_alpha import PILOT

GRAVITY = (0.0, 0.0, -9.81)


def begun(t):
    """A way of 0.5 m in 1 s that starts and ends without a jump of the acceleration; 1 m/s in the middle."""
    return 0.5 * (t - np.sin(2 * np.pi * t) / (2 * np.pi))


def carriage(law, **load):
    """A load of 1 kg on a mount of 1e8 N/m, which it hangs into, on a carriage that ``law`` drives along x."""
    base = fb.RigidBody("base", 10.0, (1.0,) * 3)
    load = fb.RigidBody("load", 1.0, (0.1,) * 3, center=(0, 0, 0.5), **load)
    rail = fb.Prismatic("rail", fb.GROUND, base, point=(0, 0, 0), axis="x")
    mount = fb.Bushing("mount", base, load, stiffness=(1e8,) * 6, point=(0, 0, 0.5))
    return fb.System([base, load], [rail, fb.Drive("drive", rail, value=law)], [mount], gravity=GRAVITY)


def run(machine, t_end=1.0, **options):
    return fb.simulate(machine, t_end, integrator=fb.GeneralizedAlpha(), show_progress=False, **options)


def pilot(machine, t_end):
    plan = compiled(machine, t_end, None)
    start = consistent_start(plan, beginning(plan, None, t_end))
    return foreseen_motion(PILOT.begin(plan, start, t_end, t_end / 8), start)


def test_what_a_pilot_run_foresees_of_a_pendulum():
    """Released horizontally it is at the other side after 1 s, and its top speed follows from its energy: of its
    centre, omega l with omega^2 = 2 m g l / (m l^2 + J). The pilot damps what it does not follow: 10 % less at most."""
    bob = fb.RigidBody("bob", 1.0, (0.02,) * 3, center=(1.0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bob, point=(0, 0, 0), axis="y")
    spring = fb.SpringDamper("spring", fb.GROUND, bob, stiffness=1e-6, first_point=(0, 0, 5.0))
    motion = pilot(fb.System([bob], [hinge], [spring], gravity=GRAVITY), 1.0)
    speed = np.sqrt(2 * 9.81 / 1.02) * np.sqrt(1.02)
    assert 0.9 * speed < motion.speeds[0] < 1.01 * speed
    assert 1.8 < motion.travel < 2.0


def test_a_rod_that_spins_about_its_own_axis_hardly_moves():
    """A rod of 1 m: omega (J / m)^1/2 about its axis, which may count twice; across it the radius of gyration."""
    for omega, expected in (((1000.0, 0, 0), 2.0 * 1000.0 * 1e-3), ((0, 0, 3.0), 3.0 * np.sqrt(2 / 12))):
        rod = fb.RigidBody("rod", 2.0, (2e-6, 2 / 12, 2 / 12), angular_velocity=omega)
        motion = pilot(fb.System([rod]), 1e-3)
        np.testing.assert_allclose(motion.speeds, expected, rtol=1e-3)


def test_ringing_before_the_motion_costs_hardly_more_than_none():
    """From its equilibrium the mount does not ring: half as many steps again are allowed, where 20 times as many would
    follow 0.8 um at 2 kHz until the carriage has moved. It is 50 cm in the end."""
    ringing, quiet = run(carriage(begun)), run(carriage(begun), start=fb.Equilibrium())
    assert np.ptp(quiet.position("load")[:, 2]) < 1e-12 < 1e-8 < np.ptp(ringing.position("load")[:, 2])
    assert ringing.statistics.steps < 1.5 * quiet.statistics.steps
    # the mount gives way by less than m a / k = 3e-8 m
    assert np.abs(ringing.position("load")[:, 0] - begun(ringing.t)).max() < 1e-5


def test_a_machine_that_moves_already_is_judged_by_what_has_moved():
    """A kick of a tenth of the speed that will occur is motion: it is followed, 200 periods and more of the mount."""
    kicked = run(carriage(begun, velocity=(0.2, 0, 0)))
    assert kicked.statistics.steps > 4 * run(carriage(begun)).statistics.steps


def test_no_function_of_the_user_is_called_by_a_pilot_run(monkeypatch):
    """One that can't be compiled may be slow, or remember its calls."""
    pilots = []
    monkeypatch.setattr(
        generalized_alpha, "foreseen_motion", lambda *given: pilots.append(given) or foreseen_motion(*given)
    )
    run(carriage(lambda t: float(str(0.5 * t * t))), t_end=0.01)
    assert pilots == []
    run(carriage(lambda t: 0.5 * t * t), t_end=0.01)
    assert len(pilots) == 1


def falling(**options):
    """The result of a car of 400 kg that is let go on its spring, 0.3 m above the free length; the spring gives way."""
    car = fb.RigidBody("car", 400.0, (50.0,) * 3, center=(0, 0, 1.3))
    guide = fb.Prismatic("guide", fb.GROUND, car, point=(0, 0, 1.3), axis="z")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, car, stiffness=4e4, damping=400.0, first_point=(0, 0, 0), free_length=1.0
    )
    method = fb.GeneralizedAlpha(**options)
    return fb.simulate(
        fb.System([car], [guide], [spring], gravity=GRAVITY), 1.0, integrator=method, show_progress=False
    )


def test_the_tolerance_that_was_used_is_told():
    """By default up to 2.5 times 1e-5, where springs deform as far as the machine moves; a given one is kept."""
    loose, strict = falling(), falling(rtol=1e-5)
    assert loose.statistics.steps < strict.statistics.steps
    assert loose.statistics.method == "GeneralizedAlpha(rtol=1e-05, up to 2.5e-05 where errors hardly add up)"
    assert strict.statistics.method == "GeneralizedAlpha(rtol=1e-05)"
    assert falling(step=0.01).statistics.method == "GeneralizedAlpha(step=0.01)"
