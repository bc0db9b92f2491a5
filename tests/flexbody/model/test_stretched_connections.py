"""Massless bodies that their joints don't determine: stretched connections end a run, other ones are refused."""

import numpy as np
import pytest
from scipy import optimize
from support.massless import DOWN, EXPLICIT, HOW, hung, run

import flexbody as fb


def elbow():
    """Two bars with a hinge between two bodies of which one flies away: stretched after 0.2806 s."""
    a, b = (
        fb.RigidBody(name, 1.0, (0.01,) * 3, center=(x, 0, 0), velocity=(x, 0, 0))
        for name, x in (("a", 0), ("b", 1))
    )
    upper, fore = (fb.MasslessBody(name, center=(x, 0.2, 0)) for name, x in (("upper", 0.25), ("fore", 0.75)))
    joints = [
        fb.Fixed("base", fb.GROUND, a, point=(0, 0, 0)),
        fb.Spherical("shoulder", a, upper, point=(0, 0, 0)),
        fb.Revolute("elbow", upper, fore, point=(0.5, 0.4, 0), axis="z"),
        fb.Spherical("hand", fore, b, point=(1, 0, 0)),
    ]
    return fb.System([a, b], joints)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_connection_that_is_stretched_ends_the_run(how):
    with pytest.raises(
        fb.ConvergenceError, match="no longer determine the place of the massless bodies 'upper', 'fore'"
    ) as failed:
        run(elbow(), 1.0, **how)
    reach = 2 * np.hypot(0.5, 0.4)
    assert failed.value.result.t[-1] == pytest.approx(reach - 1, abs=1e-5)
    assert failed.value.result.position("b")[-1] == pytest.approx((reach, 0, 0), abs=1e-5)


def flung(speed, knee):
    """A body that flies off in a plane, on two bars without mass with a hinge between them."""
    b = fb.RigidBody("b", 1.0, (0.01,) * 3, center=(1, 0, 0), velocity=speed)
    upper, fore = fb.MasslessBody("upper"), fb.MasslessBody("fore")
    joints = [
        fb.Revolute("shoulder", fb.GROUND, upper, point=(0, 0, 0), axis="y"),
        fb.Revolute("elbow", upper, fore, point=knee, axis="y"),
        fb.Revolute("hand", fore, b, point=(1, 0, 0), axis="y"),
    ]
    return fb.System([b], joints, gravity=DOWN)


@pytest.mark.parametrize(("speed", "knee"), [((1, 0, 0), (0.5, 0, 0.2)), ((2, 0, -1), (0.6, 0, 0.05))])
@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
def test_no_step_passes_a_stretched_connection(speed, knee, description):
    """The body falls freely until the bars are stretched; all that a run returns lies before, with this energy."""
    with pytest.raises(fb.ConvergenceError, match="place of the massless bodies 'upper', 'fore'") as failed:
        run(flung(speed, knee), 1.0, integrator=fb.GeneralizedAlpha(), description=description)
    found = failed.value.result
    reach = np.hypot(*np.take(knee, (0, 2))) + np.hypot(1 - knee[0], knee[2])

    def left(t):
        return reach - np.hypot(1 + speed[0] * t, speed[2] * t - 0.5 * 9.81 * t * t)

    stretched = optimize.brentq(left, 0, 1)
    # where the bars turn faster than steps can follow; the relative description finds the body by their turns
    absolute = description == fb.Absolute()
    assert -1e-9 < left(found.t[-1]) < 1e-4 * reach
    assert found.t[-1] == pytest.approx(stretched, rel=1e-3)
    assert found.energy.balance_error < (1e-9 if absolute else 1e-3)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
def test_a_fixed_step_says_what_comes(description):
    """Steps of 1 ms fail one to four before the bars are stretched: Newton's iteration was blamed."""
    words = (
        "at t = 0.028.* the joints .* no longer determine the place of the massless bodies 'upper', 'fore'"
    )
    with pytest.raises(fb.ConvergenceError, match=words):
        run(flung((1, 0, 0), (0.5, 0, 0.12)), 1.0, step=1e-3, description=description)


@pytest.mark.parametrize("draw", [2, 13])
def test_bars_whose_shape_nothing_holds_are_named(draw):
    """Three bars on balls between the ground and a body: they turned ever faster, for 600 000 and 260 000 steps."""
    numbers = np.random.default_rng(3).normal(size=(draw, 9))[-1]
    knees = np.array([[0.3, 0, 0.2], [0.7, 0, 0.25]]) + 0.15 * numbers[:6].reshape(2, 3)
    b = fb.RigidBody("b", 1.0, (0.01,) * 3, center=(1, 0, 0), velocity=numbers[6:])
    bars = [fb.MasslessBody(name) for name in ("one", "two", "three")]
    links = zip([fb.GROUND, *bars], [*bars, b], [(0, 0, 0), *knees, (1, 0, 0)], strict=True)
    joints = [fb.Spherical(f"ball {k}", one, two, point=at) for k, (one, two, at) in enumerate(links)]
    with pytest.raises(fb.ConvergenceError, match="massless bodies 'one', 'two', 'three'") as failed:
        run(
            fb.System([b], joints, gravity=DOWN),
            1.0,
            integrator=fb.GeneralizedAlpha(),
            description=fb.Relative(),
        )
    assert failed.value.result.statistics.steps < 20_000


