"""Names of faces in STEP files, which gmsh doesn't read: each becomes a colour in a copy, and gmsh reads colours.

Entities: ISO 10303-42 (advanced_face), ISO 10303-46 (styled_item); text: ISO 10303-21.
"""

from __future__ import annotations

import re
from collections.abc import Collection

Colour = tuple[int, int, int]

#: number and name of a face; a quote in a name is doubled
_FACE = re.compile(r"#(\d+)\s*=\s*(?:ADVANCED_FACE|FACE_SURFACE)\s*\(\s*'((?:[^']|'')*)'")
#: the style and the item of an entity that gives a colour
_STYLED = re.compile(r"(STYLED_ITEM\s*\(\s*'(?:[^']|'')*'\s*,\s*\()([^)]*)(\)\s*,\s*#(\d+))")
_CONTEXT = re.compile(r"#(\d+)\s*=\s*\(\s*GEOMETRIC_REPRESENTATION_CONTEXT")
#: names that programs write for faces without one
_NONE = ("", "NONE")
#: levels of red, green and blue of the colours that stand for names: wide apart, since they are rounded
_LEVELS, _STEP, _FIRST = 31, 8, 4


def names_of_faces(text: str) -> dict[str, str]:
    """Return the number of the entity of each named face -> its name."""
    found = {number: _decoded(name).strip() for number, name in _FACE.findall(text)}
    return {number: name for number, name in found.items() if name.upper() not in _NONE}


def _decoded(text: str) -> str:
    """Return a string of ISO 10303-21 in plain characters: doubled quotes, and letters by their codes."""
    text = text.replace("''", "'")
    text = re.sub(
        r"\\X2\\((?:[0-9A-Fa-f]{4})+)\\X0\\", lambda its: bytes.fromhex(its[1]).decode("utf-16-be"), text
    )
    return re.sub(r"\\X\\([0-9A-Fa-f]{2})", lambda its: chr(int(its[1], 16)), text)


def coloured(text: str, names: dict[str, str], taken: Collection[Colour]) -> tuple[str, dict[Colour, str]]:
    """Return the text with one colour for each name instead of the faces' own, and :func:`level_of` colour -> name.

    ``taken``: colours that other faces have. Without a context of geometry, or with more names than colours, there
    are none.
    """
    used = {level_of(colour) for colour in taken}
    free = (c for k in range(_LEVELS**3) if level_of(c := _colour(k)) not in used)
    colours = dict(zip(dict.fromkeys(names.values()), free, strict=False))
    context = _CONTEXT.search(text)
    if context is None or len(colours) < len(set(names.values())):
        return text, {}
    at = max(map(int, re.findall(r"#(\d+)\s*=", text)))
    lines, style_of = [], {}
    for name, colour in colours.items():
        rgb = ",".join(f"{(byte + 0.5) / 255:.6f}" for byte in colour)
        chain = [
            f"COLOUR_RGB('',{rgb})", f"FILL_AREA_STYLE_COLOUR('',#{at + 1})", f"FILL_AREA_STYLE('',(#{at + 2}))",
            f"SURFACE_STYLE_FILL_AREA(#{at + 3})", f"SURFACE_SIDE_STYLE('',(#{at + 4}))",
            f"SURFACE_STYLE_USAGE(.BOTH.,#{at + 5})", f"PRESENTATION_STYLE_ASSIGNMENT((#{at + 6}))",
        ]  # fmt: skip
        lines += [f"#{at + 1 + k}={entity};\n" for k, entity in enumerate(chain)]
        at += len(chain)
        style_of[name] = at
    styled = {number for *_, number in _STYLED.findall(text)}
    text = _STYLED.sub(
        lambda its: f"{its[1]}#{style_of[names[its[4]]]}{its[3]}" if its[4] in names else its[0], text
    )
    items = []
    for number, name in names.items():
        if number not in styled:
            at += 1
            lines.append(f"#{at}=STYLED_ITEM('',(#{style_of[name]}),#{number});\n")
            items.append(f"#{at}")
    if items:
        entity = "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION"
        lines.append(f"#{at + 1}={entity}('',({','.join(items)}),#{context[1]});\n")
    end = text.rindex("ENDSEC")
    return text[:end] + "".join(lines) + text[end:], {
        level_of(colour): name for name, colour in colours.items()
    }


def level_of(colour: Colour) -> Colour:
    """Return the levels of red, green and blue, which rounding doesn't change."""
    red, green, blue = (byte // _STEP for byte in colour)
    return red, green, blue


def _colour(number: int) -> Colour:
    red, rest = divmod(number, _LEVELS**2)
    green, blue = divmod(rest, _LEVELS)
    r, g, b = (_FIRST + _STEP * level for level in (red, green, blue))
    return r, g, b
