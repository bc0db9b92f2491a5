"""Constraint modes of interfaces, and Craig-Bampton bases.

A constraint mode is the static shape for a unit displacement or rotation of one interface frame with all others held.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import fem
from fem.analysis.eigen import lowest_modes
from fem.analysis.mode_shapes import check_number
from fem.common.arguments import check_arguments

from ..body.inertia import FloatArray
from .basis import Basis
from .interfaces import Averaged, InterfaceKind, InterfaceModel, interface_model

AVERAGED = Averaged()
DIRECTIONS = ("x", "y", "z", "turn about x", "turn about y", "turn about z")


@check_arguments(own=("interface",))
def constraint_modes(
    structure: fem.Structure, interfaces: str | Sequence[str], *, interface: InterfaceKind = AVERAGED
) -> Basis:
    """Return the 6 m static shapes for unit displacements and rotations of m interface frames.

    They span all static deformations by loads at the interfaces, and the six rigid motions.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets, each of which becomes one frame with six degrees of freedom.
    interface : Averaged or Rigid
        :class:`Averaged` (RBE3: the frame follows the weighted mean of its nodes) or :class:`Rigid` (RBE2: the nodes
        follow the frame).

    Returns
    -------
    Basis
        Columns x, y, z (m per m) and rotations about x, y, z (m per rad) of the first interface, then of the next.

    Raises
    ------
    InputError
        A set is unknown, can't carry a rotation, or depends on another interface.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.constraint_modes(bar, ("x0", "x1")).N
    12
    """
    model = interface_model(structure, interfaces, interface)
    labels = _labels(model)
    return Basis(
        structure,
        model.constraint_modes(),
        labels,
        model.interfaces,
        f"constraint modes, {model.interfaces[0].kind} interfaces",
    )


@check_arguments(own=("interface", "n_normal"))
def craig_bampton(
    structure: fem.Structure,
    interfaces: str | Sequence[str],
    *,
    n_normal: int,
    interface: InterfaceKind = AVERAGED,
) -> Basis:
    """Return constraint modes and the lowest eigenmodes with all interface frames held.

    One factorisation serves both.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets at which joints or forces act.
    n_normal : int
        Number of eigenmodes with the interfaces held (fixed-interface normal modes); 0 gives the constraint modes
        alone.
    interface : Averaged or Rigid
        The constraint that joints impose, as in :func:`constraint_modes`.

    Returns
    -------
    Basis
        6 m constraint modes of m interfaces, then the normal modes.

    Raises
    ------
    InputError
        As in :func:`constraint_modes` and :func:`eigenmodes`.

    References
    ----------
    R. R. Craig, M. C. C. Bampton: Coupling of substructures for dynamic analyses. AIAA Journal 6 (1968) 1313-1319.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.craig_bampton(bar, ("x0", "x1"), n_normal=4)
    <Basis: 16 fields, Craig-Bampton, averaged interfaces, interfaces 'x0', 'x1'>
    """
    check_number(n_normal, structure, 0)
    model = interface_model(structure, interfaces, interface)
    check_number(n_normal, structure, model.n_held)
    return with_constraint_modes(structure, model, *held_modes(structure, model, n_normal))


def with_constraint_modes(
    structure: fem.Structure, model: InterfaceModel, frequencies: FloatArray, normal: FloatArray
) -> Basis:
    """Return the Craig-Bampton basis of known normal modes (unknowns, n) with their frequencies (n,) in Hz."""
    labels = _labels(model) + tuple(f"normal mode {k + 1}, {f:.5g} Hz" for k, f in enumerate(frequencies))
    return Basis(
        structure,
        np.hstack([model.constraint_modes(), normal]),
        labels,
        model.interfaces,
        f"Craig-Bampton, {model.interfaces[0].kind} interfaces",
        frequencies,
    )


def held_modes(structure: fem.Structure, model: InterfaceModel, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the frequencies (n,) in Hz and shapes (unknowns, n) of the lowest modes with all frames held."""
    squares, shapes = lowest_modes(
        structure.K,
        structure.inertia_forces,
        n,
        inverse=model.inverse,
        unloaded=model.unloaded,
        forces=structure.elastic_forces,
        what=f"the body held at {', '.join(i.name for i in model.interfaces)}",
    )
    return np.sqrt(squares) / (2 * np.pi), shapes


def _labels(model: InterfaceModel) -> tuple[str, ...]:
    return tuple(f"{i.name} {direction}" for i in model.interfaces for direction in DIRECTIONS)
