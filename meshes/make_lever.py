"""Make ``lever.step``: a bar of 150 x 30 x 12 mm with two holes, as a CAD program would export it.

    python meshes/make_lever.py [FILE]

Needs gmsh's Python package (``pip install gmsh``), a development dependency only. Lengths in the file are millimetres,
which it says. The holes run along z, with a radius of 8 mm, at (20, 15) and (130, 15) mm.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gmsh

SIZE = (150.0, 30.0, 12.0)  # mm
HOLES, RADIUS = ((20.0, 15.0), (130.0, 15.0)), 8.0


def main() -> None:
    """Write the file."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("lever.step")
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    occ = gmsh.model.occ
    bar = occ.addBox(0, 0, 0, *SIZE)
    holes = [(3, occ.addCylinder(x, y, -1, 0, 0, SIZE[2] + 2, RADIUS)) for x, y in HOLES]
    occ.cut([(3, bar)], holes)
    occ.synchronize()
    gmsh.write(str(path))
    gmsh.finalize()


if __name__ == "__main__":
    main()
