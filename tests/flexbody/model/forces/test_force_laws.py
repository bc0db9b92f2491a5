"""Laws with states against the exact answers of their linear equations; creep, relaxation, step responses."""

import numpy as np
import pytest
from scipy.linalg import expm
from support.cases import fitted_order

import flexbody as fb

MASS, START = 2.0, 0.1
EXPLICIT, IMPLICIT = fb.Explicit(rtol=1e-10), fb.GeneralizedAlpha(rtol=1e-6)

C, R, IND, U = 3.0, 2.0, 0.02, 10.0  # motor: Nm/A or N/A, ohm, H, V
AREA, OIL, LEAK, FLOW = 1e-3, 2e10, 2e-10, 2e-6  # m^2, Pa/m^3, m^3/s Pa, m^3/s
GAIN, RATE_GAIN, TARGET = 150.0, 5.0, 0.05

#: law, its states at the start, (A, b) with y. = A y + b for y = (x, x., z); force = row f of A times -MASS
LINEAR = {
    "visco-elastic": (
        fb.ViscoElastic(200.0, [(300.0, 0.05), (900.0, 0.4)], damping=1.0, start=(0.02, 0.0)),
        [0.02, 0.0],
        [[0, 1, 0, 0],
         [-(200 + 300 + 900) / MASS, -1 / MASS, 300 / MASS, 900 / MASS],
         [1 / 0.05, 0, -1 / 0.05, 0],
         [1 / 0.4, 0, 0, -1 / 0.4]],
        [0, 0, 0, 0],
    ),
    "motor": (
        fb.ElectricMotor(C, R, IND, voltage=U), [0.0],
        [[0, 1, 0], [0, 0, C / MASS], [0, -C / IND, -R / IND]], [0, 0, U / IND],
    ),
    "servo": (
        fb.PositionServo(C, R, IND, gain=GAIN, target=TARGET, rate_gain=RATE_GAIN, start=0.5), [0.5],
        [[0, 1, 0], [0, 0, C / MASS], [-GAIN / IND, -(C + RATE_GAIN) / IND, -R / IND]], [0, 0, GAIN * TARGET / IND],
    ),
    "cylinder": (
        fb.HydraulicCylinder(AREA, 1e-3, flow=FLOW, bulk_modulus=OIL * 1e-3, leakage=LEAK, start=3e4), [3e4],
        [[0, 1, 0], [0, 0, AREA / MASS], [0, -AREA * OIL, -LEAK * OIL]], [0, 0, FLOW * OIL],
    ),
    "user": (
        fb.UserLaw(lambda t, x, rate, z: 300.0 * (x - z[0]), lambda t, x, rate, z: (20.0 * (x - z[0]),), start=[0.05]),
        [0.05], [[0, 1, 0], [-300 / MASS, 0, 300 / MASS], [20, 0, -20]], [0, 0, 0],
    ),
}  # fmt: skip

#: stored energy from deformation and states: of springs, inductance and oil
STORED = {
    "visco-elastic": lambda x, z: 100 * x**2 + 150 * (x - z[0]) ** 2 + 450 * (x - z[1]) ** 2,
    "motor": lambda x, z: 0.5 * IND * z[0] ** 2,
    "servo": lambda x, z: 0.5 * IND * z[0] ** 2,
    "cylinder": lambda x, z: 0.5 * z[0] ** 2 / OIL,
    "user": lambda x, z: 0.0,
}


