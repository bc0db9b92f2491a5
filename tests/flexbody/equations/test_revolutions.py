"""Angles over many revolutions: however coarse the output, in files, in restarts, and about states after several."""

import warnings

import numpy as np
import pytest
from support.hinged import hinge

import flexbody as fb
from flexbody.integrators import automatic as choice

INERTIA, SPRING = 0.03, 0.48  # kg m^2, Nm/rad: 4 rad/s
TOP = 80.0  # rad/s: the wheel goes 20 rad to either side


@pytest.fixture(autouse=True)
def nothing_to_warn_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        yield


def wheel(name="wheel", place=(0.0, 0.0, 0.0), **options):
    return fb.RigidBody(name, 1.0, (0.02, 0.02, INERTIA), center=place, **options)


def spiral(joint):
    """A linear spiral spring, as a table."""
    return fb.ForceElement(
        "spring", fb.Along(joint), fb.SpringTable((-1e3, 0.0, 1e3), (-1e3 * SPRING, 0.0, 1e3 * SPRING))
    )


def wound():
    """A wheel on a spiral spring: 20 sin 4t. A second one is geared to it and turns half as fast the other way."""
    first, second = (
        wheel(angular_velocity=(0, 0, TOP)),
        wheel("other", (0.2, 0, 0), angular_velocity=(0, 0, -TOP / 2)),
    )
    one, two = hinge(first), hinge(second, "shaft", point=(0.2, 0, 0))
    gear = fb.Gear("gear", one, two, ratio=2.0)
    # the second wheel's inertia counts a quarter
    strong = SPRING * 1.25
    spring = fb.ForceElement(
        "spring", fb.Along(one), fb.SpringTable((-1e3, 0.0, 1e3), (-1e3 * strong, 0.0, 1e3 * strong))
    )
    return fb.System([first, second], [one, two, gear], [spring])


def check(run, tolerance=2e-4):
    """Angles, the spring's energy and its history; turns that are missed would be 6.28."""
    angle = 20.0 * np.sin(4.0 * run.t)
    # both angles start at zero; errors as the integrators' rtol allows, of 20 rad
    np.testing.assert_allclose(run.coordinate("hinge"), angle, atol=20 * tolerance)
    np.testing.assert_allclose(run.coordinate("shaft"), -angle / 2, atol=20 * tolerance)
    np.testing.assert_allclose(run.element("spring").deformation, angle, atol=20 * tolerance)
    stored = 0.5 * 1.25 * SPRING * angle**2
    np.testing.assert_allclose(run.energy.strain, stored, atol=2 * tolerance * stored.max() + 1e-3)