def test_bars_that_are_drawn_stretched():
    """Two bars in line carry a block at rest; they can't follow it when it swings."""

    def hanging(speed):
        upper, lower = fb.MasslessBody("upper"), fb.MasslessBody("lower")
        block = fb.RigidBody("block", 1.0, (0.01,) * 3, center=(0, 0, -2), velocity=(speed, 0, 0))
        links = [(fb.GROUND, upper), (upper, lower), (lower, block)]
        joints = [fb.Spherical(f"ball {k}", *link, point=(0, 0, -k)) for k, link in enumerate(links)]
        return fb.System([block], joints, gravity=DOWN)

    rest = run(hanging(0.0), 0.1, integrator=EXPLICIT)
    assert rest.position("block")[-1] == pytest.approx((0, 0, -2), abs=1e-12)
    assert rest.reaction("ball 0").force[-1] == pytest.approx((0, 0, 9.81), abs=1e-9)
    with pytest.raises(fb.ConvergenceError, match="no longer determine the place of the massless bodies"):
        run(hanging(0.5), 0.1, integrator=EXPLICIT)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_load_that_no_joint_resists_is_refused(how):
    def aside(force):
        return hung(True, lambda bar: [fb.PointForce("wind", bar, force, point=(0.4, 0.3, -0.3))])

    words = "acts on the massless body 'bar' that upper, lower hold, in a direction in which no joint resists"
    with pytest.raises(fb.InputError, match=words):
        run(aside((0, 5.0, 5.0)), 0.2, **how)
    with pytest.raises(fb.FlexbodyError, match=words):  # which begins during the run
        run(aside(lambda t: (0, 5.0 * t, 0)), 0.1, **how)


def test_a_bushing_that_no_joint_resists_is_named_as_a_load_is():
    """It turned its end by half a turn, and that was the message. The implicit method finds the attitude in which the
    bushing pulls along the line to the ball: the end is a spring of this length."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    end = fb.MasslessBody("end")
    pin = fb.Revolute("pin", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    ball = fb.Spherical("ball", bar, end, point=(1, 0, 0))
    aside = fb.Bushing("aside", fb.GROUND, end, point=(1, 0.1, 0), stiffness=[1e3] * 3 + [0] * 3)
    machine = fb.System([bar], [pin, ball], [aside], gravity=DOWN)
    with pytest.raises(fb.FlexbodyError, match="on the massless body 'end' that ball holds, in a direction"):
        run(machine, 0.3, integrator=EXPLICIT)
    places = dict(first_point=(1, 0.1, 0), second_point=(1, 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, bar, stiffness=1e3, damping=0.0, free_length=0.1, **places)
    found, expected = (
        run(one, 0.3, integrator=fb.GeneralizedAlpha()).coordinate("pin")
        for one in (machine, fb.System([bar], [pin], [spring], gravity=DOWN))
    )
    assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()  # (its default tolerance)


def test_what_massless_bodies_cant_have_is_refused():
    bar = fb.MasslessBody("bar")
    body = fb.RigidBody("body", 1.0, (0.1,) * 3)
    with pytest.raises(fb.InputError, match="it has no bodies with mass"):
        fb.System([bar], [fb.Spherical("ball", fb.GROUND, bar, point=(0, 0, 0))])
    with pytest.raises(
        fb.InputError,
        match=r"'wind' acts on the massless body 'bar', which no joint holds.*Hold it by joints",
    ):
        fb.System([body], [], [fb.PointForce("wind", bar, (0, 0, 1))])
    with pytest.raises(fb.InputError, match="joins 'bar' to itself"):
        fb.System([body], [fb.Spherical("ball", bar, bar, point=(0, 0, 0))])
    other = fb.MasslessBody("bar", center=(0, 0, 1))
    with pytest.raises(fb.InputError, match="two massless bodies have the name 'bar'"):
        fb.System(
            [body],
            [
                fb.Spherical("one", body, bar, point=(0, 0, 0)),
                fb.Spherical("two", other, fb.GROUND, point=(0, 0, 1)),
            ],
        )
    listed = fb.System([body, bar], [fb.Spherical("one", body, bar, point=(0, 0, 0))])
    assert [one.name for one in listed.bodies] == ["body", "bar"]
