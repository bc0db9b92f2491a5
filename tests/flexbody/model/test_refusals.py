"""What is no system, no number, no place, or in the wrong list: said in words, with the way out, before work starts."""

import dataclasses
import inspect
import math
import typing
import warnings
from functools import partial

import numpy as np
import pytest
from support.hinged import bar, hinge, pendulum

import flexbody as fb

TORQUE = fb.Input("torque")  # at module level, as a script has it

# ---- other things in the place of a system, or of a number -------------------------------------------------


@pytest.mark.parametrize(
    "verb", ["simulate", "kinematics", "elastodynamics", "equilibrium", "Stepper", "mobility"]
)
@pytest.mark.parametrize("given", [[bar()], bar(), None, fb.System])
def test_what_is_no_system(verb, given):
    more = (1.0,) if verb in ("simulate", "kinematics", "elastodynamics") else ()
    with pytest.raises(
        fb.InputError, match=rf"{verb} needs a System, but its argument is .*fb\.System\(bodies="
    ):
        getattr(fb, verb)(given, *more)


@pytest.mark.parametrize("value", ["a", None, math.nan, -1.0, 0.0, (0.1, 0.2)])
def test_times_that_are_none(value):
    sim = fb.Stepper(pendulum())
    with pytest.raises(fb.InputError, match=r"advance: dt is .*; give a time in seconds, above zero"):
        sim.advance(value)
    assert sim.t == 0.0
    with pytest.raises(fb.InputError, match="horizon is "):
        fb.Stepper(pendulum(), horizon=value)
    with pytest.raises(fb.InputError, match="t_end is "):
        fb.simulate(pendulum(), value)


def test_mobility_of_what_is_none():
    with pytest.raises(fb.InputError, match="t is 'a'; give a time"):
        fb.mobility(pendulum(), t="a")
    with pytest.raises(fb.InputError, match="state is 3; give a state or a result"):
        fb.mobility(pendulum(), state=3)


# ---- lists of a system --------------------------------------------------------------------------------------


def test_things_in_the_wrong_list():
    """All at once, each with the list that it belongs in, none with the long text of a dataclass."""
    body, joint = bar(), hinge(bar())
    load = fb.PointForce("pull", body, (1, 0, 0))
    with pytest.raises(fb.InputError, match="which belongs in joints=") as caught:
        fb.System([joint, body], [load, fb.Linear(1.0)], [body, fb.Friction])
    lines = str(caught.value).splitlines()
    for part in (
        "bodies= contains the revolute joint 'hinge', which belongs in joints=",
        "joints= contains the PointForce 'pull', which belongs in forces=",
        "joints= contains a Linear, a law; use it in ForceElement(",
        "forces= contains the RigidBody 'bar', which belongs in bodies=",
        "forces= contains the class Friction; create an object of it: Friction('name', ...)",
    ):
        assert any(part in line for line in lines), part
    assert max(map(len, lines)) < 120
    motor = fb.ElectricMotor(constant=0.1, resistance=1.0, inductance=0.01, voltage=12.0)
    with pytest.raises(fb.InputError, match=r"ElectricMotor.*use it in ForceElement\(name, Along\(joint\)"):
        fb.System([body], [joint], [motor])
    with pytest.raises(
        fb.InputError, match="uses body 'bar', and the system has no bodies; add it to bodies="
    ):
        fb.System([], [joint])
    with pytest.raises(fb.InputError, match=r"joints= is 3, not a list; give a list: joints=\[\.\.\.\]"):
        fb.System([body], 3)


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_names_that_are_none(name):
    for build in (
        lambda: fb.System([bar(name)]),
        lambda: fb.System([bar()], [hinge(bar(), name)]),
        lambda: fb.System([bar()], [], [fb.PointForce(name, bar(), (1, 0, 0))]),
    ):
        with pytest.raises(fb.InputError, match=r"contains a \w+ whose name is .*; give a string"):
            build()


def test_a_rigid_body_without_name_or_inertia():
    with pytest.raises(fb.InputError, match=r"RigidBody\(1\.0, \(1, 1, 1\), \.\.\.\) has no name"):
        fb.RigidBody(1.0, (1, 1, 1), (0, 0, 0))
    with pytest.raises(TypeError, match="RigidBody: 'inertia' must be given"):
        fb.RigidBody("arm", 1.0)


