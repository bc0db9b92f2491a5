"""Constraints given as Python functions: derivatives, the skate's exact motion, called back or recorded."""

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from support.cloud import Cloud
from support.state import evaluated, moved, random_state

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import biases, dense, velocity_residual
from flexbody.equations.consistent_start import consistent_start

pytestmark = pytest.mark.slow  # together a second or more

G = 9.81
METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.GeneralizedAlpha(index=3, step=5e-4), fb.Explicit(rtol=1e-9)]


def two_bodies(constraint):
    rigid = fb.RigidBody("a", 2.0, (0.3, 0.4, 0.5), center=(0.0, 0.2, -0.1), markers={"p": (0.1, 0.2, 0.3)})
    soft = fb.FlexibleBody("b", Cloud.random(np.random.default_rng(7)).body(), origin=(1.0, 0.1, 0.2))
    made = constraint(rigid["p"], soft["p"])
    return make_plan(fb.System([rigid, soft], [made]))


HOLONOMIC = {
    "distance": lambda t, a, b: np.linalg.norm(b.r - a.r) - 1.2 - 0.1 * np.sin(3 * t),
    "cross": lambda t, a, b: np.cross(a.R[:, 0], b.R[:, 1]) @ (b.r - a.r) + math.exp(-t),
    "three": lambda t, a, b: [
        a.r[0] * b.r[1] ** 2,
        math.atan2(b.r[2], 2 + a.r[0]),
        a.R[0, 1] / (2 + b.R[2, 2]),
    ],
    "called back": lambda t, a, b: b.r[0] ** 3 - t if b.r[0] > -9 else a.r[1],
}
VELOCITY = {
    "skate": lambda t, a, b: a.R[:, 1] @ a.v + np.sin(t),
    "rolling": lambda t, a, b: (b.v + np.cross(b.w, a.r - b.r) - a.v) @ b.R[:, 2],
    "two": lambda t, a, b: [a.w @ b.R[:, 0] - t, np.sqrt(1 + a.r @ a.r) * b.v[1]],
    "called back": lambda t, a, b: a.v[0] if t > -1 else b.v[0],
}


@pytest.mark.parametrize("which", HOLONOMIC)
def test_jacobian_and_bias_of_positions(which):
    """As for joints: five-point differences in time along a random motion."""
    plan = two_bodies(lambda p, q: fb.Constraint("c", [p, q], position=HOLONOMIC[which]))
    assert (plan.layout.row_callback != 0).all() == (which == "called back")
    state, t, dt = random_state(plan, np.random.default_rng(11)), 0.4, 1e-3
    a, b, c, d, e = (evaluated(plan, moved(plan, state, s * dt), t + s * dt).phi.copy() for s in range(-2, 3))
    W, (v, vdot) = evaluated(plan, state, t), state[3:]
    rate, bias, G = rows(plan, W, v, t)
    np.testing.assert_allclose(rate, (a - 8 * b + 8 * d - e) / (12 * dt), atol=2e-8)
    np.testing.assert_allclose(G @ vdot + bias, (-a + 16 * b - 30 * c + 16 * d - e) / (12 * dt**2), atol=1e-5)


@pytest.mark.parametrize("which", VELOCITY)
def test_jacobian_and_bias_of_velocities(which):
    """The function itself is G v + Phi_t; its rate along a motion is G vdot + bias."""
    plan = two_bodies(lambda p, q: fb.Constraint("c", [p, q], velocity=VELOCITY[which]))
    state, t, dt = random_state(plan, np.random.default_rng(11)), 0.4, 1e-3
    values = []
    for s in range(-2, 3):
        now = moved(plan, state, s * dt)
        W = evaluated(plan, now, t + s * dt)
        assert (W.phi == 0).all()
        i, j = plan.frames["c"]
        views = [View(W.frame_r[f], W.frame_R[f], W.frame_v[f], W.frame_w[f]) for f in (i, j)]
        values.append(np.ravel(VELOCITY[which](t + s * dt, *views)) * plan.layout.row_scale)
        rate, _, _ = rows(plan, W, now[3], t + s * dt)
        np.testing.assert_allclose(rate, values[-1], atol=1e-12)
    W = evaluated(plan, state, t)
    _, bias, G = rows(plan, W, state[3], t)
    a, b, _, d, e = values
    np.testing.assert_allclose(G @ state[4] + bias, (a - 8 * b + 8 * d - e) / (12 * dt), atol=2e-8)


class View:
    def __init__(self, r, R, v, w):
        self.r, self.R, self.v, self.w = r, R, v, w


