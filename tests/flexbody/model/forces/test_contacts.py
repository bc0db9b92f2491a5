"""Contacts against closed forms: bounces, collisions, rolling, rocking, chains of spheres, and obstacles on the way."""

import warnings

import numpy as np
import pytest
import scipy
from scipy.integrate import quad, solve_ivp
from scipy.special import beta

import fem
import flexbody as fb
import modal
from flexbody.model.forces.contact import dissipation_for

pytestmark = pytest.mark.slow
G = 9.81
DESCRIPTIONS = [fb.Absolute(), fb.Relative()]


def ball(name="ball", mass=1.0, radius=0.1, **given):
    return fb.RigidBody(name, mass, (0.4 * mass * radius**2,) * 3, **given)


def run(bodies, forces, t_end, gravity=G, **options):
    machine = fb.System(bodies, forces=forces, gravity=(0, 0, -gravity))
    return fb.simulate(machine, t_end, show_progress=False, **options)


def on_floor(shape, **numbers):
    return fb.Contact("floor", fb.Plane(fb.GROUND), shape, **numbers)


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=repr)
def test_a_ball_without_losses_comes_back_at_exact_times(description):
    """Dropped from h, it is in contact for the time of Hertz' law, and in the air for sqrt(8 h/g) from then on.

    A contact lasts 2.94 delta/v with delta = (5 m v^2/(4 k))^(2/5) (K. L. Johnson, Contact Mechanics, 1985, (11.24));
    gravity changes it by m g over the largest force, 1e-3 of it.
    """
    k, h = 1e8, 1.0
    b = ball(center=(0, 0, 0.1 + h))
    above = lambda state: state.position("ball")[2] - 0.1  # noqa: E731
    result = run([b], [on_floor(fb.Sphere(b, 0.1), stiffness=k)], 2.5, description=description,
                 events=[fb.Event("touch", above)])  # fmt: skip
    fall, v = np.sqrt(2 * h / G), np.sqrt(2 * G * h)
    contact = 2.9433 * (1.25 * v**2 / k) ** 0.4 / v
    expected = [fall, fall + contact, 3 * fall + contact, 3 * fall + 2 * contact, 5 * fall + 2 * contact]
    # the tolerance of a run is 1e-4 of its motion
    np.testing.assert_allclose([one.t for one in result.events][:5], expected, atol=1e-4 * fall)
    assert result.energy.balance_error < 1e-4


def test_duration_and_depth_of_an_impact_by_hertz():
    """Without gravity: 2.9433 delta/v, and delta = (5 m v^2/(4 k))^(2/5) (Johnson (11.23), (11.24))."""
    v, k = 2.0, 1e7
    delta = (1.25 * v**2 / k) ** 0.4
    # time = 2 delta/v * integral of (1 - x^(5/2))^(-1/2) from 0 to 1 = (4/5) B(2/5, 1/2) delta/v
    duration = 0.8 * beta(0.4, 0.5) * delta / v
    assert duration == pytest.approx(2.9433 * delta / v, rel=1e-4)
    b = ball(center=(0, 0, 0.1), velocity=(0, 0, -v))
    result = run([b], [on_floor(fb.Sphere(b, 0.1), stiffness=k)], 2 * duration, gravity=0.0,
                 events=[fb.Event("leaves", lambda s: s.position("ball")[2] - 0.1, direction=fb.Rising())])  # fmt: skip
    history = result.element("floor")
    assert result.events[-1].t == pytest.approx(duration, rel=1e-3)
    assert -history.gap.min() == pytest.approx(delta, rel=1e-3)
    assert history.force.max() == pytest.approx(k * delta**1.5, rel=1e-3)


@pytest.mark.parametrize(("restitution", "exponent"), [(0.2, 1.5), (0.8, 1.5), (0.6, 1.0)])
def test_restitution_at_the_given_speed(restitution, exponent):
    v = 3.0
    b = ball(center=(0, 0, 0.1), velocity=(0, 0, -v))
    floor = on_floor(
        fb.Sphere(b, 0.1), stiffness=1e6, exponent=exponent, restitution=restitution, impact_speed=v
    )
    result = run([b], [floor], 0.05, gravity=0.0)
    assert result.velocity(b)[-1, 2] == pytest.approx(restitution * v, abs=2e-4 * v)
    assert result.energy.balance_error < 1e-3


