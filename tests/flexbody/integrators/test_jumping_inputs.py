"""Inputs, sampled controllers and events that jump every few milliseconds beside vibrations that are faster."""

import functools

import numpy as np
import pytest
from scipy.linalg import expm

import fem
import flexbody as fb
import modal

CART, TIP, ZETA = 1.0, 0.1, 0.02
REDUCED = CART * TIP / (CART + TIP)
#: N/m: 21 and 210 rad between two jumps
STIFFNESSES = 1e7, 1e9
DT = 2e-3
PUSHES = np.random.default_rng(5).uniform(-10, 20, 60)

DESCRIPTIONS = {"absolute": fb.Absolute(), "relative": fb.Relative()}


def damping(stiffness: float) -> float:
    return 2 * ZETA * np.sqrt(stiffness * REDUCED)


def cart_with_tip(stiffness: float, force: float | None = None) -> fb.System:
    """A cart that a force pushes along a rail; on it a mass slides along x on a stiff spring with a damper."""
    cart = fb.RigidBody("cart", mass=CART, inertia=(1e-3, 1e-3, 1e-3))
    tip = fb.RigidBody("tip", mass=TIP, inertia=(1e-5, 1e-5, 1e-5), center=(0.1, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    slide = fb.Prismatic("slide", cart, tip, point=(0.1, 0, 0), axis="x")
    mount = fb.ForceElement(
        "mount", fb.Along(slide), fb.Linear(stiffness=stiffness, damping=damping(stiffness))
    )
    push = fb.PointForce("push", cart, (fb.Input("force") if force is None else force, 0, 0))
    return fb.System([cart, tip], [rail, slide], [mount, push])


def exact(stiffness: float, pushes: np.ndarray = PUSHES) -> np.ndarray:
    """Position of the cart and of the slide, dissipated and input energy behind each interval, (n, 4).

    ``y. = A y`` with y = (x, s, x., s., force) by matrix exponentials; the integral of ``d s.^2`` over a short interval
    h is ``y' W y``, W from the exponential of ``h [[-A', Q], [0, A]]`` (C. F. Van Loan, IEEE Trans. Autom. Control 23
    (1978) 395).
    """
    k, d = stiffness, damping(stiffness)
    A, Q, parts = np.zeros((5, 5)), np.zeros((5, 5)), 100
    A[0, 2] = A[1, 3] = 1.0
    A[2, [1, 3, 4]] = k / CART, d / CART, 1 / CART
    A[3, [1, 3, 4]] = -k / REDUCED, -d / REDUCED, -1 / CART
    Q[3, 3] = d
    both = expm(DT / parts * np.block([[-A.T, Q], [np.zeros((5, 5)), A]]))
    forward = both[5:, 5:]
    W = forward.T @ both[:5, 5:]
    y, lost, work, found = np.zeros(5), 0.0, 0.0, []
    for push in pushes:
        y[4], before = push, y[0]
        for _ in range(parts):
            lost += y @ W @ y
            y = forward @ y
        work += push * (y[0] - before)
        found.append([*y[:2], lost, work])
    return np.array(found)


def run(method, description, stiffness: float = STIFFNESSES[0], n: int = PUSHES.size) -> fb.Result:
    sim = fb.Stepper(cart_with_tip(stiffness), integrator=method, description=description)
    for push in PUSHES[:n]:
        sim["force"] = push
        sim.advance(DT)
    return sim.result()


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
class TestCartWithTip:
    @pytest.mark.parametrize(
        "method",
        [None, fb.GeneralizedAlpha(), fb.GeneralizedAlpha(step=DT), fb.GeneralizedAlpha(step=DT / 10)],
        ids=["automatic", "chosen", "one step", "ten steps"],
    )
    @pytest.mark.parametrize("stiffness", STIFFNESSES)
    def test_long_steps_make_no_energy_of_vibrations(self, method, description, stiffness):
        """What the vibrations lose in fact may get lost in another way, or not be noticed, and that is all.

        Steps of N rad that began with the jumps of the accelerations as they are would give them N^2 times their
        energy.
        """
        x, slide, lost, work = exact(stiffness).T
        result = run(method, description, stiffness)
        energy, all_lost = result.energy, lost[-1]
        assert all_lost < 1e-4 * energy.kinetic.max()
        allowed = all_lost + 1e-5 * energy.kinetic.max()  # the default tolerance
        assert np.abs(energy.dissipated[1:] - lost).max() < allowed
        assert np.abs(energy.input[1:] - work).max() < allowed
        assert np.abs(energy.residual).max() < allowed
        # the mass centre moves as it must; the cart beside it by its part of the slide
        assert np.abs(result.position("cart")[1:, 0] - x).max() < TIP / (CART + TIP) * 2 * np.abs(slide).max()

    def test_few_steps(self, description):
        """Behind each jump a few, instead of those that would follow each vibration (80 rad, about 100 steps)."""
        counts = run(fb.GeneralizedAlpha(), description).statistics
        assert counts.steps + counts.rejected < 10 * PUSHES.size

    def test_second_order_where_steps_follow(self, description):
        """Of the dissipated and the input energy, with steps of 0.2 and 0.1 rad."""
        n, errors = 15, []
        _, _, lost, work = exact(STIFFNESSES[0])[:n].T
        for parts in (100, 200):
            energy = run(fb.GeneralizedAlpha(step=DT / parts), description, n=n).energy
            errors.append([np.abs(energy.dissipated[1:] - lost).max(), np.abs(energy.input[1:] - work).max()])
        assert np.log2(np.divide(*errors)).min() > 1.8


def switched(method, description, stiffness: float, n: int) -> fb.Result:
    """The same cart, with a force of 10 N that events switch on and off n times in turn, each DT, from DT / 20 on."""

    def side(state):
        return np.sin(np.pi * (state.t / DT - 0.05))

    events = [
        fb.Event("on", side, direction=fb.Rising(), then=fb.Switch(on=["push"])),
        fb.Event("off", side, direction=fb.Falling(), then=fb.Switch(off=["push"])),
    ]
    return fb.simulate(
        cart_with_tip(stiffness, 10.0),
        (n + 0.05) * DT,
        integrator=method,
        description=description,
        events=events,
        switched_off=["push"],
        output_step=DT,
        show_progress=False,
    )


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("stiffness", STIFFNESSES)
class TestSwitchedForces:
    pushes = 10.0 * (1 - np.arange(20) % 2)

    @pytest.mark.parametrize(
        "method",
        [fb.GeneralizedAlpha(), fb.GeneralizedAlpha(step=DT), fb.GeneralizedAlpha(0.5, step=DT)],
        ids=["chosen", "one step", "more damping"],
    )
    def test_long_steps_make_no_energy_of_vibrations(self, method, description, stiffness):
        """Cut-short steps don't take the speeds of vibrations for displacements of a spring; bounds as above.

        Of a vibration the damper takes 1 - exp(-2 zeta N) in N = 21 or 210 rad, more than half; the method may take
        all.
        """
        x, slide, lost, work = exact(stiffness, self.pushes).T
        result = switched(method, description, stiffness, len(self.pushes))
        energy, allowed = result.energy, lost[-1] + 1e-5 * work[-1]
        assert len(result.events) == len(self.pushes)
        assert abs(energy.dissipated[-1] - lost[-1]) < allowed
        assert abs(energy.input[-1] - work[-1]) < allowed
        assert energy.residual.max() < allowed
        assert energy.residual.min() > -lost[-1] - allowed
        assert abs(result.position("cart")[-1, 0] - x[-1]) < TIP / (CART + TIP) * 2 * np.abs(slide).max()

    def test_few_steps(self, description, stiffness):
        """Steps grow anew behind each event: a fiftieth of the 490 a period that follow the slower vibration."""
        counts = switched(fb.GeneralizedAlpha(), description, stiffness, len(self.pushes)).statistics
        periods = np.sqrt(STIFFNESSES[0] / REDUCED) * DT / (2 * np.pi)
        assert counts.steps + counts.rejected < 490 / 50 * periods * len(self.pushes)


def arm(damping_ratio: float) -> fb.System:
    """A bar of steel, 0.4 m long, 30 mm thick, on a hinge with a motor; first frequency 4e3 rad/s."""
    body = fb.FlexibleBody("arm", reduced_arm(), damping_ratio=damping_ratio)
    hinge = fb.Revolute("hinge", fb.GROUND, body["near"], axis="z")
    motor = fb.PointMoment("motor", body["near"], (0, 0, fb.Input("torque")))
    return fb.System([body], [hinge], [motor])


@functools.cache
def reduced_arm() -> modal.ReducedBody:
    x, k = np.linspace(0, 0.4, 7), np.arange(6)
    block = fem.Block("line2", np.stack([k, k + 1], axis=1))
    mesh = fem.Mesh(np.column_stack([x, 0 * x, 0 * x]), (block,), {"near": [0], "far": [6]}, name="arm")
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    structure = fem.assemble(mesh, fem.Beam(steel, fem.Circle(0.03)))
    return modal.reduce(structure, modal.craig_bampton(structure, interfaces=("near", "far"), n_normal=4))


class TestArm:
    torques = np.random.default_rng(2).uniform(-10, 30, 20)

    def run(self, method, damping_ratio: float, torques=torques) -> fb.Result:
        sim = fb.Stepper(arm(damping_ratio), integrator=method)
        for torque in torques:
            sim["torque"] = torque
            sim.advance(DT)
        return sim.result()

    @pytest.mark.parametrize("damping_ratio", [0.01, 0.1])
    def test_energies_against_exact_steps(self, damping_ratio):
        """A step of eight radians of the slowest vibration loses what vibrations have, kinetic and elastic."""
        exact = self.run(fb.Explicit(rtol=1e-10), damping_ratio)
        assert exact.energy.balance_error < 1e-9
        lost = exact.energy.dissipated[-1] + 2 * exact.energy.strain.max()
        assert lost < 0.1 * exact.energy.kinetic.max()
        for method in (fb.GeneralizedAlpha(), fb.GeneralizedAlpha(step=DT)):
            energy = self.run(method, damping_ratio).energy
            for part in ("dissipated", "input"):
                error = np.abs(getattr(energy, part) - getattr(exact.energy, part)).max()
                assert error < lost
            assert np.abs(energy.residual).max() < lost

    def test_the_automatic_choice_takes_no_method_for_its_start_alone(self):
        """Behind the first jumps the implicit method takes as much work as an explicit one, which stays as dear later.

        Twice the work of the cheaper method allows for a trial of the other one.
        """
        torques = np.random.default_rng(2).uniform(-10, 30, 100) * (-1.0) ** np.arange(100)
        ways = [self.run(method, 0.01, torques).statistics for method in (None, fb.GeneralizedAlpha())]
        work = [told.iterations + told.factorisations for told in ways]
        assert work[0] < 2 * work[1]