def rows(plan, W, v, t):
    rate, bias = np.empty(plan.n_rows), np.empty(plan.n_rows)
    velocity_residual(plan.layout, W, v, rate)
    biases(plan.layout, W, t, bias)
    M, G = np.empty((len(v), len(v))), np.empty((plan.n_rows, len(v)))
    dense(plan.layout, W, M, G)
    return rate, bias, G


def skate(slope=0.0, turning=2.0, speed=0.0):
    """A blade on a plane; its edge is along its own x, through its centre of mass."""
    blade = fb.RigidBody(
        "blade", 1.5, (0.1, 0.1, 0.2), velocity=(speed, 0, 0), angular_velocity=(0, 0, turning)
    )
    ice = fb.Planar("ice", fb.GROUND, blade, point=(0, 0, 0), along="x")
    edge = fb.Constraint("edge", [blade], velocity=lambda t, a: a.R[:, 1] @ a.v)
    gravity = (G * np.sin(slope), 0, -G * np.cos(slope))
    return fb.System([blade], [ice, edge], gravity=gravity), ice, edge


@pytest.mark.parametrize("method", METHODS, ids=["alpha", "index 3", "explicit"])
def test_a_skate_on_an_incline_does_not_slide_down(method):
    """Knife edge on a slope, Yu. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems (1972), ch. III:

    phi = w t, speed along the edge u. = g sin(slope) cos(phi), so that, from rest, x = g sin(slope)/(2 w^2) sin^2(w t),
    y = g sin(slope)/(2 w^2) (w t - sin(w t) cos(w t)): it drifts across the slope, along a cycloid.
    """
    slope, w = 0.4, 2.0
    system, _, edge = skate(slope, w)
    result = fb.simulate(system, 5.0, integrator=method, show_progress=False)
    scale, phase = G * np.sin(slope) / (2 * w**2), w * result.t
    exact = scale * np.column_stack([np.sin(phase) ** 2, phase - np.sin(phase) * np.cos(phase)])
    np.testing.assert_allclose(result.position("blade")[:, :2], exact, atol=3e-5)
    # across the edge: m (u w - component of gravity), N
    across = 1.5 * (G * np.sin(slope) * np.sin(phase) / w * w + G * np.sin(slope) * np.sin(phase))
    normal = np.column_stack([-np.sin(phase), np.cos(phase), np.zeros_like(phase)])
    np.testing.assert_allclose(result.reaction(edge).force, across[:, None] * normal, atol=2e-3)
    assert result.energy.balance_error < 2e-5
    assert result.statistics.rank == 4


def test_a_skate_runs_in_a_circle():
    """No load, centre over the edge: constant speed and turning rate, radius v / w (Sol 3.3, example)."""
    system, *_ = skate(0.0, 0.5, 2.0)
    result = fb.simulate(system, 10.0, show_progress=False, integrator=fb.Explicit())
    centre = np.array([0.0, 4.0])
    np.testing.assert_allclose(
        np.linalg.norm(result.position("blade")[:, :2] - centre, axis=1), 4.0, atol=1e-7
    )
    np.testing.assert_allclose(np.linalg.norm(result.velocity("blade"), axis=1), 2.0, atol=1e-9)


def test_a_nonholonomic_row_moves_no_body_at_the_start():
    """A blade that lies across its speed loses that part of it; nothing is moved."""
    system, *_ = skate(0.0, 0.0, 0.0)
    blade = fb.RigidBody("blade", 1.5, (0.1, 0.1, 0.2), velocity=(1.0, 0.7, 0))
    start = consistent_start(make_plan(fb.System([blade], system.joints)))
    assert start.position_correction == 0
    np.testing.assert_allclose(start.v[:3], (1, 0, 0), atol=1e-12)


def test_a_bead_on_a_wire_given_as_a_function():
    """On y = c x^2 from rest: the time for half an oscillation by quadrature of the energy, as a cycloidal check."""
    c, x0 = 0.8, 0.5
    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3, center=(x0, c * x0**2, 0))
    wire = fb.Constraint("wire", bead, position=lambda t, a: [a.r[1] - c * a.r[0] ** 2, a.r[2]])
    result = fb.simulate(
        fb.System([bead], [wire], gravity=(0, -G, 0)),
        2.0,
        integrator=fb.Explicit(rtol=1e-10),
        show_progress=False,
    )
    # x = x0 sin(u): dt = sqrt((1 + 4 c^2 x^2) / (2 g c)) du
    half, _ = quad(
        lambda u: np.sqrt((1 + (2 * c * x0 * np.sin(u)) ** 2) / (2 * G * c)), -np.pi / 2, np.pi / 2
    )
    x = result.position(bead)[:, 0]
    k = int(np.argmin(x[: int(1.5 * half / result.t[1])]))
    parabola = np.polyfit(result.t[k - 2 : k + 3] - result.t[k], x[k - 2 : k + 3], 2)
    assert result.t[k] - parabola[1] / (2 * parabola[0]) == pytest.approx(half, abs=1e-5)
    assert x.min() == pytest.approx(-x0, abs=1e-5)