@pytest.mark.parametrize("e", [0.01, 0.3, 0.9, 0.99999, 0.9999999])
def test_dissipation_of_a_restitution(e):
    """One mass on the law: with u = d v, ``u du/(1 + u)`` from 0 to d v and ``u du/(1 - u)`` from 0 to e d v agree."""
    x = dissipation_for(e, 2.0) * 2.0
    if e > 0.1:
        down, up = (quad(lambda u, s=s: u / (1 + s * u), 0, top)[0] for s, top in ((1, x), (-1, e * x)))
        assert down == pytest.approx(up, rel=1e-9)
    assert 0 < e * x < 1 + 1e-12
    if e > 0.9:  # Hunt and Crossley: e = 1 - 2/3 d v
        assert x == pytest.approx(1.5 * (1 - e), rel=0.2 * (1 - e) ** 0.5)


def test_a_bowling_ball_slides_and_then_rolls():
    """v = 5/7 v0 from t = 2 v0/(7 mu g) on (L. D. Landau, E. M. Lifshitz; any text on rolling).

    Friction acts at a - R = half the penetration above the surface: v = v0/(1 + 2 R^2/(5 a^2)).
    """
    R, M, v0, mu, k = 0.11, 6.0, 5.0, 0.1, 1e8
    depth = (M * G / k) ** (2 / 3)
    b = ball(mass=M, radius=R, center=(0, 0, R - depth), velocity=(v0, 0, 0))
    result = run([b], [on_floor(fb.Sphere(b, R), stiffness=k, mu=mu)], 2.0)
    v, t = result.velocity(b)[:, 0], result.t
    rolls = 2 * v0 / (7 * mu * G)
    np.testing.assert_allclose(v[t < rolls - 0.02], v0 - mu * G * t[t < rolls - 0.02], atol=1e-4 * v0)
    a = R - depth / 2
    assert v[-1] == pytest.approx(v0 / (1 + 0.4 * R**2 / a**2), rel=1e-5)
    assert v[-1] == pytest.approx(5 / 7 * v0, rel=depth / R)
    history = result.element("floor")
    assert history.friction[10] == pytest.approx(mu * M * G, rel=1e-4)
    assert history.friction[-1] < 1e-4 * mu * M * G
    np.testing.assert_allclose(history.point[-1], [*result.position(b)[-1, :2], -depth / 2], atol=1e-8)


@pytest.mark.parametrize("mu", [0.0, 0.05])
def test_billiard_balls_collide_obliquely(mu):
    """Normal velocities are exchanged; friction that slides gives mu times the normal impulse to both, and spins them.

    The impulses of Coulomb's law: J_n = m (1 + e) v_n/2, J_t = mu J_n, angular velocity 5 J_t/(2 m R) of both balls.
    """
    R, v, angle = 0.03, 3.0, np.radians(40)
    a = ball("a", 0.2, R, center=(0, 0, 0), velocity=(v, 0, 0))
    n = np.array([np.cos(angle), np.sin(angle), 0.0])
    b = ball("b", 0.2, R, center=0.01 * np.array([1.0, 0, 0]) + 2 * R * n)
    hit = fb.Contact(
        "hit", fb.Sphere(a, R), fb.Sphere(b, R), stiffness=1e12, mu=mu, regularisation_velocity=1e-2
    )
    result = run([a, b], [hit], 0.02, gravity=0.0)
    t = np.array([-n[1], n[0], 0.0])
    vn, vt = v * n[0], v * t[0]
    # (the normal turns by slip times duration over 2 R while they touch: 5e-4)
    np.testing.assert_allclose(result.velocity(b)[-1], vn * n - mu * vn * np.sign(-vt) * t, atol=3e-3 * v)
    np.testing.assert_allclose(result.velocity(a)[-1], vt * t + mu * vn * np.sign(-vt) * t, atol=3e-3 * v)
    spin = 2.5 * mu * vn / R * np.sign(-vt)
    for one in (a, b):
        assert result.angular_velocity(one)[-1, 2] == pytest.approx(
            spin, abs=0.02 * (abs(spin) + 1e-6 * v / R)
        )


