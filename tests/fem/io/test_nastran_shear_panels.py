"""Shear panels of Nastran decks, against the same part built by hand."""

import numpy as np
import pytest
from support.nastran import card, read
from support.nastran_bodies import as_by_hand

import fem

X = np.array([[0, 0, 0], [2, 0, 0.1], [1.8, 1.5, 0], [0.3, 1, 0.1], [1, 0.7, 1]])
LINES = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]]


def cards(scale=1.0):
    text = "".join(card("GRID", k, None, *(float(scale * c) for c in x)) for k, x in enumerate(X, start=1))
    text += "".join(card("CROD", k, 2, a + 1, b + 1) for k, (a, b) in enumerate(LINES, start=1))
    text += card("PROD", 2, 1, 1e-4 * scale**2) + card("CSHEAR", 20, 5, 1, 2, 3, 4)
    return text + (
        card("MAT1", 1, 210e9, None, 0.3, 7850.0)
        if scale == 1
        else card("MAT1", 1, 210e3, None, 0.3, 7.85e-9)
    )


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize(
    ("factors", "areas"),
    [
        ((None, None), (0, 0, 0, 0)),
        ((1.0, 0.5), "parts"),
        ((30.0, None), (0.5 * 30 * 0.002**2, 0, 0.5 * 30 * 0.002**2, 0)),
        ((0.0, 0.0, 30.0, None), (0, 0, 0.5 * 30 * 0.002**2, 0)),
    ],
)
def test_panels_with_bars_along_their_sides(tmp_path, factors, areas, units):
    """PSHEAR: F T A / (l + l') up to 1.01, F T^2 / 2 above; 5 kg of a square metre beside the panel's own mass."""
    scale = {"SI": 1.0, "mm": 1000.0}[units]
    mesh = read(
        tmp_path,
        cards(scale)
        + card("PSHEAR", 5, 1, 0.002 * scale, 5.0 / scale**2 / (1 if scale == 1 else 1000.0), *factors),
        units=units,
    )
    lengths = np.linalg.norm(X[[1, 2, 3, 0]] - X[:4], axis=1)
    if areas == "parts":
        area = 0.5 * np.linalg.norm(np.cross(X[2] - X[0], X[3] - X[1]))
        areas = [f * 0.002 * area / (lengths[k] + lengths[k - 2]) for k, f in enumerate((1.0, 0.5, 1.0, 0.5))]
    steel, heavy = (fem.Isotropic(210e9, 0.3, 7850.0 + extra) for extra in (0.0, 5.0 / 0.002))
    bars = [
        fem.Spring(str(k + 1), str((k + 1) % 4 + 1), 210e9 * areas[k] / lengths[k])
        for k in range(4)
        if areas[k]
    ]
    by_hand = fem.Mesh(X, (fem.Block("line2", LINES), fem.Block("quad4", [[0, 1, 2, 3]])))
    its = {"line2": fem.Truss(steel, 1e-4), "quad4": fem.ShearPanel(heavy, 0.002)}
    found, expected = fem.assemble(mesh), fem.assemble(by_hand, its, parts=bars)
    as_by_hand(found, expected)


def test_a_flat_web_between_flanges(tmp_path):
    """Nothing holds the web across its plane: told, and its grid points stay in one plane that moves."""
    x = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]
    text = "".join(card("GRID", k, None, *map(float, p)) for k, p in enumerate(x, start=1))
    text += (
        card("CSHEAR", 20, 5, 1, 2, 5, 4) + card("CSHEAR", 21, 5, 2, 3, 6, 5) + card("PSHEAR", 5, 1, 0.002)
    )
    for k, (a, b) in enumerate([(1, 2), (2, 3), (4, 5), (5, 6), (1, 4), (2, 5), (3, 6)], start=1):
        text += card("CROD", k, 2, a, b)
    text += card("PROD", 2, 1, 1e-4) + card("MAT1", 1, 210e9, None, 0.3, 7850.0)
    with pytest.warns(fem.FlexbodyWarning, match="1, 2, 3, 4, 5, 6 no stiffness in some direction"):
        mesh = read(tmp_path, text)
    structure = fem.assemble(mesh)
    assert structure.n == 12 + 3
    values = np.linalg.eigvalsh(structure.K.toarray()) / abs(structure.K).max()
    assert np.abs(values[:6]).max() < 1e-12
    assert values[6] > 1e-3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (card("PSHEAR", 5, 1), "PSHEAR 5 has no thickness"),
        (card("PSHELL", 5, 1, 0.01, 1), "CSHEAR 20 has the property 5, which is a PSHELL; it takes PSHEAR"),
        (card("PSHEAR", 5, 7, 0.01) + card("MAT8", 7, 1e9, 1e9, 0.3, 1e9), "needs an isotropic material"),
    ],
)
def test_wrong_panels(tmp_path, text, message):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, cards() + text)
