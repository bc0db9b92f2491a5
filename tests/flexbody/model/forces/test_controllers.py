"""Controllers in a run: equal to hand-made equations, to exact maps from sample to sample, and to each other."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy

import flexbody as fb

MASS, STIFFNESS, DAMPING = 2.0, 30.0, 0.5
#: moment of inertia of the pendulum about its hinge, and its restoring moment at a right angle
J, MGS = 0.12, 0.3 * 9.81

block = fb.RigidBody("block", mass=MASS, inertia=(0.1, 0.2, 0.3))
guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="x")
slide = fb.Along(guide)
spring = fb.SpringDamper(
    "spring", fb.GROUND, block, stiffness=STIFFNESS, damping=DAMPING, first_point=(-5, 0, 0)
)
bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0, 0, -0.3))
hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
angle = fb.Along(hinge)
EXACT = fb.Explicit(1e-10)


def pendulum(*forces: fb.Controller) -> fb.System:
    return fb.System([bar], [hinge], forces, gravity=(0, 0, -9.81))


def oscillator(*forces) -> fb.System:
    return fb.System([block], [guide], [spring, *forces])


def run(machine: fb.System, t_end: float, integrator=EXACT, **options) -> fb.Result:
    return fb.simulate(machine, t_end, integrator=integrator, show_progress=False, **options)


def integrated(rates, start, t_end: float) -> np.ndarray:
    return scipy.integrate.solve_ivp(rates, (0, t_end), start, method="DOP853", rtol=1e-12, atol=1e-13).y[
        :, -1
    ]


# ---- continuous controllers ------------------------------------------------------------------------


def pid_rates(t, y):
    """PID with a filtered derivative on the pendulum, whose target is t^2 / 2; y = (angle, rate, integral, filter)."""
    e = 0.5 * t * t - y[0]
    slope = (e - y[3]) / 0.02
    return [y[1], (40 * e + y[2] + 6 * slope - MGS * np.sin(y[0])) / J, 80 * e, slope]


#: the law measures the hinge and acts on it, in one element with stiffness, or acts on the body
WAYS = {"collocated": angle, "anywhere": fb.TurnAbout(bar, (0, 1, 0))}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("description", "integrator", "tolerance"),
    [
        (fb.Absolute(), EXACT, 1e-11),
        (fb.Relative(), EXACT, 1e-11),
        (fb.Absolute(), fb.SciPy(rtol=1e-10), 1e-10),
        (fb.Relative(), fb.GeneralizedAlpha(step=5e-4), 3e-6),  # order 2
    ],
)
def test_pid_is_its_equations(way, description, integrator, tolerance):
    law = fb.PID(kp=40.0, ki=80.0, kd=6.0, filter_time=0.02)
    servo = fb.Controller("servo", angle, law, acts_on=WAYS[way], target=lambda t: 0.5 * t * t)
    assert (servo.collocated is not None) == (way == "collocated")
    result = run(pendulum(servo), 0.7, integrator, description=description, output_step=0.1)
    expected = integrated(pid_rates, np.zeros(4), 0.7)
    assert result.coordinate(hinge)[-1] == pytest.approx(expected[0], abs=tolerance)
    history = result.element(servo)
    # the integral's state has the size of 10 N m
    np.testing.assert_allclose(
        [history["integral"][-1], history["filtered error"][-1]], expected[2:], atol=20 * tolerance
    )
    e = 0.5 * 0.7**2 - expected[0]
    output = 40 * e + expected[2] + 6 * (e - expected[3]) / 0.02
    assert history.output[-1] == pytest.approx(output, abs=1e3 * tolerance)
    assert history.measured[-1] == pytest.approx(expected[0], abs=tolerance)
    # what it puts in is the change of the energy
    assert result.energy.balance_error < 10 * tolerance


def test_rates_and_several_measurements_are_fed_back():
    """Angle and angular velocity of the pendulum, measured in three ways, through a law with two states."""
    matrices = dict(
        A=[[-3.0, 1.0], [0.0, -8.0]], B=[[1.0, 2.0], [0.5, -1.0]], C=[[4.0, -2.0]], D=[[9.0, 0.7]]
    )
    law = fb.LinearControl(**matrices)
    A, B, C, D = law.matrices()
    speeds = {"rate": fb.Rate(angle), "turn": fb.TurnAbout(bar, (0, 2, 0))}
    ends = []
    for speed in speeds.values():
        control = fb.Controller("control", [angle, speed], law, acts_on=angle, target=[0.4, -0.1])
        ends.append(run(pendulum(control), 0.6).coordinate(hinge)[-1])

    def rates(t, y):
        e = np.array([0.4 - y[0], -0.1 - y[1]])
        u = (C @ y[2:] + D @ e)[0]
        return [y[1], (u - MGS * np.sin(y[0])) / J, *(A @ y[2:] + B @ e)]

    np.testing.assert_allclose(ends, integrated(rates, np.zeros(4), 0.6)[0], atol=1e-11)


def test_points_and_lines_are_measured_and_pushed():
    """The pendulum's end relative to a block that slides: position, distance, force and reaction, both descriptions."""
    end = fb.RigidBody("end", mass=0.2, inertia=(1e-3, 1e-3, 1e-3), center=(0, 0, -0.6))
    weld = fb.Fixed("weld", bar, end, point=(0, 0, -0.6))
    along = fb.PointAlong(end, (1, 0, 0), point=(0, 0, -0.7), relative_to=block)
    rope = fb.Line(block, end, first_point=(0.1, 0, 0.2))
    forces = [
        fb.Controller("follow", along, fb.PID(kp=30.0, ki=20.0, kd=4.0), acts_on=along, target=0.1),
        fb.Controller("pull", rope, fb.PID(kp=10.0, kd=1.0), acts_on=along, target=0.8),
        fb.Controller(
            "turn", fb.Rate(slide), fb.PID(kp=0.5), acts_on=fb.TurnAbout(end, (0, 1, 0), relative_to=block)
        ),
        spring,
    ]
    machine = fb.System([block, bar, end], [guide, hinge, weld], forces, gravity=(0, 0, -9.81))
    results = [run(machine, 0.3, description=d, output_step=0.05) for d in (fb.Absolute(), fb.Relative())]
    for result in results:
        point = result.position(end, point=(0, 0, -0.7)) - result.position(block)
        np.testing.assert_allclose(result.element("follow").measured, point[:, 0], atol=1e-13)
        length = np.linalg.norm(result.position(end) - result.position(block, point=(0.1, 0, 0.2)), axis=1)
        np.testing.assert_allclose(result.element("pull").measured, length, atol=1e-13)
        # the loads do the work that they put in, at both ends: kp, kd and ki of rates and values are consistent
        assert result.energy.balance_error < 1e-9
        # what moves the block: the spring, and the reactions of both forces
        pushed = result.element("follow").output + result.element("pull").output
        whole = result.element("spring").second[:, 0] - pushed
        np.testing.assert_allclose(MASS * result.acceleration(block)[:, 0], whole, atol=1e-9)
    np.testing.assert_allclose(results[0].coordinate(guide), results[1].coordinate(guide), atol=1e-11)


