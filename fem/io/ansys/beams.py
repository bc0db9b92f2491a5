"""Beams of ANSYS archives, in SI.

How the sizes of SECDATA draw a section, seen along the beam with y to the right and z upwards (W2 and t2 of an I or a
channel belong to the upper flange, a channel opens to +y, the flange of a T is below) is that of the listings and
verification models that the tests name. Where the origin lies follows from a converter of models of ANSYS
(dnvgl/DNVGLAnsysUPFLib, ``dat_beamproperties.F90``), which measures the extreme fibres from it. What no source tells of
a drawing is assumed, with a warning that says it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...common.errors import InputError
from ...elements.properties import Beam
from ...properties.drawn import DrawnSection
from ...properties.material import Isotropic, Material
from ...properties.section import Circle, ISection, Rectangle, Tube
from ...properties.section import Section as BeamSection
from ..units import Units
from .blocks import DeckError
from .deck import Deck, Section

_Polygon = list[tuple[float, float]]
#: sections whose origin is known: in the centroid, that of the given coordinates, or that of the drawing
_WITH_ORIGIN = ("RECT", "CSOLID", "CTUBE", "QUAD", "CHAN", "I", "T", "L", "HATS", "HREC")
#: what is assumed of a drawing
_ASSUMED = {
    "L": "the leg W1 (t1) lies below, along y from its corner, and the leg W2 (t2) goes up from there",
    "Z": "the flange W1 (t1) lies below and goes to -y, the flange W2 (t2) above and goes to +y, both lengths with the "
    "thickness t3 of the stem",
    "HATS": "the brims W1 (t1, to -y) and W2 (t2) lie below and the top W3 (t3) above, with the webs t4 and t5 in its "
    "width",
    "HREC": "t1 is the wall at -y and t2 that at +y",
}


def beam(
    deck: Deck, material: Material, section: int, up: np.ndarray, units: Units, doubts: list[str]
) -> Beam:
    """Return the property of beams; ``up`` the direction of the section's z axis."""
    known = deck.sections.get(section)
    if known is None or known.kind != "BEAM" or not known.rows:
        raise DeckError(0, f"beams have the section {section}, which the file does not define")
    if not isinstance(material, Isotropic):
        raise DeckError(known.line, f"the beams of section {section} have a material that is not isotropic")
    values = np.array([value for row in known.rows for value in row], dtype=float)
    made = _section(known, section, values, units.length, material.nu)
    equal = known.subtype == "HREC" and np.isclose(values[2], values[3], rtol=1e-9)
    if known.subtype in _ASSUMED and not equal:
        said = (
            f"of section {section} (line {known.line}), BEAM,{known.subtype}, it is assumed that "
            f"{_ASSUMED[known.subtype]}, seen along the beam with y to the right and z upwards"
        )
        doubts += [said] * (said not in doubts)
    y, z = _offset(known, made, units.length)
    return Beam(material, made, up=tuple(up.tolist()), offset=(y, z))


def _offset(known: Section, made: BeamSection, length: float) -> tuple[float, float]:
    """Return (y, z) of the centroid from the nodes in m, in the axes of the section."""
    node = (
        np.array(known.offsets) * length if known.offset == "USER" else np.zeros(2)
    )  # from the section's origin
    if known.offset in ("CENT", "MID"):
        node = np.array(made.centroid)
    elif known.offset == "SHRC":
        node = np.add(made.centroid, made.shear_centre)
    elif known.offset not in ("USER", "ORIGIN") or known.subtype not in _WITH_ORIGIN:
        raise DeckError(
            known.line,
            f"SECOFFSET,{known.offset} of a beam {known.subtype} is not supported; CENT and SHRC are, and of "
            f"{', '.join(_WITH_ORIGIN)} ORIGIN and USER too",
        )
    y, z = np.array(made.centroid) - node
    return float(y), float(z)


def _section(known: Section, number: int, values: np.ndarray, length: float, nu: float) -> BeamSection:
    """Return the section of SECDATA in SI."""
    if known.subtype == "ASEC":
        return _constants(known, number, values, length)
    if known.subtype not in _SIZES:
        raise DeckError(
            known.line,
            f"section {number}: BEAM,{known.subtype} is not supported; {', '.join(_SIZES)} and ASEC are. Give its "
            "constants by ASEC, or fem.DrawnSection by hand",
        )
    count, make = _SIZES[known.subtype]
    if len(values) < count:
        raise DeckError(
            known.line, f"section {number}: BEAM,{known.subtype} has {count} sizes, here are {len(values)}"
        )
    try:
        return make(values[:count] * length, nu)
    except InputError as error:
        raise DeckError(known.line, f"section {number}: BEAM,{known.subtype}: {error}") from None


