"""Teeth with backlash: gaps of real involutes, tooth loads, impacts, small vibrations, energy on elastic bearings."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import move, place
from flexbody.core.rotation import euler_of_matrix

ALPHA = np.radians(20)
APART = 0.3
INERTIA = (2e-3, 2e-3, 4e-3)
BACKLASH, STIFFNESS = 2e-4, 1e8
EXPLICIT = fb.Explicit(rtol=1e-9)


def wheels(ratio=2.0, axes="zz", free=False, inertias=(4e-3, 4e-3), **gear):
    """Two wheels on the ground, free ones for tests of gaps; return bodies, joints and the gear."""
    bodies = [
        fb.RigidBody(name, 1.0, (inertia, inertia, inertia), center=(x, 0, 0))
        for name, x, inertia in zip(("one", "two"), (0.0, APART), inertias, strict=True)
    ]
    joint = fb.Floating if free else fb.Revolute
    joints = [
        joint(body.name, fb.GROUND, body, point=body.center, axis=axis)
        for body, axis in zip(bodies, axes, strict=True)
    ]
    return bodies, joints, fb.Gear("gear", *joints, ratio=ratio, **gear)


def teeth(gear, **given):
    return fb.ToothContact("teeth", gear, **({"backlash": BACKLASH, "stiffness": STIFFNESS} | given))


def involute(radius, start, hand, roll):
    """Return the point of an involute of a circle about the origin after the angle ``roll``."""
    angle = start + hand * roll
    across = np.array([-np.sin(angle), np.cos(angle)])
    return radius * (np.array([np.cos(angle), np.sin(angle)]) - hand * roll * across)


@pytest.mark.parametrize(
    ("ratio", "internal"), [(2.0, False), (0.6, False), (4.0, True), (0.25, True)], ids=str
)
@pytest.mark.parametrize("flank", [1, -1])
def test_gaps_are_distances_of_involutes(ratio, internal, flank):
    """Gaps of millimetres between wheels that turned, 1 % further apart: the nearest points of two involutes.

    Each flank is drawn as the involute through the pitch point, turned back by a quarter of the backlash on each wheel.
    """
    bodies, joints, gear = wheels(ratio, free=True, internal=internal)
    wide = 0.02
    plan = make_plan(fb.System(bodies, joints, [teeth(gear, backlash=wide)]))
    turns = np.array([2e-3, -1.7e-3]) / [1.0, -ratio if internal else ratio]
    moves = np.array([[1e-3, -2e-3], [4e-3, 1e-3]])
    c, q, alpha, v = plan.start()
    for k, angle in enumerate(turns):
        c[k, :2] += moves[k]
        R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        q[k] = euler_of_matrix(R)
    W = plan.work()
    place(plan.layout, W, 0.0, c, q, alpha)
    move(plan.layout, W, alpha, v)
    found = W.deformation[0 if flank > 0 else 1]
    first = APART / (1 + ratio) if not internal else APART / (1 - ratio)
    P, centers = np.array([first, 0.0]), np.array([[0.0, 0.0], [APART, 0.0]])
    flanks = []
    for k, radius in enumerate((abs(first), ratio * abs(first))):
        arm = P - centers[k]
        # the thread of the first circle unwinds so that the force stands against a wheel which drives
        hand = flank if internal and ratio < 1 else -flank
        at_pitch = involute(radius * np.cos(ALPHA), 0.0, hand, np.tan(ALPHA))
        start = np.arctan2(arm[1], arm[0]) - np.arctan2(at_pitch[1], at_pitch[0])
        back = flank * wide / 4 / radius * (1 if internal and k == 1 else -1)
        flanks.append((centers[k] + moves[k], radius * np.cos(ALPHA), start + turns[k] + back, hand))

    def distance(rolls):
        points = [c + involute(r, s, h, roll) for (c, r, s, h), roll in zip(flanks, rolls, strict=True)]
        return np.linalg.norm(points[1] - points[0])

    best = minimize(
        distance, np.full(2, np.tan(ALPHA)), method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-16}
    )
    assert best.fun == pytest.approx(found, abs=1e-9)


#: torque on the first wheel, ratio, options; loads on the second wheel along x, y, z
LOADS = {
    "spur": (5.0, 2.0, {}, (1, 1)),
    "the other flank": (-5.0, 2.0, {}, (1, -1)),
    "ring": (5.0, 4.0, {"internal": True}, (-1, -1)),
    "ring first": (-5.0, 0.25, {"internal": True}, (-1, -0.25)),
    "helical": (5.0, 2.0, {"helix_angle": 0.3}, (1, 1)),
    "helical ring": (-5.0, 4.0, {"helix_angle": -0.2, "internal": True}, (-1, 1)),
    "antiparallel": (5.0, 2.0, {"internal": True, "axes": ("z", "-z")}, (1, 1)),
}


@pytest.mark.parametrize(("torque", "ratio", "options", "signs"), LOADS.values(), ids=LOADS)
def test_tooth_loads_at_rest(torque, ratio, options, signs):
    """W_t = T / r, W_r = W_t tan(alpha_n) / cos(beta), W_a = W_t tan(beta), Shigley, 9th ed., 13-14 to 13-16.

    ``tests/flexbody/model/joints/test_teeth.py`` has the same for gears without backlash. The normal force W_t /
    (cos(alpha_n) cos(beta)) presses the teeth together by itself over the stiffness, from half of the backlash on.
    """
    bodies, joints, gear = wheels(ratio, **options)
    contact = teeth(gear)
    hold = fb.Drive("hold", joints[1], value=0.0)
    load = fb.PointMoment("load", bodies[0], (0, 0, torque))
    state = fb.equilibrium(fb.System(bodies, [*joints, hold], [contact, load]))
    beta = options.get("helix_angle", 0.0)
    W_t = 50.0 * signs[1]
    axial = -np.sign(torque) * abs(W_t) * np.tan(beta)
    expected = np.array([signs[0] * abs(W_t) * np.tan(ALPHA) / np.cos(beta), W_t, axial])
    for name, on_bearing in (("one", expected), ("two", -expected)):
        np.testing.assert_allclose(state.reaction(name).force, on_bearing, atol=1e-6)
    history = state.result.element("teeth")
    force = abs(W_t) / (np.cos(ALPHA) * np.cos(beta))
    assert history.force[0] == pytest.approx(np.sign(torque) * force, rel=1e-7)
    way = BACKLASH / 2 * np.cos(ALPHA) * np.cos(beta) + force / STIFFNESS
    assert history.deformation[0] == pytest.approx(np.sign(torque) * way, abs=1e-11)
    np.testing.assert_allclose(history.second[0, :3], expected, atol=1e-6)


@pytest.mark.parametrize("radius", [0.1, -0.1])
@pytest.mark.parametrize("torque", [2.0, -2.0])
def test_a_rack_is_pushed_along_and_away(radius, torque):
    """F = T / r along the rack, F tan(alpha) away from the pinion on both flanks; gap and penetration along both."""
    pinion = fb.RigidBody("pinion", 1.0, INERTIA)
    bar = fb.RigidBody("bar", 2.0, INERTIA, center=(0.3, -radius, 0.0))
    axle = fb.Revolute("axle", fb.GROUND, pinion, point=(0, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, bar, point=(0.3, -radius, 0), axis="x")
    contact = teeth(fb.Rack("rack", axle, guide, radius=radius))
    hold = fb.Drive("hold", guide, value=0.0)
    load = fb.PointMoment("load", pinion, (0, 0, torque))
    state = fb.equilibrium(fb.System([pinion, bar], [axle, guide, hold], [contact, load]))
    along, away = torque / radius, -np.sign(radius) * abs(torque / radius) * np.tan(ALPHA)
    np.testing.assert_allclose(state.result.element("teeth").second[0, :3], [along, away, 0], atol=1e-6)
    np.testing.assert_allclose(state.reaction("axle").force, [along, away, 0], atol=1e-6)
    way = (BACKLASH / 2 * np.cos(ALPHA) + 20.0 / np.cos(ALPHA) / STIFFNESS) / (abs(radius) * np.cos(ALPHA))
    assert state.coordinate("axle") == pytest.approx(np.sign(torque) * way, abs=1e-9)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
def test_a_pinion_that_travels_along_a_fixed_rack(description):
    """Pinion on a carriage, rack on the ground below: a torque closes half of the backlash, then rolls it along.

    Before it touches, the carriage rests; then both turn and travel with a mean acceleration T / r / (m + J / r^2),
    around which the pinion vibrates on the stiffness of the teeth, dying out by the dissipation.
    """
    r, torque, mass, J = 0.1, 2.0, 5.5, 4e-3
    carriage = fb.RigidBody("carriage", 4.0, INERTIA)
    pinion = fb.RigidBody("pinion", mass - 4.0, INERTIA)
    rail = fb.Prismatic("rail", fb.GROUND, carriage, point=(0, 0.05, 0), axis="x")
    axle = fb.Revolute("axle", carriage, pinion, point=(0, 0, 0))
    contact = teeth(fb.Rack("teeth", axle, rail, radius=-r), dissipation=50.0)
    load = fb.PointMoment("load", pinion, (0, 0, -torque))
    back = fb.PointMoment("back", carriage, (0, 0, torque))
    machine = fb.System([carriage, pinion], [rail, axle], [contact, load, back])
    result = fb.simulate(machine, 0.3, output_step=1e-3, description=description)
    gap = BACKLASH / 2  # on the pitch circle
    touches = np.sqrt(2 * gap / r * J / torque)
    before = result.t < touches
    np.testing.assert_allclose(result.coordinate(rail)[before], 0.0, atol=1e-12)
    np.testing.assert_allclose(
        result.coordinate(axle)[before], -0.5 * torque / J * result.t[before] ** 2, atol=1e-7
    )
    along = result.element("teeth").first[-50:, :3].mean(axis=0)  # on the pinion, at the end
    a = torque / r / (mass + J / r**2)
    np.testing.assert_allclose(along, [mass * a, mass * a * np.tan(ALPHA), 0], atol=0.02 * mass * a)
    travelled = result.coordinate(rail)[-1] + r * result.coordinate(axle)[-1]
    assert travelled == pytest.approx(-gap, abs=1e-6)  # the rack stays half of the backlash behind


def hertz(gap, rate, dissipation=0.0):
    """Return Hunt and Crossley's force with the exponent 1."""
    return STIFFNESS * max(-gap, 0.0) * max(1.0 - dissipation * rate, 0.0)


