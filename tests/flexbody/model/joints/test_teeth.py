"""Tooth forces of gears and racks at the pitch point: closed forms of bearing loads, thrust, deflection, energy.

Forces: R. G. Budynas, J. K. Nisbett, Shigley's Mechanical Engineering Design, 9th ed. (2011), sections 13-14 to 13-16:
``W_t = T / r``, ``W_r = W_t tan(phi_t)`` with ``tan(phi_t) = tan(phi_n) / cos(psi)``, ``W_a = W_t tan(psi)`` of helical
gears, ``W_r = W_t tan(phi) cos(gamma)`` and ``W_a = W_t tan(phi) sin(gamma)`` of bevel gears.
"""

import warnings

import numpy as np
import pytest

import flexbody as fb
import modal
from flexbody.core.rotation import direction

pytestmark = pytest.mark.slow  # together a second or more

INERTIA = (2e-3, 2e-3, 4e-3)
ALPHA = np.radians(20)
X, Y, Z = np.eye(3)


def train(places, axes, torque, ratio, **gear):
    """Two wheels on the ground: a torque on the first one about its axis, the second one held."""
    one, two = (
        fb.RigidBody(name, 1.0, INERTIA, center=place)
        for name, place in zip(("one", "two"), places, strict=True)
    )
    first = fb.Revolute("first", fb.GROUND, one, point=places[0], axis=axes[0])
    second = fb.Revolute("second", fb.GROUND, two, point=places[1], axis=axes[1])
    load = fb.PointMoment("load", one, tuple(torque * direction(axes[0], "")))
    return fb.System(
        [one, two],
        [
            first,
            second,
            fb.Gear("gear", first, second, ratio=ratio, **gear),
            fb.Drive("hold", second, value=0.0),
        ],
        [load],
    )


def free(system):
    """The machine without the drive that holds the second wheel."""
    return fb.System(system.bodies, [item for item in system.joints if item.name != "hold"], system.forces)


def loads(system):
    """Return the tooth force on the second wheel, and force and moment of both bearings on their wheels, at rest."""
    state = fb.equilibrium(system)
    bearings = [state.reaction(name) for name in ("first", "second")]
    return state.reaction("gear").force, *((w.force, w.moment) for w in bearings)


def close(found, expected, size=50.0):
    np.testing.assert_allclose(found, expected, atol=1e-9 * size)


APART = ((0, 0, 0), (0.3, 0, 0))
#: name: torque on the first wheel, ratio, options; tangential force along y and separating force along x, on the second
PARALLEL = {
    "spur, r1 = 0.1": (5.0, 2.0, {}, 50.0, 1),
    "spur, reversed: the other flank": (-5.0, 2.0, {}, -50.0, 1),
    "pressure angle 25": (5.0, 2.0, {"pressure_angle": np.radians(25)}, 50.0, 1),
    "second a ring, r1 = 0.1 on the other side": (5.0, 4.0, {"internal": True}, -50.0, -1),
    "first a ring, r1 = 0.4": (5.0, 0.25, {"internal": True}, 12.5, -1),
    "first a ring, reversed": (-5.0, 0.25, {"internal": True}, -12.5, -1),
    "no pressure angle": (5.0, 2.0, {"pressure_angle": 0.0}, 50.0, 1),
    "one flank": (5.0, 2.0, {"flank": 1}, 50.0, 1),
    "one flank, of a ring": (5.0, 4.0, {"internal": True, "flank": 1}, -50.0, -1),
}


@pytest.mark.parametrize(("torque", "ratio", "options", "along", "away"), PARALLEL.values(), ids=PARALLEL)
def test_spur_and_internal_gears(torque, ratio, options, along, away):
    """F_t = T / r_1 and F_t tan(alpha) on both wheels and their bearings; the separating force always separates."""
    tooth, (f1, m1), (f2, m2) = loads(train(APART, "zz", torque, ratio, **options))
    apart = abs(along) * np.tan(options.get("pressure_angle", ALPHA))
    expected = away * apart * X + along * Y
    close(tooth, expected)
    close(f1, expected)  # what the tooth force on the first wheel, -F, asks of its bearing
    close(f2, -expected)
    close([m1, m2], 0)


