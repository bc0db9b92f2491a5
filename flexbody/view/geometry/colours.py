"""The colours of pictures."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

Colour = tuple[float, float, float]


def _rgb(*codes: str) -> np.ndarray:
    return np.array([[int(code[i : i + 2], 16) for i in (0, 2, 4)] for code in codes]) / 255


def _tuple(colour: np.ndarray) -> Colour:
    r, g, b = (float(c) for c in colour)
    return r, g, b


#: Colours of rigid bodies, used in turn.
BODIES: list[Colour] = [_tuple(c) for c in _rgb("58738c", "8c7a62", "6f8f7d", "84728f", "a08a5a", "5f8792")]
GROUND = _tuple(_rgb("aeb6bd")[0])
PIN = _tuple(_rgb("333d47")[0])
SPRING = _tuple(_rgb("b0623a")[0])
DAMPER = _tuple(_rgb("76828d")[0])
HYDRAULIC = _tuple(_rgb("c39a2c")[0])
STEEL = _tuple(_rgb("c4ccd3")[0])
MOTOR = _tuple(_rgb("56b4e9")[0])
RUBBER = _tuple(_rgb("6a5560")[0])
LIGHT_BEAM = _tuple(_rgb("7f98ad")[0])
STOP = _tuple(_rgb("8a2f2a")[0])
PLAIN = _tuple(_rgb("b9c4cd")[0])
EDGE = _tuple(_rgb("27303a")[0])
INK = _tuple(_rgb("1d252c")[0])

#: Colours of paths, used in turn. None is a colour of :func:`magnitude`, which paths cross.
TRACES: list[Colour] = [_tuple(c) for c in _rgb("cc00ff", "804000", "00552b", "0000ff", "b35806", "000000")]
#: Colours of node sets, used in turn (Okabe and Ito, Color universal design, 2008).
SETS: list[Colour] = [_tuple(c) for c in _rgb("d55e00", "0072b2", "009e73", "e69f00", "cc79a7", "56b4e9")]
MESH_LINE = _tuple(_rgb("3d4751")[0])

#: Colours of elements by kind or property, used in turn (P. Tol, Colour schemes, 2021: light).
KINDS: list[Colour] = [
    _tuple(c) for c in _rgb("77aadd", "eedd88", "ffaabb", "44bb99", "ee8866", "aaaa00", "99ddff", "bbcc33")
]
#: x, y and z of coordinate systems
AXES: list[Colour] = [_tuple(c) for c in _rgb("c0392b", "2e8b57", "2f5fb3")]
SUPPORT = _tuple(_rgb("009e73")[0])
LOAD = _tuple(_rgb("d55e00")[0])
RIGID = _tuple(_rgb("8a2f2a")[0])
EQUATION = _tuple(_rgb("7a5aa0")[0])
TIE = _tuple(_rgb("b8860b")[0])
AVERAGED = _tuple(_rgb("23707a")[0])
MASS = _tuple(_rgb("40434a")[0])
DRIVE = _tuple(_rgb("0072b2")[0])
ELEMENT = _tuple(_rgb("cc79a7")[0])
#: Colour of the undeformed shape.
UNDEFORMED = _tuple(_rgb("66727c")[0])
#: Colour of unknown values.
UNKNOWN = _tuple(_rgb("a5a9ad")[0])


def paler(colour: Colour) -> Colour:
    """Return a colour half way to white."""
    return _tuple(0.5 + 0.5 * np.asarray(colour))


def magnitude(value: np.ndarray) -> np.ndarray:
    """Return colours (..., 3) in 0..1 for values in 0..1: the map viridis, whose lightness increases steadily."""
    return _map("viridis")(np.clip(value, 0, 1))[..., :3]


def signed(value: np.ndarray) -> np.ndarray:
    """Return colours (..., 3) in 0..1 for values in -1..1: the map RdBu, blue below zero, nearly white at zero."""
    return _map("RdBu_r")((np.clip(value, -1, 1) + 1) / 2)[..., :3]


@cache
def _map(name: str) -> Any:
    import matplotlib

    return matplotlib.colormaps[name].resampled(1024)
