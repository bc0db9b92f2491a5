"""Time integrators."""

from .explicit import Explicit
from .generalized_alpha import GeneralizedAlpha

__all__ = ["Explicit", "GeneralizedAlpha"]
