"""Gmsh files, written here as gmsh's manual lays them down, and by gmsh itself where it is installed."""

import numpy as np
import pytest
from support import mixed
from support.fem_meshes import irregular

import fem

# gmsh's manual, "Node ordering": between which corners the nodes after the corners lie
GMSH_MIDDLES = {
    "tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)],
    "hex20": [
        *[(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3)],
        *[(2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)],
    ],
    "wedge15": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)],
    "pyramid13": [(0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4)],
}
GMSH_MIDDLES["hex27"] = [
    *GMSH_MIDDLES["hex20"],
    *[(0, 1, 2, 3), (0, 1, 5, 4), (0, 3, 7, 4), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 6, 7)],
    tuple(range(8)),
]
GMSH_TYPE = {
    "tet4": 4,
    "tet10": 11,
    "hex8": 5,
    "hex20": 17,
    "hex27": 12,
    "wedge6": 6,
    "wedge15": 18,
    "pyramid5": 7,
    "pyramid13": 19,
}
GMSH_TYPE |= {"line2": 1, "line3": 8, "tri3": 2, "quad4": 3}


def in_gmsh_order(mesh):
    """Node tags (from 1) of a mesh's elements in gmsh's order, found by where the middle nodes lie."""
    (block,) = mesh.blocks
    kind = fem.ELEMENTS[block.element]
    where = {tuple(np.round(x, 12)): i for i, x in enumerate(mesh.points)}
    rows = []
    for nodes in block.nodes:
        corners = nodes[: kind.n_corners]
        middles = [
            where[tuple(np.round(mesh.points[corners[list(group)]].mean(axis=0), 12))]
            for group in GMSH_MIDDLES.get(block.element, [])
        ]
        rows.append([*corners, *middles])
    return np.array(rows) + 1


def numbers(row):
    return " ".join(str(value) for value in row)


def gmsh_22(mesh, groups=()):
    """Text of a 2.2 file; ``groups`` (physical tag, name) each hold all elements, which are then repeated."""
    tags = in_gmsh_order(mesh)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat"]
    if groups:
        lines += ["$PhysicalNames", str(len(groups))]
        lines += [f'3 {tag} "{name}"' for tag, name in groups] + ["$EndPhysicalNames"]
    lines += ["$Nodes", str(mesh.n_nodes)]
    lines += [f"{i} {numbers(map(repr, map(float, x)))}" for i, x in enumerate(mesh.points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(tags) * max(len(groups), 1))]
    kind, n = GMSH_TYPE[mesh.blocks[0].element], 0
    for tag, _ in groups or [(0, "")]:
        for row in tags:
            n += 1
            lines.append(f"{n} {kind} 2 {tag} 1 {numbers(row)}")
    return "\n".join([*lines, "$EndElements", ""])


def gmsh_41(mesh):
    """Text of a 4.1 file with sparse node tags (all ten times as large) and one volume in two groups."""
    tags = in_gmsh_order(mesh)
    nodes = [10 * i for i in range(1, mesh.n_nodes + 1)]
    n, ne = mesh.n_nodes, len(tags)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "2"]
    lines += ['3 1 "solid"', '3 2 "also all of it"', "$EndPhysicalNames"]
    lines += ["$Entities", "0 0 0 1", "5 0 0 0 1 1 1 2 1 2 0", "$EndEntities"]
    lines += ["$Nodes", f"1 {n} 10 {10 * n}", f"3 5 0 {n}", *map(str, nodes)]
    lines += [numbers(map(repr, map(float, x))) for x in mesh.points]
    lines += ["$EndNodes", "$Elements", f"1 {ne} 101 {100 + ne}"]
    lines.append(f"3 5 {GMSH_TYPE[mesh.blocks[0].element]} {ne}")
    lines += [f"{100 + i} {numbers(10 * row)}" for i, row in enumerate(tags, 1)]
    return "\n".join([*lines, "$EndElements", ""])


