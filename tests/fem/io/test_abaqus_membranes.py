"""Membranes of Abaqus files, against the same part made by hand, and the skin under tension of a closed form."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from support.abaqus_decks import MATERIAL, PLY, body, read
from support.frames import STEEL

import fem

CARBON = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
LOOSE = pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
TEN = "*Membrane Section, elset=all, material=steel\n 0.01\n"


def skin(element, n=2, a=1.0):
    """A square of n x n elements with sides of a, slightly bulged, with its rim as a node set."""
    order = 1 if element in ("tri3", "quad4") else 2
    k = order * n + 1
    i, j = np.meshgrid(np.arange(k), np.arange(k), indexing="ij")
    x, y = a * i.ravel() / (k - 1), a * j.ravel() / (k - 1)
    points = np.column_stack([x, y, 0.1 * x * (a - x) * y * (a - y) / a**3])
    local = {
        "quad4": [[(0, 0), (1, 0), (1, 1), (0, 1)]],
        "tri3": [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]],
        "quad8": [[(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1)]],
        "tri6": [
            [(0, 0), (2, 0), (2, 2), (1, 0), (2, 1), (1, 1)],
            [(0, 0), (2, 2), (0, 2), (1, 1), (1, 2), (0, 1)],
        ],
    }
    local["quad9"] = [local["quad8"][0] + [(1, 1)]]
    nodes = [
        [(order * p + u) * k + order * q + v for u, v in one]
        for p in range(n)
        for q in range(n)
        for one in local[element]
    ]
    rim = np.flatnonzero((i % (k - 1) == 0).ravel() | (j % (k - 1) == 0).ravel())
    return fem.drop_unattached(fem.Mesh(points, (fem.Block(element, nodes),), {"rim": rim}))


def same(found, by_hand):
    """The same matrices, without the equations of loose nodes."""
    found = fem.assemble(replace(found, parts=()))
    for A, B in ((found.K, by_hand.K), (found.M, by_hand.M)):
        assert abs(A - B).max() <= 1e-12 * abs(B).max()


@LOOSE
@pytest.mark.parametrize(
    ("kind", "element"),
    [
        *[("M3D3", "tri3"), ("M3D4", "quad4"), ("M3D4R", "quad4"), ("M3D6", "tri6"), ("M3D8", "quad8")],
        *[("M3D8R", "quad8"), ("M3D9", "quad9"), ("M3D9R", "quad9")],
    ],
)
def test_kinds_of_membranes(kind, element, tmp_path):
    mesh = skin(element)
    found = read(tmp_path, body(mesh, kind, section=TEN) + MATERIAL)
    same(found, fem.assemble(mesh, fem.Membrane(STEEL, 0.01)))
    told = any(kind in one.what for one in found.left_out)
    assert told == (kind in ("M3D4", "M3D4R", "M3D8R", "M3D9R"))


@LOOSE
def test_a_membrane_of_a_ply(tmp_path):
    """Axis 1 is the y axis of an orientation, turned by 30 degrees about the normal."""
    text = "*Membrane Section, elset=all, material=ply, orientation=o, density=2.\n 0.003\n"
    text += "*Orientation, name=o\n 0., 1., 0., -1., 0., 0.\n 3, 30.\n"
    mesh = skin("quad4")
    found = read(tmp_path, body(mesh, "M3D4", section=text) + PLY + MATERIAL)
    axis = (-0.5, np.sqrt(0.75), 0.0)
    same(found, fem.assemble(mesh, fem.Membrane(replace(CARBON, rho=1600 + 2 / 0.003), 0.003, axis=axis)))


@LOOSE
def test_thicknesses_at_nodes_and_nonstructural_mass(tmp_path):
    """Each element has the mean thickness of its corners; 6 kg/m^2 on those of one thickness."""
    mesh = skin("quad4", n=1)
    text = "*Membrane Section, elset=all, material=steel, nodal thickness\n"
    text += "*Nodal Thickness\n 1, 0.01\n 2, 0.02\n 3, 0.03\n 4, 0.02\n"
    found = read(tmp_path, body(mesh, "M3D4", section=text) + MATERIAL)
    same(found, fem.assemble(mesh, fem.Membrane(STEEL, 0.02)))
    text = TEN + "*Nonstructural Mass, elset=all, units=mass per area\n 6.\n"
    found = read(tmp_path, body(mesh, "M3D4", section=text) + MATERIAL)
    same(found, fem.assemble(mesh, fem.Membrane(replace(STEEL, rho=8450.0), 0.01)))


@LOOSE
def test_instances_of_a_flat_skin_follow_their_own_nodes(tmp_path):
    """Two skins with the same numbers, one turned, joined by a spring: each is rigid across and free to move."""
    flat = skin("quad4")
    flat = replace(flat, points=flat.points * [1.0, 1.0, 0.0])
    part = f"*Part, name=P\n{body(flat, 'M3D4', section=TEN)}*End Part\n*Assembly, name=A\n"
    placed = "*Instance, name={}, part=P\n{}*End Instance\n"
    part += placed.format("one", "") + placed.format("two", "3., 0., 0.\n0., 0., 0., 1., 2., 3., 50.\n")
    part += "*Element, type=SPRINGA, elset=s\n 1, one.9, two.1\n*Spring, elset=s\n\n 1e9\n*End Assembly\n"
    structure = fem.assemble(read(tmp_path, part + MATERIAL))
    assert structure.n == 2 * (2 * 9 + 3)
    values = np.linalg.eigvalsh(structure.K.toarray())
    assert (np.abs(values[:11]) < 1e-12 * values[-1]).all()
    assert values[11] > 1e-4 * values[-1]


@LOOSE
def test_the_smallest_flat_skin_is_free_in_any_place(tmp_path):
    """One square, of which a corner follows the plane of the others: its frequencies are those in its plane."""
    flat = skin("quad4", 1)
    part = f"*Part, name=P\n{body(flat, 'M3D4', section=TEN)}*End Part\n*Assembly, name=A\n"
    by_hand = fem.assemble(flat, fem.Membrane(STEEL, 0.01))
    plane = np.flatnonzero(np.arange(12) % 3 < 2)
    squares = scipy.linalg.eigvalsh(
        *(each.toarray()[np.ix_(plane, plane)] for each in (by_hand.K, by_hand.M))
    )
    for placed in ("", "3., 0., 0.\n0., 0., 0., 1., 2., 3., 50.\n"):
        text = part + f"*Instance, name=one, part=P\n{placed}*End Instance\n*End Assembly\n" + MATERIAL
        found = fem.vibration(fem.assemble(read(tmp_path, text)), n=5).frequencies_hz
        np.testing.assert_allclose(2 * np.pi * found, np.sqrt(squares[3:]), rtol=1e-9)


def test_a_skin_under_tension(tmp_path):
    """Its first frequency is sqrt(2 s / rho) / 2 a (Rayleigh, Theory of Sound, 1894, art. 197), with an error of h^2.

    An initial stress in the file leaves the nodes free to move across, for fem.preloaded.
    """
    errors = []
    for n in (4, 8):
        flat = skin("quad4", n)
        flat = replace(flat, points=flat.points * [1.0, 1.0, 0.0])
        text = body(flat, "M3D4", section=TEN) + MATERIAL
        text += "*Initial Conditions, type=stress\n all, 1e8, 1e8, 0.\n"
        with pytest.warns(
            fem.FlexbodyWarning, match="the initial stress in line .* give it to fem.preloaded"
        ):
            mesh = read(tmp_path, text)
        assert not mesh.parts
        tight = fem.preloaded(fem.assemble(mesh), np.tile([1e8, 1e8, 0, 0, 0, 0], (mesh.n_nodes, 1)))
        found = fem.vibration(tight, "rim", n=1).frequencies_hz[0]
        errors.append(found / (0.5 * np.sqrt(2e8 / 7850.0)) - 1)
    # bilinear elements with consistent mass: w / w_exact = 1 + (k h)^2 / 24, k = pi / a
    assert errors[1] == pytest.approx((np.pi / 8) ** 2 / 24, rel=0.02)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.03)


def test_a_panel_against_calculix(tmp_path):
    """CalculiX 2.20 on this file: a panel of 1 x 0.2 m, held at x = 0 and across, under 1 kN at a corner.

    Its seven printed digits. Its other membranes are solids on hinges; M3D3 alone is the element of constant strain.
    """
    i, j = np.meshgrid(np.arange(17), np.arange(5), indexing="ij")
    points = np.column_stack([i.ravel() / 16, j.ravel() / 20, 0 * i.ravel()])
    corner = (5 * np.arange(16)[:, None] + np.arange(4)).ravel()
    nodes = np.vstack([corner[:, None] + [0, 5, 6], corner[:, None] + [0, 6, 1]])
    sets = {"left": np.arange(5), "tip": [80], "every": np.arange(85)}
    panel = fem.Mesh(points, (fem.Block("tri3", nodes),), sets)
    text = body(panel, "M3D3", section=TEN) + MATERIAL + "*Boundary\n every, 3, 3\n"
    structure = fem.assemble(read(tmp_path, text))
    held = {"left": ("x", "y", "z"), "every": ("z",)}
    moved = fem.static(structure, held, fem.Force("tip", (0.0, 1000.0, 0.0))).at("tip")
    np.testing.assert_allclose(moved[:2], [2.892997e-05, 1.956776e-04], rtol=3e-7)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("*Shell Section, elset=all, material=steel\n 0.01\n", "membranes need \\*Membrane Section"),
        ("*Membrane Section, elset=all, material=steel\n", "its first line must be the thickness"),
        ("*Membrane Section, elset=all, material=steel, offset=0.5\n 0.01\n", "offset= of membranes"),
        ("*Membrane Section, elset=all, material=steel, membrane thickness=d\n", "\\*Distribution is not"),
        ("*Membrane Section, elset=all\n 0.01\n", "needs material="),
    ],
)
def test_sections_of_membranes_that_are_not_read(section, message, tmp_path):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, body(skin("quad4"), "M3D4", section=section) + MATERIAL)


def test_a_membrane_section_is_for_membranes(tmp_path):
    with pytest.raises(fem.FileError, match="shells need \\*Shell Section, not \\*Membrane Section"):
        read(tmp_path, body(skin("quad4"), "S4", section=TEN) + MATERIAL)


def test_surface_elements_add_nothing_unless_they_have_mass(tmp_path):
    mesh = skin("quad4", 1)
    text = body(mesh, "S4", section="*Shell Section, elset=all, material=steel\n 0.01\n") + MATERIAL
    cover = "*Element, type=SFM3D4, elset=cover\n 99, 1, 3, 4, 2\n*Surface Section, elset=cover{}\n"
    found = read(tmp_path, text + cover.format(""))
    same(found, fem.assemble(mesh, fem.Shell(STEEL, 0.01)))
    assert {"elements of type SFM3D4", "*Surface Section"} <= {one.what for one in found.left_out}
    with pytest.raises(fem.FileError, match="surface elements that carry mass"):
        read(tmp_path, text + cover.format(", density=3."))


def test_the_shear_stiffness_of_a_shell_is_refused_behind_both_sections(tmp_path):
    for word in ("*Shell Section", "*Shell General Section"):
        section = f"{word}, elset=all, material=steel\n 0.01\n*Transverse Shear\n 1e6, 1e6, 0.\n"
        with pytest.raises(fem.FileError, match="Transverse Shear Stiffness of shells is not supported"):
            read(tmp_path, body(skin("quad4", 1), "S4", section=section) + MATERIAL)
