"""Friction that sticks (presliding=): blocks that rest and stop, stick-slip on a belt, loads to and fro, joints."""

import numpy as np
import pytest
import scipy

import fem
import flexbody as fb

G, MU, D = 9.81, 0.3, 1e-6
METHODS = {
    "default": {},
    "explicit": {"integrator": fb.Explicit()},
    "relative": {"description": fb.Relative()},
}


def block(slope, speed=0.0, m=2.0, **law):
    """A block on an incline, as deep in it as it rests, with its centre of mass between its corners; the way down."""
    n, d = np.array([np.sin(slope), 0, np.cos(slope)]), np.array([np.cos(slope), 0, -np.sin(slope)])
    depth = (m * G * np.cos(slope) / 4e8) ** (1 / 1.5)
    body = fb.RigidBody("block", m, (0.02, 0.02, 0.03), center=-depth * n, velocity=speed * d)
    shape = fb.Box(body, (0.2, 0.2, 0.1), orientation=np.array([d, (0, 1, 0), n]), point=(0.05 - depth) * n)
    options = dict(stiffness=1e8, dissipation=100.0, mu=MU, presliding=D) | law
    floor = fb.Contact("floor", fb.Plane(fb.GROUND, n), shape, **options)
    return fb.System([body], forces=[floor], gravity=(0, 0, -G)), d


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_a_block_on_an_incline_stays(options):
    """Below the angle of friction it bends its bristles, by some of their length, and doesn't creep."""
    slope = 0.2  # tan = 0.203
    machine, d = block(slope)
    result = fb.simulate(machine, 1.0, show_progress=False, **options)
    x = (result.position("block") - result.position("block")[0]) @ d
    assert 0 < x[-1] < 3 * D
    rest = x[result.t > 0.5]
    assert np.ptp(rest) < 1e-4 * D  # regularised friction creeps by 4e-4 m in this time
    contact = result.element("floor")
    np.testing.assert_allclose(contact["friction"][-1], 2.0 * G * np.sin(slope), rtol=1e-6)
    assert result.energy.balance_error < 1e-4  # of 1e-4 J, at rtol = 1e-6 a step


def test_above_the_angle_of_friction_it_slides():
    """With g (sin - mu cos), exactly: what slides has full friction, once its bristles are bent (after 1 ms)."""
    slope = 0.4
    machine, d = block(slope)
    result = fb.simulate(machine, 0.5, output_step=0.1, show_progress=False)
    speed = result.velocity("block") @ d
    np.testing.assert_allclose(np.diff(speed)[1:], 0.1 * G * (np.sin(slope) - MU * np.cos(slope)), rtol=1e-5)


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("slope", [0.0, 0.2])
def test_where_a_block_stops(slope, options):
    """Uphill after v^2 / (2 g (sin + mu cos)); there it stays, to some bristles."""
    speed = 0.8
    machine, d = block(slope, -speed)
    result = fb.simulate(machine, 0.6, show_progress=False, **options)
    x = (result.position("block") - result.position("block")[0]) @ -d
    way = speed**2 / (2 * G * (np.sin(slope) + MU * np.cos(slope)))
    np.testing.assert_allclose(x[-1], way, atol=5 * D)
    assert np.ptp(x[result.t > 0.5]) < 1e-3 * D