def test_a_chain_of_spheres():
    """Newton's cradle of five balls that touch: Hertz' law alone decides. Against SciPy on the five positions."""
    R, k, v, n = 0.02, 1e9, 1.0, 5
    balls = [
        ball(f"b{i}", 0.1, R, center=(2 * R * i, 0, 0), velocity=(v if i == 0 else 0, 0, 0)) for i in range(n)
    ]
    pairs = [
        fb.Contact(f"c{i}", fb.Sphere(balls[i], R), fb.Sphere(balls[i + 1], R), stiffness=k)
        for i in range(n - 1)
    ]
    result = run(balls, pairs, 1e-3, gravity=0.0)

    def rates(t, y):
        push = k * np.maximum(y[: n - 1] - y[1:n], 0.0) ** 1.5
        return np.concatenate([y[n:], (np.append(0, push) - np.append(push, 0)) / 0.1])

    found = solve_ivp(
        rates, (0, 1e-3), [0.0] * n + [v] + [0.0] * (n - 1), rtol=1e-10, atol=1e-13, max_step=1e-6
    )
    mine = [result.velocity(b)[-1, 0] for b in balls]
    np.testing.assert_allclose(mine, found.y[n:, -1], atol=1e-3 * v)
    assert 0.9 < mine[-1] < 1.0  # the first balls come back a little


def test_a_rocking_block():
    """G. W. Housner, Bull. Seismol. Soc. Am. 53 (1963) 403: quarter of a period (2), and speed after impact (6).

    Released on its edge at theta0, I theta.. = -m g r sin(alpha - theta); after the impact the rate is
    1 - (m r^2/I)(1 - cos 2 alpha) times that before.
    """
    b, h, m, theta = 0.1, 0.4, 10.0, 0.1
    r, alpha, inertia = np.hypot(b, h), np.arctan(b / h), m * (b**2 + h**2) / 3
    about = inertia + m * r**2
    edge = np.array([b, 0.0, 0.0])
    turned = fb.RigidBody(
        "block", m, (inertia,) * 3, center=edge + [r * np.sin(theta - alpha), 0, r * np.cos(theta - alpha)]
    )
    c, s = np.cos(theta), np.sin(theta)
    box = fb.Box(turned, (2 * b, 0.3, 2 * h), orientation=[(c, 0, -s), (0, 1, 0), (s, 0, c)])
    floor = on_floor(box, stiffness=1e8, exponent=1.0, mu=2.0, restitution=0.1, impact_speed=0.2)
    result = run([turned], [floor], 0.5, output_step=1e-3)

    def rate(angle):
        return np.sqrt(2 * m * G * r / about * (np.cos(alpha - theta) - np.cos(alpha - angle)))

    quarter = quad(lambda u: 2 * u / rate(theta - u**2), 0, np.sqrt(theta))[0]
    w = result.angular_velocity(turned)[:, 1]
    impact = result.t[np.argmin(w)]
    assert impact == pytest.approx(quarter, abs=0.01 * quarter)
    before = -rate(0.0)
    after = (1 - m * r**2 / about * (1 - np.cos(2 * alpha))) * before
    # the corner settles within some milliseconds; gravity slows the block on the other edge meanwhile
    late = np.searchsorted(result.t, quarter + 0.01)
    expected = after + m * G * r * np.sin(alpha) / about * (result.t[late] - quarter)
    assert w.min() == pytest.approx(before, rel=0.01)
    assert w[late] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("gap", "k", "n"), [(0.0, 1e11, 1.5), (1e-3, 1e7, 1.0), (0.1, 1e9, 1.5), (-1e-5, 1e4, 1.0)]
)
def test_equilibrium_and_frequency_of_a_ball_on_a_floor(many, gap, k, n):
    # k depth^n = m g, stiffness n k depth^(n - 1)
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1 + gap))
    guide = fb.Prismatic("guide", fb.GROUND, ball, point=(0, 0, 0), axis="z")
    floor, sphere, law = fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), {"stiffness": k, "exponent": n}
    touch = fb.Contacts("c", [sphere], [floor], **law) if many else fb.Contact("c", floor, sphere, **law)
    machine = fb.System([ball], [guide], [touch], gravity=(0, 0, -9.81))
    state, depth = fb.equilibrium(machine), (9.81 / k) ** (1 / n)
    assert 0.1 - state.position(ball)[2] == pytest.approx(depth, rel=1e-8)
    found = fb.linearize(machine, state).frequencies_hz[-1]
    assert found == pytest.approx(np.sqrt(n * k * depth ** (n - 1)) / (2 * np.pi), rel=1e-6)


