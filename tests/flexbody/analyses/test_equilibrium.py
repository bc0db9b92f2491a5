"""Equilibrium and steady turning: against statics by hand, against long damped runs, and what is refused."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from reference import machines
from support import beams

import flexbody as fb

G = 9.81
DOWN = (0, -G, 0)


def bar(name="bar", length=1.0, mass=1.0, start=(0, 0, 0), direction=(1, 0, 0)):
    """A slender bar with its two ends as markers, "from" and "to"."""
    a, along = np.asarray(start, float), np.asarray(direction, float)
    spread = np.eye(3) - np.outer(along, along)
    inertia = mass * length**2 / 12 * (spread + 1e-4 * np.eye(3))
    ends = {"from": a, "to": a + length * along}
    return fb.RigidBody(name, mass, inertia, center=a + 0.5 * length * along, markers=ends)


def hinge(body, name="hinge", first=fb.GROUND, point=(0, 0, 0), axis="z"):
    return fb.Revolute(name, first, body, point=point, axis=axis)


def test_loads_come_up_in_steps_beside_a_constraint_that_is_called_back():
    """A constant force on a spring, x = F / k; a function that compares values is called back."""
    bead = fb.RigidBody("bead", 1.0, (1e-3,) * 3)
    machine = fb.System(
        [bead],
        [fb.Constraint("wall", bead, position=lambda t, a: a.r[2] if a.r[0] > -9 else a.r[1])],
        [
            fb.Bushing("mount", fb.GROUND, bead, stiffness=np.diag([100.0] * 3 + [1.0] * 3), point=(0, 0, 0)),
            fb.PointForce("push", bead, (10.0, 0, 0)),
            fb.PointForce("lift", bead, lambda t: (0, 5.0 + t, 0)),
        ],
    )
    found = fb.equilibrium(machine, load_steps=3)
    np.testing.assert_allclose(found.position(bead), (0.1, 0.05, 0), atol=1e-9)


class TestAtRest:
    @pytest.mark.parametrize("angle", [0.0, 0.5, 1.5, -3.0])
    def test_pendulum_falls_to_the_bottom(self, angle):
        """From any side, the exactly horizontal one with no stiffness at all included; the hinge carries m g."""
        body = bar(direction=(np.cos(angle), np.sin(angle), 0))
        joint = hinge(body)
        state = fb.equilibrium(fb.System([body], [joint], gravity=DOWN))
        np.testing.assert_allclose(state.position(body), [0, -0.5, 0], atol=1e-12)
        np.testing.assert_allclose(state.reaction(joint).force, [0, G, 0], atol=1e-10)
        assert not state.v.any()
        assert not state.vdot.any()
        assert state.indifferent == ()

    @pytest.mark.parametrize("mass", [1e-3, 1e-6])
    def test_light_beside_heavy(self, mass):
        """A light pendulum held horizontally falls, though 1e6 kg beside it are in balance to its weight."""
        body = bar(mass=mass)
        anvil = fb.RigidBody("anvil", 1e6, (1e6,) * 3, center=(5, 0, 0))
        base = fb.Fixed("base", fb.GROUND, anvil, point=(5, 0, 0))
        joint = hinge(body)
        state = fb.equilibrium(fb.System([body, anvil], [joint, base], gravity=DOWN))
        np.testing.assert_allclose(state.position(body), [0, -0.5, 0], atol=1e-9)
        assert state.indifferent == ()

    @pytest.mark.parametrize("order", [1, -1])
    def test_light_bar_between_heavy_loads(self, order):
        """A chain of ball joints, one bar 1e7 times heavier: straight down, stable, in about a hundred steps.

        At the light bar the reactions nearly balance each other: they count each by itself.
        """
        first = bar("first", mass=1e-3, direction=(0.6, 0, 0.8))
        second = bar("second", mass=1e4, start=(0.6, 0, 0.8), direction=(0, 0.6, 0.8))
        if order < 0:
            first, second = (
                replace(b, mass=m, inertia=b.inertia * m / b.mass) for b, m in ((first, 1e4), (second, 1e-3))
            )
        balls = [
            fb.Spherical("top", fb.GROUND, first, point=(0, 0, 0)),
            fb.Spherical("middle", first, second, point=(0.6, 0, 0.8)),
        ]
        state = fb.equilibrium(fb.System([first, second], balls, gravity=DOWN))
        np.testing.assert_allclose(state.position("second"), [0, -1.5, 0], atol=1e-8)
        assert fb.linearize(state).stable
        assert state.iterations < 150

    def test_exactly_upright_it_stays(self):
        """An unstable equilibrium is one, where the search starts in it."""
        body = bar(direction=(0, 1, 0))
        state = fb.equilibrium(fb.System([body], [hinge(body)], gravity=DOWN))
        np.testing.assert_allclose(state.position(body), [0, 0.5, 0], atol=1e-12)
        assert not fb.linearize(state).stable

    def test_lever_on_a_spring(self):
        """A lever of 1 m on a hinge, a spring between its end and a point 1 m above the hinge.

        With stiffness k and no free length the spring's moment is k a l sin, gravity's m g l/2 sin of the angle from
        the upright: k a = m g / 2 balances at any angle, less of it leaves the lever hanging (Carwardine's spring).
        """
        body = bar(direction=(np.cos(0.3), np.sin(0.3), 0))
        for share, balanced in ((1.0, True), (0.5, False)):
            spring = fb.SpringDamper("spring", body["to"], fb.GROUND, stiffness=share * G / 2, free_length=0.0,
                                     second_point=(0, 1, 0))  # fmt: skip
            state = fb.equilibrium(fb.System([body], [hinge(body)], [spring], gravity=DOWN))
            if balanced:
                np.testing.assert_allclose(state.position(body), body.start, atol=1e-9)
                assert "body 'bar' turns about (0, 0, 1)" in state.indifferent[0]
            else:
                np.testing.assert_allclose(state.position(body), [0, -0.5, 0], atol=1e-9)

    def test_spring_with_free_length(self):
        """A mass on a slider and an inclined spring: its place solves k (l - l0) cos = F, by bisection."""
        from scipy.optimize import brentq

        body = fb.RigidBody("mass", 2.0, (1, 1, 1), center=(0.1, 0, 0))
        guide = fb.Prismatic("guide", fb.GROUND, body, point=(0.1, 0, 0), axis="x")
        spring = fb.SpringDamper(
            "spring", fb.GROUND, body, stiffness=400.0, free_length=0.3, first_point=(0, 0.4, 0)
        )
        push = fb.PointForce("push", body, value=(30.0, 0, 0))
        state = fb.equilibrium(fb.System([body], [guide], [spring, push], gravity=DOWN))
        x = brentq(lambda x: 400 * (np.hypot(x, 0.4) - 0.3) * x / np.hypot(x, 0.4) - 30, 0, 1)
        np.testing.assert_allclose(state.position(body), [x, 0, 0], atol=1e-12)
        # the guide carries weight and the spring's part across
        lift = 400 * (np.hypot(x, 0.4) - 0.3) * 0.4 / np.hypot(x, 0.4)
        np.testing.assert_allclose(state.reaction(guide).force, [0, 2 * G - lift, 0], atol=1e-9)
        assert state.coordinate(guide) == pytest.approx(x - 0.1, abs=1e-12)

    def test_following_load(self):
        """A force across the end of a hinged bar that turns with it, against a torsion-like spring: by bisection."""
        from scipy.optimize import brentq

        body = bar()
        spring = fb.SpringDamper("spring", fb.GROUND, body["to"], stiffness=50.0, first_point=(1, -1, 0))
        push = fb.PointForce("push", body["to"], value=(0, 10.0, 0), follows=True)
        state = fb.equilibrium(fb.System([body], [hinge(body)], [spring, push]))

        def moment(a):
            tip, base = np.array([np.cos(a), np.sin(a)]), np.array([1.0, -1.0])
            pull = base - tip
            length = np.linalg.norm(pull)
            return 10 + 50 * (length - 1) / length * (tip[0] * pull[1] - tip[1] * pull[0])

        angle = brentq(moment, 0, 1)
        np.testing.assert_allclose(state.position(body["to"]), [np.cos(angle), np.sin(angle), 0], atol=1e-11)

    def test_drives_are_held_at_their_value(self):
        """A crank driven by 2 t hangs where it is at t = 0.3; the drive carries the weight's moment."""
        body = bar()
        joint = hinge(body)
        drive = fb.Drive("motor", joint, value=lambda t: 2 * t)
        state = fb.equilibrium(fb.System([body], [joint, drive], gravity=DOWN), t=0.3)
        np.testing.assert_allclose(state.position(body["to"]), [np.cos(0.6), np.sin(0.6), 0], atol=1e-12)
        assert state.reaction(drive).moment[2] == pytest.approx(0.5 * G * np.cos(0.6), rel=1e-10)
        assert state.t == 0.3
        assert state.coordinate(joint) == pytest.approx(0.6)

    def test_sag_of_a_beam(self):
        """Simply supported, its weight: v = 5 m g l^3 / 384 EI (60.3e-6 of the length as printed)."""
        body = fb.FlexibleBody(
            "beam", beams.quintic_beam(), place={"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)}
        )
        joints = [
            fb.Universal("left", fb.GROUND, body["start"], axes=("y", "z")),
            fb.PointOnLine("right", fb.GROUND, body["end"], axis="x"),
        ]
        state = fb.equilibrium(fb.System([body], joints, gravity=(0, 0, -G)))
        sag = state.displacement(body, "middle", relative_to=fb.Chord("start", "end"))
        # four quintics give 1.0004 of the parabola's fourth-degree sag at most
        np.testing.assert_allclose(sag, [0, 0, -beams.SAG], rtol=2e-3, atol=1e-4 * beams.SAG)
        for name in ("left", "right"):
            np.testing.assert_allclose(
                state.reaction(name).force, [0, 0, beams.MASS * G / 2], rtol=1e-6, atol=1e-9
            )

    def test_redundant_constraints(self):
        """A door on two hinges: the sum of what they carry is the weight, their split is named as open."""
        door = fb.RigidBody("door", 20.0, (2, 4, 2), center=(0.4, 0, 1))
        joints = [hinge(door, f"hinge {k}", point=(0, 0, z), axis="z") for k, z in enumerate((0.5, 1.5))]
        with pytest.warns(fb.RedundantConstraintWarning, match=r"'hinge 0'.*'hinge 1'"):
            state = fb.equilibrium(fb.System([door], joints, gravity=(0, 0, -G)))
        total = state.reaction("hinge 0").force + state.reaction("hinge 1").force
        np.testing.assert_allclose(total, [0, 0, 20 * G], atol=1e-8)
        assert any("'hinge 0'" in words for words in state.undetermined)
        # the weight's moment about y, 20 g 0.4, is carried by forces 1 m apart and the hinges' own moments
        upper, lower = state.reaction("hinge 1"), state.reaction("hinge 0")
        couple = 0.5 * (upper.force[0] - lower.force[0]) + upper.moment[1] + lower.moment[1]
        assert couple == pytest.approx(-20 * G * 0.4, abs=1e-8)
        assert state.indifferent == ("body 'door' moves along (0, 1, 0), body 'door' turns about (0, 0, 1)",)

    def test_chain_hangs_as_a_long_damped_run_leaves_it(self):
        """Four bars between two points: equilibrium, and where a run with dampers comes to rest; 1e-6."""
        points = [(0, 0, 0), (0.5, 0.1, 0), (0.9, -0.2, 0), (1.3, 0.2, 0), (1.6, 0, 0)]
        links, joints, forces = [], [], []
        for k in range(4):
            a, b = np.array(points[k]), np.array(points[k + 1])
            length = float(np.linalg.norm(b - a))
            links.append(bar(f"link {k}", length, 1 + 0.3 * k, a, (b - a) / length))
            before = fb.GROUND if k == 0 else links[k - 1]
            joints.append(hinge(links[k], f"pin {k}", before, points[k]))
            forces.append(
                fb.SpringDamper(f"damper {k}", fb.GROUND, links[k], damping=8.0, first_point=(0.8, 1, 0))
            )
        joints.append(fb.PointOnLine("last", fb.GROUND, links[3], point=points[4], axis="z"))
        machine = fb.System(links, joints, forces, gravity=DOWN)
        state = fb.equilibrium(machine)
        run = fb.simulate(machine, 20.0, integrator=fb.GeneralizedAlpha(rtol=1e-4), show_progress=False)
        # Newton's iteration leaves up to rtol/100 of the accelerations that occur, 10 m/s^2, over steps of 40 ms
        assert np.abs(run.v[-1]).max() < 1e-6 * 10 * 0.04
        np.testing.assert_allclose(state.c, run.c[-1], atol=1e-6)
        for joint in joints:
            np.testing.assert_allclose(state.reaction(joint).force, run.reaction(joint).force[-1], atol=1e-4)


def governor(rate, forces=(), gravity=(0, 0, -G)):
    """A bar on a hinge across a driven hub, with a spring to the hub's axis."""
    body = bar(direction=(0.8, 0, -0.6))
    hub = fb.RigidBody("hub", 1.0, (1, 1, 1))
    bearing = hinge(hub, "bearing")
    spring = fb.SpringDamper(
        "spring", hub, body["to"], stiffness=60.0, free_length=0.6, first_point=(0, 0, -0.5)
    )
    joints = [bearing, hinge(body, "elbow", hub, axis="y"), fb.Drive("motor", bearing, rate=rate)]
    return fb.System(
        [hub, body],
        joints,
        [spring, *(replace(f, **{"at" if hasattr(f, "at") else "first": body["to"]}) for f in forces)],
        gravity=gravity,
    )


STAY = fb.SpringDamper("stay", "body", fb.GROUND, stiffness=5.0, second_point=(3, 0, 0))


class TestTurning:
    def test_governor(self):
        """A bar on a spherical hinge, turning about the vertical: sin(a) = 3 g / 2 W^2 l below the level, slender."""
        body = bar()
        rate = 8.0
        ball = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
        state = fb.equilibrium(fb.System([body], [ball], gravity=(0, 0, -G)), spin=(0, 0, rate))
        sine = 1.5 * G / rate**2
        # the bar's own small thickness is left: 1e-4 of its moments
        np.testing.assert_allclose(state.position(body)[2], -0.5 * sine, rtol=2e-4)
        np.testing.assert_allclose(state.angular_velocity(body), [0, 0, rate], atol=1e-12)
        pull = rate**2 * np.hypot(*state.position(body)[:2])
        assert np.hypot(*state.reaction(ball).force[:2]) == pytest.approx(pull, rel=1e-9)

    def test_steady_turning_is_a_motion(self):
        """A run from it keeps its shape: an elastic governor turns on for 2 s as it was."""
        machine = governor(5.0)
        state = fb.equilibrium(machine, spin=(0, 0, 5.0))
        run = fb.simulate(machine, 2.0, start=fb.Equilibrium(spin=(0, 0, 5.0)), show_progress=False)
        assert run.statistics.velocity_correction < 1e-9
        np.testing.assert_allclose(run.coordinate("elbow"), state.coordinate("elbow"), atol=1e-5)
        assert abs(state.coordinate("elbow")) > 0.05

    def test_rate_may_come_up_in_steps(self):
        body = bar(direction=(0.6, 0, -0.8))
        machine = fb.System(
            [body], [fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))], gravity=(0, 0, -G)
        )
        one = fb.equilibrium(machine, spin=(0, 0, 8.0))
        many = fb.equilibrium(machine, spin=(0, 0, 8.0), load_steps=5)
        np.testing.assert_allclose(many.position(body)[2], one.position(body)[2], atol=1e-10)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"gravity": DOWN}, r"What does not turn with it: gravity \(0, -9.81, 0\)"),
            ({"forces": [fb.PointForce("wind", "body", (1.0, 0, 0))]}, r"PointForce 'wind'"),
            ({"forces": [STAY]}, r"'stay', which is fixed to the ground"),
            ({"spin": (0, 0, 3.0)}, r"drive 'motor' misses by 1 .*Drive\(rate="),
            (
                {"spin": (0, 2.0, 0)},
                r"can't turn as a whole at 2 rad/s about the axis \(0, 1, 0\).*'bearing'",
            ),
            ({"about": (1.0, 0, 0)}, r"through \(1, 0, 0\) m: .*'bearing'"),
        ],
    )
    def test_what_does_not_turn_steadily_is_refused(self, change, words):
        settings = {"spin": (0, 0, 2.0), "about": (0, 0, 0), "forces": [], "gravity": (0, 0, -G)} | change
        machine = governor(2.0, settings["forces"], settings["gravity"])
        with pytest.raises(fb.InputError, match=words):
            fb.equilibrium(machine, spin=settings["spin"], about=settings["about"])

    def test_a_load_that_follows_turns_too(self):
        body = bar()
        joint = hinge(body)
        push = fb.PointForce("jet", body["to"], (0, 3.0, 0), follows=True)
        machine = fb.System([body], [joint, fb.Drive("motor", joint, rate=2.0)], [push], gravity=(0, 0, -G))
        state = fb.equilibrium(machine, spin=(0, 0, 2.0))
        assert state.reaction("motor").moment[2] == pytest.approx(-3.0, rel=1e-9)


