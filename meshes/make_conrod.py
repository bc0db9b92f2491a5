"""Make ``conrod.msh``: a steel connecting rod with an I-section shank, in quadratic tetrahedra.

    python meshes/make_conrod.py [FILE]

Needs gmsh's Python package (``pip install gmsh``), a development dependency only. The same version of gmsh
on the same platform gives the same file.

The big eye is centred in the origin, the small eye in (0.3, 0, 0); the pins run along y. Lengths in metres.
Physical groups: volume ``rod``; surfaces ``big_end`` and ``small_end`` (the two bores) and ``middle`` (the
cross section halfway, inside the solid).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import gmsh

LENGTH = 0.300  # from bore to bore
BIG_BORE, BIG_OUTER, BIG_WIDTH = 0.0275, 0.0360, 0.026  # radius, radius, along y
SMALL_BORE, SMALL_OUTER, SMALL_WIDTH = 0.0125, 0.0195, 0.024
SHANK_WIDTH, WEB, FLANGE = 0.016, 0.005, 0.0045  # along y, web thickness, flange thickness
POCKET = ((0.059, 0.0115), (0.262, 0.0060))  # pockets between the flanges: x and radius of their round ends
BIG_FILLET, SMALL_FILLET = 0.030, 0.025  # where the shank runs into the eyes
SIZE, PER_TURN = 0.0095, 16  # largest element edge; edges around a circle


def tangent() -> tuple[float, float]:
    """Return (phi, c) of the line x sin(phi) + z cos(phi) = c that touches both round ends of the pocket."""
    (x1, r1), (x2, r2) = POCKET
    phi = math.asin((r1 - r2) / (x2 - x1))
    return phi, x1 * math.sin(phi) + r1


def fillet(x_eye: float, outer: float, radius: float, side: int) -> tuple[tuple[float, float], ...]:
    """Return centre, touching point on the eye, touching point on the shank's edge (x, z) of a fillet.

    ``side`` is 1 if the fillet lies towards +x from the eye, -1 otherwise.
    """
    phi, c = tangent()
    normal, along = (math.sin(phi), math.cos(phi)), (math.cos(phi), -math.sin(phi))
    height = c + FLANGE + radius - x_eye * normal[0]  # of the centre over the line through the eye's centre
    reach = side * math.sqrt((outer + radius) ** 2 - height**2)
    centre = (x_eye + height * normal[0] + reach * along[0], height * normal[1] + reach * along[1])
    share = outer / (outer + radius)
    on_eye = (x_eye + share * (centre[0] - x_eye), share * centre[1])
    on_edge = (centre[0] - radius * normal[0], centre[1] - radius * normal[1])
    return centre, on_eye, on_edge


def prism(loop: list[tuple], low: float, high: float) -> int:
    """Return the volume from y = low to y = high over a closed loop of lines and arcs in (x, z).

    Items of ``loop`` are (start, arc centre or None); each piece ends where the next one starts.
    """
    occ = gmsh.model.occ
    corners = [occ.addPoint(x, low, z) for (x, z), _ in loop]
    curves = []
    for k, (_, centre) in enumerate(loop):
        start, end = corners[k], corners[(k + 1) % len(loop)]
        if centre is None:
            curves.append(occ.addLine(start, end))
        else:
            curves.append(occ.addCircleArc(start, occ.addPoint(centre[0], low, centre[1]), end))
    face = occ.addPlaneSurface([occ.addCurveLoop(curves)])
    return next(tag for dim, tag in occ.extrude([(2, face)], 0, high - low, 0) if dim == 3)


def shank() -> int:
    """Return the shank without pockets, with its fillets into the eyes."""
    big_centre, big_eye, big_edge = fillet(0.0, BIG_OUTER, BIG_FILLET, 1)
    small_centre, small_eye, small_edge = fillet(LENGTH, SMALL_OUTER, SMALL_FILLET, -1)

    def below(point: tuple[float, float]) -> tuple[float, float]:
        return point[0], -point[1]

    upper = [(big_eye, big_centre), (big_edge, None), (small_edge, small_centre), (small_eye, None)]
    lower = [
        (below(small_eye), below(small_centre)),
        (below(small_edge), None),
        (below(big_edge), below(big_centre)),
        (below(big_eye), None),
    ]
    return prism(upper + lower, -SHANK_WIDTH / 2, SHANK_WIDTH / 2)


def pocket(low: float, high: float) -> int:
    """Return a pocket between the flanges: two round ends and their common tangents."""
    (x1, r1), (x2, r2) = POCKET
    phi, _ = tangent()
    s, c = math.sin(phi), math.cos(phi)
    one, two = (x1, 0.0), (x2, 0.0)
    loop = [
        ((x1 + r1 * s, r1 * c), None),
        ((x2 + r2 * s, r2 * c), two),
        ((x2 + r2, 0.0), two),
        ((x2 + r2 * s, -r2 * c), None),
        ((x1 + r1 * s, -r1 * c), one),
        ((x1 - r1, 0.0), one),
    ]
    return prism(loop, low, high)


def cylinder(x: float, radius: float, width: float) -> int:
    """Return a cylinder along y."""
    return gmsh.model.occ.addCylinder(x, -width / 2, 0, 0, width, 0, radius)


def build() -> None:
    """Build the geometry and its physical groups in the current gmsh model."""
    occ = gmsh.model.occ
    eyes = [(3, cylinder(0.0, BIG_OUTER, BIG_WIDTH)), (3, cylinder(LENGTH, SMALL_OUTER, SMALL_WIDTH))]
    solid, _ = occ.fuse([(3, shank())], eyes)
    bores = [(3, cylinder(0.0, BIG_BORE, 2 * BIG_WIDTH)), (3, cylinder(LENGTH, SMALL_BORE, 2 * SMALL_WIDTH))]
    pockets = [(3, pocket(WEB / 2, SHANK_WIDTH)), (3, pocket(-SHANK_WIDTH, -WEB / 2))]
    solid, _ = occ.cut(solid, bores + pockets)
    half = occ.addBox(-1.0, -1.0, -1.0, 1.0 + LENGTH / 2, 2.0, 2.0)
    one, _ = occ.intersect(solid, [(3, half)], removeObject=False, removeTool=False)
    other, _ = occ.cut(solid, [(3, half)])
    halves, _ = occ.fragment(one, other)  # two volumes that share the section halfway
    occ.synchronize()
    volumes = [tag for _, tag in halves]
    assert len(volumes) == 2, volumes
    bores_and_middle = {"big_end": [], "small_end": [], "middle": []}
    for _, tag in gmsh.model.getEntities(2):
        low_x, _, _, high_x, _, high_z = gmsh.model.getBoundingBox(2, tag)
        for name, x, radius in (("big_end", 0.0, BIG_BORE), ("small_end", LENGTH, SMALL_BORE)):
            inside = abs(low_x - (x - radius)) < 1e-5 and abs(high_x - (x + radius)) < 1e-5
            if inside and abs(high_z - radius) < 1e-5 and gmsh.model.getType(2, tag) == "Cylinder":
                bores_and_middle[name].append(tag)
        if abs(low_x - LENGTH / 2) < 1e-5 and abs(high_x - LENGTH / 2) < 1e-5:
            bores_and_middle["middle"].append(tag)
    gmsh.model.addPhysicalGroup(3, volumes, 1, "rod")
    for number, (name, surfaces) in enumerate(bores_and_middle.items(), start=2):
        assert len(surfaces) == 1, (name, surfaces)
        gmsh.model.addPhysicalGroup(2, surfaces, number, name)


def main(path: Path) -> None:
    """Mesh the rod and write it as gmsh 4.1, text."""
    gmsh.initialize(interruptible=False)  # leave Ctrl-C to Python
    for option, value in {
        "General.Terminal": 0,
        "General.NumThreads": 1,
        "Mesh.MeshSizeMax": SIZE,
        "Mesh.MeshSizeFromCurvature": PER_TURN,
        "Mesh.ElementOrder": 2,
        "Mesh.HighOrderOptimize": 1,
        "Mesh.MshFileVersion": 4.1,
        "Mesh.Binary": 0,
    }.items():
        gmsh.option.setNumber(option, value)
    gmsh.model.add("conrod")
    build()
    gmsh.model.mesh.generate(3)
    gmsh.write(str(path))
    gmsh.finalize()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("conrod.msh"))
