"""What connections do to each body that they act on: Newton and Euler, action and reaction, no power."""

import numpy as np
import pytest

import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more

G = np.array([0.3, -9.81, 2.0])
#: where connections act on bodies, as drawn; moments are about these
HUB, FIRST, SECOND, BAR, END = np.array(
    [(0, 0, 0), (0.2, 0, 0), (0.5, 0.1, 0), (0.5, 0.3, 0), (0.9, 0.3, 0)], float
)


@pytest.fixture(scope="module")
def run():
    """Two wheels and a rack on a carrier that moves in a plane, coupled in every way, the rack's end on a string."""
    carrier = fb.RigidBody("carrier", 4.0, (0.2, 0.3, 0.4), center=(0.3, 0.1, 0), angular_velocity=(0, 0, 2))
    one = fb.RigidBody("one", 1.0, (0.02, 0.02, 0.03), center=FIRST, angular_velocity=(0, 0, 7))
    two = fb.RigidBody("two", 2.0, (0.05, 0.05, 0.09), center=SECOND)
    bar = fb.RigidBody("bar", 0.5, (0.01, 0.02, 0.02), center=(0.6, 0.3, 0), markers={"end": END})
    plane = fb.Planar("plane", fb.GROUND, carrier, point=HUB)
    first = fb.Revolute("first", carrier, one, point=FIRST)
    second = fb.Revolute("second", carrier, two, point=SECOND)
    slide = fb.Prismatic("slide", carrier, bar, point=BAR, axis="x")
    joints = [
        plane, first, second, slide,
        fb.Gear("gear", first, second, ratio=1.5),
        fb.Rack("rack", second, slide, radius=0.2),
        fb.Coupler("coupler", [(plane, "angle", 1.0), (first, 0.4), (slide, 2.0)]),
        fb.Constraint("string", [fb.GROUND, bar["end"]], position=lambda t, a, b: np.sum((b.r - a.r) ** 2) - 0.9),
    ]  # fmt: skip
    return fb.simulate(fb.System([carrier, one, two, bar], joints, gravity=G), 0.3, step=1e-3)


#: for each connection the bodies that it acts on and the points there
ACTS = {
    "plane": {"ground": HUB, "carrier": HUB},
    "first": {"carrier": FIRST, "one": FIRST},
    "second": {"carrier": SECOND, "two": SECOND},
    "slide": {"carrier": BAR, "bar": BAR},
    "gear": {"carrier": SECOND, "one": FIRST, "two": SECOND},
    "rack": {"carrier": BAR, "two": SECOND, "bar": BAR},
    "coupler": {"ground": HUB, "carrier": BAR, "one": FIRST, "bar": BAR},
    "string": {"ground": np.zeros(3), "bar": END},
}


def point_of(run, body, point):
    return np.tile(point, (len(run.t), 1)) if body == "ground" else run.position((body, tuple(point)))


@pytest.mark.parametrize("name", ["carrier", "one", "two", "bar"])
def test_newton_and_euler_for_each_body(run, name):
    """All that acts on a body, and nothing else, accelerates and turns it."""
    body = run.system.body(name)
    force, moment = np.zeros((2, len(run.t), 3))
    for connection, bodies in ACTS.items():
        if name in bodies:
            load = run.reaction(connection, body=name)
            arm = point_of(run, name, bodies[name]) - run.position(name)
            force += load.force
            moment += load.moment + np.cross(arm, load.force)
    # the iteration leaves 1e-9 of what the reactions of all bodies would cause
    np.testing.assert_allclose(
        force, body.mass * (run.acceleration(name) - G), atol=1e-8 * np.abs(force).max()
    )
    I, w = body.inertia_tensor, run.angular_velocity(name, frame=name)
    spin = run.angular_acceleration(name, frame=name) @ I + np.cross(w, w @ I)
    expected = np.einsum("tij,tj->ti", run.rotation(name), spin)
    # moments are those of forces with arms of the size of the machine
    np.testing.assert_allclose(moment, expected, atol=1e-8 * np.abs(force).max())
    assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize("name", ACTS)
