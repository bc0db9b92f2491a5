"""Followers that lift off their cams: knife edge, roller and flat face against SciPy's models of one coordinate."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexbody as fb

E, R, ROLL = 0.01, 0.03, 0.012  # eccentricity, radius of the disc and of the roller, m
MASS, SPRING, G = 0.2, 2000.0, 9.81
STIFFNESS, DISSIPATION = 2e8, 0.4  # N/m^1.5, s/m
SPEED = 150.0  # rad/s: a spring of 2000 N/m, closed with 40 N, can't follow 0.2 kg at e SPEED^2 = 225 m/s^2
PRESS = 40.0  # N, of the spring with the follower on top


def disc():
    """An eccentric disc, drawn with its centre above the shaft."""
    return fb.profile(lambda a: (E + R * np.cos(a), R * np.sin(a)), axis="y", along="z")


def valve(kind, description=None, offset=0.004, t_end=0.05, rtol=1e-11, **given):
    """The run of a follower that a spring presses on an eccentric disc."""
    top = {"knife": R, "roller": R + ROLL, "face": R}[kind]
    height = E + (top if kind == "face" else np.sqrt(top**2 - offset**2))
    cam = fb.RigidBody("disc", 1.0, (1e-3, 1e-3, 1e-3))
    tappet = fb.RigidBody("tappet", MASS, (1e-5, 1e-5, 1e-5), center=(offset, 0, height))
    shape = dict(points=disc(), closed=True, point=(offset, 0, height), held=False)
    if kind == "face":
        touch = fb.FaceOnGuideway("cam", cam, tappet, normal="-z", **shape)
    else:
        touch = fb.RollerOnGuideway("cam", cam, tappet, radius=ROLL if kind == "roller" else 0.0, **shape)
    shaft = fb.Revolute("shaft", fb.GROUND, cam, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, tappet, point=tappet.center, axis="z")
    press = fb.Limit("press", touch, which="gap", lower=0.0, stiffness=STIFFNESS, dissipation=DISSIPATION)
    spring = fb.ForceElement("spring", fb.Along(guide), fb.Linear(SPRING, force=PRESS))
    drive = fb.Drive("drive", shaft, rate=SPEED)
    machine = fb.System([cam, tappet], [shaft, guide, touch, drive], [press, spring], gravity=(0, 0, -G))
    options = {} if description is None else {"description": description}
    found = fb.simulate(
        machine, t_end, output_step=5e-4, integrator=fb.Explicit(rtol=rtol), **options, **given
    )
    return found, height


def exact(kind, t, height, offset=0.004):
    """Heights of the follower and gaps by SciPy; the centre of the disc is at E (sin, cos) of the angle."""
    top = {"knife": R, "roller": R + ROLL, "face": R}[kind]

    def touch(t, z, speed):
        x, y = E * np.sin(SPEED * t), E * np.cos(SPEED * t)
        vx, vy = SPEED * y, -SPEED * x
        if kind == "face":
            return z - y - top, speed - vy, 1.0
        dx, dz = offset - x, z - y
        far = np.hypot(dx, dz)
        return far - top, (dx * -vx + dz * (speed - vy)) / far, dz / far

    def rates(t, state):
        z, speed = state
        gap, rate, slope = touch(t, z, speed)
        force = STIFFNESS * max(-gap, 0.0) ** 1.5 * max(1.0 - DISSIPATION * rate, 0.0)
        return speed, -G + (force * slope - SPRING * (z - height) - PRESS) / MASS

    run = solve_ivp(
        rates, (0, t[-1]), (height, 0.0), t_eval=t, method="DOP853", rtol=1e-12, atol=1e-15, max_step=2e-5
    )
    return run.y[0], np.array([touch(*values)[0] for values in zip(t, *run.y, strict=True)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "description"),
    [("knife", fb.Relative()), ("roller", fb.Absolute()), ("roller", fb.Relative()), ("face", fb.Absolute())],
    ids=repr,
)
def test_valve_float(kind, description):
    """The follower flies off, comes down and bounces as SciPy says; the balance of energy."""
    found, height = valve(kind, description)
    z, gap = exact(kind, found.t, height)
    assert gap.max() > 5e-4
    np.testing.assert_allclose(found.position("tappet")[:, 2], z, atol=1e-9)
    np.testing.assert_allclose(found.coordinate("cam", "gap"), gap, atol=1e-9)
    assert found.energy.balance_error < 1e-8


@pytest.mark.parametrize("kind", ["knife", "roller", "face"])
def test_a_follower_rests_by_hertz(kind):
    """Straight above the centre of the disc N = m g + P presses the follower in by (N / K)^(2/3)."""
    cam = fb.RigidBody("disc", 1.0, (1e-3, 1e-3, 1e-3))
    height = E + R + (ROLL if kind == "roller" else 0.0)
    tappet = fb.RigidBody("tappet", MASS, (1e-5, 1e-5, 1e-5), center=(0, 0, height))
    # the edge is outside whichever way round the points go
    shape = dict(points=disc()[::-1], closed=True, point=(0, 0, height), held=False)
    if kind == "face":
        touch = fb.FaceOnGuideway("cam", cam, tappet, normal="-z", **shape)
    else:
        touch = fb.RollerOnGuideway("cam", cam, tappet, radius=ROLL if kind == "roller" else 0.0, **shape)
    shaft = fb.Revolute("shaft", fb.GROUND, cam, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, tappet, point=tappet.center, axis="z")
    press = fb.Limit("press", touch, which="gap", lower=0.0, stiffness=STIFFNESS)
    load = fb.PointForce("load", tappet, (0, 0, -PRESS))
    hold = fb.Drive("hold", shaft, value=0.0)
    state = fb.equilibrium(
        fb.System([cam, tappet], [shaft, guide, touch, hold], [press, load], gravity=(0, 0, -G))
    )
    depth = ((MASS * G + PRESS) / STIFFNESS) ** (2 / 3)
    assert state.coordinate("cam", "gap") == pytest.approx(-depth, abs=1e-10)
    assert state.position("tappet")[2] == pytest.approx(height - depth, abs=1e-10)
    np.testing.assert_allclose(
        state.result.element("press").second[0, :3], [0, 0, MASS * G + PRESS], rtol=1e-6, atol=1e-9
    )


def test_a_file_keeps_that_a_follower_may_lift_off(tmp_path):
    found, _ = valve("roller", t_end=2e-3, rtol=1e-6, save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    assert not again.system.joint("cam").held
    np.testing.assert_array_equal(again.coordinate("cam", "gap"), found.coordinate("cam", "gap"))


@pytest.mark.slow
def test_a_roller_with_play_in_a_round_slot():
    """A ball that flies between both walls of a slot around a circle: SciPy's plane point in a field of radial forces.

    The spline of 360 points follows the circle to 1e-12 of its radius.
    """
    radius, play, speed = 0.5, 2e-3, 3.0
    ball = fb.RigidBody("ball", MASS, (1e-5, 1e-5, 1e-5), center=(0, radius, 0), velocity=(speed, 0.4, 0))
    circle = fb.profile(lambda a: radius, axis="z")
    slot = fb.RollerOnGuideway(
        "slot", fb.GROUND, ball, points=circle, closed=True, point=(0, radius, 0), held=False
    )
    plane = fb.Planar("plane", fb.GROUND, ball, point=(0, radius, 0), axis="z")
    walls = fb.Limit(
        "walls", slot, which="gap", lower=-play, upper=play, stiffness=STIFFNESS, dissipation=DISSIPATION
    )
    machine = fb.System([ball], [slot, plane], [walls], gravity=(0, -G, 0))
    found = fb.simulate(machine, 0.06, output_step=1e-3, integrator=fb.Explicit(rtol=1e-10))

    def rates(t, y):
        far = np.hypot(*y[:2])
        out, rate = far - radius, (y[:2] @ y[2:]) / far
        outer = STIFFNESS * max(out - play, 0.0) ** 1.5 * max(1.0 + DISSIPATION * rate, 0.0)
        inner = STIFFNESS * max(-play - out, 0.0) ** 1.5 * max(1.0 - DISSIPATION * rate, 0.0)
        pull = (inner - outer) / far / MASS
        return [*y[2:], pull * y[0], pull * y[1] - G]

    start = (0, radius, speed, 0.4)
    exact = solve_ivp(
        rates, (0, 0.06), start, t_eval=found.t, method="DOP853", rtol=1e-12, atol=1e-15, max_step=2e-5
    )
    gap = np.hypot(*exact.y[:2]) - radius
    assert gap.max() > 0.9 * play
    assert gap.min() < -0.9 * play
    np.testing.assert_allclose(found.position(ball)[:, :2], exact.y[:2].T, atol=1e-8)
    np.testing.assert_allclose(found.coordinate("slot", "gap"), gap, atol=1e-8)


def test_a_roller_that_rolls_stays_in_touch():
    cam, tappet = (fb.RigidBody(name, 1.0, (1e-3, 1e-3, 1e-3)) for name in ("cam", "tappet"))
    line = dict(points=[(x, 0, 0) for x in (0, 0.1, 0.2)], up="y", point=(0.1, 0, 0.01), held=False)
    with pytest.raises(fb.InputError, match="a roller that rolls stays in touch"):
        fb.System(
            [cam, tappet], [fb.RollerOnGuideway("roller", cam, tappet, **line, radius=0.01, rolls=True)]
        )
