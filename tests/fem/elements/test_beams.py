"""Beams: matrices as printed, exact statics, mass by brute force, orientation, releases, offsets."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.beam_cases import STEEL, angle_iron, beams, line_fields, points_of, rigid_motions
from support.dense import Dense, chain, mass_matrix

import fem

G = STEEL.E / 2.6
UP = (0.3, 0.2, 1.0)
ANGLE, FIBRES = angle_iron()
BEAMS = {
    "circle": fem.Beam(STEEL, fem.Circle(0.05), up=UP),
    "tube, euler": fem.Beam(STEEL, fem.Tube(0.05, 0.04), up=UP, shear=False),
    "rectangle": fem.Beam(STEEL, fem.Rectangle(0.02, 0.06), up=UP),
    "I": fem.Beam(STEEL, fem.ISection(0.1, 0.06, web=0.004, flange=0.006), up=UP, shear=False),
    "angle": fem.Beam(STEEL, ANGLE, up=UP),
    "offset": fem.Beam(STEEL, ANGLE, up=UP, offset=((0.1, 0.05), (-0.02, 0.1))),
    "hinges": fem.Beam(
        STEEL, fem.Rectangle(0.02, 0.06), up=UP, releases={"start": ("ry",), "end": ("rx", "rz")}
    ),
    "both": fem.Beam(STEEL, ANGLE, up=UP, offset=(0.1, 0.05), releases={"end": ("uy", "ry")}),
}
EVERY = pytest.mark.parametrize("name", BEAMS)


# properties of every beam ------------------------------------------------------------------------------------


@EVERY
def test_rigid_motions_are_the_only_ones_that_cost_nothing(name):
    beam, X = BEAMS[name], beams()
    K = beam.stiffness("line2", X)
    np.testing.assert_array_equal(K, np.swapaxes(K, 1, 2))
    assert np.abs(K @ rigid_motions(X)).max() < 1e-13 * np.abs(K).max()
    released = sum(len(names) for names in beam.releases.values())
    scale = np.sqrt(np.einsum("eii->ei", K))
    scale[scale == 0] = 1
    values = np.linalg.eigvalsh(K / scale[:, :, None] / scale[:, None])
    assert np.all((np.abs(values) < 1e-11).sum(axis=1) == 6 + released)


@EVERY
def test_orientation_does_not_matter(name):
    beam, X = BEAMS[name], beams()
    Q = Rotation.random(random_state=5).as_matrix()
    turned, big = replace(beam, up=tuple(Q @ beam.up)), np.kron(np.eye(4), Q)
    u = np.random.default_rng(0).standard_normal((3, 12)) * 1e-3
    for before, after in (
        (beam.stiffness("line2", X), turned.stiffness("line2", X @ Q.T)),
        (beam.geometric("line2", X, u), turned.geometric("line2", X @ Q.T, u @ big.T)),
        *(
            (mass_matrix(beam.samples("line2", X, l)), mass_matrix(turned.samples("line2", X @ Q.T, l)))
            for l in (0, 1)
        ),
    ):
        np.testing.assert_allclose(after, big @ before @ big.T, atol=2e-13 * np.abs(before).max())
    np.testing.assert_allclose(
        turned.stress("line2", X @ Q.T, u @ big.T).forces,
        beam.stress("line2", X, u).forces,
        rtol=1e-9,
        atol=1e-6,
    )


@EVERY
def test_which_end_comes_first_does_not_matter(name):
    beam, X = BEAMS[name], beams()
    if beam.section is ANGLE:  # y turns round with x: mirror what is not symmetric
        mirrored = replace(
            ANGLE,
            Iyz=-ANGLE.Iyz,
            shear_centre=(-ANGLE.shear_centre[0], ANGLE.shear_centre[1]),
            wagner=(ANGLE.wagner[0], -ANGLE.wagner[1]),
        )
        beam = replace(beam, section=mirrored)
    offset = np.broadcast_to(beam.offset, (2, 2))[::-1] * [-1, 1]
    other = replace(
        beam,
        section=BEAMS[name].section,
        offset=tuple(map(tuple, offset)),
        releases={a: beam.releases.get(b, ()) for a, b in (("start", "end"), ("end", "start"))},
    )
    order = np.r_[6:12, 0:6]
    u = np.random.default_rng(0).standard_normal((3, 12)) * 1e-3
    for one, two in (
        (beam.stiffness("line2", X), other.stiffness("line2", X[:, ::-1])),
        (mass_matrix(beam.samples("line2", X)), mass_matrix(other.samples("line2", X[:, ::-1]))),
        (beam.geometric("line2", X, u), other.geometric("line2", X[:, ::-1], u[:, order])),
    ):
        np.testing.assert_allclose(two[:, order][:, :, order], one, atol=1e-12 * np.abs(one).max())


@EVERY
@pytest.mark.parametrize("lumped", [False, True])
def test_mass_moves_rigidly_and_is_complete(name, lumped):
    beam, X = BEAMS[name], beams()
    samples = beam.samples("line2", X, lumped)
    at = beam._local("line2", X).at
    np.testing.assert_allclose(
        samples.weights.sum(axis=1), STEEL.rho * beam.section.A * at.length, rtol=1e-13
    )
    moved = np.einsum("eqka,eab->eqkb", samples.shape, rigid_motions(X))
    np.testing.assert_allclose(moved[..., :3], np.broadcast_to(np.eye(3), moved[..., :3].shape), atol=1e-13)
    for k, axis in enumerate(np.eye(3)):
        np.testing.assert_allclose(moved[..., 3 + k], np.cross(axis, samples.points), atol=1e-13)


@EVERY
def test_all_moments_of_the_mass_are_those_of_the_volume(name):
    """Everything C1..C8 are made of: int (1, x, x x), int (1, x) S, int S S', against points over the volume."""
    beam, X = BEAMS[name], beams(1)
    samples, loc = beam.samples("line2", X), beam._local("line2", X)
    at, section = loc.at, beam.section
    c, s = np.cos(section.angle), np.sin(section.angle)
    y, z, dA = FIBRES if section is ANGLE else points_of(section)
    y, z = c * y + s * z, c * z - s * y
    xi, weight = np.polynomial.legendre.leggauss(7)
    xi, weight, L = (1 + xi) / 2, weight / 2, at.length[0]
    P = at.principal[0]
    points = at.ends[0, 0] + xi[:, None, None] * (at.ends[0, 1] - at.ends[0, 0])
    points = (points + np.einsum("q,i->qi", y, P[1]) + np.einsum("q,i->qi", z, P[2])).reshape(-1, 3)
    dm = STEEL.rho * np.outer(weight * L, dA).ravel()
    turn = np.kron(np.eye(4), P @ at.axes[0].T)
    S = np.zeros((len(dm), 3, 12))
    for k in range(12):
        q = (turn @ loc.ends[0][:, k]).reshape(2, 6)
        tx, ty, tz, v, w = line_fields(beam, L, q)
        u = q[0, 0] + xi * (q[1, 0] - q[0, 0])
        x = xi * L
        local = np.stack(
            [
                u[:, None] + np.outer(ty(x), z) - np.outer(tz(x), y),
                v(x)[:, None] - np.outer(tx(x), z),
                w(x)[:, None] + np.outer(tx(x), y),
            ],
            axis=-1,
        )
        S[:, :, k] = (local @ P).reshape(-1, 3)

    def moments(w, x, S):
        return (w.sum(), w @ x, np.einsum("q,qi,qj->ij", w, x, x), np.einsum("q,qka->ka", w, S)) + (
            np.einsum("q,qi,qka->ika", w, x, S),
            np.einsum("q,qka,qlb->klab", w, S, S),
        )

    mine = moments(samples.weights[0], samples.points[0], samples.shape[0])
    for one, two in zip(mine, moments(dm, points, S), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12 * np.abs(two).max())


