"""The choice of an integrator by the program: what it takes, the reasons it gives, and a choice that was wrong."""

import re
import warnings
from itertools import pairwise

import h5py
import numpy as np
import pytest
from reference import four_bar, machines
from support import cases
from support.hinged import bar, hinge, pendulum
from support.rods import rod
from support.switched import switched_block
from support.varied import MACHINES

import flexbody as fb
import modal
from flexbody.integrators import automatic as choice
from flexbody.integrators import handing_over

pytestmark = pytest.mark.slow  # together a second or more


def simulate(system, t_end, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(system, t_end, show_progress=False, **options)


@pytest.fixture
def long_runs(monkeypatch):
    """Judge short runs as if they took long."""
    monkeypatch.setattr(choice, "LONG", 0.0)


def stiff_rod():
    """A rod of steel on a hinge, 10 Hz and slower in its swing, of some 100 kHz in its highest mode."""
    structure = rod(8)
    body = fb.FlexibleBody(
        "rod", modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))
    )
    return fb.System(
        [body], [fb.Revolute("hinge", fb.GROUND, body["start"], axis="z")], gravity=(0, -9.81, 0)
    ), 0.5


class TestReasons:
    def test_a_given_integrator_and_a_given_step(self):
        system, t_end = MACHINES["spatial"]()
        told = simulate(system, t_end, integrator=fb.Explicit(rtol=1e-6)).statistics
        assert (told.method, told.why) == ("Explicit(rtol=1e-06)", "it was asked for")
        told = simulate(system, t_end, step=1e-3).statistics
        assert (told.method, told.why) == ("GeneralizedAlpha(step=0.001)", "a fixed step was asked for")
        told = simulate(system, t_end, integrator=fb.Automatic(), step=1e-3).statistics
        assert told.method == "GeneralizedAlpha(step=0.001)"

    def test_short_runs_are_left_to_generalized_alpha(self):
        told = simulate(*MACHINES["spatial"]()).statistics
        assert told.method == "GeneralizedAlpha(rtol=1e-05)"
        assert "run is short" in told.why

    def test_short_runs_that_vibrate_all_the_time_are_tried(self):
        """A slider on a spring, w = sqrt(k / m) = 300 rad/s: x = cos(w t) m, half a period for each output."""
        slider = fb.RigidBody("slider", 1.0, (1.0,) * 3)
        rail = fb.Prismatic("rail", fb.GROUND, slider, point=(0, 0, 0), axis="x")
        spring = fb.ForceElement("spring", fb.Along(rail, free_value=-1.0), fb.Linear(stiffness=300.0**2))
        result = simulate(fb.System([slider], [rail], [spring]), 1.0, output_step=0.01)
        assert result.statistics.method == "Explicit(rtol=1e-06)"
        exact = np.cos(300.0 * result.t) - 1.0
        # 50 periods with the error of 1e-6 in each of some ten steps of a period
        np.testing.assert_allclose(result.position(slider)[:, 0], exact, atol=5e-4)

    @pytest.mark.parametrize(
        ("make", "reason", "rtol"),
        [
            (
                MACHINES["with_states"],
                "ForceElement 'motor' may be stiff",
                "1e-05, up to 2.5e-05 where errors hardly add up",
            ),
            (lambda: (rubbing(), 0.2), "Friction 'rub' may be stiff or have jumps", "1e-05"),
            (stiff_rod, "vibrations of 'rod' at .* rad/s would make an explicit method cost", "1e-05"),
            (lambda: (cases.swinging().system, 1.0), "states stored every 0.002 s would make", "1e-06"),
            (lambda: (called_back(), 0.2), "can't be compiled", "1e-06"),
        ],
        ids=["states", "friction", "flexible", "outputs", "called back"],
    )
    def test_what_speaks_against_an_explicit_method(self, make, reason, rtol, long_runs):
        """The tolerance is finer where nothing vibrates: rigid bodies without force elements."""
        system, t_end = make()
        told = simulate(system, t_end).statistics
        assert told.method == f"GeneralizedAlpha(rtol={rtol})"
        assert re.search(reason, told.why), told.why

    def test_strings_are_no_integrators(self):
        with pytest.raises(fb.InputError, match="integrator is 'RK45'; give one such as"):
            fb.simulate(MACHINES["spatial"]()[0], 0.1, integrator="RK45")


