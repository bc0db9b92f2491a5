"""Attributes of results: one that is missing is told together with the one that is probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import listing
from .names import nearest

#: What other programs, and users at first, call the attributes of results.
MEANT: dict[str, tuple[str, ...]] = {
    "acc": ("acceleration",),
    "angle": ("coordinate",),
    "disp": ("displacement",),
    "eigenfrequencies": ("frequencies_hz",),
    "forces": ("force", "reaction", "element"),
    "freq": ("frequencies_hz",),
    "joint": ("coordinate",),
    "lambda_": ("multipliers",),
    "modes": ("shapes",),
    "moment": ("force",),
    "moments": ("moment", "reaction"),
    "omega": ("angular_velocity",),
    "orientation": ("rotation",),
    "pos": ("position",),
    "quaternion": ("euler",),
    "speed": ("velocity", "coordinate_rate"),
    "stats": ("statistics",),
    "stresses": ("stress",),
    "theta": ("coordinate",),
    "time": ("t",),
    "times": ("t",),
    "torque": ("moment", "reaction"),
    "torques": ("moment", "reaction"),
    "u": ("displacement",),
    "vel": ("velocity",),
    "w": ("angular_velocity",),
    "x": ("position",),
}
#: What is meant where nothing of the former is an attribute.
ELSE_MEANT: dict[str, tuple[str, ...]] = {"moments": ("force",), "torque": ("force",), "torques": ("force",)}
#: So many names are listed where no name resembles the missing one.
FEW = 16


class KnownAttributes:
    """What has attributes that users read; base class of results."""

    if not TYPE_CHECKING:  # checkers of types know the attributes

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError with the name that is probably meant."""
            if name.startswith("_"):
                raise AttributeError(name)
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # raises the error of the property again
            raise AttributeError(self._no_attribute(name))

    def _no_attribute(self, name: str) -> str:
        """Return what is said of a missing attribute."""
        known = [one for one in dir(self) if not one.startswith("_")]
        called = ([one for one in names.get(name, ()) if one in known] for names in (MEANT, ELSE_MEANT))
        meant = next(filter(None, called), None) or nearest(name, known)
        if not meant and len(name) > 2:
            meant = [one for one in known if one.startswith(name) or name.startswith(f"{one}_")]
        what = type(self).__name__
        if meant:
            return f"{what} has no '{name}'; did you mean {' or '.join(map(repr, sorted(meant)))}?"
        if len(known) <= FEW:
            return f"{what} has no '{name}'; it has {listing(known)}"
        return f"{what} has no '{name}'; help({what}) lists what it has"
