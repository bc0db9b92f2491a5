"""What ANSYS archives hold that is refused or told, and damaged archives."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.ansys_bodies import ISOTROPIC, PLATE, arm, deck_of_a_plate, one, read, same, sample
from support.ansys_decks import deck, eblock, materials, nblock, types

import fem
from fem.io.ansys.commands import read_deck

REFUSED = {
    r"2 of type PIPE288 \(line 53\), 1 of type 190 \(line 56\)": [
        "ET,7,PIPE288", "ET,8,190", "TYPE,7", "EN,91,1,2", "EN,92,2,3", "TYPE,8", "EN,93,1,2"],
    r"line \d+: NGEN is not supported": ["NGEN,2,10,1,5"],
    r"line \d+: \*DO is not supported": ["*DO,i,1,3"],
    r"BEAM,MESH is not supported": ["ET,7,188", "SECTYPE,3,BEAM,MESH", "SECDATA,1,1,1,1", "TYPE,7", "SECNUM,3",
                                    "EN,91,1,2"],
    r"line \d+: element 91 has the type 9, which no ET": ["TYPE,9", "EN,91,1,2"],
    r"line \d+: 'MP,EX,1,abc' can't be read": ["MP,EX,1,abc"],
    r"line \d+: TB,ANEL is not supported: give the elasticity by MP": ["TB,ANEL,1", "TBDATA,1,2e11"],
    r"line 52: shells have neither section 0 nor real constants 1": ["ET,7,181", "TYPE,7", "EN,91,1,2,4,3"],
    r"line \d+: 'CE,R5.*no line CE,R5.0,DEFI": ["CE,R5.0,NODE,1,UX,1,2,UX,-1"],
    r"line \d+: 'CP,R5.*no line CP,R5.0,DEFI": ["CP,R5.0,NODE,1,2"],
    r"line \d+: 'CMBLOCK.*can't be read": ["CMBLOCK,ONE,NODE,2", "(2e20.13)", "1 2"],
    r"line \d+: .*constant 0.1": ["CE,1,0.1,1,UX,1,2,UX,-1"],
    r"line \d+: node 99 does not exist": ["ET,7,188", "TYPE,7", "EN,91,1,99"],
    "RMODIF is not supported": ["RMODIF,1,1,0.5"],
    "ENDRELEASE is not supported": ["ENDRELEASE,,-1,BALL"],
    r"a layer has the material 9": ["ET,7,181", "SECTYPE,3,SHELL", "SECDATA,1", "SECDATA,1,9", "TYPE,7", "SECNUM,3",
                                    "EN,91,1,2,4,3"],
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_changes_the_body_and_is_not_read_is_an_error(message, tmp_path):
    text = sample().replace("/GO\n", "\n".join([*REFUSED[message], "/GO", ""]))
    with pytest.raises(fem.FileError, match=message):
        read(text, tmp_path)


def test_supports_in_turned_axes_are_kept_where_they_mean_the_same(tmp_path):
    """Node 2 has axes turned by 30 degrees about z: held in all three displacements, then in one alone."""
    turn = "N,R5.3,LOC,1,0,0,0\nN,R5.3,LOC,2,0.25,0,0\nN,R5.3,ANG,2,30,0,0\n"
    all_three, one = (
        read(sample().replace("/GO\n", turn + held + "/GO\n"), tmp_path)
        for held in ("D,2,UX\nD,2,UY\nD,2,UZ\n", "D,2,UX\nD,1,UX\n")
    )
    assert all_three.supports == {"D 1": {"x": 0.0, "y": 0.0, "z": 0.0}}
    assert all_three.node_ids[all_three.nodes_of("D 1")].tolist() == [2]
    assert not [what for what in all_three.left_out if what.what == "D"]
    assert one.supports == {"D 1": {"x": 0.0}}
    assert one.node_ids[one.nodes_of("D 1")].tolist() == [1]
    (support,) = one.turned_supports
    assert support.terms == (("2", "x", pytest.approx(3**0.5 / 2)), ("2", "y", pytest.approx(0.5)))


def test_elements_without_a_number_follow_the_highest_one():
    deck = read_deck(["EN,7,1,2", "EN,3,2,3", "E,3,4", "E,4,5"], lambda line: None)
    assert [int(block.number[0]) for block in deck.elements] == [7, 3, 8, 9]


def test_what_is_left_out_is_told(tmp_path):
    text = sample().replace("/GO\n", "F,1,FX,100.\nACEL,0,0,9.81\nTBFT,FADD,1\n/GO\n")
    text = text.replace("NBLOCK", "*DIM,U,ARRAY,2,1,1,\n*PREAD,U,2\n  12.5      24.0\nEND PREAD\nNBLOCK", 1)
    found = {one.what: one for one in read(text, tmp_path).left_out}
    assert {"F", "ACEL", "TBFT"} <= set(found)
    assert not any("12.5" in what or "PREAD" in what for what in found)
    assert found["F"].lines == (str(text[: text.index("F,1,FX")].count("\n") + 1),)


def test_files_that_were_cut_off_give_one_error(tmp_path):
    lines = sample().splitlines()
    end = next(k for k, line in enumerate(lines) if line.startswith("CMBLOCK")) + 3
    begin = next(k for k, line in enumerate(lines) if line.startswith("NBLOCK")) + 1
    # after a block has ended the rest of a deck is commands, whose absence nothing shows
    whole = {
        k for k, line in enumerate(lines[:end], start=1) if line.startswith(("N,R5", "MP", "       -1", "ET"))
    }
    for count in set(range(begin, end)) - whole:
        with pytest.raises(fem.FileError, match=r"line \d+"):
            read("\n".join(lines[:count]), tmp_path)


def test_a_component_that_lacks_numbers_is_refused(tmp_path):
    """A file cut off within the last line of a component: its nodes would be lost without a word."""
    lines = sample().splitlines()
    row = next(k for k, line in enumerate(lines) if line.startswith("CMBLOCK")) + 2
    with pytest.raises(
        fem.FileError, match=r"the component ENDS has 1 of its 2 numbers: the file was cut off"
    ):
        read("\n".join([*lines[:row], lines[row][:10]]), tmp_path)


def test_random_damage_gives_a_mesh_or_one_error(tmp_path):
    text, rng = sample(), np.random.default_rng(8)
    for _ in range(80):
        damaged = list(text)
        for at in rng.integers(len(text), size=2):
            damaged[at] = rng.choice(list("0123456789,.- EDx\n\0é"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fem.FlexbodyWarning)
            try:
                read("".join(damaged), tmp_path)
            except (fem.FileError, fem.MeshError) as error:
                assert "part" in str(error)  # noqa: PT017 (any other error fails)


# ---- what would change the body in silence -------------------------------------------------------------------


def test_a_single_layer_has_its_own_material_and_angle(tmp_path):
    found = fem.assemble(read(deck_of_a_plate(data="SECDATA,2,2,0,3"), tmp_path, units="mm"))
    assert found.mass == pytest.approx(1.0 * 0.05 * 0.002 * 2700, rel=1e-12)
    ply = fem.Orthotropic((135e9, 10e9, 10e9), (0.3, 0.3, 0.3), (5e9, 5e9, 5e9), rho=1600.0)
    mesh = read(deck_of_a_plate(data="SECDATA,2,3,30,3"), tmp_path, units="mm")
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    own = fem.LayeredShell([fem.Layer(ply, 0.002)], axis=(c, s, 0.0))
    same(fem.assemble(mesh), fem.assemble(replace(mesh, properties={}, parts=()), own))


def test_rotations_in_equations_and_supports_have_the_units_of_the_file(tmp_path):
    # u of node 1 is 50 mm times the rotation of node 2; a support moves by 0.5 mm
    text = deck_of_a_plate() + "CE,1,0,1,UX,1,2,ROTZ,50\nD,1,UX,0.5\nD,1,ROTZ,0.25\n"
    mesh = read(text, tmp_path, units="mm")
    assert mesh.parts[0].terms == [("1", "x", 1.0), ("2", "rz", 0.05)]
    assert mesh.supports == {"D 1": {"rz": 0.25, "x": 0.5e-3}}


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("SECCONTROL,0,0,0,5e-6", "SECCONTROL"),
        ("SECOFFSET,SHRC", "SECOFFSET,SHRC of a shell"),
        ("SECOFFSET,USER,0.002,,1", "SECOFFSET with its own centroid"),
        ("KEYOPT,1,1,1", r"KEYOPT\(1\) = 1"),
        ("CSYS,1", "CSYS"),
        ("LOCAL,11,1,0,0,0", "CSYS"),
    ],
)
def test_options_that_change_the_body_are_refused(extra, words, tmp_path):
    with pytest.raises(fem.FileError, match=words):
        read(deck_of_a_plate(extra), tmp_path, units="mm")


def test_more_than_a_thickness_in_real_constants_is_refused(tmp_path):
    text = "\n".join(["/PREP7", "ET,1,181", *ISOTROPIC, "R,1,2,2,2,2,0,1e-5", *PLATE, ""])
    with pytest.raises(fem.FileError, match="more than its thickness"):
        read(text, tmp_path, units="mm")


def test_directions_that_differ_from_element_to_element(tmp_path):
    system = ("LOCAL,11,1,0,-200,0", "CSYS,0", "ESYS,11")  # the fibres are radial
    with pytest.warns(
        fem.FlexbodyWarning, match="axes of the elements with ESYS 11 turn from place to place"
    ):
        mesh = read(deck_of_a_plate(*system, data="SECDATA,2,3,0,3"), tmp_path, units="mm")
    ((_, shell),) = mesh.properties.items()
    middle = mesh.points.mean(axis=0)
    own = replace(shell, axis=tuple(middle - [0.0, -0.2, 0.0]))
    same(fem.assemble(mesh), fem.assemble(replace(mesh, properties={}, parts=()), own))
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        read(deck_of_a_plate(*system), tmp_path, units="mm")  # isotropic: no matter


@pytest.mark.parametrize(("how", "part"), [(1, fem.Averaged), (2, fem.Rigid)])
def test_a_pilot_node_that_some_motions_follow(how, part, tmp_path):
    nodes = [
        "N,1,0,0,0",
        "N,2,1,0,0",
        "N,3,1,1,0",
        "N,4,0,1,0",
        "N,5,0,0,1",
        "N,6,1,0,1",
        "N,7,1,1,1",
        "N,8,0,1,1",
        "N,9,0.5,0.5,2",
    ]
    lines = [
        "/PREP7",
        "ET,1,185",
        "ET,2,170",
        "ET,3,174",
        "KEYOPT,3,2,2",
        f"KEYOPT,3,4,{how}",
        *ISOTROPIC,
        *nodes,
    ]
    lines += ["TYPE,1", "EN,1,1,2,3,4,5,6,7,8", "REAL,5", "TYPE,3", "EN,2,5,6,7,8", "TYPE,2", "EN,3,9", ""]
    mesh = read("\n".join(["KEYOPT,2,4,100111", *lines]), tmp_path)  # rz, z, y, x
    expected = part("coupling 9", "pilot 9", reference="9", components=("x", "y", "z", "rz"))
    assert mesh.parts == (expected,)
    assert fem.assemble(mesh).n == {1: 26, 2: 18}[how]  # 24 + rx, ry; 12 + 6
    with pytest.raises(fem.FileError, match=r"pilot node 9 has KEYOPT\(4\) = 2 of TARGE170"):
        read("\n".join(["KEYOPT,2,4,2", *lines]), tmp_path)
    turned = [line.replace("N,9,0.5,0.5,2", "N,9,0.5,0.5,2,30") for line in ["KEYOPT,2,4,1", *lines]]
    with pytest.raises(fem.FileError, match="turned axes"):
        read("\n".join(turned), tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "! made by hand\n/COM, a beam\n/PREP7\nN,1,0\nEGEN,3,1,1\n",
            "line 5: EGEN is not supported; .*CDWRITE",
        ),
        ("/PREP7\nOD = 3*ID\nR,1,OD\n", "line 3: 'R,1,OD' .*'OD' is not a number; .*CDWRITE"),
    ],
)
def test_commands_in_a_file_of_any_use_are_no_bulk_data(text, message, tmp_path):
    """Input files of ANSYS end in ``.dat`` as those of Nastran do."""
    (tmp_path / "part.dat").write_text(text)
    with pytest.raises(fem.FileError, match=message):
        fem.read_mesh(tmp_path / "part.dat")


def test_misspelled_commands_are_doubts(tmp_path):
    text = sample()
    with pytest.warns(fem.FlexbodyWarning, match=r"the command CERGI is not known .* is CERIG meant"):
        read(text + "CERGI,1,2,ALL\n", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(text + "ASEL,ALL\n", tmp_path)
    with pytest.raises(fem.MeshError, match=r"holds no elements .* is EBLOCK meant"):
        read(text.replace("EBLOCK", "EBLCK"), tmp_path)


def test_materials_that_are_not_whole_name_their_line(tmp_path):
    mesh = one("hex8")
    lines = ["MP,EX,1,210e9", "MP,EY,1,70e9", "MP,DENS,1,7850."]
    text = deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), lines)
    number = text.splitlines().index("MP,DENS,1,7850.") + 1
    with pytest.raises(fem.FileError, match=f"line {number}: material 1 has EX and EY, and no EZ"):
        read(text, tmp_path)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["KEYOPT,185,6,1"], "KEYOPT(6) of 185"),
        (["DDELE,ALL,ALL"], "DDELE"),
        (["LUMPM,ON"], "LUMPM"),
        (["CMBLOCK,LOST,NODE,2", "(8i10)", f"{1:10d}{999:10d}"], "nodes of the component LOST"),
        (["ET,21,21", "TYPE,21", "REAL,21", "R,21,0", "EN,99,1"], "MASS21 without mass"),
        (["ET,14,14", "TYPE,14", "REAL,14", "R,14,0", "EN,99,1,2"], "COMBIN14 without stiffness"),
    ],
)
def test_what_adds_nothing_or_another_formulation_is_told(lines, what, tmp_path):
    found = read(sample().replace("/GO\n", "\n".join([*lines, "/GO", ""])), tmp_path)
    assert [(one.what, one.count) for one in found.left_out if one.what == what] == [
        (what, 4 if "KEYOPT" in what else 1)
    ]


@pytest.mark.parametrize(("option", "told"), [(0, "linear"), (2, "quadratic"), (3, "")])
def test_shape_functions_of_beams_are_told(option, told, tmp_path):
    """Element Reference, BEAM188: KEYOPT(3) = 0 (default) linear, 2 quadratic, 3 cubic, as ours."""
    lines = ["ET,188,188", f"KEYOPT,188,3,{option}", "SECTYPE,1,BEAM,RECT", "SECDATA,0.02,0.05"]
    found = read(deck(lines, nblock(arm().points), eblock(arm().blocks), materials()), tmp_path)
    said = [one.why for one in found.left_out if one.what.startswith("formulation")]
    assert len(said) == bool(told)
    assert told in "".join(said)


def test_elements_of_former_versions_are_told(tmp_path):
    found = read(sample().replace("ET,      185,185", "ET,      185,45"), tmp_path)
    assert [(one.what, one.why) for one in found.left_out] == [
        ("formulation of 45", "it is read as SOLID185")
    ]