def four_bar_in_space(redundant):
    """A crank of 0.1 m that turns a rocker; four revolutes, or a spherical and a universal joint at the coupler."""
    points = np.array([(0, 0, 0), (0, 0, 0.1), (0.35, 0, 0.22), (0.3, 0, 0)])
    bars = []
    masses = {"crank": 0.5, "coupler": 1.0, "rocker": 0.8}
    for (name, mass), (first, last) in zip(masses.items(), pairwise(points), strict=True):
        across = np.eye(3) * ((last - first) @ (last - first)) - np.outer(last - first, last - first)
        inertia = mass / 12 * across + 1e-5 * np.eye(3)
        bars.append(fb.RigidBody(name, mass, inertia, center=(first + last) / 2))
    crank, coupler, rocker = bars
    joints = [
        fb.Revolute("A", fb.GROUND, crank, point=points[0], axis="y"),
        fb.Revolute("B", crank, coupler, point=points[1], axis="y")
        if redundant
        else fb.Spherical("B", crank, coupler, point=points[1]),
        fb.Revolute("C", coupler, rocker, point=points[2], axis="y")
        if redundant
        else fb.Universal("C", coupler, rocker, point=points[2], axes=("y", "z")),
        fb.Revolute("D", fb.GROUND, rocker, point=points[3], axis="y"),
    ]
    return fb.System(bars, joints, gravity=(0, 0, -9.81))


def rubbing():
    body = bar()
    axle = hinge(body)
    return fb.System([body], [axle], [fb.Friction("rub", axle, load=0.1)], gravity=(0, -9.81, 0))


def stiff_mount():
    """A rotor of 1 kg at 0.2 rad/s in a mount of 1e3 rad/s."""
    body = fb.RigidBody(
        "rotor", 1.0, (0.01, 0.02, 0.025), angular_velocity=(0.2, 0, 0), velocity=(1e-3, 2e-3, 0)
    )
    mount = fb.Bushing("mount", fb.GROUND, body, stiffness=(1e6,) * 3 + (0.0,) * 3, point=(0, 0, 0))
    return fb.System([body], forces=[mount], gravity=(0, -9.81, 0))


def swinging_on_a_mount(stiffness):
    """A pendulum of 1 kg and 1 m on a body of 10 kg in a mount."""
    base = fb.RigidBody("base", 10.0, (0.1,) * 3, center=(0, 0, 0))
    bob = fb.RigidBody("bob", 1.0, (0.02,) * 3, center=(1.0, 0, 0))
    six = (stiffness,) * 3 + (0.01 * stiffness,) * 3
    mount = fb.Bushing("mount", fb.GROUND, base, stiffness=six, point=(0, 0, 0))
    joint = fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")
    return fb.System([base, bob], [joint], [mount], gravity=(0, 0, -9.81))


def hanging_in_springs(stiffness):
    """A chain of four bars, each of which hangs in a spring."""
    bars = [fb.RigidBody(f"bar {k}", 1.0, (1e-3, 0.03, 0.03), center=(0.3 + 0.6 * k, 0, 0)) for k in range(4)]
    joints = [
        fb.Revolute(f"hinge {k}", bars[k - 1] if k else fb.GROUND, bar, point=(0.6 * k, 0, 0), axis="y")
        for k, bar in enumerate(bars)
    ]
    springs = [
        fb.SpringDamper(f"spring of {bar.name}", fb.GROUND, bar, stiffness=stiffness, first_point=(0.3, 0, 3))
        for bar in bars
    ]
    return fb.System(bars, joints, springs, gravity=(0, 0, -9.81))


def called_back():
    table = {0.0: 0.0}
    return pendulum(lambda body: fb.PointForce("load", body, lambda t: (table.get(t, 0.0), 0.0, 0.0)))