def test_antiparallel_axes_are_the_same_gears():
    """Seen along its own axis, the second wheel turns the other way."""
    same = loads(train(APART, "zz", 5.0, 2.0))
    other = loads(train(APART, ("z", "-z"), 5.0, 2.0, internal=True))
    for found, expected in zip(other, same, strict=True):
        close(found, expected)


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("helix", [0.3, -0.2])
def test_helical_gears_have_thrust_and_its_moment(helix, internal):
    """W_a = W_t tan(psi), and its moment W_a r about each bearing; the thrust of a right-hand driver follows the thumb.

    The rule of the hand: fingers in the direction of rotation of the driver, of the hand of its helix.
    """
    ratio = 4.0 if internal else 2.0
    tooth, (f1, m1), (_, m2) = loads(train(APART, "zz", 5.0, ratio, helix_angle=helix, internal=internal))
    P = np.array([-0.1 if internal else 0.1, 0, 0])
    side = np.sign(P[0])
    expected = 50.0 * (side * np.tan(ALPHA) / np.cos(helix) * X + side * Y - np.tan(helix) * Z)
    close(tooth, expected)
    close(f1, expected)
    thrust = -f1[2]  # of the driver on its bearing; it turns about +z
    assert np.sign(thrust) == np.sign(helix)
    for moment, arm, load in ((m1, P, -expected), (m2, P - np.array(APART[1]), expected)):
        about = np.cross(arm, load)
        close(moment, -about * [1, 1, 0])


def test_bearings_beside_the_wheels_carry_moments():
    """Points of the joints 0.1 m apart along the axes: the teeth are half way, or where ``point`` puts them."""
    places = ((0, 0, 0), (0.3, 0, 0.1))
    force = 50.0 * np.array([np.tan(ALPHA), 1.0, 0.0])
    for options, height in (({}, 0.05), ({"point": (0.1, 0, 0.02)}, 0.02)):
        _, (_, m1), (_, m2) = loads(train(places, "zz", 5.0, 2.0, **options))
        close(m1, np.cross((0, 0, height), force))
        close(m2, -np.cross((0, 0, height - 0.1), force))


@pytest.mark.parametrize("torque", [5.0, -5.0])
@pytest.mark.parametrize("spiral", [0.0, 0.25])
@pytest.mark.parametrize("shaft_angle", [np.pi / 2, 1.9])
def test_bevel_gears(torque, spiral, shaft_angle):
    """Radial and axial parts by the cone angles; Shigley (13-38): away from the intersection.

    ``W_a = W_t (tan(phi_n) sin(gamma) -+ sin(psi) cos(gamma)) / cos(psi)``, radial with cos and +- sin.
    """
    ratio, R = 2.0, 0.25
    delta = np.arctan2(np.sin(shaft_angle), ratio + np.cos(shaft_angle))
    u1, u2 = Z, np.array([np.sin(shaft_angle), 0, np.cos(shaft_angle)])
    places = (R * np.cos(delta) * u1, R * np.cos(shaft_angle - delta) * u2)
    tooth, (f1, _), (f2, _) = loads(train(places, (u1, u2), torque, ratio, helix_angle=spiral))
    W_t = torque / (R * np.sin(delta))
    # right-hand teeth of a driver that turns about +u1 press it away from the intersection: lower signs
    apart, turned = abs(W_t) * np.tan(ALPHA) / np.cos(spiral), W_t * np.tan(spiral)
    axial = apart * np.sin(delta) + turned * np.cos(delta)
    radial = apart * np.cos(delta) - turned * np.sin(delta)
    on_first = (
        -W_t * Y + axial * Z - radial * X
    )  # the wheels touch at +x of the first axis, which moves along +y
    close(tooth, -on_first, abs(W_t))
    close(f1, -on_first, abs(W_t))
    close(f2, on_first, abs(W_t))


