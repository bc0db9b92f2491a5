"""Small unsymmetric structures for the terms of second order, and the comparison that is used for these."""

from __future__ import annotations

import functools

import numpy as np

import fem

from .bars import STEEL
from .frames import line

SECTION = fem.Rectangle(0.02, 0.03)


@functools.cache
def solid(element="hex20"):
    """An unsymmetric piece of solid: sides that differ, and a corner pulled out."""
    mesh = fem.box((0.3, 0.1, 0.07), (2, 1, 1), element)
    x = mesh.points
    moved = x + 0.3 * np.outer(x[:, 0] * x[:, 1] / 0.03, (0.02, 0.04, 0.03))
    return fem.assemble(fem.Mesh(moved, mesh.blocks, mesh.node_sets, name="piece"), STEEL)


@functools.cache
def frame_of_beams(lumped=False):
    """An L of beams in space; lumped: the mass at the nodes, without rotary inertia."""
    mesh = line([(0, 0, 0), (0.3, 0, 0.02), (0.4, 0.2, 0.0)], 3)
    return fem.assemble(mesh, fem.Beam(STEEL, SECTION, rotary=not lumped), lumped=lumped)


def close(found, exact, relative=1e-10):
    np.testing.assert_allclose(found, exact, rtol=0, atol=relative * np.abs(exact).max())
