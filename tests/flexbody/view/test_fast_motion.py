"""Pictures between stored states, and films, of machines that turn fast."""

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

import flexbody as fb
from flexbody.view import pictures
from flexbody.view import stage as pictures_stage
from flexbody.view.geometry.between import Turns, hermite, value
from flexbody.view.geometry.motion import MAX_CLOSINGS, Motion
from flexbody.view.loops import closing
from flexbody.view.scenes import machine

AXES = Rotation.from_rotvec([0, 0.4, 0]).as_matrix()


def washer(rate):
    """A drum with laundry at its rim."""
    drum = fb.RigidBody("drum", 8.0, (0.25, 0.4, 0.25))
    laundry = fb.RigidBody("laundry", 0.5, (1e-3, 1e-3, 1e-3), center=(0.24, 0, 0))
    axle = fb.Revolute("axle", fb.GROUND, drum, point=(0, 0, 0), axis="y")
    stuck = fb.Fixed("stuck", drum, laundry, point=(0.24, 0, 0))
    return fb.System([drum, laundry], [axle, stuck, fb.Drive("run", axle, rate=rate)])


def top():
    """A top at 60 rev/s, which precesses with nutation."""
    J = AXES @ np.diag([4e-4, 4e-4, 6e-4]) @ AXES.T
    spin = 120 * np.pi * AXES[:, 2]
    body = fb.RigidBody("top", 1.0, J, center=0.05 * AXES[:, 2], angular_velocity=spin)
    return fb.System([body], [fb.Spherical("tip", fb.GROUND, body, point=(0, 0, 0))], gravity=(0, 0, -9.81))