class TestExplicitWhereItPays:
    def test_tight_tolerance(self):
        """The squeezer to 1e-8: the explicit method, twice over; as accurate as its own rtol says."""
        case = cases.squeezer()
        options = {"integrator": fb.Automatic(rtol=1e-8), "output_step": case.output_step}
        result = simulate(case.system, case.t_end, **options)
        assert result.statistics.method == "Explicit(rtol=1e-09)"
        assert "nothing here is stiff" in result.statistics.why
        # 1e-9 per step and 240 steps at most
        assert case.errors(result)["position"] < 3e-7
        again = simulate(case.system, case.t_end, **options)
        np.testing.assert_array_equal(again.v, result.v)
        plain = simulate(
            case.system, case.t_end, integrator=fb.Explicit(rtol=1e-9), output_step=case.output_step
        )
        np.testing.assert_array_equal(plain.v, result.v)

    def test_redundant_joints_do_not_change_the_choice(self):
        """A four-bar of four revolutes takes the steps of one without redundant rows; the implicit method 40 times.

        1e-7 in each step, against other joints at 1e-11.
        """
        mine = simulate(four_bar_in_space(redundant=True), 5.0)
        other = simulate(four_bar_in_space(redundant=False), 5.0)
        assert mine.statistics.rank == 17
        assert mine.statistics.method == other.statistics.method == "Explicit(rtol=1e-07)"
        assert mine.statistics.steps == pytest.approx(other.statistics.steps, rel=0.01)
        exact = simulate(four_bar_in_space(redundant=False), 5.0, integrator=fb.Explicit(rtol=1e-11))
        allowed = 1e-7 * mine.statistics.steps
        np.testing.assert_allclose(mine.coordinate("A"), exact.coordinate("A"), rtol=0, atol=allowed)
        assert mine.energy.balance_error < allowed

    @pytest.mark.parametrize("kind", ["SpringDamper", "ForceElement", "Bushing", "visco-elastic"])
    def test_soft_springs_of_any_kind(self, kind, long_runs):
        """The law says that it neither sets in nor jumps, whatever element it is in; the trial judges the cost."""
        body = fb.RigidBody("bob", 2.0, (0.02, 0.03, 0.04), center=(0.8, 0, 0), velocity=(0, 1.0, 0))
        line = fb.Line(fb.GROUND, body, first_point=(0, 0, 0))
        spring = {
            "SpringDamper": lambda: fb.SpringDamper(
                "spring", fb.GROUND, body, stiffness=200.0, damping=0.1, first_point=(0, 0, 0)
            ),
            "ForceElement": lambda: fb.ForceElement("spring", line, fb.Linear(200.0, 0.1)),
            "Bushing": lambda: fb.Bushing(
                "spring", fb.GROUND, body, stiffness=(200.0, 300.0, 400.0, 1.0, 2.0, 3.0), point=(0.8, 0, 0)
            ),
            "visco-elastic": lambda: fb.ForceElement("spring", line, fb.ViscoElastic(200.0, [(50.0, 0.5)])),
        }[kind]()
        system = fb.System([body], forces=[spring], gravity=(0, -9.81, 0))
        told = simulate(system, 5.0, integrator=fb.Automatic(rtol=1e-7), output_step=0.1).statistics
        assert told.method == "Explicit(rtol=1e-08)", told.why

    @pytest.mark.parametrize(
        ("make", "rtol", "other"),
        [
            # four bars that only vibrate on their springs: 11 000 implicit steps
            (lambda: (hanging_in_springs(1e7), 0.05, 1e-3), 1e-5, fb.GeneralizedAlpha()),
            # a pendulum that swings on a mount which hardly moves: 30 times as many explicit evaluations
            (lambda: (swinging_on_a_mount(1e8), 1.0, 0.02), 1e-5, fb.Explicit(rtol=1e-6)),
        ],
        ids=["springs", "mount"],
    )
    def test_the_trial_says_who_follows_a_vibration_for_less(self, make, rtol, other, long_runs):
        """The method that is chosen takes no more work than the other, in evaluations and iterations of equal cost."""
        system, t_end, output_step = make()
        run = {"output_step": output_step}
        mine = simulate(system, t_end, integrator=fb.Automatic(rtol=rtol), **run).statistics
        theirs = simulate(system, t_end, integrator=other, **run).statistics
        assert mine.method.split("(")[0] != theirs.method.split("(")[0], mine.why
        assert mine.iterations < 0.5 * theirs.iterations

    def test_a_stiff_bushing_is_not_followed_between_the_states(self, long_runs):
        """At 1e3 rad/s, 100 rad between two states; an explicit method would follow all of it.

        The rotor turns with as much as it moves, so that the implicit method follows the mount, too: it is left at the
        first state behind a tenth of the run, a fifth of it. The rest is 400 rad, a step of 13 evaluations for each.
        """
        told = simulate(stiff_mount(), 0.5, integrator=fb.Automatic(rtol=1e-6), output_step=0.1).statistics
        assert "a force element vibrates at 1e+03 rad/s, faster than states are stored" in told.why
        assert 0.05 < float(re.search(r"explicit from t = (\S+) s on", told.why)[1]) < 0.2
        alone = fb.GeneralizedAlpha(rtol=1e-6)
        other = simulate(stiff_mount(), 0.5, integrator=alone, output_step=0.1).statistics
        assert told.iterations < 0.2 * other.iterations + 13 * 400

    def test_it_is_cheaper_indeed(self, long_runs):
        """Half the work of the implicit one or less, at no larger an error, wherever it is taken by itself."""
        taken = 0
        for make in (cases.swinging, cases.top, cases.free_body, cases.squeezer):
            case = make()
            mine = simulate(case.system, case.t_end, output_step=case.output_step)
            if not mine.statistics.method.startswith("Explicit"):
                continue
            taken += 1
            other = case.run(rtol=1e-6)  # the default of rigid machines
            work = other.statistics.iterations + other.statistics.factorisations
            assert (
                mine.plan.formulation.evaluation_cost(mine.plan.layout) * mine.statistics.iterations
                < 0.7 * work
            )
            for quantity, error in case.errors(mine).items():
                assert error < case.errors(other)[quantity], quantity
        assert taken > 0


