"""Pins with play in hollow cylinders: rest, impacts, tilt and friction against closed forms and SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigvalsh
from scipy.optimize import brentq

import flexbody as fb

G = 9.81
#: radii of hole and pin, length of the hole (m), and stiffness at one point (N/m^1.5)
HOLE, PIN, LENGTH, STIFFNESS = 10.5e-3, 10e-3, 0.02, 5e9
PLAY = HOLE - PIN


def hole(side, point, length=LENGTH, axis="y"):
    return fb.HollowCylinder(side, HOLE, length, axis=axis, point=point)


def pin(side, point=None, length=0.03, axis="y"):
    return fb.Cylinder(side, PIN, length, axis=axis, point=point)


def contact(first, second, **given):
    return fb.Contact("play", first, second, **({"stiffness": STIFFNESS} | given))


def pressed(gap, rate, stiffness, dissipation=0.0):
    """Return Hunt and Crossley's normal force."""
    return stiffness * max(-gap, 0.0) ** 1.5 * max(1.0 - dissipation * rate, 0.0)


def test_a_hanging_rod_rests_by_hertz_and_swings_as_a_double_pendulum():
    """Each end of the pin bears half of the weight. Without friction the play is a massless link of its length.

    With c = R - r + delta and the distance l of the centre of mass:
    M = [[m c^2, m c l], [m c l, m l^2 + I]], K = diag(m g c, m g l).
    """
    m, inertia, away = 0.2, 2e-4, 0.1
    rod = fb.RigidBody("rod", m, (1e-5, inertia, inertia), center=(0, 0, -away - PLAY))
    machine = fb.System([rod], forces=[contact(hole(rod, (0, 0, -PLAY)), pin(fb.GROUND))], gravity=(0, 0, -G))
    guide = fb.Planar("plane", fb.GROUND, rod, point=(0, 0, 0), axis="y")
    machine = fb.System([rod], [guide], forces=machine.forces, gravity=(0, 0, -G))
    state = fb.equilibrium(machine)
    depth = (0.5 * m * G / STIFFNESS) ** (2 / 3)
    # equilibria are found to 1e-9 of the machine, 1e-10 m
    assert state.position(rod)[2] == pytest.approx(-away - PLAY - depth, abs=1e-9)
    link = PLAY + depth
    M = np.array([[m * link**2, m * link * away], [m * link * away, m * away**2 + inertia]])
    expected = np.sqrt(eigvalsh(np.diag([m * G * link, m * G * away]), M)) / (2 * np.pi)
    found = fb.linearize(machine, state).frequencies_hz
    np.testing.assert_allclose(np.sort(found)[:2], expected, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=repr)
def test_a_pin_bounces_in_a_ring(description):
    """Both move freely in their plane. SciPy integrates their distance: a mass m M/(m + M) in a field of force."""
    m, M, d = 0.2, 0.5, 0.3
    v = np.array([0.9, 0.35])
    ring = fb.RigidBody("ring", M, (1e-3,) * 3)
    bolt = fb.RigidBody("bolt", m, (1e-3,) * 3, velocity=(v[0], 0, v[1]))
    play = contact(hole(ring, (0, 0, 0)), pin(bolt), dissipation=d)
    result = fb.simulate(
        fb.System([ring, bolt], forces=[play]),
        6e-3,
        show_progress=False,
        integrator=fb.GeneralizedAlpha(rtol=1e-7),
        description=description,
    )

    def rates(t, y):
        distance = np.hypot(*y[:2])
        e = y[:2] / distance if distance > 0 else np.array([1.0, 0.0])
        push = 2 * pressed(PLAY - distance, -y[2:] @ e, STIFFNESS, d)
        return [*y[2:], *(-push * e * (m + M) / (m * M))]

    exact = solve_ivp(rates, (0, 6e-3), [0, 0, *v], rtol=1e-11, atol=1e-14, max_step=1e-6, t_eval=result.t)
    found = (result.position(bolt) - result.position(ring))[:, [0, 2]]
    assert np.count_nonzero(np.diff(np.sign(np.hypot(*exact.y[:2]) - PLAY))) >= 8  # four impacts
    # the tolerance is 1e-7 of the motion, some millimetres; each impact on the curved wall multiplies errors
    np.testing.assert_allclose(found, exact.y[:2].T, atol=1e-4 * PLAY)
    assert result.energy.balance_error < 1e-4


