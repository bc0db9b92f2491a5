"""STEP files that gmsh meshes: volumes by closed forms, colours, sets by geometry, errors."""

import re
import subprocess
import sys

import numpy as np
import pytest
from support.gmsh import needs_gmsh

import fem
from fem.io import cad

#: each test starts gmsh in a process of its own
pytestmark = [pytest.mark.slow, needs_gmsh]

#: writes a bar of 150 x 30 x 12 mm with two holes of 16 mm, in a process of its own
SCRIPT = """
import gmsh, sys
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
occ = gmsh.model.occ
bar = occ.addBox(0, 0, 0, 150, 30, 12)
holes = [(3, occ.addCylinder(x, 15, -1, 0, 0, 14, 8)) for x in (20, 130)]
occ.cut([(3, bar)], holes)
occ.synchronize()
for path in sys.argv[1:]:
    gmsh.write(path)
"""


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    path = tmp_path_factory.mktemp("cad") / "rod.step"
    paths = [str(path.with_suffix(ending)) for ending in (".step", ".igs", ".brep")]
    subprocess.run([sys.executable, "-c", SCRIPT, *paths], check=True, capture_output=True)
    return path


def coloured(text):
    """The text with the second cylinder in red, by the entities of ISO 10303-46 for a styled face."""
    cylinders = re.findall(r"#(\d+) = CYLINDRICAL_SURFACE", text)
    faces = re.findall(r"#(\d+) = ADVANCED_FACE\('',\([^)]*\),#(\d+)", text)
    face = [number for number, surface in faces if surface in cylinders][1]
    context = re.search(r"#(\d+) = \( GEOMETRIC_REPRESENTATION_CONTEXT", text)[1]
    n = max(map(int, re.findall(r"^#(\d+) =", text, re.MULTILINE)))
    added = [
        "COLOUR_RGB('',0.8,0.1,0.1)", f"FILL_AREA_STYLE_COLOUR('',#{n + 1})", f"FILL_AREA_STYLE('',(#{n + 2}))",
        f"SURFACE_STYLE_FILL_AREA(#{n + 3})", f"SURFACE_SIDE_STYLE('',(#{n + 4}))",
        f"SURFACE_STYLE_USAGE(.BOTH.,#{n + 5})", f"PRESENTATION_STYLE_ASSIGNMENT((#{n + 6}))",
        f"STYLED_ITEM('color',(#{n + 7}),#{face})",
        f"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(#{n + 8}),#{context})",
    ]  # fmt: skip
    lines = "".join(f"#{n + 1 + k} = {entity};\n" for k, entity in enumerate(added))
    end = text.rindex("ENDSEC;")
    return text[:end] + lines + text[end:]


def test_a_rod_from_cad_to_its_frequencies(step, tmp_path):
    """In metres, whatever the file's unit; quadratic sides: the volume of the holes within (12 sides a turn)."""
    (tmp_path / "rod.step").write_text(coloured(step.read_text()))
    mesh = fem.read_mesh(tmp_path / "rod.step", size=8e-3)
    assert {block.element for block in mesh.blocks} == {"tet10"}
    assert mesh.bounding_box == pytest.approx(np.array([[0, 0, 0], [0.15, 0.03, 0.012]]), abs=1e-9)
    exact = 0.15 * 0.03 * 0.012 - 2 * np.pi * 0.008**2 * 0.012
    # a parabola instead of an arc of 30 degrees misses its area by (angle / 2)^4 / 45 of the sector's
    assert mesh.volume == pytest.approx(exact, rel=1e-4)
    (name,) = [name for name in mesh.node_sets if name.startswith("colour")]
    red = mesh.points[mesh.nodes_of(name)]
    from_axis = (
        np.hypot(*(red[:, :2] - [0.13, 0.015]).T)
        if red[:, 0].mean() > 0.1
        else np.hypot(*(red[:, :2] - [0.02, 0.015]).T)
    )
    assert from_axis == pytest.approx(0.008, abs=1e-8)
    chosen = mesh.select("eye", cylinder=((0.02, 0.015, 0), (0, 0, 1), 0.008))
    assert sum(len(block) for block in chosen.faces_of("eye")) > 10
    steel = fem.Isotropic(210e9, 0.3, 7850.0)
    assert fem.assemble(chosen, steel).mass == pytest.approx(7850 * exact, rel=1e-4)


@pytest.mark.parametrize(("ending", "units"), [(".igs", "SI"), (".brep", "mm")])
def test_other_formats_of_the_same_rod(step, ending, units):
    """Volume of the bar without its holes, 150 x 30 x 12 mm^3 less 2 pi 8^2 12 mm^3, but for the chords of circles."""
    mesh = fem.read_mesh(step.with_suffix(ending), size=8e-3, units=units)
    assert mesh.volume == pytest.approx((150 * 30 * 12 - 2 * np.pi * 64 * 12) * 1e-9, rel=1e-3)
    assert np.ptp(mesh.points, axis=0) == pytest.approx([0.15, 0.03, 0.012], rel=1e-9)


