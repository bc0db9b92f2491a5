"""From a basis of displacement fields to a reduced body: frame, orthonormal base functions, inertia, markers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any

import numpy as np
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing, warn
from fem.common.names import as_names
from fem.common.short_repr import in_words
from fem.common.tall_matrices import combine, inner
from fem.model.cloud import MatrixMass
from fem.model.free_body_flexibility import RigidMotion
from fem.model.outer_surface import OuterSurface, outer_surfaces

from ..bases.basis import Basis, Proposal, basis_of
from ..bases.selection import dropped_note, warn_of_static_basis
from ..body.inertia import FloatArray
from ..body.load_change import LoadChange
from ..body.reduced_body import Marker, Recovery, ReducedBody
from ..body.stress_modes import StressModes
from .axial_modes import AxialModes
from .following import station_shapes
from .frames import Field, MeanDisplacement, ReferenceFrame, checked, inertia_in
from .load_changes import load_changes
from .load_frames import LoadFrame, load_frames
from .matrix_field import matrix_field
from .stiffening import SecondOrderTerms
from .stiffening_method import BaseFunctions, LinearTheory, NoTerms, StiffeningMethod
from .stress_of_structure import stress_modes

#: combinations whose elastic part is less than this share of the mass norm are rigid motions or dependent
DEPENDENCE_TOLERANCE = 1e-10
#: the modal mass of orthonormal deformations is 1 but for round-off, of which at most this part is permitted: half as
#: much in the frequencies
MASS_TOLERANCE = 0.01
#: points at most for drawing the sections of beams of one kind
MAX_SECTION_POINTS = 20_000
#: a marker that no base function moves: a rigid-body condition moves it as it moves the whole body
_WHOLE = "the whole body"


@check_arguments(own=("basis", "frame", "stiffening"))
def reduce(
    structure: fem.Structure,
    basis: Basis | Proposal,
    *,
    frame: ReferenceFrame | None = None,
    markers: str | Sequence[str] = (),
    name: str | None = None,
    stiffening: bool | AxialModes | None = None,
    stress: bool = True,
    loads: Mapping[str, Any] | None = None,
) -> ReducedBody:
    """Reduce a structure to the displacement fields of a basis.

    The base functions of the body span the space of ``basis``. They are the eigenvectors of (K, C8): C8 = I,
    K = diag(omega^2), in ascending order. Each interface of the basis becomes a marker.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    basis : Basis or Recommendation
        Displacement fields of the same structure.
    frame : MeanDisplacement, Chord, FixedPoint, Prescribed or Unchanged, optional
        Rigid-body condition, imposed by Koppens (5.1)-(5.3); :class:`MeanDisplacement` by default.
    markers : sequence of str
        Further node sets that become markers.
    name : str, optional
        Name of the body; that of the mesh by default.
    stiffening : bool or AxialModes, optional
        Second-order terms of geometric stiffening (:mod:`modal.reduction.stiffening`). By default they are added in
        the mean-displacement frame and not in the others, in which the mass matrix would become indefinite at small
        deflections; True is refused there. :class:`AxialModes` is the method of Koppens 5.5.1 for straight beams,
        under any condition. False leaves linear theory, without later warnings.
    stress : bool
        Whether to add the stress modes (:mod:`modal.body.stress_modes`) at the surface and in the named sets, for
        :meth:`flexbody.Result.stress` and films.
    loads : mapping of str to load or list of loads, optional
        Distributed loads by name, for a factor of one: :class:`fem.Pressure`, :class:`fem.Traction`,
        :class:`fem.LineLoad`, :class:`fem.EdgeLoad` and :class:`fem.Gravity`. :func:`flexbody.body_load` applies them
        to the moving body. Each becomes a marker, or up to six, see :mod:`modal.reduction.load_frames`.

    Returns
    -------
    ReducedBody
        The body; its notes name the columns of the basis that were dropped.

    Raises
    ------
    InputError
        A set is unknown, the basis belongs to another structure or holds rigid motions only, or stiffening is not
        possible.

    Warns
    -----
    FlexbodyWarning
        Every shape of the basis moves the interfaces, or stiffening is left out because the structure has no elements
        (:func:`fem.from_matrices`).

    Notes
    -----
    Combinations without deformation (the constraint modes of Craig and Bampton contain six) and combinations that
    depend on others are dropped: those whose mean-displacement part has an eigenvalue of the mass Gram matrix below
    1e-10 of the largest, with columns scaled to unit mass norm.

    With stiffening the modal coordinates measure Green's strain, ``eps + eps^2 / 2`` for a stretch eps, and Hooke's
    law holds for it: solids and shells that are stretched by eps need the stress ``E eps (1 + 1.5 eps)`` of their
    undeformed section, and become softer when compressed. Forces and frequencies are thus correct to first order in the
    stretch, which is 0.15 % at eps = 0.001, the yield strain of steel. Beams and trusses are stretched in proportion to
    their axial force.

    Stiffening costs six static solutions and six more for each marker, and each time step of a machine like the
    slider-crank about a tenth more (tests/benchmarks/reduction_cost.py).

    The dampers of the structure (``damping`` of :class:`fem.Spring`) give the body a damping matrix ``D``, in general a
    full one, which :class:`flexbody.FlexibleBody` adds to that of ``damping_ratio``.

    Stress modes take 48 bytes for each point and base function and are read from a file on request only; the
    equations of motion do not use them. With axial modes there are none, since the stress is not linear in these.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> basis = modal.craig_bampton(bar, ("x0", "x1"), n_normal=4)
    >>> modal.reduce(bar, basis, name="bar")
    <ReducedBody 'bar': 10 base functions, 78.5 kg, frame MeanDisplacement, stiffened (Green's strain)>
    """
    basis, frame, name = basis_of(basis), checked(frame), name or structure.mesh.name or "body"
    method = _method(structure, frame, stiffening)
    if basis.structure is not structure:
        raise InputError("the basis was made for another structure; make it again for this one")
    structure.check_mass()
    interfaces = _frames(structure, basis, [*as_names(markers), *frame.needs])
    loaded = load_frames(structure, loads or {}, tuple(interfaces))
    known: dict[str, fem.Interface | LoadFrame] = {**interfaces}
    known |= {part.name: part for parts in loaded.values() for part in parts}
    outside = _outside(structure)
    raw = _field(structure, basis, known, outside)
    none = np.zeros((3, basis.N))
    raw = replace(raw, markers={**raw.markers, _WHOLE: Marker(structure.center, none, none)})
    S, null, rigid = _elastic_combinations(raw)
    elastic, stiffness = _projected(structure, combine(basis.Phi, S))
    warn_of_static_basis(basis, elastic, name)
    shaped, origin = _with_mass(frame, raw.combined(S))
    squares, Z = _principal(shaped, stiffness)
    shaped, fields = shaped.combined(Z), combine(elastic, Z)
    whole = shaped.markers[_WHOLE]
    shaped = replace(shaped, markers={name: shaped.markers[name] for name in known})
    inertia = inertia_in(frame, shaped)
    orthogonality = {"orthogonality": _orthogonality(inertia["C8"], Z.T @ stiffness @ Z)}
    surface = _surface(structure, shaped, outside)
    terms = method.terms(BaseFunctions(structure, fields, shaped, known, squares, name))
    if stress and method.has_stress_modes and surface is not None:
        found = stresses_of(structure, fields, origin, interfaces.values(), outside)
        surface = replace(surface, stress=found)
    return ReducedBody(
        name=name,
        frame=frame.label,
        origin=origin,
        **(inertia | {"C8": np.eye(len(squares))}),
        K=np.diag(squares),
        D=_damping(structure, fields),
        surface=surface,
        provenance=_provenance(structure, basis, surface) | orthogonality | _stretch(structure, terms),
        notes=(
            *dropped_note(null, rigid, basis.labels),
            *_equal_weights(structure, interfaces.values()),
            *_undeformed_inertia(structure, name, squares),
        ),
        linear=method.linear,
        loads={name: tuple((part.name, part.force) for part in parts) for name, parts in loaded.items()},
        load_changes=_changes(structure, loads or {}, combine(basis.Phi, S @ Z), whole, origin),
        station_shapes=station_shapes(basis, raw, S, Z, squares),
        **terms,
    )


def _undeformed_inertia(structure: fem.Structure, name: str, squares: FloatArray) -> tuple[str, ...]:
    """Return a note on a superelement, and give a warning: its deformation does not change its inertia."""
    if not structure.freedoms.internal:
        return ()
    note = (
        "its internal coordinates do not tell where their mass moves: the inertia is that of the undeformed body, so "
        "that rotation does not deform it; right while it turns much slower than its lowest frequency, "
        f"{np.sqrt(squares[0]):.4g} rad/s"
    )
    warn(f"body '{name}': {note}")
    return (note,)


def _changes(
    structure: fem.Structure, loads: Mapping[str, Any], raw: FloatArray, whole: Marker, origin: FloatArray
) -> dict[str, LoadChange | str]:
    """Return the changes of following loads, for base functions ``raw`` plus the rigid motions of ``whole``."""
    if not loads:
        return {}
    rigid = structure.rigid_modes(origin + whole.point) @ np.concatenate([whole.Phi, whole.B])
    return load_changes(structure, loads, raw + rigid, origin)


def _equal_weights(structure: fem.Structure, interfaces: Iterable[fem.Interface]) -> tuple[str, ...]:
    """Return a note on averaged interfaces of a structure whose nodes alone are known: there are no areas."""
    names = [one.name for one in interfaces if one.kind == "averaged" and len(one.nodes) > 1]
    if structure.mesh.blocks or not names:
        return ()
    return (
        f"the nodes of {listing(names)} weigh the same in their mean motion, since no faces are known: the stiffness "
        "between interfaces can be 5 to 10 % lower than with weights by area. Give fem.from_matrices a mesh of the "
        "same nodes as points=",
    )


def _frames(structure: fem.Structure, basis: Basis, names: Sequence[str]) -> dict[str, fem.Interface]:
    """Return the interfaces of the basis and further frames, by their names."""
    known = {interface.name: interface for interface in basis.interfaces}
    return known | {
        extra: fem.interface(structure, extra) for extra in dict.fromkeys(names) if extra not in known
    }


def _with_mass(frame: ReferenceFrame, deformations: Field) -> tuple[Field, FloatArray]:
    """Return mass-orthonormal deformations in a frame, and its origin; InputError if their mass is round-off."""
    shaped, origin = frame.impose(deformations)
    elastic = shaped if frame.mean else MeanDisplacement().impose(deformations)[0]
    values = scipy.linalg.eigvalsh(elastic.modal_mass())
    worst = float(values[np.argmax(np.abs(values - 1.0))])
    if not abs(worst - 1.0) < MASS_TOLERANCE:
        raise InputError(
            "the basis holds a shape that moves no mass beside the round-off of its rigid motion: the modal mass of "
            f"its deformation is {worst:.3g} where it must be 1. Is the density right (kg/m^3), and is each part that "
            "deforms heavy enough beside the point masses? Else take fewer shapes"
        )
    return shaped, origin


def _principal(shaped: Field, stiffness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return omega^2 (N,) and the combinations Z (N,N) of base functions that are orthonormal in (C8, K)."""
    squares, Z = scipy.linalg.eigh(stiffness, shaped.modal_mass())
    if squares[0] <= 0:
        raise InputError(f"the basis holds a shape without strain energy (omega^2 = {squares[0]:.3g})")
    return squares, Z * _signs(shaped.Phi, Z)


def _damping(structure: fem.Structure, fields: FloatArray) -> FloatArray | None:
    """Return the damping matrix (N, N) of the structure's dampers for base functions (unknowns, N), None without."""
    pairs = [pair for part in structure.parts for pair in part.dampings(structure.mesh, structure.freedoms)]
    if not pairs:
        return None
    shapes = structure.freedoms.motions(fields)
    D = np.zeros((fields.shape[1], fields.shape[1]))
    for motions, matrix in pairs:
        D += shapes[motions].T @ matrix @ shapes[motions]
    return 0.5 * (D + D.T)


def _method(structure: fem.Structure, frame: ReferenceFrame, given: Any) -> StiffeningMethod:
    """Return the method of geometric stiffening that ``stiffening=`` asks for; InputError if it is not possible."""
    if isinstance(given, StiffeningMethod):
        return given
    if given is False:
        return LinearTheory()
    if frame.mean and structure.groups and (given is None or given is True):
        return SecondOrderTerms()
    if given is None:
        if frame.mean and not structure.groups:
            warn(
                f"mesh {structure.mesh.name!r} is known by its matrices alone, without elements that a stress could "
                "stiffen: linear theory is used. Give fem.from_matrices a structure of the same nodes as points=, or "
                "say stiffening=False"
            )
        return NoTerms()
    if given is not True:
        raise InputError(f"stiffening={given!r} is not allowed; give True, False or modal.AxialModes()")
    why = (
        f"the frame {frame.label} does not move with the body's mass, whose matrix becomes indefinite at small "
        "deflections; leave frame= out for modal.MeanDisplacement(), or use modal.AxialModes()"
        if structure.groups
        else "the structure is known by its matrices alone, without elements that a stress could stiffen"
    )
    raise InputError(f"stiffening=True is not possible: {why}")


def _field(
    structure: fem.Structure,
    basis: Basis,
    interfaces: Mapping[str, fem.Interface | LoadFrame],
    outside: Sequence[OuterSurface],
) -> Field:
    markers = {}
    for key, interface in interfaces.items():
        motion = np.asarray(interface.T @ basis.Phi)
        markers[key] = Marker(
            interface.point, motion[:3], motion[3:] * interface.has_rotation, interface.has_rotation
        )
    cloud = structure.cloud
    if isinstance(cloud, MatrixMass):
        return matrix_field(cloud, basis.Phi, markers)
    if cloud.shape is None and not outside:
        return Field(structure.mesh.points, structure.displacements(basis.Phi), cloud.mass, markers)
    # the points of the drawn surface follow the mass points, without mass
    points = np.concatenate([cloud.points, *(part.points for part in outside)])
    moved = [cloud.displacements(basis.Phi), *(part.displacements(structure, basis.Phi) for part in outside)]
    bare = len(points) - len(cloud.points)
    mass = scipy.sparse.block_diag([cloud.mass, scipy.sparse.csr_array((bare, bare))], format="csr")
    return Field(points, np.concatenate(moved), scipy.sparse.csr_array(mass), markers)


def _elastic_combinations(raw: Field) -> tuple[FloatArray, FloatArray, int]:
    """Return S (N, N') for which the deformations Phi S are mass-orthonormal, and the combinations that are dropped.

    The latter are combinations (N, d) of the columns in units of their mass norms, with the number of rigid motions
    among them.
    """
    norm = np.sqrt(raw.modal_mass().diagonal())
    scale = np.diag(1 / np.where(norm > 0, norm, 1.0))
    elastic, _ = MeanDisplacement().impose(raw.combined(scale))
    values, vectors = np.linalg.eigh(elastic.modal_mass())
    if values[-1] < DEPENDENCE_TOLERANCE:
        raise InputError(
            "the basis holds rigid motions only; add normal modes (n_normal) or a second interface"
        )
    keep = values > DEPENDENCE_TOLERANCE * values[-1]
    null = vectors[:, ~keep]
    moved = raw.combined(scale @ null)
    rigid = int((np.linalg.eigvalsh(moved.modal_mass()) > DEPENDENCE_TOLERANCE).sum()) if null.size else 0
    return scale @ vectors[:, keep] / np.sqrt(values[keep]), null, rigid


def _projected(structure: fem.Structure, Phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Phi without mean rigid motion, and Phi' K Phi (N,N), free of the round-off of large rigid parts."""
    Phi = RigidMotion(structure).elastic(Phi)
    K = inner(Phi, structure.elastic_forces(Phi))
    return Phi, 0.5 * (K + K.T)


def _signs(Phi: FloatArray, Z: FloatArray) -> FloatArray:
    """Return +-1 (N,) that make the largest component of each base function Phi Z positive."""
    shapes = combine(Phi.reshape(-1, Phi.shape[2]), Z)
    return np.sign(shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])])


