"""Events of a machine that is stepped: their times and states, saved states, switches, inputs, the end of a run."""

import numpy as np
import pytest

import flexbody as fb

GRAVITY, HEIGHT, E = 9.81, 1.0, 0.8
FIRST = np.sqrt(2 * HEIGHT / GRAVITY)
#: Times of the impacts: the k-th flight lasts 2 e^k sqrt(2 H / g).
IMPACTS = FIRST + np.concatenate([[0.0], np.cumsum(2 * FIRST * E ** np.arange(1, 3))])
METHODS = {
    "fixed": fb.GeneralizedAlpha(step=1e-2),
    "chosen": fb.GeneralizedAlpha(),
    "explicit": fb.Explicit(),
}
FLOOR = fb.Event(
    "floor", lambda s: s.position("ball")[2], direction=fb.Falling(), then=fb.Rebound(restitution=E)
)


def ball(**motion) -> fb.System:
    body = fb.RigidBody("ball", 1.0, (1.0,) * 3, center=(0, 0, HEIGHT), **motion)
    side = fb.PointForce("side", body, (fb.Input("force"), 0, 0))
    return fb.System([body], forces=[side], gravity=(0, 0, -GRAVITY))


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=repr)
@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_at_the_exact_times(method, description):
    """Gravity is constant: the methods are exact, whatever the advances are."""
    sim = fb.Stepper(ball(), integrator=METHODS[method], description=description, events=[FLOOR])
    for dt in (0.31, 0.4, 0.003, 1.1, 0.187):
        sim.advance(dt)
    assert sim.t == pytest.approx(2.0, rel=1e-14)
    assert [event.t for event in sim.events] == pytest.approx(IMPACTS, abs=1e-12)
    result = sim.result()
    speeds = [result.velocity("ball")[event.row, 2] for event in result.events]
    assert speeds == pytest.approx(GRAVITY * FIRST * E ** np.arange(1, 4), rel=1e-11)
    last = 2.0 - IMPACTS[2]
    height = GRAVITY * FIRST * E**3 * last - 0.5 * GRAVITY * last**2
    assert sim.position("ball")[2] == pytest.approx(height, abs=1e-11)
    assert result.energy.dissipated[-1] == pytest.approx(GRAVITY * HEIGHT * (1 - E**6), rel=1e-11)
    assert result.energy.balance_error < 1e-11
    assert sim.now.energy.kinetic[0] == result.energy.kinetic[-1]


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_state_before_an_event_has_the_same_future(method):
    sim = fb.Stepper(ball(), integrator=METHODS[method], events=[FLOOR])
    sim.advance(0.4)
    saved = sim.save()

    def future(force: float) -> fb.Result:
        sim["force"] = force
        for _ in range(4):
            sim.advance(0.3)
        return sim.result()

    once = future(1.0)
    behind = sim.save()
    sim.restore(saved)
    assert sim.events == ()
    assert sim.t == 0.4
    other = future(-3.0)
    sim.restore(saved)
    again = future(1.0)
    assert len(once.events) == len(other.events) == 2
    assert once.events == again.events
    for name in ("t", "c", "q", "v", "vdot", "energies"):
        np.testing.assert_array_equal(getattr(once, name), getattr(again, name))
    assert other.position("ball")[-1, 0] == pytest.approx(-3.0 * once.position("ball")[-1, 0], rel=1e-9)
    sim.restore(behind)
    assert sim.events == once.events


def turntable() -> fb.System:
    """Two discs on one axis; a lock can hold them together."""
    discs = [
        fb.RigidBody(name, 1.0, (k + 1.0, k + 1.0, 2.0 * (k + 1)))
        for k, name in enumerate(("first", "second"))
    ]
    base = fb.Revolute("base", fb.GROUND, discs[0], point=(0, 0, 0))
    link = fb.Revolute("link", discs[0], discs[1], point=(0, 0, 0))
    moment = fb.PointMoment("moment", discs[0], (0, 0, fb.Input("torque", initial=1.0)))
    return fb.System(discs, [base, link, fb.Drive("lock", link, rate=0.0)], [moment])