def test_units_that_a_geometry_does_not_name(step):
    with pytest.warns(
        fem.FlexbodyWarning, match=r"does not name its units and is read in m: its diagonal is 153\.4 m"
    ):
        fem.read_mesh(step.with_suffix(".brep"), size=20.0)
    with pytest.raises(fem.FileError, match=r"about .*e\+\d+, for 4\.9.* m\^3; .*units='mm'"):
        fem.read_mesh(step.with_suffix(".brep"), size=8e-3)


def test_names_of_faces_become_sets(step, tmp_path):
    """Names as CAD programs write them; the boxes around the sides follow from the script above.

    A face has its name and its colour, the same name may stand at several faces, and "NONE" is no name.
    """
    text = coloured(step.read_text())
    holes = re.findall(r"#(\d+) = CYLINDRICAL_SURFACE", text)
    for face, surface in re.findall(r"#(\d+) = ADVANCED_FACE\('',\([^)]*\),#(\d+)", text):
        low, high = corners(text, face)
        if surface in holes:
            name = "pin, \\X2\\00FC\\X0\\"
        elif high[0] == 0.0 or low[0] == 150.0:
            name = "left side''s" if high[0] == 0.0 else "NONE"
        else:
            continue
        text = text.replace(f"#{face} = ADVANCED_FACE(''", f"#{face}=ADVANCED_FACE (\n '{name}'")
    (tmp_path / "named.stp").write_text(text)
    mesh = fem.read_mesh(tmp_path / "named.stp", size=10e-3)
    (colour,) = [name for name in mesh.node_sets if name.startswith("colour")]
    assert set(mesh.node_sets) == {"pin, ü", "left side's", colour, "part"}
    assert mesh.points[mesh.nodes_of("left side's"), 0] == pytest.approx(0.0, abs=1e-12)
    x, y, _ = mesh.points[mesh.nodes_of("pin, ü")].T
    assert np.hypot(np.minimum(abs(x - 0.02), abs(x - 0.13)), y - 0.015) == pytest.approx(0.008, abs=1e-8)
    assert sum(len(block) for block in mesh.faces_of("pin, ü")) > 20
    assert set(mesh.nodes_of(colour)) < set(mesh.nodes_of("pin, ü"))


#: entities between a face and the points of its vertices
CHAIN = ("ADVANCED_FACE", "FACE_", "EDGE_LOOP", "ORIENTED_EDGE", "EDGE_CURVE", "VERTEX_POINT")


def corners(text, face):
    """The lowest and highest coordinates (mm) of a face's vertices, by the entities that it names."""
    entities = dict(re.findall(r"#(\d+)\s*=\s*(\w+\s*\([^;]*)", text))
    found, left, seen = [], [face], set()
    while left:
        number = left.pop()
        if number in seen or number not in entities:
            continue
        seen.add(number)
        if entities[number].startswith("CARTESIAN_POINT"):
            found.append([float(value) for value in entities[number].split("(")[2].rstrip(")").split(",")])
        elif entities[number].startswith(CHAIN):
            left += re.findall(r"#(\d+)", entities[number])
    return np.min(found, axis=0), np.max(found, axis=0)


def test_the_size_is_chosen_with_a_word(step):
    with pytest.warns(fem.FlexbodyWarning, match=r"meshed with elements of 0.00384 m, a fortieth"):
        fem.read_mesh(step)


def test_a_size_in_millimetres_is_doubted(step):
    """Elements of 8 m in a part of 0.15 m."""
    with pytest.warns(
        fem.FlexbodyWarning, match=r"size=8 m is more than the diagonal .* 0\.008 if it was meant"
    ):
        fem.read_mesh(step, size=8.0)


def test_what_is_no_geometry(step, tmp_path):
    with pytest.raises(fem.InputError, match="says itself in which units"):
        fem.read_mesh(step, units="mm", size=0.01)
    (tmp_path / "part.step").write_text("ISO-10303-21;\nnothing\n")
    with pytest.raises(fem.FileError, match=r"is cut off: line 2 is the last one, 'nothing'"):
        fem.read_mesh(tmp_path / "part.step", size=0.01)
    (tmp_path / "part.bdf").write_text("GRID,1\n")
    with pytest.raises(fem.InputError, match="size= is for geometries"):
        fem.read_mesh(tmp_path / "part.bdf", size=0.01)


def test_a_library_that_gmsh_lacks_is_named(step, monkeypatch):
    said = "OSError: libGLU.so.1: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(cad, "_run", lambda *arguments: {"error": said})
    with pytest.raises(fem.FileError, match=r"libGLU.so.1.*install.*libglu1-mesa"):
        fem.read_mesh(step, size=0.01)
