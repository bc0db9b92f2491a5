"""Static modes: the shapes of a held or free structure under loads and prescribed displacements.

A free body under loads accelerates, and its own inertia balances the loads (inertia relief). Its shape is that of
K u = f - M R (R' M R)^-1 R' f, without mean displacement and rotation. Koppens 5.4.1: such shapes describe the effect
of loads on a body better than eigenmodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import as_list, as_names
from fem.common.numbers import is_number
from fem.model.free_body_flexibility import HeldFlexibility, flexibility_of
from fem.model.freedoms import NAMES, components
from fem.model.loads import Load
from fem.model.supports import Supports, by_set, held_by

from ..body.inertia import FloatArray
from .basis import Basis
from .constraint_modes import DIRECTIONS
from .eigenmodes import eigenmodes, support_names
from .interfaces import Averaged

#: interfaces, all their directions, or {interface: components} with components as in supports
Where = str | Sequence[str] | Mapping[str, object]
#: a load, several that act together, or a list or {label: ...} of these
Loads = Load | Sequence[object] | Mapping[str, object]

_FORCES = tuple("force along " + axis for axis in "xyz") + tuple("moment about " + axis for axis in "xyz")
#: a load that inertia alone balances to within this part of it causes no deformation
_DEFORMATION_TOLERANCE = 1e-9


@check_arguments
def static_modes(structure: fem.Structure, loads: Loads, *, supports: Supports = ()) -> Basis:
    """Return one static shape for each load, on supports or by inertia relief.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    loads : load, sequence or mapping
        A load such as fem.Force, Gravity, Centrifugal, Pressure, Traction or LineLoad; a list of loads, an entry of
        which may be a tuple of loads that act together; or {label: load or tuple of loads}.
    supports : str, sequence or mapping
        Supports in the forms of :func:`fem.static`; without any the body is free and its inertia balances the load.

    Returns
    -------
    Basis
        One column for each load, in m and rad for the load as given.

    Raises
    ------
    InputError
        A load does not deform the body: it is zero, or it is the weight of a free body, which falls.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.static_modes(bar, {"tip load": fem.Force("x1", (0, 0, 1.0))}, supports="x0").labels
    ('tip load',)
    """
    listed = listed_loads(loads)
    if not listed:
        raise InputError("loads= is empty; give at least one load")
    forces = np.column_stack([fem.load_vector(structure, load) for load in listed.values()])
    return _basis(structure, forces, tuple(listed), supports, (), "static modes")


@check_arguments
def attachment_modes(structure: fem.Structure, at: Where, *, supports: Supports = ()) -> Basis:
    """Return the static shapes for unit forces and unit moments on frames of node sets.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    at : str, sequence or mapping
        One node set, several, or {set: components} such as {"tip": ("z", "ry")}: "x", "y", "z" are forces along the
        axes, "rx", "ry", "rz" moments about them. By default all that the set can carry; a node of a solid alone
        carries no moment. A set may be a single node. Each set becomes an interface.
    supports : str, sequence or mapping
        Supports in the forms of :func:`fem.static`; without any the body is free and its inertia balances the load
        (inertia-relief attachment modes).

    Returns
    -------
    Basis
        Shapes in m and rad per N and per N m.

    Raises
    ------
    InputError
        A set or component is unknown, or a moment is asked for on a set that can't carry it.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.attachment_modes(bar, {"x1": ("z", "ry")}).labels
    ('x1 force along z', 'x1 moment about y')
    """
    frames = _frames(structure, at)
    forces, labels = _unit_loads(frames, _FORCES)
    interfaces = tuple(frame for frame, _ in frames)
    return _basis(structure, forces, labels, supports, interfaces, "attachment modes")


@check_arguments
def displacement_modes(structure: fem.Structure, at: Where, *, supports: Supports) -> Basis:
    """Return the static shapes for unit displacements and rotations of frames, with all other listed ones zero.

    The frames move with the mean of their nodes, and the forces that move them are distributed over these nodes.
    Components that are not listed are free.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    at : str, sequence or mapping
        Node sets and components as in :func:`attachment_modes`.
    supports : str, sequence or mapping
        Supports that hold the body, in the forms of :func:`fem.static`. For interfaces that hold the body themselves,
        each in all components, see :func:`modal.constraint_modes`.

    Returns
    -------
    Basis
        Shapes for 1 m and 1 rad.

    Raises
    ------
    InputError
        As in :func:`attachment_modes`, or frames depend on each other or on the supports.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.displacement_modes(bar, {"x1": ("y", "z")}, supports="x0").N
    2
    """
    frames = _frames(structure, at)
    loads, labels = _unit_loads(frames, DIRECTIONS)
    body = HeldFlexibility(structure, held_by(structure, supports).held)
    shapes = body.solve(loads)
    flexibility = loads.T @ shapes
    scale = 1 / np.sqrt(np.maximum(flexibility.diagonal(), 1e-300))
    scaled = flexibility * np.outer(scale, scale)
    if not flexibility.diagonal().min() > 0 or np.linalg.eigvalsh(scaled)[0] < 1e-10:
        raise InputError(
            f"the displacements {listing(labels)} depend on each other or on the supports; leave some out"
        )
    return Basis(
        structure,
        shapes * scale @ scipy.linalg.solve(scaled, np.diag(scale), assume_a="pos"),
        labels,
        tuple(frame for frame, _ in frames),
        f"displacement modes, held at {', '.join(support_names(supports))}",
    )


@check_arguments
def inertia_modes(
    structure: fem.Structure,
    supports: Supports = (),
    *,
    interfaces: str | Sequence[str] = (),
    rotation: bool | None = None,
) -> Basis:
    """Return the static shapes under the body's own inertia forces in rigid motion.

    The inertia forces of any rigid motion are combinations of twelve: those of the six accelerations along and about
    the axes through the mass centre (1 m/s^2, 1 rad/s^2), and those of rotation, rho (x_k e_l + x_l e_k) / 2, of
    which omega x (omega x x) consists (1 rad^2/s^2).

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    supports : str, sequence or mapping
        Supports that hold the body, in the forms of :func:`fem.static`.
    interfaces : sequence of str
        Node sets whose averaged frames hold the body, instead of supports.
    rotation : bool, optional
        Whether to include the six shapes of rotation. By default they are included for a free body only, which
        accelerations do not deform.

    Returns
    -------
    Basis
        Up to six shapes of acceleration and six of rotation; loads that do not deform the body are left out.

    Raises
    ------
    InputError
        As in :func:`constraint_modes`; or both supports and interfaces are given.

    Notes
    -----
    With :func:`constraint_modes` of the same interfaces, a body that is driven and loaded at its interfaces and moves
    slowly or turns steadily is exact, stresses included (to first order; the stiffening by the tension of rotation is
    second order). Without ``rotation`` this holds for accelerations alone. The rod of a slider-crank bends by two of
    the shapes of acceleration.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.inertia_modes(bar, supports="x0").labels[0]
    'acceleration along x'
    """
    names = as_names(interfaces)
    if names and len(supports):
        raise InputError("inertia modes need a body held by supports or by interfaces; give one")
    forces, labels = [], []
    if names or len(supports):
        forces.append(-structure.inertia_forces(structure.rigid_modes()))
        labels += [f"acceleration along {a}" for a in "xyz"] + [
            f"angular acceleration about {a}" for a in "xyz"
        ]
    if rotation if rotation is not None else not labels:
        turning, of_turning = _rotation_forces(structure)
        forces.append(turning)
        labels += of_turning
    if not labels:
        raise InputError("accelerations do not deform a free body; leave rotation= out, or hold the body")
    if not names:
        return _basis(structure, np.hstack(forces), tuple(labels), supports, (), "inertia modes", empty=True)
    model = Averaged().model(structure, names)
    loads = np.hstack(forces)
    shapes = model.inverse(loads)
    keep = _deforming(np.einsum("ni,ni->i", loads, shapes))
    kind = f"inertia modes, {listing(names)} held"
    named = tuple(label for label, kept in zip(labels, keep, strict=True) if kept)
    return Basis(structure, shapes[:, keep], named, model.interfaces, kind)


def _deforming(work: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which loads deform more than by round-off, by the work of three forces, three moments, six rotations."""
    kinds = (slice(0, 3), slice(3, 6), slice(6, 12))
    return np.concatenate([work[k] > _DEFORMATION_TOLERANCE * work[k].max(initial=0.0) for k in kinds])