def _surface(structure: fem.Structure, shaped: Field, outside: Sequence[OuterSurface]) -> Recovery | None:
    """Return the outer faces of solids, shells with their thickness, and beams with their section."""
    if not _is_one_solid(structure):
        count = [len(part.points) for part in outside]
        if not count:
            return None
        start = np.cumsum([0, *count[:-1]])
        triangles = np.concatenate([part.triangles + at for part, at in zip(outside, start, strict=True)])
        drawn = slice(len(shaped.points) - sum(count), None)  # the last points
        return Recovery(shaped.points[drawn], shaped.Phi[drawn], triangles)
    nodes, rows = np.unique(np.asarray(structure.mesh.surface()), return_inverse=True)
    return Recovery(shaped.points[nodes], shaped.Phi[nodes], rows.reshape(-1, 3))


def _orthogonality(C8: FloatArray, K: FloatArray) -> str:
    """Return a text with the deviations of C8 from the unit matrix and of K from a diagonal one."""
    root = np.sqrt(K.diagonal())
    mass = np.abs(C8 - np.eye(len(C8))).max()
    stiffness = np.abs(K / np.outer(root, root) - np.eye(len(K))).max()
    return f"C8 = I within {mass:.0e}, K = diag(omega^2) within {stiffness:.0e}"