@pytest.mark.parametrize("axis", ["y", (0.3, 0.8, 0.1)])
def test_a_pin_tilts_until_the_edges_bear_its_moment(axis):
    """The gap at both edges is c - (L/2) tan(theta), whose derivative by theta times the force is half the moment."""
    moment = 20.0
    y = np.array({"y": (0, 1, 0)}.get(axis, axis)) / np.linalg.norm({"y": (0, 1, 0)}.get(axis, axis))
    across = np.cross(y, [0, 0, 1.0])
    across /= np.linalg.norm(across)
    bolt = fb.RigidBody("bolt", 0.1, (1e-4,) * 3)
    hinge = fb.Revolute("tilt", fb.GROUND, bolt, point=(0, 0, 0), axis=across)
    couple = fb.PointMoment("couple", bolt, tuple(moment * across))
    start = np.arctan(2 * PLAY / LENGTH) + 1e-5
    drawn = np.cos(start) * y + np.sin(start) * np.cross(across, y)
    play = contact(hole(fb.GROUND, (0, 0, 0), axis=axis), pin(bolt, axis=drawn))
    state = fb.equilibrium(fb.System([bolt], [hinge], forces=[play, couple]))

    def missing(theta):
        return pressed(PLAY - LENGTH / 2 * np.tan(theta), 0, STIFFNESS) * LENGTH / np.cos(theta) ** 2 - moment

    theta = brentq(missing, start - 2e-5, start + 0.05, xtol=1e-14)
    turned = state.rotation(bolt) @ drawn
    assert np.arccos(turned @ y) == pytest.approx(theta, rel=1e-6)


@pytest.mark.slow
def test_a_turning_pin_holds_a_rod_aside():
    """The weight acts through the point of contact, which Coulomb's friction turns by psi from the top, tan(psi) = -mu.

    The centre of mass hangs below it: l sin(theta) = (R + delta/2) sin(psi), to the middle of the overlap.
    """
    m, away, mu = 0.2, 0.1, 0.3
    psi = -np.arctan(mu)  # the top of the pin moves along x, and drives the rod there
    depth = (0.5 * m * G * np.cos(psi) / STIFFNESS) ** (2 / 3)
    theta = np.arcsin((HOLE + depth / 2) * np.sin(psi) / away)
    radial = np.array([np.sin(psi), 0, np.cos(psi)])  # from the pin to the place where the hole rests on it
    middle = -(PLAY + depth) * radial
    centre = middle + away * np.array([np.sin(theta), 0, -np.cos(theta)])
    rod = fb.RigidBody("rod", m, (1e-5, 2e-4, 2e-4), center=tuple(centre))
    shaft = fb.RigidBody("shaft", 1.0, (1e-3,) * 3)
    bearing = fb.Revolute("bearing", fb.GROUND, shaft, point=(0, 0, 0), axis="y")
    machine = fb.System(
        [rod, shaft],
        [
            bearing,
            fb.Planar("plane", fb.GROUND, rod, point=(0, 0, 0), axis="y"),
            fb.Drive("motor", bearing, rate=30.0),
        ],
        forces=[contact(hole(rod, tuple(middle)), pin(shaft), mu=mu)],
        gravity=(0, 0, -G),
    )
    result = fb.simulate(machine, 0.05, show_progress=False)
    moved = result.position(rod) - result.position(rod)[0]
    # without friction it falls by g t^2/2, 12 mm; friction reaches 1 - 1e-130 of mu at this slip
    assert np.abs(moved).max() < 1e-6


#: A slider-crank of a common size: lengths of crank and rod, masses and moment of inertia, radii of bearing and pin;
#: the crank turns at 5000 rev/min. The test computes the same machine with SciPy
CRANK, ROD = 0.05, 0.12
ROD_MASS, SLIDER_MASS, ROD_INERTIA = 0.21, 0.14, 2.5e-4
BEARING, JOURNAL, RPM = 10e-3, 9.5e-3, 5000


def hertz(R, r, E=207e9, nu=0.3):
    """Return 4/3 E* sqrt(R r/(R - r)) of a ball in a socket."""
    return 4 / 3 * E / (2 * (1 - nu**2)) * np.sqrt(R * r / (R - r))


