"""Structures to be drawn: beams, a plate; and what a picture or a closed surface measures."""

from __future__ import annotations

import numpy as np

import fem

SIZE = (320, 180)
STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
LENGTH = 2.0
SECTIONS = {
    "circle": fem.Circle(0.1),
    "tube": fem.Tube(0.1, 0.06),
    "rectangle": fem.Rectangle(0.1, 0.2),
    "I": fem.ISection(0.2, 0.1, web=0.01, flange=0.015),
    "I with fillets": fem.ISection(0.2, 0.1, web=0.01, flange=0.015, radius=0.012),
    "angle": fem.DrawnSection([[(0, 0), (0.1, 0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.2), (0, 0.2)]]),
    "general": fem.Section(A=2e-2, Iy=0.1 * 0.2**3 / 12, Iz=0.2 * 0.1**3 / 12, J=1e-5),
}


def volume(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def area(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def drawn(image):
    return (image < 250).any(axis=2).mean()


def holds(image, colour, least=9):
    """Whether a picture has pixels of exactly this colour, as legends do."""
    return (np.abs(image / 255 - np.array(colour)).max(axis=2) < 0.01).sum() > least


def bars(n=4, sets=()):
    """A straight line of n elements along x, from "root" to "tip"."""
    points = np.zeros((n + 1, 3))
    points[:, 0] = np.linspace(0, LENGTH, n + 1)
    lines = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    ends = {"root": np.array([0]), "tip": np.array([n])}
    return fem.Mesh(points, (fem.Block("line2", lines),), node_sets=ends, name="bars")


def plate(n=4):
    """A square plate, side 1 m, in the plane z = 0; its edges x = 0 and x = 1 are sets."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    a = i * (n + 1) + j
    quads = np.stack([a, a + n + 1, a + n + 2, a + 1], axis=1)
    ends = {
        "x0": np.flatnonzero(x.ravel() == 0),
        "x1": np.flatnonzero(x.ravel() == 1),
        "all": np.arange(len(points)),
    }
    return fem.Mesh(points, (fem.Block("quad4", quads),), node_sets=ends, name="plate")


def cantilever():
    """A beam of four elements, held at its root, 1 kN down at its tip: structure and solution."""
    structure = fem.assemble(bars(), fem.Beam(STEEL, SECTIONS["I"], shear=False))
    return structure, fem.static(structure, "root", fem.Force("tip", (0, 0, -1e3)))
