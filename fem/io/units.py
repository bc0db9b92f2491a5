"""Unit systems of mesh files."""

from __future__ import annotations

from typing import NamedTuple

from ..common.errors import InputError, listing


class Units(NamedTuple):
    """Factors to SI: length to m, modulus to Pa, density to kg/m^3."""

    length: float
    modulus: float
    density: float


_INCH, _POUND_FORCE = 0.0254, 4.4482216152605
_INCH_SYSTEM = Units(_INCH, _POUND_FORCE / _INCH**2, _POUND_FORCE / _INCH**4)

UNITS: dict[str, Units] = {
    "SI": Units(1.0, 1.0, 1.0),
    "m": Units(1.0, 1.0, 1.0),
    "mm": Units(1e-3, 1e6, 1e12),  # N, mm, s, t, MPa
    "mm-kg": Units(1e-3, 1e9, 1e9),  # kN, mm, ms, kg, GPa
    "inch": _INCH_SYSTEM,  # lbf, in, s, psi, density in lbf s^2/in^4
}


def units_of(name: str) -> Units:
    """Return the factors of a named system; an unknown name raises :class:`InputError`."""
    if name not in UNITS:
        raise InputError(f"there are no units {name!r}; there are {listing(UNITS)}")
    return UNITS[name]