@pytest.mark.slow
def test_a_slider_crank_with_play_in_the_pin_of_the_slider():
    """SciPy integrates the angle of the rod and the place of the slider, through free flight, impacts and contact.

    The forces of the impacts exceed those of an ideal joint.
    """
    omega, K, d, t_end = RPM * np.pi / 30, hertz(BEARING, JOURNAL), 0.05, 6e-3
    crank = fb.RigidBody("crank", 0.3, (1e-4,) * 3, center=(CRANK / 2, 0, 0), angular_velocity=(0, 0, omega))
    end = CRANK + ROD
    rod = fb.RigidBody("rod", ROD_MASS, (ROD_INERTIA,) * 3, center=(CRANK + ROD / 2, 0, 0))
    slider = fb.RigidBody("slider", SLIDER_MASS, (1e-4,) * 3, center=(end, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Revolute("big end", crank, rod, point=(CRANK, 0, 0), axis="z"),
        fb.Prismatic("guide", fb.GROUND, slider, point=(end, 0, 0), axis="x"),
        fb.Drive("motor", main, rate=omega),
    ]
    play = fb.Contact(
        "play",
        fb.HollowCylinder(rod, BEARING, 0.02, axis="z", point=(end, 0, 0)),
        fb.Cylinder(slider, JOURNAL, 0.02, axis="z"),
        stiffness=K / 2,
        dissipation=d,
    )
    result = fb.simulate(fb.System([crank, rod, slider], joints, forces=[play]), t_end, show_progress=False,
                         integrator=fb.GeneralizedAlpha(rtol=1e-7))  # fmt: skip

    def rates(t, y):
        phi, x, phi_rate, x_rate = y
        angle, half = omega * t, ROD / 2
        e, n = (
            np.array(f(phi)) for f in (lambda a: (np.cos(a), np.sin(a)), lambda a: (-np.sin(a), np.cos(a)))
        )
        tip = CRANK * np.array([np.cos(angle), np.sin(angle)]) + ROD * e
        tip_rate = CRANK * omega * np.array([-np.sin(angle), np.cos(angle)]) + ROD * phi_rate * n
        apart, apart_rate = np.array([x, 0.0]) - tip, np.array([x_rate, 0.0]) - tip_rate
        distance = np.hypot(*apart)
        u = apart / distance if distance > 0 else np.array([1.0, 0.0])
        push = pressed(BEARING - JOURNAL - distance, -apart_rate @ u, K, d) * u  # on the rod
        pin_acceleration = -CRANK * omega**2 * np.array([np.cos(angle), np.sin(angle)])
        turning = (ROD * n @ push - ROD_MASS * half * n @ pin_acceleration) / (
            ROD_INERTIA + ROD_MASS * half**2
        )
        return [phi_rate, x_rate, turning, -push[0] / SLIDER_MASS]

    start = [0.0, end, *np.array([result.angular_velocity(rod)[0, 2], result.velocity(slider)[0, 0]])]
    exact = solve_ivp(rates, (0, t_end), start, rtol=1e-10, atol=1e-13, max_step=2e-6, t_eval=result.t)
    x = result.position(slider)[:, 0]
    np.testing.assert_allclose(x, exact.y[1], atol=1e-4 * (BEARING - JOURNAL))
    history = result.element("play")
    assert 0.05 < (history.force > 0).mean() < 0.95  # free flight and contact
    ideal = SLIDER_MASS * CRANK * omega**2 * (1 + CRANK / ROD)
    assert history.force.max() > ideal


def test_a_pin_leaves_its_hole():
    """Beyond the end nothing holds it: it falls freely, and the gap is the distance from the end."""
    bolt = fb.RigidBody("bolt", 0.1, (1e-4,) * 3, velocity=(0, 1.0, 0.5))
    bolt_pin = pin(bolt, length=0.01)
    away = fb.RigidBody("away", 0.1, (1e-4,) * 3, center=(0, 0.03, 0))
    machine = fb.System([bolt, away], forces=[
        contact(hole(fb.GROUND, (0, 0, 0)), bolt_pin),
        fb.Contact("far", hole(fb.GROUND, (0, 0, 0)), pin(away, length=0.01), stiffness=1.0),
    ])  # fmt: skip
    result = fb.simulate(machine, 0.05, show_progress=False)
    flies = result.position(bolt)[:, 1] > LENGTH / 2 + 0.01
    assert np.count_nonzero(flies) > 10
    np.testing.assert_allclose(np.ptp(result.velocity(bolt)[flies], axis=0), 0.0, atol=1e-9)
    assert abs(result.position(bolt)[-1, 2]) > 5 * PLAY
    assert result.element("far").gap.min() == pytest.approx(0.03 - 0.015, abs=1e-12)


def test_what_does_not_fit_is_an_error_with_its_numbers():
    bolt = fb.RigidBody("bolt", 0.1, (1e-4,) * 3)
    for shape in (fb.Cylinder(bolt, 0.011, 0.1), fb.Sphere(bolt, 0.011)):
        with pytest.raises(fb.InputError, match=r"0\.011 m.*0\.0105 m.*play of -0\.0005 m"):
            fb.System([bolt], forces=[contact(hole(fb.GROUND, (0, 0, 0)), shape)])
    with pytest.raises(fb.InputError, match="Cylinder a HollowCylinder"):
        fb.System([bolt], forces=[contact(hole(fb.GROUND, (0, 0, 0)), fb.Box(bolt, (1, 1, 1)))])


def test_many_balls_lie_in_a_tube():
    """Each rests at the bottom of the tube with its weight."""
    balls = [fb.RigidBody(f"b{k}", 0.1, (1e-5,) * 3, center=(0, 0.1 * k, -0.04)) for k in range(2)]
    tube = fb.HollowCylinder(fb.GROUND, 0.05, 1.0, axis="y")
    spheres = [fb.Sphere(ball, 0.01) for ball in balls]
    machine = fb.System(
        balls, forces=[fb.Contacts("heap", spheres, [tube], stiffness=1e6)], gravity=(0, 0, -G)
    )
    state = fb.equilibrium(machine)
    for ball in balls:
        assert state.position(ball)[2] == pytest.approx(-0.04 - (0.1 * G / 1e6) ** (2 / 3), abs=1e-9)
