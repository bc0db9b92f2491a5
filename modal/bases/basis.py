"""A set of displacement fields of a finite-element structure, from which a body is reduced."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from fem import Interface, Structure
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.names import as_list

from ..body.inertia import FloatArray
from ..body.reduced_body import fixed


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Basis:
    """N displacement fields of a structure, the input of :func:`modal.reduce`.

    The functions of this package return bases (:func:`modal.craig_bampton`, :func:`modal.eigenmodes`, ...); one can
    also be made of any displacement fields.

    Parameters
    ----------
    structure : fem.Structure
        The structure, without springs to the ground.
    Phi : array (unknowns, N), m and rad
        One field in each column, as values of the structure's unknowns; for solids, component k of a node is unknown
        3 node + k.
    labels : tuple of str
        Description of each column.
    interfaces : tuple of fem.Interface
        Interfaces of the body; each becomes a marker.
    kind : str
        Name of the basis in reports.
    frequencies_hz : array, Hz
        Frequencies of the eigenmodes among the columns, in their order; empty if there are none.
    follows : tuple, optional
        Of each column the station and component whose load a contact may take along, as of
        :func:`modal.following_modes`, or None; empty if there are no such columns.

    Raises
    ------
    InputError
        Springs to the ground hold the structure, ``Phi`` is not finite or does not fit the structure, or the number of
        labels, or of entries of ``follows``, differs from that of the columns.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> shapes = fem.static(bar, "x0", fem.Force("x1", (0, 0, 1.0))).u[:, None]
    >>> modal.Basis(bar, shapes, ("tip load",))
    <Basis: 1 fields, given>
    """

    structure: Structure
    Phi: FloatArray  # (unknowns, N) m and rad, or per rad
    labels: tuple[str, ...]  # description of each column
    interfaces: tuple[Interface, ...] = ()
    kind: str = "given"
    frequencies_hz: FloatArray = field(default_factory=lambda: np.zeros(0))
    follows: tuple[tuple[str, str] | None, ...] = ()  # station and component of each column

    def __post_init__(self) -> None:
        structure = self.structure
        held = [p for p in structure.parts if p.to_ground and p.dampings(structure.mesh, structure.freedoms)]
        if held or structure.grounding.any():
            raise InputError(
                "springs or dampers to the ground, or equations that resist a rigid motion, hold this structure; "
                "assemble a flexible body without them and connect it to the ground by fb.SpringDamper"
            )
        Phi = np.asarray(self.Phi, dtype=np.float64)
        rows = self.structure.K.shape[0]
        if Phi.ndim != 2 or Phi.shape[0] != rows or not np.isfinite(Phi).all():
            raise InputError(
                f"the basis has the shape {Phi.shape}; it must be ({rows}, N), finite, for this structure"
            )
        if len(self.labels) != Phi.shape[1]:
            raise InputError(f"the basis has {Phi.shape[1]} columns and {len(self.labels)} labels")
        if len(self.follows) not in (0, Phi.shape[1]):
            raise InputError(
                f"the basis has {Phi.shape[1]} columns and {len(self.follows)} entries of follows="
            )
        object.__setattr__(self, "Phi", Phi)
        object.__setattr__(self, "frequencies_hz", fixed(self.frequencies_hz))
        # the factorised stiffness, kept for the reduction; see fem.model.free_body_flexibility.flexibility_of
        object.__setattr__(self, "_flexibility", self.structure.shared.flexibility())

    def __repr__(self) -> str:
        """Return one line: number of fields, kind and interfaces."""
        held = f", interfaces {listing(i.name for i in self.interfaces)}" if self.interfaces else ""
        return f"<Basis: {self.N} fields, {self.kind}{held}>"

    @property
    def basis(self) -> Basis:
        """The basis itself, so that it can stand where a recommendation can."""
        return self

    @property
    def N(self) -> int:
        """Number of displacement fields."""
        return self.Phi.shape[1]


class Proposal(Protocol):
    """An object that has a basis, such as the result of :func:`modal.recommend`."""

    @property
    def basis(self) -> Basis:
        """The basis."""


def basis_of(given: Any) -> Basis:
    """Return the basis that was given, or that of a proposal; InputError for anything else."""
    basis = getattr(given, "basis", None)
    if isinstance(basis, Basis):
        return basis
    several = [one for one in as_list(given) if hasattr(one, "basis")]
    if several:
        raise InputError(
            f"{len(several)} bases are given where one is needed; combine them: modal.combine(*bases)"
        )
    raise InputError(
        f"the basis is of type {type(given).__name__}; give the result of modal.craig_bampton, modal.eigenmodes, "
        "modal.combine or another basis function, or that of modal.recommend"
    )