@EVERY
def test_without_rotary_inertia(name):
    beam, X = BEAMS[name], beams()
    full, none = (mass_matrix(replace(beam, rotary=r).samples("line2", X)) for r in (True, False))
    less = np.linalg.eigvalsh(full - none)
    assert less.min() > -1e-12 * np.abs(full).max()  # only takes away
    assert less.max() > 1e-7 * np.abs(full).max()
    # a section has no inertia about any of its axes: turning about its axis costs nothing
    at = beam._local("line2", X).at
    spin = rigid_motions(X - at.ends[:, :1])[:, :, 3:] @ at.axes[:, 0, :, None]
    if not beam.releases:
        inertia = np.einsum("eai,eab,ebi->e", spin, none, spin)
        np.testing.assert_allclose(inertia, 0, atol=1e-12 * STEEL.rho * beam.section.polar)


# printed matrices --------------------------------------------------------------------------------------------


def test_matrices_as_printed_by_przemieniecki():
    """Theory of Matrix Structural Analysis (1968): stiffness of 5.6, mass of ch. 11, with shear."""
    section, L = fem.Rectangle(0.2, 0.3), 0.8
    beam, X = fem.Beam(STEEL, section), np.array([[[0, 0, 0], [L, 0, 0]]])
    K, M = beam.stiffness("line2", X)[0], mass_matrix(beam.samples("line2", X))[0]
    for I, rows, sign in ((section.Iz, [1, 5, 7, 11], 1), (section.Iy, [2, 4, 8, 10], -1)):
        P, r2 = 12 * STEEL.E * I / (G * section.A * 5 / 6 * L**2), I / section.A / L**2
        flip = np.array([1, sign, 1, sign])
        stiff = [[12, 6 * L, -12, 6 * L], [0, (4 + P) * L**2, -6 * L, (2 - P) * L**2], [0, 0, 12, -6 * L]]
        stiff.append([0, 0, 0, (4 + P) * L**2])
        stiff = np.triu(stiff) + np.triu(stiff, 1).T
        stiff = STEEL.E * I / (1 + P) / L**3 * stiff * np.outer(flip, flip)
        np.testing.assert_allclose(K[np.ix_(rows, rows)], stiff, rtol=1e-12)
        a = 13 / 35 + 7 / 10 * P + P**2 / 3 + 6 / 5 * r2
        b = (11 / 210 + 11 / 120 * P + P**2 / 24 + (1 / 10 - P / 2) * r2) * L
        c = 9 / 70 + 3 / 10 * P + P**2 / 6 - 6 / 5 * r2
        d = -(13 / 420 + 3 / 40 * P + P**2 / 24 - (1 / 10 - P / 2) * r2) * L
        e = (1 / 105 + P / 60 + P**2 / 120 + (2 / 15 + P / 6 + P**2 / 3) * r2) * L**2
        f = -(1 / 140 + P / 60 + P**2 / 120 + (1 / 30 + P / 6 - P**2 / 6) * r2) * L**2
        mass = np.array([[a, b, c, d], [b, e, -d, f], [c, -d, a, -b], [d, f, -b, e]]) * np.outer(flip, flip)
        mass *= STEEL.rho * section.A * L / (1 + P) ** 2
        np.testing.assert_allclose(M[np.ix_(rows, rows)], mass, rtol=1e-12)
    axial, twist = np.ix_([0, 6], [0, 6]), np.ix_([3, 9], [3, 9])
    pair, stretch = np.array([[2, 1], [1, 2]]) / 6 * STEEL.rho * L, np.array([[1, -1], [-1, 1]]) / L
    np.testing.assert_allclose(M[axial], section.A * pair)
    np.testing.assert_allclose(M[twist], section.polar * pair)
    np.testing.assert_allclose(K[axial], STEEL.E * section.A * stretch)
    np.testing.assert_allclose(K[twist], G * section.J * stretch)