def rattling(description, options, **given):
    """A torque that alternates on the first wheel, a constant one on the second; return the run and SciPy's angles.

    Two coordinates: with r_b of each wheel, x = r_b1 a_1 + r_b2 a_2 (internal: minus) and the force F(x, x.),
    ``J_1 a_1.. = T_1 - r_b1 F``, ``J_2 a_2.. = T_2 -+ r_b2 F``.
    """
    ratio, sense = (4.0, -1.0) if options.get("internal") else (2.0, 1.0)
    J = (4e-3, 2e-2)
    bodies, joints, gear = wheels(ratio, inertias=J, **options)
    drag, d = 0.4, 2.0
    loads = [
        fb.PointMoment("drive", bodies[0], lambda t: (0, 0, 6.0 * np.sin(400.0 * t))),
        fb.PointMoment("drag", bodies[1], (0, 0, drag)),
    ]
    contact = teeth(gear, dissipation=d, **given)
    t = np.linspace(0.0, 0.03, 121)
    found = fb.simulate(
        fb.System(bodies, joints, [contact, *loads]), t[-1], output_step=2.5e-4, integrator=fb.Explicit(rtol=1e-11),
        description=description,
    )  # fmt: skip
    beta = options.get("helix_angle", 0.0)
    tilted = np.cos(ALPHA) * np.cos(beta)  # along the normal, of the way on the pitch circles
    radii = tilted * np.array([0.1, sense * 0.1 * ratio])
    half = 0.5 * BACKLASH * tilted

    def rates(t, y):
        x, speed = radii @ y[:2], radii @ y[2:]
        force = hertz(half - x, -speed, d) - hertz(half + x, speed, d)
        torques = np.array([6.0 * np.sin(400.0 * t), drag])
        return [*y[2:], *((torques - radii * force) / J)]

    exact = solve_ivp(
        rates, (0, t[-1]), np.zeros(4), t_eval=t, rtol=1e-12, atol=1e-15, method="DOP853", max_step=2e-5
    )
    return found, exact.y, radii, half