def exact_stick_slip(m, k, speed, load, mu, mu_static, stribeck, t):
    """The place of a mass on a belt by SciPy: Coulomb's law with a belt that holds it, by events."""

    def friction(s):
        return load * (mu + (mu_static - mu) * np.exp(-((s / stribeck) ** 2))) * np.sign(s)

    def slides(t, y):
        return y[1], (friction(speed - y[1]) - k * y[0]) / m

    def held(t, y):
        return speed - y[1] if t > now + 1e-3 else 1.0  # not where it comes free

    held.terminal, held.direction = True, -1
    now, y, out = 0.0, np.array([0.0, speed]), np.empty(len(t))
    while now < t[-1]:
        free = now + (mu_static * load / k - y[0]) / speed  # the spring's force is that of static friction
        inside = (t >= now) & (t <= free)
        out[inside] = y[0] + speed * (t[inside] - now)
        # just after it has come free it is slower than the belt
        y, now = np.array([mu_static * load / k, speed * (1 - 1e-9)]), free
        found = scipy.integrate.solve_ivp(
            slides, (now, t[-1] + 1), y, "DOP853", rtol=1e-11, atol=1e-13, events=held, dense_output=True
        )
        end = found.t_events[0][0]
        for i in np.flatnonzero((t > now) & (t <= end)):
            out[i] = found.sol(t[i])[0]
        now, y = end, np.array([found.sol(end)[0], speed])
    return out


@pytest.mark.parametrize("options", [METHODS["default"], METHODS["explicit"]], ids=["default", "explicit"])
def test_stick_slip_on_a_belt(options):
    """A mass on a belt, held by a spring (Den Hartog): it sticks, breaks free and slides back, five times."""
    m, k, speed, depth, length = 1.0, 400.0, 0.1, 1e-4, 1e-7
    load, mu, mu_static, stribeck = 1e7 * depth**1.5, 0.3, 0.5, 0.05
    mass = fb.RigidBody("mass", m, (1e-3,) * 3, center=(0, 0, 0.05 - depth), velocity=(speed, 0, 0))
    belt = fb.RigidBody("belt", 1.0, (1e-3,) * 3, velocity=(speed, 0, 0))
    ways = [fb.Prismatic(f"{b.name} way", fb.GROUND, b, axis="x", point=b.center) for b in (mass, belt)]
    contact = fb.Contact("grip", fb.Plane(belt), fb.Sphere(mass, 0.05), stiffness=1e7, mu=mu, mu_static=mu_static,
                         stribeck_velocity=stribeck, presliding=length)  # fmt: skip
    spring = fb.ForceElement("spring", fb.Along(ways[0]), fb.Linear(k))
    machine = fb.System([mass, belt], [*ways, fb.Drive("motor", ways[1], rate=speed)], [contact, spring])
    result = fb.simulate(machine, 1.5, show_progress=False, output_step=0.005, **options)
    exact = exact_stick_slip(m, k, speed, load, mu, mu_static, stribeck, result.t)
    # the bristles yield before it breaks free: 3.8e-4 m with a length of 1e-5 m, 1.0e-4, 2.2e-5, and 4.6e-6 with 1e-8
    np.testing.assert_allclose(result.position("mass")[:, 0], exact, atol=3e-5)
    assert np.abs(np.diff(np.sign(np.diff(exact)))).sum() >= 16  # it has turned eight times
    slip = result.velocity("belt")[:, 0] - result.velocity("mass")[:, 0]
    sticks = (
        np.abs(slip - length * k * speed / (mu_static * load)) < 1e-8
    )  # its bristles bend as the spring's force grows
    assert sticks.sum() > 50


def test_loads_to_and_fro_do_not_move_it():
    """Half of full friction, a hundred times: the bristles are elastic there."""
    machine, _ = block(0.0)
    push = fb.PointForce(
        "push", machine.bodies[0], lambda t: (0.5 * MU * 2.0 * G * np.sin(2 * np.pi * 50 * t), 0, 0)
    )
    machine = fb.System(machine.bodies, forces=[*machine.forces, push], gravity=(0, 0, -G))
    result = fb.simulate(machine, 2.0, output_step=0.02, show_progress=False)  # once a period
    x = result.position("block")[:, 0]
    assert np.ptp(x[10:]) < 1e-3 * D


