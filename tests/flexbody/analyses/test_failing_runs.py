"""Runs that end early: bad steps, functions that fail, places lost, interrupts. What was computed is kept."""

import _thread
import math
import os
import shutil
import signal
import threading

import numpy as np
import pytest
import scipy
from reference import four_bar, machines
from support.hinged import ONES, pendulum

import flexbody as fb
import modal
from flexbody.files.unfinished_file import Stream

pytestmark = pytest.mark.slow  # together a second or more


@pytest.mark.parametrize("t_end", [0, -1.0, math.nan, math.inf, "1 s", None])
def test_end_of_the_run(t_end):
    with pytest.raises(
        fb.InputError, match=f"t_end is {t_end!r}; give the end of the run in seconds, above zero"
    ):
        fb.simulate(pendulum(), t_end)


@pytest.mark.parametrize("step", [0, -1e-3, math.nan, "1 ms"])
def test_steps(step):
    with pytest.raises(fb.InputError, match=f"step is {step!r}; it must be above zero and finite"):
        fb.simulate(pendulum(), 1.0, step=step)
    with pytest.raises(
        fb.InputError, match=f"output_step is {step!r}; it must be between zero and t_end = 1.0 s"
    ):
        fb.simulate(pendulum(), 1.0, output_step=step)


@pytest.mark.parametrize("how", [{"step": 2.5}, {"integrator": fb.GeneralizedAlpha(step=2.5)}])
def test_a_step_longer_than_the_run(how):
    with pytest.raises(fb.InputError, match=r"step is 2\.5 s, which is longer than the run, 1 s; reduce it"):
        fb.simulate(pendulum(), 1.0, **how)
    assert len(fb.simulate(pendulum(), 1e-3, step=1e-3).t) == 2  # as long as the run


@pytest.mark.parametrize("verb", [fb.simulate, fb.kinematics])
@pytest.mark.parametrize(
    "function", [lambda t: np.sqrt(0.5 - t), lambda t: float(np.sqrt(0.5 - abs(t))), lambda t: np.log(t)]
)
@pytest.mark.filterwarnings("error")
def test_a_drive_that_leaves_its_range(verb, function):
    """Its error says so; numpy's warnings from inside the function add nothing."""
    machine = pendulum(drives=[lambda joint: fb.Drive("d", joint, value=function)])
    with pytest.raises(fb.InputError, match=r"drive 'd': the function gives value .* at t = "):
        verb(machine, 1.0, show_progress=False)


@pytest.mark.parametrize("value", [[0.0], np.zeros(1), "fast", None])
def test_a_drive_that_gives_no_number(value):
    """In a revolute joint as in any other."""

    def drive(joint):
        return fb.Drive("d", joint, value=lambda t: value)

    with pytest.raises(fb.InputError, match="drive 'd'"):
        fb.simulate(pendulum(drives=[drive]), 1.0)