class TestRefused:
    def test_a_body_that_falls(self):
        body = bar()
        with pytest.raises(
            fb.ConvergenceError, match=r"drifts away \(body 'bar' moves along \(0, 1, 0\)\).*Hold what"
        ):
            fb.equilibrium(fb.System([body], gravity=DOWN))

    def test_a_body_that_is_driven_round(self):
        body = bar()
        motor = fb.PointMoment("motor", body, (0, 0, 1.0))
        with pytest.raises(fb.ConvergenceError, match=r"drifts away \(.*body 'bar' turns about \(0, 0, 1\)"):
            fb.equilibrium(fb.System([body], [hinge(body)], [motor]))

    def test_what_can_not_be_closed(self):
        body = bar()
        joints = [fb.Spherical("left", fb.GROUND, body, point=(0, 0, 0)), hinge(body)]
        drive = fb.Drive("motor", joints[1], value=0.5)
        far = fb.Fixed("stop", fb.GROUND, body, point=(1, 0, 0))
        with pytest.raises(fb.ConstraintError, match=r"locked.*drive 'motor'.*fixed joint 'stop'"):
            fb.equilibrium(fb.System([body], [*joints, drive, far]))

    def test_a_load_beyond_a_column(self):
        """A load that the second-order theory of a bent column can't carry; in words."""
        body = fb.FlexibleBody("rod", machines.ivp_crank_rod(), alpha=np.array([1e-3, 0, 0, 0]))
        base = fb.Fixed("base", fb.GROUND, body["start"])
        strange = fb.PointForce("load", body["end"], value=lambda t: (-1e12, 1e9, 0))
        with pytest.raises(
            fb.ConvergenceError,
            match=r"no equilibrium was found after \d+ iterations; .*'rod' deforms.*buckling load",
        ):
            fb.equilibrium(fb.System([body], [base], [strange]), max_iterations=40)

    def test_a_moment_about_an_axis_about_which_a_rotor_turns_freely(self):
        rotor = fb.RigidBody("rotor", 6.0, (0.03, 0.05, 0.05), center=(0, 2e-4, 0))
        bearings = [
            fb.Bushing(f"bearing {x}", fb.GROUND, rotor, stiffness=(1e6, 4e5, 4e5, 0, 0, 0), point=(x, 0, 0))
            for x in (-0.2, 0.2)
        ]
        motor = fb.PointMoment("motor", rotor, (9.0, 0, 0))
        with pytest.raises(fb.ConvergenceError) as raised:
            fb.equilibrium(fb.System([rotor], [], [*bearings, motor], gravity=DOWN), max_iterations=40)
        assert "body 'rotor' turns about (1, 0, 0)" in str(raised.value)
        assert "a moment about an axis about which a body turns freely" in str(raised.value)
        assert "floats" not in str(raised.value)

    def test_a_law_that_fails(self):
        body = bar()
        push = fb.PointForce("push", body["to"], value=lambda t: (1 / (0.0 * t), 0, 0))
        with pytest.raises(fb.InputError, match=r"PointForce 'push'.* fails at t = 0 with ZeroDivisionError"):
            fb.equilibrium(fb.System([body], [hinge(body)], [push], gravity=DOWN))

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"spin": (1, 2)}, "spin must be three"),
            ({"t": np.nan}, "t is nan"),
            ({"load_steps": 0}, "load_steps 0"),
            ({"about": "here"}, "about must be three numbers"),
        ],
    )
    def test_bad_numbers(self, arguments, words):
        body = bar()
        with pytest.raises(fb.InputError, match=words):
            fb.equilibrium(fb.System([body], [hinge(body)]), **arguments)


