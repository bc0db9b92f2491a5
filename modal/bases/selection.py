"""Combination of bases, the full finite-element model as a basis, and dependent base functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing, warn
from fem.common.names import as_names
from fem.model.supports import Supports, held_by

from ..body.inertia import FloatArray
from .basis import Basis, Proposal, basis_of

#: columns at most of a basis of all shape functions: C5 holds 9 N^2 numbers
_MAX_COLUMNS = 600


@check_arguments(own=("bases",))
def combine(*bases: Basis | Proposal) -> Basis:
    """Return all columns of several bases of one structure, in the order given; Koppens 3.4.

    Columns that depend on earlier ones are dropped by :func:`modal.reduce`, which lists their labels. A label that
    several bases have gets the number of its basis.

    Parameters
    ----------
    *bases : Basis or Recommendation
        Bases of the same structure; a result of :func:`modal.recommend` counts as its basis.

    Returns
    -------
    Basis
        The combined basis with the interfaces of all.

    Raises
    ------
    InputError
        The bases belong to different structures, or an interface is averaged in one and rigid in another.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.combine(modal.eigenmodes(bar, n=2), modal.inertia_modes(bar)).N
    8
    """
    if not bases:
        raise InputError("give the bases to combine: modal.combine(basis, basis, ...)")
    given = tuple(basis_of(basis) for basis in bases)
    structure = given[0].structure
    if any(basis.structure is not structure for basis in given):
        raise InputError("the bases to combine belong to different structures; make them for the same one")
    interfaces: dict[str, fem.Interface] = {}
    for basis in given:
        for interface in basis.interfaces:
            known = interfaces.setdefault(interface.name, interface)
            if known.rigid != interface.rigid:
                raise InputError(
                    f"the interface '{interface.name}' is {known.kind} in one basis and {interface.kind} in another"
                )
    return Basis(
        structure,
        np.hstack([basis.Phi for basis in given]),
        _unique_labels(given),
        tuple(interfaces.values()),
        " + ".join(basis.kind for basis in given),
        np.concatenate([basis.frequencies_hz for basis in given]),
        _follows(given),
    )


def _follows(bases: Sequence[Basis]) -> tuple[tuple[str, str] | None, ...]:
    """Return the stations and components of all columns; empty if none has one."""
    found = tuple(entry for basis in bases for entry in basis.follows or (None,) * basis.N)
    return found if any(found) else ()


def _unique_labels(bases: Sequence[Basis]) -> tuple[str, ...]:
    """Return all labels; a label that several bases have gets the number of its basis, counted from 1."""
    count = Counter(label for basis in bases for label in set(basis.labels))
    return tuple(
        f"{label} (basis {k}, {basis.kind})" if count[label] > 1 else label
        for k, basis in enumerate(bases, start=1)
        for label in basis.labels
    )


@check_arguments
def all_degrees_of_freedom(
    structure: fem.Structure, supports: Supports = (), *, interfaces: str | Sequence[str] = ()
) -> Basis:
    """Return the finite-element shape functions themselves as base functions, Koppens 3.3 and 5.3.

    For small models, and as a reference for smaller bases.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    supports : str, sequence or mapping
        Degrees of freedom that are left out, in the forms of :func:`fem.static`; none by default.
    interfaces : sequence of str
        Node sets that become interfaces of the body.

    Returns
    -------
    Basis
        One column for each unknown that is not held.

    Raises
    ------
    InputError
        More than 600 columns would result.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.all_degrees_of_freedom(bar, supports="x0").N
    144
    """
    held = held_by(structure, supports).held if len(supports) else np.zeros(0, dtype=np.int64)
    free = np.setdiff1d(np.arange(structure.n), held)
    if len(free) > _MAX_COLUMNS:
        raise InputError(
            f"the structure has {len(free)} unknowns; a body with more than {_MAX_COLUMNS} base functions can't be "
            "simulated in reasonable time. Use modal.craig_bampton, or a coarser mesh"
        )
    Phi = np.zeros((structure.n, len(free)))
    Phi[free, np.arange(len(free))] = 1.0
    labels = tuple(
        structure.freedoms.name(int(k), structure.mesh.points, structure.mesh.node_ids) for k in free
    )
    names = as_names(interfaces)
    frames = tuple(fem.interface(structure, name) for name in names)
    return Basis(structure, Phi, labels, frames, "finite-element shape functions")


def dependent_columns(null: FloatArray) -> list[int]:
    """Return d columns, ascending, without which N columns become independent; the last ones where there is a choice.

    ``null`` (N, d): orthonormal combinations of the columns that vanish. Column j may be removed if one of them
    contains it after the columns chosen before have been eliminated, from the last column on.
    """
    rows = np.array(null.T, dtype=np.float64)  # (d, N)
    chosen: list[int] = []
    remaining = list(range(rows.shape[1]))[::-1]
    while len(chosen) < null.shape[1]:
        size = np.linalg.norm(rows, axis=0)
        # far below it is round-off; the last column with a fair part is taken
        j = next(j for j in remaining if size[j] > 1e-3 * size.max())
        chosen.append(j)
        remaining.remove(j)
        direction = rows[:, j] / np.linalg.norm(rows[:, j])
        rows = rows - np.outer(direction, direction @ rows)
    return sorted(chosen)


def warn_of_static_basis(basis: Basis, Phi: FloatArray, name: str) -> None:
    """Warn if all independent shapes Phi (unknowns, N) move the interfaces of ``basis``.

    Such a body does not bend by its own inertia between its interfaces; for the rod of Koppens' slider-crank the error
    would be 44 %.
    """
    structure, frames = basis.structure, basis.interfaces
    if not frames or structure.n <= 6 * len(frames):  # the model itself has no more
        return
    both = np.hstack([Phi, structure.rigid_modes()])
    motion = np.vstack([i.T @ both for i in frames])
    size = structure.mesh.size
    motion = motion * np.tile([1.0, 1.0, 1.0, size, size, size], len(frames))[:, None]
    if np.linalg.matrix_rank(motion / np.linalg.norm(motion, axis=0).clip(1e-300), tol=1e-8) < both.shape[1]:
        return
    warn(
        f"body '{name}' has static shapes of its interfaces {listing(i.name for i in frames)} alone: between them it "
        "does not bend by its own inertia, which can be half of its motion. This is sufficient for slow motion and "
        "light parts; otherwise add modes (n_normal of modal.craig_bampton, two or more in each plane) or "
        "use modal.recommend"
    )


def dropped_note(null: FloatArray, rigid: int, labels: Sequence[str]) -> tuple[str, ...]:
    """Return a note on combinations ``null`` (N, d) of base functions that were dropped; empty for d = 0.

    ``rigid`` of them move the body as a whole.
    """
    N, d = null.shape
    if d == 0:
        return ()
    why = [f"{rigid} of rigid motion, which the body's frame has"] if rigid else []
    if d > rigid:
        why.append(f"{d - rigid} dependent on others (independent part less than 1e-5 of the mass norm)")
    columns = dependent_columns(null)
    shown = ", ".join(f"{k} '{labels[k]}'" for k in columns[:12])
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return (
        f"{d} of {N} combinations dropped: {', '.join(why)}. Its columns {shown}{more} are "
        "combinations of the others and of rigid motions",
    )
