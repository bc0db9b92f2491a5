"""Events: their times against closed forms, rebounds, switched joints, drives and forces, errors, files, plots."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy

import fem
import flexbody as fb

pytestmark = pytest.mark.slow

GRAVITY, HEIGHT = 9.81, 1.0
OMEGA = 2 * np.pi
METHODS = [
    fb.GeneralizedAlpha(),
    fb.GeneralizedAlpha(step=1e-2),
    fb.Explicit(),
    fb.SciPy(),
    fb.SciPy(scipy.integrate.Radau),
    fb.Sundials(),
    fb.Sundials(stiff=False),
]
BOTH = [fb.Absolute(), fb.Relative()]


def ball() -> fb.System:
    return fb.System([fb.RigidBody("ball", 1.0, (1.0,) * 3, center=(0, 0, HEIGHT))], gravity=(0, 0, -GRAVITY))


def floor(restitution: float) -> fb.Event:
    then = fb.Rebound(restitution)
    return fb.Event("floor", lambda s: s.position("ball")[2], direction=fb.Falling(), then=then)


@pytest.mark.parametrize(
    ("method", "description"),
    [*((method, fb.Absolute()) for method in METHODS), *((METHODS[k], fb.Relative()) for k in (0, 2, 3))],
    ids=str,
)
def test_a_ball_bounces_at_the_exact_times(method, description):
    """It falls for t1 = sqrt(2 H / g); the k-th flight lasts 2 e^k t1. Gravity is constant: the methods are exact.

    CVODE starts with order 1: its tolerance 1e-8 remains.
    """
    run = dict(integrator=method, description=description, output_step=0.1, show_progress=False)
    e, first = 0.8, np.sqrt(2 * HEIGHT / GRAVITY)
    result = fb.simulate(ball(), 2.0, events=[floor(e)], **run)
    exact = first + np.concatenate([[0.0], np.cumsum(2 * first * e ** np.arange(1, 3))])
    loose = isinstance(method, fb.Sundials)
    assert [event.t for event in result.events] == pytest.approx(exact, abs=3e-7 if loose else 1e-12)
    speeds = [result.velocity("ball")[event.row, 2] for event in result.events]
    assert speeds == pytest.approx(GRAVITY * first * e ** np.arange(1, 4), rel=1e-6 if loose else 1e-11)
    lost = GRAVITY * HEIGHT * (1 - e**6)
    assert result.energy.dissipated[-1] == pytest.approx(lost, rel=1e-6 if loose else 1e-11)
    assert result.energy.balance_error < (1e-6 if loose else 1e-11)


def oscillator() -> fb.System:
    mass = fb.RigidBody("mass", 1.0, (0.1,) * 3, velocity=(OMEGA, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="x")
    spring = fb.ForceElement("spring", fb.Along(guide), fb.Linear(stiffness=OMEGA**2))
    return fb.System([mass], [guide], [spring])


LEVEL = 0.3
CROSSINGS = np.array([0.0, 0.5, 1.0]) + np.arcsin(LEVEL) / OMEGA * np.array([1, -1, 1])


def crossings(**run) -> tuple[np.ndarray, np.ndarray]:
    """The times at which x = sin(2 pi t) passes the level, and how far x is from it there, over the rate."""
    level = fb.Event("level", lambda s: s.coordinate("guide") - LEVEL)
    result = fb.simulate(oscillator(), 1.2, events=[level], show_progress=False, **run)
    rows = [event.row for event in result.events]
    missed = (result.coordinate("guide")[rows] - LEVEL) / result.coordinate_rate("guide")[rows]
    return np.array([event.t for event in result.events]), missed


@pytest.mark.parametrize(("method", "order"), [(fb.GeneralizedAlpha, 2), (fb.Explicit, 8)])
def test_times_have_the_order_of_the_method(method, order):
    """The state inside a step is as exact as the step, and zero to 1e-10 of the step."""
    errors = []
    for step in (0.1, 0.05):
        t, missed = crossings(integrator=method(step=step))
        assert np.abs(missed).max() < 1e-10 * step
        errors.append(np.abs(t - CROSSINGS).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("method", [one for one in METHODS if not getattr(one, "step", None)], ids=str)
def test_zeros_of_a_harmonic_oscillator(method):
    """The tolerances are 1e-8, and 1e-5 of generalized-alpha; errors add up over a hundred steps and more."""
    t, missed = crossings(integrator=method, output_step=0.25)
    assert t == pytest.approx(CROSSINGS, abs=2e-4 if isinstance(method, fb.GeneralizedAlpha) else 1e-6)
    assert np.abs(missed).max() < 1e-12  # steps are 1e-3 s at least


# ---- switches ------------------------------------------------------------------------------------


def two_links(*forces) -> fb.System:
    """A pendulum of two links; the drive "lock" of the second hinge holds its angle."""
    a = fb.RigidBody("a", 2.0, (0.01, 0.05, 0.05), center=(0.25, 0, 0))
    b = fb.RigidBody("b", 1.0, (0.01, 0.03, 0.03), center=(0.75, 0, 0))
    hip = fb.Revolute("hip", fb.GROUND, a, point=(0, 0, 0), axis="y")
    knee = fb.Revolute("knee", a, b, point=(0.5, 0, 0), axis="y")
    return fb.System([a, b], [hip, knee, fb.Drive("lock", knee, rate=0.0)], forces, gravity=(0, 0, -GRAVITY))


def angular_momentum(result: fb.Result) -> np.ndarray:
    """About the hip."""
    total = 0.0
    for name, mass, inertia in (("a", 2.0, 0.05), ("b", 1.0, 0.03)):
        total += mass * np.cross(result.position(name), result.velocity(name))[:, 1]
        total += inertia * result.angular_velocity(name)[:, 1]
    return total


LOCKING = [
    fb.Event(
        "bent", lambda s: s.coordinate("knee") + 0.5, direction=fb.Falling(), then=fb.Switch(on=["lock"])
    ),
    fb.Event("release", lambda s: s.t - 0.4, then=fb.Switch(off=["lock"])),
]


@pytest.mark.parametrize("method", [fb.GeneralizedAlpha(), fb.Explicit(), fb.SciPy()], ids=str)
@pytest.mark.parametrize("description", BOTH, ids=str)
def test_a_locked_joint_keeps_the_angular_momentum(method, description):
    """The impulse of the lock is internal: about the hip, I omega behind it is the angular momentum before it."""
    run = dict(switched_off=["lock"], description=description, integrator=method, show_progress=False)
    result = fb.simulate(two_links(), 0.5, events=LOCKING, output_step=0.05, **run)
    lock, release = result.events
    L = angular_momentum(result)
    # (the state inside a step lies on the joints as exactly as the step is followed)
    assert L[lock.row] == pytest.approx(L[lock.row - 1], rel=1e-9)
    inertia = 0.05 + 2 * 0.25**2 + 0.03 + 0.5**2 + 0.25**2 + 2 * 0.5 * 0.25 * np.cos(0.5)
    rate = result.coordinate_rate("hip")
    assert rate[lock.row] == pytest.approx(L[lock.row - 1] / inertia, rel=1e-7)
    knee, held = result.coordinate("knee"), slice(lock.row, release.row)
    assert knee[held] == pytest.approx(-0.5, abs=1e-9)
    assert np.abs(result.reaction("lock").moment[: lock.row]).max() < 1e-12  # of 10 N m
    # Euler's equation of the lower link about the knee
    k = release.row - 2
    arm, acceleration = result.position("b")[k] - result.position("knee")[k], result.acceleration("b")[k]
    moment = 0.03 * result.angular_acceleration("b")[k, 1] + np.cross(arm, acceleration + [0, 0, GRAVITY])[1]
    assert result.reaction("lock").moment[k, 1] == pytest.approx(moment, rel=1e-3)
    assert abs(knee[-1] + 0.5) > 1e-3
    # Newton's iteration leaves up to a tenth of rtol, 1e-6, of the accelerations: of 5.5 rad/s 1e-8 in a step of 1 ms
    # with 50 rad/s2, and of the energy twice that
    assert rate[release.row] == pytest.approx(rate[release.row - 1], rel=1e-8)
    kinetic = result.energy.kinetic
    assert result.energy.dissipated[-1] == pytest.approx(kinetic[lock.row - 1] - kinetic[lock.row], rel=2e-8)
    assert result.energy.balance_error < 1e-4


def test_a_drive_is_switched_off_and_on_again():
    """A flywheel with I = 2, d = 0.5: driven at 10 rad/s to t = 0.5; then 10 exp(-d t / I); caught at 8 rad/s.

    The drive that is switched on goes on from the angle that it finds.
    """
    wheel = fb.RigidBody("wheel", 1.0, (2.0,) * 3, angular_velocity=(0, 0, 10.0))
    axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    motor = fb.Drive("motor", axle, rate=10.0)
    oil = fb.ForceElement("oil", fb.Along(axle), fb.Linear(damping=0.5))
    machine = fb.System([wheel], [axle, motor], [oil])
    off = fb.Event("off", lambda s: s.t - 0.5, direction=fb.Rising(), then=fb.Switch(off=[motor]))
    on = fb.Event(
        "on", lambda s: s.coordinate_rate(axle) - 8.0, direction=fb.Falling(), then=fb.Switch(on=[motor])
    )
    method = fb.Explicit(rtol=1e-10)
    result = fb.simulate(
        machine, 2.0, events=[off, on], integrator=method, output_step=0.1, show_progress=False
    )
    free = 4.0 * np.log(10 / 8)
    assert [event.t for event in result.events] == pytest.approx([0.5, 0.5 + free], abs=1e-8)
    caught = 5.0 + 4.0 * (10 - 8)  # the angle is the integral of the rate
    assert result.coordinate(axle)[-1] == pytest.approx(caught + 10 * (1.5 - free), abs=1e-7)
    moment = result.reaction(motor).moment[:, 2]
    assert moment[[0, -1]] == pytest.approx([5.0, 5.0])
    assert np.abs(moment[result.events[0].row : result.events[1].row]).max() < 1e-12
    # the impulse that brings the wheel from 8 to 10 rad/s is work of the drive
    works = 5.0 * 10 * 0.5 + 0.5 * 2 * (100 - 64) + 5.0 * 10 * (1.5 - free)
    assert result.energy.input[-1] == pytest.approx(works, rel=1e-8)
    assert result.energy.balance_error < 1e-8


def test_forces_that_are_off_are_zero_in_results_files_and_tables(tmp_path: Path):
    links = two_links().bodies
    wind = fb.PointForce("wind", links[0], lambda t: (np.sin(5 * t), 0, 0))
    machine = two_links(wind)
    spring = fb.torsion_spring("spring", machine.joints[0], stiffness=5.0)
    machine = two_links(wind, spring)
    change = fb.Event("change", lambda s: s.t - 0.2, then=fb.Switch(on=[wind], off=[spring]))
    down = fb.Event("down", lambda s: s.coordinate("hip") - 0.5)
    run = dict(output_step=0.05, save=tmp_path / "run.h5", show_progress=False)
    result = fb.simulate(machine, 0.4, events=[change, down], switched_off=["lock", "wind"], **run)
    k = result.events[0].row
    assert result.element(spring).force[k - 1] == pytest.approx(5.0 * result.coordinate("hip")[k - 1])
    assert not result.element(spring).force[k:].any()
    assert not result.element(spring).first[k:].any()
    load = result.table(wind)["load wind x (N)"]
    assert not load[:k].any()
    assert load[k] == pytest.approx(np.sin(5 * 0.2))
    # the energy that the spring holds when it is taken away is lost
    assert result.energy.dissipated[k] == pytest.approx(2.5 * result.coordinate("hip")[k] ** 2, rel=1e-4)
    assert not result.energy.strain[k:].any()
    again = fb.load_result(tmp_path / "run.h5")
    assert again.events == result.events
    assert again.switched_off == ("lock", "wind")
    assert np.array_equal(again.element("spring").force, result.element(spring).force)
    figure = fb.plot(result, show=["hip", "spring"])
    for ax in figure.axes:
        marks = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() != "-"]
        assert np.allclose(np.sort(marks)[:2], [1e3 * event.t for event in result.events])


@pytest.mark.parametrize("joined", [False, True], ids=["spring", "weld"])
def test_what_breaks_breaks_once(joined: bool):
    """A mass hangs on a spring, or a load pushes it against a weld: x = g / w^2 (1 - cos(w t)), and the force is k x.

    Behind the event the force is zero, in the function of the event as in the results.
    """
    k, limit = 100.0, 15.0
    mass = fb.RigidBody("mass", mass=1.0, inertia=(1e-3,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
    if joined:
        push = fb.PointForce("push", mass, lambda t: (0, 0, 30.0 * t))
        weld = fb.Drive("weld", guide, value=0.0)
        machine = fb.System([mass], [guide, weld], [push])
        exact, off = limit / 30.0, weld
    else:
        off = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=k, first_point=(0, 0, 1))
        machine = fb.System([mass], [guide], [off], gravity=(0, 0, -9.81))
        exact = np.arccos(1 - limit / 9.81) / np.sqrt(k)

    def over(s):
        return (abs(s.reaction("weld").force[2]) if joined else s.result.element("spring").force[0]) - limit

    breaks = fb.Event("breaks", over, then=fb.Switch(off=[off]))
    result = fb.simulate(
        machine, 1.0, events=[breaks], show_progress=False, integrator=fb.Explicit(rtol=1e-10)
    )
    assert [event.t for event in result.events] == [pytest.approx(exact, abs=1e-9)]
    behind = result.state(0.9)
    assert behind.reaction("weld").force[2] == 0 if joined else behind.result.element("spring").force[0] == 0


# ---- rebounds ------------------------------------------------------------------------------------


def test_two_balls_exchange_the_velocities_along_their_centres():
    """A smooth elastic collision of equal spheres, radius 0.1, offset 0.1: their centres lie along 30 degrees."""
    first = fb.RigidBody("first", 1.0, (1.0,) * 3, velocity=(1.0, 0, 0))
    second = fb.RigidBody("second", 1.0, (1.0,) * 3, center=(1.0, 0.1, 0))
    touch = fb.Event(
        "touch",
        lambda s: np.linalg.norm(s.position("second") - s.position("first")) - 0.2,
        direction=fb.Falling(),
        then=fb.Rebound(),
    )
    result = fb.simulate(
        fb.System([first, second]), 2.0, events=[touch], output_step=0.5, show_progress=False
    )
    assert [event.t for event in result.events] == pytest.approx([1.0 - np.sqrt(0.03)], abs=1e-9)
    along = np.array([np.sqrt(0.03), 0.1, 0]) / 0.2
    assert result.velocity("second")[-1] == pytest.approx(along[0] * along, abs=1e-7)
    assert result.velocity("first")[-1] == pytest.approx(np.array([1.0, 0, 0]) - along[0] * along, abs=1e-7)


def test_a_rebound_of_a_pendulum_leaves_its_hinge_closed():
    """A bar that swings against a wall where it hangs down: its rate is reversed, and it swings back to its start."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    wall = fb.Event(
        "wall", lambda s: s.position(bar, (0.3, 0, 0))[0], direction=fb.Falling(), then=fb.Rebound()
    )
    machine = fb.System([bar], [hinge], gravity=(0, 0, -GRAVITY))
    method = fb.Explicit(rtol=1e-10)
    result = fb.simulate(machine, 1.0, events=[wall], integrator=method, output_step=0.1, show_progress=False)
    k = result.events[0].row
    rate = result.coordinate_rate(hinge)
    assert rate[k] == pytest.approx(-rate[k - 1], rel=1e-10)
    # energy of the fall: (I + m l^2) w^2 / 2 = m g l
    assert rate[k - 1] == pytest.approx(np.sqrt(2 * GRAVITY * 0.3 / 0.12), rel=1e-8)
    assert np.abs(result.position(hinge)).max() < 1e-9