def stresses_of(
    structure: fem.Structure,
    Phi: FloatArray,
    origin: FloatArray,
    interfaces: Iterable[fem.Interface],
    outside: Sequence[OuterSurface] | None = None,
) -> StressModes | None:
    """Return the stresses of displacements Phi (unknowns, N) at the points of a body's stress modes."""
    outside = _outside(structure) if outside is None else outside
    nodes = np.unique(np.asarray(structure.mesh.surface())) if _is_one_solid(structure) else None
    return stress_modes(structure, Phi, origin, list(interfaces), nodes, outside)


def _outside(structure: fem.Structure) -> Sequence[OuterSurface]:
    return (
        ()
        if _is_one_solid(structure)
        else outer_surfaces(structure, by_kind=False, points=MAX_SECTION_POINTS)
    )


def _is_one_solid(structure: fem.Structure) -> bool:
    """Return whether the structure consists of one solid, whose surface is drawn by its nodes."""
    return structure.cloud.shape is None and len({id(group.property) for group in structure.groups}) < 2


def _stretch(structure: fem.Structure, terms: Mapping[str, Any]) -> dict[str, str]:
    """Return a text on the strain that follows a stretch, for a body with second-order terms."""
    if "C5_stiffening" not in terms or not any(
        group.property.stretches_by_green for group in structure.groups
    ):
        return {}
    return {
        "stretch": "Green's strain in solids and shells: the stress E eps (1 + 1.5 eps) for a stretch eps"
    }


def _provenance(structure: fem.Structure, basis: Basis, surface: Recovery | None) -> dict[str, str]:
    mesh = structure.mesh
    kinds = dict.fromkeys(block.element for block in mesh.blocks)
    count = {kind: sum(len(block.nodes) for block in mesh.blocks if block.element == kind) for kind in kinds}
    elements = ", ".join(f"{number} {kind}" for kind, number in count.items())
    source = f", from {mesh.path}" if mesh.path else ""
    modes = surface.stress if surface is not None else None
    stress = "none" if modes is None else f"modes at {len(modes.points)} points, {modes.megabytes:.2g} MB"
    return {
        "mesh": f"{len(mesh.points)} nodes{', ' * bool(elements)}{elements}{source}",
        "material": shorten(in_words(structure.material), 240, placeholder=" ..."),
        "basis": f"{basis.kind}: {basis.N} fields",
        "stress": stress,
        "interfaces": ", ".join(f"{i.name} ({i.kind})" for i in basis.interfaces) or "none",
    }
