"""Time integrators."""

from .automatic import Automatic
from .explicit import Explicit
from .external import SciPy, Sundials
from .generalized_alpha import GeneralizedAlpha
from .partitioned import Partitioned
from .stabilised import Baumgarte, Hybrid

#: Types that the parameter ``integrator=`` accepts.
Integrator = Automatic | GeneralizedAlpha | Explicit | Partitioned | Baumgarte | Hybrid | SciPy | Sundials

__all__ = [
    "Automatic",
    "Baumgarte",
    "Explicit",
    "GeneralizedAlpha",
    "Hybrid",
    "Integrator",
    "Partitioned",
    "SciPy",
    "Sundials",
]