@pytest.mark.parametrize("method", [fb.Partitioned(), fb.Baumgarte(), fb.Hybrid()], ids=str)
def test_a_method_for_comparison_goes_on_behind_an_event(method):
    ball = fb.RigidBody("ball", 1.0, (1.0,) * 3, center=(0, 0, HEIGHT))
    rail = fb.Prismatic("rail", fb.GROUND, ball, point=(0, 0, 0), axis="z")
    machine = fb.System([ball], [rail], gravity=(0, 0, -GRAVITY))
    options = dict(integrator=method, output_step=0.1, show_progress=False)
    result = fb.simulate(machine, 0.7, events=[floor(0.8)], **options)
    first = np.sqrt(2 * HEIGHT / GRAVITY)
    assert [event.t for event in result.events] == pytest.approx([first], abs=1e-6)
    assert result.statistics.method.startswith(type(method).__name__)


def test_a_ball_that_comes_to_rest_is_named_and_ends_the_run():
    """The times accumulate at t1 (1 + e) / (1 - e), here three times the time of the first fall."""
    with pytest.raises(fb.ConvergenceError, match="'floor' chatters") as raised:
        fb.simulate(ball(), 3.0, events=[floor(0.5)], output_step=0.1, show_progress=False)
    result = raised.value.result
    assert result.t[-1] == pytest.approx(3 * np.sqrt(2 * HEIGHT / GRAVITY), abs=1e-5)
    assert len(result.events) > 15
    assert result.position("ball")[:, 2].min() > -1e-8