def test_bevel_gears_of_a_textbook():
    """Shigley, 9th ed., example of section 13-15: W_t = 545 lbf, gamma = 18.4 degrees; 188 and 62.6 lbf beside it."""
    gamma = np.arctan(1 / 3)
    R = 1.0
    places = ((R * np.cos(gamma), 0, 0), (0, 0, R * np.sin(gamma)))
    tooth, *_ = loads(train(places, "xz", 545 * R * np.sin(gamma), 3.0))
    np.testing.assert_allclose(np.abs(tooth), [62.6, 545, 188], rtol=3e-3)  # three digits


@pytest.mark.parametrize("torque", [0.92, -0.92])
def test_rack_and_pinion(torque):
    """The pin carries m g and the tooth force: F along a vertical rack, F tan(alpha) away from it; so does the guide.

    ``F = m_b (a + g)``, ``T = J a / r + F r``.
    """
    r, g, mass, bar_mass, inertia = 0.1, 9.81, 1.0, 2.0, 4e-3
    pinion = fb.RigidBody("pinion", mass, INERTIA)
    bar = fb.RigidBody("bar", bar_mass, INERTIA, center=(0.12, 0, 0))
    axle = fb.Revolute("axle", fb.GROUND, pinion, point=(0, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, bar, point=(0.12, 0, 0), axis="y")
    system = fb.System(
        [pinion, bar],
        [axle, guide, fb.Rack("rack", axle, guide, radius=r)],
        [fb.PointMoment("load", pinion, (0, 0, torque))],
        gravity=(0, -g, 0),
    )
    result = fb.simulate(system, 0.2, step=0.01)
    a = (torque / r - bar_mass * g) / (inertia / r**2 + bar_mass)
    F = bar_mass * (a + g)
    apart = abs(F) * np.tan(ALPHA)
    close(result.reaction("axle").force, np.tile([apart, mass * g + F, 0], (len(result.t), 1)))
    close(result.reaction("guide").force, np.tile([-apart, 0, 0], (len(result.t), 1)))
    close(result.reaction("rack").force, np.tile([apart, F, 0], (len(result.t), 1)))
    # the pitch point stays while the bar rises: the moment of both parts about the bar's point
    s = result.coordinate("guide")
    close(result.reaction("rack").moment[:, 2], -0.02 * F + s * apart)
    assert np.abs(s).max() > 0.05
    assert result.energy.balance_error < 1e-9


def test_a_pinion_that_travels_along_a_fixed_rack():
    """Pinion on a carriage, rack on the ground below: the drive's torque pulls the carriage with F = T / r."""
    r, torque, mass = 0.1, 2.0, 1.5
    carriage = fb.RigidBody("carriage", 4.0, INERTIA)
    pinion = fb.RigidBody("pinion", mass, INERTIA)
    rail = fb.Prismatic("rail", fb.GROUND, carriage, point=(0, 0.05, 0), axis="x")
    axle = fb.Revolute("axle", carriage, pinion, point=(0, 0, 0))
    # a pinion that turns about +z on a rack below it rolls towards -x
    teeth = fb.Rack("teeth", axle, rail, radius=-r)
    load = fb.PointMoment("load", pinion, (0, 0, -torque))
    back = fb.PointMoment("back", carriage, (0, 0, torque))
    result = fb.simulate(fb.System([carriage, pinion], [rail, axle, teeth], [load, back]), 0.3, step=0.01)
    a = torque / r / (4.0 + mass + INERTIA[2] / r**2)
    F = (4.0 + mass) * a  # on the pinion, forward
    np.testing.assert_allclose(result.coordinate(rail), 0.5 * a * result.t**2, atol=1e-9)
    on_pinion = result.reaction(teeth, body="pinion").force
    close(on_pinion, np.tile([F, F * np.tan(ALPHA), 0], (len(result.t), 1)))
    close(result.reaction(teeth, body="ground").force, -on_pinion)
    close(result.reaction(axle).force[:, 0], mass * a - F)
    close(result.reaction(teeth, body="carriage").force, 0)


def test_planetary_gear_in_equilibrium():
    """Sun, planet and held ring: carrier torque T_s (1 + z_r / z_s), pin force 2 F_t; sun and ring push the planet
    towards each other with equal forces."""
    z_s, z_p = 20, 30
    z_r, a, torque = z_s + 2 * z_p, 0.25, 3.0
    r_s = a * z_s / (z_s + z_p)
    sun, carrier, ring = (fb.RigidBody(name, 1.0, INERTIA) for name in ("sun", "carrier", "ring"))
    planet = fb.RigidBody("planet", 1.0, INERTIA, center=(a, 0, 0))
    main = fb.Revolute("main", fb.GROUND, carrier, point=(0, 0, 0))
    on = {body.name: fb.Revolute(body.name, carrier, body, point=body.center) for body in (sun, planet, ring)}
    joints = [
        main, *on.values(),
        fb.Gear("s-p", on["sun"], on["planet"], ratio=z_p / z_s),
        fb.Gear("p-r", on["planet"], on["ring"], ratio=z_r / z_p, internal=True),
    ]  # fmt: skip
    held = fb.Floating("held", fb.GROUND, ring, point=(0, 0, 0))
    loose = [fb.Drive("hold", held, value=0.0, which="angle_z"), fb.Drive("motor", main, rate=2.0)]
    system = fb.System(
        [sun, carrier, ring, planet], [*joints, held, *loose], [fb.PointMoment("load", sun, (0, 0, torque))]
    )
    run = fb.simulate(system, 1.0, step=0.01)
    F = torque / r_s
    close(run.reaction("motor").moment[:, 2], -torque * (1 + z_r / z_s))
    close(run.reaction("hold").moment[:, 2], torque * z_r / z_s)
    # the carrier turns at 2 rad/s: in its axes, with the centripetal force of the planet
    pin = run.reaction("planet", frame="carrier").force
    # the step: (2 rad/s 0.01 s)^2
    np.testing.assert_allclose(pin, np.tile([-1.0 * a * 2.0**2, -2 * F, 0], (len(run.t), 1)), atol=4e-4)
    tooth = run.reaction("s-p", frame="carrier").force
    close(tooth, np.tile([F * np.tan(ALPHA), F, 0], (len(run.t), 1)))
    for gear in ("s-p", "p-r"):
        close(run.reaction(gear, body="carrier").force, 0)
        close(run.reaction(gear, body="carrier").moment, 0)


@pytest.mark.filterwarnings("ignore::flexbody.RedundantConstraintWarning")
def test_three_planets_share_the_load():
    """The shares are not determined; those of least norm are equal, and then nothing is left for sun and ring."""
    a, ratio, torque = 0.25, 1.5, 3.0
    places = a * np.stack([np.cos(k := 2 * np.pi / 3 * np.arange(3)), np.sin(k), 0 * k], axis=1)
    sun, carrier, ring = (fb.RigidBody(name, 1.0, INERTIA) for name in ("sun", "carrier", "ring"))
    planets = [fb.RigidBody(f"planet {k}", 0.1, INERTIA, center=place) for k, place in enumerate(places)]
    main = fb.Revolute("main", fb.GROUND, carrier, point=(0, 0, 0))
    inner, outer, *pins = (
        fb.Revolute(body.name, carrier, body, point=body.center) for body in (sun, ring, *planets)
    )
    gears = [fb.Gear(f"sun {pin.name}", inner, pin, ratio=ratio) for pin in pins]
    gears += [fb.Gear(f"ring {pin.name}", pin, outer, ratio=4 / ratio, internal=True) for pin in pins]
    held = fb.Floating("held", fb.GROUND, ring, point=(0, 0, 0))
    drives = [fb.Drive("hold", held, value=0.0, which="angle_z"), fb.Drive("motor", main, rate=1.0)]
    system = fb.System(
        [sun, carrier, ring, *planets],
        [main, inner, outer, *pins, *gears, held, *drives],
        [fb.PointMoment("load", sun, (0, 0, torque))],
    )
    run = fb.simulate(system, 0.1, step=0.01)
    F = torque / (a / (1 + ratio)) / 3
    for gear in gears:
        size = np.linalg.norm(run.reaction(gear).force, axis=1)
        np.testing.assert_allclose(size, F / np.cos(ALPHA), rtol=1e-6)
    close(run.reaction("sun").force, 0)
    close(run.reaction("ring").force, 0)


def on_bushing(torque, k=1e7, damping=0.0, inertia=INERTIA, **gear):
    """A wheel on an elastic bearing, measured by a floating joint, against a wheel that is held."""
    one = fb.RigidBody("one", 1.0, inertia)
    two = fb.RigidBody("two", 1.0, INERTIA, center=(0.3, 0, 0))
    place = fb.Floating("place", fb.GROUND, one, point=(0, 0, 0))
    second = fb.Revolute("second", fb.GROUND, two, point=(0.3, 0, 0))
    stiffness = np.array([k, k, k, 1e-2 * k, 1e-2 * k, 0.0])
    mount = fb.Bushing(
        "mount", fb.GROUND, one, stiffness=stiffness, damping=damping * stiffness, point=(0, 0, 0)
    )
    return fb.System(
        [one, two],
        [
            place,
            second,
            fb.Gear("gear", place, second, ratio=2.0, **gear),
            fb.Drive("hold", second, value=0.0),
        ],
        [fb.PointMoment("load", one, torque), mount],
    )


@pytest.mark.parametrize("options", [{}, {"flank": 1}])
def test_an_elastic_bearing_gives_way_to_the_tooth_force(options):
    """F_t / k along the teeth and F_n / k apart; the wheel turns so that its teeth stay at those of the other."""
    k, F = 1e7, 50.0
    state = fb.equilibrium(on_bushing((0, 0, F * 0.1), k, **options))
    apart = F * np.tan(ALPHA)
    # the moment of the bushing's force about the displaced wheel, 50 N x 2e-6 m of 5 N m
    np.testing.assert_allclose(state.coordinate("place", "y"), -F / k, rtol=1e-4)
    np.testing.assert_allclose(state.coordinate("place", "x"), -apart / k, rtol=1e-4)
    follows = F / k + (apart / k * np.tan(ALPHA) if options else 0.0)
    np.testing.assert_allclose(state.coordinate("place", "angle_z"), follows / 0.1, rtol=1e-4)


def test_a_flexible_shaft_bends_under_its_wheel():
    """Simply supported, the wheel in the middle: F L^3 / 48 EI along the teeth and apart; five sines: 0.1 %."""
    L, EI, F = 0.5, 2000.0, 50.0
    sines = modal.assumed.sines(5)
    beam = modal.assumed.beam(
        L, mass=1.0, EI=EI, polar_inertia=1e-3, y=sines, z=sines, markers={"wheel": L / 2}
    )
    shaft = fb.FlexibleBody("shaft", beam, place={"start": (0, 0, 0), "end": (L, 0, 0)}, stiffening=False)
    two = fb.RigidBody("two", 1.0, INERTIA, center=(L / 2, 0.3, 0))
    place = fb.Floating("place", fb.GROUND, shaft["wheel"], axis="x", along="y")
    second = fb.Revolute("second", fb.GROUND, two, point=two.center, axis="x")
    bearings = [
        fb.Spherical("start", fb.GROUND, shaft["start"]),
        fb.PointOnLine("end", fb.GROUND, shaft["end"], axis="x"),
    ]
    gear = fb.Gear("gear", place, second, ratio=2.0)
    load = fb.PointMoment("load", shaft["end"], (0.1 * F, 0, 0))
    system = fb.System(
        [shaft, two], [*bearings, place, second, gear, fb.Drive("hold", second, value=0.0)], [load]
    )
    state = fb.equilibrium(system)
    stiffness = 48 * EI / L**3
    np.testing.assert_allclose(state.coordinate(place, "x"), -F * np.tan(ALPHA) / stiffness, rtol=2e-3)
    np.testing.assert_allclose(state.coordinate(place, "y"), -F / stiffness, rtol=2e-3)
    force = state.reaction("start").force + state.reaction("end").force
    np.testing.assert_allclose(force, state.reaction("gear").force, atol=1e-3 * F)


def test_a_helical_wheel_tilts_its_bearing():
    """Thrust F tan(psi) at the radius r: tilt F tan(psi) r / k_tilt, along it F tan(psi) / k."""
    k, F, helix = 1e7, 50.0, 0.3
    state = fb.equilibrium(on_bushing((0, 0, F * 0.1), k, helix_angle=helix))
    thrust = F * np.tan(helix)
    np.testing.assert_allclose(state.coordinate("place", "z"), thrust / k, rtol=1e-4)
    np.testing.assert_allclose(state.coordinate("place", "angle_y"), -thrust * 0.1 / (1e-2 * k), rtol=1e-4)


def test_vibrations_along_the_line_of_action():
    """A wheel of mass m, inertia J on an isotropic bearing k, its teeth on those of a wheel that is held.

    With the displacement q along the line of action: ``q = -r_b angle``, ``m + J / r_b^2``, ``r_b = r cos(alpha)``.
    """
    k, J = 1e7, 4e-3
    state = fb.equilibrium(on_bushing((0, 0, 5.0), k, flank=1))
    found = np.sort(np.abs(np.imag(fb.linearize(state).eigenvalues)))
    expected = np.sqrt(k / (1.0 + J / (0.1 * np.cos(ALPHA)) ** 2))
    # the static deflection, 5e-6 m of 0.1 m, changes the geometry
    assert np.min(np.abs(found / expected - 1)) < 1e-4
    assert np.min(np.abs(found / np.sqrt(k / 1.0) - 1)) < 1e-4  # across it


def test_one_flank_conserves_energy_on_elastic_bearings():
    system = on_bushing((0, 0, 5.0), 1e6, flank=1)
    result = fb.simulate(system, 0.1, integrator=fb.Explicit(rtol=1e-9))
    assert np.ptp(result.coordinate("place", "x")) > 1e-5
    assert np.abs(result.energy.dissipated).max() < 1e-9 * np.abs(result.energy.strain).max()
    assert result.energy.balance_error < 1e-7


def test_both_flanks_on_elastic_bearings():
    """An alternating torque: implicit and explicit methods agree, and the balance counts the work of separation."""
    system = on_bushing(lambda t: (0.0, 0.0, 5.0 * np.sin(60 * t)), 1e6, damping=2e-4)
    exact = fb.simulate(system, 0.11, output_step=1e-3, integrator=fb.Explicit(rtol=1e-9))
    found = fb.simulate(system, 0.11, output_step=1e-3, integrator=fb.GeneralizedAlpha(rtol=1e-7))
    x = exact.coordinate("place", "x")
    np.testing.assert_allclose(found.coordinate("place", "x"), x, atol=1e-3 * np.ptp(x))
    assert exact.energy.balance_error < 1e-7
    # F and its flank change sign five times, the separating force does not: the wheel is always pushed away
    assert np.all(exact.reaction("gear").force[:, 0] >= 0)
    assert np.ptp(np.sign(exact.reaction("gear").force[5:, 1])) == 2


def test_inverse_dynamics_and_simulation_find_the_same_loads():
    system = train(APART, "zz", 5.0, 2.0, helix_angle=0.2)
    joints = [item for item in system.joints if item.name != "hold"]
    machine = fb.System(system.bodies, [*joints, fb.Drive("motor", joints[0], value=lambda t: np.sin(3 * t))])
    found = fb.kinematics(machine, 1.0, output_step=0.05)
    exact = fb.simulate(machine, 1.0, output_step=0.05, integrator=fb.GeneralizedAlpha(rtol=1e-9))
    for name in ("first", "second", "gear", "motor"):
        one, other = found.reaction(name), exact.reaction(name)
        np.testing.assert_allclose(one.force, other.force, atol=1e-5)
        np.testing.assert_allclose(one.moment, other.moment, atol=1e-6)
    # J_2 angle_2.. = F r_2, and the force on the first wheel's bearing
    F = INERTIA[2] * -0.5 * (-9 * np.sin(3 * found.t)) / 0.2
    np.testing.assert_allclose(np.abs(found.reaction("gear").force[:, 1]), np.abs(F), atol=1e-9)


def test_the_motion_is_that_of_the_angles_alone():
    """On rigid bearings teeth change the reactions and nothing else."""
    runs = []
    for alpha in (None, ALPHA):
        joints = [j for j in train(APART, "zz", 5.0, 2.0, pressure_angle=alpha).joints if j.name != "hold"]
        bodies = [joint.second for joint in joints[:2]]
        runs.append(
            fb.simulate(fb.System(bodies, joints, [fb.PointMoment("load", bodies[0], (0, 0, 1.0))]), 0.5)
        )
    np.testing.assert_allclose(runs[0].coordinate("second"), runs[1].coordinate("second"), rtol=1e-9)
    close(runs[0].reaction("first").force, 0)
    np.testing.assert_allclose(
        runs[0].reaction("gear").moment, runs[1].reaction("gear").moment * [0, 0, 1], atol=1e-9
    )


def test_files_keep_the_teeth(tmp_path):
    system = free(train(APART, "zz", 5.0, 2.0, helix_angle=0.2, point=(0.1, 0, 0.01)))
    result = fb.simulate(system, 0.05, save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    assert again.system.joint("gear").helix_angle == 0.2
    for name in ("first", "gear"):
        np.testing.assert_array_equal(again.reaction(name).force, result.reaction(name).force)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"axes": "xz", "places": ((0.2, 0.1, 0), (0, 0, 0.1))},
            "they pass 0.1 m apart.*pressure_angle=None",
        ),
        ({"axes": "xz", "places": ((0, 0, 0), (0, 0, 0))}, "give point=, the middle of the teeth"),
        ({"places": ((0, 0, 0), (0, 0, 0.1))}, "its axes are 0 m apart"),
        ({"ratio": 1.0, "internal": True}, "its pitch circles do not touch"),
        ({"pressure_angle": 20.0}, "pressure_angle is 20.0; it must be an angle in rad from 0 to 1.2"),
        ({"helix_angle": 15}, "helix_angle is 15; it must be an angle in rad"),
        ({"flank": 2}, "flank is 2; it must be 1, -1, or 0"),
        ({"point": (0.12, 0, 0)}, "is 0.02 m from .0.1, 0, 0., where the pitch surfaces touch"),
        ({"point": (0.12, 0)}, "gear 'gear': point"),
    ],
)
def test_what_has_no_teeth_is_refused(change, message):
    given = {"places": APART, "axes": "zz", "torque": 1.0, "ratio": 2.0} | change
    with pytest.raises(fb.InputError, match=message):
        train(**given)


def test_wheels_on_different_carriers_are_refused():
    system = train(APART, "zz", 1.0, 2.0)
    one, two = system.bodies
    first = system.joint("first")
    third = fb.RigidBody("third", 1.0, INERTIA, center=(0.5, 0, 0))
    other = fb.Revolute("other", two, third, point=(0.5, 0, 0))
    with pytest.raises(fb.InputError, match="its wheels are carried by 'ground' and 'two'; let both joints"):
        fb.System(
            [one, two, third], [first, system.joint("second"), other, fb.Gear("g", first, other, ratio=2.0)]
        )


def test_bevel_gears_whose_joints_disagree_warn():
    places = ((0.2, 0, 0), (0, 0, 0.3))
    with pytest.warns(UserWarning, match="would touch 0.2236 m and 0.6708 m from the intersection"):
        fb.simulate(free(train(places, "xz", 1.0, 2.0)), 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.simulate(free(train(places, "xz", 1.0, 2.0, point=(0.2, 0, 0.1))), 0.01)
