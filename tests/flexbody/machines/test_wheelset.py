"""A wheelset of two coned wheels on round rails: its contact by search, Klingel's wave, hunting by linear creep."""

import numpy as np
import pytest
import scipy

import fem
import flexbody as fb
from flexbody.model.joints.recorded_rows import View

RADIUS, HALF, RAIL = (
    0.46,
    0.75,
    0.3,
)  # of the wheels, half of the distance of the contacts, of the heads of the rails, m
MASS, YAW, SPIN, F = 1000.0, 600.0, 80.0, 1e4  # kg, kg m^2, kg m^2; coefficients of creep, N


def wheelset(slope, speed, place=(0.0, 0.0), slip=None, gravity=0.01):
    """The conicity is ``slope``; the rails are parallel to x, and touch at z = 0 as drawn at (0, 0)."""
    # light on its rails, so that the weight does not add to the forces of creep
    inertia = (YAW, SPIN, YAW)
    body = fb.RigidBody("wheelset", MASS, inertia, center=(0, place[0], RADIUS + place[1]), velocity=(speed, 0, 0),
                        angular_velocity=(0, speed / RADIUS, 0))  # fmt: skip
    slip = fb.Creep(F, F, least_speed=1e-6) if slip is None else slip
    contacts = []
    for side, name in ((1, "left"), (-1, "right")):
        out = np.array([0, side * slope, -1.0]) / np.hypot(1, slope)  # outwards from the cone
        rail = fb.Cylinder(fb.GROUND, RAIL, 30.0, axis="x", point=np.array([0, side * HALF, 0]) + RAIL * out)
        point = (0, side * HALF + place[0], RADIUS + place[1])
        contacts.append(
            fb.Rolling(name, rail, fb.Cone(body, RADIUS, -side * slope, axis="y", point=point), slip=slip)
        )
    return fb.System([body], contacts, gravity=(0, 0, -gravity))


def test_where_a_cone_touches_a_rail():
    """Against a search for the least distance of the rail's axis from points of the cone, in a general position."""
    rng = np.random.default_rng(2)
    slope, radius, head = 0.2, 0.4, 0.15
    body = fb.RigidBody("wheel", 1.0, (1, 1, 1))
    contact = fb.Rolling(
        "c", fb.Cylinder(fb.GROUND, head, 9.0, axis="x"), fb.Cone(body, radius, slope, axis="y")
    )
    pair = contact.pair({"wheel": body})
    turn = scipy.spatial.transform.Rotation.from_rotvec(0.3 * rng.normal(size=3)).as_matrix()
    swap = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])  # z of the shapes along x and y
    place, axes = np.array([0.3, 0.1, 0.62]), turn @ swap[:, [1, 2, 0]]
    touch = pair.touch([View(np.zeros(3), swap, None, None), View(place, axes, None, None)])

    def surface(at):
        z, angle = at
        return place + axes @ np.array(
            [*((radius + slope * z) * np.array([np.cos(angle), np.sin(angle)])), z]
        )

    def distance(at):
        return float(np.linalg.norm(surface(at)[1:]))

    starts = [(z, angle) for z in (-0.3, 0.0, 0.3) for angle in np.arange(0, 6.3, 0.5)]
    found = min((scipy.optimize.minimize(distance, s, tol=1e-12) for s in starts), key=lambda f: f.fun)
    np.testing.assert_allclose(touch.gap, found.fun - head, atol=1e-9)
    # the normal is that of the cone there; it meets the axis of the rail
    nearest = surface(found.x)
    np.testing.assert_allclose(touch.point - touch.gap * 0 + touch.normal * touch.gap, nearest, atol=2e-5)
    np.testing.assert_allclose(touch.normal, nearest * (0, 1, 1) / found.fun, atol=2e-5)
    np.testing.assert_allclose([touch.along @ axes[:, 2], touch.along @ touch.normal], 0, atol=1e-12)