@pytest.mark.parametrize("element", fem.ELEMENTS)
@pytest.mark.parametrize("write", [gmsh_22, gmsh_41], ids=["2.2", "4.1"])
def test_elements_come_out_in_our_order(element, write, tmp_path):
    """Elements and middle nodes stand where they stood: the same connectivity, hence the same volume."""
    mesh = irregular(element)
    path = tmp_path / "part.msh"
    path.write_text(write(mesh))
    read = fem.read_mesh(path)
    assert np.array_equal(read.points, mesh.points)
    assert np.array_equal(read.blocks[0].nodes, mesh.blocks[0].nodes)
    assert read.volume == pytest.approx(1.0, rel=1e-12)


def test_groups_become_sets_and_element_numbers_are_kept(tmp_path):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "tet10")
    path = tmp_path / "part.msh"
    path.write_text(gmsh_41(mesh))
    read = fem.read_mesh(path)
    assert set(read.node_sets) == set(read.element_sets) == {"solid", "also all of it"}
    assert np.array_equal(read.element_sets["also all of it"], np.arange(6))
    assert read.element_name(2) == "tet10 element 103"


def test_elements_that_2_2_repeats_for_each_group_count_once(tmp_path, steel):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "tet10")
    path = tmp_path / "part.msh"
    path.write_text(gmsh_22(mesh, [(4, "one"), (7, "two")]))
    read = fem.read_mesh(path)
    assert read.n_elements == 6
    assert np.array_equal(read.element_sets["one"], read.element_sets["two"])
    assert fem.assemble(read, steel).mass == pytest.approx(7850.0)


def test_units_scale_coordinates(tmp_path):
    path = tmp_path / "part.msh"
    path.write_text(gmsh_41(fem.box((30, 20, 10), (1, 1, 1), "hex20")))
    read = fem.read_mesh(path, units="mm")
    assert np.allclose(read.bounding_box, [[0, 0, 0], [0.03, 0.02, 0.01]])
    assert read.volume == pytest.approx(6e-6)
    assert "mm" in read.summary()


WEDGE = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
1 6 1 6
3 1 0 6
1
2
3
4
5
6
0 0 0
1 0 0
0 1 0
0 0 1
1 0 1
0 1 1
$EndNodes
$Elements
1 1 1 1
3 1 6 1
1 1 2 3 4 5 6
$EndElements
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "not a gmsh mesh"),
        ("", "not a gmsh mesh"),
        ("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "format 4;.*msh41"),
        (
            WEDGE.replace("3 1 6 1\n", "3 1 13 1\n").replace("5 6\n$EndE", "5 6" + 12 * " 1" + "\n$EndE"),
            "1 wedge18.*Incomplete",
        ),
        (WEDGE.replace("3 1 6 1\n", "3 1 29 1\n"), "element type 29"),
        (WEDGE.replace("1 1 2 3 4 5 6", "1 1 2 3 4 5 9"), "damaged"),
        (WEDGE.replace("0 1 1\n$EndNodes", "$EndNodes"), "damaged.*ends too early"),
        (WEDGE[: WEDGE.index("$EndElements")], "line 20: .*damaged.*not closed"),
        (WEDGE.replace("0 1 1\n", "0 1 one\n"), "damaged"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text, message, tmp_path, capfd):
    path = tmp_path / "part.msh"
    path.write_text(text)
    with pytest.raises(fem.FileError, match=message) as caught:
        fem.read_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


OLD = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
7 4 2 1 1 1 2 3 4
$EndElements
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (OLD, "2 1 0 0", "2 one 0 0", "line 7: .*'one' stands where a number must be"),
        (OLD, "7 4 2 1 1 1 2 3 4", "7 29 2 1 1 1 2 3 4", "line 13: gmsh's element type 29"),
        (OLD, "7 4 2 1 1 1 2 3 4", "7 4 2 1 1 1 2 3", "line 13: .*1 elements are announced, 0 are complete"),
        (
            OLD,
            "7 4 2 1 1 1 2 3 4",
            "7 4 2 1 1 1 2 3.5 4",
            "line 13: .*3.5 stands where a whole number must be",
        ),
        (OLD, "4 0 0 1\n", "", r"line \d+: .*ends too early"),
        (OLD, "$EndElements\n", "", "line 11: .*.Elements is not closed: the file was cut off"),
        (OLD, "1 2 3 4\n", "1 2 3 9\n", "tet4 element 7 uses node 9, which is not in the file"),
        (WEDGE, "0 1 1\n", "0 1 one\n", r"line \d+: .*'one' stands where a number must be"),
        (WEDGE, "3 1 6 1\n", "3 1 29 1\n", r"line \d+: gmsh's element type 29"),
    ],
)
def test_damage_is_named_by_its_line(text, old, new, message, tmp_path):
    """The line where the damage was made, counted in the text; where a line is missing, one of its section."""
    assert text.count(old) == 1
    damaged = text.replace(old, new)
    path = tmp_path / "part.msh"
    path.write_text(damaged)
    with pytest.raises(fem.FileError, match=message) as caught:
        fem.read_mesh(path)
    if new and r"\d+" in message:
        line = damaged[: damaged.index(new)].count("\n") + 1
        assert f"line {line}:" in str(caught.value)


