"""Cams: eccentric discs are slider-cranks, programmes follow their formulas, bad profiles are named with the place."""

import numpy as np
import pytest
from support.joints import CAMS

import fem
import flexbody as fb

pytestmark = pytest.mark.slow
E, R, ROLL, TURN = (
    0.01,
    0.03,
    0.012,
    20.0,
)  # eccentricity, radius of the disc, of the roller (m); speed (rad/s)


def disc(angle=0.0):
    """An eccentric circle that turns about the origin; its centre is at this angle from z to x as drawn."""
    return fb.profile(
        lambda a: (E + R * np.cos(a), R * np.sin(a)),
        axis="y",
        along=(np.sin(angle), 0, np.cos(angle)),
    )


def tappet(cam, gravity=0.0, **options):
    """The run of a cam that turns at a constant speed under a follower that slides along z."""
    body, joint = cam
    follower = joint.second
    shaft = fb.Revolute("shaft", fb.GROUND, body, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, follower, point=follower.center, axis="z")
    drive = fb.Drive("drive", shaft, rate=TURN)
    machine = fb.System([body, follower], [shaft, guide, joint, drive], gravity=(0, 0, -gravity))
    return fb.kinematics(machine, 2 * np.pi / TURN, output_step=2 * np.pi / TURN / 24, **options)


def bodies(height, offset=0.0):
    cam = fb.RigidBody("disc", 1.0, (1e-3, 1e-3, 1e-3))
    return cam, fb.RigidBody("tappet", 0.2, (1e-5, 1e-5, 1e-5), center=(offset, 0, height))


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize("offset", [0.0, 0.004])
def test_a_roller_on_an_eccentric_disc_is_a_slider_crank(offset, description):
    """z = e cos + sqrt(l^2 - (x - e sin)^2), rod l = R + radius; the guide carries no force along z, so N n_z = m z''.

    Norton, Cam design and manufacturing handbook: pressure angle phi with sin(phi) = (x - e sin) / l.
    """
    rod = R + ROLL
    height = E + np.sqrt(rod**2 - offset**2)
    cam, follower = bodies(height, offset)
    joint = fb.RollerOnGuideway(
        "cam", cam, follower, points=disc(), closed=True, point=(offset, 0, height), radius=ROLL
    )
    found = tappet((cam, joint), 9.81, description=description)
    angle = TURN * found.t
    beside, slope = offset - E * np.sin(angle), E * np.cos(angle)  # slope = -d(beside)/d(angle)
    across = np.sqrt(rod**2 - beside**2)
    first = -E * np.sin(angle) + beside * slope / across
    second = (
        -E * np.cos(angle)
        - (slope**2 + beside * E * np.sin(angle)) / across
        - (beside * slope) ** 2 / across**3
    )
    np.testing.assert_allclose(found.position(follower)[:, 2], E * np.cos(angle) + across, atol=1e-9)
    np.testing.assert_allclose(found.velocity(follower)[:, 2], TURN * first, atol=1e-6)
    np.testing.assert_allclose(found.acceleration(follower)[:, 2], TURN**2 * second, atol=2e-4)
    force = found.reaction(joint).force
    np.testing.assert_allclose(force[:, 2], 0.2 * (9.81 + TURN**2 * second), atol=1e-4)
    np.testing.assert_allclose(force[:, 0] / force[:, 2], beside / across, atol=1e-6)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
