"""Distributed loads that follow the deformation of a body: how their generalized forces change with it.

A following load is computed on the deformed mesh (:meth:`fem.Load.stiffness`). To first order in the modal coordinates
its resultant, its moment about the origin and its generalized forces, Koppens (2.31)-(2.33), become

    F = F0 + F1 alpha     M = M0 + M1 alpha     f = f0 + f1 alpha.

Here are those parts of F1, M1 and f1 that the load has because it follows. The others hold for loads of fixed direction
as well: the forces move with the nodes (M1) and do work on displacements of second order (f1), and follow from the
load's frames (:mod:`modal.reduction.load_frames`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

import fem
from fem.common.errors import InputError
from fem.model.loads import load_list

from ..body.inertia import FloatArray
from ..body.load_change import LoadChange


def load_changes(
    structure: fem.Structure, loads: Mapping[str, Any], Phi: FloatArray, origin: FloatArray
) -> dict[str, LoadChange | str]:
    """Return the change of each load that can follow, or why it can't.

    Parameters
    ----------
    structure : fem.Structure
        The loaded structure.
    loads : mapping of str to load
        Loads by name.
    Phi : numpy.ndarray
        Base functions in the frame of the body, (unknowns, N).
    origin : numpy.ndarray
        Origin of the body, (3,), m.

    Returns
    -------
    dict
        Changes, or sentences, by name.
    """
    freedoms, mesh = structure.freedoms, structure.mesh
    n = freedoms.n_motions
    moved = freedoms.motions(Phi)
    about = np.zeros((n, 6))  # rigid motions, whose work gives resultant and moment
    nodes = freedoms.first[:-1]
    for k, row in enumerate(np.eye(3)):
        about[nodes + k, k] = 1.0
        about[nodes + k, 3:] = np.cross(mesh.points - origin, row)
    turning = nodes[freedoms.count == 6]
    for k in range(3):
        about[turning + 3 + k, 3 + k] = 1.0
    found: dict[str, LoadChange | str] = {}
    for name, given in loads.items():
        try:
            parts = [load.stiffness(structure) for load in load_list(given)]
        except InputError as error:  # a load that keeps its direction, or a node without rotation
            found[name] = str(error)
            continue
        forces = sum(parts, scipy.sparse.csr_array((n, n))) @ moved
        whole = about.T @ forces
        found[name] = LoadChange(whole[:3], whole[3:], moved.T @ forces)
    return found