def in_groups(cells, groups):
    """Text of a 2.2 and of a 4.1 file with the points of ``mixed`` and some of its kinds, each in a group.

    ``cells`` {kind: nodes}; ``groups`` {kind: (name, physical tag)}.
    """
    dims = {kind: fem.elements.SHAPES[kind].dim for kind in cells}
    named = {(dims[kind], *group) for kind, group in groups.items() if kind in cells}
    names = [
        "$PhysicalNames",
        str(len(named)),
        *(f'{dim} {tag} "{name}"' for dim, name, tag in sorted(named)),
    ]
    lines = [
        "$MeshFormat",
        "2.2 0 8",
        "$EndMeshFormat",
        *names,
        "$EndPhysicalNames",
        "$Nodes",
        str(len(mixed.POINTS)),
    ]
    lines += [f"{i} {numbers(x)}" for i, x in enumerate(mixed.POINTS, 1)]
    lines += ["$EndNodes", "$Elements", str(sum(map(len, cells.values())))]
    n = 0
    for kind, rows in cells.items():
        for row in rows:
            n += 1
            lines.append(
                f"{n} {GMSH_TYPE[kind]} 2 {groups[kind][1]} {GMSH_TYPE[kind]} {numbers(np.add(row, 1))}"
            )
    old = "\n".join([*lines, "$EndElements", ""])
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", *names, "$EndPhysicalNames", "$Entities"]
    lines.append(numbers(sum(dim == d for d in dims.values()) for dim in range(4)))
    for kind in sorted(cells, key=dims.get):
        lines.append(f"{GMSH_TYPE[kind]} 0 0 0 3 3 3 1 {groups[kind][1]} 0")
    n = len(mixed.POINTS)
    lines += ["$EndEntities", "$Nodes", f"1 {n} 1 {n}", f"0 1 0 {n}", *map(str, range(1, n + 1))]
    lines += [numbers(x) for x in mixed.POINTS]
    total = sum(map(len, cells.values()))
    lines += ["$EndNodes", "$Elements", f"{len(cells)} {total} 1 {total}"]
    n = 0
    for kind, rows in cells.items():
        lines.append(f"{dims[kind]} {GMSH_TYPE[kind]} {GMSH_TYPE[kind]} {len(rows)}")
        for row in rows:
            n += 1
            lines.append(f"{n} {numbers(np.add(row, 1))}")
    return {"2.2": old, "4.1": "\n".join([*lines, "$EndElements", ""])}


GROUPS = {kind: ("body", 1) for kind in mixed.SOLIDS}
GROUPS |= {kind: ("skin", 2) for kind in mixed.SHELLS} | {"line2": ("sticks", 3)}


@pytest.fixture(params=["2.2", "4.1"])
def write(request, tmp_path):
    """A function that writes some kinds of ``mixed`` to a file of one version, and returns its path."""

    def written(*kinds):
        path = tmp_path / "mixed.msh"
        path.write_text(in_groups({kind: mixed.CELLS[kind] for kind in kinds}, GROUPS)[request.param])
        return path

    return written


