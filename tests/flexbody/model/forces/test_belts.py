"""Belts over pulleys: ratio, shaft loads, lengths of moving pulleys, vibrations, slack spans, friction."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial import ConvexHull

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import move, place

APART, EA, T0 = 0.5, 1e5, 200.0
J = (0.01, 0.04)


def pulleys(places=(0.0, APART), joint=fb.Revolute, inertias=J):
    """Pulleys on the ground, at these places along x."""
    bodies = [
        fb.RigidBody(
            f"pulley {k + 1}", 1.0, (inertia,) * 3, center=np.array([x, 0.0, 0.0]) if np.ndim(x) == 0 else x
        )
        for k, (x, inertia) in enumerate(zip(places, inertias, strict=True))
    ]
    joints = [
        joint(f"shaft {k + 1}", fb.GROUND, body, point=body.center, axis="z") for k, body in enumerate(bodies)
    ]
    return bodies, joints


def stiffness(radii):
    """Stiffness of a span as drawn, N/m: E A over the length of the tangent."""
    return EA / np.sqrt(APART**2 - (radii[0] - radii[1]) ** 2)


@pytest.mark.parametrize("radii", [(0.1, 0.1), (0.1, 0.2), (0.1, -0.2), (-0.15, 0.1)], ids=str)
def test_tensions_and_shaft_loads(radii):
    """T_1 - T_2 = M / r, T_1 + T_2 = 2 T_0; both pull along their tangents, which stand at asin((r_1 - r_2) / D)."""
    bodies, joints = pulleys()
    spans = fb.belt("belt", joints, radii, stiffness=EA, pretension=T0)
    hold = fb.Drive("hold", joints[0], value=0.0)
    load = fb.PointMoment("load", bodies[1], (0, 0, 20.0))
    state = fb.equilibrium(fb.System(bodies, [*joints, hold], [*spans, load]))
    tensions = [float(state.result.element(span).force[0]) for span in spans]
    half = 10.0 / radii[1]
    np.testing.assert_allclose(tensions, [T0 + half, T0 - half], atol=1e-6)
    sine = (radii[0] - radii[1]) / APART
    # the first span runs from the first pulley to the second, on its right
    pulls = [2 * T0 * np.sqrt(1 - sine**2), (tensions[0] - tensions[1]) * sine, 0.0]
    np.testing.assert_allclose(state.reaction("shaft 2").force, pulls, atol=1e-6)
    np.testing.assert_allclose(state.reaction("shaft 1").force, -np.array(pulls), atol=1e-6)
    assert state.coordinate("shaft 2") == pytest.approx(half / stiffness(radii) / radii[1], rel=1e-7)
    assert state.reaction("hold").moment[2] == pytest.approx(-20.0 * radii[0] / radii[1], rel=1e-7)


@pytest.mark.parametrize("radii", [(0.1, 0.1), (0.1, 0.2), (0.1, -0.2)], ids=str)
def test_natural_frequency(radii):
    """One coordinate: both spans grow by r_1 a_1 - r_2 a_2, so that omega^2 = 2 k (r_1^2 / J_1 + r_2^2 / J_2)."""
    bodies, joints = pulleys()
    spans = fb.belt("belt", joints, radii, stiffness=EA, pretension=T0, damping_time=1e-5)
    found = fb.linearize(fb.System(bodies, joints, spans)).eigenvalues
    expected = np.sqrt(2 * stiffness(radii) * (radii[0] ** 2 / J[0] + radii[1] ** 2 / J[1]))
    omega = np.abs(found).max()
    assert omega == pytest.approx(expected, rel=1e-6)
    assert -found.real.min() == pytest.approx(0.5e-5 * expected**2, rel=1e-6)


def test_a_carriage_on_its_belt():
    """A pulley on a slide, equal radii: both spans hold it, omega = sqrt(2 k / m); a force F moves it by F / 2 k."""
    bodies, joints = pulleys()
    carriage = fb.RigidBody("carriage", 3.0, (0.01,) * 3, center=(APART, 0, 0))
    slide = fb.Prismatic("slide", fb.GROUND, carriage, point=(APART, 0, 0), axis="x")
    axle = fb.Revolute("axle", carriage, bodies[1], point=(APART, 0, 0), axis="z")
    hold = fb.Drive("hold", joints[0], value=0.0)
    spans = fb.belt("belt", [joints[0], axle], (0.1, 0.1), stiffness=EA, pretension=T0)
    pull = fb.PointForce("pull", carriage, (2 * T0 + 50.0, 0, 0))
    state = fb.equilibrium(fb.System([*bodies, carriage], [joints[0], hold, slide, axle], [*spans, pull]))
    k = 2 * EA / APART
    assert state.coordinate("slide") == pytest.approx(50.0 / k, rel=1e-6)
    frequencies = np.sort(np.abs(fb.linearize(state).eigenvalues.imag))
    # mass of carriage and pulley
    assert np.min(np.abs(frequencies / np.sqrt(k / 4.0) - 1)) < 1e-5


def around(centers, radii, n=40001):
    """Length of a taut thread around circles: the perimeter of the hull of points on them."""
    angle = np.linspace(0.0, 2 * np.pi, n)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return ConvexHull(np.concatenate([c + r * ring for c, r in zip(centers, radii, strict=True)])).area


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=["counterclockwise", "clockwise"])
def test_the_length_follows_pulleys_that_move(order):
    """Three pulleys that shift and turn far: the spans grow together by what a taut thread does."""
    places, radii = np.array([[0.0, 0, 0], [0.6, 0.1, 0], [0.2, 0.5, 0]]), np.array([0.1, 0.05, 0.15])
    bodies, joints = pulleys(places, fb.Floating, (0.1, 0.1, 0.1))
    spans = fb.belt("belt", [joints[k] for k in order], radii[list(order)], stiffness=EA)
    plan = make_plan(fb.System(bodies, joints, spans))
    shift = np.array([[0.02, -0.05, 0], [0.1, 0.03, 0], [-0.04, 0.06, 0]])
    c, q, alpha, v = plan.start()
    for k, angle in enumerate((0.7, -1.1, 0.3)):
        q[k] = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    W = plan.work()
    place(plan.layout, W, 0.0, c + shift, q, alpha)
    move(plan.layout, W, alpha, v)
    expected = around((places + shift)[:, :2], radii) - around(places[:, :2], radii)
    # chords instead of arcs: (pi / 40000)^2 / 6 of the circumference
    assert W.deformation.sum() == pytest.approx(expected, abs=2e-9)


def test_a_tensioner_swings_until_its_belt_holds_it():
    """An arm that carries a pulley far: pulleys turn freely, so that both spans share the growth of the whole thread.

    The moment M is in balance with ``k growth / 2`` times the derivative of the length of the taut thread.
    """
    radii, M, pivot = (0.1, 0.15), -60.0, np.array([APART, -0.3])
    bodies, joints = pulleys()
    arm = fb.RigidBody("arm", 1.0, (0.01,) * 3, center=(*pivot, 0))
    swing = fb.Revolute("swing", fb.GROUND, arm, point=(*pivot, 0), axis="z")
    axle = fb.Revolute("axle", arm, bodies[1], point=bodies[1].center, axis="z")
    tight = fb.BeltSpan("tight", joints[0], axle, radii, stiffness=1e3, side=-1)
    spans = [tight, fb.BeltSpan("back", axle, joints[0], radii[::-1], stiffness=1e3, side=-1)]
    hold = fb.Drive("hold", joints[0], value=0.0)
    load = fb.PointMoment("load", arm, (0, 0, M))
    machine = fb.System([*bodies, arm], [joints[0], hold, swing, axle], [*spans, load])
    state = fb.equilibrium(machine)
    k = 1e3 / np.sqrt(APART**2 - (radii[0] - radii[1]) ** 2)

    def length(angle):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return around([np.zeros(2), pivot + turn @ [0.0, 0.3]], radii, 8001)

    def balance(angle):
        growth, h = length(angle) - length(0.0), 1e-3
        return M - 0.5 * k * growth * (length(angle + h) - length(angle - h)) / (2 * h)

    found = brentq(balance, -0.9, -0.05, xtol=1e-9)
    assert found < -0.1  # by 50 mm
    # differences of the second order, h^2; chords
    assert state.coordinate("swing") == pytest.approx(found, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
def test_a_belt_that_becomes_slack(description):
    """Alternating moments of the size of 2 r T_0 and more: SciPy's two angles, over more than a turn; the energy."""
    radii, time = (0.1, 0.2), 2e-4
    bodies, joints = pulleys()
    spans = fb.belt("belt", joints, radii, stiffness=EA, pretension=T0, damping_time=time)
    drive = fb.PointMoment("drive", bodies[0], lambda t: (0, 0, 5.0 + 150.0 * np.sin(70.0 * t)))
    machine = fb.System(bodies, joints, [*spans, drive])
    found = fb.simulate(
        machine, 0.3, output_step=2e-3, integrator=fb.Explicit(rtol=1e-10), description=description
    )
    k, r, inertia = stiffness(radii), np.array([1.0, -1.0]) * radii, np.array(J)

    def tensions(y):
        x, rate = -(r @ y[:2]), -(r @ y[2:])  # of the first span, on the right
        pulls = [(T0 + s * k * x, s * k * time * rate) for s in (1.0, -1.0)]
        return [max(elastic + viscous, 0.0) if elastic > 0.0 else 0.0 for elastic, viscous in pulls]

    def rates(t, y):
        first, second = tensions(y)
        return [*y[2:], *((np.array([5.0 + 150.0 * np.sin(70.0 * t), 0.0]) + r * (first - second)) / inertia)]

    exact = solve_ivp(
        rates, (0, 0.3), np.zeros(4), t_eval=found.t, method="DOP853", rtol=1e-11, atol=1e-13, max_step=2e-4
    )
    forces = np.array([tensions(y) for y in exact.y.T])
    assert (forces == 0.0).any(axis=0).all()
    assert exact.y[0].max() > 2 * np.pi
    for joint, angle in zip(("shaft 1", "shaft 2"), exact.y[:2], strict=True):
        np.testing.assert_allclose(found.coordinate(joint), angle, atol=1e-6)
    np.testing.assert_allclose(found.element("belt 1").force, forces[:, 0], atol=0.1)
    assert found.energy.balance_error < 1e-7


