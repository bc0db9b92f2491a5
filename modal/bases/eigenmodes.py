"""Eigenmodes of a structure: free or supported, with or without point masses at its interfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import fem
from fem.analysis.eigen import lowest_modes
from fem.analysis.mode_shapes import check_number
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import as_names
from fem.model.free_body_flexibility import Flexibility, HeldFlexibility, RigidMotion, flexibility_of
from fem.model.supports import Supports, by_set, held_by

from ..body.inertia import FloatArray
from .basis import Basis


@check_arguments(own=("n",))
def eigenmodes(
    structure: fem.Structure, supports: Supports = (), *, n: int, masses: Sequence[fem.PointMass] = ()
) -> Basis:
    """Return the lowest eigenmodes K phi = omega^2 M phi, mass-orthonormal, with their frequencies.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    supports : str, sequence or mapping
        Node sets that are held, or {set: components}, as in :func:`fem.static`. By default the body is free: its six
        rigid modes are left out and the others are orthogonal to them (they meet the mean-displacement conditions).
    n : int
        Number of modes.
    masses : sequence of fem.PointMass
        Masses on the frames of node sets while the modes are computed (interface loading), so that the modes include
        the effect of the neighbouring parts. They do not belong to the body; frequencies and orthonormality are those
        of the loaded structure.

    Returns
    -------
    Basis
        The modes, with ``frequencies_hz``.

    Raises
    ------
    InputError
        A set is unknown, the sets do not hold the body, or there are fewer modes than ``n``.
    ConvergenceError
        The eigenvalue solver does not converge.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.eigenmodes(bar, n=2).frequencies_hz.round(1)
    array([521.7, 521.7])
    """
    loaded = [mass.at for mass in masses]
    _kept = None
    if not (len(supports) or loaded or structure.grounding.any()):
        check_number(n, structure, 6, least=1)
        _kept = flexibility_of(structure)  # for vibration, and for the basis to hold
    frequencies, shapes = _loaded(structure, n, supports, masses) if loaded else _bare(structure, n, supports)
    kind = f"eigenmodes, held at {', '.join(support_names(supports))}" if len(supports) else "free eigenmodes"
    if loaded:
        kind += f", with masses at {', '.join(loaded)}"
    labels = tuple(f"eigenmode {k + 1}, {f:.5g} Hz" for k, f in enumerate(frequencies))
    return Basis(structure, shapes, labels, kind=kind, frequencies_hz=frequencies)


def free_modes(structure: fem.Structure, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the frequencies (n,) in Hz and shapes (unknowns, n) of the lowest elastic modes of the free body.

    Errors as in :func:`eigenmodes`.
    """
    check_number(n, structure, 6, least=1)
    body = flexibility_of(structure)
    squares, shapes = lowest_modes(
        structure.K,
        structure.inertia_forces,
        n,
        inverse=body.relieved,
        forces=structure.elastic_forces,
        what="the free body",
    )
    return np.sqrt(squares) / (2 * np.pi), shapes


def support_names(supports: Supports) -> list[str]:
    """Return the names of the node sets in supports, with their components where not all are held."""
    return [
        name if what == "all" else f"{name} ({' '.join(map(str, as_names(what)))})"
        for name, what in by_set(supports).items()
    ]


def _bare(structure: fem.Structure, n: int, supports: Supports) -> tuple[FloatArray, FloatArray]:
    modes = fem.vibration(structure, supports, n=n)
    return modes.frequencies_hz, modes.shapes


def _loaded(
    structure: fem.Structure, n: int, supports: Supports, masses: Sequence[fem.PointMass]
) -> tuple[FloatArray, FloatArray]:
    """Return the modes of K and M + sum T' diag(m, m, m, J) T."""
    added = [(fem.interface(structure, mass.at), mass) for mass in masses]
    weak = [i.name for i, mass in added if mass.inertia is not None and not i.has_rotation]
    if weak:
        raise InputError(
            f"the node sets {listing(weak)} can't carry a rotation; leave the inertia of their masses out"
        )

    def inertia_forces(u: FloatArray) -> FloatArray:
        forces = structure.inertia_forces(u)
        for interface, mass in added:
            motion = interface.T @ u
            carried = np.concatenate([mass.mass * motion[:3], mass.tensor @ motion[3:]])
            forces = forces + interface.T.T @ carried
        return np.asarray(forces)

    what = f"the structure with masses at {listing(mass.at for mass in masses)}"
    if len(supports):
        held = held_by(structure, supports)
        if held.values.any():
            raise InputError("modes are about a state at rest; prescribe zero in supports=")
        check_number(n, structure, len(held.held), least=1)
        body = HeldFlexibility(structure, held.held)
        squares, shapes = lowest_modes(
            structure.K,
            inertia_forces,
            n,
            inverse=body.solve,
            unloaded=body.unloaded,
            forces=structure.elastic_forces,
            what=what,
        )
    else:
        check_number(n, structure, 6, least=1)
        free = Flexibility(structure, rigid=RigidMotion(structure, inertia_forces))
        squares, shapes = lowest_modes(
            structure.K, inertia_forces, n, inverse=free.relieved, forces=structure.elastic_forces, what=what
        )
    return np.sqrt(squares) / (2 * np.pi), shapes