class TestState:
    def test_it_begins_from_another(self, caplog):
        """From the equilibrium itself nothing moves, and from a run's end no more than the run left."""
        body = bar()
        machine = fb.System([body], [hinge(body)], gravity=DOWN)
        state = fb.equilibrium(machine)
        with caplog.at_level(logging.DEBUG, "flexbody"):
            again = fb.equilibrium(machine, start=state)
        assert again.iterations <= 2 < state.iterations
        np.testing.assert_allclose(again.c, state.c, atol=1e-14)
        run = fb.simulate(machine, 0.1, show_progress=False)
        np.testing.assert_allclose(fb.equilibrium(machine, start=run).c, state.c, atol=1e-12)
        other = bar("other")
        with pytest.raises(fb.InputError, match=r"no body 'other' with 0 modes.*'bar' \(0 modes\)"):
            fb.equilibrium(fb.System([other], [hinge(other)]), start=state)

    def test_it_reads_as_a_result(self):
        body = bar(direction=(0, -1, 0))
        state = fb.equilibrium(fb.System([body], [hinge(body)], gravity=DOWN))
        assert repr(state) == "<State at t = 0 s of 1 body>"
        assert state.result.energy.potential[0] == pytest.approx(-0.5 * G)
        np.testing.assert_array_equal(state.rotation(body), np.eye(3))
        np.testing.assert_array_equal(state.velocity(body["to"]), np.zeros(3))


def test_the_start_counts_loads_at_t_0_but_those_of_another_machine_not():
    """A gust P on a mount k: x = P / k by ``Equilibrium``; from that without it P / k (1 - cos w t)."""
    block = fb.RigidBody("block", 2.0, (1e-2,) * 3)
    mount = fb.Bushing("mount", fb.GROUND, block, stiffness=[1e3] * 3 + [10.0] * 3, point=(0, 0, 0))
    windy = fb.System([block], forces=[mount, fb.PointForce("gust", block, (5.0, 0, 0))])
    calm = replace(windy, forces=[mount])
    options = dict(t_end=0.1, integrator=fb.Explicit(rtol=1e-9), show_progress=False)
    bent = fb.simulate(windy, start=fb.Equilibrium(), **options)
    np.testing.assert_allclose(bent.position("block")[:, 0], 5e-3, rtol=1e-9)
    run = fb.simulate(windy, start=fb.equilibrium(calm), **options)
    wave = 5e-3 * (1.0 - np.cos(np.sqrt(1e3 / 2.0) * run.t))
    np.testing.assert_allclose(run.position("block")[:, 0], wave, atol=1e-8)