def _constants(known: Section, number: int, values: np.ndarray, length: float) -> BeamSection:
    """Return the section of A, Iyy, Iyz, Izz, Iw, J, CGy, CGz, SHy, SHz, TKz, TKy, TSxz, TSxy; 0 for what is blank."""
    if len(values) < 6:
        raise DeckError(known.line, f"section {number}: ASEC has 6 constants or more, here are {len(values)}")
    area, Iyy, Iyz, Izz, _, J, *more = [*values, *[0.0] * 8][:14]
    if any(more[:2]):
        raise DeckError(known.line, f"section {number}: ASEC with an offset of its centroid is not supported")
    I4 = length**4
    factors = {name: value for name, value in (("kz", more[6]), ("ky", more[7])) if value}
    centre = (more[2] * length, more[3] * length)
    return BeamSection(
        A=area * length**2, Iy=Iyy * I4, Iz=Izz * I4, J=J * I4, Iyz=Iyz * I4, shear_centre=centre, **factors
    )


def _box(y0: float, y1: float, z0: float, z1: float) -> _Polygon:
    return [(y0, z0), (y1, z0), (y1, z1), (y0, z1)]


def _fit(sizes: np.ndarray, *rooms: float) -> None:
    """Raise InputError if a size is not positive, or nothing is left between walls."""
    if not (sizes > 0).all() or min(rooms) <= 0:
        raise InputError(f"the sizes {', '.join(f'{size:g}' for size in sizes)} m don't fit")


def _i(d: np.ndarray, nu: float) -> BeamSection:
    below, above, height, t_below, t_above, web = d
    _fit(d, height - t_below - t_above)
    if np.allclose(d[[0, 3]], d[[1, 4]], rtol=1e-9):
        rolled = ISection(height=height, width=below, web=web, flange=t_below, nu=nu)
        return replace(rolled, centroid=(0.0, height / 2))
    parts = [
        _box(-below / 2, below / 2, 0, t_below),
        _box(-web / 2, web / 2, t_below, height - t_above),
        _box(-above / 2, above / 2, height - t_above, height),
    ]
    return DrawnSection(parts, nu=nu)


def _channel(d: np.ndarray, nu: float) -> BeamSection:
    below, above, height, t_below, t_above, web = d
    _fit(d, height - t_below - t_above, below - web, above - web)
    parts = [
        _box(0, below, 0, t_below),
        _box(0, web, t_below, height - t_above),
        _box(0, above, height - t_above, height),
    ]
    return DrawnSection(parts, nu=nu)


def _tee(d: np.ndarray, nu: float) -> BeamSection:
    """Return a T; a negative depth turns it over, so that its flange is above."""
    width, depth, flange, stem = d
    over, depth = np.sign(depth), abs(depth)
    _fit(np.array([width, depth, flange, stem]), depth - flange, width - stem)
    parts = [
        _box(-width / 2, width / 2, 0, over * flange),
        _box(-stem / 2, stem / 2, over * flange, over * depth),
    ]
    return DrawnSection(parts, nu=nu)


def _angle(d: np.ndarray, nu: float) -> BeamSection:
    width, height, t1, t2 = d
    _fit(d, width - t2, height - t1)
    return DrawnSection([_box(0, width, 0, t1), _box(0, t2, t1, height)], nu=nu)


def _zed(d: np.ndarray, nu: float) -> BeamSection:
    below, above, height, t_below, t_above, stem = d
    _fit(d, height - t_below - t_above, below - stem, above - stem)
    parts = [
        _box(stem - below, stem, 0, t_below),
        _box(0, stem, t_below, height - t_above),
        _box(0, above, height - t_above, height),
    ]
    return DrawnSection(parts, nu=nu)


def _hat(d: np.ndarray, nu: float) -> BeamSection:
    left, right, top, height, t_left, t_right, t_top, web1, web2 = d
    _fit(d, top - web1 - web2, height - t_top - max(t_left, t_right))
    end = left + top
    parts = [
        _box(0, left + web1, 0, t_left),
        _box(end - web2, end + right, 0, t_right),
        _box(left, left + web1, t_left, height - t_top),
        _box(end - web2, end, t_right, height - t_top),
        _box(left, end, height - t_top, height),
    ]
    return DrawnSection(parts, nu=nu)


def _hollow(d: np.ndarray, nu: float) -> BeamSection:
    width, height, first, second, below, above = d
    _fit(d, width - first - second, height - below - above)
    hole = _box(first, width - second, below, height - above)
    return DrawnSection([_box(0, width, 0, height)], holes=[hole], nu=nu)


_SIZES: dict[str, tuple[int, Callable[[np.ndarray, float], BeamSection]]] = {
    "RECT": (2, lambda d, nu: Rectangle(d[0], d[1], nu=nu)),
    "QUAD": (8, lambda d, nu: DrawnSection([d.reshape(4, 2)], nu=nu)),
    "CSOLID": (1, lambda d, nu: Circle(2 * d[0], nu=nu)),
    "CTUBE": (2, lambda d, nu: Tube(2 * d[1], 2 * d[0], nu=nu)),
    "I": (6, _i),
    "CHAN": (6, _channel),
    "T": (4, _tee),
    "L": (4, _angle),
    "Z": (6, _zed),
    "HATS": (9, _hat),
    "HREC": (6, _hollow),
}
