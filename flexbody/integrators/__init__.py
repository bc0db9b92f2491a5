"""Time integrators."""

from .generalized_alpha import GeneralizedAlpha

__all__ = ["GeneralizedAlpha"]