def hunting(slope, speed):
    """Lateral displacement y and yaw psi, with the gyroscopic moment of the spin: A. H. Wickens, Fundamentals of rail
    vehicle dynamics (2003), chapter 2; K. Popp, W. Schiehlen, Ground vehicle dynamics (2010), 9.

    m y.. + 2 f (y. / V - psi) = 0,  I psi.. + 2 f b^2 psi. / V + 2 f b slope y / r + J V slope / (r b) y. = 0, and the
    other gyroscopic moment about the roll that goes with y.
    """
    gyroscopic = SPIN * speed / RADIUS * slope / HALF * np.array([[0, -1], [1, 0]])
    C = np.diag([2 * F / speed, 2 * F * HALF**2 / speed]) + gyroscopic
    K = 2 * F * np.array([[0, -1], [HALF * slope / RADIUS, 0]])
    M = np.diag([MASS, YAW])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return np.linalg.eigvals(A)


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_hunting(speed):
    """The eigenvalues of small motions on straight track; the slope enters in its first order, which is 0.005."""
    linear = fb.linearize(wheelset(0.005, speed), fb.AsDrawn())
    exact = hunting(0.005, speed)
    upper = exact[(exact.imag > 0) & (exact.real > 0)]
    found = linear.eigenvalues[(linear.eigenvalues.imag > 0) & (linear.eigenvalues.real > 0)]
    np.testing.assert_allclose(found, upper, rtol=0.5 * 0.005)
    assert not linear.stable  # a free wheelset hunts at any speed


def test_klingels_wave():
    """2 pi sqrt(r b / slope): J. Klingel, Ueber den Lauf der Eisenbahnwagen auf gerader Bahn (1883), for small slopes.

    Two slopes are extrapolated to none; masses count by (m V / 2 f)^2.
    """
    ratio = []
    for slope in (0.01, 0.02):
        values = fb.linearize(wheelset(slope, 0.3), fb.AsDrawn()).eigenvalues
        wave = 2 * np.pi * 0.3 / values.imag.max()
        ratio.append(wave / (2 * np.pi * np.sqrt(RADIUS * HALF / slope)))
    np.testing.assert_allclose(2 * ratio[0] - ratio[1], 1.0, atol=1e-4)
    np.testing.assert_allclose(ratio, 1.0, atol=0.25 * 0.02)


def test_a_wheelset_runs_its_wave():
    """Drawn 2 mm beside the middle of the track, it crosses the middle after each half of Klingel's wave."""
    slope, speed = 0.05, 2.0
    wave = 2 * np.pi * np.sqrt(RADIUS * HALF / slope)
    machine = wheelset(slope, speed, (2e-3, 0.0), fb.Creep(1e7, 1e7), gravity=9.81)
    result = fb.simulate(
        machine, wave / speed, integrator=fb.GeneralizedAlpha(rtol=1e-6), show_progress=False
    )
    y = result.position("wheelset")[:, 1]
    k = np.flatnonzero(np.diff(np.sign(y)))
    at = result.t[k] - y[k] * (result.t[k + 1] - result.t[k]) / (y[k + 1] - y[k])
    assert len(at) == 2
    np.testing.assert_allclose(speed * np.diff(at), wave / 2, rtol=0.05)


def test_a_cone_along_its_rail_is_refused():
    body = fb.RigidBody("wheel", 1.0, (1, 1, 1), center=(0, 0, 0.6))
    rail = fb.Cylinder(fb.GROUND, 0.2, 5.0, axis="x")
    with pytest.raises(fem.InputError, match="axes of cone and cylinder are parallel"):
        fb.simulate(fb.System([body], [fb.Rolling("c", rail, fb.Cone(body, 0.4, 0.1, axis="x"))]), 0.1)
    with pytest.raises(fem.InputError, match=r"slope is 2\.0; it must be a number between -1 and 1"):
        fb.System([body], [fb.Rolling("c", rail, fb.Cone(body, 0.4, 2.0, axis="y"))])
