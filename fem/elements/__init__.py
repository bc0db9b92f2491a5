"""Elements: shape functions, quadrature and compiled functions over all elements at once."""

from .base import Element
from .quadrature import Rule
from .segments import LINES
from .solid.hexahedra import HEX8, HEX20, HEX27, QUAD4, QUAD8, QUAD9
from .solid.pyramids import PYRAMID5, PYRAMID13
from .solid.tetrahedra import TET4, TET10, TRI3, TRI6
from .solid.wedges import WEDGE6, WEDGE15

#: solids, by name
ELEMENTS: dict[str, Element] = {
    element.name: element
    for element in (TET4, TET10, HEX8, HEX20, HEX27, WEDGE6, WEDGE15, PYRAMID5, PYRAMID13)
}
#: surface elements, by name
FACES: dict[str, Element] = {element.name: element for element in (TRI3, TRI6, QUAD4, QUAD8, QUAD9)}

#: all of them and the lines, by name
SHAPES: dict[str, Element] = ELEMENTS | FACES | LINES

__all__ = ["ELEMENTS", "FACES", "LINES", "SHAPES", "Element", "Rule"]