def test_pulleys_turn_in_the_ratio_of_their_radii():
    """Without load the mean ratio is r_1 / r_2, in opposite directions where the belt crosses."""
    for radii in ((0.1, 0.2), (0.1, -0.2)):
        bodies, joints = pulleys()
        spans = fb.belt("belt", joints, radii, stiffness=EA, pretension=T0, damping_time=1e-3)
        drive = fb.Drive("drive", joints[0], value=lambda t: 30.0 * t**2)
        found = fb.simulate(fb.System(bodies, [*joints, drive], spans), 1.0, output_step=0.1)
        # what the belt gives: J_2 a / r_2 over 2 k, at a constant acceleration
        a = 60.0 * radii[0] / radii[1]
        lag = J[1] * a / radii[1] / (2 * stiffness(radii)) / radii[1]
        expected = found.coordinate("shaft 1")[-1] * radii[0] / radii[1] - lag
        assert found.coordinate("shaft 2")[-1] == pytest.approx(expected, rel=1e-6)


def test_the_friction_that_a_belt_needs():
    """mu = ln(T_1 / T_2) / phi on each pulley; phi = pi -+ 2 asin((r_2 - r_1) / D), of a crossed belt both larger."""
    bodies, joints = pulleys()
    for radii in ((0.1, 0.2), (0.1, -0.2)):
        spans = fb.belt("belt", joints, radii, stiffness=EA, pretension=T0)
        hold = fb.Drive("hold", joints[0], value=0.0)
        load = fb.PointMoment("load", bodies[1], (0, 0, 20.0))
        state = fb.equilibrium(fb.System(bodies, [*joints, hold], [*spans, load]))
        more = 2 * np.arcsin((radii[0] - radii[1]) / APART)
        wraps = np.pi + more, np.pi - np.sign(radii[1]) * more
        np.testing.assert_allclose(
            fb.belt_grip(state.result, spans)[0], np.log(250 / 150) / np.array(wraps), rtol=1e-6
        )
    with pytest.raises(fb.InputError, match="all spans of one endless belt"):
        fb.belt_grip(state.result, spans[:1])