# ---- marks, ends, errors -------------------------------------------------------------------------


def test_a_run_ends_at_an_event_and_its_result_there():
    end = fb.Event("half", lambda s: s.position("ball")[2] - 0.5, direction=fb.Falling(), then=fb.EndRun())
    result = fb.simulate(ball(), 2.0, events=[end], show_progress=False)
    assert result.t[-1] == result.events[0].t == pytest.approx(np.sqrt(1.0 / GRAVITY), abs=1e-12)
    assert result.position("ball")[-1, 2] == pytest.approx(0.5, abs=1e-12)


def test_directions_and_a_zero_at_the_start():
    """x = sin(2 pi t) is zero at the start, which is no passage; it falls at 0.5 and 1.5 and rises at 1."""
    x = [
        fb.Event(name, lambda s: s.coordinate("guide"), direction=direction)
        for name, direction in (("up", fb.Rising()), ("down", fb.Falling()), ("both", None))
    ]
    result = fb.simulate(
        oscillator(), 1.8, events=x, integrator=fb.Explicit(), output_step=0.1, show_progress=False
    )
    times = {
        name: [event.t for event in result.events if event.name == name] for name in ("up", "down", "both")
    }
    assert times["up"] == pytest.approx([1.0], abs=1e-7)
    assert times["down"] == pytest.approx([0.5, 1.5], abs=1e-7)
    assert times["both"] == pytest.approx([0.5, 1.0, 1.5], abs=1e-7)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda s: np.nan if s.t > 0.5 else 1.0, r"event 'e' at t = 0\.5.*returns nan"),
        (lambda s: s.position("ball"), r"event 'e' at t = 0 s: its function returns"),
        (lambda s: s.position("bull")[2], r"event 'e' at t = 0 s: its function fails.*bull"),
    ],
)
def test_a_function_that_is_not_a_number_is_named_with_the_run_so_far(function, words):
    with pytest.raises(fb.InputError, match=words) as raised:
        fb.simulate(ball(), 1.0, events=[fb.Event("e", function)], show_progress=False)
    assert raised.value.result.t[-1] in (0.0, pytest.approx(0.5, abs=0.01))


