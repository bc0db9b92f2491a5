"""Frames and trusses as structures: published frequencies, buckling, section forces, releases, reduction to hand."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from support.frames import line

import fem

STEEL = fem.Isotropic(E=200e9, nu=0.3, rho=8000.0)  # of the NAFEMS benchmarks
E = STEEL.E


def merged(lines):
    """Several lines (points, n) as one mesh, joined where points coincide; each an element set "0", "1", ..."""
    points, nodes, sets, at = [], [], {}, {}
    for k, (ends, n) in enumerate(lines):
        mesh = line(ends, n)
        index = []
        for point in mesh.points:
            key = tuple(np.round(point, 9))
            if key not in at:
                at[key] = len(points)
                points.append(point)
            index.append(at[key])
        sets[str(k)] = len(nodes) + np.arange(mesh.n_elements)
        nodes += np.array(index)[mesh.blocks[0].nodes].tolist()
    mesh = fem.Mesh(np.array(points), (fem.Block("line2", np.array(nodes)),), {}, element_sets=sets)
    return mesh, lambda *names: [at[tuple(np.round(name, 9))] for name in names]


def with_sets(mesh, **sets):
    return replace(mesh, node_sets={name: np.atleast_1d(nodes) for name, nodes in sets.items()})


# NAFEMS, Selected benchmarks for natural frequency analysis (R0015); closed form --------------------------------


def test_fv2_pin_ended_double_cross():
    # eight arms of 5 m, 0.125 x 0.125 m, ends pinned, in the plane: groups of equal and close frequencies; modes
    # 2, 3 and 10, 11 move the middle and come out lower when the arms stretch
    angles = np.arange(8) * np.pi / 4
    tips = 5 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    mesh, at = merged([([(0, 0, 0), tip], 8) for tip in tips])
    mesh = with_sets(mesh, tips=at(*tips), all=np.arange(mesh.n_nodes))
    supports = {"all": ("z", "rx", "ry"), "tips": ("x", "y")}
    published = np.array([11.336, *7 * [17.709], 45.345, *7 * [57.390]])
    # the closed form has arms that don't stretch: the same mass and bending stiffness with 1e4 times the area
    section = fem.Rectangle(0.125, 0.125)
    stiff = replace(section, A=1e4 * section.A), replace(STEEL, rho=STEEL.rho / 1e4)
    for A, material, close in ((section, STEEL, [0, 3, 4, 5, 6, 7, 8]), (*stiff, np.arange(16))):
        beam = fem.Beam(material, A, shear=False, rotary=False)
        found = fem.vibration(fem.assemble(mesh, beam), supports, n=16).frequencies_hz
        np.testing.assert_allclose(found[close], published[close], rtol=5e-4)  # (7.07 / 8)^4 / 1440
        assert np.all(found < published * 1.0005)


def test_fv4_cantilever_with_off_centre_masses():
    # 10 m, diameter 0.5 m; 10 t and 1 t on rigid arms of 2 m: coupled bending and torsion
    mesh = line([(0, 0, 0), (10, 0, 0)], 20)
    n = mesh.n_nodes
    mesh = replace(mesh, points=np.vstack([mesh.points, [10, 2, 0], [10, -2, 0]]))
    mesh = with_sets(mesh, start=0, end=n - 1, heavy=n, light=n + 1, far=[n, n + 1])
    parts = [
        fem.Rigid("arm", "far", reference="end"),
        fem.PointMass("heavy", 1e4),
        fem.PointMass("light", 1e3),
    ]
    structure = fem.assemble(mesh, fem.Beam(STEEL, fem.Circle(0.5), shear=False), parts=parts)
    found = fem.vibration(structure, "start", n=6).frequencies_hz
    np.testing.assert_allclose(
        found, [1.723, 1.727, 7.413, 9.972, 18.155, 26.957], rtol=3e-4
    )  # the digits given


def test_fv5_deep_simply_supported_beam():
    # 10 x 2 x 2 m; Timoshenko: bending in pairs, torsion, stretching; Cowper's shear factor for nu = 0.3
    beam, found = fem.Beam(STEEL, fem.Rectangle(2.0, 2.0, nu=0.3)), []
    for n in (20, 40):
        structure = fem.assemble(line([(0, 0, 0), (10, 0, 0)], n), beam)
        supports = {"start": ("x", "y", "z", "rx"), "end": ("y", "z")}
        found.append(fem.vibration(structure, supports, n=9).frequencies_hz)
    published = [42.650, 42.650, 71.20, 125.00, 148.15, 148.15, 213.61, 283.47, 283.47]
    # elements exact in statics converge with h^2; what is left: 42.650 is printed, the formula gives 42.645
    np.testing.assert_allclose((4 * found[1] - found[0]) / 3, published, rtol=1.5e-4)


# buckling and second order ---------------------------------------------------------------------------------------


def test_lateral_buckling_through_the_structure():
    # both ways of Argyris' frame, P = 1.088 and -0.680 N (Comput. Meth. Appl. Mech. Eng. 20, 1979); N and mm
    aluminium = fem.Isotropic(E=71240.0, nu=71240.0 / (2 * 27190.0) - 1, rho=1.0)
    foil = fem.Section(A=18.0, Iy=0.6 * 30**3 / 12, Iz=30 * 0.6**3 / 12, J=30 * 0.6**3 / 3)
    mesh, at = merged([([(0, 0, 0), (240, 0, 0)], 16), ([(240, 0, 0), (240, 0, -240)], 16)])
    mesh = with_sets(mesh, root=at((0, 0, 0)), tip=at((240, 0, -240)))
    legs = {"0": fem.Beam(aluminium, foil), "1": fem.Beam(aluminium, foil, up=(1, 0, 0))}
    structure = fem.assemble(mesh, legs)
    factors = fem.buckling(structure, "root", fem.Force("tip", (1.0, 0, 0)), n=2).factors
    np.testing.assert_allclose(np.sort(factors), [-0.680, 1.088], atol=1e-3)


def test_column_with_a_rigid_block_on_top():
    # force P at the height a above the column's top: v = D (1 - cos k x) below, D = v(L) + a v'(L) the force's
    # place, so that cos kL = k a sin kL with k^2 = P / E I
    L, a = 2.0, 0.5
    section = fem.Circle(0.02)
    mesh = line([(0, 0, 0), (0, 0, L)], 12)
    n = mesh.n_nodes
    mesh = replace(mesh, points=np.vstack([mesh.points, [0, 0, L + a]]))
    mesh = with_sets(mesh, start=0, end=n - 1, top=n)
    beam = fem.Beam(STEEL, section, up=(1, 0, 0), shear=False)
    structure = fem.assemble(mesh, beam, parts=[fem.Rigid("block", "top", reference="end")])
    found = fem.buckling(structure, "start", fem.Force("top", (0, 0, -1.0)), n=1).factors[0]
    k = scipy.optimize.brentq(lambda k: k * a * np.sin(k * L) - np.cos(k * L), 0.1, np.pi / 2 / L)
    assert found == pytest.approx(E * section.Iy * k**2, rel=1e-5)  # (kL / 12)^4 / 720


def test_a_beam_of_offsets_is_the_beam_beside():
    # nodes beside the axis, section shifted back: frequencies and buckling of the plain beam
    plain = fem.Beam(STEEL, fem.Rectangle(0.02, 0.03), shear=False)
    here = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 10), plain)
    there = fem.assemble(line([(0, 0.3, -0.1), (1, 0.3, -0.1)], 10), replace(plain, offset=(-0.3, 0.1)))
    assert there.mass == pytest.approx(here.mass)
    np.testing.assert_allclose(there.center, here.center, atol=1e-12)
    np.testing.assert_allclose(there.inertia, here.inertia, atol=1e-12 * np.abs(here.inertia).max())
    first, second = (fem.vibration(structure, n=6).frequencies_hz for structure in (here, there))
    np.testing.assert_allclose(second, first, rtol=1e-6)
    # a force on the axis is one on the nodes with its moment
    F = np.array([200.0, 30.0, -50.0])
    moved = fem.Force("end", tuple(F), moment=tuple(np.cross((0, -0.3, 0.1), F)))
    loads = (fem.Force("end", tuple(F)), moved)
    tips = [fem.static(s, "start", f).at("end") for s, f in zip((here, there), loads, strict=True)]
    tips[1][:3] += np.cross(tips[1][3:], (0, -0.3, 0.1))
    np.testing.assert_allclose(tips[1], tips[0], rtol=1e-7, atol=1e-12)


# frames and trusses by hand --------------------------------------------------------------------------------------


def test_portal_frame_with_hinged_beam():
    # beam hinged to both columns: each a cantilever with H / 2 at its top
    h, b, H = 3.0, 5.0, 1e4
    section = fem.Rectangle(0.2, 0.2)
    mesh, at = merged([([(0, 0, 0), (0, 0, h)], 2), ([(b, 0, 0), (b, 0, h)], 2), ([(0, 0, h), (b, 0, h)], 1)])
    mesh = with_sets(mesh, feet=at((0, 0, 0), (b, 0, 0)), left=at((0, 0, h)), right=at((b, 0, h)))
    column = fem.Beam(STEEL, section, up=(1, 0, 0), shear=False)
    beam = fem.Beam(STEEL, replace(section, A=1e3), shear=False, releases={"start": ("ry",), "end": ("ry",)})
    structure = fem.assemble(mesh, {"0": column, "1": column, "2": beam})
    result = fem.static(structure, "feet", fem.Force("left", (H, 0, 0)))
    sway = H / 2 * h**3 / (3 * E * section.Iy)
    np.testing.assert_allclose(
        [result.at("left")[0], result.at("right")[0]], sway, rtol=1e-5
    )  # the beam's own EA, 1e3 m^2
    stress = result.stress
    forces = stress.section_forces("2")[0]
    np.testing.assert_allclose(forces[:, 0], -H / 2, rtol=1e-5)  # pushed
    np.testing.assert_allclose(forces[:, 1:], 0, atol=1e-6 * H)
    # moment at the foot H h / 2, and its stress
    foot = stress.section_forces("0")[0, 0]
    assert np.hypot(foot[4], foot[5]) == pytest.approx(H / 2 * h, rel=1e-5)
    at_foot = stress.von_mises[at((0, 0, 0))[0]]
    bending = H / 2 * h * 0.1 / section.Iy
    assert at_foot == pytest.approx(np.hypot(bending, np.sqrt(3) * 1.5 * H / 2 / section.A), rel=1e-5)


@pytest.mark.parametrize("kind", ["line2", "line3"])
def test_tripod_of_trusses(kind):
    # three bars to one joint, statically determinate: forces by the joint's equilibrium, displacement by virtual work
    feet = np.array([(1.0, 0, 0), (-0.5, 0.9, 0), (-0.4, -0.8, 0.1)])
    top, area, F = np.array([0.1, 0.2, 1.5]), 1e-4, np.array([300.0, -200.0, -1000.0])
    points, nodes = np.vstack([feet, top]), np.array([[0, 3], [1, 3], [2, 3]])
    if kind == "line3":
        points = np.vstack([points, (feet + top) / 2])
        nodes = np.column_stack([nodes, [4, 5, 6]])
    sets = {"feet": np.arange(3), "top": np.array([3])}
    mesh = fem.Mesh(points, (fem.Block(kind, nodes),), sets)
    structure = fem.assemble(mesh, fem.Truss(STEEL, area))
    result = fem.static(structure, "feet", fem.Force("top", tuple(F)))
    chords = top - feet
    lengths = np.linalg.norm(chords, axis=1)
    unit = chords / lengths[:, None]
    N = np.linalg.solve(unit.T, F)
    flexibility = np.linalg.inv(unit.T @ np.diag(E * area / lengths) @ unit)
    np.testing.assert_allclose(result.at("top")[:3], flexibility @ F, rtol=1e-9)
    ((_, axial),) = result.stress.of_groups
    np.testing.assert_allclose(axial, np.repeat(N[:, None] / area, nodes.shape[1], axis=1), rtol=1e-9)
    group = structure.groups[0]
    force = group.property.force(kind, points[nodes], structure.of_elements(group, result.u))
    np.testing.assert_allclose(force[:, 0], N, rtol=1e-9)


def test_tangent_of_a_shallow_truss():
    # two bars (+-a, h), pressed down at the top: force 2 N h / l, tangent 2 (EA h^2 + N a^2) / l^3 for small N
    a, h, area = 1.0, 0.1, 1e-4
    points = np.array([(-a, 0, 0), (a, 0, 0), (0, 0, h)])
    mesh = fem.Mesh(
        points,
        (fem.Block("line2", np.array([[0, 2], [1, 2]])),),
        {"feet": np.arange(2), "top": np.array([2])},
    )
    structure = fem.assemble(mesh, fem.Truss(STEEL, area))
    u = np.zeros(9)
    u[8] = -1e-4
    l2 = a * a + h * h
    N = E * area * u[8] * h / l2
    tangent = (structure.K + fem.geometric_stiffness(structure, u)).toarray()[8, 8]
    assert tangent == pytest.approx(2 * (E * area * h**2 + N * a**2) / l2**1.5, rel=1e-12)
