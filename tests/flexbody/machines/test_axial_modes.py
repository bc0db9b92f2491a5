"""Koppens' axial modes in motion: force and tangent of the energy, slider-crank, columns, rotating blade."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from reference import machines, nonlinear_rod, slider_crank
from support.cloud import Cloud
from support.frames import line
from support.linear import Turning
from support.rods import EI, rod
from support.state import evaluated, random_state

import fem
import flexbody as fb
import modal
from flexbody.compile.plan import make_plan
from flexbody.core.body import body_matrix
from flexbody.core.equations import residual


def rms(found, exact):
    return np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2))


def cloud_plan(stiffening=True):
    """A cloud of points with two axial modes of random numbers."""
    rng = np.random.default_rng(3)
    body = Cloud.random(rng).centred().body(mean=True)
    T = rng.normal(size=(2, body.N, body.N))
    energy = modal.AxialEnergy(rng.normal(size=(2, body.N)), T + T.transpose(0, 2, 1))
    body = fb.FlexibleBody("cloud", replace(body, axial=energy), stiffening=stiffening)
    return energy, make_plan(fb.System([body]))


def forces(plan, state):
    W = evaluated(plan, state)
    residual(plan.layout, W, 0.0, state[2], state[3], state[4], np.zeros(0))
    return W.residual.copy()


def central(function, x, h):
    """Derivatives by each entry of x, error h^4: (., n)."""
    columns = []
    for e in h * np.eye(len(x)):
        near, far = function(x + e) - function(x - e), function(x + 2 * e) - function(x - 2 * e)
        columns.append((8 * near - far) / (12 * h))
    return np.array(columns).T


def test_the_force_is_the_derivative_of_the_energy():
    """Of fourth degree: differences of order four are exact, up to rounding."""
    energy, plan = cloud_plan()
    _, linear = cloud_plan(stiffening=False)
    state = random_state(plan, np.random.default_rng(1))
    added = forces(plan, state) - forces(linear, state)
    exact = central(lambda a: np.array([energy.energy(a)]), state[2], 1e-2)[0]
    np.testing.assert_allclose(added[6:], exact, atol=1e-10 * np.abs(exact).max())
    # inertia and the rigid motion don't know of it
    np.testing.assert_allclose(added[:6], 0, atol=1e-12 * np.abs(exact).max())


def test_the_matrix_is_the_derivative_of_the_force():
    _, plan = cloud_plan()
    c, q, alpha, v, vdot = random_state(plan, np.random.default_rng(1))
    matrix = np.empty((len(v), len(v)))
    body_matrix(plan.layout, evaluated(plan, (c, q, alpha, v, vdot)), 0, 0.0, 0.0, 1.0, matrix)
    zero = np.zeros_like(v)
    exact = central(lambda a: forces(plan, (c, q, a, zero, zero))[6:], alpha, 1e-2)
    np.testing.assert_allclose(matrix[6:, 6:], exact, atol=1e-10 * np.abs(exact).max())


def machine(reduced):
    system, read = machines.koppens_slider_crank("quintic")
    body = replace(system.body("rod"), reduced=reduced, alpha_dot=None)
    return replace(system, bodies=[body if b.name == "rod" else b for b in system.bodies]), read


@functools.cache
def axial_rod():
    """Craig-Bampton with four bending modes in each plane, one of stretch, one of twist."""
    structure = rod(20)
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=4)
    return modal.reduce(structure, basis, markers=("middle",), stiffening=modal.AxialModes())


def without_completion(reduced, share=1e-4):
    """The body with (C.21) alone: directions divided and quadratics multiplied keep s h and lose h^2 / 2."""
    a = reduced.axial
    return replace(reduced, axial=modal.AxialEnergy(a.direction / share, a.quadratic * share))


class TestPlanarSliderCrank:
    """Koppens 5.5.1, against the nonlinear rod: 0.47 % rms in a trial with plane beam elements, variant E."""

    @pytest.mark.slow
    def test_over_a_turn_and_a_half(self):
        system, read = machine(axial_rod())
        result = fb.simulate(
            system,
            slider_crank.T_END,
            integrator=fb.GeneralizedAlpha(vibrations=0),
            output_step=slider_crank.OUTPUT_STEP,
            show_progress=False,
        )
        assert rms(read(result)["deflection"], nonlinear_rod.deflection(6, 2e-5)) < 5.5e-3
        # ten times the local tolerance of the integrator; the energy that is printed has the axial part
        assert result.energy.balance_error < 1e-4
        alpha, springs = result.alpha("rod"), result.energy.strain
        energy = [0.5 * a @ axial_rod().K @ a + axial_rod().axial.energy(a) for a in alpha]
        np.testing.assert_allclose(springs, energy, rtol=1e-9, atol=1e-9 * springs.max())
        # the term of fourth order is no small part of it
        quartic = [0.5 * (0.5 * np.einsum("nij,i,j", axial_rod().axial.quadratic, a, a)) ** 2 for a in alpha]
        assert np.max(quartic) > 0.1 * springs.max()

    def test_it_blows_up_without_the_term_of_fourth_order(self):
        """(C.21) is not bounded below: at 5 ms the rod has collapsed, here as in the trial."""
        system, _ = machine(without_completion(axial_rod()))
        with pytest.raises(fem.ConvergenceError, match=r"stops at t = 0\.005.*does not converge"):
            fb.simulate(system, 0.012, output_step=slider_crank.OUTPUT_STEP, show_progress=False)


@pytest.mark.parametrize(("held", "factor"), [("cantilever", 0.25), ("pinned", 1.0)])
def test_euler_column(held, factor):
    """An end load takes away all stiffness at Euler's pi^2 EI/L^2 times 1/4 or 1, to 0.1 %.

    One axial mode of constant force is all that this needs. Half of it would be double counting.
    """
    reduced = axial_rod()
    critical = factor * np.pi**2 * EI / slider_crank.LENGTH**2

    def square(share):
        body = fb.FlexibleBody("column", reduced)
        if held == "cantilever":
            joints = [fb.Fixed("root", fb.GROUND, body["start"])]
        else:
            joints = [
                fb.Universal("foot", fb.GROUND, body["start"], axes=("y", "z")),
                fb.PointOnLine("top", fb.GROUND, body["end"], axis="x"),
            ]
        load = fb.PointForce("load", body["end"], value=(-share * critical, 0, 0))
        return fb.linearize(fb.System([body], joints, forces=[load])).frequencies_hz[0] ** 2

    # the square of the lowest frequency, all but linear in the load, is zero at
    one, two = square(0.98), square(0.99)
    assert 0.99 + 0.01 * two / (one - two) == pytest.approx(1.0, abs=1e-3)


def test_rotating_cantilever():
    """Flap of a blade at eta = 12 (hub radius 0): 13.1702, 37.6031, shared table of an independent solution.

    With the axial shape of the ends alone, whose force is constant, a trial had -1.6 and +4.0 %. The blade's own is
    (L^2 - x^2) / 2: what rotation and what acceleration bring on top, parabolic and linear, make it 0.1 % as the terms
    of second order have it. (The modes have to be chosen; those terms need no choice.)
    """
    mesh = line([(0, 0, 0), (1, 0, 0)], 30)
    steel, section = fem.Isotropic(E=0.2e12, nu=0.3, rho=7.87e3), fem.Circle(0.005)
    structure = fem.assemble(mesh, fem.Beam(steel, section, shear=False))
    unit = np.sqrt(steel.E * section.Iy / (steel.rho * section.A))
    ends = modal.craig_bampton(structure, ("start", "end"), n_normal=12)
    held = {"start": ("x", "y", "z", "rx", "ry", "rz")}
    loads = (modal.inertia_modes(structure), modal.inertia_modes(structure, held))
    found = {}
    for name, basis in (("ends", ends), ("all", modal.combine(ends, *loads))):
        body = fb.FlexibleBody("blade", modal.reduce(structure, basis, stiffening=modal.AxialModes()))
        plan = make_plan(fb.System([body], [fb.Fixed("root", fb.GROUND, body["start"])]))
        found[name] = Turning(plan, (0, 0, 12 * unit)).frequencies()[[1, 3]] / unit
    exact = np.array([13.1702, 37.6031])
    assert np.abs(found["all"] / exact - 1).max() < 1e-3
    error = found["ends"] / exact - 1
    assert -0.03 < error.min() < -0.01
    assert 0.02 < error.max() < 0.06


@pytest.mark.slow
def test_koppens_two_functions():
    """Fig. 5.21: the deflection under a uniform load and the stretch under a constant force, nothing else.

    He finds a significant influence: linear theory is a quarter wrong (test_stiffening). These two leave 1 %.
    """
    x = np.polynomial.Polynomial([0, 1.0])
    l = slider_crank.LENGTH
    bent = 16 / 5 * (x / l - 2 * (x / l) ** 3 + (x / l) ** 4)
    reduced = modal.assumed.beam(
        length=l,
        mass=slider_crank.MASS,
        EI=EI,
        EA=slider_crank.E * slider_crank.AREA,
        polar_inertia=slider_crank.MASS * slider_crank.DIAMETER**2 / 8,
        y=[bent],
        x=[x],
        stiffening=modal.AxialModes(),
    )
    system, read = machine(reduced)
    integrator = fb.GeneralizedAlpha(step=2e-5)
    result = fb.simulate(
        system,
        slider_crank.T_END,
        integrator=integrator,
        output_step=slider_crank.OUTPUT_STEP,
        show_progress=False,
    )
    error = rms(read(result)["deflection"], nonlinear_rod.deflection(6, 2e-5))
    assert error < 0.01


@pytest.mark.parametrize("share", [-0.5, 0.0, 0.5, 0.9])
def test_frequency_of_a_loaded_column(share):
    """Linearised about its equilibrium, with ``share`` of Euler's load: f0 sqrt(1 - share), the modes are sines.

    Rotary inertia takes 1e-4 of f0 = 829.2 / 2 pi Hz; near buckling an error of the load counts tenfold.
    """
    l = slider_crank.LENGTH
    body = fb.FlexibleBody("column", axial_rod())
    joints = [
        fb.Universal("foot", fb.GROUND, body["start"], axes=("y", "z")),
        fb.PointOnLine("top", fb.GROUND, body["end"], axis="x"),
    ]
    load = fb.PointForce("load", body["end"], value=(-share * np.pi**2 * EI / l**2, 0, 0))
    found = fb.linearize(fb.System([body], joints, forces=[load])).frequencies_hz[:2]
    np.testing.assert_allclose(found, 829.2 / (2 * np.pi) * np.sqrt(1 - share), rtol=1e-3)