@pytest.mark.parametrize("gap", [1e-4, 3e-3])
def test_equilibrium_of_a_ball_above_a_floor_beside_a_stiff_body(gap):
    """Only its weight and the floor act on the ball: it comes to lie below where it is, m g = k depth^1.5."""
    line = fem.Block("line2", [(k, k + 1) for k in range(4)])
    mesh = fem.Mesh([(k / 4, 0, 0) for k in range(5)], [line], {"a": [0], "b": [4]})
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    fe = fem.assemble(mesh, {"line2": fem.Beam(steel, fem.Tube(0.02, thickness=0.003), up=(0, 0, 1))})
    beam = fb.FlexibleBody("beam", modal.reduce(fe, modal.craig_bampton(fe, ("a", "b"), n_normal=4)))
    ball = fb.RigidBody("ball", 2.0, (8e-3,) * 3, center=(0.5, 0.5, 0.1 + gap))
    clamps = [fb.Fixed(name, fb.GROUND, beam[name]) for name in "ab"]
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e8)
    state = fb.equilibrium(fb.System([beam, ball], clamps, [floor], gravity=(0, 0, -9.81)))
    x, y, z = state.position(ball)
    assert z == pytest.approx(0.1 - (2 * 9.81 / 1e8) ** (2 / 3), abs=1e-12)
    assert (x, y) == pytest.approx((0.5, 0.5), abs=1e-5)  # round-off moves it where nothing holds it


def test_equilibrium_and_frequency_of_a_block_on_hard_corners():
    # the weight over the four springs, 2 um, is far below the size of the machine
    body = fb.RigidBody("block", 2.0, (5e-3, 4e-3, 3e-3), center=(0, 0, 0.05))
    k = 2.5e6
    corners = fb.Contact("c", fb.Plane(fb.GROUND), fb.Box(body, (0.1,) * 3), stiffness=k, exponent=1.0)
    machine = fb.System([body], forces=[corners], gravity=(0, 0, -9.81))
    state = fb.equilibrium(machine)
    assert 0.05 - state.position(body)[2] == pytest.approx(2 * 9.81 / (4 * k), rel=1e-8)
    found = fb.linearize(machine, state).frequencies_hz
    heave, roll, pitch = np.sqrt([4 * k / 2, 4 * k * 0.05**2 / 5e-3, 4 * k * 0.05**2 / 4e-3]) / (2 * np.pi)
    # the corners turn about the centre, 0.05 m above, by which gravity adds 1e-5 of the stiffness
    np.testing.assert_allclose(found[-3:], np.sort([heave, roll, pitch]), rtol=1e-4)


@pytest.mark.parametrize("integrator", [fb.Automatic(), fb.Explicit()], ids=repr)
def test_a_fast_ball_does_not_pass_a_thin_plate(integrator):
    """500 m/s and 10 mm: between two outputs it would pass 40 times its thickness."""
    b = ball(radius=0.02, center=(0, 0, 3.0), velocity=(0, 0, -500.0))
    plate = fb.Contact("plate", fb.Box(fb.GROUND, (1, 1, 0.01)), fb.Sphere(b, 0.02), stiffness=1e13)
    result = run([b], [plate], 0.05, gravity=0.0, integrator=integrator)
    np.testing.assert_allclose(result.velocity(b)[-1], [0, 0, 500.0], atol=0.1)


