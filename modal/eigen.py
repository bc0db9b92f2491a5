"""Eigenmodes of a structure: free, or with node sets held."""

from __future__ import annotations

from collections.abc import Sequence

import fem

from .basis import Basis


def eigenmodes(structure: fem.Structure, n: int, fixed: Sequence[str] = ()) -> Basis:
    """Return the ``n`` lowest eigenmodes K phi = omega^2 M phi, mass-orthonormal, with ``frequencies_hz``.

    ``fixed`` names node sets whose displacements are zero. Without them the body is free: its six rigid modes
    are left out, and the others are orthogonal to them (they meet the mean-displacement conditions).

    InputError for an unknown set, sets that do not hold the body, or too many modes; ConvergenceError.
    """
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    modes = fem.vibration(structure, n, fixed)
    kind = f"eigenmodes, held at {', '.join(fixed)}" if fixed else "free eigenmodes"
    labels = tuple(f"eigenmode {k + 1}, {f:.5g} Hz" for k, f in enumerate(modes.frequencies_hz))
    return Basis(structure, modes.shapes, labels, kind=kind, frequencies_hz=modes.frequencies_hz)
