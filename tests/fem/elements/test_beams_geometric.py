"""The beam's geometric stiffness against a nonlinear energy by brute force: fibres of finitely turned sections."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.beam_cases import STEEL, angle_iron, beams, line_fields, points_of, rigid_motions
from support.dense import Dense

import fem

SECTION, FIBRES = angle_iron()

BEAMS = {
    "round": fem.Beam(STEEL, fem.Circle(0.05), up=(0.3, 0.2, 1.0)),
    "euler": fem.Beam(STEEL, fem.Rectangle(0.02, 0.06), up=(0.3, 0.2, 1.0), shear=False),
    "angle iron": fem.Beam(STEEL, SECTION, up=(0.3, 0.2, 1.0)),
    "angle iron, euler": fem.Beam(STEEL, SECTION, up=(0.3, 0.2, 1.0), shear=False),
    "offset": fem.Beam(STEEL, SECTION, up=(0.3, 0.2, 1.0), offset=((0.1, 0.05), (-0.02, 0.1))),
    "hinges": fem.Beam(STEEL, SECTION, up=(0.3, 0.2, 1.0), releases={"start": ("ry",), "end": ("ux", "rz")}),
    "both": fem.Beam(
        STEEL,
        SECTION,
        up=(0.3, 0.2, 1.0),
        offset=(0.1, -0.1),
        releases={"start": ("rx", "uy"), "end": ("rz",)},
    ),
}


def state(name, size=1e-3, n=2):
    X = beams(n)
    u = size * np.random.default_rng(8).standard_normal((n, 12))
    return BEAMS[name], X, u


@pytest.mark.parametrize("name", BEAMS)
def test_forces_turn_with_the_body(name):
    """K_G times a rotation is what the nodal loads change by when the stressed element is turned as a whole.

    Forces turn: t x f. Moments conjugate to rotation vectors become m + t x m / 2: semitangential. Exact.
    """
    beam, X, u = state(name)
    load = np.einsum("eij,ej->ei", beam.stiffness("line2", X), u).reshape(-1, 4, 3)
    K_G, motions = beam.geometric("line2", X, u), rigid_motions(X)
    np.testing.assert_array_equal(K_G, np.swapaxes(K_G, 1, 2))
    assert np.abs(K_G @ motions[:, :, :3]).max() < 1e-12 * np.abs(K_G).max()  # shifted: nothing
    for k, axis in enumerate(np.eye(3)):
        found = np.einsum("eij,ej->ei", K_G, motions[:, :, 3 + k])
        turned = np.cross(axis, load) * np.array([1.0, 0.5, 1.0, 0.5])[:, None]
        np.testing.assert_allclose(found, turned.reshape(-1, 12), atol=1e-12 * np.abs(load).max())


def rodrigues(t):
    """exp([t]x) for (possibly complex) rotation vectors (..., 3)."""
    s = np.sum(t * t, axis=-1)[..., None, None]
    C = np.zeros((*t.shape, 3), t.dtype)
    C[..., 2, 1], C[..., 0, 2], C[..., 1, 0] = np.moveaxis(t, -1, 0)
    C[..., 1, 2], C[..., 2, 0], C[..., 0, 1] = np.moveaxis(-t, -1, 0)
    # small angles: series, the terms left out are below 1e-16 for |t| < 0.05
    return np.eye(3) + (1 - s / 6 + s**2 / 120) * C + (0.5 - s / 24 + s**2 / 720) * C @ C


def work(beam, length, forces, q):
    """Work of constant stresses (section forces (2, 6) of principal axes) on the strains of end motions q (2, 6).

    Local principal axes at the centroid; strains of fibres |dx/dX| - 1 and of sections, all with finite rotations.
    """
    section = beam.section.principal
    c, s = np.cos(beam.section.angle), np.sin(beam.section.angle)
    y, z, dA = FIBRES if beam.section.wagner != (0.0, 0.0) else points_of(section)
    y, z = c * y + s * z, c * z - s * y
    tx, ty, tz, v, w = line_fields(beam, length, q)
    x, weights = np.polynomial.legendre.leggauss(6)
    x, weights = (1 + x) * length / 2, weights * length / 2
    tangent = np.stack([1 + (q[1, 0] - q[0, 0]) / length + 0 * x, v.deriv()(x), w.deriv()(x)], axis=1)
    t = np.stack([f(x) for f in (tx, ty, tz)], axis=1)
    rate = np.stack([f.deriv()(x) for f in (tx, ty, tz)], axis=1)
    R = rodrigues(t)
    dR = rodrigues(t + 1e-30j * rate).imag / 1e-30
    turning = np.swapaxes(R, 1, 2) @ dR  # [k]x, k the curvatures
    k = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    strain = np.einsum("qji,qj->qi", R, tangent)  # R' r'
    fibre = tangent[:, None] + y[:, None] * dR[:, None, :, 1] + z[:, None] * dR[:, None, :, 2]
    elongation = np.linalg.norm(fibre, axis=2) - 1
    N, Vy, Vz, T = forces[1, :4]
    My, Mz = (forces[0, k] + x / length * (forces[1, k] - forces[0, k]) for k in (4, 5))
    stress = N / section.A + np.outer(My / section.Iy, z) - np.outer(Mz / section.Iz, y)
    ys, zs = section.shear_centre
    T = T - zs * Vy + ys * Vz  # about the centroid
    density = (stress * elongation) @ dA + Vy * strain[:, 1] + Vz * strain[:, 2] + T * k[:, 0]
    return weights @ density


@pytest.mark.slow
@pytest.mark.parametrize("name", BEAMS)
def test_second_derivative_of_the_work_of_the_stresses(name):
    beam, X, u = state(name, n=1)
    at, _, _, _, ends = beam._local("line2", X)
    section_forces = beam.stress("line2", X, u).forces[0]
    turn = np.kron(np.eye(2), at.principal[0] @ at.axes[0].T)
    forces = section_forces @ turn.T
    length, base, principal = at.length[0], at.axes[0], at.principal[0]
    slip = (ends - at.to_ends)[0]

    def energy(q):
        """Nodes turn by rotation vectors; arms and releases turn with them."""
        motion = np.zeros((2, 6))
        for end in (0, 1):
            R = Rotation.from_rotvec(q[6 * end + 3 : 6 * end + 6])
            s, p = (base.T @ (slip[6 * end + first : 6 * end + first + 3] @ q) for first in (0, 3))
            moved = q[6 * end : 6 * end + 3] + R.apply(at.arms[0, end] + s) - at.arms[0, end]
            turned = (R * Rotation.from_rotvec(p)).as_rotvec()
            motion[end] = np.concatenate([principal @ moved, principal @ turned])
        return work(beam, length, forces, motion)

    K_G = beam.geometric("line2", X, u)[0]
    random, h, scale = np.random.default_rng(5), 2e-3, np.abs(K_G).max()
    for _ in range(12):
        v = random.standard_normal(12)
        # second derivative, sixth order: error h^6, rounding 1e-16 |f| h / h^2
        c = ((0, -49 / 18), (1, 1.5), (2, -0.15), (3, 1 / 90))
        second = sum(a * (energy(k * h * v) + (energy(-k * h * v) if k else 0)) for k, a in c) / h**2
        assert second == pytest.approx(v @ K_G @ v, abs=1e-6 * scale)


def test_an_offset_is_a_stiff_arm():
    """A rigid arm is the limit of a stiff beam between the node and the beam's end, its turning included."""
    X = np.array([[0, 0, 0], [1.0, 0, 0], [0, 0.2, 0.1], [1.0, 0.2, 0.1]])
    plain = fem.Beam(STEEL, fem.Rectangle(0.02, 0.03))
    stiff = fem.Beam(replace(STEEL, E=STEEL.E * 1e5), fem.Circle(0.1), up=(1.0, 0, 0))
    one = Dense(X[:2], [("line2", [[0, 1]], replace(plain, offset=(0.2, 0.1)))])
    two = Dense(X, [("line2", [[2, 3]], plain), ("line2", [[0, 2], [1, 3]], stiff)])
    f = np.array([300.0, -500, 200, 10, 20, -30])
    a = one.solve(one.dofs(0), one.load(1, f))
    b = two.solve(two.dofs(0), two.load(1, f))
    # arms are 2e5 times as stiff in bending, say 1e-4 of all with lever arms and the coarse sum
    np.testing.assert_allclose(a[6:], b[6:12], rtol=1e-4, atol=1e-4 * np.abs(a).max())
    for sign in (1, -1):  # both ways; buckling loads of the whole feel K_G of the arms
        low = [m.factors(m.dofs(0), sign * m.load(1, [-1e3, 0, 0]))[0][0] for m in (one, two)]
        assert low[0] == pytest.approx(low[1], rel=1e-3)
