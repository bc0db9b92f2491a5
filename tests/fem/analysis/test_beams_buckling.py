"""Buckling of beams and frames: flexural, torsional, lateral, by torque; what kind of moment a nodal moment is."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from scipy.integrate import solve_ivp
from support.dense import Dense, chain
from support.rates import rate

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7800.0)
E, G = STEEL.E, STEEL.E / 2.6
#: a narrow strip (weak about z) that does not bend in its own plane before it buckles, as the formulas assume
STRIP = fem.Rectangle(0.002, 0.05)
STRIP = replace(STRIP, Iy=1e4 * STRIP.Iy)
LATERAL = np.sqrt(E * STRIP.Iz * G * STRIP.J)


#: P L^2 / E I, freedoms (y, rz) held at both ends; the last of the first end slides along
EULER = {
    2.4674011: ([1, 5], []),
    9.8696044: ([1], [1]),
    20.1907286: ([1, 5], [1]),
    39.4784176: ([1, 5], [1, 5]),
}


@pytest.mark.parametrize("exact", EULER)
@pytest.mark.parametrize("element", ["all moments", "hinged rigid ends"])
def test_euler_loads(exact, element):
    start, end = EULER[exact]
    section = fem.Circle(0.01)
    beam = fem.Beam(STEEL, section, shear=False)
    counts, errors = np.array([4, 8, 16]), []
    for n in counts:
        model = chain(beam, n, 1.0)
        if element == "hinged rigid ends":  # pins as releases of clamped ends
            hinge = [("rz",) if names == [1] else () for names in (start, end)]
            line = [("line2", [[k, k + 1]], beam) for k in range(n)]
            line[0] = ("line2", [[0, 1]], replace(beam, releases={"start": hinge[0]}))
            last = {"start": hinge[0], "end": hinge[1]} if n == 1 else {"end": hinge[1]}
            line[-1] = ("line2", [[n - 1, n]], replace(beam, releases=last))
            model = Dense(model.X, line)
            held = [[1, 5] if names == [1] else names for names in (start, end)]
        else:
            held = [start, end]
        fixed = np.concatenate(
            [model.dofs(range(n + 1), [2, 3, 4]), model.dofs(0, [0, *held[0]]), model.dofs(n, held[1])]
        )
        load = model.factors(fixed, model.load(n, [-1.0]))[0][0]
        errors.append(load / (E * section.Iz) / exact - 1)
    assert min(errors) > 0
    # leading term (beta h)^4 / 720 with beta^2 = P / E I, as for frequencies
    np.testing.assert_allclose(errors[1:], (np.sqrt(exact) / counts[1:]) ** 4 / 720, rtol=0.2)
    assert rate(counts, errors) == pytest.approx(4, abs=0.2)


def test_timoshenko_column():
    # Engesser: shear works on the total slope, 1 / P = 1 / P_Euler + 1 / k G A
    section = fem.Rectangle(0.1, 0.1)
    P_E, kGA = np.pi**2 * E * section.Iz, 5 / 6 * G * section.A
    counts, errors = np.array([4, 8, 16]), []
    for n in counts:
        model = chain(fem.Beam(STEEL, section), n, 1.0)
        fixed = np.concatenate(
            [model.dofs(range(n + 1), [2, 3, 4]), model.dofs(0, [0, 1]), model.dofs(n, [1])]
        )
        load = model.factors(fixed, model.load(n, [-1.0]))[0][0]
        errors.append(load * (1 / P_E + 1 / kGA) - 1)
    assert 0 < errors[-1] < 2e-4
    assert rate(counts, errors) > 1.8  # static fields with another shear than that of a sine: h^2


def test_torsional_buckling():
    # N Ip / A = - G J: at once along the whole beam, whatever the mesh
    section = fem.Section(A=1e-3, Iy=1e-6, Iz=1e-6, J=1e-9)
    for n in (1, 3):
        model = chain(fem.Beam(STEEL, section), n, 1.0)
        fixed = np.concatenate([model.dofs(range(1, n + 1), [1, 2, 4, 5]), model.dofs(0)])
        load = model.factors(fixed, model.load(n, [-1.0]))[0][0]
        assert load == pytest.approx(G * section.J * section.A / section.polar, rel=1e-10)


def test_flexural_torsional_buckling_of_one_axis_of_symmetry():
    """Timoshenko & Gere, Theory of Elastic Stability, 5.6, pinned ends, warping free: quadratic in P.

    (I0/A)(P - Py)(P - Pt) - P^2 ys^2 = 0 with I0 about the shear centre and Pt = G J A / I0.
    """
    A, Iy, Iz, J, ys = 1.2e-3, 8e-7, 3e-7, 4e-9, 0.03
    I0 = Iy + Iz + A * ys**2
    P_w, P_t = np.pi**2 * E * Iy / 4, G * J * A / I0  # length 2
    exact = np.min(np.roots([I0 / A - ys**2, -I0 / A * (P_w + P_t), I0 / A * P_w * P_t]))
    assert exact < 0.99 * min(P_w, P_t)  # coupled
    beam, loads = fem.Beam(STEEL, fem.Section(A=A, Iy=Iy, Iz=Iz, J=J, shear_centre=(ys, 0)), shear=False), []
    for n in (8, 16):
        model = chain(beam, n, 2.0)
        fixed = np.concatenate([model.dofs(0, [0, 1, 2, 3]), model.dofs(n, [1, 2, 3])])
        loads.append(model.factors(fixed, model.load(n, [-1.0]))[0][0])
    # linear twist: error h^2, taken out
    assert (4 * loads[1] - loads[0]) / 3 == pytest.approx(exact, rel=2e-5)


def test_lateral_buckling_under_a_tip_force():
    # P L^2 / sqrt(EI GJ) = 4.0126 (Timoshenko & Gere 6.3: 4.013), either way
    counts, errors = np.array([4, 8, 16]), []
    for n in counts:
        model = chain(fem.Beam(STEEL, STRIP, shear=False), n, 1.5)
        up, down = model.factors(model.dofs(0), model.load(n, [0, 0, 1.0]))
        assert up[0] == pytest.approx(down[0], rel=1e-6)
        errors.append(up[0] * 1.5**2 / LATERAL / 4.0126 - 1)
    assert rate(counts, errors) == pytest.approx(2, abs=0.1)  # linear twist
    assert (4 * errors[2] - errors[1]) / 3 == pytest.approx(0, abs=2e-5)  # the digits given


def test_lateral_buckling_under_a_force_above_the_axis():
    """From the tip, s: twist'' + (k s)^2 twist = 0, k = P / sqrt(EI GJ), twist' = - (P a / GJ) twist at the tip."""
    n, L, a = 16, 1.5, 0.005
    strip = fem.Beam(STEEL, STRIP, shear=False)
    force, straight = [0, 0, -1.0], chain(strip, n, L)
    above = chain(replace(strip, offset=(0.0, -a)), n, L, start=(0, 0, a))  # nodes above the axis
    loads = [m.factors(m.dofs(0), m.load(n, force))[0][0] for m in (above, straight)]

    def twist_at_the_root(P, a):
        k, tip = P / LATERAL, [1.0, -P * a / (G * STRIP.J)]
        solution = solve_ivp(lambda s, y: [y[1], -((k * s) ** 2) * y[0]], (0, L), tip, rtol=1e-10, atol=1e-12)
        return solution.y[0, -1]

    bracket = 3.5 * LATERAL / L**2, 4.2 * LATERAL / L**2
    exact = [scipy.optimize.brentq(twist_at_the_root, *bracket, args=(height,)) for height in (a, 0.0)]
    assert exact[1] * L**2 / LATERAL == pytest.approx(4.0126, abs=5e-5)
    # the small difference to 1 %: both models have the same discretisation error, of 4e-3
    assert 1 - loads[0] / loads[1] == pytest.approx(1 - exact[0] / exact[1], rel=0.01)


