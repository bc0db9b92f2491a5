"""Bevel gears with backlash: impacts against SciPy, loads on bearings, spherical involutes, bearings that give way."""

import numpy as np
import pytest
import scipy

import flexbody as fb
from flexbody.view.scenes.machine import scene_of

ALPHA = 0.35
FAR, NEAR = (
    0.3,
    0.15,
)  # of the wheels from the apex, m: pitch radii 0.15 and 0.3, cone angles with tan 1/2 and 2
BACKLASH, STIFFNESS = 2e-4, 1e8
J = (4e-3, 2e-2)
BOTH = pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])


def wheels(carrier=fb.GROUND, joint=fb.Revolute, **gear):
    centers = (0, 0, FAR), (NEAR, 0, 0)
    bodies = [fb.RigidBody(name, 1.0, (inertia,) * 3, center=center)
              for name, inertia, center in zip(("one", "two"), J, centers, strict=True)]  # fmt: skip
    joints = [joint(body.name, carrier, body, point=body.center, axis=axis)
              for body, axis in zip(bodies, "zx", strict=True)]  # fmt: skip
    return bodies, joints, fb.Gear("gear", *joints, ratio=2.0, pressure_angle=ALPHA, **gear)


def teeth(gear, **given):
    return fb.ToothContact("teeth", gear, **({"backlash": BACKLASH, "stiffness": STIFFNESS} | given))


@BOTH
@pytest.mark.parametrize("spiral", [0.0, 0.4])
def test_impacts_on_both_flanks(spiral, description):
    """Two coordinates: x = r_b1 a_1 + r_b2 a_2, as of spur gears, with r_b = r cos(alpha_n) cos(spiral)."""
    bodies, joints, gear = wheels(helix_angle=spiral)
    loads = [fb.PointMoment("drive", bodies[0], lambda t: (0, 0, 6.0 * np.sin(400.0 * t))),
             fb.PointMoment("drag", bodies[1], (0.4, 0, 0))]  # fmt: skip
    machine = fb.System(bodies, joints, [teeth(gear, dissipation=2.0), *loads])
    t = np.linspace(0.0, 0.02, 81)
    found = fb.simulate(machine, t[-1], output_step=2.5e-4, integrator=fb.Explicit(rtol=1e-11),
                        description=description, show_progress=False)  # fmt: skip
    tilted = np.cos(ALPHA) * np.cos(spiral)
    radii, half = tilted * np.array([NEAR, FAR]), 0.5 * BACKLASH * tilted

    def press(gap, rate):
        return STIFFNESS * max(-gap, 0.0) * max(1.0 - 2.0 * rate, 0.0)

    def rates(t, y):
        x, speed = radii @ y[:2], radii @ y[2:]
        force = press(half - x, -speed) - press(half + x, speed)
        return [*y[2:], *((np.array([6.0 * np.sin(400.0 * t), 0.4]) - radii * force) / J)]

    exact = scipy.integrate.solve_ivp(
        rates, (0, t[-1]), np.zeros(4), t_eval=t, rtol=1e-12, atol=1e-15, method="DOP853", max_step=2e-5
    ).y
    x = radii @ exact[:2]
    assert (x > half).any()
    assert (x < -half).any()
    for joint, angle in zip(("one", "two"), exact[:2], strict=True):
        np.testing.assert_allclose(found.coordinate(joint), angle, atol=1e-7)
    np.testing.assert_allclose(found.element("teeth").deformation, x, atol=2e-8)
    assert found.energy.balance_error < 1e-6


@pytest.mark.parametrize("torque", [5.0, -5.0])
def test_tooth_loads_at_rest(torque):
    """W_t = T / r, W_r = W_t tan(alpha) cos(delta), W_a = W_t tan(alpha) sin(delta): Shigley, 9th ed., 13-15."""
    bodies, joints, gear = wheels()
    hold = fb.Drive("hold", joints[1], value=0.0)
    load = fb.PointMoment("load", bodies[0], (0, 0, torque))
    state = fb.equilibrium(fb.System(bodies, [*joints, hold], [teeth(gear), load]))
    W, delta = torque / NEAR, np.arctan2(NEAR, FAR)
    # the bearing bears the first wheel against the tooth: it is pushed towards its axis, and away from the apex
    expected = (abs(W) * np.tan(ALPHA) * np.cos(delta), W, -abs(W) * np.tan(ALPHA) * np.sin(delta))
    np.testing.assert_allclose(state.reaction("one").force, expected, atol=1e-6)
    np.testing.assert_allclose(state.reaction("two").force, -np.array(expected), atol=1e-6)
    history = state.result.element("teeth")
    force = abs(W) / np.cos(ALPHA)
    assert history.force[0] == pytest.approx(np.sign(torque) * force, rel=1e-7)
    way = 0.5 * BACKLASH * np.cos(ALPHA) + force / STIFFNESS
    assert history.deformation[0] == pytest.approx(np.sign(torque) * way, abs=1e-11)