def test_a_cylinder_rolls_and_stands():
    """A solid cylinder slides and rolls at 2/3 of its speed; on its end it stands, its weight on the whole rim."""
    M, R, v0, k, mu = 2.0, 0.1, 2.0, 1e8, 0.2
    depth = (M * G / 2 / k) ** (2 / 3)
    lying = fb.RigidBody("log", M, (1.0, M * R**2 / 2, 1.0), center=(0, 0, R - depth), velocity=(v0, 0, 0))
    result = run([lying], [on_floor(fb.Cylinder(lying, R, 0.5, axis="y"), stiffness=k, mu=mu)], 0.5)
    assert result.velocity(lying)[-1, 0] == pytest.approx(2 / 3 * v0, rel=2 * depth / R)
    tall = fb.RigidBody("can", M, (0.02, 0.02, 0.01), center=(0, 0, 0.2))
    stand = on_floor(fb.Cylinder(tall, R, 0.4), stiffness=k, mu=mu, dissipation=50.0)
    result = run([tall], [stand], 0.3)
    assert result.element("floor").force[-1] == pytest.approx(M * G, rel=1e-3)
    assert result.position(tall)[-1, 2] == pytest.approx(0.2 - (M * G / 4 / k) ** (2 / 3), abs=1e-7)
    np.testing.assert_allclose(result.element("floor").point[-1, :2], 0, atol=1e-6)