# statics -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deforms", [True, False])
@pytest.mark.parametrize("n", [1, 3])
def test_cantilever_under_every_load_is_exact(deforms, n):
    """Tip loads Fx..Mz in a beam's own axes that point anywhere: Timoshenko's formulas."""
    section, L = fem.Rectangle(0.05, 0.08), 1.3
    Q = Rotation.random(random_state=3).as_matrix()  # columns: local axes
    model = chain(
        fem.Beam(STEEL, section, up=tuple(Q[:, 2]), shear=deforms), n, L, direction=Q[:, 0], start=(1, 2, 3)
    )
    EA, GJ, E = STEEL.E * section.A, G * section.J, STEEL.E
    shear = deforms * L / (G * section.A * 5 / 6)
    flexibility = np.diag([L / EA, 0, 0, L / GJ, L / (E * section.Iy), L / (E * section.Iz)])
    flexibility[1, 1], flexibility[2, 2] = (L**3 / (3 * E * I) + shear for I in (section.Iz, section.Iy))
    flexibility[1, 5] = flexibility[5, 1] = L**2 / (2 * E * section.Iz)
    flexibility[2, 4] = flexibility[4, 2] = -(L**2) / (2 * E * section.Iy)
    turn = np.kron(np.eye(2), Q)
    found = [turn.T @ model.solve(model.dofs(0), model.load(n, turn @ f))[-6:] for f in np.eye(6)]
    np.testing.assert_allclose(np.transpose(found), flexibility, atol=1e-11 * flexibility.max())


