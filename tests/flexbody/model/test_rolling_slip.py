"""Rolling with slip: Coulomb friction and creep against closed forms."""

import numpy as np
import pytest
import scipy

import fem
import flexbody as fb
from flexbody.core import force_laws

G = 9.81
R, M = 0.1, 0.7  # of balls and wheels, m and kg
STEP = 1e-3  # regularisation velocity, m/s


def body(share=0.4, radius=R, **motion):
    return fb.RigidBody("body", M, (share * M * radius**2,) * 3, **motion)


def run(machine, t_end, integrator=None, **options):
    method = fb.GeneralizedAlpha(rtol=1e-7) if integrator is None else integrator
    return fb.simulate(machine, t_end, integrator=method, show_progress=False, **options)


# ---- Coulomb friction ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize(
    "method", [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-8)], ids=lambda m: type(m).__name__
)
def test_a_ball_slides_until_it_rolls(method, description):
    """v = v0 - mu g t until 2 v0 / (7 mu g), then 5/7 v0: E. J. Routh, Elementary Rigid Dynamics; the heat is 2/7."""
    mu, v0 = 0.2, np.array([1.6, -1.2, 0.0])
    ball = body(center=(0, 0, R), velocity=v0)
    lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, R), slip=fb.Coulomb(mu))
    machine = fb.System([ball], [lane], gravity=(0, 0, -G))
    result = run(machine, 0.4, method, description=description)
    rolls = 2 * 2.0 / 7 / (mu * G)
    factor = np.where(result.t < rolls, 1 - mu * G * result.t / 2.0, 5 / 7)
    np.testing.assert_allclose(result.velocity(ball), factor[:, None] * v0, atol=STEP)
    early, late = result.t < 0.98 * rolls, result.t > 1.02 * rolls
    force = result.reaction(lane).force
    np.testing.assert_allclose(force[:, 2], M * G, rtol=1e-6)
    np.testing.assert_allclose(
        force[early, :2], np.tile(-mu * M * G * v0[:2] / 2, (early.sum(), 1)), rtol=1e-5
    )
    np.testing.assert_allclose(force[late, :2], 0, atol=1e-2)
    np.testing.assert_allclose(result.reaction(lane, body="ground").force, -force, rtol=1e-12, atol=1e-12)
    # it rolls: w x r e_z = v, with no spin about the normal
    w = result.angular_velocity(ball)[-1]
    np.testing.assert_allclose(np.cross(w, (0, 0, R)), result.velocity(ball)[-1], atol=STEP)
    history = result.element("lane")
    np.testing.assert_allclose(
        scipy.integrate.trapezoid(history.dissipated, result.t), M * 4.0 / 7, rtol=2e-3
    )
    np.testing.assert_allclose(history["normal"], M * G, rtol=1e-6)
    np.testing.assert_allclose(history.force, np.linalg.norm(force[:, :2], axis=1), atol=1e-9)
    np.testing.assert_array_equal(result.table(("element", lane)).columns["force lane (N)"], history.force)
    assert result.energy.balance_error < 1e-4


@pytest.mark.parametrize(("kind", "limit"), [("ball", 3.5), ("wheel", 3.0), ("cylinder", 3.0)])
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_where_slip_sets_in_on_an_incline(kind, limit, factor):
    """It slides above tan(slope) = 7/2 mu (ball), 3 mu (disc, cylinder): Routh, with g (sin - mu cos) then."""
    mu, share, t = 0.2, 0.4 if kind == "ball" else 0.5, 0.5
    slope = np.arctan(limit * mu * factor)
    down, normal = np.array([np.cos(slope), 0, -np.sin(slope)]), np.array([np.sin(slope), 0, np.cos(slope)])
    one = body(share, center=R * normal)
    shape = {"ball": lambda: fb.Sphere(one, R), "wheel": lambda: fb.Wheel(one, R, axis="y"),
             "cylinder": lambda: fb.Cylinder(one, R, 0.3, axis="y")}[kind]()  # fmt: skip
    contact = fb.Rolling("slope", fb.Plane(fb.GROUND, normal, point=(0, 0, 0)), shape, slip=fb.Coulomb(mu))
    result = run(fb.System([one], [contact], gravity=(0, 0, -G)), t)
    slides = np.sin(slope) - mu * np.cos(slope)
    a = G * (slides if factor > 1 else np.sin(slope) / (1 + share))
    np.testing.assert_allclose(result.velocity(one)[-1] @ down, a * t, atol=2 * STEP)
    slip = result.element("slope").rate[-1]
    if factor < 1:
        assert slip < 2 * STEP
    else:  # the surface is slower by what friction does not spin it up
        spun = mu * G * np.cos(slope) / share * t
        np.testing.assert_allclose(slip, a * t - spun, atol=2 * STEP)


