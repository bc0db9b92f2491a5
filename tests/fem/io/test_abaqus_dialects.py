"""What decks of Abaqus and CalculiX write in several ways: empty lines, words without spaces, constants of solids."""

import numpy as np
import pytest
from support.abaqus_decks import BAR, MATERIAL, body, read

import fem

SPRING = "*Element, type=SPRINGA, elset=s\n 99, 1, 10\n"


@pytest.mark.parametrize("lines", ["\n 4e4\n", " 4e4\n", " ,\n 4e4,\n", "\n 4e4, 0.\n\n"])
@pytest.mark.parametrize(("word", "quantity"), [("Spring", "stiffness"), ("Dashpot", "damping")])
def test_springs_along_a_line_have_an_empty_first_line_or_none(word, quantity, lines, tmp_path):
    """Abaqus wants an empty line for the degrees of freedom; CalculiX takes a deck without it too."""
    elements = SPRING.replace("SPRING", word.upper())
    mesh = read(tmp_path, body(BAR) + MATERIAL + f"{elements}*{word}, elset=s\n{lines}")
    (part,) = mesh.parts
    assert (part.first, part.second) == ("1", "10")
    assert getattr(part, quantity) == 4e4


def test_springs_of_one_direction_name_it(tmp_path):
    elements = SPRING.replace("SPRINGA", "SPRING1").replace(", 10\n", "\n")
    mesh = read(tmp_path, body(BAR) + MATERIAL + f"{elements}*Spring, elset=s\n\n 2\n 4e4\n")
    np.testing.assert_array_equal(mesh.parts[0].stiffness, [0, 4e4, 0, 0, 0, 0])
    with pytest.raises(fem.FileError, match=r"line .*second line must be the stiffness"):
        read(tmp_path, body(BAR) + MATERIAL + f"{elements}*Spring, elset=s\n 4e4\n")


def test_words_may_lack_their_spaces(tmp_path):
    """CalculiX ignores spaces in keywords and parameters."""
    point = "*Node\n 100, 0.5, 0.02, 0.03\n*Node\n 101, 0.5, 0., 0.\n"
    word = "*Rigid Body, nset=x1, ref node=100, rot node=101\n"
    text = body(BAR) + MATERIAL + point + word
    spaced, close = (read(tmp_path, one) for one in (text, text.replace(word, word.replace(" ", ""))))
    assert [part.words() for part in close.parts] == [part.words() for part in spaced.parts] != []
    assert close.left_out == spaced.left_out


def test_a_solid_of_21_constants(tmp_path):
    """The order of Abaqus: D1111, D1122, D2222, ..., D2323, where 12, 13, 23 follow 11, 22, 33."""
    pairs = ["11", "22", "33", "12", "13", "23"]
    order = [pairs[i] + pairs[j] for j in range(6) for i in range(j + 1)]
    assert order[6:10] == ["1112", "2212", "3312", "1212"]
    values = {name: (10.0 + k if name[:2] == name[2:] else 0.1 * k) * 1e9 for k, name in enumerate(order)}
    rows = [order[:8], order[8:16], order[16:]]
    given = "".join(", ".join(f"{values[name]:g}" for name in row) + "\n" for row in rows)
    text = MATERIAL.replace("*Elastic\n 2.1e11, 0.3\n", f"*Elastic, type=ANISOTROPIC\n{given}")
    material = read(tmp_path, body(BAR) + text, units="mm").materials["Steel"]
    ours = ["11", "22", "33", "23", "13", "12"]
    for i, a in enumerate(ours):
        for j, b in enumerate(ours):
            expected = 1e6 * (values.get(a + b) or values[b + a])
            assert material.constants[i][j] == pytest.approx(expected, rel=1e-12), (a, b)


def test_the_support_of_a_node_of_nothing_is_left_out(tmp_path):
    text = body(BAR) + MATERIAL + "*Node\n 100, 0.5, 0., 0.\n*Boundary\n 100, 1, 3\n x0, 1, 3\n"
    mesh = read(tmp_path, text)
    assert list(mesh.supports) == ["x0"]
    assert [one.what for one in mesh.left_out if "support" in one.what] == ["support of node 100"]
    assert mesh.supports.keys() <= mesh.node_sets.keys()


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            "*Surface, name=a, type=NODE\n 1\n*Surface, name=A\n 1, S1\n",
            "line .*'A' is given twice, of nodes and of elements",
        ),
        (
            "*Material, name=m\n*Elastic, type=ORTHO\n 0, 0, 0, 0, 0, 0, 1, 1\n 1\n*Density\n 1.\n",
            "line .*material 'm': .*strain without stress",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(added, message, tmp_path):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, body(BAR) + MATERIAL + added)


#: displacement in m that CalculiX 2.20 prints for a node at the end of a clamped bar, three bricks or six wedges,
#: whose end nodes carry 100, 200 and 300 N each
CALCULIX = {
    ("wedge6", "C3D6"): (2.764876e-06, 1.706807e-06, 2.220257e-05),
    ("wedge15", "C3D15"): (1.116833e-05, 2.462329e-05, 6.468356e-05),
    ("hex8", "C3D8"): (2.137578e-06, 5.810246e-06, 1.103666e-05),
}


@pytest.mark.parametrize(("kind", "name"), CALCULIX)
def test_points_of_integration_are_those_of_calculix(kind, name, tmp_path):
    """To its seven printed digits of the largest component; C3D8 is fully integrated in files for CalculiX only."""
    mesh = fem.box((1.0, 0.2, 0.15), (3, 1, 1), kind)
    found = read(tmp_path, "** for CalculiX\n" + body(mesh, name) + MATERIAL)
    ends = [fem.Force(str(node + 1), (100.0, 200.0, 300.0)) for node in mesh.node_sets["x1"].tolist()]
    moved = fem.static(fem.assemble(found), "x0", ends).displacement[mesh.node_sets["x1"][0]]
    theirs = np.array(CALCULIX[kind, name])
    np.testing.assert_allclose(moved, theirs, atol=1e-6 * np.abs(theirs).max())


def test_bricks_of_abaqus_average_the_volume_strain(tmp_path):
    plain = read(tmp_path, body(BAR, "C3D8") + MATERIAL).properties["all"]
    assert plain.brick == fem.MeanDilatation()


@pytest.mark.parametrize(
    ("step", "brick"),
    [
        ("*Frequency, solver=MATRIXSTORAGE", fem.FullIntegration()),
        ("*STATIC,SOLVER=PASTIX", fem.FullIntegration()),
        ("*Static, solver = ITERATIVE CHOLESKY", fem.FullIntegration()),
        ("*Static, solver=ITERATIVE", fem.MeanDilatation()),  # of Abaqus
        ("*Static,\n solver=SPOOLES", fem.FullIntegration()),
        ("** solver=SPOOLES", fem.MeanDilatation()),  # a comment
    ],
)
def test_solvers_that_only_calculix_has_tell_its_files(step, brick, tmp_path):
    """CalculiX 2.20 stores for such a file a C3D8 of full integration: equal to 2e-14 of the largest entry of K."""
    deck = body(BAR, "C3D8") + MATERIAL + f"*Step\n{step}\n10\n*End Step\n"
    assert read(tmp_path, deck).properties["all"].brick == brick
