"""Nonholonomic constraints with exact answers: Chaplygin's sleigh, a ball on a turning table, a rolling disc."""

import numpy as np
import pytest

import flexbody as fb

G = 9.81
METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-9)]
method = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def tolerance(method):
    """Of the path: rtol = 1e-6 and 1e-9 a step, some thousand steps and some fifty."""
    return 2e-4 if isinstance(method, fb.GeneralizedAlpha) else 1e-7


@method
def test_chaplygins_sleigh(method):
    """A sleigh whose centre is a distance a before its blade: with u along the blade at the blade, rate w,

    ``u. = a w^2``, ``(J + m a^2) w. = -m a u w`` (S. A. Chaplygin, 1911; Neimark and Fufaev, ch. II), whose energy
    makes ``u = c tanh(k (t - t0))``, ``w = c/b sech(k (t - t0))`` with b^2 = (J + m a^2)/m, k = a c/b^2.
    """
    m, J, a, u0, w0 = 2.0, 0.3, 0.4, -0.8, 1.5
    sleigh = fb.RigidBody("sleigh", m, (J, J, J), center=(a, 0, 0), velocity=(u0, a * w0, 0),
                          angular_velocity=(0, 0, w0), markers={"blade": (0, 0, 0)})  # fmt: skip
    ice = fb.Planar("ice", fb.GROUND, sleigh, point=(0, 0, 0))
    blade = fb.Constraint("blade", [sleigh["blade"]], velocity=lambda t, p: p.R[:, 1] @ p.v)
    result = fb.simulate(fb.System([sleigh], [ice, blade]), 4.0, integrator=method, show_progress=False)
    square = (J + m * a * a) / m
    c = np.sqrt(u0**2 + square * w0**2)
    phase = a * c / square * result.t + np.arctanh(u0 / c)
    u, w = c * np.tanh(phase), c / np.sqrt(square) / np.cosh(phase)
    along = np.einsum("ti,ti->t", result.velocity(sleigh["blade"]), result.rotation(sleigh)[:, :, 0])
    np.testing.assert_allclose(along, u, atol=tolerance(method))
    np.testing.assert_allclose(result.angular_velocity(sleigh)[:, 2], w, atol=tolerance(method))
    assert u[-1] > 0 > u[0]  # it turns about, blade behind
    # the blade's side force: m (a w. + u w)
    force = np.linalg.norm(result.reaction(blade).force, axis=1)
    np.testing.assert_allclose(
        force, np.abs(m * (u * w - a * m * a * u * w / (J + m * a * a))), atol=30 * tolerance(method)
    )


@method
def test_a_ball_on_a_turning_table(method):
    """Its centre runs round a circle with 2/7 of the table's rate, K. Weltner, Am. J. Phys. 47 (1979) 984."""
    radius, rate, m = 0.1, 3.0, 0.7
    place, speed = np.array([0.5, 0.2, radius]), np.array([0.3, -0.4, 0.0])
    # rolling as it starts: v + w x (-r e_z) = rate e_z x contact
    slip = np.cross((0, 0, rate), place) - speed
    spin = np.array([slip[1], -slip[0], 0.0]) / radius
    ball = fb.RigidBody(
        "ball", m, (0.4 * m * radius**2,) * 3, center=place, velocity=speed, angular_velocity=spin
    )
    table = fb.RigidBody("table", 5.0, (1, 1, 1), angular_velocity=(0, 0, rate))
    axle = fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0))
    up = np.array([0, 0, radius])

    def rolling(t, table, ball):
        slip = ball.v - np.cross(ball.w, up) - np.cross(table.w, ball.r)
        return [slip[0], slip[1]]

    joints = [
        axle,
        fb.Drive("drive", axle, rate=rate),
        fb.PointOnPlane("on top", table, ball, point=place),
        fb.Constraint("rolling", [table, ball], velocity=rolling),
    ]
    result = fb.simulate(
        fb.System([ball, table], joints, gravity=(0, 0, -G)), 8.0, integrator=method, show_progress=False
    )
    turn = 2 / 7 * rate
    center = place + np.cross((0, 0, 1), speed) / turn
    angle = turn * result.t
    arm = place - center
    exact = center + np.cos(angle)[:, None] * arm + np.sin(angle)[:, None] * np.cross((0, 0, 1), arm)
    assert angle[-1] > 2 * np.pi
    np.testing.assert_allclose(result.position(ball), exact, atol=20 * tolerance(method))
    # rolling takes what turns the speed: m turn v, sideways; the plane carries the weight
    np.testing.assert_allclose(
        np.linalg.norm(result.reaction("rolling").force, axis=1), m * turn * 0.5, atol=30 * tolerance(method)
    )
    np.testing.assert_allclose(result.reaction("on top").force[:, 2], m * G, atol=30 * tolerance(method))


@method
def test_a_disc_that_rolls_in_a_circle(method):
    """Steady motion of a thin disc that leans by theta, its centre on a circle of radius R about the vertical:

    moments about its centre (E. J. Routh, Advanced Rigid Dynamics, 241) with the rate W of precession and the spin n
    about its axis are ``(C n + A W sin(theta)) W cos(theta) = m r (g sin(theta) - W^2 R cos(theta))``; it rolls with
    ``n r = W R``.
    """
    m, r, theta, R = 1.2, 0.3, 0.3, 2.0  # lean from the vertical towards the middle
    A, C = m * r**2 / 4, m * r**2 / 2
    s, c = np.sin(theta), np.cos(theta)
    W = np.sqrt(m * G * r * s / (c * (C * R / r + A * s + m * r * R)))
    n = W * R / r
    axis = np.array([c, 0, s])  # outwards and up: the top leans inwards
    up = np.array([-s, 0, c])  # from the contact to the centre
    place = np.array([R, 0, 0]) + [0, 0, r * c]
    # the part of the angular velocity across the axis is that of the precession; along it the spin
    spin = W * (np.array([0, 0, 1.0]) - s * axis) - n * axis
    inertia = A * np.eye(3) + (C - A) * np.outer(axis, axis)
    speed = np.array([0, W * R, 0])
    disc = fb.RigidBody("disc", m, inertia, center=place, velocity=speed, angular_velocity=spin)
    np.testing.assert_allclose(speed - np.cross(spin, r * up), 0, atol=1e-12)  # no slip at the start

    table = fb.Rolling("table", fb.Plane(fb.GROUND), fb.Wheel(disc, r, axis=axis))
    result = fb.simulate(
        fb.System([disc], [table], gravity=(0, 0, -G)), 3.0, integrator=method, show_progress=False
    )
    angle = W * result.t
    exact = np.column_stack([R * np.cos(angle), R * np.sin(angle), 0 * angle + r * c])
    np.testing.assert_allclose(result.position(disc), exact, atol=20 * tolerance(method))
    force = result.reaction("table").force
    np.testing.assert_allclose(force[:, 2], m * G, atol=200 * tolerance(method))
    np.testing.assert_allclose(
        np.linalg.norm(force[:, :2], axis=1), m * W**2 * R, atol=200 * tolerance(method)
    )