def crank(rate):
    """A slider-crank, 0.15 m and 0.3 m."""
    bodies = [
        fb.RigidBody(name, 0.5, (1e-4, 2e-3, 2e-3), center=(x, 0, 0))
        for name, x in (("crank", 0.075), ("rod", 0.3), ("slider", 0.45))
    ]
    arm, rod, slider = bodies
    main = fb.Revolute("main", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    joints = [
        main,
        fb.Spherical("pin", arm, rod, point=(0.15, 0, 0)),
        fb.Universal("wrist", rod, slider, point=(0.45, 0, 0), axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.45, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=rate),
    ]
    return fb.System(bodies, joints)


@pytest.mark.parametrize(
    ("system", "t_end", "n", "turns", "place", "angle"),
    [
        # largest turns between two states; tolerances are the errors of the interpolation, which fall as h^4 or faster
        (washer(lambda t: 377 * (0.6 + 0.4 * np.sin(30 * t))), 0.06, 3, 0.9, 1e-4, 1e-4),
        (top(), 0.06, 3, 1.1, 5e-5, 1e-3),
        (crank(150.0), 0.02, 4, 0.1, 1e-4, 1e-4),
    ],
    ids=["drum with varying speed", "precessing top", "slider-crank"],
)
def test_motion_between_stored_states_is_that_of_a_run_with_finer_outputs(
    system, t_end, n, turns, place, angle
):
    """Both runs have the same tolerance of 1e-9; the fine one has 100 times as many states."""
    coarse, fine = (
        fb.simulate(
            system, t_end, output_step=t_end / k, integrator=fb.Explicit(rtol=1e-9), show_progress=False
        )
        for k in (n, 100 * n)
    )
    motion = Motion(coarse)
    fastest = max(np.linalg.norm(fine.angular_velocity(body), axis=1).max() for body in system.bodies)
    assert fastest * t_end / n > 2 * np.pi * turns
    for k in range(0, len(fine.t), 7):
        poses = motion.at(fine.t[k])
        for body in system.bodies:
            assert np.linalg.norm(poses[body.name].c - fine.position(body)[k]) < place
            off = Rotation.from_matrix(poses[body.name].Q.T @ fine.rotation(body)[k]).magnitude()
            assert off < angle
    assert not motion.doubtful(fine.t, 1.0)


def test_the_path_of_a_fast_point_is_its_circle():
    """0.9 turns between two states: the laundry runs on a circle of 0.24 m about its axle, never inside it."""
    result = fb.simulate(washer(360.0), 0.08, output_step=0.016, show_progress=False)
    motion = Motion(result)
    (way,) = motion.way("laundry", np.zeros((len(result.t), 3)), result.velocity("laundry"), 100).lines
    assert len(way) > 5 * 5 / 0.2
    assert np.linalg.norm(way, axis=1) == pytest.approx(0.24, abs=1e-9)


def test_loops_are_closed_between_stored_states():
    """A driven crank makes 0.7 turns between two states; the rod and slider follow from its angle (closed form)."""
    result = fb.simulate(crank(440.0), 0.03, output_step=0.01, show_progress=False)
    motion = machine.scene_of(result, close=closing(result)).motion
    for time in (0.0021, 0.013, 0.0268):
        x, z = 0.15 * np.cos(440.0 * time), -0.15 * np.sin(440.0 * time)
        place = motion.at(time)["slider"].c
        np.testing.assert_allclose(place, [x + np.sqrt(0.3**2 - z**2), 0, 0], atol=1e-9)
    assert not motion.doubtful(np.array([0.0021, 0.013, 0.0268]), 0.9)


@pytest.mark.parametrize("t_end", [0.05, 0.52])
def test_paths_share_their_closed_poses_and_close_no_more_than_a_limit(t_end, monkeypatch):
    """0.7 turns between two states are 9 points: 40 to close in the short run, too many in the long one."""
    result = fb.simulate(crank(440.0), t_end, output_step=0.01, show_progress=False)
    close, calls = closing(result), []
    monkeypatch.setattr(
        pictures_stage, "closing", lambda _: lambda *near: calls.append(near[0]) or close(*near)
    )
    counts = []
    for trace in ((), ("rod",), ("rod", "crank")):
        calls.clear()
        stage = pictures.Stage(result, 1.0, "motion", (160, 90), trace, None, time=0.0)
        assert len(calls) == len(set(calls))
        assert ("the path is not known" in stage.caption.note) == (bool(trace) and t_end > 0.1)
        counts.append(len(calls))
    assert 40 <= counts[1] - counts[0] <= MAX_CLOSINGS if t_end < 0.1 else counts[1] == counts[0]
    assert counts[2] == counts[1]


@pytest.mark.parametrize(
    ("step", "t_end", "n_lines", "away"),
    [
        (0.01, 0.05, 1, 2e-4),  # 4.4 rad between two states: with closed joints
        (0.003, 0.5, 1, 0.02),  # 1.3 rad, too many to close: by the stored velocities
        (0.01, 0.52, 0, 1e-9),  # 4.4 rad, too many to close: the states alone
    ],
)
def test_paths_lie_on_the_curve_of_the_point_or_are_dots(step, t_end, n_lines, away):
    """The middle of the rod is at (r cos a + sqrt(l^2 - r^2 sin^2 a) / 2, -r sin a / 2) at all angles of the crank."""
    result = fb.simulate(crank(440.0), t_end, output_step=step, show_progress=False)
    scene = machine.scene_of(result, trace=("rod",), close=closing(result))
    (path,) = (part for part, owner in zip(scene.parts, scene.owners, strict=True) if owner == "trace")
    a = np.linspace(0, 2 * np.pi, 20_000)
    curve = [0.15 * np.cos(a) + 0.5 * np.sqrt(0.3**2 - (0.15 * np.sin(a)) ** 2), 0 * a, -0.075 * np.sin(a)]
    curve = scipy.spatial.cKDTree(np.transpose(curve))
    assert len(path.way.lines) == n_lines
    assert len(path.way.dots) == (0 if n_lines else len(result.t))
    assert curve.query(path.line)[0].max() < away * 0.3 + 1e-4  # its own points are up to 1e-4 m apart


def test_a_point_that_does_not_move_has_no_path():
    result = fb.simulate(washer(10.0), 0.1, show_progress=False)
    stage = pictures.Stage(result, 1.0, "motion", (160, 90), ("drum", "laundry"), None, time=0.0)
    assert list(stage.scene.legend)[-1:] == ["path of laundry"]
    assert "path of drum" not in stage.scene.legend
    assert stage.caption.note == "no path: drum does not move"


def test_what_can_not_be_known_between_states_is_told():
    """A mass on a spring makes 0.7 vibrations between two states; what stands at a stored state is certain."""
    mass = fb.RigidBody("mass", 1.0, (1e-3, 1e-3, 1e-3), velocity=(0, 0, 50.0))
    spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=440.0**2, first_point=(0, 0, -1))
    guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
    result = fb.simulate(fb.System([mass], [guide], [spring]), 0.05, output_step=0.01, show_progress=False)
    with pytest.warns(fb.FlexbodyWarning, match=r"from 0\.01 to 0\.02 s: it is a guess.*output_step=0\.00"):
        fb.picture(result, time=0.013, size=(160, 90))
    stage = pictures.Stage(result, 1.0, "motion", (160, 90), (), None, time=float(result.t[2]))
    assert stage.caption.note == ""
    with pytest.warns(fb.FlexbodyWarning):
        stage = pictures.Stage(result, 1.0, "motion", (160, 90), (), None, time=0.013)
    assert stage.caption.note == "guessed between stored states"


def test_a_film_that_shows_less_than_two_frames_per_turn_says_so(tmp_path):
    """60 turns per second: 3 in 0.05 s, between two of three frames; 0.24 in 4 ms."""
    result = fb.simulate(washer(120 * np.pi), 0.1, show_progress=False)
    look = {"size": (160, 90), "show_progress": False}
    with pytest.warns(
        fb.FlexbodyWarning, match=r"'drum' \(and 1 more\) turns up to 3 times.*slow_motion=24 to see"
    ):
        fb.animate(result, tmp_path / "fast.gif", n_frames=3, **look)
    with pytest.warns(fb.FlexbodyWarning):
        stage = pictures.Stage(result, 1.0, "motion", (160, 90), (), None, slow=0.8, n_frames=3)
    assert "'drum' turns up to 3 times per frame" in stage.caption.note
    stage = pictures.Stage(result, 1.0, "motion", (160, 90), (), None, slow=10.0, n_frames=26)
    assert stage.caption.note == "10× slow motion"