class TestHandingOver:
    @pytest.mark.parametrize("t_end", [1.5, 0.75])
    def test_four_bar_through_its_singular_position(self, t_end, long_runs):
        """IFToMM A02: the trial finds nothing stiff, the flat cranks at 0.714 s do; tolerance as in test_benchmarks.

        Also where less than an output interval is left.
        """
        system, read = machines.four_bar_machine()
        result = simulate(system, t_end, integrator=fb.Automatic(rtol=1e-7), output_step=0.1)
        assert result.statistics.method == "GeneralizedAlpha(rtol=1e-07)"
        why = result.statistics.why  # of both methods
        assert why.startswith("explicit to t = 0.7 s, because nothing here is stiff")
        assert "; implicit from t = 0.7 s on, because " in why
        where, _ = four_bar.first_joint(result.t)
        # one passage: errors grow threefold; 1.5 s of 30 m in 10 s
        assert np.abs(read(result)["position"] - where).max() < 1e-7 * 4.5 * 10
        assert result.energy.balance_error < 1e-6

    def test_too_dear(self, long_runs, monkeypatch):
        """A trial that was wrong: the run goes on with the implicit method, its energies and counts go on as well.

        An explicit method follows the mount at 1e4 rad/s, 200 rad between two states, beside a pendulum that swings.
        """

        def wrong(trial, *methods):
            trial.allowed, trial.why = 4e4, "the trial was wrong"

        monkeypatch.setattr(choice._Trial, "compare", wrong)
        machine, output = swinging_on_a_mount(1e9), {"output_step": 0.02}
        result = simulate(machine, 0.8, integrator=fb.Automatic(rtol=1e-5), **output)
        told = result.statistics
        assert "because it took less work than the explicit method" in told.why
        assert told.method == "GeneralizedAlpha(rtol=1e-05)"
        followed = simulate(machine, 0.8, integrator=fb.Explicit(rtol=1e-6), **output)
        assert told.iterations < 0.5 * followed.statistics.iterations
        # rtol of the way, 1.5 m, and ten for growth; the mount yields 3e-8 m
        np.testing.assert_allclose(result.position("bob"), followed.position("bob"), atol=1.5e-4)
        assert result.energy.balance_error < 1e-4

    def test_a_budget_that_the_implicit_method_would_exceed_too(self, long_runs, monkeypatch):
        """A top is cheaper for the explicit method from its beginning to its end, whatever the trial said."""
        begin = choice.Automatic.begin

        def poor(*arguments):
            run = begin(*arguments)
            run.work_rate *= 1e-3
            return run

        monkeypatch.setattr(choice.Automatic, "begin", poor)
        case = cases.top()
        method = {"integrator": fb.Automatic(rtol=1e-7), "output_step": case.output_step}
        told = simulate(case.system, case.t_end, **method).statistics
        assert told.method == "Explicit(rtol=1e-08)", told.why