def test_all_problems_of_events_are_listed_before_the_run():
    same = [fb.Event("e", lambda s: 1.0, then=fb.Switch(on=["knee"], off=["brake"]))] * 2
    with pytest.raises(fb.InputError, match="two events 'e'") as raised:
        fb.simulate(two_links(), 1.0, events=same, switched_off=["wind"])
    for words in (
        "two events 'e'",
        "'brake', which is no",
        "switched_off switches 'wind'",
        "'knee' is switched on and",
    ):
        assert words in str(raised.value)


def test_what_needs_a_joint_that_is_switched_off_is_named():
    off = fb.Event("e", lambda s: s.t - 0.1, then=fb.Switch(off=["knee"]))
    with pytest.raises(fem.InputError, match=r"(?s)with knee switched off.*lock"):
        fb.simulate(two_links(), 1.0, events=[off], show_progress=False)


def test_a_joint_that_is_open_can_not_be_switched_on():
    bodies = ball().bodies
    weld = fb.Fixed("weld", fb.GROUND, bodies[0], point=(0, 0, 1))
    machine = fb.System(bodies, [weld], gravity=(0, 0, -GRAVITY))
    catch = fb.Event("catch", lambda s: s.t - 0.2, then=fb.Switch(on=[weld]))
    with pytest.raises(
        fb.ConvergenceError, match=r"'catch' switches on weld, which is open there by up to 0\.196"
    ):
        fb.simulate(machine, 1.0, events=[catch], switched_off=[weld], show_progress=False)