def test_events_keep_order_and_energy():
    """Between two walls with linear springs: straight lines and half sines, period 2 (pi sqrt(m/k) + free way / v).

    Without events the error of a method of order 8 is that of its steps across the kinks.
    """
    k, v, free = 1e6, 1.0, 3e-4
    w = np.sqrt(k)

    def place(t):
        half = np.pi / w + 2 * free / v
        side, t = 1 - 2 * ((t // half) % 2), t % half
        inside = -free - v / w * np.sin(w * (t - free / v))
        after = -free + v * (t - free / v - np.pi / w)
        return side * np.select([t < free / v, t < free / v + np.pi / w], [-v * t, inside], after)

    def miss(events):
        b = ball(radius=0.05, velocity=(0, 0, -v))
        walls = [
            fb.Contact(f"wall {normal}", fb.Plane(fb.GROUND, normal, point=(0, 0, z)), fb.Sphere(b, 0.05),
                       stiffness=k, exponent=1.0, events=events)
            for normal, z in (("z", -0.05 - free), ("-z", 0.05 + free))
        ]  # fmt: skip
        result = run([b], walls, 0.02, gravity=0.0, step=1e-4, output_step=2e-3, integrator=fb.Explicit())
        return np.abs(result.position(b)[:, 2] - place(result.t)).max(), result

    error, result = miss(True)
    assert error < 1e-11  # (h w)^8 of a swing of 1e-3 m, over 200 steps
    assert result.energy.balance_error < 1e-11
    assert miss(False)[0] > 1e3 * error
    assert [one.name for one in result.events[:3]] == ["wall z", "wall z", "wall -z"]
    period = np.pi / w + 2 * free / v
    assert [one.t for one in result.events[:3]] == pytest.approx(
        [free / v, period - free / v, period + free / v]
    )


def test_a_ball_hits_the_end_of_a_flexible_beam():
    """Against SciPy on the lowest 12 modes of the clamped finite-element model: motion of the ball and of the end."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    fe = fem.assemble(fem.box((0.4, 0.03, 0.01), (10, 1, 1)), steel)
    reduced = modal.reduce(fe, modal.craig_bampton(fe, interfaces=("x0", "x1"), n_normal=8), name="beam")
    beam = fb.FlexibleBody("beam", reduced, stiffening=False)
    end = beam["x1"].drawn({"beam": beam})
    b = ball(mass=0.05, radius=0.01, center=end + [0, 0, 0.0101], velocity=(0, 0, -1.0))
    k = 1e8
    hit = fb.Contact("hit", fb.Sphere(beam["x1"], 0.0), fb.Sphere(b, 0.01), stiffness=k)
    clamp = fb.Fixed("clamp", fb.GROUND, beam["x0"])
    result = fb.simulate(fb.System([beam, b], [clamp], [hit]), 3e-3, output_step=1e-4, show_progress=False)

    free = np.ones(fe.n, dtype=bool)
    at_wall = np.abs(fe.mesh.points[:, 0]) < 1e-9
    free[: 3 * fe.mesh.n_nodes] = ~np.repeat(at_wall, 3)
    K, M = (X.toarray()[np.ix_(free, free)] for X in (fe.K, fe.M))
    squares, shapes = scipy.linalg.eigh(K, M, subset_by_index=[0, 11])
    push = shapes.T @ fem.load_vector(fe, fem.Force("x1", (0, 0, 1.0)))[free]

    def rates(t, y):
        q, z = y[:12], y[12]
        force = k * max(push @ q + 0.01 - z, 0.0) ** 1.5
        return np.concatenate([y[13:], -squares * q - push * force, [force / 0.05]])

    start = np.concatenate([np.zeros(12), [0.0101], np.zeros(12), [-1.0]])
    found = solve_ivp(rates, (0, 3e-3), start, rtol=1e-9, atol=1e-12, t_eval=result.t, max_step=2e-6)
    z = result.position(b)[:, 2] - end[2]
    tip = result.position(beam["x1"])[:, 2] - end[2]
    np.testing.assert_allclose(z, found.y[12], atol=1e-2 * np.ptp(z))
    np.testing.assert_allclose(tip, push @ found.y[:12], atol=2e-2 * np.ptp(tip))
    assert np.ptp(tip) > 1e-4


def test_a_tippe_top_keeps_jellett_s_constant_and_turns_over():
    """L . (from the centre of mass to the point of contact) stays, whatever the friction is.

    J. H. Jellett, A Treatise on the Theory of Friction (1872); A. C. Or, SIAM J. Appl. Math. 54 (1994) 597. The point
    lies at R - half the penetration from the centre of the sphere: 1e-4 of it here.
    """
    R, m, off, tilt, spin = 0.02, 0.02, 0.004, 0.1, 180.0
    c, s = np.cos(tilt), np.sin(tilt)
    Q = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    inertia = Q @ np.diag([0.45, 0.45, 0.42]) @ Q.T * m * R**2
    middle = np.array([0, 0, R])
    top = fb.RigidBody("top", m, inertia, center=middle - off * Q[:, 2], angular_velocity=spin * Q[:, 2])
    floor = on_floor(fb.Sphere(top, R, point=middle), stiffness=1e6, mu=0.3, dissipation=5.0)
    result = run([top], [floor], 4.0, output_step=5e-3)
    turned = result.rotation(top)
    w, axis = result.angular_velocity(top), turned @ Q[:, 2]
    L = np.einsum("tij,jk,tlk,tl->ti", turned, inertia, turned, w)
    jellett = np.einsum("ti,ti->t", L, off * axis - [0, 0, R])
    np.testing.assert_allclose(jellett, jellett[0], rtol=2e-3)
    assert axis[0, 2] > 0.9
    assert axis[:, 2].min() < -0.5


def test_a_deep_overlap_of_the_drawing_is_a_warning_with_the_speed_that_it_causes():
    """Hertz: the energy 2/5 k delta^2.5 becomes motion; an indentation by the weight is no overlap."""
    stiffness, deep = 1e7, 0.05
    speed = np.sqrt(0.8 * stiffness * deep**2.5)
    drawn = ball(center=(0, 0, 0.1 - deep))
    with pytest.warns(fb.FlexbodyWarning, match=rf"drawn up to 0\.05 m inside.*at up to {speed:.3g} m/s"):
        found = run([drawn], [on_floor(fb.Sphere(drawn, 0.1), stiffness=stiffness)], 0.02, gravity=0.0)
    assert found.velocity("ball")[-1, 2] == pytest.approx(speed, rel=1e-4)
    rests = ball(center=(0, 0, 0.1 - (G / stiffness) ** (2 / 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run([rests], [on_floor(fb.Sphere(rests, 0.1), stiffness=stiffness)], 0.02)
    assert np.abs(found.velocity("ball")).max() < 1e-6
