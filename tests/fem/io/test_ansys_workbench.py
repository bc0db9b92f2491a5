"""Files that Workbench writes (ds.dat): parameters, selections, remote points and bonded contact."""

import numpy as np
import pytest
from support.ansys_decks import deck, eblock, materials, nblock, types

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
MEAN = fem.Solid(STEEL, brick=fem.MeanDilatation())  # SOLID185 by default
BAR = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
#: nodes at x = 0 and x = 1, numbered from 1
ROOT, TIP = ((BAR.node_sets[name] + 1).tolist() for name in ("x0", "x1"))


def bar(*more, points=BAR.points):
    return deck(types(BAR.blocks), nblock(points), eblock(BAR.blocks), materials(), more)


def read(text, tmp_path):
    path = tmp_path / "ds.dat"
    path.write_text(text)
    return fem.read_mesh(path)


def component(name, numbers):
    rows = [numbers[k : k + 8] for k in range(0, len(numbers), 8)]
    lines = ["".join(f"{n:10d}" for n in row) for row in rows]
    return [f"CMBLOCK,{name},NODE,{len(numbers)}", "(8i10)", *lines]


def held(mesh):
    """What each node is held in: {number of the node: {component: value}}."""
    found = {}
    for name, what in mesh.supports.items():
        for node in mesh.node_ids[mesh.node_sets[name]].tolist():
            found.setdefault(node, {}).update(what)
    return found


def test_a_remote_point_is_written_with_parameters(tmp_path):
    """As Workbench writes it: numbers of types and nodes are parameters, blanks stand behind commands."""
    points = np.vstack([BAR.points, [1.0, 0.05, 0.05]])
    contact = "".join(f"{v:9d}" for v in [11, 2, 2, 2, 0, *(BAR.faces_of("x1")[0].nodes[0] + 1)])
    lines = ["*set,tid,3", "*set,cid,2", "et,cid,174", "et,tid,170", "keyo,tid,4,111111", "keyo,cid,12,5",
             "keyo,cid,4,1", "keyo,cid,2,2", "eblock,10,,,1", "(15i9)", contact, "-1",
             f"*set,_npilot,{len(points)}", "_npilot1=_npilot", "type,tid", "mat ,cid", "real,cid", "tshape,pilo",
             "en,12,_npilot", "tshape", "f,_npilot1,fx,1000"]  # fmt: skip
    found = fem.assemble(read(bar(*lines, points=points), tmp_path))
    by_hand = fem.assemble(BAR, MEAN, parts=[fem.Averaged("hub", "x1", at=points[-1])])
    assert abs(found.K - by_hand.K).max() <= 1e-9 * abs(by_hand.K).max()
    assert fem.interface(found, str(len(points))).has_rotation


@pytest.mark.parametrize(
    "lines",
    [
        ["X = 2*3", "R,1,X"],
        ["*SET,X,2", "*GET,X,NODE,0,COUNT", "R,1,X"],
        ["*SET,X,2", "*IF,Y,EQ,1,THEN", "X = 3", "*ENDIF", "R,1,X"],
    ],
)
def test_parameters_that_are_not_known_are_an_error_where_they_are_used(lines, tmp_path):
    with pytest.raises(fem.FileError, match=r"'R,1,X' .*'X' is not a number"):
        read(bar(*lines), tmp_path)


