"""The forces against the slip of surfaces that roll, as a force element beside the constraint of their contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.kinds import SLIP, SLIP_RATES
from .forces.force_element import Element
from .forces.law import ForceLaw
from .joints.recorded_rows import Slipping
from .joints.slip_laws import SlipLaw
from .sides import Body, FrameData, Side


@dataclass(frozen=True, eq=False)
class _Slip(ForceLaw):
    law: SlipLaw
    sign: float  # of the normal force by the multiplier of the gap

    count: ClassVar = SLIP_RATES
    is_input: ClassVar = False
    state_size: ClassVar = 100.0  # in units of full friction, as of contacts

    @property
    def function(self) -> str:  # type: ignore[override]
        """Name of the compiled law."""
        return "sticking_slip" if self.law.sticks else "slip"

    @property
    def n_states(self) -> int:
        """Number of components of the bristle, if friction sticks."""
        return 2 if self.law.sticks else 0

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return the names of the components of the bristle, along both tangents."""
        return [("bristle along", ""), ("bristle across", "")] if self.law.sticks else []

    def numbers(self) -> list[float]:
        """Return the numbers of the law; their columns are in ``core/kinds.py``, from SLIP_LAW on."""
        kind, *rest = self.law.numbers()
        return [kind, self.sign, *rest]


@dataclass(frozen=True, eq=False)
class SlipElement(Element):
    """The forces against slip of a contact that rolls; it is no entry of a system but a part of the contact.

    Parameters
    ----------
    contact : Slipping
        The contact, with a law of its slip.
    """

    contact: Slipping

    kind: ClassVar = SLIP
    count: ClassVar = SLIP_RATES
    coordinate: ClassVar = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the contact."""
        return str(self.contact.name)

    @property
    def label(self) -> str:
        """Kind and name of the contact, for messages."""
        return str(self.contact.label)

    @property
    def rolling(self) -> Slipping:
        """The contact."""
        return self.contact

    def force_law(self, bodies: Mapping[str, Body]) -> _Slip:
        """Return the force law."""
        assert self.contact.slip is not None
        return _Slip(self.contact.slip, self.contact.pressing_sign(bodies))

    def sides(self) -> tuple[Side, Side]:
        """Return the sides of both shapes."""
        first, second = self.contact.sides()
        return first, second

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames of both shapes."""
        first, second = self.contact.frames(bodies)
        return first, second

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return zeros, (4,): slip has only rates."""
        return np.zeros(SLIP_RATES)