def _rotation_forces(structure: fem.Structure) -> tuple[FloatArray, list[str]]:
    """Return the forces rho (x_k e_l + x_l e_k) / 2 (unknowns, 6), x from the mass centre, and their names."""
    columns, labels = [], []
    for k, l in combinations_with_replacement(range(3), 2):
        gradient = np.zeros((3, 3))
        gradient[l, k] += 0.5
        gradient[k, l] += 0.5
        on_motions = structure.cloud.accelerated(structure.center, np.zeros(3), gradient)
        columns.append(structure.freedoms.onto_unknowns(on_motions))
        labels.append(f"rotation, {'xyz'[k]}{'xyz'[l]}")
    return np.column_stack(columns), labels


@check_arguments(own=("n_normal",))
def craig_chang(structure: fem.Structure, interfaces: Where, *, n_normal: int) -> Basis:
    """Return the lowest modes of the free body and the residual attachment modes of its interfaces.

    Attachment modes by inertia relief, less their part in the free modes: Psi = G_e f - sum phi (phi' f) / omega^2,
    which is mass-orthogonal to these. Loads at the interfaces have exact quasi-static answers, as in
    :func:`craig_bampton`, but no interface is held, and a set that carries forces only (one node of a solid) can be
    an interface.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : str, sequence or mapping
        Node sets and components as in :func:`attachment_modes`.
    n_normal : int
        Number of elastic modes of the free body.

    Returns
    -------
    Basis
        Residual attachment modes, then the free modes.

    Raises
    ------
    InputError
        As in :func:`attachment_modes` and :func:`eigenmodes`.

    References
    ----------
    R. R. Craig, C. J. Chang: Free-interface methods of substructure coupling for dynamic analysis. AIAA Journal 14
    (1976) 1633-1635.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.craig_chang(bar, ("x0", "x1"), n_normal=2).N
    14
    """
    attached = attachment_modes(structure, interfaces)
    if is_number(n_normal) and n_normal == 0:
        return Basis(
            structure, attached.Phi, attached.labels, attached.interfaces, "Craig-Chang, no free modes"
        )
    free = eigenmodes(structure, n=n_normal)
    shares = free.Phi.T @ structure.inertia_forces(attached.Phi)
    return Basis(
        structure,
        np.hstack([attached.Phi - free.Phi @ shares, free.Phi]),
        tuple(f"residual, {label}" for label in attached.labels) + free.labels,
        attached.interfaces,
        "Craig-Chang",
        free.frequencies_hz,
    )


