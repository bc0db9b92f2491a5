"""Rollers that roll on the profile of a cam: Sol's law, and the force that turns the roller."""

import numpy as np
import pytest

import fem
import flexbody as fb
from flexbody.view.scenes.machine import scene_of

pytestmark = pytest.mark.slow

RADIUS, MASS, SPIN = 0.012, 0.05, 4e-6  # of the roller: m, kg, kg m^2


def egg():
    """A profile that bulges everywhere, with lift and return."""
    return fb.profile(lambda a: 0.03 + 0.004 * np.cos(a) + 0.002 * np.cos(2 * a), axis="y", along="z", n=60)


def hollow():
    """A ring whose inside is the profile, as that of a cam-ring motor."""
    return fb.profile(lambda a: 0.06 + 0.002 * np.cos(4 * a), axis="y", along="z", n=120)


def machine(points, height, drive=20.0, rolls=True, slip=None, gravity=9.81, forces=()):
    cam = fb.RigidBody("cam", 1.0, (1e-3, 1e-3, 1e-3))
    rod = fb.RigidBody("rod", 0.2, (1e-5, 1e-5, 1e-5), center=(0, 0, height + 0.05))
    roller = fb.RigidBody("roller", MASS, (SPIN, SPIN, SPIN), center=(0, 0, height))
    joints = [
        shaft := fb.Revolute("shaft", fb.GROUND, cam, point=(0, 0, 0), axis="y"),
        fb.Prismatic("guide", fb.GROUND, rod, point=(0, 0, height), axis="z"),
        fb.Revolute("pin", rod, roller, point=(0, 0, height), axis="y"),
        fb.RollerOnGuideway("track", cam, roller, points=points, closed=True, point=(0, 0, height),
                            radius=RADIUS, rolls=rolls, slip=slip),
    ]  # fmt: skip
    if drive:
        joints.append(fb.Drive("motor", shaft, value=lambda t: drive * t + 30.0 * t * t))
    return fb.System(
        [cam, rod, roller], joints, [force(roller) for force in forces], gravity=(0, 0, -gravity)
    )


def speeds(result):
    """Rates of turning about y of roller and cam, and velocity of the roller's middle against the cam, (nt, 3)."""
    w = result.angular_velocity("cam")
    along = result.velocity("roller") - np.cross(w, result.position("roller"))
    return result.angular_velocity("roller")[:, 1], w[:, 1], along


@pytest.mark.parametrize(
    ("points", "height", "inside", "description"),
    [(egg, 0.036 + RADIUS, 1, fb.Absolute()), (hollow, 0.062 - RADIUS, -1, fb.Relative())],
    ids=["on the profile, absolute", "in the profile, relative"],
)
def test_sols_law(points, height, inside, description):
    """R q4' = sqrt(q3^2 + f1'^2) q2': E. J. Sol, Kinematics and dynamics of multibody systems (1983), chapter 9.

    With the polar coordinates q2, q3 = f1(q2) of the roller's middle in the base of the cam the right side is its speed
    against the cam, and q4' the rate at which the roller turns against the cam.
    """
    result = fb.simulate(
        machine(points(), height), 0.12, output_step=0.01, description=description,
        integrator=fb.Explicit(rtol=1e-12), show_progress=False,
    )  # fmt: skip
    roller, cam, along = speeds(result)
    place = np.einsum("tji,tj->ti", result.rotation("cam"), result.position("roller"))
    q3 = np.hypot(place[:, 0], place[:, 2])
    assert np.ptp(q3) > 0.002
    speed = np.linalg.norm(along, axis=1)
    # the cam turns forwards, so that the middle runs backwards on it
    np.testing.assert_allclose(RADIUS * (roller - cam), -inside * speed, rtol=1e-12)


def test_what_turns_the_roller():
    """J w' = moment of the force along the line, found by differences."""
    result = fb.simulate(
        machine(egg(), 0.036 + RADIUS),
        0.2,
        output_step=1e-4,
        integrator=fb.Explicit(rtol=1e-11),
        show_progress=False,
    )
    roller, _, along = speeds(result)
    tangent = along / np.linalg.norm(along, axis=1)[:, None]
    force = np.einsum("ti,ti->t", result.reaction("track").force, tangent)
    rate = np.gradient(roller, result.t, edge_order=2)[1:-1]
    # differences: (1e-4 s)^2 / 6 of the third derivative are 6e-6 of the largest rate
    np.testing.assert_allclose(SPIN * rate, RADIUS * force[1:-1], atol=1e-5 * SPIN * np.abs(rate).max())
    assert np.abs(rate).max() > 100.0
    # the moment about the middle is that of the force at the point of contact
    moment = result.reaction("track").moment[:, 1]
    np.testing.assert_allclose(moment, RADIUS * force, rtol=1e-9, atol=1e-12)
    assert result.energy.balance_error < 1e-9