def test_a_joint_is_locked_with_the_momentum_kept_and_released_again():
    """2 w' = 1 up to w = 0.5 at t = 1; then all turn with 1/6 rad/s and w' = 1/6; then the first is free again."""
    lock = fb.Event(
        "lock", lambda s: s.coordinate_rate("base") - 0.5, direction=fb.Rising(), then=fb.Switch(on=["lock"])
    )
    free = fb.Event("free", lambda s: s.t - 2.5, then=fb.Switch(off=["lock"]))
    machine = turntable()
    sim = fb.Stepper(machine, integrator=fb.Explicit(), events=[lock, free], switched_off=["lock"])
    before = sim.save()
    sim.advance(0.9)
    assert sim.coordinate_rate("link") == pytest.approx(-0.45, rel=1e-10)
    sim.advance(0.6)
    assert [event.t for event in sim.events] == pytest.approx([1.0], rel=1e-10)
    rate = 1 / 6 + 0.5 / 6
    assert sim.coordinate_rate("base") == pytest.approx(rate, rel=1e-9)
    assert sim.coordinate_rate("link") == pytest.approx(0.0, abs=1e-12)
    assert sim.coordinate("link") == pytest.approx(-0.25, rel=1e-9)
    # the lock accelerates the second disc: 4 kg m2 times 1/6 rad/s2
    assert sim.reaction("lock").moment[2] == pytest.approx(4 / 6, rel=1e-9)
    sim["torque"] = 0.0
    sim.advance(1.5)
    assert sim.coordinate_rate("base") == pytest.approx(rate, rel=1e-9)
    sim["torque"] = -2.0
    sim.advance(1.0)
    assert sim.coordinate_rate("base") == pytest.approx(rate - 1.0, rel=1e-9)
    assert sim.coordinate_rate("link") == pytest.approx(1.0, rel=1e-9)
    result = sim.result()
    assert result.energy.balance_error < 1e-9
    assert result.events == sim.events
    assert result.switched_off == ("lock",)
    sim.restore(before)
    sim.advance(0.9)
    assert sim.coordinate_rate("link") == pytest.approx(-0.45, rel=1e-10)
    assert sim.reaction("lock").moment[2] == 0.0


def test_a_drive_with_an_input_is_switched_off_and_on_again():
    """It goes on from the coordinate that it meets, with the rate that is set then."""
    disc = fb.RigidBody("disc", 1.0, (1.0, 1.0, 2.0))
    hinge = fb.Revolute("hinge", fb.GROUND, disc, point=(0, 0, 0))
    motor = fb.Drive("motor", hinge, rate=fb.Input("rate", initial=2.0))
    brake = fb.PointMoment("brake", disc, (0, 0, -4.0))
    off = fb.Event("off", lambda s: s.t - 0.5, then=fb.Switch(off=[motor]))
    on = fb.Event("on", lambda s: s.t - 1.0, then=fb.Switch(on=[motor]))
    sim = fb.Stepper(fb.System([disc], [hinge, motor], [brake]), integrator=fb.Explicit(), events=[off, on])
    sim.advance(0.75)
    # free for 0.25 s with -2 rad/s2
    assert sim.coordinate("hinge") == pytest.approx(1.0 + 2.0 * 0.25 - 0.25**2, rel=1e-9)
    sim["rate"] = 3.0
    sim.advance(0.5)
    met = 1.0 + 2.0 * 0.5 - 0.5**2
    assert sim.coordinate("hinge") == pytest.approx(met + 3.0 * 0.25, rel=1e-9)
    sim["rate"] = -1.0
    sim.advance(0.5)
    assert sim.coordinate("hinge") == pytest.approx(met + 3.0 * 0.25 - 0.5, rel=1e-9)
    result = sim.result()
    assert result.energy.balance_error < 1e-9
    drive = result.system.joint("motor")
    rows = [row for row, t in enumerate(result.t) if not 0.5 < t <= 1.0]
    values = [drive.value(t) for t in result.t[rows]]
    np.testing.assert_allclose(values, result.coordinate("hinge")[rows], atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_stands_at_the_event_that_ends_it(method):
    down = fb.Event("down", lambda s: s.position("ball")[2], then=fb.EndRun())
    sim = fb.Stepper(ball(), integrator=METHODS[method], events=[down])
    sim.advance(0.4)
    saved = sim.save()
    assert sim.advance(0.3) == sim.t == pytest.approx(FIRST, rel=1e-11)
    assert sim.ended
    assert sim.position("ball")[2] == pytest.approx(0.0, abs=1e-11)
    assert sim.result().t[-1] == sim.t
    with pytest.raises(
        fb.InputError, match=r"advance: the run has ended at t = 0\.451524 s with event 'down'"
    ):
        sim.advance(0.1)
    sim.restore(saved)
    assert not sim.ended
    assert sim.advance(0.01) == pytest.approx(0.41)
    sim.reset()
    assert sim.advance(0.1) == pytest.approx(0.1)
    assert len(sim.result().t) == 2
    sim.restore(saved)  # of before the reset
    assert sim.advance(0.3) == pytest.approx(FIRST, rel=1e-11)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=repr)