def test_a_recorded_joint_is_the_joint():
    """A bar as a function and as a Distance: the same motion, the same force."""
    place = np.array([0.6, 0.0, -0.8])
    ball = fb.RigidBody("ball", 1.3, (0.1, 0.2, 0.3), center=place, velocity=(0, 1, 0))
    bar = fb.Distance("bar", fb.GROUND, ball, first_point=(0, 0, 0), second_point=place)
    own = fb.Constraint("bar", [fb.GROUND, ball], position=lambda t, a, b: np.linalg.norm(b.r - a.r) - 1.0)
    results = [
        fb.simulate(fb.System([ball], [joint], gravity=(0, 0, -G)), 1.0, show_progress=False)
        for joint in (bar, own)
    ]
    # the iteration ends where it leaves 1e-7 of the accelerations: 1e-6 N, and in steps of 1e-2 s 1e-10 m
    np.testing.assert_allclose(results[0].position(ball), results[1].position(ball), atol=1e-9)
    np.testing.assert_allclose(results[0].reaction("bar").force, results[1].reaction("bar").force, atol=1e-5)


def test_a_function_that_compares_is_called_back():
    """Pulled along a wall and, past its end, along a slope: the kink is smooth to first order."""
    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3, velocity=(1, 0, 0), center=(-0.5, 0, 0))
    wall = fb.Constraint("wall", bead, position=lambda t, a: a.r[1] if a.r[0] < 0 else a.r[1] - a.r[0] ** 3)
    result = fb.simulate(fb.System([bead], [wall]), 1.0, step=2e-3, show_progress=False)
    x, y, _ = result.position(bead).T
    np.testing.assert_allclose(y, np.where(x < 0, 0, x**3), atol=1e-8)
    assert x[-1] > 0.4


def test_what_a_constraint_raises_stops_the_run_in_its_name():
    class MyError(Exception):
        pass

    def wall(t, a):
        if t > 0.3:
            raise MyError("no further")
        return a.r[1] if a.r[0] > -100 else a.r[0]

    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3, velocity=(1, 0, 0))
    system = fb.System([bead], [fb.Constraint("wall", bead, position=wall)])
    with pytest.raises(
        fb.InputError, match=r"constraint 'wall': the function fails at t = 0.3.*no further"
    ) as caught:
        fb.simulate(system, 1.0, show_progress=False)
    assert isinstance(caught.value.__cause__, MyError)


def test_constraints_come_back_from_files(tmp_path):
    """Recorded functions are in the file; reactions computed from it are the same. Of others it is said."""
    system, _, edge = skate(0.4)
    result = fb.simulate(system, 0.5, show_progress=False, save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    np.testing.assert_allclose(again.reaction("edge").force, result.reaction(edge).force, atol=1e-12)
    more = fb.simulate(again.system, 0.5, show_progress=False)
    np.testing.assert_allclose(more.position("blade")[-1], result.position("blade")[-1], atol=1e-12)
    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3, velocity=(1, 0, 0))
    wall = fb.Constraint("wall", bead, position=lambda t, a: a.r[1] if a.r[0] > -9 else a.r[0])
    result = fb.simulate(fb.System([bead], [wall]), 0.1, show_progress=False)
    with pytest.warns(fb.FlexbodyWarning, match="constraint 'wall' compares values"):
        result.save(tmp_path / "other.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fb.load_result(tmp_path / "other.h5").system.joint("wall").given == wall.given


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "has no function; give either position= or velocity="),
        ({"position": 3.0}, "give a function"),
        ({"position": lambda t, a: 1.0 + t}, "does not depend on its frames"),
        ({"position": lambda t, a: a.v[0]}, "the function fails as drawn with TypeError"),
        ({"position": lambda t, a: float(a.r[0])}, "use NumPy's functions"),
        ({"position": lambda t, a: []}, "returns nothing"),
        ({"position": lambda t, a: 1 / (a.r @ a.r)}, "not finite as drawn"),
        ({"velocity": lambda t, a: a.v @ a.v}, "not linear in the velocities"),
        ({"position": lambda t: t}, "fails as drawn with TypeError"),
    ],
)
def test_bad_input_is_refused_in_words(options, message):
    body = fb.RigidBody("body", 1.0, (1, 1, 1))
    with pytest.raises(fb.InputError, match=message):
        make_plan(fb.System([body], [fb.Constraint("mine", body, **options)]))