def test_a_free_cam_keeps_its_energy_with_every_method():
    free = machine(egg(), 0.036 + RADIUS, drive=0.0)
    _, rod, roller = free.bodies
    turning = fb.System(
        [fb.RigidBody("cam", 1.0, (1e-3, 1e-3, 1e-3), angular_velocity=(0, 20, 0)), rod, roller],
        free.joints, gravity=free.gravity,
    )  # fmt: skip
    ends = []
    for method in (fb.Explicit(rtol=1e-8), fb.GeneralizedAlpha(rtol=1e-5), fb.Partitioned()):
        result = fb.simulate(turning, 0.02, integrator=method, show_progress=False)
        assert result.energy.balance_error < 1e-4
        ends.append(result.angular_velocity("roller")[-1, 1])
    np.testing.assert_allclose(ends, ends[0], rtol=1e-4)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize("inside", [1, -1])
def test_friction_spins_a_roller_up(inside, description):
    """On a round disc or in a ring: J w' = mu N R until the surfaces have equal speeds; N is the weight above it."""
    size, mu, rate = 0.04, 0.1, 20.0
    circle = fb.profile(lambda a: size + 0 * a, axis="y", along="z", n=40)
    resting = machine(circle, size + inside * RADIUS, 0.0, slip=fb.Coulomb(mu), gravity=9.81 * inside)
    turn = fb.Drive("motor", resting.joint("shaft"), rate=rate)
    turning = fb.System(resting.bodies, [*resting.joints, turn], gravity=resting.gravity)
    weight = (0.2 + MASS) * 9.81
    end = inside * -rate * size / RADIUS
    needed = abs(end) * SPIN / (mu * weight * RADIUS)
    result = fb.simulate(turning, 1.5 * needed, description=description, show_progress=False)
    roller, *_ = speeds(result)
    # surfaces that roll slip by some of the regularisation velocity, 1e-3 m/s
    np.testing.assert_allclose(roller, end * np.minimum(result.t / needed, 1), atol=1e-3 / RADIUS)
    np.testing.assert_allclose(result.element("track")["normal"], weight, rtol=1e-5)
    force = result.reaction("track").force
    np.testing.assert_allclose(force[:, 2], inside * weight, rtol=1e-5)
    early = result.t < 0.9 * needed
    np.testing.assert_allclose(np.abs(force[early, 0]), mu * weight, rtol=1e-5)
    assert result.energy.balance_error < 1e-4


def test_a_braked_roller_creeps():
    """A moment M on the roller at a constant rate: F = M / R = f xi, with the mean speed of both surfaces as V."""
    size, rate, f, moment = 0.04, 20.0, 500.0, 2e-3
    circle = fb.profile(lambda a: size + 0 * a, axis="y", along="z", n=40)
    law = fb.Creep(f, f, least_speed=1e-6)
    brake = (lambda roller: fb.PointMoment("brake", roller, (0, moment, 0)),)
    made = machine(circle, size + RADIUS, 0.0, slip=law, forces=brake)
    turn = fb.Drive("motor", made.joint("shaft"), rate=rate)
    result = fb.simulate(
        fb.System(made.bodies, [*made.joints, turn], made.forces, gravity=made.gravity),
        0.5,
        show_progress=False,
    )
    xi = moment / RADIUS / f
    surface = rate * size * (1 - xi / 2) / (1 + xi / 2)  # (rate size - surface) / mean = xi
    roller, *_ = speeds(result)
    np.testing.assert_allclose(-roller[-1] * RADIUS, surface, rtol=1e-6)
    history = result.element("track")
    np.testing.assert_allclose(abs(history.slip_along[-1] / history.speed[-1]), xi, rtol=1e-5)
    np.testing.assert_allclose(history.dissipated[-1], moment / RADIUS * (rate * size - surface), rtol=1e-4)


def test_wrong_rollers_are_named():
    knife = machine(egg(), 0.036)
    track = fb.RollerOnGuideway(
        "track", *knife.bodies[::2], points=egg(), closed=True, point=(0, 0, 0.036), rolls=True
    )
    with pytest.raises(
        fem.InputError, match=r"'track': a roller that rolls needs a radius= above zero; it is 0\.0"
    ):
        fb.System(knife.bodies, [*knife.joints[:3], track])
    track = fb.RollerOnGuideway("track", *knife.bodies[::2], points=egg(), closed=True, point=(0, 0, 0.048),
                                radius=RADIUS, slip=fb.Coulomb(0.1))  # fmt: skip
    with pytest.raises(
        fem.InputError, match="'track': slip= belongs to a roller that rolls; give rolls=True"
    ):
        fb.System(knife.bodies, [*knife.joints[:3], track])


def test_a_body_that_rolls_is_drawn_as_its_roller():
    result = fb.simulate(machine(egg(), 0.036 + RADIUS), 0.01, show_progress=False)
    scene = scene_of(result)
    part = next(part for owner, part in zip(scene.owners, scene.parts, strict=True) if owner == "roller")
    points, middle = part.points(scene.motion.at(0.0)), result.position("roller")[0]
    distance = np.hypot(*(points - middle)[:, [0, 2]].T)
    assert distance.max() == pytest.approx(RADIUS, rel=1e-9)  # not a block with its inertia