def guided(law, mass=MASS, drawn=1.0, loads=()):
    """A block on a guide along x, drawn at x = ``drawn``; the element from the ground is free of load at 1 - START."""
    block = fb.RigidBody("block", mass=mass, inertia=(0.1, 0.1, 0.1), center=(drawn, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(drawn, 0, 0), axis="x")
    element = fb.ForceElement("element", fb.Line(fb.GROUND, block, free_length=1.0 - START), law)
    return fb.System([block], [guide], [element, *(fb.PointForce("load", block, load) for load in loads)])


def simulate(system, t_end=1.0, integrator=None, **options):
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def exact(name, t):
    """States (nt, 2 + n) by the exponential of the linear equations' matrix."""
    _, z, A, b = LINEAR[name]
    y = np.array([START, 0.0, *z, 1.0])
    whole = np.zeros((len(y), len(y)))
    whole[:-1, :-1], whole[:-1, -1] = A, b
    return np.array([expm(whole * x) @ y for x in t])[:, :-1]


@pytest.mark.parametrize("name", LINEAR)
class TestMassOnALaw:
    @pytest.mark.many_steps
    def test_explicit(self, name):
        """Order 8 at rtol = 1e-10 per step, some hundred steps."""
        result = simulate(guided(LINEAR[name][0]), integrator=EXPLICIT, output_step=0.02)
        y, history = exact(name, result.t), result.element("element")
        found = np.column_stack([history.deformation, history.rate, history.state])
        np.testing.assert_allclose(found / np.abs(y).max(axis=0), y / np.abs(y).max(axis=0), atol=1e-7)

    def test_implicit_has_order_two(self, name):
        """Deformation, rate, states and force of the law, at fixed steps."""
        steps, errors = (2e-3, 1e-3), []
        for h in steps:
            result = simulate(guided(LINEAR[name][0]), step=h, output_step=0.02)
            y, history = exact(name, result.t), result.element("element")
            found = np.column_stack([history.deformation, history.rate, history.state])
            errors.append(np.abs(found - y).max(axis=0) / np.abs(y).max(axis=0))
        for column in np.array(errors).T:
            assert fitted_order(steps, column) == pytest.approx(2, abs=0.25)

    @pytest.mark.many_steps
    def test_error_control_counts_the_states(self, name):
        """rtol = 1e-6 of the path for each step of some hundred, and what stiff laws add to it."""
        result = simulate(guided(LINEAR[name][0]), integrator=IMPLICIT, output_step=0.02)
        y, history = exact(name, result.t), result.element("element")
        found = np.column_stack([history.deformation, history.state])
        scale = np.abs(y[:, [0, *range(2, y.shape[1])]]).max(axis=0)
        assert (np.abs(found - y[:, [0, *range(2, y.shape[1])]]).max(axis=0) < 5e-4 * scale).all()

    def test_energy(self, name):
        """Of the order-8 method: what is stored, dissipated and put in adds up."""
        result = simulate(guided(LINEAR[name][0]), integrator=EXPLICIT, output_step=0.02)
        assert result.energy.balance_error < 1e-7
        y = exact(name, result.t).T
        expected = STORED[name](y[0], y[2:]) + 0.0 * result.t
        np.testing.assert_allclose(result.energy.strain, expected, atol=1e-7 * (expected.max() or 1.0))


class TestHeldElements:
    """Elements that don't move: their states alone, to the accuracy of the order-8 method."""

    def held(self, law, speed=0.0):
        block = fb.RigidBody(
            "block", mass=MASS, inertia=(0.1, 0.1, 0.1), center=(1, 0, 0), velocity=(speed, 0, 0)
        )
        guide = fb.Prismatic("guide", fb.GROUND, block, point=(1, 0, 0), axis="x")
        drive = fb.Drive("drive", guide, rate=speed)
        element = fb.ForceElement("element", fb.Line(fb.GROUND, block, free_length=1.0 - START), law)
        return fb.System([block], [guide, drive], [element])

    @pytest.mark.many_steps
    def test_relaxation(self):
        """Strained suddenly: ``F = (k + sum k_i exp(-t/tau_i)) x``, W. N. Findley et al., Creep and Relaxation of
        Nonlinear Viscoelastic Materials, 1976, 5.6 (generalized Maxwell model)."""
        law = fb.ViscoElastic(200.0, [(300.0, 0.05), (900.0, 0.4)], start=(0.0, 0.0))
        result = simulate(self.held(law), 1.0, EXPLICIT)
        t = result.t
        force = (200 + 300 * np.exp(-t / 0.05) + 900 * np.exp(-t / 0.4)) * START
        np.testing.assert_allclose(result.element("element").force, force, rtol=1e-8)
        np.testing.assert_allclose(-result.reaction("drive").force[:, 0], -force, rtol=1e-8)

    def test_relaxed_at_the_start(self):
        """Without given strokes the branches carry nothing at first."""
        law = fb.ViscoElastic(200.0, [(300.0, 0.05)])
        for integrator in (EXPLICIT, IMPLICIT):
            result = simulate(self.held(law), 0.1, integrator)
            np.testing.assert_allclose(result.element("element").force, 200 * START, rtol=1e-9)

    @pytest.mark.parametrize("integrator", [EXPLICIT, IMPLICIT])
    def test_current_of_a_motor_that_is_switched_on(self, integrator):
        """``i = (U - c v)/R (1 - exp(-R t/L))``: time constant L/R."""
        result = simulate(self.held(fb.ElectricMotor(C, R, IND, voltage=U), speed=0.5), 0.1, integrator)
        current = (U - 0.5 * C) / R * (1 - np.exp(-result.t * R / IND))
        tolerance = 1e-8 if integrator is EXPLICIT else 1e-4
        np.testing.assert_allclose(result.element("element").state[:, 0], current, atol=tolerance * U / R)
        np.testing.assert_allclose(result.element("element").force, -C * current, atol=tolerance * C * U / R)

    def test_steady_current_at_the_start(self):
        result = simulate(
            self.held(fb.ElectricMotor(C, R, IND, voltage=U, start=None), speed=0.5), 0.1, EXPLICIT
        )
        np.testing.assert_allclose(result.element("element").state[:, 0], (U - 0.5 * C) / R, rtol=1e-10)

    def test_stiff_circuit_does_not_force_small_steps(self):
        """A time constant of a microsecond beside a motion of a second: the current follows at once."""
        motor = fb.ElectricMotor(C, R, 2e-6, voltage=lambda t: U * np.sin(6 * t), start=None)
        result = simulate(self.held(motor, speed=0.5), 1.0, IMPLICIT)
        current = (U * np.sin(6 * result.t) - 0.5 * C) / R
        np.testing.assert_allclose(result.element("element").state[:, 0], current, atol=1e-4 * U / R)
        assert result.statistics.steps < 3000


def test_creep():
    """Under a constant force a standard linear solid moves at once by F/(k + k1) and creeps to F/k with the time
    tau (1 + k1/k); of a block of 1 g on it nothing else is seen after a hundredth of a second, but its damped ringing.
    """
    k, k1, tau, force = 2e4, 3e4, 0.2, 100.0
    law = fb.ViscoElastic(k, [(k1, tau)], damping=3.0, start=[0.0])
    system = guided(law, mass=1e-3, drawn=1.0 - START, loads=[(force, 0, 0)])
    result = simulate(system, 1.5, IMPLICIT)
    late = result.t > 0.01
    creep = force / k * (1 - k1 / (k + k1) * np.exp(-result.t / (tau * (1 + k1 / k))))
    # the damper beside delays by d/k = 0.15 ms of 500 ms
    np.testing.assert_allclose(result.element("element").deformation[late], creep[late], rtol=1e-3)


@pytest.mark.parametrize("law", [fb.SpringTable, fb.SmoothSpringTable])
def test_a_table_is_its_points(law):
    """Values at the points; outside the straight line of the last slope; work = stored energy."""
    x, force = [-0.5, -0.1, 0.2, 0.6, 1.0], [-8.0, -3.0, 1.0, 7.0, 8.0]
    from flexbody.core import force_laws

    numbers = np.array(law(x, force).numbers())

    def evaluate(value):
        out = np.zeros(4)
        force_laws.law(law.function)(
            0.0, np.zeros(3), np.array([value]), np.zeros(1), np.zeros(0), numbers, out
        )
        return out[:2]

    np.testing.assert_allclose([evaluate(a)[0] for a in x], force, atol=1e-12)
    for end, side in ((x[0], -1), (x[-1], 1)):
        near = (evaluate(end)[0] - evaluate(end - side * 1e-7)[0]) / (side * 1e-7)
        far = (evaluate(end + 3 * side)[0] - evaluate(end)[0]) / (3 * side)
        assert far == pytest.approx(near, rel=1e-5)
    assert evaluate(0.0)[1] == pytest.approx(0.0, abs=1e-14)
    for a in np.linspace(-2, 2, 41) + 0.013:
        slope = (evaluate(a + 1e-5)[1] - evaluate(a - 1e-5)[1]) / 2e-5
        assert slope == pytest.approx(evaluate(a)[0], abs=1e-5)


def test_a_straight_table_is_a_spring():
    """Points on a line, with a damper: the motion of SpringDamper to round-off, beyond the ends of the table too."""
    table = simulate(guided(fb.SpringTable([-0.01, 0.02, 0.03], [-8.0, 16.0, 24.0], damping=4.0)), step=1e-3)
    spring = simulate(guided(fb.Linear(800.0, 4.0)), step=1e-3)
    np.testing.assert_allclose(table.position("block"), spring.position("block"), atol=1e-11)


@pytest.mark.parametrize("kind", ["SpringDamper", "ForceElement"])
def test_spring_damper_and_force(kind):
    """``m x.. + d x. + k x = -F sin wt`` from the stretched spring, by the method of order 8 at rtol = 1e-10."""
    k, d, top, w = 800.0, 4.0, 30.0, 9.0
    block = fb.RigidBody("block", mass=MASS, inertia=(0.1, 0.1, 0.1), center=(1, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(1, 0, 0), axis="x")
    force = lambda t: top * np.sin(w * t)  # noqa: E731
    if kind == "SpringDamper":
        spring = fb.SpringDamper(
            "element", fb.GROUND, block, stiffness=k, damping=d, free_length=1.0 - START, force=force
        )
    else:
        line = fb.Line(fb.GROUND, block, free_length=1.0 - START)
        spring = fb.ForceElement("element", line, fb.Linear(k, d, force=force))
    result = simulate(fb.System([block], [guide], [spring]), integrator=EXPLICIT, output_step=0.02)
    t, history = result.t, result.element("element")
    # the forced motion is the imaginary part of c exp(i w t), the free one that of z exp(s t) / damped frequency
    c = -top / (k - MASS * w**2 + 1j * w * d)
    decay = 0.5 * d / MASS
    damped = np.sqrt(k / MASS - decay**2)
    x0, v0 = START - c.imag, -(1j * w * c).imag
    free = np.exp(-decay * t)
    x = (c * np.exp(1j * w * t)).imag + free * (
        x0 * np.cos(damped * t) + (v0 + decay * x0) / damped * np.sin(damped * t)
    )
    v = (1j * w * c * np.exp(1j * w * t)).imag + free * (
        v0 * np.cos(damped * t) - (k / MASS * x0 + decay * v0) / damped * np.sin(damped * t)
    )
    f = force(t)
    exact = {"deformation": x, "rate": v, "force": k * x + d * v + f, "stored": 0.5 * k * x**2,
             "dissipated": d * v**2, "input": -f * v}  # fmt: skip
    for what, expected in exact.items():
        np.testing.assert_allclose(
            getattr(history, what), expected, atol=1e-7 * np.abs(expected).max(), err_msg=what
        )


def test_integral_control_in_python():
    """``z. = x``: the rate does not depend on its state, and the law ends soon beyond the motion's states.

    The differences by the state stay in that range, and few of them are made: two Newton iterations of two calls for
    the law and for each of two differences of its force, beside the calls of the first evaluations. At fixed steps of
    a fiftieth of the period / 2 pi the method of order two misses some 1e-3.
    """
    k, d, gain, calls = 300.0, 4.0, 800.0, 0

    def rates(t, x, rate, z):
        nonlocal calls
        calls += 1
        if abs(z[0]) > 0.1:
            raise ValueError(f"the integral is {z[0]:g}")
        return [x]

    law = fb.UserLaw(lambda t, x, rate, z: k * x + d * rate + gain * z[0], rates, start=[0.0])
    result = simulate(guided(law), step=2e-3, output_step=0.02)
    A = np.array([[0, 1, 0], [-k / MASS, -d / MASS, -gain / MASS], [1, 0, 0]])
    y = np.array([expm(A * t) @ (START, 0.0, 0.0) for t in result.t])
    history = result.element("element")
    found = np.column_stack([history.deformation, history.rate, history.state])
    np.testing.assert_allclose(found / np.abs(y).max(axis=0), y / np.abs(y).max(axis=0), atol=2e-3)
    assert calls < 20 * result.statistics.iterations