def test_unsymmetric_bending_and_twist_about_the_shear_centre():
    L, F = 2.0, np.array([300.0, -500.0])
    model = chain(fem.Beam(STEEL, ANGLE, shear=False), 2, L)
    tip = model.solve(model.dofs(0), model.load(2, [0, *F]))[-6:]
    # force at the centroid: moment of it about the shear centre twists; line of shear centres bends by I^-1 F
    ys, zs = ANGLE.shear_centre
    twist = (-ys * F[1] + zs * F[0]) * L / (G * ANGLE.J)
    assert tip[3] == pytest.approx(twist, rel=1e-9)
    tensor = np.array([[ANGLE.Iz, ANGLE.Iyz], [ANGLE.Iyz, ANGLE.Iy]])
    bent = L**3 / (3 * STEEL.E) * np.linalg.solve(tensor, F)
    np.testing.assert_allclose(tip[1:3], bent + twist * np.array([zs, -ys]), rtol=1e-9)
    # a force through the shear centre does not twist
    straight = model.solve(model.dofs(0), model.load(2, [0, *F, ys * F[1] - zs * F[0]]))[-6:]
    assert abs(straight[3]) < 1e-9 * abs(twist)
    forces = model.blocks[0][2].stress("line2", model.X[model.blocks[0][1]], np.zeros((2, 12))).forces
    assert np.all(forces == 0)


def test_hinge_in_the_middle_of_a_clamped_beam():
    # two cantilevers that share the load: w = (P/2) a^3 / 3 E I, each end turning by itself
    section, a, P = fem.Rectangle(0.05, 0.08), 0.7, 1e3
    plain = fem.Beam(STEEL, section, shear=False)
    for releases in ({"end": ("ry",)}, {"end": ("ry", "rz")}):
        hinged = replace(plain, releases=releases)
        X = [[0, 0, 0], [a, 0, 0], [2 * a, 0, 0]]
        model = Dense(X, [("line2", [[0, 1]], hinged), ("line2", [[1, 2]], plain)])
        fixed = model.dofs([0, 2])
        u = model.solve(fixed, model.load(1, [0, 0, -P]))
        assert u[8] == pytest.approx(-P / 2 * a**3 / (3 * STEEL.E * section.Iy), rel=1e-11)
        forces = hinged.stress("line2", np.array([X[:2]]), u[None, :12]).forces[0]
        assert forces[1, 4] == pytest.approx(0, abs=1e-9 * P * a)
        assert forces[0, 4] == pytest.approx(P / 2 * a, rel=1e-11)  # top in tension: My = + int z sigma
        # sideways only the second release is a hinge
        v = model.solve(fixed, model.load(1, [0, P]))[7]
        stiffness = 6 if "rz" in releases["end"] else 24
        assert v == pytest.approx(P * a**3 / (stiffness * STEEL.E * section.Iz), rel=1e-11)


def test_released_slide_and_spin():
    section, L = fem.Circle(0.03), 1.0
    beam = fem.Beam(STEEL, section, releases={"end": ("ux", "rx", "uz")})
    K = beam.stiffness("line2", np.array([[[0, 0, 0], [L, 0, 0]]]))[0]
    assert np.abs(K[[0, 3, 6, 9, 8]]).max() < 1e-12 * np.abs(K).max()  # no axial force, no torque, no shear
    assert K[10, 10] == pytest.approx(STEEL.E * section.Iy / L)  # constant moment is left