def test_surfaces_and_lines_beside_solids_are_sets_or_elements_by_name(write):
    """By default the surface group is a node set with faces; where it is named, elements in addition."""
    path = write("quad4", "hex8", "line2", "pyramid5", "tri3", "tet4", "wedge6")
    mesh = fem.read_mesh(path)
    assert [block.element for block in mesh.blocks] == ["hex8", "pyramid5", "tet4", "wedge6"]
    assert list(mesh.element_sets) == ["body"]
    assert sum(map(len, mesh.faces["skin"])) == 1  # the triangle has a node on no solid, which is dropped
    mesh = fem.read_mesh(path, elements=("skin", "sticks"))
    mixed.check(mesh, "body", "skin", "sticks")
    numbered = {name: [mesh.element_name(e) for e in found] for name, found in mesh.element_sets.items()}
    assert numbered["skin"] == ["quad4 element 1", "tri3 element 7"]
    assert numbered["sticks"] == [f"line2 element {k}" for k in (3, 4, 5)]
    assert set(mesh.node_sets) == {"body", "skin", "sticks"}
    assert sum(map(len, mesh.faces["skin"])) == 2
    mesh = fem.read_mesh(path, elements="sticks")
    assert set(mesh.element_sets) == {"body", "sticks"}


def test_surfaces_without_solids_are_shells_and_lines_without_both_are_lines(write):
    with pytest.warns(fem.FlexbodyWarning, match="'sticks' have no node on an element"):
        mesh = fem.read_mesh(write("line2", "tri3", "quad4"))
    assert {block.element for block in mesh.blocks} == {"tri3", "quad4"}
    assert "area          1.5 m^2" in mesh.summary()
    assert f"nodes         5 ({5 * 6} degrees of freedom)" in mesh.summary()
    mesh = fem.read_mesh(write("line2", "tri3", "quad4"), elements=["sticks"])
    assert set(mesh.element_sets) == {"skin", "sticks"}
    mesh = fem.read_mesh(write("line2"))
    assert {block.element for block in mesh.blocks} == {"line2"}
    assert "length        3 m" in mesh.summary()
    assert "12 degrees of freedom with trusses, 24 with beams" in mesh.summary()


def test_an_unknown_group_is_named_with_those_that_exist(write):
    with pytest.raises(fem.InputError, match=r"no physical group.*'ribs'; it has 'skin', 'body'"):
        fem.read_mesh(write("quad4", "hex8"), elements=("skin", "ribs"))


@pytest.mark.parametrize("version", ["2.2", "4.1"])
def test_quadratic_surfaces_are_shells_where_they_are_named(version, tmp_path):
    """Otherwise the sides of a solid."""
    path = tmp_path / "plate.msh"
    text = in_groups({"tri3": [[0, 1, 2]], "hex8": mixed.CELLS["hex8"]}, GROUPS)[version]
    six = text.replace("1 1 2 3\n", "1 1 2 3 4 5 6\n").replace("1 2 2 2 2 1 2 3\n", "1 9 2 2 2 1 2 3 4 5 6\n")
    path.write_text(six.replace("2 2 2 1\n", "2 2 9 1\n"))
    assert fem.read_mesh(path).faces["skin"][0].element == "tri6"
    assert [block.element for block in fem.read_mesh(path).blocks] == ["hex8"]
    assert [block.element for block in fem.read_mesh(path, elements=("skin",)).shells] == ["tri6"]


def test_a_file_of_points_holds_no_elements(tmp_path):
    path = tmp_path / "points.msh"
    path.write_text(WEDGE.replace("3 1 6 1\n1 1 2 3 4 5 6", "0 1 15 1\n1 1"))
    with pytest.raises(
        fem.MeshError, match=r"no elements, only 1 point; its last line is line \d+; flexbody needs"
    ):
        fem.read_mesh(path)
