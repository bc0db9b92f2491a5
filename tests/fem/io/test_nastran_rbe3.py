"""RBE3 of any components: against an independent program, least squares, and equations solved in another way."""

import numpy as np
import pytest
import scipy
from support.nastran import card, mesh_cards, read
from support.nastran_bodies import MAT, as_by_hand
from support.rbe3 import AT, RBE3, WEIGHTS, X

import fem

CARD = ("RBE3", 9, None, 100, 123456, 1.5, 12, 1, 2, 2.0, 3, 1, 3, 4, 0.7, 1456, 4)
UP = (0.3, 0.2, 0.9)


def frame(cd=None, scale=1.0):
    """Bars along a warped quadrilateral, displacement systems of its grid points, and a reference beside it.

    ``scale``: a thousand for a deck in mm, N and t.
    """
    cd = cd or {}
    points = {**dict(enumerate(X, start=1)), 100: AT}
    text = "".join(
        card("GRID", k, None, *(float(scale * c) for c in x), cd.get(k)) for k, x in points.items()
    )
    text += MAT if scale == 1.0 else card("MAT1", 1, 210e3, None, 0.3, 7.85e-9)
    text += card("PBARL", 6, 1, None, "ROD", *[None] * 4, 0.01 * scale)
    text += "".join(card("CBAR", k, 6, k, k % 4 + 1, *UP) for k in (1, 2, 3, 4))
    systems = (("CORD2R", 7, (0.0, 0.0, 0.0, 0.2, -0.3, 1.0, 1.0, 1.0, 0.1)),
               ("CORD2C", 8, (0.3, 0.1, 0.0, 0.3, 0.1, 1.0, 1.0, 1.0, 0.1)))  # fmt: skip
    return text + "".join(card(name, k, 0, *(scale * c for c in at)) for name, k, at in systems)


def moved(structure, seed=0):
    u = np.random.default_rng(seed).normal(size=structure.n)
    both = np.hstack([structure.displacements(u), structure.rotations(u)])
    return {str(number): both[k] for k, number in enumerate(structure.mesh.node_ids)}


def test_against_an_independent_program(tmp_path):
    mesh = read(tmp_path, frame() + card(*CARD))
    (part,) = mesh.parts
    assert part.weights == WEIGHTS
    its = moved(fem.assemble(mesh))
    counted = [
        ("1", 0),
        ("1", 1),
        ("1", 2),
        ("2", 0),
        ("2", 1),
        ("3", 2),
        ("4", 0),
        ("4", 2),
        ("4", 3),
        ("4", 4),
        ("4", 5),
    ]
    np.testing.assert_allclose(its["100"], RBE3 @ [its[n][k] for n, k in counted], atol=1e-10)


def test_all_components_of_bars(tmp_path):
    """123456: rotations count with the square of the mean distance; by numpy's least squares."""
    its = moved(
        fem.assemble(read(tmp_path, frame() + card("RBE3", 9, None, 100, 123456, 1.0, 123456, 1, 2, 3, 4)))
    )
    length = np.linalg.norm(X - AT, axis=1).mean()
    rows, values = [], []
    for k, x in enumerate(X - AT):
        arm = np.array([[0, x[2], -x[1]], [-x[2], 0, x[0]], [x[1], -x[0], 0]])
        rows += [np.hstack([np.eye(3), arm]), length * np.hstack([np.zeros((3, 3)), np.eye(3)])]
        values += [its[str(k + 1)][:3], length * its[str(k + 1)][3:]]
    expected = np.linalg.lstsq(np.vstack(rows), np.concatenate(values), rcond=None)[0]
    np.testing.assert_allclose(its["100"], expected, atol=1e-11)


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize("refc", [123456, 23, 16])
def test_components_in_turned_axes(tmp_path, refc, units):
    """Those of CD, at the grid points and at the reference; a cylindrical system has other axes at each point."""
    cd = {1: 7, 3: 8, 4: 8, 100: 7}
    text = frame(cd, {"SI": 1.0, "mm": 1000.0}[units]) + card(*CARD[:4], refc, *CARD[5:])
    mesh = read(tmp_path, text, units=units)
    structure = fem.assemble(mesh)
    its = moved(structure)
    axes = {
        k: mesh.systems[str(cd[k])].axes_at(x) if k in cd else np.eye(3)
        for k, x in [*enumerate(X, start=1), (100, np.array(AT))]
    }
    rows, values = [], []
    length = np.linalg.norm(X - AT, axis=1).mean()
    for number, weights in WEIGHTS.items():
        arm = X[int(number) - 1] - AT
        for component, weight in weights.items():
            k = ["x", "y", "z", "rx", "ry", "rz"].index(component)
            d, root = axes[int(number)][k % 3], np.sqrt(weight) * (length if k > 2 else 1.0)
            rows.append(root * np.concatenate([d, np.cross(arm, d)] if k < 3 else [0 * d, d]))
            values.append(root * d @ (its[number][:3] if k < 3 else its[number][3:]))
    motion = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
    for c in map(int, str(refc)):
        d, half = axes[100][(c - 1) % 3], slice(0, 3) if c < 4 else slice(3, 6)
        assert d @ its["100"][half] == pytest.approx(d @ motion[half], abs=1e-10)
    assert structure.n == 24 + (3 if refc == 23 else 6) - len(str(refc))


