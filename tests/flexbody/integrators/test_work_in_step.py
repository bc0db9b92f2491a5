"""What dampers and loads are told in long and short steps, against closed forms and the energy of the method itself.

The trapezoidal rule (rho_inf = 1) changes the energy of a linear system by the work of dampers and loads alone, so that
the balance must hold to Newton's tolerance in each step, however long. (The first step begins with accelerations that
are not those of the motion, see ``softened_start.hpp``.)
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support import beams

import flexbody as fb

W, ZETA = 100.0, 0.02
TURNS = 0.1, 0.5, 2.0, 20.0, 200.0
DESCRIPTIONS = {"absolute": fb.Absolute(), "relative": fb.Relative()}


def block(speed: float = 0.0, load=None) -> fb.System:
    """A mass of 1 kg on a spring with a damper."""
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3, velocity=(speed, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    mount = fb.ForceElement("mount", fb.Along(rail), fb.Linear(stiffness=W**2, damping=2 * ZETA * W))
    return fb.System([body], [rail], [mount] + ([fb.PointForce("load", body, load)] if load else []))


def run(machine, rho_inf: float, turn: float, n: int = 40, description=None, w: float = W) -> fb.Result:
    step = turn / w
    return fb.simulate(
        machine,
        n * step,
        integrator=fb.GeneralizedAlpha(rho_inf, step=step, newton_rtol=1e-12),
        output_step=step,
        description=description or fb.Absolute(),
        show_progress=False,
    )


def free(t) -> np.ndarray:
    """Dissipated energy of the free vibration with a unit speed at the start: what kinetic and elastic energy lost."""
    d = ZETA * W
    wd = np.sqrt(W**2 - d**2)
    x = np.exp(-d * t) * np.sin(wd * t) / wd
    v = np.exp(-d * t) * (np.cos(wd * t) - d / wd * np.sin(wd * t))
    return 0.5 * (1 - v**2 - (W * x) ** 2)


def unbalanced(energy: fb.Energy) -> float:
    """The largest energy that a step behind the first one has added."""
    return float(np.abs(np.diff(energy.residual[1:])).max())


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("turn", TURNS)
class TestBalanceOfTheTrapezoidalRule:
    def test_free_vibration(self, turn, description):
        energy = run(block(1.0), 1.0, turn, description=description).energy
        assert unbalanced(energy) < 1e-9 * energy.kinetic[0]  # 1e-12 of Newton's, and round-off of long steps
        assert energy.dissipated[-1] > 0.0

    def test_forced_vibration(self, turn, description):
        def load(t):
            return 10.0 * np.cos(0.8 * W * t), 0.0, 0.0

        energy = run(block(load=load), 1.0, turn, description=description).energy
        assert unbalanced(energy) < 1e-9 * np.abs(energy.input).max()

    def test_bushing(self, turn, description):
        """Six forces; a small motion, because a bushing is linear in its own deformations."""
        body = fb.RigidBody(
            "body", 1.0, (1.0, 1.0, 1.0), velocity=(1e-6, 2e-6, 0), angular_velocity=(0, 1e-6, -2e-6)
        )
        k, d = np.full(6, W**2), np.full(6, 2 * ZETA * W)
        mount = fb.Bushing("mount", fb.GROUND, body, stiffness=k, damping=d, point=(0, 0, 0))
        energy = run(fb.System([body], [], [mount]), 1.0, turn, description=description).energy
        assert unbalanced(energy) < 1e-5 * energy.kinetic[0]
        assert energy.dissipated[-1] > 0.0

    def test_flexible_body(self, turn, description):
        """A free beam; ``turn`` is that of its slowest mode. Deformations of 1e-8 m do not turn it noticeably."""
        reduced = beams.quintic_beam()
        beam = fb.FlexibleBody("beam", reduced, damping_ratio=0.02, alpha_dot=np.full(8, 1e-6))
        w = 2 * np.pi * reduced.frequencies_hz.min()
        energy = run(fb.System([beam], [], []), 1.0, turn, description=description, w=w).energy
        assert unbalanced(energy) < 1e-5 * energy.kinetic[0]
        assert energy.dissipated[-1] > 0.0


SPEED = 0.01  # m/s


def on_rail(*forces, speed: float = SPEED) -> fb.System:
    """A mass of 1 kg on a rail; ``forces`` take the rail and the body."""
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3, velocity=(speed, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    return fb.System([body], [rail], [force(rail, body) for force in forces])


def law(law):
    return lambda rail, body: fb.ForceElement("law", fb.Along(rail), law)


def controlled() -> fb.System:
    """A spring and a damper as a controller that measures and acts at a point of the body."""

    def control(rail, body):
        place = fb.PointAlong(body, (1, 0, 0))
        return fb.Controller("control", place, fb.PID(kp=W**2, kd=2 * ZETA * W), acts_on=place)

    return on_rail(control)


def belted() -> fb.System:
    """Two wheels of 0.01 kg m^2 and the two spans of a belt, 4 k r^2 / J = W^2; its damper is 2 ZETA / W of k."""
    wheels = [fb.RigidBody(name, 1.0, (0.01,) * 3, center=(x, 0, 0), angular_velocity=(0, 0, w))
              for name, x, w in (("one", 0.0, 0.1), ("two", 0.5, 0.0))]  # fmt: skip
    shafts = [fb.Revolute(wheel.name, fb.GROUND, wheel, point=wheel.center, axis="z") for wheel in wheels]
    k = W**2 / 4
    return fb.System(
        wheels,
        shafts,
        fb.belt("belt", shafts, (0.1, 0.1), stiffness=0.5 * k, pretension=20.0, damping_time=2 * ZETA / W),
    )


def pressed(stiffness: float = W**2, exponent: float = 1.0, height: float = -9.81 / W**2) -> fb.System:
    """A ball of 1 kg that vibrates on the ground about its place of rest, or falls on it."""
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1 + height), velocity=(0, 0, SPEED))
    floor = fb.Contact(
        "floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=stiffness, exponent=exponent,
        dissipation=0.4,
    )  # fmt: skip
    return fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))


BRANCH = 0.5 * W**2, 2.0 / W
LINEAR = {
    "branches": lambda: on_rail(law(fb.ViscoElastic(stiffness=W**2, branches=[BRANCH]))),
    "actuator": lambda: on_rail(
        law(fb.Linear(stiffness=W**2, damping=2 * ZETA * W, force=lambda t: 10 * np.cos(0.8 * W * t)))
    ),
    "controller": controlled,
    "belt": belted,
}


@pytest.mark.parametrize("turn", [0.1, 0.5])
@pytest.mark.parametrize("name", LINEAR)
def test_balance_of_the_trapezoidal_rule_with_inputs_states_and_threads(name, turn):
    """1e-8: the threads of a belt are linear in the angles but for round-off and small tilts."""
    energy = run(LINEAR[name](), 1.0, turn).energy
    scale = max(energy.kinetic.max(), np.abs(energy.input).max())
    assert unbalanced(energy) < 1e-8 * scale
    assert max(np.abs(energy.dissipated).max(), np.abs(energy.input).max()) > 1e-3 * scale


@pytest.mark.parametrize("rho_inf", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("turn", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("machine", [belted, pressed, LINEAR["branches"]])
def test_elements_take_no_more_than_there_is(machine, turn, rho_inf):
    """Laws of contact are not linear: the method itself gains up to a tenth at long steps, without the damper too."""
    energy = run(machine(), rho_inf, turn, n=80).energy
    assert np.diff(energy.dissipated).min() >= 0.0
    assert energy.dissipated[-1] <= 1.1 * energy.kinetic[0]


def scipy_of(name: str, t: np.ndarray) -> np.ndarray:
    """Dissipated and input energy at the times t, by SciPy's DOP853."""

    def branches(y):
        stretch = y[0] - y[2]
        force = W**2 * y[0] + BRANCH[0] * stretch
        return [y[1], -force, stretch / BRANCH[1], BRANCH[0] * stretch**2 / BRANCH[1]]

    def ball(y, k, n):  # x, v, -, dissipated: K. H. Hunt, F. R. E. Crossley (1975)
        elastic = k * max(-y[0], 0.0) ** n
        normal = max(elastic * (1 - 0.4 * y[1]), 0.0)
        return [y[1], normal - 9.81, 0.0, (elastic - normal) * y[1]]

    rates = {
        "branches": branches,
        "pressed": lambda y: ball(y, W**2, 1.0),
        "falls": lambda y: ball(y, 1e5, 1.5),
    }
    first = {"branches": 0.0, "pressed": -9.81 / W**2, "falls": 0.02}[name]
    solved = solve_ivp(
        lambda t, y: rates[name](y), (0, t[-1]), [first, SPEED, 0.0, 0.0], "DOP853", t,
        rtol=1e-11, atol=1e-15, max_step=1e-3,
    )  # fmt: skip
    return solved.y[3]