def test_other_things_in_the_place_of_bodies_are_called_by_name():
    body, joint = bar(), hinge(bar())
    for item, says in (
        (fb.PointForce("f", joint, (1, 0, 0)), "acts on the revolute joint 'hinge'; give a body"),
        (fb.ForceElement("f", joint, fb.Linear(1.0)), "along is the revolute joint 'hinge'; give a Line"),
        (
            fb.ForceElement("f", fb.Along(body), fb.Linear(1.0)),
            "acts along the RigidBody 'bar'; give a joint",
        ),
    ):
        with pytest.raises(fb.InputError, match=says):
            fb.System([body], [joint], [item])


# ---- inputs -------------------------------------------------------------------------------------------------


class Controller:
    """A user's own class, whose methods are functions of time."""

    def __init__(self, torque) -> None:
        self.torque = torque

    def load(self, t):
        return (0.0, 0.0, float(self.torque))

    __call__ = load


def test_inputs_in_functions_of_time():
    """An input in a function would count as its initial value, whatever it is set to."""
    own = fb.Input("own")
    hidden = {"torque": own}["torque"]
    functions = [
        lambda t: (0, 0, TORQUE),
        lambda t: (0, 0, 2 * hidden * math.sin(t)),
        lambda t: (0, 0, float(hidden)),
        lambda t, u=2 * own: (0, 0, u),
        partial(lambda u, t: (0, 0, u), own),
        Controller(own).load,
        Controller(own),
    ]
    for function in functions:
        with pytest.raises(
            fb.InputError, match=r"PointMoment 'motor': the function value uses Input\('(torque|own)'"
        ):
            pendulum(lambda b, f=function: fb.PointMoment("motor", b, f))
    with pytest.raises(fb.InputError, match=r"ForceElement 'law': the function force uses Input\('torque'"):
        body = bar()
        joint = hinge(body)
        law = fb.UserLaw(lambda t, x, rate: TORQUE * 1.0)
        fb.System([body], [joint], [fb.ForceElement("law", fb.Along(joint), law)])
    with pytest.raises(fb.InputError, match=r"drive 'd': the function value uses Input\('torque'"):
        pendulum(drives=[lambda joint: fb.Drive("d", joint, value=lambda t: TORQUE * t)])
    # functions without one pass, and so does the input itself
    pendulum(lambda b: fb.PointMoment("motor", b, lambda t: (0, 0, math.sin(t))))
    pendulum(lambda b: fb.PointMoment("motor", b, (0, 0, 2 * TORQUE + 1)))
    pendulum(lambda b: fb.PointMoment("motor", b, Controller(3.0)))
    fb.Stepper(pendulum(lambda b: fb.PointMoment("motor", b, (0, 0, 2 * TORQUE + 1)))).advance(0.01)


# ---- numbers that look wrong ----------------------------------------------------------------------------------


def limited(**options):
    body = bar()
    joint = hinge(body)
    return fb.System([body], [joint], [fb.Limit("stop", joint, stiffness=10.0, **options)])


def served(kind, target=90):
    """A servo on the coordinate of a joint."""
    body = bar()
    joint = kind("joint", fb.GROUND, body, point=(0, 0, 0), axis="z")
    law = fb.PositionServo(0.1, 1.0, 1e-3, gain=0.1, target=target)
    return fb.System([body], [joint], [fb.ForceElement("servo", fb.Along(joint), law)])


@pytest.mark.parametrize(
    ("system", "says"),
    [
        (limited(lower=-90, upper=90), "Limit 'stop': lower is -90 rad, which is 14.3 turns.*np.radians"),
        (limited(upper=45.0), "upper is 45 rad"),
        (pendulum(drives=[lambda j: fb.Drive("d", j, value=180.0)]), "drive 'd': value is 180 rad"),
        (served(fb.Revolute), "ForceElement 'servo': target is 90 rad, which is 14.3 turns"),
    ],
)
def test_degrees(system, says):
    with pytest.warns(fb.FlexbodyWarning, match=says):
        fb.simulate(system, 1e-3, step=1e-3)