def test_a_contact_that_opens_forgets():
    """A block that slides, is lifted and put down again at rest, has no friction left."""
    machine, _ = block(0.0, 0.5)
    body = machine.bodies[0]
    lift = fb.PointForce("lift", body, lambda t: (0, 0, 60.0 if 0.4 < t < 0.45 else 0.0))
    machine = fb.System(machine.bodies, forces=[*machine.forces, lift], gravity=(0, 0, -G))
    found, result = 0, fb.simulate(machine, 0.42, output_step=0.01, show_progress=False)
    for corner in range(1, 9):
        x = result.element("floor")[f"bristle {corner} x"]
        if not np.any(x):
            continue  # an upper one
        found += 1
        assert np.abs(x).max() > 0.5
        assert abs(x[-1]) < 1e-6
    assert found == 4


def test_small_motions_of_a_block_that_sticks():
    """l^2 + (mu g / v) l + mu g / d = 0, from F = N mu (zeta + s / v): all four corners carry the weight."""
    machine, _ = block(0.0, presliding=1e-3)
    state = fb.equilibrium(machine)
    found = fb.linearize(machine, state).eigenvalues
    exact = np.roots([1.0, MU * G / 1e-3, MU * G / 1e-3])
    for value in exact:
        assert np.abs(found - value).min() < 1e-3 * abs(
            value
        )  # tanh over the slips of the differences, 2e-5 m/s


# ---- along a coordinate of a joint -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_friction_of_a_joint_sticks(options):
    """A slider on an incline is thrown uphill, stops after v^2 / (2 g (sin + mu cos)), and stays, to the bristles."""
    slope, speed, m, load = 0.2, 0.8, 2.0, MU * 2.0 * G * np.cos(0.2)
    d = np.array([np.cos(slope), 0, -np.sin(slope)])
    body = fb.RigidBody("slider", m, (1e-3,) * 3, velocity=-speed * d)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis=d)
    rub = fb.Friction("rub", guide, load=load, presliding=D)
    machine = fb.System([body], [guide], [rub], gravity=(0, 0, -G))
    result = fb.simulate(machine, 1.0, show_progress=False, **options)
    x = -result.coordinate(guide)
    np.testing.assert_allclose(x[-1], speed**2 / (2 * G * (np.sin(slope) + MU * np.cos(slope))), atol=5 * D)
    assert np.ptp(x[result.t > 0.5]) < 1e-3 * D
    np.testing.assert_allclose(result.element("rub")["force"][-1], m * G * np.sin(slope), rtol=1e-5)


def test_small_motions_of_a_joint_that_sticks():
    """m l^2 + (F / v) l + F / d = 0 about the drawn position, where the bristle is straight."""
    body = fb.RigidBody("slider", 2.0, (1e-3,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    machine = fb.System([body], [guide], [fb.Friction("rub", guide, load=3.0, presliding=1e-3)])
    found = fb.linearize(machine, fb.equilibrium(machine)).eigenvalues
    for value in np.roots([2.0, 3.0 / 1e-3, 3.0 / 1e-3]):
        assert np.abs(found - value).min() < 3e-4 * abs(
            value
        )  # differences over 1e-6 m/s of 1e-2 that bend a bristle


def test_a_wrong_length_is_named():
    with pytest.raises(
        fem.InputError, match=r"Contact 'floor': presliding is 0; it must be a number above zero"
    ):
        block(0.0, presliding=0)
    body = fb.RigidBody("slider", 2.0, (1e-3,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    with pytest.raises(fem.InputError, match=r"'rub': presliding is -1; it must be a number above zero"):
        fb.System([body], [guide], [fb.Friction("rub", guide, load=3.0, presliding=-1)])


def test_an_equilibrium_names_the_contact_that_may_hold():
    """An equilibrium counts no friction; a run as drawn, as the message proposes, stays."""
    machine, d = block(0.2)
    with pytest.raises(
        fb.ConvergenceError, match=r"without friction.*the friction of Contact 'floor'.*presliding="
    ):
        fb.equilibrium(machine)
    result = fb.simulate(machine, 0.2, show_progress=False)
    assert np.ptp(result.position("block") @ d) < 3 * D