def test_the_output_is_the_voltage_of_a_motor():
    """State feedback drives a motor with a current: linear equations of three states, solved by the exponential."""
    motor = fb.ForceElement("motor", slide, fb.ElectricMotor(0.5, 1.0, 1e-2, voltage=0.0))
    gains = fb.LinearControl(D=[[30.0, 4.0]])
    control = fb.Controller("control", [slide, fb.Rate(slide)], gains, acts_on="motor", target=[0.2, 0.0])
    result = run(oscillator(control, motor), 0.8)  # (the order in which they are listed doesn't matter)
    A = np.array([
        [0, 1, 0, 0],
        [-STIFFNESS / MASS, -DAMPING / MASS, 0.5 / MASS, 0],
        [-3000, -400 - 50, -100, 3000 * 0.2],
        [0, 0, 0, 0],
    ])  # fmt: skip
    exact = scipy.linalg.expm(A * 0.8) @ [0, 0, 0, 1]
    assert result.coordinate(guide)[-1] == pytest.approx(exact[0], abs=1e-11)
    assert result.element(motor)["current"][-1] == pytest.approx(exact[2], abs=1e-9)


def test_a_limited_integral_does_not_wind_up():
    """The equations with limits by SciPy; without anti-windup the overshoot would be several times larger."""
    law = fb.PID(kp=20.0, ki=40.0, limits=(-4.0, 4.0), tracking_time=0.1)
    control = fb.Controller("control", slide, law, acts_on=slide, target=0.1)

    def rates(t, y):
        e = 0.1 - y[0]
        wanted = 20 * e + y[2]
        u = float(np.clip(wanted, -4, 4))
        return [y[1], (u - STIFFNESS * y[0] - DAMPING * y[1]) / MASS, 40 * e + (u - wanted) / 0.1]

    result = run(oscillator(control), 2.0, fb.Explicit(1e-9))
    solved = scipy.integrate.solve_ivp(rates, (0, 2), np.zeros(3), rtol=1e-11, atol=1e-12, max_step=2e-3)
    # (the order is lost where limits set in)
    assert result.coordinate(guide)[-1] == pytest.approx(solved.y[0, -1], abs=1e-8)
    assert np.abs(result.element(control).output).max() <= 4.0


