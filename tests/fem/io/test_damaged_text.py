"""Damaged files of VTK and XDMF are errors with the line."""

import pytest

import fem

VTK = """# vtk DataFile Version 3.0
a tetrahedron
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0
1 0 0
0 1 0
0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
POINT_DATA 4
FIELD FieldData 1
tip 1 4 int
0 0 0 1
"""
VTU = """<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid>
<Piece NumberOfPoints="4" NumberOfCells="1">
<Points>
<DataArray type="Float64" Name="Points" NumberOfComponents="3" format="ascii">
0 0 0
1 0 0
0 1 0
0 0 1
</DataArray>
</Points>
<Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">
0 1 2 3
</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">
4
</DataArray>
<DataArray type="Int64" Name="types" format="ascii">
10
</DataArray>
</Cells>
</Piece>
</UnstructuredGrid>
</VTKFile>
"""
XDMF = """<Xdmf Version="3.0">
<Domain><Grid Name="Grid">
<Geometry GeometryType="XYZ">
<DataItem DataType="Float" Dimensions="4 3" Format="XML" Precision="8">
0 0 0
1 0 0
0 1 0
0 0 1
</DataItem>
</Geometry>
<Topology TopologyType="Tetrahedron" NumberOfElements="1">
<DataItem DataType="Int" Dimensions="1 4" Format="XML" Precision="8">
0 1 2 3
</DataItem>
</Topology>
</Grid></Domain>
</Xdmf>
"""
WHOLE = {"vtk": VTK, "vtu": VTU, "xdmf": XDMF}


def read(folder, text, ending):
    (folder / f"part.{ending}").write_text(text)
    return fem.read_mesh(folder / f"part.{ending}")


@pytest.mark.parametrize("ending", WHOLE)
def test_the_files_are_good(ending, tmp_path):
    mesh = read(tmp_path, WHOLE[ending], ending)
    assert mesh.volume == pytest.approx(1 / 6, rel=1e-12)


@pytest.mark.parametrize(
    ("ending", "old", "new"),
    [
        *((ending, "0 1 0", "0 1O 0") for ending in WHOLE),
        *((ending, "\n0 1 0\n", "\nx 1 0\n") for ending in ("vtu", "xdmf")),
        ("vtk", "POINTS 4", "POINTS four"),
        ("vtk", "CELL_TYPES 1", "CELL_TIPES 1"),
        ("vtu", "</Points>", "</Pints>"),
        ("xdmf", "</Geometry>", ""),
    ],
)
def test_the_line_of_damage_is_named(ending, old, new, tmp_path):
    text = WHOLE[ending].replace(old, new, 1)
    line = WHOLE[ending][: WHOLE[ending].index(old)].count("\n") + 1 + old.startswith("\n")
    line += 6 * (old == "</Geometry>")  # where the element that goes round it ends
    with pytest.raises(fem.FileError, match=rf"part.{ending}, line {line}, as {ending}:"):
        read(tmp_path, text, ending)


@pytest.mark.parametrize("ending", WHOLE)
def test_a_file_that_was_cut_off_anywhere_names_a_line(ending, tmp_path):
    """The line that can't be read, or the last one."""
    whole = WHOLE[ending].splitlines(keepends=True)
    needed = len(whole) - (4 if ending == "vtk" else 0)  # data of points may be missing
    for count in range(1, needed):
        with pytest.raises(fem.FlexbodyError, match=rf"line {count}\b|line {count + 1}\b"):
            read(tmp_path, "".join(whole[:count]), ending)
