"""The interface of all methods of geometric stiffening: the terms of a body beyond linear theory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import fem

from ..body.inertia import FloatArray
from .frames import Field
from .load_frames import LoadFrame


@dataclass(frozen=True, eq=False)
class BaseFunctions:
    """The N base functions of a body that is being reduced.

    ``Phi`` (unknowns, N) over the unknowns of the structure, without mean rigid motion; ``field`` the same at the mass
    points and markers, in the body's frame; ``squares`` (N,) omega^2 in rad^2/s^2; ``name`` of the body.
    """

    structure: fem.Structure
    Phi: FloatArray
    field: Field
    interfaces: Mapping[str, fem.Interface | LoadFrame]
    squares: FloatArray
    name: str


class StiffeningMethod(ABC):
    """A method of geometric stiffening."""

    #: whether linear theory was chosen, so that there are no warnings of the terms that it lacks
    linear: ClassVar[bool] = False
    #: whether stresses are linear in the modal coordinates, so that the body can have stress modes
    has_stress_modes: ClassVar[bool] = True

    @abstractmethod
    def terms(self, body: BaseFunctions) -> dict[str, Any]:
        """Return the body's markers and its terms beyond linear theory, by the names of its fields.

        Parameters
        ----------
        body : BaseFunctions
            The base functions of the body that is being reduced.

        Returns
        -------
        dict
            Markers and second-order terms, by the names of the fields of :class:`modal.ReducedBody`.
        """


class NoTerms(StiffeningMethod):
    """No terms, as in frames that do not permit them."""

    def terms(self, body: BaseFunctions) -> dict[str, Any]:
        """Return the markers."""
        return {"markers": body.field.markers}


class LinearTheory(NoTerms):
    """No terms, by the user's choice."""

    linear: ClassVar[bool] = True