@pytest.mark.parametrize(
    "system",
    [
        served(fb.Prismatic),
        served(fb.Revolute, target=lambda t: 90.0),
        limited(lower=-np.pi, upper=5.0),
        limited(lower=-20 * np.pi),  # ten turns
        pendulum(drives=[lambda j: fb.Drive("d", j, rate=90.0)]),
    ],
)
def test_what_is_no_angle_in_degrees(system):
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        fb.simulate(system, 1e-3, step=2e-5)


def test_negative_stiffness_has_a_way_out():
    """The law that the message names does what was wanted: a force that falls with the deformation."""
    body = bar()
    joint = hinge(body)
    with pytest.raises(fb.InputError, match=r"stiffness is -5\.0; .*law=SpringTable\(\(-1, 1\), \(5, -5\)\)"):
        fb.System([body], [joint], [fb.ForceElement("snap", fb.Along(joint), fb.Linear(-5.0))])
    with pytest.raises(fb.InputError, match=r"damping is -2; .*law=UserLaw\(lambda t, x, rate: -2 \* rate\)"):
        fb.System([body], [joint], [fb.ForceElement("snap", fb.Along(joint), fb.Linear(damping=-2))])
    snap = fb.ForceElement("snap", fb.Along(joint), fb.SpringTable((-1, 1), (5, -5)))
    push = fb.ForceElement("push", fb.Along(joint), fb.UserLaw(lambda t, x, rate: -2 * rate))
    start = dataclasses.replace(body, angular_velocity=(0, 0, 0.1), velocity=(0, 0.05, 0))
    run = fb.simulate(fb.System([start], [joint], [snap, push]), 0.05, step=1e-3)
    np.testing.assert_allclose(run.element("snap").force, -5.0 * run.coordinate("hinge"), rtol=1e-12)
    np.testing.assert_allclose(run.element("push").force, -2.0 * run.coordinate_rate("hinge"), rtol=1e-9)


def test_a_drive_without_a_value_is_named_with_the_time_at_which_it_has_none():
    """Its differences need this value much earlier."""
    build = lambda joint: fb.Drive("d", joint, value=lambda t: t if t < 0.02 else math.nan)  # noqa: E731
    with pytest.raises(fb.InputError, match=r"drive 'd': the function gives value nan, .* at t = 0\.02\d* s"):
        fb.simulate(pendulum(drives=[build]), 0.1)


@pytest.mark.parametrize(
    ("drive", "says"),
    [
        ({"value": lambda t: math.nan}, "the function gives value nan, rate nan, acceleration nan at t = 0"),
        ({"value": lambda t: t**1.5}, "the function gives value 0, rate 0, acceleration inf at t = 0"),
    ],
)
def test_what_a_drive_gives_is_called_by_name(drive, says):
    with pytest.raises(fb.InputError, match=f"drive 'd': {says}"):
        fb.simulate(pendulum(drives=[lambda joint: fb.Drive("d", joint, **drive)]), 0.1)


# ---- what can be imported -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "owner", [fb.Result, fb.Stepper, fb.State, fb.Linearization, fb.StateSpace, fb.Mobility, fb.Campbell]
)
def test_what_methods_return_can_be_imported(owner):
    """For annotations in a user's own functions: every class of ours that a public method returns is in ``fb``.

    But for ``Result.state_at``, bare numbers for the solvers.
    """
    found = []
    for name, method in inspect.getmembers(owner):
        function = method.fget if isinstance(method, property) else method
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        text = str(function.__annotations__.get("return", ""))
        module = inspect.getmodule(function)
        kind = getattr(module, text, None)
        if (
            isinstance(kind, type)
            and kind.__module__.startswith("flexbody")
            and text not in (*fb.__all__, *fb.RESULT_TYPES, "MachineState")
        ):
            found.append(f"{owner.__name__}.{name} -> {text}")
    assert not found
    assert typing.get_type_hints(fb.ElementHistory)["force"] is np.ndarray


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"t": "a"}, "t is 'a' and load_steps 1; give a time in s"),
        ({"t": None}, "t is None"),
        ({"load_steps": 0}, "load_steps 0; give a time in s and at least one step"),
        ({"load_steps": 2.5}, r"load_steps 2\.5"),
        ({"load_steps": "two"}, "load_steps 'two'"),
        ({"max_iterations": 0}, "max_iterations is 0; give at least one"),
        ({"start": "drawn"}, "start is 'drawn'; give a state, or a result"),
        ({"spin": "fast"}, "spin must be three numbers, not 'fast'"),
    ],
)
def test_equilibria(options, says):
    with pytest.raises(fb.InputError, match=says):
        fb.equilibrium(pendulum(), **options)