def test_a_flat_face_on_an_eccentric_disc_moves_as_a_scotch_yoke(description):
    """z = R + e cos(angle); the face is touched e sin(angle) beside the axis, and s there is R times the angle."""
    cam, follower = bodies(R + E)
    joint = fb.FaceOnGuideway("cam", cam, follower, points=disc(), closed=True, point=(0.05, 0, R + E))
    found = tappet((cam, joint), 9.81, description=description)
    angle = TURN * found.t
    np.testing.assert_allclose(found.position(follower)[:, 2], R + E * np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(found.velocity(follower)[:, 2], -E * TURN * np.sin(angle), atol=1e-6)
    second = -E * TURN**2 * np.cos(angle)
    np.testing.assert_allclose(found.acceleration(follower)[:, 2], second, atol=1e-5)
    np.testing.assert_allclose(found.reaction(joint).force[:, 2], 0.2 * (9.81 + second), atol=1e-5)
    np.testing.assert_allclose(np.abs(found.coordinate(joint)), R * angle, atol=1e-7)
    np.testing.assert_allclose(np.abs(found.coordinate_rate(joint)), R * TURN, rtol=1e-6)
    np.testing.assert_allclose(found.coordinate_acceleration(joint), 0.0, atol=1e-3)


def harmonic(x):
    return 0.5 * (1 - np.cos(np.pi * x)), 0.5 * np.pi * np.sin(np.pi * x), 0.5 * np.pi**2 * np.cos(np.pi * x)


def cycloidal(x):
    turn = 2 * np.pi
    return x - np.sin(turn * x) / turn, 1 - np.cos(turn * x), turn * np.sin(turn * x)


def polynomial(x):
    """The 3-4-5 programme."""
    return (
        10 * x**3 - 15 * x**4 + 6 * x**5,
        30 * x**2 - 60 * x**3 + 30 * x**4,
        60 * x - 180 * x**2 + 120 * x**3,
    )


@pytest.mark.parametrize("programme", [harmonic, cycloidal, polynomial])
def test_programmes_of_rise_and_return(programme):
    """Each rises in half a revolution and returns in the other: Norton, table of programmes; a knife edge follows."""
    rise, base = 0.008, 0.03

    def law(angle):
        x = np.mod(angle, 2 * np.pi) / np.pi
        back = x > 1
        s, v, a = programme(np.where(back, 2 - x, x))
        return rise * s, rise * np.where(back, -v, v) / np.pi, rise * a / np.pi**2

    cam, follower = bodies(base)
    points = fb.profile(lambda a: base + float(law(a)[0]), axis="-y", along="z", n=720)
    joint = fb.RollerOnGuideway("cam", cam, follower, points=points, closed=True, point=(0, 0, base))
    found = tappet((cam, joint))
    s, v, a = law(TURN * found.t)
    inside = np.arange(len(found.t)) % 12 != 0  # the third derivative may jump where rise and return meet
    np.testing.assert_allclose(found.position(follower)[:, 2], base + s, atol=1e-8)
    np.testing.assert_allclose(found.velocity(follower)[inside, 2], TURN * v[inside], atol=1e-6)
    np.testing.assert_allclose(found.acceleration(follower)[inside, 2], TURN**2 * a[inside], atol=1e-4)


@pytest.mark.parametrize("kind", CAMS)
def test_an_oscillating_follower_keeps_energy_and_files(kind, tmp_path):
    """A lever on an eccentric disc that spins freely: power of the reaction is zero, and both descriptions agree."""
    cam = fb.RigidBody("disc", 1.0, (1e-3, 1e-3, 1e-3), angular_velocity=(0, TURN, 0))
    lever = fb.RigidBody("lever", 0.2, (1e-4, 1e-4, 1e-4), center=(0, 0, R + E + ROLL))
    options = {"radius": ROLL} if kind is fb.RollerOnGuideway else {}
    height = E + R + options.get("radius", 0.0)
    joint = kind("cam", cam, lever, points=disc(), closed=True, point=(0, 0, height), **options)
    shaft = fb.Revolute("shaft", fb.GROUND, cam, point=(0, 0, 0), axis="y")
    hinge = fb.Revolute("hinge", fb.GROUND, lever, point=(-0.1, 0, height), axis="y")
    machine = fb.System([cam, lever], [shaft, hinge, joint], gravity=(0, 0, -9.81))
    one, two = (
        fb.simulate(
            machine,
            0.3,
            output_step=0.03,
            description=how,
            integrator=fb.Explicit(rtol=1e-9),
            show_progress=False,
        )
        for how in (fb.Absolute(), fb.Relative())
    )
    assert np.ptp(one.coordinate(hinge)) > 0.1
    assert max(one.energy.balance_error, two.energy.balance_error) < 1e-7
    for read in ("coordinate", "coordinate_rate", "coordinate_acceleration"):
        a, b = (getattr(run, read)(joint) for run in (one, two))
        np.testing.assert_allclose(a, b, atol=1e-5 * np.abs(a).max())
    s = one.coordinate(joint)
    assert np.ptp(s) > 0.1
    one.save(tmp_path / "run.h5")
    np.testing.assert_array_equal(fb.load_result(tmp_path / "run.h5").coordinate("cam"), s)


def heart(angle):
    """A radius with a kink at the angle zero that points inward."""
    return 0.03 + 0.01 * abs(np.sin(0.5 * angle))


def joined(kind, points, height, **options):
    cam, follower = bodies(height)
    return fb.System(
        [cam, follower], [kind("cam", cam, follower, points=points, point=(0, 0, height), **options)]
    )


def test_a_roller_that_is_too_large_is_named_with_the_place():
    points = fb.profile(heart, axis="y", along="z")
    with pytest.raises(fem.InputError, match=r"undercut at \[0.0, 0.0, 0.03\] m .*radius 5 mm does not fit"):
        joined(fb.RollerOnGuideway, points, 0.035, closed=True, radius=0.005)
    with pytest.raises(fem.InputError, match="does not bulge at"):
        joined(fb.FaceOnGuideway, points, 0.05, closed=True)


WRONG = {
    "open function": (lambda a: 0.03 + 0.001 * a, "does not close"),
    "no number": (lambda a: np.nan, "must return the radius"),
    "negative": (lambda a: np.cos(a), "must be above zero"),
    "not periodic": (np.linspace(0.03, 0.04, 30), "not periodic"),
    "no argument": (lambda: 1.0, "the function fails with TypeError"),
    "open table": ([(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5)], "not closed"),
    "three columns": (np.ones((5, 3)), "give a function of the angle"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_profile(case):
    curve, message = WRONG[case]
    with pytest.raises(fem.InputError, match=message):
        fb.profile(curve)


def test_a_table_of_points_may_repeat_the_first_one():
    angle = np.linspace(0, 2 * np.pi, 41)
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_array_equal(fb.profile(points), fb.profile(points[:-1]))
    np.testing.assert_allclose(fb.profile(np.ones(40), along="x"), fb.profile(points, along="x"), atol=1e-15)