@pytest.mark.parametrize(
    "section", [STRIP, replace(fem.ISection(0.2, 0.08, web=0.004, flange=0.006), Iy=1.0)]
)
def test_lateral_buckling_under_uniform_moment(section):
    # ends forked: M L / sqrt(EI GJ) = pi (T & G 6.2, warping free), thin-walled as well as solid
    counts, errors, L = np.array([4, 8, 16]), [], 2.0
    exact = np.pi * np.sqrt(E * section.Iz * G * section.J) / L
    for n in counts:
        model = chain(fem.Beam(STEEL, section, shear=False), n, L)
        fixed = np.concatenate([model.dofs(0, [0, 1, 2, 3]), model.dofs(n, [1, 2, 3])])
        f = model.load(n, [0, 0, 0, 0, 1.0]) - model.load(0, [0, 0, 0, 0, 1.0])
        errors.append(model.factors(fixed, f)[0][0] / exact - 1)
    assert rate(counts, errors) == pytest.approx(2, abs=0.1)
    assert (4 * errors[2] - errors[1]) / 3 == pytest.approx(0, abs=5e-5)


def test_lateral_buckling_of_a_beam_with_unequal_flanges():
    """Uniform moment, one axis of symmetry (z): M with Wagner's beta, ends forked, warping free.

    EI GJ (pi/L)^2 = M^2 + M b EI (pi/L)^2 from the equilibrium of bending and twist with the stiffness GJ - M b
    of the fibres that turn, b = int z r^2 dA / Iy - 2 zs (Timoshenko & Gere 6.2; Trahair).
    """
    A, Iy, Iz, J, zs, by, L = 2e-3, 1.0, 4e-7, 3e-8, 0.04, -0.05, 2.0
    section = fem.Section(A=A, Iy=Iy, Iz=Iz, J=J, shear_centre=(0.0, zs), wagner=(by, 0.0))
    n = 24
    model = chain(fem.Beam(STEEL, section, shear=False), n, L)
    fixed = np.concatenate([model.dofs(0, [0, 1, 2, 3]), model.dofs(n, [1, 2, 3])])
    f = model.load(n, [0, 0, 0, 0, 1.0]) - model.load(0, [0, 0, 0, 0, 1.0])
    found = [values[0] for values in model.factors(fixed, f)]
    P, b = np.pi**2 * E * Iz / L**2, by - 2 * zs
    exact = np.roots([1.0, -P * b, -P * G * J])  # M^2 - P (GJ + M b) = 0
    np.testing.assert_allclose(found, [exact.max(), -exact.min()], rtol=2e-3)