def _basis(
    structure: fem.Structure,
    forces: FloatArray,
    labels: tuple[str, ...],
    supports: Supports,
    interfaces: tuple[fem.Interface, ...],
    kind: str,
    empty: bool = False,
) -> Basis:
    """Solve for all loads (unknowns, k); loads without deformation are left out if ``empty``, else refused."""
    forces = np.asarray(forces, dtype=np.float64)
    size = np.abs(forces).max(axis=0)
    if len(supports):
        held = held_by(structure, supports)
        body = HeldFlexibility(structure, held.held)
        remaining = np.abs(forces[body.free]).max(axis=0)
        kind += f", held at {', '.join(support_names(supports))}"
    else:
        free = flexibility_of(structure)
        # rotations and displacements have other units: what is left is compared by the flexibility, not the load
        remaining = np.abs(free.rigid.balanced(forces)).max(axis=0)
        kind += ", inertia relief"
    idle = remaining <= _DEFORMATION_TOLERANCE * size
    if idle.any() and not empty:
        names = listing(label for label, none in zip(labels, idle, strict=True) if none)
        raise InputError(
            f"the loads {names} deform nothing: they are zero, act on supports alone, or are balanced by the inertia "
            "of the free body point by point (weight on a falling body); leave them out or give supports"
        )
    forces = forces[:, ~idle]
    labels = tuple(label for label, none in zip(labels, idle, strict=True) if not none)
    shapes = body.solve(forces) if len(supports) else free.relieved(forces)
    return Basis(structure, shapes, labels, interfaces, kind)


def _frames(structure: fem.Structure, at: Where) -> list[tuple[fem.Interface, tuple[int, ...]]]:
    """Return the frames and the numbers 0..5 of the components that are asked for."""
    table = by_set(at)
    if not table:
        raise InputError("no node sets are named; name those where joints or forces act")
    frames = []
    for name, what in table.items():
        frame = fem.interface(structure, name)
        named = components(what, f"the interface {name!r}")  # type: ignore[arg-type]
        numbers = tuple(NAMES.index(component) for component in named)
        if not frame.has_rotation:
            if what != "all" and max(numbers) > 2:
                raise InputError(
                    f"the node set {name!r} can't carry a rotation or a moment (fewer than three nodes, or on one "
                    "line); name x, y, z only, or choose more nodes"
                )
            numbers = tuple(k for k in numbers if k < 3)
        frames.append((frame, numbers))
    return frames


def _unit_loads(
    frames: list[tuple[fem.Interface, tuple[int, ...]]], names: tuple[str, ...]
) -> tuple[FloatArray, tuple[str, ...]]:
    columns = [frame.T[list(numbers)].T.toarray() for frame, numbers in frames]
    labels = tuple(f"{frame.name} {names[k]}" for frame, numbers in frames for k in numbers)
    return np.hstack(columns), labels


def listed_loads(loads: Loads) -> dict[str, Any]:
    """Return {label: load or loads}."""
    if isinstance(loads, Mapping):
        return dict(loads)
    entries = as_list(loads)
    if not entries:
        raise InputError("no loads are given; give fem.Force, Gravity, Pressure, LineLoad, ...")
    listed: dict[str, Any] = {}
    for load in entries:
        label = " + ".join(str(one) for one in as_list(load))
        listed[label if label not in listed else f"{label} ({len(listed) + 1})"] = load
    return listed