def test_linearised_states_of_controllers_are_those_of_hand_made_matrices():
    law = fb.PID(kp=40.0, ki=80.0, kd=6.0, filter_time=0.01)
    k = MGS + 40 + 600
    by_hand = np.array([
        [0, 1, 0, 0], [-k / J, 0, 1 / J, -600 / J], [-80, 0, 0, 0], [-100, 0, 0, -100],
    ])  # fmt: skip
    expected = np.sort_complex(np.linalg.eigvals(by_hand))
    for place in WAYS.values():
        for description in (fb.Absolute(), fb.Relative()):
            machine = pendulum(fb.Controller("servo", angle, law, acts_on=place))
            small = fb.linearize(machine, fb.AsDrawn(), description=description)
            A = small.state_space(inputs=[]).A
            np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(A)), expected, rtol=1e-8)


def test_a_controller_holds_an_equilibrium():
    """Without an integral the error balances the weight: 0.3 m 9.81 N sin(x) = 40 (0.5 - x)."""
    control = fb.Controller("control", angle, fb.PID(kp=40.0, kd=1.0), acts_on=WAYS["anywhere"], target=0.5)
    exact = scipy.optimize.brentq(lambda x: MGS * np.sin(x) - 40 * (0.5 - x), 0, 1, xtol=1e-14)
    found = fb.equilibrium(pendulum(control)).result.coordinate(hinge)[0]
    assert found == pytest.approx(exact, abs=1e-9)
    with pytest.raises(fb.InputError, match=r"Controller 'control'.*integrates"):
        fb.equilibrium(pendulum(replace(control, law=fb.PID(kp=40.0, ki=1.0))))


# ---- sampled controllers ---------------------------------------------------------------------------

PERIOD = 0.05


def sampled(t_end: float, delay: float, law) -> np.ndarray:
    """Return place, velocity and output of the oscillator with a sampled law, by the matrix exponential.

    ``law(e)`` returns the output for an error. Between the times at which the output changes the solution is exact.
    """
    A = np.zeros((3, 3))
    A[0, 1], A[1] = 1.0, (-STIFFNESS / MASS, -DAMPING / MASS, 1 / MASS)
    marks = np.arange(0.0, t_end + 1e-9, PERIOD)
    times = sorted({*marks.round(12), *(marks + delay).round(12), t_end})
    y, t, waiting = np.zeros(3), 0.0, []
    for now in (time for time in times if time <= t_end):
        y = scipy.linalg.expm(A * (now - t)) @ y
        t = now
        if abs(t / PERIOD - round(t / PERIOD)) < 1e-9:
            waiting.append((t + delay, law(0.3 - y[0])))
        if waiting and abs(waiting[0][0] - t) < 1e-9:
            y[2] = waiting.pop(0)[1]
    return y


def discrete_pid():
    """Return a PID law from sample to sample, with its memory."""
    memory = {"sum": 0.0, "last": None}

    def law(e: float) -> float:
        last = e if memory["last"] is None else memory["last"]
        out = 40 * e + memory["sum"] + 6 * (e - last) / PERIOD
        memory["sum"] += 80 * PERIOD * e
        memory["last"] = e
        return out

    return law


@pytest.mark.parametrize("delay", [0.0, 0.02, PERIOD, 0.12])
@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [(EXACT, 1e-12), (fb.GeneralizedAlpha(step=2e-3), 2e-5), (fb.SciPy(rtol=1e-10), 1e-11)],
)
def test_samples_are_exact_steps(delay, integrator, tolerance):
    control = fb.Controller(
        "control", slide, fb.PID(40.0, 80.0, 6.0), acts_on=slide, target=0.3, period=PERIOD, delay=delay
    )
    # the last output time lies between samples, others on them
    result = run(oscillator(control), 0.53, integrator, output_step=0.01)
    expected = sampled(0.53, delay, discrete_pid())
    assert result.coordinate(guide)[-1] == pytest.approx(expected[0], abs=tolerance)
    assert result.element(control).output[-1] == pytest.approx(expected[2], abs=200 * tolerance)
    assert result.energy.balance_error < 100 * tolerance
    # the outputs are constant between the times at which they change
    changes = np.flatnonzero(np.diff(result.element(control).output)) + 1
    offset = (result.t[changes] - delay) / PERIOD
    assert np.max(np.minimum(offset % 1, -offset % 1)) < (0.21 if delay == 0.02 else 0.41)