class TestCoarseOutput:
    @pytest.mark.parametrize("output_step", [0.02, 0.9, 2.0])
    @pytest.mark.parametrize(
        "integrator", [None, fb.Explicit(rtol=1e-6), fb.SciPy(rtol=1e-6), fb.Sundials(stiff=False, rtol=1e-7)]
    )
    def test_a_spring_and_a_gear(self, integrator, output_step):
        """The same at fine and at coarse output: at 0.9 s more than 10 turns may lie between states."""
        check(fb.simulate(wound(), 2.0, integrator=integrator, output_step=output_step))

    @pytest.mark.parametrize("integrator", [None, fb.Explicit(), fb.GeneralizedAlpha(step=0.01)])
    @pytest.mark.parametrize("spring", [True, False])
    def test_a_driven_wheel(self, integrator, spring):
        """From rest to 100 rad/s and 16 turns between two states, whether a force needs the angle or not."""
        body = wheel()
        joint = hinge(body)
        joints = [joint, fb.Drive("drive", joint, value=lambda t: 25.0 * t**2)]
        machine = fb.System([body], joints, [spiral(joint)] if spring else [])
        run = fb.simulate(machine, 2.0, integrator=integrator, output_step=2.0)
        assert len(run.t) == 2
        np.testing.assert_allclose(run.coordinate("hinge"), [0.0, 100.0], atol=1e-6)
        np.testing.assert_allclose(
            run.energy.strain[-1], 0.5 * SPRING * 100.0**2 if spring else 0.0, rtol=1e-6
        )
        np.testing.assert_allclose(run.to_xarray().angle_hinge[-1], 100.0, rtol=1e-8)

    def test_kinematics(self):
        """Also the drive's moment: that of the spring, and of the inertia."""
        body = wheel()
        joint = hinge(body)
        drive = fb.Drive("drive", joint, value=lambda t: 25.0 * t**2)
        run = fb.kinematics(fb.System([body], [joint, drive], [spiral(joint)]), 2.0, output_step=2.0)
        np.testing.assert_allclose(run.coordinate("hinge"), [0.0, 100.0], atol=1e-9)
        np.testing.assert_allclose(
            run.reaction("drive").moment[-1, 2], 100.0 * SPRING + 50.0 * INERTIA, rtol=1e-9
        )
        np.testing.assert_allclose(run.energy.strain[-1], 0.5 * SPRING * 100.0**2, rtol=1e-9)

    def test_every_kind_of_angle(self):
        """A universal joint's first angle, and a free body's, which nothing uses; 0.9 s apart and 1 ms."""

        def run(output_step):
            cross, free = (
                wheel("cross", angular_velocity=(0, 0, 40.0)),
                wheel("free", angular_velocity=(0, 0, -30.0)),
            )
            joints = [
                fb.Universal("universal", fb.GROUND, cross, point=(0, 0, 0), axes=("z", "x")),
                fb.Floating("floating", fb.GROUND, free, point=(0, 0, 0)),
            ]
            push = fb.PointMoment("push", cross, lambda t: (0.0, 0.0, 1.5 * np.sin(5.0 * t)))
            found = fb.simulate(fb.System([cross, free], joints, [push]), 1.8, output_step=output_step)
            names = [(joint, which) for joint in joints for which in joint.coordinates]
            return {(joint.name, which): found.coordinate(joint, which)[[0, -1]] for joint, which in names}

        coarse, fine = run(1.8), run(1e-3)
        assert abs(fine["universal", "angle_1"][1]) > 60
        assert fine["floating", "angle_z"][1] < -50
        for key, values in fine.items():
            np.testing.assert_allclose(coarse[key], values, atol=4e-3, err_msg=str(key))

    def test_stepping_from_outside(self):
        sim = fb.Stepper(wound())
        sim.advance(0.35)
        before = sim.save()
        for _ in range(2):
            sim.advance(0.85)
            np.testing.assert_allclose(sim.coordinate("hinge"), 20.0 * np.sin(4.0 * sim.t), atol=4e-3)
            np.testing.assert_allclose(sim.now.coordinate("shaft"), -10.0 * np.sin(4.0 * sim.t), atol=2e-3)
            check(sim.result())
            sim.restore(before)

    def test_from_one_method_to_the_other(self, monkeypatch):
        """A run that is handed over keeps its turns."""
        monkeypatch.setattr(choice, "LONG", 0.0)
        body = wheel(angular_velocity=(0, 0, 30.0))
        push = fb.PointMoment("push", body, (0.0, 0.0, 1.5))
        machine = fb.System([body], [hinge(body)], [push])
        monkeypatch.setattr(
            choice.HandingOver, "work_rate", property(lambda s: s.most, lambda s, x: None), raising=False
        )
        monkeypatch.setattr(choice.HandingOver, "most", np.inf, raising=False)
        monkeypatch.setattr(choice._Trial, "compare", lambda trial, *methods: None)

        copy = choice.HandingOver._copy

        def copied(run):
            if run.t > 2.5:
                choice.HandingOver.most = 0.0
            return copy(run)

        monkeypatch.setattr(choice.HandingOver, "_copy", staticmethod(copied))
        run = fb.simulate(machine, 4.0, output_step=0.7)
        assert "implicit" in run.statistics.why
        np.testing.assert_allclose(run.coordinate("hinge"), 30.0 * run.t + 25.0 * run.t**2, rtol=1e-6)


class TestGoingOn:
    @pytest.mark.parametrize("way", ["result", "state", "file", "cut short"])
    def test_from_one_state_after_several_revolutions(self, way, tmp_path, monkeypatch):
        """As without the stop; kept in a result, a state, a file, and the file of a run that was killed."""
        options = {"output_step": 1.3} | (
            {"save": tmp_path / "run.h5"} if way in ("file", "cut short") else {}
        )
        if way == "cut short":
            monkeypatch.setattr(
                "flexbody.files.unfinished_file.save_result",
                lambda *_: (_ for _ in ()).throw(fb.FileError("killed")),
            )
            with pytest.raises(fb.FileError, match="killed"):
                fb.simulate(wound(), 1.3, **options)
            with pytest.warns(fb.FlexbodyWarning, match="cut short"):
                before = fb.load_result(tmp_path / "run.unfinished.h5")
        else:
            before = fb.simulate(wound(), 1.3, **options)
        if way == "file":
            before = fb.load_result(tmp_path / "run.h5")
        assert len(before.t) == 2
        check(before)
        after = fb.simulate(
            wound(), 3.0, start=before.state() if way == "state" else before, output_step=0.85
        )
        assert after.t[0] == before.t[-1]
        check(after, 4e-4)

    def test_a_spring_that_is_hung_in_later(self):
        """The first machine has no use for the angle; the second one finds it over all turns."""
        body = wheel(angular_velocity=(0, 0, TOP))
        joint = hinge(body)
        before = fb.simulate(fb.System([body], [joint]), 0.5, output_step=0.5)
        after = fb.simulate(
            fb.System([body], [joint], [spiral(joint)]), 0.5 + np.pi / 4, start=before, output_step=0.7
        )
        # half a period later the wheel is on the other side
        np.testing.assert_allclose(after.coordinate("hinge")[[0, -1]], [40.0, -40.0], atol=0.01)


