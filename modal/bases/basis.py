"""A set of displacement fields of a finite-element structure, to be reduced to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from fem import Interface, Structure
from fem.common.errors import InputError, listing

from ..body.inertia import FloatArray
from ..body.reduced_body import fixed


@dataclass(frozen=True, eq=False, repr=False)
class Basis:
    """N displacement fields of ``structure``.

    A column of ``Phi`` holds the structure's unknowns; for solids, component k of a node is number 3 node + k.

    ``frequencies_hz`` belongs to the eigenmodes among the columns, in their order, and is empty without any.
    """

    structure: Structure
    Phi: FloatArray  # (unknowns, N) m and rad, or per rad
    labels: tuple[str, ...]  # what each column is
    interfaces: tuple[Interface, ...] = ()
    kind: str = "given"
    frequencies_hz: FloatArray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if self.structure.grounding.any():
            raise InputError(
                "springs to the ground hold this structure: a flexible body of a machine is made without them; connect "
                "it to the ground by fb.SpringDamper"
            )
        Phi = np.asarray(self.Phi, dtype=np.float64)
        rows = self.structure.K.shape[0]
        if Phi.ndim != 2 or Phi.shape[0] != rows or not np.isfinite(Phi).all():
            raise InputError(
                f"the basis has the shape {Phi.shape}; it must be ({rows}, N), finite, for this structure"
            )
        if len(self.labels) != Phi.shape[1]:
            raise InputError(f"the basis has {Phi.shape[1]} columns and {len(self.labels)} labels")
        object.__setattr__(self, "Phi", Phi)
        object.__setattr__(self, "frequencies_hz", fixed(self.frequencies_hz))
        # the factorised stiffness, kept for the reduction; see fem.model.free_body_flexibility.flexibility_of
        object.__setattr__(self, "_flexibility", self.structure.shared.flexibility())

    def __repr__(self) -> str:
        """Return one line: how many fields of what."""
        held = f", interfaces {listing(i.name for i in self.interfaces)}" if self.interfaces else ""
        return f"<Basis: {self.N} fields, {self.kind}{held}>"

    @property
    def N(self) -> int:
        """Number of displacement fields."""
        return self.Phi.shape[1]


class Proposal(Protocol):
    """What holds a basis, such as what :func:`modal.recommend` returns."""

    @property
    def basis(self) -> Basis:
        """The basis."""


def basis_of(given: Any) -> Basis:
    """Return a basis that was given, or that of a proposal of :func:`modal.recommend`; InputError for anything else."""
    given = getattr(given, "basis", given)
    if isinstance(given, Basis):
        return given
    if isinstance(given, Iterable) and not isinstance(given, str):
        listed = list(given)
        if listed and all(isinstance(getattr(one, "basis", one), Basis) for one in listed):
            raise InputError(
                f"{len(listed)} bases are given where one is needed; put them together: modal.combine(*bases)"
            )
    raise InputError(
        f"the basis is of type {type(given).__name__}; give what modal.craig_bampton, modal.eigenmodes, modal.combine "
        "and their like return, or the proposal of modal.recommend"
    )