def test_the_load_that_friction_follows():
    """A ball that slides in a circular tube: N = m v^2 / (R - r), so v' = -mu v^2 / (R - r) without weight."""
    mu, v0, wall = 0.3, 3.0, 1.0
    ball = body(center=(wall - R, 0, 0), velocity=(0, v0, 0))
    tube = fb.Rolling("tube", fb.Cylinder(fb.GROUND, wall, 1.0), fb.Sphere(ball, R), slip=fb.Coulomb(mu))
    result = run(fb.System([ball], [tube]), 0.2)
    v = v0 / (1 + mu * v0 * result.t / (wall - R))
    np.testing.assert_allclose(np.linalg.norm(result.velocity(ball), axis=1), v, rtol=1e-5)
    np.testing.assert_allclose(result.element("tube")["normal"], M * v**2 / (wall - R), rtol=1e-4)


# ---- creep ---------------------------------------------------------------------------------------------------


def creep_forces(law, normal, rates):
    """The formulas of the docstring."""
    V = np.hypot(rates[3], law.least_speed)
    x, y, phi = np.array(rates[:3]) / V
    F = np.array([law.longitudinal * x, law.lateral * y + law.mixed * phi, law.spin * phi - law.mixed * y])
    if law.mu is None:
        return F
    b = np.hypot(F[0], F[1]) / (law.mu * normal)
    return F * (1 - b / 3 + b * b / 27 if b < 3 else 1 / b)