def test_rates_of_vibrations_faster_than_the_states_are_not_used():
    """sin over 100 rad between two states: polynomials of its rates would reach 12 amplitudes and more."""
    phase = np.array([0.3, 100.3])
    x, v, a = np.sin(phase), 100 * np.cos(phase), -1e4 * np.sin(phase)
    curve, doubt = hermite(1.0, *(y[:, None, None] for y in (x, v, a)))
    assert np.abs(value(curve, np.linspace(0, 1, 50))).max() <= 1.0
    assert doubt[0] > 1.0
    ends = Rotation.from_rotvec(np.outer(0.01 * x, [0, 0, 1])).as_matrix()[:, None]
    turns = Turns(1.0, ends, *(np.outer(0.01 * y, [0, 0, 1])[:, None] for y in (v, a)))
    angles = [Rotation.from_matrix(R[0]).magnitude() for R in turns.at(np.linspace(0, 1, 20))]
    assert max(angles) <= 0.01


@pytest.mark.parametrize("turned", [False, True], ids=["ground first", "ground second"])
def test_the_turns_of_hinges_are_those_that_the_run_counts(turned):
    """A table makes one turn in each second and stands at its end; an arm swings once by 1 rad from state to state.

    Without the drives the velocities say only where both start and stop. With them the angles are prescribed.
    """

    def table(t):
        return 2 * np.pi * t - np.sin(2 * np.pi * t)

    def swing(t):
        return np.sin(2 * np.pi * t)

    body = fb.RigidBody("table", 1.0, (0.02, 0.02, 0.02), center=(0.25, 0, 0))
    sides = (body, fb.GROUND) if turned else (fb.GROUND, body)
    hinge = fb.Revolute("hinge", *sides, point=(0, 0, 0), axis="y")
    for angle, off in ((table, 0.5), (swing, 0.5)):
        system = fb.System([body], [hinge, fb.Drive("drive", hinge, value=angle)])
        result = fb.simulate(system, 3.0, output_step=1.0, show_progress=False)
        times = np.array([0.0, 0.2, 0.5, 0.75, 1.3, 2.5, 2.9])
        motion = Motion(result)
        closed_motion = machine.scene_of(result, close=closing(result)).motion
        for time in times:
            true = Rotation.from_rotvec([0, (-1 if turned else 1) * angle(time), 0])
            for one, least in ((motion, off), (closed_motion, 1e-7)):
                found = Rotation.from_matrix(one.at(time)["table"].Q)
                assert (found.inv() * true).magnitude() < least
        assert len(motion.doubtful(times, 1.0)) == 3
        assert not closed_motion.doubtful(times, 1.0)


def test_a_way_from_rest_to_rest_is_uncertain():
    """s^2 (3 - 2 s) differs from a uniform way by sqrt(3) / 18 of it at most."""
    ends = np.array([0.0, 1.0])[:, None, None]
    curve, doubt = hermite(1.0, ends, 0 * ends, 0 * ends)
    s = np.linspace(0, 1, 200)
    differences = np.abs(value(curve, s)[:, 0, 0] - s**2 * (3 - 2 * s))
    assert differences.max() == pytest.approx(np.sqrt(3) / 18, rel=1e-3)
    assert differences.max() < doubt[0] < 0.15


def test_a_curve_through_smooth_ends_has_degree_five():
    """x = s^5 - 2 s^2 with its rates, (6, n, m) coefficients in rising powers."""
    ends = np.array([0.0, 1.0])
    x, v, a = ends**5 - 2 * ends**2 + 3 * ends, 5 * ends**4 - 4 * ends + 3, 20 * ends**3 - 4
    curve, _ = hermite(1.0, *(y[:, None, None] for y in (x, v, a)))
    np.testing.assert_allclose(curve[:, 0, 0], [0, 3, -2, 0, 0, 1], atol=1e-12)


def test_the_arrow_of_a_turning_force_turns():
    """The axle holds the laundry on its circle, m w^2 r = 0.5 377^2 0.24 N, and the weight of both, 8.5 g."""
    w = 120 * np.pi
    light = washer(w)
    heavy = fb.System(light.bodies, light.joints, gravity=(0, 0, -9.81))
    result = fb.simulate(heavy, 0.05, output_step=0.005, show_progress=False)  # 0.3 turns
    force, motion = result.reaction("axle").force, Motion(result)
    for time in (0.0122, 0.0131, 0.0149):
        angle = w * time
        outward = np.array([np.cos(angle), 0, -np.sin(angle)])
        expected = -0.5 * w**2 * 0.24 * outward + (0, 0, 8.5 * 9.81)
        np.testing.assert_allclose(motion.vector(force, "drum", time), expected, atol=0.1)  # N of 17 kN
    np.testing.assert_allclose(motion.vector(force, "ground", 0.0125), force[2:4].mean(axis=0), atol=1e-6)