@pytest.mark.parametrize(
    ("lines", "mass"),
    [
        (["*SET,X,2", "*IF,X,EQ,2,THEN", "MP,DENS,1,100", "*ELSE", "MP,DENS,1,200", "*ENDIF"], 100),
        (["X=3", "*IF,X,EQ,2,THEN", "MP,DENS,1,100", "*ELSE", "MP,DENS,1,200", "*ENDIF"], 200),
        (["X=3", "*if,x,lt,2,then", "MP,DENS,1,9", "*elseif,x,ge,3", "MP,DENS,1,7", "*else", "/EOF", "*endif"], 7),
        (["*IF,1,GT,2,THEN", "*IF,1,EQ,1,THEN", "MP,DENS,1,100", "*ENDIF", "/EOF", "*ENDIF", "MP,DENS,1,300"], 300),
        (["*IF,2,GT,1,THEN", "Y=50", "*ENDIF", "MP,DENS,1,Y"], 50),
    ],
)  # fmt: skip
def test_branches_of_known_numbers_are_followed(lines, mass, tmp_path):
    plain = fem.assemble(read(bar("MP,DENS,1,1000"), tmp_path)).mass
    assert fem.assemble(read(bar(*lines), tmp_path)).mass == pytest.approx(plain * mass / 1000, rel=1e-12)


@pytest.mark.parametrize("words", ["*IF,X,EQ,1,THEN", "*IF,1,EQ,1,AND,2,EQ,3,THEN"])
def test_branches_that_are_not_known_must_not_change_the_part(words, tmp_path):
    with pytest.raises(fem.FileError, match=r"line \d+: MP stands in a branch \(\*IF\) of parameters that"):
        read(bar(words, "MP,DENS,1,100", "*ENDIF"), tmp_path)
    assert read(bar(words, "NUMOFF,NODE,3", "*ENDIF"), tmp_path).n_elements


ALL = dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"), 0.0)
SELECTED = {
    "component": ([*component("FIXED", ROOT), "cmsel,s,FIXED", "d,all,all", "nsel,all"], ROOT, ALL),
    "name of a component": ([*component("FIXED", ROOT), "D,FIXED,UX,0"], ROOT, {"x": 0.0}),
    "place": (["NSEL,S,LOC,X,1", "D,ALL,UX,1e-3,,,,UY,UZ"], TIP, dict.fromkeys("xyz", 1e-3)),
    "numbers": (["NSEL,S,NODE,,1,5,2", "NSEL,U,NODE,,3", "NSEL,A,NODE,,7", "D,ALL,UY"], [1, 5, 7], {"y": 0.0}),
    "again": (["NSEL,S,LOC,X,0,0.3", "NSEL,R,LOC,Y,0", "NSEL,R,LOC,Z,0", "D,ALL,UZ"], [1, 5], {"z": 0.0}),
    "others": (["NSEL,S,LOC,X,0.2,1", "NSEL,INVE", "D,ALL,UZ"], ROOT, {"z": 0.0}),
    "nodes of elements": (["ESEL,S,ELEM,,4", "NSLE", "NSEL,R,LOC,X,1", "D,ALL,UZ"], TIP, {"z": 0.0}),
    "range": (["D,1,UX,0,,5,2"], [1, 3, 5], {"x": 0.0}),
}  # fmt: skip


@pytest.mark.parametrize("how", SELECTED)
def test_supports_on_selections(how, tmp_path):
    lines, nodes, what = SELECTED[how]
    mesh = read(bar(*lines), tmp_path)
    assert held(mesh) == dict.fromkeys(sorted(nodes), what)
    assert not mesh.left_out


def test_supports_on_selections_that_are_not_followed_are_told(tmp_path):
    """Nodes of lines of the geometry, and places in another coordinate system."""
    for lines in (["NSLL,S,1", "D,ALL,ALL"], ["LOCAL,11,1,0,0,0", "NSEL,S,LOC,X,0.1", "D,ALL,ALL"]):
        mesh = read(bar(*lines), tmp_path)
        assert not mesh.supports
        assert [one.why for one in mesh.left_out] == ["its selection of nodes is not followed"]


def test_values_by_a_table_are_told(tmp_path):
    mesh = read(
        bar(*component("FIXED", ROOT), "cmsel,s,FIXED", "d,all,ux,%_loadvari44ux%", "d,all,uy,0"), tmp_path
    )
    assert held(mesh) == {node: {"y": 0.0} for node in ROOT}
    assert [one.why for one in mesh.left_out] == ["values by a table are not read"]