@pytest.mark.parametrize("name", ["branches", "pressed", "falls"])
def test_elements_dissipate_with_second_order(name):
    """The constant of the error, over (h w)^2, is below a half as that of dampers."""
    machine = {
        "branches": LINEAR["branches"],
        "pressed": pressed,
        "falls": lambda: pressed(1e5, 1.5, 0.02),
    }[name]
    errors = []
    for turn in (0.1, 0.05, 0.025):
        result = run(machine(), 0.8, turn, n=round(20 / turn))
        exact = scipy_of(name, result.t)
        errors.append(np.abs(result.energy.dissipated - exact).max() / exact[-1])
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 1.8
    assert errors[-1] < 0.025**2 * 0.5


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_a_drive_acts_along_its_way(description):
    """A carriage that a function of time moves, with a vibrating mass on a spring: its work by SciPy.

    The phase of the vibration is off by (h w)^2 / 12 of the 20 rad of the run, or a little more with rho_inf = 0.8.
    """
    rate, way = 0.3 * W, 0.01
    bodies = [fb.RigidBody(name, 1.0, (1e-3,) * 3) for name in ("carriage", "mass")]
    rails = [fb.Prismatic(b.name, fb.GROUND, b, point=(0, 0, 0), axis="x") for b in bodies]
    spring = fb.Bushing("spring", *bodies, point=(0, 0, 0), stiffness=[W**2] * 6)
    drive = fb.Drive("drive", rails[0], value=lambda t: way * np.sin(rate * t))
    machine = fb.System(bodies, [*rails, drive], [spring])

    def rates(t, y):
        place, speed = way * np.sin(rate * t), way * rate * np.cos(rate * t)
        force = W**2 * (place - y[0])
        return y[1], force, (force - way * rate**2 * np.sin(rate * t)) * speed

    for turn in (0.1, 0.05):
        result = run(machine, 0.8, turn, n=round(20 / turn), description=description)
        exact = solve_ivp(
            rates, (0, result.t[-1]), np.zeros(3), "DOP853", result.t, rtol=1e-11, atol=1e-14
        ).y[2]
        assert np.abs(result.energy.input - exact).max() < 20 / 12 * turn**2 * np.abs(exact).max()
    # of the method itself: index 2, in which velocities of drives are those of their functions
    energy = run(machine, 1.0, 0.1, description=description).energy
    assert unbalanced(energy) < 1e-5 * np.abs(energy.input).max()


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("turn", [0.01, *TURNS])
def test_dampers_take_no_more_than_there_is(turn, rho_inf):
    """And give nothing back."""
    energy = run(block(1.0), rho_inf, turn).energy
    assert np.diff(energy.dissipated).min() >= 0.0
    assert energy.dissipated[-1] <= energy.kinetic[0]
    assert energy.residual.max() < 0.03 * energy.kinetic[0]  # of the first step