@pytest.mark.parametrize("mu", [None, 0.3])
def test_the_law_of_creep(mu):
    rng = np.random.default_rng(5)
    law = fb.Creep(3e4, 2e4, mixed=40.0, spin=0.1, mu=mu)
    evaluate, kind = force_laws.law("slip"), law.numbers()
    largest = []
    for _ in range(50):
        normal, speed = 1e3 * rng.uniform(0.5, 2), rng.uniform(1, 10)
        rates = (
            *(speed * rng.normal(size=2) * rng.choice([1e-3, 1e-2, 1e-1])),
            speed * rng.normal() * 5,
            speed,
        )
        out = np.empty(7)
        evaluate(0.0, (normal, 0.0), (0.0,) * 4, rates, (), [kind[0], -1.0, *kind[1:]], out)
        exact = creep_forces(law, normal, rates)
        np.testing.assert_allclose(out[:3], exact, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(out[5], exact @ rates[:3], rtol=1e-9)
        assert out[5] > 0  # it dissipates
        largest.append(np.hypot(*out[:2]) / normal)
    if mu is not None:
        assert 0.99 * mu < max(largest) <= mu * (1 + 1e-12)
        # at b = 3 both branches give mu N
        np.testing.assert_allclose(3 * (1 - 3 / 3 + 9 / 27), 1.0)


@pytest.mark.parametrize(
    "method", [fb.GeneralizedAlpha(rtol=1e-7), fb.Explicit(rtol=1e-9)], ids=lambda m: type(m).__name__
)
@pytest.mark.parametrize("mu", [None, 0.3])
def test_a_driven_wheel_creeps(mu, method):
    """A motor's moment T and a load F = T / r at constant speed: F = f xi, or F = mu N (b - b^2/3 + b^3/27).

    The speed of rolling is the mean of v and w r.
    """
    f, pull, v = 2e3, 1.2, 5.0
    share = pull if mu is None else mu * M * G * scipy.optimize.brentq(
        lambda b: b - b * b / 3 + b**3 / 27 - pull / (mu * M * G), 0.0, 3.0, xtol=1e-14
    )  # fmt: skip
    xi = share / f
    surface = v * (1 + xi / 2) / (1 - xi / 2)  # (surface - v) / mean = xi
    wheel = body(0.5, center=(0, 0, R), velocity=(v, 0, 0), angular_velocity=(0, surface / R, 0))
    road = fb.Rolling("road", fb.Plane(fb.GROUND), fb.Wheel(wheel, R, axis="y"),
                      slip=fb.Creep(f, f, mu=mu, least_speed=1e-4))  # fmt: skip
    forces = [fb.PointForce("load", wheel, (-pull, 0, 0)), fb.PointMoment("motor", wheel, (0, pull * R, 0))]
    result = run(fb.System([wheel], [road], forces, gravity=(0, 0, -G)), 1.0, method)
    # at rest in this motion: speeds stay
    np.testing.assert_allclose(result.velocity(wheel)[:, 0], v, rtol=1e-8)
    np.testing.assert_allclose(result.angular_velocity(wheel)[:, 1], surface / R, rtol=1e-8)
    np.testing.assert_allclose(
        result.reaction(road).force, np.tile((pull, 0, M * G), (len(result.t), 1)), rtol=1e-6, atol=1e-6
    )
    history = result.element("road")
    np.testing.assert_allclose(history.slip_along / history.speed, -xi, rtol=1e-6)
    # heat: the moment's power less that of the load
    np.testing.assert_allclose(history.dissipated, pull * (surface - v), rtol=1e-6)


def test_a_braked_wheel_that_locks():
    """Beyond mu N the wheel stops turning, and slides with mu g; the force of the cubic law has then its limit."""
    mu, v0 = 0.3, 5.0
    wheel = body(0.5, center=(0, 0, R), velocity=(v0, 0, 0), angular_velocity=(0, v0 / R, 0))
    plane = fb.Planar("plane", fb.GROUND, wheel, point=(0, 0, R), axis="y")
    road = fb.Rolling(
        "road", fb.Plane(fb.GROUND), fb.Wheel(wheel, R, axis="y"), slip=fb.Creep(2e3, 2e3, mu=mu)
    )
    brake = fb.Drive("brake", plane, value=lambda t: v0 / R * 0.02 * (1 - np.exp(-t / 0.02)), which="angle")
    result = run(fb.System([wheel], [plane, road, brake], gravity=(0, 0, -G)), 0.4)
    force, late = result.reaction(road).force, result.t > 0.2
    np.testing.assert_allclose(
        force[late], np.tile((-mu * M * G, 0, M * G), (late.sum(), 1)), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(
        np.gradient(result.velocity(wheel)[late, 0], result.t[late]), -mu * G, rtol=1e-5
    )


def test_a_wheel_that_runs_aslant():
    """A wheel steered by the angle psi against its way has the lateral creepage tan(psi) of V = v cos(psi)."""
    f11, f22, psi, v = 2e3, 1.5e3, 0.01, 4.0
    along, axis = np.array([np.cos(psi), np.sin(psi), 0]), np.array([-np.sin(psi), np.cos(psi), 0])
    rate = v * np.cos(psi) / R
    wheel = body(0.5, center=(0, 0, R), velocity=(v, 0, 0), angular_velocity=rate * axis)
    frame = fb.RigidBody("frame", 1.0, (1e-3,) * 3, center=(0, 0, R), velocity=(v, 0, 0))
    rail = fb.Cylindrical("rail", fb.GROUND, frame, point=(0, 0, R), axis="x")
    upright = fb.Constraint("upright", [frame], position=lambda t, a: a.R[2, 1])
    axle = fb.Revolute("axle", frame, wheel, point=(0, 0, R), axis=axis)
    go = fb.Drive("go", rail, rate=v, which="slide")
    road = fb.Rolling("road", fb.Plane(fb.GROUND), fb.Wheel(wheel, R, axis=axis),
                      slip=fb.Creep(f11, f22, least_speed=1e-6), pulls=True)  # fmt: skip
    with pytest.warns(fem.RedundantConstraintWarning):
        result = run(fb.System([wheel, frame], [rail, upright, axle, go, road], gravity=(0, 0, -G)), 0.2)
    history = result.element("road")
    np.testing.assert_allclose(np.abs(history.slip_across / history.speed), np.tan(psi), rtol=1e-6)
    np.testing.assert_allclose(history.second[:, :3] @ axis, f22 * np.tan(psi), rtol=1e-6)
    np.testing.assert_allclose(history.second[:, :3] @ along, 0.0, atol=1e-6 * f22)


# ---- bad input and files -------------------------------------------------------------------------------------


def test_bad_laws_are_named():
    ball = body(center=(0, 0, R))
    for slip, said in (
        (fb.Coulomb(0.3, mu_static=0.2), r"mu_static is 0\.2; it must be at least mu, 0\.3"),
        (
            fb.Creep(1.0, 1.0),
            "slip is a law of creep, which needs a direction of rolling, and a ball has none",
        ),
        (fb.Creep(1.0, 1.0, mu=-1.0), r"mu is -1\.0; it must be a number above zero"),
    ):
        with pytest.raises(fem.InputError, match=rf"rolling 'c': {said}"):
            fb.System([ball], [fb.Rolling("c", fb.Plane(fb.GROUND), fb.Sphere(ball, R), slip=slip)])


def test_laws_of_slip_come_back_from_files(tmp_path):
    ball = body(center=(0, 0, R), velocity=(1, 0, 0))
    lane = fb.Rolling(
        "lane", fb.Plane(fb.GROUND), fb.Wheel(ball, R, axis="y"), slip=fb.Creep(50.0, 40.0, mu=0.3, spin=0.1)
    )
    result = run(fb.System([ball], [lane], gravity=(0, 0, -G)), 0.1)
    result.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    assert loaded.system.joint("lane").slip.lateral == 40.0
    np.testing.assert_array_equal(loaded.reaction("lane").force, result.reaction("lane").force)
    np.testing.assert_array_equal(loaded.element("lane").force, result.element("lane").force)