def test_files_keep_belts(tmp_path):
    bodies, joints = pulleys()
    spans = fb.belt("belt", joints, (0.1, 0.2), stiffness=EA, pretension=T0)
    load = fb.PointMoment("load", bodies[1], (0, 0, 20.0))
    found = fb.simulate(fb.System(bodies, joints, [*spans, load]), 0.01, save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    assert tuple(again.system.forces[0].radii) == (0.1, 0.2)
    np.testing.assert_array_equal(again.element("belt 2").force, found.element("belt 2").force)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radii": (0.1,)}, "has 2 pulleys and 1 radii"),
        ({"radii": (0.1, 0.0)}, "give two radii other than zero"),
        ({"radii": (0.3, -0.3)}, "0.3 m and 0.3 m overlap at a distance of 0.5 m"),
        ({"radii": (0.3, 0.3)}, "0.3 m and 0.3 m overlap at a distance of 0.5 m"),
        ({"stiffness": 0.0}, "stiffness"),
    ],
)
def test_belts_that_can_not_be_are_refused(change, message):
    bodies, joints = pulleys()
    given = {"radii": (0.1, 0.1), "stiffness": EA} | change
    with pytest.raises(fb.InputError, match=message):
        fb.System(bodies, joints, fb.belt("belt", joints, **given))


