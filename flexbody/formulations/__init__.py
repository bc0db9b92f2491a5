"""How the equations of motion are written: one file for each description, behind one interface."""

from .absolute import Absolute
from .automatic import AutomaticDescription as AutomaticDescription
from .base import Formulation as Formulation
from .mixed import Mixed as Mixed
from .points import Points as Points
from .relative import Relative as Relative

#: Types that the parameter ``description=`` accepts.
Description = Absolute | Relative
