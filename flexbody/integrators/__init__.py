"""Time integrators."""

from .choice import Automatic
from .explicit import Explicit
from .generalized_alpha import GeneralizedAlpha
from .outside import SciPy, Sundials

#: what ``integrator=`` takes
Integrator = Automatic | GeneralizedAlpha | Explicit | SciPy | Sundials

__all__ = ["Automatic", "Explicit", "GeneralizedAlpha", "Integrator", "SciPy", "Sundials"]
