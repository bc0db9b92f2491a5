"""Integrators on the relative description: trees and loops, stiff or not."""

import importlib.util
import warnings
from functools import cache

import numpy as np
import pytest
import scipy
from support import chains, varied
from support.trees import slaats_tree

import flexbody as fb
from flexbody.analyses.description_choice import ITERATION_COST, choose_description
from flexbody.compile.plan import make_plan
from flexbody.equations.consistent_start import consistent_start

pytestmark = pytest.mark.slow  # together a second or more

T_END = 0.05
MACHINES = {
    **{name: lambda name=name: varied.MACHINES[name]()[0] for name in varied.MACHINES},
    "tree": lambda: slaats_tree(2, True),
}
every = pytest.mark.parametrize("name", MACHINES)


def run(machine, integrator, description, t_end=T_END, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(
            machine, t_end, integrator=integrator, description=description, show_progress=False,
            **{"output_step": t_end / 5, **options},
        )  # fmt: skip


@cache
def exact(name):
    """The motion by the explicit method in the global description, to 1e-10 or better."""
    return run(MACHINES[name](), fb.Explicit(rtol=1e-11), fb.Absolute())


def errors(name, integrator):
    """Largest errors of positions, velocities and multipliers in the relative description, over their sizes."""
    result, reference = run(MACHINES[name](), integrator, fb.Relative()), exact(name)
    values = [(getattr(result, one), getattr(reference, one)) for one in ("c", "v", "multipliers")]
    return np.array([np.abs(found - right).max() / np.abs(right).max() for found, right in values])


@every
def test_generalized_alpha_has_order_two(name):
    """Halved steps: errors fall fourfold; those of reactions too.

    (4: order two, to 2 %, since the next term of the error is smaller by the step over the times of the motion; 5 % for
    the stiffened machine, whose vibrations the quarter of the step resolves by 120 steps a period.)
    """
    step, rtol = (1e-4, 0.02) if name != "spun_up" else (2.5e-5, 0.05)
    coarse, fine = (errors(name, fb.GeneralizedAlpha(step=h)) for h in (step, step / 2))
    np.testing.assert_allclose(coarse / fine, 4.0, rtol=rtol)


@every
def test_generalized_alpha_with_error_control(name):
    """Errors as in the global description: a hundred times rtol of each body's path, or less; of reactions too."""
    assert errors(name, fb.GeneralizedAlpha(rtol=1e-6)).max() < 1e-4


def test_iterations_converge_faster_than_in_the_global_description():
    """Hinges are closed whatever the iteration: what is left to find is less."""
    machine = MACHINES["spatial"]()
    one, other = (run(machine, fb.GeneralizedAlpha(step=1e-4), d()) for d in (fb.Relative, fb.Absolute))
    assert one.statistics.iterations < 0.6 * other.statistics.iterations


@pytest.mark.parametrize("index", [2, 3])
def test_a_motion_that_is_all_prescribed(index):
    """Nothing is left to integrate, but multipliers have to be iterated: a driven four-bar linkage, redundant rows.

    Reactions to 1e-4 of the largest: h^2 times the square of the rate, (2 pi / 1000)^2, of the global description.
    """

    def bar(name, a, b):
        a, b = np.array(a, float), np.array(b, float)
        return fb.RigidBody(name, 1.0, (1e-3, 2e-3, 3e-3), center=(a + b) / 2)

    A, B, C, D = (0, 0, 0), (0.1, 0, 0), (0.35, 0, 0.2), (0.3, 0, 0)
    crank, coupler, rocker = bar("crank", A, B), bar("coupler", B, C), bar("rocker", C, D)
    joints = [
        fb.Revolute("A", fb.GROUND, crank, point=A, axis="y"),
        fb.Revolute("B", crank, coupler, point=B, axis="y"),
        fb.Revolute("C", coupler, rocker, point=C, axis="y"),
        fb.Revolute("D", fb.GROUND, rocker, point=D, axis="y"),
    ]
    machine = fb.System(
        [crank, coupler, rocker],
        [*joints, fb.Drive("drive", joints[0], rate=10.0)],
        gravity=(0, 0, -9.81),
    )
    method = fb.GeneralizedAlpha(step=2 * np.pi / 10 / 1000, index=index)
    found = run(machine, method, fb.Relative(), 2 * np.pi / 10)
    right = run(machine, fb.Explicit(rtol=1e-9), fb.Absolute(), 2 * np.pi / 10)
    np.testing.assert_allclose(found.c, right.c, atol=1e-9)
    for pin in "ABCD":
        forces = [result.reaction(pin).force for result in (found, right)]
        assert np.abs(forces[0] - forces[1]).max() < (1e-4 if index == 2 else 1e-2) * np.abs(forces[1]).max()


EXTERNAL = {"DOP853": fb.SciPy(rtol=1e-8), "Radau": fb.SciPy(scipy.integrate.Radau, rtol=1e-6)}
if importlib.util.find_spec("sksundae"):
    EXTERNAL["CVODE"] = fb.Sundials(rtol=1e-7)


@pytest.mark.parametrize("method", EXTERNAL)
@pytest.mark.parametrize("name", ["spatial", "redundant", "with_states", "tree", "geared"])
def test_integrators_of_other_packages(name, method):
    """Positions to a hundred times the tolerance of each step."""
    assert errors(name, EXTERNAL[method])[0] < 100 * EXTERNAL[method].rtol


def driven():
    """A driven hub, an arm on a ball joint that a rod holds, and a weight: a loop with a drive and Euler parameters."""
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2))
    arm = fb.RigidBody("arm", 1.0, (0.02, 0.03, 0.04), center=(0.7, 0, 0))
    waist = fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0))
    ball = fb.Spherical("ball", hub, arm, point=(0.4, 0, 0))
    rod = fb.Distance("rod", fb.GROUND, arm, first_point=(0, 0, 0.8), second_point=(1.0, 0, 0))
    turn = fb.Drive("turn", waist, value=lambda t: 0.5 * t + np.sin(4 * t))
    return fb.System([hub, arm], [waist, ball, rod, turn], gravity=(0, 0, -9.81))