@pytest.mark.slow
@pytest.mark.parametrize(
    ("description", "options"),
    [(fb.Absolute(), {}), (fb.Relative(), {"internal": True}), (fb.Relative(), {"helix_angle": 0.3})],
    ids=["spur", "internal", "helical"],
)
def test_impacts_on_both_flanks(description, options):
    """The angles of SciPy's model of two coordinates; in the gap the force is zero; the balance of energy."""
    found, y, radii, half = rattling(description, options)
    x = radii @ y[:2]
    assert (x > half).any()
    assert (x < -half).any()
    # 1e-9 at the first impacts, each of which magnifies what steps leave
    for joint, angle in zip(("one", "two"), y[:2], strict=True):
        np.testing.assert_allclose(found.coordinate(joint), angle, atol=1e-7)
    history = found.element("teeth")
    np.testing.assert_allclose(history.deformation, x, atol=2e-8)
    idle = np.abs(x) < half - 1e-8
    assert idle.sum() > 20
    assert not history.force[idle].any()
    assert history.dissipated.max() > 0
    assert found.energy.balance_error < 1e-6


def test_onset_and_loss_are_events():
    """A wheel that turns against a held one bounces between both flanks; between events its speed is constant."""
    bodies, joints, gear = wheels()
    one = fb.RigidBody("one", 1.0, (4e-3, 4e-3, 4e-3), angular_velocity=(0, 0, 3.0))
    first = fb.Revolute("one", fb.GROUND, one, point=(0, 0, 0))
    gear = fb.Gear("gear", first, joints[1], ratio=2.0)
    hold = fb.Drive("hold", joints[1], value=0.0)
    machine = fb.System([one, bodies[1]], [first, joints[1], hold], [teeth(gear, events=True)])
    result = fb.simulate(machine, 2e-3)
    base = 0.1 * np.cos(ALPHA)
    way, touching = BACKLASH / 2 * np.cos(ALPHA) / base / 3.0, np.pi / np.sqrt(STIFFNESS * base**2 / 4e-3)
    expected = np.cumsum([way, touching, 2 * way, touching])
    assert [event.name for event in result.events[:4]] == ["teeth 1", "teeth 1", "teeth 2", "teeth 2"]
    # half a vibration against the stiffness; the implicit method's default accuracy
    np.testing.assert_allclose([event.t for event in result.events[:4]], expected, rtol=1e-3)


