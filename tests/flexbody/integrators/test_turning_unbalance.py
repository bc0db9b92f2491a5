"""An unbalance that turns with its shaft is guided by it: that costs no steps, and what it shakes is right."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.frames import line

import fem
import flexbody as fb
import modal

MASS, LEVER, SPEED, T_END = 30.0, 0.06, 100.0, 1.5


def angle(t):
    """The angle of the motor, which starts smoothly, rad."""
    return SPEED * (t - 0.5 * np.tanh(t / 0.5))


def screen(stiffness: float, damping: float) -> tuple[fb.System, float]:
    """A deck on a mount, with an unbalance in its middle that a motor turns; also their mass, kg."""
    steel = fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0)
    mesh = line([(0, 0, 0), (2.5, 0, 0)], 4, {"middle": np.array([2])})
    fe = fem.assemble(mesh, fem.Beam(steel, fem.Tube(0.25, thickness=0.01), up=(0, 0, 1)))
    reduced = modal.reduce(fe, modal.craig_bampton(fe, ("start", "middle", "end"), n_normal=1))
    deck = fb.FlexibleBody("deck", reduced, place={"start": (0, -1.25, 0), "end": (0, 1.25, 0)})
    ball = fb.RigidBody("unbalance", MASS, (0.05,) * 3, center=(LEVER, 0, 0))
    shaft = fb.Revolute("shaft", deck["middle"], ball, point=(0, 0, 0), axis="y")
    mount = fb.Bushing(
        "mount", fb.GROUND, deck["middle"], point=(0, 0, 0),
        stiffness=(stiffness,) * 3 + (1e7,) * 3, damping=(damping,) * 3 + (1e5,) * 3,
    )  # fmt: skip
    return fb.System(
        [deck, ball], [shaft, fb.Drive("motor", shaft, value=angle)], [mount]
    ), reduced.mass + MASS


def of_a_rigid_deck(t: np.ndarray, stiffness: float, damping: float, mass: float) -> np.ndarray:
    """Where the middle of a rigid deck is, x and z (nt, 2): M u'' + d u' + k u = -m e (exp(i angle))'', by SciPy."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        u, speed, smooth = complex(*y[:2]), complex(*y[2:]), np.tanh(t / 0.5)
        turns, faster = SPEED * smooth**2, 4 * SPEED * smooth * (1 - smooth**2)
        force = -MASS * LEVER * (1j * faster - turns**2) * np.exp(1j * angle(t))
        change = (force - damping * speed - stiffness * u) / mass
        return [speed.real, speed.imag, change.real, change.imag]

    y = solve_ivp(rates, (0, t[-1]), np.zeros(4), t_eval=t, rtol=1e-9, atol=1e-12, method="DOP853").y
    return np.column_stack([y[0], -y[1]])


@pytest.mark.filterwarnings(
    "ignore::flexbody.FlexbodyWarning"
)  # it tells that the deck's bending is not followed
def test_a_turning_unbalance_costs_what_its_guided_error_allows():
    """By default what constraints put right may be ten times as large, which takes a root of ten times fewer steps.

    Of the deck's way 0.13 % is its bending, which the rigid deck hasn't; 300 fixed steps are off by 0.22 %.
    """
    stiffness, damping = 6e4, 1000.0
    machine, mass = screen(stiffness, damping)
    options = dict(output_step=5e-3, show_progress=False)
    found = fb.simulate(machine, T_END, **options)
    strict = fb.simulate(machine, T_END, integrator=fb.GeneralizedAlpha(rtol=1e-5), **options)
    right = of_a_rigid_deck(found.t, stiffness, damping, mass)
    off = found.position(("deck", "middle"))[:, [0, 2]] - right
    assert np.sqrt(np.mean(off**2)) < 2e-3 * np.abs(right).max()
    assert found.statistics.steps * np.sqrt(10.0) < strict.statistics.steps