def progressive(moment=1.0):
    """A spiral spring of 0.05 Nm/rad that stiffens to 0.1 at 10 rad: 1 Nm winds it by 15 rad."""
    body = wheel()
    joint = hinge(body)
    table = fb.SpringTable((-10.0, 0.0, 10.0, 30.0), (-0.5, 0.0, 0.5, 2.5))
    push = fb.PointMoment("push", body, (0.0, 0.0, moment))
    return fb.System([body], [joint], [fb.ForceElement("spring", fb.Along(joint), table), push])


class TestStates:
    def test_an_equilibrium_after_several_revolutions(self):
        """Its energy, its frequencies, a run and another search from there: all know that the spring is wound."""
        state = fb.equilibrium(progressive())
        np.testing.assert_allclose(state.coordinate("hinge"), 15.0, rtol=1e-9)
        energy = 0.5 * 0.05 * 10.0**2 + 0.5 * 5.0 + 0.5 * 0.1 * 5.0**2
        np.testing.assert_allclose(state.result.energy.strain, energy, rtol=1e-9)
        with warnings.catch_warnings():  # nothing but a spring and a moment, which balance to the last bit
            warnings.filterwarnings("ignore", ".*not an equilibrium.*", fb.FlexbodyWarning)
            found = fb.linearize(state)
        np.testing.assert_allclose(found.frequencies_hz, np.sqrt(0.1 / INERTIA) / (2 * np.pi), rtol=1e-9)
        np.testing.assert_allclose(found.motion(0, size=0.05).coordinate("hinge"), 15.0, atol=0.06)
        run = fb.simulate(progressive(), 0.1, start=fb.Equilibrium())
        np.testing.assert_allclose(run.coordinate("hinge"), 15.0, rtol=1e-9)
        again = fb.equilibrium(progressive(1.2), start=state)
        np.testing.assert_allclose(again.coordinate("hinge"), 17.0, rtol=1e-9)
        assert again.iterations < 20

    def test_small_motions_about_a_state_of_a_run(self):
        """By one state after two turns, where the spring is the stiffer one."""
        body = wheel()
        joint = hinge(body)
        drive = fb.Drive("drive", joint, value=lambda t: 15.0 * np.sin(np.pi / 2 * t))
        spring = progressive().forces[0]
        spring = fb.ForceElement("spring", fb.Along(joint), spring.law)
        run = fb.simulate(fb.System([body], [joint, drive], [spring]), 1.0, output_step=0.7)
        state = run.state(1.0)
        free = fb.System([body], [joint], [spring])
        start = fb.simulate(free, 1.0 + 1e-6, start=state, integrator=fb.GeneralizedAlpha(step=1e-7))
        with pytest.warns(fb.FlexbodyWarning, match="not an equilibrium"):
            found = fb.linearize(start)
        np.testing.assert_allclose(found.frequencies_hz, np.sqrt(0.1 / INERTIA) / (2 * np.pi), rtol=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 3.0, 10.0])
def test_a_gear_turns_on_the_way_to_equilibrium(ratio):
    """An arm drawn level hangs down in the end, its shaft turned by ratio times a quarter turn."""
    arm = fb.RigidBody("arm", 1.0, (0.01, 0.08, 0.08), center=(0.5, 0, 0))
    shaft = fb.RigidBody("shaft", 0.1, (1e-4, 1e-4, 1e-4), center=(-0.1, 0, 0.05))
    swing = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    other = fb.Revolute("other", fb.GROUND, shaft, point=(-0.1, 0, 0.05), axis="y")
    machine = fb.System(
        [arm, shaft], [swing, other, fb.Gear("gear", other, swing, ratio=ratio)], gravity=(0, 0, -9.81)
    )
    state = fb.equilibrium(machine)
    np.testing.assert_allclose(state.position(arm), (0, 0, -0.5), atol=1e-9)
    # and a run from there stays
    for start in (state, fb.Equilibrium()):
        run = fb.simulate(machine, 0.1, start=start)
        np.testing.assert_allclose(run.position(arm)[-1], (0, 0, -0.5), atol=1e-7)
        np.testing.assert_allclose(run.coordinate("other")[-1], state.coordinate("other"), atol=1e-6)