def test_small_motions_of_what_is_no_system():
    with pytest.raises(
        fb.InputError, match="linearize takes a system, a state or a result, and was given the Rigid"
    ):
        fb.linearize(bar())


# ---- integrators ------------------------------------------------------------------------------------------------

STEPPED = (fb.GeneralizedAlpha, fb.Explicit)
ALL = (*STEPPED, fb.Automatic, fb.SciPy, fb.Sundials)


@pytest.mark.parametrize("value", ["x", None, math.nan, math.inf, 0.0, -1e-3, (1e-3, 1e-4)])
@pytest.mark.parametrize("kind", ALL)
def test_numbers_of_integrators(kind, value):
    """Of every integrator, each of its numbers; None leaves out what may be left out."""
    names = [
        f.name
        for f in dataclasses.fields(kind)
        if f.name in ("rtol", "step", "max_step", "min_step", "newton_rtol")
    ]
    assert "rtol" in names
    for name in names:
        if value is None and (name != "rtol" or kind in (fb.Automatic, fb.GeneralizedAlpha)):
            kind(**{name: value})
            continue
        with pytest.raises(
            fb.InputError, match=rf"{kind.__name__}: {name} is .*; it must be above zero and finite"
        ):
            kind(**{name: value})


@pytest.mark.parametrize(
    ("rtol", "says"), [(1e-30, "below round-off"), (1.0, "more than the whole motion"), (1e18, "more than")]
)
@pytest.mark.parametrize("kind", ALL)
def test_a_tolerance_without_meaning_is_refused(kind, rtol, says):
    """rtol=1e18 was taken: a double pendulum was 0.37 m off after 2 s, or stopped at "a singular position"."""
    with pytest.raises(
        fb.InputError, match=rf"{kind.__name__}: rtol is .*{says}.*; give a number from 3e-14"
    ):
        kind(rtol=rtol)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: fb.GeneralizedAlpha(rho_inf="x"), "rho_inf is 'x'; it must be a number between 0 and 1"),
        (lambda: fb.GeneralizedAlpha(rho_inf=1.2), r"rho_inf is 1\.2"),
        (lambda: fb.GeneralizedAlpha(rho_inf=None), "rho_inf is None"),
        (
            lambda: fb.GeneralizedAlpha(max_iterations=0),
            "max_iterations is 0; give a whole number, at least one",
        ),
        (lambda: fb.GeneralizedAlpha(max_iterations=2.5), r"max_iterations is 2\.5"),
        (lambda: fb.GeneralizedAlpha(max_iterations=True), "max_iterations is True"),
        (lambda: fb.GeneralizedAlpha(index="3"), "index is '3'; it must be 2"),
        (
            lambda: fb.GeneralizedAlpha(min_step=1e-2, max_step=1e-3),
            r"min_step is 0\.01 s, which is above max_step, 0\.001 s",
        ),
        (lambda: fb.Explicit(min_step=1e-2, max_step=1e-3), "Explicit: min_step is"),
        (
            lambda: fb.SciPy(method=["BDF"]),
            r"method is \['BDF'\]; give one of the classes scipy.integrate.DOP853",
        ),
        (lambda: fb.simulate(pendulum(), 1.0, output_step="x"), "output_step is 'x'; it must be between"),
        (
            lambda: fb.simulate(pendulum(), 1.0, integrator=fb.Explicit),
            r"integrator is the class Explicit; write fb.Explicit\(\), with parentheses",
        ),
    ],
)
def test_settings_of_integrators(make, says):
    with pytest.raises(fb.InputError, match=says):
        make()


def test_settings_that_are_right():
    fb.GeneralizedAlpha(rho_inf=np.float64(0.5), max_iterations=np.int64(3), min_step=1e-3, max_step=1e-3)