@pytest.mark.parametrize("integrator", [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(), *EXTERNAL.values()])
def test_a_driven_loop(integrator):
    """Positions (1 m) and the energy balance (8 J) to a hundred times the tolerance of a step; drives to round-off."""
    found = run(driven(), integrator, fb.Relative(), 1.0)
    right = run(driven(), fb.Explicit(rtol=1e-11), fb.Absolute(), 1.0)
    assert len(found.plan.formulation.arrays["closing"]) == 1
    np.testing.assert_allclose(found.c, right.c, atol=100 * integrator.rtol)
    np.testing.assert_allclose(found.coordinate("waist"), 0.5 * found.t + np.sin(4 * found.t), atol=1e-12)
    assert found.energy.balance_error < 100 * integrator.rtol


@pytest.mark.parametrize("kind", ["alpha", "explicit"])
def test_a_stepped_machine_whose_rate_jumps(kind):
    """Velocities jump as impulses make them, and the motion goes on as in the global description.

    To a hundred times the tolerance of each step; the energy relative to the 5 J with which the bodies move at 2 rad/s.
    """
    rotor = fb.RigidBody("rotor", 2.0, (0.2, 0.2, 0.3))
    bob = fb.RigidBody("bob", 1.0, (0.01, 0.02, 0.02), center=(1.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, rotor, point=(0, 0, 0), axis="z")
    link = fb.Spherical("link", rotor, bob, point=(1, 0, 0))
    floor = fb.PointOnPlane("floor", fb.GROUND, bob, point=(1.7, 0, 0), axis="z")
    speed = fb.Input("speed", initial=2.0)
    integrator = fb.Explicit() if kind == "explicit" else fb.GeneralizedAlpha(rtol=1e-7)
    machine = fb.System([rotor, bob], [hinge, link, floor, fb.Drive("motor", hinge, rate=speed)])
    found = []
    for description in (fb.Absolute(), fb.Relative()):
        sim = fb.Stepper(machine, integrator=integrator, description=description)
        sim.advance(0.25)
        sim["speed"] = -1.0
        sim.advance(1e-6)
        speeds = sim.velocity("bob"), sim.angular_velocity("bob")
        for _ in range(5):
            sim.advance(0.1)
        found.append(
            (*speeds, sim.position("bob"), sim.coordinate("hinge"), sim.result().energy.input[-1] / 5.0)
        )
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, atol=100 * integrator.rtol)


