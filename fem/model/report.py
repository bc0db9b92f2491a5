"""The report of a mesh: what its file holds, what was left out of it, and what is likely wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..elements.solid.bricks import IncompatibleModes
from ..mesh.check import findings
from ..mesh.mesh import Mesh
from ..mesh.units import unit_doubts
from ..properties.material import Material, is_material
from .bending_excess import bending_doubts
from .connections import Averaged, Follower, connections_of, followers_of
from .parts import Part, links, with_reference_nodes

#: parts and left-out cards that are listed before the rest is counted
_MAX_LINES = 30
#: part of the mass of a property from which a difference is told
EXTRA_MASS = 1e-9
#: distance of nodes from a line over their distance along it, below which they lie on it
ON_A_LINE = 1e-6
#: masses, springs and equations that have a line each; more of one class have one line together
_MAX_ALIKE = 12


@check_arguments
def report(mesh: Mesh) -> str:
    """Return what a mesh holds, what was left out of it, and what is likely wrong.

    Returns
    -------
    str
        The lines of :meth:`summary`; the property of each element set; connections, masses, springs, supports and
        coordinate systems in words; every card or keyword of the file that is not part of the mesh; problems that
        :func:`fem.assemble` would refuse, what looks wrong, and how stiff few linear elements across a part are.

    Examples
    --------
    >>> import fem
    >>> print(fem.box((1.0, 0.1, 0.1), (4, 1, 1)).report().splitlines()[-1])
      likely wrong  nothing found
    """
    rows = [mesh.summary()]
    for title, lines in (
        ("numbers", _numbers(mesh)),
        ("properties", _properties(mesh)),
        ("connections", [part.words() for part in followers_of(mesh.parts)]),
        ("parts", _in_words([part for part in mesh.parts if not isinstance(part, Follower)])),
        ("interfaces", _references(mesh)),
        ("supports", [f"{name!r}: {_components(what)}" for name, what in mesh.supports.items()]),
        ("turned", _in_words(mesh.turned_supports)),
        ("systems", [f"{name!r}: {_system(system)}" for name, system in mesh.systems.items()]),
        ("left out", [str(one) for one in mesh.left_out]),
        ("bending", list(bending_doubts(mesh))),
        ("likely wrong", _wrong(mesh) or ["nothing found"]),
    ):
        rows += _titled(title, list(lines))
    return "\n".join(rows)


def _titled(title: str, lines: list[str]) -> Iterator[str]:
    """Yield lines under a title in the first column."""
    for k, line in enumerate(lines[:_MAX_LINES]):
        yield f"  {title if k == 0 else '':<13} {line}"
    if len(lines) > _MAX_LINES:
        yield f"  {'':<13} and {len(lines) - _MAX_LINES} more"


def _in_words(parts: Sequence[Part]) -> list[str]:
    """Return parts in words, many of one class in one line with their number and the first of them."""
    alike: dict[type, list[Part]] = {}
    for part in parts:
        alike.setdefault(type(part), []).append(part)
    return [
        line
        for each in alike.values()
        for line in (
            [part.words() for part in each]
            if len(each) <= _MAX_ALIKE
            else [f"{len(each)} {each[0].plural}, such as {each[0].words()}"]
        )
    ]


def _numbers(mesh: Mesh) -> list[str]:
    """Return the ranges of the numbers of nodes and elements of a mesh that was read."""
    if mesh.path is None:
        return []
    ids = np.concatenate([block.ids for block in mesh.blocks])
    return [f"nodes {mesh.node_ids.min()} to {mesh.node_ids.max()}, elements {ids.min()} to {ids.max()}"]


def _properties(mesh: Mesh) -> Iterator[str]:
    """Yield the property of each element set, with the file's name of its material."""
    for name, its in mesh.properties.items():
        if its is None:
            yield f"{name!r}: not complete in the file"
            continue
        material = its if is_material(its) else getattr(its, "material", None)
        called = next((repr(k) for k, m in mesh.materials.items() if _same(m, material)), "")
        words = "Solid" if is_material(its) else type(its).__name__
        more = [f"material {called}"] * bool(called)
        if getattr(its, "reduced", False):
            more.append("reduced integration")
        if (brick := getattr(its, "brick", None)) not in (None, IncompatibleModes()):
            more.append(f"{type(brick).__name__} of bricks of 8 nodes")
        if getattr(its, "thickness_at", None) is not None:
            more.append(f"thickness varies about {its.thickness:.6g} m")
        elif getattr(its, "thickness", None) is not None:
            more.append(f"thickness {its.thickness:.6g} m")
        if layers := getattr(its, "layers", ()):
            more.append(f"{len(layers)} layer{'s' * (len(layers) > 1)}")
        if (area := getattr(its, "area", getattr(getattr(its, "section", None), "A", None))) is not None:
            more.append(f"area {area:.6g} m^2")
        if extra := _nonstructural(mesh, its):
            more.append(f"nonstructural mass {extra}")
        yield f"{name!r} ({len(mesh.elements_of(name))}): " + ", ".join([words, *more])