def test_a_delay_is_that_of_the_method_of_steps():
    """x' = -a x(t - T) by its series, R. D. Driver, Ordinary and Delay Differential Equations (1977), chapter V.

    The velocity of a free block is fed back; its samples are so dense that the error is that of the zero-order hold.
    """
    a, delay = 1.5, 0.5

    def series(t):
        """Return x(t) from x = 1 before t = 0: the sum of (-a)^k (t - (k - 1) T)^k / k!."""
        k = np.arange(int(t / delay) + 2)
        terms = (-a) ** k * (t - (k - 1) * delay) ** k / scipy.special.factorial(k)
        return float(terms[t - (k - 1) * delay >= 0].sum())

    moving = replace(block, velocity=(1.0, 0, 0))
    along = fb.Prismatic("guide", fb.GROUND, moving, point=(0, 0, 0), axis="x")
    errors = []
    for period in (0.02, 0.01):
        brake = fb.Controller(
            "brake",
            fb.Rate(fb.Along(along)),
            fb.PID(kp=a * MASS),
            acts_on=fb.Along(along),
            period=period,
            delay=delay,
        )
        result = run(fb.System([moving], [along], [brake]), 1.5, output_step=0.5)
        # before t = 0 nothing was measured: the velocity stays for one delay longer than in the series
        errors.append(abs(result.velocity(block)[-1, 0] - series(1.0)))
    assert errors[0] < 2 * a * 0.02
    # the hold is late by half a period on average: order 1
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_any_quantity_is_measured_at_samples():
    """A sampled reaction and acceleration, as they are before the output changes."""
    push = fb.PointForce("push", block, (3.0, 0, 0))
    control = fb.Controller(
        "control",
        [lambda state: state.acceleration(block)[0], lambda state: state.reaction(guide).force[2]],
        fb.UserControl(lambda t, e, x: (0.3 * MASS * e[0] + 0.01 * e[1], x + 1), states=[0.0]),
        acts_on=slide,
        period=0.1,
    )
    machine = fb.System([block], [guide], [push, control], gravity=(0, 0, -10.0))
    result = run(machine, 0.35, output_step=0.05)
    # u_k = -0.3 m a_k - 0.01 F_z with m a_k = 3 + u_(k-1), and F_z = m g, of the guide on the block
    u, expected = 0.0, []
    for _ in range(4):
        u = -0.3 * (3 + u) - 0.01 * 20
        expected += [u, u]
    np.testing.assert_allclose(result.element(control).output, expected, rtol=1e-9)
    assert result.element(control)["x1"][-1] == 4
    assert list(result.element(control).units) == ["measured 1", "measured 2", "output", "x1", "input"]


def test_a_run_in_pieces_is_that_in_one(tmp_path):
    """A run that is continued, from memory and from a file, and a Stepper give the same as one run."""
    control = fb.Controller(
        "control", slide, fb.PID(40.0, 80.0, 6.0), acts_on=slide, target=0.3, period=PERIOD, delay=0.07
    )
    other = fb.Controller(
        "other", [slide, fb.Rate(slide)], fb.LinearControl([[-3.0]], [[1.0, 2.0]], [[4.0]]), acts_on=slide
    )
    machine = oscillator(control, other)
    whole = run(machine, 1.0).coordinate(guide)[-1]
    first = run(machine, 0.53, output_step=0.01)
    assert run(machine, 1.0, start=first).coordinate(guide)[-1] == pytest.approx(whole, abs=1e-11)
    first.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded.element("control").output, first.element("control").output)
    assert run(loaded.system, 1.0, start=loaded).coordinate(guide)[-1] == pytest.approx(whole, abs=1e-11)
    stepper = fb.Stepper(machine, integrator=EXACT)
    for k in range(17):
        if k == 9:
            place = stepper.save()
        stepper.advance(1 / 17)
    assert stepper.coordinate(guide) == pytest.approx(whole, abs=1e-11)
    stepper.restore(place)
    for _ in range(8):
        stepper.advance(1 / 17)
    assert stepper.coordinate(guide) == pytest.approx(whole, abs=1e-11)