@every
def test_the_automatic_choice(name):
    """It chooses between both methods; positions to a hundred times its default tolerance, 1e-5."""
    result = run(MACHINES[name](), fb.Automatic(), fb.Relative())
    assert result.statistics.method.startswith(("GeneralizedAlpha", "Explicit"))
    assert np.abs(result.c - exact(name).c).max() < 1e-3 * np.abs(exact(name).c).max()


@pytest.mark.parametrize("integrator", [fb.GeneralizedAlpha(), fb.SciPy()])
def test_a_drive_that_jumps_ends_the_run(integrator):
    hub = fb.RigidBody("hub", 3.0, (0.1, 0.1, 0.2))
    waist = fb.Revolute("waist", fb.GROUND, hub, point=(0, 0, 0))
    options = {"velocity": lambda t: 0.0 * t, "acceleration": lambda t: 0.0 * t}
    drive = fb.Drive("turn", waist, value=lambda t: 0.0 if t < 0.07 else 2.0, **options)
    machine = fb.System([hub], [waist, drive])
    with pytest.raises(fb.FlexbodyError, match=r"drive 'turn' jumps by 2 rad at t = 0.07 s"):
        run(machine, integrator, fb.Relative(), 0.3)


class TestChoiceOfTheDescription:
    def tried(self, name, integrator, t_end=5.0):
        """A run that is long enough for a trial, of which only the choice matters."""
        machine = MACHINES[name]()
        plan = make_plan(machine, t_end, fb.AutomaticDescription())
        return choose_description(plan, consistent_start(plan, quiet=True), integrator, t_end, t_end / 5000)

    def test_an_open_tree_with_the_explicit_method_is_relative(self):
        """Its evaluation costs a quarter, with about as many steps."""
        plan, why = self.tried("tree", fb.Explicit(), 500.0)
        assert isinstance(plan.formulation, fb.Relative)
        assert "in a trial; it has 29 unknown speeds and 0 constraints, the global one has 69 and 40" in why

    @pytest.mark.parametrize("name", ["spatial", "geared", "tree"])
    @pytest.mark.parametrize("integrator", [fb.GeneralizedAlpha(rtol=1e-7), fb.Explicit(rtol=1e-9)])
    def test_the_choice_takes_less_work(self, name, integrator):
        """The trial's ratio is that of a run, counted with the same costs.

        To 30 %: the trial takes up to a second of motion, the run 0.05 s, and the work of a second changes on the way.
        """
        plan, why = self.tried(name, integrator, 500.0)
        ratio = float(why.partition("took ")[2].partition(" times")[0])
        assert isinstance(plan.formulation, fb.Relative) == (ratio < 1)
        runs = [
            run(MACHINES[name](), integrator, description) for description in (fb.Absolute(), fb.Relative())
        ]
        assert "trial" in why
        work = [_work_of(one) for one in runs]
        assert work[1] / work[0] == pytest.approx(ratio, rel=0.3)

    def test_short_runs_are_not_tried(self):
        result = run(MACHINES["spatial"](), fb.GeneralizedAlpha(), fb.AutomaticDescription())
        assert "the run is short" in result.statistics.why
        assert not isinstance(result.plan.formulation, fb.Relative)
        result = run(MACHINES["tree"](), fb.Explicit(), fb.AutomaticDescription())
        assert isinstance(result.plan.formulation, fb.Relative)
        assert "evaluations need a recursion only" in result.statistics.why


def _work_of(result):
    plan, counts = result.plan, result.statistics
    relative = len(plan.formulation.new_tree().body) > 0
    if counts.method.startswith("Explicit"):
        return plan.formulation.evaluation_cost(plan.layout) * counts.iterations
    return (ITERATION_COST if relative else 1.0) * counts.iterations + counts.factorisations


def test_what_fades_is_zero_in_the_end():
    """A planar chain: nothing feeds the filtered multipliers across its plane, and numbers below 1e-308 are slow.

    Without care they took five times the time of all others.
    """
    plan = make_plan(chains.chain(4), 1.0, fb.Relative())
    going = fb.GeneralizedAlpha(rtol=1e-4).begin(plan, consistent_start(plan), 1.0, 1.0)
    least = np.finfo(float).tiny
    for _ in range(8):
        going.advance(1.0, 100)
        for array in going.memory:
            values = np.abs(np.asarray(array, dtype=float))
            assert not np.any((values > 0) & (values < least))
    assert going.counts.steps > 300