def test_it_is_the_way_of_spherical_involutes():
    """A great circle touches both base cones, sin(delta_b) = sin(delta) cos(alpha), and unwinds by R sin(delta_b)."""
    bodies, _, gear = wheels()
    found = teeth(gear).tangents({body.name: body for body in bodies})
    R = np.hypot(FAR, NEAR)
    for normal in found.normals:
        pole = np.cross(found.point / R, normal)  # of the great circle through P along the line of action
        for axis, radius, delta in zip(
            found.spins, found.radii, (np.arctan2(NEAR, FAR), np.arctan2(FAR, NEAR)), strict=True
        ):
            base = np.arcsin(np.sin(delta) * np.cos(ALPHA))
            assert abs(pole @ axis) == pytest.approx(np.sin(base), abs=1e-12)  # it touches the base cone
            np.testing.assert_allclose(radius, R * np.sin(base), rtol=1e-12)


@BOTH
def test_a_differential_keeps_its_energy(description):
    """On a carrier that turns, with elastic bearings: forces on both wheels only, and none is lost."""
    carrier = fb.RigidBody("carrier", 3.0, (0.05, 0.05, 0.05), angular_velocity=(0, 0, 20.0))
    bodies, joints, gear = wheels(carrier, fb.Floating)
    spun = []
    for body, spin in zip(bodies, ((0, 0, 5.0), (4.0, 0, 0)), strict=True):
        w = np.array([0, 0, 20.0])
        spun.append(fb.RigidBody(body.name, body.mass, body.inertia, center=body.center,
                                 velocity=np.cross(w, body.center), angular_velocity=w + spin))  # fmt: skip
    joints = [
        fb.Floating(b.name, carrier, b, point=b.center, axis=axis) for b, axis in zip(spun, "zx", strict=True)
    ]
    gear = fb.Gear("gear", *joints, ratio=2.0, pressure_angle=ALPHA)
    mounts = [fb.Bushing(f"mount {b.name}", carrier, b, stiffness=[1e8] * 3 + [s * 1e6 for s in free], point=b.center)
              for b, free in zip(spun, ((1, 1, 0), (0, 1, 1)), strict=True)]  # fmt: skip
    main = fb.Revolute("main", fb.GROUND, carrier, point=(0, 0, 0), axis="z")
    machine = fb.System([carrier, *spun], [main, *joints], [teeth(gear, stiffness=1e7), *mounts])
    result = fb.simulate(machine, 0.01, output_step=1e-4, integrator=fb.Explicit(rtol=1e-9), description=description,
                         show_progress=False)  # fmt: skip
    history = result.element("teeth")
    assert np.abs(history.force).max() > 100
    np.testing.assert_allclose(
        history.first[:, :3], -history.second[:, :3], atol=1e-9 * np.abs(history.first).max()
    )
    # the gap takes displacements of the wheels to the first order: some 1e-6 m of 0.3 m
    assert result.energy.balance_error < 1e-5


def test_pictures_draw_their_cones():
    """As those of the gear itself."""
    bodies, joints, gear = wheels()
    drawn = []
    for machine in (fb.System(bodies, joints, [teeth(gear)]), fb.System(bodies, [*joints, gear])):
        scene = scene_of(fb.simulate(machine, 1e-3, output_step=1e-3, show_progress=False))
        poses = scene.motion.at(0.0)
        drawn.append({
            owner: part.points(poses)
            for owner, part in zip(scene.owners, scene.parts, strict=True)
            if owner in ("one", "two")
        })  # fmt: skip
    for name in ("one", "two"):
        np.testing.assert_allclose(drawn[0][name], drawn[1][name], atol=1e-9)
        assert len(drawn[0][name]) > 100


def test_files_keep_them(tmp_path):
    bodies, joints, gear = wheels(helix_angle=0.2)
    load = fb.PointMoment("load", bodies[0], (0, 0, 1.0))
    result = fb.simulate(fb.System(bodies, joints, [teeth(gear), load]), 0.01, save=tmp_path / "run.h5",
                         show_progress=False)  # fmt: skip
    again = fb.load_result(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.element("teeth").force, result.element("teeth").force)
    assert result.element("teeth").force.max() > 0