def test_events_and_switches_keep_samples():
    control = fb.Controller(
        "control", slide, fb.PID(40.0, 80.0, 6.0), acts_on=slide, target=0.3, period=PERIOD
    )
    machine = oscillator(control)
    plain = run(machine, 0.53)
    mark = fb.Event("up", lambda state: state.coordinate(guide) - 0.1)
    marked = run(machine, 0.53, events=[mark])
    assert marked.coordinate(guide)[-1] == pytest.approx(plain.coordinate(guide)[-1], abs=1e-12)
    # it is off until 0.22 s: its first sample is at 0.25 s
    later = fb.Event("on", lambda state: state.t - 0.22, then=fb.Switch(on=["control"]))
    result = run(machine, 0.26, events=[later], switched_off=["control"], output_step=0.01)
    assert np.all(np.abs(result.coordinate(guide)[:25]) < 1e-12)
    assert result.element("control").output[-1] == pytest.approx(40 * 0.3, rel=1e-9)


# ---- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(measured=lambda state: 0.0), "measures by a function.*period="),
        (dict(measured=fb.Rate(slide), law=fb.PID(kd=1.0)), "rate of a rate.*filter_time="),
        (dict(delay=0.1), "delay goes with a sampled controller"),
        (dict(measured=[slide, slide]), "measures 2 places.*has 1 inputs"),
        (dict(acts_on=[slide, slide]), "acts on 2 places.*has 1 outputs"),
        (dict(acts_on="spring"), "acts on 'spring', whose force is given too; give force=0.0"),
        (dict(acts_on="nothing"), "acts on 'nothing', which is not a force element"),
        (dict(acts_on=fb.Rate(slide)), "acts on a Rate"),
        (dict(measured=3.0), "measures 3.0"),
        (dict(target=[1.0, 2.0]), r"target is \[1.0, 2.0\]"),
        (dict(measured=fb.PointAlong(block, (0, 0, 0))), "direction is.*not all zero"),
        (dict(law=fb.PID()), "all gains are zero"),
        (dict(law=fb.PID(1.0, limits=(1, -1))), r"limits is \(1, -1\)"),
        (dict(law=fb.LinearControl(A=[[1.0, 2.0]])), "matrices do not fit"),
        (dict(measured=fb.PointAlong(bar, (0, 0, 1))), "body 'bar', which is not among"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes, words):
    given = fb.Controller("control", slide, fb.PID(1.0), acts_on=slide)
    with pytest.raises(fb.InputError, match=f"Controller 'control'.*({words})|({words})"):
        fb.System([block], [guide], [replace(spring, force=1.0), replace(given, **changes)])


def test_an_angular_velocity_has_no_rate_to_measure():
    with pytest.raises(fb.InputError, match="Rate measures the rate of a TurnAbout"):
        fb.Rate(fb.TurnAbout(block, (0, 0, 1)))


@pytest.mark.parametrize("way", WAYS)
def test_a_derivative_of_a_target_that_jumps_is_told(way):
    """The derivative of a step is infinite; a filtered one is not, and a kink has one."""
    step = fb.Controller(
        "c", angle, fb.PID(30.0, 0.0, 8.0), acts_on=WAYS[way], target=lambda t: 0.1 if t > 0.03 else 0.0
    )
    with pytest.warns(fb.FlexbodyWarning, match=r"'c': its target jumps by 0.1 at t = 0.03 s.*filter_time="):
        run(pendulum(step), 0.05, fb.GeneralizedAlpha())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(pendulum(replace(step, law=fb.PID(30.0, 0.0, 8.0, filter_time=0.01))), 0.05)
        run(pendulum(replace(step, target=lambda t: 0.1 * min(t / 0.03, 1.0))), 0.05)


def test_functions_that_fail_are_named():
    broken = fb.Controller("c", slide, fb.UserControl(lambda t, e: 1 / (t < 0.2)), acts_on=slide, period=0.1)
    with pytest.raises(
        fb.InputError, match=r"Controller 'c' at t = 0.2 s: its law fails with ZeroDivision"
    ) as failure:
        run(oscillator(broken), 1.0)
    assert failure.value.result.t[-1] == pytest.approx(0.2)
    wrong = replace(broken, law=fb.UserControl(lambda t, e: np.nan))
    with pytest.raises(fb.InputError, match="must return 1 finite numbers"):
        run(oscillator(wrong), 1.0)


def test_very_many_samples_are_announced():
    """Before the run: the warning ends it here."""
    servo = fb.Controller("servo", slide, fb.PID(kp=1.0), acts_on=slide, period=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        with pytest.raises(
            fb.FlexbodyWarning, match=r"Controller 'servo'.*1e\+07 samples, which take 8.33 min"
        ):
            run(oscillator(servo), 0.01)
    with pytest.raises(fb.InputError, match=r"Controller 'servo': the number of samples.* is 1e\+10"):
        run(oscillator(replace(servo, period=1e-12)), 0.01)