def never(t):
    raise AssertionError("the run has begun")


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere/run.h5", "can't write .*run.h5: the folder .*nowhere does not exist"),
        (".", "it is a folder; give the name of a file"),
        ("file.txt/run.h5", "does not exist|Not a directory"),
        ("x" * 300 + ".h5", "there can't be a file .*name too long"),
    ],
)
def test_a_place_that_can_not_be_written_ends_it_before_the_run(place, says, tmp_path):
    (tmp_path / "file.txt").write_text("text")
    system = pendulum(lambda b: fb.PointForce("f", b, never))
    with pytest.raises(fb.FileError, match=says):
        fb.simulate(system, 1.0, save=tmp_path / place)
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_place_lost_in_the_run_does_not_lose_the_run(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    def removes(t):
        # the file is there: times are those of the run
        running = folder.exists() and any(folder.iterdir())
        if running and t > 0.05:
            shutil.rmtree(folder)
        return 0.0, 0.0, 0.0

    with pytest.raises(fb.FileError, match=r"does not exist|No such file") as caught:
        fb.simulate(
            pendulum(lambda b: fb.PointForce("f", b, removes)), 0.1, step=0.01, save=folder / "run.h5"
        )
    assert caught.value.result.t[-1] == pytest.approx(0.1)


# ---- functions of time ---------------------------------------------------------------------------------------

FAULTY = {
    "load": lambda f: (
        pendulum(lambda b: fb.PointForce("wind", b, lambda t: (f(t), 0.0, 0.0))),
        "PointForce 'wind'",
    ),
    "actuator": lambda f: (
        pendulum(lambda b: fb.SpringDamper("jack", fb.GROUND, b, force=f, first_point=(0, 1, 0))),
        "SpringDamper 'jack': force",
    ),
    "drive": lambda f: (pendulum(drives=[lambda j: fb.Drive("motor", j, value=f)]), "drive 'motor'"),
}
NOTE = {"said": "off the table"}


def called_back(since):
    def function(t):
        if t >= since:
            raise RuntimeError(NOTE["said"])  # numba can't compile a look-up in a dictionary
        return 0.0

    return function


def compiled(since):
    def function(t):
        if t >= since and t < since + 0.02:
            raise ValueError("off the table")
        return 0.1 * t

    return function


def not_a_number(since):
    return lambda t: math.nan if t >= since else 0.1 * t


@pytest.mark.parametrize("where", FAULTY)
@pytest.mark.parametrize("kind", [called_back, compiled, not_a_number])
@pytest.mark.parametrize("since", [0.0, 0.613])
@pytest.mark.parametrize("step", [None, 0.01])
def test_functions_that_fail(where, kind, since, step, tmp_path, capfd):
    """At the start before any work, later as soon as it happens: by the law's name, with the function's own error."""
    system, name = FAULTY[where](kind(since))
    with pytest.raises(fb.InputError, match=f"{name}: the function ") as caught:
        fb.simulate(system, 1.0, step=step, save=tmp_path / "run.h5")
    text = str(caught.value)
    if kind is not_a_number:
        assert "gives" in text
        assert "nan" in text
    else:
        assert "off the table" in text
        cause = caught.value.__cause__
        assert isinstance(cause, RuntimeError | ValueError)
    assert "at t = 0" in text or "between t = 0" in text
    if since == 0.0 or not hasattr(caught.value, "result"):
        assert os.listdir(tmp_path) == []
    else:  # the run so far is kept
        assert os.listdir(tmp_path) == ["run.h5"]
        assert fb.load_result(tmp_path / "run.h5").t[-1] == caught.value.result.t[-1]
    assert "Exception ignored" not in capfd.readouterr().err
    if since > 0 and where != "drive":  # of drives, differences are tried out beforehand
        assert 0.5 < caught.value.result.t[-1] < 0.64


# ---- runs that end early -------------------------------------------------------------------------------------


def test_a_step_that_does_not_converge():
    """A pendulum at 50 rad/s by steps of 0.2 s: ten radians a step."""
    system = pendulum(angular_velocity=(0, 0, 50.0), velocity=(0, 25.0, 0))
    with pytest.raises(fb.ConvergenceError, match="the run stops at t = 0 s") as caught:
        fb.simulate(system, 5.0, step=0.2)
    text = str(caught.value)
    assert "the run stops at t = 0 s, step 0.2 s" in text
    assert "revolute joint 'hinge'" in text
    assert "try a smaller step=, or leave step= out" in text
    result = caught.value.result
    assert isinstance(result, fb.Result)
    np.testing.assert_array_equal(result.t, [0.0])
    np.testing.assert_allclose(result.position("bar"), [[0.5, 0, 0]], atol=1e-12)


def test_a_mechanism_pulled_beyond_its_reach():
    """A drive that asks for more than the linkage allows: the run so far is kept, and what stops it is named."""
    crank = fb.RigidBody("crank", 1.0, ONES, center=(0.1, 0, 0))
    link = fb.RigidBody("rod", 1.0, ONES, center=(0.35, 0.2, 0))
    slider = fb.RigidBody("slider", 1.0, ONES, center=(0.5, 0.4, 0))
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
        fb.Spherical("pin", crank, link, point=(0.2, 0, 0)),
        fb.Universal("wrist", link, slider, point=(0.5, 0.4, 0), axes=("z", "x")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.5, 0.4, 0), axis="x"),
    ]
    pull = fb.Drive("pull", joints[3], rate=1.0)
    # crank 0.2 m and rod 0.5 m reach 0.7 m: at y = 0.4 m up to x = sqrt(0.33) m, after 0.0745 s
    with pytest.raises(
        fb.ConvergenceError, match=r"the run stops at t = 0\.07.* drive 'pull' can't be followed here"
    ) as caught:
        fb.simulate(fb.System([crank, link, slider], [*joints, pull]), 1.0)
    t = caught.value.result.t
    assert 0.05 < t[-1] <= math.sqrt(0.33) - 0.5
    assert "The error's .result is the motion so far" in str(caught.value)