def test_contacts_set_in_where_a_simulation_finds_it(description):
    """The energy of an elastic impact stays, since the steps end at onset and loss; times as fb.simulate's."""
    body = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.3))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(body, 0.1), stiffness=1e6, events=True)
    machine = fb.System([body], forces=[floor], gravity=(0, 0, -GRAVITY))
    method = fb.Explicit(rtol=1e-9)
    sim = fb.Stepper(machine, integrator=method, description=description)
    for _ in range(7):
        sim.advance(0.1)
    other = fb.simulate(machine, 0.7, integrator=method, description=description, show_progress=False)
    times = [[event.t for event in run.events] for run in (sim.result(), other)]
    assert len(times[0]) == 4
    assert times[0] == pytest.approx(times[1], abs=1e-9)
    assert times[0][0] == pytest.approx(np.sqrt(2 * 0.2 / GRAVITY), rel=1e-11)
    assert sim.result().energy.balance_error < 1e-8
    assert sim.position("ball") == pytest.approx(other.position("ball")[-1], abs=1e-8)


def test_a_jump_of_an_input_can_be_an_event():
    """The acceleration passes its level where the force is set; a velocity passes later."""
    level = fb.Event("acceleration", lambda s: s.acceleration("ball")[0] - 0.5, direction=fb.Rising())
    speed = fb.Event("speed", lambda s: s.velocity("ball")[0] - 1.0, direction=fb.Rising())
    sim = fb.Stepper(ball(), events=[level, speed])
    sim.advance(0.5)
    assert sim.events == ()
    sim["force"] = 2.0
    sim.advance(1.0)
    found = {event.name: event.t for event in sim.events}
    assert found == pytest.approx({"acceleration": 0.5, "speed": 1.0}, abs=1e-9)


def test_events_of_a_sampled_controller():
    """A relay with the period 0.1 s sees the speed above 0.25 m/s at t = 0.3 s and lets go; the speed stays at 0.3."""
    body = fb.RigidBody("cart", 1.0, (1.0,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    relay = fb.UserControl(lambda t, e: 1.0 * (e > 0))
    along = fb.Along(guide)
    push = fb.Controller("push", fb.Rate(along), relay, acts_on=along, target=0.25, period=0.1)
    fast = fb.Event("fast", lambda s: s.coordinate_rate("guide") - 0.25, direction=fb.Rising())
    let_go = fb.Event("let go", lambda s: 0.5 - s.acceleration("cart")[0], direction=fb.Rising())
    sim = fb.Stepper(fb.System([body], [guide], [push]), integrator=fb.Explicit(), events=[fast, let_go])
    sim.advance(0.26)
    sim.advance(0.3)
    assert {event.name: event.t for event in sim.events} == pytest.approx(
        {"fast": 0.25, "let go": 0.3}, abs=1e-9
    )
    assert sim.coordinate_rate("guide") == pytest.approx(0.3, rel=1e-9)


def test_events_without_a_record():
    sim = fb.Stepper(ball(), record=False, events=[FLOOR])
    for _ in range(4):
        sim.advance(0.5)
    assert [event.t for event in sim.events] == pytest.approx(IMPACTS, abs=1e-12)


def test_what_fails_at_an_event_has_the_run_so_far():
    rest = fb.Event("floor", FLOOR.function, direction=fb.Falling(), then=fb.Rebound(0.1))
    sim = fb.Stepper(ball(), events=[rest])
    with pytest.raises(fb.ConvergenceError, match="event 'floor' chatters") as error:
        sim.advance(1.0)
    assert len(error.value.result.events) > 5
    wrong = fb.Event("wrong", lambda s: np.nan)
    with pytest.raises(fb.InputError, match="event 'wrong' at t = 0 s: its function returns nan"):
        fb.Stepper(ball(), events=[wrong])
    with pytest.raises(fb.InputError, match="event 'swap' switches 'clutch', which is not a joint"):
        fb.Stepper(ball(), events=[fb.Event("swap", lambda s: s.t - 1, then=fb.Switch(off=["clutch"]))])
