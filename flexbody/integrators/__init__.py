"""Time integrators."""

from .automatic import Automatic
from .explicit import Explicit
from .external import SciPy, Sundials
from .generalized_alpha import GeneralizedAlpha
from .partitioned import Partitioned

#: Types that the parameter ``integrator=`` accepts.
Integrator = Automatic | GeneralizedAlpha | Explicit | Partitioned | SciPy | Sundials

__all__ = ["Automatic", "Explicit", "GeneralizedAlpha", "Integrator", "Partitioned", "SciPy", "Sundials"]
