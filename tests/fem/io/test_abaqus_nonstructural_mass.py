"""Nonstructural mass of Abaqus files, against the same part with denser materials, made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from support.abaqus_decks import BAR, GRID, LINE, MATERIAL, PLY, body, read, same
from support.frames import STEEL

import fem

pytestmark = pytest.mark.slow  # together a second or more

SHELL = "*Shell Section, elset=all, material=steel\n 0.004\n"
PLIES = "*Shell Section, elset=all, composite, orientation=o\n 0.002, 3, ply, 0.\n 0.001, 3, steel\n"
PLIES += "*Orientation, name=o\n 1., 0., 0., 0., 1., 0.\n 3, 0.\n"
CARBON = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)


def denser(rho, material=STEEL):
    return replace(material, rho=rho)


@pytest.mark.parametrize("spread", ["", ", distribution=volume proportional"])
def test_a_total_mass_on_some_shells(spread, tmp_path):
    """GRID: two shells of 0.1 x 0.15 m; the second one, of 0.471 kg, carries 0.3 kg more."""
    text = body(GRID, "S4", section=SHELL) + "*Elset, elset=second\n 2\n"
    found = read(
        tmp_path, text + f"*Nonstructural Mass, elset=second, units=TOTAL MASS{spread}\n 0.3\n" + MATERIAL
    )
    mesh = replace(GRID, element_sets={"a": [0], "b": [1]})
    shells = {"a": fem.Shell(STEEL, 0.004), "b": fem.Shell(denser(7850.0 + 0.3 / (0.015 * 0.004)), 0.004)}
    same(fem.assemble(found), fem.assemble(mesh, shells))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_order_of_total_masses_does_not_matter(order, tmp_path):
    """Squares of 1 m, 10 and 20 mm thick, 78.5 and 157 kg at x = 0.5 and 1.5: 10 kg go on them as 1 : 2, 7 on one."""
    text = "*Node\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 2, 0\n6, 2, 1\n*Element, type=S4, elset=one\n1, 1, 2, 3, 4\n"
    text += "*Element, type=S4, elset=two\n2, 2, 5, 6, 3\n*Elset, elset=all\none, two\n"
    text += (
        "*Shell Section, elset=one, material=steel\n 0.01\n*Shell Section, elset=two, material=steel\n 0.02\n"
    )
    masses = [
        f"*Nonstructural Mass, elset={s}, units=total mass\n {m}\n" for s, m in (("all", 10.0), ("one", 7.0))
    ]
    found = fem.assemble(read(tmp_path, text + "".join(masses[k] for k in order) + MATERIAL))
    one, two = 78.5 + 10.0 / 3.0 + 7.0, 157.0 + 20.0 / 3.0
    assert found.mass == pytest.approx(one + two, rel=1e-12)
    assert found.center[0] == pytest.approx((0.5 * one + 1.5 * two) / (one + two), rel=1e-12)


def test_a_mass_per_area_of_layers(tmp_path):
    """6 kg/m^2 over 3 mm, every layer by the same."""
    text = body(GRID, "S4", section=PLIES) + "*Nonstructural Mass, elset=all, units=mass per area\n 6.\n"
    layers = [fem.Layer(denser(3600.0, CARBON), 0.002), fem.Layer(denser(9850.0), 0.001)]
    found = fem.assemble(read(tmp_path, text + PLY + MATERIAL))
    same(found, fem.assemble(GRID, fem.LayeredShell(layers, axis=(1, 0, 0))))


@pytest.mark.parametrize("word", ["*Shell Section", "*Shell General Section"])
def test_a_mass_per_area_of_a_section(word, tmp_path):
    """density= is in addition to the mass of the materials (keyword guide, *Shell Section): 6 kg/m^2."""
    plain = f"{word}, elset=all, material=steel, density=6.\n 0.004\n"
    found = read(tmp_path, body(GRID, "S4", section=plain) + MATERIAL)
    same(fem.assemble(found), fem.assemble(GRID, fem.Shell(denser(9350.0), 0.004)))
    plies = PLIES.replace("*Shell Section", word).replace("composite", "composite, density=6.")
    found = read(tmp_path, body(GRID, "S4", section=plies) + PLY + MATERIAL)
    layers = [fem.Layer(denser(3600.0, CARBON), 0.002), fem.Layer(denser(9850.0), 0.001)]
    same(fem.assemble(found), fem.assemble(GRID, fem.LayeredShell(layers, axis=(1, 0, 0))))


def test_a_mass_per_area_in_millimetres(tmp_path):
    text = "*Node\n1, 0, 0, 0\n2, 100, 0, 0\n3, 100, 100, 0\n4, 0, 100, 0\n"
    text += "*Element, type=S4, elset=all\n1, 1, 2, 3, 4\n*Shell Section, elset=all, material=steel\n 4.\n"
    text += "*Material, name=steel\n*Elastic\n 2.1e5, 0.3\n*Density\n 7.85e-9\n"
    text += "*Nonstructural Mass, elset=all, units=mass per area\n 12e-9\n"  # t/mm^2: 12 kg/m^2
    assert fem.assemble(read(tmp_path, text, units="mm")).mass == pytest.approx(0.01 * (0.004 * 7850 + 12))


def test_a_mass_per_length_of_beams(tmp_path):
    text = LINE + "*Beam Section, elset=all, section=PIPE, material=steel\n 0.02, 0.003\n 0., 0., 1.\n"
    text += "*Nonstructural Mass, elset=all, units=mass per length\n 2.5\n"
    pipe = fem.Tube(0.04, thickness=0.003, nu=0.3)
    points = [(0, 0, 0), (0.6, 0, 0), (1.2, 0.3, 0)]
    mesh = fem.Mesh(points, (fem.Block("line2", [[0, 1], [1, 2]]),), {"x0": [0], "x1": [2]})
    hand = fem.assemble(mesh, fem.Beam(denser(7850.0 + 2.5 / pipe.A), pipe, up=(0, 0, 1)))
    same(fem.assemble(read(tmp_path, text + MATERIAL)), hand)


@pytest.mark.parametrize("kind", ["C3D8I", "C3D8"])
def test_masses_of_solids_add_up(kind, tmp_path):
    """0.001 m^3: 500 kg/m^3 and 2 kg more; C3D8 has a property of its own in files for Abaqus."""
    text = body(BAR, kind) + "*Nonstructural Mass, elset=all, units=mass per volume\n 500.\n"
    text += "*Nonstructural Mass, elset=all, units=total mass\n 2.\n"
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    assert found.mass == pytest.approx(0.001 * 8350 + 2, rel=1e-12)
    plain = fem.assemble(read(tmp_path, body(BAR, kind) + MATERIAL))
    np.testing.assert_allclose(
        fem.vibration(found, n=4).frequencies_hz * np.sqrt(found.mass / plain.mass),
        fem.vibration(plain, n=4).frequencies_hz,
        rtol=1e-9,
    )


@pytest.mark.parametrize(
    ("options", "value", "message"),
    [
        ("elset=all, units=mass per length", "1.", "Isotropic elements have no mass per length"),
        ("elset=all, units=mass per moon", "1.", "units=mass per moon is not known; there are total mass"),
        ("elset=all", "1.", "needs units="),
        ("elset=all, units=total mass", "-1.", "its only line must be the mass"),
        ("elset=all, units=total mass, distribution=even", "1.", "distribution=even is not known"),
        ("elset=none, units=total mass", "1.", "there is no elset 'none'"),
    ],
)
def test_masses_that_are_not_read(options, value, message, tmp_path):
    with pytest.raises(fem.FileError, match=rf"line \d+, \*Nonstructural Mass: .*{message}"):
        read(tmp_path, body(BAR) + f"*Nonstructural Mass, {options}\n {value}\n" + MATERIAL)


def test_a_mass_on_elements_without_a_section(tmp_path):
    text = body(BAR, section="") + "*Nonstructural Mass, elset=all, units=total mass\n 1.\n"
    with pytest.raises(fem.FileError, match="4 of its 4 elements have no section"):
        read(tmp_path, text + MATERIAL)