def test_offset_bends_by_an_axial_force():
    # axis e above the nodes, pulled at the node line: moment F e, w = - F e L^2 / 2 E I (centre of curvature below)
    section, L, F, e = fem.Rectangle(0.03, 0.05), 1.0, 1e4, 0.2
    model = chain(fem.Beam(STEEL, section, offset=(0.0, e)), 4, L)
    tip = model.solve(model.dofs(0), model.load(4, [F]))[-6:]
    EI = STEEL.E * section.Iy
    assert tip[2] == pytest.approx(F * e * L**2 / (2 * EI), rel=1e-9)
    assert tip[4] == pytest.approx(-F * e * L / EI, rel=1e-9)
    assert tip[0] == pytest.approx(F * L / (STEEL.E * section.A) + F * e**2 * L / EI, rel=1e-9)


def test_offsets_of_two_ends_make_a_slanted_beam():
    section, X = fem.Rectangle(0.03, 0.05), np.array([[[0, 0, 0], [1.0, 0, 0]]])
    beam = fem.Beam(STEEL, section, offset=((0.0, 0.1), (0.0, 0.4)))
    samples = beam.samples("line2", X)
    assert samples.weights.sum() == pytest.approx(STEEL.rho * section.A * np.hypot(1.0, 0.3))
    np.testing.assert_allclose(samples.weights[0] @ samples.points[0] / samples.weights.sum(), [0.5, 0, 0.25])
    np.testing.assert_allclose(beam.axes("line2", X)[0, 0], np.array([1, 0, 0.3]) / np.hypot(1, 0.3))


# input -------------------------------------------------------------------------------------------------------


def test_wrong_input_is_listed():
    with pytest.raises(
        fem.InputError, match=r"isotropic.*section must.*up =.*shear = 'bernoulli'.*offset.*'middle'"
    ):
        fem.Beam("steel", 3, up=(0, 0, 0), shear="bernoulli", offset=(1, 2, 3), releases={"middle": ()})
    with pytest.raises(fem.InputError, match=r"'start' name 'r'.*'end' must be a tuple"):
        fem.Beam(STEEL, fem.Circle(0.1), releases={"start": ("r",), "end": "ry"})
    for releases, motion in (
        ({"start": ("rx",), "end": ("rx",)}, "spin"),
        ({"start": ("ux",), "end": ("ux",)}, "slide"),
        ({"start": ("ry",), "end": ("ry", "uz")}, "plane x-z"),
        ({"start": ("uy",), "end": ("uy",)}, "plane x-y"),
    ):
        with pytest.raises(fem.InputError, match=motion):
            fem.Beam(STEEL, fem.Circle(0.1), releases=releases)
    beam = fem.Beam(STEEL, fem.Circle(0.1))
    with pytest.raises(fem.InputError, match=r"beams.*'1'.*parallel to up.*up=\(1"):
        beam.check("line2", np.array([[[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, -2.0]]]))
    with pytest.raises(fem.InputError, match=r"'0'.*one point"):
        beam.check("line2", np.ones((1, 2, 3)))
    with pytest.raises(fem.InputError, match="finite"):
        beam.check("line2", np.full((1, 2, 3), np.nan))
    with pytest.raises(fem.InputError, match="'line2'"):
        beam.stiffness("line3", np.zeros((1, 3, 3)))
    beam.check("line2", beams())
    orthotropic = fem.Orthotropic((1e9, 2e9, 3e9), (0.1, 0.2, 0.3), (1e9, 1e9, 1e9), rho=1000.0)
    with pytest.raises(fem.InputError, match="not Orthotropic"):
        fem.Beam(orthotropic, fem.Circle(0.1))


def test_beams_are_values():
    given = fem.Beam(STEEL, fem.Circle(0.1), up=[0, 1, 0], offset=np.zeros((2, 2)), releases={"end": ["ry"]})
    same = fem.Beam(STEEL, fem.Circle(0.1), up=(0, 1, 0), offset=((0, 0), (0, 0)), releases={"end": ("ry",)})
    assert given == same
    assert hash(given) == hash(same)
    assert given != replace(same, releases={})