def test_two_drives_that_part_during_the_run():
    """Both agree at t = 0 in angle and speed; they part by 0.1 t^3, which is 1e-4 rad after 0.1 s."""
    crank = fb.RigidBody("crank", 1.0, ONES, center=(0.1, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    drives = [fb.Drive("a", main, rate=1.0), fb.Drive("b", main, value=lambda t: t + 0.1 * t**3)]
    with (
        pytest.warns(fb.RedundantConstraintWarning, match=r"drive 'a'.*drive 'b'"),
        pytest.raises(
            fb.ConvergenceError, match=r"drive '[ab]' followed from .* contradicts them now"
        ) as caught,
    ):
        fb.simulate(fb.System([crank], [main, *drives]), 1.0)
    assert 0.05 < caught.value.result.t[-1] < 0.2


class TestInterrupted:
    @pytest.fixture(autouse=True)
    def interrupts_raise(self):
        """SIGINT raises KeyboardInterrupt: processes that a shell starts in the background ignore it otherwise."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    @staticmethod
    def check(result, path):
        assert result.statistics.interrupted
        assert len(result.t) > 1
        assert result.t[-1] < 1.0
        assert np.isfinite(result.position("bar")).all()
        assert len(result.reaction("hinge").force) == len(result.t)
        loaded = fb.load_result(path)
        assert loaded.statistics.interrupted
        np.testing.assert_array_equal(loaded.t, result.t)
        assert os.listdir(path.parent) == [path.name]

    @pytest.mark.parametrize("step", [None, 1e-3])
    def test_in_a_law(self, step, tmp_path, monkeypatch):
        """Ctrl-C while a function of the user's runs."""
        stored, sent = [], []
        mark = Stream.mark
        monkeypatch.setattr(Stream, "mark", lambda self, a, n: (stored.append(n), mark(self, a, n)))

        def law(t):
            if len(stored) > 50 and not sent:
                sent.append(t)
                signal.raise_signal(signal.SIGINT)
            return 0.0, 0.0, 0.0

        system = pendulum(lambda b: fb.PointForce("f", b, law))
        self.check(fb.simulate(system, 1.0, step=step, save=tmp_path / "run.h5"), tmp_path / "run.h5")

    def test_in_the_compiled_loop(self, tmp_path):
        """Ctrl-C while compiled steps run: after the chunk of steps, a fraction of a second later."""
        system = pendulum(angular_velocity=(0, 0, 1.0), velocity=(0, 0.5, 0))
        fb.simulate(system, 1.0, step=0.1)  # compiled beforehand
        threading.Timer(0.5, _thread.interrupt_main).start()
        result = fb.simulate(system, 1.0, step=2e-8, output_step=1e-4, save=tmp_path / "run.h5")
        self.check(result, tmp_path / "run.h5")

    def test_before_the_first_output(self, tmp_path):
        """The state that the run had reached is kept, though nothing was due to be stored yet."""
        system = pendulum(angular_velocity=(0, 0, 1.0), velocity=(0, 0.5, 0))
        fb.simulate(system, 1.0, step=0.1)
        threading.Timer(0.5, _thread.interrupt_main).start()
        result = fb.simulate(system, 1.0, step=2e-8, output_step=0.5, save=tmp_path / "run.h5")
        assert len(result.t) == 2
        self.check(result, tmp_path / "run.h5")
        length = np.linalg.norm(result.position("bar"), axis=1)
        np.testing.assert_allclose(length, 0.5, rtol=1e-9)


@pytest.mark.parametrize("method", [fb.Explicit(), fb.SciPy()])
@pytest.mark.parametrize("output_step", [0.01, 0.1])
def test_methods_that_cannot_pass_a_singular_position_say_so(method, output_step):
    # IFToMM A02: the cranks lie flat for the first time at 0.70845 s (elliptic functions), where all joints depend on
    # each other. On the other side the explicit method crept, and SciPy's followed a wrong branch: 1.8 m off at 3 s.
    # SciPy's stop within a thousandth of a radian of it, a ten-thousandth of a second before.
    machine, read = machines.four_bar_machine(1)
    with pytest.raises(
        fb.ConvergenceError, match=r"at t = 0\.708[34].*comes to a singular position"
    ) as failed:
        fb.simulate(machine, 3.0, integrator=method, output_step=output_step)
    message = str(failed.value)
    assert all(joint.label in message for joint in machine.joints)
    assert "integrator=fb.GeneralizedAlpha()" in message
    result = failed.value.result
    # both keep errors below 1e-8 of the size each step; an error of 1e-6 m could follow from a hundred steps
    error = np.abs(read(result)["position"] - four_bar.first_joint(result.t, 1)[0]).max()
    assert 0.6 < result.t[-1] < 0.70845
    assert error < 1e-6


def test_generalized_alpha_passes_the_singular_position():
    machine, read = machines.four_bar_machine(1)
    result = fb.simulate(machine, 1.0, output_step=0.1)
    assert np.abs(read(result)["position"] - four_bar.first_joint(result.t, 1)[0]).max() < 1e-3


def test_an_advance_that_a_controller_makes_endless_warns_what_grows():
    """A feedback of the wrong sign multiplies the speed by 180 from sample to sample, until steps are countless."""
    arm = fb.RigidBody("arm", 1.0, (0.1, 0.1, 0.1), center=(0.5, 0, 0))
    elbow = fb.Revolute("elbow", fb.GROUND, arm, point=(0, 0, 0), axis="z")
    motor = fb.PointMoment("motor", arm, (0, 0, fb.Input("torque")))
    sim = fb.Stepper(fb.System([arm], [elbow], [motor]), integrator=fb.GeneralizedAlpha(), record=False)
    sim["torque"] = 1.0
    for _ in range(3):
        sim.advance(0.02)
        sim["torque"] = 5000 * sim.coordinate(elbow) + 3000 * sim.coordinate_rate(elbow)
    with pytest.warns(fb.FlexbodyWarning, match=r"100000 steps.*body 'arm' has reached.*'torque'.*unstable"):
        sim.advance(0.02)


@pytest.mark.filterwarnings("ignore:the time integration has lost")
def test_a_run_that_a_sampled_controller_makes_endless_warns_before_many_outputs():
    """A gain of 1e4 N m/rad turns 0.35 kg m^2 in 0.05 s by 36 times the error: k T^2 / 2 J.

    The steps from output to output stay below the number that warns; those from sample to sample do not.
    """
    arm = fb.RigidBody("arm", 1.0, (0.1, 0.1, 0.1), center=(0.5, 0, 0))
    elbow = fb.Revolute("elbow", fb.GROUND, arm, point=(0, 0, 0), axis="z")
    angle = fb.Along(elbow)
    servo = fb.Controller("servo", angle, fb.PID(kp=1e4), acts_on=angle, target=1.0, period=0.05)
    with pytest.warns(
        fb.FlexbodyWarning, match=r"100000 steps lead from t = 0.05 s.*Controller 'servo' acts"
    ):
        fb.simulate(
            fb.System([arm], [elbow], [servo]),
            0.1,
            integrator=fb.GeneralizedAlpha(),
            output_step=1e-4,
            show_progress=False,
        )


@pytest.mark.filterwarnings("ignore:the time integration has lost")
def test_a_position_that_a_controller_makes_singular_names_the_controller():
    """At 5e4 m/s a fixed step of 0.1 ms follows nothing any more; a bar on a hinge has no singular position."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    elbow = fb.Revolute("elbow", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    angle = fb.Along(elbow)
    servo = fb.Controller("servo", angle, fb.PID(kp=4e4, kd=6e4), acts_on=angle, target=0.5, period=0.01)
    machine = fb.System([bar], [elbow], [servo], gravity=(0, 0, -9.81))
    with pytest.raises(fb.ConvergenceError, match=r"singular position.*'bar' has reached.*'servo'.*unstable"):
        fb.simulate(machine, 1.0, integrator=fb.Explicit(step=1e-4), show_progress=False)


def test_a_controller_that_ends_the_first_step_is_named():
    """A target of 0.5 rad and a gain of 4e4 N m/rad: 20 kN m on 0.5 kg, which was "a deformation beyond the theory"."""
    shapes = modal.assumed.quintic()
    beam = modal.assumed.beam(1.0, mass=0.5, EI=100.0, y=shapes, polar_inertia=1e-4)
    arm = fb.FlexibleBody("arm", beam)
    elbow = fb.Revolute("elbow", fb.GROUND, arm["start"], axis="z")
    angle = fb.Along(elbow)
    servo = fb.Controller("servo", angle, fb.PID(kp=4e4, kd=6e4), acts_on=angle, target=0.5, period=0.01)
    with pytest.raises(fb.ConvergenceError, match=r"at t = 0 s.*first step fails. Controller 'servo' acts"):
        fb.simulate(
            fb.System([arm], [elbow], [servo]),
            0.1,
            integrator=fb.GeneralizedAlpha(step=1e-3),
            show_progress=False,
        )


def test_a_method_without_damping_that_does_not_keep_the_energy_warns():
    """Tolerances of a tenth are no motion any more: a pendulum gains or loses more than 2 % of its energy."""
    rod = fb.RigidBody("rod", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    pin = fb.Revolute("pin", fb.GROUND, rod, point=(0, 0, 0), axis="z")
    machine = fb.System([rod], [pin], gravity=(0, -9.81, 0))
    coarse = fb.SciPy(scipy.integrate.RK23, rtol=0.3)
    with pytest.warns(
        fb.FlexbodyWarning, match=r"the time integration has .* the motion is wrong from there on"
    ):
        fb.simulate(machine, 20.0, output_step=5.0, integrator=coarse, show_progress=False)


@pytest.mark.parametrize("integrator", [None, fb.Explicit(rtol=1e-6)], ids=["default", "explicit"])
def test_a_drive_that_reaches_the_end_of_the_motion_is_named(integrator):
    """A crank that can't turn round, since its four-bar has no bar for that (Grashof): coupler and rocker come in line.

    The crank's pin is then their lengths' sum or difference away from the other pivot. The explicit method once tried
    the same step without end.
    """
    crank, coupler, rocker, ground = 0.2, 0.44, 0.26, 0.36
    pins = np.array([[0, 0, 0], [0, crank, 0], [0, 0, 0], [ground, 0, 0.0]])
    d = np.hypot(ground, crank)
    along, across = (pins[3] - pins[1]) / d, np.array([crank, ground, 0.0]) / d
    x = (d**2 + coupler**2 - rocker**2) / (2 * d)
    pins[2] = pins[1] + x * along + np.sqrt(coupler**2 - x**2) * across
    bars = [
        fb.RigidBody(name, 1.0, (0.01,) * 3, center=pins[k : k + 2].mean(axis=0))
        for k, name in enumerate(("crank", "coupler", "rocker"))
    ]
    sides = [fb.GROUND, *bars, fb.GROUND]
    joints = [fb.Revolute(f"pin {k}", sides[k], sides[k + 1], point=pins[k]) for k in range(4)]
    machine = fb.System(bars, [*joints, fb.Drive("motor", joints[0], rate=10.0)])
    with pytest.raises(
        fb.ConvergenceError, match=r"drive 'motor' can't be followed here, because the joints"
    ) as stop:
        fb.simulate(machine, 1.0, integrator=integrator, show_progress=False)
    angle = stop.value.result.coordinate("pin 0")[-1]
    pin = crank * np.array([-np.sin(angle), np.cos(angle), 0.0])
    reach = np.linalg.norm(pins[3] - pin)
    assert min(abs(reach - coupler - rocker), abs(reach - coupler + rocker)) < 1e-4


@pytest.mark.parametrize("method", [scipy.integrate.BDF, scipy.integrate.Radau])
def test_implicit_steps_predicted_to_where_a_law_has_no_value(method):
    """They are tried again shorter; a motion that truly goes there ends with the name of the law."""

    def thrown(force):
        ball = fb.RigidBody("ball", 1.0, ONES, velocity=(3.0, 0, 0))
        rail = fb.Prismatic("rail", fb.GROUND, ball, point=(0, 0, 0), axis="x")
        wall = fb.ForceElement("wall", fb.Along(rail), fb.UserLaw(lambda t, x, rate: force(1 - x)))
        how = {"integrator": fb.SciPy(method, rtol=1e-3), "output_step": 2.0, "show_progress": False}
        return fb.simulate(fb.System([ball], [rail], [wall]), 2.0, **how).velocity(ball)[-1, 0]

    # 9/2 = v^2/2 + 2 / sqrt(1 - x) - 2, integrated by DOP853 to 1e-12; tolerance: 20 times rtol, as errors add up
    assert thrown(lambda gap: np.sqrt(1 / gap) ** 3) == pytest.approx(-3.348046, rel=2e-2)
    # 9/2 > 2/3, the work to the wall, where the speed is sqrt(9 - 4/3)
    with pytest.raises(fb.InputError, match=r"'wall': the law gives nan at t = 0\.3.* rate 2\.7"):
        thrown(np.sqrt)
