"""Forces: loads at frames, and force elements made of a geometry and a law.

This list holds what a new law or element is made of. What users construct is in the list of :mod:`flexbody` alone.
"""

from .force import Force
from .force_element import Element
from .geometry import Along, Between, Geometry, Line
from .law import ForceLaw
from .load import Load
from .symbol import Symbol

__all__ = ["Along", "Between", "Element", "Force", "ForceLaw", "Geometry", "Line", "Load", "Symbol"]