@pytest.mark.parametrize("rho_inf", [0.8, 1.0])
def test_second_order_against_a_free_vibration(rho_inf):
    errors = []
    for turn in (0.1, 0.05, 0.025):
        result = run(block(1.0), rho_inf, turn, n=round(10 / turn))
        errors.append(np.abs(result.energy.dissipated - free(result.t)).max())
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 1.9
    assert errors[-1] < 0.025**2 * 0.5


def test_second_order_against_a_forced_vibration():
    """Dissipated and input energy against SciPy's DOP853."""

    def load(t):
        return 10.0 * np.cos(0.8 * W * t), 0.0, 0.0

    def rates(t, y):
        x, v = y[:2]
        given = 10.0 * np.cos(0.8 * W * t)
        return v, given - 2 * ZETA * W * v - W**2 * x, 2 * ZETA * W * v * v, given * v

    errors = []
    for turn in (0.1, 0.05, 0.025):
        result = run(block(load=load), 0.8, turn, n=round(20 / turn))
        exact = solve_ivp(rates, (0, result.t[-1]), np.zeros(4), "DOP853", result.t, rtol=1e-11, atol=1e-13).y
        errors.append(
            [np.abs(result.energy.dissipated - exact[2]).max(), np.abs(result.energy.input - exact[3]).max()]
        )
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 1.9


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_dry_friction_takes_its_force_times_the_way(description):
    """A block slows down evenly: steps are exact, but for the last thousandth of tanh(v / v0) at v = 0.5 m/s."""
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3, velocity=(1.0, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    friction = fb.Friction("friction", rail, load=1.0)
    for step in (0.01, 0.05):
        result = fb.simulate(
            fb.System([body], [rail], [friction]),
            0.5,
            integrator=fb.GeneralizedAlpha(step=step),
            output_step=step,
            description=description,
            show_progress=False,
        )
        np.testing.assert_allclose(result.energy.dissipated, result.t - 0.5 * result.t**2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("speed", [-100.0, 100.0, 20.0 * np.pi])
def test_moment_on_a_body_that_turns_more_than_once_in_a_step(speed, description):
    """Up to 1.6 turns in a step, at 20 pi rad/s whole ones; the way is speed * t + moment / inertia * t^2 / 2."""
    moment, inertia = 0.1, 0.01
    rotor = fb.RigidBody("rotor", 1.0, (inertia,) * 3, angular_velocity=(0, 0, speed))
    hinge = fb.Revolute("hinge", fb.GROUND, rotor, point=(0, 0, 0), axis="z")
    load = fb.PointMoment("load", rotor, lambda t: (0.0, 0.0, moment))
    energy = run(fb.System([rotor], [hinge], [load]), 0.8, 10.0, n=10, description=description).energy
    t = 0.1 * np.arange(11)
    way = speed * t + 0.5 * moment / inertia * t**2
    np.testing.assert_allclose(energy.input, moment * way, rtol=0, atol=1e-9)