def test_action_and_reaction(run, name):
    """Forces, and moments about one point, on all bodies and the ground are in balance, and give no power.

    All these connections depend on how their frames stand to each other only.
    """
    total, about, power = np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3)), np.zeros(len(run.t))
    size, most = 0.0, 0.0
    for body, point in ACTS[name].items():
        load, r = run.reaction(name, body=body), point_of(run, body, point)
        total += load.force
        about += load.moment + np.cross(r, load.force)
        size = max(size, np.abs(load.force).max(), np.abs(load.moment).max())
        if body != "ground":
            v, w = run.velocity((body, tuple(point))), run.angular_velocity(body)
            mine = np.einsum("ti,ti->t", load.force, v) + np.einsum("ti,ti->t", load.moment, w)
            power, most = power + mine, max(most, np.abs(mine).max())
    assert size > 0.1
    np.testing.assert_allclose(total, 0, atol=1e-9 * size)
    np.testing.assert_allclose(about, 0, atol=1e-9 * size)
    # constraints of velocities hold to the tolerance of Newton's method
    np.testing.assert_allclose(power, 0, atol=1e-7 * max(most, size))


def test_the_second_body_is_the_one_by_itself(run):
    """Without body=: the last frame's body; in the components that one asks for."""
    for name, last in (
        ("first", "one"),
        ("gear", "two"),
        ("rack", "bar"),
        ("coupler", "bar"),
        ("string", "bar"),
    ):
        one, other = run.reaction(name), run.reaction(name, body=last)
        np.testing.assert_allclose(one.force, other.force, atol=1e-12)
        np.testing.assert_allclose(one.moment, other.moment, atol=1e-12)
    turned = run.reaction("rack", body=run.system.body("two"), frame="carrier")
    plain = run.reaction("rack", body="two")
    np.testing.assert_allclose(
        np.einsum("tij,tj->ti", run.rotation("carrier"), turned.moment), plain.moment, atol=1e-12
    )
    table = run.table(("moment", "gear", {"body": "one"}))
    np.testing.assert_array_equal(
        table["reaction moment gear on one z (N m)"], run.reaction("gear", body="one").moment[:, 2]
    )
    with pytest.raises(
        fb.InputError, match="gear 'gear' does not act on 'bar'; it acts on 'carrier', 'one', 'two'"
    ):
        run.reaction("gear", body="bar")


def test_what_a_joint_gives_its_first_body_where_the_points_lie_apart():
    """A slide that has run out: the moment is about each body's own point."""
    rail = fb.RigidBody("rail", 3.0, (1, 1, 1), angular_velocity=(0, 0, 1))
    block = fb.RigidBody("block", 1.0, (0.1, 0.1, 0.1), center=(0.5, 0, 0), velocity=(2, 0.5, 0))
    joints = [
        fb.Revolute("hub", fb.GROUND, rail, point=(0, 0, 0)),
        fb.Prismatic("guide", rail, block, point=(0.5, 0, 0), axis="x"),
    ]
    run = fb.simulate(fb.System([rail, block], joints), 0.2, step=1e-3)
    on, back = run.reaction("guide", body="block"), run.reaction("guide", body="rail")
    np.testing.assert_allclose(back.force, -on.force, atol=1e-12)
    apart = run.position("guide") - run.position(("rail", (0.5, 0, 0)))
    assert np.abs(apart).max() > 0.3
    np.testing.assert_allclose(back.moment, -(on.moment + np.cross(apart, on.force)), atol=1e-9)
    # Coriolis: the block runs outward on a rail that turns
    across = run.acceleration("block", frame="rail")[:, 1]
    np.testing.assert_allclose(
        run.reaction("guide", frame="rail", body="block").force[:, 1], across, rtol=1e-8
    )
