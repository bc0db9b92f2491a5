"""What a force element looks like: names of symbols with the numbers that they show."""

from __future__ import annotations

from typing import NamedTuple


class Symbol(NamedTuple):
    """A symbol of a force element in pictures; ``flexbody/view/symbols/connectors.py`` draws it.

    Parameters
    ----------
    name : str
        "spring", "damper", "actuator", "motor", "hydraulic", "friction", "stop", "bushing", "beam" or "element" (a
        plain element). A name that is not known there is drawn as a plain element.
    numbers : tuple of float, optional
        The numbers that the symbol shows: both ends of the range of a "stop", m or rad; the radius of a "beam", m; the
        stiffness of a "bushing" along and about its three axes, N/m and Nm/rad.
    """

    name: str
    numbers: tuple[float, ...] = ()
