"""Sections, thicknesses and materials that don't fit the mesh: signs of millimetres."""

import warnings
from dataclasses import replace

import pytest
from support.every import straight
from support.frames import STEEL, line

import fem

METRE = line([(0, 0, 0), (1, 0, 0)], 4)
LONG = line([(0, 0, 0), (300, 0, 0)], 4)
SHEET = straight("quad4", 4)


def beam(section, material=STEEL):
    return fem.Beam(material, section)


@pytest.mark.parametrize(
    ("mesh", "its", "message"),
    [
        (
            METRE,
            beam(fem.Rectangle(50, 100)),
            "a section 100 m wide on a mesh 1 m long looks like mm; give 0.1 m",
        ),
        (METRE, beam(fem.Tube(60, thickness=4)), "a section 60 m wide on a mesh 1 m long .* give 0.06 m"),
        (METRE, beam(fem.ISection(200, 100, web=6, flange=9)), "a section 200 m wide"),
        (METRE, beam(fem.Section(A=120.0, Iy=1e3, Iz=1e3, J=1e3)), "a section 10 m wide"),
        (METRE, fem.Truss(STEEL, 100.0), "a section 10 m wide on a mesh 1 m long"),
        (SHEET, fem.Shell(STEEL, 8), "a shell 8 m thick on a mesh 1 m long looks like mm; give 0.008 m"),
        (
            LONG,
            beam(fem.Circle(20.0)),
            "a section 20 m wide, of metal, looks like mm; give 0.02 m, and the mesh",
        ),
        (replace(SHEET, points=300 * SHEET.points), fem.Shell(STEEL, 8), "a shell 8 m thick, of metal"),
        (
            METRE,
            beam(fem.Circle(0.02), fem.Isotropic(210e15, 0.3, 7850.0)),
            "E = 2.1e.17 Pa is larger than that of any material; .*'SI'",
        ),
        (
            METRE,
            beam(fem.Circle(0.02), fem.Isotropic(210e9, 0.3, 7.85e15)),
            "density of 7.85e.15 kg/m.3 is larger than that of any mat",
        ),
        (
            METRE,
            beam(fem.Circle(0.02), fem.Isotropic(210e3, 0.3, 7.85e-9)),
            r"looks like t/mm\^3; give 7850 kg/m\^3; E = 210000 .* looks like MPa; give 2.1e\+11 Pa",
        ),
    ],
)
def test_what_does_not_fit_is_told_once(mesh, its, message):
    with pytest.warns(fem.FlexbodyWarning, match=f"units look wrong: .*{message}.*in SI: m, Pa") as caught:
        fem.assemble(mesh, its)
    assert len(caught) == 1


def test_what_is_no_material():
    with pytest.raises(fem.InputError, match=r"such as fem.Isotropic have units to check, not 3"):
        fem.check_units(METRE, [3])
    fem.check_units(METRE, STEEL)  # one alone


@pytest.mark.parametrize(
    ("mesh", "its"),
    [
        (METRE, beam(fem.Circle(0.5))),  # a stub
        (LONG, beam(fem.Tube(10, thickness=0.1))),  # a tower
        (LONG, beam(fem.Rectangle(6, 4), fem.Isotropic(30e9, 0.2, 2500.0))),  # a pier of concrete
        (LONG, beam(fem.Section(A=8.0, Iy=900.0, Iz=2000.0, J=900.0))),  # a ship's hull
        (
            replace(SHEET, points=60 * SHEET.points),
            fem.Shell(fem.Isotropic(30e9, 0.2, 2500.0), 3.0),
        ),  # a raft
        (SHEET, fem.Shell(STEEL, 0.2)),
        (METRE, beam(fem.Section(A=100.0, Iy=1e-8, Iz=1e-8, J=1e-8))),  # a bar that does not stretch
        (METRE, beam(replace(fem.Rectangle(0.2, 0.2), A=40.0))),  # another
        (METRE, fem.Truss(fem.Isotropic(1.2e12, 0.1, 3515.0), 1e-4)),  # diamond
        (METRE, fem.Truss(fem.Isotropic(560e9, 0.25, 22590.0), 1e-4)),  # osmium
        (line([(0, 0, 0), (1e-4, 0, 0)], 2), beam(fem.Rectangle(1e-5, 2e-6))),  # a micromechanical bar
    ],
)
def test_what_exists_passes_in_silence(mesh, its):
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        fem.assemble(mesh, its)