def test_joints_that_are_open_where_a_force_is_switched_off(monkeypatch: pytest.MonkeyPatch):
    """No gap is permitted here, so that the least one is too large."""
    monkeypatch.setattr("flexbody.analyses.event_loop.GAP_TOLERANCE", -1.0)
    push = fb.PointForce("push", two_links().bodies[0], (1.0, 0, 0))
    machine = replace(two_links(), forces=[push])
    off = fb.Event("off", lambda s: s.t - 0.1, then=fb.Switch(off=["push"]))
    with pytest.raises(
        fb.ConvergenceError, match=r"at event 'off' joints that stay on are open by up to \S+ m: "
    ):
        fb.simulate(machine, 0.2, events=[off], show_progress=False)


def test_runs_without_events_do_not_ask_for_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("flexbody.analyses.simulate.EventRecorder", None)
    monkeypatch.setattr("flexbody.integrators.base.CoreRun.remember", None)
    assert fb.simulate(ball(), 0.1, show_progress=False).events == ()


@pytest.mark.parametrize("method", [METHODS[0], METHODS[2]], ids=str)
def test_a_relay_that_slides_is_named(method):
    """3 N push forward where the speed falls through zero, and backward where it rises through it: it can't leave zero.

    With two levels, hysteresis, the speed goes to and fro between them by 3 m/s^2.
    """
    mass = fb.RigidBody("mass", 1.0, (0.1,) * 3, velocity=(1.0, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="x")
    back, forth = (fb.PointForce(n, mass, (f, 0, 0)) for n, f in (("back", -3.0), ("forth", 3.0)))

    def relay(level: float) -> list[fb.Event]:
        falls, rises = (
            fb.Event(name, lambda s, at=at: s.coordinate_rate("guide") - at, direction=way, then=then)
            for name, at, way, then in (
                ("down", -level, fb.Falling(), fb.Switch(on=["forth"], off=["back"])),
                ("up", level, fb.Rising(), fb.Switch(on=["back"], off=["forth"])),
            )
        )
        return [falls, rises]

    run = dict(switched_off=["forth"], integrator=method, show_progress=False)
    machine = fb.System([mass], [guide], [back, forth])
    with pytest.raises(
        fb.ConvergenceError, match=r"chatters.*drives its function back through zero at once"
    ) as error:
        fb.simulate(machine, 1.0, events=relay(0.0), **run)
    assert error.value.result.t[-1] == pytest.approx(1 / 3, rel=1e-9)
    result = fb.simulate(machine, 1.0, events=relay(0.3), **run)
    assert [event.t for event in result.events] == pytest.approx(1.3 / 3 + 0.2 * np.arange(3), rel=1e-9)
    assert [event.name for event in result.events] == ["down", "up", "down"]


# ---- runs that go on -------------------------------------------------------------------------------------


def swinging(**lock) -> fb.System:
    """A pendulum that falls from the horizontal, and a lock of its hinge."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.04, 0.04), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    lock = lock or {"rate": 0.0}
    return fb.System([bar], [hinge, fb.Drive("lock", hinge, **lock)], gravity=(0, 0, -GRAVITY))


LOCK = fb.Event(
    "lock", lambda s: s.coordinate("hinge") - 1.0, direction=fb.Rising(), then=fb.Switch(on=["lock"])
)
RUN = dict(integrator=fb.Explicit(), output_step=0.05, show_progress=False)


@pytest.fixture(scope="module")
def locked() -> fb.Result:
    return fb.simulate(swinging(), 0.5, events=[LOCK], switched_off=["lock"], **RUN)


@pytest.mark.filterwarnings("ignore:this machine is locked")
@pytest.mark.parametrize("lock", [{"rate": 0.0}, {"value": 0.0}], ids=["rate", "value"])
def test_a_run_goes_on_with_what_was_locked(lock, tmp_path: Path):
    """At the coordinate of the event, with the moment of the weight there: m g l cos 1; from a file too."""
    first = fb.simulate(swinging(**lock), 0.5, events=[LOCK], switched_off=["lock"], **RUN)
    first.save(tmp_path / "first.h5")
    moment = GRAVITY * 0.5 * np.cos(1.0)
    for start in (first, first.state(), fb.load_result(tmp_path / "first.h5")):
        second = fb.simulate(swinging(**lock), 1.0, start=start, **RUN)
        np.testing.assert_allclose(second.coordinate("hinge"), 1.0, atol=1e-9)
        np.testing.assert_allclose(np.abs(second.reaction("lock").moment[:, 1]), moment, rtol=1e-9)
    sim = fb.Stepper(swinging(**lock), start=first)
    sim.advance(0.1)
    assert sim.coordinate("hinge") == pytest.approx(1.0, abs=1e-9)


@pytest.mark.filterwarnings("ignore:this machine is locked")
def test_a_run_that_went_on_goes_on(locked):
    second = fb.simulate(swinging(), 1.0, start=locked, **RUN)
    third = fb.simulate(swinging(), 1.5, start=second, **RUN)
    np.testing.assert_allclose(third.coordinate("hinge"), 1.0, atol=1e-9)


def test_what_was_off_stays_off_in_a_run_that_goes_on(locked):
    """From before the event: the free pendulum; with the event it locks again; switched on by hand it stays there."""
    free = fb.simulate(swinging(), 0.5, switched_off=["lock"], **RUN)
    on = fb.simulate(swinging(), 0.5, start=locked.state(0.2), **RUN)
    assert on.switched_off == ("lock",)
    np.testing.assert_allclose(on.coordinate("hinge"), free.coordinate("hinge")[4:], atol=1e-6)
    again = fb.simulate(swinging(), 0.5, start=locked.state(0.2), events=[LOCK], **RUN)
    assert [event.t for event in again.events] == pytest.approx([locked.events[0].t], abs=1e-7)
    held = fb.simulate(swinging(), 0.3, start=locked.state(0.2), switched_off=[], **RUN)
    np.testing.assert_allclose(held.coordinate("hinge"), locked.coordinate("hinge")[4], atol=1e-9)


def test_a_drive_goes_on_with_another_rate():
    """From 2 rad/s to 3 rad/s at t = 0.5 s, where it is at 1 rad; the rate of the state remains the user's."""
    first = fb.simulate(swinging(rate=2.0), 0.5, **RUN)
    second = fb.simulate(swinging(rate=3.0), 1.0, start=first, **RUN)
    np.testing.assert_allclose(second.coordinate("hinge"), 1.0 + 3.0 * (second.t - 0.5), atol=1e-9)
    same = fb.simulate(swinging(rate=2.0), 1.0, start=first, **RUN)
    np.testing.assert_allclose(same.coordinate("hinge"), 2.0 * same.t, atol=1e-9)


def test_a_run_that_begins_elsewhere_is_told(locked):
    with pytest.warns(
        fem.FlexbodyWarning, match="this run begins elsewhere than the state that it goes on from, by"
    ):
        fb.simulate(swinging(value=0.7), 0.6, start=fb.simulate(swinging(value=0.5), 0.5, **RUN), **RUN)