def test_shaft_under_torque():
    # Greenhill, clamped ends, one free to turn and slide: T L / EI = 2 x 4.4934, tan x = x
    exact = 2 * scipy.optimize.brentq(lambda x: np.sin(x) - x * np.cos(x), 4.4, 4.6)
    section, counts, errors = fem.Circle(0.02), np.array([4, 8, 16]), []
    for n in counts:
        model = chain(fem.Beam(STEEL, section, shear=False), n, 1.0)
        fixed = np.concatenate([model.dofs(0), model.dofs(n, [1, 2, 4, 5])])
        factor = model.factors(fixed, model.load(n, [0, 0, 0, 1.0]))
        assert factor[0][0] == pytest.approx(factor[1][0], rel=1e-6)  # left or right
        errors.append(factor[0][0] / (E * section.Iz) / exact - 1)
    assert rate(counts, errors) == pytest.approx(4, abs=0.5)
    assert abs(errors[-1]) < 1e-3


# right-angled frames of Argyris et al. (Comput. Meth. Appl. Mech. Eng. 20, 1979): legs 240 x 30 x 0.6 mm,
# E = 71240, nu = 0.31 (G = 27190) N/mm^2
LEG, FOIL = 240.0, fem.Section(A=18.0, Iy=0.6 * 30**3 / 12, Iz=30 * 0.6**3 / 12, J=30 * 0.6**3 / 3)
ALUMINIUM = fem.Isotropic(E=71240.0, nu=71240.0 / (2 * 27190.0) - 1, rho=1.0)


