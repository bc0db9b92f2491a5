"""Vibrations of contacts, teeth, springs and bodies that the steps do not follow are told, and no others."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from support.frames import line

import fem
import flexbody as fb
import modal
from flexbody.analyses.starts import begun
from flexbody.compile.plan import make_plan
from flexbody.core.kinds import C8
from flexbody.integrators.not_followed import NotFollowed

G, RADIUS = 9.81, 0.1


def lost_in(
    machine: fb.System,
    t_end: float,
    interval: float = 1e-3,
    rtol: float = 1e-5,
    vibrations: float | None = None,
) -> list[NotFollowed]:
    """What a run, by default with the default tolerance, does not follow."""
    plan = make_plan(machine)
    method = fb.GeneralizedAlpha(rtol=rtol, vibrations=vibrations)
    run = method.begin(plan, begun(plan, None, t_end), t_end, interval)
    for t in run.times[1:]:
        run.advance(t, 10**6)
    return run.not_followed


def ball(k: float, below: float, speed: float = 1.0, dissipation: float = 0.0) -> fb.System:
    """A ball of 1 kg that slides on a floor, let go ``below`` times its sag below its equilibrium."""
    body = fb.RigidBody(
        "ball", 1.0, (4e-3,) * 3, center=(0, 0, RADIUS - (1 + below) * G / k), velocity=(speed, 0, 0)
    )
    shapes = fb.Plane(fb.GROUND), fb.Sphere(body, RADIUS)
    floor = fb.Contact("floor", *shapes, stiffness=k, exponent=1.0, dissipation=dissipation)
    return fb.System([body], forces=[floor], gravity=(0, 0, -G))


@pytest.mark.parametrize("k", [1e5, 1e6, 1e7, 1e8])
def test_a_contact_that_stays_closed(k):
    """m z.. = -k z: the force is m g (1 + cos(w t) / 2), w^2 = k / m. It is told as a mean over about ten steps."""
    (lost,) = lost_in(ball(k, 0.5), 1.0)
    assert lost.label == "Contact 'floor'"
    assert lost.frequency == pytest.approx(np.sqrt(k) / (2 * np.pi), rel=0.02)
    assert 0.6 * 0.5 * G < lost.error < 1.3 * 0.5 * G
    assert lost.force == pytest.approx(G, rel=0.2)
    assert np.isinf(lost.until)


@pytest.mark.parametrize(("k", "below", "speed"), [(1e4, 0.5, 1.0), (1e7, 0.0, 1.0), (1e5, 0.5, 0.0)])
def test_nothing_is_told_where_nothing_is_lost(k, below, speed):
    """A slow vibration is followed, one without a motion beside it too, and in equilibrium there is none."""
    assert lost_in(ball(k, below, speed), 1.0) == []


def test_simulate_tells_it_once():
    with pytest.warns(
        fb.FlexbodyWarning, match="vibrations are not followed.*Contact 'floor' vibrates at about 50. Hz"
    ):
        result = fb.simulate(ball(1e7, 0.5), 0.2, show_progress=False)
    assert "not followed: Contact 'floor' vibrates" in result.statistics.why
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = fb.simulate(ball(1e7, 0.5), 0.2, integrator=fb.Explicit(), show_progress=False)
    force = G * (1 + 0.5 * np.cos(np.sqrt(1e7) * exact.t))
    np.testing.assert_allclose(
        exact.element("floor").force, force, atol=0.01 * G
    )  # it follows them, as the warning says


def test_what_was_lost_before_an_event_is_told():
    """A force lifts the ball off its floor at 0.15 s, and another run begins: what was lost before is told."""
    machine = ball(1e7, 0.5)
    lift = fb.PointForce("lift", machine.bodies[0], (0, 0, 20.0))
    late = fb.Event("late", lambda s: s.t - 0.15, then=fb.Switch(on=["lift"]))
    machine = replace(machine, forces=[*machine.forces, lift])
    with pytest.warns(fb.FlexbodyWarning, match="vibrations are not followed"):
        fb.simulate(machine, 0.2, events=[late], switched_off=["lift"], show_progress=False)


def test_an_error_that_grows_to_the_end_is_told():
    """A bar of 1 kg swings on an undamped mount: at rtol = 3e-5 the error of its force, against a tight run, grows from
    7 to 18 N within 2 s, beside 38 N. It is told from about the time on when it exceeds a tenth of the force by far."""
    base = fb.RigidBody("base", 1.0, (1e-2,) * 3)
    bar = fb.RigidBody("bar", 1.0, (1e-4, 1 / 12, 1 / 12), center=(0.5, 0, 0))
    mount = fb.Bushing("mount", fb.GROUND, base, point=(0, 0, 0), stiffness=(1e4,) * 3 + (100.0,) * 3)
    hinge = fb.Revolute("hinge", base, bar, point=(0, 0, 0), axis="y")
    machine = fb.System([base, bar], [hinge], [mount], gravity=(0, 0, -G))
    options = dict(output_step=0.01, show_progress=False)
    with pytest.warns(
        fb.FlexbodyWarning, match="vibrations are followed, but small errors of their phase add up"
    ):
        found = fb.simulate(machine, 2.0, integrator=fb.GeneralizedAlpha(rtol=3e-5), **options)
    exact = fb.simulate(machine, 2.0, integrator=fb.Explicit(rtol=1e-9), **options)
    one, other = (r.element("mount").force[:, :3] for r in (found, exact))
    error, top = np.linalg.norm(one - other, axis=1), np.linalg.norm(other, axis=1).max()
    (told,) = [x for x in lost_in(machine, 2.0, 0.01, rtol=3e-5) if x.unit == "N"]
    assert 0.3 * error.max() < told.error < 1.5 * error.max()
    before, behind = (error[part].max() for part in (found.t < told.since - 0.3, found.t > told.since))
    assert behind > 0.2 * top
    assert before < 0.5 * behind


def rotor(speed: float) -> fb.System:
    """A disc of 10 kg, 0.1 mm out of balance, on two light rings in bushings; its critical speed is 629 rad/s."""
    disc = fb.RigidBody(
        "disc", 10.0, (0.05, 0.03, 0.03), center=(0, 0, -1e-4),
        angular_velocity=(speed, 0, 0), velocity=(0, 1e-4 * speed, 0),
    )  # fmt: skip
    rings = [
        fb.RigidBody(f"ring {k}", 0.05, (1e-5,) * 3, center=(x, 0, 0)) for k, x in enumerate((-0.2, 0.2))
    ]
    slopes = dict(stiffness=(1e7, 2e6, 2e6, 1e4, 1e4, 1e4), damping=(200.0,) * 3 + (1.0,) * 3)
    bushings = [
        fb.Bushing(f"bushing {k}", fb.GROUND, rings[k], point=(x, 0, 0), **slopes)
        for k, x in enumerate((-0.2, 0.2))
    ]
    joints = [
        fb.Spherical("fixed end", rings[0], disc, point=(-0.2, 0, 0)),
        fb.PointOnLine("loose end", rings[1], disc, point=(0.2, 0, 0), axis="x"),
    ]
    return fb.System([disc, *rings], joints, bushings, gravity=(0, 0, -G))


@pytest.mark.parametrize(
    ("speed", "rough", "is_told"),
    [(450.0, {}, False), (628.0, {}, False), (628.0, {"rtol": 1e-5, "vibrations": 0.2}, True)],
)
def test_a_rotor_whose_rings_alone_are_much_faster(speed, rough, is_told):
    """The rotor vibrates at 100 Hz, its rings alone at 1400 Hz. By default its whirl is followed. A rough run does not
    follow it: an error above a tenth of the force is told, within a factor of three, to the end of the run, as the
    vibration is forced."""
    run = dict(output_step=1e-3, show_progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)
        found, exact = (
            fb.simulate(rotor(speed), 0.5, integrator=method, **run).element("bushing 0").force[:, :3]
            for method in (
                fb.GeneralizedAlpha(**rough),
                fb.Explicit(rtol=1e-6),
            )  # right within 1e-5 N, as 1e-9 shows
        )
    error, top = (np.linalg.norm(x, axis=1).max() for x in (found - exact, exact))
    assert (error > 0.1 * top) == is_told
    told = [one for one in lost_in(rotor(speed), 0.5, **rough) if one.label == "Bushing 'bushing 0'"]
    assert len(told) == is_told
    for one in told:
        assert error / 3 < one.error < 3 * error
        assert one.frequency == pytest.approx(100.0, rel=0.1)
        assert one.until > 0.5


def gears(dissipation: float) -> fb.System:
    """Two wheels that turn and whose motor and brake of equal power set in within 20 ms."""
    one = fb.RigidBody("one", 2.0, (2e-3, 2e-3, 4e-3), center=(0, 0, 0), angular_velocity=(0, 0, 100.0))
    two = fb.RigidBody("two", 8.0, (3e-2, 3e-2, 6e-2), center=(0.18, 0, 0), angular_velocity=(0, 0, -50.0))
    first = fb.Revolute("first", fb.GROUND, one, point=(0, 0, 0), axis="z")
    second = fb.Revolute("second", fb.GROUND, two, point=(0.18, 0, 0), axis="z")
    gear = fb.Gear("gear", first, second, ratio=2.0)
    teeth = fb.ToothContact("teeth", gear, backlash=1e-4, stiffness=3e6, dissipation=dissipation)
    motor = fb.PointMoment("motor", one, lambda t: (0, 0, 10.0 * (1 - np.exp(-((t / 0.02) ** 2)))))
    brake = fb.PointMoment("brake", two, lambda t: (0, 0, 20.0 * (1 - np.exp(-((t / 0.02) ** 2)))))
    return fb.System([one, two], [first, second], [teeth, motor, brake])


def test_teeth_that_stay_in_contact():
    """The teeth meet and ring; an explicit run tells how far their force is off. With damping nothing rings."""
    (lost,) = lost_in(gears(0.05), 0.2, 2e-4)
    run = dict(output_step=2e-4, show_progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)
        found, exact = (
            fb.simulate(gears(0.05), 0.2, integrator=method, **run)
            for method in (fb.GeneralizedAlpha(), fb.Explicit(rtol=1e-8))
        )
    error = np.abs(found.element("teeth").force - exact.element("teeth").force)[exact.t > lost.since].max()
    assert 0.5 * lost.error < error < 3.0 * lost.error
    assert lost_in(gears(50.0), 0.2, 2e-4) == []


@pytest.mark.parametrize("damping", [0.0, 1e5])
def test_a_stiff_mount_that_is_put_on_without_its_sag(damping):
    """10 kg on a carriage of 10 kg: the mount rings by its weight for ever, or not at all when it is damped."""
    moving = {"velocity": (1.0, 0, 0)}
    carriage = fb.RigidBody("carriage", 10.0, (0.1,) * 3, **moving)
    load = fb.RigidBody("load", 10.0, (0.1,) * 3, center=(0, 0, 0.3), **moving)
    rail = fb.Prismatic("rail", fb.GROUND, carriage, point=(0, 0, 0), axis="x")
    stiff = dict(stiffness=(1e8,) * 3 + (1e6,) * 3, damping=(damping,) * 3 + (0.01 * damping,) * 3)
    mount = fb.Bushing("mount", carriage, load, point=(0, 0, 0.3), **stiff)
    lost = lost_in(fb.System([carriage, load], [rail], [mount], gravity=(0, 0, -G)), 1.0)
    assert [one.label for one in lost] == (["Bushing 'mount'"] if damping == 0.0 else [])
    assert all(0.5 * 10.0 * G < one.error < 2.0 * 10.0 * G for one in lost)


def rods(
    diameter: float, length: float, count: int = 1, *, held: bool = False, ratio: float = 0.0
) -> fb.System:
    """Rods of steel that hang on each other by hinges and fall from the horizontal; or one that is clamped."""
    mesh = line([(0, 0, 0), (length, 0, 0)], 20)
    steel = fem.Isotropic(E=2e11, nu=0.3, rho=7870.0)
    structure = fem.assemble(mesh, fem.Beam(steel, fem.Circle(diameter), shear=False))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))
    bodies = [
        fb.FlexibleBody(
            f"rod {k}",
            reduced,
            place={"start": (k * length, 0, 0), "end": ((k + 1) * length, 0, 0)},
            damping_ratio=ratio,
        )
        for k in range(count)
    ]
    ends = [fb.GROUND, *(body["end"] for body in bodies)]
    joints = [
        fb.Fixed("clamp", ends[k], body["start"])
        if held
        else fb.Revolute(f"hinge {k}", ends[k], body["start"], axis="y")
        for k, body in enumerate(bodies)
    ]
    return fb.System(bodies, joints, gravity=(0, 0, -G))


def deformations(found: fb.Result) -> np.ndarray:
    """Deformations of the first body over time, scaled to root mean squares over mass, (nt, N)."""
    plan, body = make_plan(found.system), found.system.bodies[0]
    return found.alpha(body) * np.sqrt(np.diag(plan.coefficient(C8, 0)) / body.mass)


@pytest.mark.parametrize(("diameter", "length", "t_end"), [(0.015, 0.5, 0.3), (0.02, 1.0, 1.0)])
def test_rods_that_ring_while_they_fall(diameter, length, t_end):
    """More than 45 periods are not followed. What is told is right within a factor of three of the difference from a
    run at 1e-9, and names one of the first two bending frequencies of a hinged beam to 5 %, (3.927^2 or 7.069^2) /
    (2 pi L^2) sqrt(E I / (rho A)); S. Rao, Mechanical Vibrations, 8.5."""
    machine = rods(diameter, length)
    run = dict(output_step=t_end / 500, show_progress=False)
    with pytest.warns(
        fb.FlexbodyWarning, match="body 'rod 0' vibrates .* Hz .* deformation, about .* may be "
    ):
        found = fb.simulate(machine, t_end, integrator=fb.GeneralizedAlpha(), **run)
    exact = fb.simulate(machine, t_end, integrator=fb.Explicit(rtol=1e-9), **run)
    error = np.linalg.norm(deformations(found) - deformations(exact), axis=1).max()
    (told,) = [one for one in lost_in(machine, t_end, t_end / 500) if one.label == "body 'rod 0'"]
    assert error / 3 < told.error < 3 * error
    assert told.force == pytest.approx(np.linalg.norm(deformations(exact), axis=1).max(), rel=0.5)
    waves = np.sqrt(2e11 / 7870.0) * diameter / 4 / (2 * np.pi * length**2) * np.array([3.927, 7.069]) ** 2
    assert np.abs(told.frequency / waves - 1).min() < 0.05


@pytest.mark.parametrize(("diameter", "length", "t_end"), [(0.005, 0.5, 0.3), (0.01, 1.0, 1.0)])
def test_a_few_tens_of_periods_are_followed(diameter, length, t_end):
    """Rods fall on their hinges and ring 19 and 31 times by half of their largest deflection. It may be off by 0.08
    of that, and half as much again. A run at 1e-9 tells. It takes no more than the 5600 steps that it
    may take for this."""
    machine = rods(diameter, length)
    run = dict(output_step=t_end / 500, show_progress=False)
    found = fb.simulate(machine, t_end, integrator=fb.GeneralizedAlpha(), **run)
    exact = fb.simulate(machine, t_end, integrator=fb.Explicit(rtol=1e-9), **run)
    error, top = (
        np.linalg.norm(x, axis=1).max()
        for x in (deformations(found) - deformations(exact), deformations(exact))
    )
    assert error < 0.12 * top
    assert found.statistics.steps < 5600


@pytest.mark.parametrize(("mode", "speed", "t_end"), [(0, 0.05, 3.0), (2, 0.1, 0.5)])
def test_a_free_beam_that_is_kicked(mode, speed, t_end):
    """A beam falls freely, and one of its modes has got a speed (root mean square over mass). Its deformation is
    a sin(w t) with a = speed / w; what is told is right within a factor of two, its frequency to 2 %."""
    mesh = line([(0, 0, 0), (1, 0, 0)], 20)
    structure = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=2e11, nu=0.3, rho=7870.0), fem.Circle(0.01)))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))
    squares, shapes = scipy.linalg.eigh(reduced.K, reduced.C8)
    w, kick = np.sqrt(squares[mode]), speed * np.sqrt(reduced.mass) * shapes[:, mode]
    beam = fb.FlexibleBody("rod 0", reduced, place={"start": (0, 0, 0), "end": (1, 0, 0)}, alpha_dot=kick)
    machine = fb.System([beam], gravity=(0, 0, -G))
    with pytest.warns(fb.FlexbodyWarning, match="body 'rod 0' vibrates"):
        found = fb.simulate(
            machine, t_end, output_step=t_end / 500, integrator=fb.GeneralizedAlpha(), show_progress=False
        )
    scaled = kick * np.sqrt(np.diag(reduced.C8) / reduced.mass)
    error = np.linalg.norm(deformations(found) - np.outer(np.sin(w * found.t) / w, scaled), axis=1).max()
    (told,) = lost_in(machine, t_end, t_end / 500)
    assert 0.5 * error < told.error < 2.0 * error
    assert told.frequency == pytest.approx(w / (2 * np.pi), rel=0.02)


@pytest.mark.parametrize(
    ("diameter", "length", "options"),
    [(0.01, 1.0, {"held": True}), (0.015, 0.5, {"ratio": 0.2})],
    ids=["the motion is the vibration", "damping ends it"],
)
def test_bodies_that_are_not_told(diameter, length, options):
    assert lost_in(rods(diameter, length, **options), 0.5) == []