class TestImplicitHandsOver:
    """A block that is put on undamped contacts vibrates by its own sag: z = -g (1 - cos w t) / w^2, w^2 = 4 k / m.

    The implicit method alone takes 490 steps a period and turns the phase by 3e-4; it is left after the first two.
    """

    K, T = 1e6, 0.05

    @pytest.fixture(autouse=True)
    def looked_at_soon(self, monkeypatch):
        monkeypatch.setattr(handing_over, "LOOK_EVERY", 0.003)
        monkeypatch.setattr(handing_over, "WORTH_WHILE", 0.01)

    #: A ball that bounces once in 4 ms beside the block: each rebound begins a run of its own.
    BOUNCE = fb.Event("bounce", lambda s: s.position("ball")[2], direction=fb.Falling(), then=fb.Rebound(1.0))

    def machine(self, *others):
        block = fb.RigidBody("block", 1.0, (2e-3,) * 3, center=(0, 0, 0.05))
        shapes = fb.Plane(fb.GROUND), fb.Box(block, (0.1, 0.1, 0.1))
        floor = fb.Contact("floor", *shapes, stiffness=self.K, exponent=1.0)
        return fb.System([block, *others], forces=[floor], gravity=(0, 0, -9.81))

    def with_ball(self):
        return self.machine(fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(1, 0, 2e-5)))

    def simulate(self, *others, **options):
        return simulate(self.machine(*others), self.T, output_step=self.T / 50, **options)

    def check(self, result):
        told = result.statistics
        assert told.method == "Explicit(rtol=1e-08)"
        assert told.steps < 2000
        w = np.sqrt(4 * self.K)
        sag = 9.81 / w**2
        height = 0.05 - sag * (1 - np.cos(w * result.t))
        np.testing.assert_allclose(result.position("block")[:, 2], height, atol=2e-3 * sag)
        assert result.energy.balance_error < 1e-5

    def test_a_block_on_undamped_contacts(self):
        result = self.simulate()
        self.check(result)
        assert "; explicit from t = 0.0" in result.statistics.why

    def test_the_time_of_an_event_in_a_run_that_hands_over(self):
        """The block passes the middle of its way down at T_0 / 4 + k T_0, T_0 = 2 pi / w."""
        w = np.sqrt(4 * self.K)
        level = 0.05 - 9.81 / w**2
        passes = fb.Event("passes", lambda s: s.position("block")[2] - level, direction=fb.Falling())
        result = self.simulate(events=[passes])
        self.check(result)
        times = [event.t for event in result.events]
        exact = np.pi / (2 * w) + np.arange(len(times)) * 2 * np.pi / w
        assert len(times) == 16
        np.testing.assert_allclose(times, exact, atol=2e-3 / w)

    def check_bounces(self, result):
        """The ball falls from 20 um and comes back each 2 sqrt(2 h / g); it takes with it what was measured."""
        self.check(result)
        assert "; explicit from t = 0.0" in result.statistics.why
        half = np.sqrt(2 * 2e-5 / 9.81)
        times = [event.t for event in result.events]
        np.testing.assert_allclose(times, half * (2 * np.arange(12) + 1), rtol=1e-6)

    def test_not_where_rank_was_lost_before_an_event(self, monkeypatch):
        """Constraints that have lost rank once may do so again, in a run behind an event too."""
        begin = choice.Automatic.begin

        def lost(*arguments):
            run = begin(*arguments)
            run.counts.rank_losses = 1
            return run

        monkeypatch.setattr(choice.Automatic, "begin", lost)
        monkeypatch.setattr(handing_over, "LOOK_EVERY", 3e-4)
        monkeypatch.setattr(handing_over, "WORTH_WHILE", 1e-3)
        result = simulate(self.with_ball(), 0.2 * self.T, output_step=self.T / 50, events=[self.BOUNCE])
        assert len(result.events) > 1
        assert "explicit from" not in result.statistics.why

    def test_beside_rebounds(self):
        result = simulate(self.with_ball(), self.T, output_step=self.T / 50, events=[self.BOUNCE])
        self.check_bounces(result)

    def stepped(self, sim):
        while sim.t < 0.999 * self.T:
            sim.advance(self.T / 50)
        return sim.result()

    def test_a_stepper(self):
        """It takes the steps of a run; a saved state from before the change of the method has the same future."""
        sim = fb.Stepper(self.machine(), horizon=self.T)
        sim.advance(self.T / 500)
        saved = sim.save()
        sim.advance(self.T / 50 - self.T / 500)
        result = self.stepped(sim)
        self.check(result)
        assert abs(result.statistics.steps - self.simulate().statistics.steps) < 20
        sim.restore(saved)
        assert sim.now.statistics.method == "GeneralizedAlpha(rtol=1e-05)"
        sim.advance(self.T / 50 - self.T / 500)
        again = self.stepped(sim)
        np.testing.assert_array_equal(again.q, result.q)
        np.testing.assert_array_equal(again.c, result.c)
        assert again.statistics.steps == result.statistics.steps

    def test_a_stepper_with_rebounds(self):
        self.check_bounces(self.stepped(fb.Stepper(self.with_ball(), horizon=self.T, events=[self.BOUNCE])))