def test_a_component_of_a_selection_that_is_not_followed_is_told(tmp_path):
    mesh = read(bar("ESEL,S,TYPE,,185", "NSLE", "CM,ALL_OF_IT,NODE", "NSLL,S,1", "CM,LINE,NODE"), tmp_path)
    assert len(mesh.node_sets["ALL_OF_IT"]) == BAR.n_nodes
    assert "LINE" not in mesh.node_sets
    assert [one.why for one in mesh.left_out] == ["its selection is not followed"]


def test_supports_of_the_file_hold_solids_in_all_six_motions(tmp_path):
    """Decks hold the rotations of solids too, which have none; supports of a user's own are checked."""
    mesh = read(bar(*component("FIXED", ROOT), "D,FIXED,ALL"), tmp_path)
    structure, force = fem.assemble(mesh), fem.Force(str(TIP[0]), (0.0, 0.0, 100.0))
    found, by_hand = (fem.static(structure, held, force).u for held in (mesh.supports, "FIXED"))
    np.testing.assert_array_equal(found, by_hand)
    with pytest.raises(fem.InputError, match="holds rx, but its nodes have no rotations"):
        fem.static(structure, {"FIXED": ("x", "y", "z", "rx")}, force)


# ---- bonded contact --------------------------------------------------------------------------------------------

FINE = fem.box((1.0, 0.1, 0.1), (6, 2, 2), "hex8", origin=(1.0, 0.0, 0.0))
COUNT = BAR.n_nodes


def two_bars(options, both=False, pinball=0.0):
    """A bar and a finer one at its end; contact elements on the finer one's face, target elements on the other's."""
    points = np.vstack([BAR.points, FINE.points])
    second = fem.Block("hex8", FINE.blocks[0].nodes + COUNT)
    rows, number = [], 100
    fine, coarse = FINE.faces_of("x0")[0].nodes + COUNT + 1, BAR.faces_of("x1")[0].nodes + 1
    for real, contact, target in [(5, fine, coarse), (6, coarse, fine)][: 1 + both]:
        for kind, faces in ((3, contact), (2, target)):
            for face in faces.tolist():
                number += 1
                rows.append([number, kind, real, 1, 0, *face])
    block = ["EBLOCK,10,,,", "(15i9)", *("".join(f"{v:9d}" for v in row) for row in rows), "-1"]
    lines = ["ET,2,170", "ET,3,174", *options, f"R,5,,,,,,{pinball}"]
    return deck(
        types(BAR.blocks), lines, nblock(points), eblock([*BAR.blocks, second]), block, materials()
    ), fem.Mesh(
        points,
        (*BAR.blocks, second),
        {"fine": FINE.node_sets["x0"] + COUNT, "coarse": BAR.node_sets["x1"]},
    )


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("bonded", [3, 5, 6])
def test_bonded_contact_is_a_tie(bonded, both, tmp_path):
    text, mesh = two_bars([f"KEYOPT,3,12,{bonded}", "KEYOPT,3,2,2"], both)
    found = read(text, tmp_path)
    by_hand = fem.assemble(mesh, MEAN, parts=[fem.Tie("fine", "coarse")])
    assert abs(fem.assemble(found).K - by_hand.K).max() <= 1e-9 * abs(by_hand.K).max()
    assert [one.what for one in found.left_out] == ["contact pair 6"] * both


def test_what_is_left_out_of_contact_is_told(tmp_path):
    """Penalty stiffness of bonded contact, with its pinball as the tolerance; contact that can open."""
    found = read(two_bars(["KEYOPT,3,12,5"], pinball=-0.02)[0], tmp_path)
    assert [one.what for one in found.left_out] == ["contact stiffness of pair 5"]
    assert found.parts[0].tolerance == 0.02
    free = read(two_bars(["KEYOPT,3,12,0"])[0], tmp_path)
    assert not free.parts
    assert [one.why for one in free.left_out] == ["contact is left out: its surfaces are free"]
    with pytest.raises(fem.MeshError, match="consists of 2 loose parts"):
        fem.assemble(free)
