"""Solids of four kinds, shells and trusses that hang together, with sizes worked out by hand."""

import numpy as np
import pytest

import fem

POINTS = np.array(
    [
        *[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
        *[
            (1.6, 0.5, 0.5),
            (1.6, 0.5, 1.5),
            (0, 2, 0),
            (1, 2, 0),
            (0.5, -1, 0),
            (2.6, 0.5, 0.5),
            (2.6, 1.5, 0.5),
        ],
        (2.6, 0.5, 1.5),
    ],
    dtype=float,
)
#: kind -> nodes of its elements
CELLS = {
    "hex8": [[0, 1, 2, 3, 4, 5, 6, 7]],
    "pyramid5": [[1, 2, 6, 5, 8]],
    "tet4": [[5, 8, 6, 9]],
    "wedge6": [[3, 10, 7, 2, 11, 6]],
    "quad4": [[0, 3, 2, 1]],
    "tri3": [[0, 1, 12]],
    "line2": [[8, 13], [13, 14], [13, 15]],
}
#: a cube; a pyramid, 1/3 of 0.6; a tetrahedron, 1/6 of 0.6; half a cube
VOLUME = 1 + 0.2 + 0.1 + 0.5
#: a square; a triangle of base and height 1
AREA = 1 + 0.5
LENGTH = 3.0
SOLIDS, SHELLS, LINES = ("hex8", "pyramid5", "tet4", "wedge6"), ("quad4", "tri3"), ("line2",)


def check(mesh, body, skin, sticks):
    """Check a mesh with three element sets of these names against the sizes: each by the mass that it gets."""
    assert mesh.volume == pytest.approx(VOLUME, rel=1e-12)
    steel, aluminium = fem.Isotropic(210e9, 0.3, 7850.0), fem.Isotropic(70e9, 0.3, 2700.0)
    nothing = fem.Isotropic(1e9, 0.3, 1e-9)  # may not be zero; weighs less than 1e-7 of the rest
    for density, size, materials in (
        (7850.0, VOLUME, (steel, nothing, nothing)),
        (2700.0, AREA * 0.01, (nothing, aluminium, nothing)),
        (7850.0, LENGTH * 1e-4, (nothing, nothing, steel)),
    ):
        given = {
            body: materials[0],
            skin: fem.Shell(materials[1], thickness=0.01),
            sticks: fem.Truss(materials[2], area=1e-4),
        }
        assert fem.assemble(mesh, given).mass == pytest.approx(density * size, rel=1e-7)