def test_other_dependent_motions_make_the_same_structure(tmp_path):
    """UM names other motions that follow: the equations are the same, and so is the structure."""
    text = frame() + card(
        "CONM2", 20, 100, None, 3.0, None, None, None, None, 0.1, None, 0.1, None, None, 0.1
    )
    plain = read(tmp_path, text + card(*CARD))
    other = read(tmp_path, text + card(*CARD, "UM", 100, 12, 1, 12, 3, 3, 4, 1))
    as_by_hand(fem.assemble(other), fem.assemble(plain))


def test_a_reference_that_follows_a_rigid_element(tmp_path):
    """UM lets the reference follow another one: the frequencies on the null space of all equations."""
    text = frame() + card("GRID", 101, None, 0.5, 0.5, 1.0) + card("RBE2", 8, 101, 123456, 100)
    text += card("CONM2", 20, 101, None, 3.0, None, None, None, None, 0.1, None, 0.1, None, None, 0.1)
    other = fem.assemble(read(tmp_path, text + card(*CARD, "UM", 1, 12, 2, 2, 3, 3, 4, 14)))
    free = fem.assemble(
        read(
            tmp_path, text.replace(card("RBE2", 8, 101, 123456, 100), "") + card("RBE2", 8, 101, 123456, 100)
        )
    )
    assert other.n == free.n - 6
    A = np.zeros((6, free.n))
    first = {
        str(n): free.freedoms.unknowns(free.freedoms.of_nodes([k])) for k, n in enumerate(free.mesh.node_ids)
    }
    counted = [
        ("1", 0),
        ("1", 1),
        ("1", 2),
        ("2", 0),
        ("2", 1),
        ("3", 2),
        ("4", 0),
        ("4", 2),
        ("4", 3),
        ("4", 4),
        ("4", 5),
    ]
    for column, (n, k) in enumerate(counted):
        A[:, first[n][k]] -= RBE3[:, column]
    arm = np.array(AT) - [0.5, 0.5, 1.0]
    A[:, first["101"]] += np.block(
        [
            [np.eye(3), np.array([[0, arm[2], -arm[1]], [-arm[2], 0, arm[0]], [arm[1], -arm[0], 0]])],
            [np.zeros((3, 3)), np.eye(3)],
        ]
    )
    Z = scipy.linalg.null_space(A)
    expected = scipy.linalg.eigvalsh(Z.T @ free.K @ Z, Z.T @ free.M @ Z)
    found = scipy.linalg.eigvalsh(other.K.toarray(), other.M.toarray())
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * expected.max())


def test_rotations_of_solids_are_told(tmp_path):
    """Their grid points have none."""
    cube = fem.box((1.0, 1.0, 1.0), (2, 2, 2), "hex8")
    end = [int(n) + 1 for n in cube.nodes_of("x1")]
    text = mesh_cards(cube) + MAT + card("PSOLID", 1, 1) + card("GRID", 100, None, 1.5, 0.4, 0.6)
    with pytest.warns(
        fem.FlexbodyWarning, match=r"RBE3 3 averages rotations \(456\) of grid points that have none"
    ):
        six = read(tmp_path, text + card("RBE3", 3, None, 100, 123456, 1.0, 123456, *end))
    three = read(tmp_path, text + card("RBE3", 3, None, 100, 123456, 1.0, 123, *end))
    as_by_hand(fem.assemble(six), fem.assemble(three))
    with pytest.raises(
        fem.FileError, match=f"no component is left of the grid points {end[0]}, which have no rotations"
    ):
        read(tmp_path, text + card("RBE3", 3, None, 100, 123456, 1.0, 123, *end[1:], 1.0, 456, end[0]))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((*CARD, "UM", 1, 12), "UM names 2 components; it must name as many as REFC, 123456"),
        (("RBE3", 9, None, 100, 123, 0.0, 123, 1, 2, 3), "its grid points have no weight"),
        (("RBE3", 9, None, 100, 123, 1.0, 127, 1, 2, 3), "'127' are no components"),
        (("RBE3", 9, None, 100, 123, 1.0, 123), "has no grid points"),
    ],
)
def test_wrong_cards(tmp_path, fields, message):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, frame() + card(*fields))


def test_components_that_do_not_suffice(tmp_path):
    few = ("RBE3", 9, None, 100, 123, 1.0, 12, 1, 2, 3, 4)
    with pytest.raises(fem.InputError, match=r"don't determine z of its reference.*line 17"):
        fem.assemble(read(tmp_path, frame() + card(*few)))
    with pytest.raises(
        fem.FileError, match="RBE3 9: the components of its grid points don't determine z of 100"
    ):
        read(tmp_path, frame({1: 8}) + card(*few))