class TestExplicitGetsStuck:
    def test_it_says_so_at_once(self):
        """In a singular position no step is small enough: steps of a nanosecond would take hours."""
        system, _ = machines.four_bar_machine()
        with pytest.raises(fb.ConvergenceError, match=r"stops at t = 0\.714.*singular position"):
            fb.simulate(system, 10.0, integrator=fb.Explicit(rtol=1e-8), output_step=0.1, show_progress=False)


def test_files_of_earlier_programs_have_no_method(tmp_path):
    path = tmp_path / "run.h5"
    system, t_end = MACHINES["spatial"]()
    result = simulate(system, t_end, save=path)
    assert fb.load_result(path).statistics == result.statistics
    with h5py.File(path, "r+") as file:
        del file["statistics"].attrs["method"], file["statistics"].attrs["why"]
    old = fb.load_result(path).statistics
    assert (old.method, old.why, old.steps) == ("", "", result.statistics.steps)


def test_it_continues_with_the_explicit_method_where_events_switch_a_force():
    """An event each 5 ms, behind which a stiff damped mount rings: examining them takes most of the time.

    The implicit method alone takes 600 steps for a period at 1e-5: its error 0.09 (w h)^2 limits them. The explicit
    one takes 125 steps between the states, and less than 20 behind each of nine jumps, after 300 of the other.
    """
    machine, exact, switched = switched_block()
    result = simulate(machine, 0.05, output_step=4e-4, events=switched)
    told = result.statistics
    assert len(result.events) >= 9
    assert "; explicit from t = 0.0" in told.why
    assert told.why.count("explicit from") == 1
    assert told.steps < 300 + 125 + 9 * 20
    # 0.35 % of 0.1 mm may add up in the time in which damping takes errors away
    np.testing.assert_allclose(result.position("block")[:, 2], exact(result.t), atol=3.5e-3 * 1e-4)