def test_frame_under_a_force_in_its_plane():
    # clamped at one end, force along the first leg at the tip of the second: 1.088 and - 0.680 N
    # (Argyris et al. 1979; Simo & Vu-Quoc, Comput. Meth. Appl. Mech. Eng. 58, 1986)
    n = 16
    s = np.linspace(0, LEG, n + 1)
    X = np.vstack([np.stack([s, 0 * s, 0 * s], 1), np.stack([LEG + 0 * s[1:], 0 * s[1:], -s[1:]], 1)])
    nodes = np.stack([np.arange(2 * n), np.arange(1, 2 * n + 1)], 1)
    first, second = fem.Beam(ALUMINIUM, FOIL), fem.Beam(ALUMINIUM, FOIL, up=(1.0, 0, 0))
    model = Dense(X, [("line2", nodes[:n], first), ("line2", nodes[n:], second)])
    pulled, pushed = model.factors(model.dofs(0), model.load(2 * n, [1.0]))
    assert pulled[0] == pytest.approx(1.088, abs=1e-3)  # the digits given
    assert pushed[0] == pytest.approx(0.680, abs=1e-3)


@pytest.mark.parametrize("legs", ["45 degrees", "renumbered"])
def test_frame_under_end_moments(legs):
    """Ends turn about the frame's normal only; moments about it. Exact +- pi sqrt(EI GJ) / l = 622.2 N mm.

    With moments that are not semitangential at the corner (quasi-tangential ones on either side of it) the two
    signs, or the corner, come out wrong: Argyris et al. (1979).
    """
    exact = np.pi * np.sqrt(ALUMINIUM.E * FOIL.Iz * 27190.0 * FOIL.J) / LEG
    assert exact == pytest.approx(622.2, abs=0.05)
    counts, errors = np.array([5, 10, 20]), []
    for n in counts:
        s = np.linspace(0, LEG, n + 1) / np.sqrt(2)
        X = np.vstack([np.stack([s, 0 * s, s], 1), np.stack([s[-1] + s[1:], 0 * s[1:], s[-1] - s[1:]], 1)])
        nodes = np.stack([np.arange(2 * n), np.arange(1, 2 * n + 1)], 1)
        if legs == "renumbered":  # the second leg's elements run the other way
            nodes[n:] = nodes[n:, ::-1]
        model = Dense(X, [("line2", nodes, fem.Beam(ALUMINIUM, FOIL))])
        fixed = np.concatenate([model.dofs(0, [0, 1, 2, 3, 5]), model.dofs(2 * n, [1, 2, 3, 5])])
        f = model.load(0, [0, 0, 0, 0, 1.0]) - model.load(2 * n, [0, 0, 0, 0, 1.0])
        plus, minus = model.factors(fixed, f)
        assert plus[0] == pytest.approx(minus[0], rel=1e-6)
        errors.append(plus[0] / exact - 1)
    assert rate(counts, errors) == pytest.approx(2, abs=0.1)
    # in-plane bending before buckling is left out of both; the strip bends 2500 times less than it does sideways
    assert (4 * errors[2] - errors[1]) / 3 == pytest.approx(0, abs=1e-4)


def test_tension_stiffens():
    # pinned beam with axial force N: omega^2 = (EI b^4 + N b^2) / rho A, b = pi / L
    section, N, n = fem.Tube(0.02, 0.018), 2e4, 12
    beam = fem.Beam(STEEL, section, shear=False, rotary=False)
    model = chain(beam, n, 1.0)
    u = np.zeros(model.n)
    u[0::6] = N / (E * section.A) * model.X[:, 0]
    keep = model.dofs(range(n + 1), [2, 4])
    free = np.setdiff1d(keep, model.dofs([0, n], [2]))
    pick = np.ix_(free, free)
    found = scipy.linalg.eigh((model.K + model.K_G(u))[pick], model.M()[pick], eigvals_only=True)[0]
    exact = (E * section.Iy * np.pi**4 + N * np.pi**2) / (STEEL.rho * section.A)
    assert found == pytest.approx(exact, rel=2 * (np.pi / n) ** 4 / 720)