def test_small_vibrations_in_and_out_of_the_gap():
    """In the gap both wheels are free; in contact one frequency, sqrt(k (r_b1^2 / J_1 + r_b2^2 / J_2))."""
    bodies, joints, gear = wheels()
    free = fb.System(bodies, joints, [teeth(gear)])
    assert np.abs(fb.linearize(free).eigenvalues).max() < 1e-6
    loads = [fb.PointMoment("a", bodies[0], (0, 0, 5.0)), fb.PointMoment("b", bodies[1], (0, 0, 10.0))]
    spring = fb.SpringDamper(
        "weak", fb.GROUND, bodies[0], stiffness=10.0, first_point=(0.1, 0.3, 0), second_point=(0.1, 0, 0)
    )
    state = fb.equilibrium(fb.System(bodies, joints, [teeth(gear), *loads, spring]))
    found = np.abs(fb.linearize(state).eigenvalues.imag).max()
    radii = np.cos(ALPHA) * np.array([0.1, 0.2])
    # the weak spring: 10 N/m beside 1e8 N/m
    assert found == pytest.approx(np.sqrt(STIFFNESS * np.sum(radii**2 / 4e-3)), rel=1e-5)


@pytest.mark.parametrize("options", [{}, {"helix_angle": 0.3}, {"internal": True}], ids=str)
def test_elastic_bearings_keep_the_energy(options):
    """Wheels on bushings, which shift and tilt: the energy stays, where they tilt to the order of the angle."""
    ratio = 4.0 if options.get("internal") else 2.0
    bodies, joints, gear = wheels(ratio, free=True, **options)
    one = fb.RigidBody("one", 1.0, (4e-3, 4e-3, 4e-3), angular_velocity=(0, 0, 20.0))
    place = fb.Floating("one", fb.GROUND, one, point=(0, 0, 0))
    gear = fb.Gear("gear", place, joints[1], ratio=ratio, **options)
    mounts = [
        fb.Bushing(
            f"mount {side.name}", fb.GROUND, side, stiffness=[5e6, 3e6, 4e6, 3e4, 4e4, 0.0], point=side.center
        )
        for side in (one, bodies[1])
    ]
    machine = fb.System([one, bodies[1]], [place, joints[1]], [teeth(gear), *mounts])
    result = fb.simulate(machine, 4e-3, output_step=2e-5, integrator=fb.Explicit(rtol=1e-11))
    assert np.ptp(result.coordinate("one", "y")) > 1e-5
    assert result.element("teeth").stored.max() > 0.03
    energy = result.energy
    total = energy.kinetic + energy.strain
    tilt = 1e-3 if options.get("helix_angle") else 0.0  # rad
    assert np.ptp(total) < (1e-7 + 0.1 * tilt) * total.max()
    # the load on both wheels is in balance with those of the mounts: momentum of rest
    history = result.element("teeth")
    np.testing.assert_allclose(
        history.first[:, :3], -history.second[:, :3], atol=1e-9 * np.abs(history.first).max()
    )


