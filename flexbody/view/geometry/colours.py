"""The colours of pictures."""

from __future__ import annotations

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
MOTOR = _tuple(_rgb("2f8793")[0])
RUBBER = _tuple(_rgb("6a5560")[0])
LIGHT_BEAM = _tuple(_rgb("7f98ad")[0])
STOP = _tuple(_rgb("8a2f2a")[0])
TRACE = _tuple(_rgb("2a6f97")[0])
PLAIN = _tuple(_rgb("b9c4cd")[0])
EDGE = _tuple(_rgb("27303a")[0])
INK = _tuple(_rgb("1d252c")[0])

#: Colours of node sets, used in turn.
SETS: list[Colour] = [_tuple(c) for c in _rgb("cf4a3f", "2a6f97", "5a8f5c", "d08c2e", "7a4f8b", "3aa0a0")]
MESH_LINE = _tuple(_rgb("6b7885")[0])

#: Colours of elements by kind or property, used in turn.
KINDS: list[Colour] = [
    _tuple(c) for c in _rgb("a9bac8", "d6b26e", "8fbfa6", "c39bb8", "b9bf7a", "dba48f", "8dbdcc", "a8a29a")
]
SUPPORT = _tuple(_rgb("2f7d59")[0])
LOAD = _tuple(_rgb("d0342c")[0])
RIGID = _tuple(_rgb("8a2f2a")[0])
AVERAGED = _tuple(_rgb("23707a")[0])
MASS = _tuple(_rgb("40434a")[0])
DRIVE = _tuple(_rgb("1f5fa8")[0])
ELEMENT = _tuple(_rgb("7a4f8b")[0])
#: Colour of the undeformed shape.
UNDEFORMED = _tuple(_rgb("9aa5ae")[0])
#: Colour of unknown values.
UNKNOWN = _tuple(_rgb("a5a9ad")[0])

#: Magnitudes from grey over yellow to dark red; the brightness decreases, so that a grey print is readable too.
_MAGNITUDE = _rgb("ccd6de", "f3d878", "ee9b45", "cf4a3f", "7a1f4b")


def magnitude(value: np.ndarray) -> np.ndarray:
    """Return colours (..., 3) in 0..1 for values in 0..1."""
    value = np.clip(value, 0, 1)
    stops = np.linspace(0, 1, len(_MAGNITUDE))
    return np.stack([np.interp(value, stops, _MAGNITUDE[:, k]) for k in range(3)], axis=-1)


#: Signed values from compression over zero to tension.
_SIGNED = _rgb("1d3f6e", "3f83b5", "a9cbdd", "eceeee", "f3c08a", "d8553f", "7a1230")


def signed(value: np.ndarray) -> np.ndarray:
    """Return colours (..., 3) in 0..1 for values in -1..1."""
    stops = np.linspace(-1, 1, len(_SIGNED))
    return np.stack([np.interp(value, stops, _SIGNED[:, k]) for k in range(3)], axis=-1)
