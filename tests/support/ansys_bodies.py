"""Bodies as archives of ANSYS, and what compares them with the same parts built by hand."""

from dataclasses import replace

import numpy as np

import fem

from .ansys_decks import deck, eblock, materials, nblock, types

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
MEAN = fem.Solid(STEEL, brick=fem.MeanDilatation())  # SOLID185 by default
#: coordinates have 14 digits in a deck
DIGITS = 1e-9


def crooked(mesh):
    x = mesh.points
    return replace(mesh, points=x + 0.03 * np.sin(7 * x[:, [1, 2, 0]] + 1))


def one(kind):
    """A single element of a kind, crooked."""
    return fem.Mesh(fem.ELEMENTS[kind].nodes * 1.0, (fem.Block(kind, [range(fem.ELEMENTS[kind].n_nodes)]),))


def read(text, tmp_path, name="part.cdb", **options):
    path = tmp_path / name
    path.write_text(text)
    return fem.read_mesh(path, **options)


def same(found, expected, digits=DIGITS):
    """The same stiffness, mass and lowest frequencies."""
    assert found.n == expected.n
    for A, B in ((found.K, expected.K), (found.M, expected.M)):
        assert abs(A - B).max() <= digits * abs(B).max()
    np.testing.assert_allclose(found.mass, expected.mass, rtol=digits)


def arm():
    points = [[0, 0, 0], [0.5, 0.2, 0.1], [1.0, 0.2, 0.3], [1.0, 0.2, 0.8]]
    return fem.Mesh(points, (fem.Block("line2", [[0, 1], [1, 2], [2, 3]]),), {"root": [0], "tip": [3]})


def default_up(a, b):
    """Section z axis by default: y parallel to the plane X-Y, or along Y for beams along Z (Element Reference)."""
    x = (b - a) / np.linalg.norm(b - a)
    y = np.array([0.0, 1.0, 0.0]) if np.hypot(x[0], x[1]) < 1e-4 else np.array([-x[1], x[0], 0.0])
    return tuple(np.cross(x, y))


def sample():
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
    return deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials(),
                ["CMBLOCK,ENDS    ,NODE,       2", "(8i10)", f"{1:10d}{4:10d}"])  # fmt: skip


PLATE = [
    "N,1,0,0,0",
    "N,2,1000,0,0",
    "N,3,1000,50,0",
    "N,4,0,50,0",
    "TYPE,1",
    "SECNUM,1",
    "MAT,1",
    "EN,1,1,2,3,4",
]
ISOTROPIC = ["MP,EX,1,210000", "MP,PRXY,1,0.3", "MP,DENS,1,7.85e-9"]
ALUMINIUM = ["MP,EX,2,70000", "MP,PRXY,2,0.3", "MP,DENS,2,2.7e-9"]
PLY = ["MP,EX,3,135000", "MP,EY,3,10000", "MP,EZ,3,10000", "MP,DENS,3,1.6e-9"]
PLY += [f"MP,PR{k},3,0.3" for k in ("XY", "XZ", "YZ")] + [f"MP,G{k},3,5000" for k in ("XY", "XZ", "YZ")]


def deck_of_a_plate(*extra, data="SECDATA,2,1,0,3"):
    return "\n".join(
        ["/PREP7", "ET,1,181", *ISOTROPIC, *ALUMINIUM, *PLY, "SECTYPE,1,SHELL", data, *extra, *PLATE, ""]
    )