@pytest.mark.parametrize("carrier", [False, True], ids=["ground", "carrier"])
def test_pulleys_that_are_first_bodies_are_refused(carrier):
    """The belt would run over what carries the pulleys, and do nothing."""
    bodies, _ = pulleys()
    frame = fb.RigidBody("frame", 1.0, (0.1, 0.1, 0.1)) if carrier else fb.GROUND
    joints = [fb.Revolute(f"j{k}", body, frame, point=body.center, axis="z") for k, body in enumerate(bodies)]
    name = "'frame' and 'frame'" if carrier else "the ground and the ground"
    with pytest.raises(fb.InputError, match=f"runs over {name}, .* the pulley as second"):
        fb.System(
            [*bodies, frame][: 2 + carrier], joints, fb.belt("belt", joints, radii=(0.1, 0.1), stiffness=EA)
        )


def test_axes_that_differ_are_refused():
    bodies, joints = pulleys()
    joints[1] = fb.Revolute("shaft 2", fb.GROUND, bodies[1], point=bodies[1].center, axis="-z")
    with pytest.raises(fb.InputError, match="point in opposite directions"):
        fb.System(bodies, joints, fb.belt("belt", joints, (0.1, 0.1), stiffness=EA))


def test_joints_that_were_redrawn_are_told():
    """A belt holds its joints; a system with others of these names would not fit it."""
    bodies, joints = pulleys()
    spans = fb.belt("belt", joints, (0.1, 0.1), stiffness=EA)
    moved = fb.Revolute("shaft 2", fb.GROUND, bodies[1], point=(APART, 0.1, 0), axis="z")
    with pytest.raises(fb.InputError, match="'belt 1' was made of another revolute joint 'shaft 2'"):
        fb.System(bodies, [joints[0], moved], spans)