def _same(one: Material, other: Any) -> bool:
    """Return whether two materials are equal but for their density."""
    return type(one) is type(other) and replace(one, rho=other.rho) == other


def _nonstructural(mesh: Mesh, its: Any) -> str:
    """Return the mass of a property beside that of its materials in the file, with its unit; "" without one."""
    area = getattr(its, "area", getattr(getattr(its, "section", None), "A", None))
    if layers := getattr(its, "layers", ()):
        parts, per = [(layer.material, layer.thickness) for layer in layers], "m^2"
    elif area is not None:
        parts, per = [(its.material, area)], "m"
    elif hasattr(its, "material") and getattr(its, "thickness", None) is not None:
        parts, per = [(its.material, its.thickness)], "m^2"
    else:
        return ""
    mass = own = 0.0
    for material, size in parts:
        known = next((m for m in mesh.materials.values() if _same(m, material)), None)
        if known is None:
            return ""
        mass, own = mass + material.rho * size, own + known.rho * size
    line_mass = getattr(its, "line_mass", None)
    extra = (mass if line_mass is None else line_mass) - own
    return f"{extra:.6g} kg/{per}" if extra > EXTRA_MASS * mass else ""


def _references(mesh: Mesh) -> list[str]:
    """Return the reference nodes of connections, which can be named as interfaces."""
    return [f"{part.reference or part.name!r}, of {part.name!r}" for part in connections_of(mesh.parts)]


def _on_lines(mesh: Mesh) -> Iterator[str]:
    """Yield a sentence for each averaging connection whose nodes stand on one line, if rotations follow them."""
    for part in connections_of(mesh.parts):
        if not isinstance(part, Averaged) or not part.turns_by_displacements:
            continue
        nodes = mesh.nodes_of(part.nodes)
        arms = mesh.points[nodes] - mesh.points[nodes].mean(axis=0)
        size = np.linalg.svd(arms, compute_uv=False)
        if len(nodes) > 1 and size[1] <= ON_A_LINE * size[0]:
            yield (
                f"the {len(nodes)} nodes of the averaging connection {part.name!r} lie on one line: their "
                "displacements don't determine its rotation about this line, for which their own rotations are taken "
                "if they have some; add a node beside the line, or give it fewer components"
            )


def _components(what: object) -> str:
    if isinstance(what, dict):
        return ", ".join(f"{name} = {value:g}" for name, value in what.items())
    return what if isinstance(what, str) else " ".join(what)  # type: ignore[arg-type]


def _system(system) -> str:
    z = ", ".join(f"{x:.4g}" for x in system.axes[2])
    return f"{system.kind}, origin ({', '.join(f'{x:.6g}' for x in system.origin)}) m, z along ({z})"


def _wrong(mesh: Mesh) -> list[str]:
    """Return all that is wrong or doubtful, one sentence each; nodes without elements can't be checked."""
    found = [*mesh.doubts]
    if not mesh.blocks:
        return found
    if not any("units look wrong" in doubt for doubt in found):
        given = [its for its in (*mesh.properties.values(), *mesh.materials.values()) if hasattr(its, "rho")
                 or hasattr(its, "material")]  # fmt: skip
        found += [said] if (said := unit_doubts(mesh, given)) else []
    try:
        complete = with_reference_nodes(mesh, mesh.parts)
        return [*found, *_on_lines(complete), *findings(complete, links(complete, mesh.parts))]
    except InputError as error:  # a part that can't be built
        return [*found, str(error)]
