"""Time integrators."""

from .automatic import Automatic
from .explicit import Explicit
from .external import SciPy, Sundials
from .generalized_alpha import GeneralizedAlpha

#: Types that the parameter ``integrator=`` accepts.
Integrator = Automatic | GeneralizedAlpha | Explicit | SciPy | Sundials

__all__ = ["Automatic", "Explicit", "GeneralizedAlpha", "Integrator", "SciPy", "Sundials"]
