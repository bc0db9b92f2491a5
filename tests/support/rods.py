"""Koppens' round rod (1989, section 5.2) from beam elements, along x from the origin."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
from reference import slider_crank

import fem

LENGTH, EI, MASS, AREA = slider_crank.LENGTH, slider_crank.EI, slider_crank.MASS, slider_crank.AREA
#: pinned in the plane: the axis held against spin and stretch at the start
PINNED = {"start": ("x", "y", "z", "rx"), "end": ("y", "z")}
#: supports of all nodes that leave bending in the x-y plane alone
IN_PLANE = {"all": ("x", "z", "rx", "ry")}


@functools.cache
def rod(elements: int = 8, stiffer: float = 1.0, lumped: bool = False):
    """Euler-Bernoulli elements with the sets "start", "middle", "end", "all".

    ``stiffer`` times the area and a fraction of the density keep EI and the mass, and take axial strain and the
    sections' rotary inertia away.
    """
    k = np.arange(elements)
    x = np.linspace(0, LENGTH, elements + 1)
    sets = {
        "start": np.array([0]),
        "middle": np.array([elements // 2]),
        "end": np.array([elements]),
        "all": np.arange(elements + 1),
    }
    mesh = fem.Mesh(
        np.column_stack([x, 0 * x, 0 * x]),
        (fem.Block("line2", np.stack([k, k + 1], axis=1)),),
        sets,
        name="rod",
    )
    section = fem.Circle(slider_crank.DIAMETER)
    steel = fem.Isotropic(E=slider_crank.E, nu=0.3, rho=slider_crank.RHO / stiffer)
    beam = fem.Beam(steel, replace(section, A=stiffer * section.A), shear=False)
    return fem.assemble(mesh, beam, lumped=lumped)
