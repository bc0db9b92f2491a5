"""Solids in whole analyses: a vibrating cantilever in every kind, and what orthotropy does to it."""

import numpy as np
import pytest

import fem

# 1 x 0.05 x 0.1 m, bending along 0.1 m; half of it, cut along its plane of symmetry, bends in this direction only
SIZE, SUPPORTS = (1.0, 0.025, 0.1), {"x0": "all", "y0": "y"}


@pytest.mark.parametrize(
    ("kind", "divisions", "above"),
    [
        ("hex8", (40, 2, 4), 0.009),
        ("hex20", (24, 1, 2), 0.007),
        ("hex27", (24, 1, 2), 0.006),
        ("wedge15", (24, 1, 2), 0.007),
        ("tet10", (24, 1, 2), 0.007),
    ],
)
def test_frequencies_of_a_cantilever(kind, divisions, above):
    """83.1596, 498.4043 Hz: Timoshenko's cantilever, E = 210e9, nu = 0.3, rho = 7800, k = 5/6, computed exactly by an
    independent program. The solid's clamped end can't contract, which fine meshes show to be worth 0.3 and 0.4 %;
    the rest is the mesh, and all of it from above (Rayleigh, the conforming ones)."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7800.0)
    structure = fem.assemble(fem.box(SIZE, divisions, kind), steel)
    ratio = fem.vibration(structure, SUPPORTS, n=2).frequencies_hz / [83.1596, 498.4043]
    assert (ratio > 1.003).all()
    assert (ratio < 1 + above).all()
    if kind == "hex8":
        plain = fem.assemble(fem.box(SIZE, divisions, kind), fem.Solid(steel, brick=fem.FullIntegration()))
        assert fem.vibration(plain, SUPPORTS, n=1).frequencies_hz[0] > 1.015 * 83.1596


def test_fibres_along_and_across_a_cantilever():
    """Bending frequencies follow the modulus along the beam: f^2 ~ E_x, slender, E1 / E2 = 12."""
    constants = {"E": (120e9, 10e9, 10e9), "nu": (0.25, 0.25, 0.3), "G": (40e9, 40e9, 40e9), "rho": 1600.0}
    mesh = fem.box((2.0, 0.025, 0.05), (16, 1, 1), "hex20")
    along = fem.assemble(mesh, fem.Orthotropic(**constants))
    across = fem.assemble(mesh, fem.Orthotropic(**constants, axes=((0, 1, 0), (1, 0, 0), (0, 0, 1))))
    ratio = np.divide(*(fem.vibration(s, SUPPORTS, n=1).frequencies_hz[0] for s in (along, across)))
    # shear takes E / (k G) (h / L)^2 of it, 0.2 % along the fibres, and the clamped end stiffens a little
    assert ratio == pytest.approx(np.sqrt(12), rel=0.01)
    first = 1.8751040687**2 * np.sqrt(120e9 * 0.05**2 / 12 / 1600.0) / (2 * np.pi * 2.0**2)
    assert fem.vibration(along, SUPPORTS, n=1).frequencies_hz[0] == pytest.approx(first, rel=0.01)