def test_wheels_on_a_carrier_that_turns():
    """A carrier at constant speed changes nothing between its wheels, over several turns."""
    runs = []
    for speed in (0.0, 900.0):
        carrier = fb.RigidBody("carrier", 1.0, INERTIA, angular_velocity=(0, 0, speed))
        main = fb.Revolute("main", fb.GROUND, carrier, point=(0, 0, 0))
        bodies = [
            fb.RigidBody(
                name,
                1.0,
                INERTIA,
                center=(x, 0, 0),
                velocity=(0, speed * x, 0),
                angular_velocity=(0, 0, speed + 0.5),
            )
            for name, x in (("one", 0.0), ("two", APART))
        ]
        joints = [fb.Revolute(body.name, carrier, body, point=body.center) for body in bodies]
        motor = fb.Drive("motor", main, rate=speed)
        contact = teeth(fb.Gear("gear", *joints, ratio=2.0), dissipation=1.0)
        machine = fb.System([carrier, *bodies], [main, *joints, motor], [contact])
        result = fb.simulate(machine, 0.01, output_step=1e-4, integrator=EXPLICIT, description=fb.Relative())
        runs.append(result.element("teeth").deformation)
    assert np.ptp(runs[0]) > 0.9 * BACKLASH * np.cos(ALPHA)
    np.testing.assert_allclose(*runs, atol=1e-7)


def test_files_keep_the_teeth(tmp_path):
    bodies, joints, gear = wheels(helix_angle=0.2)
    load = fb.PointMoment("load", bodies[0], (0, 0, 1.0))
    machine = fb.System(bodies, joints, [teeth(gear, restitution=0.8, impact_speed=0.1), load])
    result = fb.simulate(machine, 0.01, save=tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    assert again.system.forces[0].gear.helix_angle == 0.2
    np.testing.assert_array_equal(again.element("teeth").force, result.element("teeth").force)
    assert result.element("teeth").force.max() > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"backlash": -1e-4}, "backlash is -0.0001"),
        ({"backlash": 0.1}, "backlash is 0.1 m and the smaller pitch circle 0.62"),
        ({"stiffness": 0.0}, "stiffness is 0.0"),
        ({"restitution": 0.5}, "impact_speed is None"),
        ({"gear": {"pressure_angle": None}}, "has no teeth; give it a pressure_angle"),
        ({"gear": {"flank": 1}}, "has flank=1; a contact has both flanks"),
        ({"gear": {"ratio": -1.0}}, "ratio is -1.0"),
        ({"gear": {"point": (0.12, 0, 0)}}, "where the pitch surfaces touch"),
    ],
)
def test_what_can_not_touch_is_refused(change, message):
    given = dict(change)
    bodies, joints, gear = wheels(**({"ratio": 2.0} | given.pop("gear", {})))
    with pytest.raises(fb.InputError, match=message):
        fb.System(bodies, joints, [teeth(gear, **given)])


def test_a_gear_that_holds_the_same_teeth_is_refused():
    bodies, joints, gear = wheels()
    with pytest.raises(
        fb.InputError,
        match=r"ToothContact 'teeth' takes the place of gear 'gear'; leave 'gear' out of joints=",
    ):
        fb.System(bodies, [*joints, gear], [teeth(gear)])
    other = fb.Gear("another pair", *joints, ratio=2.0)
    assert fb.System(bodies, [*joints, other], [teeth(gear)]).joints[-1] is other
